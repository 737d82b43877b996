//! A vault's index kept in memory, up to date at every request.

mod names;
mod ranking;
mod turns;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use obsidian_note::{CancellationToken, VaultPath};
use vault_files::{EngineError, FolderIdentity, Overlay, Sight, SightNow, Vault};

use crate::watch::{Changes, Watch};
use crate::{
    CachedIndex, FirstReading, IndexSnapshot, LimitedSnapshot, PlannedIndex, RankedIndex,
    keep_latest, lock,
};

use names::KeptNames;
pub(crate) use names::Names;
pub(crate) use ranking::Ranked;
use ranking::{KeptRanking, RankingThread};
use turns::{Lease, Turns};

/// The interval of a full walk in spite of watching, because some writes cause no event (memory
/// maps); also the interval of retrying to watch.
const LOOK_AT_ALL: Duration = Duration::from_secs(30);
/// The number of changed paths from which a full walk is cheaper.
const MANY_PATHS: usize = 500;
/// The most limited indexes that are kept, one for each sight; the oldest is dropped first.
const MAX_SIGHTS: usize = 8;

/// The index of one vault, kept between requests by a long-running process.
///
/// Every edit that was complete before a request is in its answer: a request first applies the changes that the system
/// has reported, and if reports may be incomplete, it walks the whole vault. Only a request starts a thread, so an idle
/// process costs nothing.
///
/// The first request that needs the whole vault reads the index. That continues in a thread if the
/// request is stopped. A request about one note always reads that note from the disk.
pub struct Followed {
    watches: bool,
    turns: Turns<Box<KeptIndex>>,
    /// The names in the folder, until a request needs the index.
    names: Turns<Box<KeptNames>>,
    /// The indexes that are limited to what certain callers can see.
    limited: Mutex<Vec<CallerIndex>>,
    sights: Mutex<Vec<CallerSight>>,
    /// The indexes with planned changes.
    planned: Mutex<Vec<Arc<PlannedIndex>>>,
    ranking: KeptRanking,
}

/// The index limited to one sight.
struct CallerIndex {
    sight: Arc<dyn Sight>,
    limited: Arc<LimitedSnapshot>,
}

/// A sight whose rules close notes, with the notes that it closes in one state of the vault.
struct CallerSight {
    requested: Arc<dyn Sight>,
    whole: Arc<IndexSnapshot>,
    now: Arc<SightNow>,
}

/// An index, and the means to update it.
struct KeptIndex {
    of: FollowedPlace,
    snapshot: Arc<IndexSnapshot>,
    watch: Option<Watch>,
    /// Reported changes that are not applied yet, because a request can be cancelled in between.
    owed: PendingChanges,
    /// When changes were last applied: every edit that was complete before is in the index.
    current_from: Instant,
    looked_at_all: Instant,
}

enum PendingChanges {
    At(Vec<VaultPath>),
    All,
}

/// Identifies a vault's folder, and how it is read.
#[derive(Clone, PartialEq, Eq)]
struct FollowedPlace {
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
    /// Starts empty: the first request reads the index.
    pub fn new() -> Self {
        Self {
            watches: true,
            turns: Turns::default(),
            names: Turns::default(),
            limited: Mutex::default(),
            sights: Mutex::default(),
            planned: Mutex::default(),
            ranking: KeptRanking::default(),
        }
    }

    /// Turns watching off, so that every request walks the whole vault.
    #[must_use]
    pub fn unwatched(self) -> Self {
        Self {
            watches: false,
            ..self
        }
    }

    /// Whether an index is kept, once the work on it has ended.
    ///
    /// # Errors
    ///
    /// Fails if the vault's folder cannot be listed, and after a cancellation.
    #[cfg(any(test, feature = "testing"))]
    pub fn has_index(&self) -> Result<bool, EngineError> {
        let lease = self.turns.take(&CancellationToken::default())?;
        Ok(lease.value.is_some())
    }

    /// Whether the names of files are kept apart from the index.
    ///
    /// # Errors
    ///
    /// Fails if the vault's folder cannot be listed, and after a cancellation.
    #[cfg(any(test, feature = "testing"))]
    pub fn has_names(&self) -> Result<bool, EngineError> {
        let lease = self.names.take(&CancellationToken::default())?;
        Ok(lease.value.is_some())
    }

    /// Whether the system reports single changes.
    ///
    /// # Errors
    ///
    /// Fails if the vault's folder cannot be listed, and after a cancellation.
    #[cfg(any(test, feature = "testing"))]
    pub fn is_watching(&self) -> Result<bool, EngineError> {
        let lease = self.turns.take(&CancellationToken::default())?;
        let watch = lease.value.as_ref().and_then(|kept| kept.watch.as_ref());
        Ok(watch.is_some_and(Watch::sees))
    }

    /// Answers ranked searches after this time from the notes that are ready.
    #[cfg(any(test, feature = "testing"))]
    #[must_use]
    pub fn answering_after(self, time: Duration) -> Self {
        Self {
            ranking: KeptRanking::answering_after(time),
            ..self
        }
    }

    /// Returns the index as the vault is now. Only one vault's index is kept: the index of another vault is dropped.
    pub(crate) fn snapshot(&self, vault: &Vault) -> Result<Arc<IndexSnapshot>, EngineError> {
        let wanted = Instant::now();
        let mut lease = self.turns.take(vault.disk().cancellation())?;
        let of = FollowedPlace::read(vault)?;
        let kept = match lease.value.take() {
            Some(mut kept) if kept.of == of => {
                let result = kept.catch_up(vault, wanted, self.watches);
                // Put back before `?`: a failed or cancelled update must not lose the index.
                let kept = lease.value.insert(kept);
                result?;
                kept
            }
            other => {
                drop(other);
                self.read_first(vault, of.clone(), lease, None)?;
                // The thread has the lease until the index is read.
                let mut lease = self.turns.take(vault.disk().cancellation())?;
                let failure = lease.failure.take().unwrap_or_else(ended_early);
                let kept = lease
                    .value
                    .as_ref()
                    .filter(|kept| kept.of == of)
                    .ok_or(failure)?;
                return Ok(Arc::clone(&kept.snapshot));
            }
        };
        Ok(Arc::clone(&kept.snapshot))
    }

    /// Reads the index in a thread, which continues if the request does not wait any longer. With
    /// `ranking`, it reads the words with it.
    fn read_first(
        &self,
        vault: &Vault,
        of: FollowedPlace,
        lease: Lease<Box<KeptIndex>>,
        ranking: Option<RankingThread>,
    ) -> Result<(), EngineError> {
        let cancellation = vault.disk().cancellation();
        cancellation.check()?;
        drop(self.names.take(cancellation)?.value.take());
        let vault = vault
            .clone()
            .with_cancellation(CancellationToken::default());
        let watches = self.watches;
        let read = move || {
            let mut words = None;
            let kept = KeptIndex::read(&vault, of, watches, |cached| {
                let Some(ranking) = &ranking else {
                    return IndexSnapshot::read_cached(&vault, cached).map(Arc::new);
                };
                let Some(first) = FirstReading::start(&vault)?.map(Arc::new) else {
                    return IndexSnapshot::read_cached(&vault, cached).map(Arc::new);
                };
                let (snapshot, index) = ranking.read_first(&vault, &first)?;
                words = Some(index);
                Ok(snapshot)
            });
            let snapshot = kept.as_ref().ok().map(|kept| Arc::clone(&kept.snapshot));
            lease.end(kept.map(Box::new));
            if let Some((ranking, snapshot)) = ranking.zip(snapshot) {
                ranking.read(&vault, &snapshot, words.as_ref(), false);
            }
        };
        start_thread("index", read)
    }

    /// As [`Self::snapshot`]; `None` if the index would have to be read first.
    pub(crate) fn snapshot_if_read(
        &self,
        vault: &Vault,
    ) -> Result<Option<Arc<IndexSnapshot>>, EngineError> {
        if !self.turns.is_kept() {
            return Ok(None);
        }
        self.snapshot(vault).map(Some)
    }

    /// Returns the index, if it is kept and nothing has changed since it was brought up to date. Does not read any
    /// note.
    pub(crate) fn unchanged_snapshot(
        &self,
        vault: &Vault,
    ) -> Result<Option<Arc<IndexSnapshot>>, EngineError> {
        if !self.turns.is_kept() {
            return Ok(None);
        }
        let wanted = Instant::now();
        let mut lease = self.turns.take(vault.disk().cancellation())?;
        let of = FollowedPlace::read(vault)?;
        let kept = lease.value.as_mut().filter(|kept| kept.of == of);
        Ok(kept.and_then(|kept| {
            kept.note_changes(vault, wanted);
            kept.is_unchanged().then(|| Arc::clone(&kept.snapshot))
        }))
    }

    /// Returns the names in the vault as its caller sees them now, for a request that needs no index.
    pub(crate) fn names(&self, vault: &Vault) -> Result<Arc<Names>, EngineError> {
        if !self.watches {
            return Names::read(vault).map(Arc::new);
        }
        let mut lease = self.names.take(vault.disk().cancellation())?;
        let (of, folder) = (
            FollowedPlace::read(vault)?,
            vault.as_in_the_folder().whole(),
        );
        let kept = lease.value.take().filter(|kept| kept.of == of);
        let kept = kept.unwrap_or_else(|| Box::new(KeptNames::watch(of, &folder)));
        lease.value.insert(kept).names(vault, &folder)
    }

    /// Returns the index `whole` limited to `sight`. It is built once for each sight and state of the vault, and reuses
    /// the previous one as far as possible.
    pub(crate) fn limited(
        &self,
        vault: &Vault,
        sight: &Arc<dyn Sight>,
        whole: &Arc<IndexSnapshot>,
    ) -> Result<Arc<IndexSnapshot>, EngineError> {
        let is_of = |kept: &CallerIndex| Arc::ptr_eq(&kept.sight, sight);
        let known = lock(&self.limited)
            .iter()
            .find(|kept| is_of(kept))
            .map(|kept| Arc::clone(&kept.limited));
        if let Some(known) = &known
            && Arc::ptr_eq(&known.whole, whole)
        {
            return Ok(Arc::clone(&known.limited));
        }
        // Built without the lock: this can take long, and two requests that build the same index do no harm.
        let limited = Arc::new(whole.limited(vault, known.as_deref())?);
        let new = CallerIndex {
            sight: Arc::clone(sight),
            limited: Arc::new(LimitedSnapshot {
                whole: Arc::clone(whole),
                limited: Arc::clone(&limited),
            }),
        };
        keep_latest(&mut lock(&self.limited), is_of, MAX_SIGHTS, new);
        Ok(limited)
    }

    /// Returns the index `folder` with the planned changes in `overlay`. It is worked out once for each state of both.
    pub(crate) fn planned(
        &self,
        vault: &Vault,
        overlay: &Arc<Overlay>,
        folder: &Arc<IndexSnapshot>,
    ) -> Result<Arc<PlannedIndex>, EngineError> {
        // By value: a draft that is read from its store for each call is another one each time.
        let is_of = |kept: &Arc<PlannedIndex>| kept.overlay == *overlay;
        let known = lock(&self.planned).iter().find(|kept| is_of(kept)).cloned();
        if let Some(known) = known.filter(|known| Arc::ptr_eq(&known.folder, folder)) {
            return Ok(known);
        }
        // Without the lock, as above.
        let made = Arc::new(PlannedIndex::new(vault, overlay, folder)?);
        keep_latest(
            &mut lock(&self.planned),
            is_of,
            MAX_SIGHTS,
            Arc::clone(&made),
        );
        Ok(made)
    }

    /// Returns the sight with the notes that its rules close in `whole`. It is the same value as before as long as they
    /// close the same notes, so that what was made for it serves again.
    pub(crate) fn sight_now(
        &self,
        sight: &Arc<dyn Sight>,
        whole: &Arc<IndexSnapshot>,
    ) -> Arc<dyn Sight> {
        let known = lock(&self.sights)
            .iter()
            .find(|kept| Arc::ptr_eq(&kept.requested, sight))
            .map(|kept| (Arc::clone(&kept.whole), Arc::clone(&kept.now)));
        let now = match &known {
            Some((before, now)) if Arc::ptr_eq(before, whole) => return Arc::clone(now) as _,
            known => {
                let rules = sight.note_rules();
                let closed = rules
                    .map(|rules| whole.closed_by(rules))
                    .unwrap_or_default();
                match known {
                    Some((_, now)) if now.closed == closed => Arc::clone(now),
                    _ => Arc::new(SightNow {
                        sight: Arc::clone(sight),
                        closed,
                    }),
                }
            }
        };
        let shared: Arc<dyn Sight> = Arc::clone(&now) as _;
        if let Some((_, before)) = known
            && !Arc::ptr_eq(&before, &now)
        {
            let before: Arc<dyn Sight> = before;
            lock(&self.limited).retain(|kept| !Arc::ptr_eq(&kept.sight, &before));
        }
        let new = CallerSight {
            requested: Arc::clone(sight),
            whole: Arc::clone(whole),
            now,
        };
        let is_of = |kept: &CallerSight| Arc::ptr_eq(&kept.requested, sight);
        keep_latest(&mut lock(&self.sights), is_of, MAX_SIGHTS, new);
        shared
    }

    /// Returns the index and its ranked index, or the part of them that is ready a while after `since`, when the
    /// request began. If `damaged` is the kept one, it is rebuilt from the notes.
    pub(crate) fn ranked(
        &self,
        vault: &Vault,
        damaged: Option<&RankedIndex>,
        since: Instant,
    ) -> Result<Ranked, EngineError> {
        if !self.turns.is_kept()
            && let Some(lease) = self.turns.try_take()
            && lease.value.is_none()
            && let Some(thread) = self.ranking.thread()
        {
            self.read_first(vault, FollowedPlace::read(vault)?, lease, Some(thread))?;
        }
        if let Some(part) = self
            .ranking
            .first_part(vault, since, || self.turns.is_kept())?
        {
            return Ok(part);
        }
        let whole = self.snapshot(vault)?;
        let ranking = self.ranking.for_snapshot(vault, &whole, damaged, since)?;
        Ok((whole, ranking))
    }
}

/// Returns the error for a panic in the thread that reads the index.
fn ended_early() -> EngineError {
    let source = std::io::Error::other("the thread that reads the index ended early");
    EngineError::io(&VaultPath::root(), source)
}

/// Starts a thread with this name, which nothing waits for.
fn start_thread(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), EngineError> {
    let thread = std::thread::Builder::new().name(name.to_owned());
    let started = thread.spawn(run).map(drop);
    started.map_err(|source| EngineError::io(&VaultPath::root(), source))
}

impl KeptIndex {
    /// Reads the index. Watching starts before the walk: in the other order, an edit in between
    /// would be missed. The cache file is opened at the same time.
    fn read(
        vault: &Vault,
        of: FollowedPlace,
        watches: bool,
        read: impl FnOnce(Option<CachedIndex>) -> Result<Arc<IndexSnapshot>, EngineError>,
    ) -> Result<Self, EngineError> {
        let now = Instant::now();
        let (watch, cached) = rayon::join(
            || watches.then(|| Watch::start(vault.disk())),
            || CachedIndex::open(vault),
        );
        let mut kept = Self {
            of,
            watch,
            snapshot: read(cached)?,
            owed: PendingChanges::At(Vec::new()),
            current_from: now,
            looked_at_all: now,
        };
        kept.doubt_watch();
        Ok(kept)
    }

    /// Stops watching if some changes of notes would cause no event.
    fn doubt_watch(&mut self) {
        if self.snapshot.has_note_of_several_names {
            self.watch = None;
        }
    }

    /// Adds what the system has reported until `now` to the pending changes. Returns whether a full walk is due.
    fn note_changes(&mut self, vault: &Vault, now: Instant) -> bool {
        let is_due = now.duration_since(self.looked_at_all) >= LOOK_AT_ALL;
        let changes = match &mut self.watch {
            // Drain the queue before the walk or the reads below: an edit after this point is
            // reported to the next request.
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
        is_due
    }

    fn is_unchanged(&self) -> bool {
        matches!(&self.owed, PendingChanges::At(paths) if paths.is_empty())
    }

    /// Applies what changed, for a request that arrived at `asked`.
    fn catch_up(
        &mut self,
        vault: &Vault,
        wanted: Instant,
        watches: bool,
    ) -> Result<(), EngineError> {
        let now = Instant::now();
        // Another request has updated the index after this one arrived.
        if self.current_from >= wanted {
            return Ok(());
        }
        let is_due = self.note_changes(vault, now);
        match &self.owed {
            PendingChanges::At(_) if self.is_unchanged() => {}
            PendingChanges::At(paths) => self.replace(self.snapshot.refreshed_at(vault, paths)?),
            PendingChanges::All => {
                if watches && is_due {
                    self.watch = Some(Watch::start(vault.disk()));
                    self.looked_at_all = now;
                }
                self.replace(self.snapshot.refreshed(vault)?);
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

impl FollowedPlace {
    fn read(vault: &Vault) -> Result<Self, EngineError> {
        let disk = vault.disk();
        let number = disk.identity();
        Ok(Self {
            place: vault.root().to_owned(),
            number: number.map_err(|source| EngineError::io(&VaultPath::root(), source))?,
            reads_links: disk.reads_links(),
        })
    }
}
