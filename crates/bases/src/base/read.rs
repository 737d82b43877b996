//! Reads the model from YAML, with the place of every fault.

use std::collections::HashMap;

use super::{Base, BaseError, Filter, Place, PropertyId, SortKey, Statement, View, check};
use crate::evaluate::Formulas;
use crate::limits::{MAX_BASE_BYTES, MAX_BASE_DEPTH, MAX_BASE_VALUES};
use crate::syntax::Expression;
use yaml_events::{Content, Entry, Fault, Limits, Node, Scalar};

/// The type of the view that a base without views shows.
const DEFAULT_KIND: &str = "table";
/// An `or` without conditions matches no file.
const NO_FILE: Filter = Filter::Any(Vec::new());

pub(super) fn base(text: &str, first_line: usize) -> Result<Base, BaseError> {
    let mut reader = BaseReader::default();
    let mut base = Base::default();
    let Some(root) = document(text, first_line)? else {
        return Ok(base);
    };
    for entry in mapping_or_nothing(&root, "a base")? {
        match entry.key.as_str() {
            "filters" => base.filter = reader.filter(&entry.value)?,
            "formulas" => base.formulas = reader.expressions(&entry.value, "a formula")?,
            "summaries" => base.summaries = reader.expressions(&entry.value, "a summary")?,
            "properties" => base.labels.extend(labels(&entry.value)?),
            // The name of `properties` before 1.9.2, which the app still reads.
            "display" => {
                for (property, label) in display(&entry.value)? {
                    base.labels.entry(property).or_insert(label);
                }
            }
            "views" => {
                for view in list_or_nothing(&entry.value, "`views`")? {
                    base.views.push(reader.view(view));
                }
            }
            other => reader.note(
                entry.place,
                format!("a base does not have the key \"{other}\", so it is ignored"),
            ),
        }
    }
    check::formulas(&base, &mut reader.diagnostics, &reader.formula_places);
    reader.diagnostics.sort_by_key(|found| found.place);
    base.diagnostics = reader.diagnostics;
    let summaries = &base.summaries;
    for view in &mut base.views {
        check::summaries(view, summaries);
        view.diagnostics.sort_by_key(|found| found.place);
    }
    Ok(base)
}

/// The root of a whole text; `None` for an empty text.
fn document(text: &str, first_line: usize) -> Result<Option<Node>, BaseError> {
    if text.len() > MAX_BASE_BYTES {
        let start = Place {
            line: first_line,
            column: 1,
        };
        let message = format!("the base is larger than {MAX_BASE_BYTES} bytes");
        return Err(BaseError::new(start, message));
    }
    let limits = Limits {
        depth: MAX_BASE_DEPTH,
        values: MAX_BASE_VALUES,
        text: usize::MAX,
    };
    let key = |key: &Node| match &key.content {
        Content::Scalar(scalar) if scalar.is_null() => Some("null".to_owned()),
        Content::Scalar(scalar) => Some(scalar.text.clone()),
        Content::List(_) | Content::Mapping(_) => None,
    };
    yaml_events::document(text, first_line, limits, key).map_err(|error| {
        let message = match error.fault {
            Fault::Syntax(syntax) => syntax.info().to_owned(),
            Fault::SeveralDocuments => "a base is one YAML document".to_owned(),
            Fault::Endless => "an alias refers to a value that contains it".to_owned(),
            Fault::TooDeep => {
                format!("the base is nested more than {MAX_BASE_DEPTH} levels deep")
            }
            Fault::TooMany | Fault::TooLong => {
                format!("the base contains more than {MAX_BASE_VALUES} values")
            }
            Fault::NoKey => "a key must be a text".to_owned(),
            Fault::DuplicateKey(key) => format!("the key \"{key}\" occurs twice"),
        };
        BaseError::new(error.value, message)
    })
}

#[derive(Default)]
struct BaseReader {
    diagnostics: Vec<BaseError>,
    formula_places: HashMap<String, Place>,
}

impl BaseReader {
    fn note(&mut self, place: Place, message: impl Into<String>) {
        self.diagnostics.push(BaseError::new(place, message));
    }

    fn filter(&mut self, value: &Node) -> Result<Option<Filter>, BaseError> {
        match &value.content {
            Content::Scalar(scalar) if scalar.is_null() => Ok(None),
            Content::Scalar(Scalar { text, .. }) => {
                let statement = Statement {
                    place: value.place,
                    text: text.clone(),
                    expression: Expression::parse(text),
                };
                if let Ok(expression) = &statement.expression {
                    check::expression(expression, value.place, &mut self.diagnostics);
                }
                Ok(Some(Filter::Statement(statement)))
            }
            // For an absent filter the app writes a list without `and`, `or` or `not`.
            Content::List(items) if items.is_empty() => Ok(None),
            Content::List(_) => Err(BaseError::new(
                value.place,
                "a filter is an expression, or one of `and`, `or` and `not` with a list",
            )),
            Content::Mapping(entries) => {
                let mut filters = Vec::new();
                for entry in entries {
                    filters.extend(self.group(entry)?);
                }
                Ok(match filters.len() {
                    0 => None,
                    1 => filters.pop(),
                    _ => Some(Filter::All(filters)),
                })
            }
        }
    }

    /// The group of `and`, `or` or `not`; `None` if it is empty.
    fn group(&mut self, entry: &Entry) -> Result<Option<Filter>, BaseError> {
        let filters = match &entry.value.content {
            Content::Scalar(scalar) if scalar.is_null() => Vec::new(),
            Content::List(items) => {
                let mut filters = Vec::new();
                for item in items {
                    filters.extend(self.filter(item)?);
                }
                filters
            }
            Content::Scalar(_) | Content::Mapping(_) => {
                self.filter(&entry.value)?.into_iter().collect()
            }
        };
        let group = match entry.key.as_str() {
            "and" => Filter::All,
            "or" => Filter::Any,
            "not" => Filter::None,
            other => {
                let message = format!("a filter has `and`, `or` or `not`, but not \"{other}\"");
                return Err(BaseError::new(entry.place, message));
            }
        };
        // An empty group counts as no condition, as in the app's editor.
        Ok((!filters.is_empty()).then(|| group(filters)))
    }

    /// Expressions by name. Invalid ones are kept as such, with a diagnostic.
    fn expressions(&mut self, value: &Node, what: &str) -> Result<Formulas, BaseError> {
        let mut expressions = Formulas::new();
        for entry in mapping_or_nothing(value, what)? {
            let text = scalar(&entry.value, what)?;
            let place = entry.value.place;
            let expression = Expression::parse(text);
            match &expression {
                Ok(expression) => check::expression(expression, place, &mut self.diagnostics),
                Err(error) => {
                    let message = format!("{what} \"{}\" is not an expression: {error}", entry.key);
                    self.note(place, message);
                }
            }
            self.formula_places.insert(entry.key.clone(), place);
            expressions.insert(entry.key.clone(), expression);
        }
        Ok(expressions)
    }

    /// A view with its faults. It ignores them, but shows no files if a fault makes it unclear
    /// which files it has (`vault-semantics.md` §5.1).
    fn view(&mut self, value: &Node) -> View {
        let of_the_base = std::mem::take(&mut self.diagnostics);
        let mut view = View::named(DEFAULT_KIND);
        match mapping(value, "a view") {
            Ok(entries) => self.settings(&mut view, entries),
            Err(error) => {
                view.filter = Some(NO_FILE);
                self.diagnostics.push(error);
            }
        }
        view.diagnostics = std::mem::replace(&mut self.diagnostics, of_the_base);
        view
    }

    fn settings(&mut self, view: &mut View, entries: &[Entry]) {
        let mut text = |key: &str| -> Option<String> {
            let entry = entries.iter().find(|entry| entry.key == key)?;
            if is_null(&entry.value) {
                return None;
            }
            match scalar(&entry.value, key) {
                Ok(text) => Some(text.to_owned()),
                Err(error) => {
                    self.diagnostics.push(error);
                    None
                }
            }
        };
        let kind = text("type").unwrap_or_else(|| DEFAULT_KIND.to_owned());
        view.name = text("name").unwrap_or_else(|| kind.clone());
        view.kind = kind;
        for entry in entries {
            if let Err(error) = self.setting(view, entry) {
                if entry.key == "filters" {
                    view.filter = Some(NO_FILE);
                }
                self.diagnostics.push(error);
            }
        }
    }

    fn setting(&mut self, view: &mut View, entry: &Entry) -> Result<(), BaseError> {
        let Entry { key, value, .. } = entry;
        match key.as_str() {
            "filters" => view.filter = self.filter(value)?,
            "order" => {
                for item in list_or_nothing(value, "`order`")? {
                    let property = PropertyId::parse(scalar(item, "a property")?);
                    if !view.order.contains(&property) {
                        view.order.push(property);
                    }
                }
            }
            "sort" => {
                for item in list_or_nothing(value, "`sort`")? {
                    view.sort.push(sort_key(item)?);
                }
            }
            "groupBy" if !is_null(value) => {
                view.group_by = Some(sort_key(value)?);
            }
            "limit" => view.limit = self.limit(value)?,
            "summaries" => {
                for entry in mapping_or_nothing(value, "`summaries` of a view")? {
                    let name = scalar(&entry.value, "a summary")?.to_owned();
                    view.summaries.push((PropertyId::parse(&entry.key), name));
                }
            }
            // Views may have further settings of their own.
            _ => {}
        }
        Ok(())
    }

    fn limit(&mut self, value: &Node) -> Result<Option<usize>, BaseError> {
        if is_null(value) {
            return Ok(None);
        }
        let text = scalar(value, "`limit`")?;
        match text.parse() {
            Ok(0) => {
                self.note(value.place, "a limit of 0 has no effect");
                Ok(None)
            }
            Ok(limit) => Ok(Some(limit)),
            Err(_) => {
                let message = format!("a limit must be a whole number, not \"{text}\"");
                Err(BaseError::new(value.place, message))
            }
        }
    }
}

fn sort_key(value: &Node) -> Result<SortKey, BaseError> {
    if let Content::Scalar(Scalar { text, .. }) = &value.content
        && !is_null(value)
    {
        return Ok(SortKey {
            property: PropertyId::parse(text),
            descending: false,
        });
    }
    let entries = mapping(value, "what is sorted by")?;
    let find = |key: &str| entries.iter().find(|entry| entry.key == key);
    // `column` is the name of `property` before 1.9.2, which the app still reads.
    let Some(property) = find("property").or_else(|| find("column")) else {
        return Err(BaseError::new(value.place, "the key `property` is missing"));
    };
    let property = PropertyId::parse(scalar(&property.value, &format!("`{}`", property.key))?);
    let descending = match find("direction") {
        None => false,
        Some(entry) => {
            let word = scalar(&entry.value, "`direction`")?;
            match word.to_ascii_uppercase().as_str() {
                "ASC" => false,
                "DESC" => true,
                _ => {
                    let place = entry.value.place;
                    let message = format!("a direction is ASC or DESC, not \"{word}\"");
                    return Err(BaseError::new(place, message));
                }
            }
        }
    };
    Ok(SortKey {
        property,
        descending,
    })
}

/// Display names by property.
fn labels(value: &Node) -> Result<HashMap<PropertyId, String>, BaseError> {
    let mut labels = HashMap::new();
    for entry in mapping_or_nothing(value, "`properties`")? {
        for setting in mapping_or_nothing(&entry.value, "the settings of a property")? {
            if setting.key == "displayName" {
                let label = scalar(&setting.value, "`displayName`")?;
                labels.insert(PropertyId::parse(&entry.key), label.to_owned());
            }
        }
    }
    Ok(labels)
}

/// Display names by property, in the form of `display`.
fn display(value: &Node) -> Result<Vec<(PropertyId, String)>, BaseError> {
    let entries = mapping_or_nothing(value, "`display`")?.iter();
    entries
        .map(|entry| {
            let label = scalar(&entry.value, "a display name")?;
            Ok((PropertyId::parse(&entry.key), label.to_owned()))
        })
        .collect()
}

fn mapping<'value>(value: &'value Node, what: &str) -> Result<&'value [Entry], BaseError> {
    match &value.content {
        Content::Mapping(entries) => Ok(entries),
        _ => Err(wrong(value, what, "keys with values")),
    }
}

fn mapping_or_nothing<'value>(
    value: &'value Node,
    what: &str,
) -> Result<&'value [Entry], BaseError> {
    if is_null(value) {
        return Ok(&[]);
    }
    mapping(value, what)
}

fn list_or_nothing<'value>(value: &'value Node, what: &str) -> Result<&'value [Node], BaseError> {
    match &value.content {
        Content::List(items) => Ok(items),
        _ if is_null(value) => Ok(&[]),
        _ => Err(wrong(value, what, "a list")),
    }
}

fn scalar<'value>(value: &'value Node, what: &str) -> Result<&'value str, BaseError> {
    match &value.content {
        Content::Scalar(scalar) if !scalar.is_null() => Ok(&scalar.text),
        _ => Err(wrong(value, what, "a text")),
    }
}

fn is_null(value: &Node) -> bool {
    matches!(&value.content, Content::Scalar(scalar) if scalar.is_null())
}

fn wrong(value: &Node, what: &str, expected: &str) -> BaseError {
    let found = match &value.content {
        Content::Scalar(scalar) if scalar.is_null() => "nothing",
        Content::Scalar(_) => "a text",
        Content::List(_) => "a list",
        Content::Mapping(_) => "keys with values",
    };
    BaseError::new(
        value.place,
        format!("{what} must be {expected}, not {found}"),
    )
}
