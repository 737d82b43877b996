//! `vault-gw run`: any program in a fence, with a working copy of the notes that are open to an agent.

mod copy;
mod fence;
mod home;
mod inside;
mod profile;
mod program;
mod session;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub(crate) use self::copy::WorkingCopy;
pub use self::fence::FenceRole;
pub(crate) use self::fence::{Fence, FenceEnd, Network};
pub(crate) use self::home::Home;
pub(crate) use self::inside::{Inside, SOCKET, Served, relayed};
pub(crate) use self::profile::Profile;
pub(crate) use self::program::Program;
pub(crate) use self::session::Session;
use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::sandbox::{Access, Place};

/// Where programs put what nobody needs later.
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// The app's folder in the vault, with its settings and plugins.
pub(crate) const APP_FOLDER: &str = ".obsidian";

/// What a person asks for, and what must stay closed.
pub(crate) struct Surroundings<'a> {
    /// The vault, at its real path.
    pub(crate) vault: &'a Path,
    /// What the program finds there instead.
    pub(crate) copy: &'a Path,
    /// The vault, and files and folders of the gateway, which nobody may see.
    pub(crate) closed: &'a [PathBuf],
    /// The real path of the app's folder in the vault, if the program may read it.
    pub(crate) app_folder: Option<&'a Path>,
    /// The home of the program, if the person has one.
    pub(crate) home: Option<&'a Home>,
    /// What may be read too.
    pub(crate) read: &'a [PathBuf],
    /// What may be changed too.
    pub(crate) write: &'a [PathBuf],
    /// The network.
    pub(crate) network: Network,
    /// Whether nothing is started where the system cannot do all of it.
    pub(crate) is_all_required: bool,
    /// The socket on which the gateway answers inside.
    pub(crate) socket: &'a Path,
    /// The ports that lead outside.
    pub(crate) ports: &'a [u16],
}

impl Surroundings<'_> {
    /// The fence of a program in these surroundings.
    ///
    /// # Errors
    ///
    /// If a path that the person opens does not exist, or is closed.
    pub(crate) fn fence(
        &self,
        program: &Program,
        words: Vec<OsString>,
        environment: &Environment,
    ) -> Result<Fence, Failure> {
        let profile = Profile::for_program(program.name())?;
        let mut places: Vec<Place> = TEMPORARY.map(Place::private).into();
        places.extend(self.home.map(Home::places).unwrap_or_default());
        let read = profile.read(environment).into_iter();
        let read = read.filter(|meant| meant.below.is_none());
        places.extend(read.map(|meant| Place::same(meant.from, Access::Read)));
        let files = program.files(environment).into_iter();
        places.extend(files.map(|path| Place::same(path, Access::Read)));
        // The entry of an MCP client names this program by its path.
        let own = std::env::current_exe().ok();
        let own = own.filter(|own| !self.write.iter().any(|path| own.starts_with(path)));
        places.extend(own.map(|path| Place::same(path, Access::Read)));
        for (paths, access) in [(self.read, Access::Read), (self.write, Access::Write)] {
            for path in paths {
                places.push(Place::same(self.checked(path, access)?, access));
            }
        }
        places.extend(profile.hidden_paths().map(Place::hidden));
        places.extend(self.closed.iter().map(Place::hidden));
        places.push(Place::other(self.copy, self.vault, Access::Write));
        if let Some(folder) = self.app_folder {
            let at = self.vault.join(APP_FOLDER);
            places.push(Place::other(folder, at, Access::Read));
        }
        places.push(Place::other(self.socket, Inside::place(), Access::Write));
        Ok(Fence {
            places,
            network: self.network,
            is_all_required: self.is_all_required,
            ports: self.ports.to_vec(),
            program: program.path.clone(),
            words,
            variables: variables(&profile, environment),
            working_directory: self.start(environment),
            home: self.home.map(|home| home.folder().to_owned()),
        })
    }

    /// A path that the person opens.
    fn checked(&self, path: &Path, access: Access) -> Result<PathBuf, Failure> {
        let usage = |why: &str| {
            let message = format!("`{}` {why}.", path.display());
            Code::UsageError.failure(message)
        };
        let real = fs_err::canonicalize(path).map_err(|_| usage("does not exist"))?;
        if self.closed.iter().any(|it| real.starts_with(it)) {
            return Err(usage("is closed to every program in a fence; leave it out"));
        }
        let mut inside = self.closed.iter().filter(|it| it.starts_with(&real));
        let opens = match access {
            // A program could rename a folder above what is closed, and put another one there.
            Access::Write => inside.next().is_some(),
            // A file that is replaced outside is closed no longer, unless a folder around it is.
            Access::Read => inside.any(|it| it.is_file() && !self.is_in_closed_folder(it)),
        };
        if opens {
            return Err(usage("contains the vault or files of vault-gw; name a folder below it"));
        }
        Ok(path.to_owned())
    }

    fn is_in_closed_folder(&self, file: &Path) -> bool {
        let mut others = self.closed.iter().filter(|it| *it != file);
        others.any(|it| file.starts_with(it))
    }

    /// Where the program starts: where the person is, if that is in the vault.
    fn start(&self, environment: &Environment) -> PathBuf {
        let here = environment.working_directory();
        let here = here.and_then(|here| fs_err::canonicalize(here).ok());
        let inside = here.as_deref().and_then(|here| here.strip_prefix(self.vault).ok());
        // A closed folder is not in the copy.
        let inside = inside.filter(|below| self.copy.join(below).is_dir());
        inside.map_or_else(|| self.vault.to_owned(), |below| self.vault.join(below))
    }
}

/// The variables of a program, with this program among those that it finds.
fn variables(profile: &Profile, environment: &Environment) -> Vec<(OsString, OsString)> {
    let mut variables = profile.variables(environment);
    for (name, value) in &mut variables {
        if name == "PATH" {
            value.push(":");
            value.push(fence::OWN_FOLDER);
        }
    }
    variables.push((SOCKET.into(), Inside::place().into()));
    variables
}
