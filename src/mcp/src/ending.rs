//! Graceful shutdown: the first signal, or the end of the client, lets running calls finish, a second signal ends the
//! server at once (`threats.toml` E11, E21).

use std::future::Future;
use std::process::ExitCode;

use tokio_util::sync::CancellationToken;

use sandbox::{ClientProcess, Signals, client};

/// The end of a server: by itself, by a signal, or because its client has ended.
pub struct ServingEnd<T> {
    /// The result of a server that ended by itself.
    pub result: Option<T>,
    /// The exit status for the signal, if one ended the server.
    pub status: ExitCode,
    /// Whether a second signal ended the server at once.
    pub is_abandoned: bool,
}

impl<T> ServingEnd<T> {
    /// The end of a server by itself.
    pub fn with_result(result: T) -> Self {
        Self {
            result: Some(result),
            status: ExitCode::SUCCESS,
            is_abandoned: false,
        }
    }
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
        return ServingEnd::with_result(serve.await);
    };
    let status = tokio::select! {
        ended = &mut serve => return ServingEnd::with_result(ended),
        signal = signals.next() => signal.exit_status(),
        () = client::end_of(client) => 0,
    };
    stop.cancel();
    let (status, is_abandoned) = tokio::select! {
        _ = serve => (status, false),
        signal = signals.next() => (signal.exit_status(), true),
    };
    ServingEnd {
        result: None,
        status: status.into(),
        is_abandoned,
    }
}
