//! The typed value of every shape: what the envelope carries as `data`.

mod app;
mod confirmation;
mod files;
mod links;
mod list;
mod metadata;
mod names;
mod place;
mod search;
mod vaults;

use schemars::JsonSchema;
use serde::Serialize;

use crate::own::{Own, OwnAnswer};

pub use app::{
    CommandItem, HistoryItem, PluginInfo, PluginItem, RawText, TabItem, Version, WorkspaceItem,
};
pub use confirmation::Confirmation;
pub use files::{
    BaseRow, BaseViewItem, FileInfo, FileItem, FolderInfo, FolderItem, NoteText, PathAnswer,
    RandomNote, TemplateItem,
};
pub use links::{BacklinkItem, LinkItem, UnresolvedItem};
pub use list::List;
pub use metadata::{
    AliasItem, HeadingItem, NoteProperties, PropertyCount, PropertyItem, PropertyValue, TagFiles,
    TagItem, TaskItem, WordCount,
};
pub use place::{PlaceInList, PlaceInText, add_place_in_text};
pub use search::{LineMatch, SearchContextItem};
pub use vaults::{VaultInfo, VaultItem};

/// What a command answered.
///
/// Serialises as the payload alone, so that it can be the envelope's `data`. Counts, lines and
/// totals are numbers here even where the app prints strings (`official-cli.md` §5). Paths are
/// vault paths unless a field says otherwise. A value that the asked-for text form does not carry
/// (a count without `counts`) is absent: [`crate::as_printed`] makes it so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// What was done.
    Confirmation(Confirmation),
    /// The text of a note.
    NoteText(NoteText),
    /// A note picked at random.
    RandomNote(RandomNote),
    /// One vault path.
    Path(PathAnswer),
    /// Files: `files`, `recents`, `orphans`, `deadends`, `bases`, `search`, and `base:query` with
    /// `format=paths`.
    Files(List<FileItem>),
    /// Folders.
    Folders(List<FolderItem>),
    /// Facts about one file.
    FileInfo(FileInfo),
    /// Facts about one folder.
    FolderInfo(FolderInfo),
    /// Facts about the vault.
    VaultInfo(VaultInfo),
    /// Known vaults.
    Vaults(List<VaultItem>),
    /// Aliases.
    Aliases(List<AliasItem>),
    /// Property names of the vault.
    PropertyNames(List<PropertyItem>),
    /// In how many notes one property stands.
    PropertyCount(PropertyCount),
    /// The properties of one note.
    NoteProperties(NoteProperties),
    /// The value of one property.
    PropertyValue(PropertyValue),
    /// Tags.
    Tags(List<TagItem>),
    /// Files that hold one tag.
    TagFiles(TagFiles),
    /// Tasks.
    Tasks(List<TaskItem>),
    /// Outgoing links.
    Links(List<LinkItem>),
    /// Files that link here.
    Backlinks(List<BacklinkItem>),
    /// Link texts that lead nowhere.
    Unresolved(List<UnresolvedItem>),
    /// Headings.
    Outline(List<HeadingItem>),
    /// Lines that match a query.
    SearchContext(List<SearchContextItem>),
    /// Word and character counts.
    WordCount(WordCount),
    /// Views of a base.
    BaseViews(List<BaseViewItem>),
    /// Rows of a base query.
    BaseRows(List<BaseRow>),
    /// Templates.
    Templates(List<TemplateItem>),
    /// Plugins.
    Plugins(List<PluginItem>),
    /// Facts about one plugin.
    PluginInfo(PluginInfo),
    /// Open tabs.
    Tabs(List<TabItem>),
    /// Saved workspaces.
    Workspaces(List<WorkspaceItem>),
    /// Command ids of the app.
    Commands(List<CommandItem>),
    /// The app's version.
    Version(Version),
    /// File history.
    History(List<HistoryItem>),
    /// Text whose format nobody has recorded.
    Raw(RawText),
    /// Only a number: the answer to `total`.
    Total(Total),
    /// The answer to an own command of the gateway.
    Own(Own),
}

impl Answer {
    /// Wraps the answer to an own command.
    pub fn own(answer: impl OwnAnswer) -> Self {
        Self::Own(Own::new(answer))
    }

    /// Whether the answer is an empty list, a total of 0, or no text at all: what the envelope
    /// calls `no_matches`. A note without text is not an empty answer.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Files(list) => list.is_empty(),
            Self::Folders(list) => list.is_empty(),
            Self::Vaults(list) => list.is_empty(),
            Self::Aliases(list) => list.is_empty(),
            Self::PropertyNames(list) => list.is_empty(),
            Self::Tags(list) => list.is_empty(),
            Self::TagFiles(tag) => tag.files.is_empty(),
            Self::Tasks(list) => list.is_empty(),
            Self::Links(list) => list.is_empty(),
            Self::Backlinks(list) => list.is_empty(),
            Self::Unresolved(list) => list.is_empty(),
            Self::Outline(list) => list.is_empty(),
            Self::SearchContext(list) => list.is_empty(),
            Self::BaseViews(list) => list.is_empty(),
            Self::BaseRows(list) => list.is_empty(),
            Self::Templates(list) => list.is_empty(),
            Self::Plugins(list) => list.is_empty(),
            Self::Tabs(list) => list.is_empty(),
            Self::Workspaces(list) => list.is_empty(),
            Self::Commands(list) => list.is_empty(),
            Self::NoteProperties(note) => note.properties.is_empty(),
            Self::PropertyValue(property) => property.values.is_empty(),
            Self::History(list) => list.is_empty(),
            Self::Raw(raw) => raw.text.is_empty(),
            Self::Total(total) => total.total == 0,
            Self::Own(own) => own.is_empty(),
            Self::Confirmation(_)
            | Self::NoteText(_)
            | Self::RandomNote(_)
            | Self::Path(_)
            | Self::FileInfo(_)
            | Self::FolderInfo(_)
            | Self::VaultInfo(_)
            | Self::PropertyCount(_)
            | Self::WordCount(_)
            | Self::PluginInfo(_)
            | Self::Version(_) => false,
        }
    }

    /// The list, where the answer is one. A list of an own command has its own bounds
    /// ([`crate::OwnAnswer::keep_first`]).
    fn list(&mut self) -> Option<&mut dyn Items> {
        Some(match self {
            Self::Files(list) => list,
            Self::Folders(list) => list,
            Self::Vaults(list) => list,
            Self::Aliases(list) => list,
            Self::PropertyNames(list) => list,
            Self::Tags(list) => list,
            Self::Tasks(list) => list,
            Self::Links(list) => list,
            Self::Backlinks(list) => list,
            Self::Unresolved(list) => list,
            Self::Outline(list) => list,
            Self::SearchContext(list) => list,
            Self::BaseViews(list) => list,
            Self::BaseRows(list) => list,
            Self::Templates(list) => list,
            Self::Plugins(list) => list,
            Self::Tabs(list) => list,
            Self::Workspaces(list) => list,
            Self::Commands(list) => list,
            Self::History(list) => list,
            Self::TagFiles(tag) => &mut tag.files,
            Self::NoteProperties(_)
            | Self::PropertyValue(_)
            | Self::Raw(_)
            | Self::Total(_)
            | Self::Own(_)
            | Self::Confirmation(_)
            | Self::NoteText(_)
            | Self::RandomNote(_)
            | Self::Path(_)
            | Self::FileInfo(_)
            | Self::FolderInfo(_)
            | Self::VaultInfo(_)
            | Self::PropertyCount(_)
            | Self::WordCount(_)
            | Self::PluginInfo(_)
            | Self::Version(_) => return None,
        })
    }

    /// How many items its list holds; none where it is no list of the app's.
    pub fn items(&mut self) -> Option<usize> {
        self.list().map(|list| list.count())
    }

    /// How many items its list has before any limit; none where it is no list of the app's.
    pub fn total(&mut self) -> Option<usize> {
        self.list().map(|list| list.total())
    }

    /// Says how many items its list has, those that it does not hold included.
    pub fn set_total(&mut self, total: usize) {
        if let Some(list) = self.list() {
            list.set_total(total);
        }
    }

    /// Keeps at most `count` items of its list from the one at `skip` on; its total stays. Leaves what
    /// is no list alone.
    pub fn window(&mut self, skip: usize, count: usize) {
        if let Some(list) = self.list() {
            list.window(skip, count);
        }
    }
}

/// A list of anything.
trait Items {
    fn count(&self) -> usize;
    fn total(&self) -> usize;
    fn set_total(&mut self, total: usize);
    fn window(&mut self, skip: usize, count: usize);
}

impl<T> Items for List<T> {
    fn count(&self) -> usize {
        self.items.len()
    }

    fn total(&self) -> usize {
        self.total
    }

    fn window(&mut self, skip: usize, count: usize) {
        Self::window(self, skip, count);
    }

    fn set_total(&mut self, total: usize) {
        self.total = total;
        self.truncated = self.returned < total;
    }
}

/// Only a number: the answer to `total`, and to a random pick among no notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
// Closed, so that a list without its items does not pass for a number.
#[schemars(deny_unknown_fields)]
pub struct Total {
    /// How many there are, before any limit.
    pub total: usize,
}
