//! Implements the command `tags`.

use std::cmp::Reverse;
use std::collections::HashMap;

use obsidian_note::Warning;
use vault_answers::TagItem;
use vault_files::{Call, Collation, EngineError, Vault};
use vault_index::{
    ExcludedFiles, Indexed, IndexedVault, OneNote, TagCount, Tags, Target, tag_counts,
};

use super::reply::{Found, Reply, listed};

/// Returns the tags of the vault with merged casings and rolled-up counts, or the tags of one file
/// as written (`vault-semantics.md` §3.1).
pub(super) fn tags(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let is_total = arguments.flag("total");
    let (mut items, warnings): (Vec<TagItem>, _) =
        if let Some(target) = Target::if_given(vault, arguments)? {
            let note = OneNote::read(vault, target)?;
            let mut counts: HashMap<String, usize> = HashMap::new();
            for tag in note.record.tags {
                *counts.entry(tag).or_default() += 1;
            }
            let counts = counts
                .into_iter()
                .map(|(tag, count)| TagCount { tag, count });
            let counts = by_name(counts.collect())?;
            (counts.into_iter().map(item).collect(), note.warnings)
        } else {
            let tags = VaultTags::read(vault)?;
            let counts = if is_total {
                tags.counts()
            } else {
                tags.counts_by_name()?
            };
            (counts.into_iter().map(item).collect(), tags.warnings)
        };
    if arguments.text("sort") == Some("count") {
        items.sort_by_key(|item| Reverse(item.count));
    }
    Ok(Reply::new(listed(items, arguments), warnings))
}

/// Returns the tags of the vault with merged casings and rolled-up counts, by name in the app's order
/// (`vault-semantics.md` §3.1). Files that the user excluded in the app are left out.
///
/// # Errors
///
/// The error that keeps the vault from being read.
pub fn tags_of_vault(vault: &Vault) -> Result<Found<Vec<TagCount>>, EngineError> {
    let tags = VaultTags::read(vault)?;
    Ok(Found::new(tags.counts_by_name()?, tags.warnings))
}

/// The tags of the vault without the tags of excluded files.
pub(super) struct VaultTags {
    pub(super) indexed: Indexed<Tags>,
    pub(super) excluded: ExcludedFiles,
    pub(super) warnings: Vec<Warning>,
}

impl VaultTags {
    pub(super) fn read(vault: &Vault) -> Result<Self, EngineError> {
        let mut excluded = ExcludedFiles::read(vault)?;
        let mut indexed = IndexedVault(vault).column::<Tags>()?;
        let mut warnings = std::mem::take(&mut indexed.warnings);
        warnings.append(&mut excluded.warnings);
        Ok(Self {
            indexed,
            excluded,
            warnings,
        })
    }

    /// Each tag with its count, unsorted.
    pub(super) fn counts(&self) -> Vec<TagCount> {
        let excludes_nothing = self.excluded.excludes_nothing();
        tag_counts(&self.indexed.column, |id| {
            let path = || self.indexed.files.get(id);
            excludes_nothing || path().is_some_and(|path| !self.excluded.excludes(path))
        })
    }

    /// Returns the counts sorted by name, which the index keeps ready unless files are excluded.
    fn counts_by_name(&self) -> Result<Vec<TagCount>, EngineError> {
        if self.excluded.excludes_nothing() {
            return Ok(self.indexed.column.counts_by_name()?.to_vec());
        }
        by_name(self.counts())
    }
}

fn item(TagCount { tag, count }: TagCount) -> TagItem {
    TagItem {
        tag,
        count: Some(count),
    }
}

fn by_name(mut counts: Vec<TagCount>) -> Result<Vec<TagCount>, EngineError> {
    Collation::new()?.sort_by(&mut counts, |count| &count.tag);
    Ok(counts)
}
