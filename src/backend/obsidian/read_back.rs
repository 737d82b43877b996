//! Writes are read back: what the folder holds afterwards decides, not what the CLI said
//! (`official-cli.md` §9.4).
//!
//! The app writes the file before it answers, so one look is enough. The look is at the one file
//! the command was about; what else changed is not known here.

use cli_output::{AppError, Confirmation};
use vault_engine::{EngineError, Vault, VaultPath};

use crate::allowlist::Value;
use crate::backend::Plan;

/// What is known before the write, to compare with afterwards.
pub(super) enum ReadBack {
    /// The text that the file must hold afterwards, as far as the rules of
    /// `vault-semantics.md` §7.2 and §7.3 tell it.
    Text {
        path: Option<VaultPath>,
        before: Option<Vec<u8>>,
        rule: TextRule,
    },
    /// The file must be gone.
    Gone { path: VaultPath },
    /// The file must be gone here and be there, where the confirmation says.
    Moved { path: VaultPath },
    /// Nothing that one look at a file could tell.
    Nothing,
}

/// How the text changes.
pub(super) enum TextRule {
    /// It becomes the content.
    Becomes(Vec<u8>),
    /// The content comes last, after this separator.
    EndsWith {
        separator: &'static str,
        content: Vec<u8>,
    },
    /// The content comes first or right after the properties, with this separator behind it.
    Inserted {
        separator: &'static str,
        content: Vec<u8>,
    },
}

/// What the look found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// What was asked for.
    AsAsked,
    /// The file is as it was: nothing happened.
    Unchanged,
    /// Something else.
    Different,
    /// It could not be looked at.
    Unknown,
}

impl ReadBack {
    /// Looks at the file before the write.
    pub(super) fn before(plan: &Plan, vault: &Vault) -> Self {
        let arguments = &plan.call.arguments;
        let content = match arguments.values.get("content") {
            Some(Value::Text(text)) => Some(text.clone().into_bytes()),
            Some(Value::Path(_) | Value::Integer(_)) | None => None,
        };
        let separator = if arguments.flags.contains("inline") {
            ""
        } else {
            "\n"
        };
        let rule = match (plan.call.command.id.as_str(), content) {
            ("create", Some(content)) if !arguments.values.contains_key("template") => {
                TextRule::Becomes(content)
            }
            ("append" | "daily:append", Some(content)) => TextRule::EndsWith { separator, content },
            ("prepend" | "daily:prepend", Some(content)) => {
                TextRule::Inserted { separator, content }
            }
            ("delete", _) => {
                return plan
                    .note
                    .clone()
                    .map_or(Self::Nothing, |path| Self::Gone { path });
            }
            ("move" | "rename", _) => {
                return plan
                    .note
                    .clone()
                    .map_or(Self::Nothing, |path| Self::Moved { path });
            }
            _ => return Self::Nothing,
        };
        let before = plan
            .note
            .as_ref()
            .and_then(|path| vault.read_bytes(path).ok());
        Self::Text {
            path: plan.note.clone(),
            before,
            rule,
        }
    }

    /// Looks again, at the file that the confirmation names.
    pub(super) fn after(&self, confirmed: Option<&Confirmation>, vault: &Vault) -> Found {
        match self {
            Self::Nothing => Found::AsAsked,
            Self::Gone { path } => match exists(vault, path) {
                Ok(false) => Found::AsAsked,
                Ok(true) => Found::Unchanged,
                Err(_) => Found::Unknown,
            },
            Self::Moved { path } => match (exists(vault, path), destination(confirmed)) {
                (Ok(old), Some(to)) => match (old, exists(vault, &to)) {
                    (false, Ok(true)) => Found::AsAsked,
                    // A rename to the same name is no error in the app.
                    (true, Ok(true)) if to == *path => Found::AsAsked,
                    (true, Ok(false)) => Found::Unchanged,
                    (_, Ok(_)) => Found::Different,
                    (_, Err(_)) => Found::Unknown,
                },
                (Ok(true), None) => Found::Unchanged,
                (Ok(false), None) => Found::Different,
                (Err(_), _) => Found::Unknown,
            },
            Self::Text { path, before, rule } => {
                let written = confirmed.and_then(written_path).or_else(|| path.clone());
                let Some(written) = written else {
                    return Found::Unknown;
                };
                // Where the app took another note, as at midnight, nothing is known of before.
                let before = before
                    .as_deref()
                    .filter(|_| path.as_ref() == Some(&written));
                match vault.read_bytes(&written) {
                    Ok(after) => rule.compare(before, &after),
                    Err(EngineError::App(_)) => Found::Unchanged,
                    Err(_) => Found::Unknown,
                }
            }
        }
    }
}

impl TextRule {
    fn compare(&self, before: Option<&[u8]>, after: &[u8]) -> Found {
        let as_asked = match self {
            Self::Becomes(content) => after == content,
            Self::EndsWith { separator, content } => match before {
                Some(before) => {
                    after
                        .strip_prefix(before)
                        .and_then(|rest| rest.strip_prefix(separator.as_bytes()))
                        == Some(content)
                }
                // A daily note made from its template first.
                None => after.ends_with(content),
            },
            Self::Inserted { separator, content } => {
                let inserted = [content.as_slice(), separator.as_bytes()].concat();
                match before {
                    Some(before) => is_inserted(&inserted, before, after),
                    // A daily note made from its template first.
                    None => (0..=after.len()).any(|at| starts_with(after, at, &inserted)),
                }
            }
        };
        if as_asked {
            Found::AsAsked
        } else if before == Some(after) {
            Found::Unchanged
        } else {
            Found::Different
        }
    }
}

/// Whether `after` is `before` with `inserted` at its start or behind a block of properties.
fn is_inserted(inserted: &[u8], before: &[u8], after: &[u8]) -> bool {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    if after.len() != before.len() + inserted.len() {
        return false;
    }
    let text = before.strip_prefix(MARK).unwrap_or(before);
    let has_properties = text.starts_with(b"---");
    let alike = |(one, other): &(&u8, &u8)| one == other;
    let head = before.iter().zip(after).take_while(alike).count();
    let tail = before.iter().rev().zip(after.iter().rev());
    let tail = tail.take_while(alike).count();
    (before.len() - tail..=head)
        .filter(|at| has_properties || *at <= before.len() - text.len())
        .any(|at| starts_with(after, at, inserted))
}

fn starts_with(text: &[u8], at: usize, part: &[u8]) -> bool {
    text.get(at..).is_some_and(|rest| rest.starts_with(part))
}

fn exists(vault: &Vault, path: &VaultPath) -> Result<bool, EngineError> {
    match vault.facts(path) {
        Ok(_) => Ok(true),
        Err(EngineError::App(AppError::FileNotFound { .. })) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The note that a confirmation names as written.
pub(super) fn written_path(confirmation: &Confirmation) -> Option<VaultPath> {
    match confirmation {
        Confirmation::Created { path }
        | Confirmation::Overwrote { path }
        | Confirmation::Appended { path }
        | Confirmation::Prepended { path } => VaultPath::file(path).ok(),
        _ => None,
    }
}

fn destination(confirmation: Option<&Confirmation>) -> Option<VaultPath> {
    match confirmation? {
        Confirmation::Moved { destination, .. } | Confirmation::Renamed { destination, .. } => {
            VaultPath::file(destination).ok()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b06_a_write_that_did_not_happen_is_told_from_one_that_went_wrong() {
        let append = TextRule::EndsWith {
            separator: "\n",
            content: b"x\\times".to_vec(),
        };
        assert_eq!(
            append.compare(Some(b"a\n"), b"a\n\nx\\times"),
            Found::AsAsked
        );
        assert_eq!(append.compare(Some(b"a\n"), b"a\n"), Found::Unchanged);
        assert_eq!(
            append.compare(Some(b"a\n"), b"a\n\nx\times"),
            Found::Different
        );
        let create = TextRule::Becomes(b"x".to_vec());
        assert_eq!(create.compare(None, b"x"), Found::AsAsked);
        assert_eq!(create.compare(None, b"y"), Found::Different);
    }

    #[test]
    fn b06_a_prepended_text_that_stood_there_before_is_no_proof() {
        let prepend = TextRule::Inserted {
            separator: "\n",
            content: b"x".to_vec(),
        };
        let compare = |before: &[u8], after: &[u8]| prepend.compare(Some(before), after);
        assert_eq!(compare(b"---\n---\n", b"---\n---\nx\n"), Found::AsAsked);
        assert_eq!(compare(b"a", b"x\na"), Found::AsAsked);
        assert_eq!(compare(b"x\nx\n", b"x\nx\nx\n"), Found::AsAsked);
        assert_eq!(
            compare("\u{feff}a".as_bytes(), "\u{feff}x\na".as_bytes()),
            Found::AsAsked
        );
        assert_eq!(compare(b"x\n", b"x\n"), Found::Unchanged);
        assert_eq!(compare(b"a\nx\n", b"a\nx\n"), Found::Unchanged);
        assert_eq!(compare(b"a\n", b"a\nx\n"), Found::Different, "appended");
        assert_eq!(compare(b"a", b"xa"), Found::Different, "no separator");
        assert_eq!(compare(b"---\n---\n", b"---\n---\ny\n"), Found::Different);
        assert_eq!(
            prepend.compare(None, b"made\nx\nfrom a template"),
            Found::AsAsked
        );
        assert_eq!(prepend.compare(None, b"made"), Found::Different);
    }
}
