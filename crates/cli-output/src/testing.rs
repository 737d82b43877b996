//! Helpers for the tests of this crate.

use crate::arguments::Arguments;

/// Arguments from words: `key=value` or a bare switch.
pub(crate) fn arguments(words: &[&str]) -> Arguments {
    let mut arguments = Arguments::default();
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
