//! The reads that a cancellation stops.

use std::sync::atomic::AtomicUsize;

use obsidian_note::CancellationToken;
use vault_index::IndexedVault;

use jiff::civil::date;
use jiff::tz::TimeZone;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use vault_files::disk::trace;
use vault_files::vault::testing::vault;
use vault_files::{EngineError, Registry, Surroundings, Vault};

fn ask(vault: &Vault, command: &str, params: &[(&str, &str)]) -> Result<(), EngineError> {
    let arguments = vault_files::testing::given(command, params, &[]);
    let now = date(2026, 3, 7).at(9, 0, 0, 0).to_zoned(TimeZone::UTC);
    let surroundings = Surroundings {
        now: now.unwrap(),
        random: 0,
        registry: Registry::parse("{}").unwrap(),
    };
    vault_questions::reply(vault, command, &arguments, &surroundings).map(drop)
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
    assert!(matches!(
        IndexedVault(&stopped).index(),
        Err(EngineError::Stopped)
    ));
    assert!(calls.load(Ordering::Relaxed) > 0);
    assert!(!cache.exists(), "half an index was written");
    let (index, _, _) = trace::count(|| IndexedVault(&vault.with_cache(cache)).index().unwrap());
    assert_eq!(index.files().len(), 200);
}
