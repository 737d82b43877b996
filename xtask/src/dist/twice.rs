//! The trials that build: the same again in another folder, `cargo install`, and `cargo package`.

use std::path::Path;
use std::time::Instant;

use chores::{Fault, cargo, command, copy, printed, renew, repository};

use super::build::Builder;
use super::{Options, copy_binaries, packaging, parts, program_path};

/// Makes a trial; its line, and whether it went well.
pub(super) fn trial(name: &str, run: impl FnOnce() -> Result<String, Fault>) -> (String, bool) {
    let start = Instant::now();
    let result = run();
    let (seconds, is_well) = (start.elapsed().as_secs_f32(), result.is_ok());
    let said = result.unwrap_or_else(|why| format!("FAILED: {why}"));
    (format!("{name:20} {seconds:5.1} s  {said}\n"), is_well)
}

/// Builds the first system once more, from a copy of the sources in another folder, packs everything once
/// more, and compares the sums of all packages.
pub(super) fn run(
    builder: Builder,
    folder: &Path,
    options: &Options,
    built: &[String],
) -> Result<String, Fault> {
    let sources = tempfile::tempdir()?;
    let copied = copy_sources(sources.path())?;
    let second = folder.join("again");
    let parts = second.join("parts");
    renew(&parts)?;
    let rebuilt = &built[..built.len().min(1)];
    let builder = builder.elsewhere(sources.path());
    for target in rebuilt {
        copy(&builder.build(target)?, &program_path(&parts, target))?;
    }
    let mut targets = rebuilt.to_vec();
    targets.extend(copy_binaries(&folder.join("parts/bin"), &parts, rebuilt)?);
    parts::gather(&builder, &parts, options, &targets)?;
    renew(&second.join("packages"))?;
    packaging("pack", &parts, &second.join("packages"))?;
    let sums = |folder: &Path| fs_err::read_to_string(folder.join("packages/SHA256SUMS"));
    let (one, other) = (sums(folder)?, sums(&second)?);
    if let Some(line) = one.lines().find(|line| !other.contains(line)) {
        return Err(format!("this one differs: {line}").into());
    }
    let what = rebuilt.first().map_or("nothing", String::as_str);
    let count = one.lines().count();
    Ok(format!(
        "ok: {what} built again from {copied} files in another folder, all packed again; \
         {count} packages are equal byte for byte"
    ))
}

/// Copies what Git has, as it is in the working tree.
fn copy_sources(folder: &Path) -> Result<usize, Fault> {
    let list = "ls-files --cached --others --exclude-standard -z".split(' ');
    let listed = printed(command("git").current_dir(repository()).args(list))?;
    let files = listed
        .split('\0')
        .map(|file| (file, repository().join(file)));
    let mut count = 0;
    for (file, source) in files.filter(|(_, source)| source.is_file()) {
        copy(&source, &folder.join(file))?;
        count += 1;
    }
    Ok(count)
}

/// `cargo install` as README has it, but of the build for development, into a folder that is thrown away.
pub(super) fn cargo_install() -> Result<String, Fault> {
    let folder = tempfile::tempdir()?;
    let mut cargo = cargo();
    cargo.args(["install", "--quiet", "--debug", "--locked", "--no-track"]);
    cargo.args(["--path", ".", "--target-dir", "target", "--root"]);
    printed(cargo.arg(folder.path()))?;
    let program = super::program_name(std::env::consts::OS);
    printed(command(folder.path().join("bin").join(program)).arg("demo"))?;
    Ok("ok: installed (build for development), run".to_owned())
}

/// Returns the names of the crates that can be published: those without `publish` in their manifests.
fn libraries() -> Result<Vec<String>, Fault> {
    let mut names = Vec::new();
    for folder in fs_err::read_dir(repository().join("crates"))? {
        let manifest = fs_err::read_to_string(folder?.path().join("Cargo.toml"))?;
        let manifest: toml::Table = toml::from_str(&manifest)?;
        let package = manifest.get("package").and_then(toml::Value::as_table);
        let published = package.filter(|package| !package.contains_key("publish"));
        let name = published.and_then(|package| package.get("name")?.as_str());
        names.extend(name.map(str::to_owned));
    }
    Ok(names)
}

/// Packages the libraries as crates.io expects them, and builds each from its package, without a network. They are
/// packaged together, because they need each other.
pub(super) fn cargo_package() -> Result<String, Fault> {
    let libraries = libraries()?;
    let mut cargo = cargo();
    cargo.args(["package", "--quiet", "--offline", "--allow-dirty"]);
    printed(cargo.args(libraries.iter().flat_map(|library| ["-p", library])))?;
    Ok(format!(
        "ok: {} crates packaged, and built from their packages",
        libraries.len()
    ))
}
