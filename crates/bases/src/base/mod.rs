//! The model of a base file (`vault-semantics.md` §5.1).

mod check;
mod new_note;
mod read;

use std::collections::{BTreeSet, HashMap};

pub use self::new_note::NewNote;
use crate::evaluate::Formulas;
use crate::syntax::{Expression, SyntaxError};
pub use yaml_events::Place;

/// A fault in a base: the reason why its text cannot be read, or one that its views can ignore.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {}, column {}: {message}", .place.line, .place.column)]
pub struct BaseError {
    /// The line and column of the fault.
    pub place: Place,
    /// The fault, as a sentence for people.
    pub message: String,
}

impl BaseError {
    fn new(place: Place, message: impl Into<String>) -> Self {
        Self {
            place,
            message: message.into(),
        }
    }
}

/// A parsed base: filters, formulas and views.
#[derive(Clone, Debug, Default)]
pub struct Base {
    pub(crate) filter: Option<Filter>,
    pub(crate) formulas: Formulas,
    /// Display names, by property.
    pub(crate) labels: HashMap<PropertyId, String>,
    pub(crate) summaries: Formulas,
    views: Vec<View>,
    diagnostics: Vec<BaseError>,
}

/// One view of a base.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Its name; without one, its type.
    pub name: String,
    /// Its type: `table`, `cards`, `list`, or one that a plugin adds.
    pub kind: String,
    pub(crate) filter: Option<Filter>,
    pub(crate) order: Vec<PropertyId>,
    pub(crate) sort: Vec<SortKey>,
    pub(crate) group_by: Option<SortKey>,
    pub(crate) limit: Option<usize>,
    /// The names of the summaries, each with its column.
    pub(crate) summaries: Vec<(PropertyId, String)>,
    pub(crate) diagnostics: Vec<BaseError>,
}

/// The data of a file that the filters of a view read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilterInputs {
    /// The properties that they name directly, without duplicates.
    pub properties: Vec<String>,
    /// Whether they read nothing else of a file. Then all files without these properties are rows,
    /// or none of them is.
    pub are_all: bool,
}

/// The condition that decides which files are rows.
#[derive(Clone, Debug)]
pub(crate) enum Filter {
    /// A single expression, which must be true.
    Statement(Statement),
    /// All of these: `and`.
    All(Vec<Filter>),
    /// One of these at least: `or`.
    Any(Vec<Filter>),
    /// None of these: `not`.
    None(Vec<Filter>),
}

/// An expression of a filter, with its place in the base.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The line and column where it begins.
    pub place: Place,
    /// The text as written.
    pub text: String,
    /// The parsed expression, or why it cannot be parsed.
    pub expression: Result<Expression, SyntaxError>,
}

/// The property by which rows are sorted or grouped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// The property whose values are compared.
    pub property: PropertyId,
    /// Whether the greatest value comes first.
    pub descending: bool,
}

/// A property that a view can show: of the file, of its frontmatter, or a formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PropertyId {
    /// A field of the file, such as `file.name`.
    File(String),
    /// A property of the note: `note.status` or `status`.
    Note(String),
    /// A formula of the base: `formula.total`.
    Formula(String),
}

impl PropertyId {
    /// Reads `file.name`, `note.status`, `status` or `formula.total`.
    pub fn parse(text: &str) -> Self {
        match text.split_once('.') {
            Some(("file", name)) => Self::File(name.to_owned()),
            Some(("note", name)) => Self::Note(name.to_owned()),
            Some(("formula", name)) => Self::Formula(name.to_owned()),
            _ => Self::Note(text.to_owned()),
        }
    }

    /// The whole id, with its `file.`, `note.` or `formula.`.
    pub fn id(&self) -> String {
        match self {
            Self::File(name) => format!("file.{name}"),
            Self::Note(name) => format!("note.{name}"),
            Self::Formula(name) => format!("formula.{name}"),
        }
    }

    /// The heading of a column without a display name: `file name`, `status`, `total`
    /// (`vault-semantics.md` §5.2).
    pub(crate) fn label(&self) -> String {
        match self {
            Self::File(name) => match name.as_str() {
                "name" | "path" | "size" | "embeds" | "backlinks" => format!("file {name}"),
                "basename" => "file base name".to_owned(),
                "ext" => "file extension".to_owned(),
                "ctime" => "created time".to_owned(),
                "mtime" => "modified time".to_owned(),
                _ => name.clone(),
            },
            Self::Note(name) | Self::Formula(name) => name.clone(),
        }
    }
}

impl Base {
    /// Reads a base. An empty text is a base without views.
    ///
    /// # Errors
    ///
    /// Fails if the text is not YAML, exceeds [`crate::limits`] in size or depth, or has a value of
    /// the wrong kind at a place that all views share. All other faults are diagnostics of the base
    /// or of one view.
    pub fn parse(text: &str) -> Result<Self, BaseError> {
        Self::parse_from_line(text, 1)
    }

    /// As [`Self::parse`], for a block of a note that begins at this line of the note.
    ///
    /// # Errors
    ///
    /// As [`Self::parse`].
    pub fn parse_from_line(text: &str, first_line: usize) -> Result<Self, BaseError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        read::base(text, first_line)
    }

    /// Returns a base without formulas, with one view of the files for which an expression is true.
    pub fn from_filter(expression: Expression) -> Self {
        let place = Place { line: 1, column: 1 };
        Self {
            filter: Some(Filter::Statement(Statement {
                place,
                text: expression.source().to_owned(),
                expression: Ok(expression),
            })),
            views: vec![View::named("table")],
            ..Self::default()
        }
    }

    pub(crate) fn filters<'base>(
        &'base self,
        view: &'base View,
    ) -> impl Iterator<Item = &'base Filter> {
        self.filter.iter().chain(&view.filter)
    }

    /// The views in their order.
    pub fn views(&self) -> &[View] {
        &self.views
    }

    /// The faults of the base that do not keep its views from being shown.
    pub fn diagnostics(&self) -> &[BaseError] {
        &self.diagnostics
    }

    /// The data of a file that the filters of a view read.
    pub fn filter_inputs(&self, view: &View) -> FilterInputs {
        let mut names = BTreeSet::new();
        let mut are_all = true;
        for filter in self.filters(view) {
            filter.each_statement(&mut |statement| {
                if let Ok(expression) = &statement.expression {
                    are_all &= check::depends_on_properties_alone(expression, &mut names);
                }
            });
        }
        FilterInputs {
            properties: names.into_iter().map(str::to_owned).collect(),
            are_all,
        }
    }

    /// The statements in the filters of a view that cannot be parsed, and so match no file.
    pub fn broken_filters<'base>(&'base self, view: &'base View) -> Vec<&'base Statement> {
        let mut broken = Vec::new();
        for filter in self.filters(view) {
            filter.each_statement(&mut |statement| {
                if statement.expression.is_err() {
                    broken.push(statement);
                }
            });
        }
        broken
    }
}

impl View {
    /// A view of this type without settings, which shows the names of files.
    pub fn named(kind: &str) -> Self {
        Self {
            name: kind.to_owned(),
            kind: kind.to_owned(),
            ..Self::default()
        }
    }

    /// The faults in this view, which it ignores.
    pub fn diagnostics(&self) -> &[BaseError] {
        &self.diagnostics
    }
}

impl Filter {
    pub(crate) fn each_statement<'filter>(
        &'filter self,
        visit: &mut dyn FnMut(&'filter Statement),
    ) {
        match self {
            Self::Statement(statement) => visit(statement),
            Self::All(filters) | Self::Any(filters) | Self::None(filters) => {
                for filter in filters {
                    filter.each_statement(visit);
                }
            }
        }
    }
}
