//! A fence without namespaces: rules for the files that are there, and an end for every process.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions};

use super::order::{FenceOrder, News};
use super::role::FenceRole;
use super::{init, terminal};
use crate::network::Network;
use obsidian_cli::spawn::descriptor;
use obsidian_cli::spawn::message::{receive, send};
use sandbox::{Access, Confiner, Place};

/// Leads the fence: processes that lose their parent get this process as their parent, as in other fences.
pub(super) fn lead(mut socket: UnixStream) -> io::Result<()> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    send(&mut socket, &News::Made)?;
    let mut order: FenceOrder = receive(&mut socket)?;
    let missing = Confiner::new(order.kernel).missing_by_rules(&order.fence.closed_ports);
    let terminal = init::report(&mut socket, missing, &order)?;
    let stdin = descriptor::take(&socket)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    let stdin = match terminal {
        None => stdin,
        Some((terminal, order)) => {
            rustix::stdio::dup2_stdin(stdin)?;
            terminal.attach(order)?;
            std::os::fd::AsFd::as_fd(&rustix::stdio::stdin()).try_clone_to_owned()?
        }
    };
    let temporary = Temporary::make()?;
    temporary.point_out(&mut order.fence.variables);
    let place = Place::same(&temporary.folder, Access::Write);
    order.fence.places.push(place);
    let (mut stage, theirs) = UnixStream::pair()?;
    let program = FenceRole::Stage.start(Path::new("/proc/self/exe"), &theirs)?;
    drop(theirs);
    send(&mut stage, &order)?;
    descriptor::give(&stage, std::os::fd::AsFd::as_fd(&stdin))?;
    drop(stdin);
    rustix::stdio::dup2_stdin(fs_err::File::open("/dev/null")?)?;
    // The socket closes when the stage becomes the program.
    if let Ok(news) = receive::<News>(&mut stage) {
        return send(&mut socket, &news);
    }
    let ended = init::accompany(socket, init::pid(&program)?);
    end_all();
    ended
}

/// Ends every process that is left. A process whose parent ends becomes a child of this one.
fn end_all() {
    loop {
        for process in descendants() {
            let _gone = rustix::process::kill_process(process, Signal::KILL);
        }
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_none_left) => return,
        }
        // There may be thousands, and each look at all processes takes long.
        while let Ok(Some(_)) = rustix::process::wait(WaitOptions::NOHANG) {}
    }
}

/// Returns the processes that this one started, and their descendants.
fn descendants() -> Vec<Pid> {
    let processes = fs_err::read_dir("/proc").into_iter().flatten().flatten();
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for (pid, parent) in processes.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        Some((pid, sandbox::client::parent_of(pid)?))
    }) {
        children.entry(parent).or_default().push(pid);
    }
    let mut found = Vec::new();
    let mut next = vec![rustix::process::getpid().as_raw_pid()];
    while let Some(process) = next.pop() {
        let started = children.remove(&process).unwrap_or_default();
        found.extend(started.iter().copied().filter_map(Pid::from_raw));
        next.extend(started);
    }
    found
}

/// Returns the main function of the stage. Returns only if the program was not started.
pub(super) fn become_the_program(mut socket: UnixStream) -> io::Result<()> {
    let order: FenceOrder = receive(&mut socket)?;
    let stdin = descriptor::take(&socket)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    let news = match confine(stdin, &order) {
        Ok(()) => {
            let errno = order.command().exec().raw_os_error();
            News::NotStarted(errno.unwrap_or_default())
        }
        Err(error) => News::NotMade(error.to_string()),
    };
    send(&mut socket, &news)
}

fn confine(stdin: std::os::fd::OwnedFd, order: &FenceOrder) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    rustix::stdio::dup2_stdin(stdin)?;
    rustix::process::setpgid(None, None)?;
    if order.terminal.is_some_and(|terminal| terminal.foreground) {
        terminal::give(rustix::process::getpgrp())?;
    }
    let fence = &order.fence;
    let is_offline = fence.network == Network::Off;
    Confiner::new(order.kernel)
        .by_rules(&fence.places, is_offline, &fence.closed_ports)
        .map_err(io::Error::other)
}

/// A folder for temporary files, which is removed with the fence.
struct Temporary {
    folder: PathBuf,
}

impl Temporary {
    fn make() -> io::Result<Self> {
        let own = rustix::process::getpid().as_raw_pid();
        let folder = std::env::temp_dir().join(format!("vault-gw-run-{own}"));
        std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
        Ok(Self { folder })
    }

    /// Sets `TMPDIR` of the program to this folder.
    fn point_out(&self, variables: &mut Vec<(OsString, OsString)>) {
        variables.retain(|(name, _)| name != "TMPDIR");
        variables.push(("TMPDIR".into(), self.folder.clone().into()));
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _left = fs_err::remove_dir_all(&self.folder);
    }
}
