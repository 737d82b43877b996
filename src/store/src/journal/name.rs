//! The file names of a journal.

use uuid::Uuid;

use protocol::digest::{from_hexadecimal, hexadecimal};

/// The file name of an entry, with its order, run and stage:
/// `0001773480413000-<run>.new`, then `.open`, then `.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EntryName {
    /// Milliseconds since 1970 when the run began, or one more than the entry before it.
    pub(super) order: u64,
    /// The id of the run.
    pub(super) run: Uuid,
    /// The stage of the run, from the suffix of the name.
    pub(super) stage: Stage,
}

/// The stage of an entry's run. It distinguishes an entry that was never complete from one that was
/// damaged later (`threats.toml` H11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// The entry is being written. The run has changed nothing.
    New,
    /// The entry was complete and synced before it got this name. The run may have changed files.
    Open,
    /// The run has ended.
    Ended,
}

impl Stage {
    const ALL: [Self; 3] = [Self::New, Self::Open, Self::Ended];

    const fn suffix(self) -> &'static str {
        match self {
            Self::New => ".new",
            Self::Open => ".open",
            Self::Ended => ".json",
        }
    }
}

/// The suffix of a damaged entry after `undo --forget`.
const DAMAGED: &str = ".damaged";
const BLOB: &str = ".lz4";
const ORDER_DIGITS: usize = 16;

impl EntryName {
    /// Parses a file name; `None` if it is not the name of an entry.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let mut stages = Stage::ALL.into_iter();
        let (stem, stage) =
            stages.find_map(|stage| Some((name.strip_suffix(stage.suffix())?, stage)))?;
        let (order, run) = stem.split_once('-')?;
        if order.len() != ORDER_DIGITS || !order.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let parsed = Self {
            order: order.parse().ok()?,
            run: Uuid::try_parse(run).ok()?,
            stage,
        };
        // Only the canonical spelling, so that formatting the parsed name finds the same file.
        (parsed.to_string() == name).then_some(parsed)
    }

    /// Whether the run has ended.
    pub(super) fn is_ended(self) -> bool {
        self.stage == Stage::Ended
    }

    /// Returns the name of the same entry at another stage.
    pub(super) fn with_stage(self, stage: Stage) -> Self {
        Self { stage, ..self }
    }

    /// Returns the file name of a damaged entry after `undo --forget`.
    pub(super) fn damaged(self) -> String {
        format!("{self}{DAMAGED}")
    }
}

impl std::fmt::Display for EntryName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let suffix = self.stage.suffix();
        write!(formatter, "{:016}-{}{suffix}", self.order, self.run)
    }
}

/// Returns the file name of the content with this hash.
pub(super) fn blob(sha256: &[u8; 32]) -> String {
    format!("{}{BLOB}", hexadecimal(sha256))
}

/// Returns the hash in the name of a content file; `None` for other files.
pub(super) fn blob_hash(name: &str) -> Option<[u8; 32]> {
    from_hexadecimal(name.strip_suffix(BLOB)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_by_time_and_have_one_spelling() {
        let run = Uuid::from_u128(7);
        let name = EntryName {
            order: 1_773_480_413_000,
            run,
            stage: Stage::Open,
        };
        let text = name.to_string();
        assert_eq!(
            text,
            "0001773480413000-00000000-0000-0000-0000-000000000007.open"
        );
        assert_eq!(EntryName::parse(&text), Some(name));
        for (stage, end) in [(Stage::New, "7.new"), (Stage::Ended, "7.json")] {
            let other = name.with_stage(stage);
            assert!(other.to_string().ends_with(end));
            assert_eq!(EntryName::parse(&other.to_string()), Some(other));
        }
        for other in [
            text.to_uppercase(),
            text.replacen('0', "", 1),
            format!("{text}.tmp"),
            name.damaged(),
            "lock".to_owned(),
            blob(&[7; 32]),
        ] {
            assert_eq!(EntryName::parse(&other), None, "{other}");
        }
        let later = EntryName {
            order: 9_999_999_999_999,
            ..name
        };
        assert!(later > name && later.to_string() > text);
    }

    #[test]
    fn hashes_are_read_back() {
        let hash: [u8; 32] = std::array::from_fn(|index| u8::try_from(index * 8).unwrap());
        assert_eq!(blob_hash(&blob(&hash)), Some(hash));
        for bad in ["", "ab.lz4", &blob(&hash).to_uppercase(), "é.lz4"] {
            assert_eq!(blob_hash(bad), None, "{bad}");
        }
    }
}
