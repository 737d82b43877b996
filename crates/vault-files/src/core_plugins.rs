//! The plugins that are part of the app, and which of them are enabled (`vault-semantics.md` §1.1,
//! §1.2).

use std::collections::HashMap;

use obsidian_note::Warning;
use serde::Deserialize;

use crate::config_file::ConfigFile;
use crate::error::EngineError;
use crate::vault::Vault;

/// A plugin that is part of the app.
pub struct CorePlugin {
    /// Its id, as in `core-plugins.json`.
    pub id: &'static str,
    /// Its name in the app's settings.
    pub name: &'static str,
    on_by_default: bool,
}

const fn core(id: &'static str, name: &'static str, on_by_default: bool) -> CorePlugin {
    CorePlugin {
        id,
        name,
        on_by_default,
    }
}

/// The plugins of the app in the order of its settings (`vault-semantics.md` §1.2), and which of
/// them are enabled in a new vault.
pub const CORE_PLUGINS: &[CorePlugin] = &[
    core("file-explorer", "Files", true),
    core("global-search", "Search", true),
    core("switcher", "Quick switcher", true),
    core("graph", "Graph view", true),
    core("backlink", "Backlinks", true),
    core("canvas", "Canvas", true),
    core("outgoing-link", "Outgoing links", true),
    core("tag-pane", "Tags view", true),
    core("properties", "Properties view", true),
    core("page-preview", "Page preview", true),
    core("daily-notes", "Daily notes", true),
    core("templates", "Templates", true),
    core("note-composer", "Note composer", true),
    core("command-palette", "Command palette", true),
    core("slash-command", "Slash commands", false),
    core("editor-status", "Editor status", true),
    core("bookmarks", "Bookmarks", true),
    core("markdown-importer", "Format converter", false),
    core("zk-prefixer", "Unique note creator", false),
    core("random-note", "Random note", false),
    core("outline", "Outline", true),
    core("word-count", "Word count", true),
    core("slides", "Slides", false),
    core("audio-recorder", "Audio recorder", false),
    core("workspaces", "Workspaces", false),
    core("file-recovery", "File recovery", true),
    core("publish", "Publish", false),
    core("sync", "Sync", true),
    core("webviewer", "Web viewer", false),
    core("footnotes", "Footnotes view", false),
    core("bases", "Bases", true),
];

/// `core-plugins.json` in its present form, a map, or its former one, a list of the enabled
/// plugins.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum CorePluginSettings {
    /// Whether each plugin is on, by its id.
    States(HashMap<String, bool>),
    /// The ids of the plugins that are on.
    On(Vec<String>),
}

impl Default for CorePluginSettings {
    fn default() -> Self {
        Self::States(HashMap::new())
    }
}

impl CorePluginSettings {
    /// Reads `core-plugins.json`. A vault that is being migrated from the former form keeps its
    /// states in `core-plugins-migration.json`, which then decides.
    ///
    /// # Errors
    ///
    /// Fails if the vault's settings cannot be read.
    pub fn read(vault: &Vault) -> Result<(Self, Vec<Warning>), EngineError> {
        let file: ConfigFile<Self> = ConfigFile::read(vault, "core-plugins.json")?;
        // Only the former list form can be superseded by the migration file.
        if let Self::States(_) = file.value {
            return Ok((file.value, file.warnings));
        }
        let newer: ConfigFile<Option<Self>> =
            ConfigFile::read(vault, "core-plugins-migration.json")?;
        let mut warnings = file.warnings;
        warnings.extend(newer.warnings);
        Ok((newer.value.unwrap_or(file.value), warnings))
    }

    /// Whether the plugin is on in this vault.
    pub fn is_on(&self, core: &CorePlugin) -> bool {
        match self {
            Self::States(states) => states.get(core.id).copied().unwrap_or(core.on_by_default),
            Self::On(ids) => ids.iter().any(|id| id == core.id),
        }
    }
}
