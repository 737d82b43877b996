//! Restricts the review page to the last user of an address with a valid token.
//!
//! The token of the address is exchanged for a cookie and a key. A request needs both. Browsers send cookies
//! to every port of a host, so another user's server on this machine could collect the cookie; the key is kept
//! by the page's script, which only its own origin can read. A script of the page cannot read the cookie.

use std::sync::{Mutex, PoisonError};

use hyper::HeaderMap;
use hyper::header::{COOKIE, HeaderName};

use mcp::http::only;
use store::agent_tokens::{TokenHash, new_token};

/// The request header with the key.
const KEY: HeaderName = HeaderName::from_static("x-review-key");

/// The token that begins the next session, and the present session.
pub(super) struct Sessions {
    /// The name of the cookie. It contains the port, since pages on other ports share the cookies of the host.
    cookie_name: String,
    state: Mutex<SessionState>,
}

struct SessionState {
    /// The token that was not used yet.
    invited: TokenHash,
    /// The values of the cookie and of the header of the present session.
    begun: Option<(TokenHash, TokenHash)>,
}

/// A session that has just begun.
pub(super) struct NewSession {
    /// The `Set-Cookie` header.
    pub(super) cookie: String,
    /// The key for the page's script.
    pub(super) key: String,
}

impl Sessions {
    /// Invites the user of the token that is returned.
    pub(super) fn new(port: u16) -> (Self, String) {
        let token = new_token();
        let sessions = Self {
            cookie_name: format!("vault-gw-review-{port}"),
            state: Mutex::new(SessionState {
                invited: TokenHash::new(&token),
                begun: None,
            }),
        };
        (sessions, token)
    }

    /// Exchanges the token for a session, which ends the one before, and the token for the next one; `None` if the token
    /// is wrong, or was used.
    pub(super) fn begin(&self, token: &str) -> Option<(NewSession, String)> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.invited.is(&TokenHash::new(token)) {
            return None;
        }
        let (cookie, key, next) = (new_token(), new_token(), new_token());
        *state = SessionState {
            invited: TokenHash::new(&next),
            begun: Some((TokenHash::new(&cookie), TokenHash::new(&key))),
        };
        let name = &self.cookie_name;
        let session = NewSession {
            cookie: format!("{name}={cookie}; Path=/; HttpOnly; SameSite=Strict"),
            key,
        };
        Some((session, next))
    }

    /// Whether a request has both the cookie and the key of the session.
    pub(super) fn admits(&self, headers: &HeaderMap) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((cookie, key)) = &state.begun else {
            return false;
        };
        let has_key = only(headers, &KEY).is_some_and(|given| key.is(&TokenHash::new(given)));
        has_key
            && self
                .cookie_of(headers)
                .is_some_and(|given| cookie.is(&TokenHash::new(given)))
    }

    /// Returns the value of our cookie, if there is exactly one.
    fn cookie_of<'h>(&self, headers: &'h HeaderMap) -> Option<&'h str> {
        let pairs = only(headers, &COOKIE)?.split(';');
        let mut own = pairs.filter_map(|pair| {
            let (name, value) = pair.trim().split_once('=')?;
            (name == self.cookie_name).then_some(value)
        });
        own.next().filter(|_| own.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn headers(pairs: &[(&HeaderName, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn i23_the_token_works_once_and_a_request_needs_cookie_and_key() {
        let (sessions, token) = Sessions::new(4711);
        assert!(sessions.begin("").is_none() && sessions.begin(&token[1..]).is_none());
        let (session, next) = sessions.begin(&token).unwrap();
        assert!(sessions.begin(&token).is_none());
        let cookie = session.cookie.split(';').next().unwrap();
        assert!(cookie.starts_with("vault-gw-review-4711="));
        assert!(session.cookie.ends_with("; HttpOnly; SameSite=Strict"));
        let key = session.key.as_str();
        let both = format!("theme=dark; {cookie}");
        assert!(sessions.admits(&headers(&[(&COOKIE, &both), (&KEY, key)])));
        let twice = format!("{cookie}; {cookie}");
        let other = cookie.replace("4711", "4712");
        for wrong in [
            headers(&[(&COOKIE, cookie)]),
            headers(&[(&KEY, key)]),
            headers(&[(&COOKIE, cookie), (&KEY, &token)]),
            headers(&[(&COOKIE, &twice), (&KEY, key)]),
            headers(&[(&COOKIE, &other), (&KEY, key)]),
            headers(&[(&COOKIE, &format!("{cookie}0")), (&KEY, key)]),
            headers(&[(&COOKIE, cookie), (&KEY, key), (&KEY, key)]),
        ] {
            assert!(!sessions.admits(&wrong), "{wrong:?}");
        }
        // The next session ends this one.
        assert!(sessions.begin(&next).is_some());
        assert!(!sessions.admits(&headers(&[(&COOKIE, cookie), (&KEY, key)])));
    }
}
