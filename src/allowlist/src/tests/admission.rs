//! Look-up and admission through the built-in catalogue.

use proptest::prelude::*;

use super::*;
use protocol::{Code, Failure};

const CASES: &str = include_str!("admission_cases.txt");

fn refused(id: &str, json: &str) -> Failure {
    builtin().admit(id, &params(json)).unwrap_err()
}

fn refused_words(id: &str, words: &[&str]) -> Failure {
    builtin().admit_words(id, words).unwrap_err()
}

#[test]
fn a02_spelling_variants_are_unknown() {
    for id in tables::lines(CASES, "a02 spelling variants are unknown") {
        let failure = builtin().find(id).unwrap_err();
        assert_eq!(failure.code, Code::UnknownCommand, "{id:?}");
        assert!(!failure.to_string().chars().any(char::is_control), "{id:?}");
    }
    assert_eq!(refused("Delete", "{}").details["nearest"][0], "delete");
    let long = "x".repeat(100_000);
    assert!(builtin().find(&long).unwrap_err().to_string().len() < 300);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a02_no_mutation_of_a_name_reaches_a_command(
        index in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        inserted in any::<char>(),
        how in 0_u8..4,
    ) {
        let ids: Vec<&str> = builtin().commands().map(|command| command.id.as_str()).collect();
        let id = ids[index.index(ids.len())];
        let at = at.index(id.len());
        let mutated = match how {
            0 => format!("{}{inserted}{}", &id[..at], &id[at..]),
            1 => format!("{}{}", &id[..at], &id[at + 1..]),
            2 => format!("{}{}{}", &id[..at], id[at..=at].to_ascii_uppercase(), &id[at + 1..]),
            _ => format!("{id}{inserted}"),
        };
        match builtin().lookup(&mutated) {
            Lookup::Offered(command) => prop_assert_eq!(&command.id, &mutated),
            Lookup::Refused(command) => prop_assert_eq!(&command.id, &mutated),
            Lookup::Unknown { nearest } => {
                prop_assert!(nearest.len() <= 3);
                prop_assert!(nearest.iter().all(|near| ids.contains(&near.as_str())));
            }
        }
    }

    #[test]
    fn b03_no_other_key_is_admitted(key in r"[ =a-zA-Z0-9_\-é\x00]{0,12}") {
        let command = command("create");
        let known = command.argument_names().any(|name| name == key);
        let given = [(key.clone(), RawValue::Text("a".into()))].into();
        match command.admit(&given) {
            Ok(arguments) => prop_assert!(known && arguments.values.contains_key(&key)),
            Err(failure) => prop_assert!(
                known || failure.to_string().contains("has no parameter or flag"),
                "{}", failure
            ),
        }
    }

    #[test]
    fn b07_no_word_makes_admission_fail_without_a_reason(words in prop::collection::vec("[a-z=:./ ]{0,10}", 0..4)) {
        for command in builtin().commands() {
            if let Err(failure) = command.admit_words(&words) {
                prop_assert!(matches!(failure.code, Code::UsageError | Code::PathEscape));
                prop_assert!(!failure.to_string().is_empty());
            }
        }
    }
}

#[test]
fn parameters_of_other_programs_get_the_call_that_is_meant() {
    let message = |id: &str, given: &str| refused(id, given).to_string();
    insta::assert_snapshot!(message("notes:list", r#"{"filter": {"status": "active"}}"#), @r#"`notes:list` filters only by one property and its value. To filter, pass `{"property":"status","value":"…"}`."#);
    insta::assert_snapshot!(message("tasks", r#"{"query": "milk"}"#), @r#"`tasks` does not search the text of tasks. To find tasks by their text, use `search:context` with `{"query":"task:\"milk\""}`."#);
    insta::assert_snapshot!(message("tasks", r#"{"query": "buy \"milk"}"#), @r#"`tasks` does not search the text of tasks. To find tasks by their text, use `search:context` with `{"query":"task:\"…\""}`."#);
    insta::assert_snapshot!(message("base:query", r#"{"path": "a.base", "filter": "x"}"#), @"`base:query` does not take a filter. It applies the filters of the base and the view. Choose a view with `view`. To filter by your own condition, use `notes:list` with `property` and `value`.");
    let unknown = builtin().find("draft:accept").unwrap_err();
    insta::assert_snapshot!(unknown.to_string(), @"There is no command `draft:accept`. Only a person can accept changes. `draft:status` lists the changes that wait for a person.");
}

#[test]
fn a03_unknown_parameters_are_named_with_the_valid_ones() {
    let failure = refused("create", r#"{"pth": "a.md"}"#);
    assert_eq!(failure.code, Code::UsageError);
    insta::assert_snapshot!(failure.to_string(), @"`create` has no parameter or flag `pth`. Did you mean `path`? It takes \
                 `name`, `path`, `content`, `template`, `properties`, `overwrite`, \
                 `number`, `open`, `newtab`, `silent`.");
    assert_eq!(failure.details["parameter"], "pth");
    assert_eq!(failure.details["nearest"], serde_json::json!(["path"]));
    assert_eq!(failure.details["valid"][0], "name");
    insta::assert_snapshot!(refused("daily:read", r#"{"zzzzzz": 1}"#).to_string(), @"`daily:read` has no parameter or flag `zzzzzz`. The command does not take arguments.");
    insta::assert_snapshot!(refused("read", r#"{"vault": "Other"}"#).to_string(), @"`read` has no parameter or flag `vault`. `vault` belongs next to `params`, not inside it.");
    for (id, json) in [
        ("read", r#"{"path": "a.md", "content": "x"}"#),
        ("daily:read", r#"{"path": "a.md"}"#),
        ("rename", r#"{"path": "a.md", "name": "b", "to": "c.md"}"#),
    ] {
        assert_eq!(refused(id, json).code, Code::UsageError, "{id} {json}");
    }
}

#[test]
fn a04_a_flag_of_one_command_is_unknown_to_the_others() {
    let flags: std::collections::BTreeSet<&str> = builtin()
        .commands()
        .flat_map(|command| &command.flags)
        .map(|flag| flag.name.as_str())
        .chain(["permanent", "copy", "silent", "all", "allow_mutations"])
        .collect();
    for command in builtin().commands() {
        for name in &flags {
            if command.flag(name).is_some() || command.param(name).is_some() {
                continue;
            }
            let json = [((*name).to_owned(), RawValue::Bool(true))].into();
            assert_eq!(
                command.admit(&json).unwrap_err().code,
                Code::UsageError,
                "{} {name}",
                command.id
            );
            let word = format!("{name}=true");
            assert!(
                command.admit_words(&[&word]).is_err(),
                "{} {word}",
                command.id
            );
            // A word that is not an argument may be a value, but never a flag.
            if let Ok(arguments) = command.admit_words(&[name]) {
                let bare = command.bare.first().map(|bare| &arguments.values[bare]);
                assert_eq!(bare.unwrap().to_text(), *name, "{} {name}", command.id);
                assert!(arguments.flags.is_empty(), "{} {name}", command.id);
            }
        }
        for word in ["--copy", "-x", "--open", "--json", "-"] {
            assert!(
                command.admit_words(&[word]).is_err(),
                "{} {word}",
                command.id
            );
        }
    }
}

#[test]
fn b04_values_that_look_like_switches_stay_values() {
    let call = call("daily:append content=--copy");
    assert_eq!(call.arguments.param("content"), Some("--copy"));
    let equals = self::call("daily:append content=a=b=c");
    assert_eq!(equals.arguments.param("content"), Some("a=b=c"));
}

#[test]
fn b07_flags_are_booleans_and_false_is_left_out() {
    let off = builtin()
        .admit(
            "create",
            &params(r#"{"path": "a.md", "overwrite": false, "open": true}"#),
        )
        .unwrap();
    assert_eq!(off.arguments.flags, ["open".to_owned()].into());
    let words = r#"{"path": "a.md", "overwrite": "false", "open": "true"}"#;
    let as_words = builtin().admit("create", &params(words)).unwrap();
    assert_eq!(as_words.arguments, off.arguments);
    for value in ["\"True\"", "\"yes\"", "1", "null", "[]", "{}", "\"\""] {
        let json = format!(r#"{{"path": "a.md", "overwrite": {value}}}"#);
        assert_eq!(refused("create", &json).code, Code::UsageError, "{value}");
    }
    assert!(
        call("create path=a.md overwrite=false")
            .arguments
            .flags
            .is_empty()
    );
    insta::assert_snapshot!(
        refused_words("create", &["path=a.md", "overwrite=1"]).to_string(),
        @"`overwrite` of `create` is a flag, so its value must be `true` or `false`. Write `overwrite` alone, `overwrite=true` or `overwrite=false`."
    );
}

#[test]
fn b07_null_is_no_way_to_leave_a_parameter_out() {
    insta::assert_snapshot!(refused("read", r#"{"path": null}"#).to_string(), @"`path` of `read`: expected a text, got null; leave it out instead.");
}

#[test]
fn an_edit_of_properties_without_a_place_is_pointed_to_their_command() {
    let edit = r#"{"path": "a.md", "edits": [{"frontmatter": {"status": "done"}}]}"#;
    insta::assert_snapshot!(refused("note:edit", edit).to_string(), @"`edits` of `note:edit`: [0].frontmatter works only together with `old`, `lines` or `afterLine`. To set a property, use `property:set`.");
}

#[test]
fn missing_parameters_are_reported_with_the_usage_line() {
    insta::assert_snapshot!(refused("property:set", r#"{"path": "a.md"}"#).to_string(), @"`property:set` needs `name`, `value`. Usage: property:set name=<name> \
                 value=<value> [type=text|list|number|checkbox|date|datetime] \
                 [file=<name>] [path=<path>] [paths=<json>] [empty] [force]");
    assert_eq!(
        refused("property:set", "{}").details["missing"],
        serde_json::json!(["name", "value"])
    );
}

#[test]
fn a_note_is_named_once() {
    insta::assert_snapshot!(refused("read", r#"{"path": "a.md", "file": "a"}"#).to_string(), @"`read` was given both `path` and `file`. Pass only `path`, which is exact.");
    insta::assert_snapshot!(refused("tasks", r#"{"path": "a.md", "daily": true}"#).to_string(), @"`tasks` takes only one of `path`, `daily`. Pass at most one of them.");
    assert!(
        refused(
            "task",
            r#"{"ref": "a.md:1", "toggle": true, "status": "x"}"#
        )
        .to_string()
        .contains("`toggle`, `status`")
    );
    for command in builtin().commands() {
        if command
            .param("file")
            .is_some_and(|param| param.kind == ParamKind::NoteName)
        {
            let both = params(r#"{"path": "a.md", "file": "a"}"#);
            let failure = command.admit(&both).unwrap_err();
            assert!(
                failure.to_string().contains("needs")
                    || failure.to_string().contains("Pass only `path`"),
                "{failure}"
            );
        }
    }
}

#[test]
fn words_know_the_shorthand_of_format_and_nothing_else_bare() {
    assert_eq!(call("tags json").arguments.param("format"), Some("json"));
    assert_eq!(
        call("base:query paths").arguments.param("format"),
        Some("paths")
    );
    insta::assert_snapshot!(refused_words("tags", &["yaml"]).to_string(), @"`tags` has no parameter or flag `yaml`. It takes `file`, `path`, `sort`, \
                 `format`, `total`, `counts`, `active`. Write each value as \
                 `name=value`. Put values with spaces in quotes.");
    insta::assert_snapshot!(refused_words("append", &["content"]).to_string(), @"`content` of `append` needs a value. Write `content=<text>`.");
    insta::assert_snapshot!(refused_words("tags", &["json", "format=csv"]).to_string(), @"`tags` was given `format` twice. Pass only one value.");
    insta::assert_snapshot!(refused_words("tags", &["format=jsn"]).to_string(), @"`format` of `tags`: expected one of `json`, `tsv`, `csv`. Did you mean \
                 `json`?");
    assert!(
        builtin()
            .admit("tags", &params(r#"{"json": true}"#))
            .is_err()
    );
}

#[test]
fn bare_words_are_the_parameters_that_the_catalogue_names() {
    for row in tables::text(CASES, "bare words are the parameters, 2")
        .lines()
        .filter(|row| !row.starts_with('#'))
    {
        let (words, expected) = row.split_once(" => ").unwrap();
        let (name, value) = expected.split_once('=').unwrap();
        let words: Vec<&str> = words.split('|').collect();
        let (id, words) = words.split_first().unwrap();
        let arguments = command(id).admit_words(words).unwrap();
        assert_eq!(arguments.values[name].to_text(), value, "{id} {words:?}");
    }
    for (id, words) in [
        ("read", &["Home", "Other"][..]),
        ("random", &["Ideas"]),
        ("tags", &["boat"]),
        ("read", &[""]),
        // The parameter is already given with its name.
        ("create", &["name=a", "b"]),
        ("create", &["path=a.md", "b"]),
        ("append", &["path=a.md", "b", "content=x"]),
        ("append", &["Ideas", "one", "two"]),
        // Nothing is named.
        ("create", &[]),
        // A mistyped flag or format is not taken as a value.
        ("create", &["overwritte", "name=a"]),
        ("create", &["overwritte"]),
        ("create", &["--overwrite"]),
        ("create", &["-x"]),
        ("daily:append", &["-"]),
        ("backlinks", &["jsn"]),
        // A flag in the place of a value: the text would be lost, or the query another one.
        ("create", &["Ideas", "open"]),
        ("create", &["open"]),
        ("append", &["Ideas", "inline"]),
        ("daily:append", &["open", "text"]),
        ("search", &["canvas", "view", "total"]),
        ("search", &["case"]),
        ("search", &["json"]),
        // Flags that Obsidian's own skill teaches for every command.
        ("read", &["--copy"]),
        ("read", &["total"]),
    ] {
        assert_eq!(refused_words(id, words).code, Code::UsageError, "{words:?}");
    }
    insta::assert_snapshot!(refused_words("create", &[]).to_string(), @"`create` needs a name. Usage: create <name> [<text>]");
    insta::assert_snapshot!(refused_words("create", &["overwritte"]).to_string(), @"`create` has no parameter or flag `overwritte`. Did you mean \
                 `overwrite`? It takes `name`, `path`, `content`, `template`, \
                 `properties`, `overwrite`, `number`, `open`, `newtab`, `silent`. To \
                 pass the word as a value, write `name=overwritte`.");
    insta::assert_snapshot!(refused_words("create", &["Ideas", "open"]).to_string(), @"`open` can mean the flag of `create` or the value of `content`. To pass the word as a value, write `content=open`. To set the flag, write `open=true`.");
    assert!(
        refused_words("create", &["Ideas", "silence"])
            .to_string()
            .ends_with("To pass the word as a value, write `content=silence`.")
    );
    let meant = |id: &str, words: &[&str]| {
        let message = refused_words(id, words).to_string();
        let meant = message.split_once("Did you mean `");
        meant.map(|(_, line)| line.trim_end_matches("`?").to_owned())
    };
    for [words, line] in tables::section(CASES, "bare words are the parameters") {
        let line = format!("vault-gw {line}");
        let (id, rest) = words.split_once('|').unwrap();
        let rest: Vec<&str> = rest.split('|').collect();
        assert_eq!(meant(id, &rest).as_deref(), Some(&*line), "{words}");
    }
    // If the meaning is unclear, nothing is proposed.
    for (id, words) in [("create", &["name=a", "b"][..]), ("random", &["Ideas"])] {
        assert_eq!(meant(id, words), None, "{id} {words:?}");
    }
    // Only a command line has words without names; a request names everything.
    assert!(
        builtin()
            .admit("read", &params(r#"{"Home": true}"#))
            .is_err()
    );
}

#[test]
fn nothing_is_trimmed() {
    let call = builtin()
        .admit(
            "append",
            &params(r#"{"path": " a.md", "content": " x \r\n"}"#),
        )
        .unwrap();
    let arguments = &call.arguments;
    assert_eq!(arguments.param("path"), Some(" a.md"));
    assert_eq!(arguments.param("content"), Some(" x \r\n"));
    assert!(
        builtin()
            .admit("tags", &params(r#"{"format": " json"}"#))
            .is_err()
    );
    assert!(
        builtin()
            .admit("tags", &params(r#"{"format": "JSON"}"#))
            .is_err()
    );
}

#[test]
fn b02_nul_is_refused_in_texts_too() {
    for [id, json] in tables::section(CASES, "b02 nul is refused in texts too") {
        assert_eq!(refused(id, json).code, Code::UsageError, "{json}");
    }
    assert!(
        !refused("append", r#"{"path": "a.md", "content\u0000": "a"}"#)
            .to_string()
            .contains('\0')
    );
}

#[test]
fn b10_new_names_and_identifiers_of_every_command_hide_nothing() {
    for [id, name] in tables::section(CASES, "b10 new names and identifiers") {
        let given =
            |character: char| [(name.to_owned(), RawValue::Text(format!("a{character}b")))].into();
        for character in ['\n', '\u{7f}', '\u{202e}', '\u{2066}', '\u{feff}'] {
            let failure = command(id).admit(&given(character)).unwrap_err();
            assert!(failure.to_string().contains("U+"), "{id} {name}: {failure}");
        }
        for joiner in ['\u{200b}', '\u{200c}', '\u{200d}'] {
            if let Err(failure) = command(id).admit(&given(joiner)) {
                assert!(
                    !failure.to_string().contains("U+"),
                    "{id} {name}: {failure}"
                );
            }
        }
    }
}

#[test]
fn sensitive_values_are_never_shown() {
    let call = builtin()
        .admit(
            "create",
            &params(r#"{"path": "b.md", "open": true, "content": "my secret"}"#),
        )
        .unwrap();
    assert_eq!(
        serde_json::to_string(&call.params_json()).unwrap(),
        r#"{"content":"<redacted>","open":true,"path":"b.md"}"#
    );
    assert_eq!(call.arguments.param("content"), Some("my secret"));
    let secret = "s3cret\u{0}";
    for command in builtin().commands() {
        for param in command.params.iter().filter(|param| param.sensitive) {
            let given = [(param.name.clone(), RawValue::Text(secret.into()))].into();
            let failure = command.admit(&given).unwrap_err();
            assert!(!format!("{failure:?}").contains("s3cret"), "{}", command.id);
        }
        for param in &command.params {
            let is_content = matches!(
                param.kind,
                ParamKind::Text
                    | ParamKind::Scalar
                    | ParamKind::ScalarOrList
                    | ParamKind::Object
                    | ParamKind::List(ListKind::Edits | ListKind::Changes)
            );
            let is_content = is_content || (command.id == "task" && param.name == "text");
            assert_eq!(param.sensitive, is_content, "{} {}", command.id, param.name);
            assert_eq!(
                param.escapes,
                param.name == "content" && !command.is_ours(),
                "{} {}",
                command.id,
                param.name
            );
        }
    }
}

#[test]
fn numbers_are_numbers_in_the_envelope() {
    let call = call("search query=a limit=10 total");
    assert_eq!(
        serde_json::to_string(&call.params_json()).unwrap(),
        r#"{"limit":10,"query":"a","total":true}"#
    );
}

#[test]
fn a10_arguments_and_values_are_counted() {
    let many = |count: usize| -> BTreeMap<String, RawValue> {
        (0..count)
            .map(|index| (format!("flag{index}"), RawValue::Bool(true)))
            .collect()
    };
    let text = format!(
        "[[command]]\nid = \"x\"\ngroup = \"x\"\ntask = \"read\"\nsummary = \"X.\"\neffects = [\"read\"]\n\
         target = \"none\"\noutput = \"raw\"\nbackends = [\"obsidian\"]\nsince = \"1.12.0\"\n\
         accept = [\"x\"]\nflags = [{}]\n",
        (0..=MAX_ARGUMENTS)
            .map(|index| format!("{{ name = \"flag{index}\", summary = \"F.\" }},"))
            .collect::<Vec<_>>()
            .join("\n")
    );
    let files = [CatalogueFile {
        name: "many.toml",
        part: CatalogueSection::Tier(Tier::V0),
        text: &text,
    }];
    let catalogue = Catalogue::load(&files).unwrap();
    for (count, fits) in [
        (MAX_ARGUMENTS - 1, true),
        (MAX_ARGUMENTS, true),
        (MAX_ARGUMENTS + 1, false),
    ] {
        assert_eq!(catalogue.admit("x", &many(count)).is_ok(), fits, "{count}");
        let words: Vec<String> = many(count).into_keys().collect();
        assert_eq!(catalogue.admit_words("x", &words).is_ok(), fits, "{count}");
    }
    let failure = catalogue.admit("x", &many(MAX_ARGUMENTS + 1)).unwrap_err();
    assert_eq!(failure.details["limit"], MAX_ARGUMENTS);
}

#[test]
fn a10_a_value_over_the_limit_is_too_large_and_says_so() {
    let text = |bytes: usize| -> BTreeMap<String, RawValue> {
        [
            ("path".to_owned(), RawValue::Text("a.md".into())),
            ("content".to_owned(), RawValue::Text("a".repeat(bytes))),
        ]
        .into()
    };
    assert!(builtin().admit("append", &text(MAX_VALUE_BYTES)).is_ok());
    let failure = builtin()
        .admit("append", &text(MAX_VALUE_BYTES + 1))
        .unwrap_err();
    assert_eq!(failure.code, Code::ArgumentTooLarge);
    assert_eq!(failure.details["bytes"], MAX_VALUE_BYTES + 1);
    assert_eq!(failure.details["limit"], MAX_VALUE_BYTES);
    let long_key = "k".repeat(MAX_NAME_BYTES + 1);
    let failure = builtin()
        .admit("append", &[(long_key.clone(), RawValue::Bool(true))].into())
        .unwrap_err();
    assert_eq!(failure.code, Code::UsageError);
    assert!(!failure.to_string().contains(&long_key));
}

/// The backends take texts; `type` and `empty` say which JSON value is meant.
#[test]
fn a_value_keeps_its_json_type_unless_the_caller_names_another() {
    for row in tables::text(CASES, "a value keeps its json type unless").lines() {
        let (given, sent) = row.split_once(" => ").unwrap();
        let given: Vec<&str> = given.split_whitespace().collect();
        let kind = given.get(2);
        let kind = kind.map_or_else(String::new, |kind| format!(r#","type":"{kind}""#));
        let json = format!(r#"{{"path":"a.md","name":"n","value":{}{kind}}}"#, given[1]);
        let arguments = builtin().admit(given[0], &params(&json)).unwrap().arguments;
        let value = arguments.param("value").unwrap();
        let empty = if arguments.flag("empty") {
            " empty"
        } else {
            ""
        };
        let kind = arguments.param("type").unwrap_or("-");
        assert_eq!(format!("{value} {kind}{empty}"), sent, "{row}");
    }
    let null = r#"{"path":"a.md","name":"n","value":null}"#;
    assert!(builtin().admit("property:add", &params(null)).is_err());
}
