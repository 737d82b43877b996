//! Outputs about the app, its vaults, folders, files and plugins.

use super::{all_exact, arguments, exact, list, read};
use crate::{Shape, parse};
use serde_json::json;

const CASES: &str = include_str!("app_cases.txt");

/// Outputs recorded in `official-cli.md` §5.1.
#[test]
fn app_and_vault() {
    let version = |app, installer| json!({"version": app, "installer": installer});
    exact(
        Shape::Version,
        "",
        "1.12.7 (installer 1.12.7)\n",
        &version("1.12.7", "1.12.7"),
    );
    exact(
        Shape::Version,
        "",
        "1.13.7 (installer 1.13.4)\n",
        &version("1.13.7", "1.13.4"),
    );
    all_exact(tables::text(CASES, "app and vault"));
}

/// Outputs recorded in `official-cli.md` §5.1.
#[test]
fn files_and_folders() {
    all_exact(tables::text(CASES, "files and folders"));
}

/// Outputs recorded in `official-cli.md` §5.1 and §5.3.
#[test]
fn bases_plugins_and_the_rest() {
    all_exact(tables::text(CASES, "bases plugins and the rest, 2"));
    let rows = list(&json!([{"path": "a.md", "id": "1", "due": null}]));
    assert_eq!(
        read(
            Shape::BaseRows,
            "",
            "[{ \"path\": \"a.md\", \"id\": \"1\", \"due\": null }]\n"
        ),
        rows
    );
    let rows = list(
        &json!([{"date": "[[2025-09-28]]", "books": "[[Mark]], [[Isaiah]]"}, {"date": "[[2025-10-12]]", "books": null}]),
    );
    for [form, text] in tables::section(CASES, "bases plugins and the rest") {
        exact(Shape::BaseRows, form, text, &rows);
    }
    assert_eq!(
        read(Shape::BaseRows, "format=csv", "\r\na,a\r\n1,2\r\n"),
        list(&json!([{"a": "1", "a (2)": "2"}]))
    );
    assert_eq!(
        read(Shape::BaseRows, "format=csv", "a,b\n"),
        list(&json!([]))
    );
    for (form, text, line) in [
        ("format=csv", "a,b\n1\n", 2),
        ("format=md", "| a |\n| b |\n", 2),
        ("format=md", "| a |\n| - |\n| [[b|c]] |\n", 3),
        ("format=md", "a\n", 1),
    ] {
        let fault = parse(Shape::BaseRows, &arguments(form), text).unwrap_err();
        assert_eq!(fault.line, line, "{text}");
    }
}
