//! YAML to properties.

use serde_json::{Map, Value};
use yaml_events::{Content, Fault as YamlFault, Limits, Node};

use crate::text::body::Body;
use crate::text::error::{Fault, Reason};

/// The deepest nesting of collections; deeper texts are refused, because they could exhaust the stack.
const DEEPEST: usize = 64;

/// Reads a mapping. A line `---` at its head is passed over.
pub(crate) fn read(body: Body<'_>) -> Result<Map<String, Value>, Fault> {
    // More than any text without aliases contains.
    let most = 2 * body.text.len() + 2;
    let limits = Limits {
        depth: DEEPEST,
        values: most,
        text: most,
    };
    // The final line break belongs to a literal block.
    let text = format!("{}\n", body.text);
    let root = yaml_events::document(&text, body.first, limits, key).map_err(|error| {
        let what = match error.fault {
            YamlFault::Syntax(error) => error.info().to_owned(),
            YamlFault::SeveralDocuments => "several documents".to_owned(),
            YamlFault::Endless | YamlFault::TooMany | YamlFault::TooLong => {
                "too many aliases".to_owned()
            }
            YamlFault::TooDeep => "too deep nesting".to_owned(),
            YamlFault::NoKey => "a key that is not a text".to_owned(),
            YamlFault::DuplicateKey(_) => "a key that stands twice".to_owned(),
        };
        Fault::at_line(error.at.line, Reason::Yaml { what })
    })?;
    match root.map(value) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(map)) => Ok(map),
        Some(_) => Err(body.fault(Reason::Yaml {
            what: "no mapping".to_owned(),
        })),
    }
}

/// Returns the key that a scalar makes: its text as written.
fn key(node: &Node) -> Option<String> {
    match &node.content {
        Content::Scalar(scalar) => Some(scalar.text.clone()),
        Content::List(_) | Content::Mapping(_) => None,
    }
}

fn value(node: Node) -> Value {
    match node.content {
        Content::Scalar(scalar) => scalar.into_value(),
        Content::List(items) => items.into_iter().map(value).collect(),
        Content::Mapping(entries) => {
            let members = entries
                .into_iter()
                .map(|entry| (entry.key, value(entry.value)));
            Value::Object(members.collect())
        }
    }
}
