//! `folder` and `folders`.

use std::cmp::Reverse;

use cli_output::{AppError, Arguments, FolderInfo, FolderItem};

use super::reply::{Reply, first};
use crate::call::Call;
use crate::collation::Collation;
use crate::contents::{Detail, FileEntry};
use crate::error::EngineError;
use crate::path::VaultPath;
use crate::target::{folder as folder_of, given};

/// Facts about one folder: the files and folders in it at any depth, without itself. An unknown
/// `info` gives all facts, as the app replaces unknown values with its default.
pub(super) fn folder(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    if given(arguments, "path").is_none() {
        return Err(EngineError::App(missing_path(arguments)));
    }
    let (folder, requested) = folder_of(arguments, "path")?;
    let wanted = arguments.param("info");
    let whole = !matches!(wanted, Some("files" | "folders" | "size"));
    let asks = |fact: &str| whole || wanted == Some(fact);
    let contents = if asks("size") {
        vault.contents_of_target(&folder, requested, Detail::Sizes)?
    } else {
        vault.names_below(&folder, requested)?
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
    let (folder, wanted) = folder_of(arguments, "folder")?;
    let mut contents = call.vault.names_below(&folder, wanted)?;
    if !arguments.flag("total") {
        Collation::new()?.sort_by(&mut contents.folders, VaultPath::as_str);
    }
    let mut folders: Vec<VaultPath> = std::iter::once(folder).chain(contents.folders).collect();
    if given(arguments, "sort") == Some("files") {
        folders.sort_by_cached_key(|folder| {
            let inside = |file: &&FileEntry| file.path.parent() == *folder;
            Reverse(contents.files.iter().filter(inside).count())
        });
    }
    let items: Vec<FolderItem> =
        folders.into_iter().map(|folder| FolderItem { path: folder.to_string() }).collect();
    Ok(Reply::new(first(items, arguments), contents.warnings))
}

/// Returns the app's error about the missing parameter `path`, which has the usage line, or about an empty one, which
/// does not.
fn missing_path(arguments: &Arguments) -> AppError {
    if arguments.param("path").is_some() {
        AppError::MissingParameter { name: "path".to_owned(), usage: None }
    } else {
        AppError::MissingParameter {
            name: "path=<path>".to_owned(),
            usage: Some("folder path=<path> [info=files|folders|size]".to_owned()),
        }
    }
}
