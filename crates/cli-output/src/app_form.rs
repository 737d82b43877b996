//! What is to be known of one output of the app. Its row stands beside the text that renders and
//! parses it; [`crate::Shape`] lists the rows.

use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::answer::Answer;
use crate::arguments::Arguments;
use crate::text::body::{Body, Empty};
use crate::text::error::{Fault, Reason};
use crate::text::form::on;

/// Reads an output. `total` is read elsewhere.
pub(crate) type Parse = fn(Body<'_>, &Arguments) -> Result<Answer, Fault>;

/// Adds a type to the definitions of a schema, and gives the reference to it.
pub(crate) type TypeSchema = fn(&mut SchemaGenerator) -> Schema;

/// The [`TypeSchema`] of one type.
pub(crate) fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// One output of the app.
pub(crate) struct AppForm {
    /// The name in the catalogue, `search-context`.
    pub(crate) name: &'static str,
    /// The type that answers it.
    pub(crate) schema: TypeSchema,
    /// The other types that may answer it, but for the number of `has_total`.
    pub(crate) other_schemas: &'static [TypeSchema],
    /// What is printed for an empty result.
    pub(crate) empty: Empty,
    /// Whether `total` turns the answer into a bare number (`official-cli.md` §5, §8).
    pub(crate) has_total: bool,
    /// The parameter beside which `total` changes nothing.
    pub(crate) total_unless: Option<&'static str>,
    /// The sentence that is printed in place of the number 0.
    pub(crate) zero: Option<&'static str>,
    /// Whether `format=json` makes JSON of paths, and of the number of `total`.
    pub(crate) has_json_paths: bool,
    /// Whether its rows name files of the vault other than the one that was asked for.
    pub(crate) lists_files: bool,
    /// Reads it.
    pub(crate) parse: Parse,
}

impl AppForm {
    /// What stands for every own command of the gateway: no program prints it.
    pub(crate) const OWN: Self =
        Self::new::<()>("own", |body, _| Err(body.fault(Reason::NotPrinted)));

    /// A form without `total`, of which nobody has recorded what an empty result prints.
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

    /// With other types that may answer it.
    pub(crate) const fn or(mut self, others: &'static [TypeSchema]) -> Self {
        self.other_schemas = others;
        self
    }

    /// With what is printed for an empty result.
    pub(crate) const fn empty(mut self, empty: Empty) -> Self {
        self.empty = empty;
        self
    }

    /// With a bare number for `total`.
    pub(crate) const fn with_total(mut self) -> Self {
        self.has_total = true;
        self
    }

    /// With a sentence in place of the number 0.
    pub(crate) const fn zero(mut self, sentence: &'static str) -> Self {
        self.zero = Some(sentence);
        self
    }

    /// With rows that name files.
    pub(crate) const fn listing_files(mut self) -> Self {
        self.lists_files = true;
        self
    }

    /// Whether the arguments ask for a number alone.
    pub(crate) fn is_total(&self, arguments: &Arguments) -> bool {
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
        let asked = arguments(&["name=author", "total"]);
        assert!(!Shape::Properties.form().is_total(&asked));
        assert!(Shape::Tag.form().is_total(&asked));
        assert!(!Shape::SearchContext.form().is_total(&asked));
    }
}
