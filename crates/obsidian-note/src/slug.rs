//! Texts as ids (`contracts.md` K16, K23).

use unicode_normalization::char::is_combining_mark;

/// Returns the text in lower case, with one hyphen for each run of other characters than ASCII letters and digits, and
/// none at either end. May be empty.
pub fn slug(text: &str) -> String {
    hyphenated(text, |character| {
        character.is_ascii_lowercase() || character.is_ascii_digit()
    })
}

/// As [`slug`], but with the letters and digits of every script, for ids that people read
/// (`contracts.md` C32).
pub fn readable(text: &str) -> String {
    // Combining marks belong to the letter before them.
    hyphenated(text, |character| {
        character.is_alphanumeric() || is_combining_mark(character)
    })
}

fn hyphenated(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let mut slug = String::with_capacity(text.len());
    for character in text.chars().flat_map(char::to_lowercase) {
        if is_kept(character) {
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

/// Returns the id of a heading with only its ASCII letters, as other programs build it
/// (`contracts.md` K16).
pub fn ascii(id: &str) -> String {
    let parts = id.split_once('-').zip(id.rsplit_once('-'));
    let Some(((level, _), (_, number))) = parts else {
        return id.to_owned();
    };
    let middle = id.get(level.len() + 1..id.len() - number.len() - 1);
    let slug = slug(middle.unwrap_or_default());
    let slug = if slug.is_empty() { "heading" } else { &slug };
    format!("{level}-{slug}-{number}")
}

#[cfg(test)]
mod tests {
    use super::{ascii, readable, slug};

    const CASES: &str = include_str!("slug_cases.txt");

    #[test]
    fn readable_slugs_keep_every_script() {
        for [text, expected] in tables::section(CASES, "readable slugs keep every script") {
            assert_eq!(readable(text), expected, "{text}");
            assert_eq!(slug(&readable(text)), slug(text), "{text}");
        }
        assert_eq!(ascii("h2-日本語-heading-0001"), "h2-heading-0001");
        assert_eq!(ascii("h2-日本-0012"), "h2-heading-0012");
        assert_eq!(ascii("h1-a-b-0003"), "h1-a-b-0003");
    }

    #[test]
    fn slugs_keep_letters_and_digits_of_ascii() {
        for [text, expected] in tables::section(CASES, "slugs keep letters and digits of ascii") {
            assert_eq!(slug(text), expected, "{text}");
        }
    }
}
