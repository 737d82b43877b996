//! Paths inside a vault: relative, `/`-separated, NFC, and unable to name anything outside it.

use std::fmt;

use serde::Serialize;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

/// Longest component in bytes that common file systems hold.
const MAX_COMPONENT_BYTES: usize = 255;
/// Longest path in bytes (`PATH_MAX`).
const MAX_PATH_BYTES: usize = 4096;

/// A checked path of a file or folder inside a vault (`vault-semantics.md` §2.1).
///
/// Normalised to NFC with U+00A0 and U+202F as plain spaces, as the app keys its index. It never
/// holds `..`, `.`, an empty component, a backslash, a colon, a control character or a device
/// name, so joining it to a root cannot leave that root by spelling alone. Symlinks are the
/// reader's concern.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct VaultPath(String);

impl VaultPath {
    /// Checks the path of a file: at least one component.
    pub fn file(text: &str) -> Result<Self, PathError> {
        if text.is_empty() {
            return Err(PathError::Empty);
        }
        Self::checked(text)
    }

    /// Checks the path of a folder: as [`Self::file`], with one trailing `/` allowed and `/` (or
    /// nothing before it) as the vault's root.
    pub fn folder(text: &str) -> Result<Self, PathError> {
        match text {
            "" => Err(PathError::Empty),
            "/" => Ok(Self::root()),
            _ => Self::checked(text.strip_suffix('/').unwrap_or(text)),
        }
    }

    /// The vault's root folder.
    pub fn root() -> Self {
        Self(String::new())
    }

    fn checked(text: &str) -> Result<Self, PathError> {
        let first = text.split('/').next().unwrap_or_default();
        let drive = text.as_bytes().get(1) == Some(&b':')
            && text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
        let escapes = text.starts_with('/')
            || text.starts_with("\\\\")
            || first == "~"
            || drive
            || text.contains("://")
            || text.split(['/', '\\']).any(|component| component == "..");
        if escapes {
            return Err(PathError::Escape);
        }
        if let Some(character) = forbidden_in_identifier(text) {
            return Err(PathError::Character(character));
        }
        if let Some(character) = text
            .chars()
            .find(|character| matches!(character, '\\' | ':'))
        {
            return Err(PathError::Character(character));
        }
        let normal = normal_spelling(text);
        if normal.len() > MAX_PATH_BYTES {
            return Err(PathError::TooLong {
                bytes: normal.len(),
                limit: MAX_PATH_BYTES,
            });
        }
        for component in normal.split('/') {
            match component {
                "" => return Err(PathError::EmptyComponent),
                "." => return Err(PathError::Dot),
                _ if component.len() > MAX_COMPONENT_BYTES => {
                    return Err(PathError::TooLong {
                        bytes: component.len(),
                        limit: MAX_COMPONENT_BYTES,
                    });
                }
                _ if is_device_name(component) => return Err(PathError::DeviceName),
                _ => {}
            }
        }
        Ok(Self(normal))
    }

    /// The path as text; empty for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the vault's root folder.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The components in order; none for the root.
    pub fn components(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|component| !component.is_empty())
    }

    /// Whether a component starts with a dot: such files are not part of the vault
    /// (`vault-semantics.md` §2.1).
    pub fn is_hidden(&self) -> bool {
        self.components()
            .any(|component| component.starts_with('.'))
    }

    /// The text after the last `/`.
    pub fn name(&self) -> &str {
        let start = memchr::memrchr(b'/', self.0.as_bytes()).map_or(0, |slash| slash + 1);
        self.0.get(start..).unwrap_or_default()
    }

    /// The name up to its last `.`.
    pub fn basename(&self) -> &str {
        self.name()
            .rsplit_once('.')
            .map_or(self.name(), |(stem, _)| stem)
    }

    /// The name after its last `.`, empty where there is none.
    pub fn extension(&self) -> &str {
        let name = self.name();
        memchr::memrchr(b'.', name.as_bytes())
            .and_then(|dot| name.get(dot + 1..))
            .unwrap_or_default()
    }

    /// Whether this is a Markdown note, by its extension in any case.
    pub fn is_note(&self) -> bool {
        self.extension().eq_ignore_ascii_case("md")
    }

    /// Whether links are looked for in this file: a note or a canvas (`vault-semantics.md` §2.1).
    pub(crate) fn is_indexed(&self) -> bool {
        self.is_note() || self.extension().eq_ignore_ascii_case("canvas")
    }

    /// The folder that holds this file or folder.
    #[must_use]
    pub fn parent(&self) -> Self {
        Self(self.parent_text().to_owned())
    }

    /// The text before the last `/`; empty in the root.
    pub(crate) fn parent_text(&self) -> &str {
        let end = memchr::memrchr(b'/', self.0.as_bytes()).unwrap_or_default();
        self.0.get(..end).unwrap_or_default()
    }

    /// The path's first `count` components; the whole path where it has no more.
    #[must_use]
    pub fn beginning(&self, count: usize) -> Self {
        let length = match count.checked_sub(1) {
            None => 0,
            Some(last) => self
                .0
                .match_indices('/')
                .nth(last)
                .map_or(self.0.len(), |(at, _)| at),
        };
        Self(self.0[..length].to_owned())
    }

    /// A direct child, whose name is checked like any other path.
    pub fn join(&self, name: &str) -> Result<Self, PathError> {
        let whole = if self.is_root() {
            name.to_owned()
        } else {
            format!("{}/{name}", self.0)
        };
        // Most names in a large vault are plain; checking each of them in full takes longer than
        // listing the vault does.
        if is_plain(name) && whole.len() <= MAX_PATH_BYTES {
            Ok(Self(whole))
        } else {
            Self::file(&whole)
        }
    }
}

impl fmt::Display for VaultPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.is_root() { "/" } else { &self.0 })
    }
}

/// Whether a name is right beyond doubt: letters, digits and a few marks, too long for a device's
/// name or beginning with a digit.
fn is_plain(name: &str) -> bool {
    let bytes = name.as_bytes();
    let stem = bytes.split(|byte| *byte == b'.').next().unwrap_or_default();
    let stem = stem.trim_ascii_end();
    bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && (stem.len() > "CONOUT$".len() || bytes.first().is_some_and(u8::is_ascii_digit))
        && bytes.len() <= MAX_COMPONENT_BYTES
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b" -_.,()&+".contains(byte))
}

/// The one spelling under which the index knows a name: NFC, no-break spaces as plain ones
/// (`vault-semantics.md` §2.1).
pub(crate) fn normal_spelling(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let spaced = |character| match character {
        '\u{a0}' | '\u{202f}' => ' ',
        other => other,
    };
    // Most texts are normal, which is cheaper to see than to make them so.
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => text.chars().map(spaced).collect(),
        IsNormalized::No | IsNormalized::Maybe => text.nfc().map(spaced).collect(),
    }
}

/// Why a text is not a path inside a vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// No text at all.
    #[error("the path is empty")]
    Empty,
    /// Absolute, home-relative, a drive, a URL, or a `..` component.
    #[error("the path points outside the vault")]
    Escape,
    /// A control, bidirectional, zero-width or separator character.
    #[error("the path holds the character U+{:04X}", u32::from(*.0))]
    Character(char),
    /// `a//b` or a trailing `/` on a file.
    #[error("the path has an empty component")]
    EmptyComponent,
    /// A `.` component.
    #[error("the path has a `.` component")]
    Dot,
    /// A name that Windows reserves for a device; vaults are synced between systems.
    #[error("the path uses a name that Windows reserves for a device")]
    DeviceName,
    /// A name that starts with a dot: no place for a new file, which would not be in the vault.
    #[error("the path has a name that starts with a dot")]
    Hidden,
    /// A new name that ends in a dot or a space, which some systems drop.
    #[error("the path has a name that ends in a dot or a space")]
    Ending,
    /// Longer than a file system holds, in bytes.
    #[error("the path has {bytes} bytes where {limit} are the limit")]
    TooLong {
        /// Size of the component or path in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
}

/// The first character of `text` that no single-line identifier (path, name, id) may hold:
/// controls, bidirectional marks, zero-width and tag characters (`faults.md` B10).
///
/// A zero-width joiner between two emoji is let through: such note names exist.
pub fn forbidden_in_identifier(text: &str) -> Option<char> {
    let mut previous = '\0';
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let joins_emoji = character == '\u{200d}'
            && is_emoji_part(previous)
            && characters.peek().copied().is_some_and(is_emoji_part);
        let forbidden = character.is_control()
            || matches!(
                character,
                '\u{ad}'
                    | '\u{61c}'
                    | '\u{180e}'
                    | '\u{200b}'..='\u{200f}'
                    | '\u{2028}'..='\u{202e}'
                    | '\u{2060}'..='\u{206f}'
                    | '\u{feff}'
                    | '\u{fff9}'..='\u{fffb}'
                    | '\u{e0000}'..='\u{e007f}'
            );
        if forbidden && !joins_emoji {
            return Some(character);
        }
        previous = character;
    }
    None
}

fn is_emoji_part(character: char) -> bool {
    matches!(
        character,
        '\u{2300}'..='\u{23ff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}'
            | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}'
    )
}

/// Windows device names with any extension, superscript digits included (CVE-2024-51756).
fn is_device_name(component: &str) -> bool {
    let stem = component
        .split('.')
        .next()
        .unwrap_or_default()
        .trim_end()
        .to_uppercase();
    if matches!(
        stem.as_str(),
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$"
    ) {
        return true;
    }
    ["COM", "LPT"].iter().any(|prefix| {
        let mut rest = stem.strip_prefix(prefix).unwrap_or_default().chars();
        matches!(
            (rest.next(), rest.next()),
            (Some('0'..='9' | '¹' | '²' | '³'), None)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d01_paths_that_leave_the_vault_are_escapes() {
        for text in [
            "../x",
            "a/../../b",
            "/etc/passwd",
            "~/x",
            "~",
            "file:///etc/passwd",
            "C:\\x",
            "c:/x",
            "\\\\server\\share",
            "a\\..\\b",
            "..",
        ] {
            assert_eq!(VaultPath::file(text), Err(PathError::Escape), "{text}");
        }
        assert_eq!(VaultPath::file("a\\b"), Err(PathError::Character('\\')));
        assert_eq!(
            VaultPath::file("%2e%2e/x").map(|path| path.to_string()),
            Ok("%2e%2e/x".into())
        );
        assert!(VaultPath::file("a..b/c...md").is_ok());
    }

    #[test]
    fn d09_device_names_and_streams_are_refused_everywhere() {
        for text in ["CON", "nul.md", "a/COM1", "COM¹.txt", "lpt9", "a/Aux .md"] {
            assert_eq!(VaultPath::file(text), Err(PathError::DeviceName), "{text}");
        }
        assert_eq!(
            VaultPath::file("a.md:stream"),
            Err(PathError::Character(':'))
        );
        for text in ["console.md", "COM", "COM10.md", "null.md"] {
            assert!(VaultPath::file(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn d08_both_spellings_of_a_name_are_one_path() {
        assert_eq!(VaultPath::file("e\u{301}.md"), VaultPath::file("\u{e9}.md"));
        assert_eq!(
            VaultPath::file("\u{1112}\u{1161}\u{11ab}.md"),
            VaultPath::file("\u{d55c}.md")
        );
        assert_ne!(VaultPath::file("\u{fb01}.md"), VaultPath::file("fi.md"));
    }

    #[test]
    fn b10_invisible_characters_are_refused_but_emoji_sequences_pass() {
        for character in [
            '\0', '\n', '\u{7f}', '\u{85}', '\u{200b}', '\u{202e}', '\u{2066}', '\u{feff}',
        ] {
            let text = format!("a{character}b.md");
            assert_eq!(VaultPath::file(&text), Err(PathError::Character(character)));
        }
        assert!(VaultPath::file("👩\u{200d}👧.md").is_ok());
        assert!(VaultPath::file("a\u{200d}b.md").is_err());
    }

    #[test]
    fn folders_may_be_the_root_and_may_end_in_a_slash() {
        assert_eq!(VaultPath::folder("/"), Ok(VaultPath::root()));
        assert_eq!(VaultPath::folder("a/b/"), VaultPath::file("a/b"));
        assert_eq!(VaultPath::folder("a//"), Err(PathError::EmptyComponent));
        assert_eq!(VaultPath::file("a/"), Err(PathError::EmptyComponent));
        assert_eq!(VaultPath::file("./a"), Err(PathError::Dot));
    }

    proptest::proptest! {
        #[test]
        fn a_plain_name_is_one_that_the_full_check_takes_as_it_is(
            name in "[a-cA-N1 ._~$:é()-]{0,12}|(CON|com1|LPT9|conout|aux)[ .a-z$]{0,4}",
        ) {
            if is_plain(&name) {
                let full = VaultPath::checked(&name);
                proptest::prop_assert_eq!(full.as_ref().map(VaultPath::as_str), Ok(name.as_str()));
            }
        }
    }

    #[test]
    fn d10_limits_are_in_bytes() {
        assert!(VaultPath::file(&"a".repeat(255)).is_ok());
        assert!(VaultPath::file(&"é".repeat(128)).is_err());
        assert!(VaultPath::file(&"a/".repeat(2100)).is_err());
    }

    #[test]
    fn names_and_parents() {
        let path = VaultPath::file("a/b/Note.tar.md").unwrap();
        assert_eq!(
            (
                path.name(),
                path.basename(),
                path.extension(),
                path.parent().as_str()
            ),
            ("Note.tar.md", "Note.tar", "md", "a/b")
        );
        assert_eq!(path.parent().parent().parent(), VaultPath::root());
        assert!(VaultPath::file("a/.b/c").unwrap().is_hidden());
        assert_eq!(path.beginning(0), VaultPath::root());
        assert_eq!(path.beginning(1).as_str(), "a");
        assert_eq!(path.beginning(2).as_str(), "a/b");
        assert_eq!(path.beginning(9), path);
    }
}
