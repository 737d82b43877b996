//! Translates the command line of a profile into ours.

mod reading;

use serde::Deserialize;

use super::Surroundings;
use protocol::Failure;

use reading::Reading;

/// One command of a profile's command line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    /// The profile's names of the command, each one word or two.
    pub(super) names: Vec<String>,
    /// Our command, by its id.
    pub(super) command: String,
    /// Our parameters for the words without a name, in their order; see `reading`. `property X` is
    /// the property `X` of a new note.
    #[serde(default)]
    pub(super) words: Vec<String>,
    /// Its options.
    #[serde(default)]
    pub(super) options: Vec<(String, Gives)>,
    /// If there is a word without a name: the other command of ours to use, and its parameter for
    /// the word.
    pub(super) with_word: Option<(String, String)>,
    /// Our parameters and flags with default values, for those that the command has.
    #[serde(default)]
    pub(super) defaults: Vec<(String, String)>,
    /// The message if the first of `words` is missing.
    pub(super) missing: Option<String>,
    /// Parameters with which the first word is not the note, but the value of the second slot.
    #[serde(default)]
    pub(super) no_note_with: Vec<String>,
    /// The switch without which the command only plans.
    pub(super) does_with: Option<String>,
}

/// The meaning of an option.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Gives {
    /// The value of our parameter.
    Value(String),
    /// The value of our parameter, a number up to this; 0 lists nothing and only counts.
    UpTo(String, u64),
    /// The value of a property of a new note.
    Property(String),
    /// A switch with this meaning.
    Means(Change),
    /// A switch: our parameter gets the text from standard input.
    Input(String),
    /// Each of its values has this meaning.
    Choice(Vec<(String, Change)>),
    /// The words `name=value` after it are properties, for our parameter that takes an object.
    Properties(String),
    /// It asks for a missing feature; this is the message.
    Nothing(String),
    /// Doubts of an audit count as violations.
    Strict,
}

/// The change of our command line by a switch; empty if our command always does what the switch asks for.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Change {
    /// Our command to use instead.
    pub(super) command: Option<String>,
    /// Further words of ours.
    pub(super) words: Vec<String>,
    /// Our parameters with default values, for those that the command has.
    pub(super) otherwise: Vec<(String, String)>,
    /// The parameter for the note, instead of `path` or `file`.
    pub(super) note_as: Option<String>,
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

/// Translates `words`. Words that are in no table stay unchanged, so that our own command line is
/// also valid under a profile.
pub(super) fn understand(
    lines: &'static [Line],
    options: &[(String, String)],
    words: &[String],
    takes_value: &dyn Fn(&str) -> Option<bool>,
) -> Spoken {
    let words: Vec<String> = words.iter().map(|word| renamed(word, options)).collect();
    let Some(at) = command_at(&words, takes_value) else {
        return Spoken::as_typed(words);
    };
    let next = words.get(at + 1);
    let double = next.map(|next| format!("{} {next}", words[at]));
    let named = |word: &String| {
        let mut names = lines
            .iter()
            .flat_map(|line| line.names.iter().map(move |name| (line, name)));
        names.find(|(_, name)| *name == word)
    };
    let (found, after) = match double.as_ref().and_then(named) {
        Some(found) => (found, at + 2),
        None => match named(&words[at]) {
            Some(found) => (found, at + 1),
            None => return Spoken::as_typed(words),
        },
    };
    let spoken = Reading::new(found, &words[..at]).read(&words[after..], takes_value);
    match spoken.failure {
        // The caller searches the words after the mistake for options such as `--output`.
        Some(_) => Spoken { words, ..spoken },
        None => spoken,
    }
}

/// Translates an option that every command has.
fn renamed(word: &str, options: &[(String, String)]) -> String {
    for (theirs, ours) in options {
        if word == theirs {
            return ours.clone();
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
    use std::sync::LazyLock;

    use super::*;
    use protocol::Code;

    const CASES: &str = include_str!("dialect_cases.txt");

    #[derive(Deserialize)]
    struct Lines {
        lines: Vec<Line>,
    }

    static LINES: LazyLock<Lines> = LazyLock::new(|| {
        toml::from_str(
            r#"
                [[lines]]
                names = ["look for"]
                command = "search"
                words = ["query"]
                options = [
                    ["--most", { value = "limit" }],
                    ["--count", { means = { words = ["total"] } }],
                    ["--as", { choice = [["lines", { command = "search:context" }], ["files", {}]] }],
                ]
                defaults = [["limit", "7"]]
                missing = "look for what?"

                [[lines]]
                names = ["look"]
                command = "backlinks"
                words = ["note"]

                [[lines]]
                names = ["tags"]
                command = "tags"
                with_word = ["tag", "name"]

                [[lines]]
                names = ["put"]
                command = "create"
                words = ["path"]
                options = [
                    ["--with", { properties = "properties" }],
                    ["--hard", "strict"],
                    ["--magic", { nothing = "This program has no magic." }],
                ]

                [[lines]]
                names = ["edges"]
                command = "links:list"
                words = ["note"]
                options = [
                    ["--in", { means = { note_as = "to", otherwise = [["direction", "in"]] } }],
                    ["--tree", { means = { command = "note:neighbors" } }],
                    ["--most", { up_to = ["limit", 9] }],
                ]
                defaults = [["direction", "out"]]

                [[lines]]
                names = ["new"]
                command = "create"
                words = ["property type", "name"]
                options = [["--owner", { property = "owner" }]]

                [[lines]]
                names = ["copy"]
                command = "vault:export"
                words = ["note", "to"]
                options = [["--query", { value = "query" }]]
                no_note_with = ["query"]
            "#,
        )
        .unwrap()
    });

    /// Translates words, between which is a `|`.
    fn spoken(words: &str) -> Spoken {
        let words = words.split('|').filter(|_| !words.is_empty());
        let words: Vec<String> = words.map(str::to_owned).collect();
        let takes_value = |word: &str| match word {
            "--vault" => Some(true),
            "-j" => Some(false),
            _ => None,
        };
        let options = [("--root".to_owned(), "--vault".to_owned())];
        understand(&LINES.lines, &options, &words, &takes_value)
    }

    fn ours(words: &str) -> String {
        let spoken = spoken(words);
        assert_eq!(spoken.failure, None, "{words:?}");
        spoken.words.join(" ")
    }

    #[test]
    fn words_of_a_table_become_ours() {
        for [words, expected] in tables::section(CASES, "words of a table become ours") {
            assert_eq!(ours(words), expected, "{words:?}");
        }
    }

    #[test]
    fn our_own_words_stay_as_they_are() {
        for [words, expected] in tables::section(CASES, "our own words stay as they") {
            assert_eq!(ours(words), expected, "{words:?}");
        }
    }

    #[test]
    fn what_is_not_here_is_said() {
        let failure = spoken("put|a|--magic").failure.unwrap();
        assert_eq!(failure.to_string(), "This program has no magic.");
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
        for words in tables::lines(CASES, "words that make no sense are refused") {
            let failure = spoken(words).failure.unwrap();
            assert_eq!(failure.code, Code::UsageError, "{words:?}");
        }
    }
}
