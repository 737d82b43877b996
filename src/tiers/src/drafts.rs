//! Determines the changes of agents that go into a draft (`design/drafts.md`).

use schemars::JsonSchema;
use vault_engine::VaultPath;

use super::policy::{Policy, Restriction, is_open_in};
use super::rule::Rule;
use super::scope::{Access, Scope};
use super::switch::Switch;
use allowlist::{Command, Effect, EffectSet};
use protocol::words;

words! {
    /// The changes of agents that go into a draft, which a person reviews, instead of the vault.
    #[derive(Default, PartialOrd, Ord, JsonSchema)]
    pub enum Drafts {
        /// None.
        #[default]
        Off = "off",
        /// Changes that would be refused because `allow_mutations` is off.
        Closed = "closed",
        /// All.
        All = "all",
    }
}

impl Drafts {
    /// The key of the setting.
    pub const KEY: &str = "drafts";

    /// Whether no change goes into a draft.
    pub fn is_off(&self) -> bool {
        *self == Self::Off
    }
}

impl Policy {
    /// Applies the policy to an agent whose changes go into a draft. Opens no path, tier or command: a draft changes
    /// nothing in the vault.
    #[must_use]
    pub fn with_drafts(mut self, drafts: Drafts) -> Self {
        self.drafts = drafts;
        self
    }

    /// Refuses changes that would go into a draft, for answers that cannot report a draft.
    #[must_use]
    pub fn without_drafts(self) -> Self {
        if self.drafts != Drafts::All {
            return self.with_drafts(Drafts::Off);
        }
        let nothing = Restriction::closing([Switch::Mutations]);
        self.tightened(&nothing).with_drafts(Drafts::Off)
    }

    /// Adds paths that are changed in the vault itself although all other changes go into drafts.
    #[must_use]
    pub fn with_direct(mut self, direct: Scope) -> Self {
        self.direct.push(direct);
        self
    }

    /// Whether a change of these paths alone is made in the vault itself although the command's changes go
    /// into a draft.
    pub fn writes_directly_to<'p>(&self, mut paths: impl Iterator<Item = &'p VaultPath>) -> bool {
        self.drafts == Drafts::All
            && self.allows(Switch::Mutations)
            && !self.direct.is_empty()
            && paths.all(|path| is_open_in(self.direct.iter(), path, Access::Write))
    }

    /// Returns the kinds of changes that go into the draft.
    pub fn drafts(&self) -> Drafts {
        self.drafts
    }

    /// Whether a call of this command with these effects goes into the draft.
    pub fn puts_into_draft(&self, command: &Command, effects: EffectSet) -> bool {
        let goes = match self.drafts {
            Drafts::Off => false,
            Drafts::Closed => !self.allows(Switch::Mutations),
            Drafts::All => true,
        };
        goes && can_be_drafted(command, effects)
    }

    /// Whether calls may change the vault itself.
    pub fn writes_directly(&self) -> bool {
        self.allows(Switch::Mutations) && self.drafts != Drafts::All
    }

    /// Returns the rule that closes the vault to a change that [`Self::writes_directly`] does not open.
    pub fn closes_the_vault(&self) -> Rule {
        if self.allows(Switch::Mutations) {
            Rule::OnlyDrafts
        } else {
            Rule::switch(Switch::Mutations)
        }
    }

    /// Whether calls may change the vault or a draft.
    pub fn may_change(&self) -> bool {
        self.allows(Switch::Mutations) || self.drafts != Drafts::Off
    }
}

/// Whether a draft can contain all effects of the call: the engine plans the call, and the call has no other effect.
pub fn can_be_drafted(command: &Command, effects: EffectSet) -> bool {
    effects.is_mutation()
        && effects
            .iter()
            .all(|effect| effect == Effect::Read || effect.changes_notes())
        && vault_engine::plans(&command.id)
}
