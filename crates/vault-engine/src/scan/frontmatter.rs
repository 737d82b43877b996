//! Where the properties of a note begin and end (`vault-semantics.md` §3.2).

use super::lines::Lines;

/// The line that closes the properties block: the text must begin with a line `---`, and the next
/// such line ends it. None where there is no block or it never ends.
pub(super) fn closing_line(lines: &Lines<'_>) -> Option<usize> {
    if !is_rule(lines, 0) {
        return None;
    }
    (1..lines.count()).find(|&at| is_rule(lines, at))
}

/// Three dashes right at the start of the line; only spaces and tabs may follow.
fn is_rule(lines: &Lines<'_>, at: usize) -> bool {
    lines
        .content(at)
        .strip_prefix("---")
        .is_some_and(|rest| rest.bytes().all(|byte| matches!(byte, b' ' | b'\t')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closing(text: &str) -> Option<usize> {
        closing_line(&Lines::split(text))
    }

    #[test]
    fn a_block_begins_at_the_very_start_and_ends_at_the_next_rule() {
        assert_eq!(closing("---\na: 1\n---\nx"), Some(2));
        assert_eq!(closing("---  \r\na: 1\r\n---\t\r\nx"), Some(2));
        assert_eq!(closing("---\n---"), Some(1));
    }

    #[test]
    fn anything_else_is_no_block() {
        for text in [
            "",
            "---",
            "---\na: 1",
            "\n---\n---\n",
            "----\n---\n",
            "---\n ---\n",
            "--- x\n---",
        ] {
            assert_eq!(closing(text), None, "{text:?}");
        }
    }
}
