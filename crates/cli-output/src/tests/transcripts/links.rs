//! Links and searches.

use super::{exact, list, read};
use crate::Shape;
use serde_json::json;

/// Outputs recorded in `official-cli.md` §5.2.
#[test]
fn links() {
    exact(
        Shape::Backlinks,
        "format=json",
        "[\n  {\n    \"file\": \"notes/index.md\"\n  }\n]\n",
        &list(&json!([{"path": "notes/index.md"}])),
    );
    exact(
        Shape::Backlinks,
        "",
        "notes/index.md\n",
        &list(&json!([{"path": "notes/index.md"}])),
    );
    exact(
        Shape::Backlinks,
        "counts",
        "notes/index.md\t2\n",
        &list(&json!([{"path": "notes/index.md", "count": 2}])),
    );
    exact(
        Shape::Backlinks,
        "path=Welcome.md total format=json",
        "1\n",
        &json!({"total": 1}),
    );
    assert_eq!(
        read(
            Shape::Backlinks,
            "counts format=json",
            "[{\"file\":\"Fixtures/BI-017/inline-markdown.md\",\"count\":\"1\"}]\n"
        ),
        list(&json!([{"path": "Fixtures/BI-017/inline-markdown.md", "count": 1}]))
    );
    exact(
        Shape::Backlinks,
        "format=json",
        "No backlinks found.\n",
        &list(&json!([])),
    );
    exact(
        Shape::Links,
        "format=json",
        "a.md\nb c (unresolved)\n",
        &list(&json!([{"kind": "file", "path": "a.md"}, {"kind": "unresolved", "target": "b c"}])),
    );
    exact(Shape::Links, "", "No links found.\n", &list(&json!([])));
    exact(
        Shape::Unresolved,
        "",
        "Missing\n",
        &list(&json!([{"link": "Missing"}])),
    );
    exact(
        Shape::Unresolved,
        "counts",
        "X\t2\n",
        &list(&json!([{"link": "X", "count": 2}])),
    );
    let sources = list(&json!([{"link": "X", "count": 2, "sources": ["Welcome.md", "a.md"]}]));
    exact(
        Shape::Unresolved,
        "verbose",
        "X\t2\tWelcome.md, a.md\n",
        &sources,
    );
    exact(
        Shape::Unresolved,
        "format=json",
        "[\n  {\n    \"link\": \"X\"\n  }\n]\n",
        &list(&json!([{"link": "X"}])),
    );
    assert_eq!(
        read(
            Shape::Unresolved,
            "verbose format=json",
            "[{\"link\":\"X\",\"count\":\"2\",\"sources\":\"Welcome.md, a.md\"}]"
        ),
        sources
    );
    exact(
        Shape::Unresolved,
        "",
        "No unresolved links found.\n",
        &list(&json!([])),
    );
    for words in ["", "format=json"] {
        exact(
            Shape::Orphans,
            words,
            "_templates/x.md\nAGENTS.md\nagents/x.md\nbin/setup-vault.sh\n",
            &list(&json!([
                {"path": "_templates/x.md"}, {"path": "AGENTS.md"},
                {"path": "agents/x.md"}, {"path": "bin/setup-vault.sh"}
            ])),
        );
        exact(
            Shape::Orphans,
            words,
            "No orphan files found.\n",
            &list(&json!([])),
        );
        exact(
            Shape::Deadends,
            words,
            "No dead-end files found.\n",
            &list(&json!([])),
        );
    }
}

/// Outputs recorded in `official-cli.md` §5.2.
#[test]
fn searches() {
    let hits = list(&json!([
        {"path": "Welcome.md"}, {"path": "Fixtures/BI-017/inline-markdown.md"}
    ]));
    exact(
        Shape::Search,
        "format=json",
        "[\"Welcome.md\",\"Fixtures/BI-017/inline-markdown.md\"]\n",
        &hits,
    );
    exact(
        Shape::Search,
        "",
        "Welcome.md\nFixtures/BI-017/inline-markdown.md\n",
        &hits,
    );
    exact(Shape::Search, "total", "3\n", &json!({"total": 3}));
    exact(
        Shape::Search,
        "total format=json",
        "{\"total\":3}\n",
        &json!({"total": 3}),
    );
    for (words, text) in [
        ("", "\nNo matches found.\n"),
        ("format=json", "No matches found.\r\n"),
        ("format=json", "[]\n"),
    ] {
        assert_eq!(
            read(Shape::Search, words, text),
            list(&json!([])),
            "{text:?}"
        );
    }
    assert_eq!(
        read(Shape::Search, "total", "No matches found.\n"),
        json!({"total": 0})
    );
    let context = list(&json!([
        {"path": "Sandbox/bi033-md.md", "matches": [
            {"line": 2, "text": "bi033-token here on line 2"},
            {"line": 2, "text": "bi033-token here on line 2"},
            {"line": 14, "text": "a:3: b"}
        ]},
        {"path": "bi033.md", "matches": []}
    ]));
    exact(
        Shape::SearchContext,
        "format=json",
        "[{\"file\":\"Sandbox/bi033-md.md\",\"matches\":[{\"line\":2,\"text\":\"bi033-token here on line 2\"},{\"line\":2,\"text\":\"bi033-token here on line 2\"},{\"line\":14,\"text\":\"a:3: b\"}]},{\"file\":\"bi033.md\",\"matches\":[]}]\n",
        &context,
    );
    exact(
        Shape::SearchContext,
        "",
        "Sandbox/bi033-md.md:2: bi033-token here on line 2\nSandbox/bi033-md.md:2: bi033-token here on line 2\nSandbox/bi033-md.md:14: a:3: b\nbi033.md\n",
        &context,
    );
    exact(
        Shape::SearchContext,
        "",
        "No matches found.\n",
        &list(&json!([])),
    );
}
