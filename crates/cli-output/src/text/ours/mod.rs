//! The texts of the gateway's own answers: one line an item for people, one line of JSON for
//! programs.

mod links;
mod notes;
mod structure;
mod vault;

use crate::answer::Ours;
use crate::arguments::Arguments;
use crate::shown;
use crate::text::form::{self, Format};

/// What is printed; nothing for an empty list.
pub(crate) fn render(answer: &Ours, arguments: &Arguments) -> String {
    if form::format(arguments, &[Format::Text, Format::Json]) == Format::Json {
        // Only maps with keys that are no texts make it fail, and there are none.
        return serde_json::to_string(answer).unwrap_or_default();
    }
    match answer {
        Ours::Outline(outline) => structure::outline(outline),
        Ours::Tree(tree) => structure::tree(tree),
        Ours::Facets(facets) => structure::facets(facets),
        Ours::Sections(note) => structure::sections(note),
        Ours::Parts(parts) => parts.text.clone(),
        Ours::Notes(list) => notes::list(list),
        Ours::Description(note) => links::description(note),
        Ours::Found(found) => links::found(found),
        Ours::Related(list) => links::related(list),
        Ours::Broken(list) => links::broken(list),
        Ours::Large(list) => vault::large(list),
        Ours::Exported(list) => vault::exported(list),
        Ours::Stats(stats) => vault::stats(stats),
        Ours::Audit(report) => vault::audit(report),
    }
}

/// A text on one line, whatever it holds ([`shown::row`]).
fn one_line(text: &str) -> String {
    shown::row(text).into_owned()
}

/// Rows of cells apart by tabs, each on one line.
fn rows<const CELLS: usize>(rows: impl IntoIterator<Item = [String; CELLS]>) -> String {
    rows.into_iter()
        .map(|row| {
            row.map(|cell| one_line(&cell))
                .join("\t")
                .trim_end()
                .to_owned()
        })
        .collect::<Vec<_>>()
        .join("\n")
}
