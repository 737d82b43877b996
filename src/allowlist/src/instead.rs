//! Suggests what to send instead of a parameter or a value that a command does not take: other programs and
//! Obsidian's own skill teach them, and another command here does the same.

use std::collections::BTreeMap;

use cli_output::Shape;
use serde_json::json;

use super::admit::{MAX_NAME_BYTES, NO_PATH, shown};
use super::change_rules::Placement;
use super::command::{Command, Param, ParamKind, Target};
use super::raw_value::RawValue;
use super::value::{ValueProblem, name_instead};
use protocol::message::{Message, Part, for_person, for_program, message};
use protocol::shell::Shell;

/// Reason why a command does not take a parameter, and a hint to a call that does.
pub(crate) type Instead = (Message, Message);

/// A call that would insert a template into the file that is active in the app.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TemplateIntoActiveFile {
    command: String,
    template: Option<String>,
    path: Option<String>,
}

impl TemplateIntoActiveFile {
    /// Returns the calls that use the template without the app.
    pub fn instead(&self) -> Instead {
        let what = format!(
            "`{}` writes into the file that is active in the app.",
            self.command
        );
        let template = self.template.as_deref().unwrap_or("…");
        let call = json!({ "path": self.path.as_deref().unwrap_or(NO_PATH), "template": template });
        let hint = message!(
            "To make a new note from a template, use {create} with {}. To add a template to an existing note, read the template with {template:read} and `resolve`, then add the text with {append}.",
            Part::Params(call)
        );
        (what.into(), hint)
    }
}

impl Command {
    /// Returns the `notes` of `notes:read` for a part of a note that this command does not read.
    pub(super) fn as_part(parts: &[&str], given: &BTreeMap<String, RawValue>) -> Option<Message> {
        let part = parts.iter().find(|part| is_part(part))?;
        let text = match given.get(*part)? {
            RawValue::List(items) => items
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join("-"),
            RawValue::Number(line) => line.to_string(),
            _ => short_text(part, given)?.to_owned(),
        };
        let is_number = |part: &str| part.trim().parse::<usize>().is_ok();
        let key = match *part {
            "block" => "block",
            "heading" | "section" if !text.split('-').all(is_number) => "heading",
            _ => "lines",
        };
        let note = json!({ "path": short_text("path", given).unwrap_or(NO_PATH), key: text });
        Some(message!(
            "Pass {}.",
            Part::Params(json!({ "notes": [note] }))
        ))
    }

    /// Suggests what to send instead of a word that Obsidian's own skill teaches for every command or list
    /// (`official-cli.md` §4), and that this command does not take.
    pub fn instead_of(&self, name: &str) -> Option<Instead> {
        match name.trim_start_matches('-') {
            "copy" => Some((
                "vault-gw prints the answer and does not use the clipboard.".into(),
                "Omit `--copy`.".into(),
            )),
            "total" if self.change.is_none() => Some((
                message!("{} does not return a count.", self.subject()),
                "Omit `total`, and count the items in the answer.".into(),
            )),
            part if is_part(part) && self.is_about_one_note() => Some((
                message!("{} reads only whole notes.", self.subject()),
                message!(
                    "To read a part of a note, use {notes:read}. For each note, pass `path` and one of `heading`, `block` and `lines`."
                ),
            )),
            "filter" | "filters" | "where" if self.output == Shape::BaseRows => Some((
                message!(
                    "{} takes no filter. It uses those of the base and of the view.",
                    self.subject()
                ),
                message!(
                    "Choose a view with `view`. To filter by your own condition, use {notes:list} with `property` and `value`."
                ),
            )),
            _ => None,
        }
    }

    /// Whether the command reads one note.
    pub(super) fn is_about_one_note(&self) -> bool {
        self.change.is_none() && self.target == Target::Note && self.output != Shape::BaseRows
    }

    /// Returns the replacement like [`Self::instead_of`], for a parameter name with which other programs do what
    /// another command does here. Such a word may also be a value.
    pub(super) fn instead_of_name(
        &self,
        name: &str,
        given: &BTreeMap<String, RawValue>,
    ) -> Option<Instead> {
        let writes_text = self.param("content").is_some();
        let is_of_note = matches!(self.target, Target::Note | Target::DailyNote);
        let subject = || self.subject();
        Some(match name {
            "heading" | "section" | "header" if writes_text && is_of_note => (
                message!("{} cannot add text to a section.", subject()),
                in_section(name, given),
            ),
            "heading" | "section" | "header" if writes_text && self.target == Target::NewFile => (
                message!("{} writes a whole note, not a section.", subject()),
                in_section(name, given),
            ),
            "offset" if self.change.is_some() => {
                let what = message!("{} does not take `offset`.", subject());
                let edits = Part::Params(json!([{ "afterLine": 12, "content": "…" }]));
                let hint = message!(
                    "To add text after a line of a note, use {note:edit} with `edits` such as {}.",
                    edits
                );
                (
                    what,
                    if writes_text {
                        hint
                    } else {
                        Message::default()
                    },
                )
            }
            _ if self.target == Target::DailyNote && (name == "path" || is_day(name)) => {
                self.instead_of_today()
            }
            "path" | "file" => self
                .instead_of_active_file(|name| short_text(name, given))?
                .instead(),
            "task" | "content" | "query" | "name"
                if self
                    .params
                    .iter()
                    .any(|param| param.kind == ParamKind::TaskRef) =>
            {
                (
                    message!(
                        "{} finds a task by `ref`, as `path:line`, or by the `path` of the note and the `text` of the task.",
                        subject()
                    ),
                    message!(
                        "To list the tasks of a note with their lines, use {tasks} with `verbose`."
                    ),
                )
            }
            "query" | "search" | "text" | "contains" if self.output == Shape::Tasks => (
                message!("{} does not search the text of tasks.", subject()),
                tasks_containing(short_text(name, given)),
            ),
            "filter" | "filters" | "frontmatter" if self.param("where").is_some() => {
                let property = match given.get(name) {
                    Some(RawValue::Object(keys)) => keys.keys().next().map(String::as_str),
                    _ => None,
                };
                // The value of a property is in no message (`threats.toml` F12).
                let call = json!({ "property": property.unwrap_or("…"), "value": "…" });
                (
                    message!("{} filters by one property and its value.", subject()),
                    message!("Pass {}.", Part::Params(call)),
                )
            }
            "folder" | "tag" if self.output == Shape::Tasks => {
                let wanted = short_text(name, given).unwrap_or("…");
                let is_on =
                    |flag: &str| given.get(flag).and_then(RawValue::as_switch) == Some(true);
                (
                    message!(
                        "{} lists the tasks of one note or of the whole vault.",
                        subject()
                    ),
                    tasks_with(name == "tag", wanted, (is_on("todo"), is_on("done"))),
                )
            }
            "old_str" | "new_str" | "old_string" | "new_string" | "operations"
                if self.param("edits").is_some() =>
            {
                let edits = json!({ "edits": [{ "old": "…", "new": "…" }] });
                (
                    message!("{} takes changes only as `edits`.", subject()),
                    message!("Pass {}.", Part::Params(edits)),
                )
            }
            "folder" if self.change.is_some() && self.param("paths").is_some() => (
                message!("{} does not apply to a folder.", subject()),
                message!(
                    "List the notes of the folder with {notes:list}, and pass their paths as `paths`."
                ),
            ),
            "folder" | "directory"
                if self.placement() == Some(Placement::AsNamed) && self.param("path").is_some() =>
            {
                let folder = short_text(name, given).unwrap_or("…").trim_matches('/');
                let note = short_text("name", given).unwrap_or("New note");
                let path = path_instead(&format!("{folder}/{note}"));
                (
                    message!("{} does not take a separate folder.", subject()),
                    message!(
                        "Pass {} without `name`.",
                        Part::Params(json!({ "path": path }))
                    ),
                )
            }
            "limit" if self.param("budget").is_some() => (
                message!("{} does not take `limit`.", subject()),
                "To limit the length of the answer, pass the number of characters as `budget`."
                    .into(),
            ),
            "position" if writes_text && is_of_note => (
                message!("{} does not take `position`.", subject()),
                message!(
                    "{append} adds text at the end of a note, {prepend} at the start, and {note:edit} at any other place."
                ),
            ),
            "tags" if self.param("tag").is_some() && self.change.is_some() => (
                message!("{} takes only one tag, as `tag`.", subject()),
                "Make one call for each tag.".into(),
            ),
            "tags" if self.param("properties").is_some() => (
                message!("{} takes tags as the property `tags`.", subject()),
                message!(
                    "Pass {}.",
                    Part::Params(json!({ "properties": { "tags": ["…"] } }))
                ),
            ),
            _ => {
                return self
                    .instead_of(name)
                    .or_else(|| self.instead_of_property(name, given));
            }
        })
    }

    /// The command for a note of any day, for a command that applies only to today's note.
    fn instead_of_today(&self) -> Instead {
        let mut names = ["append", "prepend"].into_iter();
        let by_path = names.find(|name| self.id.ends_with(name)).unwrap_or("read");
        (
            message!("{} applies only to today's note.", self.subject()),
            message!(
                "For another day, use {} with the `path` of that day's note.{}",
                Part::Command(by_path.to_owned()),
                if self.output == Shape::Path {
                    Message::default()
                } else {
                    message!(" {daily:path} shows what such a path looks like.")
                }
            ),
        )
    }

    /// The call that sets a property, for a call in which a parameter has the name of the property.
    fn instead_of_property(
        &self,
        name: &str,
        given: &BTreeMap<String, RawValue>,
    ) -> Option<Instead> {
        let is_value =
            |kind: &ParamKind| matches!(kind, ParamKind::Scalar | ParamKind::ScalarOrList);
        let mut required = self.params.iter().filter(|param| param.required);
        let property = required
            .clone()
            .find(|param| param.kind == ParamKind::Property)?;
        let value = required.find(|param| is_value(&param.kind))?;
        // A name close to the name of an argument is mistyped.
        let is_near = || self.meant(name, given).is_some() || !self.near(name, given).is_empty();
        if !given.contains_key(name) || given.contains_key(&value.name) || is_near() {
            return None;
        }
        // An object contains the names of properties with their values.
        let name = match given.get(name) {
            Some(RawValue::Object(keys)) => keys.keys().next().map_or(name, String::as_str),
            _ => name,
        };
        // The value of a property is in no message (`threats.toml` F12).
        let mut call = json!({ property.name.as_str(): name, value.name.as_str(): "…" });
        // A word without a name was taken for the property, and is the note.
        let note = [
            ("path", "path"),
            ("file", "file"),
            (property.name.as_str(), "file"),
        ];
        let note = note.into_iter().find(|(key, _)| given.contains_key(*key));
        if let Some((key, param)) = note {
            call[param] = json!(short_text(key, given).unwrap_or("…"));
        }
        let words = call.as_object().into_iter().flatten().map(|(name, value)| {
            Shell::native().argument(name, value.as_str().unwrap_or_default())
        });
        let line = [self.id.clone()]
            .into_iter()
            .chain(words)
            .collect::<Vec<_>>()
            .join(" ");
        let hint = message!(
            "{}{}",
            for_person(format!("Type `vault-gw {line}`.")),
            for_program(message!("Pass {}.", Part::Params(call)))
        );
        Some((
            message!(
                "{} takes the name of a property as `{}` and its value as `{}`.",
                self.subject(),
                property.name,
                value.name
            ),
            hint,
        ))
    }

    /// The call with a template, if the command inserts one into the file that is active in the app.
    pub fn instead_of_active_file<'given>(
        &self,
        given: impl Fn(&str) -> Option<&'given str>,
    ) -> Option<TemplateIntoActiveFile> {
        let is_template = |param: &&Param| param.kind == ParamKind::Template;
        let template = self.params.iter().find(is_template)?;
        (self.target == Target::ActiveFile).then(|| TemplateIntoActiveFile {
            command: self.id.clone(),
            template: given(&template.name).map(str::to_owned),
            path: given("path").map(str::to_owned),
        })
    }

    /// Suggests another command or parameter that accepts a value which this one does not.
    pub(super) fn instead_of_value(
        &self,
        problem: &ValueProblem,
        raw: &RawValue,
    ) -> Option<Message> {
        match (problem, raw) {
            (ValueProblem::Folder, RawValue::Text(text)) if self.placement().is_some() => {
                let folder = text.trim_end_matches('/');
                Some(
                    format!(
                        "Add the name of the file to the path, as in `{}/New note.md`.",
                        shown(folder)
                    )
                    .into(),
                )
            }
            (ValueProblem::Folder, _) => Some(message!(
                "To list the notes of a folder, use {notes:list} with `folder`."
            )),
            (ValueProblem::Slash { .. }, RawValue::Text(text)) => {
                let path = shown(&path_instead(text));
                Some(match self.placement()? {
                    Placement::NewName => message!(
                        "To move the note to another folder, use {move} with `to`, for example `{}`.",
                        path
                    ),
                    _ if self.param("path").is_none() => message!(
                        "To make a note in a folder, use {create} with `path`, for example `{}`.",
                        path
                    ),
                    _ => format!(
                        "Pass the folder and the name together as `path`, for example `{path}`."
                    )
                    .into(),
                })
            }
            (ValueProblem::NotAChoice { .. }, RawValue::Text(text)) if is_daily(text) => {
                Some(message!(
                    "To read the note of a day, use {read} with the `path` of the note. {daily:path} shows what such a path looks like."
                ))
            }
            (ValueProblem::NotOneCharacter, RawValue::Text(text))
                if in_brackets(text).is_some() =>
            {
                in_brackets(text).map(|mark| format!("Pass `{mark}`.").into())
            }
            (ValueProblem::WrongType { .. }, RawValue::List(items)) => {
                let one = items.first()?.as_str()?;
                Some(
                    format!(
                        "Pass one string instead of a list, such as `{}`.",
                        shown(one)
                    )
                    .into(),
                )
            }
            (ValueProblem::NotOneCharacter, RawValue::Text(text)) => {
                let flag = self
                    .flag(text)
                    .or_else(|| match text.to_lowercase().as_str() {
                        "open" | "incomplete" | "pending" | "not done" => self.flag("todo"),
                        "complete" | "completed" | "closed" | "finished" => self.flag("done"),
                        _ => None,
                    })?;
                Some(format!("Did you mean the flag `{}`?", flag.name).into())
            }
            _ => None,
        }
    }
}

/// Returns the search for the tasks of a folder or with a tag, and only those that are to do or done.
pub fn tasks_with(is_tag: bool, wanted: &str, (todo, done): (bool, bool)) -> Message {
    let operator = match (todo, done) {
        (true, false) => "task-todo",
        (false, true) => "task-done",
        _ => "task",
    };
    let query = if is_tag {
        format!("{operator}:\"#{}\"", wanted.trim_start_matches('#'))
    } else {
        format!("path:\"{wanted}\" {operator}:/./")
    };
    message!(
        "To list the tasks of a folder or with a tag, use {search:context} with {}.",
        Part::Params(json!({ "query": query }))
    )
}

/// Returns the search for the tasks that contain a text.
fn tasks_containing(text: Option<&str>) -> Message {
    let text = text.filter(|text| !text.contains('"')).unwrap_or("…");
    let is_word = !text.is_empty() && text.chars().all(char::is_alphanumeric);
    let query = if is_word {
        format!("task:{text}")
    } else {
        format!("task:\"{text}\"")
    };
    message!(
        "To find tasks by their text, use {search:context} with {}.",
        Part::Params(json!({ "query": query }))
    )
}

/// Whether a name is one for a part of a note, here or in other programs.
fn is_part(name: &str) -> bool {
    matches!(
        name,
        "heading" | "section" | "block" | "lines" | "line_range" | "view_range" | "range"
    )
}

/// Whether a text names the period of one day.
fn is_daily(text: &str) -> bool {
    matches!(text.to_lowercase().as_str(), "daily" | "day")
}

/// Returns the character of a task's box: `x` of `[x]`.
fn in_brackets(text: &str) -> Option<&str> {
    let mark = text
        .trim_start_matches("- ")
        .strip_prefix('[')?
        .strip_suffix(']')?;
    (mark.chars().count() == 1).then_some(mark)
}

/// Whether it is a day, or the name of a parameter for one.
fn is_day(name: &str) -> bool {
    matches!(name, "date" | "day") || name.parse::<jiff::civil::Date>().is_ok()
}

/// Returns a text of a request that is short enough for a message.
fn short_text<'given>(
    name: &str,
    given: &'given BTreeMap<String, RawValue>,
) -> Option<&'given str> {
    match given.get(name)? {
        RawValue::Text(text) if text.len() <= MAX_NAME_BYTES => Some(text.as_str()),
        _ => None,
    }
}

/// Suggests a call that writes into a section, for a call that named the section with the parameter `name`.
fn in_section(name: &str, given: &BTreeMap<String, RawValue>) -> Message {
    let heading = short_text(name, given).unwrap_or("…");
    // The text of a note is in no message (`threats.toml` F12).
    let edit = json!({ "heading": heading, "mode": "append", "content": "…" });
    let call = json!({ "path": short_text("path", given).unwrap_or(NO_PATH), "edits": [edit] });
    message!(
        "To write into a section of an existing note, use {note:edit} with {}.",
        Part::Params(call)
    )
}

/// Returns the path of a note close to a name with a folder in it, without characters that file names cannot contain.
fn path_instead(text: &str) -> String {
    let path = name_instead(text);
    let name = path.rsplit('/').next().unwrap_or_default();
    let end = if name.contains('.') { "" } else { ".md" };
    format!("{path}{end}")
}
