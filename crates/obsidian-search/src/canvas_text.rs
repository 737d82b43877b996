//! The readable texts of a canvas: the texts of its text nodes, and the labels of groups and edges.

use serde_json::Value;

/// Returns the texts in their order, with a blank line between them; empty for a malformed canvas.
pub fn cards(bytes: &[u8]) -> String {
    let canvas: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let text = |item: &Value, key: &str| item.get(key)?.as_str().map(str::to_owned);
    let items = |key: &str| {
        canvas
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let nodes = items("nodes").filter_map(|node| {
        let key = match node.get("type")?.as_str()? {
            "text" => "text",
            "group" => "label",
            _ => return None,
        };
        text(node, key)
    });
    let labels = items("edges").filter_map(|edge| text(edge, "label"));
    let texts: Vec<String> = nodes.chain(labels).collect();
    texts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::cards;

    #[test]
    fn texts_and_labels_are_read() {
        let canvas = r#"{"nodes":[{"type":"text","text":"One\n#two"},{"type":"group","label":"G"},
            {"type":"file","file":"a.md"},{"type":"text","text":7},7],"edges":[{"label":"leads to"},{}]}"#;
        assert_eq!(cards(canvas.as_bytes()), "One\n#two\n\nG\n\nleads to");
        for none in ["", "[]", "{", r#"{"nodes":{}}"#] {
            assert_eq!(cards(none.as_bytes()), "");
        }
    }
}
