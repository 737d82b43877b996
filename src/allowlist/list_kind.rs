//! Parameters that are lists of JSON objects.
//!
//! A request sends an array; on the command line the same array is written as JSON text. The engine
//! reads the items, and its rules are checked at admission already, so that a mistake is told with
//! its place and before anything is opened.

use serde_json::{Value, json};
use vault_engine::{Instruction, ListError};

/// What the items of a list are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// Edits of one note (`design.md` §13).
    Edits,
}

impl ListKind {
    /// The name used in the catalogue's `type` key.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Edits => "edits",
        }
    }

    /// Checks the items.
    pub(super) fn check(self, items: &[Value]) -> Result<(), ListError> {
        match self {
            Self::Edits => Instruction::parse_list(items).map(|_| ()),
        }
    }

    /// The JSON Schema of such a list.
    pub fn schema(self) -> Value {
        match self {
            Self::Edits => json!({
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "old": { "type": "string", "description": "Stands in the note once" },
                        "new": { "type": "string" },
                        "all": { "type": "boolean", "description": "Every `old`" },
                        "heading": { "type": "string", "description": "`A/B` is B below A" },
                        "block": { "type": "string" },
                        "mode": { "type": "string", "enum": ["append", "prepend", "replace"] },
                        "reach": { "type": "string", "enum": ["text", "section"], "description": "`section`: with headings below" },
                        "lines": { "type": "string", "description": "`10-12`" },
                        "afterLine": { "type": "integer", "minimum": 0 },
                        "content": { "type": "string" },
                        "frontmatter": { "type": "boolean" },
                    },
                    "additionalProperties": false,
                },
            }),
        }
    }
}
