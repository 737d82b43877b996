//! Sends a text that one call cannot carry in several calls whose effects together are the same.
//!
//! The app turns every `\n` and `\t` pair in `content=` into a newline or a tab, and has no way
//! to write the pair itself (`official-cli.md` §4). So the text is cut between the backslash and
//! the letter. It is also cut where it is too long for one message. What cannot be cut is
//! refused: never silent damage (`faults.md` B05, B06).

use std::path::Path;

use cli_output::Arguments;

use super::argv;
use super::limits::{ArgumentLimits, Size, json_size, too_large};
use crate::allowlist::{Call, Command, Continuation, Sentence, Target};
use crate::code::Code;
use crate::failure::Failure;

/// The most calls that one request may become.
pub const MOST_STEPS: usize = 64;

/// The parameter that the splitter knows how to continue.
const CONTENT: &str = "content";

/// Room for what the app may add to a name it was asked for: ` 12`, `.md`.
const ADDED_TO_PATH: usize = 64;

/// Room for a path that the app chooses.
const CHOSEN_PATH: usize = 512;

/// One call of several that together are the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitStep {
    /// The command, `append`.
    pub command: String,
    /// Its arguments, complete but for `path` where [`SplitStep::path`] says so.
    pub arguments: Arguments,
    /// Where its `path` comes from.
    pub path: StepPath,
    /// The sentences of which one must confirm it.
    pub confirms: Vec<Sentence>,
}

/// Where a step's `path` comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepPath {
    /// The arguments are complete as they are.
    Given,
    /// It is the path that the first step's confirmation names: `create` takes another name
    /// where the one asked for is taken, and a daily note could change at midnight. A caller
    /// that knows the daily note's path already may use that.
    FromFirst,
}

impl SplitStep {
    /// The same step on `path`, as [`StepPath::FromFirst`] asks for.
    #[must_use]
    pub fn on_path(mut self, path: &str) -> Self {
        self.arguments.params.insert("path".into(), path.into());
        self.path = StepPath::Given;
        self
    }
}

/// Who sends: what takes room in every message.
#[derive(Clone, Copy, Debug)]
pub struct Sender<'sender> {
    /// The binary.
    pub binary: &'sender Path,
    /// The pinned vault's name or id.
    pub vault: &'sender str,
    /// How much one message may hold.
    pub limits: ArgumentLimits,
}

impl Sender<'_> {
    fn size(&self, command: &str, arguments: &Arguments) -> Result<Size, Failure> {
        let words = argv::lay_out(self.vault, command, arguments)?;
        Ok(Size::measure(self.binary, &words))
    }
}

/// The calls that carry `call`, in the order in which they must run: one where one is enough.
///
/// `UNREPRESENTABLE_CONTENT` where the text holds a pair and cannot be cut, `ARGUMENT_TOO_LARGE`
/// with size and limit where it is too long and cannot be cut. Several steps are not one atomic
/// change: the caller journals before the first and verifies after the last.
pub fn steps(call: &Call, sender: Sender<'_>) -> Result<Vec<SplitStep>, Failure> {
    let command = call.command.id.as_str();
    let arguments = call.as_cli_arguments();
    let damaged = arguments
        .params
        .iter()
        .find(|(key, value)| {
            call.command.param(key).is_some_and(|param| param.escapes) && holds_pair(value)
        })
        .map(|(key, _)| key.clone());
    let fits = sender.size(command, &arguments)?.check(sender.limits);
    let too_long = match (fits, &damaged) {
        (Ok(()), None) => {
            return Ok(vec![SplitStep {
                command: command.to_owned(),
                arguments,
                path: StepPath::Given,
                confirms: call.command.confirmations().to_vec(),
            }]);
        }
        (fits, _) => fits.err(),
    };
    let refusal = || match (&damaged, &too_long) {
        (Some(key), _) => unrepresentable(key),
        (None, Some(failure)) => failure.clone(),
        (None, None) => unrepresentable(CONTENT),
    };
    let plan = ContinuationPlan::new(call, &arguments).ok_or_else(refusal)?;
    // Another escaping parameter cannot be carried over to a later step.
    if damaged.as_deref().is_some_and(|key| key != CONTENT) {
        return Err(refusal());
    }
    plan.steps(&arguments, sender)
}

/// Whether the app would change the text: a backslash followed by `n` or `t`.
fn holds_pair(text: &str) -> bool {
    text.as_bytes()
        .windows(2)
        .any(|pair| pair[0] == b'\\' && matches!(pair[1], b'n' | b't'))
}

fn unrepresentable(key: &str) -> Failure {
    Failure::new(
        Code::UnrepresentableContent,
        format!(
            "Obsidian's command line would turn the \\n or \\t pairs in {key} into line breaks \
             or tabs, and this command cannot be sent in parts. Write the text with create, \
             append or prepend, or leave the pairs out."
        ),
    )
    .with("parameter", key)
}

fn too_many_parts(parts: usize) -> Failure {
    Failure::new(
        Code::UnrepresentableContent,
        format!(
            "Obsidian's command line would turn the \\n or \\t pairs in {CONTENT} into line breaks \
             or tabs. To keep them the text would be sent in {parts} parts, where {MOST_STEPS} \
             are the limit. Send less at a time."
        ),
    )
    .with("parameter", CONTENT)
    .with("parts", parts)
    .with("mostSteps", MOST_STEPS)
}

/// How a command goes on after its first piece of text.
struct ContinuationPlan<'call> {
    first: &'call Command,
    /// Which command carries the later pieces. Prepended pieces are sent last first.
    rest: Continuation,
    /// What the first step names as its target, kept for the rest where it is a `path`.
    path: Option<String>,
    /// Room for the path of the later steps, in bytes.
    path_room: usize,
}

impl<'call> ContinuationPlan<'call> {
    /// None where the command cannot be sent in parts.
    fn new(call: &'call Call, arguments: &Arguments) -> Option<Self> {
        let rest = call.command.continuation()?;
        let is_given = |name| arguments.param(name).is_some_and(|value| !value.is_empty());
        // With a template the app ignores the content; adding it afterwards would not.
        if !is_given(CONTENT) || is_given("template") {
            return None;
        }
        // The path of an existing note is known. A new file may get another name than the one asked
        // for, and today's note another path at midnight, so the first confirmation tells theirs.
        let keeps_path = call.command.target == Target::Note;
        let asked = json_size(&arguments.param("path").unwrap_or_default().into())
            + json_size(&arguments.param("name").unwrap_or_default().into());
        let path = arguments.param("path").filter(|_| keeps_path);
        Some(Self {
            first: &call.command,
            rest,
            path: path.map(str::to_owned),
            path_room: if arguments.param("path").is_some() {
                asked + ADDED_TO_PATH
            } else {
                asked + CHOSEN_PATH
            },
        })
    }

    /// A later step with `content`.
    fn later(&self, content: &str) -> SplitStep {
        let mut arguments = Arguments::default();
        arguments.params.insert(CONTENT.into(), content.into());
        arguments.flags.insert("inline".into());
        let step = SplitStep {
            command: self.rest.command().to_owned(),
            arguments,
            path: StepPath::FromFirst,
            confirms: vec![self.rest.sentence()],
        };
        match &self.path {
            Some(path) => step.on_path(path),
            None => step,
        }
    }

    /// The caller's own call with `content` in the place of the whole text.
    fn opening(&self, whole: &Arguments, content: &str) -> SplitStep {
        let mut arguments = whole.clone();
        arguments.params.insert(CONTENT.into(), content.into());
        SplitStep {
            command: self.first.id.clone(),
            arguments,
            path: StepPath::Given,
            confirms: self.first.confirmations().to_vec(),
        }
    }

    fn steps(&self, whole: &Arguments, sender: Sender<'_>) -> Result<Vec<SplitStep>, Failure> {
        let content = whole.param(CONTENT).unwrap_or_default();
        let opening = self.opening(whole, "");
        let later = match self.later("") {
            step if step.path == StepPath::FromFirst => step.on_path(&"x".repeat(self.path_room)),
            step => step,
        };
        let mut room = Room {
            raw: usize::MAX,
            json: usize::MAX,
        };
        for step in [&opening, &later] {
            let empty = sender.size(&step.command, &step.arguments)?;
            empty.check(sender.limits)?;
            room = room.smaller(Room::beside(empty, sender.limits));
        }
        let is_backwards = self.rest == Continuation::Prepend;
        let pieces = cut(content, room, is_backwards)
            .ok_or_else(|| self.too_long(whole, sender, content))?;
        if pieces.len() > MOST_STEPS {
            return Err(if holds_pair(content) {
                too_many_parts(pieces.len())
            } else {
                self.too_long(whole, sender, content)
            });
        }
        let in_order: Vec<&str> = if is_backwards {
            pieces.into_iter().rev().collect()
        } else {
            pieces
        };
        Ok(in_order
            .into_iter()
            .enumerate()
            .map(|(index, piece)| match index {
                0 => self.opening(whole, piece),
                _ => self.later(piece),
            })
            .collect())
    }

    /// No piece fits beside the rest of the message, or too many pieces would be needed.
    fn too_long(&self, whole: &Arguments, sender: Sender<'_>, content: &str) -> Failure {
        if holds_pair(content) {
            return unrepresentable(CONTENT);
        }
        match sender.size(&self.first.id, whole) {
            Ok(size) => too_large("message", size.message(), sender.limits.message),
            Err(failure) => failure,
        }
    }
}

/// How much text fits into a message beside everything else, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Room {
    /// As it is.
    raw: usize,
    /// Written as JSON.
    json: usize,
}

impl Room {
    fn beside(empty: Size, limits: ArgumentLimits) -> Self {
        let element = limits.element.saturating_sub(CONTENT.len() + 1);
        Self {
            raw: element.min(limits.message.saturating_sub(empty.line)),
            json: limits.message.saturating_sub(empty.json),
        }
    }

    fn smaller(self, other: Self) -> Self {
        Self {
            raw: self.raw.min(other.raw),
            json: self.json.min(other.json),
        }
    }
}

/// Cuts `text` into pieces that hold no pair and fit into `room`; none where a single character
/// does not fit. No piece is empty.
fn cut(text: &str, room: Room, backwards: bool) -> Option<Vec<&str>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = piece_end(rest, room, backwards)?;
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    Some(pieces)
}

/// Where the first piece of `text` ends, in bytes.
fn piece_end(text: &str, room: Room, backwards: bool) -> Option<usize> {
    let (mut raw, mut json) = (0_usize, 0_usize);
    let mut before = None;
    for (at, character) in text.char_indices() {
        if before == Some('\\') && matches!(character, 'n' | 't') {
            return Some(at);
        }
        raw += character.len_utf8();
        json += json_cost(character);
        if raw > room.raw || json > room.json {
            return if backwards {
                end_before_fence(text, at)
            } else {
                (at > 0).then_some(at)
            };
        }
        before = Some(character);
    }
    Some(text.len())
}

/// Moves a cut back so that what follows does not begin like frontmatter. A prepended piece may
/// come to stand first in a note, and the next one would then go behind its "frontmatter"
/// instead of before it (`vault-semantics.md` §7.3).
fn end_before_fence(text: &str, mut at: usize) -> Option<usize> {
    while at > 0 && begins_like_frontmatter(&text[at..]) {
        at = text[..at]
            .char_indices()
            .next_back()
            .map_or(0, |(start, _)| start);
    }
    (at > 0).then_some(at)
}

fn begins_like_frontmatter(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    text.lines()
        .next()
        .is_some_and(|line| line.trim_end() == "---")
}

/// What a character takes in a JSON text, in bytes.
fn json_cost(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => character.len_utf8(),
    }
}

#[cfg(test)]
mod tests;
