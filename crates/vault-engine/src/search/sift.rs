//! What the bytes of a file tell of a query, so that most files need not be decoded and scanned.

use super::certainty::Certainty;
use super::document::name;
use super::expression::{Expression, Field, Part, Term};
use super::literal::Literal;
use super::regex::Fuel;
use super::signature::Signature;
use crate::stop::Stop;

/// Steps of a regular expression over one path, which is short; one that needs more is not decided
/// here.
const STEPS_FOR_A_PATH: u64 = 20_000;

/// Where the terms of an expression are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Anywhere,
    /// The whole text.
    Text,
    /// Some part of the text: what the text lacks, it lacks, and no more is known.
    Part,
    Name,
    Path,
}

/// What is known of a file beside its path.
#[derive(Clone, Copy)]
pub(crate) enum Known<'file> {
    Nothing,
    Signature(&'file Signature),
    /// All of it.
    Bytes(&'file [u8]),
}

/// What a file's path and what is known of it tell of the query.
/// Once `stop` is wished for the answer is soon there and means nothing.
pub(super) fn sift(query: &Expression, path: &str, known: Known<'_>, stop: &Stop) -> Certainty {
    let known = match known {
        Known::Bytes(bytes) => Known::Bytes(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)),
        other => other,
    };
    Sieve { path, known, stop }.sift(query, Place::Anywhere)
}

struct Sieve<'file> {
    path: &'file str,
    known: Known<'file>,
    stop: &'file Stop,
}

impl Sieve<'_> {
    fn sift(&self, expression: &Expression, place: Place) -> Certainty {
        if self.stop.is_wished() {
            return Certainty::No;
        }
        match expression {
            Expression::All(parts) => self.least(parts, place),
            Expression::Any(parts) => {
                let mut most = Certainty::No;
                for part in parts {
                    most = most.max(self.sift(part, place));
                    if most == Certainty::Yes || self.stop.is_wished() {
                        break;
                    }
                }
                most
            }
            Expression::Not(inner) => !self.sift(inner, place),
            Expression::Term(term) => self.term(term, place),
            Expression::In(field, inner) => self.sift(
                inner,
                match field {
                    Field::Name => Place::Name,
                    Field::Path => Place::Path,
                    Field::Content if place == Place::Anywhere => Place::Text,
                    Field::Content => Place::Part,
                },
            ),
            Expression::Tag(inner) => self.tag(inner),
            Expression::Part(part, inner) => {
                let has_tasks = match part {
                    Part::Task(_) => self.has(b"[").at_most_maybe(),
                    Part::Line | Part::Block | Part::Section => Certainty::Maybe,
                };
                has_tasks.min(self.sift(inner, Place::Part))
            }
            Expression::Property { name, .. } => match self.known {
                Known::Bytes(text) if !text.starts_with(b"---") => Certainty::No,
                _ => self.key(name),
            },
            Expression::Null | Expression::Compare { .. } => Certainty::Maybe,
        }
    }

    fn least(&self, parts: &[Expression], place: Place) -> Certainty {
        let mut least = Certainty::Yes;
        for part in parts {
            least = least.min(self.sift(part, place));
            if least == Certainty::No {
                break;
            }
        }
        least
    }

    fn term(&self, term: &Term, place: Place) -> Certainty {
        match place {
            // A signature is of the path too.
            Place::Anywhere if self.is_denied(term) => Certainty::No,
            Place::Anywhere => match in_path(term, self.path) {
                Certainty::Yes => Certainty::Yes,
                path => path.max(self.in_text(term)),
            },
            Place::Text => self.in_text(term),
            Place::Part => self.in_text(term).at_most_maybe(),
            Place::Name => in_path(term, name(self.path)),
            Place::Path => in_path(term, self.path),
        }
    }

    fn in_text(&self, term: &Term) -> Certainty {
        match (self.known, term) {
            (Known::Nothing, _) => Certainty::Maybe,
            (Known::Signature(of), Term::Literal(literal)) => literal.sift_signature(of),
            (Known::Signature(of), Term::Regex(regex)) => regex.sift_signature(of),
            (Known::Bytes(text), Term::Literal(literal)) => literal.sift(text),
            (Known::Bytes(text), Term::Regex(regex)) => regex.sift(text),
        }
    }

    fn is_denied(&self, term: &Term) -> bool {
        matches!(self.known, Known::Signature(_)) && self.in_text(term) == Certainty::No
    }

    fn has(&self, bytes: &[u8]) -> Certainty {
        match self.known {
            Known::Bytes(text) => Certainty::from(memchr::memmem::find(text, bytes).is_some()),
            Known::Nothing | Known::Signature(_) => Certainty::Maybe,
        }
    }

    /// A tag stands in the text as it is.
    fn tag(&self, query: &Expression) -> Certainty {
        self.written(query, |literal| {
            let tag = literal.text();
            let tag = tag.strip_prefix('#').unwrap_or(tag);
            tag.strip_suffix('/').unwrap_or(tag).to_owned()
        })
    }

    fn key(&self, query: &Expression) -> Certainty {
        self.written(query, |literal| literal.text().to_owned())
    }

    /// Whether what a query for tags or property names asks for is written in the text. In the
    /// quoted strings of properties, which may have escapes, it need not be.
    fn written(&self, query: &Expression, text: fn(&Literal) -> String) -> Certainty {
        if self.stop.is_wished() {
            return Certainty::No;
        }
        match query {
            Expression::Term(Term::Literal(literal)) => {
                let Known::Bytes(bytes) = self.known else {
                    return Certainty::Maybe;
                };
                let found = Literal::new(&text(literal), true).sift(bytes);
                let may_escape =
                    || bytes.starts_with(b"---") && memchr::memchr(b'\\', bytes).is_some();
                if found == Certainty::No && !may_escape() {
                    Certainty::No
                } else {
                    Certainty::Maybe
                }
            }
            Expression::All(parts) => parts
                .iter()
                .map(|part| self.written(part, text))
                .min()
                .unwrap_or(Certainty::Maybe),
            Expression::Any(parts) => parts
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
