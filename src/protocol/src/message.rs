//! Messages as data: the parts of a sentence, rendered once it is known who reads it.
//!
//! A failure or a warning reaches a person at a terminal, a program, or a model. They call the same command by
//! different names, and only people get command lines to type (`threats.toml` I16). Values of users are text, which
//! no renderer changes.

use std::borrow::Borrow;
use std::fmt;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::Shell;

/// One or more sentences, not yet rendered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Message(Vec<Part>);

/// A part of a [`Message`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// Words, with the values of users in them.
    Text(String),
    /// The id of a command. A person types it behind `vault-gw`; a client calls the tool for it.
    Command(String),
    /// A key of a request, such as `ifHash`, which is an option at a terminal.
    Key(String),
    /// States that a key of a request is not a parameter of a command.
    OptionOfCall(String),
    /// The parameters of a call to make. A person sees them as arguments of a command line.
    Params(Value),
    /// The id of a run. People see its first digits.
    RunId(uuid::Uuid),
    /// Arguments of `vault-gw settings`, for people alone.
    Settings(String),
    /// The command that a failed call named, at the beginning of a sentence or after ` of `.
    Subject(String),
    /// ` of ` and the command that a failed call named.
    OfSubject(String),
    /// Names like an unknown one, as a question.
    DidYouMean(Vec<String>),
    /// The names of the arguments that a command takes, as a sentence. A client with a tool for the command sees the arguments of
    /// the tool.
    Takes(Vec<String>),
    /// The usage of a command. A client sees it in the schema of a tool, or among the details.
    Usage(String),
    /// The advice about a change that was not confirmed.
    MayHaveHappened,
    /// ` in the vault`; for a person, with the name of the vault that answered.
    InTheVault,
    /// A sentence about the next step, which names commands. Without those that are closed, it is left out.
    Hint(Message),
    /// For people, and for programs that do not act for a model.
    ForPerson(Message),
    /// For programs and models.
    ForProgram(Message),
}

/// A message from a template: `message!("There is no note `{}`. Look it up with {notes:search}.", name)`.
///
/// `{}` is the next value, which no renderer changes, or the next part or message. A name in braces is a command, or
/// a key of a request if it has a capital letter, such as `{ifHash}`. `{$ set tier v3}` is `vault-gw settings set tier v3`.
#[doc(hidden)]
#[macro_export]
macro_rules! __message {
    ($template:literal $(, $value:expr)* $(,)?) => {{
        const { $crate::check_template($template, <[&str]>::len(&[$(stringify!($value)),*])) };
        $crate::Message::new($template, [$($crate::Message::from(&$value)),*])
    }};
}
pub use __message as message;

/// Fails the build if a template has another number of `{}` than there are values, or a brace that is not closed.
///
/// # Panics
///
/// If the numbers differ. It runs while the program is compiled.
pub const fn check_template(template: &str, values: usize) {
    let bytes = template.as_bytes();
    let (mut at, mut found) = (0, 0);
    while at < bytes.len() {
        if bytes[at] == b'{' {
            if bytes[at + 1] == b'}' {
                found += 1;
            }
            while bytes[at] != b'}' {
                at += 1;
            }
        }
        at += 1;
    }
    assert!(
        found == values,
        "the template needs as many values as it has empty braces"
    );
}

/// The reader of a message.
#[derive(Clone, Copy)]
pub enum Reader<'a> {
    /// A person at a terminal.
    Person {
        /// The settings file from `--settings`, quoted to be typed: command lines for the settings name it too.
        settings: Option<&'a str>,
        /// The vault that answered.
        vault: Option<&'a str>,
        /// Whether ids of runs are shown in full.
        full_ids: bool,
    },
    /// A program: the text in envelopes.
    Program,
    /// A model behind an MCP client, which calls tools.
    Client(&'a dyn ClientTools),
}

/// A person at a terminal, about whose call nothing else is known.
pub const FOR_PERSON: Reader<'static> = Reader::Person {
    settings: None,
    vault: None,
    full_ids: false,
};

/// The tools of a client, which replace commands.
pub trait ClientTools {
    /// The tool that is for this command alone.
    fn own_tool(&self, command: &str) -> Option<String>;

    /// Returns the client's name for a command, quoted; `None` if it cannot call the command.
    fn name_of(&self, command: &str) -> Option<String>;

    /// Returns those of the arguments of a command that the called tool has too; `None` if the failure's details have
    /// the usage of the command instead.
    fn arguments_of(&self, names: &[String]) -> Option<Vec<String>>;
}

/// The digits of a run's id that people see.
pub const SHORT_ID: usize = 8;

/// Returns the names in a list, with the number of those among `all` that it leaves out: `a, b and 3 more`.
pub fn first_of<S: Borrow<str>>(names: impl Iterator<Item = S>, all: usize) -> String {
    let names: Vec<S> = names.collect();
    match all.saturating_sub(names.len()) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// Returns a sentence for people alone, such as a command line to type.
pub fn for_person(message: impl Into<Message>) -> Part {
    Part::ForPerson(message.into())
}

/// Returns a sentence for programs and models alone.
pub fn for_program(message: impl Into<Message>) -> Part {
    Part::ForProgram(message.into())
}

impl Message {
    /// Fills a template of [`message!`]. Braces that are left over are text.
    pub fn new(template: &'static str, values: impl IntoIterator<Item = Self>) -> Self {
        let mut values = values.into_iter();
        let mut message = Self::default();
        let mut rest = template;
        while let Some((before, (name, after))) = rest
            .split_once('{')
            .and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
        {
            message.add(Part::Text(before.into()));
            if name.is_empty() {
                message.0.extend(values.next().unwrap_or_default().0);
            } else if let Some(arguments) = name.strip_prefix("$ ") {
                message.add(Part::Settings(arguments.to_owned()));
            } else if name.contains(|letter: char| letter.is_ascii_uppercase()) {
                message.add(Part::Key(name.into()));
            } else {
                message.add(Part::Command(name.into()));
            }
            rest = after;
        }
        message.add(Part::Text(rest.into()));
        message
    }

    fn add(&mut self, part: Part) {
        if !matches!(&part, Part::Text(text) if text.is_empty()) {
            self.0.push(part);
        }
    }

    /// Whether it has no part.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a reader gets one of its parts.
    pub fn is_for(&self, reader: Reader<'_>) -> bool {
        self.0.iter().any(|part| part.is_for(reader))
    }

    /// Returns the names that it proposes instead of an unknown one, in each of its questions.
    pub fn names(&self) -> impl Iterator<Item = &[String]> {
        self.0.iter().filter_map(|part| match part {
            Part::DidYouMean(names) => Some(names.as_slice()),
            _ => None,
        })
    }

    /// Appends parts.
    pub fn push(&mut self, message: impl Into<Self>) {
        self.0.extend(message.into().0);
    }

    /// Appends a sentence.
    pub fn push_sentence(&mut self, message: impl Into<Self>) {
        let message = message.into();
        if !message.is_empty() {
            if !self.is_empty() {
                self.push(" ");
            }
            self.push(message);
        }
    }

    /// Whether all commands that it names are open.
    pub fn has_open_commands(&self, is_open: &dyn Fn(&str) -> bool) -> bool {
        self.0.iter().all(|part| match part {
            Part::Command(id) => is_open(id),
            Part::Hint(message) | Part::ForPerson(message) | Part::ForProgram(message) => {
                message.has_open_commands(is_open)
            }
            _ => true,
        })
    }

    /// Removes the hints that name a command that is not open.
    pub fn keep_open(&mut self, is_open: &dyn Fn(&str) -> bool) {
        self.0.retain(|part| match part {
            Part::Hint(message) => message.has_open_commands(is_open),
            _ => true,
        });
    }

    /// Removes what only people should see (`threats.toml` I16).
    pub fn keep_for_model(&mut self) {
        self.0.retain_mut(|part| {
            if let Part::Hint(message) = part {
                message.keep_for_model();
            }
            !matches!(part, Part::ForPerson(_) | Part::Settings(_))
        });
    }

    /// Replaces the command by `It`, for a sentence after one that names the command.
    #[must_use]
    pub fn without_subject(mut self) -> Self {
        for part in &mut self.0 {
            match part {
                Part::Subject(_) => *part = Part::Text("It".into()),
                Part::OfSubject(_) => *part = Part::Text(String::new()),
                _ => {}
            }
        }
        self
    }

    /// Names the command of a step, and those that can be one, by their ids for every reader: a step calls no tool.
    pub fn use_ids(&mut self, is_step: &dyn Fn(&str) -> bool) {
        for part in &mut self.0 {
            match part {
                Part::Command(id) if !is_step(id) => {}
                Part::Command(id) | Part::Subject(id) => *part = Part::Text(format!("`{id}`")),
                Part::OfSubject(id) => *part = Part::Text(format!(" of `{id}`")),
                Part::Hint(message) => message.use_ids(is_step),
                _ => {}
            }
        }
    }

    /// States that a change has not happened, in place of a statement that it may have.
    pub fn deny_change(&mut self) {
        for part in &mut self.0 {
            if *part == Part::MayHaveHappened {
                *part = Part::Text("The vault did not change.".into());
            }
        }
    }

    /// Replaces a path in the calls that the message proposes.
    pub fn replace_path(&mut self, wrong: &[&str], right: &str) {
        for part in &mut self.0 {
            if let Part::Params(params) = part {
                replace_path(params, wrong, right);
            }
        }
    }

    /// Returns the text for programs, as in envelopes.
    pub fn text(&self) -> String {
        self.render(Reader::Program)
    }

    /// Returns the text for a person, about whose call nothing else is known.
    pub fn for_person(&self) -> String {
        self.render(FOR_PERSON)
    }

    /// Makes the text for a reader, which may be empty.
    pub fn render(&self, reader: Reader<'_>) -> String {
        // Sentences that the reader does not get leave blanks.
        self.parts(reader).trim().to_owned()
    }

    fn parts(&self, reader: Reader<'_>) -> String {
        self.0.iter().map(|part| part.render(reader)).collect()
    }
}

impl Part {
    fn is_for(&self, reader: Reader<'_>) -> bool {
        let is_client = matches!(reader, Reader::Client(_));
        match self {
            Self::Settings(_) | Self::Usage(_) => !is_client,
            Self::Hint(message) => message.is_for(reader),
            Self::ForPerson(message) => !is_client && message.is_for(reader),
            Self::ForProgram(message) => {
                !matches!(reader, Reader::Person { .. }) && message.is_for(reader)
            }
            _ => true,
        }
    }

    fn render(&self, reader: Reader<'_>) -> String {
        if !self.is_for(reader) {
            return String::new();
        }
        let tool = |id: &String| match reader {
            Reader::Client(tools) => tools.own_tool(id).unwrap_or_else(|| id.clone()),
            _ => id.clone(),
        };
        match (self, reader) {
            (Self::Text(text), _) => text.clone(),
            (Self::Command(id), Reader::Person { .. }) => format!("`vault-gw {id}`"),
            (Self::Command(id), Reader::Client(tools)) => {
                tools.name_of(id).unwrap_or_else(|| format!("`{id}`"))
            }
            (Self::Command(id), Reader::Program) => format!("`{id}`"),
            (Self::Subject(id), _) => format!("`{}`", tool(id)),
            (Self::OfSubject(id), _) => format!(" of `{}`", tool(id)),
            (Self::Key(key), Reader::Person { .. }) => format!("`--{}`", in_words(key)),
            (Self::Key(key), _) => format!("`{key}`"),
            (Self::OptionOfCall(key), Reader::Person { .. }) => {
                format!("Pass `--{}` as an option of the call.", in_words(key))
            }
            (Self::OptionOfCall(key), _) => {
                format!("`{key}` belongs next to `params`, not inside it.")
            }
            (Self::Params(Value::Object(params)), Reader::Person { .. }) => {
                let words = params.iter().map(|(name, value)| match value {
                    Value::Bool(true) => name.clone(),
                    Value::String(text) => Shell::native().argument(name, text),
                    other => Shell::native().argument(name, &other.to_string()),
                });
                format!("`{}`", words.collect::<Vec<_>>().join(" "))
            }
            (Self::Params(params), _) => format!("`{params}`"),
            (Self::RunId(id), Reader::Person { full_ids: false, .. }) => {
                id.simple().to_string().chars().take(SHORT_ID).collect()
            }
            (Self::RunId(id), _) => id.to_string(),
            (Self::Settings(arguments), Reader::Person { settings: Some(file), .. }) => {
                format!("`vault-gw --settings {file} settings {arguments}`")
            }
            (Self::Settings(arguments), _) => format!("`vault-gw settings {arguments}`"),
            (Self::DidYouMean(names), _) => question(names).unwrap_or_default(),
            (Self::Takes(names), Reader::Client(tools)) => {
                let names = tools.arguments_of(names);
                names.map_or_else(String::new, |names| takes(&names))
            }
            (Self::Takes(names), _) => takes(names),
            (Self::Usage(usage), _) => format!("Usage: {usage}"),
            (Self::MayHaveHappened, _) => {
                "The change may have happened, or may still happen. Check the vault before you retry."
                    .to_owned()
            }
            (Self::InTheVault, Reader::Person { vault: Some(vault), .. }) => {
                format!(" in vault {}", obsidian_note::shown::row(vault))
            }
            (Self::InTheVault, _) => " in the vault".to_owned(),
            (Self::Hint(message) | Self::ForPerson(message) | Self::ForProgram(message), reader) => {
                message.parts(reader)
            }
        }
    }
}

/// Replaces a path in parameters, also of the items of a list.
fn replace_path(params: &mut Value, wrong: &[&str], right: &str) {
    match params {
        Value::Object(fields) => {
            for (name, value) in fields {
                if name == "path" && value.as_str().is_some_and(|path| wrong.contains(&path)) {
                    *value = right.into();
                } else {
                    replace_path(value, wrong, right);
                }
            }
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| replace_path(item, wrong, right)),
        _ => {}
    }
}

/// The sentence that lists the arguments of a command.
pub fn takes(names: &[String]) -> String {
    if names.is_empty() {
        return "The command does not take arguments.".to_owned();
    }
    format!("It takes `{}`.", names.join("`, `"))
}

/// `a`, `b` or `c`, each in backticks.
pub fn either(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        all => all.concat(),
    }
}

/// Returns the parts of a list, with a word such as `and` between them.
pub fn joined(parts: impl IntoIterator<Item = Message>, word: &str) -> Message {
    let mut all = Message::default();
    for part in parts {
        if !all.is_empty() {
            all.push(format!(" {word} "));
        }
        all.push(part);
    }
    all
}

/// `Did you mean …?`; `None` without a name.
pub fn question(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| format!("Did you mean {}?", either(names)))
}

/// Returns the question whether one of these names is meant; empty without a name.
pub fn did_you_mean(names: &[String]) -> Message {
    did_you_mean_or(names, Message::default)
}

/// Returns the question whether one of these names is meant, or another hint without a name.
pub fn did_you_mean_or(names: &[String], hint: impl FnOnce() -> Message) -> Message {
    if names.is_empty() {
        hint()
    } else {
        Part::DidYouMean(names.to_vec()).into()
    }
}

/// Returns a key of a request in the form of options: `ifHash` is `if-hash`.
fn in_words(key: &str) -> String {
    let mut words = String::new();
    for letter in key.chars() {
        if letter.is_ascii_uppercase() {
            words.push('-');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

/// Serialises a template without values as its text.
///
/// # Errors
///
/// If the serialiser cannot write a text.
pub fn template_as_text<S: Serializer>(
    template: &&'static str,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    as_text(&Message::new(template, []), serializer)
}

/// Serialises a message as its text.
///
/// # Errors
///
/// If the serialiser cannot write a text.
pub fn as_text<S: Serializer>(message: &Message, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&message.text())
}

impl From<Part> for Message {
    fn from(part: Part) -> Self {
        Self(vec![part])
    }
}

impl From<&Part> for Message {
    fn from(part: &Part) -> Self {
        part.clone().into()
    }
}

impl From<&Self> for Message {
    fn from(message: &Self) -> Self {
        message.clone()
    }
}

/// A value, or a sentence without commands.
impl<T: fmt::Display> From<T> for Message {
    fn from(value: T) -> Self {
        let mut message = Self::default();
        message.add(Part::Text(value.to_string()));
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::LazyLock;

    const CASES: &str = include_str!("message_cases.txt");

    #[test]
    fn the_question_reads_well_for_any_number() {
        let words = |list: &[&str]| {
            let list: Vec<String> = list.iter().map(|word| (*word).to_owned()).collect();
            did_you_mean(&list).text()
        };
        assert_eq!(words(&[]), "");
        assert_eq!(words(&["a"]), "Did you mean `a`?");
        assert_eq!(words(&["a", "b", "c"]), "Did you mean `a`, `b` or `c`?");
    }

    struct NoTools;

    impl ClientTools for NoTools {
        fn own_tool(&self, _command: &str) -> Option<String> {
            None
        }

        fn name_of(&self, command: &str) -> Option<String> {
            Some(format!("`tool` (`{command}`)"))
        }

        fn arguments_of(&self, _names: &[String]) -> Option<Vec<String>> {
            None
        }
    }

    #[test]
    fn a_message_is_for_the_readers_of_its_parts() {
        let readers = [FOR_PERSON, Reader::Program, Reader::Client(&NoTools)];
        let is_for = |part: Part| {
            let hint = Message::from(Part::Hint(part.into()));
            readers.map(|reader| hint.is_for(reader))
        };
        assert_eq!(is_for(Part::Text("a".into())), [true, true, true]);
        assert_eq!(is_for(for_person("a")), [true, true, false]);
        assert_eq!(is_for(for_program("a")), [false, true, true]);
        assert_eq!(is_for(Part::Settings("a".into())), [true, true, false]);
        assert_eq!(is_for(for_program(for_person("a"))), [false, true, false]);
    }

    #[test]
    fn no_name_changes_a_sentence_for_any_reader() {
        static PIECES: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "pieces"));
        let mut random = seeded_random::Random::new(57);
        for _ in 0..2000 {
            let pieces = (0..random.between(1, 60)).map(|_| *random.pick(&PIECES));
            let name: String = pieces.collect();
            let message = message!(
                "There is no note `{}`. Look it up with {notes:search}, or omit {ifHash}.{}",
                name,
                for_person(" Run `vault-gw doctor`.")
            );
            for (reader, command, key, more) in [
                (
                    Reader::Program,
                    "`notes:search`",
                    "`ifHash`",
                    " Run `vault-gw doctor`.",
                ),
                (
                    FOR_PERSON,
                    "`vault-gw notes:search`",
                    "`--if-hash`",
                    " Run `vault-gw doctor`.",
                ),
                (
                    Reader::Client(&NoTools),
                    "`tool` (`notes:search`)",
                    "`ifHash`",
                    "",
                ),
            ] {
                let expected = format!(
                    "There is no note `{name}`. Look it up with {command}, or omit {key}.{more}"
                );
                assert_eq!(message.render(reader), expected);
            }
        }
    }
}
