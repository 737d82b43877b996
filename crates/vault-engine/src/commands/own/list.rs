//! `notes:list` (`contracts.md` K20 to K22).

use std::cmp::{Ordering, Reverse};
use std::collections::HashSet;

use cli_output::{Arguments, List, OwnForm, OwnItem};
use serde_json::{Map, Value};

use super::command::OwnCommand;
use super::condition::Condition;
use super::get::parts;
use super::javascript::text_of;
use super::note::{heading_or_name, text_now, titled};
use super::pair::Pair;
use super::period::{Days, FileTime, Period};
use super::project::project_of;
use super::slug::slug;
use crate::call::Call;
use crate::collation::Collation;
use crate::commands::reply::{Reply, total};
use crate::error::EngineError;
use crate::frontmatter::{Frontmatter, property};
use crate::index::{KeptRecord, Properties, Tags};
use crate::limits::MAX_NOTE_BYTES;
use crate::listed_files::Seen;
use crate::page::number;
use crate::path::VaultPath;
use crate::target::{folder, given};
use crate::vault::FileFacts;
use crate::vault::Vault;
use crate::warning::Warning;
use schemars::JsonSchema;
use serde::Serialize;

pub(super) static COMMAND: OwnCommand = OwnCommand {
    id: "notes:list",
    form: OwnForm::new::<List<ListedNote>>("notes").with_total(),
    serve: list,
};

/// One note of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListedNote {
    /// The note.
    pub(super) path: String,
    /// What its properties say. Not with `fields=path`.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(super) metadata: Option<NoteMetadata>,
    /// The properties that were asked for, in that order; null where the note does not have one. Only with
    /// `properties`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) properties: Option<Map<String, Value>>,
    /// All its properties. Only with `fields=full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) frontmatter: Option<Map<String, Value>>,
    /// Its text below the properties. Only with `fields=full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<String>,
}

/// What a list tells of a note besides its path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct NoteMetadata {
    /// The file's name without extension.
    pub(super) name: String,
    /// The property `title`; with `titles` of `notes:list`, else the first heading of level 1 or the name.
    pub(super) title: Option<String>,
    /// The slug of the property `project`, or else of the folder below `projects/`.
    pub(super) project: Option<String>,
    /// The tags of its properties, with their `#`, each once.
    pub(super) tags: Vec<String>,
    /// The tags of its text that its properties do not have, each once. Only where there are any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) inline_tags: Vec<String>,
    /// The property `date`, as written.
    pub(super) date: Option<String>,
    /// The property `updated`, as written.
    pub(super) updated: Option<String>,
}

impl OwnItem for ListedNote {
    /// Path, date, tags; the path alone where no more was asked for; then the properties.
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
}

/// How many notes are told unless `limit` says otherwise.
const LIMIT: usize = 20;

/// The notes of the vault that fit every filter, by date or by path.
pub(super) fn list(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments, surroundings) = (call.vault, call.arguments, call.surroundings);
    let order = given(arguments, "order").unwrap_or("date");
    let time = FileTime::of_order(order);
    // By the time of the files `since` and `until` are about it too.
    let (filter, period) = match time {
        Some(time) => (
            Filter::without_days(arguments)?,
            Period::of(time, arguments, surroundings)?,
        ),
        None => (Filter::of(arguments)?, None),
    };
    let condition = Condition::of(vault, arguments, surroundings)?;
    let mut seen = Seen::<Pair<Properties, Tags>>::read(vault)?;
    for warning in &condition.warnings {
        if !seen.warnings.contains(warning) {
            seen.warnings.push(warning.clone());
        }
    }
    let mut notes: Vec<Listed<'_>> = Listed::all(&seen)
        .filter(|note| filter.lets_through(note) && condition.holds(note.path))
        .filter(|note| {
            let holds = |period: &Period| period.holds(vault, note.path);
            period.as_ref().is_none_or(holds)
        })
        .collect();
    if arguments.flag("total") {
        return Ok(Reply::new(total(notes.len()), seen.warnings));
    }
    Collation::new()?.sort_by(&mut notes, |note| note.path.as_str());
    // They stand in the app's order of their paths, and a stable sort leaves ties so.
    match order {
        "date" => notes.sort_by(|left, right| dated(left, right, |left, right| right.cmp(left))),
        "date-asc" => notes.sort_by(|left, right| dated(left, right, Ord::cmp)),
        _ => {
            if let Some(time) = time {
                sort_by_time(&mut notes, vault, |facts| time.of(&facts));
            }
        }
    }
    let offset = number(arguments, "offset", 0)?;
    let limit = number(arguments, "limit", LIMIT)?;
    let columns = columns(arguments)?;
    let has_titles = arguments.flag("titles");
    let usual = if columns.is_empty() || has_titles {
        "metadata"
    } else {
        "path"
    };
    let fields = given(arguments, "fields").unwrap_or(usual);
    let mut warnings = seen.warnings.clone();
    let page = List::page(notes, offset, limit);
    let page = page.map(|note| {
        let path = note.path;
        let mut told = ListedNote {
            properties: (!columns.is_empty()).then(|| note.values(&columns)),
            ..note.told(vault, fields, &mut warnings)
        };
        if has_titles
            && let Some(metadata) = &mut told.metadata
            && metadata.title.is_none()
        {
            let text = text_now(vault, path).unwrap_or_default();
            metadata.title = Some(heading_or_name(path, &text));
        }
        told
    });
    Ok(Reply::own(page, warnings))
}

/// The properties that were asked for.
fn columns(arguments: &Arguments) -> Result<Vec<String>, EngineError> {
    let Some(list) = given(arguments, "properties") else {
        return Ok(Vec::new());
    };
    serde_json::from_str(list).map_err(|_| EngineError::Argument {
        name: "properties".to_owned(),
        rule: "a JSON array of names",
    })
}

/// Sorts by a time of the files, newest first. Asks the disk for each note that is left after the
/// filters, because the index keeps times of its own use only. A file that is gone meanwhile comes last.
fn sort_by_time(notes: &mut [Listed<'_>], vault: &Vault, time: impl Fn(FileFacts) -> i64) {
    notes.sort_by_cached_key(|note| Reverse(vault.facts(note.path).ok().map(&time)));
}

/// Those without a date come last either way.
fn dated(
    left: &Listed<'_>,
    right: &Listed<'_>,
    compare: impl Fn(&String, &String) -> Ordering,
) -> Ordering {
    match (left.text("date"), right.text("date")) {
        (Some(left), Some(right)) => compare(&left, &right),
        (left, right) => right.is_some().cmp(&left.is_some()),
    }
}

/// One note with what the index knows of it.
pub(super) struct Listed<'seen> {
    pub(super) path: &'seen VaultPath,
    pub(super) properties: Map<String, Value>,
    /// Every occurrence of a tag.
    tags: Vec<&'seen str>,
}

impl<'seen> Listed<'seen> {
    pub(super) fn all(seen: &'seen Seen<Pair<Properties, Tags>>) -> impl Iterator<Item = Self> {
        let Pair(properties, tags) = seen.column.as_ref();
        let mut properties = properties.iter().peekable();
        let mut tags = tags.iter().peekable();
        seen.notes().map(move |(id, path)| {
            while properties.next_if(|(other, _)| *other < id).is_some() {}
            while tags.next_if(|(other, _)| *other < id).is_some() {}
            let properties = properties.next_if(|(other, _)| *other == id);
            let tags = tags.next_if(|(other, _)| *other == id);
            Self {
                path,
                properties: properties
                    .and_then(|(_, text)| serde_json::from_str(&text.0).ok())
                    .unwrap_or_default(),
                tags: tags.map(|(_, tags)| tags.collect()).unwrap_or_default(),
            }
        })
    }

    /// One note by its record.
    pub(super) fn of_record(path: &'seen VaultPath, record: &'seen KeptRecord) -> Self {
        let properties = record.properties();
        Self {
            path,
            properties: properties
                .and_then(|text| serde_json::from_str(text).ok())
                .unwrap_or_default(),
            tags: record.tags().collect(),
        }
    }

    /// A property that is there, as a text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let value = self.properties.get(name).filter(|value| !value.is_null())?;
        Some(text_of(value))
    }

    /// The values of properties.
    fn values(&self, names: &[String]) -> Map<String, Value> {
        let value = |name: &String| {
            let found = property(&self.properties, name).map(|(_, value)| value);
            (name.clone(), found.cloned().unwrap_or_default())
        };
        names.iter().map(value).collect()
    }

    fn project(&self) -> Option<String> {
        project_of(self.path, self.properties.get("project"))
    }

    fn told(self, vault: &Vault, fields: &str, warnings: &mut Vec<Warning>) -> ListedNote {
        let full = fields == "full";
        let metadata = (fields != "path").then(|| self.metadata());
        let body = full.then(|| body(vault, self.path, warnings)).flatten();
        ListedNote {
            path: self.path.to_string(),
            metadata,
            properties: None,
            frontmatter: full.then_some(self.properties),
            body,
        }
    }

    pub(super) fn metadata(&self) -> NoteMetadata {
        let mut known = HashSet::new();
        let mut once = |tags: Vec<String>| -> Vec<String> {
            let tags = tags.into_iter();
            tags.filter(|tag| known.insert(tag.to_lowercase()))
                .collect()
        };
        let frontmatter = Frontmatter {
            properties: self.properties.clone(),
        };
        let tags = once(frontmatter.tags());
        let inline_tags = once(self.tags.iter().map(|tag| (*tag).to_owned()).collect());
        NoteMetadata {
            name: self.path.basename().to_owned(),
            title: titled(&self.properties),
            project: self.project(),
            tags,
            inline_tags,
            date: self.text("date"),
            updated: self.text("updated"),
        }
    }
}

/// The text of a note below its properties; none, and a warning, where it cannot be read.
pub(super) fn body(vault: &Vault, path: &VaultPath, warnings: &mut Vec<Warning>) -> Option<String> {
    let warning = match vault.read_up_to(path, path.as_str(), MAX_NOTE_BYTES) {
        Ok(Some(bytes)) => {
            let text = String::from_utf8_lossy(&bytes);
            return Some(parts(&text).1.to_owned());
        }
        Ok(None) => Warning::NoteTooLarge {
            path: path.clone(),
            limit: MAX_NOTE_BYTES,
        },
        Err(error) => Warning::NoteUnreadable {
            path: path.clone(),
            reason: error.to_string(),
        },
    };
    if !warnings.contains(&warning) {
        warnings.push(warning);
    }
    None
}

/// What a note must have.
pub(super) struct Filter {
    folder: VaultPath,
    /// In lower case, with its `#`.
    tag: Option<String>,
    tags: Option<WantedTags>,
    /// A slug.
    project: Option<String>,
    property: Option<String>,
    value: Option<String>,
    days: Days,
}

impl Filter {
    pub(super) fn of(arguments: &Arguments) -> Result<Self, EngineError> {
        Ok(Self {
            days: Days::of(arguments)?,
            ..Self::without_days(arguments)?
        })
    }

    fn without_days(arguments: &Arguments) -> Result<Self, EngineError> {
        let text = |name: &str| given(arguments, name).map(str::to_owned);
        let key = match given(arguments, "under") {
            Some(_) => "under",
            None => "folder",
        };
        let (folder, _) = folder(arguments, key)?;
        Ok(Self {
            folder,
            tag: text("tag").map(|tag| folded(&tag)),
            tags: given(arguments, "tags").map(|tags| WantedTags {
                tags: tags
                    .split(',')
                    .map(folded)
                    .filter(|tag| tag != "#")
                    .collect(),
                any: given(arguments, "match") == Some("any"),
            }),
            project: text("project").map(|project| slug(&project)),
            property: text("property"),
            value: text("value"),
            days: Days::default(),
        })
    }

    pub(super) fn lets_through(&self, note: &Listed<'_>) -> bool {
        note.path.is_below(&self.folder)
            && self.tag.as_ref().is_none_or(|tag| has_tag(note, tag))
            && self.tags.as_ref().is_none_or(|tags| tags.are_in(note))
            && self
                .project
                .as_ref()
                .is_none_or(|wanted| note.project().as_ref() == Some(wanted))
            && self.has_property(note)
            && self.days.hold(note.text("date").as_deref())
    }

    fn has_property(&self, note: &Listed<'_>) -> bool {
        let Some(name) = &self.property else {
            return true;
        };
        // One in another case is the same (`vault-semantics.md` §3.2).
        let Some((_, value)) = property(&note.properties, name) else {
            return false;
        };
        self.value.as_ref().is_none_or(|wanted| match value {
            Value::Array(items) => items.iter().any(|item| text_of(item) == *wanted),
            other => text_of(other) == *wanted,
        })
    }
}

/// Several tags, of which a note must have all or any (`contracts.md` I20).
struct WantedTags {
    /// In lower case, with their `#`.
    tags: Vec<String>,
    any: bool,
}

impl WantedTags {
    fn are_in(&self, note: &Listed<'_>) -> bool {
        if self.any {
            self.tags.iter().any(|tag| has_tag(note, tag))
        } else {
            self.tags.iter().all(|tag| has_tag(note, tag))
        }
    }
}

/// A tag in lower case, with its `#`.
fn folded(tag: &str) -> String {
    format!("#{}", tag.trim().trim_start_matches('#').to_lowercase())
}

/// The tag itself or one below it, in any casing.
fn has_tag(note: &Listed<'_>, wanted: &str) -> bool {
    note.tags.iter().any(|tag| {
        let tag = tag.to_lowercase();
        let below = tag.strip_prefix(wanted);
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use serde_json::json;

    use crate::commands::own::testing::{ask, ask_without, fails, text};
    use crate::vault::Vault;
    use crate::vault::testing::vault;

    const NOTES: &[(&str, &str)] = &[
        (
            ".obsidian/app.json",
            r#"{"userIgnoreFilters":["Archive/"]}"#,
        ),
        (
            "Archive/old.md",
            "---\ndate: 2026-01-01\ntags: [work]\n---\n",
        ),
        (
            "a.md",
            "---\ntitle: The A\ndate: 2026-01-05\ntags: [Work/Big, work]\nstatus: open\n---\nbody #x\n",
        ),
        (
            "b.md",
            "---\ndate: 2026-02-01T10:00\nproject: My P\nstatus: [done, open]\n---\n#work\n",
        ),
        ("c.md", "no properties"),
        ("projects/My P/d.md", "---\ndate: tomorrow\n---\n"),
        (
            "projects/My P/e.md",
            "---\ndate: 2026-01-05\nstatus: \n---\n",
        ),
        ("picture.png", ""),
        ("secret/s.md", "---\ntags: [work]\ndate: 2026-03-01\n---\n"),
    ];

    fn paths(vault: &Vault, line: &str) -> Vec<String> {
        let found = ask(vault, line);
        let items = found["items"].as_array().unwrap().iter();
        items
            .map(|item| item["path"].as_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn notes_are_filtered_and_ordered() {
        let (_folder, vault) = vault(NOTES);
        for (line, expected) in [
            // A date that is none sorts as the text it is.
            (
                "",
                "projects/My P/d.md secret/s.md b.md a.md projects/My P/e.md c.md",
            ),
            (
                "order=date-asc",
                "a.md projects/My P/e.md b.md secret/s.md projects/My P/d.md c.md",
            ),
            (
                "order=path",
                "a.md b.md c.md projects/My P/d.md projects/My P/e.md secret/s.md",
            ),
            (
                "order=path folder=projects/My_P",
                "projects/My P/d.md projects/My P/e.md",
            ),
            ("order=path folder=proj", ""),
            (
                "order=path under=projects",
                "projects/My P/d.md projects/My P/e.md",
            ),
            ("order=path tag=WORK", "a.md b.md secret/s.md"),
            ("order=path tag=#work/big", "a.md"),
            ("order=path tags=WORK,#x", "a.md"),
            ("order=path tags=x,_work/big match=all", "a.md"),
            ("order=path tags=x,nowhere match=any", "a.md"),
            ("order=path tags=x,nowhere", ""),
            ("order=path tag=wor", ""),
            (
                "order=path project=my-p",
                "b.md projects/My P/d.md projects/My P/e.md",
            ),
            ("order=path property=status", "a.md b.md projects/My P/e.md"),
            ("order=path property=status value=open", "a.md b.md"),
            (
                "order=path since=2026-01-05 until=2026-02-01",
                "a.md b.md projects/My P/e.md",
            ),
            ("order=path since=2026-01-06", "b.md secret/s.md"),
            ("order=path until=2026-01-31", "a.md projects/My P/e.md"),
            ("order=path limit=2 offset=1", "b.md c.md"),
            ("order=path offset=9", ""),
        ] {
            let found = paths(&vault, format!("notes:list {line}").trim_end());
            assert_eq!(found.join(" "), expected, "{line}");
        }
        for wrong in ["since=yesterday", "until=2026-02-30", "since=2026-1-1"] {
            fails(&vault, &format!("notes:list {wrong}"));
        }
    }

    #[test]
    fn the_note_that_was_modified_last_comes_first() {
        let (folder, vault) = vault(NOTES);
        for (age, path) in ["c.md", "a.md", "b.md"].into_iter().enumerate() {
            let file = fs_err::File::options()
                .append(true)
                .open(folder.path().join("My Notes").join(path));
            let hours = Duration::from_secs(3_600 * (1 + age as u64));
            file.unwrap()
                .file()
                .set_modified(SystemTime::now() + Duration::from_secs(90_000) - hours)
                .unwrap();
        }
        let found = paths(&vault, "notes:list order=modified limit=3");
        assert_eq!(found, ["c.md", "a.md", "b.md"]);
        let found = paths(&vault, "notes:list order=modified property=status limit=2");
        assert_eq!(found, ["a.md", "b.md"]);
        assert_eq!(paths(&vault, "notes:list order=created").len(), 6);
        // Between days, `since` and `until` are about the same time.
        let today = jiff::Zoned::now()
            .with_time_zone(jiff::tz::TimeZone::UTC)
            .date();
        let tomorrow = today.tomorrow().unwrap();
        let line = format!("notes:list order=modified since={tomorrow} limit=9");
        assert_eq!(paths(&vault, &line)[..2], ["c.md", "a.md"]);
        let line = format!(
            "notes:list order=modified until={} total",
            today.yesterday().unwrap()
        );
        assert_eq!(ask(&vault, &line), json!({"total": 0}));
        for wrong in ["since=soon", "until=2026-02-30", "since=0x"] {
            fails(&vault, &format!("notes:list order=modified {wrong}"));
        }
    }

    /// As Knowtation lists the notes of Obsidian's help (`contracts.md` K22).
    #[test]
    fn paths_stand_in_the_order_of_the_app() {
        let paths_in_order = [
            "Extending Obsidian/Community directory.md",
            "Extending Obsidian/Community plugins.md",
            "Extending Obsidian/CSS snippets.md",
            "Extending Obsidian/Obsidian CLI.md",
            "Obsidian Sync/Version history.md",
            "Obsidian Web Clipper/Variables.md",
            "Obsidian/2-factor authentication.md",
            "Obsidian/About Obsidian.md",
        ];
        let files: Vec<(&str, &str)> = paths_in_order.iter().map(|path| (*path, "x")).collect();
        let (_folder, vault) = vault(&files);
        for order in ["", "order=date", "order=date-asc", "order=path"] {
            let line = format!("notes:list {order}");
            assert_eq!(paths(&vault, line.trim_end()), paths_in_order, "{order}");
        }
    }

    #[test]
    fn each_note_is_told_as_far_as_was_asked() {
        let (_folder, vault) = vault(NOTES);
        assert_eq!(ask(&vault, "notes:list total"), json!({"total": 6}));
        assert_eq!(
            ask(&vault, "notes:list order=path limit=1 fields=path"),
            json!({"total": 6, "returned": 1, "offset": 0, "truncated": true, "items": [{"path": "a.md"}]})
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
            text(&vault, "notes:list order=path limit=1 fields=path json"),
            "{\"total\":6,\"returned\":1,\"offset\":0,\"truncated\":true,\"items\":[{\"path\":\"a.md\"}]}\n"
        );
    }

    #[test]
    fn titles_are_told_beside_columns_too() {
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
        fails(&vault, "notes:list properties=status");
    }

    #[test]
    fn d13_what_may_not_be_seen_is_in_no_list_and_no_count() {
        let (_folder, vault) = vault(NOTES);
        let (found, _) = ask_without(&vault, "secret", "notes:list total tag=work");
        assert_eq!(found, json!({"total": 2}));
        let (found, _) = ask_without(&vault, "secret", "notes:list since=2026-02-15");
        assert_eq!(found["total"], 0);
    }
}
