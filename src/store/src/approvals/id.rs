//! Ids of approvals: short enough to type, too many to guess.

use std::fmt;

use uuid::Uuid;

/// Crockford's base 32: digits and lower-case letters without `i`, `l` and `o`, which look like digits,
/// and without `u`, so that fewer words appear by chance.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH: usize = 8;

/// The id of an approval: eight characters, 40 random bits. An approval expires after ten minutes, so
/// that is enough against guessing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ApprovalId(String);

impl ApprovalId {
    /// Draws an id from the system's random numbers.
    pub(super) fn random() -> Self {
        // The first five bytes of such a UUID are all random.
        let bits = Uuid::new_v4().as_u128() >> 88;
        let character = |place: usize| {
            let digit = (bits >> (5 * place)) & 31;
            usize::try_from(digit).map_or('0', |digit| char::from(ALPHABET[digit]))
        };
        Self((0..LENGTH).map(character).collect())
    }

    /// Parses a typed id: in either case, with or without dashes, and with letters that are easily
    /// mistaken for digits. Rejects any other character, because the id becomes part of a file name.
    pub(super) fn read(text: &str) -> Option<Self> {
        let name = Self::beginning(text)?;
        (name.len() == LENGTH).then_some(Self(name))
    }

    /// Parses the first characters of an id, with the rules of [`Self::read`]; `None` for an empty text.
    pub(super) fn beginning(text: &str) -> Option<String> {
        let mut name = String::new();
        for character in text.chars().filter(|character| *character != '-') {
            let plain = match character.to_ascii_lowercase() {
                'o' => '0',
                'i' | 'l' => '1',
                other => other,
            };
            if name.len() == LENGTH || !ALPHABET.contains(&u8::try_from(plain).ok()?) {
                return None;
            }
            name.push(plain);
        }
        (!name.is_empty()).then_some(name)
    }

    /// Returns the name of the file while the approval can still be used.
    pub(super) fn file(&self) -> String {
        format!("{self}.json")
    }

    /// Returns the name of the file after the approval was used.
    pub(super) fn used_file(&self) -> String {
        format!("{self}.used.json")
    }
}

impl fmt::Display for ApprovalId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const CASES: &str = include_str!("id_cases.txt");

    #[test]
    fn names_are_random_and_read_back_as_people_type_them() {
        let names: BTreeSet<String> = (0..500).map(|_| ApprovalId::random().to_string()).collect();
        assert_eq!(names.len(), 500);
        for name in &names {
            assert_eq!(ApprovalId::read(name).unwrap().to_string(), *name);
        }
        let all: BTreeSet<char> = names.iter().flat_map(|name| name.chars()).collect();
        assert_eq!(all.len(), 32, "every character of the alphabet is used");
        let read = |text| ApprovalId::read(text).map(|id| id.to_string());
        assert_eq!(read("4K7M-92QX").as_deref(), Some("4k7m92qx"));
        assert_eq!(read("OIlo92qx").as_deref(), Some("011092qx"));
        assert_eq!(ApprovalId::beginning("O-1").as_deref(), Some("01"));
        assert_eq!(ApprovalId::beginning(""), None);
    }

    #[test]
    fn i14_nothing_else_is_a_name() {
        for text in tables::lines(CASES, "i14 nothing else is a name") {
            assert_eq!(ApprovalId::read(text), None, "{text:?}");
        }
    }
}
