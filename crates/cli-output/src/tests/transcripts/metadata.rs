//! Tags, properties, outlines and tasks.

use super::{all_exact, exact, list, read, refused};
use crate::{Reason, Shape};
use serde_json::{Value, json};

/// Outputs recorded in `official-cli.md` §5.2.
#[test]
fn tags_and_properties() {
    all_exact(
        r##"
        Tags ¦  ¦ #agent-skills\n#assets\n#AskUserQuestion\n ¦ [{"tag": "#agent-skills"}, {"tag": "#assets"}, {"tag": "#AskUserQuestion"}]
        Tags ¦ counts ¦ #foo\t3\n ¦ [{"tag": "#foo", "count": 3}]
        Tags ¦ counts format=csv ¦ #foo,3\n ¦ [{"tag": "#foo", "count": 3}]
        Tags ¦ counts format=json ¦ [\n  {\n    "tag": "#foo",\n    "count": "3"\n  }\n]\n ¦ [{"tag": "#foo", "count": 3}]
        Tags ¦ format=json ¦ No tags found.\n ¦ []
        Tag ¦ name=alpha total ¦ 2\n ¦ {"total": 2}
        Properties ¦ file=a format=tsv ¦ title\tA\ntags\ta, b\n ¦ {"properties": {"title": "A", "tags": "a, b"}}
        Properties ¦  ¦ aliases\ntags\n ¦ [{"name": "aliases"}, {"name": "tags"}]
        Properties ¦ counts ¦ tags\t4\n ¦ [{"name": "tags", "count": 4}]
        Properties ¦ counts format=json ¦ [\n  {\n    "name": "tags",\n    "type": "tags",\n    "count": 4\n  }\n]\n ¦ [{"name": "tags", "type": "tags", "count": 4}]
        Properties ¦ total ¦ 12\n ¦ {"total": 12}
        Properties ¦ name=author ¦ 5\n ¦ {"name": "author", "count": 5}
        Aliases ¦  ¦ One\nTwo\n ¦ [{"alias": "One"}, {"alias": "Two"}]
        Aliases ¦ verbose ¦ One\ta.md, b.md\n ¦ [{"alias": "One", "paths": ["a.md", "b.md"]}]
        Aliases ¦  ¦ No aliases found.\n ¦ []
        "##,
    );
    let counted = list(&json!([{"tag": "#foo", "count": 3}]));
    assert_eq!(
        read(
            Shape::Tags,
            "counts format=json",
            "[{\"tag\":\"#foo\",\"count\":3}]\r\n"
        ),
        counted
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
    for words in ["path=a.md", "path=a.md format=json", "active format=tsv"] {
        exact(
            Shape::Properties,
            words,
            "No frontmatter found.\n",
            &json!({"properties": {}}),
        );
    }

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
}

/// Outputs recorded in `official-cli.md` §5.2.
#[test]
fn outline_and_tasks() {
    all_exact(
        r##"
        Outline ¦ path=a.md ¦ ├── A\n│   ├── B\n│   └── # C\n│       └── └── D\n└── E\n ¦ [{"depth": 1, "heading": "A"}, {"depth": 2, "heading": "B"}, {"depth": 2, "heading": "# C"}, {"depth": 3, "heading": "└── D"}, {"depth": 1, "heading": "E"}]
        Outline ¦ format=md ¦ # A\n### # B\n## \n ¦ [{"level": 1, "heading": "A"}, {"level": 3, "heading": "# B"}, {"level": 2, "heading": ""}]
        Outline ¦ format=json ¦ [\n  {\n    "level": 1,\n    "heading": "A",\n    "line": 3\n  }\n]\n ¦ [{"level": 1, "heading": "A", "line": 3}]
        Outline ¦ format=json ¦ No headings found.\n ¦ []
        Outline ¦ total ¦ No headings found.\n ¦ {"total": 0}
        Outline ¦ total ¦ 4\n ¦ {"total": 4}
        Tasks ¦  ¦ - [x] **Dead link detection** — 0 broken\n\t1. [ ] b\n ¦ [{"status": "x", "text": "- [x] **Dead link detection** — 0 broken"}, {"status": " ", "text": "\\t1. [ ] b"}]
        Tasks ¦ format=json ¦ [\n  {\n    "status": " ",\n    "text": "- [ ] buy milk",\n    "file": "2026-04-09.md",\n    "line": "2"\n  }\n]\n ¦ [{"status": " ", "text": "- [ ] buy milk", "path": "2026-04-09.md", "line": 2}]
        Tasks ¦ format=json ¦ No tasks found.\n ¦ []
        Tasks ¦ verbose ¦ No tasks found.\n ¦ []
        Tasks ¦ verbose ¦ a.md\n1: - [ ] b\n ¦ {"text": "a.md\\n1: - [ ] b\\n"}
        "##,
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
    assert_eq!(
        refused(Shape::Tasks, "", "- [ ] a\nb\n"),
        (2, Reason::Pattern("- [ ] task"))
    );
}
