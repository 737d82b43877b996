//! Our own verbs. Official commands have other names.

use std::process::ExitCode;
use std::time::Instant;

use clap::{CommandFactory as _, Subcommand};
use serde_json::Map;

use super::{VerbLine, complete, completions, help};
use crate::cli::Cli;
use crate::cli::report::VerbEnd;
#[cfg(target_os = "linux")]
use crate::cli::run;
use crate::cli::settings::SettingsAction;
use crate::cli::undo::UndoArguments;
use crate::cli::{
    agents, allowlist, audit, capabilities, context, demo, doctor, explain, install, report,
    review, rules, schema, settings, setup, taint, undo,
};
use frontend::{CommandLineOptions, OutputMode};
use gateway::{Gateway, Request};
use mcp as bridge;
use mcp::call::CallEnding;
use protocol::{Caller, Code, Failure};

/// The verbs: everything that `vault-gw` does besides running commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// See what agents want to change, and the calls that wait for your approval; accept or reject them
    #[command(alias = "approve")]
    Review(review::ReviewArguments),
    /// Show which agents have read outside text and are restricted, or end that
    #[command(name = "outside", alias = "taint")]
    Taint {
        /// What to do
        #[command(subcommand)]
        action: Option<taint::TaintAction>,
    },
    /// Show who called what and how it ended, or check that the log is unchanged
    Audit(audit::AuditArguments),
    /// Answer the JSON requests of a program, one a line
    Call(bridge::call::CallArguments),
    /// Serve the vault to an agent by MCP, over standard input and output or HTTP
    Mcp(bridge::mcp::McpArguments),
    /// List every command with its parameters, what it does, and whether it is open here
    Capabilities(capabilities::CapabilitiesArguments),
    /// Show which vault this is, who answers, and what is open
    Context {
        /// Look through the notes too and count what they hold, for 10 seconds at most
        #[arg(long)]
        deep: bool,
    },
    /// Explain a code, a command, a verb, or the decision on a request; or list the codes
    Explain {
        /// The code of an error or a warning, a command, a verb, or a whole request in quotes such as `read
        /// path=Home.md`, for you or for `--agent`
        #[arg(value_name = "WORD")]
        word: Option<String>,
        /// List the codes, as without a word
        #[arg(long, conflicts_with = "word")]
        list: bool,
    },
    /// Print a JSON Schema: `envelope`, `request`, a command for its `data`; or `tools`
    Schema(schema::SchemaArguments),
    /// Check settings, vault, app and clients, and say what to fix
    Doctor {
        /// Exit with 1 on any warning
        #[arg(long)]
        strict: bool,
    },
    /// Choose the vault, write the settings and add this program to the MCP clients found here
    Setup(setup::SetupArguments),
    /// Connect one MCP client: add this program to its configuration, and let agents call
    Install(install::InstallArguments),
    /// List the agents that have rules of their own; add, rename or revoke one
    Agents {
        /// What to do with them
        #[command(subcommand)]
        action: Option<agents::AgentsAction>,
    },
    /// Print the list of all commands, or check a shorter list of your own
    Allowlist {
        /// What to do
        #[command(subcommand)]
        action: allowlist::AllowlistAction,
    },
    /// Show or change the settings file
    Settings {
        /// What to do with it
        #[command(subcommand)]
        action: Option<settings::SettingsAction>,
    },
    /// Show what you and agents may do, and which settings say so
    Rules(rules::RulesArguments),
    /// Take back the last change, or one that you name
    Undo(UndoArguments),
    /// Make a change again that an undo took back
    Redo {
        /// The run that was undone, or the undo of it: its id or the first 4 or more digits of that
        #[arg(value_name = "RUNID")]
        run: Option<String>,
    },
    /// Run a program in a fence: it sees a copy of the open notes, and not your other files
    #[cfg(target_os = "linux")]
    Run(run::RunArguments),
    /// Run a program in a fence: it sees a copy of the open notes, and not your other files
    #[cfg(not(target_os = "linux"))]
    Run {
        /// The program, and its words
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        line: Vec<String>,
    },
    /// Try it on a sample vault in a temporary folder
    Demo,
    /// Print shell completions
    Completions {
        /// The shell
        shell: clap_complete::Shell,
        /// Print what may be at the end of a line instead: what the script asks
        #[arg(long, hide = true)]
        complete: bool,
        /// The line
        #[arg(last = true, hide = true, requires = "complete")]
        line: Vec<String>,
    },
    /// Print the man page
    Man,
}

impl Verb {
    /// Returns the description of the verb; `None` if there is no such verb.
    pub(crate) fn about(word: &str) -> Option<String> {
        VerbLine::command()
            .find_subcommand(word)
            .and_then(clap::Command::get_about)
            .map(ToString::to_string)
    }

    /// Returns an option with a safety promise that this verb would ignore; it is rejected instead.
    fn takes_no(&self, options: &CommandLineOptions) -> Option<&'static str> {
        let of_one_call = || {
            let run_id = options.run_id.map(|_| "--run-id");
            run_id.or(options.correlation_id.as_ref().map(|_| "--correlation-id"))
        };
        match self {
            // Each request has its own run id, and an undo gets its id from the journal.
            Self::Call(_)
            | Self::Mcp(_)
            | Self::Undo(UndoArguments { list: false, .. })
            | Self::Redo { .. }
                if of_one_call().is_some() =>
            {
                of_one_call()
            }
            Self::Call(_) | Self::Mcp(_) if options.profile.is_none() => None,
            Self::Install(_) | Self::Setup(_) if options.dry_run && options.profile.is_none() => {
                None
            }
            Self::Review(_)
            | Self::Redo { .. }
            | Self::Undo(UndoArguments {
                list: false,
                forget: false,
                adopt: false,
                ..
            }) if options.dry_run => None,
            // An agent does not change the rules that apply to it, nor the journal that keeps its drafts.
            Self::Settings {
                action:
                    Some(
                        SettingsAction::Set { .. }
                        | SettingsAction::Unset { .. }
                        | SettingsAction::Edit,
                    ),
            }
            | Self::Undo(UndoArguments { forget: true, .. } | UndoArguments { adopt: true, .. })
                if options.agent.is_some() =>
            {
                Some("--agent")
            }
            _ if options.dry_run => Some("--dry-run"),
            _ if options.if_hash.is_some() => Some("--if-hash"),
            _ if options.profile.is_some() && self.is_ours_alone() => Some("--profile"),
            _ => None,
        }
    }

    /// Whether a program in a fence may use the verb.
    fn is_for_agents(&self) -> bool {
        matches!(
            self,
            Self::Call(_)
                | Self::Mcp(_)
                | Self::Capabilities(_)
                | Self::Context { .. }
                | Self::Explain { .. }
                | Self::Schema(_)
        )
    }

    /// Whether the verb has an output format of its own or sets up our own state, so that no
    /// profile can have an equivalent.
    fn is_ours_alone(&self) -> bool {
        matches!(
            self,
            Self::Agents { .. }
                | Self::Review(_)
                | Self::Taint { .. }
                | Self::Rules(_)
                | Self::Audit(_)
                | Self::Call(_)
                | Self::Mcp(_)
                | Self::Install(_)
                | Self::Setup(_)
                | Self::Completions { .. }
                | Self::Run { .. }
                | Self::Demo
                | Self::Man
                | Self::Schema { .. }
        )
    }

    /// The failure for options that the verb would ignore, or that are invalid.
    fn check(&self, options: &CommandLineOptions) -> Option<Failure> {
        if options.in_run && !self.is_for_agents() {
            return Some(Code::UsageError.failure(
                "Nothing was done. Programs that `vault-gw run` starts cannot use this command.",
            ));
        }
        if let Some(option) = self.takes_no(options) {
            return Some(
                Code::UsageError
                    .failure(format!(
                        "Nothing was done. This command does not take `{option}`."
                    ))
                    .hint("Omit the option."),
            );
        }
        let ids = Request {
            correlation_id: options.correlation_id.clone(),
            run_id: options.run_id,
            ..Request::default()
        };
        ids.check().err()
    }

    /// Runs the verb, whose name is `name`, and returns its exit status.
    pub(crate) fn run(self, cli: Cli<'_>, name: &str) -> ExitCode {
        let (terminal, options) = (cli.terminal, cli.options);
        if let Some(failure) = self.check(options) {
            return report::failure(terminal, options, "", failure);
        }
        #[cfg(target_os = "linux")]
        if options.in_run {
            // However the run ends, its servers end with it.
            let term = Some(rustix::process::Signal::TERM);
            let _unsupported = rustix::process::set_parent_process_death_signal(term);
        }
        let started = Instant::now();
        let end = self.act(cli);
        report::finish(terminal, options, name, started, end)
    }

    fn act(self, cli: Cli<'_>) -> Result<VerbEnd, Failure> {
        let (terminal, options, environment) = (cli.terminal, cli.options, cli.environment);
        match self {
            Self::Review(arguments) => match arguments.page_port() {
                Some(port) => Ok(::review::run(terminal, options, port, environment)?.into()),
                None => review::run(cli, arguments),
            },
            Self::Taint { action } => taint::run(cli, action.as_ref()),
            Self::Audit(arguments) => audit::run(cli, &arguments),
            Self::Call(arguments) => Ok(call(cli, &arguments)),
            Self::Mcp(arguments) => {
                match bridge::mcp::run(terminal, options, &arguments, environment) {
                    // Without HTTP, standard output belongs to the MCP protocol in every output mode.
                    Err(failure) if !arguments.serves_http() => {
                        let options = CommandLineOptions::default();
                        Ok(report::failure(terminal, &options, "mcp", failure).into())
                    }
                    served => Ok(served?.into()),
                }
            }
            Self::Capabilities(arguments) => capabilities::run(cli, &arguments),
            Self::Context { deep } => context::run(cli, deep),
            Self::Explain { word, .. } => {
                let verb = word.as_deref().and_then(Self::about);
                explain::run(cli, word.as_deref(), verb)
            }
            Self::Allowlist { action } => allowlist::run(&action, environment),
            Self::Schema(arguments) => schema::run(cli, &arguments),
            Self::Doctor { strict } => doctor::run(cli, strict, &server_grammar()),
            Self::Setup(arguments) => setup::run(cli, &arguments, &server_grammar()),
            Self::Install(arguments) => install::run(cli, &arguments, &server_grammar()),
            Self::Agents { action } => {
                let action = action.unwrap_or_default();
                agents::run(cli, action, &server_grammar())
            }
            Self::Settings { action } => {
                let action = action.unwrap_or_default();
                settings::run(terminal, options, action, &server_grammar(), environment)
            }
            Self::Rules(arguments) => rules::run(cli, &arguments),
            Self::Undo(arguments) => undo::run(cli, &arguments),
            Self::Redo { run } => undo::redo(cli, run.as_deref()),
            #[cfg(target_os = "linux")]
            Self::Run(arguments) => run::run(cli, &arguments),
            #[cfg(not(target_os = "linux"))]
            Self::Run { .. } => Err(needs_linux()),
            Self::Demo => demo::run(terminal, options),
            Self::Completions {
                shell,
                complete: true,
                line,
            } => Ok(complete::answer(terminal, shell, &line, environment).into()),
            Self::Completions { shell, .. } => Ok(report::script(
                terminal,
                options,
                completions::completions(shell),
            )),
            // The source of a man page is for `man`; a person at a terminal gets the same as text.
            Self::Man
                if terminal.stdout.is_terminal && options.output_mode() == OutputMode::Text =>
            {
                let policy = frontend::setup::gateway(options, environment, Caller::Person).ok();
                let policy = policy.as_ref().map(Gateway::policy);
                Ok(help::print_everything(terminal, options, policy).into())
            }
            Self::Man => Ok(report::script(terminal, options, completions::man_page())),
        }
    }
}

/// Answers the requests of a program.
fn call(cli: Cli<'_>, arguments: &bridge::call::CallArguments) -> VerbEnd {
    let (terminal, options, environment) = (cli.terminal, cli.options, cli.environment);
    if terminal.can_ask() {
        terminal.note(
            "waiting for requests on standard input, one JSON object a line, such as {\"command\":\"daily:read\"}. Ctrl-D ends it.",
        );
    }
    match bridge::call::run(options, arguments, environment) {
        Ok(CallEnding::Served(status)) => status.into(),
        Ok(CallEnding::NoRequest) => {
            ("", Map::from_iter([("requests".to_owned(), 0.into())])).into()
        }
        // The caller parses envelopes, so a failure to start is one too.
        Err(failure) => {
            let options = CommandLineOptions::json_only();
            report::failure(terminal, &options, "call", failure).into()
        }
    }
}

/// Returns the failure of a verb that this system cannot do.
#[cfg(not(target_os = "linux"))]
fn needs_linux() -> Failure {
    let message = "`vault-gw run` works only on Linux. Nothing was run.";
    Code::SandboxUnavailable
        .failure(message)
        .with("started", false)
}

/// Returns the grammar for entries of clients. It is passed in, because the interfaces for people
/// and agents do not know each other.
fn server_grammar() -> clients::ServerGrammar {
    clients::ServerGrammar::new(VerbLine::command())
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontend::verb_names::VERBS;

    #[test]
    fn the_list_of_names_is_the_grammar() {
        let grammar = VerbLine::command();
        let names: Vec<_> = grammar
            .get_subcommands()
            .map(clap::Command::get_name)
            .collect();
        assert_eq!(names, VERBS);
    }
}
