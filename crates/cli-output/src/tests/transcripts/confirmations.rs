//! Sentences that confirm changes.

use super::{exact, read, refused};
use crate::{Reason, Shape};
use serde_json::json;

const CASES: &str = include_str!("confirmations_cases.txt");

/// `official-cli.md` §5.1 and §5.3: what was done.
#[test]
fn confirmations() {
    // The words of the call, if it needs any, come before ` | `.
    for row in tables::text(CASES, "confirmations").lines() {
        let (call, expected) = row.split_once(" => ").unwrap();
        let (words, text) = call.split_once(" | ").unwrap_or(("", call));
        let text = text.replace("\\n", "\n") + "\n";
        let expected = serde_json::from_str(expected).unwrap();
        exact(Shape::Confirmation, words, &text, &expected);
    }
    assert_eq!(
        read(Shape::Confirmation, "", "\r\nMoved: a.md → b.md\r\n"),
        json!({"action": "moved", "path": "a.md", "destination": "b.md"})
    );
    assert_eq!(
        refused(Shape::Confirmation, "", ""),
        (1, Reason::EmptyOutput),
        "an empty output confirms nothing"
    );
    assert_eq!(
        refused(Shape::Confirmation, "", "Created: a.md\nb\n"),
        (2, Reason::MoreLines)
    );
    for text in tables::lines(CASES, "confirmations, 2") {
        let (line, reason) = refused(Shape::Confirmation, "", text);
        assert!(
            matches!((line, reason), (1, Reason::Pattern { .. })),
            "{text}"
        );
    }
}
