//! The `vault-gw` binary.

use std::ffi::OsString;
use std::process::ExitCode;

use vault_gw::account::Account;
use vault_gw::backend::obsidian::spawn;
use vault_gw::environment::Environment;

/// The static program brings its own allocator. With the allocator of musl, this program takes half
/// as long again; with this one, as long as with the allocator of glibc.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    spawn::seal_inherited_descriptors();
    let borrowed_rights = Account::current().refuse_borrowed_rights().err();
    #[cfg(target_os = "linux")]
    if borrowed_rights.is_none() && std::env::args_os().skip(1).eq([spawn::LAUNCHER_WORD]) {
        // Checked first, because each call of the official program waits for it.
        return spawn::launch();
    }
    #[cfg(target_os = "linux")]
    if borrowed_rights.is_none()
        && let Some(role) = vault_gw::run::FenceRole::from_words(std::env::args_os().skip(1))
    {
        return role.play();
    }
    spawn::keep_memory_private();
    spawn::unblock_signals();
    spawn::outlive_file_size_limit();
    let umask = spawn::close_new_files_to_others();
    let mut environment = Environment::capture().with_guardian();
    environment.umask = umask;
    spawn::leave_working_directory();
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some(failure) = borrowed_rights {
        return vault_gw::program::refuse(words, &environment, failure);
    }
    #[cfg(unix)]
    if words == [spawn::GUARDIAN_WORD] {
        return spawn::watch_over_runs(&environment);
    }
    #[cfg(target_os = "linux")]
    if words == [spawn::RUNNER_WORD] {
        return spawn::serve_runs(&environment);
    }
    vault_gw::program::run(words, &environment)
}
