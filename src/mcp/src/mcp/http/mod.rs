//! MCP as stateless Streamable HTTP (`threats.toml` I03 to I09).

mod cors;
mod token;

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use http_body_util::Full;
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{ALLOW, AUTHORIZATION, HeaderValue, USER_AGENT};
use hyper::{Method, Request, StatusCode};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::McpArguments;
use super::call_permits::ClientAddress;
use super::message::{self, MAX_BYTES};
use super::server::{Handler, McpServer, ServerShared};
use crate::error::Error;
use crate::host::{Host, TokenHolder};
use crate::http::{
    AnswersHttp, HttpAnswer, HttpGate, HttpLimits, Listening, Rejection, TOO_LARGE, json_answer,
    plain_text_answer, read_address, token_of, whole,
};
use protocol::Failure;
use sandbox::Environment;
use settings::{Folders, HttpSettings};
use store::agent_tokens::TokenHash;

/// The path of the only endpoint.
const PATH: &str = "/mcp";
/// The maximum memory for request bodies in progress on all connections, in KiB.
const MOST_BODY_KIB: usize = 64 * 1024;
/// Bodies above this size, in bytes, are parsed on a blocking thread, so that they do not stall
/// other connections (`threats.toml` J05).
const LARGE_BODY: usize = 64 * 1024;
/// Number of bytes of `User-Agent` that distinguish clients.
const PROGRAM_BYTES: usize = 256;
type McpService = StreamableHttpService<Handler, NeverSessionManager>;

/// An HTTP server with its listening socket.
pub(super) struct Http {
    listening: Listening,
    gate: HttpGate,
    /// The token that needs no agent, and its file; `None` if it is turned off.
    shared_token: Option<(TokenHash, PathBuf)>,
    /// The state folder, with the agents' tokens.
    state: PathBuf,
}

impl Http {
    /// Binds the address and opens the token file, unless the settings turn the token off that needs no
    /// agent.
    ///
    /// # Errors
    ///
    /// If an option is invalid, the address is in use, or the token file is not private.
    pub(super) async fn bind(
        address: &str,
        arguments: &McpArguments,
        settings: HttpSettings,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let wanted = read_address("--http", address)?;
        if !wanted.ip().is_loopback() && arguments.allow_host.is_empty() {
            return Err(Error::NoHost.into());
        }
        let shared_token = if settings.shared_token {
            let file = token::file(arguments.token_file.as_deref(), environment)?;
            Some((token::open(&file)?, file))
        } else {
            None
        };
        let state = Folders::new(environment).state()?;
        let gate = HttpGate::new(&arguments.allow_host, &arguments.allow_origin)?;
        let listening = Listening::on(wanted).await?;
        Ok(Self {
            listening,
            gate,
            shared_token,
            state,
        })
    }

    /// Returns the line for the owner: the address, and the file with the token. Never the token itself.
    pub(super) fn summary(&self) -> String {
        let token = match &self.shared_token {
            Some((_, file)) => format!("the bearer token in {}", file.display()),
            None => "the tokens of agents".to_owned(),
        };
        format!(
            "serving http://{}{PATH} with {token}",
            self.listening.address
        )
    }

    /// Has the host accept the tokens of this server. Call it before [`Self::serve`].
    ///
    /// # Errors
    ///
    /// If the file of the agents' tokens is unusable.
    pub(super) fn accept_tokens(&self, host: &Host) -> Result<(), Failure> {
        let shared = self.shared_token.as_ref().map(|(token, _)| token.clone());
        host.accept_tokens(shared, self.state.clone())
    }

    /// Serves until `stop` is cancelled.
    pub(super) async fn serve(
        self,
        shared: Arc<ServerShared>,
        limits: HttpLimits,
        stop: CancellationToken,
    ) {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_allowed_hosts(self.gate.hosts())
            .with_allowed_origins(self.gate.origins())
            .enforce_origin_validation()
            .with_max_request_body_bytes(MAX_BYTES)
            .with_cancellation_token(stop.child_token());
        let front = Front {
            gate: self.gate,
            shared,
            config,
            bodies: Arc::new(Semaphore::new(MOST_BODY_KIB)),
            limits,
        };
        self.listening.serve(Arc::new(front), limits, stop).await;
    }
}

/// The checks in front of the MCP service.
struct Front {
    gate: HttpGate,
    shared: Arc<ServerShared>,
    config: StreamableHttpServerConfig,
    bodies: Arc<Semaphore>,
    limits: HttpLimits,
}

impl AnswersHttp for Front {
    async fn answer(&self, request: Request<Incoming>, address: IpAddr) -> HttpAnswer {
        if let Err(rejection) = self.gate.admit(&request) {
            return rejection.into();
        }
        if request.uri().path() != PATH {
            return Rejection(StatusCode::NOT_FOUND, "Not found.").into();
        }
        // Set on every answer, also errors, so that the page's script can read them.
        let page = cors::page(&request);
        let mut answer = if cors::is_preflight(&request) {
            let mut answer = plain_text_answer(StatusCode::NO_CONTENT, "");
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
}

impl Front {
    /// Returns the token of a request, and its holder. Every request but a preflight needs one. Nothing else in a
    /// request chooses an agent, and a refusal does not say why.
    fn sender_of<B>(&self, request: &Request<B>) -> Result<(TokenHash, TokenHolder), Rejection> {
        let token = token_of(request);
        let sender = token.and_then(|token| {
            let holder = self.shared.host.holder_of(&token)?;
            Some((token, holder))
        });
        sender.ok_or(Rejection(
            StatusCode::UNAUTHORIZED,
            "A valid bearer token is required.",
        ))
    }

    /// The MCP service for one request: it has no sessions, so that nothing is kept between requests.
    fn service_for(&self, token: TokenHash, holder: TokenHolder) -> McpService {
        let shared = Arc::new(self.shared.for_sender(token, holder));
        StreamableHttpService::new(
            move || {
                let shared = Arc::clone(&shared);
                let asks_back = false;
                Ok(McpServer { shared, asks_back }.into_handler())
            },
            Arc::new(NeverSessionManager::default()),
            self.config.clone(),
        )
    }

    /// Checks a request, cheapest first. Without a valid token nothing of the body is read.
    async fn admitted(
        &self,
        request: Request<Incoming>,
        address: IpAddr,
    ) -> Result<HttpAnswer, Rejection> {
        let (token, holder) = self.sender_of(&request)?;
        if request.method() != Method::POST {
            let mut answer =
                plain_text_answer(StatusCode::METHOD_NOT_ALLOWED, "Only POST is supported.");
            answer
                .headers_mut()
                .insert(ALLOW, HeaderValue::from_static("POST"));
            return Ok(answer);
        }
        let (mut head, body) = request.into_parts();
        // Nothing behind this point may see the token.
        head.headers.remove(AUTHORIZATION);
        let program = head.headers.get(USER_AGENT).map(HeaderValue::as_bytes);
        let program = program.unwrap_or_default();
        head.extensions.insert(ClientAddress {
            holder: holder.clone(),
            address,
            program: program[..program.len().min(PROGRAM_BYTES)].to_owned(),
        });
        let most = body.size_hint().upper().unwrap_or(MAX_BYTES as u64);
        if most > MAX_BYTES as u64 {
            return Err(TOO_LARGE);
        }
        let kib = u32::try_from(most / 1024 + 1).unwrap_or(u32::MAX);
        let reading = async {
            // Reserve memory before reading, so that parallel large bodies wait instead of adding
            // up.
            let room = Arc::clone(&self.bodies).acquire_many_owned(kib).await;
            (room, whole(body, MAX_BYTES).await)
        };
        let (room, body) = timeout(self.limits.time_for_body, reading)
            .await
            .map_err(|_| {
                Rejection(
                    StatusCode::REQUEST_TIMEOUT,
                    "The client did not send the whole message in time.",
                )
            })?;
        let body = body?;
        let service = self.service_for(token, holder);
        if body.len() <= LARGE_BODY {
            return Ok(handled(service, head, body).await);
        }
        // Dropping the future does not stop its thread, so signal it.
        let given_up = CancellationToken::new();
        let _guard = given_up.clone().drop_guard();
        let runtime = tokio::runtime::Handle::current();
        let handled = tokio::task::spawn_blocking(move || {
            let _room = room;
            runtime.block_on(given_up.run_until_cancelled(handled(service, head, body)))
        });
        let handled = handled.await.ok().flatten();
        handled.ok_or(Rejection(
            StatusCode::INTERNAL_SERVER_ERROR,
            "Internal error.",
        ))
    }
}

/// Passes a valid message to the MCP service.
async fn handled(
    service: McpService,
    head: hyper::http::request::Parts,
    body: Bytes,
) -> HttpAnswer {
    if let Err(refusal) = message::read(&body) {
        return json_answer(StatusCode::BAD_REQUEST, &refusal);
    }
    let request = Request::from_parts(head, Full::new(body));
    service.handle(request).await
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use std::net::SocketAddr;
    use std::time::Duration;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpStream;

    use super::*;
    use frontend::CommandLineOptions;

    /// Returns a server with these limits on an empty vault, with its address and token.
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
            tool_prefix: String::new(),
            default_settings: None,
        };
        let settings = HttpSettings::default();
        let http = Http::bind("127.0.0.1:0", &arguments, settings, &environment);
        let http = http.await.unwrap();
        let address = http.listening.address;
        let host = Host::start(&options, &environment).unwrap();
        http.accept_tokens(&host).unwrap();
        let shared = Arc::new(ServerShared::new(host, 1000, false).unwrap());
        tokio::spawn(http.serve(shared, limits, stop.clone()));
        let token = fs_err::read_to_string(folder.join("token")).unwrap();
        (address, token.trim().to_owned())
    }

    /// Returns the head of a valid request, without its last line.
    fn head(token: &str) -> String {
        format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        )
    }

    async fn sent(address: SocketAddr, text: &str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // Bytes that the server has not read break the connection after the answer.
        let _broken = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Raises the limit of open files of this process as far as the system allows.
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

    #[tokio::test]
    async fn i02_a_body_of_unknown_length_is_read_up_to_the_limit() {
        let read = |most| whole(Full::new(Bytes::from_static(b"12345")), most);
        assert_eq!(read(5).await, Ok(Bytes::from_static(b"12345")));
        assert_eq!(read(4).await, Err(TOO_LARGE));
        assert_eq!(TOO_LARGE.0, StatusCode::PAYLOAD_TOO_LARGE);
    }

    #[tokio::test]
    async fn i03_whoever_is_slow_or_idle_is_cut_off_and_others_are_served() {
        #[cfg(unix)]
        allow_descriptors();
        let folder = tempfile::tempdir().unwrap();
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
        // Far more idle connections than permits; some of them have sent something.
        let mut idle = Vec::new();
        for number in 0..1000 {
            let mut stream = TcpStream::connect(address).await.unwrap();
            if number % 3 == 0 {
                // The server may have closed it by then.
                drop(stream.write_all(b"POST /mcp HTTP/1.1\r\n").await);
            }
            idle.push(stream);
        }
        let answer = sent(address, &good).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        drop(idle);
        let fields = (0..200).map(|number| format!("X-{number}: y\r\n"));
        let fields: String = fields.chain(["\r\n".to_owned()]).collect();
        let long = format!("X-Long: {}\r\n\r\n", "y".repeat(100_000));
        for (rest, status, may_be_silent) in [
            // A head that never ends, a missing body, and a body without an announced length.
            ("", "4", true),
            ("Content-Length: 5\r\n\r\n{", "408", false),
            ("Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", "408", false),
            // Heads with too many fields, or too large.
            (&fields, "4", false),
            (&long, "4", true),
        ] {
            let answer = sent(address, &format!("{head}{rest}")).await;
            let is_refused = answer.starts_with(&format!("HTTP/1.1 {status}"));
            assert!(
                is_refused || may_be_silent && answer.is_empty(),
                "{rest}: {answer}"
            );
        }
        // A connection that is idle after an answer is closed too.
        let kept = sent(address, &good.replace("Connection: close\r\n", "")).await;
        assert!(kept.starts_with("HTTP/1.1 200"), "{kept}");
        let answer = sent(address, &good).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        stop.cancel();
    }

    #[tokio::test]
    async fn i03_a_message_that_is_announced_too_large_is_rejection_away_unread() {
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
