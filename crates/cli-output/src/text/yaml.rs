//! Reads properties that the app printed as YAML (`vault-semantics.md` §3.2): all of YAML except aliases that make the
//! text much longer. [`obsidian_note::frontmatter::to_yaml`] writes them.

use serde_json::{Map, Value};
use yaml_events::{Content, Fault as YamlFault, Limits, Node};

use crate::text::body::Body;
use crate::text::error::{Fault, Reason};

/// The deepest nesting of collections; deeper texts are refused, because they could exhaust the stack.
const DEEPEST: usize = 64;

/// Reads a mapping. A line `---` at its head is passed over.
pub(crate) fn read(body: Body<'_>) -> Result<Map<String, Value>, Fault> {
    // More than any text without aliases contains.
    let most = 2 * body.text.len() + 2;
    let limits = Limits {
        depth: DEEPEST,
        values: most,
        text: most,
    };
    // The final line break belongs to a literal block.
    let text = format!("{}\n", body.text);
    let root = yaml_events::document(&text, body.first, limits, key).map_err(|error| {
        let what = match error.fault {
            YamlFault::Syntax(error) => error.info().to_owned(),
            YamlFault::SeveralDocuments => "several documents".to_owned(),
            YamlFault::Endless | YamlFault::TooMany | YamlFault::TooLong => {
                "too many aliases".to_owned()
            }
            YamlFault::TooDeep => "too deep nesting".to_owned(),
            YamlFault::NoKey => "a key that is not a text".to_owned(),
            YamlFault::DuplicateKey(_) => "a key that stands twice".to_owned(),
        };
        Fault::at_line(error.at.line, Reason::Yaml { what })
    })?;
    match root.map(value) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(map)) => Ok(map),
        Some(_) => Err(body.fault(Reason::Yaml {
            what: "no mapping".to_owned(),
        })),
    }
}

/// Returns the key that a scalar makes: its text as written.
fn key(node: &Node) -> Option<String> {
    match &node.content {
        Content::Scalar(scalar) => Some(scalar.text.clone()),
        Content::List(_) | Content::Mapping(_) => None,
    }
}

fn value(node: Node) -> Value {
    match node.content {
        Content::Scalar(scalar) => scalar.into_value(),
        Content::List(items) => items.into_iter().map(value).collect(),
        Content::Mapping(entries) => {
            let members = entries
                .into_iter()
                .map(|entry| (entry.key, value(entry.value)));
            Value::Object(members.collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::body::Empty;
    use obsidian_note::frontmatter::to_yaml;
    use obsidian_note::javascript;
    use proptest::prelude::*;
    use serde_json::json;

    const CASES: &str = include_str!("yaml_cases.txt");

    fn read_text(text: &str) -> Result<Value, (usize, String)> {
        read(Body::new(text, Empty::Unrecorded))
            .map(Value::Object)
            .map_err(|fault| (fault.line, fault.reason.to_string()))
    }

    #[test]
    fn other_ways_to_write_the_same_are_read() {
        let text = "---\r\n# note\r\n'it''s': \"a\\u00e9\\n\" # c\r\nlist:\r\n- 1\r\n-   x: y\r\n    z: ~\r\n-\r\n\r\nflow: [a, \"b, c\", {d: 1, e: []}, null]\r\nfold: >-\r\n  a\r\n  b\r\n\r\n  c\r\nurl: http://x/#y\r\nhex: 0x1F\r\nlong: &it a\r\n  b\r\nsame: *it\r\ntext: !!str 1\r\ninfinite: [.inf, 1e999]\r\n";
        assert_eq!(
            read_text(text),
            Ok(json!({
                "it's": "aé\n",
                "list": [1, {"x": "y", "z": null}, null],
                "flow": ["a", "b, c", {"d": 1, "e": []}, null],
                "fold": "a b\nc",
                "url": "http://x/#y",
                "hex": 31,
                "long": "a b",
                "same": "a b",
                "text": "1",
                "infinite": [null, null],
            }))
        );
    }

    #[test]
    fn the_rest_of_yaml_is_refused_at_its_line() {
        for (text, line) in
            tables::typed::<(&str, usize)>(CASES, "the rest of yaml is refused at its line")
        {
            let error = read_text(text).unwrap_err();
            assert_eq!(error.0, line, "{text:?}: {}", error.1);
        }
    }

    #[test]
    fn nesting_without_end_is_an_error_and_not_a_crash() {
        for unit in ["- ", "a:\n", "[", "{a: "] {
            assert!(read_text(&format!("x: {}", unit.repeat(100_000))).is_err());
            assert!(read_text(&format!("x:\n  {}", unit.repeat(100_000))).is_err());
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            "[ -~é\t]{0,8}",
            "[-?:,\\[\\]{}#&*!|>'\"%@` a\n\r\t]{0,6}",
            "(a|b |\n|  c){0,6}",
            "[-+0-9.eExo]{1,5}",
            Just("null".to_owned()),
            Just("\u{2028}\u{85}\u{feff}\u{7f}".to_owned()),
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            text.prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec(("[ -~\n]{0,5}", inner), 0..4)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_value_reads_back(
            pairs in prop::collection::vec(("[ -~é\n]{0,6}", any_value()), 1..4)
        ) {
            let properties = javascript::normal_map(pairs.into_iter().collect());
            let text = to_yaml(&properties);
            prop_assert_eq!(read_text(&text), Ok(Value::Object(properties)), "{}", text);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "([- :#|>\\[\\]{},'\"\\\\a1\n\r\t&]|  ){0,40}") {
            // Only that it returns.
            prop_assert!(read_text(&text).map_or_else(|(line, _)| line >= 1, |_| true));
        }
    }
}
