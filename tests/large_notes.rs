//! Notes that are too large to be held in memory (`threats.toml` F17).

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use vault_gw::allowlist::{Catalogue, ParamKind};

use crate::support::service::Service;
use crate::support::{Outcome as _, World};

/// Half a gibibyte, of which the file system holds the first block.
const LARGE: u64 = 512 * 1024 * 1024;
/// What is held at once, in bytes.
const HELD: u64 = 32 * 1024 * 1024;
/// The peak of a server, in KiB: what is held, and room for the program and for copies of a page.
const PEAK: u64 = 256 * 1024;
/// No call takes longer: the deadline is an eighth of it.
const LONGEST: Duration = Duration::from_secs(40);

const BEGINNING: &str = "---\ntitle: Large\n---\n# Large\n\nfour words [[a]] here\n";

fn world() -> World {
    let world = World::empty()
        .set("backend = \"embedded\"\nallow_mutations = true\napprove = []\ntimeout_ms = 5000");
    world.write("a.md", "[[large]]\n");
    world.write("large.md", BEGINNING);
    let file = fs_err::OpenOptions::new()
        .write(true)
        .open(world.vault.join("large.md"));
    file.unwrap().file().set_len(LARGE).unwrap();
    world
}

fn ask(service: &mut Service, command: &str, params: &[(&str, &str)]) -> Value {
    let params: serde_json::Map<String, Value> = params
        .iter()
        .map(|(key, value)| ((*key).to_owned(), json!(value)))
        .collect();
    let began = Instant::now();
    let envelope = service.ask(&json!({"command": command, "params": params}).to_string());
    let took = began.elapsed();
    assert!(took < LONGEST, "{command} took {took:?}");
    let peak = service.status("VmHWM");
    assert!(peak < PEAK, "{command}: {peak} KiB");
    envelope
}

#[test]
fn f17_read_shows_a_page_of_a_note_of_any_size_and_reports_what_is_missing() {
    let world = world();
    let mut service = Service::start(&world);
    let envelope = ask(&mut service, "read", &[("path", "large.md")]);
    assert_eq!(envelope["success"], true, "{envelope:#}");
    assert_eq!(envelope["status"], "partial");
    let data = &envelope["data"];
    assert!(data["content"].as_str().unwrap().starts_with(BEGINNING));
    assert_eq!(data["truncated"], true);
    assert_eq!(data["nextOffset"], 1_048_576);
    assert!(data.get("sha256").is_none());
    let cut = &envelope["meta"]["truncated"]["stdout"];
    assert_eq!(cut["totalBytes"], LARGE, "{cut}");
    assert_eq!(cut["omittedBytes"], LARGE - 1_048_576);
    // The parts join to the note, wherever they begin.
    for offset in [5, 20, 1_048_570, 1_048_576, 2_500_000] {
        let line = json!({
            "command": "read", "params": {"path": "large.md"}, "offset": offset, "budget": 1000,
        });
        let later = service.ask(&line.to_string());
        let text = later["data"]["content"].as_str().unwrap();
        let expected: String = BEGINNING.chars().skip(offset).collect();
        assert!(text.starts_with(&expected), "{text:?}");
        assert_eq!(text.len(), 1000);
        assert_eq!(later["data"]["offset"], offset, "{later:#}");
        assert_eq!(later["data"]["nextOffset"], offset + 1000);
    }
    // Beyond its end: as long as the deadline is.
    let began = Instant::now();
    let line = json!({"command": "read", "params": {"path": "large.md"}, "offset": LARGE + 7});
    let _empty_or_too_late = service.ask(&line.to_string());
    assert!(began.elapsed() < LONGEST);
    assert!(service.status("VmHWM") < PEAK);
}

#[test]
fn f17_wordcount_counts_what_is_held_and_says_so() {
    let world = world();
    let mut service = Service::start(&world);
    let envelope = ask(&mut service, "wordcount", &[("path", "large.md")]);
    // A debug build on a busy machine may be too slow for the deadline, and then says that.
    if envelope["success"] == true {
        assert_eq!(envelope["data"]["words"], 5, "{envelope:#}");
        let counted = HELD - u64::try_from("---\ntitle: Large\n---\n".len()).unwrap();
        assert_eq!(envelope["data"]["characters"], counted);
        assert_eq!(envelope["warnings"][0]["code"], "TEXT_LEFT_OUT");
        assert_eq!(envelope["warnings"][0]["path"], "large.md");
    } else {
        assert_eq!(envelope["error"]["code"], "TIMEOUT", "{envelope:#}");
    }
}

/// Every command that takes a path, with values that reach the note where they can.
#[test]
fn f17_no_command_holds_such_a_note_or_outlasts_its_deadline() {
    let world = world();
    let mut service = Service::start(&world);
    let text = |name: &str| match name {
        "content" => "more",
        "to" => "moved/large.md",
        "name" => "title",
        "value" => "x",
        "tag" | "tags" => "t",
        "edits" => r#"[{"append":"x"}]"#,
        "notes" => r#"[{"path":"large.md"}]"#,
        "query" => "four words",
        _ => "1",
    };
    let mut tried = 0;
    for command in Catalogue::builtin().unwrap().commands() {
        let takes_path = command
            .params
            .iter()
            .any(|param| param.kind == ParamKind::Path);
        let is_list = command.id == "notes:read";
        if !takes_path && !is_list {
            continue;
        }
        let params: Vec<(&str, &str)> = command
            .params
            .iter()
            .filter(|param| {
                param.required || param.kind == ParamKind::Path || is_list && param.name == "notes"
            })
            .map(|param| match param.kind {
                ParamKind::Path => (param.name.as_str(), "large.md"),
                _ => (param.name.as_str(), text(&param.name)),
            })
            .collect();
        let envelope = ask(&mut service, &command.id, &params);
        println!(
            "{}: {} {}",
            command.id, envelope["status"], envelope["error"]["message"]
        );
        tried += 1;
    }
    assert!(tried > 30, "{tried}");
}

#[test]
fn f17_a_change_of_such_a_note_is_refused_and_says_its_size() {
    let world = world();
    let mut service = Service::start(&world);
    let more = [("path", "large.md"), ("content", "more")];
    for (command, params) in [
        ("append", &more[..]),
        ("prepend", &more),
        (
            "property:set",
            &[("path", "large.md"), ("name", "a"), ("value", "b")],
        ),
        (
            "property:remove",
            &[("path", "large.md"), ("name", "title")],
        ),
        ("tag:add", &[("path", "large.md"), ("tag", "t")]),
        (
            "note:edit",
            &[
                ("path", "large.md"),
                ("edits", r#"[{"old":"four","new":"five"}]"#),
            ],
        ),
        ("note:get", &[("path", "large.md")]),
    ] {
        let envelope = ask(&mut service, command, params).fails_with("VALIDATION_ERROR");
        let details = &envelope["error"]["details"];
        assert_eq!(
            (&details["size"], &details["limit"]),
            (&json!(LARGE), &json!(HELD))
        );
    }
    let size = fs_err::metadata(world.vault.join("large.md"))
        .unwrap()
        .len();
    assert_eq!(size, LARGE);
}
