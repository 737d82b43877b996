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

    /// Makes a temporary file in `folder` with these bytes, synced to the disk. It gets the owner,
    /// permissions and attributes of `model`, or without a model the permissions `mode`, and its name at last.
    pub(super) fn write_new(
        self,
        folder: &Folder,
        place: &FilePlace<'_>,
        bytes: &[u8],
        mode: u32,
        model: Option<&File>,
    ) -> Result<(), EngineError> {
        let written = |source| place.unwritable(source);
        let part = place.while_written()?;
        self.announce("open-create", &place.path).map_err(written)?;
        let mut file = folder.create_file(&part.name).map_err(written)?;
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
        let written_whole = write_all().map_err(written);
        drop(file);
        written_whole
            .and_then(|()| self.move_to_free(&part, place))
            .inspect_err(|_| {
                // A half-written file is useless. If this removal fails too, recovery repeats it.
                let _removed = self.remove_file(&part);
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

    /// Renames a file from or to a temporary name, atomically and never over another file:
    /// [`EngineError::Changed`] if something exists at the new place.
    pub(super) fn move_to_free(
        self,
        from: &FilePlace<'_>,
        to: &FilePlace<'_>,
    ) -> Result<(), EngineError> {
        if self.rename_to_free(from, to)? {
            return Ok(());
        }
        let _handle = hold_for_removal(from)?;
        // Another program may save the file under its own name between a link and the removal of that name.
        if to.is_temporary() || !self.link(from, to)? {
            return self.rename_if_free(from, to);
        }
        self.remove_file(from)
            .map_err(|error| self.without_link(to, error))
    }

    /// Renames a file, never over another, also between two spellings of one name. On a file system that
    /// ignores case or normalization, the file itself is at the new place. `aside` is a temporary name next to `from`.
    pub(super) fn move_or_respell(
        self,
        from: &FilePlace<'_>,
        to: &FilePlace<'_>,
        aside: &FilePlace<'_>,
    ) -> Result<(), EngineError> {
        match self.move_by_way_of(from, to, aside) {
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

    /// Renames a file. Without a rename that fails if the new name is taken, links it to the new name, and removes
    /// the old name by way of `aside`: there no program can save it any more.
    fn move_by_way_of(
        self,
        from: &FilePlace<'_>,
        to: &FilePlace<'_>,
        aside: &FilePlace<'_>,
    ) -> Result<(), EngineError> {
        if self.rename_to_free(from, to)? {
            return Ok(());
        }
        let _handle = hold_for_removal(from)?;
        if !self.link(from, to)? {
            return self.rename_if_free(from, to);
        }
        let linked = to.stamp()?;
        self.rename_if_free(from, aside)
            .and_then(|()| {
                // Otherwise another program has replaced the file since it was linked.
                let is_it = linked.is_some_and(|stamp| aside.is_still(stamp));
                is_it.then_some(()).ok_or_else(|| from.changed())?;
                self.remove_file(aside)
            })
            .map_err(|error| match aside.stamp() {
                Ok(None) => self.without_link(to, error),
                _ => match self.move_to_free(aside, from) {
                    Ok(()) => self.without_link(to, error),
                    Err(stuck) => half_done(stuck),
                },
            })
    }

    /// Renames a file. Returns `false`, without any change, if the file system has no rename that fails if the new
    /// name is taken.
    fn rename_to_free(self, from: &FilePlace<'_>, to: &FilePlace<'_>) -> Result<bool, EngineError> {
        let (folder, target) = (from.folder()?, to.folder()?);
        let renamed = self
            .announce("rename", &to.path)
            .and_then(|()| folder.rename_to_free(&from.name, &target, &to.name));
        is_supported(renamed).map_err(|source| taken(to, source))
    }

    /// Gives a file a second name. Returns `false`, without any change, if the file system has no hard links.
    pub(super) fn link(
        self,
        from: &FilePlace<'_>,
        to: &FilePlace<'_>,
    ) -> Result<bool, EngineError> {
        let (folder, target) = (from.folder()?, to.folder()?);
        let linked = self
            .announce("link", &to.path)
            .and_then(|()| folder.link_to_free(&from.name, &target, &to.name));
        is_supported(linked).map_err(|source| taken(to, source))
    }

    /// Renames a file if nothing exists at the new place. The gap between the check and the rename is a race, but no
    /// other program uses a temporary name.
    fn rename_if_free(self, from: &FilePlace<'_>, to: &FilePlace<'_>) -> Result<(), EngineError> {
        if to.stamp()?.is_some() {
            return Err(to.changed());
        }
        self.rename_over(from, to)
    }

    /// Removes the second name of a file after an error. If that fails too, both names exist.
    fn without_link(self, second: &FilePlace<'_>, error: EngineError) -> EngineError {
        self.remove_file(second).map_or_else(half_done, |()| error)
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

/// Keeps a file removable until the result is dropped.
fn hold_for_removal(place: &FilePlace<'_>) -> Result<impl Sized, EngineError> {
    let held = place.folder()?.hold_for_removal(&place.name);
    held.map_err(|source| place.unwritable(source))
}

/// Returns whether the file system has a call.
fn is_supported(made: io::Result<()>) -> io::Result<bool> {
    match made {
        Err(source) if source.kind() == io::ErrorKind::Unsupported => Ok(false),
        other => other.map(|()| true),
    }
}

/// Returns the error of an edit of which a step cannot be rolled back.
pub(super) fn half_done(stuck: EngineError) -> EngineError {
    let (path, source) = match stuck {
        EngineError::Write { path, source }
        | EngineError::Io { path, source }
        | EngineError::HalfDone { path, source } => (path, source),
        EngineError::Changed { path }
        | EngineError::BeingWritten { path }
        | EngineError::Symlink { path } => (
            path,
            io::Error::other("another program wrote there at the same time"),
        ),
        other => (VaultPath::root(), io::Error::other(other.to_string())),
    };
    EngineError::HalfDone { path, source }
}

/// Returns the error of a call at whose new place something exists.
fn taken(place: &FilePlace<'_>, source: io::Error) -> EngineError {
    match source.kind() {
        io::ErrorKind::AlreadyExists => place.changed(),
        _ => place.unwritable(source),
    }
}
