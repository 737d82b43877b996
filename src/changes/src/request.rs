//! The request, and the strict parser of its JSON form.
//!
//! Two parsers of the same bytes must never disagree, so anything ambiguous is refused rather than
//! interpreted: duplicate keys, unknown fields, wrong types, a byte order mark, invalid UTF-8
//! (`threats.toml` B07 to B09).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::error::Error;
use crate::kept::Kept;
use allowlist::{CALL_FIELDS, Call, Catalogue, RawValue, nearest, shown, with_whole_numbers};
use protocol::{Failure, Message, did_you_mean, either, message};
use store::journal::{Direction, RunPrefix};

/// Largest JSON request in bytes.
pub const MAX_REQUEST_BYTES: usize = 32 * 1024 * 1024;
/// Longest id in characters (`design/envelope.md`).
const MAX_ID_CHARACTERS: usize = 128;
/// The maximum number of unknown fields in a message.
const MOST_PLACES: usize = 5;

/// The request of a caller. Nothing in it can widen what the settings allow.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Request {
    /// Names this request among those under way at once, for `{"cancel": ID}` on a line of its own
    /// and for telling answers apart; echoed in the envelope. A whole number, or a text of at most 128
    /// characters without white space.
    #[serde(default)]
    pub id: Option<RequestId>,
    /// The official command, `daily:read`; or `context` or `capabilities`, about the gateway itself.
    pub command: String,
    /// Its parameters and flags.
    #[serde(default)]
    #[schemars(with = "serde_json::Map<String, Value>")]
    pub params: Params,
    /// The pinned vault's name; any other is refused.
    #[serde(default)]
    pub vault: Option<String>,
    /// Say what would be run, and run nothing.
    #[serde(default)]
    pub dry_run: bool,
    /// Put the change into the draft, which a person reviews, where it would be made in the vault.
    #[serde(default)]
    pub draft: bool,
    /// Run only if the target note's SHA-256 is this (64 lower-case hexadecimal digits).
    #[serde(default)]
    pub if_hash: Option<String>,
    /// The id of an approval that a person gave.
    #[serde(default)]
    pub approval: Option<String>,
    /// Keep at most this many bytes of each output stream.
    #[serde(default, deserialize_with = "whole")]
    #[schemars(range(min = 1))]
    pub budget: Option<u64>,
    /// Go on in an answer that was cut: its `nextOffset`. Counts characters of a text, items of a list.
    #[serde(default, deserialize_with = "whole")]
    pub offset: usize,
    /// Add to each note in `data` the address that opens it in the app.
    #[serde(default)]
    pub links: Option<NoteLinks>,
    /// Leave `stdout` empty if `data` contains the whole answer, so that no note is sent twice.
    #[serde(default)]
    pub no_stdout: bool,
    /// Echoed in the envelope; at most 128 characters, no white space.
    #[serde(default)]
    #[schemars(length(max = 128))]
    pub correlation_id: Option<String>,
    /// The id of this run, if the caller wants to choose it; a UUID of version 4.
    #[serde(default)]
    pub run_id: Option<Uuid>,
    /// Invalid fields, which were left out. Such a request is refused.
    #[serde(skip)]
    pub misfits: Vec<Message>,
}

/// The form of the links to notes that an answer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NoteLinks {
    /// `uri`, next to each `path` of a note: `obsidian://open?vault=…&file=…`.
    Uri,
}

/// The id of a request: a text or, as clients of JSON-RPC send it, a whole number. `7` and `"7"` are two
/// ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum RequestId {
    /// A whole number.
    Number(i64),
    /// A text of 1 to 128 characters without white space.
    Text(#[schemars(length(min = 1, max = 128))] String),
}

impl RequestId {
    /// Returns the id in a JSON value; `None` if it is neither a text nor a whole number.
    pub fn from_value(value: Value) -> Option<Self> {
        match with_whole_numbers(value) {
            Value::String(text) => Some(Self::Text(text)),
            Value::Number(number) => number.as_i64().map(Self::Number),
            _ => None,
        }
    }

    /// Whether it may be echoed.
    pub fn is_valid(&self) -> bool {
        self.check().is_ok()
    }

    fn check(&self) -> Result<(), Error> {
        match self {
            Self::Number(_) => Ok(()),
            Self::Text(text) => check_id("id", Some(text)),
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = Self::from_value(Value::deserialize(deserializer)?);
        id.ok_or_else(|| D::Error::custom("expected a string or a whole number"))
    }
}

/// Parses a number that may be written with a fraction of zero.
fn whole<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let value = with_whole_numbers(Value::deserialize(deserializer)?);
    T::deserialize(value).map_err(D::Error::custom)
}

/// Parameters by key, before admission.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Params(pub BTreeMap<String, RawValue>);

impl Params {
    /// The parameters that are given: `null` means not given (`contracts.md` D25). Only the value
    /// of a property can be null, which admission checks.
    pub fn given(&self) -> impl Iterator<Item = (&String, &RawValue)> {
        self.0.iter().filter(|(_, value)| **value != RawValue::Null)
    }
}

/// The parameter of an undo and a redo: the id of the run, or the beginning of the id.
pub const RUN: &str = "run";
/// The parameter that says what to do with the contents that the journal keeps.
pub const KEPT: &str = "kept";
/// The parameter that names the file of such a content.
pub const PATH: &str = "path";

impl Request {
    /// Returns the command with its parameters, checked and typed.
    ///
    /// # Errors
    ///
    /// `UNKNOWN_COMMAND`, and the failures of admission.
    pub fn call(&self) -> Result<Call, Failure> {
        let command = Catalogue::find_builtin(&self.command)?;
        let arguments = command.admit(&command.given(&self.params.0))?;
        Ok(Call { command, arguments })
    }

    /// A request for `command` without parameters.
    ///
    /// ```
    /// let request = changes::request::Request::new("files");
    /// assert!(request.check().is_ok());
    /// ```
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            ..Self::default()
        }
    }

    /// Parses one JSON object.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` if `bytes` are more than [`MAX_REQUEST_BYTES`], are not UTF-8, or are not one
    /// object of the request schema; and as for [`Self::check`].
    ///
    /// ```
    /// use changes::request::Request;
    ///
    /// let request = Request::from_json(br#"{"command":"daily:read"}"#).unwrap();
    /// assert_eq!(request.command, "daily:read");
    /// assert!(Request::from_json(b"daily:read").is_err());
    /// ```
    pub fn from_json(bytes: &[u8]) -> Result<Self, Failure> {
        if bytes.len() > MAX_REQUEST_BYTES {
            return Err(Error::RequestTooLarge(bytes.len()).into());
        }
        let text =
            std::str::from_utf8(bytes).map_err(|error| Error::NotUtf8(error.valid_up_to()))?;
        if text.starts_with('\u{feff}') {
            return Err(Error::ByteOrderMark.into());
        }
        // serde would also accept an array, and assign its items to the fields in order.
        if !text
            .trim_start_matches([' ', '\t', '\r', '\n'])
            .starts_with('{')
        {
            return Err(Error::NotAnObject.into());
        }
        // serde_json stops at 128 levels and refuses lone surrogates.
        let request: Self = serde_json::from_str(text).map_err(|error| {
            let fields = serde_json::from_str(text).unwrap_or_default();
            not_of_schema(&error, &fields)
                .with("line", error.line())
                .with("column", error.column())
        })?;
        request.check()?;
        Ok(request)
    }

    /// Builds a request from a JSON object that is already parsed, such as the arguments of an MCP
    /// tool.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` as for [`Self::from_json`], without line and column.
    pub fn from_value(value: &Value) -> Result<Self, Failure> {
        let request = Self::deserialize(value).map_err(|error| not_of_schema(&error, value))?;
        request.check()?;
        Ok(request)
    }

    /// Builds a request from the fields of an object. Invalid values are kept for [`Self::check`],
    /// so that they are reported together with all other mistakes.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` if the command or the parameters are invalid, or a field is unknown.
    pub fn from_fields(mut fields: Map<String, Value>) -> Result<Self, Failure> {
        let mut misfits = Vec::new();
        loop {
            let error = match serde_json::from_value(Value::Object(fields.clone())) {
                Ok(request) => return Ok(Self { misfits, ..request }),
                Err(error) => not_of_schema(&error, &Value::Object(fields.clone())),
            };
            let field = error.detail("field");
            match field.filter(|field| !["command", "params"].contains(field)) {
                Some(field) => fields.remove(field),
                None => return Err(error),
            };
            misfits.push(error.message());
        }
    }

    /// Checks the rules that types do not express: ids, hash, version of the run id, budget.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` that names the field and its rule.
    pub fn check(&self) -> Result<(), Failure> {
        check_id("correlationId", self.correlation_id.as_deref())?;
        self.id.as_ref().map_or(Ok(()), RequestId::check)?;
        let mut misfits = self.misfits.clone();
        if let Some(hash) = &self.if_hash
            && (hash.len() != 64 || !hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')))
        {
            misfits.push(message!(
                "{ifHash} must be a SHA-256 hash: 64 digits from 0 to 9 and a to f. Read the whole note and pass its `sha256`, or omit {ifHash}."
            ));
        }
        if !misfits.is_empty() {
            let mut what = Message::default();
            for misfit in misfits {
                what.push_sentence(misfit);
            }
            return Err(Error::Misfits(what).into());
        }
        if self.run_id.is_some_and(|id| id.get_version_num() != 4) {
            return Err(Error::RunIdVersion.into());
        }
        if self.budget == Some(0) {
            return Err(Error::NoBudget.into());
        }
        Ok(())
    }
}

/// Returns the failure for an object that does not fit the schema; `fields` is the object, null if it is not JSON.
fn not_of_schema(error: &serde_json::Error, fields: &Value) -> Failure {
    let message = plain_message(error);
    let (unknown, unfit) = misfits(fields);
    match unfit.into_iter().next() {
        Some(field) => Error::FieldNotOfSchema(field, message),
        None => Error::NotOfSchema(message, places_of(&unknown)),
    }
    .into()
}

/// Says where the fields that a request does not have belong.
fn places_of(unknown: &[String]) -> Message {
    let mut places = Message::default();
    for field in unknown.iter().take(MOST_PLACES) {
        let near = match vault_engine::meant(field, CALL_FIELDS) {
            Some(meant) => vec![meant.to_owned()],
            None => nearest(field, ["command", "params"]),
        };
        let field = shown(field);
        places.push_sentence(match near.as_slice() {
            [] => format!("Put `{field}` into the object `params`.").into(),
            near if unknown.len() == 1 => did_you_mean(near),
            near => format!("Instead of `{field}`, pass {}.", either(near)).into(),
        });
    }
    places
}

/// Returns the unknown fields, and those with an invalid value, of which serde reports only the position in the text.
fn misfits(fields: &Value) -> (Vec<String>, Vec<String>) {
    let (mut unknown, mut unfit) = (Vec::new(), Vec::new());
    for (name, value) in fields.as_object().into_iter().flatten() {
        let alone = json!({ "command": "", name: value });
        if let Err(error) = serde_json::from_value::<Request>(alone) {
            let is_unknown = error.to_string().starts_with("unknown field");
            let misfits = if is_unknown { &mut unknown } else { &mut unfit };
            misfits.push(name.clone());
        }
    }
    (unknown, unfit)
}

/// Checks an id before it is echoed.
fn check_id(key: &'static str, id: Option<&str>) -> Result<(), Error> {
    let Some(id) = id else { return Ok(()) };
    let length = id.chars().count();
    if length == 0 || length > MAX_ID_CHARACTERS {
        return Err(Error::IdLength(key, length));
    }
    if id.chars().any(char::is_whitespace) || vault_engine::forbidden_in_id(id).is_some() {
        return Err(Error::IdCharacters(key));
    }
    Ok(())
}

/// Whether the id is valid and may be echoed.
pub fn is_id(id: &str) -> bool {
    check_id("id", Some(id)).is_ok()
}

/// Returns the message of `serde_json` without " at line 1 column 2", which is in the details, and without the caller's
/// value, which may be long or private (`threats.toml` F12).
fn plain_message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text
        .rsplit_once(" at line ")
        .map_or(text.as_str(), |(message, _)| message);
    let unknown = text
        .strip_prefix("unknown field `")
        .and_then(|rest| rest.rsplit_once("`, expected "));
    if let Some((name, expected)) = unknown {
        return format!("unknown field `{}`, expected {expected}", shown(name));
    }
    let of_type = ["invalid type: ", "invalid value: "]
        .iter()
        .find_map(|start| text.strip_prefix(start));
    let Some((found, expected)) = of_type.and_then(|rest| rest.rsplit_once(", expected ")) else {
        return text.to_owned();
    };
    // serde quotes the value after its type: `string "x"`, `floating point `1.5``.
    let found = found.split(['`', '"']).next().unwrap_or_default();
    format!("expected {expected}, got {}", found.trim_end())
}

impl<'de> Deserialize<'de> for Params {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ParamsVisitor)
    }
}

struct ParamsVisitor;

impl<'de> Visitor<'de> for ParamsVisitor {
    type Value = Params;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of parameters")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Params, A::Error> {
        let mut seen = BTreeSet::new();
        let mut params = BTreeMap::new();
        while let Some((key, value)) = access.next_entry::<String, Value>()? {
            if !seen.insert(key.clone()) {
                return Err(serde::de::Error::custom("a parameter is given twice"));
            }
            params.insert(key, RawValue::from(value));
        }
        Ok(Params(params))
    }
}
impl Request {
    /// Returns the request to undo or redo `run`, or the next run in that direction.
    pub fn reversal(direction: Direction, run: Option<&RunPrefix>) -> Self {
        let run = run.map(|run| (RUN.to_owned(), RawValue::Text(run.to_string())));
        Self {
            params: Params(run.into_iter().collect()),
            ..Self::new(direction.name())
        }
    }

    /// Extends the request to the contents that the journal keeps; `path` selects the file if the
    /// run changed several. Only a person's request is answered.
    #[must_use]
    pub fn for_kept(mut self, kept: Kept, path: Option<&str>) -> Self {
        let path = path.map(|path| (PATH, path));
        for (key, value) in [(KEPT, kept.name())].into_iter().chain(path) {
            let value = RawValue::Text(value.to_owned());
            self.params.0.insert(key.to_owned(), value);
        }
        self
    }
}
