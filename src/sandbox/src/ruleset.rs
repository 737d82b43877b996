//! Files, TCP, signals and abstract sockets, by Landlock.

use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, NetPort,
    PathBeneath, PathFd, Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, Scope,
};

use super::confiner::SandboxError;
use super::rules::AccessRules;

/// Restricts the calling thread, and all that it starts, to `rules`. Handles every right of `abi`, so everything
/// without a rule is closed.
pub(super) fn restrict_thread(rules: &AccessRules, abi: ABI) -> Result<(), SandboxError> {
    let mut ruleset = of_files_and_scope(abi)?;
    if !AccessNet::from_all(abi).is_empty() {
        ruleset = ruleset.handle_access(AccessNet::from_all(abi))?;
    }
    let mut created = ruleset.create()?;
    for path in &rules.execute {
        let access = AccessFs::Execute | AccessFs::ReadFile;
        created = created.add_rule(PathBeneath::new(PathFd::new(path)?, access))?;
    }
    for path in &rules.read {
        created = allow(created, path, AccessFs::ReadFile | AccessFs::ReadDir, abi)?;
    }
    for path in &rules.write {
        created = allow(created, path, write_access(abi), abi)?;
    }
    if !socket_access(abi).is_empty() {
        for path in &rules.sockets {
            created = allow(created, path, socket_access(abi), abi)?;
        }
    }
    created.restrict_self()?;
    Ok(())
}

fn of_files_and_scope(abi: ABI) -> Result<Ruleset, SandboxError> {
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let mut ruleset = ruleset.handle_access(AccessFs::from_all(abi))?;
    if !Scope::from_all(abi).is_empty() {
        ruleset = ruleset.scope(Scope::from_all(abi))?;
    }
    Ok(ruleset)
}

/// Restricts any program: all rights for writable paths, and reading and execution for readable paths. The network is
/// unchanged.
pub(super) fn restrict_any_program(rules: &AccessRules, abi: ABI) -> Result<(), SandboxError> {
    let mut created = of_files_and_scope(abi)?.create()?;
    let read = AccessFs::Execute | AccessFs::ReadFile | AccessFs::ReadDir;
    for path in &rules.read {
        created = allow(created, path, read, abi)?;
    }
    for path in &rules.write {
        created = allow(created, path, AccessFs::from_all(abi), abi)?;
    }
    created.restrict_self()?;
    Ok(())
}

/// Keeps the calling thread, and all that it starts, from abstract sockets and signals of others. It
/// says nothing about files, because such rules would forbid mounts, and with them other sandboxes
/// inside.
pub(super) fn scope_thread(abi: ABI) -> Result<(), SandboxError> {
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    ruleset
        .scope(Scope::from_all(abi))?
        .create()?
        .restrict_self()?;
    Ok(())
}

/// Keeps the calling thread, and all that it starts, from connecting to these ports of TCP. Rules can only open, so
/// all other ports are opened; files are not affected either.
pub(super) fn close_ports(closed: &[u16]) -> Result<(), SandboxError> {
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let mut created = ruleset.handle_access(AccessNet::ConnectTcp)?.create()?;
    for port in (0..=u16::MAX).filter(|port| !closed.contains(port)) {
        created = created.add_rule(NetPort::new(port, AccessNet::ConnectTcp))?;
    }
    created.restrict_self()?;
    Ok(())
}

/// Reading, and every change to plain files and folders. No devices, pipes or sockets, and no
/// symlinks, which the app would follow out of the vault.
fn write_access(abi: ABI) -> BitFlags<AccessFs> {
    let wanted = AccessFs::ReadFile
        | AccessFs::ReadDir
        | AccessFs::WriteFile
        | AccessFs::RemoveDir
        | AccessFs::RemoveFile
        | AccessFs::MakeDir
        | AccessFs::MakeReg
        | AccessFs::Refer
        | AccessFs::Truncate;
    wanted & AccessFs::from_all(abi)
}

/// Connecting to a Unix socket by its path, if the kernel supports that. Older kernels never close it (`threats.toml`
/// L03).
fn socket_access(abi: ABI) -> BitFlags<AccessFs> {
    BitFlags::from(AccessFs::ResolveUnix) & AccessFs::from_all(abi)
}

/// Adds a rule for `path`, if the path exists.
fn allow(
    created: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
    abi: ABI,
) -> Result<RulesetCreated, SandboxError> {
    let Ok(opened) = PathFd::new(path) else {
        return Ok(created);
    };
    // Rights about the entries of a folder make no sense for a file, and are refused there.
    let access = if path.is_dir() {
        access
    } else {
        access & AccessFs::from_file(abi)
    };
    Ok(created.add_rule(PathBeneath::new(opened, access))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l03_each_version_closes_all_that_it_knows() {
        for version in 1..=10 {
            let abi = ABI::from(version);
            let handled = AccessFs::from_all(abi);
            let opened = write_access(abi) | socket_access(abi) | AccessFs::Execute;
            assert!(handled.contains(opened), "{version}");
            for closed in [
                AccessFs::MakeBlock,
                AccessFs::MakeChar,
                AccessFs::MakeFifo,
                AccessFs::MakeSock,
                AccessFs::MakeSym,
            ] {
                assert!(handled.contains(closed) && !opened.contains(closed));
            }
            for (right, since) in [
                (AccessFs::Refer, 2),
                (AccessFs::Truncate, 3),
                (AccessFs::IoctlDev, 5),
                (AccessFs::ResolveUnix, 9),
            ] {
                assert_eq!(handled.contains(right), version >= since, "{version}");
            }
            assert_eq!(AccessNet::from_all(abi).is_empty(), version < 4);
            assert_eq!(Scope::from_all(abi).is_empty(), version < 6);
        }
    }

    #[test]
    fn l03_sockets_are_closed_and_opened_again_by_the_version_that_knows_them() {
        for version in 1..=8 {
            assert!(socket_access(ABI::from(version)).is_empty(), "{version}");
        }
        for version in [9, 10] {
            let abi = ABI::from(version);
            assert!(AccessFs::from_all(abi).contains(AccessFs::ResolveUnix));
            assert_eq!(socket_access(abi), AccessFs::ResolveUnix);
            assert!(!write_access(abi).contains(AccessFs::ResolveUnix));
        }
    }
}
