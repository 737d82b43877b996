//! A vault with its questions and edits.

use std::path::Path;
use std::sync::Arc;

use bases::Moment;
use obsidian_note::{Heading, TaskRecord, VaultPath};
use serde_json::{Map, Value};
use uuid::Uuid;
use vault_edits::Editor;
use vault_files::{Collation, EngineError, FileFacts, Match, Note, Vault as VaultFolder};
use vault_index::{Followed, IndexedVault, SearchedFiles, TagCount, Target, TextSearch};
use vault_questions::{
    Backlink, BaseTable, Found, LinkDestination, NoteTask, UnresolvedTarget, backlinks_of,
    base_table, links_of, outline_of, properties_of, tags_of_vault, tasks_of_vault,
    unresolved_links,
};

use crate::Edit;

/// An Obsidian vault, read and edited in its folder.
///
/// The first question about the whole vault reads all notes. What is known of them stays in memory, also for clones of
/// this value, and a later question reads only the notes that changed in the meantime. Every change that was on the disk
/// before a question is in its answer.
///
/// Lists are in the order of the app's lists, unless a method says otherwise. A list or a count leaves out what cannot be
/// read, and the warnings next to it ([`Found::warnings`]) say what that is.
#[derive(Clone)]
pub struct Vault(VaultFolder);

impl From<VaultFolder> for Vault {
    /// Returns the vault in a folder that was opened with other choices: a cache on the disk, a cancellation, symlinks
    /// that are followed, links that stay as they are.
    fn from(folder: VaultFolder) -> Self {
        Self(IndexedVault(&folder).with_followed(Arc::new(Followed::new())))
    }
}

/// Questions. They change no file.
impl Vault {
    /// Opens the vault in an existing folder. Reads nothing in it.
    ///
    /// # Errors
    ///
    /// [`EngineError::Root`] if the folder is missing or cannot be opened.
    pub fn open(root: impl AsRef<Path>) -> Result<Self, EngineError> {
        VaultFolder::open(root.as_ref()).map(Self::from)
    }

    /// Returns every file, notes and others. Hidden files, below a name that starts with a dot, are not part of a vault.
    ///
    /// # Errors
    ///
    /// If the vault's folder cannot be listed.
    pub fn files(&self) -> Result<Found<Vec<VaultPath>>, EngineError> {
        let contents = IndexedVault(&self.0).names_below(&VaultPath::root())?;
        let mut files: Vec<VaultPath> = contents.files.into_iter().map(|file| file.path).collect();
        Collation::new()?.sort_by(&mut files, VaultPath::as_str);
        Ok(Found {
            value: files,
            warnings: contents.warnings,
        })
    }

    /// Returns the bytes and the text of a file of any extension.
    ///
    /// # Errors
    ///
    /// If there is no such file, if it is hidden or behind a symlink, if it has more bytes than the limit
    /// ([`EngineError::TooLargeToHold`]), or if it cannot be read.
    pub fn read(&self, path: &VaultPath) -> Result<Note, EngineError> {
        self.0.read_note(path)
    }

    /// Returns the size of a file in bytes and its times in milliseconds since 1970.
    ///
    /// # Errors
    ///
    /// As [`Self::read`], without the limit.
    pub fn facts(&self, path: &VaultPath) -> Result<FileFacts, EngineError> {
        self.0.facts(path)
    }

    /// Returns the properties of a note in their order; none for another file. Malformed properties are a warning.
    ///
    /// # Errors
    ///
    /// As [`Self::read`].
    pub fn properties(&self, path: &VaultPath) -> Result<Found<Map<String, Value>>, EngineError> {
        let Found { value, warnings } = properties_of(&self.0, target(path))?;
        Ok(Found {
            value: value.properties,
            warnings,
        })
    }

    /// Returns the files that link to a file, itself included, each with the number of its links.
    ///
    /// # Errors
    ///
    /// If there is no such file, or the vault's folder cannot be listed.
    pub fn backlinks(&self, path: &VaultPath) -> Result<Found<Vec<Backlink>>, EngineError> {
        backlinks_of(&self.0, &target(path))
    }

    /// Returns the targets of the links in a note or canvas, each once, ordered by UTF-16 code units.
    ///
    /// # Errors
    ///
    /// As [`Self::read`], and if the vault's folder cannot be listed.
    pub fn links(&self, path: &VaultPath) -> Result<Found<Vec<LinkDestination>>, EngineError> {
        links_of(&self.0, target(path))
    }

    /// Returns the targets of links that no file has, with the files of these links.
    ///
    /// # Errors
    ///
    /// If the vault's folder cannot be listed.
    pub fn unresolved(&self) -> Result<Found<Vec<UnresolvedTarget>>, EngineError> {
        unresolved_links(&self.0, true)
    }

    /// Returns the file that a link means in the note `from`, or `None`. The link is written as between `[[` and `]]`,
    /// without `|` and a text: `Note`, `Folder/Note.md`, `Note#Heading`, `#^block`. The heading or block is not checked.
    /// With the root as `from`, the link is in no note.
    ///
    /// # Errors
    ///
    /// If the vault's folder cannot be listed.
    pub fn resolve(
        &self,
        link: &str,
        from: &VaultPath,
    ) -> Result<Found<Option<VaultPath>>, EngineError> {
        let (index, warnings) = IndexedVault(&self.0).link_index()?;
        let linkpath = link.split('#').next().unwrap_or_default();
        let value = index.resolve(linkpath, from).path();
        Ok(Found { value, warnings })
    }

    /// Returns the headings of a note in its order, with their levels from 1 to 6. Their lines count from 0, their
    /// offsets are bytes of the text without its byte order mark.
    ///
    /// # Errors
    ///
    /// As [`Self::read`], and if the file is not a note.
    pub fn outline(&self, path: &VaultPath) -> Result<Found<Vec<Heading>>, EngineError> {
        outline_of(&self.0, target(path))
    }

    /// Returns the tags with the number of their uses, by name. Casings of one tag are merged, and a tag counts for the
    /// tags above it: `#a/b` for `#a` too. Files that the user excluded in the app are left out.
    ///
    /// # Errors
    ///
    /// If the vault's folder cannot be listed.
    pub fn tags(&self) -> Result<Found<Vec<TagCount>>, EngineError> {
        tags_of_vault(&self.0)
    }

    /// Returns all tasks, by file and then by line. An open task has a space as its status.
    ///
    /// # Errors
    ///
    /// If the vault's folder cannot be listed.
    pub fn tasks(&self) -> Result<Found<Vec<NoteTask>>, EngineError> {
        tasks_of_vault(&self.0, |_: &TaskRecord| true)
    }

    /// Returns the notes that match a query of the app's search, in any letter case, with the lines of the hits:
    /// `"sow beans" -tag:#done path:Garden`.
    ///
    /// # Errors
    ///
    /// The app's error if the query is malformed; [`EngineError::RegexTooSlow`] if a regular expression takes too long
    /// for many notes; or if the vault's folder cannot be listed.
    pub fn search(&self, query: &str) -> Result<Found<Vec<Match>>, EngineError> {
        let text = TextSearch {
            query,
            is_case_sensitive: false,
            with_canvases: false,
            with_lines: true,
        };
        let mut found =
            SearchedFiles::below(&self.0, VaultPath::root())?.matching(&self.0, text)?;
        Collation::new()?.sort_by(&mut found.files, |file| file.path.as_str());
        Ok(Found {
            value: found.files,
            warnings: found.warnings,
        })
    }

    /// Returns the rows of a view of a base, of its first view if `view` is `None`. The base is a file of its own, or the
    /// first block of a note that has such a view. `moment` is the time of `now()` and the seed of `random()`.
    ///
    /// # Errors
    ///
    /// If there is no such file or no base in it; [`EngineError::Base`] if the base cannot be read;
    /// [`EngineError::BaseView`] if it has no such view; [`EngineError::BaseTooCostly`] if its expressions take too many
    /// steps for so many files; or if the vault's folder cannot be listed.
    pub fn base(
        &self,
        path: &VaultPath,
        view: Option<&str>,
        moment: &Moment,
    ) -> Result<Found<BaseTable>, EngineError> {
        base_table(&self.0, target(path), view, moment)
    }
}

/// Edits. Each method but [`Vault::apply`] only plans: it reads the files as they are now and changes none.
impl Vault {
    /// Plans a new file with this text. The folders that are missing are made.
    ///
    /// # Errors
    ///
    /// If its folder has the name, in any letter case; [`EngineError::Path`] if a new file may not have the path;
    /// [`EngineError::NoTextFile`] if files with its extension are not text; or if the folder cannot be read.
    pub fn create(&self, path: &VaultPath, text: &str) -> Result<Edit, EngineError> {
        Editor(&self.0).plan_create(path, text).map(Edit::from)
    }

    /// Plans text at the end of a file, after a line break, with the line ends of the file.
    ///
    /// # Errors
    ///
    /// As [`Self::read`]; [`EngineError::BoardWithoutLane`] or [`EngineError::AfterDrawing`] if the plugin of a Kanban
    /// board or an Excalidraw drawing would lose the text.
    pub fn append(&self, path: &VaultPath, text: &str) -> Result<Edit, EngineError> {
        Editor(&self.0).plan_append(path, text).map(Edit::from)
    }

    /// Plans a property of a note with this value. All other lines of the note stay.
    ///
    /// # Errors
    ///
    /// As [`Self::read`], and if the file is not a note; [`EngineError::PropertyValue`] if the value is an object, or a
    /// list with lists or objects; [`EngineError::NotText`], [`EngineError::Properties`] or
    /// [`EngineError::PropertiesUnchangeable`] if the properties cannot be changed without damage; [`EngineError::SeriesNotDone`] for the status of a recurring task of the plugin
    /// `TaskNotes`.
    pub fn set_property(
        &self,
        path: &VaultPath,
        name: &str,
        value: impl Into<Value>,
    ) -> Result<Edit, EngineError> {
        let edit = Editor(&self.0).plan_property(path, name, value.into());
        edit.map(Edit::from)
    }

    /// Plans another path for a file, in the same folder or in another one. Links to the file follow it unless the
    /// vault's settings forbid that, and relative links in it lead to the same files as before. The folders that are
    /// missing are made. A file that has this path already does not change.
    ///
    /// # Errors
    ///
    /// If there is no such file, or the new path is taken in any letter case; [`EngineError::Path`] if a file may not
    /// have the new path; [`EngineError::NameBreaksLinks`] if links cannot name it; or if the vault's folder cannot be
    /// listed.
    pub fn rename(&self, from: &VaultPath, to: &VaultPath) -> Result<Edit, EngineError> {
        Editor(&self.0).plan_move(from, to).map(Edit::from)
    }

    /// Plans the move of a file to another folder, under its name, as [`Self::rename`].
    ///
    /// # Errors
    ///
    /// As [`Self::rename`].
    pub fn move_to(&self, path: &VaultPath, folder: &VaultPath) -> Result<Edit, EngineError> {
        let to = folder.join(path.name());
        let to = to.map_err(|reason| EngineError::path(folder.as_str(), reason))?;
        self.rename(path, &to)
    }

    /// Plans the replacement of the text `old`, which must occur exactly once below the properties of a note, or in a
    /// base. In it `\n` also matches `\r\n`. All other bytes stay.
    ///
    /// # Errors
    ///
    /// As [`Self::read`], and if the file is neither a note nor a base; [`EngineError::Argument`] if `old` is empty;
    /// [`EngineError::EditMiss`] if it does not occur exactly once, or if the edit would damage the structure of the note.
    pub fn edit(&self, path: &VaultPath, old: &str, new: &str) -> Result<Edit, EngineError> {
        Editor(&self.0).plan_edit(path, old, new).map(Edit::from)
    }

    /// Plans the move of a file to the vault's trash, the folder `.trash`. Links to the file stay.
    ///
    /// # Errors
    ///
    /// If there is no such file; [`EngineError::NoTrash`] if the vault's settings delete files for good; or if the vault
    /// cannot be read.
    pub fn delete(&self, path: &VaultPath) -> Result<Edit, EngineError> {
        Editor(&self.0).plan_delete(path, false).map(Edit::from)
    }

    /// Applies an edit, completely or not at all. When it returns, everything is on the disk. If the process is killed in
    /// here, each file has its old or its new content, and temporary files whose names begin with a dot may remain.
    ///
    /// # Errors
    ///
    /// - [`EngineError::Changed`] if a file is not as it was when the edit was planned
    /// - [`EngineError::BeingWritten`] if another program is writing one of the files
    /// - [`EngineError::Write`] if the system refuses a step
    /// - [`EngineError::HalfDone`] only if a step failed and its rollback failed too
    pub fn apply(&self, edit: Edit) -> Result<(), EngineError> {
        let Edit { changes, .. } = edit;
        Editor(&self.0).apply(&changes, &Uuid::new_v4().to_string())?;
        Ok(())
    }
}

fn target(path: &VaultPath) -> Target {
    Target::exact(path.clone())
}
