//! The names that have values in an expression.

use crate::value::Value;

/// Names with values: `value`, `index` and `acc` in functions of lists, `values` in summaries.
pub(crate) struct Scope<'scope> {
    names: &'scope [(&'static str, Value)],
    outer: Option<&'scope Scope<'scope>>,
}

impl<'scope> Scope<'scope> {
    pub(crate) fn empty() -> Self {
        Self {
            names: &[],
            outer: None,
        }
    }

    /// Adds names to those of `outer`.
    pub(crate) fn within(
        outer: Option<&'scope Self>,
        names: &'scope [(&'static str, Value)],
    ) -> Self {
        Self { names, outer }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        let mut scope = self;
        loop {
            if let Some((_, value)) = scope.names.iter().find(|(known, _)| *known == name) {
                return Some(value);
            }
            scope = scope.outer?;
        }
    }
}
