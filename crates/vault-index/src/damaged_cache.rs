//! Index caches whose checksums are right and whose sections are not, for tests and fuzzing.
//!
//! A checksum detects bytes that decayed, but not a program that writes into the cache folder. So the code behind it
//! must not panic either, for any numbers that it reads.

use std::path::Path;

use vault_files::Vault;

use super::cache::{CacheFile, CachePlace, CacheSection};
use super::listing::CachedFile;
use crate::indexed_vault::IndexedVault;

/// A small vault with a valid cache, which can be damaged again and again.
pub struct DamagedCache {
    vault: Vault,
    place: CachePlace,
    sections: Vec<(CacheSection, Vec<u8>)>,
}

impl DamagedCache {
    /// Makes the vault and its cache below `folder`, which must exist.
    ///
    /// # Panics
    ///
    /// If the folder cannot be written to.
    #[expect(clippy::expect_used, reason = "a fixture of tests and fuzz targets")]
    pub fn new(folder: &Path) -> Self {
        let (root, cache) = (folder.join("vault"), folder.join("cache"));
        fs_err::create_dir_all(&root).expect("a folder for the vault");
        for (name, text) in [
            ("a.md", "[[b]] [[b#H]] [[none]] [[#self]] #work/x\n"),
            (
                "b.md",
                "---\nup: \"[[a]]\"\ntags: [Work]\n---\n- [ ] task\n",
            ),
            (
                "board.canvas",
                r#"{"nodes":[{"type":"file","file":"b.md"}]}"#,
            ),
        ] {
            fs_err::write(root.join(name), text).expect("a note");
        }
        let vault = Vault::open(&root)
            .expect("the vault opens")
            .with_cache(cache);
        IndexedVault(&vault).index().expect("the index is made");
        let place = CachePlace::of_index(&vault).expect("the vault has a cache");
        let file = CacheFile::open(&place).expect("the cache was written");
        let mut sections = file.all().expect("its sections are whole");
        let mut listing: Vec<CachedFile> =
            file.decode(CacheSection::Listing).expect("its listing is");
        for note in listing.iter_mut().filter_map(|file| file.note.as_mut()) {
            // Otherwise a note this young is read again, and its cache entry is not used.
            note.settled = true;
        }
        let listing = postcard::to_stdvec(&listing).expect("a listing has a binary form");
        sections.push((CacheSection::Listing, listing));
        Self {
            vault,
            place,
            sections,
        }
    }

    /// Damages the cache and returns the vault, whose next answers use it.
    ///
    /// The first byte of `damage` chooses the section, the second whether the rest replaces it or is a
    /// list of positions and bytes to put there.
    pub fn with(&self, damage: &[u8]) -> &Vault {
        let [section, way, rest @ ..] = damage else {
            return &self.vault;
        };
        let mut sections = self.sections.clone();
        let chosen = usize::from(*section) % sections.len();
        if let Some((_, bytes)) = sections.get_mut(chosen) {
            if way % 2 == 0 {
                *bytes = rest.to_vec();
            } else {
                for patch in rest.chunks_exact(2) {
                    let at = usize::from(patch[0]) % bytes.len().max(1);
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte = patch[1];
                    }
                }
            }
        }
        // If the write fails, the old and valid cache stays.
        self.place.write(&sections).ok();
        &self.vault
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_damage_behind_a_right_checksum_makes_the_engine_panic(
            damages in prop::collection::vec(prop::collection::vec(any::<u8>(), 2..64), 8),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let cache = DamagedCache::new(folder.path());
            for damage in damages {
                drop(IndexedVault(cache.with(&damage)).index());
            }
        }
    }
}
