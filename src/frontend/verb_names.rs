//! The names of our verbs, for messages of layers that do not know the verbs themselves.

use crate::allowlist::nearest;

/// Every verb. A test beside the grammar in `program::verb` holds that none is missing.
pub(crate) const VERBS: [&str; 15] = [
    "approve",
    "audit",
    "call",
    "mcp",
    "capabilities",
    "context",
    "explain",
    "schema",
    "doctor",
    "install",
    "settings",
    "undo",
    "demo",
    "completions",
    "man",
];

/// The verb that a mistyped word was probably meant to be.
pub(crate) fn nearest_verb(word: &str) -> Option<String> {
    nearest(word, VERBS).into_iter().next()
}
