//! Options of the command line that narrow the settings.

use crate::request::NoteLinks;
use allowlist::Tier;
use protocol::Caller;
use sandbox::SandboxMode;
use settings::BackendChoice;

/// Options of the command line. They override settings, and can only tighten the policy.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether a person or an agent calls.
    pub caller: Caller,
    /// The vault, by name or absolute folder, instead of the vault in the settings.
    pub vault: Option<String>,
    /// The backend instead of the backend in the settings.
    pub backend: Option<BackendChoice>,
    /// The highest tier to allow; cannot exceed the settings.
    pub tier: Option<Tier>,
    /// The least confinement; the settings may ask for more.
    pub sandbox: Option<SandboxMode>,
    /// Time for one call in milliseconds, instead of `timeout_ms` in the settings.
    pub timeout_ms: Option<u64>,
    /// Act under this agent's policy.
    pub agent: Option<String>,
    /// Every call of this process is approved in advance (`--yes`).
    pub approved: bool,
    /// Whether the envelope contains the start time.
    pub timestamp: bool,
    /// The links to notes that each answer has, unless the request asks for others.
    pub links: Option<NoteLinks>,
    /// Whether the answers are in another program's form, which cannot say that a change is only in a draft.
    pub in_other_form: bool,
    /// Whether the answer is printed as text for a person. A text does not say where it was cut, so it is not cut at
    /// the default of `max_output_bytes`.
    pub prints_text: bool,
    /// Whether the caller is a program in a fence: its changes go into the draft, except below `paths.direct`.
    pub in_run: bool,
}

impl Options {
    /// Options with nothing set but the caller.
    pub fn new(caller: Caller) -> Self {
        Self {
            caller,
            ..Self::default()
        }
    }
}
