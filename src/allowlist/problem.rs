//! What can be wrong with a catalogue file, as data.

use std::fmt;

use super::nearest::question;

/// A catalogue file that is refused: where, why, and what was probably meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueError {
    /// The file's name as it was handed in.
    pub file: String,
    /// Line of the mistake, counted from 1.
    pub line: usize,
    /// The mistake.
    pub problem: Problem,
}

/// One mistake in a catalogue file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Not TOML, or not of the catalogue's form: an unknown key, type, effect or shape.
    #[error("{message}")]
    Form {
        /// The reader's own sentence.
        message: String,
        /// Known words close to the unknown one.
        nearest: Vec<String>,
    },
    /// A command id or group outside `[a-z][a-z0-9:_-]*` (`faults.md` A02).
    #[error("`{0}` is no command id: lower-case letters, digits, `:`, `_` and `-` only")]
    Id(String),
    /// An id that stands in the catalogue already.
    #[error("`{id}` is listed already, at {file}:{line}")]
    DuplicateId {
        /// The id.
        id: String,
        /// File of the first entry.
        file: String,
        /// Line of the first entry, counted from 1.
        line: usize,
    },
    /// A parameter or flag outside `[A-Za-z][A-Za-z0-9_-]*`, or over 64 bytes (`faults.md` B03).
    #[error("`{0}` is no name: a letter, then letters, digits, `_` and `-`, 64 at most")]
    Name(String),
    /// A name that the gateway itself puts on the command line.
    #[error("`{0}` is reserved: only the gateway chooses the vault")]
    Reserved(String),
    /// A name given to two parameters, two flags, or one of each.
    #[error("`{name}` is listed twice for `{id}`")]
    DuplicateName {
        /// The command.
        id: String,
        /// The name.
        name: String,
    },
    /// A summary or reason without text.
    #[error("the {what} of `{name}` is empty")]
    EmptyText {
        /// `summary`, `reason`.
        what: &'static str,
        /// Whose.
        name: String,
    },
    /// A command without an effect; what does nothing cannot be judged (`faults.md` A06).
    #[error("`{0}` has no effects; a command that only looks has `read`")]
    NoEffects(String),
    /// A command, parameter or flag that runs code, offered.
    #[error("`{0}` has the effect `execute`, which is never open: list it as refused")]
    Execute(String),
    /// Keys of a parameter that do not fit its type.
    #[error("`{name}`: {rule}")]
    Kind {
        /// The parameter.
        name: String,
        /// What must hold.
        rule: &'static str,
    },
    /// A target that the parameters and flags contradict.
    #[error("the target of `{id}` is `{target}`: {rule}")]
    Target {
        /// The command.
        id: String,
        /// Its target.
        target: &'static str,
        /// What must hold.
        rule: &'static str,
    },
    /// Anything else that two keys of one command say differently.
    #[error("`{id}`: {rule}")]
    Command {
        /// The command.
        id: String,
        /// What must hold.
        rule: &'static str,
    },
    /// An exclusive set that names what the command does not take.
    #[error("`{id}` has no parameter or flag `{name}` to exclude")]
    UnknownExclusive {
        /// The command.
        id: String,
        /// The unknown name.
        name: String,
        /// Known names close to it.
        nearest: Vec<String>,
    },
    /// An example that cannot be read, or is of another command.
    #[error("the example is not a line that starts with `{id}` and closes its quotes")]
    ExampleForm {
        /// The command.
        id: String,
    },
    /// An `accept` example that admission refuses (`faults.md` A11).
    #[error("an example to accept is refused: {reason}")]
    AcceptRefused {
        /// Why it is refused.
        reason: String,
    },
    /// A `refuse` example that admission accepts (`faults.md` A11).
    #[error("an example to refuse is accepted: {example}")]
    RefuseAccepted {
        /// The example.
        example: String,
    },
}

impl CatalogueError {
    /// What was probably meant, where there is a guess.
    pub fn hint(&self) -> Option<String> {
        match &self.problem {
            Problem::Form { nearest, .. } | Problem::UnknownExclusive { nearest, .. } => {
                question(nearest)
            }
            Problem::Id(_)
            | Problem::DuplicateId { .. }
            | Problem::Name(_)
            | Problem::Reserved(_)
            | Problem::DuplicateName { .. }
            | Problem::EmptyText { .. }
            | Problem::NoEffects(_)
            | Problem::Execute(_)
            | Problem::Kind { .. }
            | Problem::Target { .. }
            | Problem::Command { .. }
            | Problem::ExampleForm { .. }
            | Problem::AcceptRefused { .. }
            | Problem::RefuseAccepted { .. } => None,
        }
    }
}

impl fmt::Display for CatalogueError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.file, self.line, self.problem)?;
        match self.hint() {
            Some(hint) => write!(formatter, ". {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for CatalogueError {}
