//! The command-line interface for people: official commands, and one file per verb of ours.

pub(crate) mod agents;
pub(crate) mod allowlist;
mod approve;
pub(crate) mod audit;
pub(crate) mod capabilities;
pub(crate) mod command;
pub(crate) mod context;
pub(crate) mod demo;
pub(crate) mod doctor;
mod editor;
mod error;
pub(crate) mod explain;
mod headless_sync;
pub(crate) mod install;
mod interruption;
mod policy;
pub(crate) mod profile;
pub(crate) mod report;
pub(crate) mod review;
pub(crate) mod rules;
#[cfg(target_os = "linux")]
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod settings;
pub(crate) mod setup;
mod steps_watch;
pub(crate) mod taint;
mod text_input;
pub(crate) mod undo;

use frontend::{CommandLineOptions, Terminal};
use sandbox::Environment;

/// A command line that is carried out.
#[derive(Clone, Copy)]
pub(crate) struct Cli<'a> {
    /// The terminal that it prints on.
    pub(crate) terminal: &'a Terminal,
    /// Its options.
    pub(crate) options: &'a CommandLineOptions,
    /// The environment of the process.
    pub(crate) environment: &'a Environment,
}
