//! `vault-gw install CLIENT --fenced`: a launcher that starts the client's program in the fence of `vault-gw run`.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::{Map, json};
use vault_engine::shown;

use super::{AGENT, InstallJob, PlannedServer};
use crate::cli::report::TextAndData;
use clients::{ClientConfigFile, ENTRY_NAME, EntryAction, McpClient, ServerArguments, name_option};
use fence::{Profile, Program};
use frontend::Terminal;
use protocol::{Code, Failure, Shell};
use sandbox::clock;

/// The folder in which a user keeps programs, below the home folder (XDG base directory specification).
const FOLDER: &str = ".local/bin";
/// The start of the line that distinguishes a launcher from another program.
const MARK: &str = "# Written by `vault-gw install ";
/// The file mode of a launcher: only its owner can read or run it.
const MODE: u32 = 0o700;

impl InstallJob<'_> {
    /// Writes, prints or removes the launcher. What will be written is shown first, and at a terminal the person is
    /// asked.
    ///
    /// # Errors
    ///
    /// If the client is not a program of a terminal, a run would not start, the person declines, or the file is not a
    /// launcher or cannot be changed.
    pub(super) fn launcher(&self, terminal: &Terminal) -> Result<TextAndData, Failure> {
        let client = self.arguments.client;
        let Some(program) = Profile::program_of_agent(&client.word()) else {
            return Err(no_program(client));
        };
        if self.arguments.name == program && !self.arguments.remove {
            let message = format!(
                "The launcher cannot have the same name as its program, because the launcher would then start itself. {}",
                self.another_name()
            );
            return Err(Code::UsageError.failure(message));
        }
        let (server, arguments) = self.server(ServerArguments::bare())?;
        let mut options = self.options.clone();
        options.agent = arguments.value(AGENT).map(str::to_owned);
        let planned = PlannedServer {
            server,
            arguments,
            options,
            existing: None,
        };
        let text = launcher_text(&planned, program, client);
        let mut data = Map::new();
        data.insert("client".to_owned(), json!(client.word()));
        if self.arguments.print {
            data.insert("launcher".to_owned(), json!(text));
            return Ok((text, data));
        }
        let name = match self.arguments.name.as_str() {
            ENTRY_NAME => format!("{program}-notes"),
            name => name.to_owned(),
        };
        let home = self.environment.home().ok_or_else(|| {
            let message =
                "The launcher was not written, because vault-gw cannot find your home folder. Set `HOME`.";
            Code::UsageError.failure(message)
        })?;
        let file = ClientConfigFile::find(client, home.join(FOLDER).join(name))?;
        let old = file.read()?;
        if old.as_ref().is_some_and(|text| !text.contains(MARK)) {
            let message = format!(
                "{} already exists and is not a launcher of vault-gw. {}",
                in_line(&file),
                self.another_name()
            );
            return Err(Code::ValidationError.failure(message));
        }
        data.insert("file".to_owned(), json!(file.path()));
        data.insert("dryRun".to_owned(), json!(self.options.dry_run));
        let (action, shown) = if self.arguments.remove {
            self.removed(&file, old.is_some())?
        } else {
            Program::find(program, self.environment)?;
            let settings = self.settings_of(&planned)?;
            self.check_start(&file, &planned, &settings)?;
            data.insert("launcher".to_owned(), json!(text));
            let (action, mut shown) = self.written(terminal, &file, old.as_deref(), &text)?;
            let bridge = self.turn_on(&planned.options, &settings)?;
            shown += &bridge.in_words(self.options.dry_run);
            data.insert("bridge".to_owned(), bridge.data(self.options.dry_run));
            if !self.options.dry_run {
                let again = &self.again;
                let call = self.call(&file);
                shown += &format!("Start {} in the fence: {call}\n", client.title());
                shown += &format!("To take it back:\n  {again} --remove\n");
            }
            (action, shown)
        };
        data.insert("action".to_owned(), json!(action));
        Ok((shown, data))
    }

    /// Says what to do about a name that does not fit.
    fn another_name(&self) -> String {
        let named = name_option(&self.arguments.name);
        let again = self.again.strip_suffix(&named).unwrap_or(&self.again);
        format!("Give the launcher another name: `{again} --name NAME`.")
    }

    fn removed(
        &self,
        file: &ClientConfigFile,
        is_here: bool,
    ) -> Result<(EntryAction, String), Failure> {
        let path = in_line(file);
        if !is_here {
            return Ok((EntryAction::Absent, format!("There is no {path}\n")));
        }
        if self.options.dry_run {
            let text = format!("Would have removed {path}\n");
            return Ok((EntryAction::Removed, text));
        }
        fs_err::remove_file(file.path()).map_err(|error| file.io(&error))?;
        Ok((EntryAction::Removed, format!("Removed {path}\n")))
    }

    fn written(
        &self,
        terminal: &Terminal,
        file: &ClientConfigFile,
        old: Option<&str>,
        text: &str,
    ) -> Result<(EntryAction, String), Failure> {
        let path = in_line(file);
        let action = match old {
            None => EntryAction::Added,
            Some(old) if old == text => EntryAction::Unchanged,
            Some(_) => EntryAction::Updated,
        };
        let plan = format!("The launcher, {path}:\n\n{}\n", indented(text));
        if self.options.dry_run {
            let sentence = format!("{plan}Would have written {path}\n");
            return Ok((action, sentence));
        }
        let mut sentence = format!("{path} is there already.\n");
        if action.changes() {
            self.agree(terminal, &plan)?;
            let now = clock::system_clock(self.environment)().timestamp();
            let Some(replaced) = file.replace(old, Some(text), true, now)? else {
                let message =
                    format!("Another program changed {path} during the installation. Try again.");
                return Err(Code::Busy.failure(message));
            };
            sentence = format!("Wrote {path}\n");
            if let Some(backup) = replaced.backup {
                sentence += &format!("  what was there: {}\n", backup.display());
            }
        }
        let mode = Permissions::from_mode(MODE);
        fs_err::set_permissions(file.path(), mode).map_err(|error| file.io(&error))?;
        Ok((action, sentence))
    }

    /// Shows the plan. At a terminal the person may decline.
    fn agree(&self, terminal: &Terminal, plan: &str) -> Result<(), Failure> {
        if self.options.yes || !terminal.can_ask() {
            let _written = terminal.error_data(plan.as_bytes());
            return Ok(());
        }
        if terminal.agrees(plan, "Write it? [Y/n] ")? {
            return Ok(());
        }
        Err(Code::Cancelled.failure("The launcher was not written."))
    }

    /// Returns the words that start the launcher: only its name if `PATH` finds it.
    fn call(&self, file: &ClientConfigFile) -> String {
        let name = file.path().file_name().unwrap_or_default();
        let found = self.environment.search_path().into_iter();
        let first = found
            .map(|folder| folder.join(name))
            .find(|path| path.exists());
        let is_here = |path: &Path| fs_err::canonicalize(path).ok().as_deref() == Some(file.path());
        if first.is_some_and(|first| first == *file.path() || is_here(&first)) {
            return name.to_string_lossy().into_owned();
        }
        let path = file.path().to_string_lossy();
        let path = Shell::native().quoted(&path);
        format!("{path} (no folder of `PATH` leads to it)")
    }
}

/// Returns the script: this program with the options of this run, and all words of the person for the program.
fn launcher_text(planned: &PlannedServer, program: &str, client: McpClient) -> String {
    // The first argument of an entry is the verb.
    let options = planned.server.args.iter().skip(1);
    let words = std::iter::once(&planned.server.command).chain(options);
    format!(
        "#!/bin/sh\n{MARK}{} --fenced`: {} sees the open notes and none of your other files, and what it changes is a draft.\nexec {} run -- {program} \"$@\"\n",
        client.word(),
        client.title(),
        Shell::Posix.joined(words),
    )
}

/// Returns the failure for a client that has no program for a terminal.
fn no_program(client: McpClient) -> Failure {
    let others = McpClient::all().iter().map(|other| other.word());
    let others = others.filter(|word| Profile::program_of_agent(word).is_some());
    let others: Vec<_> = others.collect();
    let message = format!(
        "`--fenced` does not work with {}, because this client does not run in a terminal. `--fenced` works with {}.",
        client.title(),
        others.join(", ")
    );
    Code::UsageError.failure(message)
}

fn in_line(file: &ClientConfigFile) -> String {
    shown::row(&file.path().display().to_string()).into_owned()
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}
