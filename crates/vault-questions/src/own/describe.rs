//! `note:describe` (`contracts.md` I22, I23).

use std::collections::HashSet;

use obsidian_note::frontmatter::body;
use obsidian_note::note_record::record_of;
use obsidian_note::resolve::unresolved_name;
use obsidian_note::scan::scan;
use obsidian_note::sha256::sha256;
use obsidian_note::shown::rows;
use obsidian_note::word_counter::words;
use obsidian_note::{Frontmatter, Resolution};
use obsidian_note::{byte_order_mark, plural};
use serde_json::{Map, Value};
use vault_index::{IndexedVault, Tags};

use super::graph::Graph;
use super::note::{Note, title};
use super::numbers::{LinkStats, TaskStats};
use super::prelude::*;

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<NoteDescription>("note:describe", "note-description", describe);

/// The contents of one note and its links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct NoteDescription {
    /// The note.
    pub(super) path: String,
    /// The property `title`, or else the file's name with blanks for `-` and `_`.
    pub(super) title: Option<String>,
    /// The first 32 digits of the SHA-256 of its bytes: equal for equal notes. No write takes it as
    /// `ifHash`, because the answer does not have the text.
    pub(super) hash: String,
    /// Bytes.
    pub(super) size: u64,
    /// When it was made: milliseconds since 1970-01-01T00:00:00Z.
    pub(super) created: i64,
    /// When it was last changed: milliseconds since 1970-01-01T00:00:00Z.
    pub(super) modified: i64,
    /// Lines of the file.
    pub(super) lines: usize,
    /// Words below the properties, as `wordcount` counts them.
    pub(super) words: usize,
    /// UTF-16 code units below the properties.
    pub(super) characters: usize,
    /// Headings, as `outline` has them.
    pub(super) headings: usize,
    /// Its tasks.
    pub(super) tasks: TaskStats,
    /// Its tags, with their `#`, each once: those of the properties, then those of the text.
    pub(super) tags: Vec<String>,
    /// Its aliases.
    pub(super) aliases: Vec<String>,
    /// The names of its properties, in its order.
    pub(super) properties: Vec<String>,
    /// Its properties with their values; none where they cannot be read.
    pub(super) frontmatter: Map<String, Value>,
    /// Links and embeds in it.
    pub(super) links: LinkStats,
    /// Links to it.
    pub(super) backlinks: BacklinkStats,
}

/// Links to a note.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct BacklinkStats {
    /// Number of links.
    pub(super) total: usize,
    /// Number of files with these links.
    pub(super) files: usize,
}

impl AnswerData for NoteDescription {
    /// Lines of a key, a tab and a value.
    fn text(&self) -> String {
        let (tasks, links, backlinks) = (&self.tasks, &self.links, &self.backlinks);
        let all = [
            ("path", self.path.clone()),
            ("title", self.title.clone().unwrap_or_default()),
            ("hash", self.hash.clone()),
            ("size", self.size.to_string()),
            ("lines", self.lines.to_string()),
            ("words", self.words.to_string()),
            ("characters", self.characters.to_string()),
            ("headings", self.headings.to_string()),
            ("tasks", format!("{} ({} done)", tasks.total, tasks.done)),
            ("tags", self.tags.join(" ")),
            ("aliases", self.aliases.join(", ")),
            ("properties", self.properties.join(", ")),
            (
                "links",
                format!("{} ({} lead nowhere)", links.total, links.unresolved),
            ),
            (
                "backlinks",
                format!(
                    "{} (in {})",
                    backlinks.total,
                    plural::count(backlinks.files, "file")
                ),
            ),
        ];
        rows(all.map(|(key, value)| [key.to_owned(), value]))
    }
}

/// The number of digits of a hash, too few for a write.
const HASH_DIGITS: usize = 32;

/// Returns the contents of one note and its links.
pub(super) fn describe(call: &Call<'_>) -> Result<Reply, EngineError> {
    let vault = call.vault;
    let Note {
        path,
        bytes,
        text,
        mut warnings,
    } = Note::read(vault, call.arguments)?;
    let facts = vault.facts(&path)?;
    let (record, problem) = record_of(&path, &bytes);
    if let Some(warning) = problem.and_then(|problem| problem.warning(&path)) {
        warning.add_new(&mut warnings);
    }
    let frontmatter = Frontmatter::parse_note(&text).unwrap_or_default();
    let mut tasks = TaskStats::default();
    tasks.add(record.tasks.iter().map(|task| task.status));

    let (index, _) = IndexedVault(vault).link_index()?;
    let mut links = LinkStats::default();
    let mut missing = HashSet::new();
    for link in &record.links {
        let count = usize::try_from(link.count).unwrap_or(usize::MAX);
        links.total += count;
        match index.resolve(&link.linkpath, &path) {
            Resolution::Found(_) => links.resolved += count,
            Resolution::Missing => {
                links.unresolved += count;
                missing.insert(unresolved_name(&link.linkpath));
            }
        }
    }
    links.unresolved_targets = missing.len();
    let (graph, seen) = Graph::read::<Tags>(vault)?;
    let mut backlinks = BacklinkStats::default();
    if let Ok(here) = seen.files.binary_search(&path) {
        for edge in graph.edges.iter().filter(|edge| edge.destination == here) {
            backlinks.total += edge.count;
            backlinks.files += 1;
        }
    }
    let mut known = HashSet::new();
    let tags = record.tags.into_iter();
    let answer = NoteDescription {
        title: title(&path, &frontmatter.properties),
        hash: sha256(&bytes).chars().take(HASH_DIGITS).collect(),
        size: facts.size,
        created: facts.created,
        modified: facts.modified,
        lines: text.lines().count(),
        words: words(body(&text)),
        characters: body(&text).encode_utf16().count(),
        headings: scan(byte_order_mark::strip(&text)).headings.len(),
        tasks,
        tags: tags
            .filter(|tag| known.insert(tag.to_lowercase()))
            .collect(),
        aliases: frontmatter.aliases(),
        properties: frontmatter.properties.keys().cloned().collect(),
        frontmatter: frontmatter.properties,
        links,
        backlinks,
        path: path.to_string(),
    };
    // Warnings about other notes are dropped, except those that say that their links are not
    // counted.
    let others = seen
        .warnings
        .into_iter()
        .filter(|warning| *warning.path() != path);
    warnings.extend(others);
    Ok(Reply::new(answer, warnings))
}

#[cfg(test)]
mod tests {
    use obsidian_note::sha256::sha256;
    use serde_json::json;
    use vault_files::vault::testing::vault;

    use super::HASH_DIGITS;
    use crate::own::testing::{ask, ask_without, fails, text};

    const NOTE: &str = "---\naliases: [N, M]\ntags: [one]\n---\n# A\n\n> ## quoted\n\nTwo words #One #two\n- [ ] t\n- [x] u\n[[b]] [[b]] ![[Gone]] [[hidden/s]]\n";
    const NOTES: &[(&str, &str)] = &[
        ("b.md", "[[my-note]] [[my-note|x]]"),
        ("hidden/s.md", "[[my-note]]"),
        ("my-note.md", NOTE),
    ];

    #[test]
    fn a_note_and_its_links() {
        let (_folder, vault) = vault(NOTES);
        let mut found = ask(&vault, "note:describe path=my-note.md");
        let facts = found.as_object_mut().unwrap();
        for key in ["created", "modified"] {
            assert!(facts.remove(key).unwrap().as_i64().unwrap() > 0);
        }
        // The answer does not show the text, so it must not give its hash (`threats.toml` F15).
        let hash = sha256(NOTE.as_bytes());
        assert_eq!(facts.remove("hash").unwrap(), hash[..HASH_DIGITS]);
        let body = NOTE.splitn(3, "---\n").nth(2).unwrap();
        assert_eq!(
            facts.remove("words").unwrap(),
            obsidian_note::word_counter::words(body)
        );
        assert_eq!(
            found,
            json!({
                "path": "my-note.md", "title": "my note", "size": NOTE.len(), "lines": 12,
                "characters": body.len(), "headings": 1,
                "tasks": {"total": 2, "open": 1, "done": 1}, "tags": ["#one", "#two"],
                "aliases": ["N", "M"], "properties": ["aliases", "tags"],
                "frontmatter": {"aliases": ["N", "M"], "tags": ["one"]},
                "links": {"total": 4, "resolved": 3, "unresolved": 1, "unresolvedTargets": 1},
                "backlinks": {"total": 3, "files": 2},
            })
        );
        assert!(
            text(&vault, "note:describe path=my-note.md").contains("backlinks\t3 (in 2 files)\n")
        );
    }

    #[test]
    fn d13_links_from_and_to_what_may_not_be_seen_are_not_reported() {
        let (_folder, vault) = vault(NOTES);
        let (found, _) = ask_without(&vault, "hidden", "note:describe path=my-note.md");
        assert_eq!(
            found["links"],
            json!({"total": 4, "resolved": 2, "unresolved": 2, "unresolvedTargets": 2})
        );
        assert_eq!(found["backlinks"], json!({"total": 2, "files": 1}));
        fails(&vault, "note:describe path=none.md");
    }
}
