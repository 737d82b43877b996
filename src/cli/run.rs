//! `vault-gw run`: starts any program in a fence, with a working copy of the open notes (`design/run.md`).

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{Sender, channel};

use serde_json::{Map, json};
use vault_engine::{Overlay, VaultPath, plural, shown};

use super::Cli;
use super::error::Error;
use super::report::{TextAndData, VerbEnd};
use fence::{
    FenceEnd, Home, Inside, Network, Profile, Program, Served, Session, Surroundings, TakenChange,
    WorkingCopy, copied_app_folder,
};
use frontend::{CommandLineOptions, Terminal, options::word, setup};
use gateway::Gateway;
use protocol::{Caller, Code, Failure, Shell};
use sandbox::{Environment, PrivateFolder, SandboxMode, Unsafe};
use settings::Folders;

/// Maximum number of changes that are named at the end.
const MOST_NAMED: usize = 20;

/// `vault-gw run [options] -- PROGRAM [WORD …]`.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArguments {
    /// The network of the program: on (without the services of this computer), off, loopback, or allow: only the hosts of its
    /// model, and those that are named
    #[arg(
        long,
        default_value = "on",
        value_name = "on|off|loopback|allow[:HOST,…]"
    )]
    network: Network,
    /// A port of this computer that the program may reach, such as that of a local model
    #[arg(long, value_name = "NUMBER")]
    port: Vec<u16>,
    /// Let the program read this file or folder too
    #[arg(long, value_name = "PATH")]
    allow_read: Vec<PathBuf>,
    /// Let the program change this file or folder too
    #[arg(long, value_name = "PATH")]
    allow_write: Vec<PathBuf>,
    /// Show what the working copy is, and run nothing
    #[arg(long, group = "instead")]
    status: bool,
    /// Take over what an interrupted run left in the working copy, and run nothing
    #[arg(long, group = "instead")]
    keep: bool,
    /// Delete the working copy, with all changes that were not taken over, and the home folder of the program; drafts are kept
    #[arg(long, group = "instead")]
    discard: bool,
    #[arg(hide = true)]
    misplaced: Vec<String>,
    /// The program and its arguments; it can change a file that is redirected to it, even as input
    #[arg(
        last = true,
        required_unless_present_any = ["instead", "misplaced"],
        conflicts_with = "instead",
        value_name = "PROGRAM [WORD …]"
    )]
    line: Vec<String>,
}

impl RunArguments {
    /// Returns a message with the right line if the program was named without `--` before it; `rest` are the words that
    /// come next.
    pub(crate) fn without_dashes(&self, rest: &[String]) -> Option<Failure> {
        if self.misplaced.is_empty() {
            return None;
        }
        let line = self
            .misplaced
            .iter()
            .chain(rest.iter().filter(|word| *word != "--"));
        let words: Vec<_> = line.map(|word| Shell::native().quoted(word)).collect();
        let line = format!("vault-gw run -- {}", words.join(" "));
        Some(Error::ProgramBehind(line).into())
    }
}

/// The context of every run of an agent.
struct Prepared<'a> {
    options: CommandLineOptions,
    environment: &'a Environment,
    vault: PathBuf,
    state: PathBuf,
    /// The agent of the program's profile.
    of_program: Option<String>,
    /// The start of a command that is about the same working copy.
    again: String,
}

impl<'a> Prepared<'a> {
    /// Prepares a run of the agent that the person names, or of the agent of the program's profile.
    fn new(
        options: &CommandLineOptions,
        program: Option<&Program>,
        environment: &'a Environment,
    ) -> Result<Self, Failure> {
        let mut options = options.clone();
        let of_program = program.and_then(|program| Profile::for_program(program.name()).agent);
        options.agent = options.agent.or_else(|| of_program.clone());
        options.in_run = true;
        let gateway = opened(&options, environment)?;
        let prepared = Self::with(options, &gateway, environment)?;
        Ok(Self {
            of_program,
            ..prepared
        })
    }

    /// Prepares `--discard`. It shows nothing of the vault, so it also works while calls are turned off, and for an
    /// agent that is no longer in the settings.
    fn to_discard(
        options: &CommandLineOptions,
        environment: &'a Environment,
    ) -> Result<Self, Failure> {
        let mut of_nobody = options.clone();
        of_nobody.agent = None;
        let gateway = setup::gateway(&of_nobody, environment, Caller::Agent)?;
        Self::with(options.clone(), &gateway, environment)
    }

    fn with(
        mut options: CommandLineOptions,
        gateway: &Gateway,
        environment: &'a Environment,
    ) -> Result<Self, Failure> {
        let mut again = setup::program_words(&options, environment) + " run";
        for (option, value) in [("--vault", &options.vault), ("--agent", &options.agent)] {
            if let Some(value) = value {
                again += &format!(" {option} {}", Shell::native().quoted(value));
            }
        }
        let vault = gateway.vaults().open()?.root().to_owned();
        options.vault = Some(vault.display().to_string());
        Ok(Self {
            options,
            environment,
            vault,
            state: Folders::new(environment).state()?,
            of_program: None,
            again,
        })
    }

    /// Returns the gateway with the settings as they are now.
    fn gateway(&self) -> Result<Gateway, Failure> {
        opened(&self.options, self.environment)
    }

    fn session(&self, terminal: &Terminal) -> Result<Session, Failure> {
        let agent = self.options.agent.as_deref();
        let copy = WorkingCopy::open(&self.state, &self.vault, agent)?;
        Ok(Session::new(copy.with_progress(
            terminal.progress_of("taking over changes"),
        )))
    }

    /// Returns the same, also while a run uses the copy.
    fn session_to_look(&self) -> Result<Session, Failure> {
        let agent = self.options.agent.as_deref();
        WorkingCopy::open_to_look(&self.state, &self.vault, agent).map(Session::new)
    }

    /// Returns how calls from inside of the fence are run.
    fn served(&self, calls: Sender<Sender<()>>) -> Result<Served, Failure> {
        let program = self.environment.helper.as_deref().ok_or(Error::OwnPath)?;
        let mut words = vec!["--in-run".to_owned(), "--vault".to_owned()];
        words.extend(self.options.vault.clone());
        for (option, value) in [
            ("--agent", self.options.agent.clone()),
            (
                "--settings",
                setup::settings_file(&self.options, self.environment)
                    .ok()
                    .filter(|path| path.exists())
                    .map(|path| path.display().to_string()),
            ),
            ("--tier", self.options.tier.as_ref().map(word)),
            ("--backend", self.options.backend.as_ref().map(word)),
            ("--sandbox", self.options.sandbox.as_ref().map(word)),
            (
                "--timeout-ms",
                self.options.timeout_ms.map(|limit| limit.to_string()),
            ),
        ] {
            if let Some(value) = value {
                words.extend([option.to_owned(), value]);
            }
        }
        Ok(Served {
            program: program.to_owned(),
            words,
            of_program: self.of_program.clone(),
            environment: self.environment.clone(),
            calls,
        })
    }

    /// Returns the vault, and what else no program may see, at its real path.
    fn closed(&self) -> Result<Vec<PathBuf>, Failure> {
        let folders = Folders::new(self.environment);
        let settings = setup::settings_file(&self.options, self.environment)?;
        let own = folders.settings_file()?;
        let own = own.parent().map(Path::to_owned);
        let mut closed = vec![self.state.clone(), folders.cache()?];
        closed.extend(own);
        // A folder that is made during the run could not be hidden.
        closed.iter().try_for_each(|folder| make(folder))?;
        closed.extend([self.vault.clone(), settings]);
        let real = |path: PathBuf| fs_err::canonicalize(&path).unwrap_or(path);
        Ok(closed.into_iter().map(real).collect())
    }
}

/// Makes a folder that only the user can enter, if it does not exist.
fn make(folder: &Path) -> Result<(), Failure> {
    if folder.exists() {
        return Ok(());
    }
    match PrivateFolder::create(folder) {
        // Then nobody makes it during the run either.
        Err(Unsafe::Io(error))
            if matches!(
                error.kind(),
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
            ) =>
        {
            Ok(())
        }
        Err(error) => Err(error.into_failure(&folder.display().to_string())),
        Ok(_) => Ok(()),
    }
}

/// Returns the gateway of the agent, if it may call.
fn opened(options: &CommandLineOptions, environment: &Environment) -> Result<Gateway, Failure> {
    let gateway = setup::gateway(options, environment, Caller::Agent)?;
    if gateway.is_bridge_on() {
        return Ok(gateway);
    }
    Err(Error::AgentsOff.into())
}

/// Runs the program, and passes its exit status on.
pub(crate) fn run(cli: Cli<'_>, arguments: &RunArguments) -> Result<VerbEnd, Failure> {
    if let Some(failure) = arguments.without_dashes(&arguments.line) {
        return Err(failure);
    }
    if arguments.line.is_empty() {
        return Ok(without_program(cli, arguments)?.into());
    }
    let end = start(cli, arguments)?;
    Ok(ExitCode::from(end.exit_status()).into())
}

fn start(cli: Cli<'_>, arguments: &RunArguments) -> Result<FenceEnd, Failure> {
    let (terminal, options, environment) = (cli.terminal, cli.options, cli.environment);
    if arguments.network == Network::Off && !arguments.port.is_empty() {
        return Err(Error::PortWithoutNetwork.into());
    }
    let [name, words @ ..] = &arguments.line[..] else {
        return Ok(FenceEnd::Code(0));
    };
    let program = Program::find(name, environment)?;
    let prepared = Prepared::new(options, Some(&program), environment)?;
    let mut session = prepared.session(terminal)?;
    let gateway = prepared.gateway()?;
    let watched = session.begin(&prepared.vault, &gateway)?;
    let copy = session.copy.root();
    let app_folder = app_folder(terminal, &prepared, &gateway, &session)?;
    let (calls, waiting) = channel();
    let inside = Inside::serve(session.copy.folder(), prepared.served(calls)?)?;
    let absolute = |paths: &[PathBuf]| -> Vec<PathBuf> {
        let paths = paths.iter().map(|path| environment.absolute(path));
        paths.collect()
    };
    let closed = prepared.closed()?;
    let profile = Profile::for_program(program.name());
    let home = Home::open(session.copy.folder(), &profile, environment, &closed);
    let home = home.map_err(|error| Error::HomeFolder(error, prepared.again.clone()))?;
    let surroundings = Surroundings {
        vault: &prepared.vault,
        copy: &copy,
        closed: &closed,
        app_folder: app_folder
            .as_ref()
            .map(|(name, copy)| (name.as_str(), copy.as_path())),
        read: &absolute(&arguments.allow_read),
        write: &absolute(&arguments.allow_write),
        network: &arguments.network,
        is_all_required: gateway.settings().sandbox == SandboxMode::Require,
        home: home.as_ref(),
        ports: &arguments.port,
        socket: inside.socket(),
    };
    let words = words.iter().map(OsString::from).collect();
    let fence = surroundings.fence(&program, words, environment)?;
    let draft = || {
        let drafts = gateway.drafts();
        Ok::<_, Failure>((drafts.draft_stamp()?, drafts.drafted()?))
    };
    let before = draft()?;
    let left_before = session.copy.left_out();
    let agent = match &prepared.options.agent {
        Some(agent) => format!("agent {}", shown::row(agent)),
        None => "no agent".to_owned(),
    };
    let vault = prepared.vault.display().to_string();
    terminal.note(&format!(
        "vault {}, {agent}, network {}",
        shown::row(&vault),
        arguments.network
    ));
    if gateway.settings().taint.is_on() && !gateway.is_restricted()? {
        terminal.note(
            "notes with outside text are not in the working copy; `vault-gw read` inside shows them and restricts the agent",
        );
    }
    let end = session.run(
        &fence,
        watched,
        || prepared.gateway(),
        (environment, waiting),
        |fenced| {
            if !fenced.has_own_tree() {
                terminal.warning(&format!(
                    "this system gives the program no file tree of its own; it works in {}, without `vault-gw` inside",
                    copy.display()
                ));
                if let Some((name, _)) = &app_folder {
                    terminal.warning(&format!("`{name}` is not shown there"));
                }
            }
            for missing in fenced.missing() {
                terminal.warning(&format!("the fence does not cover {}", missing.words()));
            }
        },
    )?;
    drop(inside);
    if let Some(home) = &home {
        bring_back_logins(terminal, home, &program)?;
    }
    for (target, count) in fence.proxy.iter().flat_map(|proxy| proxy.refused()) {
        let times = plural::count(count, "time");
        terminal.warning(&format!(
            "the program did not reach {} ({times})",
            shown::row(&target)
        ));
    }
    for (path, reason) in session.copy.left_out() {
        if !left_before.contains_key(&path) {
            terminal.warning(&format!(
                "{} was not taken over: {reason}",
                shown::row(&path)
            ));
        }
    }
    let after = draft().ok();
    // A person's edit changes the merged draft, and a file that is made and removed only the stamp.
    let has_new_draft = after
        .as_ref()
        .is_some_and(|after| after.0 != before.0 && after.1 != before.1);
    // Without the draft nothing is left out of the summary.
    let drafted = after.map(|(_, drafted)| drafted);
    report(
        terminal,
        &session,
        (has_new_draft, drafted),
        &prepared.again,
    );
    Ok(end)
}

/// Returns the name of the app's folder and a copy of it, if the owner shows it to programs.
fn app_folder(
    terminal: &Terminal,
    prepared: &Prepared<'_>,
    gateway: &Gateway,
    session: &Session,
) -> Result<Option<(String, PathBuf)>, Failure> {
    if !gateway.settings().run.app_folder {
        return Ok(None);
    }
    let vault = gateway.vaults().open()?;
    let name = vault.engine.config_folder().path.to_string();
    let folder = prepared.vault.join(&name);
    // A link could lead to closed notes, or to the home.
    if !fs_err::symlink_metadata(&folder).is_ok_and(|it| it.is_dir()) {
        terminal.warning(&format!(
            "`{name}` is not shown, because it is not a folder of the vault itself"
        ));
        return Ok(None);
    }
    let copy = copied_app_folder(&folder, session.copy.folder())
        .map_err(|error| Error::NotCopied(name.clone(), error))?;
    session.copy.make_room(&name)?;
    Ok(Some((name, copy)))
}

/// Asks the person about logins that the program has renewed: they may be for another account.
fn bring_back_logins(terminal: &Terminal, home: &Home, program: &Program) -> Result<(), Failure> {
    let renewed = home.renewed();
    if renewed.is_empty() {
        return Ok(());
    }
    let name = program.name().to_string_lossy();
    let files: Vec<String> = renewed
        .iter()
        .map(|login| login.outside.display().to_string())
        .collect();
    let (name, files) = (shown::row(&name), files.join(", "));
    let files = shown::row(&files);
    let text = format!(
        "{name} renewed the tokens of its login. Another program with the same name could write the tokens of another account.\n"
    );
    let Some(answer) = terminal.ask(&text, &format!("Write them to {files}? [y/N] "))? else {
        terminal.warning(&format!(
            "the tokens in {files} were renewed by {name}, and stay in its own home: the next run at a terminal asks about them"
        ));
        return Ok(());
    };
    if !["y", "yes"].contains(&answer.trim().to_lowercase().as_str()) {
        let declined = home.decline(&renewed);
        return declined.map_err(|error| Error::LoginsNotSaved(error).into());
    }
    for login in &renewed {
        if login.bring_back().is_err() {
            terminal.warning(&format!(
                "the tokens in {} could not be written: you may have to log in again",
                login.outside.display()
            ));
        }
    }
    Ok(())
}

fn set_aside(place: &Path) -> String {
    format!(
        "a change to a note that is no longer open to the agent is in {}",
        place.display()
    )
}

/// Reports how many changes of the program were not kept, and why; `None` if each has its own reason, or none is left.
fn not_taken_over(session: &Session) -> Option<String> {
    let left = plural::count(session.left, "change");
    let why = match &session.trouble {
        Some(trouble) => trouble.for_person(),
        None if session.left > 0 => "The run ended before all changes were copied.".to_owned(),
        None => return None,
    };
    Some(format!(
        "{left} of the program could not be copied to the draft or the vault. {why} The working copy still contains these changes."
    ))
}

/// Says on standard error what the program changed.
fn report(
    terminal: &Terminal,
    session: &Session,
    (has_new_draft, drafted): (bool, Option<Overlay>),
    again: &str,
) {
    let refused = session.refused();
    for (path, failure) in refused.iter().take(MOST_NAMED) {
        terminal.warning(&format!(
            "{path} was not taken over: {}",
            failure.for_person()
        ));
    }
    if refused.len() > MOST_NAMED {
        let more = plural::count(refused.len() - MOST_NAMED, "file");
        terminal.warning(&format!(
            "{more} more not taken over; `{again} --status` lists them"
        ));
    }
    for (path, is_reset) in session.earlier.iter().take(MOST_NAMED) {
        terminal.warning(&format!(
            "an earlier change to {path}, which may be incomplete, {}",
            if *is_reset {
                "was removed from the draft"
            } else {
                "was taken over"
            }
        ));
    }
    for place in session.copy.aside() {
        terminal.warning(&set_aside(&place));
    }
    if let Some(why) = not_taken_over(session) {
        terminal.warning(&format!("{why} `{again} --keep` takes them over"));
    }
    if let Some(failure) = &session.stopped {
        terminal.warning(&format!("the run was ended: {}", failure.for_person()));
    }
    // A file that the program removed again, such as a temporary one, is not in the draft.
    let waits = |change: &&TakenChange| {
        let path = VaultPath::file(&change.path).or_else(|_| VaultPath::folder(&change.path));
        drafted
            .as_ref()
            .zip(path.ok())
            .is_none_or(|(drafted, path)| {
                drafted.files.contains_key(&path) || drafted.folders.contains_key(&path)
            })
    };
    let (direct, drafted): (Vec<_>, Vec<_>) =
        session.taken.iter().partition(|change| change.is_direct);
    let drafted: Vec<&TakenChange> = drafted.into_iter().filter(waits).collect();
    if direct.is_empty() && drafted.is_empty() {
        if has_new_draft {
            terminal.note("the draft was changed through `vault-gw`; look at it: vault-gw review");
        } else if session.stopped.is_some() {
            terminal.note(&format!(
                "the working copy may have changes; `{again} --status` lists them"
            ));
        } else {
            terminal.note("this run left no change to review");
        }
        return;
    }
    for (changes, kind, next) in [
        (
            direct,
            "in the vault itself",
            "Take them back: vault-gw undo\n",
        ),
        (
            drafted,
            "in the draft",
            "Look at them, and accept or reject them: vault-gw review\n",
        ),
    ] {
        if changes.is_empty() {
            continue;
        }
        terminal.note(&format!(
            "{} of the program {kind}",
            plural::count(changes.len(), "change")
        ));
        let mut text = String::new();
        for change in changes.iter().take(MOST_NAMED) {
            text += &format!("  {}\n", shown::row(&change.line));
        }
        if changes.len() > MOST_NAMED {
            text += &format!("  and {} more\n", changes.len() - MOST_NAMED);
        }
        text += next;
        let _written = terminal.error_data(text.as_bytes());
    }
}

/// Returns a line with the agents that have working copies of their own, if the person named no agent.
fn others(prepared: &Prepared) -> Result<String, Failure> {
    if prepared.options.agent.is_some() {
        return Ok(String::new());
    }
    let gateway = prepared.gateway()?;
    let mut agents: BTreeSet<String> = gateway.settings().agents.keys().cloned().collect();
    agents.extend(Profile::agents());
    agents.retain(|agent| WorkingCopy::exists(&prepared.state, &prepared.vault, agent));
    let agents: Vec<_> = agents.iter().map(|agent| shown::row(agent)).collect();
    Ok(match &agents[..] {
        [] => String::new(),
        agents => format!(
            "Agents with a copy of their own, which `{} --agent NAME --status` shows: {}\n",
            prepared.again,
            agents.join(", ")
        ),
    })
}

/// `--status`, `--keep` and `--discard`.
fn without_program(cli: Cli<'_>, arguments: &RunArguments) -> Result<TextAndData, Failure> {
    let (terminal, options, environment) = (cli.terminal, cli.options, cli.environment);
    let prepared = if arguments.discard {
        Prepared::to_discard(options, environment)?
    } else {
        Prepared::new(options, None, environment)?
    };
    let whose = match &prepared.options.agent {
        Some(agent) => format!(" of the agent {}", shown::row(agent)),
        None => " of runs without an agent".to_owned(),
    };
    let mut session = if arguments.status {
        prepared.session_to_look()?
    } else {
        prepared.session(terminal)?
    };
    let files = session.copy.count();
    let mut data = Map::from_iter([("files".to_owned(), json!(files))]);
    if arguments.discard {
        let is_empty = session.is_empty();
        session.copy.discard()?;
        let text = if is_empty {
            format!(
                "There was no working copy{whose}. `--agent NAME` chooses the working copy of another agent.\n"
            )
        } else {
            format!(
                "The working copy{whose} and the home folder of the program are gone. Drafts stay: vault-gw review\n"
            )
        };
        data.insert("discarded".to_owned(), json!(!is_empty));
        return Ok((text, data));
    }
    let mut text = format!(
        "The working copy{whose} has {}.\n",
        plural::count(files, "file")
    );
    let aside: Vec<PathBuf> = session.copy.aside();
    for place in &aside {
        text += &format!("{}\n", shown::row(&set_aside(place)));
    }
    data.insert("aside".to_owned(), json!(aside));
    let left_out = session.copy.left_out();
    for (path, reason) in &left_out {
        text += &format!("not taken over: {}: {reason}\n", shown::row(path));
    }
    data.insert("leftOut".to_owned(), json!(left_out));
    if arguments.keep {
        session.finish(&prepared.gateway()?)?;
        let taken: Vec<&str> = session
            .taken
            .iter()
            .map(|change| change.line.as_str())
            .collect();
        for line in &taken {
            text += &format!("taken over: {}\n", shown::row(line));
        }
        for (path, failure) in session.refused() {
            text += &format!(
                "not taken over: {}: {}\n",
                shown::row(path.as_str()),
                shown::row(&failure.for_person())
            );
        }
        data.insert("taken".to_owned(), json!(taken));
        if let Some(why) = not_taken_over(&session) {
            let code = session
                .trouble
                .map_or(Code::Cancelled, |trouble| trouble.code);
            return Err(code.failure(why));
        }
    } else {
        text += &others(&prepared)?;
        let waiting = session.copy.waiting(&prepared.gateway()?)?;
        for path in &waiting {
            text += &format!("not taken over yet: {}\n", shown::row(path.as_str()));
        }
        let waiting: Vec<&str> = waiting.iter().map(VaultPath::as_str).collect();
        data.insert("waiting".to_owned(), json!(waiting));
    }
    Ok((text, data))
}
