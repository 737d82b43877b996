//! The matcher: backtracking with memoisation, on an explicit stack.

use std::cell::Cell;
use std::ops::Range;

use super::compile::{Instruction, Loop, Memory, Program};
use super::letters;
use super::set::LINE_ENDS;
use super::syntax::{Assertion, One};

/// The maximum number of entries of the backtracking stack: about 40 MB.
const MAX_STACK: usize = 1_000_000;
/// The most memoisation bits: 8 MB. A search that would need more is not memoised; its steps are
/// limited.
const MAX_MEMORY_BITS: usize = 64 * 1024 * 1024;

/// A number of steps that searches may still take. All searches that borrow it share it.
pub struct Fuel {
    left: Cell<u64>,
    is_interrupted: Option<Box<dyn Fn() -> bool>>,
}

/// The number of steps between two checks for an interruption.
const LOOK_EVERY: u64 = 4096;

/// A search did not end: it ran out of steps or stack, or was interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

impl Fuel {
    /// Fuel for this number of steps.
    pub fn new(steps: u64) -> Self {
        Self {
            left: Cell::new(steps),
            is_interrupted: None,
        }
    }

    /// The same fuel, which also runs out once `is_interrupted` returns true.
    #[must_use]
    pub fn until(self, is_interrupted: impl Fn() -> bool + 'static) -> Self {
        Self {
            is_interrupted: Some(Box::new(is_interrupted)),
            ..self
        }
    }

    /// The number of steps that are left.
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// Fails once the work is interrupted.
    ///
    /// # Errors
    ///
    /// Fails only if the work is interrupted, not if no steps are left.
    pub fn check(&self) -> Result<(), Exhausted> {
        match &self.is_interrupted {
            Some(is_interrupted) if is_interrupted() => Err(Exhausted),
            _ => Ok(()),
        }
    }

    fn spend(&self) -> Result<(), Exhausted> {
        let left = self.left.get().checked_sub(1).ok_or(Exhausted)?;
        self.left.set(left);
        if left % LOOK_EVERY == 0 {
            self.check()?;
        }
        Ok(())
    }
}

/// An entry of the backtracking stack: what to try if the current alternative fails.
#[derive(Clone, Copy, Debug)]
enum Backtrack {
    /// Continue with this instruction at this position.
    Way { step: usize, at: usize },
    /// End a greedy loop one character earlier. `limit` is where its required rounds ended.
    GiveBack {
        step: usize,
        at: usize,
        limit: usize,
    },
    /// Let a lazy loop take one character more. It may take `left` characters in all.
    TakeMore { step: usize, at: usize, left: u32 },
    /// Restore a slot.
    Slot { slot: usize, before: Option<usize> },
}

/// Matches one program against one text.
pub(super) struct Matcher<'run> {
    program: &'run Program,
    text: &'run str,
    fuel: &'run Fuel,
    stack: Vec<Backtrack>,
    slots: Vec<Option<usize>>,
    /// Memoisation bits: which instructions were tried at which positions.
    tried: Vec<u64>,
    /// The first and last position with a bit that is set.
    touched: Option<(usize, usize)>,
    remembers: bool,
}

impl<'run> Matcher<'run> {
    pub(super) fn new(program: &'run Program, text: &'run str, fuel: &'run Fuel) -> Self {
        let bits = (text.len() + 1).saturating_mul(program.memories);
        Self {
            program,
            text,
            fuel,
            stack: Vec::new(),
            slots: vec![None; program.slots],
            tried: Vec::new(),
            touched: None,
            remembers: program.repeats_itself && bits <= MAX_MEMORY_BITS,
        }
    }

    /// The first match that begins at or after `from`.
    pub(super) fn find(&mut self, from: usize) -> Result<Option<Range<usize>>, Exhausted> {
        let mut start = from;
        // A start without a match leaves the slots empty.
        self.slots.fill(None);
        while let Some(rest) = self.text.get(start..) {
            if self.program.anchored && start > 0 {
                break;
            }
            // This never stops within a character: `first` has all bytes beyond ASCII, or none of
            // them.
            if let Some(first) = &self.program.first {
                let begins = |byte: u8| first.get(usize::from(byte)).is_some_and(|known| *known);
                let Some(skipped) = rest.bytes().position(begins) else {
                    break;
                };
                start += skipped;
            }
            if let Some(end) = self.run(0, start, 0)? {
                self.stack.clear();
                self.forget_tried();
                return Ok(Some(start..end));
            }
            let Some(next) = self.after(start) else { break };
            start = next;
        }
        Ok(None)
    }

    /// Runs from an instruction at a position to `Match`, and returns the position there. `depth`
    /// counts the lookarounds around it. After a success, the alternatives not tried are still on
    /// the stack; after a failure, the stack is as before.
    fn run(&mut self, step: usize, at: usize, depth: usize) -> Result<Option<usize>, Exhausted> {
        let base = self.stack.len();
        let (mut step, mut at) = (step, at);
        loop {
            self.fuel.spend()?;
            let program = self.program;
            let next = match program.steps.get(step) {
                None | Some(Instruction::Match) => return Ok(Some(at)),
                Some(Instruction::One { one, backward }) => {
                    self.take(one, at, *backward).map(|at| (step + 1, at))
                }
                Some(Instruction::Loop(found)) => self.enter(found, step, at, depth)?,
                Some(Instruction::Split {
                    first,
                    second,
                    memory,
                }) => {
                    if self.is_new(*memory, at, depth) {
                        self.push(Backtrack::Way { step: *second, at })?;
                        Some((*first, at))
                    } else {
                        None
                    }
                }
                Some(Instruction::Jump(target)) => Some((*target, at)),
                Some(Instruction::Assertion(assertion)) => {
                    self.holds(*assertion, at).then_some((step + 1, at))
                }
                Some(Instruction::Save(slot)) => {
                    self.save(*slot, Some(at))?;
                    Some((step + 1, at))
                }
                Some(Instruction::Forget { from, to }) => {
                    for slot in *from..*to {
                        self.save(slot, None)?;
                    }
                    Some((step + 1, at))
                }
                Some(Instruction::Progress(slot)) => {
                    (self.slots.get(*slot) != Some(&Some(at))).then_some((step + 1, at))
                }
                Some(Instruction::Look { after, negated }) => self
                    .look(step + 1, at, depth, *negated)?
                    .then_some((*after, at)),
                Some(Instruction::Backreference { group, backward }) => {
                    self.refer(*group, at, *backward)?.map(|at| (step + 1, at))
                }
            };
            let next = match next {
                None => self.back(base, depth)?,
                next => next,
            };
            let Some(next) = next else {
                return Ok(None);
            };
            (step, at) = next;
        }
    }

    /// Takes entries from the stack, down to `base`, until one gives an instruction and a position
    /// to continue at; `None` if none does.
    fn back(&mut self, base: usize, depth: usize) -> Result<Option<(usize, usize)>, Exhausted> {
        while self.stack.len() > base {
            self.fuel.spend()?;
            match self.stack.pop() {
                None => break,
                Some(Backtrack::Way { step, at }) => return Ok(Some((step, at))),
                Some(Backtrack::Slot { slot, before }) => {
                    if let Some(place) = self.slots.get_mut(slot) {
                        *place = before;
                    }
                }
                Some(Backtrack::GiveBack { step, at, limit }) => {
                    let Some(Instruction::Loop(found)) = self.program.steps.get(step) else {
                        continue;
                    };
                    let Some((_, at)) = self.character(at, !found.backward) else {
                        continue;
                    };
                    if at != limit {
                        self.push(Backtrack::GiveBack { step, at, limit })?;
                    }
                    // A loop without a limit has set the bits of its positions on its way forward.
                    if found.most.is_none() || self.is_new(found.memory, at, depth) {
                        return Ok(Some((step + 1, at)));
                    }
                }
                Some(Backtrack::TakeMore { step, at, left }) => {
                    let Some(Instruction::Loop(found)) = self.program.steps.get(step) else {
                        continue;
                    };
                    let Some(at) = self.take(&found.one, at, found.backward) else {
                        continue;
                    };
                    let is_new = self.is_new(found.memory, at, depth);
                    // A loop without a limit that was here before has failed from here on too.
                    if left > 1 && (is_new || found.most.is_some()) {
                        let left = left - 1;
                        self.push(Backtrack::TakeMore { step, at, left })?;
                    }
                    if is_new {
                        return Ok(Some((step + 1, at)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Matches a repetition of one character or set. Returns where to continue; `None` if it fails,
    /// or has to backtrack at once.
    fn enter(
        &mut self,
        found: &Loop,
        step: usize,
        at: usize,
        depth: usize,
    ) -> Result<Option<(usize, usize)>, Exhausted> {
        let mut at = at;
        for _ in 0..found.least {
            self.fuel.spend()?;
            match self.take(&found.one, at, found.backward) {
                Some(next) => at = next,
                None => return Ok(None),
            }
        }
        let limit = at;
        let unlimited = found.most.is_none();
        // Without a limit, a loop at a position always continues in the same way, so a bit means that the loop was
        // there. With a limit it also matters how many rounds are left, so a bit means that the loop ended there.
        if unlimited && !self.is_new(found.memory, at, depth) {
            return Ok(None);
        }
        let left = found.most.map_or(u32::MAX, |most| most - found.least);
        if found.greedy {
            for _ in 0..left {
                self.fuel.spend()?;
                let Some(next) = self.take(&found.one, at, found.backward) else {
                    break;
                };
                if unlimited && !self.is_new(found.memory, next, depth) {
                    break;
                }
                at = next;
            }
            if at != limit {
                self.push(Backtrack::GiveBack { step, at, limit })?;
            }
        } else if left > 0 {
            self.push(Backtrack::TakeMore { step, at, left })?;
        }
        let is_new = unlimited || self.is_new(found.memory, at, depth);
        Ok(is_new.then_some((step + 1, at)))
    }

    fn push(&mut self, entry: Backtrack) -> Result<(), Exhausted> {
        if self.stack.len() >= MAX_STACK {
            return Err(Exhausted);
        }
        self.stack.push(entry);
        Ok(())
    }

    fn save(&mut self, slot: usize, at: Option<usize>) -> Result<(), Exhausted> {
        if let Some(place) = self.slots.get_mut(slot) {
            let before = std::mem::replace(place, at);
            self.push(Backtrack::Slot { slot, before })?;
        }
        Ok(())
    }

    fn look(
        &mut self,
        step: usize,
        at: usize,
        depth: usize,
        negated: bool,
    ) -> Result<bool, Exhausted> {
        let base = self.stack.len();
        if self.run(step, at, depth + 1)?.is_none() {
            return Ok(negated);
        }
        // A lookaround that has matched is not matched in another way (ECMA-262), so its
        // alternatives are dropped. The entries of its groups stay: backtracking before the
        // lookaround must restore them.
        let mut entries = self.stack.split_off(base);
        entries.retain(|entry| matches!(entry, Backtrack::Slot { .. }));
        self.stack.append(&mut entries);
        if negated {
            // A negative lookaround sets no groups.
            self.back(base, depth)?;
        }
        Ok(!negated)
    }

    fn refer(&self, group: usize, at: usize, backward: bool) -> Result<Option<usize>, Exhausted> {
        // A group that has not matched refers to the empty text (ECMA-262).
        let Some(range) = self.group(group) else {
            return Ok(Some(at));
        };
        let present = self.text.get(range).unwrap_or_default();
        let mut at = at;
        let mut characters = present.chars();
        loop {
            self.fuel.spend()?;
            let wanted = if backward {
                characters.next_back()
            } else {
                characters.next()
            };
            let Some(wanted) = wanted else {
                return Ok(Some(at));
            };
            let wanted = One::Character(self.compared(wanted.into()));
            match self.take(&wanted, at, backward) {
                Some(next) => at = next,
                None => return Ok(None),
            }
        }
    }

    fn compared(&self, number: u32) -> u32 {
        if self.program.ignore_case {
            letters::canonical(number)
        } else {
            number
        }
    }

    /// The position after one character, if that character matches.
    fn take(&self, one: &One, at: usize, backward: bool) -> Option<usize> {
        let (number, next) = self.character(at, backward)?;
        let fits = match one {
            One::Character(wanted) => self.compared(number) == *wanted,
            One::Set(set) => set.holds(number),
        };
        fits.then_some(next)
    }

    /// The position after the next character.
    pub(super) fn after(&self, at: usize) -> Option<usize> {
        self.character(at, false).map(|(_, next)| next)
    }

    /// The character after a position, and the position behind it; with `backward`, the character
    /// before the position, and the position in front of it.
    fn character(&self, at: usize, backward: bool) -> Option<(u32, usize)> {
        let beside = if backward { at.checked_sub(1)? } else { at };
        let byte = *self.text.as_bytes().get(beside)?;
        if byte.is_ascii() {
            let next = if backward { beside } else { at + 1 };
            return Some((byte.into(), next));
        }
        if backward {
            let character = self.text.get(..at)?.chars().next_back()?;
            Some((character.into(), at - character.len_utf8()))
        } else {
            let character = self.text.get(at..)?.chars().next()?;
            Some((character.into(), at + character.len_utf8()))
        }
    }

    /// Whether the character after a position, or with `backward` the one before it, ends a line.
    fn is_line_end(&self, at: usize, backward: bool) -> bool {
        self.character(at, backward)
            .is_some_and(|(number, _)| LINE_ENDS.contains(&number))
    }

    /// The ranges of the groups in the last match, from group 1 on. Empty if the program records no
    /// groups.
    pub(super) fn groups(&self) -> Vec<Option<Range<usize>>> {
        let groups = 1..self.program.group_slots / 2;
        groups.map(|group| self.group(group)).collect()
    }

    fn group(&self, group: usize) -> Option<Range<usize>> {
        let slot = |index: usize| self.slots.get(index).copied().flatten();
        Some(slot(group * 2)?..slot(group * 2 + 1)?)
    }

    fn holds(&self, assertion: Assertion, at: usize) -> bool {
        match assertion {
            Assertion::TextStart => at == 0,
            Assertion::LineStart => at == 0 || self.is_line_end(at, true),
            Assertion::TextEnd => at == self.text.len(),
            Assertion::LineEnd => at == self.text.len() || self.is_line_end(at, false),
            Assertion::Boundary => self.is_boundary(at),
            Assertion::NoBoundary => !self.is_boundary(at),
        }
    }

    fn is_boundary(&self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        // Bytes suffice: word characters are ASCII, and other characters have no ASCII bytes.
        let is_word = |byte: Option<&u8>| {
            byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        };
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        is_word(before) != is_word(bytes.get(at))
    }

    /// Whether an instruction is tried at this position for the first time since the last match;
    /// sets its bit. Always true in a lookaround: it may be tried again after a success, so that a
    /// bit would not mean a failure.
    fn is_new(&mut self, memory: Memory, at: usize, depth: usize) -> bool {
        if !self.remembers || depth > 0 {
            return true;
        }
        if self.tried.is_empty() {
            let bits = (self.text.len() + 1) * self.program.memories;
            self.tried = vec![0; bits.div_ceil(64)];
        }
        self.touched = Some(match self.touched {
            None => (at, at),
            Some((first, last)) => (first.min(at), last.max(at)),
        });
        let (start, end) = memory.around;
        let around = self.program.around.get(start..end).unwrap_or_default();
        // The number of loops, from the outermost, whose round has consumed text: see `Memory`.
        let moved = around
            .iter()
            .take_while(|slot| {
                self.slots
                    .get(**slot)
                    .is_some_and(|began| *began != Some(at))
            })
            .count();
        let bit = at * self.program.memories + memory.first + moved;
        match self.tried.get_mut(bit / 64) {
            Some(word) => {
                let mask = 1 << (bit % 64);
                let is_new = *word & mask == 0;
                *word |= mask;
                is_new
            }
            None => true,
        }
    }

    /// Clears the memoisation bits, because after a match an instruction that was tried need not
    /// have failed. Only positions that were touched are cleared: with many matches in a long text,
    /// clearing everything would take quadratic time.
    fn forget_tried(&mut self) {
        if let Some((first, last)) = self.touched.take() {
            let memories = self.program.memories;
            let words = first * memories / 64..=((last + 1) * memories / 64);
            let end = (*words.end() + 1).min(self.tried.len());
            if let Some(words) = self.tried.get_mut(*words.start()..end) {
                words.fill(0);
            }
        }
    }
}
