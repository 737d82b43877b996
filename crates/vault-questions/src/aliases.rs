//! `aliases` (`vault-semantics.md` §3.6).

use std::collections::HashMap;

use vault_answers::AliasItem;
use vault_files::{Call, Collation, EngineError};
use vault_index::Target;
use vault_index::target::is_about_one;

use super::notes::{every_note, properties_of};
use super::reply::{Reply, listed};

/// Returns the aliases of one note as written, or the distinct aliases of the vault, each with its notes.
pub(super) fn aliases(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let (items, warnings) = if is_about_one(arguments) {
        let target = Target::from_arguments(vault, arguments)?;
        let path = target.path.to_string();
        let note = properties_of(vault, target)?;
        let item = |alias| AliasItem {
            alias,
            paths: Some(vec![path.clone()]),
        };
        let aliases = note.value.aliases();
        (aliases.into_iter().map(item).collect(), note.warnings)
    } else {
        let (notes, warnings) = every_note(vault)?;
        let mut paths: HashMap<String, Vec<String>> = HashMap::new();
        for (path, frontmatter) in notes {
            let path = path.to_string();
            for alias in frontmatter.aliases() {
                let paths = paths.entry(alias).or_default();
                if paths.last() != Some(&path) {
                    paths.push(path.clone());
                }
            }
        }
        let collation = Collation::new()?;
        let mut items: Vec<AliasItem> = paths
            .into_iter()
            .map(|(alias, mut paths)| {
                collation.sort_by(&mut paths, |path| path);
                let paths = Some(paths);
                AliasItem { alias, paths }
            })
            .collect();
        collation.sort_by(&mut items, |item| &item.alias);
        (items, warnings)
    };
    let answer = listed(items, arguments);
    Ok(Reply::new(answer, warnings))
}
