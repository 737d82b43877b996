//! The integration tests: one binary, one module a subject.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]
#![cfg_attr(
    windows,
    expect(
        dead_code,
        unused_imports,
        unused_variables,
        reason = "the modules that need Unix are not there, what they use is"
    )
)]

mod active;
mod agent_limits;
mod agent_messages;
mod agents;
#[cfg(unix)]
mod app;
mod approvals;
mod argument_forms;
mod attachments;
mod audit;
mod bases;
#[cfg(unix)]
mod call;
#[cfg(unix)]
mod cancellation;
mod cli;
#[cfg(unix)]
mod client_entries;
mod command_rules;
mod concurrent_editors;
mod contracts;
#[cfg(unix)]
mod crash_recovery;
#[cfg(target_os = "linux")]
mod deep_folders;
mod diagnostics;
mod discovery;
#[cfg(unix)]
mod docs;
mod drafts;
mod effects;
mod export;
mod fake;
#[cfg(target_os = "linux")]
mod fenced;
#[cfg(target_os = "linux")]
mod file_names;
mod folder_move;
mod fuzzed;
mod heading_rename;
#[cfg(unix)]
mod hostile;
mod import;
#[cfg(unix)]
mod injected;
mod journal;
#[cfg(target_os = "linux")]
mod large_notes;
mod list_limits;
mod mcp;
#[cfg(target_os = "linux")]
mod name_escaping;
mod note_edit;
mod notes_change;
mod output;
mod own_commands;
mod own_list;
mod parity;
mod patch_cases;
mod path_rules;
mod policy;
#[cfg(unix)]
mod process;
mod profiles;
#[cfg(unix)]
mod recipe;
mod recordings;
mod requests;
mod review;
mod review_page;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod sandbox;
mod schemas;
#[cfg(unix)]
mod setup;
mod support;
#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod system_calls;
mod taint;
mod taught;
#[cfg(unix)]
mod terminal;
mod text_move;
mod truncation;
#[cfg(windows)]
mod windows;
#[cfg(unix)]
mod write_verification;
mod writes;
mod writes_end_to_end;
