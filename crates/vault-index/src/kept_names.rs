//! Names from the cache file only, for completion: no walk, and no note is read.

use std::borrow::Cow;
use std::fmt;

use foldhash::{HashMap, HashMapExt as _};
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
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
            let mut reader = serde_json::Deserializer::from_str(properties);
            reader.deserialize_map(NamesReader(&mut names)).ok()?;
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

/// Reads the keys of an object and skips its values.
struct NamesReader<'names>(&'names mut HashMap<String, String>);

impl<'de> Visitor<'de> for NamesReader<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("properties")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<Cow<'_, str>>()? {
            map.next_value::<IgnoredAny>()?;
            let folded = name.to_lowercase();
            self.0.entry(folded).or_insert_with(|| name.into_owned());
        }
        Ok(())
    }
}
