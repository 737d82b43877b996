//! One pass over a note: links, embeds, tags, headings, list items, sections, block ids.
//!
//! [`scan`] works in two steps, as `vault-semantics.md` §3.9 outlines. `walk` cuts the text into
//! blocks, container by container, and hands each stretch of running text to `inline`. Both keep
//! their own stacks, so that no text, however deeply nested, can exhaust the thread's.
//!
//! The rules for blocks come from a markdown parser older than `CommonMark` 0.29's reference implementations
//! (`vault-semantics.md` §3.4): what belongs to a list is decided line by line before anything inside it is looked at,
//! and the marker of a task is part of the item's marker.
//!
//! Our choices where the app's behaviour is not known: a comment or a formula between marks on lines of their own that
//! never ends extends to the end of its container; headings in quotes and lists are not listed; a block id alone in a
//! paragraph names the section before it; lists inside a quote inside an item have that item as their parent; only the
//! outermost of nested markdown links counts.

mod block;
mod block_id;
mod comment;
mod definition;
mod doubt;
mod facts;
mod fence;
mod footnote;
mod heading;
mod html;
mod inline;
mod interrupt;
mod lines;
mod link;
mod list;
mod math;
mod opaque;
mod quote;
mod table;
mod tag;
mod walk;
mod written;

#[cfg(test)]
mod tests;

use lines::NoteLines;

use crate::cancellation::{CancellationToken, WorkCancelled};

pub use facts::{
    Block, DEEPEST, Heading, Link, ListItem, NoteFacts, Position, Section, SectionKind, Span, Tag,
};
pub use written::{CodeText, LinkDefinition, Written, WrittenLink, written};

pub use lines::with_line_feeds;
pub use link::written_destination;
pub use list::task_box;

/// Finds everything in a note that the app's metadata cache would contain, with positions.
///
/// `text` is the note without its byte order mark: the app strips one when it reads a file
/// (`vault-semantics.md` §2.1), so the caller must, or every offset is one too high and properties
/// are not seen. Lines end in `\n` or `\r\n`.
///
/// Takes time linear in the length of the text, for any text. Positions have 32 bits, so the result
/// is empty for a text of 4 GiB or more (the app indexes none above 2 MB).
///
/// ```
/// use obsidian_note::scan::scan;
///
/// let facts = scan("See [[Garden]] about #seeds.\n");
/// assert_eq!(facts.links[0].original, "[[Garden]]");
/// assert_eq!(facts.tags[0].tag, "#seeds");
/// ```
pub fn scan(text: &str) -> NoteFacts {
    scan_lines(text, NoteLines::split, &|| false).unwrap_or_default()
}

/// As [`scan`]; fails once the work is cancelled. For notes too large for the app, which commands
/// about one note still read.
pub(crate) fn scan_under(text: &str, stop: &CancellationToken) -> Result<NoteFacts, WorkCancelled> {
    scan_lines(text, NoteLines::split, &|| stop.is_cancelled())
}

/// As [`scan`], in half the time, for an index: positions count bytes instead of UTF-16 code units,
/// links have only their targets, and headings have no text.
pub(crate) fn scan_for_index(text: &str) -> NoteFacts {
    scan_lines(text, NoteLines::split_for_index, &|| false).unwrap_or_default()
}

/// Returns the text that other readers than the app may take for tags, and tags of the app: behind a mark such as `(`,
/// or if a comment, a formula or a footnote hides the mark of code.
pub(crate) fn other_tags(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let mut tags = memchr::memchr_iter(b'#', bytes).peekable();
    let hides_marks = tags.peek().is_some() && walk::hides_marks(text);
    let is_behind_mark = |at: usize| at > 0 && inline::is_mark_before_tag(bytes[at - 1]);
    if u32::try_from(text.len()).is_err() || !hides_marks && !tags.any(is_behind_mark) {
        return Vec::new();
    }
    let facts = walk::walk_hiding_marks(NoteLines::split_for_index(text));
    facts.tags.into_iter().map(|tag| tag.tag).collect()
}

fn scan_lines<'t>(
    text: &'t str,
    split: impl Fn(&'t str) -> NoteLines<'t>,
    stops: &dyn Fn() -> bool,
) -> Result<NoteFacts, WorkCancelled> {
    if u32::try_from(text.len()).is_err() {
        return Ok(NoteFacts::default());
    }
    walk::walk(split(text), stops)
}
