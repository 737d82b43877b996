//! The faults of a text that is not a path inside a vault.

/// The reason why a text is not a path inside a vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// No text at all.
    #[error("the path is empty")]
    Empty,
    /// Absolute, home-relative, a drive, a URL, or a `..` component.
    #[error("the path points outside the vault")]
    Escape,
    /// A character that names cannot contain on this system, or that new names must not contain.
    #[error("a file name cannot contain {}", in_words(*.0))]
    Character(char),
    /// `a//b` or a trailing `/` on a file.
    #[error("a name in the path is empty, as in `a//b`")]
    EmptyComponent,
    /// A component is `.`, which names the folder itself.
    #[error("the path contains the name `.`")]
    Dot,
    /// A new name that Windows reserves for a device. Refused everywhere: vaults are synced.
    #[error("the path contains a name that Windows reserves for a device, such as `CON`")]
    DeviceName,
    /// A name that starts with a dot: a new file there would not be part of the vault.
    #[error("the path has a name that starts with a dot")]
    Hidden,
    /// A new name that ends in a dot or a space, which Windows drops.
    #[error("the path has a name that ends in a dot or a space")]
    Ending,
    /// Several names on disk that are one name in a vault: they differ in how an accent or a space is
    /// encoded.
    #[error("several files have this name, but encode its accents or spaces differently")]
    SeveralSpellings,
    /// More folders one in another than a path of a vault may have.
    #[error("the path has {names} levels, and the limit is {limit}")]
    TooDeep {
        /// The number of folders and files that the path names.
        names: usize,
        /// The maximum number of components of a path.
        limit: usize,
    },
    /// Longer than file systems allow.
    #[error("the path or a name in it has {bytes} bytes, and the limit is {limit}")]
    TooLong {
        /// Size of the component or path in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
}

/// Returns a character as people know it; one that cannot be seen by its number.
fn in_words(character: char) -> String {
    if character.is_ascii_graphic() {
        format!("`{character}`")
    } else {
        format!("the character U+{:04X}", u32::from(character))
    }
}
