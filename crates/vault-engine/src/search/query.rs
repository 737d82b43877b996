//! A parsed query and what can be asked of it.

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

/// Steps that regular expressions may make for any note, however short.
const LEAST_STEPS: u64 = 100_000;
/// Steps for each byte of a note.
const STEPS_PER_BYTE: u64 = 200;
/// Steps for any note, however long: a few seconds.
const MOST_STEPS: u64 = 400_000_000;

/// A search query (`vault-semantics.md` §4.1).
#[derive(Clone, Debug)]
pub struct Query {
    expression: QueryExpression,
    cancellation: CancellationToken,
}

impl Query {
    /// Parses a query. `case_sensitive` is the `case` flag of the commands; `match-case:` and
    /// `ignore-case:` in the query go before it.
    pub fn parse(query: &str, case_sensitive: bool) -> Result<Self, QueryError> {
        Self::parse_under(query, case_sensitive, CancellationToken::default())
    }

    /// As [`Self::parse`]. Reading the query, and comparing notes with it, ends soon after `stop`
    /// is wished for: with [`QueryError::Stopped`], and with answers that mean nothing. Whoever
    /// asks has to look at `stop` before using them (`faults.md` E10).
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

    /// What the bytes of a note tell, without decoding them; where they are not given, what its
    /// path alone tells. A yes or no is final.
    pub fn prefilter(&self, path: &str, bytes: Option<&[u8]>) -> Certainty {
        self.prefilter_known(
            path,
            bytes.map_or(KnownContent::Nothing, KnownContent::Bytes),
        )
    }

    /// What is known of a note tells, as [`Self::sift`].
    pub(crate) fn prefilter_known(&self, path: &str, known: KnownContent<'_>) -> Certainty {
        prefilter(&self.expression, path, known, &self.cancellation)
    }

    /// Whether a note matches.
    ///
    /// Regular expressions may make 200 steps for each byte of the note (100,000 at least,
    /// 400,000,000 at most); one that needs more gives up.
    pub fn matches(&self, document: &Document<'_>) -> Result<bool, GaveUp> {
        self.evaluation(document)
            .matches(&self.expression)
            .map_err(gave_up)
    }

    /// Where a note matches: bytes of its text, in order, of terms in different places of the
    /// query also over each other. None where it does not match; no places where nothing of
    /// its text is the reason. The work is bounded as in [`Self::matches`].
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
        Evaluation::new(document, Fuel::new(steps).under(self.cancellation.clone()))
    }
}

fn gave_up(_: Exhausted) -> GaveUp {
    GaveUp
}
