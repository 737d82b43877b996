//! The state that all connections and requests of a server share.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value, json};

use crate::host::{Host, TokenHolder};
use crate::lock;
use crate::mcp::approval::DialogSealer;
use crate::mcp::call_permits::CallPermits;
use crate::mcp::resources;
use crate::mcp::subscriptions::Subscriptions;
use crate::mcp::tool_names::{ToolPrefix, ToolsOfClient};
use allowlist::Catalogue;
use frontend::{
    skill,
    tools::{self, GENERIC, Tool},
};
use gateway::{Envelope, Gateway};
use protocol::{Code, Failure, Reader};
use store::agent_tokens::TokenHash;

/// The code of the advice that contains the remedy of a failure.
const REMEDY: &str = "REMEDY";

/// The state that all connections and requests share. A copy shares it too.
#[derive(Clone)]
pub(crate) struct ServerShared {
    /// Gives the gateway under the present settings.
    pub(crate) host: Host,
    pub(super) catalogue: &'static Catalogue,
    pub(super) permits: Arc<CallPermits>,
    pub(super) sealer: Arc<DialogSealer>,
    /// The longest time that a call waits for a permit, in milliseconds: the `timeout_ms` of the settings as last seen.
    /// Cached, because only calls with a permit read the settings file.
    pub(super) patience_ms: Arc<AtomicU64>,
    /// The text budget of one answer, in characters.
    pub(super) budget: usize,
    /// Whether `--dry-run` applies to every call.
    pub(super) dry_run: bool,
    /// The prefix of the tools' names.
    pub(crate) prefix: ToolPrefix,
    /// The subscriptions of all clients.
    pub(crate) subscriptions: Arc<Subscriptions>,
    /// The tools under the settings of a gateway. To make their schemas takes longer than most calls.
    offered: Arc<Mutex<Option<OfferedTools>>>,
}

/// A gateway, and the tools that its policy allows.
type OfferedTools = (Arc<Gateway>, Arc<[Tool]>);

impl ServerShared {
    /// Creates the shared state.
    ///
    /// # Errors
    ///
    /// If the catalogue does not load, or the system gives no random bytes.
    pub(crate) fn new(host: Host, budget: usize, dry_run: bool) -> Result<Self, Failure> {
        Ok(Self {
            patience_ms: Arc::new(AtomicU64::new(host.gateway().settings().timeout_ms)),
            host,
            catalogue: Catalogue::whole()?,
            permits: Arc::new(CallPermits::for_this_machine()),
            sealer: Arc::new(DialogSealer::new()?),
            budget,
            dry_run,
            prefix: ToolPrefix::default(),
            subscriptions: Arc::default(),
            offered: Arc::default(),
        })
    }

    /// Returns the tools that the policy allows now, by their names without the prefix.
    pub(super) fn tools(&self) -> Arc<[Tool]> {
        let gateway = self.host.gateway();
        let mut offered = lock(&self.offered);
        if let Some((of, tools)) = offered.as_ref()
            && Arc::ptr_eq(of, &gateway)
        {
            return Arc::clone(tools);
        }
        // With the bridge off every call is refused, so nothing is offered (`contracts.md` D50).
        let tools: Arc<[Tool]> = if gateway.is_bridge_on() {
            tools::tools_of(self.catalogue, gateway.policy(), gateway.only_backend()).into()
        } else {
            Arc::default()
        };
        *offered = Some((gateway, Arc::clone(&tools)));
        tools
    }

    /// Whether the tier and the rules for commands open this command.
    pub(super) fn opens(&self, command: &str) -> bool {
        let gateway = self.host.gateway();
        Catalogue::find_builtin(command).is_ok_and(|command| gateway.policy().opens(&command))
    }

    /// Whether the commands behind the list of resources, and behind a resource, are open.
    pub(super) fn lists_resources(&self) -> bool {
        self.opens(resources::LIST) && self.opens(resources::READ)
    }

    /// Returns the skill's file for these tools.
    pub(super) fn skill(&self) -> String {
        skill::text(&self.tools(), &|tool| self.prefix.add_to(tool))
    }

    /// Renders failures, advice and warnings for this client: with the names of its tools. `tool` is the called
    /// one, without the prefix.
    pub(super) fn render_for_client(&self, envelope: &mut Envelope, tool: &str) {
        if envelope.error.is_none() && envelope.advice.is_empty() && envelope.warnings.is_empty() {
            return;
        }
        let tools = self.tools();
        let called = tools.iter().find(|one| one.name == tool && tool != GENERIC);
        if let Some(error) = &mut envelope.error {
            self.name_tool(error, &tools);
            let no_names = |key: &str, value: &Value| key == "nearest" && *value == json!([]);
            let is_known =
                |value: &Value| called.is_some() && value == &json!(tool.replacen('_', ":", 1));
            error.details.retain(|key, value| {
                !(no_names(key, value) || key == "command" && is_known(value))
            });
            if error.code == Code::UsageError {
                show_usage_as_json(error, called.map(|tool| &tool.input_schema));
                if called.is_some() {
                    // The tool's schema explains its parameters.
                    envelope.advice.retain(|advice| advice.code != REMEDY);
                }
            }
        }
        let client = ToolsOfClient {
            called,
            ..self.client(&tools)
        };
        let reader = Reader::Client(&client);
        for issue in envelope.advice.iter_mut().chain(&mut envelope.warnings) {
            issue.message = issue.message.render(reader).into();
        }
        envelope.error = envelope.error.take().map(|error| error.rendered(reader));
    }

    /// These tools as the client sees them.
    pub(super) fn client<'tools>(&'tools self, tools: &'tools [Tool]) -> ToolsOfClient<'tools> {
        ToolsOfClient {
            tools,
            prefix: &self.prefix,
            called: None,
        }
    }

    /// If a tool's name was given as a command, says that it is a tool.
    fn name_tool(&self, error: &mut Failure, tools: &[Tool]) {
        if error.code != Code::UnknownCommand {
            return;
        }
        let wanted = error.detail("command");
        let wanted = wanted.map(|wanted| self.prefix.remove_from(wanted).unwrap_or(wanted));
        if let Some(tool) = wanted.filter(|wanted| tools.iter().any(|tool| tool.name == *wanted)) {
            // A step of a change names a command, even if a tool makes the same change by itself.
            let command = tools::command_of(self.catalogue, tool, &Map::new());
            let is_step = error.details.contains_key("step") && !command.is_empty();
            let tool = self.prefix.add_to(tool);
            let next = if is_step {
                format!("In the step, pass the command of this tool: `{command}`.")
            } else {
                "Call the tool directly.".to_owned()
            };
            let what = format!("`{tool}` is a tool, not a command.");
            *error = error.clone().without_hints().say(what).hint(next);
            error.details.remove("nearest");
        }
    }

    /// The same state, for the requests with this token.
    pub(crate) fn for_sender(&self, token: TokenHash, holder: TokenHolder) -> Self {
        Self {
            host: self.host.for_sender(token, holder),
            ..self.clone()
        }
    }
}

/// Gives the usage of a command in the form for callers that send JSON. For a command with a tool, whose schema
/// describes the arguments, only their names.
fn show_usage_as_json(error: &mut Failure, schema: Option<&Map<String, Value>>) {
    let usage = error.details.remove("usage");
    let usage = usage.as_ref().and_then(Value::as_str);
    let command = usage.and_then(|usage| usage.split(' ').next());
    let Some(Ok(command)) = command.map(Catalogue::find_builtin) else {
        return;
    };
    let valid = error.details.get_mut("valid").and_then(Value::as_array_mut);
    match (schema, valid) {
        (Some(schema), Some(valid)) => {
            let properties = schema.get("properties");
            let is_shown = |name: &Value| {
                let name = name.as_str().unwrap_or_default();
                properties.is_some_and(|all| all.get(name).is_some())
                    || command.argument_names().all(|known| known != name)
            };
            valid.retain(is_shown);
        }
        (Some(_), None) => {}
        (None, _) => {
            // The usage lists them.
            if error.details.contains_key("nearest") {
                error.details.remove("valid");
            }
            error
                .details
                .insert("usage".to_owned(), json!(command.json_usage()));
        }
    }
}
