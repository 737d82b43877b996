//! The files of a vault: opening, listing and reading them, planned changes to them, and the app's settings beside them.
//!
//! Synchronous. It knows nothing of gateways, processes, environment variables or clocks: such inputs are passed in as
//! [`surroundings::Surroundings`].

pub mod args;
pub mod call;
pub mod collation;
pub mod config_file;
pub mod contents;
pub mod core_plugins;
pub mod daily;
pub mod disk;
pub mod error;
pub mod extension;
pub mod failpoints;
pub mod file_type;
pub mod json_list;
pub mod link_text;
pub mod page;
pub mod periodic;
pub mod progress;
pub mod property_types;
pub mod registry;
pub mod search_files;
pub mod sight;
pub mod surroundings;
pub mod synonyms;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod vault;
pub mod vault_settings;
pub mod version;
