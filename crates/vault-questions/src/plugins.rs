//! `plugins`, `plugins:enabled` and `plugin` (`vault-semantics.md` §1.1, §1.2).

use obsidian_note::Warning;
use vault_answers::{List, PluginInfo, PluginItem};
use vault_files::{
    Args, CORE_PLUGINS, Call, Collation, ConfigFile, CorePluginSettings, EngineError, Refusal,
    Vault,
};
use vault_index::target::required;

use super::manifests::{Manifest, installed};
use super::reply::Reply;

const CORE: &str = "core";
const COMMUNITY: &str = "community";

struct Plugin {
    id: String,
    /// [`CORE`] or [`COMMUNITY`].
    origin: &'static str,
    is_on: bool,
    about: Manifest,
}

/// Returns every plugin, enabled or not, by id.
pub(super) fn plugins(call: &Call<'_>) -> Result<Reply, EngineError> {
    listed(call.vault, call.arguments, |_| true)
}

/// Returns the enabled plugins. The folder does not show whether the app runs community plugins at
/// all.
pub(super) fn enabled(call: &Call<'_>) -> Result<Reply, EngineError> {
    listed(call.vault, call.arguments, |plugin| plugin.is_on)
}

/// Facts about one plugin. A core plugin has no version, author or description of its own.
pub(super) fn plugin(call: &Call<'_>) -> Result<Reply, EngineError> {
    let id = required(call.arguments, "id", "plugin id=<plugin-id>")?;
    let (plugins, warnings) = all(call.vault)?;
    let plugin = plugins.into_iter().find(|plugin| plugin.id == id);
    let Some(Plugin {
        origin,
        is_on,
        about,
        ..
    }) = plugin
    else {
        let id = id.to_owned();
        return Err(EngineError::Refused(Refusal::PluginNotFound { id }));
    };
    let info = PluginInfo {
        kind: origin.to_owned(),
        name: about.name.unwrap_or_else(|| id.to_owned()),
        version: about.version,
        author: about.author,
        enabled: is_on,
        description: about.description,
    };
    Ok(Reply::new(info, warnings))
}

fn listed(
    vault: &Vault,
    arguments: &Args,
    is_wanted: impl Fn(&Plugin) -> bool,
) -> Result<Reply, EngineError> {
    // An unknown filter counts as none, as unknown values mean the default (`official-cli.md` §4).
    let filter = arguments.text("filter");
    let origin = filter.filter(|origin| [CORE, COMMUNITY].contains(origin));
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
    let answer = List::new(items);
    Ok(Reply::new(answer, warnings))
}

fn all(vault: &Vault) -> Result<(Vec<Plugin>, Vec<Warning>), EngineError> {
    let (settings, mut warnings) = CorePluginSettings::read(vault)?;
    let on: ConfigFile<Vec<String>> = ConfigFile::read(vault, "community-plugins.json")?;
    warnings.extend(on.warnings);
    let manifests = installed(vault, "plugins")?;
    warnings.extend(manifests.warnings);
    let core = CORE_PLUGINS.iter().map(|core| Plugin {
        id: core.id.to_owned(),
        origin: CORE,
        is_on: settings.is_on(core),
        about: Manifest {
            name: Some(core.name.to_owned()),
            ..Manifest::default()
        },
    });
    let community = manifests.found.into_iter().map(|(folder, about)| {
        let id = about.id.clone().unwrap_or(folder);
        Plugin {
            origin: COMMUNITY,
            is_on: on.value.contains(&id),
            id,
            about,
        }
    });
    Ok((core.chain(community).collect(), warnings))
}
