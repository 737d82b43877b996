//! Resolves `file=<text>` to a file.

use std::sync::Arc;

use obsidian_note::resolve::Rule;
use obsidian_note::{LinkIndex, Resolution, ResolvedFile, VaultPath, Warning};
use vault_files::EngineError;

use crate::indexed_vault::IndexedVault;

/// The file that `file=<text>` means, with warnings about the search for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLookup {
    /// The file, or that there is none.
    pub resolution: Resolution,
    /// Warnings about what the walk left out; empty if no walk was needed.
    pub warnings: Vec<Warning>,
}

impl IndexedVault<'_> {
    /// Returns the file that `file=<linkpath>` means (`vault-semantics.md` §2.3 with an empty source).
    ///
    /// If the text is a file's whole path in its exact case, with or without `.md`, no walk is needed: the app always
    /// takes that file. `others` is then empty, because they were not searched for. Otherwise this takes one walk.
    ///
    /// # Errors
    ///
    /// Fails if the vault's folder cannot be listed, and after a cancellation. A text that leads nowhere is
    /// [`Resolution::Missing`].
    ///
    /// ```
    /// use std::path::Path;
    /// use obsidian_note::Resolution;
    /// use vault_files::Vault;
    /// use vault_index::IndexedVault;
    ///
    /// let vault = Vault::open(Path::new("../../fixtures/vault"))?;
    /// let lookup = IndexedVault(&vault).resolve("Garden")?;
    /// let Resolution::Found(found) = lookup.resolution else {
    ///     panic!("no such note");
    /// };
    /// assert_eq!(found.path.as_str(), "Projects/Garden/Garden.md");
    /// # Ok::<(), vault_files::EngineError>(())
    /// ```
    pub fn resolve(&self, linkpath: &str) -> Result<FileLookup, EngineError> {
        if let Some(path) = self.whole_path(linkpath) {
            return Ok(FileLookup {
                resolution: Resolution::Found(ResolvedFile {
                    path,
                    rule: Rule::ExactPath,
                    others: Vec::new(),
                    unstable: false,
                }),
                warnings: Vec::new(),
            });
        }
        let (index, warnings) = self.link_index()?;
        Ok(FileLookup {
            resolution: index.resolve(linkpath, &VaultPath::root()),
            warnings,
        })
    }

    /// Returns the link index of all files, with warnings about what the walk left out.
    ///
    /// # Errors
    ///
    /// Fails if the vault's folder cannot be listed, and after a cancellation.
    pub fn link_index(&self) -> Result<(Arc<LinkIndex>, Vec<Warning>), EngineError> {
        if let Some(snapshot) = self.snapshot_at_hand()? {
            let index = Arc::clone(snapshot.link_index());
            return Ok((index, snapshot.left_out.clone()));
        }
        let names = self.names()?;
        Ok((names.link_index(), names.contents.warnings.clone()))
    }

    /// Returns the file whose whole path is `linkpath`, with or without `.md`.
    fn whole_path(&self, linkpath: &str) -> Option<VaultPath> {
        let wanted = linkpath.trim();
        [wanted.to_owned(), format!("{wanted}.md")]
            .iter()
            .filter_map(|text| VaultPath::file(text).ok())
            .filter(|path| path.can_be_linked() && !path.is_hidden())
            .find(|path| !wanted.is_empty() && self.has_file(path))
    }
}

#[cfg(test)]
mod tests {
    use vault_files::disk::trace;
    use vault_files::vault::testing::vault;
    use vault_files::{Detail, Vault};

    use super::*;

    /// Returns the file that `file=` resolves to.
    fn found(vault: &Vault, linkpath: &str) -> Option<String> {
        match IndexedVault(vault).resolve(linkpath).unwrap().resolution {
            Resolution::Found(found) => Some(found.path.to_string()),
            Resolution::Missing => None,
        }
    }

    #[test]
    fn a_setting_is_not_found() {
        let (_folder, vault) = vault(&[(".obsidian/x.md", "")]);
        assert_eq!(found(&vault, ".OBSIDIAN/x"), None);
    }

    #[cfg(unix)]
    #[test]
    fn d03_a_file_behind_a_symlink_is_not_found() {
        let (_folder, vault) = vault(&[("a.md", "")]);
        std::os::unix::fs::symlink("/etc", vault.root().join("etc")).unwrap();
        assert_eq!(found(&vault, "etc/passwd"), None);
    }

    #[test]
    fn a_whole_path_is_resolved_without_a_walk() {
        let (_folder, vault) = vault(&[("a/Note.md", ""), ("Top.md", ""), ("b/Other.md", "")]);
        for (linkpath, expected) in [
            ("Top", "Top.md"),
            ("a/Note", "a/Note.md"),
            ("Top.md", "Top.md"),
        ] {
            let (path, listings, _) = trace::count(|| found(&vault, linkpath));
            assert_eq!((path.as_deref(), listings), (Some(expected), 0));
        }
        let (path, listings, _) = trace::count(|| found(&vault, "other"));
        assert_eq!((path.as_deref(), listings), (Some("b/Other.md"), 3));
        assert_eq!(found(&vault, "none"), None);
        assert_eq!(found(&vault, ""), None);
        assert_eq!(found(&vault, "../Top"), None);
        assert_eq!(found(&vault, "/Top"), Some("Top.md".into()));
    }

    #[test]
    fn one_look_at_the_disk_agrees_with_the_index() {
        let (_folder, vault) = vault(&[
            ("readme", ""),
            ("README.md", ""),
            ("x/a.b", ""),
            ("a.b.md", ""),
        ]);
        let contents = vault.contents(&VaultPath::root(), Detail::Names).unwrap();
        let index = LinkIndex::new(contents.files.into_iter().map(|file| file.path));
        for linkpath in ["readme", "README", "Readme", "a.b", "x/a.b", "A.B"] {
            let indexed = index.resolve(linkpath, &VaultPath::root());
            let (Resolution::Found(quick), Resolution::Found(indexed)) = (
                IndexedVault(&vault).resolve(linkpath).unwrap().resolution,
                indexed,
            ) else {
                panic!("{linkpath}");
            };
            assert_eq!(
                (quick.path, quick.rule),
                (indexed.path, indexed.rule),
                "{linkpath}"
            );
        }
    }
}
