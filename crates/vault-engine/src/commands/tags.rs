//! `tags`.

use std::cmp::Reverse;
use std::collections::HashMap;

use cli_output::{Answer, Arguments, TagItem};

use super::one_note::{OneNote, asked_for};
use super::reply::{Reply, listed};
use crate::collation::Collation;
use crate::error::EngineError;
use crate::excluded::ExcludedFiles;
use crate::index::{Indexed, TagCount, Tags, tag_counts};
use crate::surroundings::Surroundings;
use crate::vault::Vault;
use crate::warning::Warning;

/// Tags of the vault, casings merged and counts rolled up, or those of one file as they are
/// written (`vault-semantics.md` §3.1).
pub(super) fn tags(
    vault: &Vault,
    arguments: &Arguments,
    _surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    let (mut items, warnings): (Vec<TagItem>, _) =
        if let Some(target) = asked_for(vault, arguments)? {
            let note = OneNote::read(vault, target)?;
            let mut counts: HashMap<String, usize> = HashMap::new();
            for tag in note.record.tags {
                *counts.entry(tag).or_default() += 1;
            }
            (counts.into_iter().map(item).collect(), note.warnings)
        } else {
            let VaultTags {
                counts, warnings, ..
            } = VaultTags::load(vault)?;
            let counts = counts.into_iter().map(|tag| item((tag.tag, tag.count)));
            (counts.collect(), warnings)
        };
    if !arguments.flag("total") {
        sort(&mut items, arguments)?;
    }
    Ok(Reply::new(listed(items, arguments, Answer::Tags), warnings))
}

/// The tags of the vault without those of excluded files.
pub(super) struct VaultTags {
    pub(super) indexed: Indexed<Tags>,
    pub(super) excluded: ExcludedFiles,
    pub(super) counts: Vec<TagCount>,
    pub(super) warnings: Vec<Warning>,
}

impl VaultTags {
    pub(super) fn load(vault: &Vault) -> Result<Self, EngineError> {
        let mut excluded = ExcludedFiles::read(vault)?;
        let mut indexed = vault.column::<Tags>()?;
        let excludes_nothing = excluded.excludes_nothing();
        let counts = tag_counts(&indexed.column, |id| {
            let path = || indexed.files.get(id);
            excludes_nothing || path().is_some_and(|path| !excluded.excludes(path))
        });
        let mut warnings = std::mem::take(&mut indexed.warnings);
        warnings.append(&mut excluded.warnings);
        Ok(Self {
            indexed,
            excluded,
            counts,
            warnings,
        })
    }
}

fn item((tag, count): (String, usize)) -> TagItem {
    TagItem {
        tag,
        count: Some(count),
    }
}

/// By name; with `sort=count` the most used first, equal ones by name.
fn sort(items: &mut Vec<TagItem>, arguments: &Arguments) -> Result<(), EngineError> {
    Collation::new()?.sort_by(items, |item| &item.tag);
    if arguments.param("sort") == Some("count") {
        items.sort_by_key(|item| Reverse(item.count));
    }
    Ok(())
}
