//! The kinds of input lines.

use serde::Deserialize;
use serde_json::{Map, Value};

use gateway::{Envelope, MAX_REQUEST_BYTES, Request, RequestId, is_id};
use protocol::Failure;

/// A parsed input line.
pub(super) enum RequestLine {
    /// A line with only white space, which is ignored.
    Blank,
    /// A request to answer.
    Request(Box<Request>),
    /// The cancellation of the request with this id.
    Cancel(RequestId),
    /// An invalid request, with the error envelope to answer.
    Unusable(Box<Envelope>),
}

/// `{"cancel": ID}` cancels the request with that id, which is then answered with `CANCELLED`
/// unless it has finished. The cancellation itself has no answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CancelLine {
    cancel: RequestId,
}

impl RequestLine {
    /// Parses a line without its line feed.
    pub(super) fn read(line: &[u8]) -> Self {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Self::Blank;
        }
        match Request::from_json(line) {
            Ok(request) => Self::Request(Box::new(request)),
            Err(failure) => match serde_json::from_slice(line) {
                Ok(CancelLine { cancel }) => Self::Cancel(cancel),
                Err(_) => Self::unusable(line, failure),
            },
        }
    }

    /// Returns the error envelope for an invalid line. Echoes its `id`, `correlationId` and `command` where they can be
    /// read, so that the caller can match the answer.
    fn unusable(line: &[u8], failure: Failure) -> Self {
        let mut seen = Map::new();
        if line.len() <= MAX_REQUEST_BYTES
            && let Ok(Value::Object(object)) = serde_json::from_slice(line)
        {
            seen = object;
        }
        let id = seen.remove("id").and_then(RequestId::from_value);
        let mut text = |key: &str| match seen.remove(key) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let mut envelope = Envelope::from_failure(&text("command").unwrap_or_default(), failure);
        envelope.id = id.filter(RequestId::is_valid);
        envelope.correlation_id = text("correlationId").filter(|id| is_id(id));
        Self::Unusable(Box::new(envelope))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Code;

    fn id(text: &str) -> RequestId {
        RequestId::Text(text.to_owned())
    }

    #[test]
    fn a_line_asks_or_takes_back_or_is_answered_with_what_is_wrong() {
        assert!(matches!(RequestLine::read(b" \t"), RequestLine::Blank));
        let RequestLine::Request(request) = RequestLine::read(br#"{"id":"7","command":"read"}"#)
        else {
            panic!("a request");
        };
        assert_eq!(request.id, Some(id("7")));
        for (line, cancelled) in [
            (&br#"{"cancel":"7"}"#[..], id("7")),
            (br#"{"cancel":7}"#, RequestId::Number(7)),
            (br#"{"cancel":7.0}"#, RequestId::Number(7)),
        ] {
            let RequestLine::Cancel(named) = RequestLine::read(line) else {
                panic!("a cancellation");
            };
            assert_eq!(named, cancelled);
        }
        let number = RequestId::Number(8);
        for (line, id, command, correlation_id) in [
            (&br#"{"id":"8","command":1}"#[..], Some(id("8")), "", None),
            (br#"{"id":8,"command":1}"#, Some(number), "", None),
            (br#"{"id":8.5,"command":"read"}"#, None, "read", None),
            (br#"{"id":"a b","command":"read"}"#, None, "read", None),
            (
                br#"{"command":"read","correlationId":"c1","x":1}"#,
                None,
                "read",
                Some("c1"),
            ),
            (
                br#"{"id":"9","command":"read","correlationId":"c 1"}"#,
                Some(id("9")),
                "read",
                None,
            ),
            (
                br#"{"id":"9","command":["read"],"correlationId":7}"#,
                Some(id("9")),
                "",
                None,
            ),
            (br#"{"cancel":"7","x":1}"#, None, "", None),
            (br#"{"cancel":true}"#, None, "", None),
            (b"none", None, "", None),
        ] {
            let RequestLine::Unusable(envelope) = RequestLine::read(line) else {
                panic!("{}", String::from_utf8_lossy(line));
            };
            assert_eq!(envelope.id, id);
            assert_eq!(envelope.command, command);
            assert_eq!(envelope.correlation_id.as_deref(), correlation_id);
            assert_eq!(envelope.error.unwrap().code, Code::UsageError);
        }
    }
}
