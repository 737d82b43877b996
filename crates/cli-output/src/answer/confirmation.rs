//! The confirmation of a command.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::IgnoredAny;

use crate::arguments::Arguments;

/// The completed change. `path` is the path that the app printed: for `base:create` a bare file name (`official-cli.md`
/// §5.3).
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
    /// `Already there: a.md`: the destination of a move or a rename is the path of the file.
    AlreadyThere {
        /// The file, which did not change.
        path: String,
    },
    /// `Set status: draft`
    PropertySet {
        /// The property.
        property: String,
        /// Its value, as it was given.
        value: String,
        /// The type that the value has in the note.
        #[serde(rename = "type")]
        kind: WrittenType,
        /// Number of changed notes, if several were named; the app sets the property in one note.
        #[serde(skip_serializing_if = "Option::is_none")]
        notes: Option<usize>,
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
        /// The kind of the view.
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

/// The type of a value that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WrittenType {
    /// A text.
    Text,
    /// A list.
    List,
    /// A number.
    Number,
    /// `true` or `false`.
    Checkbox,
    /// A day.
    Date,
    /// A day and a time.
    Datetime,
    /// No value.
    Empty,
}

impl WrittenType {
    /// The type that `property:set` gives to `value` (`vault-semantics.md` §3.3). The app does not print
    /// it, so it follows from the arguments.
    pub fn for_value(value: &str, arguments: &dyn Arguments) -> Self {
        let is_list = value.starts_with('[')
            && value.ends_with(']')
            && serde_json::from_str::<Vec<IgnoredAny>>(value).is_ok();
        match arguments.param("type") {
            _ if arguments.flag("empty") => Self::Empty,
            _ if is_list => Self::List,
            Some("list") => Self::List,
            Some("number") => Self::Number,
            Some("checkbox") => Self::Checkbox,
            Some("date") => Self::Date,
            Some("datetime") => Self::Datetime,
            Some(_) | None => Self::Text,
        }
    }
}
