//! The doors by which a person's approval can come (`design.md` §9).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A door of approval. The setting `approve_by` lists the doors that count (`faults.md` I19).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum ApprovalDoor {
    /// A question at a terminal, answered there: `vault-gw approve`, or the prompt of a command that
    /// a person typed.
    #[serde(rename = "terminal")]
    Terminal,
    /// The dialog of the MCP client that started the server over stdio. The client could answer it
    /// without asking anybody.
    #[serde(rename = "dialog")]
    Dialog,
    /// The option `--yes`, for a person's scripts. Nothing is shown.
    #[serde(rename = "--yes", alias = "yes")]
    Yes,
}

impl ApprovalDoor {
    /// Every door.
    pub const ALL: [Self; 3] = [Self::Terminal, Self::Dialog, Self::Yes];

    /// The name in settings, audit log and journal.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::Dialog => "dialog",
            Self::Yes => "--yes",
        }
    }

    /// Whether a word of the setting `approve_by` means a door; `yes` may stand for `--yes`.
    pub fn is_word(word: &str) -> bool {
        word == "yes" || Self::ALL.iter().any(|door| door.name() == word)
    }
}
