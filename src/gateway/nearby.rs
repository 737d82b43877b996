//! "Did you mean …?" for what a vault holds: files, folders, tags, properties, templates; and where a
//! query is wrong. Looked up in the vault as far as the caller may see it, so a closed name is never
//! suggested (`faults.md` D13).

use cli_output::{Answer, Arguments, shown};
use jiff::Zoned;
use serde_json::json;
use vault_engine::VaultPath;
use vault_engine::search::Query;

use super::{Gateway, query_faults, target, written_name};
use crate::allowlist::{
    Call, ListKind, Param, ParamKind, Value, either, nearest, nearest_question,
};
use crate::backend::{Payload, PinnedVault, Produced, embedded};
use crate::caller::Caller;
use crate::code::Code;
use crate::failure::Failure;
use crate::issue::Issue;

/// A list of names that a vault holds, for completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NameList {
    /// The paths of all files.
    Files,
    /// Names of notes, without folder and extension.
    Notes,
    /// The paths of all folders.
    Folders,
    /// Tags with their mark.
    Tags,
    /// The names of all properties.
    Properties,
    /// The names of all templates.
    Templates,
    /// Headings of the note that this parameter with this value means.
    Headings((String, String)),
}

impl Gateway {
    /// The names of a list as they were last indexed, without a look at the notes: much faster in a large
    /// vault. None of lists that are not indexed, without an index, and for a caller who may not see
    /// all of the vault.
    pub(crate) fn kept_names(&self, list: &NameList) -> Option<Vec<String>> {
        if !matches!(list, NameList::Tags | NameList::Properties) {
            return None;
        }
        let vault = self.open_vault().ok()?;
        let seen = vault.limited_to(self.sight.as_ref());
        match list {
            NameList::Tags => seen.engine.kept_tags(),
            _ => seen.engine.kept_property_names(),
        }
    }

    /// The names of a list, as far as this caller may see them. Empty where the vault cannot be read:
    /// completion has nobody to tell.
    pub(crate) fn names(&self, list: &NameList) -> Vec<String> {
        let Ok(vault) = self.open_vault() else {
            return Vec::new();
        };
        let seen = vault.limited_to(self.sight.as_ref());
        let now = self.now();
        match list {
            // In the order of their bytes: to sort thousands of names by the rules of a language takes
            // longer than to list them.
            NameList::Files => files(&seen).iter().map(ToString::to_string).collect(),
            NameList::Notes => {
                let files = files(&seen);
                let notes = files.iter().filter(|path| path.is_note());
                notes.map(|path| path.basename().to_owned()).collect()
            }
            NameList::Folders => {
                let mut folders = names(&seen, "folders", &now);
                folders.retain(|folder| folder != "/");
                folders
            }
            NameList::Tags => names(&seen, "tags", &now),
            NameList::Properties => names(&seen, "properties", &now),
            NameList::Templates => names(&seen, "templates", &now),
            NameList::Headings((name, value)) => {
                let arguments = Arguments {
                    params: [(name.clone(), value.clone())].into_iter().collect(),
                    ..Arguments::default()
                };
                names_by(&seen, "outline", &arguments, &now)
            }
        }
    }
}

fn files(seen: &PinnedVault) -> Vec<VaultPath> {
    // Without the list nothing is offered: completion has nobody to tell.
    let root = VaultPath::root();
    let contents = seen.engine.names_below(&root, root.as_str());
    let files = contents.map_or_else(|_| Vec::new(), |contents| contents.files);
    files.into_iter().map(|file| file.path).collect()
}

/// Adds to a failure the names near the one that is not there.
pub(super) fn suggest(
    failure: Failure,
    call: &Call,
    seen: &PinnedVault,
    (now, caller): (&Zoned, Caller),
) -> Failure {
    // What a caller without path rules is told reveals nothing.
    let is_person = caller == Caller::Person || !seen.is_limited();
    match failure.code {
        Code::ValidationError => instead_of_note(explain_query(failure, call), call),
        Code::FolderNotFound
            if call.command.moves_a_file() && !failure.details.contains_key("target") =>
        {
            with_new_name(failure, call, seen, now)
        }
        Code::FileNotFound | Code::FolderNotFound | Code::CliReportedError => {
            let (failure, meant) = written_name::explained(failure, call);
            if written_name::is_found(&meant, call, seen) {
                return failure;
            }
            let near = near(&failure, &meant, seen, now, is_person);
            with_names(failure, near)
        }
        _ => failure,
    }
}

/// Warns where a list is empty because the vault has nothing of the name that it was limited to, which the
/// app does not tell, and of words that are near those of a search.
pub(super) fn warn_of_missing(
    produced: &mut Produced,
    call: &Call,
    seen: &PinnedVault,
    now: &Zoned,
) {
    let Ok(Payload::Answer(answer)) = &produced.outcome else {
        return;
    };
    let without_values = columns_without_values(answer, call);
    let columns = without_values.iter().filter_map(|name| {
        // The property of a column is one like that of a filter.
        missing("property", &ParamKind::Identifier, name, seen, now)
    });
    let columns: Vec<Issue> = columns.collect();
    let is_empty = answer.is_empty();
    let unread = notes_not_there(answer, call, seen, now);
    produced.warnings.extend(columns.into_iter().chain(unread));
    if !is_empty {
        return;
    }
    let arguments = call.as_cli_arguments();
    let mut missing = missing_names(call, seen, now);
    missing.extend(missing_value(&arguments, seen, now).filter(|_| missing.is_empty()));
    if missing.is_empty() {
        missing.extend(near_query(call, seen, now));
    }
    produced.warnings.extend(missing);
}

/// The folders, tags and properties that a call is limited to and that are not there.
pub(super) fn missing_names(call: &Call, seen: &PinnedVault, now: &Zoned) -> Vec<Issue> {
    let arguments = call.as_cli_arguments();
    let params = call.command.params.iter();
    params
        .filter_map(|param| {
            let value = arguments.params.get(&param.name)?;
            missing(&param.name, &param.kind, value, seen, now)
        })
        .collect()
}

/// What is like the words of a query that found nothing, and like the tags and properties that it asks for.
fn near_query(call: &Call, seen: &PinnedVault, now: &Zoned) -> Vec<Issue> {
    let Some(query) = call.arguments.values.get("query").map(Value::to_text) else {
        return Vec::new();
    };
    let parsed = Query::parse(&query, false).ok();
    let asked = parsed.iter().flat_map(Query::asked_names);
    let asked: Vec<(&str, &str)> = asked.collect();
    let mut told: Vec<Issue> = asked
        .iter()
        .filter_map(|(what, name)| missing(what, &ParamKind::Identifier, name, seen, now))
        .collect();
    // A search by words has parameters for them.
    let by_param = asked
        .iter()
        .find(|(what, _)| call.command.param(what).is_some());
    if let Some((what, name)) = by_param {
        let name = shown::row(name.trim_start_matches('#'));
        let message =
            format!("`query` takes words, no operators: send `{what}` `{name}` beside it.");
        told.push(Issue::new("NEAR_WORDS", message));
    }
    // An operator such as `tag:` looks for no word.
    if !query.contains(':') {
        let near = vault_engine::near_words(&seen.engine, &query).unwrap_or_default();
        told.extend(nearest_question(&near).map(|question| {
            let told = format!("Words of the query are in no note. {question}");
            Issue::new("NEAR_WORDS", told).with("nearest", near)
        }));
    }
    told
}

/// The most names of one kind in a message.
const MOST_TOLD: usize = 5;

/// The warning about notes of a list that could not be read as they are not there.
fn notes_not_there(answer: &Answer, call: &Call, seen: &PinnedVault, now: &Zoned) -> Option<Issue> {
    let is_list = |param: &Param| param.kind == ParamKind::List(ListKind::Notes);
    if !call.command.params.iter().any(is_list) {
        return None;
    }
    let data = json!(answer);
    let items = data["items"].as_array()?.iter();
    let missing = items.filter(|item| item["error"]["code"] == Code::FileNotFound.name());
    let told = missing.filter_map(|item| item["path"].as_str());
    let told: Vec<String> = told
        .take(MOST_TOLD)
        .map(|path| no_such_note(path, ListKind::Notes, seen, now))
        .collect();
    (!told.is_empty()).then(|| Issue::new("NO_SUCH_NOTE", told.join(" ")))
}

/// The warning about a value that no note has of a property, with those that are there.
fn missing_value(arguments: &Arguments, seen: &PinnedVault, now: &Zoned) -> Option<Issue> {
    let (name, wanted) = (
        arguments.params.get("property")?,
        arguments.params.get("value")?,
    );
    let mut listed = Arguments::default();
    for (key, value) in [
        ("property", name.clone()),
        ("properties", json!([name]).to_string()),
        ("limit", "1000".to_owned()),
    ] {
        listed.params.insert(key.to_owned(), value);
    }
    let data = json!(embedded::ask(seen, "notes:list", &listed, now).ok()?);
    let mut known: Vec<String> = Vec::new();
    for item in data["items"].as_array()? {
        let value = &item["properties"][name];
        for value in value
            .as_array()
            .map_or(std::slice::from_ref(value), Vec::as_slice)
        {
            let text = as_text(value);
            if !value.is_null() && !known.contains(&text) {
                known.push(text);
            }
        }
    }
    if known.contains(wanted) || known.is_empty() {
        return None;
    }
    let near = nearest(wanted, known.iter().map(String::as_str));
    let near = if near.is_empty() { &known } else { &near };
    let near: Vec<String> = near
        .iter()
        .take(MOST_TOLD)
        .map(|text| shown::row(text).into_owned())
        .collect();
    let told = format!(
        "No note has the value `{}` of `{}`. Did you mean {}?",
        shown::row(wanted),
        shown::row(name),
        either(&near)
    );
    Some(Issue::new("NO_SUCH_VALUE", told))
}

/// That a base has no view of the name that a call asks for.
pub(super) fn no_such_view(
    call: &Call,
    base: &VaultPath,
    seen: &PinnedVault,
    now: &Zoned,
) -> Option<String> {
    let arguments = call.as_cli_arguments();
    let view = arguments.params.get("view")?;
    let of_base = Arguments {
        params: [("path".to_owned(), base.to_string())]
            .into_iter()
            .collect(),
        ..Arguments::default()
    };
    let Answer::BaseViews(views) = embedded::ask(seen, "base:views", &of_base, now).ok()? else {
        return None;
    };
    let names: Vec<&str> = views.items.iter().map(|view| view.name.as_str()).collect();
    if names.is_empty() || names.contains(&view.as_str()) {
        return None;
    }
    let mut near = nearest(view, names.iter().copied());
    if near.is_empty() {
        near = names
            .iter()
            .take(MOST_TOLD)
            .map(|name| (*name).to_owned())
            .collect();
    }
    let view = shown::row(view);
    Some(format!(
        "`{base}` has no view `{view}`. Did you mean {}?",
        either(&near)
    ))
}

/// The properties that a list was asked for and of which none of its notes has a value.
fn columns_without_values(answer: &Answer, call: &Call) -> Vec<String> {
    let is_columns = |name: &String| {
        let param = call.command.param(name);
        param.is_some_and(|param| param.kind == ParamKind::List(ListKind::Names))
    };
    let mut asked = call.arguments.values.iter();
    let Some((name, Value::List(columns))) = asked.find(|(name, _)| is_columns(name)) else {
        return Vec::new();
    };
    let data = json!(answer);
    let items = data.get("items").and_then(|items| items.as_array());
    let has_value = |column: &str| {
        let mut items = items.into_iter().flatten();
        items.any(|item| {
            item.get(name)
                .is_some_and(|values| !values[column].is_null())
        })
    };
    let columns = columns.iter().filter_map(|column| column.as_str());
    let without = columns.filter(|column| !has_value(column));
    without.map(str::to_owned).collect()
}

/// Warns where a change did nothing because what it was to change has another name.
pub(super) fn warn_of_unknown(
    produced: &mut Produced,
    call: &Call,
    seen: &PinnedVault,
    now: &Zoned,
) {
    let arguments = call.as_cli_arguments();
    if call.command.moves_a_file() {
        let from = call.paths().into_iter().find(|(name, _)| *name == "path");
        let there = from.map(|(_, path)| {
            let told = format!("`{path}` is there already, so nothing was changed.");
            Issue::new("ALREADY_THERE", told).at(path.as_str())
        });
        produced.warnings.extend(there);
        return;
    }
    let is_of_property = call.command.id.starts_with("property:");
    let items = items_left(produced);
    let warning = call.command.params.iter().find_map(|param| {
        let value = arguments.params.get(&param.name)?;
        if is_of_property && param.name == "name" {
            let of_the_note = names_by(seen, "properties", &one_note(&arguments), now);
            let is_there = of_the_note.contains(value);
            return (!is_there).then(|| no_such_property(value, &of_the_note));
        }
        if is_of_property && param.name == "value" {
            let name = arguments.params.get("name")?;
            return no_such_item(value, name, items.as_deref()?);
        }
        missing(&param.name, &param.kind, value, seen, now)
    });
    produced.warnings.extend(warning);
}

/// The items of a list property that a change answers with.
fn items_left(produced: &Produced) -> Option<Vec<String>> {
    let Ok(Payload::Answer(answer)) = &produced.outcome else {
        return None;
    };
    let data = json!(answer);
    let items = data.get("items")?.as_array()?.iter();
    Some(items.map(as_text).collect())
}

/// A value as a person would write it.
fn as_text(value: &serde_json::Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The warning that a list property has no such item, with those that are like it.
fn no_such_item(wanted: &str, property: &str, items: &[String]) -> Option<Issue> {
    if items.iter().any(|item| item == wanted) {
        return None;
    }
    let near = nearest(wanted, items.iter().map(String::as_str));
    let question = nearest_question(&near).map_or_else(String::new, |text| format!(" {text}"));
    let told = format!(
        "`{}` has no item `{}`.{question}",
        shown::row(property),
        shown::row(wanted)
    );
    let warning = Issue::new("NO_SUCH_VALUE", told);
    Some(if near.is_empty() {
        warning
    } else {
        warning.with("nearest", near)
    })
}

/// The warning that a note has no property of this name, with those that are like it or else those that it has.
fn no_such_property(wanted: &str, of_the_note: &[String]) -> Issue {
    let mut warning = Sought::PROPERTY.missing(wanted, of_the_note);
    if !warning.details.contains_key("nearest") && !of_the_note.is_empty() {
        let known = of_the_note.iter().take(MOST_TOLD);
        let known: Vec<String> = known
            .map(|name| format!("`{}`", shown::row(name)))
            .collect();
        warning.message += &format!(" The note has {}.", known.join(", "));
    }
    warning
}

/// A kind of thing that has a name in the vault.
struct Sought {
    warning: fn(String) -> Issue,
    what: &'static str,
    /// The command that lists them.
    list: &'static str,
}

impl Sought {
    const FOLDER: Self = Self {
        warning: |told| Issue::new("NO_SUCH_FOLDER", told),
        what: "folder",
        list: "folders",
    };
    const TAG: Self = Self {
        warning: |told| Issue::new("NO_SUCH_TAG", told),
        what: "tag",
        list: "tags",
    };
    const PROPERTY: Self = Self {
        warning: |told| Issue::new("NO_SUCH_PROPERTY", told),
        what: "property",
        list: "properties",
    };

    /// The warning that there is none of this name, with those that are like it.
    fn missing(&self, wanted: &str, known: &[String]) -> Issue {
        let near = nearest(wanted, known.iter().map(String::as_str));
        let question = nearest_question(&near).map_or_else(String::new, |text| format!(" {text}"));
        let what = self.what;
        let told = format!("There is no {what} `{}`.{question}", shown::row(wanted));
        let warning = (self.warning)(told);
        if near.is_empty() {
            return warning;
        }
        warning.with("nearest", near)
    }
}

/// That a note of a list of this kind is not there, with what to send instead of it.
pub(super) fn no_such_note(path: &str, kind: ListKind, seen: &PinnedVault, now: &Zoned) -> String {
    let folder = path.trim_matches('/');
    if names(seen, "folders", now)
        .iter()
        .any(|known| known == folder)
    {
        let folder = shown::row(folder);
        return format!(
            "`{folder}` is a folder, no note. The notes in it are listed by `notes:list` with `folder` `{folder}`."
        );
    }
    if let Some(item) = written_name::item_instead(path, kind, seen) {
        return format!("There is no note `{}`. Send `{item}`.", shown::row(path));
    }
    let near = near_paths(path, &names(seen, "files", now), ".md");
    let next =
        nearest_question(&near).unwrap_or_else(|| "Look it up with `notes:search`.".to_owned());
    format!("There is no note `{}`. {next}", shown::row(path))
}

/// The warning about a folder, tag or property that is not there and that a call names.
pub(super) fn missing(
    param: &str,
    kind: &ParamKind,
    value: &str,
    seen: &PinnedVault,
    now: &Zoned,
) -> Option<Issue> {
    let (sought, wanted) = match (kind, param) {
        (ParamKind::Folder, _) => (Sought::FOLDER, value.trim_matches('/')),
        (_, "tag") => (Sought::TAG, value.trim_start_matches('#')),
        (_, "property") => (Sought::PROPERTY, value),
        _ => return None,
    };
    let known: Vec<String> = names(seen, sought.list, now)
        .into_iter()
        .map(|name| name.trim_start_matches('#').to_owned())
        .collect();
    let folded = wanted.to_lowercase();
    let is_folder = matches!(kind, ParamKind::Folder);
    // A tag is there with one below it, and a folder in its own case alone.
    let is_it = |name: &String| {
        if is_folder {
            return name == wanted;
        }
        let name = name.to_lowercase();
        name == folded
            || name
                .strip_prefix(&folded)
                .is_some_and(|rest| rest.starts_with('/'))
    };
    // A vault without folders has none of this name either.
    if (known.is_empty() && !is_folder) || wanted.is_empty() || known.iter().any(is_it) {
        return None;
    }
    let file = VaultPath::file(wanted).ok().filter(|_| is_folder);
    if let Some(file) = file.filter(|file| seen.engine.is_there(file)) {
        let told = format!(
            "`{file}` is a file, no folder. Its folder is `{}`; `notes:read` reads a note.",
            file.parent()
        );
        return Some((sought.warning)(told));
    }
    Some(sought.missing(wanted, &known))
}

/// What is like the thing that was asked for and is not there.
fn near(
    failure: &Failure,
    call: &Call,
    seen: &PinnedVault,
    now: &Zoned,
    is_person: bool,
) -> Vec<String> {
    let arguments = call.as_cli_arguments();
    let detail = |name: &str| failure.details.get(name).and_then(|value| value.as_str());
    let param = |name: &str| arguments.params.get(name).map(String::as_str);
    let among = |word: &str, command: &str| {
        let names = names(seen, command, now);
        // A tag is named with or without its mark.
        let plain = names.iter().map(|name| name.trim_start_matches('#'));
        nearest(word.trim_start_matches('#'), plain)
    };
    match failure.code {
        Code::FolderNotFound => {
            let folder = detail("target").map(|folder| folder.trim_matches('/'));
            folder
                .map(|folder| among(folder, "folders"))
                .unwrap_or_default()
        }
        // A template is named by its name.
        Code::FileNotFound if detail("name").is_some() => {
            detail("name").map_or_else(Vec::new, |name| among(name, "templates"))
        }
        Code::FileNotFound => {
            let file = param("file");
            // Of some commands `file` is a path, and a name would be refused again.
            let is_path = call
                .command
                .param("file")
                .is_some_and(|param| param.kind == ParamKind::Path);
            let path = detail("target")
                .or(param("path"))
                .or(file.filter(|_| is_path));
            let mut files = names(seen, "files", now);
            let mut extension = ".md";
            if target::is_of_bases(call) {
                extension = ".base";
                files.retain(|file| file.ends_with(extension));
            }
            match (file.filter(|_| !is_path), path) {
                (Some(name), _) => near_names(name, &files, extension),
                (None, Some(path)) => near_paths(path, &files, extension),
                (None, None) => Vec::new(),
            }
        }
        _ => {
            let family = call.command.id.split(':').next().unwrap_or_default();
            let name = detail("name").or(param("name"));
            let Some(name) = name else {
                return Vec::new();
            };
            if family == "property" && is_person {
                // Another note may well have a property of exactly this name.
                let of_the_note = names_by(seen, "properties", &one_note(&arguments), now);
                let near = nearest(name, of_the_note.iter().map(String::as_str));
                if !near.is_empty() {
                    return near;
                }
            }
            let command = match family {
                // These read the index, whose state an agent can ask for (`vault:index`): what it was
                // refused must not change that.
                "tag" if is_person => "tags",
                "property" if is_person => "properties",
                "template" => "templates",
                _ => return Vec::new(),
            };
            let mut near = among(name, command);
            near.retain(|near| near != name);
            near
        }
    }
}

/// The note that a call names, and nothing else of its arguments.
fn one_note(arguments: &Arguments) -> Arguments {
    let mut named = Arguments::default();
    for name in ["file", "path"] {
        if let Some(value) = arguments.params.get(name) {
            named.params.insert(name.to_owned(), value.clone());
        }
    }
    named
}

/// The names of what a list of the vault holds.
fn names(seen: &PinnedVault, command: &str, now: &Zoned) -> Vec<String> {
    names_by(seen, command, &Arguments::default(), now)
}

fn names_by(seen: &PinnedVault, command: &str, arguments: &Arguments, now: &Zoned) -> Vec<String> {
    // Without the list there is no suggestion; the failure itself is told.
    let Ok(answer) = embedded::ask(seen, command, arguments, now) else {
        return Vec::new();
    };
    match answer {
        Answer::Files(list) => list.items.into_iter().map(|item| item.path).collect(),
        Answer::Folders(list) => list.items.into_iter().map(|item| item.path).collect(),
        Answer::Tags(list) => list.items.into_iter().map(|item| item.tag).collect(),
        Answer::PropertyNames(list) => list.items.into_iter().map(|item| item.name).collect(),
        Answer::NoteProperties(of_one) => of_one
            .properties
            .into_iter()
            .map(|(name, _)| name)
            .collect(),
        Answer::Outline(list) => list.items.into_iter().map(|item| item.heading).collect(),
        Answer::Templates(list) => list.items.into_iter().map(|item| item.name).collect(),
        _ => Vec::new(),
    }
}

/// The name of a file without its folder, and without this extension.
fn name_of<'path>(path: &'path str, extension: &str) -> &'path str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(extension).unwrap_or(name)
}

fn near_names(name: &str, paths: &[String], extension: &str) -> Vec<String> {
    let known = paths.iter().map(|path| name_of(path, extension));
    nearest(name_of(name, extension), known)
}

/// The files of the same name in other folders, then those with a like name at a like path, else those with a
/// like name.
fn near_paths(path: &str, paths: &[String], extension: &str) -> Vec<String> {
    const MOST: usize = 3;
    // Without `.md`, which every note has: `a.md` is not like `b.md`.
    let stem = |path: &str| path.strip_suffix(extension).unwrap_or(path).to_owned();
    let name_of = |path: &str| name_of(path, extension).to_owned();
    let name = name_of(path).to_lowercase();
    let is_same = |known: &&String| name_of(known).to_lowercase() == name;
    let mut near: Vec<String> = paths.iter().filter(is_same).take(MOST).cloned().collect();
    // Of a like path whose name is another one, only the folder is the same.
    let named: Vec<&String> = paths
        .iter()
        .filter(|known| !nearest(&name, [name_of(known).as_str()]).is_empty())
        .collect();
    let stems: Vec<String> = named.iter().map(|path| stem(path)).collect();
    for like in nearest(&stem(path), stems.iter().map(String::as_str)) {
        let known = stems.iter().position(|stem| *stem == like);
        let known = known.and_then(|at| named.get(at));
        near.extend(
            known
                .filter(|known| !near.contains(**known))
                .map(|known| (*known).clone()),
        );
    }
    if near.is_empty() {
        let alike = near_names(path, paths, extension);
        let have_one = paths.iter().filter(|path| alike.contains(&name_of(path)));
        near.extend(have_one.take(alike.len()).cloned());
    }
    near.truncate(MOST);
    near
}

fn with_names(mut failure: Failure, near: Vec<String>) -> Failure {
    let shown: Vec<String> = near
        .iter()
        .map(|name| shown::row(name).into_owned())
        .collect();
    if let Some(question) = nearest_question(&shown) {
        failure.message += &format!(" {question}");
        failure = failure.with("nearest", near);
    }
    failure
}

/// Says where a query is wrong and why. The app only says that it is.
fn explain_query(mut failure: Failure, call: &Call) -> Failure {
    let query = call.arguments.values.get("query").map(Value::to_text);
    let is_query = failure.message.starts_with("Invalid search query.");
    let told = query
        .filter(|_| is_query)
        .and_then(|query| query_faults::explained(&query));
    if let Some(told) = told {
        failure.message = told;
    }
    failure
}

/// Of a folder that was named for a note: what lists its notes, unless the folder itself was to be moved. Of
/// another file: what changes it.
fn instead_of_note(mut failure: Failure, call: &Call) -> Failure {
    if failure.message.starts_with("File is not a markdown file.") && call.effects().is_mutation() {
        failure.message +=
            " Another text file is replaced as a whole by `create` with `path` and `overwrite`.";
        return failure;
    }
    let folder = failure
        .details
        .get("target")
        .and_then(|target| target.as_str());
    let Some(folder) = folder.filter(|_| failure.message.contains(" is a folder, not a file."))
    else {
        return failure;
    };
    let told = if call.command.moves_a_file() {
        " A folder is moved or renamed by `folder:move`.".to_owned()
    } else {
        format!(
            " The notes in it are listed by `notes:list` with `folder` `{}`.",
            shown::row(folder)
        )
    };
    failure.message += &told;
    failure
}

/// Of a destination in a folder that is not there: the folders that are like it.
fn with_new_name(mut failure: Failure, call: &Call, seen: &PinnedVault, now: &Zoned) -> Failure {
    let Some(Value::Path(to)) = call.arguments.values.get("to") else {
        return failure;
    };
    let folder = to.parent();
    failure.message = format!(
        "There is no folder `{folder}`. A folder is made with a note in it: `create` with `path` makes the folders on the way to it."
    );
    let known = names(seen, "folders", now);
    let near = nearest(folder.as_str(), known.iter().map(String::as_str));
    with_names(failure, near)
}

/// What to write for a new name of the note, since a destination without extension is a folder. Only where the
/// folder of that name is there.
pub(super) fn as_new_name(call: &Call, note: &VaultPath, seen: &PinnedVault) -> Option<String> {
    let Some(Value::Path(to)) = call.arguments.values.get("to") else {
        return None;
    };
    let is_folder = call.command.moves_a_file() && !to.name().contains('.');
    let can_be = is_folder && !seen.engine.is_there(to) && holds_files(&to.parent(), seen);
    can_be.then(|| format!("As a new name write `{to}.{}`.", note.extension()))
}

/// Whether a folder is there, as the root always is.
fn holds_files(folder: &VaultPath, seen: &PinnedVault) -> bool {
    *folder == VaultPath::root() || seen.engine.is_there(folder)
}

/// That the folder of a destination is not there, which the call has not come to.
pub(super) fn no_such_destination(call: &Call, seen: &PinnedVault, now: &Zoned) -> Option<Failure> {
    let Some(Value::Path(to)) = call.arguments.values.get("to") else {
        return None;
    };
    let is_missing = call.command.moves_a_file() && !holds_files(&to.parent(), seen);
    let failure = Failure::new(Code::FolderNotFound, "");
    // A destination without a dot is a folder itself.
    (is_missing && to.name().contains('.')).then(|| with_new_name(failure, call, seen, now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_found_by_path_and_by_name() {
        let paths = [
            "Home.md",
            "Projects/Boat.md",
            "Projects/Garden.md",
            "mill.png",
        ];
        let paths = paths.map(str::to_owned);
        for (asked, near) in [
            ("Hme.md", &["Home.md"][..]),
            ("Projects/Bota.md", &["Projects/Boat.md"]),
            ("Garten.md", &["Projects/Garden.md"]),
            ("Elsewhere.md", &[]),
        ] {
            assert_eq!(near_paths(asked, &paths, ".md"), near, "{asked}");
        }
        assert_eq!(near_names("Hom", &paths, ".md"), ["Home"]);
        assert_eq!(near_names("garten", &paths, ".md"), ["Garden"]);
    }
}
