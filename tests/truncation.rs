//! Answers that are cut: head only, where to go on, and no hash that lets a caller overwrite what it
//! has not seen (`threats.toml` F15).

use fake_obsidian::scenario::Scenario;
use serde_json::{Value, json};
use vault_gw::gateway::profile::Profile;
use vault_gw::gateway::{Envelope, Request};

use crate::argument_forms::{answered_by_the_engine, forms_of, furnish};
use crate::support::profiles::surroundings;
use crate::support::{Outcome as _, World, answer, asked, checked, code, request, sha256_of};

const CASES: &str = include_str!("data/truncation.txt");

/// 1,035 bytes with characters of 1 to 4 bytes, CRLF and no line feed at the end.
fn note() -> String {
    let line = "- éntry 😀 of the log\r\n";
    let mut note = line.repeat(1035 / line.len());
    note += &"x".repeat(1035 - note.len());
    note
}

fn with_note(backend: &str, bytes: &[u8]) -> World {
    let world = World::with_fixture_vault()
        .with_fake(&Scenario::logged())
        .set(&format!("backend = \"{backend}\""))
        .set("approve = []\nallow_mutations = true\nmax_output_bytes = 300");
    fs_err::write(world.vault.join("long.md"), bytes).unwrap();
    world
}

fn read_from(world: &World, offset: usize) -> Envelope {
    let mut request = asked("read path=long.md");
    request.offset = offset;
    checked(world.gateway().call(&request))
}

fn with_hash(mut request: Request, hash: &str) -> Request {
    request.if_hash = Some(hash.to_owned());
    request
}

#[test]
fn f15_a_cut_note_is_its_head_and_cannot_be_written_back() {
    for backend in ["embedded", "obsidian"] {
        let note = note();
        let world = with_note(backend, note.as_bytes());
        let envelope = read_from(&world, 0);
        assert_eq!(
            envelope.status,
            vault_gw::gateway::Status::Partial,
            "{backend}"
        );
        let content = envelope.data.as_map()["content"].as_str().unwrap();
        assert!(note.starts_with(content) && (297..=300).contains(&content.len()));
        assert_eq!(envelope.stdout, content);
        assert_eq!(
            envelope.data.as_map()["nextOffset"],
            content.chars().count()
        );
        assert_eq!(envelope.data.as_map()["truncated"], true);
        assert_eq!(
            envelope.data.as_map()["totalCharacters"],
            note.chars().count()
        );
        assert_eq!(envelope.data.as_map().get("sha256"), None);
        let cut = envelope.meta.truncated.unwrap().stdout.unwrap();
        assert_eq!(cut.omitted_bytes, (note.len() - content.len()) as u64);
        // No hash in any field is one that a write takes.
        assert!(!envelope.to_json().contains(&sha256_of(note.as_bytes())));
        let mut back = request("create", &[("path", "long.md"), ("content", content)]);
        back.params.0.insert(
            "overwrite".to_owned(),
            vault_gw::allowlist::RawValue::Bool(true),
        );
        let refused = world
            .gateway()
            .call(&with_hash(back, &sha256_of(content.as_bytes())));
        assert_eq!(code(&refused), "PRECONDITION_FAILED", "{backend}");
        assert!(!refused.to_json().contains(&sha256_of(note.as_bytes())));
        assert_eq!(
            fs_err::read(world.vault.join("long.md")).unwrap(),
            note.as_bytes()
        );
    }
}

#[test]
fn f15_the_parts_of_a_note_are_its_exact_text_on_either_backend() {
    for backend in ["embedded", "obsidian"] {
        for text in [note(), format!("\u{feff}{}", note()), "a\r\n".repeat(400)] {
            let world = with_note(backend, text.as_bytes());
            let (mut offset, mut read, mut parts) = (0, String::new(), 0);
            loop {
                let envelope = read_from(&world, offset).succeeds();
                assert_eq!(envelope.data.as_map().get("sha256"), None);
                read += envelope.data.as_map()["content"].as_str().unwrap();
                parts += 1;
                match envelope
                    .data
                    .as_map()
                    .get("nextOffset")
                    .and_then(Value::as_u64)
                {
                    Some(next) => offset = usize::try_from(next).unwrap(),
                    None => break,
                }
            }
            assert_eq!((read == text, parts > 3), (true, true), "{backend}");
        }
    }
    // At a terminal the parts are the bytes of the file, invalid ones included.
    let bytes: Vec<u8> = (0..=255).cycle().take(1000).collect();
    let world = with_note("embedded", &bytes);
    let (mut offset, mut read) = (0_usize, Vec::new());
    loop {
        let words = ["read", "path=long.md", "--offset", &offset.to_string()];
        let ran = world.run(&words);
        read.extend_from_slice(&ran.stdout);
        let Some((_, rest)) = ran.stderr.split_once("`--offset ") else {
            break;
        };
        ran.reports("output truncated");
        offset = rest.split('`').next().unwrap().parse().unwrap();
    }
    assert_eq!(read, bytes);
}

#[test]
fn f15_no_answer_reports_the_hash_of_a_note_that_was_not_shown_whole() {
    let note = format!("---\ntitle: T\n---\n{}", note());
    let world = with_note("embedded", note.as_bytes());
    let hash = sha256_of(note.as_bytes());
    let gateway = world.gateway();
    let mut shown = Vec::new();
    let whole = tables::lines(CASES, "f15 no answer reports the hash of a note");
    for command in whole
        .into_iter()
        .chain(["note:get only=frontmatter", "note:get only=body"])
    {
        shown.push(gateway.call(&asked(&format!("{command} path=long.md"))));
    }
    for line in [
        "append path=long.md content=x",
        "move path=long.md to=moved.md",
        "delete path=long.md",
        "property:set path=long.md name=a value=b",
    ] {
        let mut planned = asked(line);
        planned.dry_run = true;
        shown.push(gateway.call(&planned));
    }
    shown.push(gateway.call(&with_hash(
        asked("append path=long.md content=x"),
        &"0".repeat(64),
    )));
    shown.push(gateway.call(&asked("create path=long.md content=x")));
    for envelope in &shown {
        assert!(
            !envelope.to_json().contains(&hash),
            "{}",
            envelope.to_json()
        );
    }
    // A write does not tell the hash of what it made of a note that was never shown.
    let appended = answer(&gateway, "append path=long.md content=x").succeeds();
    let after = sha256_of(&fs_err::read(world.vault.join("long.md")).unwrap());
    assert!(!appended.to_json().contains(&after));
    // Who has shown to know the text before is told the hash afterwards.
    let chained = gateway.call(&with_hash(asked("append path=long.md content=y"), &after));
    let now = sha256_of(&fs_err::read(world.vault.join("long.md")).unwrap());
    assert_eq!(
        chained.meta.changes[0].sha256.as_deref(),
        Some(now.as_str())
    );
}

/// Every command that reads, in every form, with room and without: whose answer has the hash of a note
/// has its whole text too. Resources of MCP are answers of `read`.
#[test]
fn f15_whatever_has_the_hash_of_a_note_has_its_whole_text() {
    let notes = |world: &World| -> Vec<(String, String, String)> {
        let files = world.ask("files");
        let paths = files.data.as_map()["items"].as_array().unwrap().iter();
        let paths = paths.map(|item| item["path"].as_str().unwrap().to_owned());
        paths
            .filter_map(|path| {
                let bytes = fs_err::read(world.vault.join(&path)).unwrap();
                let text = String::from_utf8(bytes).ok()?;
                Some((path, sha256_of(text.as_bytes()), text))
            })
            .filter(|(.., text)| !text.is_empty())
            .collect()
    };
    let (mut wanted, mut answer) = (0, 0);
    for room in ["300", "1000000"] {
        let world = World::with_fixture_vault();
        furnish(&world);
        let notes = notes(&world);
        let world = world.set(&format!("max_output_bytes = {room}"));
        let gateway = world.gateway();
        for command in answered_by_the_engine() {
            for form in forms_of(command) {
                let envelope = checked(gateway.call(&form.request()));
                let json = envelope.to_json();
                let value = json!(envelope);
                let texts = texts(&value);
                wanted += 1;
                for (path, hash, text) in &notes {
                    if json.contains(hash) {
                        // Properties that were read are as good as their text.
                        let properties = envelope.data.as_map().get("frontmatter");
                        let body = envelope.data.as_map().get("body").and_then(Value::as_str);
                        let in_parts = properties.is_some()
                            && body.is_some_and(|body| text.ends_with(body) && !body.is_empty());
                        let whole =
                            in_parts || texts.iter().any(|shown| shown.contains(text.as_str()));
                        assert!(whole, "{form:?} has the hash of {path}: {json}");
                        answer += 1;
                    }
                }
            }
        }
    }
    assert!(wanted > 600 && answer > 10, "{wanted} {answer}");
}

/// Every text in a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn f15_a_cut_list_has_whole_rows_the_true_total_and_goes_on() {
    for backend in ["embedded", "obsidian"] {
        let world = with_note(backend, b"x");
        for number in 0..60 {
            world.write(&format!("Area 1.5/note {number:02}.md"), "x\n");
        }
        for form in [&[][..], &[("format", "json")][..]] {
            // Of the app's JSON the rest is not known.
            if backend == "obsidian" && !form.is_empty() {
                continue;
            }
            let command = if form.is_empty() { "files" } else { "search" };
            let params: Vec<_> = match command {
                "files" => vec![("folder", "Area 1.5")],
                _ => vec![("query", "path:note"), form[0]],
            };
            let (mut offset, mut paths, mut total) = (0, Vec::new(), None);
            loop {
                let mut request = request(command, &params);
                request.offset = offset;
                let envelope = checked(world.gateway().call(&request)).succeeds();
                assert!(envelope.stdout.len() <= 300, "{backend}");
                let known = envelope.data.as_map()["total"].as_u64();
                assert_eq!(*total.get_or_insert(known), known, "{backend} {offset}");
                let items = envelope.data.as_map()["items"].as_array().unwrap();
                paths.extend(
                    items
                        .iter()
                        .map(|item| item["path"].as_str().unwrap().to_owned()),
                );
                match envelope
                    .data
                    .as_map()
                    .get("nextOffset")
                    .and_then(Value::as_u64)
                {
                    Some(next) => offset = usize::try_from(next).unwrap(),
                    None => break,
                }
            }
            assert_eq!(total, Some(Some(paths.len() as u64)), "{backend} {command}");
            assert!(paths.len() >= 60, "{backend} {command}: {paths:?}");
            assert!(paths.iter().all(|path| path.ends_with("md")), "{paths:?}");
        }
    }
}

#[test]
fn f15_an_offset_that_means_nothing_is_refused() {
    let world = with_note("embedded", b"x");
    for line in [
        "append path=long.md content=x",
        "random:read",
        "notes:list",
        "wordcount path=long.md",
    ] {
        let mut request = asked(line);
        request.offset = 3;
        let envelope = checked(world.gateway().call(&request)).fails_with("USAGE_ERROR");
        assert_eq!(envelope.error.unwrap().details["argument"], json!("offset"));
    }
}

#[test]
fn f15_no_profile_takes_a_part_for_the_whole() {
    let world = World::with_fixture_vault().set("max_output_bytes = 300\nbackend = \"embedded\"");
    let note = note();
    world.write("long.md", &note);
    let envelopes = [
        ("read", &[("path", "long.md")][..]),
        ("note:get", &[("path", "long.md")]),
        ("files", &[]),
    ]
    .map(|(command, params)| world.call(command, params));
    for envelope in &envelopes {
        for profile in Profile::ALL {
            let shown = profile.project(envelope, &surroundings()).text;
            let about = format!("{} {}: {shown}", profile.name(), envelope.command);
            assert!(!shown.contains("sha256"), "{about}");
            assert!(
                shown.contains("\"truncated\": true") || shown.contains("\"truncated\":true"),
                "{about}"
            );
            assert!(
                shown.contains("next_offset")
                    || shown.contains("nextOffset")
                    || shown.contains("\"offset\""),
                "{about}"
            );
        }
    }
    // The parts of a body join to the text, white space and all.
    let mut read = String::new();
    let mut offset = 0;
    loop {
        let mut request = asked("note:get path=long.md");
        request.offset = offset;
        let envelope = checked(world.gateway().call(&request));
        let shown = Profile::Knowtation.project(&envelope, &surroundings()).text;
        let shown: Value = serde_json::from_str(&shown).unwrap();
        read += shown["body"].as_str().unwrap();
        match shown["next_offset"].as_u64() {
            Some(next) => offset = usize::try_from(next).unwrap(),
            None => break,
        }
    }
    assert_eq!(read, note);
}
