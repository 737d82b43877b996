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

/// Returns these calls and their answers, as a model reads them.
fn answers(calls: &str) -> String {
    answers_in(&world(), calls)
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
        r#"
append {"path": "work/launch plan.md", "content": "x"}
append {"path": "Work/Launch plam.md", "content": "x", "dryRun": true}
note_edit {"path": "Work/Launch plan", "edits": [{"old": "dawn", "new": "noon"}]}
append {"path": "Nowhere/Zebra.md", "content": "x"}
property_set {"path": "Work/Budget.md", "name": "status", "value": "open"}
property_set {"path": "Work/Budget.md", "name": "status", "value": "open"}
property_set {"path": "Work/Plain.md", "name": "aliases", "value": "The big plan"}
move {"path": "Work/Budget.md", "to": "Money.md"}
read {"path": "Work/Budget.md"}
command delete {"path": "NOTE"}
append {"path": "NOTE", "content": "x"}
command draft:withdraw {"all": true}
command draft:withdraw {"all": true}
command periodic:read {"period": "weekly", "date": "2026-01-05"}
task {"text": "Paint", "done": true}
files {"ext": "markdown"}
notes_search {"query": "TABLE status FROM Work"}
notes_search {"query": "sail", "since": "2026-01-01"}
search {"query": "status = final"}
"#
    ));
}

/// A name, a place or a parameter that other programs take gets the call that does it here.
#[test]
fn what_other_programs_take_gets_the_call_for_it() {
    insta::assert_snapshot!(answers(
        r###"
read {"file": "The big plan"}
daily_append {"content": "x", "heading": "Notes"}
daily_read {"path": "Log/2026-04-09.md"}
command daily:prepend {"date": "2026-04-09", "content": "x"}
command periodic:read {"period": "daily", "date": "2026-04-09"}
tasks {"folder": "Work"}
tasks {"tag": "#sea"}
tasks {"status": "[x]"}
read {"path": "NOTE", "view_range": [1, 10]}
read {"path": "The big plan"}
create {"path": "Work/", "content": "x"}
create {"folder": "Work", "name": "Tides", "content": "x"}
tag_add {"path": "NOTE", "tags": ["a", "b"]}
notes_search {"query": "sail", "since": "2020-01-01"}
command daily:path {"date": "2026-04-09"}
command task {"path": "NOTE", "done": true}
create {"name": "A", "content": "x", "tags": ["a"]}
create {"name": "A", "template": "Templates/Meetings.md", "dryRun": true}
move {"path": "Work", "to": "Play"}
tag_add {"folder": "Work", "tag": "sea"}
tag_add {"path": "NOTE", "tag": "a,b"}
tag_add {"path": "NOTE", "tag": "##sea"}
notes_context {"query": "sail", "limit": 5}
notes_list {"sort": "modified"}
notes_list {"path_prefix": "Work"}
notes_read {"notes": ["NOTE:7-9"]}
notes_read {"notes": [{"path": "NOTE", "heading": "^id"}]}
append {"path": "Work/New.md", "content": "x"}
append {"path": "NOTE", "content": "x", "position": "top"}
property_set {"path": "NOTE", "properties": {"status": "done"}}
note_edit {"path": "Work/Plain.md", "edits": [{"heading": "Nowhere", "mode": "append", "content": "x"}]}
note_edit {"path": "Work/Plain.md", "edits": [{"old": "", "new": "x"}]}
command property:get {"path": "NOTE", "name": "status"}
command notes:change {"changes": {"path": "NOTE", "edits": []}}
command bookmark {"path": "NOTE"}
obsidianCli {"command": "read", "params": {"path": "NOTE"}, "dry_run": true}
"###
    ));
}

/// A file that is not valid is refused for that, not for what a valid one could contain.
#[test]
fn a_file_that_is_not_valid_is_refused_as_such() {
    insta::assert_snapshot!(answers(
        r#"
create {"path": "Work/New.base", "content": "views: ["}
create {"path": "Work/New.canvas", "content": "{\"nodes\":["}
"#
    ));
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
    insta::assert_snapshot!(answers(
        r#"
notes_list {"value": "draft"}
notes_list {"tags": "a", "match": "any"}
command notes:list {"match": "any"}
command notes:search {"query": "sail", "value": "draft"}
tasks {"path": "NOTE", "done": true, "todo": true}
tasks {"done": true, "overdue": true}
notes_search {"query": "sail", "since": "2026-05-01", "until": "2026-01-01"}
command tasks {"due-before": "2026-01-01", "due-after": "2026-05-01"}
notes_list {"property": "status", "value": "drafts"}
notes_list {"property": "Status", "value": "draft", "properties": "status"}
notes_list {"property": "topics", "value": "see"}
notes_list {"folder": "NOTE"}
property_set {"path": "NOTE", "name": "Status", "value": "final"}
property_set {"path": "NOTE", "name": "due", "value": "2026-13-45"}
property_set {"path": "NOTE", "name": "due", "value": "2026-10-01"}
move {"path": "NOTE", "to": "Work"}
command rename {"path": "NOTE", "name": "Launch plan"}
notes_read {"notes": ["Work/Lauch plan.md"]}
notes_read {"notes": [{"path": "NOTE", "heading": "Nots"}]}
notes_read {"notes": ["Work/Lauch plan.md", "Plugins/Workspaces.md"]}
command base:query {"path": "Work/Broken.base"}
"#
    ));
}

/// The form and what is not there are told together, each once.
#[test]
fn every_fault_of_a_call_is_reported_at_once() {
    insta::assert_snapshot!(answers(
        r#"
read {"path": "Work/Launch plan", "offset": "start"}
append {"path": "Work/Lunch plan.md", "content": "x", "ifHash": "abc", "dryRun": "yes"}
notes_search {"query": "sail", "since": "01/02/2026", "limit": 0, "folder": "Wrok"}
tasks {"file": "Lunch plan", "due-before": "next Friday"}
notes_list {"since": "2026/3/5", "until": "soon"}
command periodic:path {"period": "week", "date": "14.3.2026"}
command base:query {"base": "Projects", "view": "draft"}
notes_read {"notes": [{"file": "Launch plan", "lines": [10, 20]}, {"path": "NOTE", "lines": "9-7"}]}
note_edit {"path": "NOTE", "edits": [{"heading": "Notes", "action": "append", "text": "x"}]}
note_edit {"path": "NOTE", "edits": [{"find": "One", "replace": 2}, {"range": "3", "zebra": 1}]}
note_edit {"path": "NOTE", "edits": [{"lines": "8-9", "first": "Sail at dawn.", "content": "x"}]}
note_edit {"path": "NOTE", "edits": [{"lines": "9-11", "first": "Sail at dawn.", "content": "x"}]}
note_edit {"path": "NOTE", "edits": [{"lines": "9-10", "first": "Sail at dawn.", "last": "", "content": "x"}]}
create {"path": "Work/A: b?.md", "content": "x"}
"#
    ));
}

/// A name that is not taken is told what it means, in the words of the client.
#[test]
fn a_wrong_name_is_answered_with_the_name_that_is_meant() {
    insta::assert_snapshot!(answers(
        r#"
read {"filename": "Launch plan", "lines": "10-14"}
read {"path": "NOTE", "block": "x"}
notes_search {"q": "sail"}
notes_read {"paths": ["NOTE"]}
notes_read {"notes": "Work/Budget.md, Plugins/Workspaces.md"}
command search:context {"text": "sail", "folder": "Work"}
command links:path {"source": "a.md", "target": "b.md"}
command property:read {"path": "NOTE", "property": "status"}
command search {"query": "folder:Work sail"}
command search {"query": "\"sail"}
command notes:recent {}
command rename {"path": "NOTE", "name": "Archive/X"}
obsidianCli {"cmd": "tags", "params": {}}
obsidianCli {"command": "tags", "vault": "help"}
tasks {"path": "NOTE", "status": "done"}
create {"foo": 1}
"#
    ));
}

/// What is there under another name or of another kind is named.
#[test]
fn what_is_elsewhere_or_another_thing_is_named() {
    insta::assert_snapshot!(answers(
        r#"
read {"path": "Work"}
tasks {"path": "Work"}
move {"path": "Work", "to": "Archive"}
read {"path": "Interface/Workspaces.md"}
read {"file": "[[Launch plan#Notes|notes]]"}
backlinks {"path": "obsidian://open?vault=v&file=Work%2FBudget"}
create {"path": "Work/launch plan.md", "content": "x"}
append {"path": "NOTE", "content": ""}
note_edit {"path": "Work/Broken.base", "edits": [{"old": "hasTagg", "new": "hasTag"}]}
note_edit {"path": "NOTE", "edits": [{"heading": "Notes", "mode": "append", "content": "x"}]}
command base:query {"file": "Projects", "view": "draft"}
command property:add {"path": "NOTE", "name": "status", "value": "urgent"}
notes_context {"query": "sail", "budget": "200"}
notes_search {"query": "sail", "limit": "05"}
"#
    ));
}

/// The next call can be made from the answer alone.
#[test]
fn the_answer_has_the_values_of_the_next_call() {
    insta::assert_snapshot!(answers(
        r#"
note_edit {"path": "NOTE", "lines": "9-11", "content": "x"}
note_edit {"path": "NOTE", "edits": [{"lines": "9", "content": "x"}, {"lines": "11", "content": "y"}]}
note_edit {"path": "NOTE", "lines": "9-11", "linesHash": "00", "content": "x"}
note_edit {"path": "NOTE", "lines": "9-11", "first": "Sale", "last": "Nots", "content": "x"}
task {"path": "NOTE", "line": 13, "done": true}
task {"path": "Work/Budget.md", "line": 4, "done": true}
property_set {"path": "NOTE", "status": "done"}
property_set {"path": "NOTE", "nmae": "status", "value": "done"}
command property:add {"file": "Budget", "topics": "sea"}
command capabilities {"command": "draft:withdraw"}
command capabilities {"command": "draft_status"}
command capabilities {"command": "undo"}
command draft:status {"path": "NOTE"}
notes_read {"notes": ["Work/Lauch plan.md", "Nope.md"]}
move {"path": "NOTE", "to": "Work"}
command folder:move {"path": "Work", "to": "Work"}
command base:create {"path": "Work/Projects.base", "name": "Budget"}
command base:create {"path": "Work/Projects.base", "name": "Budget"}
command search {"query": "path:Work AND (sail OR \"a AND b\")"}
command search:context {"query": "\"AND\" sand"}
notes_search {"query": "sail NOT dawn"}
"#
    ));
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
#[expect(clippy::too_many_lines, reason = "a table")]
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
    for row in rows(
        r##"
# A value that is none of its type.
property_set {"path": "NOTE", "name": "n", "value": "yes", "type": "checkbox"} => write `true` | !Set
property_set {"path": "NOTE", "name": "n", "value": "TRUE", "type": "checkbox"} => write `true` | !Set
property_set {"path": "NOTE", "name": "n", "value": "[ ]", "type": "checkbox"} => write `false` | !Set
property_set {"path": "NOTE", "name": "n", "value": "[1]", "type": "number"} => `list` | !Set
property_set {"path": "NOTE", "name": "n", "value": "1", "type": "boolean"} => Did you mean `checkbox`?
property_set {"path": "NOTE", "name": "n", "value": "1", "type": "int"} => Did you mean `number`?
property_set {"path": "NOTE", "name": "n", "value": "a", "type": "string"} => Did you mean `text`?
property_set {"path": "NOTE", "name": "n", "value": "a", "type": "array"} => Did you mean `list`?
property_set {"path": "NOTE", "name": "n", "value": "2026-02-31", "type": "date"} => 2026-02 has 28 days
property_set {"path": "NOTE", "name": "n", "value": "2026-02-21T25:00", "type": "datetime"} => hours go to 23
property_set {"path": "NOTE", "name": "n", "value": "yes", "type": "boolean"}
    => Did you mean `checkbox`? | write `true` | !Set
property_set {"path": "NOTE", "name": "n", "value": {"first": "Ann"}}
    => Pass a text or a list of texts. | `property:add`
property_set {"path": "NOTE", "name": "due", "value": "tomorrow"}
    => set `type` to `date` and write a day such as `2026-03-14`
# A path in percent encoding, if the file is there.
read {"path": "Work/Launch%20plan.md"} => Pass `NOTE` as `path`, without percent encoding. | !Look up
read {"file": "Launch%20plan"} => Pass `Launch plan` as `file`, without percent encoding.
read {"path": "Work/Lunch%20plen.md"} => !percent
# Nothing is downloaded.
command attachment:add {"path": "Work/a.png", "from": "https://example.org/a.png"}
    => nothing is downloaded | base64 as `data` | !import
# Past the end.
read {"path": "NOTE", "offset": 5000} => is past the end | characters
notes_read {"notes": ["NOTE"], "offset": 9} => the answer has 1 item
append {"path": "Work/Lunch plan.md", "content": "x", "offset": 9} => `NOTE`? | !past the end
note_edit {"path": "NOTE", "edits": [{"lines": "90-91", "first": "x", "content": "y"}]}
    => Pass lines that exist in the note | !`text` of one
# Another command has the argument, or does what is meant.
command notes:find {"where": "status == \"draft\""}
    => `notes_list` accepts the argument `where`. | needs `name` | !Did you mean
command base:query {"path": "Work/Projects.base", "filter": "a"}
    => `view` | use `notes_list` with `property` and `value` | !Did you mean
command note:section {"path": "NOTE", "heading": "Notes"} => use `notes_read` | "heading":"Notes"
command search query=sail {} => Pass `search` as `command`, and its parameters in `params` | !Did you mean
command notes:change {"changes": [{"path": "NOTE", "op": "append"}, "x"]}
    => [0] has no `command` and has `path`, `op` outside of `params` | [1] is not an object | {"command":"append"
# What is not there.
command property:remove {"path": "NOTE", "name": "zebra"} => The note has these properties: `status`, `due`, `topics`.
command search {"query": "tag:#projct"} => Did you mean `project`?
command search {"query": "[statsu:draft]"} => Did you mean `status`?
notes_search {"query": "tag:#projct"} => Pass `projct` as `tag` | `project`?
notes_list {"tag": "projct", "property": "statsu"} => `project`? | `status`?
command tag:rename {"tag": "projct", "to": "x"} => Tag "projct" not found | `project`?
command base:query {"path": "Work/Fault.base"} => line 1 | character 11
command base:query {"file": "Prjects"} => There is no base | `Projects`? | !notes_search
command base:query {"path": "Work/Project.base"} => `Work/Projects.base`? | !Broken
# Fault next to fault.
daily_append {"text": "x"} => `content`? | !not found
notes_list {"tag": "projct", "property": "statsu", "since": "soon", "folder": "Wrok"}
    => `project`? | `status`? | `since` | `Work`?
notes_read {"notes": [{"path": "NOTE", "heading": "Nots"}, {"path": "NOTE", "block": "z"}, {"path": "NOTE", "lines": "9-7"}]}
    => `notes[0]`: The note does not have this heading | `notes[1]` | `7-9` | ## Notes
note_edit {"path": "NOTE", "edits": [{"old": "zebra", "new": "x"}, {"old": "One", "nw": ""}]}
    => `edits[0]`: the note does not contain | [1].nw
note_edit {"path": "NOTE", "edits": [{"old": "zebra", "new": "x"}], "ifHash": "abc"} => `ifHash` | `edits[0]`
tag_add {"path": "Work/Lunch plan.md", "tag": "a b"} => is not a tag | `NOTE`?
tag_add {"path": "NOTE", "tag": "a b", "place": "x"} => is not a tag | `place`
move {"path": "Work/Lunch plan.md", "to": "Wrok/x.md"} => `NOTE`? | !no folder
command property:read {"path": "NOTE", "name": "statsu", "foo": 1} => `foo` | `status`?
command search {"query": "/(/ tg:a"} => character 1 is not valid | `tag:`?
append {"file": "Budget", "content": "x", "mode": 1} => `mode` | Other/Budget.md | Work/Budget.md
# What is meant.
daily_read {"date": "2026-01-01"} => use `read` with the `path`
create {"name": "Work/A: b?", "content": "x"} => `/`, `:` or `?` | `Work/A - b.md`
append {"path": "NOTE", "content": "x", "section": "Notes"} => `note_edit` | "mode":"append"
backlinks {"file": "#project"} => is a tag | `notes_list` with `tag` | !Look
backlinks {"path": "[[Launch plan#Notes]]"} => `Launch plan` as `file` | `NOTE`? | !.md`. Look
read {"path": "Work/Budget.md#Budget"} => `Work/Budget.md` as `path` | `heading` | !Did you mean
command template:insert {"name": "x"}
    => The settings do not allow calls on the active file | {"path":"…","template":"x"}
notes_list {"from": "Work"} => `folder`?
notes_list {"from": "2026-01-01"} => `since`?
move {"from": "NOTE", "to": "Work/b.md"} => `path`?
tasks {"file": "Launch plan", "filter": "todo"} => `filter` | !mean `file`
undo {"steps": 2} => Each call undoes or redoes one run | whose id is in `run` | !only
append {"path": "NOTE", "content": "x"} => "run":" | !journal
# What would look right and is not.
notes_search {"query": "", "tag": "projct"} => USAGE_ERROR | `notes_list` | `project`?
notes_context {"query": "  "} => USAGE_ERROR | `notes_list`
property_set {"path": "NOTE", "name": "tags", "value": ["my tag", "#ok"]}
    => USAGE_ERROR | `my tag` is not a tag | `my-tag` | !Set
command note:compare {"path": "NOTE"} => USAGE_ERROR | `with` | `content` | !removed
command property:remove {"path": "NOTE", "name": "statsu"}
    => Nothing was changed. There is no property `statsu`. Did you mean `status`? | !Removed
command property:drop {"path": "NOTE", "name": "topics", "value": "see"}
    => Nothing was changed. The property `topics` has no item `see`. Did you mean `sea`?
notes_list {"folder": "work"} => no folder `work` | Did you mean `Work`?
command search {"query": "venue", "path": "work"} => Did you mean `Work`?
# A call that is offered works when it is sent.
read {"path": "Work/Lunch plan.md", "lines": "1-3"} => {"notes":[{"path":"NOTE","lines":"1-3"}]}
read {"file": "Lunch plan", "lines": "1-3"} => {"notes":[{"path":"NOTE","lines":"1-3"}]}
command links:list {"to": "[[Lunch plan]]"} => `Lunch plan` as `to` | `NOTE`? | ![[Lunch plan]].md | !`[[
command unique {"name": "Daily/2026-11-26"}
    => `create` with `path`, for example `Daily/2026-11-26.md` | !together as `path`
# Each command reports the same fault in the same words.
notes_list {"since": "2026-02-30", "folder": "Wrok"}
    => there is no such day; 2026-02 has 28 days | `Work`? | !a span before now
tasks {"due-before": "2026-02-30"} => 2026-02 has 28 days
command periodic:read {"period": "day", "date": "2026-13-01"} => months go from `01` to `12`
notes_read {"notes": ["Launch plan#Notes"]} => Pass `{ | heading
notes_read {"notes": ["[[Launch plan]]", 42]} => Pass `"NOTE"` | [1]
notes_read {"notes": ["Work", 42]} => `Work` is a folder, not a note | `notes_list` | [1] | !Did you mean
daily_append {"text": "x", "heading": "Log"} => `note_edit` | `content`
# What is advised fits the tool.
daily_append {"content": "x", "ifHash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}
    => Omit `ifHash` to create the note | !notes_search
command notes:change {"changes": [{"command": "property_set", "params": {"path": "NOTE", "name": "status", "value": "x"}}]}
    => In the step, pass the command of this tool: `property:set`. | !Call the tool
# More faults that one answer reports.
tag_add {"tag": "2026", "paths": "NOTE"} => `2026` is not a tag | expected an array
command task {"ref": "NOTE:99", "toggle": true, "done": true} => `toggle` | Pass only one of them | NOTE | 99
command attachment:add {"path": "Work/a.png", "data": "not base64!!", "note": "Work/Lunch plan.md"} => base64 | `NOTE`?
note_edit {"path": "NOTE", "edits": [{"block": "budgt", "mode": "replace", "content": "n"}], "ifHash": "0000000000000000000000000000000000000000000000000000000000000000"}
    => `ifHash` | `edits[0]`
command base:query {"path": "Work/Faults.base"} => inFoldr | hasTagg
command search:context {"q": "venue", "path": "work"} => `query`? | no folder `work` | `Work`?
note_edit {"path": "NOTE", "edits": [{"old": "One.", "content": "1st"}, {"afterLine": 99, "content": "x"}]}
    => [0].content | `edits[1]` | Pass lines that exist in the note
command notes:change {"changes": [{"command": "property:set", "params": {"path": "NOTE", "nam": "status", "value": "x"}}]}
    => Step 1 | `property:set` | `name`? | !`property_set`
command notes:change {"changes": [{"command": "property:sett", "params": {"path": "NOTE", "name": "status", "value": "x"}}]}
    => Step 1 | `property:set`? | !`property_set`
command notes:change {"changes": [{"command": "append", "params": {"path": "Work/Qzxj.md", "content": "x"}}]}
    => Step 1 | `notes_search` | !`notes:search`
move {"path": "Work/Lunch plan.md", "to": "Plan.md"} => `NOTE`? | !no folder
note_edit {"path": "NOTE", "edits": [{"old": "Sail at down.", "new": "x"}, {"old": "One.", "new": "x"}, {"old": "Twoo.", "new": "x"}]}
    => `edits[0]` | `edits[2]` | Sail at dawn. | "edit":2 | !`edits[1]`
command links:path {"from": "Work/Lunch plan.md", "to": "Work/Bugdet.md"} => `NOTE`? | `Work/Budget.md`?
# A parameter that a call cannot use is refused with what it is for.
append {"path": "NOTE", "content": "x", "offset": 3} => does not take `offset` | `note_edit` | "afterLine" | !"run"
create {"path": "Work/Budget.md", "content": "x", "section": "Budget"}
    => {"path":"Work/Budget.md","edits":[{"heading":"Budget","mode":"append","content":"…"}]}
command template:insert {"name": "Meeting", "path": "NOTE"} => {"path":"NOTE","template":"Meeting"} | `template:read`
undo {"dry_run": true} => Did you mean `dryRun`? | `approval`
# What a query asks for in paths and names of files.
command search {"query": "path:Wrok venue"} => No path contains `Wrok`. Did you mean `Work`?
command search {"query": "file:Bugdet"} => Did you mean `Budget`?
notes_read {"notes": [{"path": "NOTE", "heading": "Nots"}]} => Did you mean `## Notes`
command search {"query": "tag:#sea AND status:draft"} => Pass `tag:#sea [status:draft]` as `query`. | !valid operators
# What other programs take.
read {"paths": ["NOTE", "Work/Budget.md"]} => use `notes_read` with `notes`.
command attachment:add {"path": "Work/a.png", "url": "https://example.org/a.png"}
    => Pass the file itself in base64 as `data`.
command folder:delete {"path": "Work"} => No command deletes a folder. | `folder:move`
command delete {"path": "Work"} => `path` of each file | {"folder":"Work"} | `folder:move` | !notes_list
command property:read {"path": "NOTE", "name": "zebra"} => Did you mean `status`, `due` or `topics`?
note_edit {"path": "Work/logo.png", "edits": [{"old": "a", "new": "b"}]} => use `obsidianCli` (`command`: `attachment:add`) | !overwrite
create {"path": "Work/New.md", "content": "x", "dry_run": true} => Did you mean `dryRun`?
append {"path": "NOTE", "content": "x", "if_hash": "abc"} => Did you mean `ifHash`?
command append {"path": "NOTE", "content": "x", "dryRun": true} => `dryRun` belongs next to `params` | !Did you mean
obsidianCli {"command": "search", "args": {"query": "sail"}} => Did you mean `params`? | !correlationId
command base:query {"base": "Projects", "filter": "status == 1"}
    => Did you mean `file`? | Choose a view with `view` | !Instead of `filter`
note_edit {"path": "NOTE", "edits": {"old": "One.", "new": "x"}} => such as `[{"old":"One.","new":"x"}]`
tag_add {"path": "NOTE", "tag": "#my tag"} => write for example `my-tag` | !Send another value
read {"file": "Hotkeys.md#Keys"} => `Hotkeys.md` as `file`
notes_search {"query": "path:Work sail"} => Pass `Work` as `folder` next to `query`
create {"path": "NOTE", "content": "x", "overwrite": "yes"} => `true` or `false` without quotes
undo {"run": "last"} => To undo the last run, omit `run`.
tasks {"path": "NOTE", "completed": true} => Did you mean `done`?
read {"path": "/Work/Budget.md"} => Pass `Work/Budget.md`.
notes_read {"notes": ["/Work/Budget", "/Home.md"]} => `Work/Budget.md`
notes_list {"offset": 500} => `offset` 500 is past the end
command search_notes {"query": "x"} => `search` | !search:open
notes_list {"tag": ["boat", "sea"]} => Pass one string instead of a list, such as `boat`.
"##,
    ) {
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
create {"path": "Dash.md", "content": "x"} => use `obsidianCli` (`command`: `draft:withdraw`) with `{"path":"Dash.md"}`
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
        "The owner of the vault can allow it with `allow_mutations = true` in the settings.",
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
    for row in rows(
        r#"
read {"path": "Secret/Hidden.md", "offset": "x"}
read {"file": "Hidden", "offset": "x"}
notes_list {"folder": "Secret", "limit": 0}
notes_read {"notes": [{"file": "Secret/Hidden.md"}]}
notes_list {"folder": "Secret/Hidden.md"}
"#,
    ) {
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
    has(&text, &["line 8", "plain link"]);
}
