//! The first reading of a vault for a ranked search: one pass over the files makes both the index and the
//! words, and a search can be answered from the part that is ready.

use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use obsidian_note::{CancellationToken, NoteRecord, VaultPath};
use vault_files::{Detail, EngineError, Vault};

use super::all_columns::WholeIndex;
use super::cache::{CacheFile, CachePlace};
use super::column::Column as _;
use super::kept_record::KeptRecord;
use super::listing::{CachedFile, paths_and_stamps};
use super::load::save_all;
use super::pieces::PieceFile;
use super::ranking::{RankedIndex, ReadingTime};
use super::reading::notes_in_pieces;
use super::snapshot::{IndexSnapshot, KeptColumns, KeptNote};

/// A vault without a cached index, of which only some notes are read.
pub(crate) struct FirstReading {
    /// Before the files were listed.
    started: SystemTime,
    place: Option<CachePlace>,
    /// The notes that an earlier call read before it was stopped.
    known: IndexSnapshot,
}

impl FirstReading {
    /// Lists the files of the vault; `None` if its index is cached.
    pub(crate) fn start(vault: &Vault) -> Result<Option<Self>, EngineError> {
        let started = SystemTime::now();
        let place = CachePlace::of_index(vault);
        if place
            .as_ref()
            .is_some_and(|place| CacheFile::open(place).is_some())
        {
            return Ok(None);
        }
        let pieces = place
            .as_ref()
            .map(CachePlace::pieces)
            .filter(PieceFile::is_there);
        let detail = if pieces.is_some() {
            Detail::Stamps
        } else {
            Detail::Names
        };
        let contents = vault.contents(&VaultPath::root(), detail)?;
        let (files, stamps) = paths_and_stamps(contents.files);
        let mut notes = vec![None; files.len()];
        if let Some(pieces) = pieces {
            for (id, note) in notes_in_pieces(&pieces, &files, &stamps) {
                if let Some(slot) = notes.get_mut(id) {
                    *slot = Some(Arc::new(KeptNote::of_read(note)));
                }
            }
        }
        let names = (Arc::new(files), Arc::new(contents.folders));
        let (links, columns) = (OnceLock::new(), KeptColumns::default());
        let known = IndexSnapshot::new(names, notes, contents.warnings, links, columns);
        Ok(Some(Self {
            started,
            place,
            known,
        }))
    }

    /// Reads the other notes until a cancellation of `until`. The snapshot of the vault and its ranked
    /// index are whole, or they cover the notes that were read until then and the next call continues
    /// after them. `publish` gets every part that is ready.
    pub(crate) fn read(
        &self,
        vault: &Vault,
        until: &CancellationToken,
        publish: &(impl Fn(&RankedIndex) + Sync),
    ) -> Result<(Arc<IndexSnapshot>, RankedIndex), EngineError> {
        let time = ReadingTime {
            started: self.started,
            until,
        };
        let index = RankedIndex::of_known(vault, &self.known, time, publish)?;
        if until.is_cancelled() || !index.has_read_all() {
            return Ok((Arc::new(self.part(&index)), index));
        }
        let whole = Arc::new(self.whole(&index));
        let index = index.moved_to(&whole);
        Ok((whole, index))
    }

    /// Returns the snapshot of the notes that `index` has read.
    pub(crate) fn part(&self, index: &RankedIndex) -> IndexSnapshot {
        let names = (
            Arc::clone(&self.known.files),
            Arc::clone(&self.known.folders),
        );
        let (links, columns) = (OnceLock::new(), KeptColumns::default());
        let left_out = self.known.left_out.clone();
        IndexSnapshot::new(names, index.notes().to_vec(), left_out, links, columns)
    }

    /// Returns the snapshot of the vault, all of whose notes `index` has read. It is written to the cache.
    fn whole(&self, index: &RankedIndex) -> IndexSnapshot {
        let (files, notes) = (&self.known.files, index.notes());
        let nothing = NoteRecord::default();
        let mut records: Vec<&NoteRecord> = Vec::with_capacity(notes.len());
        records.extend(notes.iter().map(|note| match note.as_deref() {
            Some(KeptNote {
                record: KeptRecord::Read(record),
                ..
            }) => &**record,
            _ => &nothing,
        }));
        let listed = files.iter().zip(notes).map(|(path, note)| CachedFile {
            path: path.as_str().to_owned(),
            note: note.as_ref().map(|note| note.listed.clone()),
        });
        let listing: Vec<CachedFile> = listed.collect();
        let place = self.place.as_ref();
        let saved = place.and_then(|place| save_all(place, files, &records, &listing));
        let columns = saved.unwrap_or_else(|| WholeIndex::from_records(files, &records));
        if let Some(place) = place {
            place.pieces().remove();
        }
        let names = (Arc::clone(files), Arc::clone(&self.known.folders));
        IndexSnapshot::of_whole(names, columns, listing, self.known.left_out.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::time::{Duration, Instant};

    use proptest::prelude::*;
    use ranked_search::Query;
    use vault_files::vault::testing::vault;

    use super::*;
    use crate::indexed_vault::IndexedVault;
    use crate::load::read_column;
    use crate::testing::damage;
    use crate::whole::Index;
    use crate::{ANSWER_AFTER, AllColumns};

    /// Returns a vault with notes and a canvas.
    fn many() -> (tempfile::TempDir, Vault) {
        let note = |number: usize| {
            let text = format!(
                "---\ntags: [t{}]\n---\nApples [[{}]] #x",
                number % 3,
                number + 1
            );
            (format!("{}/{number}.md", number % 4), text)
        };
        let mut files: Vec<(String, String)> = (0..120).map(note).collect();
        let canvas = r#"{"nodes":[{"id":"1","type":"file","file":"0/0.md","x":0,"y":0,"width":1,"height":1}],"edges":[]}"#;
        files.push(("1/board.canvas".to_owned(), canvas.to_owned()));
        files.push(("1/picture.png".to_owned(), String::new()));
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect();
        vault(&files)
    }

    /// Starts reading as if all notes had changed long ago.
    fn start(vault: &Vault) -> FirstReading {
        let later = SystemTime::now() + Duration::from_secs(60);
        FirstReading {
            started: later,
            ..FirstReading::start(vault).unwrap().unwrap()
        }
    }

    fn scores(
        index: &RankedIndex,
        snapshot: &IndexSnapshot,
        vault: &Vault,
    ) -> BTreeMap<String, u64> {
        let files = snapshot.all_files();
        let seen = index.seen_notes(files, &vec![true; files.len()]);
        let found = index
            .rank(&Query::new("apple t1"), &seen, vault)
            .unwrap()
            .unwrap();
        let score = |note: &ranked_search::RankedNote| {
            (
                files[seen.file(note).unwrap()].to_string(),
                note.score.to_bits(),
            )
        };
        found.notes.iter().map(score).collect()
    }

    /// Returns the index of the vault and its scores, read note by note and in one pass.
    fn read_all(vault: &Vault) -> (Index, BTreeMap<String, u64>) {
        let until = CancellationToken::default();
        let (snapshot, index) = start(vault).read(vault, &until, &|_| ()).unwrap();
        assert!(index.is_complete() && index.is_of(&snapshot));
        (
            Index::new(snapshot.indexed()),
            scores(&index, &snapshot, vault),
        )
    }

    /// Returns the same vault, of which `stop` ended the first reading.
    fn stopped(vault: &Vault, cache: &std::path::Path) -> Vault {
        let vault = vault.clone().with_cache(cache.to_owned());
        let until = CancellationToken::default();
        let stopping = until.clone();
        let progress = move |_done: usize, _all: usize| stopping.cancel();
        let counted = vault.clone().with_progress(Arc::new(progress));
        let (snapshot, index) = start(&counted).read(&counted, &until, &|_| ()).unwrap();
        let found = scores(&index, &snapshot, &vault);
        assert!(
            !index.is_complete() && !found.is_empty() && found.len() < 120,
            "{}",
            found.len()
        );
        for (id, path) in snapshot.all_files().iter().enumerate() {
            let is_read = snapshot.record(id).is_some();
            assert!(
                !path.is_note() || is_read == found.contains_key(path.as_str()),
                "{path}"
            );
        }
        vault
    }

    #[test]
    fn one_pass_reads_the_same_index_as_a_reading_without_words() {
        let (folder, vault) = many();
        let vault = vault.with_cache(folder.path().join("cache"));
        let (index, found) = read_all(&vault);
        assert_eq!(found.len(), 120);
        let plain = Vault::open(vault.root()).unwrap();
        assert_eq!(
            index,
            Index::new(read_column::<AllColumns>(&plain).unwrap())
        );
        // The index is cached.
        assert!(FirstReading::start(&vault).unwrap().is_none());
        assert_eq!(
            index,
            Index::new(read_column::<AllColumns>(&vault).unwrap())
        );
    }

    #[test]
    fn a_stopped_pass_answers_with_a_part_and_the_next_call_continues() {
        let (folder, vault) = many();
        let cached = stopped(&vault, &folder.path().join("cache"));
        let unread = Arc::new(AtomicUsize::new(0));
        let counting = Arc::clone(&unread);
        let counted = cached.with_progress(Arc::new(move |_done: usize, all: usize| {
            counting.store(all, Relaxed);
        }));
        assert_eq!(read_all(&counted), read_all(&vault));
        let unread = unread.load(Relaxed);
        assert!(0 < unread && unread < 121, "{unread}");
    }

    #[test]
    fn a_call_after_an_incomplete_answer_reads_as_long_as_its_time_allows() {
        let (folder, vault) = many();
        let cache = folder.path().join("cache");
        let cached = vault.clone().with_cache(cache.clone());
        let soon = IndexedVault(&cached).answer_at(Instant::now());
        assert!(soon.is_some_and(|soon| soon <= Instant::now() + ANSWER_AFTER));
        stopped(&vault, &cache);
        assert_eq!(IndexedVault(&cached).answer_at(Instant::now()), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn damaged_pieces_of_a_stopped_pass_are_read_again(
            patches in prop::collection::vec((any::<prop::sample::Index>(), 1_u8..), 1..4),
            kept in prop::option::of(any::<prop::sample::Index>()),
            of_ranking in any::<bool>(),
        ) {
            let (folder, vault) = many();
            let cache = folder.path().join("cache");
            let cached = stopped(&vault, &cache);
            let files = fs_err::read_dir(&cache).unwrap().map(|file| file.unwrap().path());
            let extension = if of_ranking { "ranking-pieces" } else { "index-pieces" };
            let mut files = files.filter(|file| file.extension().is_some_and(|end| end == extension));
            damage(&files.next().unwrap(), patches, kept);
            prop_assert_eq!(read_all(&cached), read_all(&vault));
        }
    }
}
