//! The parts of a regular expression.

use super::set::Set;

/// A parsed expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParsedRegex {
    pub(super) node: RegexNode,
    /// Capturing groups.
    pub(super) groups: usize,
    /// Whether a group is referred to: else what groups hold is of no interest.
    pub(super) refers_back: bool,
}

/// A part of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RegexNode {
    /// One character, by its number: half a surrogate pair, which no text holds, has one too.
    Character(u32),
    /// One of several characters.
    Set(Set),
    /// One after the other; none at all is the empty expression.
    Sequence(Vec<RegexNode>),
    /// The first that fits.
    Choice(Vec<RegexNode>),
    /// A capturing group, numbered from 1.
    Group {
        number: usize,
        content: Box<RegexNode>,
    },
    Repeat {
        content: Box<RegexNode>,
        least: u32,
        /// None where there is no limit.
        most: Option<u32>,
        greedy: bool,
        /// The numbers of the groups inside, the end exclusive.
        groups: (usize, usize),
    },
    /// `^`
    Start,
    /// `$`
    End,
    /// `\b`, or `\B`.
    Boundary { negated: bool },
    /// `(?=…)` and its like.
    Look {
        content: Box<RegexNode>,
        behind: bool,
        negated: bool,
    },
    /// What a group holds.
    Backreference(usize),
}

impl RegexNode {
    /// The longest text that stands in every match, as far as it is easily seen; may be empty.
    /// Where case is ignored only of ASCII letters, on which JavaScript and others agree.
    pub(super) fn required(&self, ignore_case: bool) -> String {
        let mut runs = LiteralRuns::default();
        runs.read(self, ignore_case);
        runs.end();
        runs.longest
    }
}

#[derive(Default)]
struct LiteralRuns {
    current: String,
    longest: String,
}

impl LiteralRuns {
    fn read(&mut self, node: &RegexNode, ignore_case: bool) {
        match node {
            RegexNode::Character(number) => match char::from_u32(*number) {
                Some(character) if !ignore_case || character.is_ascii() => {
                    self.current.push(character);
                }
                _ => self.end(),
            },
            RegexNode::Sequence(nodes) => {
                for node in nodes {
                    self.read(node, ignore_case);
                }
            }
            RegexNode::Group { content, .. } => self.read(content, ignore_case),
            RegexNode::Repeat { content, least, .. } if *least > 0 => {
                self.end();
                self.read(content, ignore_case);
                self.end();
            }
            RegexNode::Start
            | RegexNode::End
            | RegexNode::Boundary { .. }
            | RegexNode::Look { .. } => {}
            RegexNode::Set(_)
            | RegexNode::Choice(_)
            | RegexNode::Repeat { .. }
            | RegexNode::Backreference(_) => {
                self.end();
            }
        }
    }

    fn end(&mut self) {
        if self.current.len() > self.longest.len() {
            std::mem::swap(&mut self.longest, &mut self.current);
        }
        self.current.clear();
    }
}
