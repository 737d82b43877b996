//! A small HTTP server on a loopback address: connections, their limits, and access by `Host` and `Origin`.

mod connection_permits;
mod gate;

use std::convert::Infallible;
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use self::connection_permits::{ConnectionPermit, ConnectionPermits};
pub use self::gate::{HttpGate, only, token_of};
use crate::error::Error;
use protocol::Failure;

/// The maximum number of header fields, and the maximum number of bytes of the whole head.
const MOST_HEADERS: usize = 64;
const MOST_HEAD_BYTES: usize = 32 * 1024;
/// The pause after `accept` failed, usually because the process has no file descriptors left.
const PAUSE: Duration = Duration::from_millis(100);
/// The longest time for connections to close after the server stops.
const TIME_TO_END: Duration = Duration::from_secs(2);

/// The limits of one client.
#[derive(Clone, Copy, Debug)]
pub struct HttpLimits {
    /// The maximum number of connections. A further one takes over the permit of an idle one, or waits.
    pub connections: usize,
    /// The time limit for the head of a request, and for an idle connection.
    pub time_for_head: Duration,
    /// The time limit for the body of a request.
    pub time_for_body: Duration,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            connections: 256,
            time_for_head: Duration::from_secs(5),
            time_for_body: Duration::from_secs(10),
        }
    }
}

/// An answer whose body is ready, or comes in pieces.
pub type HttpAnswer = Response<BoxBody<Bytes, Infallible>>;

/// Answers the requests of a server.
pub trait AnswersHttp: Send + Sync + 'static {
    /// Answers a request that came from `address`.
    fn answer(
        &self,
        request: Request<Incoming>,
        address: IpAddr,
    ) -> impl Future<Output = HttpAnswer> + Send;
}

/// A listening socket.
pub struct Listening {
    listener: TcpListener,
    /// The address, with the port that the system chose for port 0.
    pub address: SocketAddr,
}

impl Listening {
    /// Binds an address.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the address is in use.
    pub async fn on(wanted: SocketAddr) -> Result<Self, Failure> {
        let cannot_listen = |error| Error::NotListening(wanted, error);
        let listener = TcpListener::bind(wanted).await.map_err(cannot_listen)?;
        let address = listener.local_addr().map_err(cannot_listen)?;
        Ok(Self { listener, address })
    }

    /// Serves until `stop` is cancelled, then lets open connections finish for two seconds.
    pub async fn serve(
        self,
        front: Arc<impl AnswersHttp>,
        limits: HttpLimits,
        stop: CancellationToken,
    ) {
        let permits = ConnectionPermits::new(limits.connections);
        let mut connections = JoinSet::new();
        loop {
            while connections.try_join_next().is_some() {}
            let accepted = tokio::select! {
                () = stop.cancelled() => break,
                accepted = accept(&self.listener, &permits) => accepted,
            };
            let Some((stream, address, permit)) = accepted else {
                continue;
            };
            let front = Arc::clone(&front);
            let stop = stop.clone();
            connections.spawn(connection(stream, address, front, (permit, limits), stop));
        }
        // Connections that are still open by then are closed.
        drop(timeout(TIME_TO_END, connections.join_all()).await);
    }
}

/// Accepts a connection and takes a permit for it; `None` if accepting failed for now (`threats.toml`
/// J03).
async fn accept(
    listener: &TcpListener,
    permits: &Arc<ConnectionPermits>,
) -> Option<(TcpStream, IpAddr, Arc<ConnectionPermit>)> {
    if let Ok((stream, address)) = listener.accept().await {
        return Some((stream, address.ip(), permits.take().await?));
    }
    // Closing an idle connection frees the file descriptor that `accept` lacked.
    permits.make_room();
    tokio::time::sleep(PAUSE).await;
    None
}

async fn connection(
    stream: TcpStream,
    address: IpAddr,
    front: Arc<impl AnswersHttp>,
    (permit, limits): (Arc<ConnectionPermit>, HttpLimits),
    stop: CancellationToken,
) {
    // Nagle's algorithm would delay small answers.
    let _set = stream.set_nodelay(true);
    let service = service_fn(|request| {
        let (front, permit) = (Arc::clone(&front), Arc::clone(&permit));
        async move {
            let _busy = permit.busy();
            Ok::<_, Infallible>(front.answer(request, address).await)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // A client that sends its head byte by byte, or a huge one, must not occupy a connection or memory for long.
        .header_read_timeout(limits.time_for_head)
        .max_headers(MOST_HEADERS)
        .max_buf_size(MOST_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    // A client that disconnects or speaks no HTTP harms only itself, so errors are ignored.
    tokio::select! {
        _ended = connection.as_mut() => {}
        () = permit.wanted() => {
            // A graceful shutdown sends a pending answer first.
            if permit.has_served() {
                connection.as_mut().graceful_shutdown();
                drop(timeout(limits.time_for_body, connection).await);
            }
        }
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ended = connection.await;
        }
    }
}

/// Reads a whole body of at most `most` bytes. Rejects a larger `Content-Length` unread; a chunked
/// body is read up to the limit.
///
/// # Errors
///
/// A [`Rejection`] if the body is larger, or cannot be read.
pub async fn whole<B>(body: B, most: usize) -> Result<Bytes, Rejection>
where
    B: hyper::body::Body<Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
{
    match Limited::new(body, most).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(TOO_LARGE),
        Err(_) => Err(Rejection(
            StatusCode::BAD_REQUEST,
            "The body of the request is incomplete.",
        )),
    }
}

/// A rejected request: status and reason.
#[derive(Debug, PartialEq, Eq)]
pub struct Rejection(pub StatusCode, pub &'static str);

/// A body over the limit.
pub const TOO_LARGE: Rejection = Rejection(
    StatusCode::PAYLOAD_TOO_LARGE,
    "The body of the request is too large.",
);

impl From<Rejection> for HttpAnswer {
    fn from(Rejection(status, text): Rejection) -> Self {
        plain_text_answer(status, text)
    }
}

/// Returns an answer with JSON.
pub fn json_answer(status: StatusCode, answer: &impl serde::Serialize) -> HttpAnswer {
    let body = serde_json::to_vec(answer).unwrap_or_default();
    let mut answer = Response::new(Full::new(Bytes::from(body)).boxed());
    *answer.status_mut() = status;
    with_type("application/json", answer)
}

/// Returns the answer with this media type.
pub fn with_type(kind: &'static str, mut answer: HttpAnswer) -> HttpAnswer {
    let kind = HeaderValue::from_static(kind);
    answer.headers_mut().insert(CONTENT_TYPE, kind);
    answer
}

/// Returns an answer with a short text.
pub fn plain_text_answer(status: StatusCode, text: &'static str) -> HttpAnswer {
    let mut answer = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *answer.status_mut() = status;
    if status == StatusCode::UNAUTHORIZED {
        let bearer = HeaderValue::from_static("Bearer");
        answer.headers_mut().insert(WWW_AUTHENTICATE, bearer);
    }
    with_type("text/plain", answer)
}

/// Parses an address with a port, or a port alone, which means the loopback address.
///
/// # Errors
///
/// `USAGE_ERROR` if the text is neither, with the name of the option.
pub fn read_address(option: &str, text: &str) -> Result<SocketAddr, Failure> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    Err(Error::Address(option.to_owned()).into())
}
