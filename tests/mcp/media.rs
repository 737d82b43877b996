//! Files that are no notes: images go to a model as images, other bytes are refused; and texts that are
//! larger than one answer.

use serde_json::{Value, json};

use super::client::{Client, code, text};
use crate::support::{Outcome as _, World, has};

const GIF: &[u8] = b"GIF89a\x01\0\x01\0\0\0\0;";
const GIF_BASE64: &str = "R0lGODlhAQABAAAAADs=";

fn world() -> World {
    let world = World::with_fixture_vault()
        .set("backend = \"embedded\"")
        .with_tables("[paths]\ndeny = [\"Closed\"]\n");
    world.write("pics/a b.gif", GIF);
    world.write("Closed/a.gif", GIF);
    world.write("pics/large.png", vec![0x89; 3_750_001]);
    world.write("pics/fake.png", b"<svg/>");
    world.write("pics/a.svg", b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    world.write("a.pdf", b"%PDF-1.7\n\xff\xfe\x00\x01");
    world.write("old.txt", b"caf\xe9\n");
    world
}

#[test]
fn an_image_is_an_image_block_and_its_bytes_are_there_once() {
    let world = world();
    let mut client = Client::open(&world, &[]);
    for arguments in [
        json!({ "path": "pics/a b.gif" }),
        json!({ "file": "a b.gif" }),
    ] {
        let result = client.call("read", &arguments).succeeds();
        let image = &result["content"][0];
        assert_eq!(
            (&image["type"], &image["data"], &image["mimeType"]),
            (&json!("image"), &json!(GIF_BASE64), &json!("image/gif"))
        );
        assert_eq!(result.to_string().matches(GIF_BASE64).count(), 1);
        let data = &result["structuredContent"]["data"];
        assert_eq!(
            (&data["path"], &data["size"]),
            (&json!("pics/a b.gif"), &json!(14))
        );
        assert_eq!(data["sha256"].as_str().unwrap().len(), 64);
        let shown = result["content"][1]["text"].as_str().unwrap();
        assert!(shown.contains("pics/a b.gif"), "{shown}");
    }
    let generic = json!({ "command": "read", "params": { "path": "pics/a b.gif" } });
    let result = client.call("obsidianCli", &generic);
    assert_eq!(result["content"][0]["type"], "image", "{result}");
}

#[test]
fn what_is_no_image_is_refused_or_a_text() {
    let world = world();
    let mut client = Client::open(&world, &[]);
    let mut read = |path: &str| client.call("read", &json!({ "path": path }));
    let large = read("pics/large.png").fails_with("VALIDATION_ERROR");
    let shown = text(&large);
    has(&shown, &["3750001", "3750000"]);
    for path in ["pics/fake.png", "a.pdf"] {
        let refused = read(path).fails_with("VALIDATION_ERROR");
        assert!(text(&refused).contains(path), "{refused}");
        assert!(!refused.to_string().contains("%PDF"), "{refused}");
    }
    assert!(text(&read("pics/a.svg")).starts_with("<svg"));
    assert!(text(&read("old.txt")).starts_with("caf\u{fffd}"), "Latin-1");
    let several = json!({ "notes": ["a.pdf", "Home.md"] });
    let several = client.call("notes_read", &several).succeeds();
    let items = &several["structuredContent"]["data"]["items"];
    assert_eq!(items[0]["error"]["code"], "VALIDATION_ERROR", "{several}");
    assert!(items[1]["text"].as_str().unwrap().contains("# Home"));
}

#[test]
fn d13_a_closed_image_looks_like_a_missing_one() {
    let world = world();
    let mut client = Client::open(&world, &[]);
    let mut shown = |path: &str| {
        let result = client.call("read", &json!({ "path": path }));
        let resource = client.resource(path);
        (code(&result).to_owned(), resource["error"].clone())
    };
    let (code, resource) = shown("Closed/a.gif");
    assert_eq!(code, "PATH_DENIED");
    let (_, missing) = shown("None/a.gif");
    assert_eq!(resource["message"], missing["message"]);
    assert_eq!(resource["code"], missing["code"]);
}

#[test]
fn resources_are_blobs_texts_with_their_type_or_parts() {
    let world = world();
    let line = "ü line of a long note\n";
    world.write("Long.md", line.repeat(60_000));
    let mut client = Client::open(&world, &[]);
    let blob = client.resource("pics/a%20b.gif");
    let blob = &blob["result"]["contents"][0];
    assert_eq!(
        (&blob["blob"], &blob["mimeType"]),
        (&json!(GIF_BASE64), &json!("image/gif"))
    );
    let svg = client.resource("pics/a.svg");
    assert_eq!(svg["result"]["contents"][0]["mimeType"], "image/svg+xml");
    let binary = client.resource("a.pdf");
    assert!(
        binary["error"]["message"]
            .as_str()
            .unwrap()
            .contains("not a text file"),
        "{binary}"
    );

    // The parts join to the exact text.
    let mut uri = "obsidian://note/Long.md".to_owned();
    let mut whole = String::new();
    let mut parts = 0;
    loop {
        let part = client.ask("resources/read", &json!({ "uri": uri }));
        let contents = part["result"]["contents"].as_array().expect("contents");
        whole += contents[0]["text"].as_str().unwrap();
        parts += 1;
        match &contents[0]["_meta"]["vault-gw/page"]["next"] {
            Value::String(next) => {
                let shown = contents[1]["text"].as_str().unwrap();
                assert!(shown.contains(next), "{shown}");
                next.clone_into(&mut uri);
            }
            _ => break,
        }
    }
    assert_eq!(parts, 2);
    assert!(whole == line.repeat(60_000), "{}", whole.len());
    let missing = client.resource("None.md");
    assert_eq!(missing["error"]["data"]["uri"], "obsidian://note/None.md");
}
