//! The waiting changes of a draft, as a person sees them: each file with its diff, its warnings, and the changes to its
//! links and properties (`design/review.md`).

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;
use vault_engine::frontmatter::Frontmatter;
use vault_engine::shown;
use vault_engine::{Vault, scan};

use super::groups::{self, ChangeGroup};
use super::links::DraftLinks;
use super::merged::{ConflictKind, DraftConflict};
use super::parts::DraftPart;
use super::questions::{BothSides, DraftedFile};
use super::review::{FileWarning, state_of};
use super::warnings::{ReviewWarning, WarningReason};
use super::{CurrentDraft, warnings};
use protocol::{Code, Failure};
use store::journal::Journal;
use store::labels::Labels;

/// The maximum number of bytes of diffs of one draft.
const MOST_DIFF: usize = 8 << 20;
/// The maximum number of bytes of a text whose links and properties are compared.
const MOST_COMPARED: usize = 1 << 20;
/// The fewest digits of a state that name it.
const STATE_DIGITS: usize = 16;

/// A draft, as a person sees it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingDraft {
    /// The id.
    pub draft: Uuid,
    /// The agent whose draft it is; absent for agents without a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Name and version of the client program that changed it last, as it names itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// When it was begun, RFC 3339 in UTC.
    pub created: String,
    /// When it was changed last, RFC 3339 in UTC.
    pub changed: String,
    /// A hash of what waits: `--state` with it makes sure that an answer is about what was shown.
    pub state: String,
    /// Number of files and folders that wait.
    pub waiting: usize,
    /// Changes that are decided together: text that was moved from file to file, and renames with their links.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<ChangeGroup>,
    /// These files, with their diffs.
    pub files: Vec<WaitingFile>,
}

/// A file of a draft, as a person sees it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingFile {
    /// The change, and its diff.
    #[serde(flatten)]
    pub file: DraftedFile,
    /// Number of added lines.
    pub added: usize,
    /// Number of removed lines.
    pub removed: usize,
    /// The reasons to look twice. A file or a hunk with one needs a confirmation of its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<ReviewWarning>,
    /// The properties that are added, changed or removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<PropertyChange>,
    /// Links and embeds that are new, as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links_added: Vec<String>,
    /// Links and embeds that go, as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links_removed: Vec<String>,
    /// The reason why it cannot be accepted.
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
    /// The text that both started from.
    pub base: String,
    /// The text in the draft.
    pub draft: String,
    /// The text in the vault.
    pub vault: String,
}

impl WaitingDraft {
    /// Returns the draft with these parts for people.
    ///
    /// # Errors
    ///
    /// If the vault cannot be listed, whose files say where links lead, or the journal cannot be read.
    pub(super) fn from_draft(
        CurrentDraft { draft, standing }: &CurrentDraft,
        parts: &[DraftPart],
        labels: &Labels,
        (folder, journal): (&Vault, &Journal),
    ) -> Result<Self, Failure> {
        let agent = draft.agent.as_deref();
        let mut left = MOST_DIFF;
        let links = DraftLinks::of_draft(parts, draft, (folder, Some(journal)))?;
        let files = parts.iter().map(|part| {
            let conflict = standing.conflict(&part.path);
            let mut file = WaitingFile::from_part(part, links.as_ref(), conflict, left);
            if let Some(links) = &links {
                file.warnings.extend(links.broken(part, &part.numbers()));
            }
            if let Some(label) = labels.of_draft(agent, &part.path) {
                let reason = WarningReason::OutsideText { label: label.why };
                file.warnings.push(ReviewWarning::of_file(reason));
            }
            left = left.saturating_sub(file.file.diff.as_ref().map_or(0, String::len));
            file
        });
        let mut waiting = Self {
            files: files.collect(),
            groups: groups::groups(draft, parts, links.as_ref()),
            draft: draft.id,
            agent: draft.agent.clone(),
            client: draft.client.clone(),
            created: in_seconds(draft.created),
            changed: in_seconds(draft.changed),
            state: state_of(draft),
            waiting: draft.waiting(),
        };
        // Everything that is shown is part of the state, also if the draft itself does not have it.
        waiting.state = protocol::digest::sha256(json!(waiting).to_string().as_bytes());
        Ok(waiting)
    }

    /// Returns the digits of the state that commands are printed with.
    pub fn short_state(&self) -> &str {
        self.state.get(..STATE_DIGITS).unwrap_or(&self.state)
    }

    /// Whether the draft is in this state, which is given by all its digits or the first 16 or more.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` if it has fewer digits.
    pub(super) fn is_in_state(&self, seen: &str) -> Result<bool, Failure> {
        if seen.len() < STATE_DIGITS {
            return Err(Code::UsageError.failure(format!(
                "Pass at least the first {STATE_DIGITS} digits of the draft's state."
            )));
        }
        Ok(self.state.starts_with(seen))
    }

    /// Whether this warning is shown with the draft.
    pub(super) fn has_warning(&self, warning: &FileWarning) -> bool {
        let file = self
            .files
            .iter()
            .find(|file| file.file.path == warning.path);
        file.is_some_and(|file| {
            let mut reasons = file.warnings.iter().map(|known| &known.reason);
            reasons.any(|reason| *reason == warning.warning.reason)
        })
    }

    /// Returns the warnings about these notes and hunks, each with its file. The choice is as in
    /// [`Review::notes`](super::Review::notes).
    pub fn warnings_about(
        &self,
        notes: &BTreeMap<String, BTreeSet<usize>>,
    ) -> Vec<(&WaitingFile, &ReviewWarning)> {
        let all = BTreeSet::new();
        let chosen = self.files.iter().filter_map(|file| {
            let hunks = if notes.is_empty() {
                &all
            } else {
                notes.get(&file.file.path)?
            };
            Some((file, hunks))
        });
        let warnings = chosen.flat_map(|(file, hunks)| {
            let about = file
                .warnings
                .iter()
                .filter(|warning| warning.is_about(hunks));
            about.map(move |warning| (file, warning))
        });
        warnings.collect()
    }
}

/// Returns a time as RFC 3339 in UTC, in whole seconds.
pub(super) fn in_seconds(time: Timestamp) -> String {
    format!("{time:.0}")
}

impl WaitingFile {
    fn from_part(
        part: &DraftPart,
        known: Option<&DraftLinks>,
        conflict: Option<&DraftConflict>,
        most: usize,
    ) -> Self {
        let sum = |count: fn(&line_diff::Hunk) -> usize| part.hunks.iter().map(count).sum();
        let mut file = Self {
            file: DraftedFile::from_part(part, conflict.is_some(), most),
            added: sum(|hunk| hunk.after.len()),
            removed: sum(|hunk| hunk.before.len()),
            warnings: warnings::of_part(part, known),
            properties: Vec::new(),
            links_added: Vec::new(),
            links_removed: Vec::new(),
            conflict_reason: conflict.map(|conflict| conflict.kind.reason().to_owned()),
            sides: conflict.map_or_else(Vec::new, |conflict| conflict.kind.sides()),
        };
        if file.file.left_out > 0 {
            let reason = WarningReason::NotShown {
                hunks: file.file.left_out,
            };
            file.warnings.push(ReviewWarning::of_file(reason));
        }
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

impl WaitingFile {
    /// Returns why the file cannot be accepted, with both sides, as text for people; empty without a conflict.
    pub fn conflict_text(&self) -> String {
        let Some(reason) = &self.conflict_reason else {
            return String::new();
        };
        both_sides(&self.file.path, reason, &self.sides)
    }
}

impl BothSides {
    /// Returns both sides of each conflict as text.
    pub(super) fn to_text(&self) -> String {
        both_sides(&self.path, self.reason, &self.sides)
    }
}

fn both_sides(path: &str, reason: &str, sides: &[ConflictSides]) -> String {
    let path = shown::row(path);
    let mut text = format!("  `{path}` cannot be accepted: {reason}.\n");
    for side in sides {
        let line = side.line;
        for (name, part) in [
            (format!("before, from line {line}"), &side.base),
            ("in the draft".to_owned(), &side.draft),
            ("in the vault".to_owned(), &side.vault),
        ] {
            text += &format!("    {name}:\n");
            for line in part.lines() {
                text += &format!("      {}\n", shown::row(line));
            }
        }
    }
    text
}

impl ConflictKind {
    /// Returns why the file cannot be accepted.
    pub(super) const fn reason(&self) -> &'static str {
        match self {
            Self::Lines(_) => "the same lines were changed in the vault",
            Self::NotText => {
                "the file was also changed in the vault, and it is too large or not text"
            }
            Self::ChangedMeanwhile => "the draft removes the file, but it was changed in the vault",
            Self::Missing => "the file is no longer in the vault",
            Self::Taken(_) => "another file or folder is at this path in the vault",
            Self::NoFolder => "a file in the vault is in the place of a folder of the draft",
            Self::Unreadable => {
                "the file at this path in the vault cannot be read, or is a symbolic link"
            }
        }
    }

    /// Returns the places where the draft and the vault differ.
    pub(super) fn sides(&self) -> Vec<ConflictSides> {
        let (Self::Lines(lines) | Self::Taken(lines)) = self else {
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

/// Returns the properties that differ. Empty for a note with unreadable properties: the diff shows them.
fn property_changes(before: &str, after: &str) -> Vec<PropertyChange> {
    let properties = |text: &str| Frontmatter::parse_note(text).map(|found| found.properties);
    let (Ok(before), Ok(after)) = (properties(before), properties(after)) else {
        return Vec::new();
    };
    let value = |of: &Map<String, Value>, name: &str| of.get(name).map(ToString::to_string);
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let different = names
        .into_iter()
        .filter(|name| before.get(*name) != after.get(*name));
    let changes = different.map(|name| PropertyChange {
        before: value(&before, name),
        after: value(&after, name),
        name: name.clone(),
    });
    changes.collect()
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

/// Returns the links that occur in `links` more often than in `others`.
fn only_in(links: &BTreeMap<String, usize>, others: &BTreeMap<String, usize>) -> Vec<String> {
    let more = links
        .iter()
        .filter(|(link, count)| **count > others.get(*link).copied().unwrap_or(0));
    more.map(|(link, _)| link.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use changes::Happening;

    #[test]
    fn changed_links_and_properties_are_reported() {
        let before = "---\nstatus: open\nrank: 1\nold: x\n---\n[[A]] and [[B]] and [[B]]\n";
        let after = "---\nstatus: done\nrank: 1\nnew: [1, 2]\n---\n[[B]] and ![[C.png]]\n";
        let part = DraftPart::of_texts(Happening::Modified, before, after);
        let file = WaitingFile::from_part(&part, None, None, 9999);
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
        assert_eq!((file.added, file.removed), (3, 3));
        assert_eq!(file.warnings, []);
    }
}
