//! The integration tests: one binary, one module a subject.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]

mod agent_words;
mod app;
mod approvals;
mod audit;
mod call;
mod cancel;
mod cli;
mod closed;
mod crash;
mod cut;
mod diagnostics;
mod docs;
mod doors;
mod effects;
mod export;
mod forms;
mod fuzzed;
mod guards;
mod journal;
#[cfg(unix)]
mod lies;
mod limits;
mod mcp;
#[cfg(target_os = "linux")]
mod names;
mod notes;
mod output;
mod parity;
mod policy;
mod process;
mod profiles;
mod recipe;
mod recordings;
mod requests;
mod savers;
mod schemas;
#[cfg(target_os = "linux")]
mod shown;
mod story;
mod support;
#[cfg(unix)]
mod terminal;
mod writes;
