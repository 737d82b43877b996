//! Tests of the whole log with crashes, full disks and tampering.

use protocol::Code;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use vault_engine::{Failpoints, Step};

use super::testing::{audit, record, step};
use super::*;
use allowlist::{Effect, EffectSet};

struct Place {
    _folder: tempfile::TempDir,
    state: PathBuf,
    audit: Audit,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    Place {
        audit: audit(&state),
        state,
        _folder: folder,
    }
}

impl Place {
    fn file(&self) -> PathBuf {
        self.state.join(files::CURRENT)
    }

    fn text(&self) -> String {
        fs_err::read_to_string(self.file()).unwrap()
    }

    fn write(&self, text: impl AsRef<[u8]>) {
        fs_err::write(self.file(), text).unwrap();
    }

    fn fill(&self, commands: &[&str]) {
        for command in commands {
            self.audit.record(&record(command)).unwrap();
        }
    }

    fn commands(&self, filter: &AuditFilter) -> Vec<String> {
        let listing = self.audit.entries(filter).unwrap();
        let texts = listing.entries.iter();
        texts
            .map(|entry| entry.text("command").to_owned())
            .collect()
    }

    fn faults(&self) -> Vec<(u64, LogFault)> {
        let report = self.audit.verify().unwrap();
        let spots = report.violations.iter();
        spots.map(|spot| (spot.line, spot.fault)).collect()
    }
}

/// Makes one call fail, or all calls of one kind, and counts all of them.
struct Obstacle {
    kind: Option<&'static str>,
    at: usize,
    calls: AtomicUsize,
}

impl Failpoints for Obstacle {
    fn before(&self, step: Step) -> io::Result<()> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        if number == self.at || self.kind == Some(step.call) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }
}

fn hindered(state: &Path, kind: Option<&'static str>, at: usize) -> (Audit, Arc<Obstacle>) {
    let obstacle = Arc::new(Obstacle {
        kind,
        at,
        calls: AtomicUsize::new(0),
    });
    let limits = audit(state).limits;
    let failpoints: Arc<dyn Failpoints> = obstacle.clone();
    (
        Audit::open(state.to_owned(), limits, Some(failpoints)),
        obstacle,
    )
}

#[test]
fn a_log_that_is_not_there_is_empty_and_reading_makes_none() {
    let place = place();
    assert_eq!(
        place.commands(&AuditFilter::default()),
        Vec::<String>::new()
    );
    assert_eq!(place.audit.verify().unwrap(), VerifyReport::default());
    assert!(!place.state.exists());
}

#[test]
fn records_are_chained_lines_in_a_private_file() {
    let place = place();
    place.fill(&["read", "search", "files"]);
    let text = place.text();
    assert_eq!(text.lines().count(), 3);
    let report = place.audit.verify().unwrap();
    assert_eq!((report.files, report.lines, report.first), (1, 3, Some(1)));
    let last = report.last.unwrap();
    assert_eq!(last.seq, 3);
    assert!(text.ends_with(&format!("\"hash\":\"{}\"}}\n", last.hash)));
    assert!(report.violations.is_empty() && report.torn.is_empty());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&place.state), mode(&place.file())), (0o700, 0o600));
    }
}

#[test]
fn filters_keep_the_newest_that_fit() {
    let place = place();
    place.fill(&["read", "search"]);
    place
        .audit
        .record(&AuditRecord {
            decision: AuditVerdict::Refused,
            code: Some(Code::CommandRefused),
            time: "2026-03-15T00:00:00Z".parse().unwrap(),
            ..record("eval")
        })
        .unwrap();
    place.fill(&["read"]);
    let filter = |set: fn(&mut AuditFilter)| {
        let mut filter = AuditFilter::default();
        set(&mut filter);
        place.commands(&filter).join(" ")
    };
    let found = [
        filter(|_| {}),
        filter(|filter| filter.limit = Some(2)),
        filter(|filter| filter.command = Some("read".to_owned())),
        filter(|filter| filter.refused = true),
        filter(|filter| filter.since = "2026-03-14T12:00:00Z".parse().ok()),
        filter(|filter| filter.after = 2),
    ];
    assert_eq!(
        found,
        [
            "read search eval read",
            "eval read",
            "read read",
            "eval",
            "eval",
            "eval read"
        ]
    );
}

#[test]
fn following_hands_out_each_record_once() {
    let place = place();
    let mut follower = place.audit.follow(AuditFilter::default(), 0);
    assert_eq!(follower.look().unwrap(), None);
    place.fill(&["a", "b"]);
    let commands = |listing: Option<AuditListing>| -> Vec<String> {
        let entries = listing.into_iter().flat_map(|listing| listing.entries);
        entries
            .map(|entry| entry.text("command").to_owned())
            .collect()
    };
    assert_eq!(commands(follower.look().unwrap()), ["a", "b"]);
    assert_eq!(follower.look().unwrap(), None);
    place.fill(&["c"]);
    assert_eq!(commands(follower.look().unwrap()), ["c"]);
    assert_eq!(follower.look().unwrap(), None);
}

#[test]
fn a_full_file_is_put_aside_and_the_chain_goes_on() {
    let place = place();
    let limits = AuditSettings {
        max_bytes: 2000,
        max_files: 3,
        ..AuditSettings::default()
    };
    let audit = Audit::open(place.state.clone(), limits, None);
    let mut follower = audit.follow(AuditFilter::default(), 0);
    let mut seen = 0;
    for number in 1..=40 {
        audit.record(&record(&number.to_string())).unwrap();
        if number % 7 == 0 {
            let listing = follower.look().unwrap().unwrap();
            seen += listing.entries.len();
        }
    }
    seen += follower.look().unwrap().unwrap().entries.len();
    assert_eq!(seen, 40, "rotation loses nothing for a follower");
    let report = audit.verify().unwrap();
    assert_eq!(report.files, 4);
    assert_eq!(report.violations, []);
    assert_eq!(report.last.unwrap().seq, 40);
    let first = report.first.unwrap();
    assert!(first > 1, "the oldest were forgotten");
    assert_eq!(report.lines, 41 - first);
    let kept = audit.entries(&AuditFilter::default()).unwrap().entries;
    assert_eq!(kept.len() as u64, report.lines);
    // A file missing from the middle is found.
    let aside = audit.folder.names().unwrap();
    let aside: Vec<_> = aside
        .iter()
        .filter(|name| name.starts_with("audit.0"))
        .collect();
    assert_eq!(aside.len(), 3);
    fs_err::remove_file(place.state.join(aside[1])).unwrap();
    let violations = audit.verify().unwrap().violations;
    assert_eq!(violations.len(), 1);
    assert_eq!(
        (violations[0].line, violations[0].fault),
        (1, LogFault::Broken)
    );
}

#[test]
fn a_process_that_died_between_putting_aside_and_beginning_anew_changes_nothing() {
    let place = place();
    place.fill(&["a", "b"]);
    let full = place.state.join(format!("audit.{:020}.jsonl", 2));
    fs_err::rename(place.file(), full).unwrap();
    assert_eq!(place.faults(), []);
    place.fill(&["c"]);
    assert_eq!(place.faults(), []);
    assert_eq!(place.commands(&AuditFilter::default()), ["a", "b", "c"]);
}

/// Opens a log with small limits.
fn small(place: &Place) -> Audit {
    let limits = AuditSettings {
        max_bytes: 8000,
        max_files: 2,
        ..AuditSettings::default()
    };
    Audit::open(place.state.clone(), limits, None)
}

/// Writes five records of each class that is kept.
fn evidence(audit: &Audit) {
    for run in 1..=5_u8 {
        audit.record(&step(Phase::Intent, run.into())).unwrap();
        audit.record(&step(Phase::Result, run.into())).unwrap();
        let refused = AuditRecord {
            decision: AuditVerdict::Refused,
            code: Some(Code::CommandRefused),
            ..record("eval")
        };
        audit.record(&refused).unwrap();
        let approved = AuditRecord {
            approved_by: Some(tiers::ApprovalChannel::Terminal),
            ..record("approve")
        };
        audit.record(&approved).unwrap();
    }
}

#[test]
fn h17_a_flood_of_reads_pushes_out_reads_alone() {
    let place = place();
    let audit = small(&place);
    evidence(&audit);
    for number in 0..400 {
        audit.record(&record("read")).unwrap();
        if number % 100 == 0 {
            assert_eq!(audit.verify().unwrap().violations, [], "{number}");
        }
    }
    let report = audit.verify().unwrap();
    assert_eq!((report.violations.len(), report.torn.len()), (0, 0));
    assert_eq!((report.kept, report.files), (20, 3));
    assert_eq!((report.dropped.changes, report.dropped.refusals), (0, 0));
    assert_eq!(report.dropped.reads + report.lines + report.kept, 420);
    for (command, count) in [("append", 10), ("eval", 5), ("approve", 5)] {
        let filter = AuditFilter {
            command: Some(command.to_owned()),
            ..AuditFilter::default()
        };
        assert_eq!(place.commands(&filter).len(), count, "{command}");
    }
    let newest = AuditFilter {
        limit: Some(3),
        refused: true,
        ..AuditFilter::default()
    };
    assert_eq!(place.commands(&newest), ["eval"; 3]);
    let all = audit.entries(&AuditFilter::default()).unwrap().entries;
    assert!(all.is_sorted_by_key(|entry| entry.seq));
    // A follower does not return kept lines again.
    let mut follower = audit.follow(AuditFilter::default(), 420);
    assert_eq!(follower.look().unwrap().unwrap().entries, []);
}

#[test]
fn h17_what_is_kept_cannot_be_changed_or_taken_out_unseen() {
    let place = place();
    let audit = small(&place);
    evidence(&audit);
    for _ in 0..400 {
        audit.record(&record("read")).unwrap();
    }
    let file = place.state.join("audit.refusals.0000000000.jsonl");
    let whole = fs_err::read_to_string(&file).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    for changed in [
        String::new(),
        format!("{}\n", lines[1..].join("\n")),
        format!("{}\n", lines[..4].join("\n")),
        whole.replacen("eval", "read", 1),
        whole.replacen(lines[0], lines[1], 1),
    ] {
        fs_err::write(&file, changed).unwrap();
        let violations = audit.verify().unwrap().violations;
        assert_eq!(violations.len(), 1);
        assert_eq!(violations[0].fault, LogFault::KeptChanged);
    }
    fs_err::remove_file(&file).unwrap();
    assert_eq!(audit.verify().unwrap().violations.len(), 1);
    // A process that died before it wrote the mark leaves copies of lines that are in the log.
    let log = fs_err::read_to_string(place.state.join("audit.jsonl")).unwrap();
    let copied = log.lines().next().unwrap();
    for (added, is_noticed) in [
        (format!("{copied}\n"), false),
        (format!("{copied}\n{}", &copied[..40]), false),
        (format!("{}\n", lines[0]), true),
        ("{\"x\":1}\n".to_owned(), true),
        ("\n".to_owned(), true),
    ] {
        fs_err::write(&file, format!("{whole}{added}")).unwrap();
        #[cfg(unix)]
        crate::state_folder::testing::make_private(&file);
        let violations = audit.verify().unwrap().violations;
        assert_eq!(violations.len(), usize::from(is_noticed), "{added:?}");
    }
}

#[test]
fn h17_a_flood_of_refusals_leaves_the_changes_and_the_owner_learns_it() {
    let place = place();
    let audit = small(&place);
    evidence(&audit);
    let refused = AuditRecord {
        decision: AuditVerdict::Refused,
        code: Some(Code::CommandRefused),
        ..record("eval")
    };
    for _ in 0..600 {
        audit.record(&refused).unwrap();
    }
    let report = audit.verify().unwrap();
    assert_eq!(report.violations, []);
    assert!(report.dropped.refusals > 0);
    assert_eq!(report.dropped.changes, 0);
    assert_eq!(audit.dropped().unwrap(), report.dropped);
    let filter = AuditFilter {
        command: Some("append".to_owned()),
        ..AuditFilter::default()
    };
    assert_eq!(place.commands(&filter).len(), 10);
    let size: u64 = fs_err::read_dir(&place.state)
        .unwrap()
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum();
    assert!(size < 8 * 8000, "{size}");
}

/// An agent's harmless changes must not push out the record of what it destroyed.
#[test]
fn h17_a_flood_of_changes_leaves_the_records_of_lost_content() {
    let place = place();
    let audit = small(&place);
    for phase in [Phase::Intent, Phase::Result] {
        let mut deleted = step(phase, 7);
        deleted.command = "delete".to_owned();
        deleted.effects = EffectSet::from_iter([Effect::Write, Effect::Destroy]);
        audit.record(&deleted).unwrap();
    }
    for run in 0..600 {
        audit.record(&step(Phase::Result, 100 + run)).unwrap();
    }
    let report = audit.verify().unwrap();
    assert_eq!(report.violations, []);
    assert!(report.dropped.changes > 0);
    assert_eq!(report.dropped.losses, 0);
    let filter = AuditFilter {
        command: Some("delete".to_owned()),
        ..AuditFilter::default()
    };
    assert_eq!(place.commands(&filter).len(), 2);
}

#[test]
fn h17_a_cut_end_is_found_and_stays_known() {
    let place = place();
    place.fill(&["a", "b", "c", "d"]);
    let whole = place.text();
    let lines: Vec<&str> = whole.lines().collect();
    let mark = fs_err::read(place.state.join(mark::MARK)).unwrap();
    let restore = |text: &str| {
        place.write(text);
        fs_err::write(place.state.join(mark::MARK), &mark).unwrap();
    };
    let cut = [
        String::new(),
        format!("{}\n", lines[0]),
        format!("{}\n", lines[..3].join("\n")),
        whole[..whole.len() - 20].to_owned(),
    ];
    for text in cut {
        restore(&text);
        let faults = place.faults();
        assert_eq!(faults.last().unwrap().1, LogFault::CutOff, "{faults:?}");
        // The next writer does not hide it.
        place.fill(&["e", "f"]);
        let faults = place.faults();
        assert_eq!(faults.last().unwrap().1, LogFault::CutOff, "{faults:?}");
        assert_eq!(place.commands(&AuditFilter::default()).last().unwrap(), "f");
    }
    // A log that ends in another line with the same number.
    let head = line::read(lines[2].as_bytes()).unwrap().head();
    let (forged, _) = line::write(&record("forged"), &head, None, None).unwrap();
    restore(&format!("{}\n{forged}", lines[..3].join("\n")));
    assert_eq!(place.faults(), [(5, LogFault::MarkBroken)]);
    place.fill(&["e"]);
    assert_eq!(place.faults(), [(5, LogFault::Broken)]);
    // A missing mark is found, also after the next record.
    restore(&whole);
    assert_eq!(place.faults(), []);
    fs_err::remove_file(place.state.join(mark::MARK)).unwrap();
    assert_eq!(place.faults(), [(5, LogFault::MarkBroken)]);
    place.fill(&["e"]);
    assert_eq!(place.faults(), [(5, LogFault::MarkBroken)]);
    // The file of the log is gone.
    restore(&whole);
    fs_err::remove_file(place.file()).unwrap();
    assert_eq!(place.faults(), [(1, LogFault::CutOff)]);
}

#[test]
fn h17_a_crash_between_line_and_mark_is_no_cut() {
    let place = place();
    place.fill(&["a"]);
    let mark = fs_err::read(place.state.join(mark::MARK)).unwrap();
    place.fill(&["b"]);
    fs_err::write(place.state.join(mark::MARK), &mark).unwrap();
    assert_eq!(place.faults(), []);
    place.fill(&["c"]);
    assert_eq!(place.faults(), []);
    // Also when only the very first line is missing.
    let other = self::place();
    other.fill(&["a"]);
    fs_err::remove_file(other.state.join(mark::MARK)).unwrap();
    assert_eq!(other.faults(), []);
    other.fill(&["b"]);
    assert_eq!(other.faults(), []);
}

#[test]
fn every_kind_of_meddling_is_found_at_its_line() {
    let place = place();
    place.fill(&["a", "b", "c", "d"]);
    let whole = place.text();
    let lines: Vec<&str> = whole.lines().collect();
    let written = |lines: &[&str]| place.write(format!("{}\n", lines.join("\n")));

    // A rewritten line with a valid hash does not match the next line.
    let head = line::read(lines[0].as_bytes()).unwrap().head();
    let (forged, _) = line::write(&record("forged"), &head, None, None).unwrap();
    let away = lines[1].replace("Home.md", "Away.md");
    let [a, b, c, d] = lines[..] else {
        panic!("four lines")
    };
    let cases: [(&[&str], &[_]); 8] = [
        (&[a, &away, c, d], &[(2, LogFault::Changed)]),
        (&[a, c, d], &[(2, LogFault::Broken)]),
        (&[b, c, d], &[(1, LogFault::BeginningCutOff)]),
        (
            &[a, c, b, d],
            &[
                (2, LogFault::Broken),
                (3, LogFault::Broken),
                (4, LogFault::Broken),
            ],
        ),
        (&[a, a, b, c, d], &[(2, LogFault::Broken)]),
        (&[a, "{}", b, c, d], &[(2, LogFault::Unreadable)]),
        (&[a, "garbage", c, d], &[(2, LogFault::Unreadable)]),
        (&[a, forged.trim_end(), c, d], &[(3, LogFault::Broken)]),
    ];
    for (lines, faults) in cases {
        written(lines);
        assert_eq!(place.faults(), faults, "{lines:?}");
    }
    // The last line changed: the log continues after it, and the change stays visible.
    written(&[lines[0], lines[1], &lines[2].replace("Home", "Away")]);
    let known = [(3, LogFault::Changed), (4, LogFault::CutOff)];
    let mut faults = place.faults();
    faults.sort_by_key(|(line, _)| *line);
    assert_eq!(faults, known);
    place.fill(&["e"]);
    assert_eq!(place.faults(), known);
}

#[test]
fn h07_a_torn_end_is_kept_and_marked_and_the_chain_goes_on() {
    let place = place();
    place.fill(&["a"]);
    let mark = fs_err::read(place.state.join(mark::MARK)).unwrap();
    place.fill(&["b"]);
    let whole = place.text();
    let first = whole.find('\n').unwrap() + 1;
    // A process that dies while writing a line has not written its mark.
    let crash = |text: &str| {
        place.write(text);
        fs_err::write(place.state.join(mark::MARK), &mark).unwrap();
    };
    for end in first + 1..whole.len() - 1 {
        crash(&whole[..end]);
        let report = place.audit.verify().unwrap();
        assert_eq!(
            (report.violations.len(), report.torn.len()),
            (0, 1),
            "{end}"
        );
        place.fill(&["c", "d"]);
        let text = place.text();
        assert!(text.starts_with(&whole[..end]), "what was torn is kept");
        let report = place.audit.verify().unwrap();
        assert_eq!(report.violations, [], "{end}");
        assert_eq!((report.torn.len(), report.torn[0].line), (1, 2));
        assert_eq!((report.lines, report.last.unwrap().seq), (3, 3));
        assert_eq!(place.commands(&AuditFilter::default()), ["a", "c", "d"]);
    }
    // A torn line cannot be changed or removed afterwards.
    let healed = place.text();
    let torn = healed.lines().nth(1).unwrap();
    place.write(healed.replace(torn, &torn.replace("\"seq\":2", "\"seq\":9")));
    assert_eq!(
        place.faults(),
        [(3, LogFault::GapChanged), (2, LogFault::Unreadable)]
    );
    place.write(healed.replace(&format!("{torn}\n"), ""));
    assert_eq!(place.faults(), [(2, LogFault::GapChanged)]);
    // Only the line feed was lost: the record counts.
    crash(whole.trim_end());
    place.fill(&["c"]);
    assert_eq!(place.commands(&AuditFilter::default()), ["a", "b", "c"]);
    assert_eq!(place.audit.verify().unwrap().torn, []);
}

#[test]
fn h07_an_intent_without_a_result_is_listed() {
    let place = place();
    for (phase, run) in [
        (Phase::Intent, 1),
        (Phase::Result, 1),
        (Phase::Intent, 2),
        (Phase::Decision, 3),
        (Phase::Intent, 4),
        (Phase::Result, 4),
    ] {
        place.audit.record(&step(phase, run)).unwrap();
    }
    let report = place.audit.verify().unwrap();
    assert!(report.violations.is_empty());
    let unfinished: Vec<(u64, &str)> = report
        .unfinished
        .iter()
        .map(|intent| (intent.seq, intent.run_id.as_str()))
        .collect();
    let run = "00000000-0000-0000-0000-000000000002";
    assert_eq!(unfinished, [(3, run)]);
}

#[test]
fn h08_a_disk_that_is_full_at_any_call_is_an_error_and_leaves_whole_lines() {
    for existing in [0, 1] {
        for at in 0..20 {
            let place = place();
            if existing > 0 {
                place.fill(&["before"]);
            }
            let (audit, obstacle) = hindered(&place.state, None, at);
            let result = audit.record(&step(Phase::Intent, 1));
            if obstacle.calls.load(Ordering::Relaxed) <= at {
                result.unwrap();
                assert!(at > existing, "some call was hindered");
                break;
            }
            let failure = result.unwrap_err();
            assert_eq!(failure.code, Code::IoError, "call {at}");
            assert!(!failure.to_string().contains('/'), "{failure}");
            place.fill(&["after"]);
            let report = place.audit.verify().unwrap();
            assert_eq!((report.violations, report.torn), (vec![], vec![]));
            let commands = place.commands(&AuditFilter::default());
            assert_eq!(commands.last().unwrap(), "after");
        }
    }
}

#[cfg(unix)]
#[test]
fn h08_a_log_that_is_no_file_of_the_owner_is_an_error_at_once() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = place();
    place.fill(&["a"]);
    fs_err::set_permissions(place.file(), std::fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(
        place.audit.record(&record("b")).unwrap_err().code,
        Code::ConfigInvalid
    );
    for target in ["/dev/full", "/dev/null"] {
        fs_err::remove_file(place.file()).unwrap();
        fs_err::os::unix::fs::symlink(target, place.file()).unwrap();
        let failure = place.audit.record(&record("b")).unwrap_err();
        assert_eq!(failure.code, Code::ConfigInvalid, "{target}");
        assert!(failure.to_string().contains("symbolic link"), "{failure}");
    }
}

#[test]
fn h07_h10_what_is_durable_is_synced_before_the_call_goes_on_and_reads_are_not() {
    let place = place();
    place.fill(&["a"]);
    let synced = |phase: Phase| {
        let (audit, _) = hindered(&place.state, Some("fsync"), usize::MAX);
        audit.record(&step(phase, 1)).is_err()
    };
    assert!(synced(Phase::Intent));
    assert!(!synced(Phase::Result) && !synced(Phase::Decision));
}

#[test]
fn h09_h10_threads_of_one_process_lose_and_mix_nothing() {
    let place = place();
    std::thread::scope(|scope| {
        for thread in 0..4_u32 {
            let audit = &place.audit;
            scope.spawn(move || {
                for number in 0..50 {
                    audit
                        .record(&record(&format!("{thread}-{number}")))
                        .unwrap();
                }
            });
        }
    });
    let report = place.audit.verify().unwrap();
    assert_eq!((report.lines, report.violations), (200, vec![]));
    let commands: BTreeSet<String> = place
        .commands(&AuditFilter::default())
        .into_iter()
        .collect();
    assert_eq!(commands.len(), 200);
}

#[test]
fn h10_a_record_costs_the_same_however_long_the_log_is() {
    let place = place();
    place.fill(&["a"]);
    // A sparse file: reading all of it would take too long.
    let file = fs_err::OpenOptions::new()
        .write(true)
        .open(place.file())
        .unwrap();
    let line = place.text();
    file.set_len(1 << 40).unwrap();
    drop(file);
    let mut file = fs_err::OpenOptions::new()
        .append(true)
        .open(place.file())
        .unwrap();
    io::Write::write_all(&mut file, format!("\n{line}").as_bytes()).unwrap();
    let limits = AuditSettings {
        max_bytes: u64::MAX,
        max_files: 8,
        ..AuditSettings::default()
    };
    let audit = Audit::open(place.state.clone(), limits, None);
    audit.record(&record("b")).unwrap();
    let filter = AuditFilter {
        limit: Some(1),
        ..AuditFilter::default()
    };
    assert_eq!(audit.entries(&filter).unwrap().entries[0].seq, 2);
}
