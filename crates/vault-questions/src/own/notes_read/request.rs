//! The notes that a call of `notes:read` asks for (`design/tasks.md`).

use obsidian_note::{Excerpt, VaultPath};
use serde_json::{Map, Value, json};
use vault_files::{Fields, ListError};

/// The maximum number of notes in one call.
const MAX_NOTES: usize = 100;

const PARTS: [&str; 3] = ["heading", "block", "lines"];

/// A request for a note, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteRequest {
    /// The path of the note.
    pub(super) path: VaultPath,
    /// The part to read; `None` for the whole note.
    pub(super) part: Option<Excerpt>,
    /// The characters to skip, which earlier calls have read.
    pub(super) offset: usize,
}

impl NoteRequest {
    /// Parses a list of notes: each is a path, or an object with the path and the part. After the path of
    /// a note, `#heading` or `#^block` names a part, as in a link.
    ///
    /// # Errors
    ///
    /// If the list is empty or too long, or an item is not such a request.
    pub fn parse_list(items: &[Value]) -> Result<Vec<Self>, ListError> {
        if items.is_empty() || items.len() > MAX_NOTES {
            return Err(ListError::whole(format!("needs 1 to {MAX_NOTES} notes")));
        }
        ListError::of_items(items, |item| match item {
            Value::String(text) => {
                let (path, part) = path_and_part(text);
                parsed_path(path, None).map(|path| Self {
                    path,
                    part,
                    offset: 0,
                })
            }
            Value::Object(object) => Self::parse(object),
            _ => Err(ListError::whole("a note is a path or an object")),
        })
    }

    fn parse(object: &Map<String, Value>) -> Result<Self, ListError> {
        Fields::read(object, |fields| {
            fields.take_for(&["path", "heading", "block", "lines", "offset"], &[]);
            let path = fields.text("path").and_then(|text| {
                let (path, part) = path_and_part(&text);
                let path = parsed_path(path, Some("path"));
                fields.record_error(path.map(|path| (path, part)))
            });
            let named: Vec<&str> = PARTS.into_iter().filter(|name| fields.has(name)).collect();
            let part = match named.as_slice() {
                [] => Ok(path.as_ref().ok().and_then(|(_, part)| part.clone())),
                _ if path.as_ref().is_ok_and(|(_, part)| part.is_some()) => {
                    let rule = "has a part after `#` in `path`, and another part";
                    fields.record_error(Err(ListError::whole(rule)))
                }
                ["heading"] => fields.text("heading").map(Excerpt::Section).map(Some),
                ["block"] => fields.text("block").map(|id| Some(block(&id))),
                ["lines"] => fields
                    .line_range("lines")
                    .map(|(first, last)| Some(Excerpt::Lines { first, last })),
                _ => {
                    let rule = "takes only one of `heading`, `block`, `lines`";
                    fields.record_error(Err(ListError::whole(rule)))
                }
            };
            let offset = if fields.has("offset") {
                fields.whole_number("offset")
            } else {
                Ok(0)
            };
            let (path, _) = path?;
            Ok(Self {
                path,
                part: part?,
                offset: offset?,
            })
        })
    }

    /// Returns the JSON Schema of a list of notes, kept short for the reason that
    /// `Instruction::list_schema` of the edits gives.
    pub fn list_schema() -> Value {
        json!({
            "type": "array",
            "items": {
                "type": ["string", "object"],
                "properties": {
                    "path": { "type": "string" },
                    "heading": { "type": "string" },
                    "block": { "type": "string" },
                    "lines": { "type": "string" },
                    "offset": { "type": "integer" },
                },
            },
        })
    }
}

/// Returns the path of a note, and the part that a link names after it. A `#` elsewhere belongs to the path.
fn path_and_part(text: &str) -> (&str, Option<Excerpt>) {
    match text.split_once('#') {
        Some((path, part)) if has_note_extension(path) && !part.is_empty() => {
            let part = match part.strip_prefix('^') {
                Some(_) => block(part),
                None => Excerpt::Section(part.replace('#', "/")),
            };
            (path, Some(part))
        }
        _ => (text, None),
    }
}

fn has_note_extension(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("md"))
}

/// Returns the block with this id, which may have its `^`.
fn block(id: &str) -> Excerpt {
    Excerpt::Block(id.strip_prefix('^').unwrap_or(id).to_owned())
}

fn parsed_path(text: &str, key: Option<&'static str>) -> Result<VaultPath, ListError> {
    VaultPath::file(text).map_err(|reason| ListError {
        key: key.map(str::to_owned),
        path: Some(reason),
        ..ListError::whole(reason.to_string())
    })
}

#[cfg(test)]
mod tests {

    use super::*;

    const CASES: &str = include_str!("request_cases.txt");

    fn parse(value: &Value) -> Result<Vec<NoteRequest>, String> {
        NoteRequest::parse_list(value.as_array().unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_note_is_a_path_or_an_object() {
        let notes = parse(&json!([
            "a.md",
            {"path": "a.md", "heading": "A/B", "offset": 7},
            {"path": "a.md", "block": "^id", "lines": null},
            {"path": "a.md", "lines": 3},
        ]));
        let notes = notes.unwrap();
        assert_eq!((notes[0].offset, &notes[0].part), (0, &None));
        assert_eq!(notes[1].offset, 7);
        assert_eq!(notes[2].part, Some(Excerpt::Block("id".into())));
        assert!(matches!(&notes[3].part, Some(Excerpt::Lines { first, last }) if first == last));
    }

    #[test]
    fn a_part_may_follow_the_path_as_in_a_link() {
        let section = |name: &str| Some(Excerpt::Section(name.to_owned()));
        for (text, path, part) in [
            ("a.md#^id", "a.md", Some(Excerpt::Block("id".into()))),
            ("x/a.md#A", "x/a.md", section("A")),
            ("a.md#A#B", "a.md", section("A/B")),
            ("a.md#", "a.md#", None),
            ("odd#name.md", "odd#name.md", None),
            ("odd#name.md#A", "odd#name.md#A", None),
        ] {
            for item in [json!([text]), json!([{ "path": text }])] {
                let notes = parse(&item).unwrap();
                assert_eq!(
                    (notes[0].path.as_str(), &notes[0].part),
                    (path, &part),
                    "{item}"
                );
            }
        }
    }

    #[test]
    fn mistakes_are_reported_with_their_place() {
        for [notes, expected] in tables::section(CASES, "mistakes are reported with their place") {
            let found = parse(&serde_json::from_str(notes).unwrap());
            assert_eq!(found, Err(expected.to_owned()), "{notes}");
        }
        for escape in [json!(["../a.md"]), json!([{"path": "../a.md"}])] {
            let error = NoteRequest::parse_list(escape.as_array().unwrap()).unwrap_err();
            assert!(error.path.is_some(), "{error}");
        }
    }
}
