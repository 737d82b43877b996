//! Path normalisation: different texts that may name the same file on some file system.

use caseless::Caseless as _;
use unicode_normalization::UnicodeNormalization as _;
use vault_engine::{VaultPath, is_ignorable};

/// Normal form for comparing allowed paths. The same as in [`VaultPath`], so that a pattern typed
/// in decomposed form or with no-break spaces still matches (`vault-semantics.md` §2.1).
pub(super) fn exact(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    text.nfc()
        .map(|character| match character {
            '\u{a0}' | '\u{202f}' => ' ',
            other => other,
        })
        .collect()
}

/// Normal form for comparing denied paths: full case folding, no invisible characters, no dots or
/// spaces at the end of a component. Some file systems open the same file for all of these (HFS+
/// ignores joiners, Windows ignores such endings).
///
/// A component that becomes empty is dropped, because `notes/ /x` opens `notes/x` there. Decomposed
/// before and after folding, as canonical caseless matching requires (Unicode 3.13, D145).
pub fn folded(text: &str) -> String {
    exact(text)
        .split('/')
        .map(|component| {
            let shown: String = component
                .chars()
                .filter(|character| !is_ignorable(*character))
                .collect();
            let shown = without_tail(&shown);
            if shown.is_ascii() {
                return shown.to_ascii_lowercase();
            }
            shown.nfd().default_case_fold().nfd().collect::<String>()
        })
        .filter(|component| !component.is_empty())
        .collect::<Vec<_>>()
        .join("/")
}

/// Whether the path is closed regardless of the owner's patterns: dotfiles and dot-folders, which
/// include the app's configuration, version control and trash (`threats.toml` D06).
pub(super) fn is_always_closed(path: &VaultPath) -> bool {
    path.is_hidden() || (cfg!(windows) && path.components().any(is_short_name))
}

/// Whether a folder of this name is never a vault and never contains one: the app's configuration
/// and Git, in any spelling.
pub fn is_never_a_vault(name: &str) -> bool {
    [".obsidian", ".git"].contains(&folded(name).as_str())
}

fn without_tail(component: &str) -> &str {
    component.trim_end_matches(['.', ' '])
}

/// Whether the name looks like a Windows 8.3 short name (`OBSIDI~1` opens `.obsidian`). Patterns on
/// long names would not match it.
fn is_short_name(component: &str) -> bool {
    let (stem, extension) = component.split_once('.').unwrap_or((component, ""));
    let Some((start, digits)) = stem.rsplit_once('~') else {
        return false;
    };
    (1..=6).contains(&start.chars().count())
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && extension.chars().count() <= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("fold_cases.txt");

    fn closed(text: &str) -> bool {
        is_always_closed(&VaultPath::file(text).unwrap())
    }

    #[test]
    fn d06_mandatory_paths_are_closed_and_safe_neighbours_are_not() {
        for path in tables::lines(CASES, "d06 mandatory paths are closed and safe") {
            assert!(closed(path), "{path}");
        }
        for path in tables::lines(CASES, "d06 mandatory paths are closed and safe, 2") {
            assert!(!closed(path), "{path}");
        }
    }

    #[test]
    fn d07_folding_makes_variants_one() {
        for variant in tables::lines(CASES, "d07 folding makes variants one") {
            assert_eq!(folded(variant), ".obsidian", "{variant}");
            assert!(closed(&format!("{variant}/app.json")), "{variant}");
        }
        for (variant, plain) in [
            ("pri\u{200c}vate/x", "private/x"),
            ("\u{feff}private\u{200d}. /x", "private/x"),
            ("private/ /x", "private/x"),
            ("private/\u{200c}/x", "private/x"),
        ] {
            assert_eq!(folded(variant), plain);
        }
        assert_eq!(folded("Straße/K\u{212a}"), folded("STRASSE/kK"));
        assert_eq!(folded("e\u{301}"), folded("\u{c9}"));
    }

    #[test]
    fn short_names_of_windows_are_recognised() {
        for name in ["OBSIDI~1", "GIT~1", "PRIVAT~12.MD", "a~1.txt"] {
            assert!(is_short_name(name), "{name}");
        }
        for name in ["~1", "journal~1", "a~b", "a~", "a~1.json", "plain.md"] {
            assert!(!is_short_name(name), "{name}");
        }
    }
}
