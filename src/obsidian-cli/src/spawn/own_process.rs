//! Preparations of this process before it starts others.

use super::working_directory::WORKING_DIRECTORY;

/// Sets close-on-exec on every inherited descriptor above 2, so that the binary never sees what the
/// launcher left open (`threats.toml` C10). Must be called first in `main`.
pub fn seal_inherited_descriptors() {
    // On Windows handles are inherited only on request.
    #[cfg(unix)]
    close_fds::set_fds_cloexec(3, &[]);
}

/// Prevents other processes of the same user from tracing this one or reading its memory, and the
/// kernel from writing a core file: the memory contains note text, and in a server the token of its
/// clients (`threats.toml` L08). Child processes are not affected.
pub fn keep_memory_private() {
    // No kernel that runs this program rejects this.
    #[cfg(target_os = "linux")]
    let _set =
        rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

/// Sets the umask to 077, so that all files that this process creates are private (`threats.toml`
/// C11). Returns the previous umask, which new notes are created with (`design/backends.md`). Must be
/// called in `main`, before any thread starts.
pub fn close_new_files_to_others() -> u32 {
    #[cfg(unix)]
    {
        let others = rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO;
        // The width of the number differs between systems.
        #[cfg_attr(
            target_os = "linux",
            expect(clippy::useless_conversion, reason = "it is narrower on macOS")
        )]
        rustix::process::umask(others).bits().into()
    }
    // Windows has no umask.
    #[cfg(windows)]
    {
        0
    }
}

/// Unblocks signals that the launcher blocked, so that the gateway receives requests to terminate
/// (`threats.toml` E15). Must be called in `main`, before any thread starts.
pub fn unblock_signals() {
    // Fails only for an invalid mask.
    #[cfg(unix)]
    let _set = nix::sys::signal::SigSet::empty().thread_set_mask();
}

/// Handles SIGXFSZ, so that a write past the file size limit (`ulimit -f`) fails with `EFBIG` and
/// is rolled back, instead of killing this process (`threats.toml` H08). Must be called in `main`.
/// Children start with the default handler.
pub fn outlive_file_size_limit() {
    #[cfg(unix)]
    {
        const FILE_SIZE: i32 = 25;
        // Best effort: without the handler, exceeding the limit kills the process.
        drop(signal_hook::flag::register(
            FILE_SIZE,
            std::sync::Arc::default(),
        ));
    }
}

/// Changes to [`WORKING_DIRECTORY`], which children inherit. Must be called in `main`, after the
/// user's working directory was captured.
pub fn leave_working_directory() {
    // Best effort: each run tries again.
    drop(std::env::set_current_dir(WORKING_DIRECTORY));
}
