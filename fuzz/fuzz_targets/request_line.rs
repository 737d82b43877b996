#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| vault_gw_fuzz::request_line(bytes));
