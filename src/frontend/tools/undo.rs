//! The tool `undo`. It has no entry in the catalogue, because it is no command of a vault: it reverts what
//! another call did (`design.md` §13).

use serde_json::{Map, Value, json};

use super::output_schema::generic_output;
use super::schema::into_object;
use super::{Annotations, Tool};
use crate::allowlist::{Effect, EffectSet};
use crate::gateway::UNDO;

/// The definition of the tool.
pub(super) fn undo_tool() -> Tool {
    Tool {
        name: UNDO.to_owned(),
        title: "Undo a change".to_owned(),
        description:
            "Undo your last change, or the one that `run` names, if nothing was edited since. \
            Undoing an undo redoes the change."
                .to_owned(),
        input_schema: into_object(json!({
            "type": "object",
            "properties": {
                "run": { "type": "string", "description": "`journal` of the change" },
                "dryRun": { "type": "boolean" },
            },
            "additionalProperties": false,
        })),
        output_schema: Some(generic_output()),
        annotations: Annotations::from_effects(EffectSet::from_iter([Effect::Write])),
    }
}

/// The request behind a call of the tool.
pub(super) fn undo_request(mut arguments: Map<String, Value>) -> Map<String, Value> {
    let mut request = Map::from_iter([("command".to_owned(), json!(UNDO))]);
    if let Some(dry_run) = arguments.remove("dryRun") {
        request.insert("dryRun".to_owned(), dry_run);
    }
    request.insert("params".to_owned(), Value::Object(arguments));
    request
}
