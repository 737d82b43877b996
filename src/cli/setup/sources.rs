//! Finds the sources of text from outside among the notes of the vault (`design/labels.md`).

use jiff::Zoned;
use serde_json::json;
use vault_answers::{List, PropertyItem};
use vault_engine::{Args, IndexedVault, VaultPath};

use super::SOURCES;
use backend::{PinnedVault, embedded};

/// The folder of the app's web clipper.
pub(super) const FOLDER: &str = "Clippings";
/// The property in which it stores the address of a page.
const PROPERTY: &str = "source";

/// Returns the keys to set, with their values; empty if the vault has no such notes.
pub(super) fn found(vault: &PinnedVault, now: &Zoned) -> Vec<(String, String)> {
    let folder = VaultPath::folder(FOLDER).ok();
    let contents = folder.and_then(|folder| IndexedVault(&vault.engine).names_below(&folder).ok());
    let has_folder = contents.is_some_and(|contents| !contents.files.is_empty());
    let properties = embedded::ask(vault, "properties", &Args::default(), now);
    let properties: Option<List<PropertyItem>> =
        properties.ok().and_then(|answer| answer.downcast().ok());
    let has_property =
        properties.is_some_and(|listed| listed.items.iter().any(|item| item.name == PROPERTY));
    let values = [
        has_folder.then(|| json!([format!("{FOLDER}/**")])),
        has_property.then(|| json!([PROPERTY])),
    ];
    SOURCES
        .into_iter()
        .zip(values)
        .filter_map(|(key, value)| Some((key.to_owned(), value?.to_string())))
        .collect()
}
