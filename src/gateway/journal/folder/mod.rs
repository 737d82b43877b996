//! The folder of one journal: whole files only, and every change told to the witness first.

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod system;

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use vault_engine::{Step, Witness};

use super::{unreadable, unsafe_folder};
use crate::failure::Failure;
use crate::settings::private_file::{self, Unsafe};

/// Largest file that is read, in bytes: an entry of a hundred thousand paths, or a content.
const MAX_BYTES: u64 = 2 << 30;

/// What a file is called until it is whole.
const TEMPORARY: &str = ".tmp";

/// `<state>/journal/<vault>`, which need not exist yet.
#[derive(Clone)]
pub(super) struct Folder {
    /// From the state folder down.
    places: [PathBuf; 3],
    witness: Option<Arc<dyn Witness>>,
}

impl Folder {
    pub(super) fn new(state: &Path, key: &str, witness: Option<Arc<dyn Witness>>) -> Self {
        let journals = state.join("journal");
        let own = journals.join(key);
        Self {
            places: [state.to_owned(), journals, own],
            witness,
        }
    }

    /// Makes the folder where it is missing; nobody else may be able to change it.
    pub(super) fn make(&self) -> Result<(), Failure> {
        for place in &self.places {
            private_file::Folder::create(place).map_err(unsafe_folder)?;
        }
        Ok(())
    }

    /// The names of all files; none where the folder does not exist.
    pub(super) fn names(&self) -> Result<Vec<String>, Failure> {
        for place in &self.places {
            match private_file::Folder::open(place) {
                Ok(_) => {}
                Err(Unsafe::Missing) => return Ok(Vec::new()),
                Err(reason) => return Err(unsafe_folder(reason)),
            }
        }
        let list = || -> io::Result<Vec<String>> {
            fs_err::read_dir(self.place())?
                .map(|entry| Ok(entry?.file_name()))
                // What is not UTF-8 is none of ours.
                .filter_map(|name: io::Result<_>| {
                    name.map(|name| name.into_string().ok()).transpose()
                })
                .collect()
        };
        list().map_err(|error| unreadable(&error))
    }

    /// The bytes of a regular file.
    pub(super) fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        system::open(&self.place().join(name))?
            .take(MAX_BYTES)
            .read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The first line of a regular file with its line feed, or as much as there is of it.
    pub(super) fn read_line(&self, name: &str) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        let file = system::open(&self.place().join(name))?;
        BufReader::new(file.take(MAX_BYTES)).read_until(b'\n', &mut line)?;
        Ok(line)
    }

    /// Bytes of a file.
    pub(super) fn size(&self, name: &str) -> io::Result<u64> {
        Ok(fs_err::symlink_metadata(self.place().join(name))?.len())
    }

    /// Writes a file that is there as a whole or not at all. Its bytes are on the disk then; its
    /// name is after [`Self::sync`].
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let temporary = format!("{name}{TEMPORARY}");
        self.write_new(&temporary, bytes)?;
        self.rename(&temporary, name)
    }

    /// Writes a file that is cut off where this process is killed, which whoever reads it has to
    /// see; that spares the renaming, for which the disk has to be waited for once more. Its bytes
    /// are on the disk then; its name is after [`Self::sync`].
    pub(super) fn write_new(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.tell("open-create", name)?;
        let mut file = system::create(&self.place().join(name))?;
        self.tell("write", name)?;
        file.write_all(bytes)?;
        self.tell("fsync", name)?;
        file.sync_all()
    }

    /// Gives a file another name, over the one that may bear it.
    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.tell("rename", from)?;
        fs_err::rename(self.place().join(from), self.place().join(to))
    }

    /// Removes a file; one that is not there is no error.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        self.tell("unlink", name)?;
        match fs_err::remove_file(self.place().join(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    /// Waits until all names are on the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.tell("fsync", ".")?;
        system::sync(self.place())
    }

    /// Opens the file that is locked, making it where it is missing.
    pub(super) fn lock_file(&self, name: &str) -> io::Result<File> {
        system::open_to_lock(&self.place().join(name))
    }

    /// Writes a note for people that may be lost or torn.
    pub(super) fn scribble(&self, name: &str, text: &str) -> io::Result<()> {
        system::create(&self.place().join(name))?.write_all(text.as_bytes())
    }

    fn place(&self) -> &Path {
        &self.places[2]
    }

    fn tell(&self, call: &'static str, path: &str) -> io::Result<()> {
        match &self.witness {
            Some(witness) => witness.before(Step {
                call,
                path: path.to_owned(),
            }),
            None => Ok(()),
        }
    }
}

/// Whether this is what a killed run left of a file.
pub(super) fn is_temporary(name: &str) -> bool {
    name.ends_with(TEMPORARY)
}
