//! JSON Schemas of the answers, by shape.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};
use vault_answers::Total;

use crate::app_form::AnswerType;
use crate::shape::Shape;

impl Shape {
    /// The JSON Schema (draft 2020-12) of every answer of this shape: one type, or the `anyOf` of
    /// several, with [`Total`] if the shape has it.
    pub fn schema(self) -> Schema {
        let mut generator = SchemaSettings::draft2020_12().into_generator();
        let total = self.has_total().then_some(AnswerType::of::<Total>());
        let schemas: Vec<_> = match self {
            Self::Own(form) => vec![form.schema],
            _ => self.form().answers().map(|answer| answer.schema).collect(),
        };
        let schemas = schemas.into_iter().chain(total.map(|total| total.schema));
        let types: Vec<Value> = schemas
            .map(|schema| schema(&mut generator).to_value())
            .collect();
        let mut schema = Map::new();
        let draft = generator.settings().meta_schema.as_deref().map(Value::from);
        schema.insert("$schema".to_owned(), draft.unwrap_or_default());
        schema.insert("title".to_owned(), Value::from(self.name()));
        schema.insert("anyOf".to_owned(), Value::from(types));
        schema.insert(
            "$defs".to_owned(),
            Value::Object(generator.take_definitions(true)),
        );
        Schema::from(schema)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_schema_is_the_union_of_the_answers_with_their_definitions() {
        let schema = Shape::Tags.schema().to_value();
        assert_eq!(schema["title"], "tags");
        let any_of: Vec<_> = schema["anyOf"].as_array().unwrap().iter().collect();
        assert_eq!(any_of.len(), 2);
        assert_eq!(any_of[1], &json!({"$ref": "#/$defs/Total"}));
        let item = &schema["$defs"]["TagItem"];
        assert_eq!(item["required"], json!(["tag"]));
        assert_eq!(
            item["properties"]["count"]["description"],
            "Number of its occurrences. Only with `counts`."
        );
    }

    #[test]
    fn every_reference_of_every_schema_leads_somewhere() {
        fn references(value: &Value, found: &mut Vec<String>) {
            match value {
                Value::Object(map) => {
                    found.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
                    map.values().for_each(|value| references(value, found));
                }
                Value::Array(items) => items.iter().for_each(|value| references(value, found)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        for shape in Shape::APP {
            let schema = shape.schema().to_value();
            let mut found = Vec::new();
            references(&schema, &mut found);
            assert!(!found.is_empty(), "{shape:?}");
            for reference in found {
                let pointer = reference.trim_start_matches('#');
                assert!(schema.pointer(pointer).is_some(), "{shape:?} {reference}");
            }
        }
    }
}
