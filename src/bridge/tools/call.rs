//! From a tool call to a request of the gateway.

use serde_json::{Map, Value, json};

use super::schema::{ABOUT_THE_CALL, OFFSET};
use super::{GENERIC, name_of};
use crate::allowlist::Catalogue;
use crate::code::Code;
use crate::failure::Failure;
use crate::gateway::Request;

/// What an agent asks for with a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// For the gateway.
    pub request: Request,
    /// Where to go on in a long answer: items of a list, else characters.
    pub offset: usize,
}

/// The command that the tool `name` is called for, as far as its arguments tell; empty where they do
/// not.
pub fn command_of(catalogue: &Catalogue, name: &str, arguments: &Map<String, Value>) -> String {
    let named = arguments.get("command").and_then(Value::as_str);
    let own = catalogue
        .commands()
        .find(|command| command.tool.is_some() && name_of(command) == name)
        .map(|command| command.id.as_str());
    let command = if name == GENERIC { named } else { own };
    command.unwrap_or_default().to_owned()
}

/// Reads the arguments of the tool `name`; `None` where there is no such tool.
///
/// A tool that policy closes is read all the same, so that the gateway says why it is closed.
/// `USAGE_ERROR` for arguments that make no request; what the command does not take is for the
/// gateway to refuse.
pub fn call(
    catalogue: &Catalogue,
    name: &str,
    arguments: Map<String, Value>,
) -> Option<Result<ToolCall, Failure>> {
    if name == GENERIC {
        return Some(generic(arguments));
    }
    let command = catalogue
        .commands()
        .find(|command| command.tool.is_some() && name_of(command) == name)?;
    let mut params = arguments;
    let about = take_about_the_call(&mut params);
    let mut taken = about;
    if let Some(offset) = params.remove(OFFSET) {
        taken.insert(OFFSET.to_owned(), offset);
    }
    for (key, text) in command.tool.iter().flat_map(|tool| &tool.preset) {
        params.entry(key).or_insert_with(|| json!(text));
    }
    taken.insert("command".to_owned(), json!(command.id));
    taken.insert("params".to_owned(), Value::Object(params));
    Some(generic(taken))
}

fn generic(mut arguments: Map<String, Value>) -> Result<ToolCall, Failure> {
    let offset = match arguments.remove(OFFSET) {
        None => 0,
        Some(offset) => offset
            .as_u64()
            .and_then(|offset| usize::try_from(offset).ok())
            .ok_or_else(|| {
                Failure::new(
                    Code::UsageError,
                    "`offset` must be a whole number from 0. Give the `nextOffset` of the answer before.",
                )
            })?,
    };
    // The strict reader of requests judges it as if it had come alone.
    let request = Request::from_json(Value::Object(arguments).to_string().as_bytes())?;
    Ok(ToolCall { request, offset })
}

fn take_about_the_call(params: &mut Map<String, Value>) -> Map<String, Value> {
    ABOUT_THE_CALL
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), params.remove(key)?)))
        .collect()
}
