//! A note among the others.

use super::rows;
use crate::answer::{BrokenLink, FoundNotes, Likeness, List, NoteDescription, RelatedNote};

/// Key, tab, value.
pub(super) fn description(note: &NoteDescription) -> String {
    let all = [
        ("path", note.path.clone()),
        ("title", note.title.clone().unwrap_or_default()),
        ("size", note.size.to_string()),
        ("lines", note.lines.to_string()),
        ("words", note.words.to_string()),
        ("characters", note.characters.to_string()),
        ("headings", note.headings.to_string()),
        (
            "tasks",
            format!("{} ({} done)", note.tasks.total, note.tasks.done),
        ),
        ("tags", note.tags.join(" ")),
        ("aliases", note.aliases.join(", ")),
        ("properties", note.properties.join(", ")),
        (
            "links",
            format!(
                "{} ({} lead nowhere)",
                note.links.total, note.links.unresolved
            ),
        ),
        (
            "backlinks",
            format!(
                "{} (in {} files)",
                note.backlinks.total, note.backlinks.files
            ),
        ),
    ];
    rows(all.map(|(key, value)| [key.to_owned(), value]))
}

/// Path, tab, what bears the name; where nothing does, the files that may be meant.
pub(super) fn found(found: &FoundNotes) -> String {
    let items = found.list.items.iter();
    let mut lines = rows(items.map(|item| [item.path.clone(), item.found_by.name().to_owned()]));
    for candidate in &found.nearest {
        lines += if lines.is_empty() { "" } else { "\n" };
        lines += &rows([[format!("Did you mean {}?", candidate.path)]]);
    }
    lines
}

/// Path, tab, score.
pub(super) fn related(list: &List<RelatedNote>) -> String {
    rows(
        list.items
            .iter()
            .map(|note| [note.path.clone(), note.score.to_string()]),
    )
}

/// Text, tab, how often, tab, where, tab, what may be meant.
pub(super) fn broken(list: &List<BrokenLink>) -> String {
    rows(list.items.iter().map(|link| {
        let sources: Vec<&str> = link
            .sources
            .iter()
            .map(|source| source.path.as_str())
            .collect();
        let candidates = link.candidates.iter().map(|candidate| {
            let why = match candidate.why {
                Likeness::Name | Likeness::Spelling => "",
                Likeness::Alias => " (alias)",
            };
            format!("{}{why}", candidate.path)
        });
        let candidates: Vec<String> = candidates.collect();
        let meant = if candidates.is_empty() {
            String::new()
        } else {
            format!("did you mean {}?", candidates.join(", "))
        };
        [
            link.target.clone(),
            link.count.to_string(),
            sources.join(", "),
            meant,
        ]
    }))
}
