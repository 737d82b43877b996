//! The parts of a regular expression.

use super::set::Set;

/// A parsed expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expression {
    pub(super) node: Node,
    /// Capturing groups.
    pub(super) groups: usize,
    /// Whether a group is referred to: else what groups hold is of no interest.
    pub(super) refers_back: bool,
}

/// A part of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// One character, by its number: half a surrogate pair, which no text holds, has one too.
    Character(u32),
    /// One of several characters.
    Set(Set),
    /// One after the other; none at all is the empty expression.
    Sequence(Vec<Node>),
    /// The first that fits.
    Choice(Vec<Node>),
    /// A capturing group, numbered from 1.
    Group { number: usize, content: Box<Node> },
    Repeat {
        content: Box<Node>,
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
        content: Box<Node>,
        behind: bool,
        negated: bool,
    },
    /// What a group holds.
    Backreference(usize),
}

impl Node {
    /// The longest text that stands in every match, as far as it is easily seen; may be empty.
    /// Where case is ignored only of ASCII letters, on which JavaScript and [`Literal`] agree.
    ///
    /// [`Literal`]: super::super::literal::Literal
    pub(super) fn required(&self, ignore_case: bool) -> String {
        let mut runs = Runs::default();
        runs.read(self, ignore_case);
        runs.end();
        runs.longest
    }
}

#[derive(Default)]
struct Runs {
    current: String,
    longest: String,
}

impl Runs {
    fn read(&mut self, node: &Node, ignore_case: bool) {
        match node {
            Node::Character(number) => match char::from_u32(*number) {
                Some(character) if !ignore_case || character.is_ascii() => {
                    self.current.push(character);
                }
                _ => self.end(),
            },
            Node::Sequence(nodes) => {
                for node in nodes {
                    self.read(node, ignore_case);
                }
            }
            Node::Group { content, .. } => self.read(content, ignore_case),
            Node::Repeat { content, least, .. } if *least > 0 => {
                self.end();
                self.read(content, ignore_case);
                self.end();
            }
            Node::Start | Node::End | Node::Boundary { .. } | Node::Look { .. } => {}
            Node::Set(_) | Node::Choice(_) | Node::Repeat { .. } | Node::Backreference(_) => {
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
