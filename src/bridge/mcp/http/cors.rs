//! What a browser has to be told before it lets the script of a listed page ask here. Pages that
//! are not listed are told nothing, and no answer says `*` (`faults.md` I05, I06).

use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD,
    HeaderMap, HeaderName, HeaderValue, ORIGIN, VARY,
};
use hyper::{Method, Request};

/// Header fields that a client of the protocol sends.
const TAKEN: &str = "authorization, content-type, accept, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id";
/// Header fields of answers that a script may look at.
const SHOWN: &str = "mcp-protocol-version, www-authenticate";
/// For how long a browser need not ask again, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");
/// A page from elsewhere asks a server of this machine.
const ASKS_LOCALLY: HeaderName = HeaderName::from_static("access-control-request-private-network");
const LOCALLY: HeaderName = HeaderName::from_static("access-control-allow-private-network");

/// Whether a browser asks what it may send, which it does without the token.
pub(super) fn is_preflight<B>(request: &Request<B>) -> bool {
    let headers = request.headers();
    request.method() == Method::OPTIONS
        && headers.contains_key(ORIGIN)
        && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// The page that asks, which the gate has let in; none where a program does.
pub(super) fn page<B>(request: &Request<B>) -> Option<HeaderValue> {
    request.headers().get(ORIGIN).cloned()
}

/// Lets the script of this page see the answer.
pub(super) fn show(answer: &mut HeaderMap, page: HeaderValue) {
    answer.insert(ACCESS_CONTROL_ALLOW_ORIGIN, page);
    answer.append(VARY, HeaderValue::from_static("Origin"));
    answer.insert(
        ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(SHOWN),
    );
}

/// Says what may be sent.
pub(super) fn allow<B>(answer: &mut HeaderMap, request: &Request<B>) {
    answer.insert(
        ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("POST"),
    );
    answer.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static(TAKEN),
    );
    answer.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    if request.headers().contains_key(ASKS_LOCALLY) {
        answer.insert(LOCALLY, HeaderValue::from_static("true"));
    }
}
