//! The shapes that the catalogue's `output` key may name.

use crate::own::OwnForm;

/// Declares [`Shape`]: a line for each family of outputs of the app, with its name in the catalogue.
macro_rules! shapes {
    ($($(#[$doc:meta])* $shape:ident = $name:literal,)+) => {
        /// How a command's stdout is to be read. One variant per family of outputs of the app, and
        /// one for all commands that only this gateway has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Shape {
            $($(#[$doc])* $shape,)+
            /// An own command of the gateway: rendered, never parsed.
            Own(&'static OwnForm),
        }

        impl Shape {
            /// Every shape of the app, in the order of the catalogue's documentation.
            pub const APP: &'static [Self] = &[$(Self::$shape),+];

            /// The name in the catalogue, `search-context`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$shape => $name,)+
                    Self::Own(form) => form.name,
                }
            }
        }
    };
}

shapes! {
    /// One sentence that says what was done: `Created: a.md`.
    Confirmation = "confirmation",
    /// The text of a note.
    NoteText = "note-text",
    /// A path, an empty line, the text of that note.
    RandomNote = "random-note",
    /// One vault path.
    Path = "path",
    /// Vault paths, one a line (`files`).
    Files = "files",
    /// Folder paths, one a line.
    Folders = "folders",
    /// Key and value rows about one file.
    FileInfo = "file-info",
    /// Key and value rows about one folder.
    FolderInfo = "folder-info",
    /// Key and value rows about the vault.
    VaultInfo = "vault-info",
    /// Known vaults.
    Vaults = "vaults",
    /// Recently opened files.
    Recents = "recents",
    /// Aliases, with their notes where asked.
    Aliases = "aliases",
    /// Properties of one note, or property names of the vault.
    Properties = "properties",
    /// The value of one property.
    PropertyValue = "property-value",
    /// Tags, with counts where asked.
    Tags = "tags",
    /// Files that hold one tag.
    Tag = "tag",
    /// Task lines.
    Tasks = "tasks",
    /// Outgoing links.
    Links = "links",
    /// Files that link here.
    Backlinks = "backlinks",
    /// Link texts that lead nowhere.
    Unresolved = "unresolved",
    /// Files that nothing links to.
    Orphans = "orphans",
    /// Files that link nowhere.
    Deadends = "deadends",
    /// Headings.
    Outline = "outline",
    /// Files that match a query.
    Search = "search",
    /// Lines that match a query.
    SearchContext = "search-context",
    /// Word and character counts.
    WordCount = "word-count",
    /// Base files.
    Bases = "bases",
    /// Views of a base.
    BaseViews = "base-views",
    /// Rows of a base query.
    BaseRows = "base-rows",
    /// Template names.
    Templates = "templates",
    /// Plugin ids.
    Plugins = "plugins",
    /// Key and value rows about one plugin.
    PluginInfo = "plugin-info",
    /// Open tabs.
    Tabs = "tabs",
    /// Saved workspaces.
    Workspaces = "workspaces",
    /// Command ids.
    Commands = "commands",
    /// The app's version.
    Version = "version",
    /// File history, or the sentence that there is none.
    History = "history",
    /// Text whose format nobody has recorded; passed through as it is.
    Raw = "raw",
}

impl Shape {
    /// Whether it is the shape of an own command of the gateway.
    pub fn is_own(self) -> bool {
        matches!(self, Self::Own(_))
    }

    /// Whether the switch `total` turns the answer into a bare number (`official-cli.md` §5, §8).
    pub fn has_total(self) -> bool {
        match self {
            Self::Own(form) => form.has_total,
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
            | Self::Workspaces => true,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_in_kebab_case() {
        let names: HashSet<_> = Shape::APP.iter().map(|shape| shape.name()).collect();
        assert_eq!(names.len(), Shape::APP.len());
        let is_kebab = |name: &&str| name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'-'));
        assert!(names.iter().all(is_kebab));
    }
}
