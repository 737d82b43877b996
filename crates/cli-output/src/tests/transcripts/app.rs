//! Outputs about the app, its vaults, folders, files and plugins.
#![expect(clippy::too_many_lines, reason = "tables")]

use super::{arguments, exact, list, read};
use crate::{Shape, parse};
use serde_json::json;

/// Outputs recorded in `official-cli.md` §5.1.
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

/// Outputs recorded in `official-cli.md` §5.1.
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

/// Outputs recorded in `official-cli.md` §5.1 and §5.3.
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
    let rows = list(
        &json!([{"date": "[[2025-09-28]]", "books": "[[Mark]], [[Isaiah]]"}, {"date": "[[2025-10-12]]", "books": null}]),
    );
    for (form, text) in [
        (
            "format=csv",
            "date,books\n[[2025-09-28]],\"[[Mark]], [[Isaiah]]\"\n[[2025-10-12]],\n",
        ),
        (
            "format=tsv",
            "date\tbooks\n[[2025-09-28]]\t[[Mark]], [[Isaiah]]\n[[2025-10-12]]\t\n",
        ),
        (
            "format=md",
            "|      date      |        books         |\n| -------------- | -------------------- |\n| [[2025-09-28]] | [[Mark]], [[Isaiah]] |\n| [[2025-10-12]] |                      |\n",
        ),
    ] {
        exact(Shape::BaseRows, form, text, &rows);
    }
    // Columns are at least three wide; an odd space comes after the cell.
    exact(
        Shape::BaseRows,
        "format=md",
        "|  a  |    b    |\n| --- | ------- |\n| 12  |  日本é  |\n|     | x\\|yz:w |\n",
        &list(&json!([{"a": "12", "b": "日本é"}, {"a": null, "b": "x|yz:w"}])),
    );
    exact(
        Shape::BaseRows,
        "format=csv",
        "a\n\"\"\n1\n\"\"\n",
        &list(&json!([{"a": null}, {"a": "1"}, {"a": null}])),
    );
    assert_eq!(
        read(Shape::BaseRows, "format=csv", "\r\na,a\r\n1,2\r\n"),
        list(&json!([{"a": "1", "a (2)": "2"}]))
    );
    assert_eq!(
        read(Shape::BaseRows, "format=csv", "a,b\n"),
        list(&json!([]))
    );
    for (form, text, line) in [
        ("format=csv", "a,b\n1\n", 2),
        ("format=md", "| a |\n| b |\n", 2),
        ("format=md", "| a |\n| - |\n| [[b|c]] |\n", 3),
        ("format=md", "a\n", 1),
    ] {
        let fault = parse(Shape::BaseRows, &arguments(form), text).unwrap_err();
        assert_eq!(fault.line, line, "{text}");
    }
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
        &list(&json!([])),
    );
    exact(
        Shape::History,
        "",
        "1  2026-01-01 10:00  83 B\n2  2026-01-02 10:00  90 B\n",
        &list(&json!([
            {"text": "1  2026-01-01 10:00  83 B"},
            {"text": "2  2026-01-02 10:00  90 B"},
        ])),
    );
    exact(
        Shape::Raw,
        "",
        " disconnected\n",
        &json!({"text": " disconnected\n"}),
    );
}
