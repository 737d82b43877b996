//! Tests of decisions for whole calls.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use seeded_random::Random;
use serde_json::json;

use super::*;
use crate::command_rules::ClosingRule;
use crate::testing::{
    any_call, any_restriction, call, command_rules, effects, made, scope, scoped,
};
use crate::{Access, ApprovalChannel, Restriction};
use allowlist::{OwnList, Param, ParamKind, Tier};
use protocol::Code;

fn with(restriction: &Restriction) -> Policy {
    Policy::built_in().tightened(restriction)
}

fn without(switches: &[Switch]) -> Policy {
    with(&Restriction {
        closed: switches.iter().copied().collect(),
        ..Restriction::default()
    })
}

fn refusal(call: &Call, policy: &Policy) -> Failure {
    let evaluation = policy.check(call);
    let failure = evaluation.failure();
    failure.unwrap_or_else(|| panic!("{evaluation:?}"))
}

/// The code of the refusal of a line.
#[track_caller]
fn assert_refused(line: &str, policy: &Policy, code: Code) {
    assert_eq!(refusal(&call(line), policy).code, code, "{line}");
}

#[track_caller]
fn assert_allowed(line: &str, policy: &Policy) {
    assert_eq!(
        policy.check(&call(line)).decision,
        Decision::Allowed,
        "{line}"
    );
}

/// The settings that a refusal names.
fn needs(call: &Call, policy: &Policy) -> serde_json::Value {
    refusal(call, policy).details["needs"].clone()
}

fn approval(effect: Effect) -> Rule {
    let effects = effects(&[effect]);
    Rule::Approval { effects }
}

#[test]
fn k06_the_effect_decides_and_not_the_name() {
    let policy = with(&Restriction {
        approve: Some(effects(&[Effect::Destroy])),
        ..Restriction::default()
    });
    assert_allowed("create path=a.md", &policy);
    let overwrite = call("create path=a.md overwrite");
    assert_eq!(
        policy.check(&overwrite).rule,
        Some(approval(Effect::Destroy))
    );
    for line in [
        "move path=a.md to=.obsidian/x.js",
        "move path=a.md to=.obsidian",
        "rename path=a.md name=.mcp.json",
        "create path=.git/hooks/post-merge",
    ] {
        assert_refused(line, &policy, Code::PathDenied);
    }
    let no_ui = without(&[Switch::Ui]);
    let open = call("create path=a.md open");
    assert_eq!(needs(&open, &no_ui), json!(["allow_ui"]));
    assert_allowed("create path=a.md", &no_ui);
}

#[test]
fn gates_follow_the_effects() {
    let closed = without(&[Switch::Mutations, Switch::Publish]);
    let write = refusal(&call("create path=a.md"), &closed);
    assert_eq!(write.code, Code::MutationDisabled);
    let details = ["needs", "effects", "tier"].map(|key| write.details[key].clone());
    assert_eq!(
        json!(details),
        json!([["allow_mutations"], ["write"], "v3"])
    );
    // The remedy alone says who can turn it on, and how.
    assert!(!write.to_string().contains("owner") && write.to_string().contains("do not allow"));

    let send = call("publish:add path=a.md");
    let both = json!(["allow_mutations", "allow_publish"]);
    assert_eq!(needs(&send, &closed), both);
    // Publishing needs an approval even where no setting asks for one.
    let rule = Policy::built_in().check(&send).rule;
    assert_eq!(rule, Some(approval(Effect::Publish)));

    let low = with(&Restriction {
        tier: Some(Tier::V0),
        ..Restriction::default()
    });
    assert_refused("create path=a.md", &low, Code::TierClosed);
    assert_eq!(needs(&call("create path=a.md"), &low), json!(["tier=v1"]));
    assert_allowed("daily:read", &low);
}

#[test]
fn a07_code_never_runs_whatever_the_policy() {
    let everything = Policy::built_in();
    let eval = made("eval", &[Effect::Execute], |_| {});
    assert_eq!(refusal(&eval, &everything).code, Code::CommandRefused);
    let mut flag = call("create path=a.md overwrite");
    for flag in &mut Arc::make_mut(&mut flag.command).flags {
        flag.effects = effects(&[Effect::Execute]);
    }
    assert_eq!(refusal(&flag, &everything).code, Code::CommandRefused);
}

#[test]
fn a05_no_field_of_a_layer_widens() {
    let closed = with(&Restriction {
        tier: Some(Tier::V1),
        closed: BTreeSet::from([Switch::Mutations]),
        ..Restriction::default()
    });
    let wanted = closed.tightened(&Restriction {
        prefix: None,
        tier: Some(Tier::V3),
        commands: Some(command_rules(&["*"], &[])),
        closed: BTreeSet::new(),
        approve: Some(EffectSet::EMPTY),
        approve_by: Some(ApprovalChannel::ALL.into()),
        scope: Some(scope(&["**"], &["**"], &[])),
    });
    assert_refused("create path=a.md", &wanted, Code::MutationDisabled);
    assert_eq!(wanted.tier(), Tier::V1);
}

#[test]
fn a12_the_active_file_is_never_taken_by_default() {
    let off = without(&[Switch::ActiveFile]);
    let insert = made("template:insert", &[Effect::Read], |command| {
        command.target = Target::ActiveFile;
    });
    let mut tags = call("tags path=a.md");
    tags.arguments.flags.insert("active".to_owned());
    // Naming a note helps only if the command can name one; otherwise only the owner's switch does.
    let closed = refusal(&insert, &off);
    assert_eq!(closed.code, Code::MutationDisabled);
    assert!(!closed.to_string().contains("`path`"));
    assert_eq!(closed.details["needs"], json!(["allow_active_file"]));
    let narrow = scoped(&["notes/**"], &["**"], &[]);
    assert_eq!(refusal(&insert, &narrow).code, Code::PathDenied);
    let lines = ["read", "tags active", "move to=notes", "task"].map(call);
    for call in lines.into_iter().chain([tags]) {
        let failure = refusal(&call, &off);
        assert_eq!(failure.code, Code::UsageError, "{}", call.command.id);
        assert_eq!(failure.details["reason"], json!("active-file"));
        assert!(failure.to_string().contains("`path`"));
        assert!(Policy::built_in().check(&call).is_open());
        let narrow = scoped(&["notes/**"], &["**"], &[]);
        assert_eq!(refusal(&call, &narrow).code, Code::PathDenied);
    }
    let paths = "read path=a.md|read file=a|tags|task ref=a.md:1|task daily";
    for line in paths
        .split('|')
        .chain(["create", "daily:read", "files", "vault"])
    {
        assert_allowed(line, &off);
    }
}

#[test]
fn a09_an_empty_rule_closes_what_no_rule_leaves_open() {
    assert_allowed("read path=a.md", &Policy::built_in());
    let closed = scoped(&[], &["**"], &[]);
    assert_refused("read path=a.md", &closed, Code::PathDenied);
}

#[test]
fn reading_needs_the_read_rule_and_writing_both() {
    let policy = scoped(&["notes/**", "inbox/**"], &["inbox/**"], &["inbox/old/**"]);
    for (line, open) in [
        ("read path=notes/a.md", true),
        ("read path=other/a.md", false),
        ("read path=inbox/old/a.md", false),
        ("create path=inbox/a.md", true),
        ("create path=notes/a.md", false),
        ("create name=a", false),
        ("move path=notes/a.md to=inbox", false),
        ("move path=inbox/a.md to=inbox/new", true),
        ("files folder=notes", true),
        ("files folder=/", true),
        ("files folder=inbox/old", false),
        ("files folder=other", false),
        ("publish:add path=notes/a.md", true),
        ("publish:add changed", false),
    ] {
        assert_eq!(policy.check(&call(line)).is_open(), open, "{line}");
    }
}

#[test]
fn d11_the_refusal_of_a_path_says_nothing_about_the_file() {
    let policy = scoped(&["notes/**"], &["**"], &["notes/secret/**"]);
    let by_rule = refusal(&call("read path=notes/secret/a.md"), &policy);
    let outside = refusal(&call("read path=other/a.md"), &policy);
    let plain = |failure: &Failure, path: &str| failure.to_string().replace(path, "PATH");
    // The refusal names the rule, which follows from the path alone.
    let (secret, other) = ("notes/secret/a.md", "other/a.md");
    for (failure, path, rule) in [
        (&by_rule, secret, "a rule in `paths.deny` matches it"),
        (&outside, other, "`paths.read` does not include it"),
    ] {
        let expected = format!("The settings do not allow reading `PATH`: {rule}.");
        assert_eq!(plain(failure, path), expected);
    }
    let hidden = refusal(&call("read path=.git/config"), &policy);
    assert!(hidden.to_string().contains("starts with a dot"), "{hidden}");
    assert_eq!(hidden.details["needs"], serde_json::json!([]));
    let path = crate::testing::file(other);
    let resolved = policy.check_path(&path, effects(&[Effect::Read]));
    assert_eq!(resolved.unwrap_err(), outside);
}

/// The built-in policy with all of these layers.
fn effective(layers: &[Restriction]) -> Policy {
    let layers = layers.iter();
    layers.fold(Policy::built_in(), |policy, layer| policy.tightened(layer))
}

/// Some of these, and the same in any order.
fn shuffled<T: Clone + std::fmt::Debug + 'static>(
    some: impl Strategy<Value = Vec<T>>,
) -> impl Strategy<Value = (Vec<T>, Vec<T>)> {
    some.prop_flat_map(|some| (Just(some.clone()), Just(some).prop_shuffle()))
}

/// Returns the severity of a decision, so that decisions can be compared.
fn severity(evaluation: &Evaluation) -> (u8, EffectSet) {
    match evaluation.rule {
        None => (0, EffectSet::EMPTY),
        Some(Rule::Approval { effects }) => (1, effects),
        Some(_) => (2, EffectSet::EMPTY),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn h04_the_effective_policy_opens_no_more_than_any_layer(
        layers in proptest::collection::vec(any_restriction(), 1..4),
        call in any_call(),
    ) {
        let effective = effective(&layers);
        let together = severity(&effective.check(&call));
        for layer in &layers {
            let channels = effective.approve_by();
            prop_assert!(channels.is_subset(with(layer).approve_by()));
            let alone = severity(&with(layer).check(&call));
            prop_assert!(together.0 >= alone.0);
            if together.0 == 1 {
                prop_assert_eq!(together.1.intersection(alone.1), alone.1);
            }
        }
    }

    #[test]
    fn h04_the_order_of_layers_never_matters(
        (layers, shuffled) in shuffled(proptest::collection::vec(any_restriction(), 1..4)),
        call in any_call(),
    ) {
        prop_assert_eq!(
            effective(&layers).check(&call),
            effective(&shuffled).check(&call)
        );
    }

    #[test]
    fn a08_strictest_rule_wins_in_any_order(
        (reasons, shuffled) in shuffled(proptest::sample::subsequence(every_refusal(), 1..10)),
    ) {
        let expected = every_refusal().into_iter().find(|refusal| reasons.contains(refusal));
        let policy = Policy::built_in();
        let evaluation = policy.strictest(shuffled, effects(&[Effect::Publish]), false);
        prop_assert_eq!(evaluation.rule, expected);
    }

    #[test]
    fn a08_patterns_decide_in_any_order(
        (deny, shuffled) in shuffled(proptest::sample::subsequence(
            vec!["private/**", "*.md", "notes/deep", "**/b.md"], 0..4)),
        call in any_call(),
    ) {
        prop_assert_eq!(
            scoped(&["**", "notes/**"], &["**"], &deny).check(&call),
            scoped(&["notes/**", "**"], &["**"], &shuffled).check(&call)
        );
    }
}

/// A random list that leaves some commands, some of their arguments, and some of the values of these.
fn random_list(seed: u64) -> Arc<OwnList> {
    let mut random = Random::new(seed);
    let mut text = String::new();
    for command in Catalogue::builtin().unwrap().commands() {
        if random.percent(20) {
            continue;
        }
        let mut kept: Vec<&Param> = command.params.iter().collect();
        kept.retain(|param| param.required || random.percent(60));
        let is_kept = |name: &String| kept.iter().any(|param| param.name == *name);
        let usable = kept.iter();
        let usable = usable.filter(|param| param.with.as_ref().is_none_or(is_kept));
        let params: Vec<String> = usable
            .map(|param| {
                let name = &param.name;
                match &param.kind {
                    ParamKind::Choice(words) => {
                        let start = random.below(words.len());
                        let words = &words[start..=random.between(start, words.len() - 1)];
                        format!("{{ name = {name:?}, choices = {words:?} }}")
                    }
                    ParamKind::Integer { min, .. } => {
                        format!("{{ name = {name:?}, max = {} }}", min + 5)
                    }
                    _ => format!("{{ name = {name:?} }}"),
                }
            })
            .collect();
        let flags = command.flags.iter().filter(|_| random.percent(60));
        let flags = flags.map(|flag| format!("{{ name = {:?} }}", flag.name));
        let flags = flags.collect::<Vec<_>>().join(", ");
        let (id, params) = (&command.id, params.join(", "));
        text += &format!("[[command]]\nid = {id:?}\nparams = [{params}]\nflags = [{flags}]\n");
    }
    Arc::new(OwnList::parse(&text).unwrap_or_else(|mistake| panic!("{mistake}\n{text}")))
}

/// Random rules for commands and lists upon random policies: no decision becomes wider, only what they close gets
/// another one, and their order does not matter. A list closes exactly what the commands in the form that it leaves
/// do not take.
fn rules_only_narrow(cases: u32) {
    let catalogue = Catalogue::builtin().unwrap();
    let examples = catalogue.commands().flat_map(|command| {
        let lines = command.accept.iter();
        lines.map(|line| (Arc::clone(command), shell_words::split(line).unwrap()))
    });
    let examples: Vec<(Arc<Command>, Vec<String>)> = examples.collect();
    let sets = "* @v0 @v1 @v2 @v3 @reads @writes @links @tasks daily:* *:read".split(' ');
    let ids = catalogue.commands().map(|command| command.id.as_str());
    let pattern = proptest::sample::select(sets.chain(ids).collect::<Vec<_>>());
    let list = || shuffled(proptest::collection::vec(pattern.clone(), 0..4));
    let lists: Vec<Arc<OwnList>> = (0..40).map(random_list).collect();
    let own = || proptest::option::of(proptest::sample::select(lists.clone()));
    let example = proptest::sample::select(examples);
    let input = (any_restriction(), list(), list(), (own(), own()), example);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(cases));
    let outcome = runner.run(&input, |case| {
        let (layer, allow, deny, (own, other), (command, words)) = case;
        let with_rules = |allow: &[&str], deny: &[&str], lists: [&Option<Arc<OwnList>>; 2]| {
            let layers = lists.map(|list| Restriction {
                commands: Some(command_rules(allow, deny).with_list(list.clone())),
                ..Restriction::default()
            });
            with(&layer).tightened(&layers[0]).tightened(&layers[1])
        };
        let words = words[1..].iter().map(String::as_str);
        // A flag that is off is not in the call, so a list may leave it out.
        let words: Vec<&str> = words.filter(|word| !word.ends_with("=false")).collect();
        let call = Call {
            arguments: command.admit_words(&words).unwrap(),
            command,
        };
        let policy = with_rules(&allow.0, &deny.0, [&own, &other]);
        let narrow = policy.check(&call);
        let wide = with(&layer).check(&call);
        prop_assert!(severity(&narrow).0 >= severity(&wide).0);
        let form = policy.form_of(&call.command);
        // Without its flag a word may be the value of a parameter.
        let is_left = |form: &Command| {
            form.admit_words(&words)
                .is_ok_and(|left| left == call.arguments)
        };
        if form.is_some_and(|form| is_left(&form)) {
            prop_assert_eq!(&narrow, &wide);
        } else {
            prop_assert_eq!(severity(&narrow).0, 2);
        }
        let shuffled = with_rules(&allow.1, &deny.1, [&other, &own]);
        prop_assert_eq!(narrow, shuffled.check(&call));
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn a05_rules_for_commands_only_narrow_in_any_order() {
    rules_only_narrow(256);
}

#[test]
#[ignore = "a hundred thousand policies"]
fn a05_a_hundred_thousand_rules_for_commands_only_narrow() {
    rules_only_narrow(100_000);
}

/// Returns one refusal of each kind, strictest first. The contract fixes this order.
fn every_refusal() -> Vec<Rule> {
    let argument = || "path".into();
    let keys = || ["paths.deny"].into();
    let rule = ClosingRule {
        key: "commands.deny".into(),
        pattern: Some("create".into()),
        argument: None,
    };
    let command = "create".into();
    vec![
        Rule::Execute,
        Rule::Escape {
            argument: argument(),
        },
        Rule::Path {
            path: "a.md".into(),
            access: Access::Read,
            key: "paths.read",
        },
        Rule::UncheckedActiveFile { keys: keys() },
        Rule::WholeVault {
            keys: keys(),
            can_name: true,
        },
        Rule::Command { command, rule },
        Rule::Tier { needed: Tier::V2 },
        Rule::Switches {
            needed: [Switch::Mutations].into(),
        },
        Rule::MalformedPath {
            argument: argument(),
            reason: "empty".into(),
        },
        Rule::ActiveFile { can_name: true },
    ]
}

#[test]
fn a08_codes_rank_from_refused_to_usage() {
    let failure = |rule: Rule| rule.failure(Tier::V3, EffectSet::EMPTY).unwrap();
    let codes = every_refusal()
        .into_iter()
        .map(|rule| failure(rule).code.name());
    let path = "PATH_ESCAPE PATH_DENIED PATH_DENIED PATH_DENIED";
    let settings = "COMMAND_DENIED TIER_CLOSED MUTATION_DISABLED USAGE_ERROR USAGE_ERROR";
    let expected = format!("COMMAND_REFUSED {path} {settings}");
    assert_eq!(codes.collect::<Vec<_>>().join(" "), expected);
}
