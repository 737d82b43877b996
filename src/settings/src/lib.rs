//! The settings file, in which the vault's owner sets the policy and the paths (`design/settings.md`).

mod checked;
pub mod edit;
mod error;
mod folders;
mod keys;
mod lists;
mod load;
mod model;
mod parse;
mod policy;

pub use folders::{Convention, Folders};
pub use keys::{DescribedSetting, MAX_TIMEOUT_MS, described, is_rule_list, opening_value};
pub use lists::parse_list;
pub use lists::{ListName, SettingsFiles};
pub use load::MAX_FILE_BYTES;
pub use model::{
    AgentCommands, AgentPaths, AgentSettings, AuditSettings, BackendChoice, Commands,
    DEFAULT_OUTPUT_BYTES, EVERY_AGENT, HttpSettings, JournalSettings, Paths, RunSettings, Settings,
    TaintNames,
};
pub use parse::{line_of, line_of_setting};
pub use policy::table_prefix;

/// The commented default settings, used as the content of a new file.
pub const DEFAULT_FILE: &str = include_str!("../../../config/settings.toml");
