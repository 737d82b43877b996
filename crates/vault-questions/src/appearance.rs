//! `themes`, `theme`, `snippets` and `snippets:enabled` (`vault-semantics.md` §1.1).
//!
//! The app's output for these is not recorded, so each function documents its own.

use obsidian_note::Warning;
use serde::Deserialize;
use vault_answers::RawText;
use vault_files::{Args, Call, Collation, ConfigFile, EngineError, EntryKind, Refusal, Vault};

use super::manifests::{Installed, installed};
use super::reply::{Reply, table};

/// The theme that is built into the app, and so has no folder.
const DEFAULT_THEME: &str = "Default";

/// The keys of `appearance.json` that name themes and snippets.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Appearance {
    css_theme: Option<String>,
    enabled_css_snippets: Vec<String>,
}

/// Installed themes by name, one a line; with `versions` a tab and the version.
pub(super) fn themes(call: &Call<'_>) -> Result<Reply, EngineError> {
    let arguments = call.arguments;
    let Installed {
        found: mut themes,
        warnings,
    } = installed(call.vault, "themes")?;
    Collation::new()?.sort_by(&mut themes, |(name, _)| name);
    let versions = arguments.flag("versions");
    let rows = themes.into_iter().map(|(name, manifest)| {
        let version = versions.then(|| manifest.version.unwrap_or_default());
        [name].into_iter().chain(version).collect()
    });
    let columns = ["name", "version"];
    let columns = if versions {
        &columns[..]
    } else {
        &columns[..1]
    };
    let text = table(columns, rows.collect(), arguments);
    Ok(raw(text, warnings))
}

/// Rows of key and value about the active theme, or the theme that `name` names: `name`, `version`, `author`,
/// `enabled`. Unknown values are left out.
pub(super) fn theme(call: &Call<'_>) -> Result<Reply, EngineError> {
    let vault = call.vault;
    let file: ConfigFile<Appearance> = ConfigFile::read(vault, "appearance.json")?;
    let themes = installed(vault, "themes")?;
    let warnings = file.warnings.into_iter().chain(themes.warnings).collect();
    let set = file.value.css_theme.filter(|name| !name.is_empty());
    let in_use = set.as_deref().unwrap_or(DEFAULT_THEME);
    let wanted = call.arguments.text("name").unwrap_or(in_use);
    let manifest = themes
        .found
        .into_iter()
        .find(|(name, _)| name == wanted)
        .map(|(_, manifest)| manifest);
    if manifest.is_none() && wanted != DEFAULT_THEME {
        let name = wanted.to_owned();
        return Err(EngineError::Refused(Refusal::ThemeNotFound { name }));
    }
    let about = manifest.unwrap_or_default();
    let rows = [
        ("name", Some(wanted.to_owned())),
        ("version", about.version),
        ("author", about.author),
        ("enabled", Some((wanted == in_use).to_string())),
    ];
    let rows = rows
        .into_iter()
        .filter_map(|(key, value)| Some(vec![key.to_owned(), value?]));
    let text = table(&["key", "value"], rows.collect(), &Args::default());
    Ok(raw(text, warnings))
}

/// Returns the installed snippets by name, one per line.
pub(super) fn snippets(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (names, warnings) = snippet_names(call.vault)?;
    Ok(raw(names.join("\n"), warnings))
}

/// Returns the installed snippets that are enabled, by name, one per line.
pub(super) fn enabled_snippets(call: &Call<'_>) -> Result<Reply, EngineError> {
    let vault = call.vault;
    let file: ConfigFile<Appearance> = ConfigFile::read(vault, "appearance.json")?;
    let (mut names, more) = snippet_names(vault)?;
    names.retain(|name| file.value.enabled_css_snippets.contains(name));
    let warnings = file.warnings.into_iter().chain(more).collect();
    Ok(raw(names.join("\n"), warnings))
}

fn snippet_names(vault: &Vault) -> Result<(Vec<String>, Vec<Warning>), EngineError> {
    let (folder, entries) = vault.config_entries("snippets")?;
    let mut names = Vec::new();
    let mut warnings = Vec::new();
    for entry in entries {
        let Some(file) = entry.name.to_str() else {
            warnings.push(Warning::NameUnusable {
                folder: folder.clone(),
                name: entry.name.to_string_lossy().into_owned(),
                reason: None,
            });
            continue;
        };
        if let Some(name) = file
            .strip_suffix(".css")
            .filter(|_| entry.kind == EntryKind::File)
        {
            names.push(name.to_owned());
        }
    }
    Collation::new()?.sort_by(&mut names, |name| name);
    Ok((names, warnings))
}

fn raw(text: String, warnings: Vec<Warning>) -> Reply {
    Reply::new(RawText::new(text), warnings)
}
