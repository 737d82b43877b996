//! The files of a vault as the views of bases see them.

use std::cmp::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bases::{FileNumber, FilterInputs, NoteLink, Notes, PropertyKind};
use jiff::Timestamp;
use obsidian_note::byte_order_mark;
use obsidian_note::note_record::record_of;
use obsidian_note::scan::scan;
use obsidian_note::{Frontmatter, LinkIndex, VaultPath, Warning};
use serde_json::{Map, Value};
use vault_files::{Collation, EngineError, FileFacts, PropertyType, PropertyTypes, Vault};
use vault_index::{
    Column, ExcludedFiles, Indexed, IndexedVault, KeptColumn, Properties, ResolvedLinks, Tags,
};

use super::properties::NoteProperties;

/// The files of a vault for the views of a base. All but the properties is read when it is first
/// needed; a view that names no links does not load them.
///
/// The vault is limited to what the caller may see: a closed file has no number, no link leads to
/// it, and its links do not count.
pub(crate) struct BaseNotes<'vault> {
    vault: &'vault Vault,
    /// Every file, in byte order of the paths.
    files: Arc<Vec<VaultPath>>,
    excluded: ExcludedFiles,
    properties: NoteProperties,
    types: PropertyTypes,
    collation: Collation,
    tags: OnceLock<Vec<Vec<String>>>,
    links: OnceLock<LinkLists>,
    index: OnceLock<Option<Arc<LinkIndex>>>,
    facts: OnceLock<Vec<OnceLock<Option<FileFacts>>>>,
    /// The first read error, which fails the whole query at the end.
    failure: Mutex<Option<EngineError>>,
    warnings: Vec<Warning>,
}

/// The links between files: for each file the numbers of the others, sorted.
#[derive(Default)]
struct LinkLists {
    outgoing: Vec<Vec<usize>>,
    incoming: Vec<Vec<usize>>,
}

impl<'vault> BaseNotes<'vault> {
    /// Reads the properties of all notes from the index, and looks up the properties in `asked`, which every file
    /// needs, in advance.
    pub(crate) fn read(vault: &'vault Vault, wanted: &FilterInputs) -> Result<Self, EngineError> {
        let Indexed {
            files,
            column,
            mut warnings,
        } = IndexedVault(vault).column::<Properties>()?;
        let properties = NoteProperties::new(column, files.len(), wanted);
        let mut types = PropertyTypes::read(vault)?;
        let mut excluded = ExcludedFiles::read(vault)?;
        warnings.append(&mut types.warnings);
        warnings.append(&mut excluded.warnings);
        Ok(Self {
            vault,
            facts: OnceLock::new(),
            files,
            excluded,
            properties,
            types,
            collation: Collation::new()?,
            tags: OnceLock::new(),
            links: OnceLock::new(),
            index: OnceLock::new(),
            failure: Mutex::default(),
            warnings,
        })
    }

    /// Returns the number of files. Their numbers begin at 0, in byte order of their paths.
    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns the number of a file.
    pub(crate) fn number(&self, path: &VaultPath) -> Option<FileNumber> {
        self.files.binary_search(path).ok().map(FileNumber)
    }

    /// Whether the filter reads only properties, and the file has none of those that it reads.
    pub(crate) fn has_no_input(&self, file: FileNumber) -> bool {
        self.properties.has_no_looked_up_property(file)
    }

    /// Whether the user has not excluded the file.
    pub(crate) fn is_listed(&self, file: FileNumber) -> bool {
        let path = self.path_of(file);
        path.is_some_and(|path| !self.excluded.excludes(path))
    }

    /// Returns the warnings of the index, or the error that made the answer incomplete.
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

    /// Returns the value, or `None` after keeping the first error for [`Self::finish`].
    fn ok_or_record<T>(&self, read: Result<T, EngineError>) -> Option<T> {
        read.map_err(|error| {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
        })
        .ok()
    }

    /// Returns a column of the index, and for each of its files the number here. The vault may have changed since the
    /// first column was read; a file that is new since then has no number.
    fn column<C: Column + KeptColumn>(&self) -> Option<(Arc<C>, Vec<Option<usize>>)> {
        let Indexed { files, column, .. } =
            self.ok_or_record(IndexedVault(self.vault).column::<C>())?;
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
        // A file that was removed after it was listed has no facts; that is not an error.
        let read = || self.vault.facts(path).ok();
        let none = || {
            std::iter::repeat_with(OnceLock::new)
                .take(self.files.len())
                .collect()
        };
        let facts = self.facts.get_or_init(none);
        facts.get(file.0)?.get_or_init(read).as_ref()
    }

    /// Links and embeds of a file, parsed from its current text.
    fn scanned(&self, file: FileNumber) -> (Vec<NoteLink>, Vec<NoteLink>) {
        let nothing = (Vec::new(), Vec::new());
        let Some(path) = self.path_of(file).filter(|path| path.is_indexed()) else {
            return nothing;
        };
        let Ok(bytes) = self.vault.indexed_bytes(path) else {
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
        let of_text = |link: obsidian_note::Link| NoteLink {
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
        self.properties.get(file, name)
    }

    fn properties(&self, file: FileNumber) -> Map<String, Value> {
        self.properties.all(file)
    }

    fn properties_weight(&self, file: FileNumber) -> usize {
        self.properties.weight(file)
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
            let found = self.ok_or_record(IndexedVault(self.vault).link_index());
            found.map(|(index, _)| index)
        });
        let source = source.and_then(|source| self.path_of(source));
        let root = VaultPath::root();
        let found = index.as_ref()?.resolve(linkpath, source.unwrap_or(&root));
        self.number(&found.path()?)
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
