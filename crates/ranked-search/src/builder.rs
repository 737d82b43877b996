//! Builds a segment from the texts of notes.

use crate::language::Profile;
use crate::passages::passages;
use crate::posting::{MAX_COUNT, Posting};
use crate::segment::{Tables, TermWriter};
use crate::terms::{beginning, term};
use crate::text_map::TextMap;
use crate::title::title_terms;
use crate::words::{Word, each_word};

/// The text of a note to be indexed.
#[derive(Clone, Copy, Debug)]
pub struct NoteText<'text> {
    /// Its name and its aliases.
    pub names: &'text [&'text str],
    /// Its tags, and the texts of its properties.
    pub facets: &'text [&'text str],
    /// Its text below the properties.
    pub body: &'text str,
}

/// Builds segments from notes, which are numbered in the order in which they are added.
///
/// One builder makes many segments one after another, and keeps the terms of the words that it has
/// seen. Stemming is slow, and most words occur again.
pub struct SegmentBuilder {
    tables: Tables,
    /// The number of each term.
    terms: TextMap,
    /// The terms of words as written, for each profile, as [`KnownTerm`] packs them.
    known: [TextMap; Profile::COUNT],
    counts: TermCounts,
    entries: Vec<TermPosting>,
}

/// The term of a word.
#[derive(Clone, Copy)]
struct KnownTerm {
    number: u32,
    is_small: bool,
}

/// The maximum number of terms that are kept for the next segment: more do not fit into a processor's cache.
const MAX_KNOWN_TERMS: usize = 50_000;

/// A posting with its term.
#[derive(Clone, Copy)]
struct TermPosting {
    term: u32,
    posting: Posting,
}

/// The number of occurrences of each term in the current unit.
#[derive(Default)]
struct TermCounts {
    /// For each term, by its number: the occurrences in the text, and in the headings above it.
    of: Vec<[u8; 2]>,
    /// The terms with a count above 0, so that a unit does not look through all terms.
    touched: Vec<u32>,
    length: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TextField {
    Text,
    Above,
}

impl Default for SegmentBuilder {
    fn default() -> Self {
        Self {
            tables: Tables::default(),
            terms: TextMap::default(),
            known: std::array::from_fn(|_| TextMap::default()),
            counts: TermCounts::default(),
            entries: Vec::new(),
        }
    }
}

impl SegmentBuilder {
    /// Adds a note; `None` if that exceeds the numbers of a segment.
    pub fn add(&mut self, note: &NoteText<'_>) -> Option<()> {
        let profile = profile_of(note);
        let mut lengths = Vec::new();
        let mut longest = 0;
        for name in note.names {
            self.counts.length = 0;
            self.words(name, profile, TextField::Text, true);
            // The terms of whole titles do not count for the length. Only the longest name counts: an alias must not
            // make the name longer.
            longest = longest.max(self.counts.length);
            for title in title_terms(name) {
                let number = number(&mut self.terms, &mut self.counts, &title)?;
                self.counts.add(number, TextField::Text);
            }
        }
        self.counts.length = longest;
        for facet in note.facets {
            self.words(facet, profile, TextField::Above, true);
        }
        lengths.push(self.end_unit(0)?);
        for passage in passages(note.body) {
            for heading in &passage.headings {
                self.words(heading, profile, TextField::Above, true);
            }
            self.words(passage.body(note.body), profile, TextField::Text, false);
            lengths.push(self.end_unit(lengths.len())?);
        }
        self.tables.add_note(profile.number(), &lengths)
    }

    fn words(&mut self, text: &str, profile: Profile, field: TextField, with_small: bool) {
        each_word(text, |word| {
            if let Some(known) = self.known_term(word, profile)
                && (with_small || !known.is_small)
            {
                self.counts.add(known.number, field);
            }
        });
    }

    fn known_term(&mut self, word: Word<'_>, profile: Profile) -> Option<KnownTerm> {
        let Self {
            terms,
            known,
            counts,
            ..
        } = self;
        let known = known.get_mut(usize::from(profile.number()))?;
        let packed = known.get_or_insert(word.text, || {
            let Some(term) = term(word, profile) else {
                return Some(KnownTerm::NONE);
            };
            let number = number(terms, counts, &term.text)?;
            KnownTerm {
                number,
                is_small: term.is_small,
            }
            .packed()
        })?;
        KnownTerm::unpacked(packed)
    }

    /// Ends a unit: turns the counts into postings, and returns the length, at most 255. `in_note`
    /// is the unit's number in its note.
    fn end_unit(&mut self, in_note: usize) -> Option<u8> {
        let unit = u32::try_from(self.tables.lengths.len() + in_note).ok()?;
        for term in self.counts.touched.drain(..) {
            let counts = self.counts.of.get_mut(usize::try_from(term).ok()?)?;
            let [text, above] = std::mem::take(counts);
            let posting = Posting { unit, text, above };
            self.entries.push(TermPosting { term, posting });
        }
        let length = std::mem::take(&mut self.counts.length);
        Some(u8::try_from(length).unwrap_or(u8::MAX))
    }

    /// The tables and the arena of the segment, without which the builder begins the next one.
    /// `None` if something exceeds the numbers of a segment.
    pub fn finish(&mut self) -> Option<(Tables, Vec<u8>)> {
        // A counting sort by term. The entries are in the order of the units, and a counting sort
        // keeps that order within each term.
        let mut starts = vec![0_usize; self.terms.len() + 1];
        for entry in &self.entries {
            *starts.get_mut(usize::try_from(entry.term).ok()? + 1)? += 1;
        }
        for term in 1..starts.len() {
            starts[term] += starts[term - 1];
        }
        let mut places = starts.clone();
        let mut sorted = vec![Posting::default(); self.entries.len()];
        for entry in self.entries.drain(..) {
            let place = places.get_mut(usize::try_from(entry.term).ok()?)?;
            *sorted.get_mut(*place)? = entry.posting;
            *place += 1;
        }
        let postings = |number: u32| {
            let number = usize::try_from(number).ok()?;
            sorted.get(*starts.get(number)?..*starts.get(number + 1)?)
        };
        // Most pairs of terms differ in their first bytes, and numbers are compared quickly.
        let terms = self.terms.iter().filter_map(|(term, number)| {
            let postings = postings(number).filter(|postings| !postings.is_empty())?;
            Some((beginning(term), term, postings))
        });
        let mut terms: Vec<(u64, &[u8], &[Posting])> = terms.collect();
        terms.sort_unstable_by(|left, right| (left.0, left.1).cmp(&(right.0, right.1)));
        let mut writer = TermWriter::new(std::mem::take(&mut self.tables));
        for (_, term, postings) in terms {
            writer.term(term, postings)?;
        }
        if self.terms.len() > MAX_KNOWN_TERMS {
            // The next segment needs the memory again.
            self.terms.clear();
            self.known.iter_mut().for_each(TextMap::clear);
            self.counts.of.clear();
        }
        writer.finish()
    }
}

/// The number of a term.
fn number(terms: &mut TextMap, counts: &mut TermCounts, term: &str) -> Option<u32> {
    let next = u32::try_from(terms.len()).ok()?;
    terms.get_or_insert(term, || {
        counts.of.push([0, 0]);
        Some(next)
    })
}

impl KnownTerm {
    /// The packed form for a word of nothing but marks, which has no term.
    const NONE: u32 = u32::MAX;

    /// Number and flag in one number; `None` if the number is too large.
    fn packed(self) -> Option<u32> {
        let number = self.number.checked_mul(2)?;
        Some(number | u32::from(self.is_small)).filter(|packed| *packed != Self::NONE)
    }

    fn unpacked(packed: u32) -> Option<Self> {
        (packed != Self::NONE).then_some(Self {
            number: packed / 2,
            is_small: packed % 2 == 1,
        })
    }
}

/// The languages of a note.
pub(crate) fn profile_of(note: &NoteText<'_>) -> Profile {
    if note.body.len() > 200 {
        return Profile::from_text(note.body);
    }
    // In a short text the names help to detect the language.
    Profile::from_text(&format!("{}\n{}", note.body, note.names.join("\n")))
}

impl TermCounts {
    fn add(&mut self, term: u32, field: TextField) {
        let Some(counts) = usize::try_from(term)
            .ok()
            .and_then(|term| self.of.get_mut(term))
        else {
            return;
        };
        if *counts == [0, 0] {
            self.touched.push(term);
        }
        let count = match field {
            TextField::Text => {
                self.length = self.length.saturating_add(1);
                &mut counts[0]
            }
            TextField::Above => &mut counts[1],
        };
        *count = MAX_COUNT.min(*count + 1);
    }
}
