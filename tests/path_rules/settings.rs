//! The app's settings contain paths of closed files and folders, and types of properties that only closed notes have.
//! No answer to an agent contains them.

use vault_gw::gateway::{Caller, Envelope, Options};

use super::{OPEN, reported};
use crate::support::{Outcome as _, World, answer, asked, code, dry_run_of};

const CASES: &str = include_str!("../data/path_rules_settings.txt");

const BY_PATH: &str = "[paths]\ndeny = [\"Secret/**\"]";

fn world(rules: &str) -> World {
    let world = World::empty().set(OPEN).with_tables(rules);
    world.write("Open.md", "text\n");
    world
}

fn message(envelope: &Envelope) -> String {
    envelope
        .error
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default()
}

#[test]
fn d13_a_daily_template_that_is_not_seen_is_not_named() {
    let by_tag = "[paths]\ndeny_tags = [\"private\"]";
    for (rules, setting, text) in [
        (BY_PATH, "Secret/Day", "x\n"),
        (by_tag, "Day", "#private\n"),
    ] {
        let world = world(rules);
        let settings = format!("{{\"template\":\"{setting}\"}}");
        world.write(".obsidian/daily-notes.json", settings);
        let gateway = world.gateway();
        let append = dry_run_of(asked("daily:append content=x"));
        let ask = || [&append, &asked("context")].map(|call| gateway.call(call));
        let missing = ask();
        world.write(&format!("{setting}.md"), text);
        let closed = ask();
        for (missing, closed) in missing.iter().zip(&closed) {
            assert_eq!(reported(missing), reported(closed), "{rules}");
        }
        let [planned, context] = closed;
        let warnings: Vec<&str> = planned.warnings.iter().map(|issue| issue.code).collect();
        assert_eq!(warnings, ["CONFIG_IGNORED"], "{planned:#?}");
        assert!(!planned.to_json().contains(setting), "{planned:#?}");
        assert_eq!(
            context.data.as_map()["daily"].get("template"),
            None,
            "{context:#?}"
        );
        // An open template is named.
        world.write(&format!("{setting}.md"), "# {{title}}\n");
        let context = gateway.call(&asked("context"));
        let template = context.data.as_map()["daily"].get("template").cloned();
        assert_eq!(template.is_some(), rules == by_tag, "{context:#?}");
    }
}

#[test]
fn d13_a_closed_place_of_the_apps_settings_is_not_named() {
    let world = world(BY_PATH);
    world.write(".obsidian/daily-notes.json", "{\"folder\":\"Secret/Days\"}");
    world.write(".obsidian/templates.json", "{\"folder\":\"Secret/Forms\"}");
    world.write(
        ".obsidian/plugins/periodic-notes/data.json",
        "{\"weekly\":{\"enabled\":true,\"folder\":\"Secret/Weeks\"}}",
    );
    let calls = tables::lines(CASES, "d13 a closed place of the apps settings");
    let gateway = world.gateway();
    let ask = || -> Vec<_> {
        calls
            .iter()
            .map(|line| gateway.call(&asked(line)))
            .collect()
    };
    let missing = ask();
    for path in ["Days/2026-03-14", "Weeks/2026-W11", "Forms/Form"] {
        world.write(&format!("Secret/{path}.md"), "word\n");
    }
    for (missing, closed) in missing.iter().zip(&ask()) {
        assert_eq!(reported(missing), reported(closed));
        assert_eq!(code(closed), "PATH_DENIED", "{closed:#?}");
        assert!(!closed.to_json().contains("Secret"), "{closed:#?}");
    }
    // The owner, whose settings these are, learns the path.
    let owner = world.gateway_with(Options::new(Caller::Person));
    let shown = owner.call(&asked("daily:path"));
    assert!(shown.stdout.contains("Secret/Days"), "{shown:#?}");
}

#[test]
fn d13_the_type_of_a_property_that_no_open_note_has_is_not_reported() {
    let world = world(BY_PATH);
    world.write(
        ".obsidian/types.json",
        "{\"types\":{\"salary\":\"number\",\"pay\":\"money\"}}",
    );
    world.write("Secret/Pay.md", "---\nsalary: 7\n---\n");
    let gateway = world.gateway();
    let set = dry_run_of(asked("property:set path=Open.md name=salary value=x"));
    let quiet = gateway.call(&set);
    assert!(quiet.success && quiet.warnings.is_empty(), "{quiet:#?}");
    let listed = gateway.call(&asked("properties"));
    assert!(!listed.to_json().contains("`pay`"), "{listed:#?}");
    // Once an open note has the property, its type in the vault is not secret. The warning must not say that this note
    // had it.
    world.write("Other.md", "---\nSalary: 9\n---\n");
    let warned = gateway.call(&set);
    let messages: Vec<String> = warned
        .warnings
        .iter()
        .map(|issue| issue.message.text())
        .collect();
    assert_eq!(
        messages,
        [
            "`salary` is a number in this vault, and the new value is text. To keep the type, pass `type=number`."
        ],
        "{warned:#?}"
    );
}

#[test]
fn d13_a_folder_that_a_rule_closes_is_not_there_and_an_open_one_looks_empty() {
    let world = world("[paths]\ndeny = [\"Secret/**\"]\ndeny_tags = [\"private\"]");
    world.write("Emptied/Diary.md", "#private\n");
    world.write("Secret/Deep/Note.md", "x\n");
    let gateway = world.gateway();
    let folders = gateway.call(&asked("folders"));
    assert_eq!(folders.stdout, "/\nEmptied\n", "{folders:#?}");
    let vault = gateway.call(&asked("vault info=folders"));
    assert_eq!(vault.stdout, "1\n", "{vault:#?}");
    assert!(!message(&gateway.call(&asked("read file=Secret"))).contains("folder"));
    assert!(message(&gateway.call(&asked("read file=Emptied"))).contains("folder"));
    for line in [
        "folder path=Emptied",
        "files folder=Emptied",
        "read file=Emptied",
    ] {
        let closed = reported(&gateway.call(&asked(line)));
        fs_err::remove_file(world.vault.join("Emptied/Diary.md")).unwrap();
        assert_eq!(closed, reported(&gateway.call(&asked(line))), "{line}");
        world.write("Emptied/Diary.md", "#private\n");
    }
}

/// Advice that names a parameter which the command does not have helps nobody.
#[test]
fn what_a_refusal_advises_is_possible() {
    let world = world(BY_PATH);
    let refused = answer(&world.gateway(), "periodic:append period=weekly content=x")
        .fails_with("PATH_DENIED");
    assert!(!message(&refused).contains("`file`"), "{refused:#?}");
}
