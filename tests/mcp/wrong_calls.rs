//! Wrong calls and what is said of them: every fault that can be known at once, what to send instead from the
//! call's own values, and nothing that looks right and is not. The tables are by rule; the texts are in the snapshots.

use serde_json::json;

use super::client::{Client, Row};
use crate::support::{World, has};

const CASES: &str = include_str!("../data/mcp_wrong_calls.txt");

const PLAN: &str = "---\nstatus: draft\ndue: 2026-09-01\ntopics:\n  - sea\n---\n# Plan\n\nSail at dawn.\n\n## Notes\n\nOne.\n\n### Notes\n\n- [ ] Paint 📅 2026-03-01\n\nTwo.\n";

fn world() -> World {
    world_with("allow_mutations = true")
}

/// The vault of these tables under this setting.
fn world_with(setting: &str) -> World {
    let world = World::empty().set(&format!("{setting}\nbackend = \"embedded\""));
    world.write("Work/Launch plan.md", PLAN);
    world.write(
        "Work/Budget.md",
        "---\nstatus: final\n---\n# Budget\n\nThe venue.\n",
    );
    world.write(
        "Work/Plain.md",
        "---\naliases: The big plan\n---\nNo heading.",
    );
    world.write("Templates/Meeting.md", "# {{title}}");
    // The same name each day, for the snapshots.
    world.write(".obsidian/daily-notes.json", "{\"format\":\"[Today]\"}");
    world.write(".obsidian/templates.json", "{\"folder\":\"Templates\"}");
    world.write("Plugins/Workspaces.md", "Windows.");
    world.write("Interface/Workspace.md", "Panes.");
    world.write("Interface/Hotkeys.md", "Keys.");
    world.write(
        "Work/Projects.base",
        "views:\n  - type: table\n    name: All work\n  - type: table\n    name: Drafts\n",
    );
    world.write(
        "Work/Broken.base",
        "filters:\n  and:\n    - file.hasTagg(\"sea\")\n",
    );
    world
}

/// The rows of a table, with `NOTE` for [`NOTE`].
fn rows(table: &str) -> Vec<Row> {
    super::client::rows(&table.replace("NOTE", NOTE))
}

/// Returns the calls of a section and their answers, as a model reads them.
fn answers(section: &str) -> String {
    answers_in(&world(), tables::text(CASES, section))
}

/// Returns these calls and their answers in a world, as a model reads them.
fn answers_in(world: &World, calls: &str) -> String {
    let mut client = Client::open(world, &[]);
    let mut all = String::new();
    for row in rows(calls) {
        let result = client.call(&row.tool, &row.arguments);
        let kind = if result["isError"] == true {
            "error"
        } else {
            "answer"
        };
        all += &format!("{} {}\n  {kind}\n", row.tool, row.arguments);
        for block in result["content"].as_array().unwrap() {
            let run = &result["structuredContent"]["meta"]["run"];
            let text = block["text"].as_str().unwrap_or_default();
            let text = text.replace(run.as_str().unwrap_or("no run"), "RUN");
            for line in text.lines().filter(|line| !line.trim().is_empty()) {
                all += &format!("  > {line}\n");
            }
        }
    }
    all
}

const NOTE: &str = "Work/Launch plan.md";

/// With a draft, a wrong or repeated write gets the same help as a read, and what the draft itself did is named.
#[test]
fn a_write_into_the_draft_gets_the_next_call() {
    let world = world_with("drafts = \"closed\"");
    insta::assert_snapshot!(answers_in(
        &world,
        tables::text(CASES, "a write into the draft gets the next")
    ));
}

/// A name, a place or a parameter that other programs take gets the call that does it here.
#[test]
fn what_other_programs_take_gets_the_call_for_it() {
    insta::assert_snapshot!(answers("what other programs take gets the call"));
}

/// A file that is not valid is refused for that, not for what a valid one could contain.
#[test]
fn a_file_that_is_not_valid_is_refused_as_such() {
    insta::assert_snapshot!(answers("a file that is not valid is refused"));
}

/// A bound of a search is a day, a word for one, or a span before now.
#[test]
fn a_search_takes_every_form_of_a_day() {
    let world = World::empty().set("backend = \"embedded\"");
    world.write("New.md", "---\ndate: 2999-01-01\n---\nSail.");
    world.write("Old.md", "---\ndate: 1999-01-01\n---\nSail.");
    let mut client = Client::open(&world, &[]);
    for since in ["2026-01-01", "2026-01-01T09:30", "yesterday", "7d"] {
        for tool in ["notes_search", "notes_list", "notes_context"] {
            let mut arguments = json!({ "since": since });
            if tool != "notes_list" {
                arguments["query"] = json!("sail");
            }
            let text = client.call(tool, &arguments)["content"][0]["text"].to_string();
            assert!(
                text.contains("New.md") && !text.contains("Old.md"),
                "{tool} {since}: {text}"
            );
        }
    }
}

/// What looks right and is not: refused where it contradicts itself, else warned of.
#[test]
fn nothing_that_looks_right_is_wrong() {
    insta::assert_snapshot!(answers("nothing that looks right is wrong"));
}

/// The form and what is not there are told together, each once.
#[test]
fn every_fault_of_a_call_is_reported_at_once() {
    insta::assert_snapshot!(answers("every fault of a call is reported"));
}

/// A name that is not taken is told what it means, in the words of the client.
#[test]
fn a_wrong_name_is_answered_with_the_name_that_is_meant() {
    insta::assert_snapshot!(answers("a wrong name is answered with the name"));
}

/// What is there under another name or of another kind is named.
#[test]
fn what_is_elsewhere_or_another_thing_is_named() {
    insta::assert_snapshot!(answers("what is elsewhere or another thing"));
}

/// The next call can be made from the answer alone.
#[test]
fn the_answer_has_the_values_of_the_next_call() {
    insta::assert_snapshot!(answers("the answer has the values of the next"));
}

/// A hint names only commands that the caller can call.
#[test]
fn no_hint_names_a_closed_command() {
    for [denied, row] in tables::section(CASES, "no hint names a closed command") {
        for is_open in [true, false] {
            let world = world();
            let world = if is_open {
                world
            } else {
                world.set(&format!("commands.deny = [\"{denied}\"]"))
            };
            let row = &rows(row)[0];
            let answer = Client::open(&world, &[]).call(&row.tool, &row.arguments);
            let names = answer.to_string().contains(&row.says[0]);
            assert_eq!(names, is_open, "{row:?}: {answer}");
        }
    }
}

/// The name of a command that has no tool is answered with the call of the generic tool.
#[test]
fn a_command_that_is_no_tool_is_named_with_its_parameters() {
    let mut client = Client::open(&world().set("commands.deny = [\"aliases\"]"), &[]);
    let mut message = |tool: &str| {
        let answer = client.ask("tools/call", &json!({ "name": tool, "arguments": {} }));
        answer["error"]["message"].as_str().unwrap().to_owned()
    };
    let generic = |id: &str, params: &str| {
        format!(
            "unknown tool; call `obsidianCli` with the `command` `{id}` and the `params` `{params}`"
        )
    };
    let remove = generic("property:remove", "{name: name, file?: name, path?: path}");
    assert_eq!(message("property_remove"), remove);
    assert_eq!(message("property:remove"), remove);
    let draft = generic("draft:withdraw", "{path?, hunk?, all?}");
    assert_eq!(message("draft_withdraw"), draft);
    // The call is refused with the reason, and a similar name is not suggested.
    assert!(message("aliases").contains("the `command` `aliases`"));
    assert!(!message("get_aliases").contains("`aliases`"));
}

/// What a client is told of each call: the words of a correct next one, and of a wrong one not a word that misleads.
#[test]
fn the_next_call_can_be_right() {
    let world = world();
    world.write("Other/Budget.md", "Other. #project/sea\n");
    world.write("Work/logo.png", "x");
    world.write(
        "Work/Fault.base",
        "filters: status == = \"a\"\nviews:\n  - type: table\n    name: All\n",
    );
    world.write(
        "Work/Faults.base",
        "filters:\n  and:\n    - inFoldr(\"a\")\n    - file.hasTagg(\"sea\")\n",
    );
    let mut client = Client::open(&world, &[]);
    for row in rows(tables::text(CASES, "the next call can be right")) {
        row.check(&mut client);
    }
}

/// If only the app or a person can answer a command, the refusal names another call before a setting. It never names a
/// setting that would end the review of the agent's changes.
#[test]
fn a_closed_command_names_the_call_that_works() {
    let app = "Only the running app can answer";
    let drafting = "drafts = \"closed\"\nallow_ui = false";
    let writing = &format!("{drafting}\nallow_mutations = true\nallow_active = false");
    let all = "drafts = \"all\"";
    for (setting, table) in [
        (
            drafting,
            r#"
command daily {} => APP `daily`. To read today's note, use `daily_read`. To write into it, use `daily_append`. | !allow_mutations = | !owner
command open {"path": "NOTE"} => APP `open`. To read the file, use `read`. | `allow_ui = true`
command search:open {"query": "sail"} => APP | To search, use `obsidianCli` (`command`: `search`)
command daily:append {"content": "x", "open": true} => Omit the arguments that show something in the app | !owner
append {"path": "NOTE", "content": "x"} => Drafted | !withdraw
"#,
        ),
        (
            all,
            "command daily {} => APP `daily`. | use `daily_read` | !owner",
        ),
        (
            writing,
            r#"
command daily {} => APP `daily`. | `daily_append` | `allow_ui = true`
create {"path": "Dash.md", "content": "```dataviewjs\nx\n```"} => To change the note again, first use `obsidianCli` (`command`: `draft:withdraw`)
create {"path": "Dash.md", "content": "x"} => withdraw them with `obsidianCli` (`command`: `draft:withdraw`) and `{"path":"Dash.md"}`
command draft:withdraw {"path": "Dash.md"} => "waiting":0
create {"path": "Dash.md", "content": "x"} => Created
"#,
        ),
    ] {
        let world = world_with(setting);
        let mut client = Client::open(&world, &[]);
        for row in rows(&table.replace("APP", app)) {
            row.check(&mut client);
        }
    }
}

/// A refusal names the rule that decides, and the setting of it.
#[test]
fn a_path_rule_is_named_as_what_it_is() {
    let world = World::empty()
        .set("allow_mutations = true\nbackend = \"embedded\"")
        .with_tables("[paths]\ndeny = [\"Private/**\"]");
    world.write("Private/Diary.md", "x #sea");
    let mut client = Client::open(&world, &[]);
    for row in rows(
        r#"
read {"path": "Private/Diary.md"} => not allow reading `Private/Diary.md`: a rule in `paths.deny` matches it.
command tag:rename {"tag": "sea", "to": "lake"}
    => To add the new tag to one note, use `tag_add`. | `tag:drop` | "needs":["paths.deny"]
"#,
    ) {
        row.check(&mut client);
    }
}

/// A wrong call that is closed too is told so, as no correction opens it.
#[test]
fn a_wrong_call_is_answered_as_closed() {
    let world = World::empty().set("backend = \"embedded\"");
    world.write(NOTE, PLAN);
    let mut client = Client::open(&world, &[]);
    let result = client.call("create", &json!({ "path": "New.md", "dry_run": true }));
    let text = result["content"].to_string();
    for says in [
        "`dryRun`",
        "The settings do not allow that.",
        "The owner of the vault can allow the call with `allow_mutations = true` in the settings.",
    ] {
        assert!(text.contains(says), "{text}");
    }
    let read = client.call("read", &json!({ "path": NOTE, "offset": "x" }));
    assert!(!read["content"].to_string().contains("do not allow"));
}

/// A call that is wrong in its form is told nothing of what is closed: neither that it is there nor its name.
#[test]
fn d13_faults_of_the_vault_are_reported_as_far_as_the_caller_may_see() {
    let world = World::empty()
        .set("allow_mutations = true\nbackend = \"embedded\"")
        .with_tables("[paths]\nread = [\"Work/**\"]\nwrite = [\"Work/**\"]");
    world.write("Work/Open.md", "Open.");
    world.write("Secret/Hidden.md", "Hidden.");
    let mut client = Client::open(&world, &[]);
    for row in rows(tables::text(CASES, "d13 faults of the vault are reported")) {
        let there = client.call(&row.tool, &row.arguments)["content"].to_string();
        let is_not = row.arguments.to_string();
        let is_not = is_not
            .replace("Hidden", "Hiddem")
            .replace("Secret\"", "Secrem\"");
        let not =
            client.call(&row.tool, &serde_json::from_str(&is_not).unwrap())["content"].to_string();
        let same = not.replace("Hiddem", "Hidden").replace("Secrem", "Secret");
        assert_eq!(there, same, "{row:?}");
    }
}

#[test]
fn k04_a_model_reads_what_to_write_instead() {
    let world = world();
    let mut client = Client::open(&world, &[]);
    let image = json!({ "path": "Work/Budget.md", "content": "![](https://example.org/a.png)" });
    let result = client.call("append", &image);
    assert_eq!(super::client::code(&result), "ACTIVE_CONTENT");
    let text = super::client::text(&result);
    has(&text, &["Line 8", "plain link"]);
}
