//! The changes that an acceptance makes. They are worked out from states: the draft with only the chosen parts,
//! merged with the vault as it is now.
//!
//! The changes are links in other files that follow the text and headings of the bonds, also through a note that only
//! the draft had; renames by the plan of `move`, without the agent's limit, so that links in closed notes follow;
//! contents merged with what those moves rewrote; removals. In files of the draft, links of the base and of the
//! present content follow the bonds and the renames before both are merged with the draft. Files that exchange their
//! paths are moved in three steps, by a free name. If all renames of the draft are accepted, a note whose hunks are
//! all accepted gets the text that the agent saw; otherwise its links follow the accepted renames.

use std::collections::BTreeSet;
use std::io::Read as _;

use line_diff::{Merge, merge};
use vault_engine::{Change, Editor, IndexedVault, Overlay, PlannedFile, State, VaultPath, Version};

use super::Drafts;
use super::parts::{self, DIFF_TIME, DraftPart, WHOLE};
use allowlist::{Effect, EffectSet};
use backend::{PinnedVault, engine_failure};
use changes::Happening;
use protocol::{Code, Failure};
use store::drafts::{Draft, bytes_of, leaving, origin_of};

impl Drafts<'_> {
    /// Returns the changes that make the vault what this draft says. Its files are as they are in the folder. The text
    /// of the `exact` ones is as the draft has it; in others, links follow the renames.
    pub(super) fn changes_of(
        &self,
        draft: &Draft,
        exact: &BTreeSet<VaultPath>,
        vault: &PinnedVault,
    ) -> Result<Vec<Change>, Failure> {
        let mut plan = AcceptPlan {
            view: vault.clone(),
            steps: Vec::new(),
        };
        plan.follow_carried(draft)?;
        let Overlay { files, folders } = &draft.overlay;
        let leaving = leaving(&draft.overlay);
        for (folder, exists) in folders {
            if *exists {
                plan.make_folder(folder)?;
            }
        }
        let mut moves: Vec<(VaultPath, VaultPath)> = Vec::new();
        let (mut removals, mut trashed) = (Vec::new(), Vec::new());
        for (path, file) in files {
            let from = origin_of(path, file).filter(|from| *from != path).cloned();
            match (file, from) {
                (PlannedFile::Gone, _) if leaving.contains_key(path) => {}
                (PlannedFile::Gone, _) => removals.push(Change::Remove {
                    path: path.clone(),
                    version: version_of(draft, path)?,
                }),
                (_, Some(from)) if path.is_hidden() => trashed.push(Change::Move {
                    version: version_of(draft, &from)?,
                    from,
                    to: path.clone(),
                }),
                (_, Some(from)) => moves.push((from, path.clone())),
                (_, None) => {}
            }
        }
        // Before the moves and the new files, which may take their paths.
        for path in trashed.iter().flat_map(Change::paths) {
            plan.make_folder(&path.parent())?;
        }
        plan.add(removals);
        plan.add(trashed);
        plan.move_all(&moves)?;
        for (path, file) in files {
            let is_exact = exact.contains(path);
            match file {
                PlannedFile::Bytes(planned) => {
                    let base = planned.origin.as_ref();
                    let base = base.and_then(|from| draft.bases.get(from));
                    let base = base.and_then(|base| base.content.as_deref());
                    let bytes = bytes_of(&planned.content)?;
                    match (&planned.origin, base) {
                        (None, _) => plan.create(path, bytes)?,
                        (Some(_), _) if is_exact => plan.set(path, bytes.to_vec())?,
                        (Some(_), Some(base)) => plan.merge(path, bytes_of(base)?, bytes)?,
                        (Some(_), None) => return Err(without_base(path)),
                    }
                }
                // Only if the moves changed its links: the file may be too large to be read.
                PlannedFile::From(origin)
                    if is_exact
                        && matches!(
                            plan.view.engine.planned(path),
                            Some(PlannedFile::Bytes(_))
                        ) =>
                {
                    let text = vault.engine.read_bytes(origin).map_err(engine_failure)?;
                    plan.set(path, text)?;
                }
                _ => {}
            }
        }
        let steps = plan.steps.iter().map(Vec::as_slice);
        let mut changes = vault_engine::joined(steps).map_err(engine_failure)?;
        check_bases(draft, &changes)?;
        changes.extend(emptied(draft, &changes, vault)?);
        let write = EffectSet::from_iter([Effect::Write]);
        for change in &changes {
            // The plan also changes notes that are not in the draft: links in notes that are closed to the agent follow
            // what was moved or renamed. A direct change does so too, so the path rules are not asked. Nor are they
            // asked for the path that a file has while files exchange their paths.
            let is_folder = matches!(
                change,
                Change::MakeFolder { .. } | Change::RemoveFolder { .. }
            );
            let is_of_draft = |path: &&VaultPath| is_folder || files.contains_key(*path);
            for path in change.paths().filter(is_of_draft) {
                if !path.is_hidden() {
                    self.caller.policy.check_path(path, write)?;
                }
            }
        }
        Ok(changes)
    }
}

/// Checks that the changes start from what the draft was compared with. A person may have saved a note in between,
/// and what `apply` compares is only what was read last.
fn check_bases(draft: &Draft, changes: &[Change]) -> Result<(), Failure> {
    for change in changes {
        let (path, version) = match change {
            Change::Modify { path, before, .. } => (path, Version::from_bytes(before)),
            Change::Move { from, version, .. } => (from, *version),
            _ => continue,
        };
        let planned = draft.overlay.files.get(path);
        // A file that is changed and moved is changed at its new path.
        let origin = planned
            .filter(|_| matches!(change, Change::Modify { .. }))
            .and_then(|file| origin_of(path, file));
        let base = draft.bases.get(origin.unwrap_or(path));
        if base.is_some_and(|base| (base.size, base.sha256) != (version.size, version.sha256)) {
            return Err(Code::PreconditionFailed
                .failure(format!(
                    "`{path}` has changed in the vault during this review. Nothing was accepted."
                ))
                .hint("Review the draft again.")
                .with("path", path.as_str()));
        }
    }
    Ok(())
}

/// Leaves in the draft, which has these parts, only the chosen hunks.
///
/// # Errors
///
/// As [`parts::take_out`].
pub(super) fn select(
    draft: &mut Draft,
    parts: &[DraftPart],
    chosen: &[(DraftPart, BTreeSet<usize>)],
) -> Result<(), Failure> {
    let of = |part: &DraftPart| {
        let mut chosen = chosen.iter();
        let found = chosen.find(|(other, _)| other.place == part.place);
        found.map(|(_, hunks)| hunks.clone()).unwrap_or_default()
    };
    let left = parts.iter().filter_map(|part| {
        let left: BTreeSet<usize> = part.numbers().difference(&of(part)).copied().collect();
        (!left.is_empty()).then(|| (part.clone(), left))
    });
    let left: Vec<(DraftPart, BTreeSet<usize>)> = left.collect();
    parts::take_out(draft, &left)?;
    draft.forget_folders(|folder| !chosen.iter().any(|(part, _)| part.place == *folder));
    Ok(())
}

/// Returns the places of the chosen files whose text is accepted just as the draft has it. If a rename stays behind,
/// the links in them may have to be others.
pub(super) fn exact_places(
    parts: &[DraftPart],
    chosen: &[(DraftPart, BTreeSet<usize>)],
) -> BTreeSet<VaultPath> {
    let is_chosen = |part: &DraftPart| {
        let mut chosen = chosen.iter();
        chosen.any(|(other, hunks)| other.place == part.place && hunks.contains(&WHOLE))
    };
    let mut moves = parts.iter().filter(|part| part.change == Happening::Moved);
    if !moves.all(is_chosen) {
        return BTreeSet::new();
    }
    let whole = chosen
        .iter()
        .filter(|(part, hunks)| *hunks == part.numbers());
    whole.map(|(part, _)| part.place.clone()).collect()
}

/// The plan of an acceptance: a list of changes, each based on the result of the changes before it.
struct AcceptPlan {
    view: PinnedVault,
    steps: Vec<Vec<Change>>,
}

impl AcceptPlan {
    fn add(&mut self, changes: Vec<Change>) {
        self.view.engine = Editor(&self.view.engine.clone()).after(&changes);
        self.steps.push(changes);
    }

    /// Plans how links in files that are not in the draft follow the texts and headings that it moved or renamed: in
    /// notes that are closed to the agent, and in those that others changed since. On the vault as it is, because the
    /// draft remembers the files by their names there; only the notes of the draft are added.
    fn follow_carried(&mut self, draft: &Draft) -> Result<(), Failure> {
        if draft.bonds.is_empty() {
            return Ok(());
        }
        let files = &draft.overlay.files;
        let editor = Editor(&self.view.engine);
        let follower = editor.link_follower(&draft.overlay, &draft.bonds);
        let links = follower.and_then(|follower| {
            editor.followed_links(&follower, |source| !files.contains_key(source))
        });
        self.add(links.map_err(engine_failure)?);
        Ok(())
    }

    /// Plans a folder, and the missing folders above it.
    fn make_folder(&mut self, folder: &VaultPath) -> Result<(), Failure> {
        let count = folder.components().count();
        for length in 1..=count {
            let path = folder.beginning(length);
            let made =
                self.steps.iter().flatten().any(
                    |change| matches!(change, Change::MakeFolder { path: made } if *made == path),
                );
            let state = Editor(&self.view.engine)
                .state_at(&path)
                .map_err(engine_failure)?;
            if !made && state == State::Absent {
                self.add(vec![Change::MakeFolder { path }]);
            }
        }
        Ok(())
    }

    /// Plans moves of files like `move`, so that all links follow, also those in notes that are closed to the agent.
    fn move_all(&mut self, moves: &[(VaultPath, VaultPath)]) -> Result<(), Failure> {
        // The plan of no move would still list the vault.
        if moves.is_empty() {
            return Ok(());
        }
        for (_, to) in moves {
            self.make_folder(&to.parent())?;
        }
        let changes = Editor(&self.view.engine).plan_moves(moves);
        self.add(changes.map_err(engine_failure)?);
        Ok(())
    }

    /// Returns a file as the steps so far leave it. Files of the app may be hidden.
    fn read(&self, path: &VaultPath) -> Result<Vec<u8>, Failure> {
        let engine = &self.view.engine;
        if !path.is_hidden() {
            return engine.read_bytes(path).map_err(engine_failure);
        }
        let planned = engine.overlay().and_then(|overlay| overlay.files.get(path));
        let place = match planned {
            Some(PlannedFile::Bytes(planned)) => {
                return bytes_of(&planned.content).map(<[u8]>::to_vec);
            }
            Some(PlannedFile::From(origin)) => origin,
            _ => path,
        };
        let mut bytes = Vec::new();
        let folder = engine.as_in_the_folder();
        let mut file = Editor(&folder).file_at(place).map_err(engine_failure)?;
        file.read_to_end(&mut bytes).map_err(|source| {
            let message = format!("`{path}` cannot be read ({}).", source.kind());
            Code::IoError.failure(message)
        })?;
        Ok(bytes)
    }

    fn create(&mut self, path: &VaultPath, text: &[u8]) -> Result<(), Failure> {
        self.make_folder(&path.parent())?;
        self.add(vec![Change::Create {
            path: path.clone(),
            after: text.to_vec(),
        }]);
        Ok(())
    }

    /// Gives a file its accepted content. The links that the moves changed in it stay changed.
    fn merge(&mut self, path: &VaultPath, base: &[u8], wanted: &[u8]) -> Result<(), Failure> {
        let before = self.read(path)?;
        let text = |bytes| std::str::from_utf8(bytes).ok();
        let texts = text(base).zip(text(wanted)).zip(text(&before));
        let after = match texts {
            Some(((base, wanted), before)) => match merge(base, wanted, before, DIFF_TIME) {
                Merge::Clean(merged) => merged.into_bytes(),
                // Only the moves changed the note since its base, and the agent saw their links.
                Merge::Conflict(_) => wanted.as_bytes().to_vec(),
            },
            None => wanted.to_vec(),
        };
        self.set(path, after)
    }

    /// Plans this content for a file.
    fn set(&mut self, path: &VaultPath, after: Vec<u8>) -> Result<(), Failure> {
        let before = self.read(path)?;
        if after != before {
            self.add(vec![Change::Modify {
                path: path.clone(),
                before,
                after,
            }]);
        }
        Ok(())
    }
}

/// Returns the folders that the draft removes and that are empty then.
fn emptied(draft: &Draft, changes: &[Change], vault: &PinnedVault) -> Result<Vec<Change>, Failure> {
    let view = Editor(&vault.engine.clone()).after_at(changes, 0);
    let folders = draft.overlay.folders.iter().rev();
    let mut removed = Vec::new();
    for (path, _) in folders.filter(|(_, exists)| !**exists) {
        let left = IndexedVault(&view)
            .names_below(path)
            .map_err(engine_failure)?;
        let is_kept = |folder: &VaultPath| {
            !removed
                .iter()
                .any(|gone| matches!(gone, Change::RemoveFolder { path } if path == folder))
        };
        if left.files.is_empty() && !left.folders.iter().any(is_kept) {
            removed.push(Change::RemoveFolder { path: path.clone() });
        }
    }
    Ok(removed)
}

/// The content that a file must have to be moved or removed.
fn version_of(draft: &Draft, path: &VaultPath) -> Result<Version, Failure> {
    let base = draft.bases.get(path).ok_or_else(|| without_base(path))?;
    Ok(Version {
        size: base.size,
        sha256: base.sha256,
    })
}

fn without_base(path: &VaultPath) -> Failure {
    Code::DraftConflict.failure(format!(
        "`{path}` cannot be accepted: the file is too large to compare with the vault. Nothing was \
        changed. Reject the change, or edit the note yourself."
    ))
    .with("path", path.as_str())
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use store::drafts::Base;

    #[test]
    fn h24_what_was_saved_since_the_comparison_is_not_overwritten() {
        let path = |text: &str| VaultPath::file(text).unwrap();
        let mut draft = Draft::new(None, Timestamp::UNIX_EPOCH);
        let (old, new) = (path("old.md"), path("new.md"));
        let from = PlannedFile::From(old.clone());
        draft.overlay.files.insert(new.clone(), from);
        draft.overlay.files.insert(old.clone(), PlannedFile::Gone);
        draft
            .bases
            .insert(old.clone(), Base::from_bytes(b"seen".to_vec(), None));
        let changes = |text: &str| {
            [
                Change::Move {
                    from: old.clone(),
                    to: new.clone(),
                    version: Version::from_bytes(text.as_bytes()),
                },
                Change::Modify {
                    path: new.clone(),
                    before: text.as_bytes().to_vec(),
                    after: b"accepted".to_vec(),
                },
            ]
        };
        for kind in 0..2 {
            let of = |text| changes(text)[kind..=kind].to_vec();
            assert!(check_bases(&draft, &of("seen")).is_ok());
            let saved = check_bases(&draft, &of("saved since"));
            assert_eq!(saved.unwrap_err().code, Code::PreconditionFailed);
        }
    }
}
