//! MCP as Streamable HTTP, without sessions: each request stands for itself (`faults.md` I03 to I09).

mod gate;
mod token;

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{ALLOW, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::model::ServerJsonRpcMessage;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use self::gate::Gate;
use super::Arguments;
use super::message::{self, MAX_BYTES, Refused};
use super::server::{Server, Shared};
use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;

/// The one path that is served.
const PATH: &str = "/mcp";
/// Most connections at once; the next one waits until one of them ends or runs into a limit of time.
const MOST_CONNECTIONS: usize = 256;
/// Time for the head of a request, and for an idle connection.
const TIME_FOR_HEAD: Duration = Duration::from_secs(5);
/// Time for the body of a request.
const TIME_FOR_BODY: Duration = Duration::from_secs(10);
/// Most header fields, and most bytes of all of them.
const MOST_HEADERS: usize = 64;
const MOST_HEAD_BYTES: usize = 32 * 1024;
/// Most bytes of all bodies that are read or answered at once, in KiB.
const MOST_BODY_KIB: usize = 64 * 1024;
/// Between two tries to accept where the process has no descriptors left.
const PAUSE: Duration = Duration::from_millis(100);
/// Time for connections to end once the server stops.
const TIME_TO_END: Duration = Duration::from_secs(2);

type Answer = Response<BoxBody<Bytes, Infallible>>;
type Service = StreamableHttpService<Server, NeverSessionManager>;

/// A server that listens.
pub(super) struct Http {
    listener: TcpListener,
    address: SocketAddr,
    gate: Gate,
    token_file: PathBuf,
}

impl Http {
    /// Takes the address and the token; nothing is served yet.
    pub(super) async fn bind(
        address: &str,
        arguments: &Arguments,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let wanted = read_address(address)?;
        if !wanted.ip().is_loopback() && arguments.allow_host.is_empty() {
            return Err(Failure::new(
                Code::UsageError,
                "Other machines could reach that address. Name the host that they will ask for with \
                 `--allow-host`, or use a loopback address such as `127.0.0.1:8765`.",
            ));
        }
        let token_file = token::file(arguments.token_file.as_deref(), environment)?;
        let token = token::of(&token_file)?;
        let gate = Gate::new(&token, &arguments.allow_host, &arguments.allow_origin)?;
        let cannot_listen = |error: std::io::Error| {
            Failure::new(
                Code::IoError,
                format!(
                    "Cannot listen on {wanted}: {}. Use another port.",
                    error.kind()
                ),
            )
        };
        let listener = TcpListener::bind(wanted).await.map_err(cannot_listen)?;
        let address = listener.local_addr().map_err(cannot_listen)?;
        Ok(Self {
            listener,
            address,
            gate,
            token_file,
        })
    }

    /// Where it listens and where the token is, which itself is never shown.
    pub(super) fn told(&self) -> String {
        format!(
            "serving http://{}{PATH} with the bearer token in {}",
            self.address,
            self.token_file.display()
        )
    }

    /// Serves until `stop` is cancelled.
    pub(super) async fn serve(
        self,
        shared: Arc<Shared>,
        stop: CancellationToken,
    ) -> Result<(), Failure> {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_allowed_hosts(self.gate.hosts())
            .with_allowed_origins(self.gate.origins())
            .enforce_origin_validation()
            .with_max_request_body_bytes(MAX_BYTES)
            .with_cancellation_token(stop.child_token());
        let service = StreamableHttpService::new(
            move || Ok(Server::for_a_request(Arc::clone(&shared))),
            Arc::new(NeverSessionManager::default()),
            config,
        );
        let door = Arc::new(Front {
            gate: self.gate,
            service,
            bodies: Arc::new(Semaphore::new(MOST_BODY_KIB)),
        });
        let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        let mut connections = JoinSet::new();
        loop {
            while connections.try_join_next().is_some() {}
            let accepted = tokio::select! {
                () = stop.cancelled() => break,
                accepted = accept(&self.listener, &places) => accepted,
            };
            let Some((stream, place)) = accepted else {
                continue;
            };
            let door = Arc::clone(&door);
            let stop = stop.clone();
            connections.spawn(async move {
                connection(stream, door, stop).await;
                drop(place);
            });
        }
        // What has not ended by then is cut off.
        drop(timeout(TIME_TO_END, connections.join_all()).await);
        Ok(())
    }
}

/// A connection with its place; `None` where there was none to be had just now (`faults.md` J03).
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    if let Ok((stream, _)) = listener.accept().await {
        return Some((stream, place));
    }
    tokio::time::sleep(PAUSE).await;
    None
}

async fn connection(stream: TcpStream, front: Arc<Front>, stop: CancellationToken) {
    // Small answers go out at once.
    let _set = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let front = Arc::clone(&front);
        async move { Ok::<_, Infallible>(front.answer(request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(TIME_FOR_HEAD)
        .max_headers(MOST_HEADERS)
        .max_buf_size(MOST_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    // A client that breaks off or speaks no HTTP has only harmed itself.
    tokio::select! {
        _ended = connection.as_mut() => {}
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ended = connection.await;
        }
    }
}

/// What stands before the protocol.
struct Front {
    gate: Gate,
    service: Service,
    bodies: Arc<Semaphore>,
}

impl Front {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        match self.admitted(request).await {
            Ok(answer) => answer,
            Err(Turned(status, text)) => plain(status, text),
        }
    }

    /// Cheap questions first: nothing of the body is read for whoever has no token.
    async fn admitted(&self, request: Request<Incoming>) -> Result<Answer, Turned> {
        self.gate.admit(&request)?;
        if request.method() != Method::POST {
            let mut answer = plain(StatusCode::METHOD_NOT_ALLOWED, "Only POST is served.");
            answer
                .headers_mut()
                .insert(ALLOW, HeaderValue::from_static("POST"));
            return Ok(answer);
        }
        let (mut head, body) = request.into_parts();
        // Whatever keeps the head must not keep the token.
        head.headers.remove(AUTHORIZATION);
        let most = body.size_hint().upper().unwrap_or(MAX_BYTES as u64);
        if most > MAX_BYTES as u64 {
            return Err(Turned(
                StatusCode::PAYLOAD_TOO_LARGE,
                "The message is too large.",
            ));
        }
        let kib = u32::try_from(most / 1024 + 1).unwrap_or(u32::MAX);
        let reading = async {
            let room = self.bodies.acquire_many(kib).await;
            (room, Limited::new(body, MAX_BYTES).collect().await)
        };
        let (_room, body) = timeout(TIME_FOR_BODY, reading)
            .await
            .map_err(|_| Turned(StatusCode::REQUEST_TIMEOUT, "The message took too long."))?;
        let body = body
            .map_err(|_| {
                Turned(
                    StatusCode::BAD_REQUEST,
                    "The message is too large or broken off.",
                )
            })?
            .to_bytes();
        if let Err(refused) = message::read(&body) {
            return Ok(refusal(refused));
        }
        Ok(self
            .service
            .handle(Request::from_parts(head, Full::new(body)))
            .await)
    }
}

/// Turned away, with a status and why.
#[derive(Debug, PartialEq, Eq)]
struct Turned(StatusCode, &'static str);

fn plain(status: StatusCode, text: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(
            hyper::header::WWW_AUTHENTICATE,
            HeaderValue::from_static("Bearer"),
        );
    }
    answer
}

/// What is no message gets an error of the protocol.
fn refusal(refused: Refused) -> Answer {
    let Refused { id, error } = refused;
    let message = ServerJsonRpcMessage::error(*error, id);
    let body = serde_json::to_vec(&message).unwrap_or_default();
    let mut answer = Response::new(Full::new(Bytes::from(body)).boxed());
    *answer.status_mut() = StatusCode::BAD_REQUEST;
    answer
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

/// An address with a port, or a port of the loopback address.
fn read_address(text: &str) -> Result<SocketAddr, Failure> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    Err(Failure::new(
        Code::UsageError,
        "`--http` takes an address with a port, `127.0.0.1:8765` or `[::1]:8765`, or a port alone.",
    ))
}
