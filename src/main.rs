//! The `vault-gw` binary.

use std::process::ExitCode;

use vault_gw::backend::obsidian::spawn;
use vault_gw::environment::Environment;

fn main() -> ExitCode {
    spawn::seal_inherited_descriptors();
    let umask = spawn::close_new_files_to_others();
    let environment = Environment::of_this_process().with_umask(umask);
    vault_gw::cli::run(std::env::args_os().skip(1), &environment)
}
