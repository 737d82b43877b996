//! Where a part stands in an answer that is not given whole (`design.md` §4).

use schemars::{JsonSchema, Schema, schema_for};
use serde::Serialize;
use serde_json::Value;

/// Where a part of a text stands in it. Numbers are characters. Beside a text that is given whole none
/// of this is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaceInText {
    /// The first character of the part, from 0. Only beside a part of a text.
    pub offset: usize,
    /// Whether the text goes on after the part. Only beside a part of a text.
    pub truncated: bool,
    /// The `offset` that goes on in the text. Only where it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// How many characters the text has. Only beside a part, where the end of the text is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_characters: Option<usize>,
}

/// Adds the keys of [`PlaceInText`] to the schema of a text.
pub fn add_place_in_text(schema: &mut Schema) {
    let mut place = schema_for!(PlaceInText).to_value();
    let Some(Value::Object(keys)) = place.get_mut("properties").map(Value::take) else {
        return;
    };
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.extend(keys);
    }
}
