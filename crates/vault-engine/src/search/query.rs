//! A parsed query: the entry point of the search language.

use super::certainty::Certainty;
use super::document::Document;
use super::error::{GaveUp, QueryError};
use super::evaluate::Evaluation;
use super::expression::QueryExpression;
use super::hits::Hits;
use super::parse::parse;
use super::prefilter::{KnownContent, prefilter};
use super::regex::{Exhausted, Fuel};
use crate::cancellation::CancellationToken;

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
    /// Fails where the text is not a query, or is larger or nested deeper than allowed.
    ///
    /// ```
    /// use vault_engine::search::{Document, FromText, Query};
    ///
    /// let query = Query::parse("tag:#boat -paint", false).unwrap();
    /// let document = Document::new("Log.md", "The #boat is in the water.", &FromText);
    /// assert!(query.matches(&document).unwrap());
    /// ```
    pub fn parse(query: &str, case_sensitive: bool) -> Result<Self, QueryError> {
        Self::parse_under(query, case_sensitive, CancellationToken::default())
    }

    /// As [`Self::parse`], with a cancellation token. After a cancellation, parsing fails with
    /// [`QueryError::Stopped`] and matching returns soon with meaningless results: callers must
    /// check the token before they use them (`faults.md` E10).
    pub(crate) fn parse_under(
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

    /// The prefilter: whether a note matches, decided from its path and, if given, its bytes
    /// without decoding them. A yes or no is final.
    pub fn prefilter(&self, path: &str, bytes: Option<&[u8]>) -> Certainty {
        self.prefilter_known(
            path,
            bytes.map_or(KnownContent::Nothing, KnownContent::Bytes),
        )
    }

    /// As [`Self::prefilter`], from whatever is known of a note.
    pub(crate) fn prefilter_known(&self, path: &str, known: KnownContent<'_>) -> Certainty {
        prefilter(&self.expression, path, known, &self.cancellation)
    }

    /// Whether a note matches.
    ///
    /// Regular expressions may take 200 steps for each byte of the note, at least 100,000 and at
    /// most 400,000,000.
    ///
    /// # Errors
    ///
    /// Fails with [`GaveUp`] where they need more.
    pub fn matches(&self, document: &Document<'_>) -> Result<bool, GaveUp> {
        self.evaluation(document)
            .matches(&self.expression)
            .map_err(gave_up)
    }

    /// Where a note matches: byte ranges of its text, in order. Ranges of different terms may
    /// overlap. None where the note does not match; empty where it matches by something other than
    /// its text.
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

    fn evaluation<'note>(&self, document: &'note Document<'note>) -> Evaluation<'note> {
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

fn gave_up(_: Exhausted) -> GaveUp {
    GaveUp
}
