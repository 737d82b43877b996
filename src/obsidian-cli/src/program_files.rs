//! The files that a program needs to run: itself, its loader or interpreters, and the system's
//! libraries. Determined from the files themselves (`threats.toml` L10).

use std::io;
use std::path::{Path, PathBuf};

use super::image::Image;
use sandbox::AccessRules;

/// The system's folders of libraries, and files that loaders and interpreters read at their start.
/// Users own none of them.
const SYSTEM: &[&str] = &[
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libx32",
    "/usr/local/lib",
    "/usr/local/lib64",
    "/usr/share/locale",
    "/usr/share/nodejs",
    "/usr/share/zoneinfo",
    "/nix/store",
    "/gnu/store",
    "/etc/ld.so.cache",
    "/etc/ld-musl-aarch64.path",
    "/etc/ld-musl-x86_64.path",
    "/etc/localtime",
    "/etc/ssl/openssl.cnf",
    "/dev/random",
    "/dev/urandom",
    "/dev/zero",
];

/// The only file that the program may write to.
const NOWHERE: &str = "/dev/null";

/// The longest chain of interpreters, as in the kernel.
const MOST_INTERPRETERS: usize = 4;

/// The files that a program must be able to execute and read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ProgramFiles {
    /// The program, its loader and its interpreters.
    pub(super) execute: Vec<PathBuf>,
    libraries: Vec<PathBuf>,
    /// Whether one of the programs is a 32-bit program.
    pub(super) has_narrow: bool,
}

impl ProgramFiles {
    /// Returns the files of the program at `binary`, an absolute path. `search` are the folders of its `PATH`.
    ///
    /// # Errors
    ///
    /// If a file of the chain cannot be read, or the chain is longer than the kernel's limit.
    pub(super) fn find(binary: &Path, search: &[PathBuf]) -> io::Result<Self> {
        let mut files = Self::default();
        files.add(binary, search, MOST_INTERPRETERS)?;
        Ok(files)
    }

    /// Returns the rules under which the program runs and can connect to `socket`, and nothing else.
    pub(super) fn rules(self, socket: PathBuf) -> AccessRules {
        let system = SYSTEM.iter().map(PathBuf::from);
        AccessRules {
            read: system.chain(self.libraries).collect(),
            write: vec![NOWHERE.into()],
            execute: self.execute,
            sockets: vec![socket],
        }
    }

    fn add(&mut self, file: &Path, search: &[PathBuf], more: usize) -> io::Result<()> {
        self.execute.push(file.to_owned());
        match Image::read(file)? {
            Image::Elf {
                interpreter,
                is_wide,
                ..
            } => {
                self.has_narrow |= !is_wide;
                self.execute.extend(interpreter);
            }
            Image::Script { head } => {
                let more = more
                    .checked_sub(1)
                    .ok_or_else(|| io::Error::other("too many interpreters"))?;
                for program in interpreters(&head, search) {
                    self.add(&program, search, more)?;
                    self.libraries.extend(own_libraries(&program));
                }
            }
            Image::MachO { .. } | Image::Portable | Image::NotAProgram => {}
        }
        Ok(())
    }
}

/// Returns the programs that the first line of a script names: the interpreter, and what `env` looks up.
fn interpreters(head: &str, search: &[PathBuf]) -> Vec<PathBuf> {
    let line = head.lines().next().unwrap_or_default();
    let line = line.trim_start_matches("#!").trim();
    let (program, rest) = line
        .split_once([' ', '\t'])
        .map_or((line, ""), |(program, rest)| (program, rest.trim()));
    let program = PathBuf::from(program);
    let is_env = program.file_name().is_some_and(|name| name == "env");
    let looked_up = is_env
        .then(|| {
            let mut words = rest.split([' ', '\t']).filter(|word| !word.is_empty());
            let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
            if name.contains('/') {
                return Some(PathBuf::from(name));
            }
            let places = search.iter().map(|folder| folder.join(name));
            places.into_iter().find(|place| place.is_file())
        })
        .flatten();
    // If an interpreter is missing, the kernel reports it at the start.
    std::iter::once(program)
        .chain(looked_up)
        .filter(|program| program.is_absolute() && program.is_file())
        .collect()
}

/// Returns the library folder of an interpreter outside of the system's folders: `PREFIX/lib` for
/// `PREFIX/bin/NAME`.
fn own_libraries(program: &Path) -> Option<PathBuf> {
    let real = fs_err::canonicalize(program).ok()?;
    let folder = real.parent()?;
    if folder.file_name()? != "bin" {
        return None;
    }
    Some(folder.parent()?.join("lib"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn script(folder: &Path, name: &str, line: &str) -> PathBuf {
        let path = folder.join(name);
        fs_err::write(&path, format!("{line}\nexit 0\n")).unwrap();
        fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn l10_a_script_needs_its_interpreters_and_their_loaders() {
        let folder = tempfile::tempdir().unwrap();
        let search = [folder.path().join("bin"), PathBuf::from("/bin")];
        fs_err::create_dir(&search[0]).unwrap();
        let inner = script(&search[0], "inner", "#!/bin/sh -e");
        for line in [
            "#!/usr/bin/env inner",
            "#! /usr/bin/env\tinner",
            "#!/usr/bin/env -S A=b inner -x",
        ] {
            let outer = script(folder.path(), "outer", line);
            let files = ProgramFiles::find(&outer, &search).unwrap();
            for needed in [
                &outer,
                Path::new("/usr/bin/env"),
                &inner,
                Path::new("/bin/sh"),
            ] {
                assert!(
                    files.execute.iter().any(|file| file == needed),
                    "{line}: {files:?}"
                );
            }
            assert!(
                files.libraries.contains(&folder.path().join("lib")),
                "{files:?}"
            );
        }
    }

    #[test]
    fn l10_a_chain_without_end_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("loop");
        script(folder.path(), "loop", &format!("#!{}", path.display()));
        assert!(ProgramFiles::find(&path, &[]).is_err());
    }

    #[test]
    fn l10_an_interpreter_that_is_not_there_or_relative_is_left_to_the_kernel() {
        let folder = tempfile::tempdir().unwrap();
        for line in ["#!/no/such", "#!sh", "#!", "#!/usr/bin/env no-such-program"] {
            let path = script(folder.path(), "script", line);
            let files = ProgramFiles::find(&path, &["/bin".into()]).unwrap();
            assert!(files.execute.len() <= 3, "{line}: {files:?}");
        }
    }

    #[test]
    fn l10_a_large_program_is_read_by_its_head() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        fs_err::copy("/bin/sh", &path).unwrap();
        let small = ProgramFiles::find(&path, &[]).unwrap();
        let file = fs_err::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(40 << 20).unwrap();
        assert_eq!(ProgramFiles::find(&path, &[]).unwrap(), small);
        assert!(!small.has_narrow && !small.execute.is_empty());
    }
}
