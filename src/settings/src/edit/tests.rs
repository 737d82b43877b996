//! Tests of edits of settings files.

use std::path::PathBuf;

use super::*;
use crate::Settings;
use allowlist::Tier;
use protocol::Code;

const CASES: &str = include_str!("cases.txt");

fn file_with(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.toml");
    fs_err::write(&path, text).unwrap();
    (folder, path)
}

fn text_after(text: &str, key: &str, value: &str) -> String {
    let (_folder, path) = file_with(text);
    set(&path, key, value).unwrap();
    fs_err::read_to_string(path).unwrap()
}

#[test]
fn a_table_is_answered_with_its_keys() {
    for (table, key) in [
        ("audit", "audit.max_bytes"),
        ("agents.helper", "agents.helper.tier"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let failure = set(&folder.path().join("settings.toml"), table, "1").unwrap_err();
        assert_eq!(failure.code, Code::UsageError);
        assert!(failure.to_string().contains(key), "{}", failure.to_string());
        assert!(
            !failure.to_string().contains("Did you mean"),
            "{}",
            failure.to_string()
        );
    }
}

#[test]
fn a_new_file_keeps_every_comment_and_gains_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vault-gw/settings.toml");
    let change = set(&path, "allow_mutations", "true").unwrap();
    assert_eq!(
        change,
        SettingChange {
            key: "allow_mutations".into(),
            before: None,
            after: "true".into(),
            written: true
        }
    );
    let text = fs_err::read_to_string(&path).unwrap();
    let expected = DEFAULT_FILE.replace(
        "# allow_mutations = false\n",
        "# allow_mutations = false\nallow_mutations = true\n",
    );
    assert_eq!(text, expected);
    assert!(Settings::load(&path).unwrap().allow_mutations);
}

#[test]
fn every_key_can_be_set_in_the_default_file() {
    for [key, value] in tables::section(CASES, "every key can be set in the default file") {
        let text = text_after(DEFAULT_FILE, key, value);
        let name = key.rsplit('.').next().unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let at = lines
            .iter()
            .position(|line| line.starts_with(&format!("{name} = ")))
            .unwrap_or_else(|| panic!("{key} in\n{text}"));
        assert!(
            lines[at - 1].starts_with(&format!("# {name} = ")),
            "below its comment"
        );
        assert_eq!(lines.len(), DEFAULT_FILE.lines().count() + 1);
        assert_ne!(parse(&text), Ok(Settings::default()), "{key} has an effect");
    }
}

#[test]
fn setting_all_keys_one_after_the_other_gives_all_of_them() {
    let (_folder, path) = file_with(DEFAULT_FILE);
    for [key, value] in tables::section(CASES, "setting all keys one after") {
        assert!(set(&path, key, value).unwrap().written, "{key}");
    }
    let settings = Settings::load(&path).unwrap();
    assert_eq!(settings.tier, Tier::V2);
    assert_eq!(settings.paths.deny[0].as_str(), "x/**");
    assert_eq!(settings.paths.read[0].as_str(), "y/**");
    let helper = &settings.agents["helper"];
    assert_eq!(helper.tier, Some(Tier::V0));
    assert_eq!(helper.paths.read.as_ref().unwrap()[0].as_str(), "notes/**");
    assert_eq!(helper.allow_mutations, Some(false));
    assert_eq!(settings.agents["two words"].enabled, Some(false));
    insta::assert_snapshot!("edited", fs_err::read_to_string(&path).unwrap());
}

#[test]
fn a_live_value_is_replaced_where_it_stands() {
    let text = "# mine\ntier   =  \"v1\" # low\n\n[paths]\nread = [\n  \"a/**\", # one\n]\n";
    assert_eq!(
        text_after(text, "tier", "v2"),
        text.replace("\"v1\"", "\"v2\"")
    );
    assert_eq!(
        text_after(text, "paths.read", r#"["b/**"]"#),
        "# mine\ntier   =  \"v1\" # low\n\n[paths]\nread = [\n  \"b/**\",\n]\n"
    );
    let dotted = "agents.x.tier = \"v1\"\n";
    assert_eq!(
        text_after(dotted, "agents.x.tier", "v0"),
        "agents.x.tier = \"v0\"\n"
    );
    let inline = "paths = { read = [\"a/**\"] }\n";
    assert_eq!(
        text_after(inline, "paths.deny", "b"),
        "paths = { read = [\"a/**\"] , deny = [\"b\"] }\n"
    );
}

#[test]
fn a_list_over_several_lines_keeps_the_comments_of_what_stays() {
    let text = "[paths] # mine\ndeny = [ # closed\n  # diary\n  \"Diary/**\", # mine\n  \"Old/**\", # gone soon\n\n  'Work/**'\n  # no more\n] # end\nread = [\"**\"]\n";
    assert_eq!(
        text_after(text, "paths.deny", r#"["Diary/**", "Work/**", "New/**"]"#),
        "[paths] # mine\ndeny = [ # closed\n  # diary\n  \"Diary/**\", # mine\n\n  \"Work/**\",\n  \"New/**\",\n  # no more\n] # end\nread = [\"**\"]\n"
    );
    let returns = text.replace('\n', "\r\n");
    assert_eq!(
        text_after(&returns, "paths.deny", r#"["Old/**", "Diary/**"]"#),
        "[paths] # mine\r\ndeny = [ # closed\r\n  \"Old/**\", # gone soon\r\n  # diary\r\n  \"Diary/**\", # mine\r\n  # no more\r\n] # end\r\nread = [\"**\"]\r\n"
    );
    // A list with another layout than one value per line is written anew.
    for odd in [
        "[ \"a\", # x\n  \"b\" ]",
        "[\"a\" # x\n, \"b\"]",
        "[\n \"a\", \"b\",\n]",
    ] {
        assert_eq!(
            text_after(
                &format!("approve = []\n[paths]\ndeny = {odd}\n"),
                "paths.deny",
                "c"
            ),
            "approve = []\n[paths]\ndeny = [\"c\"]\n"
        );
    }
}

#[test]
fn a_text_that_looks_like_a_comment_is_left_alone() {
    let text = "vault = '''\n# tier = 1\n'''\n";
    // The value holds a line break and is refused as a vault, so nothing is written at all.
    let (_folder, path) = file_with(text);
    assert!(set(&path, "tier", "v0").is_err());
    assert_eq!(fs_err::read_to_string(&path).unwrap(), text);
}

#[test]
fn line_ends_are_kept() {
    assert_eq!(
        text_after("# tier = \"v3\"\r\nenabled = true\r\n", "tier", "v0"),
        "# tier = \"v3\"\r\ntier = \"v0\"\r\nenabled = true\r\n"
    );
    assert_eq!(
        text_after("\u{feff}# mine\r\ntier = \"v1\"\r\n", "tier", "v0"),
        "\u{feff}# mine\r\ntier = \"v0\"\r\n"
    );
    for (key, value, new) in [
        (
            "paths.read",
            "a",
            "tier = \"v1\"\n[paths]\ndeny = []\nread = [\"a\"]\n",
        ),
        ("tier", "v0", "tier = \"v0\"\n[paths]\ndeny = []\n"),
    ] {
        let marked = "\u{feff}tier = \"v1\"\n[paths]\ndeny = []\n";
        assert_eq!(text_after(marked, key, value), format!("\u{feff}{new}"));
        let (_folder, path) = file_with(marked);
        unset(&path, "tier").unwrap();
        let left = fs_err::read_to_string(&path).unwrap();
        assert_eq!(left, "\u{feff}[paths]\ndeny = []\n");
    }
    assert_eq!(
        text_after("# mine\r\npaths = { deny = [] }\r\n", "paths.read", "a"),
        "# mine\r\npaths = { deny = [] , read = [\"a\"] }\r\n"
    );
    assert_eq!(
        text_after("enabled = true", "paths.deny", "a"),
        "enabled = true\n\n[paths]\ndeny = [\"a\"]\n"
    );
}

#[test]
fn the_table_of_an_agent_is_removed_as_a_whole() {
    let (_folder, path) = file_with(
        "# all\n[agents.\"*\"]\ntier = \"v1\"\n[paths]\ndeny = []\n[agents.x]\npaths.deny = []\ntier = \"v0\"\n",
    );
    let mut rows = String::new();
    for key in tables::lines(CASES, "the table of an agent is removed") {
        let done = unset(&path, key).map_err(|failure| failure.code.name());
        let kept = done
            .iter()
            .flatten()
            .filter_map(|removed| removed.earlier.as_ref());
        let kept: Vec<_> = kept.map(|kept| kept.file_name().unwrap()).collect();
        let done = done
            .as_ref()
            .map(|done| done.as_ref().map(|removed| &removed.before));
        rows += &format!("{key}: {done:?} {kept:?}\n");
    }
    rows += &fs_err::read_to_string(&path).unwrap();
    insta::assert_snapshot!(rows, @r#"
    agents.x.paths: Ok(Some("{ deny = [] }")) ["settings.toml.bak"]
    agents.x: Ok(Some("{ tier = \"v0\" }")) ["settings.toml.2.bak"]
    agents.x: Ok(None) []
    agents."*": Ok(Some("{ tier = \"v1\" }")) ["settings.toml.3.bak"]
    paths: Err("USAGE_ERROR") []
    agents: Err("USAGE_ERROR") []
    # all
    [paths]
    deny = []
    "#);
    // A read-only file has no earlier text.
    let (folder, path) = file_with("[agents.x]\ntier = \"v1\"\n");
    let mut closed = fs_err::metadata(&path).unwrap().permissions();
    closed.set_readonly(true);
    fs_err::set_permissions(&path, closed).unwrap();
    assert!(unset(&path, "agents.x").is_err());
    assert!(!folder.path().join("settings.toml.bak").exists());
    // An agent stays when it has no more settings of its own, also one that shares its line.
    for (old, new) in [
        (
            "agents = { x = { tier = \"v1\" } }\n",
            Some("agents = { x = {} }\n"),
        ),
        (
            "agents = { x = { tier = \"v1\", drafts = \"all\" }, y = {} }\n",
            Some("agents = { x = { drafts = \"all\" }, y = {} }\n"),
        ),
        ("agents.x.tier = \"v1\"\n", None),
    ] {
        let (_folder, path) = file_with(old);
        let done = unset(&path, "agents.x.tier");
        assert_eq!(done.is_ok(), new.is_some(), "{done:?}");
        assert_eq!(text(&path).unwrap(), new.unwrap_or(old));
    }
    // A table that has only tables has no header.
    let (_folder, path) = file_with("tier = \"v1\"\n[agents.x.paths]\nread = [\"a\"]\n");
    assert!(unset(&path, "agents.x").unwrap().is_some());
    assert_eq!(text(&path).unwrap(), "tier = \"v1\"\n");
}

#[test]
fn setting_twice_writes_once() {
    let (_folder, path) = file_with("tier = \"v1\"\n");
    let rights = fs_err::metadata(&path).unwrap().permissions();
    let mut closed = rights.clone();
    closed.set_readonly(true);
    fs_err::set_permissions(&path, closed).unwrap();
    assert!(!set(&path, "tier", "v1").unwrap().written);
    let refused = set(&path, "tier", "v0").unwrap_err().to_string();
    assert!(refused.contains("is read-only"), "{refused}");
    fs_err::set_permissions(&path, rights).unwrap();
    assert!(set(&path, "tier", "v0").unwrap().written);
    let again = set(&path, "tier", "\"v0\"").unwrap();
    assert_eq!(
        (again.written, again.before.as_deref()),
        (false, Some("\"v0\""))
    );
}

#[test]
fn mistakes_change_nothing_and_say_what_to_write() {
    let (_folder, path) = file_with("tier = \"v1\"\n");
    for [key, value, says] in tables::section(CASES, "mistakes change nothing and say") {
        let failure = set(&path, key, value).unwrap_err();
        assert_eq!(failure.code, Code::UsageError, "{key} {value}: {failure}");
        assert!(
            failure.to_string().contains(says),
            "{key} {value}: {failure}"
        );
    }
    assert_eq!(fs_err::read_to_string(&path).unwrap(), "tier = \"v1\"\n");
}

#[test]
fn a_broken_file_is_reported_and_unchanged() {
    for text in ["tier = \"v9\"\n", "tier = [\n", "nothing = 1\n"] {
        let (_folder, path) = file_with(text);
        let failure = set(&path, "enabled", "true").unwrap_err();
        assert_eq!(failure.code, Code::ConfigInvalid, "{text}");
        assert_eq!(fs_err::read_to_string(&path).unwrap(), text);
    }
    // Setting the very key that is wrong repairs it.
    assert_eq!(
        text_after("tier = \"v9\"\n", "tier", "v1"),
        "tier = \"v1\"\n"
    );
}

#[test]
fn a_text_from_an_editor_is_checked_and_never_replaces_what_was_written_in_the_meantime() {
    let valid = "tier = \"v1\"\n";
    for (now, old, new, says) in [
        (valid, valid, valid, Ok(false)),
        (valid, valid, "tier = \"v0\"\n", Ok(true)),
        ("nope = 1\n", "nope = 1\n", "nope = 1\n", Err("`nope`")),
        (
            "tier = \"v2\"\n",
            valid,
            "tier = \"v0\"\n",
            Err("Another program changed"),
        ),
        (
            "tier = \"v2\"\n",
            valid,
            valid,
            Err("Another program changed"),
        ),
    ] {
        let (_folder, path) = file_with(now);
        let done = replace_text(&path, old, new);
        match says {
            Ok(changed) => assert_eq!(done.unwrap().is_some(), changed),
            Err(says) => assert!(done.unwrap_err().to_string().contains(says), "{says}"),
        }
        let is_replaced = fs_err::read_to_string(&path).unwrap() != now;
        assert_eq!(is_replaced, says == Ok(true));
        let earlier = fs_err::read_to_string(path.with_extension("toml.bak")).ok();
        assert_eq!(earlier.as_deref(), is_replaced.then_some(old));
    }
    // An earlier text that is in no other file stays.
    let (_folder, path) = file_with(valid);
    for (old, new, earlier) in [
        (valid, "", "bak"),
        ("", "tier = \"v0\"\n", "2.bak"),
        ("tier = \"v0\"\n", "", "3.bak"),
        ("", valid, "2.bak"),
        (valid, "", "bak"),
    ] {
        let kept = replace_text(&path, old, new).unwrap().unwrap();
        assert_eq!(kept, path.with_extension(format!("toml.{earlier}")));
        assert_eq!(fs_err::read_to_string(kept).unwrap(), old);
    }
    // The replacement characters of an invalid file are not what is stored.
    let (_folder, path) = file_with("");
    fs_err::write(&path, b"# \xff\n").unwrap();
    let shown = text(&path).unwrap();
    assert!(replace_text(&path, &shown, &shown).is_err());
}

#[cfg(unix)]
#[test]
fn h05_a_symlink_is_not_followed() {
    let (folder, target) = file_with("tier = \"v1\"\n");
    let link = folder.path().join("link.toml");
    fs_err::os::unix::fs::symlink(&target, &link).unwrap();
    let failure = set(&link, "tier", "v0").unwrap_err();
    assert_eq!(failure.code, Code::ConfigInvalid);
    assert_eq!(fs_err::read_to_string(&target).unwrap(), "tier = \"v1\"\n");
}

#[cfg(unix)]
#[test]
fn h11_changes_at_the_same_time_are_all_kept() {
    let (_folder, path) = file_with("");
    std::thread::scope(|scope| {
        for agent in 0..8 {
            let path = &path;
            scope.spawn(move || set(path, &format!("agents.a{agent}.tier"), "v0").unwrap());
        }
    });
    assert_eq!(Settings::load(&path).unwrap().agents.len(), 8);
}
