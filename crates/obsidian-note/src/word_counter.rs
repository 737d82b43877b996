//! Counts the words of a text as the app does (`vault-semantics.md` §3.8).

mod letters;

use self::letters::is_letter;

/// The role of a character in a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// A word of its own.
    Ideograph,
    Digit,
    /// Part of a word.
    Letter,
    /// Part of a word only between two digits.
    Separator,
    Other,
}

fn class(character: char) -> Class {
    match character {
        '0'..='9' => Class::Digit,
        ',' | '.' => Class::Separator,
        '-' | '\'' | '’' => Class::Letter,
        '\u{3005}'..='\u{3007}'
        | '\u{3041}'..='\u{3096}'
        | '\u{309d}'..='\u{309f}'
        | '\u{30a1}'..='\u{30fa}'
        | '\u{30fc}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9d}' => Class::Ideograph,
        _ if character.is_ascii_alphabetic() => Class::Letter,
        _ if character.is_ascii() => Class::Other,
        // Not marks, numerals of other scripts, circled letters or superscripts.
        _ if is_letter(character) => Class::Letter,
        _ => Class::Other,
    }
}

/// Runs of letters, digits, apostrophes and hyphens, with `,` and `.` between digits; each Han,
/// Hiragana and Katakana character is a word.
pub fn words(text: &str) -> usize {
    WordCounter::default().count(text, None)
}

/// Counts the words of a text that comes in pieces.
pub struct WordCounter {
    before: Class,
}

impl Default for WordCounter {
    fn default() -> Self {
        let before = Class::Other;
        Self { before }
    }
}

impl WordCounter {
    /// Returns the words that begin in this piece; `next` is the character behind it.
    pub fn count(&mut self, piece: &str, next: Option<char>) -> usize {
        let next = next.map(class);
        if piece.is_ascii() {
            let bytes = piece.bytes().map(char::from);
            self.take(bytes.map(class), next)
        } else {
            self.take(piece.chars().map(class), next)
        }
    }

    fn take(&mut self, classes: impl Iterator<Item = Class>, next: Option<Class>) -> usize {
        let mut classes = classes.peekable();
        let mut count = 0;
        while let Some(current) = classes.next() {
            let mut follows_digit = || classes.peek().copied().or(next) == Some(Class::Digit);
            let current = match current {
                Class::Separator if self.before == Class::Digit && follows_digit() => Class::Letter,
                Class::Separator => Class::Other,
                current => current,
            };
            let begins = matches!(current, Class::Letter | Class::Digit)
                && !matches!(self.before, Class::Letter | Class::Digit);
            count += usize::from(begins || current == Class::Ideograph);
            self.before = current;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CASES: &str = include_str!("word_counter_cases.txt");

    #[test]
    fn words_of_each_kind() {
        for (text, expected) in tables::typed::<(&str, usize)>(CASES, "words of each kind") {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    /// Only `0` to `9` count as digits; other numerals of Unicode belong to no word.
    #[test]
    fn numerals_of_other_kinds_are_in_no_word() {
        for (text, expected) in
            tables::typed::<(&str, usize)>(CASES, "numerals of other kinds are in no word")
        {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    /// A mark is not a letter in the app's table.
    #[test]
    fn a_mark_beside_a_letter_ends_a_word() {
        for (text, expected) in
            tables::typed::<(&str, usize)>(CASES, "a mark beside a letter ends a word")
        {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn a_text_in_pieces_has_the_same_words(text in "[a1,.'漢 -]{0,16}", size in 1_usize..5) {
            let characters: Vec<char> = text.chars().collect();
            let mut counter = WordCounter::default();
            let mut pieces = characters.chunks(size).peekable();
            let mut count = 0;
            while let Some(piece) = pieces.next() {
                let next = pieces.peek().map(|next| next[0]);
                count += counter.count(&piece.iter().collect::<String>(), next);
            }
            prop_assert_eq!(count, words(&text));
        }

        #[test]
        fn words_of_parts_add_up(left in "[a1,.'漢 -]{0,8}", right in "[a1,.'漢 -]{0,8}") {
            prop_assert_eq!(words(&format!("{left}\n{right}")), words(&left) + words(&right));
        }
    }
}
