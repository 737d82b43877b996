//! Runs a program: updates the working copy, starts the program, and syncs both sides until it ends (`design/run.md`).

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant, SystemTime};

use rustix::process::Signal;
use signal_hook::flag;
use vault_engine::{FolderWatch, Vault, VaultPath};

use super::copy::{TakenChange, WorkingCopy};
use super::fence::{Fence, FenceEnd};
use super::home::Home;
use crate::error::Error;
use backend::engine_failure;
use gateway::Gateway;
use protocol::{Code, Failure};
use sandbox::{Environment, signals::ignored};
use settings::Settings;

/// Interval at which both sides are checked.
const TICK: Duration = Duration::from_millis(100);

/// Interval of checks if changes are not reported.
const UNWATCHED: Duration = Duration::from_secs(2);

/// Interval of checks after the program's changes could not be recorded.
const IN_TROUBLE: Duration = Duration::from_secs(5);

/// The least space that a program leaves on the disk of its copy, in bytes.
const LEAST_SPACE: u64 = 256 * 1024 * 1024;

/// Number of times a sync is repeated while a file waits.
const ATTEMPTS: usize = 10;

/// A working copy with the changes taken over from it.
pub struct Session {
    /// The working copy.
    pub copy: WorkingCopy,
    /// The changes that were taken over, in this order.
    pub taken: Vec<TakenChange>,
    /// Reason why a change was not taken over.
    pub trouble: Option<Failure>,
    /// Number of changes not taken over because of `trouble`, or because the person stopped it.
    pub left: usize,
    /// Reason why the gateway ended the program.
    pub stopped: Option<Failure>,
    /// Files of which only an earlier version was taken over, and whether they were reset.
    pub earlier: BTreeMap<VaultPath, bool>,
}

/// Both sides of a run, watched for changes.
pub struct WatchedSides {
    copy: (Vault, FolderWatch),
    vault: (Vault, FolderWatch),
    /// The draft and the labels, as the copy shows them.
    view: String,
    /// Whether the agent is restricted: only then its copy has notes with outside text.
    is_restricted: bool,
    /// They say which notes are closed.
    settings: Settings,
    latest: Instant,
}

/// The changes since the last check.
struct SideChanges {
    /// Whether it is time for a sync.
    any: bool,
    /// Whether it is certain that the agent sees the same vault.
    is_vault_same: bool,
}

impl WatchedSides {
    fn start(copy: &Path, vault: &Path, gateway: &Gateway) -> Result<Self, Failure> {
        let watched = |folder: &Path| {
            let vault = Vault::open(folder).map_err(engine_failure)?;
            let watch = FolderWatch::start(&vault);
            Ok::<_, Failure>((vault, watch))
        };
        Ok(Self {
            copy: watched(copy)?,
            vault: watched(vault)?,
            view: gateway.drafts().view_stamp()?,
            is_restricted: gateway.is_restricted()?,
            settings: gateway.settings().clone(),
            latest: Instant::now(),
        })
    }

    /// Returns the changes since the last time. If the system reports none, `any` is true every [`UNWATCHED`], and if
    /// calls wait.
    fn changes(&mut self, gateway: &Gateway, calls_wait: bool) -> SideChanges {
        let sides = [&mut self.copy, &mut self.vault];
        let [copy, vault] = sides.map(|(vault, watch)| watch.has_changed(vault));
        let view = gateway.drafts().view_stamp();
        let is_restricted = gateway.is_restricted().unwrap_or(self.is_restricted);
        let is_view_same = view.as_ref().is_ok_and(|view| *view == self.view)
            && is_restricted == self.is_restricted
            && self.settings == *gateway.settings();
        let is_due = calls_wait || self.latest.elapsed() >= UNWATCHED;
        let any = copy.unwrap_or(is_due) || vault.unwrap_or(is_due) || !is_view_same;
        self.view = view.unwrap_or_default();
        self.is_restricted = is_restricted;
        if !is_view_same {
            self.settings = gateway.settings().clone();
        }
        if any {
            self.latest = Instant::now();
        }
        SideChanges {
            any,
            is_vault_same: vault == Some(false) && is_view_same,
        }
    }
}

impl Session {
    /// Begins without any change.
    pub fn new(copy: WorkingCopy) -> Self {
        Self {
            copy,
            taken: Vec::new(),
            trouble: None,
            left: 0,
            stopped: None,
            earlier: BTreeMap::new(),
        }
    }

    /// Whether no run has left anything: neither files in the copy nor a home.
    pub fn is_empty(&self) -> bool {
        let files = fs_err::read_dir(self.copy.root());
        let has_files = files.map_or(true, |mut files| files.next().is_some());
        !has_files && self.copy.count() == 0 && !Home::is_in(self.copy.folder())
    }

    /// Watches both sides from now on, and brings them up to date.
    ///
    /// # Errors
    ///
    /// If the vault or the copy cannot be read.
    pub fn begin(&mut self, vault: &Path, gateway: &Gateway) -> Result<WatchedSides, Failure> {
        let mut watched = WatchedSides::start(&self.copy.root(), vault, gateway)?;
        self.settle(gateway)?;
        self.copy.begin();
        // The copy was changed by this.
        let (copy, watch) = &mut watched.copy;
        let _changed = watch.has_changed(copy);
        Ok(watched)
    }

    /// Brings both sides up to date while no program runs.
    ///
    /// # Errors
    ///
    /// If the vault or the copy cannot be read.
    pub fn settle(&mut self, gateway: &Gateway) -> Result<(), Failure> {
        for _ in 0..ATTEMPTS {
            if !self.sync(gateway, false)? {
                break;
            }
        }
        Ok(())
    }

    /// Like [`Self::settle`], for the last time: what could not be taken over is named, or counted if all of it has
    /// the same reason, and earlier versions of it leave the draft. The first signal to end stops it in good order, the second ends this process.
    ///
    /// # Errors
    ///
    /// If the vault or the copy cannot be read.
    pub fn finish(&mut self, gateway: &Gateway) -> Result<(), Failure> {
        listen(self.copy.stop()).map_err(Error::NoSignals)?;
        self.settle(gateway)?;
        if self.left == 0 {
            self.copy.name_waiting(gateway)?;
        }
        self.earlier = self.copy.reset_earlier(gateway, self.left > 0)?;
        // In the vault itself an undo resets it.
        let direct = self.taken.iter().filter(|change| change.is_direct);
        let refused = self.copy.refused().map(|(path, _)| path);
        let refused: BTreeSet<&str> = refused.map(VaultPath::as_str).collect();
        let direct = direct.filter(|change| refused.contains(change.path.as_str()));
        let direct = direct.filter_map(|change| Some((VaultPath::file(&change.path).ok()?, false)));
        self.earlier.extend(direct);
        Ok(())
    }

    /// Returns whether something waits.
    fn sync(&mut self, gateway: &Gateway, is_running: bool) -> Result<bool, Failure> {
        let synced = self.copy.sync(gateway, is_running)?;
        let known: BTreeSet<&TakenChange> = self.taken.iter().collect();
        let new = synced
            .taken
            .into_iter()
            .filter(|change| !known.contains(change));
        let new: Vec<TakenChange> = new.collect();
        self.taken.extend(new);
        self.trouble = synced.trouble;
        self.left = synced.left;
        // A limit or a lock that refuses a change now refuses it again.
        Ok(synced.waits && self.left == 0)
    }

    /// Starts the program and keeps both sides equal until it ends. `gateway` is called repeatedly, because the owner
    /// may change the settings during the run; its failure ends the program. Each of the `calls` from inside is dropped
    /// once a sync after it leaves no file that waits.
    ///
    /// # Errors
    ///
    /// If the fence cannot be made.
    pub fn run(
        &mut self,
        fence: &Fence,
        mut watched: WatchedSides,
        mut gateway: impl FnMut() -> Result<Gateway, Failure>,
        (environment, calls): (&Environment, Receiver<Sender<()>>),
        started: impl FnOnce(&super::fence::Fenced),
    ) -> Result<FenceEnd, Failure> {
        let mut current = gateway()?;
        let began = SystemTime::now();
        let folder = self.copy.root();
        let space = || {
            rustix::fs::statvfs(&folder)
                .map(|disk| disk.f_bavail * disk.f_frsize)
                .ok()
        };
        let least = space().map_or(0, |space| LEAST_SPACE.min(space / 2));
        let mut fenced = fence.start(environment)?;
        started(&fenced);
        fenced.show()?;
        let (mut waits, mut pause) = (true, TICK);
        let mut waiting = Vec::new();
        let mut checked = Instant::now();
        let end = loop {
            if let Some(end) = fenced.wait(Some(TICK))? {
                break end;
            }
            waiting.extend(calls.try_iter());
            if waiting.is_empty() && checked.elapsed() < pause {
                continue;
            }
            checked = Instant::now();
            if space().is_some_and(|space| space < least) {
                self.stopped = Some(Error::DiskFull.into());
                fenced.end();
                continue;
            }
            let newest = match gateway() {
                // The owner is writing the file: the last good settings stay in effect, as for a server.
                Err(failure) if failure.code == Code::ConfigInvalid => Ok(None),
                newest => newest.map(Some),
            };
            let result = newest.and_then(|newest| {
                if let Some(newest) = newest {
                    current = newest;
                }
                let changes = watched.changes(&current, !waiting.is_empty());
                if changes.any || waits {
                    let began = Instant::now();
                    self.copy.set_vault_same(changes.is_vault_same);
                    waits = self.sync(&current, true)? || self.trouble.is_some();
                    // In a large vault a check takes longer, so checks are fewer. Changes that cannot be recorded now
                    // are not retried all the time, since each attempt is in the audit log.
                    let least = self.trouble.as_ref().map_or(TICK, |_| IN_TROUBLE);
                    pause = least.max(began.elapsed() * 3);
                }
                if !waits || self.trouble.is_some() {
                    waiting.clear();
                }
                Ok(())
            });
            if let Err(failure) = result {
                self.stopped = Some(failure);
                fenced.end();
            }
        };
        drop(fenced);
        self.copy.compare_again(began);
        self.copy
            .set_vault_same(watched.changes(&current, false).is_vault_same);
        match self.finish(&current) {
            // The program has ended, and its status is passed on; the copy keeps its changes.
            Err(failure) if self.stopped.is_none() => self.stopped = Some(failure),
            _ => {}
        }
        Ok(end)
    }

    /// Returns the paths that were not taken over. Folders are included only if nothing below them is.
    pub fn refused(&self) -> Vec<(&VaultPath, &Failure)> {
        let around: BTreeSet<VaultPath> = self
            .copy
            .refused()
            .flat_map(|(path, _)| (1..path.components().count()).map(|count| path.beginning(count)))
            .collect();
        self.copy
            .refused()
            .filter(|(path, _)| !around.contains(path))
            .collect()
    }
}

/// Sets `stop` at the first signal to end. The next one ends this process. What the launcher ignores stays ignored.
fn listen(stop: &Arc<AtomicBool>) -> io::Result<()> {
    let ignored = ignored();
    let signals = [Signal::HUP, Signal::INT, Signal::TERM].map(Signal::as_raw);
    for signal in signals
        .into_iter()
        .filter(|signal| !ignored.contains(signal))
    {
        flag::register_conditional_default(signal, Arc::clone(stop))?;
        flag::register(signal, Arc::clone(stop))?;
    }
    Ok(())
}
