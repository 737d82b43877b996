//! Limits on memory, file size and threads of the official command line, and of programs in a fence.

use rustix::process::{Resource, Rlimit, setrlimit};

/// The largest data segment, in bytes. The thin command line needs less than one percent of it.
const DATA: u64 = 1 << 30;

/// The largest address space, in bytes. Interpreters reserve far more than they use.
const ADDRESS_SPACE: u64 = 64 << 30;

/// The maximum number of open files of the process.
const OPEN_FILES: u64 = 256;

/// Number of threads allowed in addition to the present threads of all users. The kernel counts the threads of the
/// user, so a lower limit could stop a child because of the user's other programs.
const MORE_THREADS: u64 = 64;

/// Limits this process and what it starts or becomes. Keeps limits that are lower already.
pub(super) fn limit_this_process() -> rustix::io::Result<()> {
    let threads = u64::from(rustix::system::sysinfo().procs) + MORE_THREADS;
    for (resource, most) in [
        (Resource::Core, 0),
        // It only writes to pipes, which this limit does not affect.
        (Resource::Fsize, 0),
        (Resource::Data, DATA),
        (Resource::As, ADDRESS_SPACE),
        (Resource::Nofile, OPEN_FILES),
        (Resource::Nproc, threads),
    ] {
        lower(resource, most)?;
    }
    Ok(())
}

/// The maximum number of threads in a fence that counts its own, which one with namespaces does.
const THREADS_IN_FENCE: u64 = 8192;

/// Limits the threads of a fence, and of the program that this process becomes or starts. `counts_its_own` says
/// whether only the threads of the fence are counted. Memory is not limited, because many programs reserve more than
/// they use.
pub(super) fn limit_a_fence(counts_its_own: bool) -> rustix::io::Result<()> {
    let others = if counts_its_own {
        0
    } else {
        u64::from(rustix::system::sysinfo().procs)
    };
    lower(Resource::Core, 0)?;
    lower(Resource::Nproc, others + THREADS_IN_FENCE)
}

/// Forbids core files for this process and what it starts, because they would contain note text
/// (`threats.toml` L08).
pub(super) fn leave_no_core_files() -> rustix::io::Result<()> {
    lower(Resource::Core, 0)
}

fn lower(resource: Resource, most: u64) -> rustix::io::Result<()> {
    let now = rustix::process::getrlimit(resource);
    let lower = |limit: Option<u64>| Some(limit.map_or(most, |limit| limit.min(most)));
    setrlimit(
        resource,
        Rlimit {
            current: lower(now.current),
            maximum: lower(now.maximum),
        },
    )
}
