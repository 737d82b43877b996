//! The parts of a note that `line:`, `block:`, `section:` and `task:` search, as byte ranges of its
//! text (`vault-semantics.md` §4.1).

use std::ops::Range;

use obsidian_note::{ListItem, Section, SectionKind, Span};

use super::document::Document;
use super::expression::{NotePart, TaskState};

/// Returns the parts of one kind within `range`, in order. A part that extends beyond the range is
/// cut.
pub(super) fn slices<'note>(
    document: &'note Document<'note>,
    part: NotePart,
    range: Range<usize>,
) -> Box<dyn Iterator<Item = Range<usize>> + 'note> {
    match part {
        NotePart::Line => Box::new(lines(document.text(), range)),
        NotePart::Block => Box::new(blocks(document, range)),
        NotePart::Section => Box::new(sections(document, range)),
        NotePart::Task(state) => Box::new(tasks(document, state, range)),
    }
}

/// Returns the lines, without their line ends.
fn lines(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes().get(range.clone()).unwrap_or_default();
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let start = next?;
        let rest = bytes.get(start..)?;
        let length = memchr::memchr(b'\n', rest);
        next = length.map(|length| start + length + 1);
        let line = rest.get(..length.unwrap_or(rest.len()))?;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        Some(range.start + start..range.start + start + line.len())
    })
}

/// Returns the blocks of the text, such as paragraphs. Each outermost item of a list is a block of its own.
fn blocks<'note>(
    document: &'note Document<'note>,
    range: Range<usize>,
) -> impl Iterator<Item = Range<usize>> + 'note {
    let facts = document.facts();
    within(&facts.sections, |section| section.span, range.clone())
        .iter()
        .flat_map(move |section: &'note Section| {
            let whole = bytes(section.span);
            let mut ends = Vec::new();
            if section.kind == SectionKind::List {
                let items = within(&facts.list_items, |item| item.span, whole.clone());
                let outermost = items.iter().filter(|item| item.parent < 0);
                ends.extend(outermost.map(|item| bytes(item.span).start).skip(1));
            }
            ends.push(whole.end);
            let mut start = whole.start;
            ends.into_iter().map(move |end| {
                let block = start..end;
                start = end;
                block
            })
        })
        .filter_map(move |block| cut(&block, &range))
}

/// Returns the text from each heading, its line included, up to the next one; and the text before
/// the first.
fn sections<'note>(
    document: &'note Document<'note>,
    range: Range<usize>,
) -> impl Iterator<Item = Range<usize>> + 'note {
    let headings = &document.facts().headings;
    let start = |index: usize| headings.get(index).map(|heading| bytes(heading.span).start);
    // A heading at the start of the range begins its first section; it does not end one.
    let mut next =
        Some(headings.partition_point(|heading| bytes(heading.span).start <= range.start));
    let mut from = range.start;
    std::iter::from_fn(move || {
        let index = next?;
        let end = start(index).filter(|end| *end < range.end);
        next = end.map(|_| index + 1);
        let section = from..end.unwrap_or(range.end);
        from = section.end;
        Some(section)
    })
}

/// Returns the text of each task after its brackets.
fn tasks<'note>(
    document: &'note Document<'note>,
    state: TaskState,
    range: Range<usize>,
) -> impl Iterator<Item = Range<usize>> + 'note {
    let items = within(
        &document.facts().list_items,
        |item| item.span,
        range.clone(),
    );
    items.iter().enumerate().filter_map(move |(index, item)| {
        let mark = item.task?;
        let wanted = match state {
            TaskState::Any => true,
            TaskState::Todo => mark == ' ',
            TaskState::Done => mark != ' ',
        };
        let task = wanted.then(|| task_text(document.text(), item, items.get(index + 1)))??;
        cut(&task, &range)
    })
}

fn task_text(text: &str, item: &ListItem, next: Option<&ListItem>) -> Option<Range<usize>> {
    let mut whole = bytes(item.span);
    // The span of an item includes the items below it, which are tasks of their own.
    if let Some(next) = next {
        whole.end = whole.end.min(bytes(next.span).start).max(whole.start);
    }
    let (before, after) = text.get(whole.clone())?.split_once('[')?;
    let mark = after.chars().next()?.len_utf8();
    let content = after.get(mark..)?.strip_prefix(']')?;
    let space = content.len() - content.trim_start_matches([' ', '\t']).len();
    Some(whole.start + before.len() + 1 + mark + 1 + space..whole.end)
}

/// The items that touch `range`. The items must be in the order of the text.
fn within<T>(items: &[T], span: impl Fn(&T) -> Span, range: Range<usize>) -> &[T] {
    let first = items.partition_point(|item| bytes(span(item)).start < range.start);
    // An item that begins before the range may extend into it.
    let first = match first
        .checked_sub(1)
        .and_then(|index| Some((index, items.get(index)?)))
    {
        Some((index, item)) if bytes(span(item)).end > range.start => index,
        _ => first,
    };
    let end = items.partition_point(|item| bytes(span(item)).start < range.end);
    items.get(first..end).unwrap_or_default()
}

/// Returns the intersection of `part` and `range`, which may be empty; `None` if they do not touch.
fn cut(part: &Range<usize>, range: &Range<usize>) -> Option<Range<usize>> {
    let both = part.start.max(range.start)..part.end.min(range.end);
    (both.start <= both.end).then_some(both)
}

/// Returns the byte range of a span.
pub(super) fn bytes(span: Span) -> Range<usize> {
    let byte = |byte: u32| usize::try_from(byte).unwrap_or(usize::MAX);
    byte(span.start.byte)..byte(span.end.byte)
}
