//! The parameters of the ranking. The values come from experiments with several sets of questions
//! (`cargo lab rank`).

/// The weight of each sign of relevance. Words in names, tags, headings and first passages count as a number of words
/// in the text of a passage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// BM25's `k1` for passages: the greater, the more further occurrences of a word count.
    pub k1: f64,
    /// BM25's `b` for passages: how much a long passage is penalised, from 0 to 1.
    pub b: f64,
    /// The number of words of the text that a word in the name or an alias counts for.
    pub name: f64,
    /// BM25's `b` for names: how much a long name is penalised, from 0 to 1.
    pub name_b: f64,
    /// The number of words of the text that a word in tags or properties counts for.
    pub facet: f64,
    /// The number of words of the text that a word in the headings above the passage counts for.
    pub heading: f64,
    /// The number of words of each passage that a word in the note's first passage counts for.
    pub lead: f64,
    /// The weight of the score of the note as a whole, added to the score of its best passage.
    pub whole: f64,
    /// BM25's `b` for notes as a whole, from 0 to 1.
    pub whole_b: f64,
    /// The factor of the score, from 0 to 1, of a note that has none of the question's words. With
    /// all of them, by weight, the factor is 1.
    pub coverage: f64,
    /// The weight of a filler, relative to another word that is as rare.
    pub filler: f64,
    /// The weight of a word that is in no note, by its compounds and its parts, relative to another
    /// word that is as rare.
    pub compound: f64,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            k1: 0.8,
            b: 0.75,
            name: 1.0,
            name_b: 0.5,
            facet: 1.1,
            heading: 1.4,
            lead: 0.8,
            whole: 0.6,
            whole_b: 0.9,
            coverage: 0.7,
            filler: 0.2,
            compound: 0.5,
        }
    }
}
