#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| vault_gw_fuzz::search_query(text));
