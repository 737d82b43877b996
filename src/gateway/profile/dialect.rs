//! Translates the command line of a profile into ours.

use std::path::Path;

use serde_json::{Map, Value};
use vault_engine::search::Query;

use crate::allowlist::Catalogue;
use crate::code::Code;
use crate::failure::Failure;

/// One command of a profile's command line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// Its name, of one word or two.
    pub(super) name: &'static str,
    /// Our command.
    pub(super) command: &'static str,
    /// The parameters that words without a name give, in their order; see [`NOTE`].
    pub(super) words: &'static [&'static str],
    /// Its options.
    pub(super) options: &'static [(&'static str, Gives)],
    /// Where there is a word without a name, another command of ours and its parameter.
    pub(super) with_word: Option<(&'static str, &'static str)>,
    /// Parameters of ours, and their values where nothing else is said.
    pub(super) defaults: &'static [(&'static str, &'static str)],
    /// What is said where the first of `words` is missing.
    pub(super) missing: Option<&'static str>,
    /// Parameters beside which the first word is no note, but what the second one is for.
    pub(super) no_note_with: &'static [&'static str],
}

/// What an option gives.
#[derive(Clone, Copy, Debug)]
pub(super) enum Gives {
    /// Its value to a parameter of ours.
    Value(&'static str),
    /// It is a switch and means this.
    Means(Change),
    /// It is a switch: a parameter of ours gets what stands on standard input.
    Input(&'static str),
    /// Its value means this.
    Choice(&'static [(&'static str, Change)]),
    /// The words `name=value` after it are properties, for a parameter of ours that takes an object.
    Properties(&'static str),
    /// It asks for something that is not here; this says so.
    Nothing(&'static str),
    /// Doubts count as violations.
    Strict,
}

/// What a switch changes in our words.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Change {
    /// Another command of ours.
    pub(super) command: Option<&'static str>,
    /// More words of ours.
    pub(super) words: &'static [&'static str],
    /// The parameter that takes the note instead of `path` or `file`.
    pub(super) note_as: Option<&'static str>,
}

impl Change {
    /// What is said is so anyway.
    pub(super) const NOTHING: Self = Self {
        command: None,
        words: &[],
        note_as: None,
    };

    /// More words of ours.
    pub(super) const fn words(words: &'static [&'static str]) -> Self {
        Self {
            words,
            ..Self::NOTHING
        }
    }

    /// Another command of ours, with these words.
    pub(super) const fn command(command: &'static str, words: &'static [&'static str]) -> Self {
        Self {
            command: Some(command),
            words,
            note_as: None,
        }
    }

    /// The same, where another parameter takes the note.
    pub(super) const fn with_note_as(self, parameter: &'static str) -> Self {
        Self {
            note_as: Some(parameter),
            ..self
        }
    }
}

/// The slot of a note: a path if the word looks like one, otherwise a name.
const NOTE: &str = "note";
/// The slot of the search text.
const QUERY: &str = "query";
/// The slot of words that are not in the app's search syntax.
const QUESTION: &str = "question";

/// The translated command line.
#[derive(Clone, Debug, Default)]
pub struct Spoken {
    /// The words.
    pub words: Vec<String>,
    /// The profile's name of the command, where that was used.
    pub asked: Option<String>,
    /// The note as it was named.
    pub note: Option<String>,
    /// What is searched for as it was asked, where our words say it differently.
    pub query: Option<String>,
    /// The parameter of ours that standard input is for.
    pub input: Option<String>,
    /// Whether doubts count as violations.
    pub is_strict: bool,
    /// Why the words could not be translated.
    pub failure: Option<Failure>,
}

impl Line {
    /// A command without anything special.
    pub(super) const fn new(
        name: &'static str,
        command: &'static str,
        words: &'static [&'static str],
        options: &'static [(&'static str, Gives)],
    ) -> Self {
        Self {
            name,
            command,
            words,
            options,
            with_word: None,
            defaults: &[],
            missing: None,
            no_note_with: &[],
        }
    }

    /// The same, being another command where a word without a name is given.
    pub(super) const fn with_word(self, command: &'static str, parameter: &'static str) -> Self {
        Self {
            with_word: Some((command, parameter)),
            ..self
        }
    }

    /// The same, with what holds where nothing else is said.
    pub(super) const fn with_defaults(
        self,
        defaults: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self { defaults, ..self }
    }

    /// The same, with parameters that name the notes otherwise.
    pub(super) const fn without_note_with(self, parameters: &'static [&'static str]) -> Self {
        Self {
            no_note_with: parameters,
            ..self
        }
    }

    /// The same, saying so where its first word is missing.
    pub(super) const fn needing(self, missing: &'static str) -> Self {
        Self {
            missing: Some(missing),
            ..self
        }
    }
}

/// Reads `words`; those that are in no table stay as they are, so that our own command line can be
/// written under a profile too.
pub(super) fn understand(
    lines: &[Line],
    options: &[(&str, &str)],
    words: &[String],
    takes_value: &dyn Fn(&str) -> Option<bool>,
) -> Spoken {
    let words: Vec<String> = words.iter().map(|word| renamed(word, options)).collect();
    let Some(at) = command_at(&words, takes_value) else {
        return Spoken::as_typed(words);
    };
    let next = words.get(at + 1);
    let double = next.map(|next| format!("{} {next}", words[at]));
    let named = |name: &str| lines.iter().find(|line| line.name == name);
    let (line, after) = match double.as_deref().and_then(named) {
        Some(line) => (line, at + 2),
        None => match named(&words[at]) {
            Some(line) => (line, at + 1),
            None => return Spoken::as_typed(words),
        },
    };
    let reading = Reading {
        line,
        command: line.command,
        head: words[..at].to_vec(),
        tail: Vec::new(),
        slots: line.words.iter(),
        note: None,
        query: None,
        input: None,
        note_as: None,
        properties: Map::new(),
        properties_of: None,
        is_strict: false,
    };
    let spoken = reading.read(&words[after..], takes_value);
    match spoken.failure {
        // Whoever tells of it looks for options that may stand behind what is wrong.
        Some(_) => Spoken { words, ..spoken },
        None => spoken,
    }
}

/// An option for every command, by our name.
fn renamed(word: &str, options: &[(&str, &str)]) -> String {
    for (theirs, ours) in options {
        if word == *theirs {
            return (*ours).to_owned();
        }
        if let Some(value) = word
            .strip_prefix(theirs)
            .and_then(|rest| rest.strip_prefix('='))
        {
            return format!("{ours}={value}");
        }
    }
    word.to_owned()
}

/// The position of the command: the first word that is neither an option nor an option's value.
fn command_at(words: &[String], takes_value: &dyn Fn(&str) -> Option<bool>) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if !word.starts_with('-') {
            return Some(at);
        }
        at += if takes_value(word) == Some(true) {
            2
        } else {
            1
        };
    }
    None
}

/// A command line while it is read.
struct Reading<'l> {
    line: &'l Line,
    command: &'static str,
    /// Options of ours, which may stand anywhere.
    head: Vec<String>,
    /// Parameters and flags of ours.
    tail: Vec<String>,
    slots: std::slice::Iter<'l, &'static str>,
    note: Option<String>,
    query: Option<String>,
    input: Option<String>,
    note_as: Option<&'static str>,
    /// The properties that were given, and the parameter that they are for.
    properties: Map<String, Value>,
    properties_of: Option<&'static str>,
    is_strict: bool,
}

impl Reading<'_> {
    fn read(mut self, words: &[String], takes_value: &dyn Fn(&str) -> Option<bool>) -> Spoken {
        let mut rest = words.iter();
        let mut only_values = false;
        while let Some(word) = rest.next() {
            if only_values || !word.starts_with('-') {
                if self.properties_of.is_none() || !self.property(word) {
                    self.value(word, only_values);
                }
                continue;
            }
            if word == "--" {
                only_values = true;
                continue;
            }
            let (option, value) = match word.split_once('=') {
                Some((option, value)) => (option, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            let known = self.line.options.iter().find(|(name, _)| *name == option);
            if let Some((_, gives)) = known {
                if let Err(failure) = self.option(option, *gives, value, &mut rest) {
                    return self.failed(failure);
                }
                continue;
            }
            self.head.push(word.clone());
            if value.is_none() && takes_value(word) == Some(true) {
                self.head.extend(rest.next().cloned());
            }
        }
        self.finished()
    }

    /// Reads a positional word: our own syntax as it is, otherwise the next free slot of the command.
    fn value(&mut self, word: &str, only_values: bool) {
        if !only_values && self.is_ours(word) {
            self.tail.push(word.to_owned());
            return;
        }
        match (self.next_slot(), self.line.with_word) {
            (Some(NOTE), _) => {
                self.note = Some(word.to_owned());
                let ends = Path::new(word).extension();
                let is_path = word.contains('/') || ends.is_some_and(|end| end == "md");
                let parameter = if is_path { "path" } else { "file" };
                self.tail.push(format!("{parameter}={word}"));
            }
            (Some(QUESTION), _) => {
                self.query = Some(word.to_owned());
                self.tail.push(format!("{QUERY}={word}"));
            }
            (Some(QUERY), _) => match literal(word) {
                Some(literal) => {
                    self.query = Some(word.to_owned());
                    self.tail.push(format!("{QUERY}={literal}"));
                }
                None => self.tail.push(format!("{QUERY}={word}")),
            },
            (Some(parameter), _) => {
                if parameter == "path" {
                    self.note = Some(word.to_owned());
                }
                self.tail.push(format!("{parameter}={word}"));
            }
            (None, Some((command, parameter)))
                if (self.command == self.line.command || self.command == command)
                    && !self.is_given(parameter) =>
            {
                self.command = command;
                self.tail.push(format!("{parameter}={word}"));
            }
            (None, _) => self.tail.push(word.to_owned()),
        }
    }

    /// The positional parameters that are still free.
    fn free_slots(&self) -> impl Iterator<Item = &'static str> {
        let left = self.slots.clone();
        left.copied().filter(|slot| !self.is_given(slot))
    }

    fn next_slot(&mut self) -> Option<&'static str> {
        let slot = self.free_slots().next()?;
        self.slots.by_ref().find(|name| **name == slot);
        Some(slot)
    }

    fn option(
        &mut self,
        option: &str,
        gives: Gives,
        value: Option<String>,
        rest: &mut std::slice::Iter<'_, String>,
    ) -> Result<(), Failure> {
        let is_switch = matches!(
            gives,
            Gives::Means(_) | Gives::Input(_) | Gives::Strict | Gives::Nothing(_)
        );
        if is_switch && value.is_some() {
            return Err(usage(format!("`{option}` takes no value.")));
        }
        let value = if is_switch {
            None
        } else {
            value.or_else(|| rest.next().cloned())
        };
        match (gives, value) {
            (Gives::Value(parameter), Some(value)) => {
                self.tail.push(format!("{parameter}={value}"));
            }
            (Gives::Choice(choices), Some(value)) => {
                let chosen = choices.iter().find(|(choice, _)| *choice == value);
                let Some((_, change)) = chosen else {
                    let known: Vec<&str> = choices.iter().map(|(choice, _)| *choice).collect();
                    return Err(usage(format!(
                        "`{option}` must be one of {}.",
                        known.join(", ")
                    )));
                };
                self.change(*change);
            }
            (Gives::Properties(parameter), first) => {
                self.properties_of = Some(parameter);
                if let Some(first) = first
                    && !self.property(&first)
                {
                    return Err(usage(format!("`{option}` takes `name=value`.")));
                }
            }
            (Gives::Nothing(why), _) => {
                return Err(Failure::new(Code::ValidationError, why));
            }
            (Gives::Strict, _) => self.is_strict = true,
            (Gives::Value(_) | Gives::Choice(_), None) => {
                return Err(usage(format!("`{option}` needs a value.")));
            }
            (Gives::Means(change), _) => self.change(change),
            (Gives::Input(parameter), _) => self.input = Some(parameter.to_owned()),
        }
        Ok(())
    }

    /// Takes `name=value`; numbers and booleans are what they are, everything else is a text.
    fn property(&mut self, word: &str) -> bool {
        let Some((name, written)) = word.split_once('=') else {
            return false;
        };
        let typed = serde_json::from_str(written).ok();
        let typed = typed.filter(|typed: &Value| typed.is_number() || typed.is_boolean());
        let value = typed.unwrap_or_else(|| written.into());
        self.properties.insert(name.to_owned(), value);
        true
    }

    fn change(&mut self, change: Change) {
        self.note_as = change.note_as.or(self.note_as);
        self.command = change.command.unwrap_or(self.command);
        let words = change.words.iter().map(|word| (*word).to_owned());
        self.tail.extend(words);
    }

    /// Whether the word is a parameter or a flag in our own syntax. A bare flag counts only if no
    /// positional slot is free: the word may be text to search for, such as `total`.
    fn is_ours(&self, word: &str) -> bool {
        let Ok(command) = Catalogue::find_builtin(self.command) else {
            return false;
        };
        match word.split_once('=') {
            Some((name, _)) => command.param(name).is_some() || command.flag(name).is_some(),
            None => self.free_slots().next().is_none() && command.flag(word).is_some(),
        }
    }

    fn is_given(&self, name: &str) -> bool {
        let given = |word: &String| {
            let (key, _) = word.split_once('=')?;
            let is_note = name == NOTE && matches!(key, "path" | "file");
            Some(key == name || is_note || (name == QUESTION && key == QUERY))
        };
        self.tail.iter().filter_map(given).any(|given| given)
    }

    fn finished(mut self) -> Spoken {
        self.place_notes();
        if let (Some(missing), Some(first)) = (self.line.missing, self.line.words.first())
            && !self.is_given(first)
        {
            return self.failed(usage(missing));
        }
        for (name, value) in self.line.defaults {
            // A count is of all items, so a default limit must not apply to it.
            if !self.is_given(name) && !self.tail.iter().any(|word| word == "total") {
                self.tail.push(format!("{name}={value}"));
            }
        }
        let words = self.head.into_iter().chain([self.command.to_owned()]);
        Spoken {
            words: words.chain(self.tail).collect(),
            asked: Some(self.line.name.to_owned()),
            note: self.note,
            query: self.query,
            input: self.input,
            is_strict: self.is_strict,
            failure: None,
        }
    }

    /// Gives the note to the parameter that takes it, and the properties to theirs.
    fn place_notes(&mut self) {
        let is_given = |names: &[&str]| names.iter().any(|name| self.is_given(name));
        let second = self.line.words.get(1).copied();
        let no_note = is_given(self.line.no_note_with);
        let parameter = match second.filter(|_| no_note) {
            Some(second) if is_given(&[second]) => None,
            Some(second) => Some(second),
            None => self.note_as,
        };
        if let Some(parameter) = parameter {
            let note = self.tail.iter_mut().find_map(|word| {
                let (key, value) = word.split_once('=')?;
                let value = matches!(key, "path" | "file").then(|| value.to_owned())?;
                Some((word, value))
            });
            if let Some((word, value)) = note {
                *word = format!("{parameter}={value}");
            }
        }
        if no_note {
            self.note = None;
        }
        if let Some(parameter) = self.properties_of {
            let properties = Value::Object(std::mem::take(&mut self.properties));
            self.tail.push(format!("{parameter}={properties}"));
        }
    }

    fn failed(self, failure: Failure) -> Spoken {
        Spoken {
            words: Vec::new(),
            asked: Some(self.line.name.to_owned()),
            note: self.note,
            query: None,
            input: None,
            is_strict: self.is_strict,
            failure: Some(failure),
        }
    }
}

impl Spoken {
    fn as_typed(words: Vec<String>) -> Self {
        Self {
            words,
            ..Self::default()
        }
    }
}

/// The query as a literal search if the app could not parse it; `None` if it could. The other contracts
/// accept any text (`contracts.md` I11, I37).
fn literal(query: &str) -> Option<String> {
    let is_search = |query: &str| Query::parse(query, false).is_ok();
    if is_search(query) {
        return None;
    }
    let quoted = |word: &str| format!("\"{}\"", word.replace('\\', r"\\").replace('"', "\\\""));
    let words: Vec<String> = query.split_whitespace().map(quoted).collect();
    Some(words.join(" ")).filter(|literal| is_search(literal))
}

fn usage(message: impl Into<String>) -> Failure {
    Failure::new(Code::UsageError, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &[Line] = &[
        Line::new(
            "look for",
            "search",
            &["query"],
            &[
                ("--most", Gives::Value("limit")),
                ("--count", Gives::Means(Change::words(&["total"]))),
                (
                    "--as",
                    Gives::Choice(&[
                        ("lines", Change::command("search:context", &[])),
                        ("files", Change::NOTHING),
                    ]),
                ),
            ],
        )
        .with_defaults(&[("limit", "7")])
        .needing("look for what?"),
        Line::new("look", "backlinks", &["note"], &[]),
        Line::new("tags", "tags", &[], &[]).with_word("tag", "name"),
        Line::new(
            "put",
            "create",
            &["path"],
            &[
                ("--with", Gives::Properties("properties")),
                ("--hard", Gives::Strict),
                ("--magic", Gives::Nothing("There is no magic.")),
            ],
        ),
        Line::new(
            "edges",
            "links:list",
            &["note"],
            &[("--in", Gives::Means(Change::NOTHING.with_note_as("to")))],
        ),
        Line::new(
            "copy",
            "vault:export",
            &["note", "to"],
            &[("--query", Gives::Value("query"))],
        )
        .without_note_with(&["query"]),
    ];

    fn spoken(words: &[&str]) -> Spoken {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        let takes_value = |word: &str| match word {
            "--vault" => Some(true),
            "-j" => Some(false),
            _ => None,
        };
        understand(LINES, &[("--root", "--vault")], &words, &takes_value)
    }

    fn ours(words: &[&str]) -> String {
        let spoken = spoken(words);
        assert_eq!(spoken.failure, None, "{words:?}");
        spoken.words.join(" ")
    }

    #[test]
    fn what_is_no_search_is_searched_for_as_it_stands() {
        for (query, expected) in [
            ("a b", "a b"),
            ("tag:x -y \"two words\"", "tag:x -y \"two words\""),
            ("front-matter", "front-matter"),
            ("foo\"bar", r#""foo\"bar""#),
            ("note: (x y\\", r#""note:" "(x" "y\\""#),
            ("http://a.b/c", r#""http://a.b/c""#),
            ("", ""),
        ] {
            let spoken = spoken(&["look", "for", query]);
            assert_eq!(spoken.words[1], format!("query={expected}"));
            let changed = (query != expected).then(|| query.to_owned());
            assert_eq!(spoken.query, changed);
        }
    }

    #[test]
    fn words_of_a_table_become_ours() {
        for (words, expected) in [
            (&["look", "for", "x y"][..], "search query=x y limit=7"),
            (
                &["-j", "look", "for", "x", "--most", "3"],
                "-j search query=x limit=3",
            ),
            (
                &["look", "for", "x", "--most=-3", "-j"],
                "-j search query=x limit=-3",
            ),
            (&["look", "for", "--count", "x"], "search total query=x"),
            (
                &["look", "for", "x", "--as", "lines"],
                "search:context query=x limit=7",
            ),
            (
                &["look", "for", "--as=files", "x"],
                "search query=x limit=7",
            ),
            (
                &["--vault", "look", "look", "a/b"],
                "--vault look backlinks path=a/b",
            ),
            (
                &["--root", "v", "look", "a.md"],
                "--vault v backlinks path=a.md",
            ),
            (
                &["look", "a", "--vault", "b", "--root=c"],
                "--vault b --vault=c backlinks file=a",
            ),
            (
                &["put", "a", "--with", "x=1", "y=b c", "--hard"],
                "create path=a properties={\"x\":1,\"y\":\"b c\"}",
            ),
            (&["edges", "a.md"], "links:list path=a.md"),
            (&["edges", "--in", "a"], "links:list to=a"),
            (&["copy", "a", "out"], "vault:export file=a to=out"),
            (
                &["copy", "out", "--query", "x"],
                "vault:export to=out query=x",
            ),
            (&["tags"], "tags"),
            (&["tags", "a"], "tag name=a"),
            (&["tags", "a", "b"], "tag name=a b"),
        ] {
            assert_eq!(ours(words), expected, "{words:?}");
        }
    }

    #[test]
    fn our_own_words_stay_as_they_are() {
        for (words, expected) in [
            (
                &["read", "path=a", "--nonsense"][..],
                "read path=a --nonsense",
            ),
            (
                &["look", "for", "query=a=b", "case"],
                "search query=a=b case limit=7",
            ),
            // A word alone is for the line before it is a flag of ours.
            (&["look", "for", "case"], "search query=case limit=7"),
            (
                &["look", "for", "case", "case"],
                "search query=case case limit=7",
            ),
            (
                &["look", "for", "limit=1", "x=y"],
                "search limit=1 query=x=y",
            ),
            (
                &["look", "path=a.md", "counts"],
                "backlinks path=a.md counts",
            ),
            (&["look", "--", "path=a.md"], "backlinks path=path=a.md"),
            (
                &["look", "for", "--", "--most"],
                "search query=--most limit=7",
            ),
            (
                &["look", "for", "x", "--nonsense"],
                "--nonsense search query=x limit=7",
            ),
            (&[], ""),
            (&["-j"], "-j"),
        ] {
            assert_eq!(ours(words), expected, "{words:?}");
        }
        assert_eq!(spoken(&["read", "path=a"]).asked, None);
    }

    #[test]
    fn what_is_not_here_is_said() {
        let failure = spoken(&["put", "a", "--magic"]).failure.unwrap();
        assert_eq!(failure.message, "There is no magic.");
        assert!(spoken(&["put", "a", "--hard"]).is_strict);
    }

    #[test]
    fn what_was_asked_is_remembered() {
        let spoken = spoken(&["look", "../a"]);
        assert_eq!(spoken.asked.as_deref(), Some("look"));
        assert_eq!(spoken.note.as_deref(), Some("../a"));
    }

    #[test]
    fn words_that_make_no_sense_are_refused() {
        for words in [
            &["look", "for"][..],
            &["look", "for", "x", "--most"],
            &["look", "for", "x", "--as", "trees"],
            &["look", "for", "x", "--as"],
            &["look", "for", "x", "--count=2"],
            &["put", "a", "--with", "x"],
        ] {
            let failure = spoken(words).failure.unwrap();
            assert_eq!(failure.code, Code::UsageError, "{words:?}");
        }
    }
}
