//! The parts of a regular expression.

use super::set::Set;

/// A parsed expression with facts about its groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParsedRegex {
    pub(super) node: RegexNode,
    /// The number of capturing groups.
    pub(super) groups: usize,
    /// Whether a backreference exists; otherwise the ranges of groups need not be kept.
    pub(super) refers_back: bool,
}

/// A part of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RegexNode {
    /// One character, by its number. Half of a surrogate pair, which no text contains, has one too.
    Character(u32),
    /// One of several characters.
    Set(Set),
    /// Parts one after another; without any, the empty expression.
    Sequence(Vec<RegexNode>),
    /// Alternatives, of which the first that matches is taken.
    Choice(Vec<RegexNode>),
    /// A capturing group, numbered from 1.
    Group {
        number: usize,
        content: Box<RegexNode>,
    },
    Repeat {
        content: Box<RegexNode>,
        least: u32,
        /// The most repetitions; `None` if there is no limit.
        most: Option<u32>,
        greedy: bool,
        /// The numbers of the groups inside, the end exclusive.
        groups: (usize, usize),
    },
    /// `^`, the beginning of the text or of a line.
    Start,
    /// `$`, the end of the text or of a line.
    End,
    /// `\b`, a word boundary, or its negation `\B`.
    Boundary { negated: bool },
    /// A lookaround, such as `(?=…)`.
    Look {
        content: Box<RegexNode>,
        behind: bool,
        negated: bool,
    },
    /// The text that a group has matched.
    Backreference(usize),
}

impl RegexNode {
    /// A long text that every match contains, as far as it is easily found; may be empty. If case
    /// is ignored, it has only ASCII letters, on whose case JavaScript and others agree.
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
