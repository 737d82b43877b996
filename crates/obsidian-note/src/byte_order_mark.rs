//! The byte order mark that a file may begin with.
//!
//! The app drops one mark when it reads a file (`vault-semantics.md` §2.1), and so does all code
//! here that looks at the text of a file. A second mark is text, so the properties of such a file
//! are not found. Edits keep all bytes.

/// U+FEFF in UTF-8: three bytes.
pub const BYTES: &[u8] = "\u{feff}".as_bytes();

/// Returns the text of a file without its byte order mark. Only the first of several marks is
/// removed.
pub fn strip(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// As [`strip`], for a file that need not be UTF-8.
pub fn strip_bytes(file: &[u8]) -> &[u8] {
    file.strip_prefix(BYTES).unwrap_or(file)
}

/// Returns the length of a file's byte order mark in bytes: 0 or 3.
pub fn length(file: &[u8]) -> usize {
    file.len() - strip_bytes(file).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("byte_order_mark_cases.txt");

    #[test]
    fn one_mark_goes_and_a_second_one_is_text() {
        for [text, expected] in tables::section(CASES, "one mark goes and a second one is text") {
            assert_eq!(strip(text), expected, "{text:?}");
            assert_eq!(strip_bytes(text.as_bytes()), expected.as_bytes());
            assert_eq!(length(text.as_bytes()), text.len() - expected.len());
        }
        assert_eq!(strip_bytes(b"\xef\xbb"), b"\xef\xbb");
    }
}
