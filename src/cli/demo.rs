//! `vault-gw demo`: runs the main commands on a temporary vault, through the real pipeline.

use std::path::{Path, PathBuf};

use jiff::Zoned;
use serde_json::{Map, Value, json};

use super::report::{self, VerbEnd, VerbText};
use frontend::display::{Role, StyledLine, StyledText, answer};
use frontend::terminal::{Terminal, error_label};

use allowlist::RawValue;
use gateway::{Envelope, Gateway, Params, Request};
use protocol::caller::Caller;
use protocol::code::Code;
use protocol::failure::Failure;
use protocol::shell::Shell;
use sandbox::environment::Environment;
use settings::{BackendChoice, Settings};

/// One step of the demo.
struct DemoStep {
    /// The heading of the step.
    why: &'static str,
    act: DemoAct,
    /// Whether the settings allow writes in this step.
    writes: bool,
}

enum DemoAct {
    /// Runs a command with parameters.
    Call(&'static str, &'static [(&'static str, &'static str)]),
    /// Runs a command with `--dry-run`.
    Plan(&'static str, &'static [(&'static str, &'static str)]),
    /// Undoes the last write.
    Undo,
}

const APPEND: (&str, &[(&str, &str)]) = ("daily:append", &[("content", "- [ ] Buy seeds")]);

const STEPS: [DemoStep; 9] = [
    closed("Read today's daily note.", DemoAct::Call("daily:read", &[])),
    closed(
        "Search, and show the line of each match.",
        DemoAct::Call("search:context", &[("query", "tag:#idea")]),
    ),
    closed(
        "Try to read a file outside the vault.",
        DemoAct::Call("read", &[("path", "../../etc/passwd")]),
    ),
    closed(
        "Try to run code in the app.",
        DemoAct::Call("eval", &[("code", "1")]),
    ),
    closed(
        "Try to write while changes are turned off (the default).",
        DemoAct::Call(APPEND.0, APPEND.1),
    ),
    open(
        "The owner allows changes. First show the plan; nothing is written yet.",
        DemoAct::Plan(APPEND.0, APPEND.1),
    ),
    open("Now make the change.", DemoAct::Call(APPEND.0, APPEND.1)),
    open("Undo the change.", DemoAct::Undo),
    open(
        "The note is as it was, byte for byte.",
        DemoAct::Call("daily:read", &[]),
    ),
];

const fn closed(why: &'static str, act: DemoAct) -> DemoStep {
    DemoStep {
        why,
        act,
        writes: false,
    }
}

const fn open(why: &'static str, act: DemoAct) -> DemoStep {
    DemoStep {
        why,
        act,
        writes: true,
    }
}

/// Creates the vault, runs the steps, removes the vault.
pub(crate) fn run(terminal: &Terminal) -> Result<VerbEnd, Failure> {
    let now = Zoned::now();
    let vault = DemoVault::make(&now)?;
    // With its own home folder, so that the user's journal and audit log stay unchanged.
    let home = vault.folder.join("home");
    let variables = ["HOME", "USERPROFILE"].map(|name| (name.into(), home.clone().into()));
    let environment = Environment::new(variables, None);
    let gateway = |allow_mutations| {
        let mut options = gateway::Options::new(Caller::Person);
        options.vault = Some(vault.root().to_string_lossy().into_owned());
        options.backend = Some(BackendChoice::Embedded);
        let mut settings = Settings::default();
        settings.allow_mutations = allow_mutations;
        let now = now.clone();
        Gateway::new(settings, options, environment.clone())
            .map(|gateway| gateway.with_clock(std::sync::Arc::new(move || now.clone())))
    };
    let (reading, writing) = (gateway(false)?, gateway(true)?);

    let mut text = String::from(
        "This demo uses a small vault in a temporary folder and does not need Obsidian.\n",
    );
    let mut styled = StyledText::unstyled(&text);
    let mut steps = Vec::new();
    for DemoStep { why, act, writes } in STEPS {
        let gateway = if writes { &writing } else { &reading };
        let (line, envelope) = match act {
            DemoAct::Call(command, params) => (
                typed(command, params),
                gateway.call(&request(command, params)),
            ),
            DemoAct::Plan(command, params) => (
                format!("--dry-run {}", typed(command, params)),
                gateway.call(&Request {
                    dry_run: true,
                    ..request(command, params)
                }),
            ),
            DemoAct::Undo => ("undo".to_owned(), gateway.undo(None, false)),
        };
        let failure = failure_of(&envelope);
        text += &format!("\n# {why}\n$ vault-gw {line}\n");
        text += &String::from_utf8_lossy(&envelope.text);
        text += &failure.render(usize::MAX, false);
        styled.gap();
        styled.line(StyledLine::new(Role::Heading, why).with_hanging_indent(2));
        styled
            .line(StyledLine::new(Role::Faint, "$ ").with(Role::Name, &format!("vault-gw {line}")));
        styled.append(answer::on_terminal(
            &envelope,
            &envelope.text,
            terminal.columns(),
            false,
        ));
        styled.append(failure);
        steps.push(json!({ "why": why, "envelope": envelope }));
    }
    let next = "\nYour own vault was not touched. Next:\n  \
             vault-gw setup                            find your own vault and your agents\n  \
             vault-gw daily:read                       today's note in it\n  \
             vault-gw settings set allow_mutations me  open writes, for you\n  \
             vault-gw doctor                           check the official command line\n";
    text += next;
    styled.append(StyledText::unstyled(next));
    let data = Map::from_iter([("steps".to_owned(), Value::from(steps))]);
    Ok((VerbText::new(text, styled), data).into())
}

fn request(command: &str, params: &[(&str, &str)]) -> Request {
    let raw = params
        .iter()
        .map(|(key, value)| ((*key).to_owned(), RawValue::Text((*value).to_owned())))
        .collect();
    Request {
        params: Params(raw),
        ..Request::new(command)
    }
}

fn typed(command: &str, params: &[(&str, &str)]) -> String {
    params
        .iter()
        .fold(command.to_owned(), |line, (key, value)| {
            format!("{line} {}", Shell::native().argument(key, value))
        })
}

/// Returns how a terminal shows the failure of an answer; empty if there is none.
fn failure_of(envelope: &Envelope) -> StyledText {
    let mut styled = StyledText::default();
    if let Some(error) = &envelope.error {
        let line = |role, label, text: &str| {
            StyledLine::new(role, label)
                .with(Role::Plain, ": ")
                .with(Role::Plain, text)
                .with_hanging_indent(2)
        };
        let label = error_label(error.code);
        styled.line(line(Role::Bad, &label, &error.what().for_person()));
        for hint in report::hints(error, &envelope.command) {
            styled.line(line(Role::Hint, "hint", &hint.for_person()));
        }
        let message = format!("(exit status {})", error.code.exit());
        styled.line(StyledLine::new(Role::Faint, &message));
    }
    styled
}

/// A temporary vault, removed on drop.
struct DemoVault {
    folder: PathBuf,
}

impl DemoVault {
    fn make(now: &Zoned) -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("vault-gw-demo-{}", uuid::Uuid::new_v4()));
        let vault = Self { folder };
        let root = vault.root();
        let today = now.strftime("%Y-%m-%d");
        for (path, text) in [
            (".obsidian/daily-notes.json".to_owned(), r#"{"folder":"Daily"}"#.to_owned()),
            (
                format!("Daily/{today}.md"),
                format!("# {today}\n\n- [x] Water the plants\n- [ ] Plan the [[Garden]]\n"),
            ),
            (
                "Projects/Garden.md".to_owned(),
                "---\nstatus: active\ntags: [home, spring]\n---\nBeds along the south wall. #idea\n"
                    .to_owned(),
            ),
            ("Projects/Bookshelf.md".to_owned(), "Oak, five boards. See [[Garden]].\n".to_owned()),
        ] {
            let file = root.join(path);
            let parent = file.parent().unwrap_or(&root);
            fs_err::create_dir_all(parent)
                .and_then(|()| fs_err::write(&file, text))
                .map_err(|error| {
                    Code::IoError.failure(format!("Cannot create the demo vault: {error}."))
                })?;
        }
        Ok(vault)
    }

    fn root(&self) -> PathBuf {
        Path::new(&self.folder).join("Demo")
    }
}

impl Drop for DemoVault {
    fn drop(&mut self) {
        // Best effort: the system cleans its temporary folder.
        drop(fs_err::remove_dir_all(&self.folder));
    }
}
