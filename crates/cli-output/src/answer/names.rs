//! The names in an answer: what a row of its text shows besides numbers and text of notes.

use serde_json::Value;

use super::{Answer, Confirmation, LinkItem};

impl Answer {
    /// Visits every name of the answer that its text shows in a row: paths, names, targets of links,
    /// tags, aliases, titles. Text of notes (a note, a line that was found, a task, a heading, the value
    /// of a property) is not a name. Own commands of the gateway escape their rows themselves.
    pub(crate) fn each_name(&mut self, visit: &mut dyn FnMut(&mut String)) {
        match self {
            Self::Confirmation(done) => confirmed(done, visit),
            Self::RandomNote(note) => visit(&mut note.path),
            Self::Path(answer) => visit(&mut answer.path),
            Self::Files(list) => each(&mut list.items, |item| visit(&mut item.path)),
            Self::Folders(list) => each(&mut list.items, |item| visit(&mut item.path)),
            Self::FileInfo(info) => {
                each([&mut info.path, &mut info.name, &mut info.extension], visit);
            }
            Self::FolderInfo(info) => each(&mut info.path, visit),
            Self::VaultInfo(info) => each(info.name.iter_mut().chain(&mut info.path), visit),
            Self::Vaults(list) => each(&mut list.items, |item| {
                visit(&mut item.name);
                each(&mut item.path, &mut *visit);
            }),
            Self::Aliases(list) => each(&mut list.items, |item| {
                visit(&mut item.alias);
                each(item.paths.iter_mut().flatten(), &mut *visit);
            }),
            Self::PropertyNames(list) => each(&mut list.items, |item| visit(&mut item.name)),
            Self::Tags(list) => each(&mut list.items, |item| visit(&mut item.tag)),
            Self::TagFiles(tag) => {
                visit(&mut tag.tag);
                each(&mut tag.files.items, |item| visit(&mut item.path));
            }
            Self::Tasks(list) => each(&mut list.items, |item| each(&mut item.path, &mut *visit)),
            Self::Links(list) => each(&mut list.items, |item| match item {
                LinkItem::File { path } => visit(path),
                LinkItem::Unresolved { target } => visit(target),
            }),
            Self::Backlinks(list) => each(&mut list.items, |item| visit(&mut item.path)),
            Self::Unresolved(list) => each(&mut list.items, |item| {
                visit(&mut item.link);
                each(item.sources.iter_mut().flatten(), &mut *visit);
            }),
            Self::SearchContext(list) => each(&mut list.items, |item| visit(&mut item.path)),
            Self::BaseViews(list) => each(&mut list.items, |item| visit(&mut item.name)),
            Self::BaseRows(list) => each(&mut list.items, |row| {
                each(row.cells.values_mut(), |cell| {
                    if let Value::String(text) = cell {
                        visit(text);
                    }
                });
            }),
            Self::Templates(list) => each(&mut list.items, |item| visit(&mut item.name)),
            Self::Plugins(list) => each(&mut list.items, |item| {
                visit(&mut item.id);
                each(&mut item.version, &mut *visit);
            }),
            Self::PluginInfo(info) => {
                visit(&mut info.name);
                let more = [&mut info.version, &mut info.author, &mut info.description];
                each(more.into_iter().flatten(), visit);
            }
            Self::Tabs(list) => each(&mut list.items, |item| {
                visit(&mut item.view);
                visit(&mut item.title);
                each(&mut item.id, &mut *visit);
            }),
            Self::Workspaces(list) => each(&mut list.items, |item| visit(&mut item.name)),
            Self::Commands(list) => each(&mut list.items, |item| visit(&mut item.id)),
            Self::NoteText(_)
            | Self::PropertyCount(_)
            | Self::NoteProperties(_)
            | Self::PropertyValue(_)
            | Self::Outline(_)
            | Self::WordCount(_)
            | Self::Version(_)
            | Self::History(_)
            | Self::Raw(_)
            | Self::Total(_)
            | Self::Own(_) => {}
        }
    }
}

fn each<'a, T: 'a>(items: impl IntoIterator<Item = &'a mut T>, visit: impl FnMut(&'a mut T)) {
    items.into_iter().for_each(visit);
}

fn confirmed(done: &mut Confirmation, visit: &mut dyn FnMut(&mut String)) {
    match done {
        Confirmation::Created { path: name }
        | Confirmation::Overwrote { path: name }
        | Confirmation::Appended { path: name }
        | Confirmation::Prepended { path: name }
        | Confirmation::Trashed { path: name }
        | Confirmation::Deleted { path: name }
        | Confirmation::Opened { path: name }
        | Confirmation::PropertySet { property: name, .. }
        | Confirmation::PropertyRemoved { property: name }
        | Confirmation::OpenedUrl { url: name }
        | Confirmation::OpenedSearch { query: name }
        | Confirmation::OpenedView { view: name }
        | Confirmation::Executed { id: name }
        | Confirmation::WorkspaceSaved { workspace: name }
        | Confirmation::WorkspaceLoaded { workspace: name }
        | Confirmation::WorkspaceDeleted { workspace: name } => visit(name),
        Confirmation::Moved { path, destination } | Confirmation::Renamed { path, destination } => {
            visit(path);
            visit(destination);
        }
        Confirmation::OpenedTab | Confirmation::Reloading => {}
    }
}
