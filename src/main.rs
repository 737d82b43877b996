//! The `vault-gw` binary.

fn main() {}
