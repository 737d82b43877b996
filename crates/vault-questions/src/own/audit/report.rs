//! The answer of `vault:audit`, and its text.

use obsidian_note::shown::rows;
use obsidian_note::{plural, words};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use vault_answers::{AnswerData, Items, List, ListNumbers};

/// The numbers of an audit. The findings themselves are in the envelope's `violations`, those of severity `advice` in
/// its `advice`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditReport {
    /// Files that were looked at.
    pub files: usize,
    /// Notes among them.
    pub notes: usize,
    /// Number of findings of each kind, the gravest first; not affected by the page.
    pub counts: Vec<FindingCount>,
    /// The links that lead nowhere, counted in three ways.
    pub broken_links: BrokenLinkCount,
    /// The part of the findings that the envelope contains.
    #[serde(serialize_with = "numbers")]
    #[schemars(with = "FindingPage")]
    pub findings: List<Finding>,
}

/// Serialises which part of the findings a list is, without the findings.
fn numbers<S: Serializer>(shown: &List<Finding>, serializer: S) -> Result<S::Ok, S::Error> {
    let numbers = shown.numbers();
    FindingPage {
        numbers,
        next_offset: numbers.next(),
    }
    .serialize(serializer)
}

/// Links that lead nowhere. An audit has a finding for each note and target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrokenLinkCount {
    /// Different targets: what `unresolved total` counts.
    pub targets: usize,
    /// Findings `UNRESOLVED_LINK`: a target counts once for each note that uses it.
    pub findings: usize,
    /// Single links: what `vault:stats` counts as `links.unresolved`.
    pub links: usize,
}

/// Number of findings of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingCount {
    /// The name of the finding.
    pub code: &'static str,
    /// The severity.
    pub severity: Severity,
    /// Number of findings.
    pub count: usize,
}

/// The part of the findings that an answer contains.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingPage {
    #[serde(flatten)]
    numbers: ListNumbers,
    /// The `offset` of the next page. Only if findings follow after these.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
}

words! {
    /// The severity of a finding.
    #[derive(PartialOrd, Ord, Hash, JsonSchema)]
    pub enum Severity {
        /// Something is broken or can get lost.
        Error = "error",
        /// Something may be meant otherwise than it is taken.
        Warning = "warning",
        /// Something may be worth a look.
        Advice = "advice",
    }
}

/// One thing that an audit found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The severity.
    pub severity: Severity,
    /// Its stable code, such as `UNRESOLVED_LINK`.
    pub code: &'static str,
    /// The file with the fault.
    pub path: String,
    /// The line in that file, from 1, if it is known.
    pub line: Option<usize>,
    /// One sentence for people.
    pub message: String,
    /// Other files that the fault involves; at most 5.
    pub candidates: Vec<String>,
}

impl AnswerData for AuditReport {
    /// Returns a line for each finding: severity, code, place and sentence, separated by tabs. Then the totals.
    fn text(&self) -> String {
        let shown = rows(self.findings.items.iter().map(|finding| {
            let line = finding
                .line
                .map(|line| format!(":{line}"))
                .unwrap_or_default();
            [
                finding.severity.name().to_owned(),
                finding.code.to_owned(),
                format!("{}{line}", finding.path),
                finding.message.clone(),
            ]
        }));
        let gap = if shown.is_empty() { "" } else { "\n" };
        let counts = self.counts.iter();
        let counts: Vec<String> = counts
            .map(|count| format!("{} {}", count.count, count.code))
            .collect();
        let found = if counts.is_empty() {
            "nothing found".to_owned()
        } else {
            counts.join(", ")
        };
        format!(
            "{shown}{gap}{} looked at: {found}",
            plural::count(self.notes, "note")
        )
    }

    fn list(&mut self) -> Option<&mut dyn Items> {
        Some(&mut self.findings)
    }
}
