//! The `vault-gw` binary.

use std::process::ExitCode;

use vault_gw::environment::Environment;

fn main() -> ExitCode {
    vault_gw::backend::obsidian::spawn::seal_inherited_descriptors();
    vault_gw::cli::run(std::env::args_os().skip(1), &Environment::of_this_process())
}
