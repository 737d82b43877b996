//! Rules for commands: what the owner leaves open to everyone and to one agent, on every way in
//! (`design/catalogue.md`).

use std::fmt::Write as _;

use serde_json::json;
use vault_engine::VaultPath;
use vault_gw::allowlist::{Catalogue, RawValue};
use vault_gw::frontend::tools::tools;
use vault_gw::gateway::{Caller, Envelope, Params, Request};
use vault_gw::settings::Settings;
use vault_gw::tiers::Decision;

use crate::support::{Outcome as _, Ran, World, asked, checked, code, detail, has, request};

const RULES: &str = include_str!("data/command_rules.toml");

fn world() -> World {
    let world = World::empty().set(RULES);
    world.write("Home.md", "# Home\n[[Plan]]\n");
    world.write("Plan.md", "# Plan\n");
    world
}

fn ask(world: &World, agent: &str, request: &Request) -> Envelope {
    checked(world.agent(agent).call(request))
}

#[test]
fn a05_a_rule_closes_commands_to_one_agent_and_says_which_rule_it_is() {
    let world = world();
    let create = asked("create path=New.md content=x");
    for (agent, asked, rule) in [
        ("helper", asked("read path=Home.md"), None),
        (
            "helper",
            create.clone(),
            Some("agents.helper.commands.allow"),
        ),
        (
            "helper",
            asked("base:query path=a.base"),
            Some("commands.deny"),
        ),
        (
            "diary",
            asked("read path=Home.md"),
            Some("agents.diary.commands.allow"),
        ),
        ("diary", asked("daily:append content=x"), None),
    ] {
        let envelope = ask(&world, agent, &asked);
        match rule {
            Some(rule) => {
                assert_eq!(code(&envelope), "COMMAND_DENIED", "{envelope:#?}");
                assert_eq!(detail(&envelope, "rule"), rule);
            }
            None => assert!(envelope.success, "{envelope:#?}"),
        }
    }
    assert!(!world.vault.join("New.md").exists());
    // People have the rules for everyone, and not those of an agent.
    let person = world.person();
    checked(person.call(&create)).succeeds();
    let query = asked("base:query path=a.base");
    checked(person.call(&query)).fails_with("COMMAND_DENIED");
}

#[test]
fn a05_steps_of_a_batch_are_calls_of_their_own() {
    let world = world();
    let batch = |command: &str, params: serde_json::Value| Request {
        params: Params(
            [(
                "changes".to_owned(),
                RawValue::from(json!([
                    {"command": command, "params": params},
                ])),
            )]
            .into(),
        ),
        ..Request::new("notes:change")
    };
    let params = json!({"path": "Plan.md", "content": "more"});
    ask(&world, "helper", &batch("append", params)).fails_with("COMMAND_DENIED");
    assert_eq!(world.read("Plan.md"), "# Plan\n");
}

#[test]
fn tools_and_capabilities_show_open_commands_alone() {
    let world = world();
    let catalogue = Catalogue::builtin().unwrap();
    let names = |agent: &str| -> Vec<String> {
        let gateway = world.agent(agent);
        let tools = tools(catalogue, gateway.policy());
        tools.into_iter().map(|tool| tool.name).collect()
    };
    let helper = names("helper");
    for (name, is_open) in [
        ("notes_search", true),
        ("create", false),
        ("note_edit", false),
        ("undo", true),
    ] {
        assert_eq!(
            helper.iter().any(|known| known == name),
            is_open,
            "{name}: {helper:?}"
        );
    }
    assert!(!names("diary").contains(&"notes_search".to_owned()));
    let open = ask(
        &world,
        "diary",
        &Request {
            params: Params([("open".to_owned(), RawValue::Bool(true))].into()),
            ..Request::new("capabilities")
        },
    );
    let data = serde_json::to_value(&open.data).unwrap();
    let ids: Vec<&str> = data["commands"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|command| command["id"].as_str())
        .collect();
    assert!(
        !ids.is_empty() && ids.iter().all(|id| id.starts_with("daily:")),
        "{ids:?}"
    );
}

#[test]
fn a05_an_agent_takes_back_no_run_of_a_command_that_was_closed_to_it() {
    let mut world = world();
    let append = asked("daily:append content=x");
    ask(&world, "diary", &append).succeeds();
    world.settings = world.settings.replace("\"daily:*\"", "\"daily:read\"");
    ask(&world, "diary", &Request::new("undo")).fails_with("COMMAND_DENIED");
    let person = world.person();
    checked(person.call(&Request::new("undo"))).succeeds();
}

#[test]
fn help_and_completion_leave_out_closed_commands() {
    let world = world().set("backend = \"embedded\"");
    let shown = |words: &[&str]| String::from_utf8(world.run(words).stdout).unwrap();
    for (agent, is_open) in [("helper", false), ("diary", true)] {
        let help = shown(&["--agent", agent, "help", "--all"]);
        assert_eq!(help.contains("daily:prepend"), is_open, "{help}");
        assert!(help.contains("daily:append"), "{help}");
        let line = ["vault-gw", "--agent", agent, "daily:"];
        let offers = shown(&[&["completions", "fish", "--complete", "--"], &line[..]].concat());
        assert_eq!(offers.contains("daily:prepend"), is_open, "{offers}");
        assert!(offers.contains("daily:append"), "{offers}");
    }
    let page = shown(&["help", "base:query"]);
    let why =
        "The settings do not allow `base:query`: `@bases` in `commands.deny` matches the command.";
    assert!(page.contains(why), "{page}");
    assert!(!shown(&["help", "read"]).contains("The settings do not allow"));
}

/// The recipes of `docs/policy.md`: what each opens to its agent.
#[test]
fn recipes_open_what_they_say() {
    let page = include_str!("../docs/policy.md");
    let recipes = page.split("```toml\n").skip(1);
    let mut shown = String::new();
    for recipe in recipes {
        let (settings, _) = recipe.split_once("```").unwrap();
        let settings = Settings::parse("policy.md", settings).unwrap();
        let agent = settings.agents.keys().next().unwrap().clone();
        let policy = settings.policy(Caller::Agent, Some(&agent)).unwrap();
        let of = |wanted: &[Decision]| {
            let commands = Catalogue::builtin().unwrap().commands();
            let found = commands.filter(|command| {
                wanted.contains(&policy.check_command(command, command.effects).decision)
            });
            let ids: Vec<&str> = found.map(|command| command.id.as_str()).collect();
            ids.join(" ")
        };
        let open = of(&[Decision::Allowed, Decision::Drafted]);
        let asks = of(&[Decision::Approval]);
        let paths: Vec<&str> = ["Projects/Boat/a.md", "Blog/a.md", "Public/a.md", "a.md"]
            .into_iter()
            .filter(|path| policy.may_read(&VaultPath::file(path).unwrap()))
            .collect();
        writeln!(
            shown,
            "{agent}\n  open: {open}\n  asks: {asks}\n  reads: {paths:?}"
        )
        .unwrap();
    }
    insta::assert_snapshot!("recipes", shown);
}

fn stdout_of(ran: &Ran) -> String {
    String::from_utf8(ran.stdout.clone()).unwrap()
}

/// What an agent can no longer do, it cannot do again either, nor take back with a batch that may hold it.
#[test]
fn a05_redo_and_batches_do_only_what_is_open_now() {
    let mut world =
        World::empty().set("allow_mutations = true\napprove = []\nagents.helper.tier = \"v3\"");
    world.write("Home.md", "# Home\n");
    let open = world.settings.clone();
    let append = asked("append path=Home.md content=more");
    let step = json!({ "command": "append", "params": { "path": "Home.md", "content": "step" } });
    let batch = Request {
        params: Params([("changes".to_owned(), RawValue::List(vec![step]))].into()),
        ..Request::new("notes:change")
    };
    for closed in [
        "agents.helper.commands.deny = [\"append\"]",
        "agents.helper.commands.allow = [\"read\", \"notes:change\"]",
        "commands.deny = [\"@writes\"]",
        "tier = \"v0\"",
    ] {
        let expected = if closed.starts_with("tier") {
            "TIER_CLOSED"
        } else {
            "COMMAND_DENIED"
        };
        for (made, reversed) in [(&append, "redo"), (&batch, "undo"), (&batch, "redo")] {
            world.settings.clone_from(&open);
            assert!(ask(&world, "helper", made).success, "{made:?}");
            if reversed == "redo" {
                ask(&world, "helper", &asked("undo")).succeeds();
            }
            let before = fs_err::read(world.vault.join("Home.md")).unwrap();
            world.settings = format!("{closed}\n{open}");
            let refused = ask(&world, "helper", &request(reversed, &[]));
            assert_eq!(
                code(&refused),
                expected,
                "{closed} {reversed}: {refused:#?}"
            );
            let after = fs_err::read(world.vault.join("Home.md")).unwrap();
            assert_eq!(before, after, "{closed} {reversed}");
        }
    }
}

/// Patterns and lists that are too long to check are refused when the settings are read.
#[test]
fn patterns_and_lists_of_them_are_bounded() {
    let deep = format!("{}read{}", "{".repeat(300), "}".repeat(300));
    let many = vec!["\"read\""; 201].join(", ");
    for (rules, says) in [
        (
            format!("commands.deny = [\"{deep}\"]"),
            "more than 100 bytes",
        ),
        (format!("commands.deny = [{many}]"), "at most 200 patterns"),
    ] {
        let failure = Settings::parse("settings.toml", &rules).unwrap_err();
        assert!(
            failure.to_string().contains(says),
            "{}",
            failure.to_string()
        );
    }
}

/// The owner's tests of a policy: each request with the decision that is expected, and what is printed of it.
#[test]
fn a_policy_is_tested_by_its_owner() {
    let world = world().set(
        "enabled = true\npaths.deny = [\"Private/**\"]\nagents.helper.paths.write = [\"Inbox/**\"]",
    );
    world.write("Private/Diary.md", "secret");
    let file = world.home.config().join("policy.toml");
    let tests = include_str!("data/policy_tests.toml");
    fs_err::write(&file, tests).unwrap();
    let file = file.to_str().unwrap();
    let ran = world.run(&["rules", "--test", file]);
    ran.ended(0);
    assert!(
        stdout_of(&ran).ends_with("5 of 5 as expected.\n"),
        "{ran:?}"
    );

    fs_err::write(file, tests.replace("\"allowed\"", "\"refused\"")).unwrap();
    let ran = world.run(&["rules", "--test", file]);
    ran.ended(65);
    let failed = "FAIL  line 2: helper: read path=Home.md: allowed, expected refused.";
    assert!(stdout_of(&ran).contains(failed), "{ran:?}");

    for (text, says) in [
        (
            tests.replace("\"allowed\"", "\"alowed\""),
            "`expect` must be",
        ),
        (
            tests.replace("request = \"read file", "rekwest = \"read file"),
            "unknown field",
        ),
        (
            String::new(),
            "has no tests.\nhint: Add a table for each request",
        ),
    ] {
        fs_err::write(file, text).unwrap();
        let ran = world.run(&["rules", "--test", file]);
        ran.ended(64);
        ran.reports(says);
    }
    fs_err::remove_file(file).unwrap();
    let ran = world.run(&["rules", "--test", file]);
    ran.ended(64);
    ran.reports("does not exist");
    assert!(world.nothing_spawned());
}

/// The explanation of a request names the rule with its line, and what opens it.
#[test]
fn a_request_is_explained_by_the_rule_that_decides_it() {
    let rules = "enabled = true\npaths.deny = [\"Private/**\"]\npaths.deny_tags = [\"private\"]\npaths.deny_properties = [\"secret\"]";
    let world = world().set(rules);
    world.write("Secret.md", "---\nsecret: 1\n---\n");
    world.write("Tagged.md", "#private");
    world.write("Private/Diary.md", "x");
    let lines: Vec<String> = world.settings.lines().map(str::to_owned).collect();
    let place = |key: &str| {
        let line = lines.iter().position(|line| line.starts_with(key)).unwrap() + 1;
        format!("`{key}` (settings.toml:{line})")
    };
    for (request, says) in [
        (
            "read path=Private/Diary.md",
            vec![
                "refused (PATH_DENIED)".to_owned(),
                place("paths.deny"),
                "Remove the pattern for `Private/Diary.md` from `paths.deny`.".to_owned(),
            ],
        ),
        (
            "create path=New.md",
            vec![
                "refused (COMMAND_DENIED)".to_owned(),
                place("agents.helper.commands.allow"),
                "Add `create` to `agents.helper.commands.allow`.".to_owned(),
            ],
        ),
        (
            "read path=Home.md",
            vec!["Decision:      allowed".to_owned()],
        ),
        // The agent would get the code of a missing note.
        (
            "read path=Tagged.md",
            vec![
                "refused (FILE_NOT_FOUND)".to_owned(),
                place("paths.deny_tags"),
            ],
        ),
        ("read path=Secret.md", vec![place("paths.deny_properties")]),
        (
            "read file=Diary",
            vec!["refused (FILE_NOT_FOUND)".to_owned(), place("paths.deny")],
        ),
    ] {
        let ran = world.run(&["explain", "--agent", "helper", request]);
        ran.ended(0);
        for text in says {
            assert!(stdout_of(&ran).contains(&text), "{text}: {ran:?}");
        }
        assert!(stdout_of(&ran).matches("Rule:").count() <= 1, "{ran:?}");
    }
    let missing = world.run(&["explain", "--agent", "helper", "read path=Missing.md"]);
    assert!(!stdout_of(&missing).contains("Rule:"), "{missing:?}");
    for (settings, rule) in [
        (
            "allow_mutations = false\ndrafts = \"closed\"",
            "allow_mutations",
        ),
        ("allow_mutations = true\ndrafts = \"all\"", "drafts"),
    ] {
        let world = World::empty().set("enabled = true").set(settings);
        let ran = world.run(&["explain", "--agent", "helper", "create path=New.md"]);
        let text = stdout_of(&ran);
        let rule = format!("Rule:          `{rule}` (settings.toml:");
        has(
            &text,
            &[
                "drafted",
                "Why:           Changes of this agent go into its draft",
                &rule,
            ],
        );
    }
    // The error names the rule for a person, and not for an agent.
    world.run(&["read", "Diary"]).ended(0);
    let world = world.set("paths.everyone = true");
    let person = world.run(&["read", "Diary"]);
    person.reports("PATH_DENIED");
    person.reports("The settings do not allow access to `Private/Diary.md`. See `paths.deny`.");
    let person = world.run(&["append", "path=Tagged.md", "content=x"]);
    person.reports("The settings do not allow access to `Tagged.md`. See `paths.deny_tags`.");
    for request in [vec!["read", "Diary"], vec!["read", "path=Tagged.md"]] {
        let agent = world.run(&[&["--agent", "helper"], request.as_slice()].concat());
        agent.reports("FILE_NOT_FOUND");
        assert!(!format!("{agent:?}").contains("paths.deny"), "{agent:?}");
    }
}
