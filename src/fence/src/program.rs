//! The program that a person names, and the files that it consists of.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::error::Error;
use protocol::Failure;
use sandbox::Environment;

/// The folder of Node.js packages, in which each package needs others.
const PACKAGES: &str = "node_modules";

/// A program, by the path that the person means.
pub struct Program {
    /// Its path, which may be a link.
    pub path: PathBuf,
}

impl Program {
    /// Returns the program that a shell would start.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` if the program does not exist.
    pub fn find(name: &str, environment: &Environment) -> Result<Self, Failure> {
        let places = if name.contains('/') {
            vec![environment.absolute(Path::new(name))]
        } else {
            let folders = environment.search_path().into_iter();
            folders.map(|folder| folder.join(name)).collect()
        };
        let path = places
            .into_iter()
            .find(|path| path.is_file() && access(path, Access::EXEC_OK).is_ok());
        path.map(|path| Self { path })
            .ok_or_else(|| Error::NoProgram(name.to_owned()).into())
    }

    /// Returns the file name of the program, by which its profile is found.
    pub fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }

    /// Returns the files that it needs to start: itself, the files next to it, and the programs that it finds. Never
    /// a folder around the home.
    pub fn files(&self, environment: &Environment) -> Vec<PathBuf> {
        let mut files = vec![self.path.clone()];
        let mut folders = environment.search_path();
        if let Ok(real) = fs_err::canonicalize(&self.path) {
            folders.extend(package(&real));
            files.push(real);
        }
        let home = environment.home();
        folders.retain(|folder| {
            let real = fs_err::canonicalize(folder).unwrap_or_else(|_| folder.clone());
            !home.as_ref().is_some_and(|home| home.starts_with(real))
        });
        files.extend(folders);
        files
    }
}

/// Returns the folder with all that belongs to a program.
fn package(program: &Path) -> Option<PathBuf> {
    let outermost = program
        .ancestors()
        .filter(|folder| folder.ends_with(PACKAGES))
        .last();
    // Any other folder may contain other files, such as notes.
    let is_hidden = |folder: &Path| {
        folder
            .components()
            .any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."))
    };
    let is_of_programs = |folder: &&Path| folder.ends_with("bin") || is_hidden(folder);
    let folder = outermost.or_else(|| program.parent().filter(is_of_programs));
    folder.map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("program_cases.txt");

    #[test]
    fn a_package_comes_with_those_around_it() {
        for (program, folder) in
            tables::typed::<(&str, Option<&str>)>(CASES, "a package comes with those around")
        {
            let folder = folder.map(PathBuf::from);
            assert_eq!(package(Path::new(program)), folder, "{program}");
        }
    }
}
