#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| vault_gw_fuzz::cli_output(bytes));
