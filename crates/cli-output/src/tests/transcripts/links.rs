//! Links and searches.

use super::{all_exact, exact, list, read};
use crate::Shape;
use serde_json::json;

const CASES: &str = include_str!("links_cases.txt");

/// Outputs recorded in `official-cli.md` §5.2.
#[test]
fn links() {
    all_exact(tables::text(CASES, "links"));
    assert_eq!(
        read(
            Shape::Backlinks,
            "counts format=json",
            "[{\"file\":\"Fixtures/BI-017/inline-markdown.md\",\"count\":\"1\"}]\n"
        ),
        list(&json!([{"path": "Fixtures/BI-017/inline-markdown.md", "count": 1}]))
    );
    let sources = list(&json!([{"link": "X", "count": 2, "sources": ["Welcome.md", "a.md"]}]));
    assert_eq!(
        read(
            Shape::Unresolved,
            "verbose format=json",
            "[{\"link\":\"X\",\"count\":\"2\",\"sources\":\"Welcome.md, a.md\"}]"
        ),
        sources
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
    all_exact(tables::text(CASES, "searches"));
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
}
