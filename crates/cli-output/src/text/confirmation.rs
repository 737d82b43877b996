//! The sentence that says what was done.

use obsidian_note::plural::count;

use crate::answer::{Answer, AnswerData, Confirmation, NameVisitor, Total, WrittenType};
use crate::app_form::{AppForm, schema_of};
use crate::arguments::Arguments;
use crate::text::body::Body;
use crate::text::error::{Fault, Reason};
use crate::text::total::NO_NOTES;

pub(crate) static CONFIRMATION: AppForm = AppForm::new::<Confirmation>("confirmation", parse)
    .or(&[schema_of::<Total>])
    .zero(NO_NOTES);

/// Reads the sentence. Anything else is a fault: the command has not confirmed (`official-cli.md` §9, point 7). Only
/// the value of `Set` may have several lines.
///
/// The arguments help if a sentence can be read in two ways: `path` with ` -> ` in it, `name` with `: ` in it, and
/// whether what was opened is a file or an address.
fn parse(body: Body<'_>, arguments: &dyn Arguments) -> Result<Answer, Fault> {
    if let Some(rest) = body.text.strip_prefix("Set ") {
        return property_set(rest, arguments)
            .map(Answer::from)
            .ok_or_else(|| {
                body.fault(Reason::Pattern {
                    pattern: "Set name: value",
                })
            });
    }
    let line = body.only_line()?;
    if line == NO_NOTES {
        return Ok(Answer::from(Total { total: 0 }));
    }
    done(line, arguments).map(Answer::from).ok_or_else(|| {
        body.fault(Reason::Pattern {
            pattern: "a confirmation",
        })
    })
}

fn property_set(rest: &str, arguments: &dyn Arguments) -> Option<Confirmation> {
    let known = arguments.param("name").and_then(|name| {
        let value = rest.strip_prefix(name)?.strip_prefix(':')?;
        Some((name, value))
    });
    let (property, value) = known.or_else(|| rest.split_once(':'))?;
    let value = value.strip_prefix(' ').unwrap_or(value);
    Some(Confirmation::PropertySet {
        property: property.to_owned(),
        kind: WrittenType::for_value(arguments.param("value").unwrap_or(value), arguments),
        value: value.to_owned(),
        notes: None,
    })
}

fn done(line: &str, arguments: &dyn Arguments) -> Option<Confirmation> {
    match Confirmation::from_words(line) {
        Some(Confirmation::Opened { path: url }) if arguments.param("url").is_some() => {
            return Some(Confirmation::OpenedUrl { url });
        }
        Some(done) => return Some(done),
        None => {}
    }
    let moved = line.strip_prefix("Moved: ");
    if let Some(paths) = moved.or_else(|| line.strip_prefix("Renamed: ")) {
        let (path, destination) = split_arrow(paths, arguments)?;
        return Some(if path == destination {
            Confirmation::AlreadyThere { path }
        } else if moved.is_some() {
            Confirmation::Moved { path, destination }
        } else {
            Confirmation::Renamed { path, destination }
        });
    }
    match line.trim_end() {
        "Opened search:" => Some(Confirmation::OpenedSearch {
            query: String::new(),
        }),
        "Opened new tab" => Some(Confirmation::OpenedTab),
        "Reloading..." => Some(Confirmation::Reloading),
        _ => None,
    }
}

/// Two paths with an arrow between. `Moved` has no live transcript, so both arrows are taken
/// (`official-cli.md` §5.1).
fn split_arrow(paths: &str, arguments: &dyn Arguments) -> Option<(String, String)> {
    const ARROWS: [&str; 2] = [" -> ", " → "];
    let known = arguments.param("path").and_then(|path| {
        let rest = paths.strip_prefix(path)?;
        let destination = ARROWS.iter().find_map(|arrow| rest.strip_prefix(arrow))?;
        Some((path, destination))
    });
    let first = || {
        let (at, arrow) = ARROWS
            .iter()
            .filter_map(|arrow| paths.find(arrow).map(|at| (at, *arrow)))
            .min()?;
        Some((paths.get(..at)?, paths.get(at + arrow.len()..)?))
    };
    let (path, destination) = known.or_else(first)?;
    if path.is_empty() || destination.is_empty() {
        return None;
    }
    Some((path.to_owned(), destination.to_owned()))
}

impl AnswerData for Confirmation {
    fn each_name(&mut self, visit: NameVisitor<'_>) {
        match self {
            Confirmation::PropertySet { property, .. } => visit(property),
            Confirmation::Moved { path, destination }
            | Confirmation::Renamed { path, destination } => {
                visit(path);
                visit(destination);
            }
            _ => {
                if let Some(name) = self.name_mut() {
                    visit(name);
                }
            }
        }
    }

    /// The app's sentence for this change.
    fn printed(&self, _form: &AppForm, _arguments: &dyn Arguments) -> String {
        match self {
            Confirmation::Moved { path, destination } => format!("Moved: {path} -> {destination}"),
            Confirmation::Renamed { path, destination } => {
                format!("Renamed: {path} -> {destination}")
            }
            Confirmation::PropertySet {
                property,
                value,
                notes,
                ..
            } => {
                let notes = notes.map(|notes| format!("\n{} changed", count(notes, "note")));
                format!("Set {property}: {value}{}", notes.unwrap_or_default())
            }
            Confirmation::OpenedTab => "Opened new tab".to_owned(),
            Confirmation::Reloading => "Reloading...".to_owned(),
            _ => {
                let (words, name) = self.words().unwrap_or_default();
                format!("{words}{name}")
            }
        }
    }
}
