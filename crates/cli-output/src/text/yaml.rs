//! Properties as the app writes them in YAML, and back (`vault-semantics.md` §3.2, §3.3).
//!
//! Written are block mappings and lists, one-line scalars, literal blocks and empty flow collections. Reading
//! takes all of YAML except aliases that make the text much longer.

mod read;
mod scalar;
mod write;

pub(crate) use read::read;
pub(crate) use write::write;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::body::{Body, Empty};
    use crate::text::javascript;
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    fn map(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    fn read_text(text: &str) -> Result<Value, (usize, String)> {
        read(Body::new(text, Empty::Unrecorded))
            .map(Value::Object)
            .map_err(|fault| (fault.line, fault.reason.to_string()))
    }

    #[test]
    fn written_as_the_app_does() {
        let properties = map(&json!({
            "title": "A: B",
            "plain": "see \"this\" - it's #fine",
            "empty": "",
            "nothing": null,
            "tags": ["a", "b/c", "- d"],
            "none": [],
            "done": true,
            "rank": 1.0,
            "looks": ["true", "12", "0x1f", "~", "1.5e3", ".5", "yes", "2024-01-02"],
            "quote": "\"x\": y",
            "text": "one\ntwo",
            "ended": "one\n  two\n",
            "map": {"a": {"b": [["x", []], {"c": 1, "d": {}}]}},
            "emoji 😀": "😀",
        }));
        insta::assert_snapshot!(write(&properties), @r#"
        title: "A: B"
        plain: "see \"this\" - it's #fine"
        empty: ""
        nothing:
        tags:
          - a
          - b/c
          - "- d"
        none: []
        done: true
        rank: 1
        looks:
          - "true"
          - "12"
          - "0x1f"
          - "~"
          - "1.5e3"
          - ".5"
          - yes
          - 2024-01-02
        quote: '"x": y'
        text: |-
          one
          two
        ended: |
          one
            two
        map:
          a:
            b:
              - - x
                - []
              - c: 1
                d: {}
        emoji 😀: 😀
        "#);
        assert_eq!(
            read_text(&write(&properties)),
            Ok(javascript::normal(Value::from(properties)))
        );
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
        for (text, line) in [
            ("a: 1\nb: *x\n", 2),
            ("a: 1\na: 2\n", 2),
            ("just words\n", 1),
            ("a: \"open\n", 1),
            ("a: [1, 2\n", 2),
            ("- a\n", 1),
            (
                "a: &x [1, 2, 3, 4]\nb: &y [*x, *x, *x, *x]\nc: [*y, *y, *y, *y]\n",
                3,
            ),
            ("a:\n  - b\n c: d\n", 3),
            ("a: \"x\" y\n", 1),
        ] {
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
            let text = write(&properties);
            prop_assert_eq!(read_text(&text), Ok(Value::Object(properties)), "{}", text);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "([- :#|>\\[\\]{},'\"\\\\a1\n\r\t&]|  ){0,40}") {
            // Only that it returns.
            prop_assert!(read_text(&text).map_or_else(|(line, _)| line >= 1, |_| true));
        }
    }
}
