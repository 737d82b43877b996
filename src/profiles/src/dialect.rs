//! Translates the command line of a profile into ours.

mod reading;

use super::Surroundings;
use protocol::failure::Failure;

use reading::Reading;

/// One command of a profile's command line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// The profile's name of the command, one word or two.
    pub(super) name: &'static str,
    /// Our command, by its id.
    pub(super) command: &'static str,
    /// Our parameters for the words without a name, in their order; see `reading`. `property X` is
    /// the property `X` of a new note.
    pub(super) words: &'static [&'static str],
    /// Options that several commands share.
    shared: &'static [(&'static str, Gives)],
    /// Options of this command only.
    own: &'static [(&'static str, Gives)],
    /// If there is a word without a name: the other command of ours to use, and its parameter for
    /// the word.
    pub(super) with_word: Option<(&'static str, &'static str)>,
    /// Our parameters and flags with default values, for those that the command has.
    pub(super) defaults: &'static [(&'static str, &'static str)],
    /// The message if the first of `words` is missing.
    pub(super) missing: Option<&'static str>,
    /// Parameters with which the first word is not the note, but the value of the second slot.
    pub(super) no_note_with: &'static [&'static str],
    /// The switch without which the command only plans.
    pub(super) does_with: Option<&'static str>,
}

/// The meaning of an option.
#[derive(Clone, Copy, Debug)]
pub(super) enum Gives {
    /// The value of our parameter.
    Value(&'static str),
    /// The value of our parameter, a number up to this; 0 lists nothing and only counts.
    UpTo(&'static str, u64),
    /// The value of a property of a new note.
    Property(&'static str),
    /// A switch with this meaning.
    Means(Change),
    /// A switch: our parameter gets the text from standard input.
    Input(&'static str),
    /// Each of its values has this meaning.
    Choice(&'static [(&'static str, Change)]),
    /// The words `name=value` after it are properties, for our parameter that takes an object.
    Properties(&'static str),
    /// It asks for a missing feature; this is the message.
    Nothing(&'static str),
    /// Doubts of an audit count as violations.
    Strict,
}

/// The change of our command line by a switch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Change {
    /// Our command to use instead.
    pub(super) command: Option<&'static str>,
    /// Further words of ours.
    pub(super) words: &'static [&'static str],
    /// Our parameters with default values, for those that the command has.
    pub(super) otherwise: &'static [(&'static str, &'static str)],
    /// The parameter for the note, instead of `path` or `file`.
    pub(super) note_as: Option<&'static str>,
}

impl Change {
    /// No change, because our command always does what the switch asks for.
    pub(super) const NOTHING: Self = Self {
        command: None,
        words: &[],
        otherwise: &[],
        note_as: None,
    };

    /// Adds further words of ours.
    pub(super) const fn words(words: &'static [&'static str]) -> Self {
        Self {
            words,
            ..Self::NOTHING
        }
    }

    /// Uses another command of ours, with these words.
    pub(super) const fn command(command: &'static str, words: &'static [&'static str]) -> Self {
        Self {
            command: Some(command),
            words,
            ..Self::NOTHING
        }
    }

    /// Adds default values for our parameters.
    pub(super) const fn otherwise(
        self,
        otherwise: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self { otherwise, ..self }
    }

    /// Puts the note into another parameter, if the command has it.
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
    /// The translated words, for our own command line.
    pub words: Vec<String>,
    /// Our parameter whose value comes from standard input.
    pub input: Option<String>,
    /// The facts in the words that the answer needs.
    pub surroundings: Surroundings,
    /// The reason why the words could not be translated.
    pub failure: Option<Failure>,
}

impl Line {
    /// A command without further properties.
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

    /// Returns all options of the command.
    pub(super) fn options(&self) -> impl Iterator<Item = &'static (&'static str, Gives)> {
        self.shared.iter().chain(self.own)
    }

    /// Adds options that several commands share.
    pub(super) const fn sharing(self, shared: &'static [(&'static str, Gives)]) -> Self {
        Self { shared, ..self }
    }

    /// Uses another command if there is a word without a name.
    pub(super) const fn with_word(self, command: &'static str, parameter: &'static str) -> Self {
        Self {
            with_word: Some((command, parameter)),
            ..self
        }
    }

    /// Adds default values for our parameters.
    pub(super) const fn with_defaults(
        self,
        defaults: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self { defaults, ..self }
    }

    /// Sets the parameters with which the first word is not the note.
    pub(super) const fn without_note_with(self, parameters: &'static [&'static str]) -> Self {
        Self {
            no_note_with: parameters,
            ..self
        }
    }

    /// Makes the command a plan, unless this switch is given.
    pub(super) const fn planned_without(self, option: &'static str) -> Self {
        Self {
            does_with: Some(option),
            ..self
        }
    }

    /// Sets the message for a missing first word.
    pub(super) const fn needing(self, missing: &'static str) -> Self {
        Self {
            missing: Some(missing),
            ..self
        }
    }
}

/// Translates `words`. Words that are in no table stay unchanged, so that our own command line is
/// also valid under a profile.
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
        // The caller searches the words after the mistake for options such as `--output`.
        Some(_) => Spoken { words, ..spoken },
        None => spoken,
    }
}

/// Translates an option that every command has.
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

/// Returns the position of the command: the first word that is neither an option nor an option's
/// value.
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
        let mut spoken = Self {
            words,
            ..Self::default()
        };
        spoken.surroundings.properties = properties.unwrap_or_default();
        spoken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::code::Code;

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

    /// Translates words, between which is a `|`.
    fn spoken(words: &str) -> Spoken {
        let words = words.split('|').filter(|_| !words.is_empty());
        let words: Vec<String> = words.map(str::to_owned).collect();
        let takes_value = |word: &str| match word {
            "--vault" => Some(true),
            "-j" => Some(false),
            _ => None,
        };
        understand(LINES, &[("--root", "--vault")], &words, &takes_value)
    }

    fn ours(words: &str) -> String {
        let spoken = spoken(words);
        assert_eq!(spoken.failure, None, "{words:?}");
        spoken.words.join(" ")
    }

    #[test]
    fn words_of_a_table_become_ours() {
        for (words, expected) in [
            ("look|for|x y", "search query=x y limit=7"),
            ("-j|look|for|x|--most|3", "-j search query=x limit=3"),
            ("look|for|x|--most=-3|-j", "-j search query=x limit=-3"),
            ("look|for|--count|x", "search total query=x"),
            ("look|for|x|--as|lines", "search:context query=x limit=7"),
            ("look|for|--as=files|x", "search query=x limit=7"),
            ("--vault|look|look|a/b", "--vault look backlinks path=a/b"),
            ("--root|v|look|a.md", "--vault v backlinks path=a.md"),
            (
                "look|a|--vault|b|--root=c",
                "--vault b --vault=c backlinks file=a",
            ),
            (
                "put|a|--with|x=1|y=b c|--hard",
                "create path=a properties={\"x\":1,\"y\":\"b c\"}",
            ),
            ("edges|a.md", "links:list path=a.md"),
            ("edges|--in|a", "links:list to=a"),
            ("edges|--tree|a", "note:neighbors file=a direction=out"),
            ("edges|--in|--tree|a", "note:neighbors file=a direction=in"),
            (
                "edges|--tree|a|--in|direction=both",
                "note:neighbors file=a direction=both",
            ),
            ("edges|a|--most|9", "links:list file=a limit=9"),
            ("edges|a|--most=0", "links:list file=a total"),
            (
                "new|adr|a=b|--owner|me",
                "create name=a=b properties={\"type\":\"adr\",\"owner\":\"me\"}",
            ),
            ("copy|a|out", "vault:export file=a to=out"),
            ("copy|out|--query|x", "vault:export to=out query=x"),
            ("tags", "tags"),
            ("tags|a", "tag name=a"),
            ("tags|a|b", "tag name=a b"),
        ] {
            assert_eq!(ours(words), expected, "{words:?}");
        }
    }

    #[test]
    fn our_own_words_stay_as_they_are() {
        for (words, expected) in [
            ("read|path=a|--nonsense", "read path=a --nonsense"),
            ("look|for|query=a=b|case", "search query=a=b case limit=7"),
            // A word without a name fills a free slot before it is taken as a flag of ours.
            ("look|for|case", "search query=case limit=7"),
            ("look|for|case|case", "search query=case case limit=7"),
            ("look|for|limit=1|x=y", "search limit=1 query=x=y"),
            ("look|path=a.md|counts", "backlinks path=a.md counts"),
            ("look|--|path=a.md", "backlinks path=path=a.md"),
            ("look|for|--|--most", "search query=--most limit=7"),
            ("look|for|x|--nonsense", "--nonsense search query=x limit=7"),
            ("", ""),
            ("-j", "-j"),
        ] {
            assert_eq!(ours(words), expected, "{words:?}");
        }
    }

    #[test]
    fn what_is_not_here_is_said() {
        let failure = spoken("put|a|--magic").failure.unwrap();
        assert_eq!(failure.to_string(), "There is no magic.");
    }

    #[test]
    fn what_the_answer_needs_of_the_words_is_kept() {
        let about = |words| spoken(words).surroundings;
        assert_eq!(about("read|path=a"), Surroundings::default());
        let look = Surroundings {
            requested: Some("look".to_owned()),
            note: Some("../a".to_owned()),
            ..Surroundings::default()
        };
        assert_eq!(about("look|../a"), look);
        assert!(about("put|a|--hard").is_strict);
        assert!(about("edges|a|--most|0").shows_none);
        assert!(!about("edges|a|--most|1").shows_none);
        assert_eq!(about("new|adr|x").properties["type"], "adr");
        let typed = about("create|path=a|properties={\"type\":\"x\"}");
        assert_eq!(typed.properties["type"], "x");
    }

    #[test]
    fn words_that_make_no_sense_are_refused() {
        for words in [
            "look|for",
            "look|for|x|--most",
            "look|for|x|--as|trees",
            "look|for|x|--as",
            "look|for|x|--count=2",
            "put|a|--with|x",
            "look|for|",
            "look|for| ",
            "edges|a|--most|10",
            "edges|a|--most|-1",
            "edges|a|--most|x",
        ] {
            let failure = spoken(words).failure.unwrap();
            assert_eq!(failure.code, Code::UsageError, "{words:?}");
        }
    }
}
