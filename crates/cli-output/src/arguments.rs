//! The arguments that decide how an answer looks.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The parameters and flags of a command, as texts, as the CLI gets them.
///
/// `Debug` shows the length of a value in place of the value, which may be note text
/// (`faults.md` F12).
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Arguments {
    /// The values of the parameters by their names.
    pub params: BTreeMap<String, String>,
    /// The flags that are set.
    pub flags: BTreeSet<String>,
}

impl fmt::Debug for Arguments {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes = self.params.iter().map(|(key, value)| format!("{key}={} bytes", value.len()));
        let flags = self.flags.iter().cloned();
        formatter.debug_set().entries(sizes.chain(flags)).finish()
    }
}

impl Arguments {
    /// The value of a parameter; `None` if it is not given.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.params.get(name).map(String::as_str)
    }

    /// Whether a switch is on.
    pub fn flag(&self, name: &str) -> bool {
        self.flags.contains(name)
    }
}
