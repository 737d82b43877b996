//! Detects the languages of a text, by its scripts and the stop words in it.
//!
//! Each script of a note has a language. Without small words of English, letters that English lacks decide. A note of
//! unknown language counts as English, and is also searched by the stems of the question's language. A word of a
//! question is searched by the stem that it has in each language, and only in notes of that language.

pub(crate) use snowball_stemmers_rs::Algorithm as Language;

use crate::cut::beginning;
use crate::normal::lower;
use crate::stop_words::languages_of;

/// All languages whose words are stemmed. Indexes contain their positions, so the order stays. The
/// first [`LATIN`] are written in Latin letters; the earlier one is preferred if a text fits two
/// equally.
pub(crate) const LANGUAGES: [Language; 22] = [
    Language::English,
    Language::German,
    Language::French,
    Language::Spanish,
    Language::Portuguese,
    Language::Italian,
    Language::Dutch,
    Language::Swedish,
    Language::Danish,
    Language::Norwegian,
    Language::Polish,
    Language::Czech,
    Language::Finnish,
    Language::Hungarian,
    Language::Turkish,
    Language::Romanian,
    Language::Russian,
    Language::Ukrainian,
    Language::Persian,
    Language::Arabic,
    Language::Greek,
    Language::Hindi,
];
/// The number of languages that are written in Latin letters.
const LATIN: usize = 16;

/// The bit of a language in sets of languages.
pub(crate) fn bit(language: Language) -> u32 {
    LANGUAGES
        .iter()
        .position(|known| *known == language)
        .map_or(0, |position| 1 << position)
}

/// The languages of a text, one for each script. They decide how its words become terms.
///
/// Six bits: four for the language in Latin letters, one for Ukrainian (or Russian) in Cyrillic,
/// and one for Arabic (or Persian) in Arabic script. So there are 64 profiles, and a set of them is
/// a number of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Profile(u8);

const UKRAINIAN: u8 = 1 << 4;
const ARABIC: u8 = 1 << 5;
/// The number of bytes of a text that are examined for its language.
const SAMPLE_BYTES: usize = 1536;
/// The fewest stop words that make a text one of a language other than English.
const ENOUGH: u32 = 2;

impl Profile {
    /// The number of different profiles.
    pub(crate) const COUNT: usize = 64;

    /// The profile of a text, from its beginning.
    pub(crate) fn from_text(text: &str) -> Self {
        let sample = beginning(text, SAMPLE_BYTES);
        let mut profile = latin(sample);
        if !sample.is_ascii() {
            let (mut ukrainian, mut russian, mut persian, mut arabic) =
                (0_u32, 0_u32, 0_u32, 0_u32);
            // Letters that only one of the two languages of a script has.
            for character in sample.chars() {
                match character {
                    'і' | 'ї' | 'є' | 'ґ' | 'І' | 'Ї' | 'Є' | 'Ґ' => ukrainian += 1,
                    'ы' | 'э' | 'ъ' | 'ё' | 'Э' | 'Ё' => russian += 1,
                    'پ' | 'چ' | 'ژ' | 'گ' | 'ی' | 'ک' => persian += 1,
                    'ي' | 'ك' | 'ة' | 'ى' | 'أ' | 'إ' => arabic += 1,
                    _ => {}
                }
            }
            profile |= if ukrainian > russian { UKRAINIAN } else { 0 };
            profile |= if arabic > persian { ARABIC } else { 0 };
        }
        Self(profile)
    }

    /// The profile with this number; every number is valid.
    pub(crate) fn from_number(number: u8) -> Self {
        Self(number & 0x3f)
    }

    /// Its number, below [`Self::COUNT`].
    pub(crate) fn number(self) -> u8 {
        self.0
    }

    /// The language of a word, by the script of its first character; `None` if words of that script
    /// are not stemmed.
    pub(crate) fn language_of(self, word: &str) -> Option<Language> {
        Some(match word.chars().next()? {
            'a'..='z' | '\u{df}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
                LANGUAGES[usize::from(self.0 & 0xf)]
            }
            '\u{400}'..='\u{52f}' if self.0 & UKRAINIAN != 0 => Language::Ukrainian,
            '\u{400}'..='\u{52f}' => Language::Russian,
            '\u{600}'..='\u{6ff}' if self.0 & ARABIC != 0 => Language::Arabic,
            '\u{600}'..='\u{6ff}' => Language::Persian,
            '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Language::Greek,
            '\u{900}'..='\u{97f}' => Language::Hindi,
            _ => return None,
        })
    }
}

/// The position in [`LANGUAGES`] of the language with the most stop words in the text. A text
/// without stop words of English is often a note of a few words; there, words with letters that
/// English lacks count too.
fn latin(sample: &str) -> u8 {
    let words = || sample.split(|character: char| !character.is_alphabetic());
    let mut counts = [0_u32; LATIN];
    for word in words() {
        count(languages_of(word), 1, &mut counts);
    }
    if counts[0] == 0 {
        for word in words().filter(|word| !word.is_ascii()) {
            count(languages_with_letters_of(word), ENOUGH, &mut counts);
        }
    }
    // English, unless another language has more.
    let mut best = 0;
    for number in 1..counts.len() {
        if counts[number] > counts[best] && counts[number] >= ENOUGH {
            best = number;
        }
    }
    u8::try_from(best).unwrap_or_default()
}

/// Adds a number to the count of each language of a set.
fn count(mut languages: u32, number: u32, counts: &mut [u32]) {
    while languages != 0 {
        let language = languages.trailing_zeros();
        // Clears the lowest bit.
        languages &= languages - 1;
        if let Some(count) = usize::try_from(language)
            .ok()
            .and_then(|at| counts.get_mut(at))
        {
            *count += number;
        }
    }
}

/// The languages in Latin letters, other than English, that have all letters of a word, as a set of
/// [`bit`].
fn languages_with_letters_of(word: &str) -> u32 {
    let word = lower(word);
    let mut letters = word.chars().filter(|letter| !letter.is_ascii());
    let all = letters.try_fold(u32::MAX, |languages, letter| {
        let having = LETTERS
            .iter()
            .filter(|(_, letters)| letters.contains(letter));
        let having = having.fold(0, |all, (language, _)| all | bit(*language));
        Some(languages & having).filter(|languages| *languages != 0)
    });
    all.unwrap_or(0)
}

/// The letters of each language that English lacks.
const LETTERS: [(Language, &str); 15] = [
    (Language::German, "äöüß"),
    (Language::French, "àâæçèéêëîïôœùûüÿ"),
    (Language::Spanish, "áéíñóúü"),
    (Language::Portuguese, "àáâãçéêíóôõú"),
    (Language::Italian, "àèéìòù"),
    (Language::Dutch, "éëïöü"),
    (Language::Swedish, "åäö"),
    (Language::Danish, "åæø"),
    (Language::Norwegian, "åæø"),
    (Language::Polish, "ąćęłńóśźż"),
    (Language::Czech, "áčďéěíňóřšťúůýž"),
    (Language::Finnish, "äö"),
    (Language::Hungarian, "áéíóöőúüű"),
    (Language::Turkish, "âçğıöşü"),
    (Language::Romanian, "âîășțşţ"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_reports_its_language_by_small_words_and_letters() {
        for (text, word, expected) in [
            (
                "The notes of a vault are files in a folder.",
                "notes",
                Language::English,
            ),
            (
                "Die Notizen sind Dateien und liegen in einem Ordner.",
                "notizen",
                Language::German,
            ),
            (
                "Les notes sont des fichiers dans un dossier.",
                "notes",
                Language::French,
            ),
            (
                "Las notas son archivos y están en una carpeta.",
                "notas",
                Language::Spanish,
            ),
            (
                "As notas são arquivos que estão em uma pasta.",
                "notas",
                Language::Portuguese,
            ),
            (
                "Le note sono dei file che stanno nella cartella.",
                "note",
                Language::Italian,
            ),
            (
                "De notities zijn bestanden die in een map staan.",
                "map",
                Language::Dutch,
            ),
            ("Notizen Ordner", "notizen", Language::English),
            ("Fahrräder", "fahrräder", Language::German),
            ("Größe der Räder", "räder", Language::German),
            ("Łódź", "łódź", Language::Polish),
            ("Äpfel and naïve pears", "pears", Language::English),
            ("Заметки — это файлы", "заметки", Language::Russian),
            ("Нотатки є файлами у теці", "нотатки", Language::Ukrainian),
            ("یادداشت‌ها پرونده هستند", "یادداشت", Language::Persian),
            (
                "الملاحظات هي ملفات في المجلد الأول",
                "ملفات",
                Language::Arabic,
            ),
        ] {
            assert_eq!(
                Profile::from_text(text).language_of(word),
                Some(expected),
                "{text}"
            );
        }
        assert_eq!(Profile::from_text("笔记").language_of("笔记"), None);
        // Each script of a text has a language.
        let both = Profile::from_text("Заметки. Die Notizen und die Dateien.");
        assert_eq!(both.language_of("datei"), Some(Language::German));
        assert_eq!(both.language_of("файл"), Some(Language::Russian));
    }

    #[test]
    fn every_latin_language_has_its_number() {
        for (number, language) in LANGUAGES.into_iter().enumerate() {
            assert_eq!(bit(language), 1 << number);
        }
        assert_eq!(
            (LANGUAGES[0], LANGUAGES[LATIN - 1]),
            (Language::English, Language::Romanian)
        );
        for (language, _) in LETTERS {
            assert!(LANGUAGES[1..LATIN].contains(&language), "{language:?}");
        }
    }
}
