//! The arguments that decide how an answer looks.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The parameters and flags that a command was run with, as the CLI sees them: texts.
///
/// `Debug` shows the length of a value in place of the value, which may be note text
/// (`faults.md` F12).
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Arguments {
    /// Values by key.
    pub params: BTreeMap<String, String>,
    /// Switches that are on.
    pub flags: BTreeSet<String>,
}

impl fmt::Debug for Arguments {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes = self
            .params
            .iter()
            .map(|(key, value)| format!("{key}={} bytes", value.len()));
        let flags = self.flags.iter().cloned();
        formatter.debug_set().entries(sizes.chain(flags)).finish()
    }
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
