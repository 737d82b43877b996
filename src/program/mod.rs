//! The program: command-line grammar, help, and dispatch to verbs and commands. It sits above the
//! interfaces for people and agents, because it starts either.
//!
//! `vault-gw [options] <command> [param=value …] [flag …]`, or `vault-gw [options] <verb> …`.

mod complete;
mod completions;
#[cfg(test)]
mod every_message;
mod help;
pub mod reference;
mod shell_line;
mod verb;

use std::collections::HashMap;
use std::error::Error as _;
use std::ffi::OsString;
use std::num::{IntErrorKind, ParseIntError};
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Parser};

use self::help::Extent;
use self::verb::Verb;
use crate::cli::{Cli, command, profile, report};
use allowlist::Catalogue;
use frontend::{CommandLineOptions, OutputMode, Terminal, setup, verb_names::is_verb};
use gateway::Gateway;
use profiles::Surroundings;
use protocol::{Caller, Code, Failure, Message, Shell, did_you_mean, either};
use sandbox::Environment;
use tiers::Policy;

/// `vault-gw <verb>`.
#[derive(Debug, Parser)]
#[command(name = "vault-gw", version, about = ABOUT, disable_help_subcommand = true)]
struct VerbLine {
    #[command(flatten)]
    options: CommandLineOptions,
    #[command(subcommand)]
    verb: Verb,
}

/// `vault-gw <official command> [param=value …] [flag …]`.
#[derive(Debug, Parser)]
#[command(name = "vault-gw", version, about = ABOUT)]
struct CommandLine {
    #[command(flatten)]
    options: CommandLineOptions,
    /// An official command, its parameters and its flags
    #[arg(value_name = "COMMAND [PARAM=VALUE …] [FLAG …]")]
    words: Vec<String>,
}

const ABOUT: &str = "The safe gateway between AI agents and an Obsidian vault.";

/// Reads `help --all` as `help all`, because the grammar of commands has no such option.
fn with_everything_as_topic(mut words: Vec<String>) -> Vec<String> {
    if first_word(&words) == Some("help") {
        for word in &mut words {
            if word.strip_prefix("--") == Some(help::EVERYTHING) {
                help::EVERYTHING.clone_into(word);
            }
        }
    }
    words
}

/// Runs the program with these arguments, without the program's name.
pub fn run(words: impl IntoIterator<Item = OsString>, environment: &Environment) -> ExitCode {
    let given: Vec<OsString> = words.into_iter().collect();
    let words: Vec<String> = given
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let terminal = &Terminal::detect(environment, &words);
    terminal.keep_panics_quiet();
    if given.iter().any(|word| word.to_str().is_none()) {
        let failure = Code::UsageError.failure("An argument is not UTF-8.");
        return refused(terminal, &words, failure);
    }
    #[cfg(target_os = "linux")]
    if let Some(socket) = environment.variable(fence::SOCKET) {
        return fence::relayed(&words, socket)
            .unwrap_or_else(|failure| refused(terminal, &words, failure));
    }
    let spoken = profile::understood(words, &option_takes_value);
    let words = spoken.words;
    let surroundings = Surroundings {
        here: profile::here(environment),
        ..spoken.surroundings
    };
    let unparsed = CommandLineOptions::from_words(&words, surroundings.clone());
    if let Some(failure) = spoken.failure {
        return failed(terminal, unparsed, "", failure, environment);
    }
    if words.is_empty() {
        return print_help(terminal, &unparsed, &[], Extent::Story, &words, environment);
    }
    let words = with_everything_as_topic(words);
    let name = first_word(&words).unwrap_or_default();
    let parsed = if is_verb(name) {
        parse::<VerbLine>(&words).map(|line| (line.options, Vec::new(), Some(line.verb)))
    } else {
        parse_command(&words).map(|line| (line.options, line.words, None))
    };
    let (mut options, line, verb) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return usage(terminal, &words, unparsed, &error, environment),
    };
    options.surroundings = surroundings;
    if name == "help" {
        let topic = line.get(1..).unwrap_or_default();
        return print_help(
            terminal,
            &options,
            topic,
            Extent::Short,
            &words,
            environment,
        );
    }
    if verb.is_some() {
        profile::look_around(&mut options, environment);
    }
    if let Err(failure) = options.diagnostics(environment).start(environment) {
        return report::failure(terminal, &options, "", failure);
    }
    let cli = Cli {
        terminal,
        options: &options,
        environment,
    };
    match verb {
        Some(verb) => verb.run(cli, name),
        None => command::run(cli, &line),
    }
}

/// Reports `failure` and runs nothing.
pub fn refuse(
    words: impl IntoIterator<Item = OsString>,
    environment: &Environment,
    failure: Failure,
) -> ExitCode {
    let words: Vec<String> = words
        .into_iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    refused(&Terminal::detect(environment, &words), &words, failure)
}

fn refused(terminal: &Terminal, words: &[String], failure: Failure) -> ExitCode {
    let options = CommandLineOptions::from_words(words, Surroundings::default());
    report::failure(terminal, &options, "", failure)
}

/// Reports a failure before the options are parsed. The output of a profile names the vault.
fn failed(
    terminal: &Terminal,
    mut options: CommandLineOptions,
    command: &str,
    failure: Failure,
    environment: &Environment,
) -> ExitCode {
    profile::look_around(&mut options, environment);
    report::failure(terminal, &options, command, failure)
}

/// Prints a help page, under the policy for the words if there is one.
fn print_help(
    terminal: &Terminal,
    options: &CommandLineOptions,
    topic: &[String],
    extent: Extent,
    words: &[String],
    environment: &Environment,
) -> ExitCode {
    let gateway = gateway(words, environment);
    help::print(
        terminal,
        options,
        topic,
        extent,
        gateway.as_ref().map(Gateway::policy),
    )
}

/// Returns the gateway for the vault, settings and agent in the words. `None` if they are unusable:
/// the call itself will report why.
fn gateway(words: &[String], environment: &Environment) -> Option<Gateway> {
    let options = CommandLineOptions::from_words(words, Surroundings::default());
    setup::gateway(&options, environment, Caller::Person).ok()
}

/// Returns the first word that is neither an option nor an option's value. It selects the grammar, because an official
/// command accepts words that a clap subcommand cannot.
fn first_word(words: &[String]) -> Option<&str> {
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if !word.starts_with('-') {
            return Some(word);
        }
        if option_takes_value(word) == Some(true) {
            rest.next();
        }
    }
    None
}

/// Whether the next word is the value of an option; `None` if the word is not one of our options.
fn option_takes_value(word: &str) -> Option<bool> {
    /// Each spelling of each option. Made once, because building the grammar takes long.
    static OPTIONS: LazyLock<HashMap<String, bool>> = LazyLock::new(|| {
        let grammar = CommandLine::command();
        let spellings = grammar.get_opts().flat_map(|option| {
            let long = option.get_long().map(|name| format!("--{name}"));
            let short = option.get_short().map(|letter| format!("-{letter}"));
            let takes_value = option.get_action().takes_values();
            long.into_iter()
                .chain(short)
                .map(move |spelling| (spelling, takes_value))
        });
        spellings.collect()
    });
    OPTIONS.get(word).copied()
}

/// Whether the rules for commands leave the word open: it is not a command, or a command that they do not close.
fn is_open(word: &str, policy: Option<&Policy>) -> bool {
    let policy = policy.filter(|policy| policy.has_command_rules());
    let command = policy.and_then(|_| Catalogue::find_builtin(word).ok());
    policy
        .zip(command)
        .is_none_or(|(policy, command)| policy.check_rules(&command).is_ok())
}

fn parse<L: Parser>(words: &[String]) -> Result<L, clap::Error> {
    let line = std::iter::once("vault-gw".to_owned()).chain(words.iter().cloned());
    let matches = L::command().try_get_matches_from(line)?;
    L::from_arg_matches(&matches)
}

/// Parses the line of a command. A word that begins with a dash and a blank, such as the item of a list, is a value and
/// never an option. So it is parsed behind a NUL, which no argument of a program can contain.
fn parse_command(words: &[String]) -> Result<CommandLine, clap::Error> {
    const VALUE: char = '\0';
    let mut previous = "";
    let hidden: Vec<String> = words
        .iter()
        .map(|word| {
            let is_of_option = option_takes_value(previous) == Some(true);
            previous = word;
            if word.starts_with("- ") && !is_of_option {
                format!("{VALUE}{word}")
            } else {
                word.clone()
            }
        })
        .collect();
    let mut line = parse::<CommandLine>(&hidden)?;
    for word in &mut line.words {
        if let Some(value) = word.strip_prefix(VALUE) {
            *word = value.to_owned();
        }
    }
    Ok(line)
}

/// Prints help and version to stdout, and reports every other clap error as one of our failures, so
/// that it has a code, an envelope in JSON mode and our exit status.
fn usage(
    terminal: &Terminal,
    words: &[String],
    unparsed: CommandLineOptions,
    error: &clap::Error,
    environment: &Environment,
) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp if unparsed.output_mode() == OutputMode::Json => {
            help_as_json(terminal, words, unparsed, environment)
        }
        ErrorKind::DisplayHelp => {
            let is_long = words.iter().any(|word| word == "--help");
            let extent = if is_long { Extent::Long } else { Extent::Short };
            let topic = first_word(words).map(|word| subcommands(word, words));
            let (topic, options) = (topic.unwrap_or_default(), CommandLineOptions::default());
            print_help(terminal, &options, &topic, extent, words, environment)
        }
        ErrorKind::DisplayVersion => {
            report::program_version(terminal, &unparsed, error.render().to_string())
        }
        _ => {
            let meant = meant_without_dashes(words, error);
            #[cfg(target_os = "linux")]
            let meant = meant.or_else(|| option_of_a_program(words, error));
            let failure = meant
                .or_else(|| value_with_a_dash(words, error))
                .or_else(|| unfit_value(error))
                .or_else(|| missing_word(words, error))
                .unwrap_or_else(|| failure_of(error));
            let command = first_word(words).unwrap_or_default();
            failed(terminal, unparsed, command, failure, environment)
        }
    }
}

/// Returns the verb with its subcommands, `settings set`; for a command only its name.
fn subcommands(first: &str, words: &[String]) -> Vec<String> {
    let grammar = VerbLine::command();
    let mut topic = vec![first.to_owned()];
    let mut at = grammar.find_subcommand(first);
    let rest = words.iter().skip_while(|word| *word != first).skip(1);
    for word in rest {
        at = match at.and_then(|verb| verb.find_subcommand(word)) {
            Some(verb) => {
                topic.push(word.clone());
                Some(verb)
            }
            None => break,
        };
    }
    topic
}

/// Makes `-j read --help` print the same as `-j help read`.
fn help_as_json(
    terminal: &Terminal,
    words: &[String],
    unparsed: CommandLineOptions,
    environment: &Environment,
) -> ExitCode {
    let asks = |word: &&String| ["-h", "--help"].contains(&word.as_str());
    let without: Vec<String> = words.iter().filter(|word| !asks(word)).cloned().collect();
    let first: Vec<String> = first_word(words).map(str::to_owned).into_iter().collect();
    let (options, topic) = match parse_command(&without) {
        Ok(CommandLine { mut options, words }) => {
            options.surroundings = unparsed.surroundings;
            (options, words)
        }
        // The verb's own options do not matter for its help page.
        Err(_) => (unparsed, first.clone()),
    };
    let topic = if help::has_page_on(&topic, terminal) {
        topic
    } else {
        first
    };
    print_help(
        terminal,
        &options,
        &topic,
        Extent::Short,
        words,
        environment,
    )
}

/// If a parameter or flag was written as an option, such as `--total` or `--path=a.md`: the message
/// with the right spelling (`official-cli.md` §4).
fn meant_without_dashes(words: &[String], error: &clap::Error) -> Option<Failure> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let name = given.trim_start_matches('-').split('=').next()?;
    let command = Catalogue::find_builtin(first_word(words)?).ok()?;
    // clap gives only the first letters.
    let whole = words.iter().find(|word| word.starts_with(given.as_str()));
    if let Some(meant) = whole
        .filter(|word| word.contains(' '))
        .and_then(|word| command.bare_word_meant(word))
    {
        return Some(
            wrong("A value that begins with `-` needs the name of its parameter.")
                .hint(did_you_mean(&[meant])),
        );
    }
    let written = match (command.flag(name), command.param(name)) {
        (Some(flag), _) => flag.name.clone(),
        (None, Some(param)) => param.usage(),
        (None, None) => {
            let (what, hint) = command.instead_of(name)?;
            return Some(wrong(what).hint(hint));
        }
    };
    let hint =
        format!("Parameters and flags of a command are written without dashes: `{written}`.");
    Some(wrong(format!("`--{name}` is not an option.")).hint(hint))
}

/// Returns the message for a verb with a missing, unknown or extra word; `None` for other errors.
fn missing_word(words: &[String], error: &clap::Error) -> Option<Failure> {
    let grammar = VerbLine::command();
    let path = subcommands(first_word(words)?, words);
    let at = path
        .iter()
        .try_fold(&grammar, |at, word| at.find_subcommand(word))?;
    let line = path.join(" ");
    let parts: Vec<&str> = at.get_subcommands().map(clap::Command::get_name).collect();
    let lines = parts.iter().map(|part| format!("vault-gw {line} {part}"));
    let lines: Vec<String> = lines.collect();
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Some(
            wrong(format!("`{line}` needs another word: {}.", either(&lines))),
        ),
        ErrorKind::InvalidSubcommand => {
            let given = text(ContextKind::InvalidSubcommand)?;
            let is_verb = grammar.find_subcommand(given).is_some();
            let failure = wrong(format!("`{line}` does not take `{given}`."))
                .hint(format!("Write {}.", either(&lines)));
            let meant = did_you_mean(&[format!("vault-gw {given}")]);
            Some(if is_verb {
                failure.hint(meant)
            } else {
                failure
            })
        }
        ErrorKind::MissingRequiredArgument => {
            let argument = at
                .get_positionals()
                .find(|argument| argument.is_required_set())?;
            let values = argument.get_possible_values().into_iter();
            let values: Vec<String> = values.map(|value| value.get_name().to_owned()).collect();
            (!values.is_empty()).then(|| wrong(format!("`{line}` needs {}.", either(&values))))
        }
        // A request of several words is one argument.
        ErrorKind::UnknownArgument if line == "explain" => {
            let request = words.iter().skip_while(|word| *word != "explain").skip(1);
            let request: Vec<&str> = request.map(String::as_str).collect();
            let has_option = request.iter().any(|word| word.starts_with('-'));
            (!has_option).then(|| {
                let request = request.join(" ");
                let line = format!("vault-gw explain {}", Shell::native().quoted(&request));
                wrong("The whole request must be one argument, in quotes.")
                    .hint(did_you_mean(&[line]))
            })
        }
        _ => None,
    }
}

/// If `run` was given a program with an option and no `--` before them: the message with the right line.
#[cfg(target_os = "linux")]
fn option_of_a_program(words: &[String], error: &clap::Error) -> Option<Failure> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let place = words
        .iter()
        .position(|word| word.starts_with(given.as_str()))?;
    let (before, rest) = words.split_at_checked(place)?;
    match parse::<VerbLine>(before).ok()?.verb {
        Verb::Run(arguments) => arguments.without_dashes(rest),
        _ => None,
    }
}

/// If the value of an option begins with a dash, so that it looks like another option: the message with the right
/// spelling.
fn value_with_a_dash(words: &[String], error: &clap::Error) -> Option<Failure> {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let option = option.split(' ').next()?;
    let place = words.iter().position(|word| word == option)?;
    let value = words
        .get(place + 1)
        .filter(|value| value.starts_with('-'))?;
    (error.kind() == ErrorKind::InvalidValue).then(|| {
        let value = allowlist::shown(value);
        wrong(format!("`{option}` needs a value.")).hint(format!(
            "To pass `{value}` as the value, write `{option}={value}`."
        ))
    })
}

/// If a value is not a number or id: a message that says what the option accepts, instead
/// of the words of the library that could not parse it.
fn unfit_value(error: &clap::Error) -> Option<Failure> {
    if error.kind() != ErrorKind::ValueValidation {
        return None;
    }
    let text = |kind| match error.get(kind)? {
        ContextValue::String(text) => Some(text.as_str()),
        _ => None,
    };
    let (option, value) = (
        text(ContextKind::InvalidArg)?,
        text(ContextKind::InvalidValue)?,
    );
    let source = error.source()?;
    let takes = if let Some(error) = source.downcast_ref::<ParseIntError>() {
        match error.kind() {
            IntErrorKind::PosOverflow => "a smaller number",
            IntErrorKind::NegOverflow => "a larger number",
            _ => "a whole number",
        }
    } else if source.is::<uuid::Error>() {
        "a UUID, such as `0b8d9a6e-3c1f-4f3b-9a53-2f1f0e6c7d21`"
    } else if source.to_string().contains("is not in 1..") {
        "a number from 1 on"
    } else {
        return None;
    };
    let option = option.split(' ').next().unwrap_or(option);
    Some(wrong(format!(
        "`{option}` takes {takes}, not `{}`.",
        allowlist::shown(value)
    )))
}

fn wrong(what: impl Into<Message>) -> Failure {
    Code::UsageError.failure(what)
}

/// Returns the first paragraph of a clap error, with its tips as hints. The usage block is dropped: it shows clap's
/// grammar, not the grammar of the command.
fn failure_of(error: &clap::Error) -> Failure {
    let rendered = error.render().to_string();
    let paragraph: Vec<&str> = rendered
        .trim_start_matches("error: ")
        .lines()
        .map(str::trim)
        .take_while(|line| !line.is_empty())
        .collect();
    let tips = rendered
        .lines()
        .filter_map(|line| line.trim().strip_prefix("tip: "))
        // Wrong advice here: no command, parameter or flag starts with a dash.
        .filter(|tip| !tip.starts_with("to pass "));
    let mut failure = wrong(sentence(&paragraph.join(" ")));
    tips.for_each(|tip| failure.add_hint(sentence(tip)));
    failure
}

fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters
        .next()
        .map(|first| first.to_uppercase().to_string())
        .unwrap_or_default();
    format!("{first}{}.", characters.as_str().trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_may_stand_before_and_after_the_command() {
        let words = ["--vault", "read", "-o", "json", "daily:read", "settings"].map(String::from);
        assert_eq!(first_word(&words), Some("daily:read"));
        let line =
            parse::<CommandLine>(&["read", "path=a", "-o", "json", "--yes"].map(String::from));
        let line = line.unwrap();
        assert_eq!(line.words, ["read", "path=a"]);
        assert_eq!(line.options.output_mode(), OutputMode::Json);
    }

    #[test]
    fn a_dash_and_a_blank_begin_a_value_and_no_option() {
        let parsed = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            parse_command(&words).map(|line| line.words)
        };
        for value in ["- [ ] x", "- y", "-  -z"] {
            for (before, after) in [
                (&["append", "X"][..], &["--yes"][..]),
                (&["daily:append"], &[]),
            ] {
                let line = [before, &[value], after].concat();
                let words = [before, &[value]].concat();
                assert_eq!(parsed(&line).unwrap(), words);
            }
        }
        // Mistyped options are still errors.
        for value in ["-x", "--x y", "-[ ] x", "-"] {
            assert_eq!(parsed(&["append", value]).is_ok(), value == "-", "{value}");
        }
        assert!(parsed(&["append", "--vault", "- y"]).is_err());
    }

    #[test]
    fn the_grammars_are_sound() {
        VerbLine::command().debug_assert();
        CommandLine::command().debug_assert();
    }
}
