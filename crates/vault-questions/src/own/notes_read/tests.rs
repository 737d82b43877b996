//! `notes:read` as a caller uses it.

use serde_json::{Value, json};
use vault_files::testing::surroundings;
use vault_files::vault::testing::{vault, without_sight_of};
use vault_files::{Arg, Args, Vault};

use crate::own::testing::reply;

fn ask_within(vault: &Vault, notes: &Value, budget: usize) -> Value {
    let notes = Arg::List(notes.as_array().unwrap().clone());
    let arguments = Args::default().with("notes", notes).with("budget", budget);
    let reply = crate::reply(vault, "notes:read", &arguments, &surroundings()).unwrap();
    serde_json::to_value(reply.answer).unwrap()
}

fn ask(vault: &Vault, notes: &Value) -> Value {
    ask_within(vault, notes, 20_000)
}

const LONG: &str = "\u{feff}---\r\na: 1\r\n---\r\n# One\r\nx\r\n## Two\r\ny ^id\r\n# Three\r\n- item\r\n  more\r\n";

#[test]
fn notes_and_parts_of_them_are_read_as_they_are() {
    let (_folder, vault) = vault(&[("a.md", "# A\ntext"), ("b.md", LONG), ("empty.md", "")]);
    let found = ask(
        &vault,
        &json!([
            "a.md", "b.md", "empty.md",
            {"path": "b.md", "heading": "one"},
            {"path": "b.md", "heading": "One/Two"},
            {"path": "b.md", "block": "id"},
            {"path": "b.md", "lines": "9-99"},
            {"path": "a.md", "offset": 5},
        ]),
    );
    let items = found["items"].as_array().unwrap();
    let texts: Vec<&str> = items
        .iter()
        .map(|item| item["text"].as_str().unwrap())
        .collect();
    assert_eq!(
        texts,
        [
            "# A\ntext",
            LONG,
            "",
            "# One\r\nx\r\n## Two\r\ny ^id\r\n",
            "## Two\r\ny ^id\r\n",
            "y ^id\r\n",
            "- item\r\n  more\r\n",
            "ext",
        ]
    );
    let lines: Vec<u64> = items
        .iter()
        .map(|item| item["firstLine"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [1, 1, 1, 4, 6, 7, 9, 2]);
    // Only a caller that sees the whole note gets its hash.
    let hashed: Vec<bool> = items
        .iter()
        .map(|item| item.get("sha256").is_some())
        .collect();
    assert_eq!(
        hashed,
        [true, true, true, false, false, false, false, false]
    );
    assert!(items.iter().all(|item| item.get("nextOffset").is_none()));
}

#[test]
fn a_note_that_cannot_be_read_is_an_entry_and_the_others_are_read() {
    let (_folder, vault) = vault(&[
        ("a.md", "# A\nx\n# A\ny\n"),
        ("hidden/b.md", "secret"),
        (".obsidian/app.json", "{}"),
    ]);
    let vault = without_sight_of(&vault, "hidden");
    let found = ask(
        &vault,
        &json!([
            "gone.md", "hidden/b.md", ".obsidian/app.json", "a.md",
            {"path": "a.md", "heading": "A"},
            {"path": "a.md", "heading": "B"},
            {"path": "a.md", "lines": "5"},
        ]),
    );
    let items = found["items"].as_array().unwrap();
    let codes: Vec<&str> = items
        .iter()
        .map(|item| item["error"]["code"].as_str().unwrap_or("-"))
        .collect();
    assert_eq!(
        codes,
        [
            "FILE_NOT_FOUND",
            "FILE_NOT_FOUND",
            "FILE_NOT_FOUND",
            "-",
            "AMBIGUOUS_TARGET",
            "TARGET_NOT_FOUND",
            "TARGET_NOT_FOUND",
        ]
    );
    assert_eq!(
        items[0]["error"], items[1]["error"],
        "d13: closed is as missing"
    );
    assert_eq!(
        items[4]["error"]["candidates"][1],
        json!({"line": 3, "text": "A (line 3)"})
    );
}

#[test]
fn the_budget_is_divided_fairly_and_the_parts_are_the_note() {
    let long: String = (0..2000)
        .map(|line| format!("Line {line} \"é\"\n"))
        .collect();
    let (_folder, vault) = vault(&[("a.md", &long), ("b.md", &long), ("short.md", "short\n")]);
    for budget in [2000, 5000, 20_000] {
        let found = ask_within(&vault, &json!(["a.md", "short.md", "b.md"]), budget);
        let items = found["items"].as_array().unwrap();
        let lines: usize = items
            .iter()
            .map(|item| item.to_string().chars().count() + 1)
            .sum();
        assert!(lines <= budget, "{lines} of {budget}");
        assert!(lines > budget * 3 / 4, "{lines} of {budget}");
        assert_eq!(items[1]["text"], "short\n");
        assert_eq!(items[0]["text"], items[2]["text"]);
        assert_eq!(items[0].get("sha256"), None);
        assert_eq!(items[0]["totalCharacters"], long.chars().count());
    }
    let (mut offset, mut read) = (0, String::new());
    loop {
        let found = ask_within(&vault, &json!([{"path": "a.md", "offset": offset}]), 3000);
        let item = &found["items"][0];
        read += item["text"].as_str().unwrap();
        assert_eq!(item.get("sha256"), None);
        let Some(next) = item["nextOffset"].as_u64() else {
            break;
        };
        offset = next;
    }
    assert_eq!(read, long);
    // If the budget is too small, the last notes get no text, and say how to continue.
    let many: Vec<&str> = std::iter::repeat_n("a.md", 20).collect();
    let found = ask_within(&vault, &json!(many), 4000);
    let last = &found["items"][19];
    assert_eq!((last.get("text"), &last["nextOffset"]), (None, &json!(0)));
}

#[test]
fn what_is_no_list_of_notes_is_refused() {
    let (_folder, vault) = vault(&[("a.md", "x")]);
    assert!(reply(&vault, "notes:read").is_err());
    assert!(reply(&vault, "notes:read notes=[\"../a.md\"]").is_err());
}
