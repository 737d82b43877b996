//! Knowtation: the bare payload of a command, or `{error, code}` (`contracts.md` K01 to K43).

mod note;

use std::collections::BTreeSet;

use serde_json::{Value, json};
use vault_answers::{
    BacklinkItem, Confirmation, FileItem, LineMatch, List, SearchContextItem, TaskItem, Total,
};
use vault_engine::{ExportedNote, ImportedNote, IndexReport, ListedLink, NoteHit};

use super::Surroundings;
use super::ending::Ending;
use super::rows::{self, each};
use changes::Envelope;
use gateway::{Happening, Plan};
use protocol::{Code, Failure, Status, json::object as object_of};

pub(super) fn object(envelope: &Envelope, surroundings: &Surroundings) -> Value {
    if let Some(error) = &envelope.error {
        return error_of(error, envelope, surroundings);
    }
    let payload = payload(envelope, surroundings.shows_none);
    let mut payload = payload.unwrap_or_else(|| json!(envelope.data));
    // A list cut by its own `limit` shows that by its `total`.
    if let Value::Object(payload) = &mut payload
        && envelope.status == Status::Partial
    {
        for (key, value) in rows::mark_of_part(envelope) {
            payload.entry(key).or_insert(value);
        }
    }
    payload
}

/// Returns the payload of an answer whose payload is not `data` itself.
fn payload(envelope: &Envelope, shows_none: bool) -> Option<Value> {
    let command = envelope.command.as_str();
    if command == "vault:import" {
        return import(envelope);
    }
    let query = envelope.params.get("query");
    let found = |results: Vec<Value>| json!({ "results": results, "query": query, "mode": MODE });
    let data = &envelope.data;
    if command == "notes:search" && shows_none {
        return data.answer().map(|_| found(Vec::new()));
    }
    if let Some(all) = data.own::<Total>() {
        return match command {
            "notes:list" if shows_none => Some(json!({ "notes": [], "total": all.total })),
            "search" | "search:context" | "notes:search" => {
                Some(json!({ "count": all.total, "query": query, "mode": MODE }))
            }
            _ => None,
        };
    }
    Some(match command {
        "notes:search" => {
            // A note contains a text or not; only single words have a score.
            let is_text = envelope.params.get("match").is_some_and(|how| how != "any");
            found(each(data.own()?, |hit| ranked(hit, is_text)))
        }
        "search" => found(each(
            data.own()?,
            |file: &FileItem| json!({ "path": file.path, "score": SCORE }),
        )),
        // A search returns no properties of notes, so `project` is null and `tags` is empty.
        "search:context" => found(each(data.own()?, |file: &SearchContextItem| {
            json!({
                "path": file.path,
                "score": SCORE,
                "project": null,
                "tags": [],
                "snippet": snippet(&file.matches),
            })
        })),
        "backlinks" => {
            let list: &List<BacklinkItem> = data.own()?;
            let links = list.items.iter().map(|item| (item.path.as_str(), ""));
            backlinks(rows::subject(&envelope.params), links)
        }
        "tasks" => json!({ "tasks": each(data.own()?, task) }),
        "create" | "append" | "prepend" | "daily:append" | "daily:prepend" => match data.own()? {
            Confirmation::Created { path }
            | Confirmation::Overwrote { path }
            | Confirmation::Appended { path }
            | Confirmation::Prepended { path } => json!({ "path": path, "written": true }),
            _ => return None,
        },
        "links:list" => {
            let to = envelope.params.get("to")?;
            let listed: &List<ListedLink> = data.own()?;
            let links = listed.items.iter();
            let links = links.map(|link| (link.path.as_str(), link.line_text.as_str()));
            // Each note is listed once, with its first link.
            let mut shown = BTreeSet::new();
            backlinks(Some(to), links.filter(|(path, _)| shown.insert(*path)))
        }
        "notes:list" => note::notes(data.own()?),
        "note:outline" => note::outline(data.own()?),
        "note:tree" => note::tree(data.own()?),
        "note:facets" => note::facets(data.own()?),
        "note:section" => note::sections(data.own()?),
        "note:get" => note::parts(data.own()?),
        "vault:index" => {
            let report: &IndexReport = data.own()?;
            // Notes are not split into pieces with vectors here.
            json!({ "ok": true, "notesProcessed": report.notes, "chunksIndexed": 0 })
        }
        // The run's record names the sources.
        "vault:export" => json!({
            "exported": each(data.own()?, |note: &ExportedNote| {
                json!({ "path": note.path, "output": note.output })
            }),
            "provenance": format!("vault-gw run {}", envelope.run_id),
        }),
        _ => return None,
    })
}

/// Returns the notes that link to a note, each with the line of its link.
fn backlinks<'answer>(
    to: Option<&Value>,
    links: impl Iterator<Item = (&'answer str, &'answer str)>,
) -> Value {
    let row =
        |(path, context)| json!({ "path": path, "title": rows::title(path), "context": context });
    json!({ "path": to, "backlinks": links.map(row).collect::<Value>() })
}

/// Returns a hit of ranked search.
fn ranked(hit: &NoteHit, is_text: bool) -> Value {
    let score = if is_text {
        json!(SCORE)
    } else {
        json!(hit.score)
    };
    let mut row = object_of(json!({ "path": hit.path, "score": score }));
    if let Some(snippet) = &hit.snippet {
        let shown = hit.metadata.as_ref();
        row.extend(object_of(json!({
            "project": shown.map(|shown| &shown.project),
            "tags": note::slugs(shown.map_or(&[][..], |shown| &shown.tags)),
            "snippet": snippet,
        })));
    }
    let body = hit.body.as_deref().map(str::trim_end);
    row.extend(note::content(hit.frontmatter.as_ref(), body));
    row.into()
}

/// Returns a task without its list marker and brackets.
fn task(task: &TaskItem) -> Value {
    let text = task.text.split_once("] ");
    json!({
        "text": text.map_or(task.text.as_str(), |(_, text)| text),
        "path": task.path,
        "line": task.line,
        "status": if task.status == " " { "open" } else { "done" },
    })
}

/// Returns the notes that were imported, or would be, each with its path below the imported folder.
fn import(envelope: &Envelope) -> Option<Value> {
    let to = envelope.params.get("path").and_then(Value::as_str);
    let to = to.unwrap_or_default().trim_matches('/');
    let row = |path: &str| {
        let below = path.strip_prefix(to).unwrap_or(path);
        json!({ "path": path, "source_id": below.trim_start_matches('/') })
    };
    let imported: Vec<Value> = if let Some(list) = envelope.data.own() {
        each(list, |note: &ImportedNote| row(&note.path))
    } else {
        let files = envelope
            .data
            .own::<Plan>()?
            .changes
            .iter()
            .flat_map(|plan| &plan.files);
        let created = files.filter(|file| file.change == Happening::Created);
        created.map(|file| row(&file.path)).collect()
    };
    Some(json!({ "count": imported.len(), "imported": imported }))
}

/// The score of every hit in an unranked search.
const SCORE: u8 = 1;
const MODE: &str = "keyword";
/// Longest snippet in characters.
const SNIPPET_CHARACTERS: usize = 300;

/// Returns the matching lines, cut at a word.
fn snippet(lines: &[LineMatch]) -> String {
    let text = rows::joined(lines);
    let Some((end, _)) = text.char_indices().nth(SNIPPET_CHARACTERS) else {
        return text;
    };
    let head = &text[..end];
    let word = head.rfind(char::is_whitespace).filter(|at| *at > end / 2);
    format!("{}…", &head[..word.unwrap_or(end)])
}

/// Whether the error is about this parameter.
fn is_about(error: &Failure, parameter: &str) -> bool {
    ["parameter", "argument", "name"].iter().any(|key| {
        error
            .details
            .get(*key)
            .is_some_and(|name| name == parameter)
    })
}

/// Returns the messages that its clients match on, for a missing note and for a path outside the
/// vault.
fn error_of(error: &Failure, envelope: &Envelope, surroundings: &Surroundings) -> Value {
    let ask = || rows::subject(&envelope.params)?.as_str();
    let note = surroundings.note.as_deref().or_else(ask);
    let text = match (error.code, note) {
        (Code::FileNotFound, Some(note)) => format!("Note not found: {note}"),
        // For an export, the path is the destination and not a note.
        (Code::PathEscape, Some(note)) if !is_about(error, "to") => {
            format!("Invalid path: path must be vault-relative and cannot escape vault ({note})")
        }
        _ => error.to_string(),
    };
    let code = match Ending::from_code(error.code) {
        Ending::Usage => "USAGE_ERROR",
        _ => "RUNTIME_ERROR",
    };
    json!({ "error": text, "code": code })
}
