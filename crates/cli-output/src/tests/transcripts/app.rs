//! Outputs about the app, its vaults, folders, files and plugins.

use super::{all_exact, arguments, exact, list, read};
use crate::{Shape, parse};
use serde_json::json;

const CASES: &str = include_str!("app_cases.txt");

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
    all_exact(
        r#"
        VaultInfo ¦  ¦ name\tmemory\npath\t/home/michal/.claude/memory\nfiles\t227\nfolders\t32\nsize\t5822046\n ¦ {"name": "memory", "path": "/home/michal/.claude/memory", "files": 227, "folders": 32, "size": 5822046}
        VaultInfo ¦ info=path ¦ /home/m\n ¦ {"path": "/home/m"}
        VaultInfo ¦ info=size ¦ 5822046\n ¦ {"size": 5822046}
        Vaults ¦  ¦ memory\n ¦ [{"name": "memory"}]
        Vaults ¦ verbose ¦ memory\t/home/michal/.claude/memory\n ¦ [{"name": "memory", "path": "/home/michal/.claude/memory"}]
        Vaults ¦ total ¦ 1\n ¦ {"total": 1}
        "#,
    );
}

/// Outputs recorded in `official-cli.md` §5.1.
#[test]
fn files_and_folders() {
    all_exact(
        r##"
        FileInfo ¦ format=json ¦ path\tSub/a.md\nname\ta\nextension\tmd\nsize\t12\ncreated\t1717000000000\nmodified\t1717000000001\n ¦ {"path": "Sub/a.md", "name": "a", "extension": "md", "size": 12, "created": 1717000000000, "modified": 1717000000001}
        Files ¦  ¦ us1-5kb.md\nus1-12kb.md\n ¦ [{"path": "us1-5kb.md"}, {"path": "us1-12kb.md"}]
        Files ¦ folder=none ¦  ¦ []
        Files ¦ total ¦ 227\n ¦ {"total": 227}
        Folders ¦  ¦ /\nSub\n ¦ [{"path": "/"}, {"path": "Sub"}]
        FolderInfo ¦ path=Sub ¦ path\tSub\nfiles\t3\nfolders\t1\nsize\t99\n ¦ {"path": "Sub", "files": 3, "folders": 1, "size": 99}
        FolderInfo ¦ path=Sub info=folders ¦ 1\n ¦ {"folders": 1}
        Recents ¦  ¦ No recent files.\n ¦ []
        Path ¦  ¦ Daily/2026-11-21.md\n ¦ {"path": "Daily/2026-11-21.md"}
        RandomNote ¦  ¦ Sub/a.md\n\n# A\n\ntext\n ¦ {"path": "Sub/a.md", "content": "# A\\n\\ntext\\n"}
        RandomNote ¦  ¦ No markdown files found.\n ¦ {"total": 0}
        NoteText ¦ path=a.md ¦ \n\nError: not one\r\n\n ¦ {"content": "\\n\\nError: not one\\r\\n\\n"}
        NoteText ¦ path=a.md ¦  ¦ {"content": ""}
        "##,
    );
}

/// Outputs recorded in `official-cli.md` §5.1 and §5.3.
#[test]
fn bases_plugins_and_the_rest() {
    all_exact(
        r#"
        Bases ¦  ¦ Untitled.base\nwiki/meta/dashboard.base\n ¦ [{"path": "Untitled.base"}, {"path": "wiki/meta/dashboard.base"}]
        Bases ¦  ¦ No base files found in vault\n ¦ []
        BaseViews ¦  ¦ All\ttable\n ¦ [{"name": "All", "type": "table"}]
        BaseRows ¦  ¦ []\n ¦ []
        BaseRows ¦ format=paths ¦ a.md\n ¦ [{"path": "a.md"}]
        // Columns are at least three wide; an odd space comes after the cell.
        BaseRows ¦ format=md ¦ |  a  |    b    |\n| --- | ------- |\n| 12  |  日本é  |\n|     | x\\|yz:w |\n ¦ [{"a": "12", "b": "日本é"}, {"a": null, "b": "x|yz:w"}]
        BaseRows ¦ format=csv ¦ a\n""\n1\n""\n ¦ [{"a": null}, {"a": "1"}, {"a": null}]
        WordCount ¦  ¦ words: 2\ncharacters: 11\n ¦ {"words": 2, "characters": 11}
        WordCount ¦ words ¦ 2\n ¦ {"words": 2}
        WordCount ¦ characters ¦ 11\n ¦ {"characters": 11}
        Commands ¦ filter=app: ¦ app:open-another-vault\napp:open-help\n ¦ [{"id": "app:open-another-vault"}, {"id": "app:open-help"}]
        Plugins ¦  ¦ dataview\n ¦ [{"id": "dataview"}]
        Plugins ¦ versions format=json ¦ [\n  {\n    "id": "dataview",\n    "version": "0.5.67"\n  }\n]\n ¦ [{"id": "dataview", "version": "0.5.67"}]
        PluginInfo ¦ id=dataview ¦ type\tcommunity\nname\tDataview\nversion\t0.5.67\nauthor\tM. B.\nenabled\ttrue\ndescription\tComplex\tviews.\n ¦ {"type": "community", "name": "Dataview", "version": "0.5.67", "author": "M. B.", "enabled": true, "description": "Complex\\tviews."}
        Tabs ¦  ¦ [markdown] Title\n ¦ [{"view": "markdown", "title": "Title"}]
        Tabs ¦ ids ¦ [markdown] Title\t0af3\n ¦ [{"view": "markdown", "title": "Title", "id": "0af3"}]
        Workspaces ¦  ¦ Main (active)\nOther\n ¦ [{"name": "Main", "active": true}, {"name": "Other", "active": false}]
        Workspaces ¦  ¦ No workspaces saved.\n ¦ []
        Templates ¦  ¦ Daily\n ¦ [{"name": "Daily"}]
        History ¦  ¦ No history found for this file.\n ¦ []
        History ¦  ¦ 1  2026-01-01 10:00  83 B\n2  2026-01-02 10:00  90 B\n ¦ [{"text": "1  2026-01-01 10:00  83 B"}, {"text": "2  2026-01-02 10:00  90 B"}]
        Raw ¦  ¦ \u{20}disconnected\n ¦ {"text": " disconnected\\n"}
        "#,
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
    let rows = list(
        &json!([{"date": "[[2025-09-28]]", "books": "[[Mark]], [[Isaiah]]"}, {"date": "[[2025-10-12]]", "books": null}]),
    );
    for [form, text] in tables::section(CASES, "bases plugins and the rest") {
        exact(Shape::BaseRows, form, text, &rows);
    }
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
}
