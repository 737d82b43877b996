//! Recorded outputs (`official-cli.md` §5), read and written back byte for byte.
#![expect(clippy::too_many_lines, reason = "tables")]

use crate::{Answer, Arguments, ParseError, Reason, Shape, parse, render};
use serde_json::{Value, json};

fn arguments(words: &str) -> Arguments {
    crate::testing::arguments(&words.split_whitespace().collect::<Vec<_>>())
}

fn data(answer: &Answer) -> Value {
    serde_json::to_value(answer).unwrap()
}

/// The `data` of a whole list.
fn list(items: &Value) -> Value {
    let count = items.as_array().unwrap().len();
    json!({
        "total": count, "returned": count, "offset": 0, "truncated": false, "items": items
    })
}

/// Reads a text, compares its data, and writes it back.
fn exact(shape: Shape, words: &str, text: &str, expected: &Value) {
    let arguments = arguments(words);
    let answer =
        parse(shape, &arguments, text).unwrap_or_else(|error| panic!("{shape:?} {words}: {error}"));
    assert_eq!(data(&answer), *expected, "{shape:?} {words}");
    assert_eq!(
        render(&answer, shape, &arguments),
        text,
        "{shape:?} {words}"
    );
}

/// Reads a text in another form than the one that is rendered.
fn read(shape: Shape, words: &str, text: &str) -> Value {
    let answer = parse(shape, &arguments(words), text)
        .unwrap_or_else(|error| panic!("{shape:?} {words}: {error}"));
    data(&answer)
}

fn refused(shape: Shape, words: &str, text: &str) -> (usize, Reason) {
    let ParseError { line, reason, .. } = parse(shape, &arguments(words), text).unwrap_err();
    (line, reason)
}

/// `official-cli.md` §5.1.
#[test]
fn app_and_vault() {
    let version = |app, installer| json!({"version": app, "installer": installer});
    exact(
        Shape::Version,
        "",
        "1.12.7 (installer 1.12.7)\n",
        &version("1.12.7", "1.12.7"),
    );
    exact(
        Shape::Version,
        "",
        "1.13.7 (installer 1.13.4)\n",
        &version("1.13.7", "1.13.4"),
    );
    let vault =
        "name\tmemory\npath\t/home/michal/.claude/memory\nfiles\t227\nfolders\t32\nsize\t5822046\n";
    exact(
        Shape::VaultInfo,
        "",
        vault,
        &json!({
            "name": "memory", "path": "/home/michal/.claude/memory",
            "files": 227, "folders": 32, "size": 5_822_046
        }),
    );
    exact(
        Shape::VaultInfo,
        "info=path",
        "/home/m\n",
        &json!({"path": "/home/m"}),
    );
    exact(
        Shape::VaultInfo,
        "info=size",
        "5822046\n",
        &json!({"size": 5_822_046}),
    );
    exact(
        Shape::Vaults,
        "",
        "memory\n",
        &list(&json!([{"name": "memory"}])),
    );
    exact(
        Shape::Vaults,
        "verbose",
        "memory\t/home/michal/.claude/memory\n",
        &list(&json!([{"name": "memory", "path": "/home/michal/.claude/memory"}])),
    );
    exact(Shape::Vaults, "total", "1\n", &json!({"total": 1}));
}

/// `official-cli.md` §5.1.
#[test]
fn files_and_folders() {
    exact(
        Shape::FileInfo,
        "format=json",
        "path\tSub/a.md\nname\ta\nextension\tmd\nsize\t12\ncreated\t1717000000000\nmodified\t1717000000001\n",
        &json!({
            "path": "Sub/a.md", "name": "a", "extension": "md", "size": 12,
            "created": 1_717_000_000_000_i64, "modified": 1_717_000_000_001_i64
        }),
    );
    let paths = list(&json!([{"path": "us1-5kb.md"}, {"path": "us1-12kb.md"}]));
    exact(Shape::Files, "", "us1-5kb.md\nus1-12kb.md\n", &paths);
    exact(Shape::Files, "folder=none", "", &list(&json!([])));
    exact(Shape::Files, "total", "227\n", &json!({"total": 227}));
    exact(
        Shape::Folders,
        "",
        "/\nSub\n",
        &list(&json!([{"path": "/"}, {"path": "Sub"}])),
    );
    exact(
        Shape::FolderInfo,
        "path=Sub",
        "path\tSub\nfiles\t3\nfolders\t1\nsize\t99\n",
        &json!({"path": "Sub", "files": 3, "folders": 1, "size": 99}),
    );
    exact(
        Shape::FolderInfo,
        "path=Sub info=folders",
        "1\n",
        &json!({"folders": 1}),
    );
    exact(Shape::Recents, "", "No recent files.\n", &list(&json!([])));
    exact(
        Shape::Path,
        "",
        "Daily/2026-11-21.md\n",
        &json!({"path": "Daily/2026-11-21.md"}),
    );
    exact(
        Shape::RandomNote,
        "",
        "Sub/a.md\n\n# A\n\ntext\n",
        &json!({"path": "Sub/a.md", "content": "# A\n\ntext\n"}),
    );
    exact(
        Shape::RandomNote,
        "",
        "No markdown files found.\n",
        &json!({"total": 0}),
    );
    exact(
        Shape::NoteText,
        "path=a.md",
        "\n\nError: not one\r\n\n",
        &json!({"content": "\n\nError: not one\r\n\n"}),
    );
    exact(Shape::NoteText, "path=a.md", "", &json!({"content": ""}));
}

/// `official-cli.md` §5.1 and §5.3: what was done.
#[test]
fn confirmations() {
    for (words, text, expected) in [
        (
            "",
            "Created: scratch 1.md",
            json!({"action": "created", "path": "scratch 1.md"}),
        ),
        (
            "",
            "Overwrote: a.md",
            json!({"action": "overwrote", "path": "a.md"}),
        ),
        (
            "",
            "Appended to: S/c.md",
            json!({"action": "appended", "path": "S/c.md"}),
        ),
        (
            "",
            "Prepended to: S/c.md",
            json!({"action": "prepended", "path": "S/c.md"}),
        ),
        (
            "",
            "Moved to trash: a.md",
            json!({"action": "trashed", "path": "a.md"}),
        ),
        (
            "",
            "Deleted permanently: a.md",
            json!({"action": "deleted", "path": "a.md"}),
        ),
        (
            "",
            "Moved: a.md -> b/a.md",
            json!({"action": "moved", "path": "a.md", "destination": "b/a.md"}),
        ),
        (
            "path=a->.md",
            "Renamed: a->.md -> b.md",
            json!({"action": "renamed", "path": "a->.md", "destination": "b.md"}),
        ),
        (
            "name=status",
            "Set status: draft: 1",
            json!({"action": "propertySet", "property": "status", "value": "draft: 1"}),
        ),
        (
            "name=a:",
            "Set a:: b\n\nc",
            json!({"action": "propertySet", "property": "a:", "value": "b\n\nc"}),
        ),
        (
            "",
            "Removed: status",
            json!({"action": "propertyRemoved", "property": "status"}),
        ),
        (
            "",
            "Opened: x.md",
            json!({"action": "opened", "path": "x.md"}),
        ),
        (
            "url=https://x.y",
            "Opened: https://x.y",
            json!({"action": "openedUrl", "url": "https://x.y"}),
        ),
        (
            "",
            "Opened search: q",
            json!({"action": "openedSearch", "query": "q"}),
        ),
        (
            "",
            "Opened search: ",
            json!({"action": "openedSearch", "query": ""}),
        ),
        ("", "Opened new tab", json!({"action": "openedTab"})),
        (
            "",
            "Opened view: graph",
            json!({"action": "openedView", "view": "graph"}),
        ),
        (
            "",
            "Executed app:open-help",
            json!({"action": "executed", "id": "app:open-help"}),
        ),
        (
            "",
            "Saved workspace: X",
            json!({"action": "workspaceSaved", "workspace": "X"}),
        ),
        (
            "",
            "Loaded workspace: X",
            json!({"action": "workspaceLoaded", "workspace": "X"}),
        ),
        (
            "",
            "Deleted workspace: X",
            json!({"action": "workspaceDeleted", "workspace": "X"}),
        ),
        ("", "Reloading...", json!({"action": "reloading"})),
    ] {
        exact(Shape::Confirmation, words, &format!("{text}\n"), &expected);
    }
    assert_eq!(
        read(Shape::Confirmation, "", "\r\nMoved: a.md → b.md\r\n"),
        json!({"action": "moved", "path": "a.md", "destination": "b.md"})
    );
    assert_eq!(
        refused(Shape::Confirmation, "", ""),
        (1, Reason::EmptyOutput),
        "an empty output confirms nothing"
    );
    assert_eq!(
        refused(Shape::Confirmation, "", "Created: a.md\nb\n"),
        (2, Reason::MoreLines)
    );
    for text in [
        "Created:\n",
        "Created: \n",
        "Done.\n",
        "created: a.md\n",
        "Moved: a.md\n",
    ] {
        let (line, reason) = refused(Shape::Confirmation, "", text);
        assert!(
            matches!((line, reason), (1, Reason::Pattern { .. })),
            "{text}"
        );
    }
}

/// `official-cli.md` §5.2.
#[test]
fn tags_and_properties() {
    exact(
        Shape::Tags,
        "",
        "#agent-skills\n#assets\n#AskUserQuestion\n",
        &list(&json!([{"tag": "#agent-skills"}, {"tag": "#assets"}, {"tag": "#AskUserQuestion"}])),
    );
    let counted = list(&json!([{"tag": "#foo", "count": 3}]));
    exact(Shape::Tags, "counts", "#foo\t3\n", &counted);
    exact(Shape::Tags, "counts format=csv", "#foo,3\n", &counted);
    exact(
        Shape::Tags,
        "counts format=json",
        "[\n  {\n    \"tag\": \"#foo\",\n    \"count\": \"3\"\n  }\n]\n",
        &counted,
    );
    assert_eq!(
        read(
            Shape::Tags,
            "counts format=json",
            "[{\"tag\":\"#foo\",\"count\":3}]\r\n"
        ),
        counted
    );
    exact(
        Shape::Tags,
        "format=json",
        "No tags found.\n",
        &list(&json!([])),
    );
    exact(
        Shape::Tag,
        "name=alpha",
        "a.md\nb.md\n",
        &json!({"tag": "#alpha", "files": list(&json!([{"path": "a.md"}, {"path": "b.md"}]))}),
    );
    exact(
        Shape::Tag,
        "name=alpha verbose",
        "#alpha\t3\na.md\n",
        &json!({"tag": "#alpha", "count": 3, "files": list(&json!([{"path": "a.md"}]))}),
    );
    exact(Shape::Tag, "name=alpha total", "2\n", &json!({"total": 2}));

    let frontmatter =
        json!({"properties": {"title": "A", "n": 1.5, "tags": ["a", "b"], "x": null}});
    exact(
        Shape::Properties,
        "path=a.md",
        "title: A\nn: 1.5\ntags:\n  - a\n  - b\nx:\n",
        &frontmatter,
    );
    exact(
        Shape::Properties,
        "path=a.md format=json",
        "{\n  \"title\": \"A\",\n  \"n\": 1.5,\n  \"tags\": [\n    \"a\",\n    \"b\"\n  ],\n  \"x\": null\n}\n",
        &frontmatter,
    );
    exact(
        Shape::Properties,
        "file=a format=tsv",
        "title\tA\ntags\ta, b\n",
        &json!({"properties": {"title": "A", "tags": "a, b"}}),
    );
    for words in ["path=a.md", "path=a.md format=json", "active format=tsv"] {
        exact(
            Shape::Properties,
            words,
            "No frontmatter found.\n",
            &json!({"properties": {}}),
        );
    }
    exact(
        Shape::Properties,
        "",
        "aliases\ntags\n",
        &list(&json!([{"name": "aliases"}, {"name": "tags"}])),
    );
    exact(
        Shape::Properties,
        "counts",
        "tags\t4\n",
        &list(&json!([{"name": "tags", "count": 4}])),
    );
    exact(
        Shape::Properties,
        "counts format=json",
        "[\n  {\n    \"name\": \"tags\",\n    \"type\": \"tags\",\n    \"count\": 4\n  }\n]\n",
        &list(&json!([{"name": "tags", "type": "tags", "count": 4}])),
    );
    exact(Shape::Properties, "total", "12\n", &json!({"total": 12}));
    exact(
        Shape::Properties,
        "name=author",
        "5\n",
        &json!({"name": "author", "count": 5}),
    );

    let value = |values: Value| json!({"name": "k", "values": values});
    exact(
        Shape::PropertyValue,
        "name=k",
        "draft\n",
        &value(json!(["draft"])),
    );
    exact(
        Shape::PropertyValue,
        "name=k",
        "a\n\nb\n",
        &value(json!(["a", "", "b"])),
    );
    exact(
        Shape::PropertyValue,
        "name=k",
        "(empty)\n",
        &value(json!([])),
    );

    exact(
        Shape::Aliases,
        "",
        "One\nTwo\n",
        &list(&json!([{"alias": "One"}, {"alias": "Two"}])),
    );
    exact(
        Shape::Aliases,
        "verbose",
        "One\ta.md, b.md\n",
        &list(&json!([{"alias": "One", "paths": ["a.md", "b.md"]}])),
    );
    exact(Shape::Aliases, "", "No aliases found.\n", &list(&json!([])));
}

/// `official-cli.md` §5.2.
#[test]
fn links() {
    exact(
        Shape::Backlinks,
        "format=json",
        "[\n  {\n    \"file\": \"notes/index.md\"\n  }\n]\n",
        &list(&json!([{"path": "notes/index.md"}])),
    );
    exact(
        Shape::Backlinks,
        "",
        "notes/index.md\n",
        &list(&json!([{"path": "notes/index.md"}])),
    );
    exact(
        Shape::Backlinks,
        "counts",
        "notes/index.md\t2\n",
        &list(&json!([{"path": "notes/index.md", "count": 2}])),
    );
    exact(
        Shape::Backlinks,
        "path=Welcome.md total format=json",
        "1\n",
        &json!({"total": 1}),
    );
    assert_eq!(
        read(
            Shape::Backlinks,
            "counts format=json",
            "[{\"file\":\"Fixtures/BI-017/inline-markdown.md\",\"count\":\"1\"}]\n"
        ),
        list(&json!([{"path": "Fixtures/BI-017/inline-markdown.md", "count": 1}]))
    );
    exact(
        Shape::Backlinks,
        "format=json",
        "No backlinks found.\n",
        &list(&json!([])),
    );
    exact(
        Shape::Links,
        "format=json",
        "a.md\nb c (unresolved)\n",
        &list(&json!([{"kind": "file", "path": "a.md"}, {"kind": "unresolved", "target": "b c"}])),
    );
    exact(Shape::Links, "", "No links found.\n", &list(&json!([])));
    exact(
        Shape::Unresolved,
        "",
        "Missing\n",
        &list(&json!([{"link": "Missing"}])),
    );
    exact(
        Shape::Unresolved,
        "counts",
        "X\t2\n",
        &list(&json!([{"link": "X", "count": 2}])),
    );
    let sources = list(&json!([{"link": "X", "count": 2, "sources": ["Welcome.md", "a.md"]}]));
    exact(
        Shape::Unresolved,
        "verbose",
        "X\t2\tWelcome.md, a.md\n",
        &sources,
    );
    exact(
        Shape::Unresolved,
        "format=json",
        "[\n  {\n    \"link\": \"X\"\n  }\n]\n",
        &list(&json!([{"link": "X"}])),
    );
    assert_eq!(
        read(
            Shape::Unresolved,
            "verbose format=json",
            "[{\"link\":\"X\",\"count\":\"2\",\"sources\":\"Welcome.md, a.md\"}]"
        ),
        sources
    );
    exact(
        Shape::Unresolved,
        "",
        "No unresolved links found.\n",
        &list(&json!([])),
    );
    for words in ["", "format=json"] {
        exact(
            Shape::Orphans,
            words,
            "_templates/x.md\nAGENTS.md\nagents/x.md\nbin/setup-vault.sh\n",
            &list(&json!([
                {"path": "_templates/x.md"}, {"path": "AGENTS.md"},
                {"path": "agents/x.md"}, {"path": "bin/setup-vault.sh"}
            ])),
        );
        exact(
            Shape::Orphans,
            words,
            "No orphan files found.\n",
            &list(&json!([])),
        );
        exact(
            Shape::Deadends,
            words,
            "No dead-end files found.\n",
            &list(&json!([])),
        );
    }
}

/// `official-cli.md` §5.2.
#[test]
fn outline_and_tasks() {
    exact(
        Shape::Outline,
        "path=a.md",
        "├── A\n│   ├── B\n│   └── # C\n│       └── └── D\n└── E\n",
        &list(&json!([
            {"depth": 1, "heading": "A"}, {"depth": 2, "heading": "B"},
            {"depth": 2, "heading": "# C"}, {"depth": 3, "heading": "└── D"},
            {"depth": 1, "heading": "E"}
        ])),
    );
    exact(
        Shape::Outline,
        "format=md",
        "# A\n### # B\n## \n",
        &list(&json!([
            {"level": 1, "heading": "A"}, {"level": 3, "heading": "# B"},
            {"level": 2, "heading": ""}
        ])),
    );
    exact(
        Shape::Outline,
        "format=json",
        "[\n  {\n    \"level\": 1,\n    \"heading\": \"A\",\n    \"line\": 3\n  }\n]\n",
        &list(&json!([{"level": 1, "heading": "A", "line": 3}])),
    );
    exact(
        Shape::Outline,
        "format=json",
        "No headings found.\n",
        &list(&json!([])),
    );
    exact(
        Shape::Outline,
        "total",
        "No headings found.\n",
        &json!({"total": 0}),
    );
    exact(Shape::Outline, "total", "4\n", &json!({"total": 4}));

    exact(
        Shape::Tasks,
        "",
        "- [x] **Dead link detection** — 0 broken\n\t1. [ ] b\n",
        &list(&json!([
            {"status": "x", "text": "- [x] **Dead link detection** — 0 broken"},
            {"status": " ", "text": "\t1. [ ] b"}
        ])),
    );
    let task = list(&json!([
        {"status": " ", "text": "- [ ] buy milk", "path": "2026-04-09.md", "line": 2}
    ]));
    assert_eq!(
        read(
            Shape::Tasks,
            "daily format=json",
            "[{\"status\":\" \",\"text\":\"- [ ] buy milk\",\"file\":\"2026-04-09.md\",\"line\":\"2\"}]\n"
        ),
        task
    );
    exact(
        Shape::Tasks,
        "format=json",
        "[\n  {\n    \"status\": \" \",\n    \"text\": \"- [ ] buy milk\",\n    \"file\": \"2026-04-09.md\",\n    \"line\": \"2\"\n  }\n]\n",
        &task,
    );
    exact(
        Shape::Tasks,
        "format=json",
        "No tasks found.\n",
        &list(&json!([])),
    );
    exact(
        Shape::Tasks,
        "verbose",
        "No tasks found.\n",
        &list(&json!([])),
    );
    exact(
        Shape::Tasks,
        "verbose",
        "a.md\n1: - [ ] b\n",
        &json!({"text": "a.md\n1: - [ ] b\n"}),
    );
    assert_eq!(
        refused(Shape::Tasks, "", "- [ ] a\nb\n"),
        (
            2,
            Reason::Pattern {
                pattern: "- [ ] task"
            }
        )
    );
}

/// `official-cli.md` §5.2.
#[test]
fn searches() {
    let hits = list(&json!([
        {"path": "Welcome.md"}, {"path": "Fixtures/BI-017/inline-markdown.md"}
    ]));
    exact(
        Shape::Search,
        "format=json",
        "[\"Welcome.md\",\"Fixtures/BI-017/inline-markdown.md\"]\n",
        &hits,
    );
    exact(
        Shape::Search,
        "",
        "Welcome.md\nFixtures/BI-017/inline-markdown.md\n",
        &hits,
    );
    exact(Shape::Search, "total", "3\n", &json!({"total": 3}));
    exact(
        Shape::Search,
        "total format=json",
        "{\"total\":3}\n",
        &json!({"total": 3}),
    );
    for (words, text) in [
        ("", "\nNo matches found.\n"),
        ("format=json", "No matches found.\r\n"),
        ("format=json", "[]\n"),
    ] {
        assert_eq!(
            read(Shape::Search, words, text),
            list(&json!([])),
            "{text:?}"
        );
    }
    assert_eq!(
        read(Shape::Search, "total", "No matches found.\n"),
        json!({"total": 0})
    );
    let context = list(&json!([
        {"path": "Sandbox/bi033-md.md", "matches": [
            {"line": 2, "text": "bi033-token here on line 2"},
            {"line": 2, "text": "bi033-token here on line 2"},
            {"line": 14, "text": "a:3: b"}
        ]},
        {"path": "bi033.md", "matches": []}
    ]));
    exact(
        Shape::SearchContext,
        "format=json",
        "[{\"file\":\"Sandbox/bi033-md.md\",\"matches\":[{\"line\":2,\"text\":\"bi033-token here on line 2\"},{\"line\":2,\"text\":\"bi033-token here on line 2\"},{\"line\":14,\"text\":\"a:3: b\"}]},{\"file\":\"bi033.md\",\"matches\":[]}]\n",
        &context,
    );
    exact(
        Shape::SearchContext,
        "",
        "Sandbox/bi033-md.md:2: bi033-token here on line 2\nSandbox/bi033-md.md:2: bi033-token here on line 2\nSandbox/bi033-md.md:14: a:3: b\nbi033.md\n",
        &context,
    );
    exact(
        Shape::SearchContext,
        "",
        "No matches found.\n",
        &list(&json!([])),
    );
}

/// `official-cli.md` §5.1, §5.3.
#[test]
fn bases_plugins_and_the_rest() {
    exact(
        Shape::Bases,
        "",
        "Untitled.base\nwiki/meta/dashboard.base\n",
        &list(&json!([{"path": "Untitled.base"}, {"path": "wiki/meta/dashboard.base"}])),
    );
    exact(
        Shape::Bases,
        "",
        "No base files found in vault\n",
        &list(&json!([])),
    );
    exact(
        Shape::BaseViews,
        "",
        "All\ttable\n",
        &list(&json!([{"name": "All", "type": "table"}])),
    );
    let rows = list(&json!([{"path": "a.md", "id": "1", "due": null}]));
    assert_eq!(
        read(
            Shape::BaseRows,
            "",
            "[{ \"path\": \"a.md\", \"id\": \"1\", \"due\": null }]\n"
        ),
        rows
    );
    exact(Shape::BaseRows, "", "[]\n", &list(&json!([])));
    exact(
        Shape::BaseRows,
        "format=paths",
        "a.md\n",
        &list(&json!([{"path": "a.md"}])),
    );
    exact(
        Shape::BaseRows,
        "format=csv",
        "a.md,1\n",
        &json!({"text": "a.md,1\n"}),
    );
    exact(
        Shape::WordCount,
        "",
        "words: 2\ncharacters: 11\n",
        &json!({"words": 2, "characters": 11}),
    );
    exact(Shape::WordCount, "words", "2\n", &json!({"words": 2}));
    exact(
        Shape::WordCount,
        "characters",
        "11\n",
        &json!({"characters": 11}),
    );
    exact(
        Shape::Commands,
        "filter=app:",
        "app:open-another-vault\napp:open-help\n",
        &list(&json!([{"id": "app:open-another-vault"}, {"id": "app:open-help"}])),
    );
    exact(
        Shape::Plugins,
        "",
        "dataview\n",
        &list(&json!([{"id": "dataview"}])),
    );
    exact(
        Shape::Plugins,
        "versions format=json",
        "[\n  {\n    \"id\": \"dataview\",\n    \"version\": \"0.5.67\"\n  }\n]\n",
        &list(&json!([{"id": "dataview", "version": "0.5.67"}])),
    );
    exact(
        Shape::PluginInfo,
        "id=dataview",
        "type\tcommunity\nname\tDataview\nversion\t0.5.67\nauthor\tM. B.\nenabled\ttrue\ndescription\tComplex\tviews.\n",
        &json!({
            "type": "community", "name": "Dataview", "version": "0.5.67", "author": "M. B.",
            "enabled": true, "description": "Complex\tviews."
        }),
    );
    exact(
        Shape::Tabs,
        "",
        "[markdown] Title\n",
        &list(&json!([{"view": "markdown", "title": "Title"}])),
    );
    exact(
        Shape::Tabs,
        "ids",
        "[markdown] Title\t0af3\n",
        &list(&json!([{"view": "markdown", "title": "Title", "id": "0af3"}])),
    );
    exact(
        Shape::Workspaces,
        "",
        "Main (active)\nOther\n",
        &list(&json!([{"name": "Main", "active": true}, {"name": "Other", "active": false}])),
    );
    exact(
        Shape::Workspaces,
        "",
        "No workspaces saved.\n",
        &list(&json!([])),
    );
    exact(
        Shape::Templates,
        "",
        "Daily\n",
        &list(&json!([{"name": "Daily"}])),
    );
    exact(
        Shape::History,
        "",
        "No history found for this file.\n",
        &json!({"text": ""}),
    );
    exact(
        Shape::History,
        "",
        "1  2026-01-01 10:00  83 B\n",
        &json!({"text": "1  2026-01-01 10:00  83 B\n"}),
    );
    exact(
        Shape::Raw,
        "",
        " disconnected\n",
        &json!({"text": " disconnected\n"}),
    );
}

/// An unknown `format=` is the default one (`official-cli.md` §4).
#[test]
fn an_unknown_format_is_the_default() {
    exact(
        Shape::Tags,
        "format=xml",
        "#a\n",
        &list(&json!([{"tag": "#a"}])),
    );
    exact(
        Shape::Search,
        "format=tsv",
        "a.md\n",
        &list(&json!([{"path": "a.md"}])),
    );
    exact(
        Shape::Outline,
        "format=csv",
        "└── A\n",
        &list(&json!([{"depth": 1, "heading": "A"}])),
    );
}

/// `design.md` §0, promise 2: a text that is not of the shape is never taken for one.
#[test]
fn other_texts_are_refused_with_their_line() {
    for (shape, words, text, line) in [
        (Shape::Tags, "", "#a\nError: x\n", 2),
        (Shape::Tags, "counts", "#a\tmany\n", 1),
        (Shape::Tags, "counts format=json", "\n[\n{\"tag\": 1}]\n", 3),
        (Shape::Files, "", "a.md\n\nb.md\n", 2),
        (Shape::Files, "total", "many\n", 1),
        (Shape::Search, "", "", 1),
        (Shape::Search, "format=json", "a.md\n", 1),
        (Shape::Version, "", "1.12 (installer 1.12.7)\n", 1),
        (Shape::FileInfo, "", "path\ta.md\nname\ta\n", 3),
        (Shape::VaultInfo, "", "name\n", 1),
        (Shape::WordCount, "", "words: 2\ncharacters: x\n", 2),
        (Shape::Outline, "", "├── A\nB\n", 2),
        (Shape::Outline, "format=md", "# A\n####### B\n", 2),
        (Shape::RandomNote, "", "a.md\ntext\n", 2),
        (Shape::Tag, "name=a verbose", "a.md\n", 1),
        (Shape::Tag, "", "a.md\n", 1),
        (Shape::Properties, "path=a.md format=json", "[]\n", 1),
        (Shape::Properties, "path=a.md", "words\n", 1),
        (Shape::PropertyValue, "name=k", "", 1),
        (
            Shape::PluginInfo,
            "",
            "type\tcore\nname\tx\nenabled\tmaybe\n",
            3,
        ),
        (Shape::BaseViews, "", "All\n", 1),
        (Shape::Tabs, "", "Title\n", 1),
        (Shape::Path, "", "a.md\nb.md\n", 2),
    ] {
        let error = parse(shape, &arguments(words), text).unwrap_err();
        assert_eq!(
            (error.shape, error.line),
            (shape, line),
            "{shape:?} {text:?}: {error}"
        );
        assert!(error.to_string().contains(shape.name()));
    }
}
