//! `plugins`, `plugins:enabled` and `plugin` (`vault-semantics.md` §1.1, §1.2).

use std::collections::HashMap;

use cli_output::{Answer, AppError, Arguments, List, PluginInfo, PluginItem};
use serde::Deserialize;

use super::Reply;
use super::manifests::{Manifest, installed};
use super::target::required;
use crate::collation::Collation;
use crate::config_file::ConfigFile;
use crate::error::EngineError;
use crate::surroundings::Surroundings;
use crate::vault::Vault;
use crate::warning::Warning;

/// A plugin that is part of the app.
struct Core {
    id: &'static str,
    /// Its name in the app's settings.
    name: &'static str,
    /// Whether it is on where the vault's settings do not say.
    is_on: bool,
}

const fn core(id: &'static str, name: &'static str, is_on: bool) -> Core {
    Core { id, name, is_on }
}

/// The plugins of the app (`vault-semantics.md` §1.2), and which of them a new vault has on.
const CORE: &[Core] = &[
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

/// `core-plugins.json`: its present form, and the former one, which lists those that are on.
#[derive(Deserialize)]
#[serde(untagged)]
enum CoreSettings {
    States(HashMap<String, bool>),
    On(Vec<String>),
}

impl Default for CoreSettings {
    fn default() -> Self {
        Self::States(HashMap::new())
    }
}

impl CoreSettings {
    fn is_on(&self, core: &Core) -> bool {
        match self {
            Self::States(states) => states.get(core.id).copied().unwrap_or(core.is_on),
            Self::On(ids) => ids.iter().any(|id| id == core.id),
        }
    }
}

/// Where a plugin comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Core,
    Community,
}

impl Origin {
    fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Community => "community",
        }
    }
}

struct Plugin {
    id: String,
    origin: Origin,
    is_on: bool,
    about: Manifest,
}

/// Every plugin that is there, on or off, by id.
pub(super) fn plugins(
    vault: &Vault,
    arguments: &Arguments,
    _surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    listed(vault, arguments, |_| true)
}

/// Those that are on. Whether the app runs community plugins at all is not known from the folder.
pub(super) fn enabled(
    vault: &Vault,
    arguments: &Arguments,
    _surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    listed(vault, arguments, |plugin| plugin.is_on)
}

/// Facts about one plugin. A core plugin has no version, author or description of its own.
pub(super) fn plugin(
    vault: &Vault,
    arguments: &Arguments,
    _surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    let id = required(arguments, "id", "plugin id=<plugin-id>")?;
    let (plugins, warnings) = all(vault)?;
    let plugin = plugins.into_iter().find(|plugin| plugin.id == id);
    let Some(Plugin {
        origin,
        is_on,
        about,
        ..
    }) = plugin
    else {
        let id = id.to_owned();
        return Err(EngineError::App(AppError::PluginNotFound { id }));
    };
    let info = PluginInfo {
        kind: origin.name().to_owned(),
        name: about.name.unwrap_or_else(|| id.to_owned()),
        version: about.version,
        author: about.author,
        enabled: is_on,
        description: about.description,
    };
    Ok(Reply::new(Answer::PluginInfo(info), warnings))
}

fn listed(
    vault: &Vault,
    arguments: &Arguments,
    is_wanted: impl Fn(&Plugin) -> bool,
) -> Result<Reply, EngineError> {
    // An unknown filter is none, as unknown values mean the default (`official-cli.md` §4).
    let filter = arguments.param("filter");
    let origin = [Origin::Core, Origin::Community]
        .into_iter()
        .find(|origin| filter == Some(origin.name()));
    let (plugins, warnings) = all(vault)?;
    let mut items: Vec<PluginItem> = plugins
        .into_iter()
        .filter(|plugin| origin.is_none_or(|origin| plugin.origin == origin))
        .filter(is_wanted)
        .map(|plugin| PluginItem {
            id: plugin.id,
            version: plugin.about.version,
        })
        .collect();
    Collation::new()?.sort_by(&mut items, |item| &item.id);
    let answer = Answer::Plugins(List::new(items));
    Ok(Reply::new(answer, warnings))
}

fn all(vault: &Vault) -> Result<(Vec<Plugin>, Vec<Warning>), EngineError> {
    let (settings, mut warnings) = core_settings(vault)?;
    let on: ConfigFile<Vec<String>> = ConfigFile::read(vault, "community-plugins.json")?;
    warnings.extend(on.warnings);
    let manifests = installed(vault, "plugins")?;
    warnings.extend(manifests.warnings);
    let core = CORE.iter().map(|core| Plugin {
        id: core.id.to_owned(),
        origin: Origin::Core,
        is_on: settings.is_on(core),
        about: Manifest {
            name: Some(core.name.to_owned()),
            ..Manifest::default()
        },
    });
    let community = manifests.found.into_iter().map(|(folder, about)| {
        let id = about.id.clone().unwrap_or(folder);
        Plugin {
            origin: Origin::Community,
            is_on: on.value.contains(&id),
            id,
            about,
        }
    });
    Ok((core.chain(community).collect(), warnings))
}

/// Plugins of the app by id, with whether they are on.
pub(crate) type CorePlugins = Vec<(&'static str, bool)>;

/// The plugins of the app by id, in the order of its settings, with whether they are on.
pub(crate) fn core_plugins(vault: &Vault) -> Result<(CorePlugins, Vec<Warning>), EngineError> {
    let (settings, warnings) = core_settings(vault)?;
    let plugins = CORE.iter().map(|core| (core.id, settings.is_on(core)));
    Ok((plugins.collect(), warnings))
}

/// The states of core plugins; of a vault between the two forms of the file, those of
/// `core-plugins-migration.json`.
fn core_settings(vault: &Vault) -> Result<(CoreSettings, Vec<Warning>), EngineError> {
    let file: ConfigFile<CoreSettings> = ConfigFile::read(vault, "core-plugins.json")?;
    if let CoreSettings::States(_) = file.value {
        return Ok((file.value, file.warnings));
    }
    let newer: ConfigFile<Option<CoreSettings>> =
        ConfigFile::read(vault, "core-plugins-migration.json")?;
    let mut warnings = file.warnings;
    warnings.extend(newer.warnings);
    Ok((newer.value.unwrap_or(file.value), warnings))
}
