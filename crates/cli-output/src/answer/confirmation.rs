//! The confirmation of a command.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::IgnoredAny;

use crate::arguments::Arguments;

/// Declares [`Confirmation`]: a row for each sentence that is fixed words and one name. Sentences of other forms are in
/// the rest of the enum.
macro_rules! confirmations {
    (
        named { $($(#[$named_doc:meta])* $named:ident { $(#[$name_doc:meta])* $name:ident } = $words:literal,)+ }
        $(#[$doc:meta])*
        pub enum Confirmation { $($other:tt)+ }
    ) => {
        $(#[$doc])*
        pub enum Confirmation {
            $($(#[$named_doc])* $named { $(#[$name_doc])* $name: String },)+
            $($other)+
        }

        impl Confirmation {
            /// The fixed words of a sentence and the name after them; `None` for sentences of other forms.
            pub(crate) fn words(&self) -> Option<(&'static str, &str)> {
                match self {
                    $(Self::$named { $name } => Some(($words, $name)),)+
                    _ => None,
                }
            }

            /// The name in a sentence that [`Self::words`] describes.
            pub(crate) fn name_mut(&mut self) -> Option<&mut String> {
                match self {
                    $(Self::$named { $name } => Some($name),)+
                    _ => None,
                }
            }

            /// Parses a sentence that [`Self::words`] describes. The first row that fits counts.
            pub(crate) fn from_words(line: &str) -> Option<Self> {
                $(if let Some($name) = line.strip_prefix($words).filter(|name| !name.is_empty()) {
                    return Some(Self::$named { $name: $name.to_owned() });
                })+
                None
            }
        }
    };
}

confirmations! {
    named {
        /// `Created: a.md`; the path can differ from the one asked for (`a 1.md`).
        Created { /** The new file. */ path } = "Created: ",
        /// `Overwrote: a.md`
        Overwrote { /** The file whose old content is gone. */ path } = "Overwrote: ",
        /// `Appended to: a.md`
        Appended { /** The file. */ path } = "Appended to: ",
        /// `Prepended to: a.md`
        Prepended { /** The file. */ path } = "Prepended to: ",
        /// `Moved to trash: a.md`
        Trashed { /** The file that was. */ path } = "Moved to trash: ",
        /// `Deleted permanently: a.md`
        Deleted { /** The file that was. */ path } = "Deleted permanently: ",
        /// `Already there: a.md`: the destination of a move or a rename is the path of the file.
        AlreadyThere { /** The file, which did not change. */ path } = "Already there: ",
        /// `Removed: status`, also where the property was not there.
        PropertyRemoved { /** The property. */ property } = "Removed: ",
        /// `Opened: a.md`
        Opened { /** The file. */ path } = "Opened: ",
        /// `Opened: https://…`
        OpenedUrl { /** The address. */ url } = "Opened: ",
        /// `Opened search: q`
        OpenedSearch { /** The query. */ query } = "Opened search: ",
        /// `Opened view: graph`
        OpenedView { /** The kind of the view. */ view } = "Opened view: ",
        /// `Executed app:open-help`
        Executed { /** The command's id. */ id } = "Executed ",
        /// `Saved workspace: Main`
        WorkspaceSaved { /** Its name. */ workspace } = "Saved workspace: ",
        /// `Loaded workspace: Main`
        WorkspaceLoaded { /** Its name. */ workspace } = "Loaded workspace: ",
        /// `Deleted workspace: Main`
        WorkspaceDeleted { /** Its name. */ workspace } = "Deleted workspace: ",
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
