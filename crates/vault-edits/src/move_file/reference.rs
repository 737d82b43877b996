//! A link in a text: its target, and the bytes that spell it.

use std::ops::Range;

use obsidian_note::scan::{scan, written_destination};
use obsidian_note::{Frontmatter, Link};
use serde_json::{Map, Value};

/// The way to find links in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// The body of a note, or the text of a text node.
    Text,
    /// The value of a property, which is a link only as a whole.
    Property,
    /// The path in a file node of a canvas.
    Path,
}

/// The form of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// `[[…]]`, with `!` before it for an embed.
    Wikilink,
    /// `[…](…)`, or with the destination in angle brackets `[…](<…>)`.
    Markdown {
        /// Whether the destination is in angle brackets.
        enclosed: bool,
    },
    /// A bare path without link syntax.
    Path,
}

/// One link or embed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    /// The target without `#…`; empty for the note itself.
    pub(super) linkpath: String,
    /// The rest of the target from `#` on; may be empty.
    pub(super) subpath: String,
    /// The subpath of a file node of a canvas, which is not written in its path.
    pub(super) beside: Option<String>,
    pub(super) is_embed: bool,
    /// The places of its parts; `None` if they cannot be determined.
    pub(super) written: Option<Written>,
}

impl Reference {
    /// Returns the subpath that names a place in the target; empty for the whole file.
    pub(super) fn place(&self) -> &str {
        self.beside.as_deref().unwrap_or(&self.subpath)
    }
}

/// The byte ranges of a link's parts in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) form: Form,
    pub(super) linkpath: Range<usize>,
    /// The range from `#` to the end of the target.
    pub(super) subpath: Range<usize>,
    /// The alias of a wikilink, the label of a markdown link.
    pub(super) shown: Option<Range<usize>>,
}

/// Returns the links of a text, in its order.
pub(super) fn references(kind: Kind, text: &str) -> Vec<Reference> {
    match kind {
        Kind::Text => {
            let facts = scan(text);
            let embeds = facts.embeds.iter().map(|embed| (embed, true));
            let links = facts.links.iter().map(|link| (link, false));
            let mut all: Vec<(&Link, bool)> = embeds.chain(links).collect();
            all.sort_by_key(|(link, _)| link.span.start.byte);
            all.into_iter()
                .map(|(link, is_embed)| in_text(link, is_embed))
                .collect()
        }
        Kind::Property => property(text).into_iter().collect(),
        Kind::Path => {
            let (linkpath, subpath) = cut(text);
            let whole = 0..text.len();
            vec![Reference {
                linkpath,
                subpath,
                beside: None,
                is_embed: false,
                written: Some(Written {
                    form: Form::Path,
                    subpath: whole.end..whole.end,
                    linkpath: whole,
                    shown: None,
                }),
            }]
        }
    }
}

fn in_text(link: &Link, is_embed: bool) -> Reference {
    let start = usize::try_from(link.span.start.byte).unwrap_or(usize::MAX);
    let label = link.display.as_deref().map_or(0, str::len);
    let written = written(&link.original, usize::from(is_embed), &link.target, label);
    let (linkpath, subpath) = cut(&link.target);
    Reference {
        linkpath,
        subpath,
        beside: None,
        is_embed,
        written: written.map(|written| written.moved_by(start)),
    }
}

/// Returns the link, if the whole value of a property is one.
fn property(text: &str) -> Option<Reference> {
    // Checking the first byte is cheaper than parsing the value.
    if !text.starts_with('[') {
        return None;
    }
    let properties = Map::from_iter([(String::new(), Value::from(text))]);
    let link = Frontmatter { properties }.links().into_iter().next()?;
    let label = link.display.as_deref().map_or(0, str::len);
    let (linkpath, subpath) = cut(&link.target);
    Some(Reference {
        linkpath,
        subpath,
        beside: None,
        is_embed: false,
        written: written(text, 0, &link.target, label),
    })
}

/// Splits a target at its first `#`.
fn cut(target: &str) -> (String, String) {
    let at = target.find('#').unwrap_or(target.len());
    let (linkpath, subpath) = target.split_at(at);
    (linkpath.trim().to_owned(), subpath.to_owned())
}

/// Returns the parts of a link whose `[` is at `open`. A markdown link has a label of `label` bytes. Only wikilinks end
/// in a bracket.
fn written(original: &str, open: usize, target: &str, label: usize) -> Option<Written> {
    if original.ends_with(']') {
        return wikilink(original, open + 2, target);
    }
    let label = open + 1..open + 1 + label;
    let behind = label.end + 1;
    original.get(label.end..)?.strip_prefix("](")?;
    let destination = written_destination(original, behind)?;
    let enclosed = original.get(..destination.start)?.ends_with('<');
    let (linkpath, subpath) = halves(original, destination)?;
    Some(Written {
        form: Form::Markdown { enclosed },
        linkpath,
        subpath,
        shown: Some(label),
    })
}

fn wikilink(original: &str, from: usize, target: &str) -> Option<Written> {
    let end = original.len().checked_sub(2)?;
    let inside = original.get(from..end)?;
    // A bar at the very start is part of the target.
    let bar = inside
        .bytes()
        .skip(1)
        .position(|byte| byte == b'|')
        .map(|bar| bar + 1);
    let written = inside.get(..bar.unwrap_or(inside.len()))?;
    // The backslash that escapes the bar in a table is not part of the target.
    let written = written
        .strip_suffix('\\')
        .filter(|shorter| bar.is_some() && !target.ends_with('\\') && !shorter.is_empty())
        .unwrap_or(written);
    let (linkpath, subpath) = halves(original, from..from + written.len())?;
    let shown = bar.and_then(|bar| {
        let shown = trimmed(original, from + bar + 1..end)?;
        (!shown.is_empty()).then_some(shown)
    });
    Some(Written {
        form: Form::Wikilink,
        linkpath,
        subpath,
        shown,
    })
}

/// Returns the ranges of a target before its first `#`, without spaces around it, and from there
/// on.
fn halves(text: &str, target: Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
    let written = text.get(target.clone())?;
    let hash = target.start + written.find('#').unwrap_or(written.len());
    Some((trimmed(text, target.start..hash)?, hash..target.end))
}

fn trimmed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let part = text.get(range.clone())?;
    let start = range.start + part.len() - part.trim_start().len();
    Some(start..start + part.trim().len())
}

impl Written {
    fn moved_by(self, bytes: usize) -> Self {
        let moved = |range: Range<usize>| range.start + bytes..range.end + bytes;
        Self {
            form: self.form,
            linkpath: moved(self.linkpath),
            subpath: moved(self.subpath),
            shown: self.shown.map(moved),
        }
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    const CASES: &str = include_str!("reference_cases.txt");

    /// Shows the parsed linkpath, and linkpath, subpath and display text as written.
    fn parts(kind: Kind, text: &str) -> String {
        let at = |range: &Range<usize>| text[range.clone()].to_owned();
        let parts = references(kind, text).into_iter().map(|reference| {
            let written = reference.written.unwrap();
            let (linkpath, subpath) = (at(&written.linkpath), at(&written.subpath));
            (
                reference.linkpath,
                linkpath,
                subpath,
                written.shown.as_ref().map(at),
            )
        });
        format!("{:?}", parts.collect::<Vec<_>>())
    }

    #[test]
    fn the_parts_of_links_are_found_where_they_stand() {
        for [text, expected] in tables::section(CASES, "the parts of links are found where they") {
            assert_eq!(parts(Kind::Text, text), expected, "{text}");
        }
    }

    #[test]
    fn a_property_is_one_link_or_none() {
        for [text, expected] in tables::section(CASES, "a property is one link or none") {
            assert_eq!(parts(Kind::Property, text), expected, "{text}");
        }
    }
}
