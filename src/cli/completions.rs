//! Shell completions and the man page, from the same grammar as the command line.

use std::process::ExitCode;

use clap::{Arg, Command, CommandFactory as _};
use clap_complete::Shell;

use super::VerbLine;
use super::report;
use super::terminal::Terminal;
use crate::allowlist::Catalogue;

/// Prints the completions for a shell.
pub(crate) fn shell(terminal: Terminal, shell: Shell) -> ExitCode {
    report::text(terminal, &completions(shell))
}

/// Prints the man page.
pub(crate) fn man(terminal: Terminal) -> ExitCode {
    report::text(terminal, &man_page())
}

/// The completion script for a shell.
pub(super) fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut grammar(), "vault-gw", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The man page in roff.
pub(super) fn man_page() -> String {
    let mut page = Vec::new();
    // Writing to memory does not fail.
    drop(clap_mangen::Man::new(grammar()).render(&mut page));
    String::from_utf8_lossy(&page).into_owned()
}

/// The verbs and, as further subcommands, every official command of the catalogue, with its
/// parameters as the words a shell can complete.
fn grammar() -> Command {
    let mut grammar = VerbLine::command();
    if let Ok(catalogue) = Catalogue::whole() {
        for command in catalogue.commands() {
            let params = command
                .params
                .iter()
                .map(|param| format!("{}=", param.name));
            let flags = command.flags.iter().map(|flag| flag.name.clone());
            let words: Vec<String> = params.chain(flags).collect();
            let mut entry = Command::new(command.id.clone()).about(command.summary.clone());
            if !words.is_empty() {
                entry = entry.arg(Arg::new("words").num_args(0..).value_parser(words));
            }
            grammar = grammar.subcommand(entry);
        }
    }
    grammar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_and_the_man_page_know_the_official_commands() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell] {
            assert!(completions(shell).contains("daily:append"), "{shell}");
        }
        assert!(man_page().contains("daily:append"));
    }
}
