//! The tree of a document.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Tag};
use serde_json::Value;

use crate::scalar::{self, ScalarType};

/// A position in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line, counted from 1.
    pub line: usize,
    /// The character in the line, counted from 1.
    pub column: usize,
}

/// A value and its place. For an alias it is a copy of the value that the alias repeats, with the
/// place of the original.
#[derive(Clone, Debug)]
pub struct Node {
    /// The place where the value begins.
    pub place: Place,
    /// The value itself, without its anchor.
    pub content: Content,
}

/// The kinds of values.
#[derive(Clone, Debug)]
pub enum Content {
    /// A scalar: a text, number, boolean or null.
    Scalar(Scalar),
    /// Values in their order.
    List(Vec<Node>),
    /// Keys with values, in their order.
    Mapping(Vec<Entry>),
}

/// A single value, as written.
#[derive(Clone, Debug)]
pub struct Scalar {
    /// Its text, without quotes and escapes.
    pub text: String,
    /// Its syntax: plain, in quotes, or as a block.
    pub style: ScalarStyle,
    /// The YAML tag of the value, which states its type.
    pub tag: Option<Tag>,
}

impl Scalar {
    /// Returns its value as the app reads it. Infinity and not-a-number are null, as in JSON.
    pub fn into_value(self) -> Value {
        let wanted = ScalarType::required(self.style, self.tag.as_ref());
        scalar::typed(&self.text, wanted).unwrap_or(Value::String(self.text))
    }

    /// Whether it is null: without quotes, and empty or a word for null.
    pub fn is_null(&self) -> bool {
        self.style == ScalarStyle::Plain
            && matches!(self.text.as_str(), "" | "~" | "null" | "Null" | "NULL")
    }
}

/// A key of a mapping with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key as a text.
    pub key: String,
    /// The place where the key begins.
    pub place: Place,
    /// The value of the key.
    pub value: Node,
}

/// The limits of a document. Each alias counts as much as the value that it repeats.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum number of levels of lists and mappings.
    pub depth: usize,
    /// The maximum number of values; lists and mappings count as values too.
    pub values: usize,
    /// The maximum number of bytes in the texts of all values.
    pub text: usize,
}

/// The kinds of faults in a document.
#[derive(Clone, Debug)]
pub enum Fault {
    /// It is not valid YAML.
    Syntax(ScanError),
    /// A second document follows the first.
    SeveralDocuments,
    /// An alias is within the value that it repeats.
    Endless,
    /// It has more levels than [`Limits::depth`].
    TooDeep,
    /// It has more values than [`Limits::values`].
    TooMany,
    /// It has more text than [`Limits::text`].
    TooLong,
    /// A key is a value that the caller does not accept as a key.
    NoKey,
    /// A mapping has this key twice.
    DuplicateKey(String),
}

/// The reason why a text was not read.
#[derive(Clone, Debug)]
pub struct ReadError {
    /// The kind of the fault.
    pub fault: Fault,
    /// The place where the fault was detected. For a fault of a whole list or mapping it is its
    /// end.
    pub at: Place,
    /// The start of the faulty value.
    pub value: Place,
}

/// The root value of a text; `None` for an empty document. Lines count from `first_line`; `key`
/// converts a value to the text of a key, or returns `None` for values that cannot be keys.
///
/// Time and memory are bounded by the limits and the length of the text.
///
/// # Errors
///
/// If the text is not exactly one YAML document, has a duplicate key, or exceeds the limits.
pub fn document(
    text: &str,
    first_line: usize,
    limits: Limits,
    key: impl Fn(&Node) -> Option<String>,
) -> Result<Option<Node>, ReadError> {
    let mut builder = Builder {
        limits,
        key,
        documents: 0,
        spent: Cost::default(),
        open: Vec::new(),
        anchors: HashMap::new(),
        root: None,
    };
    // The parser counts lines from 1, but columns from 0.
    let place = |marker: &Marker| Place {
        line: marker.line() + first_line - 1,
        column: marker.col() + 1,
    };
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, at) = match event {
            Ok((event, span)) => (event, place(&span.start)),
            Err(error) => {
                let at = place(error.marker());
                return Err(ReadError {
                    fault: Fault::Syntax(error),
                    at,
                    value: at,
                });
            }
        };
        builder
            .take(event, at)
            .map_err(|Wrong { fault, value }| ReadError { fault, at, value })?;
    }
    Ok(builder.root)
}

/// The cost of a value in terms of the limits.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    values: usize,
    text: usize,
}

/// A fault, and the start of its value.
struct Wrong {
    fault: Fault,
    value: Place,
}

impl Fault {
    fn in_value(self, value: Place) -> Wrong {
        Wrong { fault: self, value }
    }
}

/// A list or mapping whose end has not been reached.
struct OpenCollection {
    /// The anchor's number; 0 for none.
    anchor: usize,
    /// The cost of everything before it, from which its own cost is computed.
    before: Cost,
    place: Place,
    content: OpenContent,
}

enum OpenContent {
    List(Vec<Node>),
    Mapping {
        entries: Vec<Entry>,
        /// All keys so far.
        keys: HashSet<String>,
        /// The key whose value comes next.
        next: Option<(String, Place)>,
    },
}

struct Builder<Key> {
    limits: Limits,
    key: Key,
    documents: usize,
    spent: Cost,
    open: Vec<OpenCollection>,
    anchors: HashMap<usize, (Node, Cost)>,
    root: Option<Node>,
}

impl<Key: Fn(&Node) -> Option<String>> Builder<Key> {
    fn take(&mut self, event: Event<'_>, place: Place) -> Result<(), Wrong> {
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) => {
                self.documents += 1;
                match self.documents {
                    1 => Ok(()),
                    _ => Err(Fault::SeveralDocuments.in_value(place)),
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let before = self.spent;
                let cost = Cost {
                    values: 1,
                    text: text.len(),
                };
                self.spend(cost, place)?;
                let content = Content::Scalar(Scalar {
                    text: text.into_owned(),
                    style,
                    tag: tag.map(Cow::into_owned),
                });
                self.ended(Node { place, content }, anchor, before)
            }
            Event::Alias(anchor) => {
                // Only complete values have an entry. An alias within the value that it repeats has
                // none, which keeps the tree finite.
                let Some((value, cost)) = self.anchors.get(&anchor).cloned() else {
                    return Err(Fault::Endless.in_value(place));
                };
                self.spend(cost, place)?;
                self.put(value)
            }
            Event::SequenceStart(anchor, _) => {
                self.begin(anchor, place, OpenContent::List(Vec::new()))
            }
            Event::MappingStart(anchor, _) => {
                let content = OpenContent::Mapping {
                    entries: Vec::new(),
                    keys: HashSet::new(),
                    next: None,
                };
                self.begin(anchor, place, content)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(open) = self.open.pop() else {
                    return Ok(());
                };
                let content = match open.content {
                    OpenContent::List(items) => Content::List(items),
                    OpenContent::Mapping { entries, .. } => Content::Mapping(entries),
                };
                let place = open.place;
                self.ended(Node { place, content }, open.anchor, open.before)
            }
        }
    }

    fn begin(&mut self, anchor: usize, place: Place, content: OpenContent) -> Result<(), Wrong> {
        if self.open.len() >= self.limits.depth {
            return Err(Fault::TooDeep.in_value(place));
        }
        // Before the list or mapping itself is counted, because an alias repeats that too.
        let before = self.spent;
        self.spend(Cost { values: 1, text: 0 }, place)?;
        self.open.push(OpenCollection {
            anchor,
            before,
            place,
            content,
        });
        Ok(())
    }

    /// Handles a complete value: if it has an anchor, keeps a copy for its aliases; then adds it to
    /// its list or mapping.
    fn ended(&mut self, value: Node, anchor: usize, before: Cost) -> Result<(), Wrong> {
        if anchor != 0 {
            let cost = Cost {
                values: self.spent.values - before.values,
                text: self.spent.text - before.text,
            };
            // The copy takes memory too. Without its cost, nested anchors would take the square of
            // the limit.
            self.spend(cost, value.place)?;
            self.anchors.insert(anchor, (value.clone(), cost));
        }
        self.put(value)
    }

    /// Adds a value to the innermost open list or mapping. In a mapping, keys and values alternate.
    fn put(&mut self, value: Node) -> Result<(), Wrong> {
        match self.open.last_mut().map(|open| &mut open.content) {
            None => self.root = Some(value),
            Some(OpenContent::List(items)) => items.push(value),
            Some(OpenContent::Mapping {
                entries,
                keys,
                next,
            }) => {
                if let Some((key, place)) = next.take() {
                    entries.push(Entry { key, place, value });
                    return Ok(());
                }
                let place = value.place;
                let key = (self.key)(&value).ok_or_else(|| Fault::NoKey.in_value(place))?;
                if !keys.insert(key.clone()) {
                    return Err(Fault::DuplicateKey(key).in_value(place));
                }
                *next = Some((key, place));
            }
        }
        Ok(())
    }

    /// Adds to the cost of the document; fails if that exceeds a limit.
    fn spend(&mut self, cost: Cost, place: Place) -> Result<(), Wrong> {
        self.spent.values = self.spent.values.saturating_add(cost.values);
        self.spent.text = self.spent.text.saturating_add(cost.text);
        if self.spent.values > self.limits.values {
            return Err(Fault::TooMany.in_value(place));
        }
        if self.spent.text > self.limits.text {
            return Err(Fault::TooLong.in_value(place));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CASES: &str = include_str!("document_cases.txt");

    const LIMITS: Limits = Limits {
        depth: 4,
        values: 20,
        text: 40,
    };

    fn read(text: &str) -> Result<Option<Node>, ReadError> {
        document(text, 1, LIMITS, |key| match &key.content {
            Content::Scalar(key) => Some(key.text.clone()),
            _ => None,
        })
    }

    #[test]
    fn values_know_where_they_begin() {
        let root = document("é: [1,\n  two]\n", 5, LIMITS, |_| Some("key".to_owned()));
        let Content::Mapping(entries) = root.unwrap().unwrap().content else {
            panic!("no mapping");
        };
        let place = |line, column| Place { line, column };
        assert_eq!(
            (entries[0].place, entries[0].key.as_str()),
            (place(5, 1), "key")
        );
        let Content::List(items) = &entries[0].value.content else {
            panic!("no list");
        };
        let places: Vec<Place> = items.iter().map(|item| item.place).collect();
        assert_eq!(places, [place(5, 5), place(6, 3)]);
        assert!(read("# nothing\n").unwrap().is_none());
    }

    #[test]
    fn errors_name_their_place() {
        for (text, fault, at, value) in
            tables::typed::<(&str, &str, usize, usize)>(CASES, "errors name their place")
        {
            let error = read(text).unwrap_err();
            let found = format!("{:?}", error.fault);
            assert!(found.starts_with(fault), "{text:?}: {found}");
            assert_eq!((error.at.line, error.value.line), (at, value), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "([-a&*:,{}\\[\\]\"'|>#!? \n]|&x|\\*x){0,40}") {
            let _read = read(&text);
        }
    }
}
