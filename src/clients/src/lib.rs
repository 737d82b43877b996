//! The entries of this program in the settings files of MCP clients.

mod arguments;
mod change;
mod client;
mod edit;
mod entries;
mod file;
mod grammar;
mod program_path;
mod report;
mod shown_diff;

pub use self::arguments::ServerArguments;
pub use self::change::EntryEditor;
pub use self::client::{McpClient, ServerEntry};
pub use self::edit::EntryAction;
pub use self::entries::{ClientEntry, ENTRY_NAME, entries, name_option};
pub use self::file::{ClientConfigFile, ReplacedConfig};
pub use self::grammar::ServerGrammar;
pub use self::program_path::of_this_program;
pub use self::report::{Bridge, EntryReport, FileChange, Started, left_in_words};
