//! `vault-gw agents list | add NAME | token NAME | rename OLD NEW | revoke NAME`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::{Map, Value, json};

use super::Cli;
use super::error::Error;
use super::install::agents_of;
use super::report::{TextAndData, VerbEnd, VerbText};
use super::settings::{cannot_show, earlier_settings};
use allowlist::nearest;
use clients::{McpClient, ServerGrammar};
use frontend::{CommandLineOptions, setup};
use protocol::{Caller, Failure, did_you_mean, failure::NO_SUCH_AGENT, json::object, message};
use sandbox::Environment;
use settings::edit;
use settings::edit::AgentEdit;
use settings::{AgentSettings, EVERY_AGENT, Folders, Settings};
use store::agent_tokens::{AgentTokens, new_token};
use store::labels::copy_agent;
use tiers::PathPattern;

/// The subcommands of `agents`.
#[derive(Clone, Debug, Default, Subcommand)]
pub(crate) enum AgentsAction {
    /// List the agents of the settings and of the clients that `setup` has set up
    #[default]
    List,
    /// Add an agent with rules of its own, and print its token for HTTP, once; `--tier` is its highest tier
    Add {
        /// Its name: letters, digits, `-` and `_`
        name: String,
        /// Notes that it may read (`notes/**`); can be repeated
        #[arg(long, value_name = "GLOB")]
        reads: Vec<String>,
        /// Notes that it may change; can be repeated
        #[arg(long, value_name = "GLOB")]
        writes: Vec<String>,
        /// Commands that it may call (`daily:*`, `@reads`); can be repeated
        #[arg(long, value_name = "PATTERN")]
        commands: Vec<String>,
        /// Make no token: it comes over standard input, by `--agent NAME` in its client's entry
        #[arg(long)]
        no_token: bool,
        /// Let it have the name of an agent that was revoked or renamed, with the approvals and the undo of that one
        #[arg(long)]
        again: bool,
    },
    /// Make a new token for an agent and print it, once; the old token is no longer valid
    Token {
        /// Its name
        name: String,
    },
    /// Give an agent another name; it keeps its rules and its token
    Rename {
        /// The present name
        old: String,
        /// The new name
        new: String,
    },
    /// Remove an agent: its token at once, and its rules
    Revoke {
        /// Its name
        name: String,
    },
}

/// Lists or changes the agents of the settings.
pub(crate) fn run(
    cli: Cli<'_>,
    action: AgentsAction,
    grammar: &ServerGrammar,
) -> Result<VerbEnd, Failure> {
    let (text, data) = AgentsPlace::new(cli.options, grammar, cli.environment)?.act(action)?;
    Ok((VerbText::to_paste(text), data).into())
}

/// The two files in which agents are kept.
struct AgentsPlace<'a> {
    options: &'a CommandLineOptions,
    grammar: &'a ServerGrammar,
    environment: &'a Environment,
    settings_file: PathBuf,
    state: PathBuf,
    program: String,
}

impl<'a> AgentsPlace<'a> {
    fn new(
        options: &'a CommandLineOptions,
        grammar: &'a ServerGrammar,
        environment: &'a Environment,
    ) -> Result<Self, Failure> {
        Ok(Self {
            options,
            grammar,
            environment,
            settings_file: setup::settings_file(options, environment)?,
            state: Folders::new(environment).state()?,
            program: setup::program_words(options, environment),
        })
    }

    fn act(&self, action: AgentsAction) -> Result<TextAndData, Failure> {
        match action {
            AgentsAction::List => self.list(),
            AgentsAction::Add {
                name,
                reads,
                writes,
                commands,
                no_token,
                again,
            } => {
                if !again {
                    self.refuse_former_name(&name)?;
                }
                let list = |values: Vec<String>| toml::Value::from(values).to_string();
                let mut keys = vec![("enabled", "true".to_owned())];
                keys.extend(
                    self.options
                        .tier
                        .map(|tier| ("tier", tier.name().to_owned())),
                );
                let lists = [
                    ("paths.read", reads),
                    ("paths.write", writes),
                    ("commands.allow", commands),
                ];
                let given = lists.into_iter().filter(|(_, values)| !values.is_empty());
                keys.extend(given.map(|(key, values)| (key, list(values))));
                self.add(&name, &keys, !no_token)
            }
            AgentsAction::Token { name } => {
                self.settings()?.require_agent(&name)?;
                let token = self.new_token(&name)?;
                let text = format!("Agent `{name}` has a new token.\n{}", token_text(&token));
                Ok((text, object(json!({ "name": name, "token": token }))))
            }
            AgentsAction::Rename { old, new } => self.rename(&old, &new),
            AgentsAction::Revoke { name } => self.revoke(&name),
        }
    }

    fn settings(&self) -> Result<Settings, Failure> {
        setup::settings(self.options, self.environment)
    }

    fn edit(&self, edit: AgentEdit<'_>, is_plan: bool) -> Result<Option<PathBuf>, Failure> {
        edit::edit_agent(&self.settings_file, edit, is_plan)
    }

    fn new_token(&self, name: &str) -> Result<String, Failure> {
        let token = new_token();
        AgentTokens::change(&self.state, |tokens| tokens.set(name, &token))?;
        Ok(token)
    }

    fn list(&self) -> Result<TextAndData, Failure> {
        let settings = self.settings()?;
        let tokens = AgentTokens::read(&self.state)?;
        let mut text = String::new();
        let mut agents = Vec::new();
        let names = settings.agents.keys().cloned();
        let mut names: BTreeSet<String> = names.filter(|name| name != EVERY_AGENT).collect();
        let is_admitted = |name: &String| settings.is_enabled_for(Some(name)).is_ok();
        let clients = agents_of_clients(&self.settings_file, self.grammar, self.environment);
        names.extend(clients.filter(is_admitted));
        let without_table = AgentSettings::default();
        for name in &names {
            let table = settings.agents.get(name);
            let has_table = table.is_some();
            let table = table.unwrap_or(&without_table);
            let policy = settings.policy(Caller::Agent, Some(name))?;
            let is_enabled = settings.is_enabled_for(Some(name))?;
            let writes = policy.may_change() && policy.opens_a_change();
            let has_token = tokens.has(name);
            let state = if is_enabled { "" } else { "off, " };
            let token = match (has_table, has_token) {
                (false, _) => "with the rules of all agents",
                (true, true) => "with a token",
                (true, false) => "no token",
            };
            let may = match (writes, policy.writes_directly()) {
                (true, true) => "reads and writes",
                (true, false) => "reads and proposes changes",
                (false, _) => "reads",
            };
            let of = table.paths.read.as_ref().map(|read| {
                let read = read.iter().map(PathPattern::as_str);
                format!(" {}", read.collect::<Vec<_>>().join(", "))
            });
            text += &format!(
                "{name}: {state}tier {}, {may}{}, {token}\n",
                policy.tier().name(),
                of.unwrap_or_default()
            );
            agents.push(json!({
                "name": name,
                "enabled": is_enabled,
                "tier": policy.tier(),
                "writes": writes,
                "rules": rules(table)?,
                "hasToken": has_token,
            }));
        }
        if agents.is_empty() {
            text = format!("No agents. `{} agents add NAME` adds one.\n", self.program);
        }
        Ok((text, object(json!({ "agents": agents }))))
    }

    /// Returns the client that has an entry for this agent.
    fn client_of(&self, name: &str) -> Option<McpClient> {
        let names = |client: &McpClient| {
            let entries = clients::entries(*client, self.grammar, self.environment);
            let entries = entries.unwrap_or_default();
            agents_of(&entries, &self.settings_file).any(|agent| agent == name)
        };
        McpClient::all().iter().copied().find(names)
    }

    /// Refuses the name of a former agent. A new one would have its approvals, and could undo what it did.
    fn refuse_former_name(&self, name: &str) -> Result<(), Failure> {
        if !AgentTokens::read(&self.state)?.is_former(name) {
            return Ok(());
        }
        Err(Error::FormerName(name.to_owned()).into())
    }

    /// Adds the table of an agent, then its token: in between, the name opens nothing over HTTP.
    fn add(
        &self,
        name: &str,
        keys: &[(&'static str, String)],
        with_token: bool,
    ) -> Result<TextAndData, Failure> {
        let edit = AgentEdit::Add { name, keys };
        self.edit(edit, true)?;
        // A token that an earlier agent of this name left would be valid again. Until the table is there, the name
        // gives no access.
        AgentTokens::change(&self.state, |tokens| {
            if tokens.has(name) {
                tokens.retire(name);
            }
        })?;
        self.edit(edit, false)?;
        let token = if with_token {
            Some(self.new_token(name)?)
        } else {
            AgentTokens::change(&self.state, |tokens| tokens.remove(name))?;
            None
        };
        let file = self.settings_file.display();
        let text = format!(
            "Added agent `{name}` to {file}\nTo connect a client as this agent: `{0} install CLIENT --agent {name}`\nTo start a program as this agent: `{0} run --agent {name} -- PROGRAM`\n{1}",
            self.program,
            token.as_deref().map(token_text).unwrap_or_default()
        );
        let mut data = json!({ "name": name, "path": file.to_string() });
        if let Some(token) = token {
            data["token"] = Value::String(token);
        }
        Ok((text, object(data)))
    }

    /// Renames an agent. Moves its token before the settings change, because the new name has no rights yet. If the
    /// program ends between the two steps, the same command completes them, and the agent needs a new token.
    fn rename(&self, old: &str, new: &str) -> Result<TextAndData, Failure> {
        self.refuse_former_name(new)?;
        let edit = AgentEdit::Rename { old, new };
        self.edit(edit, true)?;
        // It is the same agent, so it stays restricted.
        copy_agent(&self.state, old, new)?;
        let has_token = AgentTokens::change(&self.state, |tokens| tokens.rename(old, new))?;
        self.edit(edit, false)?;
        let text = format!(
            "Agent `{old}` is now `{new}`\nClients that name it: `{} install CLIENT --agent {new}`\nIts earlier changes keep the name `{old}`, and only you can undo them\n",
            self.program
        );
        let data = json!({ "name": new, "before": old, "hasToken": has_token });
        Ok((text, object(data)))
    }

    /// Removes the token first, and so even if the settings cannot be changed. The name is remembered before the rules
    /// are removed: an agent of this name never gets the rules of all agents instead.
    fn revoke(&self, name: &str) -> Result<TextAndData, Failure> {
        let planned = self.edit(AgentEdit::Remove { name }, true);
        let had_token = AgentTokens::change(&self.state, |tokens| {
            let had_token = tokens.has(name);
            if had_token || planned.is_ok() {
                tokens.retire(name);
            }
            had_token
        })?;
        let earlier = match planned.and_then(|_| self.edit(AgentEdit::Remove { name }, false)) {
            // A token that was left without rules.
            Err(failure) if had_token && failure.reason() == Some(NO_SUCH_AGENT) => None,
            Err(mut failure) => {
                if had_token {
                    failure.add_hint("The agent's token was removed, but the agent is still in the settings. To remove the agent, run the same command again.");
                } else if failure.reason() == Some(NO_SUCH_AGENT)
                    && let Some(client) = self.client_of(name)
                {
                    let agent = name.to_owned();
                    return Err(Error::AgentOfClient(agent, client.title(), client.word()).into());
                }
                return Err(failure);
            }
            Ok(earlier) => earlier,
        };
        let mut data = object(json!({ "name": name, "hadToken": had_token }));
        let earlier = earlier_settings(earlier, &mut data);
        let token = if had_token {
            ", and its token is no longer valid"
        } else {
            ""
        };
        Ok((format!("Agent `{name}` is removed{token}{earlier}\n"), data))
    }
}

fn token_text(token: &str) -> String {
    format!("Its token for HTTP, shown only this time:\n{token}\n")
}

/// Returns the agents that the entries of clients name, if they use this settings file.
fn agents_of_clients(
    settings_file: &Path,
    grammar: &ServerGrammar,
    environment: &Environment,
) -> impl Iterator<Item = String> {
    let entries = McpClient::all()
        .iter()
        .filter_map(|client| clients::entries(*client, grammar, environment).ok());
    let entries: Vec<_> = entries.flatten().collect();
    let agents: Vec<_> = agents_of(&entries, settings_file).collect();
    agents.into_iter()
}

/// Returns the warning that rules for this agent apply to nobody yet: no client's entry names it and it has no token.
/// The rules may be older than their agent, so this is no mistake by itself. `setup` and `install` give a client's own
/// word as name.
pub(super) fn unused_name(
    name: &str,
    settings_file: &Path,
    grammar: &ServerGrammar,
    environment: &Environment,
) -> Option<String> {
    let words = McpClient::all().iter().map(|client| client.word());
    let mut known: BTreeSet<String> = words.collect();
    known.extend(agents_of_clients(settings_file, grammar, environment));
    let state = Folders::new(environment).state();
    let tokens = state.and_then(|state| AgentTokens::read(&state));
    known.extend(
        tokens
            .iter()
            .flat_map(AgentTokens::agents)
            .map(str::to_owned),
    );
    if name == EVERY_AGENT || known.contains(name) {
        return None;
    }
    let near = did_you_mean(&nearest(name, known.iter().map(String::as_str)));
    let what = message!(
        "The agent name `{}` is new: no client and no token uses it yet. {}",
        name,
        near
    );
    Some(what.for_person().trim_end().to_owned())
}

/// Returns the keys that an agent's table sets, dotted.
fn rules(table: &AgentSettings) -> Result<Map<String, Value>, Failure> {
    let table = serde_json::to_value(table).map_err(cannot_show)?;
    let mut rules = Map::new();
    for (key, value) in object(table) {
        match value {
            Value::Object(inner) => {
                let inner = inner.into_iter();
                rules.extend(inner.map(|(name, value)| (format!("{key}.{name}"), value)));
            }
            value => drop(rules.insert(key, value)),
        }
    }
    Ok(rules)
}
