//! Proposes the sources of text from outside, based on the notes of the vault (`design/labels.md`).

use cli_output::{Answer, List, PropertyItem};
use jiff::Zoned;
use serde_json::json;
use vault_engine::{Args, IndexedVault, VaultPath};

use super::SOURCES;
use super::choices::Questions;
use backend::{PinnedVault, embedded};
use protocol::failure::Failure;

/// The folder of the app's web clipper.
const FOLDER: &str = "Clippings";
/// The property in which it stores the address of a page.
const PROPERTY: &str = "source";

/// Returns the keys to set, with their values; empty if the vault has no such notes, or the person declines.
pub(super) fn propose(
    questions: &Questions<'_>,
    vault: &PinnedVault,
    now: &Zoned,
) -> Result<Vec<(String, String)>, Failure> {
    let folder = VaultPath::folder(FOLDER).ok();
    let contents = folder.and_then(|folder| IndexedVault(&vault.engine).names_below(&folder).ok());
    let has_folder = contents.is_some_and(|contents| !contents.files.is_empty());
    let properties = embedded::ask(vault, "properties", &Args::default(), now);
    let properties: Option<List<PropertyItem>> = properties.ok().and_then(Answer::downcast);
    let has_property =
        properties.is_some_and(|listed| listed.items.iter().any(|item| item.name == PROPERTY));
    let values = [
        has_folder.then(|| json!([format!("{FOLDER}/**")])),
        has_property.then(|| json!([PROPERTY])),
    ];
    let found: Vec<(String, String)> = SOURCES
        .into_iter()
        .zip(values)
        .filter_map(|(key, value)| Some((key.to_owned(), value?.to_string())))
        .collect();
    let question = "\nThe vault has clippings from the web, which may tell an agent what to do. Restrict agents that have read one? [Y/n] ";
    if found.is_empty() || !questions.yes_or_no(question, true)? {
        return Ok(Vec::new());
    }
    Ok(found)
}
