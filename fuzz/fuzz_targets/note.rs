#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| vault_gw_fuzz::note(text));
