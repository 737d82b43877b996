//! Reasons why a value is invalid.

use vault_engine::{ListError, PathError};

use super::MAX_VALUE_BYTES;
use super::path::MAX_LINE;
use crate::date_form::DateForm;
use protocol::either;

/// Reason why a value is invalid. Never contains the value itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ValueProblem {
    #[error("expected {expected}, got {got}")]
    WrongType {
        expected: &'static str,
        got: &'static str,
    },
    #[error("expected `true` or `false` without quotes, got {got}")]
    NotABoolean { got: &'static str },
    #[error("the value is empty{}", if *required { "" } else { ". Omit the parameter instead" })]
    Empty { required: bool },
    #[error("the value has {bytes} bytes, and the limit is {MAX_VALUE_BYTES}")]
    TooLarge { bytes: usize },
    #[error("the value contains the character U+{:04X}, which is not allowed here", u32::from(*.0))]
    Character(char),
    #[error(
        "the path is absolute. Pass a path relative to the vault's root, such as `Projects/Boat.md`"
    )]
    Absolute,
    #[error("the path ends with `/`, so it names a folder, not a file")]
    Folder,
    #[error("{0}. Pass a path relative to the vault's root, with `/` between folders")]
    Path(PathError),
    #[error("the value is a link that opens the app. Pass the path `{path}` instead")]
    AppLink { path: String },
    #[error(
        "a file name cannot contain {}. Write for example `{instead}`",
        either(bad)
    )]
    InName { bad: Vec<String>, instead: String },
    #[error("a name cannot contain {}", either(bad))]
    Slash {
        /// The slash, and other characters that names cannot contain.
        bad: Vec<String>,
    },
    #[error("expected a whole number {}{}", from_to(*min, *max), written(*meant))]
    NotAnInteger {
        min: i64,
        max: i64,
        /// The number in range that the text is in another spelling.
        meant: Option<i64>,
    },
    #[error("expected {}{}", form.rule(), if meant.is_empty() { String::new() } else { format!(". Write {}", either(meant)) })]
    NotADate {
        form: DateForm,
        /// The days that it may mean.
        meant: Vec<String>,
    },
    #[error("{why}")]
    NoSuchDay { why: String },
    #[error("the number cannot be stored exactly. Pass the number as a text")]
    InexactNumber,
    #[error("expected exactly one character, such as `x`")]
    NotOneCharacter,
    #[error("expected `path:line`, such as `Home.md:3`. The first line is 1")]
    NotATaskRef,
    #[error("expected an address that starts with `https://` or `http://` and contains no space")]
    NotAUrl,
    #[error(
        "the value is a web address, but vault-gw does not download files. Pass the content of the file in base64 as `data`"
    )]
    Address,
    #[error("expected an array, such as `{example}`")]
    NotAList { example: String },
    #[error("{0}")]
    Item(ListError),
    #[error("expected one of `{}`", choices.join("`, `"))]
    NotAChoice {
        choices: Vec<String>,
        nearest: Vec<String>,
    },
}

/// `from 1 to 100`, or `of 1 or more` if the end is not a bound.
fn from_to(min: i64, max: i64) -> String {
    if max >= MAX_LINE {
        format!("of {min} or more")
    } else {
        format!("from {min} to {max}")
    }
}

fn written(meant: Option<i64>) -> String {
    meant.map_or_else(String::new, |meant| format!(". You may mean `{meant}`"))
}
