//! `task` with a new status: one character between two brackets, and for a recurring task that is done its next
//! instance (`vault-semantics.md` §3.4).

mod next_instance;
mod recurrence;

use std::ops::Range;

use obsidian_note::note_parts::same_length;
use obsidian_note::scan::{scan, task_box};
use obsidian_note::{Sheet, VaultPath, Warning, byte_order_mark};
use vault_answers::RawText;
use vault_files::{Args, Call, EngineError, Refusal};
use vault_index::TaskLine;

use self::next_instance::{TasksSettings, is_done, recurs};
use vault_index::task_line::no_task;

use super::change::Change;
use super::edit_command::{Edit, EditCommand};

pub(super) const TASK: EditCommand = EditCommand::new("task", task);

/// The requested status of a task.
#[derive(Clone, Copy, Debug)]
enum WantedStatus {
    /// An open task becomes done, and any other becomes open.
    Toggled,
    Status(char),
}

/// Changes the status of one task and shows its new line, with the line of its next instance if it recurs and is done.
/// The app's output is not recorded. Without a status nothing changes, and the line is shown as it is.
fn task(call: &Call<'_>) -> Result<Edit, EngineError> {
    let (vault, arguments, surroundings) = (call.vault, call.arguments, call.surroundings);
    let Some(wanted) = wanted(arguments)? else {
        let (text, warnings) =
            TaskLine::from_arguments(vault, arguments, surroundings)?.text(vault)?;
        return Ok(Edit::new(RawText::new(text), Vec::new(), warnings));
    };
    let TaskLine {
        target,
        line,
        is_daily,
    } = TaskLine::from_arguments(vault, arguments, surroundings)?;
    let path = target.path;
    let before = vault
        .read_target(&path, &target.requested)
        .map_err(|error| {
            let is_missing = matches!(&error, EngineError::Refused(Refusal::FileNotFound { .. }));
            if is_daily && is_missing {
                EngineError::DailyNoteMissing { path: path.clone() }
            } else {
                error
            }
        })?;
    if !path.is_note() {
        return Err(no_task(path, line, std::iter::empty()));
    }
    let Some(place) = status_place(&before, line) else {
        let sheet = Sheet::new(&before);
        let items = sheet
            .facts()
            .list_items
            .iter()
            .filter(|item| item.task.is_some());
        let tasks = items.map(|item| {
            let at = item.span.start.line;
            (at + 1, sheet.line(at as usize))
        });
        return Err(no_task(path, line, tasks));
    };
    let now = EngineError::check_text(&path, &before[place.clone()])?;
    let status = wanted.status(now);
    if !arguments.flag("force")
        && let Some(recurring) = Recurring::find(&before, &place, status)
        && let Some((completed, warnings)) = recurring.completed(call, (&path, line))?
    {
        let Completed { note, text } = completed;
        if !(line..=line + 1).all(|line| status_place(&note, line).is_some()) {
            return Err(no_status());
        }
        return Ok(Edit::new(
            RawText::new(text),
            Change::modified(path, before, note),
            [target.warnings, warnings].concat(),
        ));
    }
    let mut written = [0; 4];
    let written = status.encode_utf8(&mut written);
    let after = [
        &before[..place.start],
        written.as_bytes(),
        &before[place.end..],
    ]
    .concat();
    // With a line end or an emoji between the brackets, for example, it would no longer be a task.
    let end = place.start + written.len();
    if status_place(&after, line) != Some(place.start..end) {
        return Err(no_status());
    }
    let text = String::from_utf8_lossy(&after[line_range(&after, place.start)]).into_owned();
    let answer = RawText::new(text);
    Ok(Edit::new(
        answer,
        Change::modified(path, before, after),
        target.warnings,
    ))
}

/// Whether the call would mark a recurring task as done, for which the Tasks plugin writes a next instance and the app
/// alone does not. A call that fails does not.
pub(super) fn completes_recurring(call: &Call<'_>) -> bool {
    let (vault, arguments) = (call.vault, call.arguments);
    let completes = || {
        let wanted = wanted(arguments).ok()??;
        let task = TaskLine::from_arguments(vault, arguments, call.surroundings).ok()?;
        let note = vault.read_bytes(&task.target.path).ok()?;
        let place = status_place(&note, task.line)?;
        let now = std::str::from_utf8(&note[place.clone()]).ok()?;
        Recurring::find(&note, &place, wanted.status(now)).map(drop)
    };
    completes().is_some()
}

/// A recurring task that is about to be done.
struct Recurring<'note> {
    note: &'note [u8],
    line: &'note [u8],
    /// The bytes of its line in the note.
    range: Range<usize>,
    /// The byte of its status in the line.
    box_at: usize,
    status: char,
}

impl<'note> Recurring<'note> {
    /// Returns the task whose status is at this place, if it recurs and the new status makes it done.
    fn find(note: &'note [u8], place: &Range<usize>, status: char) -> Option<Self> {
        let now = std::str::from_utf8(&note[place.clone()]).ok()?;
        let was_done = now.chars().any(is_done);
        let range = line_range(note, place.start);
        let line = &note[range.clone()];
        let box_at = place.start - range.start;
        let is_recurring = is_done(status) && !was_done && recurs(&String::from_utf8_lossy(line));
        is_recurring.then_some(Self {
            note,
            line,
            range,
            box_at,
            status,
        })
    }

    /// Returns the note with the done task and its next instance, and warnings about the settings of the plugin; `None`
    /// if the plugin would only mark the task. Path and line are those of the task.
    fn completed(
        &self,
        call: &Call<'_>,
        (path, line): (&VaultPath, u32),
    ) -> Result<Option<(Completed, Vec<Warning>)>, EngineError> {
        let text = EngineError::check_text(path, self.line)?;
        let settings = TasksSettings::read(call.vault)?;
        let today = call.surroundings.now.date();
        let lines = next_instance::lines(text, (self.box_at, self.status), today, &settings);
        let lines = lines.map_err(|obstacle| EngineError::TaskRecurs {
            path: path.clone(),
            line,
            text: text.to_owned(),
            obstacle,
        })?;
        let completed = |lines: [String; 2]| {
            let both = lines.join(Sheet::new(self.note).line_end());
            let (before, after) = (&self.note[..self.range.start], &self.note[self.range.end..]);
            let completed = Completed {
                note: [before, both.as_bytes(), after].concat(),
                text: lines.join("\n"),
            };
            (completed, settings.warnings)
        };
        Ok(lines.map(completed))
    }
}

/// A note in which a recurring task is done.
struct Completed {
    note: Vec<u8>,
    /// The lines of the done task and its next instance.
    text: String,
}

impl WantedStatus {
    /// Returns the new status of a task with this one.
    fn status(self, now: &str) -> char {
        match self {
            Self::Toggled if now == " " => 'x',
            Self::Toggled => ' ',
            Self::Status(status) => status,
        }
    }
}

fn wanted(arguments: &Args) -> Result<Option<WantedStatus>, EngineError> {
    if let Some(status) = arguments.text("status") {
        let mut characters = status.chars();
        return match (characters.next(), characters.next()) {
            (Some(status), None) => Ok(Some(WantedStatus::Status(status))),
            _ => Err(no_status()),
        };
    }
    let flags = [
        ("done", WantedStatus::Status('x')),
        ("todo", WantedStatus::Status(' ')),
        ("toggle", WantedStatus::Toggled),
    ];
    let requested = flags.into_iter().find(|(flag, _)| arguments.flag(flag));
    Ok(requested.map(|(_, wanted)| wanted))
}

fn no_status() -> EngineError {
    EngineError::PropertyValue {
        name: "status".to_owned(),
        expected: "one character that is valid between the brackets of a task".to_owned(),
    }
}

/// Returns the byte range of the status of the task on a line; the first of several tasks, which is the task that is
/// shown. Lines count from 1.
fn status_place(note: &[u8], line: u32) -> Option<Range<usize>> {
    let whole = same_length(note);
    let text = byte_order_mark::strip(&whole);
    let skipped = whole.len() - text.len();
    let item = scan(text)
        .list_items
        .into_iter()
        .find(|item| item.task.is_some() && item.span.start.line + 1 == line)?;
    let start = usize::try_from(item.span.start.byte).ok()?;
    let rest = text.get(start..)?;
    let marker = rest.trim_start_matches([' ', '\t']);
    let behind = match marker.strip_prefix(['-', '*', '+']) {
        Some(behind) => behind,
        None => marker
            .trim_start_matches(|character: char| character.is_ascii_digit())
            .strip_prefix(['.', ')'])?,
    };
    let bracket = behind.trim_start_matches([' ', '\t']);
    let (status, _) = task_box(bracket)?;
    let at = skipped + text.len() - bracket.len() + "[".len();
    Some(at..at + status.len_utf8())
}

/// Returns the bytes of the line with this byte, without its line end and without a byte order mark.
fn line_range(note: &[u8], at: usize) -> Range<usize> {
    let start = memchr::memrchr(b'\n', &note[..at]).map_or(0, |before| before + 1);
    let end = memchr::memchr(b'\n', &note[at..]).map_or(note.len(), |length| at + length);
    let line = &note[start..end];
    let end = start + line.strip_suffix(b"\r").unwrap_or(line).len();
    let start = if start == 0 {
        byte_order_mark::length(note)
    } else {
        start
    };
    start..end
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use jiff::tz::TimeZone;
    use proptest::prelude::*;
    use vault_files::{Registry, Surroundings, Vault};

    use crate::Editor;

    use vault_files::testing::arguments;
    use vault_files::vault::testing::vault;

    use super::*;

    const CASES: &str = include_str!("task_cases.txt");

    fn plan(vault: &Vault, words: &[&str]) -> Result<Edit, EngineError> {
        let surroundings = Surroundings {
            now: date(2026, 1, 2).to_zoned(TimeZone::UTC).unwrap(),
            random: 0,
            registry: Registry::default(),
        };
        Editor(vault).plan("task", &arguments("task", words), &surroundings)
    }

    fn text_of(edit: &Edit) -> &str {
        &edit.answer.downcast_ref::<RawText>().unwrap().text
    }

    /// Returns the note `a.md` afterwards, and the printed text.
    fn done(note: &str, words: &[&str]) -> (String, String) {
        let (_folder, vault) = vault(&[("a.md", note)]);
        let mut words = words.to_vec();
        words.push("path=a.md");
        let edit = plan(&vault, &words).unwrap();
        let after = match edit.changes.as_slice() {
            [] => note.to_owned(),
            [Change::Modify { before, after, .. }] => {
                assert_eq!(before, note.as_bytes());
                String::from_utf8(after.clone()).unwrap()
            }
            other => panic!("{other:?}"),
        };
        (after, text_of(&edit).to_owned())
    }

    #[test]
    fn one_character_changes_wherever_the_task_stands() {
        for [before, after, shown] in
            tables::section(CASES, "one character changes wherever the task")
        {
            let line = if after.is_empty() { 2 } else { 1 };
            let expected = if after.is_empty() {
                before.replacen("[ ]", "[x]", 1)
            } else {
                after.to_owned()
            };
            let line = format!("line={line}");
            let found = done(before, &[&line, "toggle"]);
            assert_eq!(found, (expected, shown.to_owned()), "{before:?}");
        }
    }

    #[test]
    fn each_way_of_naming_the_status() {
        for [word, status] in tables::section(CASES, "each way of naming the status") {
            let (after, _) = done("- [?] a\n- [?] b", &["line=2", word]);
            assert_eq!(after, format!("- [?] a\n- [{status}] b"));
        }
        assert_eq!(done("- [x] a", &["line=1", "done"]).0, "- [x] a");
        assert_eq!(done("- [X] a", &["line=1"]).1, "- [X] a");
        let (_folder, vault) = vault(&[("a.md", "- [ ] a")]);
        for bad in ["status=ab", "status=\n", "status=😀"] {
            let error = plan(&vault, &["path=a.md", "line=1", bad]).unwrap_err();
            assert!(matches!(error, EngineError::PropertyValue { .. }), "{bad}");
        }
    }

    #[test]
    fn a_recurring_task_that_is_done_gets_its_next_instance() {
        let recurring = "- [ ] a 🔁 every week 📅 2026-01-05";
        let next = "- [ ] a 🔁 every week 📅 2026-01-12";
        let finished = "- [x] a 🔁 every week 📅 2026-01-05 ✅ 2026-01-02";
        for (before, line, after) in [
            (
                format!("{recurring}\n\t- [ ] b\n"),
                1,
                format!("{next}\n{finished}\n\t- [ ] b\n"),
            ),
            (
                format!("\u{feff}{recurring}\r\nb\r\n"),
                1,
                format!("\u{feff}{next}\r\n{finished}\r\nb\r\n"),
            ),
            (
                format!("# A\n\n{recurring}"),
                3,
                format!("# A\n\n{next}\n{finished}"),
            ),
        ] {
            for word in ["done", "toggle", "status=x"] {
                let found = done(&before, &[&format!("line={line}"), word]);
                assert_eq!(
                    found,
                    (after.clone(), format!("{next}\n{finished}")),
                    "{before:?}"
                );
            }
        }
        // Only the mark: a task that is done already, another status, and on request.
        for (before, words, after) in [
            (
                finished.to_owned(),
                vec!["status=X"],
                finished.replace("[x]", "[X]"),
            ),
            (
                finished.to_owned(),
                vec!["todo"],
                finished.replace("[x]", "[ ]"),
            ),
            (
                recurring.to_owned(),
                vec!["status=-"],
                recurring.replace("[ ]", "[-]"),
            ),
            (
                recurring.to_owned(),
                vec!["done", "force"],
                recurring.replace("[ ]", "[x]"),
            ),
        ] {
            let words = [&["line=1"][..], &words].concat();
            assert_eq!(done(&before, &words).0, after);
        }
        let (_folder, vault) = vault(&[(
            ".obsidian/plugins/obsidian-tasks-plugin/data.json",
            r#"{"recurrenceOnNextLine": true, "setDoneDate": 1}"#,
        )]);
        fs_err::write(vault.root().join("a.md"), recurring).unwrap();
        let edit = plan(&vault, &["path=a.md", "line=1", "done"]).unwrap();
        assert_eq!(text_of(&edit), format!("{finished}\n{next}"));
        assert_eq!(
            edit.warnings.len(),
            1,
            "a setting that cannot be used is reported"
        );
        fs_err::write(vault.root().join("a.md"), "- [ ] a 🔁 every blue moon\n").unwrap();
        let error = plan(&vault, &["path=a.md", "line=1", "done"]).unwrap_err();
        insta::assert_snapshot!(error, @"the recurring task on line 1 of `a.md` was not completed: its next day cannot be computed from its recurrence rule");
        fs_err::write(
            vault.root().join("a.md"),
            b"- [ ] caf\xe9 \xf0\x9f\x94\x81 every day\n",
        )
        .unwrap();
        let error = plan(&vault, &["path=a.md", "line=1", "done"]).unwrap_err();
        assert!(matches!(error, EngineError::NotText { .. }), "{error}");
    }

    #[test]
    fn what_is_no_task_is_named_with_its_line() {
        let note = "---\na: 1\n---\n- [ ] b\n```\n- [ ] c\n```\n- d\n%%\n- [ ] e\n%%\n- [ ]\n";
        let (_folder, vault) = vault(&[("a.md", note), ("b.txt", "- [ ] a")]);
        for line in [1, 5, 6, 8, 10, 12, 99] {
            let reference = format!("ref=a.md:{line}");
            let error = plan(&vault, &[&reference, "toggle"]).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("line {line} of `a.md` is not a task")
            );
        }
        assert_eq!(
            text_of(&plan(&vault, &["ref=a.md:4", "toggle"]).unwrap()),
            "- [x] b"
        );
        // Its tasks are named, the nearest first, whether the task is changed or shown.
        for words in [&["ref=a.md:8", "done"][..], &["ref=a.md:8"]] {
            let error = plan(&vault, words).unwrap_err();
            let EngineError::TaskMissing { tasks, .. } = error else {
                panic!("{error}")
            };
            let tasks: Vec<_> = tasks.iter().map(|task| (task.line, &*task.text)).collect();
            assert_eq!(tasks, [(4, "- [ ] b")], "{words:?}");
        }
        assert!(matches!(
            plan(&vault, &["ref=b.txt:1", "toggle"]).unwrap_err(),
            EngineError::TaskMissing { .. }
        ));
        assert!(matches!(
            plan(&vault, &["ref=c.md:1", "toggle"]).unwrap_err(),
            EngineError::Refused(Refusal::FileNotFound { .. })
        ));
    }

    #[test]
    fn the_daily_note_is_todays() {
        let (_folder, vault) = vault(&[]);
        let words = ["daily", "line=1", "done"];
        let error = plan(&vault, &words).unwrap_err();
        assert!(matches!(error, EngineError::DailyNoteMissing { .. }));
        fs_err::write(vault.root().join("2026-01-02.md"), "- [ ] a").unwrap();
        assert_eq!(text_of(&plan(&vault, &words).unwrap()), "- [x] a");
    }

    #[test]
    fn bytes_that_are_no_text_stay_as_they_are() {
        let (_folder, vault) = vault(&[]);
        fs_err::write(
            vault.root().join("a.md"),
            b"\xff\n- [ ] caf\xe9\n- [\xe9] b\n",
        )
        .unwrap();
        let edit = plan(&vault, &["ref=a.md:2", "toggle"]).unwrap();
        let Some(Change::Modify { after, .. }) = edit.changes.first() else {
            panic!("{edit:?}");
        };
        assert_eq!(after, b"\xff\n- [x] caf\xe9\n- [\xe9] b\n");
        let error = plan(&vault, &["ref=a.md:3", "toggle"]).unwrap_err();
        assert!(matches!(error, EngineError::NotText { .. }));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// Checks for any note that every task that the scanner finds can be changed without other changes.
        #[test]
        fn every_task_can_be_changed_alone(
            note in "(( {0,4}|\t|> ?){0,2}([-*+]|[0-9]{1,2}[.)])? ?(\\[[ x/é]\\])? ?[a-z`%]{0,3}\r?\n){0,8}",
            status in "[ xé?]",
        ) {
            let facts = scan(&note);
            let mut seen = 0;
            for item in facts.list_items.iter().filter(|item| item.task.is_some()) {
                let line = item.span.start.line + 1;
                if line == seen {
                    continue;
                }
                seen = line;
                let place = status_place(note.as_bytes(), line).unwrap();
                prop_assert_eq!(&note[place.clone()], item.task.unwrap().to_string());
                let mut after = note.clone();
                after.replace_range(place, &status);
                let tasks = |note: &str| -> Vec<_> {
                    let items = scan(note).list_items;
                    items.iter().map(|item| (item.span.start.line, item.task)).collect()
                };
                let mut expected = tasks(&note);
                let changed = expected.iter_mut().find(|(at, task)| at + 1 == line && task.is_some());
                changed.unwrap().1 = status.chars().next();
                prop_assert_eq!(tasks(&after), expected);
            }
        }
    }
}
