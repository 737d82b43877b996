//! The forms of the answers to the gateway's own commands, which the official CLI does not have.

use std::hash::{Hash, Hasher};

use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::answer::AnswerData;

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
    pub const fn new<T: AnswerData + JsonSchema>(name: &'static str) -> Self {
        Self {
            name,
            has_total: false,
            has_text_pages: false,
            budget: None,
            text: OwnText::Summary,
            schema: |generator| generator.subschema_for::<T>(),
        }
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
