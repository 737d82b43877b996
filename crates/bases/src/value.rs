//! The values of expressions.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::date::Date;
use crate::duration::Duration;
use crate::link::Link;
use crate::notes::{FileNumber, PropertyKind};
use crate::regexp::Regexp;

/// The value of an expression.
///
/// Lists and objects keep their depth and their weight with all parts written out, so that no
/// function needs more time or stack than was granted for creating them.
#[derive(Clone, Debug, Default)]
pub(crate) enum Value {
    /// The missing value, also of a missing property.
    #[default]
    Null,
    Boolean(bool),
    /// A number, which is a double as in JavaScript.
    Number(f64),
    Text(Arc<str>),
    /// A tag without its `#`: a text that equals others in any case.
    Tag(Arc<str>),
    /// A date, with or without a time of day.
    Date(Date),
    /// A length of time, such as `2 weeks`.
    Duration(Duration),
    List(List),
    Object(Object),
    /// A link as an expression sees it, which compares by its file.
    Link(Arc<Link>),
    /// A file of the vault.
    File(FileNumber),
    Regexp(Arc<Regexp>),
    /// Text that the app renders as HTML.
    Html(Arc<str>),
    /// The path or address of an image.
    Image(Arc<str>),
    /// The name of an icon.
    Icon(Arc<str>),
}

/// Values in order, shared between copies.
#[derive(Clone, Debug)]
pub(crate) struct List {
    items: Arc<Vec<Value>>,
    size: Size,
}

/// Values by name, in the order of the note.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    entries: Arc<Vec<(Arc<str>, Value)>>,
    size: Size,
}

/// The depth of a value, and its weight in bytes with all parts written out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) depth: usize,
    pub(crate) weight: usize,
}

/// The weight of a value besides its text.
const BARE: usize = 16;

impl Size {
    fn around<'value>(parts: impl Iterator<Item = &'value Value>) -> Self {
        let mut size = Self {
            depth: 0,
            weight: BARE,
        };
        for part in parts {
            let part = part.size();
            size.depth = size.depth.max(part.depth);
            size.weight = size.weight.saturating_add(part.weight);
        }
        size.depth += 1;
        size
    }
}

impl List {
    pub(crate) fn new(items: Vec<Value>) -> Self {
        Self {
            size: Size::around(items.iter()),
            items: Arc::new(items),
        }
    }

    pub(crate) fn items(&self) -> &[Value] {
        &self.items
    }
}

impl Object {
    pub(crate) fn new(entries: Vec<(Arc<str>, Value)>) -> Self {
        let mut size = Size::around(entries.iter().map(|(_, value)| value));
        for (name, _) in &entries {
            size.weight = size.weight.saturating_add(name.len());
        }
        Self {
            size,
            entries: Arc::new(entries),
        }
    }

    pub(crate) fn entries(&self) -> &[(Arc<str>, Value)] {
        &self.entries
    }

    pub(crate) fn get(&self, name: &str) -> Value {
        let found = self.entries.iter().find(|(key, _)| &**key == name);
        found.map_or(Value::Null, |(_, value)| value.clone())
    }
}

impl Value {
    pub(crate) fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn list(items: Vec<Self>) -> Self {
        Self::List(List::new(items))
    }

    /// A tag, its `#` taken off.
    pub(crate) fn tag(tag: &str) -> Self {
        Self::Tag(tag.strip_prefix('#').unwrap_or(tag).into())
    }

    /// The app's name for the type of the value in messages: `String`.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "Null",
            Self::Boolean(_) => "Boolean",
            Self::Number(_) => "Number",
            Self::Text(_) | Self::Tag(_) => "String",
            Self::Date(_) => "Date",
            Self::Duration(_) => "Duration",
            Self::List(_) => "List",
            Self::Object(_) => "Object",
            Self::Link(_) => "Link",
            Self::File(_) => "File",
            Self::Regexp(_) => "RegExp",
            Self::Html(_) => "HTML",
            Self::Image(_) => "Image",
            Self::Icon(_) => "Icon",
        }
    }

    /// Its text, if it is one.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Tag(text) => Some(text),
            _ => None,
        }
    }

    /// The characters of a value that the app treats as text; for a link its target.
    pub(crate) fn characters(&self) -> Option<&Arc<str>> {
        match self {
            Self::Text(text)
            | Self::Tag(text)
            | Self::Html(text)
            | Self::Image(text)
            | Self::Icon(text) => Some(text),
            Self::Link(link) => Some(&link.target),
            _ => None,
        }
    }

    pub(crate) fn size(&self) -> Size {
        let weight = match self {
            Self::List(list) => return list.size,
            Self::Object(object) => return object.size,
            Self::Link(link) => {
                let display = link.display.as_ref().map(Self::size).unwrap_or_default();
                return Size {
                    depth: display.depth + 1,
                    weight: link.target.len().saturating_add(display.weight) + BARE,
                };
            }
            // A path or a pattern may have to be written out.
            Self::File(_) | Self::Regexp(_) => 256,
            other => other.characters().map_or(0, |text| text.len()),
        };
        Size {
            depth: 0,
            weight: weight.saturating_add(BARE),
        }
    }

    /// Whether a condition with this value is true, as in JavaScript.
    pub(crate) fn is_truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Boolean(truth) => *truth,
            Self::Number(number) => *number != 0.0 && !number.is_nan(),
            Self::Text(text) | Self::Tag(text) => !text.is_empty(),
            _ => true,
        }
    }

    /// Whether the value is empty: missing, NaN, or a text, list or object without contents.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Text(text) | Self::Tag(text) => text.is_empty(),
            Self::Number(number) => number.is_nan(),
            Self::List(list) => list.items().is_empty(),
            Self::Object(object) => object.entries().is_empty(),
            _ => false,
        }
    }
}

/// Converts properties to values.
pub(crate) struct FromProperty<'zone> {
    pub(crate) file: FileNumber,
    pub(crate) kind: PropertyKind,
    pub(crate) zone: &'zone jiff::tz::TimeZone,
}

impl FromProperty<'_> {
    /// Texts that are exactly one wikilink become links, at any depth. A text that looks like a
    /// date becomes one, unless the property is assigned to be text.
    pub(crate) fn value(&self, json: &Json) -> Value {
        match json {
            Json::Null => Value::Null,
            Json::Bool(truth) => Value::Boolean(*truth),
            Json::Number(number) => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
            Json::String(text) => self.text(text),
            Json::Array(items) => Value::list(items.iter().map(|item| self.value(item)).collect()),
            Json::Object(entries) => self.object(entries),
        }
    }

    pub(crate) fn object(&self, entries: &Map<String, Json>) -> Value {
        let entry = |(name, json): (&String, &Json)| (Arc::from(name.as_str()), self.value(json));
        Value::Object(Object::new(entries.iter().map(entry).collect()))
    }

    fn text(&self, text: &str) -> Value {
        if let Some(link) = Link::from_property(text, self.file) {
            return Value::Link(Arc::new(link));
        }
        let date = match self.kind {
            PropertyKind::Tags => return Value::tag(text),
            PropertyKind::Text => None,
            PropertyKind::Date => Date::parse(text, self.zone),
            PropertyKind::Unassigned => Date::from_shape(text, self.zone),
        };
        date.map_or_else(|| Value::text(text), Value::Date)
    }
}
