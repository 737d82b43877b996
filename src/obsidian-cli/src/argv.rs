//! The argument list: `vault=<name>`, the command, then its arguments in byte order of their keys
//! (`design/backends.md`). No shell is involved, and no text of an agent is an argument of its own:
//! values follow their key, and flags are words of the catalogue (`threats.toml` B01, B04).

use vault_engine::Args;

use crate::error::Error;
use protocol::Failure;

/// Builds the argument list without the binary. `vault` is the pinned vault's name or id; it comes
/// first, since the app ignores it anywhere else (`official-cli.md` §4).
///
/// The catalogue has already checked all this. It is checked again, because the app silently
/// ignores what it does not understand.
///
/// # Errors
///
/// If a name is invalid or given twice, or a value contains a NUL character.
pub fn lay_out(vault: &str, command: &str, arguments: &Args) -> Result<Vec<String>, Failure> {
    if vault.is_empty() {
        return Err(invalid("The name of the vault is empty.", "vault"));
    }
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    // `__completions` lists the app's commands (`official-cli.md` §8); no catalogue entry can have
    // such a name.
    let name = command.strip_prefix("__").unwrap_or(command);
    let is_command = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| plain(byte) || b":_-".contains(&byte));
    if !is_command {
        return Err(invalid("The command name is invalid.", "command"));
    }
    let mut words: Vec<(&str, String)> = Vec::new();
    for (key, value) in &arguments.values {
        words.push((key, format!("{key}={}", value.to_text())));
    }
    for flag in &arguments.flags {
        if arguments.values.contains_key(flag) {
            return Err(invalid(
                "A name is given both as a parameter and as a flag.",
                flag,
            ));
        }
        words.push((flag, flag.clone()));
    }
    if let Some((key, _)) = words.iter().find(|(key, _)| !is_key(key)) {
        return Err(invalid("The name of an argument is invalid.", key));
    }
    words.sort_by(|one, other| one.0.as_bytes().cmp(other.0.as_bytes()));
    let mut laid_out = vec![format!("vault={vault}"), command.to_owned()];
    laid_out.extend(words.into_iter().map(|(_, word)| word));
    if let Some(word) = laid_out.iter().find(|word| word.contains('\0')) {
        let key = word.split('=').next().unwrap_or_default();
        return Err(invalid("A value contains a NUL character.", key));
    }
    Ok(laid_out)
}

/// Whether `key` looks like the app's own keys (`paneType`): a lower-case letter, then letters,
/// digits, `-` and `_`. `vault` is excluded, so that an agent cannot choose another vault
/// (`threats.toml` A13).
fn is_key(key: &str) -> bool {
    key != "vault"
        && key.starts_with(|first: char| first.is_ascii_lowercase())
        && key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

fn invalid(what: &'static str, parameter: &str) -> Failure {
    Error::Invalid(what, parameter.to_owned()).into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use vault_engine::Arg;

    use protocol::Code;

    use super::*;

    fn arguments(params: &[(&str, &str)], flags: &[&str]) -> Args {
        let given = params
            .iter()
            .fold(Args::default(), |args, (key, value)| args.with(key, *value));
        flags.iter().fold(given, |args, flag| args.with_flag(flag))
    }

    #[test]
    fn document_003_cases() {
        // Facts of the plugin's own tests; its `\n` pairs are not ours, we send real ones.
        let given = arguments(
            &[("alpha", "first"), ("multiline", "line1\nline2")],
            &["flagEnabled"],
        );
        assert_eq!(
            lay_out("Personal", "daily:read", &given).unwrap(),
            [
                "vault=Personal",
                "daily:read",
                "alpha=first",
                "flagEnabled",
                "multiline=line1\nline2"
            ]
        );
        assert_eq!(
            lay_out("Work", "random:read", &Args::default()).unwrap(),
            ["vault=Work", "random:read"]
        );
        let content = "tab\there\r\nq\"uote `bt` $(x) ; | & é 😀";
        let given = arguments(&[("name", "a b"), ("content", content)], &["overwrite"]);
        assert_eq!(
            lay_out("v", "create", &given).unwrap()[2..],
            [
                format!("content={content}"),
                "name=a b".into(),
                "overwrite".into()
            ]
        );
    }

    #[test]
    fn a13_vault_goes_first_and_cannot_be_given_again() {
        let given = arguments(&[("vault", "other")], &[]);
        assert_eq!(
            lay_out("v", "read", &given).unwrap_err().code,
            Code::ValidationError
        );
        assert!(lay_out("v", "read", &arguments(&[], &["vault"])).is_err());
        assert!(lay_out("", "read", &Args::default()).is_err());
        let words = lay_out("a=b c", "read", &arguments(&[("path", "vault=x.md")], &[])).unwrap();
        assert_eq!(words, ["vault=a=b c", "read", "path=vault=x.md"]);
    }

    #[test]
    fn b03_keys_that_are_no_keys_are_refused() {
        for key in [
            "", "-x", "--copy", "a=b", "a b", "Path", "é", "a\0", "a\n", "1", "_u",
        ] {
            assert!(
                lay_out("v", "read", &arguments(&[(key, "x")], &[])).is_err(),
                "{key:?}"
            );
            assert!(
                lay_out("v", "read", &arguments(&[], &[key])).is_err(),
                "{key:?}"
            );
        }
        for command in ["", "Read", "--help", "read x", "read\n", "a=b", "rеad"] {
            assert!(
                lay_out("v", command, &Args::default()).is_err(),
                "{command:?}"
            );
        }
        assert!(lay_out("v", "daily", &arguments(&[("paneType", "tab")], &[])).is_ok());
        assert!(lay_out("v", "read", &arguments(&[("total", "1")], &["total"])).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn b01_any_value_is_one_word_byte_exact(value in any::<String>()) {
            let words = lay_out("v", "create", &arguments(&[("content", &value)], &["open"]));
            if value.contains('\0') {
                prop_assert!(words.is_err());
            } else {
                let wanted = ["vault=v".into(), "create".into(), format!("content={value}"), "open".into()];
                prop_assert_eq!(words.unwrap(), wanted);
            }
        }

        #[test]
        fn b04_only_keys_and_flags_of_ours_ever_stand_alone(
            values in proptest::collection::btree_map("[a-z][a-zA-Z0-9_-]{0,5}", any::<String>(), 0..5),
            flags in proptest::collection::btree_set("[a-z]{1,5}", 0..4),
        ) {
            let values = values.into_iter().map(|(key, value)| (key, Arg::Text(value)));
            let given = Args { values: values.collect(), flags };
            if let Ok(words) = lay_out("v", "read", &given) {
                let keys: Vec<&[u8]> = words[2..]
                    .iter()
                    .map(|word| word.split('=').next().unwrap_or_default().as_bytes())
                    .collect();
                prop_assert!(keys.is_sorted());
                for word in &words[2..] {
                    let present = word.split_once('=').map_or_else(
                        || given.flags.contains(word),
                        |(key, value)| given.param(key) == Some(value),
                    );
                    prop_assert!(present, "{word:?} stands alone");
                }
                prop_assert_eq!(words.len(), 2 + given.values.len() + given.flags.len());
            }
        }
    }
}
