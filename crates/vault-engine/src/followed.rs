//! A vault's index in memory that is never older than the question.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::cancellation::CancellationToken;
use crate::disk::FolderIdentity;
use crate::error::EngineError;
use crate::index::{IndexSnapshot, LimitedSnapshot};
use crate::path::VaultPath;
use crate::sight::Sight;
use crate::vault::Vault;
use crate::watch::{Changes, Watch};

/// So often everything is looked at although nothing was heard of, because there are ways to write
/// that nobody is told of; and so often it is tried anew to hear of changes.
const LOOK_AT_ALL: Duration = Duration::from_secs(30);
/// From so many changed paths on it costs less to look at all.
const MANY_PATHS: usize = 500;
/// For how many different sights the limited index is kept; the least lately made goes first.
const MAX_SIGHTS: usize = 8;
/// How often a question that waits for another looks whether it was called off.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// The index of one vault, kept between questions by a process that stays.
///
/// Every edit that was complete before a question is in its answer: the changes that the system
/// tells of are taken in first, and where the system cannot tell all of them, the whole vault is
/// looked at. Nothing runs in between; whoever does not ask pays nothing.
///
/// The index is read by the first question that needs the whole vault. What a question about one
/// note asks of that note is always read from the disk.
pub struct Followed {
    watches: bool,
    turn: Mutex<Turn>,
    freed: Condvar,
    /// What was made of the index for callers who may not know of every file.
    limited: Mutex<Vec<CallerIndex>>,
}

/// The index as one kind of caller may know it.
struct CallerIndex {
    sight: Arc<dyn Sight>,
    limited: Arc<LimitedSnapshot>,
}

#[derive(Default)]
struct Turn {
    /// Whether somebody is taking in changes; the index is with them.
    is_taken: bool,
    index: Option<Box<KeptIndex>>,
    /// Whether there is an index, with whomever.
    is_read: bool,
}

/// The index, and how to find out what it lacks.
struct KeptIndex {
    of: VaultIdentity,
    snapshot: Arc<IndexSnapshot>,
    watch: Option<Watch>,
    /// Changes heard of and not taken in yet: a question may be called off in between.
    owed: PendingChanges,
    /// When it was last asked for changes: what was complete before is in the index.
    current_from: Instant,
    looked_at_all: Instant,
}

enum PendingChanges {
    At(Vec<VaultPath>),
    All,
}

/// Which folder it is, and how it is read.
#[derive(PartialEq, Eq)]
struct VaultIdentity {
    place: PathBuf,
    number: Option<FolderIdentity>,
    reads_links: bool,
}

impl Default for Followed {
    fn default() -> Self {
        Self::new()
    }
}

impl Followed {
    /// Nothing is read yet.
    pub fn new() -> Self {
        Self {
            watches: true,
            turn: Mutex::default(),
            freed: Condvar::new(),
            limited: Mutex::default(),
        }
    }

    /// The same, looking at the whole vault at each question, whatever the system can tell.
    #[must_use]
    pub fn unwatched(self) -> Self {
        Self {
            watches: false,
            ..self
        }
    }

    /// The index as the vault is now. It is that of this vault alone: another one's is given up.
    pub(crate) fn snapshot(&self, vault: &Vault) -> Result<Arc<IndexSnapshot>, EngineError> {
        let asked = Instant::now();
        let mut turn = self.take(vault.disk().cancellation())?;
        let of = VaultIdentity::read(vault)?;
        let kept = match turn.index.take() {
            Some(mut kept) if kept.of == of => {
                let result = kept.catch_up(vault, asked, self.watches);
                let kept = turn.index.insert(kept);
                result?;
                kept
            }
            other => {
                drop(other);
                turn.index
                    .insert(Box::new(KeptIndex::read(vault, of, self.watches)?))
            }
        };
        Ok(Arc::clone(&kept.snapshot))
    }

    /// The same where an index was read before; none where it would have to be read now.
    pub(crate) fn snapshot_if_read(
        &self,
        vault: &Vault,
    ) -> Result<Option<Arc<IndexSnapshot>>, EngineError> {
        if !self.lock().is_read {
            return Ok(None);
        }
        self.snapshot(vault).map(Some)
    }

    /// The index `whole` of the vault as far as callers with this `sight` may know of it. It is
    /// made once for each sight and state of the vault, and only as far as it differs from the one
    /// before.
    pub(crate) fn limited(
        &self,
        vault: &Vault,
        sight: &Arc<dyn Sight>,
        whole: &Arc<IndexSnapshot>,
    ) -> Result<Arc<IndexSnapshot>, EngineError> {
        let is_of = |kept: &&CallerIndex| Arc::ptr_eq(&kept.sight, sight);
        let known = self
            .callers()
            .iter()
            .find(is_of)
            .map(|kept| Arc::clone(&kept.limited));
        if let Some(known) = &known
            && Arc::ptr_eq(&known.whole, whole)
        {
            return Ok(Arc::clone(&known.limited));
        }
        let limited = Arc::new(whole.limited(vault, known.as_deref())?);
        let mut callers = self.callers();
        callers.retain(|kept| !Arc::ptr_eq(&kept.sight, sight));
        let surplus = (callers.len() + 1).saturating_sub(MAX_SIGHTS);
        callers.drain(..surplus);
        callers.push(CallerIndex {
            sight: Arc::clone(sight),
            limited: Arc::new(LimitedSnapshot {
                whole: Arc::clone(whole),
                limited: Arc::clone(&limited),
            }),
        });
        Ok(limited)
    }

    fn callers(&self) -> MutexGuard<'_, Vec<CallerIndex>> {
        // Each change of the list is one call of it.
        self.limited.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody else takes in changes.
    fn take(&self, cancellation: &CancellationToken) -> Result<IndexLease<'_>, EngineError> {
        let mut turn = self.lock();
        while turn.is_taken {
            cancellation.check()?;
            turn = self
                .freed
                .wait_timeout(turn, LOOK_AGAIN)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        turn.is_taken = true;
        Ok(IndexLease {
            index: turn.index.take(),
            followed: self,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Turn> {
        // Only plain fields change under the lock.
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The index while one question has it; given back when this is dropped, also by a panic.
struct IndexLease<'followed> {
    index: Option<Box<KeptIndex>>,
    followed: &'followed Followed,
}

impl Drop for IndexLease<'_> {
    fn drop(&mut self) {
        let mut turn = self.followed.lock();
        turn.index = self.index.take();
        turn.is_read = turn.index.is_some();
        turn.is_taken = false;
        drop(turn);
        self.followed.freed.notify_one();
    }
}

impl KeptIndex {
    /// Reads the index. Watching begins first, so that nothing falls in between.
    fn read(vault: &Vault, of: VaultIdentity, watches: bool) -> Result<Self, EngineError> {
        let now = Instant::now();
        let watch = watches.then(|| Watch::start(vault.disk()));
        let mut kept = Self {
            of,
            watch,
            snapshot: Arc::new(IndexSnapshot::read(vault)?),
            owed: PendingChanges::At(Vec::new()),
            current_from: now,
            looked_at_all: now,
        };
        kept.doubt_watch();
        Ok(kept)
    }

    /// Gives up watching where not every change of a note would be heard of.
    fn doubt_watch(&mut self) {
        if self.snapshot.has_note_of_several_names() {
            self.watch = None;
        }
    }

    /// Takes in what changed, for a question that was asked then.
    fn catch_up(
        &mut self,
        vault: &Vault,
        asked: Instant,
        watches: bool,
    ) -> Result<(), EngineError> {
        let now = Instant::now();
        // Somebody else has done so since.
        if self.current_from >= asked {
            return Ok(());
        }
        let is_due = now.duration_since(self.looked_at_all) >= LOOK_AT_ALL;
        let changes = match &mut self.watch {
            Some(watch) if !is_due => watch.changes(vault.disk()),
            _ => Changes::Anywhere,
        };
        match (changes, &mut self.owed) {
            (Changes::At(paths), PendingChanges::At(owed))
                if owed.len() + paths.len() < MANY_PATHS =>
            {
                owed.extend(paths);
            }
            (Changes::At(paths), PendingChanges::At(owed))
                if owed.is_empty() && paths.is_empty() => {}
            _ => self.owed = PendingChanges::All,
        }
        match &self.owed {
            PendingChanges::At(paths) if paths.is_empty() => {}
            PendingChanges::At(paths) => self.replace(self.snapshot.again_at(vault, paths)?),
            PendingChanges::All => {
                if watches && is_due {
                    self.watch = Some(Watch::start(vault.disk()));
                    self.looked_at_all = now;
                }
                self.replace(self.snapshot.again(vault)?);
            }
        }
        self.owed = PendingChanges::At(Vec::new());
        self.current_from = now;
        self.doubt_watch();
        Ok(())
    }

    fn replace(&mut self, next: Option<IndexSnapshot>) {
        if let Some(next) = next {
            self.snapshot = Arc::new(next);
        }
    }
}

impl VaultIdentity {
    fn read(vault: &Vault) -> Result<Self, EngineError> {
        let disk = vault.disk();
        let number = disk.identity().map_err(|source| EngineError::Io {
            path: VaultPath::root(),
            source,
        })?;
        Ok(Self {
            place: vault.root().to_owned(),
            number,
            reads_links: disk.reads_links(),
        })
    }
}

#[cfg(test)]
mod tests;
