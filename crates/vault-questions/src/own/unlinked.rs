//! `notes:unlinked` (`contracts.md` I24): notes without links to them, from them, or both.

use std::convert::identity;

use obsidian_note::VaultPath;
use vault_files::{Args, DailyNotes, Vault};
use vault_index::Tags;

use super::graph::Graph;
use super::prelude::*;

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<List<UnlinkedNote>>("notes:unlinked", "unlinked-notes", unlinked)
        .with_total();

/// A note that lacks links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct UnlinkedNote {
    /// The note.
    pub(super) path: String,
    /// Whether a link of another file leads to it.
    pub(super) incoming: bool,
    /// Whether a link of it leads to another file.
    pub(super) outgoing: bool,
}

impl AnswerItem for UnlinkedNote {
    /// Returns the path, and which links it has.
    fn cells(&self) -> Vec<String> {
        let has = match (self.incoming, self.outgoing) {
            (true, _) => "no links from it",
            (_, true) => "no links to it",
            _ => "no links",
        };
        vec![self.path.clone(), has.to_owned()]
    }

    names!(path);
}

/// The number of notes in an answer unless `limit` is given.
const LIMIT: usize = 100;

/// Notes without incoming and outgoing links; with `lacks`, notes without links in that one direction. A link of a note
/// to itself counts for neither.
fn unlinked(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let lacks = arguments.text("lacks").unwrap_or("both");
    let (mut graph, seen) = Graph::read::<Tags>(vault)?;
    graph.edges.retain(|edge| edge.source != edge.destination);
    let (incoming, outgoing) = graph.marks(seen.files.len());
    let skipped = Exclusions::from_arguments(vault, arguments)?;
    let is = |marks: &[bool], id: usize| marks.get(id) == Some(&true);
    let notes = seen.notes().filter(|(_, path)| !skipped.holds(path));
    let notes = notes.map(|(id, path)| UnlinkedNote {
        path: path.to_string(),
        incoming: is(&incoming, id),
        outgoing: is(&outgoing, id),
    });
    let notes = notes.filter(|note| match lacks {
        "incoming" => !note.incoming,
        "outgoing" => !note.outgoing,
        _ => !note.incoming && !note.outgoing,
    });
    let answer = page(notes.collect(), arguments, LIMIT, identity);
    Ok(Reply::new(answer, seen.warnings))
}

/// The notes that the caller wants to leave out.
struct Exclusions {
    templates: Option<String>,
    daily: Option<DailyNotes>,
}

impl Exclusions {
    fn from_arguments(vault: &Vault, arguments: &Args) -> Result<Self, EngineError> {
        let templates = arguments.flag("noTemplates").then(|| {
            let folder = vault.settings().template_folder;
            // Without a setting, the folder name that many vaults use.
            folder.unwrap_or_else(|| "Templates".to_owned())
        });
        let daily = arguments.flag("noDaily");
        Ok(Self {
            templates: templates.filter(|folder| !folder.is_empty()),
            daily: daily.then(|| vault.daily_notes()).transpose()?,
        })
    }

    fn holds(&self, path: &VaultPath) -> bool {
        let path_text = path.as_str().to_lowercase();
        let is_below = |folder: &String| {
            let folder = folder.to_lowercase();
            let below = path_text.strip_prefix(folder.as_str());
            below.is_some_and(|below| below.starts_with('/'))
        };
        self.templates.as_ref().is_some_and(is_below)
            || self.daily.as_ref().is_some_and(|daily| daily.is_one(path))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use vault_files::Vault;
    use vault_files::vault::testing::vault;

    use crate::own::testing::{ask, ask_without, text};
    use std::sync::LazyLock;

    const CASES: &str = include_str!("unlinked_cases.txt");

    static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

    fn paths(vault: &Vault, line: &str) -> Vec<String> {
        let found = ask(vault, line);
        let items = found["items"].as_array().unwrap().iter();
        let path = |item: &Value| item["path"].as_str().unwrap().to_owned();
        items.map(path).collect()
    }

    #[test]
    fn notes_without_links_by_kind() {
        let (_folder, vault) = vault(&NOTES);
        assert_eq!(
            paths(&vault, "notes:unlinked"),
            [
                "Forms/x.md",
                "Journal/2026-03-14.md",
                "Journal/Notes on it.md"
            ]
        );
        assert_eq!(
            paths(&vault, "notes:unlinked noTemplates noDaily"),
            ["Journal/Notes on it.md"]
        );
        assert_eq!(
            paths(&vault, "notes:unlinked lacks=outgoing noTemplates noDaily"),
            ["Journal/Notes on it.md", "b.md", "lone.md"]
        );
        assert_eq!(
            ask(&vault, "notes:unlinked lacks=incoming total"),
            json!({"total": 5})
        );
        assert_eq!(
            text(&vault, "notes:unlinked limit=1"),
            "Forms/x.md\tno links\n"
        );
    }

    #[test]
    fn d13_a_link_in_what_may_not_be_seen_counts_for_nothing() {
        let (_folder, vault) = vault(&NOTES);
        let (found, _) = ask_without(&vault, "hidden", "notes:unlinked noTemplates noDaily");
        assert_eq!(found["total"], 2);
    }
}
