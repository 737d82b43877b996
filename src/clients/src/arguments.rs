//! The arguments of an entry. Arguments from a person or an earlier run are kept: most of them
//! restrict what the client may do, and dropping one would silently remove the restriction.
//! Arguments that this program does not accept are left out, because the server would not start.
//! They are not shown either, because they may be secrets.

use std::path::Path;

use super::client::ServerEntry;
use super::grammar::{ServerGrammar, VERB};
use frontend::CommandLineOptions;

/// Replaces a value that is not shown.
pub(super) const HIDDEN: &str = "…";
/// Longest name of an option that is shown, in bytes.
const MAX_OPTION_NAME: usize = 32;

/// The arguments with which a client starts the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerArguments {
    parts: Vec<ArgumentPart>,
    /// The names of options in the entry that this program does not accept.
    left_out: Vec<String>,
    /// Whether the existing entry starts another program.
    is_foreign: bool,
}

/// The verb, or an option with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ArgumentPart {
    words: Vec<String>,
    /// Whether it is from the existing entry.
    is_kept: bool,
}

impl ServerArguments {
    /// Returns the arguments of an entry without options.
    pub fn bare() -> Self {
        Self {
            parts: vec![ArgumentPart {
                words: vec![VERB.to_owned()],
                is_kept: false,
            }],
            left_out: Vec::new(),
            is_foreign: false,
        }
    }

    /// Returns the arguments of an existing entry, or [`Self::bare`] if it does not start a server of this program. The
    /// words of a launcher such as `npx` before the name of this program are left out, because the new entry names the
    /// program itself.
    pub fn of_entry(server: &ServerEntry, grammar: &ServerGrammar) -> Self {
        let own = words_of_this_program(server, grammar);
        let words = own.unwrap_or(&server.args);
        if verb_of(words, grammar).is_none() {
            return Self::bare();
        }
        let mut arguments = Self {
            parts: Vec::new(),
            left_out: Vec::new(),
            is_foreign: own.is_none(),
        };
        let mut is_after_unknown = false;
        for argument in arguments_in(words, grammar) {
            let (words, is_kept) = match argument {
                Argument::Verb(word) => (vec![word.clone()], false),
                Argument::Option(words) => (words.to_vec(), true),
                Argument::Unknown(word) => {
                    let name = option_name(word);
                    // A word after an unknown option may be its value, so it is not reported.
                    if name.is_some() || !is_after_unknown {
                        arguments.left_out.push(name.unwrap_or(HIDDEN).to_owned());
                    }
                    is_after_unknown = true;
                    continue;
                }
            };
            is_after_unknown = false;
            arguments.parts.push(ArgumentPart { words, is_kept });
        }
        if arguments.is_foreign {
            arguments.left_out.clear();
            // These options may only look like ours.
            if arguments.options(grammar).is_err() {
                return Self::bare();
            }
        }
        arguments
    }

    /// Returns the value of an option.
    pub fn value(&self, option: &str) -> Option<&str> {
        match self.part(option)?.words.as_slice() {
            [word] => word.split_once('=').map(|(_, value)| value),
            [_, value, ..] => Some(value),
            [] => None,
        }
    }

    /// Sets the value of an option: in its place if it is present, otherwise at the end.
    pub fn set(&mut self, option: &str, value: &str) {
        let is_same = self.value(option) == Some(value);
        let new = ArgumentPart {
            words: vec![option.to_owned(), value.to_owned()],
            is_kept: false,
        };
        match self.parts.iter_mut().find(|part| part.is(option)) {
            Some(part) if is_same => part.is_kept = false,
            Some(part) => *part = new,
            None => self.parts.push(new),
        }
    }

    /// Removes an option with its value.
    pub fn drop_option(&mut self, option: &str) {
        self.parts.retain(|part| !part.is(option));
    }

    /// Returns the words of the existing entry that were not replaced, in a form that may be shown.
    pub fn kept_words(&self) -> Vec<String> {
        let kept = self.parts.iter().filter(|part| part.is_kept);
        kept.flat_map(|part| self.shown_part(part)).collect()
    }

    /// Whether the existing entry starts another program.
    pub(super) fn is_foreign(&self) -> bool {
        self.is_foreign
    }

    /// Returns the names of the options that were left out.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Returns the options that the server will have.
    ///
    /// # Errors
    ///
    /// The reason why this program refuses them, if an option of the existing entry has an invalid
    /// value.
    pub fn options(&self, grammar: &ServerGrammar) -> Result<CommandLineOptions, String> {
        grammar.options(&self.words())
    }

    /// Returns all words as they are written into the entry.
    pub fn words(&self) -> Vec<String> {
        let words = self.parts.iter().flat_map(|part| &part.words);
        words.cloned().collect()
    }

    /// Returns all words in a form that may be shown: without values from another program's arguments.
    pub fn showable_words(&self) -> Vec<String> {
        let parts = self.parts.iter();
        parts.flat_map(|part| self.shown_part(part)).collect()
    }

    fn shown_part(&self, part: &ArgumentPart) -> Vec<String> {
        if !(self.is_foreign && part.is_kept) {
            return part.words.clone();
        }
        match part.words.as_slice() {
            [option, _] => vec![option.clone(), HIDDEN.to_owned()],
            words => words.iter().map(|word| without_value(word)).collect(),
        }
    }

    fn part(&self, option: &str) -> Option<&ArgumentPart> {
        self.parts.iter().find(|part| part.is(option))
    }
}

impl ArgumentPart {
    /// Whether this is the option, also in the form `--tier=v1`.
    fn is(&self, option: &str) -> bool {
        let word = self.words.first().map_or("", String::as_str);
        word.split_once('=').map_or(word, |(name, _)| name) == option
    }
}

impl ServerEntry {
    /// Whether this program starts, perhaps by a launcher such as `npx`.
    pub fn starts_this_program(&self) -> bool {
        is_program(&self.command) || self.args.iter().any(|word| is_program(word))
    }

    /// Returns the program of an entry in a form that may be shown.
    #[must_use]
    pub fn showable(self, grammar: &ServerGrammar) -> Self {
        let args = showable_words(&self, grammar);
        Self { args, ..self }
    }
}

/// Returns the arguments of an entry in a form that may be shown: in full for this program's
/// options, others by name.
fn showable_words(server: &ServerEntry, grammar: &ServerGrammar) -> Vec<String> {
    let words = &server.args;
    let Some(own) = words_of_this_program(server, grammar) else {
        let hidden = words.first().map(|_| HIDDEN.to_owned());
        return hidden.into_iter().collect();
    };
    let launcher = &words[..words.len() - own.len()];
    let mut shown = Vec::new();
    if let Some((program, options)) = launcher.split_last() {
        // The options of a launcher may be secrets. Its last word is this program.
        shown.extend(options.iter().map(|_| HIDDEN.to_owned()));
        shown.push(program.clone());
    }
    for argument in arguments_in(own, grammar) {
        match argument {
            Argument::Verb(word) => shown.push(word.clone()),
            Argument::Option(words) => shown.extend_from_slice(words),
            Argument::Unknown(word) => shown.push(without_value(word)),
        }
    }
    shown.dedup_by(|next, last| next == HIDDEN && last == HIDDEN);
    shown
}

/// A word of an entry, or an option with its value.
enum Argument<'a> {
    Verb(&'a String),
    Option(&'a [String]),
    /// A word or option that this program does not accept.
    Unknown(&'a str),
}

fn arguments_in<'a>(words: &'a [String], grammar: &ServerGrammar) -> Vec<Argument<'a>> {
    let mut arguments = Vec::new();
    let mut rest = words;
    let mut is_after_verb = false;
    while let Some((word, after)) = rest.split_first() {
        if word == VERB && !is_after_verb {
            is_after_verb = true;
            arguments.push(Argument::Verb(word));
            rest = after;
        } else if let Some(count) = grammar.words_of_option(word, is_after_verb) {
            let (option, after) = rest.split_at(count.min(rest.len()));
            arguments.push(Argument::Option(option));
            rest = after;
        } else {
            arguments.push(Argument::Unknown(word));
            rest = after;
        }
    }
    arguments
}

/// Returns the index of the verb, if there is one.
fn verb_of(words: &[String], grammar: &ServerGrammar) -> Option<usize> {
    let mut at = 0;
    for argument in arguments_in(words, grammar) {
        at += match argument {
            Argument::Verb(_) => return Some(at),
            Argument::Option(words) => words.len(),
            Argument::Unknown(_) => 1,
        };
    }
    None
}

/// Returns the words that this program gets: all words if the entry starts this program, the words after its name if a
/// launcher starts it; `None` if the entry starts another program.
fn words_of_this_program<'a>(
    server: &'a ServerEntry,
    grammar: &ServerGrammar,
) -> Option<&'a [String]> {
    let words = server.args.as_slice();
    if is_program(&server.command) {
        return Some(words);
    }
    let before_verb = words.get(..verb_of(words, grammar)?)?;
    let launched = before_verb.iter().rposition(|word| is_program(word))?;
    words.get(launched + 1..)
}

/// Returns the name of an option, if the word is written as one.
fn option_name(word: &str) -> Option<&str> {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    let letters = name.strip_prefix("--")?;
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    let fits = (1..=MAX_OPTION_NAME).contains(&letters.len()) && letters.chars().all(is_name);
    fits.then_some(name)
}

/// Returns a word without a possible secret: only the name of the option.
fn without_value(word: &str) -> String {
    match option_name(word) {
        Some(name) if name == word => name.to_owned(),
        Some(name) => format!("{name}={HIDDEN}"),
        None => HIDDEN.to_owned(),
    }
}

/// Whether a word names this program: its name, with or without a version, or its path.
pub(super) fn is_program(word: &str) -> bool {
    let name = Path::new(word).file_name().unwrap_or_default();
    name.to_string_lossy().starts_with("vault-gw")
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, Command};

    use super::*;
    use allowlist::Tier;

    const CASES: &str = include_str!("arguments_cases.txt");

    /// Returns a grammar with one option of the verb.
    fn grammar() -> ServerGrammar {
        let verb = Command::new(VERB).arg(clap::Arg::new("p").long("tool-prefix"));
        let line = CommandLineOptions::augment_args(Command::new("vault-gw"));
        ServerGrammar::new(line.subcommand(verb))
    }

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    fn server(line: &str) -> ServerEntry {
        let line = words(line);
        let (command, args) = line.split_first().unwrap();
        ServerEntry {
            command: command.clone(),
            args: args.to_vec(),
        }
    }

    fn of_entry(line: &str) -> ServerArguments {
        ServerArguments::of_entry(&server(line), &grammar())
    }

    #[test]
    fn what_is_not_set_anew_is_kept_in_its_place() {
        let mut arguments =
            of_entry("/old/vault-gw --tier=v1 mcp --agent helper --settings /s --tool-prefix home");
        assert_eq!(arguments.value("--tier"), Some("v1"));
        arguments.set("--settings", "/s");
        arguments.set("--agent", "other");
        arguments.set("--backend", "embedded");
        arguments.drop_option("--vault");
        assert_eq!(
            arguments.kept_words(),
            words("--tier=v1 --tool-prefix home")
        );
        let options = arguments.options(&grammar()).unwrap();
        assert_eq!(options.agent.as_deref(), Some("other"));
        assert_eq!(options.tier.map(Tier::name), Some("v1"));
        assert_eq!(
            arguments.words(),
            words(
                "--tier=v1 mcp --agent other --settings /s --tool-prefix home --backend embedded"
            )
        );
    }

    #[test]
    fn a_launcher_is_left_out_and_another_program_is_not_kept() {
        let launched = of_entry("npx -y vault-gw@1.0.0 mcp --vault mcp");
        assert_eq!(launched.words(), words("mcp --vault mcp"));
        let started = of_entry("vault-gw --vault /vault-gw-notes mcp");
        assert_eq!(started.words(), words("--vault /vault-gw-notes mcp"));
        for other in [
            "x",
            "x serve --agent helper",
            "x --vault mcp",
            "x mcp --tier high",
        ] {
            assert_eq!(of_entry(other), ServerArguments::bare(), "{other}");
        }
    }

    #[test]
    fn invalid_values_are_reported() {
        let arguments = of_entry("vault-gw mcp --tier highest");
        let reason = arguments.options(&grammar()).unwrap_err();
        assert!(reason.contains("highest"), "{reason}");
    }

    #[test]
    fn refused_arguments_are_omitted_and_listed_by_name() {
        let line = "vault-gw --tool-prefix=S mcp -vj -ojson --token S1 --wat --key=S2 S3 -x --tier v0 S4 mcp";
        let arguments = of_entry(line);
        assert_eq!(arguments.words(), words("mcp -vj -ojson --tier v0"));
        assert_eq!(
            arguments.left_out(),
            words("--tool-prefix --token --wat --key …")
        );
        arguments.options(&grammar()).unwrap();
    }

    #[test]
    fn only_what_is_ours_is_shown() {
        for [line, expected] in tables::section(CASES, "only what is ours is shown") {
            assert_eq!(
                showable_words(&server(line), &grammar()),
                words(expected),
                "{line}"
            );
        }
        // Restrictions of another program's server are kept, because it may be this program under
        // another name.
        let foreign = of_entry("mine mcp --tier v0 --agent=S -v --token S");
        assert_eq!(foreign.words(), words("mcp --tier v0 --agent=S -v"));
        assert_eq!(foreign.showable_words(), words("mcp --tier … --agent=… …"));
        assert_eq!(foreign.kept_words(), words("--tier … --agent=… …"));
        assert!(foreign.left_out().is_empty());
    }
}
