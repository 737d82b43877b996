//! A vault as a whole.

use super::rows;
use crate::answer::{AuditReport, ExportedNote, LargeNote, List, VaultStats};

/// Key, tab, value.
pub(super) fn stats(stats: &VaultStats) -> String {
    let all = [
        ("files", stats.files.to_string()),
        ("notes", stats.notes.to_string()),
        ("canvases", stats.canvases.to_string()),
        ("bases", stats.bases.to_string()),
        ("attachments", stats.attachments.to_string()),
        ("size", stats.size.to_string()),
        ("links", stats.links.total.to_string()),
        ("unresolved", stats.links.unresolved.to_string()),
        ("tags", stats.tags.distinct.to_string()),
        ("tasks", stats.tasks.total.to_string()),
        ("open tasks", stats.tasks.open.to_string()),
        ("properties", stats.properties.distinct.to_string()),
        ("orphans", stats.orphans.to_string()),
        ("dead ends", stats.deadends.to_string()),
    ];
    rows(all.map(|(key, value)| [key.to_owned(), value]))
}

/// Bytes, tab, path.
pub(super) fn large(list: &List<LargeNote>) -> String {
    rows(
        list.items
            .iter()
            .map(|note| [note.size.to_string(), note.path.clone()]),
    )
}

/// Note, tab, copy.
pub(super) fn exported(list: &List<ExportedNote>) -> String {
    rows(
        list.items
            .iter()
            .map(|note| [note.path.clone(), note.output.clone()]),
    )
}

/// Severity, tab, code, tab, place, tab, sentence; then how much was found.
pub(super) fn audit(report: &AuditReport) -> String {
    let told = report.told.iter().map(|finding| {
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
    });
    let told = rows(told);
    let gap = if told.is_empty() { "" } else { "\n" };
    let counts: Vec<String> = report
        .counts
        .iter()
        .map(|count| format!("{} {}", count.count, count.code))
        .collect();
    let found = if counts.is_empty() {
        "nothing found".to_owned()
    } else {
        counts.join(", ")
    };
    format!("{told}{gap}{} notes looked at: {found}", report.notes)
}
