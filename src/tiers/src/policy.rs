//! The effective policy, built from layers that can only tighten it (`threats.toml` H04).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value as Json};
use vault_engine::{Arg, NoteRules, VaultPath};

use super::approval_channel::ApprovalChannel;
use super::command_rules::{CommandRules, LIST};
use super::drafts::Drafts;
use super::fold::is_always_closed;
use super::rule::{Rule, is_hidden};
use super::scope::{Access, Scope};
use super::switch::Switch;
use allowlist::{Call, Catalogue, Command, Effect, EffectSet, Tier, common, left_out};
use protocol::{ClosingSetting, Failure, Opening};

/// The setting that opens a file although another name of it is closed.
const HARD_LINKS: &str = "paths.allow_hard_links";

/// The effective policy.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The layers that tighten it.
    layers: Vec<Arc<Restriction>>,
    approve_by: BTreeSet<ApprovalChannel>,
    pub(super) drafts: Drafts,
    /// The paths that are changed in the vault itself although all changes go into drafts: those that each of these opens.
    pub(super) direct: Vec<Scope>,
}

/// The effects that need an approval in every policy.
const ALWAYS_APPROVED: [Effect; 1] = [Effect::Publish];

/// One layer of the policy. Each field that is set restricts the policy further; no value can widen it.
#[derive(Clone, Debug, Default)]
pub struct Restriction {
    /// The prefix that its keys have in the settings: empty, or `agents.helper.`. `None` if it is not from the
    /// settings.
    pub prefix: Option<String>,
    /// The highest allowed tier.
    pub tier: Option<Tier>,
    /// The rules for commands.
    pub commands: Option<CommandRules>,
    /// The switches that are off.
    pub closed: BTreeSet<Switch>,
    /// Additional effects that need an approval.
    pub approve: Option<EffectSet>,
    /// The accepted ways to approve a call. Intersected with the other layers.
    pub approve_by: Option<BTreeSet<ApprovalChannel>>,
    /// Additional rules that every path must pass.
    pub scope: Option<Scope>,
}

impl Restriction {
    /// Returns a layer that turns these switches off.
    pub fn closing(switches: impl IntoIterator<Item = Switch>) -> Self {
        Self {
            closed: switches.into_iter().collect(),
            ..Self::default()
        }
    }
}

impl Policy {
    /// Returns the outermost layer, and the most permissive. Even here `execute` and dot-folders are closed and
    /// `publish` needs an approval. Settings tighten it before use.
    pub fn built_in() -> Self {
        Self {
            layers: Vec::new(),
            approve_by: BTreeSet::from(ApprovalChannel::ALL),
            drafts: Drafts::Off,
            direct: Vec::new(),
        }
    }

    /// Adds one layer. The order of layers does not matter.
    #[must_use]
    pub fn tightened(&self, layer: &Restriction) -> Self {
        let mut policy = self.clone();
        policy.layers.push(Arc::new(layer.clone()));
        if let Some(channels) = &layer.approve_by {
            policy.approve_by = &policy.approve_by & channels;
        }
        policy
    }

    /// Returns the highest allowed tier.
    pub fn tier(&self) -> Tier {
        let tiers = self.layers.iter().filter_map(|layer| layer.tier);
        tiers.min().unwrap_or(Tier::V3)
    }

    /// Whether the tier and the rules for commands open this command. Its effects need switches besides.
    pub fn opens(&self, command: &Command) -> bool {
        command.tier <= self.tier() && self.closing_rule(command).is_none()
    }

    /// Whether the tier and the rules open every command that can change something, with all of its arguments.
    pub fn opens_every_change(&self) -> bool {
        let mut changes = all_commands().filter(|command| command.change.is_some());
        changes.all(|command| self.opens_whole(command))
    }

    /// Whether the tier and the rules open this command with all of its arguments.
    pub fn opens_whole(&self, command: &Command) -> bool {
        self.opens(command) && self.leaves_whole(command)
    }

    /// Whether they open at least one command that can change something.
    pub fn opens_a_change(&self) -> bool {
        all_commands().any(|command| command.change.is_some() && self.opens(command))
    }

    /// Whether a command that has this effect, alone or by one of its parameters, is open, perhaps with an approval.
    pub fn opens_effect(&self, effect: Effect) -> bool {
        all_commands().any(|command| {
            let of_one = command.argument_names().map(Some).chain([None]);
            let mut effects = of_one.map(|name| command.effects_with(name.into_iter()));
            effects.any(|effects| {
                effects.contains(effect) && self.check_command(command, effects).is_open()
            })
        })
    }

    /// Whether rules for commands close any.
    pub fn has_command_rules(&self) -> bool {
        self.commands().next().is_some()
    }

    /// Returns the rules for commands, of each layer that closes a command.
    fn commands(&self) -> impl Iterator<Item = &CommandRules> {
        let rules = self
            .layers
            .iter()
            .filter_map(|layer| layer.commands.as_ref());
        rules.filter(|rules| !rules.is_open())
    }

    /// Returns the part of the command that the owner's lists leave; `None` if they or the rules close it.
    /// Independent of the tier and the switches.
    pub fn form_of<'c>(&self, command: &'c Command) -> Option<Cow<'c, Command>> {
        if self.closing_rule(command).is_some() {
            return None;
        }
        let mut forms = self.commands().filter_map(|rules| rules.form_of(command));
        forms.try_fold(Cow::Borrowed(command), |form, left| {
            Some(Cow::Owned(common(&form, left)?))
        })
    }

    /// Whether the owner's lists leave the command as it is, with all of its arguments.
    pub fn leaves_whole(&self, command: &Command) -> bool {
        let mut forms = self.commands().filter_map(|rules| rules.form_of(command));
        forms.all(|form| left_out(command, Some(form)).is_empty())
    }

    /// Checks the rules for commands alone, regardless of the tier and the switches.
    ///
    /// # Errors
    ///
    /// `COMMAND_DENIED` with the rule that closes the command.
    pub fn check_rules(&self, command: &Command) -> Result<(), Failure> {
        self.result(self.closing_rule(command), command.effects)
    }

    /// Returns the rule that closes the command; the first by name if there are several, regardless of their order.
    pub(super) fn closing_rule(&self, command: &Command) -> Option<Rule> {
        let rule = self
            .commands()
            .filter_map(|rules| rules.closing(command))
            .min()?;
        Some(Rule::Command {
            command: command.id.clone(),
            rule,
        })
    }

    /// Returns the rule that closes an argument of the call; of several the first by name.
    pub(super) fn closing_argument(&self, call: &Call) -> Option<Rule> {
        let Call { command, arguments } = call;
        let names = arguments
            .values
            .keys()
            .chain(&arguments.flags)
            .map(String::as_str);
        self.closing_name(command, &names, |name| {
            let value = arguments.values.get(name);
            value.map_or_else(String::new, Arg::to_text)
        })
    }

    /// Checks the arguments of a command that was run, as the journal keeps them.
    ///
    /// # Errors
    ///
    /// `COMMAND_DENIED` with the list that leaves one of them out.
    pub fn check_arguments(
        &self,
        command: &Command,
        given: &Map<String, Json>,
    ) -> Result<(), Failure> {
        let names = given
            .iter()
            .filter(|(_, value)| **value != Json::Bool(false));
        let names = names.map(|(name, _)| name.as_str());
        let rule = self.closing_name(command, &names, |name| match given.get(name) {
            Some(Json::String(text)) => text.clone(),
            other => other.map_or_else(String::new, Json::to_string),
        });
        self.result(rule, command.effects)
    }

    fn closing_name<'n>(
        &self,
        command: &Command,
        names: &(impl Iterator<Item = &'n str> + Clone),
        value: impl Fn(&str) -> String,
    ) -> Option<Rule> {
        let closing = self.commands();
        let closing =
            closing.filter_map(|rules| rules.closing_argument(&command.id, names.clone(), &value));
        Some(Rule::Command {
            command: command.id.clone(),
            rule: closing.min()?,
        })
    }

    /// Returns the refusal that follows from the rule, if there is one.
    fn result(&self, rule: Option<Rule>, effects: EffectSet) -> Result<(), Failure> {
        rule.and_then(|rule| self.refusal(rule, effects))
            .map_or(Ok(()), Err)
    }

    /// Whether the switch is on.
    pub fn allows(&self, switch: Switch) -> bool {
        self.layers
            .iter()
            .all(|layer| !layer.closed.contains(&switch))
    }

    /// Returns the effects that need an approval.
    pub fn approve(&self) -> EffectSet {
        let of_layers = self.layers.iter().filter_map(|layer| layer.approve);
        of_layers.fold(EffectSet::from_iter(ALWAYS_APPROVED), EffectSet::union)
    }

    /// Returns the accepted ways to approve a call (`threats.toml` I19).
    pub fn approve_by(&self) -> &BTreeSet<ApprovalChannel> {
        &self.approve_by
    }

    /// Returns the tags and properties that close a note to the caller; `None` if there are none. Other answers about a
    /// path apply to a note only if its tags and properties do not close it.
    pub fn note_rules(&self) -> Option<NoteRules> {
        let rules = self.scopes().map(Scope::note_rules);
        let rules = rules.fold(NoteRules::default(), |all, layer| all.and(&layer));
        (!rules.is_empty()).then_some(rules)
    }

    /// Returns the path rules of each layer. A file must pass all of them.
    fn scopes(&self) -> impl Iterator<Item = &Scope> {
        self.layers.iter().filter_map(|layer| layer.scope.as_ref())
    }

    /// Whether the path rules open a file.
    pub(super) fn opens_file(&self, path: &VaultPath, access: Access) -> bool {
        is_open_in(self.scopes(), path, access)
    }

    /// Whether the path rules open a folder.
    pub(super) fn opens_folder(&self, path: &VaultPath, access: Access) -> bool {
        let mut scopes = self.scopes();
        !is_always_closed(path) && scopes.all(|scope| scope.opens_folder(path.as_str(), access))
    }

    /// Whether a file may be opened although another name of it, a hard link, is closed.
    pub fn allows_hard_links(&self) -> bool {
        self.scopes().all(Scope::allows_hard_links)
    }

    /// Whether the file may be read.
    pub fn may_read(&self, path: &VaultPath) -> bool {
        self.opens_file(path, Access::Read)
    }

    /// Whether a file may be named to the caller without a look at its content, which may close a note.
    pub fn may_name(&self, path: &VaultPath) -> bool {
        self.reads_everything()
            || self.may_read(path) && (self.note_rules().is_none() || !path.is_note())
    }

    /// Whether the path rules allow a change of the file.
    pub fn may_write(&self, path: &VaultPath) -> bool {
        self.opens_file(path, Access::Write)
    }

    /// Whether the folder may be listed, because something below it may be readable. The caller
    /// must still filter the list.
    pub fn may_list(&self, path: &VaultPath) -> bool {
        self.opens_folder(path, Access::Read)
    }

    /// Whether the path rules allow files to be created in the folder.
    pub fn may_fill(&self, path: &VaultPath) -> bool {
        self.opens_folder(path, Access::Write)
    }

    /// Whether the path rules allow changes to everything below the folder, regardless of its content. So the answer
    /// does not reveal what exists.
    pub fn may_change_below(&self, path: &VaultPath) -> bool {
        !is_always_closed(path) && self.list_closing_below(path).is_none()
    }

    /// Whether every path except dot-folders may be read, so that lists need no filter.
    pub fn reads_everything(&self) -> bool {
        self.scopes().all(Scope::reads_everything)
    }

    /// Whether every path except dot-folders may be read and written.
    pub fn is_unrestricted(&self) -> bool {
        self.limiting_lists().is_empty()
    }

    /// Returns the keys of the lists that close paths.
    pub(super) fn limiting_lists(&self) -> BTreeSet<&'static str> {
        self.scopes().flat_map(Scope::limiting_lists).collect()
    }

    /// Checks the path that a name resolved to (`file=`, a template, today's note).
    ///
    /// # Errors
    ///
    /// `PATH_DENIED`, identical to the refusal for the path as an argument (`threats.toml` D11).
    pub fn check_path(&self, path: &VaultPath, effects: EffectSet) -> Result<(), Failure> {
        let access = Access::for_effects(effects);
        let is_open = self.opens_file(path, access);
        self.result((!is_open).then(|| self.closed(path, access)), effects)
    }

    /// Returns the key of the first list that may close something below the folder; `None` if the lists open all of it.
    fn list_closing_below(&self, path: &VaultPath) -> Option<&'static str> {
        let scopes = self.scopes();
        let lists = scopes.filter_map(|scope| scope.list_closing_below(path.as_str()));
        lists.min()
    }

    /// Returns the rule that closes a path.
    pub(super) fn closed(&self, path: &VaultPath, access: Access) -> Rule {
        let lists = self.scopes();
        let lists = lists.filter_map(|scope| scope.closing_list(path.as_str(), access));
        // The order of the layers does not matter. An open folder may have something closed below it.
        let key = lists.min().or_else(|| self.list_closing_below(path));
        Rule::Path {
            path: path.to_string(),
            access,
            key: key.unwrap_or("paths.read"),
        }
    }

    /// Returns the settings that the rule follows from, of each layer.
    pub fn settings_of(&self, rule: &Rule) -> Vec<ClosingSetting> {
        match rule {
            Rule::Execute
            | Rule::Escape { .. }
            | Rule::FolderOrFile { .. }
            | Rule::MalformedPath { .. } => Vec::new(),
            Rule::Path { path, .. } if is_hidden(path) => Vec::new(),
            Rule::Path { path, access, .. } => self.settings_of_path(path, *access),
            Rule::UncheckedActiveFile { .. } | Rule::WholeVault { .. } => self.settings_of_lists(),
            Rule::Command { command, rule } => {
                let key = &rule.key;
                let change = match (&rule.pattern, &rule.argument) {
                    (Some(pattern), _) => format!("Remove `{pattern}` from `{key}`."),
                    (None, Some(argument)) => {
                        format!("In `{key}`, find `{command}` and add `{argument}` to it.")
                    }
                    (None, None) if key.ends_with(LIST) => {
                        format!("Add `{command}` to the file that the setting `{key}` names.")
                    }
                    (None, None) => format!("Add `{command}` to `{key}`."),
                };
                vec![ClosingSetting {
                    key: key.clone(),
                    opening: Opening::Change(change),
                }]
            }
            Rule::Tier { needed } => self.settings(
                |layer| {
                    layer
                        .tier
                        .is_some_and(|tier| tier < *needed)
                        .then_some("tier")
                },
                |_, _| Opening::Value(Some(needed.name())),
            ),
            Rule::OnlyDrafts => {
                let off = Opening::Value(Some(Drafts::Off.name()));
                self.settings(|_| Some(Drafts::KEY), |_, _| off.clone())
            }
            Rule::Switches { needed } => needed
                .iter()
                .flat_map(|switch| self.settings_of_switch(*switch))
                .collect(),
            Rule::ActiveFile { .. } => self.settings_of_switch(Switch::ActiveFile),
            Rule::Approval { effects } => {
                // No setting can leave out the approvals that are built in.
                let is_set = |effect: &Effect| !ALWAYS_APPROVED.contains(effect);
                let asking: EffectSet = effects.iter().filter(is_set).collect();
                let by_layer = |layer: &Restriction| layer.approve.unwrap_or_default();
                self.settings(
                    |layer| (!asking.intersection(by_layer(layer)).is_empty()).then_some("approve"),
                    |_, key| Opening::Change(format!("Remove {} from `{key}`.", names(asking))),
                )
            }
        }
    }

    /// Returns the settings that close paths.
    pub fn settings_of_lists(&self) -> Vec<ClosingSetting> {
        self.settings(
            |layer| {
                let lists = layer.scope.iter().flat_map(Scope::limiting_lists);
                lists.collect::<Vec<_>>()
            },
            |_, key| Opening::Change(format!("Remove the restrictions from `{key}`.")),
        )
    }

    /// Returns the settings that turn the switch off.
    pub fn settings_of_switch(&self, switch: Switch) -> Vec<ClosingSetting> {
        self.settings(
            |layer| layer.closed.contains(&switch).then_some(switch.key()),
            |_, _| Opening::Value(None),
        )
    }

    /// Returns the settings that close a file by its path.
    fn settings_of_path(&self, path: &str, access: Access) -> Vec<ClosingSetting> {
        self.settings(
            |layer| layer.scope.as_ref()?.closing_list(path, access),
            |list, key| {
                Opening::Change(if list == "paths.deny" {
                    format!("Remove the pattern for `{path}` from `{key}`.")
                } else {
                    format!("Add a pattern for `{path}` to `{key}`.")
                })
            },
        )
    }

    /// Returns the settings that close a note: by its path, or else by another name of it or by its `content`.
    pub fn settings_of_note(
        &self,
        note: &VaultPath,
        content: &[u8],
        access: Access,
        has_other_names: bool,
    ) -> Vec<ClosingSetting> {
        let by_path = self.settings_of_path(note.as_str(), access);
        if !by_path.is_empty() {
            return by_path;
        }
        let closes_links = |scope: &&Scope| has_other_names && !scope.allows_hard_links();
        let mut found = self.settings(
            |layer| {
                layer
                    .scope
                    .as_ref()
                    .filter(closes_links)
                    .map(|_| HARD_LINKS)
            },
            |_, key| {
                Opening::Change(format!(
                    "Set `{key} = true`, or replace the hard link with a copy."
                ))
            },
        );
        found.extend(self.settings(
            |layer| {
                let scopes = layer.scope.iter();
                let lists = scopes.flat_map(|scope| scope.lists_closing_note(note, content));
                lists.collect::<Vec<_>>()
            },
            |_, key| {
                Opening::Change(format!(
                    "Change `{key}`. Or, in the note, remove the tag or property that this rule names."
                ))
            },
        ));
        found
    }

    /// Returns the settings with these keys, of each layer that has a table in the settings file.
    fn settings<Keys: IntoIterator<Item = &'static str>>(
        &self,
        keys: impl Fn(&Restriction) -> Keys,
        opening: impl Fn(&str, &str) -> Opening,
    ) -> Vec<ClosingSetting> {
        let mut found = Vec::new();
        for layer in &self.layers {
            let Some(prefix) = &layer.prefix else {
                continue;
            };
            found.extend(keys(layer).into_iter().map(|name| {
                let key = format!("{prefix}{name}");
                ClosingSetting {
                    opening: opening(name, &key),
                    key,
                }
            }));
        }
        found
    }
}

/// Returns all commands; none if the catalogue is invalid, which is a defect of the program.
fn all_commands() -> impl Iterator<Item = &'static Arc<Command>> {
    let commands = Catalogue::builtin().map(Catalogue::commands);
    commands.into_iter().flatten()
}

/// Whether each of these path rules opens a file.
pub(super) fn is_open_in<'s>(
    mut scopes: impl Iterator<Item = &'s Scope>,
    path: &VaultPath,
    access: Access,
) -> bool {
    !is_always_closed(path)
        && scopes.all(|scope| scope.closing_list(path.as_str(), access).is_none())
}

/// Returns the names of the effects, for a sentence.
pub fn names(effects: EffectSet) -> String {
    let names = effects.iter().map(|effect| format!("`{}`", effect.name()));
    names.collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{file, scoped};
    use protocol::Code;

    #[test]
    fn layers_take_the_smaller_of_everything() {
        let narrow = Policy::built_in()
            .tightened(&Restriction {
                tier: Some(Tier::V1),
                closed: BTreeSet::from([Switch::Mutations]),
                ..Restriction::default()
            })
            .tightened(&Restriction {
                tier: Some(Tier::V2),
                closed: BTreeSet::from([Switch::Ui]),
                approve: Some(EffectSet::from_iter([Effect::Write])),
                ..Restriction::default()
            });
        assert_eq!(narrow.tier(), Tier::V1);
        assert!(!narrow.allows(Switch::Mutations) && !narrow.allows(Switch::Ui));
        assert!(narrow.allows(Switch::ActiveFile));
        assert_eq!(
            narrow.approve().iter().collect::<Vec<_>>(),
            [Effect::Write, Effect::Publish]
        );
    }

    #[test]
    fn i19_a_layer_closes_channels_of_approval_and_opens_none() {
        let by = |channels: &[ApprovalChannel]| Restriction {
            approve_by: Some(channels.iter().copied().collect()),
            ..Restriction::default()
        };
        let all = Policy::built_in();
        assert_eq!(all.approve_by().len(), 3);
        let terminal = all.tightened(&by(&[ApprovalChannel::Terminal, ApprovalChannel::Yes]));
        let wider = terminal.tightened(&by(&ApprovalChannel::ALL));
        assert_eq!(wider.approve_by(), terminal.approve_by());
        let other = terminal.tightened(&by(&[ApprovalChannel::Dialog]));
        assert!(other.approve_by().is_empty());
        let untouched = terminal.tightened(&Restriction::default());
        assert_eq!(untouched.approve_by(), terminal.approve_by());
    }

    #[test]
    fn d11_a_resolved_name_is_refused_like_its_path() {
        let policy = scoped(&["notes/**"], &[], &[]);
        let read = EffectSet::from_iter([Effect::Read]);
        assert!(policy.check_path(&file("notes/a.md"), read).is_ok());
        let failure = policy.check_path(&file("private/a.md"), read).unwrap_err();
        assert_eq!(failure.code, Code::PathDenied);
        let write = EffectSet::from_iter([Effect::Write]);
        let failure = policy.check_path(&file("notes/a.md"), write).unwrap_err();
        assert_eq!(failure.details["needs"], serde_json::json!(["paths.write"]));
    }
}
