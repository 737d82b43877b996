//! The tool `undo`. It has no entry in the catalogue, because it is not a command of a vault: it
//! reverts another call (`design/writes.md`).

use serde_json::{Map, Value, json};

use super::{Annotations, Tool};
use allowlist::{Effect, EffectSet};
use gateway::UNDO;
use protocol::json::object;

/// Returns the definition of the tool.
pub(super) fn undo_tool() -> Tool {
    Tool {
        name: UNDO.to_owned(),
        title: "Undo a change".to_owned(),
        description:
            "Undo your last change or `run`. Fails if edited since. Undo an undo to redo it."
                .to_owned(),
        input_schema: object(json!({
            "type": "object",
            "properties": {
                "run": { "type": "string", "description": "`run` of a change" },
                "dryRun": { "type": "boolean" },
                "approval": { "type": "string" },
            },
            "additionalProperties": false,
        })),
        output_schema: None,
        annotations: Annotations::from_effects(EffectSet::from_iter([Effect::Write])),
    }
}

/// Returns the request behind a call of the tool.
pub(super) fn undo_request(mut arguments: Map<String, Value>) -> Map<String, Value> {
    let mut request = Map::from_iter([("command".to_owned(), json!(UNDO))]);
    for key in ["dryRun", "approval"] {
        if let Some(value) = arguments.remove(key) {
            request.insert(key.to_owned(), value);
        }
    }
    request.insert("params".to_owned(), Value::Object(arguments));
    request
}
