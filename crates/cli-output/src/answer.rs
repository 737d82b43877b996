//! The typed value of every shape: what the envelope carries as `data`.

mod app;
mod confirmation;
mod files;
mod links;
mod list;
mod metadata;
mod place;
mod search;
mod task_fields;
mod vaults;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app_form::AppForm;
use crate::arguments::Arguments;
use crate::own::{Own, OwnAnswer};

pub use app::{
    CommandItem, HistoryItem, PluginInfo, PluginItem, RawText, TabItem, Version, WorkspaceItem,
};
pub use confirmation::{Confirmation, WrittenType};
pub use files::{
    BaseColumn, BaseGroup, BaseRow, BaseRows, BaseSummary, BaseViewFacts, BaseViewItem, FileInfo,
    FileItem, FolderInfo, FolderItem, NoteText, PathAnswer, RandomNote, TemplateItem,
};
pub use links::{BacklinkItem, LinkItem, UnresolvedItem};
pub use list::{Items, List, ListNumbers};
pub use metadata::{
    AliasItem, HeadingItem, NoteProperties, PropertyCount, PropertyItem, PropertyValue, TagFiles,
    TagItem, TaskItem, WordCount,
};
pub use place::{AnswerText, PlaceInText};
pub use search::{LineMatch, SearchContextItem};
pub use task_fields::{TaskFields, TaskPriority};
pub use vaults::{VaultInfo, VaultItem};

/// Declares [`Answer`]: a line for each type that a command can answer with.
macro_rules! answers {
    ($($(#[$doc:meta])* $variant:ident($payload:ty),)+) => {
        /// The answer to a command.
        ///
        /// Serialises as its payload alone, which is the envelope's `data`. Counts, lines and
        /// totals are numbers here even if the app prints strings (`official-cli.md` §5). Paths are
        /// vault paths unless a field says otherwise. A value that the requested text form does not
        /// show (a count without `counts`) is absent: [`crate::as_printed`] removes it.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
        #[serde(untagged)]
        pub enum Answer {
            $($(#[$doc])* $variant($payload),)+
        }

        $(impl From<$payload> for Answer {
            fn from(payload: $payload) -> Self {
                Self::$variant(payload)
            }
        })+

        impl Answer {
            /// Whether the answer is an empty list, a total of 0, or no text at all, which the
            /// envelope reports as `no_matches`. A note without text is not an empty answer.
            pub fn is_empty(&self) -> bool {
                match self { $(Self::$variant(payload) => AnswerPayload::is_empty(payload),)+ }
            }

            /// The list, if the answer is one. A list of an own command is cut by
            /// [`crate::OwnAnswer::keep_first`] instead.
            fn list(&mut self) -> Option<&mut dyn Items> {
                match self { $(Self::$variant(payload) => payload.list(),)+ }
            }

            /// The origin of every text of the answer; `None` if it may have text of other files too.
            pub fn sources(&self) -> Option<Vec<Source<'_>>> {
                match self { $(Self::$variant(payload) => AnswerPayload::sources(payload),)+ }
            }

            /// The number that `total` asks for.
            pub(crate) fn counted(&self) -> Option<usize> {
                match self { $(Self::$variant(payload) => payload.counted(),)+ }
            }

            /// Visits every name of the answer that its text shows in a row: paths, names, targets of
            /// links, tags, aliases, titles. Text of notes (a note, a line that was found, a task, a
            /// heading, the value of a property) is not a name. Own commands of the gateway escape
            /// their rows themselves.
            pub(crate) fn each_name(&mut self, visit: NameVisitor<'_>) {
                match self { $(Self::$variant(payload) => payload.each_name(visit),)+ }
            }

            /// The printed text, without the final newline. Empty answers for which the app prints
            /// a sentence are handled before.
            pub(crate) fn text(&self, form: &AppForm, arguments: &Arguments) -> String {
                match self { $(Self::$variant(payload) => payload.text(form, arguments),)+ }
            }

            /// The answer without the values that its text does not show.
            pub(crate) fn printed_form(self, arguments: &Arguments) -> Self {
                match self { $(Self::$variant(payload) => payload.printed_form(arguments),)+ }
            }
        }
    };
}

answers! {
    /// The confirmation of a change.
    Confirmation(Confirmation),
    /// The text of a note.
    NoteText(NoteText),
    /// A note picked at random.
    RandomNote(RandomNote),
    /// One vault path, such as the path of today's note.
    Path(PathAnswer),
    /// Files: `files`, `recents`, `orphans`, `deadends`, `bases`, `search`, and `base:query` with
    /// `format=paths`.
    Files(List<FileItem>),
    /// The folders of a vault.
    Folders(List<FolderItem>),
    /// Facts about one file.
    FileInfo(FileInfo),
    /// Facts about one folder.
    FolderInfo(FolderInfo),
    /// Facts about the vault.
    VaultInfo(VaultInfo),
    /// The vaults that the app knows.
    Vaults(List<VaultItem>),
    /// The aliases of notes.
    Aliases(List<AliasItem>),
    /// Property names of the vault.
    PropertyNames(List<PropertyItem>),
    /// In how many notes one property occurs.
    PropertyCount(PropertyCount),
    /// The properties of one note.
    NoteProperties(NoteProperties),
    /// The value of one property.
    PropertyValue(PropertyValue),
    /// The tags of the vault or of one note.
    Tags(List<TagItem>),
    /// The files that have one tag.
    TagFiles(TagFiles),
    /// The tasks of the vault or of one note.
    Tasks(List<TaskItem>),
    /// The outgoing links of a file.
    Links(List<LinkItem>),
    /// The files that link to a file.
    Backlinks(List<BacklinkItem>),
    /// The unresolved link texts.
    Unresolved(List<UnresolvedItem>),
    /// The headings of a note.
    Outline(List<HeadingItem>),
    /// The lines that match a query, by file.
    SearchContext(List<SearchContextItem>),
    /// Word and character counts.
    WordCount(WordCount),
    /// Views of a base.
    BaseViews(List<BaseViewItem>),
    /// Rows of a base query.
    BaseRows(BaseRows),
    /// The names of the templates.
    Templates(List<TemplateItem>),
    /// The plugins of the vault.
    Plugins(List<PluginItem>),
    /// Facts about one plugin.
    PluginInfo(PluginInfo),
    /// The open tabs of the app.
    Tabs(List<TabItem>),
    /// The saved workspaces, with the active one.
    Workspaces(List<WorkspaceItem>),
    /// Command ids of the app.
    Commands(List<CommandItem>),
    /// The version of the app and of its installer.
    Version(Version),
    /// The versions of a file that the app keeps.
    History(List<HistoryItem>),
    /// Text whose format is not recorded.
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

    /// The answer to an own command, if it is of this type.
    pub fn as_own<T: OwnAnswer>(&self) -> Option<&T> {
        match self {
            Self::Own(own) => own.downcast_ref(),
            _ => None,
        }
    }

    /// As [`Self::as_own`], to change it.
    pub fn as_own_mut<T: OwnAnswer>(&mut self) -> Option<&mut T> {
        match self {
            Self::Own(own) => own.downcast_mut(),
            _ => None,
        }
    }

    /// Visits every name of the answer, of an own command too: paths, names, targets of links, tags, aliases,
    /// titles.
    pub fn visit_names(&mut self, visit: NameVisitor<'_>) {
        match self {
            // The method of the boxed answer, not that of the box.
            Self::Own(own) => OwnAnswer::each_name(&mut **own, visit),
            other => other.each_name(visit),
        }
    }

    /// Returns the part of its list that it contains; `None` if it is not one of the app's lists.
    pub fn numbers(&mut self) -> Option<ListNumbers> {
        self.list().map(|list| list.numbers())
    }

    /// Its list, of an own command too.
    pub fn any_list(&mut self) -> Option<&mut dyn Items> {
        match self {
            // The method of the boxed answer, not that of the box.
            Self::Own(own) => OwnAnswer::list(&mut **own),
            other => other.list(),
        }
    }

    /// Returns its text, which can be cut.
    pub fn answer_text(&mut self) -> Option<AnswerText<'_>> {
        match self {
            Self::NoteText(note) => Some(AnswerText {
                text: &mut note.content,
                place: &mut note.place,
                sha256: Some(&mut note.sha256),
            }),
            Self::RandomNote(note) => Some(AnswerText {
                text: &mut note.content,
                place: &mut note.place,
                sha256: Some(&mut note.sha256),
            }),
            Self::Raw(raw) => {
                Some(AnswerText { text: &mut raw.text, place: &mut raw.place, sha256: None })
            }
            Self::Own(own) => own.answer_text(),
            _ => None,
        }
    }

    /// Sets the number of items before any limit, including items that the list leaves out.
    pub fn set_total(&mut self, total: usize) {
        if let Some(list) = self.list() {
            list.set_total(total);
        }
    }

    /// Keeps at most `count` items of its list from the one at `skip` on; its total stays. Does
    /// nothing for other answers.
    pub fn window(&mut self, skip: usize, count: usize) {
        if let Some(list) = self.list() {
            list.window(skip, count);
        }
    }
}

/// The origin of the text in a part of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'answer> {
    /// The part has only the path of this file.
    Name(&'answer str),
    /// The part has the path and text of this file.
    Text(&'answer str),
    /// The part has text of the note that the call is about.
    Target,
}

/// A function that is called for each name of an answer.
pub type NameVisitor<'visitor> = &'visitor mut dyn FnMut(&mut String);

/// The methods of a type of answer. Implemented next to its text.
pub(crate) trait AnswerPayload: Into<Answer> {
    /// Whether the answer is empty, as [`Answer::is_empty`] defines it.
    fn is_empty(&self) -> bool {
        false
    }

    /// Its list, if it is one.
    fn list(&mut self) -> Option<&mut dyn Items> {
        None
    }

    /// The origin of every text of the answer, as [`Answer::sources`] defines it.
    fn sources(&self) -> Option<Vec<Source<'_>>> {
        None
    }

    /// The number for the switch `total`, as [`Answer::counted`] gives it.
    fn counted(&self) -> Option<usize> {
        None
    }

    /// Visits the names in the answer, as [`Answer::each_name`] defines them.
    fn each_name(&mut self, _visit: NameVisitor<'_>) {}

    /// The printed text without the final newline, as [`Answer::text`] gives it.
    fn text(&self, form: &AppForm, arguments: &Arguments) -> String;

    /// The answer without the values that its text does not show, as [`Answer::printed_form`].
    fn printed_form(self, _arguments: &Arguments) -> Answer {
        self.into()
    }
}

/// The methods of an item whose list is an answer.
pub(crate) trait AnswerItem: Sized + Serialize {
    /// The origin of every text of the item; `None` if it may have text of other files too.
    fn source(&self) -> Option<Source<'_>> {
        None
    }

    /// Visits the names that the item's row shows.
    fn each_name(&mut self, _visit: NameVisitor<'_>) {}

    /// The number that `total` asks for.
    fn counted(list: &List<Self>) -> usize {
        list.total()
    }

    /// The printed text of a list, without the final newline.
    fn text(list: &List<Self>, form: &AppForm, arguments: &Arguments) -> String;

    /// The list without the values that its text does not show; its numbers then count its items.
    fn printed_form(list: List<Self>, _arguments: &Arguments) -> Answer
    where
        List<Self>: Into<Answer>,
    {
        list.into()
    }
}

impl<T: AnswerItem> AnswerPayload for List<T>
where
    Self: Into<Answer>,
{
    fn is_empty(&self) -> bool {
        Self::is_empty(self)
    }

    fn list(&mut self) -> Option<&mut dyn Items> {
        Some(self)
    }

    fn sources(&self) -> Option<Vec<Source<'_>>> {
        self.items.iter().map(T::source).collect()
    }

    fn counted(&self) -> Option<usize> {
        Some(T::counted(self))
    }

    fn each_name(&mut self, visit: NameVisitor<'_>) {
        for item in &mut self.items {
            item.each_name(visit);
        }
    }

    fn text(&self, form: &AppForm, arguments: &Arguments) -> String {
        T::text(self, form, arguments)
    }

    fn printed_form(self, arguments: &Arguments) -> Answer {
        T::printed_form(Self::new(self.items), arguments)
    }
}

/// Only a number: the answer to `total`, and to a random pick among no notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
// Denies unknown fields, so that a list without its items is not read as a number.
#[schemars(deny_unknown_fields)]
pub struct Total {
    /// Number of items before any limit.
    pub total: usize,
}
