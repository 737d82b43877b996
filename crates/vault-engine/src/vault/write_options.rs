//! The choices of a vault's owner for writing.

use serde_json::Value;

/// The treatment of the links to a file that is moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkUpdates {
    /// `alwaysUpdateLinks` of the vault's `app.json` decides. Links are updated if it is absent; the app would ask
    /// (`vault-semantics.md` §7.5).
    #[default]
    Vault,
    /// Links are updated, regardless of `app.json`.
    Always,
    /// Links stay as they are, and the edit says how many would have changed.
    Never,
}

impl LinkUpdates {
    /// Whether links are updated, with this `alwaysUpdateLinks`; `None` if that is malformed.
    pub(crate) fn follows(self, setting: Option<&Value>) -> Option<bool> {
        match (self, setting) {
            (Self::Always, _) | (Self::Vault, None | Some(Value::Null)) => Some(true),
            (Self::Never, _) => Some(false),
            (Self::Vault, Some(Value::Bool(update))) => Some(*update),
            (Self::Vault, Some(_)) => None,
        }
    }
}

/// The treatment of the rest of the properties block in a change of one property.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PropertyStyle {
    /// Only the property's own lines change: comments, order, quotes, blank lines and line ends of
    /// all others stay byte for byte.
    #[default]
    Preserve,
    /// The whole block is rewritten, as the app does it: comments, quotes, anchors and blank lines
    /// are lost, lines end in LF (`vault-semantics.md` §3.3).
    Compat,
}
