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

const fn core_plugin(id: &'static str, name: &'static str, on_by_default: bool) -> CorePlugin {
    CorePlugin {
        id,
        name,
        on_by_default,
    }
}

/// The plugins of the app in the order of its settings (`vault-semantics.md` §1.2), and which of
/// them are enabled in a new vault.
pub const CORE_PLUGINS: &[CorePlugin] = &[
    core_plugin("file-explorer", "Files", true),
    core_plugin("global-search", "Search", true),
    core_plugin("switcher", "Quick switcher", true),
    core_plugin("graph", "Graph view", true),
    core_plugin("backlink", "Backlinks", true),
    core_plugin("canvas", "Canvas", true),
    core_plugin("outgoing-link", "Outgoing links", true),
    core_plugin("tag-pane", "Tags view", true),
    core_plugin("properties", "Properties view", true),
    core_plugin("page-preview", "Page preview", true),
    core_plugin("daily-notes", "Daily notes", true),
    core_plugin("templates", "Templates", true),
    core_plugin("note-composer", "Note composer", true),
    core_plugin("command-palette", "Command palette", true),
    core_plugin("slash-command", "Slash commands", false),
    core_plugin("editor-status", "Editor status", true),
    core_plugin("bookmarks", "Bookmarks", true),
    core_plugin("markdown-importer", "Format converter", false),
    core_plugin("zk-prefixer", "Unique note creator", false),
    core_plugin("random-note", "Random note", false),
    core_plugin("outline", "Outline", true),
    core_plugin("word-count", "Word count", true),
    core_plugin("slides", "Slides", false),
    core_plugin("audio-recorder", "Audio recorder", false),
    core_plugin("workspaces", "Workspaces", false),
    core_plugin("file-recovery", "File recovery", true),
    core_plugin("publish", "Publish", false),
    core_plugin("sync", "Sync", true),
    core_plugin("webviewer", "Web viewer", false),
    core_plugin("footnotes", "Footnotes view", false),
    core_plugin("bases", "Bases", true),
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
