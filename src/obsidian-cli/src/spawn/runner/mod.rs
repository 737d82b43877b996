//! Runs of a confined server (`design/sandbox.md`).
//!
//! A confined server can start no process and open no socket. So before it confines itself, it
//! starts one helper that can: this program again, with a socket as standard input. The runner
//! finds the binary once, asks the app's socket whether the app is there, and starts the binary,
//! confined, with arguments that it has checked (`checked_words`). It does nothing else.
//!
//! Each question has its own connection: a pair of sockets, one of which the server sends to the
//! runner. The end of a connection cancels its run, so the runs of a killed server end with it.

mod client;
mod serve;
mod wire;
mod words;

pub use client::Runner;
pub use serve::serve_runs;

/// The only argument of a runner's command line. No command or verb has this name.
pub const RUNNER_WORD: &str = "__runner";
