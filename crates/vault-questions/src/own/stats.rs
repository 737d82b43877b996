//! `vault:stats` (`contracts.md` I21).

use std::collections::HashSet;

use obsidian_note::shown::rows;
use serde_json::Value;
use vault_index::{ListedFiles, Pair, Properties, Tags, Tasks, tag_counts};

use super::chunks::chunk_count;
use super::graph::Graph;
use super::numbers::{LinkStats, TaskStats};
use super::prelude::*;

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<VaultStats>("vault:stats", "vault-stats", stats);

/// The numbers of a vault. Excluded files are in none of them but `excluded`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VaultStats {
    /// Files of every kind.
    pub files: usize,
    /// Notes among them. With those of `excluded` they are all notes, as `vault:index` and
    /// `files ext=md` count them.
    pub notes: usize,
    /// Canvases among them.
    pub canvases: usize,
    /// Bases among them.
    pub bases: usize,
    /// All other files.
    pub attachments: usize,
    /// Bytes of all files.
    pub size: u64,
    /// Bytes of all notes.
    pub notes_size: u64,
    /// Links and embeds in notes and canvases.
    pub links: LinkStats,
    /// Tags.
    pub tags: TagStats,
    /// Tasks.
    pub tasks: TaskStats,
    /// Properties.
    pub properties: PropertyStats,
    /// Notes that no link leads to.
    pub orphans: usize,
    /// Notes from which no link leads to a file.
    pub deadends: usize,
    /// Numbers of the files that the settings of the vault exclude.
    pub excluded: ExcludedStats,
    /// The pieces that `note:chunks` cuts the notes into. Only with `chunks`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks: Option<usize>,
}

/// Numbers of files that the user has excluded in the app's settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExcludedStats {
    /// Files of every kind.
    pub files: usize,
    /// Notes among them.
    pub notes: usize,
}

/// Numbers of tags.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TagStats {
    /// Different tags, casing aside, with those above nested ones: as many as `tags` lists.
    pub distinct: usize,
    /// Number of occurrences of tags in notes.
    pub uses: usize,
}

/// Numbers of properties.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PropertyStats {
    /// Different names.
    pub distinct: usize,
    /// Notes that have any.
    pub notes: usize,
}

impl AnswerData for VaultStats {
    /// Lines of a key, a tab and a value.
    fn text(&self) -> String {
        let all = [
            ("files", self.files.to_string()),
            ("notes", self.notes.to_string()),
            ("canvases", self.canvases.to_string()),
            ("bases", self.bases.to_string()),
            ("attachments", self.attachments.to_string()),
            ("size", self.size.to_string()),
            ("links", self.links.total.to_string()),
            ("links that lead nowhere", self.links.unresolved.to_string()),
            (
                "unresolved targets",
                self.links.unresolved_targets.to_string(),
            ),
            ("tags", self.tags.distinct.to_string()),
            ("tasks", self.tasks.total.to_string()),
            ("open tasks", self.tasks.open.to_string()),
            ("properties", self.properties.distinct.to_string()),
            ("orphans", self.orphans.to_string()),
            ("dead ends", self.deadends.to_string()),
            ("excluded files", self.excluded.files.to_string()),
            ("excluded notes", self.excluded.notes.to_string()),
        ];
        let chunks = self.chunks.map(|count| ("chunks", count.to_string()));
        let all = all.into_iter().chain(chunks);
        rows(all.map(|(key, value)| [key.to_owned(), value]))
    }
}

type StatsFacts = Pair<Pair<Properties, Tags>, Tasks>;

/// Returns the totals of the vault over all listed files.
pub(super) fn stats(call: &Call<'_>) -> Result<Reply, EngineError> {
    let vault = call.vault;
    let (graph, seen) = Graph::read::<StatsFacts>(vault)?;
    let Pair(described, tasks) = seen.column.as_ref();
    let Pair(properties, tags) = described.as_ref();
    let mut stats = VaultStats::default();
    for (path, size) in ListedFiles::read(vault)?.files {
        stats.size = stats.size.saturating_add(size);
        if path.is_note() {
            stats.notes_size = stats.notes_size.saturating_add(size);
        }
    }
    for (id, path) in seen.files.iter().enumerate() {
        if !seen.lists(id) {
            stats.excluded.files += 1;
            stats.excluded.notes += usize::from(path.is_note());
            continue;
        }
        stats.files += 1;
        match path.extension() {
            _ if path.is_note() => stats.notes += 1,
            "canvas" => stats.canvases += 1,
            "base" => stats.bases += 1,
            _ => stats.attachments += 1,
        }
    }
    let resolved = graph.edges.iter().map(|edge| edge.count).sum();
    let unresolved = graph.nowhere.iter().map(super::graph::Nowhere::count).sum();
    stats.links = LinkStats {
        total: resolved + unresolved,
        resolved,
        unresolved,
        unresolved_targets: graph.nowhere.len(),
    };
    let uses = tags.iter().filter(|(id, _)| seen.lists(*id));
    stats.tags = TagStats {
        distinct: tag_counts(tags, |id| seen.lists(id)).len(),
        uses: uses.map(|(_, tags)| tags.count()).sum(),
    };
    for (_, tasks) in tasks.iter().filter(|(id, _)| seen.lists(*id)) {
        stats.tasks.add(tasks.iter().map(|task| task.status));
    }
    let mut names = HashSet::new();
    for (_, text) in properties.iter().filter(|(id, _)| seen.lists(*id)) {
        stats.properties.notes += 1;
        if let Ok(Value::Object(properties)) = serde_json::from_str(&text.0) {
            names.extend(properties.into_iter().map(|(name, _)| name));
        }
    }
    stats.properties = PropertyStats {
        distinct: names.len(),
        ..stats.properties
    };
    let (linked, links) = graph.marks(seen.files.len());
    for (id, _) in seen.notes() {
        stats.orphans += usize::from(linked.get(id) == Some(&false));
        stats.deadends += usize::from(links.get(id) == Some(&false));
    }
    if call.arguments.flag("chunks") {
        let notes = seen.notes().map(|(_, path)| chunk_count(vault, path));
        stats.chunks = Some(notes.sum::<Result<usize, EngineError>>()?);
    }
    Ok(Reply::new(stats, seen.warnings))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vault_files::vault::testing::vault;

    use crate::own::testing::{ask, ask_without, without};
    use std::sync::LazyLock;

    const CASES: &str = include_str!("stats_cases.txt");

    static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

    #[test]
    fn the_numbers_of_a_vault() {
        let (_folder, vault) = vault(&NOTES);
        let of = |path: &str| {
            NOTES
                .iter()
                .find(|(name, _)| *name == path)
                .unwrap()
                .1
                .len()
        };
        let notes = of("a.md") + of("b.md") + of("hidden/s.md");
        assert_eq!(
            ask(&vault, "vault:stats"),
            json!({
                "files": 6, "notes": 3, "canvases": 1, "bases": 1, "attachments": 1,
                "size": notes + 2 + 5, "notesSize": notes,
                "links": {"total": 5, "resolved": 4, "unresolved": 1, "unresolvedTargets": 1},
                "tags": {"distinct": 2, "uses": 3},
                "tasks": {"total": 3, "open": 1, "done": 2},
                "properties": {"distinct": 2, "notes": 1},
                "orphans": 0, "deadends": 0, "excluded": {"files": 1, "notes": 1},
            })
        );
    }

    #[test]
    fn pieces_are_counted_as_they_are_cut() {
        let long = format!("# A\n\n{}\n# B\n", "word ".repeat(500));
        let (_folder, vault) = vault(&[("a.md", &long), ("b.md", "one"), ("c.md", "")]);
        let pieces = |path: &str| {
            let found = ask(&vault, &format!("note:chunks path={path}"));
            usize::try_from(found["total"].as_u64().unwrap()).unwrap()
        };
        let all = pieces("a.md") + pieces("b.md") + pieces("c.md");
        assert!(all > 3, "{all}");
        assert_eq!(ask(&vault, "vault:stats chunks")["chunks"], all);
        assert_eq!(ask(&vault, "vault:stats").get("chunks"), None);
    }

    #[test]
    fn all_commands_agree_on_notes_and_tags() {
        let files = [&NOTES[..], &[("d.md", "#one/two/three")]].concat();
        let (_folder, vault) = vault(&files);
        let stats = ask(&vault, "vault:stats");
        let index = ask(&vault, "vault:index");
        let number = |value: &serde_json::Value| value.as_u64().unwrap();
        let total = |line: &str| {
            let found = ask(&vault, line);
            number(&found["total"])
        };
        assert_eq!(
            number(&stats["notes"]) + number(&stats["excluded"]["notes"]),
            total("files ext=md total")
        );
        assert_eq!(number(&index["notes"]), total("files ext=md total"));
        assert_eq!(number(&index["canvases"]), 1);
        assert_eq!(number(&stats["tags"]["distinct"]), total("tags total"));
    }

    #[test]
    fn d13_what_may_not_be_seen_is_not_counted() {
        let (_folder, all) = vault(&NOTES);
        let (_other, rest) = vault(&without(&NOTES, "hidden"));
        let (found, _) = ask_without(&all, "hidden", "vault:stats");
        assert_eq!(found, ask(&rest, "vault:stats"));
        assert_eq!(found["links"]["unresolved"], 2);
    }
}
