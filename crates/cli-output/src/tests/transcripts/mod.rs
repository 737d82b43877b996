//! Recorded outputs (`official-cli.md` §5), read and written back byte for byte.

mod app;
mod confirmations;
mod links;
mod metadata;

use crate::{ParseError, Reason, Shape, parse, render};
use serde_json::{Value, json};
use tables::rows;
use vault_answers::Answer;
use vault_files::Args;

fn arguments(words: &str) -> Args {
    vault_files::testing::arguments("", words.split_whitespace())
}

fn data(answer: &Answer) -> Value {
    serde_json::to_value(answer).unwrap()
}

/// The `data` of a whole list.
fn list(items: &Value) -> Value {
    let count = items.as_array().unwrap().len();
    json!({
        "total": count, "returned": count, "offset": 0, "truncated": false, "items": items
    })
}

/// Reads a text, compares its data, and writes it back.
fn exact(shape: Shape, words: &str, text: &str, expected: &Value) {
    let arguments = arguments(words);
    let answer =
        parse(shape, &arguments, text).unwrap_or_else(|error| panic!("{shape:?} {words}: {error}"));
    assert_eq!(data(&answer), *expected, "{shape:?} {words}");
    assert_eq!(
        render(&answer, shape, &arguments),
        text,
        "{shape:?} {words}"
    );
}

/// Does so for each row of a table: the shape, the arguments, the text and the data, in which an array is a whole list.
fn all_exact(table: &str) {
    for [name, words, text, expected] in rows(table) {
        let mut shapes = Shape::APP.iter();
        let shape = shapes.find(|shape| format!("{shape:?}") == name);
        let expected: Value = serde_json::from_str(expected).unwrap();
        let expected = if expected.is_array() {
            list(&expected)
        } else {
            expected
        };
        exact(*shape.unwrap(), words, text, &expected);
    }
}

/// Reads a text in a form that differs from the rendered form.
fn read(shape: Shape, words: &str, text: &str) -> Value {
    let answer = parse(shape, &arguments(words), text)
        .unwrap_or_else(|error| panic!("{shape:?} {words}: {error}"));
    data(&answer)
}

fn refused(shape: Shape, words: &str, text: &str) -> (usize, Reason) {
    let ParseError { line, reason, .. } = parse(shape, &arguments(words), text).unwrap_err();
    (line, reason)
}

/// An unknown `format=` is the default one (`official-cli.md` §4).
#[test]
fn an_unknown_format_is_the_default() {
    all_exact(
        r##"
        Tags ¦ format=xml ¦ #a\n ¦ [{"tag": "#a"}]
        Search ¦ format=tsv ¦ a.md\n ¦ [{"path": "a.md"}]
        Outline ¦ format=csv ¦ └── A\n ¦ [{"depth": 1, "heading": "A"}]
        "##,
    );
}

/// Promise 2 of `design/promises.md`: a text that is not of the shape is never taken for one.
#[test]
fn other_texts_are_refused_with_their_line() {
    for (shape, words, text, line) in [
        (Shape::Tags, "", "#a\nError: x\n", 2),
        (Shape::Tags, "counts", "#a\tmany\n", 1),
        (Shape::Tags, "counts format=json", "\n[\n{\"tag\": 1}]\n", 3),
        (Shape::Files, "", "a.md\n\nb.md\n", 2),
        (Shape::Files, "total", "many\n", 1),
        (Shape::Search, "", "", 1),
        (Shape::Search, "format=json", "a.md\n", 1),
        (Shape::Version, "", "1.12 (installer 1.12.7)\n", 1),
        (Shape::FileInfo, "", "path\ta.md\nname\ta\n", 3),
        (Shape::VaultInfo, "", "name\n", 1),
        (Shape::WordCount, "", "words: 2\ncharacters: x\n", 2),
        (Shape::Outline, "", "├── A\nB\n", 2),
        (Shape::Outline, "format=md", "# A\n####### B\n", 2),
        (Shape::RandomNote, "", "a.md\ntext\n", 2),
        (Shape::Tag, "name=a verbose", "a.md\n", 1),
        (Shape::Tag, "", "a.md\n", 1),
        (Shape::Properties, "path=a.md format=json", "[]\n", 1),
        (Shape::Properties, "path=a.md", "words\n", 1),
        (Shape::PropertyValue, "name=k", "", 1),
        (
            Shape::PluginInfo,
            "",
            "type\tcore\nname\tx\nenabled\tmaybe\n",
            3,
        ),
        (Shape::BaseViews, "", "All\n", 1),
        (Shape::Tabs, "", "Title\n", 1),
        (Shape::Path, "", "a.md\nb.md\n", 2),
    ] {
        let error = parse(shape, &arguments(words), text).unwrap_err();
        assert_eq!(
            (error.shape, error.line),
            (shape, line),
            "{shape:?} {text:?}: {error}"
        );
        assert!(error.to_string().contains(shape.name()));
    }
}
