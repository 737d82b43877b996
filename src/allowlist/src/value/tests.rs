use proptest::prelude::*;
use vault_engine::Arg;

use super::*;
use crate::EffectSet;

const CASES: &str = include_str!("cases.txt");

fn param(kind: ParamKind) -> Param {
    Param {
        name: "p".into(),
        kind,
        summary: "A parameter.".into(),
        required: false,
        effects: EffectSet::EMPTY,
        escapes: false,
        sensitive: false,
        may_be_empty: false,
        backend: None,
        with: None,
    }
}

fn admit(kind: ParamKind, text: &str) -> Result<Arg, ValueProblem> {
    check(&param(kind), &RawValue::Text(text.into()))
}

fn admit_json(kind: ParamKind, json: &str) -> Result<Arg, ValueProblem> {
    let value: serde_json::Value = serde_json::from_str(json).unwrap();
    check(&param(kind), &value.into())
}

fn text(text: &str) -> Arg {
    Arg::Text(text.into())
}

const SMALL: ParamKind = ParamKind::Integer { min: 0, max: 100 };

#[test]
fn b07_whole_numbers_have_one_spelling() {
    assert_eq!(admit(SMALL, "5"), Ok(Arg::Integer(5)));
    assert_eq!(admit_json(SMALL, "5"), Ok(Arg::Integer(5)));
    for bad in [
        "05", "+5", "5.0", "1e1", "-0", "NaN", " 5", "5 ", "101", "-1", "٥", "0x5",
    ] {
        assert_eq!(
            admit(SMALL, bad),
            Err(ValueProblem::NotAnInteger {
                min: 0,
                max: 100,
                meant: ["05", "+5", "5.0", " 5", "5 "].contains(&bad).then_some(5),
            }),
            "{bad}"
        );
    }
    // JSON does not tell a whole number from one with a fraction of zero.
    for same in ["5.0", "0.5e1"] {
        assert_eq!(admit_json(SMALL, same), Ok(Arg::Integer(5)), "{same}");
    }
    for bad in ["5.5", "-0", "101", "-1", "1e308", "9223372036854775808"] {
        assert!(admit_json(SMALL, bad).is_err(), "{bad}");
    }
}

#[test]
fn b07_only_scalars_of_the_declared_type_are_taken() {
    for json in ["null", "[]", "[\"a\"]", "{}", "{\"a\":1}", "true", "5"] {
        assert!(admit_json(ParamKind::Text, json).is_err(), "{json}");
    }
    for json in ["null", "[]", "{}"] {
        assert!(admit_json(ParamKind::Scalar, json).is_err(), "{json}");
        assert!(admit_json(SMALL, json).is_err(), "{json}");
    }
    assert!(admit_json(SMALL, "true").is_err());
}

#[test]
fn an_array_or_object_is_taken_as_such_where_one_is_meant() {
    for (kind, json, sent) in [
        (
            ParamKind::ScalarOrList,
            r#"["a", "b, c", 1]"#,
            r#"["a","b, c",1]"#,
        ),
        (ParamKind::ScalarOrList, r#""[1]""#, "[1]"),
        (ParamKind::ScalarOrList, "[]", "[]"),
        (ParamKind::ScalarOrList, "true", "true"),
        (
            ParamKind::Object,
            r#"{"b": [1], "a": null}"#,
            r#"{"b":[1],"a":null}"#,
        ),
        (ParamKind::Object, r#""{\"a\":1}""#, r#"{"a":1}"#),
    ] {
        assert_eq!(admit_json(kind, json), Ok(text(sent)), "{json}");
    }
    for (kind, json) in [
        (ParamKind::ScalarOrList, "{}"),
        (ParamKind::Object, "[]"),
        (ParamKind::Object, "1"),
    ] {
        assert!(admit_json(kind, json).is_err(), "{json}");
    }
}

#[test]
fn b07_numbers_are_sent_as_their_canonical_text_or_not_at_all() {
    for [json, sent] in tables::section(CASES, "b07 numbers are sent as their canonical") {
        assert_eq!(
            admit_json(ParamKind::Scalar, json),
            Ok(text(sent)),
            "{json}"
        );
    }
    for json in "-0 -0.0 9007199254740992 -9007199254740992 9223372036854775808".split(' ') {
        assert_eq!(
            admit_json(ParamKind::Scalar, json),
            Err(ValueProblem::InexactNumber),
            "{json}"
        );
    }
}

#[test]
fn b02_no_kind_lets_a_nul_through() {
    // The items of lists are checked where the lists are read.
    let is_single = |kind: &ParamKind| !matches!(kind, ParamKind::List(_));
    let kinds = ParamKind::all().filter(is_single);
    let kinds = kinds.chain([SMALL, ParamKind::Choice(vec!["a".into()])]);
    for kind in kinds {
        for value in ["\0", "a\0b", "a.md\0:3", "https://a\0", "5\0"] {
            assert!(admit(kind.clone(), value).is_err(), "{kind:?} {value:?}");
        }
    }
}

#[test]
fn b10_new_names_hold_no_misleading_characters_but_texts_may() {
    let misleading = [
        '\n',
        '\t',
        '\u{7f}',
        '\u{202e}',
        '\u{2066}',
        '\u{feff}',
        '\u{e0041}',
    ];
    for character in misleading {
        let value = format!("a{character}b");
        for kind in [ParamKind::Name, ParamKind::Identifier] {
            assert!(admit(kind.clone(), &value).is_err(), "{kind:?} {value:?}");
        }
        assert_eq!(
            admit(ParamKind::Character, &character.to_string()),
            Err(ValueProblem::Character(character))
        );
        assert_eq!(admit(ParamKind::Text, &value), Ok(text(&value)));
        assert_eq!(
            admit(ParamKind::Line, &value).is_ok(),
            !character.is_control()
        );
    }
    assert!(admit(ParamKind::Line, "a\u{2028}b").is_err());
    for name in ["👩\u{200d}👧", "می\u{200c}خواهم", "ខ្មែរ\u{200b}ភាសា"]
    {
        assert_eq!(admit(ParamKind::Name, name), Ok(text(name)));
        assert_eq!(admit(ParamKind::Identifier, name), Ok(text(name)));
    }
}

#[cfg(unix)]
#[test]
fn b10_existing_names_are_whatever_the_disk_holds() {
    for value in tables::lines(CASES, "b10 existing names are whatever the disk") {
        let path = Ok(Arg::Path(VaultPath::file(value).unwrap()));
        assert_eq!(admit(ParamKind::Path, value), path);
        assert_eq!(admit(ParamKind::Folder, value), path);
        assert_eq!(admit(ParamKind::NoteName, value), Ok(text(value)));
        assert_eq!(admit(ParamKind::Template, value), Ok(text(value)));
    }
}

#[test]
fn d09_new_names_are_no_devices_streams_or_places_elsewhere() {
    for value in ["CON", "nul.md", "a:b", "a\\b", "a|b", "a?"] {
        assert!(matches!(
            admit(ParamKind::Name, value),
            Err(ValueProblem::Path(_) | ValueProblem::InName { .. })
        ));
    }
    for value in ["..", "a\\..\\b", "file://x"] {
        assert_eq!(
            admit(ParamKind::Name, value),
            Err(ValueProblem::Path(PathError::Escape)),
            "{value}"
        );
    }
    for value in ["~", "C:", "C:\\x", "\\\\server\\x", "/a"] {
        assert_eq!(
            admit(ParamKind::Name, value),
            Err(ValueProblem::Absolute),
            "{value}"
        );
    }
    assert_eq!(admit(ParamKind::Path, "a/"), Err(ValueProblem::Folder));
}

#[test]
fn destinations_with_a_dot_are_files_and_others_folders() {
    let path = |text: &str| Ok(Arg::Path(VaultPath::file(text).unwrap()));
    assert_eq!(admit(ParamKind::Destination, "a/b.md"), path("a/b.md"));
    assert_eq!(admit(ParamKind::Destination, "Area/"), path("Area"));
    assert_eq!(
        admit(ParamKind::Destination, "/"),
        Ok(Arg::Path(VaultPath::root()))
    );
    for value in ["Area 1.5/", "b//c"] {
        let problem = ValueProblem::Path(PathError::EmptyComponent);
        assert_eq!(
            admit(ParamKind::Destination, value),
            Err(problem),
            "{value}"
        );
    }
    for value in ["/b", "/b/x.md/"] {
        assert_eq!(
            admit(ParamKind::Destination, value),
            Err(ValueProblem::Absolute),
            "{value}"
        );
    }
}

#[test]
fn task_references_are_split_at_the_last_colon_and_their_path_is_checked() {
    let line = Arg::Line {
        path: VaultPath::file("a/b.md").unwrap(),
        line: 8,
    };
    assert_eq!(admit(ParamKind::TaskRef, "a/b.md:8"), Ok(line));
    assert_eq!(
        admit(ParamKind::TaskRef, "/etc/passwd:1"),
        Err(ValueProblem::Absolute)
    );
    for value in ["../a.md:8", "../a", "a/../../b:1"] {
        assert_eq!(
            admit(ParamKind::TaskRef, value),
            Err(ValueProblem::Path(PathError::Escape)),
            "{value}"
        );
    }
    for value in [
        "a.md", "a.md:", "a.md:0", "a.md:01", "a.md:-1", "a.md:x", "a.md:1e3",
    ] {
        assert_eq!(
            admit(ParamKind::TaskRef, value),
            Err(ValueProblem::NotATaskRef),
            "{value}"
        );
    }
    assert_eq!(admit(ParamKind::TaskRef, "a:b.md:3").is_ok(), cfg!(unix));
}

#[test]
fn addresses_are_web_addresses() {
    assert!(admit(ParamKind::Url, "https://example.org/a?b=c#d").is_ok());
    for value in tables::lines(CASES, "addresses are web addresses") {
        assert_eq!(
            admit(ParamKind::Url, value),
            Err(ValueProblem::NotAUrl),
            "{value}"
        );
    }
}

#[test]
fn names_and_characters() {
    assert_eq!(
        admit(ParamKind::Name, "a/b"),
        Err(ValueProblem::Slash {
            bad: vec!["/".into()]
        })
    );
    assert_eq!(
        admit(ParamKind::Name, "../b"),
        Err(ValueProblem::Path(PathError::Escape))
    );
    assert_eq!(admit(ParamKind::NoteName, "a/b"), Ok(text("a/b")));
    assert_eq!(admit(ParamKind::Character, " "), Ok(text(" ")));
    assert_eq!(admit(ParamKind::Character, "é"), Ok(text("é")));
    for value in ["xx", "e\u{301}"] {
        assert_eq!(
            admit(ParamKind::Character, value),
            Err(ValueProblem::NotOneCharacter)
        );
    }
}

#[test]
fn empty_is_refused_unless_it_means_something() {
    let required = false;
    assert_eq!(
        admit(ParamKind::Text, ""),
        Err(ValueProblem::Empty { required })
    );
    let mut clearing = param(ParamKind::Scalar);
    clearing.may_be_empty = true;
    assert_eq!(
        check(&clearing, &RawValue::Text(String::new())),
        Ok(text(""))
    );
}

#[test]
fn a10_values_end_at_sixteen_mebibytes() {
    for (bytes, fits) in [
        (MAX_VALUE_BYTES - 1, true),
        (MAX_VALUE_BYTES, true),
        (MAX_VALUE_BYTES + 1, false),
    ] {
        let value = "a".repeat(bytes);
        assert_eq!(admit(ParamKind::Text, &value).is_ok(), fits, "{bytes}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn b01_texts_are_admitted_unchanged(value in "[^\0]{1,40}") {
        prop_assert_eq!(admit(ParamKind::Text, &value), Ok(text(&value)));
        prop_assert_eq!(admit(ParamKind::Scalar, &value), Ok(text(&value)));
    }

    #[test]
    fn b07_what_is_admitted_prints_as_it_was_written(value in "[-+0-9. e]{1,4}") {
        if let Ok(admitted) = admit(SMALL, &value) {
            prop_assert_eq!(admitted.to_text(), value);
        }
    }

    #[test]
    fn d01_no_admitted_path_has_a_parent_component(value in r"[./\\~:a]{1,8}") {
        for kind in [ParamKind::Path, ParamKind::Folder, ParamKind::Destination, ParamKind::NoteName, ParamKind::Name, ParamKind::Template] {
            if let Ok(admitted) = admit(kind, &value) {
                let sent = admitted.to_text();
                prop_assert!(sent == "/" || !sent.starts_with('/'));
                prop_assert!(sent.split('/').all(|component| component != ".."));
                let elsewhere = VaultPath::folder(&sent).unwrap().is_absolute_elsewhere();
                prop_assert!(elsewhere || sent.split('\\').all(|component| component != ".."));
            }
        }
    }
}
