//! Every system call with which an edit changes something. Failpoints run before each of them.

use std::fs::File;
use std::io::{self, Write as _};

use obsidian_note::VaultPath;
use vault_files::disk::{
    give_to_owner_of, have_one_owner, mode_of, set_mode, sync_file, take_attributes,
};
use vault_files::failpoints::Step;
use vault_files::{EngineError, Failpoints, Folder, Vault};

use super::place::FilePlace;

/// Makes the system calls of an edit.
#[derive(Clone, Copy)]
pub(super) struct Calls<'vault> {
    failpoints: Option<&'vault dyn Failpoints>,
}

impl<'vault> Calls<'vault> {
    pub(super) fn new(vault: &'vault Vault) -> Self {
        Self {
            failpoints: vault.failpoints(),
        }
    }

    /// Makes a file in `folder` with these bytes, synced to the disk. It gets the owner,
    /// permissions and attributes of `model`, or without a model the permissions `mode`.
    pub(super) fn write_new(
        self,
        folder: &Folder,
        place: &FilePlace<'_>,
        bytes: &[u8],
        mode: u32,
        model: Option<&File>,
    ) -> Result<(), EngineError> {
        let written = |source| place.unwritable(source);
        self.announce("open-create", &place.path).map_err(written)?;
        let mut file = folder.create_file(&place.name).map_err(written)?;
        let mut write_all = || {
            self.announce("write", &place.path)?;
            file.write_all(bytes)?;
            // Before the sync, which makes content and permissions durable together: after a crash
            // no file has its name without its permissions.
            match model {
                Some(model) => self.take_permissions(place, &file, model).map(|_| ()),
                None => self.set_mode(place, &file, mode),
            }?;
            self.announce("fsync", &place.path)?;
            sync_file(&file)
        };
        let written_whole = write_all();
        drop(file);
        written_whole.map_err(|source| {
            // A half-written file is useless. If this removal fails too, recovery repeats it.
            let _removed = self.remove_file(place);
            place.unwritable(source)
        })
    }

    /// Fails if the file is read-only: replacing it would circumvent its permissions.
    pub(super) fn check_writable(
        folder: &Folder,
        place: &FilePlace<'_>,
    ) -> Result<(), EngineError> {
        folder
            .check_writable(&place.name)
            .map_err(|source| place.unwritable(source))
    }

    /// Gives a temporary file the present permissions of `model`.
    pub(super) fn follow_permissions(
        self,
        folder: &Folder,
        place: &FilePlace<'_>,
        model: &File,
    ) -> Result<(), EngineError> {
        let file = place.open_in(folder)?;
        let written = |source| place.unwritable(source);
        if self
            .take_permissions(place, &file, model)
            .map_err(written)?
        {
            self.announce("fsync", &place.path).map_err(written)?;
            sync_file(&file).map_err(written)?;
        }
        Ok(())
    }

    /// Gives `file` the owner, permissions and extended attributes of `model`. Returns whether
    /// anything changed.
    ///
    /// If the group cannot be set, the group's permissions are narrowed to the permissions of all users, so that no
    /// user gains access to a note.
    fn take_permissions(
        self,
        place: &FilePlace<'_>,
        file: &File,
        model: &File,
    ) -> io::Result<bool> {
        let mut mode = mode_of(model)?;
        let mut is_changed = false;
        if !have_one_owner(file, model)? {
            self.announce("chown", &place.path)?;
            if !give_to_owner_of(file, model)? {
                let everyone = (mode & 0o007) << 3;
                mode = (mode & !0o6070) | (mode & 0o070 & everyone);
            }
            is_changed = true;
        }
        if mode_of(file)? != mode {
            self.set_mode(place, file, mode)?;
            is_changed = true;
        }
        // After `chmod`, which would change the mask of an access control list.
        is_changed |= take_attributes(file, model)?;
        Ok(is_changed)
    }

    fn set_mode(self, place: &FilePlace<'_>, file: &File, mode: u32) -> io::Result<()> {
        self.announce("chmod", &place.path)?;
        set_mode(file, mode)
    }

    /// Makes a folder. [`EngineError::Changed`] if something exists at its place.
    pub(super) fn make_folder(self, place: &FilePlace<'_>, mode: u32) -> Result<(), EngineError> {
        let parent = place.folder()?;
        self.announce("mkdir", &place.path)
            .and_then(|()| parent.create_folder(&place.name))
            .map_err(|source| taken(place, source))?;
        let is_set =
            self.announce("chmod", &place.path)
                .and_then(|()| match parent.folder(&place.name) {
                    Ok(folder) => folder.set_mode(mode),
                    Err(_) => Err(io::ErrorKind::NotFound.into()),
                });
        is_set.map_err(|source| {
            let _removed = self.remove_folder(place);
            place.unwritable(source)
        })
    }

    /// Removes an empty folder; [`EngineError::Changed`] if it is not empty.
    pub(super) fn remove_folder(self, place: &FilePlace<'_>) -> Result<(), EngineError> {
        let parent = place.folder()?;
        self.announce("rmdir", &place.path)
            .and_then(|()| parent.remove_folder(&place.name))
            .map_err(|source| match source.kind() {
                io::ErrorKind::NotFound
                | io::ErrorKind::NotADirectory
                | io::ErrorKind::DirectoryNotEmpty => place.changed(),
                _ => place.unwritable(source),
            })
    }

    /// Removes the file at this place, under its name on disk.
    pub(super) fn remove_file(self, place: &FilePlace<'_>) -> Result<(), EngineError> {
        let folder = place.folder()?;
        self.announce("unlink", &place.path)
            .and_then(|()| folder.remove_file(&place.name))
            .map_err(|source| place.unwritable(source))
    }

    /// Renames a file, atomically and never over another: [`EngineError::Changed`] if something
    /// exists at the new place.
    pub(super) fn move_to_free(
        self,
        from: &FilePlace<'_>,
        to: &FilePlace<'_>,
    ) -> Result<(), EngineError> {
        let (folder, target) = (from.folder()?, to.folder()?);
        let moved = self
            .announce("rename", &to.path)
            .and_then(|()| folder.rename_to_free(&from.name, &target, &to.name));
        match moved {
            Err(source) if source.kind() == io::ErrorKind::Unsupported => {
                self.link_to_free(from, to)
            }
            other => other.map_err(|source| taken(to, source)),
        }
    }

    /// As [`Self::move_to_free`], but also between two spellings of one name. On a file system that
    /// ignores case or normalization, the file itself is at the new place.
    pub(super) fn move_or_respell(
        self,
        from: &FilePlace<'_>,
        to: &FilePlace<'_>,
    ) -> Result<(), EngineError> {
        match self.move_to_free(from, to) {
            Err(EngineError::Changed { .. }) if to.is_other_spelling_of(from)? => {
                self.rename_over(from, to)?;
                if to.is_listed()? {
                    return Ok(());
                }
                // The file system treated it as a rename to itself and did nothing.
                Err(to.unwritable(io::ErrorKind::Unsupported.into()))
            }
            other => other,
        }
    }

    /// As [`Self::move_to_free`], with a hard link and a removal, for file systems without such a
    /// rename.
    fn link_to_free(self, from: &FilePlace<'_>, to: &FilePlace<'_>) -> Result<(), EngineError> {
        let (folder, target) = (from.folder()?, to.folder()?);
        let _handle = folder
            .hold_for_removal(&from.name)
            .map_err(|source| from.unwritable(source))?;
        let linked = self
            .announce("link", &to.path)
            .and_then(|()| folder.link_to_free(&from.name, &target, &to.name));
        match linked {
            Ok(()) => self.remove_file(from).map_err(|error| {
                // If the new name cannot be removed either, both names exist.
                match self.remove_file(to) {
                    Err(EngineError::Write { path, source }) => {
                        EngineError::HalfDone { path, source }
                    }
                    Err(EngineError::BeingWritten { path }) => EngineError::HalfDone {
                        path,
                        source: io::ErrorKind::ResourceBusy.into(),
                    },
                    _ => error,
                }
            }),
            Err(source) if source.kind() == io::ErrorKind::Unsupported => {
                // Some file systems have neither call. The gap between this check and the rename is
                // a race that cannot be closed there.
                if to.stamp()?.is_some() {
                    return Err(to.changed());
                }
                self.rename_over(from, to)
            }
            Err(source) => Err(taken(to, source)),
        }
    }

    /// Renames a file over the file at the new place.
    pub(super) fn rename_over(
        self,
        from: &FilePlace<'_>,
        to: &FilePlace<'_>,
    ) -> Result<(), EngineError> {
        let (folder, target) = (from.folder()?, to.folder()?);
        self.announce("rename", &to.path)
            .and_then(|()| folder.rename_over(&from.name, &target, &to.name))
            .map_err(|source| to.unwritable(source))
    }

    /// Exchanges two files of `folder` atomically. So the replaced file still exists, and can be
    /// compared afterwards and put back. Returns `false`, without any change, if the file system
    /// has no exchange.
    pub(super) fn exchange(
        self,
        folder: &Folder,
        one: &FilePlace<'_>,
        other: &FilePlace<'_>,
    ) -> Result<bool, EngineError> {
        let exchanged = self
            .announce("exchange", &other.path)
            .and_then(|()| folder.exchange(&one.name, &other.name));
        match exchanged {
            Ok(()) => Ok(true),
            Err(source) if source.kind() == io::ErrorKind::Unsupported => Ok(false),
            Err(source) if source.kind() == io::ErrorKind::NotFound => Err(other.changed()),
            Err(source) => Err(EngineError::unwritable(&other.path, source)),
        }
    }

    /// Makes the names in a folder durable: a rename reaches the disk only with its folder.
    pub(super) fn sync_folder(self, path: &VaultPath, folder: &Folder) -> Result<(), EngineError> {
        self.announce("fsync", path)
            .and_then(|()| folder.sync())
            .map_err(|source| EngineError::unwritable(path, source))
    }

    fn announce(self, call: &'static str, path: &VaultPath) -> io::Result<()> {
        self.failpoints.map_or(Ok(()), |failpoints| {
            failpoints.before(Step {
                call,
                path: path.to_string(),
            })
        })
    }
}

/// Returns the error of a call at whose new place something exists.
fn taken(place: &FilePlace<'_>, source: io::Error) -> EngineError {
    match source.kind() {
        io::ErrorKind::AlreadyExists => place.changed(),
        _ => place.unwritable(source),
    }
}
