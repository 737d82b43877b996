//! What to do instead of a parameter or a value that a command does not take: what other programs and Obsidian's own
//! skill teach, and which command does it here.

use std::collections::BTreeMap;

use cli_output::Shape;
use serde_json::json;

use super::admit::{MAX_NAME_BYTES, NO_PATH, shown};
use super::change_rules::Placement;
use super::command::{Command, Target};
use super::raw_value::RawValue;
use super::value::{ValueProblem, name_instead};

impl Command {
    /// The `notes` of `notes:read` for a part of a note that this command does not read.
    pub(super) fn as_part(parts: &[&str], given: &BTreeMap<String, RawValue>) -> Option<String> {
        let text = |name: &str| match given.get(name)? {
            RawValue::Text(text) if text.len() <= MAX_NAME_BYTES => Some(text.as_str()),
            _ => None,
        };
        let part = parts
            .iter()
            .find(|part| ["heading", "block", "lines"].contains(part))?;
        let note = json!({ "path": text("path").unwrap_or(NO_PATH), *part: text(part)? });
        Some(format!("Send `{}`.", json!({ "notes": [note] })))
    }

    /// What to do instead of a word that Obsidian's own skill teaches for every command or list
    /// (`official-cli.md` §4), and that this one does not take.
    pub(crate) fn instead_of(&self, name: &str) -> Option<String> {
        match name.trim_start_matches('-') {
            "copy" => Some(
                "Leave out `--copy`: the answer is printed, and vault-gw writes to no clipboard."
                    .to_owned(),
            ),
            "total" if self.change.is_none() => Some(format!(
                "`{}` prints no count: leave out `total`, and count the items of its answer.",
                self.id
            )),
            "heading" | "section" | "block" | "lines" if self.output == Shape::NoteText => {
                Some(format!(
                    "`{}` tells the whole note. A part of it is told by `notes:read`, with `path` and `heading`, `block` or `lines` of each note.",
                    self.id
                ))
            }
            _ => None,
        }
    }

    /// As [`Self::instead_of`], for a name that other programs give a parameter for what another command does
    /// here. Such a word may well be a value.
    pub(super) fn instead_of_name(&self, name: &str) -> Option<String> {
        let is_of_note = matches!(self.target, Target::Note | Target::DailyNote);
        let adds_to_a_note = self.param("content").is_some() && is_of_note;
        let elsewhere = match name {
            "heading" | "section" | "header" if adds_to_a_note => format!(
                "`{}` adds to the whole note. A section of it gets text by `note:edit`, with `edits` such as `[{{\"heading\":\"Tasks\",\"mode\":\"append\",\"content\":\"…\"}}]`.",
                self.id
            ),
            "date" | "day" if self.target == Target::DailyNote => {
                let by_path = if self.change.is_none() {
                    "`read` takes"
                } else {
                    "`append` takes"
                };
                format!(
                    "`{}` is about today's note alone. That of another day is a note like others: {by_path} its `path`, which `daily:path` shows the form of.",
                    self.id
                )
            }
            _ => return self.instead_of(name),
        };
        Some(elsewhere)
    }

    /// What else takes a value that does not fit.
    pub(super) fn instead_of_value(
        &self,
        problem: &ValueProblem,
        raw: &RawValue,
    ) -> Option<String> {
        match (problem, raw) {
            (ValueProblem::Slash { .. }, RawValue::Text(text)) => {
                let path = shown(&path_instead(text));
                Some(match self.placement()? {
                    Placement::NewName => format!(
                        "Into another folder the note goes with `move` and `to`, for example `{path}`."
                    ),
                    _ if self.param("path").is_none() => format!(
                        "Into a folder of its own a note goes with `create` and `path`, for example `{path}`."
                    ),
                    _ => format!("Send folder and name together as `path`, for example `{path}`."),
                })
            }
            (ValueProblem::NotOneCharacter, RawValue::Text(text)) => {
                let flag = self.flag(text)?;
                Some(format!("Did you mean the flag `{}`?", flag.name))
            }
            _ => None,
        }
    }
}

/// The path of a note close to a name with a folder in it, without what no file name can hold.
fn path_instead(text: &str) -> String {
    let path = name_instead(text);
    let name = path.rsplit('/').next().unwrap_or_default();
    let end = if name.contains('.') { "" } else { ".md" };
    format!("{path}{end}")
}
