//! `--profile`: the words of another contract on the way in, and what its form needs to know.

use super::command::gateway;
use super::option_takes_value;
use super::options::{Options, profile_in};
use crate::environment::Environment;
use crate::gateway::Caller;
use crate::gateway::profile::Spoken;

/// The words, those of a profile read as ours.
pub(super) fn understood(words: Vec<String>) -> Spoken {
    match profile_in(&words) {
        Some(profile) => profile.understand(&words, &option_takes_value()),
        None => Spoken {
            words,
            ..Spoken::default()
        },
    }
}

/// Finds out for a profile which vault is worked on, and from where.
pub(super) fn look_around(options: &mut Options, environment: &Environment) {
    if options.profile.is_none() {
        return;
    }
    let here = environment.working_directory();
    options.surroundings.here = here.map_or_else(
        || "/".to_owned(),
        |here| here.to_string_lossy().into_owned(),
    );
    let vault =
        gateway(options, environment, Caller::Person).and_then(|gateway| gateway.open_vault());
    // What is wrong with the vault is said by whoever needs it.
    options.surroundings.root = vault
        .ok()
        .map(|vault| vault.root().to_string_lossy().into_owned());
}
