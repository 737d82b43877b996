//! The parts of a regular expression.

use super::set::Set;

/// A parsed expression with facts about its groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParsedRegex {
    pub(super) node: RegexNode,
    /// The number of capturing groups.
    pub(super) groups: usize,
    /// Whether it has a backreference. Without one, the matcher itself needs no ranges of groups.
    pub(super) refers_back: bool,
}

/// A part of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RegexNode {
    /// One character, by its code point. One half of a surrogate pair is possible (`\ud83d`); it
    /// never matches, because no text contains it.
    Character(u32),
    /// One of several characters.
    Set(Set),
    /// Parts in their order. Without parts it is the empty expression.
    Sequence(Vec<RegexNode>),
    /// Alternatives, tried from left to right.
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
        /// The numbers of the groups in `content`: the first, and the number after the last.
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
    /// The text that the group with this number has matched.
    Backreference(usize),
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
}

#[derive(Default)]
/// Collects the literal texts of an expression, and keeps the longest.
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
            // The text of a round joins neither neighbour: other rounds may be between.
            RegexNode::Repeat { content, least, .. } if *least > 0 => {
                self.end();
                self.read(content, ignore_case);
                self.end();
            }
            // These match no characters, so the run continues after them.
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
