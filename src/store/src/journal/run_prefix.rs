//! The id of a run as people type it: the whole id, or a prefix.

use std::str::FromStr;

use uuid::Uuid;

use protocol::SHORT_ID;

/// Minimum number of hexadecimal digits of a prefix.
const SHORTEST: usize = 4;
/// Number of digits of a complete id.
const WHOLE: usize = 32;

/// Returns the first eight digits of a run's id, for people.
pub fn short_id(run: Uuid) -> String {
    let mut id = run.simple().to_string();
    id.truncate(SHORT_ID);
    id
}

/// The first digits of a run's id, or all of them. Hyphens and the case of letters do not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPrefix {
    /// The digits in lower case, without hyphens; between 4 and 32.
    digits: String,
}

/// Reason why a text is not a prefix of a run's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected the id of a run, or at least its first {SHORTEST} digits (0 to 9, a to f)")]
pub struct NoRunPrefix;

impl RunPrefix {
    /// Whether the id of this run has this prefix.
    pub fn matches(&self, run: Uuid) -> bool {
        run.simple().to_string().starts_with(&self.digits)
    }
}

impl From<Uuid> for RunPrefix {
    fn from(run: Uuid) -> Self {
        Self {
            digits: run.simple().to_string(),
        }
    }
}

impl FromStr for RunPrefix {
    type Err = NoRunPrefix;

    fn from_str(text: &str) -> Result<Self, NoRunPrefix> {
        if let Ok(run) = Uuid::try_parse(text) {
            return Ok(run.into());
        }
        let digits: String = text
            .chars()
            .filter(|character| *character != '-')
            .map(|character| character.to_ascii_lowercase())
            .collect();
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_plain && (SHORTEST..=WHOLE).contains(&digits.len()) {
            Ok(Self { digits })
        } else {
            Err(NoRunPrefix)
        }
    }
}

impl std::fmt::Display for RunPrefix {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.digits)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_run_is_named_by_its_first_four_digits_or_more() {
        let run = Uuid::from_u128(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
        for text in [
            "0123",
            "01234567-89",
            "01234567-89AB-cdef-0123-456789abcdef",
            "{01234567-89ab-cdef-0123-456789abcdef}",
        ] {
            assert!(text.parse::<RunPrefix>().unwrap().matches(run), "{text}");
        }
        assert!(!"01234568".parse::<RunPrefix>().unwrap().matches(run));
        let too_long = format!("{}0", run.simple());
        for text in ["", "012", "0-1-2", "012g", "0123\n", "ééé0", &too_long] {
            assert_eq!(text.parse::<RunPrefix>(), Err(NoRunPrefix), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_long_enough_beginning_of_an_id_names_it(id: u128, length in 4_usize..=36) {
            let run = Uuid::from_u128(id);
            let text = run.to_string();
            let prefix = text[..length].parse::<RunPrefix>();
            prop_assert!(prefix.unwrap().matches(run));
        }

        #[test]
        fn no_text_panics(text: String) {
            let _parsed = text.parse::<RunPrefix>();
        }
    }
}
