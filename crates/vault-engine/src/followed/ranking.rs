//! The ranked index, kept in memory beside the other one.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::LOOK_AGAIN;
use crate::cancellation::CancellationToken;
use crate::error::EngineError;
use crate::index::{IndexSnapshot, RankedIndex};
use crate::vault::Vault;

/// The ranked index of one vault; read by the first request that ranks.
#[derive(Default)]
pub(super) struct KeptRanking {
    turn: Mutex<RankingTurn>,
    freed: Condvar,
}

#[derive(Default)]
struct RankingTurn {
    /// Whether a request is bringing the index up to date; others wait for that.
    is_taken: bool,
    index: Option<Arc<RankedIndex>>,
}

impl KeptRanking {
    /// The index of this snapshot of the whole vault. Where `damaged` is the one that is kept, it is read
    /// from the notes again.
    pub(super) fn of(
        &self,
        vault: &Vault,
        whole: &IndexSnapshot,
        damaged: Option<&Arc<RankedIndex>>,
    ) -> Result<Arc<RankedIndex>, EngineError> {
        let mut lease = self.take(vault.disk().cancellation())?;
        let is_damaged =
            |index: &Arc<RankedIndex>| damaged.is_some_and(|damaged| Arc::ptr_eq(damaged, index));
        let known = lease.index.as_ref().filter(|index| !is_damaged(index));
        let index = match known {
            Some(known) if known.is_of(whole) => Arc::clone(known),
            Some(known) => Arc::new(RankedIndex::read(vault, whole, Some(known))?),
            None if damaged.is_some() => Arc::new(RankedIndex::anew(vault, whole)?),
            None => Arc::new(RankedIndex::read(vault, whole, None)?),
        };
        lease.index = Some(Arc::clone(&index));
        Ok(index)
    }

    fn take(&self, cancellation: &CancellationToken) -> Result<RankingLease<'_>, EngineError> {
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
        Ok(RankingLease {
            index: turn.index.take(),
            kept: self,
        })
    }

    fn lock(&self) -> MutexGuard<'_, RankingTurn> {
        // Poisoning is harmless: only plain fields are assigned under the lock.
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Exclusive use of the index by one request. Dropping it gives the index back, also in a panic.
struct RankingLease<'kept> {
    index: Option<Arc<RankedIndex>>,
    kept: &'kept KeptRanking,
}

impl Drop for RankingLease<'_> {
    fn drop(&mut self) {
        let mut turn = self.kept.lock();
        turn.index = self.index.take();
        turn.is_taken = false;
        drop(turn);
        self.kept.freed.notify_one();
    }
}
