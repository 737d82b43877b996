//! The mark: records where the log begins and ends, in a file of its own (`threats.toml` H17).
//!
//! The chain of hashes shows what was changed inside the log, not that its end was cut off. The mark
//! does. It is written after each line, so the log may be one line ahead of it and never behind:
//! a crash between the two leaves the log ahead, a cut leaves it behind.
//!
//! The file contains two slots of fixed size that are overwritten in turn, each with its own hash.
//! A torn write leaves the other slot intact. The mark is not synced, so after a power failure it
//! can be older than the log, and unsynced lines of the log can be missing too. The mark contains
//! the boot id, which shows whether the machine was restarted since.

use std::fs::File;
use std::io::Read as _;

use serde::{Deserialize, Serialize};

use super::line::{Head, MissingLines};
use crate::error::StoreError;
use crate::state_folder::StateFolder;
use protocol::digest::sha256;

pub(super) const MARK: &str = "audit.mark";
const SLOT: usize = 2048;
const HASH_DIGITS: usize = 64;

/// The recorded beginning and end of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Mark {
    /// A counter of writes, which identifies the newer slot.
    pub(super) writes: u64,
    /// The boot id at the time of writing, if the system has one.
    pub(super) boot: Option<String>,
    /// The number of the newest line.
    pub(super) seq: u64,
    /// SHA-256 of the newest line, as hexadecimal digits.
    pub(super) hash: String,
    /// The number of the newest synced line.
    pub(super) durable: u64,
    /// The number of the oldest line that was not dropped.
    pub(super) first: u64,
    /// Lines of [`super::kept::RecordClass::Loss`] that were kept of dropped files.
    #[serde(default)]
    pub(super) losses: KeptRange,
    /// Kept lines of the class `Change`.
    pub(super) changes: KeptRange,
    /// Kept lines of the class `Refusal`.
    pub(super) refusals: KeptRange,
    /// Numbers of dropped records.
    pub(super) dropped: Dropped,
}

/// The kept lines of dropped files, in the newest file of kept lines and the file before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct KeptRange {
    /// The number in the name of the newest file.
    pub(super) number: u64,
    /// The content of the newest file.
    pub(super) now: Extent,
    /// The content of the file before it.
    pub(super) before: Extent,
}

/// The content of a file of kept lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Extent {
    pub(super) lines: u64,
    pub(super) bytes: u64,
    /// SHA-256 over the hashes of all lines in turn; empty if there is no line.
    pub(super) digest: String,
}

impl Extent {
    /// Adds one line to the digest and the counts.
    pub(super) fn add(&mut self, line_hash: &str, bytes: usize) {
        self.lines += 1;
        self.bytes += bytes as u64;
        self.digest = sha256(format!("{}{line_hash}", self.digest).as_bytes());
    }
}

/// Numbers of dropped records by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Dropped {
    /// Number of dropped reads and dry runs.
    pub reads: u64,
    /// Number of dropped refusals.
    pub refusals: u64,
    /// Changes without the effect `destroy` or `publish`.
    pub changes: u64,
    /// Runs with the effect `destroy` or `publish`, and calls with an approval.
    #[serde(default)]
    pub losses: u64,
}

impl Mark {
    /// The mark of a new log, or of an existing one whose mark is missing.
    pub(super) fn new(newest: &Head) -> Self {
        Self {
            seq: newest.seq,
            hash: newest.hash.clone(),
            first: 1,
            ..Self::default()
        }
    }

    /// Returns the newest line, as the mark knows it.
    pub(super) fn head(&self) -> Head {
        Head {
            seq: self.seq,
            hash: self.hash.clone(),
        }
    }

    /// Compares the log's newest line with the mark.
    pub(super) fn against(&self, newest: &Head) -> MarkStanding {
        if newest.seq < self.seq {
            let boots = self.boot.clone().zip(this_boot());
            let restarted = boots.is_some_and(|(then, now)| then != now);
            MarkStanding::Missing(MissingLines {
                lines: Some(self.seq - newest.seq),
                power: restarted && newest.seq >= self.durable,
            })
        } else if newest.seq == self.seq && newest.hash != self.hash {
            MarkStanding::Replaced
        } else {
            MarkStanding::Whole
        }
    }
}

/// The end of the log compared with the mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkStanding {
    /// The log ends at the mark or after it.
    Whole,
    /// Lines at the end of the log are missing.
    Missing(MissingLines),
    /// The line with the mark's number has another hash.
    Replaced,
}

/// Reads the mark; `None` if neither slot is intact.
pub(super) fn read(folder: &StateFolder) -> Result<Option<Mark>, StoreError> {
    let Some(file) = folder.open(MARK)? else {
        return Ok(None);
    };
    newest(file).map_err(|error| folder.unreadable(error))
}

fn newest(file: File) -> std::io::Result<Option<Mark>> {
    let mut bytes = Vec::with_capacity(2 * SLOT);
    file.take(2 * SLOT as u64).read_to_end(&mut bytes)?;
    let marks = bytes.chunks(SLOT).filter_map(parse_slot);
    Ok(marks.max_by_key(|mark| mark.writes))
}

fn parse_slot(slot: &[u8]) -> Option<Mark> {
    let text = std::str::from_utf8(slot).ok()?.trim_end();
    let (hash, text) = text.split_at_checked(HASH_DIGITS)?;
    let text = text.strip_prefix(' ')?;
    (sha256(text.as_bytes()) == hash).then_some(())?;
    serde_json::from_str(text).ok()
}

/// Writes the mark over the older slot, so that a torn write leaves the newer one intact.
pub(super) fn write(folder: &StateFolder, mark: &mut Mark) -> Result<(), StoreError> {
    mark.writes += 1;
    mark.boot = this_boot();
    let text = serde_json::to_string(mark).map_err(|error| folder.unwritable(error))?;
    let mut slot = format!("{} {text}", sha256(text.as_bytes())).into_bytes();
    if slot.len() >= SLOT {
        return Err(folder.unwritable(std::io::ErrorKind::FileTooLarge));
    }
    slot.resize(SLOT - 1, b' ');
    slot.push(b'\n');
    let offset = (mark.writes % 2) * SLOT as u64;
    folder.overwrite(MARK, offset, &slot)
}

/// Returns the boot id of the machine, if the system has one.
fn this_boot() -> Option<String> {
    static BOOT: std::sync::LazyLock<Option<String>> = std::sync::LazyLock::new(|| {
        let text = fs_err::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        let text = text.trim();
        (!text.is_empty() && text.len() <= 64).then(|| text.to_owned())
    });
    BOOT.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, StateFolder) {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::new(
            crate::error::Collection::AuditLog,
            folder.path().join("state"),
            &[],
            None,
        );
        state.create().unwrap();
        (folder, state)
    }

    fn head(seq: u64, hash: &str) -> Head {
        Head {
            seq,
            hash: hash.repeat(32),
        }
    }

    #[test]
    fn h11_h17_a_mark_that_is_torn_anywhere_leaves_the_one_before_it() {
        let (place, folder) = folder();
        let mut mark = Mark::new(&head(1, "ab"));
        let largest = Extent {
            lines: u64::MAX,
            bytes: u64::MAX,
            digest: "f".repeat(64),
        };
        for kept in [&mut mark.losses, &mut mark.changes, &mut mark.refusals] {
            kept.number = u64::MAX;
            kept.now = largest.clone();
            kept.before = largest.clone();
        }
        write(&folder, &mut mark).unwrap();
        assert_eq!(read(&folder).unwrap(), Some(mark.clone()));
        let before = mark.clone();
        mark.seq = 2;
        let file = place.path().join("state").join(MARK);
        let old = fs_err::read(&file).unwrap();
        write(&folder, &mut mark).unwrap();
        let new = fs_err::read(&file).unwrap();
        assert_eq!(new.len(), 2 * SLOT);
        assert_eq!(read(&folder).unwrap(), Some(mark));
        for torn in (1..SLOT - 1).step_by(61) {
            // The even slot is the newer one.
            let mut bytes = new.clone();
            bytes[torn..SLOT].copy_from_slice(&vec![0; SLOT - torn]);
            fs_err::write(&file, &bytes).unwrap();
            assert_eq!(read(&folder).unwrap().as_ref(), Some(&before), "{torn}");
        }
        fs_err::write(&file, &old[..10]).unwrap();
        assert_eq!(read(&folder).unwrap(), None);
    }

    #[test]
    fn h17_a_cut_is_distinguished_from_a_crash_and_from_a_power_failure() {
        let mut mark = Mark::new(&head(10, "ab"));
        mark.durable = 7;
        mark.boot = this_boot();
        let missing = |lines, power| {
            let lines = Some(lines);
            MarkStanding::Missing(MissingLines { lines, power })
        };
        assert_eq!(mark.against(&head(10, "ab")), MarkStanding::Whole);
        assert_eq!(mark.against(&head(11, "cd")), MarkStanding::Whole);
        assert_eq!(mark.against(&head(10, "cd")), MarkStanding::Replaced);
        assert_eq!(mark.against(&head(9, "cd")), missing(1, false));
        mark.boot = None;
        assert_eq!(mark.against(&head(9, "cd")), missing(1, false));
        if this_boot().is_some() {
            mark.boot = Some("another start".to_owned());
            assert_eq!(mark.against(&head(7, "cd")), missing(3, true));
            assert_eq!(mark.against(&head(6, "cd")), missing(4, false));
        }
    }
}
