//! Help that teaches, from the catalogue.

use std::process::ExitCode;

use clap::CommandFactory as _;

use super::options::OutputMode;
use super::report;
use super::terminal::Terminal;
use super::verb::Verb;
use super::{CommandLine, VerbLine};
use crate::allowlist::{Catalogue, Command, Effect, Tier};

/// `vault-gw --help`.
pub(super) fn general(terminal: Terminal) -> ExitCode {
    match Catalogue::whole() {
        Ok(catalogue) => report::text(terminal, &general_text(catalogue)),
        Err(failure) => report::failure(terminal, OutputMode::Text, "help", failure),
    }
}

/// `vault-gw help COMMAND` and `vault-gw COMMAND --help`.
pub(super) fn on(terminal: Terminal, word: Option<&str>) -> ExitCode {
    let Some(word) = word else {
        return general(terminal);
    };
    let mut verbs = VerbLine::command();
    verbs.build();
    if let Some(verb) = verbs.find_subcommand_mut(word) {
        return report::text(terminal, &verb.render_help().to_string());
    }
    match Catalogue::find_builtin(word) {
        Ok(command) => report::text(terminal, &command_text(&command)),
        Err(failure) => report::failure(terminal, OutputMode::Text, word, failure),
    }
}

/// Whether [`on`] has a page for the word.
pub(super) fn has_page(word: &str) -> bool {
    Verb::has_subcommand(word) || Catalogue::find_builtin(word).is_ok()
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
            text += &format!("  {:<28} {}{note}\n", param.usage(), param.summary);
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
            text += &format!("  {:<28} {}{note}\n", flag.name, flag.summary);
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
        // clap would point from its short form to a long one, which this page is.
        text += &options.replace(" (see more with '--help')", "");
    }
    text
}
