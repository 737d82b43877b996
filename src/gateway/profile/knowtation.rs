//! Knowtation: the bare payload of a command, or `{error, code}` (`contracts.md` K01 to K43).

mod note;

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::dialect::{Change, Gives, Line};
use super::ending::{Ending, Exits};
use super::rows;
use super::{Contract, Stream, Surroundings};
use crate::code::Code;
use crate::gateway::envelope::{Envelope, ErrorBody};
use crate::status::Status;

pub(super) const CONTRACT: Contract = Contract {
    about: "Knowtation, CLI JSON schema",
    exits: Exits {
        no_matches: 0,
        violations: 0,
        usage: 1,
        not_found: 2,
        cannot_create: 2,
        refused: 2,
        failed: 2,
    },
    errors: Stream::Stderr,
    warns: false,
    indented: false,
    lines: LINES,
    options: &[],
    ending: |envelope, _| Ending::from_envelope(envelope),
    object,
    form: "A part of an answer has `truncated` and, where it can be gone on with, `next_offset` for `--offset`. Errors are `{error, code}` on standard error, with `USAGE_ERROR` or `RUNTIME_ERROR`. `write` never takes the place of a note: where one is, it refuses; with `--append` no byte of the note is changed. A search ranks by words: `score` is that of ranked search, `mode` is `keyword`. With `--keyword` it finds the notes that hold the text, also within words, by path and with score 1; `--match` says whether that is the phrase or all terms, and means `--keyword` too. `--limit` is 0 to 100; with 0 the answer has the count alone. Warnings beside a result go to standard error. There is no semantic index. `links:list to=NOTE` tells backlinks with the line that they stand in as `context`; that of `backlinks` is empty. Tags are slugs, those of the properties alone. The body of a note ends without white space. `--frontmatter` sets properties and keeps every other byte. Dates in `frontmatter` and titles are as written: what its own code prints for an unquoted date is a JavaScript date in the time zone of the machine. `export` writes into the folder of the settings alone, at most into one folder in there, and changes no copy; its first word names a note; with `--query` or `--folder` it names the folder to put them in. `index` has no chunks. `import markdown` reads the import folder of the settings alone: its first word is a path in there, `/` for all of it. A note comes in byte for byte, with `--project` and `--tags` among its properties and its own tags kept; no note is replaced. Its other 21 formats are not there. A task in `extract-tasks` has its line in the file. What is not in the table is the `data` of our command.",
    dropped: "everything but the payload: its readers refuse keys that they do not know",
};

const BODY_ONLY: (&str, Gives) = ("--body-only", Gives::Means(Change::words(&["only=body"])));
const FRONTMATTER_ONLY: (&str, Gives) = (
    "--frontmatter-only",
    Gives::Means(Change::words(&["only=frontmatter"])),
);

/// Options that select notes and limit their number.
const SELECTION: &[(&str, Gives)] = &[
    ("--folder", Gives::Value("folder")),
    ("--project", Gives::Value("project")),
    ("--tag", Gives::Value("tag")),
    ("--since", Gives::Value("since")),
    ("--until", Gives::Value("until")),
    ("--order", Gives::Value("order")),
    ("--limit", Gives::UpTo("limit", 100)),
    ("--offset", Gives::Value("offset")),
    ("--count-only", Gives::Means(Change::words(&["total"]))),
];

const LIST_OPTIONS: &[(&str, Gives)] = &[(
    "--fields",
    Gives::Choice(&[
        ("path", Change::words(&["fields=path"])),
        ("path+metadata", Change::NOTHING),
        ("full", Change::words(&["fields=full"])),
    ]),
)];

/// The defaults of a text search (`contracts.md` K06): notes that contain the text, by path.
const AS_TEXT: &[(&str, &str)] = &[("match", "phrase"), ("order", "path")];

const SEARCH_OPTIONS: &[(&str, Gives)] = &[
    ("--snippet-chars", Gives::Value("snippet")),
    (
        "--keyword",
        Gives::Means(Change::NOTHING.otherwise(AS_TEXT)),
    ),
    ("--semantic", Gives::Nothing(NO_VECTORS)),
    (
        "--mode",
        Gives::Choice(&[("keyword", Change::NOTHING.otherwise(AS_TEXT))]),
    ),
    (
        "--match",
        Gives::Choice(&[
            (
                "all-terms",
                Change::words(&["match=all"]).otherwise(AS_TEXT),
            ),
            (
                "all_terms",
                Change::words(&["match=all"]).otherwise(AS_TEXT),
            ),
            (
                "phrase",
                Change::words(&["match=phrase"]).otherwise(AS_TEXT),
            ),
        ]),
    ),
    (
        "--fields",
        Gives::Choice(&[
            ("path", Change::words(&["fields=path"])),
            ("path+snippet", Change::words(&["fields=metadata"])),
            ("full", Change::words(&["fields=full"])),
        ]),
    ),
];

/// The message for a semantic search (`contracts.md` K03).
const NO_VECTORS: &str =
    "There is no semantic index (not_indexed). Without this option a search ranks by words.";

const LINES: &[Line] = &[
    Line::new("search", "notes:search", &["query"], SEARCH_OPTIONS)
        .sharing(SELECTION)
        .with_defaults(&[("limit", "10"), ("snippet", "300"), ("fields", "metadata")])
        .needing("knowtation search: provide a query."),
    Line::new(
        "get-note",
        "note:get",
        &["path"],
        &[BODY_ONLY, FRONTMATTER_ONLY],
    )
    .needing("knowtation get-note: provide a note path."),
    Line::new("get-note-outline", "note:outline", &["path"], &[])
        .needing("knowtation get-note-outline: provide a note path."),
    Line::new("get-document-tree", "note:tree", &["path"], &[])
        .needing("knowtation get-document-tree: provide a note path."),
    Line::new("get-metadata-facets", "note:facets", &["path"], &[])
        .needing("knowtation get-metadata-facets: provide a note path."),
    Line::new("get-section-source", "note:section", &["path"], &[])
        .needing("knowtation get-section-source: provide a note path."),
    Line::new(
        "write",
        "create",
        &["path"],
        &[
            ("--stdin", Gives::Input("content")),
            ("--append", Gives::Means(Change::command("append", &[]))),
            ("--frontmatter", Gives::Properties("properties")),
        ],
    )
    .needing("knowtation write: provide a note path."),
    Line::new("list-notes", "notes:list", &[], LIST_OPTIONS).sharing(SELECTION),
    Line::new(
        "export",
        "vault:export",
        &["note", "to"],
        &[
            ("--query", Gives::Value("query")),
            ("--folder", Gives::Value("folder")),
            ("--limit", Gives::Value("limit")),
            (
                "--format",
                Gives::Choice(&[
                    ("md", Change::NOTHING),
                    ("html", Change::words(&["as=html"])),
                ]),
            ),
        ],
    )
    .without_note_with(&["query", "folder"]),
    Line::new(
        "import markdown",
        "vault:import",
        &["from"],
        &[
            ("--output-dir", Gives::Value("path")),
            ("--project", Gives::Value("project")),
            ("--tags", Gives::Value("tags")),
        ],
    )
    .needing("knowtation import: provide a source type and an input."),
    Line::new("index", "vault:index", &[], &[]),
    Line::new(
        "extract-tasks",
        "tasks",
        &["path"],
        &[(
            "--status",
            Gives::Choice(&[
                ("open", Change::words(&["todo"])),
                ("done", Change::words(&["done"])),
                ("all", Change::NOTHING),
            ]),
        )],
    )
    .with_defaults(&[("format", "json")]),
];

fn object(envelope: &Envelope, surroundings: &Surroundings) -> Value {
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

/// The payload of a command whose payload is not `data` itself.
fn payload(envelope: &Envelope, shows_none: bool) -> Option<Value> {
    let data = envelope.data.as_map();
    if envelope.command == "vault:import" {
        return import(envelope);
    }
    if data.contains_key("dryRun") {
        return None;
    }
    Some(match envelope.command.as_str() {
        "backlinks" => {
            let rows: Value = rows::items(envelope)?.iter().map(backlink).collect();
            json!({ "path": rows::subject(&envelope.params), "backlinks": rows })
        }
        "links:list" if envelope.params.contains_key("to") => {
            // Each note is listed once, with its first link.
            let mut told = BTreeSet::new();
            let items = rows::items(envelope)?.iter();
            let first = items.filter(|item| told.insert(rows::text(item, "path")));
            let rows: Value = first
                .map(|item| {
                    let path = rows::text(item, "path");
                    json!({
                        "path": path,
                        "title": path.and_then(rows::title),
                        "context": item["lineText"],
                    })
                })
                .collect();
            json!({ "path": envelope.params.get("to"), "backlinks": rows })
        }
        "search" | "search:context" => search(envelope)?,
        "notes:search" if shows_none => json!({
            "results": [], "query": envelope.params.get("query"), "mode": MODE,
        }),
        "notes:search" => ranked(envelope)?,
        "notes:list" if shows_none => json!({ "notes": [], "total": data.get("total") }),
        "vault:index" => json!({
            "ok": true,
            "notesProcessed": data.get("notes"),
            // Notes are not split into pieces with vectors here.
            "chunksIndexed": 0,
        }),
        "tasks" => json!({ "tasks": rows::items(envelope)?.iter().map(task).collect::<Value>() }),
        "create" | "append" | "prepend" | "daily:append" | "daily:prepend" => {
            json!({ "path": data.get("path")?, "written": true })
        }
        "note:outline" => note::outline(data),
        "note:tree" => note::tree(data),
        "note:facets" => note::facets(data),
        "note:section" => note::sections(data),
        "note:get" => note::parts(data),
        "vault:export" => export(envelope)?,
        "notes:list" => note::notes(data, rows::items(envelope)?),
        _ => return None,
    })
}

/// The hits of ranked search, or their number with `total`.
fn ranked(envelope: &Envelope) -> Option<Value> {
    let query = envelope.params.get("query");
    let Some(items) = rows::items(envelope) else {
        let count = envelope.data.as_map().get("total")?;
        return Some(json!({ "count": count, "query": query, "mode": MODE }));
    };
    // A note contains a text or not; only single words have a score.
    let is_text = envelope.params.get("match").is_some_and(|how| how != "any");
    let score = |item: &Value| {
        if is_text {
            SCORE.into()
        } else {
            item["score"].clone()
        }
    };
    let results: Value = items
        .iter()
        .map(|item| {
            let mut row = Map::from_iter([
                ("path".to_owned(), item["path"].clone()),
                ("score".to_owned(), score(item)),
            ]);
            if let Some(snippet) = item.get("snippet") {
                let metadata = item.get("metadata").cloned().unwrap_or_default();
                row.extend([
                    ("project".to_owned(), metadata["project"].clone()),
                    ("tags".to_owned(), note::slugs(&metadata["tags"])),
                    ("snippet".to_owned(), snippet.clone()),
                ]);
            }
            if let Value::Object(item) = item {
                row.extend(note::content(item));
            }
            Value::from(row)
        })
        .collect();
    Some(json!({ "results": results, "query": query, "mode": MODE }))
}

/// A task without its list marker and brackets.
fn task(item: &Value) -> Value {
    let line = rows::text(item, "text").unwrap_or_default();
    let text = line.split_once("] ").map_or(line, |(_, text)| text);
    let is_open = item["status"] == " ";
    json!({
        "text": text,
        "path": item["path"],
        "line": item["line"],
        "status": if is_open { "open" } else { "done" },
    })
}

fn backlink(item: &Value) -> Value {
    let link = rows::link(item);
    let context = rows::text(item, "context").unwrap_or_default();
    json!({ "path": link["path"], "title": link["title"], "context": context })
}

/// Results, or their number with `total`. A search returns no properties of notes, so `project` is null
/// and `tags` is empty.
fn search(envelope: &Envelope) -> Option<Value> {
    let query = envelope.params.get("query");
    let Some(items) = rows::items(envelope) else {
        let count = envelope.data.as_map().get("total")?;
        return Some(json!({ "count": count, "query": query, "mode": MODE }));
    };
    let results: Value = items
        .iter()
        .map(|item| match item.get("matches").and_then(Value::as_array) {
            Some(lines) => json!({
                "path": rows::note(item),
                "score": SCORE,
                "project": null,
                "tags": [],
                "snippet": snippet(lines),
            }),
            None => json!({ "path": rows::note(item), "score": SCORE }),
        })
        .collect();
    Some(json!({ "results": results, "query": query, "mode": MODE }))
}

/// The notes and their copies. The run's record names the sources.
fn export(envelope: &Envelope) -> Option<Value> {
    let copy = |item: &Value| json!({ "path": item["path"], "output": item["output"] });
    let exported: Value = rows::items(envelope)?.iter().map(copy).collect();
    let provenance = format!("vault-gw run {}", envelope.run_id);
    Some(json!({ "exported": exported, "provenance": provenance }))
}

/// The notes that were imported, or would be, each with its path below the imported folder.
fn import(envelope: &Envelope) -> Option<Value> {
    let parameter = |name: &str| envelope.params.get(name).and_then(Value::as_str);
    let to = parameter("path").unwrap_or_default().trim_matches('/');
    let row = |path: &Value| {
        let path = path.as_str()?;
        let below = path.strip_prefix(to).unwrap_or(path);
        Some(json!({ "path": path, "source_id": below.trim_start_matches('/') }))
    };
    let imported: Vec<Value> = if let Some(items) = rows::items(envelope) {
        let notes = items.iter().map(|item| &item["path"]);
        notes.filter_map(row).collect()
    } else {
        let files = envelope.data.as_map().get("files")?.as_array()?.iter();
        let created = files.filter(|file| file["change"] == "created");
        created.filter_map(|file| row(&file["path"])).collect()
    };
    Some(json!({ "count": imported.len(), "imported": imported }))
}

/// The score of every hit in an unranked search.
const SCORE: u8 = 1;
const MODE: &str = "keyword";
/// Longest snippet in characters.
const SNIPPET_CHARACTERS: usize = 300;

/// The matching lines, cut at a word.
fn snippet(lines: &[Value]) -> String {
    let lines: Vec<&str> = lines
        .iter()
        .filter_map(|line| rows::text(line, "text"))
        .collect();
    let text = lines.join("\n");
    let Some((end, _)) = text.char_indices().nth(SNIPPET_CHARACTERS) else {
        return text;
    };
    let head = &text[..end];
    let word = head.rfind(char::is_whitespace).filter(|at| *at > end / 2);
    format!("{}…", &head[..word.unwrap_or(end)])
}

/// Whether the error is about this parameter.
fn is_about(error: &ErrorBody, parameter: &str) -> bool {
    ["parameter", "argument", "name"].iter().any(|key| {
        error
            .details
            .get(*key)
            .is_some_and(|name| name == parameter)
    })
}

/// The messages that its clients match on, for a missing note and for a path outside the vault.
fn error_of(error: &ErrorBody, envelope: &Envelope, surroundings: &Surroundings) -> Value {
    let note = surroundings.note.as_deref().or_else(|| {
        let params = &envelope.params;
        params.get("path").or_else(|| params.get("file"))?.as_str()
    });
    let text = match (error.code, note) {
        (Code::FileNotFound, Some(note)) => format!("Note not found: {note}"),
        // For an export, the path is the destination and not a note.
        (Code::PathEscape, Some(note)) if !is_about(error, "to") => {
            format!("Invalid path: path must be vault-relative and cannot escape vault ({note})")
        }
        _ => error.message.clone(),
    };
    let code = match Ending::from_code(error.code) {
        Ending::Usage => "USAGE_ERROR",
        _ => "RUNTIME_ERROR",
    };
    json!({ "error": text, "code": code })
}
