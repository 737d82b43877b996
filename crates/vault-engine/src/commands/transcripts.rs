//! What commands over properties and settings print, for small vaults.

use cli_output::{Arguments, Shape, render};
use jiff::civil::date;
use jiff::tz::TimeZone;

use super::*;
use crate::registry::Registry;

struct Fixture {
    vault: Vault,
    surroundings: Surroundings,
    _folder: tempfile::TempDir,
}

fn vault(files: &[(&str, &str)]) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }
    Fixture {
        vault: Vault::open(folder.path()).unwrap(),
        surroundings: Surroundings {
            now: date(2026, 3, 7)
                .at(9, 5, 0, 0)
                .to_zoned(TimeZone::UTC)
                .unwrap(),
            random: 0,
            registry: Registry::parse("{}").unwrap(),
        },
        _folder: folder,
    }
}

fn shape(command: &str) -> Shape {
    match command {
        "aliases" => Shape::Aliases,
        "base:views" => Shape::BaseViews,
        "bases" => Shape::Bases,
        "plugin" => Shape::PluginInfo,
        "plugins" | "plugins:enabled" => Shape::Plugins,
        "properties" => Shape::Properties,
        "property:read" => Shape::PropertyValue,
        "recents" => Shape::Recents,
        "template:read" => Shape::NoteText,
        "templates" => Shape::Templates,
        "wordcount" => Shape::WordCount,
        "workspaces" => Shape::Workspaces,
        _ => Shape::Raw,
    }
}

impl Fixture {
    fn reply(&self, line: &str) -> (Shape, Arguments, Result<Reply, EngineError>) {
        let mut words = line.split(' ');
        let command = words.next().unwrap();
        let mut arguments = Arguments::default();
        for word in words {
            match word.split_once('=') {
                Some((key, value)) => {
                    let value = value.replace('+', " ");
                    arguments.params.insert(key.into(), value);
                }
                None => {
                    arguments.flags.insert(word.into());
                }
            }
        }
        let reply = reply(&self.vault, command, &arguments, &self.surroundings);
        (shape(command), arguments, reply)
    }

    /// What the app would print, its errors included.
    fn prints(&self, line: &str) -> String {
        match self.reply(line) {
            (shape, arguments, Ok(reply)) => render(&reply.answer, shape, &arguments),
            (_, _, Err(EngineError::App(error))) => format!("{error}\n"),
            (_, _, Err(error)) => panic!("{line}: {error}"),
        }
    }

    /// Code, path and line of each warning.
    fn warnings(&self, line: &str) -> Vec<(&'static str, String, Option<usize>)> {
        let warnings = self.reply(line).2.unwrap().warnings;
        warnings
            .iter()
            .map(|warning| (warning.code(), warning.path().to_string(), warning.line()))
            .collect()
    }

    #[track_caller]
    fn check(&self, expected: &[(&str, &str)]) {
        for (line, text) in expected {
            assert_eq!(self.prints(line), *text, "{line}");
        }
    }
}

const NOTES: &[(&str, &str)] = &[
    (
        ".obsidian/types.json",
        r#"{"types":{"due":"date","Rating":"number"}}"#,
    ),
    (
        "a.md",
        "---\nstatus: draft\nDue: 2026-01-02\nrating: 4.50\ntags: [x, y/z]\naliases:\n  - First\n  - B 2\ndone: false\nnothing:\nempty: \"\"\nnested: {k: 1}\nmixed: [1, a, null]\n---\nbody\n",
    ),
    ("b.md", "---\r\nSTATUS: 3\r\naliases: B 2, b 10\r\n---\r\n"),
    ("c.md", "no properties\n---\n"),
    ("sub/a.txt", "---\nhidden: 1\n---\n"),
    (
        "sub/d.md",
        "---\nstatus: final\nrating: 12345678901234567890\nwhen: 2026-01-02T03:04\naliases: [B 2, B 2]\n---",
    ),
];

#[test]
fn properties_of_one_note() {
    vault(NOTES).check(&[
        (
            "properties path=a.md",
            "status: draft\nDue: 2026-01-02\nrating: 4.5\ntags:\n  - x\n  - y/z\naliases:\n  - First\n  - B 2\ndone: false\nnothing:\nempty: \"\"\nnested:\n  k: 1\nmixed:\n  - 1\n  - a\n  -\n",
        ),
        (
            "properties file=b format=json",
            "{\n  \"STATUS\": 3,\n  \"aliases\": \"B 2, b 10\"\n}\n",
        ),
        (
            "properties path=a.md format=tsv",
            "status\tdraft\nDue\t2026-01-02\nrating\t4.5\ntags\tx, y/z\naliases\tFirst, B 2\ndone\tfalse\nempty\t\nnested\t[object Object]\nmixed\t1, a, \n",
        ),
        ("properties path=a.md total", "10\n"),
        ("properties path=a.md name=status", "1\n"),
        ("properties path=a.md name=Status", "Error: Property \"Status\" not found.\n"),
        ("properties path=c.md", "No frontmatter found.\n"),
        ("properties path=c.md format=json", "No frontmatter found.\n"),
        ("properties path=sub/a.txt", "No frontmatter found.\n"),
        ("properties path=none.md", "Error: File \"none.md\" not found.\n"),
        (
            "properties active",
            "Error: No active file. Use file=<name> or path=<path> to specify a file.\n",
        ),
    ]);
}

#[test]
fn property_names_of_the_vault() {
    let fixture = vault(NOTES);
    fixture.check(&[
        (
            "properties",
            "aliases\ncssclasses\ndone\nDue\nempty\nmixed\nnested\nnothing\nrating\nstatus\ntags\nwhen\n",
        ),
        (
            "properties counts sort=count",
            "aliases\t3\nstatus\t3\nrating\t2\ndone\t1\nDue\t1\nempty\t1\nmixed\t1\nnested\t1\nnothing\t1\ntags\t1\nwhen\t1\ncssclasses\t0\n",
        ),
        ("properties total", "12\n"),
        ("properties name=Status", "3\n"),
        ("properties name=cssclasses", "0\n"),
        ("properties name=hidden", "Error: Property \"hidden\" not found.\n"),
    ]);
    let json: serde_json::Value =
        serde_json::from_str(&fixture.prints("properties format=json")).unwrap();
    let types: Vec<_> = json
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let text = |key: &str| row[key].as_str().unwrap().to_owned();
            (text("name"), text("type"), row["count"].as_u64().unwrap())
        })
        .collect();
    let row = |name: &str, kind: &str, count| (name.to_owned(), kind.to_owned(), count);
    assert_eq!(
        types,
        [
            row("aliases", "aliases", 3),
            row("cssclasses", "multitext", 0),
            row("done", "checkbox", 1),
            row("Due", "date", 1),
            row("empty", "text", 1),
            row("mixed", "unknown", 1),
            row("nested", "unknown", 1),
            row("nothing", "text", 1),
            row("rating", "number", 2),
            row("status", "text", 3),
            row("tags", "tags", 1),
            row("when", "datetime", 1),
        ]
    );
    assert_eq!(fixture.warnings("properties"), []);
    assert_eq!(
        vault(&[]).prints("properties"),
        "aliases\ncssclasses\ntags\n"
    );
}

#[test]
fn property_values() {
    vault(NOTES).check(&[
        ("property:read name=status path=a.md", "draft\n"),
        ("property:read name=Due path=a.md", "2026-01-02\n"),
        ("property:read name=rating path=a.md", "4.5\n"),
        ("property:read name=rating path=sub/d.md", "12345678901234567000\n"),
        ("property:read name=tags path=a.md", "x\ny/z\n"),
        ("property:read name=done path=a.md", "false\n"),
        ("property:read name=nothing path=a.md", "(empty)\n"),
        ("property:read name=empty path=a.md", "(empty)\n"),
        ("property:read name=nested path=a.md", "[object Object]\n"),
        ("property:read name=mixed path=a.md", "1\na\n"),
        ("property:read name=due path=a.md", "Error: Property \"due\" not found.\n"),
        ("property:read name=x path=c.md", "Error: Property \"x\" not found.\n"),
        ("property:read name=x path=none.md", "Error: File \"none.md\" not found.\n"),
        (
            "property:read path=a.md",
            "Error: Missing required parameter: name=<name>\nUsage: property:read name=<name> [file=<name>] [path=<path>]\n",
        ),
        ("property:read name= path=a.md", "Error: Missing required parameter: name\n"),
    ]);
}

#[test]
fn aliases_of_vault_and_note() {
    let fixture = vault(NOTES);
    fixture.check(&[
        ("aliases", "B 2\nb 10\nFirst\n"),
        (
            "aliases verbose",
            "B 2\ta.md, b.md, sub/d.md\nb 10\tb.md\nFirst\ta.md\n",
        ),
        ("aliases total", "3\n"),
        ("aliases path=a.md", "First\nB 2\n"),
        ("aliases path=b.md verbose", "B 2\tb.md\nb 10\tb.md\n"),
        ("aliases path=sub/d.md total", "2\n"),
        ("aliases path=c.md", "No aliases found.\n"),
        ("aliases path=x.md", "Error: File \"x.md\" not found.\n"),
    ]);
    assert_eq!(vault(&[]).prints("aliases"), "No aliases found.\n");
}

#[test]
fn malformed_properties_are_one_warning_each_and_no_failure() {
    let fixture = vault(&[
        ("good.md", "---\nkey: 1\naliases: [A]\n---\n"),
        ("twice.md", "---\nkey: 1\nkey: 2\n---\n"),
        ("syntax.md", "---\nok: 1\na: b: c\n---\n"),
    ]);
    fs_err::write(
        fixture.vault.root().join("latin.md"),
        b"---\nname: caf\xe9\n---\n",
    )
    .unwrap();
    fixture.check(&[
        ("properties name=key", "1\n"),
        ("properties path=twice.md", "No frontmatter found.\n"),
        (
            "property:read name=key path=twice.md",
            "Error: Property \"key\" not found.\n",
        ),
        ("property:read name=name path=latin.md", "caf\u{fffd}\n"),
    ]);
    let invalid = |path: &str, line| ("INVALID_FRONTMATTER", path.to_owned(), Some(line));
    let not_utf8 = ("NOT_UTF8", "latin.md".to_owned(), None);
    for line in ["properties", "aliases"] {
        assert_eq!(
            fixture.warnings(line),
            [
                not_utf8.clone(),
                invalid("syntax.md", 3),
                invalid("twice.md", 3)
            ],
            "{line}"
        );
    }
    assert_eq!(
        fixture.warnings("properties path=twice.md"),
        [invalid("twice.md", 3)]
    );
    assert_eq!(
        fixture.warnings("property:read name=name path=latin.md"),
        [not_utf8]
    );
}

#[test]
fn a_long_head_is_read_to_its_end_and_no_further() {
    let long = format!(
        "---\nlist:\n{}last: 1\n---\n{}",
        "- é word\n".repeat(2000),
        "x".repeat(9000)
    );
    // The line that begins like a fence goes on.
    let cut = format!(
        "---\nkey: {}\n---x\n---\n",
        "y".repeat(4096 - 4 - 5 - 5 + 1)
    );
    let fixture = vault(&[
        ("long.md", &long),
        ("cut.md", &cut),
        ("open.md", &long[..9000]),
    ]);
    fixture.check(&[
        ("properties name=last", "1\n"),
        (
            "properties name=key",
            "Error: Property \"key\" not found.\n",
        ),
    ]);
    assert_eq!(fixture.warnings("properties name=last").len(), 1);
}

const TEMPLATES: &[(&str, &str)] = &[
    (
        ".obsidian/templates.json",
        r#"{"folder":"Meta/Templates/","dateFormat":"DD.MM.YYYY"}"#,
    ),
    (
        "Meta/Templates/Daily.md",
        "# {{title}}\n{{date}} {{time}} {{date:YYYY}}",
    ),
    ("Meta/Templates/deep/Trip.md", "trip"),
    ("Meta/Templates/10 v1.2.md", "dots"),
    ("Meta/Templates/9.md", "nine"),
    ("Meta/Templates/image.png", ""),
    ("Other.md", ""),
];

#[test]
fn templates_by_name() {
    vault(TEMPLATES).check(&[
        ("templates", "9\n10 v1.2\nDaily\ndeep/Trip\n"),
        ("templates total", "4\n"),
        ("template:read name=Daily", "# {{title}}\n{{date}} {{time}} {{date:YYYY}}\n"),
        ("template:read name=daily.md title=T", "# {{title}}\n{{date}} {{time}} {{date:YYYY}}\n"),
        ("template:read name=Daily resolve title=My+{{date}}", "# My {{date}}\n07.03.2026 09:05 2026\n"),
        ("template:read name=Daily resolve", "# {{title}}\n07.03.2026 09:05 2026\n"),
        ("template:read name=deep/trip", "trip\n"),
        ("template:read name=10+v1.2", "dots\n"),
        ("template:read name=Trip", "Error: Template \"Trip\" not found.\n"),
        ("template:read name=../../Other", "Error: Template \"../../Other\" not found.\n"),
        (
            "template:read",
            "Error: Missing required parameter: name=<template>\nUsage: template:read name=<template> [resolve] [title=<title>]\n",
        ),
    ]);
}

#[test]
fn a_resolved_template_is_not_the_files_bytes() {
    let fixture = vault(TEMPLATES);
    let bytes = |line: &str| fixture.reply(line).2.unwrap().bytes;
    assert_eq!(bytes("template:read name=9").as_deref(), Some(&b"nine"[..]));
    assert_eq!(bytes("template:read name=9 resolve"), None);
}

#[test]
fn d01_the_template_folder_cannot_lead_out_of_the_vault() {
    for (settings, expected) in [
        (r"{}", "Error: No template folder configured.\n"),
        (
            r#"{"folder":""}"#,
            "Error: No template folder configured.\n",
        ),
        (
            r#"{"folder":"none"}"#,
            "Error: Template folder \"none\" not found.\n",
        ),
        (
            r#"{"folder":"../out"}"#,
            "Error: Template folder \"../out\" not found.\n",
        ),
        (
            r#"{"folder":".obsidian"}"#,
            "Error: Template folder \".obsidian\" not found.\n",
        ),
        (
            r#"{"folder":"a.md"}"#,
            "Error: Template folder \"a.md\" not found.\n",
        ),
        (r#"{"folder":"/"}"#, "a\n"),
    ] {
        let fixture = vault(&[(".obsidian/templates.json", settings), ("a.md", "")]);
        assert_eq!(fixture.prints("templates"), expected, "{settings}");
    }
    let none = vault(&[(".obsidian/templates.json", "[")]);
    assert_eq!(
        none.prints("templates"),
        "Error: No template folder configured.\n"
    );
}

const BOOKMARKS: &str = r##"{"items":[
  {"type":"file","ctime":1,"path":"a.md","subpath":"#Head","title":"A, \"quoted\""},
  {"type":"group","ctime":2,"title":"G","items":[
    {"type":"folder","ctime":3,"path":"Sub"},
    {"type":"group","ctime":4,"title":"H","items":[{"type":"search","ctime":5,"query":"tag:#x"}]}
  ]},
  7,
  {"type":"url","ctime":6,"url":"https://example.org","title":""},
  {"type":"graph","ctime":7,"title":"Graph"}
]}"##;

#[test]
fn bookmarks_in_each_form() {
    let fixture = vault(&[(".obsidian/bookmarks.json", BOOKMARKS)]);
    fixture.check(&[
        (
            "bookmarks",
            "\"A, \"\"quoted\"\"\"\nSub\ntag:#x\nhttps://example.org\nGraph\n",
        ),
        (
            "bookmarks verbose",
            "file\t\"A, \"\"quoted\"\"\"\ta.md#Head\nfolder\tSub\tSub\nsearch\ttag:#x\ttag:#x\nurl\thttps://example.org\thttps://example.org\ngraph\tGraph\t\n",
        ),
        ("bookmarks total", "5\n"),
        (
            "bookmarks format=csv",
            "\"A, \"\"quoted\"\"\"\nSub\ntag:#x\nhttps://example.org\nGraph\n",
        ),
    ]);
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
    let fixture = vault(&[
        (
            ".obsidian/workspace.json",
            r#"{"active":"x","lastOpenFiles":["b.md","gone.md","../out.md",".obsidian/workspace.json","a.png","sub"]}"#,
        ),
        ("a.png", ""),
        ("b.md", ""),
        ("sub/c.md", ""),
    ]);
    fixture.check(&[("recents", "b.md\na.png\n"), ("recents total", "2\n")]);
    assert_eq!(vault(&[]).prints("recents"), "No recent files.\n");
    let strange = vault(&[(".obsidian/workspace.json", r#"{"lastOpenFiles":7}"#)]);
    assert_eq!(strange.prints("recents"), "No recent files.\n");
    assert_eq!(strange.warnings("recents").len(), 1);
}

#[test]
fn word_counts() {
    let fixture = vault(&[
        ("a.md", "---\ntitle: x\n---\nhello world"),
        ("b.md", "one 😀\r\n"),
        ("c.txt", "words"),
    ]);
    fixture.check(&[
        ("wordcount path=a.md", "words: 2\ncharacters: 11\n"),
        ("wordcount file=a words", "2\n"),
        ("wordcount path=a.md characters", "11\n"),
        ("wordcount path=b.md", "words: 1\ncharacters: 8\n"),
        (
            "wordcount path=c.txt",
            "Error: Word count is only available for markdown files.\n",
        ),
        ("wordcount path=d.txt", "Error: File \"d.txt\" not found.\n"),
    ]);
}

#[test]
fn bases_and_their_views() {
    let base = "filters: file.inFolder(\"x\")\nviews:\n  - type: table\n    name: All things\n  - type: cards\n  - name: Bare\n";
    let fixture = vault(&[
        ("Books.base", base),
        ("Books.md", ""),
        ("a/Empty.base", ""),
        ("bad.base", "views:\n  - type: [\n"),
        ("other.md", ""),
    ]);
    fixture.check(&[
        ("bases", "a/Empty.base\nbad.base\nBooks.base\n"),
        (
            "base:views path=Books.base",
            "All things\ttable\ncards\tcards\nBare\ttable\n",
        ),
        (
            "base:views file=Books",
            "All things\ttable\ncards\tcards\nBare\ttable\n",
        ),
        ("base:views file=Empty", ""),
        ("base:views path=bad.base", ""),
        (
            "base:views path=other.md",
            "Error: Active file is not a base file: other.md\n",
        ),
        (
            "base:views file=other",
            "Error: Active file is not a base file: other.md\n",
        ),
        (
            "base:views path=none.base",
            "Error: Base file not found: none.base\n",
        ),
        ("base:views file=none", "Error: Base file not found: none\n"),
        (
            "base:views",
            "Error: No active file. Use file=<name> or path=<path> to specify a file.\n",
        ),
    ]);
    let [(code, path, line)] = &fixture.warnings("base:views path=bad.base")[..] else {
        panic!("one warning");
    };
    assert_eq!((*code, path.as_str()), ("INVALID_BASE", "bad.base"));
    assert!(line.is_some_and(|line| (2..=3).contains(&line)));
    assert_eq!(vault(&[]).prints("bases"), "No base files found in vault\n");
}

const PLUGINS: &[(&str, &str)] = &[
    (
        ".obsidian/core-plugins.json",
        r#"{"graph":false,"slides":true,"unknown":true}"#,
    ),
    (".obsidian/community-plugins.json", r#"["dataview","gone"]"#),
    (
        ".obsidian/plugins/dataview/manifest.json",
        r#"{"id":"dataview","name":"Dataview","version":"0.5.67","author":"M B","description":"Queries."}"#,
    ),
    (
        ".obsidian/plugins/tasks/manifest.json",
        r#"{"id":"obsidian-tasks","name":"Tasks"}"#,
    ),
    (".obsidian/plugins/broken/manifest.json", "{"),
    (".obsidian/plugins/empty/main.js", ""),
];

#[test]
fn plugins_of_both_kinds() {
    let fixture = vault(PLUGINS);
    fixture.check(&[
        ("plugins filter=community", "dataview\nobsidian-tasks\n"),
        ("plugins filter=community versions", "dataview\t0.5.67\nobsidian-tasks\t\n"),
        (
            "plugins filter=community format=json versions",
            "[\n  {\n    \"id\": \"dataview\",\n    \"version\": \"0.5.67\"\n  },\n  {\n    \"id\": \"obsidian-tasks\",\n    \"version\": \"\"\n  }\n]\n",
        ),
        ("plugins:enabled filter=community", "dataview\n"),
        (
            "plugin id=dataview",
            "type\tcommunity\nname\tDataview\nversion\t0.5.67\nauthor\tM B\nenabled\ttrue\ndescription\tQueries.\n",
        ),
        ("plugin id=graph", "type\tcore\nname\tGraph view\nenabled\tfalse\n"),
        ("plugin id=gone", "Error: Plugin \"gone\" not found.\n"),
        (
            "plugin",
            "Error: Missing required parameter: id=<plugin-id>\nUsage: plugin id=<plugin-id>\n",
        ),
    ]);
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
    let fixture = vault(PLUGINS);
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
    let fixture = vault(&[
        (
            ".obsidian/appearance.json",
            r#"{"cssTheme":"Minimal","enabledCssSnippets":["wide","gone"]}"#,
        ),
        (
            ".obsidian/themes/Minimal/manifest.json",
            r#"{"name":"Minimal","version":"7.1","author":"k"}"#,
        ),
        (
            ".obsidian/themes/Blue Topaz/manifest.json",
            r#"{"name":"Blue Topaz"}"#,
        ),
        (".obsidian/snippets/wide.css", ""),
        (".obsidian/snippets/Small 10.css", ""),
        (".obsidian/snippets/small 9.css", ""),
        (".obsidian/snippets/notes.txt", ""),
    ]);
    fixture.check(&[
        ("themes", "Blue Topaz\nMinimal\n"),
        ("themes versions", "Blue Topaz\t\nMinimal\t7.1\n"),
        (
            "theme",
            "name\tMinimal\nversion\t7.1\nauthor\tk\nenabled\ttrue\n",
        ),
        (
            "theme name=Blue+Topaz",
            "name\tBlue Topaz\nenabled\tfalse\n",
        ),
        ("theme name=Default", "name\tDefault\nenabled\tfalse\n"),
        ("theme name=x", "Error: Theme \"x\" not found.\n"),
        ("snippets", "small 9\nSmall 10\nwide\n"),
        ("snippets:enabled", "wide\n"),
    ]);
    let bare = vault(&[]);
    bare.check(&[
        ("themes", ""),
        ("theme", "name\tDefault\nenabled\ttrue\n"),
        ("snippets", ""),
        ("snippets:enabled", ""),
    ]);
}

#[test]
fn saved_workspaces() {
    let fixture = vault(&[(
        ".obsidian/workspaces.json",
        r#"{"workspaces":{"Write":{},"main":{}},"active":"main"}"#,
    )]);
    fixture.check(&[
        ("workspaces", "main (active)\nWrite\n"),
        ("workspaces total", "2\n"),
    ]);
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
