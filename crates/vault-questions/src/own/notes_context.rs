//! `notes:context` (`design/questions.md`): the passages that answer a question, within a budget.

use std::collections::{BTreeMap, HashSet};
use std::ops::{Range, RangeInclusive};

use obsidian_note::note_parts::hash_of_lines;
use ranked_search::passages;
use vault_answers::OwnText;
use vault_files::{Args, Vault};
use vault_index::note_parts;

use super::note::content;
use super::prelude::*;
use super::ranked::{FoundNote, RankedQuery, rounded};

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<NoteContext>("notes:context", "note-context", context)
        .with_budget(BUDGET)
        .telling(OwnText::Notes);

/// The passages that fit a question best.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct NoteContext {
    /// The passages, the best first.
    pub(super) passages: Vec<ContextPassage>,
}

/// A passage of a note: neighbouring pieces are one passage.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContextPassage {
    /// The note.
    pub(super) path: String,
    /// Its first line, from 1.
    pub(super) first_line: usize,
    /// Its last line.
    pub(super) last_line: usize,
    /// The `linesHash` for `note:edit` to replace exactly these lines. Only if `text` consists of whole lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lines_hash: Option<String>,
    /// The heading above it. Only where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) heading: Option<String>,
    /// The score: a higher one means a better match.
    pub(super) score: f64,
    /// The text as it is in the note.
    pub(super) text: String,
    /// Whether the text ends before the passage does: it alone is longer than the budget.
    pub(super) is_cut: bool,
}

impl ContextPassage {
    /// Returns the heading line of a passage: where it is, and the hash of its lines.
    fn title(&self) -> String {
        let heading = self.heading.as_deref().unwrap_or_default();
        let mark = if heading.is_empty() { "" } else { " # " };
        let mut title = format!("{}:{}-{}", self.path, self.first_line, self.last_line);
        if let Some(hash) = &self.lines_hash {
            title += &format!(" linesHash:{hash}");
        }
        title += mark;
        title += heading;
        obsidian_note::shown::row(&title).into_owned()
    }

    /// The characters that it takes of the budget: title, text, and the blank line between two
    /// passages; or its JSON and the comma after it.
    fn cost(&self, form: PrintedNotes) -> usize {
        match form {
            PrintedNotes::Text => self.title().chars().count() + self.text.chars().count() + 3,
            PrintedNotes::Json => {
                let json = serde_json::to_string(self).unwrap_or_default();
                json.chars().count() + 1
            }
        }
    }
}

impl AnswerData for NoteContext {
    fn sources(&self) -> Option<Vec<Source<'_>>> {
        Some(
            self.passages
                .iter()
                .map(|passage| Source::Text(&passage.path))
                .collect(),
        )
    }

    /// Returns the heading line and the text of each passage.
    fn text(&self) -> String {
        let passages = self.passages.iter();
        let passages = passages.map(|passage| format!("{}\n{}", passage.title(), passage.text));
        passages.collect::<Vec<_>>().join("\n\n")
    }

    fn is_empty(&self) -> bool {
        self.passages.is_empty()
    }

    fn items(&mut self) -> Option<usize> {
        Some(self.passages.len())
    }

    fn keep_first(&mut self, count: usize) {
        self.passages.truncate(count);
    }
}

/// The output form of the passages, which decides how the budget is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PrintedNotes {
    Text,
    Json,
}

impl PrintedNotes {
    fn from_arguments(arguments: &Args) -> Self {
        match arguments.text("format") {
            Some("json") => Self::Json,
            _ => Self::Text,
        }
    }

    /// Returns the characters of the output around the passages.
    const fn around(self) -> usize {
        match self {
            Self::Text => 0,
            Self::Json => r#"{"passages":[]}"#.len() + 1,
        }
    }
}

/// The budget in characters unless `budget` is given.
const BUDGET: usize = 4000;
/// The maximum number of notes that are searched for passages.
const MAX_NOTES: usize = 200;
/// Passages with less than this part of the best score say nothing about the question.
const LEAST_PART: f64 = 0.35;

/// Returns the best passages for a question.
pub(super) fn context(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let budget = arguments.number("budget").unwrap_or(BUDGET);
    let mut question = RankedQuery::rank(vault, (arguments, call.surroundings))?;
    let notes = question.page(0, MAX_NOTES);
    let form = PrintedNotes::from_arguments(arguments);
    let mut choice = PassageChoice {
        vault,
        query: &question,
        form,
        budget: budget.saturating_sub(form.around()),
        notes: BTreeMap::new(),
        chosen: Vec::new(),
        known: HashSet::new(),
    };
    for candidate in candidates(&notes) {
        vault.disk().cancellation().check()?;
        if !choice.add(&candidate) {
            break;
        }
    }
    let passages = choice.chosen.into_iter().map(|chosen| chosen.passage);
    let answer = NoteContext {
        passages: passages.collect(),
    };
    Ok(Reply::new(answer, question.warnings))
}

/// A passage that may go into the answer.
struct ContextCandidate {
    note: FoundNote,
    /// The index of the passage in its note.
    number: usize,
    score: f64,
}

/// Returns the passages of these notes in the order of the answer. The notes come with the best
/// first.
fn candidates(notes: &[FoundNote]) -> Vec<ContextCandidate> {
    let mut candidates = Vec::new();
    let Some(first) = notes.first() else {
        return candidates;
    };
    // A note that the question names comes first regardless of its score, so it does not set the scale.
    let most = notes
        .iter()
        .map(|note| note.ranked.score)
        .fold(first.ranked.score, f64::max);
    for note in notes {
        let passages = note.ranked.passages().iter();
        let mut shown: Vec<(usize, f64)> = passages
            .map(|passage| (passage.number, passage.score))
            .collect();
        if shown.is_empty() {
            // Only the name of the note matches; its beginning shows what it is about.
            shown.push((0, note.ranked.score));
        }
        candidates.extend(shown.into_iter().map(|(number, score)| ContextCandidate {
            note: *note,
            number,
            score,
        }));
    }
    let named = first.ranked.named;
    let is_named = |candidate: &ContextCandidate| {
        named != ranked_search::Named::No && candidate.note.file == first.file
    };
    candidates.retain(|candidate| candidate.score >= most * LEAST_PART || is_named(candidate));
    candidates.sort_by(|left, right| {
        let order = is_named(right).cmp(&is_named(left));
        order.then(right.score.total_cmp(&left.score))
    });
    candidates
}

/// The passages chosen so far.
struct PassageChoice<'query> {
    vault: &'query Vault,
    query: &'query RankedQuery,
    form: PrintedNotes,
    /// The characters that are left.
    budget: usize,
    /// The notes that were read, by file number; `None` for a note that can no longer be read.
    notes: BTreeMap<usize, Option<NotePassages>>,
    chosen: Vec<ChosenPassages>,
    /// The texts of the answer without white space, to leave out duplicates.
    known: HashSet<String>,
}

struct ChosenPassages {
    file: usize,
    /// The indexes of its pieces in the note.
    pieces: RangeInclusive<usize>,
    passage: ContextPassage,
}

impl PassageChoice<'_> {
    /// Adds a passage if there is room. `false` if there is no room for any other either.
    fn add(&mut self, candidate: &ContextCandidate) -> bool {
        let file = candidate.note.file;
        let number = candidate.number;
        if !self.notes.contains_key(&file) {
            let read = self.query.path(&candidate.note).and_then(|path| {
                let bytes = content(self.vault, path)?;
                Some(NotePassages::from_bytes(path.to_string(), &bytes))
            });
            self.notes.insert(file, read);
        }
        let Some(Some(note)) = self.notes.get(&file) else {
            return true;
        };
        let Some(passage) = note.passage(&(number..=number), candidate.score) else {
            return true;
        };
        let words: String = passage.text.split_whitespace().collect();
        if words.is_empty() || self.known.contains(&words) {
            return true;
        }
        let neighbour = self.chosen.iter_mut().find_map(|chosen| {
            let (first, last) = (*chosen.pieces.start(), *chosen.pieces.end());
            let is_next = number == last + 1 || number + 1 == first;
            let fits = chosen.file == file && is_next && chosen.passage.heading == passage.heading;
            fits.then(|| (first.min(number)..=last.max(number), chosen))
        });
        if let Some((pieces, chosen)) = neighbour
            && let Some(joined) = note.passage(&pieces, chosen.passage.score)
        {
            let more = (joined.cost(self.form)).saturating_sub(chosen.passage.cost(self.form));
            if more <= self.budget {
                self.budget -= more;
                self.known.insert(words);
                chosen.pieces = pieces;
                chosen.passage = joined;
            }
            return true;
        }
        let (passage, goes_on) = if passage.cost(self.form) <= self.budget {
            (Some(passage), true)
        } else if self.chosen.is_empty() {
            (passage.cut_to(self.budget, self.form), false)
        } else {
            // A shorter passage may still fit.
            (None, self.budget > SHORT)
        };
        if let Some(passage) = passage {
            self.budget = self.budget.saturating_sub(passage.cost(self.form));
            self.known.insert(words);
            self.chosen.push(ChosenPassages {
                file,
                pieces: number..=number,
                passage,
            });
        }
        goes_on
    }
}

/// The least characters of a passage with its title.
const SHORT: usize = 120;

/// A note with its passages.
struct NotePassages {
    path: String,
    text: String,
    pieces: Vec<ContextPiece>,
}

struct ContextPiece {
    /// The range in the text of the note, in bytes.
    span: Range<usize>,
    /// The number of its first line in the note, from 1.
    first_line: usize,
    heading: Option<String>,
}

impl NotePassages {
    fn from_bytes(path: String, bytes: &[u8]) -> Self {
        let parts = note_parts(bytes);
        let (start, lines) = (parts.body_start(), parts.lines_before_body() + 1);
        let pieces = passages(parts.body())
            .into_iter()
            .map(|passage| ContextPiece {
                span: passage.span.start + start..passage.span.end + start,
                first_line: passage.first_line + lines,
                heading: passage.heading().map(str::to_owned),
            });
        Self {
            path,
            pieces: pieces.collect(),
            text: parts.into_text(),
        }
    }

    /// Whether the rest of the line after this byte offset is empty.
    fn ends_line(&self, at: usize) -> bool {
        let rest = self.text.get(at..).unwrap_or_default();
        rest.is_empty() || rest.starts_with(['\r', '\n'])
    }

    /// Returns the pieces with these indexes as one passage.
    fn passage(&self, pieces: &RangeInclusive<usize>, score: f64) -> Option<ContextPassage> {
        let (first, last) = (
            self.pieces.get(*pieces.start())?,
            self.pieces.get(*pieces.end())?,
        );
        let text = self.text.get(first.span.start..last.span.end)?;
        // Blank lines at the end are dropped. Spaces at the end of the last line stay, so that the
        // text is whole lines.
        let said = text.trim_end().len();
        let rest = text.get(said..)?;
        let line_end = rest.find(['\r', '\n']);
        let text = text.get(..said + line_end.unwrap_or(rest.len()))?;
        let begins_line = self.text.get(..first.span.start)?;
        let is_whole = (begins_line.is_empty() || begins_line.ends_with('\n'))
            && (line_end.is_some() || self.ends_line(last.span.end));
        Some(ContextPassage {
            path: self.path.clone(),
            first_line: first.first_line,
            last_line: first.first_line + memchr::memchr_iter(b'\n', text.as_bytes()).count(),
            lines_hash: is_whole.then(|| hash_of_lines(text.as_bytes())),
            heading: first.heading.clone(),
            score: rounded(score),
            text: text.to_owned(),
            is_cut: false,
        })
    }
}

impl ContextPassage {
    /// Returns the passage with as much of its text as fits; `None` if not even its title fits.
    fn cut_to(mut self, budget: usize, form: PrintedNotes) -> Option<Self> {
        self.is_cut = true;
        self.lines_hash = None;
        loop {
            let over = self.cost(form).saturating_sub(budget);
            if over == 0 {
                return (!self.text.is_empty()).then_some(self);
            }
            // JSON may write one character as up to six, so the excess is cut in steps.
            let kept = self.text.chars().count().checked_sub(over.div_ceil(6))?;
            self.text = self.text.chars().take(kept).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use vault_files::Vault;
    use vault_files::vault::testing::vault;

    use crate::own::testing::{ask, fails, text};

    fn describe(found: &Value) -> Vec<(&str, u64, u64)> {
        let passages = found["passages"].as_array().unwrap().iter();
        let lines = passages.map(|passage| {
            (
                passage["path"].as_str().unwrap(),
                passage["firstLine"].as_u64().unwrap(),
                passage["lastLine"].as_u64().unwrap(),
            )
        });
        lines.collect()
    }

    fn garden() -> (tempfile::TempDir, Vault) {
        let filler = "Nothing of interest is said in this line at all.\n".repeat(12);
        let long = format!(
            "---\na: 1\n---\n{filler}\n# Pruning\nRoses are pruned in March.\n{filler}\nPruning of roses goes on.\n"
        );
        vault(&[
            ("Roses.md", &long),
            ("copy.md", "# Pruning\nRoses are pruned in March.\n"),
            ("again.md", "# Pruning\nRoses are pruned in March.\n"),
            ("other.md", "Cars are washed.\n"),
        ])
    }

    #[test]
    fn passages_are_listed_with_their_place_and_each_text_once() {
        let (_folder, vault) = garden();
        let found = ask(&vault, "notes:context query=when_to_prune_roses");
        let passages = describe(&found);
        // Two notes have the same text, and the two passages below one heading become one.
        assert_eq!(passages.len(), 2, "{passages:?}");
        assert!(passages.contains(&("Roses.md", 17, 32)), "{passages:?}");
        let passage = &found["passages"][0];
        assert_eq!(passage["heading"], "Pruning");
        assert_eq!(passage["linesHash"].as_str().unwrap().len(), 16);
        assert_eq!(passage.get("sha256"), None);
        assert!(
            passage["text"]
                .as_str()
                .unwrap()
                .starts_with("# Pruning\nRoses are")
        );
    }

    #[test]
    fn the_budget_is_kept() {
        let (_folder, vault) = garden();
        for budget in [500, 600, 900, 2000] {
            let line = format!("notes:context query=prune_roses budget={budget}");
            let json = ask(&vault, &format!("{line} format=json")).to_string();
            assert!(json.chars().count() <= budget, "{budget}: {}", json.len());
            let shown = text(&vault, &line);
            assert!(shown.chars().count() <= budget, "{budget}: {}", shown.len());
            assert!(shown.contains("Roses are pruned"), "{shown}");
        }
        for tiny in [1, 15] {
            let line = format!("notes:context query=prune_roses budget={tiny} format=json");
            assert_eq!(
                ask(&vault, &line)["passages"],
                serde_json::json!([]),
                "{tiny}"
            );
        }
        let long = "Roses are pruned in the month of March, and not before it.\n".repeat(40);
        let (_folder, vault) = vault_files::vault::testing::vault(&[("long.md", &long)]);
        let found = ask(&vault, "notes:context query=roses budget=500");
        assert_eq!(found["passages"][0]["isCut"], true);
        assert!(
            text(&vault, "notes:context query=roses budget=500")
                .chars()
                .count()
                <= 500
        );
    }

    #[test]
    fn a_question_without_an_answer_has_none() {
        let (_folder, vault) = garden();
        assert_eq!(
            ask(&vault, "notes:context query=bicycles"),
            json!({"passages": []})
        );
        assert_eq!(text(&vault, "notes:context query=bicycles"), "");
        fails(&vault, "notes:context");
    }
}
