//! Names, fields and indexes: the parts before and after a dot.

use std::sync::Arc;

use serde_json::Value as Json;

use super::call::{Call, Method, dispatch};
use super::error::{ExpressionError, Outcome, no_field, no_function};
use super::evaluation::Evaluation;
use super::scope::Scope;
use super::setting::{Setting, This};
use super::{dates, files, lists, numbers, objects, texts};
use crate::notes::{FileNumber, PropertyKind};
use crate::number;
use crate::syntax::{Access, Node};
use crate::value::{FromProperty, Object, Value};

/// Reads the value of a property in a file.
fn value_of(setting: &Setting<'_>, file: FileNumber, name: &str, json: &Json) -> Value {
    let kind = match name.to_ascii_lowercase().as_str() {
        "tags" | "tag" => PropertyKind::Tags,
        _ => setting.notes.property_kind(name),
    };
    let zone = setting.zone();
    FromProperty { file, kind, zone }.value(json)
}

const NO_THIS: &str = "`this` is the active file here, which only the app knows";

impl Evaluation<'_> {
    pub(super) fn name(&self, name: &str, scope: &Scope<'_>) -> Outcome {
        if let Some(value) = scope.get(name) {
            return Ok(value.clone());
        }
        match name {
            "file" => Ok(Value::File(self.file)),
            "note" => self.properties(self.file),
            "this" => match self.setting.this {
                This::File(file) => Ok(Value::File(file)),
                This::Unknown => Err(ExpressionError::new(NO_THIS)),
            },
            "formula" => self.all_formulas(),
            _ => self.property(self.file, name),
        }
    }

    /// A property of a file. Charges for reading it.
    pub(crate) fn property(&self, file: FileNumber, name: &str) -> Outcome {
        self.spent
            .weigh(self.setting.notes.properties_weight(file))?;
        let json = self.setting.notes.property(file, name);
        let value = json.map(|json| value_of(self.setting, file, name, &json));
        self.made(value.unwrap_or_default())
    }

    /// All properties of a file. Charges for reading them.
    pub(super) fn properties(&self, file: FileNumber) -> Outcome {
        self.spent
            .weigh(self.setting.notes.properties_weight(file))?;
        let entries = self.setting.notes.properties(file);
        let entry = |(name, json): (&String, &Json)| {
            let value = value_of(self.setting, file, name, json);
            (Arc::from(name.as_str()), value)
        };
        self.made(Value::Object(Object::new(
            entries.iter().map(entry).collect(),
        )))
    }

    /// The value of a formula, evaluated once for each file.
    pub(crate) fn formula(&self, name: &str) -> Outcome {
        if let Some(known) = self.formulas.borrow().get(name) {
            return known.clone();
        }
        let Some((name, expression)) = self.setting.formulas.get_key_value(name) else {
            return Ok(Value::Null);
        };
        let name: Arc<str> = name.as_str().into();
        let expression = expression
            .as_ref()
            .map_err(|error| ExpressionError::new(error.to_string()))?;
        let cycle = ExpressionError::new(format!("Circular reference in formula \"{name}\""));
        self.formulas
            .borrow_mut()
            .insert(Arc::clone(&name), Err(cycle));
        let outcome = self.node(&expression.root, &Scope::empty());
        self.formulas.borrow_mut().insert(name, outcome.clone());
        outcome
    }

    fn all_formulas(&self) -> Outcome {
        let mut names: Vec<&String> = self.setting.formulas.keys().collect();
        names.sort_unstable();
        let entry = |name: &String| Ok((Arc::from(name.as_str()), self.formula(name)?));
        let entries: Result<Vec<_>, ExpressionError> = names.into_iter().map(entry).collect();
        self.made(Value::Object(Object::new(entries?)))
    }

    pub(super) fn access(&self, base: &Node, steps: &[Access], scope: &Scope<'_>) -> Outcome {
        let (mut value, rest) = match self.first_step(base, steps, scope)? {
            Some(found) => found,
            None => (self.node(base, scope)?, steps),
        };
        for step in rest {
            self.spent.step()?;
            value = match step {
                Access::Field(name) => self.field(&value, name)?,
                Access::Place(place) => {
                    let place = self.node(place, scope)?;
                    self.place(&value, &place)?
                }
                Access::Method(name, arguments) => {
                    let call = Call {
                        evaluation: self,
                        arguments,
                        scope,
                    };
                    method(&call, &value, name)?
                }
            };
        }
        Ok(value)
    }

    /// `note.x`, `formula.x` and `this.x` are looked up directly: building the object of all
    /// properties or formulas would be expensive.
    fn first_step<'steps>(
        &self,
        base: &Node,
        steps: &'steps [Access],
        scope: &Scope<'_>,
    ) -> Result<Option<(Value, &'steps [Access])>, ExpressionError> {
        let Node::Name(space) = base else {
            return Ok(None);
        };
        let Some((first, rest)) = steps.split_first() else {
            return Ok(None);
        };
        if !matches!(&**space, "note" | "formula" | "this") || scope.get(space).is_some() {
            return Ok(None);
        }
        let name = match first {
            Access::Field(name) => Arc::clone(name),
            Access::Place(place) => self.text_of(&self.node(place, scope)?)?,
            Access::Method(..) => return Ok(None),
        };
        let value = match &**space {
            "note" => self.property(self.file, &name)?,
            "formula" => self.formula(&name)?,
            _ => self.field_of_this(&name)?,
        };
        Ok(Some((value, rest)))
    }

    /// `this.file`, or else a property of that file.
    fn field_of_this(&self, name: &str) -> Outcome {
        let This::File(file) = self.setting.this else {
            return Err(ExpressionError::new(NO_THIS));
        };
        match name {
            "file" => Ok(Value::File(file)),
            _ => match self.setting.notes.property(file, name) {
                Some(_) => self.property(file, name),
                None => self.field(&Value::File(file), name).or(Ok(Value::Null)),
            },
        }
    }

    fn place(&self, value: &Value, place: &Value) -> Outcome {
        if let (Value::List(list), Value::Number(at)) = (value, place) {
            let is_place = *at >= 0.0 && at.fract() == 0.0;
            let found = list.items().get(number::whole(*at)).filter(|_| is_place);
            return Ok(found.cloned().unwrap_or(Value::Null));
        }
        let name = self.text_of(place)?;
        self.field(value, &name)
    }

    fn field(&self, value: &Value, name: &str) -> Outcome {
        match value {
            Value::Null => Ok(Value::Null),
            Value::Object(object) => Ok(object.get(name)),
            Value::File(file) => files::field(self, *file, name),
            Value::Date(date) => dates::field(self, *date, name),
            Value::Duration(duration) => duration
                .in_unit(name)
                .map(Value::Number)
                .ok_or_else(|| no_field(name, "Duration")),
            Value::List(list) if name == "length" => {
                Ok(Value::Number(number::from_count(list.items().len())))
            }
            Value::List(list) if name.bytes().all(|byte| byte.is_ascii_digit()) => {
                let found = name.parse().ok().and_then(|at: usize| list.items().get(at));
                Ok(found.cloned().unwrap_or(Value::Null))
            }
            other => match other.characters().filter(|_| name == "length") {
                Some(text) => {
                    let units = text.encode_utf16().count();
                    Ok(Value::Number(number::from_count(units)))
                }
                None => Err(no_field(name, other.kind())),
            },
        }
    }
}

/// Calls a method of a value: one that every value has, or one of its type. Links, tags, images and
/// similar values have the methods of texts too. A missing value gives null for all other methods
/// (`vault-semantics.md` §5.3).
fn method(call: &Call<'_>, value: &Value, name: &str) -> Outcome {
    match name {
        "isTruthy" => return Ok(Value::Boolean(value.is_truthy())),
        "isEmpty" => return Ok(Value::Boolean(value.is_empty())),
        "toString" => return call.evaluation.text_of(value).map(Value::Text),
        "isType" => {
            let wanted = call.text(0)?;
            let is_it = wanted.eq_ignore_ascii_case(value.kind());
            let is_tag = matches!(value, Value::Tag(_)) && wanted.eq_ignore_ascii_case("tag");
            return Ok(Value::Boolean(is_it || is_tag));
        }
        _ => {}
    }
    let kind = value.kind();
    match value {
        Value::Number(number) => dispatch(numbers::METHODS, kind, name, call, number),
        Value::Date(date) => dispatch(dates::METHODS, kind, name, call, date),
        Value::List(list) => dispatch(lists::METHODS, kind, name, call, list),
        Value::Object(object) => dispatch(objects::METHODS, kind, name, call, object),
        Value::File(file) => dispatch(files::METHODS, kind, name, call, file),
        Value::Link(link) if has(files::LINK_METHODS, name) => {
            dispatch(files::LINK_METHODS, kind, name, call, link)
        }
        Value::Regexp(regexp) => dispatch(texts::REGEXP_METHODS, kind, name, call, regexp),
        Value::Null if is_method(name) => Ok(Value::Null),
        other => match other.characters() {
            Some(text) => dispatch(texts::METHODS, kind, name, call, text),
            None => Err(no_function(name, kind)),
        },
    }
}

fn has<T>(methods: &[Method<T>], name: &str) -> bool {
    methods.iter().any(|(known, _)| *known == name)
}

/// Whether any type of value has a method of this name.
pub(crate) fn is_method(name: &str) -> bool {
    method_names().any(|known| known == name)
}

/// The method with the name that is most similar to an unknown one.
pub(crate) fn like_method(name: &str) -> Option<&'static str> {
    let distance = |known: &str| strsim::osa_distance(&known.to_lowercase(), &name.to_lowercase());
    let near = method_names().min_by_key(|known| distance(known))?;
    (distance(near) <= name.len() / 3).then_some(near)
}

fn method_names() -> impl Iterator<Item = &'static str> {
    fn names_in<T>(methods: &'static [Method<T>]) -> impl Iterator<Item = &'static str> {
        methods.iter().map(|(name, _)| *name)
    }
    ["isTruthy", "isEmpty", "toString", "isType"]
        .into_iter()
        .chain(names_in(texts::METHODS))
        .chain(names_in(texts::REGEXP_METHODS))
        .chain(names_in(numbers::METHODS))
        .chain(names_in(dates::METHODS))
        .chain(names_in(lists::METHODS))
        .chain(names_in(objects::METHODS))
        .chain(names_in(files::METHODS))
        .chain(names_in(files::LINK_METHODS))
}
