//! The choices of a vault's owner for writing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The treatment of the links to a file that is moved (`vault-semantics.md` §7.5).
///
/// The vault's own setting is `alwaysUpdateLinks` in its `app.json`. Links are updated if it is absent; the app would
/// ask. If links stay as they are, the edit says how many would have changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LinkUpdates {
    /// Follow the vault's own settings.
    #[default]
    Vault,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl LinkUpdates {
    /// Whether links are updated, with this `alwaysUpdateLinks`; `None` if that is malformed.
    pub fn follows(self, setting: Option<&Value>) -> Option<bool> {
        match (self, setting) {
            (Self::Always, _) | (Self::Vault, None | Some(Value::Null)) => Some(true),
            (Self::Never, _) => Some(false),
            (Self::Vault, Some(Value::Bool(update))) => Some(*update),
            (Self::Vault, Some(_)) => None,
        }
    }
}

/// The treatment of the rest of the properties block in a change of one property (`vault-semantics.md` §3.3).
///
/// If it is preserved, comments, order, quotes, blank lines and line ends of all other properties stay byte for byte.
/// The app loses comments, quotes, anchors and blank lines, and its lines end in LF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PropertyStyle {
    /// Change only the lines of that property.
    #[default]
    Preserve,
    /// Rewrite all properties, as the app does.
    Compat,
}
