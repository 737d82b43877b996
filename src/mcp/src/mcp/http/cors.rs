//! CORS headers: they let the script of an allowed page read our answers. Other pages get none, and
//! no answer contains `*` (`threats.toml` I05, I06).

use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD,
    HeaderMap, HeaderName, HeaderValue, ORIGIN, VARY,
};
use hyper::{Method, Request};

/// Request headers that MCP clients send.
const TAKEN: &str = "authorization, content-type, accept, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id";
/// Response headers that a script may read.
const SHOWN: &str = "mcp-protocol-version, www-authenticate";
/// Time in seconds for which a browser may cache the preflight answer.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");
/// Private network access: a public page asks a server on this machine.
const ASKS_LOCALLY: HeaderName = HeaderName::from_static("access-control-request-private-network");
const LOCALLY: HeaderName = HeaderName::from_static("access-control-allow-private-network");

/// Whether this is a CORS preflight, which browsers send without the token.
pub(super) fn is_preflight<B>(request: &Request<B>) -> bool {
    let headers = request.headers();
    request.method() == Method::OPTIONS
        && headers.contains_key(ORIGIN)
        && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// Returns the `Origin` of the request, which the gate has checked; `None` for clients that are not browsers.
pub(super) fn page<B>(request: &Request<B>) -> Option<HeaderValue> {
    request.headers().get(ORIGIN).cloned()
}

/// Lets the script of this page read the answer.
pub(super) fn show(answer: &mut HeaderMap, page: HeaderValue) {
    answer.insert(ACCESS_CONTROL_ALLOW_ORIGIN, page);
    answer.append(VARY, HeaderValue::from_static("Origin"));
    answer.insert(
        ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(SHOWN),
    );
}

/// Adds the preflight answer: which methods and headers may be sent.
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
