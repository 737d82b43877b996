//! The HTTP side of the page: static files for everyone, everything else for the session alone.
//!
//! The content security policy forbids inline code, foreign resources, frames, and strings that become markup.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Channel};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, ORIGIN, REFERRER_POLICY,
    SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::address_file::AddressFile;
use super::handler::ReviewHandler;
use super::session::Sessions;
use frontend::escape;
use mcp::http::{
    AnswersHttp, HttpAnswer, HttpGate, Rejection, json_answer, only, plain_text_answer, whole,
    with_type,
};
use protocol::Failure;

/// The files of the page. No other resource is loaded.
const HTML: &str = include_str!("assets/page.html");
const STYLE: &str = include_str!("assets/page.css");
const SCRIPT: &str = include_str!("assets/page.js");

/// Nothing but the page's own files, no inline code, no frames, and no text that becomes markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
/// On every answer.
const HEADERS: [(HeaderName, &str); 7] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_FRAME_OPTIONS, "DENY"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];
/// The header by which a browser says which page sends the request.
const SENDER: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The maximum number of bytes of a request's body: an edited text in which each character is escaped, or all names of
/// a draft.
const MOST_BODY: usize = 8 << 20;
/// The time for a body.
const TIME_FOR_BODY: Duration = Duration::from_secs(10);
/// Time between two looks of the page for changes.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// After so many looks without a change a comment is sent, which shows whether the browser is still there.
const LOOKS_BETWEEN_SIGNS: u32 = 15;

/// The page of one process.
pub(super) struct Page {
    gate: HttpGate,
    sessions: Sessions,
    handler: Arc<ReviewHandler>,
    port: u16,
    file: Arc<AddressFile>,
    stop: CancellationToken,
}

/// The body of `POST /session`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Invitation {
    token: String,
}

impl Page {
    /// The page on this port, and the address that opens it once.
    pub(super) fn new(
        port: u16,
        handler: Arc<ReviewHandler>,
        file: Arc<AddressFile>,
        stop: CancellationToken,
    ) -> (Self, String) {
        let (sessions, token) = Sessions::new(port);
        let page = Self {
            gate: HttpGate::of_own_page(port),
            sessions,
            handler,
            port,
            file,
            stop,
        };
        let address = page.address(&token);
        (page, address)
    }

    fn address(&self, token: &str) -> String {
        format!("http://127.0.0.1:{}/#{token}", self.port)
    }

    async fn answered(&self, request: Request<Incoming>) -> Result<HttpAnswer, Rejection> {
        self.gate.admit(&request)?;
        let path = request.uri().path().to_owned();
        let is_post = request.method() == Method::POST;
        // The file that leads here is another page to a browser. The document itself contains nothing.
        let is_document = request.method() == Method::GET && path == "/";
        if !is_document && !comes_from_here(request.headers()) {
            return Err(Rejection(
                StatusCode::FORBIDDEN,
                "The request was refused, because it does not come from the review page.",
            ));
        }
        if !is_post && request.method() != Method::GET {
            return Err(Rejection(
                StatusCode::METHOD_NOT_ALLOWED,
                "Only GET and POST are supported.",
            ));
        }
        // Every browser names the origin of a POST.
        if is_post && !request.headers().contains_key(ORIGIN) {
            return Err(Rejection(
                StatusCode::FORBIDDEN,
                "An `Origin` header is required.",
            ));
        }
        match (is_post, path.as_str()) {
            (false, "/") => return Ok(file("text/html; charset=utf-8", HTML)),
            (false, "/page.css") => return Ok(file("text/css; charset=utf-8", STYLE)),
            (false, "/page.js") => return Ok(file("text/javascript; charset=utf-8", SCRIPT)),
            (false, "/favicon.ico") => {
                return Ok(plain_text_answer(StatusCode::NO_CONTENT, ""));
            }
            (true, "/session") => return self.begin(&read(request).await?),
            _ => {}
        }
        if !self.sessions.admits(request.headers()) {
            return Err(Rejection(
                StatusCode::FORBIDDEN,
                "The page works only in the tab that was opened last. To use this tab, open the \
                file that `vault-gw review --web` names.",
            ));
        }
        match (is_post, path.as_str()) {
            (false, "/waiting") => Ok(self.with_handler(ReviewHandler::waiting).await),
            (false, "/events") => Ok(self.events()),
            (true, "/decision") => self.asked(request, ReviewHandler::decide).await,
            (true, "/text") => self.asked(request, |it, of| it.proposed_text(&of)).await,
            (true, "/undo") => self.asked(request, |it, of| it.undo(&of)).await,
            (true, "/approval") => self.asked(request, |it, of| it.answer_approval(&of)).await,
            _ => Err(Rejection(StatusCode::NOT_FOUND, "Not found.")),
        }
    }

    /// Exchanges the token for the session.
    fn begin(&self, invitation: &Invitation) -> Result<HttpAnswer, Rejection> {
        let (session, next) = self.sessions.begin(&invitation.token).ok_or(Rejection(
            StatusCode::FORBIDDEN,
            "This address was already used or is incomplete. Open the file that `vault-gw review --web` names.",
        ))?;
        // The page works without the file, and the next start writes it again.
        drop(self.file.lead_to(&self.address(&next)));
        let mut answer = json_answer(StatusCode::OK, &json!({ "key": session.key }));
        let cookie = HeaderValue::from_str(&session.cookie).map_err(|_| INTERNAL)?;
        answer.headers_mut().insert(SET_COOKIE, cookie);
        Ok(answer)
    }

    /// Asks the handler the question in the body of a request.
    async fn asked<Q: DeserializeOwned + Send + 'static, T: Serialize + Send + 'static>(
        &self,
        request: Request<Incoming>,
        ask: impl FnOnce(&ReviewHandler, Q) -> Result<T, Failure> + Send + 'static,
    ) -> Result<HttpAnswer, Rejection> {
        let question = read(request).await?;
        Ok(self.with_handler(move |it| ask(it, question)).await)
    }

    /// Asks the handler on a thread that may wait for the vault.
    async fn with_handler<T: Serialize + Send + 'static>(
        &self,
        question: impl FnOnce(&ReviewHandler) -> Result<T, Failure> + Send + 'static,
    ) -> HttpAnswer {
        let handler = Arc::clone(&self.handler);
        match tokio::task::spawn_blocking(move || question(&handler)).await {
            Ok(Ok(answer)) => json_answer(StatusCode::OK, &answer),
            Ok(Err(failure)) => {
                let message = escape::plan(&failure.for_person());
                let error = json!({ "error": { "code": failure.code.name(), "message": message } });
                json_answer(StatusCode::UNPROCESSABLE_ENTITY, &error)
            }
            Err(_) => INTERNAL.into(),
        }
    }

    /// Returns a stream of events, one each time that something changed.
    fn events(&self) -> HttpAnswer {
        let (mut sender, body) = Channel::<Bytes, Infallible>::new(1);
        let (handler, stop) = (Arc::clone(&self.handler), self.stop.clone());
        tokio::spawn(stop.run_until_cancelled_owned(async move {
            let (mut known, mut quiet) = (None, 0);
            loop {
                let wanted = Arc::clone(&handler);
                let stamp = tokio::task::spawn_blocking(move || wanted.stamp().ok()).await;
                let stamp = stamp.ok().flatten();
                let is_news = known.as_ref().is_some_and(|known| *known != stamp);
                known = Some(stamp);
                quiet += 1;
                let text = match quiet {
                    _ if is_news => "event: changed\ndata:\n\n",
                    1 | LOOKS_BETWEEN_SIGNS => ":\n\n",
                    _ => "",
                };
                if quiet == LOOKS_BETWEEN_SIGNS {
                    quiet = 1;
                }
                let is_gone = !text.is_empty()
                    && sender
                        .send_data(Bytes::from_static(text.as_bytes()))
                        .await
                        .is_err();
                if is_gone {
                    break;
                }
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        }));
        with_type("text/event-stream", Response::new(body.boxed()))
    }
}

impl AnswersHttp for Page {
    async fn answer(&self, request: Request<Incoming>, _address: IpAddr) -> HttpAnswer {
        let answered = self.answered(request).await;
        let mut answer = answered.unwrap_or_else(HttpAnswer::from);
        for (name, value) in HEADERS {
            let value = HeaderValue::from_static(value);
            answer.headers_mut().insert(name, value);
        }
        answer
    }
}

const INTERNAL: Rejection = Rejection(StatusCode::INTERNAL_SERVER_ERROR, "Internal error.");

/// Whether the request was sent by our own page or typed by a person, as far as the browser says.
fn comes_from_here(headers: &HeaderMap) -> bool {
    !headers.contains_key(SENDER) || matches!(only(headers, &SENDER), Some("same-origin" | "none"))
}

/// Returns the JSON in the body of a request.
async fn read<T: DeserializeOwned>(request: Request<Incoming>) -> Result<T, Rejection> {
    let body = timeout(TIME_FOR_BODY, whole(request.into_body(), MOST_BODY)).await;
    let body = body.map_err(|_| {
        Rejection(
            StatusCode::REQUEST_TIMEOUT,
            "The browser did not send the whole request in time.",
        )
    })??;
    serde_json::from_slice(&body).map_err(|_| {
        Rejection(
            StatusCode::BAD_REQUEST,
            "The body of the request is invalid.",
        )
    })
}

fn file(kind: &'static str, text: &'static str) -> HttpAnswer {
    with_type(kind, plain_text_answer(StatusCode::OK, text))
}
