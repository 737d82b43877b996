//! Vaults and requests to them, for tests.

use std::path::Path;

use cli_output::Arguments;
use jiff::civil::date;
use jiff::tz::TimeZone;
use proptest::sample::Index;

use crate::commands::{Reply, reply};
use crate::error::EngineError;
use crate::registry::Registry;
use crate::surroundings::Surroundings;
use crate::vault::Vault;

/// Writes a file and creates its folders.
pub(crate) fn write(root: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = root.join(name);
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, text).unwrap();
}

/// Changes bytes of a file by XOR at these places, and cuts it off at `end`.
pub(crate) fn damage(path: &Path, patches: Vec<(Index, u8)>, end: Option<Index>) {
    let mut bytes = fs_err::read(path).unwrap();
    for (place, change) in patches {
        let place = place.index(bytes.len());
        bytes[place] ^= change;
    }
    if let Some(end) = end {
        bytes.truncate(end.index(bytes.len()));
    }
    fs_err::write(path, bytes).unwrap();
}

/// Five past nine on 7 March 2026, where the app knows no vaults.
pub(crate) fn surroundings() -> Surroundings {
    let now = date(2026, 3, 7).at(9, 5, 0, 0);
    Surroundings {
        now: now.to_zoned(TimeZone::UTC).unwrap(),
        random: 0,
        registry: Registry::default(),
    }
}

/// `key=value` is a parameter, a bare word a flag.
pub(crate) fn arguments(words: impl IntoIterator<Item = impl AsRef<str>>) -> Arguments {
    let mut arguments = Arguments::default();
    for word in words {
        let word = word.as_ref();
        match word.split_once('=') {
            Some((key, value)) => {
                arguments.params.insert(key.to_owned(), value.to_owned());
            }
            None => {
                arguments.flags.insert(word.to_owned());
            }
        }
    }
    arguments
}

/// Returns the reply to a command and its arguments.
pub(crate) fn ask(vault: &Vault, words: &[&str]) -> Result<Reply, EngineError> {
    reply(vault, words[0], &arguments(&words[1..]), &surroundings())
}

/// Returns a command and its arguments; in values `_` means a blank.
pub(crate) fn parsed(line: &str) -> (String, Arguments) {
    let mut words = line.split(' ');
    let command = words.next().unwrap().to_owned();
    let mut arguments = arguments(words);
    for value in arguments.params.values_mut() {
        *value = value.replace('_', " ");
    }
    (command, arguments)
}
