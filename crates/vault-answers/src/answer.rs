//! Answers of every type, and what each can do.

use std::any::Any;
use std::fmt;
use std::ops::{Deref, DerefMut};

use obsidian_note::shown;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::list::{Items, List, ListNumbers};
use crate::place::AnswerText;

/// The answer to a command, of the app's and of the gateway's own, or of the gateway itself: a question about it, a
/// dry run, an undo.
///
/// Serialises as its value alone, which is the envelope's `data`. Counts, lines and totals are numbers here even if the
/// app prints strings (`official-cli.md` §5). Paths are vault paths unless a field says otherwise.
pub struct Answer(Box<dyn AnswerData>);

impl<T: AnswerData> From<T> for Answer {
    fn from(answer: T) -> Self {
        Self(Box::new(answer))
    }
}

impl Answer {
    /// Whether it is of this type.
    pub fn is<T: AnswerData>(&self) -> bool {
        self.downcast_ref::<T>().is_some()
    }

    /// Returns the answer, if it is of this type.
    pub fn downcast_ref<T: AnswerData>(&self) -> Option<&T> {
        (self.0.as_ref() as &dyn Any).downcast_ref()
    }

    /// As [`Self::downcast_ref`], to change it.
    pub fn downcast_mut<T: AnswerData>(&mut self) -> Option<&mut T> {
        (self.0.as_mut() as &mut dyn Any).downcast_mut()
    }

    /// As [`Self::downcast_ref`], without a copy.
    ///
    /// # Errors
    ///
    /// The answer, if it is not of this type.
    pub fn downcast<T: AnswerData>(self) -> Result<T, Self> {
        if !self.is::<T>() {
            return Err(self);
        }
        match (self.0 as Box<dyn Any>).downcast() {
            Ok(answer) => Ok(*answer),
            Err(_) => unreachable!("its type was checked"),
        }
    }

    /// Returns the part of its list that it contains; `None` if it is not a list.
    pub fn numbers(&mut self) -> Option<ListNumbers> {
        self.list().map(|list| list.numbers())
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

impl Deref for Answer {
    type Target = dyn AnswerData;

    fn deref(&self) -> &Self::Target {
        self.0.as_ref()
    }
}

impl DerefMut for Answer {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0.as_mut()
    }
}

impl Clone for Answer {
    fn clone(&self) -> Self {
        self.0.copy()
    }
}

impl PartialEq for Answer {
    fn eq(&self, other: &Self) -> bool {
        self.0.equals(other.0.as_ref())
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        erased_serde::serialize(self.0.as_ref(), serializer)
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

/// A field of an answer that has names, or may have some.
#[doc(hidden)]
pub trait Names {
    /// Calls `visit` for each name.
    fn each_name(&mut self, visit: NameVisitor<'_>);
}

impl Names for String {
    fn each_name(&mut self, visit: NameVisitor<'_>) {
        visit(self);
    }
}

impl<T: Names> Names for Option<T> {
    fn each_name(&mut self, visit: NameVisitor<'_>) {
        if let Some(names) = self {
            names.each_name(visit);
        }
    }
}

impl<T: Names> Names for Vec<T> {
    fn each_name(&mut self, visit: NameVisitor<'_>) {
        for names in self {
            names.each_name(visit);
        }
    }
}

/// The method of an answer or of an item that visits the names in these fields.
#[doc(hidden)]
#[macro_export]
macro_rules! __names {
    ($($field:ident),+) => {
        fn each_name(&mut self, visit: $crate::NameVisitor<'_>) {
            $($crate::Names::each_name(&mut self.$field, visit);)+
        }
    };
}
pub use __names as names;

/// The methods of a type of answer. Implemented next to its text.
pub trait AnswerData: AnyAnswer {
    /// The text for people of an own command's answer, without a final newline. A name in a row is escaped by
    /// [`obsidian_note::shown::row`]. Empty for an answer of the gateway itself, whose text is not made from the answer alone.
    fn text(&self) -> String {
        String::new()
    }

    /// Whether nothing was found, which the envelope reports as `no_matches`: an empty list, or a total of 0. A note
    /// without text is not an empty answer.
    fn is_empty(&self) -> bool {
        false
    }

    /// Returns the number of files that would change; `None` unless it is the plan of a dry run.
    fn planned_files(&self) -> Option<usize> {
        None
    }

    /// Its list, if it is one.
    fn list(&mut self) -> Option<&mut dyn Items> {
        None
    }

    /// Returns its text, which can be cut.
    fn answer_text(&mut self) -> Option<AnswerText<'_>> {
        None
    }

    /// The origin of every text of the answer; `None` if it may have text of other files too.
    fn sources(&self) -> Option<Vec<Source<'_>>> {
        None
    }

    /// The number that `total` asks for.
    fn counted(&self) -> Option<usize> {
        None
    }

    /// Visits every name of the answer: paths, targets of links, tags, aliases, titles. Text of notes (a note, a line
    /// that was found, a task, a heading, the value of a property) is not a name.
    fn each_name(&mut self, _visit: NameVisitor<'_>) {}

    /// Returns the number of its items; `None` without items, or if they cannot be cut.
    fn items(&mut self) -> Option<usize> {
        self.list().map(|list| list.numbers().returned)
    }

    /// Keeps the first `count` items; the totals stay.
    fn keep_first(&mut self, count: usize) {
        if let Some(list) = self.list() {
            list.window(0, count);
        }
    }
}

/// Methods that trait objects of [`AnswerData`] also need. Implemented for every suitable type.
pub trait AnyAnswer: Any + fmt::Debug + Send + Sync + erased_serde::Serialize {
    /// The answer as the envelope's `data`.
    fn to_json(&self) -> Value;
    /// A copy of it.
    fn copy(&self) -> Answer;
    /// Whether `other` has the same type and value.
    fn equals(&self, other: &dyn AnswerData) -> bool;
}

impl<T: AnswerData + Serialize + Clone + PartialEq> AnyAnswer for T {
    fn to_json(&self) -> Value {
        // It fails only for maps with keys that are not texts, which answers do not contain.
        serde_json::to_value(self).unwrap_or_default()
    }

    fn copy(&self) -> Answer {
        self.clone().into()
    }

    fn equals(&self, other: &dyn AnswerData) -> bool {
        (other as &dyn Any).downcast_ref() == Some(self)
    }
}

/// The methods of an item whose list is an answer.
pub trait AnswerItem: Serialize + Clone + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The cells of its row in the text of an own command's list.
    fn cells(&self) -> Vec<String> {
        Vec::new()
    }

    /// The origin of every text of the item; `None` if it may have text of other files too.
    fn source(&self) -> Option<Source<'_>> {
        None
    }

    /// Visits the names in the item, as [`AnswerData::each_name`] does.
    fn each_name(&mut self, _visit: NameVisitor<'_>) {}

    /// The number that `total` asks for.
    fn counted(list: &List<Self>) -> usize {
        list.total()
    }
}

impl<T: AnswerItem> AnswerData for List<T> {
    fn text(&self) -> String {
        shown::rows(self.items.iter().map(T::cells))
    }

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

impl AnswerData for Total {
    fn sources(&self) -> Option<Vec<Source<'_>>> {
        Some(Vec::new())
    }

    fn is_empty(&self) -> bool {
        self.total == 0
    }

    fn counted(&self) -> Option<usize> {
        Some(self.total)
    }
}
