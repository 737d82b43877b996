//! Errors in catalogue files, as data.

use protocol::question;

/// An error in a catalogue file, with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {problem}{}", self.hint().map(|hint| format!(". {hint}")).unwrap_or_default())]
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
    #[error(
        "`{0}` is not a command id. An id begins with a letter and has only lower-case letters, digits, `:`, `_` and `-`"
    )]
    Id(String),
    /// An id that is already in the catalogue.
    #[error("`{id}` is already listed at {file}:{line}")]
    DuplicateId {
        /// The id that occurs twice.
        id: String,
        /// File of the first entry with this id.
        file: String,
        /// 1-based line of the first entry.
        line: usize,
    },
    /// A parameter or flag outside `[A-Za-z][A-Za-z0-9_-]*`, or over 64 bytes (`threats.toml` B03).
    #[error(
        "`{0}` is not a name. A name begins with a letter and has at most 64 letters, digits, `_` and `-`"
    )]
    Name(String),
    /// A name that the gateway itself adds to the command line.
    #[error("`{0}` cannot be a parameter, because only the gateway chooses the vault")]
    Reserved(String),
    /// A name given to two parameters, two flags, or one of each, and the id of their command.
    #[error("`{0}` is listed twice for `{1}`")]
    DuplicateName(String, String),
    /// A text that describes something is empty: which, such as `summary`, and the command or argument it belongs to.
    #[error("the {0} of `{1}` is empty")]
    EmptyText(&'static str, String),
    /// A command without effects, which policy could not judge (`threats.toml` A06).
    #[error("`{0}` has no effects. A command that only reads has the effect `read`")]
    NoEffects(String),
    /// An offered command, parameter or flag that runs code.
    #[error("`{0}` has the effect `execute`, which is never allowed. List the command as refused")]
    Execute(String),
    /// Keys of this parameter that are not valid for its type, and the rule that is broken.
    #[error("`{0}`: {1}")]
    Kind(String, &'static str),
    /// A command and its target, which contradicts the parameters and flags, and the rule that is broken.
    #[error("the target of `{0}` is `{1}`: {2}")]
    Target(String, &'static str, &'static str),
    /// Any other contradiction between two keys of this command, and the rule that is broken.
    #[error("`{0}`: {1}")]
    Command(String, &'static str),
    /// An exclusive set with a name that is not an argument of the command.
    #[error("`exclusive` of `{id}` contains `{name}`, which is not a parameter or flag")]
    UnknownExclusive {
        /// The id of the command.
        id: String,
        /// The name that is not an argument.
        name: String,
        /// Known names close to it.
        nearest: Vec<String>,
    },
    /// An example that cannot be parsed, or that is not of this command.
    #[error("the example must start with `{0}` and close its quotes")]
    ExampleForm(String),
    /// An `accept` example that admission refuses with this message (`threats.toml` A11).
    #[error("an example is refused, but it should be accepted: {0}")]
    AcceptRefused(String),
    /// A `refuse` example that admission accepts (`threats.toml` A11).
    #[error("the example `{0}` is accepted, but it should be refused")]
    RefuseAccepted(String),
}

impl CatalogueError {
    /// Returns a suggestion, if there is one.
    pub fn hint(&self) -> Option<String> {
        match &self.problem {
            CatalogueProblem::Form { nearest, .. }
            | CatalogueProblem::UnknownExclusive { nearest, .. } => question(nearest),
            _ => None,
        }
    }
}
