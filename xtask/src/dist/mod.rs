//! `cargo xtask dist`: the program for every system, and a package of it for every channel.
//!
//! This builds the program and gathers what packages say and hold (`target/dist/parts`); the crate in
//! `packaging/`, which no other build compiles, makes the packages of it (`target/dist/packages`).

mod build;
mod parts;
mod twice;

use std::path::{Path, PathBuf};

use self::build::Builder;
use crate::targets::{TARGETS, command};

/// The options of the chore.
pub(super) struct DistOptions {
    /// The systems to build for.
    targets: Vec<String>,
    /// A folder with finished programs, `TRIPLE/vault-gw`, which are packed besides those that are built.
    binaries: Option<PathBuf>,
    /// Where the sources are, such as `https://github.com/OWNER/NAME`.
    repository: Option<String>,
    /// `Name <address>`, for those formats that demand one.
    maintainer: Option<String>,
    /// Whether each package is installed and used.
    is_tried: bool,
}

impl DistOptions {
    fn parse(words: &[&str]) -> Result<Self, String> {
        let mut options = Self {
            targets: TARGETS.map(str::to_owned).to_vec(),
            binaries: None,
            repository: None,
            maintainer: None,
            is_tried: false,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || {
                words
                    .next()
                    .ok_or_else(|| format!("`{word}` lacks its value"))
            };
            match *word {
                "--try" => options.is_tried = true,
                "--targets" => {
                    let list = value()?.split(',').filter(|target| !target.is_empty());
                    options.targets = list.map(str::to_owned).collect();
                }
                "--binaries" => options.binaries = Some(PathBuf::from(value()?)),
                "--repository" => {
                    options.repository = Some(value()?.trim_end_matches('/').to_owned());
                }
                "--maintainer" => options.maintainer = Some((*value()?).to_owned()),
                other => return Err(format!("`{other}` belongs to no option")),
            }
        }
        Ok(options)
    }
}

/// Builds, packs, and tries if that is asked for.
pub(crate) fn run(words: &[&str]) -> Result<String, String> {
    let options = DistOptions::parse(words)?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = fs_err::canonicalize(root).map_err(|error| error.to_string())?;
    let folder = root.join("target/dist");
    let builder = Builder::new(&root, &folder.join("build"))?;
    let parts = folder.join("parts");
    empty(&parts)?;
    let (built, mut report) = build_all(&builder, &options, &parts)?;
    let mut targets = built.clone();
    if let Some(binaries) = &options.binaries {
        targets.extend(copy_binaries(binaries, &parts, &built)?);
    }
    if targets.is_empty() {
        return Err(format!("there is no program to pack\n{report}"));
    }
    parts::gather(&root, &parts, &options, &targets, builder.epoch)?;
    let packages = folder.join("packages");
    empty(&packages)?;
    report += &packaging(&root, "pack", &parts, &packages)?;
    if options.is_tried {
        report += "\n";
        // The table is printed whatever the other trials say.
        let twice = twice::run(&root, &folder, &options, &built, builder.epoch);
        let installed = twice::cargo_install(&root);
        let rows = format!(
            "{}\n{}\n",
            twice::row("two builds", &twice),
            twice::row("cargo install", &installed)
        );
        report += &packaging(&root, "try", &parts, &packages)
            .map_err(|error| format!("{error}\n{rows}"))?;
        report += &rows;
        if twice.is_err() || installed.is_err() {
            return Err(report);
        }
    }
    Ok(report.trim_end().to_owned())
}

/// Builds for each system that can be built for here, and says which cannot.
fn build_all(
    builder: &Builder,
    options: &DistOptions,
    parts: &Path,
) -> Result<(Vec<String>, String), String> {
    let mut built = Vec::new();
    let mut report = String::new();
    for target in &options.targets {
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
        built.push(target.clone());
    }
    Ok((built, report))
}

/// Takes the programs that were built elsewhere, and names their systems.
fn copy_binaries(binaries: &Path, parts: &Path, built: &[String]) -> Result<Vec<String>, String> {
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

fn copy(source: &Path, target: &Path) -> Result<(), String> {
    let folder = target.parent().ok_or("a program without a folder")?;
    fs_err::create_dir_all(folder).map_err(|error| error.to_string())?;
    fs_err::copy(source, target).map_err(|error| error.to_string())?;
    Ok(())
}

/// Makes a folder anew.
fn empty(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        fs_err::remove_dir_all(folder).map_err(|error| error.to_string())?;
    }
    fs_err::create_dir_all(folder).map_err(|error| error.to_string())
}

/// Runs the crate that makes and tries packages, and returns its report.
fn packaging(root: &Path, verb: &str, parts: &Path, packages: &Path) -> Result<String, String> {
    let output = command(env!("CARGO"))
        .args(["run", "--quiet", "--locked"])
        .arg("--manifest-path")
        .arg(root.join("packaging/Cargo.toml"))
        .arg("--target-dir")
        .arg(root.join("target/packaging"))
        .args(["--", verb])
        .args([parts, packages])
        .output()
        .map_err(|error| format!("cargo run: {error}"))?;
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(report);
    }
    Err(format!(
        "{report}{}",
        String::from_utf8_lossy(&output.stderr)
    ))
}
