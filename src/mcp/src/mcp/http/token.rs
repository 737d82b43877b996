//! The token that needs no agent, kept in a file that only its owner can read.

use std::path::{Path, PathBuf};

use crate::error::Error;
use protocol::Failure;
use sandbox::{Environment, PrivateFolder, Unsafe, private_dir};
use settings::Folders;
use store::agent_tokens::{TokenHash, new_token};

/// The least length of a token, in characters.
const SHORTEST: usize = 32;
const MOST_BYTES: u64 = 4096;

/// Returns the token file: the named file, otherwise the file in the state folder.
///
/// # Errors
///
/// If no state folder is known.
pub(super) fn file(named: Option<&Path>, environment: &Environment) -> Result<PathBuf, Failure> {
    match named {
        Some(file) => Ok(environment.absolute(file)),
        None => Ok(Folders::new(environment).state()?.join("mcp-token")),
    }
}

/// Opens the token file; creates it with a random token if it is missing.
///
/// # Errors
///
/// If the file cannot be read or created, other users can read it, or it has no token.
pub(super) fn open(file: &Path) -> Result<TokenHash, Failure> {
    let bytes = match private_dir::read(file, MOST_BYTES) {
        Ok(bytes) => bytes,
        Err(Unsafe::Missing) => {
            let text = new_token() + "\n";
            let (folder, name) = private_dir::split(file).map_err(Error::TokenFile)?;
            PrivateFolder::create(folder)
                .and_then(|folder| folder.replace(name, text.as_bytes()))
                .map_err(Error::TokenFile)?;
            text.into_bytes()
        }
        Err(reason) => return Err(Error::TokenFile(reason).into()),
    };
    if others_can_read(file) {
        return Err(Error::TokenReadable.into());
    }
    let text = std::str::from_utf8(&bytes)
        .map(str::trim)
        .unwrap_or_default();
    if text.len() < SHORTEST || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Error::NoToken(SHORTEST).into());
    }
    Ok(TokenHash::new(text))
}

#[cfg(unix)]
fn others_can_read(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs_err::metadata(file).is_ok_and(|facts| facts.permissions().mode() & 0o077 != 0)
}

/// On Windows, files in the user's folders are private by default.
#[cfg(windows)]
fn others_can_read(_file: &Path) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use protocol::Code;

    #[test]
    fn i07_the_file_is_made_for_its_owner_and_refused_where_others_can_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state/mcp-token");
        let made = open(&file).unwrap();
        let text = fs_err::read_to_string(&file).unwrap();
        assert_eq!(text.trim().len(), 64);
        let token = TokenHash::new(text.trim());
        assert!(made.is(&token) && open(&file).unwrap().is(&token));
        let facts = fs_err::metadata(&file).unwrap();
        assert_eq!(facts.permissions().mode() & 0o777, 0o600);
        fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(open(&file).err().unwrap().code, Code::ConfigInvalid);
        fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        fs_err::write(&file, "short\n").unwrap();
        let failure = open(&file).err().unwrap();
        assert_eq!(failure.code, Code::ConfigInvalid);
        assert!(!failure.to_string().contains("short"));
    }
}
