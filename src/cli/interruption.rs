//! Protects a change from being cut off by a signal (`threats.toml` E11).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::error::Error;
use backend::cancel::Cancel;
use gateway::{Control, Envelope, Gateway, Request};
use protocol::Failure;
use sandbox::{Signal, signals};

/// The way in which a request ended.
pub(super) enum CallEnding {
    /// An answer; and the signal, if one arrived during the call.
    Answered(Box<Envelope>, Option<Signal>),
    /// Abandoned because of a signal.
    Abandoned(Signal),
}

/// Connects the thread of a request with the handling of signals.
#[derive(Clone, Default)]
pub(super) struct Interruption {
    cancel: Cancel,
    is_in_call: Arc<AtomicBool>,
}

impl Interruption {
    /// Answers a request. A signal cancels it: a write that has started is completed, anything
    /// later does not start.
    pub(super) fn answer(&self, gateway: &Gateway, request: &Request) -> Envelope {
        self.is_in_call.store(true, Ordering::SeqCst);
        let answered = gateway.answer_with(request, &Control::cancelled_by(&self.cancel));
        self.is_in_call.store(false, Ordering::SeqCst);
        answered
    }
}

/// Runs the work on a request. A change runs on its own thread while this one waits for signals:
/// the first signal cancels the call, the second ends the process at once. While a person is asked,
/// the first one ends it. A read has no protection: signals terminate the process as usual.
///
/// # Errors
///
/// `BUSY` if no thread can be started; `INTERNAL_ERROR` if the thread panics; otherwise the errors
/// of `work`.
pub(super) fn run(
    request: Request,
    work: impl FnOnce(&Interruption, Request) -> Result<Envelope, Failure> + Send + 'static,
) -> Result<CallEnding, Failure> {
    let interruption = Interruption::default();
    if !is_change(&request) {
        let answered = work(&interruption, request)?;
        return Ok(CallEnding::Answered(Box::new(answered), None));
    }
    let (runtime, mut signals) = signals::listen_on_own_runtime().map_err(Error::NoThread)?;
    let (send, mut answered) = tokio::sync::oneshot::channel();
    let theirs = interruption.clone();
    thread::Builder::new()
        .name("change".to_owned())
        // Sending fails only after a second signal, when no one waits.
        .spawn(move || drop(send.send(work(&theirs, request))))
        .map_err(Error::NoThread)?;
    runtime.block_on(async {
        let mut first = None;
        loop {
            tokio::select! {
                answered = &mut answered => {
                    let answered = answered.map_err(|_| Error::AnswerLost)??;
                    return Ok(CallEnding::Answered(Box::new(answered), first));
                }
                signal = signals.next() => {
                    let is_in_call = interruption.is_in_call.load(Ordering::SeqCst);
                    // The user repeats the signal because the call does not end. Between calls
                    // nothing is being written. In both cases it is safe to stop: the journal
                    // recovers an interrupted write.
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

/// Whether the request may change something. An invalid one cannot.
fn is_change(request: &Request) -> bool {
    let call = request.call();
    call.is_ok_and(|call| call.effects().is_mutation())
}
