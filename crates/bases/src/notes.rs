//! What a query needs to know of the files of a vault.

use std::cmp::Ordering;

use jiff::Timestamp;
use serde_json::{Map, Value as Json};

/// A file of the vault, by its number among [`Notes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileNumber(pub usize);

/// A link that stands in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteLink {
    /// Where it leads, as written, with its `#subpath`.
    pub target: String,
    /// What is shown of it.
    pub display: Option<String>,
}

/// What the vault's settings say of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// Nothing: a text that looks like a date is one.
    Unassigned,
    /// It holds dates.
    Date,
    /// It holds texts, however they look.
    Text,
    /// It holds tags.
    Tags,
}

/// The files that a query is about, as far as its asker may see them. A closed file has no number,
/// and nothing here tells of it.
pub trait Notes: Sync {
    /// The path from the vault's root, parts divided by `/`.
    fn path(&self, file: FileNumber) -> &str;

    /// Bytes.
    fn size(&self, file: FileNumber) -> u64;

    /// When it was created; none where the system does not say.
    fn created(&self, file: FileNumber) -> Option<Timestamp>;

    /// When it was last changed.
    fn modified(&self, file: FileNumber) -> Option<Timestamp>;

    /// One property.
    fn property(&self, file: FileNumber, name: &str) -> Option<Json>;

    /// All properties.
    fn properties(&self, file: FileNumber) -> Map<String, Json>;

    /// Bytes that are read to tell a property of the file.
    fn properties_weight(&self, file: FileNumber) -> usize;

    /// Every occurrence of a tag, with or without its `#`: those of the properties first.
    fn tags(&self, file: FileNumber) -> Vec<String>;

    /// Links of properties, links of the text, embeds.
    fn links(&self, file: FileNumber) -> Vec<NoteLink>;

    /// Embeds alone.
    fn embeds(&self, file: FileNumber) -> Vec<NoteLink>;

    /// The files that link here, each once.
    fn backlinks(&self, file: FileNumber) -> Vec<FileNumber>;

    /// The file that a linkpath means in `source`, or from nowhere in particular.
    fn resolve(&self, linkpath: &str, source: Option<FileNumber>) -> Option<FileNumber>;

    /// Whether some link of `file` leads to `target`.
    fn links_to(&self, file: FileNumber, target: FileNumber) -> bool {
        let resolve =
            |link: &NoteLink| self.resolve(crate::link::linkpath(&link.target), Some(file));
        self.links(file)
            .iter()
            .any(|link| resolve(link) == Some(target))
    }

    /// What the vault's settings say of a property.
    fn property_kind(&self, name: &str) -> PropertyKind;

    /// The order of two texts in the user's language, numbers in them by size.
    fn compare_texts(&self, left: &str, right: &str) -> Ordering;
}
