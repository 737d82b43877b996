//! The prefilter: decides from a file's bytes, path or trigram filter whether it can match, so that
//! most files need not be decoded and scanned.

use obsidian_note::CancellationToken;

use super::certainty::Certainty;
use super::document::name;
use super::expression::{NotePart, QueryExpression, QueryField, Term};
use super::literal::Literal;
use super::regex::Fuel;
use super::trigram_filter::{FilterBlock, TrigramFilter};

/// The step limit of a regular expression on one path; beyond it the prefilter says "maybe".
const STEPS_FOR_A_PATH: u64 = 20_000;

/// The place in which a term is searched for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TermScope {
    Anywhere,
    /// The whole text of the note.
    Text,
    /// A part of the text. A term that is not in the text is not in the part either. One that is in
    /// the text may be elsewhere.
    Part,
    Name,
    Path,
}

/// The known content of a file besides its path.
#[derive(Clone, Copy)]
pub enum KnownContent<'file> {
    /// Only its path is known.
    Nothing,
    /// The sequences of three bytes in it.
    TrigramFilter(&'file TrigramFilter),
    /// All bytes of the file.
    Bytes(&'file [u8]),
}

/// Whether a file can match the query. After a cancellation it returns soon, with a meaningless
/// result.
pub(super) fn prefilter(
    query: &QueryExpression,
    path: &str,
    known: KnownContent<'_>,
    cancellation: &CancellationToken,
) -> Certainty {
    let known = match known {
        // Properties begin after a byte order mark, which the decoded text does not have.
        KnownContent::Bytes(bytes) => {
            KnownContent::Bytes(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
        }
        other => other,
    };
    Prefilter {
        path,
        known,
        cancellation,
    }
    .prefilter(query, TermScope::Anywhere)
}

/// Returns the notes of a block that can match the query: a bit for each. After a cancellation it returns soon, with a
/// meaningless result.
pub(super) fn prefilter_block(
    query: &QueryExpression,
    block: &FilterBlock,
    cancellation: &CancellationToken,
) -> u64 {
    if cancellation.is_cancelled() {
        return 0;
    }
    let notes = |part| prefilter_block(part, block, cancellation);
    match query {
        QueryExpression::All(parts) => parts.iter().map(notes).fold(u64::MAX, |all, of| all & of),
        QueryExpression::Any(parts) => parts.iter().map(notes).fold(0, |any, of| any | of),
        QueryExpression::Term(term) => in_block(term, block),
        // The filters cover the paths too.
        QueryExpression::In(_, inner) | QueryExpression::Part(_, inner) => notes(inner),
        QueryExpression::Not(_)
        | QueryExpression::Tag(_)
        | QueryExpression::Property { .. }
        | QueryExpression::Null
        | QueryExpression::Compare { .. } => u64::MAX,
    }
}

fn in_block(term: &Term, block: &FilterBlock) -> u64 {
    match term {
        Term::Literal(literal) => literal.in_block(block),
        Term::Regex(regex) => regex.in_block(block),
    }
}

struct Prefilter<'file> {
    path: &'file str,
    known: KnownContent<'file>,
    cancellation: &'file CancellationToken,
}

impl Prefilter<'_> {
    fn prefilter(&self, expression: &QueryExpression, place: TermScope) -> Certainty {
        // Checked at every node: a query may have a million terms.
        if self.cancellation.is_cancelled() {
            return Certainty::No;
        }
        match expression {
            QueryExpression::All(parts) => self.least(parts, place),
            QueryExpression::Any(parts) => {
                let mut most = Certainty::No;
                for part in parts {
                    most = most.max(self.prefilter(part, place));
                    if most == Certainty::Yes || self.cancellation.is_cancelled() {
                        break;
                    }
                }
                most
            }
            QueryExpression::Not(inner) => !self.prefilter(inner, place),
            QueryExpression::Term(term) => self.term(term, place),
            QueryExpression::In(field, inner) => self.prefilter(
                inner,
                match field {
                    QueryField::Name => TermScope::Name,
                    QueryField::Path => TermScope::Path,
                    QueryField::Content if place == TermScope::Anywhere => TermScope::Text,
                    QueryField::Content => TermScope::Part,
                },
            ),
            QueryExpression::Tag(inner) => self.tag(inner),
            QueryExpression::Part(part, inner) => {
                let has_tasks = match part {
                    // Every task has brackets.
                    NotePart::Task(_) => self.has(b"[").at_most_maybe(),
                    NotePart::Line | NotePart::Block | NotePart::Section => Certainty::Maybe,
                };
                has_tasks.min(self.prefilter(inner, TermScope::Part))
            }
            QueryExpression::Property { name, .. } => match self.known {
                // Properties are only at the very beginning of a note.
                KnownContent::Bytes(text) if !text.starts_with(b"---") => Certainty::No,
                _ => self.key(name),
            },
            QueryExpression::Null | QueryExpression::Compare { .. } => Certainty::Maybe,
        }
    }

    fn least(&self, parts: &[QueryExpression], place: TermScope) -> Certainty {
        let mut least = Certainty::Yes;
        for part in parts {
            least = least.min(self.prefilter(part, place));
            if least == Certainty::No {
                break;
            }
        }
        least
    }

    fn term(&self, term: &Term, place: TermScope) -> Certainty {
        match place {
            // The trigram filter covers the path too.
            TermScope::Anywhere if self.is_denied(term) => Certainty::No,
            TermScope::Anywhere => match in_path(term, self.path) {
                Certainty::Yes => Certainty::Yes,
                path => path.max(self.in_text(term)),
            },
            TermScope::Text => self.in_text(term),
            TermScope::Part => self.in_text(term).at_most_maybe(),
            TermScope::Name => in_path(term, name(self.path)),
            TermScope::Path => in_path(term, self.path),
        }
    }

    fn in_text(&self, term: &Term) -> Certainty {
        match (self.known, term) {
            (KnownContent::Nothing, _) => Certainty::Maybe,
            (KnownContent::TrigramFilter(_), Term::Literal(literal)) if literal.is_everywhere() => {
                Certainty::Yes
            }
            (KnownContent::TrigramFilter(of), term) => {
                Certainty::from(of.is_in(in_block(term, of.block()))).at_most_maybe()
            }
            (KnownContent::Bytes(text), Term::Literal(literal)) => literal.prefilter(text),
            (KnownContent::Bytes(text), Term::Regex(regex)) => regex.prefilter(text),
        }
    }

    fn is_denied(&self, term: &Term) -> bool {
        matches!(self.known, KnownContent::TrigramFilter(_)) && self.in_text(term) == Certainty::No
    }

    fn has(&self, bytes: &[u8]) -> Certainty {
        match self.known {
            KnownContent::Bytes(text) => {
                Certainty::from(memchr::memmem::find(text, bytes).is_some())
            }
            KnownContent::Nothing | KnownContent::TrigramFilter(_) => Certainty::Maybe,
        }
    }

    /// Whether the note may have the tags of a query. A `#` is left out, because tags of properties
    /// are written without one, and so is a final `/`, as in the evaluation.
    fn tag(&self, query: &QueryExpression) -> Certainty {
        self.written(query, |literal| {
            let tag = literal.text();
            let tag = tag.strip_prefix('#').unwrap_or(tag);
            tag.strip_suffix('/').unwrap_or(tag).to_owned()
        })
    }

    fn key(&self, query: &QueryExpression) -> Certainty {
        self.written(query, |literal| literal.text().to_owned())
    }

    /// Whether the note may have the tags or properties of a query: their names must be in its
    /// text. A note with properties and a backslash may have them without that, as an escape in a
    /// quoted string.
    fn written(&self, query: &QueryExpression, text: fn(&Literal) -> String) -> Certainty {
        if self.cancellation.is_cancelled() {
            return Certainty::No;
        }
        match query {
            QueryExpression::Term(Term::Literal(literal)) => {
                let KnownContent::Bytes(bytes) = self.known else {
                    return Certainty::Maybe;
                };
                let found = Literal::new(&text(literal), true).prefilter(bytes);
                let may_escape =
                    || bytes.starts_with(b"---") && memchr::memchr(b'\\', bytes).is_some();
                if found == Certainty::No && !may_escape() {
                    Certainty::No
                } else {
                    Certainty::Maybe
                }
            }
            QueryExpression::All(parts) => parts
                .iter()
                .map(|part| self.written(part, text))
                .min()
                .unwrap_or(Certainty::Maybe),
            QueryExpression::Any(parts) => parts
                .iter()
                .map(|part| self.written(part, text))
                .max()
                .unwrap_or(Certainty::Maybe),
            _ => Certainty::Maybe,
        }
    }
}

fn in_path(term: &Term, path: &str) -> Certainty {
    match term {
        Term::Literal(literal) => Certainty::from(literal.is_in(path)),
        Term::Regex(regex) => match regex.is_in(path, &Fuel::new(STEPS_FOR_A_PATH)) {
            Ok(found) => Certainty::from(found),
            Err(_) => Certainty::Maybe,
        },
    }
}
