//! `data` of an envelope: a typed answer, or the fields of a verb.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use vault_answers::{Answer, AnswerData, AnswerText, Items, ListNumbers, RawText, TagFiles};

use crate::kept::KeptFacts;
use protocol::json::object;
use vault_engine::{VaultPath, uri};

/// The data of a call. A typed answer is serialised unchanged; it becomes a map of JSON values once, and only if a
/// caller asks for the map.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// The links that the map has next to the paths of notes.
    links: Option<LinksToNotes>,
    answer: Option<Answer>,
    /// The fields of the data. Those of a typed answer are made on demand.
    map: OnceLock<Map<String, Value>>,
}

/// The links to the notes of a vault.
#[derive(Clone, Debug)]
pub struct LinksToNotes {
    /// The name of the vault in the app, or its id.
    pub vault: String,
    /// Names that begin so are not names of notes, and get no link.
    pub harmless: &'static str,
}

impl LinksToNotes {
    /// Adds `uri` to each object with the `path` of a note.
    fn add_to(&self, value: &mut Value) {
        match value {
            Value::Object(fields) => self.add_to_fields(fields),
            Value::Array(items) => items.iter_mut().for_each(|item| self.add_to(item)),
            _ => {}
        }
    }

    fn add_to_fields(&self, fields: &mut Map<String, Value>) {
        fields.values_mut().for_each(|value| self.add_to(value));
        let path = fields.get("path").and_then(Value::as_str);
        let path = path.and_then(|path| VaultPath::file(path).ok());
        let path = path.filter(|path| {
            let mut names = path.components();
            self.harmless.is_empty() || !names.any(|name| name.starts_with(self.harmless))
        });
        if let Some(address) = path.and_then(|path| uri::address_of_note(&self.vault, &path)) {
            fields.insert("uri".to_owned(), address.into());
        }
    }
}

impl Data {
    /// Builds the data of an answer.
    pub fn from_answer(answer: impl Into<Answer>) -> Self {
        Self {
            answer: Some(answer.into()),
            ..Self::default()
        }
    }

    /// Adds a link to each note of an answer.
    pub fn link_notes(&mut self, links: LinksToNotes) {
        if self.answer.is_some() {
            self.map = OnceLock::new();
            self.links = Some(links);
        }
    }

    /// Whether its notes have links.
    pub const fn has_links(&self) -> bool {
        self.links.is_some()
    }

    /// Returns the typed answer; `None` for the answer of a verb.
    pub const fn answer(&self) -> Option<&Answer> {
        self.answer.as_ref()
    }

    /// Returns the answer to an own command or of the gateway itself, if it is of this type.
    pub fn own<T: AnswerData>(&self) -> Option<&T> {
        self.answer()?.downcast_ref()
    }

    /// Returns the gateway's own answer of this type to change it, as [`Self::own`].
    pub fn own_mut<T: AnswerData>(&mut self) -> Option<&mut T> {
        self.answer_mut()?.downcast_mut()
    }

    /// Returns the numbers of a list; `None` for other answers.
    pub fn list(&mut self) -> Option<ListNumbers> {
        self.answer.as_mut()?.numbers()
    }

    /// Returns the typed answer, to change it.
    pub fn answer_mut(&mut self) -> Option<&mut Answer> {
        let answer = self.answer.as_mut()?;
        self.map = OnceLock::new();
        Some(answer)
    }

    /// Returns the list of a typed answer; `None` for other answers.
    pub fn items(&mut self) -> Option<&mut dyn Items> {
        self.answer_mut()?.list()
    }

    /// Returns the text of an answer from which a part can be cut, such as the text of a note.
    pub fn answer_text(&mut self) -> Option<AnswerText<'_>> {
        self.answer_mut()?.answer_text()
    }

    /// Returns the text whose format is not known, or that an undo keeps.
    pub fn text(&self) -> Option<&str> {
        let answer = self.answer()?;
        match answer.downcast_ref::<RawText>() {
            Some(raw) => Some(&raw.text),
            None => answer.downcast_ref::<KeptFacts>()?.text.as_deref(),
        }
    }

    /// Returns the path of what it is about.
    pub fn path(&self) -> Option<&str> {
        self.as_map().get("path")?.as_str()
    }

    /// Returns the items of a list, as JSON.
    pub fn rows(&self) -> Option<&[Value]> {
        Some(self.as_map().get("items")?.as_array()?)
    }

    /// Returns the number of files that a dry run's plan would change; `None` if the data is not a plan.
    pub fn planned_files(&self) -> Option<usize> {
        self.answer()?.planned_files()
    }

    /// Returns which part of a list or of a text these data are, as far as they say.
    pub fn part(&self) -> Part {
        match self.own::<TagFiles>() {
            // Its list is one level deeper.
            Some(tag) => Part::from(&tag.files as &dyn Items),
            None => Part::deserialize(self.as_map()).unwrap_or_default(),
        }
    }

    /// Whether it is the plan of a dry run.
    pub fn is_plan(&self) -> bool {
        self.planned_files().is_some()
    }

    /// Returns the data as a map, to look up keys of any answer.
    pub fn as_map(&self) -> &Map<String, Value> {
        self.map.get_or_init(|| {
            let fields = self.answer().map(|answer| object(answer.to_json()));
            let mut fields = fields.unwrap_or_default();
            if let Some(links) = &self.links {
                links.add_to_fields(&mut fields);
            }
            fields
        })
    }

    /// Whether the data has no fields.
    pub fn is_empty(&self) -> bool {
        self.answer.is_none() && self.map.get().is_none_or(Map::is_empty)
    }

    /// Converts the data into a map.
    pub fn into_map(self) -> Map<String, Value> {
        self.as_map();
        self.map.into_inner().unwrap_or_default()
    }
}

/// Numbers of the part of a list or text that the caller gets.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    /// Number of items before any limit.
    pub total: Option<usize>,
    /// Number of items in the answer.
    pub returned: Option<usize>,
    /// The `offset` of the next part.
    pub next_offset: Option<usize>,
    /// Whether something was left out.
    #[serde(default)]
    pub truncated: bool,
}

impl From<&dyn Items> for Part {
    fn from(list: &dyn Items) -> Self {
        let numbers = list.numbers();
        Self {
            total: Some(numbers.total),
            returned: Some(numbers.returned),
            next_offset: numbers.next(),
            truncated: numbers.truncated,
        }
    }
}

impl Serialize for Data {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.answer {
            Some(answer) if self.map.get().is_none() && self.links.is_none() => {
                answer.serialize(serializer)
            }
            _ => self.as_map().serialize(serializer),
        }
    }
}

impl From<Map<String, Value>> for Data {
    fn from(fields: Map<String, Value>) -> Self {
        Self {
            map: fields.into(),
            ..Self::default()
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
        self.as_map() == other.as_map()
    }
}

#[cfg(test)]
mod tests {
    use vault_answers::{
        BaseRow, BaseRows, BaseViewFacts, FileItem, List, NoteText, PlaceInText, TagItem,
    };

    use super::*;

    #[test]
    fn each_note_gets_its_link_also_after_a_cut() {
        let row = |path: &str| FileItem {
            path: path.to_owned(),
        };
        let mut data = Data::from_answer(List::part(
            vec![row("A b/c.md"), row("untrusted-1.md"), row("d.png")],
            0,
            3,
        ));
        data.link_notes(LinksToNotes {
            vault: "My Notes".to_owned(),
            harmless: "untrusted-",
        });
        let items = |data: &Data| serde_json::to_value(data).unwrap()["items"].to_string();
        let first =
            r#"{"path":"A b/c.md","uri":"obsidian://open?vault=My%20Notes&file=A%20b%2Fc.md"}"#;
        assert_eq!(
            items(&data),
            format!(r#"[{first},{{"path":"untrusted-1.md"}},{{"path":"d.png"}}]"#)
        );
        data.items().unwrap().window(0, 1);
        assert_eq!(items(&data), format!("[{first}]"));
    }

    #[test]
    fn an_answer_is_written_as_its_map_is() {
        let tag = |tag: &str| TagItem {
            tag: tag.to_owned(),
            count: None,
        };
        let tags = Answer::from(List::part(vec![tag("#a")], 0, 3));
        let rows = Answer::from(BaseRows {
            rows: List::part(vec![BaseRow::default()], 0, 2),
            view: Some(BaseViewFacts::default()),
        });
        let mut note = Answer::from(NoteText::new(None, "a\u{9b}".to_owned()));
        let place = PlaceInText::new(1, Some(2), None);
        note.answer_text().unwrap().stand_at(place);
        for (answer, end) in [
            (tags, r##""items":[{"tag":"#a"}],"nextOffset":1}"##),
            (
                rows,
                r#""items":[{}],"nextOffset":1,"view":{"name":"","type":"","matching":0,"columns":[]}}"#,
            ),
            (
                note,
                r#"{"content":"a\u009b","offset":1,"truncated":true,"nextOffset":2}"#,
            ),
        ] {
            let data = Data::from_answer(answer);
            let line = protocol::json::to_line(&data).unwrap();
            assert!(line.ends_with(end), "{line}");
            assert_eq!(protocol::json::to_line(data.as_map()).unwrap(), line);
            let read: Map<String, Value> = serde_json::from_str(&line).unwrap();
            assert_eq!(data.into_map(), read);
        }
    }
}
