//! The stop words of each language. They identify the language of a text, and are searched only if
//! a question has no other words.
//!
//! Words of place, time and quantity (*before*, *all*, *without*) are not among them, because the
//! meaning of a question depends on them.
//!
//! Fillers are words that say little about the subject of a question. They are searched, but weigh
//! less (`Tuning::filler`): their rarity alone does not show it, because in a small vault few notes
//! have them.
//!
//! All words are in lower case, in the form of [`crate::normal::lower`].

use std::sync::LazyLock;

use foldhash::{HashMap, HashMapExt as _};

use crate::language::{LANGUAGES, Language, bit};
use crate::normal::lower;

/// A line of words for each language, in the order of [`LANGUAGES`].
const LISTS: &str = include_str!("stop_words.txt");

/// The fillers of English; other languages have none.
const FILLERS: &str = "about again all already also although always another anybody anyone anything anywhere around away back become besides beyond both bring certain come contain different each either else enough etc even ever every everybody everyone everything everywhere exactly few find first further get gets getting give given gives go goes going good got happen happens hey hi instead keep keeps kind know last later least less let lets like likely look lot lots made make makes making many may maybe me might more most much must need needed needs never new next nobody none nothing now off ok okay once one only onto other others otherwise out over own per perhaps please possible put quite rather really right said same say says see seem several show since someone something sometimes somewhere sort still sure take tell thank thanks thing things think though through thus too toward towards try trying under until up us use used user uses using various via want wanted wants way ways well whatever whenever wherever whether without within wonder work works yes yet";

static WORDS: LazyLock<HashMap<Vec<u8>, u32>> = LazyLock::new(|| {
    let mut words = HashMap::with_capacity(4096);
    for (language, list) in LANGUAGES.into_iter().zip(LISTS.lines()) {
        for word in list.split(' ') {
            *words
                .entry(lower(word).into_owned().into_bytes())
                .or_insert(0) |= bit(language);
        }
    }
    words
});

/// The languages in which a word is a stop word, as a set of [`bit`].
pub(crate) fn languages_of(word: &str) -> u32 {
    // The longest stop words have 13 letters, of two or three bytes.
    if word.is_empty() || word.len() > 40 {
        return 0;
    }
    let mut small = [0; 13];
    if word.is_ascii() {
        let Some(small) = small.get_mut(..word.len()) else {
            return 0;
        };
        small.copy_from_slice(word.as_bytes());
        small.make_ascii_lowercase();
        return WORDS.get(&*small).copied().unwrap_or(0);
    }
    WORDS.get(lower(word).as_bytes()).copied().unwrap_or(0)
}

/// Whether a word in lower case is a small word of this language.
pub(crate) fn is_small(word: &str, language: Option<Language>) -> bool {
    language.is_some_and(|language| languages_of(word) & bit(language) != 0)
}

/// Whether a word, in lower case, is a filler of this language.
pub(crate) fn is_filler(word: &str, language: Language) -> bool {
    language == Language::English && FILLERS.split(' ').any(|filler| filler == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_words_belong_to_their_languages() {
        assert_eq!(languages_of("The"), bit(Language::English));
        assert_ne!(languages_of("die") & bit(Language::German), 0);
        assert_eq!(languages_of("die") & bit(Language::English), 0);
        assert_ne!(languages_of("Это") & bit(Language::Russian), 0);
        assert_ne!(languages_of("في") & bit(Language::Arabic), 0);
        assert_eq!(languages_of("vault"), 0);
        assert_eq!(languages_of(""), 0);
    }
}
