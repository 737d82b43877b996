//! The properties of one output of the app. Its row is next to the code that renders and parses its
//! text; [`crate::Shape`] lists the rows.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use vault_answers::{Answer, AnswerData, AnswerItem, List, Total};
use vault_files::Args;

use crate::text::body::{Body, Empty};
use crate::text::error::{Fault, Reason};
use crate::text::form::on;

/// Parses an output. The number of `total` is parsed elsewhere.
pub(crate) type Parse = fn(Body<'_>, &Args) -> Result<Answer, Fault>;

/// The app's text of one type of answer.
pub(crate) trait Printed: AnswerData + Sized {
    /// The printed text, without the final newline. Empty answers for which the app prints a sentence are handled
    /// before.
    fn printed(&self, form: &AppForm, arguments: &Args) -> String;

    /// Returns the answer with only the values that its text shows.
    fn printed_form(self, _arguments: &Args) -> Answer {
        self.into()
    }
}

/// The app's text of a list of one type of items.
pub(crate) trait PrintedItem: AnswerItem {
    /// As [`Printed::printed`].
    fn printed(list: &List<Self>, form: &AppForm, arguments: &Args) -> String;

    /// Returns the item with only the values that its text shows.
    #[must_use]
    fn shown(self, _arguments: &Args) -> Self {
        self
    }

    /// Returns the list with only the values that its text shows. Its numbers count the items that are left.
    fn printed_form(list: List<Self>, arguments: &Args) -> Answer {
        list.map(|item| item.shown(arguments)).into()
    }
}

impl<T: PrintedItem> Printed for List<T> {
    fn printed(&self, form: &AppForm, arguments: &Args) -> String {
        T::printed(self, form, arguments)
    }

    fn printed_form(self, arguments: &Args) -> Answer {
        T::printed_form(Self::new(self.items), arguments)
    }
}

/// A type of answer that the app prints.
#[derive(Clone, Copy)]
pub(crate) struct AnswerType {
    /// Adds the type to the definitions of a schema, and returns a reference to it.
    pub(crate) schema: fn(&mut SchemaGenerator) -> Schema,
    /// [`Printed::printed`] of an answer of this type; `None` for other answers.
    pub(crate) printed: fn(&Answer, &AppForm, &Args) -> Option<String>,
    /// [`Printed::printed_form`] of an answer of this type; any other answer is the error.
    pub(crate) printed_form: fn(Answer, &Args) -> Result<Answer, Answer>,
}

impl AnswerType {
    /// Returns the type `T`.
    pub(crate) const fn of<T: Printed + JsonSchema>() -> Self {
        Self {
            schema: |generator| generator.subschema_for::<T>(),
            printed: |answer, form, arguments| {
                Some(answer.downcast_ref::<T>()?.printed(form, arguments))
            },
            printed_form: |answer, arguments| Ok(answer.downcast::<T>()?.printed_form(arguments)),
        }
    }
}

/// One output of the app.
pub(crate) struct AppForm {
    /// Its name in the catalogue, such as `search-context`.
    pub(crate) name: &'static str,
    /// The type of the answer.
    pub(crate) answer: AnswerType,
    /// Further types that the answer may have, except for the number of `has_total`.
    pub(crate) others: &'static [AnswerType],
    /// The output for an empty result.
    pub(crate) empty: Empty,
    /// Whether `total` turns the answer into a bare number (`official-cli.md` §5, §8).
    pub(crate) has_total: bool,
    /// A parameter with which `total` has no effect.
    pub(crate) total_unless: Option<&'static str>,
    /// The sentence that the app prints for the number 0.
    pub(crate) zero: Option<&'static str>,
    /// Whether `format=json` prints paths, and the number of `total`, as JSON.
    pub(crate) has_json_paths: bool,
    /// Whether its rows name other files of the vault than the file that the command names.
    pub(crate) lists_files: bool,
    /// Parses the text of this output.
    pub(crate) parse: Parse,
}

impl AppForm {
    /// The form of all own commands of the gateway, which no program prints. Their answers have other types than its
    /// own.
    pub(crate) const OWN: Self =
        Self::new::<Total>("own", |body, _| Err(body.fault(Reason::NotPrinted)));

    /// A form without `total`, whose output for an empty result is not recorded.
    pub(crate) const fn new<T: Printed + JsonSchema>(name: &'static str, parse: Parse) -> Self {
        Self {
            name,
            answer: AnswerType::of::<T>(),
            others: &[],
            empty: Empty::Unrecorded,
            has_total: false,
            total_unless: None,
            zero: None,
            has_json_paths: false,
            lists_files: false,
            parse,
        }
    }

    /// Adds further types that the answer may have.
    pub(crate) const fn or(mut self, others: &'static [AnswerType]) -> Self {
        self.others = others;
        self
    }

    /// The types that the answer may have, except for the number of `has_total`.
    pub(crate) fn answers(&self) -> impl Iterator<Item = AnswerType> {
        [self.answer].into_iter().chain(self.others.iter().copied())
    }

    /// Sets the output for an empty result.
    pub(crate) const fn empty(mut self, empty: Empty) -> Self {
        self.empty = empty;
        self
    }

    /// Makes `total` print a bare number.
    pub(crate) const fn with_total(mut self) -> Self {
        self.has_total = true;
        self
    }

    /// Sets the sentence for the number 0.
    pub(crate) const fn zero(mut self, sentence: &'static str) -> Self {
        self.zero = Some(sentence);
        self
    }

    /// Declares that the rows name files.
    pub(crate) const fn listing_files(mut self) -> Self {
        self.lists_files = true;
        self
    }

    /// Whether the arguments ask only for a number.
    pub(crate) fn is_total(&self, arguments: &Args) -> bool {
        let is_counted = |name| arguments.param(name).is_some();
        self.has_total && on(arguments, "total") && !self.total_unless.is_some_and(is_counted)
    }
}

#[cfg(test)]
mod tests {
    use vault_files::testing::arguments;

    use crate::Shape;

    #[test]
    fn a_property_name_asks_for_its_count_with_or_without_total() {
        let wanted = arguments("properties", ["name=author", "total"]);
        assert!(!Shape::Properties.form().is_total(&wanted));
        assert!(Shape::Tag.form().is_total(&wanted));
        assert!(!Shape::SearchContext.form().is_total(&wanted));
    }
}
