//! What to do instead of a parameter or a value that a command does not take: what other programs and Obsidian's own
//! skill teach, and which command does it here.

use std::collections::BTreeMap;

use cli_output::Shape;
use serde_json::json;

use super::admit::{MAX_NAME_BYTES, NO_PATH, shown};
use super::change_rules::Placement;
use super::command::{Command, Param, ParamKind, Target};
use super::raw_value::RawValue;
use super::value::{ValueProblem, name_instead};

impl Command {
    /// The `notes` of `notes:read` for a part of a note that this command does not read.
    pub(super) fn as_part(parts: &[&str], given: &BTreeMap<String, RawValue>) -> Option<String> {
        let part = parts.iter().find(|part| ["heading", "block", "lines"].contains(part))?;
        let text = short_text(part, given)?;
        let note = json!({ "path": short_text("path", given).unwrap_or(NO_PATH), *part: text });
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
            "heading" | "section" | "block" | "lines" if self.is_about_one_note() => Some(format!(
                "`{}` is about the whole note. `notes:read` reads a part of it, with `path` and `heading`, `block` or `lines` of each note.",
                self.id
            )),
            "filter" | "filters" | "where" if self.output == Shape::BaseRows => Some(format!(
                "`{}` uses the filters of the view: choose one with `view`. `notes:list` has `where` for a condition of your own.",
                self.id
            )),
            _ => None,
        }
    }

    /// Whether the command reads one note.
    pub(super) fn is_about_one_note(&self) -> bool {
        self.change.is_none() && self.target == Target::Note && self.output != Shape::BaseRows
    }

    /// As [`Self::instead_of`], for a name that other programs give a parameter for what another command does
    /// here. Such a word may well be a value.
    pub(super) fn instead_of_name(
        &self,
        name: &str,
        given: &BTreeMap<String, RawValue>,
    ) -> Option<String> {
        let writes_text = self.param("content").is_some();
        let is_of_note = matches!(self.target, Target::Note | Target::DailyNote);
        let elsewhere = match name {
            "heading" | "section" | "header" if writes_text && is_of_note => {
                format!("`{}` adds to the whole note. {}", self.id, in_section(name, given))
            }
            "heading" | "section" | "header" if writes_text && self.target == Target::NewFile => {
                format!("`{}` writes the whole note. {}", self.id, in_section(name, given))
            }
            "offset" if self.change.is_some() => {
                let place = if writes_text {
                    " Text goes behind a line of a note by `note:edit`, with `edits` such as `[{\"afterLine\":12,\"content\":\"…\"}]`."
                } else {
                    ""
                };
                format!(
                    "`{}` takes no `offset`: that is for the next part of a long answer.{place}",
                    self.id
                )
            }
            "path" | "file" => self.instead_of_active_file(|name| short_text(name, given))?,
            "text" | "task" | "content" | "query" | "name"
                if self.params.iter().any(|param| param.kind == ParamKind::TaskRef) =>
            {
                format!(
                    "`{}` finds a task by its place: `ref` is `path:line`. `tasks` with `verbose` lists the tasks of a note with their lines.",
                    self.id
                )
            }
            "date" | "day" if self.target == Target::DailyNote => {
                let by_path = if self.change.is_none() { "`read` takes" } else { "`append` takes" };
                format!(
                    "`{}` is about today's note alone. That of another day is a note like others: {by_path} its `path`, which `daily:path` shows the form of.",
                    self.id
                )
            }
            _ => return self.instead_of(name),
        };
        Some(elsewhere)
    }

    /// How to use a template without the app, for a command that inserts one into the file that is active there.
    pub(crate) fn instead_of_active_file<'text>(
        &self,
        given: impl Fn(&str) -> Option<&'text str>,
    ) -> Option<String> {
        let is_template = |param: &&Param| param.kind == ParamKind::Template;
        let template = self.params.iter().find(is_template)?;
        if self.target != Target::ActiveFile {
            return None;
        }
        let template = given(&template.name).unwrap_or("…");
        let call = json!({ "path": given("path").unwrap_or(NO_PATH), "template": template });
        Some(format!(
            "`{}` writes into the file that is active in the app. A new note is made from a template by `create`: send `{call}`. For a note that is there, read the text by `template:read` with `resolve`, and add it by `append`.",
            self.id
        ))
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
            (ValueProblem::WrongType { .. }, RawValue::List(items)) => {
                let one = items.first()?.as_str()?;
                Some(format!("Send one text, such as `{}`.", shown(one)))
            }
            (ValueProblem::NotOneCharacter, RawValue::Text(text)) => {
                let flag = self.flag(text).or_else(|| match text.to_lowercase().as_str() {
                    "open" | "incomplete" | "pending" | "not done" => self.flag("todo"),
                    "complete" | "completed" | "closed" | "finished" => self.flag("done"),
                    _ => None,
                })?;
                Some(format!("Did you mean the flag `{}`?", flag.name))
            }
            _ => None,
        }
    }
}

/// A text of a request that is short enough for a message.
fn short_text<'given>(
    name: &str,
    given: &'given BTreeMap<String, RawValue>,
) -> Option<&'given str> {
    match given.get(name)? {
        RawValue::Text(text) if text.len() <= MAX_NAME_BYTES => Some(text.as_str()),
        _ => None,
    }
}

/// The call that writes into a section what a call was to write there with this name for it.
fn in_section(name: &str, given: &BTreeMap<String, RawValue>) -> String {
    let heading = short_text(name, given).unwrap_or("…");
    // The text of a note is in no message (`faults.md` F12).
    let edit = json!({ "heading": heading, "mode": "append", "content": "…" });
    let call = json!({ "path": short_text("path", given).unwrap_or(NO_PATH), "edits": [edit] });
    format!("A section of a note that is there gets text by `note:edit`: send `{call}`.")
}

/// The path of a note close to a name with a folder in it, without what no file name can hold.
fn path_instead(text: &str) -> String {
    let path = name_instead(text);
    let name = path.rsplit('/').next().unwrap_or_default();
    let end = if name.contains('.') { "" } else { ".md" };
    format!("{path}{end}")
}
