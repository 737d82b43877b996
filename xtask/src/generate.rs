//! `cargo xtask generate [--check]`: the checked-in generated files.

use vault_gw::program::reference::generated_files;

use crate::Fault;
use crate::files::write;
use crate::targets::repository;

/// Writes the files that are stale; with `check` writes nothing and fails where one is.
pub(crate) fn run(check: bool) -> Result<String, Fault> {
    let files = generated_files()?;
    let mut stale = Vec::new();
    for file in &files {
        let path = repository().join(&file.path);
        if fs_err::read_to_string(&path).is_ok_and(|text| text == file.text) {
            continue;
        }
        stale.push(file.path.as_str());
        if !check {
            write(&path, &file.text)?;
        }
    }
    let count = stale.len();
    if check && count > 0 {
        let stale = stale.join(", ");
        let hint = "run `cargo xtask generate`";
        return Err(format!("these generated files are stale; {hint}: {stale}").into());
    }
    Ok(format!(
        "{} generated files, {count} were stale",
        files.len()
    ))
}
