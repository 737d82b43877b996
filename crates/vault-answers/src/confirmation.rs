//! The confirmation of a command.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::IgnoredAny;

use crate::answer::{AnswerData, NameVisitor};

/// Declares [`Confirmation`]: a row for each change with one name. The others are in the rest of the enum.
macro_rules! confirmations {
    (
        named { $($(#[$named_doc:meta])* $named:ident { $(#[$name_doc:meta])* $name:ident },)+ }
        $(#[$doc:meta])*
        pub enum Confirmation { $($other:tt)+ }
    ) => {
        $(#[$doc])*
        pub enum Confirmation {
            $($(#[$named_doc])* $named { $(#[$name_doc])* $name: String },)+
            $($other)+
        }

        impl AnswerData for Confirmation {
            fn each_name(&mut self, visit: NameVisitor<'_>) {
                match self {
                    $(Self::$named { $name } => visit($name),)+
                    Self::PropertySet { property, .. } => visit(property),
                    Self::Moved { path, destination } | Self::Renamed { path, destination } => {
                        visit(path);
                        visit(destination);
                    }
                    Self::OpenedTab | Self::Reloading => {}
                }
            }
        }
    };
}

confirmations! {
    named {
        /// `Created: a.md`; the path can differ from the one asked for (`a 1.md`).
        Created { /** The new file. */ path },
        /// `Overwrote: a.md`
        Overwrote { /** The file whose old content is gone. */ path },
        /// `Appended to: a.md`
        Appended { /** The file. */ path },
        /// `Prepended to: a.md`
        Prepended { /** The file. */ path },
        /// `Moved to trash: a.md`
        Trashed { /** The file that was. */ path },
        /// `Deleted permanently: a.md`
        Deleted { /** The file that was. */ path },
        /// `Already there: a.md`: the destination of a move or a rename is the path of the file.
        AlreadyThere { /** The file, which did not change. */ path },
        /// `Removed: status`, also where the property was not there.
        PropertyRemoved { /** The property. */ property },
        /// `Opened: a.md`
        Opened { /** The file. */ path },
        /// `Opened: https://…`
        OpenedUrl { /** The address. */ url },
        /// `Opened search: q`
        OpenedSearch { /** The query. */ query },
        /// `Opened view: graph`
        OpenedView { /** The kind of the view. */ view },
        /// `Executed app:open-help`
        Executed { /** The command's id. */ id },
        /// `Saved workspace: Main`
        WorkspaceSaved { /** Its name. */ workspace },
        /// `Loaded workspace: Main`
        WorkspaceLoaded { /** Its name. */ workspace },
        /// `Deleted workspace: Main`
        WorkspaceDeleted { /** Its name. */ workspace },
    }

    /// The completed change. `path` is the path that the app printed: for `base:create` a bare file name (`official-cli.md`
    /// §5.3).
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(tag = "action", rename_all = "camelCase")]
    pub enum Confirmation {
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
            /// The type that the value has in the note.
            #[serde(rename = "type")]
            kind: WrittenType,
            /// Number of changed notes, if several were named; the app sets the property in one note.
            #[serde(skip_serializing_if = "Option::is_none")]
            notes: Option<usize>,
        },
        /// `Opened new tab`
        OpenedTab,
        /// `Reloading...`
        Reloading,
    }
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
    /// The type that `property:set` gives to `value` (`vault-semantics.md` §3.3), by the parameters `type` and `empty`
    /// of the call. The app does not print it.
    pub fn for_value(value: &str, wanted: Option<&str>, is_empty: bool) -> Self {
        let is_list = value.starts_with('[')
            && value.ends_with(']')
            && serde_json::from_str::<Vec<IgnoredAny>>(value).is_ok();
        match wanted {
            _ if is_empty => Self::Empty,
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
