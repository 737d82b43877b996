//! JSON Schemas of a tool's arguments. Kept short: clients send them to the model with
//! every conversation.

use std::borrow::Cow;

use cli_output::Shape;
use serde_json::{Map, Value, json};

use allowlist::paging::OFFSET;
use allowlist::{ABOUT_THE_CALL, Command, Effect, EffectSet, ListKind, Param, ParamKind, Target};
use gateway::DRAFT_QUESTIONS;
use gateway::about::QUESTIONS;

/// Returns the description of a tool's parameter. Parameters that name an existing note have the same short sentence in
/// every tool. `None` for the start of a page, which the server's instructions describe.
fn description<'param>(command: &Command, param: &'param Param) -> Option<&'param str> {
    match param.kind {
        ParamKind::NoteName if param.name == "file" && names_one(command) => Some("Note's name"),
        ParamKind::Path if param.name == "path" && names_one(command) => {
            Some("Exact path: `A/B.md`")
        }
        ParamKind::List(ListKind::Paths) if names_one(command) => Some("Or several"),
        // The name and the type are enough.
        ParamKind::Object => None,
        _ if param.name == OFFSET => None,
        _ => Some(clause(&param.summary)),
    }
}

/// Whether `file` and `path` of the command name an existing note.
fn names_one(command: &Command) -> bool {
    matches!(command.target, Target::Note | Target::NoteOrVault)
}

/// Whether the command limits the size of its answer itself, so that it is never cut.
fn has_budget(command: &Command) -> bool {
    matches!(command.output, Shape::Own(form) if form.budget.is_some())
}

/// The argument schema of a command's own tool; `shows` selects the arguments.
pub(super) fn typed_input(
    command: &Command,
    effects: EffectSet,
    shows: &dyn Fn(&str) -> bool,
) -> Map<String, Value> {
    let mut properties = Map::new();
    for param in command.params.iter().filter(|param| shows(&param.name)) {
        let mut schema = param_schema(param);
        if let Some(description) = description(command, param) {
            schema.insert("description".to_owned(), description.into());
        }
        properties.insert(param.name.clone(), Value::Object(schema));
    }
    for flag in command.flags.iter().filter(|flag| shows(&flag.name)) {
        let schema = json!({ "type": "boolean", "description": clause(&flag.summary) });
        properties.insert(flag.name.clone(), schema);
    }
    let is_cut = command.effects.contains(Effect::Read) && !has_budget(command);
    if is_cut && command.param(OFFSET).is_none() {
        properties.insert(OFFSET.to_owned(), json!({ "type": "integer" }));
    }
    if effects.has_plan() {
        // Only the generic tool describes them, to save tokens.
        let types = ["boolean", "string", "string"];
        for (name, kind) in ABOUT_THE_CALL.into_iter().zip(types) {
            properties.insert(name.to_owned(), json!({ "type": kind }));
        }
    }
    let required_by_tool = |name: &String| {
        let tool = command.tool.as_ref();
        tool.is_some_and(|tool| tool.require.contains(name))
    };
    let required: Vec<&str> = command
        .params
        .iter()
        .filter(|param| param.required || required_by_tool(&param.name))
        .map(|param| param.name.as_str())
        .collect();
    object(properties, &required)
}

/// Returns the argument schema of the generic tool.
pub(super) fn generic_input(
    open: &[Cow<'_, Command>],
    effects: EffectSet,
    has_drafts: bool,
) -> Map<String, Value> {
    // A command that has a listed tool is called by that tool.
    let is_listed = |command: &Command| command.tool.as_ref().is_some_and(|tool| !tool.unlisted);
    let commands = open.iter().filter(|command| !is_listed(command.as_ref()));
    let commands = commands.map(|command| command.id.as_str());
    // The built-in questions are always open.
    let of_drafts = DRAFT_QUESTIONS.into_iter().filter(|_| has_drafts);
    let ids: Vec<&str> = QUESTIONS
        .into_iter()
        .chain(of_drafts)
        .chain(commands)
        .collect();
    let mut properties = Map::from_iter([
        (
            "command".to_owned(),
            json!({ "type": "string", "enum": ids }),
        ),
        (
            "params".to_owned(),
            json!({ "type": "object", "description": "Its parameters: `capabilities` with `command` lists them" }),
        ),
        // Any other value than the name of the pinned vault is refused.
        ("vault".to_owned(), json!({ "type": "string" })),
        (
            OFFSET.to_owned(),
            json!({ "type": "integer", "minimum": 0, "description": "`nextOffset` of a cut answer" }),
        ),
        ("links".to_owned(), json!({ "enum": ["uri"] })),
    ]);
    add_about_the_call(&mut properties, effects);
    object(properties, &["command"])
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

/// Size from which a bound is left out of the schema.
const LARGE: i64 = 100_000;

fn param_schema(param: &Param) -> Map<String, Value> {
    protocol::json::object(match &param.kind {
        // The extreme values of the catalogue are not bounds that a model needs to know.
        ParamKind::Integer { min: 0, max } if *max >= LARGE => json!({ "type": "integer" }),
        ParamKind::Integer { min, max } if *max >= LARGE => {
            json!({ "type": "integer", "minimum": min })
        }
        ParamKind::Integer { min, max } => {
            json!({ "type": "integer", "minimum": min, "maximum": max })
        }
        ParamKind::Choice(words) => json!({ "type": "string", "enum": words }),
        ParamKind::Character => json!({ "type": "string", "minLength": 1, "maxLength": 1 }),
        ParamKind::Scalar => json!({ "type": ["string", "number", "boolean"] }),
        ParamKind::ScalarOrList => {
            json!({ "type": ["string", "number", "boolean", "array", "null"] })
        }
        ParamKind::Object => json!({ "type": "object" }),
        ParamKind::List(kind) => kind.schema(),
        // Every other kind is sent as text.
        _ => {
            json!({ "type": "string" })
        }
    })
}

/// Returns a summary without its full stop.
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
