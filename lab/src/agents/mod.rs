//! `cargo lab agents`: real programs in the fence of `vault-gw run`, with a scripted model.
//!
//! Each program does five tasks with its own tools, and then looks for a folder that is closed to it. The model is this
//! chore, so every byte of its requests is known.

mod model;
mod programs;
mod protocol;
mod scene;
mod tasks;

use std::path::{Path, PathBuf};

use chores::{Fault, ensure};

use self::programs::Programs;
use self::scene::Scene;
use self::tasks::Plan;
use crate::world::{World, installed, ours, search_path};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// A folder with the agents' programs, before those of PATH
    #[arg(long)]
    programs: Option<PathBuf>,
    /// Runs this one alone
    #[arg(long)]
    only: Option<String>,
}

/// Runs the programs that there are, and returns the table.
///
/// # Errors
///
/// If a program does not do a task, or gets what is closed to it.
pub(crate) fn run(options: &Options, binary: Option<&Path>) -> Result<String, Fault> {
    if !cfg!(target_os = "linux") {
        return Ok("skipped: `vault-gw run` is for Linux".to_owned());
    }
    let ours = ours(binary)?;
    let mut path = search_path();
    if let Some(programs) = &options.programs {
        path.insert(0, std::path::absolute(programs)?);
    }
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
    let programs = Programs::read()?;
    let plan: Plan = toml::from_str(include_str!("tasks.toml"))?;
    for program in &programs.program {
        let name = &program.name;
        if options.only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let Some(file) = installed(name, &path) else {
            table += &format!("{name:<8} is not installed: --programs DIR\n");
            continue;
        };
        let world = World::make(&ours, &scratch.path().join(name), &tasks::settings(name))?;
        let scene = Scene::make(&programs, &plan, program, file, world, &path)?;
        let (row, found) = scene.play();
        table += &row;
        for fault in found {
            faults += &format!("\n{name}: {fault}");
        }
    }
    ensure(faults.is_empty(), &format!("{table}{faults}"))?;
    Ok(table)
}
