//! The files that packages install besides the program.

use clap::ValueEnum as _;
use clap_complete::{Generator as _, Shell};

use super::completions;

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedFile {
    /// The path, relative to the root of the repository or of the package.
    pub path: String,
    /// The whole content of the file.
    pub text: String,
}

/// Returns the man page in `man/`, and the completion script of
/// each shell in `completions/`, with the name that the shell expects.
pub fn installed_files() -> Vec<GeneratedFile> {
    let page = GeneratedFile {
        path: format!("man/{}.1", completions::PROGRAM),
        text: completions::man_page(),
    };
    let script = |shell: &Shell| GeneratedFile {
        path: format!("completions/{}", shell.file_name(completions::PROGRAM)),
        text: completions::completions(*shell),
    };
    let scripts = Shell::value_variants().iter().map(script);
    std::iter::once(page).chain(scripts).collect()
}
