//! Plugins and themes that are installed in the configuration folder.

use obsidian_note::Warning;
use serde::Deserialize;
use vault_files::{ConfigFile, EngineError, EntryKind, Vault};

/// The keys of the `manifest.json` of a plugin or theme.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Manifest {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) version: Option<String>,
    pub(super) author: Option<String>,
    pub(super) description: Option<String>,
}

/// The installed plugins or themes, and warnings about unusable ones.
#[derive(Default)]
pub(super) struct Installed {
    /// Each folder's name with its manifest.
    pub(super) found: Vec<(String, Manifest)>,
    pub(super) warnings: Vec<Warning>,
}

/// Returns the installed plugins or themes in this folder. Folders without a manifest are skipped. An unusable manifest
/// is a warning, and so is a symlink, which is not followed (`threats.toml` D03).
pub(super) fn installed(vault: &Vault, folder: &str) -> Result<Installed, EngineError> {
    let (path, entries) = vault.config_entries(folder)?;
    let Installed {
        mut found,
        mut warnings,
    } = Installed::default();
    for entry in entries {
        let Some(name) = entry.name.to_str() else {
            warnings.push(Warning::NameUnusable {
                folder: path.clone(),
                name: entry.name.to_string_lossy().into_owned(),
                reason: None,
            });
            continue;
        };
        let place = match path.join(name) {
            Ok(place) => place,
            Err(reason) => {
                warnings.push(Warning::NameUnusable {
                    folder: path.clone(),
                    name: name.to_owned(),
                    reason: Some(reason),
                });
                continue;
            }
        };
        match entry.kind {
            EntryKind::Folder => {}
            EntryKind::Symlink => {
                let (count, path) = (1, place);
                warnings.push(Warning::SymlinksSkipped { count, path });
                continue;
            }
            EntryKind::File | EntryKind::Special => continue,
        }
        let file = format!("{folder}/{name}/manifest.json");
        match ConfigFile::<Option<Manifest>>::read_if_possible(vault, &place, &file) {
            Ok(manifest) => {
                warnings.extend(manifest.warnings);
                found.extend(manifest.value.map(|manifest| (name.to_owned(), manifest)));
            }
            Err(warning) => warnings.push(warning),
        }
    }
    Ok(Installed { found, warnings })
}
