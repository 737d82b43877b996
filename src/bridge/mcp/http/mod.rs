//! MCP as Streamable HTTP, without sessions: each request stands for itself (`faults.md` I03 to I09).

mod connection_permits;
mod cors;
mod gate;
mod token;

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{ALLOW, AUTHORIZATION, CONTENT_TYPE, HeaderValue, USER_AGENT};
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

use self::connection_permits::{ConnectionPermits, Seat};
use self::gate::HttpGate;
use super::McpArguments;
use super::call_permits::ClientAddress;
use super::message::{self, MAX_BYTES, RefusedMessage};
use super::server::{McpServer, ServerShared};
use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;

/// The one path that is served.
const PATH: &str = "/mcp";
/// Most header fields, and most bytes of all of them.
const MOST_HEADERS: usize = 64;
const MOST_HEAD_BYTES: usize = 32 * 1024;
/// Most bytes of all bodies that are read or answered at once, in KiB.
const MOST_BODY_KIB: usize = 64 * 1024;
/// A body of more bytes is read and answered by a thread of its own: nobody else is to wait for
/// that (`faults.md` J05).
const LARGE_BODY: usize = 64 * 1024;
/// So much of what a program says it is, in bytes, tells it from others.
const PROGRAM_BYTES: usize = 256;
/// Between two tries to accept where the process has no descriptors left.
const PAUSE: Duration = Duration::from_millis(100);
/// Time for connections to end once the server stops.
const TIME_TO_END: Duration = Duration::from_secs(2);

/// What one client may take of everybody's room and time.
#[derive(Clone, Copy, Debug)]
struct HttpLimits {
    /// Most connections at once; the next one takes the place of one that is idle, or waits.
    connections: usize,
    /// Time for the head of a request, and for an idle connection.
    time_for_head: Duration,
    /// Time for the body of a request.
    time_for_body: Duration,
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

type HttpAnswer = Response<BoxBody<Bytes, Infallible>>;
type McpService = StreamableHttpService<McpServer, NeverSessionManager>;

/// A server that listens.
pub(super) struct Http {
    listener: TcpListener,
    address: SocketAddr,
    gate: HttpGate,
    token_file: PathBuf,
    limits: HttpLimits,
}

impl Http {
    /// Takes the address and the token; nothing is served yet.
    pub(super) async fn bind(
        address: &str,
        arguments: &McpArguments,
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
        let gate = HttpGate::new(&token, &arguments.allow_host, &arguments.allow_origin)?;
        let cannot_listen = |error: std::io::Error| {
            Failure::new(
                Code::IoError,
                format!(
                    "Cannot listen on {wanted}: {}. Use another port.",
                    error.kind()
                ),
            )
            .with("address", wanted.to_string())
        };
        let listener = TcpListener::bind(wanted).await.map_err(cannot_listen)?;
        let address = listener.local_addr().map_err(cannot_listen)?;
        Ok(Self {
            listener,
            address,
            gate,
            token_file,
            limits: HttpLimits::default(),
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
        shared: Arc<ServerShared>,
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
            move || Ok(McpServer::for_a_request(Arc::clone(&shared))),
            Arc::new(NeverSessionManager::default()),
            config,
        );
        let door = Arc::new(Front {
            gate: self.gate,
            service,
            bodies: Arc::new(Semaphore::new(MOST_BODY_KIB)),
            limits: self.limits,
        });
        let seats = ConnectionPermits::new(self.limits.connections);
        let mut connections = JoinSet::new();
        loop {
            while connections.try_join_next().is_some() {}
            let accepted = tokio::select! {
                () = stop.cancelled() => break,
                accepted = accept(&self.listener, &seats) => accepted,
            };
            let Some((stream, address, seat)) = accepted else {
                continue;
            };
            let door = Arc::clone(&door);
            let stop = stop.clone();
            connections.spawn(connection(stream, address, door, seat, stop));
        }
        // What has not ended by then is cut off.
        drop(timeout(TIME_TO_END, connections.join_all()).await);
        Ok(())
    }
}

/// A connection with its place; `None` where there was none to be had just now (`faults.md` J03).
async fn accept(
    listener: &TcpListener,
    seats: &Arc<ConnectionPermits>,
) -> Option<(TcpStream, IpAddr, Arc<Seat>)> {
    if let Ok((stream, address)) = listener.accept().await {
        return Some((stream, address.ip(), seats.take().await?));
    }
    // An idle connection has a descriptor that somebody else needs.
    seats.make_room();
    tokio::time::sleep(PAUSE).await;
    None
}

async fn connection(
    stream: TcpStream,
    address: IpAddr,
    front: Arc<Front>,
    seat: Arc<Seat>,
    stop: CancellationToken,
) {
    let time_for_head = front.limits.time_for_head;
    // Small answers go out at once.
    let _set = stream.set_nodelay(true);
    let service = service_fn(|request| {
        let (front, seat) = (Arc::clone(&front), Arc::clone(&seat));
        async move {
            let _busy = seat.busy();
            Ok::<_, Infallible>(front.answer(request, address).await)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(time_for_head)
        .max_headers(MOST_HEADERS)
        .max_buf_size(MOST_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    // A client that breaks off or speaks no HTTP has only harmed itself.
    tokio::select! {
        _ended = connection.as_mut() => {}
        () = seat.wanted() => {
            // Whatever is still to be said is said first.
            if seat.has_served() {
                connection.as_mut().graceful_shutdown();
                drop(timeout(front.limits.time_for_body, connection).await);
            }
        }
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ended = connection.await;
        }
    }
}

/// What stands before the protocol.
struct Front {
    gate: HttpGate,
    service: McpService,
    bodies: Arc<Semaphore>,
    limits: HttpLimits,
}

impl Front {
    async fn answer(&self, request: Request<Incoming>, address: IpAddr) -> HttpAnswer {
        if let Err(turned) = self.gate.admit_from_there(&request) {
            return turned.into();
        }
        // A listed page, or none: whatever the answer is, that page may see it.
        let page = cors::page(&request);
        let mut answer = if cors::is_preflight(&request) {
            let mut answer = plain(StatusCode::NO_CONTENT, "");
            cors::allow(answer.headers_mut(), &request);
            answer
        } else {
            let answered = self.admitted(request, address).await;
            answered.unwrap_or_else(HttpAnswer::from)
        };
        if let Some(page) = page {
            cors::show(answer.headers_mut(), page);
        }
        answer
    }

    /// Cheap questions first: nothing of the body is read for whoever has no token.
    async fn admitted(
        &self,
        request: Request<Incoming>,
        address: IpAddr,
    ) -> Result<HttpAnswer, Turned> {
        self.gate.admit_with_token(&request)?;
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
        let program = head.headers.get(USER_AGENT).map(HeaderValue::as_bytes);
        let program = program.unwrap_or_default();
        head.extensions.insert(ClientAddress {
            address,
            program: program[..program.len().min(PROGRAM_BYTES)].to_owned(),
        });
        let most = body.size_hint().upper().unwrap_or(MAX_BYTES as u64);
        if most > MAX_BYTES as u64 {
            return Err(TOO_LARGE);
        }
        let kib = u32::try_from(most / 1024 + 1).unwrap_or(u32::MAX);
        let reading = async {
            let room = Arc::clone(&self.bodies).acquire_many_owned(kib).await;
            (room, whole(body, MAX_BYTES).await)
        };
        let (room, body) = timeout(self.limits.time_for_body, reading)
            .await
            .map_err(|_| Turned(StatusCode::REQUEST_TIMEOUT, "The message took too long."))?;
        let body = body?;
        let service = self.service.clone();
        if body.len() <= LARGE_BODY {
            return Ok(handled(service, head, body).await);
        }
        // The thread goes on with what nobody waits for any more unless it is told.
        let given_up = CancellationToken::new();
        let _guard = given_up.clone().drop_guard();
        let runtime = tokio::runtime::Handle::current();
        let handled = tokio::task::spawn_blocking(move || {
            let _room = room;
            runtime.block_on(given_up.run_until_cancelled(handled(service, head, body)))
        });
        let handled = handled.await.ok().flatten();
        handled.ok_or(Turned(
            StatusCode::INTERNAL_SERVER_ERROR,
            "The server made a mistake.",
        ))
    }
}

/// A body to its end. One that was announced as too large is never read; one that was not is read so
/// far.
async fn whole<B>(body: B, most: usize) -> Result<Bytes, Turned>
where
    B: hyper::body::Body<Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
{
    match Limited::new(body, most).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(TOO_LARGE),
        Err(_) => Err(Turned(
            StatusCode::BAD_REQUEST,
            "The message is broken off.",
        )),
    }
}

/// The protocol's answer to what is a message.
async fn handled(
    service: McpService,
    head: hyper::http::request::Parts,
    body: Bytes,
) -> HttpAnswer {
    if let Err(refused) = message::read(&body) {
        return refusal(refused);
    }
    let request = Request::from_parts(head, Full::new(body));
    service.handle(request).await
}

/// Turned away, with a status and why.
#[derive(Debug, PartialEq, Eq)]
struct Turned(StatusCode, &'static str);

const TOO_LARGE: Turned = Turned(StatusCode::PAYLOAD_TOO_LARGE, "The message is too large.");

impl From<Turned> for HttpAnswer {
    fn from(Turned(status, text): Turned) -> Self {
        plain(status, text)
    }
}

fn plain(status: StatusCode, text: &'static str) -> HttpAnswer {
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
fn refusal(refused: RefusedMessage) -> HttpAnswer {
    let RefusedMessage { id, error } = refused;
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

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;
    use crate::bridge::mcp::door::Door;
    use crate::frontend::options::CommandLineOptions;

    /// A server with these limits on a vault with nothing in it, and its address and token.
    async fn server(
        folder: &std::path::Path,
        stop: &CancellationToken,
        limits: HttpLimits,
    ) -> (SocketAddr, String) {
        let vault = folder.join("Notes");
        fs_err::create_dir_all(vault.join(".obsidian")).unwrap();
        let settings = folder.join("settings.toml");
        let lines = format!(
            "enabled = true\nbackend = \"embedded\"\nvault = {:?}\n",
            vault.to_str().unwrap()
        );
        fs_err::write(&settings, lines).unwrap();
        let home = (OsString::from("HOME"), folder.as_os_str().to_owned());
        let environment = Environment::new([home], None);
        let mut options = CommandLineOptions::default();
        options.settings = Some(settings);
        let arguments = McpArguments {
            http: None,
            allow_origin: Vec::new(),
            allow_host: Vec::new(),
            token_file: Some(folder.join("token")),
            budget: 1000,
        };
        let mut http = Http::bind("127.0.0.1:0", &arguments, &environment)
            .await
            .unwrap();
        http.limits = limits;
        let address = http.address;
        let door = Door::open(&options, &environment).unwrap();
        let shared = Arc::new(ServerShared::new(door, 1000, false).unwrap());
        tokio::spawn(http.serve(shared, stop.clone()));
        let token = fs_err::read_to_string(folder.join("token")).unwrap();
        (address, token.trim().to_owned())
    }

    /// The head of a request for a client that may ask, without its last line.
    fn head(token: &str) -> String {
        format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        )
    }

    async fn sent(address: SocketAddr, text: &str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // Whatever was not read by then breaks the connection, after the answer.
        let _broken = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Raises the number of files that this process may have open as far as the system lets it.
    #[cfg(unix)]
    fn allow_descriptors() {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        let more = Rlimit {
            current: limit.maximum.map(|most| most.min(8192)),
            maximum: limit.maximum,
        };
        if limit.current < more.current {
            setrlimit(Resource::Nofile, more).unwrap();
        }
    }

    #[test]
    fn i02_a_body_of_unknown_length_is_read_up_to_the_limit() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let read = |most| runtime.block_on(whole(Full::new(Bytes::from_static(b"12345")), most));
        assert_eq!(read(5), Ok(Bytes::from_static(b"12345")));
        assert_eq!(read(4), Err(TOO_LARGE));
        assert_eq!(TOO_LARGE.0, StatusCode::PAYLOAD_TOO_LARGE);
    }

    #[test]
    fn i03_whoever_is_slow_or_idle_is_cut_off_and_others_are_served() {
        #[cfg(unix)]
        allow_descriptors();
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let stop = CancellationToken::new();
            let tight = HttpLimits {
                connections: 8,
                time_for_head: Duration::from_millis(300),
                time_for_body: Duration::from_millis(300),
            };
            let (address, token) = server(folder.path(), &stop, tight).await;
            let head = head(&token);
            let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
            let good = format!(
                "{head}Content-Length: {}\r\nConnection: close\r\n\r\n{ping}",
                ping.len()
            );
            // Far more idle connections than there are places, some of which have said something.
            let mut idle = Vec::new();
            for number in 0..1000 {
                let mut stream = TcpStream::connect(address).await.unwrap();
                if number % 3 == 0 {
                    // It may have been sent away by then.
                    drop(stream.write_all(b"POST /mcp HTTP/1.1\r\n").await);
                }
                idle.push(stream);
            }
            let answer = sent(address, &good).await;
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
            drop(idle);
            // A head that never ends, a body that never comes, and one that was never announced.
            let answer = sent(address, &head).await;
            assert!(
                answer.is_empty() || answer.starts_with("HTTP/1.1 4"),
                "{answer}"
            );
            let answer = sent(address, &format!("{head}Content-Length: 5\r\n\r\n{{")).await;
            assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
            let answer = sent(
                address,
                &format!("{head}Transfer-Encoding: chunked\r\n\r\n1\r\n{{\r\n"),
            )
            .await;
            assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
            // Heads with too many fields, or too large.
            let fields: String = (0..200)
                .map(|number| format!("X-{number}: y\r\n"))
                .collect();
            let answer = sent(address, &format!("{head}{fields}\r\n")).await;
            assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
            let answer = sent(
                address,
                &format!("{head}X-Long: {}\r\n\r\n", "y".repeat(100_000)),
            )
            .await;
            assert!(
                answer.is_empty() || answer.starts_with("HTTP/1.1 4"),
                "{answer}"
            );
            // An idle connection is closed after its answer too.
            let kept = sent(address, &good.replace("Connection: close\r\n", "")).await;
            assert!(kept.starts_with("HTTP/1.1 200"), "{kept}");
            let answer = sent(address, &good).await;
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
            stop.cancel();
        });
    }

    #[tokio::test]
    async fn i03_a_message_that_is_announced_too_large_is_turned_away_unread() {
        let folder = tempfile::tempdir().unwrap();
        let stop = CancellationToken::new();
        let (address, token) = server(folder.path(), &stop, HttpLimits::default()).await;
        let head = head(&token);
        let most = MAX_BYTES + 1;
        let answer = sent(address, &format!("{head}Content-Length: {most}\r\n\r\n")).await;
        assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
        stop.cancel();
    }
}
