//! The text of a file that may not be UTF-8, with a map back to its bytes.

use std::ops::Range;

use obsidian_note::byte_order_mark;

/// The text in which links are searched, as the index reads it: without a byte order mark, and with
/// U+FFFD for bytes that are not UTF-8.
pub(super) struct Decoded {
    pub(super) text: String,
    /// The valid parts, which are the same in text and file; in order.
    same: Vec<Same>,
}

/// A stretch of valid UTF-8: its byte offsets in the text and in the file, and its length.
struct Same {
    in_text: usize,
    in_file: usize,
    length: usize,
}

impl Decoded {
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let mark = byte_order_mark::length(bytes);
        let mut decoded = Self {
            text: String::with_capacity(bytes.len()),
            same: Vec::new(),
        };
        let mut in_file = mark;
        for chunk in bytes.get(mark..).unwrap_or_default().utf8_chunks() {
            let valid = chunk.valid();
            decoded.same.push(Same {
                in_text: decoded.text.len(),
                in_file,
                length: valid.len(),
            });
            decoded.text.push_str(valid);
            if !chunk.invalid().is_empty() {
                decoded.text.push(char::REPLACEMENT_CHARACTER);
            }
            in_file += valid.len() + chunk.invalid().len();
        }
        decoded
    }

    /// Returns the byte range in the file for a range of the text; `None` if a part of it was replaced.
    pub(super) fn in_file(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let place = self
            .same
            .partition_point(|same| same.in_text <= range.start)
            .checked_sub(1)?;
        let same = self.same.get(place)?;
        let start = range.start - same.in_text;
        let end = range.end.checked_sub(same.in_text)?;
        (end <= same.length).then(|| same.in_file + start..same.in_file + end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_utf8_is_found_in_the_file_and_the_rest_is_not() {
        let bytes = b"\xef\xbb\xbfab\xffcd\xc3";
        let decoded = Decoded::from_bytes(bytes);
        assert_eq!(decoded.text, "ab\u{fffd}cd\u{fffd}");
        let at = |text: &str| {
            let start = decoded.text.find(text).unwrap();
            decoded.in_file(&(start..start + text.len()))
        };
        assert_eq!(at("ab"), Some(3..5));
        assert_eq!(at("cd"), Some(6..8));
        assert_eq!(at("b\u{fffd}"), None);
        assert_eq!(at("\u{fffd}c"), None);
        assert_eq!(Decoded::from_bytes(b"").text, "");
    }

    proptest::proptest! {
        #[test]
        fn the_text_is_what_the_index_reads(bytes in proptest::collection::vec(0_u8..=255, 0..40)) {
            let decoded = Decoded::from_bytes(&bytes);
            let lossy = String::from_utf8_lossy(&bytes);
            proptest::prop_assert_eq!(&decoded.text, lossy.strip_prefix('\u{feff}').unwrap_or(&lossy));
            for (start, character) in decoded.text.char_indices() {
                let range = start..start + character.len_utf8();
                if let Some(found) = decoded.in_file(&range) {
                    proptest::prop_assert_eq!(&bytes[found], decoded.text[range].as_bytes());
                }
            }
        }
    }
}
