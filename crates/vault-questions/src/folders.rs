//! `folder` and `folders`.

use std::cmp::Reverse;

use obsidian_note::VaultPath;
use vault_answers::{FolderInfo, FolderItem};
use vault_files::{Call, Collation, Detail, EngineError, FileEntry};
use vault_index::IndexedVault;
use vault_index::target::{folder as folder_of, missing};

use super::reply::{Reply, first};

/// Facts about one folder: the files and folders in it at any depth, without itself. An unknown
/// `info` gives all facts, as the app replaces unknown values with its default.
pub(super) fn folder(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    if !arguments.has("path") {
        let usage = "folder path=<path> [info=files|folders|size]";
        return Err(missing("path", usage));
    }
    let folder = folder_of(arguments, "path");
    let wanted = arguments.text("info");
    let whole = !matches!(wanted, Some("files" | "folders" | "size"));
    let asks = |fact: &str| whole || wanted == Some(fact);
    let contents = if asks("size") {
        vault.contents(&folder, Detail::Sizes)?
    } else {
        IndexedVault(vault).names_below(&folder)?
    };
    let info = FolderInfo {
        path: whole.then(|| folder.to_string()),
        files: asks("files").then_some(contents.files.len()),
        folders: asks("folders").then_some(contents.folders.len()),
        size: asks("size").then(|| contents.size()),
    };
    Ok(Reply::new(info, contents.warnings))
}

/// Folders, the requested one first; the root is `/`.
pub(super) fn folders(call: &Call<'_>) -> Result<Reply, EngineError> {
    let arguments = call.arguments;
    let folder = folder_of(arguments, "folder");
    let mut contents = IndexedVault(call.vault).names_below(&folder)?;
    if !arguments.flag("total") {
        Collation::new()?.sort_by(&mut contents.folders, VaultPath::as_str);
    }
    let mut folders: Vec<VaultPath> = std::iter::once(folder).chain(contents.folders).collect();
    if arguments.text("sort") == Some("files") {
        folders.sort_by_cached_key(|folder| {
            let inside = |file: &&FileEntry| file.path.parent() == *folder;
            Reverse(contents.files.iter().filter(inside).count())
        });
    }
    let items: Vec<FolderItem> = folders
        .into_iter()
        .map(|folder| FolderItem {
            path: folder.to_string(),
        })
        .collect();
    Ok(Reply::new(first(items, arguments), contents.warnings))
}
