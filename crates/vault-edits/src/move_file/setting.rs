//! The settings of the vault and its owner for links of moved files (`vault-semantics.md` §1.1,
//! §7.5).

use obsidian_note::Warning;
use serde_json::Value;
use vault_files::{ConfigKeys, EngineError, LinkFormat, LinkUpdates, Vault};

/// The key of `app.json` about the part of the path in a link.
const FORMAT: &str = "newLinkFormat";

/// The settings from `app.json` and from the vault's owner.
pub(super) struct LinkSettings {
    pub(super) update: bool,
    pub(super) format: LinkFormat,
    pub(super) warnings: Vec<Warning>,
}

impl LinkSettings {
    /// Reads `app.json`; malformed settings keep their defaults, with a warning, unless the caller needs usable ones.
    pub(super) fn read(vault: &Vault) -> Result<Self, EngineError> {
        const UPDATE: &str = "alwaysUpdateLinks";
        let keys: &[&str] = match vault.link_updates {
            LinkUpdates::Vault => &[UPDATE, FORMAT],
            // The setting of the vault's owner counts instead.
            LinkUpdates::Always | LinkUpdates::Never => &[FORMAT],
        };
        let mut file = ConfigKeys::read_keys_for_change(vault, "app.json", keys)?;
        let keys = std::mem::take(&mut file.value);
        let format = match keys.get(FORMAT) {
            None | Some(Value::Null) => LinkFormat::default(),
            Some(format) => format
                .as_str()
                .and_then(LinkFormat::parse)
                .unwrap_or_else(|| {
                    file.ignore("`newLinkFormat` is not `shortest`, `relative` or `absolute`");
                    LinkFormat::default()
                }),
        };
        let update = vault.link_updates.follows(keys.get(UPDATE));
        let update = update.unwrap_or_else(|| {
            file.ignore("`alwaysUpdateLinks` is not `true` or `false`");
            true
        });
        vault.ensure_settings_usable(&file.warnings)?;
        Ok(Self {
            update,
            format,
            warnings: file.warnings,
        })
    }
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::vault;

    use super::*;

    const CASES: &str = include_str!("setting_cases.txt");

    fn settings(app: &str, updates: LinkUpdates) -> (bool, LinkFormat, usize) {
        let (_folder, mut vault) = vault(&[(".obsidian/app.json", app)]);
        vault.link_updates = updates;
        let read = LinkSettings::read(&vault).unwrap();
        (read.update, read.format, read.warnings.len())
    }

    #[test]
    fn only_a_written_false_keeps_links_from_following() {
        for [app, name, expected] in tables::section(CASES, "only a written false keeps links") {
            let mut all = [LinkUpdates::Vault, LinkUpdates::Always, LinkUpdates::Never].into_iter();
            let updates = all.find(|updates| format!("{updates:?}") == name);
            let found = format!("{:?}", settings(app, updates.unwrap()));
            assert_eq!(found, expected, "{app} {name}");
        }
    }

    #[test]
    fn only_a_difference_in_these_settings_makes_the_folder_unclear() {
        use LinkUpdates::{Never, Vault};
        let read = |used: &str, other: &str, updates, is_agent| {
            let (_folder, mut vault) =
                vault(&[(".obsidian/app.json", used), (".phone/app.json", other)]);
            (vault.link_updates, vault.needs_settings) = (updates, is_agent);
            let read = LinkSettings::read(&vault);
            read.map(|settings| settings.warnings.len())
        };
        let no = r#"{"alwaysUpdateLinks":false}"#;
        let vim = r#"{"vimMode":true}"#;
        for (used, other, updates, warnings) in [
            ("{}", vim, Vault, 0),
            ("{}", no, Vault, 1),
            (no, vim, Vault, 1),
            ("{}", no, Never, 0),
            ("{}", r#"{"newLinkFormat":"absolute"}"#, Never, 1),
            ("{}", "{", Vault, 1),
            ("{", vim, Vault, 1),
            (
                r#"{"newLinkFormat":"short"}"#,
                r#"{"newLinkFormat":"short"}"#,
                Vault,
                1,
            ),
        ] {
            let found = read(used, other, updates, false).unwrap();
            assert_eq!(found, warnings, "{used} {other} {updates:?}");
            let found = read(used, other, updates, true);
            let is_refused = matches!(found, Err(EngineError::SettingsUnusable { .. }));
            assert_eq!(is_refused, warnings > 0, "{used} {other} {updates:?}");
        }
    }
}
