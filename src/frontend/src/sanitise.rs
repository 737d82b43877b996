//! Removes control sequences from vault text before it reaches a terminal (`threats.toml` F05).
//!
//! A note may contain escape sequences that move the cursor, set the clipboard, forge a prompt or
//! reverse the text direction. JSON escapes them, and a pipe gets the bytes unchanged.

/// Removes escape sequences, C0 and C1 controls, and bidirectional overrides. Keeps line feed, tab,
/// and carriage return before a line feed.
pub(crate) fn for_terminal(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\u{1b}' => skip_escape_sequence(&mut rest),
            '\u{9b}' => skip_control_sequence(&mut rest),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => skip_string(&mut rest),
            '\n' | '\t' => clean.push(character),
            '\r' if rest.peek() == Some(&'\n') => clean.push(character),
            _ if character.is_control() => {}
            '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => {}
            _ => clean.push(character),
        }
    }
    clean
}

type Characters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn skip_escape_sequence(rest: &mut Characters<'_>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            skip_control_sequence(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            rest.next();
            skip_string(rest);
        }
        Some(' '..='/') => {
            while rest
                .next_if(|character| matches!(character, ' '..='/'))
                .is_some()
            {}
            rest.next_if(|character| matches!(character, '0'..='~'));
        }
        Some('0'..='~') => {
            rest.next();
        }
        _ => {}
    }
}

/// Skips a CSI sequence: parameters and intermediate bytes up to the final byte. A line break ends
/// a malformed one, so that it cannot hide the next line.
fn skip_control_sequence(rest: &mut Characters<'_>) {
    while rest
        .next_if(|character| matches!(character, ' '..='?'))
        .is_some()
    {}
    rest.next_if(|character| matches!(character, '@'..='~'));
}

/// Skips OSC and similar string sequences, up to BEL, ST or the end of the line.
fn skip_string(rest: &mut Characters<'_>) {
    while let Some(character) = rest.next_if(|character| *character != '\n') {
        match character {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                rest.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f05_terminal_sequences_never_reach_a_terminal() {
        for (attack, clean) in [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("a\u{1b}]52;c;ZXZpbA==\u{7}b", "ab"),
            (
                "a\u{1b}]8;;http://evil\u{1b}\\link\u{1b}]8;;\u{1b}\\b",
                "alinkb",
            ),
            ("\u{9b}2Jx", "x"),
            ("\u{9d}0;title\u{9c}x", "x"),
            ("safe\rFORGED", "safeFORGED"),
            ("dos\r\nline", "dos\r\nline"),
            ("a\u{202e}b\u{2066}c", "abc"),
            ("\u{1b}", ""),
            ("\u{1b}[", ""),
            ("\u{1b}]unterminated\nnext", "\nnext"),
            ("\u{1b}(Bx\u{1b}cx", "xx"),
            ("a\0b\u{7f}c\u{8}d", "abcd"),
            ("\u{1b}Pq\u{1b}\\z", "z"),
            ("tab\there\n", "tab\there\n"),
        ] {
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
