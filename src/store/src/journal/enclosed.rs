//! Contents stored inline in the file of the entry that needs them. Only small ones, so that one sync
//! covers both.
//!
//! The file of an entry is one line of JSON, which names each content by its hash and says how many
//! bytes it has there, and then those bytes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};
use vault_engine::Version;

use super::hash_text as hash;
use super::packed;

/// Maximum compressed bytes of a content inside an entry. Larger contents, and contents that no longer fit into
/// [`MOST`] bytes, get their own files: an entry is read as a whole, but each extra file costs a sync.
const LARGEST: usize = 256 << 10;
const MOST: usize = 64 << 20;

/// The inline contents of one entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "Vec<EnclosedContent>")]
pub(super) struct Enclosed {
    contents: Vec<EnclosedContent>,
    /// The index of each content in that list, by hash.
    places: BTreeMap<[u8; 32], usize>,
    /// Compressed bytes of all contents.
    total_bytes: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EnclosedContent {
    #[serde(with = "hash")]
    sha256: [u8; 32],
    /// Compressed bytes after the entry's line.
    bytes: usize,
    #[serde(skip)]
    packed: Vec<u8>,
}

impl Enclosed {
    pub(super) fn is_empty(&self) -> bool {
        self.contents.is_empty()
    }

    /// Adds a content. Returns `Err` with the compressed bytes if it is too large to be inline.
    pub(super) fn take(&mut self, version: &Version, packed: Vec<u8>) -> Result<(), Vec<u8>> {
        if self.holds(&version.sha256) {
            return Ok(());
        }
        if packed.len() > LARGEST || self.total_bytes.saturating_add(packed.len()) > MOST {
            return Err(packed);
        }
        self.push(EnclosedContent {
            sha256: version.sha256,
            bytes: packed.len(),
            packed,
        });
        Ok(())
    }

    fn push(&mut self, content: EnclosedContent) {
        self.places.insert(content.sha256, self.contents.len());
        self.total_bytes = self.total_bytes.saturating_add(content.bytes);
        self.contents.push(content);
    }

    /// Returns the content of this version; `None` if it is missing or damaged.
    pub(super) fn get(&self, version: &Version) -> Option<Vec<u8>> {
        let content = self.contents.get(*self.places.get(&version.sha256)?)?;
        packed::unpack(&content.packed, version)
    }

    /// Whether it contains the content with this hash.
    pub(super) fn holds(&self, sha256: &[u8; 32]) -> bool {
        self.places.contains_key(sha256)
    }

    /// Appends the bytes after the entry's line.
    pub(super) fn write_to(&self, file: &mut Vec<u8>) {
        for content in &self.contents {
            file.extend_from_slice(&content.packed);
        }
    }

    /// Reads the bytes after the line, and drops incomplete contents. Returns whether the number of bytes is the line's.
    pub(super) fn read_from(&mut self, mut rest: &[u8]) -> bool {
        let mut whole = Self::default();
        let stated = std::mem::take(self).contents;
        let count = stated.len();
        for content in stated {
            let Some((packed, more)) = rest.split_at_checked(content.bytes) else {
                break;
            };
            whole.push(EnclosedContent {
                packed: packed.to_vec(),
                ..content
            });
            rest = more;
        }
        *self = whole;
        rest.is_empty() && self.contents.len() == count
    }
}

impl From<Vec<EnclosedContent>> for Enclosed {
    fn from(contents: Vec<EnclosedContent>) -> Self {
        let mut enclosed = Self::default();
        for content in contents {
            enclosed.push(content);
        }
        enclosed
    }
}

impl Serialize for Enclosed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.contents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed_content(text: &[u8]) -> (Version, Vec<u8>) {
        (Version::from_bytes(text), packed::pack(text))
    }

    #[test]
    fn contents_come_back_as_they_were_and_each_stands_there_once() {
        let mut enclosed = Enclosed::default();
        let texts: [&[u8]; 4] = [b"one", b"", b"two\n\xff\0", b"one"];
        for text in texts {
            let (version, packed) = packed_content(text);
            enclosed.take(&version, packed).unwrap();
        }
        let line = serde_json::to_string(&enclosed).unwrap();
        let mut bytes = Vec::new();
        enclosed.write_to(&mut bytes);
        let mut read: Enclosed = serde_json::from_str(&line).unwrap();
        assert_eq!(read.contents.len(), 3);
        assert!(read.read_from(&bytes));
        for text in texts {
            assert_eq!(read.get(&Version::from_bytes(text)).as_deref(), Some(text));
        }
        assert_eq!(read.get(&Version::from_bytes(b"three")), None);
        bytes.push(0);
        assert!(!read.clone().read_from(&bytes));
        for length in 0..bytes.len() - 1 {
            assert!(!read.clone().read_from(&bytes[..length]), "{length}");
        }
    }

    #[test]
    fn what_is_too_large_or_too_much_is_given_back() {
        let mut enclosed = Enclosed::default();
        let version = |number: usize| Version::from_bytes(&number.to_le_bytes());
        let large = vec![7; LARGEST + 1];
        assert_eq!(enclosed.take(&version(0), large.clone()), Err(large));
        let count = MOST / LARGEST;
        for number in 1..=count {
            assert_eq!(enclosed.take(&version(number), vec![7; LARGEST]), Ok(()));
        }
        assert!(enclosed.take(&version(count + 1), vec![7]).is_err());
        assert_eq!(enclosed.contents.len(), count);
    }
}
