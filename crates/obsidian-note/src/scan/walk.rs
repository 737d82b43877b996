//! Walks the blocks of a note, into each container and out of it again.
//!
//! Pending work is on an explicit stack, so nesting cannot overflow the thread's stack. Containers
//! nest up to [`DEEPEST`] levels; deeper content is read as running text, which bounds the work to
//! that many passes over each line.

use super::{
    block::{self, BlockKind},
    block_id,
    facts::{Block, DEEPEST, Heading, ListItem, NoteFacts, Section, SectionKind},
    footnote,
    inline::Inline,
    lines::NoteLines,
    list::{self, ListItemLines},
    quote, table,
    written::Written,
};
use crate::cancellation::WorkCancelled;
use crate::frontmatter;

/// The steps between two checks whether to stop.
const STEPS_BETWEEN_LOOKS: u32 = 1024;

/// The containers around a block.
#[derive(Clone, Copy)]
struct BlockContext {
    /// The number of containers around.
    depth: u8,
    /// The list item that contains them, directly or from further out.
    item: Option<usize>,
    /// Whether they are direct children of that item and so decide its id and end.
    in_item: bool,
    /// The section whose id they may set: the section of a quote or footnote, with no list in between.
    section: Option<usize>,
}

impl BlockContext {
    const OUTERMOST: Self = Self {
        depth: 0,
        item: None,
        in_item: false,
        section: None,
    };

    fn deeper(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }
}

/// The lines of a container that are still to be read.
struct UnreadLines {
    next: usize,
    end: usize,
    place: BlockContext,
    /// The end of the last block in it; `None` once a list was found.
    block_end: Option<usize>,
    has_list: bool,
}

/// A work item on the explicit stack.
enum WalkStep {
    Blocks(UnreadLines),
    Item {
        item: ListItemLines,
        list_line: usize,
        place: BlockContext,
    },
}

struct BlockWalk<'t> {
    stops: &'t dyn Fn() -> bool,
    /// The blocks and containers that were read.
    steps: u32,
    lines: NoteLines<'t>,
    facts: NoteFacts,
    inline: Inline,
    work: Vec<WalkStep>,
    items: Vec<ListItemLines>,
    /// Block ids of list items, as pairs of indexes (id, item). The end of an item is known only
    /// after all is read, so the spans are set last.
    ids_of_items: Vec<(usize, usize)>,
}

/// Reads all of a note, unless `stops`, which is checked regularly, returns true.
pub(super) fn walk<'t>(
    lines: NoteLines<'t>,
    stops: &'t dyn Fn() -> bool,
) -> Result<NoteFacts, WorkCancelled> {
    walk_with(lines, stops, Inline::default()).map(|(facts, _)| facts)
}

/// As [`walk`], for the markup that is not a fact. With `hides_marks` comments, formulas and footnotes come before code.
pub(super) fn walk_written(lines: NoteLines<'_>, hides_marks: bool) -> Written {
    let walked = walk_with(lines, &|| false, Inline::for_written(hides_marks));
    let inline = walked.map(|(_, inline)| inline).unwrap_or_default();
    inline.written.unwrap_or_default()
}

/// As [`walk_written`] with `hides_marks`, for the facts.
pub(super) fn walk_hiding_marks(lines: NoteLines<'_>) -> NoteFacts {
    let walked = walk_with(lines, &|| false, Inline::for_written(true));
    walked.map(|(facts, _)| facts).unwrap_or_default()
}

/// Whether a text has marks that can hide those of code.
pub(super) fn hides_marks(text: &str) -> bool {
    ["%%", "$", "^["].iter().any(|mark| text.contains(mark))
}

fn walk_with<'t>(
    lines: NoteLines<'t>,
    stops: &'t dyn Fn() -> bool,
    inline: Inline,
) -> Result<(NoteFacts, Inline), WorkCancelled> {
    let mut facts = NoteFacts::default();
    // An estimate that saves most notes a reallocation.
    facts.sections.reserve(lines.count() / 4 + 1);
    let mut walk = BlockWalk {
        stops,
        steps: 0,
        lines,
        facts,
        inline,
        work: Vec::new(),
        items: Vec::new(),
        ids_of_items: Vec::new(),
    };
    let next = walk.frontmatter();
    let end = walk.lines.count();
    walk.work.push(WalkStep::Blocks(UnreadLines {
        next,
        end,
        place: BlockContext::OUTERMOST,
        block_end: None,
        has_list: false,
    }));
    while let Some(work) = walk.work.pop() {
        walk.step()?;
        match work {
            WalkStep::Blocks(rest) => walk.blocks(rest)?,
            WalkStep::Item {
                item,
                list_line,
                place,
            } => walk.item(&item, list_line, place),
        }
    }
    // Only now are the ends of all items final: an inner list ends its item early.
    for (id, item) in walk.ids_of_items {
        walk.facts.blocks[id].span = walk.facts.list_items[item].span;
    }
    Ok((walk.facts, walk.inline))
}

impl BlockWalk<'_> {
    /// Counts a step; fails once the work is to stop.
    fn step(&mut self) -> Result<(), WorkCancelled> {
        let is_due = self.steps.is_multiple_of(STEPS_BETWEEN_LOOKS);
        self.steps = self.steps.wrapping_add(1);
        if is_due && (self.stops)() {
            return Err(WorkCancelled);
        }
        Ok(())
    }

    /// Records the properties block, and returns the line after it.
    fn frontmatter(&mut self) -> usize {
        let Some(block) = frontmatter::split_unmarked(self.lines.text) else {
            return 0;
        };
        let closing = self.lines.line_of(block.yaml.end, 0);
        let end = self.lines.line(closing).start + "---".len();
        let span = self.lines.span(0, end, 0);
        // The app keeps no properties, and no position, for an empty block.
        let is_empty = self.lines.text[block.yaml].trim().is_empty();
        self.facts.frontmatter = (!is_empty).then_some(span);
        self.facts.sections.push(Section {
            kind: SectionKind::Yaml,
            id: None,
            span,
        });
        self.behind(closing, end)
    }

    /// Returns the line at which to continue after a block: its last line, if text follows the block there.
    fn behind(&mut self, line: usize, end: usize) -> usize {
        if end < self.lines.line(line).end {
            self.lines.enter(line, end);
            if !self.lines.is_blank(line) {
                return line;
            }
        }
        line + 1
    }

    /// Reads blocks up to the end of their container, or to one that is a container itself; that
    /// one is read first and the rest afterwards.
    fn blocks(&mut self, mut rest: UnreadLines) -> Result<(), WorkCancelled> {
        while rest.next < rest.end {
            if self.lines.is_blank(rest.next) {
                rest.next += 1;
                continue;
            }
            self.step()?;
            let first = rest.next;
            let block = block::block_at(&self.lines, first, rest.end);
            let start = self.lines.line(first).from;
            match block.kind {
                BlockKind::Quote => {
                    self.quote(rest, start);
                    return Ok(());
                }
                BlockKind::List => {
                    self.list(rest, start);
                    return Ok(());
                }
                BlockKind::Footnote(text) => {
                    self.footnote(rest, start, text);
                    return Ok(());
                }
                _ => {}
            }
            let end = match block.kind {
                BlockKind::Comment { end } => end,
                _ => self.lines.line(block.last).end,
            };
            rest.block_end = Some(end);
            self.leaf(&block.kind, rest.place, (start, end, first, block.last));
            rest.next = self.behind(block.last, end);
        }
        Ok(())
    }

    /// Reads a block without inner blocks, given by its bytes and lines.
    fn leaf(
        &mut self,
        kind: &BlockKind,
        place: BlockContext,
        (start, end, first, last): (usize, usize, usize, usize),
    ) {
        let previous = self.facts.sections.len().checked_sub(1);
        let section = self.section(kind, place, (start, end, first));
        self.written(kind, (start, end), (first, last));
        match kind {
            BlockKind::Paragraph => {
                let has_rows = table::is_within(&self.lines, first, last);
                self.text(start, end, first, has_rows);
                self.block_id((start, end), place, section, previous);
            }
            BlockKind::Comment { .. } => self.text(start, end, first, false),
            BlockKind::Heading { level, text } => {
                self.text(text.start, text.end, first, false);
                if section.is_some() {
                    let span = self.lines.span(start, end, first);
                    let text = self.lines.copy_if_wanted(text.clone());
                    self.facts.headings.push(Heading {
                        text,
                        level: *level,
                        span,
                    });
                    self.block_id((start, end), place, section, previous);
                }
            }
            BlockKind::Table => self.rows(first, last),
            _ => {}
        }
    }

    /// Records a block that is not rendered, or a definition, if these are requested.
    fn written(
        &mut self,
        kind: &BlockKind,
        (start, end): (usize, usize),
        (first, last): (usize, usize),
    ) {
        let Some(written) = &mut self.inline.written else {
            return;
        };
        let text = self.lines.text.get(start..end).unwrap_or_default();
        match kind {
            BlockKind::Code if !self.lines.is_code_indented(first) => {
                let content = (first + 1..=last).map(|line| self.lines.content(line));
                written.fence(
                    self.lines.content(first),
                    content,
                    self.lines.line(first).first..end,
                );
            }
            BlockKind::Comment { .. } if text.trim_start().len() > 3 && text.ends_with("%%") => {
                written.comments.push(start..end);
            }
            BlockKind::Html if text.trim_start().starts_with("<!--") => {
                let from = end - text.trim_start().len();
                written.html_comment(self.lines.text, from..end);
            }
            BlockKind::Definition => written.definition(self.lines.text, start..end),
            _ => {}
        }
    }

    /// Records a section, if the block is an outermost one.
    fn section(
        &mut self,
        kind: &BlockKind,
        place: BlockContext,
        (start, end, line): (usize, usize, usize),
    ) -> Option<usize> {
        if place.depth > 0 {
            return None;
        }
        let kind = match kind {
            BlockKind::Code => SectionKind::Code,
            BlockKind::Comment { .. } => SectionKind::Comment,
            BlockKind::Math => SectionKind::Math,
            BlockKind::Quote if self.title_of_callout(line).is_some() => SectionKind::Callout,
            BlockKind::Quote => SectionKind::Blockquote,
            BlockKind::Heading { .. } => SectionKind::Heading,
            BlockKind::Break => SectionKind::ThematicBreak,
            BlockKind::List => SectionKind::List,
            BlockKind::Html => SectionKind::Html,
            BlockKind::Footnote(_) => SectionKind::FootnoteDefinition,
            BlockKind::Definition => SectionKind::Definition,
            BlockKind::Table => SectionKind::Table,
            BlockKind::Paragraph => SectionKind::Paragraph,
        };
        let span = self.lines.span(start, end, line);
        self.facts.sections.push(Section {
            kind,
            id: None,
            span,
        });
        Some(self.facts.sections.len() - 1)
    }

    fn text(&mut self, start: usize, end: usize, line: usize, in_table: bool) {
        self.inline
            .read(&self.lines, &mut self.facts, (start, end, line), in_table);
    }

    fn rows(&mut self, first: usize, last: usize) {
        // The second row is the delimiter row, which has no text.
        for row in (first..=last).filter(|&row| row != first + 1) {
            let line = self.lines.line(row);
            for cell in table::cells(self.lines.bytes(), line.from, line.end) {
                self.text(cell.start, cell.end, row, true);
            }
        }
    }

    /// Records the block id at the end of a text, for the list item around it, or else for its
    /// section; an id that is alone is for the section before.
    fn block_id(
        &mut self,
        (start, end): (usize, usize),
        place: BlockContext,
        section: Option<usize>,
        previous: Option<usize>,
    ) {
        let Some(found) = block_id::at_end(&self.lines.text[start..end]) else {
            return;
        };
        let id = found.id.to_owned();
        if place.in_item
            && let Some(item) = place.item
        {
            let span = self.facts.list_items[item].span;
            self.facts.list_items[item].id = Some(id.clone());
            self.ids_of_items.push((self.facts.blocks.len(), item));
            self.facts.blocks.push(Block { id, span });
            return;
        }
        let section = if found.alone {
            previous.or(section)
        } else {
            section
        };
        if let Some(section) = section.or(place.section) {
            let section = &mut self.facts.sections[section];
            section.id = Some(id.clone());
            self.facts.blocks.push(Block {
                id,
                span: section.span,
            });
        }
    }

    fn quote(&mut self, rest: UnreadLines, start: usize) {
        let first = rest.next;
        let last = quote::enter(&mut self.lines, first, rest.end);
        self.container(&BlockKind::Quote, rest, start, last);
    }

    fn footnote(&mut self, rest: UnreadLines, start: usize, text: usize) {
        let first = rest.next;
        let last = footnote::enter(&mut self.lines, text, first, rest.end);
        self.container(&BlockKind::Footnote(text), rest, start, last);
    }

    /// Enters a quote or a footnote whose lines are adjusted already; the rest of its parent is
    /// read afterwards.
    fn container(&mut self, kind: &BlockKind, mut rest: UnreadLines, start: usize, last: usize) {
        let first = rest.next;
        let end = self.lines.line(last).end;
        let section = self.section(kind, rest.place, (start, end, first));
        let mut place = rest.place.deeper();
        // Blocks inside a quote or footnote are not direct children of the list item.
        place.in_item = false;
        place.section = section.or(rest.place.section);
        rest.next = last + 1;
        rest.block_end = Some(end);
        self.work.push(WalkStep::Blocks(rest));
        let title = match kind {
            BlockKind::Quote => self.title_of_callout(first),
            _ => None,
        };
        let Some(title) = title else {
            return self.inside(first, last + 1, place);
        };
        // The title is a block of its own, and a new one begins below it.
        self.lines.enter(first, self.lines.line(first).from + title);
        if last > first {
            self.inside(first + 1, last + 1, place);
        }
        self.inside(first, first + 1, place);
    }

    fn title_of_callout(&self, line: usize) -> Option<usize> {
        quote::title_of_callout(self.lines.content(line))
    }

    /// Reads the inside of a container, unless it is too deep; then all of it is text.
    fn inside(&mut self, next: usize, end: usize, place: BlockContext) {
        if place.depth < DEEPEST {
            self.work.push(WalkStep::Blocks(UnreadLines {
                next,
                end,
                place,
                block_end: None,
                has_list: false,
            }));
        } else {
            self.facts.is_too_deep |= self.holds_blocks(next, end);
            let (start, end) = (self.lines.line(next).from, self.lines.line(end - 1).end);
            self.text(start, end, next, false);
        }
    }

    /// Whether a part that is read as text would contain another container.
    fn holds_blocks(&self, next: usize, end: usize) -> bool {
        let is_container = |kind: &BlockKind| {
            matches!(
                kind,
                BlockKind::Quote | BlockKind::List | BlockKind::Footnote(_)
            )
        };
        (next..end)
            .filter(|&at| !self.lines.is_blank(at))
            .any(|at| is_container(&block::block_at(&self.lines, at, at + 1).kind))
    }

    fn list(&mut self, mut rest: UnreadLines, start: usize) {
        let first = rest.next;
        let last = list::enter(&mut self.lines, first, rest.end, &mut self.items);
        let end = self.lines.line(last).end;
        self.section(&BlockKind::List, rest.place, (start, end, first));
        // An item with an inner list ends before the first one, if other content comes before that.
        if rest.place.in_item
            && !rest.has_list
            && let Some(item) = rest.place.item
            && let Some(before) = rest.block_end
        {
            self.end_item(item, before);
        }
        let place = BlockContext {
            section: None,
            ..rest.place
        };
        rest.next = last + 1;
        rest.has_list = true;
        self.work.push(WalkStep::Blocks(rest));
        // Reversed, because the stack pops the last one first.
        let items = self.items.drain(..).rev();
        self.work.extend(items.map(|item| WalkStep::Item {
            item,
            list_line: first,
            place,
        }));
    }

    fn end_item(&mut self, item: usize, end: usize) {
        let span = &mut self.facts.list_items[item].span;
        let line = self.lines.line_of(end, span.start.line as usize);
        span.end = self.lines.position(end, line);
    }

    fn item(&mut self, item: &ListItemLines, list_line: usize, place: BlockContext) {
        let task = list::take_task(&mut self.lines, item.first);
        let end = if item.blank_after {
            self.lines.line(item.last + 1).from
        } else {
            self.lines.line(item.last).end
        };
        let parent = match place.item {
            Some(parent) => i64::from(self.facts.list_items[parent].span.start.line),
            None => -i64::try_from(list_line.max(1)).unwrap_or(i64::MAX),
        };
        let span = self.lines.span(item.start, end, item.first);
        self.facts.list_items.push(ListItem {
            parent,
            task,
            id: None,
            span,
        });
        let mut inside = place.deeper();
        inside.item = Some(self.facts.list_items.len() - 1);
        inside.in_item = true;
        self.inside(item.first, item.last + 1, inside);
    }
}
