#![no_main]

use std::sync::LazyLock;

use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));

libfuzzer_sys::fuzz_target!(|text: &str| vault_gw_fuzz::base_expression(text, FOLDER.path()));
