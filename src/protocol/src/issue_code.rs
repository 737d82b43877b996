//! The stable codes of warnings, violations and advice, each with its explanation. Error codes are
//! in [`code`](crate::code).

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Serialize;

use crate::code::{Words, WordsByCode, parse_words};
use crate::message::{self, Message};

/// The explanation of an issue code, for people and agents, from `config/issues.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssueCode {
    /// The name in envelopes, such as `NOTE_TOO_LARGE`.
    pub issue: &'static str,
    /// The meaning of the code.
    pub meaning: &'static str,
    /// The template of the next step.
    #[serde(serialize_with = "message::template_as_text")]
    remedy: &'static str,
    /// A hint for people; empty if there is none.
    #[serde(skip)]
    at_terminal: &'static str,
}

static ALL: LazyLock<Vec<IssueCode>> = LazyLock::new(|| WORDS.iter().map(IssueCode::new).collect());

static WORDS: LazyLock<WordsByCode> =
    LazyLock::new(|| parse_words(include_str!("../../../config/issues.toml")));

impl IssueCode {
    fn new((issue, words): (&'static String, &'static Words)) -> Self {
        Self {
            issue,
            meaning: &words.what,
            remedy: &words.hint,
            at_terminal: &words.at_terminal,
        }
    }

    /// Returns every code, sorted by name.
    pub fn all() -> &'static [Self] {
        &ALL
    }

    /// Returns an additional hint for people at a terminal. Agents never see it.
    pub fn at_terminal(&self) -> Option<&'static str> {
        (!self.at_terminal.is_empty()).then_some(self.at_terminal)
    }

    /// Returns the next step, and who can take it.
    pub fn remedy(&self) -> Message {
        Message::new(self.remedy, [])
    }

    /// Looks up a code by name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().iter().copied().find(|code| code.issue == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained() {
        assert!(!IssueCode::all().is_empty());
        for code in IssueCode::all() {
            assert!(
                code.meaning.ends_with('.') && code.remedy.ends_with('.'),
                "{code:?}"
            );
            assert_eq!(IssueCode::named(code.issue), Some(*code));
        }
        assert_eq!(IssueCode::named("NO_SUCH"), None);
    }
}
