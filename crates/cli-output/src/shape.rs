//! The shapes that the catalogue's `output` key may name.

use serde::{Deserialize, Serialize};

/// How a command's stdout is to be read. One variant per family of outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// One sentence that says what was done: `Created: a.md`.
    Confirmation,
    /// The text of a note.
    NoteText,
    /// A path, an empty line, the text of that note.
    RandomNote,
    /// One vault path.
    Path,
    /// Vault paths, one a line (`files`).
    Files,
    /// Folder paths, one a line.
    Folders,
    /// Key and value rows about one file.
    FileInfo,
    /// Key and value rows about one folder.
    FolderInfo,
    /// Key and value rows about the vault.
    VaultInfo,
    /// Known vaults.
    Vaults,
    /// Recently opened files.
    Recents,
    /// Aliases, with their notes where asked.
    Aliases,
    /// Properties of one note, or property names of the vault.
    Properties,
    /// The value of one property.
    PropertyValue,
    /// Tags, with counts where asked.
    Tags,
    /// Files that hold one tag.
    Tag,
    /// Task lines.
    Tasks,
    /// Outgoing links.
    Links,
    /// Files that link here.
    Backlinks,
    /// Link texts that lead nowhere.
    Unresolved,
    /// Files that nothing links to.
    Orphans,
    /// Files that link nowhere.
    Deadends,
    /// Headings.
    Outline,
    /// Files that match a query.
    Search,
    /// Lines that match a query.
    SearchContext,
    /// Word and character counts.
    WordCount,
    /// Base files.
    Bases,
    /// Views of a base.
    BaseViews,
    /// Rows of a base query.
    BaseRows,
    /// Template names.
    Templates,
    /// Plugin ids.
    Plugins,
    /// Key and value rows about one plugin.
    PluginInfo,
    /// Open tabs.
    Tabs,
    /// Saved workspaces.
    Workspaces,
    /// Command ids.
    Commands,
    /// The app's version.
    Version,
    /// File history, or the sentence that there is none.
    History,
    /// Text whose format nobody has recorded; passed through as it is.
    Raw,
}
