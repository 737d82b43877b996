//! Commands, calls and policies built by hand, for the tests.

use std::sync::Arc;

use proptest::prelude::*;
use vault_engine::{Args, VaultPath};

use super::{
    ApprovalChannel, CommandPattern, CommandRules, PathPattern, Policy, Restriction, Scope, Switch,
};
use allowlist::{Call, Catalogue, Command, Effect, EffectSet, RawValue, Target, Tier};

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

/// Returns a call of a command of the catalogue, as on a command line.
pub(crate) fn call(line: &str) -> Call {
    let words = shell_words::split(line).unwrap();
    let (id, words) = words.split_first().unwrap();
    let given = words.iter().map(|word| match word.split_once('=') {
        Some((name, value)) => (name.to_owned(), RawValue::Text(value.to_owned())),
        None => (word.clone(), RawValue::Bool(true)),
    });
    let command = Catalogue::find_builtin(id).unwrap();
    Call {
        arguments: command.admit(&given.collect()).unwrap(),
        command,
    }
}

/// Returns a call of a command that the catalogue does not have: `vault` without arguments, changed.
pub(crate) fn made(id: &str, of: &[Effect], change: impl FnOnce(&mut Command)) -> Call {
    let known = Catalogue::find_builtin("vault").unwrap();
    let mut command = Command {
        id: id.to_owned(),
        effects: effects(of),
        target: Target::None,
        params: Vec::new(),
        flags: Vec::new(),
        ..Command::clone(&known)
    };
    change(&mut command);
    Call {
        command: Arc::new(command),
        arguments: Args::default(),
    }
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
    let in_v3 = |command: &mut Command| command.tier = Tier::V3;
    (path, 0_usize..11).prop_map(move |(path, kind)| match kind {
        0 => call(&format!("read path={path}")),
        1 => call("read"),
        2 => call(&format!("create path={path}")),
        3 => call(&format!("create path={path} overwrite open")),
        4 => call(&format!("move path={path} to=notes")),
        5 => call(&format!("publish:add path={path}")),
        6 => call("publish:add changed"),
        7 => made("eval", &[Effect::Execute], in_v3),
        8 => made("vault:export", &[Effect::Export], in_v3),
        9 => made("vault:import", &[Effect::Write, Effect::Import], in_v3),
        _ => made("tab:open", &[Effect::Ui], in_v3),
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
