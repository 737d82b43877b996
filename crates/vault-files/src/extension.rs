//! The extensions that the name of a new file may have.

use obsidian_note::VaultPath;
use obsidian_note::path::PathError;

use crate::file_type::is_binary_extension;

/// The extensions of text files, after the last dot of a name and in lower case.
const EXTENSIONS: [&str; 31] = [
    "base",
    "bib",
    "canvas",
    "conf",
    "cpp",
    "css",
    "csv",
    "excalidraw",
    "go",
    "htm",
    "html",
    "ics",
    "ini",
    "java",
    "js",
    "json",
    "log",
    "md",
    "org",
    "py",
    "rs",
    "rst",
    "sh",
    "sql",
    "svg",
    "tex",
    "toml",
    "ts",
    "tsv",
    "txt",
    "yaml",
];

/// Whether `extension`, in any case and without its dot, is a file's and not the end of a title.
///
/// The app treats anything after the last dot as an extension, so `Plan v1.2` would not become a
/// note (`vault-semantics.md` §7.2).
pub fn is_known_extension(extension: &str) -> bool {
    EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str()) || is_binary_extension(extension)
}

/// Returns the name with `.md` added, unless it ends in a known extension.
pub fn with_extension(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((_, extension)) if is_known_extension(extension) => name.to_owned(),
        _ => format!("{name}.md"),
    }
}

/// Returns the path of a new note that is made from a part of the note `source`. A plain name without `.md` is put into
/// the folder of `source`; everything else is a path from the vault's root. A missing `.md` is added.
///
/// # Errors
///
/// If the text is too long or not a path with it.
pub fn path_of_part(source: &VaultPath, to: &VaultPath) -> Result<VaultPath, PathError> {
    let parent = to.parent();
    let folder = if to.is_note() || !parent.is_root() {
        parent
    } else {
        source.parent()
    };
    if to.is_note() {
        return Ok(to.clone());
    }
    folder.join(&format!("{}.md", to.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("extension_cases.txt");

    #[test]
    fn a_plain_name_is_put_beside_the_note_and_a_path_is_exact() {
        for [source, to, expected] in tables::section(CASES, "a plain name is put beside the note")
        {
            let [source, to] = [source, to].map(|text| VaultPath::file(text).unwrap());
            assert_eq!(path_of_part(&source, &to).unwrap().as_str(), expected);
        }
    }

    #[test]
    fn a_title_with_a_dot_is_still_a_note() {
        for [name, expected] in tables::section(CASES, "a title with a dot is still a note") {
            assert_eq!(with_extension(name), expected);
        }
    }
}
