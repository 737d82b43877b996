//! The expression language beyond what the app was seen to do (`vault-semantics.md` §5.3).

use bases::Expression;
use serde_json::{Value as Json, json};

use crate::notes::{books, evaluated, of};

const CASES: &str = include_str!("language_cases.txt");

/// Each row is `expression => value as JSON`.
pub(crate) fn all(table: &str) {
    for row in table.trim().lines() {
        let (text, expected) = row.split_once(" => ").unwrap();
        let expected: Json = serde_json::from_str(expected).unwrap();
        assert_eq!(of(text), expected, "{text}");
    }
}

#[test]
fn operators_bind_as_in_javascript() {
    all(tables::text(CASES, "operators bind as in javascript"));
}

#[test]
fn texts() {
    all(tables::text(CASES, "texts"));
}

/// `vault-semantics.md` §5.3: what a note lacks has no value of any function, and no comparison with
/// it holds.
#[test]
fn what_is_not_there_is_no_error() {
    all(tables::text(CASES, "what is not there is no error"));
}

/// As [A] `obsidian.d.ts` has it: links, tags, images and the like are kinds of text.
#[test]
fn texts_of_other_kinds() {
    all(tables::text(CASES, "texts of other kinds"));
}

#[test]
fn numbers() {
    all(tables::text(CASES, "numbers"));
}

#[test]
fn dates() {
    all(tables::text(CASES, "dates"));
}

#[test]
fn lists_and_objects() {
    all(tables::text(CASES, "lists and objects"));
}

#[test]
fn files_and_links() {
    all(tables::text(CASES, "files and links"));
}

#[test]
fn formulas_refer_to_others_and_not_to_themselves() {
    let base = "formulas: {total: price * 2, 'a b': formula.total + 1, x: formula.y, y: formula.x, z: 1 +}";
    let mut vault = books();
    vault.files.swap(0, 1);
    let of = |text: &str| match evaluated(&vault, &Expression::parse(text).unwrap(), base) {
        Ok(value) => value,
        Err(error) => json!({ "error": error.message }),
    };
    assert_eq!(of("formula['a b'] - formula.total"), json!(1));
    assert_eq!(of("formula.none"), json!(null));
    assert_eq!(
        of("formula.x"),
        json!({"error": "Circular reference in formula \"x\""})
    );
    assert_eq!(
        of("formula.z"),
        json!({"error": "The expression ends where a value is expected (at character 4)"})
    );
}

#[test]
fn what_is_no_expression_says_why_and_where() {
    for row in tables::text(CASES, "what is no expression says why").lines() {
        let (text, expected) = row.split_once(" => ").unwrap();
        let error = Expression::parse(text).unwrap_err();
        assert_eq!(error.to_string(), expected, "{text}");
    }
    for text in tables::lines(CASES, "what is no expression says why, 2") {
        Expression::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
}
