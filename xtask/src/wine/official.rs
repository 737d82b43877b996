//! The official backend on Windows: how the binary is found, the pipe, arguments, and what is left
//! of a run. The fake stands in for `Obsidian.com`.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use fake_obsidian::log::{self, Event, LOG_FILE};
use fake_obsidian::registry;
use fake_obsidian::scenario::{Action, Child, Scenario};
use serde_json::{Value, json};

use super::Found;
use super::desk::{App, Desk, OFFICIAL, code, expect, request, write};
use crate::Fault;

const VAULT: &str = r"C:\vaults\official";
/// How long the work of a process takes that is to be ended before.
const LATE: Duration = Duration::from_millis(2500);

/// The vault, known to the app, with a fake of this behaviour.
struct Stage<'desk> {
    desk: &'desk Desk,
    vault: PathBuf,
}

impl<'desk> Stage<'desk> {
    fn set(desk: &'desk Desk, scenario: &Scenario) -> Result<Self, Fault> {
        let stage = Self {
            desk,
            vault: desk.vault(VAULT, &[("n.md", "note\n")])?,
        };
        stage.use_binary(r"C:\official\Obsidian.com")?;
        let paths = [PathBuf::from(VAULT)];
        let known = registry::known_vaults(paths.iter().map(PathBuf::as_path), true);
        let list = desk
            .profile()?
            .join("AppData/Roaming/obsidian/obsidian.json");
        registry::write(&list, &known)?;
        scenario.write(&desk.place(OFFICIAL))?;
        drop(fs_err::remove_file(stage.log()));
        Ok(stage)
    }

    fn use_binary(&self, path: &str) -> Result<(), Fault> {
        let path = path.replace('\\', r"\\");
        self.desk.set(&format!(
            "enabled = true\nallow_mutations = true\nbackend = \"obsidian\"\nobsidian_path = \"{path}\"\n"
        ))
    }

    fn log(&self) -> PathBuf {
        self.desk.place(OFFICIAL).join(LOG_FILE)
    }

    fn events(&self) -> Result<Vec<Event>, Fault> {
        Ok(log::read(&self.log())?)
    }

    /// What the fake was started with, without the questions before a write.
    fn started(&self) -> Result<Vec<Vec<String>>, Fault> {
        let started = log::invocations(&self.log())?;
        let is_asked = |words: &Vec<String>| {
            !words
                .iter()
                .any(|word| word == "version" || word == "info=path")
        };
        Ok(started
            .iter()
            .map(log::Invocation::arguments)
            .filter(is_asked)
            .collect())
    }

    fn call(&self, requests: &[Value]) -> Result<Vec<Value>, Fault> {
        self.desk.call(&["--vault", VAULT], requests)
    }

    fn read(&self) -> Result<Value, Fault> {
        let asked = [request("read", &json!({ "path": "n.md" }))];
        Ok(self.call(&asked)?.remove(0))
    }
}

fn quiet() -> Scenario {
    Scenario::logged().without_socket()
}

/// The usual places, before the folders of `PATH`.
pub(super) fn locate(desk: &Desk) -> Found {
    let stage = Stage::set(desk, &quiet())?;
    let _app = desk.app("normal")?;
    let place = desk.profile()?.join("AppData/Local/Programs/Obsidian");
    drop(fs_err::remove_dir_all(&place));
    stage.use_binary("obsidian")?;
    let absent = stage.read()?;
    expect(&absent, "CLI_UNAVAILABLE", "no binary")?;
    fs_err::create_dir_all(&place)?;
    for name in ["Obsidian.com", "bcryptprimitives.dll"] {
        fs_err::hard_link(desk.place(OFFICIAL).join(name), place.join(name))?;
    }
    quiet().write(&place)?;
    expect(&stage.read()?, "OK", "the binary in %LOCALAPPDATA%")?;
    let started = log::invocations(&place.join(LOG_FILE))?;
    let program = started.last().map(|run| run.argv[0].to_text());
    fs_err::remove_dir_all(place)?;
    let user = desk.user()?;
    let wanted = format!(r"C:\users\{user}\AppData\Local\Programs\Obsidian\Obsidian.com");
    match program {
        Some(program) if program.eq_ignore_ascii_case(&wanted) => Ok(program),
        other => Err(format!("started {other:?}").into()),
    }
}

/// `.bat` and `.cmd` are refused, however they are spelled.
pub(super) fn batch_files(desk: &Desk) -> Found {
    let stage = Stage::set(desk, &quiet())?;
    let _app = desk.app("normal")?;
    let marker = desk.place(r"C:\official\batch-ran");
    for name in ["obsidian.bat", "obsidian.cmd"] {
        let script = "@echo ran> C:\\official\\batch-ran\r\n";
        write(&desk.place(OFFICIAL).join(name), script)?;
    }
    let names = [
        "obsidian.bat",
        "obsidian.cmd",
        "OBSIDIAN.BAT",
        "obsidian.bat.",
        "obsidian.cmd ",
    ];
    for name in names {
        stage.use_binary(&format!(r"{OFFICIAL}\{name}"))?;
        let answer = stage.read()?;
        expect(&answer, "CLI_UNAVAILABLE", name)?;
        let reason = &answer["error"]["details"]["reason"];
        if reason != "batch-file" && (reason != "missing" || name.ends_with(['t', 'd', 'T'])) {
            return Err(format!("{name}: {answer}").into());
        }
    }
    if marker.exists() {
        return Err("a batch file has run".into());
    }
    Ok(format!("{} spellings refused, none run", names.len()))
}

/// `Obsidian.com.exe` beside `Obsidian.com` would run in its place.
pub(super) fn shadows(desk: &Desk) -> Found {
    let stage = Stage::set(desk, &quiet())?;
    let _app = desk.app("normal")?;
    expect(&stage.read()?, "OK", "alone")?;
    let before = stage.events()?.len();
    let shadow = desk.place(r"C:\official\Obsidian.com.exe");
    write(&shadow, "another program")?;
    let answer = stage.read();
    fs_err::remove_file(&shadow)?;
    let answer = answer?;
    expect(&answer, "CLI_UNAVAILABLE", "with another beside it")?;
    if answer["error"]["details"]["reason"] == "shadowed" && stage.events()?.len() == before {
        Ok("refused before anything ran".to_owned())
    } else {
        Err(answer.to_string().into())
    }
}

/// The pipe absent, present, busy, and closed to this user.
pub(super) fn probe(desk: &Desk) -> Found {
    let stage = Stage::set(desk, &quiet())?;
    expect(&stage.read()?, "APP_NOT_RUNNING", "absent")?;
    if !stage.events()?.is_empty() {
        return Err("something was started without the app".into());
    }
    for (mode, wanted) in [
        ("normal", "OK"),
        ("busy", "OK"),
        ("closed", "APP_UNREACHABLE"),
    ] {
        let app: App = desk.app(mode)?;
        let answer = stage.read()?;
        expect(&answer, wanted, mode)?;
        if mode == "closed" && answer["error"]["details"]["reason"] != "permission" {
            return Err(answer.to_string().into());
        }
        drop(app);
    }
    Ok("absent, present, busy, closed to this user".to_owned())
}

/// A read, and a write that is proved, confirmed and undone.
pub(super) fn answers(desk: &Desk) -> Found {
    let stage = Stage::set(desk, &Scenario::logged())?;
    let _app = desk.app("normal")?;
    let answer = stage.read()?;
    expect(&answer, "OK", "read")?;
    if answer["data"]["content"] != "note\n" && answer["stdout"] != "note\n" {
        return Err(answer.to_string().into());
    }
    let made = request(
        "create",
        &json!({ "path": "New.md", "content": "é \"x\" \\ y" }),
    );
    let answer = stage.call(&[made])?.remove(0);
    expect(&answer, "OK", "create")?;
    let file = stage.vault.join("New.md");
    let note = fs_err::read_to_string(&file)?;
    expect(&desk.envelope(["--vault", VAULT, "undo"])?, "OK", "undo")?;
    if note == "é \"x\" \\ y" && !file.exists() {
        Ok("read; create proved by the app's path, verified, undone".to_owned())
    } else {
        Err(format!("left {note:?}").into())
    }
}

/// What is hard to quote arrives as it was.
pub(super) fn arguments(desk: &Desk) -> Found {
    const HOSTILE: [&str; 25] = [
        r#"say "a" and "b""#,
        "\\",
        r"a\",
        r"a\\",
        r#"a\"b"#,
        r#"a\\"b c\"#,
        r"ends in \ \",
        "\"",
        "\"\"",
        "\" \"",
        r#"\" x"#,
        "%PATH%",
        "%COMSPEC% /c calc",
        "^&|<>()!",
        "'single' `back`",
        "--vault=x",
        "/c dir",
        "é 日本 😀",
        "e\u{301}",
        "*.md ?",
        "$(x) ; rm",
        "a  b   c",
        " leading and trailing ",
        r"\\?\C:\x",
        "=a=b=",
    ];
    let stage = Stage::set(desk, &quiet())?;
    let _app = desk.app("normal")?;
    let requests = HOSTILE.map(|query| request("search", &json!({ "query": query })));
    stage.call(&requests)?;
    let started = stage.started()?;
    let missing: Vec<&str> = HOSTILE
        .into_iter()
        .filter(|query| {
            let word = format!("query={query}");
            !started.iter().any(|words| words.contains(&word))
        })
        .collect();
    if missing.is_empty() {
        Ok(format!("{} strings", HOSTILE.len()))
    } else {
        Err(format!("{missing:?} did not arrive: {started:?}").into())
    }
}

/// No command line of more than 4000 bytes, whatever is sent (`official-cli.md` §4).
pub(super) fn lengths(desk: &Desk) -> Found {
    const MOST: usize = 4000;
    let stage = Stage::set(desk, &quiet())?;
    let _app = desk.app("normal")?;
    let mut text_of_note = "note\n".to_owned();
    let mut sent = 0;
    for (unit, times) in [
        ("x", 3300),
        ("x", 3450),
        ("x", 9000),
        ("\" ", 1700),
        ("é\\ ", 1200),
    ] {
        let content = unit.repeat(times);
        let asked = request(
            "append",
            &json!({ "path": "n.md", "content": content, "inline": true }),
        );
        let answer = stage.call(&[asked])?.remove(0);
        if code(&answer) == "OK" {
            sent += 1;
            text_of_note += &content;
        }
    }
    let query = "x".repeat(5000);
    let answer = stage
        .call(&[request("search", &json!({ "query": query }))])?
        .remove(0);
    expect(&answer, "ARGUMENT_TOO_LARGE", "a query of 5000 bytes")?;
    let longest = stage
        .started()?
        .iter()
        .map(|words| line_length(words))
        .max();
    let note = fs_err::read_to_string(stage.vault.join("n.md"))?;
    if note != text_of_note {
        let (bytes, wanted) = (note.len(), text_of_note.len());
        return Err(format!("the note has {bytes} bytes, not {wanted}").into());
    }
    match longest {
        Some(longest) if longest <= MOST => Ok(format!(
            "{sent} of 5 texts sent, longest line {longest} bytes; a query of 5000 refused"
        )),
        other => Err(format!("a line of {other:?} bytes").into()),
    }
}

/// The bytes of a command line, quoted as Windows programs are told their arguments.
fn line_length(words: &[String]) -> usize {
    let program = r#""C:\official\Obsidian.com""#.len();
    let quoted = |word: &String| {
        let spaces = usize::from(word.is_empty() || word.contains([' ', '\t'])) * 2;
        let quotes = word.matches('"').count() + word.matches("\\\"").count();
        1 + word.len() + spaces + quotes
    };
    program + words.iter().map(quoted).sum::<usize>()
}

/// Nothing that a run started works on after its end: at the deadline, after an answer, and where
/// the gateway itself is killed.
pub(super) fn jobs(desk: &Desk) -> Found {
    let late = u64::try_from(LATE.as_millis()).unwrap_or_default();
    let hangs = quiet().always("append", [Action::LateEffect { ms: late }]);
    let stage = Stage::set(desk, &hangs)?;
    let _app = desk.app("normal")?;
    let words = ["--vault", VAULT, "append", "path=n.md", "content=late"];

    let timed = desk.envelope([&["--timeout-ms", "1500"][..], &words].concat())?;
    expect(&timed, "TIMEOUT", "a run that hangs")?;
    let children = |stage: &Stage<'_>| -> Result<usize, Fault> {
        let events = stage.events()?;
        Ok(events
            .iter()
            .filter(|event| matches!(event, Event::Child { .. }))
            .count())
    };
    if children(&stage)? != 1 {
        return Err(format!("no grandchild was started: {:?}", stage.events()?).into());
    }

    let mut command = desk.command(words);
    let mut doomed = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let started = Instant::now();
    while children(&stage)? < 2 {
        if started.elapsed() > Duration::from_secs(20) {
            return Err("the second grandchild was not started".into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    desk.kill_all()?;
    doomed.wait()?;

    std::thread::sleep(LATE + Duration::from_millis(500));
    let is_late = |event: &Event| matches!(event, Event::LateEffect { .. });
    if stage.events()?.iter().any(is_late) {
        return Err("a grandchild worked on".into());
    }

    let child = Child {
        holds_pipes: true,
        lifetime_ms: 30_000,
        ..Child::default()
    };
    let leaves = quiet().always("read", [Action::Spawn { count: 2, child }]);
    leaves.write(&desk.place(OFFICIAL))?;
    let started = Instant::now();
    let answer = stage.read()?;
    expect(&answer, "OK", "a run that leaves two behind")?;
    let seconds = started.elapsed().as_secs();
    if seconds > 10 || answer["meta"]["process"]["descendantsLeaked"] == true {
        return Err(format!("after {seconds} s: {answer}").into());
    }
    Ok("at the deadline, when the gateway is killed, and after an answer".to_owned())
}
