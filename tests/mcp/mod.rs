//! `vault-gw mcp`, by real processes over pipes and loopback sockets.

mod approvals;
mod client;
mod hostile;
mod http;
mod stdio;
mod tools;
