//! Output profiles: projections of real runs against the samples of `tests/profiles`, and what the
//! program makes of a profile's own command line.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use fake_obsidian::scenario::{Action, Scenario};
use serde_json::{Value, json};
use vault_gw::gateway::profile::{Profile, Stream, Surroundings};
use vault_gw::gateway::{Caller, Envelope, Options};

use crate::support::profiles::{assert_meminit, surroundings};
use crate::support::{World, checked, request};

const CASES: &str = include_str!("data/profiles.txt");

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
    let answer = profile.project(envelope, &surroundings());
    serde_json::from_str(&answer.text).unwrap()
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
static VARYING: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "varying"));

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
    let calls = calls("obsidian");
    let cases = ["ok", "nomatch", "error", "child-error"];
    let endings = Profile::ALL.map(|profile| {
        let endings = cases.map(|case| {
            let answer = profile.project(&calls[case], &surroundings());
            format!("{case}: {:?} {}", answer.stream, answer.exit)
        });
        format!("{} {}", profile.name(), endings.join(", "))
    });
    insta::assert_snapshot!(endings.join("\n"), @"
    inspector ok: Stdout 0, nomatch: Stdout 0, error: Stderr 1, child-error: Stderr 1
    knowtation ok: Stdout 0, nomatch: Stdout 0, error: Stderr 2, child-error: Stderr 2
    codira ok: Stdout 0, nomatch: Stdout 1, error: Stdout 2, child-error: Stdout 2
    meminit ok: Stdout 0, nomatch: Stdout 0, error: Stdout 77, child-error: Stdout 65
    ");
}

/// Runs the program under the profile that is the first word. Returns the stream that it wrote to,
/// its exit status, and the one object that it wrote; asserts that the other stream is empty.
fn ask(world: &World, words: &[&str]) -> (Stream, i32, Value) {
    let ran = world.run(&[&["--profile"], words].concat());
    let (stream, text, other) = if ran.stderr.is_empty() {
        (Stream::Stdout, ran.text(), ran.stderr.as_str())
    } else {
        (Stream::Stderr, ran.stderr.as_str(), ran.text())
    };
    assert_eq!(other, "", "{words:?}");
    assert!(text.ends_with('\n'), "{words:?}: {text:?}");
    let object: Value = serde_json::from_str(text).unwrap();
    if words[0] == "meminit" {
        assert_meminit(&object);
    }
    (stream, ran.status.unwrap(), object)
}

/// Returns the answer of the program to each row, `PROFILE words of the call | places`: the stream, the exit status, and
/// what the object holds at these places, or all of it. A place that ends with `/` shows the keys there. Scores are
/// shown by their signs.
fn session(world: &World, calls: &str) -> String {
    let mut rows = Vec::new();
    for row in calls.lines().filter(|row| !row.is_empty()) {
        let (line, places) = row.split_once(" | ").unwrap_or((row, ""));
        let words = shell_words::split(line).unwrap();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (stream, status, mut object) = ask(world, &words);
        only_signs(&mut object);
        rows.push(format!("$ {line} -> {stream:?} {status}"));
        rows.extend(places.split(' ').map(|place| shown(&object, place)));
    }
    let root = world.vault.canonicalize().unwrap();
    rows.join("\n").replace(root.to_str().unwrap(), "[VAULT]")
}

fn shown(object: &Value, place: &str) -> String {
    let value = match place.strip_suffix('/') {
        Some(parent) => object
            .pointer(parent)
            .and_then(Value::as_object)
            .map(|object| {
                let keys: Vec<&str> = object.keys().map(String::as_str).collect();
                keys.join(" ")
            }),
        None => object.pointer(place).map(Value::to_string),
    };
    format!("{place} {}", value.as_deref().unwrap_or("(absent)"))
        .trim_start()
        .to_owned()
}

/// Replaces each score, which depends on the tuning of the search, with its sign.
fn only_signs(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(only_signs),
        Value::Object(fields) => {
            for (key, value) in fields {
                match (key.as_str(), value.as_f64()) {
                    ("rank" | "score", Some(score)) => {
                        let sign = match score.partial_cmp(&0.0) {
                            Some(Ordering::Less) => "negative",
                            Some(Ordering::Greater) => "positive",
                            _ => "none",
                        };
                        *value = json!(sign);
                    }
                    _ => only_signs(value),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn the_program_prints_the_profile_and_nothing_else() {
    insta::assert_snapshot!(session(&linked(), "
inspector backlinks path=Home.md counts | /command /meta/vault_path
meminit backlinks path=Home.md -j | /root /
knowtation backlinks file=Home | /path
codira backlinks path=Alone.md | /status
"), @r#"
    $ inspector backlinks path=Home.md counts -> Stdout 0
    /command "search.backlinks"
    /meta/vault_path "[VAULT]"
    $ meminit backlinks path=Home.md -j -> Stdout 0
    /root "[VAULT]"
    / output_schema_version success command run_id root data warnings violations advice
    $ knowtation backlinks file=Home -> Stdout 0
    /path "Home"
    $ codira backlinks path=Alone.md -> Stdout 1
    /status "no_matches"
    "#);
    let (_, _, answer) = ask(&linked(), &["inspector", "backlinks", "path=Home.md"]);
    assert!(answer["timestamp"].as_str().unwrap().ends_with('Z'));
}

#[test]
fn wrong_words_are_reported_in_the_form_of_the_profile() {
    let world = linked();
    for wrong in [
        "backlinks pth=Home.md",
        "bcklinks",
        "backlinks path=Home.md --nonsense",
        "backlinks path=Home.md --correlation-id 'a b'",
    ] {
        let calls = "
inspector WRONG | /error/code /error/
knowtation WRONG | /code /
codira WRONG | /status /results
meminit WRONG | /success
";
        let answer = session(&world, &calls.replace("WRONG", wrong));
        insta::allow_duplicates! {
            insta::assert_snapshot!(answer.replace(wrong, "WRONG"), @r#"
            $ inspector WRONG -> Stderr 2
            /error/code 2
            /error/ code message
            $ knowtation WRONG -> Stderr 1
            /code "USAGE_ERROR"
            / error code
            $ codira WRONG -> Stdout 2
            /status "error"
            /results []
            $ meminit WRONG -> Stdout 64
            /success false
            "#);
        }
    }
    let ran = world.run(&["--profile", "nonsense", "backlinks"]);
    ran.ended(64);
    ran.reports("inspector");
}

#[test]
fn ids_and_times_are_in_meminit_where_they_were_asked_for() {
    let world = linked();
    let mut keys = Vec::new();
    for line in tables::lines(CASES, "ids and times are in meminit where they") {
        let line =
            format!("meminit {line} --correlation-id c-1 --include-timestamp | /correlation_id /");
        keys.push(session(&world, &line));
    }
    insta::assert_snapshot!(keys.join("\n"), @r#"
    $ meminit backlinks path=Home.md --correlation-id c-1 --include-timestamp -> Stdout 0
    /correlation_id "c-1"
    / output_schema_version success command run_id correlation_id timestamp root data warnings violations advice
    $ meminit read path=Nowhere.md --correlation-id c-1 --include-timestamp -> Stdout 66
    /correlation_id "c-1"
    / output_schema_version success command run_id correlation_id timestamp root data warnings violations advice error
    $ meminit read pth=x --correlation-id c-1 --include-timestamp -> Stdout 64
    /correlation_id "c-1"
    / output_schema_version success command run_id correlation_id timestamp root data warnings violations advice error
    $ meminit doctor --correlation-id c-1 --include-timestamp -> Stdout 0
    /correlation_id "c-1"
    / output_schema_version success command run_id correlation_id timestamp root data warnings violations advice
    $ meminit explain BUSY --correlation-id c-1 --include-timestamp -> Stdout 0
    /correlation_id "c-1"
    / output_schema_version success command run_id correlation_id timestamp data warnings violations advice
    $ meminit explain NOT_A_CODE --correlation-id c-1 --include-timestamp -> Stdout 64
    /correlation_id "c-1"
    / output_schema_version success command run_id correlation_id timestamp data warnings violations advice error
    "#);
}

#[test]
fn a_verb_of_meminit_bears_a_root_where_its_schema_wants_one() {
    let world = linked();
    let answer = session(
        &world,
        "
meminit capabilities | /root
meminit explain --list | /data/codes/0/code
meminit doctor | /root
meminit doctor --vault ./nowhere | /root
meminit --root ./nowhere read path=a | /root /error/code
",
    );
    let answer = answer.replace(world.scratch().to_str().unwrap(), "[HERE]");
    insta::assert_snapshot!(answer, @r#"
    $ meminit capabilities -> Stdout 0
    /root (absent)
    $ meminit explain --list -> Stdout 0
    /data/codes/0/code "USAGE_ERROR"
    $ meminit doctor -> Stdout 0
    /root "[VAULT]"
    $ meminit doctor --vault ./nowhere -> Stdout 66
    /root "[HERE]"
    $ meminit --root ./nowhere read path=a -> Stdout 66
    /root (absent)
    /error/code "VAULT_NOT_FOUND"
    "#);
}

#[test]
fn inspector_is_spoken() {
    let world = linked();
    world.write("Tagged.md", "#a/b and #c\n[[Nowhere]] [[Home]]\n");
    insta::assert_snapshot!(session(&world, "
inspector search notes see --limit 5 -o json | /command /params /result
inspector search notes see | /params/limit
inspector search backlinks Home | /params /result/total
inspector search links Tagged.md | /result/items/0/note_path /result/items/1/note_path /result/items/2
inspector search unresolved | /result/items/0/note_path
inspector search tags --list | /result
inspector search tags c | /command /result/items
inspector search tags A,nowhere --match any | /result/total
inspector view describe Home.md | /command /result/path
inspector diagnose orphans --exclude-templates --exclude-daily | /command /result/items/0/path
"), @r#"
    $ inspector search notes see --limit 5 -o json -> Stdout 0
    /command "search.notes"
    /params {"limit":5,"query":"see"}
    /result {"total":1,"items":[{"chunk_id":null,"note_id":null,"note_path":"Getting started/Create a vault.md","note_title":"Create a vault","heading_path":null,"chunk_text":"See [[Home]].","rank":"negative"}]}
    $ inspector search notes see -> Stdout 0
    /params/limit 20
    $ inspector search backlinks Home -> Stdout 0
    /params {"limit":1000,"to":"Home"}
    /result/total 2
    $ inspector search links Tagged.md -> Stdout 0
    /result/items/0/note_path "Nowhere"
    /result/items/1/note_path "Home.md"
    /result/items/2 (absent)
    $ inspector search unresolved -> Stdout 0
    /result/items/0/note_path "Nowhere"
    $ inspector search tags --list -> Stdout 0
    /result {"total":3,"items":[{"tag":"a"},{"tag":"a/b"},{"tag":"c"}]}
    $ inspector search tags c -> Stdout 0
    /command "search.tags"
    /result/items [{"note_id":null,"note_path":"Tagged.md","note_title":"Tagged","tags":["a/b","c"]}]
    $ inspector search tags A,nowhere --match any -> Stdout 0
    /result/total 1
    $ inspector view describe Home.md -> Stdout 0
    /command "view.describe"
    /result/path "Home.md"
    $ inspector diagnose orphans --exclude-templates --exclude-daily -> Stdout 0
    /command "diagnose.orphans"
    /result/items/0/path "Alone.md"
    "#);
}

#[test]
fn any_text_can_be_searched_for() {
    let world = linked();
    world.write("Odd.md", "say foo\"bar: (and http://a.b/c\n");
    for (query, count, status) in [
        ("foo\"bar", 1, 0),
        ("bar: (and", 1, 0),
        ("http://a.b/c", 1, 0),
        ("front-matter", 0, 1),
    ] {
        let (_, _, answer) = ask(&world, &["inspector", "search", "notes", query]);
        let found = (&answer["result"]["total"], &answer["params"]["query"]);
        assert_eq!(found, (&json!(count), &json!(query)));
        let (_, _, answer) = ask(&world, &["knowtation", "search", query]);
        let found = (
            answer["results"].as_array().unwrap().len(),
            &answer["query"],
        );
        assert_eq!(found, (count, &json!(query)));
        let (_, ended, answer) = ask(&world, &["codira", "embeddings", query]);
        assert_eq!((ended, &answer["query"]["query"]), (status, &json!(query)));
    }
}

#[test]
fn codira_is_spoken() {
    let world = linked();
    insta::assert_snapshot!(session(&world, "
codira refs Home --incoming --json | /command /query /results/0/path
codira calls 'Getting started/Create a vault.md' -j | /results
codira audit --prefix Nowhere | /results
codira embeddings see --prefix 'Getting started' --limit=3 | /query/prefix /results/0/path /results/1
codira emb 'no such text' | /command
codira refs Nobody | /error/code
codira refs Home --incoming=yes | /error/code
codira read path=Alone.md | /results/0/content
"), @r#"
    $ codira refs Home --incoming --json -> Stdout 0
    /command "refs"
    /query {"to":"Home","prefix":null}
    /results/0/path "Getting started/Create a vault.md"
    $ codira calls 'Getting started/Create a vault.md' -j -> Stdout 0
    /results [{"path":"Home.md","title":"Home","links":1,"embed":false,"alias":null,"heading":null,"block":null,"target":"Home","status":"resolved","source":"Getting started/Create a vault.md","line":1}]
    $ codira audit --prefix Nowhere -> Stdout 2
    /results []
    $ codira embeddings see --prefix 'Getting started' --limit=3 -> Stdout 0
    /query/prefix "Getting started"
    /results/0/path "Getting started/Create a vault.md"
    /results/1 (absent)
    $ codira emb 'no such text' -> Stdout 1
    /command "emb"
    $ codira refs Nobody -> Stdout 1
    /error/code "FILE_NOT_FOUND"
    $ codira refs Home --incoming=yes -> Stdout 2
    /error/code "USAGE_ERROR"
    $ codira read path=Alone.md -> Stdout 0
    /results/0/content "nothing\n"
    "#);
    world.write("Odd.md", "![[Home#A|b]] [c](Home.md#^d)\n");
    insta::assert_snapshot!(session(&world, "
codira calls Odd.md | /results/0 /results/1
codira calls Odd.md --prefix 'Getting started' | /status
"), @r#"
    $ codira calls Odd.md -> Stdout 0
    /results/0 {"path":"Home.md","title":"Home","links":1,"embed":true,"alias":"b","heading":"A","block":null,"target":"Home#A","status":"resolved","source":"Odd.md","line":1}
    /results/1 {"path":"Home.md","title":"Home","links":1,"embed":false,"alias":"c","heading":null,"block":"d","target":"Home.md#^d","status":"resolved","source":"Odd.md","line":1}
    $ codira calls Odd.md --prefix 'Getting started' -> Stdout 1
    /status "no_matches"
    "#);
}

#[test]
fn knowtation_is_spoken() {
    let world = linked().set("allow_mutations = true");
    insta::assert_snapshot!(session(&world, "
knowtation search see --keyword --json
knowtation search see --fields path
knowtation search see --count-only
knowtation search total | /query
knowtation search query=see --count-only | /count
knowtation search -- -minus | /query
knowtation create path=New.md content=x
knowtation search
knowtation search x --fields all | /code
knowtation search x --limit | /code
knowtation read path=Nope.md
"), @r#"
    $ knowtation search see --keyword --json -> Stdout 0
    {"results":[{"path":"Getting started/Create a vault.md","score":"positive","project":null,"tags":[],"snippet":"See [[Home]]."}],"query":"see","mode":"keyword"}
    $ knowtation search see --fields path -> Stdout 0
    {"results":[{"path":"Getting started/Create a vault.md","score":"positive"}],"query":"see","mode":"keyword"}
    $ knowtation search see --count-only -> Stdout 0
    {"count":1,"query":"see","mode":"keyword"}
    $ knowtation search total -> Stdout 0
    /query "total"
    $ knowtation search query=see --count-only -> Stdout 0
    /count 1
    $ knowtation search -- -minus -> Stdout 0
    /query "-minus"
    $ knowtation create path=New.md content=x -> Stdout 0
    {"path":"New.md","written":true}
    $ knowtation search -> Stderr 1
    {"error":"knowtation search: provide a query.","code":"USAGE_ERROR"}
    $ knowtation search x --fields all -> Stderr 1
    /code "USAGE_ERROR"
    $ knowtation search x --limit -> Stderr 1
    /code "USAGE_ERROR"
    $ knowtation read path=Nope.md -> Stderr 2
    {"error":"Note not found: Nope.md","code":"RUNTIME_ERROR"}
    "#);
    let late = world.run(&["search", "x", "--fields", "all", "--profile", "knowtation"]);
    assert!(late.stderr.starts_with("{\"error\":"), "{late:?}");
}

/// A call of a profile, and what is shown of its answer.
const FORMS: &str = include_str!("data/profiles_forms.txt");

#[test]
fn each_kind_of_answer_has_the_form_of_the_profile() {
    let world = linked().set("allow_mutations = true");
    world.write(
        "Odd.md",
        "#c ![[Home#A|b]] [c](Home.md#^d) [[Nowhere#x]]\n- [x] do it\n",
    );
    insta::assert_snapshot!(session(&world, FORMS), @r##"
    $ inspector backlinks path=Home.md counts -> Stdout 0
    /result {"total":2,"items":[{"note_id":null,"note_path":"Getting started/Create a vault.md","note_title":"Create a vault","is_embed":false,"alias":null,"heading_ref":null,"block_ref":null},{"note_id":null,"note_path":"Odd.md","note_title":"Odd","is_embed":false,"alias":null,"heading_ref":null,"block_ref":null}]}
    $ inspector links path=Odd.md -> Stdout 0
    /result {"total":2,"items":[{"note_id":null,"note_path":"Home.md","note_title":"Home","is_embed":false,"alias":null,"heading_ref":null,"block_ref":null},{"note_id":null,"note_path":"Nowhere","note_title":"Nowhere","is_embed":false,"alias":null,"heading_ref":null,"block_ref":null}]}
    $ inspector unresolved counts -> Stdout 0
    /result {"total":1,"items":[{"note_id":null,"note_path":"Nowhere","note_title":"Nowhere","is_embed":false,"alias":null,"heading_ref":null,"block_ref":null}]}
    $ inspector links:list path=Odd.md limit=1 -> Stdout 0
    /result {"total":1,"items":[{"note_id":null,"note_path":"Home.md","note_title":"Home","is_embed":true,"alias":"b","heading_ref":"A","block_ref":null,"target":"Home#A","status":"resolved","source":"Odd.md","line":1}],"truncated":true,"next_offset":1}
    $ inspector links:list to=Home.md limit=1 -> Stdout 0
    /result/items [{"note_id":null,"note_path":"Getting started/Create a vault.md","note_title":"Create a vault","is_embed":false,"alias":null,"heading_ref":null,"block_ref":null,"target":"Home","status":"resolved","source":"Getting started/Create a vault.md","line":1}]
    $ inspector tag name=c -> Stdout 0
    /result {"total":1,"items":[{"note_id":null,"note_path":"Odd.md","note_title":"Odd","tags":["c"]}]}
    $ inspector search query=see -> Stdout 0
    /result {"total":1,"items":[{"chunk_id":null,"note_id":null,"note_path":"Getting started/Create a vault.md","note_title":"Create a vault","heading_path":null,"chunk_text":null,"rank":null}]}
    $ inspector search:context query=see -> Stdout 0
    /result {"total":1,"items":[{"chunk_id":null,"note_id":null,"note_path":"Getting started/Create a vault.md","note_title":"Create a vault","heading_path":null,"chunk_text":"See [[Home]].","rank":null}]}
    $ inspector orphans -> Stdout 0
    /result/items/0 {"note_id":null,"note_path":"Alone.md","note_title":"Alone"}
    $ inspector notes:list fields=path limit=1 -> Stdout 0
    /result/items [{"note_id":null,"note_path":"Alone.md","note_title":"Alone","tags":[]}]
    $ inspector vault:stats --dry-run -> Stdout 0
    /result {"notes":null,"links":null,"tags":null,"chunks":null,"unresolved_links":null}
    $ knowtation search query=see -> Stdout 0
    {"results":[{"path":"Getting started/Create a vault.md","score":"positive","project":null,"tags":[],"snippet":"See [[Home]]."}],"query":"see","mode":"keyword"}
    $ knowtation search:context query=see -> Stdout 0
    {"results":[{"path":"Getting started/Create a vault.md","score":"positive","project":null,"tags":[],"snippet":"See [[Home]]."}],"query":"see","mode":"keyword"}
    $ knowtation search see --keyword --fields full -> Stdout 0
    /results [{"path":"Getting started/Create a vault.md","score":"positive","project":null,"tags":[],"snippet":"See [[Home]].","frontmatter":{},"body":"See [[Home]]."}]
    $ knowtation search see --limit 0 -> Stdout 0
    {"results":[],"query":"see","mode":"keyword"}
    $ knowtation list-notes --limit 0 -> Stdout 0
    {"notes":[],"total":4}
    $ knowtation backlinks path=Home.md -> Stdout 0
    {"path":"Home.md","backlinks":[{"path":"Getting started/Create a vault.md","title":"Create a vault","context":""},{"path":"Odd.md","title":"Odd","context":""}]}
    $ knowtation links:list to=Home.md -> Stdout 0
    {"path":"Home.md","backlinks":[{"path":"Getting started/Create a vault.md","title":"Create a vault","context":"See [[Home]]."},{"path":"Odd.md","title":"Odd","context":"#c ![[Home#A|b]] [c](Home.md#^d) [[Nowhere#x]]"}]}
    $ knowtation extract-tasks Odd.md -> Stdout 0
    {"tasks":[{"text":"do it","path":"Odd.md","line":2,"status":"done"}]}
    $ knowtation index -> Stdout 0
    {"ok":true,"notesProcessed":4,"chunksIndexed":0}
    $ knowtation append path=Alone.md content=more -> Stdout 0
    {"path":"Alone.md","written":true}
    $ knowtation append path=Alone.md content=more --dry-run -> Stdout 0
    /dryRun true
    $ codira links path=Odd.md -> Stdout 0
    /results [{"kind":"file","path":"Home.md"},{"kind":"unresolved","target":"Nowhere"}]
    $ codira tag name=c -> Stdout 0
    /results [{"path":"Odd.md"}]
    $ codira calls Odd.md --tree -> Stdout 0
    /results [{"path":"Odd.md","depth":2,"nodes":[{"path":"Home.md","distance":1,"via":"Odd.md"}],"edges":[{"source":"Odd.md","target":"Home.md","count":2}],"nodeCount":2,"edgeCount":1,"truncated":{"depth":false,"nodes":false},"node_count":2,"edge_count":1}]
    $ codira index -> Stdout 0
    /results []
    /summary/ notes canvases edges indexed reused deleted failed
    $ meminit backlinks path=Home.md -> Stdout 0
    /data/items [{"path":"Getting started/Create a vault.md","title":"Create a vault","links":null,"embed":false,"alias":null,"heading":null,"block":null},{"path":"Odd.md","title":"Odd","links":null,"embed":false,"alias":null,"heading":null,"block":null}]
    $ meminit index -> Stdout 0
    /data/ notes canvases edges indexed reused deleted failed index_path document_count node_count edge_count rebuild process
    /data/document_count 4
    /data/edge_count 2
    $ meminit identify 'Getting started/Create a vault.md' -> Stdout 0
    /data/document_id "Create a vault"
    $ meminit identify Home.md --dry-run -> Stdout 0
    /data/document_id "Home"
    $ meminit link Home.md -> Stdout 0
    /data/document_id "Home"
    /data/link "[[Home]]"
    $ meminit context -> Stdout 0
    /data/namespaces [{"namespace":"Notes","docs_root":"."}]
    $ meminit new ADR Title --dry-run -> Stdout 0
    /data/document_id "Title"
    /data/path "Title.md"
    /data/type "ADR"
    $ meminit new ADR Title --owner me -> Stdout 0
    /data/document_id "Title"
    /data/path "Title.md"
    /data/title "Title"
    $ meminit fix -> Stdout 0
    /data/fixed 0
    /data/remaining 1
    /data/dry_run true
    $ meminit fix --no-dry-run -> Stdout 0
    /data/fixed 0
    /data/remaining 1
    /data/dry_run false
    "##);
}

#[test]
fn the_search_of_the_app_has_the_form_of_the_profile() {
    // A profile never writes `search` for it, but a request may.
    let world = linked();
    let found = |params: &[(&str, &str)]| {
        object(
            Profile::Knowtation,
            &world.call("search", &[&[("query", "see")], params].concat()),
        )
    };
    assert_eq!(
        found(&[]),
        json!({
            "results": [{ "path": "Getting started/Create a vault.md", "score": 1 }],
            "query": "see",
            "mode": "keyword",
        })
    );
    assert_eq!(
        found(&[("total", "true")]),
        json!({ "count": 1, "query": "see", "mode": "keyword" })
    );
}

#[test]
fn f05_no_control_character_is_in_a_profile() {
    let world = World::empty();
    world.write("a.md", "\u{9b}2J\u{202e}\u{7f}\n");
    for profile in Profile::ALL {
        let answer = profile.project(&world.call("read", &[("path", "a.md")]), &surroundings());
        assert!(answer.text.contains("\\u202e"), "{}", answer.text);
        assert!(!answer.text.contains(['\u{9b}', '\u{202e}', '\u{7f}']));
    }
}

#[test]
fn what_a_profile_says_is_made_of_the_envelope_alone() {
    let envelope = Envelope::from_failure("x", vault_gw::protocol::Code::Busy.failure("Busy."));
    for profile in Profile::ALL {
        let around = Surroundings::default();
        let answer = profile.project(&envelope, &around);
        assert_eq!(answer, profile.project(&envelope, &around));
        assert_ne!(answer.exit, 0);
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
    insta::assert_snapshot!(session(&knowtation_notes(), "
knowtation get-note-outline inbox/one.md --json
knowtation get-document-tree 'projects/deep work/two-parts_here.md' --json
knowtation get-metadata-facets inbox/one.md --json
knowtation get-section-source inbox/one.md --json
knowtation get-note-outline 'projects/deep work/two-parts_here.md' | /headings
"), @r#"
    $ knowtation get-note-outline inbox/one.md --json -> Stdout 0
    {"schema":"knowtation.note_outline/v1","path":"inbox/one.md","title":"one","headings":[{"level":1,"text":"Inbox one","id":"h1-inbox-one-0001"}],"truncated":false}
    $ knowtation get-document-tree 'projects/deep work/two-parts_here.md' --json -> Stdout 0
    {"schema":"knowtation.document_tree/v0","path":"projects/deep work/two-parts_here.md","title":"two parts here","root":{"children":[{"id":"h3-first-0001","level":3,"text":"first","children":[]},{"id":"h1-a-0002","level":1,"text":"A","children":[{"id":"h3-b-0003","level":3,"text":"B","children":[]},{"id":"h2-wiki-link-and-a-b-0004","level":2,"text":"[[Wiki link]] and [[A|b]]","children":[]},{"id":"h2-in-callout-0005","level":2,"text":"In callout","children":[]}]},{"id":"h1-d-x-0006","level":1,"text":"D x","children":[]}]},"truncated":false}
    $ knowtation get-metadata-facets inbox/one.md --json -> Stdout 0
    {"schema":"knowtation.metadata_facets/v0","path":"inbox/one.md","facets":{"project":"foo","tags":["a","b"],"date":"2025-03-01T00:00:00.000Z","updated":null,"causal_chain_id":null,"entity":[],"episode_id":null},"inferred":{"folder":"inbox","source_type":null},"truncated":false}
    $ knowtation get-section-source inbox/one.md --json -> Stdout 0
    {"schema":"knowtation.section_source/v0","path":"inbox/one.md","title":"one","sections":[{"section_id":"inbox-one-md:h1-inbox-one-0001","heading_id":"h1-inbox-one-0001","level":1,"heading_path":["Inbox one"],"heading_text":"Inbox one","child_section_ids":[],"body_available":true,"body_returned":false,"snippet_returned":false}],"truncated":false}
    $ knowtation get-note-outline 'projects/deep work/two-parts_here.md' -> Stdout 0
    /headings [{"level":3,"text":"first","id":"h3-first-0001"},{"level":1,"text":"A","id":"h1-a-0002"},{"level":3,"text":"B","id":"h3-b-0003"},{"level":2,"text":"[[Wiki link]] and [[A|b]]","id":"h2-wiki-link-and-a-b-0004"},{"level":2,"text":"In callout","id":"h2-in-callout-0005"},{"level":1,"text":"D x","id":"h1-d-x-0006"}]
    "#);
}

#[test]
fn knowtation_gets_notes_whole_and_in_parts() {
    insta::assert_snapshot!(session(&knowtation_notes(), "
knowtation get-note inbox/one.md --json
knowtation get-note inbox/one.md --body-only
knowtation get-note --frontmatter-only inbox/one.md
knowtation get-note Nope.md --json
knowtation get-note ../x.md --json
knowtation get-note --json
knowtation get-note inbox/one.md --body-only --frontmatter-only | /code
knowtation get-section-source inbox/one.md inbox/two.md | /code
knowtation get-note-outline inbox/one.md --snippet | /code
"), @r##"
    $ knowtation get-note inbox/one.md --json -> Stdout 0
    {"path":"inbox/one.md","frontmatter":{"source":"test","date":"2025-03-01","project":"foo","tags":["a","b"]},"body":"# Inbox one\n\nBody of inbox one."}
    $ knowtation get-note inbox/one.md --body-only -> Stdout 0
    {"path":"inbox/one.md","body":"# Inbox one\n\nBody of inbox one."}
    $ knowtation get-note --frontmatter-only inbox/one.md -> Stdout 0
    {"path":"inbox/one.md","frontmatter":{"source":"test","date":"2025-03-01","project":"foo","tags":["a","b"]}}
    $ knowtation get-note Nope.md --json -> Stderr 2
    {"error":"Note not found: Nope.md","code":"RUNTIME_ERROR"}
    $ knowtation get-note ../x.md --json -> Stderr 2
    {"error":"Invalid path: path must be vault-relative and cannot escape vault (../x.md)","code":"RUNTIME_ERROR"}
    $ knowtation get-note --json -> Stderr 1
    {"error":"knowtation get-note: provide a note path.","code":"USAGE_ERROR"}
    $ knowtation get-note inbox/one.md --body-only --frontmatter-only -> Stderr 1
    /code "USAGE_ERROR"
    $ knowtation get-section-source inbox/one.md inbox/two.md -> Stderr 1
    /code "USAGE_ERROR"
    $ knowtation get-note-outline inbox/one.md --snippet -> Stderr 1
    /code "USAGE_ERROR"
    "##);
}

#[test]
fn knowtation_lists_notes() {
    let world = knowtation_notes();
    world.write(
        "inbox/three.md",
        "---\ntitle: Three\ntags: A/b\n---\nText #日本 #c\n",
    );
    insta::assert_snapshot!(session(&world, "
knowtation list-notes --json | /notes/0 /notes/1 /notes/2 /total
knowtation list-notes --folder inbox --limit 1 --offset=1
knowtation list-notes --tag b --fields path
knowtation list-notes --project deep-work --count-only
knowtation list-notes --since 2030-01-01
knowtation list-notes --fields full --until 2025-12-31 | /notes/0
"), @r##"
    $ knowtation list-notes --json -> Stdout 0
    /notes/0 {"path":"inbox/one.md","title":"one","project":"foo","tags":["a","b"],"date":"2025-03-01"}
    /notes/1 {"path":"inbox/three.md","title":"Three","project":null,"tags":["a-b"],"date":null}
    /notes/2 {"path":"projects/deep work/two-parts_here.md","title":"two-parts_here","project":"deep-work","tags":[],"date":null}
    /total 3
    $ knowtation list-notes --folder inbox --limit 1 --offset=1 -> Stdout 0
    {"notes":[{"path":"inbox/three.md","title":"Three","project":null,"tags":["a-b"],"date":null}],"total":2}
    $ knowtation list-notes --tag b --fields path -> Stdout 0
    {"notes":[{"path":"inbox/one.md"}],"total":1}
    $ knowtation list-notes --project deep-work --count-only -> Stdout 0
    {"total":1}
    $ knowtation list-notes --since 2030-01-01 -> Stdout 0
    {"notes":[],"total":0}
    $ knowtation list-notes --fields full --until 2025-12-31 -> Stdout 0
    /notes/0 {"path":"inbox/one.md","frontmatter":{"source":"test","date":"2025-03-01","project":"foo","tags":["a","b"]},"body":"# Inbox one\n\nBody of inbox one."}
    "##);
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
    write(&["inbox/new.md", "--append", "--stdin"], b"more").ended(0);
    assert_eq!(world.read("inbox/new.md"), "a=b\n-- \\n\nmore");
    write(&["inbox/bad.md", "--stdin"], b"\xff").ended(2);
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
    insta::assert_snapshot!(session(&unsound(), "
inspector view stats | /command /result
inspector view describe Home.md | /command /result/path
inspector diagnose broken-links | /command /result/items/0/target
inspector analyze related Broken.md --limit 1 | /result/items/0/path
inspector analyze bloat --threshold 20 | /result/items/0/path
inspector vault:audit | /command /result/total
inspector vault:audit limit=2 | /result/total /result/truncated /result/next_offset
"), @r#"
    $ inspector view stats -> Stdout 0
    /command "view.stats"
    /result {"notes":5,"links":4,"tags":1,"chunks":5,"unresolved_links":1}
    $ inspector view describe Home.md -> Stdout 0
    /command "view.describe"
    /result/path "Home.md"
    $ inspector diagnose broken-links -> Stdout 0
    /command "diagnose.broken-links"
    /result/items/0/target "Nowhere"
    $ inspector analyze related Broken.md --limit 1 -> Stdout 0
    /result/items/0/path "Home.md"
    $ inspector analyze bloat --threshold 20 -> Stdout 0
    /result/items/0/path "Broken.md"
    $ inspector vault:audit -> Stdout 0
    /command "diagnose.broken-links"
    /result/total 6
    $ inspector vault:audit limit=2 -> Stdout 0
    /result/total 2
    /result/truncated true
    /result/next_offset 2
    "#);
}

#[test]
fn codira_looks_up_names_and_audits() {
    insta::assert_snapshot!(session(&unsound(), "
codira symbol home | /command /results/0/path
codira sym nobody | /status /results
codira audit | /command /results/0/code /results/1/code /results/2/code
codira audit --limit 2 | /truncated /next_offset
"), @r#"
    $ codira symbol home -> Stdout 0
    /command "symbol"
    /results/0/path "Home.md"
    $ codira sym nobody -> Stdout 1
    /status "no_matches"
    /results []
    $ codira audit -> Stdout 0
    /command "audit"
    /results/0/code "INVALID_FRONTMATTER"
    /results/1/code "UNRESOLVED_LINK"
    /results/2/code "ORPHAN"
    $ codira audit --limit 2 -> Stdout 0
    /truncated true
    /next_offset 2
    "#);
}

#[test]
fn meminit_checks_and_resolves() {
    insta::assert_snapshot!(session(&unsound(), "
meminit check | /command /success /error /violations_count /schema_failures_count /files_checked /files_passed /files_failed /violations/0/severity /violations/1/severity /violations/2/severity
meminit resolve home | /data/document_id /data/path
meminit resolve nobody | /success /error/code
meminit check --nonsense | /command
"), @r#"
    $ meminit check -> Stdout 1
    /command "check"
    /success false
    /error (absent)
    /violations_count 2
    /schema_failures_count 1
    /files_checked 5
    /files_passed 3
    /files_failed 2
    /violations/0/severity "error"
    /violations/1/severity "error"
    /violations/2/severity (absent)
    $ meminit resolve home -> Stdout 0
    /data/document_id "home"
    /data/path "Home.md"
    $ meminit resolve nobody -> Stdout 66
    /success false
    /error/code "FILE_NOT_FOUND"
    $ meminit check --nonsense -> Stdout 64
    /command "check"
    "#);
    insta::assert_snapshot!(session(&linked(), "
meminit check --format json | /success /violations_count
"), @"
    $ meminit check --format json -> Stdout 0
    /success true
    /violations_count 0
    ");
}
