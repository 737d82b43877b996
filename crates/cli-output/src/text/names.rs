//! Lists with one name a line.

use crate::answer::{
    Answer, AnswerItem, CommandItem, FolderItem, HistoryItem, List, NameVisitor, TemplateItem,
};
use crate::arguments::Arguments;
use crate::shape::Shape;
use crate::text::body::Body;
use crate::text::error::Fault;

/// One name a line.
pub(crate) fn render<T>(list: &List<T>, name: impl Fn(&T) -> &String) -> String {
    list.items
        .iter()
        .map(|item| name(item).as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Reads one name a line.
pub(crate) fn parse<T>(
    body: Body<'_>,
    shape: Shape,
    item: impl Fn(String) -> T,
) -> Result<List<T>, Fault> {
    body.items(shape, |line| Ok(item(line.to_owned())))
}

/// Reads folder paths.
pub(crate) fn parse_folders(body: Body<'_>) -> Result<Answer, Fault> {
    parse(body, Shape::Folders, |path| FolderItem { path }).map(Answer::Folders)
}

/// Reads template names.
pub(crate) fn parse_templates(body: Body<'_>) -> Result<Answer, Fault> {
    parse(body, Shape::Templates, |name| TemplateItem { name }).map(Answer::Templates)
}

/// Reads command ids.
pub(crate) fn parse_commands(body: Body<'_>) -> Result<Answer, Fault> {
    parse(body, Shape::Commands, |id| CommandItem { id }).map(Answer::Commands)
}

/// Reads the rows of a history, whose layout is not recorded: one version a line.
pub(crate) fn parse_history(body: Body<'_>) -> Result<Answer, Fault> {
    parse(body, Shape::History, |text| HistoryItem { text }).map(Answer::History)
}

impl AnswerItem for FolderItem {
    fn each_name(&mut self, visit: NameVisitor<'_>) {
        visit(&mut self.path);
    }

    fn text(list: &List<Self>, _shape: Shape, _arguments: &Arguments) -> String {
        render(list, |item| &item.path)
    }
}

impl AnswerItem for TemplateItem {
    fn each_name(&mut self, visit: NameVisitor<'_>) {
        visit(&mut self.name);
    }

    fn text(list: &List<Self>, _shape: Shape, _arguments: &Arguments) -> String {
        render(list, |item| &item.name)
    }
}

impl AnswerItem for CommandItem {
    fn each_name(&mut self, visit: NameVisitor<'_>) {
        visit(&mut self.id);
    }

    fn text(list: &List<Self>, _shape: Shape, _arguments: &Arguments) -> String {
        render(list, |item| &item.id)
    }
}

impl AnswerItem for HistoryItem {
    fn text(list: &List<Self>, _shape: Shape, _arguments: &Arguments) -> String {
        render(list, |item| &item.text)
    }
}
