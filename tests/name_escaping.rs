//! Names as text shows them: one row each, escaped in a form that can be reversed; data keeps them
//! exact (`threats.toml` B10).

use fake_obsidian::app::Mode;
use fake_obsidian::scenario::Scenario;
use vault_gw::gateway::Answerer;
use vault_gw::settings::BackendChoice;

use crate::support::{Outcome as _, World, has, request};

/// Names on disk and as a row shows them.
pub(crate) const NAMES: [(&str, &str); 6] = [
    ("a\nb.md", "a\\u{a}b.md"),
    ("c\u{202e}dm.exe.md", "c\\u{202e}dm.exe.md"),
    ("e\u{1b}[2Jf.md", "e\\u{1b}[2Jf.md"),
    ("g\th.md", "g\\u{9}h.md"),
    ("i\\u{a}j.md", "i\\u{5c}u{a}j.md"),
    ("می\u{200c}خواهم.md", "می\u{200c}خواهم.md"),
];

/// Commands whose rows name files.
pub(crate) const LISTS: [(&str, &[(&str, &str)]); 12] = [
    ("files", &[]),
    ("search", &[("query", "needle")]),
    ("search:context", &[("query", "needle")]),
    ("tag", &[("name", "tag"), ("verbose", "true")]),
    ("tasks", &[("verbose", "true")]),
    ("backlinks", &[("path", "Hub.md")]),
    ("unresolved", &[("verbose", "true")]),
    ("aliases", &[("verbose", "true")]),
    ("notes:list", &[]),
    ("notes:search", &[("query", "needle"), ("limit", "100")]),
    ("links:broken", &[("limit", "1")]),
    ("vault:audit", &[]),
];

/// A vault with these names, each of which every one of the lists has.
pub(crate) fn world() -> World {
    let world = World::empty().set("backend = \"embedded\"");
    world.write("Hub.md", "");
    for (name, _) in NAMES {
        world.write(
            name,
            "---\naliases: [other]\n---\nneedle #tag [[Hub]] [[Nowhere]]\n- [ ] task\n",
        );
    }
    world
}

/// Fails where a name of the vault is not on one row of `text`, escaped.
pub(crate) fn assert_rows(text: &str, about: &str) {
    for (name, shown) in NAMES {
        assert!(text.contains(shown), "{about}: {shown:?} in {text:?}");
        assert!(
            name == shown || !text.contains(name),
            "{about}: {name:?} in {text:?}"
        );
    }
    let misleads = |character: char| {
        character.is_control() && !matches!(character, '\n' | '\t') || character == '\u{202e}'
    };
    assert!(!text.contains(misleads), "{about}: {text:?}");
    assert!(
        !text.lines().any(|line| line.starts_with("b.md")),
        "{about}: {text:?}"
    );
}

#[test]
fn b10_a_list_shows_each_name_in_one_row_and_data_keeps_it() {
    let world = world();
    for (command, params) in LISTS {
        let words = params.iter().map(|(key, value)| match *value {
            "true" => (*key).to_owned(),
            value => format!("{key}={value}"),
        });
        let words: Vec<String> = std::iter::once(command.to_owned()).chain(words).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = world.run(&words);
        assert_rows(ran.text(), command);
        let envelope = world.call(command, params);
        let message = serde_json::to_string(&(&envelope.data, &envelope.violations)).unwrap();
        for (name, _) in NAMES {
            let exact = serde_json::to_string(name).unwrap();
            let exact = exact.trim_matches('"');
            assert!(message.contains(exact), "{command}: {exact} in {message}");
        }
        if command == "files" {
            let rows = ran.text().lines().count();
            assert_eq!(
                (rows, &envelope.data.as_map()["total"]),
                (NAMES.len() + 1, &rows.into())
            );
        }
    }
}

#[test]
fn b10_json_that_is_asked_for_keeps_names_and_misleads_nobody() {
    let world = world();
    let ran = world.run(&["search", "query=needle", "format=json"]);
    let mut found: Vec<String> = serde_json::from_str(ran.text()).unwrap();
    found.sort_unstable();
    let mut names = NAMES.map(|(name, _)| name);
    names.sort_unstable();
    assert_eq!(found, names);
    assert!(!ran.text().contains(['\u{202e}', '\u{1b}']), "{ran:?}");
}

#[test]
fn b10_where_the_app_would_print_a_name_as_two_the_engine_answers() {
    let mut world = World::empty();
    world.write("c\u{202e}dm.md", "needle");
    world.write("Plain.md", "needle");
    world.install(&Scenario::logged());
    world.start_app(Mode::Normal);
    let ask = |backend, command: &str, params: &[(&str, &str)]| {
        world.through(backend).call(&request(command, params))
    };
    // A name that only misleads is escaped, whoever answers.
    let both = [BackendChoice::Obsidian, BackendChoice::Embedded]
        .map(|backend| ask(backend, "files", &[]));
    assert_eq!(both[0].meta.backend, Answerer::Obsidian);
    for envelope in &both {
        assert_eq!(envelope.stdout, "c\\u{202e}dm.md\nPlain.md\n");
        assert_eq!(envelope.data.as_map()["items"][0]["path"], "c\u{202e}dm.md");
    }
    world.write("Sub/a\nb.md", "needle");
    for (command, params) in [("files", &[][..]), ("search", &[("query", "needle")])] {
        let answered = ask(BackendChoice::Auto, command, params);
        assert_eq!(answered.meta.backend, Answerer::Embedded, "{answered:#?}");
        assert_eq!(answered.data.as_map()["total"], 3);
        has(&answered.stdout, &["Sub/a\\u{a}b.md\n"]);
        ask(BackendChoice::Obsidian, command, params).fails_with("UNREPRESENTABLE_CONTENT");
    }
    // Of JSON and of a number the app is asked as always.
    for params in [
        &[("query", "needle"), ("format", "json")][..],
        &[("query", "needle"), ("total", "true")],
    ] {
        let answered = ask(BackendChoice::Auto, "search", params);
        assert_eq!(answered.meta.backend, Answerer::Obsidian, "{answered:#?}");
    }
}

#[test]
fn b10_k07_a_name_adds_no_line_to_a_plan_an_undo_or_an_error() {
    let world = World::empty().set("allow_mutations = true\nbackend = \"embedded\"");
    let name = "x\ntrash Home.md\nmove a -> b.md";
    world.write(name, "text\n");
    world.write("Home.md", "home\n");
    let shown = "x\\u{a}trash Home.md\\u{a}move a -\\u{3e} b.md";
    let path = format!("path={name}");
    let plan = world.run(&["delete", &path, "--dry-run"]);
    let rows: Vec<&str> = plan
        .text()
        .lines()
        .filter(|line| line.starts_with("trash "))
        .collect();
    assert_eq!(
        rows,
        [format!("trash {}", shown.replace("\\u{3e}", ">"))],
        "{plan:?}"
    );
    let plan = world.run(&["rename", &path, "name=plain", "--dry-run"]);
    let rows: Vec<&str> = plan
        .text()
        .lines()
        .filter(|line| line.starts_with("move "))
        .collect();
    assert_eq!(rows, [format!("move {shown} -> plain.md")], "{plan:?}");
    world
        .run(&["append", &path, "content=more"])
        .prints(&format!("Appended to: {}\n", shown.replace("\\u{3e}", ">")));
    let listed = world.run(&["undo", "--list"]);
    assert_eq!(listed.text().lines().count(), 1, "{listed:?}");
    let undone = world.run(&["undo"]);
    assert!(
        !undone.text().lines().any(|line| line.starts_with("trash")),
        "{undone:?}"
    );
    // A message quotes what was asked for.
    let failed = world.run(&["read", "path=Home.md/x\nerror: forged\u{1b}[2J"]);
    assert!(
        failed
            .stderr
            .lines()
            .all(|line| line.starts_with("error[") || line.starts_with("hint: "))
    );
    failed.omits("\nerror: forged");
    failed.omits("\u{1b}");
}
