//! Approvals between processes, and how `vault-gw review` answers them.

use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use stand_ins::{approval_draft, plan_hash};
use vault_gw::protocol::Caller;
use vault_gw::protocol::Code;
use vault_gw::records::approvals::{Approval, Approvals};
use vault_gw::tiers::ApprovalChannel;

#[cfg(unix)]
use crate::support::state::unless_killed;
use crate::support::{Ran, World, lacks};

const CASES: &str = include_str!("data/approvals.txt");

fn approvals(state: &Path) -> Approvals {
    Approvals::open(state, None)
}

/// The ids of the calls that wait.
fn waiting(world: &World) -> Vec<String> {
    let listed = world.run(&["review", "--list", "--json"]).json();
    let calls = listed["data"]["approvals"].as_array().unwrap().iter();
    let mut ids: Vec<String> = calls
        .map(|call| call["id"].as_str().unwrap().to_owned())
        .collect();
    ids.sort();
    ids
}

/// Accepts the only call that waits.
fn accept_what_waits(world: &World) -> Ran {
    let [id] = waiting(world).try_into().unwrap();
    world.run(&["review", "accept", &id, "--yes"])
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
    let listed = world.run(&["review", "--list"]);
    listed.ended(0);
    let words = [
        "agent `helper`",
        "Notes",
        "delete",
        "write, destroy",
        "path=a.md",
    ];
    for word in words.into_iter().chain([&*id]) {
        listed.shows(word);
    }
    let listed = world.run(&["review", "--list", "--json"]).json();
    let waiting = listed["data"]["approvals"].as_array().unwrap().len();
    assert_eq!(listed["data"]["total"], waiting);
    assert_eq!(listed["data"]["approvals"][0]["planText"], "delete a.md\n");
    assert_eq!(redeem(&world, &id, "a"), Err("pending".into()));
    let dry = world.run(&["review", "accept", &id, "--dry-run"]);
    dry.shows("delete a.md");
    assert_eq!(redeem(&world, &id, "a"), Err("pending".into()));
    let granted = world.run(&["review", "accept", &id, "--yes"]);
    granted.ended(0);
    granted.shows("Approved: `delete`");
    assert_eq!(redeem(&world, &id, "b"), Err("plan-changed".into()));
    assert_eq!(redeem(&world, &id, "a"), Ok(()));
    assert_eq!(redeem(&world, &id, "a"), Err("used".into()));
    let again = world.run(&["review", "accept", &id, "--yes", "--json"]);
    again.ended(77);
    assert_eq!(again.json()["error"]["details"]["reason"], "used");
}

/// The person sees which links a deletion leaves without their note or redirects, and an agent's path rules close none of its own.
#[test]
fn the_question_about_a_deletion_names_the_links_that_will_be_dead_or_lead_elsewhere() {
    let world = World::empty()
        .set("allow_mutations = true\nbackend = \"embedded\"")
        .with_tables("[paths]\ndeny = [\"Private/**\"]\n[agents.helper]");
    for [path, text] in tables::section(CASES, "the question about a deletion names") {
        world.write(path, text);
    }
    let refused = world.run(&["--agent", "helper", "delete", "path=a.md"]);
    refused.ended(77);
    assert!(!refused.stderr.contains("dead"), "{refused:?}");
    let listed = world.run(&["review", "--list", "--json"]).json();
    let text = listed["data"]["approvals"][0]["planText"].as_str().unwrap();
    let links = text.lines().filter(|line| line.starts_with("links"));
    let dead = "links to a.md will be dead in e/f.md";
    let elsewhere = "links to a.md will lead to e/a.md in b.md, c.md";
    assert_eq!(links.collect::<Vec<_>>(), [dead, elsewhere]);
}

#[test]
fn i14_nobody_approves_without_a_terminal_nor_as_an_agent() {
    let world = with_helper();
    let id = ask(&world, "a");
    let ran = world.run_with_input(&["review", "accept", &id], b"y\n");
    ran.ended(77);
    ran.reports("Only a person can give an approval");
    let by_agent = ["review", "accept", &id, "--yes", "--agent", "helper"];
    world.run(&by_agent).ended(77);
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
    let ran = world.run(&["review", "accept", &id, "--yes", "--json"]);
    ran.ended(77);
    assert_eq!(ran.json()["error"]["details"]["reason"], "door-closed");
    assert_eq!(redeem(&world, &id, "a"), Err("pending".into()));
    // Saying no is open to everybody who can say yes by any channel.
    world.run(&["review", "reject", &id, "--yes"]).ended(0);
    assert_eq!(channels(&world), ["--yes"]);

    let world = World::empty().set("approve_by = [\"yes\"]");
    let id = ask_as(&world, "a", None);
    world.run(&["review", "accept", &id, "--yes"]).ended(0);
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
            .set("allow_mutations = true\nbackend = \"embedded\"")
            .set(settings);
        world.write("a.md", "old");
        let words = ["--yes", "create", "path=a.md", "content=new", "overwrite"];
        let ran = world.run(&words);
        assert_eq!(ran.status, status, "{ran:?}");
        assert_eq!(world.read("a.md"), text);
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
        ("", &["nobody can approve it"], &["at a terminal", "--yes"]),
    ] {
        let world = World::empty()
            .set("allow_mutations = true")
            .set(&format!("approve_by = [{channels}]"));
        world.write("a.md", "a");
        let ran = world.run(&call);
        ran.ended(77);
        let id = ask_as(&world, "b", None);
        let approved = world.run(&["review", "accept", &id]);
        approved.ended(77);
        for word in named {
            ran.reports(word);
        }
        for word in not_named {
            ran.omits(word);
        }
        approved.omits("add `--yes`");
    }
}

#[test]
fn a_person_learns_in_their_own_words_why_an_approval_does_not_count() {
    let world = with_helper();
    let shown = |id: &str| world.run(&["review", "accept", id, "--yes"]).stderr;
    assert!(shown("aaaaaaaa").contains("`vault-gw review` lists the drafts and the waiting calls"));
    let id = ask(&world, "a");
    world.run(&["review", "reject", &id]).ended(0);
    world.run(&["audit", "--refused"]).shows("  denied  ");
    for id in ["aaaaaaaa", "nope!", &id] {
        let stderr = shown(id);
        lacks(&stderr, &["Send", "send it"]);
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
    wanted.reports("and then the same command again");
    accept_what_waits(&world).shows(" Run the same command again before ");
    for other in [
        &["delete", "path=b.md"][..],
        &["delete", "path=a.md", "permanent"],
        &["--agent", "helper", "delete", "path=a.md"],
    ] {
        assert_eq!(world.run(other).status, Some(77), "{other:?}");
    }
    let line = br#"{"command":"delete","params":{"path":"a.md"}}"#;
    let call = world.run_with_input(&["call"], line).json();
    // An agent's call is another one.
    assert_eq!(call["success"], false, "{call:#}");
    world.run(&delete).ended(0);
    assert!(!world.vault.join("a.md").exists());
    world.run(&["undo"]).ended(0);
    // An approval counts once.
    world.run(&delete).ended(77);
    // Not after the note has changed.
    world.run(&["review", "reject-calls"]).ended(0);
    world.run(&delete).ended(77);
    accept_what_waits(&world).ended(0);
    world.write("a.md", "new");
    world.run(&delete).ended(77);
    assert_eq!(world.read("a.md"), "new");
}

#[test]
fn the_beginning_of_an_id_names_what_waits() {
    let world = with_helper();
    let (first, second) = (ask(&world, "a"), ask(&world, "b"));
    let begins = |length: usize| first[..length].to_owned();
    let length = (1..=8).find(|length| !second.starts_with(&begins(*length)));
    let typed = begins(length.unwrap()).to_uppercase();
    let ran = world.run(&["review", "accept", "--yes", &typed]);
    ran.ended(0);
    ran.shows(&first);
    ran.shows(" The agent can repeat the call before ");
    assert_eq!(redeem(&world, &first, "a"), Ok(()));
    let ran = world.run(&["review", "reject", &second.to_uppercase()]);
    ran.ended(0);
    assert!(ran.text().starts_with("Denied: `delete`"));
    assert_eq!(redeem(&world, &second, "b"), Err("denied".into()));
    // Ids have 32 first characters, so two of 33 calls share one.
    let many: Vec<String> = (0..33)
        .map(|one| ask_as(&world, &one.to_string(), Some(&one.to_string())))
        .collect();
    let first_letter = |id: &String| id[..1].to_owned();
    let twice = many.iter().map(first_letter).find(|letter| {
        many.iter()
            .filter(|id| id.starts_with(letter.as_str()))
            .count()
            > 1
    });
    let ran = world.run(&["review", "accept", &twice.unwrap(), "--yes", "--json"]);
    ran.ended(64);
    let named = &ran.json()["error"]["details"]["pending"];
    assert!(named.as_array().unwrap().len() > 1, "{named}");
}

#[test]
fn all_calls_that_wait_are_denied_or_those_of_one_agent() {
    let world = with_helper();
    let approvals = approvals(&world.state());
    let helper = ask(&world, "a");
    let other = ask_as(&world, "c", Some("other"));
    let mine = ask_as(&world, "d", None);
    let ran = world.run(&["review", "reject-calls", "--from", "nobody"]);
    assert_eq!(ran.text(), "Denied: 0 calls.\n");
    // The list takes the same filter.
    let listed = world.run(&["review", "--list", "--from", "other"]);
    listed.shows(&other);
    listed.shows_not(&helper);
    let ran = world.run(&["review", "reject-calls", "--from", "helper"]);
    ran.shows("Denied: 1 call.\n  `delete` (");
    let mut left = vec![other.clone(), mine.clone()];
    left.sort();
    assert_eq!(waiting(&world), left);
    let ran = world.run(&["review", "reject-calls", "--dry-run"]);
    assert!(ran.text().starts_with("Would deny: 2 calls.\n"), "{ran:?}");
    assert_eq!(waiting(&world), left);
    let ran = world.run(&["review", "reject-calls", "--json"]);
    assert_eq!(ran.json()["data"]["denied"].as_array().unwrap().len(), 2);
    assert!(waiting(&world).is_empty());
    for (id, plan) in [(&helper, "a"), (&other, "c"), (&mine, "d")] {
        assert_eq!(redeem(&world, id, plan), Err("denied".into()), "{plan}");
    }
    // A person who denies their own call may type it again, and is asked again.
    let own = || {
        let own = Approval {
            caller: Caller::Person.name().to_owned(),
            agent: None,
            ..approval_draft("f")
        };
        approvals.ask(own, Timestamp::now()).unwrap().id
    };
    for all in [true, false] {
        let id = own();
        let words = if all {
            vec!["review", "reject-calls"]
        } else {
            vec!["review", "reject", &id]
        };
        world.run(&words).ended(0);
        assert_eq!(redeem(&world, &id, "f"), Err("unknown".into()), "{words:?}");
    }
    let waits = ask(&world, "e");
    for words in [
        &["review", "--from", "helper"][..],
        &["review", "reject-calls", "x"],
        &["review", "reject-calls", "--agent", "helper"],
        &["review", "reject", &waits, "--comment", "no"],
    ] {
        assert_ne!(world.run(words).status, Some(0), "{words:?}");
    }
    assert_eq!(waiting(&world), [waits]);
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
    let listed = world.run(&["review", "--list", "--from", "MyAgent"]);
    listed.shows("(MyAgent 1)");
    listed.shows_not("(MyAgents 1");
    let data = world
        .run(&["-j", "review", "--list", "--from", "MyAgent 1"])
        .json();
    assert_eq!(data["data"]["approvals"][0]["client"], "MyAgent 1");
    assert_eq!(data["data"]["approvals"][0]["id"], mine.as_str());
    let all = world.run(&["review", "--list"]);
    all.shows("(MyAgents 1");
    assert!(!all.text().contains('\u{202e}'), "{all:?}");
}

/// A call takes no options of drafts, and a yes can be taken back until the call has run.
#[test]
fn a_call_takes_no_options_of_drafts_and_a_yes_is_taken_back() {
    let world = with_helper();
    let id = ask(&world, "a");
    for (words, option) in [
        (&["reject", &id, "--comment", "no"][..], "--comment"),
        (&["accept", &id, "--yes", "--note", "a.md"], "--note"),
        (&["accept", &id, "--yes", "--clear-label"], "--clear-label"),
    ] {
        let ran = world.run(&[&["review"], words].concat());
        ran.ended(64);
        ran.reports(&format!("`{option}` works only for drafts"));
    }
    for words in [
        &["reject", &id, "--clear-label"][..],
        &["--web", "--from", "helper"],
        &["--follow", "--from", "helper"],
    ] {
        world.run(&[&["review"], words].concat()).ended(64);
    }
    assert_eq!(redeem(&world, &id, "a"), Err("pending".into()));
    world.run(&["review", "accept", &id, "--yes"]).ended(0);
    world.run(&["review", "reject", &id]).ended(0);
    assert_eq!(redeem(&world, &id, "a"), Err("denied".into()));
}

/// What is not there is not found, whoever may approve it.
#[test]
fn nothing_to_decide_is_not_found() {
    let world = World::empty().set("allow_mutations = true");
    for id in ["4k7m92qx", "abcdef", "../approvals/x"] {
        let ran = world.run(&["review", "accept", id, "--yes"]);
        ran.ended(65);
        ran.reports("`vault-gw review` lists the drafts and the waiting calls");
    }
}

#[test]
fn i14_what_was_asked_too_long_ago_cannot_be_granted() {
    let world = with_helper();
    let long_ago = Timestamp::now() - SignedDuration::from_mins(11);
    let approvals = approvals(&world.state());
    let id = approvals.ask(approval_draft("a"), long_ago).unwrap().id;
    assert!(waiting(&world).is_empty());
    let ran = world.run(&["review", "accept", &id, "--yes", "--json"]);
    assert_eq!(ran.json()["error"]["details"]["reason"], "expired");
}

#[test]
fn i14_of_many_processes_that_use_it_at_once_one_succeeds() {
    let world = with_helper();
    let id = ask(&world, "a");
    accept_what_waits(&world).ended(0);
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
