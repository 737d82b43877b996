//! The texts of a canvas with links, and their places in its JSON.

use std::ops::Range;

use serde::de::IgnoredAny;

use super::escapes::Unescaped;

/// A text of a file or text node.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Card {
    /// Whether it is the path of a file; otherwise it is a text with links in it.
    pub(super) is_path: bool,
    pub(super) text: Unescaped,
    /// The byte offset of the text after its opening quote.
    pub(super) start: usize,
}

/// Returns the file and text nodes; empty if the canvas is malformed. Of duplicate keys the last counts, as for the
/// index.
pub(super) fn cards(json: &str) -> Vec<Card> {
    if serde_json::from_str::<IgnoredAny>(json).is_err() {
        return Vec::new();
    }
    let mut reader = CanvasReader { json, at: 0 };
    let mut cards = Vec::new();
    reader.members(|reader, key| {
        if key != "nodes" {
            return reader.skip();
        }
        cards.clear();
        reader.elements(|reader| reader.node(&mut cards))
    });
    cards
}

/// Reads JSON that is known to be valid.
struct CanvasReader<'json> {
    json: &'json str,
    at: usize,
}

impl CanvasReader<'_> {
    fn node(&mut self, cards: &mut Vec<Card>) -> Option<()> {
        let (mut kind, mut file, mut text) = (None, None, None);
        self.members(|reader, key| {
            let slot = match key {
                "type" => &mut kind,
                "file" => &mut file,
                "text" => &mut text,
                _ => return reader.skip(),
            };
            *slot = None;
            if reader.peek() == Some(b'"') {
                *slot = Some(reader.string()?);
                return Some(());
            }
            reader.skip()
        })?;
        let kind = kind.and_then(|kind| self.unescaped(&kind));
        let (is_path, range) = match kind.as_ref().map(|kind| kind.text.as_str()) {
            Some("file") => (true, file),
            Some("text") => (false, text),
            _ => return Some(()),
        };
        let card = range.and_then(|range| {
            Some(Card { is_path, text: self.unescaped(&range)?, start: range.start })
        });
        cards.extend(card.filter(|card| !(is_path && card.text.text.is_empty())));
        Some(())
    }

    fn unescaped(&self, range: &Range<usize>) -> Option<Unescaped> {
        Unescaped::json(self.json.get(range.clone())?)
    }

    /// Returns the first byte of the next token.
    fn peek(&mut self) -> Option<u8> {
        let rest = self.json.as_bytes().get(self.at..)?;
        self.at += rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        self.json.as_bytes().get(self.at).copied()
    }

    /// Consumes that byte if it comes next.
    fn take(&mut self, byte: u8) -> bool {
        let comes = self.peek() == Some(byte);
        self.at += usize::from(comes);
        comes
    }

    /// Consumes a string; returns the range between its quotes.
    fn string(&mut self) -> Option<Range<usize>> {
        if !self.take(b'"') {
            return None;
        }
        let start = self.at;
        loop {
            let rest = self.json.as_bytes().get(self.at..)?;
            let found = memchr::memchr2(b'"', b'\\', rest)?;
            self.at += found;
            if rest.get(found) == Some(&b'"') {
                self.at += 1;
                return Some(start..self.at - 1);
            }
            self.at += 2;
        }
    }

    /// Consumes a value of any kind, without keeping it.
    fn skip(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.string()?;
                }
                b'[' | b'{' => {
                    depth += 1;
                    self.at += 1;
                }
                b']' | b'}' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' => self.at += 1,
                _ => {
                    let rest = self.json.as_bytes().get(self.at..)?;
                    let ends = |byte: &u8| b",]} \t\r\n".contains(byte);
                    self.at += rest.iter().position(ends).unwrap_or(rest.len());
                }
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// Reads an object, each value with `value`; skips any other kind of value.
    fn members(&mut self, mut value: impl FnMut(&mut Self, &str) -> Option<()>) -> Option<()> {
        if !self.take(b'{') {
            return self.skip();
        }
        while !self.take(b'}') {
            let key = self.string()?;
            let key = self.unescaped(&key)?;
            self.take(b':').then_some(())?;
            self.peek()?;
            value(self, &key.text)?;
            self.take(b',');
        }
        Some(())
    }

    /// Reads an array, each element with `element`; skips any other kind of value.
    fn elements(&mut self, mut element: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if !self.take(b'[') {
            return self.skip();
        }
        while !self.take(b']') {
            element(self)?;
            self.take(b',');
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::note_record::record_of;
    use crate::path::VaultPath;

    fn found(json: &str) -> Vec<(bool, String)> {
        cards(json).into_iter().map(|card| (card.is_path, card.text.text)).collect()
    }

    #[test]
    fn cards_are_found_among_all_else() {
        let json = r##" { "x": [1, {"nodes": "\"]"}], "nodes" : [
            {"id":"1","type":"file","file":"a\/b.md","subpath":"#H"},
            {"text":"no","text":"see [[c]]\n","type":"text"}, "x", null, [], {}, -1.5e3,
            {"type":"text","text":7}, {"type":"file","file":""}, {"t\u0079pe":"file","file":"d"}
        ] , "edges":[]}"##;
        assert_eq!(
            found(json),
            [
                (true, "a/b.md".to_owned()),
                (false, "see [[c]]\n".to_owned()),
                (true, "d".to_owned())
            ]
        );
        for card in cards(json) {
            let whole = card.text.written_at(&(0..card.text.text.len())).unwrap();
            let range = card.start + whole.start..card.start + whole.end;
            assert!(json[..range.start].ends_with('"') && json[range.end..].starts_with('"'));
        }
    }

    #[test]
    fn what_is_no_canvas_has_no_cards() {
        for json in ["", "{", "[]", "7", "{}", r#"{"nodes":{}}"#, r#"{"nodes":[{}]} x"#] {
            assert_eq!(found(json), [], "{json}");
        }
    }

    fn json() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec![
            "1",
            "null",
            "true",
            r#""x""#,
            r#""file""#,
            r#""text""#,
            r#""[[a]]""#,
            r#""\u0061.md""#,
        ])
        .prop_map(str::to_owned);
        leaf.prop_recursive(4, 32, 6, |inner| {
            let key = prop::sample::select(vec!["nodes", "type", "file", "text", "k"]);
            let object = prop::collection::vec((key, inner.clone()), 0..5).prop_map(|members| {
                let members: Vec<String> =
                    members.iter().map(|(key, value)| format!("\"{key}\" : {value}")).collect();
                format!("{{{}}}", members.join(", "))
            });
            let array = prop::collection::vec(inner, 0..5)
                .prop_map(|elements| format!("[{}]", elements.join(",\n")));
            prop_oneof![object, array]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn the_index_sees_the_same_cards(value in json()) {
            for json in [value.clone(), format!("{{\"nodes\":{value}}}"), format!("{{\"nodes\":[{value}]}}")] {
                let path = VaultPath::file("a.canvas").unwrap();
                let indexed: u32 = record_of(&path, json.as_bytes()).0.links.iter().map(|link| link.count).sum();
                let here = found(&json).iter().filter(|(is_path, text)| *is_path || text.contains("[[")).count();
                prop_assert_eq!(usize::try_from(indexed).unwrap(), here, "{}", json);
            }
        }
    }
}
