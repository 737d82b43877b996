//! The wish that a long reading should end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::error::EngineError;

/// A wish that is made once and seen by every clone, and a time at which it makes itself. Whatever
/// reads many notes, or compares one with many terms, looks at it again and again and ends in
/// [`EngineError::Stopped`]; an edit that is being applied does not look.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    wished: Arc<AtomicBool>,
    at: Option<Instant>,
}

impl Stop {
    /// Makes the wish.
    pub fn wish(&self) {
        self.wished.store(true, Ordering::Release);
    }

    /// The same wish, which holds from `at` on too.
    #[must_use]
    pub fn by(self, at: Instant) -> Self {
        Self {
            at: Some(at),
            ..self
        }
    }

    /// Whether it was made, or its time has come.
    pub fn is_wished(&self) -> bool {
        self.wished.load(Ordering::Acquire) || self.at.is_some_and(|at| Instant::now() >= at)
    }

    /// An error once it was made.
    pub(crate) fn check(&self) -> Result<(), EngineError> {
        if self.is_wished() {
            Err(EngineError::Stopped)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use cli_output::Arguments;
    use jiff::civil::date;
    use jiff::tz::TimeZone;

    use super::*;
    use crate::disk::trace;
    use crate::registry::Registry;
    use crate::surroundings::Surroundings;
    use crate::vault::Vault;
    use crate::vault::testing::vault;

    fn ask(vault: &Vault, command: &str, params: &[(&str, &str)]) -> Result<(), EngineError> {
        let arguments = Arguments {
            params: params
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect(),
            ..Arguments::default()
        };
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
        let stop = Stop::default();
        let vault = vault.with_stop(stop.clone());
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
        stop.wish();
        for (command, params) in long {
            let error = ask(&vault, command, params).unwrap_err();
            assert!(matches!(error, EngineError::Stopped), "{command}: {error}");
        }
        ask(&vault, "read", &[("path", "a.md")]).unwrap();
        let going_on = vault.with_stop(Stop::default());
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
        let stop = Stop::default();
        let calls = Arc::new(AtomicUsize::new(0));
        let stopped = vault
            .clone()
            .with_cache(cache.clone())
            .with_stop(stop.clone())
            .with_progress(Arc::new({
                let calls = Arc::clone(&calls);
                move |_done: usize, _total: usize| {
                    calls.fetch_add(1, Ordering::Relaxed);
                    stop.wish();
                }
            }));
        assert!(matches!(stopped.index(), Err(EngineError::Stopped)));
        assert!(calls.load(Ordering::Relaxed) > 0);
        assert!(!cache.exists(), "half an index was written");
        let (index, _, _) = trace::of(|| vault.with_cache(cache).index().unwrap());
        assert_eq!(index.files().len(), 200);
    }
}
