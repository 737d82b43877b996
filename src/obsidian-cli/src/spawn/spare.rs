//! A confined helper that waits for a run, so that the run does not wait for its confinement.
//!
//! There is at most one. It knows the rules to confine itself to, and nothing of the run until it
//! gets its second order. A run takes it only if the rules of the run and the files behind them are
//! the same; otherwise the helper is ended, and the run starts its own. It ends when it is dropped,
//! and with the process that made it, because its socket closes.
//!
//! A single call makes one as soon as it is clear that the app will answer ([`prepare`]), and continues its own work
//! in parallel. A runner makes one for the next run as soon as it has sent the answer of a run.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::child_run::{Run, RunTarget};
use super::guardian::{Guardian, Watched};
use super::launcher::{Helper, Launch, LaunchRules};
use super::start::{ChildPipes, LaunchError, is_in};
use super::unix::{StartWay, StartedChild};
use super::working_directory::WORKING_DIRECTORY;

/// Time that a helper waits for the next run: its file tree keeps file systems in use.
pub(super) const LIFE: Duration = Duration::from_secs(120);

/// Number of threads that the machine may have gained since a helper was made. The helper's limit leaves room for 64
/// more than there were.
const MORE_THREADS: u16 = 48;

/// The waiting helper, if there is one.
#[derive(Debug, Default)]
pub struct Spare {
    state: Mutex<SpareState>,
    /// Whether to make another one after each run.
    renews: bool,
}

#[derive(Debug, Default)]
struct SpareState {
    waiting: Option<Waiting>,
    /// The launch and rules of the last run, for the next helper.
    next_launch: Option<(Launch, LaunchRules)>,
    has_ended: bool,
}

/// A waiting helper, and the pipes for its output. The guardian must forget it before it is reaped.
#[derive(Debug)]
struct Waiting {
    watched: Option<Watched>,
    helper: Helper,
    ends: ChildPipes,
    made_for: LaunchRules,
    threads: u16,
    since: Instant,
}

/// Makes a helper for a run of `target` that is about to come, and does not wait for it. Does
/// nothing if the run does not use one. An error is reported by the run, which meets it too.
pub(crate) fn prepare(target: &RunTarget) {
    if let (Ok(StartWay::Confined(launch)), Some(spare)) =
        (StartWay::choose(target), &target.sandbox.spare)
        // In an embedding program only the run's own thread may change the working directory.
        && is_in(Path::new(WORKING_DIRECTORY))
        && let Ok(rules) = launch.rules(&target.binary.path, &target.environment)
    {
        spare.state().waiting = Waiting::make(&launch, rules, target.guardian.as_ref()).ok();
    }
}

impl Spare {
    /// Returns the spare of a process that makes many runs.
    pub(super) fn for_many_runs() -> Arc<Self> {
        Arc::new(Self {
            renews: true,
            ..Self::default()
        })
    }

    /// Turns the waiting helper into the binary of `run`. `None` if there is no helper for these
    /// rules, or if it does not answer; nothing was started then.
    pub(super) fn start(
        &self,
        run: &Run,
        launch: &Launch,
        rules: LaunchRules,
    ) -> Option<StartedChild> {
        let mut state = self.state();
        let waiting = state.waiting.take();
        let fits = waiting.as_ref().is_some_and(|waiting| waiting.fits(&rules));
        state.next_launch = self.renews.then(|| (launch.clone(), rules));
        // Ending a helper takes a moment; the lock is released first.
        drop(state);
        let Waiting {
            watched,
            mut helper,
            ends,
            ..
        } = waiting.filter(|_| fits)?;
        let Ok((pid, confinement)) = helper.finish(run) else {
            // The guardian must forget it before it is reaped.
            drop(watched);
            return None;
        };
        Some(StartedChild {
            pid,
            confinement,
            watched,
            ends,
        })
    }

    /// Makes a helper for the next run, if one is wanted and none is waiting. An error is not reported here: the next
    /// run gets and reports the same error.
    pub(super) fn renew(&self, guardian: Option<&Arc<Guardian>>) {
        let mut state = self.state();
        if state.waiting.is_none()
            && !state.has_ended
            && let Some((launch, rules)) = state.next_launch.take()
        {
            state.waiting = Waiting::make(&launch, rules, guardian).ok();
        }
    }

    /// Ends a helper that has waited for too long.
    pub(super) fn expire(&self) {
        let over = |waiting: &mut Waiting| waiting.since.elapsed() >= LIFE;
        let ended = self.state().waiting.take_if(over);
        drop(ended);
    }

    /// Ends the waiting helper, and makes no more.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.has_ended = true;
        let ended = state.waiting.take();
        drop(state);
        drop(ended);
    }

    fn state(&self) -> MutexGuard<'_, SpareState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn make(
        launch: &Launch,
        rules: LaunchRules,
        guardian: Option<&Arc<Guardian>>,
    ) -> Result<Self, LaunchError> {
        let threads = threads();
        let ends = ChildPipes::open()?;
        let watched = guardian.and_then(|it| it.watch_over(ends.stdout()));
        let helper = launch.begin(&ends)?;
        if let Some(watched) = &watched {
            watched.is(helper.pid);
        }
        let mut waiting = Self {
            watched,
            helper,
            ends,
            made_for: rules,
            threads,
            since: Instant::now(),
        };
        waiting.helper.confine(&waiting.made_for)?;
        Ok(waiting)
    }

    fn fits(&self, rules: &LaunchRules) -> bool {
        self.made_for == *rules && threads().saturating_sub(self.threads) <= MORE_THREADS
    }
}

fn threads() -> u16 {
    rustix::system::sysinfo().procs
}
