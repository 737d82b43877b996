//! Translates the command line of a profile into ours.

mod reading;

use serde_json::{Map, Value};

use crate::failure::Failure;

use reading::Reading;

/// One command of a profile's command line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// Its name, of one word or two.
    pub(super) name: &'static str,
    /// Our command.
    pub(super) command: &'static str,
    /// The parameters that words without a name give, in their order; see `reading`. `property X` is the
    /// property `X` of a new note.
    pub(super) words: &'static [&'static str],
    /// Options that it shares with other commands.
    shared: &'static [(&'static str, Gives)],
    /// Its own options.
    own: &'static [(&'static str, Gives)],
    /// Where there is a word without a name, another command of ours and its parameter.
    pub(super) with_word: Option<(&'static str, &'static str)>,
    /// Parameters and flags of ours, and their values where nothing else is said and the command has them.
    pub(super) defaults: &'static [(&'static str, &'static str)],
    /// What is said where the first of `words` is missing.
    pub(super) missing: Option<&'static str>,
    /// Parameters beside which the first word is no note, but what the second one is for.
    pub(super) no_note_with: &'static [&'static str],
    /// The switch without which the command is a plan and changes nothing.
    pub(super) does_with: Option<&'static str>,
}

/// What an option gives.
#[derive(Clone, Copy, Debug)]
pub(super) enum Gives {
    /// Its value to a parameter of ours.
    Value(&'static str),
    /// Its value, a number from 0 up to this, to a parameter of ours; 0 lists nothing and counts.
    UpTo(&'static str, u64),
    /// Its value to a property of a new note.
    Property(&'static str),
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
    /// Parameters of ours, and their values where nothing else is said and the command has them.
    pub(super) otherwise: &'static [(&'static str, &'static str)],
    /// The parameter that takes the note instead of `path` or `file`.
    pub(super) note_as: Option<&'static str>,
}

impl Change {
    /// What is said is so anyway.
    pub(super) const NOTHING: Self = Self {
        command: None,
        words: &[],
        otherwise: &[],
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
            ..Self::NOTHING
        }
    }

    /// The same, with what holds where nothing else is said.
    pub(super) const fn otherwise(
        self,
        otherwise: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self { otherwise, ..self }
    }

    /// The same, where another parameter takes the note, if the command has it.
    pub(super) const fn with_note_as(self, parameter: &'static str) -> Self {
        Self {
            note_as: Some(parameter),
            ..self
        }
    }
}

/// The translated command line.
#[derive(Clone, Debug, Default)]
pub struct Spoken {
    /// The words.
    pub words: Vec<String>,
    /// The profile's name of the command, where that was used.
    pub asked: Option<String>,
    /// The note as it was named.
    pub note: Option<String>,
    /// The parameter of ours that standard input is for.
    pub input: Option<String>,
    /// Whether doubts count as violations.
    pub is_strict: bool,
    /// Whether a list is asked for without items.
    pub shows_none: bool,
    /// The properties of a new note, as given.
    pub properties: Map<String, Value>,
    /// Why the words could not be translated.
    pub failure: Option<Failure>,
}

impl Line {
    /// A command without anything special.
    pub(super) const fn new(
        name: &'static str,
        command: &'static str,
        words: &'static [&'static str],
        own: &'static [(&'static str, Gives)],
    ) -> Self {
        Self {
            name,
            command,
            words,
            shared: &[],
            own,
            with_word: None,
            defaults: &[],
            missing: None,
            no_note_with: &[],
            does_with: None,
        }
    }

    /// Its options.
    pub(super) fn options(&self) -> impl Iterator<Item = &'static (&'static str, Gives)> {
        self.shared.iter().chain(self.own)
    }

    /// The same, with options that it shares with other commands.
    pub(super) const fn sharing(self, shared: &'static [(&'static str, Gives)]) -> Self {
        Self { shared, ..self }
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

    /// The same, changing something with this switch alone.
    pub(super) const fn planned_without(self, option: &'static str) -> Self {
        Self {
            does_with: Some(option),
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
    let spoken = Reading::new(line, &words[..at]).read(&words[after..], takes_value);
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

impl Spoken {
    fn as_typed(words: Vec<String>) -> Self {
        let properties = words
            .iter()
            .find_map(|word| serde_json::from_str(word.strip_prefix("properties=")?).ok());
        Self {
            properties: properties.unwrap_or_default(),
            words,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Code;

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
            &[
                (
                    "--in",
                    Gives::Means(
                        Change::NOTHING
                            .with_note_as("to")
                            .otherwise(&[("direction", "in")]),
                    ),
                ),
                (
                    "--tree",
                    Gives::Means(Change::command("note:neighbors", &[])),
                ),
                ("--most", Gives::UpTo("limit", 9)),
            ],
        )
        .with_defaults(&[("direction", "out")]),
        Line::new(
            "new",
            "create",
            &["property type", "name"],
            &[("--owner", Gives::Property("owner"))],
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
            (
                &["edges", "--tree", "a"],
                "note:neighbors file=a direction=out",
            ),
            (
                &["edges", "--in", "--tree", "a"],
                "note:neighbors file=a direction=in",
            ),
            (
                &["edges", "--tree", "a", "--in", "direction=both"],
                "note:neighbors file=a direction=both",
            ),
            (&["edges", "a", "--most", "9"], "links:list file=a limit=9"),
            (&["edges", "a", "--most=0"], "links:list file=a total"),
            (
                &["new", "adr", "a=b", "--owner", "me"],
                "create name=a=b properties={\"type\":\"adr\",\"owner\":\"me\"}",
            ),
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
        assert!(spoken(&["edges", "a", "--most", "0"]).shows_none);
        assert!(!spoken(&["edges", "a", "--most", "1"]).shows_none);
        assert_eq!(spoken(&["new", "adr", "x"]).properties["type"], "adr");
        assert_eq!(
            spoken(&["create", "path=a", "properties={\"type\":\"x\"}"]).properties["type"],
            "x"
        );
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
            &["look", "for", ""],
            &["look", "for", " "],
            &["edges", "a", "--most", "10"],
            &["edges", "a", "--most", "-1"],
            &["edges", "a", "--most", "x"],
        ] {
            let failure = spoken(words).failure.unwrap();
            assert_eq!(failure.code, Code::UsageError, "{words:?}");
        }
    }
}
