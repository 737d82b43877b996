//! The warnings of an answer: it left out a part, or had to guess. Warnings are returned as data beside the answer.

use std::fmt;

use cli_output::plural;

use crate::path::{MAX_DEPTH, PathError, VaultPath};
use crate::scan::DEEPEST;

static ROOT: VaultPath = VaultPath::root();

/// A fault in the vault that did not prevent an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// A folder could not be listed, so the answer does not include anything below it.
    FolderUnreadable {
        /// The path of the folder.
        path: VaultPath,
        /// The system's error message.
        reason: String,
    },
    /// A file's size could not be read; it counts as 0 bytes.
    SizeUnknown {
        /// The path of the file.
        path: VaultPath,
        /// The system's error message.
        reason: String,
    },
    /// Symlinks were left out (`vault-semantics.md` §2.1: following is off).
    SymlinksSkipped {
        /// The number of symlinks.
        count: usize,
        /// The first of them.
        path: VaultPath,
    },
    /// Folders are as deep as a path can be, so their contents are left out (`faults.md` D15).
    FoldersTooDeep {
        /// The number of folders.
        count: usize,
        /// The first of them.
        path: VaultPath,
    },
    /// Pipes, sockets and devices were left out.
    SpecialFilesSkipped {
        /// The number of such entries.
        count: usize,
        /// The first of them.
        path: VaultPath,
    },
    /// An entry has a name that no vault path can contain; it is left out.
    NameUnusable {
        /// The folder that contains it.
        folder: VaultPath,
        /// Its name; parts that are not Unicode are replaced.
        name: String,
        /// The fault of the name; `None` if the name is not Unicode.
        reason: Option<PathError>,
    },
    /// An entry's name is not Unicode; it is listed, read and changed under a name with U+FFFD in
    /// place of the invalid bytes (`faults.md` B10).
    NameNotUnicode {
        /// Its path in that spelling.
        path: VaultPath,
    },
    /// The name that a new file was to have is taken, so it has another one.
    NameTaken {
        /// The path of the new file.
        path: VaultPath,
        /// The path that is taken.
        wanted: VaultPath,
    },
    /// Two entries have names that normalise to one path (`e` + accent and `é`); one is left out.
    SpellingsCollide {
        /// The path they share.
        path: VaultPath,
    },
    /// A configuration file, or one of its keys, is malformed; the default was used.
    ConfigIgnored {
        /// The path of the configuration file.
        path: VaultPath,
        /// The fault in the file.
        reason: String,
    },
    /// The properties of a note are malformed, so they are ignored.
    InvalidFrontmatter {
        /// The path of the note.
        path: VaultPath,
        /// The line of the note, counted from 1.
        line: usize,
        /// The fault in that line.
        reason: String,
    },
    /// A property was made beside one of the same name in another casing.
    PropertyInOtherCase {
        /// The path of the note.
        path: VaultPath,
        /// The name of the new property.
        name: String,
        /// The name of the entry that was there.
        present: String,
    },
    /// A property that had values of one type was set to one of another type.
    PropertyTypeChanged {
        /// The path of the note.
        path: VaultPath,
        /// The name of the property.
        name: String,
        /// The type that it had, or that the vault assigns to the property.
        was: &'static str,
        /// The type of what was written.
        written: &'static str,
    },
    /// A base is malformed; it counts as one without views.
    InvalidBase {
        /// The path of the base.
        path: VaultPath,
        /// Its line, counted from 1.
        line: usize,
        /// The fault in that line.
        reason: String,
    },
    /// A part of a base is faulty, and its views ignore that part.
    BaseFault {
        /// The base, or the note with the block.
        path: VaultPath,
        /// Its line, counted from 1.
        line: usize,
        /// The fault in that line.
        reason: String,
    },
    /// A filter fails for some files, which are left out.
    BaseFilterFailed {
        /// The base, or the note with the block.
        path: VaultPath,
        /// The number of files.
        count: usize,
        /// The error for the first of them.
        reason: String,
    },
    /// A condition fails for some files, which are left out.
    ConditionFailed {
        /// The first of them.
        path: VaultPath,
        /// The number of files.
        count: usize,
        /// The error for the first of them.
        reason: String,
    },
    /// The filters of a view require something that a new note cannot be given.
    BaseConditionsUnmet {
        /// The base, or the note with the block.
        path: VaultPath,
        /// The conditions, as they are written.
        conditions: String,
    },
    /// The rows of a base contain too much text, so the last of them are left out.
    BaseRowsLeftOut {
        /// The base, or the note with the block.
        path: VaultPath,
        /// The number of rows that are left out.
        count: usize,
    },
    /// A note could not be read, so the answer does not include it.
    NoteUnreadable {
        /// The path of the note.
        path: VaultPath,
        /// The system's error message.
        reason: String,
    },
    /// An entry of the import folder is not imported.
    ImportLeftOut {
        /// The path that it would have in the vault.
        path: VaultPath,
        /// Its path, relative to the import folder.
        source: VaultPath,
        /// The reason, as the end of a sentence.
        reason: String,
    },
    /// A fault in a file could not be repaired without guessing.
    FixLeft {
        /// The path of the file.
        path: VaultPath,
        /// The number of its link texts that are still unresolved.
        links: usize,
        /// The reason, as a part of a sentence.
        reason: String,
    },
    /// A regular expression takes too long for a note; it is left out.
    SearchGaveUp {
        /// The path of the note.
        path: VaultPath,
    },
    /// A note has too many matches or too long lines, so some matches are left out.
    HitsLeftOut {
        /// The path of the note.
        path: VaultPath,
        /// The number of hits that are left out.
        count: usize,
    },
    /// The note does not have the heading or block that a link to it should name.
    NoSuchPlace {
        /// The path of the note.
        path: VaultPath,
        /// The place as a link names it: `Heading` or `^block`.
        place: String,
    },
    /// A note is not valid UTF-8. Invalid bytes were replaced in the text.
    NotUtf8 {
        /// The path of the note.
        path: VaultPath,
    },
    /// A ranked search covers only a part of the notes, because the others are not indexed yet.
    RankingIncomplete {
        /// The number of notes that it covers.
        covered: usize,
        /// The number of all notes that it should cover.
        notes: usize,
    },
    /// A note is too large to be indexed, as in the app (`vault-semantics.md` §2.1), or to be read into memory for a
    /// search of its text (`faults.md` F17).
    NoteTooLarge {
        /// The path of the note.
        path: VaultPath,
        /// The limit in bytes.
        limit: u64,
    },
    /// A note is too large to be read into memory, so the answer covers only its beginning (`faults.md` F17).
    TextLeftOut {
        /// The path of the note.
        path: VaultPath,
        /// The size of the note in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// Lists or quotes of a note are nested deeper than the scanner goes ([`DEEPEST`] levels); what
    /// is deeper counts as running text, its tasks are not found.
    NestedTooDeep {
        /// The path of the note.
        path: VaultPath,
    },
    /// A canvas is malformed; it counts as empty.
    InvalidCanvas {
        /// The path of the canvas.
        path: VaultPath,
        /// The message of the JSON parser.
        reason: String,
    },
    /// A file is moved, and the links to it stay as they are, because the settings say so.
    LinksNotUpdated {
        /// The present path of the moved file.
        path: VaultPath,
        /// The number of links that would change.
        links: usize,
        /// The number of files with such links.
        files: usize,
    },
    /// Links in a file will lead elsewhere after a move, because no other text leads to the old
    /// target, or because they cannot be changed safely at their place.
    LinksUnwritable {
        /// The present path of the file with the links.
        path: VaultPath,
        /// The number of links.
        links: usize,
    },
}

impl Warning {
    /// Returns a stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::FolderUnreadable { .. } => "FOLDER_UNREADABLE",
            Self::SizeUnknown { .. } => "SIZE_UNKNOWN",
            Self::SymlinksSkipped { .. } => "SYMLINKS_SKIPPED",
            Self::FoldersTooDeep { .. } => "FOLDERS_TOO_DEEP",
            Self::SpecialFilesSkipped { .. } => "SPECIAL_FILES_SKIPPED",
            Self::NameUnusable { .. } => "NAME_UNUSABLE",
            Self::NameNotUnicode { .. } => "NAME_NOT_UNICODE",
            Self::NameTaken { .. } => "NAME_TAKEN",
            Self::SpellingsCollide { .. } => "SPELLINGS_COLLIDE",
            Self::ConfigIgnored { .. } => "CONFIG_IGNORED",
            Self::InvalidFrontmatter { .. } => "INVALID_FRONTMATTER",
            Self::PropertyInOtherCase { .. } => "PROPERTY_IN_OTHER_CASE",
            Self::PropertyTypeChanged { .. } => "PROPERTY_TYPE_CHANGED",
            Self::InvalidBase { .. } => "INVALID_BASE",
            Self::BaseFault { .. } => "BASE_FAULT",
            Self::BaseFilterFailed { .. } => "BASE_FILTER_FAILED",
            Self::ConditionFailed { .. } => "CONDITION_FAILED",
            Self::BaseConditionsUnmet { .. } => "BASE_CONDITIONS_UNMET",
            Self::BaseRowsLeftOut { .. } => "BASE_ROWS_LEFT_OUT",
            Self::NoteUnreadable { .. } => "NOTE_UNREADABLE",
            Self::ImportLeftOut { .. } => "IMPORT_LEFT_OUT",
            Self::FixLeft { .. } => "FIX_LEFT",
            Self::SearchGaveUp { .. } => "SEARCH_GAVE_UP",
            Self::HitsLeftOut { .. } => "HITS_LEFT_OUT",
            Self::NoSuchPlace { .. } => "NO_SUCH_PLACE",
            Self::NotUtf8 { .. } => "NOT_UTF8",
            Self::RankingIncomplete { .. } => "RANKING_INCOMPLETE",
            Self::NoteTooLarge { .. } => "NOTE_TOO_LARGE",
            Self::TextLeftOut { .. } => "TEXT_LEFT_OUT",
            Self::NestedTooDeep { .. } => "NESTED_TOO_DEEP",
            Self::InvalidCanvas { .. } => "INVALID_CANVAS",
            Self::LinksNotUpdated { .. } => "LINKS_NOT_UPDATED",
            Self::LinksUnwritable { .. } => "LINKS_UNWRITABLE",
        }
    }

    /// Returns the file or folder it is about; the folder that contains it for an unusable name.
    pub fn path(&self) -> &VaultPath {
        match self {
            Self::FolderUnreadable { path, .. }
            | Self::SizeUnknown { path, .. }
            | Self::SymlinksSkipped { path, .. }
            | Self::FoldersTooDeep { path, .. }
            | Self::SpecialFilesSkipped { path, .. }
            | Self::NameNotUnicode { path }
            | Self::NameTaken { path, .. }
            | Self::SpellingsCollide { path }
            | Self::ConfigIgnored { path, .. }
            | Self::InvalidFrontmatter { path, .. }
            | Self::PropertyInOtherCase { path, .. }
            | Self::PropertyTypeChanged { path, .. }
            | Self::InvalidBase { path, .. }
            | Self::BaseFault { path, .. }
            | Self::BaseFilterFailed { path, .. }
            | Self::BaseConditionsUnmet { path, .. }
            | Self::ConditionFailed { path, .. }
            | Self::BaseRowsLeftOut { path, .. }
            | Self::InvalidCanvas { path, .. }
            | Self::NoteUnreadable { path, .. }
            | Self::ImportLeftOut { path, .. }
            | Self::FixLeft { path, .. }
            | Self::NoteTooLarge { path, .. }
            | Self::TextLeftOut { path, .. }
            | Self::NestedTooDeep { path }
            | Self::SearchGaveUp { path }
            | Self::HitsLeftOut { path, .. }
            | Self::LinksNotUpdated { path, .. }
            | Self::LinksUnwritable { path, .. }
            | Self::NoSuchPlace { path, .. }
            | Self::NotUtf8 { path } => path,
            Self::NameUnusable { folder, .. } => folder,
            Self::RankingIncomplete { .. } => &ROOT,
        }
    }

    /// Returns the line in that file, counted from 1, if there is one.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::InvalidFrontmatter { line, .. }
            | Self::InvalidBase { line, .. }
            | Self::BaseFault { line, .. } => Some(*line),
            Self::FolderUnreadable { .. }
            | Self::PropertyInOtherCase { .. }
            | Self::PropertyTypeChanged { .. }
            | Self::SizeUnknown { .. }
            | Self::SymlinksSkipped { .. }
            | Self::FoldersTooDeep { .. }
            | Self::SpecialFilesSkipped { .. }
            | Self::NameUnusable { .. }
            | Self::NameNotUnicode { .. }
            | Self::NameTaken { .. }
            | Self::SpellingsCollide { .. }
            | Self::ConfigIgnored { .. }
            | Self::BaseFilterFailed { .. }
            | Self::BaseConditionsUnmet { .. }
            | Self::ConditionFailed { .. }
            | Self::BaseRowsLeftOut { .. }
            | Self::NoteUnreadable { .. }
            | Self::ImportLeftOut { .. }
            | Self::FixLeft { .. }
            | Self::RankingIncomplete { .. }
            | Self::NoteTooLarge { .. }
            | Self::TextLeftOut { .. }
            | Self::NestedTooDeep { .. }
            | Self::InvalidCanvas { .. }
            | Self::SearchGaveUp { .. }
            | Self::HitsLeftOut { .. }
            | Self::LinksNotUpdated { .. }
            | Self::LinksUnwritable { .. }
            | Self::NoSuchPlace { .. }
            | Self::NotUtf8 { .. } => None,
        }
    }
}

/// Returns the name of a type, as a part of a sentence.
fn article(kind: &str) -> String {
    match kind {
        "text" => kind.to_owned(),
        "unknown" => "of no known type".to_owned(),
        "object" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

/// Returns the text about files that are left out, as a part of a sentence.
fn left_out(count: usize) -> String {
    match count {
        1 => "1 file, which is left out".to_owned(),
        count => format!("{count} files, which are left out"),
    }
}

impl fmt::Display for Warning {
    #[expect(clippy::too_many_lines, reason = "one arm for each warning")]
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FixLeft { path, links: 0, reason } => {
                write!(formatter, "`{path}` stays as it is: {reason}")
            }
            Self::FixLeft { path, links: 1, reason } => {
                write!(formatter, "1 link of `{path}` stays as it is: {reason}")
            }
            Self::FixLeft { path, links, reason } => {
                write!(formatter, "{links} links of `{path}` stay as they are: {reason}")
            }
            Self::ImportLeftOut { source, reason, .. } => {
                write!(formatter, "`{source}` of the import folder is left out: {reason}")
            }
            Self::NoSuchPlace { path, place } => match place.strip_prefix('^') {
                Some(block) => {
                    write!(formatter, "`{path}` has no block `{block}`; the link leads to the note")
                }
                None => write!(
                    formatter,
                    "`{path}` has no heading `{place}`; the link leads to the note"
                ),
            },
            Self::FolderUnreadable { path, reason } => {
                write!(formatter, "the folder `{path}` cannot be listed: {reason}")
            }
            Self::SizeUnknown { path, reason } => {
                write!(formatter, "the size of `{path}` cannot be read: {reason}")
            }
            Self::PropertyInOtherCase { path, name, present } => {
                let (name, present) =
                    (cli_output::shown::row(name), cli_output::shown::row(present));
                write!(
                    formatter,
                    "`{name}` is a second property of `{path}` beside `{present}`; to change that one, name it so"
                )
            }
            Self::PropertyTypeChanged { path, name, was, written } => {
                let (name, was) = (cli_output::shown::row(name), article(was));
                write!(
                    formatter,
                    "`{name}` of `{path}` was {was}, and what was written is {}",
                    article(written)
                )
            }
            Self::SymlinksSkipped { count: 1, path } => {
                write!(formatter, "the symlink `{path}` is not followed")
            }
            Self::SymlinksSkipped { count, path } => {
                write!(formatter, "{count} symlinks are not followed, the first is `{path}`")
            }
            Self::FoldersTooDeep { count: 1, path } => write!(
                formatter,
                "the folder `{path}` is {MAX_DEPTH} folders deep; what is in it is left out"
            ),
            Self::FoldersTooDeep { count, path } => write!(
                formatter,
                "{count} folders are {MAX_DEPTH} levels deep, so their contents are left out; the first is `{path}`"
            ),
            Self::SpecialFilesSkipped { count: 1, path } => {
                write!(formatter, "`{path}` is not a regular file and is left out")
            }
            Self::SpecialFilesSkipped { count, path } => write!(
                formatter,
                "{count} entries are not regular files and are left out, the first is `{path}`"
            ),
            Self::NameUnusable { folder, name, reason: Some(reason) } => {
                write!(formatter, "{name:?} in `{folder}` is left out: {reason}")
            }
            Self::NameUnusable { folder, name, reason: None } => {
                write!(formatter, "{name:?} in `{folder}` is left out: its name is not Unicode")
            }
            Self::NameNotUnicode { path } => write!(
                formatter,
                "the name of `{path}` on disk is not Unicode; U+FFFD stands for the unreadable parts"
            ),
            Self::NameTaken { path, wanted } => {
                write!(formatter, "the name `{wanted}` is taken, so the new file is `{path}`")
            }
            Self::SpellingsCollide { path } => write!(
                formatter,
                "two entries are both spelled `{path}` in a path; one is left out"
            ),
            Self::ConfigIgnored { path, reason } => {
                write!(formatter, "`{path}` is not used: {reason}")
            }
            Self::InvalidFrontmatter { path, line, reason } => {
                write!(formatter, "the properties of `{path}` are not used, line {line}: {reason}")
            }
            Self::InvalidBase { path, line, reason } => {
                write!(formatter, "`{path}` is not a valid base, line {line}: {reason}")
            }
            Self::BaseFault { path, line, reason } => {
                write!(formatter, "the base `{path}`, line {line}: {reason}")
            }
            Self::BaseFilterFailed { path, count, reason } => write!(
                formatter,
                "the filters of `{path}` have no value for {}{}{reason}",
                left_out(*count),
                if reason.is_empty() { "" } else { "; for the first of them: " }
            ),
            Self::ConditionFailed { path, count, reason } => write!(
                formatter,
                "`where` has no value for {}; the first is `{path}`: {reason}",
                left_out(*count)
            ),
            Self::BaseConditionsUnmet { path, conditions } => write!(
                formatter,
                "the new note may be no row of `{path}`: nothing plain can be done about {conditions}"
            ),
            Self::BaseRowsLeftOut { path, count } => {
                write!(formatter, "the rows of `{path}` hold too much text; left out: {count}")
            }
            Self::NoteUnreadable { path, reason } => {
                write!(formatter, "`{path}` cannot be read and is left out: {reason}")
            }
            Self::SearchGaveUp { path } => write!(
                formatter,
                "the regular expression takes too long for `{path}`, which is left out"
            ),
            Self::HitsLeftOut { path, count } => {
                write!(formatter, "left out in `{path}`: {}", plural::count(*count, "hit"))
            }
            Self::NestedTooDeep { path } => write!(
                formatter,
                "`{path}` is nested deeper than {DEEPEST} levels; what is deeper counts as plain text"
            ),
            Self::NotUtf8 { path } => {
                write!(formatter, "`{path}` is not UTF-8; the unreadable parts are replaced")
            }
            Self::RankingIncomplete { covered, notes } => write!(
                formatter,
                "this answer covers {covered} of {notes} notes, because the others are not indexed yet; the next search covers more"
            ),
            Self::NoteTooLarge { path, limit } => {
                write!(formatter, "`{path}` has more than {limit} bytes and is not looked through")
            }
            Self::TextLeftOut { path, size, limit } => write!(
                formatter,
                "`{path}` has {size} bytes, of which only the first {limit} are looked at"
            ),
            Self::InvalidCanvas { path, reason } => {
                write!(formatter, "`{path}` is not a canvas: {reason}")
            }
            Self::LinksNotUpdated { path, links, files } => write!(
                formatter,
                "links that follow `{path}` are left as they are, as the settings say: {links} in {}",
                plural::count(*files, "file")
            ),
            Self::LinksUnwritable { path, links } => write!(
                formatter,
                "links in `{path}` that cannot be rewritten and will lead elsewhere: {links}"
            ),
        }
    }
}
