//! Landlock and seccomp around a server.

use std::path::{Path, PathBuf};

use super::ServerSandbox;
use crate::error::Error;
use crate::host::SettingsFile;
use frontend::{CommandLineOptions, setup};
use gateway::{Gateway, list_places};
use protocol::{Caller, Failure};
use sandbox::{
    AccessRules, Confinement, Confiner, Environment, KernelSupport, PrivateFolder, SandboxMode,
};
use settings::{Folders, Settings};

/// The paths that the program itself reads: time zones, the kernel's command line, and randomness.
const SYSTEM: [&str; 6] = [
    "/etc/localtime",
    "/etc/timezone",
    "/usr/share/zoneinfo",
    "/proc/sys/kernel/random/boot_id",
    "/dev/urandom",
    "/dev/null",
];

/// The paths that the sandbox needs, with an explanation if one is missing, as in a bare container.
const NEEDED: [(&str, &str); 2] = [
    ("proc/self/exe", "`/proc` is not mounted"),
    ("dev/null", "`/dev/null` is missing"),
];

/// The maximum number of folders that are searched for symlinks to follow.
const MOST_FOLDERS: usize = 100_000;

pub(super) fn enter(
    options: &CommandLineOptions,
    environment: &Environment,
) -> Result<ServerSandbox, Failure> {
    let settings = setup::settings(options, environment)?;
    let mode = settings.sandbox.tightened(options.sandbox);
    if mode == SandboxMode::Off {
        return Ok(ServerSandbox {
            confinement: Some(Confinement::off()),
            ..ServerSandbox::default()
        });
    }
    has_what_it_needs(Path::new("/"))?;
    let confiner = Confiner::new(KernelSupport::detect().within(environment.kernel_limits));
    confiner.server_confinement().accepted(mode)?;
    let gateway_options = setup::gateway_options(options, environment, Caller::Agent);
    let gateway = Gateway::new(settings.clone(), gateway_options, environment.clone())?;
    // Without a vault the server still starts, and reports that in its answers.
    let vault = gateway.vaults().open().ok();
    let root = vault.as_ref().map(|vault| vault.root().to_owned());
    let runner = gateway
        .obsidian()
        .start_runner(
            root.as_deref().unwrap_or(Path::new("/nonexistent")),
            SettingsFile::new(options, environment).path,
        )
        .map_err(not_applied)?;
    let for_writers = std::sync::Arc::clone(&runner);
    vault_engine::look_for_writers_with(Box::new(move |files| {
        for_writers.open_for_writing(files.iter().copied().collect())
    }));
    let rules = rules(&settings, environment, root.as_deref());
    let confinement = confiner
        .server(&rules, settings.agents_may_write())
        .map_err(not_applied)?;
    if let Some(hook) = environment.confined_hook {
        hook(environment);
    }
    Ok(ServerSandbox {
        confinement: Some(confinement),
        made_from: Some(settings),
        runner: Some(runner),
    })
}

fn has_what_it_needs(root: &Path) -> Result<(), Failure> {
    let missing = NEEDED
        .into_iter()
        .find(|(path, _)| !root.join(path).exists());
    missing.map_or(Ok(()), |(_, wrong)| Err(Error::NotConfinable(wrong).into()))
}

/// If the kernel supports the sandbox and it fails, the server must not run unconfined (`threats.toml`
/// L07).
fn not_applied(error: impl std::error::Error) -> Error {
    Error::NotConfined(error.to_string())
}

fn rules(settings: &Settings, environment: &Environment, root: Option<&Path>) -> AccessRules {
    let folders = Folders::new(environment);
    let mut read: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    let mut write = Vec::new();
    read.extend(list_places(environment));
    for folder in [folders.state(), folders.cache()].into_iter().flatten() {
        // A rule needs an existing folder. If one cannot be made, the calls that need it fail, as
        // without a sandbox.
        drop(PrivateFolder::create(&folder));
        write.push(folder);
    }
    if let Some(root) = root {
        let list = if settings.agents_may_write() {
            &mut write
        } else {
            &mut read
        };
        list.push(root.to_owned());
        if settings.follow_symlinks {
            read.extend(behind_symlinks(root));
        }
    }
    if settings.agents_may_write() {
        write.extend(settings.export_folder.clone());
    }
    // The files that an agent imports can go into its draft.
    read.extend(settings.import_folder.clone());
    AccessRules {
        read,
        write,
        ..AccessRules::default()
    }
}

/// Returns the folders outside of the vault that symlinks in it lead to.
fn behind_symlinks(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![root.to_owned()];
    let mut searched = 0;
    while let Some(folder) = waiting.pop()
        && searched < MOST_FOLDERS
    {
        searched += 1;
        let Ok(entries) = fs_err::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() {
                waiting.push(entry.path());
            } else if kind.is_symlink()
                && let Ok(target) = fs_err::canonicalize(entry.path())
                && target.is_dir()
                && !root.starts_with(&target)
            {
                waiting.push(target.clone());
                found.push(target);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Code;

    #[test]
    fn what_the_sandbox_needs_is_named_where_it_is_missing() {
        let root = tempfile::tempdir().unwrap();
        for (needed, named) in [("proc/self/exe", "`/proc`"), ("dev/null", "`/dev/null`")] {
            let failure = has_what_it_needs(root.path()).unwrap_err();
            assert_eq!(failure.code, Code::SandboxUnavailable);
            assert!(failure.to_string().contains(named), "{failure}");
            let needed = root.path().join(needed);
            fs_err::create_dir_all(needed.parent().unwrap()).unwrap();
            fs_err::write(needed, "").unwrap();
        }
        has_what_it_needs(root.path()).unwrap();
    }
}
