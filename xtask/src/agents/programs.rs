//! The programs, and how each is told what to do.

use std::path::Path;

use serde_json::json;

use super::model::Call;
use super::tasks::Step;
use crate::Fault;
use crate::files::write;

/// A program that works on notes with its own tools.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// `OpenCode`.
    OpenCode,
    /// A shell without any model: it runs the steps as a script.
    Shell,
}

impl Kind {
    pub(super) const ALL: [Self; 4] = [Self::Shell, Self::Claude, Self::Codex, Self::OpenCode];

    /// The file name of the program.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::Shell => "sh",
        }
    }

    /// Its words: one request that it does without asking anyone. With `nested`, its own sandbox
    /// is on, if it has one.
    pub(super) fn words(self, request: &str, nested: bool) -> Vec<String> {
        let mode = if nested {
            "workspace-write"
        } else {
            "danger-full-access"
        };
        let settings =
            json!({ "sandbox": { "enabled": nested, "autoAllowBashIfSandboxed": true } });
        let words = match self {
            Self::Claude => format!(
                "-p|--permission-mode|acceptEdits|--settings|{settings}|--allowedTools=Bash"
            ),
            Self::Codex => format!("exec|--skip-git-repo-check|--sandbox|{mode}"),
            Self::OpenCode => "run".to_owned(),
            Self::Shell => "-c".to_owned(),
        };
        let words = words.split('|').chain([request]);
        words.map(str::to_owned).collect()
    }

    /// What must be installed for its own sandbox; `None` if it has none, or cannot start it: in the
    /// fence of root, parts of `/proc` are read-only, and so none can be mounted.
    pub(super) fn sandbox_needs(self, is_root: bool) -> Option<&'static [&'static str]> {
        match self {
            Self::Claude => (!is_root).then_some(&["bwrap", "socat"]),
            // It brings a bubblewrap of its own.
            Self::Codex => Some(&[]),
            Self::OpenCode | Self::Shell => None,
        }
    }

    /// Writes the settings that lead it to the model.
    pub(super) fn prepare(self, home: &Path, port: u16) -> Result<(), Fault> {
        let base = format!("http://127.0.0.1:{port}/v1");
        match self {
            Self::Claude | Self::Shell => Ok(()),
            Self::Codex => write(
                &home.join(".codex/config.toml"),
                format!(
                    "model = \"scripted\"\nmodel_provider = \"scripted\"\n\n\
                     [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{base}\"\n\
                     wire_api = \"responses\"\n"
                ),
            ),
            Self::OpenCode => {
                let provider = json!({
                    "npm": "@ai-sdk/openai-compatible", "name": "Scripted",
                    "options": { "baseURL": base, "apiKey": "none" },
                    "models": { "scripted": { "name": "Scripted" } },
                });
                let settings = json!({
                    "model": "scripted/scripted", "autoupdate": false, "share": "disabled",
                    "provider": { "scripted": provider },
                    "permission": { "external_directory": "allow" },
                });
                let file = home.join(".config/opencode/opencode.json");
                write(&file, settings.to_string())
            }
        }
    }

    /// Its variables.
    pub(super) fn variables(self, port: u16) -> Vec<(String, String)> {
        let model = format!("http://127.0.0.1:{port}");
        let variables = match self {
            Self::Claude => [
                ("ANTHROPIC_BASE_URL", &*model),
                ("ANTHROPIC_API_KEY", "none"),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ],
            _ => [
                ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
                ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
                ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
            ],
        };
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        variables.into()
    }

    /// The calls of its own tools for a step. A shell has none.
    pub(super) fn calls(self, step: &Step, vault: &Path) -> Vec<Call> {
        let ([tool, create, read, edit], [path, old_text, new_text]) = match self {
            Self::Claude => (
                ["Bash", "Write", "Read", "Edit"],
                ["file_path", "old_string", "new_string"],
            ),
            Self::OpenCode => (
                ["bash", "write", "read", "edit"],
                ["filePath", "oldString", "newString"],
            ),
            Self::Codex => return vec![("exec_command", json!({ "cmd": patch(step) }))],
            Self::Shell => return Vec::new(),
        };
        let full = |note: &str| vault.join(note).display().to_string();
        match *step {
            Step::Create(note, text) => {
                vec![(create, json!({ path: full(note), "content": text }))]
            }
            Step::Replace(note, old, new) => vec![
                (read, json!({ path: full(note) })),
                (
                    edit,
                    json!({ path: full(note), old_text: old, new_text: new }),
                ),
            ],
            _ => vec![(
                tool,
                json!({ "command": shell(step), "description": "a step" }),
            )],
        }
    }
}

/// A step as Codex does it: in a shell, where it sees its own patches.
fn patch(step: &Step) -> String {
    let text = match *step {
        Step::Create(note, text) => {
            let lines = text.lines().map(|line| format!("\n+{line}"));
            format!("Add File: {note}{}", lines.collect::<String>())
        }
        Step::Replace(note, old, new) => format!("Update File: {note}\n@@\n-{old}\n+{new}"),
        Step::Delete(note) => format!("Delete File: {note}"),
        Step::Shell(_) | Step::Move(..) => return shell(step),
    };
    format!("apply_patch <<'EOF'\n*** Begin Patch\n*** {text}\n*** End Patch\nEOF\n")
}

/// A step as a line of shell.
pub(super) fn shell(step: &Step) -> String {
    match step {
        Step::Shell(line) => (*line).to_owned(),
        Step::Create(note, text) => {
            format!("mkdir -p \"$(dirname '{note}')\"; printf '%s' '{text}' > '{note}'")
        }
        Step::Replace(note, old, new) => format!("sed -i 's/^{old}$/{new}/' '{note}'"),
        Step::Move(from, to) => format!("mv '{from}' '{to}'"),
        Step::Delete(note) => format!("rm '{note}'"),
    }
}
