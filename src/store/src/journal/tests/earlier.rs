//! State that an earlier program wrote (`fixtures/README.md`): all of it is read, and written on.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use jiff::Timestamp;
use uuid::Uuid;
use vault_engine::VaultPath;

use super::moved::copy;
use super::world::{World, carry_out};
use crate::approvals::Approvals;
use crate::audit::{Audit, AuditFilter, AuditRecord, Phase};
use crate::drafts::ReviewAnswer;
use crate::error::Collection;
use crate::journal::journal_folder::OPEN;
use crate::journal::{Direction, EditedSince, Journal, TouchedPath};
use crate::state_folder::StateFolder;
use protocol::{Caller, Deadline};
use settings::AuditSettings;
use tiers::ApprovalChannel;

/// The name of the journal in the fixture. It is the hash of a path that the vault does not have here.
const KEY: &str = "8fcb83ec72a936dfeba578a1f476182406673179f8351222fd05e5d6ad59b0ac";

/// Gives a folder and everything in it to the owner alone, as the program does.
fn make_private(path: &Path) {
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o700)).unwrap();
    if path.is_dir() {
        for entry in fs_err::read_dir(path).unwrap() {
            make_private(&entry.unwrap().path());
        }
    }
}

fn journal(world: &World) -> Journal {
    let state = world.state.clone();
    let journals = StateFolder::new(Collection::Journal, state, &["journal"], None);
    let folder = journals.below(KEY);
    Journal {
        open: folder.below(OPEN),
        folder,
        key: KEY.to_owned(),
        ..world.journal()
    }
}

/// Returns a line for each record of each collection.
fn shown(world: &World, now: Timestamp) -> Vec<String> {
    let journal = journal(world);
    let runs = journal.entries().unwrap();
    assert_eq!(runs.warnings, []);
    let runs = runs.entries.iter().map(|listed| {
        let (entry, standing) = (&listed.entry, listed.standing.name());
        let changes = entry.files.iter().map(TouchedPath::change);
        let changes: Vec<&str> = changes.collect();
        format!(
            "run {} {standing} {:?} {changes:?}",
            entry.command, entry.origin.owner
        )
    });
    let drafts = journal.drafts().unwrap().into_iter().map(|draft| {
        let draft = draft.unwrap();
        let files: Vec<&str> = draft.overlay.files.keys().map(VaultPath::as_str).collect();
        format!(
            "draft {:?} {files:?} {} answers",
            draft.agent,
            draft.answers.len()
        )
    });
    let labels = journal.labels().unwrap();
    let labels = [format!(
        "labels {:?} {:?}",
        labels.notes.keys().collect::<Vec<_>>(),
        labels.agents.keys().collect::<Vec<_>>()
    )];
    let approvals = Approvals::open(&world.state, None).pending(now).unwrap();
    let approvals = approvals.iter().map(|approval| {
        format!(
            "approval {} {} {:?}",
            approval.id, approval.command, approval.agent
        )
    });
    let audit = Audit::open(world.state.clone(), AuditSettings::default(), None);
    let report = audit.verify().unwrap();
    let records = audit
        .entries(&AuditFilter::default())
        .unwrap()
        .entries
        .len();
    let audit = [format!(
        "audit {records} records, violations {:?}, torn {:?}, unfinished {}",
        report.violations,
        report.torn,
        report.unfinished.len()
    )];
    let all = runs
        .chain(drafts)
        .chain(labels)
        .chain(approvals)
        .chain(audit);
    all.collect()
}

#[test]
fn state_of_an_earlier_program_is_read_and_written_on() {
    let place = tempfile::tempdir().unwrap();
    let place = fs_err::canonicalize(place.path()).unwrap();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/earlier-state");
    copy(&fixture, &place);
    make_private(&place);
    let world = World::at(&place.join("vault"), &place.join("state"));
    // Two minutes after the approval was requested.
    let now: Timestamp = "2026-11-30T09:32:40Z".parse().unwrap();
    let before = shown(&world, now);
    assert_eq!(
        before,
        [
            r#"run undo done Person ["created"]"#,
            r#"run delete undone Person ["removed"]"#,
            r#"run append done Named("writer") ["modified"]"#,
            r#"run move done Person ["removed", "folder-created", "created"]"#,
            r#"run append done Person ["modified"]"#,
            r#"draft Some("writer") ["Home.md"] 0 answers"#,
            r#"draft Some("helper") ["Home.md", "Ideas.md"] 0 answers"#,
            r#"labels ["Clippings/Web.md"] ["writer"]"#,
            r#"approval rrm9202g delete Some("other")"#,
            "audit 18 records, violations [], torn [], unfinished 0",
        ]
    );

    let (vault, journal) = (world.vault(), journal(&world));
    let lock = journal.lock(Deadline::after_ms(10_000)).unwrap();
    let delete = lock.named(&"bfbd".parse().unwrap()).unwrap();
    let kept = lock.run_with_contents(Some(&delete.into())).unwrap();
    let (path, version) = lock.contents(&kept.entry).next().unwrap();
    let content = lock.content(&kept.entry, &version).unwrap();
    assert_eq!(
        (path.as_str(), content.as_slice()),
        ("Old.md", &b"old\n"[..])
    );
    let last = lock.reversible(Direction::Undo, None, None).unwrap();
    let undoing = lock.undo(&vault, last, EditedSince::Refused).unwrap();
    carry_out(&vault, &lock, &undoing).unwrap();
    let mut draft = journal.draft(Some("helper")).unwrap().unwrap();
    draft.answer(ReviewAnswer {
        path: VaultPath::file("Ideas.md").unwrap(),
        what: "new note".to_owned(),
        accepted: false,
        undone: false,
        comment: None,
        edited: None,
        at: now,
    });
    lock.keep_draft(&draft).unwrap();
    journal
        .change_labels(|labels| labels.clear_agent("writer"))
        .unwrap();
    let approvals = Approvals::open(&world.state, None);
    let approval = approvals.grant("rrm9202g", ApprovalChannel::Terminal, now);
    let hash = approval.unwrap().plan_hash;
    let used = approvals.redeem("rrm9202g", &hash, &ApprovalChannel::ALL.into(), now);
    assert_eq!(used.unwrap(), ApprovalChannel::Terminal);
    let audit = Audit::open(world.state.clone(), AuditSettings::default(), None);
    let record = AuditRecord::new(Phase::Decision, now, Uuid::new_v4(), Caller::Person, "read");
    audit.record(&record).unwrap();
    drop(lock);
    let after = shown(&world, now);
    let changed: Vec<&String> = after.iter().filter(|line| !before.contains(line)).collect();
    assert_eq!(
        changed,
        [
            r#"run undo done Person ["modified"]"#,
            r#"run append undone Named("writer") ["modified"]"#,
            r#"draft Some("helper") ["Home.md", "Ideas.md"] 1 answers"#,
            r#"labels ["Clippings/Web.md"] []"#,
            "audit 19 records, violations [], torn [], unfinished 0",
        ]
    );
}
