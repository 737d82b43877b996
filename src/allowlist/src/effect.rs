//! Effects: what a command does, judged by its behaviour and not by its name (`design/catalogue.md`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use protocol::words;

words! {
    /// One kind of effect.
    #[derive(PartialOrd, Ord, Hash, JsonSchema)]
    pub enum Effect {
        /// Reads the vault or the state of the app.
        Read = "read",
        /// Changes what the app shows.
        Ui = "ui",
        /// Changes the vault.
        Write = "write",
        /// Copies notes into the export folder outside the vault. The vault does not change, but its
        /// path rules no longer protect the copies.
        Export = "export",
        /// Reads notes from the import folder outside the vault. Together with `write`.
        Import = "import",
        /// Leaves something in a file that acts when it is opened, published or read by an agent: a result of
        /// a change, which no command names (`design/active-content.md`). Together with `write`.
        Active = "active",
        /// Loses content: deletes, overwrites, or restores over existing content.
        Destroy = "destroy",
        /// Sends content off this machine.
        Publish = "publish",
        /// Runs code, or changes what code the app runs. Never available.
        Execute = "execute",
    }
}

impl Effect {
    /// Whether it is a change of files in the vault.
    pub const fn changes_notes(self) -> bool {
        matches!(
            self,
            Self::Write | Self::Destroy | Self::Import | Self::Active
        )
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// A set of effects. Policy looks at the union over a command and its arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "Vec<Effect>", into = "Vec<Effect>")]
pub struct EffectSet(u16);

impl EffectSet {
    /// The set without any effect.
    pub const EMPTY: Self = Self(0);

    /// Whether the set contains `effect`.
    pub const fn contains(self, effect: Effect) -> bool {
        self.0 & effect.bit() != 0
    }

    /// Returns the union of both sets.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the intersection of both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a call with these effects is planned before it runs, so that a person can see and
    /// approve the plan: changes and exports.
    pub const fn has_plan(self) -> bool {
        self.is_mutation() || self.contains(Effect::Export)
    }

    /// Whether the call may change the vault, another machine, or the code that runs. An export
    /// changes none of them.
    pub const fn is_mutation(self) -> bool {
        self.contains(Effect::Write)
            || self.contains(Effect::Destroy)
            || self.contains(Effect::Publish)
            || self.contains(Effect::Execute)
    }

    /// Returns the effects, mildest first.
    pub fn iter(self) -> impl Iterator<Item = Effect> {
        Effect::ALL
            .into_iter()
            .filter(move |effect| self.contains(*effect))
    }
}

impl FromIterator<Effect> for EffectSet {
    fn from_iter<I: IntoIterator<Item = Effect>>(effects: I) -> Self {
        Self(
            effects
                .into_iter()
                .fold(0, |bits, effect| bits | effect.bit()),
        )
    }
}

impl From<Vec<Effect>> for EffectSet {
    fn from(effects: Vec<Effect>) -> Self {
        effects.into_iter().collect()
    }
}

impl From<EffectSet> for Vec<Effect> {
    fn from(set: EffectSet) -> Self {
        set.iter().collect()
    }
}
