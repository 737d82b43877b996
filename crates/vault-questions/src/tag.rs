//! Implements the command `tag`.

use vault_answers::{FileItem, List, TagFiles};
use vault_files::{Call, Collation, EngineError, Refusal};
use vault_index::target::required;

use super::reply::{Reply, total};
use super::tags::VaultTags;

/// The files with one tag, which must be given in the casing that `tags` shows. Its count includes
/// nested tags and the list does not (`vault-semantics.md` §3.1), so a tag may have a count and no
/// files. Excluded files are in neither.
pub(super) fn tag(call: &Call<'_>) -> Result<Reply, EngineError> {
    let arguments = call.arguments;
    let name = required(arguments, "name", "tag name=<tag> [total] [verbose]")?;
    let tag = format!("#{}", name.strip_prefix('#').unwrap_or(name));
    let tags = VaultTags::read(call.vault)?;
    let Some(known) = tags.counts().into_iter().find(|known| known.tag == tag) else {
        return Err(EngineError::Refused(Refusal::TagNotFound { tag }));
    };
    let VaultTags {
        indexed,
        excluded,
        warnings,
    } = tags;
    if arguments.flag("total") {
        return Ok(Reply::new(total(known.count), warnings));
    }
    let folded = tag.to_lowercase();
    let mut files: Vec<FileItem> = indexed
        .column
        .files_with(|tag| tag.to_lowercase() == folded)
        .filter_map(|id| indexed.files.get(id))
        .filter(|path| !excluded.excludes(path))
        .map(FileItem::new)
        .collect();
    Collation::new()?.sort_by(&mut files, |file| &file.path);
    let answer = TagFiles {
        tag,
        count: Some(known.count),
        files: List::new(files),
    };
    Ok(Reply::new(answer, warnings))
}
