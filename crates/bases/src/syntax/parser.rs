//! Builds a tree from tokens.

use std::sync::Arc;

use super::lexer::{Fault, Placed, Token, tokens};
use super::{Access, Node, Operator};
use crate::limits::MAX_EXPRESSION_DEPTH;
use crate::regexp::Regexp;

/// Parses a whole text.
pub(super) fn parse(text: &str) -> Result<Node, Fault> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        depth: 0,
    };
    let node = parser.expression(0)?;
    match parser.peek() {
        Token::End => Ok(node),
        _ => Err(parser.fault("Something follows the expression that does not belong to it")),
    }
}

struct Parser<'text> {
    tokens: Vec<Placed<'text>>,
    at: usize,
    depth: usize,
}

impl<'text> Parser<'text> {
    fn peek(&self) -> &Token<'text> {
        self.tokens
            .get(self.at)
            .map_or(&Token::End, |(_, token)| token)
    }

    fn next(&mut self) -> Token<'text> {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn eat(&mut self, mark: char) -> bool {
        let is_next = *self.peek() == Token::Mark(mark);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, mark: char) -> Result<(), Fault> {
        if self.eat(mark) {
            Ok(())
        } else {
            Err(self.fault(format!("\"{mark}\" is missing")))
        }
    }

    fn fault(&self, message: impl Into<String>) -> Fault {
        let place = self.tokens.get(self.at).or(self.tokens.last());
        Fault::new(place.map_or(0, |(at, _)| *at), message)
    }

    fn deeper<T>(&mut self, parse: fn(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth >= MAX_EXPRESSION_DEPTH {
            let message =
                format!("The expression is nested more than {MAX_EXPRESSION_DEPTH} levels deep");
            return Err(self.fault(message));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Parses operators of at least this rank with their operands.
    fn expression(&mut self, least: u8) -> Result<Node, Fault> {
        let mut left = self.deeper(Self::prefixed)?;
        while let Token::Operator(operator) = *self.peek() {
            let rank = operator.rank();
            if rank < least {
                break;
            }
            self.at += 1;
            let mut links = vec![(operator, self.expression(rank + 1)?)];
            while let Token::Operator(operator) = *self.peek() {
                if operator.rank() != rank {
                    break;
                }
                self.at += 1;
                links.push((operator, self.expression(rank + 1)?));
            }
            left = Node::Chain(Box::new(left), links);
        }
        Ok(left)
    }

    fn prefixed(&mut self) -> Result<Node, Fault> {
        match self.peek() {
            Token::Not => {
                self.at += 1;
                Ok(Node::Not(Box::new(self.deeper(Self::prefixed)?)))
            }
            Token::Operator(Operator::Minus) => {
                self.at += 1;
                Ok(Node::Negative(Box::new(self.deeper(Self::prefixed)?)))
            }
            _ => self.accessed(),
        }
    }

    fn accessed(&mut self) -> Result<Node, Fault> {
        let base = self.primary()?;
        let mut steps = Vec::new();
        loop {
            if self.eat('.') {
                let Token::Name(name) = *self.peek() else {
                    return Err(self.fault("A name is missing after the point"));
                };
                self.at += 1;
                steps.push(if self.eat('(') {
                    Access::Method(name.into(), self.items(')')?)
                } else {
                    Access::Field(name.into())
                });
            } else if self.eat('[') {
                let place = self.expression(0)?;
                self.expect(']')?;
                steps.push(Access::Place(place));
            } else if *self.peek() == Token::Mark('(') {
                return Err(self.fault("Expression is not callable"));
            } else if steps.is_empty() {
                return Ok(base);
            } else {
                return Ok(Node::Access(Box::new(base), steps));
            }
        }
    }

    /// Parses expressions between commas, up to the closing mark.
    fn items(&mut self, close: char) -> Result<Vec<Node>, Fault> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(self.expression(0)?);
            if !self.eat(',') {
                break;
            }
        }
        self.expect(close)?;
        Ok(items)
    }

    fn primary(&mut self) -> Result<Node, Fault> {
        let start = self.at;
        let node = match self.next() {
            Token::Number(number) => Node::Number(number),
            Token::Text(text) => Node::Text(text.into()),
            Token::Regexp(pattern, flags) => {
                let regexp = Regexp::new(pattern, flags);
                self.at = start;
                let regexp = regexp.map_err(|message| self.fault(message))?;
                self.at = start + 1;
                Node::Regexp(Arc::new(regexp))
            }
            Token::Name("true") => Node::Boolean(true),
            Token::Name("false") => Node::Boolean(false),
            Token::Name("null") => Node::Null,
            Token::Name(name) if self.eat('(') => Node::Call(name.into(), self.items(')')?),
            Token::Name(name) => Node::Name(name.into()),
            Token::Mark('(') => {
                let inner = self.expression(0)?;
                self.expect(')')?;
                inner
            }
            Token::Mark('[') => Node::List(self.items(']')?),
            other => {
                self.at = start;
                return Err(self.fault(missing(&other)));
            }
        };
        Ok(node)
    }
}

/// The error at a place where a value should begin.
fn missing(found: &Token<'_>) -> &'static str {
    match found {
        Token::End => "The expression ends where a value is expected",
        Token::Mark('{') => "Object literals are documented, but the app does not take them",
        Token::Operator(Operator::Plus) => "The app knows no \"+\" before a value",
        _ => "A value is expected",
    }
}
