//! What waits in a draft, as a person sees it: each file with its diff, what it does to links and properties,
//! and what it loses (`design.md` §18.6).

use std::collections::BTreeMap;

use cli_output::plural::count;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;
use vault_engine::frontmatter::Frontmatter;
use vault_engine::scan;

use super::CurrentDraft;
use super::merged::{ConflictKind, DraftConflict};
use super::parts::DraftPart;
use super::questions::DraftedFile;
use super::review::state_of;
use crate::gateway::Happening;
use crate::records::labels::Labels;

/// The most bytes of diffs of one draft.
const MOST_DIFF: usize = 8 << 20;
/// The most bytes of a text whose links and properties are compared.
const MOST_COMPARED: usize = 1 << 20;
/// The fewest lines that must go before a change counts as a loss.
const FEWEST_LOST: usize = 3;
/// The most bytes after the host of an address that is not long.
const LONG_ADDRESS: usize = 120;
/// How many new web links are not many.
const MANY_LINKS: usize = 20;

/// A draft, as a person sees it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingDraft {
    /// The id.
    pub draft: Uuid,
    /// The agent whose draft it is; absent for agents without a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// When it was begun, RFC 3339 in UTC.
    pub created: String,
    /// When it was changed last, RFC 3339 in UTC.
    pub changed: String,
    /// A hash of what waits: `--state` with it makes sure that an answer is about what was shown.
    pub state: String,
    /// How many files and folders wait.
    pub waiting: usize,
    /// These files, with their diffs.
    pub files: Vec<WaitingFile>,
}

/// A file of a draft, as a person sees it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingFile {
    /// What happens to it, and its diff.
    #[serde(flatten)]
    pub file: DraftedFile,
    /// How many lines are added.
    pub added: usize,
    /// How many lines are removed.
    pub removed: usize,
    /// What is lost if this is accepted: a note that is removed or emptied, or most of its lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loses: Option<String>,
    /// What to look at with care: that the agent had read text from outside, and new web links that are
    /// long or many, since each sends its address to whoever it leads to when a person clicks it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// The properties that are added, changed or removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<PropertyChange>,
    /// Links and embeds that are new, as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links_added: Vec<String>,
    /// Links and embeds that go, as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links_removed: Vec<String>,
    /// Why it cannot be accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict_reason: Option<String>,
    /// The places where the agent and the vault differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<ConflictSides>,
}

/// A property before and after, each as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PropertyChange {
    /// Its name.
    pub name: String,
    /// The value before; absent for a new property.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The value after; absent for a removed one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// A place that the agent and someone else changed differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConflictSides {
    /// The first line in the text that both started from, 1-based.
    pub line: usize,
    /// That text.
    pub base: String,
    /// The text in the draft.
    pub draft: String,
    /// The text in the vault.
    pub vault: String,
}

impl WaitingDraft {
    pub(super) fn from_draft(current: &CurrentDraft, labels: &Labels) -> Self {
        let CurrentDraft { draft, standing } = current;
        let agent = draft.agent.as_deref();
        let mut left = MOST_DIFF;
        let parts = draft.parts();
        let files = parts.iter().map(|part| {
            let conflict = standing.conflict(&part.path);
            let mut file = WaitingFile::from_part(part, conflict, left);
            if let Some(label) = labels.of_draft(agent, &part.path) {
                let told = format!("It {}.", label.why.in_words());
                file.hints.insert(0, told);
            }
            left = left.saturating_sub(file.file.diff.as_ref().map_or(0, String::len));
            file
        });
        Self {
            files: files.collect(),
            draft: draft.id,
            agent: draft.agent.clone(),
            created: draft.created.to_string(),
            changed: draft.changed.to_string(),
            state: state_of(draft),
            waiting: draft.waiting(),
        }
    }
}

impl WaitingFile {
    fn from_part(part: &DraftPart, conflict: Option<&DraftConflict>, most: usize) -> Self {
        let sum = |count: fn(&line_diff::Hunk) -> usize| part.hunks.iter().map(count).sum();
        let mut file = Self {
            file: DraftedFile::from_part(part, conflict.is_some(), most),
            added: sum(|hunk| hunk.after.len()),
            removed: sum(|hunk| hunk.before.len()),
            loses: loss(part),
            hints: part
                .texts
                .as_ref()
                .map_or_else(Vec::new, |(before, after)| web_links(before, after)),
            properties: Vec::new(),
            links_added: Vec::new(),
            links_removed: Vec::new(),
            conflict_reason: conflict.map(|conflict| conflict.kind.reason().to_owned()),
            sides: conflict.map_or_else(Vec::new, |conflict| conflict.kind.sides()),
        };
        let texts = part.texts.as_ref();
        let is_note = part.path.is_note();
        let short = |text: &String| text.len() <= MOST_COMPARED;
        if let Some((before, after)) = texts
            && is_note
            && short(before)
            && short(after)
        {
            file.properties = property_changes(before, after);
            let (before, after) = (links(before), links(after));
            file.links_added = only_in(&after, &before);
            file.links_removed = only_in(&before, &after);
        }
        file
    }
}

impl ConflictKind {
    /// Why the file cannot be accepted.
    pub(super) const fn reason(&self) -> &'static str {
        match self {
            Self::Lines(_) => "the same lines were changed in the vault",
            Self::NotText => "it was changed in the vault too, and is not text or too large",
            Self::ChangedMeanwhile => "it was changed in the vault meanwhile",
            Self::Missing => "it is no longer in the vault",
            Self::Taken => "another file is at this path in the vault",
            Self::Unreadable => {
                "what is at this path in the vault cannot be read, or is a link that leads elsewhere"
            }
        }
    }

    /// The places where both differ.
    pub(super) fn sides(&self) -> Vec<ConflictSides> {
        let Self::Lines(lines) = self else {
            return Vec::new();
        };
        let sides = lines.iter().map(|side| ConflictSides {
            line: side.lines.start + 1,
            base: side.base.clone(),
            draft: side.ours.clone(),
            vault: side.theirs.clone(),
        });
        sides.collect()
    }
}

/// What is lost if the whole part is accepted, in words.
fn loss(part: &DraftPart) -> Option<String> {
    match part.change {
        Happening::Removed => return Some("The note is deleted.".to_owned()),
        Happening::Trashed => return Some("The note goes to the trash.".to_owned()),
        Happening::FolderRemoved => return Some("The folder is removed.".to_owned()),
        _ => {}
    }
    let (before, after) = part.texts.as_ref()?;
    if after.trim().is_empty() && !before.trim().is_empty() {
        return Some("All text of the note is removed.".to_owned());
    }
    let lines = before.lines().count();
    let (removed, added) = part.hunks.iter().fold((0, 0), |(removed, added), hunk| {
        (removed + hunk.before.len(), added + hunk.after.len())
    });
    let lost = removed.saturating_sub(added);
    (lost >= FEWEST_LOST && lost * 2 > lines)
        .then(|| format!("{lost} of the note's {lines} lines are removed."))
}

/// The properties that differ. Those of a note with unreadable properties do not count: the diff shows them.
fn property_changes(before: &str, after: &str) -> Vec<PropertyChange> {
    let properties = |text: &str| Frontmatter::parse_note(text).map(|found| found.properties);
    let (Ok(before), Ok(after)) = (properties(before), properties(after)) else {
        return Vec::new();
    };
    let value = |of: &Map<String, Value>, name: &str| of.get(name).map(ToString::to_string);
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let different = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    let changes = different.map(|name| PropertyChange {
        before: value(&before, name),
        after: value(&after, name),
        name: name.clone(),
    });
    changes.collect()
}

/// New web links that a person should look at before they are clicked.
fn web_links(before: &str, after: &str) -> Vec<String> {
    let addresses = |text: &str| -> BTreeMap<String, usize> {
        let mut found = BTreeMap::new();
        let text = text.get(..MOST_COMPARED).unwrap_or(text);
        let starts = text.match_indices("://").map(|(at, _)| at + 3);
        for start in starts {
            let rest = text.get(start..).unwrap_or_default();
            let end =
                rest.find(|letter: char| letter.is_whitespace() || "<>()[]\"`|".contains(letter));
            let address = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            *found.entry(address.to_owned()).or_default() += 1;
        }
        found
    };
    let new = only_in(&addresses(after), &addresses(before));
    let long = new.iter().filter(|address| {
        let path = address.split_once(['/', '?', '#']).map_or("", |(_, path)| path);
        path.len() > LONG_ADDRESS
    });
    let mut hints = Vec::new();
    let long = long.count();
    if long > 0 {
        let links = count(long, "web link");
        hints.push(format!("{links} with a long address: whoever clicks sends all of it out."));
    }
    if new.len() > MANY_LINKS {
        hints.push(format!("{} new web links.", new.len()));
    }
    hints
}

/// Links and embeds of a text as written, with how often each occurs.
fn links(text: &str) -> BTreeMap<String, usize> {
    let facts = scan::scan(text);
    let mut links = BTreeMap::new();
    for link in facts.links.into_iter().chain(facts.embeds) {
        *links.entry(link.original).or_default() += 1;
    }
    links
}

/// What occurs in `links` more often than in `others`.
fn only_in(links: &BTreeMap<String, usize>, others: &BTreeMap<String, usize>) -> Vec<String> {
    let more =
        links.iter().filter(|(link, count)| **count > others.get(*link).copied().unwrap_or(0));
    more.map(|(link, _)| link.clone()).collect()
}

#[cfg(test)]
mod tests {
    use line_diff::hunks;
    use vault_engine::{PlannedFile, VaultPath};

    use super::super::parts::DIFF_TIME;
    use super::*;

    fn part(change: Happening, before: &str, after: &str) -> DraftPart {
        DraftPart {
            path: VaultPath::file("Note.md").unwrap(),
            place: VaultPath::file("Note.md").unwrap(),
            origin: None,
            file: PlannedFile::Gone,
            change,
            from: None,
            texts: Some((before.to_owned(), after.to_owned())),
            hunks: hunks(before, after, DIFF_TIME),
        }
    }

    #[test]
    fn links_and_properties_that_change_are_told() {
        let before = "---\nstatus: open\nrank: 1\nold: x\n---\n[[A]] and [[B]] and [[B]]\n";
        let after = "---\nstatus: done\nrank: 1\nnew: [1, 2]\n---\n[[B]] and ![[C.png]]\n";
        let part = part(Happening::Modified, before, after);
        let file = WaitingFile::from_part(&part, None, 9999);
        let changes: Vec<_> = file
            .properties
            .iter()
            .map(|change| {
                let (before, after) = (change.before.as_deref(), change.after.as_deref());
                (change.name.as_str(), before, after)
            })
            .collect();
        assert_eq!(
            changes,
            [
                ("new", None, Some("[1,2]")),
                ("old", Some("\"x\""), None),
                ("status", Some("\"open\""), Some("\"done\"")),
            ]
        );
        assert_eq!(file.links_added, ["![[C.png]]"]);
        assert_eq!(file.links_removed, ["[[A]]", "[[B]]"]);
        assert_eq!((file.added, file.removed, file.loses), (3, 3, None));
    }

    #[test]
    fn long_and_many_web_links_are_hints() {
        let long = format!("[a](https://example.org/?q={})", "x".repeat(200));
        let hints = |before: &str, after: &str| {
            let part = part(Happening::Modified, before, after);
            WaitingFile::from_part(&part, None, 9999).hints
        };
        assert!(hints("", "[a](https://example.org/a?b=c) https://example.org").is_empty());
        assert_eq!(hints("", &format!("{long}\n{long}")).len(), 1);
        assert!(hints(&long, &format!("{long}\nmore")).is_empty());
        let many: String = (0..30).map(|n| format!("https://example.org/{n}\n")).collect();
        assert_eq!(hints("", &many), ["30 new web links."]);
        assert_eq!(hints("", &many.replace("https", "notes")).len(), 1);
    }

    #[test]
    fn what_is_lost_is_said() {
        let loses = |change, before, after| loss(&part(change, before, after));
        let five = "1\n2\n3\n4\n5\n";
        assert_eq!(loses(Happening::Modified, five, "1\n2\n3\n4\n"), None);
        assert_eq!(loses(Happening::Modified, five, "a\nb\nc\nd\ne\n"), None);
        assert_eq!(
            loses(Happening::Modified, five, "1\n2\n").as_deref(),
            Some("3 of the note's 5 lines are removed.")
        );
        assert_eq!(
            loses(Happening::Modified, five, " \n").as_deref(),
            Some("All text of the note is removed.")
        );
        assert!(loses(Happening::Trashed, five, "").is_some());
        assert_eq!(loses(Happening::Created, "", five), None);
    }
}
