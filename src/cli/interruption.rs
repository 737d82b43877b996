//! A change that a signal does not cut off half-way (`faults.md` E11).

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::allowlist::{Call, Catalogue};
use crate::code::Code;
use crate::failure::Failure;
use crate::gateway::{Answered, Cancel, Control, Gateway, Request};
use crate::signals::{self, Signal};

/// How the work on one request ended.
pub(super) enum CallEnding {
    /// With an answer, perhaps after a signal that asked this process to end.
    Answered(Box<Answered>, Option<Signal>),
    /// At once, by a signal.
    Abandoned(Signal),
}

/// What connects the work on a request with the signals that arrive meanwhile.
#[derive(Clone, Default)]
pub(super) struct Interruption {
    cancel: Cancel,
    is_in_call: Arc<AtomicBool>,
}

impl Interruption {
    /// Answers a request. A signal cancels it: what has not begun does not happen, and what is being
    /// written is completed.
    pub(super) fn answer(&self, gateway: &Gateway, request: &Request) -> Answered {
        self.is_in_call.store(true, Ordering::SeqCst);
        let answered = gateway.answer_under(request, &Control::cancelled_by(&self.cancel));
        self.is_in_call.store(false, Ordering::SeqCst);
        answered
    }
}

/// Works on a request. Where it may change something, the work has a thread of its own, and this one
/// waits for signals: the first cancels a call, the second ends the process at once. Between calls,
/// while a person is asked, the first one ends it.
///
/// A read is ended by the first signal, like any program. `BUSY` where the system has no thread to
/// give.
pub(super) fn run(
    request: Request,
    work: impl FnOnce(&Interruption, Request) -> Result<Answered, Failure> + Send + 'static,
) -> Result<CallEnding, Failure> {
    let interruption = Interruption::default();
    if !is_change(&request) {
        let answered = work(&interruption, request)?;
        return Ok(CallEnding::Answered(Box::new(answered), None));
    }
    let (runtime, mut signals) =
        signals::listen_on_own_runtime().map_err(|error| cannot_start(&error))?;
    let (send, mut answered) = tokio::sync::oneshot::channel();
    let theirs = interruption.clone();
    thread::Builder::new()
        .name("change".to_owned())
        // The receiver is gone after the second signal.
        .spawn(move || drop(send.send(work(&theirs, request))))
        .map_err(|error| cannot_start(&error))?;
    runtime.block_on(async {
        let mut first = None;
        loop {
            tokio::select! {
                answered = &mut answered => {
                    let answered = answered.map_err(|_| lost())??;
                    return Ok(CallEnding::Answered(Box::new(answered), first));
                }
                signal = signals.next() => {
                    let is_in_call = interruption.is_in_call.load(Ordering::SeqCst);
                    if first.is_some() || !is_in_call {
                        return Ok(CallEnding::Abandoned(signal));
                    }
                    first = Some(signal);
                    interruption.cancel.cancel();
                }
            }
        }
    })
}

/// Whether the request may change something. One that is wrong changes nothing.
fn is_change(request: &Request) -> bool {
    let command = Catalogue::find_builtin(&request.command);
    command.is_ok_and(|command| {
        let arguments = command.admit(&request.params.0);
        arguments.is_ok_and(|arguments| Call { command, arguments }.effects().is_mutation())
    })
}

fn cannot_start(error: &io::Error) -> Failure {
    Failure::new(
        Code::Busy,
        format!(
            "The system cannot start another thread now: {}. Nothing was changed. Try again.",
            error.kind()
        ),
    )
}

fn lost() -> Failure {
    Failure::new(
        Code::InternalError,
        "The gateway made a mistake and lost the answer. Read the note before you go on, and please report it.",
    )
}
