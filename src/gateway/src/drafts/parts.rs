//! The parts of a draft that a person judges and an agent can withdraw: files, and the hunks of notes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use line_diff::{Hunk, hunks};
use vault_engine::{Bond, PlannedBytes, PlannedContent, PlannedFile, VaultPath};

use super::links::{ChangedLinks, DraftLinks, links_of_whole};
use changes::{
    Happening,
    findings::{FileResult, Finding},
};
use protocol::{Code, Failure};
use store::drafts::{Draft, leaving, origin_of};

/// The number of the hunk that is not text: that a note is new, removed, or has another path, or its bytes that are not
/// text.
pub(crate) const WHOLE: usize = 0;
/// The time for the diff of one note.
pub(crate) const DIFF_TIME: Duration = Duration::from_secs(2);
/// The folder of the vault's trash.
const TRASH: &str = ".trash/";

/// Whether a file at this path of a draft is in the trash.
pub(super) fn is_trashed(path: &VaultPath) -> bool {
    path.as_str().starts_with(TRASH)
}

/// The change of a draft to one file.
#[derive(Clone, Debug)]
pub(crate) struct DraftPart {
    /// Its path in the draft; for a removed file, its path in the vault.
    pub(crate) path: VaultPath,
    /// The kind of change.
    pub(crate) change: Happening,
    /// The path of the file in the vault, if it differs from `path`.
    pub(crate) from: Option<VaultPath>,
    /// Its path in the overlay; for a file that goes to the trash, its path there.
    pub(crate) place: VaultPath,
    /// The file of the folder that it is made of.
    pub(crate) origin: Option<VaultPath>,
    /// The planned file of the draft.
    pub(crate) file: PlannedFile,
    /// The texts before and after, if both are UTF-8; empty for a missing file.
    pub(crate) texts: Option<(String, String)>,
    /// The hunks between the texts, numbered from 1 in their order.
    pub(crate) hunks: Vec<Hunk>,
    /// The links in the hunks, once something needs them.
    pub(super) links: OnceLock<Vec<ChangedLinks>>,
}

impl DraftPart {
    /// Whether a file or folder takes a path that it did not have.
    pub(super) fn takes_a_path(&self) -> bool {
        matches!(
            self.change,
            Happening::Created | Happening::Moved | Happening::FolderMade
        )
    }

    /// Returns the path that a file or folder of the vault leaves.
    pub(super) fn left_path(&self) -> Option<&VaultPath> {
        match self.change {
            Happening::Moved | Happening::Trashed | Happening::Removed => self.origin.as_ref(),
            Happening::FolderRemoved => Some(&self.place),
            _ => None,
        }
    }

    /// Returns the numbers of its hunks that belong to a bond. That the file is new, removed or renamed always does.
    pub(super) fn bonded_hunks(&self, bond: &Bond) -> BTreeSet<usize> {
        let hunks = bond.hunks_of(&self.place, &self.hunks);
        let is_whole = |number: usize| number == WHOLE && bond.files.contains(&self.place);
        let mut numbers = self.numbers();
        numbers.retain(|number| is_whole(*number) || hunks.contains(number));
        numbers
    }

    /// Returns the lines with letters or digits of its text before and after, without the blanks around them.
    pub(super) fn all_lines(&self) -> [Vec<&str>; 2] {
        let (before, after) = self
            .texts
            .as_ref()
            .map_or(("", ""), |(old, new)| (old, new));
        [before, after].map(|text| lines(text, 0..usize::MAX))
    }

    /// As [`Self::all_lines`], the lines that one of its hunks removes and adds. A new or removed file is one hunk.
    pub(super) fn lines_of(&self, number: usize) -> [Vec<&str>; 2] {
        let Some((before, after)) = &self.texts else {
            return [Vec::new(), Vec::new()];
        };
        match number.checked_sub(1) {
            Some(index) => self.hunks.get(index).map_or_else(Default::default, |hunk| {
                [
                    lines(before, hunk.before.clone()),
                    lines(after, hunk.after.clone()),
                ]
            }),
            None if self.change == Happening::Moved => Default::default(),
            None => self.all_lines(),
        }
    }

    /// Returns the time of its planned text.
    pub(super) fn modified(&self) -> i64 {
        match &self.file {
            PlannedFile::Bytes(planned) => planned.modified,
            _ => 0,
        }
    }

    /// Whether [`WHOLE`] is one of its hunks. It is the only one of a changed file that is not text.
    pub(crate) fn has_whole(&self) -> bool {
        self.change != Happening::Modified || self.texts.is_none()
    }

    /// Returns the active content that it adds. An embed that follows a file which the draft moves is not new.
    pub(super) fn findings(&self, links: Option<&DraftLinks>) -> Vec<Finding> {
        let has_text = matches!(
            self.change,
            Happening::Created | Happening::Modified | Happening::Moved
        );
        // No caller can name a hidden path. The text that a command writes into the app's lists of bookmarks and types is
        // not the agent's.
        if !has_text || self.path.is_hidden() {
            return Vec::new();
        }
        let before = self.from.as_ref().unwrap_or(&self.path);
        let texts = self.texts.as_ref();
        let result = FileResult {
            from: (self.change != Happening::Created).then_some(before),
            before: texts.map(|(before, _)| before.as_bytes()),
            after: texts.map(|(_, after)| after.as_bytes()),
        };
        let shown = |target: &str, is_before: bool| {
            let source = if is_before { before } else { &self.path };
            links?.moved.shown(source, target, is_before)
        };
        let found = result.findings(&self.path, &shown, &|_| None, &|_| false);
        found.unwrap_or_default()
    }

    /// Returns the numbers of its hunks. A new or removed note is judged as a whole.
    pub(crate) fn numbers(&self) -> BTreeSet<usize> {
        let whole = self.has_whole().then_some(WHOLE);
        let of_text = match self.change {
            Happening::Modified | Happening::Moved => self.hunks.len(),
            _ => 0,
        };
        whole.into_iter().chain(1..=of_text).collect()
    }
}

/// Returns those of these lines of a text that have letters or digits, without the blanks around them.
fn lines(text: &str, range: Range<usize>) -> Vec<&str> {
    let lines = text.lines().skip(range.start).take(range.len());
    let lines = lines.map(str::trim);
    lines
        .filter(|line| line.chars().any(char::is_alphanumeric))
        .collect()
}

/// Returns the change of the draft to each file and folder, in the order of the paths.
pub(crate) fn parts(draft: &Draft) -> Vec<DraftPart> {
    let leaving = leaving(&draft.overlay);
    let files = draft.overlay.files.iter();
    let parts = files.filter_map(|(path, file)| part(draft, path, file, &leaving));
    let mut parts: Vec<DraftPart> = parts.chain(folders(draft)).collect();
    parts.sort_by(|left, right| left.path.cmp(&right.path));
    parts
}

/// Returns the folders that the draft removes, and those that it makes and puts no file into.
pub(super) fn folders(draft: &Draft) -> impl Iterator<Item = DraftPart> {
    let used = draft.used_folders();
    let folders = draft.overlay.folders.iter();
    let folders = folders.filter(move |(path, _)| !(path.is_hidden() || used.contains(path)));
    folders.map(|(path, exists)| DraftPart {
        path: path.clone(),
        place: path.clone(),
        origin: None,
        file: PlannedFile::Gone,
        change: if *exists {
            Happening::FolderMade
        } else {
            Happening::FolderRemoved
        },
        from: None,
        texts: None,
        hunks: Vec::new(),
        links: OnceLock::new(),
    })
}

/// Returns the part of the draft for this path; `None` for the old path of a moved file.
fn part(
    draft: &Draft,
    path: &VaultPath,
    file: &PlannedFile,
    leaving: &BTreeMap<VaultPath, VaultPath>,
) -> Option<DraftPart> {
    let bytes = |content: &PlannedContent| content.bytes().ok().map(<[u8]>::to_vec);
    let base = |origin: &VaultPath| bytes(draft.bases.get(origin)?.content.as_deref()?);
    let (origin, before, after) = match file {
        PlannedFile::Bytes(planned) => {
            let before = match &planned.origin {
                Some(origin) => base(origin),
                None => Some(Vec::new()),
            };
            (planned.origin.clone(), before, bytes(&planned.content))
        }
        PlannedFile::From(origin) if is_trashed(path) => (Some(origin.clone()), base(origin), None),
        PlannedFile::From(origin) => (Some(origin.clone()), None, None),
        PlannedFile::Gone if leaving.contains_key(path) => return None,
        PlannedFile::Gone => (None, base(path), Some(Vec::new())),
    };
    let change = match (&origin, file) {
        (_, PlannedFile::Gone) => Happening::Removed,
        (Some(_), _) if is_trashed(path) => Happening::Trashed,
        (None, _) => Happening::Created,
        (Some(origin), _) if origin != path => Happening::Moved,
        (Some(_), _) => Happening::Modified,
    };
    // A file that goes to the trash is shown as if all its text were removed.
    let after = if change == Happening::Trashed {
        Some(Vec::new())
    } else {
        after
    };
    let text = |bytes: &Vec<u8>| String::from_utf8(bytes.clone()).ok();
    let both = before.zip(after);
    let texts = both
        .as_ref()
        .and_then(|(before, after)| text(before).zip(text(after)));
    let whole = both.filter(|_| texts.is_none());
    let whole = whole.map(|(before, after)| links_of_whole(path, [&before, &after]));
    let hunks = texts
        .as_ref()
        .map_or_else(Vec::new, |(before, after)| hunks(before, after, DIFF_TIME));
    let from = origin.clone().filter(|origin| origin != path);
    let is_removed = *file == PlannedFile::Gone;
    Some(DraftPart {
        path: name_of(draft, path, file),
        // A file in the trash has the name that it had, unless another one has that now.
        from: from
            .filter(|from| change != Happening::Trashed || name_of(draft, path, file) != *from),
        place: path.clone(),
        origin: origin.or_else(|| is_removed.then(|| path.clone())),
        file: file.clone(),
        change,
        texts,
        hunks,
        links: whole.map_or_else(OnceLock::new, OnceLock::from),
    })
}

/// Returns the name of a planned file for people and agents: its path in the draft, but of a file in the trash its
/// path in the vault, unless the draft has another file there.
pub(super) fn name_of(draft: &Draft, place: &VaultPath, file: &PlannedFile) -> VaultPath {
    let origin = origin_of(place, file).filter(|_| is_trashed(place));
    let is_free = |origin: &&VaultPath| {
        let there = draft.overlay.files.get(*origin);
        there.is_none_or(|file| *file == PlannedFile::Gone)
    };
    origin.filter(is_free).unwrap_or(place).clone()
}

/// Removes these hunks from the draft, as if they had never been drafted. With a part, all that belongs together with it
/// is taken.
///
/// # Errors
///
/// `USAGE_ERROR` if a part has no hunk of one of these numbers.
pub(super) fn take_out(
    draft: &mut Draft,
    taken: &[(DraftPart, BTreeSet<usize>)],
) -> Result<(), Failure> {
    for (part, hunks) in taken {
        if let Some(unknown) = hunks.difference(&part.numbers()).next() {
            return Err(no_such_hunk(part, *unknown));
        }
    }
    leave_bonds(draft, taken);
    let used = draft.used_folders();
    for (part, _) in taken {
        draft.forget_file(&part.place, part.origin.as_ref());
    }
    for (part, hunks) in taken {
        put_rest(draft, part, hunks);
    }
    draft.forget_unused();
    // A folder that was made for these files goes with the last of them.
    draft.forget_folders(|folder| used.contains(folder));
    Ok(())
}

/// Removes hunks from the draft that are in the vault now. A part of which only some hunks are `decided` stays: comparing
/// the texts shows what is left of it.
pub(super) fn settle(
    draft: &mut Draft,
    accepted: &[(DraftPart, BTreeSet<usize>)],
    is_decided: impl Fn(&DraftPart, &BTreeSet<usize>) -> bool,
) {
    leave_bonds(draft, accepted);
    for (part, hunks) in accepted {
        if is_decided(part, hunks) {
            draft.forget_file(&part.place, part.origin.as_ref());
        }
    }
    draft.forget_unused();
}

/// Takes files out of the bonds to which these hunks of them belong.
fn leave_bonds(draft: &mut Draft, decided: &[(DraftPart, BTreeSet<usize>)]) {
    for bond in &mut draft.bonds {
        for (part, hunks) in decided {
            if !part.bonded_hunks(bond).is_disjoint(hunks) {
                bond.remove(&part.place);
            }
        }
    }
}

/// Puts back what is left of a part without these hunks.
fn put_rest(draft: &mut Draft, part: &DraftPart, taken: &BTreeSet<usize>) {
    let is_of_hunks = matches!(part.change, Happening::Modified | Happening::Moved);
    let (Some(origin), true) = (&part.origin, is_of_hunks) else {
        return;
    };
    let is_moved = part.change == Happening::Moved && !taken.contains(&WHOLE);
    let is_left = part.numbers().difference(taken).next().is_some();
    let place = if is_moved { &part.place } else { origin };
    let from = || PlannedFile::From(origin.clone());
    let file = match &part.texts {
        Some((before, after)) => {
            let is_kept = |number| !taken.contains(&number);
            let text = line_diff::apply(before, after, &part.hunks, is_kept);
            if text == *before {
                is_moved.then(from)
            } else {
                Some(PlannedFile::Bytes(Arc::new(PlannedBytes {
                    content: PlannedContent::new(text.into_bytes()),
                    origin: Some(origin.clone()),
                    modified: part.modified(),
                })))
            }
        }
        // Not text: its bytes go or stay with the whole.
        None if is_left => Some(part.file.clone()),
        None => None,
    };
    if let Some(file) = file {
        draft.overlay.files.insert(place.clone(), file);
        if is_moved {
            let old = draft.overlay.files.entry(origin.clone());
            old.or_insert(PlannedFile::Gone);
        }
    }
}

#[cfg(test)]
impl DraftPart {
    /// Builds a part that changes `Note.md` from `before` to `after`.
    pub(super) fn of_texts(change: Happening, before: &str, after: &str) -> Self {
        let path = VaultPath::file("Note.md").unwrap();
        Self {
            place: path.clone(),
            path,
            origin: None,
            file: PlannedFile::Gone,
            change,
            from: None,
            texts: Some((before.to_owned(), after.to_owned())),
            hunks: hunks(before, after, DIFF_TIME),
            links: OnceLock::new(),
        }
    }
}

pub(super) fn no_such_hunk(part: &DraftPart, number: usize) -> Failure {
    let numbers: Vec<String> = part.numbers().iter().map(ToString::to_string).collect();
    Code::UsageError
        .failure(format!(
            "`{}` has no hunk {number} in the draft. The hunks of this file are: {}.",
            part.path,
            numbers.join(", ")
        ))
        .with("path", part.path.as_str())
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use store::drafts::Base;

    fn path(text: &str) -> VaultPath {
        VaultPath::file(text).unwrap()
    }

    fn draft(files: &[(&str, PlannedFile)], bases: &[(&str, &str)]) -> Draft {
        let mut draft = Draft::new(None, Timestamp::UNIX_EPOCH);
        for (name, file) in files {
            draft.overlay.files.insert(path(name), file.clone());
        }
        for (name, text) in bases {
            let base = Base::from_bytes(text.as_bytes().to_vec(), None);
            draft.bases.insert(path(name), base);
        }
        draft
    }

    fn bytes(text: &str, origin: Option<&str>) -> PlannedFile {
        PlannedFile::Bytes(Arc::new(PlannedBytes {
            content: PlannedContent::new(text.as_bytes().to_vec()),
            origin: origin.map(path),
            modified: 1,
        }))
    }

    const BEFORE: &str = "1\n2\n3\n4\n5\n";
    const AFTER: &str = "one\n2\n3\n4\nfive\n";

    fn moved() -> Draft {
        let files = [
            ("b.md", bytes(AFTER, Some("a.md"))),
            ("a.md", PlannedFile::Gone),
        ];
        draft(&files, &[("a.md", BEFORE)])
    }

    fn without(mut draft: Draft, at: &str, taken: &[usize]) -> Draft {
        let parts = parts(&draft);
        let part = parts.iter().find(|part| part.path == path(at)).unwrap();
        let taken = (part.clone(), taken.iter().copied().collect());
        take_out(&mut draft, &[taken]).unwrap();
        draft
    }

    #[test]
    fn a_draft_without_some_hunks_keeps_the_others() {
        let files = [("a.md", bytes(AFTER, Some("a.md")))];
        let changed = draft(&files, &[("a.md", BEFORE)]);
        for (taken, left) in [
            (&[1][..], "1\n2\n3\n4\nfive\n"),
            (&[2][..], "one\n2\n3\n4\n5\n"),
        ] {
            let rest = without(changed.clone(), "a.md", taken);
            assert_eq!(rest.overlay.files[&path("a.md")], bytes(left, Some("a.md")));
        }
        assert!(without(changed, "a.md", &[1, 2]).is_empty());
    }

    #[test]
    fn a_rename_and_its_text_are_judged_by_themselves() {
        let part = &parts(&moved())[0];
        assert_eq!(
            (part.path.as_str(), part.change),
            ("b.md", Happening::Moved)
        );
        assert_eq!(part.numbers(), BTreeSet::from([0, 1, 2]));
        let back = without(moved(), "b.md", &[0]);
        assert_eq!(
            Vec::from_iter(back.overlay.files),
            [(path("a.md"), bytes(AFTER, Some("a.md")))]
        );
        let alone = without(moved(), "b.md", &[1, 2]);
        assert_eq!(
            Vec::from_iter(alone.overlay.files),
            [
                (path("a.md"), PlannedFile::Gone),
                (path("b.md"), PlannedFile::From(path("a.md"))),
            ]
        );
        assert!(without(moved(), "b.md", &[0, 1, 2]).is_empty());
    }

    #[test]
    fn new_removed_and_trashed_notes_are_judged_as_a_whole() {
        let files = [
            ("gone.md", PlannedFile::Gone),
            ("new.md", bytes(AFTER, None)),
            ("old.md", PlannedFile::Gone),
            (".trash/old.md", PlannedFile::From(path("old.md"))),
        ];
        let whole = draft(&files, &[("gone.md", BEFORE), ("old.md", BEFORE)]);
        let parts = parts(&whole);
        let shown: Vec<_> = parts
            .iter()
            .map(|part| (part.path.as_str(), part.change))
            .collect();
        assert_eq!(
            shown,
            [
                ("gone.md", Happening::Removed),
                ("new.md", Happening::Created),
                ("old.md", Happening::Trashed),
            ]
        );
        let mut rest = whole.clone();
        for part in &parts {
            assert_eq!(part.numbers(), BTreeSet::from([WHOLE]));
            let wrong = (part.clone(), BTreeSet::from([1]));
            assert!(take_out(&mut rest, &[wrong]).is_err());
            take_out(&mut rest, &[(part.clone(), part.numbers())]).unwrap();
        }
        assert!(rest.is_empty() && rest.bases.is_empty());
    }

    #[test]
    fn parts_of_a_chain_of_moves_are_taken_out_and_settled() {
        let from = |origin: &str| PlannedFile::From(path(origin));
        let chain = || {
            let files = [
                ("x.md", from("y.md")),
                ("y.md", PlannedFile::Gone),
                ("z.md", from("x.md")),
            ];
            draft(&files, &[("x.md", "x"), ("y.md", "y")])
        };
        let parts = parts(&chain());
        let whole = |part: &DraftPart| (part.clone(), part.numbers());
        assert_eq!(parts.len(), 2);
        let mut rest = chain();
        take_out(&mut rest, &[whole(&parts[0])]).unwrap();
        assert_eq!(
            Vec::from_iter(rest.overlay.files),
            [
                (path("x.md"), PlannedFile::Gone),
                (path("z.md"), from("x.md"))
            ]
        );
        let mut none = chain();
        take_out(&mut none, &[whole(&parts[1]), whole(&parts[0])]).unwrap();
        assert!(none.is_empty() && none.bases.is_empty());
        // The move of x is in the vault; the move of y waits.
        let mut settled = chain();
        settle(&mut settled, &[whole(&parts[1])], |_, _| true);
        assert_eq!(super::parts(&settled).len(), 1);
        assert_eq!(settled.overlay.files[&path("x.md")], from("y.md"));
    }

    #[test]
    fn a_file_in_the_trash_has_its_own_name_if_another_takes_its_path() {
        let files = [
            ("x.md", bytes("new", None)),
            (".trash/x.md", PlannedFile::From(path("x.md"))),
        ];
        let parts = parts(&draft(&files, &[("x.md", "x")]));
        let shown: Vec<_> = parts
            .iter()
            .map(|part| (part.path.as_str(), part.change))
            .collect();
        assert_eq!(
            shown,
            [
                (".trash/x.md", Happening::Trashed),
                ("x.md", Happening::Created),
            ]
        );
    }
}
