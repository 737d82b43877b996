//! What the owner of a vault decides about writing to it.

/// What happens to the links to a file that is moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkUpdates {
    /// `alwaysUpdateLinks` of the vault's `app.json` decides. Links are updated where it is absent;
    /// the app would ask (`vault-semantics.md` §7.5).
    #[default]
    Vault,
    /// Links are updated.
    Always,
    /// Links stay as they are, and the edit says how many would have changed.
    Never,
}

/// How a change of one property treats the rest of the properties block.
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
