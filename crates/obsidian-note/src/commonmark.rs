//! Headings and blocks of a text by `CommonMark`, without extensions (`contracts.md` §3.2).
//!
//! The app's outline, which the command `outline` gives, follows other rules (`vault-semantics.md`
//! §3.5).

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use unicode_normalization::UnicodeNormalization as _;

use crate::byte_order_mark;
use crate::frontmatter::is_space;
use crate::scan::with_line_feeds;
use crate::slug::{ascii, readable};

/// One heading of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Its level, 1 to 6.
    pub level: u8,
    /// Its text without markup, on one line.
    pub text: String,
    /// The id `h<level>-<slug>-<number>`; the number counts all headings from 0001.
    pub id: String,
    /// The range in the text, in bytes.
    pub span: Range<usize>,
}

/// The headings and blocks of a text.
#[derive(Debug, Default)]
pub struct Structure {
    /// Every heading in order, those in quotes and lists included.
    pub headings: Vec<Heading>,
    /// The byte offsets of the outermost blocks that are not headings and are not empty; sorted.
    blocks: Vec<usize>,
}

/// Parses a whole text, in linear time for any input.
pub fn structure(text: &str) -> Structure {
    let mark = byte_order_mark::length(text.as_bytes());
    let lines = with_line_feeds(text.get(mark..).unwrap_or_default());
    let mut reading = MarkdownReading::default();
    let parser = Parser::new_ext(&lines, Options::empty());
    for (event, span) in parser.into_offset_iter() {
        reading.take(event, span.start + mark..span.end + mark);
    }
    reading.found
}

impl Structure {
    /// Returns the number of the heading with this id, from 0. The ids that other programs make, with only the ASCII
    /// letters (`contracts.md` K16), are ids too.
    pub fn number_of(&self, id: &str) -> Option<usize> {
        let has_id = |heading: &Heading| heading.id == id || ascii(&heading.id) == id;
        self.headings.iter().position(has_id)
    }

    /// Returns the byte offset of the end of a heading's section: at the next heading of the same or a higher rank;
    /// `None` at the end of the text.
    pub fn end_of_section(&self, number: usize) -> Option<usize> {
        let heading = self.headings.get(number)?;
        let later = self.headings.get(number + 1..)?;
        let next = later.iter().find(|next| next.level <= heading.level)?;
        Some(next.span.start)
    }

    /// Whether an outermost block other than a heading begins in this range.
    pub fn holds_text(&self, span: Range<usize>) -> bool {
        let first = self.blocks.partition_point(|start| *start < span.start);
        self.blocks
            .get(first)
            .is_some_and(|start| *start < span.end)
    }
}

/// A heading whose end has not been reached.
struct OpenHeading {
    level: u8,
    /// Its text in pieces, which are joined with spaces.
    pieces: Vec<String>,
    /// Whether the next text continues the last piece.
    goes_on: bool,
    /// The number of open images. Their text is the description, which is one piece.
    images: usize,
}

#[derive(Default)]
struct MarkdownReading {
    found: Structure,
    depth: usize,
    /// The start of the current outermost block, until it proves not to be empty.
    block: Option<usize>,
    heading: Option<OpenHeading>,
}

impl MarkdownReading {
    fn take(&mut self, event: Event<'_>, span: Range<usize>) {
        match event {
            Event::Start(tag) => self.open(&tag, &span),
            Event::End(tag) => self.close(tag, span),
            Event::Text(text) | Event::Html(text) => self.text(&text, true),
            Event::Code(text) | Event::InlineHtml(text) => self.text(&text, false),
            Event::SoftBreak | Event::HardBreak => self.line_break(),
            Event::Rule => {
                if self.depth == 0 {
                    self.block = Some(span.start);
                }
                self.holds_something();
            }
            // Events of extensions, which are off.
            Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_) => {}
        }
    }

    fn open(&mut self, tag: &Tag<'_>, span: &Range<usize>) {
        if self.depth == 0 {
            self.block = Some(span.start);
        }
        self.depth += 1;
        match tag {
            Tag::Heading { level, .. } => {
                if self.depth == 1 {
                    self.block = None;
                }
                self.heading = Some(OpenHeading {
                    level: *level as u8,
                    pieces: Vec::new(),
                    goes_on: false,
                    images: 0,
                });
            }
            Tag::Image { .. } => self.in_heading(|heading| {
                heading.images += 1;
                if heading.images == 1 {
                    heading.pieces.push(String::new());
                }
            }),
            _ => self.in_heading(|heading| heading.goes_on = false),
        }
    }

    fn close(&mut self, tag: TagEnd, span: Range<usize>) {
        self.depth = self.depth.saturating_sub(1);
        match tag {
            TagEnd::Heading(_) => self.heading_ends(span),
            TagEnd::Image => self.in_heading(|heading| {
                heading.images = heading.images.saturating_sub(1);
                heading.goes_on = false;
            }),
            _ => self.in_heading(|heading| heading.goes_on = false),
        }
        if self.depth == 0 {
            self.block = None;
        }
    }

    fn heading_ends(&mut self, span: Range<usize>) {
        let Some(OpenHeading { level, pieces, .. }) = self.heading.take() else {
            return;
        };
        let text = heading_text(&pieces.join(" "));
        let slug = readable(&text);
        let slug = if slug.is_empty() { "heading" } else { &slug };
        let number = self.found.headings.len() + 1;
        self.found.headings.push(Heading {
            level,
            id: format!("h{level}-{slug}-{number:04}"),
            text,
            span,
        });
    }

    /// Adds text. With `joins` it continues the piece before it.
    fn text(&mut self, text: &str, joins: bool) {
        if text.chars().any(|character| !is_space(character)) {
            self.holds_something();
        }
        self.in_heading(|heading| {
            let goes_on = heading.images > 0 || (joins && heading.goes_on);
            match heading.pieces.last_mut().filter(|_| goes_on) {
                Some(piece) => piece.push_str(text),
                None => heading.pieces.push(text.to_owned()),
            }
            heading.goes_on = joins;
        });
    }

    fn line_break(&mut self) {
        self.in_heading(|heading| {
            if let Some(piece) = heading.pieces.last_mut() {
                piece.push(' ');
            }
        });
    }

    fn holds_something(&mut self) {
        self.found.blocks.extend(self.block.take());
    }

    fn in_heading(&mut self, change: impl FnOnce(&mut OpenHeading)) {
        if let Some(heading) = &mut self.heading {
            change(heading);
        }
    }
}

/// Normalises the text of a heading: composed form (NFC), each run of white space as one space, none at either end, and
/// no NUL, as in `CommonMark`.
fn heading_text(raw: &str) -> String {
    let composed: String = raw.replace('\0', "\u{fffd}").nfc().collect();
    let words: Vec<&str> = composed
        .split(is_space)
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("commonmark_cases.txt");

    fn headings(text: &str) -> Vec<(u8, String, String)> {
        let found = structure(text).headings.into_iter();
        found
            .map(|heading| (heading.level, heading.text, heading.id))
            .collect()
    }

    fn one(text: &str) -> (u8, String, String) {
        let mut found = headings(text);
        assert_eq!(found.len(), 1, "{text:?}: {found:?}");
        found.remove(0)
    }

    #[test]
    fn an_id_can_be_read_in_every_script() {
        assert_eq!(one("## 日本語 heading").2, "h2-日本語-heading-0001");
        assert_eq!(one("# e\u{301}t\u{e9} 1").2, "h1-\u{e9}t\u{e9}-1-0001");
    }

    #[test]
    fn measured_headings_of_each_form() {
        for (text, level, shown, id) in
            tables::typed::<(&str, _, &str, &str)>(CASES, "measured headings of each form")
        {
            let (found_level, found_text, found_id) = one(text);
            // These ids were recorded from a program that keeps only ASCII letters.
            assert_eq!(
                (found_level, found_text, ascii(&found_id)),
                (level, shown.to_owned(), id.to_owned()),
                "{text:?}"
            );
        }
        for none in tables::lines(CASES, "measured headings of each form, 2") {
            assert_eq!(headings(none), [], "{none:?}");
        }
    }

    #[test]
    fn every_heading_counts_for_the_number_in_its_id() {
        let ids: Vec<String> = headings("## Install\n\n### x\n\n## Install\n")
            .into_iter()
            .map(|(.., id)| id)
            .collect();
        assert_eq!(ids, ["h2-install-0001", "h3-x-0002", "h2-install-0003"]);
    }

    #[test]
    fn a_block_holds_something_where_there_is_text_or_a_rule() {
        let keep = |text: &str| {
            let found = structure(text);
            let start = found.headings[0].span.end;
            let end = found.end_of_section(0).unwrap_or(usize::MAX);
            found.holds_text(start..end)
        };
        for text in tables::lines(CASES, "a block holds something where there") {
            assert!(keep(text), "{text:?}");
        }
        for text in tables::lines(CASES, "a block holds something where there, 2") {
            assert!(!keep(text), "{text:?}");
        }
    }

    #[test]
    fn spans_are_those_of_the_text_handed_in() {
        let text = "\u{feff}x\n\n## Ä\n\nb\n";
        let found = structure(text);
        assert!(text[found.headings[0].span.clone()].starts_with("## Ä"));
    }

    #[test]
    fn lines_end_at_a_carriage_return_too() {
        let text = "one\r\r# Ä\r\rSet\r===\r- # li\r## B ##\rtext\r\n## C\r\n";
        let found = headings(text);
        let expected = [(1, "Ä"), (1, "Set"), (1, "li"), (2, "B"), (2, "C")];
        let found: Vec<(u8, &str)> = found
            .iter()
            .map(|(level, text, _)| (*level, text.as_str()))
            .collect();
        assert_eq!(found, expected);
        let spans = structure(text).headings;
        let starts: Vec<&str> = spans
            .iter()
            .map(|heading| &text[heading.span.start..])
            .collect();
        assert!(
            starts[0].starts_with("# Ä") && starts[3].starts_with("## B"),
            "{starts:?}"
        );
        assert_eq!(
            structure(&text.replace('\r', "\n").replace("\n\n## C", "\n## C"))
                .headings
                .len(),
            5
        );
    }

    #[test]
    fn a_nul_is_shown_as_a_replacement_and_one_byte_order_mark_is_none() {
        assert_eq!(headings("# a\0b")[0].1, "a\u{fffd}b");
        assert_eq!(headings("\u{feff}# a")[0].1, "a");
        assert_eq!(headings("\u{feff}\u{feff}# a"), []);
    }

    #[test]
    fn deep_and_endless_texts_are_read_in_linear_time() {
        for text in [
            ">".repeat(200_000),
            "- ".repeat(20_000),
            "[".repeat(200_000),
            "*a ".repeat(60_000),
            "# a\n".repeat(60_000),
            "<".repeat(200_000),
        ] {
            structure(&text);
        }
    }
}
