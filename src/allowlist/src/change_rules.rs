//! The rules for a command that changes something: the key `change` of its entry.
//!
//! A rule that would otherwise be a match on command ids is a word of the catalogue here. So a new
//! write command needs only its entry, and the code asks [`Command`](super::Command).

use protocol::words;
use serde::Deserialize;
use vault_answers::Confirmation;

/// The rules of a command that changes something.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeRules {
    /// The way to verify a change that the official program makes.
    pub verify: Verification,
    /// The sentences with which the app confirms the change. Set if and only if the command prints
    /// a confirmation.
    #[serde(default)]
    pub confirms: Vec<Sentence>,
    /// The place of the file that the command creates or moves; `None` if it does neither.
    pub places: Option<Placement>,
    /// Whether links in other files are rewritten although no file gets another path.
    #[serde(default, rename = "links")]
    pub rewrites_links: bool,
    /// The way to continue a `content` that exceeds one message; `None` if it cannot be sent in
    /// parts.
    pub continues: Option<Continuation>,
}

/// The way to verify that the official program made the requested change (`threats.toml` G12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verification {
    /// The engine plans the change, and the files are as planned.
    PlannedFiles,
    /// Like [`Self::PlannedFiles`], but the app may reformat the properties (`official-cli.md`
    /// §5.2).
    PlannedProperties,
    /// A new file exists, whose name the app chose.
    NewFile,
    /// The note contains the text that `history:read` prints for the version.
    KeptVersion,
    /// Today's daily note exists.
    DailyNote,
    /// The note that is active in the app has more text.
    ActiveFile,
    /// The published site lists the note.
    Published,
    /// The published site no longer lists the note.
    Unpublished,
}

/// A sentence with which the app confirms a change (`official-cli.md` §5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sentence {
    /// Any sentence confirms the change, because none was recorded for the command.
    Any,
    /// `Created: …`, with the path of a new file.
    Created,
    /// `Overwrote: …`, with the path of a replaced file.
    Overwrote,
    /// `Appended to: …`, with the path of the note.
    Appended,
    /// `Prepended to: …`, with the path of the note.
    Prepended,
    /// The sentence `Moved to trash: …`
    Trashed,
    /// `Deleted permanently: …`, with the path of the file.
    Deleted,
    /// The sentence `Moved: … -> …`
    Moved,
    /// The sentence `Renamed: … -> …`
    Renamed,
    /// `Set …: …`, with the name and the new value of a property.
    PropertySet,
    /// `Removed property: …`, with its name.
    PropertyRemoved,
}

impl Sentence {
    /// Whether this confirmation has the form of this sentence.
    pub const fn is_said_by(self, confirmation: &Confirmation) -> bool {
        match self {
            Self::Any => true,
            Self::Created => matches!(confirmation, Confirmation::Created { .. }),
            Self::Overwrote => matches!(confirmation, Confirmation::Overwrote { .. }),
            Self::Appended => matches!(confirmation, Confirmation::Appended { .. }),
            Self::Prepended => matches!(confirmation, Confirmation::Prepended { .. }),
            Self::Trashed => matches!(confirmation, Confirmation::Trashed { .. }),
            Self::Deleted => matches!(confirmation, Confirmation::Deleted { .. }),
            Self::Moved => matches!(
                confirmation,
                Confirmation::Moved { .. } | Confirmation::AlreadyThere { .. }
            ),
            Self::Renamed => matches!(
                confirmation,
                Confirmation::Renamed { .. } | Confirmation::AlreadyThere { .. }
            ),
            Self::PropertySet => matches!(confirmation, Confirmation::PropertySet { .. }),
            Self::PropertyRemoved => matches!(confirmation, Confirmation::PropertyRemoved { .. }),
        }
    }
}

/// The place of the file that a command creates or moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// A new file at `path`, `name` or both. If the name is taken, it gets a number only if the
    /// caller asks for that.
    AsNamed,
    /// An existing file, under a new `name` in its folder.
    NewName,
    /// An existing file, at the file or in the folder that the parameter of type `destination`
    /// names.
    Destination,
    /// A new file in a folder that the app's settings choose; the app may also choose its name.
    AppFolder,
    /// A new file at the path in the engine's plan: `path` is only a wish. The path rules judge the
    /// plan.
    Planned,
    /// The folder `path` with its whole content, as the folder `to`. Refused if the rules could
    /// deny anything in it, whether it exists or not.
    WholeFolder,
    /// A new note with a part of the note that the call names, at the path that the parameter of type `destination`
    /// names. A plain name is put into the folder of that note.
    PartOfNote,
    /// No new file: the text of the note that the call names gets into the note `into`, and the first one is removed.
    IntoNote,
}

impl Placement {
    /// Whether an existing file gets another path, so that links in other notes are updated.
    pub const fn moves_a_file(self) -> bool {
        matches!(self, Self::NewName | Self::Destination)
    }

    /// Whether links in other notes are updated, because a file or a text gets another path.
    pub const fn may_change_links(self) -> bool {
        match self {
            Self::NewName
            | Self::Destination
            | Self::WholeFolder
            | Self::PartOfNote
            | Self::IntoNote => true,
            Self::AsNamed | Self::AppFolder | Self::Planned => false,
        }
    }
}

words! {
    /// The command for the later parts of a text that is sent in parts.
    pub enum Continuation {
        /// Each further part is appended to the note.
        Append = "append",
        /// Each further part is prepended to the note, so the last part is sent first.
        Prepend = "prepend",
    }
}

impl Continuation {
    /// Returns the app's confirmation of each part.
    pub const fn sentence(self) -> Sentence {
        match self {
            Self::Append => Sentence::Appended,
            Self::Prepend => Sentence::Prepended,
        }
    }
}
