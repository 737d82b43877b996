//! Properties and aliases.

use std::sync::LazyLock;

use vault_files::EngineError;

use super::vault;

const CASES: &str = include_str!("properties_cases.txt");

static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

#[test]
fn properties_of_one_note() {
    vault(&NOTES).check(tables::text(CASES, "properties of one note"));
}

#[test]
fn property_names_of_the_vault() {
    let fixture = vault(&NOTES);
    fixture.check(tables::text(CASES, "property names of the vault"));
    let json: serde_json::Value =
        serde_json::from_str(&fixture.prints("properties format=json")).unwrap();
    let types: Vec<_> = json
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let text = |key: &str| row[key].as_str().unwrap().to_owned();
            (text("name"), text("type"), row["count"].as_u64().unwrap())
        })
        .collect();
    let row = |name: &str, kind: &str, count| (name.to_owned(), kind.to_owned(), count);
    assert_eq!(
        types,
        [
            row("aliases", "aliases", 3),
            row("cssclasses", "multitext", 0),
            row("done", "checkbox", 1),
            row("Due", "date", 1),
            row("empty", "text", 1),
            row("mixed", "unknown", 1),
            row("nested", "unknown", 1),
            row("nothing", "text", 1),
            row("rating", "number", 2),
            row("status", "text", 3),
            row("tags", "tags", 1),
            row("when", "datetime", 1),
        ]
    );
    assert_eq!(fixture.warnings("properties"), []);
    assert_eq!(
        vault(&[]).prints("properties"),
        "aliases\ncssclasses\ntags\n"
    );
}

#[test]
fn property_values() {
    vault(&NOTES).check(tables::text(CASES, "property values"));
}

#[test]
fn aliases_of_vault_and_note() {
    let fixture = vault(&NOTES);
    fixture.check(tables::text(CASES, "aliases of vault and note"));
    assert_eq!(vault(&[]).prints("aliases"), "No aliases found.\n");
}

#[test]
fn malformed_properties_are_one_warning_each_and_no_failure() {
    let fixture = vault(&[
        ("good.md", "---\nkey: 1\naliases: [A]\n---\n"),
        ("twice.md", "---\nkey: 1\nkey: 2\n---\n"),
        ("syntax.md", "---\nok: 1\na: b: c\n---\n"),
    ]);
    fs_err::write(
        fixture.vault.root().join("latin.md"),
        b"---\nname: caf\xe9\n---\n",
    )
    .unwrap();
    fixture.check(
        r"
        properties name=key ¦ 1\n
        properties path=twice.md ¦ No frontmatter found.\n
        property:read name=name path=latin.md ¦ caf�\n
        ",
    );
    let unreadable = fixture.reply("property:read name=key path=twice.md").2;
    assert!(
        matches!(unreadable, Err(EngineError::Properties { .. })),
        "a note that may have the property is not said to lack it"
    );
    let invalid = |path: &str, line| ("INVALID_FRONTMATTER", path.to_owned(), Some(line));
    let not_utf8 = ("NOT_UTF8", "latin.md".to_owned(), None);
    for line in ["properties", "aliases"] {
        assert_eq!(
            fixture.warnings(line),
            [
                not_utf8.clone(),
                invalid("syntax.md", 3),
                invalid("twice.md", 3)
            ],
            "{line}"
        );
    }
    assert_eq!(
        fixture.warnings("properties path=twice.md"),
        [invalid("twice.md", 3)]
    );
    assert_eq!(
        fixture.warnings("property:read name=name path=latin.md"),
        [not_utf8]
    );
}

#[test]
fn a_long_head_is_read_to_its_end_and_no_further() {
    let long = format!(
        "---\nlist:\n{}last: 1\n---\n{}",
        "- é word\n".repeat(2000),
        "x".repeat(9000)
    );
    // The text follows the properties without a line break.
    let cut = format!(
        "---\nkey: {}\n---x\n---\n",
        "y".repeat(4096 - 4 - 5 - 5 + 1)
    );
    let fixture = vault(&[
        ("long.md", &long),
        ("cut.md", &cut),
        ("open.md", &long[..9000]),
    ]);
    fixture.check(
        r"
        properties name=last ¦ 1\n
        properties name=key ¦ 1\n
        ",
    );
    assert_eq!(fixture.warnings("properties name=last"), []);
}
