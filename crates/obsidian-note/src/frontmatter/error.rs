//! The faults of properties that cannot be read.

use crate::path::VaultPath;
use crate::warning::Warning;

/// The reason why a note's properties cannot be read, and its place. The app then treats the note as one without
/// properties (`vault-semantics.md` §3.2).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct FrontmatterError {
    /// The line, counted from 1.
    pub line: usize,
    /// The fault in that line.
    pub fault: YamlFault,
}

impl FrontmatterError {
    pub(super) fn new(line: usize, fault: YamlFault) -> Self {
        Self { line, fault }
    }

    /// Returns the warning for the note with these properties.
    pub fn warning(&self, path: &VaultPath) -> Warning {
        Warning::InvalidFrontmatter {
            path: path.clone(),
            line: self.line,
            reason: self.fault.to_string(),
        }
    }

    /// Returns the same error in a text with one more line before it.
    #[must_use]
    pub fn below_first_line(self) -> Self {
        Self {
            line: self.line.saturating_add(1),
            ..self
        }
    }
}

/// The fault of a note's properties.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum YamlFault {
    /// The text is not valid YAML.
    #[error("{what}")]
    Syntax {
        /// The message of the YAML parser.
        what: String,
    },
    /// Two properties have the same name.
    #[error("the key `{key}` occurs twice")]
    DuplicateKey {
        /// The name that occurs twice.
        key: String,
    },
    /// The text is a list or a single value.
    #[error("the properties must be keys with values")]
    NotAMapping,
    /// A second YAML document follows the first.
    #[error("a second YAML document begins there")]
    SeveralDocuments,
    /// An alias refers to a value that contains it.
    #[error("an alias refers to a value that contains it")]
    Endless,
    /// Lists and mappings are nested too deep.
    #[error("the values are nested more than {limit} levels deep")]
    TooDeep {
        /// The maximum number of levels that are read.
        limit: usize,
    },
    /// There are too many values, counted with aliases expanded.
    #[error("there are more than {limit} values")]
    TooMany {
        /// The maximum number of values that are read.
        limit: usize,
    },
    /// There is too much text, counted with aliases expanded.
    #[error("there are more than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
}
