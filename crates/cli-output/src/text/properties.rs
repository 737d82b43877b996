//! Properties of the vault and of one note.

use obsidian_note::frontmatter::to_yaml;
use obsidian_note::javascript;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use vault_answers::{Answer, List, NoteProperties, PropertyCount, PropertyItem, PropertyValue};
use vault_files::{Args, Format};

use crate::app_form::{AnswerType, AppForm, Printed, PrintedItem};
use crate::text::body::{Body, is_empty_sentence, whole, without_return};
use crate::text::error::{Fault, Reason};
use crate::text::form::{is_about_one_note, on};
use crate::text::names::lines;
use crate::text::table::{self, Count};
use crate::text::yaml;

pub(crate) static PROPERTIES: AppForm = AppForm {
    total_unless: Some("name"),
    ..AppForm::new::<List<PropertyItem>>("properties", parse)
        .or(&[
            AnswerType::of::<NoteProperties>(),
            AnswerType::of::<PropertyCount>(),
        ])
        .with_total()
};
pub(crate) static PROPERTY_VALUE: AppForm =
    AppForm::new::<PropertyValue>("property-value", parse_value);

const FORMATS: &[Format] = &[Format::Yaml, Format::Json, Format::Tsv];

/// Reads the output of `properties` for these arguments.
fn parse(body: Body<'_>, arguments: &Args) -> Result<Answer, Fault> {
    if let Some(name) = name_argument(arguments) {
        let count = whole(body.only_line()?).map_err(|reason| body.fault(reason))?;
        return Ok(Answer::from(PropertyCount { name, count }));
    }
    if is_about_one_note(arguments) {
        return parse_note(body, arguments);
    }
    parse_names(body, arguments).map(Answer::from)
}

fn parse_names(body: Body<'_>, arguments: &Args) -> Result<List<PropertyItem>, Fault> {
    #[derive(Deserialize)]
    struct PropertyRow {
        name: String,
        r#type: Option<String>,
        count: Option<Count>,
    }
    if arguments.format(FORMATS) == Format::Json {
        return table::read_json(body, |row: PropertyRow| PropertyItem {
            name: row.name,
            kind: row.r#type,
            count: row.count.map(|count| count.0),
        });
    }
    let counts = on(arguments, "counts");
    body.items(|line| {
        if !counts {
            return Ok(PropertyItem {
                name: line.to_owned(),
                kind: None,
                count: None,
            });
        }
        let (name, count) = line.rsplit_once('\t').ok_or(Reason::NO_TAB)?;
        Ok(PropertyItem {
            name: name.to_owned(),
            kind: None,
            count: Some(whole(count)?),
        })
    })
}

const NO_FRONTMATTER: &str = "No frontmatter found.";

/// Returns the cells for TSV: nulls are left out, list elements joined by a comma and a space.
fn cells(properties: &Map<String, Value>) -> impl Iterator<Item = (&String, String)> {
    properties
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| {
            let text = if let Value::Array(items) = value {
                javascript::join(items, ", ")
            } else {
                javascript::text(value)
            };
            (key, text)
        })
}

fn parse_note(body: Body<'_>, arguments: &Args) -> Result<Answer, Fault> {
    let format = arguments.format(FORMATS);
    let properties = if body.is_blank() {
        // Only TSV has nothing to print for properties that are all null.
        if format != Format::Tsv {
            return Err(body.fault(Reason::EmptyOutput));
        }
        Map::new()
    } else if is_empty_sentence(body.text) {
        Map::new()
    } else if format == Format::Json {
        javascript::normal_map(table::from_json(body)?)
    } else if format == Format::Tsv {
        let rows = table::read(body, '\t', 2, |cells| {
            let mut cells = cells.into_iter();
            let key = cells.next().unwrap_or_default().into_owned();
            Ok((key, Value::from(cells.next().unwrap_or_default())))
        })?;
        rows.items.into_iter().collect()
    } else {
        yaml::read(body)?
    };
    Ok(Answer::from(NoteProperties { properties }))
}

const EMPTY: &str = "(empty)";

/// A scalar, or one element a line.
fn render_value(property: &PropertyValue) -> String {
    if property.values.iter().all(String::is_empty) {
        EMPTY.to_owned()
    } else {
        property.values.join("\n")
    }
}

/// Reads the lines of a value; blank ones are part of it, but at its end.
fn parse_value(body: Body<'_>, arguments: &Args) -> Result<Answer, Fault> {
    let fault = |reason| Fault::at_line(1, reason);
    let name = name_argument(arguments);
    let name = name.ok_or_else(|| fault(Reason::MissingArgument { name: "name" }))?;
    let values = value_lines(body.output);
    match values.as_slice() {
        [only] if only.is_empty() => Err(fault(Reason::EmptyOutput)),
        [only] if only == EMPTY => Ok(Answer::from(PropertyValue {
            name,
            values: Vec::new(),
        })),
        _ => Ok(Answer::from(PropertyValue { name, values })),
    }
}

fn value_lines(text: &str) -> Vec<String> {
    let text = text.trim_end_matches(['\r', '\n']);
    text.split('\n')
        .map(|line| without_return(line).to_owned())
        .collect()
}

fn name_argument(arguments: &Args) -> Option<String> {
    arguments.param("name").map(str::to_owned)
}

impl PrintedItem for PropertyItem {
    /// Names, with `counts` a tab and the count. JSON always has name, type and count, the count a
    /// number here (`official-cli.md` §5.2). That TSV looks like the default form is our choice.
    fn printed(list: &List<Self>, _form: &AppForm, arguments: &Args) -> String {
        if arguments.format(FORMATS) == Format::Json {
            let object = |item: &PropertyItem| {
                json!({
                    "name": item.name,
                    "type": item.kind.as_deref().unwrap_or("unknown"),
                    "count": item.count.unwrap_or_default(),
                })
            };
            return javascript::pretty_json(&Value::Array(list.items.iter().map(object).collect()));
        }
        let counts = on(arguments, "counts");
        let line = |item: &PropertyItem| match item.count.filter(|_| counts) {
            Some(count) => format!("{}\t{count}", item.name),
            None => item.name.clone(),
        };
        lines(list, line)
    }

    /// Types only in JSON, counts only there or with `counts`.
    fn shown(self, arguments: &Args) -> Self {
        let is_json = arguments.format(FORMATS) == Format::Json;
        let has_counts = is_json || on(arguments, "counts");
        Self {
            kind: is_json.then(|| self.kind.unwrap_or_else(|| "unknown".to_owned())),
            count: has_counts.then(|| self.count.unwrap_or_default()),
            ..self
        }
    }
}

impl Printed for PropertyCount {
    fn printed(&self, _form: &AppForm, _arguments: &Args) -> String {
        self.count.to_string()
    }

    /// The name is the requested name.
    fn printed_form(self, arguments: &Args) -> Answer {
        let name = name_argument(arguments).unwrap_or(self.name);
        Answer::from(PropertyCount { name, ..self })
    }
}

impl Printed for NoteProperties {
    /// YAML, the native JSON object, or keys and texts.
    fn printed(&self, _form: &AppForm, arguments: &Args) -> String {
        if self.properties.is_empty() {
            return NO_FRONTMATTER.to_owned();
        }
        match arguments.format(FORMATS) {
            Format::Json => javascript::pretty_json(&Value::Object(self.properties.clone())),
            Format::Tsv => {
                let rows = cells(&self.properties);
                table::delimited(rows.map(|(key, text)| [key.into(), text.into()]), '\t')
            }
            _ => to_yaml(&self.properties),
        }
    }

    /// Texts only, if the form is TSV; numbers as JavaScript has them.
    fn printed_form(self, arguments: &Args) -> Answer {
        let properties = if arguments.format(FORMATS) == Format::Tsv {
            cells(&self.properties)
                .map(|(key, text)| (key.clone(), Value::from(text)))
                .collect()
        } else {
            javascript::normal_map(self.properties)
        };
        Answer::from(NoteProperties { properties })
    }
}

impl Printed for PropertyValue {
    fn printed(&self, _form: &AppForm, _arguments: &Args) -> String {
        render_value(self)
    }

    /// A text of several lines becomes one value a line; the name is the requested name.
    fn printed_form(self, arguments: &Args) -> Answer {
        let values = match render_value(&self) {
            text if text == EMPTY => Vec::new(),
            text => value_lines(&text),
        };
        let name = name_argument(arguments).unwrap_or(self.name);
        Answer::from(PropertyValue { name, values })
    }
}
