//! Tool definitions in the formats of the agent frameworks that drive `vault-gw call`.

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use super::tools::{GENERIC, Tool};

/// The API or framework whose format is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ToolShape {
    /// MCP `Tool`, as `tools/list` gives them
    Mcp,
    /// The Chat Completions API, and whatever follows it
    Openai,
    /// The Responses API
    OpenaiResponses,
    /// The Messages API
    Anthropic,
    /// A JSON Schema with a title, as `bind_tools` takes it
    Langchain,
}

/// The pagination argument; only the MCP server cuts answers into pages.
const ONLY_MCP: &str = "offset";
/// Schema keywords that strict mode rejects.
const NOT_STRICT: [&str; 2] = ["minLength", "maxLength"];

/// Converts the tools to this format.
pub fn shaped(tools: &[Tool], shape: ToolShape) -> Vec<Value> {
    let named = tools.iter().map(|tool| Tool {
        description: tool.description_naming(tools, &str::to_owned),
        ..tool.clone()
    });
    named.map(|tool| shaped_one(&tool, shape)).collect()
}

fn shaped_one(tool: &Tool, shape: ToolShape) -> Value {
    let mut schema = tool.input_schema.clone();
    if shape != ToolShape::Mcp
        && let Some(properties) = properties_mut(&mut schema)
    {
        properties.shift_remove(ONLY_MCP);
    }
    match shape {
        ToolShape::Mcp => json!(tool),
        ToolShape::Openai => json!({ "type": "function", "function": function(tool, schema) }),
        ToolShape::OpenaiResponses => {
            let mut function = function(tool, schema);
            function.shift_insert(0, "type".to_owned(), json!("function"));
            Value::Object(function)
        }
        ToolShape::Anthropic => json!({
            "name": tool.name,
            "description": tool.description,
            "input_schema": schema,
        }),
        ToolShape::Langchain => {
            let mut titled = Map::from_iter([
                ("title".to_owned(), json!(tool.name)),
                ("description".to_owned(), json!(tool.description)),
            ]);
            titled.extend(schema);
            Value::Object(titled)
        }
    }
}

/// Returns a function definition. The generic tool accepts any parameters, which strict mode cannot
/// express.
fn function(tool: &Tool, schema: Map<String, Value>) -> Map<String, Value> {
    let is_strict = tool.name != GENERIC;
    let parameters = if is_strict { strict(schema) } else { schema };
    Map::from_iter([
        ("name".to_owned(), json!(tool.name)),
        ("description".to_owned(), json!(tool.description)),
        ("parameters".to_owned(), Value::Object(parameters)),
        ("strict".to_owned(), json!(is_strict)),
    ])
}

/// Converts a schema for strict mode, which requires every property: optional ones become nullable.
fn strict(mut schema: Map<String, Value>) -> Map<String, Value> {
    let required: Vec<String> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    let mut names = Vec::new();
    if let Some(properties) = properties_mut(&mut schema) {
        for (name, property) in properties.iter_mut() {
            names.push(name.clone());
            let Some(property) = property.as_object_mut() else {
                continue;
            };
            for keyword in NOT_STRICT {
                property.shift_remove(keyword);
            }
            if let Some(Value::Object(items)) = property.get_mut("items")
                && items.contains_key("properties")
            {
                *items = strict(std::mem::take(items));
            }
            if !required.contains(name) {
                make_nullable(property);
            }
        }
    }
    schema.insert("required".to_owned(), json!(names));
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn make_nullable(property: &mut Map<String, Value>) {
    if let Some(kind) = property.get_mut("type") {
        let mut kinds = match kind.take() {
            Value::Array(kinds) => kinds,
            one => vec![one],
        };
        kinds.push(json!("null"));
        *kind = Value::Array(kinds);
    }
    if let Some(words) = property.get_mut("enum").and_then(Value::as_array_mut) {
        words.push(Value::Null);
    }
}

fn properties_mut(schema: &mut Map<String, Value>) -> Option<&mut Map<String, Value>> {
    schema.get_mut("properties")?.as_object_mut()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tools;
    use allowlist::Catalogue;
    use tiers::Policy;

    fn all() -> Vec<Tool> {
        tools(Catalogue::whole().unwrap(), &Policy::built_in())
    }

    #[test]
    fn strict_functions_require_every_property_and_use_no_other_keyword() {
        const TAKEN: [&str; 6] = ["type", "description", "enum", "minimum", "maximum", "items"];
        let all = all();
        assert!(all.len() > 5);
        for (tool, shaped) in all.iter().zip(shaped(&all, ToolShape::Openai)) {
            let function = &shaped["function"];
            assert_eq!(function["strict"], tool.name != GENERIC, "{}", tool.name);
            if tool.name == GENERIC {
                continue;
            }
            let parameters = function["parameters"].as_object().unwrap();
            assert_eq!(parameters["additionalProperties"], false);
            let properties = parameters["properties"].as_object().unwrap();
            let names: Vec<&String> = properties.keys().collect();
            assert_eq!(parameters["required"], json!(names), "{}", tool.name);
            for (name, property) in properties {
                assert_ne!(name, ONLY_MCP);
                let may_be_left_out = !tool
                    .input_schema
                    .get("required")
                    .is_some_and(|required| required.as_array().unwrap().contains(&json!(name)));
                let kinds = &property["type"];
                let nullable = kinds
                    .as_array()
                    .is_some_and(|kinds| kinds.contains(&json!("null")));
                let sent = &tool.input_schema["properties"][name]["type"];
                // For this argument a null may be a real value.
                let takes_null = sent
                    .as_array()
                    .is_some_and(|kinds| kinds.contains(&json!("null")));
                assert_eq!(
                    nullable,
                    may_be_left_out || takes_null,
                    "{} {name}",
                    tool.name
                );
                if let Some(words) = property.get("enum") {
                    assert_eq!(words.as_array().unwrap().contains(&Value::Null), nullable);
                }
                if let Some(items) = property.get("items")
                    && items["type"] == "object"
                {
                    let inner = items["properties"].as_object().unwrap();
                    let names: Vec<&String> = inner.keys().collect();
                    assert_eq!(items["required"], json!(names), "{} {name}", tool.name);
                    assert_eq!(items["additionalProperties"], false);
                }
                for keyword in property.as_object().unwrap().keys() {
                    assert!(
                        TAKEN.contains(&keyword.as_str()),
                        "{} {name}: {keyword}",
                        tool.name
                    );
                }
            }
        }
    }

    #[test]
    fn every_shape_has_its_keys() {
        let all = all();
        let first = |shape| shaped(&all, shape).remove(1);
        let name = all[1].name.as_str();
        for (shape, place, value) in [
            (ToolShape::Mcp, "/name", name),
            (ToolShape::Mcp, "/inputSchema/type", "object"),
            (ToolShape::Openai, "/type", "function"),
            (ToolShape::Openai, "/function/name", name),
            (ToolShape::OpenaiResponses, "/type", "function"),
            (ToolShape::OpenaiResponses, "/name", name),
            (ToolShape::Anthropic, "/input_schema/type", "object"),
            (ToolShape::Langchain, "/title", name),
            (ToolShape::Langchain, "/type", "object"),
        ] {
            let found = first(shape);
            assert_eq!(found.pointer(place), Some(&json!(value)), "{shape:?}");
        }
        assert!(first(ToolShape::Mcp)["annotations"].is_object());
        let responses = first(ToolShape::OpenaiResponses);
        let openai = first(ToolShape::Openai);
        assert_eq!(responses["parameters"], openai["function"]["parameters"]);
        let anthropic = first(ToolShape::Anthropic);
        assert_eq!(anthropic["input_schema"]["properties"].get(ONLY_MCP), None);
        assert!(first(ToolShape::Langchain)["properties"].is_object());
    }
}
