//! Templates.

use std::sync::LazyLock;

use super::vault;

const CASES: &str = include_str!("templates_cases.txt");

static TEMPLATES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "templates"));

#[test]
fn templates_by_name() {
    vault(&TEMPLATES).check(tables::text(CASES, "templates by name"));
}

#[test]
fn a_resolved_template_is_not_the_files_bytes() {
    let fixture = vault(&TEMPLATES);
    let bytes = |line: &str| fixture.reply(line).2.unwrap().bytes;
    assert_eq!(bytes("template:read name=9").as_deref(), Some(&b"nine"[..]));
    assert_eq!(bytes("template:read name=9 resolve"), None);
}

#[test]
fn d01_the_template_folder_cannot_lead_out_of_the_vault() {
    for [settings, expected] in tables::section(CASES, "d01 the template folder cannot lead out") {
        let fixture = vault(&[(".obsidian/templates.json", settings), ("a.md", "")]);
        assert_eq!(fixture.prints("templates"), expected, "{settings}");
    }
    let none = vault(&[(".obsidian/templates.json", "[")]);
    assert_eq!(
        none.prints("templates"),
        "Error: No template folder configured.\n"
    );
}
