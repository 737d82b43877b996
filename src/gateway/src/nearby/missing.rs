//! Folders, tags, properties, notes and views that a call names and that are not there, with those that may be meant.

use std::collections::BTreeSet;

use cli_output::Shape;
use serde_json::json;
use vault_answers::Answer;
use vault_engine::search::Query;
use vault_engine::shown;
use vault_engine::{ReadError, ReadNotes, VaultPath};

use super::MOST_SUGGESTIONS;
use super::names::{name_of, names, near_names, near_paths};
use crate::error::Error;
use crate::written_name;
use allowlist::{Call, ListKind, Param, ParamKind, meant_or_nearest, nearest, nearest_part};
use backend::PinnedVault;
use protocol::{Code, Failure, Issue, Message, Part, did_you_mean, did_you_mean_or, message};

/// The words with which statements of SQL and Dataview begin.
const STATEMENTS: [&str; 5] = ["SELECT", "TABLE", "LIST", "TASK", "CALENDAR"];
/// The words of which such a statement has one or more.
const CLAUSES: [&str; 3] = ["FROM", "WHERE", "SORT"];
/// Characters by which a text between two `/` is a regular expression and not a path.
const PATTERN_MARKS: [char; 9] = ['*', '+', '?', '[', '(', '|', '^', '$', '\\'];

/// Returns the folders, tags and properties that a call is limited to and that are not there.
pub(crate) fn missing_names(call: &Call, seen: &PinnedVault) -> Vec<Issue> {
    let params = call.command.params.iter();
    // A tag or a property that the call is about has a failure of its own if it is missing.
    let limits = |param: &&Param| !param.required || param.kind == ParamKind::Folder;
    params
        .filter(limits)
        .filter_map(|param| missing(&param.kind, call.arguments.param(&param.name)?, seen))
        .collect()
}

/// Suggests words near a query that found nothing, and names near the tags and properties in it.
pub(super) fn near_query(call: &Call, seen: &PinnedVault) -> Vec<Issue> {
    let Some(query) = call.arguments.param("query") else {
        return Vec::new();
    };
    let parsed = Query::parse(query, false).ok();
    let wanted = parsed.iter().flat_map(Query::queried_names);
    let missing = wanted.filter_map(|(what, name)| match what {
        "tag" => missing(&ParamKind::Tag, name, seen),
        "property" => missing(&ParamKind::Property, name, seen),
        what => in_no_path(what, name, seen),
    });
    let mut shown: Vec<Issue> = missing.collect();
    // An operator such as `tag:` looks for no word.
    if !query.contains(':') {
        let near = vault_engine::near_words(&seen.engine, query).unwrap_or_default();
        if !near.is_empty() {
            let what = "At least one word of the query is not in any note.";
            shown.push(not_there("NEAR_WORDS", what.to_owned(), near));
        }
    }
    shown
}

/// The warning that a search by words takes an operator of its query as a word, with the parameter for it.
pub(super) fn operator_in_words(call: &Call) -> Option<Issue> {
    let query = call.arguments.param("query")?;
    let parsed = Query::parse(query, false).ok()?;
    let mut names = parsed.queried_names().into_iter();
    let (param, name) = names.find_map(|(what, name)| {
        let param = if what == "path" { "folder" } else { what };
        call.command.param(param).map(|param| (&param.name, name))
    })?;
    let name = shown::row(name.trim_start_matches('#'));
    let message =
        format!("`query` takes words, not operators. Pass `{name}` as `{param}` next to `query`.");
    Some(Issue::new("OPERATOR_AS_WORD", message))
}

/// The warning that the query has an operator or a syntax of other programs, which is searched as words. Those that a
/// text may have as well are reported only if the answer is empty.
pub(super) fn foreign_operator(call: &Call, is_empty: bool) -> Option<Issue> {
    let query = call.arguments.param("query")?;
    let has_operators = matches!(call.command.output, Shape::Search | Shape::SearchContext);
    let message = foreign_syntax(query, has_operators, is_empty)?;
    Some(Issue::new("OPERATOR_AS_WORD", message))
}

/// Says what to send instead of a query in the syntax of other programs; `None` if the query has none. With
/// `has_operators` the query may have the operators of the app's search.
fn foreign_syntax(query: &str, has_operators: bool, is_empty: bool) -> Option<Message> {
    let of_property = message!(
        "To list notes by a property, use {notes:list} with `property` and `value`. To list the rows of a base, use {base:query}."
    );
    // Quoted text is meant as it is.
    let words = query.split('"').step_by(2).flat_map(str::split_whitespace);
    let words: Vec<&str> = words.map(|word| word.trim_matches(['(', ')'])).collect();
    let is_statement = words.first().is_some_and(|word| STATEMENTS.contains(word))
        && words.iter().any(|word| CLAUSES.contains(word));
    if is_statement {
        let what = "The query looks like SQL or Dataview. vault-gw cannot run such queries, so it \
            searched for the words.";
        return Some(message!("{} {}", what, of_property));
    }
    let pattern = query
        .trim()
        .strip_prefix('/')
        .and_then(|rest| rest.strip_suffix('/'));
    if !has_operators && pattern.is_some_and(|pattern| pattern.contains(PATTERN_MARKS)) {
        return Some(message!(
            "`query` takes words, not regular expressions. To search with a regular expression, use {search} with {}.",
            Part::Params(json!({ "query": query.trim() }))
        ));
    }
    let operator = words.iter().find_map(|word| {
        let instead = match *word {
            "AND" | "&&" if has_operators => {
                "Omit it. A note must match all words of the query anyway."
            }
            "NOT" if has_operators => "To exclude a word, put `-` directly before that word.",
            "||" if has_operators => "Use `OR`.",
            "AND" | "OR" | "NOT" | "&&" | "||" if !has_operators => "Omit it.",
            _ => return None,
        };
        Some((*word, instead))
    });
    if let Some((word, instead)) = operator {
        let what = format!("`{word}` is not an operator, so it is searched as a word. {instead}");
        return Some(what.into());
    }
    if !is_empty {
        return None;
    }
    if let [name, "=" | "==", value] = words.as_slice() {
        let what = "`=` is not an operator, so it is searched as a word.";
        return Some(if has_operators {
            let property = shown::row(&format!("[{name}:{value}]")).into_owned();
            message!("{} To search for a property, use `{}`.", what, property)
        } else {
            message!("{} {}", what, of_property)
        });
    }
    let is_path_or_link = |word: &str| word.contains(['/', '[', ']']);
    let alternatives = words.iter().find(|word| {
        word.contains('|') && !is_path_or_link(word) && word.split('|').all(|part| !part.is_empty())
    })?;
    let shown = shown::row(alternatives);
    let what = format!("`{shown}` is searched as one word.");
    Some(if has_operators {
        let words = shown.replace('|', " OR ");
        message!("{} To find one of the words, use `{}`.", what, words)
    } else {
        message!("{} Use `{}`.", what, shown.replace('|', " "))
    })
}

/// Returns the warning that no file has the extension by which a list selects files, with extensions like it.
pub(super) fn no_such_extension(call: &Call, seen: &PinnedVault) -> Option<Issue> {
    let wanted = call.arguments.param("ext")?.trim_start_matches('.');
    let files = names(seen, "files");
    let known: BTreeSet<&str> = files
        .iter()
        .filter_map(|path| name_of(path, "").rsplit_once('.'))
        .map(|(_, extension)| extension)
        .collect();
    let what = format!("No file has the extension `{}`.", shown::row(wanted));
    let near = || meant_or_nearest(wanted, known.iter().copied());
    (!known.contains(wanted)).then(|| not_there("NO_SUCH_EXTENSION", what, near()))
}

/// Returns the warning that a text in the query is in no path, or in no file name.
fn in_no_path(what: &str, wanted: &str, seen: &PinnedVault) -> Option<Issue> {
    let files = names(seen, "files");
    let wanted = wanted.trim_matches('/');
    let folded = wanted.to_lowercase();
    let is_file = what == "file";
    let holds = |path: &String| {
        let text = if is_file { name_of(path, "") } else { path };
        text.to_lowercase().contains(&folded)
    };
    if wanted.is_empty() || files.iter().any(holds) {
        return None;
    }
    let shown = shown::row(wanted);
    Some(if is_file {
        let what = format!("No file name contains `{shown}`.");
        not_there("NO_SUCH_NOTE", what, near_names(wanted, &files, ".md"))
    } else {
        let folders = names(seen, "folders");
        let mut near = nearest(wanted, folders.iter().map(String::as_str));
        near.extend(near_paths(wanted, &files, ".md"));
        near.truncate(MOST_SUGGESTIONS);
        let what = format!("No path contains `{shown}`.");
        not_there("NO_SUCH_FOLDER", what, near)
    })
}

/// The warning about notes of a list that do not exist, or the failure if none of the list exists.
pub(super) fn notes_not_there(
    answer: &Answer,
    seen: &PinnedVault,
) -> Option<Result<Issue, Failure>> {
    let notes = answer.downcast_ref::<ReadNotes>()?;
    let is_missing = |error: &ReadError| error.code == Code::FileNotFound.name();
    let missing = notes.errors().filter(|(_, error)| is_missing(error));
    let mut failures = missing
        .take(MOST_SUGGESTIONS)
        .map(|(path, _)| no_such_note(path, ListKind::Notes, seen));
    let mut failure = failures.next()?;
    failures.for_each(|other| failure.add(other));
    let is_failed = notes.has_only_errors() && notes.errors().all(|(_, error)| is_missing(error));
    Some(if is_failed {
        Err(failure)
    } else {
        Ok(Issue::new("NO_SUCH_NOTE", failure.message()))
    })
}

/// Returns the question whether one of these names of the vault is meant.
pub(super) fn are_meant(names: &[String]) -> Message {
    let shown = names.iter().map(|name| shown::row(name).into_owned());
    did_you_mean(&shown.collect::<Vec<_>>())
}

/// Returns the warning that a name is not there, with the names like it.
pub(super) fn not_there(warning: &'static str, what: String, near: Vec<String>) -> Issue {
    let mut message = Message::from(what);
    message.push_sentence(are_meant(&near));
    Issue::new(warning, message).with("nearest", (!near.is_empty()).then_some(near))
}

/// Returns the warning that a folder, tag or property does not exist, with similar names.
pub(super) fn no_such(
    (warning, what): (&'static str, &str),
    wanted: &str,
    known: &[String],
) -> Issue {
    let what = format!("There is no {what} `{}`.", shown::row(wanted));
    // `project/harbour` is like `harbor`.
    let near = nearest_part(wanted, known, |name| name_of(name, ""));
    not_there(warning, what, near)
}

/// Returns the failure that a note of a list of this kind does not exist, with what to send
/// instead.
pub(crate) fn no_such_note(path: &str, kind: ListKind, seen: &PinnedVault) -> Failure {
    let folder = path.trim_matches('/');
    if names(seen, "folders").iter().any(|known| known == folder) {
        let next = notes_in(&shown::row(folder));
        return Error::FolderNotNote(folder.to_owned(), next).into();
    }
    let next = if let Some(item) = written_name::item_instead(path, kind, seen) {
        message!("Pass {}.", Part::Params(item))
    } else {
        let near = near_paths(path, &names(seen, "files"), ".md");
        did_you_mean_or(&near, || message!("Find the note with {notes:search}."))
    };
    Error::NoNote(path.to_owned(), next).into()
}

/// Returns the warning about a folder, tag or property that is not there and that a call names.
pub(super) fn missing(kind: &ParamKind, value: &str, seen: &PinnedVault) -> Option<Issue> {
    let (warning, what, list, value) = match kind {
        ParamKind::Folder => ("NO_SUCH_FOLDER", "folder", "folders", value),
        ParamKind::Tag => ("NO_SUCH_TAG", "tag", "tags", value),
        ParamKind::Property => ("NO_SUCH_PROPERTY", "property", "properties", value),
        _ => return None,
    };
    let plain = |name: &str| name.trim_start_matches('#').to_owned();
    let wanted = &*plain(value.trim_matches('/'));
    let known: Vec<String> = names(seen, list).iter().map(|name| plain(name)).collect();
    let folded = wanted.to_lowercase();
    let is_folder = matches!(kind, ParamKind::Folder);
    // A tag is there with one below it, and a folder in its own case alone.
    let is_it = |name: &String| match name.to_lowercase().strip_prefix(&folded) {
        _ if is_folder => name == wanted,
        Some(rest) => rest.is_empty() || rest.starts_with('/'),
        None => false,
    };
    // A vault without folders has none of this name either.
    if (known.is_empty() && !is_folder) || wanted.is_empty() || known.iter().any(is_it) {
        return None;
    }
    let file = VaultPath::file(wanted).ok().filter(|_| is_folder);
    if let Some(file) = file.filter(|file| seen.engine.is_there(file)) {
        let message = message!(
            "`{}` is a file, not a folder. The file is in the folder `{}`. To read a note, use {notes:read}.",
            file,
            file.parent()
        );
        return Some(Issue::new(warning, message));
    }
    Some(no_such((warning, what), wanted, &known))
}

/// Returns the hint if a folder was named instead of a note: how to list its notes.
pub(super) fn notes_in(folder: &str) -> Message {
    message!(
        "To list the notes of this folder, use {notes:list} with `{}` as `folder`.",
        folder
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_in_another_syntax_gets_the_call_for_it() {
        let of_property = "The query looks like SQL or Dataview. vault-gw cannot run such queries, \
            so it searched for the words. To list notes by a property, use `notes:list` with `property` and `value`. To list the rows of a base, use `base:query`.";
        for (query, has_operators, is_empty, says) in [
            (
                "SELECT * FROM notes WHERE status = 'active'",
                false,
                false,
                of_property,
            ),
            ("TABLE status FROM \"Projects\"", true, true, of_property),
            ("list from mother", true, true, ""),
            (
                "/var.*sh/",
                false,
                true,
                "`query` takes words, not regular expressions. To search with a regular expression, use `search` with `{\"query\":\"/var.*sh/\"}`.",
            ),
            ("/var.*sh/", true, true, ""),
            ("/Projects/Boat/", false, true, ""),
            (
                "status = active",
                true,
                true,
                "`=` is not an operator, so it is searched as a word. To search for a property, use `[status:active]`.",
            ),
            ("status = active", true, false, ""),
            (
                "oars|hull",
                true,
                true,
                "`oars|hull` is searched as one word. To find one of the words, use `oars OR hull`.",
            ),
            (
                "oars|hull",
                false,
                true,
                "`oars|hull` is searched as one word. Use `oars hull`.",
            ),
            ("oars|hull", true, false, ""),
            ("[[Boat|hull]]", true, true, ""),
            ("\"oars|hull\"", true, true, ""),
            (
                "oars OR hull",
                false,
                false,
                "`OR` is not an operator, so it is searched as a word. Omit it.",
            ),
            ("oars OR hull", true, false, ""),
        ] {
            let shown = foreign_syntax(query, has_operators, is_empty);
            assert_eq!(
                shown.map(|shown| shown.text()).unwrap_or_default(),
                says,
                "{query}"
            );
        }
    }

    #[test]
    fn an_extension_is_suggested_by_its_short_form() {
        let known = BTreeSet::from(["md", "png", "jpg", "canvas"]);
        for (wanted, near) in [
            ("markdown", &["md"][..]),
            ("JPEG", &["jpg"]),
            ("canvs", &["canvas"]),
            ("docx", &[]),
        ] {
            let found = meant_or_nearest(wanted, known.iter().copied());
            assert_eq!(found, near, "{wanted}");
        }
    }
}
