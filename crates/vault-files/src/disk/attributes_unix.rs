//! Extended attributes of files, including POSIX access control lists (`threats.toml` H16).

use std::collections::BTreeMap;
use std::ffi::{CString, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr};
use rustix::io::Errno;

/// The access control list of a file, on Linux.
const ACCESS_LIST: &[u8] = b"system.posix_acl_access";
/// The attributes to keep on Linux: `user.*`, which any writer may set, and the access control
/// list, which only the owner may set.
const OWN: [&[u8]; 2] = [b"user.", ACCESS_LIST];
/// Attributes that macOS sets itself and does not let programs set.
const OF_MACOS: [&[u8]; 4] = [
    b"com.apple.provenance",
    b"com.apple.macl",
    b"com.apple.fileprovider.",
    b"com.apple.icloud.",
];
/// The error for a missing attribute; macOS has an own number for it.
#[cfg(target_vendor = "apple")]
const ABSENT: Errno = Errno::NOATTR;
#[cfg(not(target_vendor = "apple"))]
const ABSENT: Errno = Errno::NODATA;
/// The maximum number of bytes of a list of names or a value. No system accepts more.
const MOST_BYTES: usize = 1 << 20;

/// A file's own attributes, without those that the system or a security module sets.
type Attributes = BTreeMap<OsString, Vec<u8>>;

/// Makes the extended attributes of `file` equal to the attributes of `model`. Returns whether they differed.
///
/// Fails if an attribute cannot be set: without its access control list, a file could be readable by others than
/// before.
///
/// # Errors
///
/// Fails if the system refuses.
pub fn take_attributes(file: &File, model: &File) -> io::Result<bool> {
    let (found, wanted) = (attributes(file)?, attributes(model)?);
    for name in found.keys().filter(|name| !wanted.contains_key(*name)) {
        match fremovexattr(file, c_string(name)?.as_c_str()) {
            Ok(()) | Err(ABSENT) => {}
            Err(error) => return Err(error.into()),
        }
    }
    for (name, value) in &wanted {
        if found.get(name) != Some(value) {
            fsetxattr(file, c_string(name)?.as_c_str(), value, XattrFlags::empty())?;
        }
    }
    Ok(found != wanted)
}

fn attributes(file: &File) -> io::Result<Attributes> {
    let names = match whole(|buffer| flistxattr(file, buffer)) {
        // The file system has no extended attributes.
        Err(Errno::NOTSUP | Errno::NOSYS | Errno::PERM) => return Ok(Attributes::new()),
        other => other?,
    };
    let mut attributes = Attributes::new();
    for name in names.split(|byte| *byte == 0) {
        if name.is_empty() || !is_own(name, cfg!(target_vendor = "apple")) {
            continue;
        }
        let name = OsString::from_vec(name.to_vec());
        let c_name = c_string(&name)?;
        match whole(|buffer| fgetxattr(file, c_name.as_c_str(), buffer)) {
            Ok(value) => {
                attributes.insert(name, value);
            }
            // Race: it was removed since the names were listed.
            Err(ABSENT) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(attributes)
}

/// Whether the attribute belongs to the user: on macOS all but the system's own, elsewhere the names in [`OWN`].
fn is_own(name: &[u8], is_macos: bool) -> bool {
    let begins = |starts: &[&[u8]]| starts.iter().any(|start| name.starts_with(start));
    if is_macos {
        !begins(&OF_MACOS)
    } else {
        begins(&OWN)
    }
}

/// Calls `ask` with a growing buffer until the value fits.
fn whole(ask: impl Fn(&mut [u8]) -> rustix::io::Result<usize>) -> rustix::io::Result<Vec<u8>> {
    let mut buffer = vec![0; 1024];
    loop {
        match ask(&mut buffer) {
            Ok(length) => {
                buffer.truncate(length);
                return Ok(buffer);
            }
            Err(Errno::RANGE) if buffer.len() < MOST_BYTES => buffer.resize(buffer.len() * 4, 0),
            Err(error) => return Err(error),
        }
    }
}

fn c_string(name: &OsString) -> io::Result<CString> {
    CString::new(name.as_bytes()).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("attributes_unix_cases.txt");

    #[test]
    fn h16_the_attributes_of_the_system_are_not_copied() {
        for (name, on_linux, on_macos) in
            tables::typed::<(&str, bool, bool)>(CASES, "h16 the attributes of the system")
        {
            assert_eq!(is_own(name.as_bytes(), false), on_linux, "{name}");
            assert_eq!(is_own(name.as_bytes(), true), on_macos, "{name}");
        }
    }
}
