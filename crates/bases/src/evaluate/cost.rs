//! The cost limits of an evaluation.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use bounded_regex::{Exhausted, Fuel};

use super::error::ExpressionError;
use crate::limits::{MAX_FILE_STEPS, MAX_QUERY_STEPS};

/// The bytes of new values that cost one step.
const BYTES_PER_STEP: usize = 16;
/// The instructions of a regular expression that cost one step.
const INSTRUCTIONS_PER_STEP: u64 = 4;
/// The steps after which a thread adds its costs to the query's.
const LEAST_REPORTED: u64 = 4_096;

/// The remaining cost of a query, shared by its threads.
pub struct QueryBudget {
    left: AtomicU64,
    is_interrupted: Box<dyn Fn() -> bool + Send + Sync>,
}

/// A query ended early: it costs too much, or was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("The query takes too many steps")]
pub struct Spent;

impl QueryBudget {
    /// A budget of [`MAX_QUERY_STEPS`], which ends early once `is_interrupted` returns true.
    pub fn new(is_interrupted: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self::of_steps(MAX_QUERY_STEPS, is_interrupted)
    }

    /// As [`Self::new`], with another number of steps.
    pub fn of_steps(steps: u64, is_interrupted: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self {
            left: AtomicU64::new(steps),
            is_interrupted: Box::new(is_interrupted),
        }
    }

    /// Fails once the query costs too much, or is cancelled.
    ///
    /// # Errors
    ///
    /// Only [`Spent`].
    pub fn check(&self) -> Result<(), Spent> {
        if self.left.load(Ordering::Relaxed) == 0 || (self.is_interrupted)() {
            return Err(Spent);
        }
        Ok(())
    }

    /// A meter for one thread's share of the work.
    pub(crate) fn meter(&self) -> Meter<'_> {
        Meter {
            query: self,
            unreported: Cell::new(0),
        }
    }

    fn spend(&self, steps: u64) -> Result<(), Spent> {
        let less = |left: u64| Some(left.saturating_sub(steps));
        // The closure always gives a number, so this cannot fail.
        let _before = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        self.check()
    }
}

/// Counts the steps of one thread. It reports them to the query in large amounts, because threads
/// that report every step would wait for each other.
pub struct Meter<'query> {
    query: &'query QueryBudget,
    /// The steps that are not reported yet.
    unreported: Cell<u64>,
}

impl Meter<'_> {
    fn spend(&self, steps: u64) -> Result<(), Spent> {
        let unreported = self.unreported.get().saturating_add(steps);
        if unreported < LEAST_REPORTED {
            self.unreported.set(unreported);
            return Ok(());
        }
        self.unreported.set(0);
        self.query.spend(unreported)
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        // If the query is over its limit, the next evaluation notices that.
        let _spent = self.query.spend(self.unreported.get());
    }
}

/// The remaining cost of the evaluation for one file.
pub(super) struct FileBudget<'query> {
    meter: &'query Meter<'query>,
    left: Cell<u64>,
}

impl<'query> FileBudget<'query> {
    pub(super) fn new(meter: &'query Meter<'query>) -> Self {
        Self {
            meter,
            left: Cell::new(MAX_FILE_STEPS),
        }
    }

    pub(super) fn step(&self) -> Result<(), ExpressionError> {
        self.spend(1)
    }

    /// Charges for creating or reading a value of so many bytes.
    pub(super) fn weigh(&self, bytes: usize) -> Result<(), ExpressionError> {
        self.spend(u64::try_from(bytes / BYTES_PER_STEP).unwrap_or(u64::MAX))
    }

    pub(super) fn spend(&self, steps: u64) -> Result<(), ExpressionError> {
        let Some(left) = self.left.get().checked_sub(steps) else {
            self.left.set(0);
            return Err(ExpressionError::new(format!(
                "The expressions take more than {MAX_FILE_STEPS} steps for one file"
            )));
        };
        self.left.set(left);
        self.meter.spend(steps).map_err(spent)
    }

    /// Runs regular expressions with the remaining steps as their limit.
    pub(super) fn with_fuel<T>(
        &self,
        run: impl FnOnce(&Fuel) -> Result<T, Exhausted>,
    ) -> Result<T, ExpressionError> {
        let fuel = Fuel::new(self.left.get().saturating_mul(INSTRUCTIONS_PER_STEP));
        let before = fuel.left();
        let ran = run(&fuel);
        self.spend((before - fuel.left()) / INSTRUCTIONS_PER_STEP)?;
        ran.map_err(|Exhausted| {
            ExpressionError::new("A regular expression takes too long for this text")
        })
    }
}

fn spent(spent: Spent) -> ExpressionError {
    ExpressionError {
        message: spent.to_string(),
        is_spent: true,
    }
}
