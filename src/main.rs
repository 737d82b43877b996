//! The `vault-gw` binary.

use std::ffi::OsString;
use std::process::ExitCode;

use vault_gw::account::Account;
use vault_gw::backend::obsidian::spawn;
use vault_gw::environment::Environment;

fn main() -> ExitCode {
    spawn::seal_inherited_descriptors();
    spawn::unblock_signals();
    spawn::outlive_file_size_limit();
    let umask = spawn::close_new_files_to_others();
    let environment = Environment::capture().with_umask(umask).with_guardian();
    spawn::leave_working_directory();
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Err(failure) = Account::current().refuse_borrowed_rights() {
        return vault_gw::program::refuse(words, &environment, failure);
    }
    #[cfg(unix)]
    if words == [spawn::GUARDIAN_WORD] {
        return spawn::watch_over_runs(&environment);
    }
    #[cfg(target_os = "linux")]
    if words == [spawn::LAUNCHER_WORD] {
        return spawn::launch();
    }
    #[cfg(target_os = "linux")]
    if words == [spawn::RUNNER_WORD] {
        return spawn::serve_runs(&environment);
    }
    vault_gw::program::run(words, &environment)
}
