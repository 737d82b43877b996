//! The fence around a program and all its descendants.
//!
//! A helper, which is this program again, makes the namespaces and the file tree, and starts the first process of the
//! fence. That process gives up its rights, starts the program, and ends with it; the kernel then ends the rest. Both
//! talk to the gateway over one socket, their standard input, so the first process gets the person's standard input
//! over the socket. When the gateway dies, the socket closes, and the fence ends. The program has its own terminal,
//! and no process of the fence is in the person's session.

mod helper;
mod init;
mod order;
mod outside;
mod port;
mod proxy;
mod relay;
mod role;
mod screen;
mod services;
mod stage;
mod terminal;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use self::order::FenceEnd;
pub(crate) use self::outside::Fenced;
pub(crate) use self::proxy::PORT as PROXY_PORT;
pub use self::proxy::Proxy;
pub(crate) use self::services::closed_ports;

pub use self::role::FenceRole;
use super::network::Network;
use sandbox::{Place, any_path};

/// The folder of this program inside, so that it can be called there: in the root folder, which is always ours.
pub(crate) const OWN_FOLDER: &str = "/.vault-gw";

/// The program, and the files and network that it sees. Not `Debug`, because the words may contain note text
/// (`threats.toml` F12).
#[derive(Clone, Serialize, Deserialize)]
pub struct Fence {
    /// The places of the file tree.
    pub places: Vec<Place>,
    /// The network that the program can use.
    pub network: Network,
    /// Whether the program is started only if the system supports all protections.
    pub is_all_required: bool,
    /// The ports of the fence's own network that lead outside, to the same port or to the proxy.
    pub ports: Vec<u16>,
    /// The proxy to hosts, if the network is [`Network::Allow`]. It is outside.
    #[serde(skip)]
    pub proxy: Option<Arc<Proxy>>,
    /// The ports to which the program may not connect, if the network is [`Network::On`].
    pub closed_ports: Vec<u16>,
    /// The program, by its path inside.
    #[serde(with = "any_path")]
    pub program: PathBuf,
    /// The arguments of the program.
    pub words: Vec<OsString>,
    /// The environment variables of the program, which gets no others.
    pub variables: Vec<(OsString, OsString)>,
    /// The folder in which it starts.
    #[serde(with = "any_path")]
    pub working_directory: PathBuf,
    /// The folder of its home outside.
    #[serde(skip)]
    pub home: Option<PathBuf>,
}
