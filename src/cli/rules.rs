//! `vault-gw rules`: what the owner and the agents may do, and the lines of the settings file that say so.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::Cli;
use super::policy;
use super::report::{TextAndData, VerbEnd};
use allowlist::Effect;
use frontend::{CommandLineOptions, setup};
use gateway::Gateway;
use protocol::{Caller, Failure, json::object};
use sandbox::Environment;
use settings::{EVERY_AGENT, edit, line_of_setting, table_prefix};
use tiers::Decision;

/// The options of `rules`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct RulesArguments {
    /// Instead, check that each request of this TOML file is decided as the file expects: a table `[[test]]` with `request`, `expect` (`allowed`, `drafted`, `approval`, `refused` or a code) and, for an agent with a name, `agent`; nothing is run
    #[arg(long, value_name = "FILE")]
    test: Option<PathBuf>,
}

/// Shows the rules for everyone, or with `--agent` those for one agent; or tests them.
pub(crate) fn run(cli: Cli<'_>, arguments: &RulesArguments) -> Result<VerbEnd, Failure> {
    let (options, environment) = (cli.options, cli.environment);
    if let Some(file) = &arguments.test {
        return Ok(policy::tested(cli, file)?.into());
    }
    let (mut text, mut callers) = (String::new(), Vec::new());
    let mut add = |title: &str, gateway: &Gateway, is_agent: bool| -> Result<(), Failure> {
        let (lines, data) = rights(title, gateway, is_agent)?;
        text += &lines;
        callers.push(data);
        Ok(())
    };
    if let Some(agent) = &options.agent {
        let gateway = setup::gateway(options, environment, Caller::Agent)?;
        add(&format!("The agent `{agent}`"), &gateway, true)?;
    } else {
        let gateway = setup::gateway(options, environment, Caller::Person)?;
        add("You", &gateway, false)?;
        let agents = gateway.settings().agents.keys();
        let agents: Vec<String> = agents
            .filter(|name| *name != EVERY_AGENT)
            .cloned()
            .collect();
        let gateway = setup::gateway(options, environment, Caller::Agent)?;
        add("Agents", &gateway, true)?;
        for agent in agents {
            let mut named = options.clone();
            named.agent = Some(agent.clone());
            let gateway = setup::gateway(&named, environment, Caller::Agent)?;
            add(&format!("The agent `{agent}`"), &gateway, true)?;
        }
    }
    let (lines, rules) = lines_of_settings(options, environment)?;
    text += &lines;
    text += "The decision on one call: `vault-gw explain \"delete Home\"`, with `--agent NAME` for an agent.\n";
    let data = object(json!({ "callers": callers, "rules": rules }));
    Ok((text, data).into())
}

/// Says what a caller may do, one line for each kind of decision.
fn rights(title: &str, gateway: &Gateway, is_agent: bool) -> Result<TextAndData, Failure> {
    if is_agent && !gateway.is_bridge_on() {
        let text = format!("{title}\n  no access     `enabled` is off\n\n");
        return Ok((text, object(json!({ "who": title, "enabled": false }))));
    }
    let is_restricted = gateway.is_restricted()?;
    let gateway = &gateway.as_it_is_now()?;
    let policy = gateway.policy();
    let mut text = format!("{title}\n");
    let mut data = Map::from_iter([
        ("who".to_owned(), json!(title)),
        ("restricted".to_owned(), json!(is_restricted)),
    ]);
    if is_restricted {
        text += "  restricted    has read outside text (`vault-gw outside` shows it)\n";
    }
    for (decision, label, key) in [
        (Decision::Allowed, "can", "can"),
        (Decision::Drafted, "in a draft", "drafted"),
        (Decision::Approval, "asks you", "asks"),
        (Decision::Refused, "cannot", "cannot"),
    ] {
        let effects = Effect::ALL.into_iter();
        let effects: Vec<Effect> = effects
            .filter(|effect| {
                // No command is for active content: any change may leave some. Changes of a person are not checked.
                let (opening, checked) = match effect {
                    Effect::Active if is_agent => (Effect::Write, Effect::Active),
                    Effect::Active => (Effect::Write, Effect::Write),
                    effect => (*effect, *effect),
                };
                match policy.check_effect(checked).decision {
                    allowed if policy.opens_effect(opening) => allowed == decision,
                    _ => decision == Decision::Refused,
                }
            })
            .collect();
        let words: Vec<&str> = effects.iter().map(|effect| in_words(*effect)).collect();
        if !words.is_empty() {
            text += &format!("  {label:<13} {}\n", words.join(", "));
        }
        data.insert(key.to_owned(), json!(effects));
    }
    let commands = gateway.about().policy_facts()?.commands;
    if commands.closed > 0 {
        text += &format!(
            "  {:<13} {} closed, {} open\n",
            "commands",
            commands.closed,
            commands.open + commands.approval
        );
    }
    if !policy.is_unrestricted() {
        text += "  notes         only those that the rules for `paths` open\n";
    }
    Ok((text + "\n", data))
}

/// Returns what an effect means to a person.
const fn in_words(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "read notes",
        Effect::Ui => "show notes in the app",
        Effect::Write => "change notes",
        Effect::Export => "copy notes out of the vault",
        Effect::Import => "copy notes into the vault",
        Effect::Active => "write what runs or loads something when a note is opened",
        Effect::Destroy => "delete and overwrite notes",
        Effect::Publish => "publish notes",
        Effect::Execute => "run code",
    }
}

/// Returns the settings that the file sets, with their lines.
fn lines_of_settings(
    options: &CommandLineOptions,
    environment: &Environment,
) -> Result<(String, Vec<Value>), Failure> {
    let path = setup::settings_file(options, environment)?;
    let stored = edit::text(&path)?;
    let settings = setup::settings(options, environment)?;
    let for_everyone = edit::names().map(str::to_owned);
    let for_agents = settings.agents.keys().flat_map(|agent| {
        let prefix = table_prefix(agent);
        edit::names().map(move |name| format!("{prefix}{name}"))
    });
    let mut rules = Vec::new();
    for key in for_everyone.chain(for_agents) {
        if let Some(line) = line_of_setting(&stored, &key) {
            let value = edit::get(&path, &key)?.value;
            rules.push((line, key, value.map(|value| value.to_string())));
        }
    }
    rules.sort();
    if rules.is_empty() {
        return Ok(("Every setting has its default.\n".to_owned(), Vec::new()));
    }
    let mut text = format!("Set in {}:\n", path.display());
    for (line, key, value) in &rules {
        let value = value.as_deref().unwrap_or_default();
        text += &format!("  line {line:<4} {key} = {value}\n");
    }
    let rules = rules.into_iter();
    let rules = rules.map(|(line, key, value)| json!({ "line": line, "key": key, "value": value }));
    Ok((text, rules.collect()))
}
