//! The arguments that decide how an answer looks.

use std::collections::{BTreeMap, BTreeSet};

/// The parameters and flags that a command was run with, as the CLI sees them: texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// Values by key.
    pub params: BTreeMap<String, String>,
    /// Switches that are on.
    pub flags: BTreeSet<String>,
}

impl Arguments {
    /// A parameter's value.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.params.get(name).map(String::as_str)
    }

    /// Whether a switch is on.
    pub fn flag(&self, name: &str) -> bool {
        self.flags.contains(name)
    }
}
