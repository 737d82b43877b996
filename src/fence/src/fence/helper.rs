//! Makes the namespaces and the file tree of a fence, and starts its first process.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;

use super::order::{FenceOrder, News, Way};
use super::role::FenceRole;
use super::{OWN_FOLDER, stage};
use crate::network::Network;
use obsidian_cli::spawn::message::{receive, send};
use sandbox::{Access, FencedRoot, Place};

/// The name of this program inside.
const OWN_NAME: &str = "vault-gw";

/// Increase of the likelihood that a process is ended when memory runs out (`proc_pid_oom_score_adj(5)`).
const OUT_OF_MEMORY: &str = "500";

/// Returns the main function of the helper: makes the fence, and waits for its end.
pub(super) fn make(mut socket: UnixStream) -> io::Result<()> {
    // A program that takes all memory is ended before the person's programs.
    let _not_allowed = fs_err::write("/proc/self/oom_score_adj", OUT_OF_MEMORY);
    // Signals of the keyboard are not for this process.
    rustix::process::setsid()?;
    let order: FenceOrder = receive(&mut socket)?;
    if order.way == Way::Rules {
        return stage::lead(socket);
    }
    let own = Path::new(OWN_FOLDER).join(OWN_NAME);
    let made = build(order, &own).and_then(|()| {
        send(&mut socket, &News::Made)?;
        FenceRole::Init.start(&own, &socket)
    });
    let mut init = match made {
        Ok(init) => init,
        Err(error) => return send(&mut socket, &News::NotMade(error.to_string())),
    };
    // The socket must close when the first process ends.
    drop(socket);
    rustix::stdio::dup2_stdin(fs_err::File::open("/dev/null")?)?;
    init.wait().map(drop)
}

fn build(order: FenceOrder, own: &Path) -> io::Result<()> {
    if !order.kernel.trees {
        return Err(io::ErrorKind::Unsupported.into());
    }
    // By its path, because an open file belongs to the mounts outside.
    let program = std::env::current_exe()?;
    let mut places = order.fence.places;
    places.push(Place::other(&program, own, Access::Read));
    let root = FencedRoot::new(&places);
    FencedRoot::begin(order.fence.network != Network::On)?;
    root.build()
}
