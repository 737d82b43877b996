//! `vault:audit` (`contracts.md` C12, M21, M45): finds faults in a vault.

mod conflict;
mod report;

use std::collections::{BTreeMap, HashMap, HashSet};

use obsidian_note::{AnchorKind, LinkIndex, VaultPath, Warning};
use vault_answers::OwnText;
use vault_files::{Detail, Vault};
use vault_index::anchors::{self, DeadAnchor};
use vault_index::target::folder;
use vault_index::{AnchorLinks, IndexedVault, Links, ListedFiles, Pair, Properties, Seen};

pub use self::report::{
    AuditReport, BrokenLinkCount, Finding, FindingCount, FindingPage, Severity,
};
use super::doubtful::doubtful_links;
use super::graph::{Graph, Nowhere};
use super::likeness::{Candidate, Names, names};
use super::prelude::*;

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<AuditReport>("vault:audit", "audit", audit)
        .with_total()
        .telling(OwnText::Findings);

/// The number of findings in an answer unless `limit` is given.
const LIMIT: usize = 100;
/// The most other files that a finding names.
const CANDIDATES: usize = 5;
/// Notes of at most this many bytes are read, to see whether they contain only white space.
const MAYBE_EMPTY: u64 = 64;
type AuditFacts = Pair<Properties, Pair<Links, AnchorLinks>>;

/// Returns every fault, the gravest first, then by path.
pub(super) fn audit(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let is_least = |severity: &Severity| arguments.text("severity") == Some(severity.name());
    let least = Severity::ALL.into_iter().find(is_least);
    let least = least.unwrap_or(Severity::Advice);
    let folder = folder(arguments, "folder");
    if !folder.is_root() {
        // A missing folder is an error: it is more likely a typing mistake than a vault without
        // faults.
        vault.contents(&folder, Detail::Names)?;
    }
    let (mut graph, seen) = Graph::read::<AuditFacts>(vault)?;
    let is_listed = |id: usize| {
        seen.files
            .get(id)
            .is_some_and(|path| path.is_below(&folder))
    };
    for link in &mut graph.nowhere {
        link.uses.retain(|(source, _)| is_listed(*source));
    }
    graph.nowhere.retain(|link| !link.uses.is_empty());
    let sizes = ListedFiles::read(vault)?;
    let Pair(properties, link_texts) = seen.column.as_ref();
    let Pair(links, anchors) = link_texts.as_ref();
    let named = seen.with(std::sync::Arc::clone(properties));
    let mut found = Findings::default();
    let warnings = found.bad_notes(seen.warnings.clone());
    found.broken_links(&graph, &seen, &names(&named));
    let is_audited = |source: usize| seen.lists(source) && is_listed(source);
    found.dead_anchors(
        &anchors::dead(vault, anchors, &seen.files, is_audited)?,
        &seen.files,
    );
    let (index, _) = IndexedVault(vault).link_index()?;
    found.doubtful_links(links, &seen, &index);
    found.names(&seen);
    found.empty_notes(&sizes.files, vault);
    found.conflicts(&seen, vault, &is_listed);
    found.orphans(&graph, &seen);
    let mut found = found.0;
    found.retain(|finding| finding.severity <= least && folder.is_above(&finding.path));
    found.sort_by(|left, right| {
        let key = |finding: &Finding| {
            (
                finding.severity,
                finding.path.clone(),
                finding.line,
                finding.code,
            )
        };
        key(left)
            .cmp(&key(right))
            .then_with(|| left.message.cmp(&right.message))
    });
    if arguments.flag("total") {
        return Ok(Reply::new(total(found.len()), warnings));
    }
    let mut counts: BTreeMap<(Severity, &'static str), usize> = BTreeMap::new();
    for finding in &found {
        *counts.entry((finding.severity, finding.code)).or_default() += 1;
    }
    let counted = counts.into_iter();
    let report = AuditReport {
        files: (0..seen.files.len())
            .filter(|id| seen.lists(*id) && is_listed(*id))
            .count(),
        notes: seen.notes().filter(|(id, _)| is_listed(*id)).count(),
        broken_links: BrokenLinkCount {
            targets: graph.nowhere.len(),
            findings: graph.nowhere.iter().map(|link| link.uses.len()).sum(),
            links: graph.nowhere.iter().map(Nowhere::count).sum(),
        },
        counts: counted
            .map(|((severity, code), count)| FindingCount {
                code,
                severity,
                count,
            })
            .collect(),
        findings: page_of(found, arguments, LIMIT),
    };
    Ok(Reply::new(report, warnings))
}

/// The severity and code of a finding.
type Fault = (Severity, &'static str);

const UNRESOLVED_LINK: Fault = (Severity::Error, "UNRESOLVED_LINK");
const MISSING_HEADING: Fault = (Severity::Error, "MISSING_HEADING");
const MISSING_BLOCK: Fault = (Severity::Error, "MISSING_BLOCK");
const CASE_TWINS: Fault = (Severity::Error, "CASE_TWINS");
const DUPLICATE_NAME: Fault = (Severity::Warning, "DUPLICATE_NAME");
const EMPTY_NOTE: Fault = (Severity::Advice, "EMPTY_NOTE");
const CONFLICT_COPY: Fault = (Severity::Warning, "CONFLICT_COPY");
const CONFLICT_MARKS: Fault = (Severity::Error, "CONFLICT_MARKS");
const ORPHAN: Fault = (Severity::Advice, "ORPHAN");

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(
        &mut self,
        (severity, code): Fault,
        path: &VaultPath,
        message: String,
        candidates: Vec<String>,
    ) {
        self.0.push(Finding {
            severity,
            code,
            path: path.to_string(),
            line: None,
            message,
            candidates,
        });
    }

    /// Makes findings of the warnings about single notes, and returns the other warnings.
    fn bad_notes(&mut self, warnings: Vec<Warning>) -> Vec<Warning> {
        let mut others = Vec::new();
        for warning in warnings {
            let severity = match &warning {
                Warning::InvalidFrontmatter { .. }
                | Warning::NotUtf8 { .. }
                | Warning::InvalidCanvas { .. } => Severity::Error,
                Warning::NoteUnreadable { .. }
                | Warning::NoteTooLarge { .. }
                | Warning::NestedTooDeep { .. } => Severity::Warning,
                _ => {
                    others.push(warning);
                    continue;
                }
            };
            let fault = (severity, warning.code());
            self.add(fault, warning.path(), warning.to_string(), Vec::new());
            if let Some(finding) = self.0.last_mut() {
                finding.line = warning.line();
            }
        }
        others
    }

    fn broken_links(&mut self, graph: &Graph, seen: &Seen<AuditFacts>, names: &Names<'_>) {
        for link in &graph.nowhere {
            let meant: Vec<String> = names
                .like(&link.linkpath)
                .into_iter()
                .map(|candidate| candidate.path)
                .collect();
            let hint = meant
                .first()
                .map(|path| format!(" Did you mean `{path}`?"))
                .unwrap_or_default();
            for (source, count) in &link.uses {
                let places = in_places(*count);
                let message = format!("The link `{}` is broken{places}.{hint}", link.linkpath);
                if let Some(path) = seen.files.get(*source) {
                    self.add(UNRESOLVED_LINK, path, message, meant.clone());
                }
            }
        }
    }

    /// Links whose note exists, but not the heading or block that they name.
    fn dead_anchors(&mut self, dead: &[DeadAnchor], files: &[VaultPath]) {
        for link in dead {
            let Some(note) = files.get(link.note) else {
                continue;
            };
            let (fault, what) = match link.kind {
                AnchorKind::Heading => (MISSING_HEADING, "heading"),
                AnchorKind::Block => (MISSING_BLOCK, "block"),
            };
            let near = link
                .similar
                .first()
                .map(|near| Candidate::of_place(note, near));
            let hint = near
                .as_ref()
                .map(|near| format!(" Did you mean `{near}`?"))
                .unwrap_or_default();
            for (source, count) in &link.uses {
                let target = &link.target;
                let message = format!(
                    "The link `{target}` is broken{}: `{note}` does not have this {what}.{hint}",
                    in_places(*count)
                );
                if let Some(path) = files.get(*source) {
                    self.add(fault, path, message, vec![note.to_string()]);
                }
            }
        }
    }

    /// Links by a name that several files have. The app has a rule for the choice; if the rule depends on the order of
    /// the disk, the finding is an error.
    fn doubtful_links(&mut self, links: &Links, seen: &Seen<AuditFacts>, index: &LinkIndex) {
        for doubt in doubtful_links(links, seen, index) {
            let (severity, why) = if doubt.is_unstable {
                (
                    Severity::Error,
                    "and Obsidian does not always open the same file",
                )
            } else {
                (
                    Severity::Warning,
                    "and Obsidian prefers a file in the note's folder, then the file with the shortest path",
                )
            };
            let linkpath = &doubt.link.linkpath;
            let message = format!("The link `{linkpath}` matches several files, {why}.");
            for (source, _) in &doubt.link.uses {
                if let Some(path) = seen.files.get(*source) {
                    let files = doubt.files.clone();
                    self.add((severity, "AMBIGUOUS_LINK"), path, message.clone(), files);
                }
            }
        }
    }

    /// Files that differ only in case, which many disks cannot store side by side, and notes of one name in several
    /// folders.
    fn names(&mut self, seen: &Seen<AuditFacts>) {
        let mut paths: HashMap<String, Vec<&VaultPath>> = HashMap::new();
        let mut names: HashMap<String, Vec<&VaultPath>> = HashMap::new();
        for (_, path) in seen.listed_files() {
            paths
                .entry(path.as_str().to_lowercase())
                .or_default()
                .push(path);
            if path.is_note() {
                names
                    .entry(path.basename().to_lowercase())
                    .or_default()
                    .push(path);
            }
        }
        for twins in paths.into_values().filter(|paths| paths.len() > 1) {
            let what = "Another file's path differs only in upper and lower case";
            self.group(CASE_TWINS, &twins, what);
        }
        for same in names.into_values().filter(|paths| paths.len() > 1) {
            self.group(DUPLICATE_NAME, &same, "Another note has this name");
        }
    }

    /// One finding for each of the files, which names some of the others.
    fn group(&mut self, fault: Fault, paths: &[&VaultPath], what: &str) {
        let some: Vec<&VaultPath> = paths.iter().copied().take(CANDIDATES + 1).collect();
        for path in paths {
            let others = some.iter().filter(|other| *other != path).take(CANDIDATES);
            let others: Vec<String> = others.map(ToString::to_string).collect();
            let message = format!("{what}: `{}`.", others.join("`, `"));
            self.add(fault, path, message, others);
        }
    }

    fn empty_notes(&mut self, sizes: &[(VaultPath, u64)], vault: &Vault) {
        let small = sizes
            .iter()
            .filter(|(path, size)| path.is_note() && *size <= MAYBE_EMPTY);
        for (path, size) in small {
            let is_blank = |bytes: Vec<u8>| bytes.iter().all(u8::is_ascii_whitespace);
            if *size == 0 || vault.read_bytes(path).is_ok_and(is_blank) {
                self.add(
                    EMPTY_NOTE,
                    path,
                    "The note is empty.".to_owned(),
                    Vec::new(),
                );
            }
        }
    }

    /// Conflict copies, each with the note that it belongs to, and notes with the marks of Git.
    fn conflicts(
        &mut self,
        seen: &Seen<AuditFacts>,
        vault: &Vault,
        is_listed: &dyn Fn(usize) -> bool,
    ) {
        let paths: HashSet<&VaultPath> = seen.listed_files().map(|(_, path)| path).collect();
        for (_, path) in seen.listed_files().filter(|(id, _)| is_listed(*id)) {
            if let Some(original) = conflict::original_of(path.name()) {
                let beside = path.parent().join(&original.name).ok();
                let beside = beside.filter(|beside| paths.contains(beside));
                let are_versions = |other: &VaultPath| {
                    let texts = vault
                        .read_bytes(path)
                        .ok()
                        .zip(vault.read_bytes(other).ok());
                    texts.is_some_and(|(one, other)| conflict::are_versions(&one, &other))
                };
                match beside {
                    Some(beside) if !original.is_uncertain || are_versions(&beside) => {
                        let message = format!(
                            "This is a copy of `{beside}` that a sync conflict left behind."
                        );
                        self.add(CONFLICT_COPY, path, message, vec![beside.to_string()]);
                    }
                    None if !original.is_uncertain => {
                        let name = original.name;
                        let message = format!(
                            "This is a copy of `{name}` that a sync conflict left behind. `{name}` is not in this folder."
                        );
                        self.add(CONFLICT_COPY, path, message, Vec::new());
                    }
                    _ => {}
                }
            }
        }
        for (_, path) in seen.notes().filter(|(id, _)| is_listed(*id)) {
            let text = vault.read_bytes(path).ok();
            if let Some(line) = text.and_then(|bytes| conflict::marked_line(&bytes)) {
                let message = "The note contains conflict markers of Git.".to_owned();
                self.add(CONFLICT_MARKS, path, message, Vec::new());
                if let Some(finding) = self.0.last_mut() {
                    finding.line = Some(line);
                }
            }
        }
    }

    fn orphans(&mut self, graph: &Graph, seen: &Seen<AuditFacts>) {
        let (linked, _) = graph.marks(seen.files.len());
        for (id, path) in seen.notes() {
            if linked.get(id) == Some(&false) {
                let message = "The note has no backlinks.".to_owned();
                self.add(ORPHAN, path, message, Vec::new());
            }
        }
    }
}

/// Returns the number of places of a link, as a part of a sentence; empty for one.
fn in_places(count: usize) -> String {
    if count == 1 {
        String::new()
    } else {
        format!(" in {count} places")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vault_files::vault::testing::vault;

    use super::{AuditReport, Finding};
    use crate::own::testing::{ask, fails, reply, reply_without, text, without};
    use crate::reply::Reply;
    use std::sync::LazyLock;

    const CASES: &str = include_str!("audit_cases.txt");

    static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

    fn describe(reply: &Reply) -> Vec<String> {
        let report = reply.answer.downcast_ref::<AuditReport>().unwrap();
        let line = |finding: &Finding| {
            let line = finding
                .line
                .map(|line| format!(":{line}"))
                .unwrap_or_default();
            let others = finding.candidates.join(" ");
            format!(
                "{} {} {}{line} {others}",
                finding.severity.name(),
                finding.code,
                finding.path
            )
            .trim_end()
            .to_owned()
        };
        report.findings.items.iter().map(line).collect()
    }

    #[test]
    fn every_kind_of_finding() {
        let (_folder, vault) = vault(&NOTES);
        let report = reply(&vault, "vault:audit").unwrap();
        assert_eq!(
            describe(&report),
            [
                "error UNRESOLVED_LINK Garden.md a/Log.md b/c/Log.md hidden/log.md",
                "error UNRESOLVED_LINK Home.md Garden.md",
                "error INVALID_FRONTMATTER bad.md:3",
                "error INVALID_FRONTMATTER hidden/s.md:3",
                "warning AMBIGUOUS_LINK Garden.md a/Log.md b/c/Log.md hidden/log.md",
                "warning DUPLICATE_NAME a/Log.md b/c/Log.md hidden/log.md",
                "warning DUPLICATE_NAME b/c/Log.md a/Log.md hidden/log.md",
                "warning AMBIGUOUS_LINK hidden/log.md a/Log.md b/c/Log.md hidden/log.md",
                "warning DUPLICATE_NAME hidden/log.md a/Log.md b/c/Log.md",
                "advice ORPHAN b/c/Log.md",
                "advice EMPTY_NOTE blank.md",
            ]
        );
        assert_eq!(report.warnings, []);
        let data = ask(&vault, "vault:audit limit=2 offset=1");
        assert_eq!(
            data["findings"],
            json!({"total": 11, "returned": 2, "offset": 1, "truncated": true, "nextOffset": 3})
        );
        assert_eq!((&data["files"], &data["notes"]), (&json!(8), &json!(8)));
        assert_eq!(
            data["counts"][0],
            json!({"code": "INVALID_FRONTMATTER", "severity": "error", "count": 2})
        );
        assert_eq!(
            ask(&vault, "vault:audit severity=error total"),
            json!({"total": 4})
        );
        assert_eq!(
            ask(&vault, "vault:audit severity=warning total"),
            json!({"total": 9})
        );
        assert!(
            text(&vault, "vault:audit limit=1")
                .starts_with("error\tUNRESOLVED_LINK\tGarden.md\tThe link `b/Log` is broken.")
        );
    }

    #[test]
    fn copies_and_marks_of_conflicts_are_found() {
        let note = "# Boat\nPaint it\nBuy rope\n";
        let (_folder, vault) = vault(&[
            ("Boat.md", note),
            ("Boat 2.md", "# Boat\nPaint it\nBuy varnish\n"),
            ("Boat 3.md", "A note of its own\n"),
            ("Boat (Ann's conflicted copy 2026-01-02).md", note),
            (
                "Home.md",
                "[[Boat]] [[Boat 2]] [[Boat 3]]\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n",
            ),
            ("Lost.sync-conflict-20260102-030405-ABCDEFG.md", "x"),
            ("hidden/Boat (conflicted copy).md", note),
            ("hidden/Boat.md", note),
        ]);
        let conflicts = |reply: &Reply| -> Vec<String> {
            let findings = describe(reply).into_iter();
            findings.filter(|line| line.contains("CONFLICT")).collect()
        };
        let found = [
            "error CONFLICT_MARKS Home.md:2",
            "warning CONFLICT_COPY Boat (Ann's conflicted copy 2026-01-02).md Boat.md",
            "warning CONFLICT_COPY Boat 2.md Boat.md",
            "warning CONFLICT_COPY Lost.sync-conflict-20260102-030405-ABCDEFG.md",
            "warning CONFLICT_COPY hidden/Boat (conflicted copy).md hidden/Boat.md",
        ];
        assert_eq!(conflicts(&reply(&vault, "vault:audit").unwrap()), found);
        let seen = reply_without(&vault, "hidden", "vault:audit");
        assert_eq!(conflicts(&seen), found[..4]);
    }

    #[test]
    fn links_to_missing_headings_and_blocks_are_found() {
        let (_folder, vault) = vault(&[
            (
                "a.md",
                "# Top\n[[b]] [[#Topp]] [[#Topp|x]] [[b#^x]] [[b#B]]",
            ),
            ("b.md", "# B\n[[a]]"),
        ]);
        assert_eq!(
            text(&vault, "vault:audit"),
            "error\tMISSING_BLOCK\ta.md\tThe link `b#^x` is broken: `b.md` does not have this block.\n\
             error\tMISSING_HEADING\ta.md\tThe link `#Topp` is broken in 2 places: `a.md` does not have this heading. Did you mean `a.md#Top`?\n\
             2 notes looked at: 1 MISSING_BLOCK, 1 MISSING_HEADING\n"
        );
        assert_eq!(
            ask(&vault, "vault:audit severity=error total"),
            json!({"total": 2})
        );
    }

    #[test]
    fn a_vault_in_order_has_no_findings() {
        let (_folder, vault) = vault(&[("a.md", "[[b]]"), ("b.md", "[[a]]"), ("c.png", "")]);
        assert_eq!(
            ask(&vault, "vault:audit"),
            json!({"files": 3, "notes": 2, "counts": [], "brokenLinks": {"targets": 0, "findings": 0, "links": 0}, "findings": {"total": 0, "returned": 0, "offset": 0, "truncated": false}})
        );
        assert_eq!(
            text(&vault, "vault:audit"),
            "2 notes looked at: nothing found\n"
        );
    }

    #[test]
    fn broken_links_are_counted_in_three_ways_and_by_folder() {
        let (_folder, vault) = vault(&[
            ("a.md", "[[Gone]] [[Gone]] [[Lost]]"),
            ("x/b.md", "[[Gone]]"),
        ]);
        let found = ask(&vault, "vault:audit severity=error");
        assert_eq!(
            found["brokenLinks"],
            json!({"targets": 2, "findings": 3, "links": 4})
        );
        let below = ask(&vault, "vault:audit folder=x severity=error");
        assert_eq!(
            below["brokenLinks"],
            json!({"targets": 1, "findings": 1, "links": 1})
        );
        assert_eq!(
            (&below["notes"], &below["findings"]["total"]),
            (&json!(1), &json!(1))
        );
        fails(&vault, "vault:audit folder=y");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn names_that_differ_only_in_case_are_reported() {
        let (_folder, vault) = vault(&[("a/N.md", "[[n]]"), ("a/n.md", "[[N]]")]);
        let codes = ask(&vault, "vault:audit")["counts"].clone();
        let codes: Vec<&str> = codes
            .as_array()
            .unwrap()
            .iter()
            .map(|count| count["code"].as_str().unwrap())
            .collect();
        assert!(codes.contains(&"CASE_TWINS"), "{codes:?}");
    }

    #[test]
    fn d13_what_may_not_be_seen_is_not_found_fault_with() {
        let (_folder, all) = vault(&NOTES);
        let (_other, rest) = vault(&without(&NOTES, "hidden"));
        let found = reply_without(&all, "hidden", "vault:audit");
        let expected = reply(&rest, "vault:audit").unwrap();
        assert_eq!(describe(&found), describe(&expected));
        assert_eq!(
            (found.answer, found.warnings),
            (expected.answer, expected.warnings)
        );
    }
}
