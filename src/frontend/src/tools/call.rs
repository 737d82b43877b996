//! Converts a tool call to a request of the gateway.

use cli_output::{PageUnit, Shape};
use serde_json::{Map, Value, json};

use super::undo::undo_request;
use super::{GENERIC, name_of};
use allowlist::paging::{OFFSET, Paging};
use allowlist::{
    ABOUT_THE_CALL, CALL_FIELDS, Call, Catalogue, Command, ParamKind, RawValue, meant_or_nearest,
    shown,
};
use gateway::{Request, UNDO};
use protocol::{Code, Failure, Message, Part, did_you_mean, message};

/// A parsed tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The request for the gateway.
    pub request: Request,
    /// The start of the page: list items, else characters.
    pub start: Start,
}

/// The start of a page. The offset is split, because the gateway applies a part of it itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// The offset that the gateway applied.
    pub passed: usize,
    /// The rest, to be skipped in the gateway's answer.
    pub skip: usize,
}

/// Returns the command behind a call of the tool `name`; empty if the arguments do not name one.
pub fn command_of(catalogue: &Catalogue, name: &str, arguments: &Map<String, Value>) -> String {
    let command = match name {
        GENERIC => arguments.get("command").and_then(Value::as_str),
        UNDO => Some(UNDO),
        _ => with_tool(catalogue, name).map(|command| command.id.as_str()),
    };
    command.unwrap_or_default().to_owned()
}

/// Returns the command with this tool of its own.
fn with_tool<'c>(catalogue: &'c Catalogue, name: &str) -> Option<&'c Command> {
    let mut commands = catalogue.commands().map(AsRef::as_ref);
    commands.find(|command| command.tool.is_some() && name_of(command) == name)
}

/// Parses the arguments of the tool `name`; `None` if there is no such tool.
///
/// Closed tools are parsed too, so that the gateway can say why they are closed. Whether the
/// command accepts its parameters is left to the gateway.
///
/// # Errors
///
/// The inner result is `USAGE_ERROR` if the arguments do not form a request.
pub fn call(
    catalogue: &Catalogue,
    name: &str,
    arguments: Map<String, Value>,
) -> Option<Result<ToolCall, Failure>> {
    if name == GENERIC {
        return Some(refuse_loose(catalogue, &arguments).and_then(|()| generic(arguments)));
    }
    if name == UNDO {
        return Some(generic(undo_request(arguments)));
    }
    let command = with_tool(catalogue, name)?;
    let mut params = arguments;
    let about = ABOUT_THE_CALL.into_iter().chain([OFFSET]);
    let mut taken: Map<String, Value> = about
        .filter_map(|key| Some((key.to_owned(), params.remove(key)?)))
        .collect();
    for (key, text) in command.tool.iter().flat_map(|tool| &tool.preset) {
        params.entry(key).or_insert_with(|| json!(text));
    }
    taken.insert("command".to_owned(), json!(command.id));
    taken.insert("params".to_owned(), Value::Object(params));
    Some(generic(taken))
}

/// Refuses parameters of the command that are outside of `params`, and `params` given as text.
fn refuse_loose(catalogue: &Catalogue, arguments: &Map<String, Value>) -> Result<(), Failure> {
    let named = arguments.get("command").and_then(Value::as_str);
    if named.is_none() {
        return refuse_unknown(arguments, |_| true);
    }
    let Some(command) = named.and_then(|id| catalogue.find(id).ok()) else {
        return Ok(());
    };
    let is_loose = |key: &&String| {
        !CALL_FIELDS.contains(&key.as_str())
            && command.argument_names().any(|name| name == key.as_str())
    };
    let loose: Vec<String> = arguments
        .keys()
        .filter(is_loose)
        .map(|key| format!("`{key}`"))
        .collect();
    if !loose.is_empty() {
        return Err(Code::UsageError.failure(format!(
            "{} must be inside the object `params`.",
            loose.join(" and ")
        )));
    }
    if arguments.get("params").is_some_and(Value::is_string) {
        let mut required = command.params.iter().filter(|param| param.required);
        let name = required.next().map(|param| param.name.as_str());
        let name = name.or_else(|| command.argument_names().next());
        let params = json!({ name.unwrap_or("name"): "…" });
        return Err(Code::UsageError.failure(message!(
            "`params` must be an object, such as {}, and not a string.",
            Part::Params(params)
        )));
    }
    let is_params = |key: &str| vault_engine::meant(key, ["params"]).is_some();
    let is_option =
        |key: &str| vault_engine::meant(key, CALL_FIELDS[2..].iter().copied()).is_some();
    refuse_unknown(arguments, |key| {
        is_option(key) || (!arguments.contains_key("params") && is_params(key))
    })
}

/// Refuses fields that the generic tool does not have, those among them that are looked at.
fn refuse_unknown(
    arguments: &Map<String, Value>,
    is_looked_at: impl Fn(&str) -> bool,
) -> Result<(), Failure> {
    let is_unknown = |key: &&String| !CALL_FIELDS.contains(&key.as_str()) && is_looked_at(key);
    let mut unknown = arguments.keys().filter(is_unknown);
    let Some(key) = unknown.next() else {
        return Ok(());
    };
    let fields = CALL_FIELDS.into_iter();
    let open = fields.filter(|field| !arguments.contains_key(*field));
    let near = meant_or_nearest(key, open);
    Err(Code::UsageError
        .failure(format!("`{GENERIC}` has no parameter `{}`.", shown(key)))
        .hint(did_you_mean(&near))
        .hint(format!(
            "The valid parameters are `{}`.",
            CALL_FIELDS.join("`, `")
        )))
}

fn generic(mut arguments: Map<String, Value>) -> Result<ToolCall, Failure> {
    let offset = arguments.remove(OFFSET).map(|offset| {
        // A number that is written as a text is taken as it is for `limit`.
        let written = offset.as_str().and_then(|text| text.parse().ok());
        let offset = offset.as_u64().or(written);
        offset.and_then(|offset| usize::try_from(offset).ok())
    });
    // The same strict parser as for a request of `vault-gw call`.
    let mut request = Request::from_fields(arguments)?;
    if offset == Some(None) {
        let rule =
            "`offset` must be a whole number: 0, or the `nextOffset` of the previous answer.";
        request.misfits.push(rule.into());
    }
    request.misfits.extend(question_without_words(&request));
    let offset = offset.flatten().unwrap_or_default();
    let mut start = Start::default();
    match Catalogue::find_builtin(&request.command)
        .map(|command| Paging::for_command(&command, command.effects))
    {
        Ok(Paging::Parameter) => {
            // The command applies its own offset. The offset of the page replaces it, because it is
            // newer; both count from the start of the whole list.
            if offset > 0 {
                let offset = RawValue::Number(offset.into());
                request.params.0.insert(OFFSET.to_owned(), offset);
            }
            start.passed = own_offset(&request);
        }
        // Only the gateway can reach parts of a text beyond what it keeps in memory.
        Ok(Paging::Request(unit)) if unit != PageUnit::BodyCharacters && !request.dry_run => {
            request.offset = offset;
            start.passed = offset;
        }
        // The command refuses it: a call that is sent again for the rest would be made again.
        _ if offset > 0 && !request.dry_run && changes(&request) => {
            let offset = RawValue::Number(offset.into());
            request.params.0.insert(OFFSET.to_owned(), offset);
        }
        // A tool's pages count the characters of all that is printed.
        _ => start.skip = offset,
    }
    Ok(ToolCall { request, start })
}

/// Returns the mistake of a search without words, which finds nothing in any vault. A search that is typed may be
/// empty, as in programs whose command line a profile takes.
fn question_without_words(request: &Request) -> Option<Message> {
    const QUERY: &str = "query";
    let command = Catalogue::find_builtin(&request.command).ok()?;
    let Some(RawValue::Text(text)) = request.params.0.get(QUERY) else {
        return None;
    };
    let param = command.param(QUERY).filter(|_| command.is_ours())?;
    // The command itself refuses an empty text that it cannot take.
    let is_blank = text.trim().is_empty() && (param.may_be_empty || !text.is_empty());
    (is_blank && param.required).then(|| {
        message!(
            "The parameter `{}`{} is empty. To list notes without a query, use {notes:list}.",
            QUERY,
            Part::OfSubject(command.id.clone())
        )
    })
}

/// Whether a request changes something, as far as its parameters fit.
fn changes(request: &Request) -> bool {
    Catalogue::find_builtin(&request.command).is_ok_and(|command| {
        let arguments = command.fitting(&command.given(&request.params.0));
        Call { command, arguments }.effects().is_mutation()
    })
}

/// Returns the parameter `offset` of a request; 0 if it is missing, or if the command will refuse
/// it.
fn own_offset(request: &Request) -> usize {
    let offset = match request.params.0.get(OFFSET) {
        Some(RawValue::Number(number)) => number.as_u64().and_then(|offset| offset.try_into().ok()),
        Some(RawValue::Text(text)) => text.parse().ok(),
        _ => None,
    };
    offset.unwrap_or_default()
}

impl ToolCall {
    /// Limits the `budget` parameter of a command to an answer of `most` characters, so that the
    /// command itself ends its output at a place from which it can continue.
    pub fn keep_within(&mut self, most: usize) {
        let Ok(command) = Catalogue::find_builtin(&self.request.command) else {
            return;
        };
        let (Shape::Own(form), Some(param)) = (command.output, command.param(BUDGET)) else {
            return;
        };
        let (Some(default), ParamKind::Integer { min, .. }) = (form.budget, &param.kind) else {
            return;
        };
        let most = i64::try_from(most).unwrap_or(i64::MAX).max(*min);
        let given = match self.request.params.0.get(BUDGET) {
            // The command refuses a value of another type.
            Some(RawValue::Number(number)) => number.as_i64(),
            None | Some(RawValue::Null) => i64::try_from(default).ok(),
            Some(_) => None,
        };
        if given.is_some_and(|given| given > most) {
            let most = RawValue::Number(most.into());
            self.request.params.0.insert(BUDGET.to_owned(), most);
        }
    }
}

/// The parameter that limits the size of an answer.
const BUDGET: &str = "budget";
