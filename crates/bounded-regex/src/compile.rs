//! Compiles an expression to instructions for the matcher.

use super::RegexOptions;
use super::error::RegexError;
use super::letters;
use super::set::Set;
use super::syntax::{ParsedRegex, RegexNode};

/// The most instructions of a program. Repetitions with numbers are unrolled, so a short expression
/// such as `(?:(?:(?:ab){100}){100}){100}` could need any number.
const MAX_STEPS: usize = 20_000;

/// A compiled expression: the instructions for the matcher.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) steps: Vec<Instruction>,
    pub(super) sets: Vec<Set>,
    pub(super) ignore_case: bool,
    /// Whether an instruction that failed at a position always fails there, so that failures can be
    /// memoised. Not with backreferences: there the contents of the groups matter too.
    pub(super) repeats_itself: bool,
    /// The number of memoisation bits for each position in the text.
    pub(super) memories: usize,
    /// The loops around the instructions, one list after another; see [`Memory`].
    pub(super) around: Vec<usize>,
    /// The number of slots for group boundaries: two for each group.
    pub(super) slots: usize,
    /// The number of loops whose rounds must not be empty. The matcher stores where the current
    /// round of each began.
    pub(super) rounds: usize,
    /// Whether it can match only at the start of the text.
    pub(super) anchored: bool,
    /// The bytes that a match can begin with. `None` if a match can be empty: it can then begin
    /// anywhere.
    pub(super) first: Option<Box<[bool; 256]>>,
}

/// The memoisation bits of an instruction.
///
/// Whether an instruction fails depends on the position and, for each loop around it whose rounds
/// must not be empty, on whether the current round has consumed text. If the round of an inner loop
/// has, the rounds of the outer loops have too, because they began earlier. So within N such loops
/// there are N + 1 cases, with a bit for each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    /// The first of its bits.
    pub(super) first: usize,
    /// The loops around the instruction, outermost first: a range of [`Program::around`].
    pub(super) around: (usize, usize),
}

/// A single character, or any character of a set.
#[derive(Clone, Copy, Debug)]
pub(super) enum One {
    /// Its code point; if case is ignored, in the form in which letters are compared.
    Character(u32),
    /// The index of a set.
    Set(usize),
}

/// An instruction of the matcher. One with `backward` reads the text from right to left, as a
/// lookbehind does.
#[derive(Clone, Debug)]
pub(super) enum Instruction {
    One {
        one: One,
        backward: bool,
    },
    /// A loop over one character.
    Loop(Loop),
    /// Continues at `first`; if that fails, at `second`.
    Split {
        first: usize,
        second: usize,
        memory: Memory,
    },
    Jump(usize),
    /// Matches at the start of the text; with `multiline`, at the start of each line.
    Start {
        multiline: bool,
    },
    /// Matches at the end of the text; with `multiline`, at the end of each line.
    End {
        multiline: bool,
    },
    Boundary {
        negated: bool,
    },
    /// Stores the position in this slot, as the start or end of a group.
    Save(usize),
    /// Empties the slots from `from` up to, but not including, `to`. A round of a loop begins with
    /// empty groups (ECMA-262, `RepeatMatcher`).
    Forget {
        from: usize,
        to: usize,
    },
    /// Stores the position as the start of a round of this loop.
    Round(usize),
    /// Fails if the round of this loop has matched nothing (ECMA-262, `RepeatMatcher`).
    Progress(usize),
    /// A lookaround: runs the instructions from the next one to their `Match`, then continues at
    /// `after`.
    Look {
        after: usize,
        negated: bool,
    },
    Backreference {
        group: usize,
        backward: bool,
    },
    Match,
}

/// A loop over one character.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loop {
    pub(super) one: One,
    pub(super) least: u32,
    pub(super) most: Option<u32>,
    pub(super) greedy: bool,
    pub(super) backward: bool,
    pub(super) memory: Memory,
}

/// Compiles an expression. Fails soon after an interruption.
pub(super) fn compile(
    expression: &ParsedRegex,
    options: RegexOptions,
    is_interrupted: &dyn Fn() -> bool,
) -> Result<Program, RegexError> {
    let RegexOptions {
        ignore_case,
        multiline,
        keeps_groups,
        ..
    } = options;
    let mut compiler = Compiler {
        program: Program {
            steps: Vec::new(),
            sets: Vec::new(),
            ignore_case,
            repeats_itself: !expression.refers_back,
            memories: 0,
            around: Vec::new(),
            slots: if expression.refers_back || keeps_groups {
                (expression.groups + 1) * 2
            } else {
                0
            },
            rounds: 0,
            anchored: !multiline && begins_at_start(&expression.node),
            first: None,
        },
        open: Vec::new(),
        multiline,
        is_interrupted,
    };
    compiler.node(&expression.node, false)?;
    compiler.push(Instruction::Match)?;
    let mut first = Box::new([false; 256]);
    let mut program = compiler.program;
    if !add_first(&expression.node, ignore_case, &mut first) {
        program.first = Some(first);
    }
    Ok(program)
}

struct Compiler<'expression> {
    program: Program,
    /// The loops around the current node whose rounds must not be empty, outermost first.
    open: Vec<usize>,
    multiline: bool,
    is_interrupted: &'expression dyn Fn() -> bool,
}

impl Compiler<'_> {
    fn push(&mut self, step: Instruction) -> Result<usize, RegexError> {
        if self.program.steps.len() >= MAX_STEPS {
            return Err(RegexError::TooLarge);
        }
        // Checked for each instruction, because one may copy a large set.
        if (self.is_interrupted)() {
            return Err(RegexError::Stopped);
        }
        self.program.steps.push(step);
        Ok(self.program.steps.len() - 1)
    }

    fn here(&self) -> usize {
        self.program.steps.len()
    }

    /// Reserves the memoisation bits of an instruction at this place.
    fn memory(&mut self) -> Memory {
        let first = self.program.memories;
        self.program.memories += self.open.len() + 1;
        let start = self.program.around.len();
        self.program.around.extend_from_slice(&self.open);
        Memory {
            first,
            around: (start, self.program.around.len()),
        }
    }

    /// The node as a single character or a set; `None` if it is neither.
    fn one(&mut self, node: &RegexNode) -> Option<One> {
        match node {
            RegexNode::Character(number) if self.program.ignore_case => {
                Some(One::Character(letters::canonical(*number)))
            }
            RegexNode::Character(number) => Some(One::Character(*number)),
            RegexNode::Set(set) => {
                let set = set.clone().with_case(self.program.ignore_case);
                let known = self.program.sets.iter().position(|other| *other == set);
                Some(One::Set(known.unwrap_or_else(|| {
                    self.program.sets.push(set);
                    self.program.sets.len() - 1
                })))
            }
            RegexNode::Sequence(nodes) => match nodes.as_slice() {
                [only] => self.one(only),
                _ => None,
            },
            _ => None,
        }
    }

    fn node(&mut self, node: &RegexNode, backward: bool) -> Result<(), RegexError> {
        match node {
            RegexNode::Character(_) | RegexNode::Set(_) => {
                if let Some(one) = self.one(node) {
                    self.push(Instruction::One { one, backward })?;
                }
            }
            RegexNode::Sequence(nodes) if backward => {
                for node in nodes.iter().rev() {
                    self.node(node, true)?;
                }
            }
            RegexNode::Sequence(nodes) => {
                for node in nodes {
                    self.node(node, false)?;
                }
            }
            RegexNode::Choice(ways) => self.choice(ways, backward)?,
            RegexNode::Group { number, content } if self.program.slots > 0 => {
                let (start, end) = (number * 2, number * 2 + 1);
                self.push(Instruction::Save(if backward { end } else { start }))?;
                self.node(content, backward)?;
                self.push(Instruction::Save(if backward { start } else { end }))?;
            }
            RegexNode::Group { content, .. } => self.node(content, backward)?,
            RegexNode::Repeat { .. } => self.repeat(node, backward)?,
            RegexNode::Start => {
                let multiline = self.multiline;
                _ = self.push(Instruction::Start { multiline })?;
            }
            RegexNode::End => {
                let multiline = self.multiline;
                _ = self.push(Instruction::End { multiline })?;
            }
            RegexNode::Boundary { negated } => {
                _ = self.push(Instruction::Boundary { negated: *negated })?;
            }
            RegexNode::Look {
                content,
                behind,
                negated,
            } => {
                // Replaced below, once the position after the lookaround is known.
                let look = self.push(Instruction::Jump(0))?;
                self.node(content, *behind)?;
                self.push(Instruction::Match)?;
                let after = self.here();
                self.set(
                    look,
                    Instruction::Look {
                        after,
                        negated: *negated,
                    },
                );
            }
            RegexNode::Backreference(group) => {
                self.push(Instruction::Backreference {
                    group: *group,
                    backward,
                })?;
            }
        }
        Ok(())
    }

    fn set(&mut self, index: usize, step: Instruction) {
        if let Some(place) = self.program.steps.get_mut(index) {
            *place = step;
        }
    }

    fn choice(&mut self, ways: &[RegexNode], backward: bool) -> Result<(), RegexError> {
        let mut jumps = Vec::new();
        for (index, way) in ways.iter().enumerate() {
            if index + 1 == ways.len() {
                self.node(way, backward)?;
                break;
            }
            // Replaced below, once the position of the next alternative is known.
            let split = self.push(Instruction::Jump(0))?;
            let memory = self.memory();
            self.node(way, backward)?;
            jumps.push(self.push(Instruction::Jump(0))?);
            self.set(
                split,
                Instruction::Split {
                    first: split + 1,
                    second: self.here(),
                    memory,
                },
            );
        }
        let end = self.here();
        for jump in jumps {
            self.set(jump, Instruction::Jump(end));
        }
        Ok(())
    }

    fn repeat(&mut self, node: &RegexNode, backward: bool) -> Result<(), RegexError> {
        let RegexNode::Repeat {
            content,
            least,
            most,
            greedy,
            groups,
        } = node
        else {
            return Ok(());
        };
        if let Some(one) = self.one(content) {
            let memory = self.memory();
            self.push(Instruction::Loop(Loop {
                one,
                least: *least,
                most: *most,
                greedy: *greedy,
                backward,
                memory,
            }))?;
            return Ok(());
        }
        for _ in 0..*least {
            let before = self.here();
            self.round(content, *groups, backward, false)?;
            // An empty round needs no copies, however often `(?:){1000000}` repeats it.
            if self.here() == before {
                break;
            }
        }
        // An optional round that matches nothing fails, or `(a*)*` would never end. The required
        // rounds above may match nothing (ECMA-262, `RepeatMatcher`).
        let checked = can_be_empty(content);
        let mut splits = Vec::new();
        // Without a limit it is one round with a jump back to its start.
        let rounds = most.map_or(1, |most| most - least);
        for _ in 0..rounds {
            let split = self.push(Instruction::Jump(0))?;
            splits.push(split);
            self.round(content, *groups, backward, checked)?;
            if most.is_none() {
                self.push(Instruction::Jump(split))?;
            }
        }
        let end = self.here();
        for split in splits {
            let memory = self.memory();
            let (first, second) = if *greedy {
                (split + 1, end)
            } else {
                (end, split + 1)
            };
            self.set(
                split,
                Instruction::Split {
                    first,
                    second,
                    memory,
                },
            );
        }
        Ok(())
    }

    fn round(
        &mut self,
        content: &RegexNode,
        (first, end): (usize, usize),
        backward: bool,
        checked: bool,
    ) -> Result<(), RegexError> {
        let round = self.program.rounds;
        if checked {
            self.program.rounds += 1;
            self.open.push(round);
            self.push(Instruction::Round(round))?;
        }
        if self.program.slots > 0 && first < end {
            self.push(Instruction::Forget {
                from: first * 2,
                to: end * 2,
            })?;
        }
        self.node(content, backward)?;
        if checked {
            self.open.pop();
            self.push(Instruction::Progress(round))?;
        }
        Ok(())
    }
}

/// Whether the node can match the empty text. True also if that depends on the text, as for a
/// backreference.
fn can_be_empty(node: &RegexNode) -> bool {
    match node {
        RegexNode::Character(_) | RegexNode::Set(_) => false,
        RegexNode::Sequence(nodes) => nodes.iter().all(can_be_empty),
        RegexNode::Choice(ways) => ways.iter().any(can_be_empty),
        RegexNode::Group { content, .. } => can_be_empty(content),
        RegexNode::Repeat { content, least, .. } => *least == 0 || can_be_empty(content),
        RegexNode::Start
        | RegexNode::End
        | RegexNode::Boundary { .. }
        | RegexNode::Look { .. }
        | RegexNode::Backreference(_) => true,
    }
}

/// Whether every match of the node begins at `^`.
fn begins_at_start(node: &RegexNode) -> bool {
    match node {
        RegexNode::Start => true,
        RegexNode::Sequence(nodes) => nodes.first().is_some_and(begins_at_start),
        RegexNode::Choice(ways) => ways.iter().all(begins_at_start),
        RegexNode::Group { content, .. } => begins_at_start(content),
        _ => false,
    }
}

/// Adds the bytes that a match of the node can begin with. Returns whether a match can be empty.
fn add_first(node: &RegexNode, ignore_case: bool, first: &mut [bool; 256]) -> bool {
    let mut add = |test: &dyn Fn(u8) -> bool| {
        for byte in 0..=u8::MAX {
            first[usize::from(byte)] |= test(byte);
        }
    };
    match node {
        RegexNode::Character(number) => {
            let wanted = u8::try_from(*number).ok().filter(u8::is_ascii);
            match wanted {
                Some(wanted) if ignore_case => add(&|byte| byte.eq_ignore_ascii_case(&wanted)),
                Some(wanted) => add(&|byte| byte == wanted),
                // All bytes beyond ASCII. This is only a filter, and a letter beyond ASCII never
                // equals one in ASCII.
                None => add(&|byte| !byte.is_ascii()),
            }
        }
        RegexNode::Set(set) => {
            let set = set.clone().with_case(ignore_case);
            add(&|byte| !byte.is_ascii() || set.holds(byte.into()));
        }
        RegexNode::Sequence(nodes) => {
            // `all` stops after the first part that cannot be empty: a match begins there at the
            // latest.
            return nodes.iter().all(|node| add_first(node, ignore_case, first));
        }
        RegexNode::Choice(ways) => {
            let mut empty = false;
            for way in ways {
                empty |= add_first(way, ignore_case, first);
            }
            return empty;
        }
        RegexNode::Group { content, .. } => return add_first(content, ignore_case, first),
        RegexNode::Repeat { content, least, .. } => {
            return add_first(content, ignore_case, first) || *least == 0;
        }
        RegexNode::Start | RegexNode::End | RegexNode::Boundary { .. } | RegexNode::Look { .. } => {
            return true;
        }
        RegexNode::Backreference(_) => {
            add(&|_| true);
            return true;
        }
    }
    false
}
