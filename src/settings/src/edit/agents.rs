//! Adds, removes and renames the table of one agent.

use std::path::{Path, PathBuf};

use super::document::SettingsDocument;
use super::{WantedSetting, cannot_edit, keep_earlier, rewrite, text};
use crate::error::Error;
use crate::load::{display_name, read_text};
use crate::{Settings, table_prefix};
use protocol::Failure;

/// The maximum number of characters of a new name.
pub(crate) const LONGEST: usize = 64;

/// A change of the list of agents.
#[derive(Clone, Copy, Debug)]
pub enum AgentEdit<'a> {
    /// Adds the table of a new agent with these keys, such as `tier`, and their values as a person types them.
    Add {
        /// The name of the new agent.
        name: &'a str,
        /// The keys in the table, with their values.
        keys: &'a [(&'static str, String)],
    },
    /// Removes the table of an agent.
    Remove {
        /// The name of the agent.
        name: &'a str,
    },
    /// Gives the table another name.
    Rename {
        /// The present name.
        old: &'a str,
        /// The new name.
        new: &'a str,
    },
}

/// Changes the list of agents in a settings file, which is created if it is missing. All keys of a
/// new table are written at once, so that it never opens more than it should. With `is_plan`
/// writes nothing, and fails as the change would. Returns the file with the settings before, if it removed a table.
///
/// # Errors
///
/// - `USAGE_ERROR`: a name that is not valid, in use or unknown, or an invalid value.
/// - `CONFIG_INVALID`: the file is unsafe or invalid, or cannot be edited without changing other
///   settings.
/// - `IO_ERROR`: the file cannot be read or written.
pub fn edit_agent(
    path: &Path,
    edit: AgentEdit<'_>,
    is_plan: bool,
) -> Result<Option<PathBuf>, Failure> {
    if is_plan {
        edit.applied_to(text(path)?, &display_name(path))?;
        return Ok(None);
    }
    rewrite(path, |old, file| {
        read_text(&old, file)?;
        let old = String::from_utf8_lossy(&old).into_owned();
        let new = edit.applied_to(old.clone(), file)?;
        Settings::with_lists(path, new.as_bytes())?;
        let is_removal = matches!(edit, AgentEdit::Remove { .. });
        let earlier = is_removal.then(|| keep_earlier(path, &old)).transpose()?;
        Ok((earlier, Some(new)))
    })
}

impl AgentEdit<'_> {
    /// Returns the new text of the file `file`.
    fn applied_to(self, old: String, file: &str) -> Result<String, Failure> {
        let settings = read_text(old.as_bytes(), file)?;
        let is_free = |name: &str| {
            let mut names = settings.agents.keys();
            match names.find(|other| other.eq_ignore_ascii_case(name)) {
                None => Ok(()),
                Some(other) => Err(Error::AgentTaken(name.to_owned(), other.clone())),
            }
        };
        let path = |name: &str| ["agents".to_owned(), name.to_owned()];
        let new = match self {
            Self::Add { name, keys } => {
                check_agent_name(name)?;
                is_free(name)?;
                return keys.iter().try_fold(old, |text, (key, value)| {
                    let key = format!("{}{key}", table_prefix(name));
                    let wanted = WantedSetting::parse(&key, value)?;
                    let (_, new) = wanted.applied_to(text.clone().into_bytes(), file)?;
                    Ok(new.unwrap_or(text))
                });
            }
            Self::Remove { name } => {
                settings.require_agent(name)?;
                let document = SettingsDocument::parse(&old);
                let new = document.and_then(|document| document.without(&path(name)));
                new.ok_or_else(|| cannot_edit(file, &path(name)))?
            }
            Self::Rename { old: name, new } => {
                settings.require_agent(name)?;
                check_agent_name(new)?;
                if !name.eq_ignore_ascii_case(new) || name == new {
                    is_free(new)?;
                }
                let document = SettingsDocument::parse(&old);
                let new =
                    document.and_then(|document| document.with_table_renamed(&path(name), new));
                new.ok_or_else(|| cannot_edit(file, &path(name)))?
            }
        };
        read_text(new.as_bytes(), file)?;
        Ok(new)
    }
}

/// Checks that an agent without a table may have this name: it needs no quotes in the settings and on a command
/// line, and is not an option there.
///
/// # Errors
///
/// `USAGE_ERROR` if it may not.
pub(crate) fn check_agent_name(name: &str) -> Result<(), Failure> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let is_short = (1..=LONGEST).contains(&name.len());
    if is_short && name.bytes().all(is_plain) && !name.starts_with('-') {
        return Ok(());
    }
    Err(Error::AgentName(name.to_owned()).into())
}

#[cfg(test)]
mod tests {
    use protocol::Code;

    use super::*;

    const FILE: &str = "# mine\nenabled = true # on\n\n# of all\n[agents.\"*\"]\ntier = \"v2\"\n\n# the helper\n[agents.helper] # here\n# low\ntier = \"v0\"\ncommands.allow = [\n  \"@reads\", # only\n]\n\n[agents.helper.paths]\nread = [\"a/**\"]\n# after\n\n# the other\n[agents.other]\nenabled = true\n";

    fn edited(old: &str, edit: AgentEdit<'_>) -> Result<String, Failure> {
        edit.applied_to(old.to_owned(), "settings.toml")
    }

    #[test]
    fn a_table_is_added_renamed_and_removed_and_all_else_stays() {
        let keys = [
            ("enabled", "true".to_owned()),
            ("tier", "v1".to_owned()),
            ("paths.read", "[\"b/**\"]".to_owned()),
        ];
        let edit = AgentEdit::Add {
            name: "new",
            keys: &keys,
        };
        let added = edited(FILE, edit).unwrap();
        assert_eq!(
            added.strip_prefix(FILE).unwrap(),
            "\n[agents.new]\nenabled = true\ntier = \"v1\"\n\n[agents.new.paths]\nread = [\"b/**\"]\n"
        );
        let removed = edited(&added, AgentEdit::Remove { name: "new" }).unwrap();
        assert_eq!(removed.trim_end(), FILE.trim_end());
        let (old, new) = ("helper", "reader");
        let renamed = edited(FILE, AgentEdit::Rename { old, new }).unwrap();
        assert_eq!(renamed, FILE.replace("agents.helper", "agents.reader"));
        let removed = edited(FILE, AgentEdit::Remove { name: "helper" }).unwrap();
        let (before, after) = (
            FILE.find("[agents.helper]").unwrap(),
            FILE.find("# after").unwrap(),
        );
        assert_eq!(removed, format!("{}\n{}", &FILE[..before], &FILE[after..]));
        // Other letter case of its own name is free.
        let edit = AgentEdit::Rename {
            old: "helper",
            new: "Helper",
        };
        assert!(
            edited(FILE, edit)
                .unwrap()
                .contains("[agents.Helper.paths]")
        );
    }

    #[test]
    fn tables_without_a_header_are_removed_too() {
        let dotted =
            "[agents]\nhelper.tier = \"v0\"\nother.enabled = true\nhelper.paths.read = [\"a\"]\n";
        let removed = edited(dotted, AgentEdit::Remove { name: "helper" }).unwrap();
        assert_eq!(removed, "[agents]\nother.enabled = true\n");
        let inline = "[agents]\nhelper = { tier = \"v0\" }\n";
        let removed = edited(inline, AgentEdit::Remove { name: "helper" }).unwrap();
        assert_eq!(removed, "[agents]\n");
        let shared = "agents = { helper = { tier = \"v0\" }, b = { tier = \"v1\" } }\n";
        let removed = edited(shared, AgentEdit::Remove { name: "helper" }).unwrap();
        assert_eq!(removed, "agents = { b = { tier = \"v1\" } }\n");
        // A change that no edit of lines can make is left to the owner.
        for (text, edit) in [
            (
                "agents = { helper = { tier = \"v0\" } }\nenabled = true\n",
                AgentEdit::Rename {
                    old: "helper",
                    new: "b",
                },
            ),
            (
                dotted,
                AgentEdit::Rename {
                    old: "helper",
                    new: "b",
                },
            ),
        ] {
            assert_eq!(
                edited(text, edit).unwrap_err().code,
                Code::ConfigInvalid,
                "{text}"
            );
        }
    }

    #[test]
    fn names_that_are_bad_in_use_or_unknown_change_nothing() {
        let long = "a".repeat(LONGEST + 1);
        for name in [
            "", "-a", "a b", "a.b", "a/b", "ä", "*", "a\n", &long, "helper", "HELPER",
        ] {
            let edit = AgentEdit::Add { name, keys: &[] };
            assert_eq!(
                edited(FILE, edit).unwrap_err().code,
                Code::UsageError,
                "{name:?}"
            );
            let edit = AgentEdit::Rename {
                old: "other",
                new: name,
            };
            assert_eq!(
                edited(FILE, edit).unwrap_err().code,
                Code::UsageError,
                "{name:?}"
            );
        }
        for name in ["none", "Helper", "*", ""] {
            let edit = AgentEdit::Remove { name };
            assert_eq!(
                edited(FILE, edit).unwrap_err().code,
                Code::UsageError,
                "{name:?}"
            );
        }
        let keys = [("tier", "v9".to_owned())];
        let edit = AgentEdit::Add {
            name: "new",
            keys: &keys,
        };
        assert_eq!(edited(FILE, edit).unwrap_err().code, Code::UsageError);
    }
}
