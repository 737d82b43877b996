//! The change of one file, in plans and envelopes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use vault_engine::VaultPath;

/// The kind of change of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Happening {
    /// A folder is made.
    FolderMade,
    /// It is made.
    Created,
    /// It gets other content.
    Modified,
    /// Its time or its permissions changed while the app ran, its size did not. Whether its content
    /// is another one is not known, because the file was not to be changed.
    Touched,
    /// It goes to another place, with other content or the same.
    Moved,
    /// It goes to the trash: the vault's own, where it is looked for, or the system's where the app
    /// does it. That it is in the system's is the app's word; the vault's folder shows that it is gone.
    Trashed,
    /// It is removed for good.
    Removed,
    /// A folder is removed.
    FolderRemoved,
    /// Only the app knows: the command cannot be worked out from the folder. In plans alone; once it
    /// was run, the folder shows what happened.
    Unknown,
}

impl Happening {
    /// Returns the verb of a plan for people.
    pub const fn verb(self) -> &'static str {
        match self {
            Self::FolderMade => "make folder",
            Self::Created => "create",
            Self::Modified => "change",
            Self::Touched => "touch",
            Self::Moved => "move",
            Self::Trashed => "trash",
            Self::Removed => "delete permanently",
            Self::FolderRemoved => "remove folder",
            Self::Unknown => "change as the app sees fit",
        }
    }
}

/// The change of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// The path afterwards, or the old path of a removed file.
    pub path: String,
    /// The kind of change.
    pub change: Happening,
    /// The old path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// SHA-256 before, 64 lower-case hexadecimal digits. In an answer only where it is the request's
    /// `ifHash`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_sha256: Option<String>,
    /// SHA-256 afterwards. In an answer only where the caller can work it out: with `ifHash`, or where
    /// it sent the whole text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The change as a unified diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// Reads the changes from the plan of a request for approval.
pub fn planned_changes(plan: &Map<String, Value>) -> Option<Vec<FileChange>> {
    Vec::deserialize(plan.get("files")?).ok()
}

/// Returns one line for people about what happens to a file, without misleading characters.
pub fn change_line(change: Happening, from: Option<&str>, path: &str) -> String {
    let from = from.map(|from| format!("{} -> ", vault_engine::shown::row(from)));
    let path = vault_engine::shown::row(path);
    format!("{}  {}{path}", change.verb(), from.unwrap_or_default())
}

impl FileChange {
    /// The change of the file at `path`, with its hashes before and after, and without a diff.
    pub fn new(
        path: &VaultPath,
        change: Happening,
        before_sha256: Option<String>,
        sha256: Option<String>,
    ) -> Self {
        Self {
            path: path.to_string(),
            change,
            from: None,
            before_sha256,
            sha256,
            diff: None,
        }
    }

    /// Returns the change in one line for people.
    pub fn line(&self) -> String {
        change_line(self.change, self.from.as_deref(), &self.path)
    }

    /// Whether the file differs afterwards. A write of the same bytes does not change it.
    pub fn changes_something(&self) -> bool {
        self.change != Happening::Modified || self.before_sha256 != self.sha256
    }
}
