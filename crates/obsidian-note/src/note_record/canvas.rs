//! Canvases: JSON files with nodes, some of which link to files (`vault-semantics.md` §2.1).

use serde_json::Value;

/// A node that can link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CanvasNode {
    /// A file.
    File {
        /// Its path.
        path: String,
        /// The heading or block to which the node is narrowed, from `#` on; may be empty.
        subpath: String,
    },
    /// A text with links in it.
    Text(String),
}

/// The nodes that can link, in order. A new canvas is an empty file; other nodes are skipped, because canvases may
/// contain nodes of other programs.
pub(super) fn parse(text: &str) -> Result<Vec<CanvasNode>, serde_json::Error> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut canvas: Value = serde_json::from_str(text)?;
    let nodes = match canvas.get_mut("nodes").map(Value::take) {
        Some(Value::Array(nodes)) => nodes,
        _ => Vec::new(),
    };
    Ok(nodes.into_iter().filter_map(node).collect())
}

fn node(node: Value) -> Option<CanvasNode> {
    let Value::Object(mut node) = node else {
        return None;
    };
    let mut text = |key: &str| match node.remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    match text("type")?.as_str() {
        "file" => {
            let path = text("file").filter(|path| !path.is_empty())?;
            let subpath = text("subpath").unwrap_or_default();
            Some(CanvasNode::File { path, subpath })
        }
        "text" => text("text").map(CanvasNode::Text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_and_text_nodes_are_found_among_all_others() {
        let text = r##"{"nodes":[
            {"id":"1","type":"file","file":"a/b.md","subpath":"#H"},
            {"id":"2","type":"text","text":"see [[c]]"},
            {"id":"3","type":"link","url":"https://x"},
            {"id":"4","type":"group","label":"g"},
            {"id":"5","type":"file","file":7},
            {"id":"6","type":"file","file":""},
            {"id":"7"}, "x", null
        ],"edges":[{"fromNode":"1"}]}"##;
        let nodes = parse(text).unwrap();
        assert_eq!(
            nodes,
            [
                CanvasNode::File {
                    path: "a/b.md".into(),
                    subpath: "#H".into()
                },
                CanvasNode::Text("see [[c]]".into())
            ]
        );
    }

    #[test]
    fn what_is_empty_has_no_nodes_and_what_is_no_json_is_an_error() {
        for text in ["", " \n", "{}", "[]", r#"{"nodes":{}}"#, "7"] {
            assert_eq!(parse(text).unwrap(), [], "{text}");
        }
        let deep = "[".repeat(100_000);
        for text in ["{", "nodes", deep.as_str()] {
            assert!(parse(text).is_err());
        }
    }
}
