//! Helpers for the tests of this crate.

use std::collections::{BTreeMap, BTreeSet};

use crate::arguments::Arguments;

/// Parameters and flags of a command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CommandLine {
    pub(crate) params: BTreeMap<String, String>,
    pub(crate) flags: BTreeSet<String>,
}

impl Arguments for CommandLine {
    fn param(&self, name: &str) -> Option<&str> {
        self.params.get(name).map(String::as_str)
    }

    fn flag(&self, name: &str) -> bool {
        self.flags.contains(name)
    }
}

/// Arguments from words: `key=value` or a bare switch.
pub(crate) fn arguments(words: &[&str]) -> CommandLine {
    let mut arguments = CommandLine::default();
    for word in words {
        match word.split_once('=') {
            Some((key, value)) => {
                arguments.params.insert(key.to_owned(), value.to_owned());
            }
            None => {
                arguments.flags.insert((*word).to_owned());
            }
        }
    }
    arguments
}
