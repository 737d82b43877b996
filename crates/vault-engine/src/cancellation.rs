//! Cancellation of long reads, by a caller or by a deadline.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A cancellation token. All clones share one flag; a deadline belongs to the clone that has it.
///
/// Code that reads many notes, or compares one note with many terms, checks the token between two steps and fails with
/// `EngineError::Stopped`. Applying an edit does not check it: an edit is never left half done.
#[derive(Clone, Debug, Default)]
pub struct CancellationToken {
    cancelled: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

/// The work was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WorkCancelled;

impl CancellationToken {
    /// Cancels the work of all clones. Cannot be undone.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
    }

    /// Returns the same token, which also counts as cancelled from `deadline` on.
    #[must_use]
    pub fn with_deadline(self, deadline: Instant) -> Self {
        let deadline = self
            .deadline
            .map_or(deadline, |before| before.min(deadline));
        Self {
            deadline: Some(deadline),
            ..self
        }
    }

    /// Returns the same token with a deadline after three quarters of the time that is left. For a part of the work
    /// whose result is useful even if it is incomplete.
    #[must_use]
    pub(crate) fn leaving_time(self) -> Self {
        let now = Instant::now();
        let deadline = self
            .deadline
            .map(|deadline| now + deadline.duration_since(now) / 4 * 3);
        Self { deadline, ..self }
    }

    /// Whether the work was cancelled or its deadline has passed.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
            || self.deadline.is_some_and(|at| Instant::now() >= at)
    }

    /// Fails once the work is cancelled.
    pub(crate) fn check(&self) -> Result<(), WorkCancelled> {
        if self.is_cancelled() {
            Err(WorkCancelled)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use jiff::civil::date;
    use jiff::tz::TimeZone;

    use super::*;
    use crate::disk::trace;
    use crate::error::EngineError;
    use crate::registry::Registry;
    use crate::surroundings::Surroundings;
    use crate::vault::Vault;
    use crate::vault::testing::vault;

    fn ask(vault: &Vault, command: &str, params: &[(&str, &str)]) -> Result<(), EngineError> {
        let arguments = crate::testing::given(command, params, &[]);
        let now = date(2026, 3, 7).at(9, 0, 0, 0).to_zoned(TimeZone::UTC);
        let surroundings = Surroundings {
            now: now.unwrap(),
            random: 0,
            registry: Registry::parse("{}").unwrap(),
        };
        crate::commands::reply(vault, command, &arguments, &surroundings).map(drop)
    }

    #[test]
    fn e10_long_readings_stop_and_short_ones_do_not() {
        let (_folder, vault) = vault(&[("a.md", "[[b]] #t bread"), ("x/b.md", "- [ ] bread")]);
        let cancellation = CancellationToken::default();
        let vault = vault.with_cancellation(cancellation.clone());
        let long: [(&str, &[(&str, &str)]); 5] = [
            ("tags", &[]),
            ("unresolved", &[]),
            ("search", &[("query", "bread")]),
            ("files", &[]),
            ("backlinks", &[("file", "b")]),
        ];
        for (command, params) in long {
            ask(&vault, command, params).unwrap();
        }
        cancellation.cancel();
        for (command, params) in long {
            let error = ask(&vault, command, params).unwrap_err();
            assert!(matches!(error, EngineError::Stopped), "{command}: {error}");
        }
        ask(&vault, "read", &[("path", "a.md")]).unwrap();
        let going_on = vault.with_cancellation(CancellationToken::default());
        ask(&going_on, "tags", &[]).unwrap();
    }

    #[test]
    fn e10_an_index_that_was_stopped_is_not_remembered() {
        let files: Vec<(String, String)> = (0..200)
            .map(|number| (format!("{number:03}.md"), format!("#tag{number}")))
            .collect();
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect();
        let (folder, vault) = vault(&files);
        let cache = folder.path().join("cache");
        let cancellation = CancellationToken::default();
        let calls = Arc::new(AtomicUsize::new(0));
        let stopped = vault
            .clone()
            .with_cache(cache.clone())
            .with_cancellation(cancellation.clone())
            .with_progress(Arc::new({
                let calls = Arc::clone(&calls);
                move |_done: usize, _total: usize| {
                    calls.fetch_add(1, Ordering::Relaxed);
                    cancellation.cancel();
                }
            }));
        assert!(matches!(stopped.index(), Err(EngineError::Stopped)));
        assert!(calls.load(Ordering::Relaxed) > 0);
        assert!(!cache.exists(), "half an index was written");
        let (index, _, _) = trace::count(|| vault.with_cache(cache).index().unwrap());
        assert_eq!(index.files().len(), 200);
    }
}
