//! A world of its own for each test: home, runtime folder, vault, fake binary and fake app.

pub(crate) mod launch;
pub(crate) mod processes;
pub(crate) mod profiles;
#[cfg(unix)]
pub(crate) mod pty;
pub(crate) mod service;
pub(crate) mod state;
#[cfg(target_os = "linux")]
pub(crate) mod thin;
#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
pub(crate) mod traced;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex, OnceLock};

use assert_cmd::assert::Assert;
use fake_obsidian::app::{FakeApp, Mode};
use fake_obsidian::home::Home;
use fake_obsidian::log::Invocation;
use fake_obsidian::recording::{RecordedCall, Recording};
use fake_obsidian::scenario::Scenario;
use serde_json::{Value, json};
use vault_gw::allowlist::RawValue;
use vault_gw::environment::Environment;
use vault_gw::gateway::{Caller, Envelope, Gateway, Options, Params, Request};
use vault_gw::settings::{BackendChoice, Settings};

/// The instant that every in-process gateway of the tests believes it is.
pub(crate) const NOW: &str = "2026-03-14T09:26:53+00:00[UTC]";

/// A made-up user with one vault.
pub(crate) struct World {
    pub(crate) home: Home,
    pub(crate) vault: PathBuf,
    pub(crate) settings: String,
    pub(crate) app: Option<FakeApp>,
    folder: tempfile::TempDir,
}

/// What a run of the program left behind.
#[must_use = "look at the output or the exit status"]
pub(crate) struct Ran {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    output: Output,
    /// The program and its words, to be shown with the output.
    line: String,
}

impl World {
    /// A user whose vault is an empty folder that the app knows and has open.
    pub(crate) fn empty() -> Self {
        Self::named("Notes")
    }

    fn named(vault: &str) -> Self {
        let folder = new_folder();
        let home = Home::create(&folder.path().join("user")).unwrap();
        let vault = folder.path().join(vault);
        fs_err::create_dir_all(vault.join(".obsidian")).unwrap();
        home.register([vault.as_path()]).unwrap();
        let settings = format!("vault = {}\n", quoted(&vault));
        Self {
            home,
            vault,
            settings,
            app: None,
            folder,
        }
    }

    /// A user whose agents draft what is closed to them, with these tables in the settings.
    pub(crate) fn drafting(tables: &str) -> Self {
        let world = Self::empty().set("drafts = \"closed\"\nbackend = \"embedded\"");
        world.with_tables(tables)
    }

    /// A user whose vault is that of a recorded call. The fake plays the recording.
    pub(crate) fn with_recording(recording: &Recording, call: &RecordedCall) -> Self {
        let world = Self::named(&recording.vault);
        call.lay_out(&world.vault).unwrap();
        world.with_fake(&Scenario {
            recording: Some(recording.file.clone()),
            active_file: call.active_file.clone(),
            now: Some(NOW.parse().unwrap()),
            ..Scenario::logged()
        })
    }

    /// A user whose vault is a copy of `fixtures/vault`.
    pub(crate) fn with_fixture_vault() -> Self {
        let world = Self::empty();
        copy_folder(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/vault"),
            &world.vault,
        );
        world
    }

    /// A user with a copy of `fixtures/vault` whose calls only the official binary answers.
    pub(crate) fn official(scenario: &Scenario) -> Self {
        Self::with_fixture_vault()
            .set("backend = \"obsidian\"")
            .with_fake(scenario)
    }

    /// The same user with the fake binary installed as `obsidian`, and the fake app running.
    pub(crate) fn with_fake(mut self, scenario: &Scenario) -> Self {
        self.install(scenario);
        self.start_app(Mode::Normal);
        self
    }

    /// Installs the fake binary, or replaces its scenario, and points the settings at it.
    pub(crate) fn install(&mut self, scenario: &Scenario) -> PathBuf {
        let binary = self
            .home
            .install_binary(fake_to_install(), scenario)
            .unwrap();
        let line = format!("obsidian_path = {}\n", quoted(&binary));
        if !self.settings.contains(&line) {
            self.settings.insert_str(0, &line);
        }
        binary
    }

    /// The same user with this script in the place of the installed fake.
    #[cfg(unix)]
    pub(crate) fn with_script(mut self, script: &str) -> Self {
        let file = self.home.binaries().join("scripted");
        executable(&file, script);
        let installed = self.home.binaries().join("obsidian");
        self.settings = self.settings.replace(&quoted(&installed), &quoted(&file));
        self
    }

    /// Starts the fake app in this process.
    pub(crate) fn start_app(&mut self, mode: Mode) {
        self.app = None;
        self.app = Some(FakeApp::start(&self.home, mode).unwrap());
    }

    /// The same user without the sandbox, because what the test makes the command line do is what
    /// `why` says, and a confined one cannot.
    pub(crate) fn unconfined(self, _why: &str) -> Self {
        self.set("sandbox = \"off\"")
    }

    /// Adds a line to the settings' root table.
    pub(crate) fn set(mut self, line: &str) -> Self {
        self.settings.insert_str(0, &format!("{line}\n"));
        self
    }

    /// Adds tables to the end of the settings: path rules, agents.
    pub(crate) fn with_tables(mut self, tables: &str) -> Self {
        self.settings.push_str(tables);
        self.settings.push('\n');
        self
    }

    /// Writes a file of the vault, with its folders.
    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let file = self.vault.join(path);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(file, bytes).unwrap();
    }

    /// Reads a file of the vault.
    pub(crate) fn read(&self, path: &str) -> String {
        String::from_utf8(fs_err::read(self.vault.join(path)).unwrap()).unwrap()
    }

    /// A folder for things that are neither vault nor home.
    pub(crate) fn scratch(&self) -> PathBuf {
        let scratch = self.folder.path().join("scratch");
        fs_err::create_dir_all(&scratch).unwrap();
        scratch
    }

    /// The environment of this user.
    pub(crate) fn environment(&self) -> Environment {
        let mut environment = Environment::new(self.home.variables(), Some(self.scratch()));
        environment.helper = Some(env!("CARGO_BIN_EXE_vault-gw").into());
        environment
    }

    /// A gateway in this process, for an agent whose bridge is on unless the settings say
    /// otherwise, at [`NOW`].
    pub(crate) fn gateway(&self) -> Gateway {
        self.gateway_with(Options::new(Caller::Agent))
    }

    /// The same for an agent with a name.
    pub(crate) fn agent(&self, name: &str) -> Gateway {
        self.gateway_with(Options {
            agent: Some(name.to_owned()),
            ..Options::new(Caller::Agent)
        })
    }

    /// The same for a person.
    pub(crate) fn person(&self) -> Gateway {
        self.gateway_with(Options::new(Caller::Person))
    }

    /// The same for an agent whose calls this backend answers.
    pub(crate) fn through(&self, backend: BackendChoice) -> Gateway {
        self.gateway_with(Options {
            backend: Some(backend),
            ..Options::new(Caller::Agent)
        })
    }

    /// The same for a person who has approved what is asked.
    pub(crate) fn approving(&self) -> Gateway {
        self.gateway_with(Options {
            approved: true,
            ..Options::new(Caller::Person)
        })
    }

    /// The same with other options.
    pub(crate) fn gateway_with(&self, options: Options) -> Gateway {
        self.gateway_in(options, self.environment())
    }

    /// The same in another environment.
    pub(crate) fn gateway_in(&self, options: Options, environment: Environment) -> Gateway {
        let root_table = self
            .settings
            .lines()
            .take_while(|line| !line.starts_with('['));
        let bridge = if root_table.clone().any(|line| line.starts_with("enabled")) {
            ""
        } else {
            "enabled = true\n"
        };
        let settings =
            Settings::parse("settings.toml", &format!("{bridge}{}", self.settings)).unwrap();
        Gateway::new(settings, options, environment)
            .unwrap()
            .with_clock(std::sync::Arc::new(|| NOW.parse().unwrap()))
    }

    /// One call through a fresh gateway; the envelope has been checked against its schema.
    pub(crate) fn call(&self, command: &str, params: &[(&str, &str)]) -> Envelope {
        checked(self.gateway().call(&request(command, params)))
    }

    /// The same for a line in the official syntax, as [`asked`] takes it.
    pub(crate) fn ask(&self, line: &str) -> Envelope {
        answer(&self.gateway(), line)
    }

    /// How often the fake binary was started, and with what. Without the question for the version,
    /// which the gateway asks by itself once for each app ([`Self::version_runs`]).
    pub(crate) fn invocations(&self) -> Vec<Invocation> {
        let mut all = self.all_invocations();
        all.retain(|invocation| !asks_version(invocation));
        all
    }

    /// How often the fake binary was asked for its version.
    pub(crate) fn version_runs(&self) -> usize {
        let all = self.all_invocations();
        all.into_iter().filter(asks_version).count()
    }

    fn all_invocations(&self) -> Vec<Invocation> {
        if self.home.log().exists() {
            fake_obsidian::log::invocations(&self.home.log()).unwrap()
        } else {
            Vec::new()
        }
    }

    /// The arguments of each start of the fake.
    pub(crate) fn argvs(&self) -> Vec<Vec<String>> {
        self.invocations()
            .iter()
            .map(Invocation::arguments)
            .collect()
    }

    /// Whether the fake binary was never started: its log does not even exist.
    pub(crate) fn nothing_spawned(&self) -> bool {
        !self.home.log().exists()
    }

    /// The same, the words of each start joined by spaces.
    pub(crate) fn runs(&self) -> Vec<String> {
        self.argvs().iter().map(|words| words.join(" ")).collect()
    }

    /// The settings file, where the program looks for it.
    pub(crate) fn settings_file(&self) -> PathBuf {
        self.home.config().join("vault-gw/settings.toml")
    }

    /// Writes the settings file.
    pub(crate) fn write_settings(&self) -> PathBuf {
        let file = self.settings_file();
        // A server that starts at the same time must not read the file while it is empty.
        if fs_err::read_to_string(&file).ok().as_ref() != Some(&self.settings) {
            write_private(&file, &self.settings);
        }
        file
    }

    /// Runs the program with these words, as a person in the scratch folder.
    pub(crate) fn run(&self, words: &[&str]) -> Ran {
        self.run_with_input(words, b"")
    }

    /// The same with the words of a line, as a shell parts them.
    pub(crate) fn run_line(&self, line: &str) -> Ran {
        self.write_settings();
        self.run_line_as_it_is(line)
    }

    /// The same, with whatever settings file is there.
    pub(crate) fn run_line_as_it_is(&self, line: &str) -> Ran {
        let words = shell_words::split(line).unwrap();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.run_as_it_is(&words, b"")
    }

    /// The same with bytes on standard input.
    pub(crate) fn run_with_input(&self, words: &[&str], input: &[u8]) -> Ran {
        self.write_settings();
        self.run_as_it_is(words, input)
    }

    /// The same, with whatever settings file is there.
    pub(crate) fn run_as_it_is(&self, words: &[&str], input: &[u8]) -> Ran {
        let mut command = self.program();
        command.args(words);
        finish(command, input)
    }

    /// The program in this user's environment, without any word.
    pub(crate) fn program(&self) -> Command {
        self.command(Path::new(env!("CARGO_BIN_EXE_vault-gw")))
    }

    /// A command in this user's environment.
    #[expect(
        clippy::disallowed_methods,
        reason = "tests start the program under test"
    )]
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(self.home.variables())
            .env("TZ", "UTC")
            .current_dir(self.scratch())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// A folder of its own, in memory if there is room and programs can be started there: most of the
/// time of a write that is safe on a disk is the wait for the disk.
pub(crate) fn new_folder() -> tempfile::TempDir {
    #[cfg(target_os = "linux")]
    if rustix::fs::statvfs(MEMORY).is_ok_and(|memory| {
        memory.f_bavail * memory.f_frsize > 1 << 30
            && !memory
                .f_flag
                .contains(rustix::fs::StatVfsMountFlags::NOEXEC)
    }) {
        return tempfile::tempdir_in(MEMORY).unwrap();
    }
    tempfile::tempdir().unwrap()
}

/// The file system that Linux keeps in memory.
#[cfg(target_os = "linux")]
const MEMORY: &str = "/dev/shm";

/// Whether a start of the fake is the gateway's own question for the version.
pub(crate) fn asks_version(invocation: &Invocation) -> bool {
    matches!(&invocation.arguments()[..], [_, command] if command == "version")
}

/// Runs a command to its end. What the test has put in the place of its standard streams does not count.
pub(crate) fn finish(command: Command, input: &[u8]) -> Ran {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let line: Vec<_> = words.map(OsStr::to_string_lossy).collect();
    let line = line.join(" ");
    let mut command = assert_cmd::Command::from_std(command);
    command.write_stdin(input);
    let output = command.output().unwrap();
    Ran {
        status: output.status.code(),
        stdout: output.stdout.clone(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        output,
        line,
    }
}

impl std::fmt::Debug for Ran {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.assert().fmt(formatter)
    }
}

impl Ran {
    /// The checks of `assert_cmd`, which show all of the output where they fail.
    fn assert(&self) -> Assert {
        Assert::new(self.output.clone()).append_context("command", self.line.clone())
    }

    /// Standard output as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    /// Standard output as one JSON value a line.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let lines = self.text().lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Standard error has this part.
    #[track_caller]
    pub(crate) fn reports(&self, part: &str) {
        assert!(self.stderr.contains(part), "no {part:?}: {self:?}");
    }

    /// Standard error does not have this part.
    #[track_caller]
    pub(crate) fn omits(&self, part: &str) {
        assert!(!self.stderr.contains(part), "{part:?}: {self:?}");
    }

    /// Standard output is this text.
    #[track_caller]
    pub(crate) fn prints(&self, text: &str) {
        assert_eq!(String::from_utf8_lossy(&self.stdout), text, "{self:?}");
    }

    /// Standard output has this part.
    #[track_caller]
    pub(crate) fn shows(&self, part: &str) {
        assert!(self.text().contains(part), "no {part:?}: {self:?}");
    }

    /// Standard output does not have this part.
    #[track_caller]
    pub(crate) fn shows_not(&self, part: &str) {
        assert!(!self.text().contains(part), "{part:?}: {self:?}");
    }

    /// It ended with this status.
    #[track_caller]
    pub(crate) fn ended(&self, status: i32) {
        drop(self.assert().code(status));
    }

    /// Standard output as one JSON object on one line, checked against the envelope's schema.
    pub(crate) fn json(&self) -> Value {
        let text = self.text();
        assert_eq!(text.matches('\n').count(), 1, "one line: {text}");
        let value = serde_json::from_str(text).unwrap();
        assert_envelope(&value);
        value
    }
}

/// A request with text parameters; a value `true` is a flag that is on.
pub(crate) fn request(command: &str, params: &[(&str, &str)]) -> Request {
    let params = params.iter().map(|(key, value)| {
        let raw = match *value {
            "true" => RawValue::Bool(true),
            text => RawValue::Text(text.to_owned()),
        };
        ((*key).to_owned(), raw)
    });
    Request {
        params: Params(params.collect()),
        ..Request::new(command)
    }
}

/// The request that a line in the official syntax makes: `append path=a.md content='x y' open`.
pub(crate) fn asked(line: &str) -> Request {
    let words = shell_words::split(line).unwrap();
    let (command, arguments) = words.split_first().unwrap();
    let argument = |word: &'_ String| match word.split_once('=') {
        Some((name, value)) => (name.to_owned(), RawValue::Text(value.to_owned())),
        None => (word.clone(), RawValue::Bool(true)),
    };
    Request {
        params: Params(arguments.iter().map(argument).collect()),
        ..Request::new(command)
    }
}

/// The request to plan it, and do nothing.
pub(crate) fn dry_run_of(request: Request) -> Request {
    Request {
        dry_run: true,
        ..request
    }
}

/// What a gateway answers to such a line; the envelope has been checked.
pub(crate) fn answer(gateway: &Gateway, line: &str) -> Envelope {
    checked(gateway.call(&asked(line)))
}

/// The answer to a command whose parameters may be lists.
pub(crate) fn call(gateway: &Gateway, command: &str, params: Value) -> Envelope {
    let mut request = json!({ "command": command });
    request["params"] = params;
    gateway.call(&Request::from_value(&request).unwrap())
}

/// A request to edit one note in several places.
pub(crate) fn edits(path: &str, edits: Value) -> Request {
    let params = [
        ("path".to_owned(), json!(path).into()),
        ("edits".to_owned(), edits.into()),
    ];
    Request {
        params: Params(params.into()),
        ..Request::new("note:edit")
    }
}

/// The envelope itself, after its JSON was checked against the published schema.
pub(crate) fn checked(envelope: Envelope) -> Envelope {
    assert_envelope(&serde_json::from_str(&envelope.to_json()).unwrap());
    envelope
}

/// The code of a failed call.
pub(crate) fn code(envelope: &Envelope) -> &'static str {
    envelope
        .error
        .as_ref()
        .map_or("OK", |error| error.code.name())
}

/// Checks of the result of a call. Each returns the envelope for the next check.
pub(crate) trait Outcome: Sized {
    /// The call succeeded.
    #[track_caller]
    fn succeeds(self) -> Self;

    /// The call failed with this code.
    #[track_caller]
    fn fails_with(self, code: &str) -> Self;
}

impl Outcome for Envelope {
    fn succeeds(self) -> Self {
        assert!(self.success, "{self:#?}");
        self
    }

    fn fails_with(self, expected: &str) -> Self {
        assert_eq!(code(&self), expected, "{self:#?}");
        self
    }
}

/// The JSON of an envelope, or the result of a tool that contains it.
impl Outcome for Value {
    fn succeeds(self) -> Self {
        assert_eq!(json_code(&self), "OK", "{self:#}");
        self
    }

    fn fails_with(self, expected: &str) -> Self {
        assert_eq!(json_code(&self), expected, "{self:#}");
        self
    }
}

/// The code in the JSON of an envelope, or in the result of a tool that contains it; `OK` for a success.
pub(crate) fn json_code(answer: &Value) -> &str {
    let envelope = answer.get("structuredContent").unwrap_or(answer);
    if let Some(is_error) = answer.get("isError") {
        assert_eq!(*is_error, envelope["success"] == false, "{answer:#}");
    }
    match envelope["error"]["code"].as_str() {
        Some(code) => code,
        None if envelope["success"] == true => "OK",
        None => "neither a success nor an error",
    }
}

/// Checks that the text has each of these parts.
#[track_caller]
pub(crate) fn has(text: &impl AsRef<str>, parts: &[&str]) {
    let text = text.as_ref();
    for part in parts {
        assert!(text.contains(part), "no {part:?}: {text}");
    }
}

/// Checks that the text has none of these parts.
#[track_caller]
pub(crate) fn lacks(text: &impl AsRef<str>, parts: &[&str]) {
    let text = text.as_ref();
    for part in parts {
        assert!(!text.contains(part), "{part:?}: {text}");
    }
}

/// One detail of a failed call; null where it has none of this name.
pub(crate) fn detail(envelope: &Envelope, key: &str) -> Value {
    let error = envelope.error.as_ref().unwrap();
    error.details.get(key).cloned().unwrap_or_default()
}

/// The codes of a call's warnings.
pub(crate) fn warnings(envelope: &Envelope) -> Vec<&'static str> {
    envelope.warnings.iter().map(|issue| issue.code).collect()
}

/// Takes the warnings out of the fields that hold text of the vault, where there are none any more.
pub(crate) fn name_no_absent_warnings(envelope: &mut Value) {
    if envelope["warnings"].as_array().is_some_and(Vec::is_empty) {
        let untrusted = envelope["meta"]["untrusted"].as_array_mut().unwrap();
        untrusted.retain(|field| field != "warnings");
    }
}

/// Checks an envelope against its published schema, its `data` against the schema of its
/// command, and what the Meminit profile makes of it against Meminit's own schema.
pub(crate) fn assert_envelope(envelope: &Value) {
    static SCHEMA: OnceLock<jsonschema::Validator> = OnceLock::new();
    let schema = SCHEMA.get_or_init(|| validator("envelope"));
    let faults: Vec<String> = schema
        .iter_errors(envelope)
        .map(|fault| fault.to_string())
        .collect();
    assert!(faults.is_empty(), "{faults:?} in {envelope:#}");
    assert_eq!(
        envelope["success"] == false,
        envelope.get("error").is_some(),
        "{envelope:#}"
    );
    profiles::assert_as_meminit(envelope);
    let data = &envelope["data"];
    let catalogue = vault_gw::allowlist::Catalogue::builtin().unwrap();
    let command = envelope["command"].as_str().unwrap_or_default();
    let empty = data.as_object().is_none_or(serde_json::Map::is_empty);
    if let Ok(command) = catalogue.find(command)
        && !empty
        && data.get("dryRun").is_none()
    {
        assert_data(command.output.name(), data);
    }
}

/// Checks the data of an envelope against the schema of its form, which is read once.
fn assert_data(form: &'static str, data: &Value) {
    static SCHEMAS: Mutex<BTreeMap<&str, Arc<jsonschema::Validator>>> = Mutex::new(BTreeMap::new());
    let schema = {
        let mut schemas = SCHEMAS.lock().unwrap();
        let schema = schemas
            .entry(form)
            .or_insert_with(|| Arc::new(validator(form)));
        Arc::clone(schema)
    };
    let faults = schema.iter_errors(data).map(|fault| fault.to_string());
    let faults: Vec<String> = faults.collect();
    assert!(faults.is_empty(), "{faults:?} in {data:#}");
}

/// The published schema of this name.
pub(crate) fn published_schema(name: &str) -> Value {
    static SCHEMAS: OnceLock<Value> = OnceLock::new();
    let schemas = SCHEMAS.get_or_init(|| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/vault-gw.v1.json");
        serde_json::from_str(&fs_err::read_to_string(path).unwrap()).unwrap()
    });
    schemas[name].clone()
}

fn validator(name: &str) -> jsonschema::Validator {
    jsonschema::validator_for(&published_schema(name)).unwrap()
}

/// The built fake binary.
pub(crate) fn fake_binary() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| fixture_binary("fake-obsidian"))
}

/// The fake binary where [`new_folder`] makes folders, so that a world takes it as a hard link: it has 50 MB.
fn fake_to_install() -> &'static Path {
    static COPY: OnceLock<Option<(PathBuf, std::process::Child)>> = OnceLock::new();
    let copy = COPY.get_or_init(|| {
        let folder = new_folder();
        let copy = folder.path().join("fake-obsidian");
        if cfg!(not(unix)) || fs_err::hard_link(fake_binary(), &copy).is_ok() {
            return None;
        }
        fake_obsidian::home::write_program(&copy, &fs_err::read(fake_binary()).unwrap()).unwrap();
        Some((copy, remove_at_the_end(folder.keep())))
    });
    copy.as_ref().map_or(fake_binary(), |(copy, _)| copy)
}

/// A shell that removes the folder once this process has ended, in whatever way: then its input ends.
#[expect(
    clippy::disallowed_methods,
    reason = "this is no run of the official binary"
)]
fn remove_at_the_end(folder: PathBuf) -> std::process::Child {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "trap '' HUP INT TERM; cat; rm -rf \"$0\""]);
    shell.arg(folder).stdin(Stdio::piped());
    let shell = shell.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    shell.unwrap()
}

/// The built launcher, which starts programs on a terminal or with signals blocked.
pub(crate) fn fake_launcher() -> &'static str {
    static PATH: OnceLock<String> = OnceLock::new();
    PATH.get_or_init(|| {
        let path = fixture_binary("fake-launcher");
        path.to_str().unwrap().to_owned()
    })
}

/// A binary of the packages in `fixtures/`, which are brought up to date once per test process.
pub(crate) fn fixture_binary(name: &str) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    FOLDER.get_or_init(build_fixtures).join(name)
}

/// Builds the binaries of the fixtures with the profile and target folder of this test, because
/// cargo hands a test only the binaries of its own package. Returns their folder.
#[expect(
    clippy::disallowed_methods,
    reason = "tests build the binaries they drive"
)]
fn build_fixtures() -> PathBuf {
    let this_test = std::env::current_exe().unwrap();
    let profile_folder = this_test.parent().unwrap().parent().unwrap();
    let target = profile_folder.parent().unwrap();
    if cfg!(all(windows, target_env = "gnu")) {
        // Under Wine no cargo runs: whoever runs the tests has built them.
        return profile_folder.to_owned();
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        // The whole workspace with this test has the features with which it was built. With others
        // cargo would compile `vault-gw` and the engine a second time.
        .args(["build", "--quiet", "--workspace", "--bins"])
        .args(["--test", "integration"])
        .args(
            ["--features", "vault-gw/conformance"]
                .iter()
                .filter(|_| cfg!(feature = "conformance")),
        )
        .arg("--target-dir")
        .arg(target)
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    match profile_folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => {}
        Some(profile) => {
            cargo.args(["--profile", profile]);
        }
    }
    let status = cargo.status().unwrap();
    assert!(status.success(), "the fixtures did not build");
    profile_folder.to_owned()
}

/// The hash of these bytes as answers write it.
pub(crate) fn sha256_of(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    let digest = sha2::Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A path as a TOML string.
pub(crate) fn quoted(path: &Path) -> String {
    format!("{:?}", path.to_str().unwrap())
}

/// A path below a folder as vaults write it, with `/` on every system.
pub(crate) fn below(path: &Path, folder: &Path) -> String {
    let path = path.strip_prefix(folder).unwrap().components();
    let parts: Vec<_> = path
        .map(|part| part.as_os_str().to_str().unwrap())
        .collect();
    parts.join("/")
}

/// Everything below a folder by its path: the bytes of a file, and nothing for a folder. Links to
/// folders are not followed.
pub(crate) fn everything_below(folder: &Path) -> BTreeMap<String, Option<Vec<u8>>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in fs_err::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let bytes = (!path.is_dir()).then(|| fs_err::read(&path).unwrap());
            found.insert(below(&path, folder), bytes);
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            }
        }
    }
    found
}

/// The files below a folder by their paths, with their bytes.
pub(crate) fn files_below(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = everything_below(folder).into_iter();
    files
        .filter_map(|(path, bytes)| Some((path, bytes?)))
        .collect()
}

/// The Rust files in these folders of the repository: paths and texts.
pub(crate) fn sources(folders: &[&str]) -> Vec<(String, String)> {
    texts_of(folders, &["rs"])
}

/// The files in these folders of the repository whose names end so: paths and texts.
pub(crate) fn texts_of(folders: &[&str], extensions: &[&str]) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    let mut folders: Vec<_> = folders.iter().map(|name| root.join(name)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if extension.is_some_and(|extension| extensions.contains(&extension)) {
                let bytes = fs_err::read(&path).unwrap();
                let text = String::from_utf8_lossy(&bytes).into_owned();
                files.push((below(&path, root), text));
            }
        }
    }
    files
}

/// Writes a program, a script or a copy of one, that everybody may start.
#[cfg(unix)]
pub(crate) fn executable(path: &Path, program: impl AsRef<[u8]>) {
    fake_obsidian::home::write_program(path, program.as_ref()).unwrap();
}

/// Writes a file that only its owner can touch, with its folders.
pub(crate) fn write_private(path: &Path, text: impl AsRef<[u8]>) {
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, text).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs_err::create_dir_all(to).unwrap();
    for entry in fs_err::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs_err::copy(entry.path(), target).unwrap();
        }
    }
}

/// A variable for [`Environment::new`].
pub(crate) fn variable(name: &str, value: impl Into<OsString>) -> (OsString, OsString) {
    (OsString::from(name), value.into())
}
