//! `vault:import` (`contracts.md` K26): notes from the import folder, which is outside of the vault.
//!
//! The import folder is read like a vault: symlinks are not followed, and names that begin with a
//! dot are skipped. A note is imported byte for byte, except for properties that the caller asks
//! for. No note replaces an existing file.

use std::collections::{BTreeSet, HashMap};

use obsidian_note::{MAX_WHOLE_BYTES, VaultPath, Warning};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use vault_answers::{AnswerItem, List, ListNumbers, OwnForm};
use vault_files::page::page_of;
use vault_files::{Args, Call, Detail, EngineError, Refusal, Vault, Version};
use vault_index::target::{folder, folder_path, required};

use super::change::Change;
use super::edit_command::{Edit, EditCommand};
use super::new_file::{missing_folders, seen_names};
use super::property::given::with_properties;
use super::property::items::{list_in, with_list};
use super::property::with_property;
use crate::Editor;

pub(super) const IMPORT: EditCommand = EditCommand::own("vault:import", import, &FORM);

static FORM: OwnForm = OwnForm::new::<List<ImportedNote>>("imported-notes");

/// A note that came from the import folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportedNote {
    /// The note in the vault.
    pub path: String,
    /// The source, from the import folder on.
    pub source: String,
    /// Bytes of the note in the vault.
    pub size: u64,
    /// Whether the note was made now; false where the very same was there already, and where it is left
    /// out.
    pub written: bool,
    /// The reason why the note was not imported; absent if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}

impl AnswerItem for ImportedNote {
    /// Source and note, or the reason why the note was left out.
    fn cells(&self) -> Vec<String> {
        let place = match &self.left_out {
            Some(reason) => format!("left out: {reason}"),
            None => self.path.clone(),
        };
        vec![self.source.clone(), place]
    }
}

/// The maximum number of notes of an import unless `limit` is given.
const LIMIT: usize = 1_000;
/// The maximum number of bytes of the notes of one import: all of them are in memory until all are written.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// The maximum number of paths that the error about taken places names.
const MOST_TAKEN_LISTED: usize = 5;

fn import(call: &Call<'_>) -> Result<Edit, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let source = vault.import_folder.as_ref().ok_or(EngineError::argument(
        "from",
        "omitted, because the owner of the vault has not set an import folder",
    ))?;
    let ChosenFiles {
        top,
        notes,
        is_one,
        warnings: of_walk,
    } = ChosenFiles::from_arguments(source, arguments)?;
    let page = page_of(notes, arguments, LIMIT);
    let mut arrivals = Arrivals::from_arguments(vault, arguments, top)?;
    let of_walk = of_walk
        .iter()
        .map(|warning| arrivals.left_out(warning.path(), warning.to_string()));
    let mut warnings: Vec<Warning> = of_walk.collect();
    let mut shown = Vec::with_capacity(page.items.len());
    let ListNumbers { total, offset, .. } = page.numbers();
    for path in page.items {
        vault.disk().cancellation().check()?;
        match arrivals.add(source, &path) {
            Ok(note) => shown.push(note),
            // A single note was asked for, so its error is the answer.
            Err(error) if is_one || is_about_all(&error) => return Err(error),
            Err(error) => {
                let reason = error.to_string();
                shown.push(ImportedNote {
                    path: arrivals.place(&path)?.to_string(),
                    source: path.to_string(),
                    size: 0,
                    written: false,
                    left_out: Some(reason.clone()),
                });
                warnings.push(arrivals.left_out(&path, reason));
            }
        }
    }
    let changes = arrivals.finished()?;
    Ok(Edit::new(
        List::part(shown, offset, total),
        changes,
        warnings,
    ))
}

/// Whether an error concerns the whole import, so that leaving out one note does not help.
fn is_about_all(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::Stopped
            | EngineError::ImportTooLarge { .. }
            | EngineError::Argument { .. }
            | EngineError::Refused(_)
    )
}

/// The notes to import, in byte order of their paths.
struct ChosenFiles {
    /// The folder in the import folder that their paths in the vault are relative to.
    top: VaultPath,
    notes: Vec<VaultPath>,
    is_one: bool,
    warnings: Vec<Warning>,
}

impl ChosenFiles {
    fn from_arguments(source: &Vault, arguments: &Args) -> Result<Self, EngineError> {
        let wanted = required(arguments, "from", "from=<path>")?;
        let from = folder_path(wanted)?;
        if from.is_hidden() {
            return Err(EngineError::file_not_found(wanted));
        }
        if source.has_file(&from) {
            if !from.is_note() {
                return Err(EngineError::Refused(Refusal::NotMarkdown));
            }
            return Ok(Self {
                top: from.parent(),
                notes: vec![from],
                is_one: true,
                warnings: Vec::new(),
            });
        }
        // A symlink gets an error of its own, and is not followed.
        source.refuse_symlinks(&from)?;
        let contents = source.contents(&from, Detail::Names)?;
        let files = contents.files.into_iter().map(|file| file.path);
        let mut notes: Vec<VaultPath> = files.filter(VaultPath::is_note).collect();
        notes.sort_unstable();
        Ok(Self {
            top: from,
            notes,
            is_one: false,
            warnings: contents.warnings,
        })
    }
}

/// The steps that create the notes, and the paths that are taken.
struct Arrivals<'call> {
    vault: &'call Vault,
    arguments: &'call Args,
    /// The folder in the import folder that is imported.
    top: VaultPath,
    /// The folder of the vault that it is imported into.
    to: VaultPath,
    tags: Vec<&'call str>,
    project: Option<&'call str>,
    /// The entries of the folders that were listed so far: names by their lower case.
    names: HashMap<VaultPath, HashMap<String, String>>,
    /// The folders that the plan makes.
    folders: BTreeSet<VaultPath>,
    /// The paths of the planned notes in lower case.
    places: BTreeSet<String>,
    changes: Vec<Change>,
    taken: Vec<VaultPath>,
    bytes: u64,
}

impl<'call> Arrivals<'call> {
    fn from_arguments(
        vault: &'call Vault,
        arguments: &'call Args,
        top: VaultPath,
    ) -> Result<Self, EngineError> {
        let tags = arguments.text("tags").into_iter();
        let tags = tags.flat_map(|tags| tags.split(',')).map(str::trim);
        let tags = tags.map(|tag| tag.strip_prefix('#').unwrap_or(tag));
        let tags: Vec<&str> = tags.filter(|tag| !tag.is_empty()).collect();
        if !tags.iter().all(|tag| super::tags::is_tag(tag)) {
            return Err(EngineError::argument(
                "tags",
                "tags, separated by commas: letters, digits, `_`, `-` and `/`, not digits alone",
            ));
        }
        Ok(Self {
            vault,
            arguments,
            top,
            to: folder(arguments, "path"),
            tags,
            project: arguments.text("project"),
            names: HashMap::new(),
            folders: BTreeSet::new(),
            places: BTreeSet::new(),
            changes: Vec::new(),
            taken: Vec::new(),
            bytes: 0,
        })
    }

    /// Plans the import of one note.
    fn add(&mut self, source: &Vault, from: &VaultPath) -> Result<ImportedNote, EngineError> {
        let path = self.place(from)?;
        Editor(self.vault).check_new_path(&path)?;
        let read = source.read_up_to(from, from.as_str(), MAX_WHOLE_BYTES)?;
        let bytes = read.ok_or_else(|| EngineError::TooLarge {
            path: from.clone(),
            limit: MAX_WHOLE_BYTES,
        })?;
        EngineError::check_text(from, &bytes)?;
        let bytes = self.with_properties(bytes, from)?;
        let version = Version::from_bytes(&bytes);
        self.bytes = self.bytes.saturating_add(version.size);
        if self.bytes > MAX_BYTES {
            return Err(EngineError::ImportTooLarge { limit: MAX_BYTES });
        }
        let written = self.put(&path, bytes, version)?;
        Ok(ImportedNote {
            path: path.to_string(),
            source: from.to_string(),
            size: version.size,
            written,
            left_out: None,
        })
    }

    /// Returns the warning for a note that is left out. It names the path in the vault, because path rules apply to
    /// that.
    fn left_out(&self, from: &VaultPath, reason: String) -> Warning {
        Warning::ImportLeftOut {
            path: self.place(from).unwrap_or_else(|_| self.to.clone()),
            from: from.clone(),
            reason,
        }
    }

    /// Returns the path of a note in the vault: `path`, then its path below `top`.
    fn place(&self, from: &VaultPath) -> Result<VaultPath, EngineError> {
        let below = from.components().skip(self.top.components().count());
        EngineError::path_below(&self.to, below)
    }

    /// Returns the note with the properties that the caller asks for. Its own tags stay.
    fn with_properties(&self, note: Vec<u8>, from: &VaultPath) -> Result<Vec<u8>, EngineError> {
        let mut note = with_properties(note, self.vault, from, self.arguments)?;
        if let Some(project) = self.project {
            let project = Value::from(project);
            note = with_property(self.vault, from, &note, "project", Some(&project))?;
        }
        if self.tags.is_empty() {
            return Ok(note);
        }
        let (name, mut items) = list_in(&note, "tags", from)?;
        for tag in &self.tags {
            let is_it = |item: &Value| {
                let item = item.as_str().unwrap_or_default();
                let item = item.strip_prefix('#').unwrap_or(item);
                item.to_lowercase() == tag.to_lowercase()
            };
            if !items.iter().any(is_it) {
                items.push(Value::from(*tag));
            }
        }
        with_list(self.vault, from, &note, &name, &items)
    }

    /// Plans the file if its path is free. Returns whether it does not exist yet.
    fn put(
        &mut self,
        path: &VaultPath,
        bytes: Vec<u8>,
        version: Version,
    ) -> Result<bool, EngineError> {
        self.vault.refuse_symlinks(path)?;
        let folded = path.as_str().to_lowercase();
        let is_second = !self.places.insert(folded);
        if is_second || self.has_other_spelling(path)? {
            self.taken.push(path.clone());
            return Ok(true);
        }
        // A file that the caller may not see must not show in this answer; the plan is refused for
        // it later.
        if self.vault.sees(path) {
            let vault = self.vault;
            if vault.has_file(path) && Editor(vault).planned_version(path)? == version {
                return Ok(false);
            }
            if vault.is_there(path) {
                self.taken.push(path.clone());
                return Ok(true);
            }
        }
        for change in missing_folders(self.vault, &path.parent())? {
            if let Change::MakeFolder { path: folder } = &change
                && self.folders.insert(folder.clone())
            {
                self.changes.push(change);
            }
        }
        self.changes.push(Change::Create {
            path: path.clone(),
            after: bytes,
        });
        Ok(true)
    }

    /// Whether a file or folder exists whose name differs only in case: many disks cannot store both.
    fn has_other_spelling(&mut self, path: &VaultPath) -> Result<bool, EngineError> {
        for (depth, name) in path.components().enumerate() {
            let folder = path.beginning(depth);
            if !self.names.contains_key(&folder) {
                let names = seen_names(self.vault, &folder)?;
                let by_lower = |name: String| (name.to_lowercase(), name);
                let names = names.into_iter().map(by_lower).collect();
                self.names.insert(folder.clone(), names);
            }
            let names = self.names.get(&folder);
            let there = names.and_then(|names| names.get(&name.to_lowercase()));
            let Some(there) = there else { return Ok(false) };
            if there != name {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn finished(self) -> Result<Vec<Change>, EngineError> {
        if self.taken.is_empty() {
            return Ok(self.changes);
        }
        Err(EngineError::ImportTaken {
            count: self.taken.len(),
            paths: self.taken.into_iter().take(MOST_TAKEN_LISTED).collect(),
        })
    }
}
