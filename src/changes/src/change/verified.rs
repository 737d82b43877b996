//! Verifies a change by the official program: the state of the folder decides, not the program's
//! report (`design/backends.md`, `threats.toml` G12, F10).

use std::time::Duration;

use super::evidence::{Claims, Evidence, Found, Look, Questions};
use super::judgement::{Judgement, is_interrupted};
use super::observed::{Observed, Observer, Snapshot};
use super::pending::PendingChange;
use backend::{Produced, engine_failure};
use protocol::Failure;

/// The first pause between two checks for a change that is not there yet; each further one is twice
/// as long, up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(10);
/// The longest pause between two checks.
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// Facts from before the run, to verify the change afterwards.
pub struct ChangeVerifier<'call> {
    pending: &'call PendingChange<'call>,
    questions: Questions<'call>,
    observer: Observer,
    evidence: Evidence,
}

/// The result of a verified run.
pub struct VerifiedRun {
    pub judgement: Judgement,
    /// The answer, corrected by the outcome.
    pub produced: Produced,
    /// The changes that the folder shows.
    pub observed: Observed,
}

impl<'call> ChangeVerifier<'call> {
    /// Collects the facts before the run. If it fails, nothing was started.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read. Nothing was started then.
    pub fn before(
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

    /// Checks the folder, and corrects the program's report.
    pub fn after(self, mut produced: Produced) -> VerifiedRun {
        let (snapshot, found) = self.settle(&produced);
        let planned = &self.pending.plan.planned.files;
        let observed = self.observer.changes(&snapshot, planned, self.pending.seen);
        let is_in_folder = self.evidence.is_in_folder();
        let judgement = Judgement::new(&produced, found, &observed, is_in_folder);
        judgement.correct(&mut produced, &observed);
        VerifiedRun {
            judgement,
            produced,
            observed,
        }
    }

    /// Checks until the change is there, or its time is up. Waits only for data that the app may
    /// still be writing: it can answer before its write has reached the disk.
    fn settle(&self, produced: &Produced) -> (Snapshot, Found) {
        let claims = &Claims::new(produced);
        let limits = self.pending.limits;
        let until = limits.deadline.at_most(self.evidence.patience());
        let failure = produced.outcome.as_ref().err();
        let is_waited_for =
            failure.is_none_or(|failure| produced.may_have_happened && !is_interrupted(failure));
        let mut pause = FIRST_PAUSE;
        loop {
            let snapshot = self.observer.look(self.pending.vault);
            let look = Look {
                vault: self.pending.vault,
                observer: &self.observer,
                snapshot: &snapshot,
                claims,
            };
            let found = self.evidence.look(look, &self.questions);
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
