//! What a command says it has done.

use schemars::JsonSchema;
use serde::Serialize;

/// What was done. `path` is what the app printed: for `base:create` a bare file name
/// (`official-cli.md` §5.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "action", rename_all = "camelCase")]
pub enum Confirmation {
    /// `Created: a.md`; the path can differ from the one asked for (`a 1.md`).
    Created {
        /// The new file.
        path: String,
    },
    /// `Overwrote: a.md`
    Overwrote {
        /// The file whose old content is gone.
        path: String,
    },
    /// `Appended to: a.md`
    Appended {
        /// The file.
        path: String,
    },
    /// `Prepended to: a.md`
    Prepended {
        /// The file.
        path: String,
    },
    /// `Moved to trash: a.md`
    Trashed {
        /// The file that was.
        path: String,
    },
    /// `Deleted permanently: a.md`
    Deleted {
        /// The file that was.
        path: String,
    },
    /// `Moved: a.md -> b/a.md`
    Moved {
        /// The old path.
        path: String,
        /// The new path.
        destination: String,
    },
    /// `Renamed: a.md -> b.md`
    Renamed {
        /// The old path.
        path: String,
        /// The new path.
        destination: String,
    },
    /// `Set status: draft`
    PropertySet {
        /// The property.
        property: String,
        /// Its value, as it was given.
        value: String,
    },
    /// `Removed: status`, also where the property was not there.
    PropertyRemoved {
        /// The property.
        property: String,
    },
    /// `Opened: a.md`
    Opened {
        /// The file.
        path: String,
    },
    /// `Opened: https://…`
    OpenedUrl {
        /// The address.
        url: String,
    },
    /// `Opened search: q`
    OpenedSearch {
        /// The query.
        query: String,
    },
    /// `Opened new tab`
    OpenedTab,
    /// `Opened view: graph`
    OpenedView {
        /// What kind of view.
        view: String,
    },
    /// `Executed app:open-help`
    Executed {
        /// The command's id.
        id: String,
    },
    /// `Saved workspace: Main`
    WorkspaceSaved {
        /// Its name.
        workspace: String,
    },
    /// `Loaded workspace: Main`
    WorkspaceLoaded {
        /// Its name.
        workspace: String,
    },
    /// `Deleted workspace: Main`
    WorkspaceDeleted {
        /// Its name.
        workspace: String,
    },
    /// `Reloading...`
    Reloading,
}
