//! Plans and diffs in colour.

use super::role::Role;
use super::styled_text::{StyledLine, StyledText};

/// The text of a plan: what is done to which file, then the diffs. Lines of a diff say by their first
/// character what they are; those of a note always have one before them.
pub(crate) fn plan(text: &str) -> StyledText {
    let mut styled = StyledText::default();
    for line in text.lines() {
        styled.line(StyledLine::new(role(line), line).hanging(hang(line)));
    }
    styled
}

/// What a line of a plan or a diff is.
pub(crate) fn role(line: &str) -> Role {
    match line.as_bytes() {
        [b'-', b'-', b'-', b' ', ..] | [b'+', b'+', b'+', b' ', ..] => Role::Heading,
        [b'@', b'@', ..] => Role::Hunk,
        [b'+', ..] => Role::Added,
        [b'-', ..] => Role::Removed,
        [b'\\', ..] => Role::Faint,
        _ => Role::Plain,
    }
}

/// Further rows of a line stand below its text, not below its mark.
fn hang(line: &str) -> usize {
    match line.as_bytes().first() {
        Some(b'+' | b'-' | b' ') => {
            1 + line
                .bytes()
                .skip(1)
                .take_while(|byte| *byte == b' ')
                .count()
        }
        _ => 2,
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
    }
}
