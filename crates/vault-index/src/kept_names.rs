//! Names from the cache file only, for completion: no walk, and no note is read.

use foldhash::{HashMap, HashMapExt as _};
use serde_json::{Map, Value};
use vault_files::property_types::BUILT_IN;

use super::cache::{CacheFile, CachePlace, CacheSection, CacheSections as _};
use super::tag_counts::tag_counts;
use super::tags::Tags;
use crate::indexed_vault::IndexedVault;

impl IndexedVault<'_> {
    /// Returns the tags of the vault as last indexed, unsorted, without the tags of notes that changed since. `None`
    /// without a usable cache file, and for a limited vault, because the file covers the whole vault.
    pub fn kept_tags(&self) -> Option<Vec<String>> {
        let tags: Tags = self.open_cache()?.decode(CacheSection::Tags)?;
        let counts = tag_counts(&tags, |_| true);
        Some(counts.into_iter().map(|tag| tag.tag).collect())
    }

    /// Returns the names of the properties of the vault as they were last indexed, as [`Self::kept_tags`].
    pub fn kept_property_names(&self) -> Option<Vec<String>> {
        let kept = self.open_cache()?;
        let section = kept.section(CacheSection::Properties)?;
        let notes: Vec<(u32, &str)> = postcard::from_bytes(&section).ok()?;
        // Names that differ only in case are one property, spelled as first seen.
        let mut names: HashMap<String, String> = HashMap::new();
        for (_, properties) in notes {
            let properties: Map<String, Value> = serde_json::from_str(properties).ok()?;
            for (name, _) in properties {
                names.entry(name.to_lowercase()).or_insert(name);
            }
        }
        let built_in = BUILT_IN.map(|(name, _)| name.to_owned());
        for name in built_in {
            names.entry(name.clone()).or_insert(name);
        }
        Some(names.into_values().collect())
    }

    fn open_cache(&self) -> Option<CacheFile> {
        if self.sight().is_some() {
            return None;
        }
        CacheFile::open(&CachePlace::of_index(self)?)
    }
}
