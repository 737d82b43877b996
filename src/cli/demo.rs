//! `vault-gw demo`: the main job on a small vault of its own, through the real pipeline.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use jiff::Zoned;
use serde_json::{Map, Value, json};

use super::options::Options;
use super::report;
use super::terminal::Terminal;
use crate::allowlist::RawValue;
use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::gateway::{self, Answered, Caller, Gateway, Params, Request};
use crate::settings::{BackendChoice, Settings};

/// One thing that is shown: why, the command, and its parameters.
type Step = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const STEPS: [Step; 6] = [
    ("Read today's daily note.", "daily:read", &[]),
    (
        "List the notes of a folder.",
        "files",
        &[("folder", "Projects")],
    ),
    (
        "Read a note by its name, as in a wikilink.",
        "read",
        &[("file", "Garden")],
    ),
    (
        "Write, while changes are switched off (the default).",
        "daily:append",
        &[("content", "- [ ] Buy seeds")],
    ),
    ("Leave the vault.", "read", &[("path", "../../etc/passwd")]),
    ("Run code in the app.", "eval", &[("code", "1")]),
];

/// Makes the vault, takes the steps, removes the vault.
pub(crate) fn run(terminal: Terminal, options: &Options, environment: &Environment) -> ExitCode {
    let started = Instant::now();
    match show(environment) {
        Ok((text, data)) => report::verb(terminal, options, "demo", started, &text, data),
        Err(failure) => report::failure(terminal, options.output_mode(), "demo", failure),
    }
}

fn show(environment: &Environment) -> Result<(String, Map<String, Value>), Failure> {
    let now = Zoned::now();
    let vault = DemoVault::make(&now)?;
    let mut options = gateway::Options::new(Caller::Person);
    options.vault = Some(vault.root().to_string_lossy().into_owned());
    options.backend = Some(BackendChoice::Embedded);
    let gateway = Gateway::new(Settings::default(), options, environment.clone())?
        .with_clock(std::sync::Arc::new(move || now.clone()));

    let mut text = String::from(
        "A small vault was made in a temporary folder; Obsidian is not needed for any of this.\n",
    );
    let mut steps = Vec::new();
    for (why, command, params) in STEPS {
        let raw = params
            .iter()
            .map(|(key, value)| ((*key).to_owned(), RawValue::Text((*value).to_owned())))
            .collect();
        let answered = gateway.answer(&Request {
            params: Params(raw),
            ..Request::new(command)
        });
        text += &format!("\n# {why}\n$ vault-gw {}\n", typed(command, params));
        text += &shown(&answered);
        steps.push(json!({ "why": why, "envelope": answered.envelope }));
    }
    text += "\nNothing was written and nothing but reading was run. Next:\n  \
             vault-gw --vault ~/Notes daily:read                 your own vault\n  \
             vault-gw settings set vault ~/Notes                 remember it\n  \
             vault-gw settings set allow_mutations true          open writes\n  \
             vault-gw doctor                                     check the official command line\n";
    Ok((
        text,
        Map::from_iter([("steps".to_owned(), Value::from(steps))]),
    ))
}

fn typed(command: &str, params: &[(&str, &str)]) -> String {
    params
        .iter()
        .fold(command.to_owned(), |line, (key, value)| {
            if value.contains(' ') {
                format!("{line} {key}=\"{value}\"")
            } else {
                format!("{line} {key}={value}")
            }
        })
}

fn shown(answered: &Answered) -> String {
    let mut text = String::from_utf8_lossy(&answered.text).into_owned();
    if let Some(error) = &answered.envelope.error {
        text += &format!("error: {}\n", error.message);
        if let Some(hint) = report::hint(error.code, &error.details, &answered.envelope.command) {
            text += &format!("hint: {hint}\n");
        }
        text += &format!("(exit status {}, `{}`)\n", error.code.exit(), error.code);
    }
    text
}

/// A vault in a folder of its own, removed when dropped.
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
                    Failure::new(Code::IoError, format!("Cannot make the demo vault: {error}."))
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
        // It is in the temporary folder; a leftover does no harm.
        drop(fs_err::remove_dir_all(&self.folder));
    }
}
