//! The path rules, as far as the caller under them may see them.

use schemars::JsonSchema;
use serde::Serialize;
use vault_engine::VaultPath;

use super::About;
use protocol::Caller;
use settings::{AgentPaths, Paths};
use tiers::{PathPattern, PropertyName, TagName};

/// One layer of path rules. An agent sees what is open to it, and of what is closed how many rules
/// there are but not which folders, tags and properties they name (`design/path-rules.md`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScopePaths {
    /// The paths that may be read.
    pub read: Vec<String>,
    /// The paths that may be written, which needs the right to read them too.
    pub write: Vec<String>,
    /// The paths that are closed, even if the other two lists open them; for people only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny: Option<Vec<String>>,
    /// Tags that close a note; for people only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny_tags: Vec<String>,
    /// Properties that close a note, unless they are `false`; for people only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny_properties: Vec<String>,
    /// Whether a file is open although another name of it, a hard link, is closed; for people only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub allow_hard_links: bool,
    /// Number of rules that are not shown.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_shown: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde calls"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl About<'_> {
    /// Returns the layers of path rules: the general rules, then the rules of the tables of agents.
    pub(super) fn path_scopes(&self) -> Vec<ScopePaths> {
        let is_bound = !self.caller.is_person() || self.caller.settings.paths.everyone;
        let everyone = if is_bound {
            self.caller.settings.paths.clone()
        } else {
            Paths::default()
        };
        let mut layers = vec![self.layer(&AgentPaths {
            read: Some(everyone.read),
            write: Some(everyone.write),
            deny: Some(everyone.deny),
            deny_tags: Some(everyone.deny_tags),
            deny_properties: Some(everyone.deny_properties),
            allow_hard_links: Some(everyone.allow_hard_links),
        })];
        let agent = self.caller.agent();
        let tables = self
            .caller
            .settings
            .tables_of(self.caller.options.caller, agent);
        for (_, table) in tables.unwrap_or_default() {
            if table.paths != AgentPaths::default() {
                layers.push(self.layer(&table.paths));
            }
        }
        layers
    }

    fn layer(&self, paths: &AgentPaths) -> ScopePaths {
        let mut not_shown = 0;
        let mut visible = |patterns: Option<&Vec<PathPattern>>| -> Vec<String> {
            let Some(patterns) = patterns else {
                return vec![PathPattern::everything().as_str().to_owned()];
            };
            let (shown, hidden): (Vec<&PathPattern>, Vec<&PathPattern>) =
                patterns.iter().partition(|pattern| self.may_see(pattern));
            not_shown += hidden.len();
            shown
                .into_iter()
                .map(|pattern| pattern.as_str().to_owned())
                .collect()
        };
        let (read, write) = (visible(paths.read.as_ref()), visible(paths.write.as_ref()));
        let deny = paths.deny.iter().flatten().map(PathPattern::as_str);
        let tags = paths.deny_tags.iter().flatten().map(TagName::as_str);
        let properties = paths.deny_properties.iter().flatten();
        let properties = properties.map(PropertyName::as_str);
        if self.caller.options.caller == Caller::Agent {
            not_shown += deny.count() + tags.count() + properties.count();
            return ScopePaths {
                read,
                write,
                not_shown,
                ..ScopePaths::default()
            };
        }
        ScopePaths {
            read,
            write,
            deny: Some(deny.map(str::to_owned).collect()),
            deny_tags: tags.map(str::to_owned).collect(),
            deny_properties: properties.map(str::to_owned).collect(),
            allow_hard_links: paths.allow_hard_links == Some(true),
            not_shown,
        }
    }

    /// Whether an allowing rule may be shown to this caller, because all its names are visible to
    /// it.
    fn may_see(&self, pattern: &PathPattern) -> bool {
        if self.caller.options.caller == Caller::Person || self.caller.policy.is_unrestricted() {
            return true;
        }
        let text = pattern.as_str();
        // The names in a group such as `{a,b}` cannot be checked one by one.
        if text.contains(['{', '[']) {
            return false;
        }
        let plain: Vec<&str> = text
            .split('/')
            .take_while(|component| !component.contains('*'))
            .collect();
        let rest_is_plain = text.split('/').skip(plain.len()).all(|component| {
            // A pattern such as `*secret*` also reveals a name.
            matches!(component, "*" | "**" | "*.md")
        });
        rest_is_plain && self.may_tell_of(&plain.join("/"))
    }

    /// Whether a path may be named to the caller: a readable file, or a folder that may be listed.
    pub(super) fn may_tell_of(&self, place: &str) -> bool {
        let place = place.trim_matches('/');
        if place.is_empty() {
            return true;
        }
        VaultPath::folder(place).is_ok_and(|folder| self.caller.policy.may_list(&folder))
            || VaultPath::file(place).is_ok_and(|file| self.caller.policy.may_read(&file))
    }
}
