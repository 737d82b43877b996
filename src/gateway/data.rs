//! `data` of an envelope: a typed answer, or the fields of a verb.

use std::sync::OnceLock;

use cli_output::{Answer, AnswerText, Items, ListNumbers, OwnAnswer};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::undo::KeptFacts;
use crate::json::object;

/// The data of a call. A typed answer is serialised unchanged; it becomes a map of JSON values once, and only if a
/// caller asks for the map.
#[derive(Clone, Debug, Default)]
pub struct Data {
    answer: Option<Box<TypedAnswer>>,
    /// The fields of the data; empty if the answer has a type.
    fields: Map<String, Value>,
}

/// An answer with a type, and its JSON form.
#[derive(Clone, Debug)]
struct TypedAnswer {
    answer: Answer,
    map: OnceLock<Map<String, Value>>,
}

impl Data {
    /// Builds the data of an answer.
    pub(crate) fn from_answer(answer: Answer) -> Self {
        let map = OnceLock::new();
        Self { answer: Some(Box::new(TypedAnswer { answer, map })), fields: Map::new() }
    }

    /// Returns the typed answer; `None` for the answer of a verb.
    pub fn answer(&self) -> Option<&Answer> {
        self.answer.as_ref().map(|typed| &typed.answer)
    }

    /// Returns the answer to an own command or of the gateway itself, if it is of this type.
    pub(crate) fn own<T: OwnAnswer>(&self) -> Option<&T> {
        self.answer()?.as_own()
    }

    /// Returns the gateway's own answer of this type to change it, as [`Self::own`].
    pub(super) fn own_mut<T: OwnAnswer>(&mut self) -> Option<&mut T> {
        self.answer_mut()?.as_own_mut()
    }

    /// Returns the numbers of a list of the app; `None` for other answers.
    pub(super) fn list(&mut self) -> Option<ListNumbers> {
        self.answer.as_mut()?.answer.numbers()
    }

    /// Returns the typed answer, to change it.
    pub(crate) fn answer_mut(&mut self) -> Option<&mut Answer> {
        let typed = self.answer.as_mut()?;
        typed.map = OnceLock::new();
        Some(&mut typed.answer)
    }

    /// Returns the list of a typed answer; `None` for other answers.
    pub(crate) fn items(&mut self) -> Option<&mut dyn Items> {
        self.answer_mut()?.any_list()
    }

    /// Returns the text of an answer from which a part can be cut, such as the text of a note.
    pub(crate) fn answer_text(&mut self) -> Option<AnswerText<'_>> {
        self.answer_mut()?.answer_text()
    }

    /// Returns the text whose format is not known, or that an undo keeps.
    pub(crate) fn text(&self) -> Option<&str> {
        match self.answer()? {
            Answer::Raw(raw) => Some(&raw.text),
            answer => answer.as_own::<KeptFacts>()?.text.as_deref(),
        }
    }

    /// Returns the path of what it is about.
    pub(crate) fn path(&self) -> Option<&str> {
        self.as_map().get("path")?.as_str()
    }

    /// Returns the items of a list, as JSON.
    pub(crate) fn rows(&self) -> Option<&[Value]> {
        Some(self.as_map().get("items")?.as_array()?)
    }

    /// Returns the number of files that a dry run's plan would change; `None` if the data is not a plan.
    pub(crate) fn planned_files(&self) -> Option<usize> {
        match self.answer()? {
            Answer::Own(own) => own.planned_files(),
            _ => None,
        }
    }

    /// Returns which part of a list or of a text these data are, as far as they say.
    pub(crate) fn part(&self) -> Part {
        match self.answer() {
            // Its list is one level deeper.
            Some(Answer::TagFiles(tag)) => Part::from(&tag.files as &dyn Items),
            _ => Part::deserialize(self.as_map()).unwrap_or_default(),
        }
    }

    /// Whether it is the plan of a dry run.
    pub(crate) fn is_plan(&self) -> bool {
        self.planned_files().is_some()
    }

    /// Returns the data as a map, to look up keys of any answer.
    pub fn as_map(&self) -> &Map<String, Value> {
        match &self.answer {
            Some(typed) => typed.map.get_or_init(|| to_map(&typed.answer)),
            None => &self.fields,
        }
    }

    /// Whether the data has no fields.
    pub fn is_empty(&self) -> bool {
        self.answer.is_none() && self.fields.is_empty()
    }

    /// Converts the data into a map.
    pub fn into_map(self) -> Map<String, Value> {
        match self.answer {
            Some(typed) => {
                let made = typed.map.into_inner();
                made.unwrap_or_else(|| to_map(&typed.answer))
            }
            None => self.fields,
        }
    }
}

/// Numbers of the part of a list or text that the caller gets.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Part {
    /// Number of items before any limit.
    pub(crate) total: Option<usize>,
    /// Number of items in the answer.
    pub(crate) returned: Option<usize>,
    /// The `offset` of the next part.
    pub(crate) next_offset: Option<usize>,
    /// Whether something was left out.
    #[serde(default)]
    pub(crate) truncated: bool,
}

impl From<&dyn Items> for Part {
    fn from(list: &dyn Items) -> Self {
        let numbers = list.numbers();
        Self {
            total: Some(numbers.total),
            returned: Some(numbers.returned),
            next_offset: list.next_offset(),
            truncated: numbers.truncated,
        }
    }
}

fn to_map(answer: &Answer) -> Map<String, Value> {
    object(match answer {
        Answer::Own(own) => own.to_json(),
        // Every answer is a struct with text keys.
        _ => json!(answer),
    })
}

impl Serialize for Data {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.answer {
            Some(typed) if typed.map.get().is_none() => typed.answer.serialize(serializer),
            _ => self.as_map().serialize(serializer),
        }
    }
}

impl From<Map<String, Value>> for Data {
    fn from(fields: Map<String, Value>) -> Self {
        Self { answer: None, fields }
    }
}

impl From<Data> for Value {
    fn from(data: Data) -> Self {
        Self::Object(data.into_map())
    }
}

impl PartialEq for Data {
    fn eq(&self, other: &Self) -> bool {
        self.as_map() == other.as_map()
    }
}

#[cfg(test)]
mod tests {
    use cli_output::{BaseRow, BaseRows, BaseViewFacts, List, NoteText, PlaceInText, TagItem};

    use super::*;

    #[test]
    fn an_answer_is_written_as_its_map_is() {
        let tag = |tag: &str| TagItem { tag: tag.to_owned(), count: None };
        let mut tags = Answer::Tags(List::part(vec![tag("#a")], 0, 3));
        tags.any_list().unwrap().go_on();
        let mut rows = Answer::BaseRows(BaseRows {
            rows: List::part(vec![BaseRow::default()], 0, 2),
            view: Some(BaseViewFacts::default()),
        });
        rows.any_list().unwrap().go_on();
        let mut note = Answer::NoteText(NoteText::new(None, "a\u{9b}".to_owned()));
        let place = PlaceInText::new(1, Some(2), None);
        note.answer_text().unwrap().stand_at(place);
        for (answer, end) in [
            (tags, r##""items":[{"tag":"#a"}],"nextOffset":1}"##),
            (
                rows,
                r#""items":[{}],"nextOffset":1,"view":{"name":"","type":"","matching":0,"columns":[]}}"#,
            ),
            (note, r#"{"content":"a\u009b","offset":1,"truncated":true,"nextOffset":2}"#),
        ] {
            let data = Data::from_answer(answer);
            let line = crate::json::to_line(&data).unwrap();
            assert!(line.ends_with(end), "{line}");
            assert_eq!(crate::json::to_line(data.as_map()).unwrap(), line);
            let read: Map<String, Value> = serde_json::from_str(&line).unwrap();
            assert_eq!(data.into_map(), read);
        }
    }
}
