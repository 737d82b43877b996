//! Tokens of an expression.

use super::Operator;

/// A fault at a byte offset.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) message: String,
    pub(super) at: usize,
}

impl Fault {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            at,
        }
    }
}

/// A token of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'text> {
    Number(f64),
    Text(String),
    Name(&'text str),
    /// A regular expression: its pattern and its flags.
    Regexp(&'text str, &'text str),
    Operator(Operator),
    Not,
    /// `(`, `)`, `[`, `]`, `{`, `}`, `.`, `,` or `:`.
    Mark(char),
    End,
}

/// A token with its byte offset.
pub(super) type Placed<'text> = (usize, Token<'text>);

/// All tokens of a text, [`Token::End`] last.
pub(super) fn tokens(text: &str) -> Result<Vec<Placed<'_>>, Fault> {
    let mut lexer = Lexer {
        text,
        at: 0,
        tokens: Vec::new(),
    };
    while lexer.step()? {}
    lexer.tokens.push((text.len(), Token::End));
    Ok(lexer.tokens)
}

struct Lexer<'text> {
    text: &'text str,
    at: usize,
    tokens: Vec<Placed<'text>>,
}

const OPERATORS: [(&str, Operator); 13] = [
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    (">=", Operator::GreaterOrEqual),
    ("<=", Operator::LessOrEqual),
    ("&&", Operator::And),
    ("||", Operator::Or),
    ("+", Operator::Plus),
    ("-", Operator::Minus),
    ("*", Operator::Times),
    ("/", Operator::Divided),
    ("%", Operator::Modulo),
    (">", Operator::Greater),
    ("<", Operator::Less),
];

impl<'text> Lexer<'text> {
    fn rest(&self) -> &'text str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Reads one token; returns whether there was one.
    fn step(&mut self) -> Result<bool, Fault> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok(false);
        };
        let start = self.at;
        let second_is_digit = rest[first.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
        let token = match first {
            '"' | '\'' => self.text_literal(first)?,
            '/' if self.may_begin_a_value() => self.regexp()?,
            _ if first.is_ascii_digit() || (first == '.' && second_is_digit) => self.number()?,
            _ if is_name_start(first) => self.name(),
            _ => self.mark(first)?,
        };
        self.tokens.push((start, token));
        Ok(true)
    }

    /// Whether a `/` begins a regular expression here, rather than being a division.
    fn may_begin_a_value(&self) -> bool {
        match self.tokens.last().map(|(_, token)| token) {
            None | Some(Token::Operator(_) | Token::Not | Token::End) => true,
            Some(Token::Mark(mark)) => !matches!(mark, ')' | ']' | '}'),
            Some(Token::Number(_) | Token::Text(_) | Token::Name(_) | Token::Regexp(..)) => false,
        }
    }

    fn mark(&mut self, first: char) -> Result<Token<'text>, Fault> {
        let rest = self.rest();
        if let Some((text, operator)) = OPERATORS.iter().find(|(text, _)| rest.starts_with(text)) {
            self.at += text.len();
            return Ok(Token::Operator(*operator));
        }
        let token = match first {
            '!' => Token::Not,
            '(' | ')' | '[' | ']' | '{' | '}' | '.' | ',' | ':' => Token::Mark(first),
            _ => {
                return Err(Fault::new(
                    self.at,
                    format!("Unexpected character \"{first}\""),
                ));
            }
        };
        self.at += first.len_utf8();
        Ok(token)
    }

    fn name(&mut self) -> Token<'text> {
        let rest = self.rest();
        let end = rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
        self.at += end;
        Token::Name(&rest[..end])
    }

    fn number(&mut self) -> Result<Token<'text>, Fault> {
        let rest = self.rest();
        // The text after one or more digits.
        let digits = |text: &'text str| {
            let after = text.trim_start_matches(|c: char| c.is_ascii_digit());
            (after.len() < text.len()).then_some(after)
        };
        let mut after = digits(rest).unwrap_or(rest);
        after = after.strip_prefix('.').and_then(digits).unwrap_or(after);
        if let Some(exponent) = after.strip_prefix(['e', 'E']) {
            let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            after = digits(unsigned).unwrap_or(after);
        }
        let end = rest.len() - after.len();
        // The app reads the dot as part of the number and then fails.
        if after.starts_with('.') {
            let message = "A number needs parentheses before a function: (1).round()";
            return Err(Fault::new(self.at + end, message));
        }
        let number = rest[..end]
            .parse()
            .map_err(|_| Fault::new(self.at, "A number is not readable"))?;
        self.at += end;
        Ok(Token::Number(number))
    }

    fn text_literal(&mut self, quote: char) -> Result<Token<'text>, Fault> {
        let start = self.at;
        let mut text = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                _ if character == quote => {
                    self.at += at + 1;
                    return Ok(Token::Text(text));
                }
                '\\' => match characters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 'r')) => text.push('\r'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, other)) => text.push(other),
                    None => break,
                },
                other => text.push(other),
            }
        }
        Err(Fault::new(start, "A text is not closed"))
    }

    fn regexp(&mut self) -> Result<Token<'text>, Fault> {
        let rest = self.rest();
        let (mut is_escaped, mut in_class) = (false, false);
        for (at, character) in rest.char_indices().skip(1) {
            match character {
                _ if is_escaped => is_escaped = false,
                '\n' => break,
                '\\' => is_escaped = true,
                '[' => in_class = true,
                ']' => in_class = false,
                '/' if !in_class => {
                    let after = &rest[at + 1..];
                    let end = after
                        .find(|c: char| !c.is_ascii_alphabetic())
                        .unwrap_or(after.len());
                    self.at += at + 1 + end;
                    return Ok(Token::Regexp(&rest[1..at], &after[..end]));
                }
                _ => {}
            }
        }
        Err(Fault::new(self.at, "A regular expression is not closed"))
    }
}

fn is_name_start(character: char) -> bool {
    character.is_alphabetic() || matches!(character, '_' | '$')
}

fn is_name_part(character: char) -> bool {
    is_name_start(character) || character.is_numeric() || is_mark_of_letters(character)
}

/// Joiners and combining marks, which occur inside words of many scripts.
fn is_mark_of_letters(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}' | '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{65f}' | '\u{1780}'..='\u{17d3}')
}
