//! Evaluates a query on a note: whether it matches, and where (`vault-semantics.md` §4.1, §4.2).

use std::ops::Range;

use serde_json::Value;

use super::document::{Document, name};
use super::expression::{QueryExpression, QueryField, Term};
use super::hits::{HitCollector, Hits};
use super::literal::Literal;
use super::property;
use super::regex::{Exhausted, Fuel};
use super::slices::{bytes, slices};

/// One note under evaluation.
pub(super) struct Evaluation<'note> {
    document: &'note Document<'note>,
    fuel: Fuel,
}

/// The part of a note that the terms of an expression are compared with.
#[derive(Clone, Debug)]
struct MatchScope<'note> {
    subject: MatchSubject<'note>,
    /// The byte range of the text that is searched.
    range: Range<usize>,
}

#[derive(Clone, Copy, Debug)]
enum MatchSubject<'note> {
    /// The text and the path: the terms of a query may match in either.
    Anywhere,
    Text,
    Name,
    Path,
    Tags,
    /// The name of a property.
    Key(&'note str),
    /// A property's value, or an element of it.
    Value(&'note Value),
}

impl<'note> Evaluation<'note> {
    pub(super) fn new(document: &'note Document<'note>, fuel: Fuel) -> Self {
        Self { document, fuel }
    }

    /// Whether the note matches.
    pub(super) fn matches(&self, query: &QueryExpression) -> Result<bool, Exhausted> {
        self.holds(query, &self.whole())
    }

    /// Returns the hits of a matching note, in the order of the text. Empty if it matches only by its path, by a
    /// property, or by what it does not contain.
    pub(super) fn hits(&self, query: &QueryExpression) -> Result<Hits, Exhausted> {
        let mut hits = HitCollector::new();
        self.collect(query, &self.whole(), &mut hits)?;
        Ok(hits.finish())
    }

    fn whole(&self) -> MatchScope<'note> {
        MatchScope {
            subject: MatchSubject::Anywhere,
            range: 0..self.document.text().len(),
        }
    }

    fn slice(&self, range: &Range<usize>) -> &'note str {
        self.document.text().get(range.clone()).unwrap_or_default()
    }

    fn holds(
        &self,
        expression: &QueryExpression,
        scope: &MatchScope<'note>,
    ) -> Result<bool, Exhausted> {
        self.fuel.check()?;
        match expression {
            QueryExpression::All(parts) => {
                for part in parts {
                    if !self.holds(part, scope)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            QueryExpression::Any(parts) => {
                for part in parts {
                    if self.holds(part, scope)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            QueryExpression::Not(inner) => Ok(!self.holds(inner, scope)?),
            QueryExpression::Term(term) => self.term_holds(term, scope),
            QueryExpression::In(field, inner) => self.holds(inner, &scope.about(*field)),
            QueryExpression::Tag(inner) => {
                self.holds(inner, &scope.with_subject(MatchSubject::Tags))
            }
            QueryExpression::Part(part, inner) => {
                for range in slices(self.document, *part, scope.range.clone()) {
                    if self.holds(inner, &MatchScope::text(range))? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            QueryExpression::Property { name, value } => {
                for (key, found) in &self.document.properties().values {
                    if self.holds(name, &scope.with_subject(MatchSubject::Key(key)))?
                        && match value {
                            Some(value) => self.value_holds(value, found, scope)?,
                            None => true,
                        }
                    {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            QueryExpression::Null => Ok(matches!(scope.subject, MatchSubject::Value(Value::Null))),
            QueryExpression::Compare { greater, with } => Ok(match scope.subject {
                MatchSubject::Value(value) => property::compares(value, *greater, with),
                _ => false,
            }),
        }
    }

    /// Whether a property's value matches. A list matches if any of its elements does; nulls in it
    /// are skipped.
    fn value_holds(
        &self,
        query: &QueryExpression,
        value: &'note Value,
        scope: &MatchScope<'note>,
    ) -> Result<bool, Exhausted> {
        match value {
            // An empty list is compared as a value, so that `[name:-x]` matches it.
            Value::Array(elements) if !elements.is_empty() => {
                for element in elements {
                    if !element.is_null() && self.value_holds(query, element, scope)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => self.holds(query, &scope.with_subject(MatchSubject::Value(value))),
        }
    }

    fn term_holds(&self, term: &Term, scope: &MatchScope<'note>) -> Result<bool, Exhausted> {
        let path = self.document.path();
        match scope.subject {
            MatchSubject::Anywhere => {
                Ok(self.is_in(term, path)? || self.is_in(term, self.slice(&scope.range))?)
            }
            MatchSubject::Text => self.is_in(term, self.slice(&scope.range)),
            MatchSubject::Name => self.is_in(term, name(path)),
            MatchSubject::Path => self.is_in(term, path),
            MatchSubject::Tags => {
                for (tag, _) in self.tags(&scope.range) {
                    if self.is_tag(term, tag)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            MatchSubject::Key(key) => match term {
                Term::Literal(literal) => Ok(literal.is(key)),
                Term::Regex(regex) => regex.is_in(key, &self.fuel),
            },
            MatchSubject::Value(value) => match property::text(value) {
                Some(text) => self.is_in(term, &text),
                None => Ok(false),
            },
        }
    }

    fn is_in(&self, term: &Term, text: &str) -> Result<bool, Exhausted> {
        match term {
            Term::Literal(literal) => Ok(literal.is_in(text)),
            Term::Regex(regex) => regex.is_in(text, &self.fuel),
        }
    }

    fn is_tag(&self, term: &Term, tag: &str) -> Result<bool, Exhausted> {
        match term {
            Term::Literal(literal) => Ok(is_tag_or_above(literal, tag)),
            Term::Regex(regex) => regex.is_in(tag, &self.fuel),
        }
    }

    /// Returns the tags in a byte range, with their positions. Tags of the properties have no position, and belong to
    /// the range that contains the properties.
    fn tags(&self, range: &Range<usize>) -> impl Iterator<Item = (&str, Option<Range<usize>>)> {
        let facts = self.document.facts();
        let properties_inside = match facts.frontmatter {
            Some(span) => range.start <= bytes(span).start && bytes(span).end <= range.end,
            None => *range == (0..self.document.text().len()),
        };
        let listed = properties_inside.then(|| self.document.properties().tags.iter());
        let listed = listed.into_iter().flatten().map(|tag| (tag.as_str(), None));
        let first = facts
            .tags
            .partition_point(|tag| bytes(tag.span).start < range.start);
        let end = range.end;
        let inside = facts
            .tags
            .iter()
            .skip(first)
            .map(|tag| (tag, bytes(tag.span)));
        let inside = inside.take_while(move |(_, place)| place.end <= end);
        listed.chain(inside.map(|(tag, place)| (tag.tag.as_str(), Some(place))))
    }

    fn collect(
        &self,
        expression: &QueryExpression,
        scope: &MatchScope<'note>,
        hits: &mut HitCollector,
    ) -> Result<(), Exhausted> {
        self.fuel.check()?;
        match expression {
            QueryExpression::All(parts) => {
                for part in parts {
                    self.collect(part, scope, hits)?;
                }
            }
            // An alternative that does not match may contain terms that the text has.
            QueryExpression::Any(parts) => {
                for part in parts {
                    if self.holds(part, scope)? {
                        self.collect(part, scope, hits)?;
                    }
                }
            }
            QueryExpression::Term(term) => self.collect_term(term, scope, hits)?,
            QueryExpression::In(QueryField::Content, inner) => {
                self.collect(inner, &scope.about(QueryField::Content), hits)?;
            }
            QueryExpression::Tag(inner) => {
                self.collect(inner, &scope.with_subject(MatchSubject::Tags), hits)?;
            }
            QueryExpression::Part(part, inner) => {
                for range in slices(self.document, *part, scope.range.clone()) {
                    let (start, before) = (range.start, hits.named());
                    let inside = MatchScope::text(range);
                    if self.holds(inner, &inside)? {
                        self.collect(inner, &inside, hits)?;
                        // A part that matches because something is absent, as in `task-todo:""`, is
                        // itself the hit.
                        if hits.named() == before {
                            hits.push(start..start);
                        }
                    }
                }
            }
            // These have no place in the text.
            QueryExpression::Not(_)
            | QueryExpression::In(QueryField::Name | QueryField::Path, _)
            | QueryExpression::Property { .. }
            | QueryExpression::Null
            | QueryExpression::Compare { .. } => {}
        }
        Ok(())
    }

    fn collect_term(
        &self,
        term: &Term,
        scope: &MatchScope<'note>,
        hits: &mut HitCollector,
    ) -> Result<(), Exhausted> {
        match scope.subject {
            MatchSubject::Anywhere | MatchSubject::Text => {
                let text = self.slice(&scope.range);
                let start = scope.range.start;
                let moved = |hit: Range<usize>| hit.start + start..hit.end + start;
                match term {
                    Term::Literal(literal) => {
                        for hit in literal.hits(text) {
                            hits.push(moved(hit));
                        }
                    }
                    Term::Regex(regex) => {
                        regex.each_hit(text, &self.fuel, |hit| hits.push(moved(hit)))?;
                    }
                }
            }
            MatchSubject::Tags => {
                for (tag, place) in self.tags(&scope.range) {
                    if let Some(place) = place
                        && self.is_tag(term, tag)?
                    {
                        hits.push(place);
                    }
                }
            }
            MatchSubject::Name
            | MatchSubject::Path
            | MatchSubject::Key(_)
            | MatchSubject::Value(_) => {}
        }
        Ok(())
    }
}

impl<'note> MatchScope<'note> {
    fn text(range: Range<usize>) -> Self {
        Self {
            subject: MatchSubject::Text,
            range,
        }
    }

    fn with_subject(&self, subject: MatchSubject<'note>) -> Self {
        Self {
            subject,
            range: self.range.clone(),
        }
    }

    fn about(&self, field: QueryField) -> Self {
        self.with_subject(match field {
            QueryField::Content => MatchSubject::Text,
            QueryField::Name => MatchSubject::Name,
            QueryField::Path => MatchSubject::Path,
        })
    }
}

/// Whether a tag is the wanted one or below it: `tag:work` and `tag:#work` find `#work` and
/// `#work/x`, but not `#my/work`.
fn is_tag_or_above(wanted: &Literal, tag: &str) -> bool {
    let tag = tag.strip_prefix('#').unwrap_or(tag);
    let given = wanted.text();
    let given = given.strip_prefix('#').unwrap_or(given);
    let given = given.strip_suffix('/').unwrap_or(given);
    let mut rest = tag.chars().map(super::fold::fold);
    for character in given.chars().map(super::fold::fold) {
        if rest.next() != Some(character) {
            return false;
        }
    }
    // `tag:#` matches every tag.
    matches!(rest.next(), None | Some('/')) || given.is_empty()
}

#[cfg(test)]
mod tests;
