//! The archive and the container image, in a root folder that holds nothing but what they bring.

use std::path::Path;

use super::{Outcome, Trial, check_demo};
use crate::Fault;
use crate::formats::container::USER;

/// The archive in a root folder with no C library, no shell and nothing else.
pub(super) fn archive(trial: &Trial) -> Result<Outcome, Fault> {
    if let Some(why) = lacks_root(trial, &["tar", "chroot"]) {
        return Outcome::skipped(why);
    }
    let stem = trial.facts.stem(trial.here()?);
    let archive = trial.package(&format!("{stem}.tar.gz"))?;
    let unpacked = trial.folder("unpacked")?;
    trial
        .tools
        .run("tar", &["-xzf", &text(&archive)?], &unpacked)?;
    let root = trial.folder("root")?;
    fs_err::create_dir(root.join("tmp"))?;
    let name = &trial.facts.name;
    fs_err::copy(unpacked.join(&stem).join(name), root.join(name))?;
    let demo = chroot(trial, &root, None, &[&format!("/{name}"), "demo"])?;
    check_demo(&demo)?;
    Outcome::works("unpacked, and run in a root folder with this one file")
}

/// The archive for the other processor, emulated.
pub(super) fn archive_arm(trial: &Trial) -> Result<Outcome, Fault> {
    const EMULATOR: &str = "qemu-aarch64-static";
    let systems = trial.facts.systems()?.into_iter();
    let mut systems = systems.filter(|it| it.platform == "linux" && it.cpu == "arm64");
    let Some(system) = systems.next() else {
        return Outcome::skipped("it was not built");
    };
    if let Some(tool) = trial.tools.lacks(&["tar", EMULATOR]) {
        return Outcome::skipped(format!("{tool} is not installed"));
    }
    let stem = trial.facts.stem(system);
    let archive = trial.package(&format!("{stem}.tar.gz"))?;
    let folder = trial.folder("unpacked")?;
    trial
        .tools
        .run("tar", &["-xzf", &text(&archive)?], &folder)?;
    let program = text(&folder.join(&stem).join(&trial.facts.name))?;
    let version = trial
        .tools
        .run(EMULATOR, &[&program, "--version"], &folder)?;
    trial.check_version(&version)?;
    let demo = trial.tools.run(EMULATOR, &[&program, "demo"], &folder)?;
    check_demo(&demo)?;
    Outcome::works(format!("unpacked, and run by {EMULATOR}"))
}

/// The container image: built where there is an engine; else its root is made by its own `COPY` lines.
pub(super) fn container(trial: &Trial) -> Result<Outcome, Fault> {
    if let Some(tool) = trial.tools.lacks(&["tar"]) {
        return Outcome::skipped(format!("{tool} is not installed"));
    }
    let name = &trial.facts.name;
    let archive = format!("{name}-{}-container.tar.gz", trial.facts.version);
    let context = trial.folder("context")?;
    trial.tools.run(
        "tar",
        &["-xzf", &text(&trial.package(&archive)?)?],
        &context,
    )?;
    for engine in ["docker", "podman"] {
        if !trial.tools.has(engine) || trial.tools.run(engine, &["info"], &context).is_err() {
            continue;
        }
        let image = format!("{name}-trial");
        trial.tools.run(
            engine,
            &["build", "-f", "Containerfile", "-t", &image, "."],
            &context,
        )?;
        let demo = trial
            .tools
            .run(engine, &["run", "--rm", &image, "demo"], &context);
        trial.tools.run(engine, &["rmi", &image], &context)?;
        check_demo(&demo?)?;
        return Outcome::works(format!("built and run by {engine}"));
    }
    if let Some(why) = lacks_root(trial, &["chroot", "chown"]) {
        return Outcome::skipped(format!("no container engine runs, and {why}"));
    }
    let root = trial.folder("root")?;
    let architecture = trial
        .here()?
        .container
        .ok_or("no image is for this system")?;
    copy(trial, &context, &root, architecture)?;
    let words = [&format!("/usr/bin/{name}"), "demo"];
    check_demo(&chroot(trial, &root, Some(USER), &words)?)?;
    Outcome::works(
        "no container engine runs; its root, made by its COPY lines, was run by its user",
    )
}

/// Does what the `COPY` lines of the Containerfile say.
fn copy(trial: &Trial, context: &Path, root: &Path, architecture: &str) -> Result<(), Fault> {
    let file = fs_err::read_to_string(context.join("Containerfile"))?;
    for line in file.lines().filter_map(|line| line.strip_prefix("COPY ")) {
        let line = line.replace("${TARGETARCH}", architecture);
        let owner = line
            .split(' ')
            .find_map(|word| word.strip_prefix("--chown="));
        let words: Vec<&str> = line
            .split(' ')
            .filter(|word| !word.starts_with("--"))
            .collect();
        let (target, sources) = words.split_last().ok_or("a COPY line without words")?;
        let target = root.join(target.trim_start_matches('/'));
        for source in sources {
            let source = context.join(source);
            if source.is_dir() {
                fs_err::create_dir_all(&target)?;
            } else {
                let into_folder = line.ends_with('/');
                let name = source.file_name().ok_or("a source without a name")?;
                let file = if into_folder {
                    target.join(name)
                } else {
                    target.clone()
                };
                fs_err::create_dir_all(file.parent().ok_or("a target without a folder")?)?;
                fs_err::copy(&source, file)?;
            }
        }
        if let Some(owner) = owner {
            trial
                .tools
                .run_as_root("chown", &[owner, &text(&target)?])?;
        }
    }
    Ok(())
}

/// Runs a program with this folder as its root.
fn chroot(trial: &Trial, root: &Path, user: Option<&str>, words: &[&str]) -> Result<String, Fault> {
    let root = text(root)?;
    let user = user.map(|user| format!("--userspec={user}"));
    let mut all: Vec<&str> = user.as_deref().into_iter().collect();
    all.push(&root);
    all.extend(words);
    trial.tools.run_as_root("chroot", &all)
}

/// Why root folders cannot be tried here.
pub(super) fn lacks_root(trial: &Trial, tools: &[&str]) -> Option<String> {
    if let Some(tool) = trial.tools.lacks(tools) {
        return Some(format!("{tool} is not installed"));
    }
    let is_root = trial.tools.root().is_some();
    (!is_root).then(|| "it needs root, and sudo asks for a password".to_owned())
}

/// A path as text.
pub(super) fn text(path: &Path) -> Result<String, Fault> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| format!("{} is not Unicode", path.display()).into())
}
