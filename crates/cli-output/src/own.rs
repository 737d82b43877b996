//! Answers to the gateway's own commands, which the official CLI does not have, and of the gateway
//! itself: a question about it, a dry run, an undo.
//!
//! The commands are in `vault-engine`, one file each: types, schema, text and the function that
//! answers. This module defines the traits of their answers, so that no list names the commands
//! here. No program prints these answers, so they have a text for people and one line of JSON, and
//! are never parsed.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::answer::{AnswerText, Items, List, NameVisitor, Source};
use crate::shown;

/// The amount of text of an own command compared with its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnText {
    /// Less: it is for people.
    Summary,
    /// Texts of notes, to which the data adds nothing.
    Notes,
    /// Findings, which are in the envelope's `violations` and `advice` and not in its data.
    Findings,
}

/// The output form of one own command.
#[derive(Clone, Copy, Debug)]
pub struct OwnForm {
    /// The name in the catalogue's `output` key and of the published schema, such as
    /// `note-outline`.
    pub name: &'static str,
    /// Whether the switch `total` turns the answer into a bare number.
    pub has_total: bool,
    /// Whether a request can continue a cut answer with `offset`, in characters. Lists have other
    /// parameters for that.
    pub has_text_pages: bool,
    /// The default of the parameter `budget`, in characters of the answer; `None` if the command
    /// has no such parameter.
    pub budget: Option<usize>,
    /// The amount of text.
    pub text: OwnText,
    /// The schema of the answer's type.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

impl OwnForm {
    /// The form of answers of one type, without `total`.
    pub const fn new<T: OwnAnswer + JsonSchema>(name: &'static str) -> Self {
        Self {
            name,
            has_total: false,
            has_text_pages: false,
            budget: None,
            text: OwnText::Summary,
            schema: |generator| generator.subschema_for::<T>(),
        }
    }

    /// The same form, in which `total` gives a bare number.
    #[must_use]
    pub const fn with_total(self) -> Self {
        Self { has_total: true, ..self }
    }

    /// The same form, for a command that keeps its answer within a budget.
    #[must_use]
    pub const fn with_budget(self, budget: usize) -> Self {
        Self { budget: Some(budget), ..self }
    }

    /// Returns the same form with this kind of text.
    #[must_use]
    pub const fn telling(self, text: OwnText) -> Self {
        Self { text, ..self }
    }

    /// The same form, whose cut answers continue with `offset`, in characters.
    #[must_use]
    pub const fn with_text_pages(self) -> Self {
        Self { has_text_pages: true, ..self }
    }
}

// Names are unique; the address of a function is not.
impl PartialEq for OwnForm {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for OwnForm {}

impl Hash for OwnForm {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// The answer to an own command. It serialises as the envelope's `data`.
pub trait OwnAnswer: OwnValue {
    /// The text for people, without a final newline. A name in a row is escaped by [`shown::row`].
    /// Empty for an answer of the gateway itself, whose text is not made from the answer alone.
    fn text(&self) -> String {
        String::new()
    }

    /// Whether nothing was found, which the envelope reports as `no_matches`.
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

    /// The origin of every text in it; `None` if it may have text of other files too.
    fn sources(&self) -> Option<Vec<Source<'_>>> {
        None
    }

    /// Visits the names in it: paths, targets of links, tags, titles. A text of a note is not a name.
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

/// Methods that trait objects of [`OwnAnswer`] also need. Implemented for every suitable type.
pub trait OwnValue: Any + fmt::Debug + Send + Sync {
    /// The answer as the envelope's `data`.
    fn to_json(&self) -> Value;
    /// A copy in a box of its own.
    fn boxed(&self) -> Box<dyn OwnAnswer>;
    /// Whether `other` has the same type and value.
    fn equals(&self, other: &dyn OwnAnswer) -> bool;
}

impl<T: OwnAnswer + Serialize + Clone + PartialEq> OwnValue for T {
    fn to_json(&self) -> Value {
        // It fails only for maps with keys that are not texts, which answers do not contain.
        serde_json::to_value(self).unwrap_or_default()
    }

    fn boxed(&self) -> Box<dyn OwnAnswer> {
        Box::new(self.clone())
    }

    fn equals(&self, other: &dyn OwnAnswer) -> bool {
        (other as &dyn Any).downcast_ref() == Some(self)
    }
}

/// One item of a list that an own command answers with.
pub trait OwnItem: Serialize + Clone + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The cells of its row of text.
    fn cells(&self) -> Vec<String>;

    /// The origin of every text in it; `None` if it may have text of other files too.
    fn source(&self) -> Option<Source<'_>> {
        None
    }

    /// Visits the names in it, as [`OwnAnswer::each_name`] does.
    fn each_name(&mut self, _visit: NameVisitor<'_>) {}
}

impl<T: OwnItem> OwnAnswer for List<T> {
    fn text(&self) -> String {
        shown::rows(self.items.iter().map(OwnItem::cells))
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

    fn each_name(&mut self, visit: NameVisitor<'_>) {
        for item in &mut self.items {
            item.each_name(visit);
        }
    }
}

/// The answer to any own command.
pub struct Own(Box<dyn OwnAnswer>);

impl Own {
    /// Wraps the answer of an own command.
    pub fn new(answer: impl OwnAnswer) -> Self {
        Self(Box::new(answer))
    }

    /// The answer, if it is of this type.
    pub fn downcast_ref<T: OwnAnswer>(&self) -> Option<&T> {
        (self.0.as_ref() as &dyn Any).downcast_ref()
    }

    /// As [`Self::downcast_ref`], to change it.
    pub(crate) fn downcast_mut<T: OwnAnswer>(&mut self) -> Option<&mut T> {
        (self.0.as_mut() as &mut dyn Any).downcast_mut()
    }
}

impl Deref for Own {
    type Target = dyn OwnAnswer;

    fn deref(&self) -> &Self::Target {
        self.0.as_ref()
    }
}

impl DerefMut for Own {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0.as_mut()
    }
}

impl Clone for Own {
    fn clone(&self) -> Self {
        // Through the trait object, because the box itself may implement the trait too.
        Self(self.0.as_ref().boxed())
    }
}

impl PartialEq for Own {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_ref().equals(other.0.as_ref())
    }
}

impl Eq for Own {}

impl fmt::Debug for Own {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl Serialize for Own {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::arguments;
    use crate::{Answer, Shape, render};

    #[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
    struct Named {
        name: &'static str,
    }

    impl OwnItem for Named {
        fn cells(&self) -> Vec<String> {
            vec![self.name.to_owned(), String::new()]
        }
    }

    static FORM: OwnForm = OwnForm::new::<List<Named>>("named").with_total();

    #[test]
    fn an_own_list_has_rows_json_and_a_schema() {
        let list = List::new(vec![Named { name: "a\nb" }, Named { name: "c" }]);
        let shape = Shape::Own(&FORM);
        let mut own = Own::new(list.clone());
        assert_eq!(own.downcast_ref(), Some(&list));
        assert_eq!(own, Own::new(list));
        let answer = Answer::Own(own.clone());
        assert_eq!(render(&answer, shape, &arguments(&[])), "a\\u{a}b\nc\n");
        let text = render(&answer, shape, &arguments(&["format=json"]));
        assert_eq!(
            text,
            "{\"total\":2,\"returned\":2,\"offset\":0,\"truncated\":false,\"items\":[{\"name\":\"a\\nb\"},{\"name\":\"c\"}]}\n"
        );
        own.keep_first(1);
        assert_ne!(Answer::Own(own.clone()), answer);
        assert_eq!((own.items(), own.is_empty()), (Some(1), false));
        assert_eq!(shape.schema().to_value()["title"], json!("named"));
    }
}
