//! Tags, properties, outlines and tasks.

use super::{exact, list, read, refused};
use crate::{Reason, Shape};
use serde_json::{Value, json};

/// Outputs recorded in `official-cli.md` §5.2.
#[test]
fn tags_and_properties() {
    exact(
        Shape::Tags,
        "",
        "#agent-skills\n#assets\n#AskUserQuestion\n",
        &list(&json!([{"tag": "#agent-skills"}, {"tag": "#assets"}, {"tag": "#AskUserQuestion"}])),
    );
    let counted = list(&json!([{"tag": "#foo", "count": 3}]));
    exact(Shape::Tags, "counts", "#foo\t3\n", &counted);
    exact(Shape::Tags, "counts format=csv", "#foo,3\n", &counted);
    exact(
        Shape::Tags,
        "counts format=json",
        "[\n  {\n    \"tag\": \"#foo\",\n    \"count\": \"3\"\n  }\n]\n",
        &counted,
    );
    assert_eq!(
        read(
            Shape::Tags,
            "counts format=json",
            "[{\"tag\":\"#foo\",\"count\":3}]\r\n"
        ),
        counted
    );
    exact(
        Shape::Tags,
        "format=json",
        "No tags found.\n",
        &list(&json!([])),
    );
    exact(
        Shape::Tag,
        "name=alpha",
        "a.md\nb.md\n",
        &json!({"tag": "#alpha", "files": list(&json!([{"path": "a.md"}, {"path": "b.md"}]))}),
    );
    exact(
        Shape::Tag,
        "name=alpha verbose",
        "#alpha\t3\na.md\n",
        &json!({"tag": "#alpha", "count": 3, "files": list(&json!([{"path": "a.md"}]))}),
    );
    exact(Shape::Tag, "name=alpha total", "2\n", &json!({"total": 2}));

    let frontmatter =
        json!({"properties": {"title": "A", "n": 1.5, "tags": ["a", "b"], "x": null}});
    exact(
        Shape::Properties,
        "path=a.md",
        "title: A\nn: 1.5\ntags:\n  - a\n  - b\nx:\n",
        &frontmatter,
    );
    exact(
        Shape::Properties,
        "path=a.md format=json",
        "{\n  \"title\": \"A\",\n  \"n\": 1.5,\n  \"tags\": [\n    \"a\",\n    \"b\"\n  ],\n  \"x\": null\n}\n",
        &frontmatter,
    );
    exact(
        Shape::Properties,
        "file=a format=tsv",
        "title\tA\ntags\ta, b\n",
        &json!({"properties": {"title": "A", "tags": "a, b"}}),
    );
    for words in ["path=a.md", "path=a.md format=json", "active format=tsv"] {
        exact(
            Shape::Properties,
            words,
            "No frontmatter found.\n",
            &json!({"properties": {}}),
        );
    }
    exact(
        Shape::Properties,
        "",
        "aliases\ntags\n",
        &list(&json!([{"name": "aliases"}, {"name": "tags"}])),
    );
    exact(
        Shape::Properties,
        "counts",
        "tags\t4\n",
        &list(&json!([{"name": "tags", "count": 4}])),
    );
    exact(
        Shape::Properties,
        "counts format=json",
        "[\n  {\n    \"name\": \"tags\",\n    \"type\": \"tags\",\n    \"count\": 4\n  }\n]\n",
        &list(&json!([{"name": "tags", "type": "tags", "count": 4}])),
    );
    exact(Shape::Properties, "total", "12\n", &json!({"total": 12}));
    exact(
        Shape::Properties,
        "name=author",
        "5\n",
        &json!({"name": "author", "count": 5}),
    );

    let value = |values: Value| json!({"name": "k", "values": values});
    exact(
        Shape::PropertyValue,
        "name=k",
        "draft\n",
        &value(json!(["draft"])),
    );
    exact(
        Shape::PropertyValue,
        "name=k",
        "a\n\nb\n",
        &value(json!(["a", "", "b"])),
    );
    exact(
        Shape::PropertyValue,
        "name=k",
        "(empty)\n",
        &value(json!([])),
    );

    exact(
        Shape::Aliases,
        "",
        "One\nTwo\n",
        &list(&json!([{"alias": "One"}, {"alias": "Two"}])),
    );
    exact(
        Shape::Aliases,
        "verbose",
        "One\ta.md, b.md\n",
        &list(&json!([{"alias": "One", "paths": ["a.md", "b.md"]}])),
    );
    exact(Shape::Aliases, "", "No aliases found.\n", &list(&json!([])));
}

/// Outputs recorded in `official-cli.md` §5.2.
#[test]
fn outline_and_tasks() {
    exact(
        Shape::Outline,
        "path=a.md",
        "├── A\n│   ├── B\n│   └── # C\n│       └── └── D\n└── E\n",
        &list(&json!([
            {"depth": 1, "heading": "A"}, {"depth": 2, "heading": "B"},
            {"depth": 2, "heading": "# C"}, {"depth": 3, "heading": "└── D"},
            {"depth": 1, "heading": "E"}
        ])),
    );
    exact(
        Shape::Outline,
        "format=md",
        "# A\n### # B\n## \n",
        &list(&json!([
            {"level": 1, "heading": "A"}, {"level": 3, "heading": "# B"},
            {"level": 2, "heading": ""}
        ])),
    );
    exact(
        Shape::Outline,
        "format=json",
        "[\n  {\n    \"level\": 1,\n    \"heading\": \"A\",\n    \"line\": 3\n  }\n]\n",
        &list(&json!([{"level": 1, "heading": "A", "line": 3}])),
    );
    exact(
        Shape::Outline,
        "format=json",
        "No headings found.\n",
        &list(&json!([])),
    );
    exact(
        Shape::Outline,
        "total",
        "No headings found.\n",
        &json!({"total": 0}),
    );
    exact(Shape::Outline, "total", "4\n", &json!({"total": 4}));

    exact(
        Shape::Tasks,
        "",
        "- [x] **Dead link detection** — 0 broken\n\t1. [ ] b\n",
        &list(&json!([
            {"status": "x", "text": "- [x] **Dead link detection** — 0 broken"},
            {"status": " ", "text": "\t1. [ ] b"}
        ])),
    );
    let task = list(&json!([
        {"status": " ", "text": "- [ ] buy milk", "path": "2026-04-09.md", "line": 2}
    ]));
    assert_eq!(
        read(
            Shape::Tasks,
            "daily format=json",
            "[{\"status\":\" \",\"text\":\"- [ ] buy milk\",\"file\":\"2026-04-09.md\",\"line\":\"2\"}]\n"
        ),
        task
    );
    exact(
        Shape::Tasks,
        "format=json",
        "[\n  {\n    \"status\": \" \",\n    \"text\": \"- [ ] buy milk\",\n    \"file\": \"2026-04-09.md\",\n    \"line\": \"2\"\n  }\n]\n",
        &task,
    );
    exact(
        Shape::Tasks,
        "format=json",
        "No tasks found.\n",
        &list(&json!([])),
    );
    exact(
        Shape::Tasks,
        "verbose",
        "No tasks found.\n",
        &list(&json!([])),
    );
    exact(
        Shape::Tasks,
        "verbose",
        "a.md\n1: - [ ] b\n",
        &json!({"text": "a.md\n1: - [ ] b\n"}),
    );
    assert_eq!(
        refused(Shape::Tasks, "", "- [ ] a\nb\n"),
        (2, Reason::Pattern("- [ ] task"))
    );
}
