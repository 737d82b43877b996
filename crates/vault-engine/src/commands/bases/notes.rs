//! The files of a vault as the views of bases see them.

use std::cmp::Ordering;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bases::{FileNumber, NoteLink, Notes, PropertyKind};
use jiff::Timestamp;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::byte_order_mark;
use crate::collation::Collation;
use crate::error::EngineError;
use crate::excluded::ExcludedFiles;
use crate::frontmatter::Frontmatter;
use crate::index::{Column, Indexed, KeptColumn, Properties, ResolvedLinks, Tags, record_of};
use crate::limits::MAX_NOTE_BYTES;
use crate::path::VaultPath;
use crate::property_types::{PropertyType, PropertyTypes};
use crate::resolve::{LinkIndex, Resolution};
use crate::scan::scan;
use crate::vault::{FileFacts, Vault};
use crate::warning::Warning;

/// What the views of a base ask of a vault. All but the properties is read when it is first asked
/// for; a view that names no links needs none.
///
/// The vault is limited to what the caller may see, and so is everything here: a closed file has no
/// number, no link leads to it, and no link of it counts.
pub(crate) struct BaseNotes<'vault> {
    vault: &'vault Vault,
    /// Every file, in byte order of the paths.
    files: Arc<Vec<VaultPath>>,
    excluded: ExcludedFiles,
    properties: Arc<Properties>,
    /// For each file the place of its properties, plus one; 0 for none.
    places: Vec<usize>,
    types: PropertyTypes,
    collation: Collation,
    tags: OnceLock<Vec<Vec<String>>>,
    links: OnceLock<LinkLists>,
    index: OnceLock<Option<Arc<LinkIndex>>>,
    facts: Vec<OnceLock<Option<FileFacts>>>,
    /// The first thing that could not be read.
    failure: Mutex<Option<EngineError>>,
    warnings: Vec<Warning>,
}

/// Which files link to which: for each file the others, by number, in order.
#[derive(Default)]
struct LinkLists {
    outgoing: Vec<Vec<usize>>,
    incoming: Vec<Vec<usize>>,
}

impl<'vault> BaseNotes<'vault> {
    /// Reads the properties of all notes from the index.
    pub(crate) fn read(vault: &'vault Vault) -> Result<Self, EngineError> {
        let Indexed {
            files,
            column: properties,
            mut warnings,
        } = vault.column::<Properties>()?;
        let mut places = vec![0; files.len()];
        for (place, (id, _)) in properties.iter().enumerate() {
            if let Some(slot) = places.get_mut(id) {
                *slot = place + 1;
            }
        }
        let mut types = PropertyTypes::read(vault)?;
        let mut excluded = ExcludedFiles::read(vault)?;
        warnings.append(&mut types.warnings);
        warnings.append(&mut excluded.warnings);
        Ok(Self {
            vault,
            facts: std::iter::repeat_with(OnceLock::new)
                .take(files.len())
                .collect(),
            files,
            excluded,
            properties,
            places,
            types,
            collation: Collation::new()?,
            tags: OnceLock::new(),
            links: OnceLock::new(),
            index: OnceLock::new(),
            failure: Mutex::default(),
            warnings,
        })
    }

    /// The number of a file.
    pub(crate) fn number(&self, path: &VaultPath) -> Option<FileNumber> {
        self.files.binary_search(path).ok().map(FileNumber)
    }

    /// The files of which some are rows: all but those that the user has excluded
    /// (`vault-semantics.md` §5.1), in byte order of their paths.
    pub(crate) fn candidates(&self) -> Vec<FileNumber> {
        let all = 0..self.files.len();
        if self.excluded.excludes_nothing() {
            return all.map(FileNumber).collect();
        }
        let is_listed = |id: &usize| {
            let path = self.files.get(*id);
            path.is_some_and(|path| !self.excluded.excludes(path))
        };
        all.filter(is_listed).map(FileNumber).collect()
    }

    /// What the index left out, or why the answer would be a wrong one.
    pub(crate) fn finish(self) -> Result<Vec<Warning>, EngineError> {
        let failure = self.failure.into_inner();
        match failure.unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(self.warnings),
        }
    }

    fn path_of(&self, file: FileNumber) -> Option<&VaultPath> {
        self.files.get(file.0)
    }

    /// The value, or nothing and a note of the failure.
    fn held<T>(&self, read: Result<T, EngineError>) -> Option<T> {
        read.map_err(|error| {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
        })
        .ok()
    }

    /// A column, its files numbered as here. The vault may have changed since the first column was
    /// read; a file that is new since then has no number.
    fn column<C: Column + KeptColumn>(&self) -> Option<(Arc<C>, Vec<Option<usize>>)> {
        let Indexed { files, column, .. } = self.held(self.vault.column::<C>())?;
        let numbers = if Arc::ptr_eq(&files, &self.files) || files == self.files {
            (0..files.len()).map(Some).collect()
        } else {
            let number = |path: &VaultPath| self.files.binary_search(path).ok();
            files.iter().map(number).collect()
        };
        Some((column, numbers))
    }

    fn tag_lists(&self) -> &Vec<Vec<String>> {
        self.tags.get_or_init(|| {
            let mut lists = vec![Vec::new(); self.files.len()];
            if let Some((column, numbers)) = self.column::<Tags>() {
                for (id, tags) in column.iter() {
                    let number = numbers.get(id).copied().flatten();
                    if let Some(list) = number.and_then(|number| lists.get_mut(number)) {
                        *list = tags.map(str::to_owned).collect();
                    }
                }
            }
            lists
        })
    }

    fn link_lists(&self) -> &LinkLists {
        self.links.get_or_init(|| {
            let empty = vec![Vec::new(); self.files.len()];
            let mut lists = LinkLists {
                outgoing: empty.clone(),
                incoming: empty,
            };
            let Some((column, numbers)) = self.column::<ResolvedLinks>() else {
                return lists;
            };
            for (source, destination, _) in column.edges() {
                let number = |id: usize| numbers.get(id).copied().flatten();
                let (Some(source), Some(destination)) = (number(source), number(destination))
                else {
                    continue;
                };
                if let Some(list) = lists.outgoing.get_mut(source) {
                    list.push(destination);
                }
                if let Some(list) = lists.incoming.get_mut(destination) {
                    list.push(source);
                }
            }
            lists
        })
    }

    fn facts(&self, file: FileNumber) -> Option<&FileFacts> {
        let path = self.path_of(file)?;
        // A file that is gone since it was listed has no facts, and that is no failure.
        let read = || self.vault.facts(path).ok();
        self.facts.get(file.0)?.get_or_init(read).as_ref()
    }

    fn properties_text(&self, file: FileNumber) -> Option<&str> {
        let place = self.places.get(file.0)?.checked_sub(1)?;
        self.properties.at(place).map(|text| text.0.as_str())
    }

    /// Links and embeds of a file, read from the file now.
    fn scanned(&self, file: FileNumber) -> (Vec<NoteLink>, Vec<NoteLink>) {
        let nothing = (Vec::new(), Vec::new());
        let Some(path) = self.path_of(file).filter(|path| path.is_indexed()) else {
            return nothing;
        };
        let read = self.vault.read_up_to(path, path.as_str(), MAX_NOTE_BYTES);
        let Ok(Some(bytes)) = read else {
            return nothing;
        };
        if !path.is_note() {
            let (record, _) = record_of(path, &bytes);
            let links = record.links.into_iter().map(|link| NoteLink {
                target: link.linkpath,
                display: None,
            });
            return (links.collect(), Vec::new());
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = byte_order_mark::strip(&text);
        let facts = scan(text);
        let frontmatter = Frontmatter::parse_unmarked(text).unwrap_or_default();
        let of_properties = frontmatter.links().into_iter().map(|link| NoteLink {
            target: link.target,
            display: link.display,
        });
        let of_text = |link: crate::scan::Link| NoteLink {
            target: link.target,
            display: link.display,
        };
        let embeds: Vec<NoteLink> = facts.embeds.into_iter().map(of_text).collect();
        let links = of_properties
            .chain(facts.links.into_iter().map(of_text))
            .chain(embeds.iter().cloned());
        (links.collect(), embeds)
    }
}

impl Notes for BaseNotes<'_> {
    fn path(&self, file: FileNumber) -> &str {
        self.path_of(file).map_or("", VaultPath::as_str)
    }

    fn size(&self, file: FileNumber) -> u64 {
        self.facts(file).map_or(0, |facts| facts.size)
    }

    fn created(&self, file: FileNumber) -> Option<Timestamp> {
        Timestamp::from_millisecond(self.facts(file)?.created).ok()
    }

    fn modified(&self, file: FileNumber) -> Option<Timestamp> {
        Timestamp::from_millisecond(self.facts(file)?.modified).ok()
    }

    fn property(&self, file: FileNumber, name: &str) -> Option<Value> {
        let text = self.properties_text(file)?;
        // Most notes do not have the property, and their texts need not be read as JSON for that.
        let key = serde_json::to_string(name).ok()?;
        memchr::memmem::find(text.as_bytes(), key.as_bytes())?;
        let mut reader = serde_json::Deserializer::from_str(text);
        OneEntry { name }.deserialize(&mut reader).ok().flatten()
    }

    fn properties(&self, file: FileNumber) -> Map<String, Value> {
        let text = self.properties_text(file);
        text.and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default()
    }

    fn properties_weight(&self, file: FileNumber) -> usize {
        self.properties_text(file).map_or(0, str::len)
    }

    fn tags(&self, file: FileNumber) -> Vec<String> {
        let tags = self.tag_lists().get(file.0);
        tags.cloned().unwrap_or_default()
    }

    fn links(&self, file: FileNumber) -> Vec<NoteLink> {
        self.scanned(file).0
    }

    fn embeds(&self, file: FileNumber) -> Vec<NoteLink> {
        self.scanned(file).1
    }

    fn backlinks(&self, file: FileNumber) -> Vec<FileNumber> {
        let sources = self.link_lists().incoming.get(file.0);
        let sources = sources.into_iter().flatten();
        sources.copied().map(FileNumber).collect()
    }

    fn resolve(&self, linkpath: &str, source: Option<FileNumber>) -> Option<FileNumber> {
        let index = self.index.get_or_init(|| {
            let found = self.held(self.vault.link_index());
            found.map(|(index, _)| index)
        });
        let source = source.and_then(|source| self.path_of(source));
        let root = VaultPath::root();
        match index.as_ref()?.resolve(linkpath, source.unwrap_or(&root)) {
            Resolution::Found(found) => self.number(&found.path),
            Resolution::Missing => None,
        }
    }

    fn links_to(&self, file: FileNumber, target: FileNumber) -> bool {
        let destinations = self.link_lists().outgoing.get(file.0);
        destinations.is_some_and(|files| files.binary_search(&target.0).is_ok())
    }

    fn property_kind(&self, name: &str) -> PropertyKind {
        match self.types.assigned(name) {
            Some(PropertyType::Date | PropertyType::Datetime) => PropertyKind::Date,
            Some(PropertyType::Text | PropertyType::Multitext | PropertyType::Aliases) => {
                PropertyKind::Text
            }
            Some(PropertyType::Tags) => PropertyKind::Tags,
            Some(PropertyType::Number | PropertyType::Checkbox | PropertyType::Unknown) | None => {
                PropertyKind::Unassigned
            }
        }
    }

    fn compare_texts(&self, left: &str, right: &str) -> Ordering {
        self.collation.compare(left, right)
    }
}

/// Reads one entry of a JSON object and passes over the others without making values of them.
struct OneEntry<'name> {
    name: &'name str,
}

impl<'json> DeserializeSeed<'json> for OneEntry<'_> {
    type Value = Option<Value>;

    fn deserialize<D: serde::Deserializer<'json>>(
        self,
        reader: D,
    ) -> Result<Self::Value, D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'json> Visitor<'json> for OneEntry<'_> {
    type Value = Option<Value>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'json>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(is_it) = entries.next_key_seed(IsName(self.name))? {
            if is_it && found.is_none() {
                found = Some(entries.next_value()?);
            } else {
                entries.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// Compares a key with a name.
struct IsName<'name>(&'name str);

impl<'json> DeserializeSeed<'json> for IsName<'_> {
    type Value = bool;

    fn deserialize<D: serde::Deserializer<'json>>(self, reader: D) -> Result<bool, D::Error> {
        reader.deserialize_str(self)
    }
}

impl Visitor<'_> for IsName<'_> {
    type Value = bool;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a key")
    }

    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<bool, E> {
        Ok(key == self.0)
    }
}
