//! Derives the effective policy from the settings.

use std::sync::Arc;

use super::edit::check_agent_name;
use super::model::{AgentCommands, AgentSettings, Commands, EVERY_AGENT, Paths, Settings};
use crate::error::Error;
use allowlist::{Effect, EffectSet, OwnList, nearest};
use protocol::{Caller, Failure, Message, Part, did_you_mean, for_person, message};
use tiers::{
    CommandPattern, CommandPatternError, CommandRules, Drafts, PathPattern, Policy, Restriction,
    Scope, Switch,
};

impl Settings {
    /// Returns the policy for a caller: the built-in policy, tightened by the settings. For an agent it is tightened
    /// further by the table of all agents, and then by the agent's own.
    ///
    /// # Errors
    ///
    /// As [`Self::tables_of`]; `CONFIG_INVALID` if the path rules are too large.
    pub fn policy(&self, caller: Caller, agent: Option<&str>) -> Result<Policy, Failure> {
        let policy = self
            .restrictions(caller, agent)?
            .iter()
            .fold(Policy::built_in(), |policy, layer| policy.tightened(layer));
        self.with_drafts(policy, caller, agent)
    }

    /// Adds the kinds of changes that go into a draft. The nearest table with a value decides, but `all` for everyone
    /// or for all agents always applies; an agent for which drafts are off then changes nothing.
    fn with_drafts(
        &self,
        policy: Policy,
        caller: Caller,
        agent: Option<&str>,
    ) -> Result<Policy, Failure> {
        if caller == Caller::Person && agent.is_none() {
            return Ok(policy);
        }
        let tables = self.tables_of(caller, agent)?;
        let tables = tables.iter().filter_map(|(_, table)| table.drafts);
        let said: Vec<Drafts> = std::iter::once(self.drafts).chain(tables).collect();
        let nearest = said.last().copied().unwrap_or_default();
        Ok(match (said.contains(&Drafts::All), nearest) {
            (true, Drafts::Off) => policy.with_drafts(Drafts::All).without_drafts(),
            (true, _) if self.paths.direct.is_empty() => policy.with_drafts(Drafts::All),
            (true, _) => {
                let direct = &self.paths.direct;
                let direct = Scope::new(direct, direct, &[]).map_err(Error::PathRules)?;
                policy.with_drafts(Drafts::All).with_direct(direct)
            }
            (false, nearest) => policy.with_drafts(nearest),
        })
    }

    /// Returns a policy that closes the files and notes with outside text: the files of `taint.sources`, and the
    /// notes with one of `taint.properties`.
    ///
    /// # Errors
    ///
    /// `CONFIG_INVALID` if the path rules are too large.
    pub fn sources(&self) -> Result<Policy, Failure> {
        let scope = Scope::denying(&self.taint.sources).map_err(Error::PathRules)?;
        Ok(Policy::built_in().tightened(&Restriction {
            scope: Some(scope.closing_notes(&[], &self.taint.properties, true)),
            ..Restriction::default()
        }))
    }

    /// Returns the policy for an agent that has read outside text (`design/labels.md`): the agent cannot send
    /// anything from the machine, deleting needs a person, and its changes go into its draft, except in `taint.write`.
    ///
    /// # Errors
    ///
    /// `CONFIG_INVALID` if the path rules are too large.
    pub fn policy_of_labelled(&self, policy: &Policy) -> Result<Policy, Failure> {
        let taint = &self.taint;
        let scope = Scope::denying(&taint.secret).map_err(Error::PathRules)?;
        let sending = [Switch::Ui, Switch::Publish, Switch::Export, Switch::Active];
        let closed = policy.tightened(&Restriction {
            approve: Some(EffectSet::from_iter([Effect::Destroy])),
            scope: Some(scope.closing_notes(&taint.secret_tags, &[], true)),
            ..Restriction::closing(sending)
        });
        if !policy.may_change() {
            return Ok(closed);
        }
        let is_all = policy.drafts() == Drafts::All;
        let writes = policy.allows(Switch::Mutations) && !(is_all && self.paths.direct.is_empty());
        if taint.write.is_empty() || !writes {
            let nothing = Restriction::closing([Switch::Mutations]);
            return Ok(closed.tightened(&nothing).with_drafts(Drafts::Closed));
        }
        let direct = Scope::new(&taint.write, &taint.write, &[]);
        let direct = direct.map_err(Error::PathRules)?;
        Ok(closed.with_drafts(Drafts::All).with_direct(direct))
    }

    /// Whether agents may make calls; with `agent`, whether that one may.
    ///
    /// # Errors
    ///
    /// As [`Self::tables_of`].
    pub fn is_enabled_for(&self, agent: Option<&str>) -> Result<bool, Failure> {
        let tables = self.tables_of(Caller::Agent, agent)?;
        let mut tables = tables.iter();
        Ok(self.enabled && tables.all(|(_, table)| table.enabled.unwrap_or(true)))
    }

    /// Whether any agent may change notes, by the setting for everyone and the table of all agents.
    pub fn agents_may_write(&self) -> bool {
        let of_all = self.agents.get(EVERY_AGENT);
        self.allow_mutations && of_all.is_none_or(|table| table.allow_mutations != Some(false))
    }

    /// Returns the agents' tables that apply to a caller, by name: the table of all agents, then its own. An agent
    /// without a table has the rules of all agents.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` if the agent has no table and its name cannot be that of an agent, or is close to the name of an
    /// agent with a table: the name may be mistyped, and without the table the agent could do more.
    pub fn tables_of(
        &self,
        caller: Caller,
        agent: Option<&str>,
    ) -> Result<Vec<(&str, &AgentSettings)>, Failure> {
        let is_agent = caller == Caller::Agent || agent.is_some();
        let of_all = self.agents.get_key_value(EVERY_AGENT);
        let of_all = of_all.filter(|_| is_agent);
        let own = agent.map(|name| self.table_of(name)).transpose()?;
        let tables = of_all.into_iter().chain(own.flatten());
        Ok(tables.map(|(name, table)| (name.as_str(), table)).collect())
    }

    fn restrictions(
        &self,
        caller: Caller,
        agent: Option<&str>,
    ) -> Result<Vec<Restriction>, Failure> {
        let is_owner = caller == Caller::Person && agent.is_none();
        let mut layers = vec![self.restriction(is_owner)?];
        for (name, table) in self.tables_of(caller, agent)? {
            let prefix = table_prefix(name);
            let list = self.list(table.allowlist.as_ref())?;
            layers.push(table.restriction(prefix, list)?);
        }
        Ok(layers)
    }

    /// Checks that the settings have a table for this agent.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` if they have none, or the name means all agents.
    pub fn require_agent(&self, name: &str) -> Result<(), Failure> {
        if name == EVERY_AGENT {
            return Err(Error::EveryAgent.into());
        }
        if self.agents.contains_key(name) {
            return Ok(());
        }
        Err(no_table(name, &self.similar_agents(name)))
    }

    /// Returns the table of an agent; `None` if the settings have none for it.
    fn table_of(&self, name: &str) -> Result<Option<(&String, &AgentSettings)>, Failure> {
        if name == EVERY_AGENT {
            return Err(Error::EveryAgent.into());
        }
        if let Some(table) = self.agents.get_key_value(name) {
            return Ok(Some(table));
        }
        check_agent_name(name)?;
        let similar = self.similar_agents(name);
        if similar.is_empty() {
            return Ok(None);
        }
        Err(no_table(name, &similar))
    }

    /// Returns the agents with a table whose names are close to this name.
    fn similar_agents(&self, name: &str) -> Vec<String> {
        let names = self.agents.keys().map(String::as_str);
        nearest(name, names.filter(|name| *name != EVERY_AGENT))
    }

    /// Whether the settings for everyone turn the switch on.
    fn allows(&self, switch: Switch) -> bool {
        match switch {
            Switch::Mutations => self.allow_mutations,
            Switch::Ui => self.allow_ui,
            Switch::Publish => self.allow_publish,
            Switch::Export => self.export_folder.is_some(),
            Switch::Import => self.import_folder.is_some(),
            Switch::Active => self.allow_active,
            Switch::ActiveFile => self.allow_active_file,
            Switch::SymlinkedFolders => self.follow_symlinks,
        }
    }

    /// Returns the rules of the settings that are not in an agent's table. Those for paths bind the owner only if the
    /// owner says so: they are written to limit agents, and would hide the owner's own notes.
    fn restriction(&self, is_owner: bool) -> Result<Restriction, Failure> {
        let free = Paths {
            allow_hard_links: self.paths.allow_hard_links,
            ..Paths::default()
        };
        let paths = if is_owner && !self.paths.everyone {
            &free
        } else {
            &self.paths
        };
        let scope = Scope::new(&paths.read, &paths.write, &paths.deny);
        let scope = scope.map_err(Error::PathRules)?.closing_notes(
            &paths.deny_tags,
            &paths.deny_properties,
            paths.allow_hard_links,
        );
        let commands = self.commands.rules("").map_err(Error::CommandRule)?;
        Ok(Restriction {
            prefix: Some(String::new()),
            tier: Some(self.tier),
            commands: Some(commands.with_list(self.list(self.allowlist.as_ref())?)),
            approve: Some(self.approve),
            approve_by: Some(self.approve_by.clone()),
            scope: Some(scope),
            ..Restriction::closing(
                Switch::ALL
                    .into_iter()
                    .filter(|switch| !self.allows(*switch)),
            )
        })
    }
}

impl AgentSettings {
    /// Whether the table leaves the switch on.
    fn allows(&self, switch: Switch) -> bool {
        match switch {
            Switch::Mutations => self.allow_mutations,
            Switch::Ui => self.allow_ui,
            Switch::Publish => self.allow_publish,
            // The folders outside the vault are the same for all agents; only the owner sets them.
            Switch::Export | Switch::Import => None,
            Switch::Active => self.allow_active,
            Switch::ActiveFile => self.allow_active_file,
            Switch::SymlinkedFolders => self.follow_symlinks,
        }
        .unwrap_or(true)
    }

    fn restriction(
        &self,
        prefix: String,
        list: Option<Arc<OwnList>>,
    ) -> Result<Restriction, Failure> {
        let everything = [PathPattern::everything()];
        let paths = &self.paths;
        let scope = Scope::new(
            paths.read.as_deref().unwrap_or(&everything),
            paths.write.as_deref().unwrap_or(&everything),
            paths.deny.as_deref().unwrap_or_default(),
        );
        let scope = scope.map_err(Error::PathRules)?.closing_notes(
            paths.deny_tags.as_deref().unwrap_or_default(),
            paths.deny_properties.as_deref().unwrap_or_default(),
            paths.allow_hard_links.unwrap_or(true),
        );
        let commands = self.commands.rules(&prefix).map_err(Error::CommandRule)?;
        Ok(Restriction {
            tier: self.tier,
            commands: Some(commands.with_list(list)),
            prefix: Some(prefix),
            approve: self.approve,
            approve_by: self.approve_by.clone(),
            scope: Some(scope),
            ..Restriction::closing(
                Switch::ALL
                    .into_iter()
                    .filter(|switch| !self.allows(*switch)),
            )
        })
    }
}

impl Commands {
    /// Returns the rules of this table, whose keys have this prefix.
    pub(super) fn rules(&self, prefix: &str) -> Result<CommandRules, CommandPatternError> {
        CommandRules::new(prefix, &self.allow, &self.deny)
    }
}

impl AgentCommands {
    /// Returns the rules of this table, whose keys have this prefix.
    pub(super) fn rules(&self, prefix: &str) -> Result<CommandRules, CommandPatternError> {
        let everything = [CommandPattern::everything()];
        let allow = self.allow.as_deref().unwrap_or(&everything);
        CommandRules::new(prefix, allow, self.deny.as_deref().unwrap_or_default())
    }
}

/// Returns the failure for an agent without a table. `similar` are the names that may be meant.
fn no_table(name: &str, similar: &[String]) -> Failure {
    let key = toml_edit::Key::new(name);
    let key = key.display_repr();
    // Two agents cannot have names that differ only in letter case, and a mistyped name is more likely than a new one.
    if !similar.is_empty() {
        return Error::NoAgent(name.to_owned(), did_you_mean(similar), Message::default()).into();
    }
    let hint = format!(
        "Use the name of an agent in the settings, or add a table `[agents.{key}]` to the settings."
    );
    // A name that needs quotes in the file would need quotes in the shell too.
    let adding = if key == name {
        let set = Part::Settings(format!("set agents.{name}.tier v0"));
        for_person(message!(
            "{} adds an agent that can use only the commands for daily notes and random notes.",
            set
        ))
        .into()
    } else {
        Message::default()
    };
    Error::NoAgent(name.to_owned(), hint.into(), adding).into()
}

/// Returns the prefix of the keys in an agent's table. A name that is not a bare key is quoted.
pub fn table_prefix(agent: &str) -> String {
    format!("agents.{}.", toml_edit::Key::new(agent).display_repr())
}

#[cfg(test)]
mod tests {
    use protocol::failure::NO_SUCH_AGENT;

    use super::*;
    use crate::parse::parse;
    use allowlist::{Call, Catalogue, Lookup, RawValue, Tier};
    use tiers::Decision;
    use vault_engine::VaultPath;

    const CASES: &str = include_str!("policy_cases.txt");

    fn file(path: &str) -> VaultPath {
        VaultPath::file(path).unwrap()
    }

    /// The call of a command of the catalogue on `a.md`.
    fn call(command: &str) -> Call {
        let Lookup::Offered(command) = Catalogue::builtin().unwrap().lookup(command) else {
            panic!("{command} is a command");
        };
        let given = [("path".to_owned(), RawValue::Text("a.md".to_owned()))];
        let arguments = command.admit(&given.into()).unwrap();
        Call {
            command: command.clone(),
            arguments,
        }
    }

    fn policy(text: &str, agent: Option<&str>) -> Policy {
        policy_of(text, Caller::Person, agent)
    }

    fn policy_of(text: &str, caller: Caller, agent: Option<&str>) -> Policy {
        parse(text).unwrap().policy(caller, agent).unwrap()
    }

    #[test]
    fn the_defaults_open_reading_and_nothing_else() {
        let policy = policy("", None);
        assert_eq!(policy.tier(), Tier::V3);
        assert!(policy.is_unrestricted() && policy.allows(Switch::Ui));
        for switch in Switch::ALL
            .into_iter()
            .filter(|switch| *switch != Switch::Ui)
        {
            assert!(!policy.allows(switch), "{switch:?}");
        }
        let destructive = EffectSet::from_iter([Effect::Destroy, Effect::Publish]);
        assert_eq!(policy.approve(), destructive);
        assert_eq!(policy.check(&call("read")).decision, Decision::Allowed);
        assert_eq!(policy.check(&call("create")).decision, Decision::Refused);
    }

    #[test]
    fn an_effect_is_open_only_if_a_command_that_has_it_is() {
        let reads = "allow_mutations = true\n[agents.x]\ncommands.allow = [\"@reads\"]";
        let reads = policy_of(reads, Caller::Agent, Some("x"));
        assert!(reads.opens_effect(Effect::Read) && !reads.opens_effect(Effect::Write));
        assert!(!reads.opens_a_change() && !reads.opens_effect(Effect::Destroy));
        let all = policy_of("allow_mutations = true", Caller::Agent, None);
        assert!(all.opens_effect(Effect::Write) && all.opens_effect(Effect::Destroy));
    }

    #[test]
    fn a09_an_empty_read_list_opens_nothing_and_a_missing_one_everything() {
        let note = file("a.md");
        let of_agents = |text: &str| policy_of(text, Caller::Agent, None);
        assert!(!of_agents("[paths]\nread = []").may_read(&note));
        assert!(of_agents("[paths]\ndeny = []").may_read(&note));
        // They bind the owner only with `everyone`.
        assert!(policy("[paths]\nread = []", None).may_read(&note));
        assert!(!policy("[paths]\neveryone = true\nread = []", None).may_read(&note));
        let agent = "[agents.x]\npaths.read = []";
        assert!(!policy(agent, Some("x")).may_read(&note));
        assert!(policy(agent, None).may_read(&note));
    }

    #[test]
    fn h04_an_agents_table_only_tightens() {
        let text = r#"
            tier = "v1"
            [paths]
            read = ["notes/**"]
            [agents.wide]
            tier = "v3"
            allow_mutations = true
            allow_publish = true
            follow_symlinks = true
            approve = []
            paths.read = ["**"]
            [agents.narrow]
            enabled = false
            tier = "v0"
            approve = ["write"]
            paths.deny = ["notes/private/**"]
        "#;
        let wide = policy(text, Some("wide"));
        assert_eq!(wide.tier(), Tier::V1);
        assert!(!wide.allows(Switch::Mutations) && !wide.allows(Switch::Publish));
        assert!(!wide.allows(Switch::SymlinkedFolders));
        assert!(wide.approve().contains(Effect::Destroy));
        assert!(!wide.may_read(&file("other.md")) && wide.may_read(&file("notes/a.md")));
        let narrow = policy(text, Some("narrow"));
        assert_eq!(narrow.tier(), Tier::V0);
        assert!(narrow.approve().contains(Effect::Write));
        assert!(!narrow.may_read(&file("notes/private/a.md")));
        assert!(wide.may_read(&file("notes/private/a.md")));
    }

    #[test]
    fn an_agent_is_enabled_where_everyone_and_itself_are() {
        let settings = parse("enabled = true\n[agents.off]\nenabled = false\n[agents.on]").unwrap();
        assert_eq!(settings.is_enabled_for(None), Ok(true));
        assert_eq!(settings.is_enabled_for(Some("on")), Ok(true));
        assert_eq!(settings.is_enabled_for(Some("off")), Ok(false));
        let off = parse("[agents.on]\nenabled = true").unwrap();
        assert_eq!(off.is_enabled_for(Some("on")), Ok(false));
    }

    #[test]
    fn h04_the_table_of_all_agents_tightens_each_of_them_and_no_person() {
        let text = r#"
            allow_mutations = true
            [agents."*"]
            allow_mutations = false
            tier = "v2"
            paths.deny = ["private/**"]
            [agents.wide]
            allow_mutations = true
            tier = "v3"
            paths.deny = []
            [agents.narrow]
            tier = "v0"
        "#;
        let person = policy(text, None);
        assert!(person.allows(Switch::Mutations) && person.tier() == Tier::V3);
        assert!(person.may_read(&file("private/a.md")));
        for (caller, agent, tier) in [
            (Caller::Agent, None, Tier::V2),
            (Caller::Agent, Some("wide"), Tier::V2),
            (Caller::Agent, Some("narrow"), Tier::V0),
            (Caller::Person, Some("wide"), Tier::V2),
        ] {
            let policy = policy_of(text, caller, agent);
            assert!(!policy.allows(Switch::Mutations), "{agent:?}");
            assert_eq!(policy.tier(), tier, "{agent:?}");
            assert!(!policy.may_read(&file("private/a.md")), "{agent:?}");
        }
        // All agents together are not one of them.
        for caller in [Caller::Agent, Caller::Person] {
            assert!(parse(text).unwrap().policy(caller, Some("*")).is_err());
        }
        // A file without the table `*` keeps its meaning.
        let before = policy_of("allow_mutations = true", Caller::Agent, None);
        assert!(before.allows(Switch::Mutations));
        // A switch that is off for everyone is off for agents, regardless of their table.
        let closed = "[agents.\"*\"]\nallow_mutations = true";
        assert!(!policy_of(closed, Caller::Agent, None).allows(Switch::Mutations));
    }

    #[test]
    fn an_agent_without_a_name_is_off_where_all_agents_are() {
        let off =
            parse("enabled = true\n[agents.\"*\"]\nenabled = false\n[agents.on]\nenabled = true");
        let off = off.unwrap();
        assert_eq!(off.is_enabled_for(None), Ok(false));
        assert_eq!(off.is_enabled_for(Some("on")), Ok(false));
    }

    /// The name of a client that `install` wrote needs no table; a name that may be a mistyped one never opens more
    /// than that one (`threats.toml` H04).
    #[test]
    fn h04_an_agent_without_a_table_has_the_rules_of_all_agents() {
        let text = "enabled = true\nallow_mutations = true\n[agents.\"*\"]\ntier = \"v2\"\n[agents.helper]\ntier = \"v0\"\n[agents.claude-code]\nenabled = false";
        let settings = parse(text).unwrap();
        let mut rows = String::new();
        for name in tables::lines(CASES, "h04 an agent without a table") {
            let rules = match settings.policy(Caller::Agent, Some(name)) {
                Ok(policy) => format!("tier {}", policy.tier().name()),
                Err(failure) => failure.for_person().lines().next().unwrap().to_owned(),
            };
            let enabled = match settings.is_enabled_for(Some(name)) {
                Ok(true) => "on",
                Ok(false) => "off",
                Err(_) => "refused",
            };
            rows += &format!("{name:<15} {enabled:<8} {rules}\n");
        }
        insta::assert_snapshot!(rows);
        let failure = settings.require_agent("cursor").unwrap_err();
        assert_eq!(failure.reason(), Some(NO_SUCH_AGENT));
        assert!(settings.require_agent("helper").is_ok());
    }
}
