//! The shapes that the catalogue's `output` key may name.

use crate::app_form::AppForm;
use crate::own::OwnForm;
use crate::text::{
    aliases, app, bases, confirmation, facts, links, names, notes, outline, properties, search,
    tags, tasks,
};

/// Declares [`Shape`]: a line for each family of outputs of the app, with its row in the file of its text.
macro_rules! shapes {
    ($($(#[$doc:meta])* $shape:ident = $form:path,)+) => {
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

            /// What is to be known of the output.
            pub(crate) fn form(self) -> &'static AppForm {
                match self {
                    $(Self::$shape => &$form,)+
                    Self::Own(_) => &AppForm::OWN,
                }
            }
        }
    };
}

shapes! {
    /// One sentence that says what was done: `Created: a.md`.
    Confirmation = confirmation::CONFIRMATION,
    /// The text of a note.
    NoteText = notes::NOTE_TEXT,
    /// A path, an empty line, the text of that note.
    RandomNote = notes::RANDOM_NOTE,
    /// One vault path.
    Path = notes::PATH,
    /// Vault paths, one a line (`files`).
    Files = names::FILES,
    /// Folder paths, one a line.
    Folders = names::FOLDERS,
    /// Key and value rows about one file.
    FileInfo = facts::FILE_INFO,
    /// Key and value rows about one folder.
    FolderInfo = facts::FOLDER_INFO,
    /// Key and value rows about the vault.
    VaultInfo = facts::VAULT_INFO,
    /// Known vaults.
    Vaults = app::VAULTS,
    /// Recently opened files.
    Recents = names::RECENTS,
    /// Aliases, with their notes where asked.
    Aliases = aliases::ALIASES,
    /// Properties of one note, or property names of the vault.
    Properties = properties::PROPERTIES,
    /// The value of one property.
    PropertyValue = properties::PROPERTY_VALUE,
    /// Tags, with counts where asked.
    Tags = tags::TAGS,
    /// Files that hold one tag.
    Tag = tags::TAG,
    /// Task lines.
    Tasks = tasks::TASKS,
    /// Outgoing links.
    Links = links::LINKS,
    /// Files that link here.
    Backlinks = links::BACKLINKS,
    /// Link texts that lead nowhere.
    Unresolved = links::UNRESOLVED,
    /// Files that nothing links to.
    Orphans = names::ORPHANS,
    /// Files that link nowhere.
    Deadends = names::DEADENDS,
    /// Headings.
    Outline = outline::OUTLINE,
    /// Files that match a query.
    Search = search::SEARCH,
    /// Lines that match a query.
    SearchContext = search::SEARCH_CONTEXT,
    /// Word and character counts.
    WordCount = facts::WORD_COUNT,
    /// Base files.
    Bases = names::BASES,
    /// Views of a base.
    BaseViews = bases::BASE_VIEWS,
    /// Rows of a base query.
    BaseRows = bases::BASE_ROWS,
    /// Template names.
    Templates = names::TEMPLATES,
    /// Plugin ids.
    Plugins = app::PLUGINS,
    /// Key and value rows about one plugin.
    PluginInfo = facts::PLUGIN_INFO,
    /// Open tabs.
    Tabs = app::TABS,
    /// Saved workspaces.
    Workspaces = app::WORKSPACES,
    /// Command ids.
    Commands = names::COMMANDS,
    /// The app's version.
    Version = facts::VERSION,
    /// File history, or the sentence that there is none.
    History = names::HISTORY,
    /// Text whose format nobody has recorded; passed through as it is.
    Raw = notes::RAW,
}

impl Shape {
    /// Whether it is the shape of an own command of the gateway.
    pub fn is_own(self) -> bool {
        matches!(self, Self::Own(_))
    }

    /// The name in the catalogue, `search-context`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Own(form) => form.name,
            shape => shape.form().name,
        }
    }

    /// Whether the switch `total` turns the answer into a bare number (`official-cli.md` §5, §8).
    pub fn has_total(self) -> bool {
        match self {
            Self::Own(form) => form.has_total,
            shape => shape.form().has_total,
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
