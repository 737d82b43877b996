//! The rows that five documents of other tools ask of a vault (`docs/reference/contracts.md`), each with
//! the command that shows it. The rows are data, in `tests/contracts/`; `cargo xtask contracts` prints the
//! table.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fake_obsidian::scenario::Scenario;
use serde::Deserialize;
use serde_json::Value;

use crate::support::{Ran, World, sources};

/// A file of rows.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    row: Vec<Row>,
}

/// One row, what shows it, and what is expected of the last command.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Its id in `docs/reference/contracts.md`.
    id: String,
    /// What it asks for, in our words.
    asks: String,
    /// Command lines of `vault-gw`, one after the other.
    #[serde(default)]
    run: Vec<String>,
    /// The test that shows it, by its full name, where no command line can: `cargo xtask contracts` runs it.
    test: Option<String>,
    #[serde(default)]
    exit: i32,
    /// All of standard output.
    text: Option<String>,
    /// Lines, or keys with their values, that standard output has.
    #[serde(default)]
    has: Vec<String>,
    /// Texts that it does not have.
    #[serde(default)]
    absent: Vec<String>,
    /// Texts that standard error has.
    #[serde(default)]
    err: Vec<String>,
    /// Values by JSON pointer in the one object on standard output, or in its last line; on standard error
    /// where standard output is empty.
    #[serde(default)]
    json: BTreeMap<String, Value>,
    /// What a value is that differs from run to run: `time`, `number`, `text`, `list`, `object`, `null`, or
    /// `absent`.
    #[serde(default)]
    kinds: BTreeMap<String, String>,
    /// Whether the app runs.
    #[serde(default)]
    app: bool,
    /// Lines of the settings instead of the usual ones.
    settings: Option<String>,
    /// Standard input of the first command.
    stdin: Option<String>,
    /// Why it is not as the document has it.
    differs: Option<String>,
}

const GARDEN: &str = "---\ntitle: The Garden\naliases: [Plot]\ntags: [idea, area/green]\nproject: Green\ndate: 2026-03-02\nstatus: open\n---\n# Garden\n\nText about soil.\n\n## Beds\n\nRows. ^b1\n\n## 日本語 heading\n";

/// The notes that the rows are about.
fn garden() -> World {
    let world = World::empty();
    let big = "word ".repeat(12_000);
    for (path, text) in [
        (
            "Home.md",
            "# Home\n\nSee [[Garden#Beds|the beds]] and ![[mill.png]].\n\n- [ ] Water #garden 📅 2026-03-01\n",
        ),
        ("Projects/Garden.md", GARDEN),
        ("Projects/Log.md", "Back to [[Home]] or [[Nowhere]].\n"),
        (
            "Inbox/one.md",
            "---\nsource: test\ndate: 2025-03-01\nproject: foo\ntags: [a, b]\n---\n# Inbox one\n\nBody of inbox one.\n",
        ),
        ("Code.md", "`[[never]]` [one](Inbox/one.md)\n"),
        ("Equal/a.md", "An equal text.\n"),
        ("Equal/b.md", "An equal text.\n"),
        ("Twins/Note.md", "One of two. [[Twins/more/Note]]\n"),
        ("Twins/more/Note.md", "The other. [[Twins/Note]]\n"),
        ("Templates/Day.md", "# {{title}}\n"),
        ("Daily/2026-03-14.md", "A day.\n"),
        ("Archive/old.md", "[[Gone]]\n"),
        ("Big.md", big.as_str()),
        ("mill.png", ""),
        (
            "Table.base",
            "filters: 'file.folder == \"Projects\"'\nviews:\n  - type: table\n    name: All\n    order: [file.name, status]\n",
        ),
        ("Board.canvas", "{\"nodes\":[],\"edges\":[]}"),
        (
            ".obsidian/app.json",
            r#"{"userIgnoreFilters":["Archive/"]}"#,
        ),
        (".obsidian/daily-notes.json", r#"{"folder":"Daily"}"#),
        (".obsidian/templates.json", r#"{"folder":"Templates"}"#),
    ] {
        world.write(path, text);
    }
    world
}

fn rows() -> Vec<Row> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/contracts");
    let mut files: Vec<_> = fs_err::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let read = |file: &std::path::PathBuf| {
        let text = fs_err::read_to_string(file).unwrap();
        let rows: Rows = toml::from_str(&text).unwrap();
        rows.row
    };
    files.iter().flat_map(read).collect()
}

impl Row {
    /// Whether it expects a value: a word that may occur for another reason is none.
    fn expects_a_value(&self) -> bool {
        let is_value = |text: &String| {
            text.ends_with('\n') || text.contains("\":") && !text.ends_with([':', '{', '['])
        };
        let is_failure = self.exit != 0 && !self.err.is_empty();
        let has_value = self.has.iter().any(is_value) || is_failure;
        has_value || self.text.is_some() || !self.json.is_empty() || !self.kinds.is_empty()
    }
}

/// What is wrong with the row; nothing where it is shown.
fn fault(row: &Row, tests: &BTreeSet<String>) -> Option<String> {
    if let Some(test) = &row.test {
        let name = test.rsplit("::").next().unwrap_or_default();
        return (!tests.contains(name)).then(|| format!("no test `{test}`"));
    }
    if !row.expects_a_value() {
        return Some("expects no value".to_owned());
    }
    let usual = "enabled = true\nallow_mutations = true\n";
    let mut world = garden();
    if row.app {
        world = world.with_fake(&Scenario::logged());
    }
    // What is not about the app is asked of the engine, so that no row waits for a program.
    let has_backend = row.app || row.run.iter().any(|line| line.contains("--backend"));
    let backend = if has_backend {
        ""
    } else {
        "backend = \"embedded\"\n"
    };
    let settings = row.settings.as_deref();
    let backend = if settings.is_some_and(|lines| lines.contains("backend")) {
        ""
    } else {
        backend
    };
    let imports = tempfile::tempdir().unwrap();
    let clips = imports.path().join("clips");
    fs_err::create_dir(&clips).unwrap();
    fs_err::write(clips.join("Clip.md"), "---\ntags: [own]\n---\nA clip.\n").unwrap();
    let settings = settings.unwrap_or(usual);
    let settings = settings.replace("\"IMPORTS\"", &crate::support::quoted(imports.path()));
    world = world.set(&format!("{settings}\n{backend}"));
    let mut last = None;
    for (number, line) in row.run.iter().enumerate() {
        let words = shell_words::split(line).unwrap();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let input = row.stdin.as_deref().filter(|_| number == 0);
        last = Some(world.run_with_input(&words, input.unwrap_or_default().as_bytes()));
    }
    check(row, &last?)
}

fn check(row: &Row, ran: &Ran) -> Option<String> {
    let text = String::from_utf8_lossy(&ran.stdout);
    let mut faults = String::new();
    let mut add = |fault: String| faults += &format!("{fault}; ");
    if ran.status != Some(row.exit) {
        add(format!("exit status {:?}", ran.status));
    }
    for wanted in row
        .has
        .iter()
        .filter(|wanted| !text.contains(wanted.as_str()))
    {
        add(format!("no {wanted}"));
    }
    for unwanted in row
        .absent
        .iter()
        .filter(|text_of| text.contains(text_of.as_str()))
    {
        add(format!("has {unwanted}"));
    }
    let is_reported = |wanted: &&String| ran.stderr.contains(wanted.as_str());
    if !row.err.is_empty() && !row.err.iter().any(|wanted| is_reported(&wanted)) {
        add(format!("no {:?} on standard error", row.err));
    }
    if let Some(expected) = &row.text
        && *expected != text
    {
        add(format!("not {expected:?}"));
    }
    let object = if text.trim().is_empty() {
        ran.stderr.as_str()
    } else {
        &text
    };
    let object: Value = serde_json::from_str(object)
        .or_else(|_| serde_json::from_str(object.lines().last().unwrap_or_default()))
        .unwrap_or_default();
    for (pointer, expected) in &row.json {
        if object.pointer(pointer) != Some(expected) {
            add(format!("{pointer} is {:?}", object.pointer(pointer)));
        }
    }
    for (pointer, expected) in &row.kinds {
        let kind = kind_of(object.pointer(pointer));
        if kind != expected {
            add(format!("{pointer} is {kind}"));
        }
    }
    let start: String = text.chars().take(700).collect();
    (!faults.is_empty()).then(|| format!("{faults}{start} | {}", ran.stderr))
}

/// What a value is, by the words of `kinds`.
fn kind_of(value: Option<&Value>) -> &'static str {
    match value {
        None => "absent",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "boolean",
        Some(Value::Number(_)) => "number",
        Some(Value::String(text)) if text.parse::<jiff::Timestamp>().is_ok() => "time",
        Some(Value::String(_)) => "text",
        Some(Value::Array(_)) => "list",
        Some(Value::Object(_)) => "object",
    }
}

/// The names of all tests of this repository.
fn tests() -> BTreeSet<String> {
    let name = |line: &str| {
        let name = line.trim_start().strip_prefix("fn ")?;
        name.split_once('(').map(|(name, _)| name.to_owned())
    };
    let sources = sources(&["tests", "src", "crates"]);
    let lines = sources.iter().flat_map(|(_, text)| text.lines());
    lines.filter_map(name).collect()
}

/// The ids of the rows of the reference that are asked of a vault.
fn asked() -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/contracts.md");
    let text = fs_err::read_to_string(file).unwrap();
    let row = |line: &str| {
        let id = line.strip_prefix("| ")?.split(' ').next()?;
        let is_id = id.len() == 3 && id.starts_with(['D', 'I', 'K', 'C', 'M']);
        let cell = line
            .trim_end()
            .trim_end_matches('|')
            .rsplit('|')
            .next()?
            .trim();
        let is_row = is_id && id[1..].bytes().all(|byte| byte.is_ascii_digit());
        (is_row && !cell.starts_with('N')).then(|| id.to_owned())
    };
    text.lines().filter_map(row).collect()
}

#[test]
fn every_row_of_the_five_documents_is_shown() {
    let rows = rows();
    let mut ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut expected = asked();
    expected.sort_unstable();
    assert_eq!(ids, expected);
    let tests = tests();
    let shares: Vec<&[Row]> = rows.chunks(rows.len().div_ceil(8)).collect();
    let faults: Vec<(String, String)> = std::thread::scope(|scope| {
        let started: Vec<_> = shares
            .into_iter()
            .map(|share| {
                let tests = &tests;
                scope.spawn(move || {
                    let fault = |row: &Row| Some((row.id.clone(), fault(row, tests)?));
                    share.iter().filter_map(fault).collect::<Vec<_>>()
                })
            })
            .collect();
        started
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    let mut table = String::new();
    let mut differing = 0;
    for row in &rows {
        let shown = row
            .test
            .clone()
            .map_or_else(|| row.run.join(" && "), |test| format!("test {test}"));
        let state = match &row.differs {
            Some(why) => {
                differing += 1;
                format!("differs: {why}")
            }
            None => "works".to_owned(),
        };
        table += &format!("{}\t{}\t{shown}\t{state}\n", row.id, row.asks);
    }
    let works = rows.len() - differing - faults.len();
    println!(
        "{table}\n{} rows: {works} work, {differing} differ, {} fail",
        rows.len(),
        faults.len()
    );
    let listed: Vec<String> = faults
        .iter()
        .map(|(id, fault)| format!("{id}: {fault}"))
        .collect();
    assert!(faults.is_empty(), "{}", listed.join("\n"));
}
