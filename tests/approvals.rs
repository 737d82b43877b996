//! Approvals between processes, and `vault-gw approve`.

use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use stand_ins::{approval_draft, plan_hash};
use vault_gw::caller::Caller;
use vault_gw::code::Code;
use vault_gw::records::approvals::{Approval, Approvals};
use vault_gw::tiers::ApprovalChannel;

use crate::support::World;
#[cfg(unix)]
use crate::support::state::unless_killed;

fn approvals(state: &Path) -> Approvals {
    Approvals::open(state, None)
}

/// Asks as an agent that [`with_helper`] knows.
fn ask(world: &World, name: &str) -> String {
    ask_as(world, name, Some("helper"))
}

fn ask_as(world: &World, name: &str, agent: Option<&str>) -> String {
    let approvals = approvals(&world.state());
    let draft = Approval {
        agent: agent.map(str::to_owned),
        ..approval_draft(name)
    };
    approvals.ask(draft, Timestamp::now()).unwrap().id
}

/// A user whose settings name the agent `helper`.
fn with_helper() -> World {
    World::empty().with_tables("[agents.helper]")
}

fn redeem(world: &World, id: &str, name: &str) -> Result<(), String> {
    approvals(&world.state())
        .redeem(
            id,
            &plan_hash(name),
            &ApprovalChannel::ALL.into(),
            Timestamp::now(),
        )
        .map(drop)
        .map_err(|failure| {
            assert_eq!(failure.code, Code::ApprovalRequired);
            failure.details["reason"].as_str().unwrap().to_owned()
        })
}

#[test]
fn i14_a_person_grants_exactly_one_plan_once() {
    let world = with_helper();
    let id = ask(&world, "a");
    let listed = world.run(&["approve", "--list"]);
    listed.ended(0);
    for word in [
        &*id,
        "agent `helper`",
        "Notes",
        "delete",
        "write, destroy",
        "path=a.md",
    ] {
        listed.shows(word);
    }
    let listed = world.run(&["approve", "--list", "--json"]).json();
    assert_eq!(listed["data"]["pending"][0]["planText"], "delete a.md\n");
    assert_eq!(redeem(&world, &id, "a"), Err("pending".into()));
    let granted = world.run(&["approve", "--yes"]);
    granted.ended(0);
    assert!(
        granted.text().starts_with("Approved: `delete`"),
        "{granted:?}"
    );
    assert_eq!(redeem(&world, &id, "b"), Err("plan-changed".into()));
    assert_eq!(redeem(&world, &id, "a"), Ok(()));
    assert_eq!(redeem(&world, &id, "a"), Err("used".into()));
    let again = world.run(&["approve", &id, "--yes", "--json"]);
    again.ended(77);
    assert_eq!(again.json()["error"]["details"]["reason"], "used");
}

#[test]
fn i14_nobody_approves_without_a_terminal_nor_as_an_agent() {
    let world = with_helper();
    let id = ask(&world, "a");
    let ran = world.run_with_input(&["approve", &id], b"y\n");
    ran.ended(77);
    ran.tells("Only a person can give an approval");
    let ran = world.run(&["approve", &id, "--yes", "--agent", "helper"]);
    ran.ended(77);
    assert_eq!(redeem(&world, &id, "a"), Err("pending".into()));
}

/// The channels of the answers in the audit log.
fn channels(world: &World) -> Vec<serde_json::Value> {
    let log = fs_err::read_to_string(world.state().join("audit.jsonl")).unwrap();
    let records = log
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let answers = records.filter(|record| record["command"] == "approve");
    answers.map(|record| record["approvedBy"].clone()).collect()
}

#[test]
fn i19_the_log_names_the_channel_and_a_closed_one_approves_nothing() {
    let world = World::empty().set("approve_by = [\"terminal\", \"dialog\"]");
    let id = ask_as(&world, "a", None);
    let ran = world.run(&["approve", &id, "--yes", "--json"]);
    ran.ended(77);
    assert_eq!(ran.json()["error"]["details"]["reason"], "door-closed");
    assert_eq!(redeem(&world, &id, "a"), Err("pending".into()));
    // Saying no is open to everybody who can say yes by any channel.
    world.run(&["approve", &id, "--deny", "--yes"]).ended(0);
    assert_eq!(channels(&world), ["--yes"]);

    let world = World::empty().set("approve_by = [\"yes\"]");
    let id = ask_as(&world, "a", None);
    assert_eq!(world.run(&["approve", &id, "--yes"]).status, Some(0));
    assert_eq!(channels(&world), ["--yes"]);
    assert_eq!(redeem(&world, &id, "a"), Ok(()));
}

#[test]
fn i19_yes_on_the_command_line_is_a_channel_of_its_own() {
    for (settings, status, text) in [
        ("approve_by = [\"--yes\"]", Some(0), "new"),
        ("approve_by = [\"terminal\"]", Some(77), "old"),
    ] {
        let world = World::empty()
            .set("backend = \"embedded\"")
            .set("allow_mutations = true")
            .set(settings);
        world.write("a.md", "old");
        let words = ["--yes", "create", "path=a.md", "content=new", "overwrite"];
        let ran = world.run(&words);
        assert_eq!(
            (ran.status, &*world.read("a.md")),
            (status, text),
            "{ran:?}"
        );
        let log = fs_err::read_to_string(world.state().join("audit.jsonl")).unwrap();
        let named = log.matches("\"approvedBy\":\"--yes\"").count();
        assert_eq!(named, if status == Some(0) { 2 } else { 0 });
    }
}

#[test]
fn i19_no_channel_is_named_that_the_settings_close() {
    let call = ["delete", "path=a.md"];
    for (channels, named, not_named) in [
        ("\"terminal\"", &["at a terminal"][..], &["--yes"][..]),
        ("\"--yes\"", &["`--yes`"], &["at a terminal"]),
        ("\"dialog\"", &["dialog"], &["at a terminal", "--yes"]),
        ("", &["no way"], &["at a terminal", "--yes"]),
    ] {
        let world = World::empty()
            .set("allow_mutations = true")
            .set(&format!("approve_by = [{channels}]"));
        world.write("a.md", "a");
        let ran = world.run(&call);
        ran.ended(77);
        let id = ask_as(&world, "b", None);
        let approved = world.run(&["approve", &id]);
        approved.ended(77);
        for word in named {
            assert!(ran.stderr.contains(word), "{channels}: {ran:?}");
        }
        for word in not_named {
            assert!(!ran.stderr.contains(word), "{channels}: {ran:?}");
        }
        approved.tells_not("add `--yes`");
    }
}

#[test]
fn a_person_is_told_in_their_own_words_why_an_approval_does_not_count() {
    let world = with_helper();
    let shown = |id: &str| world.run(&["approve", id, "--yes"]).stderr;
    assert!(shown("aaaaaaaa").contains("`vault-gw approve --list` lists"));
    let id = ask(&world, "a");
    assert_eq!(world.run(&["approve", &id, "--deny"]).status, Some(0));
    let log = world.run(&["audit", "--refused"]);
    log.shows("  denied  ");
    for id in ["aaaaaaaa", "nope!", &id] {
        let stderr = shown(id);
        assert!(
            !stderr.contains("Send") && !stderr.contains("send it"),
            "{stderr}"
        );
    }
}

/// A command line has no approval to send: the same command is enough, once, and no other.
#[test]
fn i14_a_person_runs_what_was_approved_once_more() {
    let world = World::empty()
        .set("allow_mutations = true\nbackend = \"embedded\"")
        .with_tables("[agents.helper]");
    for name in ["a.md", "b.md"] {
        world.write(name, "old");
    }
    let delete = ["delete", "path=a.md"];
    let wanted = world.run(&delete);
    wanted.ended(77);
    wanted.tells("and then the same command again");
    let approved = world.run(&["approve", "--yes"]);
    approved.shows(" Run the same command again before ");
    for other in [
        &["delete", "path=b.md"][..],
        &["delete", "path=a.md", "permanent"],
        &["--agent", "helper", "delete", "path=a.md"],
    ] {
        assert_eq!(world.run(other).status, Some(77), "{other:?}");
    }
    let line = br#"{"command":"delete","params":{"path":"a.md"}}"#;
    let call = world.run_with_input(&["call"], line).json();
    assert_eq!(
        call["success"], false,
        "an agent's call is another one: {call:#}"
    );
    assert_eq!(world.run(&delete).status, Some(0));
    assert!(!world.vault.join("a.md").exists());
    assert_eq!(world.run(&["undo"]).status, Some(0));
    assert_eq!(
        world.run(&delete).status,
        Some(77),
        "an approval counts once"
    );
    // Not after the note has changed.
    let approved = world.run(&["approve", "--deny-all"]);
    approved.ended(0);
    assert_eq!(world.run(&delete).status, Some(77));
    assert_eq!(world.run(&["approve", "--yes"]).status, Some(0));
    world.write("a.md", "new");
    assert_eq!(world.run(&delete).status, Some(77));
    assert_eq!(world.read("a.md"), "new");
}

#[test]
fn the_beginning_of_an_id_names_what_waits() {
    let world = with_helper();
    let (first, second) = (ask(&world, "a"), ask(&world, "b"));
    let both = world.run(&["approve", "--yes"]);
    both.ended(64);
    for id in [&first, &second] {
        assert!(both.text().contains(id.as_str()), "{both:?}");
    }
    let begins = |length: usize| first[..length].to_owned();
    let length = (1..=8).find(|length| !second.starts_with(&begins(*length)));
    let ran = world.run(&["approve", "--yes", &begins(length.unwrap()).to_uppercase()]);
    ran.ended(0);
    ran.shows(&first);
    ran.shows(" The agent can repeat the call before ");
    assert_eq!(redeem(&world, &first, "a"), Ok(()));
}

#[test]
fn one_that_waits_needs_no_name_and_of_several_one_is_named() {
    let world = with_helper();
    let none = world.run(&["approve", "--yes"]);
    none.ended(65);
    assert!(!world.state().exists(), "asking makes nothing");
    let (first, second) = (ask(&world, "a"), ask(&world, "b"));
    let ran = world.run(&["approve", "--yes", "--json"]);
    ran.ended(64);
    let named = &ran.json()["error"]["details"]["pending"];
    assert_eq!(named.as_array().unwrap().len(), 2);
    let ran = world.run(&["approve", "--deny", &first.to_uppercase()]);
    ran.ended(0);
    assert!(ran.text().starts_with("Denied: `delete`"));
    assert_eq!(redeem(&world, &first, "a"), Err("denied".into()));
    let ran = world.run(&["approve", "--yes"]);
    ran.ended(0);
    assert_eq!(redeem(&world, &second, "b"), Ok(()));
    for wrong in ["4k7m92qx", "../approvals/x"] {
        let ran = world.run(&["approve", wrong, "--yes", "--json"]);
        ran.ended(65);
        assert_eq!(ran.json()["error"]["details"]["reason"], "unknown");
    }
    for words in [
        &["approve", "--list", "--deny"][..],
        &["approve", "--list", "x"],
    ] {
        assert_eq!(world.run(words).status, Some(64));
    }
}

#[test]
fn all_that_waits_is_denied_or_what_one_agent_asked_for_or_what_is_old() {
    let world = with_helper();
    let now = Timestamp::now();
    let approvals = approvals(&world.state());
    let ask_ago = |plan: &str, agent: Option<&str>, minutes: i64| {
        let draft = Approval {
            agent: agent.map(str::to_owned),
            ..approval_draft(plan)
        };
        let wanted = now - SignedDuration::from_mins(minutes);
        approvals.ask(draft, wanted).unwrap().id
    };
    let waiting = || {
        let listed = world.run(&["approve", "--list", "--json"]).json();
        let pending = listed["data"]["pending"].as_array().unwrap().clone();
        let mut ids: Vec<String> = pending
            .iter()
            .map(|one| one["id"].as_str().unwrap().to_owned())
            .collect();
        ids.sort();
        ids
    };
    let sorted = |ids: &[&String]| {
        let mut ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        ids.sort();
        ids
    };
    let young = ask_ago("a", Some("helper"), 1);
    let old = ask_ago("b", Some("helper"), 6);
    let other = ask_ago("c", Some("other"), 6);
    let mine = ask_ago("d", None, 3);
    let ran = world.run(&["approve", "--deny-all", "--from", "nobody"]);
    assert_eq!(ran.text(), "Denied: 0 calls.\n");
    // The list takes the same filters, and so does the choice of the one that is meant.
    let none = world.run(&["approve", "--list", "--from", "nobody"]);
    assert_eq!(none.text(), "No matching call waits for an approval.\n");
    let listed = world.run(&["approve", "--list", "--from", "other"]);
    assert_eq!(listed.text().lines().count(), 1, "{listed:?}");
    assert!(listed.text().starts_with(&other), "{listed:?}");
    let two = world.run(&["approve", "--from", "helper"]);
    two.tells("2 calls wait");
    let one = world.run(&["-j", "approve", "--from", "other"]).json();
    // It is the one that is meant, and only a person can answer it.
    assert_eq!(one["error"]["details"]["reason"], "no-terminal", "{one}");
    let old_ones = world.run(&["approve", "--list", "--older-than", "5m"]);
    assert_eq!(old_ones.text().lines().count(), 2, "{old_ones:?}");
    assert_eq!(waiting(), sorted(&[&young, &old, &other, &mine]));
    let ran = world.run_line("approve --deny-all --from helper --older-than 5m");
    assert!(
        ran.text().starts_with("Denied: 1 call.\n  `delete` ("),
        "{ran:?}"
    );
    assert_eq!(waiting(), sorted(&[&young, &other, &mine]));
    let ran = world.run(&["approve", "--deny-all", "--older-than", "2m", "--json"]);
    assert_eq!(ran.json()["data"]["denied"].as_array().unwrap().len(), 2);
    assert_eq!(waiting(), sorted(&[&young]));
    let again = ask_ago("e", None, 0);
    let ran = world.run(&["approve", "--deny-all"]);
    assert!(ran.text().starts_with("Denied: 2 calls.\n"), "{ran:?}");
    assert!(waiting().is_empty());
    for (id, plan) in [
        (&young, "a"),
        (&old, "b"),
        (&other, "c"),
        (&mine, "d"),
        (&again, "e"),
    ] {
        assert_eq!(redeem(&world, id, plan), Err("denied".into()), "{plan}");
    }
    // A person who denies their own call may type it again, and is asked again.
    for deny in ["--deny-all", "--deny"] {
        let own = Approval {
            caller: Caller::Person.name().to_owned(),
            agent: None,
            ..approval_draft("f")
        };
        let id = approvals.ask(own, Timestamp::now()).unwrap().id;
        assert_eq!(world.run(&["approve", deny]).status, Some(0));
        assert_eq!(redeem(&world, &id, "f"), Err("unknown".into()), "{deny}");
    }
    for words in [
        &["approve", "--deny-all", "x"][..],
        &["approve", "--deny-all", "--list"],
        &["approve", "--from", "helper"],
        &["approve", "--older-than", "5m"],
        &["approve", "--deny-all", "--older-than", "soon"],
        &["approve", "--deny-all", "--agent", "helper"],
    ] {
        assert_ne!(world.run(words).status, Some(0), "{words:?}");
    }
}

/// Who decides sees which program asks, by its own word, and can name it.
#[test]
fn the_program_that_asks_is_named() {
    let world = with_helper();
    let ask = |plan: &str, client: &str| {
        let draft = Approval {
            client: Some(client.to_owned()),
            ..approval_draft(plan)
        };
        let approvals = approvals(&world.state());
        approvals.ask(draft, Timestamp::now()).unwrap().id
    };
    let mine = ask("a", "MyAgent 1");
    ask("b", "MyAgents 1\u{202e}\n2");
    let listed = world.run(&["approve", "--list", "--from", "MyAgent"]);
    assert_eq!(listed.text().lines().count(), 1, "{listed:?}");
    listed.shows("(MyAgent 1)");
    let data = world
        .run(&["-j", "approve", "--list", "--from", "MyAgent 1"])
        .json();
    assert_eq!(data["data"]["pending"][0]["client"], "MyAgent 1", "{data}");
    assert_eq!(data["data"]["pending"][0]["id"], mine.as_str());
    let all = world.run(&["approve", "--list"]);
    assert_eq!(all.text().lines().count(), 2, "{all:?}");
    assert!(!all.text().contains('\u{202e}'), "{all:?}");
}

/// What is not there is not found, whoever may approve it.
#[test]
fn nothing_to_decide_is_not_found() {
    let world = World::empty().set("allow_mutations = true");
    for words in [&["approve"][..], &["approve", "nope"]] {
        let ran = world.run(words);
        assert_eq!(ran.status, Some(65), "{words:?}: {ran:?}");
        assert!(ran.stderr.starts_with("error[TARGET_NOT_FOUND]"), "{ran:?}");
        ran.tells_not("hint:");
    }
}

#[test]
fn i14_what_was_asked_too_long_ago_cannot_be_granted() {
    let world = with_helper();
    let long_ago = Timestamp::now() - SignedDuration::from_mins(11);
    let approvals = approvals(&world.state());
    let id = approvals.ask(approval_draft("a"), long_ago).unwrap().id;
    assert_eq!(world.run(&["approve", "--yes"]).status, Some(65));
    let ran = world.run(&["approve", &id, "--yes", "--json"]);
    assert_eq!(ran.json()["error"]["details"]["reason"], "expired");
}

#[test]
fn i14_of_many_processes_that_use_it_at_once_one_succeeds() {
    let world = with_helper();
    let id = ask(&world, "a");
    assert_eq!(world.run(&["approve", "--yes"]).status, Some(0));
    let children: Vec<_> = (0..6)
        .map(|_| world.stand_in_on_state("redeem", &id).spawn().unwrap())
        .collect();
    let used = children.into_iter().filter_map(|child| {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        (output.stdout == b"redeemed\n").then_some(())
    });
    assert_eq!(used.count(), 1);
}

#[cfg(unix)]
#[test]
fn h11_i14_a_process_killed_at_any_call_brings_nothing_back() {
    for step in 0..60 {
        let world = World::empty();
        let approve = world.stand_in_on_state("approve", step.to_string());
        let used = unless_killed(approve);
        // Whatever the process has left, another can ask, grant and use, once.
        let id = ask(&world, "a");
        let approvals = approvals(&world.state());
        approvals
            .grant(&id, ApprovalChannel::Terminal, Timestamp::now())
            .unwrap();
        assert_eq!(redeem(&world, &id, "a"), Ok(()), "{step}");
        assert_eq!(redeem(&world, &id, "a"), Err("used".into()), "{step}");
        if let Some(used) = used {
            assert_eq!(redeem(&world, used.trim_end(), "a"), Err("used".into()));
            assert!(step > 12, "{step} steps");
            return;
        }
    }
    panic!("the process never came to its end");
}
