//! The engine's error type.

use std::io;
use std::path::PathBuf;

use obsidian_note::path::PathError;
use obsidian_note::plural::count as count_of;
use obsidian_note::{EditCandidate, EditMiss, VaultPath, Warning, WorkCancelled};

use crate::disk::{Blocked, Obstacle, is_in_use};
use crate::json_list::ListError;

/// Declares an error type from one row for each error: its variant with the fields, and its text, or the arguments of
/// [`format!`] for it.
macro_rules! errors {
    ($(#[$about:meta])+ pub enum $name:ident: $(
        $(#[$doc:meta])+
        $variant:ident $({ $($field:ident: $type:ty),+ })? $(($only:ty))?
            says $($text:literal)? $(($($made:tt)+))?;
    )+) => {
        $(#[$about])+
        #[derive(thiserror::Error)]
        pub enum $name {
            $($(#[$doc])+
            #[error($($text)? $($($made)+)?)]
            $variant $({ $($field: $type),+ })? $(($only))?,)+
        }
    };
}

errors! {
    /// The reason why the engine has no answer. Messages name only vault paths. The only path of the machine is a field of
    /// [`EngineError::Root`], which its message leaves out.
    #[derive(Debug)]
    #[expect(missing_docs, reason = "the text of an error says what its fields are")]
    pub enum EngineError:

    /// The file, folder or value that the call names is missing or of the wrong kind. The app refuses such calls too.
    Refused(Refusal) says "{0}";
    /// The command is not one that a folder can answer.
    NotServed { command: String } says "only the running app can answer `{command}`";
    /// The vault's folder cannot be opened.
    Root { path: PathBuf, source: io::Error } says "the vault's folder cannot be opened: {source}";
    /// A text is not a path inside a vault. The app says "not found" for most of these.
    Path { text: String, reason: PathError } says "`{text}` is not a valid path: {reason}";
    /// A symlink at or above the path is not followed (`threats.toml` D03).
    Symlink { path: VaultPath } says "`{path}` is a symlink, and symlinks are not followed";
    /// A pipe, socket or device is in the place of a file (`threats.toml` D14).
    NotRegular { path: VaultPath } says "`{path}` is not a regular file";
    /// A configuration file is larger than the app ever writes one (`threats.toml` D14).
    TooLarge { path: VaultPath, limit: u64 } says "`{path}` is too large: it has more than {limit} bytes";
    /// A file exceeds the limit for holding it in memory ([`obsidian_note::MAX_WHOLE_BYTES`]).
    TooLargeToHold { path: VaultPath, size: u64, limit: u64 } says "`{path}` is too large: it has {size} bytes, and the limit is {limit}";
    /// The system failed to open or read a file or folder of the vault.
    Io { path: VaultPath, source: io::Error } says "`{path}` cannot be read: {source}";
    /// The planned content of a file cannot be read from the store that keeps it.
    Planned { path: VaultPath, source: io::Error } says
        "the content of `{path}` in the draft cannot be read: {source}";
    /// The system failed to write a file or folder of the vault, which is unchanged.
    Write { path: VaultPath, source: io::Error } says "`{path}` cannot be written: {source}";
    /// A file has changed since the edit was planned. Nothing was written.
    Changed { path: VaultPath } says "`{path}` has changed since it was read";
    /// Another program has the file open for writing or, on Windows, without sharing it; or it has
    /// just truncated it. Nothing was written; a retry may succeed in a moment (`threats.toml` H15).
    BeingWritten { path: VaultPath } says "another program is using `{path}`";
    /// An edit failed half-way, and its rollback failed too.
    HalfDone { path: VaultPath, source: io::Error } says
        "the edit failed, and `{path}` could not be restored: {source}";
    /// The text of a note cannot be changed without damage, because it is not UTF-8.
    NotText { path: VaultPath } says "`{path}` is not UTF-8 text";
    /// The properties of a note cannot be read, so they cannot be changed without damage.
    Properties { path: VaultPath, reason: String } says "the properties of `{path}` cannot be read: {reason}";
    /// The properties of a note can be read, but this change would damage others.
    PropertiesUnchangeable { path: VaultPath, reason: String } says
        "the properties of `{path}` cannot be changed: {reason}";
    /// The vault deletes permanently (`trashOption`), and the caller did not ask for that.
    NoTrash says "this vault has no trash, so the file would be deleted permanently";
    /// An item of a list is a link without quotes, so it is not the text that it seems to be. Nothing was written.
    UnquotedLink { path: VaultPath, name: String, link: String } says
        "the property `{name}` of `{path}` contains the link `{link}` without quotes, so YAML reads the link as a list";
    /// A value does not fit the type of its property.
    PropertyValue { name: String, expected: String } says "the value of `{name}` is not {expected}";
    /// Today's daily note does not exist. The app would create it; the engine does not.
    DailyNoteMissing { path: VaultPath } says "the daily note `{path}` does not exist";
    /// There is no task in that line of the note.
    TaskMissing { path: VaultPath, line: u32, tasks: Vec<EditCandidate> } says
        "line {line} of `{path}` is not a task";
    /// A recurring task would be done, and its next instance cannot be written for certain. Nothing was written.
    TaskRecurs { path: VaultPath, line: u32, text: String, obstacle: RecurrenceObstacle } says
        "the recurring task on line {line} of `{path}` was not completed: {obstacle}";
    /// A recurring task of `TaskNotes` would be marked as done by its status, which completes none of its occurrences.
    /// Nothing was written.
    SeriesNotDone { path: VaultPath } says
        "`{path}` is a recurring task of TaskNotes. Its status applies to all its days, not only to one";
    /// Text would be outside of the lanes of a board, where Kanban drops it. Nothing was written.
    BoardWithoutLane { path: VaultPath, lanes: Vec<EditCandidate> } says
        "`{path}` is a Kanban board, and Kanban deletes text outside a lane";
    /// Text would be after the data of a drawing, which Excalidraw could not read then. Nothing was written.
    AfterDrawing { path: VaultPath, line: usize } says
        "`{path}` is an Excalidraw drawing. Its data begins on line {line} and must stay at the end";
    /// The command cannot use this argument.
    Argument { name: String, rule: &'static str } says "`{name}` must be {rule}";
    /// A list in the arguments, or the parameters of one item of it, cannot be read.
    ListArgument(ListError) says "{0}";
    /// An edit fits no place of the note, or several.
    EditMiss(Box<EditMiss>) says "{0}";
    /// The text of a note below its properties is too long to be analysed.
    BodyTooLong { path: VaultPath, limit: usize, unit: &'static str } says
        "the text of `{path}` is longer than {limit} {unit}";
    /// No heading of the note has this id.
    SectionMissing { path: VaultPath, id: String, known: Vec<String> } says
        "`{path}` has no heading with the id `{id}`";
    /// The file is not an image, or of no type that models can read.
    NotAnImage { path: VaultPath } says "`{path}` is not a PNG, JPEG, GIF or WebP image";
    /// Files with this extension are never text, so none is made from text.
    NoTextFile { path: VaultPath } says "the extension of `{path}` belongs to files that are not text";
    /// The bytes do not fit the file's extension, or the app embeds no files with that extension.
    NotAnAttachment { path: VaultPath, reason: String } says "`{path}` {reason}";
    /// An image has more bytes than an answer may contain.
    ImageTooLarge { path: VaultPath, size: u64, limit: u64 } says
        "the image `{path}` is too large: it has {size} bytes, and the limit is {limit}";
    /// A file that was read as text is binary.
    Binary { path: VaultPath } says "`{path}` is not text";
    /// The notes of an export exceed the limit for holding them in memory.
    ExportTooLarge { limit: u64 } says "the notes to export have more than {limit} bytes";
    /// Paths for exported copies are taken by something else. Nothing was written.
    ExportTaken { count: usize, paths: Vec<VaultPath> } says
        ("{} would replace existing files, such as `{}`", count_of(*count, "copy"), paths.first().map(VaultPath::as_str).unwrap_or_default());
    /// The notes of an import exceed the limit for holding them in memory.
    ImportTooLarge { limit: u64 } says "the notes to import have more than {limit} bytes";
    /// Paths for imported notes are taken by something else. Nothing was written.
    ImportTaken { count: usize, paths: Vec<VaultPath> } says
        ("{} would replace existing files, such as `{}`", count_of(*count, "note"), paths.first().map(VaultPath::as_str).unwrap_or_default());
    /// Links to a file cannot follow it, because its new name has characters that end or split a link
    /// (`vault-semantics.md` §2.2).
    NameBreaksLinks { path: VaultPath, instead: VaultPath, links: usize } says
        ("{} to the file would break, because links cannot contain the name of `{path}`", count_of(*links, "link"));
    /// The new path of a folder is taken.
    FolderTaken { path: VaultPath, instead: VaultPath } says "`{path}` already exists";
    /// A folder cannot be moved as a whole. The error does not name the entries in the way; if it is limited, they may be
    /// files that the caller may not see.
    FolderHoldsMore { path: VaultPath, is_limited: bool } says ("{}", holds_more(path, *is_limited));
    /// A change depends on a settings file of the vault that cannot be used, and the caller may not guess.
    SettingsUnusable { warning: Box<Warning> } says "{warning}";
    /// Folder and format in the daily notes settings give no vault path.
    DailyPath { text: String, reason: PathError } says
        "the settings for daily notes give the path `{text}`, which is not valid: {reason}";
    /// The request was cancelled, or its deadline passed ([`obsidian_note::CancellationToken`]).
    Stopped says "the request was cancelled";
    /// A regular expression of a search takes too long for too many notes.
    RegexTooSlow says "the regular expression of the search takes too long";
    /// A base cannot be read.
    Base { path: VaultPath, line: usize, reason: String } says "`{path}` is not a valid base (line {line}: {reason})";
    /// A base has no view of this name.
    BaseView { path: VaultPath, view: String, known: Vec<String> } says "`{path}` has no view `{view}`";
    /// A condition (`where=`) cannot be evaluated.
    Condition { reason: String } says "`where` is not a valid condition: {reason}";
    /// The expressions of a base take too many steps for the files of this vault.
    BaseTooCostly { path: VaultPath } says "the expressions of `{path}` take too long for the files of this vault";
    /// The built-in collation data cannot be loaded.
    Collation says "the built-in sorting rules cannot be loaded";
}

errors! {
    /// The reason why the app would refuse a call too (`official-cli.md` §1).
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[expect(missing_docs, reason = "the text of an error says what its fields are")]
    pub enum Refusal:

    /// Neither `file` nor `path` was given.
    NoActiveFile says "the call does not say which file to use";
    /// The target of a move or rename is taken.
    DestinationExists says "the destination already exists";
    /// A value is not a date.
    InvalidDate says "the value is not a date";
    /// A value is not a date with a time.
    InvalidDateTime says "the value is not a date with a time";
    /// A search query cannot be parsed.
    InvalidSearchQuery says "the search query is not valid";
    /// The file is not a note.
    NotMarkdown says "the file is not a note";
    /// The file whose words would be counted is not a note.
    WordCountNotMarkdown says "the file is not a note, so its words are not counted";
    /// No template folder is set.
    NoTemplateFolder says "no template folder is set";
    /// The name of a new file has a `/`.
    NameContainsSlash says "the name contains `/`";
    /// A file does not exist.
    FileNotFound { target: String } says "the file `{target}` does not exist";
    /// A folder does not exist.
    FolderNotFound { target: String } says "the folder `{target}` does not exist";
    /// A tag does not occur.
    TagNotFound { tag: String } says "the tag `{tag}` is not in the vault";
    /// A property does not exist.
    PropertyNotFound { name: String } says "the property `{name}` does not exist";
    /// The template folder that is set does not exist.
    TemplateFolderNotFound { folder: String } says "the template folder `{folder}` does not exist";
    /// A template does not exist.
    TemplateNotFound { name: String } says "the template `{name}` does not exist";
    /// A plugin does not exist.
    PluginNotFound { id: String } says "the plugin `{id}` does not exist";
    /// A theme is not installed.
    ThemeNotFound { name: String } says "the theme `{name}` is not installed";
    /// A folder has the name of the requested file.
    NotAFile { target: String } says "`{target}` is a folder";
    /// A file has the name of the requested folder.
    NotAFolder { target: String } says "`{target}` is a file";
    /// A base does not exist.
    BaseNotFound { path: String } says "the base `{path}` does not exist";
    /// The file is not a base.
    NotABase { path: String } says "`{path}` is not a base";
    /// A value is not a number. The value may be a sensitive property (`threats.toml` F12).
    InvalidNumber { value: String } says "the value is not a number";
    /// A required parameter is missing or empty.
    MissingParameter { name: String, usage: String } says "the parameter `{name}` is missing. Usage: {usage}";
}

errors! {
    /// The reason why the next instance of a recurring task cannot be written (`vault-semantics.md` §3.4).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum RecurrenceObstacle:

    /// The rule is not one whose next day is certain.
    UnknownRule says "its next day cannot be computed from its recurrence rule";
    /// The line has a rule that the plugin does not read: text follows it, or an invalid date, or its field is not one
    /// of the plugin.
    Unread says "the Tasks plugin cannot read its recurrence rule, for example because text follows the rule";
    /// A field occurs twice, so it is not certain which counts.
    FieldTwice says "one of its fields occurs twice";
    /// The plugin would remove the task when it is done (`🏁 delete`).
    DeletesItself says "the Tasks plugin would delete the task when it is done";
    /// The rule has no further day in the calendar.
    NoNextDay says "its recurrence rule has no further day";
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
    /// Returns bytes of a file as text.
    ///
    /// # Errors
    ///
    /// [`EngineError::NotText`] if they are not UTF-8.
    pub fn check_text<'bytes>(path: &VaultPath, bytes: &'bytes [u8]) -> Result<&'bytes str, Self> {
        std::str::from_utf8(bytes).map_err(|_| Self::NotText { path: path.clone() })
    }

    /// Returns the error for a text that is not a vault path.
    pub fn path(text: &str, reason: PathError) -> Self {
        Self::Path {
            text: text.to_owned(),
            reason,
        }
    }

    /// Returns the error of a read at `path` that the system failed.
    pub fn io(path: &VaultPath, source: io::Error) -> Self {
        let path = path.clone();
        if is_in_use(&source) {
            Self::BeingWritten { path }
        } else {
            Self::Io { path, source }
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
        let target = target.to_owned();
        Self::Refused(Refusal::FileNotFound { target })
    }

    /// Returns the error for a missing folder.
    pub fn folder_not_found(target: &str) -> Self {
        let target = target.to_owned();
        Self::Refused(Refusal::FolderNotFound { target })
    }

    /// Returns the error for a file, asked for as `target`, that could not be opened.
    pub fn from_blocked_file(target: &str, blocked: Blocked) -> Self {
        let target = target.to_owned();
        Self::Refused(match &blocked.obstacle {
            Obstacle::Missing | Obstacle::NotAFolder => Refusal::FileNotFound { target },
            Obstacle::IsFolder => Refusal::NotAFile { target },
            _ => return Self::from_obstacle(blocked),
        })
    }

    /// Returns the error for the folder `path`, asked for as `target`, that could not be opened.
    pub fn from_blocked_folder(target: &str, path: &VaultPath, blocked: Blocked) -> Self {
        let target = target.to_owned();
        Self::Refused(match &blocked.obstacle {
            Obstacle::NotAFolder if blocked.at == *path => Refusal::NotAFolder { target },
            Obstacle::Missing | Obstacle::NotAFolder => Refusal::FolderNotFound { target },
            _ => return Self::from_obstacle(blocked),
        })
    }

    /// Returns the error like [`Self::from_blocked_folder`], for a folder that was named by its path.
    pub fn from_blocked_path(path: &VaultPath, blocked: Blocked) -> Self {
        Self::from_blocked_folder(path.as_str(), path, blocked)
    }

    /// Returns the error of a write at `path` that the system failed.
    pub fn unwritable(path: &VaultPath, source: io::Error) -> Self {
        match Self::io(path, source) {
            Self::Io { path, source } => Self::Write { path, source },
            other => other,
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
        Self::io(&path, source)
    }
}

/// Returns the reason why a folder cannot be moved whole. The text is the same for closed and for hidden files, so it
/// does not reveal which there are.
fn holds_more(path: &VaultPath, is_limited: bool) -> String {
    let why = if is_limited {
        "You may not access these files, or they do not belong to the vault"
    } else {
        "These files do not belong to the vault, such as hidden files or symlinks"
    };
    format!("`{path}` contains files that would not move with the folder. {why}")
}
