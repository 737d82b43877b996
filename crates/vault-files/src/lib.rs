//! The files of a vault: opening, listing and reading them, planned changes to them, and the app's settings next to
//! them.
//!
//! Synchronous. It knows nothing of gateways, processes, environment variables or clocks: such inputs are passed in as
//! [`Surroundings`].

mod args;
mod call;
pub mod collation;
mod config_file;
pub mod contents;
mod core_plugins;
mod daily;
pub mod disk;
mod error;
pub mod extension;
pub mod failpoints;
pub mod file_type;
mod format;
mod json_list;
pub mod link_text;
pub mod page;
pub mod periodic;
mod progress;
pub mod property_types;
mod registry;
mod search_files;
mod sight;
mod surroundings;
pub mod synonyms;
pub mod table;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod vault;
mod vault_settings;
mod version;

pub use args::{Arg, Args};
pub use call::Call;
pub use collation::Collation;
pub use config_file::{ConfigFile, ConfigKeys};
pub use contents::{Contents, Detail, FileEntry};
pub use core_plugins::{CORE_PLUGINS, CorePlugin, CorePluginSettings};
pub use daily::DailyNotes;
pub use disk::{
    Blocked, Disk, EntryKind, FileIdentity, FileStamp, Folder, FolderEntry, FolderIdentity,
    FolderTrail, Obstacle,
};
pub use error::{EngineError, RecurrenceObstacle, Refusal};
pub use failpoints::Failpoints;
pub use format::Format;
pub use json_list::{Fields, ListError};
pub use periodic::PeriodicNote;
pub use progress::Progress;
pub use property_types::{PropertyType, PropertyTypes, TypeTally};
pub use registry::{OperatingSystem, RegisteredVault, Registry, RegistryError};
pub use search_files::{Match, Matches, Search, SearchCandidate, SearchedVault};
pub use sight::{Sight, SightNow};
pub use surroundings::Surroundings;
pub use vault::{
    ConfigFolder, ContentStore, FileFacts, FilePieces, LinkUpdates, Note, Overlay, PlannedBytes,
    PlannedContent, PlannedFile, PropertyStyle, Vault,
};
pub use vault_settings::{
    ATTACHMENT_KEY, AppSettings, AttachmentPlace, LINK_KEYS, LinkFormat, VaultSettings,
};
pub use version::Version;
