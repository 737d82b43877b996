//! The engine's error type.

use std::io;
use std::path::PathBuf;

use cli_output::AppError;
use cli_output::plural::count as count_of;

use crate::cancellation::WorkCancelled;
use crate::disk::{Blocked, Obstacle, is_in_use};
use crate::edit_miss::EditMiss;
use crate::json_list::ListError;
use crate::path::{PathError, VaultPath};

/// Why the engine has no answer. Messages name only vault paths. The one path of the machine is a
/// field of [`EngineError::Root`] and not part of its message.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// An error that the app itself would print.
    #[error("{0}")]
    App(AppError),
    /// The command is not one that a folder can answer.
    #[error("the command `{command}` is not served without the app")]
    NotServed {
        /// The command's id.
        command: String,
    },
    /// The vault's folder cannot be opened.
    #[error("the vault's folder cannot be opened: {source}")]
    Root {
        /// The folder, a path of the machine: not for agents.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A text is not a path inside a vault. The app says "not found" for most of these.
    #[error("`{text}` is not a vault path: {reason}")]
    Path {
        /// The text.
        text: String,
        /// What is wrong with it.
        reason: PathError,
    },
    /// A symlink stands at or above the place and is not followed (`faults.md` D03).
    #[error("`{path}` is a symlink, which is not followed")]
    Symlink {
        /// Where the symlink stands.
        path: VaultPath,
    },
    /// A pipe, socket or device stands where a file was expected (`faults.md` D14).
    #[error("`{path}` is not a regular file")]
    NotRegular {
        /// The entry.
        path: VaultPath,
    },
    /// A configuration file is larger than one can be (`faults.md` D14).
    #[error("`{path}` has more than {limit} bytes")]
    TooLarge {
        /// The file.
        path: VaultPath,
        /// The limit in bytes.
        limit: u64,
    },
    /// A file is larger than what is held in memory at once ([`crate::MAX_WHOLE_BYTES`]).
    #[error("`{path}` has {size} bytes, and at most {limit} are held at once")]
    TooLargeToHold {
        /// The file.
        path: VaultPath,
        /// Its bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The system failed to open or read a file or folder of the vault.
    #[error("`{path}` cannot be read: {source}")]
    Io {
        /// The file or folder.
        path: VaultPath,
        /// What the system says.
        source: io::Error,
    },
    /// The system failed to write a file or folder of the vault, which is unchanged.
    #[error("`{path}` cannot be written: {source}")]
    Write {
        /// The file or folder.
        path: VaultPath,
        /// What the system says.
        source: io::Error,
    },
    /// A file has changed since the edit was planned. Nothing was written.
    #[error("`{path}` changed meanwhile")]
    Changed {
        /// The file.
        path: VaultPath,
    },
    /// Another program has the file open for writing or, on Windows, without sharing it; or it has
    /// just truncated it. Nothing was written; a retry may succeed in a moment (`faults.md` H15).
    #[error("another program is using `{path}`")]
    BeingWritten {
        /// The file.
        path: VaultPath,
    },
    /// An edit failed half-way, and its rollback failed too.
    #[error("the edit stopped half-way, and `{path}` could not be put back: {source}")]
    HalfDone {
        /// The file or folder that could not be restored.
        path: VaultPath,
        /// What the system says.
        source: io::Error,
    },
    /// The text of a note cannot be changed without damage, because it is not UTF-8.
    #[error("`{path}` is not UTF-8 text")]
    NotText {
        /// The note.
        path: VaultPath,
    },
    /// The properties of a note cannot be read, so they cannot be changed without damage.
    #[error("the properties of `{path}` cannot be read: {reason}")]
    Properties {
        /// The note.
        path: VaultPath,
        /// What is wrong with them.
        reason: String,
    },
    /// The vault deletes permanently (`trashOption`), and the caller did not ask for that.
    #[error("this vault keeps no trash: files are deleted for good")]
    NoTrash,
    /// A value does not fit the type of its property.
    #[error("the value of `{name}` is not {expected}")]
    PropertyValue {
        /// The property.
        name: String,
        /// What it must be.
        expected: String,
    },
    /// Today's daily note does not exist. The app would create it; the engine does not.
    #[error("there is no daily note `{path}`")]
    DailyNoteMissing {
        /// Where it would be.
        path: VaultPath,
    },
    /// There is no task in that line of the note.
    #[error("line {line} of `{path}` is not a task")]
    TaskMissing {
        /// The note.
        path: VaultPath,
        /// The line, from 1.
        line: u32,
    },
    /// The command cannot use this argument.
    #[error("`{name}` must be {rule}")]
    Argument {
        /// The argument.
        name: String,
        /// What it must be.
        rule: &'static str,
    },
    /// A list in the arguments, or the parameters of one item of it, cannot be read.
    #[error("{0}")]
    ListArgument(ListError),
    /// An edit fits no place of the note, or several.
    #[error("{0}")]
    EditMiss(Box<EditMiss>),
    /// The text of a note below its properties is too long to be analysed.
    #[error("the text of `{path}` has more than {limit} UTF-16 code units")]
    BodyTooLong {
        /// The note.
        path: VaultPath,
        /// The limit in UTF-16 code units.
        limit: usize,
    },
    /// No heading of the note has this id.
    #[error("`{path}` has no heading with the id `{id}`")]
    SectionMissing {
        /// The note.
        path: VaultPath,
        /// The id, as asked for.
        id: String,
        /// The ids of its headings.
        known: Vec<String>,
    },
    /// A file was asked for as an image and is none, or none that models see.
    #[error("`{path}` is no PNG, JPEG, GIF or WebP image")]
    NotAnImage {
        /// The file.
        path: VaultPath,
    },
    /// A file of such a name is never a text, so none is made of one.
    #[error("`{path}` would be no text")]
    NoTextFile {
        /// The file.
        path: VaultPath,
    },
    /// The bytes of a file are not what its name says, or nothing that the app embeds.
    #[error("`{path}` {reason}")]
    NotAnAttachment {
        /// Where the file would be.
        path: VaultPath,
        /// What is wrong with it.
        reason: String,
    },
    /// An image has more bytes than an answer holds.
    #[error("the image `{path}` has {size} bytes, and at most {limit} are given")]
    ImageTooLarge {
        /// The file.
        path: VaultPath,
        /// Its bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A file was asked for as text and holds none.
    #[error("`{path}` is no text")]
    Binary {
        /// The file.
        path: VaultPath,
    },
    /// The notes of an export exceed what is held in memory at once.
    #[error("the notes to export have more than {limit} bytes")]
    ExportTooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// Paths for exported copies are taken by something else. Nothing was written.
    #[error("no free place for {}, such as `{}`", count_of(*count, "copy"), paths.first().map(VaultPath::as_str).unwrap_or_default())]
    ExportTaken {
        /// How many.
        count: usize,
        /// The first of them, from the export folder on.
        paths: Vec<VaultPath>,
    },
    /// The notes of an import exceed what is held in memory at once.
    #[error("the notes to import have more than {limit} bytes")]
    ImportTooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// Places of imported notes are taken by something else. Nothing was written.
    #[error("no free place for {}, such as `{}`", count_of(*count, "note"), paths.first().map(VaultPath::as_str).unwrap_or_default())]
    ImportTaken {
        /// How many.
        count: usize,
        /// The first of them, in the vault.
        paths: Vec<VaultPath>,
    },
    /// The place where a folder should go is taken.
    #[error("`{path}` is there already")]
    FolderTaken {
        /// The place.
        path: VaultPath,
        /// The folder's place in what is there.
        inside: VaultPath,
    },
    /// A folder cannot be moved as a whole. What is in the way is not told.
    #[error("{}", holds_more(path, *is_limited))]
    FolderHoldsMore {
        /// The folder.
        path: VaultPath,
        /// Whether it may be files that the caller may not know of.
        is_limited: bool,
    },
    /// Folder and format in the daily notes settings give no vault path.
    #[error("the daily notes settings give `{text}`, which is not a vault path: {reason}")]
    DailyPath {
        /// What they give.
        text: String,
        /// What is wrong with it.
        reason: PathError,
    },
    /// The request was cancelled, or its deadline passed ([`crate::CancellationToken`]).
    #[error("the request was cancelled")]
    Stopped,
    /// A regular expression of a search takes too long for too many notes.
    #[error("the regular expression takes too long")]
    RegexTooSlow,
    /// A base cannot be read.
    #[error("`{path}` is no base, line {line}: {reason}")]
    Base {
        /// The base, or the note with the block.
        path: VaultPath,
        /// Its line, from 1.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
    /// A base has no view of this name.
    #[error("`{path}` has no view `{view}`")]
    BaseView {
        /// The base, or the note with the blocks.
        path: VaultPath,
        /// The name, as asked for.
        view: String,
        /// The views that it has.
        known: Vec<String>,
    },
    /// A condition cannot be asked.
    #[error("`where` is no condition: {reason}")]
    Condition {
        /// What is wrong with it.
        reason: String,
    },
    /// The expressions of a base take too many steps for the files of this vault.
    #[error("the expressions of `{path}` take too long for so many files")]
    BaseTooCostly {
        /// The base, or the note with the block.
        path: VaultPath,
    },
    /// The collation data that is built in is not usable.
    #[error("the built-in sorting rules cannot be loaded")]
    Collation,
}

impl From<WorkCancelled> for EngineError {
    fn from(WorkCancelled: WorkCancelled) -> Self {
        Self::Stopped
    }
}

impl EngineError {
    /// The error for a text that is not a vault path.
    pub fn path(text: &str, reason: PathError) -> Self {
        Self::Path {
            text: text.to_owned(),
            reason,
        }
    }

    /// The app's error for a missing file.
    pub(crate) fn file_not_found(target: &str) -> Self {
        Self::App(AppError::FileNotFound {
            target: target.to_owned(),
        })
    }

    /// The app's error for a missing folder.
    pub(crate) fn folder_not_found(target: &str) -> Self {
        Self::App(AppError::FolderNotFound {
            target: target.to_owned(),
        })
    }

    /// The error for a file, asked for as `target`, that could not be opened.
    pub(crate) fn from_blocked_file(target: &str, blocked: Blocked) -> Self {
        match &blocked.obstacle {
            Obstacle::Missing | Obstacle::NotAFolder => Self::file_not_found(target),
            Obstacle::IsFolder => Self::App(AppError::NotAFile {
                target: target.to_owned(),
            }),
            Obstacle::Symlink | Obstacle::Special | Obstacle::Io(_) => Self::from_obstacle(blocked),
        }
    }

    /// The error for the folder `path`, asked for as `target`, that could not be opened.
    pub(crate) fn from_blocked_folder(target: &str, path: &VaultPath, blocked: Blocked) -> Self {
        match &blocked.obstacle {
            Obstacle::NotAFolder if blocked.at == *path => Self::App(AppError::NotAFolder {
                target: target.to_owned(),
            }),
            Obstacle::Missing | Obstacle::NotAFolder => Self::folder_not_found(target),
            Obstacle::IsFolder | Obstacle::Symlink | Obstacle::Special | Obstacle::Io(_) => {
                Self::from_obstacle(blocked)
            }
        }
    }

    /// As [`Self::from_blocked_folder`], where the folder was asked for by its path.
    pub(crate) fn from_blocked_path(path: &VaultPath, blocked: Blocked) -> Self {
        Self::from_blocked_folder(path.as_str(), path, blocked)
    }

    /// The error of a read at `path` that the system failed.
    pub(crate) fn unreadable(path: &VaultPath) -> impl FnOnce(io::Error) -> Self {
        |source| {
            let path = path.clone();
            if is_in_use(&source) {
                Self::BeingWritten { path }
            } else {
                Self::Io { path, source }
            }
        }
    }

    /// The error of a write at `path` that the system failed.
    pub(crate) fn unwritable(path: &VaultPath, source: io::Error) -> Self {
        let path = path.clone();
        if is_in_use(&source) {
            Self::BeingWritten { path }
        } else {
            Self::Write { path, source }
        }
    }

    /// The error for an obstacle that the system, not the request, is the reason for.
    fn from_obstacle(Blocked { at: path, obstacle }: Blocked) -> Self {
        let source = match obstacle {
            Obstacle::Symlink => return Self::Symlink { path },
            Obstacle::Special => return Self::NotRegular { path },
            Obstacle::Missing => io::ErrorKind::NotFound.into(),
            Obstacle::NotAFolder => io::ErrorKind::NotADirectory.into(),
            Obstacle::IsFolder => io::ErrorKind::IsADirectory.into(),
            Obstacle::Io(source) => source,
        };
        Self::unreadable(&path)(source)
    }
}

/// Why a folder cannot be moved whole, the same for files that are closed and those that are hidden.
fn holds_more(path: &VaultPath, is_limited: bool) -> String {
    let more = if is_limited {
        "files that are not open to you or no part of the vault"
    } else {
        "files that are no part of the vault: hidden ones, symlinks, devices, or too many folders deep"
    };
    format!("`{path}` holds {more}, which would be left behind")
}
