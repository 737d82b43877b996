//! Destinations of markdown links: whether they lead out of the vault, and their decoding. The address that opens a note
//! in the app.

use std::borrow::Cow;

use crate::VaultPath;

/// Whether a destination has a scheme (`https:`, `mailto:`), so that it is not a link into the vault.
pub(crate) fn is_external(destination: &str) -> bool {
    let bytes = destination.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.iter().find(|&&byte| !is_scheme_byte(byte)) == Some(&b':')
}

/// Whether a byte may be in the scheme of an address.
pub(crate) fn is_scheme_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-')
}

/// Removes the backslashes before ASCII punctuation.
pub(crate) fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match characters.peek() {
            Some(&next) if character == '\\' && next.is_ascii_punctuation() => {
                plain.push(next);
                characters.next();
            }
            _ => plain.push(character),
        }
    }
    Cow::Owned(plain)
}

/// Decodes percent escapes once, as JavaScript's `decodeURI`: escapes of the reserved characters
/// ``; / ? : @ & = + $ , #`` stay, and a text with a bad escape stays as it is
/// (`vault-semantics.md` §2.2).
pub fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'%' {
            plain.push(bytes[at]);
            at += 1;
            continue;
        }
        let Some(byte) = escape(bytes, at) else {
            return Cow::Borrowed(text);
        };
        if b";/?:@&=+$,#".contains(&byte) {
            plain.extend_from_slice(&bytes[at..at + 3]);
        } else {
            plain.push(byte);
        }
        at += 3;
    }
    String::from_utf8(plain).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Escapes all bytes but ASCII letters, digits and `-._~`, so that the text can be a part of any address (the unreserved characters of RFC 3986).
/// The bytes in `keeps` stay too.
pub fn encoded(text: &str, keeps: &[u8]) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if is_plain || keeps.contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded += &format!("%{byte:02X}");
        }
    }
    encoded
}

/// Returns the address that opens a note in the app; `vault` is the name or the id of the vault (help page "Obsidian
/// URI"). The file's extension stays, because without it the address of `a.png.md` would open the image `a.png`. `None`
/// for a path with `#`, at which a link ends (`vault-semantics.md` §2.2).
pub fn address_of_note(vault: &str, path: &VaultPath) -> Option<String> {
    let can_be_named = path.is_note() && !path.as_str().contains('#');
    can_be_named.then(|| {
        let (vault, file) = (encoded(vault, b""), encoded(path.as_str(), b""));
        format!("obsidian://open?vault={vault}&file={file}")
    })
}

fn escape(bytes: &[u8], at: usize) -> Option<u8> {
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
    u8::try_from(digit(at + 1)? * 16 + digit(at + 2)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded_once_and_reserved_ones_stay() {
        assert_eq!(decoded("a%20b%C3%A9"), "a bé");
        assert_eq!(decoded("%2520"), "%20");
        assert_eq!(decoded("a%23b%2Cc%2fd%26"), "a%23b%2Cc%2fd%26");
        assert_eq!(decoded("%5B%25%5D"), "[%]");
    }

    #[test]
    fn a_bad_escape_leaves_all_as_it_is() {
        for text in ["%20%", "%20%zz", "%20%C3", "%20%ED%A0%80", "100%"] {
            assert_eq!(decoded(text), text);
        }
    }

    #[test]
    fn a_note_has_an_address_in_the_app() {
        let address = |vault: &str, path: &str| {
            address_of_note(vault, &VaultPath::file(path).unwrap()).unwrap_or_default()
        };
        for (path, file) in [
            ("a.md", "a.md"),
            ("A b/c & d (1).md", "A%20b%2Fc%20%26%20d%20%281%29.md"),
            ("100%+é=笔.md", "100%25%2B%C3%A9%3D%E7%AC%94.md"),
            ("a?b'c.md", "a%3Fb%27c.md"),
        ] {
            let expected = format!("obsidian://open?vault=My%20Notes&file={file}");
            assert_eq!(address("My Notes", path), expected);
            assert_eq!(decoded(file).contains(' '), path.contains(' '), "{path}");
        }
        for path in ["a#b.md", "a.png", "a.canvas"] {
            assert_eq!(address("v", path), "", "{path}");
        }
    }

    #[test]
    fn external_destinations_have_a_scheme() {
        for text in ["https://a", "mailto:a@b", "obsidian://open", "x:y"] {
            assert!(is_external(text), "{text}");
        }
        for text in ["a.md", "#a:b", "a b:c", "/a:b", "1:2", "", "é:a"] {
            assert!(!is_external(text), "{text}");
        }
    }

    #[test]
    fn backslashes_before_punctuation_go() {
        assert_eq!(unescaped(r"a\(b\)\c\\"), r"a(b)\c\");
    }
}
