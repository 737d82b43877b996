//! The names of our verbs, for error messages of lower layers.

use allowlist::nearest;

/// Every verb. A test in `program::verb` checks that the list is complete.
pub const VERBS: [&str; 22] = [
    "review",
    "outside",
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
    "settings",
    "rules",
    "undo",
    "redo",
    "run",
    "demo",
    "completions",
    "man",
];

/// Earlier names of verbs, which still work.
const ALIASES: [&str; 2] = ["approve", "taint"];

/// Whether the word is a verb, by its name or an earlier one.
pub fn is_verb(word: &str) -> bool {
    VERBS.contains(&word) || ALIASES.contains(&word)
}

/// Returns the verb closest to a mistyped word, if one is close enough.
pub fn nearest_verb(word: &str) -> Option<String> {
    nearest(word, VERBS).into_iter().next()
}
