//! A headless Obsidian vault: the meaning of a plain folder of notes, without the app.
//!
//! Synchronous. It knows nothing of gateways, processes, environment variables or clocks: what it
//! needs of the world is handed in as [`Surroundings`].

pub mod byte_order_mark;
mod collation;
mod commands;
mod config_file;
mod contents;
mod daily;
mod disk;
mod edit;
mod error;
mod excluded;
mod extension;
mod followed;
pub mod frontmatter;
mod index;
pub mod moment;
mod name;
mod path;
mod property_types;
mod registry;
mod resolve;
pub mod scan;
pub mod search;
mod sight;
mod stop;
mod surroundings;
mod survey;
#[cfg(test)]
mod testing;
mod vault;
mod warning;
mod watch;

pub use collation::Collation;
pub use commands::{Reply, answer, commands, exports, plan_export, reply, serves};
pub use contents::{Contents, Detail, FileEntry};
pub use daily::DailyNotes;
pub use disk::FolderIdentity;
pub use edit::{
    Change, Edit, LinkUpdates, LinksOutOfSight, Original, PropertyStyle, State, Step, Touched,
    Version, Witness, is_changed_by_commands, planned_commands, plans,
};
pub use error::EngineError;
pub use excluded::ExcludedFiles;
pub use extension::is_known_extension;
pub use followed::Followed;
pub use index::{Index, Progress};
pub use name::{check_new_name, forbidden_in_id, forbidden_in_new_name, is_ignorable};
pub use path::{PathError, VaultPath};
pub use registry::{RegisteredVault, Registry, RegistryError, System};
pub use resolve::{Found, LinkIndex, Resolution, Rule};
pub use sight::Sight;
pub use stop::Stop;
pub use surroundings::Surroundings;
pub use survey::Survey;
pub use vault::{AttachmentPlace, FileFacts, LinkFormat, Lookup, Note, Vault, VaultSettings};
pub use warning::Warning;
