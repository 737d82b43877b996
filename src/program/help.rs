//! Help pages, generated from the catalogue.

use std::process::ExitCode;
use std::time::Instant;

use clap::CommandFactory as _;
use serde_json::Map;

use super::{CommandLine, VerbLine};
use crate::allowlist::{Catalogue, Command, Effect, Tier, shown};
use crate::cli::report;
use crate::code::Code;
use crate::failure::Failure;
use crate::frontend::options::{CommandLineOptions, OutputMode};
use crate::frontend::terminal::Terminal;

/// The width of the name column, in characters.
const NAME_COLUMN: usize = 28;

/// `vault-gw --help`.
pub(super) fn general(terminal: Terminal) -> ExitCode {
    match Catalogue::whole() {
        Ok(catalogue) => report::text(terminal, &general_text(catalogue)),
        Err(failure) => report::failure(terminal, OutputMode::Text, "help", failure),
    }
}

/// `vault-gw COMMAND --help`.
pub(super) fn on(terminal: Terminal, word: &str) -> ExitCode {
    match page(&[word.to_owned()]) {
        Ok(text) => report::text(terminal, &text),
        Err(failure) => report::failure(terminal, OutputMode::Text, word, failure),
    }
}

/// `vault-gw help [COMMAND | VERB …]`.
pub(super) fn asked(
    terminal: Terminal,
    options: &CommandLineOptions,
    topic: &[String],
) -> ExitCode {
    let started = Instant::now();
    match page(topic) {
        Ok(text) => {
            let data = Map::from_iter([("text".to_owned(), text.clone().into())]);
            report::verb(terminal, options, "help", started, &text, data)
        }
        Err(failure) => {
            let word = topic.first().map_or("help", String::as_str);
            report::failure(terminal, options, word, failure)
        }
    }
}

/// The page on a command, a verb or subcommand, or everything.
fn page(topic: &[String]) -> Result<String, Failure> {
    let Some((word, rest)) = topic.split_first().filter(|(word, _)| *word != "help") else {
        return Ok(general_text(Catalogue::whole()?));
    };
    let mut verbs = VerbLine::command();
    verbs.build();
    if verbs.find_subcommand(word).is_some() {
        let verb = topic
            .iter()
            .try_fold(&mut verbs, |verb, word| verb.find_subcommand_mut(word))
            .ok_or_else(|| too_many(word, "has no part of this name"))?;
        // clap's short form refers to a long one, which hardly says more.
        let text = verb.render_help().to_string();
        return Ok(text.replace(" (see more with '--help')", ""));
    }
    let command = Catalogue::find_builtin(word)?;
    if rest.is_empty() {
        Ok(command_text(&command))
    } else {
        Err(too_many(word, "is a command; name it alone"))
    }
}

fn too_many(word: &str, why: &str) -> Failure {
    Failure::new(
        Code::UsageError,
        format!("`help` takes one command or verb: `{}` {why}.", shown(word)),
    )
}

/// Whether [`asked`] has a page for these words.
pub(super) fn has_page_on(topic: &[String]) -> bool {
    page(topic).is_ok()
}

/// The page of one command.
pub(super) fn command_text(command: &Command) -> String {
    let effects: Vec<&str> = command.effects.iter().map(Effect::name).collect();
    let ours = if command.is_ours() {
        "; a command of this gateway, which the official CLI does not have"
    } else {
        ""
    };
    let mut text = format!(
        "{}\n\nUsage: vault-gw {}\n\nTier {}, effects: {}{ours}\n",
        command.summary,
        command.usage(),
        command.tier.name(),
        effects.join(", "),
    );
    if !command.params.is_empty() {
        text += "\nParameters:\n";
        for param in &command.params {
            let note = if param.required { " (required)" } else { "" };
            text += &row(&param.usage(), &format!("{}{note}", param.summary));
        }
    }
    if !command.flags.is_empty() {
        text += "\nFlags:\n";
        for flag in &command.flags {
            let adds: Vec<&str> = flag.effects.iter().map(Effect::name).collect();
            let note = if adds.is_empty() {
                String::new()
            } else {
                format!(" (adds: {})", adds.join(", "))
            };
            text += &row(&flag.name, &format!("{}{note}", flag.summary));
        }
    }
    if !command.accept.is_empty() {
        text += "\nExamples:\n";
        for example in &command.accept {
            text += &format!("  vault-gw {example}\n");
        }
    }
    text
}

/// A name and its description, on the next line if the name is long.
fn row(name: &str, about: &str) -> String {
    if name.chars().count() <= NAME_COLUMN {
        format!("  {name:<NAME_COLUMN$} {about}\n")
    } else {
        format!("  {name}\n  {:NAME_COLUMN$} {about}\n", "")
    }
}

fn general_text(catalogue: &Catalogue) -> String {
    let mut text = format!(
        "{}\n\n\
         Usage: vault-gw [OPTIONS] <COMMAND> [PARAM=VALUE …] [FLAG …]\n       \
         vault-gw [OPTIONS] <VERB>\n\n\
         Try:\n  \
         vault-gw demo                            see it work, nothing else installed\n  \
         vault-gw --vault ~/Notes daily:read      read today's daily note\n  \
         vault-gw help daily:append               the parameters of one command\n  \
         vault-gw doctor                          check this machine\n\n\
         Verbs:\n",
        super::ABOUT
    );
    for verb in VerbLine::command().get_subcommands() {
        let about = verb
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_default();
        text += &format!("  {:<18} {about}\n", verb.get_name());
    }
    for tier in Tier::ALL {
        text += &format!("\nCommands of tier {}:\n", tier.name());
        for command in catalogue.commands().filter(|command| command.tier == tier) {
            text += &format!("  {:<18} {}\n", command.id, command.summary);
        }
    }
    let options = CommandLine::command().render_help().to_string();
    if let Some((_, options)) = options.split_once("Options:\n") {
        text += "\nOptions:\n";
        text += &options.replace(" (see more with '--help')", "");
    }
    text
}
