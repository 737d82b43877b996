//! The parts of a regular expression.

use std::collections::HashMap;
use std::sync::Arc;

use super::set::Set;

/// A parsed expression with facts about its groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParsedRegex {
    pub(super) node: RegexNode,
    /// The number of capturing groups.
    pub(super) groups: usize,
    /// The numbers of the named groups.
    pub(super) names: HashMap<String, usize>,
    /// Whether it has a backreference. Without one, the matcher itself needs no ranges of groups.
    pub(super) refers_back: bool,
}

/// A part of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RegexNode {
    One(One),
    /// Parts in their order. Without parts it is the empty expression.
    Sequence(Vec<RegexNode>),
    /// Alternatives, tried from left to right.
    Choice(Vec<RegexNode>),
    /// A capturing group, numbered from 1.
    Group {
        number: usize,
        content: Box<RegexNode>,
    },
    Repeat(Repeat),
    Assertion(Assertion),
    /// A lookaround, such as `(?=…)`.
    Look {
        content: Box<RegexNode>,
        behind: bool,
        negated: bool,
    },
    /// The text that the group with this number has matched.
    Backreference(usize),
}

/// A single character, or any character of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum One {
    /// Its code point; if case is ignored, in the form in which letters are compared. One half of a
    /// surrogate pair is possible (`\ud83d`); it never matches, because no text contains it.
    Character(u32),
    Set(Arc<Set>),
}

/// A repetition of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Repeat {
    pub(super) content: Box<RegexNode>,
    pub(super) least: u32,
    /// The maximum number of repetitions; `None` if there is no limit.
    pub(super) most: Option<u32>,
    pub(super) greedy: bool,
    /// The numbers of the groups in `content`: the first, and the number after the last.
    pub(super) groups: (usize, usize),
}

/// A condition on a position in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assertion {
    /// `^`, the start of the text.
    TextStart,
    /// `^` under the flag `m`, the start of the text or of a line.
    LineStart,
    /// `$`, the end of the text.
    TextEnd,
    /// `$` under the flag `m`, the end of the text or of a line.
    LineEnd,
    /// `\b`, a word boundary.
    Boundary,
    /// `\B`, any position that is not a word boundary.
    NoBoundary,
}

impl RegexNode {
    /// The longest literal text that every match contains; see
    /// [`Regex::required_text`](super::Regex::required_text).
    pub(super) fn required(&self, ignore_case: bool) -> String {
        let mut runs = LiteralRuns::default();
        runs.read(self, ignore_case);
        runs.end();
        runs.longest
    }

    /// Passes each character or set to `visit` with which a match can begin; `None` stands for any
    /// character. Returns whether a match can be empty. True also if that depends on the text, as
    /// for a backreference.
    pub(super) fn each_first(&self, visit: &mut dyn FnMut(Option<&One>)) -> bool {
        match self {
            Self::One(one) => {
                visit(Some(one));
                false
            }
            // `all` stops after the first part that cannot be empty: a match begins there at the
            // latest.
            Self::Sequence(nodes) => nodes.iter().all(|node| node.each_first(visit)),
            Self::Choice(ways) => ways
                .iter()
                .fold(false, |empty, way| way.each_first(visit) | empty),
            Self::Group { content, .. } => content.each_first(visit),
            Self::Repeat(Repeat { content, least, .. }) => content.each_first(visit) || *least == 0,
            Self::Assertion(_) | Self::Look { .. } => true,
            Self::Backreference(_) => {
                visit(None);
                true
            }
        }
    }

    /// Whether every match begins at the start of the text.
    pub(super) fn is_anchored(&self) -> bool {
        match self {
            Self::Assertion(assertion) => *assertion == Assertion::TextStart,
            Self::Sequence(nodes) => nodes.first().is_some_and(Self::is_anchored),
            Self::Choice(ways) => ways.iter().all(Self::is_anchored),
            Self::Group { content, .. } => content.is_anchored(),
            _ => false,
        }
    }
}

/// Collects the literal texts of an expression, and keeps the longest.
#[derive(Default)]
struct LiteralRuns {
    current: String,
    longest: String,
}

impl LiteralRuns {
    fn read(&mut self, node: &RegexNode, ignore_case: bool) {
        match node {
            RegexNode::One(One::Character(number)) => match char::from_u32(*number) {
                Some(character) if !ignore_case => self.current.push(character),
                Some(character) if character.is_ascii() => {
                    self.current.push(character.to_ascii_lowercase());
                }
                _ => self.end(),
            },
            RegexNode::Sequence(nodes) => {
                for node in nodes {
                    self.read(node, ignore_case);
                }
            }
            RegexNode::Group { content, .. } => self.read(content, ignore_case),
            // The text of a round joins neither neighbour: other rounds may be between.
            RegexNode::Repeat(Repeat { content, least, .. }) if *least > 0 => {
                self.end();
                self.read(content, ignore_case);
                self.end();
            }
            // These match no characters, so the run continues after them.
            RegexNode::Assertion(_) | RegexNode::Look { .. } => {}
            _ => self.end(),
        }
    }

    fn end(&mut self) {
        if self.current.len() > self.longest.len() {
            std::mem::swap(&mut self.longest, &mut self.current);
        }
        self.current.clear();
    }
}
