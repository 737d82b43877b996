//! `vault-gw run`: any program in a fence, with a working copy of the notes that are open to an agent.

#![cfg(target_os = "linux")]

mod app_folder;
mod copy;
mod error;
mod fence;
mod home;
mod inside;
mod network;
mod profile;
mod program;
mod readable;
mod session;

use std::ffi::OsString;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

pub use self::app_folder::copied as copied_app_folder;
pub use self::copy::{TakenChange, WorkingCopy};
use self::error::Error;
pub use self::fence::FenceRole;
pub use self::fence::{Fence, FenceEnd, Proxy};
pub use self::home::Home;
pub use self::inside::{Inside, SOCKET, Served, relayed};
pub use self::network::Network;
pub use self::profile::Profile;
pub use self::program::Program;
pub use self::session::Session;
use protocol::Failure;
use sandbox::{Access, Environment, Place};

/// Folders in which programs put temporary files.
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// Folders that every program has its own of.
const OF_ITS_OWN: [&str; 2] = ["/dev", "/proc"];

/// The variables that name the proxy of a program.
const PROXY_VARIABLES: [&str; 6] = [
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "all_proxy",
];

/// The choices of a person, and the paths that must stay closed.
pub struct Surroundings<'a> {
    /// The vault, at its real path.
    pub vault: &'a Path,
    /// The copy that the program finds there instead.
    pub copy: &'a Path,
    /// The vault, and files and folders of the gateway, which the program must not see.
    pub closed: &'a [PathBuf],
    /// The name of the app's folder in the vault, and a copy of the folder, if the program may read that.
    pub app_folder: Option<(&'a str, &'a Path)>,
    /// The home of the program, if the person has one.
    pub home: Option<&'a Home>,
    /// Further paths that may be read.
    pub read: &'a [PathBuf],
    /// Further paths that may be changed.
    pub write: &'a [PathBuf],
    /// The network.
    pub network: &'a Network,
    /// Whether the program is started only if the system supports all protections.
    pub is_all_required: bool,
    /// The socket on which the gateway answers inside.
    pub socket: &'a Path,
    /// The ports of this computer that are open to the program.
    pub ports: &'a [u16],
}

impl Surroundings<'_> {
    /// Returns the fence of a program in these surroundings.
    ///
    /// # Errors
    ///
    /// If a path that the person opens does not exist, or is closed.
    pub fn fence(
        &self,
        program: &Program,
        words: Vec<OsString>,
        environment: &Environment,
    ) -> Result<Fence, Failure> {
        let profile = Profile::for_program(program.name());
        let mut places: Vec<Place> = TEMPORARY.map(|at| Place::private(at, Access::Write)).into();
        places.extend(self.home.map(Home::places).unwrap_or_default());
        let read = profile::meant_by(&profile.read, environment).into_iter();
        let read = read.filter(|meant| meant.below.is_none());
        places.extend(read.map(|meant| Place::same(meant.from, Access::Read)));
        let files = program.files(environment).into_iter();
        places.extend(files.map(|path| Place::same(path, Access::Read)));
        // The entry of an MCP client names this program by its path.
        let own = std::env::current_exe().ok();
        let own = own.filter(|own| !self.write.iter().any(|path| own.starts_with(path)));
        places.extend(own.map(|path| Place::same(path, Access::Read)));
        for path in self.read {
            places.extend(readable::places(
                &self.checked(path, Access::Read)?,
                self.closed,
            ));
        }
        for path in self.write {
            places.push(Place::same(
                self.checked(path, Access::Write)?,
                Access::Write,
            ));
        }
        places.extend(profile.hidden.iter().map(Place::hidden));
        places.extend(self.closed.iter().map(Place::hidden));
        places.push(Place::other(self.copy, self.vault, Access::Write));
        if let Some((name, folder)) = self.app_folder {
            let at = self.vault.join(name);
            places.push(Place::other(folder, at, Access::Read));
        }
        places.push(Place::other(self.socket, Inside::place(), Access::Write));
        let mut variables = variables(&profile, environment);
        let mut ports = Vec::new();
        let mut closed_ports = Vec::new();
        let mut proxy = None;
        match self.network {
            Network::Off => {}
            Network::Loopback => ports.extend_from_slice(self.ports),
            Network::On => {
                closed_ports = fence::closed_ports(&[self.ports, &proxies(environment)].concat());
            }
            Network::Allow(hosts) => {
                proxy = Some(Proxy::new([&profile.hosts[..], hosts].concat()));
                ports.extend_from_slice(self.ports);
                ports.push(fence::PROXY_PORT);
                through_the_proxy(&mut variables);
            }
        }
        Ok(Fence {
            places,
            network: self.network.clone(),
            is_all_required: self.is_all_required,
            ports,
            proxy,
            closed_ports,
            program: program.path.clone(),
            words,
            variables,
            working_directory: self.start(environment),
            home: self.home.map(|home| home.folder().to_owned()),
        })
    }

    /// A path that the person opens.
    fn checked(&self, path: &Path, access: Access) -> Result<PathBuf, Failure> {
        let closed = |why| Error::ClosedPath(path.to_owned(), why);
        let real = fs_err::canonicalize(path).map_err(|_| closed("does not exist"))?;
        if OF_ITS_OWN.iter().any(|folder| real == Path::new(folder)) {
            let why = "differs for each program; pass a file or folder in it";
            return Err(closed(why).into());
        }
        let is_pipe = fs_err::metadata(&real).is_ok_and(|found| {
            let kind = found.file_type();
            kind.is_socket() || kind.is_fifo()
        });
        if is_pipe && access == Access::Read {
            let why = "is a socket or a pipe, which needs `--allow-write`";
            return Err(closed(why).into());
        }
        if self.closed.iter().any(|it| real.starts_with(it)) {
            return Err(closed("is never allowed for a program in a fence; omit it").into());
        }
        let mut inside = self.closed.iter().filter(|it| it.starts_with(&real));
        let opens = match access {
            // A program could rename a folder above a closed path, and put another folder there.
            Access::Write => inside.next().is_some(),
            // A file that is replaced outside is closed no longer, unless a folder around it is.
            Access::Read => inside.any(|it| it.is_file() && !self.is_in_closed_folder(it)),
        };
        if opens {
            let why = "contains the vault or files of vault-gw; pass a folder in it";
            return Err(closed(why).into());
        }
        Ok(path.to_owned())
    }

    fn is_in_closed_folder(&self, file: &Path) -> bool {
        let mut others = self.closed.iter().filter(|it| *it != file);
        others.any(|it| file.starts_with(it))
    }

    /// Returns the folder in which the program starts: the person's folder, if that is in the
    /// vault.
    fn start(&self, environment: &Environment) -> PathBuf {
        let here = environment.working_directory();
        let here = here.and_then(|here| fs_err::canonicalize(here).ok());
        let inside = here
            .as_deref()
            .and_then(|here| here.strip_prefix(self.vault).ok());
        // A closed folder is not in the copy.
        let inside = inside.filter(|below| self.copy.join(below).is_dir());
        inside.map_or_else(|| self.vault.to_owned(), |below| self.vault.join(below))
    }
}

/// The `PATH` of a program if the person's is not set.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Returns the variables of a program, with this program in its `PATH`.
fn variables(profile: &Profile, environment: &Environment) -> Vec<(OsString, OsString)> {
    let mut variables = profile.variables(environment);
    let mut path = match variables.iter().position(|(name, _)| name == "PATH") {
        Some(at) => variables.swap_remove(at).1,
        None => USUAL_PATH.into(),
    };
    path.push(":");
    path.push(fence::OWN_FOLDER);
    variables.push(("PATH".into(), path.clone()));
    variables.push((home::SEARCH_PATH.into(), path));
    variables.push((SOCKET.into(), Inside::place().into()));
    variables
}

/// Has programs use the proxy in the network of the fence.
fn through_the_proxy(variables: &mut Vec<(OsString, OsString)>) {
    let address = format!("http://127.0.0.1:{}", fence::PROXY_PORT);
    let local = "localhost,127.0.0.1,::1";
    let set = PROXY_VARIABLES.map(|name| (name, address.as_str()));
    let set = set.into_iter().chain([
        ("NO_PROXY", local),
        ("no_proxy", local),
        ("NODE_USE_ENV_PROXY", "1"),
    ]);
    for (name, value) in set {
        variables.retain(|(known, _)| known != name);
        variables.push((name.into(), value.into()));
    }
}

/// Returns the ports of the person's own proxies, which programs need.
fn proxies(environment: &Environment) -> Vec<u16> {
    let named = environment
        .variables()
        .filter(|(name, _)| PROXY_VARIABLES.iter().any(|it| name == it));
    let ports = named.filter_map(|(_, value)| {
        value
            .to_str()?
            .trim_end_matches('/')
            .rsplit_once(':')?
            .1
            .parse()
            .ok()
    });
    ports.collect()
}
