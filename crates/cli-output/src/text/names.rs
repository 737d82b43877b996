//! Lists with one name a line.

use vault_answers::{
    Answer, AnswerItem, CommandItem, FileItem, FolderItem, HistoryItem, List, TemplateItem,
};
use vault_files::Args;

use crate::app_form::{AppForm, PrintedItem};
use crate::text::body::{Body, Empty};
use crate::text::error::Fault;

pub(crate) static FILES: AppForm = files("files", Empty::Silent).with_total();
pub(crate) static RECENTS: AppForm = files("recents", Empty::Says("No recent files.")).with_total();
pub(crate) static ORPHANS: AppForm =
    files("orphans", Empty::Says("No orphan files found.")).with_total();
pub(crate) static DEADENDS: AppForm =
    files("deadends", Empty::Says("No dead-end files found.")).with_total();
pub(crate) static BASES: AppForm = files("bases", Empty::MaySay("No base files found in vault"));
pub(crate) static FOLDERS: AppForm =
    AppForm::new::<List<FolderItem>>("folders", |body, _| parse(body, |path| FolderItem { path }))
        .empty(Empty::Silent)
        .with_total()
        .listing_files();
pub(crate) static TEMPLATES: AppForm =
    AppForm::new::<List<TemplateItem>>("templates", |body, _| {
        parse(body, |name| TemplateItem { name })
    })
    .with_total()
    .listing_files();
pub(crate) static COMMANDS: AppForm =
    AppForm::new::<List<CommandItem>>("commands", |body, _| parse(body, |id| CommandItem { id }));
/// One version a line: the rows' layout is not recorded.
pub(crate) static HISTORY: AppForm = AppForm::new::<List<HistoryItem>>("history", |body, _| {
    parse(body, |text| HistoryItem { text })
})
.empty(Empty::Says("No history found for this file."));

const fn files(name: &'static str, empty: Empty) -> AppForm {
    AppForm::new::<List<FileItem>>(name, parse_files)
        .empty(empty)
        .listing_files()
}

/// One name a line.
pub(crate) fn render<T>(list: &List<T>, name: impl Fn(&T) -> &String) -> String {
    joined(list.items.iter().map(name))
}

/// One line for each item.
pub(crate) fn lines<T>(list: &List<T>, line: impl Fn(&T) -> String) -> String {
    joined(list.items.iter().map(line))
}

/// Lines with a line feed between them.
fn joined(lines: impl Iterator<Item = impl AsRef<str>>) -> String {
    let mut text = String::new();
    for (number, line) in lines.enumerate() {
        if number > 0 {
            text.push('\n');
        }
        text.push_str(line.as_ref());
    }
    text
}

/// Reads one path a line.
pub(crate) fn parse_files(body: Body<'_>, _arguments: &Args) -> Result<Answer, Fault> {
    parse(body, |path| FileItem { path })
}

/// Reads one name a line.
fn parse<T: AnswerItem>(body: Body<'_>, item: impl Fn(String) -> T) -> Result<Answer, Fault> {
    body.items(|line| Ok(item(line.to_owned())))
        .map(Answer::from)
}

/// Implements [`PrintedItem`] for items that are one text a line.
macro_rules! one_text {
    ($($item:ident { $text:ident }),+) => {
        $(impl PrintedItem for $item {
            fn printed(list: &List<Self>, _form: &AppForm, _arguments: &Args) -> String {
                render(list, |item| &item.$text)
            }
        })+
    };
}

one_text!(
    FolderItem { path },
    TemplateItem { name },
    CommandItem { id },
    HistoryItem { text }
);
