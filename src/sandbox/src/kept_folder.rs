//! A folder of ours that a program in a fence may fill. It is kept between runs, so files of the last run may be a
//! trap: symlinks in it are never followed, from the outside or while a tree is built.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{self, AtFlags, Mode, OFlags};

/// A folder that programs in a fence can write, while none of them uses it.
#[derive(Debug)]
pub struct KeptFolder {
    root: OwnedFd,
}

/// The kind of entry to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made<'a> {
    /// A folder.
    Folder,
    /// A file.
    File,
    /// A symlink to this path.
    Link(&'a Path),
}

impl KeptFolder {
    /// Returns the folder at this path, which no program could replace.
    ///
    /// # Errors
    ///
    /// If it cannot be opened, or is a link or no folder.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        Ok(Self {
            root: fs::open(path, flags, Mode::empty())?,
        })
    }

    /// Gives its owner access again, if a program removed it.
    ///
    /// # Errors
    ///
    /// If its mode cannot be changed.
    pub fn open_to_its_owner(&self) -> io::Result<()> {
        Ok(fs::fchmod(&self.root, Mode::RWXU)?)
    }

    /// Makes sure that this is at a path, with folders around it. A link or a file in the way is
    /// removed, and a folder only if it is empty.
    ///
    /// # Errors
    ///
    /// If a folder around it cannot be made, or what is in the way cannot be removed.
    pub fn make(&self, below: &Path, made: Made<'_>) -> io::Result<()> {
        let (folder, name) = self.around(below)?;
        let (folder, name) = (&folder, name.as_path());
        match made {
            Made::Folder => open_or_make(folder, name).map(drop),
            Made::File => {
                let kind = fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
                let kind = kind.map(|found| fs::FileType::from_raw_mode(found.st_mode));
                if kind != Ok(fs::FileType::RegularFile) {
                    remove(folder, name)?;
                    drop(new_file(folder, name)?);
                }
                Ok(())
            }
            Made::Link(target) => {
                remove(folder, name)?;
                Ok(fs::symlinkat(target, folder, name)?)
            }
        }
    }

    /// Returns the bytes of a regular file of at most this size; `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn read(&self, below: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
        // A pipe would wait for a writer.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let resolve = fs::ResolveFlags::BENEATH | fs::ResolveFlags::NO_SYMLINKS;
        let Ok(file) = fs::openat2(&self.root, below, flags, Mode::empty(), resolve) else {
            return Ok(None);
        };
        let file = File::from(file);
        let mut bytes = Vec::new();
        if !file.metadata()?.is_file() {
            return Ok(None);
        }
        file.take(most + 1).read_to_end(&mut bytes)?;
        let is_small = u64::try_from(bytes.len()).is_ok_and(|size| size <= most);
        Ok(is_small.then_some(bytes))
    }

    /// Writes a file that only its owner may read, in place of anything at this path.
    ///
    /// # Errors
    ///
    /// If a folder around it cannot be made, or the file cannot be written.
    pub fn write(&self, below: &Path, bytes: &[u8]) -> io::Result<()> {
        let (folder, name) = self.around(below)?;
        // A name that no program can foresee.
        let temporary = PathBuf::from(format!(".vault-gw-{}.tmp", uuid::Uuid::new_v4()));
        let written = new_file(&folder, &temporary)?.write_all(bytes);
        written?;
        Ok(fs::renameat(&folder, &temporary, &folder, &name)?)
    }

    /// Returns the folder around a path, which is made if it is not there, and the name in it.
    fn around(&self, below: &Path) -> io::Result<(OwnedFd, PathBuf)> {
        let mut parts = Vec::new();
        for part in below.components() {
            match part {
                Component::Normal(name) => parts.push(Path::new(name)),
                _ => return Err(io::ErrorKind::InvalidInput.into()),
            }
        }
        let name = parts.pop().ok_or(io::ErrorKind::InvalidInput)?;
        let mut folder = self.root.try_clone()?;
        for part in parts {
            folder = open_or_make(&folder, part)?;
        }
        Ok((folder, name.to_owned()))
    }
}

/// Opens a folder, and makes it first if it is missing or something else is in its place.
fn open_or_make(parent: &OwnedFd, name: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = || fs::openat(parent, name, flags, Mode::empty());
    if let Ok(folder) = open() {
        return Ok(folder);
    }
    remove(parent, name)?;
    fs::mkdirat(parent, name, Mode::RWXU)?;
    Ok(open()?)
}

fn new_file(folder: &OwnedFd, name: &Path) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = fs::openat(folder, name, flags, Mode::RUSR | Mode::WUSR)?;
    Ok(File::from(file))
}

/// Removes what has this name, if anything has.
fn remove(folder: &OwnedFd, name: &Path) -> io::Result<()> {
    let removed = match fs::unlinkat(folder, name, AtFlags::empty()) {
        Err(rustix::io::Errno::ISDIR) => fs::unlinkat(folder, name, AtFlags::REMOVEDIR),
        removed => removed,
    };
    match removed {
        Err(rustix::io::Errno::NOENT) => Ok(()),
        removed => Ok(removed?),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (home, outside) = (folder.path().join("home"), folder.path().join("outside"));
        fs_err::create_dir_all(home.join("full/x")).unwrap();
        fs_err::create_dir(&outside).unwrap();
        fs_err::write(outside.join("file"), "secret").unwrap();
        let kept = KeptFolder::open(&home).unwrap();
        symlink(&outside, home.join("a")).unwrap();
        symlink(outside.join("file"), home.join("b")).unwrap();
        assert_eq!(kept.read(Path::new("b"), 9).unwrap(), None);
        assert_eq!(kept.read(Path::new("a/file"), 9).unwrap(), None);
        kept.write(Path::new("b"), b"b").unwrap();
        kept.make(Path::new("a/file"), Made::File).unwrap();
        kept.make(Path::new("a/new/folder"), Made::Folder).unwrap();
        assert!(home.join("a/new/folder").is_dir() && !home.join("a").is_symlink());
        assert_eq!(kept.read(Path::new("b"), 9).unwrap().unwrap(), b"b");
        assert_eq!(kept.read(Path::new("b"), 0).unwrap(), None);
        assert_eq!(kept.read(Path::new("full"), 9).unwrap(), None);
        kept.make(Path::new("b"), Made::Link(Path::new("/x")))
            .unwrap();
        kept.make(Path::new("b"), Made::File).unwrap();
        assert!(kept.make(Path::new("full"), Made::File).is_err());
        assert!(kept.make(Path::new("../outside/x"), Made::File).is_err());
        assert_eq!(fs_err::read(outside.join("file")).unwrap(), b"secret");
        assert_eq!(fs_err::read_dir(&outside).unwrap().count(), 1);
    }
}
