//! Policy: tiers, effects, switches and path scopes decide whether a [`Call`] may run.
//!
//! Pure: nothing here reads the disk, so a refusal cannot reveal whether a path exists (`design/path-rules.md`).
//!
//! [`Call`]: allowlist::Call

mod approval_channel;
mod command_rules;
mod decision;
mod drafts;
mod fold;
mod glob_syntax;
mod note_marks;
mod pattern;
mod placed;
mod policy;
mod rule;
mod scope;
mod switch;
#[cfg(test)]
mod testing;
mod touched;

pub use approval_channel::ApprovalChannel;
pub use command_rules::LIST;
pub use command_rules::{CommandPattern, CommandPatternError, CommandRules, PointlessPattern};
pub use decision::{Decision, Evaluation};
pub use drafts::{Drafts, can_be_drafted};
pub use fold::{folded, is_never_a_vault};
pub use note_marks::{NameError, PropertyName, TagName};
pub use pattern::{PathPattern, PatternError};
pub use placed::placed_file;
pub use policy::names;
pub use policy::{Policy, Restriction};
pub use rule::{ACTIVE_FILE, Rule};
pub use scope::{Access, Scope};
pub use switch::Switch;
pub use touched::named_templates;
