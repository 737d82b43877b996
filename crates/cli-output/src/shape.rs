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
    /// The headings of a note, by `CommonMark`. Of the gateway's own.
    NoteOutline,
    /// The tree of a note's headings. Of the gateway's own.
    NoteTree,
    /// What the properties of a note say of it. Of the gateway's own.
    NoteFacets,
    /// The sections of a note, without text. Of the gateway's own.
    NoteSections,
    /// A note, or parts of it. Of the gateway's own.
    NoteParts,
    /// Notes with their properties. Of the gateway's own.
    Notes,
    /// What a note holds and how it is linked. Of the gateway's own.
    NoteDescription,
    /// The files that bear a name. Of the gateway's own.
    FoundNotes,
    /// Notes that are related to one. Of the gateway's own.
    RelatedNotes,
    /// Links that lead nowhere. Of the gateway's own.
    BrokenLinks,
    /// The largest notes. Of the gateway's own.
    LargeNotes,
    /// The notes that were copied out of the vault. Of the gateway's own.
    ExportedNotes,
    /// The numbers of the vault. Of the gateway's own.
    VaultStats,
    /// What is wrong with the vault. Of the gateway's own.
    Audit,
}

/// The shapes of the gateway's own commands, as a pattern.
#[macro_export]
macro_rules! our_shapes {
    () => {
        $crate::Shape::NoteOutline
            | $crate::Shape::NoteTree
            | $crate::Shape::NoteFacets
            | $crate::Shape::NoteSections
            | $crate::Shape::NoteParts
            | $crate::Shape::Notes
            | $crate::Shape::NoteDescription
            | $crate::Shape::FoundNotes
            | $crate::Shape::RelatedNotes
            | $crate::Shape::BrokenLinks
            | $crate::Shape::LargeNotes
            | $crate::Shape::ExportedNotes
            | $crate::Shape::VaultStats
            | $crate::Shape::Audit
    };
}

impl Shape {
    /// Every shape, in the order of the catalogue's documentation.
    pub const ALL: &'static [Self] = &[
        Self::Confirmation,
        Self::NoteText,
        Self::RandomNote,
        Self::Path,
        Self::Files,
        Self::Folders,
        Self::FileInfo,
        Self::FolderInfo,
        Self::VaultInfo,
        Self::Vaults,
        Self::Recents,
        Self::Aliases,
        Self::Properties,
        Self::PropertyValue,
        Self::Tags,
        Self::Tag,
        Self::Tasks,
        Self::Links,
        Self::Backlinks,
        Self::Unresolved,
        Self::Orphans,
        Self::Deadends,
        Self::Outline,
        Self::Search,
        Self::SearchContext,
        Self::WordCount,
        Self::Bases,
        Self::BaseViews,
        Self::BaseRows,
        Self::Templates,
        Self::Plugins,
        Self::PluginInfo,
        Self::Tabs,
        Self::Workspaces,
        Self::Commands,
        Self::Version,
        Self::History,
        Self::Raw,
        Self::NoteOutline,
        Self::NoteTree,
        Self::NoteFacets,
        Self::NoteSections,
        Self::NoteParts,
        Self::Notes,
        Self::NoteDescription,
        Self::FoundNotes,
        Self::RelatedNotes,
        Self::BrokenLinks,
        Self::LargeNotes,
        Self::ExportedNotes,
        Self::VaultStats,
        Self::Audit,
    ];

    /// The name in the catalogue, `search-context`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation",
            Self::NoteText => "note-text",
            Self::RandomNote => "random-note",
            Self::Path => "path",
            Self::Files => "files",
            Self::Folders => "folders",
            Self::FileInfo => "file-info",
            Self::FolderInfo => "folder-info",
            Self::VaultInfo => "vault-info",
            Self::Vaults => "vaults",
            Self::Recents => "recents",
            Self::Aliases => "aliases",
            Self::Properties => "properties",
            Self::PropertyValue => "property-value",
            Self::Tags => "tags",
            Self::Tag => "tag",
            Self::Tasks => "tasks",
            Self::Links => "links",
            Self::Backlinks => "backlinks",
            Self::Unresolved => "unresolved",
            Self::Orphans => "orphans",
            Self::Deadends => "deadends",
            Self::Outline => "outline",
            Self::Search => "search",
            Self::SearchContext => "search-context",
            Self::WordCount => "word-count",
            Self::Bases => "bases",
            Self::BaseViews => "base-views",
            Self::BaseRows => "base-rows",
            Self::Templates => "templates",
            Self::Plugins => "plugins",
            Self::PluginInfo => "plugin-info",
            Self::Tabs => "tabs",
            Self::Workspaces => "workspaces",
            Self::Commands => "commands",
            Self::Version => "version",
            Self::History => "history",
            Self::Raw => "raw",
            Self::NoteOutline => "note-outline",
            Self::NoteTree => "note-tree",
            Self::NoteFacets => "note-facets",
            Self::NoteSections => "note-sections",
            Self::NoteParts => "note-parts",
            Self::Notes => "notes",
            Self::NoteDescription => "note-description",
            Self::FoundNotes => "found-notes",
            Self::RelatedNotes => "related-notes",
            Self::BrokenLinks => "broken-links",
            Self::LargeNotes => "large-notes",
            Self::ExportedNotes => "exported-notes",
            Self::VaultStats => "vault-stats",
            Self::Audit => "audit",
        }
    }

    /// Whether it is the shape of one of the gateway's own commands: rendered, never parsed.
    pub fn is_ours(self) -> bool {
        matches!(self, our_shapes!())
    }

    /// Whether the switch `total` turns the answer into a bare number (`official-cli.md` §5, §8).
    pub fn has_total(self) -> bool {
        matches!(
            self,
            Self::Files
                | Self::Folders
                | Self::Vaults
                | Self::Recents
                | Self::Aliases
                | Self::Properties
                | Self::Tags
                | Self::Tag
                | Self::Tasks
                | Self::Links
                | Self::Backlinks
                | Self::Unresolved
                | Self::Orphans
                | Self::Deadends
                | Self::Outline
                | Self::Search
                | Self::Templates
                | Self::Workspaces
                | Self::Notes
                | Self::FoundNotes
                | Self::RelatedNotes
                | Self::BrokenLinks
                | Self::LargeNotes
                | Self::Audit
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_those_of_the_catalogue() {
        for shape in Shape::ALL {
            assert_eq!(serde_json::to_value(shape).unwrap(), shape.name());
            let read: Shape = serde_json::from_value(shape.name().into()).unwrap();
            assert_eq!(read, *shape);
        }
        let distinct: HashSet<_> = Shape::ALL.iter().collect();
        assert_eq!(distinct.len(), Shape::ALL.len());
        // The last variant, so that a new one at the end is not forgotten.
        assert_eq!(Shape::ALL.len(), Shape::Audit as usize + 1);
    }
}
