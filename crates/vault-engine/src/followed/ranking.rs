//! The ranked index, kept in memory next to the index of notes.

use std::ops::ControlFlow;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::turns::LOOK_AGAIN;
use crate::cancellation::CancellationToken;
use crate::error::EngineError;
use crate::index::{ANSWER_AFTER, IndexSnapshot, RankedIndex, ReadingProgress};
use crate::path::VaultPath;
use crate::vault::Vault;

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
    /// The progress of the reading that made it.
    progress: Option<ReadingProgress>,
    /// Whether a thread is reading notes for it.
    is_reading: bool,
    /// Why the last reading failed.
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
        Self { shared: Arc::default(), answer_after }
    }

    /// The ranked index for this snapshot of the whole vault, or the part of it that is ready a
    /// while after `since`, unless the rest takes only a moment. If `damaged` is the kept one, it is
    /// rebuilt from the notes.
    pub(super) fn for_snapshot(
        &self,
        vault: &Vault,
        whole: &Arc<IndexSnapshot>,
        damaged: Option<&RankedIndex>,
        since: Instant,
    ) -> Result<Arc<RankedIndex>, EngineError> {
        let cancellation = vault.disk().cancellation();
        let almost_late = cancellation.clone().leaving_time();
        let mut is_rebuilt = false;
        let mut state = self.shared.lock();
        loop {
            cancellation.check()?;
            if let (Some(damaged), Some(index)) = (damaged, &state.index)
                && damaged.has_base_of(index)
            {
                is_rebuilt = true;
                state.index = None;
            }
            if let Some(index) = &state.index {
                if index.is_of(whole) {
                    return Ok(Arc::clone(index));
                }
                let is_late = since.elapsed() >= self.answer_after;
                let ends_soon =
                    |progress: ReadingProgress| progress.ends_within(self.answer_after / 2);
                if state.is_reading && is_late && !state.progress.is_some_and(ends_soon) {
                    return Ok(Arc::new(index.carried_to(whole)));
                }
            }
            if almost_late.is_cancelled() && state.is_reading {
                return Ok(Arc::new(RankedIndex::empty(whole)));
            }
            if state.is_reading {
                let waited = self.shared.changed.wait_timeout(state, LOOK_AGAIN);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            if let Some(failure) = state.failure.take() {
                return Err(failure);
            }
            state.is_reading = true;
            let before = state.index.clone();
            drop(state);
            self.start_reading(vault, whole, before, is_rebuilt)?;
            state = self.shared.lock();
        }
    }

    /// Starts the thread.
    fn start_reading(
        &self,
        vault: &Vault,
        whole: &Arc<IndexSnapshot>,
        before: Option<Arc<RankedIndex>>,
        is_rebuilt: bool,
    ) -> Result<(), EngineError> {
        let vault = vault.clone().with_cancellation(CancellationToken::default());
        let whole = Arc::clone(whole);
        let reading = Reading(Arc::clone(&self.shared));
        let read = move || {
            let publish = |index: &RankedIndex, progress| {
                reading.0.publish(index.clone(), Some(progress));
                ControlFlow::Continue(())
            };
            let read = if is_rebuilt {
                RankedIndex::rebuild(&vault, &whole, &publish)
            } else {
                RankedIndex::read(&vault, &whole, before.as_deref(), &publish)
            };
            match read {
                Ok(index) => reading.0.publish(index, None),
                Err(failure) => reading.0.lock().failure = Some(failure),
            }
        };
        let thread = std::thread::Builder::new().name("ranked-index".to_owned());
        let started = thread.spawn(read).map(drop);
        started.map_err(|source| EngineError::Io { path: VaultPath::root(), source })
    }
}

impl SharedRanking {
    fn publish(&self, index: RankedIndex, progress: Option<ReadingProgress>) {
        let mut state = self.lock();
        state.index = Some(Arc::new(index));
        state.progress = progress;
        drop(state);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, RankingState> {
        // Poisoning is harmless: only plain fields are assigned under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running thread. Dropping it ends the reading, also in a panic and if the thread cannot start.
struct Reading(Arc<SharedRanking>);

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.lock().is_reading = false;
        self.0.changed.notify_all();
    }
}
