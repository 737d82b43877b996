//! `bookmarks` (`vault-semantics.md` §1.1).

use obsidian_note::VaultPath;
use serde::Deserialize;
use serde_json::Value;
use vault_answers::RawText;
use vault_files::{Call, ConfigFile, EngineError, Vault};

use super::reply::{Reply, table};

/// The top level of `bookmarks.json`.
#[derive(Default, Deserialize)]
struct Bookmarks {
    #[serde(default)]
    items: Vec<Value>,
}

/// A bookmark or a group. Its keys depend on its type.
#[derive(Deserialize)]
struct Item {
    #[serde(rename = "type")]
    kind: String,
    title: Option<String>,
    path: Option<String>,
    subpath: Option<String>,
    query: Option<String>,
    url: Option<String>,
    #[serde(default)]
    items: Vec<Value>,
}

impl Item {
    /// Returns the target: a file with its heading or block, a folder, a query, or an address.
    fn target(&self) -> String {
        let place = self.path.as_ref().map(|path| {
            let subpath = self.subpath.as_deref().unwrap_or_default();
            format!("{path}{subpath}")
        });
        place
            .or_else(|| self.query.clone())
            .or_else(|| self.url.clone())
            .unwrap_or_default()
    }

    /// Whether the caller may see the target. Bookmarks of closed files are left out.
    fn is_seen(&self, vault: &Vault) -> bool {
        let Some(path) = self.path.as_deref().filter(|_| vault.sight().is_some()) else {
            return true;
        };
        if self.kind == "folder" {
            return VaultPath::folder(path).is_ok_and(|path| vault.sees_folder(&path));
        }
        VaultPath::file(path).is_ok_and(|path| vault.sees(&path))
    }

    fn title_or_target(&self) -> String {
        let title = self.title.as_ref().filter(|title| !title.is_empty());
        title.cloned().unwrap_or_else(|| self.target())
    }
}

/// Returns all bookmarks in their order, with the bookmarks of a group in its place.
///
/// The app's output is not recorded. Here it is a table without a header: the title, or else the
/// target; with `verbose` type, title and target. `total` is the number of bookmarks without the
/// groups.
pub(super) fn bookmarks(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let mut file: ConfigFile<Bookmarks> = ConfigFile::read(vault, "bookmarks.json")?;
    let mut found = Vec::new();
    let mut strange = 0;
    flatten(
        std::mem::take(&mut file.value.items),
        &mut found,
        &mut strange,
    );
    found.retain(|item| item.is_seen(vault));
    if strange > 0 {
        file.ignore(format!("entries that are not bookmarks: {strange}"));
    }
    let text = if arguments.flag("total") {
        found.len().to_string()
    } else if arguments.flag("verbose") {
        let row = |item: &Item| vec![item.kind.clone(), item.title_or_target(), item.target()];
        let rows = found.iter().map(row).collect();
        table(&["type", "title", "target"], rows, arguments)
    } else {
        let rows = found
            .iter()
            .map(|item| vec![item.title_or_target()])
            .collect();
        table(&["title"], rows, arguments)
    };
    Ok(Reply::new(RawText::new(text), file.warnings))
}

/// The recursion is bounded by the depth that the JSON parser accepts.
fn flatten(items: Vec<Value>, found: &mut Vec<Item>, strange: &mut usize) {
    for item in items {
        match serde_json::from_value::<Item>(item) {
            Ok(item) if item.kind == "group" => flatten(item.items, found, strange),
            Ok(item) => found.push(item),
            Err(_) => *strange += 1,
        }
    }
}
