//! Cuts texts between characters.

/// The last boundary between characters at or before a byte offset.
pub fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The beginning of a text, of at most `most` bytes.
pub(crate) fn beginning(text: &str, most: usize) -> &str {
    &text[..boundary(text, most)]
}

/// The first bytes of a text, with zeros after a shorter one.
pub(crate) fn first_bytes<const COUNT: usize>(text: &[u8]) -> [u8; COUNT] {
    let mut bytes = [0; COUNT];
    let length = text.len().min(COUNT);
    bytes[..length].copy_from_slice(&text[..length]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(beginning("aé", 2), "a");
        assert_eq!(beginning("aé", 3), "aé");
        assert_eq!(beginning("aé", 9), "aé");
        assert_eq!(beginning("語", 1), "");
    }
}
