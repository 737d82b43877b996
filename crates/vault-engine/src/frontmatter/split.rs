//! Splits a note into its properties block and its body (`vault-semantics.md` §3.2).

use std::ops::Range;

use crate::byte_order_mark;

/// The properties block of a note. Both are offsets in bytes from the start of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertiesBlock {
    /// The YAML between the two `---` lines.
    pub yaml: Range<usize>,
    /// Where the body begins: after the line that closes the block and its line end.
    pub body: usize,
}

/// Finds the properties block of a file: from a first line `---` to the next line `---`; blanks may
/// follow each. None where the file does not begin with one or the block is not closed. One byte
/// order mark may precede it ([`byte_order_mark`]).
pub fn split(file: &str) -> Option<PropertiesBlock> {
    let mark = byte_order_mark::length(file.as_bytes());
    let PropertiesBlock { yaml, body } = split_unmarked(file.get(mark..)?)?;
    Some(PropertiesBlock {
        yaml: yaml.start + mark..yaml.end + mark,
        body: body + mark,
    })
}

/// As [`split`], for a text without a byte order mark; a second mark is not skipped.
pub fn split_unmarked(text: &str) -> Option<PropertiesBlock> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().filter(|line| is_fence(line))?;
    let yaml = first.len();
    let mut at = yaml;
    for line in lines {
        let body = at + line.len();
        if is_fence(line) {
            return Some(PropertiesBlock {
                yaml: yaml..at,
                body,
            });
        }
        at = body;
    }
    None
}

/// Whether a line, with its end, is `---` and blanks.
fn is_fence(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| {
        let rest = rest.strip_suffix('\n').unwrap_or(rest);
        let rest = rest.strip_suffix('\r').unwrap_or(rest);
        rest.bytes().all(|byte| matches!(byte, b' ' | b'\t'))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(text: &str) -> Option<(&str, &str)> {
        split(text).map(|block| (&text[block.yaml], &text[block.body..]))
    }

    #[test]
    fn blocks_as_the_app_finds_them() {
        for (text, expected) in [
            ("---\na: 1\n---\nbody", Some(("a: 1\n", "body"))),
            ("---  \na: 1\n--- \t\nbody", Some(("a: 1\n", "body"))),
            ("---\r\na: 1\r\n---\r\nbody", Some(("a: 1\r\n", "body"))),
            ("---\na: 1\n---", Some(("a: 1\n", ""))),
            ("---\n---\nbody", Some(("", "body"))),
            ("\u{feff}---\na: 1\n---\nb", Some(("a: 1\n", "b"))),
            ("\u{feff}\u{feff}---\na: 1\n---\nb", None),
            ("---\na: |\n  ---\n---\nb", Some(("a: |\n  ---\n", "b"))),
            (
                "---\na: 1\n---x\n----\n---\n",
                Some(("a: 1\n---x\n----\n", "")),
            ),
            ("---\na: 1\n", None),
            ("---", None),
            ("\n---\na: 1\n---\n", None),
            ("---\n ---\n", None),
            ("--- x\n---", None),
            (" ---\na: 1\n---\n", None),
            ("----\na: 1\n----\n", None),
            ("", None),
        ] {
            assert_eq!(parts(text), expected, "{text:?}");
        }
    }

    #[test]
    fn no_mark_is_looked_for_where_it_is_off() {
        assert_eq!(split_unmarked("\u{feff}---\na: 1\n---\nb"), None);
        assert_eq!(
            split_unmarked("---\n---\n").map(|block| block.body),
            Some(8)
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn the_parts_stand_between_fences(text in "(\u{feff})?(---|[- a\t]{0,4}|é)(\r?\n(---|[- a:\t]{0,4}|é)){0,5}") {
            if let Some(block) = split(&text) {
                prop_assert!(text[block.body..].len() + block.yaml.len() < text.len());
                let opening = text[..block.yaml.start].trim_start_matches('\u{feff}');
                prop_assert!(opening.starts_with("---"));
                prop_assert!(text[block.yaml.end..block.body].starts_with("---"));
                prop_assert!(!text[block.yaml].lines().any(|line| line.trim_end() == "---"));
            }
        }
    }
}
