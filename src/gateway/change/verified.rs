//! A change by the official program, verified: what the folder shows decides, not what the program
//! said (`design.md` §5, `faults.md` G12, F10).

use std::time::Duration;

use vault_engine::VaultPath;

use super::evidence::{Claims, Evidence, Found, Look, Questions};
use super::observed::{Observed, Observer, Snapshot};
use super::pending::PendingChange;
use super::planned::{FileChange, Happening};
use crate::backend::{Produced, engine_failure};
use crate::code::Code;
use crate::failure::Failure;
use crate::issue::Issue;

/// The first pause between two looks for a change that is not there yet; each next one is twice as
/// long, up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(10);
/// The longest pause between two looks.
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// What is known before the run.
pub(super) struct ChangeVerifier<'call> {
    pending: &'call PendingChange<'call>,
    questions: Questions<'call>,
    observer: Observer,
    evidence: Evidence,
}

/// A run that was verified.
pub(super) struct VerifiedRun {
    /// What came of it: no success where the change cannot be seen.
    pub(super) produced: Produced,
    /// What changed in the folder.
    pub(super) changes: Vec<FileChange>,
    /// The paths among them that the plan does not name.
    pub(super) beyond: Vec<VaultPath>,
    /// Whether nothing changed and nothing will, so that there is nothing to undo.
    pub(super) leaves_nothing: bool,
}

impl<'call> ChangeVerifier<'call> {
    /// Looks at everything that has to be known before the run. An error: nothing was started.
    pub(super) fn before(
        pending: &'call PendingChange<'call>,
        questions: Questions<'call>,
    ) -> Result<Self, Failure> {
        let edit = pending.plan.edit.as_ref();
        let changes = edit.map(|edit| edit.changes.as_slice());
        let observer = Observer::before(pending.vault, changes, pending.resolved.note.as_ref())
            .map_err(engine_failure)?;
        let evidence = Evidence::before(pending, &observer, &questions)?;
        Ok(Self {
            pending,
            questions,
            observer,
            evidence,
        })
    }

    /// Looks again, and judges what the program said by what is there.
    pub(super) fn after(self, mut produced: Produced) -> VerifiedRun {
        let claims = Claims::new(&produced);
        let (snapshot, found) = self.settle(&produced, &claims);
        let planned = &self.pending.plan.planned.files;
        let observed = self.observer.changes(&snapshot, planned, self.pending.seen);
        let was_confirmed = produced.outcome.is_ok();
        let is_blind = found == Found::Unseen && self.evidence.is_in_folder();
        match &produced.outcome {
            Ok(_) => judge_success(found, &observed, &mut produced),
            Err(_) => judge_failure(is_blind, &observed, &mut produced),
        }
        // A change that was confirmed and is not there may still come, so its journal entry stays.
        let may_come = was_confirmed && produced.outcome.is_err();
        VerifiedRun {
            leaves_nothing: observed.changes.is_empty() && !may_come && !produced.may_have_happened,
            produced,
            changes: observed.changes,
            beyond: observed.beyond,
        }
    }

    /// Looks until the change is there, or its time is up. Only what the app may still be writing is
    /// waited for.
    fn settle(&self, produced: &Produced, claims: &Claims) -> (Snapshot, Found) {
        let limits = &self.pending.limits;
        let until = limits.deadline.at_most(self.evidence.patience());
        let is_waited_for = match &produced.outcome {
            Ok(_) => true,
            Err(failure) => {
                produced.may_have_happened
                    && !matches!(failure.code, Code::Timeout | Code::Cancelled)
            }
        };
        let mut pause = FIRST_PAUSE;
        loop {
            let snapshot = self.observer.look(self.pending.vault);
            let look = Look {
                vault: self.pending.vault,
                observer: &self.observer,
                snapshot: &snapshot,
                claims,
            };
            let found = self.evidence.judge(look, &self.questions);
            let is_over = !is_waited_for
                || !found.may_come()
                || until.has_passed()
                || limits.cancel.wait(pause.min(until.left()));
            if is_over {
                return (snapshot, found);
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

/// Says of a failure whether something changed all the same. With `is_blind` the folder cannot be
/// looked at, so it may have.
fn judge_failure(is_blind: bool, observed: &Observed, produced: &mut Produced) {
    let Err(failure) = &produced.outcome else {
        return;
    };
    // A file that was only touched is no sign of what the app did.
    let mut changes = observed.changes.iter();
    let is_changed = changes.any(|file| file.change != Happening::Touched);
    // What timed out or was cancelled may still happen.
    let is_late = matches!(failure.code, Code::Timeout | Code::Cancelled);
    produced.may_have_happened = is_changed || is_blind || produced.may_have_happened && is_late;
    if is_changed {
        produced.warnings.push(Issue::new(
            "CHANGED_DESPITE_ERROR",
            "The command failed, and files changed while it ran. `meta.changes` lists them.",
        ));
    }
}

/// Turns a confirmation that the folder does not bear out into a failure.
fn judge_success(found: Found, observed: &Observed, produced: &mut Produced) {
    let failure = match found {
        Found::AsAsked { styled } => {
            produced.warnings.extend(not_as_planned(&styled));
            produced.warnings.extend(observed.beyond_plan());
            return;
        }
        Found::NothingToDo => {
            produced.warnings.extend(observed.beyond_plan());
            return;
        }
        Found::Absent => Failure::new(
            Code::CliReportedError,
            "Obsidian confirmed the change, but the vault did not change.",
        ),
        Found::Different => {
            produced.may_have_happened = true;
            Failure::new(
                Code::CliReportedError,
                "Obsidian confirmed the change, but the vault does not hold what was asked for. `meta.changes` lists what changed. Read the note before you go on.",
            )
        }
        Found::Unseen => {
            produced.may_have_happened = true;
            Failure::new(
                Code::CliReportedError,
                "Obsidian confirmed the change, but it could not be verified. Look at the note before you go on.",
            )
        }
    };
    produced.outcome = Err(failure.with("reason", "read-back"));
}

fn not_as_planned(styled: &[VaultPath]) -> Option<Issue> {
    let paths: Vec<&str> = styled.iter().map(VaultPath::as_str).collect();
    (!paths.is_empty()).then(|| {
        Issue::new(
            "NOT_AS_PLANNED",
            "The app wrote the change in another form than planned. `meta.changes` shows the result.",
        )
        .with("paths", paths)
    })
}
