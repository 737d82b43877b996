//! The texts of a canvas with links, and their places in its JSON.

use std::ops::Range;

use super::escapes::Unescaped;
use crate::json_text::{children, member, root};

/// A text of a file or text node.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Card {
    /// Whether it is the path of a file; otherwise it is a text with links in it.
    pub(super) is_path: bool,
    pub(super) text: Unescaped,
    /// The heading or block of the file that a file node shows, from `#` on, and the byte offset of this text after its
    /// opening quote.
    pub(super) subpath: Option<(Unescaped, usize)>,
    /// The byte offset of the text after its opening quote.
    pub(super) start: usize,
}

/// Returns the file and text nodes; empty if the canvas is malformed. Of duplicate keys the last counts, as for the
/// index.
pub(super) fn cards(json: &str) -> Vec<Card> {
    nodes(json).filter_map(|node| card(json, &node)).collect()
}

/// Returns the ranges of the nodes; none if the canvas is malformed.
fn nodes(json: &str) -> impl Iterator<Item = Range<usize>> {
    let nodes = root(json).and_then(|root| member(json, &root, |key| key == "nodes"));
    let nodes = nodes.and_then(|nodes| children(json, &nodes.value, '['));
    nodes.into_iter().flatten().map(|node| node.value)
}

/// Returns the text of a key of a node, and the byte offset of the text after its opening quote.
fn text_of(json: &str, node: &Range<usize>, key: &str) -> Option<(Unescaped, usize)> {
    let Range { start, end } = member(json, node, |name| name == key)?.value;
    let inside = json.get(start..end)?.strip_prefix('"')?.strip_suffix('"')?;
    Some((Unescaped::json(inside)?, start + 1))
}

/// Returns the text of the node at `node`; `None` if it is not a file or text node.
fn card(json: &str, node: &Range<usize>) -> Option<Card> {
    let text_of = |key: &str| text_of(json, node, key);
    let (kind, _) = text_of("type")?;
    let is_path = kind.text == "file";
    let key = (is_path || kind.text == "text").then_some(kind.text)?;
    let (text, start) = text_of(&key)?;
    let subpath = if is_path { text_of("subpath") } else { None };
    (!is_path || !text.text.is_empty()).then_some(Card {
        is_path,
        text,
        subpath,
        start,
    })
}

#[cfg(test)]
mod tests {
    use obsidian_note::VaultPath;
    use obsidian_note::note_record::record_of;
    use proptest::prelude::*;

    use super::*;

    const CASES: &str = include_str!("canvas_cases.txt");

    fn found(json: &str) -> Vec<(bool, String)> {
        cards(json)
            .into_iter()
            .map(|card| (card.is_path, card.text.text))
            .collect()
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
        for json in tables::lines(CASES, "what is no canvas has no cards") {
            assert_eq!(found(json), [], "{json}");
        }
    }

    fn json() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(tables::lines(CASES, "json")).prop_map(str::to_owned);
        leaf.prop_recursive(4, 32, 6, |inner| {
            let key = prop::sample::select(vec!["nodes", "type", "file", "text", "k"]);
            let object = prop::collection::vec((key, inner.clone()), 0..5).prop_map(|members| {
                let members: Vec<String> = members
                    .iter()
                    .map(|(key, value)| format!("\"{key}\" : {value}"))
                    .collect();
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
