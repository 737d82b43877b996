//! The vaults that `setup` can find: in the settings, around the working directory, and in the
//! app's list.

use std::path::{Path, PathBuf};

use vault_engine::Registry;

use crate::cli::headless_sync;
use gateway::{holds_a_note, is_vault, vault_around, vaults_of_every_list};
use sandbox::Environment;
use settings::Settings;

/// The source of the vault that the settings name.
pub(super) const IN_SETTINGS: &str = "in the settings";
/// The source of a folder that has notes and may not be a vault.
pub(super) const WITH_NOTES: &str = "here, a folder with notes";

/// A vault that was found, and the place where it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundVault {
    /// Its folder, absolute and without links.
    pub(super) folder: PathBuf,
    /// The place in which it was found, for a person.
    pub(super) source: &'static str,
}

/// Finds every existing vault, each once, the most likely first. A folder that merely contains notes may be anything,
/// such as a source tree or a downloads folder: it comes last, and only if a person chooses.
pub(super) fn find(
    settings: &Settings,
    registry: &Registry,
    environment: &Environment,
    can_ask: bool,
) -> Vec<FoundVault> {
    let mut found = Vec::new();
    let mut add = |folder: &Path, source| add_to(&mut found, folder, source);
    let named = settings.vault.as_deref().map(Path::new);
    if let Some(folder) = named.filter(|path| path.is_absolute()) {
        add(folder, IN_SETTINGS);
    }
    let here = environment.working_directory();
    let around = here.and_then(|here| vault_around(here, Some(registry)));
    if let Some(vault) = &around {
        add(vault, "here");
    }
    let mut known: Vec<_> = registry.vaults.iter().collect();
    known.sort_by(|left, right| {
        let time = |time: Option<f64>| time.unwrap_or(f64::NEG_INFINITY);
        time(right.ts).total_cmp(&time(left.ts))
    });
    for vault in known {
        add(&vault.path, "in Obsidian");
    }
    for vault in vaults_of_every_list(environment) {
        add(&vault, "in Obsidian");
    }
    for vault in headless_sync::vaults(environment) {
        add(&vault, "synced by `ob`");
    }
    // If nobody can choose, a vault that is not in the settings or the list is taken only if it is
    // the only one.
    let is_alone = found.is_empty();
    if can_ask || is_alone {
        for vault in vaults_below_home(environment) {
            add_to(&mut found, &vault, "below your home folder");
        }
    }
    let mut add = |folder: &Path, source| add_to(&mut found, folder, source);
    if let Some(here) = here.filter(|_| can_ask && around.is_none())
        && holds_a_note(here)
        && !is_home(here, environment)
    {
        add(here, WITH_NOTES);
    }
    found
}

fn add_to(found: &mut Vec<FoundVault>, folder: &Path, source: &'static str) {
    // A missing folder cannot be chosen.
    let Ok(folder) = fs_err::canonicalize(folder) else {
        return;
    };
    let folder = dunce::simplified(&folder).to_owned();
    let is_new = found.iter().all(|vault| vault.folder != folder);
    if is_new && folder.is_dir() {
        found.push(FoundVault { folder, source });
    }
}

/// Folders below the home folder where people keep vaults.
const USUAL_PLACES: [&str; 8] = [
    "",
    "Documents",
    "Notes",
    "Obsidian",
    "Dropbox",
    "Nextcloud",
    "OneDrive",
    "Library/Mobile Documents/iCloud~md~obsidian/Documents",
];

/// Most folders to check in one place.
const MOST_FOLDERS: usize = 1000;

/// Returns the vaults in the usual places, one level down.
fn vaults_below_home(environment: &Environment) -> Vec<PathBuf> {
    let Some(home) = environment.home() else {
        return Vec::new();
    };
    let mut vaults = Vec::new();
    for place in USUAL_PLACES {
        let Ok(entries) = fs_err::read_dir(home.join(place)) else {
            continue;
        };
        let mut folders: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .take(MOST_FOLDERS)
            .filter(|folder| is_vault(folder))
            .collect();
        folders.sort();
        vaults.append(&mut folders);
    }
    vaults
}

/// Whether it is the home folder. A single note there does not make it a vault.
fn is_home(folder: &Path, environment: &Environment) -> bool {
    ["HOME", "USERPROFILE"]
        .iter()
        .filter_map(|variable| environment.absolute_path(variable))
        .any(|home| home == folder)
}
