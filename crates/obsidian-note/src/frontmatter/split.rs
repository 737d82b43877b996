//! Splits a note into its properties block and its body (`vault-semantics.md` §3.2).

use std::ops::Range;

use crate::byte_order_mark;

const FENCE: &str = "---";

/// The properties block of a note. Both are offsets in bytes from the start of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertiesBlock {
    /// The YAML between the two `---` lines.
    pub yaml: Range<usize>,
    /// The offset of the body: after the line that closes the block and its line end, or right after its `---` if
    /// anything but blanks follows them there.
    pub body: usize,
}

/// Finds the properties block of a file: from a first line that is exactly `---` to the next line that begins with
/// `---`. `None` if the file does not begin with one or the block is not closed. One byte order mark may precede it
/// ([`byte_order_mark`]).
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
    let yaml = lines.next()?.len();
    if !matches!(&text[..yaml], "---\n" | "---\r\n") {
        return None;
    }
    let mut at = yaml;
    for line in lines {
        if let Some(rest) = line.strip_prefix(FENCE) {
            let is_blank = rest.trim_matches([' ', '\t', '\r', '\n']).is_empty();
            let closing = if is_blank { line } else { FENCE };
            return Some(PropertiesBlock {
                yaml: yaml..at,
                body: at + closing.len(),
            });
        }
        at += line.len();
    }
    None
}

/// Returns the text below the properties, without a byte order mark.
pub fn body(text: &str) -> &str {
    match split(text) {
        Some(block) => text.get(block.body..).unwrap_or_default(),
        None => byte_order_mark::strip(text),
    }
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
            ("---\na: 1\n--- \t\nbody", Some(("a: 1\n", "body"))),
            ("--- \na: 1\n---\nbody", None),
            ("---\t\na: 1\n---\nbody", None),
            ("---\r\na: 1\r\n---\r\nbody", Some(("a: 1\r\n", "body"))),
            ("---\na: 1\n---", Some(("a: 1\n", ""))),
            ("---\n---\nbody", Some(("", "body"))),
            ("\u{feff}---\na: 1\n---\nb", Some(("a: 1\n", "b"))),
            ("\u{feff}\u{feff}---\na: 1\n---\nb", None),
            ("---\na: |\n  ---\n---\nb", Some(("a: |\n  ---\n", "b"))),
            ("---\na: 1\n---x\n---\n", Some(("a: 1\n", "x\n---\n"))),
            ("---\na: 1\n----\nb", Some(("a: 1\n", "-\nb"))),
            ("---\na: 1\n--- # b", Some(("a: 1\n", " # b"))),
            ("---\na: 1\n...\nb", None),
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

    #[test]
    fn characters_are_those_below_the_properties() {
        assert_eq!(body("---\ntitle: x\n---\nhello world"), "hello world");
        assert_eq!(body("---\ntitle: x\n"), "---\ntitle: x\n");
        assert_eq!(body("\u{feff}a"), "a");
        assert_eq!(body("\u{feff}---\n---\na"), "a");
        assert_eq!(body("\u{feff}\u{feff}a"), "\u{feff}a");
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
                prop_assert!(!text[block.yaml].lines().any(|line| line.starts_with("---")));
            }
        }
    }
}
