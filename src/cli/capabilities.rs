//! `vault-gw capabilities`: every command, and whether it is open here.

use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Map, Value, json};

use super::options::Options;
use super::report;
use super::terminal::Terminal;
use crate::allowlist::{Catalogue, Command};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::gateway::Caller;
use crate::tiers::{Decision, Policy, outlook};

/// Lists the catalogue with the policy in force.
pub(crate) fn run(terminal: Terminal, options: &Options, environment: &Environment) -> ExitCode {
    let started = Instant::now();
    match list(options, environment) {
        Ok((text, data)) => report::verb(terminal, options, "capabilities", started, &text, data),
        Err(failure) => report::failure(terminal, options, "capabilities", failure),
    }
}

fn list(
    options: &Options,
    environment: &Environment,
) -> Result<(String, Map<String, Value>), Failure> {
    let catalogue = Catalogue::whole()?;
    let gateway = super::gateway(options, environment, Caller::Person)?;
    let policy = gateway.policy();
    let mut text = String::new();
    for command in catalogue.commands() {
        let open = match outlook(command, policy) {
            Decision::Allowed => "open",
            Decision::NeedsApproval { .. } => "asks",
            Decision::Refused(_) => "closed",
        };
        text += &format!(
            "{open:<7} {:<4} {:<18} {}\n",
            command.tier.name(),
            command.id,
            command.summary
        );
    }
    let commands: Vec<Value> = catalogue
        .commands()
        .map(|command| capability(command, policy))
        .collect();
    let refused: Vec<Value> = catalogue
        .refused()
        .iter()
        .map(|command| json!({ "id": command.id, "reason": command.reason, "instead": command.instead }))
        .collect();
    let data = Map::from_iter([
        ("commands".to_owned(), Value::from(commands)),
        ("refused".to_owned(), Value::from(refused)),
    ]);
    Ok((text, data))
}

fn capability(command: &Command, policy: &Policy) -> Value {
    let (open, why) = match outlook(command, policy) {
        Decision::Allowed => ("open", None),
        Decision::NeedsApproval { .. } => ("approval", None),
        Decision::Refused(failure) => ("closed", Some(failure)),
    };
    let mut entry = json!({
        "id": command.id,
        "tier": command.tier,
        "group": command.group,
        "summary": command.summary,
        "usage": command.usage(),
        "effects": command.effects,
        "backends": command.backends,
        "origin": if command.is_ours() { "gateway" } else { "official" },
        "since": command.since(),
        "output": command.output,
        "params": command.params.iter().map(|param| json!({
            "name": param.name,
            "type": param.kind.name(),
            "usage": param.usage(),
            "summary": param.summary,
            "required": param.required,
            "effects": param.effects,
        })).collect::<Vec<_>>(),
        "flags": command.flags.iter().map(|flag| json!({
            "name": flag.name, "summary": flag.summary, "effects": flag.effects,
        })).collect::<Vec<_>>(),
        "open": open,
    });
    if let (Some(failure), Some(entry)) = (why, entry.as_object_mut()) {
        entry.insert("closedBy".to_owned(), json!(failure.code));
        entry.insert("why".to_owned(), json!(failure.message));
    }
    entry
}
