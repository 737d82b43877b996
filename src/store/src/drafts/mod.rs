//! Drafts: what agents changed and a person has not reviewed yet (`design/drafts.md`).
//!
//! A draft is stored in the folder of the vault's journal, in a folder of its own for each agent.
//! All contents are in one file, the pack, to which new ones are appended; `draft.json` names their
//! places and is replaced as a whole. So a process that is killed leaves the old draft or the new one,
//! and what a draft costs does not depend on how much text is in it: a content is read when it is needed.
//!
//! Reading takes no lock and reads only the contents that it needs, each checked by its hash. If the pack is gone
//! because `draft.json` was replaced, the reader starts again. A base has its hash, length, time, and bytes up to 8
//! MiB.

mod form;
mod pack;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use vault_engine::{Bond, Change, Overlay, PlannedContent, PlannedFile, VaultPath, Version};

use self::form::{DraftForm, Places, contents_of};
use self::pack::{PackFile, PackPlan};
use super::journal::{Journal, VaultLock, too_large};
use super::state_folder::StateFolder;
use protocol::{
    Code, Failure, Issue,
    digest::{from_hexadecimal, sha256},
};

/// The file that names everything in a draft.
const FILE: &str = "draft.json";
/// The file with the time of the latest answer that the agent has received.
const ANSWERS_READ: &str = "answers-read";
/// The maximum number of bytes of [`ANSWERS_READ`].
const MOST_TIME: u64 = 64;
/// The folder of the draft of agents without a name. No hash has this name.
const UNNAMED: &str = "agents";
/// The file with the decisions of a review that was left. No draft has this name.
const DECISIONS: &str = "decisions.json";
/// The beginning of the name of a text that a person edits.
const EDITED: &str = "edited-";
/// The maximum number of bytes of a text that a person edits.
const MOST_EDITED: u64 = 64 << 20;
/// The maximum number of bytes of a [`FILE`] that are read.
const MOST_JSON: u64 = 256 << 20;
/// Number of times a reader starts again with a new [`FILE`], because writers keep replacing it.
const ATTEMPTS: usize = 10;
/// Maximum size of a base that is kept, in bytes. Only the hash of a larger file is kept: the file can be moved or
/// removed in a draft, and is never merged.
const LARGEST_BASE: usize = 8 << 20;
/// Number of answers of a person that a draft keeps.
const MOST_ANSWERS: usize = 200;
/// The maximum number of bytes of [`ReviewAnswer::what`].
const MOST_WHAT: usize = 400;
/// Number of days after its last change from which a draft accepts no further change.
const MOST_DAYS: i64 = 30;

/// The changes of one agent that a person has not reviewed yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The id, made at the first change. A new draft after this one is empty has a new id.
    pub id: Uuid,
    /// The agent's name; `None` for agents without a name, which share one draft.
    pub agent: Option<String>,
    /// Name and version of the client program that changed it last, as it says itself. Not verified.
    pub client: Option<String>,
    /// The time at which the draft was begun.
    pub created: Timestamp,
    /// The time at which an agent last changed it, or a person last reviewed it.
    pub changed: Timestamp,
    /// The planned files and folders.
    pub overlay: Overlay,
    /// The files of the vault's folder that the draft changes, as they were when it began to, by
    /// their paths in the folder.
    pub bases: BTreeMap<VaultPath, Base>,
    /// The files that are accepted, rejected and withdrawn together, by their paths in `overlay`; no file is in two.
    pub bonds: Vec<Bond>,
    /// Answers of a person about hunks that are no longer in the draft: the latest 200, oldest first.
    pub answers: Vec<ReviewAnswer>,
}

/// A file of the vault's folder as it was when a draft began to change it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// All bytes of the content; `None` for a large file and for a file that is only moved.
    pub content: Option<Arc<PlannedContent>>,
    /// SHA-256 of the content.
    pub sha256: [u8; 32],
    /// Length of the content in bytes.
    pub size: u64,
    /// The modification time as the engine gives it, for a cheap test whether the file changed.
    pub modified: Option<i64>,
}

/// An answer of a person about a part of a draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReviewAnswer {
    /// The path of the note in the draft.
    pub path: VaultPath,
    /// The part: the first lines of a hunk, at most 400 bytes, or `rename`, `new note`, `removal`, or `text` if the
    /// person accepted the note with changes of their own.
    pub what: String,
    /// Whether it was accepted. If not, it was rejected, or its acceptance was undone.
    pub accepted: bool,
    /// Whether the person undid the acceptance.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
    /// The comment of the person.
    pub comment: Option<String>,
    /// The person's changes of the accepted text, as a diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<String>,
    /// The time of the answer.
    pub at: Timestamp,
}

/// Length and time of the file of a draft.
pub type DraftStamp = (u64, SystemTime);

/// The bounds of drafts. What is over them is refused, and nothing is dropped.
struct DraftBounds {
    /// Bytes of all contents of one draft: bases and new ones.
    bytes: u64,
    /// Files that one draft changes.
    files: u64,
    /// Bytes of all contents of all drafts of a vault.
    vault: u64,
}

const BOUNDS: DraftBounds = DraftBounds {
    bytes: 256 << 20,
    files: 100_000,
    vault: 1 << 30,
};

impl Draft {
    /// A new draft without changes.
    pub fn new(agent: Option<String>, now: Timestamp) -> Self {
        Self {
            id: Uuid::new_v4(),
            agent,
            client: None,
            created: now,
            changed: now,
            overlay: Overlay::default(),
            bases: BTreeMap::new(),
            bonds: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// Leaves out of the bonds what is not planned any more.
    pub fn forget_unused_bonds(&mut self) {
        for bond in &mut self.bonds {
            let files = &self.overlay.files;
            bond.files.retain(|path| files.contains_key(path));
            bond.lines.retain(|path, _| files.contains_key(path));
        }
        self.bonds.retain(|bond| !bond.files.is_empty());
    }

    /// Leaves out a planned file or folder, and that the file left its old path, unless the draft has another file
    /// there.
    pub fn forget_file(&mut self, place: &VaultPath, origin: Option<&VaultPath>) {
        let Overlay { files, folders } = &mut self.overlay;
        files.remove(place);
        folders.remove(place);
        if let Some(origin) = origin
            && files.get(origin) == Some(&PlannedFile::Gone)
        {
            files.remove(origin);
        }
    }

    /// Removes bases, bonds, and folders of the trash that belong to files which are no longer in the draft. The old
    /// path of a moved file becomes free if no other planned file is at that path.
    pub fn forget_unused(&mut self) {
        let leaving = leaving(&self.overlay);
        let files = &mut self.overlay.files;
        for origin in leaving.into_keys() {
            files.entry(origin).or_insert(PlannedFile::Gone);
        }
        self.bases.retain(|path, _| files.contains_key(path));
        self.forget_unused_bonds();
        self.forget_folders(VaultPath::is_hidden);
    }

    /// Leaves out these folders that the draft makes, unless a planned file or another new folder is in them.
    pub fn forget_folders(&mut self, which: impl Fn(&VaultPath) -> bool) {
        let used = self.used_folders();
        let made = self.overlay.folders.iter().filter(|(_, exists)| **exists);
        let kept = made.filter(|(folder, _)| used.contains(*folder) || !which(folder));
        let kept: BTreeSet<VaultPath> = kept.flat_map(|(folder, _)| with_above(folder)).collect();
        let folders = &mut self.overlay.folders;
        folders.retain(|folder, exists| !*exists || kept.contains(folder));
    }

    /// Returns the folders that the draft makes and that planned files are in.
    pub fn used_folders(&self) -> BTreeSet<VaultPath> {
        let Overlay { files, folders } = &self.overlay;
        let present = files.iter().filter(|(_, file)| **file != PlannedFile::Gone);
        let above = present.flat_map(|(path, _)| with_above(path));
        above
            .filter(|folder| folders.get(folder) == Some(&true))
            .collect()
    }

    /// Whether no file or folder waits for a person.
    pub fn is_empty(&self) -> bool {
        self.overlay.is_empty()
    }

    /// Number of files and folders that wait for a person. A moved file counts once, and a folder that a planned file
    /// needs does not count.
    pub fn waiting(&self) -> usize {
        let Overlay { files, folders } = &self.overlay;
        let leaving = leaving(&self.overlay);
        let is_left = |path: &VaultPath, file: &PlannedFile| {
            *file == PlannedFile::Gone && leaving.contains_key(path)
        };
        let counted = files.iter().filter(|(path, file)| !is_left(path, file));
        let alone = folders.iter().filter(|(folder, exists)| {
            !(**exists && files.keys().any(|path| path.is_below(folder)))
        });
        counted.count() + alone.count()
    }

    /// Whether an agent may change the draft further. A withdrawal is always possible.
    ///
    /// # Errors
    ///
    /// `DRAFT_FULL` with `reason` `age` if its last change or review is 30 days old.
    pub fn check_age(&self, now: Timestamp) -> Result<(), Failure> {
        let age = now.duration_since(self.changed);
        if self.is_empty() || age < SignedDuration::from_hours(24 * MOST_DAYS) {
            return Ok(());
        }
        let message = format!(
            "The draft is too old for new changes. Its last change was made at least {MOST_DAYS} \
            days ago."
        );
        Err(full("age", MOST_DAYS.unsigned_abs(), &message))
    }

    /// Checks that the journal can keep what these changes overwrite or remove in the vault, up to `limit` bytes of a
    /// file. Otherwise they could be drafted and never accepted.
    ///
    /// # Errors
    ///
    /// `TOO_LARGE_TO_UNDO` if it cannot.
    pub fn check_undo(&self, changes: &[Change], limit: u64) -> Result<(), Failure> {
        for change in changes {
            let (path, size) = match change {
                Change::Modify { path, before, .. } => (path, before.len() as u64),
                Change::Remove { path, version } => (path, version.size),
                _ => continue,
            };
            // The change is of a planned file, and the vault loses the base of that file.
            let size = self.overlay.files.get(path).map_or(size, |file| {
                let base = origin_of(path, file).and_then(|origin| self.bases.get(origin));
                base.map_or(0, |base| base.size)
            });
            if size > limit {
                return Err(too_large(path, size, limit));
            }
        }
        Ok(())
    }

    /// Reads all contents.
    ///
    /// # Errors
    ///
    /// `DRAFT_DAMAGED` if one cannot be read.
    pub fn read_contents(&self) -> Result<(), Failure> {
        let mut contents = contents_of(self).into_values();
        let read = contents.try_for_each(|content| content.bytes().map(drop));
        read.map_err(|_| damaged(&folder_of(self.agent.as_deref())))
    }

    /// Forgets the times of the bases, so that the files themselves are compared with them next: a time can be
    /// set by anyone.
    pub fn forget_times(&mut self) {
        for base in self.bases.values_mut() {
            base.modified = None;
        }
    }

    /// Adds the answers of a person who undid the acceptance that was made at this time, or who redid what they had
    /// undone at this time.
    pub fn reverse_answers(&mut self, reversed: Timestamp, now: Timestamp) {
        let is_reversed =
            |answer: &&ReviewAnswer| answer.at == reversed && (answer.accepted || answer.undone);
        let answers: Vec<ReviewAnswer> = self.answers.iter().filter(is_reversed).cloned().collect();
        for answer in answers {
            self.answer(ReviewAnswer {
                accepted: answer.undone,
                undone: answer.accepted,
                comment: None,
                edited: None,
                at: now,
                ..answer
            });
        }
    }

    /// Adds a person's answer, and forgets the oldest answer over 200.
    pub fn answer(&mut self, mut answer: ReviewAnswer) {
        if let Some(head) = answer.what.as_bytes().get(..MOST_WHAT) {
            let end = vault_engine::whole_characters(head);
            answer.what.truncate(end);
        }
        self.answers.push(answer);
        let over = self.answers.len().saturating_sub(MOST_ANSWERS);
        self.answers.drain(..over);
    }
}

/// Returns this folder and the folders above it, without the root.
fn with_above(folder: &VaultPath) -> impl Iterator<Item = VaultPath> + use<'_> {
    (1..=folder.components().count()).map(|count| folder.beginning(count))
}

/// Returns the path of a planned file in the vault; of a file that is gone its own. `None` for a new file.
pub fn origin_of<'of>(path: &'of VaultPath, file: &'of PlannedFile) -> Option<&'of VaultPath> {
    match file {
        PlannedFile::Bytes(bytes) => bytes.origin.as_ref(),
        PlannedFile::From(origin) => Some(origin),
        PlannedFile::Gone => Some(path),
    }
}

/// Returns the paths of the vault's files that have another path among these planned files, with that path.
pub fn leaving(overlay: &Overlay) -> BTreeMap<VaultPath, VaultPath> {
    let files = overlay.files.iter();
    let moved = files.filter_map(|(path, file)| Some((origin_of(path, file)?, path)));
    let moved = moved.filter(|(origin, path)| origin != path);
    moved
        .map(|(origin, path)| (origin.clone(), path.clone()))
        .collect()
}

impl Base {
    /// Returns the base of a file with these bytes, which are kept up to 8 MiB.
    pub fn from_bytes(bytes: Vec<u8>, modified: Option<i64>) -> Self {
        let fits = bytes.len() <= LARGEST_BASE;
        let content = PlannedContent::new(bytes);
        let version = content.version();
        Self {
            sha256: version.sha256,
            size: version.size,
            modified,
            content: fits.then(|| Arc::new(content)),
        }
    }

    /// Builds the base of a file of which only the hash is kept.
    pub fn without_bytes(version: Version) -> Self {
        Self {
            content: None,
            sha256: version.sha256,
            size: version.size,
            modified: None,
        }
    }
}

/// Reason why a person's text was not taken from their editor.
pub struct EditFailure {
    /// The reason.
    pub failure: Failure,
    /// The copy with the person's text, if they wrote any.
    pub left: Option<Box<Path>>,
}

impl<E: Into<Failure>> From<E> for EditFailure {
    fn from(error: E) -> Self {
        Self {
            failure: error.into(),
            left: None,
        }
    }
}

impl Journal {
    /// Returns the draft of this agent; `None` if the agent never had one. The draft may be empty and only have
    /// answers. Takes no lock: a writer replaces the draft as a whole. Contents are read when they are needed.
    ///
    /// # Errors
    ///
    /// `DRAFT_DAMAGED` if the draft is damaged, a content is missing, or it is of another version of the gateway;
    /// `IO_ERROR` if it cannot be read.
    pub fn draft(&self, agent: Option<&str>) -> Result<Option<Draft>, Failure> {
        read(&self.drafts_folder(), &folder_of(agent))
    }

    /// Reads all drafts of the vault with their contents, in the order of their folders.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the folder cannot be read. Each draft has errors of its own, as [`Self::draft`] and
    /// [`Draft::read_contents`].
    pub fn drafts(&self) -> Result<Vec<Result<Draft, Failure>>, Failure> {
        let drafts = self.drafts_folder();
        let names = names_of_drafts(&drafts)?;
        let whole = |draft: Draft| draft.read_contents().map(|()| draft);
        let read = names.map(|name| read(&drafts, &name).transpose());
        Ok(read.flatten().map(|draft| draft.and_then(whole)).collect())
    }

    /// Returns the decisions of a review that was left, as they were stored.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if they cannot be read.
    pub fn kept_decisions(&self) -> Result<Option<Vec<u8>>, Failure> {
        self.drafts_folder()
            .read(DECISIONS, MOST_JSON)
            .map_err(Failure::from)
    }

    /// Stores the decisions of a review, and replaces earlier ones.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if they cannot be written.
    pub fn keep_decisions(&self, decisions: &[u8]) -> Result<(), Failure> {
        let folder = self.drafts_folder();
        folder.create()?;
        folder.replace(DECISIONS, decisions).map_err(Failure::from)
    }

    /// Lets a person edit a private copy of a text; returns the text then.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the copy cannot be written or is not text afterwards; fails as `edit` does. A copy that the person
    /// changed is then left, and named.
    pub fn edit_copy(
        &self,
        text: &str,
        edit: impl FnOnce(&Path) -> Result<(), Failure>,
    ) -> Result<String, EditFailure> {
        let folder = self.drafts_folder();
        let name = format!("{EDITED}{}.md", Uuid::new_v4());
        folder.write(&name, text.as_bytes())?;
        let path = folder.path_to(&name);
        let edited = edit(&path);
        let bytes = folder.read(&name, MOST_EDITED).map_err(Failure::from);
        let is_unchanged = matches!(&bytes, Ok(Some(bytes)) if bytes == text.as_bytes());
        let edited = edited.and(bytes).and_then(|bytes| {
            let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
            text.ok_or_else(|| {
                Code::IoError
                    .failure("The editor saved a text that is not UTF-8. Nothing was changed.")
            })
        });
        if edited.is_ok() || is_unchanged {
            folder.remove(&name)?;
        }
        edited.map_err(|failure| EditFailure {
            failure,
            left: (!is_unchanged).then(|| path.into_boxed_path()),
        })
    }

    /// Returns a warning for each copy that [`Self::edit_copy`] has left, also if a person edits it now.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if they cannot be listed.
    pub fn edited_copies(&self) -> Result<Vec<Issue>, Failure> {
        let folder = self.drafts_folder();
        let names = folder.names()?.into_iter();
        let copies = names.filter(|name| name.starts_with(EDITED));
        let issue = |name: String| {
            let message = format!(
                "The text that you edited in a review is still in the file {}. If no editor has it \
                open, copy what you need and remove the file.",
                folder.path_to(&name).display()
            );
            Issue::new("EDITED_TEXT_LEFT", message)
        };
        Ok(copies.map(issue).collect())
    }

    /// Saves a text that a person wrote and that has no place any more. Returns its file, which is never removed.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if it cannot be written.
    pub fn save_written(&self, text: &str) -> Result<PathBuf, Failure> {
        let folder = self.drafts_folder();
        folder.create()?;
        let name = format!("written-{}.md", Uuid::new_v4());
        folder.write(&name, text.as_bytes())?;
        Ok(folder.path_to(&name))
    }

    /// Length and time of the file that names everything in the draft. A reader that has the same can
    /// use the draft that it has read before. A writer reads the draft itself, under the lock.
    ///
    /// # Errors
    ///
    /// `DRAFT_DAMAGED` if only the contents of the draft are there.
    pub fn draft_stamp(&self, agent: Option<&str>) -> Result<Option<DraftStamp>, Failure> {
        let stamp = self.drafts_folder().below(&folder_of(agent)).state_of(FILE);
        if stamp.is_none() {
            self.draft_json(agent)?;
        }
        Ok(stamp)
    }

    /// Returns the file that names everything in the draft of this agent: a draft in memory that was stored as these
    /// bytes is the stored one.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if it cannot be read; `DRAFT_DAMAGED` if only the contents of the draft are there.
    pub fn draft_json(&self, agent: Option<&str>) -> Result<Option<Vec<u8>>, Failure> {
        read_file(&self.drafts_folder(), &folder_of(agent))
    }

    /// Returns the answers in the draft of this agent after the time that [`Self::answers_were_read`] stored.
    ///
    /// # Errors
    ///
    /// `DRAFT_DAMAGED` or `IO_ERROR` if the draft cannot be read.
    pub fn unread_answers(&self, agent: Option<&str>) -> Result<Vec<ReviewAnswer>, Failure> {
        let name = folder_of(agent);
        let drafts = self.drafts_folder();
        let Some(bytes) = read_file(&drafts, &name)? else {
            return Ok(Vec::new());
        };
        let until = drafts.below(&name).read(ANSWERS_READ, MOST_TIME)?;
        let until =
            until.and_then(|bytes| String::from_utf8(bytes).ok()?.parse::<Timestamp>().ok());
        let answers = parsed(&bytes, &name)?.answers.into_iter();
        Ok(answers
            .filter(|answer| until.is_none_or(|until| answer.at > until))
            .collect())
    }

    /// Stores that the agent has received the answers until this time.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if it cannot be written.
    pub fn answers_were_read(&self, agent: Option<&str>, until: Timestamp) -> Result<(), Failure> {
        let folder = self.drafts_folder().below(&folder_of(agent));
        let written = folder.replace(ANSWERS_READ, until.to_string().as_bytes());
        written.map_err(Failure::from)
    }

    /// Returns the stamps of all drafts, by their folders.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the folder cannot be read.
    pub fn draft_stamps(&self) -> Result<Vec<(String, Option<DraftStamp>)>, Failure> {
        let drafts = self.drafts_folder();
        let stamp = |name: String| {
            let stamp = drafts.below(&name).state_of(FILE);
            (name, stamp)
        };
        Ok(names_of_drafts(&drafts)?.map(stamp).collect())
    }
}

impl VaultLock {
    /// Stores a draft in place of the agent's present draft. When this returns, it is durable. An empty draft keeps
    /// only its answers. After an error the stored draft is the old or the new one.
    ///
    /// # Errors
    ///
    /// `DRAFT_FULL` if it is over a bound and larger than the stored one; `DRAFT_DAMAGED` if the
    /// stored one is damaged, which is left as it is; `IO_ERROR` if it cannot be written.
    pub fn keep_draft(&self, draft: &Draft) -> Result<(), Failure> {
        self.keep_draft_within(draft, &BOUNDS)
    }

    fn keep_draft_within(&self, draft: &Draft, bounds: &DraftBounds) -> Result<(), Failure> {
        let drafts = self.journal().drafts_folder();
        let name = folder_of(draft.agent.as_deref());
        let folder = drafts.below(&name);
        let stored = read_file(&drafts, &name)?
            .map(|bytes| parsed(&bytes, &name))
            .transpose()?;
        let contents = contents_of(draft);
        let plan = PackPlan::new(&folder, stored.as_ref(), &contents, &name)?;
        let form = DraftForm::from_draft(draft, plan.number, &plan.places);
        bounds.check(&form, stored.as_ref(), || bytes_of_others(&drafts, &name))?;
        let json = serde_json::to_vec(&form).map_err(|error| folder.unwritable(error))?;
        if json.len() as u64 > MOST_JSON {
            return Err(full(
                "files",
                bounds.files,
                "The draft has too many files. No more changes can be added.",
            ));
        }
        let is_new = !folder.exists();
        folder.create()?;
        if is_new {
            drafts.sync_names()?;
        }
        if stored.is_none() && !contents.is_empty() {
            // Contents without this file are those of a draft that has lost it.
            let empty = Draft::new(draft.agent.clone(), draft.created);
            folder.replace_json(FILE, &DraftForm::from_draft(&empty, 0, &Places::new()))?;
        }
        plan.write(&folder, &contents, &name)?;
        folder.replace(FILE, &json)?;
        // The draft is stored. What cannot be removed now is removed by the next change.
        let pack = form.pack.map(pack::name_of);
        for name in folder.names().unwrap_or_default() {
            if name != FILE && name != ANSWERS_READ && Some(&name) != pack.as_ref() {
                let _stays = folder.remove(&name);
            }
        }
        Ok(())
    }
}

impl DraftBounds {
    /// Checks a draft that is larger than the stored one. What makes it smaller is always possible.
    fn check(
        &self,
        new: &DraftForm,
        stored: Option<&DraftForm>,
        others: impl FnOnce() -> Result<u64, Failure>,
    ) -> Result<(), Failure> {
        let grows = |measure: fn(&DraftForm) -> u64| measure(new) > stored.map_or(0, measure);
        if grows(DraftForm::files) && new.files() > self.files {
            let message = format!("A draft can change at most {} files.", self.files);
            return Err(full("files", self.files, &message));
        }
        if !grows(DraftForm::bytes) {
            return Ok(());
        }
        if new.bytes() > self.bytes {
            let message = format!("A draft can contain at most {} bytes.", self.bytes);
            return Err(full("bytes", self.bytes, &message));
        }
        if new.bytes().saturating_add(others()?) > self.vault {
            let message = format!(
                "All drafts of a vault together can contain at most {} bytes.",
                self.vault
            );
            return Err(full("vault", self.vault, &message));
        }
        Ok(())
    }
}

/// Returns the folder of this agent's draft. A hash, so that no name of an agent is a path.
fn folder_of(agent: Option<&str>) -> String {
    agent.map_or_else(|| UNNAMED.to_owned(), |name| sha256(name.as_bytes()))
}

fn names_of_drafts(drafts: &StateFolder) -> Result<impl Iterator<Item = String>, Failure> {
    let names = drafts.names()?;
    let is_draft = |name: &String| name == UNNAMED || from_hexadecimal(name).is_some();
    Ok(names.into_iter().filter(is_draft))
}

/// Returns the number of bytes of all contents of the other drafts.
fn bytes_of_others(drafts: &StateFolder, own: &str) -> Result<u64, Failure> {
    let mut present = 0_u64;
    for other in names_of_drafts(drafts)?.filter(|name| name != own) {
        let folder = drafts.below(&other);
        let names = folder.names()?;
        let contents = names.iter().filter(|name| *name != FILE);
        let lengths = contents.filter_map(|name| Some(folder.state_of(name)?.0));
        present = lengths.fold(present, u64::saturating_add);
    }
    Ok(present)
}

fn read(drafts: &StateFolder, name: &str) -> Result<Option<Draft>, Failure> {
    let folder = drafts.below(name);
    let mut file = read_file(drafts, name)?;
    for _attempt in 0..ATTEMPTS {
        let Some(bytes) = file else {
            return Ok(None);
        };
        let form = parsed(&bytes, name)?;
        let pack = PackFile::open(&folder, &form)?;
        if let Some(draft) = form.into_draft(|version, at| pack.as_ref()?.content(version, at?)) {
            return Ok(Some(draft));
        }
        // A race: a writer may have replaced the file and removed the old contents.
        file = read_file(drafts, name)?;
        if file.as_ref() == Some(&bytes) {
            break;
        }
    }
    Err(damaged(name))
}

/// Returns the bytes of the [`FILE`] of a draft; `None` if the agent never had one.
fn read_file(drafts: &StateFolder, name: &str) -> Result<Option<Vec<u8>>, Failure> {
    let folder = drafts.below(name);
    let read = || folder.read(FILE, MOST_JSON);
    let file = read()?;
    if file.is_some()
        || !folder
            .names()?
            .iter()
            .any(|name| name.starts_with(pack::PREFIX))
    {
        return Ok(file);
    }
    // A race: a writer may have made both since.
    read()?.map(Some).ok_or_else(|| damaged(name))
}

fn parsed(bytes: &[u8], name: &str) -> Result<DraftForm, Failure> {
    let form = DraftForm::from_json(bytes);
    // A copied folder is not the draft of another agent.
    form.filter(|form| folder_of(form.agent.as_deref()) == name)
        .ok_or_else(|| damaged(name))
}

/// Returns the bytes of a content of a draft.
///
/// # Errors
///
/// `DRAFT_DAMAGED` if they cannot be read.
pub fn bytes_of(content: &PlannedContent) -> Result<&[u8], Failure> {
    content.bytes().map_err(|_| damage())
}

fn damaged(name: &str) -> Failure {
    damage().with("draft", name)
}

fn damage() -> Failure {
    Code::DraftDamaged.failure(
        "A draft is damaged, or another version of vault-gw wrote it. The draft was not changed.",
    )
}

fn full(reason: &str, limit: u64, message: &str) -> Failure {
    Code::DraftFull
        .failure(format!("{message} Nothing was changed."))
        .with("reason", reason)
        .with("limit", limit)
}
