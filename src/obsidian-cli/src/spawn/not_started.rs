//! The failures of starting the binary.

use protocol::code::Code;
use protocol::failure::Failure;

/// Returns the failure for a child that could not be started (`threats.toml` E14).
pub(super) fn not_started(code: Code, reason: &'static str, retryable: bool) -> Failure {
    let message = if code == Code::ArgumentTooLarge {
        "The arguments are too long for this system. Pass less data in one call."
    } else if code == Code::Busy {
        "The system cannot start another process now. Nothing was run; try again."
    } else if code == Code::CliUnavailable {
        "The Obsidian binary could not be started. Check the setting `obsidian_path`."
    } else {
        "The Obsidian binary could not be started. Nothing was run."
    };
    code.failure(message)
        .with("started", false)
        .with("reason", reason)
        .with("retryable", retryable)
}

/// Returns the failure if the kernel supports the sandbox but refused it. Nothing runs unconfined
/// then (`threats.toml` L07).
#[cfg(target_os = "linux")]
pub(super) fn no_sandbox(why: &str) -> Failure {
    Code::SandboxUnavailable
        .failure(format!(
            "The sandbox could not be applied, so nothing was run ({why})."
        ))
        .with("started", false)
        .with("reason", "sandbox")
}
