//! `data` of an envelope: a typed answer, or facts of the gateway itself.

use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

use cli_output::{Answer, PlaceInText};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// What a call returned. A typed answer is serialised as it is; it becomes a map of JSON values only for
/// those who look up keys, once.
#[derive(Clone, Debug, Default)]
pub struct Data {
    answer: Option<Box<Typed>>,
    /// The data, where there is no typed answer.
    facts: Map<String, Value>,
}

/// A typed answer.
#[derive(Clone, Debug)]
struct Typed {
    part: Part,
    map: OnceLock<Map<String, Value>>,
}

/// An answer, and where it stands in its text if it is a part of one.
#[derive(Clone, Debug)]
struct Part {
    answer: Answer,
    place: Option<PlaceInText>,
}

impl Data {
    /// The data of an answer. `place` says where it stands in its text, if it is a part of one.
    pub(crate) fn of(answer: Answer, place: Option<PlaceInText>) -> Self {
        let part = Part { answer, place };
        let map = OnceLock::new();
        Self {
            answer: Some(Box::new(Typed { part, map })),
            facts: Map::new(),
        }
    }

    /// The typed answer, unless the data are facts of the gateway itself.
    pub fn answer(&self) -> Option<&Answer> {
        self.answer.as_ref().map(|typed| &typed.part.answer)
    }

    /// Where the answer stands in its text, if it is a part of one.
    pub fn place(&self) -> Option<PlaceInText> {
        self.answer.as_ref()?.part.place
    }

    /// The answer to a command of the app. Such an answer has no plan of changes.
    pub(super) fn of_app(&self) -> Option<&Answer> {
        let answer = self.answer();
        answer.filter(|answer| !matches!(answer, Answer::Own(_)))
    }

    /// How many items a list of the app holds, and how many there are.
    pub(super) fn list(&mut self) -> Option<(usize, usize)> {
        let answer = &mut self.answer.as_mut()?.part.answer;
        Some((answer.items()?, answer.total()?))
    }

    /// Whether there are no data.
    pub fn is_empty(&self) -> bool {
        self.answer.is_none() && self.facts.is_empty()
    }

    /// The data as a map.
    pub fn into_map(self) -> Map<String, Value> {
        match self.answer {
            Some(typed) => {
                let made = typed.map.into_inner();
                made.unwrap_or_else(|| typed.part.to_map())
            }
            None => self.facts,
        }
    }
}

impl Part {
    fn to_map(&self) -> Map<String, Value> {
        let value = match &self.answer {
            Answer::Own(own) if self.place.is_none() => Ok(own.to_json()),
            _ => serde_json::to_value(self),
        };
        match value {
            Ok(Value::Object(map)) => map,
            // Every answer is a struct with text keys.
            Ok(_) | Err(_) => Map::new(),
        }
    }
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Placed<'part> {
            #[serde(flatten)]
            answer: &'part Answer,
            #[serde(flatten)]
            place: PlaceInText,
        }
        let answer = &self.answer;
        match self.place {
            Some(place) => Placed { answer, place }.serialize(serializer),
            None => answer.serialize(serializer),
        }
    }
}

impl Serialize for Data {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.answer {
            Some(typed) if typed.map.get().is_none() => typed.part.serialize(serializer),
            _ => (**self).serialize(serializer),
        }
    }
}

impl Deref for Data {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        match &self.answer {
            Some(typed) => typed.map.get_or_init(|| typed.part.to_map()),
            None => &self.facts,
        }
    }
}

/// What is changed is facts, no longer the typed answer.
impl DerefMut for Data {
    fn deref_mut(&mut self) -> &mut Self::Target {
        if self.answer.is_some() {
            *self = std::mem::take(self).into_map().into();
        }
        &mut self.facts
    }
}

impl From<Map<String, Value>> for Data {
    fn from(facts: Map<String, Value>) -> Self {
        Self {
            answer: None,
            facts,
        }
    }
}

impl From<Data> for Value {
    fn from(data: Data) -> Self {
        Self::Object(data.into_map())
    }
}

impl PartialEq for Data {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use cli_output::{BaseRow, BaseRows, BaseViewFacts, List, NoteText, TagItem};

    use super::*;

    #[test]
    fn an_answer_is_written_as_its_map_is() {
        let tag = |tag: &str| TagItem {
            tag: tag.to_owned(),
            count: None,
        };
        let mut tags = Answer::Tags(List::part(vec![tag("#a")], 0, 3));
        tags.go_on_at(1);
        let mut rows = Answer::BaseRows(BaseRows {
            rows: List::part(vec![BaseRow::default()], 0, 2),
            view: Some(BaseViewFacts::default()),
            next_offset: None,
        });
        rows.go_on_at(1);
        let note = Answer::NoteText(NoteText {
            content: "a\u{9b}".to_owned(),
            ..NoteText::default()
        });
        let place = PlaceInText {
            offset: 1,
            truncated: true,
            next_offset: Some(2),
            total_characters: None,
        };
        for (answer, place, end) in [
            (tags, None, r##""items":[{"tag":"#a"}],"nextOffset":1}"##),
            (rows, None, r#""columns":[]},"nextOffset":1}"#),
            (
                note,
                Some(place),
                r#"{"content":"a\u009b","offset":1,"truncated":true,"nextOffset":2}"#,
            ),
        ] {
            let data = Data::of(answer, place);
            let line = crate::json::to_line(&data).unwrap();
            assert!(line.ends_with(end), "{line}");
            assert_eq!(crate::json::to_line(&*data).unwrap(), line);
            let read: Map<String, Value> = serde_json::from_str(&line).unwrap();
            assert_eq!(data.into_map(), read);
        }
    }
}
