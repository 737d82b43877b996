//! What the files of a journal are called.

use uuid::Uuid;

/// The name of an entry, which tells its order, its run and whether the run has ended:
/// `0001773480413000-<run>.json`, or `.open` until then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EntryName {
    /// Milliseconds since 1970 when it began, or one more than the entry before it.
    pub(super) order: u64,
    /// The run.
    pub(super) run: Uuid,
    /// Whether the run has ended.
    pub(super) ended: bool,
}

const ENDED: &str = ".json";
const OPEN: &str = ".open";
/// What an unfinished entry becomes that cannot be read.
const DAMAGED: &str = ".damaged";
const BLOB: &str = ".lz4";
const ORDER_DIGITS: usize = 16;

impl EntryName {
    /// Reads a name; none where the file is no entry.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let (stem, ended) = match name.strip_suffix(ENDED) {
            Some(stem) => (stem, true),
            None => (name.strip_suffix(OPEN)?, false),
        };
        let (order, run) = stem.split_once('-')?;
        if order.len() != ORDER_DIGITS || !order.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let parsed = Self {
            order: order.parse().ok()?,
            run: Uuid::try_parse(run).ok()?,
            ended,
        };
        // One spelling only, so that a name is found by what it says.
        (parsed.to_string() == name).then_some(parsed)
    }

    /// The same entry when its run has ended.
    pub(super) fn ended(self) -> Self {
        Self {
            ended: true,
            ..self
        }
    }

    /// Where an unreadable entry is put, out of the way and kept.
    pub(super) fn damaged(self) -> String {
        format!("{self}{DAMAGED}")
    }
}

impl std::fmt::Display for EntryName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let suffix = if self.ended { ENDED } else { OPEN };
        write!(formatter, "{:016}-{}{suffix}", self.order, self.run)
    }
}

/// The file that holds the content with this hash.
pub(super) fn blob(sha256: &[u8; 32]) -> String {
    format!("{}{BLOB}", hexadecimal(sha256))
}

/// The hash of a content file; none for another file.
pub(super) fn blob_hash(name: &str) -> Option<[u8; 32]> {
    from_hexadecimal(name.strip_suffix(BLOB)?)
}

/// 64 lower-case digits.
pub(super) fn hexadecimal(sha256: &[u8; 32]) -> String {
    sha256.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What [`hexadecimal`] gives, back.
pub(super) fn from_hexadecimal(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    let is_plain = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != 64 || !text.as_bytes().iter().all(is_plain) {
        return None;
    }
    for (byte, at) in bytes.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(text.get(at..at + 2)?, 16).ok()?;
    }
    Some(bytes)
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
            ended: false,
        };
        let text = name.to_string();
        assert_eq!(
            text,
            "0001773480413000-00000000-0000-0000-0000-000000000007.open"
        );
        assert_eq!(EntryName::parse(&text), Some(name));
        assert!(name.ended().to_string().ends_with("7.json"));
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
