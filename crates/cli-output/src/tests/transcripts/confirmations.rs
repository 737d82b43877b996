//! Sentences that confirm changes.

use super::{exact, read, refused};
use crate::{Reason, Shape};
use serde_json::json;

/// `official-cli.md` §5.1 and §5.3: what was done.
#[test]
fn confirmations() {
    // The words of the call, if it needs any, come before ` | `.
    for row in r#"
Created: scratch 1.md => {"action": "created", "path": "scratch 1.md"}
Overwrote: a.md => {"action": "overwrote", "path": "a.md"}
Appended to: S/c.md => {"action": "appended", "path": "S/c.md"}
Prepended to: S/c.md => {"action": "prepended", "path": "S/c.md"}
Moved to trash: a.md => {"action": "trashed", "path": "a.md"}
Deleted permanently: a.md => {"action": "deleted", "path": "a.md"}
Moved: a.md -> b/a.md => {"action": "moved", "path": "a.md", "destination": "b/a.md"}
path=a->.md | Renamed: a->.md -> b.md => {"action": "renamed", "path": "a->.md", "destination": "b.md"}
name=status | Set status: draft: 1 => {"action": "propertySet", "property": "status", "value": "draft: 1", "type": "text"}
name=a: | Set a:: b\n\nc => {"action": "propertySet", "property": "a:", "value": "b\n\nc", "type": "text"}
Removed: status => {"action": "propertyRemoved", "property": "status"}
Opened: x.md => {"action": "opened", "path": "x.md"}
url=https://x.y | Opened: https://x.y => {"action": "openedUrl", "url": "https://x.y"}
Opened search: q => {"action": "openedSearch", "query": "q"}
Opened search:  => {"action": "openedSearch", "query": ""}
Opened new tab => {"action": "openedTab"}
Opened view: graph => {"action": "openedView", "view": "graph"}
Executed app:open-help => {"action": "executed", "id": "app:open-help"}
Saved workspace: X => {"action": "workspaceSaved", "workspace": "X"}
Loaded workspace: X => {"action": "workspaceLoaded", "workspace": "X"}
Deleted workspace: X => {"action": "workspaceDeleted", "workspace": "X"}
Reloading... => {"action": "reloading"}
"#
    .trim_matches('\n')
    .lines()
    {
        let (call, expected) = row.split_once(" => ").unwrap();
        let (words, text) = call.split_once(" | ").unwrap_or(("", call));
        let text = text.replace("\\n", "\n") + "\n";
        let expected = serde_json::from_str(expected).unwrap();
        exact(Shape::Confirmation, words, &text, &expected);
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
