//! The sentence that says what was done.

use obsidian_note::plural::count;
use vault_answers::{Answer, Confirmation, Total, WrittenType};
use vault_files::Args;

use crate::app_form::{AnswerType, AppForm, Printed};
use crate::text::body::Body;
use crate::text::error::{Fault, Reason};
use crate::text::total::NO_NOTES;

pub(crate) static CONFIRMATION: AppForm = AppForm::new::<Confirmation>("confirmation", parse)
    .or(&[AnswerType::of::<Total>()])
    .zero(NO_NOTES);

/// Declares the sentences that are fixed words and one name.
macro_rules! sentences {
    ($($named:ident { $name:ident } = $words:literal,)+) => {
        /// The fixed words of a sentence and the name after them; `None` for sentences of other forms.
        fn words(confirmation: &Confirmation) -> Option<(&'static str, &str)> {
            match confirmation {
                $(Confirmation::$named { $name } => Some(($words, $name)),)+
                _ => None,
            }
        }

        /// Parses a sentence that [`words`] describes. The first row that fits counts.
        fn from_words(line: &str) -> Option<Confirmation> {
            $(if let Some($name) = line.strip_prefix($words).filter(|name| !name.is_empty()) {
                return Some(Confirmation::$named { $name: $name.to_owned() });
            })+
            None
        }
    };
}

sentences! {
    Created { path } = "Created: ",
    Overwrote { path } = "Overwrote: ",
    Appended { path } = "Appended to: ",
    Prepended { path } = "Prepended to: ",
    Trashed { path } = "Moved to trash: ",
    Deleted { path } = "Deleted permanently: ",
    AlreadyThere { path } = "Already there: ",
    PropertyRemoved { property } = "Removed: ",
    Opened { path } = "Opened: ",
    OpenedUrl { url } = "Opened: ",
    OpenedSearch { query } = "Opened search: ",
    OpenedView { view } = "Opened view: ",
    Executed { id } = "Executed ",
    WorkspaceSaved { workspace } = "Saved workspace: ",
    WorkspaceLoaded { workspace } = "Loaded workspace: ",
    WorkspaceDeleted { workspace } = "Deleted workspace: ",
}

/// Reads the sentence. Anything else is a fault: the command has not confirmed (`official-cli.md` §9, point 7). Only
/// the value of `Set` may have several lines.
///
/// The arguments help if a sentence can be read in two ways: `path` with ` -> ` in it, `name` with `: ` in it, and
/// whether what was opened is a file or an address.
fn parse(body: Body<'_>, arguments: &Args) -> Result<Answer, Fault> {
    if let Some(rest) = body.text.strip_prefix("Set ") {
        return property_set(rest, arguments)
            .map(Answer::from)
            .ok_or_else(|| body.fault(Reason::Pattern("Set name: value")));
    }
    let line = body.only_line()?;
    if line == NO_NOTES {
        return Ok(Answer::from(Total { total: 0 }));
    }
    done(line, arguments)
        .map(Answer::from)
        .ok_or_else(|| body.fault(Reason::Pattern("a confirmation")))
}

fn property_set(rest: &str, arguments: &Args) -> Option<Confirmation> {
    let known = arguments.param("name").and_then(|name| {
        let value = rest.strip_prefix(name)?.strip_prefix(':')?;
        Some((name, value))
    });
    let (property, value) = known.or_else(|| rest.split_once(':'))?;
    let value = value.strip_prefix(' ').unwrap_or(value);
    Some(Confirmation::PropertySet {
        property: property.to_owned(),
        kind: WrittenType::for_value(
            arguments.param("value").unwrap_or(value),
            arguments.param("type"),
            arguments.flag("empty"),
        ),
        value: value.to_owned(),
        notes: None,
    })
}

fn done(line: &str, arguments: &Args) -> Option<Confirmation> {
    match from_words(line) {
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
fn split_arrow(paths: &str, arguments: &Args) -> Option<(String, String)> {
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

impl Printed for Confirmation {
    /// The app's sentence for this change.
    fn printed(&self, _form: &AppForm, _arguments: &Args) -> String {
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
                let (words, name) = words(self).unwrap_or_default();
                format!("{words}{name}")
            }
        }
    }
}
