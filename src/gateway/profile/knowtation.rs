//! Knowtation: the bare payload of a command, or `{error, code}` (`contracts.md` K01 to K43).

mod note;

use serde_json::{Value, json};

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
    indented: false,
    lines: LINES,
    options: &[],
    ending: |envelope, _| Ending::from_envelope(envelope),
    object,
    form: "A part of an answer has `truncated` and, where it can be gone on with, `next_offset` for `--offset`. Errors are `{error, code}` on standard error, with `USAGE_ERROR` or `RUNTIME_ERROR`. `write` never takes the place of a note: where one is, it makes another with the next number; with `--append` no byte of the note is changed. A search is always one for words; a snippet holds the lines that match, not the head of the note; of the notes found it tells neither `project` (null) nor `tags` (empty). `context` of a backlink is empty. Tags are slugs, those of the properties alone. The body of a note ends without white space. Dates in `frontmatter` are as written. `export` writes into the folder of the settings alone, at most into one folder in there, and changes no copy; its first word names a note, and `--query` many. What is not in the table is the `data` of our command.",
    dropped: "everything but the payload: its readers refuse keys that they do not know",
};

const BODY_ONLY: (&str, Gives) = ("--body-only", Gives::Means(Change::words(&["only=body"])));
const FRONTMATTER_ONLY: (&str, Gives) = (
    "--frontmatter-only",
    Gives::Means(Change::words(&["only=frontmatter"])),
);

const LIST_OPTIONS: &[(&str, Gives)] = &[
    ("--folder", Gives::Value("folder")),
    ("--project", Gives::Value("project")),
    ("--tag", Gives::Value("tag")),
    ("--since", Gives::Value("since")),
    ("--until", Gives::Value("until")),
    ("--order", Gives::Value("order")),
    ("--limit", Gives::Value("limit")),
    ("--offset", Gives::Value("offset")),
    (
        "--fields",
        Gives::Choice(&[
            ("path", Change::words(&["fields=path"])),
            ("path+metadata", Change::NOTHING),
            ("full", Change::words(&["fields=full"])),
        ]),
    ),
    ("--count-only", Gives::Means(Change::words(&["total"]))),
];

const LINES: &[Line] = &[
    Line::new(
        "search",
        "search:context",
        &["query"],
        &[
            ("--folder", Gives::Value("path")),
            ("--limit", Gives::Value("limit")),
            ("--keyword", Gives::Means(Change::NOTHING)),
            ("--match", Gives::Choice(&[("all-terms", Change::NOTHING)])),
            (
                "--fields",
                Gives::Choice(&[
                    ("path", Change::command("search", &[])),
                    ("path+snippet", Change::NOTHING),
                ]),
            ),
            (
                "--count-only",
                Gives::Means(Change::command("search", &["total"])),
            ),
        ],
    )
    .with_defaults(&[("limit", "10")])
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
        ],
    )
    .needing("knowtation write: provide a note path."),
    Line::new("list-notes", "notes:list", &[], LIST_OPTIONS),
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
    ),
];

fn object(envelope: &Envelope, surroundings: &Surroundings) -> Value {
    if let Some(error) = &envelope.error {
        return error_of(error, envelope, surroundings);
    }
    let mut payload = payload(envelope).unwrap_or_else(|| envelope.data.clone().into());
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
fn payload(envelope: &Envelope) -> Option<Value> {
    let data = &envelope.data;
    if data.contains_key("dryRun") {
        return None;
    }
    Some(match envelope.command.as_str() {
        "backlinks" => {
            let rows: Value = rows::items(envelope)?.iter().map(backlink).collect();
            json!({ "path": rows::subject(&envelope.params), "backlinks": rows })
        }
        "search" | "search:context" => search(envelope)?,
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
        let count = envelope.data.get("total")?;
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

/// The notes and their copies. Where they come from is told by the run, whose record names them.
fn export(envelope: &Envelope) -> Option<Value> {
    let copy = |item: &Value| json!({ "path": item["path"], "output": item["output"] });
    let exported: Value = rows::items(envelope)?.iter().map(copy).collect();
    let provenance = format!("vault-gw run {}", envelope.run_id);
    Some(json!({ "exported": exported, "provenance": provenance }))
}

/// The score of every hit: the search does not rank.
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

/// The messages that its clients match on, for a missing note and for a path outside the vault.
fn error_of(error: &ErrorBody, envelope: &Envelope, surroundings: &Surroundings) -> Value {
    let note = surroundings.note.as_deref().or_else(|| {
        let params = &envelope.params;
        params.get("path").or_else(|| params.get("file"))?.as_str()
    });
    let text = match (error.code, note) {
        (Code::FileNotFound, Some(note)) => format!("Note not found: {note}"),
        (Code::PathEscape, Some(note)) => {
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
