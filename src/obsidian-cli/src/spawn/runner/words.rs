//! Checks the arguments that a runner accepts from its server. The server applies the policy; this
//! check works even if the server is compromised.

use std::path::Path;

use vault_engine::Registry;

use crate::error::Error;
use allowlist::{BackendName, Catalogue, Command, ParamKind};
use protocol::Failure;

/// Checks that the words name the pinned vault, a command that the catalogue offers from the
/// official program, and nothing but its parameters and flags.
///
/// # Errors
///
/// `COMMAND_REFUSED`.
pub(super) fn checked_words(
    words: &[String],
    root: &Path,
    registry: &Registry,
) -> Result<(), Failure> {
    let [vault, command, arguments @ ..] = words else {
        return Err(refused("the call does not name a command"));
    };
    let names_vault = registry.find_by_root(root).is_some_and(|entry| {
        let value = vault.strip_prefix("vault=");
        value == Some(&entry.name()) || value == Some(&entry.id)
    });
    if !names_vault {
        return Err(refused("the call names another vault"));
    }
    let offered = Catalogue::find_builtin(command)
        .map_err(|_unknown| refused("the command is not allowed"))?;
    if !offered.backends.contains(&BackendName::Obsidian) {
        return Err(refused("the command is not allowed"));
    }
    if !arguments.iter().all(|word| is_argument(&offered, word)) {
        return Err(refused("the arguments are not allowed"));
    }
    Ok(())
}

fn is_argument(command: &Command, word: &str) -> bool {
    if word.contains('\0') {
        return false;
    }
    match word.split_once('=') {
        Some((key, value)) => command
            .param(key)
            .is_some_and(|param| !names_a_place(&param.kind) || is_inside(value)),
        None => command.flag(word).is_some(),
    }
}

/// Whether the app uses values of this kind as a path or name of a file: all but these.
fn names_a_place(kind: &ParamKind) -> bool {
    !matches!(
        kind,
        ParamKind::Tag
            | ParamKind::Property
            | ParamKind::Identifier
            | ParamKind::Date(_)
            | ParamKind::Url
            | ParamKind::Text
            | ParamKind::Line
            | ParamKind::Scalar
            | ParamKind::ScalarOrList
            | ParamKind::Object
            | ParamKind::Integer { .. }
            | ParamKind::Character
            | ParamKind::Choice(_)
    )
}

/// Whether a path is the vault's root or below it, with any separators that the app accepts.
fn is_inside(place: &str) -> bool {
    let mut parts = place.split(['/', '\\']);
    place == "/" || !place.starts_with(['/', '\\']) && parts.all(|part| part != "..")
}

fn refused(why: &'static str) -> Failure {
    Error::HelperRefuses(why).into()
}

#[cfg(test)]
mod tests {
    use protocol::Code;

    use super::*;

    fn check(words: &[&str]) -> Result<(), Failure> {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("obsidian.json");
        let vault = folder.path().join("Notes");
        fs_err::create_dir(&vault).unwrap();
        let path = vault.to_str().unwrap();
        let text = serde_json::json!({"vaults": {"0123456789abcdef": {"path": path, "ts": 1}}});
        fs_err::write(&list, text.to_string()).unwrap();
        let registry = Registry::read(&list).unwrap();
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        checked_words(&words, &vault, &registry)
    }

    #[test]
    fn l09_a_runner_takes_offered_commands_on_the_pinned_vault_alone() {
        for words in [
            &["vault=Notes", "read", "path=a.md"][..],
            &["vault=0123456789abcdef", "vault", "info=path"],
            &["vault=Notes", "version"],
            &["vault=Notes", "files", "folder=/"],
            &["vault=Notes", "read", "path=a..b/..c.md"],
            &["vault=Notes", "delete", "path=a.md", "permanent"],
            &[
                "vault=Notes",
                "append",
                "content=--x = y",
                "path=a.md",
                "inline",
            ],
        ] {
            assert_eq!(check(words), Ok(()), "{words:?}");
        }
        for words in [
            &[][..],
            &["vault=Notes"],
            &["read", "path=a.md"],
            &["vault=Other", "read", "path=a.md"],
            &["vault=", "read", "path=a.md"],
            &["vault=Notes", "eval", "code=1"],
            &["vault=Notes", "plugin:enable", "id=x"],
            &["vault=Notes", "context"],
            &["vault=Notes", "--help"],
            &["vault=Notes", "read", "vault=Other"],
            &["vault=Notes", "read", "--copy"],
            &["vault=Notes", "read", "path=a\0b"],
            &["vault=Notes", "read", "permanent"],
            &["vault=Notes", "read", "path=../a.md"],
            &["vault=Notes", "read", "path=a/../../b.md"],
            &["vault=Notes", "read", "path=/etc/passwd"],
            &["vault=Notes", "read", "path=a\\..\\..\\b.md"],
            &["vault=Notes", "read", "file=../a"],
            &["vault=Notes", "move", "path=a.md", "to=../b/"],
            &["vault=Notes", "task", "ref=../a.md:1", "toggle"],
        ] {
            let refusal = check(words).unwrap_err();
            assert_eq!(refusal.code, Code::CommandRefused, "{words:?}");
        }
    }
}
