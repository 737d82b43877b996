//! Draws the picker on the terminal. Every line is folded to the width of its place, and everything can be scrolled to.

use std::ops::Range;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use vault_engine::plural::count;

use super::decisions::Mark;
use super::document::{Sign, lines_of};
use super::list::{Entry, EntryKind, WaitingApproval};
use super::session::{Focus, Over, Session};
use frontend::{Role, StyledLine};

/// The smallest screen of the picker, in columns and rows.
pub(super) const SMALLEST: (u16, u16) = (60, 16);
/// The width in columns from which the list and the change are side by side.
const BESIDE: u16 = 76;
/// The columns before the text of a change: the bar of the current one, and the sign with a space.
const MARGIN: u16 = 3;
/// The maximum number of rows of an entry of the list.
const MOST_ROWS: usize = 4;
/// The maximum number of rows of a comment that is being typed, and of a message on a low screen.
const MOST_MESSAGE: usize = 4;

/// The keys, at the bottom of the screen. The first ones are shown on the smallest screen too.
const KEYS: [&str; 9] = [
    "a accept",
    "r reject",
    "f finish",
    "? help",
    "q leave",
    "e edit",
    "c comment",
    "u undo",
    "Enter open",
];

const HELP: [(&str, &str); 14] = [
    (
        "↑ ↓ or k j",
        "move in the list; in a change: scroll, then the next one",
    ),
    ("Enter, →, Tab", "from the list to the change"),
    ("Esc, ←, Tab", "back to the list"),
    ("n, p", "the next or previous change of a note"),
    ("Space, PgUp", "a page down or up"),
    (
        "a",
        "accept the selected change, note or move, and go to the next; if it is accepted: let it wait. On a heading or a draft: accept all below that waits",
    ),
    ("r", "reject in the same way"),
    ("c", "comment on it: the agent reads that with your answer"),
    (
        "e",
        "edit the proposed text in your editor, and accept your text; not for a deletion, a move without changes or a conflict",
    ),
    ("u", "undo the last decision"),
    ("f", "show all decisions and carry them out"),
    ("q", "leave; decisions on drafts are kept for the next time"),
    ("!", "marks a warning, which you confirm separately"),
    (
        "[a] [r] [~] [ ]",
        "accepted, rejected, partly decided, waits",
    ),
];

// ---- Pages ----

/// A page over the whole screen that a person reads to its end.
pub(super) struct Page {
    title: String,
    keys: String,
    lines: Vec<StyledLine>,
    scroll: usize,
    /// Number of rows that fit on the screen.
    height: usize,
    /// Number of rows that were shown, and number of all rows.
    shown: (usize, usize),
}

impl Page {
    pub(super) fn new(title: &str, keys: &str) -> Self {
        let (title, keys) = (title.to_owned(), keys.to_owned());
        Self {
            title,
            keys,
            lines: Vec::new(),
            scroll: 0,
            height: 1,
            shown: (0, usize::MAX),
        }
    }

    pub(super) fn line(&mut self, role: Role, text: &str) {
        let indent = text.chars().take_while(|letter| *letter == ' ').count();
        self.lines
            .push(StyledLine::new(role, text).with_hanging_indent(indent + 2));
    }

    /// Returns the notices about earlier decisions.
    pub(super) fn notices(notices: &[String]) -> Self {
        let mut page = Self::new(
            "Changed since you decided",
            "↑ ↓ scroll   any other key goes on",
        );
        for notice in notices {
            page.line(Role::Caution, notice);
        }
        page
    }

    pub(super) fn help() -> Self {
        let mut page = Self::new("Keys", "↑ ↓ scroll   any other key goes back");
        for (keys, action) in HELP {
            let line =
                StyledLine::new(Role::Heading, &format!("{keys:<16}")).with(Role::Plain, action);
            page.lines.push(line.with_hanging_indent(16));
        }
        page
    }

    /// Returns the question whether to accept something that has these warnings.
    pub(super) fn confirm(what: &str, warnings: &[String]) -> Self {
        let mut page = Self::new("Accept this?", "y accept   Esc back");
        page.line(Role::Plain, what);
        for warning in warnings {
            page.line(Role::Bad, &format!("! {warning}"));
        }
        page
    }

    /// Returns the question whether to approve a call.
    pub(super) fn approval(approval: &WaitingApproval) -> Self {
        let mut page = Self::new("Approve this call?", "y approve   Esc back");
        page.lines.clone_from(&approval.lines);
        page
    }

    /// Whether the last row was on the screen.
    pub(super) fn is_read(&self) -> bool {
        self.shown.0 >= self.shown.1
    }

    /// Scrolls by a key; returns whether the key scrolls.
    pub(super) fn scrolled(&mut self, key: KeyCode) -> bool {
        let last = self.shown.1.saturating_sub(1);
        self.scroll = match key {
            KeyCode::Down | KeyCode::Char('j') => (self.scroll + 1).min(last),
            KeyCode::Char(' ') | KeyCode::PageDown => (self.scroll + self.height).min(last),
            KeyCode::Up | KeyCode::Char('k') => self.scroll.saturating_sub(1),
            KeyCode::PageUp => self.scroll.saturating_sub(self.height),
            _ => return false,
        };
        true
    }

    /// Returns the title, the lines and the keys, for a terminal without a screen.
    pub(super) fn parts(&mut self) -> (&str, &[StyledLine], &str) {
        self.shown = (0, 0);
        (&self.title, &self.lines, &self.keys)
    }

    fn draw(&mut self, paint: &mut Paint<'_>, area: Rect) {
        paint.fill(area);
        let rows = folded(&self.lines, area.width);
        let height = usize::from(area.height.saturating_sub(3));
        self.height = height.max(1);
        self.scroll = self.scroll.min(rows.len().saturating_sub(height));
        let (first, end) = (self.scroll, (self.scroll + height).min(rows.len()));
        // Only what follows without a gap was read.
        if first <= self.shown.0 {
            self.shown.0 = self.shown.0.max(end);
        }
        self.shown.1 = rows.len();
        let below = rows.len() - end;
        paint.line(
            area.x,
            area.y,
            &StyledLine::new(Role::Heading, &self.title),
            area.width,
        );
        for (y, row) in (area.y + 2..).zip(rows.get(first..end).unwrap_or_default()) {
            paint.line(area.x, y, row, area.width);
        }
        let keys = match below {
            0 => self.keys.clone(),
            below => format!("↓ {} below   {}", count(below, "row"), self.keys),
        };
        let y = area.bottom().saturating_sub(1);
        paint.line(area.x, y, &StyledLine::new(Role::Hint, &keys), area.width);
    }
}

fn folded(lines: &[StyledLine], columns: u16) -> Vec<StyledLine> {
    lines
        .iter()
        .flat_map(|line| line.folded(usize::from(columns)))
        .collect()
}

// ---- The change ----

/// A row of the text of a change.
struct Row {
    item: Option<usize>,
    sign: Sign,
    line: StyledLine,
}

/// The rows of the change that were drawn last, and the scroll position.
#[derive(Default)]
pub(super) struct Body {
    rows: Vec<Row>,
    /// The columns that the rows are folded to; 0 if they have to be made again.
    columns: u16,
    scroll: usize,
    /// Number of visible rows.
    height: usize,
}

impl Body {
    /// Makes the rows again with the next drawing.
    pub(super) fn forget(&mut self) {
        self.columns = 0;
    }

    fn fold(&mut self, session: &Session, columns: u16) {
        if self.columns == columns {
            return;
        }
        self.columns = columns;
        let width = usize::from(columns.saturating_sub(MARGIN));
        let lines = lines_of(session, session.selected);
        let rows = lines.into_iter().flat_map(|line| {
            let rows = line.line.folded(width).into_iter();
            rows.map(move |row| Row {
                item: line.item,
                sign: line.sign,
                line: row,
            })
        });
        self.rows = rows.collect();
    }

    fn rows_of(&self, item: usize) -> Range<usize> {
        let is_of = |row: &Row| row.item == Some(item);
        let first = self.rows.iter().position(is_of).unwrap_or(0);
        let last = self.rows.iter().rposition(is_of).unwrap_or(0);
        first..last + 1
    }

    /// Whether the item has rows below the screen.
    pub(super) fn ends_below(&self, item: usize) -> bool {
        self.rows_of(item).end > self.scroll + self.height
    }

    /// Whether the item has rows above the screen.
    pub(super) fn starts_above(&self, item: usize) -> bool {
        self.rows_of(item).start < self.scroll
    }

    pub(super) fn show_start_of(&mut self, item: usize) {
        let rows = self.rows_of(item);
        if rows.start < self.scroll || rows.end > self.scroll + self.height {
            self.scroll = rows.start;
        }
    }

    pub(super) fn show_end_of(&mut self, item: usize) {
        let rows = self.rows_of(item);
        if rows.start < self.scroll {
            self.scroll = rows.start.max(rows.end.saturating_sub(self.height));
        }
    }

    /// Scrolls by this number of pages; up if negative.
    pub(super) fn scroll_by(&mut self, pages: isize) {
        let page = isize::try_from(self.height.saturating_sub(2).max(1)).unwrap_or(1);
        self.scroll_rows(pages.saturating_mul(page));
    }

    /// Scrolls by rows. Drawing keeps the last rows on the screen.
    pub(super) fn scroll_rows(&mut self, rows: isize) {
        self.scroll = self.scroll.saturating_add_signed(rows).min(self.rows.len());
    }
}

// ---- Drawing ----

/// The buffer, and whether it has colours.
struct Paint<'frame> {
    buffer: &'frame mut Buffer,
    has_colour: bool,
}

impl Paint<'_> {
    fn style(&self, role: Role) -> Style {
        let wanted = role.style();
        let effects = wanted.get_effects();
        let mut style = Style::new();
        for (effect, modifier) in [
            (anstyle::Effects::BOLD, Modifier::BOLD),
            (anstyle::Effects::DIMMED, Modifier::DIM),
            (anstyle::Effects::UNDERLINE, Modifier::UNDERLINED),
        ] {
            if effects.contains(effect) {
                style = style.add_modifier(modifier);
            }
        }
        match wanted.get_fg_color() {
            Some(anstyle::Color::Ansi(colour)) if self.has_colour => style.fg(Color::Indexed(
                anstyle::Ansi256Color::from_ansi(colour).index(),
            )),
            _ => style,
        }
    }

    fn fill(&mut self, area: Rect) {
        for y in area.top()..area.bottom() {
            let blank = " ".repeat(usize::from(area.width));
            self.buffer
                .set_stringn(area.x, y, blank, usize::from(area.width), Style::reset());
        }
    }

    fn line(&mut self, x: u16, y: u16, line: &StyledLine, columns: u16) {
        let (mut at, end) = (x, x.saturating_add(columns));
        for (role, text) in line.spans() {
            let left = usize::from(end.saturating_sub(at));
            (at, _) = self
                .buffer
                .set_stringn(at, y, text, left, self.style(*role));
        }
    }
}

impl Session {
    /// Draws the list, the change and the keys.
    pub(super) fn draw(&mut self, frame: &mut Frame<'_>, has_colour: bool) {
        let area = frame.area();
        let mut paint = Paint {
            buffer: frame.buffer_mut(),
            has_colour,
        };
        self.is_hidden = area.width < SMALLEST.0 || area.height < SMALLEST.1;
        if self.is_hidden {
            let text = format!(
                "The window is too small: the review needs {} columns and {} rows. Make the window larger, or press q to leave. Your decisions are kept.",
                SMALLEST.0, SMALLEST.1
            );
            for (y, row) in (area.top()..area.bottom())
                .zip(folded(&[StyledLine::new(Role::Plain, &text)], area.width))
            {
                paint.line(area.x, y, &row, area.width);
            }
            return;
        }
        match &mut self.over {
            Over::Text(page) | Over::Confirm(_, page) | Over::Finish(page) => {
                page.draw(&mut paint, area);
            }
            Over::None | Over::Comment(_) => self.draw_all(&mut paint, area),
        }
    }

    fn draw_all(&mut self, paint: &mut Paint<'_>, area: Rect) {
        let below = self.draw_bottom(paint, area);
        let items = 0..self.list.items.len();
        let all = count(items.len(), "change");
        let decided = items
            .filter(|item| self.decisions.mark(*item) != Mark::Waits)
            .count();
        let title = StyledLine::new(Role::Heading, "Review")
            .with(Role::Plain, &format!("  {decided} of {all} decided"));
        paint.line(area.x, area.y, &title, area.width);
        let rest = Rect {
            y: area.y + 1,
            height: area.height.saturating_sub(1 + below),
            ..area
        };
        if area.width < BESIDE {
            match self.focus {
                Focus::List => self.draw_list(paint, rest),
                Focus::Change => self.draw_change(paint, rest),
            }
            return;
        }
        let list = (area.width / 3).clamp(26, 44);
        for y in rest.top()..rest.bottom() {
            paint.line(area.x + list, y, &StyledLine::new(Role::Faint, "│"), 1);
        }
        self.draw_list(
            paint,
            Rect {
                width: list,
                ..rest
            },
        );
        let right = Rect {
            x: rest.x + list + 1,
            width: rest.width - list - 1,
            ..rest
        };
        self.draw_change(paint, right);
    }

    /// Draws the message and the keys; returns how many rows they take.
    fn draw_bottom(&self, paint: &mut Paint<'_>, area: Rect) -> u16 {
        let (message, keys) = match (&self.over, &self.message) {
            (Over::Comment(text), _) => (
                Some(
                    StyledLine::new(Role::Hint, &format!("Comment on {}: ", self.commented()))
                        .with(Role::Plain, &format!("{}_", frontend::escape::line(text))),
                ),
                "Enter keeps the comment   Esc drops it".to_owned(),
            ),
            (_, message) => {
                let message = message
                    .as_ref()
                    .map(|(role, text)| StyledLine::new(*role, text));
                (message, keys_within(area.width))
            }
        };
        let rows = message
            .map(|line| line.folded(usize::from(area.width)))
            .unwrap_or_default();
        // The end of a long comment is what is being typed; of a message its beginning matters more.
        let rows = if matches!(self.over, Over::Comment(_)) {
            &rows[rows.len().saturating_sub(MOST_MESSAGE)..]
        } else {
            &rows[..rows
                .len()
                .min(MOST_MESSAGE.max(usize::from(area.height) / 2))]
        };
        let height = u16::try_from(rows.len() + 1).unwrap_or(1);
        for (y, row) in (area.bottom().saturating_sub(height)..).zip(rows) {
            paint.line(area.x, y, row, area.width);
        }
        let y = area.bottom().saturating_sub(1);
        paint.line(area.x, y, &StyledLine::new(Role::Hint, &keys), area.width);
        height
    }

    fn draw_list(&self, paint: &mut Paint<'_>, area: Rect) {
        let height = usize::from(area.height);
        let lines = |at: usize| -> Vec<StyledLine> {
            let entry = self.list.entries.get(at);
            entry
                .map(|entry| self.list_rows(entry, at, area.width))
                .unwrap_or_default()
        };
        // The selected row is a third down, as far as there are rows above.
        let mut above: Vec<StyledLine> = Vec::new();
        let mut first = self.selected;
        while first > 0 && above.len() < height / 3 {
            first -= 1;
            above.splice(0..0, lines(first));
        }
        let above_count = above.len();
        let mut rows = above;
        let mut next = self.selected;
        while next < self.list.entries.len() && rows.len() < height + above_count {
            rows.extend(lines(next));
            next += 1;
        }
        // The rest of the screen shows what is above.
        while first > 0 && rows.len() < height {
            first -= 1;
            rows.splice(0..0, lines(first));
        }
        let cut = if rows.len() > height && next <= self.selected + 1 {
            rows.len() - height
        } else {
            0
        };
        for (y, row) in (area.top()..area.bottom()).zip(rows.iter().skip(cut)) {
            paint.line(area.x, y, row, area.width);
        }
    }

    /// Returns the rows of one entry. The selected one has a sign before it.
    fn list_rows(&self, entry: &Entry, at: usize, columns: u16) -> Vec<StyledLine> {
        let is_selected = at == self.selected;
        let cursor = if is_selected { "> " } else { "  " };
        let role = match (entry.kind, is_selected && self.focus == Focus::List) {
            (EntryKind::Draft | EntryKind::Heading, _) | (_, true) => Role::Heading,
            _ => Role::Plain,
        };
        let mut line = StyledLine::new(Role::Hint, cursor);
        let mut hang = 2;
        if entry.is_decidable() {
            line = line.with(
                Role::Plain,
                &format!("{} ", self.sign_of(entry.items.clone())),
            );
            hang = 6;
        }
        if entry.has_warning {
            line = line.with(Role::Bad, "! ");
        }
        line = line.with(role, &entry.label).with_hanging_indent(hang);
        let mut rows = line.folded(usize::from(columns));
        // The change has the whole name.
        if rows.len() > MOST_ROWS {
            let gap = StyledLine::new(Role::Faint, &format!("{:hang$}…", ""));
            rows.splice(MOST_ROWS - 2..rows.len() - 1, [gap]);
        }
        rows
    }

    pub(super) fn sign_of(&self, items: Range<usize>) -> &'static str {
        match self.decisions.common_mark(items) {
            Some(Mark::Waits) => "[ ]",
            Some(Mark::Accept) => "[a]",
            Some(Mark::Reject) => "[r]",
            None => "[~]",
        }
    }

    fn draw_change(&mut self, paint: &mut Paint<'_>, area: Rect) {
        let mut body = std::mem::take(&mut self.body);
        body.fold(self, area.width);
        let mut top = area;
        if body.scroll > 0 {
            let rows = self.sticky_rows(area);
            for (y, row) in (area.y..).zip(&rows) {
                paint.line(area.x, y, row, area.width);
            }
            let height = u16::try_from(rows.len()).unwrap_or(0);
            top = Rect {
                y: area.y + height,
                height: area.height - height,
                ..area
            };
        }
        body.height = usize::from(top.height);
        body.scroll = body.scroll.min(body.rows.len().saturating_sub(body.height));
        let visible = body.scroll..(body.scroll + body.height).min(body.rows.len());
        for (y, row) in (top.y..).zip(body.rows.get(visible.clone()).unwrap_or_default()) {
            let is_current = row.item == Some(self.item) && self.focus == Focus::Change;
            let bar = if is_current { "▌" } else { " " };
            paint.line(top.x, y, &StyledLine::new(Role::Hint, bar), 1);
            let (x, columns) = (top.x + MARGIN, top.width.saturating_sub(MARGIN));
            match (row.sign, row.item) {
                (Sign::Decision, Some(item)) => {
                    let sign = self.sign_of(item..item + 1);
                    let line = StyledLine::new(Role::Plain, &format!("{sign} "));
                    paint.line(top.x + 1, y, &line, 4);
                    paint.line(top.x + 5, y, &row.line, columns.saturating_sub(2));
                }
                (Sign::Change(sign), _) => {
                    let role = match sign {
                        '+' => Role::Added,
                        '-' => Role::Removed,
                        _ => Role::Faint,
                    };
                    paint.line(top.x + 1, y, &StyledLine::new(role, &sign.to_string()), 1);
                    paint.line(x, y, &row.line, columns);
                }
                (Sign::Decision, None) => paint.line(x, y, &row.line, columns),
            }
        }
        self.see(&body, &visible);
        self.body = body;
    }

    /// Remembers which items were on the screen.
    fn see(&mut self, body: &Body, visible: &Range<usize>) {
        let item_at = |at: Option<usize>| body.rows.get(at?)?.item;
        for at in visible.clone() {
            let item = item_at(Some(at));
            let Some(seen) = item.and_then(|item| self.decisions.seen.get_mut(item)) else {
                continue;
            };
            seen.0 |= item_at(at.checked_sub(1)) != item;
            seen.1 |= item_at(Some(at + 1)) != item;
        }
    }

    /// Returns the warnings of the change, which stay at the top while it is scrolled.
    fn sticky_rows(&self, area: Rect) -> Vec<StyledLine> {
        let Some(entry) = self
            .list
            .entries
            .get(self.selected)
            .filter(|entry| entry.is_decidable())
        else {
            return Vec::new();
        };
        let warnings = self.list.warnings(entry.items.clone());
        let lines: Vec<StyledLine> = warnings
            .iter()
            .map(|warning| {
                StyledLine::new(Role::Bad, &format!("! {warning}")).with_hanging_indent(2)
            })
            .collect();
        let rows = folded(&lines, area.width);
        if rows.len() <= usize::from(area.height / 3) {
            return rows;
        }
        let text = format!(
            "! {}: at the top, and beside the changes",
            count(warnings.len(), "warning")
        );
        folded(&[StyledLine::new(Role::Bad, &text)], area.width)
    }
}

/// Returns the keys that fit into a row of this width; no key is cut.
fn keys_within(columns: u16) -> String {
    let mut text = String::new();
    for key in KEYS {
        let gap = if text.is_empty() { "" } else { "  " };
        if text.chars().count() + gap.len() + key.len() <= usize::from(columns) {
            text += gap;
            text += key;
        }
    }
    text
}
