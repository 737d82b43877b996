//! Commands, calls and policies built by hand, for the tests.

use std::collections::BTreeMap;
use std::sync::Arc;

use cli_output::Shape;
use proptest::prelude::*;
use vault_engine::{Arg, Args, VaultPath};

use super::{
    ApprovalChannel, CommandPattern, CommandRules, PathPattern, Policy, Restriction, Scope, Switch,
};
use allowlist::{
    BackendName, Call, ChangeRules, Command, Effect, EffectSet, Flag, Param, ParamKind, Placement,
    Sentence, Target, Tier, Verification,
};

pub(crate) fn file(text: &str) -> VaultPath {
    VaultPath::file(text).unwrap()
}

pub(crate) fn effects(effects: &[Effect]) -> EffectSet {
    effects.iter().copied().collect()
}

pub(crate) fn scope(read: &[&str], write: &[&str], deny: &[&str]) -> Scope {
    let patterns = |texts: &[&str]| -> Vec<PathPattern> {
        texts
            .iter()
            .map(|text| PathPattern::new(text).unwrap())
            .collect()
    };
    Scope::new(&patterns(read), &patterns(write), &patterns(deny)).unwrap()
}

/// Returns the built-in policy with these path rules.
pub(crate) fn scoped(read: &[&str], write: &[&str], deny: &[&str]) -> Policy {
    Policy::built_in().tightened(&Restriction {
        scope: Some(scope(read, write, deny)),
        ..Restriction::default()
    })
}

pub(crate) fn command_rules(allow: &[&str], deny: &[&str]) -> CommandRules {
    let patterns = |texts: &[&str]| -> Vec<CommandPattern> {
        let patterns = texts.iter().map(|text| CommandPattern::new(text).unwrap());
        patterns.collect()
    };
    CommandRules::new("", &patterns(allow), &patterns(deny)).unwrap()
}

/// A command under construction.
#[derive(Clone)]
pub(crate) struct CommandBuilder(Command);

pub(crate) fn command(id: &str) -> CommandBuilder {
    CommandBuilder(Command {
        bare: Vec::new(),
        id: id.to_owned(),
        columns: Vec::new(),
        help: String::new(),
        task: allowlist::Task::Write,
        group: "test".to_owned(),
        tier: Tier::V0,
        summary: String::new(),
        effects: effects(&[Effect::Read]),
        target: Target::None,
        params: Vec::new(),
        flags: Vec::new(),
        output: Shape::Confirmation,
        change: None,
        backends: vec![BackendName::Embedded],
        since: Some("1.12.0".to_owned()),
        differs: None,
        unrecorded: None,
        accept: Vec::new(),
        refuse: Vec::new(),
        exclusive: Vec::new(),
        tool: None,
    })
}

impl CommandBuilder {
    pub(crate) fn tier(mut self, tier: Tier) -> Self {
        self.0.tier = tier;
        self
    }

    pub(crate) fn effects(mut self, of: &[Effect]) -> Self {
        self.0.effects = effects(of);
        self
    }

    pub(crate) fn target(mut self, target: Target) -> Self {
        self.0.target = target;
        self
    }

    pub(crate) fn places(mut self, placement: Placement) -> Self {
        self.0.change = Some(ChangeRules {
            verify: Verification::PlannedFiles,
            confirms: vec![Sentence::Any],
            places: Some(placement),
            rewrites_links: false,
            continues: None,
        });
        self
    }

    pub(crate) fn param(mut self, name: &str, kind: ParamKind) -> Self {
        self.0.params.push(Param {
            name: name.to_owned(),
            kind,
            summary: String::new(),
            required: false,
            effects: EffectSet::EMPTY,
            escapes: false,
            sensitive: false,
            may_be_empty: false,
            backend: None,
            with: None,
        });
        self
    }

    pub(crate) fn flag(mut self, name: &str, of: &[Effect]) -> Self {
        self.0.flags.push(Flag {
            name: name.to_owned(),
            summary: String::new(),
            effects: effects(of),
            backend: None,
            target: match name {
                "active" => Some(Target::ActiveFile),
                "daily" => Some(Target::DailyNote),
                _ => None,
            },
            is_ours: false,
        });
        self
    }

    pub(crate) fn call(&self, arguments: &[(&str, &str)], flags: &[&str]) -> Call {
        let values: BTreeMap<String, Arg> = arguments
            .iter()
            .map(|(key, text)| {
                let kind = &self.0.param(key).unwrap().kind;
                let value = match kind {
                    ParamKind::Path => Arg::Path(VaultPath::file(text).unwrap()),
                    ParamKind::Folder | ParamKind::Destination => {
                        Arg::Path(VaultPath::folder(text).unwrap())
                    }
                    ParamKind::TaskRef => {
                        let (path, line) = text.rsplit_once(':').unwrap();
                        let path = VaultPath::file(path).unwrap();
                        Arg::Line {
                            path,
                            line: line.parse().unwrap(),
                        }
                    }
                    _ => Arg::from(*text),
                };
                ((*key).to_owned(), value)
            })
            .collect();
        Call {
            command: Arc::new(self.0.clone()),
            arguments: Args {
                values,
                flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
            },
        }
    }
}

/// Returns the command `read [file] [path]`.
pub(crate) fn read() -> CommandBuilder {
    command("read")
        .target(Target::Note)
        .param("path", ParamKind::Path)
        .param("file", ParamKind::NoteName)
}

/// `create [name] [path] [content] [template] [overwrite] [open]`.
pub(crate) fn create() -> CommandBuilder {
    command("create")
        .places(Placement::AsNamed)
        .tier(Tier::V1)
        .effects(&[Effect::Write])
        .target(Target::NewFile)
        .param("path", ParamKind::Path)
        .param("name", ParamKind::Name)
        .param("content", ParamKind::Text)
        .param("template", ParamKind::Template)
        .flag("overwrite", &[Effect::Destroy])
        .flag("open", &[Effect::Ui])
}

/// Builds the command `move [file] [path] to=`.
pub(crate) fn move_note() -> CommandBuilder {
    read_like("move")
        .places(Placement::Destination)
        .param("to", ParamKind::Destination)
}

/// `rename [file] [path] name=`.
pub(crate) fn rename() -> CommandBuilder {
    read_like("rename")
        .places(Placement::NewName)
        .param("name", ParamKind::Name)
}

fn read_like(id: &str) -> CommandBuilder {
    command(id)
        .tier(Tier::V1)
        .effects(&[Effect::Write])
        .target(Target::Note)
        .param("path", ParamKind::Path)
        .param("file", ParamKind::NoteName)
}

/// `publish:add [file] [path] [changed]`.
pub(crate) fn publish() -> CommandBuilder {
    command("publish:add")
        .tier(Tier::V2)
        .effects(&[Effect::Publish])
        .target(Target::NoteOrVault)
        .param("path", ParamKind::Path)
        .flag("changed", &[])
}

/// Calls of every kind on a few paths.
pub(crate) fn any_call() -> impl Strategy<Value = Call> {
    let path = prop_oneof![
        Just("notes/a.md"),
        Just("notes/deep/b.md"),
        Just("private/c.md"),
        Just("d.md"),
        Just(".obsidian/app.json"),
    ];
    (path, 0_usize..11).prop_map(|(path, kind)| match kind {
        0 => read().call(&[("path", path)], &[]),
        1 => read().call(&[], &[]),
        2 => create().call(&[("path", path)], &[]),
        3 => create().call(&[("path", path)], &["overwrite", "open"]),
        4 => move_note().call(&[("path", path), ("to", "notes")], &[]),
        5 => publish().call(&[("path", path)], &[]),
        6 => publish().call(&[], &["changed"]),
        7 => command("eval")
            .effects(&[Effect::Execute])
            .tier(Tier::V3)
            .call(&[], &[]),
        8 => command("vault:export")
            .effects(&[Effect::Export])
            .tier(Tier::V3)
            .call(&[], &[]),
        9 => command("vault:import")
            .effects(&[Effect::Write, Effect::Import])
            .tier(Tier::V3)
            .call(&[], &[]),
        _ => command("tab:open")
            .effects(&[Effect::Ui])
            .tier(Tier::V3)
            .call(&[], &[]),
    })
}

/// Layers with few rules, so that calls fall on both sides of them.
pub(crate) fn any_restriction() -> impl Strategy<Value = Restriction> {
    let closed = proptest::sample::subsequence(Switch::ALL.to_vec(), 0..4)
        .prop_map(|switches| switches.into_iter().collect());
    let tier = proptest::option::of(proptest::sample::select(Tier::ALL.to_vec()));
    let approve = proptest::option::of(
        proptest::collection::vec(proptest::sample::select(Effect::ALL.to_vec()), 0..2)
            .prop_map(|list| list.into_iter().collect::<EffectSet>()),
    );
    let list =
        || proptest::sample::subsequence(vec!["**", "notes/**", "notes/*.md", "private/**"], 0..3);
    let deny = proptest::sample::subsequence(vec!["private/**", "NOTES/deep", "*.md"], 0..2);
    let scope = proptest::option::of(
        (list(), list(), deny).prop_map(|(read, write, deny)| scope(&read, &write, &deny)),
    );
    let channels = proptest::option::of(
        proptest::sample::subsequence(ApprovalChannel::ALL.to_vec(), 0..3)
            .prop_map(|channels| channels.into_iter().collect()),
    );
    let some = |all: &[&'static str]| proptest::sample::subsequence(all.to_vec(), 0..all.len());
    let commands = (
        some(&["@reads", "create", "@v1", "*", "publish:*", "vault:*"]),
        some(&["@writes", "move", "@links", "vault:export"]),
    );
    let commands =
        proptest::option::of(commands.prop_map(|(allow, deny)| command_rules(&allow, &deny)));
    (tier, closed, approve, channels, scope, commands).prop_map(
        |(tier, closed, approve, approve_by, scope, commands)| Restriction {
            prefix: None,
            tier,
            commands,
            closed,
            approve,
            approve_by,
            scope,
        },
    )
}
