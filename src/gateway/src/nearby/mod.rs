//! "Did you mean …?" for names in a vault (files, folders, tags, properties, templates) and for errors in queries. The
//! names are looked up as far as the caller may see them, so a closed name is never suggested (`threats.toml` D13).
//!
//! A name is similar by its spelling, its beginning, or the beginning of one of its words.

mod missing;
mod names;
mod properties;
pub(super) mod query_faults;

use std::collections::BTreeMap;

use cli_output::Shape;
use serde_json::{Value as Json, json};
use vault_answers::{AliasItem, List};
use vault_engine::{Args, VaultPath, is_binary_extension, shown};

use self::missing::{
    are_meant, foreign_operator, missing, near_query, no_such_extension, notes_not_there,
    operator_in_words,
};
pub(super) use self::missing::{missing_names, no_such_note};
pub use self::names::NameList;
use self::names::{name_of, names, names_by, near_names, near_paths, one_note};
use self::properties::{
    columns_without_values, items_left, missing_value, no_such_item, no_such_property,
};
use crate::target;
use crate::written_name;
use allowlist::{Call, NO_PATH, ParamKind, Placement, RawValue, Sentence, Target, nearest};
use backend::{PinnedVault, Produced, embedded};
use protocol::{Caller, Cause, Code, Failure, Issue, Message, Part, message};
use store::drafts::leaving;

/// The maximum number of names of one kind in a message.
const MOST_SUGGESTIONS: usize = 5;

/// Adds to a failure the names near the missing name.
pub(super) fn suggest(
    failure: Failure,
    call: &Call,
    seen: &PinnedVault,
    caller: Caller,
) -> Failure {
    // A caller without path rules may see every name.
    let is_person = caller == Caller::Person || !seen.is_limited();
    match failure.code {
        // The app only says that a query is wrong.
        Code::ValidationError if failure.cause() == Some(&Cause::InvalidQuery) => {
            let query = call.arguments.param("query");
            query.and_then(query_faults::explained).unwrap_or(failure)
        }
        Code::ValidationError => instead_of_note(failure, call),
        Code::FileNotFound | Code::FolderNotFound | Code::CliReportedError => {
            if let Some((next, near)) = left_in_draft(&failure, call, seen) {
                return failure.without_hints().hint(next).with("nearest", near);
            }
            let failure = missing_period(&failure, call).unwrap_or(failure);
            let (failure, meant) = written_name::explained(failure, call, seen);
            if written_name::is_found(&meant, call, seen) {
                return failure;
            }
            let near = near(&failure, &meant, seen, is_person);
            let writes_into_note = call.command.target == Target::Note
                && call.command.change.is_some()
                && call.command.param("content").is_some();
            let makes_base = call.command.placement() == Some(Placement::AppFolder);
            let create = match failure.code {
                Code::FileNotFound if makes_base => {
                    message!("To make a new base, use {create} with `path` and `content`.")
                }
                Code::FileNotFound if writes_into_note && near.is_empty() => {
                    message!("To make a new note, use {create} with `path` and `content`.")
                }
                _ => Message::default(),
            };
            let hint = are_meant(&near);
            let near = (!near.is_empty()).then_some(near);
            failure.hint(create).hint(hint).with("nearest", near)
        }
        _ => failure,
    }
}

/// Returns the failure that the note of a period does not exist yet, with the call that creates it.
fn missing_period(failure: &Failure, call: &Call) -> Option<Failure> {
    let path = failure.detail("target")?;
    let period = call.arguments.param("period")?;
    if call.effects().is_mutation() {
        return None;
    }
    let sent = ["period", "date"].into_iter();
    let sent = sent.filter_map(|name| Some((name, call.arguments.param(name)?)));
    let sent: Json = sent.collect();
    let what = format!(
        "The {period} note `{}` does not exist yet.",
        shown::row(path)
    );
    let failure = failure.clone().without_hints().say(what);
    Some(failure.hint(message!(
        "To create the note, use {periodic:append} with {} and `content`.",
        Part::Params(sent)
    )))
}

/// Returns the hint that the caller's own draft deletes or moves the missing file, with the new path of a moved file.
fn left_in_draft(
    failure: &Failure,
    call: &Call,
    seen: &PinnedVault,
) -> Option<(Message, Option<[String; 1]>)> {
    let target = failure.detail("target").or(call.arguments.param("path"))?;
    let path = VaultPath::file(target).ok()?;
    let overlay = seen.engine.overlay()?;
    if failure.code != Code::FileNotFound || !overlay.files.contains_key(&path) {
        return None;
    }
    // A deleted file has a new path too, in the trash.
    let moved = leaving(overlay).remove(&path);
    let moved = moved.filter(|to| !to.is_hidden() && seen.engine.is_there(to));
    Some(match moved {
        Some(to) => (
            message!("Your draft moves this file to `{}`. Pass that path.", to),
            Some([to.to_string()]),
        ),
        None => (
            message!(
                "Your draft deletes this file. To keep the file, use {draft:withdraw} with {}.",
                Part::Params(json!({ "path": path.as_str() }))
            ),
            None,
        ),
    })
}

/// Warns if a list is empty because the vault does not have the name that limits it, which the app does not report, and
/// suggests words near those of a search.
pub(super) fn warn_of_missing(produced: &mut Produced, call: &Call, seen: &PinnedVault) {
    let Ok(Some(answer)) = &produced.outcome else {
        return;
    };
    let columns = columns_without_values(answer, call).into_iter();
    let columns = columns.filter_map(|name| missing(&ParamKind::Property, &name, seen));
    let columns: Vec<Issue> = columns.collect();
    let is_empty = answer.is_empty();
    let unread = match notes_not_there(answer, seen).transpose() {
        Ok(unread) => unread,
        Err(failure) => {
            *produced = Produced {
                outcome: Err(failure),
                ..Produced::default()
            };
            return;
        }
    };
    let issues = columns.into_iter().chain(unread);
    let operators = operator_in_words(call);
    let foreign = foreign_operator(call, is_empty).filter(|_| operators.is_none());
    let is_foreign = foreign.is_some();
    produced
        .warnings
        .extend(issues.chain(operators).chain(foreign));
    if !is_empty {
        return;
    }
    let mut missing = missing_names(call, seen);
    if missing.is_empty() {
        let other = missing_value(call, seen).or_else(|| no_dates(call, seen));
        missing.extend(other.or_else(|| no_such_extension(call, seen)));
    }
    // Words near those of another syntax would not help.
    if missing.is_empty() && !is_foreign {
        missing.extend(near_query(call, seen));
    }
    produced.warnings.extend(missing);
}

/// The warning that no note has the property by which `since` and `until` select.
fn no_dates(call: &Call, seen: &PinnedVault) -> Option<Issue> {
    const DATE: &str = "date";
    let order = call.arguments.param("order");
    let is_by_date = call.command.is_ours()
        && order.is_none_or(|order| order.starts_with(DATE) || order == "rank");
    let mut bounds = ["since", "until"].into_iter();
    let (bound, value) = bounds.find_map(|bound| Some((bound, call.arguments.param(bound)?)))?;
    // A span such as `7d` without an order is also about the time of the files (`design/tasks.md`).
    let has_time_of_files = call.command.param("order").is_some_and(|order| {
        matches!(&order.kind, ParamKind::Choice(choices) if choices.iter().any(|choice| choice == "modified"))
    });
    let span = value.strip_suffix(['h', 'd', 'w']);
    let is_span = order.is_none() && span.is_some_and(|count| count.parse::<u32>().is_ok());
    let is_date = |name: &String| name.eq_ignore_ascii_case(DATE);
    if !is_by_date || has_time_of_files && is_span || names(seen, "properties").iter().any(is_date)
    {
        return None;
    }
    let message = if has_time_of_files {
        format!(
            "No note has the property `{DATE}`, so `{bound}` finds only daily notes, by their \
            day."
        )
        .into()
    } else {
        message!(
            "`{}` uses the property `{}`, but no note has this property. To list daily notes by \
            their day, and other notes by their last change, use {notes:list} with `since`.",
            bound,
            DATE
        )
    };
    Some(Issue::new("NO_SUCH_PROPERTY", message))
}

/// Warns if a change did nothing because its subject has another name.
pub(super) fn warn_of_unknown(produced: &mut Produced, call: &Call, seen: &PinnedVault) {
    if call.command.moves_a_file() {
        let from = call.paths().into_iter().find(|(name, _)| *name == "path");
        let there = from.map(|(_, path)| {
            let message = format!("The file is already at `{path}`. Nothing was changed.");
            Issue::new("ALREADY_THERE", message).with_path(path.as_str())
        });
        produced.warnings.extend(there);
        return;
    }
    let mut params = call.command.params.iter();
    let property = params.find(|param| param.kind == ParamKind::Property);
    let property = property.and_then(|param| call.arguments.param(&param.name));
    let items = items_left(produced);
    let warning = call.command.params.iter().find_map(|param| {
        let value = call.arguments.param(&param.name)?;
        match (&param.kind, property) {
            (ParamKind::Property, _) => {
                let of_the_note = names_by(seen, "properties", &one_note(call));
                let is_there = of_the_note.iter().any(|name| name == value);
                (!is_there).then(|| no_such_property(value, &of_the_note))
            }
            (ParamKind::Scalar, Some(name)) => no_such_item(value, name, items.as_deref()?),
            (kind, _) => missing(kind, value, seen),
        }
    });
    produced.warnings.extend(warning);
}

/// Returns names similar to the missing name.
fn near(failure: &Failure, call: &Call, seen: &PinnedVault, is_person: bool) -> Vec<String> {
    let (word, list) = match (failure.code, failure.detail("name")) {
        (Code::FolderNotFound, _) => (failure.detail("target"), "folders"),
        // A template is named by its name.
        (Code::FileNotFound, Some(name)) => (Some(name_of(name, ".md")), "templates"),
        (Code::FileNotFound, None) => {
            return near_files(failure.detail("target"), call, seen, is_person);
        }
        (_, name) => {
            // Tags and properties are read from the index, whose state an agent can ask for (`vault:index`): what it was
            // refused must not change that.
            let list = match call.command.id.split(':').next() {
                Some("tag") if is_person => "tags",
                Some("property") if is_person => "properties",
                Some("template") => "templates",
                _ => return Vec::new(),
            };
            (name.or(call.arguments.param("name")), list)
        }
    };
    let word = word.unwrap_or_default().trim_matches('/');
    let near_in = |known: &[String]| {
        // A tag is named with or without its mark.
        let plain = known.iter().map(|name| name.trim_start_matches('#'));
        let mut near = nearest(word.trim_start_matches('#'), plain);
        near.retain(|near| near != word);
        near
    };
    let mut of_the_note = Vec::new();
    if list == "properties" {
        of_the_note = names_by(seen, list, &one_note(call));
    }
    // Another note may well have a property of exactly this name.
    let mut near = near_in(&of_the_note);
    if near.is_empty() {
        near = near_in(&names(seen, list));
    }
    if near.is_empty() {
        near = of_the_note;
        near.truncate(MOST_SUGGESTIONS);
    }
    near
}

/// Returns the files with a name or a path similar to the missing file, which has this path. A person also gets notes
/// with a similar alias.
fn near_files(
    target: Option<&str>,
    call: &Call,
    seen: &PinnedVault,
    is_person: bool,
) -> Vec<String> {
    let (file, path) = (call.arguments.param("file"), call.arguments.param("path"));
    // In some commands `file` is a path, and a name would be refused again.
    let param = call.command.param("file");
    let is_path = param.is_some_and(|param| param.kind == ParamKind::Path);
    let name = file.filter(|_| !is_path);
    let path = target.or(path).or(file);
    let Some(wanted) = name.or(path) else {
        return Vec::new();
    };
    let mut files = names(seen, "files");
    let mut extension = ".md";
    if let Some(own) = target::own_extension(call) {
        extension = own;
        files.retain(|file| file.ends_with(extension));
    }
    let near = match name {
        Some(name) => near_names(name, &files, extension),
        None => near_paths(wanted, &files, extension),
    };
    if !near.is_empty() || !is_person {
        return near;
    }
    let paths = with_alias(name_of(wanted, ".md"), seen);
    if name.is_none() {
        return paths;
    }
    let names = paths.iter().map(|path| name_of(path, ".md").to_owned());
    names.collect()
}

/// Returns the paths of the notes with an alias that resembles the name.
fn with_alias(name: &str, seen: &PinnedVault) -> Vec<String> {
    let of_notes = Args::default().with_flag("verbose");
    let list = embedded::ask(seen, "aliases", &of_notes)
        .ok()
        .and_then(|answer| answer.downcast().ok());
    let list: List<AliasItem> = list.unwrap_or_default();
    let near = nearest(name, list.items.iter().map(|item| item.alias.as_str()));
    let bearers = list.items.iter().filter(|item| near.contains(&item.alias));
    let paths = bearers.flat_map(|item| item.paths.iter().flatten());
    paths.take(MOST_SUGGESTIONS).cloned().collect()
}

/// Adds a hint for a folder that was named as a note (the command that lists its notes, or that moves it), or for
/// another text file (the commands that replace and read it).
fn instead_of_note(failure: Failure, call: &Call) -> Failure {
    match failure.cause() {
        Some(Cause::NotAFile) if call.command.confirmations().contains(&Sentence::Deleted) => {
            let folder = json!({ "folder": call.arguments.param("path") });
            failure.without_hints().hint(message!(
                "No command deletes a folder. Delete its files one by one. To list them, use {files} with {}.",
                Part::Params(folder)
            ))
            .hint(message!("To move the folder, use {folder:move}."))
        }
        Some(Cause::NotAFile) if call.command.moves_a_file() => {
            let given = |name| call.arguments.param(name);
            let to = given("to").or_else(|| given("name")).unwrap_or(NO_PATH);
            let sent = json!({ "path": given("path"), "to": to });
            let hint = message!(
                "To move or rename a folder, use {folder:move} with {}.",
                Part::Params(sent)
            );
            failure.hint(hint)
        }
        Some(Cause::NotMarkdown) => {
            let given = |name| call.arguments.param(name);
            let file = given("path").or_else(|| given("file")).unwrap_or_default();
            let is_change = call.effects().is_mutation();
            let extension = file.rsplit_once('.').map_or("", |(_, end)| end);
            let other_change = match is_binary_extension(extension) {
                _ if !is_change => Message::default(),
                false => message!(
                    "To replace the whole text of a file that is not a note, use {create} with `path` and `overwrite`."
                ),
                true => message!(
                    "An image or another binary file cannot be changed. To add a new one, use {attachment:add}."
                ),
            };
            failure.hint(other_change).hint(match extension {
                "canvas" => message!(
                    "`{}` is a canvas. To read it, use {canvas:read}.",
                    shown::row(file)
                ),
                "base" if !is_change => {
                    message!("To list the rows of a base, use {base:query}.")
                }
                _ => Message::default(),
            })
        }
        Some(Cause::NotAFile) => {
            let hint = failure
                .detail("target")
                .map(|folder| match call.command.output {
                    Shape::Tasks => tasks_in(folder, call),
                    _ => missing::notes_in(&shown::row(folder)),
                });
            failure.hint(hint.unwrap_or_default())
        }
        _ => failure,
    }
}

/// Returns the hint if a folder was named instead of a note whose tasks are listed.
fn tasks_in(folder: &str, call: &Call) -> Message {
    let flags = call.arguments.flags.iter();
    let mut given: BTreeMap<String, RawValue> = flags
        .map(|flag| (flag.clone(), RawValue::Bool(true)))
        .collect();
    given.insert("folder".to_owned(), RawValue::Text(folder.to_owned()));
    let instead = call.command.instead_of_name("folder", &given);
    instead.map(|(_, hint)| hint).unwrap_or_default()
}
