//! Updates links to files that planned changes moved and renamed, in texts that these changes do not know
//! (`design/drafts.md`): those of other files, and those that others wrote in the meantime.

use std::collections::BTreeSet;

use obsidian_note::{CancellationToken, VaultPath};
use rayon::prelude::*;
use vault_files::{EngineError, Overlay, PlannedFile};
use vault_index::{Indexed, IndexedVault, LinkTexts};

use super::moved::Moved;
use super::out_of_sight::old_files;
use super::setting::LinkSettings;
use super::shift::Shift;
use super::{affected, rewrite, shift_of};
use crate::{Bond, BondKind, Carried, Change, Editor};

/// Rewrites links so that they follow planned changes: first the texts, headings and blocks that were moved from note to
/// note, in the order of the commands, then the renames of files. The vault is listed once for all texts.
pub struct LinkFollower {
    indexed: Indexed<LinkTexts>,
    steps: Vec<FollowedStep>,
    renames: Option<Shift>,
    stop: CancellationToken,
}

/// Something that one command carried.
struct FollowedStep {
    shift: Shift,
    /// The note that a merge removes. Its text has no place of its own any more.
    removed: Option<VaultPath>,
    /// The index of its bond.
    bond: usize,
}

/// A text after its links followed.
pub struct FollowedText {
    /// All of its bytes.
    pub bytes: Vec<u8>,
    /// The indexes of the bonds that changed it.
    pub bonds: BTreeSet<usize>,
}

impl Editor<'_> {
    /// Lists this vault, in which the `planned` changes are not made, and works out how links follow these changes and
    /// their bonds. Nothing follows if the settings say so.
    ///
    /// A text may have passed through a note that only the planned changes ever had. That note counts as present in
    /// between, so that links are followed to the end. If the vault has another file of that name now, nothing is followed
    /// through it: links to that file would be taken for links to the note.
    ///
    /// # Errors
    ///
    /// If the vault cannot be listed or a renamed file cannot be read; [`EngineError::Stopped`] if cancelled.
    pub fn link_follower(
        &self,
        planned: &Overlay,
        bonds: &[Bond],
    ) -> Result<LinkFollower, EngineError> {
        let settings = LinkSettings::read(self)?;
        let indexed = IndexedVault(self).column::<LinkTexts>()?;
        let mut follower = LinkFollower {
            indexed,
            steps: Vec::new(),
            renames: None,
            stop: self.disk().cancellation().clone(),
        };
        if !settings.update {
            return Ok(follower);
        }
        let new = planned.files.iter().filter(|(path, file)| {
            let is_new = matches!(file, PlannedFile::Bytes(file) if file.origin.is_none());
            is_new && path.is_note() && !path.is_hidden() && !self.is_there(path)
        });
        let new = new.map(|(path, _)| path);
        let files: BTreeSet<&VaultPath> = follower.indexed.files.iter().chain(new).collect();
        follower.steps = self.followed_steps(planned, bonds, (&files, &settings));
        let files: Vec<VaultPath> = files.into_iter().cloned().collect();
        let moved = self.renamed(planned, &follower.indexed.files)?;
        follower.renames = (!moved.is_empty()).then(|| shift_of(&files, &settings, &moved));
        Ok(follower)
    }

    fn followed_steps(
        &self,
        planned: &Overlay,
        bonds: &[Bond],
        (files, settings): (&BTreeSet<&VaultPath>, &LinkSettings),
    ) -> Vec<FollowedStep> {
        let all = (0..).zip(bonds).flat_map(|(bond, one)| {
            let anchors = one.carried.iter().filter_map(|carried| match carried {
                Carried::Anchors(anchors) => Some(anchors),
                Carried::Lines { .. } => None,
            });
            anchors.map(move |anchors| (bond, anchors))
        });
        let all: Vec<_> = all.collect();
        // A file that is gone and was never in the vault was only planned.
        let is_unknown = |path: &VaultPath| match planned.files.get(path) {
            None => true,
            Some(PlannedFile::Gone) => !self.is_there(path),
            Some(PlannedFile::Bytes(_) | PlannedFile::From(_)) => false,
        };
        let passed = all.iter().filter_map(|(_, anchors)| {
            (anchors.from != anchors.to && is_unknown(&anchors.from)).then_some(&anchors.from)
        });
        let passed: BTreeSet<&VaultPath> = passed.collect();
        let mut reached = BTreeSet::new();
        let mut steps = Vec::new();
        for (at, (bond, anchors)) in all.iter().enumerate() {
            let is_other = |path: &VaultPath| passed.contains(path) && self.is_there(path);
            if !is_other(&anchors.from) && !is_other(&anchors.to) {
                let later = all.iter().skip(at).map(|(_, later)| &later.from);
                let between = later.filter(|path| {
                    reached.contains(*path) && is_unknown(path) && !self.is_there(path)
                });
                let files: BTreeSet<&VaultPath> = files.iter().copied().chain(between).collect();
                let files: Vec<VaultPath> = files.into_iter().cloned().collect();
                steps.push(FollowedStep {
                    shift: anchors.shift(&old_files(anchors, &files), settings.format),
                    removed: (anchors.kind == BondKind::Merged).then(|| anchors.from.clone()),
                    bond: *bond,
                });
            }
            reached.insert(&anchors.to);
        }
        steps
    }

    /// Returns the files of this vault that get another path.
    fn renamed(&self, planned: &Overlay, files: &[VaultPath]) -> Result<Vec<Moved>, EngineError> {
        let renames = planned.files.iter().filter_map(|(path, file)| match file {
            PlannedFile::Bytes(planned) => Some((planned.origin.as_ref()?, path)),
            PlannedFile::From(origin) => Some((origin, path)),
            PlannedFile::Gone => None,
        });
        let renames = renames.filter(|(from, to)| {
            from != to && !to.is_hidden() && files.binary_search(from).is_ok()
        });
        let moved = renames.map(|(from, to)| Moved::read(self, from.clone(), to.clone()));
        moved.collect()
    }

    /// Plans how the links in the files for which `is_meant` is true follow what was carried, but not the renames of
    /// files. Changes nothing. A note that was removed after it was listed, or cannot be read, has no change.
    ///
    /// # Errors
    ///
    /// [`EngineError::Stopped`] if cancelled.
    pub fn followed_links(
        &self,
        follower: &LinkFollower,
        is_meant: impl Fn(&VaultPath) -> bool,
    ) -> Result<Vec<Change>, EngineError> {
        let LinkFollower { indexed, stop, .. } = follower;
        let mut sources = BTreeSet::new();
        for step in &follower.steps {
            // A file that a later step changes because an earlier one did is a source of the earlier one.
            let found = affected::sources(&step.shift, &indexed.files, &indexed.column, stop)?;
            sources.extend(found.into_iter().filter(|source| is_meant(source)));
        }
        let changes = sources.into_par_iter().map(|source| {
            let Ok(before) = self.indexed_bytes(source) else {
                return Ok(None);
            };
            let after = follower.carried(source, &before)?;
            Ok(after.map(|after| Change::modify(source.clone(), before, after.bytes)))
        });
        let changes: Vec<Option<Change>> = changes.collect::<Result<_, EngineError>>()?;
        Ok(changes.into_iter().flatten().collect())
    }
}

impl LinkFollower {
    /// Returns a text that the file `source` of the vault has or had and that will be at the path `at`, after its links
    /// followed, also those to places of the file itself; `None` if nothing changes.
    ///
    /// # Errors
    ///
    /// [`EngineError::Stopped`] if cancelled.
    pub fn text(
        &self,
        (source, at): (&VaultPath, &VaultPath),
        text: &[u8],
    ) -> Result<Option<FollowedText>, EngineError> {
        let carried = self.carried(source, text)?;
        let renames = self.renames.as_ref();
        let Some(renames) = renames.filter(|_| affected::keeps_kind(source, at)) else {
            return Ok(carried);
        };
        let text = carried.as_ref().map_or(text, |carried| &carried.bytes);
        let rewriting = rewrite::rewritten(renames, (source, at), text, &self.stop)?;
        let Some(bytes) = rewriting.after else {
            return Ok(carried);
        };
        let bonds = carried.map(|carried| carried.bonds).unwrap_or_default();
        Ok(Some(FollowedText { bytes, bonds }))
    }

    /// As [`Self::text`], without the renames of files.
    fn carried(
        &self,
        source: &VaultPath,
        text: &[u8],
    ) -> Result<Option<FollowedText>, EngineError> {
        let mut followed: Option<FollowedText> = None;
        for step in &self.steps {
            if step.removed.as_ref() == Some(source) {
                continue;
            }
            let text = followed.as_ref().map_or(text, |followed| &followed.bytes);
            let rewriting = rewrite::rewritten(&step.shift, (source, source), text, &self.stop)?;
            if let Some(bytes) = rewriting.after {
                let mut bonds = followed.map(|followed| followed.bonds).unwrap_or_default();
                bonds.insert(step.bond);
                followed = Some(FollowedText { bytes, bonds });
            }
        }
        Ok(followed)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use vault_files::testing::parsed;
    use vault_files::vault::testing::{path, vault};

    use super::*;
    use crate::bonds_after;
    use crate::testing::surroundings;

    #[test]
    fn links_follow_all_that_was_planned_and_the_vault_is_listed_once() {
        let (_folder, vault) = vault(&[
            ("a.md", "# A\n\n## Part\n\ntext\n"),
            ("c.md", "# C\n"),
            ("p.md", "[[a#Part]]\n"),
            ("q.md", ""),
        ]);
        let (mut view, mut bonds) = (vault.clone(), Vec::new());
        for line in [
            "note:extract path=a.md heading=Part to=n.md",
            "note:merge path=n.md into=c.md",
            "heading:rename path=c.md heading=Part to=Section",
            "move path=c.md to=x/d.md",
        ] {
            let (command, arguments) = parsed(line);
            let plan = Editor(&view).plan(&command, &arguments, &surroundings());
            let edit = plan.unwrap();
            let file_at = |path: &VaultPath| vault.is_there(path).then(|| path.clone());
            bonds = bonds_after(bonds, &edit.changes, edit.bonds, file_at);
            view = Editor(&view).after(&edit.changes);
        }
        let reports = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&reports);
        let vault = vault.with_progress(Arc::new(move |_, _| {
            counted.fetch_add(1, Ordering::Relaxed);
        }));
        let editor = Editor(&vault);
        let follower = editor.link_follower(view.overlay().unwrap(), &bonds);
        let follower = follower.unwrap();
        let listed = reports.load(Ordering::Relaxed);
        assert!(listed > 0);
        let links = editor.followed_links(&follower, |source| *source == path("p.md"));
        let after = b"[[c#Section]]\n".to_vec();
        let before = b"[[a#Part]]\n".to_vec();
        assert_eq!(
            links.unwrap(),
            [Change::modify(path("p.md"), before, after)]
        );
        let text = |at: &str, text: &str| {
            let result = follower.text((&path("q.md"), &path(at)), text.as_bytes());
            let result = result.unwrap()?;
            Some((String::from_utf8(result.bytes).unwrap(), result.bonds.len()))
        };
        let found = ["[[a#Part]] [[c]]", "[c](c.md)", "[[p]]"].map(|link| text("q.md", link));
        assert_eq!(
            found,
            [
                Some(("[[d#Section]] [[d]]".to_owned(), 1)),
                Some(("[d](d.md)".to_owned(), 0)),
                None,
            ]
        );
        assert_eq!(reports.load(Ordering::Relaxed), listed);
    }
}
