//! Graceful shutdown: the first signal, or the end of the client, lets running calls finish, a second signal ends the
//! server at once (`threats.toml` E11, E21).

use std::future::Future;

use tokio_util::sync::CancellationToken;

use sandbox::client::{self, ClientProcess};
use sandbox::signals::Signals;

/// The reason why a server ended.
pub enum ServingEnd<T> {
    /// The server ended by itself, with this result.
    Itself(T),
    /// After a graceful shutdown; the exit status for the signal.
    BySignal(u8),
    /// The server ended at once after a second signal, with this exit status.
    BySecondSignal(u8),
    /// After a graceful shutdown, because the client has ended.
    ByClient,
}

/// Runs `serve` and cancels `stop` at the first termination signal, or when `client` has ended. A second signal abandons
/// `serve`: the user who sends it does not want to wait for a call that hangs.
pub async fn until_ended<T>(
    serve: impl Future<Output = T>,
    stop: &CancellationToken,
    client: Option<ClientProcess>,
) -> ServingEnd<T> {
    let mut serve = std::pin::pin!(serve);
    // Without these handlers, signals end the process.
    let Ok(mut signals) = Signals::listen() else {
        return ServingEnd::Itself(serve.await);
    };
    let status = tokio::select! {
        ended = &mut serve => return ServingEnd::Itself(ended),
        signal = signals.next() => Some(signal.exit_status()),
        () = client::end_of(client) => None,
    };
    stop.cancel();
    tokio::select! {
        _ = serve => status.map_or(ServingEnd::ByClient, ServingEnd::BySignal),
        signal = signals.next() => ServingEnd::BySecondSignal(signal.exit_status()),
    }
}
