//! `cargo xtask dist`: the program for every system, and a package of it for every channel.
//!
//! This builds the program and gathers what packages say and hold (`target/dist/parts`); the crate in
//! `packaging/`, which no other build compiles, makes the packages of it (`target/dist/packages`).

mod build;
mod parts;
mod twice;

use std::path::{Path, PathBuf};

use self::build::Builder;
use crate::Fault;
use crate::files::{copy, renew};
use crate::targets::{TARGETS, cargo, repository};
use crate::words::Words;

const OPTIONS: [&str; 4] = ["--targets", "--binaries", "--repository", "--maintainer"];
/// What asks that each package is installed and used.
const TRY: &str = "--try";

/// Builds, packs, and tries if that is asked for.
pub(crate) fn run(words: &[&str]) -> Result<String, Fault> {
    let others: Vec<&str> = words.iter().copied().filter(|it| *it != TRY).collect();
    let options = Words::read(&others, &OPTIONS)?;
    options.expect_no_rest()?;
    let folder = repository().join("target/dist");
    let builder = Builder::new(repository())?;
    let parts = folder.join("parts");
    renew(&parts)?;
    let (built, mut report) = build_all(&builder, &options, &parts)?;
    let mut targets = built.clone();
    if let Some(binaries) = options.option("--binaries") {
        targets.extend(copy_binaries(Path::new(binaries), &parts, &built)?);
    }
    if targets.is_empty() {
        return Err(format!("there is no program to pack\n{report}").into());
    }
    parts::gather(&builder, &parts, &options, &targets)?;
    let packages = folder.join("packages");
    renew(&packages)?;
    report += &packaging("pack", &parts, &packages)?;
    if words.contains(&TRY) {
        report += "\n";
        // The table is printed whatever the other trials say.
        let twice = twice::run(builder, &folder, &options, &built);
        let installed = twice::cargo_install();
        let rows = format!(
            "{}\n{}\n",
            twice::row("two builds", &twice),
            twice::row("cargo install", &installed)
        );
        report +=
            &packaging("try", &parts, &packages).map_err(|error| format!("{error}\n{rows}"))?;
        report += &rows;
        if twice.is_err() || installed.is_err() {
            return Err(report.into());
        }
    }
    Ok(report.trim_end().to_owned())
}

/// Builds for each system that can be built for here, and says which cannot.
fn build_all(
    builder: &Builder,
    options: &Words<'_>,
    parts: &Path,
) -> Result<(Vec<String>, String), Fault> {
    let wanted = options.option("--targets");
    let wanted = wanted.map_or(TARGETS.to_vec(), |list| list.split(',').collect());
    let mut built = Vec::new();
    let mut report = String::new();
    for target in wanted.into_iter().filter(|target| !target.is_empty()) {
        if let Some(why) = builder.lacks(target) {
            report += &format!("{target:28} skipped: {why}\n");
            continue;
        }
        let done = builder.build(target)?;
        copy(&done.program, &program_path(parts, target))?;
        report += &format!(
            "{target:28} built in {:.0} s, {} KB\n",
            done.seconds, done.kilobytes
        );
        built.push(target.to_owned());
    }
    Ok((built, report))
}

/// Takes the programs that were built elsewhere, and names their systems.
fn copy_binaries(binaries: &Path, parts: &Path, built: &[String]) -> Result<Vec<String>, Fault> {
    let mut found = Vec::new();
    for target in TARGETS.map(str::to_owned) {
        let source = binaries.join(&target).join(program_name(&target));
        if source.is_file() && !built.contains(&target) {
            copy(&source, &program_path(parts, &target))?;
            found.push(target);
        }
    }
    Ok(found)
}

fn program_path(parts: &Path, target: &str) -> PathBuf {
    parts.join("bin").join(target).join(program_name(target))
}

/// The file name of the program on a system.
fn program_name(target: &str) -> &'static str {
    if target.contains("windows") {
        "vault-gw.exe"
    } else {
        "vault-gw"
    }
}

/// Runs the crate that makes and tries packages, and returns its report.
fn packaging(verb: &str, parts: &Path, packages: &Path) -> Result<String, Fault> {
    let output = cargo()
        .args([
            "run",
            "--quiet",
            "--locked",
            "--manifest-path",
            "packaging/Cargo.toml",
        ])
        .args(["--target-dir", "target/packaging", "--", verb])
        .args([parts, packages])
        .output()?;
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(report);
    }
    Err((report + &String::from_utf8_lossy(&output.stderr)).into())
}
