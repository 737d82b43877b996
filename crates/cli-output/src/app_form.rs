//! The properties of one output of the app. Its row is next to the code that renders and parses its
//! text; [`crate::Shape`] lists the rows.

use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::answer::Answer;
use crate::arguments::Arguments;
use crate::text::body::{Body, Empty};
use crate::text::error::{Fault, Reason};
use crate::text::form::on;

/// Parses an output. The number of `total` is parsed elsewhere.
pub(crate) type Parse = fn(Body<'_>, &dyn Arguments) -> Result<Answer, Fault>;

/// Adds a type to the definitions of a schema, and returns a reference to it.
pub(crate) type TypeSchema = fn(&mut SchemaGenerator) -> Schema;

/// The [`TypeSchema`] of one type.
pub(crate) fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// One output of the app.
pub struct AppForm {
    /// Its name in the catalogue, such as `search-context`.
    pub(crate) name: &'static str,
    /// The type of the answer.
    pub(crate) schema: TypeSchema,
    /// Further types that the answer may have, except for the number of `has_total`.
    pub(crate) other_schemas: &'static [TypeSchema],
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
    /// The form of all own commands of the gateway, which no program prints.
    pub(crate) const OWN: Self =
        Self::new::<()>("own", |body, _| Err(body.fault(Reason::NotPrinted)));

    /// A form without `total`, whose output for an empty result is not recorded.
    pub(crate) const fn new<T: JsonSchema>(name: &'static str, parse: Parse) -> Self {
        Self {
            name,
            schema: schema_of::<T>,
            other_schemas: &[],
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
    pub(crate) const fn or(mut self, others: &'static [TypeSchema]) -> Self {
        self.other_schemas = others;
        self
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
    pub(crate) fn is_total(&self, arguments: &dyn Arguments) -> bool {
        let is_counted = |name| arguments.param(name).is_some();
        self.has_total && on(arguments, "total") && !self.total_unless.is_some_and(is_counted)
    }
}

#[cfg(test)]
mod tests {
    use crate::Shape;
    use crate::testing::arguments;

    #[test]
    fn a_property_name_asks_for_its_count_with_or_without_total() {
        let wanted = arguments(&["name=author", "total"]);
        assert!(!Shape::Properties.form().is_total(&wanted));
        assert!(Shape::Tag.form().is_total(&wanted));
        assert!(!Shape::SearchContext.form().is_total(&wanted));
    }
}
