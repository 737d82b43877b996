//! `cargo xtask agents`: real programs in the fence of `vault-gw run`, with a scripted model.
//!
//! Each program does five tasks with its own tools, and then looks for a folder that is closed to it.
//! The model is this chore, so what it was told is known to the byte.

mod model;
mod programs;
mod protocol;
mod scene;
mod tasks;

use std::path::{Path, PathBuf};

use vault_gw::environment::Environment;

use self::programs::Kind;
use self::scene::Scene;
use crate::Fault;
use crate::bench::programs::Programs;
use crate::words::Words;

/// Runs the programs that there are, and returns the table.
///
/// # Errors
///
/// If a program does not do a task, or gets what is closed to it.
pub(crate) fn run(words: &[&str]) -> Result<String, Fault> {
    let words = Words::read(words, &["--binary", "--programs", "--only"])?;
    words.expect_no_rest()?;
    if !cfg!(target_os = "linux") {
        return Ok("skipped: `vault-gw run` is for Linux".to_owned());
    }
    let ours = Programs::find(words.option("--binary").map(Path::new))?.ours;
    let path = search_path(words.option("--programs"));
    // Beside this program and not below `/tmp`, where the fence has a folder of its own.
    let this = std::env::current_exe()?;
    let beside = this.parent().ok_or("a program without a folder")?;
    let scratch = tempfile::Builder::new()
        .prefix("agents-")
        .tempdir_in(beside)?;
    let mut table =
        "program  tasks own-sandbox unchanged review one-hunk closed requests seconds version\n"
            .to_owned();
    let mut faults = String::new();
    let only = words.option("--only");
    for kind in Kind::ALL {
        let name = kind.name();
        if only.is_some_and(|only| only != name) {
            continue;
        }
        let Some(program) = installed(name, &path) else {
            table += &format!("{name:<8} is not installed: --programs DIR\n");
            continue;
        };
        let scene = Scene::make(kind, program, &ours, &scratch.path().join(name), &path)?;
        let (row, found) = scene.play();
        table += &row;
        for fault in found {
            faults += &format!("\n{name}: {fault}");
        }
    }
    if faults.is_empty() {
        return Ok(table);
    }
    Err(format!("{table}{faults}").into())
}

/// The folders with programs, that of the option first.
fn search_path(first: Option<&str>) -> Vec<PathBuf> {
    let environment = Environment::capture();
    let path = environment.variable("PATH").unwrap_or_default();
    let first = first.map(|folder| environment.absolute(Path::new(folder)));
    let all = first.into_iter().chain(std::env::split_paths(path));
    all.collect()
}

fn installed(name: &str, path: &[PathBuf]) -> Option<PathBuf> {
    let mut files = path.iter().map(|folder| folder.join(name));
    files.find(|file| file.is_file())
}
