//! The protections in force, as reported in `meta.confinement` of the envelope and by `doctor`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::mode::SandboxMode;
use protocol::{Code, Failure};

/// The confinement of one process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Confinement {
    /// The state of the confinement.
    pub state: ConfinementState,
    /// The version of the kernel's Landlock interface that is used; 0 if the kernel has none. Absent
    /// where nothing was asked of the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landlock_abi: Option<i32>,
    /// The protections that should be in force and are not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Protection>,
    /// The protections that only a newer kernel offers. Do not count as missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_covered: Vec<Protection>,
    /// The reason why it is not in force, if the kernel is not the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<ConfinementReason>,
}

/// The state of a confinement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConfinementState {
    /// All of it.
    Enforced,
    /// Some of it; `missing` lists the rest.
    Partial,
    /// None of it: this system or this kind of process does not support it.
    Unavailable,
    /// The settings turned it off.
    Off,
    /// There is nothing to confine, or it must not be confined.
    NotApplicable,
}

/// One thing that a confined process is kept from.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Protection {
    /// Reading and writing other files, and executing other programs (Landlock ABI 1).
    Files,
    /// Emptying other files (ABI 3).
    Truncation,
    /// TCP (ABI 4). System call filters close it too.
    Tcp,
    /// Control calls on device files (ABI 5).
    DeviceControl,
    /// Signals to processes outside (ABI 6).
    Signals,
    /// Abstract Unix sockets outside (ABI 6).
    AbstractSockets,
    /// Unix sockets of other programs that have a path (ABI 9).
    PathnameSockets,
    /// Times, owners, attributes and link targets of other files (a file tree of its own).
    Metadata,
    /// Dangerous system calls (seccomp).
    SystemCalls,
    /// Starting any program at all.
    Execution,
    /// The command lines and the resource use of other programs (processes of its own).
    CommandLines,
}

/// The reason why a confinement is not in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConfinementReason {
    /// This operating system offers nothing that `vault-gw` uses.
    OperatingSystem,
    /// The binary is the desktop app, which would keep the restriction for its whole life.
    DesktopApp,
    /// The embedding program named no helper that could confine the child.
    NoHelper,
    /// The binary is a 32-bit program, whose system calls cannot be filtered.
    Narrow,
}

impl Confinement {
    /// A confinement that is not in force, for a reason other than the kernel.
    pub fn not_in_force(state: ConfinementState, reason: Option<ConfinementReason>) -> Self {
        Self {
            state,
            landlock_abi: None,
            missing: Vec::new(),
            not_covered: Vec::new(),
            reason,
        }
    }

    /// Returns the confinement of a process that cannot be confined.
    ///
    /// # Errors
    ///
    /// `SANDBOX_UNAVAILABLE` if `mode` requires a sandbox.
    pub fn without_sandbox(mode: SandboxMode, reason: ConfinementReason) -> Result<Self, Failure> {
        if mode == SandboxMode::Off {
            return Ok(Self::off());
        }
        Self::not_in_force(ConfinementState::Unavailable, Some(reason)).accepted(mode)
    }

    /// Returns the confinement that the settings turned off.
    pub fn off() -> Self {
        Self::not_in_force(ConfinementState::Off, None)
    }

    /// Whether `mode` accepts it.
    ///
    /// # Errors
    ///
    /// `SANDBOX_UNAVAILABLE` if all is required and something is missing.
    pub fn accepted(self, mode: SandboxMode) -> Result<Self, Failure> {
        let falls_short = matches!(
            self.state,
            ConfinementState::Partial | ConfinementState::Unavailable
        );
        if mode == SandboxMode::Require && falls_short {
            return Err(self.refusal());
        }
        Ok(self)
    }

    /// Returns the `SANDBOX_UNAVAILABLE` failure, if the settings require all of it.
    pub fn refusal(&self) -> Failure {
        const LOWER: &str = "In the settings, set `sandbox` to \"best-effort\".";
        const NEWER: &str =
            "Use a newer kernel, or set `sandbox` to \"best-effort\" in the settings.";
        let lack = match (self.reason, self.landlock_abi) {
            (Some(ConfinementReason::OperatingSystem), _) => {
                "vault-gw does not have a sandbox for this operating system".to_owned()
            }
            (Some(ConfinementReason::NoHelper), _) => {
                "the program that embeds vault-gw did not name a helper program".to_owned()
            }
            (Some(ConfinementReason::Narrow), _) => {
                "the program is a 32-bit program, and its system calls cannot be filtered"
                    .to_owned()
            }
            (Some(ConfinementReason::DesktopApp), _) => {
                "the program is the desktop app itself, which cannot run in the sandbox".to_owned()
            }
            (_, Some(0)) => {
                "this kernel does not have Landlock, or Landlock is turned off".to_owned()
            }
            _ => format!("this kernel lacks protection for {}", self.missing_words()),
        };
        Code::SandboxUnavailable
            .failure(format!(
                "Nothing was run. The settings require the sandbox, but {lack}."
            ))
            .hint(if self.reason.is_none() { NEWER } else { LOWER })
            .with("started", false)
            .with("confinement", serde_json::json!(self))
    }

    /// Returns the missing protections as words in one line.
    pub fn missing_words(&self) -> String {
        words(&self.missing)
    }

    /// Returns the protections that a newer kernel would add, as words in one line.
    pub fn not_covered_words(&self) -> String {
        words(&self.not_covered)
    }
}

fn words(protections: &[Protection]) -> String {
    let words: Vec<&str> = protections.iter().map(|it| it.words()).collect();
    words.join(", ")
}

impl Protection {
    /// Returns the state in words, as the rest of a sentence.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Truncation => "emptying files",
            Self::Tcp => "TCP",
            Self::DeviceControl => "device control",
            Self::Signals => "signals",
            Self::AbstractSockets => "abstract sockets",
            Self::PathnameSockets => "Unix sockets with a path",
            Self::Metadata => "metadata of other files",
            Self::SystemCalls => "system calls",
            Self::Execution => "starting programs",
            Self::CommandLines => "command lines of other programs",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partial() -> Confinement {
        Confinement {
            landlock_abi: Some(3),
            missing: vec![Protection::Signals, Protection::AbstractSockets],
            ..Confinement::not_in_force(ConfinementState::Partial, None)
        }
    }

    #[test]
    fn l01_what_is_required_and_missing_is_refused() {
        let none = Confinement::not_in_force(
            ConfinementState::Unavailable,
            Some(ConfinementReason::NoHelper),
        );
        for confinement in [partial(), none] {
            assert!(
                confinement
                    .clone()
                    .accepted(SandboxMode::BestEffort)
                    .is_ok()
            );
            let failure = confinement.accepted(SandboxMode::Require).unwrap_err();
            assert_eq!(failure.code, Code::SandboxUnavailable);
            assert_eq!(failure.details["started"], false);
        }
        let failure = partial().accepted(SandboxMode::Require).unwrap_err();
        assert!(failure.to_string().contains("signals, abstract sockets"));
        for state in [ConfinementState::Enforced, ConfinementState::NotApplicable] {
            let whole = Confinement::not_in_force(state, None);
            assert!(whole.accepted(SandboxMode::Require).is_ok());
        }
    }
}
