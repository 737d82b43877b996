//! Ending on a signal: the first one lets what is under way end, the second one does not
//! (`faults.md` E11).

use std::future::Future;

use tokio_util::sync::CancellationToken;

/// How the serving ended.
pub(super) enum Ended<T> {
    /// By itself.
    Itself(T),
    /// After a signal, in order; with the exit status that tells it.
    BySignal(u8),
    /// At once.
    BySecondSignal(u8),
}

/// Runs `serve` and cancels `stop` at the first signal to end.
#[cfg(unix)]
pub(super) async fn until_ended<T>(
    serve: impl Future<Output = T>,
    stop: &CancellationToken,
) -> Ended<T> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut serve = std::pin::pin!(serve);
    // Without handlers the signals end the process as they always do.
    let (Ok(mut terminate), Ok(mut interrupt)) = (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
    ) else {
        return Ended::Itself(serve.await);
    };
    let status = tokio::select! {
        ended = &mut serve => return Ended::Itself(ended),
        _ = terminate.recv() => 143,
        _ = interrupt.recv() => 130,
    };
    stop.cancel();
    tokio::select! {
        _ = serve => Ended::BySignal(status),
        _ = terminate.recv() => Ended::BySecondSignal(143),
        _ = interrupt.recv() => Ended::BySecondSignal(130),
    }
}

/// Runs `serve` and cancels `stop` at the first Ctrl-C.
#[cfg(windows)]
pub(super) async fn until_ended<T>(
    serve: impl Future<Output = T>,
    stop: &CancellationToken,
) -> Ended<T> {
    let mut serve = std::pin::pin!(serve);
    tokio::select! {
        ended = &mut serve => return Ended::Itself(ended),
        _ = tokio::signal::ctrl_c() => {}
    }
    stop.cancel();
    tokio::select! {
        _ = serve => Ended::BySignal(130),
        _ = tokio::signal::ctrl_c() => Ended::BySecondSignal(130),
    }
}
