//! The schema of a tool's structured result, abridged from the published schema of its command's
//! answer. Clients send it to the model with every conversation, so it names the fields and their
//! types and nothing more.

use std::collections::BTreeMap;

use cli_output::Shape;
use serde_json::{Map, Value, json};

use protocol::json::object;

/// The keys that give the position of a part in a long answer. They are the same for all tools.
const ABOUT_THE_PART: [&str; 6] = [
    "total",
    "returned",
    "offset",
    "truncated",
    "nextOffset",
    "totalCharacters",
];
/// Number of levels of fields listed: fields of `data`, and fields of the items in its lists.
const MOST_LEVELS: usize = 2;

/// Returns the schema of a result whose data has this shape.
///
/// `data` of a refused call is empty, and a dry run returns the plan, so no field in it is required.
/// Fields in `omit` are left out: the tool never returns them.
pub(super) fn typed_output(shape: Shape, omit: &[String]) -> Map<String, Value> {
    let schema = shape.schema().to_value();
    let definitions = schema.get("$defs").cloned().unwrap_or_default();
    let mut data = brief(&schema, &definitions, 0);
    if let Some(fields) = data.get_mut("properties").and_then(Value::as_object_mut) {
        fields.retain(|name, _| !ABOUT_THE_PART.contains(&name.as_str()));
    }
    for place in ["/properties", "/properties/items/items/properties"] {
        if let Some(fields) = data.pointer_mut(place).and_then(Value::as_object_mut) {
            fields.retain(|name, _| !omit.contains(name));
        }
    }
    data["type"] = json!("object");
    result(&data)
}

fn result(data: &Value) -> Map<String, Value> {
    object(json!({
        "type": "object",
        "properties": { "data": data },
    }))
}

/// Types and names of fields of a schema. A schema that allows several kinds of values names the
/// fields that any of them has.
fn brief(schema: &Value, definitions: &Value, level: usize) -> Value {
    if let Some(definition) = schema.get("$ref").and_then(Value::as_str) {
        let name = definition.rsplit('/').next().unwrap_or_default();
        return match definitions.get(name) {
            Some(schema) => brief(schema, definitions, level),
            None => json!({}),
        };
    }
    let alternatives = ["anyOf", "oneOf"]
        .into_iter()
        .find_map(|key| schema.get(key)?.as_array());
    if let Some(alternatives) = alternatives {
        return match alternatives.as_slice() {
            [only] => brief(only, definitions, level),
            several => any_of(several, definitions, level),
        };
    }
    if level > MOST_LEVELS {
        return json!({});
    }
    let Some(kind) = schema.get("type") else {
        return json!({});
    };
    // The name of a field is enough for a model, unless it is a list or an object.
    if level > 0 && kind != "object" && kind != "array" {
        return json!({});
    }
    let mut shown = json!({ "type": kind });
    if let Some(fields) = schema.get("properties").and_then(Value::as_object) {
        shown["properties"] = fields_of(fields, definitions, level);
    }
    if let Some(items) = schema.get("items") {
        shown["items"] = brief(items, definitions, level + 1);
    }
    shown
}

fn fields_of(fields: &Map<String, Value>, definitions: &Value, level: usize) -> Value {
    let fields = fields
        .iter()
        .map(|(name, field)| (name.clone(), brief(field, definitions, level + 1)));
    Value::Object(fields.collect())
}

fn any_of(alternatives: &[Value], definitions: &Value, level: usize) -> Value {
    let mut found: Map<String, Value> = Map::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for alternative in alternatives {
        let alternative = brief(alternative, definitions, level);
        let named = alternative.get("properties").and_then(Value::as_object);
        for (name, field) in named.into_iter().flatten() {
            *counts.entry(name.clone()).or_default() += 1;
            let known = found.entry(name.clone()).or_insert_with(|| field.clone());
            // A field with different types in two alternatives gets no type.
            if known != field {
                *known = json!({});
            }
        }
    }
    // A union of many kinds, such as all confirmations, lists the fields that most of them have.
    let fewest = if alternatives.len() > 4 {
        alternatives.len() / 2
    } else {
        1
    };
    let is_usual = |name: &String| counts.get(name).is_some_and(|count| *count >= fewest);
    let fields: Map<String, Value> = found
        .into_iter()
        .filter(|(name, _)| is_usual(name))
        .collect();
    if fields.is_empty() {
        json!({})
    } else {
        json!({ "properties": fields })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use allowlist::Catalogue;

    fn of(id: &str) -> Value {
        let command = Catalogue::find_builtin(id).unwrap();
        Value::Object(typed_output(command.output, &[]))["properties"]["data"].clone()
    }

    #[test]
    fn a_schema_names_the_fields_of_the_data_and_of_its_items() {
        let read = of("read");
        assert_eq!(read["properties"]["content"], json!({}));
        let files = of("files");
        let items = &files["properties"]["items"];
        assert_eq!(items["items"]["properties"]["path"], json!({}));
        assert!(files["properties"].get("nextOffset").is_none());
    }

    #[test]
    fn each_tool_has_a_schema_of_its_own_and_a_short_one() {
        for command in Catalogue::whole().unwrap().commands() {
            let schema = Value::Object(typed_output(command.output, &[])).to_string();
            assert!(!schema.contains("$ref"), "{schema}");
            if command.tool.is_some() {
                assert!(schema.len() <= 700, "{}: {schema}", command.id);
            }
        }
    }
}
