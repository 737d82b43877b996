//! The app's folder as a program sees it: a copy of the parts that contain neither secrets nor names of notes. The
//! data of plugins may contain keys, such as the key of a server that reads and changes the whole vault.

use std::io;
use std::path::{Path, PathBuf};

/// The folder of the copy, below the folder of the run.
const COPY: &str = "app";

/// The largest file that is copied.
const LARGEST: u64 = 8 * 1024 * 1024;

/// Maximum depth of the copied files.
const DEEPEST: usize = 8;

/// Copies the app's folder, as it is now, into the folder of a run.
///
/// # Errors
///
/// If the copy cannot be made.
pub fn copied(folder: &Path, run: &Path) -> io::Result<PathBuf> {
    let copy = run.join(COPY);
    if copy.exists() {
        fs_err::remove_dir_all(&copy)?;
    }
    fs_err::create_dir(&copy)?;
    copy_shown(folder, &copy, &mut Vec::new())?;
    Ok(copy)
}

fn copy_shown(folder: &Path, copy: &Path, names: &mut Vec<String>) -> io::Result<()> {
    for entry in fs_err::read_dir(folder).into_iter().flatten().flatten() {
        let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else {
            continue;
        };
        let at = copy.join(&name);
        names.push(name);
        if kind.is_dir() && names.len() < DEEPEST {
            copy_shown(&entry.path(), &at, names)?;
        } else if kind.is_file() && is_shown(names) && entry.metadata()?.len() <= LARGEST {
            fs_err::create_dir_all(copy)?;
            fs_err::copy(entry.path(), at)?;
        }
        names.pop();
    }
    Ok(())
}

fn has_ending(file: &str, ending: &str) -> bool {
    Path::new(file).extension().is_some_and(|it| it == ending)
}

/// Whether a file is shown, by the names on its path.
fn is_shown(names: &[String]) -> bool {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match names[..] {
        // These have names of notes.
        [file] => {
            has_ending(file, "json") && !file.starts_with("workspace") && file != "bookmarks.json"
        }
        ["snippets", .., file] => has_ending(file, "css"),
        ["themes", _, file] => ["manifest.json", "theme.css"].contains(&file),
        ["plugins", _, file] => ["manifest.json", "main.js", "styles.css"].contains(&file),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    const CASES: &str = include_str!("app_folder_cases.txt");

    #[test]
    fn only_what_is_known_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        let (app, run) = (folder.path().join("app"), folder.path().join("run"));
        fs_err::create_dir(&run).unwrap();
        for path in tables::lines(CASES, "only what is known is copied") {
            let path = app.join(path);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, "{}").unwrap();
        }
        symlink("/etc/passwd", app.join("plugins/x/main.js")).unwrap();
        for _again in 0..2 {
            let copy = copied(&app, &run).unwrap();
            let mut found = Vec::new();
            let mut folders = vec![copy.clone()];
            while let Some(folder) = folders.pop() {
                for entry in fs_err::read_dir(folder).unwrap() {
                    let path = entry.unwrap().path();
                    if path.is_dir() {
                        folders.push(path);
                    } else {
                        found.push(path.strip_prefix(&copy).unwrap().display().to_string());
                    }
                }
            }
            found.sort();
            let shown = [
                "app.json",
                "plugins/x/manifest.json",
                "snippets/a/b.css",
                "themes/x/theme.css",
            ];
            assert_eq!(found, shown);
        }
    }
}
