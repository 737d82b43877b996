//! Case folding for search: Unicode's simple lower case, accents kept (`vault-semantics.md` §4.1).

/// Returns the simple lower case of a character. The one whose lower case has two characters (`İ`) becomes `i`.
pub(super) fn fold(character: char) -> char {
    if character.is_ascii() {
        character.to_ascii_lowercase()
    } else {
        character.to_lowercase().next().unwrap_or(character)
    }
}

/// Returns the other characters that [`fold`] turns into `folded`.
pub(super) fn capitals(folded: char) -> impl Iterator<Item = char> {
    let mut upper = folded.to_uppercase();
    let regular = match (upper.next(), upper.next()) {
        (Some(upper), None) if upper != folded && fold(upper) == folded => Some(upper),
        _ => None,
    };
    // Only these two ASCII letters have irregular capitals (`İ` and the Kelvin sign).
    let may_have_more = !folded.is_ascii() || matches!(folded, 'i' | 'k');
    let irregular = IRREGULAR
        .iter()
        .filter(move |_| may_have_more)
        .flat_map(|(first, last)| *first..=*last)
        .filter(move |capital| fold(*capital) == folded);
    regular.into_iter().chain(irregular)
}

/// Capitals that are not the upper case of their lower case: dotted `İ`, title-case digraphs,
/// letter-like signs, and Greek capitals with iota, whose upper case is two letters.
const IRREGULAR: &[(char, char)] = &[
    ('\u{130}', '\u{130}'),
    ('\u{1c5}', '\u{1c5}'),
    ('\u{1c8}', '\u{1c8}'),
    ('\u{1cb}', '\u{1cb}'),
    ('\u{1f2}', '\u{1f2}'),
    ('\u{3f4}', '\u{3f4}'),
    ('\u{1e9e}', '\u{1e9e}'),
    ('\u{1f88}', '\u{1f8f}'),
    ('\u{1f98}', '\u{1f9f}'),
    ('\u{1fa8}', '\u{1faf}'),
    ('\u{1fbc}', '\u{1fbc}'),
    ('\u{1fcc}', '\u{1fcc}'),
    ('\u{1ffc}', '\u{1ffc}'),
    ('\u{2126}', '\u{2126}'),
    ('\u{212a}', '\u{212b}'),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_capital_is_known_to_its_small_letter() {
        for character in '\0'..=char::MAX {
            let folded = fold(character);
            if folded != character {
                let found = capitals(folded).filter(|c| *c == character).count();
                assert_eq!(found, 1, "U+{:04X}", u32::from(character));
            }
        }
    }

    #[test]
    fn case_is_folded_and_accents_are_not() {
        for (character, expected) in [
            ('A', 'a'),
            ('É', 'é'),
            ('é', 'é'),
            ('Σ', 'σ'),
            ('ς', 'ς'),
            ('İ', 'i'),
            ('\u{212a}', 'k'),
            ('ß', 'ß'),
            ('ẞ', 'ß'),
            ('Ⱥ', 'ⱥ'),
            ('語', '語'),
        ] {
            assert_eq!(fold(character), expected, "{character}");
        }
        assert_eq!(capitals('i').collect::<Vec<_>>(), ['I', 'İ']);
        assert_eq!(capitals('語').count(), 0);
    }
}
