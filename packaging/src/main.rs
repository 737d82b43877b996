//! Packs the built program for every channel, and tries each package. `cargo xtask dist` runs it.

mod facts;
mod files;
mod formats;
mod pack;
mod system;
mod trial;

use std::path::Path;
use std::process::ExitCode;

use chores::Fault;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    chores::end(match words.as_slice() {
        ["pack", parts, packages] => pack::run(Path::new(parts), Path::new(packages)),
        ["try", parts, packages] => trial::run(Path::new(parts), Path::new(packages)),
        _ => Err("usage: vault-gw-packaging pack|try PARTS PACKAGES".into()),
    })
}
