//! Output profiles: projections of real runs against the samples of `tests/profiles`, and what the
//! program makes of a profile's own command line.

use std::collections::BTreeMap;
use std::path::Path;

use fake_obsidian::scenario::{Action, Scenario};
use serde_json::{Value, json};
use vault_gw::gateway::profile::{Profile, Stream, Surroundings};
use vault_gw::gateway::{Caller, Envelope, Options};

use crate::support::profiles::{assert_meminit, surroundings};
use crate::support::{Ran, World, checked, request};

/// A note that another one links to, as in the vault of the samples.
fn linked() -> World {
    let world = World::empty();
    world.write("Home.md", "# Home\n");
    world.write("Getting started/Create a vault.md", "See [[Home]].\n");
    world.write("Alone.md", "nothing\n");
    world
}

fn sample(profile: Profile, case: &str) -> Value {
    let name = format!("tests/profiles/samples/{}.{case}.json", profile.name());
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    serde_json::from_str(&fs_err::read_to_string(file).unwrap()).unwrap()
}

/// The object that a profile makes of an envelope.
fn object(profile: Profile, envelope: &Envelope) -> Value {
    let told = profile.project(envelope, &surroundings());
    serde_json::from_str(&told.text).unwrap()
}

/// Asserts that two objects have the same keys in the same order, values of the same types, and
/// equal values but for those at `varying`. Objects there may have other keys.
fn assert_like(got: &Value, expected: &Value, varying: &[&str]) {
    let (mut got, mut expected) = (got.clone(), expected.clone());
    for place in varying {
        if let (Some(left), Some(right)) = (got.pointer_mut(place), expected.pointer_mut(place)) {
            assert_eq!(kind(left), kind(right), "{place}: {left} and {right}");
            *left = Value::Null;
            *right = Value::Null;
        }
    }
    // As texts, because the order of keys counts.
    assert_eq!(got.to_string(), expected.to_string());
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "switch",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

/// What differs from run to run, or is said in our own words.
const VARYING: [&str; 15] = [
    "/run_id",
    "/query",
    "/params",
    "/durationMs",
    "/meta/query_time_ms",
    "/data/process/durationMs",
    "/stdout",
    "/data/process/stdout",
    "/command",
    "/data/process/command",
    "/advice",
    "/timestamp",
    "/error/details",
    "/error/message",
    "/error/code",
];

/// The calls of the samples on one backend.
fn calls(backend: &str) -> BTreeMap<&'static str, Envelope> {
    let broken = Action::Error {
        message: "something new".to_owned(),
    };
    let world = linked().with_fake(&Scenario::logged().always("files", [broken]));
    let ask = |command: &str, params: &[(&str, &str)]| {
        let mut options = Options::new(Caller::Agent);
        options.backend = Some(serde_json::from_value(json!(backend)).unwrap());
        checked(world.gateway_with(options).call(&request(command, params)))
    };
    let set = [("path", "Home.md"), ("name", "status"), ("value", "x")];
    let mut calls = BTreeMap::from([
        (
            "ok",
            ask("backlinks", &[("path", "Home.md"), ("counts", "true")]),
        ),
        ("nomatch", ask("backlinks", &[("path", "Alone.md")])),
        ("error", ask("property:set", &set)),
    ]);
    if backend == "obsidian" {
        calls.insert("child-error", ask("files", &[]));
    }
    calls
}

#[test]
fn the_samples_are_what_real_runs_give() {
    for backend in ["obsidian", "embedded"] {
        for (case, envelope) in calls(backend) {
            for profile in Profile::ALL {
                let mut expected = sample(profile, case);
                let mut varying = VARYING.to_vec();
                if profile == Profile::Knowtation {
                    varying.push("/error");
                    if case == "nomatch" {
                        expected["path"] = json!("Alone.md");
                    }
                }
                assert_like(&object(profile, &envelope), &expected, &varying);
            }
        }
    }
}

#[test]
fn errors_go_where_the_contract_has_them_and_end_as_it_says() {
    use Stream::{Stderr, Stdout};
    let calls = calls("obsidian");
    let ending = |profile: Profile, case: &str| {
        let told = profile.project(&calls[case], &surroundings());
        (told.stream, told.exit)
    };
    for (profile, no_match, refused, failed) in [
        (Profile::Inspector, (Stdout, 0), (Stderr, 1), (Stderr, 1)),
        (Profile::Knowtation, (Stdout, 0), (Stderr, 2), (Stderr, 2)),
        (Profile::Codira, (Stdout, 1), (Stdout, 2), (Stdout, 2)),
        (Profile::Meminit, (Stdout, 0), (Stdout, 77), (Stdout, 65)),
    ] {
        assert_eq!(ending(profile, "ok"), (Stdout, 0), "{profile:?}");
        assert_eq!(ending(profile, "nomatch"), no_match, "{profile:?}");
        assert_eq!(ending(profile, "error"), refused, "{profile:?}");
        assert_eq!(ending(profile, "child-error"), failed, "{profile:?}");
    }
}

/// Runs the program under a profile; gives the object it wrote, and asserts that the other stream
/// is empty.
fn run(world: &World, profile: &str, words: &[&str], stream: Stream, status: i32) -> Value {
    let words: Vec<&str> = ["--profile", profile]
        .iter()
        .chain(words)
        .copied()
        .collect();
    let ran: Ran = world.run(&words);
    assert_eq!(ran.status, Some(status), "{words:?}: {ran:?}");
    let (text, other) = match stream {
        Stream::Stdout => (ran.text(), ran.stderr.as_str()),
        Stream::Stderr => (ran.stderr.as_str(), ran.text()),
    };
    assert_eq!(other, "", "{words:?}");
    assert!(text.ends_with('\n'), "{words:?}: {text:?}");
    let object: Value = serde_json::from_str(text).unwrap();
    if profile == "meminit" {
        assert_meminit(&object);
    }
    object
}

#[test]
fn the_program_prints_the_profile_and_nothing_else() {
    let world = linked();
    let root = world.vault.canonicalize().unwrap();
    let root = root.to_str().unwrap();
    let told = run(
        &world,
        "inspector",
        &["backlinks", "path=Home.md", "counts"],
        Stream::Stdout,
        0,
    );
    assert_eq!(told["command"], "search.backlinks");
    assert_eq!(told["meta"]["vault_path"], root);
    assert!(told["timestamp"].as_str().unwrap().ends_with('Z'));
    let told = run(
        &world,
        "meminit",
        &["backlinks", "path=Home.md", "-j"],
        Stream::Stdout,
        0,
    );
    assert_eq!(told["root"], root);
    assert!(told.get("timestamp").is_none() && told.get("correlation_id").is_none());
    let told = run(
        &world,
        "knowtation",
        &["backlinks", "file=Home"],
        Stream::Stdout,
        0,
    );
    assert_eq!(told["path"], "Home");
    let told = run(
        &world,
        "codira",
        &["backlinks", "path=Alone.md"],
        Stream::Stdout,
        1,
    );
    assert_eq!(told["status"], "no_matches");
}

#[test]
fn wrong_words_are_told_in_the_form_of_the_profile() {
    let world = linked();
    let wrong: [&[&str]; 4] = [
        &["backlinks", "pth=Home.md"],
        &["bcklinks"],
        &["backlinks", "path=Home.md", "--nonsense"],
        &["backlinks", "path=Home.md", "--correlation-id", "a b"],
    ];
    for words in wrong {
        let told = run(&world, "inspector", words, Stream::Stderr, 2);
        assert_eq!(told["error"]["code"], 2, "{words:?}");
        assert_eq!(told["error"].as_object().unwrap().len(), 2);
        let told = run(&world, "knowtation", words, Stream::Stderr, 1);
        assert_eq!(told["code"], "USAGE_ERROR", "{words:?}");
        assert!(told["error"].is_string());
        let told = run(&world, "codira", words, Stream::Stdout, 2);
        assert_eq!(told["status"], "error", "{words:?}");
        assert_eq!(told["results"], json!([]));
        let told = run(&world, "meminit", words, Stream::Stdout, 64);
        assert_eq!(told["success"], false, "{words:?}");
    }
    let ran = world.run(&["--profile", "nonsense", "backlinks"]);
    assert_eq!(ran.status, Some(64));
    assert!(ran.stderr.contains("inspector"), "{ran:?}");
}

#[test]
fn ids_and_times_are_in_meminit_where_they_were_asked_for() {
    let world = linked();
    let options = ["--correlation-id", "c-1", "--include-timestamp"];
    for (words, status) in [
        (&["backlinks", "path=Home.md"][..], 0),
        (&["read", "path=Nowhere.md"], 66),
        (&["read", "pth=x"], 64),
        (&["doctor"], 0),
        (&["explain", "BUSY"], 0),
        (&["explain", "NOT_A_CODE"], 64),
    ] {
        let words: Vec<&str> = words.iter().chain(&options).copied().collect();
        let told = run(&world, "meminit", &words, Stream::Stdout, status);
        assert_eq!(told["correlation_id"], "c-1", "{words:?}");
        assert!(told["timestamp"].is_string(), "{words:?}");
        let keys: Vec<&str> = told
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let root = if words[0] == "explain" { "" } else { "root " };
        let error = if status == 0 { "" } else { " error" };
        assert_eq!(
            keys.join(" "),
            format!(
                "output_schema_version success command run_id correlation_id timestamp {root}data \
                 warnings violations advice{error}"
            )
        );
    }
}

#[test]
fn a_verb_of_meminit_bears_a_root_where_its_schema_wants_one() {
    let world = linked();
    let told = run(&world, "meminit", &["capabilities"], Stream::Stdout, 0);
    assert!(told.get("root").is_none());
    let told = run(&world, "meminit", &["explain", "--list"], Stream::Stdout, 0);
    assert!(told["data"]["codes"].is_array(), "{told:#}");
    let told = run(&world, "meminit", &["doctor"], Stream::Stdout, 0);
    assert_eq!(
        told["root"],
        world.vault.canonicalize().unwrap().to_str().unwrap()
    );
    let told = run(
        &world,
        "meminit",
        &["doctor", "--vault", "./nowhere"],
        Stream::Stdout,
        66,
    );
    assert_eq!(told["root"], world.scratch().to_str().unwrap());
    let told = run(
        &world,
        "meminit",
        &["--root", "./nowhere", "read", "path=a"],
        Stream::Stdout,
        66,
    );
    assert!(told.get("root").is_none(), "{told:#}");
    assert_eq!(told["error"]["code"], "VAULT_NOT_FOUND");
}

#[test]
fn inspector_is_spoken() {
    let world = linked();
    world.write("Tagged.md", "#a/b and #c\n[[Nowhere]] [[Home]]\n");
    let ask = |words: &[&str]| run(&world, "inspector", words, Stream::Stdout, 0);
    let told = ask(&["search", "notes", "see", "--limit", "5", "-o", "json"]);
    assert_eq!(told["command"], "search.notes");
    assert_eq!(told["params"], json!({"limit": 5, "query": "see"}));
    let mut told = told;
    let rank = told["result"]["items"][0]["rank"].take();
    assert!(rank.as_f64().unwrap() < 0.0, "{rank}");
    assert_eq!(
        told["result"],
        json!({"total": 1, "items": [{
            "chunk_id": null,
            "note_id": null,
            "note_path": "Getting started/Create a vault.md",
            "note_title": "Create a vault",
            "heading_path": null,
            "chunk_text": "See [[Home]].",
            "rank": null,
        }]})
    );
    assert_eq!(ask(&["search", "notes", "see"])["params"]["limit"], 20);
    let told = ask(&["search", "backlinks", "Home"]);
    assert_eq!(told["params"], json!({"limit": 1000, "to": "Home"}));
    assert_eq!(told["result"]["total"], 2);
    let told = ask(&["search", "links", "Tagged.md"]);
    let titles: Vec<&Value> = told["result"]["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["note_path"])
        .collect();
    assert_eq!(titles, ["Nowhere", "Home.md"]);
    let told = ask(&["search", "unresolved"]);
    assert_eq!(told["result"]["items"][0]["note_path"], "Nowhere");
    let told = ask(&["search", "tags", "--list"]);
    assert_eq!(
        told["result"],
        json!({"total": 3, "items": [{"tag": "a"}, {"tag": "a/b"}, {"tag": "c"}]})
    );
    let told = ask(&["search", "tags", "c"]);
    assert_eq!(told["command"], "search.tags");
    assert_eq!(
        told["result"]["items"],
        json!([{"note_id": null, "note_path": "Tagged.md", "note_title": "Tagged", "tags": ["a/b", "c"]}])
    );
    let told = ask(&["view", "describe", "Home.md"]);
    assert_eq!(
        (&told["command"], &told["result"]["path"]),
        (&json!("view.describe"), &json!("Home.md"))
    );
    let told = ask(&["search", "tags", "A,nowhere", "--match", "any"]);
    assert_eq!(told["result"]["total"], 1);
    let told = ask(&[
        "diagnose",
        "orphans",
        "--exclude-templates",
        "--exclude-daily",
    ]);
    assert_eq!(told["command"], "diagnose.orphans");
    assert_eq!(told["result"]["items"][0]["path"], "Alone.md");
}

#[test]
fn any_text_can_be_searched_for() {
    let world = linked();
    world.write("Odd.md", "say foo\"bar: (and http://a.b/c\n");
    for query in ["foo\"bar", "bar: (and", "http://a.b/c", "front-matter"] {
        let status = i32::from(query == "front-matter");
        let count = usize::from(status == 0);
        let told = run(
            &world,
            "inspector",
            &["search", "notes", query],
            Stream::Stdout,
            0,
        );
        assert_eq!(
            (&told["result"]["total"], &told["params"]["query"]),
            (&json!(count), &json!(query))
        );
        let told = run(&world, "knowtation", &["search", query], Stream::Stdout, 0);
        assert_eq!(told["results"].as_array().unwrap().len(), count);
        assert_eq!(told["query"], query);
        let told = run(
            &world,
            "codira",
            &["embeddings", query],
            Stream::Stdout,
            status,
        );
        assert_eq!(told["query"]["query"], query);
    }
}

#[test]
fn codira_is_spoken() {
    let world = linked();
    let ask = |words: &[&str], status| run(&world, "codira", words, Stream::Stdout, status);
    let told = ask(&["refs", "Home", "--incoming", "--json"], 0);
    assert_eq!(
        (&told["command"], &told["query"]),
        (&json!("refs"), &json!({"to": "Home", "prefix": null}))
    );
    assert_eq!(
        told["results"][0]["path"],
        "Getting started/Create a vault.md"
    );
    let told = ask(&["calls", "Getting started/Create a vault.md", "-j"], 0);
    assert_eq!(
        told["results"],
        json!([{
            "path": "Home.md", "title": "Home", "links": 1, "embed": false, "alias": null,
            "heading": null, "block": null, "target": "Home", "status": "resolved",
            "source": "Getting started/Create a vault.md", "line": 1,
        }])
    );
    world.write("Odd.md", "![[Home#A|b]] [c](Home.md#^d)\n");
    let told = ask(&["calls", "Odd.md"], 0);
    let of = |key: &str| {
        [
            told["results"][0][key].clone(),
            told["results"][1][key].clone(),
        ]
    };
    assert_eq!(of("embed"), [true, false]);
    assert_eq!(of("alias"), ["b", "c"]);
    assert_eq!(of("heading"), [json!("A"), json!(null)]);
    assert_eq!(of("block"), [json!(null), json!("d")]);
    let elsewhere = ["calls", "Odd.md", "--prefix", "Getting started"];
    assert_eq!(ask(&elsewhere, 1)["status"], "no_matches");
    fs_err::remove_file(world.vault.join("Odd.md")).unwrap();
    let told = ask(&["audit", "--prefix", "Nowhere"], 2);
    assert_eq!(told["results"], json!([]));
    let told = ask(
        &[
            "embeddings",
            "see",
            "--prefix",
            "Getting started",
            "--limit=3",
        ],
        0,
    );
    assert_eq!(told["query"]["prefix"], "Getting started");
    assert_eq!(told["results"].as_array().unwrap().len(), 1);
    assert_eq!(ask(&["emb", "no such text"], 1)["command"], "emb");
    assert_eq!(
        ask(&["refs", "Nobody"], 1)["error"]["code"],
        "FILE_NOT_FOUND"
    );
    assert_eq!(
        ask(&["refs", "Home", "--incoming=yes"], 2)["error"]["code"],
        "USAGE_ERROR"
    );
    assert_eq!(
        ask(&["read", "path=Alone.md"], 0)["results"][0]["content"],
        "nothing\n"
    );
}

#[test]
fn knowtation_is_spoken() {
    let world = linked().set("allow_mutations = true");
    let ask = |words: &[&str]| run(&world, "knowtation", words, Stream::Stdout, 0);
    let unscored = |words: &[&str]| {
        let mut told = ask(words);
        let score = told["results"][0]["score"].take();
        assert!(score.as_f64().unwrap() > 0.0, "{score}");
        told.to_string()
    };
    assert_eq!(
        unscored(&["search", "see", "--keyword", "--json"]),
        r#"{"results":[{"path":"Getting started/Create a vault.md","score":null,"project":null,"tags":[],"snippet":"See [[Home]]."}],"query":"see","mode":"keyword"}"#
    );
    assert_eq!(
        unscored(&["search", "see", "--fields", "path"]),
        r#"{"results":[{"path":"Getting started/Create a vault.md","score":null}],"query":"see","mode":"keyword"}"#
    );
    assert_eq!(
        ask(&["search", "see", "--count-only"]).to_string(),
        r#"{"count":1,"query":"see","mode":"keyword"}"#
    );
    assert_eq!(ask(&["search", "total"])["query"], "total");
    assert_eq!(ask(&["search", "query=see", "--count-only"])["count"], 1);
    assert_eq!(ask(&["search", "--", "-minus"])["query"], "-minus");
    assert_eq!(
        ask(&["create", "path=New.md", "content=x"]).to_string(),
        r#"{"path":"New.md","written":true}"#
    );
    let fail = |words: &[&str], status| run(&world, "knowtation", words, Stream::Stderr, status);
    assert_eq!(
        fail(&["search"], 1),
        json!({"error": "knowtation search: provide a query.", "code": "USAGE_ERROR"})
    );
    assert_eq!(
        fail(&["search", "x", "--fields", "all"], 1)["code"],
        "USAGE_ERROR"
    );
    let late = world.run(&["search", "x", "--fields", "all", "--profile", "knowtation"]);
    assert!(late.stderr.starts_with("{\"error\":"), "{late:?}");
    assert_eq!(fail(&["search", "x", "--limit"], 1)["code"], "USAGE_ERROR");
    assert_eq!(
        fail(&["read", "path=Nope.md"], 2),
        json!({"error": "Note not found: Nope.md", "code": "RUNTIME_ERROR"})
    );
}

#[test]
fn f05_no_control_character_is_in_a_profile() {
    let world = World::empty();
    world.write("a.md", "\u{9b}2J\u{202e}\u{7f}\n");
    for profile in Profile::ALL {
        let told = profile.project(&world.call("read", &[("path", "a.md")]), &surroundings());
        assert!(told.text.contains("\\u202e"), "{}", told.text);
        assert!(!told.text.contains(['\u{9b}', '\u{202e}', '\u{7f}']));
    }
}

#[test]
fn what_a_profile_says_is_made_of_the_envelope_alone() {
    let envelope = Envelope::from_failure(
        "x",
        vault_gw::failure::Failure::new(vault_gw::code::Code::Busy, "Busy."),
    );
    for profile in Profile::ALL {
        let around = Surroundings::default();
        let told = profile.project(&envelope, &around);
        assert_eq!(told, profile.project(&envelope, &around));
        assert_ne!(told.exit, 0);
    }
}

/// The notes of Knowtation's own tests (`contracts.md` §3.3), and one with everything that makes
/// headings hard.
fn knowtation_notes() -> World {
    let world = World::empty();
    world.write(
        "inbox/one.md",
        "---\nsource: test\ndate: 2025-03-01\nproject: foo\ntags: [a, b]\n---\n# Inbox one\n\nBody of inbox one.  \n\n",
    );
    world.write(
        "projects/deep work/two-parts_here.md",
        "### first\n\n# A\n\ntext\n\n### B\n\n## [[Wiki link]] and [[A|b]]\n\n> ## In callout\n\n# D *x*\n",
    );
    world
}

#[test]
fn knowtation_gets_outlines_trees_facets_and_sections() {
    let world = knowtation_notes();
    let text = |words: &[&str]| run(&world, "knowtation", words, Stream::Stdout, 0).to_string();
    let two = "projects/deep work/two-parts_here.md";
    assert_eq!(
        text(&["get-note-outline", "inbox/one.md", "--json"]),
        r#"{"schema":"knowtation.note_outline/v1","path":"inbox/one.md","title":"one","headings":[{"level":1,"text":"Inbox one","id":"h1-inbox-one-0001"}],"truncated":false}"#
    );
    assert_eq!(
        text(&["get-document-tree", two, "--json"]),
        r#"{"schema":"knowtation.document_tree/v0","path":"projects/deep work/two-parts_here.md","title":"two parts here","root":{"children":[{"id":"h3-first-0001","level":3,"text":"first","children":[]},{"id":"h1-a-0002","level":1,"text":"A","children":[{"id":"h3-b-0003","level":3,"text":"B","children":[]},{"id":"h2-wiki-link-and-a-b-0004","level":2,"text":"[[Wiki link]] and [[A|b]]","children":[]},{"id":"h2-in-callout-0005","level":2,"text":"In callout","children":[]}]},{"id":"h1-d-x-0006","level":1,"text":"D x","children":[]}]},"truncated":false}"#
    );
    assert_eq!(
        text(&["get-metadata-facets", "inbox/one.md", "--json"]),
        r#"{"schema":"knowtation.metadata_facets/v0","path":"inbox/one.md","facets":{"project":"foo","tags":["a","b"],"date":"2025-03-01T00:00:00.000Z","updated":null,"causal_chain_id":null,"entity":[],"episode_id":null},"inferred":{"folder":"inbox","source_type":null},"truncated":false}"#
    );
    assert_eq!(
        text(&["get-section-source", "inbox/one.md", "--json"]),
        r#"{"schema":"knowtation.section_source/v0","path":"inbox/one.md","title":"one","sections":[{"section_id":"inbox-one-md:h1-inbox-one-0001","heading_id":"h1-inbox-one-0001","level":1,"heading_path":["Inbox one"],"heading_text":"Inbox one","child_section_ids":[],"body_available":true,"body_returned":false,"snippet_returned":false}],"truncated":false}"#
    );
    let outline = run(
        &world,
        "knowtation",
        &["get-note-outline", two],
        Stream::Stdout,
        0,
    );
    let levels: Vec<u64> = outline["headings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|heading| heading["level"].as_u64().unwrap())
        .collect();
    assert_eq!(levels, [3, 1, 3, 2, 2, 1]);
}

#[test]
fn knowtation_gets_notes_whole_and_in_parts() {
    let world = knowtation_notes();
    let text = |words: &[&str]| run(&world, "knowtation", words, Stream::Stdout, 0).to_string();
    let frontmatter =
        r#""frontmatter":{"source":"test","date":"2025-03-01","project":"foo","tags":["a","b"]}"#;
    let body = r##""body":"# Inbox one\n\nBody of inbox one.""##;
    let path = r#""path":"inbox/one.md""#;
    assert_eq!(
        text(&["get-note", "inbox/one.md", "--json"]),
        format!("{{{path},{frontmatter},{body}}}")
    );
    assert_eq!(
        text(&["get-note", "inbox/one.md", "--body-only"]),
        format!("{{{path},{body}}}")
    );
    assert_eq!(
        text(&["get-note", "--frontmatter-only", "inbox/one.md"]),
        format!("{{{path},{frontmatter}}}")
    );
    let fail = |words: &[&str], status| {
        run(&world, "knowtation", words, Stream::Stderr, status).to_string()
    };
    assert_eq!(
        fail(&["get-note", "Nope.md", "--json"], 2),
        r#"{"error":"Note not found: Nope.md","code":"RUNTIME_ERROR"}"#
    );
    assert_eq!(
        fail(&["get-note", "../x.md", "--json"], 2),
        r#"{"error":"Invalid path: path must be vault-relative and cannot escape vault (../x.md)","code":"RUNTIME_ERROR"}"#
    );
    assert_eq!(
        fail(&["get-note", "--json"], 1),
        r#"{"error":"knowtation get-note: provide a note path.","code":"USAGE_ERROR"}"#
    );
    for words in [
        &[
            "get-note",
            "inbox/one.md",
            "--body-only",
            "--frontmatter-only",
        ][..],
        &["get-section-source", "inbox/one.md", "inbox/two.md"],
        &["get-note-outline", "inbox/one.md", "--snippet"],
    ] {
        assert!(fail(words, 1).contains("USAGE_ERROR"), "{words:?}");
    }
}

#[test]
fn knowtation_lists_notes() {
    let world = knowtation_notes();
    world.write(
        "inbox/three.md",
        "---\ntitle: Three\ntags: A/b\n---\nText #日本 #c\n",
    );
    let text = |words: &[&str]| {
        let words: Vec<&str> = ["list-notes"].iter().chain(words).copied().collect();
        run(&world, "knowtation", &words, Stream::Stdout, 0).to_string()
    };
    let one = r#"{"path":"inbox/one.md","title":"one","project":"foo","tags":["a","b"],"date":"2025-03-01"}"#;
    let three =
        r#"{"path":"inbox/three.md","title":"Three","project":null,"tags":["a-b"],"date":null}"#;
    let two = r#"{"path":"projects/deep work/two-parts_here.md","title":"two-parts_here","project":"deep-work","tags":[],"date":null}"#;
    assert_eq!(
        text(&["--json"]),
        format!(r#"{{"notes":[{one},{three},{two}],"total":3}}"#)
    );
    assert_eq!(
        text(&["--folder", "inbox", "--limit", "1", "--offset=1"]),
        format!(r#"{{"notes":[{three}],"total":2}}"#)
    );
    assert_eq!(
        text(&["--tag", "b", "--fields", "path"]),
        r#"{"notes":[{"path":"inbox/one.md"}],"total":1}"#
    );
    assert_eq!(
        text(&["--project", "deep-work", "--count-only"]),
        r#"{"total":1}"#
    );
    assert_eq!(
        text(&["--since", "2030-01-01"]),
        r#"{"notes":[],"total":0}"#
    );
    let full = run(
        &world,
        "knowtation",
        &["list-notes", "--fields", "full", "--until", "2025-12-31"],
        Stream::Stdout,
        0,
    );
    assert_eq!(
        full["notes"][0]["body"],
        "# Inbox one\n\nBody of inbox one."
    );
    assert_eq!(full["notes"][0]["frontmatter"]["source"], "test");
    let keys: Vec<&String> = full["notes"][0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["path", "frontmatter", "body"]);
}

#[test]
fn knowtation_writes_what_stands_on_standard_input() {
    let world = knowtation_notes().set("allow_mutations = true");
    let write = |words: &[&str], input: &[u8]| {
        let words: Vec<&str> = ["--profile", "knowtation", "write"]
            .iter()
            .chain(words)
            .copied()
            .collect();
        world.run_with_input(&words, input)
    };
    let ran = write(&["inbox/new.md", "--stdin", "--json"], b"a=b\n-- \\n");
    assert_eq!(ran.text(), "{\"path\":\"inbox/new.md\",\"written\":true}\n");
    assert_eq!(world.read("inbox/new.md"), "a=b\n-- \\n");
    let ran = write(&["inbox/new.md", "--stdin"], b"other");
    assert_ne!(ran.status, Some(0), "the name is taken: {ran:?}");
    assert!(!world.vault.join("inbox/new 1.md").exists());
    assert_eq!(world.read("inbox/new.md"), "a=b\n-- \\n");
    let ran = write(&["inbox/new.md", "--append", "--stdin"], b"more");
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert_eq!(world.read("inbox/new.md"), "a=b\n-- \\n\nmore");
    let ran = write(&["inbox/bad.md", "--stdin"], b"\xff");
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(!world.vault.join("inbox/bad.md").exists());
}

/// A vault with something to find wrong in it.
fn unsound() -> World {
    let world = linked();
    world.write("Broken.md", "[[Nowhere]] and [[Home]] #t\n");
    world.write("Bad.md", "---\na: [\n---\n[[Home]]\n");
    world
}

#[test]
fn inspector_looks_at_the_whole_vault() {
    let world = unsound();
    let ask = |words: &[&str]| run(&world, "inspector", words, Stream::Stdout, 0);
    let told = ask(&["view", "stats"]);
    assert_eq!(told["command"], "view.stats");
    assert_eq!(
        told["result"].to_string(),
        r#"{"notes":5,"links":4,"tags":1,"chunks":5,"unresolved_links":1}"#
    );
    let told = ask(&["view", "describe", "Home.md"]);
    assert_eq!(told["command"], "view.describe");
    assert_eq!(told["result"]["path"], "Home.md");
    let told = ask(&["diagnose", "broken-links"]);
    assert_eq!(told["command"], "diagnose.broken-links");
    assert_eq!(told["result"]["items"][0]["target"], "Nowhere");
    let told = ask(&["analyze", "related", "Broken.md", "--limit", "1"]);
    assert_eq!(told["result"]["items"][0]["path"], "Home.md");
    let told = ask(&["analyze", "bloat", "--threshold", "20"]);
    assert_eq!(told["result"]["items"][0]["path"], "Broken.md");
    let told = ask(&["vault:audit"]);
    assert_eq!(told["command"], "diagnose.broken-links");
    assert_ne!(told["result"]["total"], 0);
}

#[test]
fn codira_looks_up_names_and_audits() {
    let world = unsound();
    let ask = |words: &[&str], status| run(&world, "codira", words, Stream::Stdout, status);
    let told = ask(&["symbol", "home"], 0);
    assert_eq!(
        (&told["command"], &told["results"][0]["path"]),
        (&json!("symbol"), &json!("Home.md"))
    );
    let told = ask(&["sym", "nobody"], 1);
    assert_eq!(
        (&told["status"], &told["results"]),
        (&json!("no_matches"), &json!([]))
    );
    let told = ask(&["audit"], 0);
    assert_eq!(told["command"], "audit");
    let rows = told["results"].as_array().unwrap();
    assert!(
        rows.iter().any(|row| row["code"] == "INVALID_FRONTMATTER"),
        "{told:#}"
    );
}

#[test]
fn meminit_checks_and_resolves() {
    let world = unsound();
    let told = run(&world, "meminit", &["check"], Stream::Stdout, 1);
    assert_eq!(
        (&told["command"], &told["success"]),
        (&json!("check"), &json!(false))
    );
    assert!(told.get("error").is_none(), "{told:#}");
    let violations = told["violations"].as_array().unwrap();
    assert!(
        violations.iter().all(|row| row["severity"] == "error"),
        "{told:#}"
    );
    assert_eq!(told["violations_count"], violations.len());
    assert_eq!(told["schema_failures_count"], 1);
    let number = |key: &str| told[key].as_u64().unwrap();
    assert!(number("files_failed") >= 1);
    assert_eq!(
        number("files_checked"),
        number("files_passed") + number("files_failed")
    );
    let sound = run(
        &linked(),
        "meminit",
        &["check", "--format", "json"],
        Stream::Stdout,
        0,
    );
    assert_eq!(
        (&sound["success"], &sound["violations_count"]),
        (&json!(true), &json!(0))
    );
    let told = run(&world, "meminit", &["resolve", "home"], Stream::Stdout, 0);
    assert_eq!(
        (&told["data"]["document_id"], &told["data"]["path"]),
        (&json!("home"), &json!("Home.md"))
    );
    let told = run(
        &world,
        "meminit",
        &["resolve", "nobody"],
        Stream::Stdout,
        66,
    );
    assert_eq!(
        (&told["success"], &told["error"]["code"]),
        (&json!(false), &json!("FILE_NOT_FOUND"))
    );
    let told = run(
        &world,
        "meminit",
        &["check", "--nonsense"],
        Stream::Stdout,
        64,
    );
    assert_eq!(told["command"], "check");
}
