//! The app's settings for a vault: where things go and how links are written
//! (`vault-semantics.md` §1.1).

use obsidian_note::{Warning, words};
use serde_json::Value;

use crate::config_file::{ConfigFile, ConfigKeys};
use crate::core_plugins::{CORE_PLUGINS, CorePluginSettings};
use crate::daily::DailyNotes;
use crate::error::EngineError;
use crate::property_types::PropertyTypes;
use crate::vault::Vault;

/// The settings of one vault that decide where notes, templates and attachments are and how links
/// to them look. What is absent or malformed has the app's default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaultSettings {
    /// The settings of the daily notes plugin.
    pub daily: DailyNotes,
    /// The folder of the templates, without slashes around it; `None` if the app has no templates,
    /// empty for the vault's root.
    pub template_folder: Option<String>,
    /// The settings of `app.json`.
    pub app: AppSettings,
    /// The plugins that are part of the app, by id, with whether they are enabled.
    pub core_plugins: Vec<(&'static str, bool)>,
    /// Warnings about settings that could not be read or used.
    pub warnings: Vec<Warning>,
}

/// The settings of `app.json` that decide where attachments are and how links look. What is absent or malformed has the
/// app's default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppSettings {
    /// The place for files that are pasted into a note.
    pub attachments: AttachmentPlace,
    /// Whether new links are `[text](path)` instead of `[[path]]`.
    pub markdown_links: bool,
    /// The part of the path that new links contain.
    pub link_format: LinkFormat,
    /// Whether the app updates links to a moved file without asking.
    pub updates_links: bool,
    /// Whether links to a file that is moved without the app are updated.
    pub links_follow: bool,
    /// "Excluded files" as written: prefixes of paths, and `/patterns/`.
    pub excluded: Vec<String>,
}

/// The name of the file.
const APP: &str = "app.json";
/// The keys of `app.json` on which answers and changes depend.
const APP_KEYS: [&str; 8] = [
    ATTACHMENT_KEY,
    "alwaysUpdateLinks",
    "newFileFolderPath",
    "newFileLocation",
    "newLinkFormat",
    "trashOption",
    "useMarkdownLinks",
    "userIgnoreFilters",
];
/// The keys of `app.json` on which the text of a new link depends.
pub const LINK_KEYS: [&str; 2] = ["newLinkFormat", "useMarkdownLinks"];
/// The key of `app.json` about the place of attachments.
pub const ATTACHMENT_KEY: &str = "attachmentFolderPath";

impl AppSettings {
    /// Reads the settings for a change that depends on these keys of `app.json`; with the warnings about the file.
    ///
    /// # Errors
    ///
    /// As [`ConfigKeys::read_keys_for_change`], and if the caller needs usable settings and one of them is malformed.
    pub fn read_for_change(
        vault: &Vault,
        keys: &[&str],
    ) -> Result<(Self, Vec<Warning>), EngineError> {
        let mut file = ConfigKeys::read_keys_for_change(vault, APP, keys)?;
        file.value.retain(|key, _| keys.contains(&key.as_str()));
        let settings = Self::take(&mut file, vault);
        vault.ensure_settings_usable(&file.warnings)?;
        Ok((settings, file.warnings))
    }

    fn take(app: &mut ConfigKeys, vault: &Vault) -> Self {
        let attachments = app
            .take_text(ATTACHMENT_KEY)
            .map(|setting| AttachmentPlace::parse(&setting))
            .unwrap_or_default();
        let link_format = app.take_text("newLinkFormat").map(|word| {
            LinkFormat::parse(&word).unwrap_or_else(|| {
                app.ignore("`newLinkFormat` is not `shortest`, `relative` or `absolute`");
                LinkFormat::default()
            })
        });
        let update_setting = app.value.get("alwaysUpdateLinks");
        let links_follow = vault.link_updates.follows(update_setting).unwrap_or(true);
        let mut is_on = |key| app.take(key, "`true` or `false`").unwrap_or(false);
        let (markdown_links, updates_links) =
            (is_on("useMarkdownLinks"), is_on("alwaysUpdateLinks"));
        let mut excluded = Vec::new();
        for entry in app
            .take::<Vec<Value>>("userIgnoreFilters", "a list")
            .unwrap_or_default()
        {
            match entry {
                Value::String(text) => excluded.push(text),
                _ => app.ignore("`userIgnoreFilters` contains a value that is not a text"),
            }
        }
        Self {
            attachments,
            markdown_links,
            link_format: link_format.unwrap_or_default(),
            updates_links,
            links_follow,
            excluded,
        }
    }
}

/// The place for attachments: `attachmentFolderPath`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AttachmentPlace {
    /// Into the vault's root.
    #[default]
    Root,
    /// Into this folder of the vault.
    Folder(String),
    /// Into the folder of the note.
    BesideNote,
    /// Into this folder below the folder of the note.
    BelowNote(String),
}

words! {
    /// The part of the path in a new link: `newLinkFormat`.
    #[derive(Default)]
    pub enum LinkFormat {
        /// The name alone if only one file has it.
        #[default]
        Shortest = "shortest",
        /// The path from the folder of the note.
        Relative = "relative",
        /// The path from the vault's root.
        Absolute = "absolute",
    }
}

impl LinkFormat {
    /// Returns the format that this word of the app's settings means.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == word)
    }
}

impl AttachmentPlace {
    fn parse(setting: &str) -> Self {
        let folder = |path: &str| path.trim_matches('/').to_owned();
        match setting {
            "." | "./" => Self::BesideNote,
            below if below.starts_with("./") => Self::BelowNote(folder(&below[2..])),
            other if folder(other).is_empty() => Self::Root,
            other => Self::Folder(folder(other)),
        }
    }
}

impl Vault {
    /// Reads the settings. A file that exists and cannot be read counts as absent, with a warning,
    /// so that one bad file does not hide the rest.
    pub fn settings(&self) -> VaultSettings {
        let mut warnings = Vec::new();
        let mut daily = usable(self.daily_notes(), self, &mut warnings).unwrap_or_default();
        warnings.append(&mut daily.warnings);
        let templates = usable(
            ConfigKeys::read(self, "templates.json"),
            self,
            &mut warnings,
        );
        let mut templates =
            templates.unwrap_or_else(|| ConfigFile::parse(self.config_folder().path.clone(), None));
        let template_folder = templates
            .take_text("folder")
            .filter(|folder| !folder.is_empty())
            .map(|folder| folder.trim_matches('/').to_owned());
        let app = ConfigFile::read_keys(self, APP, &APP_KEYS);
        let mut app = usable(app, self, &mut warnings)
            .unwrap_or_else(|| ConfigFile::parse(self.config_folder().path.clone(), None));
        let app_settings = AppSettings::take(&mut app, self);
        warnings.extend(templates.warnings);
        warnings.extend(app.warnings);
        let core_plugins = match usable(CorePluginSettings::read(self), self, &mut warnings) {
            Some((settings, more)) => {
                warnings.extend(more);
                let states = CORE_PLUGINS.iter();
                states.map(|core| (core.id, settings.is_on(core))).collect()
            }
            None => Vec::new(),
        };
        // Each answer says which of the settings it depends on.
        warnings.retain(|warning| !matches!(warning, Warning::ConfigFolderMissing { .. }));
        VaultSettings {
            daily,
            template_folder,
            app: app_settings,
            core_plugins,
            warnings,
        }
    }
}

impl Vault {
    /// Returns a warning for each settings file, and each setting in one, that cannot be used or of which it is not
    /// clear that the app uses it.
    pub fn settings_faults(&self) -> Vec<Warning> {
        let mut faults = self.settings().warnings;
        let types = usable(PropertyTypes::read(self), self, &mut faults);
        faults.extend(types.into_iter().flat_map(|types| types.warnings));
        faults
    }
}

/// Returns the value; an error becomes a warning about the configuration folder.
fn usable<T>(
    read: Result<T, EngineError>,
    vault: &Vault,
    warnings: &mut Vec<Warning>,
) -> Option<T> {
    read.map_err(|error| warnings.push(vault.settings_ignored(&error)))
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::testing::vault;

    const CASES: &str = include_str!("vault_settings_cases.txt");

    #[test]
    fn a_vault_that_says_nothing_has_the_apps_defaults() {
        let (_folder, vault) = vault(&[("a.md", "")]);
        let settings = vault.settings();
        assert_eq!(settings.warnings, []);
        assert_eq!(settings.daily.format, "YYYY-MM-DD");
        assert_eq!(settings.template_folder, None);
        assert_eq!(settings.app.attachments, AttachmentPlace::Root);
        assert_eq!(settings.app.link_format, LinkFormat::Shortest);
        assert!(!settings.app.markdown_links && !settings.app.updates_links);
        assert!(settings.app.links_follow, "as a move does it");
        let on = |id: &str| settings.core_plugins.contains(&(id, true));
        assert!(on("daily-notes") && !on("slides"));
    }

    #[test]
    fn written_settings_are_reported() {
        let (_folder, vault) = vault(&tables::typed::<(&str, &str)>(
            CASES,
            "written settings are reported",
        ));
        let settings = vault.settings();
        assert_eq!(settings.warnings, []);
        assert_eq!(
            settings.app.attachments,
            AttachmentPlace::BelowNote("files".to_owned())
        );
        assert_eq!(settings.app.link_format, LinkFormat::Relative);
        assert!(settings.app.markdown_links && settings.app.updates_links);
        assert_eq!(settings.app.excluded, ["Archive/", "/^x/"]);
        assert_eq!(settings.template_folder.as_deref(), Some("Templates"));
        let on = |id: &str| settings.core_plugins.contains(&(id, true));
        assert!(!on("daily-notes") && on("slides"));
    }

    #[test]
    fn places_of_attachments() {
        use AttachmentPlace::{BelowNote, BesideNote, Folder, Root};
        for (setting, place) in [
            ("/", Root),
            ("", Root),
            ("./", BesideNote),
            ("./a/b", BelowNote("a/b".to_owned())),
            ("Files", Folder("Files".to_owned())),
            ("/Files/x/", Folder("Files/x".to_owned())),
        ] {
            assert_eq!(AttachmentPlace::parse(setting), place, "{setting}");
        }
    }

    #[test]
    fn what_is_malformed_is_a_default_with_a_warning() {
        let (_folder, vault) = vault(&tables::typed::<(&str, &str)>(
            CASES,
            "what is malformed is a default",
        ));
        let settings = vault.settings();
        assert_eq!(settings.warnings.len(), 7, "{:#?}", settings.warnings);
        assert_eq!(settings.app.excluded, ["A/"]);
        assert_eq!(settings.app.attachments, AttachmentPlace::Root);
    }

    #[cfg(unix)]
    #[test]
    fn d14_a_settings_file_that_is_a_link_is_not_followed_and_the_rest_is_reported() {
        let (_folder, vault) = vault(&[(".obsidian/templates.json", r#"{"folder":"T"}"#)]);
        let link = vault.root().join(".obsidian/app.json");
        std::os::unix::fs::symlink("/dev/zero", link).unwrap();
        let settings = vault.settings();
        assert_eq!(settings.template_folder.as_deref(), Some("T"));
        assert_eq!(settings.warnings.len(), 1);
    }
}
