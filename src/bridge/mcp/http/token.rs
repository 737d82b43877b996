//! The bearer token, in a file that only its owner can read.

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::private_dir::{self, PrivateFolder, Unsafe};
use crate::settings::Folders;

/// Shortest token in characters.
const SHORTEST: usize = 32;
const MOST_BYTES: u64 = 4096;

/// The token, of which only the hash is kept. It has no `Debug`.
#[derive(Clone)]
pub(super) struct Token([u8; 32]);

impl Token {
    /// The token with this text.
    pub(super) fn new(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }

    /// Whether `text` is the token. Takes as long wherever the two differ: hashes are compared, and
    /// all of them.
    pub(super) fn is(&self, text: &str) -> bool {
        let given = Self::new(text);
        let difference = self
            .0
            .iter()
            .zip(given.0)
            .fold(0, |difference, (left, right)| difference | (left ^ right));
        std::hint::black_box(difference) == 0
    }
}

/// The file of the token: the one that was named, else one in the state folder.
pub(super) fn file(named: Option<&Path>, environment: &Environment) -> Result<PathBuf, Failure> {
    match named {
        Some(file) => Ok(environment.absolute(file)),
        None => Ok(Folders::new(environment).state()?.join("mcp-token")),
    }
}

/// The token in this file, which is made where it is missing.
pub(super) fn of(file: &Path) -> Result<Token, Failure> {
    let unusable = |reason: Unsafe| {
        Failure::new(
            Code::ConfigInvalid,
            format!(
                "The file of the token {reason}. Remove it to have a new one made, or name another \
                 with `--token-file`."
            ),
        )
    };
    let bytes = match private_dir::read(file, MOST_BYTES) {
        Ok(bytes) => bytes,
        Err(Unsafe::Missing) => {
            let text = format!("{}{}\n", Uuid::new_v4().simple(), Uuid::new_v4().simple());
            let (folder, name) = private_dir::split(file).map_err(unusable)?;
            PrivateFolder::create(folder)
                .and_then(|folder| folder.replace(name, text.as_bytes()))
                .map_err(unusable)?;
            text.into_bytes()
        }
        Err(reason) => return Err(unusable(reason)),
    };
    if others_can_read(file) {
        return Err(Failure::new(
            Code::ConfigInvalid,
            "Other users can read the file of the token. Run `chmod 600` on it, or remove it to have \
             a new one made.",
        ));
    }
    let text = std::str::from_utf8(&bytes)
        .map(str::trim)
        .unwrap_or_default();
    if text.len() < SHORTEST || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Failure::new(
            Code::ConfigInvalid,
            format!(
                "The file of the token holds none: it needs at least {SHORTEST} letters and digits. \
                 Remove it to have one made."
            ),
        ));
    }
    Ok(Token::new(text))
}

#[cfg(unix)]
fn others_can_read(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs_err::metadata(file).is_ok_and(|facts| facts.permissions().mode() & 0o077 != 0)
}

/// On Windows a file in the user's own folders is the user's.
#[cfg(windows)]
fn others_can_read(_file: &Path) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn i07_the_file_is_made_for_its_owner_and_refused_where_others_can_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state/mcp-token");
        let made = of(&file).unwrap();
        let text = fs_err::read_to_string(&file).unwrap();
        assert_eq!(text.trim().len(), 64);
        assert!(made.is(text.trim()) && of(&file).unwrap().is(text.trim()));
        let facts = fs_err::metadata(&file).unwrap();
        assert_eq!(facts.permissions().mode() & 0o777, 0o600);
        fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(of(&file).err().unwrap().code, Code::ConfigInvalid);
        fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        fs_err::write(&file, "short\n").unwrap();
        let failure = of(&file).err().unwrap();
        assert_eq!(failure.code, Code::ConfigInvalid);
        assert!(!failure.message.contains("short"));
    }
}
