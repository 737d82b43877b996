//! Strict parsing of one JSON-RPC message. Rejects what two parsers could read differently, such as
//! duplicate keys, and requests that would run without an answer (`threats.toml` B08, I13).

use std::fmt;

use rmcp::model::{ClientJsonRpcMessage, ErrorData, JsonRpcError, JsonRpcVersion2_0, RequestId};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use allowlist::with_whole_numbers;

/// The largest message in bytes, on either transport.
pub(super) const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The error answer to a rejected message: its id, if that is valid, and why the message is invalid.
pub(super) type Refusal = Box<JsonRpcError>;

/// Parses one message.
///
/// # Errors
///
/// If it is too large, or not valid JSON-RPC.
pub(super) fn read(bytes: &[u8]) -> Result<ClientJsonRpcMessage, Refusal> {
    if bytes.len() > MAX_BYTES {
        let text = format!("message too large; the limit is {MAX_BYTES} bytes");
        return refusal(None, ErrorData::invalid_request(text, None));
    }
    let parsed: Result<Strict, _> = serde_json::from_slice(bytes);
    let value = match parsed {
        Ok(Strict(value)) => with_whole_numbers(value),
        Err(error) if error.is_data() => {
            let id = serde_json::from_slice(bytes)
                .ok()
                .and_then(|Identified { id }| id);
            let id = valid_id(id.as_ref(), false).ok().flatten();
            return invalid(id, "the message names a key twice");
        }
        Err(_) => {
            let error = ErrorData::parse_error("the message is not JSON", None);
            return refusal(None, error);
        }
    };
    let object = match &value {
        Value::Object(object) => object,
        Value::Array(_) => {
            return invalid(None, "batches are not taken; send one message at a time");
        }
        _ => return invalid(None, "the message is not an object"),
    };
    let id = valid_id(object.get("id"), object.contains_key("error"))?;
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid(id, "`jsonrpc` must be \"2.0\"");
    }
    match object.get("method") {
        Some(Value::String(method)) => {
            let tells_only = method.starts_with("notifications/");
            if !tells_only && id.is_none() {
                return invalid(None, "a request needs an id; nothing was run");
            }
            if tells_only && id.is_some() {
                return invalid(id, "a notification has no id");
            }
        }
        Some(_) => return invalid(id, "`method` must be a string"),
        None if object.contains_key("result") == object.contains_key("error") => {
            return invalid(id, "a response has either `result` or `error`");
        }
        None => {}
    }
    serde_json::from_value(value)
        .or_else(|_| invalid(id, "the message has not the form that its method asks for"))
}

/// The id of a message whose other keys are not read. One that is given twice is an error.
#[derive(Deserialize)]
struct Identified {
    id: Option<Value>,
}

/// Checks the id: a string or an integer. `null` is valid only in an error response.
fn valid_id(id: Option<&Value>, is_error: bool) -> Result<Option<RequestId>, Refusal> {
    match id {
        None => Ok(None),
        Some(Value::Null) if is_error => Ok(None),
        Some(Value::String(text)) if text.len() <= MAX_ID_BYTES => {
            Ok(Some(RequestId::String(text.as_str().into())))
        }
        Some(Value::Number(number)) if number.is_i64() => {
            Ok(number.as_i64().map(RequestId::Number))
        }
        Some(_) => invalid(None, "`id` must be a short string or a whole number"),
    }
}

/// The longest id in bytes. Ids are kept in memory while their request runs.
const MAX_ID_BYTES: usize = 256;

fn invalid<T>(id: Option<RequestId>, message: &'static str) -> Result<T, Refusal> {
    refusal(id, ErrorData::invalid_request(message, None))
}

fn refusal<T>(id: Option<RequestId>, error: ErrorData) -> Result<T, Refusal> {
    let jsonrpc = JsonRpcVersion2_0;
    Err(Box::new(JsonRpcError { jsonrpc, id, error }))
}

/// A JSON value in which no object has duplicate keys.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictValue).map(Self)
    }
}

struct StrictValue;

impl<'de> Visitor<'de> for StrictValue {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Strict(item)) = access.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((key, Strict(value))) = access.next_entry::<String, Strict>()? {
            if object.insert(key, value).is_some() {
                return Err(serde::de::Error::custom("a key is named twice"));
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{ClientRequest, JsonRpcMessage};

    use super::*;

    #[test]
    fn b08_i13_what_could_be_taken_differently_or_run_unanswered_is_refused() {
        let number = |id: i64| Some(RequestId::Number(id));
        for (text, code, id) in [
            ("{", -32700, None),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"ping"} x"#,
                -32700,
                None,
            ),
            (
                r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
                -32600,
                None,
            ),
            ("[]", -32600, None),
            ("7", -32600, None),
            (r#"{"id":1,"method":"ping"}"#, -32600, number(1)),
            (
                r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
                -32600,
                None,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":{"b":1,"b":2}}}"#,
                -32600,
                number(1),
            ),
            (
                r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"read"}}"#,
                -32600,
                None,
            ),
            (
                r#"{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{}}"#,
                -32600,
                None,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
                -32600,
                None,
            ),
            (
                r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#,
                -32600,
                None,
            ),
            (
                r#"{"jsonrpc":"2.0","id":3,"method":"notifications/x"}"#,
                -32600,
                number(3),
            ),
            (r#"{"jsonrpc":"2.0","id":4,"method":5}"#, -32600, number(4)),
            (r#"{"jsonrpc":"2.0","id":5}"#, -32600, number(5)),
        ] {
            let refused = read(text.as_bytes()).expect_err(text);
            assert_eq!((refused.error.code.0, refused.id), (code, id), "{text}");
        }
        let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
        assert!(read(deep.as_bytes()).is_err());
        assert_eq!(read(b"\xff\xfe").unwrap_err().error.code.0, -32700);
    }

    #[test]
    fn good_messages_are_read() {
        let call = read(br#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"read","arguments":{"path":"a.md"}}}"#);
        let JsonRpcMessage::Request(request) = call.unwrap() else {
            panic!("a request");
        };
        let ClientRequest::CallToolRequest(call) = request.request else {
            panic!("a tool call");
        };
        assert_eq!(call.params.name, "read");
        assert!(matches!(
            read(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
            Ok(JsonRpcMessage::Notification(_))
        ));
        assert!(matches!(
            read(br#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"approve":true}}}"#),
            Ok(JsonRpcMessage::Response(_))
        ));
    }
}
