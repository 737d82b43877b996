//! The edits of a call, as a list of JSON objects or as plain parameters (`design.md` §13).
//!
//! They are read strictly: each form has its own keys, and a mistake is told with its place.

use std::num::NonZeroUsize;

use serde_json::{Map, Value, json};

use crate::json_list::{Fields, ListError};

/// The most edits in one call.
pub const MAX_EDITS: usize = 200;

/// One edit of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Which text it is about.
    pub place: Place,
    /// What is put there. Empty text removes what is there.
    pub content: String,
    /// Whether the edit may touch the properties at the start of the note.
    pub in_frontmatter: bool,
}

/// The text of a note that an edit is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A text that stands in the note.
    Text {
        /// The text.
        old: String,
        /// Whether each occurrence is meant; otherwise there must be exactly one.
        all: bool,
    },
    /// What stands below a heading.
    Heading {
        /// The heading, `A/B` for B below A.
        heading: String,
        /// What happens to the text.
        mode: Mode,
        /// How far the text goes.
        reach: Option<Reach>,
    },
    /// A block with an id.
    Block {
        /// The id, without its `^`.
        id: String,
        /// What happens to the block.
        mode: Mode,
    },
    /// Whole lines, counted from 1, the last included.
    Lines {
        /// The first line.
        first: NonZeroUsize,
        /// The last line.
        last: NonZeroUsize,
        /// What shows that the caller knows their text.
        known: KnownLines,
    },
    /// Between a line and the next; 0 is before the first.
    AfterLine(usize),
}

/// What shows that a caller knows the lines that it names by number (`faults.md` F16).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnownLines {
    /// Their hash, as an answer gave it with their text ([`hash_of_lines`](super::hash_of_lines)).
    Hash(String),
    /// The text of the first and of the last line.
    Ends {
        /// The first line, without blanks around it.
        first: String,
        /// The last line, without blanks around it.
        last: String,
    },
    /// Nothing in the edit itself: the call needs the hash of the note.
    No,
}

/// What happens to the text below a heading, or to a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The content goes behind it.
    Append,
    /// The content goes before it.
    Prepend,
    /// The content takes its place.
    Replace,
}

/// How far the text below a heading goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// To the next heading of any rank.
    Text,
    /// To the next heading of the same or a higher rank: with the headings below this one.
    Section,
}

const PLACES: [&str; 5] = ["old", "heading", "block", "lines", "afterLine"];

impl Instruction {
    /// Reads a list of edits.
    ///
    /// # Errors
    ///
    /// If the list is empty or too long, or an item is no edit. The error never holds a value.
    pub fn parse_list(items: &[Value]) -> Result<Vec<Self>, ListError> {
        if items.is_empty() {
            return Err(ListError::whole("needs at least one edit"));
        }
        if items.len() > MAX_EDITS {
            return Err(ListError::whole(format!(
                "has {} edits; the limit is {MAX_EDITS}",
                items.len()
            )));
        }
        let read = |(index, item): (usize, &Value)| {
            let fields = item
                .as_object()
                .ok_or_else(|| ListError::whole("an edit is an object"))
                .and_then(Self::parse);
            fields.map_err(|error| error.in_item(index))
        };
        items.iter().enumerate().map(read).collect()
    }

    /// The JSON Schema of a list of edits. Clients send it to the model with every conversation, so
    /// it is short.
    pub fn list_schema() -> Value {
        json!({
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "old": { "type": "string", "description": "Unique in the note" },
                    "new": { "type": "string" },
                    "all": { "type": "boolean", "description": "Each `old`" },
                    "heading": { "type": "string", "description": "`A/B` is B below A" },
                    "block": { "type": "string" },
                    "mode": { "type": "string", "enum": ["append", "prepend", "replace"] },
                    "reach": { "type": "string", "enum": ["text", "section"], "description": "`section`: all below" },
                    "lines": { "type": "string", "description": "`10-12`, plus `linesHash` or `first`, `last`" },
                    "linesHash": { "type": "string" },
                    "first": { "type": "string" },
                    "last": { "type": "string" },
                    "afterLine": { "type": "integer", "minimum": 0 },
                    "content": { "type": "string" },
                    "frontmatter": { "type": "boolean" },
                },
                "additionalProperties": false,
            },
        })
    }

    /// Reads one edit.
    ///
    /// # Errors
    ///
    /// If it names no place or several, or has a key that its form does not have.
    pub fn parse(object: &Map<String, Value>) -> Result<Self, ListError> {
        let mut fields = Fields::new(object);
        let named: Vec<&str> = PLACES.into_iter().filter(|name| fields.has(name)).collect();
        let [name] = named.as_slice() else {
            let places = PLACES.map(|name| format!("`{name}`")).join(", ");
            return Err(ListError::whole(format!("needs exactly one of {places}")));
        };
        let content_key = if *name == "old" { "new" } else { "content" };
        let place = match *name {
            "old" => Place::Text {
                old: fields.text("old")?,
                all: fields.switch("all")?,
            },
            "heading" => Place::Heading {
                heading: fields.text("heading")?,
                mode: mode(&mut fields)?,
                reach: reach(&mut fields)?,
            },
            "block" => {
                let id = fields.text("block")?;
                Place::Block {
                    id: id.strip_prefix('^').unwrap_or(&id).to_owned(),
                    mode: mode(&mut fields)?,
                }
            }
            "lines" => {
                let (first, last) = fields.line_range("lines")?;
                Place::Lines {
                    first,
                    last,
                    known: known_lines(&mut fields, first == last)?,
                }
            }
            _ => Place::AfterLine(fields.whole_number("afterLine")?),
        };
        let names_lines = !matches!(place, Place::Heading { .. } | Place::Block { .. });
        let in_frontmatter = names_lines && fields.switch("frontmatter")?;
        let content = fields.optional_text(content_key)?;
        fields.finish()?;
        let content = content.ok_or_else(|| ListError::at(content_key, "is missing"))?;
        let adds = matches!(
            place,
            Place::AfterLine(_)
                | Place::Heading {
                    mode: Mode::Append | Mode::Prepend,
                    ..
                }
                | Place::Block {
                    mode: Mode::Append | Mode::Prepend,
                    ..
                }
        );
        if adds && content.is_empty() {
            return Err(ListError::at(
                content_key,
                "is empty; there is nothing to add",
            ));
        }
        Ok(Self {
            place,
            content,
            in_frontmatter,
        })
    }
}

fn mode(fields: &mut Fields<'_>) -> Result<Mode, ListError> {
    let modes = [
        ("append", Mode::Append),
        ("prepend", Mode::Prepend),
        ("replace", Mode::Replace),
    ];
    let given = fields.word("mode", &modes)?;
    given.ok_or_else(|| ListError::at("mode", "is missing: `append`, `prepend` or `replace`"))
}

/// The hash of the lines, or the text of the first and the last one. Of one line, one text is enough.
fn known_lines(fields: &mut Fields<'_>, is_one: bool) -> Result<KnownLines, ListError> {
    let mut line = |key| {
        let text = fields.optional_text(key)?;
        let text = text.map(|text| text.trim().to_owned());
        match text {
            Some(text) if text.is_empty() => Err(ListError::at(
                key,
                "is blank, which many lines are; send `linesHash` or `ifHash` instead",
            )),
            text => Ok(text),
        }
    };
    let (first, last) = (line("first")?, line("last")?);
    let hash = fields.optional_text("linesHash")?;
    match (hash, first, last) {
        (Some(hash), None, None) => Ok(KnownLines::Hash(hash)),
        (Some(_), ..) => Err(ListError::at(
            "linesHash",
            "says all; leave `first` and `last` out",
        )),
        (None, None, None) => Ok(KnownLines::No),
        (None, Some(first), Some(last)) => Ok(KnownLines::Ends { first, last }),
        (None, Some(only), None) | (None, None, Some(only)) if is_one => Ok(KnownLines::Ends {
            first: only.clone(),
            last: only,
        }),
        (None, None, Some(_)) => Err(ListError::at("first", "is missing")),
        (None, Some(_), None) => Err(ListError::at("last", "is missing")),
    }
}

fn reach(fields: &mut Fields<'_>) -> Result<Option<Reach>, ListError> {
    fields.word(
        "reach",
        &[("text", Reach::Text), ("section", Reach::Section)],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(value: &Value) -> Result<Vec<Instruction>, String> {
        Instruction::parse_list(value.as_array().unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn each_form_is_read() {
        let edits = parse(&json!([
            {"old": "a", "new": "", "all": null, "heading": null, "lines": null, "x": null},
            {"old": "a", "new": "b", "all": true, "frontmatter": true},
            {"heading": "A/B", "mode": "append", "content": "x"},
            {"heading": "A", "mode": "replace", "reach": "section", "content": ""},
            {"block": "^id", "mode": "prepend", "content": "x"},
            {"lines": "10-12", "content": "x"},
            {"lines": 3, "content": ""},
            {"afterLine": 0, "content": "x"},
            {"lines": 3, "first": " a ", "content": ""},
            {"lines": "3-4", "linesHash": "00", "content": ""},
        ]))
        .unwrap();
        assert_eq!(edits.len(), 10);
        let three = NonZeroUsize::new(3).unwrap();
        assert_eq!(
            edits[6].place,
            Place::Lines {
                first: three,
                last: three,
                known: KnownLines::No,
            }
        );
        assert_eq!(
            edits[4].place,
            Place::Block {
                id: "id".into(),
                mode: Mode::Prepend
            }
        );
        assert!(edits[1].in_frontmatter && !edits[0].in_frontmatter);
    }

    #[test]
    fn a_mistake_is_told_with_its_place_and_without_its_value() {
        for (edits, expected) in [
            (json!([]), "needs at least one edit"),
            (json!(["secret"]), "[0] an edit is an object"),
            (
                json!([{"old": "a", "new": "b"}, {"old": "", "new": "b"}]),
                "[1].old is empty",
            ),
            (json!([{"old": "a"}]), "[0].new is missing"),
            (
                json!([{"old": "a", "new": "b", "content": "secret"}]),
                "[0].content is no key here",
            ),
            (
                json!([{"old": "a", "new": 5}]),
                "[0].new must be a text, not a number",
            ),
            (
                json!([{"old": "a", "new": "b\u{0}"}]),
                "[0].new contains the character U+0000",
            ),
            (
                json!([{"old": "a", "new": "b", "all": "yes"}]),
                "[0].all must be `true` or `false`, not a text",
            ),
            (
                json!([{"heading": "A", "content": "x"}]),
                "[0].mode is missing: `append`, `prepend` or `replace`",
            ),
            (
                json!([{"heading": "A", "mode": "insert", "content": "x"}]),
                "[0].mode must be one of `append`, `prepend`, `replace`",
            ),
            (
                json!([{"heading": "A", "mode": "append", "content": "x", "frontmatter": true}]),
                "[0].frontmatter is no key here",
            ),
            (
                json!([{"block": "a", "mode": "append", "content": ""}]),
                "[0].content is empty; there is nothing to add",
            ),
            (
                json!([{"lines": "3-2", "content": "x"}]),
                "[0].lines must be two line numbers from 1, such as `10-12`, or one",
            ),
            (
                json!([{"lines": "0-2", "content": "x"}]),
                "[0].lines must be two line numbers from 1, such as `10-12`, or one",
            ),
            (
                json!([{"lines": "1-2", "first": "a", "content": "x"}]),
                "[0].last is missing",
            ),
            (
                json!([{"lines": "1-2", "first": "a", "last": "\t ", "content": "x"}]),
                "[0].last is blank, which many lines are; send `linesHash` or `ifHash` instead",
            ),
            (
                json!([{"lines": "1", "first": "a", "linesHash": "0", "content": "x"}]),
                "[0].linesHash says all; leave `first` and `last` out",
            ),
            (
                json!([{"afterLine": 1, "first": "a", "content": "x"}]),
                "[0].first is no key here",
            ),
            (
                json!([{"afterLine": -1, "content": "x"}]),
                "[0].afterLine must be a whole number from 0",
            ),
            (
                json!([{"lines": "1", "afterLine": 1, "content": "x"}]),
                "[0] needs exactly one of `old`, `heading`, `block`, `lines`, `afterLine`",
            ),
        ] {
            assert_eq!(parse(&edits), Err(expected.to_owned()), "{edits}");
        }
        let many = vec![json!({"old": "a", "new": "b"}); MAX_EDITS + 1];
        assert!(Instruction::parse_list(&many).is_err());
    }
}
