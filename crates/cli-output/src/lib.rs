//! The official CLI's stdout shapes: typed value <-> text (`official-cli.md` §5).

mod answer;
mod app_error;
mod arguments;
mod shape;

pub use answer::{
    AliasItem, Answer, BacklinkItem, BaseRow, BaseViewItem, CommandItem, Confirmation, FileInfo,
    FileItem, FolderInfo, FolderItem, HeadingItem, History, LineMatch, LinkItem, List,
    NoteProperties, NoteText, PathAnswer, PluginInfo, PluginItem, PropertyCount, PropertyItem,
    PropertyValue, RandomNote, RawText, SearchContextItem, TabItem, TagFiles, TagItem, TaskItem,
    TemplateItem, Total, UnresolvedItem, VaultInfo, VaultItem, Version, WordCount, WorkspaceItem,
};
pub use app_error::{AppError, CommandHint};
pub use arguments::Arguments;
pub use shape::Shape;
