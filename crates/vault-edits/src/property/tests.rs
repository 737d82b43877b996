use jiff::civil::date;
use jiff::tz::TimeZone;
use obsidian_note::{Frontmatter, Warning};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use vault_files::testing::arguments;
use vault_files::vault::testing::{path, vault};
use vault_files::{Registry, Surroundings};

use super::*;
use crate::Editor;

const CASES: &str = include_str!("cases.txt");

fn plan(vault: &Vault, command: &str, words: &[&str]) -> Result<Edit, EngineError> {
    let surroundings = Surroundings {
        now: date(2026, 1, 2).to_zoned(TimeZone::UTC).unwrap(),
        random: 0,
        registry: Registry::default(),
    };
    Editor(vault).plan(command, &arguments(command, words), &surroundings)
}

fn edit(
    style: PropertyStyle,
    note: &str,
    name: &str,
    wanted: Option<&Value>,
) -> Result<String, EngineError> {
    edited((&path("a.md"), note.as_bytes()), style, name, wanted)
        .map(|note| String::from_utf8(note).unwrap())
}

fn set(note: &str, name: &str, value: &Value) -> String {
    edit(PropertyStyle::Preserve, note, name, Some(value)).unwrap()
}

fn removed(note: &str, name: &str) -> String {
    edit(PropertyStyle::Preserve, note, name, None).unwrap()
}

/// The properties stay as they are, for this reason.
#[track_caller]
fn assert_refused(note: &str, name: &str, wanted: Option<&Value>, part: &str) {
    let result = edit(PropertyStyle::Preserve, note, name, wanted);
    let is_reported = matches!(&result, Err(EngineError::PropertiesUnchangeable { reason, .. }) if reason.contains(part));
    assert!(is_reported, "{name} of {note:?}: {result:?}");
}

const NOTE: &str = "---\r\n# mine\r\ntitle:   'It''s' # t\r\n\r\ntags: [ a, \"b\" ] # c\r\nlist:\r\n- x # first\r\n# between\r\n- 'y'\r\nbase: &b {k: 1}\r\ncopy: *b\r\ntext: |\r\n  one\r\n\r\n  two\r\n\r\nlast: >-\r\n  folded\r\n# end\r\n---\r\nBody: b\r\n";

#[test]
fn only_the_propertys_own_lines_change() {
    for [name, value, old, new] in tables::section(CASES, "only the propertys own lines change") {
        assert!(NOTE.contains(old));
        let found = set(NOTE, name, &serde_json::from_str(value).unwrap());
        assert_eq!(found, NOTE.replace(old, new), "{name} {value}");
    }
    for [name, lines] in tables::section(CASES, "only the propertys own lines change, 2") {
        assert!(NOTE.contains(lines));
        assert_eq!(removed(NOTE, name), NOTE.replace(lines, ""), "{name}");
    }
    assert_eq!(removed(NOTE, "none"), NOTE);
    assert_eq!(set(NOTE, "title", &json!("It's")), NOTE);
}

#[test]
fn what_others_refer_to_is_not_changed() {
    let merged = "---\nx: &a 1\ny:\n  <<: {z: *a}\n---\n";
    assert_refused(NOTE, "base", None, "`copy` refers to it");
    assert_refused(NOTE, "base", Some(&json!(1)), "`copy` refers to it");
    assert_refused(merged, "x", Some(&json!(2)), "`y` refers to it");
    let unused = "---\nx: &a !!str 1\ny: 2\n---\n";
    let three = unused.replace('1', "three");
    assert_eq!(set(unused, "x", &json!("three")), three);
    assert_eq!(set(unused, "x", &json!(3)), "---\nx: 3\ny: 2\n---\n");
    assert_eq!(removed(unused, "x"), "---\ny: 2\n---\n");
}

#[test]
fn a_comment_that_would_become_text_keeps_a_property_where_it_is() {
    let note = "---\na: |\n  x\nk: 1\n  # in\nb: 2\n---\n";
    assert_refused(note, "k", None, "around it");
    let quoted = note.replace('1', "\"a\\nb\"");
    assert_eq!(set(note, "k", &json!("a\nb")), quoted);
}

#[test]
fn blocks_of_every_shape() {
    let one = json!(1);
    for [note, after] in tables::section(CASES, "blocks of every shape") {
        assert_eq!(set(note, "k", &one), after, "{note:?}");
    }
    for [note, after] in tables::section(CASES, "blocks of every shape, 2") {
        assert_eq!(removed(note, "k"), after, "{note:?}");
    }
}

#[test]
fn properties_that_cannot_be_read_are_not_changed() {
    for note in [
        "---\na: 1\na: 2\n---\n",
        "---\n- a\n---\n",
        "---\ntext\n---\n",
        "---\na: [\n---\n",
    ] {
        for style in [PropertyStyle::Preserve, PropertyStyle::Compat] {
            for wanted in [None, Some(&json!(1))] {
                let result = edit(style, note, "a", wanted);
                assert!(
                    matches!(result, Err(EngineError::Properties { .. })),
                    "{note:?}"
                );
            }
        }
    }
    let edited = |note: &[u8], wanted: Option<&Value>| {
        edited((&path("a.md"), note), PropertyStyle::Preserve, "a", wanted)
    };
    let damaged = edited(b"---\na: \xff\n---\n", None);
    assert!(matches!(damaged, Err(EngineError::NotText { .. })));
    assert_eq!(
        edited(b"---\na: 1\n---\n\xff", Some(&json!(2))).unwrap(),
        b"---\na: 2\n---\n\xff"
    );
}

#[test]
fn compat_writes_the_block_anew_as_the_app_does() {
    let compat = |note: &str, name: &str, wanted: Option<Value>| {
        edit(PropertyStyle::Compat, note, name, wanted.as_ref())
    };
    let whole = "---\ntitle: It's\ntags:\n  - a\nlist:\n  - x\n  - y\nbase:\n  k: 1\ncopy:\n  k: 1\ntext: |\n  one\n\n  two\nlast: folded\n---\nBody: b\r\n";
    for (note, name, wanted, after) in [
        (NOTE, "tags", Some(json!(["a"])), whole),
        ("---\nk: 1\n---\nb", "k", None, "b"),
        (
            "---\nk: 1\n---\n---\n---\n",
            "k",
            None,
            "---\n---\n---\n---\n",
        ),
        ("b", "k", Some(json!("42")), "---\nk: \"42\"\n---\nb"),
        ("---\na: 'b'\n---", "k", None, "---\na: 'b'\n---"),
        ("---\na: 'b'\nk: 2\n---", "k", None, "---\na: b\n---"),
    ] {
        assert_eq!(compat(note, name, wanted).unwrap(), after, "{note:?}");
    }
    assert!(matches!(
        compat("---\na: .inf\n---\n", "k", Some(json!(1))),
        Err(EngineError::PropertiesUnchangeable { .. })
    ));
    let kept = set("---\na: .inf\n---\n", "k", &json!(1));
    assert_eq!(kept, "---\na: .inf\nk: 1\n---\n");
}

fn file_after<'edit>(edit: &'edit Edit, name: &str) -> Option<&'edit str> {
    edit.changes.iter().find_map(|change| match change {
        Change::Modify { path, after, .. } | Change::Create { path, after }
            if path.as_str() == name =>
        {
            Some(std::str::from_utf8(after).unwrap())
        }
        _ => None,
    })
}

#[test]
fn a_value_of_another_type_is_reported() {
    let types = "{\"types\":{\"rank\":\"number\",\"owners\":\"multitext\"}}";
    let note = "---\ntags:\n  - a\n  - b\nn: 1\ndone: true\nday: 2026-01-02\nnone:\nsize: {x: 1}\n\
         mixed: [1, 2]\n---\n";
    let (_folder, vault) = vault(&[(".obsidian/types.json", types), ("a.md", note)]);
    for [words, was, written] in tables::section(CASES, "a value of another type is reported, 2") {
        let words: Vec<&str> = words.split(' ').chain(["path=a.md"]).collect();
        let edit = plan(&vault, "property:set", &words).unwrap();
        let shown = edit.warnings.iter().find_map(|warning| match warning {
            Warning::PropertyTypeChanged { was, written, .. } => Some((*was, *written)),
            _ => None,
        });
        assert_eq!(shown.unwrap_or_default(), (was, written), "{words:?}");
    }
    for [property, sentence] in tables::section(CASES, "a value of another type is reported") {
        let edit = plan(&vault, "property:set", &[property, "value=x", "path=a.md"]).unwrap();
        assert_eq!(edit.warnings[0].to_string(), sentence);
    }
}

#[test]
fn types_come_from_types_json_and_go_there() {
    let types = "{\n  \"types\": {\n    \"rank\": \"number\"\n  }\n}";
    let (_folder, vault) = vault(&[(".obsidian/types.json", types), ("a.md", "")]);
    let done = |words: &[&str]| {
        let words = [words, &["path=a.md"]].concat();
        let edit = plan(&vault, "property:set", &words).unwrap();
        let types = file_after(&edit, ".obsidian/types.json").map(str::to_owned);
        (file_after(&edit, "a.md").unwrap().to_owned(), types)
    };
    let block = |line: &str| format!("---\n{line}\n---\n");
    // The property's type does not turn text into a number.
    for name in ["rank", "n"] {
        let words = [&*format!("name={name}"), "value=5"];
        assert_eq!(done(&words), (block(&format!("{name}: \"5\"")), None));
    }
    let added = |line: &str| types.replace("\"number\"", &format!("\"number\",\n    {line}"));
    for (words, line, types) in [
        (
            &["name=tags", "value=a, b", "type=list"][..],
            "tags:\n  - a\n  - b",
            None,
        ),
        (&["name=tags", "value=[\"a\"]"], "tags:\n  - a", None),
        (
            &["name=RANK", "value=x", "type=text"],
            "RANK: x",
            Some(types.replace("number", "text")),
        ),
        (
            &["name=due", "value=2026-01-02", "type=date"],
            "due: 2026-01-02",
            Some(added("\"due\": \"date\"")),
        ),
    ] {
        assert_eq!(done(words), (block(line), types), "{words:?}");
    }
    let list = done(&["name=l", "value=[]"]).1;
    assert_eq!(list, Some(added("\"l\": \"multitext\"")));
    let words = ["name=rank", "value=x", "type=number", "path=a.md"];
    let error = plan(&vault, "property:set", &words).unwrap_err();
    assert_eq!(error.to_string(), "the value is not a number");
}

#[test]
fn a_types_file_that_cannot_be_kept_is_a_warning_and_a_missing_one_is_made() {
    let (_folder, broken) = vault(&[(".obsidian/types.json", "{"), ("a.md", "")]);
    let words = ["name=n", "value=5", "type=number", "path=a.md"];
    let edit = plan(&broken, "property:set", &words).unwrap();
    assert_eq!(file_after(&edit, ".obsidian/types.json"), None);
    assert!(matches!(
        edit.warnings.as_slice(),
        [Warning::ConfigIgnored { .. }, ..]
    ));
    let (_folder, none) = vault(&[("a.md", "")]);
    let edit = plan(&none, "property:set", &words).unwrap();
    assert_eq!(edit.changes.len(), 3);
    assert_eq!(
        file_after(&edit, ".obsidian/types.json"),
        Some("{\n  \"types\": {\n    \"n\": \"number\"\n  }\n}")
    );
}

#[test]
fn confirmations_and_errors_are_the_apps() {
    let (_folder, vault) = vault(&[("a.md", "---\nk: 1\n---\n"), ("b.png", "")]);
    let edit = plan(&vault, "property:set", &["name=k", "value=x", "file=a"]).unwrap();
    assert_eq!(
        edit.answer,
        Answer::from(Confirmation::PropertySet {
            property: "k".into(),
            value: "x".into(),
            kind: WrittenType::Text,
            notes: None,
        })
    );
    let edit = plan(&vault, "property:remove", &["name=gone", "path=a.md"]).unwrap();
    assert_eq!(
        (edit.answer, edit.changes),
        (
            Answer::from(Confirmation::PropertyRemoved {
                property: "gone".into()
            }),
            Vec::new()
        )
    );
    let missing = |name: &str, usage: &str| {
        format!("the parameter `{name}=<{name}>` is missing. Usage: {usage}")
    };
    let absent = "the file `c.md` does not exist".to_owned();
    let image = "the file is not a note".to_owned();
    for (command, words, shown) in [
        (
            "property:set",
            &["name=k", "path=a.md"][..],
            missing("value", SET_USAGE),
        ),
        (
            "property:remove",
            &["path=a.md"],
            missing("name", REMOVE_USAGE),
        ),
        ("property:set", &["name=k", "value=", "path=c.md"], absent),
        ("property:remove", &["name=k", "path=b.png"], image),
    ] {
        let error = plan(&vault, command, words).unwrap_err();
        assert_eq!(error.to_string(), shown, "{command} {words:?}");
    }
    let (_folder, vault) =
        vault_files::vault::testing::vault(&[("a.md", "---\nk: 1\nk: 2\n---\n")]);
    let error = plan(&vault, "property:remove", &["name=k", "path=a.md"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the properties of `a.md` cannot be read: line 3: the key `k` occurs twice"
    );
}

/// The lines of one property whose key is `{key}`.
fn any_lines() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\{key\\}:( [a-z]{1,3}|  '[a-z#:]{0,3}'| \"[a-z\\[]{0,3}\"| -?[0-9]{1,2}| ~| \\.inf| true| null| 2024-01-02)?( # c|  )?\n",
        "\"\\{key\\}\" : \\[( ?[a-z]{1,2}, ?'[a-z,]'|[0-9]|)\\]( # c|  )?\n",
        "\\{key\\}:( # c|  )?\n(  - [a-z]{1,2}( # c|  )?\n(  # in\n|\n)?){1,3}(  -\n)?",
        "'\\{key\\}':\n(- (\"[a-z ]\"|\\[x\\]|k: v))(\n- - a\n  - b)?\n",
        "\\{key\\}: [|>][-+]?( # h)?\n(  [a-z#:]{1,3}\n\n?){1,2}",
        "\\{key\\}: \\{x: [0-9], y: \\[a\\]\\} # c\n",
        "\\{key\\}:\n  sub: [a-z]{1,2}\n  # in\n  list:\n    - 1\n",
        "\\{key\\}: word\n  more # c\n",
        "\\{key\\}: !!str &anchor [0-9]\n",
        "\\? \\{key\\}\n: [a-z]\n",
    ]
}

/// Blank lines and comments, which belong to no property.
fn between() -> impl Strategy<Value = String> {
    "((# [a-z']{0,3})?\n){0,2}"
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (-1000_i32..1000).prop_map(Value::from),
        "[a-z0-9 :#'\"\\[\\],{}\\-|>&*!%@~é\t]{0,6}".prop_map(Value::from),
        "[a-z]{1,3}".prop_map(Value::from),
        "([a-z:# ]{0,3}\n){1,2}[a-z]?".prop_map(Value::from),
        "[\u{0}-\u{1f}\u{7f}-\u{a0}\u{2028}\u{feff}\u{fffe}]{1,2}".prop_map(Value::from),
    ];
    prop_oneof![
        4 => leaf.clone(),
        1 => prop::collection::vec(leaf.clone(), 0..4).prop_map(Value::from),
        1 => prop::collection::vec(leaf, 0..3).prop_map(|items| json!([items, {"k": items}])),
    ]
}

/// Properties `p0`, `p1`, … each with its lines and the text after them; and whether lines end in
/// CRLF.
fn any_block() -> impl Strategy<Value = (Vec<(String, String)>, bool)> {
    let property = (any_lines(), between());
    (prop::collection::vec(property, 1..5), any::<bool>()).prop_map(|(parts, is_windows)| {
        let ends = |text: String| {
            if is_windows {
                text.replace('\n', "\r\n")
            } else {
                text
            }
        };
        let parts = parts.into_iter().enumerate();
        let parts = parts.map(|(at, (lines, rest))| {
            let lines = lines.replace("{key}", &format!("p{at}"));
            (ends(lines), ends(rest))
        });
        (parts.collect(), is_windows)
    })
}

fn properties_of(note: &str) -> Option<Map<String, Value>> {
    Frontmatter::parse_note(note)
        .ok()
        .map(|found| found.properties)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// The guarantee of these edits, in both styles.
    #[test]
    fn an_edit_changes_one_property_and_no_other_byte(
        (parts, is_windows) in any_block(),
        head in between(),
        body in "(\u{feff}|[a-z\n]|---\n){0,4}",
        at in 0_usize..6,
        wanted in prop::option::of(any_value()),
    ) {
        let fence = if is_windows { "---\r\n" } else { "---\n" };
        let lines: String = parts.iter().map(|(own, rest)| format!("{own}{rest}")).collect();
        let note = format!("{fence}{head}{lines}{fence}{body}");
        let Some(before) = properties_of(&note) else {
            return Ok(());
        };
        let name = format!("p{at}");
        let mut expected = before.clone();
        match &wanted {
            Some(value) => { expected.insert(name.clone(), value.clone()); }
            None => { expected.shift_remove(&name); }
        }
        if let Ok(after) = edit(PropertyStyle::Compat, &note, &name, wanted.as_ref()) {
            prop_assert_eq!(properties_of(&after), Some(expected.clone()));
            prop_assert!(after.ends_with(&body));
        }
        let after = match edit(PropertyStyle::Preserve, &note, &name, wanted.as_ref()) {
            Ok(after) => after,
            Err(EngineError::PropertiesUnchangeable { reason, .. }) => {
                // The only reason for failure here: a comment or blank line would become part of a
                // block scalar.
                let has_text = lines.contains(['|', '>']);
                prop_assert!(has_text && wanted.is_none(), "{reason}: {note:?} {name} {wanted:?}");
                return Ok(());
            }
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        };
        prop_assert_eq!(properties_of(&after), Some(expected.clone()));
        if expected.is_empty() && after == body {
            return Ok(());
        }
        // Everything before and after the property's own lines is unchanged.
        let own = at.min(parts.len());
        let head_length = fence.len() + head.len();
        let length = |parts: &[(String, String)]| -> usize {
            parts.iter().map(|(own, rest)| own.len() + rest.len()).sum()
        };
        let start = head_length + length(&parts[..own]);
        prop_assert_eq!(after.get(..start), note.get(..start));
        let behind = parts.get(own).map_or(start, |(own, _)| start + own.len());
        let rest = &note[behind..];
        let is_kept = after.ends_with(rest)
            // Blank lines after a block scalar that keeps them are a part of it.
            || (lines.contains('+') && after.ends_with(rest.trim_start()));
        prop_assert!(is_kept, "{note:?} {name} {wanted:?}\n{after:?}");
    }

    /// Arbitrary text is changed correctly or not at all.
    #[test]
    fn any_text_is_safe(
        yaml in "([-?a-c:'\"\\[\\]{},&*!|>#~ \t]{0,6}(a|p0)?(: ?[-a'\"\\[\\]{},&*!|>#1é]{0,5})?\r?\n){0,5}",
        wanted in prop::option::of(any_value()),
    ) {
        let note = format!("---\n{yaml}---\nbody");
        let Some(before) = properties_of(&note) else {
            return Ok(());
        };
        for style in [PropertyStyle::Preserve, PropertyStyle::Compat] {
            let mut expected = before.clone();
            match &wanted {
                Some(value) => { expected.insert("p0".to_owned(), value.clone()); }
                None => { expected.shift_remove("p0"); }
            }
            if let Ok(after) = edit(style, &note, "p0", wanted.as_ref()) {
                prop_assert_eq!(properties_of(&after), Some(expected));
                prop_assert!(after.ends_with("body"));
            }
        }
    }
}

#[test]
fn the_status_of_a_recurring_task_of_tasknotes_completes_no_occurrence() {
    let series = "---\nstatus: open\nrecurrence: DTSTART:20250804;FREQ=DAILY\n---\n";
    let (_folder, vault) = vault(&[
        ("series.md", series),
        (
            "words.md",
            "---\nstatus: open\nrecurrence: every day\n---\n",
        ),
    ]);
    let set = |path, value, flags: &[&str]| {
        let params = [("path", path), ("name", "status"), ("value", value)];
        let call = vault_files::testing::given("property:set", &params, flags);
        crate::Editor(&vault)
            .plan("property:set", &call, &vault_files::testing::surroundings())
            .map(|edit| edit.changes.len())
            .map_err(|error| error.to_string())
    };
    insta::assert_snapshot!(
        set("series.md", "done", &[]).unwrap_err(),
        @"`series.md` is a recurring task of TaskNotes. Its status applies to all its days, not only to one"
    );
    assert_eq!(set("series.md", "done", &["force"]), Ok(1));
    assert_eq!(set("series.md", "in-progress", &[]), Ok(1));
    assert_eq!(set("words.md", "done", &[]), Ok(1));
}
