//! The settings of the vault and its owner for links of moved files (`vault-semantics.md` §1.1,
//! §7.5).

use obsidian_note::Warning;
use serde_json::Value;
use vault_files::{ConfigKeys, EngineError, LinkFormat, Vault};

/// The settings from `app.json` and from the vault's owner.
pub(super) struct LinkSettings {
    pub(super) update: bool,
    pub(super) format: LinkFormat,
    pub(super) warnings: Vec<Warning>,
}

impl LinkSettings {
    /// Reads `app.json`; malformed settings keep their defaults, with a warning.
    pub(super) fn read(vault: &Vault) -> Result<Self, EngineError> {
        let mut file = ConfigKeys::read(vault, "app.json")?;
        let keys = std::mem::take(&mut file.value);
        let format = match keys.get("newLinkFormat") {
            None | Some(Value::Null) => LinkFormat::default(),
            Some(format) => format
                .as_str()
                .and_then(LinkFormat::parse)
                .unwrap_or_else(|| {
                    file.ignore("`newLinkFormat` is not `shortest`, `relative` or `absolute`");
                    LinkFormat::default()
                }),
        };
        let update = vault.link_updates().follows(keys.get("alwaysUpdateLinks"));
        let update = update.unwrap_or_else(|| {
            file.ignore("`alwaysUpdateLinks` is not `true` or `false`");
            true
        });
        Ok(Self {
            update,
            format,
            warnings: file.warnings,
        })
    }
}

#[cfg(test)]
mod tests {
    use vault_files::LinkUpdates;
    use vault_files::vault::testing::vault;

    use super::*;

    fn settings(app: &str, updates: LinkUpdates) -> (bool, LinkFormat, usize) {
        let (_folder, vault) = vault(&[(".obsidian/app.json", app)]);
        let read = LinkSettings::read(&vault.with_link_updates(updates)).unwrap();
        (read.update, read.format, read.warnings.len())
    }

    #[test]
    fn only_a_written_false_keeps_links_from_following() {
        use LinkFormat::{Absolute, Relative, Shortest};
        use LinkUpdates::{Always, Never, Vault};
        for (app, updates, expected) in [
            ("{}", Vault, (true, Shortest, 0)),
            (
                r#"{"alwaysUpdateLinks":false}"#,
                Vault,
                (false, Shortest, 0),
            ),
            (r#"{"alwaysUpdateLinks":true}"#, Vault, (true, Shortest, 0)),
            (r#"{"alwaysUpdateLinks":1}"#, Vault, (true, Shortest, 1)),
            (
                r#"{"alwaysUpdateLinks":false}"#,
                Always,
                (true, Shortest, 0),
            ),
            (r#"{"alwaysUpdateLinks":true}"#, Never, (false, Shortest, 0)),
            (
                r#"{"newLinkFormat":"relative"}"#,
                Vault,
                (true, Relative, 0),
            ),
            (
                r#"{"newLinkFormat":"absolute"}"#,
                Vault,
                (true, Absolute, 0),
            ),
            (r#"{"newLinkFormat":"short"}"#, Vault, (true, Shortest, 1)),
            ("{", Vault, (true, Shortest, 1)),
        ] {
            assert_eq!(settings(app, updates), expected, "{app} {updates:?}");
        }
    }
}
