//! Properties and aliases.

use std::sync::LazyLock;

use vault_files::EngineError;

use super::vault;

const CASES: &str = include_str!("properties_cases.txt");

static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

#[test]
fn properties_of_one_note() {
    vault(&NOTES).check(
        r#"
        properties path=a.md ¦ status: draft\nDue: 2026-01-02\nrating: 4.5\ntags:\n  - x\n  - y/z\naliases:\n  - First\n  - B 2\ndone: false\nnothing:\nempty: ""\nnested:\n  k: 1\nmixed:\n  - 1\n  - a\n  -\n
        properties file=b format=json ¦ {\n  "STATUS": 3,\n  "aliases": "B 2, b 10"\n}\n
        properties path=a.md format=tsv ¦ status\tdraft\nDue\t2026-01-02\nrating\t4.5\ntags\tx, y/z\naliases\tFirst, B 2\ndone\tfalse\nempty\t\nnested\t[object Object]\nmixed\t1, a, \n
        properties path=a.md total ¦ 10\n
        properties path=a.md name=status ¦ 1\n
        properties path=a.md name=Status ¦ Error: Property "Status" not found.\n
        properties path=c.md ¦ No frontmatter found.\n
        properties path=c.md format=json ¦ No frontmatter found.\n
        properties path=sub/a.txt ¦ No frontmatter found.\n
        properties path=none.md ¦ Error: File "none.md" not found.\n
        properties active ¦ Error: No active file. Use file=<name> or path=<path> to specify a file.\n
        "#,
    );
}

#[test]
fn property_names_of_the_vault() {
    let fixture = vault(&NOTES);
    fixture.check(
        r#"
        properties ¦ aliases\ncssclasses\ndone\nDue\nempty\nmixed\nnested\nnothing\nrating\nstatus\ntags\nwhen\n
        properties counts sort=count ¦ aliases\t3\nstatus\t3\nrating\t2\ndone\t1\nDue\t1\nempty\t1\nmixed\t1\nnested\t1\nnothing\t1\ntags\t1\nwhen\t1\ncssclasses\t0\n
        properties total ¦ 12\n
        properties name=Status ¦ 3\n
        properties name=cssclasses ¦ 0\n
        properties name=hidden ¦ Error: Property "hidden" not found.\n
        "#,
    );
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
    vault(&NOTES).check(
        r#"
        property:read name=status path=a.md ¦ draft\n
        property:read name=Due path=a.md ¦ 2026-01-02\n
        property:read name=rating path=a.md ¦ 4.5\n
        property:read name=rating path=sub/d.md ¦ 12345678901234567000\n
        property:read name=tags path=a.md ¦ x\ny/z\n
        property:read name=done path=a.md ¦ false\n
        property:read name=nothing path=a.md ¦ (empty)\n
        property:read name=empty path=a.md ¦ (empty)\n
        property:read name=nested path=a.md ¦ [object Object]\n
        property:read name=mixed path=a.md ¦ 1\na\n
        property:read name=due path=a.md ¦ Error: Property "due" not found.\n
        property:read name=x path=c.md ¦ Error: Property "x" not found.\n
        property:read name=x path=none.md ¦ Error: File "none.md" not found.\n
        property:read path=a.md ¦ Error: Missing required parameter: name=<name>\nUsage: property:read name=<name> [file=<name>] [path=<path>]\n
        "#,
    );
}

#[test]
fn aliases_of_vault_and_note() {
    let fixture = vault(&NOTES);
    fixture.check(
        r#"
        aliases ¦ B 2\nb 10\nFirst\n
        aliases verbose ¦ B 2\ta.md, b.md, sub/d.md\nb 10\tb.md\nFirst\ta.md\n
        aliases total ¦ 3\n
        aliases path=a.md ¦ First\nB 2\n
        aliases path=b.md verbose ¦ B 2\tb.md\nb 10\tb.md\n
        aliases path=sub/d.md total ¦ 2\n
        aliases path=c.md ¦ No aliases found.\n
        aliases path=x.md ¦ Error: File "x.md" not found.\n
        "#,
    );
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
        r#"
        properties name=key ¦ 1\n
        properties path=twice.md ¦ No frontmatter found.\n
        property:read name=name path=latin.md ¦ caf�\n
        "#,
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
