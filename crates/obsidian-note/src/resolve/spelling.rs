//! Normalises linkpaths and paths for comparison.

use std::cmp::Ordering;

use crate::path::VaultPath;

/// Returns `wanted` as a path from `folder`; `None` if it leaves the vault.
pub(super) fn from_folder(folder: &VaultPath, wanted: &str) -> Option<String> {
    let mut components: Vec<&str> = folder.components().collect();
    for component in wanted.split('/') {
        match component {
            "" | "." => {}
            ".." => {
                components.pop()?;
            }
            name => components.push(name),
        }
    }
    Some(components.join("/"))
}

/// Returns the name of an unresolved linkpath: without a final `.md`, so that `[[Gone]]` and `[[Gone.md]]` are one
/// (`vault-semantics.md` §2.4).
pub fn unresolved_name(linkpath: &str) -> &str {
    match linkpath.strip_suffix(".md") {
        Some(stem) if !stem.is_empty() && !stem.ends_with('/') => stem,
        _ => linkpath,
    }
}

/// `text.md` in lower case. The following letters can change how a letter is lowered, so this is
/// not always the lower-case text with `.md` added.
pub(super) fn with_extension(text: &str) -> String {
    let mut whole = String::with_capacity(text.len() + 3);
    whole.push_str(text);
    whole.push_str(".md");
    if text.is_ascii() {
        whole.make_ascii_lowercase();
        whole
    } else {
        fold(&whole)
    }
}

pub(super) fn fold(text: &str) -> String {
    text.to_lowercase()
}

/// Returns the order of two texts read from their ends.
pub(super) fn backwards(left: &str, right: &str) -> Ordering {
    left.bytes().rev().cmp(right.bytes().rev())
}

pub(super) fn last_component(path: &str) -> &str {
    let start = memchr::memrchr(b'/', path.as_bytes()).map_or(0, |slash| slash + 1);
    path.get(start..).unwrap_or_default()
}
