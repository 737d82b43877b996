//! The effect of a move on links: the files before and after.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use obsidian_note::resolve::Kin;
use obsidian_note::{FromEverywhere, LinkIndex, Resolution, VaultPath};
use vault_files::LinkFormat;

use super::places::Places;

/// One or several moved files, among all files that the links in question can mean. It knows
/// nothing of links for which [`Self::concerns`] is false.
pub(super) struct Shift {
    /// The new path of each file that is moved, by the old one.
    moves: BTreeMap<VaultPath, VaultPath>,
    /// The old path of each moved file, by the new one.
    origins: BTreeMap<VaultPath, VaultPath>,
    before: LinkIndex,
    after: LinkIndex,
    /// An index of the old and new paths only.
    both: LinkIndex,
    names: Kin,
    format: LinkFormat,
    /// The headings and blocks that get another place; `None` if whole files are moved to free paths.
    places: Option<Arc<Places>>,
}

impl Shift {
    /// Builds the value for several files, from the old path, the new path and the linkpaths of each file.
    pub(super) fn for_files<'links>(
        files: &[VaultPath],
        format: LinkFormat,
        ways: impl IntoIterator<Item = (VaultPath, VaultPath, &'links [String])>,
    ) -> Self {
        Self::built(files, format, ways, true)
    }

    /// As [`Self::for_files`]. If `is_move` is false, no file is moved: a part of each text becomes the new note.
    pub(super) fn built<'links>(
        files: &[VaultPath],
        format: LinkFormat,
        ways: impl IntoIterator<Item = (VaultPath, VaultPath, &'links [String])>,
        is_move: bool,
    ) -> Self {
        let (mut names, mut kin) = (Kin::default(), Kin::default());
        let (mut moves, mut origins) = (BTreeMap::new(), BTreeMap::new());
        let mut both = BTreeSet::new();
        for (from, to, links) in ways {
            for path in [&from, &to] {
                names.add_file(path);
                kin.add_file(path);
                for link in links {
                    kin.add_link(link, path);
                }
                both.insert(path.clone());
            }
            if is_move {
                origins.insert(to.clone(), from.clone());
                moves.insert(from, to);
            }
        }
        let before = kin.among(files);
        // A file whose text is merged into another one leaves only the path of that one.
        let mut after: BTreeSet<VaultPath> = before
            .iter()
            .map(|file| moves.get(file).unwrap_or(file).clone())
            .collect();
        if !is_move {
            after.extend(both.iter().cloned());
        }
        Self {
            after: LinkIndex::new(after),
            both: LinkIndex::new(both),
            before: LinkIndex::new(before),
            names,
            moves,
            origins,
            format,
            places: None,
        }
    }

    /// Returns the same value, with the new places of headings and blocks.
    pub(super) fn with_places(self, places: Arc<Places>) -> Self {
        Self {
            places: Some(places),
            ..self
        }
    }

    /// Returns the new path of a moved file.
    pub(super) fn moved_to(&self, path: &VaultPath) -> Option<&VaultPath> {
        self.moves.get(path)
    }

    /// Returns the old path of the moved file that will be at this path.
    pub(super) fn moved_from(&self, path: &VaultPath) -> Option<&VaultPath> {
        self.origins.get(path)
    }

    pub(super) fn format(&self) -> LinkFormat {
        self.format
    }

    /// Returns the path of a file after the move.
    pub(super) fn place<'path>(&'path self, path: &'path VaultPath) -> &'path VaultPath {
        self.moves.get(path).unwrap_or(path)
    }

    /// Returns the file that a link leads to before the move.
    pub(super) fn target_before(&self, linkpath: &str, source: &VaultPath) -> Option<VaultPath> {
        self.before.resolve(linkpath, source).path()
    }

    /// Returns the file that a link will lead to, from the new path of its own file.
    pub(super) fn target_after(&self, linkpath: &str, source: &VaultPath) -> Option<VaultPath> {
        self.after.resolve(linkpath, source).path()
    }

    /// Whether that name alone will lead to the file from every note, and to no other.
    pub(super) fn is_the_only(&self, name: &str, file: &VaultPath) -> bool {
        matches!(self.after.resolve(name, &VaultPath::root()),
            Resolution::Found(found) if found.path == *file && found.others.is_empty())
    }

    /// Whether the move may change what a link in the file `source`, which will be at the path `at`, resolves to. It cannot
    /// if the link can mean none of the paths, unless the text with the link itself gets into another folder.
    pub(super) fn concerns(&self, linkpath: &str, source: &VaultPath, at: &VaultPath) -> bool {
        at.parent_text() != source.parent_text()
            || (self.names.may_be_of(linkpath)
                && self.both.lead_from_everywhere(linkpath) != FromEverywhere::Nowhere)
    }

    /// Returns the places of the headings and blocks of this file afterwards; `None` if links name them as before.
    pub(super) fn places_of(&self, file: &VaultPath) -> Option<&Places> {
        self.places
            .as_deref()
            .filter(|places| places.looks_at(file))
    }

    /// Returns the file that a link of `source` led to and will not lead to from the path `at`, at its new path; `None`
    /// if it will, or if it is unresolved.
    pub(super) fn lost(
        &self,
        linkpath: &str,
        source: &VaultPath,
        at: &VaultPath,
    ) -> Option<VaultPath> {
        let target = self.target_before(linkpath, source)?;
        let wanted = self.place(&target);
        let reached = self.target_after(linkpath, at);
        (reached.as_ref() != Some(wanted)).then(|| wanted.clone())
    }
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::path;

    use super::*;

    fn shift(files: &[&str], from: &str, to: &str) -> Shift {
        let files: Vec<VaultPath> = files.iter().map(|file| path(file)).collect();
        let links = ["Note", "none", "y"].map(str::to_owned);
        Shift::for_files(
            &files,
            LinkFormat::Shortest,
            [(path(from), path(to), &links[..])],
        )
    }

    #[test]
    fn a_link_is_lost_where_it_would_lead_elsewhere() {
        let shift = shift(
            &["A/Note.md", "A/x.md", "C/Old.md"],
            "C/Old.md",
            "A/x y/Note.md",
        );
        let lost = |linkpath: &str, source: &str| {
            let source = path(source);
            let lost = shift.lost(linkpath, &source, shift.place(&source));
            lost.map(|wanted| wanted.to_string())
        };
        assert_eq!(lost("Old", "A/x.md").as_deref(), Some("A/x y/Note.md"));
        assert_eq!(lost("Note", "A/x.md"), None);
        assert_eq!(lost("none", "A/x.md"), None);
        assert_eq!(lost("", "C/Old.md"), None);
        assert_eq!(lost("Note", "C/Old.md").as_deref(), Some("A/Note.md"));
        let concerns = |linkpath: &str| shift.concerns(linkpath, &path("A/x.md"), &path("A/x.md"));
        assert!(concerns("note.md") && concerns("../x") && !concerns("x"));
        assert!(shift.concerns("x", &path("C/Old.md"), &path("A/x y/Note.md")));
    }

    #[test]
    fn a_link_may_be_stolen_by_a_shorter_path() {
        let shift = shift(
            &["Folder/Note.md", "x.md", "Folder/y.md"],
            "x.md",
            "B/Note.md",
        );
        let lost = |source: &str| {
            let source = path(source);
            shift.lost("Note", &source, shift.place(&source))
        };
        assert_eq!(lost("x.md"), Some(path("Folder/Note.md")));
        assert_eq!(lost("Folder/y.md"), None);
        assert!(!shift.is_the_only("Note", &path("B/Note.md")));
        assert!(shift.is_the_only("y", &path("Folder/y.md")));
    }
}
