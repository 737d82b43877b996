//! `notes:list` (`contracts.md` K20 to K22).

use std::cmp::{Ordering, Reverse};

use obsidian_note::Warning;
use serde_json::{Map, Value};
use vault_files::{Args, Collation, DailyNotes, FileFacts, Vault};

use super::condition::Condition;
use super::filter::{Filter, Listed, NoteMetadata, body};
use super::javascript::text_of;
use super::note::{heading_or_name, text_now};
use super::period::{Days, FileTime, Period, has_span};
use super::prelude::*;

pub(super) static COMMAND: OwnCommand =
    OwnCommand::new::<List<ListedNote>>("notes:list", "notes", list).with_total();

/// One note of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedNote {
    /// The note.
    pub path: String,
    /// Its metadata from its properties. Not with `fields=path`.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<NoteMetadata>,
    /// The properties that were asked for, in that order; null where the note does not have one. Only with
    /// `properties`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<Map<String, Value>>,
    /// All its properties. Only with `fields=full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frontmatter: Option<Map<String, Value>>,
    /// Its text below the properties. Only with `fields=full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

impl AnswerItem for ListedNote {
    fn source(&self) -> Option<Source<'_>> {
        Some(Source::Text(&self.path))
    }

    /// Returns path, date and tags, or only the path if no other fields were requested; then the properties.
    fn cells(&self) -> Vec<String> {
        let mut cells = vec![self.path.clone()];
        if let Some(metadata) = &self.metadata {
            let tags = [metadata.tags.as_slice(), &metadata.inline_tags].concat();
            cells.extend([metadata.date.clone().unwrap_or_default(), tags.join(" ")]);
        }
        for value in self.properties.iter().flat_map(Map::values) {
            cells.push(if value.is_null() {
                String::new()
            } else {
                text_of(value)
            });
        }
        cells
    }

    fn each_name(&mut self, visit: NameVisitor<'_>) {
        visit(&mut self.path);
        if let Some(metadata) = &mut self.metadata {
            visit(&mut metadata.name);
            let more = metadata.title.iter_mut().chain(&mut metadata.project);
            let tags = metadata.tags.iter_mut().chain(&mut metadata.inline_tags);
            more.chain(tags).for_each(visit);
        }
    }
}

/// The number of notes in an answer unless `limit` is given.
const LIMIT: usize = 20;

/// Returns the notes of the vault that pass every filter, by date or by path.
pub(super) fn list(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments, surroundings) = (call.vault, call.arguments, call.surroundings);
    let order = arguments.text("order").unwrap_or("date");
    let time = FileTime::of_order(order);
    // With an order by a time of the files, `since` and `until` are about that time too.
    let (days, time_of_files) = match time {
        Some(time) => (Days::default(), Some(time)),
        // With `since` and no `order`, a note without a date has the day of its last change.
        None if has_span(arguments) && arguments.text("order").is_none() => {
            let days = Days::from_arguments(arguments, surroundings)?;
            (days, Some(FileTime::Modified))
        }
        None => (Days::from_arguments(arguments, surroundings)?, None),
    };
    let period = time_of_files
        .map(|time| Period::from_arguments(time, arguments, surroundings))
        .transpose()?
        .flatten();
    let filter = Filter::without_days(arguments);
    let condition = Condition::evaluate(vault, arguments, surroundings)?;
    let mut seen = filter.read(vault)?;
    for warning in &condition.warnings {
        warning.clone().add_new(&mut seen.warnings);
    }
    let daily = vault.daily_notes().unwrap_or_else(|error| {
        let warning = vault.settings_ignored(&error);
        seen.warnings.push(warning);
        DailyNotes::default()
    });
    let mut notes: Vec<Listed<'_>> = filter
        .notes(&seen)
        .filter(|note| condition.holds(note.path))
        .map(|mut note| {
            if note.text("date").is_none() {
                note.day = daily.day_of(note.path);
            }
            note
        })
        .filter(|note| match (&period, note.date()) {
            (Some(_), Some(date)) if !days.is_unbounded() => days.contains(Some(&date)),
            (Some(period), _) => period.holds(vault, note.path),
            (None, date) => days.contains(date.as_deref()),
        })
        .collect();
    if arguments.flag("total") {
        return Ok(Reply::new(total(notes.len()), seen.warnings));
    }
    Collation::new()?.sort_by(&mut notes, |note| note.path.as_str());
    // The notes are in the app's order of paths already, and a stable sort keeps it for ties.
    match order {
        "date" => notes.sort_by(|left, right| dated(left, right, |left, right| right.cmp(left))),
        "date-asc" => notes.sort_by(|left, right| dated(left, right, Ord::cmp)),
        _ => {
            if let Some(time) = time {
                sort_by_time(&mut notes, vault, |facts| time.milliseconds(&facts));
            }
        }
    }
    let page = page_of(notes, arguments, LIMIT);
    let columns = columns(arguments);
    let has_titles = arguments.flag("titles");
    let usual = if columns.is_empty() || has_titles {
        "metadata"
    } else {
        "path"
    };
    let fields = arguments.text("fields").unwrap_or(usual);
    let mut warnings = seen.warnings.clone();
    let page = page.map(|note| {
        let path = note.path;
        let mut shown = ListedNote {
            properties: (!columns.is_empty()).then(|| note.values(&columns)),
            ..listed_note(note, vault, fields, &mut warnings)
        };
        if has_titles
            && let Some(metadata) = &mut shown.metadata
            && metadata.title.is_none()
        {
            let text = text_now(vault, path).unwrap_or_default();
            metadata.title = Some(heading_or_name(path, &text));
        }
        shown
    });
    Ok(Reply::new(page, warnings))
}

/// Returns the note with the details that `fields` asks for.
fn listed_note(
    note: Listed<'_>,
    vault: &Vault,
    fields: &str,
    warnings: &mut Vec<Warning>,
) -> ListedNote {
    let full = fields == "full";
    let metadata = (fields != "path").then(|| note.metadata());
    let body = full.then(|| body(vault, note.path, warnings)).flatten();
    ListedNote {
        path: note.path.to_string(),
        metadata,
        properties: None,
        frontmatter: full.then_some(note.properties),
        body,
    }
}

/// Returns the names of the properties that `properties=` asks for.
fn columns(arguments: &Args) -> Vec<String> {
    let names = arguments.list("properties").unwrap_or_default();
    names
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// Sorts by a time of the files, newest first. Reads the time from disk for each remaining note, because the index
/// keeps times only to recognise changes. A file that was removed since then sorts last.
fn sort_by_time(notes: &mut [Listed<'_>], vault: &Vault, time: impl Fn(FileFacts) -> i64) {
    notes.sort_by_cached_key(|note| Reverse(vault.facts(note.path).ok().map(&time)));
}

/// Sorts by the date. Notes without a date come last in both directions.
fn dated(
    left: &Listed<'_>,
    right: &Listed<'_>,
    compare: impl Fn(&String, &String) -> Ordering,
) -> Ordering {
    match (left.date(), right.date()) {
        (Some(left), Some(right)) => compare(&left, &right),
        (left, right) => right.is_some().cmp(&left.is_some()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use serde_json::json;
    use vault_files::Vault;
    use vault_files::vault::testing::vault;

    use crate::own::testing::{ask, ask_without, fails, text};
    use std::sync::LazyLock;

    const CASES: &str = include_str!("list_cases.txt");

    static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

    fn paths(vault: &Vault, line: &str) -> Vec<String> {
        let found = ask(vault, line);
        let items = found["items"].as_array().unwrap().iter();
        items
            .map(|item| item["path"].as_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn notes_are_filtered_and_ordered() {
        let (_folder, vault) = vault(&NOTES);
        for [line, expected] in tables::section(CASES, "notes are filtered and ordered") {
            let found = paths(&vault, format!("notes:list {line}").trim_end());
            assert_eq!(found.join(" "), expected, "{line}");
        }
        for wrong in ["since=soon", "until=2026-02-30", "since=2026-1-1"] {
            fails(&vault, &format!("notes:list {wrong}"));
        }
    }

    #[test]
    fn the_note_that_was_modified_last_comes_first() {
        let (folder, vault) = vault(&NOTES);
        // Hours of tomorrow, counted from its start: the same at every time of the day.
        let today = jiff::Zoned::now().with_time_zone(jiff::tz::TimeZone::UTC);
        let tomorrow = today.tomorrow().unwrap().start_of_day().unwrap();
        for (hour, path) in [(3, "c.md"), (2, "a.md"), (1, "b.md")] {
            let file = fs_err::File::options()
                .append(true)
                .open(folder.path().join("My Notes").join(path));
            let modified =
                SystemTime::from(tomorrow.timestamp()) + Duration::from_secs(3_600 * hour);
            file.unwrap().file().set_modified(modified).unwrap();
        }
        let found = paths(&vault, "notes:list order=modified limit=3");
        assert_eq!(found, ["c.md", "a.md", "b.md"]);
        let found = paths(&vault, "notes:list order=modified property=status limit=2");
        assert_eq!(found, ["a.md", "b.md"]);
        assert_eq!(paths(&vault, "notes:list order=created").len(), 6);
        // With an order by a time of the files, `since` and `until` are about that time.
        let line = format!(
            "notes:list order=modified since={} limit=9",
            tomorrow.date()
        );
        assert_eq!(paths(&vault, &line), ["c.md", "a.md", "b.md"]);
        let line = format!(
            "notes:list order=modified until={} total",
            today.date().yesterday().unwrap()
        );
        assert_eq!(ask(&vault, &line), json!({"total": 0}));
        for wrong in ["since=soon", "until=2026-02-30", "since=0x"] {
            fails(&vault, &format!("notes:list order=modified {wrong}"));
        }
    }

    #[test]
    fn a_variable_of_a_template_is_shown_as_it_is_written() {
        let note = "---\nday: {{date}}\nmonth: [\"x\", {{date:YYYY-MM}}]\nother: {a: 1}\n---\n";
        let (_folder, vault) = vault(&[("a.md", note)]);
        assert_eq!(
            text(&vault, r#"notes:list properties=["day","month","other"]"#),
            "a.md\t{{date}}\tx,{{date:YYYY-MM}}\t[object Object]\n"
        );
    }

    #[test]
    fn what_happened_in_the_last_days_is_one_call() {
        let (folder, vault) = vault(&tables::typed::<(&str, &str)>(
            CASES,
            "what happened in the last days is one",
        ));
        // The time of the question is 2026-03-14 09:26:53 in UTC.
        for [path, time] in tables::section(CASES, "what happened in the last days is one, 2") {
            let file = fs_err::File::options()
                .append(true)
                .open(folder.path().join("My Notes").join(path));
            let time: jiff::Timestamp = time.parse().unwrap();
            file.unwrap().file().set_modified(time.into()).unwrap();
        }
        for [line, expected] in tables::section(CASES, "what happened in the last days is one, 3") {
            let found = paths(&vault, &format!("notes:list {line}"));
            assert_eq!(found.join(" "), expected, "{line}");
        }
        let shown = ask(&vault, "notes:list order=date limit=1");
        assert_eq!(shown["items"][0]["date"], "2026-03-13");
    }

    /// The order in which Knowtation lists the notes of Obsidian's help (`contracts.md` K22).
    #[test]
    fn paths_are_in_the_order_of_the_app() {
        let paths_in_order = tables::lines(CASES, "paths are in the order of the app");
        let files: Vec<(&str, &str)> = paths_in_order.iter().map(|path| (*path, "x")).collect();
        let (_folder, vault) = vault(&files);
        for order in ["", "order=date", "order=date-asc", "order=path"] {
            let line = format!("notes:list {order}");
            assert_eq!(paths(&vault, line.trim_end()), paths_in_order, "{order}");
        }
    }

    #[test]
    fn each_note_has_the_requested_fields() {
        let (_folder, vault) = vault(&NOTES);
        assert_eq!(ask(&vault, "notes:list total"), json!({"total": 6}));
        assert_eq!(
            ask(&vault, "notes:list order=path limit=1 fields=path"),
            json!({
                "total": 6, "returned": 1, "offset": 0, "truncated": true,
                "items": [{"path": "a.md"}], "nextOffset": 1,
            })
        );
        let metadata = json!({
            "path": "a.md", "name": "a", "title": "The A", "project": null,
            "tags": ["#Work/Big", "#work"],
            "inlineTags": ["#x"], "date": "2026-01-05", "updated": null,
        });
        assert_eq!(
            ask(&vault, "notes:list order=path limit=1")["items"][0],
            metadata
        );
        let full = ask(&vault, "notes:list order=path limit=1 fields=full");
        assert_eq!(full["items"][0]["body"], "body #x\n");
        assert_eq!(full["items"][0]["frontmatter"]["status"], "open");
        assert_eq!(
            text(&vault, "notes:list order=path limit=2"),
            "a.md\t2026-01-05\t#Work/Big #work #x\nb.md\t2026-02-01T10:00\t#work\n"
        );
        assert_eq!(
            ask(&vault, "notes:list order=path limit=1 fields=path").to_string(),
            "{\"total\":6,\"returned\":1,\"offset\":0,\"truncated\":true,\"items\":[{\"path\":\"a.md\"}],\"nextOffset\":1}"
        );
    }

    #[test]
    fn titles_are_listed_next_to_columns() {
        let (_folder, vault) = vault(&[
            ("a.md", "---\ntitle: By property\n---\n# Heading\n"),
            ("b.md", "---\ntitle: ' '\n---\n## Second\n# First\n"),
            ("c.md", "words"),
        ]);
        for columns in ["", " properties=[\"status\"]"] {
            let found = ask(&vault, &format!("notes:list titles order=path{columns}"));
            let titles: Vec<&str> = found["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|item| item["title"].as_str().unwrap())
                .collect();
            assert_eq!(titles, ["By property", "First", "c"], "{columns}");
        }
    }

    #[test]
    fn chosen_properties_are_columns() {
        let (_folder, vault) = vault(&[
            (
                "a.md",
                "---\nStatus: open\ntags: [x, y]\nn: 5\ndescription: A text\n---\n",
            ),
            ("b.md", "---\nstatus: done\n---\n"),
        ]);
        let all = r#"notes:list order=path properties=["status","description","tags","n","none"]"#;
        assert_eq!(
            ask(&vault, all)["items"],
            json!([
                { "path": "a.md", "properties": {
                    "status": "open", "description": "A text", "tags": ["x", "y"], "n": 5, "none": null,
                } },
                { "path": "b.md", "properties": {
                    "status": "done", "description": null, "tags": null, "n": null, "none": null,
                } },
            ])
        );
        assert_eq!(
            text(&vault, all),
            "a.md\topen\tA text\tx,y\t5\nb.md\tdone\n"
        );
        let both = r#"notes:list order=path limit=1 properties=["n"] fields=metadata"#;
        assert_eq!(text(&vault, both), "a.md\t\t#x #y\t5\n");
        assert_eq!(ask(&vault, both)["items"][0]["name"], "a");
        let full = r#"notes:list order=path limit=1 properties=["n"] fields=full"#;
        assert_eq!(
            ask(&vault, full)["items"][0]["frontmatter"]["Status"],
            "open"
        );
    }

    #[test]
    fn d13_what_may_not_be_seen_is_in_no_list_and_no_count() {
        let (_folder, vault) = vault(&NOTES);
        let (found, _) = ask_without(&vault, "secret", "notes:list total tag=work");
        assert_eq!(found, json!({"total": 2}));
        let (found, _) = ask_without(&vault, "secret", "notes:list since=2026-02-15");
        assert_eq!(found["total"], 0);
    }
}
