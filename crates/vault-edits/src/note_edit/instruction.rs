//! The edits of a call, as a list of JSON objects or as plain parameters (`design/tasks.md`).
//!
//! They are parsed strictly: each form has its own keys, and an error says where the mistake is.

use std::num::NonZeroUsize;

use serde_json::{Map, Value, json};
use vault_files::{Fields, ListError};

/// The maximum number of edits in one call.
pub const MAX_EDITS: usize = 200;

/// One edit of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The text that it applies to.
    pub place: Place,
    /// The new text. Empty text removes the old one.
    pub content: String,
    /// Whether the edit may touch the properties at the start of the note.
    pub in_frontmatter: bool,
}

/// The text of a note that an edit applies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Text that occurs in the note.
    Text {
        /// The text to find; `\n` also matches `\r\n`.
        old: String,
        /// Whether all occurrences are meant; otherwise there must be exactly one.
        all: bool,
    },
    /// The text below a heading.
    Heading {
        /// The heading; `A/B` means B below A.
        heading: String,
        /// The place of the content.
        mode: Mode,
        /// The extent of the text; `None` if the edit does not say.
        reach: Option<Reach>,
    },
    /// A block with an id, as links name it.
    Block {
        /// The id, without its `^`.
        id: String,
        /// The place of the content.
        mode: Mode,
    },
    /// Whole lines, counted from 1, the last included.
    Lines {
        /// The first line, from 1.
        first: NonZeroUsize,
        /// The last line, which is included.
        last: NonZeroUsize,
        /// The proof that the caller knows their text.
        known: KnownLines,
    },
    /// The gap after a line, which counts from 1; 0 is before the first line.
    AfterLine(usize),
}

/// Proof that a caller knows the lines that it names by number (`threats.toml` F16).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnownLines {
    /// Their hash, as an answer gave it with their text ([`hash_of_lines`](obsidian_note::note_parts::hash_of_lines)).
    Hash(String),
    /// The text of the first and of the last line, without blanks around it; for a single line one
    /// is enough. If one is missing or blank, the error shows the note's lines.
    Ends {
        /// The text of the first line; `None` if it was not sent.
        first: Option<String>,
        /// The text of the last line; `None` if it was not sent.
        last: Option<String>,
    },
    /// No proof in the edit itself: the call needs the hash of the note.
    No,
}

/// The place of the content of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The new text is added at the end of the text.
    Append,
    /// The new text is added at the beginning of the text.
    Prepend,
    /// The new text replaces the text.
    Replace,
}

/// The extent of the text below a heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The range ends at the next heading of any rank.
    Text,
    /// The range ends at the next heading of the same or a higher rank, so it includes subheadings.
    Section,
}

/// The keys that name a place, each with all keys of an edit of that place.
const PLACES: [(&str, &[&str]); 5] = [
    ("old", &["old", "new", "all", "frontmatter"]),
    ("heading", &["heading", "mode", "reach", "content"]),
    ("block", &["block", "mode", "content"]),
    (
        "lines",
        &[
            "lines",
            "linesHash",
            "first",
            "last",
            "content",
            "frontmatter",
        ],
    ),
    ("afterLine", &["afterLine", "content", "frontmatter"]),
];
/// The keys that are switches.
pub(super) const FLAGS: [&str; 2] = ["all", "frontmatter"];

/// Returns the keys of edits; those that several places have come several times.
pub(super) fn keys() -> impl Iterator<Item = &'static str> {
    PLACES.iter().flat_map(|(_, keys)| *keys).copied()
}

/// Whether an edit neither names a place nor is about the properties.
pub(super) fn is_without_place(edit: &Map<String, Value>) -> bool {
    let mut names = PLACES.iter().map(|(name, _)| *name).chain(["frontmatter"]);
    !names.any(|name| edit.contains_key(name))
}

impl Instruction {
    /// A list with one edit, as messages show it.
    pub const LIST_EXAMPLE: &str = r#"[{"old":"tpyo","new":"typo"}]"#;

    /// Returns the mistake of a call that has neither a list of edits nor a place.
    pub(super) fn missing_list() -> ListError {
        let rule = format!(
            "is missing; pass a list such as `{}`, or an edit with {} instead of `old`",
            Self::LIST_EXAMPLE,
            either(PLACES.iter().skip(1))
        );
        ListError::for_key("edits", rule)
    }

    /// Reads a list of edits.
    ///
    /// # Errors
    ///
    /// If the list is empty or too long, or an item is not an edit. The error never contains a value.
    pub fn parse_list(items: &[Value]) -> Result<Vec<Self>, ListError> {
        if items.is_empty() {
            return Err(ListError::whole(format!(
                "needs at least one edit, such as `{}`",
                Self::LIST_EXAMPLE
            )));
        }
        if items.len() > MAX_EDITS {
            return Err(ListError::whole(format!(
                "has {} edits; the limit is {MAX_EDITS}",
                items.len()
            )));
        }
        ListError::of_items(items, |item| {
            let object = item.as_object();
            object
                .ok_or_else(|| ListError::whole("an edit is an object"))
                .and_then(Self::parse)
        })
    }

    /// Returns the JSON Schema of a list of edits. It is short, because clients send it to the model in every
    /// conversation.
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
        Fields::read(object, Self::read)
    }

    fn read(fields: &mut Fields) -> Result<Self, ListError> {
        fields.take_for(&PLACES.map(|(name, _)| name), &keys().collect::<Vec<_>>());
        let named: Vec<_> = PLACES
            .into_iter()
            .filter(|(name, _)| fields.has(name))
            .collect();
        if named.is_empty() && fields.has("frontmatter") {
            let places = PLACES.iter();
            let rule = format!(
                "works only together with {}",
                either(places.filter(|(_, keys)| keys.contains(&"frontmatter")))
            );
            return Err(ListError::for_key("frontmatter", rule));
        }
        let [(name, keys)] = named.as_slice() else {
            let places = PLACES.map(|(name, _)| format!("`{name}`")).join(", ");
            return Err(ListError::whole(format!("needs exactly one of {places}")));
        };
        let content_key = if *name == "old" { "new" } else { "content" };
        fields.take_for(keys, &[]);
        // All keys are read before the first error is returned, so that all errors are reported.
        let content = fields.optional_text(content_key).and_then(|content| {
            let missing = || ListError::for_key(content_key, "is missing");
            fields.record_error(content.ok_or_else(missing))
        });
        let in_frontmatter = fields.switch("frontmatter");
        let place = match *name {
            "old" => {
                let (old, all) = (fields.text("old"), fields.switch("all"));
                Place::Text {
                    old: old?,
                    all: all?,
                }
            }
            "heading" => {
                let heading = fields.text("heading");
                let (mode, reach) = (mode(fields), reach(fields));
                Place::Heading {
                    heading: heading?,
                    mode: mode?,
                    reach: reach?,
                }
            }
            "block" => {
                let (id, mode) = (fields.text("block"), mode(fields));
                let id = id?;
                Place::Block {
                    id: id.strip_prefix('^').unwrap_or(&id).to_owned(),
                    mode: mode?,
                }
            }
            "lines" => {
                let (lines, known) = (fields.line_range("lines"), known_lines(fields));
                let (first, last) = lines?;
                Place::Lines {
                    first,
                    last,
                    known: known?,
                }
            }
            _ => Place::AfterLine(fields.whole_number("afterLine")?),
        };
        let (content, in_frontmatter) = (content?, in_frontmatter?);
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
            return Err(ListError::for_key(
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

/// Returns the names of places, such as `` `old`, `lines` or `afterLine` ``.
fn either<'place>(
    places: impl Iterator<Item = &'place (&'place str, &'place [&'place str])>,
) -> String {
    let names: Vec<String> = places.map(|(name, _)| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{} or {last}", first.join(", ")),
        None => String::new(),
    }
}

fn mode(fields: &mut Fields) -> Result<Mode, ListError> {
    let modes = [
        ("append", Mode::Append),
        ("prepend", Mode::Prepend),
        ("replace", Mode::Replace),
    ];
    let given = fields.word("mode", &modes)?;
    let missing = || ListError::for_key("mode", "is missing: `append`, `prepend` or `replace`");
    fields.record_error(given.ok_or_else(missing))
}

/// Returns the hash of the lines, or the text of the first and the last one.
fn known_lines(fields: &mut Fields) -> Result<KnownLines, ListError> {
    let mut line = |key| {
        let text = fields.optional_text(key)?;
        Ok(text.map(|text| text.trim().to_owned()))
    };
    let (first, last) = (line("first")?, line("last")?);
    let hash = fields.optional_text("linesHash")?;
    match (hash, first, last) {
        (Some(hash), None, None) => Ok(KnownLines::Hash(hash)),
        (Some(_), ..) => fields.record_error(Err(ListError::for_key(
            "linesHash",
            "is enough; omit `first` and `last`",
        ))),
        (None, None, None) => Ok(KnownLines::No),
        (None, first, last) => Ok(KnownLines::Ends { first, last }),
    }
}

fn reach(fields: &mut Fields) -> Result<Option<Reach>, ListError> {
    fields.word(
        "reach",
        &[("text", Reach::Text), ("section", Reach::Section)],
    )
}

#[cfg(test)]
mod tests {

    use super::*;

    const CASES: &str = include_str!("instruction_cases.txt");

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
                known: KnownLines::No
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
    fn mistakes_are_reported_with_their_place_and_without_their_value() {
        for [edits, expected] in tables::section(CASES, "mistakes are reported with their place") {
            let found = parse(&serde_json::from_str(edits).unwrap());
            assert_eq!(found, Err(expected.to_owned()), "{edits}");
        }
        let many = vec![json!({"old": "a", "new": "b"}); MAX_EDITS + 1];
        assert!(Instruction::parse_list(&many).is_err());
    }
}
