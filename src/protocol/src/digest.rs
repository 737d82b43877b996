//! SHA-256 as text.

pub use obsidian_note::sha256::{hexadecimal, sha256};

/// Returns the 32 bytes that [`hexadecimal`] wrote; `None` for any other text, upper-case digits included.
pub fn from_hexadecimal(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    let is_plain = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != 64 || !text.as_bytes().iter().all(is_plain) {
        return None;
    }
    for (byte, at) in bytes.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(text.get(at..at + 2)?, 16).ok()?;
    }
    Some(bytes)
}
