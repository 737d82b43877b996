//! Derives the effective policy from the settings.

use super::model::{AgentSettings, Paths, Settings};
use crate::code::Code;
use crate::failure::{Failure, NO_SUCH_AGENT};
use crate::tiers::{PathPattern, PatternError, Policy, Restriction, Scope};

impl Settings {
    /// The policy for one agent, or for a caller without a name: the built-in policy, tightened by
    /// the settings and then by the agent's table.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` for an agent without a table, whose name may be mistyped; `CONFIG_INVALID` if
    /// the path rules are too large.
    pub fn policy(&self, agent: Option<&str>) -> Result<Policy, Failure> {
        let policy = Policy::built_in().tightened(&self.restriction()?);
        match agent {
            None => Ok(policy),
            Some(name) => Ok(policy.tightened(&self.agent(name)?.restriction()?)),
        }
    }

    /// The policy of an agent's own table alone, as if the general settings allowed everything.
    ///
    /// # Errors
    ///
    /// As [`Self::policy`].
    pub(crate) fn own_policy(&self, agent: &str) -> Result<Policy, Failure> {
        Ok(Policy::built_in().tightened(&self.agent(agent)?.restriction()?))
    }

    /// Whether the agent, or a caller without a name, may make calls.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` for an agent without a table.
    pub fn is_enabled_for(&self, agent: Option<&str>) -> Result<bool, Failure> {
        let agent = agent.map(|name| self.agent(name)).transpose()?;
        Ok(self.enabled && agent.is_none_or(|agent| agent.enabled.unwrap_or(true)))
    }

    fn agent(&self, name: &str) -> Result<&AgentSettings, Failure> {
        self.agents.get(name).ok_or_else(|| {
            let key = toml_edit::Key::new(name);
            let key = key.display_repr();
            // One that has to be quoted in the file would have to be quoted for the shell too.
            let make = if key == name {
                format!(" `vault-gw settings set agents.{name}.tier v0` makes one that may read.")
            } else {
                String::new()
            };
            Failure::new(
                Code::UsageError,
                format!(
                    "The settings name no agent `{name}`. Use one of the names there, or add a table \
                     `[agents.{key}]`.{make}"
                ),
            )
            .with("reason", NO_SUCH_AGENT)
            .with("agent", name)
        })
    }

    fn restriction(&self) -> Result<Restriction, Failure> {
        let Paths { read, write, deny } = &self.paths;
        Ok(Restriction {
            tier: Some(self.tier),
            allow_mutations: Some(self.allow_mutations),
            allow_ui: Some(self.allow_ui),
            allow_publish: Some(self.allow_publish),
            allow_export: Some(self.export_folder.is_some()),
            allow_import: Some(self.import_folder.is_some()),
            allow_active_file: Some(self.allow_active_file),
            follow_symlinks: Some(self.follow_symlinks),
            approve: Some(self.approve),
            approve_by: Some(self.approve_by.clone()),
            scope: Some(Scope::new(read, write, deny).map_err(|error| too_large(&error))?),
        })
    }
}

impl AgentSettings {
    fn restriction(&self) -> Result<Restriction, Failure> {
        let everything = [PathPattern::everything()];
        let paths = &self.paths;
        let scope = Scope::new(
            paths.read.as_deref().unwrap_or(&everything),
            paths.write.as_deref().unwrap_or(&everything),
            paths.deny.as_deref().unwrap_or_default(),
        );
        Ok(Restriction {
            tier: self.tier,
            allow_mutations: self.allow_mutations,
            allow_ui: self.allow_ui,
            allow_publish: self.allow_publish,
            // The folders outside the vault are the same for all agents; only the owner sets them.
            allow_export: None,
            allow_import: None,
            allow_active_file: self.allow_active_file,
            follow_symlinks: self.follow_symlinks,
            approve: self.approve,
            approve_by: self.approve_by.clone(),
            scope: Some(scope.map_err(|error| too_large(&error))?),
        })
    }
}

/// Each pattern was already validated by itself, so compiling them together can only fail on their
/// total size.
fn too_large(error: &PatternError) -> Failure {
    Failure::new(
        Code::ConfigInvalid,
        format!("The path rules {}; {}.", error.reason, error.hint),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allowlist::{Effect, EffectSet, Tier};
    use crate::settings::parse::parse;
    use crate::tiers::testing::{create, file, read};
    use crate::tiers::{Decision, Switch, decide};

    fn policy(text: &str, agent: Option<&str>) -> Policy {
        parse(text).unwrap().policy(agent).unwrap()
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
        let call = read().call(&[("path", "a.md")], &[]);
        assert_eq!(decide(&call, &policy), Decision::Allowed);
        let call = create().call(&[("path", "a.md")], &[]);
        assert!(matches!(decide(&call, &policy), Decision::Refused(_)));
    }

    #[test]
    fn a09_an_empty_read_list_opens_nothing_and_a_missing_one_everything() {
        let note = file("a.md");
        assert!(!policy("[paths]\nread = []", None).may_read(&note));
        assert!(policy("[paths]\ndeny = []", None).may_read(&note));
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
    fn an_unknown_agent_is_an_error() {
        let settings = parse("[agents.helper]\ntier = \"v0\"").unwrap();
        let failure = settings.policy(Some("helpr")).unwrap_err();
        assert_eq!(failure.code, Code::UsageError);
        assert!(settings.is_enabled_for(Some("helpr")).is_err());
    }
}
