//! Links that lead elsewhere because an edit removes their file.

use std::collections::{BTreeMap, BTreeSet};

use obsidian_note::note_record::record_of;
use obsidian_note::resolve::Kin;
use obsidian_note::{LinkIndex, Resolution, VaultPath};
use vault_files::EngineError;
use vault_index::{IndexedVault, LinkTexts};

use super::change::Change;
use crate::Editor;

/// Links that an edit takes from the file that they led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectedLinks {
    /// The file that they led to.
    pub from: VaultPath,
    /// The file that they lead to afterwards; `None` if they are dead.
    pub to: Option<VaultPath>,
    /// The files with the links.
    pub sources: BTreeSet<VaultPath>,
}

impl Editor<'_> {
    /// Returns the links that lead elsewhere, or to no file, because these changes remove files. Links to a file that is
    /// moved are not among them: the move rewrites them or warns. Reads the links of the whole vault.
    ///
    /// # Errors
    ///
    /// Fails if the vault cannot be listed, and after a cancellation.
    pub fn redirected_links(
        &self,
        changes: &[Change],
    ) -> Result<Vec<RedirectedLinks>, EngineError> {
        let (mut new, mut gone) = (BTreeSet::new(), BTreeSet::new());
        let (mut moves, mut texts) = (BTreeMap::new(), BTreeMap::new());
        for change in changes {
            match change {
                Change::Create { path, .. } if !path.is_hidden() => drop(new.insert(path)),
                Change::Remove { path, .. } => drop(gone.insert(path)),
                Change::Move { from, to, .. } if to.is_hidden() => drop(gone.insert(from)),
                Change::Move { from, to, .. } => drop(moves.insert(from, to)),
                Change::Modify { path, after, .. } => drop(texts.insert(path, after)),
                _ => {}
            }
        }
        if gone.is_empty() {
            return Ok(Vec::new());
        }
        let mut names = Kin::default();
        new.iter()
            .chain(&gone)
            .for_each(|path| names.add_file(path));
        let links = IndexedVault(self).column::<LinkTexts>()?;
        let before = names.among(&links.files);
        let left = before.iter().filter(|file| !gone.contains(file));
        let left = left.map(|file| moves.get(file).copied().unwrap_or(file));
        let after = LinkIndex::new(left.chain(new.iter().copied()).cloned());
        let before = LinkIndex::new(before);
        let mut found: BTreeMap<_, BTreeSet<VaultPath>> = BTreeMap::new();
        for (id, link) in links
            .column
            .iter()
            .filter(|(_, link)| names.may_be_of(link))
        {
            let Some(source) = links.files.get(id).filter(|file| !gone.contains(file)) else {
                continue;
            };
            let Resolution::Found(was) = before.resolve(link, source) else {
                continue;
            };
            let is = after.resolve(link, source).path();
            // The edit may have rewritten the link.
            let is_kept = || {
                texts.get(source).is_none_or(|text| {
                    let (record, _) = record_of(source, text);
                    record.links.iter().any(|one| one.linkpath == link)
                })
            };
            if is.as_ref() != Some(&was.path) && !moves.contains_key(&was.path) && is_kept() {
                found
                    .entry((was.path, is))
                    .or_default()
                    .insert(source.clone());
            }
        }
        let redirected = found
            .into_iter()
            .map(|((from, to), sources)| RedirectedLinks { from, to, sources });
        Ok(redirected.collect())
    }
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::vault;

    use crate::Editor;
    use crate::testing::plan;

    const CASES: &str = include_str!("redirected_cases.txt");

    #[test]
    fn links_of_a_removed_file_are_dead_or_lead_to_another_one_of_its_name() {
        let (_folder, vault) = vault(&[
            ("Goal.md", "[[Goal]]"),
            ("a.md", "[[Goal]] [[deep/Z]]"),
            ("b.md", "[x](goal.md) [[deep/Goal]] [[Z|z]]"),
            ("deep/Goal.md", ""),
            ("deep/Z.md", "[[Z]]"),
            ("deep/none.md", "text"),
        ]);
        let redirected = |command: &str, arguments: &[(&str, &str)]| {
            let edit = plan(&vault, command, arguments, &[]);
            let found = Editor(&vault).redirected_links(&edit.changes).unwrap();
            let shown = found.into_iter().map(|links| {
                let to = links.to.map_or("none".to_owned(), |to| to.to_string());
                format!("{} -> {to} in {}", links.from, links.sources.len())
            });
            shown.collect::<Vec<_>>().join(", ")
        };
        for [command, path, expected] in tables::section(CASES, "links of a removed file") {
            assert_eq!(
                redirected(command, &[("path", path)]),
                expected,
                "{command} {path}"
            );
        }
        // A merge rewrites the links to the note that it removes.
        let merge = [("path", "Goal.md"), ("into", "deep/none.md")];
        assert_eq!(redirected("note:merge", &merge), "");
    }
}
