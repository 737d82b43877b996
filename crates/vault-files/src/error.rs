//! The engine's error type.

use std::io;
use std::path::PathBuf;

use obsidian_note::path::PathError;
use obsidian_note::plural::count as count_of;
use obsidian_note::{EditCandidate, EditMiss, VaultPath, Warning, WorkCancelled};

use crate::disk::{Blocked, Obstacle, is_in_use};
use crate::json_list::ListError;

/// The reason why the engine has no answer. Messages name only vault paths. The only path of the machine is a field of
/// [`EngineError::Root`], which its message leaves out.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The file, folder or value that the call names is missing or of the wrong kind. The app refuses such calls too.
    #[error("{0}")]
    Refused(Refusal),
    /// The command is not one that a folder can answer.
    #[error("the command `{command}` needs the app")]
    NotServed {
        /// The id of the command, such as `app:open`.
        command: String,
    },
    /// The vault's folder cannot be opened.
    #[error("the vault's folder cannot be opened: {source}")]
    Root {
        /// The folder, a path of the machine, which agents must not see.
        path: PathBuf,
        /// The error that the system reported.
        source: io::Error,
    },
    /// A text is not a path inside a vault. The app says "not found" for most of these.
    #[error("`{text}` is not a vault path: {reason}")]
    Path {
        /// The text, as the caller sent it.
        text: String,
        /// The fault of the path.
        reason: PathError,
    },
    /// A symlink at or above the path is not followed (`threats.toml` D03).
    #[error("`{path}` is a symlink, and symlinks are not followed")]
    Symlink {
        /// The path of the symlink.
        path: VaultPath,
    },
    /// A pipe, socket or device is in the place of a file (`threats.toml` D14).
    #[error("`{path}` is not a regular file")]
    NotRegular {
        /// The path of the pipe, socket or device.
        path: VaultPath,
    },
    /// A configuration file is larger than the app ever writes one (`threats.toml` D14).
    #[error("`{path}` has more than {limit} bytes")]
    TooLarge {
        /// The path of the configuration file.
        path: VaultPath,
        /// The limit in bytes.
        limit: u64,
    },
    /// A file exceeds the limit for holding it in memory ([`obsidian_note::MAX_WHOLE_BYTES`]).
    #[error("`{path}` has {size} bytes; the limit is {limit}")]
    TooLargeToHold {
        /// The path of the file.
        path: VaultPath,
        /// The size of the file in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The system failed to open or read a file or folder of the vault.
    #[error("`{path}` cannot be read: {source}")]
    Io {
        /// The file or folder.
        path: VaultPath,
        /// The error that the system reported.
        source: io::Error,
    },
    /// The planned content of a file cannot be read from the store that keeps it.
    #[error("the content of `{path}` in the draft cannot be read: {source}")]
    Planned {
        /// The file.
        path: VaultPath,
        /// The error that the store reported.
        source: io::Error,
    },
    /// The system failed to write a file or folder of the vault, which is unchanged.
    #[error("`{path}` cannot be written: {source}")]
    Write {
        /// The file or folder.
        path: VaultPath,
        /// The error that the system reported.
        source: io::Error,
    },
    /// A file has changed since the edit was planned. Nothing was written.
    #[error("`{path}` has changed since it was read")]
    Changed {
        /// The file that does not have the expected content any more.
        path: VaultPath,
    },
    /// Another program has the file open for writing or, on Windows, without sharing it; or it has
    /// just truncated it. Nothing was written; a retry may succeed in a moment (`threats.toml` H15).
    #[error("another program is using `{path}`")]
    BeingWritten {
        /// The file that the other program uses.
        path: VaultPath,
    },
    /// An edit failed half-way, and its rollback failed too.
    #[error("the edit failed, and `{path}` could not be restored: {source}")]
    HalfDone {
        /// The file or folder that could not be restored.
        path: VaultPath,
        /// The error that the system reported.
        source: io::Error,
    },
    /// The text of a note cannot be changed without damage, because it is not UTF-8.
    #[error("`{path}` is not UTF-8 text")]
    NotText {
        /// The path of the note.
        path: VaultPath,
    },
    /// The properties of a note cannot be read, so they cannot be changed without damage.
    #[error("the properties of `{path}` cannot be read: {reason}")]
    Properties {
        /// The path of the note.
        path: VaultPath,
        /// The fault of the properties.
        reason: String,
    },
    /// The vault deletes permanently (`trashOption`), and the caller did not ask for that.
    #[error("this vault deletes files permanently, because it has no trash")]
    NoTrash,
    /// An item of a list is a link without quotes, so it is not the text that it seems to be. Nothing was written.
    #[error(
        "`{name}` of `{path}` has the link `{link}` without quotes, so YAML reads it as a list"
    )]
    UnquotedLink {
        /// The path of the note.
        path: VaultPath,
        /// The name of the property.
        name: String,
        /// The link, as it is written.
        link: String,
    },
    /// A value does not fit the type of its property.
    #[error("the value of `{name}` is not {expected}")]
    PropertyValue {
        /// The name of the property.
        name: String,
        /// The expected type of the value.
        expected: String,
    },
    /// Today's daily note does not exist. The app would create it; the engine does not.
    #[error("the daily note `{path}` does not exist")]
    DailyNoteMissing {
        /// The path that it would have.
        path: VaultPath,
    },
    /// There is no task in that line of the note.
    #[error("line {line} of `{path}` is not a task")]
    TaskMissing {
        /// The path of the note.
        path: VaultPath,
        /// The line, from 1.
        line: u32,
        /// Tasks of the note, the nearest first.
        tasks: Vec<EditCandidate>,
    },
    /// A recurring task would be done, and its next instance cannot be written for certain. Nothing was written.
    #[error("the task on line {line} of `{path}` recurs, and {obstacle}")]
    TaskRecurs {
        /// The path of the note.
        path: VaultPath,
        /// The line, from 1.
        line: u32,
        /// The task, as written.
        text: String,
        /// The reason why the next instance is not written.
        obstacle: RecurrenceObstacle,
    },
    /// A recurring task of `TaskNotes` would be marked as done by its status, which completes none of its occurrences.
    /// Nothing was written.
    #[error("`{path}` is a recurring task of TaskNotes; its status does not complete a single day")]
    SeriesNotDone {
        /// The path of the note.
        path: VaultPath,
    },
    /// Text would be outside of the lanes of a board, where Kanban drops it. Nothing was written.
    #[error("`{path}` is a Kanban board, and Kanban drops text outside a lane")]
    BoardWithoutLane {
        /// The path of the board.
        path: VaultPath,
        /// The headings of its lanes, in its order.
        lanes: Vec<EditCandidate>,
    },
    /// Text would be after the data of a drawing, which Excalidraw could not read then. Nothing was written.
    #[error(
        "`{path}` is an Excalidraw drawing; its data begins on line {line} and must stay at the end"
    )]
    AfterDrawing {
        /// The path of the drawing.
        path: VaultPath,
        /// The first line of its data, from 1.
        line: usize,
    },
    /// The command cannot use this argument.
    #[error("`{name}` must be {rule}")]
    Argument {
        /// The name of the argument.
        name: String,
        /// The values that it may have.
        rule: &'static str,
    },
    /// A list in the arguments, or the parameters of one item of it, cannot be read.
    #[error("{0}")]
    ListArgument(ListError),
    /// An edit fits no place of the note, or several.
    #[error("{0}")]
    EditMiss(Box<EditMiss>),
    /// The text of a note below its properties is too long to be analysed.
    #[error("the text of `{path}` is longer than {limit} UTF-16 code units")]
    BodyTooLong {
        /// The path of the note.
        path: VaultPath,
        /// The limit in UTF-16 code units.
        limit: usize,
    },
    /// No heading of the note has this id.
    #[error("`{path}` has no heading with the id `{id}`")]
    SectionMissing {
        /// The path of the note.
        path: VaultPath,
        /// The requested id.
        id: String,
        /// The ids of its headings.
        known: Vec<String>,
    },
    /// The file is not an image, or of no type that models can read.
    #[error("`{path}` is not a PNG, JPEG, GIF or WebP image")]
    NotAnImage {
        /// The path of the file.
        path: VaultPath,
    },
    /// Files with this extension are never text, so none is made from text.
    #[error("files with the extension of `{path}` are not text")]
    NoTextFile {
        /// The path that the file would have.
        path: VaultPath,
    },
    /// The bytes do not fit the file's extension, or the app embeds no files with that extension.
    #[error("`{path}` {reason}")]
    NotAnAttachment {
        /// The path that the file would have.
        path: VaultPath,
        /// The fault of the file.
        reason: String,
    },
    /// An image has more bytes than an answer may contain.
    #[error("the image `{path}` has {size} bytes; the limit is {limit}")]
    ImageTooLarge {
        /// The path of the image.
        path: VaultPath,
        /// The size of the image in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A file that was read as text is binary.
    #[error("`{path}` is not text")]
    Binary {
        /// The path of the file.
        path: VaultPath,
    },
    /// The notes of an export exceed the limit for holding them in memory.
    #[error("the notes to export have more than {limit} bytes")]
    ExportTooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// Paths for exported copies are taken by something else. Nothing was written.
    #[error("{} would replace existing files, such as `{}`", count_of(*count, "copy"), paths.first().map(VaultPath::as_str).unwrap_or_default())]
    ExportTaken {
        /// The number of taken paths.
        count: usize,
        /// The first of them, relative to the export folder.
        paths: Vec<VaultPath>,
    },
    /// The notes of an import exceed the limit for holding them in memory.
    #[error("the notes to import have more than {limit} bytes")]
    ImportTooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// Paths for imported notes are taken by something else. Nothing was written.
    #[error("{} would replace existing files, such as `{}`", count_of(*count, "note"), paths.first().map(VaultPath::as_str).unwrap_or_default())]
    ImportTaken {
        /// The number of taken paths.
        count: usize,
        /// The first of them, in the vault.
        paths: Vec<VaultPath>,
    },
    /// Links to a file cannot follow it, because its new name has characters that end or split a link
    /// (`vault-semantics.md` §2.2).
    #[error("{} to the file would break, because links cannot contain the name of `{path}`", count_of(*links, "link"))]
    NameBreaksLinks {
        /// The path that the file would have.
        path: VaultPath,
        /// A path that links can name, in the same folder.
        instead: VaultPath,
        /// The number of links that would lead elsewhere.
        links: usize,
    },
    /// The new path of a folder is taken.
    #[error("`{path}` already exists")]
    FolderTaken {
        /// The new path of the folder.
        path: VaultPath,
        /// A path that is meant instead.
        instead: VaultPath,
    },
    /// A folder cannot be moved as a whole. The error does not name the entries in the way.
    #[error("{}", holds_more(path, *is_limited))]
    FolderHoldsMore {
        /// The path of the folder.
        path: VaultPath,
        /// Whether the entries may be files that the caller may not see.
        is_limited: bool,
    },
    /// A change depends on a settings file of the vault that cannot be used, and the caller may not guess.
    #[error("{warning}")]
    SettingsUnusable {
        /// The warning that a caller who may guess gets with the answer.
        warning: Box<Warning>,
    },
    /// Folder and format in the daily notes settings give no vault path.
    #[error("the daily notes settings give `{text}`, which is not a vault path: {reason}")]
    DailyPath {
        /// The path that they form.
        text: String,
        /// The fault of the path.
        reason: PathError,
    },
    /// The request was cancelled, or its deadline passed ([`obsidian_note::CancellationToken`]).
    #[error("the request was cancelled")]
    Stopped,
    /// A regular expression of a search takes too long for too many notes.
    #[error("the regular expression takes too long")]
    RegexTooSlow,
    /// A base cannot be read.
    #[error("`{path}` is not a valid base, line {line}: {reason}")]
    Base {
        /// The base, or the note with the block.
        path: VaultPath,
        /// Its line, from 1.
        line: usize,
        /// The fault in that line.
        reason: String,
    },
    /// A base has no view of this name.
    #[error("`{path}` has no view `{view}`")]
    BaseView {
        /// The base, or the note with the blocks.
        path: VaultPath,
        /// The name of the view, as requested.
        view: String,
        /// The views that it has.
        known: Vec<String>,
    },
    /// A condition (`where=`) cannot be evaluated.
    #[error("`where` is not a valid condition: {reason}")]
    Condition {
        /// The fault of the condition.
        reason: String,
    },
    /// The expressions of a base take too many steps for the files of this vault.
    #[error("the expressions of `{path}` take too long for the files of this vault")]
    BaseTooCostly {
        /// The base, or the note with the block.
        path: VaultPath,
    },
    /// The built-in collation data cannot be loaded.
    #[error("the built-in sorting rules cannot be loaded")]
    Collation,
}

/// The reason why the app would refuse a call too (`official-cli.md` §1).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Neither `file` nor `path` was given.
    #[error("the call does not say which file to use")]
    NoActiveFile,
    /// The target of a move or rename is taken.
    #[error("the destination exists")]
    DestinationExists,
    /// A value is not a date.
    #[error("the value is not a date")]
    InvalidDate,
    /// A value is not a date with a time.
    #[error("the value is not a date with a time")]
    InvalidDateTime,
    /// A search query cannot be parsed.
    #[error("the search query is not valid")]
    InvalidSearchQuery,
    /// The file is not a note.
    #[error("the file is not a note")]
    NotMarkdown,
    /// The file whose words would be counted is not a note.
    #[error("the file is not a note, so its words are not counted")]
    WordCountNotMarkdown,
    /// No template folder is set.
    #[error("no template folder is set")]
    NoTemplateFolder,
    /// The name of a new file has a `/`.
    #[error("the name contains `/`")]
    NameContainsSlash,
    /// A file does not exist.
    #[error("the file `{target}` does not exist")]
    FileNotFound {
        /// The file, as the caller named it.
        target: String,
    },
    /// A folder does not exist.
    #[error("the folder `{target}` does not exist")]
    FolderNotFound {
        /// The folder, as the caller named it.
        target: String,
    },
    /// A tag does not occur.
    #[error("the tag `{tag}` is not in the vault")]
    TagNotFound {
        /// The tag, with its `#`.
        tag: String,
    },
    /// A property does not exist.
    #[error("the property `{name}` does not exist")]
    PropertyNotFound {
        /// The name of the property.
        name: String,
    },
    /// The template folder that is set does not exist.
    #[error("the template folder `{folder}` does not exist")]
    TemplateFolderNotFound {
        /// The folder.
        folder: String,
    },
    /// A template does not exist.
    #[error("the template `{name}` does not exist")]
    TemplateNotFound {
        /// The name of the template.
        name: String,
    },
    /// A plugin does not exist.
    #[error("the plugin `{id}` does not exist")]
    PluginNotFound {
        /// The id of the plugin.
        id: String,
    },
    /// A theme is not installed.
    #[error("the theme `{name}` is not installed")]
    ThemeNotFound {
        /// The name of the theme.
        name: String,
    },
    /// A folder has the name of the requested file.
    #[error("`{target}` is a folder")]
    NotAFile {
        /// The folder, as the caller named it.
        target: String,
    },
    /// A file has the name of the requested folder.
    #[error("`{target}` is a file")]
    NotAFolder {
        /// The file, as the caller named it.
        target: String,
    },
    /// A base does not exist.
    #[error("the base `{path}` does not exist")]
    BaseNotFound {
        /// The path of the base.
        path: String,
    },
    /// The file is not a base.
    #[error("`{path}` is not a base")]
    NotABase {
        /// The path of the file.
        path: String,
    },
    /// A value is not a number.
    #[error("the value is not a number")]
    InvalidNumber {
        /// The value, which may be a sensitive property (`threats.toml` F12).
        value: String,
    },
    /// A required parameter is missing or empty.
    #[error("the parameter `{name}` is missing: {usage}")]
    MissingParameter {
        /// The parameter as the usage line has it, such as `id=<plugin-id>`.
        name: String,
        /// The usage line of the command.
        usage: String,
    },
}

/// The reason why the next instance of a recurring task cannot be written (`vault-semantics.md` §3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecurrenceObstacle {
    /// The rule is not one whose next day is certain.
    #[error("its next day cannot be computed from its rule")]
    UnknownRule,
    /// The line has a rule that the plugin does not read: text follows it, or an invalid date, or its field is not one
    /// of the plugin.
    #[error("the Tasks plugin would not read its rule, for example because text follows the rule")]
    Unread,
    /// A field occurs twice, so it is not certain which counts.
    #[error("one of its fields occurs twice")]
    FieldTwice,
    /// The plugin would remove the task when it is done (`🏁 delete`).
    #[error("the Tasks plugin would delete it when it is done")]
    DeletesItself,
    /// The rule has no further day in the calendar.
    #[error("its rule has no further day")]
    NoNextDay,
}

impl From<WorkCancelled> for EngineError {
    fn from(WorkCancelled: WorkCancelled) -> Self {
        Self::Stopped
    }
}

impl From<Refusal> for EngineError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl EngineError {
    /// Returns the error for a text that is not a vault path.
    pub fn path(text: &str, reason: PathError) -> Self {
        Self::Path {
            text: text.to_owned(),
            reason,
        }
    }

    /// Returns the error for what kept a file or folder from being read.
    pub fn io(path: &VaultPath, source: io::Error) -> Self {
        Self::Io {
            path: path.clone(),
            source,
        }
    }

    /// Returns the path of a file or folder by its names below a folder, the outermost first.
    ///
    /// # Errors
    ///
    /// If one of the names is not part of a vault path, or the path is too long.
    pub fn path_below<'name>(
        folder: &VaultPath,
        names: impl IntoIterator<Item = &'name str>,
    ) -> Result<VaultPath, Self> {
        names.into_iter().try_fold(folder.clone(), |path, name| {
            path.join(name).map_err(|reason| Self::path(name, reason))
        })
    }

    /// Returns the error for an argument that does not have one of the values in `rule`.
    pub fn argument(name: &str, rule: &'static str) -> Self {
        Self::Argument {
            name: name.to_owned(),
            rule,
        }
    }

    /// Returns the error for a missing file.
    pub fn file_not_found(target: &str) -> Self {
        Self::Refused(Refusal::FileNotFound {
            target: target.to_owned(),
        })
    }

    /// Returns the error for a missing folder.
    pub fn folder_not_found(target: &str) -> Self {
        Self::Refused(Refusal::FolderNotFound {
            target: target.to_owned(),
        })
    }

    /// Returns the error for a file, asked for as `target`, that could not be opened.
    pub fn from_blocked_file(target: &str, blocked: Blocked) -> Self {
        match &blocked.obstacle {
            Obstacle::Missing | Obstacle::NotAFolder => Self::file_not_found(target),
            Obstacle::IsFolder => Self::Refused(Refusal::NotAFile {
                target: target.to_owned(),
            }),
            Obstacle::Symlink | Obstacle::Special | Obstacle::Io(_) => Self::from_obstacle(blocked),
        }
    }

    /// Returns the error for the folder `path`, asked for as `target`, that could not be opened.
    pub fn from_blocked_folder(target: &str, path: &VaultPath, blocked: Blocked) -> Self {
        match &blocked.obstacle {
            Obstacle::NotAFolder if blocked.at == *path => Self::Refused(Refusal::NotAFolder {
                target: target.to_owned(),
            }),
            Obstacle::Missing | Obstacle::NotAFolder => Self::folder_not_found(target),
            Obstacle::IsFolder | Obstacle::Symlink | Obstacle::Special | Obstacle::Io(_) => {
                Self::from_obstacle(blocked)
            }
        }
    }

    /// Returns the error like [`Self::from_blocked_folder`], for a folder that was named by its path.
    pub fn from_blocked_path(path: &VaultPath, blocked: Blocked) -> Self {
        Self::from_blocked_folder(path.as_str(), path, blocked)
    }

    /// Returns the error of a read at `path` that the system failed.
    pub fn unreadable(path: &VaultPath) -> impl FnOnce(io::Error) -> Self {
        |source| {
            let path = path.clone();
            if is_in_use(&source) {
                Self::BeingWritten { path }
            } else {
                Self::Io { path, source }
            }
        }
    }

    /// Returns the error of a write at `path` that the system failed.
    pub fn unwritable(path: &VaultPath, source: io::Error) -> Self {
        let path = path.clone();
        if is_in_use(&source) {
            Self::BeingWritten { path }
        } else {
            Self::Write { path, source }
        }
    }

    /// Returns the error for an obstacle that the system, not the request, causes.
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

/// Returns the reason why a folder cannot be moved whole. The text is the same for closed and for hidden files, so it
/// does not reveal which there are.
fn holds_more(path: &VaultPath, is_limited: bool) -> String {
    let more = if is_limited {
        "files that you may not access or that do not belong to the vault"
    } else {
        "files that do not belong to the vault, such as hidden files or symlinks"
    };
    format!("`{path}` contains {more}. They would stay in the old place")
}
