//! Removes control sequences from vault text before it reaches a terminal (`threats.toml` F05).
//!
//! A note may contain escape sequences that move the cursor, set the clipboard, forge a prompt or
//! reverse the text direction. JSON escapes them, and a pipe gets the bytes unchanged.

use std::sync::LazyLock;

use regex::Regex;

/// Everything that is removed, and as `kept` a line break that is not. A line break ends a malformed sequence, so that
/// it cannot hide the next line.
#[expect(clippy::expect_used, reason = "the tests below compile the pattern")]
static REMOVED: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?x)
        (?<kept> \r\n )
        # CSI: parameters and intermediate bytes up to the final byte.
        | (?: \x1b\[ | \u{9b} ) [\x20-\x3f]* [\x40-\x7e]?
        # OSC and similar strings, up to BEL, ST or the end of the line.
        | (?: \x1b[\]PX^_] | [\u{90}\u{98}\u{9d}-\u{9f}] ) [^\n\x07\x1b\u{9c}]* (?: \x1b\\? | [\x07\u{9c}] )?
        # Other escape sequences.
        | \x1b [\x20-\x2f]* [\x30-\x7e]?
        # Other controls, and characters that change the direction of text.
        | [\x00-\x08\x0b-\x1f\x7f-\u{9f}\u{61c}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}]";
    Regex::new(pattern).expect("the pattern is valid")
});

/// Removes escape sequences, C0 and C1 controls, and bidirectional overrides. Keeps line feed, tab,
/// and carriage return before a line feed.
pub(crate) fn for_terminal(text: &str) -> String {
    REMOVED.replace_all(text, "$kept").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("sanitise_cases.txt");

    #[test]
    fn f05_terminal_sequences_never_reach_a_terminal() {
        for [attack, clean] in tables::section(CASES, "f05 terminal sequences never reach") {
            assert_eq!(for_terminal(attack), clean, "{attack:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn f05_nothing_but_text_is_left(text in "\\PC*|[\u{0}-\u{9f}\\[\\]0-9;m]*") {
            let clean = for_terminal(&text);
            let controls = clean.chars().filter(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r'));
            proptest::prop_assert_eq!(controls.count(), 0);
            proptest::prop_assert_eq!(for_terminal(&clean).len(), clean.len());
        }
    }
}
