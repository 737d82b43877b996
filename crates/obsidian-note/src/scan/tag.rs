//! The syntax of tags (`vault-semantics.md` §3.1).

/// The tag that begins at a `#`, and the offset after it and the slashes at its end, which are not
/// part of it. `None` if only digits follow.
pub(super) fn tag_at(text: &str, hash: usize, end: usize) -> Option<(&str, usize)> {
    let name = &text[hash + 1..end];
    let length = length(name);
    let kept = name[..length].trim_end_matches('/');
    if kept.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((&text[hash..=hash + kept.len()], hash + 1 + length))
}

fn length(name: &str) -> usize {
    let ascii = name
        .bytes()
        .position(|byte| !is_plain(byte))
        .unwrap_or(name.len());
    if name.as_bytes().get(ascii).is_none_or(u8::is_ascii) {
        return ascii;
    }
    name.find(|character: char| !belongs(character))
        .unwrap_or(name.len())
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/')
}

fn belongs(character: char) -> bool {
    match character {
        '_' | '-' | '/' => true,
        // General and supplemental punctuation.
        '\u{2000}'..='\u{206F}' | '\u{2E00}'..='\u{2E7F}' => false,
        _ if character.is_ascii() => character.is_ascii_alphanumeric(),
        '\u{FEFF}' => false,
        _ => !character.is_whitespace(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(text: &str) -> Option<&str> {
        tag_at(text, 0, text.len()).map(|(tag, _)| tag)
    }

    #[test]
    fn letters_of_all_scripts_digits_and_four_signs_belong() {
        assert_eq!(tag("#a/b-c_1. d"), Some("#a/b-c_1"));
        assert_eq!(tag("#тег，x"), Some("#тег，x"));
        assert_eq!(tag("#日本語 x"), Some("#日本語"));
        assert_eq!(tag("#😀!"), Some("#😀"));
        assert_eq!(tag("#a\u{200D}b"), Some("#a"));
        assert_eq!(tag("#a\u{A0}b"), Some("#a"));
        for end in "'!\"#$%&()*+,.:;<=>?@^`{|}~[]\\ \t\n".chars() {
            assert_eq!(tag(&format!("#a{end}b")), Some("#a"), "{end:?}");
        }
    }

    #[test]
    fn a_number_is_no_tag() {
        for text in ["#1984", "#", "# a", "#/", "#1/", "##a"] {
            assert_eq!(tag(text), None, "{text}");
        }
        assert_eq!(tag("#y1984"), Some("#y1984"));
        assert_eq!(tag("#1/2"), Some("#1/2"));
    }

    #[test]
    fn slashes_at_the_end_are_passed_over() {
        assert_eq!(tag_at("#a//b/ ", 0, 7), Some(("#a//b", 6)));
    }
}
