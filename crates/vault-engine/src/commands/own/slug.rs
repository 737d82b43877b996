//! Texts as ids (`contracts.md` K16, K23).

/// In lower case, with one hyphen for every run of what is neither a letter of ASCII nor a digit,
/// and none at either end. May be empty.
pub(super) fn slug(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    for character in text.chars().flat_map(char::to_lowercase) {
        if character.is_ascii_lowercase() || character.is_ascii_digit() {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    if slug.ends_with('-') {
        slug.pop();
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn slugs_keep_letters_and_digits_of_ascii() {
        for (text, expected) in [
            ("Inbox one", "inbox-one"),
            ("[[Wiki link]] and [[A|b]]", "wiki-link-and-a-b"),
            ("A/b", "a-b"),
            ("日本", ""),
            ("日本語 heading", "heading"),
            ("--a--B--", "a-b"),
            ("Café 1.2", "caf-1-2"),
            ("K", "k"),
            ("", ""),
        ] {
            assert_eq!(slug(text), expected, "{text}");
        }
    }
}
