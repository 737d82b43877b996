//! The fields that the Tasks plugin keeps in the text of a task: dates, priority, recurrence, ids.
//!
//! Both of its notations are read: emoji (`📅 2026-03-14`) and Dataview fields (`[due:: 2026-03-14]`). As in the plugin,
//! fields are at the end of the line, in any order, with tags and a block id among them; before the last of other text
//! they are text.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

/// The fields of the Tasks plugin in one task; those that it does not have are absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskFields {
    /// When it has to be done: `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    /// When it is meant to be worked on: `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduled: Option<String>,
    /// The first day on which it can be worked on: `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// When it was written down: `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// When it was done: `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<String>,
    /// When it was given up: `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancelled: Option<String>,
    /// Its priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<TaskPriority>,
    /// The recurrence, as written: `every week`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<String>,
    /// The id by which other tasks name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The ids of the tasks that have to be done before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// The action when the task is done: `delete` or `keep`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_completion: Option<String>,
    /// The tags in its text, with their `#`, in the order of the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The id by which links name its line, without its `^`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_id: Option<String>,
}

/// The priority of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum TaskPriority {
    Lowest,
    Low,
    Medium,
    High,
    Highest,
}

/// One field, by either of its notations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "the names are those of the fields of `TaskFields`"
)]
pub enum TaskField {
    Due,
    Scheduled,
    Start,
    Created,
    Done,
    Cancelled,
    Priority,
    Recurrence,
    Id,
    DependsOn,
    OnCompletion,
    BlockId,
}

/// The place of one field in the line of its task, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskFieldPlace {
    /// The field.
    pub field: TaskField,
    /// The field with its emoji or brackets, without the blanks before it.
    pub whole: Range<usize>,
    /// Its value.
    pub value: Range<usize>,
    /// Whether it is a Dataview field (`[due:: 2026-03-14]`).
    pub is_dataview: bool,
}

const MARKS: [(char, TaskField); 15] = [
    ('📅', TaskField::Due),
    ('📆', TaskField::Due),
    ('🗓', TaskField::Due),
    ('⏳', TaskField::Scheduled),
    ('⌛', TaskField::Scheduled),
    ('🛫', TaskField::Start),
    ('➕', TaskField::Created),
    ('✅', TaskField::Done),
    ('❌', TaskField::Cancelled),
    ('🔁', TaskField::Recurrence),
    ('🆔', TaskField::Id),
    ('⛔', TaskField::DependsOn),
    ('🏁', TaskField::OnCompletion),
    // Older forms of the same.
    ('🛬', TaskField::Due),
    ('📝', TaskField::Created),
];

const NAMES: [(&str, TaskField); 10] = [
    ("due", TaskField::Due),
    ("scheduled", TaskField::Scheduled),
    ("start", TaskField::Start),
    ("created", TaskField::Created),
    ("completion", TaskField::Done),
    ("cancelled", TaskField::Cancelled),
    ("repeat", TaskField::Recurrence),
    ("id", TaskField::Id),
    ("dependsOn", TaskField::DependsOn),
    ("onCompletion", TaskField::OnCompletion),
];

const PRIORITIES: [(char, TaskPriority, &str); 5] = [
    ('🔺', TaskPriority::Highest, "highest"),
    ('⏫', TaskPriority::High, "high"),
    ('🔼', TaskPriority::Medium, "medium"),
    ('🔽', TaskPriority::Low, "low"),
    ('⏬', TaskPriority::Lowest, "lowest"),
];

/// Follows an emoji that is to be shown as a picture.
const PICTURE: char = '\u{fe0f}';

impl TaskFields {
    /// Reads the fields of a task's line, from its end. Linear in the length of the line for each field.
    ///
    /// ```
    /// use vault_answers::TaskFields;
    ///
    /// let fields = TaskFields::parse("- [ ] Call Ana ⏫ 🔁 every week 📅 2026-03-14 #phone");
    /// assert_eq!(fields.due.as_deref(), Some("2026-03-14"));
    /// assert_eq!(fields.recurrence.as_deref(), Some("every week"));
    /// assert_eq!(fields.tags, ["#phone"]);
    /// ```
    pub fn parse(line: &str) -> Self {
        Self::parse_with_places(line).0
    }

    /// Reads the fields of a task's line like [`Self::parse`], and returns the place of each, the last of the line
    /// first. A field that occurs twice has two places.
    pub fn parse_with_places(line: &str) -> (Self, Vec<TaskFieldPlace>) {
        let mut fields = Self {
            tags: tags(line).map(str::to_owned).collect(),
            ..Self::default()
        };
        let mut places = Vec::new();
        let mut rest = line.trim_end();
        if let Some((before, id)) = block_id(rest) {
            fields.block_id = Some(id.to_owned());
            places.push(TaskFieldPlace {
                field: TaskField::BlockId,
                whole: rest.len() - id.len() - "^".len()..rest.len(),
                value: rest.len() - id.len()..rest.len(),
                is_dataview: false,
            });
            rest = before.trim_end();
        }
        while let Some((before, place)) = fields.take_last(rest) {
            places.extend(place);
            rest = before.trim_end();
        }
        (fields, places)
    }

    /// Takes the last field or tag off the line. Returns the line before it and the place of a field; `None` if other
    /// text is last.
    fn take_last<'line>(
        &mut self,
        whole: &'line str,
    ) -> Option<(&'line str, Option<TaskFieldPlace>)> {
        let line = whole.strip_suffix(PICTURE).unwrap_or(whole);
        if let Some((before, inner)) = bracketed(line) {
            let (field, value) = self.take_named(inner)?;
            let start = before.len() + "[".len() + value.start;
            let place = TaskFieldPlace {
                field,
                whole: before.len()..whole.len(),
                value: start..start + value.len(),
                is_dataview: true,
            };
            return Some((before, Some(place)));
        }
        for (mark, priority, _) in PRIORITIES {
            if let Some(before) = line.strip_suffix(mark) {
                self.priority.get_or_insert(priority);
                let place = TaskFieldPlace {
                    field: TaskField::Priority,
                    whole: before.len()..whole.len(),
                    value: before.len()..line.len(),
                    is_dataview: false,
                };
                return Some((before, Some(place)));
            }
        }
        if let Some((before, last)) = line.rsplit_once([' ', '\t'])
            && last.len() > 1
            && last.starts_with('#')
        {
            return Some((before, None));
        }
        let (at, mark, field) = MARKS
            .iter()
            .filter_map(|(mark, field)| Some((line.rfind(*mark)?, *mark, *field)))
            .max_by_key(|(at, ..)| *at)?;
        let after = line.get(at + mark.len_utf8()..)?;
        let value = after.strip_prefix(PICTURE).unwrap_or(after).trim();
        if !self.take(field, value) {
            return None;
        }
        let end = after.trim_end().len() + line.len() - after.len();
        let place = TaskFieldPlace {
            field,
            whole: at..end,
            value: end - value.len()..end,
            is_dataview: false,
        };
        Some((line.get(..at)?, Some(place)))
    }

    /// Reads an inline field such as `due:: 2026-03-14`. Returns the field, if it is known, and the range of its value.
    fn take_named(&mut self, inner: &str) -> Option<(TaskField, Range<usize>)> {
        let (name, value) = inner.split_once("::")?;
        let name = name.trim();
        let end = inner.trim_end().len();
        let value = value.trim();
        let range = end.saturating_sub(value.len())..end;
        if name == "priority" {
            let (_, priority, _) = PRIORITIES.iter().find(|(_, _, word)| *word == value)?;
            self.priority.get_or_insert(*priority);
            return Some((TaskField::Priority, range));
        }
        let (_, field) = NAMES.iter().find(|(known, _)| *known == name)?;
        self.take(*field, value).then_some((*field, range))
    }

    /// Sets a field, unless a later one of its kind is there; false if the value is not of its kind.
    fn take(&mut self, field: TaskField, value: &str) -> bool {
        let place = match field {
            TaskField::Due => &mut self.due,
            TaskField::Scheduled => &mut self.scheduled,
            TaskField::Start => &mut self.start,
            TaskField::Created => &mut self.created,
            TaskField::Done => &mut self.done,
            TaskField::Cancelled => &mut self.cancelled,
            TaskField::Recurrence => &mut self.recurrence,
            TaskField::Id => &mut self.id,
            TaskField::OnCompletion => &mut self.on_completion,
            TaskField::BlockId => &mut self.block_id,
            // Its value is one of a few words, which `take_named` knows.
            TaskField::Priority => return false,
            TaskField::DependsOn => {
                let ids: Vec<&str> = value.split(',').map(str::trim).collect();
                if !ids.iter().all(|id| is_id(id)) {
                    return false;
                }
                if self.depends_on.is_empty() {
                    self.depends_on = ids.into_iter().map(str::to_owned).collect();
                }
                return true;
            }
        };
        let fits = match field {
            TaskField::Recurrence => is_rule(value),
            TaskField::Id => is_id(value),
            TaskField::OnCompletion => {
                !value.is_empty() && value.chars().all(|c| c.is_ascii_alphabetic())
            }
            _ => is_day(value),
        };
        if fits && place.is_none() {
            *place = Some(value.to_owned());
        }
        fits
    }
}

/// The tags of a line as the plugin finds them (`hashTags` in its `TaskRegularExpressions`): `#` after a blank, up to a
/// blank or a character that no tag has.
fn tags(line: &str) -> impl Iterator<Item = &str> {
    line.split(char::is_whitespace).filter_map(|word| {
        let name = word.strip_prefix('#')?;
        let end = name.find(|character| "!@#$%^&*(),.?\":{}|<>".contains(character));
        let length = end.unwrap_or(name.len());
        (length > 0).then(|| &word[..length + "#".len()])
    })
}

/// The text before a block id at the end of a line, and the id.
fn block_id(line: &str) -> Option<(&str, &str)> {
    let (before, last) = line.rsplit_once([' ', '\t'])?;
    let id = last.strip_prefix('^')?;
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '-';
    (!id.is_empty() && id.chars().all(is_part)).then_some((before, id))
}

/// The text before a field in brackets or parentheses at the end of the line, and what is in them.
fn bracketed(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_suffix(',').unwrap_or(line);
    for (open, close) in [('[', ']'), ('(', ')')] {
        if let Some(inner) = line.strip_suffix(close) {
            let (before, inner) = inner.rsplit_once(open)?;
            return Some((before, inner));
        }
    }
    None
}

fn is_rule(value: &str) -> bool {
    let is_part = |character: char| character.is_ascii_alphanumeric() || ", !".contains(character);
    !value.is_empty() && value.chars().all(is_part)
}

fn is_id(value: &str) -> bool {
    let is_part = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    !value.is_empty() && value.chars().all(is_part)
}

/// Whether the text is a day of the calendar, `2026-03-14`.
fn is_day(text: &str) -> bool {
    let has_form = text.len() == 10 && text.as_bytes().get(4) == Some(&b'-');
    has_form && text.parse::<jiff::civil::Date>().is_ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CASES: &str = include_str!("task_fields_cases.txt");

    fn json(line: &str) -> serde_json::Value {
        serde_json::to_value(TaskFields::parse(line)).unwrap()
    }

    #[test]
    fn emoji_fields_at_the_end_are_read() {
        assert_eq!(
            json(
                "- [ ] a ⏫ 🔁 every week on Monday ➕ 2026-01-01 🛫 2026-01-02 ⏳ 2026-01-03 📅 2026-02-28 #tag ^id"
            ),
            serde_json::json!({
                "due": "2026-02-28", "scheduled": "2026-01-03", "start": "2026-01-02",
                "created": "2026-01-01", "priority": "high", "recurrence": "every week on Monday",
                "tags": ["#tag"], "blockId": "id",
            })
        );
        assert_eq!(
            json("- [x] b 🔽 ✅ 2026-03-14 🆔 abc ⛔ x1,y-2 🏁 delete"),
            serde_json::json!({
                "done": "2026-03-14", "priority": "low", "id": "abc", "dependsOn": ["x1", "y-2"],
                "onCompletion": "delete",
            })
        );
        assert_eq!(json("- [-] c ❌ 2026-03-14")["cancelled"], "2026-03-14");
        assert_eq!(json("- [ ] d 🗓\u{fe0f} 2026-03-14")["due"], "2026-03-14");
        assert_eq!(json("- [ ] e ⏬\u{fe0f}")["priority"], "lowest");
    }

    #[test]
    fn dataview_fields_are_read() {
        assert_eq!(
            json(
                "- [ ] a [priority:: highest]  [repeat:: every day], (due:: 2026-03-14) [completion::2026-03-15]"
            ),
            serde_json::json!({
                "due": "2026-03-14", "done": "2026-03-15", "priority": "highest", "recurrence": "every day",
            })
        );
    }

    #[test]
    fn tags_and_places_are_those_of_the_line() {
        let line = "- [ ] #a b #c/d, #1 e#f #g! 🔁 every day  [due:: 2026-03-14], 📅\u{fe0f} 2026-03-15 ⏫\u{fe0f} #h ^x-1  ";
        let (fields, places) = TaskFields::parse_with_places(line);
        assert_eq!(fields.tags, ["#a", "#c/d", "#1", "#g", "#h"]);
        let shown = places.iter().map(|place| {
            let (whole, value) = (&line[place.whole.clone()], &line[place.value.clone()]);
            format!(
                "{:?} <{whole}> <{value}> {}",
                place.field, place.is_dataview
            )
        });
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                "BlockId <^x-1> <x-1> false",
                "Priority <⏫\u{fe0f}> <⏫> false",
                "Due <📅\u{fe0f} 2026-03-15> <2026-03-15> false",
                "Due <[due:: 2026-03-14],> <2026-03-14> true",
                "Recurrence <🔁 every day> <every day> false",
            ]
        );
        // A text that only looks like an id is text.
        assert_eq!(json("- [ ] a 📅 2026-03-14 ^x_1"), serde_json::json!({}));
    }

    #[test]
    fn what_is_followed_by_text_is_text() {
        for line in tables::lines(CASES, "what is followed by text is text") {
            assert_eq!(json(line), serde_json::json!({}), "{line}");
        }
        // The fields before a broken one are text too.
        assert_eq!(
            json("- [ ] a ⏫ 📅 never 📅 2026-03-14")["priority"],
            serde_json::Value::Null
        );
    }

    proptest! {
        #[test]
        fn any_line_is_read(line in "[a🔁📅⏫\u{fe0f} \\[\\](): 0-9#^-]{0,60}") {
            let (fields, places) = TaskFields::parse_with_places(&line);
            for place in places {
                prop_assert!(line.get(place.whole.clone()).is_some());
                prop_assert!(place.whole.start <= place.value.start && place.value.end <= place.whole.end);
            }
            prop_assert!(fields.due.is_none_or(|due| due.len() == 10));
        }
    }
}
