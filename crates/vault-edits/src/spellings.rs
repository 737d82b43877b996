//! Refuses to change one of several files that the vault cannot distinguish (`threats.toml` D08).

use std::collections::{BTreeMap, BTreeSet};

use obsidian_note::VaultPath;
use obsidian_note::path::{PathError, normal_spelling};
use vault_files::EngineError;
use vault_files::disk::{list, may_be_spelled_otherwise};

use super::Change;
use crate::Editor;

impl Editor<'_> {
    /// Checks that each name in the changed paths is only one name on disk. If a folder has
    /// `\u{e9}.md` and `e\u{301}.md`, the vault shows only the first, so a caller who means the
    /// other would change the wrong file. Lists each folder at most once, and only if a name can
    /// have another spelling.
    pub(super) fn check_spellings(&self, changes: &[Change]) -> Result<(), EngineError> {
        let mut wanted: BTreeMap<VaultPath, BTreeSet<&str>> = BTreeMap::new();
        for path in changes.iter().flat_map(Change::paths) {
            for (index, name) in path.components().enumerate() {
                if may_be_spelled_otherwise(name) {
                    wanted
                        .entry(path.beginning(index))
                        .or_default()
                        .insert(name);
                }
            }
        }
        for (folder, names) in wanted {
            self.disk().cancellation().check()?;
            // A folder that does not exist yet has no other spellings.
            let Ok(entries) = self.disk().folder(&folder).map(|folder| list(&folder)) else {
                continue;
            };
            let entries = entries.map_err(|source| EngineError::io(&folder, source))?;
            let mut seen = BTreeSet::new();
            for entry in entries {
                let normal = normal_spelling(&entry.name.to_string_lossy());
                if names.contains(normal.as_str()) && !seen.insert(normal.clone()) {
                    let path = folder.join(&normal).unwrap_or_else(|_| folder.clone());
                    return Err(EngineError::path(
                        path.as_str(),
                        PathError::SeveralSpellings,
                    ));
                }
            }
        }
        Ok(())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use obsidian_note::path::PathError;
    use vault_files::EngineError;
    use vault_files::testing::{given, surroundings};
    use vault_files::vault::testing::vault;

    use crate::Editor;

    #[test]
    fn d08_of_twins_that_differ_in_encoding_neither_is_changed() {
        let (_folder, vault) = vault(&[
            ("\u{e9}.md", "composed"),
            ("e\u{301}.md", "decomposed"),
            ("a b/c.md", "space"),
            ("a\u{a0}b/d.md", "no-break space"),
            ("o\u{308}.md", "alone"),
        ]);
        let content = ("content", "x");
        for (command, params, is_refused) in [
            ("delete", [("path", "\u{e9}.md"), content], true),
            ("delete", [("path", "e\u{301}.md"), content], true),
            ("append", [("path", "\u{e9}.md"), content], true),
            ("append", [("path", "a b/c.md"), content], true),
            ("move", [("path", "\u{e9}.md"), ("to", "z.md")], true),
            ("move", [("path", "\u{f6}.md"), ("to", "\u{e4}.md")], false),
            ("append", [("path", "o\u{308}.md"), content], false),
        ] {
            let planned =
                Editor(&vault).plan(command, &given(command, &params, &[]), &surroundings());
            let reason = match planned {
                Ok(_) => None,
                Err(EngineError::Path { reason, .. }) => Some(reason),
                Err(error) => panic!("{error}"),
            };
            let expected = is_refused.then_some(PathError::SeveralSpellings);
            assert_eq!(reason, expected, "{command} {params:?}");
        }
    }
}
