//! `read`, `file` and `files`.

use std::cmp::Reverse;

use obsidian_note::VaultPath;
use vault_answers::{FileInfo, FileItem};
use vault_files::{Args, Call, Collation, Contents, EngineError, FileFacts, Refusal, Vault};
use vault_index::target::folder;
use vault_index::{IndexedVault, Target};

use super::reply::{Reply, first};

/// Returns the text of a file of any extension.
pub(super) fn read(call: &Call<'_>) -> Result<Reply, EngineError> {
    let vault = call.vault;
    let target = Target::from_arguments(vault, call.arguments)?;
    let note = vault.note(&target.path, &target.requested)?;
    Ok(Reply::of_note(note, target.warnings))
}

/// Facts about one file. `name` is without extension, as the app's help shows it.
pub(super) fn file(call: &Call<'_>) -> Result<Reply, EngineError> {
    let vault = call.vault;
    let target = Target::from_arguments(vault, call.arguments)?;
    let facts = vault.facts_of_target(&target.path, &target.requested)?;
    let info = FileInfo {
        path: target.path.to_string(),
        name: target.path.basename().to_owned(),
        extension: target.path.extension().to_owned(),
        size: facts.size,
        created: facts.created,
        modified: facts.modified,
    };
    Ok(Reply::new(info, target.warnings))
}

/// Returns the files and folders below `folder=`, at any depth. A missing folder is empty: the app reports no error.
pub(super) fn below(vault: &Vault, arguments: &Args) -> Result<Contents, EngineError> {
    let folder = folder(arguments, "folder");
    match IndexedVault(vault).names_below(&folder) {
        Err(EngineError::Refused(Refusal::FolderNotFound { .. } | Refusal::NotAFolder { .. })) => {
            Ok(Contents::default())
        }
        other => other,
    }
}

/// Sorts files by a time or their size, the newest or largest first; ties keep their order.
fn sort(items: &mut [FileItem], vault: &Vault, by: Option<&str>) {
    let fact: fn(&FileFacts) -> i64 = match by {
        Some("modified") => |facts| facts.modified,
        Some("created") => |facts| facts.created,
        Some("size") => |facts| i64::try_from(facts.size).unwrap_or(i64::MAX),
        _ => return,
    };
    items.sort_by_cached_key(|item| {
        let facts = VaultPath::file(&item.path).ok();
        let facts = facts.and_then(|path| vault.facts(&path).ok());
        // A file that was removed since then sorts last.
        Reverse(facts.map(|facts| fact(&facts)))
    });
}

/// Files below a folder, at any depth.
pub(super) fn files(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let contents = below(vault, arguments)?;
    let extension = arguments
        .text("ext")
        .map(|text| text.strip_prefix('.').unwrap_or(text));
    let paths = contents.files.iter().map(|file| &file.path);
    let wanted = paths.filter(|path| extension.is_none_or(|wanted| path.extension() == wanted));
    let mut items: Vec<FileItem> = wanted.map(FileItem::new).collect();
    if !arguments.flag("total") {
        Collation::new()?.sort_by(&mut items, |item| &item.path);
        sort(&mut items, vault, arguments.text("sort"));
    }
    Ok(Reply::new(first(items, arguments), contents.warnings))
}
