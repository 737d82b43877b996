//! Access control of the HTTP server by `Host` and `Origin`, and the bearer token of a request (`threats.toml` I04 to
//! I07).

use hyper::header::{AUTHORIZATION, HOST, HeaderName, ORIGIN};
use hyper::http::uri::Authority;
use hyper::{HeaderMap, Request, StatusCode, Uri};

use super::Rejection;
use crate::error::Error;
use protocol::Failure;
use store::agent_tokens::TokenHash;

/// Names of the loopback interface.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The allowed hosts and origins.
pub struct HttpGate {
    hosts: Vec<Authority>,
    origins: Vec<WebOrigin>,
}

/// The origin of a web page: scheme, host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
struct WebOrigin {
    scheme: String,
    host: String,
    port: u16,
}

impl HttpGate {
    /// Allows these hosts besides the loopback names, and only these origins.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` for an invalid host or origin.
    pub fn new(hosts: &[String], origins: &[String]) -> Result<Self, Failure> {
        let host = |text: &str| {
            text.parse::<Authority>()
                .ok()
                .filter(|authority| !text.contains('@') && !authority.host().is_empty())
                .ok_or(Error::AllowedHost)
        };
        let origin = |text: &String| WebOrigin::read(text).ok_or(Error::AllowedOrigin);
        Ok(Self {
            hosts: LOOPBACK
                .into_iter()
                .chain(hosts.iter().map(String::as_str))
                .map(host)
                .collect::<Result<_, _>>()?,
            origins: origins.iter().map(origin).collect::<Result<_, _>>()?,
        })
    }

    /// Allows only the loopback names with this port, and the pages that were served there.
    pub fn of_own_page(port: u16) -> Self {
        let names = LOOPBACK.map(|name| format!("{name}:{port}"));
        let origin = |host: &String| WebOrigin::read(&format!("http://{host}"));
        Self {
            origins: names.iter().filter_map(origin).collect(),
            hosts: names.iter().filter_map(|name| name.parse().ok()).collect(),
        }
    }

    /// Returns the hosts, for the MCP library's own check.
    pub fn hosts(&self) -> Vec<String> {
        self.hosts.iter().map(ToString::to_string).collect()
    }

    /// Returns the origins, for the MCP library's own check.
    pub fn origins(&self) -> Vec<String> {
        let text =
            |origin: &WebOrigin| format!("{}://{}:{}", origin.scheme, origin.host, origin.port);
        self.origins.iter().map(text).collect()
    }

    /// Checks `Host` and `Origin`, before anything else of the request is used.
    ///
    /// # Errors
    ///
    /// A [`Rejection`] with the status and the reason.
    pub fn admit<B>(&self, request: &Request<B>) -> Result<(), Rejection> {
        let headers = request.headers();
        if !self.host_is_allowed(request.uri(), headers) {
            return Err(Rejection(
                StatusCode::FORBIDDEN,
                "The `Host` header of this request is not allowed.",
            ));
        }
        if !self.origin_is_allowed(headers) {
            return Err(Rejection(
                StatusCode::FORBIDDEN,
                "The `Origin` header of this request is not allowed.",
            ));
        }
        Ok(())
    }

    /// Protects against DNS rebinding: a web page can make its own name resolve to this machine,
    /// but its requests still carry that name in `Host`.
    fn host_is_allowed(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let wanted = only(headers, &HOST).and_then(|host| host.parse::<Authority>().ok());
        let allowed = |wanted: &Authority| {
            self.hosts.iter().any(|host| {
                host.host().eq_ignore_ascii_case(wanted.host())
                    && host
                        .port_u16()
                        .is_none_or(|port| wanted.port_u16() == Some(port))
            })
        };
        wanted.as_ref().is_some_and(allowed) && uri.authority().is_none_or(allowed)
    }

    /// Browsers always send `Origin` with scripted requests; other clients send none.
    fn origin_is_allowed(&self, headers: &HeaderMap) -> bool {
        if !headers.contains_key(ORIGIN) {
            return true;
        }
        only(headers, &ORIGIN)
            .and_then(WebOrigin::read)
            .is_some_and(|origin| self.origins.contains(&origin))
    }
}

/// Returns the bearer token of a request. Accepted only in the header: in a URL it would end up in logs and histories.
pub fn token_of<B>(request: &Request<B>) -> Option<TokenHash> {
    let (scheme, given) = only(request.headers(), &AUTHORIZATION)?.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| TokenHash::new(given.trim()))
}

impl WebOrigin {
    /// Parses `https://app.example:443`; rejects a path, user info and `null`.
    fn read(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        if rest.contains(['/', '@', '?', '#', '*']) {
            return None;
        }
        let scheme = scheme.to_ascii_lowercase();
        let authority: Authority = rest.parse().ok()?;
        let usual = match scheme.as_str() {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        };
        let port = match authority.port() {
            Some(port) => port.as_u16(),
            None if rest.ends_with(':') => return None,
            None => usual?,
        };
        Some(Self {
            scheme,
            host: authority.host().to_ascii_lowercase(),
            port,
        })
    }
}

/// Returns the value of a header that occurs exactly once. With duplicates, another parser might pick the other one.
pub fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() {
        return None;
    }
    value.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("gate_cases.txt");

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    fn gate(hosts: &[&str], origins: &[&str]) -> HttpGate {
        let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        HttpGate::new(&owned(hosts), &owned(origins)).unwrap()
    }

    fn request(uri: &str, headers: &[(&str, &str)]) -> Request<()> {
        let mut request = Request::builder().method("POST").uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap()
    }

    fn status(gate: &HttpGate, uri: &str, headers: &[(&str, &str)]) -> u16 {
        let request = request(uri, headers);
        let token = TokenHash::new(TOKEN);
        match gate.admit(&request) {
            Err(turned) => turned.0.as_u16(),
            Ok(()) if token_of(&request).is_some_and(|given| given.is(&token)) => 200,
            Ok(()) => 401,
        }
    }

    #[test]
    fn i04_only_names_that_are_listed_are_served() {
        let gate = gate(&["notes.example", "box.example:8443"], &[]);
        let bearer = format!("Bearer {TOKEN}");
        let of = |host: &str| status(&gate, "/mcp", &[("host", host), ("authorization", &bearer)]);
        for host in tables::lines(CASES, "i04 only names that are listed") {
            assert_eq!(of(host), 200, "{host}");
        }
        for host in tables::lines(CASES, "i04 only names that are listed, 2") {
            let got = of(host);
            assert!(got == 403 || host == "user@localhost", "{host} {got}");
        }
        assert_eq!(status(&gate, "/mcp", &[("authorization", &bearer)]), 403);
        let twice = [
            ("host", "localhost"),
            ("host", "evil.example"),
            ("authorization", &bearer),
        ];
        assert_eq!(status(&gate, "/mcp", &twice), 403);
        let absolute = [("host", "localhost"), ("authorization", &bearer[..])];
        assert_eq!(status(&gate, "http://evil.example/mcp", &absolute), 403);
    }

    #[test]
    fn i23_a_page_of_our_own_is_reached_only_from_itself() {
        let gate = HttpGate::of_own_page(4711);
        let is_admitted = |host: &str, origin: Option<&str>| {
            let mut headers = vec![("host", host)];
            headers.extend(origin.map(|origin| ("origin", origin)));
            gate.admit(&request("/", &headers)).is_ok()
        };
        for name in LOOPBACK {
            let host = format!("{name}:4711");
            let own = format!("http://{host}");
            assert!(is_admitted(&host, None) && is_admitted(&host, Some(&own)));
            assert!(!is_admitted(name, None), "{name}");
            for wrong in tables::lines(CASES, "i23 a page of our own is reached") {
                assert!(!is_admitted(&host, Some(wrong)), "{wrong}");
            }
        }
        // A name that resolves to this machine.
        assert!(!is_admitted("evil.example:4711", None));
        assert!(!is_admitted("localhost:4712", None));
    }

    #[test]
    fn i05_only_origins_that_are_listed_are_served_and_none_is_by_default() {
        let bearer = format!("Bearer {TOKEN}");
        let listed = gate(&[], &["https://app.example", "http://localhost:6274"]);
        let none = gate(&[], &[]);
        for (origin, expected) in
            tables::typed::<(&str, u16)>(CASES, "i05 only origins that are listed")
        {
            let headers = [
                ("host", "localhost"),
                ("origin", origin),
                ("authorization", &bearer[..]),
            ];
            assert_eq!(status(&listed, "/mcp", &headers), expected, "{origin}");
            assert_eq!(status(&none, "/mcp", &headers), 403, "{origin}");
        }
        for wrong in tables::lines(CASES, "i05 only origins that are listed are") {
            assert!(HttpGate::new(&[], &[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn i07_only_the_token_in_its_header_opens() {
        let gate = gate(&[], &[]);
        let of = |uri: &str, authorization: &str| {
            status(
                &gate,
                uri,
                &[("host", "localhost"), ("authorization", authorization)],
            )
        };
        assert_eq!(of("/mcp", &format!("Bearer {TOKEN}")), 200);
        assert_eq!(of("/mcp", &format!("bearer {TOKEN}")), 200);
        for wrong in ["", "Bearer", "Bearer ", TOKEN, "Basic abc", "Bearer x"] {
            assert_eq!(of("/mcp", wrong), 401, "{wrong}");
        }
        for wrong in [&TOKEN[1..], &format!("{TOKEN}0"), &TOKEN.to_uppercase()] {
            assert_eq!(of("/mcp", &format!("Bearer {wrong}")), 401, "{wrong}");
        }
        assert_eq!(
            status(
                &gate,
                &format!("/mcp?token={TOKEN}"),
                &[("host", "localhost")]
            ),
            401
        );
    }
}
