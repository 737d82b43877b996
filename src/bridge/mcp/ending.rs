//! Ending on a signal: the first one lets what is under way end, the second one does not
//! (`faults.md` E11).

use std::future::Future;

use tokio_util::sync::CancellationToken;

use crate::signals::Signals;

/// How the serving ended.
pub(super) enum ServingEnd<T> {
    /// By itself.
    Itself(T),
    /// After a signal, in order; with the exit status that tells it.
    BySignal(u8),
    /// At once.
    BySecondSignal(u8),
}

/// Runs `serve` and cancels `stop` at the first signal to end.
pub(super) async fn until_ended<T>(
    serve: impl Future<Output = T>,
    stop: &CancellationToken,
) -> ServingEnd<T> {
    let mut serve = std::pin::pin!(serve);
    // Without handlers the signals end the process as they always do.
    let Ok(mut signals) = Signals::listen() else {
        return ServingEnd::Itself(serve.await);
    };
    let status = tokio::select! {
        ended = &mut serve => return ServingEnd::Itself(ended),
        signal = signals.next() => signal.exit_status(),
    };
    stop.cancel();
    tokio::select! {
        _ = serve => ServingEnd::BySignal(status),
        signal = signals.next() => ServingEnd::BySecondSignal(signal.exit_status()),
    }
}
