//! The warnings of an answer: it left out a part, or had to guess. Warnings are returned as data next to the answer.

use std::fmt;

use crate::plural::count as count_of;
use crate::shown::row;

use crate::path::{MAX_DEPTH, PathError, VaultPath};
use crate::scan::DEEPEST;

static ROOT: VaultPath = VaultPath::root();

/// A fault in the vault that did not prevent an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// A folder could not be listed, so the answer does not include anything below it.
    #[error("the folder `{path}` cannot be listed: {reason}")]
    FolderUnreadable {
        /// The path of the folder.
        path: VaultPath,
        /// The system's error message.
        reason: String,
    },
    /// A file's size could not be read; it counts as 0 bytes.
    #[error("the size of `{path}` cannot be read: {reason}")]
    SizeUnknown {
        /// The path of the file.
        path: VaultPath,
        /// The system's error message.
        reason: String,
    },
    /// Symlinks were left out (`vault-semantics.md` §2.1: following is off).
    #[error("{}", of_several(*count, format_args!("the symlink `{path}` is not followed"), format_args!("{count} symlinks are not followed; the first is `{path}`")))]
    SymlinksSkipped {
        /// The number of symlinks.
        count: usize,
        /// The first of them.
        path: VaultPath,
    },
    /// Folders are as deep as a path can be, so their contents are left out (`threats.toml` D15).
    #[error("{}", of_several(*count, format_args!("the folder `{path}` is {MAX_DEPTH} levels deep, so its contents are left out"), format_args!("{count} folders are {MAX_DEPTH} levels deep, so their contents are left out; the first is `{path}`")))]
    FoldersTooDeep {
        /// The number of folders.
        count: usize,
        /// The first of them.
        path: VaultPath,
    },
    /// Pipes, sockets and devices were left out.
    #[error("{}", of_several(*count, format_args!("`{path}` is not a regular file and is left out"), format_args!("{count} entries are not regular files and are left out; the first is `{path}`")))]
    SpecialFilesSkipped {
        /// The number of such entries.
        count: usize,
        /// The first of them.
        path: VaultPath,
    },
    /// An entry has a name that no vault path can contain; it is left out.
    #[error("{name:?} in `{folder}` is left out: {}", unusable(reason.as_ref()))]
    NameUnusable {
        /// The folder that contains it.
        folder: VaultPath,
        /// Its name; parts that are not Unicode are replaced.
        name: String,
        /// The fault of the name; `None` if the name is not Unicode.
        reason: Option<PathError>,
    },
    /// An entry's name is not Unicode; it is listed, read and changed under a name with U+FFFD in
    /// place of the invalid bytes (`threats.toml` B10).
    #[error(
        "the name of `{path}` on disk is not valid Unicode; the invalid bytes are shown as U+FFFD"
    )]
    NameNotUnicode {
        /// Its path in that spelling.
        path: VaultPath,
    },
    /// No link can name the file, because its path has a `#`, which splits every link.
    #[error("links to `{path}` do not work, because its path contains `#`")]
    NameUnlinkable {
        /// The path of the file.
        path: VaultPath,
    },
    /// The name that a new file was to have is taken, so it has another one.
    #[error("the name `{wanted}` is taken, so the new file is `{path}`")]
    NameTaken {
        /// The path of the new file.
        path: VaultPath,
        /// The path that is taken.
        wanted: VaultPath,
    },
    /// Two entries have names that normalise to one path (`e` + accent and `é`); one is left out.
    #[error(
        "two files or folders both have the path `{path}`, because their names differ only in how accents are encoded; one is left out"
    )]
    SpellingsCollide {
        /// The path they share.
        path: VaultPath,
    },
    /// A configuration file, or one of its keys, is malformed; the default was used.
    #[error("`{path}` is not used: {reason}")]
    ConfigIgnored {
        /// The path of the configuration file.
        path: VaultPath,
        /// The fault in the file.
        reason: String,
    },
    /// The vault does not have its configuration folder, so a default was used (`vault-semantics.md` §1.1).
    #[error(
        "the configuration folder `{path}` does not exist, so Obsidian's defaults were used instead of its `{file}`"
    )]
    ConfigFolderMissing {
        /// The configuration folder.
        path: VaultPath,
        /// The settings file, relative to it.
        file: String,
    },
    /// Several folders of the vault may be its configuration folder, and they differ in the file that was read.
    #[error("{}", unclear(path, file, others))]
    ConfigFolderUnclear {
        /// The folder that was used.
        path: VaultPath,
        /// The settings file, relative to it.
        file: String,
        /// The other folders; empty if the caller may not learn their names.
        others: Vec<VaultPath>,
    },
    /// The properties of a note are malformed, so they are ignored.
    #[error("the properties of `{path}` are not used, line {line}: {reason}")]
    InvalidFrontmatter {
        /// The path of the note.
        path: VaultPath,
        /// The line of the note, counted from 1.
        line: usize,
        /// The fault in that line.
        reason: String,
    },
    /// A property was made next to one of the same name in another casing.
    #[error(
        "`{}` is a second property of `{path}`, next to `{}`; to change the first one, use its spelling",
        row(name),
        row(present)
    )]
    PropertyInOtherCase {
        /// The path of the note.
        path: VaultPath,
        /// The name of the new property.
        name: String,
        /// The name of the entry that was there.
        present: String,
    },
    /// A property that had values of one type was set to one of another type.
    #[error("{}, and the new value is {}", type_before(name, path, was, *is_of_note), article(written))]
    PropertyTypeChanged {
        /// The path of the note.
        path: VaultPath,
        /// The name of the property.
        name: String,
        /// The type that it had, or that the vault assigns to the property.
        was: &'static str,
        /// The type of what was written.
        written: &'static str,
        /// Whether the note had the type, and not only the vault.
        is_of_note: bool,
    },
    /// A base is malformed; it counts as one without views.
    #[error("`{path}` is not a valid base, line {line}: {reason}")]
    InvalidBase {
        /// The path of the base.
        path: VaultPath,
        /// Its line, counted from 1.
        line: usize,
        /// The fault in that line.
        reason: String,
    },
    /// A part of a base is faulty, and its views ignore that part.
    #[error("the base `{path}`, line {line}: {reason}")]
    BaseFault {
        /// The base, or the note with the block.
        path: VaultPath,
        /// Its line, counted from 1.
        line: usize,
        /// The fault in that line.
        reason: String,
    },
    /// A filter fails for some files, which are left out.
    #[error("the filters of `{path}` failed for {}{}{reason}", left_out(*count), if reason.is_empty() { "" } else { "; the first error: " })]
    BaseFilterFailed {
        /// The base, or the note with the block.
        path: VaultPath,
        /// The number of files.
        count: usize,
        /// The error for the first of them.
        reason: String,
    },
    /// A condition fails for some files, which are left out.
    #[error("`where` failed for {}; the first is `{path}`: {reason}", left_out(*count))]
    ConditionFailed {
        /// The first of them.
        path: VaultPath,
        /// The number of files.
        count: usize,
        /// The error for the first of them.
        reason: String,
    },
    /// The filters of a view require something that a new note cannot be given.
    #[error(
        "the new note may not be shown in `{path}`, because it does not meet these conditions: {conditions}"
    )]
    BaseConditionsUnmet {
        /// The base, or the note with the block.
        path: VaultPath,
        /// The conditions, as they are written.
        conditions: String,
    },
    /// The rows of a base contain too much text, so the last of them are left out.
    #[error("the rows of `{path}` contain too much text; rows left out: {count}")]
    BaseRowsLeftOut {
        /// The base, or the note with the block.
        path: VaultPath,
        /// The number of rows that are left out.
        count: usize,
    },
    /// A note could not be read, so the answer does not include it.
    #[error("`{path}` cannot be read and is left out: {reason}")]
    NoteUnreadable {
        /// The path of the note.
        path: VaultPath,
        /// The system's error message.
        reason: String,
    },
    /// An entry of the import folder is not imported.
    #[error("`{from}` in the import folder was not imported: {reason}")]
    ImportLeftOut {
        /// The path that it would have in the vault.
        path: VaultPath,
        /// Its path, relative to the import folder.
        from: VaultPath,
        /// The reason, as the end of a sentence.
        reason: String,
    },
    /// A fault in a file could not be repaired without guessing.
    #[error("{}: {reason}", stays(path, *links))]
    FixLeft {
        /// The path of the file.
        path: VaultPath,
        /// The number of its link texts that are still unresolved.
        links: usize,
        /// The reason, as a part of a sentence.
        reason: String,
    },
    /// A regular expression takes too long for a note; it is left out.
    #[error("the regular expression took too long for `{path}`, so this note is left out")]
    SearchGaveUp {
        /// The path of the note.
        path: VaultPath,
    },
    /// A note has too many matches or too long lines, so some matches are left out.
    #[error("some matches in `{path}` are left out: {}", count_of(*count, "hit"))]
    HitsLeftOut {
        /// The path of the note.
        path: VaultPath,
        /// The number of hits that are left out.
        count: usize,
    },
    /// The note does not have the heading or block that a link to it should name.
    #[error(
        "`{path}` does not have the {}, so the link points to the whole note",
        kind_of_place(place)
    )]
    NoSuchPlace {
        /// The path of the note.
        path: VaultPath,
        /// The place as a link names it: `Heading` or `^block`.
        place: String,
    },
    /// A note is not valid UTF-8. Invalid bytes were replaced in the text.
    #[error("`{path}` is not valid UTF-8, so its invalid bytes are replaced")]
    NotUtf8 {
        /// The path of the note.
        path: VaultPath,
    },
    /// A ranked search covers only a part of the notes, because the others are not indexed yet.
    #[error(
        "this answer covers {covered} of {notes} notes, because the others are not indexed yet; the next search covers more"
    )]
    RankingIncomplete {
        /// The number of notes that it covers.
        covered: usize,
        /// The number of all notes that it should cover.
        notes: usize,
    },
    /// A note is too large to be indexed, as in the app (`vault-semantics.md` §2.1), or to be read into memory for a
    /// search of its text (`threats.toml` F17).
    #[error("`{path}` has more than {limit} bytes, so it is not searched")]
    NoteTooLarge {
        /// The path of the note.
        path: VaultPath,
        /// The limit in bytes.
        limit: u64,
    },
    /// A note is too large to be read into memory, so the answer covers only its beginning (`threats.toml` F17).
    #[error("`{path}` has {size} bytes, so only its first {limit} bytes are searched")]
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
    #[error(
        "`{path}` is nested more than {} levels deep, so its deeper levels count as plain text",
        DEEPEST
    )]
    NestedTooDeep {
        /// The path of the note.
        path: VaultPath,
    },
    /// A canvas is malformed; it counts as empty.
    #[error("`{path}` is not a canvas: {reason}")]
    InvalidCanvas {
        /// The path of the canvas.
        path: VaultPath,
        /// The message of the JSON parser.
        reason: String,
    },
    /// A file is moved, and the links to it stay as they are, because the settings say so.
    #[error("links to `{path}` were not changed, because the settings turn this off: {links} in {}", count_of(*files, "file"))]
    LinksNotUpdated {
        /// The present path of the moved file.
        path: VaultPath,
        /// The number of links that would change.
        links: usize,
        /// The number of files with such links.
        files: usize,
    },
    /// A change removes headings or blocks from a note to which links lead.
    #[error("`{path}` no longer has the {}; {}", places_of(places), still_lead(*links, *files))]
    AnchorsLost {
        /// The note.
        path: VaultPath,
        /// The places as links name them: `Heading` or `^block`; at most 5.
        places: Vec<String>,
        /// The number of links to them.
        links: usize,
        /// The number of files with such links.
        files: usize,
    },
    /// Links in a file will lead elsewhere after a move, because no other text leads to the old
    /// target, or because they cannot be changed safely at their place.
    #[error("links in `{path}` cannot be changed and will point elsewhere: {links}")]
    LinksUnwritable {
        /// The present path of the file with the links.
        path: VaultPath,
        /// The number of links.
        links: usize,
    },
    /// A note embeds itself, because it embedded the note that was merged into it.
    #[error("`{path}` now embeds itself: {}", count_of(*embeds, "embed"))]
    EmbedsItself {
        /// The path of the note.
        path: VaultPath,
        /// The number of embeds of the whole note.
        embeds: usize,
    },
    /// Two notes that are merged have footnotes of the same name, of which the app shows only one definition.
    #[error("`{path}` has {} twice; the first is `[^{}]`", count_of(*count, "footnote"), row(name))]
    FootnotesTwice {
        /// The path of the note with the text of both.
        path: VaultPath,
        /// The number of such names.
        count: usize,
        /// The first of them.
        name: String,
    },
}

impl Warning {
    /// Adds a warning to others, unless it is among them.
    pub fn add_new(self, warnings: &mut Vec<Self>) {
        if !warnings.contains(&self) {
            warnings.push(self);
        }
    }

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
            Self::NameUnlinkable { .. } => "NAME_UNLINKABLE",
            Self::NameTaken { .. } => "NAME_TAKEN",
            Self::SpellingsCollide { .. } => "SPELLINGS_COLLIDE",
            Self::ConfigIgnored { .. } => "CONFIG_IGNORED",
            Self::ConfigFolderMissing { .. } => "CONFIG_FOLDER_MISSING",
            Self::ConfigFolderUnclear { .. } => "CONFIG_FOLDER_UNCLEAR",
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
            Self::AnchorsLost { .. } => "ANCHORS_LOST",
            Self::LinksNotUpdated { .. } => "LINKS_NOT_UPDATED",
            Self::LinksUnwritable { .. } => "LINKS_UNWRITABLE",
            Self::EmbedsItself { .. } => "EMBEDS_ITSELF",
            Self::FootnotesTwice { .. } => "FOOTNOTES_TWICE",
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
            | Self::NameUnlinkable { path }
            | Self::NameTaken { path, .. }
            | Self::SpellingsCollide { path }
            | Self::ConfigIgnored { path, .. }
            | Self::ConfigFolderMissing { path, .. }
            | Self::ConfigFolderUnclear { path, .. }
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
            | Self::AnchorsLost { path, .. }
            | Self::LinksNotUpdated { path, .. }
            | Self::LinksUnwritable { path, .. }
            | Self::EmbedsItself { path, .. }
            | Self::FootnotesTwice { path, .. }
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
            _ => None,
        }
    }
}

/// Returns the message if several folders may be the configuration folder.
fn unclear(path: &VaultPath, file: &str, others: &[VaultPath]) -> String {
    let others = match others {
        [] => "the other one".to_owned(),
        others => {
            let names: Vec<String> = others.iter().map(|other| format!("`{other}`")).collect();
            names.join(", ")
        }
    };
    format!(
        "the vault has several configuration folders with different settings in `{file}`; `{path}` was used, not {others}"
    )
}

/// Returns the name of a type, as a part of a sentence.
fn article(kind: &str) -> String {
    match kind {
        "text" => kind.to_owned(),
        "unknown" => "of an unknown type".to_owned(),
        "object" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

/// Returns the type that a property had, in a note or in the whole vault, as a part of a sentence.
fn type_before(name: &str, path: &VaultPath, was: &str, is_of_note: bool) -> String {
    let (name, was) = (row(name), article(was));
    if is_of_note {
        format!("`{name}` of `{path}` was {was}")
    } else {
        format!("`{name}` is {was} in this vault")
    }
}

/// Returns the text about files that are left out, as a part of a sentence.
fn left_out(count: usize) -> String {
    match count {
        1 => "1 file, which is left out".to_owned(),
        count => format!("{count} files, which are left out"),
    }
}

/// Returns the file or the links of it that are not repaired, as a part of a sentence.
fn stays(path: &VaultPath, links: usize) -> String {
    match links {
        0 => format!("`{path}` was not changed"),
        1 => format!("1 link of `{path}` was not changed"),
        links => format!("{links} links of `{path}` were not changed"),
    }
}

/// Returns a place of a note with its kind, as a part of a sentence.
fn kind_of_place(place: &str) -> String {
    match place.strip_prefix('^') {
        Some(block) => format!("block `{block}`"),
        None => format!("heading `{place}`"),
    }
}

/// Returns places of a note with their kinds, as a part of a sentence.
fn places_of(places: &[String]) -> String {
    let places: Vec<String> = places.iter().map(|place| kind_of_place(place)).collect();
    places.join(", ")
}

/// Returns the links that lead to a missing place, as the end of a sentence.
fn still_lead(links: usize, files: usize) -> String {
    let lead = if links == 1 { "leads" } else { "lead" };
    let (links, files) = (count_of(links, "link"), count_of(files, "file"));
    format!("{links} in {files} still {lead} there")
}

/// Returns the fault of a name, as the end of a sentence.
fn unusable(reason: Option<&PathError>) -> String {
    reason.map_or_else(
        || "its name is not Unicode".to_owned(),
        PathError::to_string,
    )
}

/// Returns the sentence for one entry or the sentence for several.
fn of_several<'a>(
    count: usize,
    one: fmt::Arguments<'a>,
    several: fmt::Arguments<'a>,
) -> fmt::Arguments<'a> {
    if count == 1 { one } else { several }
}
