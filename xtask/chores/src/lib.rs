//! What chores of a developer need, in `xtask`, in `packaging/` and in the lab: files, and the programs of whoever runs them.
#![expect(
    clippy::missing_errors_doc,
    reason = "each fails as the file or the program does"
)]

use std::ffi::OsStr;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

/// The error of a chore, for the user who runs it.
pub type Fault = Box<dyn std::error::Error + Send + Sync>;

/// Prints what a chore has to say, or why it failed.
pub fn end(result: Result<String, Fault>) -> ExitCode {
    match result {
        Ok(message) => {
            drop(writeln!(std::io::stdout(), "{message}"));
            ExitCode::SUCCESS
        }
        Err(message) => {
            drop(writeln!(std::io::stderr(), "error: {message}"));
            ExitCode::FAILURE
        }
    }
}

/// The folder of this repository.
pub fn repository() -> &'static Path {
    let chores = Path::new(env!("CARGO_MANIFEST_DIR"));
    chores.ancestors().nth(2).unwrap_or(chores)
}

/// A command of the toolchain, or another that a developer has.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place of the chores that starts the tools of whoever runs them"
)]
pub fn command(program: impl AsRef<OsStr>) -> Command {
    Command::new(program)
}

/// Cargo, in this repository.
pub fn cargo() -> Command {
    let mut cargo = command(env!("CARGO"));
    cargo.current_dir(repository());
    cargo
}

/// Runs a command and returns whether it succeeded; its output is shown.
pub fn succeeds(command: &mut Command) -> Result<bool, Fault> {
    let status = command.status();
    Ok(status
        .map_err(|error| format!("{}: {error}", name(command)))?
        .success())
}

/// Runs a command to its end and reads all that it prints.
pub fn output(command: &mut Command) -> Result<Output, Fault> {
    let output = command.output();
    Ok(output.map_err(|error| format!("{}: {error}", name(command)))?)
}

/// The output of a command; an error if it fails.
pub fn printed(command: &mut Command) -> Result<String, Fault> {
    let output = output(command)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(failed(command, &output))
}

/// The error of a failed command, with its output.
pub fn failed(command: &Command, output: &Output) -> Fault {
    let errors = String::from_utf8_lossy(&output.stderr);
    format!("{}: {}\n{errors}", name(command), output.status).into()
}

fn name(command: &Command) -> String {
    command.get_program().display().to_string()
}

/// Fails with a text unless `holds` is true.
pub fn ensure(holds: bool, otherwise: &str) -> Result<(), Fault> {
    holds.then_some(()).ok_or_else(|| otherwise.into())
}

/// The files below a folder, relative to it; with `with_hidden` also those that begin with a dot.
pub fn below(folder: &Path, with_hidden: bool) -> Result<Vec<PathBuf>, Fault> {
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(inside) = waiting.pop() {
        for entry in fs_err::read_dir(folder.join(&inside))? {
            let entry = entry?;
            let name = entry.file_name();
            if !with_hidden && name.to_string_lossy().starts_with('.') {
                continue;
            }
            let path = inside.join(name);
            if entry.file_type()?.is_dir() {
                waiting.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Writes a file, with the folders above it.
pub fn write(file: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Fault> {
    make_folder_of(file)?;
    Ok(fs_err::write(file, bytes)?)
}

/// Copies a file with its permissions, and makes the folders above its copy; its size.
pub fn copy(source: &Path, target: &Path) -> Result<usize, Fault> {
    make_folder_of(target)?;
    Ok(usize::try_from(fs_err::copy(source, target)?)?)
}

/// Copies the files of a folder, also those that begin with a dot.
pub fn copy_folder(source: &Path, target: &Path) -> Result<(), Fault> {
    for file in below(source, true)? {
        copy(&source.join(&file), &target.join(&file))?;
    }
    Ok(())
}

fn make_folder_of(file: &Path) -> Result<(), Fault> {
    let folder = file.parent().ok_or("a file without a folder")?;
    Ok(fs_err::create_dir_all(folder)?)
}

/// Makes an empty folder, and removes its former contents.
pub fn renew(folder: &Path) -> Result<(), Fault> {
    remove(folder)?;
    Ok(fs_err::create_dir_all(folder)?)
}

/// Removes a folder with all that is in it, if it is there.
pub fn remove(folder: &Path) -> Result<(), Fault> {
    match fs_err::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
