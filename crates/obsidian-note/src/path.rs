//! Paths inside a vault: relative, `/`-separated, NFC, and unable to name anything outside it.

use std::fmt;

use serde::{Deserialize, Serialize};
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

use crate::name::{self, MAX_NAME_BYTES};
pub use crate::path_error::PathError;

/// The folder of deleted files, with the folders that they were in. The system's trash, which the
/// app may use instead, cannot be restored from by `undo`.
pub const TRASH: &str = ".trash";
/// Longest component in bytes. A name of [`MAX_NAME_BYTES`] bytes on disk can be up to three times
/// as long in the spelling of a path: one byte that is not Unicode becomes U+FFFD.
const MAX_COMPONENT_BYTES: usize = 3 * MAX_NAME_BYTES;
/// Longest path in bytes (`PATH_MAX`).
pub const MAX_PATH_BYTES: usize = 4096;
/// The maximum number of components of a path (`vault-semantics.md` §2.1). No person nests folders that deep,
/// and recursion over the components stays bounded (`threats.toml` D15).
pub const MAX_DEPTH: usize = 128;

/// A checked path of a file or folder inside a vault (`vault-semantics.md` §2.1).
///
/// It can name everything that exists on disk (`threats.toml` B10): joiners, control characters, and on Linux and macOS
/// `:`, `\` and the device names of Windows. It never contains NUL or an empty, `.` or `..` component, and on Windows
/// no separator, stream or device. So joining it to a root cannot leave that root by spelling alone; symlinks are
/// handled where the path is opened. Names of new files are restricted further (`check_new_name`).
///
/// Normalised to NFC with U+00A0 and U+202F as plain spaces, as the app keys its index.
///
/// Serialised as its text. Text that is the root or spelled differently is refused when it is read back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct VaultPath(String);

impl TryFrom<String> for VaultPath {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let path = Self::file(&text).map_err(|_| "not a path in a vault")?;
        // Two spellings of one path would be one key of a map, and the other one would be lost.
        let is_plain = path.as_str() == text;
        is_plain.then_some(path).ok_or("not a plain path")
    }
}

impl VaultPath {
    /// Parses the path of a file: at least one component.
    ///
    /// # Errors
    ///
    /// Fails if the text is empty, leads out of the vault, is too long, or has a component that is empty, `.`, or not
    /// usable on this system.
    ///
    /// ```
    /// use obsidian_note::VaultPath;
    ///
    /// let path = VaultPath::file("Projects/Boat/Log.md").unwrap();
    /// assert_eq!(path.name(), "Log.md");
    /// assert!(VaultPath::file("../outside.md").is_err());
    /// ```
    pub fn file(text: &str) -> Result<Self, PathError> {
        if text.is_empty() {
            return Err(PathError::Empty);
        }
        Self::checked(text)
    }

    /// Parses the path of a folder: as [`Self::file`], with one trailing `/` allowed. `/` is the
    /// vault's root.
    ///
    /// # Errors
    ///
    /// As [`Self::file`].
    pub fn folder(text: &str) -> Result<Self, PathError> {
        match text {
            "" => Err(PathError::Empty),
            "/" => Ok(Self::root()),
            _ => Self::checked(text.strip_suffix('/').unwrap_or(text)),
        }
    }

    /// Returns the vault's root folder.
    pub const fn root() -> Self {
        Self(String::new())
    }

    fn checked(text: &str) -> Result<Self, PathError> {
        let leaves = text.starts_with('/')
            || text.contains("://")
            || text.split('/').any(|component| component == "..");
        if leaves || (cfg!(windows) && is_absolute_elsewhere(text)) {
            return Err(PathError::Escape);
        }
        let normal = normal_spelling(text);
        if normal.len() > MAX_PATH_BYTES {
            return Err(PathError::TooLong {
                bytes: normal.len(),
                limit: MAX_PATH_BYTES,
            });
        }
        check_depth(depth_of(&normal))?;
        for component in normal.split('/') {
            match component {
                "" => return Err(PathError::EmptyComponent),
                "." => return Err(PathError::Dot),
                _ if component.contains('\0') => return Err(PathError::Character('\0')),
                _ if component.len() > MAX_COMPONENT_BYTES => {
                    return Err(PathError::TooLong {
                        bytes: component.len(),
                        limit: MAX_COMPONENT_BYTES,
                    });
                }
                // On other systems such names can exist on disk, and then paths must be able to
                // name them.
                _ if cfg!(windows) => name::check_on_windows(component)?,
                _ => {}
            }
        }
        Ok(Self(normal))
    }

    /// Whether some system reads the text as a path outside the vault: `C:\x`, `\\server\x`, `~/x`,
    /// `a\..\b` (`threats.toml` D01).
    ///
    /// On Linux and macOS a file inside the vault can have such a name. Callers accept such a path
    /// from outside only if that file exists.
    pub fn is_absolute_elsewhere(&self) -> bool {
        is_absolute_elsewhere(&self.0)
    }

    /// Returns the path as text; empty for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the path as text; `/` for the root.
    pub fn as_written(&self) -> &str {
        if self.is_root() { "/" } else { &self.0 }
    }

    /// Whether this is the vault's root folder.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the components in order; none for the root.
    pub fn components(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|component| !component.is_empty())
    }

    /// Returns the number of components.
    pub fn depth(&self) -> usize {
        depth_of(&self.0)
    }

    /// Whether a component starts with a dot: such files are not part of the vault
    /// (`vault-semantics.md` §2.1).
    pub fn is_hidden(&self) -> bool {
        self.components().any(name::is_hidden)
    }

    /// Returns the text after the last `/`.
    pub fn name(&self) -> &str {
        let start = memchr::memrchr(b'/', self.0.as_bytes()).map_or(0, |slash| slash + 1);
        self.0.get(start..).unwrap_or_default()
    }

    /// Returns the name up to its last `.`.
    pub fn basename(&self) -> &str {
        self.name()
            .rsplit_once('.')
            .map_or(self.name(), |(stem, _)| stem)
    }

    /// Returns the name after its last `.`, empty if there is none.
    pub fn extension(&self) -> &str {
        let name = self.name();
        memchr::memrchr(b'.', name.as_bytes())
            .and_then(|dot| name.get(dot + 1..))
            .unwrap_or_default()
    }

    /// Whether a link can lead to this file: only to one with an extension
    /// (`vault-semantics.md` §2.3).
    pub fn can_be_linked(&self) -> bool {
        !self.extension().is_empty()
    }

    /// Whether this is a Markdown note, by its extension in any case.
    pub fn is_note(&self) -> bool {
        self.extension().eq_ignore_ascii_case("md")
    }

    /// Whether links are looked for in this file: a note or a canvas (`vault-semantics.md` §2.1).
    pub fn is_indexed(&self) -> bool {
        self.is_note() || self.extension().eq_ignore_ascii_case("canvas")
    }

    /// Whether this is in the folder or deeper; everything is in the root.
    pub fn is_below(&self, folder: &Self) -> bool {
        folder.is_above(self.as_str())
    }

    /// Whether a path, which may be text of an answer, is below this folder.
    pub fn is_above(&self, path: &str) -> bool {
        let rest = path.strip_prefix(self.as_str());
        self.is_root() || rest.is_some_and(|rest| rest.starts_with('/'))
    }

    /// Returns the path from a folder on, with `..` for each folder above it.
    pub fn relative_to(&self, folder: &Self) -> String {
        let shared = folder
            .components()
            .zip(self.parent().components())
            .take_while(|(left, right)| left == right)
            .count();
        let up = folder.components().skip(shared).map(|_| "..");
        let down = self.components().skip(shared);
        up.chain(down).collect::<Vec<_>>().join("/")
    }

    /// The folder that contains this file or folder.
    #[must_use]
    pub fn parent(&self) -> Self {
        Self(self.parent_text().to_owned())
    }

    /// Returns the text before the last `/`; empty in the root.
    pub fn parent_text(&self) -> &str {
        let end = memchr::memrchr(b'/', self.0.as_bytes()).unwrap_or_default();
        self.0.get(..end).unwrap_or_default()
    }

    /// Returns the path's first `count` components; the whole path if it has no more.
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

    /// Returns the path of a direct child. The name is checked like any other path.
    ///
    /// # Errors
    ///
    /// As [`Self::file`].
    pub fn join(&self, name: &str) -> Result<Self, PathError> {
        let whole = if self.is_root() {
            name.to_owned()
        } else {
            [&self.0, "/", name].concat()
        };
        // Fast path: most names are plain, and the full check of each takes longer than listing the
        // vault.
        if is_plain(name) && whole.len() <= MAX_PATH_BYTES {
            check_depth(depth_of(&whole))?;
            Ok(Self(whole))
        } else {
            Self::file(&whole)
        }
    }
}

impl fmt::Display for VaultPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_written())
    }
}

/// Returns the number of components in the text of a path. The trash keeps the paths of deleted files, so its own name
/// does not count.
fn depth_of(text: &str) -> usize {
    let text = text.strip_prefix(".trash/").unwrap_or(text);
    let slashes = memchr::memchr_iter(b'/', text.as_bytes()).count();
    slashes + usize::from(!text.is_empty())
}

fn check_depth(names: usize) -> Result<(), PathError> {
    if names > MAX_DEPTH {
        return Err(PathError::TooDeep {
            names,
            limit: MAX_DEPTH,
        });
    }
    Ok(())
}

/// Whether a name is certainly valid: only letters, digits and a few marks, and longer than a
/// device name or beginning with a digit.
fn is_plain(name: &str) -> bool {
    let bytes = name.as_bytes();
    let stem = bytes.split(|byte| *byte == b'.').next().unwrap_or_default();
    let stem = stem.trim_ascii_end();
    bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && (stem.len() > "CONOUT$".len() || bytes.first().is_some_and(u8::is_ascii_digit))
        && bytes.len() <= MAX_COMPONENT_BYTES
        && !bytes.ends_with(b".")
        && !bytes.ends_with(b" ")
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b" -_.,()&+".contains(byte))
}

/// Whether some system reads this text as an absolute path; see
/// [`VaultPath::is_absolute_elsewhere`].
fn is_absolute_elsewhere(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_drive = bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.get(1) == Some(&b':')
        && (cfg!(windows) || matches!(bytes.get(2), None | Some(b'/' | b'\\')));
    is_drive
        || bytes.starts_with(b"\\")
        || text.split('/').next() == Some("~")
        || text.split(['/', '\\']).any(|component| component == "..")
}

/// Returns the normal spelling of a name, under which the index keeps it: NFC, with no-break spaces
/// as plain spaces (`vault-semantics.md` §2.1).
pub fn normal_spelling(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let spaced = |character| match character {
        '\u{a0}' | '\u{202f}' => ' ',
        other => other,
    };
    // Most texts are NFC already, and checking that is cheaper than normalising.
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => text.chars().map(spaced).collect(),
        IsNormalized::No | IsNormalized::Maybe => text.nfc().map(spaced).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("path_cases.txt");

    #[test]
    fn d01_paths_that_leave_the_vault_are_escapes() {
        for text in tables::lines(CASES, "d01 paths that leave the vault") {
            assert_eq!(VaultPath::file(text), Err(PathError::Escape), "{text}");
        }
        for text in ["%2e%2e/x", "a..b/c...md", "…/x"] {
            let path = VaultPath::file(text).unwrap();
            assert_eq!(path.as_str(), text);
            assert!(!path.is_absolute_elsewhere(), "{text}");
        }
    }

    #[test]
    fn d01_what_another_system_takes_for_a_place_outside_is_distinguished() {
        for text in tables::lines(CASES, "d01 what another system takes") {
            match VaultPath::file(text) {
                Ok(path) if cfg!(unix) => assert!(path.is_absolute_elsewhere(), "{text}"),
                other => assert_eq!(other, Err(PathError::Escape), "{text}"),
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn b10_whatever_the_disk_holds_has_a_path() {
        for text in tables::lines(CASES, "b10 whatever the disk holds has a path") {
            let path = VaultPath::file(text).unwrap();
            assert_eq!(path.as_str(), text);
            assert!(!path.is_absolute_elsewhere(), "{text}");
        }
        assert_eq!(
            VaultPath::file("a\0b"),
            Err(PathError::Character('\0')),
            "no system holds NUL"
        );
    }

    #[cfg(windows)]
    #[test]
    fn d09_devices_and_streams_are_no_paths_on_windows() {
        for text in ["CON", "a/nul.md", "a.md:stream", "a\\b", "a.", "a /b"] {
            assert!(VaultPath::file(text).is_err(), "{text}");
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
        // A joiner distinguishes two names, as in the app.
        assert_ne!(VaultPath::file("a\u{200c}b"), VaultPath::file("ab"));
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
        // 255 bytes on disk that are not Unicode.
        assert!(VaultPath::file(&"\u{fffd}".repeat(255)).is_ok());
        assert!(VaultPath::file(&"\u{fffd}".repeat(256)).is_err());
        assert!(VaultPath::file(&"a/".repeat(2100)).is_err());
    }

    #[test]
    fn d15_a_path_has_at_most_so_many_names() {
        let deepest = VaultPath::file(&["a"; MAX_DEPTH].join("/")).unwrap();
        assert_eq!(deepest.depth(), MAX_DEPTH);
        let too_deep = Err(PathError::TooDeep {
            names: MAX_DEPTH + 1,
            limit: MAX_DEPTH,
        });
        assert_eq!(VaultPath::file(&["a"; MAX_DEPTH + 1].join("/")), too_deep);
        assert_eq!(
            VaultPath::folder(&format!("{}/", ["a"; MAX_DEPTH + 1].join("/"))),
            too_deep
        );
        for name in ["a", "1234567890.md", "é"] {
            assert_eq!(deepest.join(name), too_deep, "{name}");
        }
        assert_eq!(VaultPath::root().depth(), 0);
        assert!(VaultPath::file(&format!(".trash/{deepest}")).is_ok());
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
