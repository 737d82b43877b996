//! A parsed query: the entry point of the search language.

use std::ops::Range;

use obsidian_note::CancellationToken;

use super::certainty::Certainty;
use super::document::Document;
use super::error::{GaveUp, QueryError};
use super::evaluate::Evaluation;
use super::expression::{QueryExpression, QueryField, Term};
use super::hits::Hits;
use super::parse::parse;
use super::prefilter::{KnownContent, prefilter, prefilter_block};
use super::regex::{Exhausted, Fuel};
use super::trigram_filter::FilterBlock;

/// The step limit of regular expressions for the shortest note.
const LEAST_STEPS: u64 = 100_000;
/// Additional steps for each byte of a note.
const STEPS_PER_BYTE: u64 = 200;
/// The step limit for the longest note: a few seconds.
const MOST_STEPS: u64 = 400_000_000;

/// A search query (`vault-semantics.md` §4.1).
#[derive(Clone, Debug)]
pub struct Query {
    expression: QueryExpression,
    cancellation: CancellationToken,
}

impl Query {
    /// Parses a query. `case_sensitive` is the `case` flag of the commands; `match-case:` and
    /// `ignore-case:` in the query override it.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a query, or is larger or nested deeper than allowed.
    ///
    /// ```
    /// use obsidian_search::{Document, FromText, Query};
    ///
    /// let query = Query::parse("tag:#boat -paint", false).unwrap();
    /// let document = Document::new("Log.md", "The #boat is in the water.", &FromText);
    /// assert!(query.matches(&document).unwrap());
    /// ```
    pub fn parse(query: &str, case_sensitive: bool) -> Result<Self, QueryError> {
        Self::parse_under(query, case_sensitive, CancellationToken::default())
    }

    /// Returns an invalid query with the syntax of other programs replaced: `AND`, `NOT` and `||`, and `name:value` for a
    /// property. `None` if that does not make it valid. A query with quotes is left to the caller.
    ///
    /// ```
    /// use obsidian_search::Query;
    ///
    /// let corrected = Query::corrected("tag:#boat AND status:open NOT paint");
    /// assert_eq!(corrected.unwrap(), "tag:#boat [status:open] -paint");
    /// assert_eq!(Query::corrected("tag:#boat"), None);
    /// ```
    pub fn corrected(query: &str) -> Option<String> {
        let mut words: Vec<String> = Vec::new();
        let mut sign = "";
        for word in query.split_whitespace() {
            let word = match (word, word.split_once(':')) {
                ("AND" | "&&", _) => continue,
                ("NOT", _) => {
                    sign = "-";
                    continue;
                }
                ("||", _) => "OR".to_owned(),
                (_, Some((name, value))) if is_property(name) && !value.is_empty() => {
                    format!("{sign}[{name}:{value}]")
                }
                _ => format!("{sign}{word}"),
            };
            sign = "";
            words.push(word);
        }
        let corrected = words.join(" ");
        let is_valid = |query: &str| Self::parse(query, false).is_ok();
        (!query.contains('"') && !is_valid(query) && is_valid(&corrected)).then_some(corrected)
    }

    /// As [`Self::parse`], with a cancellation token. After a cancellation, parsing fails with
    /// [`QueryError::Stopped`] and matching returns soon with meaningless results: callers must
    /// check the token before they use them (`threats.toml` E10).
    ///
    /// # Errors
    ///
    /// As [`Self::parse`].
    pub fn parse_under(
        query: &str,
        case_sensitive: bool,
        cancellation: CancellationToken,
    ) -> Result<Self, QueryError> {
        let expression = parse(query, case_sensitive, &cancellation)?;
        Ok(Self {
            expression,
            cancellation,
        })
    }

    /// Returns the prefilter: whether a note matches, decided from its path and, if given, its bytes without decoding
    /// them. A yes or no is final.
    pub fn prefilter(&self, path: &str, bytes: Option<&[u8]>) -> Certainty {
        self.prefilter_known(
            path,
            bytes.map_or(KnownContent::Nothing, KnownContent::Bytes),
        )
    }

    /// As [`Self::prefilter`], from what is known of a note.
    pub fn prefilter_known(&self, path: &str, known: KnownContent<'_>) -> Certainty {
        prefilter(&self.expression, path, known, &self.cancellation)
    }

    /// Returns the notes of a block that can match: a bit for each.
    pub fn prefilter_block(&self, block: &FilterBlock) -> u64 {
        prefilter_block(&self.expression, block, &self.cancellation)
    }

    /// Whether a note matches.
    ///
    /// Regular expressions may take 200 steps for each byte of the note, at least 100,000 and at
    /// most 400,000,000.
    ///
    /// # Errors
    ///
    /// Fails with [`GaveUp`] if they need more.
    pub fn matches(&self, document: &Document<'_>) -> Result<bool, GaveUp> {
        self.evaluation(document)
            .matches(&self.expression)
            .map_err(gave_up)
    }

    /// Returns the places where a note matches: byte ranges of its text, in order. Ranges of different terms may
    /// overlap. `None` if the note does not match. Empty if it matches by something other than its text.
    ///
    /// # Errors
    ///
    /// As [`Self::matches`], with the same limit.
    pub fn hits(&self, document: &Document<'_>) -> Result<Option<Hits>, GaveUp> {
        let evaluation = self.evaluation(document);
        if evaluation.matches(&self.expression).map_err(gave_up)? {
            let hits = evaluation.hits(&self.expression);
            hits.map(Some).map_err(gave_up)
        } else {
            Ok(None)
        }
    }

    /// Returns the byte ranges that the words, phrases and expressions of the query match in a text, sorted and without
    /// overlaps. They serve to highlight matches. Terms for names, paths and properties are left out, and so are
    /// negated ones.
    pub fn marks(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
        let fuel = Fuel::new(
            length
                .saturating_mul(STEPS_PER_BYTE)
                .saturating_add(LEAST_STEPS),
        );
        mark(&self.expression, text, &fuel, &mut found);
        found.sort_unstable_by_key(|place: &Range<usize>| (place.start, place.end));
        let mut marks: Vec<Range<usize>> = Vec::new();
        for place in found {
            match marks.last_mut() {
                Some(last) if place.start < last.end => last.end = last.end.max(place.end),
                _ => marks.push(place),
            }
        }
        marks
    }

    /// Returns the tags, properties and parts of paths and file names that the query names, each with its kind: `tag`,
    /// `property`, `path` or `file`. For the message of a search without results.
    pub fn queried_names(&self) -> Vec<(&'static str, &str)> {
        let mut names = Vec::new();
        name_in(&self.expression, &mut names);
        names
    }

    fn evaluation<'note>(&self, document: &'note Document<'note>) -> Evaluation<'note> {
        // In proportion to the note, because a reasonable expression takes a few steps for each
        // byte.
        let length = u64::try_from(document.text().len()).unwrap_or(u64::MAX);
        let steps = length
            .saturating_mul(STEPS_PER_BYTE)
            .saturating_add(LEAST_STEPS)
            .min(MOST_STEPS);
        let cancellation = self.cancellation.clone();
        let fuel = Fuel::new(steps).until(move || cancellation.is_cancelled());
        Evaluation::new(document, fuel)
    }
}

/// Collects the names of tags, properties, paths and files in a part of a query.
fn name_in<'query>(part: &'query QueryExpression, names: &mut Vec<(&'static str, &'query str)>) {
    let (what, name) = match part {
        QueryExpression::All(parts) | QueryExpression::Any(parts) => {
            return parts.iter().for_each(|part| name_in(part, names));
        }
        QueryExpression::Tag(name) => ("tag", name),
        QueryExpression::Property { name, .. } => ("property", name),
        QueryExpression::In(QueryField::Path, text) => ("path", text),
        QueryExpression::In(QueryField::Name, text) => ("file", text),
        QueryExpression::In(..)
        | QueryExpression::Part(..)
        | QueryExpression::Not(_)
        | QueryExpression::Term(_)
        | QueryExpression::Null
        | QueryExpression::Compare { .. } => return,
    };
    if let QueryExpression::Term(Term::Literal(literal)) = &**name {
        names.push((what, literal.text()));
    }
}

/// Collects the matches of a part of a query in a text.
fn mark(part: &QueryExpression, text: &str, fuel: &Fuel, found: &mut Vec<Range<usize>>) {
    match part {
        QueryExpression::All(parts) | QueryExpression::Any(parts) => {
            for part in parts {
                mark(part, text, fuel, found);
            }
        }
        QueryExpression::Term(Term::Literal(literal)) => found.extend(literal.hits(text)),
        QueryExpression::Term(Term::Regex(regex)) => {
            // Marks only serve for highlighting, so an expression that takes too long may mark only
            // its first matches.
            let _exhausted = regex.each_hit(text, fuel, |place| found.push(place));
        }
        QueryExpression::In(QueryField::Content, inner)
        | QueryExpression::Tag(inner)
        | QueryExpression::Part(_, inner) => mark(inner, text, fuel, found),
        QueryExpression::In(QueryField::Name | QueryField::Path, _)
        | QueryExpression::Not(_)
        | QueryExpression::Property { .. }
        | QueryExpression::Null
        | QueryExpression::Compare { .. } => {}
    }
}

/// Whether the word before a colon can name a property, and is not an operator.
fn is_property(name: &str) -> bool {
    let mut letters = name.chars();
    letters.all(|letter| letter.is_alphanumeric() || letter == '_')
        && !QueryError::OPERATORS.contains(&name)
}

fn gave_up(_: Exhausted) -> GaveUp {
    GaveUp
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_query_asks_of_the_text_is_marked() {
        for (query, marks) in [
            ("boat", &["Boat", "boat"][..]),
            ("boat -and", &["Boat", "boat"]),
            ("\"Boat and\" and", &["Boat and"]),
            ("file:boat /a[n]d/", &["and"]),
            ("line:(boat and)", &["Boat", "and", "boat"]),
            ("[boat:x]", &[]),
        ] {
            let query = Query::parse(query, false).unwrap();
            let text = "a Boat and boat";
            let found = query.marks(text).into_iter();
            let found: Vec<&str> = found.map(|place| &text[place]).collect();
            assert_eq!(found, marks, "{query:?}");
        }
    }
}
