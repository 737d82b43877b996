use proptest::prelude::*;
use serde::Deserialize;
use serde_json::json;
use yaml_events::scalar;

use super::*;

const CASES: &str = include_str!("cases.txt");

fn read(yaml: &str) -> Value {
    match Frontmatter::parse(yaml) {
        Ok(frontmatter) => Value::Object(frontmatter.properties),
        Err(error) => panic!("{yaml:?}: {error}"),
    }
}

fn fault(yaml: &str) -> FrontmatterError {
    match Frontmatter::parse(yaml) {
        Ok(frontmatter) => panic!("{yaml:?}: {frontmatter:?}"),
        Err(error) => error,
    }
}

/// The contents of the app's cache for real notes.
#[derive(Deserialize)]
struct Recorded {
    notes: Vec<RecordedNote>,
}

#[derive(Deserialize)]
struct RecordedNote {
    note: String,
    text: String,
    frontmatter: Value,
    links: Vec<RecordedLink>,
    tags: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RecordedLink {
    key: String,
    link: String,
    original: String,
    display_text: Option<String>,
}

const RECORDED: &str = include_str!("../../tests/data/frontmatter.json");

#[test]
fn properties_recorded_from_the_app_are_reproduced() {
    let recorded: Recorded = serde_json::from_str(RECORDED).unwrap();
    assert!(recorded.notes.len() > 10);
    for note in recorded.notes {
        let frontmatter = Frontmatter::parse_note(&note.text).unwrap();
        let links: Vec<_> = note
            .links
            .into_iter()
            .map(|link| FrontmatterLink {
                key: link.key,
                target: link.link,
                original: link.original,
                display: link.display_text,
            })
            .collect();
        assert_eq!(frontmatter.tags(), note.tags, "{}", note.note);
        // The record has its keys sorted.
        let mut found = frontmatter.links();
        found.sort_by(|left, right| left.key.cmp(&right.key));
        let mut expected = links;
        expected.sort_by(|left, right| left.key.cmp(&right.key));
        assert_eq!(found, expected, "{}", note.note);
        let properties = Value::Object(frontmatter.properties);
        assert_eq!(properties, note.frontmatter, "{}", note.note);
    }
}

#[test]
fn the_usual_forms() {
    assert_eq!(
        read(
            "# head\ntitle: A note\nlist:\n- 1\n- two\n  lines\n-\nmap: {a: [b, 'c'], d: }\nquoted: \"1\"\n\
             single: 'it''s'\nliteral: |-\n  a\n   b\nfolded: >\n  a\n  b\n\n  c\nempty:\nyes: yes\ndate: 2024-01-02\n"
        ),
        json!({
            "title": "A note",
            "list": [1, "two lines", null],
            "map": {"a": ["b", "c"], "d": null},
            "quoted": "1",
            "single": "it's",
            "literal": "a\n b",
            "folded": "a b\nc\n",
            "empty": null,
            "yes": "yes",
            "date": "2024-01-02",
        })
    );
    assert_eq!(read(""), json!({}));
    assert_eq!(read("# only this\n\n"), json!({}));
    assert_eq!(read("~"), json!({}));
    assert_eq!(
        read("a: 1\r\nb: |\r\n  x\r\n  y\r\n"),
        json!({"a": 1, "b": "x\ny\n"})
    );
    assert_eq!(
        read("a: !!str 1\nb: !!int '2'\nc: !own 3\nd: !!float 1.5\ne: !!bool x"),
        json!({"a": "1", "b": 2, "c": "3", "d": 1.5, "e": "x"})
    );
    assert_eq!(read("😀 key: 😀\n"), json!({"😀 key": "😀"}));
}

#[test]
fn json_is_yaml() {
    assert_eq!(
        read("{\n\t\"a\": [1, 2.5, \"x\\u00e9\\n\"],\n\t\"b\":{\"c\":null}\n}\n"),
        json!({"a": [1, 2.5, "xé\n"], "b": {"c": null}})
    );
}

#[test]
fn keys_are_texts_in_javascripts_order() {
    assert_eq!(
        read("b: 1\n10: x\n2: y\n1.50: z\n~: n\ntrue: t\n01: u\n-1: v").to_string(),
        r#"{"1":"u","2":"y","10":"x","b":1,"1.5":"z","":"n","true":"t","-1":"v"}"#
    );
}

#[test]
fn unquoted_template_variables_are_what_the_app_makes_of_them() {
    assert_eq!(
        read("title: {{title}}\ncreated: {{date:YYYY-MM-DD}}\n"),
        json!({"title": {"{ title }": null}, "created": {"{ date:YYYY-MM-DD }": null}})
    );
    assert_eq!(
        read("[a, [b], {c: 1}]: x"),
        json!({"[ a, [ b ], { c: 1 } ]": "x"})
    );
    assert_eq!(read("link: [[Note]]"), json!({"link": [["Note"]]}));
}

#[test]
fn aliases_are_expanded_and_merge_keys_are_not() {
    assert_eq!(
        read("base: &b {x: 1}\nother: *b\nlist: [*b, &s text, *s]\nmerged:\n  <<: *b\n  y: 2\n"),
        json!({
            "base": {"x": 1},
            "other": {"x": 1},
            "list": [{"x": 1}, "text", "text"],
            "merged": {"<<": {"x": 1}, "y": 2},
        })
    );
}

#[test]
fn a_tab_is_no_indent() {
    for (text, line) in tables::typed::<(&str, usize)>(CASES, "a tab is no indent") {
        let error = Frontmatter::parse(text).unwrap_err();
        assert_eq!(error.line, line, "{text:?}");
    }
    for text in ["\t\na: 1", "\t# c\na: 1", "\t{a: 1}", "a: 1\n\t", "a:\t1"] {
        assert_eq!(read(text), json!({"a": 1}), "{text:?}");
    }
}

#[test]
fn what_is_invalid_and_where() {
    let duplicate = |key: &str| YamlFault::DuplicateKey { key: key.into() };
    for (yaml, line, expected) in [
        ("a: 1\nb: 2\na: 3\n", 3, duplicate("a")),
        ("x:\n  - {k: 1, k: 2}\n", 2, duplicate("k")),
        ("- a\n- b\n", 1, YamlFault::NotAMapping),
        ("\njust words\n", 2, YamlFault::NotAMapping),
        ("a: 1\n--- \nb: 2\n", 2, YamlFault::SeveralDocuments),
        ("a: &x [1, *x]\n", 1, YamlFault::Endless),
    ] {
        let error = fault(yaml);
        assert_eq!(error.fault, expected, "{yaml:?}");
        assert_eq!(error.line, line, "{yaml:?}: {error}");
    }
    for (yaml, line) in tables::typed::<(&str, usize)>(CASES, "what is invalid") {
        let error = fault(yaml);
        assert!(matches!(error.fault, YamlFault::Syntax { .. }), "{yaml:?}");
        assert_eq!(error.line, line, "{yaml:?}: {error}");
    }
}

#[test]
fn lines_of_a_note_count_its_first_line() {
    let error = Frontmatter::parse_note("---\na: 1\na: 2\n---\nbody").unwrap_err();
    assert_eq!(error.to_string(), "line 3: the key `a` occurs twice");
    let none = Frontmatter::parse_note("no block\na: 1\na: 2\n");
    assert_eq!(none, Ok(Frontmatter::default()));
}

#[test]
fn d14_bombs_are_refused() {
    let laughs = |levels: usize, fan: usize| {
        let mut yaml = "a0: &a0 [x]\n".to_owned();
        for level in 1..levels {
            let alias = format!("*a{}, ", level - 1).repeat(fan);
            yaml.push_str(&format!("a{level}: &a{level} [{alias}]\n"));
        }
        yaml
    };
    let text = "x".repeat(900_000);
    let bombs = [
        laughs(20, 10),
        laughs(60, 2),
        format!("a: &a {text}\nb: [{}]\n", "*a, ".repeat(20_000)),
        "- ".repeat(200_000),
        format!("a: {}", "[".repeat(500_000)),
        format!("a: {}", "{".repeat(500_000)),
        format!("a: {}", "{a: ".repeat(100_000)),
        format!("a: {}", "[".repeat(100)),
        format!("a: {}{}", "[".repeat(100), "]".repeat(100)),
        (0..1000)
            .map(|depth| format!("{}a:\n", " ".repeat(depth)))
            .collect(),
        "? ".repeat(200_000),
        format!("a: [{}]", "1, ".repeat(200_000)),
        format!("a: [{}]", "&a ".repeat(200_000)),
        format!("a: {}x", "&a ".repeat(200_000)),
        format!("a: {}{}", "[&a ".repeat(60), "x".repeat(500_000)),
        format!(
            "a: {}{}{}",
            "[&a ".repeat(60),
            "x".repeat(500_000),
            "]".repeat(60)
        ),
        "x".repeat(2_000_000),
    ];
    for bomb in &bombs {
        // Without the limits this would not return, or exhaust the memory.
        let result = Frontmatter::parse(bomb);
        assert!(result.is_err(), "{}", &bomb[..bomb.len().min(40)]);
    }
}

#[test]
fn d14_large_but_honest_texts_are_read() {
    let texts = [
        format!("a: \"{}\"", "\\n".repeat(200_000)),
        format!("a: {}", "word ".repeat(100_000)),
        format!("a: |\n{}", "  line\n".repeat(50_000)),
        format!("a:\n{}", "  word\n".repeat(50_000)),
        format!("a: [{}]", "x, ".repeat(40_000)),
        format!(
            "a: {{{}}}",
            (0..20_000)
                .map(|n| format!("k{n}: 1, "))
                .collect::<String>()
        ),
        (0..20_000).map(|n| format!("k{n}: 1\n")).collect(),
        format!("a: 1 {}", "#".repeat(1_000_000)),
        format!("a: 1{}", "\n".repeat(1_000_000)),
        format!("a: 1{}", " ".repeat(1_000_000)),
    ];
    for text in &texts {
        let (result, head) = (Frontmatter::parse(text), &text[..text.len().min(40)]);
        assert!(result.is_ok(), "{head}: {:?}", result.err());
    }
}

/// Numbers as they come back: whole ones as integers.
fn normal(value: Value) -> Value {
    match value {
        Value::Number(number) => scalar::value(&number.to_string(), scalar::ScalarType::Any),
        Value::Array(items) => items.into_iter().map(normal).collect(),
        Value::Object(map) => map
            .into_iter()
            .map(|(key, value)| (key, normal(value)))
            .collect(),
        other => other,
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[ -~é]{0,8}",
        "[-?:,\\[\\]{}#&*!|>'\"%@` a\n\t]{0,6}",
        "(a|b |\n|  c){0,6}",
        "[-+0-9.eExo]{1,5}",
        Just("null".to_owned()),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1e9_f64..1e9).prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-z -~]{0,5}", inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn any_properties() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec(("[a-z][ -~é]{0,6}", any_value()), 1..5).prop_map(|pairs| {
        let map: Map<String, Value> = pairs.into_iter().collect();
        match normal(Value::Object(map)) {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    })
}

#[test]
fn a_text_that_looks_like_a_number_too_large_reads_back() {
    let properties = Map::from_iter([("a".to_owned(), json!(["1E310", "-2.5e999"]))]);
    let text = to_yaml(&properties);
    assert_eq!(read(&text), Value::Object(properties), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(384))]

    #[test]
    fn json_of_any_properties_reads_back(properties in any_properties()) {
        for text in [
            serde_json::to_string(&properties).unwrap(),
            serde_json::to_string_pretty(&properties).unwrap(),
        ] {
            prop_assert_eq!(read(&text), Value::Object(properties.clone()), "{}", text);
        }
    }

    #[test]
    fn what_the_app_writes_reads_back(properties in any_properties()) {
        let text = to_yaml(&properties);
        prop_assert_eq!(read(&text), Value::Object(properties), "{}", text);
    }

    #[test]
    fn any_text_is_read_or_refused(
        text in "(([- :#|>\\[\\]{},'\"\\\\a1\n\r\t&*!%?@~]|  |a: |- |\u{feff}){0,60}|\\PC{0,30})"
    ) {
        if let Err(error) = Frontmatter::parse(&text) {
            // A lone carriage return ends a line of YAML too.
            let lines = text.split(['\n', '\r']).count();
            prop_assert!(error.line <= lines + 2, "{}", error);
        }
        if let Ok(frontmatter) = Frontmatter::parse_note(&format!("---\n{text}\n---\n")) {
            let _all = (frontmatter.tags(), frontmatter.aliases(), frontmatter.links());
        }
    }
}
