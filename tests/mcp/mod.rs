//! `vault-gw mcp`, by real processes over pipes and loopback sockets.

mod agent_messages;
#[cfg(unix)]
mod agents;
mod approvals;
pub(crate) mod client;
mod hostile_input;
#[cfg(unix)]
pub(crate) mod http;
mod media;
#[cfg(target_os = "linux")]
mod name_escaping;
#[cfg(unix)]
mod outside;
mod prompts;
mod repair;
mod self_contained_results;
mod skills;
#[cfg(unix)]
mod stdio;
#[cfg(unix)]
mod subscriptions;
mod tools;
mod whole_hashes;
mod wrong_calls;
