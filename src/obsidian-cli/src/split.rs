//! Splits a text that does not fit into one call into several calls with the same total effect.
//!
//! The app turns every `\n` and `\t` pair in `content=` into a newline or a tab, and has no escape
//! for the pair itself (`official-cli.md` §4). So the text is cut between the backslash and the
//! letter, and also where it exceeds one message. Text that cannot be cut is rejected, never
//! silently damaged (`threats.toml` B05, B06).

use std::path::Path;

use serde_json::json;
use vault_engine::Args;

use super::argv;
use super::limits::{ArgumentLimits, Size};
use crate::error::Error;
use allowlist::{Call, Command, Continuation, Sentence, Target};
use protocol::Failure;

/// Maximum number of calls for one request.
pub const MOST_STEPS: usize = 64;

/// The parameter that can be split.
pub(super) const CONTENT: &str = "content";

/// Number of bytes reserved for text that the app may add to a requested name, such as ` 12` and `.md`.
const ADDED_TO_PATH: usize = 64;

/// Reserved for a path that the app chooses, in bytes.
const CHOSEN_PATH: usize = 512;

/// One of the calls that together make up the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitStep {
    /// The command's id; `append` or `prepend` for later steps.
    pub command: String,
    /// The arguments of the call.
    pub arguments: Args,
    /// Whether `path` is missing, which is the path in the confirmation of the first step: `create` picks another name
    /// if the requested one is taken, and a daily note can change at midnight.
    pub needs_path: bool,
    /// The confirmations that count as success.
    pub confirms: Vec<Sentence>,
}

impl SplitStep {
    /// Sets the missing path.
    #[must_use]
    pub fn on_path(mut self, path: &str) -> Self {
        self.arguments = self.arguments.with("path", path);
        self.needs_path = false;
        self
    }
}

/// The fixed parts of every message.
#[derive(Clone, Copy, Debug)]
pub struct Sender<'sender> {
    /// The path of the binary, which counts towards the size of a message.
    pub binary: &'sender Path,
    /// The pinned vault's name or id.
    pub vault: &'sender str,
    /// The size limits of one message.
    pub limits: ArgumentLimits,
}

impl Sender<'_> {
    fn size(&self, command: &str, arguments: &Args) -> Result<Size, Failure> {
        let words = argv::lay_out(self.vault, command, arguments)?;
        Ok(Size::measure(self.binary, &words))
    }
}

/// The steps for `call`, in the order in which they must run; a single one if it fits.
///
/// Several steps are not atomic: the caller writes the journal before the first and verifies after
/// the last.
///
/// # Errors
///
/// `UNREPRESENTABLE_CONTENT` if the text contains a pair and cannot be cut, `ARGUMENT_TOO_LARGE`
/// with size and limit if it is too long and cannot be cut.
pub fn steps(call: &Call, sender: Sender<'_>) -> Result<Vec<SplitStep>, Failure> {
    let command = call.command.id.as_str();
    let arguments = call.official_arguments();
    let is_damaged = |key: &str| {
        call.command.param(key).is_some_and(|param| param.escapes)
            && arguments.param(key).is_some_and(holds_pair)
    };
    let damaged = arguments.values.keys().find(|key| is_damaged(key)).cloned();
    let fits = sender.size(command, &arguments)?.check(sender.limits);
    let refusal = match (damaged, fits) {
        (None, Ok(())) => {
            return Ok(vec![SplitStep {
                command: command.to_owned(),
                arguments,
                needs_path: false,
                confirms: call.command.confirmations().to_vec(),
            }]);
        }
        // Only `content` can be continued by a later step.
        (Some(key), _) if key != CONTENT => return Err(unrepresentable(&key)),
        (Some(key), _) => unrepresentable(&key),
        (None, Err(failure)) => failure,
    };
    let plan = ContinuationPlan::new(call, &arguments).ok_or(refusal)?;
    plan.steps(&arguments, sender)
}

/// Whether the app would change the text: a backslash followed by `n` or `t`.
fn holds_pair(text: &str) -> bool {
    text.as_bytes()
        .windows(2)
        .any(|pair| pair[0] == b'\\' && matches!(pair[1], b'n' | b't'))
}

fn unrepresentable(key: &str) -> Failure {
    Error::Unrepresentable(key.to_owned()).into()
}

/// The commands that send the text after the first piece.
struct ContinuationPlan<'call> {
    first: &'call Command,
    /// The command for later pieces. Prepended pieces are sent last first.
    rest: Continuation,
    /// The `path` parameter of the first step, reused by later ones.
    path: Option<String>,
    /// Reserved for the path of later steps, in bytes.
    path_room: usize,
}

impl<'call> ContinuationPlan<'call> {
    /// Prepares the split of a call; `None` if the command cannot be split.
    fn new(call: &'call Call, arguments: &Args) -> Option<Self> {
        let rest = call.command.continuation()?;
        arguments.text(CONTENT)?;
        // With a template the app ignores `content`; appending it later would not.
        if arguments.values.contains_key("template") {
            return None;
        }
        // An existing note keeps its path. A new file may get another name than requested, and a
        // daily note another path at midnight, so take theirs from the first confirmation.
        let keeps_path = call.command.target == Target::Note;
        let wanted = |key| {
            json!(arguments.param(key).unwrap_or_default())
                .to_string()
                .len()
        };
        let path = arguments.param("path");
        let added = path.map_or(CHOSEN_PATH, |_| ADDED_TO_PATH);
        Some(Self {
            first: &call.command,
            rest,
            path: path.filter(|_| keeps_path).map(str::to_owned),
            path_room: wanted("path") + wanted("name") + added,
        })
    }

    /// Returns a later step with `content`.
    fn later(&self, content: &str) -> SplitStep {
        let step = SplitStep {
            command: self.rest.name().to_owned(),
            arguments: Args::default().with(CONTENT, content).with_flag("inline"),
            needs_path: true,
            confirms: vec![self.rest.sentence()],
        };
        match &self.path {
            Some(path) => step.on_path(path),
            None => step,
        }
    }

    /// Returns the first step: the caller's own call with only this piece of the text.
    fn opening(&self, whole: &Args, content: &str) -> SplitStep {
        SplitStep {
            command: self.first.id.clone(),
            arguments: whole.clone().with(CONTENT, content),
            needs_path: false,
            confirms: self.first.confirmations().to_vec(),
        }
    }

    fn steps(&self, whole: &Args, sender: Sender<'_>) -> Result<Vec<SplitStep>, Failure> {
        let content = whole.param(CONTENT).unwrap_or_default();
        let opening = self.opening(whole, "");
        let mut later = self.later("");
        if later.needs_path {
            later = later.on_path(&"x".repeat(self.path_room));
        }
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
        let mut pieces = cut(content, room, is_backwards)
            .ok_or_else(|| self.too_long(whole, sender, content))?;
        if pieces.len() > MOST_STEPS {
            return Err(if holds_pair(content) {
                Error::TooManyParts(pieces.len()).into()
            } else {
                self.too_long(whole, sender, content)
            });
        }
        if is_backwards {
            pieces.reverse();
        }
        let first = pieces.first().map(|piece| self.opening(whole, piece));
        let later = pieces.iter().skip(1).map(|piece| self.later(piece));
        Ok(first.into_iter().chain(later).collect())
    }

    /// Returns the failure if no piece fits, or too many would be needed.
    fn too_long(&self, whole: &Args, sender: Sender<'_>, content: &str) -> Failure {
        if holds_pair(content) {
            return unrepresentable(CONTENT);
        }
        match sender.size(&self.first.id, whole) {
            Ok(size) => Error::TooLarge("message", size.message(), sender.limits.message).into(),
            Err(failure) => failure,
        }
    }
}

/// The remaining bytes for text in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Room {
    /// Room for the text itself.
    raw: usize,
    /// Room for the text as a JSON string, escapes included.
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

/// Cuts `text` into non-empty pieces that contain no pair and fit into `room`; `None` if not even
/// one character fits.
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

/// Returns the end of the first piece of `text`, in bytes.
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

/// Moves a cut back so that the next piece does not look like frontmatter. A prepended piece may
/// become the start of a note, and the app would put the next one after this "frontmatter" instead
/// of before it (`vault-semantics.md` §7.3).
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

/// Returns the length of a character in a JSON string, in bytes.
fn json_cost(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => character.len_utf8(),
    }
}

#[cfg(test)]
mod tests;
