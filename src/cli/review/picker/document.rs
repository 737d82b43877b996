//! The right side of the picker: a change as lines that a person reads.

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

use line_diff::{ChangedWords, ShownHunk, changed_words, shown_hunks};
use unicode_width::UnicodeWidthChar as _;
use vault_engine::plural::count;

use super::list::{EntryKind, Item, Place, title};
use super::session::Session;
use frontend::{Role, StyledLine, escape};
use gateway::{ConflictSides, Happening, WaitingFile};

/// The number of the hunk that is not text.
const WHOLE: usize = 0;
/// The time for comparing the words of one hunk.
const WORD_TIME: Duration = Duration::from_millis(20);
/// The maximum number of bytes of a hunk whose words are compared.
const MOST_COMPARED: usize = 64 << 10;
/// The spaces that are shown in place of a tab.
const TAB: &str = "    ";

/// A line of a document, with the item that it belongs to.
#[derive(Clone, Debug)]
pub(super) struct DocumentLine {
    /// The item of the session that it belongs to.
    pub(super) item: Option<usize>,
    /// The sign before each of its rows.
    pub(super) sign: Sign,
    /// The text.
    pub(super) line: StyledLine,
}

/// The sign before the rows of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// The text is added, removed or neither.
    Change(char),
    /// The person's decision, which is drawn with the line.
    Decision,
}

/// The lines that show one entry of the list.
struct Document<'session> {
    session: &'session Session,
    lines: Vec<DocumentLine>,
    item: Option<usize>,
}

/// Returns the lines of an entry of the list.
pub(super) fn lines_of(session: &Session, entry: usize) -> Vec<DocumentLine> {
    let mut document = Document {
        session,
        lines: Vec::new(),
        item: None,
    };
    if let Some(entry) = session.list.entries.get(entry) {
        match entry.kind {
            EntryKind::Approval(approval) => document.approval(approval, entry.items.start),
            EntryKind::Change { .. } => document.change(entry.items.clone()),
            _ => document.overview(entry.items.clone()),
        }
    }
    document.lines
}

impl Document<'_> {
    fn add(&mut self, sign: Sign, line: StyledLine) {
        self.lines.push(DocumentLine {
            item: self.item,
            sign,
            line,
        });
    }

    fn text(&mut self, role: Role, text: &str) {
        self.add(Sign::Change(' '), StyledLine::new(role, text));
    }

    fn gap(&mut self) {
        self.text(Role::Plain, "");
    }

    /// Shows the changes under a heading of the list.
    fn overview(&mut self, items: Range<usize>) {
        let changes = self.session.list.entries.iter();
        let changes: Vec<_> = changes
            .filter(|entry| entry.is_decidable() && items.contains(&entry.items.start))
            .collect();
        self.text(Role::Heading, &count(items.len(), "change"));
        self.text(
            Role::Plain,
            "a accepts the changes without a warning, r rejects all. Enter or the arrows show each change.",
        );
        self.gap();
        for entry in changes {
            self.text(Role::Plain, &entry.label);
            for warning in self.session.list.warnings(entry.items.clone()) {
                self.text(Role::Bad, &format!("! {warning}"));
            }
        }
    }

    fn approval(&mut self, approval: usize, item: usize) {
        let Some(approval) = self.session.list.approvals.get(approval) else {
            return;
        };
        self.item = Some(item);
        self.add(
            Sign::Decision,
            StyledLine::new(Role::Heading, "Call that needs your approval"),
        );
        for line in &approval.lines {
            self.add(Sign::Change(' '), line.clone());
        }
    }

    /// A file, or a move with the link changes that belong to it.
    fn change(&mut self, items: Range<usize>) {
        self.item = Some(items.start);
        for warning in self.session.list.warnings(items.clone()) {
            self.text(Role::Bad, &format!("! {warning}"));
        }
        let mut last = None;
        let mut hunks = Vec::new();
        for item in items {
            let Some(Item::Hunk { place, number }) = self.session.list.items.get(item).copied()
            else {
                continue;
            };
            let Some(waiting) = self.session.list.file(place) else {
                continue;
            };
            self.item = Some(item);
            if last.replace(place) != Some(place) {
                hunks = shown_hunks(waiting.file.diff.as_deref().unwrap_or_default());
                self.head(waiting, place);
            }
            self.hunk(item, waiting, (number, &hunks));
        }
    }

    /// Shows the lines before the hunks of a file.
    fn head(&mut self, waiting: &WaitingFile, place: Place) {
        self.text(Role::Heading, &title(waiting));
        for property in &waiting.properties {
            let value = |value: &Option<String>| {
                value
                    .as_deref()
                    .map_or_else(|| "missing".to_owned(), escape::line)
            };
            let line = StyledLine::new(Role::Plain, "Property ")
                .with(Role::Name, &escape::line(&property.name))
                .with(Role::Plain, ": ")
                .with(Role::Removed, &value(&property.before))
                .with(Role::Plain, " → ")
                .with(Role::Added, &value(&property.after));
            self.add(Sign::Change(' '), line);
        }
        for (word, role, links) in [
            ("New links: ", Role::Added, &waiting.links_added),
            ("Links removed: ", Role::Removed, &waiting.links_removed),
        ] {
            if !links.is_empty() {
                let links: Vec<String> = links.iter().map(|link| escape::line(link)).collect();
                let line = StyledLine::new(Role::Plain, word).with(role, &links.join("  "));
                self.add(Sign::Change(' '), line);
            }
        }
        if let Some(reason) = &waiting.conflict_reason {
            self.text(
                Role::Bad,
                &format!("! Cannot be accepted: {reason}. Reject it, or change the note yourself."),
            );
        }
        for side in &waiting.sides {
            self.side(side);
        }
        if let Some(edited) = self.session.decisions.edited(place) {
            self.text(
                Role::Caution,
                "You changed the proposed text. Your changes:",
            );
            for hunk in shown_hunks(&edited.diff) {
                self.changed_lines(&hunk);
            }
            self.text(Role::Caution, "The agent's changes:");
        }
    }

    /// Adds the texts of both sides of a conflict.
    fn side(&mut self, side: &ConflictSides) {
        for (head, text) in [
            (
                format!("Original text, from line {}:", side.line),
                &side.base,
            ),
            ("In the draft:".to_owned(), &side.draft),
            ("In the vault:".to_owned(), &side.vault),
        ] {
            self.text(Role::Heading, &head);
            for line in text.lines() {
                self.add(
                    Sign::Change('|'),
                    StyledLine::new(Role::Plain, &visible(line)),
                );
            }
        }
    }

    fn hunk(
        &mut self,
        item: usize,
        waiting: &WaitingFile,
        (number, hunks): (usize, &[ShownHunk<'_>]),
    ) {
        let file = &waiting.file;
        if number == WHOLE {
            let words = match file.change {
                Happening::Created => "New note",
                Happening::Moved => "Move",
                Happening::FolderMade => "New folder",
                Happening::FolderRemoved => "Removed folder",
                Happening::Modified => "Change",
                _ => "Deletion",
            };
            self.add(Sign::Decision, StyledLine::new(Role::Hunk, words));
            // A new or removed note is decided with all of its lines.
            if file.hunks == [WHOLE] {
                for hunk in hunks {
                    self.changed_lines(hunk);
                }
            }
        } else {
            let shown = hunks.get(number - 1);
            let all = file.hunks.iter().filter(|hunk| **hunk != WHOLE).count();
            let line = shown.map_or_else(String::new, |hunk| format!(", line {}", hunk.line));
            let head = format!("Change {number} of {all}{line}");
            self.add(Sign::Decision, StyledLine::new(Role::Hunk, &head));
            for warning in waiting
                .warnings
                .iter()
                .filter(|warning| warning.hunk == Some(number))
            {
                self.text(
                    Role::Bad,
                    &format!("! {}", escape::line(&warning.sentence())),
                );
            }
            match shown {
                Some(hunk) => self.changed_lines(hunk),
                None => {
                    self.text(
                        Role::Bad,
                        "! This change is too large to be shown, so you cannot accept it here.",
                    );
                }
            }
        }
        if let Some(comment) = self.session.decisions.comment(item) {
            self.text(
                Role::Hint,
                &format!("Your comment: {}", escape::line(comment)),
            );
        }
        self.gap();
    }

    /// The lines of a hunk, with its changed words.
    fn changed_lines(&mut self, hunk: &ShownHunk<'_>) {
        let of = |sign: char| -> String {
            let lines = hunk.lines.iter().filter_map(|line| line.strip_prefix(sign));
            lines.map(|line| format!("{line}\n")).collect()
        };
        let (removed, added) = (of('-'), of('+'));
        let is_compared =
            !removed.is_empty() && !added.is_empty() && removed.len() + added.len() < MOST_COMPARED;
        let words = if is_compared {
            changed_words(&removed, &added, WORD_TIME)
        } else {
            ChangedWords::default()
        };
        // If almost every word differs, marks would not help.
        let is_rewritten = |ranges: &[Range<usize>], text: &str| {
            ranges.iter().map(Range::len).sum::<usize>() * 4 > text.len() * 3
        };
        let is_marked =
            !(is_rewritten(&words.before, &removed) && is_rewritten(&words.after, &added));
        let (mut old, mut new) = (0, 0);
        for line in &hunk.lines {
            let Some(sign) = line.chars().next() else {
                continue;
            };
            let text = line.get(sign.len_utf8()..).unwrap_or_default();
            let (roles, ranges, start) = match sign {
                '-' => ((Role::Removed, Role::RemovedWord), &words.before, &mut old),
                '+' => ((Role::Added, Role::AddedWord), &words.after, &mut new),
                ' ' => {
                    self.add(
                        Sign::Change(' '),
                        StyledLine::new(Role::Plain, &visible(text)),
                    );
                    continue;
                }
                _ => {
                    self.text(Role::Faint, &format!("({})", text.trim()));
                    continue;
                }
            };
            let ranges: &[Range<usize>] = if is_marked { ranges } else { &[] };
            let styled = marked(text, *start, ranges, roles);
            *start += text.len() + 1;
            self.add(Sign::Change(sign), styled);
        }
    }
}

/// Returns a changed line that begins at byte `start` of its side, with its changed words.
fn marked(text: &str, start: usize, ranges: &[Range<usize>], roles: (Role, Role)) -> StyledLine {
    let mut line = StyledLine::default();
    let mut at = 0;
    let first = ranges.partition_point(|range| range.end <= start);
    for range in ranges
        .iter()
        .skip(first)
        .take_while(|range| range.start < start + text.len())
    {
        let from = boundary(text, range.start.saturating_sub(start).max(at));
        let to = boundary(text, (range.end - start).min(text.len()));
        let word = text.get(from..to).unwrap_or_default();
        line = line.with(roles.0, &visible(text.get(at..from).unwrap_or_default()));
        let is_blank = word.chars().all(|letter| matches!(letter, ' ' | '\t'));
        let word = if is_blank {
            word.replace(' ', "·").replace('\t', "⇥")
        } else {
            visible(word)
        };
        line = line.with(roles.1, &word);
        at = to.max(at);
    }
    line.with(roles.0, &visible(text.get(at..).unwrap_or_default()))
}

/// Returns the first byte position at or after `at` where the text can be split: never before a character that is drawn
/// on the previous one.
fn boundary(text: &str, at: usize) -> usize {
    let parts = |at: usize| {
        let next = text.get(at..).map(|rest| rest.chars().next());
        next.is_some_and(|next| next.is_none_or(|next| next.width() != Some(0)))
    };
    (at..text.len()).find(|at| parts(*at)).unwrap_or(text.len())
}

/// Text of a note with everything visible.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut last = ' ';
    for letter in escape::block(text).replace('\t', TAB).chars() {
        // It is drawn on the character before it, and would vanish with a space.
        if last == ' ' && letter.width() == Some(0) {
            shown.push('◌');
        }
        shown.push(letter);
        last = letter;
    }
    shown
}

/// Whether all of a hunk is in the diff.
pub(super) fn is_shown(waiting: &WaitingFile, number: usize) -> bool {
    let file = &waiting.file;
    if file.left_out == 0 {
        return true;
    }
    if number == WHOLE {
        return file.hunks != [WHOLE];
    }
    number <= shown_hunks(file.diff.as_deref().unwrap_or_default()).len()
}

/// Returns the numbers of one hunk, as warnings take them.
pub(super) fn only(number: usize) -> BTreeSet<usize> {
    BTreeSet::from([number])
}
