//! `canvas:read`: a canvas as typed data (JSON Canvas 1.0). Keys that the format does not define
//! are kept next to the typed ones.

use obsidian_note::Warning;
use obsidian_note::shown::rows;
use serde::Deserialize;
use serde_json::{Map, Value};
use vault_index::Target;

use super::prelude::*;

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<CanvasContent>("canvas:read", "canvas", read);

/// The content of a canvas.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CanvasContent {
    /// The canvas.
    pub(super) path: String,
    /// Its nodes, from the bottom up, as in the file.
    #[serde(flatten)]
    pub(super) nodes: List<CanvasNode>,
    /// Its edges, as in the file.
    pub(super) edges: Vec<CanvasEdge>,
    /// Nodes and edges that are not valid in the format, unchanged.
    pub(super) unknown: Vec<Value>,
    /// Keys of the canvas that the format does not know.
    pub(super) other: Map<String, Value>,
}

/// A node of a canvas.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CanvasNode {
    /// Its id.
    id: String,
    /// The type of the node: `text`, `file`, `link`, `group`, or a type that the format does not define.
    #[serde(rename = "type")]
    kind: String,
    /// Its left edge, in pixels.
    x: f64,
    /// Its upper edge, in pixels.
    y: f64,
    /// Its width, in pixels.
    width: f64,
    /// Its height, in pixels.
    height: f64,
    /// A color, `#RRGGBB`, or one of the six of the app, `1` to `6`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    color: Option<String>,
    /// The markdown of a text node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The path of the file of a file node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The heading or block in that file, with its `#`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    subpath: Option<String>,
    /// The address of a link node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The label of a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// The path of a group's background image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    background: Option<String>,
    /// The style of the background: `cover`, `ratio` or `repeat`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    background_style: Option<String>,
    /// Keys that the format does not know.
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// An edge of a canvas.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CanvasEdge {
    /// Its id.
    id: String,
    /// The node where it begins.
    from_node: String,
    /// The side of that node: `top`, `right`, `bottom` or `left`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from_side: Option<String>,
    /// The shape of that end: `none` or `arrow`; `none` where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from_end: Option<String>,
    /// The node where it ends.
    to_node: String,
    /// The side of that node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to_side: Option<String>,
    /// The shape of that end; `arrow` where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to_end: Option<String>,
    /// Its color, as of a node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    color: Option<String>,
    /// Its label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// Keys that the format does not know.
    #[serde(flatten)]
    other: Map<String, Value>,
}

impl AnswerData for CanvasContent {
    /// Returns a line for each node: id, type, and what it shows. Then the edges.
    fn text(&self) -> String {
        let nodes = self.nodes.items.iter().map(|node| {
            let shown = [&node.text, &node.file, &node.url, &node.label];
            let shown = shown.into_iter().flatten().next();
            [
                node.id.clone(),
                node.kind.clone(),
                shown.cloned().unwrap_or_default(),
            ]
        });
        let edges = self.edges.iter().map(|edge| {
            [
                format!("{} -> {}", edge.from_node, edge.to_node),
                "edge".to_owned(),
                edge.label.clone().unwrap_or_default(),
            ]
        });
        rows(nodes.chain(edges))
    }

    fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn list(&mut self) -> Option<&mut dyn Items> {
        Some(&mut self.nodes)
    }
}

/// The number of nodes in an answer unless `limit` is given.
const LIMIT: usize = 200;

/// Returns the nodes and edges of a canvas. An empty file, which a new canvas is, has none.
fn read(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let mut target = Target::from_arguments(vault, arguments)?;
    if target.path.extension() != "canvas" {
        target.must_exist(vault)?;
        return Err(EngineError::argument(
            "path",
            "the path of a canvas, `.canvas`",
        ));
    }
    let text = target.text(vault)?;
    let mut warnings = target.warnings;
    let mut canvas = parsed(&text).unwrap_or_else(|reason| {
        warnings.push(Warning::InvalidCanvas {
            path: target.path.clone(),
            reason,
        });
        Map::new()
    });
    let mut unknown = Vec::new();
    let nodes: Vec<CanvasNode> = items(&mut canvas, "nodes", &mut unknown);
    let edges = items(&mut canvas, "edges", &mut unknown);
    let answer = CanvasContent {
        path: target.path.to_string(),
        nodes: page_of(nodes, arguments, LIMIT),
        edges,
        unknown,
        other: canvas,
    };
    Ok(Reply::new(answer, warnings))
}

fn parsed(text: &str) -> Result<Map<String, Value>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Takes the list `key` out of the canvas. Items that do not fit the format go to `unknown`.
fn items<T: for<'de> Deserialize<'de>>(
    canvas: &mut Map<String, Value>,
    key: &str,
    unknown: &mut Vec<Value>,
) -> Vec<T> {
    let list = match canvas.remove(key) {
        Some(Value::Array(list)) => list,
        Some(Value::Null) | None => return Vec::new(),
        Some(other) => {
            unknown.push(other);
            return Vec::new();
        }
    };
    let mut items = Vec::new();
    for item in list {
        match T::deserialize(&item) {
            Ok(item) => items.push(item),
            Err(_) => unknown.push(item),
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vault_files::vault::testing::vault;

    use crate::own::testing::{ask, fails, reply, text};

    const CANVAS: &str = include_str!("board.canvas");

    #[test]
    fn nodes_edges_and_what_the_format_does_not_know() {
        let (_folder, vault) = vault(&[
            ("a.canvas", CANVAS),
            ("new.canvas", ""),
            ("bad.canvas", "{"),
            ("a.md", ""),
        ]);
        let found = ask(&vault, "canvas:read path=a.canvas");
        assert_eq!(
            found["items"][0],
            json!({"id": "1", "type": "text", "x": 0.0, "y": -10.5, "width": 250.0, "height": 60.0,
                   "color": "1", "text": "Hello", "styleAttributes": {"a": 1}})
        );
        assert_eq!(found["items"][3]["shape"], "star");
        assert_eq!(
            found["edges"],
            json!([{"id": "e", "fromNode": "1", "toNode": "2", "toEnd": "none", "label": "sees", "thickness": 3}])
        );
        assert_eq!(found["unknown"], json!([{"id": "5"}, 7]));
        assert_eq!(found["other"], json!({"metadata": {"version": "1.0-1.0"}}));
        assert!(
            text(&vault, "canvas:read path=a.canvas")
                .starts_with("1\ttext\tHello\n2\tfile\ta.md\n")
        );
        assert_eq!(ask(&vault, "canvas:read path=new.canvas")["total"], 0);
        let bad = reply(&vault, "canvas:read path=bad.canvas").unwrap();
        assert_eq!(bad.warnings[0].code(), "INVALID_CANVAS");
        fails(&vault, "canvas:read path=a.md");
        fails(&vault, "canvas:read path=none.canvas");
    }

    #[test]
    fn d13_a_canvas_that_may_not_be_seen_is_not_there() {
        let (_folder, vault) = vault(&[("a.canvas", CANVAS)]);
        let limited = vault_files::vault::testing::without_sight_of(&vault, "a.canvas");
        assert!(reply(&limited, "canvas:read path=a.canvas").is_err());
    }
}
