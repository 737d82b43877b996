//! Builds a segment from the texts of notes.

use foldhash::HashMap;

use crate::language::Profile;
use crate::passages::passages;
use crate::posting::{MAX_COUNT, Posting};
use crate::segment::{Tables, TermWriter};
use crate::terms::{TermKey, term};
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

/// Builds a segment from notes, which are numbered in the order in which they are added.
pub struct SegmentBuilder {
    tables: Tables,
    terms: HashMap<TermKey, u32>,
    /// The terms of words as written, for each profile. Stemming is slow, and most words occur
    /// again.
    known: [HashMap<TermKey, Option<KnownTerm>>; Profile::COUNT],
    counts: TermCounts,
    entries: Vec<TermPosting>,
}

#[derive(Clone, Copy)]
struct KnownTerm {
    number: u32,
    is_small: bool,
}

/// A posting with its term.
#[derive(Clone, Copy)]
struct TermPosting {
    term: u32,
    posting: Posting,
}

/// How often each term occurs in the current unit.
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
            terms: HashMap::default(),
            known: std::array::from_fn(|_| HashMap::default()),
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
            // The terms of whole titles do not count for the length. Of several names only the
            // longest counts: an alias must not make the name longer.
            longest = longest.max(self.counts.length);
            for title in title_terms(name) {
                let number = self.number(&title)?;
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
        let at = usize::from(profile.number());
        let key = TermKey::new(word.text);
        if let Some(known) = self.known.get(at)?.get(&key) {
            return *known;
        }
        let found = match term(word, profile) {
            Some(term) => {
                Some(KnownTerm { number: self.number(&term.text)?, is_small: term.is_small })
            }
            None => None,
        };
        self.known.get_mut(at)?.insert(key, found);
        found
    }

    fn number(&mut self, term: &str) -> Option<u32> {
        let key = TermKey::new(term);
        if let Some(number) = self.terms.get(&key) {
            return Some(*number);
        }
        let number = u32::try_from(self.terms.len()).ok()?;
        self.terms.insert(key, number);
        self.counts.of.push([0, 0]);
        Some(number)
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

    /// The tables and the arena of the segment; `None` if something exceeds the numbers of a
    /// segment.
    pub fn finish(self) -> Option<(Tables, Vec<u8>)> {
        // A counting sort by term. The entries are in the order of the units, and a counting sort
        // keeps that order within each term.
        let mut starts = vec![0_usize; self.terms.len() + 1];
        for entry in &self.entries {
            *starts.get_mut(usize::try_from(entry.term).ok()? + 1)? += 1;
        }
        for term in 1..starts.len() {
            starts[term] += starts[term - 1];
        }
        let nothing = Posting { unit: 0, text: 0, above: 0 };
        let mut places = starts.clone();
        let mut sorted = vec![nothing; self.entries.len()];
        for entry in self.entries {
            let place = places.get_mut(usize::try_from(entry.term).ok()?)?;
            *sorted.get_mut(*place)? = entry.posting;
            *place += 1;
        }
        let mut terms: Vec<(TermKey, u32)> = self.terms.into_iter().collect();
        terms.sort_unstable();
        let mut writer = TermWriter::new(self.tables);
        let mut text = Vec::new();
        for (term, number) in terms {
            let number = usize::try_from(number).ok()?;
            let postings = sorted.get(*starts.get(number)?..*starts.get(number + 1)?)?;
            term.write_to(&mut text);
            writer.term(&text, postings)?;
        }
        writer.finish()
    }
}

fn profile_of(note: &NoteText<'_>) -> Profile {
    if note.body.len() > 200 {
        return Profile::from_text(note.body);
    }
    // In a short text the names help to detect the language.
    Profile::from_text(&format!("{}\n{}", note.body, note.names.join("\n")))
}

impl TermCounts {
    fn add(&mut self, term: u32, field: TextField) {
        let Some(counts) = usize::try_from(term).ok().and_then(|term| self.of.get_mut(term)) else {
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
