//! The error type of the gateway: a code, what happened, what to do next, and details for programs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::code::Code;
use crate::message::{FOR_PERSON, Message, Part, Reader, message};

/// `details.reason` if a valid request has nothing left to do.
pub const NOTHING_LEFT: &str = "nothing-left";
/// `details.reason` if today's note is read and does not exist.
pub const NO_DAILY_NOTE: &str = "no-daily-note";
/// `details.reason` if a person has denied the call.
pub const DENIED: &str = "denied";
/// `details.reason` if the note to change is not UTF-8 text.
pub const NOT_UTF8: &str = "not-utf-8";
/// `details.reason` if the settings have no such agent.
pub const NO_SUCH_AGENT: &str = "no-such-agent";
/// `details.reason` if no vault is set and a person's working folder has notes.
pub const NOTES_HERE: &str = "notes-here";
/// `details.reason` if a person has to look at a draft again before they answer, or to confirm what they saw.
pub const REVIEW_AGAIN: &str = "review-again";
/// `details.reason` if an undo would change files that path rules close to the caller.
pub const OTHER_FILES: &str = "other-files";
/// The reasons whose failures have no further remedy.
const COMPLETE: [&str; 4] = [NOTHING_LEFT, DENIED, REVIEW_AGAIN, OTHER_FILES];

// Created where the failure happens and rendered at the edge. The details contain no path outside the vault and no
// sensitive value. The published schema has the other name, and these words.
/// The failure of a call.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ErrorBody")]
pub struct Failure {
    /// The stable name; `vault-gw explain CODE` shows cause and remedy.
    pub code: Code,
    /// The sentences: the event, then the next step.
    #[serde(rename = "message", serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub faults: Vec<Fault>,
    /// Facts for programs.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
}

/// A cause that later code distinguishes from others with the same code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The command does not have an argument of this name, or a similar one.
    UnknownArgument(String),
    /// The value of this argument is invalid.
    InvalidArgument(String),
    /// A search query is invalid.
    InvalidQuery,
    /// A folder was named for a file.
    NotAFile,
    /// A file that is not a note was named for a note.
    NotMarkdown,
    /// The settings close the call, and the hints name a call that needs no change of them.
    OtherWay,
}

/// A setting that closes a call, with the change that opens it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosingSetting {
    /// Its whole key in the settings file, such as `agents.helper.tier`.
    pub key: String,
    /// The change that opens the call.
    pub opening: Opening,
}

/// The change of a setting that opens a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opening {
    /// To set this value; `None` for the value that opens every key of this kind.
    Value(Option<&'static str>),
    /// Another change, as a sentence.
    Change(String),
}

/// One mistake of a call, with its hints.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    what: Message,
    hints: Vec<Message>,
    /// The settings that close the call. Another process does not get them.
    #[serde(skip)]
    settings: Vec<ClosingSetting>,
    /// The cause, if later code decides by it. Another process does not get it.
    #[serde(skip)]
    cause: Option<Cause>,
}

/// Declares the errors of a layer: for each variant its code, its details, the sentence and the hints.
///
/// A text in quotes is for [`format!`] with the fields; texts in parentheses follow, as any other value. A detail
/// without a value is the field of its name. `src/settings/src/error.rs` is such a table.
#[doc(hidden)]
#[macro_export]
macro_rules! __errors {
    ($(#[$about:meta])* $visibility:vis enum $name:ident { $(
        $(#[cfg($when:meta)])? $variant:ident $(($($field:ident: $type:ty),+))? =>
            $code:ident $({ $($key:ident $(: $value:expr)?),+ })? $($text:literal)* $(($made:expr))*;
    )+ }) => {
        $(#[$about])*
        $visibility enum $name {
            $($(#[cfg($when)])? $variant $(($($type),+))?),+
        }

        impl From<$name> for $crate::Failure {
            fn from(error: $name) -> Self {
                $crate::explain! { match error { $(
                    $(#[cfg($when)])? $name::$variant $(($($field),+))? =>
                        $code $({ $($key $(: $value)?),+ })? $($text)* $(($made))*;
                )+ } }
            }
        }
    };
}
pub use __errors as errors;

/// Makes the failure of an error, by rows as in [`errors!`] with patterns in place of variants. After `else` are the
/// errors of which a row would not be enough.
#[doc(hidden)]
#[macro_export]
macro_rules! __explain {
    (match $error:ident { $(
        $(#[cfg($when:meta)])? $pattern:pat $(if $guard:expr)? =>
            $code:ident $({ $($key:ident $(: $value:expr)?),+ })? $($text:literal)* $(($made:expr))*;
    )+ } $(else { $($other:pat => $failure:expr,)+ })?) => {
        match $error {
            $($(#[cfg($when)])? $pattern $(if $guard)? => $crate::Code::$code
                .explained([
                    $($crate::Message::from(::std::format_args!($text)),)*
                    $($crate::Message::from($made),)*
                ])
                $($(.with(stringify!($key), $crate::__value!($key $(: $value)?)))+)?,)+
            $($($other => $failure,)+)?
        }
    };
}
pub use __explain as explain;

#[doc(hidden)]
#[macro_export]
macro_rules! __value {
    ($key:ident) => {
        $key
    };
    ($key:ident: $value:expr) => {
        $value
    };
}

impl Code {
    /// Creates a failure with this code and no details.
    pub fn failure(self, what: impl Into<Message>) -> Failure {
        let fault = Fault {
            what: what.into(),
            ..Fault::default()
        };
        Failure {
            code: self,
            faults: vec![fault],
            details: Map::new(),
        }
    }

    /// Creates a failure of which the first text is the sentence, and the others are hints.
    #[doc(hidden)]
    pub fn explained<const TEXTS: usize>(self, texts: [Message; TEXTS]) -> Failure {
        let mut texts = texts.into_iter();
        let failure = self.failure(texts.next().unwrap_or_default());
        texts.fold(failure, Failure::hint)
    }
}

impl Fault {
    fn sentences(&self) -> impl Iterator<Item = &Message> {
        std::iter::once(&self.what).chain(&self.hints)
    }
}

impl Failure {
    /// The request is valid, but there is nothing left to do, so no remedy can correct it.
    pub fn nothing_left(what: impl Into<Message>) -> Self {
        Code::UsageError.failure(what).with("reason", NOTHING_LEFT)
    }

    /// Adds a hint: a sentence about the next step. An empty message adds nothing.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Message>) -> Self {
        self.add_hint(hint);
        self
    }

    /// Adds a hint, unless it is empty or the failure contains it.
    pub fn add_hint(&mut self, hint: impl Into<Message>) {
        let hint = hint.into();
        if !hint.is_empty()
            && !self.has(&hint)
            && let Some(last) = self.faults.last_mut()
        {
            last.hints.push(hint);
        }
    }

    /// Whether it has a hint that this reader sees, or several faults.
    pub fn has_hints(&self, reader: Reader<'_>) -> bool {
        self.faults.len() > 1 || self.hints().any(|hint| hint.is_for(reader))
    }

    /// Returns the hints of all faults.
    pub fn hints(&self) -> impl Iterator<Item = &Message> {
        self.faults.iter().flat_map(|fault| &fault.hints)
    }

    /// Whether it contains this sentence.
    pub fn has(&self, sentence: &Message) -> bool {
        self.sentences().any(|known| known == sentence)
    }

    /// Replaces the first sentence and keeps the hints.
    #[must_use]
    pub fn say(mut self, what: impl Into<Message>) -> Self {
        if let Some(first) = self.faults.first_mut() {
            first.what = what.into();
        }
        self
    }

    /// Adds words before the first sentence.
    #[must_use]
    pub fn begin_with(mut self, words: impl Into<Message>) -> Self {
        if let Some(first) = self.faults.first_mut() {
            first.what = message!("{} {}", words.into(), first.what);
        }
        self
    }

    /// Removes the hints.
    #[must_use]
    pub fn without_hints(mut self) -> Self {
        for fault in &mut self.faults {
            fault.hints.clear();
        }
        self
    }

    /// Adds the faults of another failure of the same call. Leaves out sentences that this failure contains, and
    /// faults that propose names that this failure proposes. The details of this failure win.
    pub fn add(&mut self, other: Self) {
        for mut fault in other.faults {
            let shorter = fault.what.clone().without_subject();
            let is_proposed = |names: &[String]| {
                let mut known = self.sentences().flat_map(Message::names);
                known.any(|known| known == names)
            };
            let is_known = self.has(&fault.what)
                || self.has(&shorter)
                || fault.sentences().flat_map(Message::names).any(is_proposed);
            fault.hints.retain(|hint| !self.has(hint));
            if !is_known {
                fault.what = shorter;
                self.faults.push(fault);
            } else if let Some(last) = self.faults.last_mut() {
                last.hints.append(&mut fault.hints);
                last.cause = last.cause.take().or(fault.cause);
            }
        }
        for (key, value) in other.details {
            self.details.entry(key).or_insert(value);
        }
    }

    /// Returns all sentences, as one message.
    pub fn message(&self) -> Message {
        let mut message = Message::default();
        for fault in &self.faults {
            message.push_sentence(&fault.what);
            for hint in &fault.hints {
                message.push(Part::Hint(message!(" {}", *hint)));
            }
        }
        message
    }

    fn sentences(&self) -> impl Iterator<Item = &Message> {
        self.faults.iter().flat_map(Fault::sentences)
    }

    /// Returns the sentences without the hints.
    pub fn what(&self) -> Message {
        let mut message = Message::default();
        for fault in &self.faults {
            message.push_sentence(&fault.what);
        }
        message
    }

    /// Changes each sentence.
    pub fn map(&mut self, change: impl Fn(&mut Message)) {
        for fault in &mut self.faults {
            change(&mut fault.what);
            fault.hints.iter_mut().for_each(&change);
        }
    }

    /// Removes the hints that name a command that is not open.
    pub fn keep_open(&mut self, is_open: &dyn Fn(&str) -> bool) {
        for fault in &mut self.faults {
            fault.what.keep_open(is_open);
            fault.hints.retain(|hint| hint.has_open_commands(is_open));
        }
    }

    /// Removes parts that only people should see. If nothing is left, uses the cause of its code.
    pub fn keep_for_model(&mut self) {
        self.map(Message::keep_for_model);
        if self.render(Reader::Program).is_empty() {
            *self = self.clone().say(self.code.explanation().cause);
        }
    }

    /// Returns the text for a reader.
    pub fn render(&self, reader: Reader<'_>) -> String {
        render(&self.faults, reader)
    }

    /// Returns the text for a person, about whose call nothing else is known.
    pub fn for_person(&self) -> String {
        self.render(FOR_PERSON)
    }

    /// Returns the same failure in the words of a reader.
    #[must_use]
    pub fn rendered(self, reader: Reader<'_>) -> Self {
        let fault = Fault {
            what: self.render(reader).into(),
            hints: Vec::new(),
            settings: self.settings().cloned().collect(),
            cause: self.cause().cloned(),
        };
        Self {
            faults: vec![fault],
            ..self
        }
    }

    /// Whether the remedy of its code does not apply: nothing can be corrected, or the message says how.
    pub fn is_complete(&self) -> bool {
        let has = |keys: &[&str]| keys.iter().any(|key| self.details.contains_key(*key));
        self.reason()
            .is_some_and(|reason| COMPLETE.contains(&reason))
            || match self.code {
                // Hints say what to pass, if there is something.
                Code::ValidationError | Code::TargetNotFound | Code::AmbiguousTarget => true,
                // The user's folders are unknown, so there is no file to create.
                Code::ConfigMissing => has(&["variable"]),
                // About a network address or an unreadable kind of file, and not about a disk.
                Code::IoError => has(&["address", "limit", "reason"]),
                // An undo does not depend on a note that the caller has read.
                Code::PreconditionFailed => has(&["runId"]),
                // The message names the vault.
                Code::VaultNotFound => has(&["path", "named"]),
                // The user cannot correct the app's own file.
                Code::ConfigInvalid => self
                    .details
                    .get("file")
                    .is_some_and(|file| file == "obsidian.json"),
                _ => false,
            }
    }

    /// Returns the next step at the command line after a refused answer to a draft. The picker and the page show the
    /// draft again instead.
    pub fn next_in_review(&self) -> Option<&'static str> {
        match (self.reason()?, self.code) {
            (REVIEW_AGAIN, Code::PreconditionFailed) => {
                Some("`vault-gw review` shows the draft as it is now.")
            }
            (REVIEW_AGAIN, Code::ApprovalRequired) => {
                Some("To accept changes that have warnings, add `--confirm-warnings`.")
            }
            _ => None,
        }
    }

    /// Returns the cause, if its code has several.
    pub fn reason(&self) -> Option<&str> {
        self.detail("reason")
    }

    /// Returns a detail that is a text.
    pub fn detail(&self, name: &str) -> Option<&str> {
        self.details.get(name)?.as_str()
    }

    /// Returns the names like the unknown one.
    pub fn nearest(&self) -> &[Value] {
        let nearest = self.details.get("nearest").and_then(Value::as_array);
        nearest.map_or(&[], Vec::as_slice)
    }

    /// Adds the settings that close the call.
    #[must_use]
    pub fn closed_by(mut self, settings: Vec<ClosingSetting>) -> Self {
        if let Some(last) = self.faults.last_mut() {
            last.settings = settings;
        }
        self
    }

    /// Returns the settings that close the call.
    pub fn settings(&self) -> impl Iterator<Item = &ClosingSetting> + Clone {
        self.faults.iter().flat_map(|fault| &fault.settings)
    }

    /// Returns the id of the approval that the call needs; `None` for any other failure.
    pub fn approval(&self) -> Option<&str> {
        let approval = self.detail("approval");
        approval.filter(|_| self.code == Code::ApprovalRequired)
    }

    /// Adds the cause.
    #[must_use]
    pub fn caused_by(mut self, cause: Cause) -> Self {
        if let Some(last) = self.faults.last_mut() {
            last.cause = Some(cause);
        }
        self
    }

    /// Returns the first cause by which later code decides.
    pub fn cause(&self) -> Option<&Cause> {
        self.faults.iter().find_map(|fault| fault.cause.as_ref())
    }

    /// Changes the code.
    #[must_use]
    pub fn with_code(self, code: Code) -> Self {
        Self { code, ..self }
    }

    /// Replaces all details.
    #[must_use]
    pub fn with_details(self, details: Map<String, Value>) -> Self {
        Self { details, ..self }
    }

    /// Adds a detail, which replaces one with the same key. A null adds nothing.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        if !value.is_null() {
            self.details.insert(key.to_owned(), value);
        }
        self
    }
}

fn render(faults: &[Fault], reader: Reader<'_>) -> String {
    let sentences = faults.iter().flat_map(Fault::sentences);
    let sentences = sentences.map(|sentence| sentence.render(reader));
    let sentences: Vec<String> = sentences.filter(|sentence| !sentence.is_empty()).collect();
    sentences.join(" ")
}

fn as_text<S: Serializer>(faults: &[Fault], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&render(faults, Reader::Program))
}

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.render(Reader::Program))
    }
}

impl std::error::Error for Failure {}
