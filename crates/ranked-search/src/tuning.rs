//! The parameters of the ranking, found by experiments with several sets of questions:
//! `cargo xtask rank`.

/// How much each sign of relevance counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// BM25's `k1` for passages: how slowly further occurrences of a word stop to count.
    pub k1: f64,
    /// BM25's `b` for passages: how much a long passage is penalised, from 0 to 1.
    pub b: f64,
    /// The value of a word in the name or an alias, in words of the text.
    pub name: f64,
    /// BM25's `b` for names: how much a long name is penalised, from 0 to 1.
    pub name_b: f64,
    /// The value of a word in tags or properties, in words of the text.
    pub facet: f64,
    /// The value of a word in the headings above the passage, in words of the text.
    pub heading: f64,
    /// The value of a word in the first passage of a note, in words of any other passage.
    pub lead: f64,
    /// The weight of the note as a whole, relative to its best passage.
    pub whole: f64,
    /// BM25's `k1` for notes as a whole.
    pub whole_k1: f64,
    /// BM25's `b` for notes as a whole, from 0 to 1.
    pub whole_b: f64,
    /// The part of the score that remains without any of the question's words, by their weight.
    pub coverage: f64,
    /// The weight of the share of the name that the question covers, in weights of these words.
    pub title: f64,
    /// The weight of a filler, relative to other words of the question.
    pub filler: f64,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            k1: 0.8,
            b: 0.75,
            name: 0.8,
            name_b: 0.6,
            facet: 1.0,
            heading: 1.4,
            lead: 0.8,
            whole: 0.6,
            whole_k1: 10.0,
            whole_b: 0.9,
            coverage: 0.75,
            title: 1.3,
            filler: 0.2,
        }
    }
}
