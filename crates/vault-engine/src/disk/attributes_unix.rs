//! Extended attributes of files, POSIX access lists among them (`faults.md` H16).

use std::collections::BTreeMap;
use std::ffi::{CString, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr};
use rustix::io::Errno;

/// The access list of a file, on Linux.
const ACCESS_LIST: &[u8] = b"system.posix_acl_access";
/// What Linux lets everybody who may write a file set, and what only its owner may.
const OWN: [&[u8]; 2] = [b"user.", ACCESS_LIST];
/// A list of names, or a value, that is longer than this is refused by every system.
const MOST_BYTES: usize = 1 << 20;

/// The attributes of a file that belong to it: not those that the system or a security module sets
/// by itself.
type Attributes = BTreeMap<OsString, Vec<u8>>;

/// Gives `file` the extended attributes of `model`, and no others. Whether it had others before.
///
/// An error where one cannot be kept: without its access list, a file could be open to others than
/// before.
pub(crate) fn take_attributes(file: &File, model: &File) -> io::Result<bool> {
    let (found, wanted) = (attributes(file)?, attributes(model)?);
    for name in found.keys().filter(|name| !wanted.contains_key(*name)) {
        match fremovexattr(file, c_string(name)?.as_c_str()) {
            Ok(()) | Err(Errno::NODATA) => {}
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
        // A file system that has none.
        Err(Errno::NOTSUP | Errno::NOSYS | Errno::PERM) => return Ok(Attributes::new()),
        other => other?,
    };
    let mut attributes = Attributes::new();
    for name in names.split(|byte| *byte == 0) {
        let is_own = cfg!(target_vendor = "apple") || OWN.iter().any(|own| name.starts_with(own));
        if name.is_empty() || !is_own {
            continue;
        }
        let name = OsString::from_vec(name.to_vec());
        let c_name = c_string(&name)?;
        match whole(|buffer| fgetxattr(file, c_name.as_c_str(), buffer)) {
            Ok(value) => {
                attributes.insert(name, value);
            }
            // Removed meanwhile.
            Err(Errno::NODATA) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(attributes)
}

/// The answer of a call that says when its buffer is too short.
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
