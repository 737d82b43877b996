//! The contents of a draft: one file to which new ones are appended. It is rewritten without unused contents when
//! they are most of it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use uuid::Uuid;
use vault_engine::{ContentStore, PlannedContent, Version};

use super::form::{Contents, DraftForm, Places};
use super::{damaged, unreadable, unwritable};
use crate::state_folder::StateFolder;
use protocol::digest::hexadecimal;
use protocol::failure::Failure;
use sandbox::private_dir::Unsafe;

/// Number of unused bytes up to which a pack is not rewritten.
const SLACK: u64 = 1 << 20;

/// Returns the name of the pack with this number.
pub(super) fn name_of(number: u64) -> String {
    format!("contents-{number}")
}

/// The contents of a stored draft.
pub(super) enum Pack {
    /// The contents are in one file. The file stays open, so a writer may remove it in the meantime.
    File(Arc<PackFile>),
    /// The contents that had a file each, which were read at once.
    Read(BTreeMap<[u8; 32], PlannedContent>),
}

/// An open pack, and its length when it was opened.
pub(super) struct PackFile {
    file: Mutex<File>,
    length: u64,
}

impl Pack {
    /// Opens the contents that a form names. Missing and damaged ones are left out.
    pub(super) fn open(folder: &StateFolder, form: &DraftForm) -> Result<Self, Failure> {
        let Some(number) = form.pack() else {
            return read_files(folder, form).map(Self::Read);
        };
        let Some(file) = folder
            .open(&name_of(number))
            .map_err(|error| unreadable(&error))?
        else {
            return Ok(Self::Read(BTreeMap::new()));
        };
        let length = file
            .metadata()
            .map_err(|error| unreadable(&Unsafe::Io(error)))?
            .len();
        Ok(Self::File(Arc::new(PackFile {
            file: Mutex::new(file),
            length,
        })))
    }

    /// Returns a content; `None` if it is missing.
    pub(super) fn content(&self, version: Version, at: Option<u64>) -> Option<PlannedContent> {
        match self {
            Self::Read(contents) => contents.get(&version.sha256).cloned(),
            Self::File(pack) => {
                let at = at?;
                let is_there = ends_within(at, version.size, pack.length);
                is_there.then(|| PlannedContent::stored(version, Arc::clone(pack) as _, at))
            }
        }
    }
}

/// Whether a content at this place ends within a pack of this length.
fn ends_within(at: u64, size: u64, length: u64) -> bool {
    at.checked_add(size).is_some_and(|end| end <= length)
}

impl ContentStore for PackFile {
    fn read(&self, version: Version, place: u64) -> io::Result<Vec<u8>> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(place))?;
        let mut bytes = Vec::with_capacity(usize::try_from(version.size).unwrap_or_default());
        file.by_ref().take(version.size).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Returns the contents that a form of the first version names. Missing and damaged ones are left
/// out.
fn read_files(
    folder: &StateFolder,
    form: &DraftForm,
) -> Result<BTreeMap<[u8; 32], PlannedContent>, Failure> {
    let mut contents = BTreeMap::new();
    for (version, _) in form.contents() {
        let bytes = match folder.read(&hexadecimal(&version.sha256), version.size) {
            Err(error @ Unsafe::Io(_)) => return Err(unreadable(&error)),
            read => read.ok().flatten(),
        };
        let content = bytes.map(PlannedContent::new);
        if let Some(content) = content.filter(|content| content.version() == version) {
            contents.insert(version.sha256, content);
        }
    }
    Ok(contents)
}

/// The planned positions of the contents of a draft.
pub(super) struct PackPlan {
    /// The number of the pack.
    pub(super) number: u64,
    pub(super) places: Places,
    /// Whether the pack is a new file.
    is_new: bool,
    /// The contents to append, in this order.
    missing: Vec<[u8; 32]>,
}

impl PackPlan {
    /// Keeps the pack of the stored draft, unless most of it would be of no use.
    ///
    /// # Errors
    ///
    /// `DRAFT_DAMAGED` if the pack of the stored draft lacks a content.
    pub(super) fn new(
        folder: &StateFolder,
        stored: Option<&DraftForm>,
        contents: &Contents<'_>,
        draft: &str,
    ) -> Result<Self, Failure> {
        let number = stored.and_then(DraftForm::pack);
        let length = number.and_then(|number| Some(folder.state_of(&name_of(number))?.0));
        let is_missing = |(version, at): (Version, Option<u64>)| {
            at.is_some_and(|at| !ends_within(at, version.size, length.unwrap_or_default()))
        };
        if stored.is_some_and(|stored| stored.contents().any(is_missing)) {
            return Err(damaged(draft));
        }
        let mut places = stored.map(DraftForm::places).unwrap_or_default();
        places.retain(|sha256, _| contents.contains_key(sha256));
        let sum = |sum: u64, content: &&PlannedContent| sum.saturating_add(content.version().size);
        let all = contents.values().fold(0, sum);
        let new = contents
            .iter()
            .filter(|(sha256, _)| !places.contains_key(*sha256));
        let new = new.map(|(_, content)| content).fold(0, sum);
        let most = all.saturating_mul(2).saturating_add(SLACK);
        let kept = length.filter(|length| length.saturating_add(new) <= most);
        if kept.is_none() {
            places.clear();
        }
        let mut end = kept.unwrap_or_default();
        let mut missing = Vec::new();
        for (sha256, content) in contents {
            places.entry(*sha256).or_insert_with(|| {
                missing.push(*sha256);
                let at = end;
                end = end.saturating_add(content.version().size);
                at
            });
        }
        // Never the number of a pack that was removed: a reader may be about to open it.
        let next = || Uuid::new_v4().as_u64_pair().0;
        Ok(Self {
            number: number.filter(|_| kept.is_some()).unwrap_or_else(next),
            places,
            is_new: kept.is_none(),
            missing,
        })
    }

    /// Appends what is missing. When this returns, it is durable.
    pub(super) fn write(
        &self,
        folder: &StateFolder,
        contents: &Contents<'_>,
        draft: &str,
    ) -> Result<(), Failure> {
        if self.missing.is_empty() {
            return Ok(());
        }
        let name = name_of(self.number);
        let unwritable = |error: Unsafe| unwritable(&error);
        let (file, _) = folder.open_or_create(&name).map_err(unwritable)?;
        for content in self
            .missing
            .iter()
            .filter_map(|sha256| contents.get(sha256))
        {
            let bytes = content.bytes().map_err(|_| damaged(draft))?;
            folder.append(&name, &file, bytes).map_err(unwritable)?;
        }
        folder.sync(&name, &file).map_err(unwritable)?;
        if self.is_new {
            folder.sync_names().map_err(unwritable)?;
        }
        Ok(())
    }
}
