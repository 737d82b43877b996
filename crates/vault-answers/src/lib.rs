//! The answers to all commands as data: what an envelope carries.
//!
//! The types of the app's answers are here. The types of the answers to own commands are in `vault-questions` and
//! `vault-edits`, one file for each command. The texts that the app prints are in `cli-output`.

mod answer;
mod app;
mod confirmation;
mod files;
mod links;
mod list;
mod metadata;
mod own_form;
mod place;
mod search;
mod task_fields;
mod vaults;

pub use answer::{
    Answer, AnswerData, AnswerItem, AnyAnswer, NameVisitor, Names, Source, Total, names,
};
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
pub use own_form::{OwnForm, OwnText};
pub use place::{AnswerText, PlaceInText};
pub use search::{LineMatch, SearchContextItem};
pub use task_fields::{TaskField, TaskFieldPlace, TaskFields, TaskPriority};
pub use vaults::{VaultInfo, VaultItem};
