//! Texts of the app that no recording shows, and what is written here instead.

/// A gap in what is known, for the parity table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unrecorded {
    /// The command and the arguments it is about.
    pub command: &'static str,
    /// The unknown detail.
    pub gap: &'static str,
    /// The choice of [`crate::render`] and [`crate::parse`].
    pub choice: &'static str,
}

const fn gap(command: &'static str, gap: &'static str, choice: &'static str) -> Unrecorded {
    Unrecorded { command, gap, choice }
}

const THROUGH: &str = "passed through as text";

/// Every gap: rows of `official-cli.md` §5 that are marked unknown, and `official-cli.md` §10.
pub const UNRECORDED: &[Unrecorded] = &[
    gap(
        "aliases total, … total",
        "`total` of an empty list",
        "rendered `0`, but for `outline`; a sentence is read as 0",
    ),
    gap(
        "base:query",
        "the JSON's layout and what no rows print",
        "two-space JSON; no rows print `[]`; a sentence is read as no rows",
    ),
    gap(
        "base:query format=tsv|md",
        "whether TSV has a header row as CSV has; pipes and line breaks in cells of Markdown",
        "TSV as CSV; a backslash before a pipe, `<br>` for a line break",
    ),
    gap(
        "bases",
        "the sentence for no bases is deduced",
        "rendered `No base files found in vault`; nothing at all is read as none too",
    ),
    gap("bookmarks", "every form", THROUGH),
    gap(
        "commands, plugins, tabs, templates, vaults",
        "what an empty list prints",
        "nothing at all; a sentence is read as none",
    ),
    gap(
        "daily:append, daily:prepend",
        "the confirmation",
        "taken to be `Appended to: …`, `Prepended to: …`",
    ),
    gap("diff", "the list's spacing", THROUGH),
    gap("history, history:list", "the rows' separator", THROUGH),
    gap("hotkeys, hotkey", "every form", THROUGH),
    gap(
        "move",
        "no live transcript of the confirmation",
        "rendered `Moved: a -> b`; `→` is read too; `Already there: a` if both paths are the same",
    ),
    gap("plugin", "which rows a core plugin has", "version, author and description may be missing"),
    gap("plugins versions", "what stands for a plugin without a version", "an empty cell"),
    gap("properties", "what a vault without properties prints", "nothing at all"),
    gap("properties format=tsv", "the vault-wide form", "the same as the default form"),
    gap(
        "properties path=",
        "the YAML's quoting in rare cases",
        "as the app writes frontmatter; other YAML is read where it is plain enough",
    ),
    gap("properties path= format=tsv", "what properties that are all null print", "nothing at all"),
    gap("property:read", "null and the empty text", "both print `(empty)`"),
    gap("publish:*, sync:*", "every form", THROUGH),
    gap(
        "tag",
        "what a tag without files prints",
        "nothing at all; with `verbose` the head line alone",
    ),
    gap("task", "the confirmation", THROUGH),
    gap("tasks", "the indentation of nested tasks", "lines are taken as they stand"),
    gap("tasks format=csv|tsv", "the columns", "status, text, file, line"),
    gap(
        "tasks verbose",
        "the layout",
        "rendered as a file's line, then `line`, tab, task; read as text",
    ),
    gap("themes, theme, snippets, unique", "every form", THROUGH),
    gap("unresolved verbose format=json", "whether `count` is there", "rendered; may be missing"),
    gap("wordcount words characters", "both switches together", "`words` wins"),
    gap("workspace", "the tree's details", THROUGH),
];

#[cfg(test)]
mod tests {
    use super::UNRECORDED;

    #[test]
    fn gaps_are_sorted_and_listed_once() {
        assert!(UNRECORDED.is_sorted_by(|a, b| a.command < b.command));
    }
}
