//! Renders plans and diffs in colour.

use super::role::Role;
use super::styled_text::{StyledLine, StyledText};

/// Returns the text of a plan: which file is changed how, then the diffs. The first character of a
/// diff line gives its kind, and text of a note always has such a character before it.
pub(super) fn plan(text: &str) -> StyledText {
    let mut styled = StyledText::default();
    for line in text.lines() {
        styled.line(StyledLine::new(role(line), line).whole());
    }
    styled
}

/// Returns the role of a line in a plan or a diff.
pub fn role(line: &str) -> Role {
    match line.as_bytes() {
        [b'-', b'-', b'-', b' ', ..] | [b'+', b'+', b'+', b' ', ..] => Role::Heading,
        [b'@', b'@', ..] => Role::Hunk,
        [b'+', ..] => Role::Added,
        [b'-', ..] => Role::Removed,
        [b'\\', ..] => Role::Faint,
        _ => Role::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_coloured_by_what_they_do() {
        let text = plan(
            "change a.md\n\n--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-old words here\n+new\n same\n",
        );
        insta::assert_snapshot!(text.render(9, true).replace('\u{1b}', "^"));
        // A broken line would look like two lines, and be copied as two.
        assert!(text.render(9, false).contains("\n-old words here\n"));
    }
}
