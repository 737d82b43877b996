#![no_main]

use std::sync::LazyLock;

use tempfile::TempDir;
use vault_engine::fuzzing::DamagedCache;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));
static CACHE: LazyLock<DamagedCache> = LazyLock::new(|| DamagedCache::new(FOLDER.path()));

libfuzzer_sys::fuzz_target!(|damage: &[u8]| vault_gw_fuzz::index_cache(CACHE.with(damage)));
