//! Arguments for the tests of edits.

use cli_output::Arguments;

/// `key=value` is a parameter, a bare word a flag.
pub(in crate::edit) fn arguments(words: &[&str]) -> Arguments {
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
