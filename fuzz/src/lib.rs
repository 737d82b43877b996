//! What must hold for any input to a parser that eats foreign bytes.
//!
//! Each function takes one input and panics where its property does not hold. The targets in
//! `fuzz_targets/` hand them what libFuzzer makes up; `tests/fuzzed.rs` of the project includes this
//! file and tries them on the stable toolchain, so that they cannot rot.

use std::path::Path;

use cli_output::{AppError, Shape, startup_noise};
use serde_json::{Map, Value};
use vault_engine::frontmatter::Frontmatter;
use vault_engine::scan::{self, Span};
use vault_engine::search::{Certainty, Document, FromText, Query};
use vault_engine::{Args, Change, Editor, Registry, Surroundings, Vault, VaultPath};
use vault_gw::allowlist::Catalogue;
use vault_gw::gateway::Request;

/// A line from an agent is a request or an error. What is admitted has the parameters of its
/// command and no others.
pub fn request_line(line: &[u8]) {
    let Ok(request) = Request::from_json(line) else {
        return;
    };
    if request.check().is_err() {
        return;
    }
    let Ok(command) = Catalogue::find_builtin(&request.command) else {
        return;
    };
    if let Ok(arguments) = command.admit(&request.params.0) {
        for name in arguments.values.keys() {
            assert!(command.param(name).is_some(), "{name} was not admitted");
        }
    }
}

/// Any text can be scanned, and what is found lies inside it.
pub fn note(text: &str) {
    let facts = scan::scan(text);
    for link in facts.links.iter().chain(&facts.embeds) {
        assert_eq!(link.original, part(text, link.span));
    }
    for tag in &facts.tags {
        assert_eq!(tag.tag, part(text, tag.span));
    }
    let others = facts
        .frontmatter
        .into_iter()
        .chain(facts.headings.iter().map(|heading| heading.span))
        .chain(facts.list_items.iter().map(|item| item.span))
        .chain(facts.sections.iter().map(|section| section.span))
        .chain(facts.blocks.iter().map(|block| block.span));
    for span in others {
        let before = &text[..span.start.byte as usize];
        assert_eq!(span.start.utf16 as usize, before.encode_utf16().count());
        assert_eq!(span.start.line as usize, before.matches('\n').count());
        part(text, span);
    }
}

/// The text of a span; slicing panics outside the text and inside a character.
fn part(text: &str, span: Span) -> &str {
    &text[span.start.byte as usize..span.end.byte as usize]
}

/// Properties can be read or are an error. Setting one, and removing it, changes no other property
/// and no byte of the body. The first line is the name, the second the value, the rest the note.
pub fn yaml(input: &str, folder: &Path) {
    let mut lines = input.splitn(3, '\n');
    let (name, value) = (
        lines.next().unwrap_or_default(),
        lines.next().unwrap_or_default(),
    );
    let note = lines.next().unwrap_or_default();
    let before = Frontmatter::parse_note(note);
    if let Ok(properties) = &before {
        drop((properties.links(), properties.tags(), properties.aliases()));
    }
    write(folder, "note.md", note);
    let Ok(vault) = Vault::open(folder) else {
        return;
    };
    let on_note = at("note.md").with("name", name);
    let set = on_note.clone().with("value", value);
    for (command, given) in [("property:set", set), ("property:remove", on_note)] {
        let Ok(edit) = Editor(&vault).plan(command, &given, &surroundings()) else {
            continue;
        };
        for change in edit.changes {
            if let Change::Modify { path, after, .. } = change
                && path.as_str() == "note.md"
            {
                let after = String::from_utf8(after).expect("a note stays UTF-8");
                check_others_stay(name, note, &after);
            }
        }
    }
}

fn check_others_stay(name: &str, before: &str, after: &str) {
    let others = |note: &str| -> Map<String, Value> {
        let properties = Frontmatter::parse_note(note).expect("an edit leaves readable properties");
        let mut others = properties.properties.clone();
        others.shift_remove(name);
        others
    };
    assert_eq!(others(before), others(after), "{name} changed alone");
}

/// A move rewrites the links of a canvas and nothing else in it: it stays JSON, and all but texts
/// and paths of cards stays as it was.
pub fn canvas(json: &str, folder: &Path) {
    write(folder, "note.md", "[[board.canvas]]");
    write(folder, "board.canvas", json);
    let Ok(vault) = Vault::open(folder) else {
        return;
    };
    let given = at("note.md").with("to", &path("folder/moved.md"));
    let Ok(edit) = Editor(&vault).plan("move", &given, &surroundings()) else {
        return;
    };
    for change in edit.changes {
        if let Change::Modify { path, after, .. } = change
            && path.as_str() == "board.canvas"
        {
            let blank = |json: &[u8]| {
                let mut value: Value = serde_json::from_slice(json).expect("JSON stays JSON");
                let nodes = value.get_mut("nodes").and_then(Value::as_array_mut);
                for node in nodes.into_iter().flatten().filter_map(Value::as_object_mut) {
                    node.retain(|key, _| key != "text" && key != "file");
                }
                value
            };
            assert_eq!(blank(json.as_bytes()), blank(&after));
        }
    }
}

/// Any query over any note ends; its hits lie inside the note, and the prefilter agrees with the
/// search. The first line is the query, the rest the note.
pub fn search_query(input: &str) {
    let (query, note) = input.split_once('\n').unwrap_or((input, ""));
    for case_sensitive in [false, true] {
        search(query, note, case_sensitive);
    }
}

/// The same for a query that is one regular expression.
pub fn regular_expression(input: &str) {
    let (pattern, note) = input.split_once('\n').unwrap_or((input, ""));
    search(&format!("/{pattern}/"), note, false);
}

/// A base has rows, or an error, and the same ones twice.
pub fn base(text: &str, folder: &Path) {
    let note = "---\ntags: [a]\nprice: 5\ndue: 2026-01-02\nauthor: \"[[b]]\"\n---\n[[b]] #c\n";
    write(folder, "a.md", note);
    write(folder, "X.base", text);
    let Ok(vault) = Vault::open(folder) else {
        return;
    };
    let (given, surroundings) = (at("X.base"), surroundings());
    let ask = || vault_engine::answer(&vault, "base:query", &given, &surroundings);
    match (ask(), ask()) {
        (Ok(one), Ok(other)) => assert_eq!(one, other),
        (one, other) => assert!(one.is_err() && other.is_err()),
    }
}

/// The same for one expression: as a filter and as a column.
pub fn base_expression(text: &str, folder: &Path) {
    let text = Value::from(text);
    let filter = format!("filters: {text}\nviews: [{{type: table}}]");
    base(&filter, folder);
    let column = format!(
        "formulas: {{f: {text}}}\nviews: [{{type: table, order: [formula.f], sort: [{{property: formula.f}}]}}]"
    );
    base(&column, folder);
}

fn search(query: &str, note: &str, case_sensitive: bool) {
    // As the engine does when it reads a note.
    let note = note.trim_start_matches('\u{feff}');
    let Ok(query) = Query::parse(query, case_sensitive) else {
        return;
    };
    let document = Document::new("notes/a note.md", note, &FromText);
    let (Ok(matches), Ok(hits)) = (query.matches(&document), query.hits(&document)) else {
        return;
    };
    assert_eq!(matches, hits.is_some());
    for hit in hits.into_iter().flat_map(|hits| hits.places) {
        // Slicing panics outside the text and inside a character.
        let _ = &note[hit];
    }
    match query.prefilter("notes/a note.md", Some(note.as_bytes())) {
        Certainty::Yes => assert!(matches),
        Certainty::No => assert!(!matches),
        Certainty::Maybe => {}
    }
}

/// Any output of the official CLI is an answer, an error of the app, or not understood. What was
/// understood is printed so that it is understood again. The first byte chooses the shape, the
/// second the flags and the format.
pub fn cli_output(input: &[u8]) {
    let [shape, form, text @ ..] = input else {
        return;
    };
    let text = String::from_utf8_lossy(text);
    let (text, _) = startup_noise::strip(&text);
    drop(AppError::parse(text));
    let shape = Shape::APP[usize::from(*shape) % Shape::APP.len()];
    let mut given = Args::default();
    for (bit, flag) in ["total", "counts", "verbose", "paths"].iter().enumerate() {
        if form & (1 << bit) != 0 {
            given = given.with_flag(flag);
        }
    }
    let formats = ["", "json", "csv", "tsv", "md", "yaml", "tree", "text"];
    let format = formats[usize::from(form >> 5)];
    if !format.is_empty() {
        given = given.with("format", format);
    }
    if let Ok(mut answer) = cli_output::parse(shape, &given, text) {
        let printed = cli_output::render(&answer, shape, &given);
        drop(cli_output::render_shown(&mut answer, shape, &given));
        // A name that ends with a carriage return looks like a line that ends with CRLF.
        let is_ambiguous = printed.is_empty() || printed.contains("\r\n");
        assert!(
            is_ambiguous || cli_output::parse(shape, &given, &printed).is_ok(),
            "{shape:?} {given:?}: {printed:?}"
        );
    }
}

/// Whatever the cache of this vault holds, questions that are answered from it end in an answer or an
/// error.
pub fn index_cache(vault: &Vault) {
    for command in [
        "tags",
        "tasks",
        "properties",
        "unresolved",
        "orphans",
        "aliases",
    ] {
        let _ended = vault_engine::answer(vault, command, &Args::default(), &surroundings());
    }
    let of_note = at("a.md");
    for command in ["backlinks", "links", "notes:related"] {
        let _ended = vault_engine::answer(vault, command, &of_note, &surroundings());
    }
    let given = of_note.with("to", &path("moved.md"));
    let _ended = Editor(vault).plan("move", &given, &surroundings());
}

fn path(text: &str) -> VaultPath {
    VaultPath::file(text).expect("this is a path")
}

/// The arguments that name this file.
fn at(text: &str) -> Args {
    Args::default().with("path", &path(text))
}

fn surroundings() -> Surroundings {
    Surroundings {
        now: jiff::Zoned::default(),
        random: 0,
        registry: Registry::default(),
    }
}

fn write(folder: &Path, name: &str, text: &str) {
    fs_err::write(folder.join(name), text).expect("the folder of the target can be written to");
}
