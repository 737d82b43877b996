//! The names of our verbs, for error messages of lower layers.

use allowlist::nearest;

/// Every verb. A test in `program::verb` checks that the list is complete.
pub const VERBS: [&str; 23] = [
    "approve",
    "review",
    "taint",
    "audit",
    "call",
    "mcp",
    "capabilities",
    "context",
    "explain",
    "schema",
    "doctor",
    "setup",
    "install",
    "agents",
    "allowlist",
    "policy",
    "settings",
    "undo",
    "redo",
    "run",
    "demo",
    "completions",
    "man",
];

/// Returns the verb closest to a mistyped word, if one is close enough.
pub fn nearest_verb(word: &str) -> Option<String> {
    nearest(word, VERBS).into_iter().next()
}
