//! The numbers of the ranking, found by trying them on several sets of questions: `cargo xtask rank`.

/// How much each sign of relevance counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// How soon more of the same word in a passage stops to count.
    pub k1: f64,
    /// How much a long passage has to have more of a word, from 0 to 1.
    pub b: f64,
    /// A word in the name or an alias, in words of the text.
    pub name: f64,
    /// How much a long name has to have more of a word, from 0 to 1.
    pub name_b: f64,
    /// A word in tags or properties.
    pub facet: f64,
    /// A word in the headings above the passage.
    pub heading: f64,
    /// A word in the first passage of a note, in words of any other passage of it.
    pub lead: f64,
    /// How much the note as a whole counts, in scores of its best passage.
    pub whole: f64,
    /// How soon more of the same word in a note as a whole stops to count.
    pub whole_k1: f64,
    /// How much a long note has to have more of a word to count as a whole, from 0 to 1.
    pub whole_b: f64,
    /// How much of the score remains for a note with none of the question's words, by their weight.
    pub coverage: f64,
    /// How much a name counts for the share of its words that the question has, in weights of these words.
    pub title: f64,
    /// How much a filler counts, in words of the question's own.
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
