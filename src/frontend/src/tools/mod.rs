//! The tools for agents: the generic `obsidianCli` of document 003, and one for each everyday
//! command marked in the catalogue. They depend on nothing but catalogue and policy: not on the
//! vault, the connection or the caller (`threats.toml` I10).

mod annotations;
mod call;
mod output_schema;
mod schema;
#[cfg(test)]
mod tests;
mod undo;

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

pub use self::annotations::Annotations;
pub use self::call::{Start, ToolCall, call, command_of};
use self::output_schema::typed_output;
use self::schema::{generic_input, typed_input};
use self::undo::undo_tool;
use allowlist::{BackendName, Catalogue, Command, EffectSet};
use tiers::{Drafts, Policy, Switch};

/// The name of the generic tool (document 003 §6.2).
pub const GENERIC: &str = "obsidianCli";

/// A tool definition. Serialises as an MCP `Tool`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// The command's id with `_` for `:`, which every client accepts.
    pub name: String,
    /// The title for people.
    pub title: String,
    /// One or two sentences for the model.
    pub description: String,
    /// JSON Schema 2020-12 of its arguments.
    pub input_schema: Map<String, Value>,
    /// JSON Schema 2020-12 of its structured result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Map<String, Value>>,
    /// The hints about its effects.
    pub annotations: Annotations,
}

impl Tool {
    /// Whether this is the generic tool and runs the command, which has no listed tool of its own.
    pub fn offers(&self, command: &str) -> bool {
        let commands = self.input_schema.get("properties").and_then(|properties| {
            let commands = properties.get("command")?.get("enum")?;
            commands.as_array()
        });
        commands.is_some_and(|commands| commands.iter().any(|known| known == command))
    }

    /// Returns the description with the names under which an agent knows the tools of the commands that it quotes.
    pub fn description_naming(&self, tools: &[Self], name: &dyn Fn(&str) -> String) -> String {
        let words = self.description.split('`').enumerate().map(|(at, word)| {
            let quoted = word.replace(':', "_");
            let is_tool = at % 2 == 1 && tools.iter().any(|tool| tool.name == quoted);
            if is_tool {
                name(&quoted)
            } else {
                word.to_owned()
            }
        });
        words.collect::<Vec<_>>().join("`")
    }
}

/// Returns every tool that `policy` opens: the generic one first, then by tier and catalogue order.
///
/// Parameters and flags with closed effects are removed from the schema; a command whose own
/// effects are closed is removed altogether. Path rules play no role here: they apply to each call.
pub fn tools(catalogue: &Catalogue, policy: &Policy) -> Vec<Tool> {
    tools_of(catalogue, policy, None)
}

/// Like [`tools`], with only the commands that `backend` can answer, if the settings allow only one
/// backend (`contracts.md` D50).
pub fn tools_of(catalogue: &Catalogue, policy: &Policy, backend: Option<BackendName>) -> Vec<Tool> {
    let is_served = |command: &&Command| {
        backend.is_none_or(|backend| command.is_ours() || command.backends.contains(&backend))
    };
    let open: Vec<Cow<'_, Command>> = catalogue
        .commands()
        .map(AsRef::as_ref)
        .filter(is_served)
        .filter(|command| policy.check_command(command, command.effects).is_open())
        .filter_map(|command| policy.form_of(command))
        .collect();
    if open.is_empty() {
        return Vec::new();
    }
    let mut changing = open.iter().filter(|command| command.change.is_some());
    let can_change = policy.writes_directly() && changing.next().is_some();
    let is_listed =
        |command: &&Cow<'_, Command>| command.tool.as_ref().is_some_and(|tool| !tool.unlisted);
    let typed = (open.iter().filter(is_listed)).filter_map(|command| typed(command, policy));
    std::iter::once(generic(&open, policy))
        .chain(typed)
        .chain(can_change.then(undo_tool))
        .collect()
}

/// Returns the tool's name for a command: `search:context` is `search_context`.
pub fn name_of(command: &Command) -> String {
    command.id.replace(':', "_")
}

fn typed(command: &Command, policy: &Policy) -> Option<Tool> {
    let facts = command.tool.as_ref()?;
    let shown = |name: &str| {
        !facts.hide.iter().any(|hidden| hidden == name) && !facts.preset.contains_key(name)
    };
    let effects = shown_effects(command, policy, &shown);
    let sentences = [command.summary.as_str(), facts.also.as_str()];
    let sentences = sentences
        .into_iter()
        .filter(|sentence| !sentence.is_empty() && names_open_commands(sentence, policy));
    Some(Tool {
        name: name_of(command),
        title: facts.title.clone(),
        description: sentences.collect::<Vec<_>>().join(" "),
        input_schema: typed_input(command, effects, &|name| {
            shown(name) && is_open_argument(command, name, policy)
        }),
        output_schema: Some(typed_output(command.output, &facts.omit)),
        annotations: Annotations::from_effects(effects),
    })
}

/// Whether no command that the sentence quotes is closed.
fn names_open_commands(sentence: &str, policy: &Policy) -> bool {
    let quoted = sentence.split('`').skip(1).step_by(2);
    let mut named = quoted.filter_map(|word| Catalogue::find_builtin(word).ok());
    named.all(|command| policy.opens(&command))
}

fn generic(open: &[Cow<'_, Command>], policy: &Policy) -> Tool {
    let effects = open
        .iter()
        .map(|command| shown_effects(command, policy, &|_| true))
        .fold(EffectSet::EMPTY, EffectSet::union);
    Tool {
        name: GENERIC.to_owned(),
        title: "Run an Obsidian command".to_owned(),
        description:
            "Run any allowed command. Other tools are shortcuts. Set flags to `true` in `params`."
                .to_owned(),
        input_schema: generic_input(open, effects, policy.drafts() != Drafts::Off),
        // Its data can have any form, which a schema cannot describe.
        output_schema: None,
        annotations: Annotations::from_effects(effects),
    }
}

/// The effects of the command with the arguments that are shown and open.
fn shown_effects(command: &Command, policy: &Policy, shown: &dyn Fn(&str) -> bool) -> EffectSet {
    command
        .argument_names()
        .filter(|name| shown(name) && is_open_argument(command, name, policy))
        .map(|name| added_by(command, name))
        .fold(command.effects, EffectSet::union)
}

/// Whether the policy opens this argument of the command.
fn is_open_argument(command: &Command, name: &str, policy: &Policy) -> bool {
    let acts_elsewhere = command.flag(name).and_then(|flag| flag.target);
    if acts_elsewhere == Some(allowlist::Target::ActiveFile) && !policy.allows(Switch::ActiveFile) {
        return false;
    }
    let effects = command.effects.union(added_by(command, name));
    policy.check_command(command, effects).is_open()
}

fn added_by(command: &Command, name: &str) -> EffectSet {
    let by_param = command.param(name).map(|param| param.effects);
    by_param
        .or_else(|| command.flag(name).map(|flag| flag.effects))
        .unwrap_or_default()
}
