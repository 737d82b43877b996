//! A recursive-descent parser for the app's search syntax (`vault-semantics.md` §4.1).

use obsidian_note::CancellationToken;

use super::error::{QueryError, RegexError};
use super::expression::{NotePart, QueryExpression, QueryField, TaskState, Term};
use super::literal::Literal;
use super::property;
use super::regex::Regex;

/// The maximum number of levels of nested groups and operators. It also bounds the depth of every recursive
/// function over a query.
const MAX_DEPTH: usize = 100;
/// The maximum number of terms of a query. Each takes some 300 bytes of memory.
const MAX_TERMS: usize = 1_000_000;

/// Parses a query; `case_sensitive` is the default for its terms.
pub(super) fn parse(
    query: &str,
    case_sensitive: bool,
    cancellation: &CancellationToken,
) -> Result<QueryExpression, QueryError> {
    let characters: Vec<char> = query.chars().collect();
    let mut parser = QueryParser {
        query: &characters,
        at: 0,
        depth: 0,
        terms: 0,
        cancellation,
    };
    let expression = parser.any(ParseMode {
        ignore_case: !case_sensitive,
        place: TermPosition::Note,
    })?;
    if parser.at < characters.len() {
        return Err(QueryError::ParenthesisClosesNothing(parser.at));
    }
    Ok(expression)
}

#[derive(Clone, Copy)]
struct ParseMode {
    ignore_case: bool,
    place: TermPosition,
}

/// The position of a term in the query. It decides what ends a word and what the word means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TermPosition {
    Note,
    /// Before the colon of `[name:value]`: a word must be the whole name.
    Name,
    /// After the colon of `[name:value]`.
    Value,
}

struct QueryParser<'query> {
    query: &'query [char],
    at: usize,
    depth: usize,
    terms: usize,
    cancellation: &'query CancellationToken,
}

impl QueryParser<'_> {
    fn rest(&self) -> &[char] {
        self.query.get(self.at..).unwrap_or_default()
    }

    /// Returns the characters from `start` up to here.
    fn read_since(&self, start: usize) -> String {
        let read = self.query.get(start..self.at);
        read.unwrap_or_default().iter().collect()
    }

    fn peek(&self) -> Option<char> {
        self.rest().first().copied()
    }

    fn eat(&mut self, character: char) -> bool {
        let fits = self.peek() == Some(character);
        self.at += usize::from(fits);
        fits
    }

    fn skip_space(&mut self) {
        self.at += self.rest().iter().take_while(|c| c.is_whitespace()).count();
    }

    fn missing<T>(&self) -> Result<T, QueryError> {
        Err(QueryError::TermMissing(self.at))
    }

    /// Runs `parse` one level deeper. Fails beyond the limit.
    fn nested<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, QueryError>,
    ) -> Result<T, QueryError> {
        if self.depth >= MAX_DEPTH {
            return Err(QueryError::TooDeep(MAX_DEPTH));
        }
        self.depth += 1;
        let parsed = parse(self)?;
        self.depth -= 1;
        Ok(parsed)
    }

    /// Whether a list of terms ends here.
    fn is_end(&self, mode: ParseMode) -> bool {
        match self.peek() {
            None | Some(')') => true,
            Some(']') => mode.place != TermPosition::Note,
            Some(':') => mode.place == TermPosition::Name,
            Some(_) => false,
        }
    }

    /// Whether the next word is `OR`.
    fn is_or(&self, mode: ParseMode) -> bool {
        match self.rest() {
            ['O', 'R'] => true,
            ['O', 'R', next, ..] => ends_word(*next, mode.place),
            _ => false,
        }
    }

    fn any(&mut self, mode: ParseMode) -> Result<QueryExpression, QueryError> {
        let mut ways = vec![self.all(mode)?];
        while self.is_or(mode) {
            self.at += 2;
            ways.push(self.all(mode)?);
        }
        Ok(one_or(ways, QueryExpression::Any))
    }

    fn all(&mut self, mode: ParseMode) -> Result<QueryExpression, QueryError> {
        let mut terms = Vec::new();
        loop {
            self.skip_space();
            if self.is_end(mode) || self.is_or(mode) {
                break;
            }
            terms.push(self.term(mode)?);
        }
        if terms.is_empty() {
            return self.missing();
        }
        // Sorting by cost does not change the result: `All` is commutative.
        terms.sort_by_cached_key(QueryExpression::cost);
        Ok(one_or(terms, QueryExpression::All))
    }

    /// A term that may be negated. A hyphen on its own is a word.
    fn term(&mut self, mode: ParseMode) -> Result<QueryExpression, QueryError> {
        if self.cancellation.is_cancelled() {
            return Err(QueryError::Stopped);
        }
        self.terms += 1;
        if self.terms > MAX_TERMS {
            return Err(QueryError::TooManyTerms(MAX_TERMS));
        }
        if let ['-', next, ..] = self.rest()
            && !next.is_whitespace()
            && !matches!(next, ')' | ']')
        {
            self.at += 1;
            // A level of its own: a million hyphens would overflow the stack.
            let term = self.nested(|parser| parser.term(mode))?;
            return Ok(QueryExpression::Not(Box::new(term)));
        }
        self.atom(mode)
    }

    fn atom(&mut self, mode: ParseMode) -> Result<QueryExpression, QueryError> {
        let start = self.at;
        match self.peek() {
            None => self.missing(),
            Some('(') => {
                self.at += 1;
                let inner = self.nested(|parser| parser.any(mode))?;
                if self.eat(')') {
                    Ok(inner)
                } else {
                    Err(QueryError::ParenthesisOpen(start))
                }
            }
            Some('"') => {
                let phrase = self.phrase()?;
                Ok(literal(&phrase, mode))
            }
            Some('/') => self.regex(mode),
            Some('[') if mode.place == TermPosition::Note => self.property(mode),
            Some(_) => self.word(mode),
        }
    }

    fn phrase(&mut self) -> Result<String, QueryError> {
        let start = self.at;
        self.at += 1;
        let mut phrase = String::new();
        loop {
            match self.rest() {
                [] => return Err(QueryError::QuoteOpen(start)),
                ['"', ..] => {
                    self.at += 1;
                    return Ok(phrase);
                }
                ['\\', escaped @ ('"' | '\\'), ..] => {
                    phrase.push(*escaped);
                    self.at += 2;
                }
                [other, ..] => {
                    phrase.push(*other);
                    self.at += 1;
                }
            }
        }
    }

    /// Parses a regular expression: from its slash to the next one that is neither escaped nor in a
    /// character class.
    fn regex(&mut self, mode: ParseMode) -> Result<QueryExpression, QueryError> {
        let start = self.at;
        self.at += 1;
        let mut pattern = String::new();
        let mut in_class = false;
        loop {
            match self.rest() {
                [] => return Err(QueryError::RegexOpen(start)),
                ['/', ..] if !in_class => break,
                ['\\', escaped, ..] => {
                    pattern.extend(['\\', *escaped]);
                    self.at += 2;
                    continue;
                }
                ['[', ..] => in_class = true,
                [']', ..] => in_class = false,
                _ => {}
            }
            pattern.extend(self.peek());
            self.at += 1;
        }
        self.at += 1;
        match Regex::new(&pattern, mode.ignore_case, self.cancellation) {
            Ok(regex) => Ok(QueryExpression::Term(Term::Regex(Box::new(regex)))),
            Err(RegexError::Stopped) => Err(QueryError::Stopped),
            Err(reason) => Err(QueryError::Regex { at: start, reason }),
        }
    }

    /// Parses `[name]` or `[name:value]`, from its `[` on.
    fn property(&mut self, mode: ParseMode) -> Result<QueryExpression, QueryError> {
        let start = self.at;
        self.at += 1;
        self.skip_space();
        // The case of a name never matters (`vault-semantics.md` §3.2).
        let name = self.nested(|parser| {
            parser.any(ParseMode {
                ignore_case: true,
                place: TermPosition::Name,
            })
        })?;
        let value = if self.eat(':') {
            let place = TermPosition::Value;
            Some(Box::new(
                self.nested(|parser| parser.any(ParseMode { place, ..mode }))?,
            ))
        } else {
            None
        };
        if !self.eat(']') {
            return Err(QueryError::BracketOpen(start));
        }
        Ok(QueryExpression::Property {
            name: Box::new(name),
            value,
        })
    }

    /// Parses a word, or an operator with its operand.
    fn word(&mut self, mode: ParseMode) -> Result<QueryExpression, QueryError> {
        let start = self.at;
        while let Some(character) = self.peek() {
            if ends_word(character, mode.place) {
                break;
            }
            // A colon at the start of a word is a part of the word.
            if character == ':'
                && mode.place == TermPosition::Note
                && self.query.get(start) != Some(&':')
            {
                let name = self.read_since(start);
                self.at += 1;
                return self.operator(&name, mode);
            }
            self.at += 1;
        }
        let word = self.read_since(start);
        if word.is_empty() {
            return self.missing();
        }
        Ok(match mode.place {
            TermPosition::Note => literal(&word, mode),
            TermPosition::Name => literal(&self.whole_name(word), mode),
            TermPosition::Value => match word.as_str() {
                "null" => QueryExpression::Null,
                // The bound may be after blanks: `< 5`.
                "<" | ">" => {
                    self.skip_space();
                    let start = self.at;
                    while self.peek().is_some_and(|c| !ends_word(c, mode.place)) {
                        self.at += 1;
                    }
                    property::comparison(&format!("{word}{}", self.read_since(start)))
                        .unwrap_or_else(|| literal(&word, mode))
                }
                _ => property::comparison(&word).unwrap_or_else(|| literal(&word, mode)),
            },
        })
    }

    /// Adds the words that follow to a name: `[my name]` is one name.
    fn whole_name(&mut self, first: String) -> String {
        let mut name = first;
        loop {
            let before = self.at;
            self.skip_space();
            let mode = ParseMode {
                ignore_case: true,
                place: TermPosition::Name,
            };
            let plain = |c: char| !ends_word(c, TermPosition::Name) && !matches!(c, '/' | '-');
            if self.is_or(mode) || !self.peek().is_some_and(plain) {
                self.at = before;
                return name;
            }
            name.push(' ');
            while let Some(character) = self.peek().filter(|c| !ends_word(*c, TermPosition::Name)) {
                name.push(character);
                self.at += 1;
            }
        }
    }

    fn operator(&mut self, name: &str, mode: ParseMode) -> Result<QueryExpression, QueryError> {
        let mut inner = mode;
        let wrap: fn(Box<QueryExpression>) -> QueryExpression = match name
            .to_ascii_lowercase()
            .as_str()
        {
            "file" => |inner| QueryExpression::In(QueryField::Name, inner),
            "path" => |inner| QueryExpression::In(QueryField::Path, inner),
            "content" => |inner| QueryExpression::In(QueryField::Content, inner),
            "match-case" => {
                inner.ignore_case = false;
                |inner| *inner
            }
            "ignore-case" => {
                inner.ignore_case = true;
                |inner| *inner
            }
            // Tags are compared without case, even in a case-sensitive search.
            "tag" => {
                inner.ignore_case = true;
                |inner| QueryExpression::Tag(inner)
            }
            "line" => |inner| QueryExpression::Part(NotePart::Line, inner),
            "block" => |inner| QueryExpression::Part(NotePart::Block, inner),
            "section" => |inner| QueryExpression::Part(NotePart::Section, inner),
            "task" => |inner| QueryExpression::Part(NotePart::Task(TaskState::Any), inner),
            "task-todo" => |inner| QueryExpression::Part(NotePart::Task(TaskState::Todo), inner),
            "task-done" => |inner| QueryExpression::Part(NotePart::Task(TaskState::Done), inner),
            _ => {
                // The colon has been read.
                let at = self.at.saturating_sub(1);
                return Err(QueryError::UnknownOperator(at));
            }
        };
        self.skip_space();
        if self.is_end(mode) || self.is_or(mode) {
            return self.missing();
        }
        // One term, of which a hyphen at its start is a part.
        self.nested(|parser| parser.atom(inner))
            .map(|operand| wrap(Box::new(operand)))
    }
}

/// Whether a character is not part of the word before it.
fn ends_word(character: char, place: TermPosition) -> bool {
    match character {
        '(' | ')' | '"' => true,
        ']' => place != TermPosition::Note,
        ':' => place == TermPosition::Name,
        other => other.is_whitespace(),
    }
}

fn literal(text: &str, mode: ParseMode) -> QueryExpression {
    QueryExpression::Term(Term::Literal(Literal::new(text, mode.ignore_case)))
}

fn one_or(
    mut parts: Vec<QueryExpression>,
    wrap: fn(Vec<QueryExpression>) -> QueryExpression,
) -> QueryExpression {
    match (parts.pop(), parts.is_empty()) {
        (Some(only), true) => only,
        (last, _) => {
            parts.extend(last);
            wrap(parts)
        }
    }
}

#[cfg(test)]
mod tests;
