//! The contents of a draft: one file to which new ones are appended. It is rewritten without unused contents when
//! they are most of it.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use uuid::Uuid;
use vault_engine::{ContentStore, PlannedContent, Version};

use super::damaged;
use super::form::{Contents, DraftForm, Places};
use crate::error::StoreError;
use crate::state_folder::StateFolder;
use protocol::Failure;

/// Number of unused bytes up to which a pack is not rewritten.
const SLACK: u64 = 1 << 20;

/// The beginning of the name of a pack.
pub(super) const PREFIX: &str = "contents-";

/// Returns the name of the pack with this number.
pub(super) fn name_of(number: u64) -> String {
    format!("{PREFIX}{number}")
}

/// An open pack, and its length when it was opened.
pub(super) struct PackFile {
    file: Mutex<File>,
    length: u64,
}

impl PackFile {
    /// Opens the pack that a form names; `None` if it names none, or the file is missing.
    pub(super) fn open(
        folder: &StateFolder,
        form: &DraftForm,
    ) -> Result<Option<Arc<Self>>, StoreError> {
        let file = form.pack.map(|number| folder.open(&name_of(number)));
        let Some(file) = file.transpose()?.flatten() else {
            return Ok(None);
        };
        Ok(Some(Arc::new(Self {
            length: folder.length(&file)?,
            file: Mutex::new(file),
        })))
    }

    /// Returns a content; `None` if the file ends before it.
    pub(super) fn content(self: &Arc<Self>, version: Version, at: u64) -> Option<PlannedContent> {
        let is_there = ends_within(at, version.size, self.length);
        is_there.then(|| PlannedContent::stored(version, Arc::clone(self) as _, at))
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
        let number = stored.and_then(|form| form.pack);
        let length = number.and_then(|number| Some(folder.state_of(&name_of(number))?.0));
        let is_missing = |(version, at): (Version, Option<u64>)| {
            !at.is_some_and(|at| ends_within(at, version.size, length.unwrap_or_default()))
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
        let (file, _) = folder.open_or_create(&name)?;
        for content in self
            .missing
            .iter()
            .filter_map(|sha256| contents.get(sha256))
        {
            let bytes = content.bytes().map_err(|_| damaged(draft))?;
            folder.append(&name, &file, bytes)?;
        }
        folder.sync(&name, &file)?;
        if self.is_new {
            folder.sync_names()?;
        }
        Ok(())
    }
}
