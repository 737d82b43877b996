//! The ranked index, kept in memory next to the index of notes.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use obsidian_note::CancellationToken;
use vault_files::{EngineError, Vault};

use super::start_thread;
use super::turns::LOOK_AGAIN;
use crate::{ANSWER_AFTER, FirstReading, IndexSnapshot, RankedIndex, lock};

/// A snapshot of a vault, and its ranked index.
pub(crate) type Ranked = (Arc<IndexSnapshot>, Arc<RankedIndex>);

/// The ranked index of one vault. A thread brings it up to date when a request finds it outdated,
/// and continues when the request does not wait any longer.
pub(super) struct KeptRanking {
    shared: Arc<SharedRanking>,
    answer_after: Duration,
}

#[derive(Default)]
struct SharedRanking {
    state: Mutex<RankingState>,
    changed: Condvar,
}

#[derive(Default)]
struct RankingState {
    index: Option<Arc<RankedIndex>>,
    /// The first reading of the vault, while it is running.
    first: Option<Arc<FirstReading>>,
    /// Whether a thread is reading notes for it.
    is_reading: bool,
    /// The error of the last reading.
    failure: Option<EngineError>,
}

impl Default for KeptRanking {
    fn default() -> Self {
        Self::answering_after(ANSWER_AFTER)
    }
}

impl KeptRanking {
    /// Starts empty.
    pub(super) fn answering_after(answer_after: Duration) -> Self {
        Self {
            shared: Arc::default(),
            answer_after,
        }
    }

    /// Returns the ranked index for this snapshot of the whole vault, or the part of it that is ready a while after
    /// `since`. If `damaged` is the kept one, it is rebuilt from the notes.
    pub(super) fn for_snapshot(
        &self,
        vault: &Vault,
        whole: &Arc<IndexSnapshot>,
        damaged: Option<&RankedIndex>,
        since: Instant,
    ) -> Result<Arc<RankedIndex>, EngineError> {
        let almost_late = self.almost_late(vault, since);
        let mut is_rebuilt = false;
        let mut state = lock(&self.shared.state);
        loop {
            vault.disk().cancellation().check()?;
            if let (Some(damaged), Some(index)) = (damaged, &state.index)
                && damaged.has_base_of(index)
            {
                is_rebuilt = true;
                state.index = None;
            }
            if let Some(index) = state.index.as_ref().filter(|index| index.is_of(whole)) {
                return Ok(Arc::clone(index));
            }
            if state.is_reading {
                if almost_late.is_cancelled() {
                    let index = state.index.as_ref().map(|index| index.carried_to(whole));
                    return Ok(Arc::new(index.unwrap_or_else(|| RankedIndex::empty(whole))));
                }
                state = self.shared.wait(state);
                continue;
            }
            if let Some(failure) = state.failure.take() {
                return Err(failure);
            }
            state.is_reading = true;
            let before = state.index.clone();
            drop(state);
            let thread = RankingThread(Arc::clone(&self.shared));
            let vault = vault
                .clone()
                .with_cancellation(CancellationToken::default());
            let whole = Arc::clone(whole);
            let read = move || thread.read(&vault, &whole, before.as_deref(), is_rebuilt);
            start_thread("ranked-index", read)?;
            state = lock(&self.shared.state);
        }
    }

    /// The part that the first reading of the vault has read a while after `since`. `None` if no first
    /// reading is running, or once `is_whole`.
    pub(super) fn first_part(
        &self,
        vault: &Vault,
        since: Instant,
        is_whole: impl Fn() -> bool,
    ) -> Result<Option<Ranked>, EngineError> {
        let almost_late = self.almost_late(vault, since);
        let mut state = lock(&self.shared.state);
        loop {
            vault.disk().cancellation().check()?;
            if let Some(failure) = state.failure.take() {
                return Err(failure);
            }
            if !state.is_reading || is_whole() {
                return Ok(None);
            }
            if let (Some(first), Some(index)) = (&state.first, &state.index)
                && almost_late.is_cancelled()
            {
                let (first, index) = (Arc::clone(first), Arc::clone(index));
                drop(state);
                return Ok(Some((Arc::new(first.part(&index)), index)));
            }
            state = self.shared.wait(state);
        }
    }

    /// Registers a thread that reads notes; `None` if such a thread is already running.
    pub(super) fn thread(&self) -> Option<RankingThread> {
        let is_reading = std::mem::replace(&mut lock(&self.shared.state).is_reading, true);
        (!is_reading).then(|| RankingThread(Arc::clone(&self.shared)))
    }

    /// Cancelled when it is time to answer with what is ready.
    fn almost_late(&self, vault: &Vault, since: Instant) -> CancellationToken {
        let cancellation = vault.disk().cancellation().clone().leaving_time();
        cancellation.with_deadline(since + self.answer_after)
    }
}

impl SharedRanking {
    fn publish(&self, index: RankedIndex) {
        lock(&self.state).index = Some(Arc::new(index));
        self.changed.notify_all();
    }

    fn wait<'lock>(
        &self,
        state: MutexGuard<'lock, RankingState>,
    ) -> MutexGuard<'lock, RankingState> {
        self.changed
            .wait_timeout(state, LOOK_AGAIN)
            .unwrap_or_else(PoisonError::into_inner)
            .0
    }
}

/// The right of one thread to read notes. Dropping it ends the reading, also in a panic and if the thread
/// cannot start.
pub(super) struct RankingThread(Arc<SharedRanking>);

impl RankingThread {
    /// Reads the notes of a vault whose index is not cached, with their words.
    pub(super) fn read_first(
        &self,
        vault: &Vault,
        first: &Arc<FirstReading>,
    ) -> Result<(Arc<IndexSnapshot>, RankedIndex), EngineError> {
        lock(&self.0.state).first = Some(Arc::clone(first));
        let publish = |index: &RankedIndex| self.0.publish(index.clone());
        let read = first.read(vault, &CancellationToken::default(), &publish);
        if let Ok((_, index)) = &read {
            publish(index);
        }
        read
    }

    /// Reads the words that neither `before` nor the cache has; all words if the cache is damaged.
    pub(super) fn read(
        &self,
        vault: &Vault,
        whole: &IndexSnapshot,
        before: Option<&RankedIndex>,
        is_damaged: bool,
    ) {
        let until = CancellationToken::default();
        let publish = |index: &RankedIndex| self.0.publish(index.clone());
        let read = if is_damaged {
            RankedIndex::rebuild(vault, whole, &until, &publish)
        } else {
            RankedIndex::read(vault, whole, before, &until, &publish)
        };
        match read {
            Ok(index) => self.0.publish(index),
            Err(failure) => lock(&self.0.state).failure = Some(failure),
        }
    }
}

impl Drop for RankingThread {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.is_reading = false;
        state.first = None;
        drop(state);
        self.0.changed.notify_all();
    }
}
