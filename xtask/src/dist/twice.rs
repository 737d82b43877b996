//! The trials that build: the same again in another folder, and `cargo install`.

use std::path::Path;
use std::time::Instant;

use super::build::{Builder, printed};
use super::{DistOptions, copy_binaries, empty, packaging, parts, program_path};
use crate::targets::command;

/// The line of a trial.
pub(super) fn row(name: &str, result: &Result<(f32, String), String>) -> String {
    match result {
        Ok((seconds, what)) => format!("{name:20} {seconds:5.1} s  ok: {what}"),
        Err(why) => format!("{name:20}          FAILED: {why}"),
    }
}

/// Builds the first system once more, from a copy of the sources in another folder, packs everything once
/// more, and compares all bytes.
pub(super) fn run(
    root: &Path,
    folder: &Path,
    options: &DistOptions,
    built: &[String],
    epoch: u32,
) -> Result<(f32, String), String> {
    let start = Instant::now();
    let sources = tempfile::tempdir().map_err(|error| error.to_string())?;
    let copied = copy_sources(root, sources.path())?;
    let second = folder.join("again");
    let parts = second.join("parts");
    empty(&parts)?;
    let rebuilt = &built[..built.len().min(1)];
    let builder = Builder::new(root, &folder.join("build"))?.elsewhere(sources.path())?;
    for target in rebuilt {
        let program = builder.build(target)?.program;
        super::copy(&program, &program_path(&parts, target))?;
    }
    let first = folder.join("parts/bin");
    let others = copy_binaries(&first, &parts, rebuilt)?;
    let targets: Vec<String> = rebuilt.iter().cloned().chain(others).collect();
    parts::gather(sources.path(), &parts, options, &targets, epoch)?;
    let packages = second.join("packages");
    empty(&packages)?;
    packaging(root, "pack", &parts, &packages)?;
    let count = compare(&folder.join("packages"), &packages)?;
    let seconds = start.elapsed().as_secs_f32();
    let what = rebuilt.first().map_or("nothing", String::as_str);
    Ok((
        seconds,
        format!(
            "{what} built again from {copied} files in another folder, all packed again; \
             {count} packages are equal byte for byte"
        ),
    ))
}

/// Copies what Git has, as it is in the working tree.
fn copy_sources(root: &Path, folder: &Path) -> Result<usize, String> {
    let list = [
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "-z",
    ];
    let listed = printed(command("git").current_dir(root).args(list))?;
    let files = listed.split('\0').filter(|file| root.join(file).is_file());
    let mut count = 0;
    for file in files {
        super::copy(&root.join(file), &folder.join(file))?;
        count += 1;
    }
    Ok(count)
}

/// Compares two folders, and counts their files.
fn compare(one: &Path, other: &Path) -> Result<usize, String> {
    let mut count = 0;
    for entry in fs_err::read_dir(one).map_err(|error| error.to_string())? {
        let name = entry.map_err(|error| error.to_string())?.file_name();
        let read =
            |folder: &Path| fs_err::read(folder.join(&name)).map_err(|error| error.to_string());
        if read(one)? != read(other)? {
            return Err(format!("{} differs", name.display()));
        }
        count += 1;
    }
    Ok(count)
}

/// `cargo install` as README has it, but of the build for development, into a folder that is thrown away.
pub(super) fn cargo_install(root: &Path) -> Result<(f32, String), String> {
    let start = Instant::now();
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut cargo = command(env!("CARGO"));
    cargo.args(["install", "--quiet", "--debug", "--locked", "--no-track"]);
    cargo.arg("--path").arg(root);
    cargo.arg("--root").arg(folder.path());
    cargo.arg("--target-dir").arg(root.join("target"));
    printed(&mut cargo)?;
    let program = folder
        .path()
        .join("bin")
        .join(super::program_name(std::env::consts::OS));
    let program = program
        .to_str()
        .ok_or("the temporary folder is not Unicode")?;
    printed(command(program).arg("demo"))?;
    Ok((
        start.elapsed().as_secs_f32(),
        "installed (build for development), run".to_owned(),
    ))
}
