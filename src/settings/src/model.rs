//! The types of the settings, with their defaults.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vault_engine::{LinkUpdates, PropertyStyle};

use super::checked;
use super::lists::ListName;
use allowlist::{Effect, EffectSet, OwnList, Tier};
use protocol::{Release, words};
use sandbox::SandboxMode;
use tiers::{ApprovalChannel, CommandPattern, Drafts, PathPattern, PropertyName, TagName};

/// The default of `max_output_bytes`.
pub const DEFAULT_OUTPUT_BYTES: u64 = 1024 * 1024;

/// All settings. A key that the file leaves out has its default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Whether agents may make calls. People at a terminal always may.
    pub enabled: bool,
    /// The official program: a name to search for, or an absolute path.
    #[serde(deserialize_with = "checked::program")]
    pub obsidian_path: PathBuf,
    /// Minimum version of the app and of its installer, such as `1.12.7`. An app with an unknown
    /// version is refused too. If unset, an old version only causes a warning.
    #[serde(deserialize_with = "checked::version")]
    #[schemars(with = "Option<String>")]
    pub min_version: Option<Release>,
    /// Time limit of one command, in milliseconds.
    #[schemars(range(min = 1, max = 3_600_000))]
    pub timeout_ms: u64,
    /// Whether calls may change the vault.
    pub allow_mutations: bool,
    /// The changes of agents that go into a draft, which a person reviews, instead of the vault.
    pub drafts: Drafts,
    /// The name of the vault in the app, or the absolute path of its folder.
    #[serde(deserialize_with = "checked::vault")]
    pub vault: Option<String>,
    /// The name of the vault's configuration folder, which starts with a dot. If unset, the folder is found by its
    /// files.
    #[serde(deserialize_with = "checked::config_folder")]
    pub config_folder: Option<String>,
    /// The highest allowed tier.
    pub tier: Tier,
    /// The name of a file next to the settings file that lists what is left of the catalogue, in the form of
    /// `vault-gw allowlist show`. If unset, all of it is.
    #[serde(deserialize_with = "checked::list")]
    #[schemars(with = "Option<String>")]
    pub allowlist: Option<ListName>,
    /// The backend that answers calls.
    pub backend: BackendChoice,
    /// Number of bytes kept of each output stream.
    #[schemars(range(min = 1, max = 1_073_741_824))]
    pub max_output_bytes: u64,
    /// Whether calls may change what the app shows.
    pub allow_ui: bool,
    /// Whether calls may send notes off this machine.
    pub allow_publish: bool,
    /// Absolute path of the folder outside the vault for exported copies of notes. If unset,
    /// nothing can be exported.
    #[serde(deserialize_with = "checked::folder")]
    #[schemars(with = "Option<String>")]
    pub export_folder: Option<PathBuf>,
    /// Absolute path of the folder outside the vault from which notes may be imported. If unset,
    /// nothing can be imported.
    #[serde(deserialize_with = "checked::folder")]
    #[schemars(with = "Option<String>")]
    pub import_folder: Option<PathBuf>,
    /// Whether agents may leave in a file what acts when it is opened, published or read by an agent.
    pub allow_active: bool,
    /// Whether a call that names no note may act on the note that is active in the app.
    pub allow_active_file: bool,
    /// Whether reads follow symlinks to folders outside the vault. Writes never do.
    pub follow_symlinks: bool,
    /// Whether to check for the app's socket before starting the official program.
    pub probe_app: bool,
    /// Whether a call may open the window of a vault that is registered in the app but not open
    /// (`threats.toml` G15).
    pub open_vault: bool,
    /// Whether the official program and the servers for agents are confined.
    pub sandbox: SandboxMode,
    /// The format of the other properties when one property is changed.
    pub property_style: PropertyStyle,
    /// Whether a move or rename updates the links to the note.
    pub update_links: LinkUpdates,
    /// Effects that need an approval. `publish` always does.
    #[schemars(with = "Vec<Effect>")]
    pub approve: EffectSet,
    /// Accepted approval channels. With an empty list nothing can be approved.
    pub approve_by: BTreeSet<ApprovalChannel>,
    /// Rotation of the audit log.
    pub audit: AuditSettings,
    /// The server over HTTP.
    pub http: HttpSettings,
    /// Programs in the fence of `vault-gw run`.
    pub run: RunSettings,
    /// Path rules.
    pub paths: Paths,
    /// Rules for commands.
    pub commands: Commands,
    /// The sources of text that may instruct agents.
    pub taint: TaintSettings,
    /// Retention of the undo journal.
    pub journal: JournalSettings,
    /// Additional restrictions for agents: for all of them under the name `*`, for one under its own.
    pub agents: BTreeMap<String, AgentSettings>,
    /// The file that these settings were read from, if any.
    #[serde(skip)]
    pub(super) file: Option<PathBuf>,
    /// The owner's lists that the settings name, as they were read with them.
    #[serde(skip)]
    pub(super) lists: BTreeMap<ListName, Arc<OwnList>>,
}

/// The commands that calls may use, of those that the tier and the switches open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Commands {
    /// Allowed. An empty list allows nothing.
    pub allow: Vec<CommandPattern>,
    /// Denied, even if allowed.
    pub deny: Vec<CommandPattern>,
}

/// Rotation of the audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AuditSettings {
    /// A log file that reaches this size, in bytes, is rotated.
    #[schemars(range(min = 65_536, max = 1_073_741_824))]
    pub max_bytes: u64,
    /// Number of rotated files that are kept. The oldest is deleted first.
    #[schemars(range(min = 1, max = 1000))]
    pub max_files: u64,
    /// Whether to refuse reads too if they cannot be recorded. Changes are always refused then.
    pub required_for_reads: bool,
}

/// The server over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HttpSettings {
    /// Whether the token that belongs to no agent is accepted too. It opens what is open to everyone.
    pub shared_token: bool,
}

/// Programs in the fence of `vault-gw run`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RunSettings {
    /// Whether they may read the app's folder in the vault, with the tokens that plugins keep there.
    pub app_folder: bool,
}

/// Globs on vault paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Paths {
    /// Allowed for reading. An empty list allows nothing.
    pub read: Vec<PathPattern>,
    /// Allowed for writing. Writing requires read access too.
    pub write: Vec<PathPattern>,
    /// Denied. Takes precedence over the other two.
    pub deny: Vec<PathPattern>,
    /// Tags, without `#`. A note with one of them, or with a tag below it, is closed as a denied path
    /// is.
    pub deny_tags: Vec<TagName>,
    /// Properties. A note that has one of them, with any value but `false`, is closed as a denied path
    /// is.
    pub deny_properties: Vec<PropertyName>,
    /// Whether a file with several hard links is open although another of its names in the vault is closed.
    pub allow_hard_links: bool,
    /// With `drafts = "all"`: a change of such paths alone is made in the vault, if `allow_mutations` is on.
    pub direct: Vec<PathPattern>,
    /// Whether the rules bind the owner's own commands too. Otherwise they bind agents only.
    pub everyone: bool,
}

/// The sources of text that may instruct agents, and the paths closed to an agent that has read such text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaintSettings {
    /// Files that have outside text.
    pub sources: Vec<PathPattern>,
    /// Properties. A note that has one of them, with any value but `false`, has outside text.
    pub properties: Vec<PropertyName>,
    /// Files that an agent which has read such text may change in the vault itself, as far as it could
    /// before. All else goes into its draft.
    pub write: Vec<PathPattern>,
    /// Files that are closed to an agent which has read such text.
    pub secret: Vec<PathPattern>,
    /// Tags, without `#`. Notes with one of them are closed to such an agent.
    pub secret_tags: Vec<TagName>,
    /// The effect of names of such notes, their tags and the names of their properties in an answer.
    pub names: TaintNames,
    /// Number of hours for which an agent is restricted after it last got such text.
    #[schemars(range(min = 1, max = 8760))]
    pub keep_hours: u64,
}

words! {
    /// The effect of an answer with names of labelled notes, but with no other text of them.
    #[derive(Default, JsonSchema)]
    pub enum TaintNames {
        /// It shows harmless names instead, and labels nobody.
        #[default]
        Hide = "hide",
        /// It labels the agent.
        Label = "label",
    }
}

impl TaintSettings {
    /// Whether any source is set. Otherwise nothing is labelled.
    pub fn is_on(&self) -> bool {
        !self.sources.is_empty() || !self.properties.is_empty()
    }
}

impl Default for TaintSettings {
    fn default() -> Self {
        Self {
            sources: Vec::new(),
            properties: Vec::new(),
            write: Vec::new(),
            secret: Vec::new(),
            secret_tags: Vec::new(),
            names: TaintNames::Hide,
            keep_hours: 24,
        }
    }
}

/// Retention of the undo journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JournalSettings {
    /// Maximum size of a vault's journal, in bytes. The oldest changes are deleted first.
    #[schemars(range(min = 1_048_576, max = 1_099_511_627_776_u64))]
    pub max_bytes: u64,
    /// Number of days for which a change can be undone.
    #[schemars(range(min = 1, max = 3650))]
    pub max_age_days: u64,
    /// Maximum size in bytes of a file that a call may overwrite or permanently delete. The journal
    /// keeps a copy of it.
    #[schemars(range(min = 1, max = 1_073_741_824))]
    pub max_file_bytes: u64,
}

/// The name of the table whose restrictions apply to all agents, and not to people.
pub const EVERY_AGENT: &str = "*";

/// Additional restrictions for one agent, or for all. A missing key restricts nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentSettings {
    /// Whether this agent may make calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The highest allowed tier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
    /// The name of a file next to the settings file that lists what this agent may use of the catalogue.
    #[serde(deserialize_with = "checked::list")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub allowlist: Option<ListName>,
    /// Whether calls may change the vault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_mutations: Option<bool>,
    /// The changes of this agent that go into a draft. `all` for everyone overrides this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drafts: Option<Drafts>,
    /// Whether calls may change what the app shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_ui: Option<bool>,
    /// Whether calls may send notes off this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_publish: Option<bool>,
    /// Whether the agent may leave in a file what acts when it is opened or published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_active: Option<bool>,
    /// Whether a call that names no note may act on the active one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_active_file: Option<bool>,
    /// Whether reads follow symlinks to folders outside the vault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follow_symlinks: Option<bool>,
    /// Additional effects that need an approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<Effect>>")]
    pub approve: Option<EffectSet>,
    /// Accepted approval channels for this agent, out of those for everyone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approve_by: Option<BTreeSet<ApprovalChannel>>,
    /// Additional path rules.
    pub paths: AgentPaths,
    /// Additional rules for commands.
    pub commands: AgentCommands,
}

/// The commands that one agent may call, of those that everyone may.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentCommands {
    /// Allowed. An empty list allows nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<CommandPattern>>,
    /// Denied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny: Option<Vec<CommandPattern>>,
}

/// Path rules for one agent, in addition to those for everyone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentPaths {
    /// Allowed for reading. An empty list allows nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<Vec<PathPattern>>,
    /// Allowed for writing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Vec<PathPattern>>,
    /// Denied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny: Option<Vec<PathPattern>>,
    /// Tags that close a note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny_tags: Option<Vec<TagName>>,
    /// Properties that close a note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny_properties: Option<Vec<PropertyName>>,
    /// Whether a file with several hard links is open although another of its names in the vault is closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_hard_links: Option<bool>,
}

words! {
    /// The backend that answers calls.
    #[derive(clap::ValueEnum, JsonSchema)]
    pub enum BackendChoice {
        /// The app if it is running, otherwise the embedded engine.
        Auto = "auto",
        /// The official program with the running app.
        Obsidian = "obsidian",
        /// The engine embedded in this program.
        Embedded = "embedded",
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: false,
            obsidian_path: PathBuf::from("obsidian"),
            min_version: None,
            timeout_ms: 15_000,
            allow_mutations: false,
            drafts: Drafts::Off,
            vault: None,
            config_folder: None,
            tier: Tier::V3,
            allowlist: None,
            backend: BackendChoice::Auto,
            max_output_bytes: DEFAULT_OUTPUT_BYTES,
            allow_ui: true,
            allow_publish: false,
            export_folder: None,
            import_folder: None,
            allow_active: false,
            allow_active_file: false,
            follow_symlinks: false,
            probe_app: true,
            open_vault: false,
            sandbox: SandboxMode::default(),
            property_style: PropertyStyle::Preserve,
            update_links: LinkUpdates::Vault,
            approve: EffectSet::from_iter([Effect::Destroy, Effect::Publish]),
            approve_by: BTreeSet::from(ApprovalChannel::ALL),
            audit: AuditSettings::default(),
            http: HttpSettings::default(),
            run: RunSettings::default(),
            paths: Paths::default(),
            commands: Commands::default(),
            taint: TaintSettings::default(),
            journal: JournalSettings::default(),
            agents: BTreeMap::new(),
            file: None,
            lists: BTreeMap::new(),
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

impl Default for HttpSettings {
    fn default() -> Self {
        Self { shared_token: true }
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

impl Default for Commands {
    fn default() -> Self {
        Self {
            allow: vec![CommandPattern::everything()],
            deny: Vec::new(),
        }
    }
}

impl Default for Paths {
    fn default() -> Self {
        Self {
            read: vec![PathPattern::everything()],
            write: vec![PathPattern::everything()],
            deny: Vec::new(),
            deny_tags: Vec::new(),
            deny_properties: Vec::new(),
            allow_hard_links: false,
            direct: Vec::new(),
            everyone: false,
        }
    }
}
