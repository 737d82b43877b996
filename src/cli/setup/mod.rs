//! `vault-gw setup`: chooses the vault, writes the settings and adds this program to the clients that
//! are here.

mod choices;
mod found_vaults;
mod openness;
mod steps_watch;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Map, Value, json};

use self::choices::{Choices, Questions};
use self::steps_watch::StepsWatch;
use super::install::{self, client::McpClient};
use super::report::{self, VerbText};
use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::frontend::escape;
use crate::frontend::options::CommandLineOptions;
use crate::frontend::setup::{self, program_words};
use crate::frontend::terminal::Terminal;
use crate::gateway::{Caller, Gateway};
use crate::private_dir;
use crate::settings::{Settings, edit};
use crate::shell::Shell;
use crate::signals::Signal;

/// The options of `setup`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SetupArguments {
    /// Add vault-gw to this client only; can be repeated [default: every client found here]
    #[arg(long = "client", value_name = "CLIENT")]
    clients: Vec<McpClient>,
    /// Leave all clients as they are
    #[arg(long, conflicts_with = "clients")]
    no_clients: bool,
    /// Allow changes to notes too
    #[arg(long)]
    allow_writes: bool,
}

/// Runs the verb. On a terminal it asks what no option answers; `--yes` takes the defaults instead.
pub(crate) fn run(
    terminal: &Terminal,
    options: &CommandLineOptions,
    arguments: &SetupArguments,
    environment: &Environment,
) -> ExitCode {
    let started = Instant::now();
    let job = SetupJob {
        options,
        arguments,
        environment,
    };
    let questions = Questions::new(terminal, !options.yes && terminal.can_ask());
    match job.act(&questions) {
        Ok(done) => {
            if let Some(failure) = &done.failure
                && options.output_mode().tells_failures_in_words()
            {
                terminal.failure(&failure.message, None);
            }
            let status = report::findings(
                terminal,
                options,
                "setup",
                started,
                VerbText::to_paste(done.text),
                done.data,
                done.failure,
            );
            done.signal
                .map_or(status, |signal| ExitCode::from(signal.exit_status()))
        }
        Err(failure) => report::failure(terminal, options, "setup", failure),
    }
}

struct SetupJob<'a> {
    options: &'a CommandLineOptions,
    arguments: &'a SetupArguments,
    environment: &'a Environment,
}

/// What was done.
struct SetupReport {
    text: String,
    data: Map<String, Value>,
    /// Why the first of the clients that could not be changed was not.
    failure: Option<Failure>,
    /// The signal that arrived meanwhile.
    signal: Option<Signal>,
}

impl SetupJob<'_> {
    fn act(&self, questions: &Questions<'_>) -> Result<SetupReport, Failure> {
        let file = setup::settings_file(self.options, self.environment)?;
        let before = match fs_err::exists(&file) {
            // `--settings` may name a file that this creates.
            Ok(false) => Settings::default(),
            _ => setup::settings(self.options, self.environment)?,
        };
        let choices = choices::choose(
            questions,
            &before,
            self.options,
            self.arguments,
            self.environment,
        )?;
        let planned = self.planned(before, &choices)?;
        let mut steps = Steps {
            is_plan: self.options.dry_run,
            program: program_words(self.options, self.environment),
            ..Steps::default()
        };
        let mut watch = StepsWatch::begin()?;
        steps.vault(&choices);
        steps.settings(&file, &choices, &planned)?;
        self.clients(&mut steps, &choices, &planned, &mut watch);
        Ok(steps.report())
    }

    /// The settings as they will be; checked before anything is written.
    fn planned(&self, mut settings: Settings, choices: &Choices) -> Result<Settings, Failure> {
        settings.vault = Some(choices.folder());
        settings.enabled = true;
        settings.allow_mutations |= choices.allows_writes;
        let options =
            setup::gateway_options(&self.without_vault(), self.environment, Caller::Person);
        let gateway = Gateway::new(settings.clone(), options, self.environment.clone())?;
        let vault = gateway.safe_vault()?;
        // The file may not exist yet, so that the gateway cannot have looked at its place.
        let file = setup::settings_file(self.options, self.environment)?;
        if private_dir::would_lie_within(&file, vault.root()) {
            return Err(Failure::new(
                Code::ConfigInvalid,
                "The settings file would lie inside the vault, where whoever writes notes could change it. Choose another vault, or another file with `--settings`.",
            ));
        }
        Ok(settings)
    }

    /// The options without the vault, which the settings name from now on.
    fn without_vault(&self) -> CommandLineOptions {
        let mut options = self.options.clone();
        options.vault = None;
        options
    }

    /// Adds the server to each client. One that fails does not keep it from the others.
    /// A signal does.
    fn clients(
        &self,
        steps: &mut Steps,
        choices: &Choices,
        planned: &Settings,
        watch: &mut StepsWatch,
    ) {
        for client in &choices.clients {
            if let Some(signal) = watch.arrived() {
                steps.interrupted(*client, signal);
                return;
            }
            match install::add_to(*client, self.options, planned, self.environment) {
                Ok((text, data)) => steps.client(&text, data),
                Err(failure) => steps.client_failed(*client, failure),
            }
        }
        if choices.is_without_clients {
            steps.no_client();
        }
        // After the last step nothing is left to do, but whoever waits has to know of the signal.
        steps.signal = watch.arrived();
    }
}

/// What was done so far, and the commands that take it back.
#[derive(Default)]
struct Steps {
    is_plan: bool,
    /// How this program is called with the same settings file.
    program: String,
    text: String,
    data: Map<String, Value>,
    changed_settings: Vec<Value>,
    clients: Vec<Value>,
    take_back: Vec<String>,
    /// The vault of the settings before, if it is gone.
    gone_vault: Option<String>,
    failure: Option<Failure>,
    /// The signal that arrived meanwhile.
    signal: Option<Signal>,
}

impl Steps {
    fn vault(&mut self, choices: &Choices) {
        let folder = choices.folder();
        self.text += &format!("Vault: {}\n", escape::line(&folder));
        self.data
            .insert("vault".to_owned(), json!(choices.folder()));
    }

    /// Writes the settings, or only tells them.
    fn settings(
        &mut self,
        file: &Path,
        choices: &Choices,
        planned: &Settings,
    ) -> Result<(), Failure> {
        self.text += &format!("Settings: {}\n", file.display());
        let mut wanted = vec![("vault", choices.folder()), ("enabled", "true".to_owned())];
        if choices.allows_writes {
            wanted.push(("allow_mutations", "true".to_owned()));
        }
        for (key, value) in wanted {
            let change = if self.is_plan {
                edit::plan(file, key, &value)?
            } else {
                edit::set(file, key, &value)?
            };
            let note = match &change.before {
                Some(before) if *before == change.after => " (as before)".to_owned(),
                Some(before) => format!(" (before: {})", escape::line(before)),
                None => String::new(),
            };
            self.text += &format!("  {key} = {}{note}\n", escape::line(&change.after));
            if change.before.as_ref() != Some(&change.after) {
                self.take_back_setting(key, change.before.as_deref());
            }
            self.changed_settings.push(json!({
                "key": key,
                "before": change.before,
                "after": change.after,
                "written": change.written,
            }));
        }
        self.text += &openness::in_words(planned, &self.program);
        self.data.insert("settings".to_owned(), json!(file));
        self.data
            .insert("allowsWrites".to_owned(), json!(planned.allow_mutations));
        Ok(())
    }

    fn take_back_setting(&mut self, key: &str, before: Option<&str>) {
        let Some(before) = before else {
            self.take_back_by(&format!("settings unset {key}"));
            return;
        };
        // A string without its TOML quotes, as it is typed.
        let plain = before
            .parse::<toml::Value>()
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned));
        let typed = plain.unwrap_or_else(|| before.to_owned());
        let path = Path::new(&typed);
        if key == "vault" && path.is_absolute() && !path.is_dir() {
            // No command: `settings set` refuses it, and `unset` would open another vault.
            self.gone_vault = Some(typed);
            return;
        }
        self.take_back_by(&format!(
            "settings set {key} {}",
            Shell::native().quoted(&typed)
        ));
    }

    fn take_back_by(&mut self, words: &str) {
        self.take_back.push(format!("{} {words}", self.program));
    }

    fn client(&mut self, text: &str, data: Map<String, Value>) {
        self.text += text;
        self.take_back
            .extend(install::take_back(&self.program, &data));
        self.clients.push(Value::Object(data));
    }

    fn client_failed(&mut self, client: McpClient, failure: Failure) {
        self.text += &format!("{}: not changed. {}\n", client.title(), failure.message);
        self.clients.push(json!({
            "client": client.word(),
            "action": "failed",
            "error": { "code": failure.code, "message": failure.message },
        }));
        self.failure.get_or_insert(failure);
    }

    fn interrupted(&mut self, before: McpClient, signal: Signal) {
        let title = before.title();
        self.text += &format!("Interrupted: {title} and the clients after it were not changed.\n");
        self.failure.get_or_insert(Failure::new(
            Code::Cancelled,
            format!("Interrupted before {title} was changed. What was done is in the report."),
        ));
        self.signal = Some(signal);
    }

    fn no_client(&mut self) {
        let names: Vec<&str> = McpClient::all()
            .iter()
            .map(|client| client.title())
            .collect();
        self.text += &format!(
            "Clients: none found ({}).\n  For another MCP client, `{} install cursor --print` prints an entry to copy.\n",
            names.join(", "),
            self.program
        );
    }

    fn report(mut self) -> SetupReport {
        if self.is_plan {
            self.text += "\nThis was a dry run: nothing was changed.\n";
        } else {
            if !self.take_back.is_empty() {
                self.text += "\nTo take it back:\n";
                for line in &self.take_back {
                    self.text += &format!("  {line}\n");
                }
            } else if self.failure.is_none() && self.gone_vault.is_none() {
                self.text += "\nAll of this was so before: nothing was changed.\n";
            }
            if let Some(gone) = &self.gone_vault {
                self.text += &format!(
                    "\nThe settings named the vault {}, which is not there any more.\n",
                    escape::line(gone)
                );
            }
            let program = &self.program;
            self.text += &format!(
                "\nNext:\n  {program} daily:read    today's note\n  {program} doctor        checks all of this\n"
            );
        }
        self.data.insert("dryRun".to_owned(), json!(self.is_plan));
        self.data.insert(
            "changedSettings".to_owned(),
            Value::from(self.changed_settings),
        );
        self.data
            .insert("clients".to_owned(), Value::from(self.clients));
        self.data
            .insert("takeBack".to_owned(), json!(self.take_back));
        SetupReport {
            text: self.text,
            data: self.data,
            failure: self.failure,
            signal: self.signal,
        }
    }
}
