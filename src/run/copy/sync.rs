//! One sync: what the program wrote is recorded, then the copy gets what changed in the vault.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use line_diff::{Merge, merge};
use vault_engine::{Change, EngineError, MAX_WHOLE_BYTES, PlannedFile, Vault, VaultPath, Version};

use super::files::{CopyFolder, Source, Stamp, Tree, may_be_there, open_to_owner};
use super::known::{Hash, KnownFile};
use super::steps::{Content, Fate, fate_of};
use super::{ASIDE, Refused, Synced, WorkingCopy, unwritable};
use crate::backend::engine_failure;
use crate::code::Code;
use crate::failure::Failure;
use crate::gateway::{FileChange, Gateway, Written};

/// How long a file must have been left alone before it is taken over while the program runs: many programs write
/// one in several steps.
const AT_REST: Duration = Duration::from_millis(150);

/// The most time for the merge of one file.
const MERGE_TIME: Duration = Duration::from_secs(2);

/// How often at most what cannot be recorded together is halved, in one sync.
const MOST_FAILED: usize = 64;

/// How often at most the folders of the copy are opened in one sync.
const MOST_DEEP: usize = 16;

/// The name of the copy's own changes.
const RUN: &str = "copy";

/// Both sides as they are now.
pub(super) struct Sides {
    seen: Vault,
    copy: Vault,
    ours: Tree,
    theirs: Tree,
}

/// One file that is not as it was.
pub(super) struct Looked {
    fate: Fate,
    theirs: Content,
    ours: Content,
}

impl WorkingCopy {
    /// Takes over what the program wrote, and brings the copy up to date with the vault. While the program runs,
    /// files that were written just now wait for the next time.
    ///
    /// # Errors
    ///
    /// If the vault, the draft or the copy cannot be read or written. What was taken over before stays so.
    pub(crate) fn sync(&mut self, gateway: &Gateway, is_running: bool) -> Result<Synced, Failure> {
        let mut synced = Synced::default();
        let mut sides = self.sides(gateway)?;
        let mut looked = self.look(&sides, is_running, &mut synced);
        let written = self.written(&sides, &looked);
        if !written.is_empty() {
            self.take_over(gateway, &written, &sides, &looked, &mut synced);
            sides = self.sides(gateway)?;
            looked = self.look(&sides, is_running, &mut synced);
        }
        let folders = self.known.folders.clone();
        self.update(gateway, &sides, &looked, (is_running, &mut synced))?;
        self.planned = sides.seen.overlay().cloned().unwrap_or_default();
        if !written.is_empty() || !looked.is_empty() || folders != self.known.folders {
            self.known.write(&self.private)?;
        }
        Ok(synced)
    }

    /// Labels the agent if its copy has a labelled note: the program may read what an earlier run has left there.
    ///
    /// # Errors
    ///
    /// If the vault or the ledger of labels cannot be read. Then no program may be started.
    pub(crate) fn label_reader(&self, gateway: &Gateway) -> Result<(), Failure> {
        let seen = gateway.seen_vault()?;
        gateway.label_reader(with_text(&seen, self.known.files.keys()))
    }

    /// The files of the copy that differ from what the agent sees in the vault, because the program changed them.
    ///
    /// # Errors
    ///
    /// If the vault or the copy cannot be read.
    pub(crate) fn waiting(&mut self, gateway: &Gateway) -> Result<Vec<VaultPath>, Failure> {
        let sides = self.sides(gateway)?;
        let looked = self.look(&sides, false, &mut Synced::default());
        let waits = |one: &Looked| matches!(one.fate, Fate::Take | Fate::Conflict);
        let waiting = looked.into_iter().filter(|(_, one)| waits(one));
        let mut waiting: BTreeSet<VaultPath> = waiting.map(|(path, _)| path).collect();
        waiting.extend(self.refused.keys().cloned());
        waiting.extend(self.twins(&sides.theirs));
        Ok(waiting.into_iter().collect())
    }

    /// Adds what waits after the last attempt to what was not taken over.
    ///
    /// # Errors
    ///
    /// If the vault or the copy cannot be read.
    pub(crate) fn name_waiting(&mut self, gateway: &Gateway) -> Result<(), Failure> {
        for path in self.waiting(gateway)? {
            let failure = Failure::new(
                Code::Busy,
                "It could not be read or recorded, or another file has the same name in a vault.",
            );
            self.refused.entry(path).or_insert((None, failure));
        }
        Ok(())
    }

    /// Files that have the name of another one where names are text: other bytes, or another spelling of a letter.
    fn twins(&self, theirs: &Tree) -> Vec<VaultPath> {
        let root = self.root();
        let mut twins = Vec::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            let entries = fs_err::read_dir(folder).into_iter().flatten().flatten();
            for (entry, metadata) in entries.filter_map(|entry| {
                let metadata = fs_err::symlink_metadata(entry.path()).ok()?;
                Some((entry, metadata))
            }) {
                if metadata.is_dir() {
                    folders.push(entry.path());
                    continue;
                }
                let path = entry.path();
                let path = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy();
                let listed = VaultPath::file(&path).ok().filter(|path| !path.is_hidden());
                let listed = listed.and_then(|path| Some((theirs.files.get(&path)?.file, path)));
                if let Some((file, path)) = listed
                    && metadata.is_file()
                    && file != metadata.ino()
                {
                    twins.push(path);
                }
            }
        }
        twins
    }

    pub(super) fn sides(&self, gateway: &Gateway) -> Result<Sides, Failure> {
        let seen = gateway.seen_vault()?;
        let root = self.root();
        open_to_owner(&root, &VaultPath::root());
        let copy = Vault::open(&root).map_err(engine_failure)?;
        let mut theirs = Tree::of(&copy).map_err(engine_failure)?;
        // In a folder that the program has closed nothing can be seen, taken over or removed. Each round opens the folders
        // of one depth; a program that goes on closing them does not keep us here.
        for _ in 0..MOST_DEEP {
            let closed = theirs.folders.iter();
            if closed.filter(|path| open_to_owner(&root, path)).count() == 0 {
                break;
            }
            theirs = Tree::of(&copy).map_err(engine_failure)?;
        }
        Ok(Sides {
            ours: Tree::of(&seen).map_err(engine_failure)?,
            theirs,
            seen,
            copy,
        })
    }

    /// The files that one side changed since both were alike.
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
            .map(|known| known.content.0.size)
            .chain(ours.values().map(|stamp| stamp.size))
            .collect();
        // To read one without content and without an end would take forever, and it can be neither taken over nor
        // what the vault has.
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
            let known = self.known.files.get(path);
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
            let told = (&mut self.held, &mut self.refused);
            if theirs.is_none() && known.is_some() && is_hidden_or_held(&root, sides, path, told) {
                continue;
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
                (Some(_), _) => vault
                    .planned_version(path)
                    .map(|version| Some(Hash(version))),
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
                // Nobody changes it any more, so it stays so.
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
            // What is gone may be what is new: a file that was renamed, or many with their folder.
            let is_known = |path: &VaultPath| self.known.files.contains_key(path);
            looked.retain(|path, one| {
                one.fate != Fate::Take || one.theirs.is_some() && is_known(path)
            });
        }
        looked
    }

    /// What the program did, in an order in which it can be done again.
    fn written(&mut self, sides: &Sides, looked: &BTreeMap<VaultPath, Looked>) -> Vec<Written> {
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
            Ok(changes) => written.push(Written {
                path: path.clone(),
                changes,
                started_from: None,
            }),
            Err(error) => self.refuse(sides, path, engine_failure(error)),
        }
    }

    fn refuse(&mut self, sides: &Sides, path: &VaultPath, failure: Failure) {
        let stamp = sides.theirs.files.get(path).copied();
        self.refused.insert(path.clone(), (stamp, failure));
    }

    /// Holds what is gone back if the same file has another name now, under which it could not be read or recorded.
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
        let unread: Vec<(&VaultPath, Stamp)> = unread.map(|(path, stamp)| (path, *stamp)).collect();
        let held = &mut self.held;
        looked.retain(|path, one| {
            let gone = last(path).filter(|_| is_gone(one));
            let now = gone.and_then(|gone| unread.iter().find(|(_, now)| gone.is_same(*now)));
            if let Some((to, _)) = now {
                held.insert(path.clone(), (*to).clone());
            }
            now.is_none()
        });
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
        let mut changes = vec![Change::Move {
            from: from.clone(),
            to: to.clone(),
            version,
        }];
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
        let common = common.map_or_else(|| Version::of(b""), |known| known.content.0);
        let planned = match self.planned.files.get(path) {
            Some(PlannedFile::Bytes(planned)) => Some(&planned.bytes),
            _ => None,
        };
        let base = planned.filter(|bytes| Version::of(bytes) == common);
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
            changes: vec![Change::Modify {
                path,
                before,
                after,
            }],
            started_from,
        })
    }

    /// Records what the program did. What failed is tried again at the next sync.
    fn take_over(
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
                    let failure = Failure::new(error.code, error.message);
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
        synced
            .taken
            .extend(envelope.meta.changes.iter().map(FileChange::line));
        for file in written
            .iter()
            .filter(|file| !not_taken.contains_key(&file.path))
        {
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
                    theirs.or_else(|| Some(Hash(Version::of(after))))
                }
                Change::Create { after, .. } | Change::Modify { after, .. } => {
                    Some(Hash(Version::of(after)))
                }
                Change::Move { version, .. } => Some(Hash(*version)),
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

    /// Brings the copy up to date, and remembers what is alike.
    pub(super) fn update(
        &mut self,
        gateway: &Gateway,
        sides: &Sides,
        looked: &BTreeMap<VaultPath, Looked>,
        (is_running, synced): (bool, &mut Synced),
    ) -> Result<(), Failure> {
        let failed = |error: std::io::Error| unwritable(&error);
        let mut folder = CopyFolder::open(&self.root()).map_err(failed)?;
        for path in sides.ours.folders.difference(&sides.theirs.folders) {
            // Something of the program may have its name.
            let _made = folder.make_folder(path);
        }
        self.set_aside(sides, &mut folder)?;
        let updated = looked.iter().filter(|(_, one)| one.fate == Fate::Update);
        let updated: Vec<(&VaultPath, &Looked)> = updated.collect();
        let read = updated.iter().filter(|(_, one)| one.ours.is_some());
        gateway.label_reader(with_text(&sides.seen, read.map(|(path, _)| *path)))?;
        let mut replaced: Vec<Change> = Vec::new();
        for (path, one) in &updated {
            match (one.theirs, one.ours) {
                (None, Some(_)) => {
                    let source = Source::of(&sides.seen, path);
                    let made = source.map(|source| folder.make_file(path, source));
                    if !matches!(made, Ok(Ok(true))) {
                        synced.waits = true;
                    }
                }
                (Some(Hash(version)), None) => replaced.push(Change::Remove {
                    path: (*path).clone(),
                    version,
                }),
                (Some(looked_at), Some(_)) => {
                    let both = sides.copy.read_bytes(path).ok();
                    // What the program has written since the look is not replaced.
                    let both = both.filter(|before| Hash(Version::of(before)) == looked_at);
                    match both.zip(sides.seen.read_bytes(path).ok()) {
                        Some((before, after)) => replaced.push(Change::Modify {
                            path: (*path).clone(),
                            before,
                            after,
                        }),
                        None => synced.waits = true,
                    }
                }
                (None, None) => {}
            }
        }
        let removed = sides.theirs.folders.iter().rev().filter(|path| {
            !sides.ours.folders.contains(*path) && self.known.folders.contains(*path)
        });
        replaced.extend(removed.map(|path| Change::RemoveFolder { path: path.clone() }));
        if sides.copy.apply(&replaced, RUN).is_err() {
            for change in replaced {
                // What the program has changed in this moment, or has open, is looked at again.
                if sides.copy.apply(&[change], RUN).is_err() {
                    synced.waits = true;
                }
            }
        }
        self.remember(sides, looked, is_running)
    }

    /// Takes notes out of the copy that are not open to the agent any more, and whose changes were refused.
    fn set_aside(&mut self, sides: &Sides, folder: &mut CopyFolder) -> Result<(), Failure> {
        let is_closed = |path: &&VaultPath| {
            self.known.files.contains_key(*path)
                && sides.theirs.files.contains_key(*path)
                && !sides.ours.files.contains_key(*path)
        };
        let closed: Vec<VaultPath> = self.refused.keys().filter(is_closed).cloned().collect();
        if closed.is_empty() {
            return Ok(());
        }
        let aside = self.folder.join(ASIDE);
        fs_err::create_dir_all(&aside).map_err(|error| unwritable(&error))?;
        for path in closed {
            if folder.set_aside(&path, &aside).is_ok() {
                self.known.files.remove(&path);
                self.refused.remove(&path);
            }
        }
        // Otherwise the next run would take them for removed.
        self.known.write(&self.private)
    }

    /// Remembers which files are alike now. What the copy got just now is remembered only if it is there: the
    /// program may have written it since.
    fn remember(
        &mut self,
        sides: &Sides,
        looked: &BTreeMap<VaultPath, Looked>,
        is_running: bool,
    ) -> Result<(), Failure> {
        let got = looked.values().any(|one| one.fate == Fate::Update);
        let now = if got {
            Tree::of(&sides.copy).map_err(engine_failure)?
        } else {
            Tree::default()
        };
        for (path, one) in looked {
            let theirs = match one.fate {
                Fate::Take | Fate::Conflict => continue,
                Fate::Alike => sides.theirs.files.get(path),
                Fate::Update => now.files.get(path),
            };
            match (one.ours, theirs) {
                (Some(content), Some(theirs)) => {
                    let is_to_be_checked = is_running || one.theirs.is_some();
                    if one.fate == Fate::Update
                        && is_to_be_checked
                        && !holds(&sides.copy, path, content)
                    {
                        continue;
                    }
                    let known = KnownFile {
                        content,
                        theirs: Some(*theirs),
                        ours: sides.ours.files.get(path).copied(),
                    };
                    self.known.files.insert(path.clone(), known);
                }
                (None, None) => {
                    self.known.files.remove(path);
                }
                _ => {}
            }
        }
        let root = self.root();
        let is_in_both = |path: &&VaultPath| {
            let place = fs_err::symlink_metadata(root.join(path.as_str()));
            place.is_ok_and(|metadata| metadata.is_dir())
        };
        let folders = sides.ours.folders.iter().filter(is_in_both);
        self.known.folders = folders.cloned().collect();
        Ok(())
    }
}

/// Whether a file that is not in the tree of the copy is still there, in a folder that the program has closed, or
/// under a new name that was not taken over.
fn is_hidden_or_held(
    root: &Path,
    sides: &Sides,
    path: &VaultPath,
    (held, refused): (&mut BTreeMap<VaultPath, VaultPath>, &mut Refused),
) -> bool {
    if let Some(to) = held.get(path) {
        let now = sides.theirs.files.get(to).copied();
        if now.is_some() && refused.get(to).map(|(stamp, _)| *stamp) == Some(now) {
            return true;
        }
        held.remove(path);
    }
    let is_hidden = may_be_there(root, path);
    if is_hidden {
        let message = "The program has closed its folder, so it cannot be read.";
        let failure = Failure::new(Code::IoError, message);
        refused.insert(path.clone(), (None, failure));
    } else if refused
        .get(path)
        .is_some_and(|(_, failure)| failure.code == Code::IoError)
    {
        refused.remove(path);
    }
    is_hidden
}

/// These files with the text of the notes among them, which is read one after the other.
fn with_text<'f>(
    seen: &Vault,
    paths: impl Iterator<Item = &'f VaultPath>,
) -> impl Iterator<Item = (&'f VaultPath, Vec<u8>)> {
    paths.map(|path| {
        let text = path.is_note().then(|| seen.read_bytes(path).ok());
        (path, text.flatten().unwrap_or_default())
    })
}

/// Whether the copy has this content at this path.
fn holds(copy: &Vault, path: &VaultPath, content: Hash) -> bool {
    copy.planned_version(path)
        .is_ok_and(|version| Hash(version) == content)
}

/// One change of one file or folder.
fn one(path: &VaultPath, change: Change) -> Written {
    Written {
        path: path.clone(),
        changes: vec![change],
        started_from: None,
    }
}
