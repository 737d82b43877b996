//! What the caller keeps in hand while a call is under way.

use std::sync::Arc;
use std::time::Duration;

use vault_engine::Progress;

use crate::backend::cancel::Cancel;

/// Takes a call back, and hears how far it has come.
#[derive(Clone, Default)]
pub struct Control {
    /// Ends the call early: `CANCELLED`, or `unknown` for a write that may have happened.
    pub cancel: Cancel,
    /// Is told how far the reading of a whole vault has come.
    pub progress: Option<Arc<dyn Progress>>,
    /// How long the call has waited for its turn, which counts in its deadline (`faults.md` J01).
    pub waited: Duration,
}

impl Control {
    /// A call that nobody listens to and that `cancel` ends.
    pub fn cancelled_by(cancel: &Cancel) -> Self {
        Self {
            cancel: cancel.clone(),
            ..Self::default()
        }
    }
}
