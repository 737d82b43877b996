//! The texts of a file that can contain links: body and properties of a note, nodes of a canvas.

use std::borrow::Cow;
use std::ops::Range;

use obsidian_note::frontmatter;
use obsidian_note::{Frontmatter, VaultPath};
use yaml_events::ScalarStyle;

use super::canvas::{Card, cards};
use super::escapes::{Quoting, Unescaped};
use super::reference::{Kind, Reference, references};
use super::scalars::{Scalar, scalars};

/// One text with its links.
pub(super) struct Piece<'file> {
    pub(super) kind: Kind,
    pub(super) references: Vec<Reference>,
    /// The subpath of a file node of a canvas, and the byte offset of its text in the file.
    pub(super) beside: Option<(Unescaped, usize)>,
    writing: Writing<'file>,
}

/// A text, and how and where it is written in its file.
enum Writing<'file> {
    /// Unescaped, from this byte offset on.
    Plain(Cow<'file, str>, usize),
    /// A text with escapes, which begins at this byte offset.
    Escaped(Unescaped, Quoting, usize),
    /// A text at an unknown place, so that its links cannot be rewritten.
    Unknown(String),
}

impl<'file> Piece<'file> {
    /// Returns the pieces of a note or canvas with that text.
    pub(super) fn all(path: &VaultPath, text: &'file str) -> Vec<Self> {
        if path.is_note() {
            let mut pieces = properties(text);
            let body = Writing::Plain(Cow::Borrowed(text), 0);
            pieces.push(Self::new(Kind::Text, body));
            return pieces;
        }
        let card = |card: Card| {
            let kind = if card.is_path { Kind::Path } else { Kind::Text };
            let mut piece = Self::new(kind, Writing::Escaped(card.text, Quoting::Json, card.start));
            piece.beside = card.subpath;
            let subpath = piece.beside.as_ref().map(|(subpath, _)| &subpath.text);
            for reference in &mut piece.references {
                reference.beside = subpath.cloned();
            }
            piece
        };
        cards(text).into_iter().map(card).collect()
    }

    fn new(kind: Kind, writing: Writing<'file>) -> Self {
        Self {
            kind,
            references: references(kind, writing.text()),
            beside: None,
            writing,
        }
    }

    pub(super) fn text(&self) -> &str {
        self.writing.text()
    }

    /// Returns the range in the text of the file for a range of the piece.
    pub(super) fn in_file(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let (start, range) = match &self.writing {
            Writing::Plain(_, start) => (*start, range.clone()),
            Writing::Escaped(text, _, start) => (*start, text.written_at(range)?),
            Writing::Unknown(_) => return None,
        };
        Some(start + range.start..start + range.end)
    }

    /// A text as it must be written to be inserted into the piece.
    pub(super) fn written(&self, text: &str) -> String {
        match &self.writing {
            Writing::Escaped(_, quoting, _) => quoting.written(text),
            Writing::Plain(..) | Writing::Unknown(_) => text.to_owned(),
        }
    }
}

impl Writing<'_> {
    fn text(&self) -> &str {
        match self {
            Self::Plain(text, _) => text,
            Self::Escaped(text, ..) => &text.text,
            Self::Unknown(text) => text,
        }
    }

    /// Returns the piece for a scalar of the properties, which begin at the byte `offset` of the file.
    fn of_scalar(scalar: Scalar, yaml: &str, offset: usize) -> Self {
        let written = yaml.get(scalar.range.clone()).unwrap_or_default();
        let start = offset + scalar.range.start;
        let unescaped = match scalar.style {
            ScalarStyle::SingleQuoted => Some((Unescaped::single(written), Quoting::Single)),
            ScalarStyle::DoubleQuoted => {
                Unescaped::double(written).map(|text| (text, Quoting::Double))
            }
            ScalarStyle::Plain | ScalarStyle::Literal | ScalarStyle::Folded => {
                // A folded text is not in the file in one piece, so it is not found.
                return match written.find(scalar.text.as_str()) {
                    Some(at) => Self::Plain(Cow::Owned(scalar.text), start + at),
                    None => Self::Unknown(scalar.text),
                };
            }
        };
        match unescaped {
            Some((text, quoting)) if text.text == scalar.text => {
                Self::Escaped(text, quoting, start)
            }
            _ => Self::Unknown(scalar.text),
        }
    }
}

/// The properties that are links; empty if the properties are malformed.
fn properties(text: &str) -> Vec<Piece<'static>> {
    let Some(block) = frontmatter::split_unmarked(text) else {
        return Vec::new();
    };
    let yaml = text.get(block.yaml.clone()).unwrap_or_default();
    let has_links = yaml.contains('[')
        && Frontmatter::parse(yaml).is_ok_and(|frontmatter| !frontmatter.links().is_empty());
    if !has_links {
        return Vec::new();
    }
    scalars(yaml)
        .into_iter()
        .map(|scalar| Writing::of_scalar(scalar, yaml, block.yaml.start))
        .map(|writing| Piece::new(Kind::Property, writing))
        .filter(|piece| !piece.references.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("piece_cases.txt");

    /// Returns every linkpath, and its text in the file.
    fn found(name: &str, text: &str) -> Vec<(String, Option<String>)> {
        let path = VaultPath::file(name).unwrap();
        let mut found = Vec::new();
        for piece in Piece::all(&path, text) {
            for reference in &piece.references {
                let range = reference.written.as_ref().unwrap().linkpath.clone();
                let written = piece.in_file(&range).map(|range| text[range].to_owned());
                found.push((reference.linkpath.clone(), written));
            }
        }
        found
    }

    #[test]
    fn links_of_properties_are_found_in_every_style() {
        let text = "---\na: \"[[x \\\"y\\\"]]\"\r\nb: ['[[it''s]]', \"[l](a%20b.md)\"]\nc: |-\n  [[lit]]\nd: >-\n  [[fol\n  ded]]\ne: '[[two\n  lines]]'\n[[no]]: [[no]]\nf: a [[no]]\n---\n[[body]]\n";
        let expected =
            tables::typed::<(&str, Option<&str>)>(CASES, "links of properties are found");
        let expected: Vec<(String, Option<String>)> = expected
            .iter()
            .map(|(linkpath, written)| ((*linkpath).to_owned(), written.map(str::to_owned)))
            .collect();
        assert_eq!(found("a.md", text), expected);
        assert_eq!(found("a.md", "---\na: '[[x]]'\na: 1\n---\n"), []);
    }

    #[test]
    fn links_of_cards_are_found_with_their_escapes() {
        let text = r#"{"nodes":[{"type":"file","file":"a\/b.md"},{"type":"text","text":"\n[[c\u00e9]]"}]}"#;
        let expected = [
            ("a/b.md".to_owned(), Some(r"a\/b.md".to_owned())),
            ("cé".to_owned(), Some(r"c\u00e9".to_owned())),
        ];
        assert_eq!(found("a.canvas", text), expected);
    }
}
