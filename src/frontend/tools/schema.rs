//! JSON Schemas of a tool's arguments and of its result. Short on purpose: every client sends them to
//! the model with every conversation.

use serde_json::{Map, Value, json};

use crate::allowlist::{Command, Effect, EffectSet, Param, ParamKind};
use crate::gateway::about::QUESTIONS;

/// Where a caller goes on in a long answer.
pub(super) const OFFSET: &str = "offset";
/// Arguments about the call and not the command, as in the request, of tools that can change something.
pub(super) const ABOUT_THE_CALL: [&str; 3] = ["dryRun", "ifHash", "approval"];

/// The arguments of a command's own tool: those that `shows`.
pub(super) fn typed_input(
    command: &Command,
    effects: EffectSet,
    shows: &dyn Fn(&str) -> bool,
) -> Map<String, Value> {
    let mut properties = Map::new();
    for param in command.params.iter().filter(|param| shows(&param.name)) {
        properties.insert(param.name.clone(), Value::Object(of_param(param)));
    }
    for flag in command.flags.iter().filter(|flag| shows(&flag.name)) {
        let schema = json!({ "type": "boolean", "description": clause(&flag.summary) });
        properties.insert(flag.name.clone(), schema);
    }
    if command.effects.contains(Effect::Read) {
        properties.insert(OFFSET.to_owned(), offset());
    }
    if effects.has_plan() {
        // Described once, at the generic tool.
        let types = ["boolean", "string", "string"];
        for (name, kind) in ABOUT_THE_CALL.into_iter().zip(types) {
            properties.insert(name.to_owned(), json!({ "type": kind }));
        }
    }
    let required: Vec<&str> = command
        .params
        .iter()
        .filter(|param| param.required)
        .map(|param| param.name.as_str())
        .collect();
    object(properties, &required)
}

/// The arguments of the generic tool.
pub(super) fn generic_input(open: &[&Command], effects: EffectSet) -> Map<String, Value> {
    let commands = open.iter().map(|command| command.id.as_str());
    // They need no tier and no switch.
    let ids: Vec<&str> = QUESTIONS.into_iter().chain(commands).collect();
    let mut properties = Map::from_iter([
        (
            "command".to_owned(),
            json!({ "type": "string", "enum": ids }),
        ),
        ("params".to_owned(), json!({ "type": "object" })),
        (
            "vault".to_owned(),
            json!({ "type": "string", "description": "The pinned vault's name; any other is refused" }),
        ),
        (OFFSET.to_owned(), offset()),
    ]);
    add_about_the_call(&mut properties, effects);
    object(properties, &["command"])
}

/// What every tool's structured result has: the envelope without what its data says already. The
/// whole schema is published; here every byte is paid for by every conversation.
pub(super) fn output() -> Map<String, Value> {
    object_of(json!({
        "type": "object",
        "required": ["success", "status", "data"],
    }))
}

fn offset() -> Value {
    json!({ "type": "integer", "minimum": 0, "description": "`nextOffset` of a cut answer" })
}

fn add_about_the_call(properties: &mut Map<String, Value>, effects: EffectSet) {
    if !effects.has_plan() {
        return;
    }
    let schemas = [
        json!({ "type": "boolean", "description": "Only show the plan" }),
        json!({ "type": "string", "description": "SHA-256 that the note must still have" }),
        json!({ "type": "string", "description": "Id of an approval that a person gave" }),
    ];
    for (name, schema) in ABOUT_THE_CALL.into_iter().zip(schemas) {
        properties.insert(name.to_owned(), schema);
    }
}

fn of_param(param: &Param) -> Map<String, Value> {
    let mut schema = object_of(match &param.kind {
        ParamKind::Integer { min, max } => {
            json!({ "type": "integer", "minimum": min, "maximum": max })
        }
        ParamKind::Choice(words) => json!({ "type": "string", "enum": words }),
        ParamKind::Character => json!({ "type": "string", "minLength": 1, "maxLength": 1 }),
        ParamKind::Scalar => json!({ "type": ["string", "number", "boolean"] }),
        ParamKind::Path
        | ParamKind::Folder
        | ParamKind::Destination
        | ParamKind::NoteName
        | ParamKind::Name
        | ParamKind::Template
        | ParamKind::TaskRef
        | ParamKind::Identifier
        | ParamKind::Url
        | ParamKind::Text
        | ParamKind::Line => {
            if param.required && !param.may_be_empty {
                json!({ "type": "string", "minLength": 1 })
            } else {
                json!({ "type": "string" })
            }
        }
    });
    schema.insert("description".to_owned(), clause(&param.summary).into());
    schema
}

/// A summary as a clause, without the full stop.
fn clause(summary: &str) -> &str {
    summary.strip_suffix('.').unwrap_or(summary)
}

fn object(properties: Map<String, Value>, required: &[&str]) -> Map<String, Value> {
    let mut schema = Map::from_iter([
        ("type".to_owned(), json!("object")),
        ("properties".to_owned(), Value::Object(properties)),
    ]);
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn object_of(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        // Only called with objects written out above.
        _ => Map::new(),
    }
}
