//! Contents that stand in the file of the entry that needs them: small ones, so that one wait for
//! the disk is enough for both.
//!
//! The file of an entry is one line of JSON, which names each content by its hash and says how many
//! bytes it has there, and then those bytes.

use serde::{Deserialize, Serialize};
use vault_engine::Version;

use super::blobs;
use super::entry::hash;

/// Larger contents, in bytes as they are kept, have a file of their own, and so do those that come
/// when an entry holds [`MOST`] already: an entry is read whole.
const LARGEST: usize = 256 << 10;
const MOST: usize = 4 << 20;

/// The contents in one entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Enclosed(Vec<Content>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    #[serde(with = "hash")]
    sha256: [u8; 32],
    /// Bytes after the line, packed.
    bytes: usize,
    #[serde(skip)]
    packed: Vec<u8>,
}

impl Enclosed {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes a content in; gives it back packed where it is too large.
    pub(super) fn take(&mut self, version: &Version, packed: Vec<u8>) -> Result<(), Vec<u8>> {
        let held: usize = self.0.iter().map(|content| content.bytes).sum();
        if packed.len() > LARGEST || held + packed.len() > MOST {
            return Err(packed);
        }
        if !self.holds(&version.sha256) {
            self.0.push(Content {
                sha256: version.sha256,
                bytes: packed.len(),
                packed,
            });
        }
        Ok(())
    }

    /// The content of this version; none where it is not here, or damaged.
    pub(super) fn get(&self, version: &Version) -> Option<Vec<u8>> {
        let content = self
            .0
            .iter()
            .find(|content| content.sha256 == version.sha256)?;
        blobs::unpack(&content.packed, version)
    }

    /// Whether the content with this hash is here.
    pub(super) fn holds(&self, sha256: &[u8; 32]) -> bool {
        self.0.iter().any(|content| content.sha256 == *sha256)
    }

    /// Puts the bytes at the end of the entry's line.
    pub(super) fn write_to(&self, file: &mut Vec<u8>) {
        for content in &self.0 {
            file.extend_from_slice(&content.packed);
        }
    }

    /// Reads the bytes after the line; `None` where there are not as many as the line says.
    pub(super) fn read_from(&mut self, mut rest: &[u8]) -> Option<()> {
        for content in &mut self.0 {
            let (packed, more) = rest.split_at_checked(content.bytes)?;
            content.packed = packed.to_vec();
            rest = more;
        }
        rest.is_empty().then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(text: &[u8]) -> (Version, Vec<u8>) {
        (Version::of(text), blobs::pack(text))
    }

    #[test]
    fn contents_come_back_as_they_were_and_each_stands_there_once() {
        let mut enclosed = Enclosed::default();
        let texts: [&[u8]; 4] = [b"one", b"", b"two\n\xff\0", b"one"];
        for text in texts {
            let (version, packed) = packed(text);
            enclosed.take(&version, packed).unwrap();
        }
        let line = serde_json::to_string(&enclosed).unwrap();
        let mut bytes = Vec::new();
        enclosed.write_to(&mut bytes);
        let mut read: Enclosed = serde_json::from_str(&line).unwrap();
        assert_eq!(read.0.len(), 3);
        read.read_from(&bytes).unwrap();
        for text in texts {
            assert_eq!(read.get(&Version::of(text)).as_deref(), Some(text));
        }
        assert_eq!(read.get(&Version::of(b"three")), None);
        bytes.push(0);
        assert_eq!(read.read_from(&bytes), None);
        for length in 0..bytes.len() - 1 {
            assert_eq!(read.read_from(&bytes[..length]), None, "{length}");
        }
    }

    #[test]
    fn what_is_too_large_or_too_much_is_given_back() {
        let mut enclosed = Enclosed::default();
        let version = |number: usize| Version::of(&number.to_le_bytes());
        let large = vec![7; LARGEST + 1];
        assert_eq!(enclosed.take(&version(0), large.clone()), Err(large));
        let count = MOST / LARGEST;
        for number in 1..=count {
            assert_eq!(enclosed.take(&version(number), vec![7; LARGEST]), Ok(()));
        }
        assert!(enclosed.take(&version(count + 1), vec![7]).is_err());
        assert_eq!(enclosed.0.len(), count);
    }
}
