//! One sync: records the changes of the program, then copies the changes of the vault to the copy.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use vault_engine::{Change, Editor, Vault, VaultPath, Version};

use super::files::{CopyFolder, Source, Tree};
use super::known::KnownFile;
use super::look::{Looked, Sides};
use super::steps::Fate;
use super::{ASIDE, Synced, WorkingCopy, unwritable};
use backend::engine_failure;
use gateway::{Gateway, Written};
use protocol::Failure;

/// Maximum number of changes recorded at once.
pub(super) const MOST_AT_ONCE: usize = 1000;

/// The name of the copy's own changes.
const RUN: &str = "copy";

impl WorkingCopy {
    /// Takes over the changes of the program, and brings the copy up to date with the vault. While the program runs,
    /// files that were written just now wait for the next time.
    ///
    /// # Errors
    ///
    /// If the vault, the draft or the copy cannot be read or written. Changes taken over before are kept.
    pub fn sync(&mut self, gateway: &Gateway, is_running: bool) -> Result<Synced, Failure> {
        let mut synced = Synced::default();
        let mut sides = self.sides(gateway)?;
        let mut looked = self.look(&sides, is_running, &mut synced);
        let written = self.written(&sides, &looked);
        if !written.is_empty() {
            self.take_over_all(
                gateway,
                &written,
                (&sides, &looked),
                is_running,
                &mut synced,
            );
            if self.is_stopped() {
                self.known.write(&self.private)?;
                return Ok(synced);
            }
            sides = self.sides(gateway)?;
            looked = self.look(&sides, is_running, &mut synced);
        }
        let folders = self.known.folders.clone();
        self.latest = None;
        self.update(&sides, &looked, (is_running, &mut synced))?;
        self.planned = sides.seen.overlay().cloned().unwrap_or_default();
        if !written.is_empty() || !looked.is_empty() || folders != self.known.folders {
            self.known.write(&self.private)?;
        }
        // An update has replaced files of the copy.
        if !is_running && looked.values().all(|one| one.fate != Fate::Update) {
            self.latest = Some((looked, sides.theirs));
        }
        self.seen = Some((sides.seen, sides.ours));
        Ok(synced)
    }

    /// Whether a person does not want to wait any longer.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Records the changes of the program, many at a time, until a limit refuses more or a person stops it.
    fn take_over_all(
        &mut self,
        gateway: &Gateway,
        written: &[Written],
        (sides, looked): (&Sides, &BTreeMap<VaultPath, Looked>),
        is_running: bool,
        synced: &mut Synced,
    ) {
        let progress = self.progress.clone().filter(|_| !is_running);
        for (number, part) in written.chunks(MOST_AT_ONCE).enumerate() {
            if self.is_stopped() || synced.is_full() {
                synced.left += part.len();
                continue;
            }
            self.take_over(gateway, part, sides, looked, synced);
            if let Some(progress) = &progress {
                progress.notes_read(number * MOST_AT_ONCE + part.len(), written.len());
            }
        }
    }

    /// Brings the copy up to date, and remembers the files that are equal on both sides.
    pub(super) fn update(
        &mut self,
        sides: &Sides,
        looked: &BTreeMap<VaultPath, Looked>,
        (is_running, synced): (bool, &mut Synced),
    ) -> Result<(), Failure> {
        let mut folder = CopyFolder::open(&self.root()).map_err(unwritable)?;
        for path in sides.ours.folders.difference(&sides.theirs.folders) {
            // Something of the program may have its name.
            let _made = folder.make_folder(path);
        }
        self.set_aside(sides, &mut folder)?;
        let updated = looked.iter().filter(|(_, one)| one.fate == Fate::Update);
        let updated: Vec<(&VaultPath, &Looked)> = updated.collect();
        let mut replaced: Vec<Change> = Vec::new();
        for (path, one) in &updated {
            match (one.theirs, one.ours) {
                (None, Some(_)) => {
                    let source = Source::open(&sides.seen, path);
                    let made = source.map(|source| folder.make_file(path, source));
                    if !matches!(made, Ok(Ok(true))) {
                        synced.waits = true;
                    }
                }
                (Some(version), None) => {
                    replaced.push(Change::Remove {
                        path: (*path).clone(),
                        version,
                    });
                }
                (Some(looked_at), Some(_)) => {
                    let both = sides.copy.read_bytes(path).ok();
                    // A file that the program has written in the meantime is not replaced.
                    let both = both.filter(|before| Version::from_bytes(before) == looked_at);
                    match both.zip(sides.seen.read_bytes(path).ok()) {
                        Some((before, after)) => {
                            replaced.push(Change::Modify {
                                path: (*path).clone(),
                                before,
                                after,
                            });
                        }
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
        self.known.leaving = replaced.iter().filter_map(removed_path).cloned().collect();
        if !self.known.leaving.is_empty() {
            self.known.write(&self.private)?;
        }
        if Editor(&sides.copy).apply(&replaced, RUN).is_err() {
            for change in replaced {
                // A file that the program is changing or has open is checked again later.
                if Editor(&sides.copy).apply(&[change], RUN).is_err() {
                    synced.waits = true;
                }
            }
        }
        self.known.leaving.clear();
        self.remember(sides, looked, is_running)
    }

    /// Removes notes from the copy that are not open to the agent any more, and whose changes were refused.
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
        fs_err::create_dir_all(&aside).map_err(unwritable)?;
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
            Tree::read(&sides.copy).map_err(engine_failure)?
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

/// Returns the file or folder that a change removes.
fn removed_path(change: &Change) -> Option<&VaultPath> {
    match change {
        Change::Remove { path, .. } | Change::RemoveFolder { path } => Some(path),
        _ => None,
    }
}

/// Whether the copy has this content at this path.
fn holds(copy: &Vault, path: &VaultPath, content: Version) -> bool {
    Editor(copy)
        .planned_version(path)
        .is_ok_and(|version| version == content)
}
