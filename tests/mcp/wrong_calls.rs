//! Wrong calls and what is said of them: every fault that can be known at once, what to send instead from the
//! call's own values, and nothing that looks right and is not. The tables are by rule; the texts are in the snapshots.

use serde_json::{Value, json};

use super::client::Client;
use crate::support::World;

const PLAN: &str = "---\nstatus: draft\ndue: 2026-09-01\ntopics:\n  - sea\n---\n# Plan\n\nSail at dawn.\n\n## Notes\n\nOne.\n\n### Notes\n\n- [ ] Paint 📅 2026-03-01\n\nTwo.\n";

fn world() -> World {
    let world = World::empty()
        .set("backend = \"embedded\"")
        .set("allow_mutations = true");
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

/// What a model reads of each call.
fn told(calls: &[(&str, Value)]) -> String {
    let world = world();
    let mut client = Client::open(&world, &[]);
    let mut all = String::new();
    for (tool, arguments) in calls {
        let result = client.call(tool, arguments);
        let kind = if result["isError"] == true {
            "error"
        } else {
            "answer"
        };
        all += &format!("{tool} {arguments}\n  {kind}\n");
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

fn by_command(command: &str, params: &Value) -> (&'static str, Value) {
    (
        "obsidianCli",
        json!({ "command": command, "params": params }),
    )
}

const NOTE: &str = "Work/Launch plan.md";

/// A name, a place or a parameter that other programs take gets the call that does it here.
#[test]
fn what_other_programs_take_gets_the_call_for_it() {
    let edit = |edit: Value| {
        (
            "note_edit",
            json!({ "path": "Work/Plain.md", "edits": [edit] }),
        )
    };
    insta::assert_snapshot!(told(&[
        ("read", json!({ "file": "The big plan" })),
        (
            "daily_append",
            json!({ "content": "x", "heading": "Notes" })
        ),
        ("daily_read", json!({ "path": "Log/2026-04-09.md" })),
        by_command(
            "daily:prepend",
            &json!({ "date": "2026-04-09", "content": "x" })
        ),
        by_command(
            "periodic:read",
            &json!({ "period": "daily", "date": "2026-04-09" })
        ),
        ("tasks", json!({ "folder": "Work" })),
        ("tasks", json!({ "tag": "#sea" })),
        ("tasks", json!({ "status": "[x]" })),
        ("read", json!({ "path": NOTE, "view_range": [1, 10] })),
        ("read", json!({ "path": "The big plan" })),
        ("create", json!({ "path": "Work/", "content": "x" })),
        (
            "create",
            json!({ "folder": "Work", "name": "Tides", "content": "x" })
        ),
        ("tag_add", json!({ "path": NOTE, "tags": ["a", "b"] })),
        (
            "notes_search",
            json!({ "query": "sail", "since": "2020-01-01" })
        ),
        by_command("daily:path", &json!({ "date": "2026-04-09" })),
        by_command("task", &json!({ "path": NOTE, "done": true })),
        (
            "create",
            json!({ "name": "A", "content": "x", "tags": ["a"] })
        ),
        (
            "create",
            json!({ "name": "A", "template": "Templates/Meetings.md", "dryRun": true })
        ),
        ("move", json!({ "path": "Work", "to": "Play" })),
        ("tag_add", json!({ "folder": "Work", "tag": "sea" })),
        ("tag_add", json!({ "path": NOTE, "tag": "a,b" })),
        ("tag_add", json!({ "path": NOTE, "tag": "##sea" })),
        ("notes_context", json!({ "query": "sail", "limit": 5 })),
        ("notes_list", json!({ "sort": "modified" })),
        ("notes_list", json!({ "path_prefix": "Work" })),
        ("notes_read", json!({ "notes": [format!("{NOTE}:7-9")] })),
        (
            "notes_read",
            json!({ "notes": [{ "path": NOTE, "heading": "^id" }] })
        ),
        ("append", json!({ "path": "Work/New.md", "content": "x" })),
        (
            "append",
            json!({ "path": NOTE, "content": "x", "position": "top" })
        ),
        (
            "property_set",
            json!({ "path": NOTE, "properties": { "status": "done" } })
        ),
        edit(json!({ "heading": "Nowhere", "mode": "append", "content": "x" })),
        edit(json!({ "old": "", "new": "x" })),
        by_command("property:get", &json!({ "path": NOTE, "name": "status" })),
        by_command(
            "notes:change",
            &json!({ "changes": { "path": NOTE, "edits": [] } })
        ),
        by_command("bookmark", &json!({ "path": NOTE })),
        (
            "obsidianCli",
            json!({ "command": "read", "params": { "path": NOTE }, "dry_run": true })
        ),
    ]));
}

/// A file that is not valid is refused for that, not for what a valid one could contain.
#[test]
fn a_file_that_is_not_valid_is_refused_as_such() {
    insta::assert_snapshot!(told(&[
        (
            "create",
            json!({ "path": "Work/New.base", "content": "views: [" })
        ),
        (
            "create",
            json!({ "path": "Work/New.canvas", "content": "{\"nodes\":[" })
        ),
    ]));
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
    insta::assert_snapshot!(told(&[
        ("notes_list", json!({ "value": "draft" })),
        ("notes_list", json!({ "tags": "a", "match": "any" })),
        by_command("notes:list", &json!({ "match": "any" })),
        by_command(
            "notes:search",
            &json!({ "query": "sail", "value": "draft" })
        ),
        ("tasks", json!({ "path": NOTE, "done": true, "todo": true })),
        ("tasks", json!({ "done": true, "overdue": true })),
        (
            "notes_search",
            json!({ "query": "sail", "since": "2026-05-01", "until": "2026-01-01" })
        ),
        by_command(
            "tasks",
            &json!({ "due-before": "2026-01-01", "due-after": "2026-05-01" })
        ),
        (
            "notes_list",
            json!({ "property": "status", "value": "drafts" })
        ),
        (
            "notes_list",
            json!({ "property": "Status", "value": "draft", "properties": "status" })
        ),
        (
            "notes_list",
            json!({ "property": "topics", "value": "see" })
        ),
        ("notes_list", json!({ "folder": NOTE })),
        (
            "property_set",
            json!({ "path": NOTE, "name": "Status", "value": "final" })
        ),
        (
            "property_set",
            json!({ "path": NOTE, "name": "due", "value": "2026-13-45" })
        ),
        (
            "property_set",
            json!({ "path": NOTE, "name": "due", "value": "2026-10-01" })
        ),
        ("move", json!({ "path": NOTE, "to": "Work" })),
        by_command("rename", &json!({ "path": NOTE, "name": "Launch plan" })),
        ("notes_read", json!({ "notes": ["Work/Lauch plan.md"] })),
        (
            "notes_read",
            json!({ "notes": [{ "path": NOTE, "heading": "Nots" }] })
        ),
        (
            "notes_read",
            json!({ "notes": ["Work/Lauch plan.md", "Plugins/Workspaces.md"] })
        ),
        by_command("base:query", &json!({ "path": "Work/Broken.base" })),
    ]));
}

/// The form and what is not there are told together, each once.
#[test]
fn every_fault_of_a_call_is_told_at_once() {
    insta::assert_snapshot!(told(&[
        (
            "read",
            json!({ "path": "Work/Launch plan", "offset": "start" })
        ),
        (
            "append",
            json!({ "path": "Work/Lunch plan.md", "content": "x", "ifHash": "abc", "dryRun": "yes" })
        ),
        (
            "notes_search",
            json!({ "query": "sail", "since": "01/02/2026", "limit": 0, "folder": "Wrok" })
        ),
        (
            "tasks",
            json!({ "file": "Lunch plan", "due-before": "next Friday" })
        ),
        (
            "notes_list",
            json!({ "since": "2026/3/5", "until": "soon" })
        ),
        by_command(
            "periodic:path",
            &json!({ "period": "week", "date": "14.3.2026" })
        ),
        by_command(
            "base:query",
            &json!({ "base": "Projects", "view": "draft" })
        ),
        (
            "notes_read",
            json!({ "notes": [{ "file": "Launch plan", "lines": [10, 20] }, { "path": NOTE, "lines": "9-7" }] })
        ),
        (
            "note_edit",
            json!({ "path": NOTE, "edits": [{ "heading": "Notes", "action": "append", "text": "x" }] })
        ),
        (
            "note_edit",
            json!({ "path": NOTE, "edits": [{ "find": "One", "replace": 2 }, { "range": "3", "zebra": 1 }] })
        ),
        (
            "note_edit",
            json!({ "path": NOTE, "edits": [{ "lines": "8-9", "first": "Sail at dawn.", "content": "x" }] })
        ),
        (
            "note_edit",
            json!({ "path": NOTE, "edits": [{ "lines": "9-11", "first": "Sail at dawn.", "content": "x" }] })
        ),
        (
            "note_edit",
            json!({ "path": NOTE, "edits": [{ "lines": "9-10", "first": "Sail at dawn.", "last": "", "content": "x" }] })
        ),
        ("create", json!({ "path": "Work/A: b?.md", "content": "x" })),
    ]));
}

/// A name that is not taken is told what it means, in the words of the client.
#[test]
fn a_wrong_name_is_told_what_is_meant() {
    insta::assert_snapshot!(told(&[
        (
            "read",
            json!({ "filename": "Launch plan", "lines": "10-14" })
        ),
        ("read", json!({ "path": NOTE, "block": "x" })),
        ("notes_search", json!({ "q": "sail" })),
        ("notes_read", json!({ "paths": [NOTE] })),
        (
            "notes_read",
            json!({ "notes": "Work/Budget.md, Plugins/Workspaces.md" })
        ),
        by_command(
            "search:context",
            &json!({ "text": "sail", "folder": "Work" })
        ),
        by_command("links:path", &json!({ "source": "a.md", "target": "b.md" })),
        by_command(
            "property:read",
            &json!({ "path": NOTE, "property": "status" })
        ),
        by_command("search", &json!({ "query": "folder:Work sail" })),
        by_command("search", &json!({ "query": "\"sail" })),
        by_command("notes:recent", &json!({})),
        by_command("rename", &json!({ "path": NOTE, "name": "Archive/X" })),
        ("obsidianCli", json!({ "cmd": "tags", "params": {} })),
        ("obsidianCli", json!({ "command": "tags", "vault": "help" })),
        ("tasks", json!({ "path": NOTE, "status": "done" })),
        ("create", json!({ "foo": 1 })),
    ]));
}

/// What is there under another name or of another kind is named.
#[test]
fn what_is_elsewhere_or_another_thing_is_named() {
    insta::assert_snapshot!(told(&[
        ("read", json!({ "path": "Work" })),
        ("tasks", json!({ "path": "Work" })),
        ("move", json!({ "path": "Work", "to": "Archive" })),
        ("read", json!({ "path": "Interface/Workspaces.md" })),
        ("read", json!({ "file": "[[Launch plan#Notes|notes]]" })),
        (
            "backlinks",
            json!({ "path": "obsidian://open?vault=v&file=Work%2FBudget" })
        ),
        (
            "create",
            json!({ "path": "Work/launch plan.md", "content": "x" })
        ),
        ("append", json!({ "path": NOTE, "content": "" })),
        (
            "note_edit",
            json!({ "path": "Work/Broken.base", "edits": [{ "old": "hasTagg", "new": "hasTag" }] })
        ),
        (
            "note_edit",
            json!({ "path": NOTE, "edits": [{ "heading": "Notes", "mode": "append", "content": "x" }] })
        ),
        by_command(
            "base:query",
            &json!({ "file": "Projects", "view": "draft" })
        ),
        by_command(
            "property:add",
            &json!({ "path": NOTE, "name": "status", "value": "urgent" })
        ),
        ("notes_context", json!({ "query": "sail", "budget": "200" })),
        ("notes_search", json!({ "query": "sail", "limit": "05" })),
    ]));
}

/// The next call can be made from the answer alone.
#[test]
fn the_answer_has_the_values_of_the_next_call() {
    insta::assert_snapshot!(told(&[
        (
            "note_edit",
            json!({ "path": NOTE, "lines": "9-11", "content": "x" })
        ),
        (
            "note_edit",
            json!({ "path": NOTE, "edits": [{ "lines": "9", "content": "x" }, { "lines": "11", "content": "y" }] })
        ),
        (
            "note_edit",
            json!({ "path": NOTE, "lines": "9-11", "linesHash": "00", "content": "x" })
        ),
        (
            "note_edit",
            json!({ "path": NOTE, "lines": "9-11", "first": "Sale", "last": "Nots", "content": "x" })
        ),
        ("task", json!({ "path": NOTE, "line": 13, "done": true })),
        (
            "task",
            json!({ "path": "Work/Budget.md", "line": 4, "done": true })
        ),
        ("property_set", json!({ "path": NOTE, "status": "done" })),
        (
            "property_set",
            json!({ "path": NOTE, "nmae": "status", "value": "done" })
        ),
        by_command(
            "property:add",
            &json!({ "file": "Budget", "topics": "sea" })
        ),
        by_command("capabilities", &json!({ "command": "draft:withdraw" })),
        by_command("capabilities", &json!({ "command": "draft_status" })),
        by_command("capabilities", &json!({ "command": "undo" })),
        by_command("draft:status", &json!({ "path": NOTE })),
        (
            "notes_read",
            json!({ "notes": ["Work/Lauch plan.md", "Nope.md"] })
        ),
        ("move", json!({ "path": NOTE, "to": "Work" })),
        by_command("folder:move", &json!({ "path": "Work", "to": "Work" })),
        by_command(
            "base:create",
            &json!({ "path": "Work/Projects.base", "name": "Budget" })
        ),
        by_command(
            "base:create",
            &json!({ "path": "Work/Projects.base", "name": "Budget" })
        ),
        by_command(
            "search",
            &json!({ "query": "path:Work AND (sail OR \"a AND b\")" })
        ),
        by_command("search:context", &json!({ "query": "\"AND\" sand" })),
        ("notes_search", json!({ "query": "sail NOT dawn" })),
    ]));
}

/// A hint names only commands that the caller can call.
#[test]
fn no_hint_names_a_closed_command() {
    for (settings, tool, arguments, names) in [
        (
            "commands.deny = [\"notes:search\"]",
            "read",
            json!({ "path": "Zebra.md" }),
            "search",
        ),
        (
            "commands.deny = [\"notes:search\"]",
            "notes_read",
            json!({ "notes": ["Zebra.md", NOTE] }),
            "search",
        ),
        (
            "commands.deny = [\"note:edit\"]",
            "append",
            json!({ "path": NOTE, "content": "x", "heading": "Notes" }),
            "note_edit",
        ),
        (
            "commands.deny = [\"daily:append\"]",
            "daily_read",
            json!({}),
            "append",
        ),
    ] {
        for is_open in [true, false] {
            let world = world();
            let world = if is_open { world } else { world.set(settings) };
            let answer = Client::open(&world, &[]).call(tool, &arguments).to_string();
            assert_eq!(
                answer.contains(names),
                is_open,
                "{tool} {arguments}: {answer}"
            );
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
#[expect(clippy::too_many_lines, reason = "a table")]
fn the_next_call_can_be_right() {
    let world = world();
    world.write("Other/Budget.md", "Other. #project/sea\n");
    world.write(
        "Work/Fault.base",
        "filters: status == = \"a\"\nviews:\n  - type: table\n    name: All\n",
    );
    world.write(
        "Work/Faults.base",
        "filters:\n  and:\n    - inFoldr(\"a\")\n    - file.hasTagg(\"sea\")\n",
    );
    let mut client = Client::open(&world, &[]);
    let mut wrong = String::new();
    let edit = |old: &str| json!({ "old": old, "new": "x" });
    let sees = json!({ "path": "Work/Lunch plan.md", "to": "Wrok/x.md" });
    for ((tool, arguments), says, never) in [
        // A value that is none of its type.
        (
            typed("yes", "checkbox"),
            &["write `true`"][..],
            &["Set "][..],
        ),
        (typed("TRUE", "checkbox"), &["write `true`"], &["Set "]),
        (typed("[ ]", "checkbox"), &["write `false`"], &["Set "]),
        (typed("[1]", "number"), &["`list`"], &["Set "]),
        (typed("1", "boolean"), &["Did you mean `checkbox`?"], &[]),
        (typed("1", "int"), &["Did you mean `number`?"], &[]),
        (typed("a", "string"), &["Did you mean `text`?"], &[]),
        (typed("a", "array"), &["Did you mean `list`?"], &[]),
        (typed("2026-02-31", "date"), &["2026-02 has 28 days"], &[]),
        (
            typed("2026-02-21T25:00", "datetime"),
            &["hours go to 23"],
            &[],
        ),
        // Past the end.
        (
            ("read", json!({ "path": NOTE, "offset": 5000 })),
            &["is past the end", "characters"],
            &[],
        ),
        (
            ("notes_read", json!({ "notes": [NOTE], "offset": 9 })),
            &["the answer has 1 item"],
            &[],
        ),
        (
            (
                "append",
                json!({ "path": "Work/Lunch plan.md", "content": "x", "offset": 9 }),
            ),
            &["`Work/Launch plan.md`?"],
            &["past the end"],
        ),
        (
            (
                "note_edit",
                json!({ "path": NOTE, "edits": [{ "lines": "90-91", "first": "x", "content": "y" }] }),
            ),
            &["Pass lines that exist in the note"],
            &["`text` of one"],
        ),
        // Another command has the argument, or does what is meant.
        (
            by_command("notes:find", &json!({ "where": "status == \"draft\"" })),
            &["`notes_list` accepts the argument `where`.", "needs `name`"],
            &["Did you mean"],
        ),
        (
            by_command(
                "base:query",
                &json!({ "path": "Work/Projects.base", "filter": "a" }),
            ),
            &["`view`", "use `notes_list` with `where`"],
            &["Did you mean"],
        ),
        (
            by_command("note:section", &json!({ "path": NOTE, "heading": "Notes" })),
            &["use `notes_read`", "\"heading\":\"Notes\""],
            &[],
        ),
        (
            by_command("search query=sail", &json!({})),
            &["Pass `search` as `command`, and its parameters in `params`"],
            &["Did you mean"],
        ),
        (
            by_command(
                "notes:change",
                &json!({ "changes": [{ "path": NOTE, "op": "append" }, "x"] }),
            ),
            &[
                "[0] has no `command` and has `path`, `op` outside of `params`",
                "[1] is not an object",
                "{\"command\":\"append\"",
            ],
            &[],
        ),
        // What is not there.
        (
            by_command("property:remove", &json!({ "path": NOTE, "name": "zebra" })),
            &["The note has these properties: `status`, `due`, `topics`."],
            &[],
        ),
        (
            by_command("search", &json!({ "query": "tag:#projct" })),
            &["Did you mean `project`?"],
            &[],
        ),
        (
            by_command("search", &json!({ "query": "[statsu:draft]" })),
            &["Did you mean `status`?"],
            &[],
        ),
        (
            ("notes_search", json!({ "query": "tag:#projct" })),
            &["Pass `projct` as `tag`", "`project`?"],
            &[],
        ),
        (
            (
                "notes_list",
                json!({ "tag": "projct", "property": "statsu" }),
            ),
            &["`project`?", "`status`?"],
            &[],
        ),
        (
            by_command("tag:rename", &json!({ "tag": "projct", "to": "x" })),
            &["Tag \"projct\" not found", "`project`?"],
            &[],
        ),
        (
            by_command("base:query", &json!({ "path": "Work/Fault.base" })),
            &["line 1", "character 11"],
            &[],
        ),
        (
            by_command("base:query", &json!({ "file": "Prjects" })),
            &["There is no base", "`Projects`?"],
            &["notes_search"],
        ),
        (
            by_command("base:query", &json!({ "path": "Work/Project.base" })),
            &["`Work/Projects.base`?"],
            &["Broken"],
        ),
        // Fault next to fault.
        (
            ("daily_append", json!({ "text": "x" })),
            &["`content`?"],
            &["not found"],
        ),
        (
            (
                "notes_list",
                json!({ "tag": "projct", "property": "statsu", "since": "soon", "folder": "Wrok" }),
            ),
            &["`project`?", "`status`?", "`since`", "`Work`?"],
            &[],
        ),
        (
            (
                "notes_read",
                json!({ "notes": [{ "path": NOTE, "heading": "Nots" }, { "path": NOTE, "block": "z" }, { "path": NOTE, "lines": "9-7" }] }),
            ),
            &[
                "`notes[0]`: The note does not have this heading",
                "`notes[1]`",
                "`7-9`",
                "## Notes",
            ],
            &[],
        ),
        (
            (
                "note_edit",
                json!({ "path": NOTE, "edits": [edit("zebra"), { "old": "One", "nw": "" }] }),
            ),
            &["`edits[0]`: the note does not contain", "[1].nw"],
            &[],
        ),
        (
            (
                "note_edit",
                json!({ "path": NOTE, "edits": [edit("zebra")], "ifHash": "abc" }),
            ),
            &["`ifHash`", "`edits[0]`"],
            &[],
        ),
        (
            (
                "tag_add",
                json!({ "path": "Work/Lunch plan.md", "tag": "a b" }),
            ),
            &["is not a tag", "`Work/Launch plan.md`?"],
            &[],
        ),
        (
            (
                "tag_add",
                json!({ "path": NOTE, "tag": "a b", "place": "x" }),
            ),
            &["is not a tag", "`place`"],
            &[],
        ),
        (("move", sees), &["`Work/Launch plan.md`?"], &["no folder"]),
        (
            by_command(
                "property:read",
                &json!({ "path": NOTE, "name": "statsu", "foo": 1 }),
            ),
            &["`foo`", "`status`?"],
            &[],
        ),
        (
            by_command("search", &json!({ "query": "/(/ tg:a" })),
            &["character 1 is not valid", "`tag:`?"],
            &[],
        ),
        (
            (
                "append",
                json!({ "file": "Budget", "content": "x", "mode": 1 }),
            ),
            &["`mode`", "Other/Budget.md", "Work/Budget.md"],
            &[],
        ),
        // What is meant.
        (
            ("daily_read", json!({ "date": "2026-01-01" })),
            &["use `read` with the `path`"],
            &[],
        ),
        (
            ("create", json!({ "name": "Work/A: b?", "content": "x" })),
            &["`/`, `:` or `?`", "`Work/A - b.md`"],
            &[],
        ),
        (
            (
                "append",
                json!({ "path": NOTE, "content": "x", "section": "Notes" }),
            ),
            &["`note_edit`", "\"mode\":\"append\""],
            &[],
        ),
        (
            ("backlinks", json!({ "file": "#project" })),
            &["is a tag", "`notes_list` with `tag`"],
            &["Look"],
        ),
        (
            ("backlinks", json!({ "path": "[[Launch plan#Notes]]" })),
            &["`Launch plan` as `file`", "`Work/Launch plan.md`?"],
            &[".md`. Look"],
        ),
        (
            ("read", json!({ "path": "Work/Budget.md#Budget" })),
            &["`Work/Budget.md` as `path`", "`heading`"],
            &["Did you mean"],
        ),
        (
            by_command("template:insert", &json!({ "name": "x" })),
            &[
                "The settings do not allow calls on the active file",
                r#"{"path":"…","template":"x"}"#,
            ],
            &[],
        ),
        (
            ("notes_list", json!({ "from": "Work" })),
            &["`folder`?"],
            &[],
        ),
        (
            ("notes_list", json!({ "from": "2026-01-01" })),
            &["`since`?"],
            &[],
        ),
        (
            ("move", json!({ "from": NOTE, "to": "Work/b.md" })),
            &["`path`?"],
            &[],
        ),
        (
            ("tasks", json!({ "file": "Launch plan", "filter": "todo" })),
            &["`filter`"],
            &["mean `file`"],
        ),
        (
            ("undo", json!({ "steps": 2 })),
            &["Each call undoes or redoes one run", "the id in `run`"],
            &["only"],
        ),
        (
            ("append", json!({ "path": NOTE, "content": "x" })),
            &["\"run\":\""],
            &["journal"],
        ),
        // What would look right and is not.
        (
            ("notes_search", json!({ "query": "", "tag": "projct" })),
            &["USAGE_ERROR", "`notes_list`", "`project`?"],
            &[],
        ),
        (
            ("notes_context", json!({ "query": "  " })),
            &["USAGE_ERROR", "`notes_list`"],
            &[],
        ),
        (
            (
                "property_set",
                json!({ "path": NOTE, "name": "tags", "value": ["my tag", "#ok"] }),
            ),
            &["USAGE_ERROR", "`my tag` is not a tag", "`my-tag`"],
            &["Set "],
        ),
        (
            by_command("note:compare", &json!({ "path": NOTE })),
            &["USAGE_ERROR", "`with`", "`content`"],
            &["removed"],
        ),
        (
            by_command(
                "property:remove",
                &json!({ "path": NOTE, "name": "statsu" }),
            ),
            &["Nothing was changed. There is no property `statsu`. Did you mean `status`?"],
            &["Removed"],
        ),
        (
            by_command(
                "property:drop",
                &json!({ "path": NOTE, "name": "topics", "value": "see" }),
            ),
            &["Nothing was changed. The property `topics` has no item `see`. Did you mean `sea`?"],
            &[],
        ),
        (
            ("notes_list", json!({ "folder": "work" })),
            &["no folder `work`", "Did you mean `Work`?"],
            &[],
        ),
        (
            by_command("search", &json!({ "query": "venue", "path": "work" })),
            &["Did you mean `Work`?"],
            &[],
        ),
        // A call that is offered works when it is sent.
        (
            (
                "read",
                json!({ "path": "Work/Lunch plan.md", "lines": "1-3" }),
            ),
            &[r#"{"notes":[{"path":"Work/Launch plan.md","lines":"1-3"}]}"#],
            &[],
        ),
        (
            ("read", json!({ "file": "Lunch plan", "lines": "1-3" })),
            &[r#"{"notes":[{"path":"Work/Launch plan.md","lines":"1-3"}]}"#],
            &[],
        ),
        (
            by_command("links:list", &json!({ "to": "[[Lunch plan]]" })),
            &["`Lunch plan` as `to`", "`Work/Launch plan.md`?"],
            &["[[Lunch plan]].md", "`[["],
        ),
        (
            by_command("unique", &json!({ "name": "Daily/2026-11-26" })),
            &["`create` with `path`, for example `Daily/2026-11-26.md`"],
            &["together as `path`"],
        ),
        // The same fault is told the same everywhere.
        (
            (
                "notes_list",
                json!({ "since": "2026-02-30", "folder": "Wrok" }),
            ),
            &["there is no such day; 2026-02 has 28 days", "`Work`?"],
            &["a span before now"],
        ),
        (
            ("tasks", json!({ "due-before": "2026-02-30" })),
            &["2026-02 has 28 days"],
            &[],
        ),
        (
            by_command(
                "periodic:read",
                &json!({ "period": "day", "date": "2026-13-01" }),
            ),
            &["months go from `01` to `12`"],
            &[],
        ),
        (
            ("notes_read", json!({ "notes": ["Launch plan#Notes"] })),
            &["Pass `{", "heading"],
            &[],
        ),
        (
            ("notes_read", json!({ "notes": ["[[Launch plan]]", 42] })),
            &["Pass `\"Work/Launch plan.md\"`", "[1]"],
            &[],
        ),
        (
            ("notes_read", json!({ "notes": ["Work", 42] })),
            &["`Work` is a folder, not a note", "`notes_list`", "[1]"],
            &["Did you mean"],
        ),
        (
            ("daily_append", json!({ "text": "x", "heading": "Log" })),
            &["`note_edit`", "`content`"],
            &[],
        ),
        // What is advised fits the tool.
        (
            (
                "daily_append",
                json!({ "content": "x", "ifHash": "a".repeat(64) }),
            ),
            &["Omit `ifHash` to create the note"],
            &["notes_search"],
        ),
        (
            by_command(
                "notes:change",
                &json!({ "changes": [{ "command": "property_set", "params": { "path": NOTE, "name": "status", "value": "x" } }] }),
            ),
            &["In the step, pass the command of this tool: `property:set`."],
            &["Call the tool"],
        ),
        // More faults that are told at once.
        (
            ("tag_add", json!({ "tag": "2026", "paths": NOTE })),
            &["`2026` is not a tag", "expected an array"],
            &[],
        ),
        (
            by_command(
                "task",
                &json!({ "ref": "Work/Launch plan.md:99", "toggle": true, "done": true }),
            ),
            &[
                "`toggle`",
                "Pass only one of them",
                "Work/Launch plan.md",
                "99",
            ],
            &[],
        ),
        (
            by_command(
                "attachment:add",
                &json!({ "path": "Work/a.png", "data": "not base64!!", "note": "Work/Lunch plan.md" }),
            ),
            &["base64", "`Work/Launch plan.md`?"],
            &[],
        ),
        (
            (
                "note_edit",
                json!({ "path": NOTE, "edits": [{ "block": "budgt", "mode": "replace", "content": "n" }], "ifHash": "0".repeat(64) }),
            ),
            &["`ifHash`", "`edits[0]`"],
            &[],
        ),
        (
            by_command("base:query", &json!({ "path": "Work/Faults.base" })),
            &["inFoldr", "hasTagg"],
            &[],
        ),
        (
            by_command("search:context", &json!({ "q": "venue", "path": "work" })),
            &["`query`?", "no folder `work`", "`Work`?"],
            &[],
        ),
        (
            (
                "note_edit",
                json!({ "path": NOTE, "edits": [{ "old": "One.", "content": "1st" }, { "afterLine": 99, "content": "x" }] }),
            ),
            &[
                "[0].content",
                "`edits[1]`",
                "Pass lines that exist in the note",
            ],
            &[],
        ),
        (
            by_command(
                "notes:change",
                &json!({ "changes": [{ "command": "property:set", "params": { "path": NOTE, "nam": "status", "value": "x" } }] }),
            ),
            &["Step 1", "`property:set`", "`name`?"],
            &["`property_set`"],
        ),
        (
            (
                "move",
                json!({ "path": "Work/Lunch plan.md", "to": "Plan.md" }),
            ),
            &["`Work/Launch plan.md`?"],
            &["no folder"],
        ),
        (
            (
                "note_edit",
                json!({ "path": NOTE, "edits": [edit("Sail at down."), edit("One."), edit("Twoo.")] }),
            ),
            &["`edits[0]`", "`edits[2]`", "Sail at dawn.", "\"edit\":2"],
            &["`edits[1]`"],
        ),
        (
            by_command(
                "links:path",
                &json!({ "from": "Work/Lunch plan.md", "to": "Work/Bugdet.md" }),
            ),
            &["`Work/Launch plan.md`?", "`Work/Budget.md`?"],
            &[],
        ),
        // A parameter that a call cannot use is refused with what it is for.
        (
            (
                "append",
                json!({ "path": NOTE, "content": "x", "offset": 3 }),
            ),
            &["does not take `offset`", "`note_edit`", "\"afterLine\""],
            &["\"run\""],
        ),
        (
            (
                "create",
                json!({ "path": "Work/Budget.md", "content": "x", "section": "Budget" }),
            ),
            &[
                r#"{"path":"Work/Budget.md","edits":[{"heading":"Budget","mode":"append","content":"…"}]}"#,
            ],
            &[],
        ),
        (
            by_command(
                "template:insert",
                &json!({ "name": "Meeting", "path": NOTE }),
            ),
            &[
                r#"{"path":"Work/Launch plan.md","template":"Meeting"}"#,
                "`template:read`",
            ],
            &[],
        ),
        (
            ("undo", json!({ "dry_run": true })),
            &["Did you mean `dryRun`?", "`approval`"],
            &[],
        ),
        // What a query asks for in paths and names of files.
        (
            by_command("search", &json!({ "query": "path:Wrok venue" })),
            &["No path contains `Wrok`. Did you mean `Work`?"],
            &[],
        ),
        (
            by_command("search", &json!({ "query": "file:Bugdet" })),
            &["Did you mean `Budget`?"],
            &[],
        ),
        (
            (
                "notes_read",
                json!({ "notes": [{ "path": NOTE, "heading": "Nots" }] }),
            ),
            &["Did you mean `## Notes`"],
            &[],
        ),
        // What other programs take.
        (
            (
                "create",
                json!({ "path": "Work/New.md", "content": "x", "dry_run": true }),
            ),
            &["Did you mean `dryRun`?"],
            &[],
        ),
        (
            (
                "append",
                json!({ "path": NOTE, "content": "x", "if_hash": "abc" }),
            ),
            &["Did you mean `ifHash`?"],
            &[],
        ),
        (
            by_command(
                "append",
                &json!({ "path": NOTE, "content": "x", "dryRun": true }),
            ),
            &["`dryRun` belongs next to `params`"],
            &["Did you mean"],
        ),
        (
            (
                "obsidianCli",
                json!({ "command": "search", "args": { "query": "sail" } }),
            ),
            &["Did you mean `params`?"],
            &["correlationId"],
        ),
        (
            by_command(
                "base:query",
                &json!({ "base": "Projects", "filter": "status == 1" }),
            ),
            &["Did you mean `file`?", "Choose a view with `view`"],
            &["Instead of `filter`"],
        ),
        (
            (
                "note_edit",
                json!({ "path": NOTE, "edits": { "old": "One.", "new": "x" } }),
            ),
            &[r#"such as `[{"old":"One.","new":"x"}]`"#],
            &[],
        ),
        (
            ("tag_add", json!({ "path": NOTE, "tag": "#my tag" })),
            &["write for example `my-tag`"],
            &["Send another value"],
        ),
        (
            ("read", json!({ "file": "Hotkeys.md#Keys" })),
            &["`Hotkeys.md` as `file`"],
            &[],
        ),
        (
            ("notes_search", json!({ "query": "path:Work sail" })),
            &["Pass `Work` as `folder` next to `query`"],
            &[],
        ),
        (
            (
                "create",
                json!({ "path": NOTE, "content": "x", "overwrite": "yes" }),
            ),
            &["`true` or `false` without quotes"],
            &[],
        ),
        (
            ("undo", json!({ "run": "last" })),
            &["To undo the last run, omit `run`."],
            &[],
        ),
        (
            ("tasks", json!({ "path": NOTE, "completed": true })),
            &["Did you mean `done`?"],
            &[],
        ),
        (
            ("read", json!({ "path": "/Work/Budget.md" })),
            &["Pass `Work/Budget.md`."],
            &[],
        ),
        (
            (
                "notes_read",
                json!({ "notes": ["/Work/Budget", "/Home.md"] }),
            ),
            &["`Work/Budget.md`"],
            &[],
        ),
        (
            ("notes_list", json!({ "offset": 500 })),
            &["`offset` 500 is past the end"],
            &[],
        ),
        (
            by_command("search_notes", &json!({ "query": "x" })),
            &["`search`"],
            &["search:open"],
        ),
        (
            ("notes_list", json!({ "tag": ["boat", "sea"] })),
            &["Pass one string instead of a list, such as `boat`."],
            &[],
        ),
    ] {
        let result = client.call(tool, &arguments);
        let text = result["content"].to_string().replace("\\\"", "\"");
        let unsaid = says.iter().find(|says| !text.contains(*says));
        let said = never.iter().find(|never| text.contains(*never));
        if unsaid.is_some() || said.is_some() {
            wrong += &format!("{tool} {arguments}: {text}\n  {unsaid:?} {said:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A wrong call that is closed too is told so, as no correction opens it.
#[test]
fn a_wrong_call_is_told_that_it_is_closed() {
    let world = World::empty().set("backend = \"embedded\"");
    world.write(NOTE, PLAN);
    let mut client = Client::open(&world, &[]);
    let result = client.call("create", &json!({ "path": "New.md", "dry_run": true }));
    let text = result["content"].to_string();
    for says in [
        "`dryRun`",
        "The settings do not allow that.",
        "The owner of the vault can allow it with `allow_mutations = true` in the settings.",
    ] {
        assert!(text.contains(says), "{text}");
    }
    let read = client.call("read", &json!({ "path": NOTE, "offset": "x" }));
    assert!(!read["content"].to_string().contains("do not allow"));
}

fn typed(value: &str, kind: &str) -> (&'static str, Value) {
    let arguments = json!({ "path": NOTE, "name": "n", "value": value, "type": kind });
    ("property_set", arguments)
}

/// A call that is wrong in its form is told nothing of what is closed: neither that it is there nor its name.
#[test]
fn d13_faults_of_the_vault_are_told_as_far_as_the_caller_may_see() {
    let world = World::empty()
        .set("backend = \"embedded\"")
        .set("allow_mutations = true")
        .with_tables("[paths]\nread = [\"Work/**\"]\nwrite = [\"Work/**\"]");
    world.write("Work/Open.md", "Open.");
    world.write("Secret/Hidden.md", "Hidden.");
    let mut client = Client::open(&world, &[]);
    let mut told = |tool: &str, arguments: Value| {
        let result = client.call(tool, &arguments);
        result["content"].to_string()
    };
    for (tool, is_there, is_not) in [
        (
            "read",
            json!({ "path": "Secret/Hidden.md", "offset": "x" }),
            json!({ "path": "Secret/Hiddem.md", "offset": "x" }),
        ),
        (
            "read",
            json!({ "file": "Hidden", "offset": "x" }),
            json!({ "file": "Hiddem", "offset": "x" }),
        ),
        (
            "notes_list",
            json!({ "folder": "Secret", "limit": 0 }),
            json!({ "folder": "Secrem", "limit": 0 }),
        ),
        (
            "notes_read",
            json!({ "notes": [{ "file": "Secret/Hidden.md" }] }),
            json!({ "notes": [{ "file": "Secret/Hiddem.md" }] }),
        ),
        (
            "notes_list",
            json!({ "folder": "Secret/Hidden.md" }),
            json!({ "folder": "Secret/Hiddem.md" }),
        ),
    ] {
        let there = told(tool, is_there);
        let not = told(tool, is_not);
        let same = not.replace("Hiddem", "Hidden").replace("Secrem", "Secret");
        assert_eq!(there, same, "{tool}");
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
    assert!(
        text.contains("line 8") && text.contains("plain link"),
        "{text}"
    );
}
