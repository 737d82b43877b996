//! What a command does to the world, by what it does and not by its name (`design.md` §3).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One kind of effect.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Looks at the vault or the app.
    Read,
    /// Changes what the app shows.
    Ui,
    /// Changes the vault.
    Write,
    /// Puts copies of notes into the folder outside of the vault that its owner set aside for them.
    /// The vault stays as it is; the copies are out of reach of its path rules.
    Export,
    /// Loses content: delete, overwrite, restore over.
    Destroy,
    /// Leaves the machine.
    Publish,
    /// Runs code, or changes what code the app runs. Never open.
    Execute,
}

impl Effect {
    /// Every effect, mildest first.
    pub const ALL: [Self; 7] = [
        Self::Read,
        Self::Ui,
        Self::Write,
        Self::Export,
        Self::Destroy,
        Self::Publish,
        Self::Execute,
    ];

    /// The name used in the catalogue and the envelope.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Ui => "ui",
            Self::Write => "write",
            Self::Export => "export",
            Self::Destroy => "destroy",
            Self::Publish => "publish",
            Self::Execute => "execute",
        }
    }
}

/// A set of effects; the union over a command, its parameters and its flags decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Effect>", into = "Vec<Effect>")]
pub struct EffectSet(u8);

impl EffectSet {
    /// No effect at all.
    pub const EMPTY: Self = Self(0);

    /// Whether the set holds `effect`.
    pub const fn contains(self, effect: Effect) -> bool {
        self.0 & (1 << effect as u8) != 0
    }

    /// Both sets together.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What both sets hold.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a call with these effects is worked out before it is done, so that its plan can be
    /// shown and approved first: what changes something, and what takes copies of notes away.
    pub const fn has_plan(self) -> bool {
        self.is_mutation() || self.contains(Effect::Export)
    }

    /// Whether running this changes or may change something outside the app's windows: the
    /// vault, another machine, or what code runs. An export changes none of them.
    pub const fn is_mutation(self) -> bool {
        self.contains(Effect::Write)
            || self.contains(Effect::Destroy)
            || self.contains(Effect::Publish)
            || self.contains(Effect::Execute)
    }

    /// The effects, mildest first.
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
                .fold(0, |bits, effect| bits | 1 << effect as u8),
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
