//! Sentences that confirm changes.

use super::{exact, read, refused};
use crate::{Reason, Shape};
use serde_json::json;

/// `official-cli.md` §5.1 and §5.3: what was done.
#[test]
fn confirmations() {
    for (words, text, expected) in [
        (
            "",
            "Created: scratch 1.md",
            json!({"action": "created", "path": "scratch 1.md"}),
        ),
        (
            "",
            "Overwrote: a.md",
            json!({"action": "overwrote", "path": "a.md"}),
        ),
        (
            "",
            "Appended to: S/c.md",
            json!({"action": "appended", "path": "S/c.md"}),
        ),
        (
            "",
            "Prepended to: S/c.md",
            json!({"action": "prepended", "path": "S/c.md"}),
        ),
        (
            "",
            "Moved to trash: a.md",
            json!({"action": "trashed", "path": "a.md"}),
        ),
        (
            "",
            "Deleted permanently: a.md",
            json!({"action": "deleted", "path": "a.md"}),
        ),
        (
            "",
            "Moved: a.md -> b/a.md",
            json!({"action": "moved", "path": "a.md", "destination": "b/a.md"}),
        ),
        (
            "path=a->.md",
            "Renamed: a->.md -> b.md",
            json!({"action": "renamed", "path": "a->.md", "destination": "b.md"}),
        ),
        (
            "name=status",
            "Set status: draft: 1",
            json!({"action": "propertySet", "property": "status", "value": "draft: 1", "type": "text"}),
        ),
        (
            "name=a:",
            "Set a:: b\n\nc",
            json!({"action": "propertySet", "property": "a:", "value": "b\n\nc", "type": "text"}),
        ),
        (
            "",
            "Removed: status",
            json!({"action": "propertyRemoved", "property": "status"}),
        ),
        (
            "",
            "Opened: x.md",
            json!({"action": "opened", "path": "x.md"}),
        ),
        (
            "url=https://x.y",
            "Opened: https://x.y",
            json!({"action": "openedUrl", "url": "https://x.y"}),
        ),
        (
            "",
            "Opened search: q",
            json!({"action": "openedSearch", "query": "q"}),
        ),
        (
            "",
            "Opened search: ",
            json!({"action": "openedSearch", "query": ""}),
        ),
        ("", "Opened new tab", json!({"action": "openedTab"})),
        (
            "",
            "Opened view: graph",
            json!({"action": "openedView", "view": "graph"}),
        ),
        (
            "",
            "Executed app:open-help",
            json!({"action": "executed", "id": "app:open-help"}),
        ),
        (
            "",
            "Saved workspace: X",
            json!({"action": "workspaceSaved", "workspace": "X"}),
        ),
        (
            "",
            "Loaded workspace: X",
            json!({"action": "workspaceLoaded", "workspace": "X"}),
        ),
        (
            "",
            "Deleted workspace: X",
            json!({"action": "workspaceDeleted", "workspace": "X"}),
        ),
        ("", "Reloading...", json!({"action": "reloading"})),
    ] {
        exact(Shape::Confirmation, words, &format!("{text}\n"), &expected);
    }
    assert_eq!(
        read(Shape::Confirmation, "", "\r\nMoved: a.md → b.md\r\n"),
        json!({"action": "moved", "path": "a.md", "destination": "b.md"})
    );
    assert_eq!(
        refused(Shape::Confirmation, "", ""),
        (1, Reason::EmptyOutput),
        "an empty output confirms nothing"
    );
    assert_eq!(
        refused(Shape::Confirmation, "", "Created: a.md\nb\n"),
        (2, Reason::MoreLines)
    );
    for text in [
        "Created:\n",
        "Created: \n",
        "Done.\n",
        "created: a.md\n",
        "Moved: a.md\n",
    ] {
        let (line, reason) = refused(Shape::Confirmation, "", text);
        assert!(
            matches!((line, reason), (1, Reason::Pattern { .. })),
            "{text}"
        );
    }
}
