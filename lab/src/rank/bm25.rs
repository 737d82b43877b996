//! BM25 as in textbooks: whole notes, words in lower case, no stems, no stop words, no fields.

use std::collections::HashMap;

use crate::bench::measure::real;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// For each word the notes with it, and how often each has it.
pub(super) struct Bm25 {
    notes: HashMap<String, HashMap<usize, usize>>,
    lengths: Vec<usize>,
}

impl Bm25 {
    pub(super) fn new(texts: &[String]) -> Self {
        let mut index = Self {
            notes: HashMap::new(),
            lengths: Vec::new(),
        };
        for (note, text) in texts.iter().enumerate() {
            index.lengths.push(words(text).count());
            for word in words(text) {
                *index
                    .notes
                    .entry(word)
                    .or_default()
                    .entry(note)
                    .or_default() += 1;
            }
        }
        index
    }

    /// The notes with words of the question, the best first.
    pub(super) fn rank(&self, question: &str) -> Vec<usize> {
        let all = real(self.lengths.len());
        let average = real(self.lengths.iter().sum()) / all;
        let mut scores: HashMap<usize, f64> = HashMap::new();
        for notes in words(question).filter_map(|word| self.notes.get(&word)) {
            let having = real(notes.len());
            let rarity = (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
            for (note, times) in notes {
                let norm = K1 * (1.0 - B + B * real(self.lengths[*note]) / average);
                *scores.entry(*note).or_default() +=
                    rarity * real(*times) * (K1 + 1.0) / (real(*times) + norm);
            }
        }
        let mut ranked: Vec<(usize, f64)> = scores.into_iter().collect();
        ranked.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        ranked.into_iter().map(|(note, _)| note).collect()
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|character: char| !character.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}
