//! Bookmarks, recent files, plugins, themes, snippets and workspaces.

use std::sync::LazyLock;

use vault_files::EngineError;

use super::vault;

const CASES: &str = include_str!("settings_cases.txt");

const BOOKMARKS: &str = include_str!("settings_bookmarks.json");

#[test]
fn bookmarks_in_each_form() {
    let fixture = vault(&[(".obsidian/bookmarks.json", BOOKMARKS)]);
    fixture.check(
        r#"
        bookmarks ¦ "A, ""quoted"""\nSub\ntag:#x\nhttps://example.org\nGraph\n
        bookmarks verbose ¦ file\t"A, ""quoted"""\ta.md#Head\nfolder\tSub\tSub\nsearch\ttag:#x\ttag:#x\nurl\thttps://example.org\thttps://example.org\ngraph\tGraph\t\n
        bookmarks total ¦ 5\n
        bookmarks format=csv ¦ "A, ""quoted"""\nSub\ntag:#x\nhttps://example.org\nGraph\n
        "#,
    );
    let json: serde_json::Value =
        serde_json::from_str(&fixture.prints("bookmarks verbose format=json")).unwrap();
    assert_eq!(
        json[2],
        serde_json::json!({"type": "search", "title": "tag:#x", "target": "tag:#x"})
    );
    let ignored = (
        "CONFIG_IGNORED",
        ".obsidian/bookmarks.json".to_owned(),
        None,
    );
    assert_eq!(
        fixture.warnings("bookmarks"),
        std::slice::from_ref(&ignored)
    );
    assert_eq!(vault(&[]).prints("bookmarks"), "");
    let broken = vault(&[(".obsidian/bookmarks.json", "{\"items\":")]);
    assert_eq!(broken.prints("bookmarks"), "");
    assert_eq!(broken.warnings("bookmarks"), [ignored]);
}

#[test]
fn recents_that_are_still_there() {
    let fixture = vault(&tables::typed::<(&str, &str)>(
        CASES,
        "recents that are still there",
    ));
    fixture.check(
        r"
        recents ¦ b.md\na.png\n
        recents total ¦ 2\n
        ",
    );
    assert_eq!(vault(&[]).prints("recents"), "No recent files.\n");
    let strange = vault(&[(".obsidian/workspace.json", r#"{"lastOpenFiles":7}"#)]);
    assert_eq!(strange.prints("recents"), "No recent files.\n");
    assert_eq!(strange.warnings("recents").len(), 1);
}

static PLUGINS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "plugins"));

#[test]
fn plugins_of_both_kinds() {
    let fixture = vault(&PLUGINS);
    fixture.check(tables::text(CASES, "plugins of both kinds"));
    let core = fixture.prints("plugins filter=core");
    assert_eq!(core.lines().count(), 31);
    assert_eq!(fixture.prints("plugins").lines().count(), 33);
    let on = fixture.prints("plugins:enabled");
    let is_on = |id: &str| on.lines().any(|line| line == id);
    for (id, expected) in [
        ("graph", false),
        ("slides", true),
        ("outline", true),
        ("dataview", true),
    ] {
        assert_eq!(is_on(id), expected, "{id}");
    }
    let broken = ".obsidian/plugins/broken/manifest.json".to_owned();
    assert_eq!(
        fixture.warnings("plugins"),
        [("CONFIG_IGNORED", broken, None)]
    );
}

#[test]
fn core_plugins_in_the_former_forms() {
    let list = (".obsidian/core-plugins.json", r#"["graph","sync"]"#);
    let migration = (
        ".obsidian/core-plugins-migration.json",
        r#"{"graph":false,"sync":true,"outline":false}"#,
    );
    let old = vault(&[list]);
    assert_eq!(old.prints("plugins:enabled"), "graph\nsync\n");
    let between = vault(&[list, migration]).prints("plugins:enabled filter=core");
    let is_on = |id: &str| between.lines().any(|line| line == id);
    assert_eq!(
        [
            is_on("graph"),
            is_on("sync"),
            is_on("outline"),
            is_on("bases")
        ],
        [false, true, false, true]
    );
    let broken = vault(&[(".obsidian/core-plugins.json", "7")]);
    assert_eq!(broken.warnings("plugins").len(), 1);
}

#[cfg(unix)]
#[test]
fn d03_settings_behind_symlinks_are_not_read() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().unwrap();
    fs_err::write(outside.path().join("manifest.json"), r#"{"id":"evil"}"#).unwrap();
    let fixture = vault(&PLUGINS);
    let settings = fixture.vault.root().join(".obsidian");
    symlink(outside.path(), settings.join("plugins/link")).unwrap();
    symlink(
        outside.path().join("manifest.json"),
        settings.join("plugins/empty/manifest.json"),
    )
    .unwrap();
    symlink(
        outside.path().join("manifest.json"),
        settings.join("bookmarks.json"),
    )
    .unwrap();
    assert!(!fixture.prints("plugins").contains("evil"));
    let codes: Vec<_> = fixture
        .warnings("plugins")
        .into_iter()
        .map(|(code, ..)| code)
        .collect();
    assert_eq!(
        codes,
        ["CONFIG_IGNORED", "CONFIG_IGNORED", "SYMLINKS_SKIPPED"]
    );
    assert!(matches!(
        fixture.reply("bookmarks").2,
        Err(EngineError::Symlink { path }) if path.as_str() == ".obsidian/bookmarks.json"
    ));
}

#[test]
fn themes_and_snippets() {
    let fixture = vault(&tables::typed::<(&str, &str)>(CASES, "themes and snippets"));
    fixture.check(tables::text(CASES, "themes and snippets, 2"));
    let bare = vault(&[]);
    bare.check(
        r"
        themes ¦
        theme ¦ name\tDefault\nenabled\ttrue\n
        snippets ¦
        snippets:enabled ¦
        ",
    );
}

#[test]
fn saved_workspaces() {
    let fixture = vault(&[(
        ".obsidian/workspaces.json",
        r#"{"workspaces":{"Write":{},"main":{}},"active":"main"}"#,
    )]);
    fixture.check(
        r"
        workspaces ¦ main (active)\nWrite\n
        workspaces total ¦ 2\n
        ",
    );
    assert_eq!(vault(&[]).prints("workspaces"), "No workspaces saved.\n");
}

#[test]
fn d14_a_settings_file_is_bounded() {
    let huge = format!("{{\"items\":[{}]}}", " ".repeat(2 * 1024 * 1024));
    let fixture = vault(&[(".obsidian/bookmarks.json", &huge)]);
    assert!(matches!(
        fixture.reply("bookmarks").2,
        Err(EngineError::TooLarge { .. })
    ));
    let deep = format!("{{\"items\":{}}}", "[".repeat(100_000));
    let fixture = vault(&[(".obsidian/bookmarks.json", &deep)]);
    assert_eq!(fixture.warnings("bookmarks").len(), 1);
}
