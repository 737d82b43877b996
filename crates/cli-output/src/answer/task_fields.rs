//! The fields that the Tasks plugin keeps in the text of a task: dates, priority, recurrence, ids.
//!
//! Both of its notations are read: emoji (`📅 2026-03-14`) and Dataview fields (`[due:: 2026-03-14]`). As in the plugin,
//! fields are at the end of the line, in any order, with tags and a block id among them; before the last of other text
//! they are text.

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
enum TaskField {
    Due,
    Scheduled,
    Start,
    Created,
    Done,
    Cancelled,
    Recurrence,
    Id,
    DependsOn,
    OnCompletion,
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
    /// use cli_output::TaskFields;
    ///
    /// let fields = TaskFields::parse("- [ ] Call Ana ⏫ 🔁 every week 📅 2026-03-14 #phone");
    /// assert_eq!(fields.due.as_deref(), Some("2026-03-14"));
    /// assert_eq!(fields.recurrence.as_deref(), Some("every week"));
    /// ```
    pub fn parse(line: &str) -> Self {
        let mut fields = Self::default();
        let mut rest = line.trim_end();
        if let Some((before, last)) = rest.rsplit_once([' ', '\t'])
            && last.starts_with('^')
        {
            rest = before.trim_end();
        }
        while let Some(before) = fields.take_last(rest) {
            rest = before.trim_end();
        }
        fields
    }

    /// Takes the last field or tag off the line; the line before it, or `None` if other text is last.
    fn take_last<'line>(&mut self, line: &'line str) -> Option<&'line str> {
        let line = line.strip_suffix(PICTURE).unwrap_or(line);
        if let Some((before, inner)) = bracketed(line) {
            return self.take_named(inner).then_some(before);
        }
        for (mark, priority, _) in PRIORITIES {
            if let Some(before) = line.strip_suffix(mark) {
                self.priority.get_or_insert(priority);
                return Some(before);
            }
        }
        if let Some((before, last)) = line.rsplit_once([' ', '\t'])
            && last.len() > 1
            && last.starts_with('#')
        {
            return Some(before);
        }
        let (at, mark, field) = MARKS
            .iter()
            .filter_map(|(mark, field)| Some((line.rfind(*mark)?, *mark, *field)))
            .max_by_key(|(at, ..)| *at)?;
        let value = line.get(at + mark.len_utf8()..)?;
        let value = value.strip_prefix(PICTURE).unwrap_or(value).trim();
        self.take(field, value).then(|| line.get(..at)).flatten()
    }

    /// Reads an inline field such as `due:: 2026-03-14`; returns whether it is known.
    fn take_named(&mut self, inner: &str) -> bool {
        let Some((name, value)) = inner.split_once("::") else {
            return false;
        };
        let (name, value) = (name.trim(), value.trim());
        if name == "priority" {
            let known = PRIORITIES.iter().find(|(_, _, word)| *word == value);
            if let Some((_, priority, _)) = known {
                self.priority.get_or_insert(*priority);
            }
            return known.is_some();
        }
        let field = NAMES.iter().find(|(known, _)| *known == name);
        field.is_some_and(|(_, field)| self.take(*field, value))
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
    fn what_is_followed_by_text_is_text() {
        for line in [
            "- [ ] 📅 2026-03-14 call Ana",
            "- [ ] a 📅 2026-02-30",
            "- [ ] a 📅 tomorrow",
            "- [ ] a [due:: soon]",
            "- [ ] a [link](due:: x)",
            "- [ ] plain",
            "",
        ] {
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
            let fields = TaskFields::parse(&line);
            prop_assert!(fields.due.is_none_or(|due| due.len() == 10));
        }
    }
}
