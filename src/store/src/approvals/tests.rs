//! Tests that approvals resist replay, changed plans, forgery and concurrent use.

use std::sync::Mutex;

use serde_json::{Map, json};
use vault_engine::Step;

use super::*;
use allowlist::{Effect, EffectSet};
use protocol::{Caller, Code};

fn now() -> Timestamp {
    "2026-03-14T09:26:53Z".parse().unwrap()
}

fn later(seconds: i64) -> Timestamp {
    now() + SignedDuration::from_secs(seconds)
}

fn new(plan: &str) -> Approval {
    Approval {
        plan_hash: plan.repeat(64),
        command: "delete".to_owned(),
        params: Map::from_iter([("path".to_owned(), json!("a.md"))]),
        effects: EffectSet::from_iter([Effect::Write, Effect::Destroy]),
        vault: "Notes".to_owned(),
        caller: Caller::Agent.name().to_owned(),
        plan: json!({ "files": ["a.md"] }),
        plan_text: "delete a.md\n".to_owned(),
        ..Approval::default()
    }
}

fn store() -> (tempfile::TempDir, Approvals) {
    let folder = tempfile::tempdir().unwrap();
    let approvals = Approvals::open(&folder.path().join("state"), None);
    (folder, approvals)
}

/// Returns `details.reason` of a failure, which distinguishes refusals that have the same code.
fn reason<T: std::fmt::Debug>(result: Result<T, Failure>) -> String {
    let failure = result.unwrap_err();
    assert_eq!(failure.code, Code::ApprovalRequired, "{failure}");
    failure.details["reason"].as_str().unwrap().to_owned()
}

fn all() -> BTreeSet<ApprovalChannel> {
    BTreeSet::from(ApprovalChannel::ALL)
}

fn plan(name: &str) -> String {
    name.repeat(64)
}

/// Grants at a terminal, so many seconds after the request; returns the state, or the reason against it.
fn grant(approvals: &Approvals, id: &str, seconds: i64) -> String {
    match approvals.grant(id, ApprovalChannel::Terminal, later(seconds)) {
        Ok(_) => "granted".to_owned(),
        refused => reason(refused),
    }
}

/// Uses an approval for a plan; returns the channel, or the reason against it.
fn redeem(approvals: &Approvals, id: &str, name: &str, seconds: i64) -> String {
    match approvals.redeem(id, &plan(name), &all(), later(seconds)) {
        Ok(channel) => channel.name().to_owned(),
        refused => reason(refused),
    }
}

#[test]
fn i14_an_approval_counts_once_for_its_plan() {
    let (_folder, approvals) = store();
    let id = approvals.ask(new("a"), now()).unwrap().id;
    assert_eq!(redeem(&approvals, &id, "a", 1), "pending");
    let approval = approvals
        .grant(&id, ApprovalChannel::Terminal, later(2))
        .unwrap();
    assert_eq!(
        (approval.state, approval.expires),
        (ApprovalState::Granted, later(600))
    );
    assert_eq!(redeem(&approvals, &id, "b", 3), "plan-changed");
    assert_eq!(redeem(&approvals, &id, "a", 3), "terminal");
    for hash in ["a", "b"] {
        assert_eq!(redeem(&approvals, &id, hash, 4), "used");
    }
    assert_eq!(grant(&approvals, &id, 5), "used");
    assert_eq!(redeem(&approvals, &id, "a", 6), "used");
    assert_eq!(reason(approvals.deny(&id, later(6))), "used");
}

#[test]
fn i14_nothing_else_counts() {
    let (_folder, approvals) = store();
    assert_eq!(redeem(&approvals, "4k7m92qx", "a", 0), "unknown");
    assert_eq!(grant(&approvals, "4k7m92qx", 0), "unknown");
    let id = approvals.ask(new("a"), now()).unwrap().id;
    for other in ["", "..", "lock", "4k7m92qx", "../x", &format!("{id}.json")] {
        assert_eq!(redeem(&approvals, other, "a", 0), "unknown");
        assert_eq!(grant(&approvals, other, 0), "unknown");
        assert_eq!(reason(approvals.deny(other, now())), "unknown");
    }
    assert_eq!(grant(&approvals, &id, 599), "granted");
    assert_eq!(redeem(&approvals, &id, "a", 600), "expired");
    assert_eq!(grant(&approvals, &id, 600), "expired");
    assert_eq!(redeem(&approvals, &id, "a", -1), "expired");
    assert_eq!(redeem(&approvals, &id, "a", 599), "terminal");

    let id = approvals.ask(new("b"), now()).unwrap().id;
    assert_eq!(grant(&approvals, &id, 0), "granted");
    approvals.deny(&id, now()).unwrap();
    assert_eq!(redeem(&approvals, &id, "b", 0), "denied");
    assert_eq!(grant(&approvals, &id, 0), "denied");
}

#[test]
fn the_same_plan_keeps_its_approval_while_it_counts() {
    let (_folder, approvals) = store();
    let first = approvals.ask(new("a"), now()).unwrap();
    let again = approvals.ask(new("a"), later(300)).unwrap();
    assert_eq!(first, again, "and its ten minutes");
    let other_agent = Approval {
        agent: Some("helper".to_owned()),
        ..new("a")
    };
    let other_vault = Approval {
        vault: "Work".to_owned(),
        ..new("a")
    };
    for other in [new("b"), other_agent, other_vault] {
        assert_ne!(approvals.ask(other, later(1)).unwrap().id, first.id);
    }
    assert_eq!(grant(&approvals, &first.id, 301), "granted");
    let granted = approvals.ask(new("a"), later(302)).unwrap();
    assert_eq!(
        (granted.id, granted.state),
        (first.id.clone(), ApprovalState::Granted)
    );
    assert_ne!(approvals.ask(new("a"), later(600)).unwrap().id, first.id);
    let pending = approvals.pending(later(2)).unwrap();
    assert_eq!(pending.len(), 3);
    assert!(pending.is_sorted_by_key(|approval| approval.requested_at));
    assert_eq!(pending[0].plan_text, "delete a.md\n");
}

#[test]
fn a_denied_call_is_not_requested_again_at_once() {
    let (_folder, approvals) = store();
    let id = approvals.ask(new("a"), now()).unwrap().id;
    approvals.deny(&id, later(1)).unwrap();
    assert_eq!(reason(approvals.ask(new("a"), later(2))), "denied");
    assert!(approvals.pending(later(2)).unwrap().is_empty());
    assert_eq!(reason(approvals.ask(new("a"), later(600))), "denied");
    assert_ne!(approvals.ask(new("a"), later(601)).unwrap().id, id);
    // A person may ask for their own call again.
    let own_id = approvals.ask(own("a"), now()).unwrap().id;
    approvals.deny(&own_id, later(1)).unwrap();
    assert_ne!(approvals.ask(own("a"), later(2)).unwrap().id, own_id);
}

/// The request of a person under their own policy.
fn own(plan: &str) -> Approval {
    Approval {
        caller: Caller::Person.name().to_owned(),
        ..new(plan)
    }
}

#[test]
fn a10_no_more_than_fifty_wait_and_none_is_pushed_away() {
    let (approvals_folder, approvals) = store();
    for number in 0..MOST_PENDING {
        approvals.ask(own(&format!("{number}-")), now()).unwrap();
    }
    assert_eq!(reason(approvals.ask(own("more"), now())), "too-many");
    let pending = approvals.pending(now()).unwrap();
    assert_eq!(pending.len(), MOST_PENDING);
    approvals.deny(&pending[0].id, now()).unwrap();
    approvals.ask(own("more"), now()).unwrap();
    let long = Approval {
        plan_text: "x".repeat(33 << 20),
        ..own("long")
    };
    approvals.deny(&pending[1].id, now()).unwrap();
    assert_eq!(reason(approvals.ask(long, now())), "too-large");
    let leftover = approvals_folder.path().join("state/approvals/.x.json.tmp");
    fs_err::write(&leftover, "torn").unwrap();
    approvals.ask(own("next"), later(3600 + 700)).unwrap();
    assert_eq!(approvals.folder.names().unwrap().len(), 2, "lock and one");
}

/// Otherwise a caller that uses up its quota could tell whether closed notes link to a file.
#[test]
fn d13_closed_notes_take_no_room_of_an_approval() {
    let (_folder, approvals) = store();
    let paths = ["Private/a.md", "Private/é\n.md"];
    let with = Approval {
        closed: ClosedNotes::new(paths.into_iter()),
        ..new("with")
    };
    let [with, without] = [with, new("sans")].map(|new| {
        let id = approvals.ask(new, now()).unwrap().id;
        approvals.find(&id, now()).unwrap()
    });
    let bytes = |approval: &Approval| serde_json::to_vec(approval).unwrap().len() as u64;
    assert_eq!(bytes(&with) - with.closed.bytes(), bytes(&without));
}

#[test]
fn h17_one_agent_leaves_seats_and_the_disk_to_others() {
    let (folder, approvals) = store();
    let large = |number: usize| Approval {
        plan_text: "x".repeat(3 << 20),
        ..new(&format!("{number}-"))
    };
    let mut reasons: Vec<String> = Vec::new();
    for number in 0..8 {
        let answer = approvals.ask(large(number), now());
        reasons.extend(answer.is_err().then(|| reason(answer)));
    }
    assert_eq!(reasons, ["too-large"; 3], "five fit into 16 MiB");
    let size = || -> u64 {
        let files = fs_err::read_dir(folder.path().join("state/approvals")).unwrap();
        files
            .map(|file| file.unwrap().metadata().unwrap().len())
            .sum()
    };
    assert!(size() <= 16 << 20, "{}", size());
    // Another agent and the person still have their quotas, and the same plan keeps its own
    // approval.
    let other = Approval {
        agent: Some("other".to_owned()),
        ..large(0)
    };
    approvals.ask(other, now()).unwrap();
    approvals.ask(own("mine"), now()).unwrap();
    let first = approvals.ask(large(0), later(5)).unwrap();
    assert_eq!(first.expires, later(600));
    // Expired approvals no longer hold a plan, and their bytes are free.
    approvals.ask(large(300), later(700)).unwrap();
    assert!(size() < 4 << 20, "{}", size());

    let (_folder, approvals) = store();
    let mut refused = 0;
    for number in 0..20 {
        refused += usize::from(approvals.ask(new(&format!("{number}-")), now()).is_err());
    }
    assert_eq!(refused, 20 - MOST_PENDING_OF_AN_AGENT);
    approvals.ask(own("mine"), now()).unwrap();
}

#[test]
fn i19_an_approval_counts_by_the_channels_that_are_open() {
    let (_folder, approvals) = store();
    for (name, channel) in ["a", "b", "c"].into_iter().zip(ApprovalChannel::ALL) {
        let id = approvals.ask(new(name), now()).unwrap().id;
        approvals.grant(&id, channel, now()).unwrap();
        // The first way to grant is the one that is stored.
        let again = approvals
            .grant(&id, ApprovalChannel::Terminal, now())
            .unwrap();
        assert_eq!(again.channel, Some(channel));
        let mut others = all();
        others.remove(&channel);
        for channels in [others, BTreeSet::new()] {
            let refused = approvals.redeem(&id, &plan(name), &channels, now());
            assert_eq!(reason(refused), "door-closed");
        }
        let channels = BTreeSet::from([channel]);
        assert_eq!(
            approvals.redeem(&id, &plan(name), &channels, now()),
            Ok(channel)
        );
    }
}

#[test]
fn i14_of_many_who_use_it_at_once_one_succeeds() {
    let (_folder, approvals) = store();
    for round in 0..10 {
        let name = round.to_string();
        let id = approvals.ask(new(&name), now()).unwrap().id;
        assert_eq!(grant(&approvals, &id, 0), "granted");
        let outcomes = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let outcome = approvals.redeem(&id, &plan(&name), &all(), now());
                    outcomes.lock().unwrap().push(outcome);
                    // A concurrent grant does not make it usable again.
                    drop(approvals.grant(&id, ApprovalChannel::Terminal, now()));
                });
            }
        });
        let outcomes = outcomes.into_inner().unwrap();
        let used = outcomes.into_iter().filter(|one| match one {
            Ok(_) => true,
            Err(failure) => {
                assert_eq!(failure.details["reason"], "used");
                false
            }
        });
        assert_eq!(used.count(), 1);
    }
}

#[test]
fn i14_a_file_under_another_name_or_with_other_fields_counts_for_nothing() {
    let (folder, approvals) = store();
    let id = approvals.ask(new("a"), now()).unwrap().id;
    assert_eq!(grant(&approvals, &id, 0), "granted");
    let file = |id: &str| folder.path().join(format!("state/approvals/{id}.json"));
    let good = fs_err::read_to_string(file(&id)).unwrap();
    fs_err::write(file("4k7m92qx"), &good).unwrap();
    #[cfg(unix)]
    crate::state_folder::testing::make_private(&file("4k7m92qx"));
    assert_eq!(redeem(&approvals, "4k7m92qx", "a", 0), "unknown");
    for bad in [
        &good[..good.len() / 2],
        "",
        "[]",
        &good.replacen('{', "{\"x\":1,", 1),
    ] {
        fs_err::write(file(&id), bad).unwrap();
        assert_eq!(redeem(&approvals, &id, "a", 0), "unknown");
    }
    fs_err::write(file(&id), &good).unwrap();
    assert_eq!(redeem(&approvals, &id, "a", 0), "terminal");
}

#[cfg(unix)]
#[test]
fn i14_a_file_that_others_could_have_written_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let (folder, approvals) = store();
    let id = approvals.ask(new("a"), now()).unwrap().id;
    assert_eq!(grant(&approvals, &id, 0), "granted");
    let file = folder.path().join(format!("state/approvals/{id}.json"));
    let mode = fs_err::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
    let failure = approvals
        .redeem(&id, &plan("a"), &all(), now())
        .unwrap_err();
    assert_eq!(failure.code, Code::ConfigInvalid);
    assert!(!failure.to_string().contains('/'), "{failure}");
}

/// Makes the call with this number fail.
struct Obstacle(Mutex<usize>);

impl Failpoints for Obstacle {
    fn before(&self, _step: Step) -> std::io::Result<()> {
        let mut left = self.0.lock().unwrap();
        if *left == 0 {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        *left -= 1;
        Ok(())
    }
}

#[test]
fn h08_h11_a_failure_at_any_call_grants_nothing_and_tears_nothing() {
    let mut succeeded = false;
    for calls in 0..40 {
        let (folder, approvals) = store();
        let id = approvals.ask(new("a"), now()).unwrap().id;
        let hindered = Approvals::open(
            &folder.path().join("state"),
            Some(Arc::new(Obstacle(Mutex::new(calls)))),
        );
        let granted = hindered.grant(&id, ApprovalChannel::Terminal, now());
        let redeemed = hindered.redeem(&id, &plan("a"), &all(), now());
        let after = approvals.redeem(&id, &plan("a"), &all(), now());
        match (granted, redeemed) {
            (Ok(_), Ok(_)) => {
                assert_eq!(reason(after), "used");
                succeeded = true;
                break;
            }
            // The grant succeeded and the use failed: the approval may be used or not, but never
            // twice.
            (Ok(_), Err(failure)) => {
                assert_eq!(failure.code, Code::IoError);
                if after.is_ok() {
                    assert_eq!(redeem(&approvals, &id, "a", 0), "used");
                }
            }
            (Err(failure), _) => {
                assert_eq!(failure.code, Code::IoError);
                let all = approvals.read_all().unwrap();
                assert!(after.is_ok() || all.len() == 1, "{calls}");
            }
        }
    }
    assert!(succeeded, "the last round was not hindered");
}
