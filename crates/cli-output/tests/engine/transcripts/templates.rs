//! Templates.

use std::sync::LazyLock;

use tables::rows;

use super::vault;

const CASES: &str = include_str!("templates_cases.txt");

static TEMPLATES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "templates"));

#[test]
fn templates_by_name() {
    vault(&TEMPLATES).check(
        r#"
        templates ¦ 9\n10 v1.2\nDaily\ndeep/Trip\n
        templates total ¦ 4\n
        template:read name=Daily ¦ # {{title}}\n{{date}} {{time}} {{date:YYYY}}\n
        template:read name=daily.md title=T ¦ # {{title}}\n{{date}} {{time}} {{date:YYYY}}\n
        template:read name=Daily resolve title=My+{{date}} ¦ # My {{date}}\n07.03.2026 09:05 2026\n
        template:read name=Daily resolve ¦ # {{title}}\n07.03.2026 09:05 2026\n
        template:read name=deep/trip ¦ trip\n
        template:read name=10+v1.2 ¦ dots\n
        template:read name=Trip ¦ Error: Template "Trip" not found.\n
        template:read name=../../Other ¦ Error: Template "../../Other" not found.\n
        template:read ¦ Error: Missing required parameter: name=<template>\nUsage: template:read name=<template> [resolve] [title=<title>]\n
        "#,
    );
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
    for [settings, expected] in rows(
        r#"
        {} ¦ Error: No template folder configured.\n
        {"folder":""} ¦ Error: No template folder configured.\n
        {"folder":"none"} ¦ Error: Template folder "none" not found.\n
        {"folder":"../out"} ¦ Error: Template folder "../out" not found.\n
        {"folder":".obsidian"} ¦ Error: Template folder ".obsidian" not found.\n
        {"folder":"a.md"} ¦ Error: Template folder "a.md" not found.\n
        {"folder":"/"} ¦ a\n
        "#,
    ) {
        let fixture = vault(&[(".obsidian/templates.json", settings), ("a.md", "")]);
        assert_eq!(fixture.prints("templates"), expected, "{settings}");
    }
    let none = vault(&[(".obsidian/templates.json", "[")]);
    assert_eq!(
        none.prints("templates"),
        "Error: No template folder configured.\n"
    );
}
