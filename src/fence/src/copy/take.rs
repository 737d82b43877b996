//! Converts the changes of the program to changes of the vault, and records them.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::time::Duration;

use line_diff::{Merge, merge};
use serde_json::Map;
use vault_engine::{Change, Editor, EngineError, PlannedFile, Vault, VaultPath, Version};

use super::known::KnownFile;
use super::look::{Looked, Sides};
use super::steps::Fate;
use super::sync::MOST_AT_ONCE;
use super::{RunStart, Synced, TakenChange, WorkingCopy};
use crate::error::Error;
use backend::engine_failure;
use gateway::{Gateway, Written};
use protocol::{Code, Failure};

/// The maximum time for the merge of one file.
const MERGE_TIME: Duration = Duration::from_secs(2);

/// Maximum number of times that changes that cannot be recorded together are halved, in one sync.
const MOST_FAILED: usize = 64;

/// The files that are no longer at their paths, with which files at new paths are matched.
struct Gone {
    paths: BTreeSet<VaultPath>,
    by_file: HashMap<(u64, u128), VaultPath>,
    /// The paths of the files by content, in the order of their paths.
    by_content: HashMap<[u8; 32], VecDeque<VaultPath>>,
}

impl Gone {
    fn new<'paths>(copy: &WorkingCopy, paths: impl Iterator<Item = &'paths VaultPath>) -> Self {
        let paths: BTreeSet<VaultPath> = paths.cloned().collect();
        let (mut by_file, mut by_content) = (HashMap::new(), HashMap::new());
        for path in &paths {
            let Some(KnownFile {
                content: version,
                theirs,
                ..
            }) = copy.known.files.get(path)
            else {
                continue;
            };
            if let Some(stamp) = theirs {
                by_file
                    .entry(stamp.identity())
                    .or_insert_with(|| path.clone());
            }
            if version.size > 0 {
                let alike: &mut VecDeque<VaultPath> = by_content.entry(version.sha256).or_default();
                alike.push_back(path.clone());
            }
        }
        Self {
            paths,
            by_file,
            by_content,
        }
    }

    /// Returns the first file with this content that is still gone.
    fn with_content(&mut self, version: Version) -> Option<VaultPath> {
        let alike = self.by_content.get_mut(&version.sha256)?;
        while alike.front().is_some_and(|path| !self.paths.contains(path)) {
            alike.pop_front();
        }
        alike.front().cloned()
    }
}

impl Synced {
    /// Whether a limit refuses changes that are not taken over yet.
    pub(super) fn is_full(&self) -> bool {
        self.trouble
            .as_ref()
            .is_some_and(|trouble| trouble.code == Code::DraftFull)
    }
}

impl WorkingCopy {
    /// Returns the changes of the program, in an order in which they can be repeated.
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
            looked
                .iter()
                .filter(move |(_, looked)| is_taken(looked))
                .map(|(path, _)| path)
        };
        let mut gone = Gone::new(self, taken(|looked| looked.theirs.is_none()));
        let removed = sides.seen.overlay().map(|draft| &draft.folders);
        let is_folder = |path: &VaultPath| {
            let is_removed = removed.and_then(|folders| folders.get(path)) == Some(&false);
            is_removed || sides.ours.folders.contains(path)
        };
        for path in taken(|looked| looked.theirs.is_some()) {
            if is_folder(path) {
                self.refuse(sides, path, Error::FolderThere(path.clone()).into());
                continue;
            }
            let changes = match looked.get(path).map(|looked| looked.ours) {
                Some(Some(_)) => Self::modified(sides, path, path),
                _ => match Self::moved_from(sides, looked, path, &mut gone) {
                    Some(from) => {
                        let moved = Self::moved(sides, &from, path);
                        if moved.is_err() {
                            self.pending_renames.insert(from, path.clone());
                        }
                        moved
                    }
                    None => sides.copy.read_bytes(path).map(|after| {
                        vec![Change::Create {
                            path: path.clone(),
                            after,
                        }]
                    }),
                },
            };
            self.add(&mut written, sides, path, changes);
        }
        for (path, _) in looked.iter().filter(|(_, one)| one.fate == Fate::Conflict) {
            match self.merged(sides, path) {
                Ok(merged) => written.push(merged),
                Err(failure) => self.refuse(sides, path, failure),
            }
        }
        for path in gone.paths {
            if let Some(version) = self.known.files.get(&path).map(|known| known.content) {
                written.push(one(&path.clone(), Change::Remove { path, version }));
            }
        }
        let removed = self.known.folders.iter().rev();
        for path in removed.filter(|path| {
            sides.ours.folders.contains(*path)
                && !sides.theirs.folders.contains(*path)
                && !self.known.leaving.contains(*path)
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
                written.push(Written {
                    path: path.clone(),
                    changes,
                    started_from: None,
                });
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
                self.pending_renames.insert(from.clone(), to.clone());
            }
        }
    }

    /// Returns the old path of a file that is new at this one: the same file, or the same content. It is gone no
    /// longer.
    fn moved_from(
        sides: &Sides,
        looked: &BTreeMap<VaultPath, Looked>,
        path: &VaultPath,
        gone: &mut Gone,
    ) -> Option<VaultPath> {
        let file = sides.theirs.files.get(path)?;
        let content = looked.get(path)?.theirs?;
        let same = gone.by_file.get(&file.identity()).cloned();
        let same = same.filter(|from| gone.paths.contains(from));
        let from = same.or_else(|| gone.with_content(content))?;
        gone.paths.remove(&from);
        Some(from)
    }

    fn moved(sides: &Sides, from: &VaultPath, to: &VaultPath) -> Result<Vec<Change>, EngineError> {
        let version = Editor(&sides.seen).planned_version(from)?;
        let mut changes = vec![Change::Move {
            from: from.clone(),
            to: to.clone(),
            version,
        }];
        if Editor(&sides.copy).planned_version(to)? != version {
            changes.extend(Self::modified(sides, from, to)?);
        }
        Ok(changes)
    }

    /// Returns the change of a file that had the path `from`.
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

    /// Returns the change of a file that both sides changed.
    ///
    /// # Errors
    ///
    /// `DRAFT_CONFLICT` if the draft has another change of the same lines, which would be lost.
    fn merged(&self, sides: &Sides, path: &VaultPath) -> Result<Written, Failure> {
        let before = sides.seen.read_bytes(path).map_err(engine_failure)?;
        let after = sides.copy.read_bytes(path).map_err(engine_failure)?;
        let common = self.known.files.get(path).map(|known| known.content);
        let base = match self.planned.files.get(path) {
            Some(PlannedFile::Bytes(planned)) => planned.content.bytes().ok().map(<[u8]>::to_vec),
            _ => sides.seen.as_in_the_folder().read_bytes(path).ok(),
        };
        let base = base.filter(|base| Some(Version::from_bytes(base)) == common);
        let text = |bytes| std::str::from_utf8(bytes).ok();
        let texts = base
            .as_deref()
            .and_then(|base| Some((text(base)?, text(&after)?, text(&before)?)));
        let merged = texts.map(|(base, after, before)| merge(base, after, before, MERGE_TIME));
        let is_drafted = sides
            .seen
            .overlay()
            .is_some_and(|draft| draft.files.contains_key(path));
        let (after, started_from) = match merged {
            Some(Merge::Clean(text)) => (text.into_bytes(), None),
            _ if is_drafted => return Err(Error::OtherDraft.into()),
            _ => (after, Some(base.unwrap_or_default())),
        };
        let path = path.clone();
        Ok(Written {
            path: path.clone(),
            changes: vec![Change::Modify {
                path,
                before,
                after,
            }],
            started_from,
        })
    }

    /// Resets the files of which only an earlier version was taken over: it may be half of what the program was writing.
    /// Returns their paths, and whether they were reset. If changes are left, all files that wait count, not only the
    /// refused ones.
    ///
    /// # Errors
    ///
    /// If the vault or the copy cannot be read.
    pub fn reset_earlier(
        &mut self,
        gateway: &Gateway,
        has_left: bool,
    ) -> Result<BTreeMap<VaultPath, bool>, Failure> {
        let Some(begun) = self.begun.take() else {
            return Ok(BTreeMap::new());
        };
        let mut waiting: BTreeSet<VaultPath> = self.refused.keys().cloned().collect();
        if has_left && !self.is_stopped() {
            waiting.extend(self.waiting(gateway)?);
        }
        let pending = self.pending_renames.iter();
        let pending = pending.filter(|(_, to)| waiting.contains(to));
        let sources: Vec<VaultPath> = pending.map(|(from, _)| from.clone()).collect();
        waiting.extend(sources);
        waiting.retain(|path| begun.files.contains_key(path));
        if waiting.is_empty() {
            return Ok(BTreeMap::new());
        }
        let sides = self.sides(gateway)?;
        let version = |vault: &Vault, path: &VaultPath| Editor(vault).planned_version(path).ok();
        let (mut earlier, mut written) = (BTreeMap::new(), Vec::new());
        for path in waiting {
            // The copy and the vault have the same version. So it is with the first of two files whose names differ only
            // in case: only the second one was refused.
            if version(&sides.copy, &path) == version(&sides.seen, &path) {
                continue;
            }
            match begun.reset(&sides, &path) {
                Ok(None) => continue,
                Ok(Some(change)) => written.push(one(&path, change)),
                Err(_) => {}
            }
            earlier.insert(path, false);
        }
        let (refused, mut synced) = (std::mem::take(&mut self.refused), Synced::default());
        for part in written.chunks(MOST_AT_ONCE) {
            self.take_over(gateway, part, &sides, &BTreeMap::new(), &mut synced);
        }
        self.refused = refused;
        for change in synced.taken {
            let path = VaultPath::file(&change.path).ok();
            if let Some(is_reset) = path.and_then(|path| earlier.get_mut(&path)) {
                *is_reset = true;
            }
        }
        self.known.write(&self.private)?;
        Ok(earlier)
    }

    /// Records the changes of the program. Failed changes are tried again at the next sync.
    pub(super) fn take_over(
        &mut self,
        gateway: &Gateway,
        written: &[Written],
        sides: &Sides,
        looked: &BTreeMap<VaultPath, Looked>,
        synced: &mut Synced,
    ) {
        let (envelope, refused) = gateway.record_written(written);
        if let Some(error) = envelope.error {
            match written {
                // The following changes are refused too, and so is each of these alone.
                _ if error.code == Code::DraftFull => {
                    synced.left += written.len();
                    synced.trouble = Some(error);
                }
                // It is tried again when the program changes it, or in the next run.
                [one] if !error.code.is_retryable() => {
                    let failure = error.with_details(Map::new());
                    self.refuse(sides, &one.path, failure);
                    self.hold(one);
                }
                // A change that cannot be recorded must not block the others, and many must not be too large
                // together.
                [_, _, ..] if error.code != Code::LockTimeout && synced.failed < MOST_FAILED => {
                    synced.failed += 1;
                    let (first, second) = written.split_at(written.len() / 2);
                    self.take_over(gateway, first, sides, looked, synced);
                    self.take_over(gateway, second, sides, looked, synced);
                }
                _ => {
                    synced.left += written.len();
                    synced.trouble = Some(error);
                }
            }
            return;
        }
        let not_taken: BTreeSet<&VaultPath> = refused.iter().map(|(path, _)| path).collect();
        for one in written.iter().filter(|one| not_taken.contains(&one.path)) {
            self.hold(one);
        }
        for (path, failure) in &refused {
            if failure.code == Code::PreconditionFailed {
                synced.waits = true;
            } else {
                self.refuse(sides, path, failure.clone());
            }
        }
        let is_direct = envelope.meta.draft.is_none();
        let taken = envelope.meta.changes.iter().map(|change| TakenChange {
            path: change.path.clone(),
            line: change.line(),
            is_direct,
        });
        synced.taken.extend(taken);
        for file in written
            .iter()
            .filter(|file| !not_taken.contains(&file.path))
        {
            // A file at the path of a removed folder is still refused.
            let is_folder = matches!(file.changes.as_slice(), [Change::RemoveFolder { .. }]);
            let refused = self.refused.get(&file.path);
            if !is_folder || refused.is_some_and(|(stamp, _)| stamp.is_none()) {
                self.refused.remove(&file.path);
            }
            if let Some(begun) = &mut self.begun {
                begun.remember(file);
            }
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
                    // The copy still has its own content after a merge.
                    theirs.or_else(|| Some(Version::from_bytes(after)))
                }
                Change::Create { after, .. } | Change::Modify { after, .. } => {
                    Some(Version::from_bytes(after))
                }
                Change::Move { version, .. } => Some(*version),
                _ => None,
            });
            if let Some(content) = content {
                let known = KnownFile {
                    content,
                    theirs: None,
                    ours: None,
                };
                self.known.files.insert(file.path.clone(), known);
            }
        }
    }
}

impl RunStart {
    /// Remembers where the file of a change was before the program ran.
    fn remember(&mut self, file: &Written) {
        let path = file.path.clone();
        match file.changes.first() {
            Some(Change::Move { from, .. }) => {
                let before = self.files.remove(from);
                let before = before.unwrap_or_else(|| Some(from.clone()));
                self.files.insert(path, before);
            }
            Some(Change::Create { .. }) => {
                self.files.entry(path).or_insert(None);
            }
            Some(Change::Modify { .. } | Change::Remove { .. }) => {
                self.files.entry(path.clone()).or_insert(Some(path));
            }
            Some(Change::MakeFolder { .. } | Change::RemoveFolder { .. }) | None => {}
        }
    }

    /// Returns the change that gives a file the content of before, or removes a new one; `None` if it has that content,
    /// or is gone.
    fn reset(&self, sides: &Sides, path: &VaultPath) -> Result<Option<Change>, EngineError> {
        if !sides.seen.is_there(path) {
            return Ok(None);
        }
        let (path, before) = (path.clone(), sides.seen.read_bytes(path)?);
        let start = self.files.get(&path).cloned().flatten();
        let Some(start) = start.filter(|start| self.seen.is_there(start)) else {
            let version = Version::from_bytes(&before);
            return Ok(Some(Change::Remove { path, version }));
        };
        let after = self.seen.read_bytes(&start)?;
        let is_changed = before != after;
        Ok(is_changed.then_some(Change::Modify {
            path,
            before,
            after,
        }))
    }
}

/// Builds the record of one change of one file or folder.
fn one(path: &VaultPath, change: Change) -> Written {
    Written {
        path: path.clone(),
        changes: vec![change],
        started_from: None,
    }
}
