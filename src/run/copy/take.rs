//! What the program did, as changes of the vault, and how they are recorded.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use line_diff::{Merge, merge};
use vault_engine::{Change, EngineError, PlannedFile, VaultPath, Version};

use super::known::{Hash, KnownFile};
use super::look::{Looked, Sides};
use super::steps::Fate;
use super::{Synced, WorkingCopy};
use crate::backend::engine_failure;
use crate::code::Code;
use crate::failure::Failure;
use crate::gateway::{FileChange, Gateway, Written};

/// The most time for the merge of one file.
const MERGE_TIME: Duration = Duration::from_secs(2);

/// How often at most what cannot be recorded together is halved, in one sync.
const MOST_FAILED: usize = 64;

impl WorkingCopy {
    /// What the program did, in an order in which it can be done again.
    pub(super) fn written(
        &mut self,
        sides: &Sides,
        looked: &BTreeMap<VaultPath, Looked>,
    ) -> Vec<Written> {
        let mut written = Vec::new();
        let new_folders = sides.theirs.folders.difference(&sides.ours.folders);
        for path in new_folders.filter(|path| !self.known.folders.contains(*path)) {
            written.push(one(path, Change::MakeFolder { path: path.clone() }));
        }
        let taken = |kind: fn(&Looked) -> bool| {
            let is_taken = move |looked: &&Looked| looked.fate == Fate::Take && kind(looked);
            looked.iter().filter(move |(_, looked)| is_taken(looked)).map(|(path, _)| path)
        };
        let mut gone: BTreeSet<&VaultPath> = taken(|looked| looked.theirs.is_none()).collect();
        for path in taken(|looked| looked.theirs.is_some()) {
            let changes = match looked.get(path).map(|looked| looked.ours) {
                Some(Some(_)) => Self::modified(sides, path, path),
                _ => match self.moved_from(sides, looked, path, &gone) {
                    Some(from) => {
                        gone.remove(&from);
                        let moved = Self::moved(sides, &from, path);
                        if moved.is_err() {
                            self.held.insert(from, path.clone());
                        }
                        moved
                    }
                    None => sides
                        .copy
                        .read_bytes(path)
                        .map(|after| vec![Change::Create { path: path.clone(), after }]),
                },
            };
            self.add(&mut written, sides, path, changes);
        }
        for (path, _) in looked.iter().filter(|(_, one)| one.fate == Fate::Conflict) {
            match self.merged(sides, path) {
                Ok(merged) => written.push(merged),
                Err(error) => self.refuse(sides, path, engine_failure(error)),
            }
        }
        for path in gone {
            if let Some(Hash(version)) = self.known.files.get(path).map(|known| known.content) {
                let path = path.clone();
                written.push(one(&path.clone(), Change::Remove { path, version }));
            }
        }
        let removed = self.known.folders.iter().rev();
        for path in removed.filter(|path| {
            sides.ours.folders.contains(*path) && !sides.theirs.folders.contains(*path)
        }) {
            let stays = |file: &VaultPath| {
                let is_gone = |one: &Looked| one.fate == Fate::Take && one.theirs.is_none();
                file.is_below(path) && !looked.get(file).is_some_and(is_gone)
            };
            if !sides.ours.files.keys().any(stays) {
                written.push(one(path, Change::RemoveFolder { path: path.clone() }));
            }
        }
        written
    }

    fn add(
        &mut self,
        written: &mut Vec<Written>,
        sides: &Sides,
        path: &VaultPath,
        changes: Result<Vec<Change>, EngineError>,
    ) {
        match changes {
            Ok(changes) => {
                written.push(Written { path: path.clone(), changes, started_from: None });
            }
            Err(error) => self.refuse(sides, path, engine_failure(error)),
        }
    }

    fn refuse(&mut self, sides: &Sides, path: &VaultPath, failure: Failure) {
        let stamp = sides.theirs.files.get(path).copied();
        self.refused.insert(path.clone(), (stamp, failure));
    }

    /// Remembers that the old path of a renamed file is not removed while its new one is not taken over.
    fn hold(&mut self, refused: &Written) {
        for change in &refused.changes {
            if let Change::Move { from, to, .. } = change {
                self.held.insert(from.clone(), to.clone());
            }
        }
    }

    /// The old path of a file that is new at this one: the same file, or the same content.
    fn moved_from(
        &self,
        sides: &Sides,
        looked: &BTreeMap<VaultPath, Looked>,
        path: &VaultPath,
        gone: &BTreeSet<&VaultPath>,
    ) -> Option<VaultPath> {
        let file = sides.theirs.files.get(path)?;
        let content = looked.get(path)?.theirs?;
        let known = |path: &VaultPath| self.known.files.get(path);
        let is_same = |from: &&&VaultPath| {
            let stamp = known(from).and_then(|known| known.theirs);
            stamp.is_some_and(|stamp| stamp.is_same(*file))
        };
        let is_alike = |from: &&&VaultPath| {
            content.0.size > 0 && known(from).is_some_and(|known| known.content == content)
        };
        let from = gone.iter().find(is_same);
        let from = from.or_else(|| gone.iter().find(is_alike));
        from.map(|from| (*from).clone())
    }

    fn moved(sides: &Sides, from: &VaultPath, to: &VaultPath) -> Result<Vec<Change>, EngineError> {
        let version = sides.seen.planned_version(from)?;
        let mut changes = vec![Change::Move { from: from.clone(), to: to.clone(), version }];
        if sides.copy.planned_version(to)? != version {
            changes.extend(Self::modified(sides, from, to)?);
        }
        Ok(changes)
    }

    /// The change of a file that had the path `from`.
    fn modified(
        sides: &Sides,
        from: &VaultPath,
        path: &VaultPath,
    ) -> Result<Vec<Change>, EngineError> {
        Ok(vec![Change::Modify {
            path: path.clone(),
            before: sides.seen.read_bytes(from)?,
            after: sides.copy.read_bytes(path)?,
        }])
    }

    /// The change of a file that both sides changed.
    fn merged(&self, sides: &Sides, path: &VaultPath) -> Result<Written, EngineError> {
        let before = sides.seen.read_bytes(path)?;
        let after = sides.copy.read_bytes(path)?;
        let common = self.known.files.get(path);
        let common = common.map_or_else(|| Version::from_bytes(b""), |known| known.content.0);
        let planned = match self.planned.files.get(path) {
            Some(PlannedFile::Bytes(planned)) => Some(&planned.bytes),
            _ => None,
        };
        let base = planned.filter(|bytes| Version::from_bytes(bytes) == common);
        let text = |bytes| std::str::from_utf8(bytes).ok();
        let texts = base.and_then(|base| Some((text(base)?, text(&after)?, text(&before)?)));
        let merged = texts.map(|(base, after, before)| merge(base, after, before, MERGE_TIME));
        let (after, started_from) = match merged {
            Some(Merge::Clean(text)) => (text.into_bytes(), None),
            Some(Merge::Conflict(_)) | None => (after, Some(common)),
        };
        let path = path.clone();
        Ok(Written {
            path: path.clone(),
            changes: vec![Change::Modify { path, before, after }],
            started_from,
        })
    }

    /// Records what the program did. What failed is tried again at the next sync.
    pub(super) fn take_over(
        &mut self,
        gateway: &Gateway,
        written: &[Written],
        sides: &Sides,
        looked: &BTreeMap<VaultPath, Looked>,
        synced: &mut Synced,
    ) {
        let (answered, refused) = gateway.record_written(written);
        let envelope = answered.envelope;
        if let Some(error) = envelope.error {
            match written {
                // It is tried again when the program changes it, or in the next run.
                [one] if !error.code.is_retryable() => {
                    let failure = error.code.failure(error.message);
                    self.refuse(sides, &one.path, failure);
                    self.hold(one);
                }
                // One that cannot be recorded must not hold up the others, nor many at once be too much.
                [_, _, ..] if error.code != Code::LockTimeout && synced.failed < MOST_FAILED => {
                    synced.failed += 1;
                    let (first, second) = written.split_at(written.len() / 2);
                    self.take_over(gateway, first, sides, looked, synced);
                    self.take_over(gateway, second, sides, looked, synced);
                }
                _ => synced.trouble = Some(error.message),
            }
            return;
        }
        let mut not_taken: HashMap<&VaultPath, &Failure> = HashMap::new();
        for (path, failure) in &refused {
            not_taken.insert(path, failure);
            for one in written.iter().filter(|one| one.path == *path) {
                self.hold(one);
            }
            if failure.code == Code::PreconditionFailed {
                synced.waits = true;
            } else {
                self.refuse(sides, path, failure.clone());
            }
        }
        synced.taken.extend(envelope.meta.changes.iter().map(FileChange::line));
        for file in written.iter().filter(|file| !not_taken.contains_key(&file.path)) {
            self.refused.remove(&file.path);
            for change in &file.changes {
                match change {
                    Change::Move { from: path, .. } | Change::Remove { path, .. } => {
                        self.known.files.remove(path);
                    }
                    Change::MakeFolder { path } => {
                        self.known.folders.insert(path.clone());
                    }
                    Change::RemoveFolder { path } => {
                        self.known.folders.remove(path);
                    }
                    Change::Create { .. } | Change::Modify { .. } => {}
                }
            }
            let theirs = looked.get(&file.path).and_then(|looked| looked.theirs);
            let content = file.changes.iter().rev().find_map(|change| match change {
                Change::Modify { after, .. } if file.started_from.is_none() => {
                    // Of two that were merged, the copy still has its own.
                    theirs.or_else(|| Some(Hash(Version::from_bytes(after))))
                }
                Change::Create { after, .. } | Change::Modify { after, .. } => {
                    Some(Hash(Version::from_bytes(after)))
                }
                Change::Move { version, .. } => Some(Hash(*version)),
                _ => None,
            });
            if let Some(content) = content {
                let known = KnownFile { content, theirs: None, ours: None };
                self.known.files.insert(file.path.clone(), known);
            }
        }
    }
}

/// One change of one file or folder.
fn one(path: &VaultPath, change: Change) -> Written {
    Written { path: path.clone(), changes: vec![change], started_from: None }
}
