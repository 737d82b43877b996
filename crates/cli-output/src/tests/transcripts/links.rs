//! Links and searches.

use super::{all_exact, exact, list, read};
use crate::Shape;
use serde_json::json;

/// Outputs recorded in `official-cli.md` §5.2.
#[test]
fn links() {
    all_exact(
        r#"
        Backlinks ¦ format=json ¦ [\n  {\n    "file": "notes/index.md"\n  }\n]\n ¦ [{"path": "notes/index.md"}]
        Backlinks ¦  ¦ notes/index.md\n ¦ [{"path": "notes/index.md"}]
        Backlinks ¦ counts ¦ notes/index.md\t2\n ¦ [{"path": "notes/index.md", "count": 2}]
        Backlinks ¦ path=Welcome.md total format=json ¦ 1\n ¦ {"total": 1}
        Backlinks ¦ format=json ¦ No backlinks found.\n ¦ []
        Links ¦ format=json ¦ a.md\nb c (unresolved)\n ¦ [{"kind": "file", "path": "a.md"}, {"kind": "unresolved", "target": "b c"}]
        Links ¦  ¦ No links found.\n ¦ []
        Unresolved ¦  ¦ Missing\n ¦ [{"link": "Missing"}]
        Unresolved ¦ counts ¦ X\t2\n ¦ [{"link": "X", "count": 2}]
        Unresolved ¦ verbose ¦ X\t2\tWelcome.md, a.md\n ¦ [{"link": "X", "count": 2, "sources": ["Welcome.md", "a.md"]}]
        Unresolved ¦ format=json ¦ [\n  {\n    "link": "X"\n  }\n]\n ¦ [{"link": "X"}]
        Unresolved ¦  ¦ No unresolved links found.\n ¦ []
        "#,
    );
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
    all_exact(
        r#"
        Search ¦ format=json ¦ ["Welcome.md","Fixtures/BI-017/inline-markdown.md"]\n ¦ [{"path": "Welcome.md"}, {"path": "Fixtures/BI-017/inline-markdown.md"}]
        Search ¦  ¦ Welcome.md\nFixtures/BI-017/inline-markdown.md\n ¦ [{"path": "Welcome.md"}, {"path": "Fixtures/BI-017/inline-markdown.md"}]
        Search ¦ total ¦ 3\n ¦ {"total": 3}
        Search ¦ total format=json ¦ {"total":3}\n ¦ {"total": 3}
        SearchContext ¦  ¦ No matches found.\n ¦ []
        "#,
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
}
