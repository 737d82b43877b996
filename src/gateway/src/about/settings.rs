//! The vault's own settings as facts, without the folders that policy closes.

use schemars::JsonSchema;
use serde::Serialize;
use vault_engine::{AttachmentPlace, VaultSettings};

use super::About;
use backend::PinnedVault;
use protocol::{Answerer, Caller};

/// The place of daily notes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Daily {
    /// Their folder; empty for the vault's root.
    pub folder: String,
    /// Moment format of a note's path below the folder.
    pub format: String,
    /// The note that new ones start as; none where none is set, or where it is not open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// The path of today's note.
    pub today: String,
    /// Whether it is there.
    pub exists: bool,
}

/// The place of the templates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateFacts {
    /// Their folder; empty for the vault's root.
    pub folder: String,
}

/// The place where the app puts files that are pasted into a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Attachments {
    /// The rule for the place.
    pub place: AttachmentKind,
    /// The folder, from the vault's root or from the note's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// The rule for the place of attachments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AttachmentKind {
    /// The vault's root.
    Root,
    /// One folder.
    Folder,
    /// The folder of the note.
    BesideNote,
    /// A folder below that of the note.
    BelowNote,
}

/// The form of links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkStyle {
    /// `wikilink` or `markdown`.
    pub style: &'static str,
    /// The part of the path in a new link: `shortest`, `relative` or `absolute`.
    pub path: &'static str,
    /// Whether links to a file follow when `move` or `rename` is called now.
    pub follow_moves: bool,
}

/// "Excluded files" of the app's settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Excluded {
    /// Beginnings of paths, and `/patterns/`.
    pub filters: Vec<String>,
    /// Number of entries that are not shown, because they name closed files or folders.
    pub not_shown: usize,
}

/// The plugins that are part of the app, by id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CorePlugins {
    /// The plugins that are on.
    pub on: Vec<&'static str>,
    /// The plugins that are off.
    pub off: Vec<&'static str>,
}

impl About<'_> {
    /// Returns the facts about daily notes; `None` if today's note is closed to the caller, or if the settings do not
    /// give a valid path.
    pub(super) fn daily_facts(
        &self,
        vault: &PinnedVault,
        settings: &VaultSettings,
    ) -> Option<Daily> {
        let daily = &settings.daily;
        let today = daily.path(&self.caller.now()).ok()?;
        if !self.caller.policy.may_read(&today) {
            return None;
        }
        let template = Some(daily.template.trim_matches('/'))
            .filter(|template| !template.is_empty())
            .filter(|template| {
                self.caller.policy.reads_everything() || vault.file_named(template).is_some()
            });
        Some(Daily {
            folder: daily.folder.trim_matches('/').to_owned(),
            format: daily.format.clone(),
            template: template.map(str::to_owned),
            exists: vault.engine.facts(&today).is_ok(),
            today: today.to_string(),
        })
    }

    pub(super) fn template_facts(&self, settings: &VaultSettings) -> Option<TemplateFacts> {
        let folder = settings.template_folder.clone()?;
        self.may_tell_of(&folder)
            .then_some(TemplateFacts { folder })
    }

    /// Returns the place of attachments; `None` if the folder is closed to the caller.
    pub(super) fn attachment_facts(&self, settings: &VaultSettings) -> Option<Attachments> {
        let (place, folder) = match &settings.app.attachments {
            AttachmentPlace::Root => (AttachmentKind::Root, None),
            AttachmentPlace::BesideNote => (AttachmentKind::BesideNote, None),
            AttachmentPlace::BelowNote(folder) => (AttachmentKind::BelowNote, Some(folder.clone())),
            AttachmentPlace::Folder(folder) if self.may_tell_of(folder) => {
                (AttachmentKind::Folder, Some(folder.clone()))
            }
            AttachmentPlace::Folder(_) => return None,
        };
        Some(Attachments { place, folder })
    }

    pub(super) fn excluded_facts(&self, settings: &VaultSettings) -> Excluded {
        let shows_all =
            self.caller.options.caller == Caller::Person || self.caller.policy.reads_everything();
        let is_shown = |filter: &&String| {
            let is_pattern = filter.len() > 1 && filter.starts_with('/') && filter.ends_with('/');
            shows_all || (!is_pattern && self.may_tell_of(filter))
        };
        let filters: Vec<String> = settings
            .app
            .excluded
            .iter()
            .filter(is_shown)
            .cloned()
            .collect();
        Excluded {
            not_shown: settings.app.excluded.len() - filters.len(),
            filters,
        }
    }
}

impl LinkStyle {
    /// `answers` is the backend that would move a file: the app asks in a window if it is not set
    /// to update links (`vault-semantics.md` §7.5).
    pub(super) fn from_settings(settings: &VaultSettings, answers: Answerer) -> Self {
        Self {
            style: if settings.app.markdown_links {
                "markdown"
            } else {
                "wikilink"
            },
            path: settings.app.link_format.name(),
            follow_moves: match answers {
                Answerer::Obsidian => settings.app.updates_links,
                Answerer::Embedded | Answerer::None => settings.app.links_follow,
            },
        }
    }
}

impl CorePlugins {
    pub(super) fn from_settings(settings: &VaultSettings) -> Self {
        let ids = |wanted: bool| {
            let plugins = settings.core_plugins.iter();
            plugins
                .filter(|(_, is_on)| *is_on == wanted)
                .map(|(id, _)| *id)
                .collect()
        };
        Self {
            on: ids(true),
            off: ids(false),
        }
    }
}
