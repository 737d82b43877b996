//! The state of the picker: what waits, what the person decided of it, and what each key does. It neither reads nor
//! writes anything, so a test can press its keys.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use cli_output::plural::count;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde::{Deserialize, Serialize};

use super::document::{self, only};
use super::screen::{Body, Page};
use crate::frontend::display::{Role, StyledLine};
use crate::frontend::{approval_text, escape};
use crate::gateway::{Happening, Review, WaitingDraft, WaitingFile};
use crate::records::journal::short_id;
use crate::tiers::ApprovalChannel;

/// How many files the last question names. It names all warnings.
const MOST_NAMED: usize = 20;

/// A file: its draft and its place there.
pub(super) type Place = (usize, usize);

/// Something that the person decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A hunk of a file; 0 is the file as a whole.
    Hunk {
        /// The file.
        place: Place,
        /// The number.
        number: usize,
    },
    /// A call that needs an approval.
    Approval(usize),
}

/// A call that needs an approval.
#[derive(Clone, Debug)]
pub(super) struct WaitingApproval {
    /// Its id.
    pub(super) id: String,
    /// The command and who sent it.
    pub(super) title: String,
    /// The call and its plan.
    pub(super) lines: Vec<StyledLine>,
}

/// A row of the list.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// What the row is about.
    pub(super) kind: EntryKind,
    /// Its text.
    pub(super) label: String,
    /// The items that it stands for.
    pub(super) items: Range<usize>,
    /// Whether an item has a warning.
    pub(super) has_warning: bool,
}

/// What a row of the list is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    /// All of a draft.
    Draft,
    /// All approvals, or the changes of one kind.
    Heading,
    /// A file, or a move with its link changes.
    Change {
        /// Whether it is such a move.
        is_group: bool,
    },
    /// An approval.
    Approval(usize),
}

impl Entry {
    /// Whether it is decided as one, and is not a heading.
    pub(super) fn is_decidable(&self) -> bool {
        matches!(self.kind, EntryKind::Change { .. } | EntryKind::Approval(_))
    }
}

/// What the person wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Mark {
    /// It waits.
    #[default]
    Waits,
    /// It is accepted.
    Accept,
    /// It is rejected.
    Reject,
}

/// The person's answer to one item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Decision {
    /// The answer.
    mark: Mark,
    /// The comment for the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
}

/// The person's own text of a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Edited {
    /// The text.
    pub(super) text: String,
    /// How it differs from the proposed one.
    pub(super) diff: String,
}

/// What a step of the person replaced, for `u`.
struct Replaced {
    decisions: Vec<(usize, Decision)>,
    edited: Option<(Place, Option<Edited>)>,
}

/// What the program does after a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It waits for the next key.
    Stay,
    /// It ends, and keeps the decisions.
    Leave,
    /// It opens the proposed text of this file in the person's editor.
    Edit(Place),
    /// It looks up which links break, and then calls [`Session::ask_to_finish`].
    CheckLinks,
    /// It carries out the decisions.
    CarryOut,
}

/// Which side the keys act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Focus {
    /// The list.
    List,
    /// The change.
    Change,
}

/// What is on the screen over the list and the change.
pub(super) enum Over {
    /// Nothing.
    None,
    /// The keys.
    Help(Page),
    /// Whether to accept these items, which have warnings.
    Confirm(Vec<usize>, Page),
    /// Whether to carry out all decisions.
    Finish(Page),
    /// A comment that is being typed.
    Comment(String),
}

/// The decisions of a draft, as they are stored while the person is away.
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    edited: Option<Edited>,
}

/// The stored decisions, by the ids of the drafts.
pub(super) type Kept = BTreeMap<String, KeptDraft>;

/// The state of the picker.
pub(super) struct Session {
    drafts: Vec<WaitingDraft>,
    approvals: Vec<WaitingApproval>,
    items: Vec<Item>,
    entries: Vec<Entry>,
    decisions: Vec<Decision>,
    edited: BTreeMap<Place, Edited>,
    history: Vec<Replaced>,
    is_changed: bool,
    /// The items whose first and whose last row were on the screen.
    pub(super) seen: Vec<(bool, bool)>,
    pub(super) selected: usize,
    pub(super) item: usize,
    pub(super) focus: Focus,
    pub(super) over: Over,
    pub(super) message: Option<(Role, String)>,
    /// The document as it was drawn last.
    pub(super) body: Body,
    /// Whether the window is too small to show anything, so that no key decides.
    pub(super) is_hidden: bool,
    /// The hashes of the files, as far as they were needed.
    hashes: BTreeMap<Place, String>,
}

impl Session {
    /// A session with the decisions that were kept. Those about a file that differs now are left out.
    pub(super) fn new(
        drafts: Vec<WaitingDraft>,
        approvals: Vec<WaitingApproval>,
        kept: &Kept,
    ) -> Self {
        let mut session = Self {
            drafts,
            approvals,
            items: Vec::new(),
            entries: Vec::new(),
            decisions: Vec::new(),
            edited: BTreeMap::new(),
            history: Vec::new(),
            is_changed: false,
            seen: Vec::new(),
            selected: 0,
            item: 0,
            focus: Focus::List,
            over: Over::None,
            message: None,
            body: Body::default(),
            is_hidden: false,
            hashes: BTreeMap::new(),
        };
        session.list_approvals();
        for draft in 0..session.drafts.len() {
            session.list_draft(draft);
        }
        session.decisions = vec![Decision::default(); session.items.len()];
        session.seen = vec![(false, false); session.items.len()];
        session.selected = session.entries.iter().position(Entry::is_decidable).unwrap_or(0);
        session.enter();
        session.restore(kept);
        session
    }

    fn list_approvals(&mut self) {
        if self.approvals.is_empty() {
            return;
        }
        let items = 0..self.approvals.len();
        self.items.extend(items.clone().map(Item::Approval));
        let label = format!("Calls to approve ({})", items.len());
        let row = |kind, label, items| Entry { kind, label, items, has_warning: false };
        self.entries.push(row(EntryKind::Heading, label, items.clone()));
        let titles = self.approvals.iter().map(|approval| approval.title.clone());
        let rows = items.zip(titles);
        let rows = rows.map(|(at, title)| row(EntryKind::Approval(at), title, at..at + 1));
        self.entries.extend(rows);
    }

    fn list_draft(&mut self, draft: usize) {
        let Some(waiting) = self.drafts.get(draft) else {
            return;
        };
        let place_of: BTreeMap<&str, usize> =
            (0..).zip(&waiting.files).map(|(at, file)| (file.file.path.as_str(), at)).collect();
        let mut grouped = BTreeSet::new();
        let mut changes: Vec<(Kind, EntryKind, String, Vec<Item>)> = Vec::new();
        for group in &waiting.groups {
            let mut items = Vec::new();
            for member in &group.members {
                let Some(file) = place_of.get(member.note.as_str()) else { continue };
                let hunks = member.hunks.iter();
                items.extend(hunks.map(|hunk| Item::Hunk { place: (draft, *file), number: *hunk }));
            }
            // The moves first.
            items.sort_by_key(|item| !matches!(item, Item::Hunk { number: 0, .. }));
            grouped.extend(items.iter().map(|item| self.key(*item)));
            let label = group_label(waiting, &items);
            changes.push((Kind::Moved, EntryKind::Change { is_group: true }, label, items));
        }
        for (at, file) in (0..).zip(&waiting.files) {
            let place = (draft, at);
            let hunks = file.file.hunks.iter().map(|number| Item::Hunk { place, number: *number });
            let items: Vec<Item> =
                hunks.filter(|item| !grouped.contains(&self.key(*item))).collect();
            if !items.is_empty() {
                let label = file_label(file);
                changes.push((Kind::of(file), EntryKind::Change { is_group: false }, label, items));
            }
        }
        changes.sort_by_key(|(kind, ..)| *kind);
        let start = self.items.len();
        let label = draft_label(waiting);
        let first = self.entries.len();
        let row = |kind, label, items| Entry { kind, label, items, has_warning: false };
        self.entries.push(row(EntryKind::Draft, label, start..start));
        let mut heading: Option<(Kind, usize)> = None;
        for (kind, entry, label, items) in changes {
            let start = self.items.len();
            if heading.is_none_or(|(last, _)| last != kind) {
                heading = Some((kind, self.entries.len()));
                self.entries.push(row(EntryKind::Heading, kind.title().to_owned(), start..start));
            }
            self.items.extend(items);
            let end = self.items.len();
            let has_warning = !self.warnings(start..end).is_empty();
            self.entries.push(Entry { kind: entry, label, items: start..end, has_warning });
            let headings = heading.map(|(_, at)| at).into_iter().chain([first]);
            for at in headings {
                if let Some(heading) = self.entries.get_mut(at) {
                    heading.items.end = end;
                    heading.has_warning |= has_warning;
                }
            }
        }
    }

    /// A key of an item for sets.
    fn key(&self, item: Item) -> (Place, usize) {
        match item {
            Item::Hunk { place, number } => (place, number),
            Item::Approval(at) => ((self.drafts.len(), at), 0),
        }
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn items(&self) -> &[Item] {
        &self.items
    }

    pub(super) fn approvals(&self) -> &[WaitingApproval] {
        &self.approvals
    }

    pub(super) fn file(&self, (draft, file): Place) -> Option<&WaitingFile> {
        self.drafts.get(draft)?.files.get(file)
    }

    pub(super) fn edited(&self, place: Place) -> Option<&Edited> {
        self.edited.get(&place)
    }

    pub(super) fn mark(&self, item: usize) -> Mark {
        self.decisions.get(item).map(|decision| decision.mark).unwrap_or_default()
    }

    pub(super) fn comment(&self, item: usize) -> Option<&str> {
        self.decisions.get(item)?.comment.as_deref()
    }

    /// The common mark of items; `None` if they differ.
    pub(super) fn common_mark(&self, items: Range<usize>) -> Option<Mark> {
        let mut marks = items.map(|item| self.mark(item));
        let first = marks.next().unwrap_or_default();
        marks.all(|mark| mark == first).then_some(first)
    }

    /// The warnings about these items, each once and with the name of its file.
    pub(super) fn warnings(&self, items: Range<usize>) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut last = None;
        for item in items {
            let Some(Item::Hunk { place, number }) = self.items.get(item).copied() else {
                continue;
            };
            let Some(file) = self.file(place) else { continue };
            let is_first = last.replace(place) != Some(place);
            let about = file.warnings.iter().filter(|warning| match warning.hunk {
                None => is_first,
                Some(_) => warning.is_about(&only(number)),
            });
            found.extend(about.map(|warning| escape::plan(&warning.line_about(&file.file.path))));
        }
        found
    }

    /// Why an item cannot be accepted.
    fn refusal(&self, item: usize) -> Option<String> {
        let Item::Hunk { place, number } = *self.items.get(item)? else { return None };
        let file = self.file(place)?;
        let path = escape::line(&file.file.path);
        if file.file.conflict {
            let why = file.conflict_reason.as_deref().unwrap_or("it was changed in the vault too");
            return Some(format!(
                "{path} cannot be accepted: {why}. Reject it, or change the note yourself."
            ));
        }
        (!document::is_shown(file, number)).then(|| {
            format!(
                "{path}: the change is too large to be shown here, so it cannot be accepted here."
            )
        })
    }

    // ---- Decisions ----

    /// The items that a key acts on. A note with the person's own text is decided as a whole.
    fn target(&self) -> Vec<usize> {
        let Some(entry) = self.entries.get(self.selected) else {
            return Vec::new();
        };
        if self.focus == Focus::List {
            return entry.items.clone().collect();
        }
        match self.items.get(self.item).copied() {
            Some(Item::Hunk { place, .. }) if self.edited.contains_key(&place) => {
                self.items_of(place)
            }
            Some(_) => vec![self.item],
            None => Vec::new(),
        }
    }

    fn items_of(&self, wanted: Place) -> Vec<usize> {
        let of_file = |item: &Item| matches!(item, Item::Hunk { place, .. } if *place == wanted);
        (0..).zip(&self.items).filter(|(_, item)| of_file(item)).map(|(at, _)| at).collect()
    }

    /// Accepts what the selection is about. What has a warning is asked about, and of a heading left out.
    fn accept(&mut self) {
        let target = self.target();
        let is_heading = self.focus == Focus::List
            && self.entries.get(self.selected).is_some_and(|entry| !entry.is_decidable());
        if is_heading {
            self.accept_harmless(&target);
            return;
        }
        let refusals: Vec<String> = target.iter().filter_map(|item| self.refusal(*item)).collect();
        if let Some(refusal) = refusals.into_iter().next() {
            self.message = Some((Role::Bad, refusal));
            return;
        }
        if !target.is_empty() && target.iter().all(|item| self.mark(*item) == Mark::Accept) {
            self.set(&target, Mark::Waits);
            return;
        }
        let warnings = self.warnings_of(&target);
        let approval = target.iter().find_map(|item| match self.items.get(*item) {
            Some(Item::Approval(at)) => self.approvals.get(*at),
            _ => None,
        });
        if let Some(approval) = approval {
            let page = Page::approval(approval);
            self.over = Over::Confirm(target, page);
        } else if warnings.is_empty() {
            self.set(&target, Mark::Accept);
            self.advance();
        } else {
            self.ask_about(target, warnings);
        }
    }

    fn warnings_of(&self, items: &[usize]) -> Vec<String> {
        items.iter().flat_map(|item| self.warnings(*item..item + 1)).collect()
    }

    /// Asks whether to accept these items, which have warnings.
    fn ask_about(&mut self, items: Vec<usize>, warnings: Vec<String>) {
        let named: BTreeSet<String> = items.iter().map(|item| self.name(*item)).collect();
        let named: Vec<String> = named.into_iter().collect();
        let changes = count(items.len(), "change");
        let page = Page::confirm(&format!("{changes}: {}", named.join(", ")), &once(warnings));
        self.over = Over::Confirm(items, page);
    }

    /// Accepts the changes below a heading that have no warning.
    fn accept_harmless(&mut self, target: &[usize]) {
        let within = |entry: &&Entry| target.contains(&entry.items.start) && entry.is_decidable();
        let (mut accepted, mut left) = (Vec::new(), 0);
        for entry in self.entries.iter().filter(within) {
            let is_refused = entry.items.clone().any(|item| self.refusal(item).is_some());
            if entry.has_warning || is_refused || matches!(entry.kind, EntryKind::Approval(_)) {
                let is_open = self.common_mark(entry.items.clone()) != Some(Mark::Accept);
                left += usize::from(is_open);
            } else {
                accepted.extend(entry.items.clone());
            }
        }
        self.set(&accepted, Mark::Accept);
        if left > 0 {
            let text = format!(
                "{left} left: with a warning, in conflict, or a call. Answer each by itself."
            );
            self.message = Some((Role::Caution, text));
        }
    }

    fn reject(&mut self) {
        let target = self.target();
        let is_rejected = target.iter().all(|item| self.mark(*item) == Mark::Reject);
        self.set(&target, if is_rejected { Mark::Waits } else { Mark::Reject });
        if !is_rejected {
            self.advance();
        }
    }

    fn set(&mut self, items: &[usize], mark: Mark) {
        self.replace(items, |decision| decision.mark = mark);
        self.warn_of_taken_apart();
    }

    fn replace(&mut self, items: &[usize], change: impl Fn(&mut Decision)) {
        let mut replaced = Vec::new();
        for item in items {
            if let Some(decision) = self.decisions.get_mut(*item) {
                replaced.push((*item, decision.clone()));
                change(decision);
            }
        }
        self.history.push(Replaced { decisions: replaced, edited: None });
        self.is_changed = true;
        self.body.forget();
    }

    /// Puts the person's own text in place of the proposed one, and accepts the note. If the note has warnings, it asks
    /// first.
    pub(super) fn put_edited(&mut self, place: Place, edited: Edited) {
        let items = self.items_of(place);
        let before = self.edited.insert(place, edited);
        let warnings = self.warnings_of(&items);
        let mark = if warnings.is_empty() { Mark::Accept } else { Mark::Waits };
        self.replace(&items, |decision| decision.mark = mark);
        if let Some(last) = self.history.last_mut() {
            last.edited = Some((place, before));
        }
        if warnings.is_empty() {
            let text = "Your text is accepted in place of the agent's.";
            self.message = Some((Role::Good, text.to_owned()));
        } else {
            self.ask_about(items, warnings);
        }
    }

    fn undo(&mut self) {
        let Some(Replaced { decisions, edited }) = self.history.pop() else {
            self.message = Some((Role::Hint, "There is nothing to undo.".to_owned()));
            return;
        };
        for (item, decision) in decisions {
            if let Some(current) = self.decisions.get_mut(item) {
                *current = decision;
            }
        }
        match edited {
            Some((place, Some(before))) => drop(self.edited.insert(place, before)),
            Some((place, None)) => drop(self.edited.remove(&place)),
            None => {}
        }
        self.is_changed = true;
        self.body.forget();
        self.message = Some((Role::Hint, "The last decision is undone.".to_owned()));
    }

    /// The groups whose parts are decided differently.
    fn taken_apart(&self) -> Vec<&str> {
        let groups = self.entries.iter().filter(|entry| {
            entry.kind == EntryKind::Change { is_group: true }
                && self.common_mark(entry.items.clone()).is_none()
        });
        groups.map(|entry| entry.label.as_str()).collect()
    }

    fn warn_of_taken_apart(&mut self) {
        let Some(entry) = self.entries.get(self.selected) else {
            return;
        };
        let is = |mark: Mark| entry.items.clone().any(|item| self.mark(item) == mark);
        let is_group = entry.kind == EntryKind::Change { is_group: true };
        if is_group && is(Mark::Accept) && is(Mark::Reject) {
            self.message = Some((Role::Bad, apart(&entry.label)));
        }
    }

    // ---- Keys ----

    /// What a key does. Pasted text is never a key.
    pub(super) fn key_pressed(&mut self, key: KeyEvent) -> Outcome {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return if key.code == KeyCode::Char('c') { Outcome::Leave } else { Outcome::Stay };
        }
        if self.is_hidden {
            return if key.code == KeyCode::Char('q') { Outcome::Leave } else { Outcome::Stay };
        }
        match &mut self.over {
            Over::None => return self.key_of_list_or_change(key.code),
            Over::Comment(text) => match key.code {
                KeyCode::Char(letter) => text.push(letter),
                KeyCode::Backspace => drop(text.pop()),
                KeyCode::Esc => self.over = Over::None,
                KeyCode::Enter => {
                    let text = text.trim().to_owned();
                    self.over = Over::None;
                    let comment = (!text.is_empty()).then_some(text);
                    self.replace(&self.target(), |decision| decision.comment.clone_from(&comment));
                }
                _ => {}
            },
            Over::Help(page) => {
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
            KeyCode::Char('?') => self.over = Over::Help(Page::help()),
            KeyCode::Char('a') => self.accept(),
            KeyCode::Char('r') => self.reject(),
            KeyCode::Char('u') => self.undo(),
            KeyCode::Char('c') => {
                let comments = self.target();
                let first = comments.first().and_then(|item| self.comment(*item));
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
            self.select((self.selected + 1).min(self.entries.len().saturating_sub(1)));
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
            (Focus::List, true) => self.select(self.entries.len().saturating_sub(1)),
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
        self.item = self.entries.get(self.selected).map_or(0, |entry| entry.items.start);
        self.body = Body::default();
    }

    /// Goes to another item of the entry, and shows its beginning; returns whether there is one.
    fn go_to(&mut self, item: usize) -> bool {
        let is_there = self.has_item(item);
        if is_there {
            self.item = item;
            self.body.show_start_of(item);
        }
        is_there
    }

    /// Goes to the item before, and shows its end.
    fn go_back(&mut self) -> bool {
        let Some(item) = self.item.checked_sub(1).filter(|item| self.has_item(*item)) else {
            return false;
        };
        self.item = item;
        self.body.show_end_of(item);
        true
    }

    fn has_item(&self, item: usize) -> bool {
        let entry = self.entries.get(self.selected);
        entry.is_some_and(|entry| entry.is_decidable() && entry.items.contains(&item))
    }

    /// Goes to what is decided next.
    fn advance(&mut self) {
        if self.focus == Focus::List {
            let mut later = (self.selected + 1)..self.entries.len();
            let is_change = |at: &usize| self.entries.get(*at).is_some_and(Entry::is_decidable);
            if let Some(next) = later.find(is_change) {
                self.select(next);
            }
            return;
        }
        let end = self.entries.get(self.selected).map_or(0, |entry| entry.items.end);
        let next = (self.item + 1..end).find(|item| self.mark(*item) == Mark::Waits);
        if let Some(next) = next {
            let _is_there = self.go_to(next);
        }
    }

    fn edit(&mut self) -> Outcome {
        let places: BTreeSet<Place> = self
            .target()
            .into_iter()
            .filter_map(|item| match self.items.get(item) {
                Some(Item::Hunk { place, .. }) => Some(*place),
                _ => None,
            })
            .collect();
        let refusal = self.target().first().and_then(|item| self.refusal(*item));
        match (refusal, places.len(), places.first()) {
            (Some(refusal), ..) => self.message = Some((Role::Bad, refusal)),
            (None, 1, Some(place)) => return Outcome::Edit(*place),
            _ => {
                let text =
                    "Choose one note to edit its text: Enter goes to the changes of this entry.";
                self.message = Some((Role::Hint, text.to_owned()));
            }
        }
        Outcome::Stay
    }

    /// Asks whether to carry out the decisions, after a look at the links if a move is taken apart.
    fn finish(&mut self) -> Outcome {
        if (0..self.items.len()).all(|item| self.mark(item) == Mark::Waits) {
            let text =
                "Nothing is decided yet: a accepts, r rejects. q leaves and lets everything wait.";
            self.message = Some((Role::Hint, text.to_owned()));
        } else if self.taken_apart().is_empty() {
            self.ask_to_finish(&[]);
        } else {
            return Outcome::CheckLinks;
        }
        Outcome::Stay
    }

    /// Shows all decisions, with the links that they break, and asks whether to carry them out.
    pub(super) fn ask_to_finish(&mut self, broken: &[String]) {
        let of = |wanted: Mark| -> Vec<usize> {
            let items = 0..self.items.len();
            items.filter(|item| self.mark(*item) == wanted).collect()
        };
        let (accepted, rejected, waiting) = (of(Mark::Accept), of(Mark::Reject), of(Mark::Waits));
        let mut page = Page::new("Carry out these decisions?", "y carry out   Esc back");
        self.add_decided(&mut page, "Accept", "Approve", &accepted);
        let warnings: Vec<String> =
            accepted.iter().flat_map(|item| self.warnings(*item..item + 1)).collect();
        for warning in once(warnings) {
            page.line(Role::Bad, &format!("  ! {warning}"));
        }
        self.add_decided(&mut page, "Reject", "Deny", &rejected);
        for group in self.taken_apart() {
            let text = format!("{group}: the parts of this move are decided differently.");
            page.line(Role::Caution, &text);
        }
        for link in broken {
            page.line(Role::Bad, &format!("! {link}"));
        }
        let is_unseen = |item: &&usize| self.seen.get(**item) != Some(&(true, true));
        let unseen: BTreeSet<String> =
            accepted.iter().filter(is_unseen).map(|item| self.name(*item)).collect();
        if !unseen.is_empty() {
            let files = count(unseen.len(), "file");
            let names: Vec<String> = unseen.into_iter().take(MOST_NAMED).collect();
            let text = format!("You did not see all of {files}: {}", names.join(", "));
            page.line(Role::Caution, &text);
        }
        if !waiting.is_empty() {
            page.line(
                Role::Plain,
                &format!("{} not decided: they wait.", count(waiting.len(), "change")),
            );
            let unsent = waiting.iter().filter(|item| self.comment(**item).is_some()).count();
            if unsent > 0 {
                let comments = count(unsent, "comment");
                page.line(
                    Role::Caution,
                    &format!("{comments} on changes that are not decided: kept, not sent."),
                );
            }
        }
        self.over = Over::Finish(page);
    }

    fn name(&self, item: usize) -> String {
        match self.items.get(item) {
            Some(Item::Hunk { place, .. }) => {
                self.file(*place).map(|file| escape::line(&file.file.path)).unwrap_or_default()
            }
            Some(Item::Approval(at)) => {
                self.approvals.get(*at).map(|approval| approval.title.clone()).unwrap_or_default()
            }
            None => String::new(),
        }
    }

    /// Says which items are accepted or rejected, file by file.
    fn add_decided(&self, page: &mut Page, word: &str, call_word: &str, items: &[usize]) {
        let mut files: BTreeMap<Place, usize> = BTreeMap::new();
        for item in items {
            match self.items.get(*item) {
                Some(Item::Hunk { place, .. }) => *files.entry(*place).or_default() += 1,
                Some(Item::Approval(_)) => {
                    page.line(Role::Heading, &format!("{call_word}: {}", self.name(*item)));
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
            let Some(file) = self.file(place) else { continue };
            let of = match (hunks, file.file.hunks.len()) {
                (chosen, all) if chosen == all => String::new(),
                (chosen, all) => format!(" ({chosen} of {all} changes)"),
            };
            let own = if word == "Accept" && self.edited.contains_key(&place) {
                ", with your text"
            } else {
                ""
            };
            page.line(Role::Plain, &format!("  {}{of}{own}", title(file)));
        }
        if more > 0 {
            page.line(Role::Plain, &format!("  and {}", count(more, "more file")));
        }
        let comments = items.iter().filter(|item| self.comment(**item).is_some()).count();
        if comments > 0 {
            page.line(Role::Plain, &format!("  with {}", count(comments, "comment")));
        }
    }

    // ---- The way out and back in ----

    /// The reviews that carry out the decisions, one for each draft, bound to the state that is shown.
    pub(super) fn reviews(&self) -> Vec<Review> {
        let reviews = (0..).zip(&self.drafts).map(|(at, draft)| self.review_of(at, draft));
        reviews.flatten().collect()
    }

    fn review_of(&self, at: usize, waiting: &WaitingDraft) -> Option<Review> {
        let mut review = Review {
            draft: waiting.draft.to_string(),
            state: Some(waiting.state.clone()),
            // The last question named all warnings.
            confirmed: true,
            channel: Some(ApprovalChannel::Terminal),
            ..Review::default()
        };
        for (item, decision) in self.items.iter().zip(&self.decisions) {
            let Item::Hunk { place: (draft, file), number } = *item else { continue };
            let Some(file) = waiting.files.get(file).filter(|_| draft == at) else { continue };
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
            review.notes = std::mem::take(&mut review.rejected);
        }
        (!review.notes.is_empty()).then_some(review)
    }

    /// The answers to approvals: their ids, and whether they are approved.
    pub(super) fn answers(&self) -> Vec<(String, bool)> {
        let answers = self.items.iter().zip(&self.decisions).filter_map(|(item, decision)| {
            let Item::Approval(at) = item else { return None };
            let id = self.approvals.get(*at)?.id.clone();
            match decision.mark {
                Mark::Waits => None,
                mark => Some((id, mark == Mark::Accept)),
            }
        });
        answers.collect()
    }

    /// Whether a decision changed since this was asked last.
    pub(super) fn has_new_decisions(&mut self) -> bool {
        std::mem::take(&mut self.is_changed)
    }

    /// How many items of drafts are decided.
    pub(super) fn decided(&self) -> usize {
        let drafted = self.items.iter().zip(&self.decisions);
        let drafted = drafted.filter(|(item, _)| matches!(item, Item::Hunk { .. }));
        drafted.filter(|(_, decision)| decision.mark != Mark::Waits).count()
    }

    /// The id and state of a draft, and the path of a file in it.
    pub(super) fn named(&self, (draft, file): Place) -> Option<(&WaitingDraft, &str)> {
        let draft = self.drafts.get(draft)?;
        Some((draft, draft.files.get(file)?.file.path.as_str()))
    }

    /// The decisions as they are stored.
    pub(super) fn kept(&mut self) -> Kept {
        let mut kept = Kept::new();
        let hashes = &mut self.hashes;
        for (item, decision) in self.items.iter().zip(&self.decisions) {
            let Item::Hunk { place, number } = *item else { continue };
            let edited = self.edited.get(&place);
            if *decision == Decision::default() && edited.is_none() {
                continue;
            }
            let Some(draft) = self.drafts.get(place.0) else { continue };
            let Some(file) = draft.files.get(place.1) else { continue };
            let of_draft = kept.entry(draft.draft.to_string()).or_default();
            of_draft.state.clone_from(&draft.state);
            let of_file =
                of_draft.files.entry(file.file.path.clone()).or_insert_with(|| KeptFile {
                    shown: hashes.entry(place).or_insert_with(|| hash_of(file)).clone(),
                    decisions: BTreeMap::new(),
                    edited: edited.cloned(),
                });
            of_file.decisions.insert(number, decision.clone());
        }
        kept
    }

    fn restore(&mut self, kept: &Kept) {
        let mut is_lost = false;
        let mut decisions = self.decisions.clone();
        let mut edited = BTreeMap::new();
        for (at, draft) in (0..).zip(&self.drafts) {
            let Some(kept) = kept.get(&draft.draft.to_string()) else { continue };
            for (path, of_file) in &kept.files {
                let found = (0..).zip(&draft.files).find(|(_, file)| file.file.path == *path);
                let same = found.filter(|(_, file)| {
                    // Of a file without text only the state tells that it is the same.
                    let is_all_shown = file.file.diff.is_some() && file.file.left_out == 0;
                    kept.state == draft.state || (is_all_shown && of_file.shown == hash_of(file))
                });
                let Some((file, _)) = same else {
                    is_lost = true;
                    continue;
                };
                for (item, decision) in self.items.iter().zip(&mut decisions) {
                    if let Item::Hunk { place, number } = item
                        && *place == (at, file)
                        && let Some(kept) = of_file.decisions.get(number)
                    {
                        decision.clone_from(kept);
                    }
                }
                edited.extend(of_file.edited.clone().map(|edited| ((at, file), edited)));
            }
        }
        self.decisions = decisions;
        self.edited = edited;
        if is_lost {
            let text = "Some files changed since you decided about them. Look at them again.";
            self.message = Some((Role::Caution, text.to_owned()));
        }
    }
}

/// A hash of what is shown of a file.
fn hash_of(file: &WaitingFile) -> String {
    crate::digest::sha256(&serde_json::to_vec(file).unwrap_or_default())
}

/// The kinds of changes, in the order of the list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Conflict,
    Moved,
    Removed,
    New,
    Changed,
    Folder,
}

impl Kind {
    fn of(file: &WaitingFile) -> Self {
        match file.file.change {
            _ if file.file.conflict => Self::Conflict,
            Happening::Moved => Self::Moved,
            Happening::Created => Self::New,
            Happening::Removed | Happening::Trashed => Self::Removed,
            Happening::FolderMade | Happening::FolderRemoved => Self::Folder,
            Happening::Modified | Happening::Touched | Happening::Unknown => Self::Changed,
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Conflict => "In conflict",
            Self::Moved => "Moved",
            Self::Removed => "Deleted",
            Self::New => "New",
            Self::Changed => "Changed",
            Self::Folder => "Folders",
        }
    }
}

/// The draft with its agent.
fn draft_label(draft: &WaitingDraft) -> String {
    let agent = match &draft.agent {
        Some(agent) => escape::line(agent),
        None => "agents without a name".to_owned(),
    };
    let agent = approval_text::by_program(&agent, draft.client.as_deref());
    format!("{agent}, draft {}", short_id(draft.draft))
}

/// The path of a file in the list, of a moved one with the old path.
fn file_label(file: &WaitingFile) -> String {
    let path = escape::line(&file.file.path);
    match &file.file.from {
        Some(from) => format!("{} → {path}", escape::line(from)),
        None => path,
    }
}

/// The moves of a group, and how many notes have links that follow them.
fn group_label(waiting: &WaitingDraft, items: &[Item]) -> String {
    let (mut moves, mut notes) = (Vec::new(), BTreeSet::new());
    for item in items {
        if let Item::Hunk { place: (_, file), number } = *item
            && let Some(file) = waiting.files.get(file)
        {
            if number == 0 {
                moves.push(file_label(file));
            } else {
                notes.insert(&file.file.path);
            }
        }
    }
    format!("{}, with links in {}", moves.join(", "), count(notes.len(), "note"))
}

/// What happens to a file, in one line.
pub(super) fn title(file: &WaitingFile) -> String {
    let word = match file.file.change {
        Happening::Created => "new",
        Happening::Moved => "move",
        Happening::Trashed => "to the trash",
        Happening::Removed => "delete",
        Happening::FolderMade => "new folder",
        Happening::FolderRemoved => "remove folder",
        Happening::Modified | Happening::Touched | Happening::Unknown => "change",
    };
    let lines = match (file.added, file.removed) {
        (0, 0) => String::new(),
        (added, removed) => format!("  +{added} −{removed}"),
    };
    format!("{word}  {}{lines}", file_label(file))
}

fn apart(group: &str) -> String {
    format!(
        "{group}: the parts of this move are decided differently, so links may lead to no file."
    )
}

/// The texts, each once.
fn once(texts: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    texts.into_iter().filter(|text| seen.insert(text.clone())).collect()
}
