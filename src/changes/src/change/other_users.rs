//! Warns of notes that programs of other users may be writing without being seen (`threats.toml` H15).
//!
//! The engine checks in `/proc` whether a program has a replaced note open for writing. It can
//! check only the programs of its own user. That matters only if another user can write to the
//! note.

use std::path::Path;

use vault_engine::{Change, VaultPath};

use protocol::Issue;

/// Most notes that the warning names.
const NAMED: usize = 20;

/// Returns a warning if another user can write to a file that the engine replaces, and the programs
/// of other users cannot be checked. Costs one `stat` for each file.
pub(super) fn among(root: &Path, changes: &[Change]) -> Option<Issue> {
    let replaced = changes.iter().filter_map(replaced);
    let shared: Vec<&VaultPath> = replaced
        .filter(|path| others_can_write(&root.join(path.as_str())))
        .collect();
    let first = shared.first()?;
    if sees_every_process() {
        return None;
    }
    let named: Vec<&str> = shared
        .iter()
        .take(NAMED)
        .map(|path| path.as_str())
        .collect();
    Some(
        Issue::new(
            "OTHER_WRITERS_UNSEEN",
            "Another user of this machine can write to this file. If that user writes at the same moment as vault-gw, one of the two changes may be lost.",
        )
        .with_path(first.as_str())
        .with("paths", named)
        .with("total", shared.len()),
    )
}

/// Returns the file whose content or name the change removes.
fn replaced(change: &Change) -> Option<&VaultPath> {
    match change {
        Change::Modify { path, .. } | Change::Remove { path, .. } if !path.is_hidden() => {
            Some(path)
        }
        _ => None,
    }
}

/// Whether a user other than this process's own and root can write to the file: it belongs to
/// another user, or everyone can write, or a group other than this process's own.
#[cfg(unix)]
fn others_can_write(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    const BY_GROUP: u32 = 0o020;
    const BY_ALL: u32 = 0o002;
    fs_err::symlink_metadata(file).is_ok_and(|found| {
        let is_own = found.uid() == rustix::process::geteuid().as_raw();
        let is_own_group = found.gid() == rustix::process::getegid().as_raw();
        let mode = found.mode();
        found.is_file()
            && (!is_own || mode & BY_ALL != 0 || (mode & BY_GROUP != 0 && !is_own_group))
    })
}

/// The standard library cannot read this on Windows.
#[cfg(not(unix))]
fn others_can_write(_file: &Path) -> bool {
    false
}

/// Whether the open files of every process can be listed. A process that has just ended counts as
/// listed.
fn sees_every_process() -> bool {
    let Ok(processes) = fs_err::read_dir("/proc") else {
        return false;
    };
    let mut is_any = false;
    for process in processes {
        let Ok(process) = process else {
            return false;
        };
        let name = process.file_name();
        let is_process = name
            .to_string_lossy()
            .bytes()
            .all(|byte| byte.is_ascii_digit());
        if !is_process {
            continue;
        }
        match fs_err::read_dir(process.path().join("fd")) {
            Ok(_) => is_any = true,
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return false,
            Err(_) => {}
        }
    }
    is_any
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn h15_only_a_note_that_another_user_can_write_is_worth_a_warning() {
        let folder = tempfile::tempdir().unwrap();
        let note = folder.path().join("n.md");
        fs_err::write(&note, "x").unwrap();
        let change = Change::Modify {
            path: VaultPath::file("n.md").unwrap(),
            before: b"x".to_vec(),
            after: b"y".to_vec(),
        };
        // A new file has the group of this process.
        for (mode, is_shared) in [
            (0o600, false),
            (0o644, false),
            (0o664, false),
            (0o666, true),
            (0o602, true),
        ] {
            fs_err::set_permissions(&note, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(others_can_write(&note), is_shared, "{mode:o}");
            let warning = among(folder.path(), std::slice::from_ref(&change));
            let is_due = is_shared && !sees_every_process();
            assert_eq!(warning.is_some(), is_due, "{mode:o}");
        }
        assert!(!others_can_write(&folder.path().join("none.md")));
    }
}
