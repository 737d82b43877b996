//! The ways in which a person can approve a call (`design/writes.md`).

use schemars::JsonSchema;

use protocol::words;

words! {
    /// A channel for approvals. The setting `approve_by` lists the accepted ones (`threats.toml` I19).
    #[derive(PartialOrd, Ord, JsonSchema)]
    pub enum ApprovalChannel {
        /// A question answered at a terminal: `vault-gw review`, or the prompt of a command that a
        /// person typed.
        Terminal = "terminal",
        /// A dialog of the MCP client that started the server over stdio. A client could answer it
        /// without asking anyone.
        Dialog = "dialog",
        /// The option `--yes`, for scripts. Shows nothing to a person.
        #[serde(alias = "yes")]
        Yes = "--yes",
    }
}

impl ApprovalChannel {
    /// Returns the channel by which the person who started a command answers: at a terminal, or with `--yes` in a
    /// script; `None` if neither.
    pub fn of_command(is_at_terminal: bool, yes: bool) -> Option<Self> {
        if is_at_terminal {
            Some(Self::Terminal)
        } else {
            yes.then_some(Self::Yes)
        }
    }

    /// Whether a word is valid in the setting `approve_by`. `yes` is an alias of `--yes`.
    pub fn is_word(word: &str) -> bool {
        word == "yes" || Self::ALL.iter().any(|channel| channel.name() == word)
    }
}
