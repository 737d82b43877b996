//! Errors in catalogue files, as data.

use std::fmt;

use protocol::message::question;

/// An error in a catalogue file, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueError {
    /// The file's name as passed to [`super::Catalogue::load`].
    pub file: String,
    /// The line in the file, counted from 1.
    pub line: usize,
    /// The mistake.
    pub problem: CatalogueProblem,
}

/// A mistake in a catalogue file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueProblem {
    /// Invalid TOML, or an unknown key, type, effect or shape.
    #[error("{message}")]
    Form {
        /// The message of the TOML parser or of serde.
        message: String,
        /// Known words close to the unknown one.
        nearest: Vec<String>,
    },
    /// A command id or group outside `[a-z][a-z0-9:_-]*` (`threats.toml` A02).
    #[error("`{0}` is not a command id: lower-case letters, digits, `:`, `_` and `-` only")]
    Id(String),
    /// An id that is already in the catalogue.
    #[error("`{id}` is listed already, at {file}:{line}")]
    DuplicateId {
        /// The id that occurs twice.
        id: String,
        /// File of the first entry with this id.
        file: String,
        /// 1-based line of the first entry.
        line: usize,
    },
    /// A parameter or flag outside `[A-Za-z][A-Za-z0-9_-]*`, or over 64 bytes (`threats.toml` B03).
    #[error("`{0}` is not a name: a letter, then letters, digits, `_` and `-`, 64 at most")]
    Name(String),
    /// A name that the gateway itself adds to the command line.
    #[error("`{0}` is reserved: only the gateway chooses the vault")]
    Reserved(String),
    /// A name given to two parameters, two flags, or one of each.
    #[error("`{name}` is listed twice for `{id}`")]
    DuplicateName {
        /// The id of the command.
        id: String,
        /// The name that occurs twice.
        name: String,
    },
    /// A text that describes something is empty.
    #[error("the {what} of `{name}` is empty")]
    EmptyText {
        /// The text, such as `summary` or `reason`.
        what: &'static str,
        /// The command or argument it belongs to.
        name: String,
    },
    /// A command without effects, which policy could not judge (`threats.toml` A06).
    #[error("`{0}` has no effects; a command that only looks has `read`")]
    NoEffects(String),
    /// An offered command, parameter or flag that runs code.
    #[error("`{0}` has the effect `execute`, which is never open: list it as refused")]
    Execute(String),
    /// Keys of a parameter that are not valid for its type.
    #[error("`{name}`: {rule}")]
    Kind {
        /// The name of the parameter.
        name: String,
        /// The rule that is broken.
        rule: &'static str,
    },
    /// A target that contradicts the parameters and flags.
    #[error("the target of `{id}` is `{target}`: {rule}")]
    Target {
        /// The id of the command.
        id: String,
        /// The name of its target.
        target: &'static str,
        /// The rule that is broken.
        rule: &'static str,
    },
    /// Any other contradiction between two keys of one command.
    #[error("`{id}`: {rule}")]
    Command {
        /// The id of the command.
        id: String,
        /// The rule that is broken.
        rule: &'static str,
    },
    /// An exclusive set with a name that is not an argument of the command.
    #[error("`{id}` has no parameter or flag `{name}` to exclude")]
    UnknownExclusive {
        /// The id of the command.
        id: String,
        /// The name that is not an argument.
        name: String,
        /// Known names close to it.
        nearest: Vec<String>,
    },
    /// An example that cannot be parsed, or that is of another command.
    #[error("the example is not a line that starts with `{id}` and closes its quotes")]
    ExampleForm {
        /// The id of the command.
        id: String,
    },
    /// An `accept` example that admission refuses (`threats.toml` A11).
    #[error("an example to accept is refused: {reason}")]
    AcceptRefused {
        /// The message of the refusal.
        reason: String,
    },
    /// A `refuse` example that admission accepts (`threats.toml` A11).
    #[error("an example to refuse is accepted: {example}")]
    RefuseAccepted {
        /// The example as written.
        example: String,
    },
}

impl CatalogueError {
    /// Returns a suggestion, if there is one.
    pub fn hint(&self) -> Option<String> {
        match &self.problem {
            CatalogueProblem::Form { nearest, .. }
            | CatalogueProblem::UnknownExclusive { nearest, .. } => question(nearest),
            CatalogueProblem::Id(_)
            | CatalogueProblem::DuplicateId { .. }
            | CatalogueProblem::Name(_)
            | CatalogueProblem::Reserved(_)
            | CatalogueProblem::DuplicateName { .. }
            | CatalogueProblem::EmptyText { .. }
            | CatalogueProblem::NoEffects(_)
            | CatalogueProblem::Execute(_)
            | CatalogueProblem::Kind { .. }
            | CatalogueProblem::Target { .. }
            | CatalogueProblem::Command { .. }
            | CatalogueProblem::ExampleForm { .. }
            | CatalogueProblem::AcceptRefused { .. }
            | CatalogueProblem::RefuseAccepted { .. } => None,
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
