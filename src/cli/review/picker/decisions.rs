//! The person's answers to what waits, and how they are stored while the person is away.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;
use std::ops::Range;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::list::{Item, List, Place};
use frontend::escape;
use gateway::{Review, WaitingDraft, WaitingFile};
use tiers::ApprovalChannel;

/// The time for the diff between the proposed text and the person's own.
const DIFF_TIME: Duration = Duration::from_secs(2);

/// The person's choice for an item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Mark {
    /// The item still waits.
    #[default]
    Waits,
    /// The person accepts the item.
    Accept,
    /// The person rejects the item.
    Reject,
}

/// The person's answer to one item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Decision {
    /// The decision of the person.
    pub(super) mark: Mark,
    /// The comment for the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) comment: Option<String>,
}

/// The person's own text of a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Edited {
    /// The text.
    pub(super) text: String,
    /// The diff between the proposed text and this one.
    pub(super) diff: String,
}

impl Edited {
    pub(super) fn new(proposed: &str, text: String) -> Self {
        let hunks = line_diff::hunks(proposed, &text, DIFF_TIME);
        let (diff, _) = line_diff::numbered_diff(proposed, &text, (&hunks, 1), usize::MAX);
        Self { text, diff }
    }
}

/// The state before a step of the person, for `u`.
struct Replaced {
    decisions: Vec<(usize, Decision)>,
    edited: Option<(Place, Option<Edited>)>,
}

/// The decisions about all items.
#[derive(Default)]
pub(super) struct Decisions {
    answers: Vec<Decision>,
    edited: BTreeMap<Place, Edited>,
    history: Vec<Replaced>,
    is_changed: bool,
    /// The items whose first and whose last row were on the screen.
    pub(super) seen: Vec<(bool, bool)>,
    /// The hashes of the files, as far as they were needed.
    hashes: BTreeMap<Place, String>,
}

impl Decisions {
    pub(super) fn new(items: usize) -> Self {
        let answers = vec![Decision::default(); items];
        Self {
            answers,
            seen: vec![(false, false); items],
            ..Self::default()
        }
    }

    pub(super) fn mark(&self, item: usize) -> Mark {
        self.answers
            .get(item)
            .map(|decision| decision.mark)
            .unwrap_or_default()
    }

    pub(super) fn comment(&self, item: usize) -> Option<&str> {
        self.answers.get(item)?.comment.as_deref()
    }

    pub(super) fn edited(&self, place: Place) -> Option<&Edited> {
        self.edited.get(&place)
    }

    /// Returns the items with this mark.
    pub(super) fn with_mark(&self, wanted: Mark) -> Vec<usize> {
        (0..self.answers.len())
            .filter(|item| self.mark(*item) == wanted)
            .collect()
    }

    /// Returns the common mark of items; `None` if the items have different marks.
    pub(super) fn common_mark(&self, items: Range<usize>) -> Option<Mark> {
        let mut marks = items.map(|item| self.mark(item));
        let first = marks.next().unwrap_or_default();
        marks.all(|mark| mark == first).then_some(first)
    }

    /// Whether a decision changed since the last call of this function.
    pub(super) fn has_new(&mut self) -> bool {
        take(&mut self.is_changed)
    }

    pub(super) fn replace(&mut self, items: &[usize], change: impl Fn(&mut Decision)) {
        let mut replaced = Vec::new();
        for item in items {
            if let Some(decision) = self.answers.get_mut(*item) {
                replaced.push((*item, decision.clone()));
                change(decision);
            }
        }
        self.history.push(Replaced {
            decisions: replaced,
            edited: None,
        });
        self.is_changed = true;
    }

    /// Replaces the person's own text of a file, or removes it.
    pub(super) fn put_edited(
        &mut self,
        (place, items): (Place, &[usize]),
        edited: Option<Edited>,
        mark: Mark,
    ) {
        self.replace(items, |decision| decision.mark = mark);
        let before = self.set_edited(place, edited);
        if let Some(last) = self.history.last_mut() {
            last.edited = Some((place, before));
        }
    }

    /// Sets the edited text like [`Self::put_edited`], but not as a step that can be undone. Returns the text before.
    pub(super) fn set_edited(&mut self, place: Place, edited: Option<Edited>) -> Option<Edited> {
        match edited {
            Some(edited) => self.edited.insert(place, edited),
            None => self.edited.remove(&place),
        }
    }

    /// Undoes the last step; returns whether there was one.
    pub(super) fn undo(&mut self) -> bool {
        let Some(Replaced { decisions, edited }) = self.history.pop() else {
            return false;
        };
        for (item, decision) in decisions {
            if let Some(current) = self.answers.get_mut(item) {
                *current = decision;
            }
        }
        if let Some((place, before)) = edited {
            self.set_edited(place, before);
        }
        self.is_changed = true;
        true
    }

    /// Returns the review that carries out the decisions about a draft, bound to the state that is shown.
    pub(super) fn review_of(
        &self,
        list: &List,
        (at, waiting): (usize, &WaitingDraft),
    ) -> Option<Review> {
        let mut review = Review {
            draft: waiting.draft.to_string(),
            state: Some(waiting.state.clone()),
            // The last question named all warnings.
            confirmed: true,
            channel: Some(ApprovalChannel::Terminal),
            ..Review::default()
        };
        for (item, decision) in list.items.iter().zip(&self.answers) {
            let Item::Hunk {
                place: (draft, file),
                number,
            } = *item
            else {
                continue;
            };
            let Some(file) = waiting.files.get(file).filter(|_| draft == at) else {
                continue;
            };
            let hunks = match decision.mark {
                Mark::Waits => continue,
                Mark::Accept => &mut review.notes,
                Mark::Reject => &mut review.rejected,
            };
            let path = &file.file.path;
            hunks.entry(path.clone()).or_default().insert(number);
            let comment = decision.comment.iter();
            review
                .comments
                .extend(comment.map(|comment| ((path.clone(), number), comment.clone())));
        }
        for ((_, file), edited) in self.edited.iter().filter(|((draft, _), _)| *draft == at) {
            let path = waiting.files.get(*file).map(|file| &file.file.path);
            if let Some(path) = path.filter(|path| review.notes.contains_key(*path)) {
                review.edited.insert(path.clone(), edited.text.clone());
            }
        }
        review.accept = !review.notes.is_empty();
        if !review.accept {
            review.notes = take(&mut review.rejected);
        }
        (!review.notes.is_empty()).then_some(review)
    }

    /// Forgets the decisions about a draft that were carried out.
    pub(super) fn settle(&mut self, list: &List, draft: &str) {
        for (item, decision) in list.items.iter().zip(&mut self.answers) {
            if let Item::Hunk { place, .. } = item
                && list
                    .draft(*place)
                    .is_some_and(|waiting| waiting.draft.to_string() == draft)
                && decision.mark != Mark::Waits
            {
                if decision.mark == Mark::Accept {
                    self.edited.remove(place);
                }
                *decision = Decision::default();
            }
        }
    }

    // ---- The stored form ----

    /// Returns the decisions as they are stored.
    pub(super) fn kept(&mut self, list: &List) -> Kept {
        let mut kept = Kept::new();
        let hashes = &mut self.hashes;
        for (at, (item, decision)) in list.items.iter().zip(&self.answers).enumerate() {
            let Item::Hunk { place, number } = *item else {
                continue;
            };
            let edited = self.edited.get(&place);
            if *decision == Decision::default() && edited.is_none() {
                continue;
            }
            let (Some(draft), Some(file)) = (list.draft(place), list.file(place)) else {
                continue;
            };
            let of_draft = kept.entry(draft.draft.to_string()).or_default();
            of_draft.state.clone_from(&draft.state);
            let of_file = of_draft
                .files
                .entry(file.file.path.clone())
                .or_insert_with(|| KeptFile {
                    shown: hashes.entry(place).or_insert_with(|| hash_of(file)).clone(),
                    edited: edited.cloned(),
                    ..KeptFile::default()
                });
            of_file.decisions.insert(number, decision.clone());
            if self.seen.get(at) == Some(&(true, true)) {
                of_file.seen.insert(number);
            }
        }
        kept
    }

    /// Restores stored decisions. Decisions about a file that has changed since are dropped, but not texts of the
    /// person.
    pub(super) fn restore(&mut self, list: &List, kept: Kept) -> Restored {
        let mut restored = Restored::default();
        for (draft, kept) in kept {
            let mut drafts = (0..).zip(&list.drafts);
            let found = drafts.find(|(_, waiting)| waiting.draft.to_string() == draft);
            for (path, of_file) in kept.files {
                let file = found.and_then(|(at, waiting)| {
                    let mut files = (0..).zip(&waiting.files);
                    let (file, waiting) = files.find(|(_, file)| file.file.path == path)?;
                    Some(((at, file), waiting))
                });
                let Some((place, file)) = file else {
                    restored.leave(&path, of_file);
                    continue;
                };
                let is_state = found.is_some_and(|(_, waiting)| waiting.state == kept.state);
                // A file without text is the same only if the state of the draft is.
                let is_all_shown = file.file.diff.is_some() && file.file.left_out == 0;
                let is_same = is_state || (is_all_shown && of_file.shown == hash_of(file));
                self.restore_file(list, place, of_file, is_same, &mut restored);
            }
        }
        restored
    }

    fn restore_file(
        &mut self,
        list: &List,
        place: Place,
        of_file: KeptFile,
        is_same: bool,
        restored: &mut Restored,
    ) {
        let items = list.items_of(place);
        let mut dropped = BTreeSet::new();
        for (number, decision) in of_file.decisions {
            let is_of =
                |item: &&usize| list.items.get(**item) == Some(&Item::Hunk { place, number });
            let item = items.iter().find(is_of).or(items.first());
            let Some((now, seen)) = item
                .and_then(|item| Some((self.answers.get_mut(*item)?, self.seen.get_mut(*item)?)))
            else {
                continue;
            };
            if is_same {
                *now = decision;
                *seen = (
                    of_file.seen.contains(&number),
                    of_file.seen.contains(&number),
                );
                continue;
            }
            if decision.mark != Mark::Waits {
                dropped.insert(number);
            }
            // A comment stays with the file.
            now.comment = match (now.comment.take(), decision.comment) {
                (Some(one), Some(other)) => Some(format!("{one} {other}")),
                (one, other) => one.or(other),
            };
        }
        let path = list
            .file(place)
            .map(|file| file.file.path.as_str())
            .unwrap_or_default();
        if !is_same && of_file.edited.is_some() {
            restored.outdated.push(place);
        } else if !dropped.is_empty() {
            let about = about(path, &dropped);
            restored.notices.push(format!(
                "The draft changed after your decision. Decide again on {about}."
            ));
        }
        self.set_edited(place, of_file.edited);
    }
}

/// The stored decisions, by the ids of the drafts.
pub(super) type Kept = BTreeMap<String, KeptDraft>;

/// The decisions about a draft, as they are stored while the person is away.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct KeptDraft {
    state: String,
    files: BTreeMap<String, KeptFile>,
}

/// The decisions about one file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct KeptFile {
    /// A hash of what was shown of it.
    shown: String,
    decisions: BTreeMap<usize, Decision>,
    /// The hunks that the person has seen completely.
    #[serde(default)]
    seen: BTreeSet<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    edited: Option<Edited>,
}

/// The result of taking up stored decisions.
#[derive(Default)]
pub(super) struct Restored {
    /// The decisions that were dropped, for the person.
    pub(super) notices: Vec<String>,
    /// The files with a text of the person that was made from another proposed text.
    pub(super) outdated: Vec<Place>,
    /// The path of each file that no longer waits, with what the person wrote about it.
    pub(super) written: Vec<(String, String)>,
}

impl Restored {
    /// Drops the decisions about a file that no longer waits, and keeps what the person wrote.
    fn leave(&mut self, path: &str, of_file: KeptFile) {
        let decisions = of_file.decisions.into_iter();
        let (mut dropped, mut comments) = (BTreeSet::new(), Vec::new());
        for (number, decision) in decisions {
            comments.extend(decision.comment);
            dropped.extend((decision.mark != Mark::Waits).then_some(number));
        }
        let comments = (!comments.is_empty()).then(|| comments.join("\n"));
        let written = of_file
            .edited
            .map(|edited| edited.text)
            .into_iter()
            .chain(comments);
        let before = self.written.len();
        self.written
            .extend(written.map(|text| (path.to_owned(), text)));
        if self.written.len() == before && !dropped.is_empty() {
            self.notices.push(format!(
                "The draft no longer contains {}.",
                about(path, &dropped)
            ));
        }
    }
}

/// Returns the path of a file with the numbers of some of its hunks.
fn about(path: &str, hunks: &BTreeSet<usize>) -> String {
    let path = escape::line(path);
    let numbers: Vec<String> = hunks
        .iter()
        .filter(|hunk| **hunk != 0)
        .map(ToString::to_string)
        .collect();
    match numbers.len() {
        0 => path,
        1 => format!("{path}, change {}", numbers.join("")),
        _ => format!("{path}, changes {}", numbers.join(", ")),
    }
}

/// Returns a hash of what is shown of a file.
fn hash_of(file: &WaitingFile) -> String {
    protocol::digest::sha256(&serde_json::to_vec(file).unwrap_or_default())
}
