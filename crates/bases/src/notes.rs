//! The information about a vault's files that a query needs.

use std::cmp::Ordering;

use jiff::Timestamp;
use serde_json::{Map, Value as Json};

/// A file of the vault, by its index in [`Notes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileNumber(pub usize);

/// A link in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteLink {
    /// The target as written, with its `#subpath`.
    pub target: String,
    /// The display text; `None` if the target is shown.
    pub display: Option<String>,
}

/// The type that the vault's settings assign to a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// No type: a text that looks like a date is one.
    Unassigned,
    /// Dates, so texts that look like dates are.
    Date,
    /// Texts, even if they look like dates.
    Text,
    /// Tags, which are equal in any case.
    Tags,
}

/// The files for a query, limited to those that the caller may see. A closed file has no number,
/// and no method here reveals it.
pub trait Notes: Sync {
    /// The path from the vault's root, with `/` between its components.
    fn path(&self, file: FileNumber) -> &str;

    /// The size of the file in bytes.
    fn size(&self, file: FileNumber) -> u64;

    /// The creation time; `None` if the system does not know it.
    fn created(&self, file: FileNumber) -> Option<Timestamp>;

    /// The time of the last change; `None` if it is unknown.
    fn modified(&self, file: FileNumber) -> Option<Timestamp>;

    /// One property, by its exact name; `None` if the file does not have it.
    fn property(&self, file: FileNumber, name: &str) -> Option<Json>;

    /// All properties, in the order of the note.
    fn properties(&self, file: FileNumber) -> Map<String, Json>;

    /// The bytes that must be read for a property of the file; they count as cost.
    fn properties_weight(&self, file: FileNumber) -> usize;

    /// Every occurrence of a tag, with or without its `#`, first in the properties.
    fn tags(&self, file: FileNumber) -> Vec<String>;

    /// The links of the properties, then the links of the text, then the embeds.
    fn links(&self, file: FileNumber) -> Vec<NoteLink>;

    /// The embeds of the file only.
    fn embeds(&self, file: FileNumber) -> Vec<NoteLink>;

    /// The files with links to this one, without duplicates.
    fn backlinks(&self, file: FileNumber) -> Vec<FileNumber>;

    /// The file that a linkpath leads to from `source`, or without a source.
    fn resolve(&self, linkpath: &str, source: Option<FileNumber>) -> Option<FileNumber>;

    /// Whether any link of `file` leads to `target`.
    fn links_to(&self, file: FileNumber, target: FileNumber) -> bool {
        let resolve =
            |link: &NoteLink| self.resolve(crate::link::linkpath(&link.target), Some(file));
        self.links(file)
            .iter()
            .any(|link| resolve(link) == Some(target))
    }

    /// The type that the vault's settings assign to a property.
    fn property_kind(&self, name: &str) -> PropertyKind;

    /// The order of two texts in the user's language, with numbers in them by value.
    fn compare_texts(&self, left: &str, right: &str) -> Ordering;
}
