//! The setting `sandbox`.

use schemars::JsonSchema;

use protocol::words;

words! {
    /// Whether processes are confined, and what happens where the system cannot do all of it. Ordered
    /// by strictness.
    #[derive(clap::ValueEnum, Default, PartialOrd, Ord, JsonSchema)]
    pub enum SandboxMode {
        /// No confinement.
        Off = "off",
        /// As much as the system offers; what is missing is reported.
        #[default]
        BestEffort = "best-effort",
        /// All of it, or nothing runs (`SANDBOX_UNAVAILABLE`).
        Require = "require",
    }
}

impl SandboxMode {
    /// Returns the stricter of two. A later layer can only tighten (`design/settings.md`).
    #[must_use]
    pub fn tightened(self, other: Option<Self>) -> Self {
        other.map_or(self, |other| self.max(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l01_a_later_layer_only_tightens() {
        use SandboxMode::{BestEffort, Off, Require};
        for (first, then, result) in [
            (Off, None, Off),
            (Off, Some(Require), Require),
            (BestEffort, Some(Off), BestEffort),
            (Require, Some(Off), Require),
            (Require, Some(BestEffort), Require),
        ] {
            assert_eq!(first.tightened(then), result, "{first:?} {then:?}");
        }
    }
}
