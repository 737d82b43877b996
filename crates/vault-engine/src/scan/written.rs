//! What the rest of the scan leaves out of its facts, for those who look for what acts in a note: the parts
//! that are shown as they are written, and the links and images that lead out of the vault.

use std::ops::Range;

use super::lines::NoteLines;
use super::walk;

/// A part of a note that is shown, or hidden, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralPart {
    /// What it is.
    pub kind: LiteralKind,
    /// Its bytes, with its marks.
    pub range: Range<usize>,
}

/// The kinds of such parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralKind {
    /// A fenced code block. What it is written in stands behind its first marks.
    Fence,
    /// Code within a line.
    Code,
    /// A comment of HTML, or a block between `%%`, which ends.
    Comment,
}

/// A markdown link or image, wherever it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenLink {
    /// Whether it is an image.
    pub is_image: bool,
    /// The bytes of its destination as written, or of the label that names a definition.
    pub target: Range<usize>,
    /// Whether `target` is a label.
    pub is_label: bool,
}

/// The markup of a note, in no particular order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The parts that are not rendered.
    pub literals: Vec<LiteralPart>,
    /// Links and images with a destination, and images that name a definition.
    pub links: Vec<WrittenLink>,
    /// The bytes of each definition: `[label]: destination "title"`.
    pub definitions: Vec<Range<usize>>,
}

/// Finds the markup of a note, by the rules of [`scan`](super::scan()).
///
/// ```
/// use vault_engine::scan::{LiteralKind, written};
///
/// let text = "![](https://example.org/a.png) and `![](b)`";
/// let markup = written(text);
/// assert_eq!(&text[markup.links[0].target.clone()], "https://example.org/a.png");
/// assert_eq!((markup.links.len(), markup.literals[0].kind), (1, LiteralKind::Code));
/// ```
pub fn written(text: &str) -> Written {
    if u32::try_from(text.len()).is_err() {
        return Written::default();
    }
    walk::walk_written(NoteLines::split(text))
}

impl Written {
    pub(super) fn literal(&mut self, kind: LiteralKind, range: Range<usize>) {
        self.literals.push(LiteralPart { kind, range });
    }

    /// A comment of HTML, as long as a browser reads it as one: it can end earlier than by the rules of
    /// markdown.
    pub(super) fn html_comment(&mut self, text: &str, range: Range<usize>) {
        let inside = range.start + "<!--".len();
        let rest = text.get(inside..range.end).unwrap_or_default();
        if rest.starts_with('>') || rest.starts_with("->") {
            return;
        }
        let ends = ["-->", "--!>"].into_iter();
        let end = ends.filter_map(|end| Some(rest.find(end)? + end.len()));
        if let Some(length) = end.min() {
            self.literal(LiteralKind::Comment, range.start..inside + length);
        }
    }

    /// An image whose destination is in a definition: `![text][label]` or `![label]`.
    pub(super) fn labelled(&mut self, text: &str, inside: Range<usize>, end: usize) {
        let behind = text.get(inside.end + 1..end).unwrap_or_default();
        let label = behind.strip_prefix('[').and_then(|rest| rest.find(']'));
        let target = match label {
            Some(length) if length > 0 => inside.end + 2..inside.end + 2 + length,
            _ => inside,
        };
        self.links.push(WrittenLink { is_image: true, target, is_label: true });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literals(text: &str) -> Vec<(LiteralKind, &str)> {
        let parts = written(text).literals.into_iter();
        parts.map(|part| (part.kind, text.get(part.range).unwrap())).collect()
    }

    #[test]
    fn what_is_not_rendered_is_found_with_its_marks() {
        for (text, expected) in [
            ("```js\n<b>\n```\nx", (LiteralKind::Fence, "```js\n<b>\n```")),
            ("> ~~~\n> a\n\nx", (LiteralKind::Fence, "~~~\n> a")),
            ("a ``b`c`` d", (LiteralKind::Code, "``b`c``")),
            ("%%\na\n%% b", (LiteralKind::Comment, "%%\na\n%%")),
            ("<!-- a\n\n-->\nb", (LiteralKind::Comment, "<!-- a\n\n-->")),
            ("a <!-- b --> c", (LiteralKind::Comment, "<!-- b -->")),
            ("<!-- a --!> b -->", (LiteralKind::Comment, "<!-- a --!>")),
        ] {
            assert_eq!(literals(text), [expected], "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_it_is_rendered() {
        for text in [
            "<div>\n`a`\n</div>",
            "a `b",
            "%%\na",
            "a <!-- b\n\nc -->",
            "<!--> a -->",
            "    indented",
            "\\`a`",
        ] {
            assert_eq!(literals(text), [], "{text}");
        }
    }

    #[test]
    fn links_lead_anywhere() {
        let links = |text: &str| {
            let links = written(text).links.into_iter();
            let told = links.map(|link| {
                let target = text.get(link.target).unwrap().to_owned();
                (link.is_image, target, link.is_label)
            });
            told.collect::<Vec<_>>()
        };
        let one = |image, target: &str, label| vec![(image, target.to_owned(), label)];
        assert_eq!(links("![a](<b c>)"), one(true, "b c", false));
        assert_eq!(links("- | [a](https://b)"), one(false, "https://b", false));
        assert_eq!(links("![a b][c] d"), one(true, "c", true));
        assert_eq!(links("![a][]"), one(true, "a", true));
        assert_eq!(links("![[a]] [a] \\![b](c) `![d](e)`").len(), 1);
        let definitions = written("[a]: https://b 'c'\n").definitions;
        assert!(matches!(&definitions[..], [range] if *range == (0..18)));
    }
}
