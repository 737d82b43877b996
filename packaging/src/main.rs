//! Packs the built program for every channel, and tries each package. `cargo xtask dist` runs it.

mod facts;
mod files;
mod formats;
mod pack;
mod system;
mod trial;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// What went wrong, for the person who packs.
type Fault = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["pack", parts, packages] => pack::run(Path::new(parts), Path::new(packages)),
        ["try", parts, packages] => trial::run(Path::new(parts), Path::new(packages)),
        _ => Err("usage: vault-gw-packaging pack|try PARTS PACKAGES".into()),
    };
    match result {
        Ok(report) => {
            drop(writeln!(std::io::stdout(), "{report}"));
            ExitCode::SUCCESS
        }
        Err(fault) => {
            drop(writeln!(std::io::stderr(), "error: {fault}"));
            ExitCode::FAILURE
        }
    }
}
