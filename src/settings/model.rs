//! The settings as types, with their defaults.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::checked;
use crate::allowlist::{Effect, EffectSet, Tier};
use crate::release::Release;
use crate::tiers::{ApprovalDoor, PathPattern};

/// The settings file, whole; what it leaves out has its default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one documented switch of the file"
)]
pub struct Settings {
    /// Whether agents may call at all; people at the terminal always may.
    pub enabled: bool,
    /// The official program: a name that is searched for, or an absolute path.
    #[serde(deserialize_with = "checked::program")]
    pub obsidian_path: PathBuf,
    /// The oldest version of the app and of its installer that is run, such as `1.12.7`; an app
    /// whose version is not known is not run either. None, and an old one is run with a warning.
    #[serde(deserialize_with = "checked::version")]
    #[schemars(with = "Option<String>")]
    pub min_version: Option<Release>,
    /// How long one command may run, in milliseconds.
    #[serde(deserialize_with = "checked::timeout")]
    #[schemars(range(min = 1, max = 3_600_000))]
    pub timeout_ms: u64,
    /// Whether calls may change the vault.
    pub allow_mutations: bool,
    /// The vault's name in the app, or the absolute path of its folder.
    #[serde(deserialize_with = "checked::vault")]
    pub vault: Option<String>,
    /// The highest open tier.
    pub tier: Tier,
    /// Who answers.
    pub backend: BackendChoice,
    /// How much is kept of each output stream, in bytes.
    #[serde(deserialize_with = "checked::output_bytes")]
    #[schemars(range(min = 1, max = 1_073_741_824))]
    pub max_output_bytes: u64,
    /// Whether calls may change what the app shows.
    pub allow_ui: bool,
    /// Whether calls may send notes off this machine.
    pub allow_publish: bool,
    /// The folder outside of the vault that calls may put copies of notes into, absolute; none, and
    /// nothing is exported.
    #[serde(deserialize_with = "checked::folder")]
    #[schemars(with = "Option<String>")]
    pub export_folder: Option<PathBuf>,
    /// Whether a call that names no note may act on the one that is active in the app.
    pub allow_active_file: bool,
    /// Whether reading goes through symlinks to folders outside of the vault; writing never does.
    pub follow_symlinks: bool,
    /// Whether the app's socket is looked for before its program is started.
    pub probe_app: bool,
    /// Whether a call may open the window of a vault that the app knows but has not open
    /// (`faults.md` G15).
    pub open_vault: bool,
    /// How a change of one property treats the lines of the others.
    pub property_style: PropertyStyleChoice,
    /// Whether links follow a note that is moved or renamed.
    pub update_links: LinkUpdateChoice,
    /// Effects that need an approval; `publish` always does.
    #[schemars(with = "Vec<Effect>")]
    pub approve: EffectSet,
    /// The doors by which an approval counts; an empty list approves nothing.
    pub approve_by: BTreeSet<ApprovalDoor>,
    /// How much of the audit log is kept.
    pub audit: AuditSettings,
    /// Which paths are open.
    pub paths: Paths,
    /// How much is kept for undoing.
    pub journal: JournalSettings,
    /// What single agents are given less than the rest, by their name.
    pub agents: BTreeMap<String, AgentSettings>,
    /// The file that these settings were read from, where there was one.
    #[serde(skip)]
    pub(super) file: Option<PathBuf>,
}

/// How much of the audit log is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AuditSettings {
    /// A log file of this many bytes is put aside, and a new one begun.
    #[serde(deserialize_with = "checked::log_bytes")]
    #[schemars(range(min = 65_536, max = 1_073_741_824))]
    pub max_bytes: u64,
    /// How many files put aside are kept; the oldest is forgotten first.
    #[serde(deserialize_with = "checked::log_files")]
    #[schemars(range(min = 1, max = 1000))]
    pub max_files: u64,
    /// Whether reads are refused too where they cannot be recorded; changes always are.
    pub required_for_reads: bool,
}

/// Globs on vault paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Paths {
    /// What may be read; an empty list opens nothing.
    pub read: Vec<PathPattern>,
    /// What may be written, which needs the right to read it too.
    pub write: Vec<PathPattern>,
    /// What is closed whatever the other two say.
    pub deny: Vec<PathPattern>,
}

/// How much is kept for undoing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JournalSettings {
    /// How much a vault's journal may hold, in bytes; the oldest changes are forgotten first.
    #[serde(deserialize_with = "checked::journal_bytes")]
    #[schemars(range(min = 1_048_576, max = 1_099_511_627_776_u64))]
    pub max_bytes: u64,
    /// How long a change can be undone, in days.
    #[serde(deserialize_with = "checked::journal_days")]
    #[schemars(range(min = 1, max = 3650))]
    pub max_age_days: u64,
    /// The largest file that a call may overwrite or remove for good, in bytes, because a copy of
    /// it is kept.
    #[serde(deserialize_with = "checked::journal_file_bytes")]
    #[schemars(range(min = 1, max = 1_073_741_824))]
    pub max_file_bytes: u64,
}

/// What one agent is given less than the rest. A missing key tightens nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentSettings {
    /// Whether this agent may call at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The highest tier that stays open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
    /// Whether calls may change the vault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_mutations: Option<bool>,
    /// Whether calls may change what the app shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_ui: Option<bool>,
    /// Whether calls may send notes off this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_publish: Option<bool>,
    /// Whether a call that names no note may act on the active one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_active_file: Option<bool>,
    /// Whether reading goes through symlinks to folders outside of the vault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follow_symlinks: Option<bool>,
    /// Further effects that need an approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<Effect>>")]
    pub approve: Option<EffectSet>,
    /// The doors by which an approval counts for this agent's calls, among those for everyone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approve_by: Option<BTreeSet<ApprovalDoor>>,
    /// Further path rules.
    pub paths: AgentPaths,
}

/// Path rules that a path must pass besides those for everyone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentPaths {
    /// What may be read; an empty list opens nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<Vec<PathPattern>>,
    /// What may be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Vec<PathPattern>>,
    /// What is closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny: Option<Vec<PathPattern>>,
}

/// How the embedded engine changes one property (`vault-semantics.md` §3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PropertyStyleChoice {
    /// Only the property's own lines change.
    Preserve,
    /// All properties are written anew, as the app does it.
    Compat,
}

/// Whether the embedded engine rewrites links to a note that is moved (`vault-semantics.md` §7.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LinkUpdateChoice {
    /// As the vault's own settings say.
    Vault,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Who answers calls.
#[derive(
    clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum BackendChoice {
    /// The app where its socket answers, else the embedded engine.
    Auto,
    /// The official program and the running app.
    Obsidian,
    /// The engine in this program.
    Embedded,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: false,
            obsidian_path: PathBuf::from("obsidian"),
            min_version: None,
            timeout_ms: 15_000,
            allow_mutations: false,
            vault: None,
            tier: Tier::V3,
            backend: BackendChoice::Auto,
            max_output_bytes: 1_048_576,
            allow_ui: true,
            allow_publish: false,
            export_folder: None,
            allow_active_file: false,
            follow_symlinks: false,
            probe_app: true,
            open_vault: false,
            property_style: PropertyStyleChoice::Preserve,
            update_links: LinkUpdateChoice::Vault,
            approve: EffectSet::from_iter([Effect::Destroy, Effect::Publish]),
            approve_by: BTreeSet::from(ApprovalDoor::ALL),
            audit: AuditSettings::default(),
            paths: Paths::default(),
            journal: JournalSettings::default(),
            agents: BTreeMap::new(),
            file: None,
        }
    }
}

impl Default for AuditSettings {
    fn default() -> Self {
        Self {
            max_bytes: 64 << 20,
            max_files: 8,
            required_for_reads: false,
        }
    }
}

impl Default for JournalSettings {
    fn default() -> Self {
        Self {
            max_bytes: 256 << 20,
            max_age_days: 30,
            max_file_bytes: 64 << 20,
        }
    }
}

impl Default for Paths {
    fn default() -> Self {
        Self {
            read: vec![PathPattern::everything()],
            write: vec![PathPattern::everything()],
            deny: Vec::new(),
        }
    }
}

impl From<PropertyStyleChoice> for vault_engine::PropertyStyle {
    fn from(choice: PropertyStyleChoice) -> Self {
        match choice {
            PropertyStyleChoice::Preserve => Self::Preserve,
            PropertyStyleChoice::Compat => Self::Compat,
        }
    }
}

impl From<LinkUpdateChoice> for vault_engine::LinkUpdates {
    fn from(choice: LinkUpdateChoice) -> Self {
        match choice {
            LinkUpdateChoice::Vault => Self::Vault,
            LinkUpdateChoice::Always => Self::Always,
            LinkUpdateChoice::Never => Self::Never,
        }
    }
}
