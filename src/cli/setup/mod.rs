//! `vault-gw setup`: chooses the vault, writes the settings and adds this program to the clients that
//! are here.

mod choices;
mod found_vaults;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Map, Value, json};

use self::choices::{Choices, Questions};
use super::install::{self, client::McpClient};
use super::report;
use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::frontend::options::CommandLineOptions;
use crate::frontend::setup;
use crate::frontend::terminal::Terminal;
use crate::gateway::{Caller, Gateway};
use crate::private_dir;
use crate::settings::{Settings, edit};

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
        Ok(done) => report::findings(
            terminal,
            options,
            "setup",
            started,
            &done.text,
            done.data,
            done.failure,
        ),
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
            settings_option: self.options.settings.as_ref().map(|_| file.clone()),
            ..Steps::default()
        };
        steps.vault(&choices);
        steps.settings(&file, &choices, &planned)?;
        self.clients(&mut steps, &choices, &planned);
        Ok(steps.report(&choices))
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
    fn clients(&self, steps: &mut Steps, choices: &Choices, planned: &Settings) {
        let options = self.without_vault();
        for client in &choices.clients {
            match install::add_to(*client, &options, planned, self.environment) {
                Ok((text, data)) => steps.client(*client, &text, data),
                Err(failure) => steps.client_failed(*client, failure),
            }
        }
        if choices.is_without_clients {
            steps.no_client();
        }
    }
}

/// What was done so far, and the commands that take it back.
#[derive(Default)]
struct Steps {
    is_plan: bool,
    /// The settings file, where an option names it.
    settings_option: Option<PathBuf>,
    text: String,
    data: Map<String, Value>,
    changed_settings: Vec<Value>,
    clients: Vec<Value>,
    take_back: Vec<String>,
    failure: Option<Failure>,
}

impl Steps {
    fn vault(&mut self, choices: &Choices) {
        let folder = choices.vault.display();
        self.text += &format!("Vault: {folder}\n");
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
                Some(before) => format!(" (before: {before})"),
                None => String::new(),
            };
            self.text += &format!("  {key} = {}{note}\n", change.after);
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
        self.text += "  Agents that start this program may now read the vault";
        self.text += if planned.allow_mutations {
            " and change it;\n  what loses content still needs an approval.\n"
        } else {
            ".\n  To allow changes: vault-gw settings set allow_mutations true\n"
        };
        self.data.insert("settings".to_owned(), json!(file));
        Ok(())
    }

    fn take_back_setting(&mut self, key: &str, before: Option<&str>) {
        let words = match before {
            // A string without its TOML quotes, as it is typed.
            Some(before) => {
                let plain = before
                    .parse::<toml::Value>()
                    .ok()
                    .and_then(|value| value.as_str().map(str::to_owned));
                let typed = plain.unwrap_or_else(|| before.to_owned());
                format!("settings set {key} {}", shell_words::quote(&typed))
            }
            None => format!("settings unset {key}"),
        };
        self.take_back_by(&words);
    }

    fn take_back_by(&mut self, words: &str) {
        let option = self
            .settings_option
            .as_ref()
            .map_or_else(String::new, |file| {
                let file = file.to_string_lossy();
                format!(" --settings {}", shell_words::quote(&file))
            });
        self.take_back.push(format!("vault-gw{option} {words}"));
    }

    fn client(&mut self, client: McpClient, text: &str, data: Map<String, Value>) {
        self.text += text;
        if data["action"] == "added" {
            self.take_back_by(&format!("install {} --remove", client.word()));
        } else if let Some(backup) = data.get("backup").and_then(Value::as_str) {
            self.take_back
                .push(format!("{}: copy back {backup}", client.title()));
        }
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

    fn no_client(&mut self) {
        let names: Vec<&str> = McpClient::all()
            .iter()
            .map(|client| client.title())
            .collect();
        self.text += &format!(
            "Clients: none found ({}).\n  Another MCP client starts `vault-gw mcp`; docs/agents.md has examples.\n",
            names.join(", ")
        );
    }

    fn report(mut self, choices: &Choices) -> SetupReport {
        if self.is_plan {
            self.text += "\nThis was a dry run: nothing was changed.\n";
        } else {
            if !self.take_back.is_empty() {
                self.text += "\nTo take it back:\n";
                for line in &self.take_back {
                    self.text += &format!("  {line}\n");
                }
            }
            self.text += "\nNext:\n  vault-gw daily:read    today's note\n  vault-gw doctor        checks all of this\n";
        }
        self.data.insert("dryRun".to_owned(), json!(self.is_plan));
        self.data
            .insert("allowsWrites".to_owned(), json!(choices.allows_writes));
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
        }
    }
}
