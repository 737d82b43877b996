//! Ranked search for a question, over the notes that the caller sees.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;
use std::sync::Arc;

use obsidian_note::{VaultPath, Warning};
use ranked_search::{Named, Query, RankedNote, Ranking, word_of};
use vault_files::{Args, EngineError, Surroundings, Vault};
use vault_index::{
    BacklinkCounts, ExcludedFiles, IndexedVault, KeptColumn as _, Pair, RankedIndex, RankedVault,
    Seen, SeenNotes, query_like,
};

use super::filter::{Filter, Listed};
use super::note::{content, text_now};

/// The notes that fit a question.
pub(super) struct RankedQuery {
    pub(super) query: Query,
    /// A weight for each word of the question: rare words weigh more.
    pub(super) weights: Vec<f64>,
    /// The matching notes, unsorted.
    pub(super) notes: Vec<FoundNote>,
    /// The words of the question as they were given.
    text: String,
    /// Whether lists include a file and the filters let it through, for each file.
    fitting: Vec<bool>,
    vault: RankedVault,
    pub(super) warnings: Vec<Warning>,
}

/// A note that fits.
#[derive(Clone, Copy)]
pub(super) struct FoundNote {
    /// The index of its file among all files that the caller sees.
    pub(super) file: usize,
    pub(super) ranked: RankedNote,
}

impl RankedQuery {
    /// Ranks the notes for `query=` that pass the filters.
    pub(super) fn rank(
        vault: &Vault,
        (arguments, surroundings): (&Args, &Surroundings),
    ) -> Result<Self, EngineError> {
        let text = arguments.param("query");
        let text =
            text.ok_or_else(|| EngineError::argument("query", "a question or some words"))?;
        let query = Query::new(text);
        let filter = Filter::from_arguments(arguments, surroundings)?;
        let Searching {
            known,
            seen,
            listed,
            ranking,
            mut warnings,
        } = Searching::run(vault, None, |known, seen| {
            known.ranking.rank(&query, seen, vault)
        })?;
        let fitting = fitting(arguments, &filter, &known, listed);
        let notes = ranking.notes.into_iter().filter_map(|ranked| {
            let file = seen.file(&ranked)?;
            let fits = fitting.get(file) == Some(&true);
            fits.then_some(FoundNote { file, ranked })
        });
        let notes: Vec<FoundNote> = notes.collect();
        if ranking.is_by_parts && !notes.is_empty() {
            warnings.push(Warning::FoundByParts {
                path: VaultPath::root(),
            });
        }
        Ok(Self {
            query,
            weights: ranking.weights,
            notes,
            text: text.trim().to_owned(),
            fitting,
            vault: known,
            warnings,
        })
    }

    /// Returns the path of a found note.
    pub(super) fn path(&self, note: &FoundNote) -> Option<&VaultPath> {
        self.vault.seen.all_files().get(note.file)
    }

    /// Replaces the ranked notes with all notes for which `holds` is true, whether or not they have
    /// words of the question.
    pub(super) fn take_all(
        &mut self,
        vault: &Vault,
        holds: impl Fn(&VaultPath) -> bool,
    ) -> Result<(), EngineError> {
        let ranked = self.notes.drain(..).map(|note| (note.file, note.ranked));
        let ranked: HashMap<usize, RankedNote> = ranked.collect();
        let files = Arc::clone(self.vault.seen.all_files());
        for (file, path) in files.iter().enumerate() {
            if self.fitting.get(file) != Some(&true) || !path.is_note() {
                continue;
            }
            vault.disk().cancellation().check()?;
            if holds(path) {
                let ranked = ranked.get(&file).copied();
                let ranked = ranked.unwrap_or_else(RankedNote::unranked);
                self.notes.push(FoundNote { file, ranked });
            }
        }
        Ok(())
    }

    /// Returns the metadata of a found note from the index.
    pub(super) fn listed(&self, note: &FoundNote) -> Option<Listed<'_>> {
        let record = self.vault.seen.record(note.file)?;
        Some(Listed::of_record(self.path(note)?, record))
    }

    /// Returns a page of the notes by the property `date`, or by path; ties by path.
    pub(super) fn page_in_order(
        &mut self,
        order: &str,
        offset: usize,
        limit: usize,
    ) -> Vec<FoundNote> {
        let mut notes = std::mem::take(&mut self.notes);
        // File numbers follow the order of the paths.
        notes.sort_by_key(|note| note.file);
        if order != "path" {
            let date = |note: &FoundNote| self.listed(note).and_then(|listed| listed.text("date"));
            let mut dated: Vec<(Option<String>, FoundNote)> =
                notes.iter().map(|note| (date(note), *note)).collect();
            dated.sort_by(|(left, _), (right, _)| match (left, right) {
                (Some(left), Some(right)) if order == "date-asc" => left.cmp(right),
                (Some(left), Some(right)) => right.cmp(left),
                (left, right) => right.is_some().cmp(&left.is_some()),
            });
            notes = dated.into_iter().map(|(_, note)| note).collect();
        }
        notes.into_iter().skip(offset).take(limit).collect()
    }

    /// Returns a page of the notes by rank: `limit` of them after the first `offset`.
    pub(super) fn page(&mut self, offset: usize, limit: usize) -> Vec<FoundNote> {
        let mut notes = std::mem::take(&mut self.notes);
        let end = offset.saturating_add(limit).min(notes.len());
        if end == 0 {
            return Vec::new();
        }
        // The page can only contain notes that score at least as well as its last one, and notes that the question
        // names. Dropping the others first saves sorting them.
        let mut scores: Vec<f64> = notes.iter().map(|note| note.ranked.score).collect();
        let (_, least, _) =
            scores.select_nth_unstable_by(end - 1, |left, right| right.total_cmp(left));
        let least = *least;
        notes.retain(|note| note.ranked.named != Named::No || note.ranked.score >= least);
        notes.sort_unstable_by(|left, right| self.compare(left, right));
        notes.truncate(end);
        notes.split_off(offset.min(end))
    }

    /// Compares two notes, the better one first: notes that the question names, then by score, then by the number of
    /// files that link to them, then by path.
    pub(super) fn compare(&self, left: &FoundNote, right: &FoundNote) -> Ordering {
        let names = |note: &FoundNote| Reverse(self.names(note));
        names(left)
            .cmp(&names(right))
            .then_with(|| right.ranked.score.total_cmp(&left.ranked.score))
            .then_with(|| self.backlinks(right).cmp(&self.backlinks(left)))
            .then_with(|| left.file.cmp(&right.file))
    }

    /// Returns how exactly the question names a note: a name beats an alias, and the same casing beats another.
    fn names(&self, note: &FoundNote) -> (Named, u8) {
        let named = note.ranked.named;
        if named == Named::No {
            return (named, 0);
        }
        let name = self.path(note).map_or("", VaultPath::basename);
        let exactness = if name == self.text {
            2
        } else {
            u8::from(name.to_lowercase() == self.text.to_lowercase())
        };
        (named, exactness)
    }

    /// Returns the number of files that link to a note; 0 while some notes are not read.
    fn backlinks(&self, note: &FoundNote) -> u32 {
        if !self.vault.ranking.is_complete() {
            return 0;
        }
        let counts = BacklinkCounts::get_or_build(&self.vault.seen);
        counts.count(note.file)
    }
}

/// A ranking, and the vault that it was made from.
struct Searching {
    known: RankedVault,
    seen: SeenNotes,
    /// For each file that the caller sees whether lists include it.
    listed: Vec<bool>,
    ranking: Ranking,
    warnings: Vec<Warning>,
}

impl Searching {
    /// Ranks the listed notes with `rank`, which returns `None` if the cache is damaged; and the note `own`, even if
    /// lists leave it out.
    fn run(
        vault: &Vault,
        own: Option<&VaultPath>,
        rank: impl Fn(&RankedVault, &SeenNotes) -> Result<Option<Ranking>, EngineError>,
    ) -> Result<Self, EngineError> {
        let excluded = ExcludedFiles::read(vault)?;
        let mut known = IndexedVault(vault).ranked()?;
        let files = Arc::clone(known.seen.all_files());
        let mut listed = excluded.listed(&files);
        let own = own.and_then(|own| listed.get_mut(files.binary_search(own).ok()?));
        if let Some(is_listed) = own {
            *is_listed = true;
        }
        let mut seen = known.ranking.seen_notes(&files, &listed);
        let ranking = if let Some(ranking) = rank(&known, &seen)? {
            ranking
        } else {
            known = IndexedVault(vault).ranked_again(known)?;
            seen = known.ranking.seen_notes(&files, &listed);
            rank(&known, &seen)?.ok_or_else(damaged_again)?
        };
        let mut warnings = known.seen.warnings().to_vec();
        let notes = files
            .iter()
            .zip(&listed)
            .filter(|(path, listed)| path.is_note() && **listed);
        let (notes, covered) = (notes.count(), seen.count());
        if covered < notes && !known.ranking.is_complete() {
            warnings.push(Warning::RankingIncomplete {
                path: VaultPath::root(),
                covered,
                notes,
            });
        }
        warnings.extend(excluded.warnings);
        Ok(Self {
            known,
            seen,
            listed,
            ranking,
            warnings,
        })
    }
}

/// The notes whose text is like the text of one note.
pub(super) struct SimilarNotes {
    query: Query,
    weights: Vec<f64>,
    notes: Vec<(VaultPath, f64)>,
    pub(super) warnings: Vec<Warning>,
}

/// The fewest words that two notes have to share for the full likeness: one rare word alone says little.
const WORDS_OF_A_SUBJECT: f64 = 8.0;

impl SimilarNotes {
    /// Finds the notes that are like the note `own`.
    pub(super) fn find(vault: &Vault, own: &VaultPath) -> Result<Self, EngineError> {
        let bytes = content(vault, own);
        let query = |known: &RankedVault| {
            let file = known.seen.all_files().binary_search(own).ok()?;
            let record = known.seen.record(file)?;
            Some((file, query_like(own, record, bytes.as_deref())))
        };
        let Searching {
            known,
            seen,
            ranking,
            warnings,
            ..
        } = Searching::run(vault, Some(own), |known, seen| match query(known) {
            Some((file, query)) => known.ranking.rank_like(&query, file, seen, vault),
            None => Ok(Some(Ranking::default())),
        })?;
        let mut similar = Self {
            query: Query::new(""),
            weights: ranking.weights,
            notes: Vec::new(),
            warnings,
        };
        let Some((own_file, query)) = query(&known) else {
            return Ok(similar);
        };
        similar.query = query;
        let of_file = |note: &RankedNote| seen.file(note);
        let is_own = |note: &&RankedNote| of_file(note) == Some(own_file);
        let whole = ranking.notes.iter().find(is_own).map(|note| note.score);
        let Some(whole) = whole.filter(|whole| *whole > 0.0) else {
            return Ok(similar);
        };
        let words = similar.weights.iter().filter(|weight| **weight > 0.0);
        let words = u32::try_from(words.count()).unwrap_or(u32::MAX);
        let certainty = (f64::from(words) / WORDS_OF_A_SUBJECT).min(1.0);
        let others = ranking.notes.iter().filter(|note| !is_own(note));
        similar.notes = others
            .filter_map(|note| {
                let path = known.seen.all_files().get(of_file(note)?)?.clone();
                Some((path, (note.score / whole).min(1.0) * certainty))
            })
            .collect();
        Ok(similar)
    }

    /// Returns the notes with their likeness, from 0 to 1, in no order.
    pub(super) fn notes(&self) -> impl Iterator<Item = (&VaultPath, f64)> {
        self.notes.iter().map(|(path, likeness)| (path, *likeness))
    }

    /// Returns the words of the note that another note has too: at most `most`, the weightiest first.
    pub(super) fn words_in(&self, vault: &Vault, path: &VaultPath, most: usize) -> Vec<String> {
        let text = text_now(vault, path).unwrap_or_default();
        let text = format!("{}\n{text}", path.basename());
        let words = self.query.words_in(&self.weights, &text, most);
        words.into_iter().map(str::to_owned).collect()
    }
}

/// The maximum number of words that are suggested for a question without results.
const SUGGESTED: usize = 3;

/// Number of files of a vault above which no ranked index is built for a hint: building it takes seconds, and the
/// search itself took milliseconds.
const MOST_FILES_READ_FOR_A_HINT: usize = 2_000;

/// Words from the notes that the caller sees that are similar to the words of a question without
/// results, the most similar first. None in a
/// large vault that has no ranked index yet.
///
/// # Errors
///
/// If the vault cannot be read.
pub fn near_words(vault: &Vault, question: &str) -> Result<Vec<String>, EngineError> {
    if !RankedIndex::is_stored(vault) {
        let names = IndexedVault(vault).names_below(&VaultPath::root())?;
        if names.files.len() > MOST_FILES_READ_FOR_A_HINT {
            return Ok(Vec::new());
        }
    }
    let query = Query::new(question);
    let ranked = IndexedVault(vault).ranked()?;
    let files = ranked.seen.all_files();
    let listed = ExcludedFiles::read(vault)?.listed(files);
    let seen = ranked.ranking.seen_notes(files, &listed);
    let mut words: Vec<String> = Vec::new();
    for near in ranked.ranking.near(&query, &seen).unwrap_or_default() {
        vault.disk().cancellation().check()?;
        let note = files.get(near.note).and_then(|path| {
            let text = text_now(vault, path)?;
            Some(format!("{}\n{text}", path.basename()))
        });
        let word = note.and_then(|text| word_of(&text, &near.term));
        if let Some(word) = word.filter(|word| !words.contains(word)) {
            words.push(word);
            if words.len() == SUGGESTED {
                break;
            }
        }
    }
    Ok(words)
}

/// Returns, for each listed file, whether the filters let it through.
fn fitting(arguments: &Args, filter: &Filter, vault: &RankedVault, listed: Vec<bool>) -> Vec<bool> {
    let names = [
        "folder", "tag", "tags", "project", "property", "value", "since", "until",
    ];
    if !names.iter().any(|name| arguments.has(name)) {
        return listed;
    }
    let files = vault.seen.all_files();
    let mut fitting = vec![false; files.len()];
    let seen = Seen {
        files: Arc::clone(files),
        column: Pair::get_or_build(&vault.seen),
        listed,
        warnings: Vec::new(),
    };
    for note in filter.notes(&seen) {
        if let Ok(file) = files.binary_search(note.path)
            && let Some(fits) = fitting.get_mut(file)
        {
            *fits = true;
        }
    }
    fitting
}

/// Returns the error for a cache that another process damages again while it is read.
fn damaged_again() -> EngineError {
    let why = "the index of ranked search was damaged while it was read";
    EngineError::io(&VaultPath::root(), std::io::Error::other(why))
}

/// Returns a score rounded to three decimals; more digits mean nothing.
pub(super) fn rounded(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::{vault, without_sight_of};

    use super::{MOST_FILES_READ_FOR_A_HINT, near_words};

    #[test]
    fn no_index_of_a_large_vault_is_made_for_a_hint() {
        let (_folder, vault) = vault(&[("a.md", "harbour")]);
        let add = |range: std::ops::Range<usize>| {
            for number in range {
                fs_err::write(vault.root().join(format!("{number}.md")), "").unwrap();
            }
        };
        add(1..MOST_FILES_READ_FOR_A_HINT);
        assert_eq!(near_words(&vault, "harbuor").unwrap(), ["harbour"]);
        add(MOST_FILES_READ_FOR_A_HINT..MOST_FILES_READ_FOR_A_HINT + 1);
        assert_eq!(near_words(&vault, "harbuor").unwrap(), [""; 0]);
    }

    #[test]
    fn words_that_are_nearly_those_of_the_question_are_found() {
        let (_folder, vault) = vault(&[
            (
                "Boats.md",
                "The tables were painted. Gardening in the harbour; Größe 7.",
            ),
            ("b.md", "table"),
        ]);
        for (question, expected) in [
            ("tabel", &["tables"][..]),
            ("harbuor", &["harbour"]),
            ("gardning", &["gardening"]),
            ("größse", &["größe"]),
            ("boast", &["boats"]),
            // The first letter is compared as it is, or swapped with the second one.
            ("ahrbour", &["harbour"]),
            ("jarbour", &[]),
            ("xylophone", &[]),
            // Words that occur in the vault get no suggestions.
            ("table", &[]),
            ("table tabel", &["tables"]),
            // Words that are too short for suggestions, and a word with nothing similar.
            ("tbl", &[]),
            ("", &[]),
        ] {
            assert_eq!(
                near_words(&vault, question).unwrap(),
                expected,
                "{question}"
            );
        }
    }

    #[test]
    fn d13_no_word_comes_from_a_closed_note() {
        let (_folder, vault) = vault(&[("hidden/a.md", "the secret keel"), ("b.md", "boats")]);
        let limited = without_sight_of(&vault, "hidden");
        assert_eq!(near_words(&limited, "keeel").unwrap(), [""; 0]);
        assert_eq!(near_words(&vault, "keeel").unwrap(), ["keel"]);
    }
}
