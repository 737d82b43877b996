//! What the caller keeps in hand while a call is under way.

use std::sync::Arc;

use vault_engine::Progress;

use crate::backend::cancel::Cancel;

/// Takes a call back, and hears how far it has come.
#[derive(Clone, Default)]
pub struct Control {
    /// Ends the call early: `CANCELLED`, or `unknown` for a write that may have happened.
    pub cancel: Cancel,
    /// Is told how far the reading of a whole vault has come.
    pub progress: Option<Arc<dyn Progress>>,
}

impl Control {
    /// A call that nobody listens to and that `cancel` ends.
    pub fn cancelled_by(cancel: &Cancel) -> Self {
        Self {
            cancel: cancel.clone(),
            progress: None,
        }
    }
}
