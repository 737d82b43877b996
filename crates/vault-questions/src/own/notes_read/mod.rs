//! `notes:read` (`design/tasks.md`): several notes, or parts of them, within one budget.
//!
//! A note that cannot be read gives an entry with the error, and the others are still read. A note
//! that the caller may not see gives the same entry as one that does not exist.

mod request;
mod share;

use obsidian_note::note_parts::hash_of_lines;
use obsidian_note::sha256::sha256;
use obsidian_note::{EditCandidate, EditMiss, MissKind, Warning, shown};
use serde::Serializer;
use vault_files::{Args, Refusal, Vault};

use self::share::{fitting, shares, written_length};
use super::prelude::*;

pub use self::request::NoteRequest;
pub(crate) use self::share::level;

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<ReadNotes>("notes:read", "read-notes", read).with_budget(BUDGET);

/// The budget in characters unless `budget` is given: about the size of an agent's answer.
const BUDGET: usize = 20_000;

/// Several notes, in the order in which they were asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadNotes {
    /// The notes.
    #[serde(rename = "items", serialize_with = "items_alone")]
    #[schemars(with = "Vec<ReadNote>")]
    notes: List<ReadNote>,
}

/// Serialises the items of a list without its numbers, because the list contains every requested note.
fn items_alone<S: Serializer>(notes: &List<ReadNote>, serializer: S) -> Result<S::Ok, S::Error> {
    notes.items.serialize(serializer)
}

impl ReadNotes {
    /// Whether no note was read.
    pub fn has_only_errors(&self) -> bool {
        self.notes.items.iter().all(|note| note.error.is_some())
    }

    /// The notes that were not read, by their paths, and why.
    pub fn errors(&self) -> impl Iterator<Item = (&str, &ReadError)> {
        let notes = self.notes.items.iter();
        notes.filter_map(|note| Some((note.path.as_str(), note.error.as_ref()?)))
    }
}

/// One note, or a part of one; or why it was not read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReadNote {
    /// The note.
    pub(super) path: String,
    /// Lower-case hexadecimal SHA-256 of the file. Only where `text` is all of the file, since a write
    /// takes it for a sign that the caller has seen the whole note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sha256: Option<String>,
    /// The `linesHash` for `note:edit` to replace exactly these lines. Only if `text` is a part of a note, and not cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lines_hash: Option<String>,
    /// The line of the file in which `text` begins, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) first_line: Option<usize>,
    /// The text of the note or of the part. Absent if the budget is used up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// The `offset` of the same note that goes on where `text` ends, in characters. Only where it is
    /// cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_offset: Option<usize>,
    /// Number of characters of the note, or of the part of it. Only if `text` is cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) total_characters: Option<usize>,
    /// The reason why it was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<ReadError>,
}

/// The reason why a note was not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadError {
    /// The code that a command about this note alone would fail with.
    pub code: String,
    /// The message.
    pub message: String,
    /// Places that may be meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<ReadCandidate>,
}

/// A place that may be meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadCandidate {
    /// Its line in the file, from 1.
    pub line: usize,
    /// The text.
    pub text: String,
}

impl ReadNote {
    /// Returns the heading line of the text.
    fn title(&self) -> String {
        let mut title = self.path.clone();
        if let Some(line) = self.first_line {
            title += &format!(":{line}");
        }
        if let Some(hash) = &self.sha256 {
            title += &format!(" sha256:{hash}");
        }
        if let Some(hash) = &self.lines_hash {
            title += &format!(" linesHash:{hash}");
        }
        if let (Some(next), Some(total)) = (self.next_offset, self.total_characters) {
            title += &format!(" nextOffset:{next} of {total}");
        }
        if let Some(error) = &self.error {
            title += &format!(": {}: {}", error.code, error.message);
        }
        obsidian_note::shown::row(&title).into_owned()
    }
}

impl AnswerData for ReadNotes {
    /// An error may name other notes.
    fn sources(&self) -> Option<Vec<Source<'_>>> {
        let notes = self.notes.items.iter();
        notes
            .map(|note| note.error.is_none().then_some(Source::Text(&note.path)))
            .collect()
    }

    /// Returns, for each note, a line with the place of the text, and the text.
    fn text(&self) -> String {
        let notes = self.notes.items.iter().map(|note| match &note.text {
            Some(text) => format!("{}\n{text}", note.title()),
            None => note.title(),
        });
        notes.collect::<Vec<_>>().join("\n\n")
    }

    fn list(&mut self) -> Option<&mut dyn Items> {
        Some(&mut self.notes)
    }
}

/// Returns the notes, each with its share of the budget.
pub(super) fn read(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let budget = arguments.number("budget").unwrap_or(BUDGET);
    let mut warnings = Vec::new();
    let mut notes = Vec::new();
    for request in requests(arguments)? {
        vault.disk().cancellation().check()?;
        notes.push(match found(vault, &request, budget, &mut warnings) {
            Ok(found) => found.kept_to(budget),
            Err(EngineError::Stopped) => return Err(EngineError::Stopped),
            Err(error) => FoundText::failed(request.path.to_string(), &error),
        });
    }
    let beside: usize = notes.iter().map(FoundText::cost_beside).sum();
    let needs: Vec<usize> = notes.iter().map(FoundText::need).collect();
    let shares = shares(budget.saturating_sub(beside), &needs);
    let items = notes.into_iter().zip(shares);
    let notes = items
        .map(|(note, share)| note.into_read_note(share))
        .collect();
    Ok(Reply::new(ReadNotes { notes }, warnings))
}

fn requests(arguments: &Args) -> Result<Vec<NoteRequest>, EngineError> {
    let items = arguments.list("notes").unwrap_or_default();
    NoteRequest::parse_list(items).map_err(EngineError::ListArgument)
}

/// A note whose share of the budget is not known yet.
struct FoundText {
    note: ReadNote,
    /// The text from `offset` on; [`FoundText::kept_to`] cuts it to the whole budget.
    rest: String,
    /// The characters that were read by earlier calls.
    offset: usize,
    /// The characters of the whole note or part.
    total: usize,
}

/// Reads one requested note or part.
fn found(
    vault: &Vault,
    request: &NoteRequest,
    budget: usize,
    warnings: &mut Vec<Warning>,
) -> Result<FoundText, EngineError> {
    let note = vault.note(&request.path, request.path.as_str())?;
    if note.lossy && is_binary(&note.text) {
        return Err(EngineError::Binary { path: note.path });
    }
    let not_utf8 = note.not_utf8();
    let (text, line, lines_hash) = match &request.part {
        None => (note.text, 1, None),
        Some(part) => {
            let stop = vault.disk().cancellation();
            let span = part.find(&note.bytes, stop);
            stop.check()?;
            let span = span.map_err(|miss| EngineError::EditMiss(Box::new(miss)))?;
            let bytes = note.bytes.get(span.bytes).unwrap_or_default();
            let text = String::from_utf8_lossy(bytes).into_owned();
            (text, span.line, Some(hash_of_lines(bytes)))
        }
    };
    warnings.extend(not_utf8);
    let total = text.chars().count();
    let offset = request.offset.min(total);
    let (passed, rest) = match text.char_indices().nth(offset) {
        Some((at, _)) => text.split_at(at),
        None => (text.as_str(), ""),
    };
    // A note that exceeds the budget cannot come whole, so its hash is not computed.
    let is_whole = request.part.is_none() && offset == 0 && total <= budget;
    Ok(FoundText {
        note: ReadNote {
            path: note.path.to_string(),
            sha256: is_whole.then(|| sha256(&note.bytes)),
            lines_hash: lines_hash.filter(|_| offset == 0),
            first_line: Some(line + memchr::memchr_iter(b'\n', passed.as_bytes()).count()),
            ..ReadNote::default()
        },
        rest: rest.to_owned(),
        offset,
        total,
    })
}

/// Whether a text that is not UTF-8 has control characters that do not occur in text of any
/// encoding.
fn is_binary(text: &str) -> bool {
    let is_spacing = |character| matches!(character, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}');
    text.chars()
        .any(|character| character.is_ascii_control() && !is_spacing(character))
}

impl FoundText {
    fn failed(path: String, error: &EngineError) -> Self {
        Self {
            note: ReadNote {
                path,
                error: Some(ReadError::from_error(error)),
                ..ReadNote::default()
            },
            rest: String::new(),
            offset: 0,
            total: 0,
        }
    }

    /// Drops the text beyond the whole budget, so that many long notes are not in memory at once.
    fn kept_to(mut self, budget: usize) -> Self {
        // One character more shows that the text is cut.
        if let Some((end, _)) = self.rest.char_indices().nth(budget + 1) {
            self.rest.truncate(end);
            self.rest.shrink_to_fit();
        }
        self
    }

    /// Returns the characters that the whole text and its hash take in JSON.
    fn need(&self) -> usize {
        const HASH: usize = r#","sha256":"""#.len() + 64;
        const LINES_HASH: usize = r#","linesHash":"""#.len() + 16;
        let hash = match (&self.note.sha256, &self.note.lines_hash) {
            (Some(_), _) => HASH,
            (None, Some(_)) => LINES_HASH,
            (None, None) => 0,
        };
        written_length(&self.rest) + hash
    }

    /// Returns the characters of the entry without its text and hash.
    fn cost_beside(&self) -> usize {
        const KEYS: usize = r#","text":"","nextOffset":1234567,"totalCharacters":1234567"#.len();
        let unhashed = ReadNote {
            sha256: None,
            lines_hash: None,
            ..self.note.clone()
        };
        let entry = serde_json::to_string(&unhashed);
        entry.map_or(0, |entry| entry.chars().count()) + KEYS + 1
    }

    /// Returns the entry with as much of the text as fits into its share.
    fn into_read_note(self, share: usize) -> ReadNote {
        if self.note.error.is_some() {
            return self.note;
        }
        let is_whole = share >= self.need();
        let end = if is_whole {
            self.rest.len()
        } else {
            fitting(&self.rest, share)
        };
        let Self {
            mut note,
            mut rest,
            offset,
            total,
        } = self;
        let shown = rest.get(..end).unwrap_or_default().chars().count();
        if !is_whole {
            note.sha256 = None;
            note.lines_hash = None;
        }
        if offset + shown < total {
            note.next_offset = Some(offset + shown);
            note.total_characters = Some(total);
            rest.truncate(end);
        }
        if shown > 0 || offset == total {
            note.text = Some(rest);
        } else {
            note.first_line = None;
        }
        note
    }
}

impl ReadError {
    fn from_error(error: &EngineError) -> Self {
        let said = |code: &str, message: &str| Self {
            code: code.to_owned(),
            message: message.to_owned(),
            candidates: Vec::new(),
        };
        match error {
            EngineError::Refused(Refusal::FileNotFound { .. }) => {
                said("FILE_NOT_FOUND", "The file does not exist.")
            }
            EngineError::Refused(Refusal::NotAFile { .. }) => {
                said("VALIDATION_ERROR", "The path is a folder, not a file.")
            }
            EngineError::Binary { .. } => said(
                "VALIDATION_ERROR",
                "The file is not a text file. To read an image, use `read`.",
            ),
            EngineError::EditMiss(miss) => Self::missed(miss),
            EngineError::Symlink { .. } => said(
                "PATH_ESCAPE",
                "The path is a symbolic link. If its target is in the vault, pass the path of the target.",
            ),
            EngineError::Path { .. } => said(
                "USAGE_ERROR",
                "The path is not valid in a vault. Pass a path such as `notes/a.md`.",
            ),
            // The messages of the system may contain paths outside of the vault.
            _ => said("IO_ERROR", "The file cannot be read."),
        }
    }

    fn missed(miss: &EditMiss) -> Self {
        let code = match miss.kind {
            MissKind::NotFound => "TARGET_NOT_FOUND",
            MissKind::Ambiguous => "AMBIGUOUS_TARGET",
            MissKind::Unfit => "VALIDATION_ERROR",
        };
        let mut reason = miss.reason.chars();
        let first = reason.next().map(char::to_uppercase);
        let message: String = first.into_iter().flatten().chain(reason).collect();
        let candidates = miss.candidates.iter().map(|candidate| ReadCandidate {
            line: candidate.line,
            text: candidate.text.clone(),
        });
        let next = match (miss.kind, miss.candidates.as_slice()) {
            (MissKind::NotFound | MissKind::Ambiguous, _) if !miss.advice.is_empty() => {
                format!(" {}", miss.advice)
            }
            (MissKind::NotFound, few @ [_, ..]) if few.len() <= EditCandidate::MOST => {
                let names = few
                    .iter()
                    .map(|near| format!("`{}`", shown::row(&near.text)));
                format!(" Did you mean {}?", names.collect::<Vec<_>>().join(" or "))
            }
            _ => String::new(),
        };
        Self {
            code: code.to_owned(),
            message: format!("{message}.{next}"),
            candidates: candidates.collect(),
        }
    }
}

#[cfg(test)]
mod tests;
