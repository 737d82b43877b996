//! Compiles an expression to instructions for the matcher.

use super::RegexOptions;
use super::error::RegexError;
use super::letters;
use super::syntax::{Assertion, One, ParsedRegex, RegexNode, Repeat};

/// The most instructions of a program. Repetitions with numbers are unrolled, so a short expression
/// such as `(?:(?:(?:ab){100}){100}){100}` could need any number.
const MAX_STEPS: usize = 20_000;

/// A compiled expression: the instructions for the matcher.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) steps: Vec<Instruction>,
    pub(super) ignore_case: bool,
    /// Whether an instruction that failed at a position always fails there, so that failures can be
    /// memoised. Not with backreferences: there the contents of the groups matter too.
    pub(super) repeats_itself: bool,
    /// The number of memoisation bits for each position in the text.
    pub(super) memories: usize,
    /// The loops around the instructions, one list after another; see [`Memory`].
    pub(super) around: Vec<usize>,
    /// The number of slots for the boundaries of groups, two for each group; 0 if nobody needs them.
    pub(super) group_slots: usize,
    /// The number of slots: those of groups, then one for each loop whose rounds must not be empty.
    /// It has the position where the current round began.
    pub(super) slots: usize,
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
    Assertion(Assertion),
    /// Stores the position in this slot.
    Save(usize),
    /// Empties the slots from `from` up to, but not including, `to`. A round of a loop begins with
    /// empty groups (ECMA-262, `RepeatMatcher`).
    Forget {
        from: usize,
        to: usize,
    },
    /// Fails if the round that began at the position in this slot has matched nothing (ECMA-262,
    /// `RepeatMatcher`).
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
#[derive(Clone, Debug)]
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
    let keeps_groups = expression.refers_back || options.keeps_groups;
    let group_slots = usize::from(keeps_groups) * (expression.groups + 1) * 2;
    let mut compiler = Compiler {
        program: Program {
            steps: Vec::new(),
            ignore_case: options.ignore_case,
            repeats_itself: !expression.refers_back,
            memories: 0,
            around: Vec::new(),
            group_slots,
            slots: group_slots,
            anchored: expression.node.is_anchored(),
            first: first_bytes(&expression.node, options.ignore_case),
        },
        open: Vec::new(),
        is_interrupted,
    };
    compiler.node(&expression.node, false)?;
    compiler.push(Instruction::Match)?;
    Ok(compiler.program)
}

/// The bytes that a match can begin with; `None` if it can be empty. A character beyond ASCII counts
/// as all bytes beyond ASCII: this is only a filter, and such a letter never equals one in ASCII.
fn first_bytes(node: &RegexNode, ignore_case: bool) -> Option<Box<[bool; 256]>> {
    let mut first = Box::new([false; 256]);
    let can_be_empty = node.each_first(&mut |one| {
        for (number, known) in (0..).zip(first.iter_mut()) {
            *known |= match one {
                None => true,
                Some(One::Set(set)) => number >= 128 || set.holds(number),
                Some(One::Character(wanted)) if *wanted >= 128 => number >= 128,
                Some(One::Character(wanted)) if ignore_case => {
                    letters::canonical(number) == *wanted
                }
                Some(One::Character(wanted)) => number == *wanted,
            };
        }
    });
    (!can_be_empty).then_some(first)
}

struct Compiler<'expression> {
    program: Program,
    /// The slots of the loops around the current node whose rounds must not be empty, outermost
    /// first.
    open: Vec<usize>,
    is_interrupted: &'expression dyn Fn() -> bool,
}

impl Compiler<'_> {
    fn push(&mut self, step: Instruction) -> Result<(), RegexError> {
        if self.program.steps.len() >= MAX_STEPS {
            return Err(RegexError::TooLarge);
        }
        if (self.is_interrupted)() {
            return Err(RegexError::Stopped);
        }
        self.program.steps.push(step);
        Ok(())
    }

    fn here(&self) -> usize {
        self.program.steps.len()
    }

    /// Reserves a place for an instruction that refers to later ones; see [`Self::fill`].
    fn reserve(&mut self) -> Result<usize, RegexError> {
        self.push(Instruction::Match)?;
        Ok(self.here() - 1)
    }

    fn fill(&mut self, place: usize, step: Instruction) {
        if let Some(reserved) = self.program.steps.get_mut(place) {
            *reserved = step;
        }
    }

    /// Reserves the memoisation bits of an instruction at this place.
    fn memory(&mut self) -> Memory {
        let first = self.program.memories;
        self.program.memories += self.open.len() + 1;
        let start = self.program.around.len();
        self.program.around.extend_from_slice(&self.open);
        let around = (start, self.program.around.len());
        Memory { first, around }
    }

    fn node(&mut self, node: &RegexNode, backward: bool) -> Result<(), RegexError> {
        match node {
            RegexNode::One(one) => {
                let one = one.clone();
                self.push(Instruction::One { one, backward })
            }
            RegexNode::Sequence(nodes) if backward => nodes
                .iter()
                .rev()
                .try_for_each(|node| self.node(node, true)),
            RegexNode::Sequence(nodes) => nodes.iter().try_for_each(|node| self.node(node, false)),
            RegexNode::Choice(ways) => self.choice(ways, backward),
            RegexNode::Group { number, content } if self.program.group_slots > 0 => {
                let (start, end) = (number * 2, number * 2 + 1);
                let (first, second) = if backward { (end, start) } else { (start, end) };
                self.push(Instruction::Save(first))?;
                self.node(content, backward)?;
                self.push(Instruction::Save(second))
            }
            RegexNode::Group { content, .. } => self.node(content, backward),
            RegexNode::Repeat(repeat) => self.repeat(repeat, backward),
            RegexNode::Assertion(assertion) => self.push(Instruction::Assertion(*assertion)),
            RegexNode::Look {
                content,
                behind,
                negated,
            } => {
                let look = self.reserve()?;
                self.node(content, *behind)?;
                self.push(Instruction::Match)?;
                let (after, negated) = (self.here(), *negated);
                self.fill(look, Instruction::Look { after, negated });
                Ok(())
            }
            RegexNode::Backreference(group) => {
                let group = *group;
                self.push(Instruction::Backreference { group, backward })
            }
        }
    }

    fn choice(&mut self, ways: &[RegexNode], backward: bool) -> Result<(), RegexError> {
        let Some((last, ways)) = ways.split_last() else {
            return Ok(());
        };
        let mut jumps = Vec::new();
        for way in ways {
            let split = self.reserve()?;
            let memory = self.memory();
            self.node(way, backward)?;
            jumps.push(self.reserve()?);
            let (first, second) = (split + 1, self.here());
            self.fill(
                split,
                Instruction::Split {
                    first,
                    second,
                    memory,
                },
            );
        }
        self.node(last, backward)?;
        let end = self.here();
        for jump in jumps {
            self.fill(jump, Instruction::Jump(end));
        }
        Ok(())
    }

    fn repeat(&mut self, repeat: &Repeat, backward: bool) -> Result<(), RegexError> {
        let (least, most, greedy) = (repeat.least, repeat.most, repeat.greedy);
        if let RegexNode::One(one) = &*repeat.content {
            let (one, memory) = (one.clone(), self.memory());
            return self.push(Instruction::Loop(Loop {
                one,
                least,
                most,
                greedy,
                backward,
                memory,
            }));
        }
        for _ in 0..least {
            let before = self.here();
            self.round(repeat, backward)?;
            // An empty round needs no copies, however often `(?:){1000000}` repeats it.
            if self.here() == before {
                break;
            }
        }
        // An optional round that matches nothing fails, or `(a*)*` would never end. The required
        // rounds above may match nothing (ECMA-262, `RepeatMatcher`).
        let checked = repeat.content.each_first(&mut |_| {});
        let mut splits = Vec::new();
        // Without a limit it is one round with a jump back to its start.
        for _ in 0..most.map_or(1, |most| most - least) {
            let split = self.reserve()?;
            splits.push(split);
            if checked {
                let slot = self.program.slots;
                self.program.slots += 1;
                self.open.push(slot);
                self.push(Instruction::Save(slot))?;
                self.round(repeat, backward)?;
                self.open.pop();
                self.push(Instruction::Progress(slot))?;
            } else {
                self.round(repeat, backward)?;
            }
            if most.is_none() {
                self.push(Instruction::Jump(split))?;
            }
        }
        let end = self.here();
        for split in splits {
            let memory = self.memory();
            let (first, second) = if greedy {
                (split + 1, end)
            } else {
                (end, split + 1)
            };
            self.fill(
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

    fn round(&mut self, repeat: &Repeat, backward: bool) -> Result<(), RegexError> {
        let (from, to) = (repeat.groups.0 * 2, repeat.groups.1 * 2);
        if self.program.group_slots > 0 && from < to {
            self.push(Instruction::Forget { from, to })?;
        }
        self.node(&repeat.content, backward)
    }
}
