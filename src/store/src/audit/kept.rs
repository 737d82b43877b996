//! The lines that are kept when a rotated file is dropped: changes, approvals and refusals
//! (`threats.toml` H17).
//!
//! Reads of an agent push out only reads, and harmless changes never push out the record of a change that lost
//! content. The lines are kept unchanged, so each still states its own hash; the mark counts them and contains a hash
//! over all. Each class has two files, and the older one is dropped when the newer one is full.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};

use serde::Deserialize;

use super::files::lines_of;
use super::line;
use super::mark::{Extent, KeptRange, Mark};
use crate::error::StoreError;
use crate::state_folder::StateFolder;
use allowlist::Effect;
use protocol::words;

/// Number of bytes that are written at once.
const PIECE: usize = 1 << 20;

/// Maximum number of bytes read after the lines in the mark.
const MOST_BEYOND: u64 = 64 << 20;

words! {
    /// The class of a record that is kept longer than reads and dry runs, and decides how long.
    pub(super) enum RecordClass {
        /// A run with the effect `destroy` or `publish`, or a call with an approval.
        Loss = "losses",
        /// Any other change of the vault.
        Change = "changes",
        /// A call that the gateway refused.
        Refusal = "refusals",
    }
}

impl RecordClass {
    /// Classifies a line; `None` for a read, a dry run, and a line that is not a record.
    fn classify(line: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct KeptFields {
            phase: String,
            decision: String,
            approved_by: Option<String>,
            #[serde(default)]
            effects: Vec<String>,
        }
        let is_grave = |effect: &String| {
            [Effect::Destroy, Effect::Publish]
                .map(Effect::name)
                .contains(&effect.as_str())
        };
        let fields: KeptFields = serde_json::from_slice(line).ok()?;
        // Only changes have the phases `intent` and `result`.
        let is_change = fields.phase != "decision";
        if fields.approved_by.is_some() || is_change && fields.effects.iter().any(is_grave) {
            Some(Self::Loss)
        } else if is_change {
            Some(Self::Change)
        } else {
            (fields.decision != "allowed").then_some(Self::Refusal)
        }
    }

    /// Returns the name of the file of this number.
    fn file(self, number: u64) -> String {
        format!("audit.{}.{number:010}.jsonl", self.name())
    }

    pub(super) fn kept_range(self, mark: &Mark) -> &KeptRange {
        match self {
            Self::Loss => &mark.losses,
            Self::Change => &mark.changes,
            Self::Refusal => &mark.refusals,
        }
    }

    /// Returns what is kept of this class, and the number of lines that were dropped.
    fn counts(self, mark: &mut Mark) -> (&mut KeptRange, &mut u64) {
        let dropped = &mut mark.dropped;
        match self {
            Self::Loss => (&mut mark.losses, &mut dropped.losses),
            Self::Change => (&mut mark.changes, &mut dropped.changes),
            Self::Refusal => (&mut mark.refusals, &mut dropped.refusals),
        }
    }

    /// Returns the files listed in the mark, oldest first, with their extents.
    pub(super) fn files(self, mark: &Mark) -> Vec<(String, Extent)> {
        let kept = self.kept_range(mark);
        let before = kept
            .number
            .checked_sub(1)
            .map(|number| (number, &kept.before));
        before
            .into_iter()
            .chain([(kept.number, &kept.now)])
            .filter(|(_, extent)| extent.lines > 0)
            .map(|(number, extent)| (self.file(number), extent.clone()))
            .collect()
    }
}

/// Copies the lines to keep of a rotated file, and counts the rest as dropped. The caller writes the
/// mark afterwards; until then this is idempotent. `most` is the maximum size of a file of kept lines.
pub(super) fn keep(
    folder: &StateFolder,
    full: &File,
    mark: &mut Mark,
    most: u64,
) -> Result<(), StoreError> {
    let mut writers = Vec::new();
    for class in RecordClass::ALL {
        writers.push(KeptWriter::begin(folder, class, mark, most)?);
    }
    for bytes in lines_of(full, u64::MAX).map_err(|error| folder.unreadable(error))? {
        let bytes = bytes.map_err(|error| folder.unreadable(error))?;
        let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let link = line::read(text).filter(|link| link.intact);
        let class = RecordClass::classify(text);
        let writer = writers
            .iter_mut()
            .find(|writer| Some(writer.class) == class);
        match (link, writer) {
            (Some(link), Some(writer)) => writer.add(mark, text, &link.hash)?,
            // The class of a damaged line cannot be trusted, so it counts as a read.
            _ => mark.dropped.reads += 1,
        }
    }
    for writer in &mut writers {
        writer.flush()?;
    }
    Ok(())
}

/// Removes files of kept lines that the mark no longer lists.
pub(super) fn sweep(folder: &StateFolder, mark: &Mark) -> Result<(), StoreError> {
    for name in folder.names()? {
        let number = RecordClass::ALL.into_iter().find_map(|class| {
            let rest = name.strip_prefix("audit.")?.strip_prefix(class.name())?;
            let number: u64 = rest
                .strip_prefix('.')?
                .strip_suffix(".jsonl")?
                .parse()
                .ok()?;
            Some((class, number))
        });
        if let Some((class, number)) = number
            && number + 1 < class.kept_range(mark).number
        {
            folder.remove(&name)?;
        }
    }
    Ok(())
}

/// Appends lines to the kept ones of a class.
struct KeptWriter<'log> {
    folder: &'log StateFolder,
    class: RecordClass,
    file: File,
    name: String,
    waiting: Vec<u8>,
    most: u64,
}

impl<'log> KeptWriter<'log> {
    fn begin(
        folder: &'log StateFolder,
        class: RecordClass,
        mark: &mut Mark,
        most: u64,
    ) -> Result<Self, StoreError> {
        let (kept, dropped) = class.counts(mark);
        if kept.now.bytes > most {
            let forgotten = std::mem::replace(&mut kept.before, std::mem::take(&mut kept.now));
            kept.number += 1;
            *dropped += forgotten.lines;
        }
        let name = class.file(kept.number);
        let (file, _) = folder.open_or_create(&name)?;
        // A process that died before it wrote the mark has left these bytes.
        folder.truncate(&name, &file, kept.now.bytes)?;
        Ok(Self {
            folder,
            class,
            file,
            name,
            waiting: Vec::new(),
            most,
        })
    }

    fn add(&mut self, mark: &mut Mark, line: &[u8], hash: &str) -> Result<(), StoreError> {
        if self.class.kept_range(mark).now.bytes > self.most {
            self.flush()?;
            *self = Self::begin(self.folder, self.class, mark, self.most)?;
        }
        self.class.counts(mark).0.now.add(hash, line.len() + 1);
        self.waiting.extend_from_slice(line);
        self.waiting.push(b'\n');
        if self.waiting.len() >= PIECE {
            self.write_waiting()?;
        }
        Ok(())
    }

    fn write_waiting(&mut self) -> Result<(), StoreError> {
        let waiting = std::mem::take(&mut self.waiting);
        self.folder.append(&self.name, &self.file, &waiting)
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        if !self.waiting.is_empty() {
            self.write_waiting()?;
        }
        // Synced before the mark, which says that these lines exist.
        self.folder.sync(&self.name, &self.file)
    }
}

/// Passes the kept lines of a file to `take`, oldest first, up to the extent in the mark. Returns
/// whether they are complete and unchanged.
pub(super) fn lines(
    folder: &StateFolder,
    name: &str,
    extent: &Extent,
    mut take: impl FnMut(&[u8]),
) -> Result<bool, StoreError> {
    let Some(file) = folder.open(name)? else {
        return Ok(false);
    };
    let mut found = Extent::default();
    for bytes in lines_of(&file, extent.bytes).map_err(|error| folder.unreadable(error))? {
        let bytes = bytes.map_err(|error| folder.unreadable(error))?;
        let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        if let Some(link) = line::read(text).filter(|link| link.intact) {
            found.add(&link.hash, bytes.len());
            take(text);
        }
    }
    Ok(found == *extent)
}

/// Reads the bytes of a file of kept lines after those that the mark counts, up to [`MOST_BEYOND`]. If a process died
/// before it wrote the mark, these bytes are copies of lines that are still in the log.
pub(super) fn beyond(
    folder: &StateFolder,
    name: &str,
    extent: &Extent,
) -> Result<Vec<u8>, StoreError> {
    let Some(mut file) = folder.open(name)? else {
        return Ok(Vec::new());
    };
    file.seek(SeekFrom::Start(extent.bytes))
        .map_err(|error| folder.unreadable(error))?;
    let mut bytes = Vec::new();
    file.take(MOST_BEYOND)
        .read_to_end(&mut bytes)
        .map_err(|error| folder.unreadable(error))?;
    Ok(bytes)
}
