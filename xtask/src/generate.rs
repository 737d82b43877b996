//! `cargo xtask generate [--check]`: the checked-in generated files.

use std::path::Path;

use vault_gw::program::reference::generated_files;

/// Writes the files that are stale; with `check` writes nothing and fails where one is.
pub(crate) fn run(check: bool) -> Result<String, String> {
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
