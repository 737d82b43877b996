//! Finds the sources of text from outside among the notes of the vault (`design/labels.md`).

use serde_json::json;
use vault_answers::{List, PropertyItem};
use vault_engine::Args;

use super::SOURCES;
use backend::{PinnedVault, embedded};

/// The folder into which the app's web clipper saves unless its user chooses another (`vault-semantics.md` §6.6).
pub(super) const FOLDER: &str = "Clippings";
/// The property in which it stores the address of a page, unless its user changes the template.
const PROPERTY: &str = "source";

/// Returns the keys to set, with their values. The folder is marked even if it does not exist yet: the first clipping
/// may come later. The web clipper keeps its templates in the browser, so another folder cannot be found.
pub(super) fn found(vault: &PinnedVault) -> Vec<(String, String)> {
    let properties = embedded::ask(vault, "properties", &Args::default());
    let properties: Option<List<PropertyItem>> =
        properties.ok().and_then(|answer| answer.downcast().ok());
    let has_property =
        properties.is_some_and(|listed| listed.items.iter().any(|item| item.name == PROPERTY));
    let values = [
        Some(json!([format!("{FOLDER}/**")])),
        has_property.then(|| json!([PROPERTY])),
    ];
    SOURCES
        .into_iter()
        .zip(values)
        .filter_map(|(key, value)| Some((key.to_owned(), value?.to_string())))
        .collect()
}
