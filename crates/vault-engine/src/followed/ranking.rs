//! The ranked index, kept in memory next to the index of notes.

use std::sync::Arc;

use super::turns::Turns;
use crate::error::EngineError;
use crate::index::{IndexSnapshot, Interrupted, RankedIndex};
use crate::vault::Vault;

/// The ranked index of one vault; read by the first request that ranks.
#[derive(Default)]
pub(super) struct KeptRanking {
    turns: Turns<Arc<RankedIndex>>,
}

impl KeptRanking {
    /// The ranked index for this snapshot of the whole vault. If `damaged` is the kept one, it is
    /// rebuilt from the notes.
    pub(super) fn for_snapshot(
        &self,
        vault: &Vault,
        whole: &IndexSnapshot,
        damaged: Option<&Arc<RankedIndex>>,
    ) -> Result<Arc<RankedIndex>, EngineError> {
        let mut lease = self.turns.take(vault.disk().cancellation())?;
        let is_damaged =
            |index: &Arc<RankedIndex>| damaged.is_some_and(|damaged| Arc::ptr_eq(damaged, index));
        let known = lease.value.as_ref().filter(|index| !is_damaged(index));
        let read = match known {
            Some(known) if known.is_of(whole) => return Ok(Arc::clone(known)),
            Some(known) => RankedIndex::read(vault, whole, Some(known)),
            None if damaged.is_some() => RankedIndex::anew(vault, whole),
            None => RankedIndex::read(vault, whole, None),
        };
        match read {
            Ok(index) => Ok(Arc::clone(lease.value.insert(Arc::new(index)))),
            // In a large vault, reading every note takes longer than one request may; the next
            // request continues.
            Err(Interrupted { so_far, why }) => {
                lease.value = Some(Arc::from(so_far));
                Err(why)
            }
        }
    }
}
