//! The state of the picker: what is selected and shown, the questions, and what each key does. It neither reads nor writes
//! anything, so a test can press its keys.

use std::collections::{BTreeMap, BTreeSet};

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use vault_engine::plural::count;

use super::decisions::{Decisions, Edited, Kept, Mark, Restored};
use super::list::{Entry, EntryKind, Item, List, Place, WaitingApproval, title};
use super::screen::{Body, Page};
use frontend::Role;
use gateway::{Review, WaitingDraft};

/// Maximum number of files in the last question. It names all warnings.
const MOST_NAMED: usize = 20;

/// The program's action after a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The picker waits for the next key.
    Stay,
    /// The picker ends, and keeps the decisions.
    Leave,
    /// The picker opens the proposed text of this file in the person's editor.
    Edit(Place),
    /// The picker computes the warnings about all decisions, and then calls [`Session::ask_to_finish`].
    Plan,
    /// The picker carries out the decisions.
    CarryOut,
}

/// The side that gets the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Focus {
    /// The list of changes.
    List,
    /// The text of the selected change.
    Change,
}

/// The page or the input over the list and the change.
pub(super) enum Over {
    /// No input is open.
    None,
    /// The keys, or the notices about earlier decisions.
    Text(Page),
    /// Whether to accept these items, which have warnings.
    Confirm(Vec<usize>, Page),
    /// Whether to carry out all decisions.
    Finish(Page),
    /// A comment that is being typed.
    Comment(String),
}

/// The state of the picker between two keys.
pub(super) struct Session {
    pub(super) list: List,
    pub(super) decisions: Decisions,
    pub(super) selected: usize,
    pub(super) item: usize,
    pub(super) focus: Focus,
    pub(super) over: Over,
    pub(super) message: Option<(Role, String)>,
    /// The document as it was drawn last.
    pub(super) body: Body,
    /// Whether the window is too small to show anything, so that no key decides.
    pub(super) is_hidden: bool,
    /// Whether the last key led to something else that a key decides, so that keys typed before it was drawn are not
    /// about it.
    is_new: bool,
}

/// Whether the key ends the picker at any time.
pub(super) fn is_control_c(key: KeyEvent) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c')
}

impl Session {
    /// A session with the decisions that were kept, and what became of the others.
    pub(super) fn new(
        drafts: Vec<WaitingDraft>,
        approvals: Vec<WaitingApproval>,
        kept: Kept,
    ) -> (Self, Restored) {
        let list = List::new(drafts, approvals);
        let mut decisions = Decisions::new(list.items.len());
        let restored = decisions.restore(&list, kept);
        let selected = list
            .entries
            .iter()
            .position(Entry::is_decidable)
            .unwrap_or(0);
        let mut session = Self {
            list,
            decisions,
            selected,
            item: 0,
            focus: Focus::List,
            over: Over::None,
            message: None,
            body: Body::default(),
            is_hidden: false,
            is_new: false,
        };
        session.enter();
        (session, restored)
    }

    /// Whether something else to decide is shown since the last call of this function.
    pub(super) fn has_new_question(&mut self) -> bool {
        std::mem::take(&mut self.is_new)
    }

    fn say(&mut self, role: Role, text: impl Into<String>) {
        self.message = Some((role, text.into()));
    }

    fn entry(&self) -> Option<&Entry> {
        self.list.entries.get(self.selected)
    }

    // ---- Decisions ----

    /// Returns the items that are selected. A note with the person's own text is selected as a whole.
    fn selected_items(&self) -> Vec<usize> {
        let Some(entry) = self.entry() else {
            return Vec::new();
        };
        if self.focus == Focus::List {
            return entry.items.clone().collect();
        }
        match self.list.items.get(self.item).copied() {
            Some(Item::Hunk { place, .. }) if self.decisions.edited(place).is_some() => {
                self.list.items_of(place)
            }
            Some(_) => vec![self.item],
            None => Vec::new(),
        }
    }

    /// Returns the items that are decided by a key: the selected ones, with all that belongs together with them.
    fn target(&self) -> Vec<usize> {
        self.list.decided_with(&self.selected_items())
    }

    /// Accepts what the selection is about. What has a warning is asked about, and of a heading left out.
    fn accept(&mut self) {
        let target = self.target();
        if self.is_at_heading() {
            self.accept_harmless(&target);
            return;
        }
        if let Some(refusal) = target.iter().find_map(|item| self.list.refusal(*item)) {
            self.say(Role::Bad, refusal);
            return;
        }
        if !target.is_empty()
            && target
                .iter()
                .all(|item| self.decisions.mark(*item) == Mark::Accept)
        {
            self.set(&target, Mark::Waits);
            return;
        }
        let warnings = self.warnings(&target);
        if let Some(approval) = target.iter().find_map(|item| self.list.approval(*item)) {
            let page = Page::approval(approval);
            self.over = Over::Confirm(target, page);
            self.is_new = true;
        } else if warnings.is_empty() {
            self.set(&target, Mark::Accept);
            self.advance();
        } else {
            self.ask_about(target, &warnings);
        }
    }

    /// Returns the warnings about these items, each once.
    fn warnings(&self, items: &[usize]) -> Vec<String> {
        let all = items
            .iter()
            .flat_map(|item| self.list.warnings(*item..item + 1));
        let mut seen = BTreeSet::new();
        all.filter(|warning| seen.insert(warning.clone())).collect()
    }

    /// Asks whether to accept these items, which have warnings.
    fn ask_about(&mut self, items: Vec<usize>, warnings: &[String]) {
        let named: BTreeSet<String> = items.iter().map(|item| self.list.name(*item)).collect();
        let named: Vec<String> = named.into_iter().collect();
        let changes = count(items.len(), "change");
        let page = Page::confirm(&format!("{changes}: {}", named.join(", ")), warnings);
        self.over = Over::Confirm(items, page);
        self.is_new = true;
    }

    /// Whether a heading is selected, which is about everything below it.
    fn is_at_heading(&self) -> bool {
        self.focus == Focus::List && self.entry().is_some_and(|entry| !entry.is_decidable())
    }

    /// Accepts the changes below a heading that wait and have no warning.
    fn accept_harmless(&mut self, target: &[usize]) {
        let within = |entry: &&Entry| target.contains(&entry.items.start) && entry.is_decidable();
        let (mut accepted, mut left) = (Vec::new(), 0);
        for entry in self.list.entries.iter().filter(within) {
            let is_refused = entry
                .items
                .clone()
                .any(|item| self.list.refusal(item).is_some());
            let waiting = entry
                .items
                .clone()
                .filter(|item| self.decisions.mark(*item) == Mark::Waits);
            if entry.has_warning || is_refused || matches!(entry.kind, EntryKind::Approval(_)) {
                left += usize::from(waiting.count() > 0);
            } else {
                accepted.extend(waiting);
            }
        }
        self.set_waiting(&accepted, Mark::Accept);
        if left > 0 {
            let text = format!(
                "Decide on {} one by one. Calls, changes with a warning or conflict, and changes too large to show cannot be accepted together.",
                count(left, "entry")
            );
            self.say(Role::Caution, text);
        }
    }

    fn reject(&mut self) {
        let mut target = self.target();
        if self.is_at_heading() {
            target.retain(|item| self.decisions.mark(*item) == Mark::Waits);
            self.set_waiting(&target, Mark::Reject);
            return;
        }
        let is_rejected = target
            .iter()
            .all(|item| self.decisions.mark(*item) == Mark::Reject);
        self.set(
            &target,
            if is_rejected {
                Mark::Waits
            } else {
                Mark::Reject
            },
        );
        if !is_rejected {
            self.advance();
        }
    }

    /// Decides what waits below a heading. What is decided already stays as it is.
    fn set_waiting(&mut self, waiting: &[usize], mark: Mark) {
        if waiting.is_empty() {
            self.say(
                Role::Hint,
                "All these entries already have a decision. Press u to undo the last decision.",
            );
        } else {
            self.set(waiting, mark);
        }
    }

    fn set(&mut self, items: &[usize], mark: Mark) {
        self.decisions
            .replace(items, |decision| decision.mark = mark);
        self.body.forget();
    }

    /// Puts the person's own text in place of the proposed one, and accepts the note. If the note has warnings, it asks
    /// first. Without a text of their own, the note waits.
    pub(super) fn put_edited(&mut self, place: Place, edited: Option<Edited>) {
        let items = self.list.decided_with(&self.list.items_of(place));
        let warnings = self.warnings(&items);
        let is_accepted = edited.is_some() && warnings.is_empty();
        let mark = if is_accepted {
            Mark::Accept
        } else {
            Mark::Waits
        };
        let is_own = edited.is_some();
        self.decisions.put_edited((place, &items), edited, mark);
        self.body.forget();
        if is_accepted {
            self.say(
                Role::Good,
                "Your text is accepted instead of the agent's text.",
            );
        } else if is_own {
            self.ask_about(items, &warnings);
        } else {
            self.say(
                Role::Hint,
                "Your text is the same as the proposed text, so the change still waits.",
            );
        }
    }

    fn undo(&mut self) {
        if self.decisions.undo() {
            self.body.forget();
            self.say(Role::Hint, "The last decision is undone.");
        } else {
            self.say(Role::Hint, "There is nothing to undo.");
        }
    }

    /// Returns the name of what a comment is about.
    pub(super) fn commented(&self) -> String {
        match (self.focus, self.entry()) {
            (Focus::List, Some(entry)) => entry.label.clone(),
            _ => self.list.name(self.item),
        }
    }

    /// Keeps the comment that is being typed.
    fn keep_comment(&mut self) {
        if let Over::Comment(text) = std::mem::replace(&mut self.over, Over::None) {
            let text = text.trim();
            let comment = (!text.is_empty()).then(|| text.to_owned());
            self.decisions.replace(&self.selected_items(), |decision| {
                decision.comment.clone_from(&comment);
            });
            self.body.forget();
        }
    }

    // ---- Keys ----

    /// Handles a key. Pasted text is never a key.
    pub(super) fn key_pressed(&mut self, key: KeyEvent) -> Outcome {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            let is_end = is_control_c(key);
            if is_end {
                self.keep_comment();
            }
            return if is_end {
                Outcome::Leave
            } else {
                Outcome::Stay
            };
        }
        if self.is_hidden {
            return if key.code == KeyCode::Char('q') {
                Outcome::Leave
            } else {
                Outcome::Stay
            };
        }
        match &mut self.over {
            Over::None => return self.key_of_list_or_change(key.code),
            Over::Comment(text) => match key.code {
                KeyCode::Char(letter) => text.push(letter),
                KeyCode::Backspace => drop(text.pop()),
                KeyCode::Esc => self.over = Over::None,
                KeyCode::Enter => self.keep_comment(),
                _ => {}
            },
            Over::Text(page) => {
                if !page.scrolled(key.code) {
                    self.over = Over::None;
                }
            }
            Over::Confirm(items, page) => match key.code {
                KeyCode::Char('y') if page.is_read() => {
                    let items = std::mem::take(items);
                    self.over = Over::None;
                    self.set(&items, Mark::Accept);
                    self.advance();
                }
                KeyCode::Esc | KeyCode::Char('n' | 'q') => self.over = Over::None,
                code => drop(page.scrolled(code)),
            },
            Over::Finish(page) => match key.code {
                KeyCode::Char('y') if page.is_read() => {
                    self.over = Over::None;
                    return Outcome::CarryOut;
                }
                KeyCode::Esc | KeyCode::Char('n' | 'q') => self.over = Over::None,
                code => drop(page.scrolled(code)),
            },
        }
        Outcome::Stay
    }

    /// Adds pasted text to the comment that is being typed.
    pub(super) fn pasted(&mut self, pasted: &str) {
        if let Over::Comment(text) = &mut self.over {
            *text += &pasted.replace(['\r', '\n'], " ");
        }
    }

    fn key_of_list_or_change(&mut self, code: KeyCode) -> Outcome {
        self.message = None;
        match code {
            KeyCode::Char('q') => return Outcome::Leave,
            KeyCode::Char('?') => self.over = Over::Text(Page::help()),
            KeyCode::Char('a') => self.accept(),
            KeyCode::Char('r') => self.reject(),
            KeyCode::Char('u') => self.undo(),
            KeyCode::Char('c') => {
                let comments = self.selected_items();
                let first = comments
                    .first()
                    .and_then(|item| self.decisions.comment(*item));
                self.over = Over::Comment(first.unwrap_or_default().to_owned());
            }
            KeyCode::Char('e') => return self.edit(),
            KeyCode::Char('f') => return self.finish(),
            KeyCode::Tab | KeyCode::Enter | KeyCode::Right | KeyCode::Char('l')
                if self.focus == Focus::List =>
            {
                self.focus = Focus::Change;
            }
            KeyCode::Tab | KeyCode::Esc | KeyCode::Left | KeyCode::Char('h') => {
                self.focus = Focus::List;
            }
            KeyCode::Char(' ') | KeyCode::PageDown => self.body.scroll_by(1),
            KeyCode::PageUp | KeyCode::Char('b') => self.body.scroll_by(-1),
            KeyCode::Char('n') => drop(self.go_to(self.item + 1)),
            KeyCode::Char('p') => drop(self.go_back()),
            KeyCode::Down | KeyCode::Char('j') => self.down(),
            KeyCode::Up | KeyCode::Char('k') => self.up(),
            KeyCode::Home | KeyCode::Char('g') => self.go_to_end(false),
            KeyCode::End | KeyCode::Char('G') => self.go_to_end(true),
            _ => {}
        }
        Outcome::Stay
    }

    fn down(&mut self) {
        if self.focus == Focus::List {
            self.select((self.selected + 1).min(self.list.entries.len().saturating_sub(1)));
        } else if self.body.ends_below(self.item) || !self.go_to(self.item + 1) {
            self.body.scroll_rows(1);
        }
    }

    fn up(&mut self) {
        if self.focus == Focus::List {
            self.select(self.selected.saturating_sub(1));
        } else if self.body.starts_above(self.item) || !self.go_back() {
            self.body.scroll_rows(-1);
        }
    }

    fn go_to_end(&mut self, is_last: bool) {
        match (self.focus, is_last) {
            (Focus::List, true) => self.select(self.list.entries.len().saturating_sub(1)),
            (Focus::List, false) => self.select(0),
            (Focus::Change, true) => self.body.scroll_rows(isize::MAX),
            (Focus::Change, false) => self.body.scroll_rows(isize::MIN),
        }
    }

    fn select(&mut self, entry: usize) {
        if entry != self.selected {
            self.selected = entry;
            self.enter();
        }
    }

    fn enter(&mut self) {
        self.item = self.entry().map_or(0, |entry| entry.items.start);
        self.body = Body::default();
    }

    /// Selects another item of the entry, and shows its beginning; returns whether the item exists.
    fn go_to(&mut self, item: usize) -> bool {
        let is_there = self.has_item(item);
        if is_there {
            self.item = item;
            self.body.show_start_of(item);
        }
        is_there
    }

    /// Selects the item before, and shows its end.
    fn go_back(&mut self) -> bool {
        let Some(item) = self.item.checked_sub(1).filter(|item| self.has_item(*item)) else {
            return false;
        };
        self.item = item;
        self.body.show_end_of(item);
        true
    }

    fn has_item(&self, item: usize) -> bool {
        self.entry()
            .is_some_and(|entry| entry.is_decidable() && entry.items.contains(&item))
    }

    /// Selects the item to decide next.
    fn advance(&mut self) {
        if self.focus == Focus::List {
            let mut later = (self.selected + 1)..self.list.entries.len();
            let is_change =
                |at: &usize| self.list.entries.get(*at).is_some_and(Entry::is_decidable);
            if let Some(next) = later.find(is_change) {
                self.select(next);
                self.is_new = true;
            }
            return;
        }
        let end = self.entry().map_or(0, |entry| entry.items.end);
        let next = (self.item + 1..end).find(|item| self.decisions.mark(*item) == Mark::Waits);
        if let Some(next) = next {
            self.is_new = self.go_to(next);
        }
    }

    fn edit(&mut self) -> Outcome {
        let target = self.selected_items();
        let places = target
            .iter()
            .filter_map(|item| match self.list.items.get(*item) {
                Some(Item::Hunk { place, .. }) => Some(*place),
                _ => None,
            });
        let places: BTreeSet<Place> = places.collect();
        let refusal = target.first().and_then(|item| self.list.refusal(*item));
        match (refusal, places.len(), places.first()) {
            (Some(refusal), ..) => self.say(Role::Bad, refusal),
            (None, 1, Some(place)) => return Outcome::Edit(*place),
            _ => self.say(
                Role::Hint,
                "You can edit only one note at a time. Press Enter to show the notes of this entry, then choose a note.",
            ),
        }
        Outcome::Stay
    }

    /// Asks whether to carry out the decisions.
    fn finish(&mut self) -> Outcome {
        let items = 0..self.list.items.len();
        if self.decisions.common_mark(items) == Some(Mark::Waits) {
            self.say(
                Role::Hint,
                "You have not decided anything yet. Press a to accept, r to reject, or q to leave.",
            );
            return Outcome::Stay;
        }
        Outcome::Plan
    }

    /// Shows all decisions with their warnings, and asks whether to carry them out.
    pub(super) fn ask_to_finish(&mut self, warnings: &[String]) {
        let marks = [Mark::Accept, Mark::Reject, Mark::Waits];
        let [accepted, rejected, waiting] = marks.map(|mark| self.decisions.with_mark(mark));
        let mut page = Page::new("Carry out these decisions?", "y carry out   Esc back");
        self.add_decided(&mut page, ("Accept", "Approve"), &accepted);
        for warning in warnings {
            page.line(Role::Bad, &format!("  ! {warning}"));
        }
        self.add_decided(&mut page, ("Reject", "Deny"), &rejected);
        let is_unseen = |item: &&usize| self.decisions.seen.get(**item) != Some(&(true, true));
        let unseen: BTreeSet<String> = accepted
            .iter()
            .filter(is_unseen)
            .map(|item| self.list.name(*item))
            .collect();
        if !unseen.is_empty() {
            let files = count(unseen.len(), "file");
            let names: Vec<String> = unseen.into_iter().take(MOST_NAMED).collect();
            let text = format!("You did not see all of {files}: {}", names.join(", "));
            page.line(Role::Caution, &text);
        }
        if !waiting.is_empty() {
            let changes = count(waiting.len(), "change");
            page.line(
                Role::Plain,
                &format!("Still without a decision: {changes}."),
            );
            let unsent = self.comments(&waiting);
            if unsent > 0 {
                let comments = count(unsent, "comment");
                let text =
                    format!("The agent gets your {comments} after you decide on these changes.");
                page.line(Role::Caution, &text);
            }
        }
        self.over = Over::Finish(page);
    }

    /// Returns the number of these items that have a comment.
    fn comments(&self, items: &[usize]) -> usize {
        items
            .iter()
            .filter(|item| self.decisions.comment(**item).is_some())
            .count()
    }

    /// Says which items are accepted or rejected, file by file.
    fn add_decided(&self, page: &mut Page, (word, call_word): (&str, &str), items: &[usize]) {
        let mut files: BTreeMap<Place, usize> = BTreeMap::new();
        for item in items {
            match self.list.items.get(*item) {
                Some(Item::Hunk { place, .. }) => *files.entry(*place).or_default() += 1,
                Some(Item::Approval(_)) => {
                    page.line(
                        Role::Heading,
                        &format!("{call_word}: {}", self.list.name(*item)),
                    );
                }
                None => {}
            }
        }
        if files.is_empty() {
            return;
        }
        let hunks: usize = files.values().sum();
        let (hunks, notes) = (count(hunks, "change"), count(files.len(), "file"));
        page.line(Role::Heading, &format!("{word} {hunks} in {notes}:"));
        let more = files.len().saturating_sub(MOST_NAMED);
        for (place, hunks) in files.into_iter().take(MOST_NAMED) {
            let Some(file) = self.list.file(place) else {
                continue;
            };
            let of = match (hunks, file.file.hunks.len()) {
                (chosen, all) if chosen == all => String::new(),
                (chosen, all) => format!(" ({chosen} of {all} changes)"),
            };
            let is_own = word == "Accept" && self.decisions.edited(place).is_some();
            let own = if is_own { ", with your text" } else { "" };
            page.line(Role::Plain, &format!("  {}{of}{own}", title(file)));
        }
        if more > 0 {
            page.line(Role::Plain, &format!("  and {}", count(more, "more file")));
        }
        let comments = self.comments(items);
        if comments > 0 {
            page.line(
                Role::Plain,
                &format!("  with {}", count(comments, "comment")),
            );
        }
    }

    // ---- The way out ----

    /// Returns the reviews that carry out the decisions, one for each draft.
    pub(super) fn reviews(&self) -> Vec<Review> {
        let drafts = (0..).zip(&self.list.drafts);
        drafts
            .filter_map(|draft| self.decisions.review_of(&self.list, draft))
            .collect()
    }

    /// Returns the answers to approvals: their ids, and whether they are approved.
    pub(super) fn answers(&self) -> Vec<(String, bool)> {
        let approvals = (0..).map_while(|item| Some((item, self.list.approval(item)?)));
        let answers = approvals.filter_map(|(item, approval)| {
            let mark = self.decisions.mark(item);
            (mark != Mark::Waits).then(|| (approval.id.clone(), mark == Mark::Accept))
        });
        answers.collect()
    }

    /// Number of decided items of drafts.
    pub(super) fn decided(&self) -> usize {
        let items = self.list.approvals.len()..self.list.items.len();
        items
            .filter(|item| self.decisions.mark(*item) != Mark::Waits)
            .count()
    }

    /// Returns the draft of a file, and its path there.
    pub(super) fn named(&self, place: Place) -> Option<(&WaitingDraft, &str)> {
        Some((
            self.list.draft(place)?,
            self.list.file(place)?.file.path.as_str(),
        ))
    }

    /// Returns the decisions as they are stored.
    pub(super) fn kept(&mut self) -> Kept {
        self.decisions.kept(&self.list)
    }
}
