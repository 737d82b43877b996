//! A call on the opened vault, before and after its note is known.

use std::sync::Arc;

use vault_engine::Sight;

use backend::{Limits, PinnedVault, ResolvedCall};
use changes::{Choice, Control, Request};
use protocol::Deadline;

/// A request, the caller's controls of it, and its deadline.
pub(super) type CallBounds<'call> = (&'call Request, &'call Control, Deadline);

/// The open vault of an admitted call, and the backend that answers it.
#[derive(Clone)]
pub(super) struct OpenedVault<'call> {
    pub(super) request: &'call Request,
    pub(super) control: &'call Control,
    /// The whole vault, including files that are closed to the caller.
    pub(super) vault: PinnedVault,
    pub(super) choice: Choice,
    pub(super) limits: Limits,
    /// Whether the change goes into the draft of its agent.
    pub(super) into_draft: bool,
    /// The files that the answer may be about; `None` if that is all.
    pub(super) sight: Option<Arc<dyn Sight>>,
}

impl OpenedVault<'_> {
    /// Returns the admitted call for a change that goes into the draft.
    pub(super) fn for_draft(&self, vault: PinnedVault) -> Self {
        Self {
            vault,
            into_draft: true,
            choice: Choice::for_draft(),
            ..self.clone()
        }
    }

    /// Returns the admitted call for the engine, with another sight.
    pub(super) fn by_the_engine(&self, sight: Arc<dyn Sight>) -> Self {
        Self {
            choice: Choice::without_labelled(),
            sight: Some(sight),
            ..self.clone()
        }
    }
}

/// A call whose target note is resolved, and which policy allows on that note.
pub(super) struct AimedCall<'opened> {
    pub(super) opened: &'opened OpenedVault<'opened>,
    pub(super) resolved: ResolvedCall,
    /// The vault limited to the files that the caller may read. Lookups and answers use this view;
    /// changes are applied to the whole vault, because links in closed notes must follow a move.
    pub(super) seen: PinnedVault,
    /// Whether the caller named the file to create (`path=` or `name=`).
    pub(super) is_named: bool,
}
