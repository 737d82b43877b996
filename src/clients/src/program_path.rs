//! The path of this program for a client's entry.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use protocol::{Code, Failure};
use sandbox::{Environment, PrivateFolder};

/// Returns the path at which `PATH` finds this program, if other users cannot change its folder, otherwise the resolved
/// path. A package manager keeps the first path over upgrades, while the resolved path may name one version.
///
/// # Errors
///
/// `IO_ERROR` if the system does not report the path of this program.
pub fn of_this_program(environment: &Environment) -> Result<PathBuf, Failure> {
    let as_started = || as_started(&std::env::args_os().next()?, environment);
    let program = std::env::current_exe().or_else(|error| {
        as_started().ok_or_else(|| {
            Code::IoError.failure(format!("Cannot find the path of this program: {error}."))
        })
    })?;
    // On macOS this may be a relative path, as the program was started.
    let program = environment.absolute(&program);
    Ok(in_path(&program, environment).unwrap_or(program))
}

/// Returns the program that the first word of the command line means, looked up like in a shell. Linux does not report
/// the path of a program without `/proc`, which a bare container may lack.
fn as_started(word: &OsStr, environment: &Environment) -> Option<PathBuf> {
    let word = Path::new(word);
    let program = if word.parent() == Some(Path::new("")) {
        let folders = environment.search_path().into_iter();
        let mut candidates = folders.map(|folder| folder.join(word));
        candidates.find(|candidate| candidate.is_file())?
    } else {
        environment.absolute(word)
    };
    fs_err::canonicalize(program)
        .ok()
        .filter(|program| program.is_file())
}

fn in_path(program: &Path, environment: &Environment) -> Option<PathBuf> {
    let name = if cfg!(windows) {
        "vault-gw.exe"
    } else {
        "vault-gw"
    };
    let real = fs_err::canonicalize(program).ok()?;
    let folders = environment.search_path().into_iter();
    let mut candidates = folders.map(|folder| folder.join(name));
    let found = candidates.find(|candidate| candidate.exists())?;
    let is_this = fs_err::canonicalize(&found).is_ok_and(|found| found == real);
    let is_private = found
        .parent()
        .is_some_and(|folder| PrivateFolder::open(folder).is_ok());
    (is_this && is_private).then_some(found)
}

#[cfg(all(unix, test))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn without_proc_the_program_is_found_as_it_was_started() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs_err::create_dir_all(root.join("bin")).unwrap();
        fs_err::write(root.join("bin/vault-gw"), "").unwrap();
        let path = std::env::join_paths([root.join("none"), root.join("bin")]).unwrap();
        let environment = Environment::new([("PATH".into(), path)], Some(root.clone()));
        let found = |word: &str| as_started(OsStr::new(word), &environment);
        for word in ["vault-gw", "bin/vault-gw", "./bin/../bin/vault-gw"] {
            assert_eq!(found(word), Some(root.join("bin/vault-gw")), "{word}");
        }
        for word in ["", "other", "./vault-gw", "bin"] {
            assert_eq!(found(word), None, "{word}");
        }
    }

    #[test]
    fn the_link_that_an_upgrade_keeps_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for made in ["opt/1.0", "bin", "other"] {
            fs_err::create_dir_all(at(made)).unwrap();
        }
        fs_err::write(at("opt/1.0/vault-gw"), "").unwrap();
        symlink(at("opt/1.0/vault-gw"), at("bin/vault-gw")).unwrap();
        let found = |folders: &[PathBuf]| {
            let path = std::env::join_paths(folders).unwrap();
            let environment = Environment::new([("PATH".into(), path)], None);
            in_path(&at("opt/1.0/vault-gw"), &environment)
        };
        assert_eq!(found(&[at("other"), at("bin")]), Some(at("bin/vault-gw")));
        assert_eq!(found(&[PathBuf::from("bin")]), None);
        // A shell would start the first one in `PATH`.
        fs_err::write(at("other/vault-gw"), "").unwrap();
        assert_eq!(found(&[at("other"), at("bin")]), None);
        // Others could replace the program.
        fs_err::set_permissions(at("bin"), std::fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(found(&[at("bin")]), None);
    }
}
