//! Suggests what to send instead of a parameter, a value or a tool that a command does not take: other programs and
//! Obsidian's own skill teach them, and another command here does the same. The rows are in `config/instead.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use cli_output::Shape;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::admit::{MAX_NAME_BYTES, NO_PATH, shown};
use super::change_rules::Placement;
use super::command::{Command, ParamKind, Target};
use super::date_form::is_day;
use super::entry::optional_shape;
use super::raw_value::RawValue;
use super::value::{ValueProblem, name_instead};
use protocol::{Message, Part, Shell, for_person, for_program, message};

/// Reason why a command does not take a parameter, and a hint to a call that does.
pub(crate) type Instead = (Message, Message);

const ROWS: &str = include_str!("../../../config/instead.toml");

/// The names of parts of a note, here and in other programs.
const PARTS: &str = "heading section block lines line_range view_range range";

/// The rows, parsed when a call fails.
#[expect(clippy::expect_used, reason = "a test reads the file")]
pub(super) static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(ROWS).expect("a test reads the file"));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    argument: Vec<Argument>,
    pub(super) tool: Vec<Tool>,
    pub(super) words: Words,
}

/// Names of arguments that some commands do not take, and what to send to them instead.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Argument {
    names: Vec<String>,
    days: bool,
    word: bool,
    commands: Vec<String>,
    target: Vec<Target>,
    #[serde(deserialize_with = "optional_shape")]
    output: Option<Shape>,
    change: Option<bool>,
    places: Option<Placement>,
    takes: Vec<String>,
    one_note: bool,
    what: String,
    hint: String,
    /// The JSON text of a call.
    call: String,
}

/// Names of tools that mean the same, and the advice for them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tool {
    pub(super) names: Vec<String>,
    pub(super) hint: String,
}

/// The words in the names of tools.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    pub(super) fillers: BTreeSet<String>,
    pub(super) ours: BTreeMap<String, String>,
    pub(super) shell: BTreeMap<String, String>,
}

impl Argument {
    fn fits(&self, name: &str, command: &Command) -> bool {
        let has = |list: &[String], name: &str| list.iter().any(|known| known == name);
        (has(&self.names, name) || self.days && is_day(name))
            && (self.commands.is_empty() || has(&self.commands, &command.id))
            && (self.target.is_empty() || self.target.contains(&command.target))
            && self.output.is_none_or(|output| output == command.output)
            && self
                .change
                .is_none_or(|change| change == command.change.is_some())
            && (self.places.is_none() || self.places == command.placement())
            && self.takes.iter().all(|name| command.param(name).is_some())
            && (!self.one_note || command.is_about_one_note())
    }

    fn instead(
        &'static self,
        command: &Command,
        (name, arguments): (&str, &BTreeMap<String, RawValue>),
    ) -> Instead {
        let given = Given { name, arguments };
        let call = serde_json::from_str(&self.call).unwrap_or_default();
        let call = Part::Params(given.fill(call)).into();
        (
            Message::new(&self.what, [command.subject().into()]),
            Message::new(&self.hint, [call]),
        )
    }
}

/// The arguments of a failed call, and the name of the one that the command does not take.
#[derive(Clone, Copy)]
struct Given<'a> {
    name: &'a str,
    arguments: &'a BTreeMap<String, RawValue>,
}

impl Given<'_> {
    /// Returns a call with the values of the failed call in place of `$` and `$name`.
    fn fill(self, call: Json) -> Json {
        match call {
            Json::String(text) => self.filled(&text).into(),
            Json::Array(items) => items.into_iter().map(|item| self.fill(item)).collect(),
            Json::Object(fields) => {
                let fields = fields.into_iter();
                fields.map(|(key, value)| (key, self.fill(value))).collect()
            }
            other => other,
        }
    }

    fn filled(self, text: &str) -> String {
        let mut parts = text.split('$');
        let mut filled = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let end = part.find(|letter: char| !letter.is_ascii_lowercase());
            let (name, rest) = part.split_at(end.unwrap_or(part.len()));
            let value = self.value(name);
            // In a query, a quotation mark would end the text.
            let value = value.filter(|value| rest.is_empty() || !value.contains('"'));
            let mut value = value.as_deref().unwrap_or(NO_PATH);
            if filled.ends_with('#') {
                value = value.trim_start_matches('#');
            }
            filled = filled + value + rest;
        }
        filled
    }

    fn value(self, placeholder: &str) -> Option<String> {
        let text = |name: &str| short_text(name, self.arguments);
        let value = match placeholder {
            "" => text(self.name)?,
            "key" => first_key(self.arguments.get(self.name)?)?,
            "task" => {
                let switch = |flag: &str| self.arguments.get(flag)?.as_switch();
                match ["todo", "done"].map(|flag| switch(flag) == Some(true)) {
                    [true, false] => "task-todo",
                    [false, true] => "task-done",
                    _ => "task",
                }
            }
            "note" => {
                let folder = text(self.name).unwrap_or(NO_PATH).trim_matches('/');
                let note = text("name").unwrap_or("New note");
                return Some(path_instead(&format!("{folder}/{note}")));
            }
            name => text(name)?,
        };
        Some(value.to_owned())
    }
}

/// Returns the first key of an object, which contains the names of properties with their values.
fn first_key(value: &RawValue) -> Option<&str> {
    match value {
        RawValue::Object(keys) => keys.keys().next().map(String::as_str),
        _ => None,
    }
}

impl Command {
    /// Returns the `notes` of `notes:read` for a part of a note that this command does not read.
    pub(super) fn as_part(parts: &[&str], given: &BTreeMap<String, RawValue>) -> Option<Message> {
        let part = parts
            .iter()
            .find(|part| PARTS.split(' ').any(|name| name == **part))?;
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
    pub fn instead_of(&self, word: &str) -> Option<Instead> {
        let word = word.trim_start_matches('-');
        // Most words are values, for which the rows need not be parsed.
        if !ROWS.contains(&format!("\"{word}\"")) {
            return None;
        }
        let mut words = TABLE.argument.iter().filter(|row| row.word);
        let row = words.find(|row| row.fits(word, self))?;
        Some(row.instead(self, (word, &BTreeMap::new())))
    }

    /// Whether the command reads one note.
    pub(super) fn is_about_one_note(&self) -> bool {
        self.change.is_none() && self.target == Target::Note && self.output != Shape::BaseRows
    }

    /// Returns the replacement like [`Self::instead_of`], for a parameter name with which other programs do what
    /// another command does here. Such a word may also be a value.
    pub fn instead_of_name(
        &self,
        name: &str,
        given: &BTreeMap<String, RawValue>,
    ) -> Option<Instead> {
        let word = name.trim_start_matches('-');
        let mut rows = TABLE.argument.iter();
        if let Some(row) = rows.find(|row| row.fits(word, self)) {
            return Some(row.instead(self, (name, given)));
        }
        let is_note = ["path", "file"].contains(&name);
        let active = self.instead_of_active_file(|name| short_text(name, given));
        match active.filter(|_| is_note) {
            Some(hint) => {
                let what = format!(
                    "`{}` writes into the file that is active in the app.",
                    self.id
                );
                Some((what.into(), hint))
            }
            None => self.instead_of_property(name, given),
        }
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
        let name = given.get(name).and_then(first_key).unwrap_or(name);
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
        let line: Vec<String> = std::iter::once(self.id.clone()).chain(words).collect();
        let line = line.join(" ");
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

    /// Returns the calls that use the template without the app, if the command inserts one into the file that is active
    /// in the app.
    pub fn instead_of_active_file<'given>(
        &self,
        given: impl Fn(&str) -> Option<&'given str>,
    ) -> Option<Message> {
        let mut params = self
            .params
            .iter()
            .filter(|_| self.target == Target::ActiveFile);
        let template = params.find(|param| param.kind == ParamKind::Template)?;
        let path = given("path").unwrap_or(NO_PATH);
        let call = json!({ "path": path, "template": given(&template.name).unwrap_or("…") });
        Some(message!(
            "To make a new note from a template, use {create} with {}. To add a template to an existing note, first read the template with {template:read} and the flag `resolve`. Then add the text with {append}.",
            Part::Params(call)
        ))
    }

    /// Suggests another command or parameter that accepts a value which this one does not.
    pub(super) fn instead_of_value(
        &self,
        problem: &ValueProblem,
        raw: &RawValue,
    ) -> Option<Message> {
        match (problem, raw) {
            (ValueProblem::Folder, RawValue::Text(text)) if self.placement().is_some() => {
                let folder = shown(text.trim_end_matches('/'));
                Some(message!(
                    "Add the name of the file to the path, as in `{}/New note.md`.",
                    folder
                ))
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
                    _ => message!(
                        "Pass the folder and the name together as `path`, for example `{}`.",
                        path
                    ),
                })
            }
            (ValueProblem::NotAChoice { .. }, RawValue::Text(text))
                if ["daily", "day"].contains(&text.to_lowercase().as_str()) =>
            {
                Some(message!(
                    "To read the note of a day, use {read} with the `path` of the note. {daily:path} shows the path of today's note; other days have paths of the same form."
                ))
            }
            (ValueProblem::WrongType { .. }, RawValue::List(items)) => {
                let one = items.first()?.as_str()?;
                Some(message!(
                    "Pass a string, not a list, for example `{}`.",
                    shown(one)
                ))
            }
            (ValueProblem::NotOneCharacter, RawValue::Text(text)) => {
                if let Some(mark) = in_brackets(text) {
                    return Some(format!("Pass `{mark}`.").into());
                }
                let flag = self
                    .flag(text)
                    .or_else(|| match text.to_lowercase().as_str() {
                        "open" | "incomplete" | "pending" | "not done" => self.flag("todo"),
                        "complete" | "completed" | "closed" | "finished" => self.flag("done"),
                        _ => None,
                    })?;
                Some(message!("Did you mean the flag `{}`?", flag.name))
            }
            _ => None,
        }
    }
}

/// Returns the character of a task's box: `x` of `[x]`.
fn in_brackets(text: &str) -> Option<&str> {
    let mark = text
        .trim_start_matches("- ")
        .strip_prefix('[')?
        .strip_suffix(']')?;
    (mark.chars().count() == 1).then_some(mark)
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

/// Returns the path of a note close to a name with a folder in it, without characters that file names cannot contain.
fn path_instead(text: &str) -> String {
    let path = name_instead(text);
    let name = path.rsplit('/').next().unwrap_or_default();
    let end = if name.contains('.') { "" } else { ".md" };
    format!("{path}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalogue;

    /// Every command, parameter and placeholder in the rows exists, and each row is the first for a command.
    #[test]
    fn every_row_names_what_exists() {
        toml::from_str::<Table>(ROWS).unwrap();
        let commands = || Catalogue::builtin().unwrap().commands();
        let is_param = |name: &str| commands().any(|command| command.param(name).is_some());
        // These are not commands of a vault.
        let is_known = |id: &str| {
            ["undo", "draft:status", "draft:withdraw"].contains(&id)
                || Catalogue::find_builtin(id).is_ok()
        };
        for row in &TABLE.argument {
            let name = row.names.last().unwrap();
            let first = |command| TABLE.argument.iter().find(|row| row.fits(name, command));
            let is_reached = |command| first(command).is_some_and(|found| std::ptr::eq(found, row));
            assert!(
                commands().any(|command| is_reached(command)),
                "{}",
                row.what
            );
            assert!(row.commands.iter().all(|id| is_known(id)), "{}", row.what);
            assert!(row.takes.iter().all(|name| is_param(name)), "{}", row.what);
            let hint = Message::new(&row.hint, []);
            assert!(hint.has_open_commands(&is_known), "{}", row.hint);
            assert_eq!(
                row.call.is_empty(),
                !row.hint.contains("{}"),
                "{}",
                row.hint
            );
            for part in row.call.split('$').skip(1) {
                let end = part
                    .find(|letter: char| !letter.is_ascii_lowercase())
                    .unwrap();
                let name = &part[..end];
                let is_own = ["", "key", "task", "note"].contains(&name);
                assert!(is_own || is_param(name), "{}", row.call);
            }
            if let Some(call) = Some(&row.call).filter(|call| !call.is_empty()) {
                let call: Json = serde_json::from_str(call).unwrap();
                let params = call
                    .as_object()
                    .into_iter()
                    .flat_map(|fields| fields.keys());
                for param in params {
                    assert!(is_param(param), "{param}: {call}");
                }
            }
        }
        for row in &TABLE.tool {
            let hint = Message::new(&row.hint, []);
            assert!(hint.has_open_commands(&is_known), "{}", row.hint);
        }
        for line in TABLE.words.shell.values() {
            assert!(is_known(line.split(' ').next().unwrap()), "{line}");
        }
    }
}
