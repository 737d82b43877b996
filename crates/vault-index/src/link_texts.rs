//! Every linkpath of a vault in one buffer, for scanning all of them when few matter.

use std::ops::Range;
use std::sync::Arc;

use obsidian_note::{NoteRecord, VaultPath};
use rayon::prelude::*;

use super::cache::{CacheSection, CacheSections};
use super::column::Column;
use super::snapshot::{IndexSnapshot, KeptColumn};

/// The linkpaths of all notes, in the order of the files.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LinkTexts {
    /// All linkpaths without separators; `ends` separates them.
    text: String,
    /// The end of each linkpath in `text`.
    ends: Vec<usize>,
    /// The numbers of files with links, and the end of each file's links in `ends`.
    notes: Vec<(usize, usize)>,
}

impl LinkTexts {
    /// Returns the numbers of the files that have a linkpath for which `wanted` is true, in order.
    pub fn files_with(&self, wanted: impl Fn(usize, &str) -> bool + Sync) -> Vec<usize> {
        (0..self.notes.len())
            .into_par_iter()
            .filter_map(|place| {
                let (id, _) = *self.notes.get(place)?;
                self.range(place)
                    .any(|link| self.link(link).is_some_and(|text| wanted(id, text)))
                    .then_some(id)
            })
            .collect()
    }

    /// Returns every linkpath with the number of its file, in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &str)> {
        let notes = self.notes.iter().enumerate();
        notes.flat_map(|(place, (id, _))| {
            let links = self.range(place).filter_map(|link| self.link(link));
            links.map(|link| (*id, link))
        })
    }

    fn link(&self, place: usize) -> Option<&str> {
        let before = place.checked_sub(1).and_then(|place| self.ends.get(place));
        let start = before.copied().unwrap_or_default();
        self.text.get(start..*self.ends.get(place)?)
    }

    /// Returns the range in `ends` of a note's links, by its index among the notes.
    fn range(&self, place: usize) -> Range<usize> {
        let end = |place: usize| self.notes.get(place).map_or(0, |(_, end)| *end);
        place.checked_sub(1).map_or(0, end)..end(place)
    }

    /// Adds a file with its links, after those with smaller numbers.
    fn add<'texts>(&mut self, id: usize, links: impl Iterator<Item = &'texts str>) {
        let before = self.ends.len();
        for link in links {
            self.text.push_str(link);
            self.ends.push(self.text.len());
        }
        if self.ends.len() > before {
            self.notes.push((id, self.ends.len()));
        }
    }
}

impl Column for LinkTexts {
    fn from_records(_files: &[VaultPath], records: &[&NoteRecord]) -> Self {
        let mut texts = Self::default();
        for (id, record) in records.iter().enumerate() {
            if !record.links.is_empty() {
                texts.add(id, record.links.iter().map(|link| link.linkpath.as_str()));
            }
        }
        texts
    }

    /// Reads the section of `Links`, because this column has none.
    fn read(_files: &[VaultPath], sections: &impl CacheSections) -> Option<Self> {
        let section = sections.section(CacheSection::Links)?;
        let (count, mut rest) = postcard::take_from_bytes::<usize>(&section).ok()?;
        let mut texts = Self::default();
        texts.text.reserve(rest.len());
        for _note in 0..count {
            // The layout of a stored record: file number, then each linkpath with its count.
            let ((id, links), more) =
                postcard::take_from_bytes::<(u32, Vec<(&str, u32)>)>(rest).ok()?;
            let links = links.into_iter().map(|(linkpath, _)| linkpath);
            texts.add(usize::try_from(id).ok()?, links);
            rest = more;
        }
        rest.is_empty().then_some(texts)
    }

    fn needs(section: CacheSection) -> bool {
        section == CacheSection::Links
    }
}

impl KeptColumn for LinkTexts {
    /// Built for each call and not kept, because building takes less time than the scan.
    fn get_or_build(snapshot: &IndexSnapshot) -> Arc<Self> {
        Arc::new(snapshot.column())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::all_columns::encoded;
    use crate::column::Links;

    fn record(text: &str) -> NoteRecord {
        NoteRecord::from_note(text).0
    }

    #[test]
    fn links_are_read_as_they_were_found() {
        let files: Vec<VaultPath> = ["a.md", "b.md", "c.png", "d.md"]
            .map(|path| VaultPath::file(path).unwrap())
            .to_vec();
        let records = [
            record("[[x]] [[é]] [[x]]"),
            record(""),
            record(""),
            record("[[#h]] [y](y%20z.md)"),
        ];
        let records: Vec<&NoteRecord> = records.iter().collect();
        let sections = encoded(&files, &records).unwrap();
        let texts = LinkTexts::read(&files, &sections).unwrap();
        assert_eq!(texts, LinkTexts::from_records(&files, &records));
        let found = |wanted: &str| texts.files_with(|_, linkpath| linkpath == wanted);
        assert_eq!((found("x"), found("é")), (vec![0], vec![0]));
        assert_eq!((found(""), found("y z.md")), (vec![3], vec![3]));
        assert_eq!(found("h"), Vec::<usize>::new());
        assert_eq!(texts.files_with(|id, _| id == 3), [3]);
        assert!(Links::read(&files, &sections).is_some());
        let section = sections.section(CacheSection::Links).unwrap().into_owned();
        for length in 0..section.len() {
            let cut = vec![(CacheSection::Links, section[..length].to_vec())];
            assert_eq!(LinkTexts::read(&files, &cut), None, "{length}");
        }
    }
}
