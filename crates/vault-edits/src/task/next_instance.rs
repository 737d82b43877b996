//! The lines of a recurring task that is done: its next instance and the done one, as the Tasks plugin writes them
//! (`vault-semantics.md` §3.4).

use jiff::civil::Date;
use obsidian_note::Warning;
use vault_answers::{TaskField, TaskFieldPlace, TaskFields};
use vault_files::{ConfigKeys, EngineError, RecurrenceObstacle, Vault};

use super::recurrence::Recurrence;

/// The settings of the Tasks plugin that decide about these lines, with its defaults.
#[derive(Debug)]
pub(super) struct TasksSettings {
    /// The text or tag without which a line is not a task of the plugin; empty for none.
    global_filter: String,
    sets_created_date: bool,
    sets_done_date: bool,
    /// Whether the next instance is below the done task, and not above it.
    is_next_below: bool,
    /// Whether the next instance has no scheduled date if it has another one.
    drops_scheduled_date: bool,
    /// Warnings about settings that could not be used.
    pub(super) warnings: Vec<Warning>,
}

const SETTINGS: &str = "plugins/obsidian-tasks-plugin/data.json";

impl TasksSettings {
    pub(super) fn read(vault: &Vault) -> Result<Self, EngineError> {
        let mut file = ConfigKeys::read(vault, SETTINGS)?;
        let global_filter = file.take("globalFilter", "a text").unwrap_or_default();
        let mut is_on = |key| file.take(key, "`true` or `false`");
        Ok(Self {
            sets_created_date: is_on("setCreatedDate").unwrap_or(false),
            sets_done_date: is_on("setDoneDate").unwrap_or(true),
            is_next_below: is_on("recurrenceOnNextLine").unwrap_or(false),
            drops_scheduled_date: is_on("removeScheduledDateOnRecurrence").unwrap_or(false),
            global_filter,
            warnings: file.warnings,
        })
    }
}

/// Whether this character between the brackets means that a task is done.
pub(super) const fn is_done(status: char) -> bool {
    matches!(status, 'x' | 'X')
}

/// Whether a line has a recurrence rule, also one that cannot be read.
pub(super) fn recurs(line: &str) -> bool {
    let is_rule = |(at, mark): (usize, &str)| {
        let value = line.get(at + mark.len()..).unwrap_or_default();
        let value = value.trim_start_matches(['\u{fe0f}', ' ', '\t']);
        value
            .get(..5)
            .is_some_and(|word| word.eq_ignore_ascii_case("every"))
    };
    ["🔁", "repeat::", "recurrence::"]
        .iter()
        .any(|mark| line.match_indices(mark).any(is_rule))
}

/// Returns the lines that replace the line of a recurring task when it gets this status, which means done. `None` if it
/// is not a task of the plugin. `box_at` is the byte of the status in the line.
pub(super) fn lines(
    line: &str,
    (box_at, status): (usize, char),
    today: Date,
    settings: &TasksSettings,
) -> Result<Option<[String; 2]>, RecurrenceObstacle> {
    if !line.contains(&settings.global_filter) {
        return Ok(None);
    }
    let (fields, places) = TaskFields::parse_with_places(line);
    let is_twice = |(index, place): (usize, &TaskFieldPlace)| {
        places[..index]
            .iter()
            .any(|other| other.field == place.field)
    };
    if places.iter().enumerate().any(is_twice) {
        return Err(RecurrenceObstacle::FieldTwice);
    }
    let rule = fields
        .recurrence
        .as_deref()
        .ok_or(RecurrenceObstacle::Unread)?;
    if fields
        .on_completion
        .as_deref()
        .is_some_and(|action| action.eq_ignore_ascii_case("delete"))
    {
        return Err(RecurrenceObstacle::DeletesItself);
    }
    let recurrence = Recurrence::parse(rule).ok_or(RecurrenceObstacle::UnknownRule)?;
    let line = Line {
        text: line,
        places: &places,
        is_dataview: is_dataview(&places),
    };
    let mut next = line.next(&fields, &recurrence, today, settings)?;
    next.push(Replacement {
        range: box_at..box_at + status_length(line.text, box_at),
        text: " ".into(),
    });
    let mut done = line.done(today, settings);
    done.push(Replacement {
        range: box_at..box_at + status_length(line.text, box_at),
        text: status.into(),
    });
    let mut lines = [line.with(next), line.with(done)];
    if settings.is_next_below {
        lines.reverse();
    }
    Ok(Some(lines))
}

fn status_length(line: &str, box_at: usize) -> usize {
    let status = line.get(box_at..).and_then(|rest| rest.chars().next());
    status.map_or(0, char::len_utf8)
}

fn is_dataview(places: &[TaskFieldPlace]) -> bool {
    let rule = places
        .iter()
        .find(|place| place.field == TaskField::Recurrence);
    rule.is_some_and(|rule| rule.is_dataview)
}

/// The line of a task, with the places of its fields.
struct Line<'line> {
    text: &'line str,
    places: &'line [TaskFieldPlace],
    /// Whether new fields are written in Dataview's form.
    is_dataview: bool,
}

/// A new text for a range of the line; empty to remove it.
struct Replacement {
    range: std::ops::Range<usize>,
    text: String,
}

impl Line<'_> {
    /// Returns what the next instance changes, besides its status.
    fn next(
        &self,
        fields: &TaskFields,
        recurrence: &Recurrence,
        today: Date,
        settings: &TasksSettings,
    ) -> Result<Vec<Replacement>, RecurrenceObstacle> {
        let date = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<Date>().ok());
        let (due, scheduled, start) = (
            date(&fields.due),
            date(&fields.scheduled),
            date(&fields.start),
        );
        let reference = if settings.drops_scheduled_date {
            due.or(start).or(scheduled)
        } else {
            due.or(scheduled).or(start)
        };
        let base = reference.filter(|_| !recurrence.when_done).unwrap_or(today);
        let next = recurrence
            .next_after(base)
            .ok_or(RecurrenceObstacle::NoNextDay)?;
        let mut changes = Vec::new();
        // The other dates keep their distance from the reference date.
        if let Some(reference) = reference {
            let moved = next
                .since(reference)
                .map_err(|_| RecurrenceObstacle::NoNextDay)?;
            let drops_scheduled =
                settings.drops_scheduled_date && (due.is_some() || start.is_some());
            for (field, date) in [
                (TaskField::Due, due),
                (TaskField::Scheduled, scheduled.filter(|_| !drops_scheduled)),
                (TaskField::Start, start),
            ] {
                let Some(date) = date else {
                    changes.extend(self.removed(field));
                    continue;
                };
                let date = date
                    .checked_add(moved)
                    .map_err(|_| RecurrenceObstacle::NoNextDay)?;
                changes.extend(self.set(field, date));
            }
        }
        for field in [
            TaskField::Done,
            TaskField::Cancelled,
            TaskField::Id,
            TaskField::DependsOn,
            TaskField::BlockId,
        ] {
            changes.extend(self.removed(field));
        }
        if !settings.sets_created_date {
            changes.extend(self.removed(TaskField::Created));
        } else if let Some(created) = self.set(TaskField::Created, today) {
            changes.push(created);
        } else {
            let dates = [
                TaskField::Start,
                TaskField::Scheduled,
                TaskField::Due,
                TaskField::Done,
            ];
            let first = dates
                .iter()
                .filter_map(|field| self.place(*field))
                .map(|place| self.gap(place).start)
                .min();
            changes.push(self.added(
                first.unwrap_or_else(|| self.end()),
                ("➕", "created"),
                today,
            ));
        }
        Ok(changes)
    }

    /// Returns what the done task changes, besides its status.
    fn done(&self, today: Date, settings: &TasksSettings) -> Vec<Replacement> {
        let mut changes: Vec<Replacement> =
            self.removed(TaskField::Cancelled).into_iter().collect();
        if !settings.sets_done_date {
            changes.extend(self.removed(TaskField::Done));
        } else if let Some(done) = self.set(TaskField::Done, today) {
            changes.push(done);
        } else {
            changes.push(self.added(self.end(), ("✅", "completion"), today));
        }
        changes
    }

    fn place(&self, field: TaskField) -> Option<&TaskFieldPlace> {
        self.places.iter().find(|place| place.field == field)
    }

    /// Returns a field with the blanks before it.
    fn gap(&self, place: &TaskFieldPlace) -> std::ops::Range<usize> {
        let before = self.text.get(..place.whole.start).unwrap_or_default();
        before.trim_end_matches([' ', '\t']).len()..place.whole.end
    }

    /// Returns the end of the text and its fields, before the id of the line.
    fn end(&self) -> usize {
        let id = self.place(TaskField::BlockId);
        id.map_or_else(|| self.text.trim_end().len(), |id| self.gap(id).start)
    }

    fn removed(&self, field: TaskField) -> Option<Replacement> {
        let place = self.place(field)?;
        Some(Replacement {
            range: self.gap(place),
            text: String::new(),
        })
    }

    fn set(&self, field: TaskField, date: Date) -> Option<Replacement> {
        let place = self.place(field)?;
        Some(Replacement {
            range: place.value.clone(),
            text: date.to_string(),
        })
    }

    /// A new field. Dataview's form has two blanks before it, as the plugin writes it.
    fn added(&self, at: usize, (emoji, name): (&str, &str), date: Date) -> Replacement {
        let text = if self.is_dataview {
            format!("  [{name}:: {date}]")
        } else {
            format!(" {emoji} {date}")
        };
        Replacement {
            range: at..at,
            text,
        }
    }

    /// Returns the line with these changes, which do not overlap.
    fn with(&self, mut changes: Vec<Replacement>) -> String {
        changes.sort_by_key(|change| std::cmp::Reverse((change.range.start, change.range.end)));
        let mut line = self.text.to_owned();
        for change in changes {
            line.replace_range(change.range, &change.text);
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    const CASES: &str = include_str!("next_instance_cases.txt");

    fn settings() -> TasksSettings {
        TasksSettings {
            global_filter: String::new(),
            sets_created_date: false,
            sets_done_date: true,
            is_next_below: false,
            drops_scheduled_date: false,
            warnings: Vec::new(),
        }
    }

    fn with(
        line: &str,
        settings: &TasksSettings,
    ) -> Result<Option<[String; 2]>, RecurrenceObstacle> {
        let box_at = line.find('[').unwrap() + 1;
        lines(line, (box_at, 'x'), date(2022, 2, 13), settings)
    }

    fn done(line: &str) -> String {
        with(line, &settings()).unwrap().unwrap().join("\n")
    }

    /// Examples of the plugin's page "Recurring Tasks" and of its `tests/Task/Task.test.ts` (obsidian-tasks at cc0fce3, MIT),
    /// with another day of completion.
    #[test]
    fn both_lines_are_those_of_the_plugin() {
        for [line, expected] in tables::section(CASES, "both lines are those of the plugin") {
            assert!(recurs(line), "{line}");
            assert_eq!(done(line), expected);
        }
    }

    #[test]
    fn the_settings_of_the_plugin_apply() {
        let line = "- [ ] a #t 🔁 every 3 days when done 🛫 2022-01-01 ⏳ 2022-01-04";
        let changed = |change: fn(&mut TasksSettings)| {
            let mut settings = settings();
            change(&mut settings);
            with(line, &settings).unwrap().map(|lines| lines.join("\n"))
        };
        insta::assert_snapshot!(changed(|settings| settings.drops_scheduled_date = true).unwrap(), @r"
        - [ ] a #t 🔁 every 3 days when done 🛫 2022-02-16
        - [x] a #t 🔁 every 3 days when done 🛫 2022-01-01 ⏳ 2022-01-04 ✅ 2022-02-13
        ");
        insta::assert_snapshot!(changed(|settings| settings.is_next_below = true).unwrap(), @r"
        - [x] a #t 🔁 every 3 days when done 🛫 2022-01-01 ⏳ 2022-01-04 ✅ 2022-02-13
        - [ ] a #t 🔁 every 3 days when done 🛫 2022-02-13 ⏳ 2022-02-16
        ");
        insta::assert_snapshot!(changed(|settings| settings.sets_created_date = true).unwrap(), @r"
        - [ ] a #t 🔁 every 3 days when done ➕ 2022-02-13 🛫 2022-02-13 ⏳ 2022-02-16
        - [x] a #t 🔁 every 3 days when done 🛫 2022-01-01 ⏳ 2022-01-04 ✅ 2022-02-13
        ");
        insta::assert_snapshot!(changed(|settings| settings.sets_done_date = false).unwrap(), @r"
        - [ ] a #t 🔁 every 3 days when done 🛫 2022-02-13 ⏳ 2022-02-16
        - [x] a #t 🔁 every 3 days when done 🛫 2022-01-01 ⏳ 2022-01-04
        ");
        assert_eq!(
            changed(|settings| settings.global_filter = "#task".into()),
            None
        );
    }

    #[test]
    fn what_cannot_be_computed_is_refused() {
        for [line, obstacle] in tables::section(CASES, "what cannot be computed is refused") {
            assert!(recurs(line), "{line}");
            let found = with(line, &settings()).unwrap_err();
            assert_eq!(format!("{found:?}"), obstacle, "{line}");
        }
        for line in [
            "- [ ] press 🔁 twice",
            "- [ ] a",
            "- [ ] 🔁",
            "- [ ] repeat: every day",
        ] {
            assert!(!recurs(line), "{line}");
        }
    }
}
