//! Chores of this repository.
//!
//! `cargo xtask generate [--check]` writes the checked-in generated files, or fails where they
//! are stale.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use vault_gw::cli::reference::generated_files;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["generate"] => generate(false),
        ["generate", "--check"] => generate(true),
        _ => Err("usage: cargo xtask generate [--check]".to_owned()),
    };
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

fn generate(check: bool) -> Result<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files = generated_files().map_err(|failure| failure.message)?;
    let mut stale = Vec::new();
    for file in &files {
        let path = root.join(&file.path);
        if fs_err::read_to_string(&path).is_ok_and(|text| text == file.text) {
            continue;
        }
        stale.push(file.path.as_str());
        if !check {
            if let Some(folder) = path.parent() {
                fs_err::create_dir_all(folder).map_err(|error| error.to_string())?;
            }
            fs_err::write(&path, &file.text).map_err(|error| error.to_string())?;
        }
    }
    if check && !stale.is_empty() {
        return Err(format!(
            "these generated files are stale; run `cargo xtask generate`: {}",
            stale.join(", ")
        ));
    }
    Ok(format!(
        "{} generated files, {} were stale",
        files.len(),
        stale.len()
    ))
}
