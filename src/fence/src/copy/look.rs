//! Finds the changes of each side since both were equal, and files that must wait.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::os::unix::fs::{DirEntryExt as _, MetadataExt as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use vault_engine::{Editor, MAX_WHOLE_BYTES, Vault, VaultPath};

use super::files::{Stamp, Tree, may_be_there, open_to_owner};
use super::steps::{Content, Fate, fate_of};
use super::{Synced, WorkingCopy};
use crate::error::Error;
use backend::engine_failure;
use gateway::Gateway;
use protocol::Failure;

/// Time that a file must be unchanged before it is taken over while the program runs: many programs write a file in
/// several steps.
const AT_REST: Duration = Duration::from_millis(150);

/// Maximum number of rounds in which closed folders of the copy are opened in one sync.
const MOST_DEEP: usize = 16;

/// The files of both sides now.
pub(super) struct Sides {
    pub(super) seen: Vault,
    pub(super) copy: Vault,
    pub(super) ours: Tree,
    pub(super) theirs: Tree,
}

/// One file that changed on a side.
pub(super) struct Looked {
    pub(super) fate: Fate,
    pub(super) theirs: Content,
    pub(super) ours: Content,
}

/// Reads the copy. Folders without permissions, which could not be listed, are opened first, one depth in each round. The
/// number of rounds is limited, because the program may keep closing them.
fn read_copy(root: &Path) -> Result<(Vault, Tree), Failure> {
    open_to_owner(root, &VaultPath::root());
    let copy = Vault::open(root).map_err(engine_failure)?;
    let mut theirs = Tree::read(&copy).map_err(engine_failure)?;
    for _ in 0..MOST_DEEP {
        let closed = theirs.folders.iter();
        if closed.filter(|path| open_to_owner(root, path)).count() == 0 {
            break;
        }
        theirs = Tree::read(&copy).map_err(engine_failure)?;
    }
    Ok((copy, theirs))
}

impl WorkingCopy {
    /// Returns the files of the copy that differ from the agent's view of the vault, because the program changed them.
    ///
    /// # Errors
    ///
    /// If the vault or the copy cannot be read.
    pub fn waiting(&mut self, gateway: &Gateway) -> Result<Vec<VaultPath>, Failure> {
        let sides = self.sides(gateway)?;
        let looked = self.look(&sides, false, &mut Synced::default());
        Ok(self.waiting_in(&looked, &sides.theirs))
    }

    fn waiting_in(&self, looked: &BTreeMap<VaultPath, Looked>, theirs: &Tree) -> Vec<VaultPath> {
        let waits = |one: &Looked| matches!(one.fate, Fate::Take | Fate::Conflict);
        let waiting = looked.iter().filter(|(_, one)| waits(one));
        let mut waiting: BTreeSet<VaultPath> = waiting.map(|(path, _)| path.clone()).collect();
        waiting.extend(self.refused.keys().cloned());
        waiting.extend(self.twins(theirs));
        waiting.into_iter().collect()
    }

    /// Adds files that wait after the last attempt to the files that were not taken over.
    ///
    /// # Errors
    ///
    /// If the vault or the copy cannot be read.
    pub fn name_waiting(&mut self, gateway: &Gateway) -> Result<(), Failure> {
        let waiting = match self.latest.take() {
            Some((looked, theirs)) => self.waiting_in(&looked, &theirs),
            None => self.waiting(gateway)?,
        };
        for path in waiting {
            let failure = Error::Waiting.into();
            self.refused.entry(path).or_insert((None, failure));
        }
        Ok(())
    }

    /// Returns files whose names differ only in bytes or in the spelling of a letter from the name of another file.
    fn twins(&self, theirs: &Tree) -> Vec<VaultPath> {
        let root = self.root();
        let mut twins = Vec::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            let entries = fs_err::read_dir(folder).into_iter().flatten().flatten();
            for entry in entries {
                let path = entry.path();
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                if kind.is_dir() {
                    folders.push(path);
                    continue;
                }
                let path = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy();
                let listed = VaultPath::file(&path).ok().filter(|path| !path.is_hidden());
                let listed = listed.and_then(|path| Some((theirs.files.get(&path)?.file, path)));
                // The number in a list is another one on some file systems.
                if let Some((file, path)) = listed
                    && kind.is_file()
                    && file != entry.ino()
                    && fs_err::symlink_metadata(entry.path()).is_ok_and(|it| it.ino() != file)
                {
                    twins.push(path);
                }
            }
        }
        twins
    }

    pub(super) fn sides(&mut self, gateway: &Gateway) -> Result<Sides, Failure> {
        let known = self.seen.take().filter(|_| self.is_vault_same);
        self.is_vault_same = false;
        let seen = || {
            if let Some(known) = known {
                return Ok::<_, Failure>(known);
            }
            let seen = gateway.seen_vault()?;
            let ours = Tree::read(&seen).map_err(engine_failure)?;
            Ok((seen, ours))
        };
        let root = self.root();
        let (ours, theirs) = std::thread::scope(|scope| {
            let theirs = scope.spawn(|| read_copy(&root));
            (seen(), theirs.join())
        });
        let (seen, ours) = ours?;
        let (copy, theirs) = theirs.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok(Sides {
            seen,
            copy,
            ours,
            theirs,
        })
    }

    /// Returns the files that one side changed since both were alike.
    pub(super) fn look(
        &mut self,
        sides: &Sides,
        is_running: bool,
        synced: &mut Synced,
    ) -> BTreeMap<VaultPath, Looked> {
        let root = self.root();
        let (ours, theirs) = (&sides.ours.files, &sides.theirs.files);
        let known = self.known.files.keys();
        let paths: BTreeSet<&VaultPath> = known.chain(ours.keys()).chain(theirs.keys()).collect();
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now = now.unwrap_or_default();
        let lengths: BTreeSet<u64> = self
            .known
            .files
            .values()
            .map(|known| known.content.size)
            .chain(ours.values().map(|stamp| stamp.size))
            .collect();
        // Reading a huge sparse file would take forever, and it can neither be taken over nor be equal to the vault's
        // file.
        let is_too_large =
            |stamp: Stamp| stamp.size > MAX_WHOLE_BYTES && !lengths.contains(&stamp.size);
        let mut looked = BTreeMap::new();
        let mut is_one_new = false;
        for path in paths {
            let (ours, theirs) = (ours.get(path).copied(), theirs.get(path).copied());
            let was_missing = |refused: &(Option<Stamp>, Failure)| refused.0.is_none();
            if theirs.is_some() && self.refused.get(path).is_some_and(was_missing) {
                self.refused.remove(path);
            }
            let is_gone = theirs.is_none() && self.known.leaving.contains(path);
            let known = self.known.files.get(path).filter(|_| !is_gone);
            let stamps = known.map(|known| (known.theirs, known.ours));
            if stamps == Some((theirs, ours)) && theirs.is_some() && ours.is_some() {
                continue;
            }
            let is_fresh = theirs.is_some_and(|stamp| !stamp.is_older(now, AT_REST));
            if is_running && is_fresh && stamps.is_none_or(|(known, _)| known != theirs) {
                synced.waits = true;
                let known = known.and_then(|known| known.theirs);
                is_one_new |= !known
                    .zip(theirs)
                    .is_some_and(|(known, now)| known.is_same(now));
                continue;
            }
            if theirs.is_none() && known.is_some() {
                let is_present = self.pending_renames.get(path).is_some_and(|to| {
                    let now = sides.theirs.files.get(to);
                    now.is_some()
                        && self.refused.get(to).map(|(stamp, _)| stamp.as_ref()) == Some(now)
                });
                if is_present {
                    continue;
                }
                self.pending_renames.remove(path);
                if may_be_there(&root, path) {
                    synced.waits = true;
                    continue;
                }
            }
            let refused = self.refused.get(path);
            if refused.is_some_and(|(stamp, _)| *stamp == theirs) {
                continue;
            }
            if theirs.is_some_and(is_too_large)
                && let Err(error) = sides.copy.read_bytes(path)
            {
                let refused = (theirs, engine_failure(error));
                self.refused.insert(path.clone(), refused);
                continue;
            }
            let common = known.map(|known| known.content);
            let content = |vault: &Vault, stamp: Option<Stamp>, known_stamp: Option<Stamp>| match (
                stamp, common,
            ) {
                (None, _) => Ok(None),
                (Some(stamp), Some(common)) if known_stamp == Some(stamp) => Ok(Some(common)),
                (Some(_), _) => Editor(vault).planned_version(path).map(Some),
            };
            let (known_theirs, known_ours) = stamps.unwrap_or_default();
            let stamp = theirs;
            let theirs = content(&sides.copy, theirs, known_theirs);
            let ours = content(&sides.seen, ours, known_ours);
            match (theirs, ours) {
                (Ok(theirs), Ok(ours)) => {
                    let fate = fate_of(common, theirs, ours);
                    looked.insert(path.clone(), Looked { fate, theirs, ours });
                }
                // The program has ended and no longer changes the file, so the error is permanent.
                (Err(error), _) if !is_running => {
                    let refused = (stamp, engine_failure(error));
                    self.refused.insert(path.clone(), refused);
                }
                // It was replaced or removed in this moment.
                _ => synced.waits = true,
            }
        }
        self.hold_renamed(&sides.theirs, &mut looked);
        if is_one_new {
            // A missing file may be a new one: a file that was renamed, or many with their folder.
            let is_known = |path: &VaultPath| self.known.files.contains_key(path);
            looked.retain(|path, one| {
                one.fate != Fate::Take || one.theirs.is_some() && is_known(path)
            });
        }
        looked
    }
    /// Keeps a missing file from being taken over as removed if the same file has another name now, under which it
    /// could not be read or recorded.
    fn hold_renamed(&mut self, theirs: &Tree, looked: &mut BTreeMap<VaultPath, Looked>) {
        let known = &self.known.files;
        let is_gone = |one: &Looked| one.fate == Fate::Take && one.theirs.is_none();
        if !looked.values().any(is_gone) {
            return;
        }
        let last = |path: &VaultPath| known.get(path).and_then(|known| known.theirs);
        let unread = theirs
            .files
            .iter()
            .filter(|(path, stamp)| !looked.contains_key(*path) && last(path) != Some(**stamp));
        let unread: HashMap<_, &VaultPath> = unread
            .map(|(path, stamp)| (stamp.identity(), path))
            .collect();
        let present = &mut self.pending_renames;
        looked.retain(|path, one| {
            let gone = last(path).filter(|_| is_gone(one));
            let to = gone.and_then(|gone| unread.get(&gone.identity()));
            if let Some(to) = to {
                present.insert(path.clone(), (*to).clone());
            }
            to.is_none()
        });
    }
}
