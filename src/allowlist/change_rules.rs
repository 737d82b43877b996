//! What is particular to a command that changes something: the key `change` of its entry.
//!
//! Every rule that would otherwise be a match on command ids stands here as a word of the catalogue,
//! so that a new write command is one entry and the code asks [`Command`](super::Command).

use cli_output::Confirmation;
use serde::Deserialize;

/// The rules of a command that changes something.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeRules {
    /// How a change that the official program makes is verified.
    pub verify: Verification,
    /// The sentences with which the app confirms the change; present exactly where the command
    /// prints a confirmation.
    #[serde(default)]
    pub confirms: Vec<Sentence>,
    /// Where the file goes that the command makes or moves; absent where it does neither.
    pub places: Option<Placement>,
    /// Whether it can be a step of `notes:change`: it changes single notes that the call names, and the
    /// engine plans it.
    #[serde(default, rename = "step")]
    pub is_step: bool,
    /// How a `content` goes on that one message cannot carry; absent where it cannot be sent in
    /// parts.
    pub continues: Option<Continuation>,
}

/// What proves that the official program made the change it was asked for (`faults.md` G12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verification {
    /// The engine plans the change, and the files are as planned.
    PlannedFiles,
    /// The same, but the app may lay out the block of properties anew (`official-cli.md` §5.2).
    PlannedProperties,
    /// A file appears whose name the app chooses.
    NewFile,
    /// The note holds the text that `history:read` gives for the version.
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

/// A sentence with which the app says that it has done its work (`official-cli.md` §5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sentence {
    /// No sentence has been recorded for the command, so each one counts.
    Any,
    /// `Created: …`
    Created,
    /// `Overwrote: …`
    Overwrote,
    /// `Appended to: …`
    Appended,
    /// `Prepended to: …`
    Prepended,
    /// `Moved to trash: …`
    Trashed,
    /// `Deleted permanently: …`
    Deleted,
    /// `Moved: … -> …`
    Moved,
    /// `Renamed: … -> …`
    Renamed,
    /// `Set …: …`
    PropertySet,
    /// `Removed property: …`
    PropertyRemoved,
}

impl Sentence {
    /// Whether this confirmation is such a sentence.
    pub const fn is_said_by(self, confirmation: &Confirmation) -> bool {
        match self {
            Self::Any => true,
            Self::Created => matches!(confirmation, Confirmation::Created { .. }),
            Self::Overwrote => matches!(confirmation, Confirmation::Overwrote { .. }),
            Self::Appended => matches!(confirmation, Confirmation::Appended { .. }),
            Self::Prepended => matches!(confirmation, Confirmation::Prepended { .. }),
            Self::Trashed => matches!(confirmation, Confirmation::Trashed { .. }),
            Self::Deleted => matches!(confirmation, Confirmation::Deleted { .. }),
            Self::Moved => matches!(confirmation, Confirmation::Moved { .. }),
            Self::Renamed => matches!(confirmation, Confirmation::Renamed { .. }),
            Self::PropertySet => matches!(confirmation, Confirmation::PropertySet { .. }),
            Self::PropertyRemoved => matches!(confirmation, Confirmation::PropertyRemoved { .. }),
        }
    }
}

/// Where a command puts the file that it makes or moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// A new file at `path`, `name` or both. A name that is taken gets a number only where the
    /// caller asks for it.
    AsNamed,
    /// An existing file, under a new `name` in its folder.
    NewName,
    /// An existing file, at the file or in the folder that the parameter of type `destination`
    /// names.
    Destination,
    /// A new file in a folder that the app's settings choose; the app may also choose its name.
    AppFolder,
    /// A new file where the engine's plan puts it: `path` is a wish. The path rules judge the plan.
    Planned,
    /// The folder `path` with all that is in it, as the folder `to`. Rules that could close anything in
    /// it close it, whatever is there.
    WholeFolder,
}

impl Placement {
    /// Whether an existing file gets another path, which the links in other notes follow.
    pub const fn moves_a_file(self) -> bool {
        matches!(self, Self::NewName | Self::Destination)
    }
}

/// The command that carries the later parts of a text that is sent in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Continuation {
    /// Each further part goes to the end of the note.
    Append,
    /// Each further part goes to the start of the note, so the last part is sent first.
    Prepend,
}

impl Continuation {
    /// The id of the command.
    pub const fn command(self) -> &'static str {
        match self {
            Self::Append => "append",
            Self::Prepend => "prepend",
        }
    }

    /// How the app confirms each part.
    pub const fn sentence(self) -> Sentence {
        match self {
            Self::Append => Sentence::Appended,
            Self::Prepend => Sentence::Prepended,
        }
    }
}
