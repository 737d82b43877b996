//! `vault:index` (`contracts.md` I30, K31, C24, C27, M25): brings the index up to date.

use obsidian_note::shown::rows;
use vault_index::{IndexedVault, Pair, Properties, Tags};

use super::graph::Graph;
use super::prelude::*;

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<IndexReport>("vault:index", "index-report", refresh);

/// Numbers of the index, and the work that brought it up to date. Every command does that by itself before it answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IndexReport {
    /// Notes in the index, as `files ext=md` counts them: those that the settings of the vault exclude
    /// too, which `vault:stats` tells apart.
    pub notes: usize,
    /// Canvases in the index.
    pub canvases: usize,
    /// Pairs of files of which one links to the other.
    pub edges: usize,
    /// Notes and canvases that were read, because they are new or changed.
    pub indexed: usize,
    /// Notes and canvases that were known.
    pub reused: usize,
    /// Files that are gone since the last time.
    pub deleted: usize,
    /// Notes that cannot be read; the warnings name them.
    pub failed: usize,
}

impl AnswerData for IndexReport {
    /// Lines of a key, a tab and a value.
    fn text(&self) -> String {
        let all = [
            ("notes", self.notes),
            ("canvases", self.canvases),
            ("edges", self.edges),
            ("indexed", self.indexed),
            ("reused", self.reused),
            ("deleted", self.deleted),
            ("failed", self.failed),
        ];
        rows(all.map(|(key, value)| [key.to_owned(), value.to_string()]))
    }
}

/// Updates the index and counts its contents.
fn refresh(call: &Call<'_>) -> Result<Reply, EngineError> {
    let vault = call.vault;
    let work = IndexedVault(vault).index_work()?;
    let (graph, seen) = Graph::read::<Pair<Properties, Tags>>(vault)?;
    let indexed = seen.files.iter().filter(|path| path.is_indexed()).count();
    let notes = seen.files.iter().filter(|path| path.is_note()).count();
    let failed = seen.warnings.iter().filter(|warning| {
        use obsidian_note::Warning::{NoteTooLarge, NoteUnreadable};
        matches!(warning, NoteUnreadable { .. } | NoteTooLarge { .. })
    });
    let answer = IndexReport {
        notes,
        canvases: indexed.saturating_sub(notes),
        edges: graph.edges.len(),
        indexed: work.read,
        reused: indexed.saturating_sub(work.read),
        deleted: work.removed,
        failed: failed.count(),
    };
    Ok(Reply::new(answer, seen.warnings))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vault_files::vault::testing::vault;

    use crate::own::testing::{ask, ask_without};

    #[test]
    fn the_index_is_counted() {
        let (_folder, vault) = vault(&[
            ("a.md", "[[b]] some words"),
            ("b.md", "more words"),
            ("x.png", ""),
        ]);
        let found = ask(&vault, "vault:index");
        assert_eq!(
            found,
            json!({"notes": 2, "canvases": 0, "edges": 1, "indexed": 2, "reused": 0, "deleted": 0, "failed": 0})
        );
    }

    #[test]
    fn d13_what_may_not_be_seen_is_not_counted() {
        let (_folder, vault) = vault(&[("a.md", "[[hidden]]"), ("hidden.md", "text")]);
        let (found, _) = ask_without(&vault, "hidden", "vault:index");
        assert_eq!(
            found,
            json!({"notes": 1, "canvases": 0, "edges": 0, "indexed": 1, "reused": 0, "deleted": 0, "failed": 0})
        );
    }
}
