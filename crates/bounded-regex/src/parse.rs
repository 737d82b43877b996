//! Parses JavaScript's syntax of regular expressions without the flag `u`, with the lenient rules
//! of ECMA-262, Annex B.

use std::collections::HashMap;
use std::sync::Arc;

use super::RegexOptions;
use super::error::RegexError;
use super::letters;
use super::set::{LINE_ENDS, Set, Stretches, named};
use super::syntax::{Assertion, One, ParsedRegex, RegexNode, Repeat};

/// The maximum number of levels of nested groups. It also bounds the depth of every recursive function over an
/// expression.
const MAX_DEPTH: usize = 100;
/// The maximum number of parts of an expression: characters, sets, groups and alternatives. As many as a program
/// may have instructions.
const MAX_PARTS: usize = 20_000;
/// The maximum number of characters of a pattern. A character class is one part, however many characters it
/// lists.
const MAX_CHARACTERS: usize = 1_000_000;

/// Parses a pattern; fails at the first fault in it.
pub(super) fn parse(pattern: &str, options: RegexOptions) -> Result<ParsedRegex, RegexError> {
    let pattern: Vec<char> = pattern.chars().take(MAX_CHARACTERS + 1).collect();
    if pattern.len() > MAX_CHARACTERS {
        return Err(RegexError::TooLarge);
    }
    let (groups, names) = count_groups(&pattern)?;
    let mut parser = RegexParser {
        pattern: &pattern,
        at: 0,
        depth: 0,
        parts: 0,
        groups,
        names,
        opened: 0,
        refers_back: false,
        options,
    };
    let node = parser.choice()?;
    if parser.at < pattern.len() {
        return Err(RegexError::Parenthesis);
    }
    Ok(ParsedRegex {
        node,
        groups,
        refers_back: parser.refers_back,
        names: parser.names,
    })
}

/// The number of capturing groups, and the numbers of the named groups. Counted before the parsing: `\1` is a
/// backreference only if there is such a group, and the group may come later.
fn count_groups(pattern: &[char]) -> Result<(usize, HashMap<String, usize>), RegexError> {
    let (mut groups, mut names) = (0, HashMap::new());
    let mut in_class = false;
    let mut at = 0;
    while let Some(character) = pattern.get(at) {
        match character {
            '\\' => at += 1,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => {
                let rest = pattern.get(at + 1..).unwrap_or_default();
                if let ['?', '<', next, ..] = rest
                    && !matches!(next, '=' | '!')
                {
                    groups += 1;
                    let name: String = rest.iter().skip(2).take_while(|c| **c != '>').collect();
                    if !is_name(&name) || names.insert(name, groups).is_some() {
                        return Err(RegexError::Name);
                    }
                } else if rest.first() != Some(&'?') {
                    groups += 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    Ok((groups, names))
}

fn is_name(name: &str) -> bool {
    let letter = |c: char| c.is_alphabetic() || matches!(c, '_' | '$');
    name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_numeric())
}

struct RegexParser<'pattern> {
    pattern: &'pattern [char],
    at: usize,
    depth: usize,
    parts: usize,
    groups: usize,
    names: HashMap<String, usize>,
    /// Capturing groups opened so far.
    opened: usize,
    refers_back: bool,
    options: RegexOptions,
}

impl RegexParser<'_> {
    fn rest(&self) -> &[char] {
        self.pattern.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().first().copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest().iter().copied();
        let fits = rest.take(text.len()).eq(text.chars());
        if fits {
            self.at += text.len();
        }
        fits
    }

    fn count_part(&mut self) -> Result<(), RegexError> {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return Err(RegexError::TooLarge);
        }
        Ok(())
    }

    fn choice(&mut self) -> Result<RegexNode, RegexError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(RegexError::TooDeep);
        }
        let mut ways = vec![self.sequence()?];
        while self.eat("|") {
            self.count_part()?;
            ways.push(self.sequence()?);
        }
        self.depth -= 1;
        Ok(only(&mut ways).unwrap_or(RegexNode::Choice(ways)))
    }

    fn sequence(&mut self) -> Result<RegexNode, RegexError> {
        let mut nodes = Vec::new();
        while !matches!(self.peek(), None | Some('|' | ')')) {
            // The groups within a term are those that it opens. Each round of a repetition empties
            // them.
            let opened = self.opened;
            let (node, repeatable) = self.term()?;
            let groups = (opened + 1, self.opened + 1);
            nodes.push(self.quantified(node, repeatable, groups)?);
        }
        Ok(only(&mut nodes).unwrap_or(RegexNode::Sequence(nodes)))
    }

    /// One part, and whether a quantifier may follow.
    fn term(&mut self) -> Result<(RegexNode, bool), RegexError> {
        self.count_part()?;
        if self.quantifier().is_some() {
            return Err(RegexError::NothingToRepeat);
        }
        let Some(character) = self.next() else {
            return Ok((RegexNode::Sequence(Vec::new()), false));
        };
        let RegexOptions {
            multiline,
            dot_is_any,
            ..
        } = self.options;
        Ok(match character {
            '^' if multiline => (RegexNode::Assertion(Assertion::LineStart), false),
            '^' => (RegexNode::Assertion(Assertion::TextStart), false),
            '$' if multiline => (RegexNode::Assertion(Assertion::LineEnd), false),
            '$' => (RegexNode::Assertion(Assertion::TextEnd), false),
            '(' => return self.group(),
            '.' if dot_is_any => (self.set(Vec::new(), true), true),
            '.' => (self.set(LINE_ENDS.map(|c| (c, c)).into(), true), true),
            '[' => (self.class()?, true),
            '\\' => return self.escape(),
            other => (self.character(other.into()), true),
        })
    }

    fn set(&self, stretches: Stretches, negated: bool) -> RegexNode {
        let set = Set::new(stretches, negated, self.options.ignore_case);
        RegexNode::One(One::Set(Arc::new(set)))
    }

    fn character(&self, number: u32) -> RegexNode {
        let ignore_case = self.options.ignore_case;
        let number = if ignore_case {
            letters::canonical(number)
        } else {
            number
        };
        RegexNode::One(One::Character(number))
    }

    fn group(&mut self) -> Result<(RegexNode, bool), RegexError> {
        let look = [
            ("?=", false, false),
            ("?!", false, true),
            ("?<=", true, false),
            ("?<!", true, true),
        ];
        for (mark, behind, negated) in look {
            if self.eat(mark) {
                let content = Box::new(self.rest_of_group()?);
                let node = RegexNode::Look {
                    content,
                    behind,
                    negated,
                };
                // A lookahead can be repeated (Annex B), a lookbehind cannot.
                return Ok((node, !behind));
            }
        }
        if self.eat("?:") {
            return Ok((self.rest_of_group()?, true));
        }
        if self.eat("?<") {
            // `count_groups` has checked the name.
            while self.next().ok_or(RegexError::Name)? != '>' {}
        } else if self.peek() == Some('?') {
            return Err(RegexError::Group);
        }
        self.opened += 1;
        let number = self.opened;
        let content = Box::new(self.rest_of_group()?);
        Ok((RegexNode::Group { number, content }, true))
    }

    fn rest_of_group(&mut self) -> Result<RegexNode, RegexError> {
        let content = self.choice()?;
        if self.eat(")") {
            Ok(content)
        } else {
            Err(RegexError::Parenthesis)
        }
    }

    fn quantified(
        &mut self,
        node: RegexNode,
        repeatable: bool,
        groups: (usize, usize),
    ) -> Result<RegexNode, RegexError> {
        let Some((least, most)) = self.quantifier() else {
            return Ok(node);
        };
        if !repeatable {
            return Err(RegexError::NothingToRepeat);
        }
        if most.is_some_and(|most| most < least) {
            return Err(RegexError::Quantifier);
        }
        Ok(RegexNode::Repeat(Repeat {
            content: Box::new(node),
            least,
            most,
            greedy: !self.eat("?"),
            groups,
        }))
    }

    /// Reads the least and the most repetitions. A brace that begins no quantifier is a plain
    /// character (Annex B): `None`, and the position stays.
    fn quantifier(&mut self) -> Option<(u32, Option<u32>)> {
        let start = self.at;
        let bounds = match self.next()? {
            '*' => Some((0, None)),
            '+' => Some((1, None)),
            '?' => Some((0, Some(1))),
            '{' => self.bounds(),
            _ => None,
        };
        if bounds.is_none() {
            self.at = start;
        }
        bounds
    }

    /// Reads the rest of `{1}`, `{1,}` or `{1,2}`.
    fn bounds(&mut self) -> Option<(u32, Option<u32>)> {
        let least = self.number()?;
        let most = if !self.eat(",") {
            Some(least)
        } else if self.peek() == Some('}') {
            None
        } else {
            Some(self.number()?)
        };
        self.eat("}").then_some((least, most))
    }

    fn number(&mut self) -> Option<u32> {
        let mut number: Option<u32> = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            self.at += 1;
            // A greater number means the same as the greatest: no text is that long.
            number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(digit));
        }
        number
    }

    fn escape(&mut self) -> Result<(RegexNode, bool), RegexError> {
        let letter = self.peek().ok_or(RegexError::Backslash)?;
        if let Some(stretches) = named(letter) {
            self.at += 1;
            return Ok((self.set(stretches, false), true));
        }
        if self.eat("b") {
            return Ok((RegexNode::Assertion(Assertion::Boundary), false));
        }
        if self.eat("B") {
            return Ok((RegexNode::Assertion(Assertion::NoBoundary), false));
        }
        if let Some(number) = self.reference()? {
            self.refers_back = true;
            return Ok((RegexNode::Backreference(number), true));
        }
        let number = self.character_escape();
        Ok((self.character(number), true))
    }

    /// The group that `\1` or `\k<name>` refers to. `None` for `\1` if there are fewer groups, and
    /// for `\k` if no group has a name: then it is another escape (Annex B).
    fn reference(&mut self) -> Result<Option<usize>, RegexError> {
        let start = self.at;
        if matches!(self.peek(), Some('1'..='9')) {
            let number = self
                .number()
                .and_then(|number| usize::try_from(number).ok());
            if let Some(number) = number.filter(|number| *number <= self.groups) {
                return Ok(Some(number));
            }
            self.at = start;
        } else if !self.names.is_empty() && self.eat("k") {
            if !self.eat("<") {
                return Err(RegexError::Name);
            }
            let name: String = self.rest().iter().take_while(|c| **c != '>').collect();
            let number = *self.names.get(&name).ok_or(RegexError::Name)?;
            self.at += name.chars().count() + 1;
            return Ok(Some(number));
        }
        Ok(None)
    }

    /// The character that the letters after a backslash mean. A letter without a meaning is itself.
    fn character_escape(&mut self) -> u32 {
        let Some(letter) = self.next() else {
            return u32::from('\\');
        };
        match letter {
            't' => 0x09,
            'n' => 0x0a,
            'v' => 0x0b,
            'f' => 0x0c,
            'r' => 0x0d,
            'c' => match self.peek() {
                Some(control) if control.is_ascii_alphabetic() => {
                    self.at += 1;
                    u32::from(control) % 32
                }
                _ => {
                    // Without a control letter the backslash is itself, and `c` is read next.
                    self.at -= 1;
                    u32::from('\\')
                }
            },
            'x' => self.hexadecimal(2).unwrap_or('x'.into()),
            'u' => match self.hexadecimal(4) {
                Some(high @ 0xd800..=0xdbff) => self.low_surrogate(high).unwrap_or(high),
                Some(number) => number,
                None => 'u'.into(),
            },
            '0'..='7' => {
                self.at -= 1;
                self.octal()
            }
            other => other.into(),
        }
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<u32> {
        let digits = self.rest().get(..digits)?;
        let number = digits
            .iter()
            .try_fold(0, |number, digit| Some(number * 16 + digit.to_digit(16)?))?;
        self.at += digits.len();
        Some(number)
    }

    /// Reads the second half of a surrogate pair, and returns the character of both; `None` if
    /// there is no second half.
    fn low_surrogate(&mut self, high: u32) -> Option<u32> {
        let start = self.at;
        if self.eat("\\u")
            && let Some(low @ 0xdc00..=0xdfff) = self.hexadecimal(4)
        {
            return Some(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00));
        }
        self.at = start;
        None
    }

    /// Reads an octal number: up to three digits, at most `377`.
    fn octal(&mut self) -> u32 {
        let mut number = 0;
        for _ in 0..3 {
            match self.peek().and_then(|c| c.to_digit(8)) {
                Some(digit) if number * 8 + digit <= 0xff => {
                    number = number * 8 + digit;
                    self.at += 1;
                }
                _ => break,
            }
        }
        number
    }

    fn class(&mut self) -> Result<RegexNode, RegexError> {
        let negated = self.eat("^");
        let mut stretches = Vec::new();
        while let Some(member) = self.class_member()? {
            let is_range = matches!(self.rest(), ['-', end, ..] if *end != ']');
            if !is_range {
                stretches.extend(member);
                continue;
            }
            self.at += 1;
            let last = self.class_member()?.ok_or(RegexError::Class)?;
            match (single(&member), single(&last)) {
                (Some(first), Some(last)) if first <= last => stretches.push((first, last)),
                (Some(_), Some(_)) => return Err(RegexError::Range),
                // A set cannot bound a range, as in `[\w-x]`: the hyphen is a plain character
                // (Annex B).
                _ => {
                    stretches.push(('-'.into(), '-'.into()));
                    stretches.extend(member.into_iter().chain(last));
                }
            }
        }
        Ok(self.set(stretches, negated))
    }

    /// The next member of a class, a character or a set; `None` at its end.
    fn class_member(&mut self) -> Result<Option<Stretches>, RegexError> {
        let number = match self.next().ok_or(RegexError::Class)? {
            ']' => return Ok(None),
            '\\' => {
                let letter = self.peek().ok_or(RegexError::Class)?;
                if let Some(stretches) = named(letter) {
                    self.at += 1;
                    return Ok(Some(stretches));
                }
                self.class_escape()
            }
            other => other.into(),
        };
        Ok(Some(vec![(number, number)]))
    }

    fn class_escape(&mut self) -> u32 {
        if self.eat("b") {
            return 0x08;
        }
        // Only in a class, `\c` also takes a digit or `_` (Annex B).
        if let ['c', control, ..] = *self.rest()
            && (control.is_ascii_digit() || control == '_')
        {
            self.at += 2;
            return u32::from(control) % 32;
        }
        self.character_escape()
    }
}

/// The character that a member of a class is; `None` if it is a set.
fn single(member: &[(u32, u32)]) -> Option<u32> {
    match member {
        [(first, last)] if first == last => Some(*first),
        _ => None,
    }
}

/// Takes the only node of a list.
fn only(nodes: &mut Vec<RegexNode>) -> Option<RegexNode> {
    if nodes.len() == 1 { nodes.pop() } else { None }
}
