//! `cargo xtask dist`: the program for every system, and a package of it for every channel.
//!
//! This builds the program and gathers the texts and files of packages (`target/dist/parts`); the crate in
//! `packaging/`, which no other build compiles, makes the packages of it (`target/dist/packages`).

mod build;
mod parts;
mod twice;

use std::path::{Path, PathBuf};
use std::time::Instant;

use chores::{Fault, cargo, copy, ensure, renew, repository};

use self::build::Builder;
use crate::targets::TARGETS;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Builds for these systems alone
    #[arg(long, value_delimiter = ',', default_values = TARGETS)]
    targets: Vec<String>,
    /// Packs programs that were built elsewhere besides (DIR/TARGET/vault-gw)
    #[arg(long, value_name = "DIR")]
    binaries: Option<PathBuf>,
    /// Where the sources and releases are, if Cargo.toml does not say it; Homebrew and the MCP registry need it
    #[arg(long, value_name = "URL")]
    repository: Option<String>,
    /// `NAME <ADDRESS>`, which goes into the packages instead of the one in Cargo.toml
    #[arg(long)]
    maintainer: Option<String>,
    /// Installs each package in a clean place and uses it once, builds the first system again in another folder and
    /// compares, and packages the libraries for crates.io: a line for each. Fetches from npm and `PyPI` what checks
    /// packages
    #[arg(long)]
    r#try: bool,
}

/// Builds, packs, and tries if that is asked for.
pub(crate) fn run(options: &Options) -> Result<String, Fault> {
    let folder = repository().join("target/dist");
    let builder = Builder::new(repository())?;
    let parts = folder.join("parts");
    renew(&parts)?;
    let (built, mut report) = build_all(&builder, options, &parts)?;
    let mut targets = built.clone();
    if let Some(binaries) = &options.binaries {
        targets.extend(copy_binaries(binaries, &parts, &built)?);
    }
    ensure(
        !targets.is_empty(),
        &format!("there is no program to pack\n{report}"),
    )?;
    parts::gather(&builder, &parts, options, &targets)?;
    let packages = folder.join("packages");
    renew(&packages)?;
    report += &packaging("pack", &parts, &packages)?;
    if options.r#try {
        report += "\n";
        // The table is printed even if the other trials fail.
        let twice = || twice::run(builder, &folder, options, &built);
        let (mut rows, is_same) = twice::trial("two builds", twice);
        let (installed, is_installed) = twice::trial("cargo install", twice::cargo_install);
        rows += &installed;
        let (libraries, is_packaged) = twice::trial("cargo package", twice::cargo_package);
        rows += &libraries;
        let tried = packaging("try", &parts, &packages);
        report += &tried.map_err(|error| format!("{error}\n{rows}"))?;
        report += &rows;
        ensure(is_same && is_installed && is_packaged, &report)?;
    }
    Ok(report.trim_end().to_owned())
}

/// Builds for each system that can be built for here, and says which cannot.
fn build_all(
    builder: &Builder,
    options: &Options,
    parts: &Path,
) -> Result<(Vec<String>, String), Fault> {
    let mut built = Vec::new();
    let mut report = String::new();
    for target in options.targets.iter().filter(|target| !target.is_empty()) {
        if let Some(why) = builder.lacks(target) {
            report += &format!("{target:28} skipped: {why}\n");
            continue;
        }
        let start = Instant::now();
        let program = builder.build(target)?;
        let kilobytes = fs_err::metadata(&program)?.len().div_ceil(1000);
        copy(&program, &program_path(parts, target))?;
        let seconds = start.elapsed().as_secs_f32();
        report += &format!("{target:28} built in {seconds:.0} s, {kilobytes} KB\n");
        built.push(target.clone());
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
    let words = "run --quiet --locked --manifest-path packaging/Cargo.toml";
    let mut cargo = cargo();
    cargo.args(words.split(' ')).args(["--", verb]);
    let output = cargo.args([parts, packages]).output()?;
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(report);
    }
    Err((report + &String::from_utf8_lossy(&output.stderr)).into())
}
