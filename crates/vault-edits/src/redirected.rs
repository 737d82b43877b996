//! Links that lead elsewhere because an edit adds or removes a file of their name.

use std::collections::{BTreeMap, BTreeSet};

use obsidian_note::note_record::record_of;
use obsidian_note::resolve::Kin;
use obsidian_note::{LinkIndex, Resolution, VaultPath, Warning};
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
    /// Returns the links that lead elsewhere, or to no file, because these changes create or remove files. Links to a
    /// file that is moved are not among them: the move rewrites them or warns.
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
        // Most new files have a name of their own, which the names of the vault show without its links.
        if gone.is_empty() {
            if new.is_empty() {
                return Ok(Vec::new());
            }
            let (index, _) = IndexedVault(self).link_index()?;
            let is_taken = |path: &&VaultPath| {
                let name = path.name().strip_suffix(".md").unwrap_or(path.name());
                index.resolve(name, path) != Resolution::Missing
            };
            if !new.iter().any(is_taken) {
                return Ok(Vec::new());
            }
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
            let is = match after.resolve(link, source) {
                Resolution::Found(found) => Some(found.path),
                Resolution::Missing => None,
            };
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

    /// Returns a warning for each file whose links lead to another file after these changes.
    pub(super) fn redirections(&self, changes: &[Change]) -> Result<Vec<Warning>, EngineError> {
        let redirected = self.redirected_links(changes)?.into_iter();
        let warnings = redirected.filter_map(|links| {
            Some(Warning::LinksRedirected {
                path: links.from,
                to: links.to?,
                files: links.sources.len(),
            })
        });
        Ok(warnings.collect())
    }
}

#[cfg(test)]
mod tests {
    use vault_files::testing::rows;
    use vault_files::vault::testing::vault;

    use crate::testing::plan;

    #[test]
    fn links_that_another_file_of_the_name_takes_are_warned_of() {
        let (_folder, vault) = vault(&[
            ("Goal.md", "[[Goal]]"),
            ("a.md", "[[Goal]] [[deep/Z]]"),
            ("b.md", "[x](goal.md) [[deep/Goal]] [[Z|z]]"),
            ("deep/Goal.md", ""),
            ("deep/Z.md", "[[Z]]"),
            ("deep/none.md", "text"),
        ]);
        for [command, path, expected] in rows(
            "
            create ¦ Z.md         ¦ links to `deep/Z.md` in 2 files now lead to `Z.md`
            create ¦ New.md       ¦
            create ¦ none.md      ¦
            delete ¦ Goal.md      ¦ links to `Goal.md` in 2 files now lead to `deep/Goal.md`
            // Dead links are not warned of: the approval names them.
            delete ¦ deep/Goal.md ¦
            delete ¦ deep/Z.md    ¦
            ",
        ) {
            let edit = plan(&vault, command, &[("path", path)], &[]);
            let shown: Vec<String> = edit.warnings.iter().map(ToString::to_string).collect();
            assert_eq!(shown.concat(), expected, "{command} {path}");
        }
        // A merge rewrites the links to the note that it removes.
        let merge = [("path", "Goal.md"), ("into", "deep/none.md")];
        assert_eq!(plan(&vault, "note:merge", &merge, &[]).warnings, []);
    }
}
