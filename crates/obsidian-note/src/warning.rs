//! The warnings of an answer: it left out a part, or had to guess. Warnings are returned as data next to the answer.

use std::fmt;

use crate::plural::count as count_of;
use crate::shown::row;

use crate::path::{MAX_DEPTH, PathError, VaultPath};
use crate::scan::DEEPEST;

/// Declares [`Warning`] from one row for each warning: its stable name for programs, its fields, and its text, or the
/// arguments of [`format!`] for it. The first field is the file or folder that it is about; the folder that contains it
/// for an unusable name.
macro_rules! warnings {
    ($($(#[$doc:meta])+ $variant:ident = $code:literal { $path:ident $(, $field:ident: $type:ty)* }
        says $($text:literal)? $(($($made:tt)+))?;)+) => {
        /// A fault in the vault that did not prevent an answer.
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        #[expect(missing_docs, reason = "the text of a warning says what its fields are")]
        pub enum Warning {
            $($(#[$doc])+
            #[error($($text)? $($($made)+)?)]
            $variant { $path: VaultPath $(, $field: $type)* },)+
        }

        impl Warning {
            /// Returns a stable name for programs.
            pub fn code(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $code,)+
                }
            }

            /// Returns the file or folder it is about; the folder that contains it for an unusable name.
            pub fn path(&self) -> &VaultPath {
                match self {
                    $(Self::$variant { $path, .. } => $path,)+
                }
            }
        }
    };
}

warnings! {
    /// A folder could not be listed, so the answer does not include anything below it.
    FolderUnreadable = "FOLDER_UNREADABLE" { path, reason: String } says
        "the folder `{path}` cannot be listed: {reason}";
    /// A file's size could not be read; it counts as 0 bytes.
    SizeUnknown = "SIZE_UNKNOWN" { path, reason: String } says "the size of `{path}` cannot be read: {reason}";
    /// Symlinks were left out (`vault-semantics.md` §2.1: following is off).
    SymlinksSkipped = "SYMLINKS_SKIPPED" { path, count: usize } says
        ("{}", of_several(*count,
        format_args!("the symlink `{path}` is not followed"),
        format_args!("{count} symlinks are not followed. The first is `{path}`")));
    /// Folders are as deep as a path can be, so their contents are left out (`threats.toml` D15).
    FoldersTooDeep = "FOLDERS_TOO_DEEP" { path, count: usize } says
        ("{}", of_several(*count,
        format_args!("the folder `{path}` is {MAX_DEPTH} levels deep, so its contents are left out"),
        format_args!("{count} folders are {MAX_DEPTH} levels deep, so their contents are left out. The first is `{path}`")));
    /// Pipes, sockets and devices were left out.
    SpecialFilesSkipped = "SPECIAL_FILES_SKIPPED" { path, count: usize } says
        ("{}", of_several(*count,
        format_args!("`{path}` is not a regular file and is left out"),
        format_args!("{count} entries are not regular files and are left out. The first is `{path}`")));
    /// An entry has a name that no vault path can contain; it is left out.
    /// Without a `reason` the name is not Unicode, and its parts that are not are replaced.
    NameUnusable = "NAME_UNUSABLE" { folder, name: String, reason: Option<PathError> } says
        ("{name:?} in `{folder}` is left out: {}", unusable(reason.as_ref()));
    /// An entry's name is not Unicode; it is listed, read and changed under a name with U+FFFD in
    /// place of the invalid bytes (`threats.toml` B10).
    NameNotUnicode = "NAME_NOT_UNICODE" { path } says
        "the name of `{path}` on disk is not valid Unicode, so its invalid bytes are shown as U+FFFD";
    /// No link can name the file, because its path has a `#`, which splits every link.
    NameUnlinkable = "NAME_UNLINKABLE" { path } says "links to `{path}` do not work, because the path contains `#`";
    /// The name that a new file was to have is taken, so it has another one.
    NameTaken = "NAME_TAKEN" { path, wanted: VaultPath } says
        "the name `{wanted}` is taken, so the new file is `{path}`";
    /// Two entries have names that normalise to one path (`e` + accent and `é`); one is left out.
    SpellingsCollide = "SPELLINGS_COLLIDE" { path } says
        "one of two files or folders at `{path}` is left out. Their names differ only in how accents are encoded";
    /// A configuration file, or one of its keys, is malformed; the default was used.
    ConfigIgnored = "CONFIG_IGNORED" { path, reason: String } says "settings in `{path}` are ignored: {reason}";
    /// The template that a configuration file names was not used; its other settings were.
    TemplateIgnored = "CONFIG_IGNORED" { path, reason: String } says
        "the template in `{path}` is not used: {reason}";
    /// The vault does not have its configuration folder, so a default was used (`vault-semantics.md` §1.1).
    ConfigFolderMissing = "CONFIG_FOLDER_MISSING" { path, file: String } says
        "Obsidian's defaults were used, because the configuration folder `{path}` with its `{file}` does not exist";
    /// Several folders of the vault may be its configuration folder, and they differ in the file that was read.
    /// `others` is empty if the caller may not learn their names.
    ConfigFolderUnclear = "CONFIG_FOLDER_UNCLEAR" { path, file: String, others: Vec<VaultPath> } says
        ("{}", unclear(path, file, others));
    /// The properties of a note are malformed, so they are ignored.
    InvalidFrontmatter = "INVALID_FRONTMATTER" { path, line: usize, reason: String } says
        "the properties of `{path}` are ignored, because line {line} is invalid: {reason}";
    /// A property was made next to one of the same name in another casing.
    PropertyInOtherCase = "PROPERTY_IN_OTHER_CASE" { path, name: String, present: String } says
        ("the property `{}` was added to `{path}`, which already has the property `{}`. To change the existing property, use its spelling", row(name), row(present));
    /// A property that had values of one type, in the note or only in the vault, was set to one of another type.
    PropertyTypeChanged = "PROPERTY_TYPE_CHANGED" { path, name: String, was: &'static str, written: &'static str, is_of_note: bool } says
        ("{}, and the new value is {}{}", type_before(name, path, was, *is_of_note), article(written), written_as(was));
    /// A base is malformed; it counts as one without views.
    InvalidBase = "INVALID_BASE" { path, line: usize, reason: String } says
        "`{path}` is not a valid base (line {line}: {reason})";
    /// A part of a base is faulty, and its views ignore that part.
    BaseFault = "BASE_FAULT" { path, line: usize, reason: String } says "a part of the base `{path}` is ignored, because line {line} is invalid: {reason}";
    /// A filter fails for some files, which are left out.
    BaseFilterFailed = "BASE_FILTER_FAILED" { path, count: usize, reason: String } says
        ("the filters of `{path}` failed for {}{}{reason}", left_out(*count), if reason.is_empty() { "" } else { ". The first error is: " });
    /// A condition fails for some files, which are left out; `path` and `reason` are those of the first.
    ConditionFailed = "CONDITION_FAILED" { path, count: usize, reason: String } says
        ("`where` failed for {}. The first is `{path}`: {reason}", left_out(*count));
    /// The filters of a view require something that a new note cannot be given.
    BaseConditionsUnmet = "BASE_CONDITIONS_UNMET" { path, conditions: String } says
        "`{path}` might not show the new note, because the note does not meet these conditions: {conditions}";
    /// The rows of a base contain too much text, so the last of them are left out.
    BaseRowsLeftOut = "BASE_ROWS_LEFT_OUT" { path, count: usize } says
        ("the answer leaves out {} of `{path}`, because the rows contain too much text", count_of(*count, "row"));
    /// A note could not be read, so the answer does not include it.
    NoteUnreadable = "NOTE_UNREADABLE" { path, reason: String } says
        "`{path}` cannot be read and is left out: {reason}";
    /// An entry of the import folder is not imported; `path` is the path that it would have in the vault.
    ImportLeftOut = "IMPORT_LEFT_OUT" { path, from: VaultPath, reason: String } says
        "`{from}` in the import folder was not imported: {reason}";
    /// A fault in a file could not be repaired without guessing.
    /// `links` is the number of its link texts that are still unresolved.
    FixLeft = "FIX_LEFT" { path, links: usize, reason: String } says ("{}: {reason}", stays(path, *links));
    /// A regular expression takes too long for a note; it is left out.
    SearchGaveUp = "SEARCH_GAVE_UP" { path } says
        "the regular expression took too long for `{path}`, so this note is left out";
    /// A note has too many matches or too long lines, so some matches are left out.
    HitsLeftOut = "HITS_LEFT_OUT" { path, count: usize } says
        ("{}", of_several(*count,
        format_args!("1 hit in `{path}` is left out"),
        format_args!("{count} hits in `{path}` are left out")));
    /// The note does not have the heading or block that a link to it should name: `Heading` or `^block`.
    NoSuchPlace = "NO_SUCH_PLACE" { path, place: String } says
        ("`{path}` does not have the {}, so the link points to the whole note", kind_of_place(place));
    /// A note is not valid UTF-8. Invalid bytes were replaced in the text.
    NotUtf8 = "NOT_UTF8" { path } says "`{path}` is not valid UTF-8, so its invalid bytes are replaced";
    /// A ranked search covers only a part of the notes, because the others are not indexed yet.
    RankingIncomplete = "RANKING_INCOMPLETE" { path, covered: usize, notes: usize } says
        "this answer covers {covered} of {notes} notes, because the others are not indexed yet. The next search covers more notes";
    /// A ranked search found notes only by compounds and parts of the words of its question. The path is the root.
    FoundByParts = "FOUND_BY_PARTS" { path } says
        "no note contains the words of the query. These notes contain words that share a part with a word of the query";
    /// A note is too large to be read into memory (`threats.toml` F17), so it is neither searched nor indexed.
    NoteTooLarge = "NOTE_TOO_LARGE" { path, limit: u64 } says
        "`{path}` has more than {limit} bytes, so its text, links, tags and tasks are neither found nor changed";
    /// A note is too large to be read into memory, so the answer covers only its beginning (`threats.toml` F17).
    TextLeftOut = "TEXT_LEFT_OUT" { path, size: u64, limit: u64 } says
        "`{path}` has {size} bytes, so only its first {limit} bytes are searched";
    /// Lists or quotes of a note are nested deeper than the scanner goes ([`DEEPEST`] levels); what
    /// is deeper counts as running text, its tasks are not found.
    NestedTooDeep = "NESTED_TOO_DEEP" { path } says
        ("`{path}` has lists or quotes more than {} levels deep. The deeper levels count as plain text", DEEPEST);
    /// A canvas is malformed; it counts as empty.
    InvalidCanvas = "INVALID_CANVAS" { path, reason: String } says "`{path}` is not a valid canvas: {reason}";
    /// A file is moved, and the links to it stay as they are, because the settings say so.
    LinksNotUpdated = "LINKS_NOT_UPDATED" { path, links: usize, files: usize } says
        ("links to `{path}` ({} in {}) were not changed, because the settings turn this off",
        count_of(*links, "link"), count_of(*files, "file"));
    /// A change removes headings or blocks from a note to which links lead. At most 5 are named, as links do.
    AnchorsLost = "ANCHORS_LOST" { path, places: Vec<String>, links: usize, files: usize } says
        ("`{path}` no longer has the {}{}", places_of(places), still_lead(*links, *files));
    /// Links in a file will lead elsewhere after a move, because no other text leads to the old
    /// target, or because they cannot be changed safely at their place.
    LinksUnwritable = "LINKS_UNWRITABLE" { path, links: usize } says
        ("{} in `{path}` cannot be changed safely and will therefore point to another target", count_of(*links, "link"));
    /// A note embeds itself, because it embedded the note that was merged into it.
    EmbedsItself = "EMBEDS_ITSELF" { path, embeds: usize } says
        ("`{path}` now embeds itself ({})", count_of(*embeds, "embed"));
    /// Two notes that are merged have footnotes of the same name, of which the app shows only one definition.
    FootnotesTwice = "FOOTNOTES_TWICE" { path, count: usize, name: String } says
        ("`{path}` defines {} more than once. The first is `[^{}]`", count_of(*count, "footnote"), row(name));
}

impl Warning {
    /// Adds a warning to others, unless it is among them.
    pub fn add_new(self, warnings: &mut Vec<Self>) {
        if !warnings.contains(&self) {
            warnings.push(self);
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
        "the vault has several configuration folders with different settings in `{file}`. `{path}` was used, not {others}"
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

/// Says how to keep the type that a property had, as the end of a sentence; empty for a type that one word cannot give.
fn written_as(was: &str) -> String {
    match was {
        "date" => {
            ". For a date, set `type` to `date` and write a day such as `2026-03-14`".to_owned()
        }
        "number" | "checkbox" | "list" => format!(". To keep the type, pass `type={was}`"),
        _ => String::new(),
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
    format!(". {links} in {files} still {lead} there")
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
