//! `--profile`: translates the command line of another tool and prepares its output format.

use std::io::{self, Read as _};

use super::error::Error;
use frontend::{CommandLineOptions, options::profile_in, setup};
use gateway::MAX_REQUEST_BYTES;
use profiles::Spoken;
use protocol::{Caller, Failure};
use sandbox::Environment;

/// Translates the words of a profile to ours. `takes_value` returns whether the next word is the
/// value of an option; `None` if the word is not an option.
pub(crate) fn understood(words: Vec<String>, takes_value: &dyn Fn(&str) -> Option<bool>) -> Spoken {
    let Some(profile) = profile_in(&words) else {
        return Spoken {
            words,
            ..Spoken::default()
        };
    };
    let mut spoken = profile.understand(&words, takes_value);
    if let Some(parameter) = spoken.input.take() {
        match input() {
            Ok(text) => spoken.words.push(format!("{parameter}={text}")),
            Err(failure) => spoken.failure = Some(failure),
        }
    }
    spoken
}

/// Reads standard input, limited to the size of a request.
pub(super) fn input() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_REQUEST_BYTES).unwrap_or(u64::MAX);
    io::stdin()
        .lock()
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(Error::Input)?;
    if bytes.len() > MAX_REQUEST_BYTES {
        return Err(Error::InputTooLong.into());
    }
    String::from_utf8(bytes).map_err(|_| Error::InputNotUtf8.into())
}

/// Returns the working directory of the caller; `/` if it is unknown.
pub(crate) fn here(environment: &Environment) -> String {
    let here = environment.working_directory();
    here.map_or_else(
        || "/".to_owned(),
        |here| here.to_string_lossy().into_owned(),
    )
}

/// Finds the vault and the working directory, which a profile's output names.
pub(crate) fn look_around(options: &mut CommandLineOptions, environment: &Environment) {
    if options.profile.is_none() {
        return;
    }
    options.surroundings.here = here(environment);
    let vault = setup::gateway(options, environment, Caller::Person)
        .and_then(|gateway| gateway.vaults().open());
    // An unusable vault is reported later, by the command that needs it.
    options.surroundings.root = vault
        .ok()
        .map(|vault| vault.root().to_string_lossy().into_owned());
}
