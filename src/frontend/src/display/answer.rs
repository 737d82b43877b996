//! The answer to a command on a terminal, from its typed data.

use cli_output::Shape;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;
use vault_engine::shown;

use super::role::Role;
use super::rows::{AnswerRows, SPREAD, cell_text};
use super::styled_text::{StyledLine, StyledText};
use super::table::Table;
use super::{diff, hits};
use allowlist::{Catalogue, Effect, Placement};
use gateway::{Envelope, Happening, is_reversal};

/// Returns the answer for a terminal of this width. `text` is the form for a pipe; it is shown if no better form
/// exists. Hashes and the like are shown only with `--verbose`.
pub fn on_terminal(
    envelope: &Envelope,
    text: &[u8],
    columns: usize,
    is_verbose: bool,
) -> StyledText {
    let text = String::from_utf8_lossy(text);
    let is_plan = envelope.data.is_plan();
    let mut shown = if is_plan {
        diff::plan(if is_verbose {
            &text
        } else {
            without_head(&text)
        })
    } else {
        styled(envelope, &text, columns).unwrap_or_else(|| {
            // The text of a command is from the vault, and so is the old content that an undo
            // shows.
            let is_kept = is_reversal(&envelope.command) && envelope.data.text().is_some();
            let command = Catalogue::find_builtin(&envelope.command).ok();
            let is_note = command
                .as_ref()
                .is_some_and(|command| command.output == Shape::NoteText);
            if is_kept || is_note {
                // Unchanged, so that links, tables and code can be copied.
                StyledText::unstyled(&text).whole(false)
            } else if command.is_some() {
                StyledText::unstyled(&text)
            } else {
                // The text of a verb comes from this program.
                StyledText::labelled(&text)
            }
        })
    };
    if let Some(answer) = where_it_changed(envelope, is_plan) {
        shown.end_line();
        shown.line(StyledLine::new(Role::Faint, &answer));
    }
    shown
}

/// Whether a terminal shows in which vault a change was made.
pub fn names_its_vault(envelope: &Envelope) -> bool {
    where_it_changed(envelope, false).is_some()
}

/// Returns the vault of a change, because a person may be in another vault than they think.
fn where_it_changed(envelope: &Envelope, is_plan: bool) -> Option<String> {
    let vault = shown::row(envelope.meta.vault.as_deref()?);
    let effects = &envelope.meta.effects;
    let only_looks = |effect: &Effect| matches!(effect, Effect::Read | Effect::Ui);
    if !envelope.success || effects.iter().all(only_looks) {
        None
    } else if is_plan {
        Some(format!(
            "Nothing was changed. This was a dry run in vault {vault}."
        ))
    } else {
        let changes = &envelope.meta.changes;
        let happened = |what| {
            changes
                .iter()
                .filter(move |file| file.change == what)
                .count()
        };
        // Besides the file, a move changes the notes with links to it.
        let is_move = Catalogue::find_builtin(&envelope.command).is_ok_and(|command| {
            command.moves_a_file() || command.placement() == Some(Placement::WholeFolder)
        });
        let relinked = if is_move {
            happened(Happening::Modified)
        } else {
            0
        };
        let is_gone = happened(Happening::Trashed) + happened(Happening::Removed) > 0
            && envelope.meta.journal.is_some();
        Some(match relinked {
            0 if is_gone && !is_reversal(&envelope.command) => {
                format!("Vault: {vault}. `vault-gw undo` undoes this change.")
            }
            0 => format!("Vault: {vault}."),
            1 => format!("Vault: {vault}. The links of 1 note were rewritten."),
            notes => format!("Vault: {vault}. The links of {notes} notes were rewritten."),
        })
    }
}

/// Returns the text of a plan, from its first file on.
fn without_head(text: &str) -> &str {
    let hash = text.find("\nplan: ").map(|at| at + 1);
    let rest = hash.and_then(|at| text.get(at..)?.split_once('\n'));
    rest.map_or(text, |(_, files)| files)
}

fn styled(envelope: &Envelope, text: &str, columns: usize) -> Option<StyledText> {
    // A format that was requested by name is printed unchanged.
    if !envelope.success || envelope.params.contains_key("format") || text.is_empty() {
        return None;
    }
    if envelope.command == TASKS
        && let Some(tasks) = tasks(text)
    {
        return Some(tasks);
    }
    let rows = AnswerRows::from_data(&envelope.data, &[]);
    if !rows.is_list {
        let zone = (envelope.command == FILE).then(TimeZone::system);
        return facts(text, columns, zone.as_ref());
    }
    if rows.rows.is_empty() {
        return None;
    }
    let query = envelope.params.get("query").and_then(Value::as_str);
    if let Some(hits) = query.and_then(|query| hits::render_hits(&rows, Some(query))) {
        return Some(hits);
    }
    if rows.columns == ["path"] {
        let mut styled = StyledText::default();
        for line in text.lines() {
            styled.line(StyledLine::new(Role::Name, line).with_hanging_indent(2));
        }
        return Some(styled);
    }
    let wanted = wanted(envelope);
    // An answer without rows of cells, such as a tree, has its own form.
    if wanted.is_empty() && !text.contains('\t') {
        return None;
    }
    // The list in `data` may differ from the list in the text.
    if rows.rows.len() != text.lines().count() {
        return cells(text, columns);
    }
    Some(table(&rows, &chosen(&wanted, &rows)).laid_out(columns))
}

/// The command that lists tasks.
pub const TASKS: &str = "tasks";

/// Returns the tasks of `tasks verbose`, grouped by note: line, status and text. `None` if the text has no tasks.
fn tasks(text: &str) -> Option<StyledText> {
    let mut styled = StyledText::default();
    let mut has_tasks = false;
    for line in text.lines() {
        let Some((number, level, status, words)) = task(line) else {
            if has_tasks {
                styled.gap();
            }
            styled.line(StyledLine::new(Role::Name, &shown::row(line)).with_hanging_indent(2));
            continue;
        };
        has_tasks = true;
        let words = words.replace('\t', " ");
        let start = format!("{number:>5}: {:level$}", "");
        let hang = start.len() + "[ ] ".len();
        let mark = shown::row(&format!("[{status}] ")).into_owned();
        let role = if status == ' ' {
            Role::Plain
        } else {
            Role::Faint
        };
        styled.line(
            StyledLine::new(Role::Place, &start)
                .with(role, &mark)
                .with(role, &shown::row(&words))
                .with_hanging_indent(hang),
        );
    }
    has_tasks.then_some(styled)
}

/// Returns the line number, the indentation in columns, the status and the words of a line such as `3`, tab, `- [x]
/// Sow`.
fn task(line: &str) -> Option<(u64, usize, char, &str)> {
    let (number, item) = line.split_once('\t')?;
    let spaces = item
        .chars()
        .take_while(|character| character.is_whitespace());
    let level = spaces.map(|space| if space == '\t' { 4 } else { 1 }).sum();
    let level = usize::min(level, DEEPEST);
    let (_, item) = item.split_once('[')?;
    let mut rest = item.chars();
    let status = rest.next()?;
    let words = rest.as_str().strip_prefix(']')?;
    Some((number.parse().ok()?, level, status, words.trim()))
}

/// Deeper indentation of a task is not shown, in columns.
const DEEPEST: usize = 16;

/// Returns the cells of the text as a table. A line without cells, such as a sum, stays a line.
fn cells(text: &str, columns: usize) -> Option<StyledText> {
    let lines: Vec<&str> = text.lines().collect();
    let is_row = |line: &str| line.contains('\t');
    if !lines.iter().any(|line| is_row(line)) {
        return None;
    }
    let mut styled = StyledText::default();
    for run in lines.chunk_by(|one, next| is_row(one) == is_row(next)) {
        if run.iter().any(|line| is_row(line)) {
            styled.append(rows_of_cells(run).laid_out(columns));
        } else {
            for line in run {
                styled.line(StyledLine::new(Role::Plain, line));
            }
        }
    }
    Some(styled)
}

fn rows_of_cells(lines: &[&str]) -> Table {
    let rows: Vec<Vec<&str>> = lines
        .iter()
        .map(|line| line.split('\t').collect())
        .collect();
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut table = Table::new(vec![""; width]);
    for row in rows {
        let cells = (0..width).map(|at| {
            let role = if at == 0 { Role::Name } else { Role::Plain };
            (
                role,
                row.get(at).map_or_else(String::new, ToString::to_string),
            )
        });
        table.row(cells.collect());
    }
    table
}

/// The command that prints times, in milliseconds like the app.
const FILE: &str = "file";

/// Returns a time of a file in calendar form; any other value unchanged.
fn for_people(name: &str, value: &str, zone: &TimeZone) -> String {
    let is_time = ["created", "modified"].contains(&name);
    let time = value.parse().ok().filter(|_| is_time);
    time.and_then(|time| Timestamp::from_millisecond(time).ok())
        .map_or_else(
            || value.to_owned(),
            |time| {
                let local = time.to_zoned(zone.clone());
                local.strftime("%Y-%m-%d %H:%M:%S").to_string()
            },
        )
}

/// Facts, one on each line: name, tab, value. With a zone, times of files are shown as dates.
fn facts(text: &str, columns: usize, zone: Option<&TimeZone>) -> Option<StyledText> {
    if !text.contains('\t') {
        return None;
    }
    let mut table = Table::new(["", ""]);
    for line in text.lines() {
        // A fact without a value has no tab.
        let is_name = !line.contains(' ') && !line.is_empty();
        let bare = is_name.then_some((line, ""));
        let (name, value) = line.split_once('\t').or(bare)?;
        table.row(vec![
            (Role::Heading, name.to_owned()),
            (
                Role::Plain,
                zone.map_or_else(|| value.to_owned(), |zone| for_people(name, value, zone)),
            ),
        ]);
    }
    Some(table.laid_out(columns))
}

/// Returns the columns for people that the catalogue lists.
fn wanted(envelope: &Envelope) -> Vec<String> {
    let command = Catalogue::find_builtin(&envelope.command);
    command
        .map(|command| command.columns.clone())
        .unwrap_or_default()
}

/// Returns the columns to show: the columns of the catalogue, otherwise all that are not empty.
fn chosen(wanted: &[String], rows: &AnswerRows) -> Vec<String> {
    let all = rows.columns.iter();
    all.filter(|column| {
        wanted.is_empty() || wanted.contains(column) || property_of_column(column).is_some()
    })
    .filter(|column| {
        let mut cells = rows.rows.iter().map(|row| AnswerRows::cell(row, column));
        cells.any(|cell| !cell_text(cell).is_empty())
    })
    .cloned()
    .collect()
}

/// Returns the name of the property that a column shows.
fn property_of_column(column: &str) -> Option<&str> {
    column.strip_prefix(SPREAD)?.strip_prefix('.')
}

/// Columns that contain text of notes.
const TEXTS: [&str; 5] = ["text", "body", "lineText", "snippet", "diff"];

/// Returns a table of these columns.
pub fn table(rows: &AnswerRows, columns: &[String]) -> Table {
    let mut table = Table::new(columns.iter().map(|column| heading(column)));
    for row in &rows.rows {
        let cells = columns.iter().enumerate().map(|(at, column)| {
            let role = if at == 0 { Role::Name } else { Role::Plain };
            let cell = cell_text(AnswerRows::cell(row, column));
            if TEXTS.contains(&column.as_str()) {
                // A cell is one line, so line breaks become spaces. Names are escaped and otherwise
                // unchanged.
                let line = cell.replace(['\t', '\n', '\r'], " ");
                return (role, shown::row(line.trim_end()).into_owned());
            }
            (role, shown::row(&cell).into_owned())
        });
        table.row(cells.collect());
    }
    table
}

/// Returns a field's name as a heading: `lineText` becomes `LINE TEXT`. The name of a property is
/// unchanged.
fn heading(field: &str) -> String {
    if let Some(property) = property_of_column(field) {
        return shown::row(property).into_owned();
    }
    let mut heading = String::new();
    for character in field.chars() {
        if character.is_uppercase() {
            heading.push(' ');
        }
        heading.extend(character.to_uppercase());
    }
    heading
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_another_list_than_the_typed_one_are_shown_as_they_are() {
        let text = "error\tUNRESOLVED_LINK\ta.md\nadvice\tORPHAN\tb.md\n2 notes looked at\n";
        let shown = cells(text, 80).unwrap().render(80, false);
        assert_eq!(
            shown,
            "error   UNRESOLVED_LINK  a.md\nadvice  ORPHAN           b.md\n2 notes looked at\n"
        );
        assert!(cells("one\ntwo\n", 80).is_none());
    }

    #[test]
    fn tasks_stand_below_their_note_and_say_their_status_once() {
        let text = "Home.md\n1\t- [ ] a\tb\n12\t\t1. [x] done [y]\nOther.md\n1\t- [/] \u{1b}[2Jc\n";
        assert_eq!(
            tasks(text).unwrap().render(80, false),
            "Home.md\n    1: [ ] a b\n   12:     [x] done [y]\n\nOther.md\n    1: [/] \\u{1b}[2Jc\n"
        );
        assert!(tasks("3\n").is_none(), "a count");
        assert!(tasks("- [ ] a\n").is_none());
    }

    #[test]
    fn times_of_a_file_are_dates_and_properties_of_a_note_are_not_times() {
        let text = "size\t1035\ncreated\t1795445707521\nmodified\tnever\n";
        let dated = facts(text, 80, Some(&TimeZone::UTC)).unwrap();
        assert_eq!(
            dated.render(80, false),
            "size      1035\ncreated   2026-11-23 14:55:07\nmodified  never\n"
        );
        let plain = facts(text, 80, None).unwrap().render(80, false);
        assert!(plain.contains("1795445707521"), "{plain}");
    }
}
