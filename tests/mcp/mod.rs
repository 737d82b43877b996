//! `vault-gw mcp`, by real processes over pipes and loopback sockets.

mod approvals;
mod client;
mod enough;
mod hostile;
mod http;
#[cfg(target_os = "linux")]
mod names;
mod stdio;
mod tools;
mod words;
