//! Edits the text of a settings file in place, keeping comments, order and layout.

use std::borrow::Cow;
use std::ops::Range;

use toml::{Table, Value};
use toml_edit::{DocumentMut, Item, TableLike};

use crate::EVERY_AGENT;

/// A settings file, as text and as parsed values.
pub(super) struct SettingsDocument<'a> {
    /// The byte order mark, if the file begins with one. Every new text keeps it.
    mark: &'a str,
    text: &'a str,
    values: Table,
}

impl<'a> SettingsDocument<'a> {
    /// Parses a document; `None` if the text is not valid TOML.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (mark, text) = text.split_at(text.len() - body.len());
        let values = text.parse().ok()?;
        Some(Self { mark, text, values })
    }

    /// Returns the value at a key, if the file sets it.
    pub(super) fn get(&self, path: &[String]) -> Option<Value> {
        let (last, tables) = path.split_last()?;
        let table = tables.iter().try_fold(&self.values, |table, name| {
            table.get(name).and_then(Value::as_table)
        })?;
        table.get(last).cloned()
    }

    /// Returns the text with the key set. Tries these places in order: the existing value, after the commented default,
    /// in its table, at the end. Takes the first result that parses to exactly the wanted values, so an edit can never
    /// change another setting.
    pub(super) fn with(&self, path: &[String], value: &Value) -> Option<String> {
        let mut wanted = self.values.clone();
        insert(&mut wanted, path, value)?;
        let is_wanted = |text: &String| text.parse::<Table>().is_ok_and(|found| found == wanted);
        let new = if self.get(path).is_some() {
            self.replaced(path, value).filter(is_wanted)
        } else {
            self.after_its_comment(path, value)
                .filter(is_wanted)
                .or_else(|| self.in_its_table(path, value).filter(is_wanted))
                .or_else(|| self.at_the_end(path, value).filter(is_wanted))
        };
        new.map(|new| self.marked(&new))
    }

    /// Returns the text with the byte order mark of the file.
    fn marked(&self, text: &str) -> String {
        format!("{}{text}", self.mark)
    }

    /// Returns the text without a key, or without a table and the tables in it. Comments above it stay, and so does the
    /// table of an agent that has no more keys. `None` if it is not set, or cannot be removed alone.
    pub(super) fn without(&self, path: &[String]) -> Option<String> {
        let mut wanted = self.values.clone();
        let (last, above) = path.split_last()?;
        parent(&mut wanted, above)?.remove(last)?;
        let agent = above
            .get(..2)
            .filter(|table| table[0] == "agents" && table[1] != EVERY_AGENT);
        let wanted = pruned(wanted);
        let is_wanted = |text: &String| {
            text.parse::<Table>().is_ok_and(|mut found| {
                agent.is_none_or(|agent| parent(&mut found, agent).is_some())
                    && pruned(found) == wanted
            })
        };
        let without_lines = || {
            let mut text = self.text.to_owned();
            for lines in lines_of(self.text, path)?.into_iter().rev() {
                text.replace_range(lines, "");
            }
            Some(text)
        };
        let without_part_of_line = || {
            let mut document: DocumentMut = self.text.parse().ok()?;
            table_at(&mut document, above)?.remove(last)?;
            Some(self.lines(&document.to_string().replace('\r', "")))
        };
        let text = without_lines().filter(is_wanted);
        text.or_else(|| without_part_of_line().filter(is_wanted))
            .map(|text| self.marked(&text))
    }

    /// Returns the text with another name in the headers of a table and of the tables in it. `None` if it has no header
    /// of its own.
    pub(super) fn with_table_renamed(&self, path: &[String], name: &str) -> Option<String> {
        let mut wanted = self.values.clone();
        let (last, above) = path.split_last()?;
        let holder = parent(&mut wanted, above)?;
        let table = holder.remove(last)?;
        holder.insert(name.to_owned(), table);
        let lines = self.text.split_inclusive('\n');
        let text: String = lines
            .map(|line| renamed_header(line, path, name).map_or(Cow::Borrowed(line), Cow::Owned))
            .collect();
        let found: Table = text.parse().ok()?;
        (found == wanted).then(|| self.marked(&text))
    }

    /// Replaces the existing value and no other byte.
    fn replaced(&self, path: &[String], value: &Value) -> Option<String> {
        let document = toml_edit::Document::parse(self.text).ok()?;
        let (last, tables) = path.split_last()?;
        let place = table_in(document.as_table(), tables)?
            .get(last)?
            .as_value()?
            .span()?;
        let old = self.text.get(place.clone())?;
        let in_its_lines = match (old.parse(), value) {
            (Ok(toml_edit::Value::Array(old)), Value::Array(new)) => in_its_lines(&old, new),
            _ => None,
        };
        let new = self.lines(&in_its_lines.unwrap_or_else(|| value.to_string()));
        let (before, after) = (self.text.get(..place.start)?, self.text.get(place.end..)?);
        Some(format!("{before}{new}{after}"))
    }

    /// Inserts the key below the commented line `# key = …` of its table, so that the explanation
    /// stays above it.
    fn after_its_comment(&self, path: &[String], value: &Value) -> Option<String> {
        let (last, tables) = path.split_last()?;
        let header = (!tables.is_empty()).then(|| format!("[{}]", tables.join(".")));
        let mut current: Option<&str> = None;
        let mut end_of_comment = None;
        let mut end = 0;
        for line in self.text.split_inclusive('\n') {
            end += line.len();
            let line = line.trim();
            if line.starts_with('[') {
                current = Some(line);
            }
            let commented = line
                .strip_prefix('#')
                .and_then(|rest| rest.split_once('='))
                .is_some_and(|(key, _)| key.trim() == last);
            if commented && current == header.as_deref() {
                end_of_comment = Some(end);
            }
        }
        let (before, after) = self.text.split_at(end_of_comment?);
        let statement = self.lines(&statement(std::slice::from_ref(last), value));
        let break_before = if before.ends_with('\n') {
            ""
        } else {
            self.line_break()
        };
        Some(format!("{before}{break_before}{statement}{after}"))
    }

    fn in_its_table(&self, path: &[String], value: &Value) -> Option<String> {
        let mut document: DocumentMut = self.text.parse().ok()?;
        let (last, tables) = path.split_last()?;
        let value: toml_edit::Value = value.to_string().parse().ok()?;
        table_at(&mut document, tables)?.insert(last, Item::Value(value));
        // `toml_edit` normalises CRLF to LF, so restore the line breaks of the file.
        Some(self.lines(&document.to_string().replace('\r', "")))
    }

    fn at_the_end(&self, path: &[String], value: &Value) -> Option<String> {
        let (last, tables) = path.split_last()?;
        let header: Vec<String> = tables.iter().map(|name| key_text(name)).collect();
        let statement = statement(std::slice::from_ref(last), value);
        let block = self.lines(&format!("\n[{}]\n{statement}", header.join(".")));
        let break_before = if self.text.is_empty() || self.text.ends_with('\n') {
            ""
        } else {
            self.line_break()
        };
        Some(format!("{}{break_before}{block}", self.text))
    }

    fn line_break(&self) -> &'static str {
        if self.text.contains("\r\n") {
            "\r\n"
        } else {
            "\n"
        }
    }

    fn lines(&self, text: &str) -> String {
        text.replace('\n', self.line_break())
    }
}

/// Returns the table at this path of tables.
fn parent<'a>(table: &'a mut Table, path: &[String]) -> Option<&'a mut Table> {
    path.iter()
        .try_fold(table, |table, name| table.get_mut(name)?.as_table_mut())
}

/// Returns the table at this path of tables, as it is written.
fn table_in<'a>(root: &'a dyn TableLike, path: &[String]) -> Option<&'a dyn TableLike> {
    path.iter().try_fold(root, |table, name| {
        table.get(name).and_then(Item::as_table_like)
    })
}

/// Returns the lines of a value or of a table, with the tables in it: several ranges, in order, if other lines are
/// between them. `None` if the text does not have it.
pub fn lines_of(text: &str, path: &[String]) -> Option<Vec<Range<usize>>> {
    let document = toml_edit::Document::parse(text).ok()?;
    let (last, above) = path.split_last()?;
    let mut places = Vec::new();
    let whole = place_of(table_in(document.as_table(), above)?, last, &mut places);
    places.extend(whole);
    places.sort_unstable_by_key(|place| place.start);
    let lines = places.into_iter().map(|place| {
        let start = text.get(..place.start)?.rfind('\n').map_or(0, |at| at + 1);
        let rest = text.get(place.end..)?;
        Some(start..rest.find('\n').map_or(text.len(), |at| place.end + at + 1))
    });
    lines.collect()
}

/// Returns the position of the value of `name` in the text: from its key, or the header of its table, to its last
/// value. The positions of tables in it that have a header of their own are added to `apart`.
fn place_of(
    table: &dyn TableLike,
    name: &str,
    apart: &mut Vec<Range<usize>>,
) -> Option<Range<usize>> {
    let (key, item) = table.get_key_value(name)?;
    match item {
        Item::Table(inner) => place_of_table(inner, apart),
        Item::ArrayOfTables(tables) => {
            for table in tables {
                let place = place_of_table(table, apart);
                apart.extend(place);
            }
            None
        }
        _ => Some(key.span()?.start..item.as_value()?.span()?.end),
    }
}

/// Whether a table has a header of its own, by which its text can be found.
fn has_header(table: &toml_edit::Table) -> bool {
    !table.is_implicit() && !table.is_dotted()
}

fn place_of_table(inner: &toml_edit::Table, apart: &mut Vec<Range<usize>>) -> Option<Range<usize>> {
    let mut whole = inner.span().filter(|_| has_header(inner));
    for (name, item) in inner {
        let has_header = item.as_table().is_some_and(has_header);
        let Some(place) = place_of(inner, name, apart) else {
            continue;
        };
        match &mut whole {
            _ if has_header => apart.push(place),
            Some(whole) => *whole = whole.start.min(place.start)..whole.end.max(place.end),
            // Keys with dots, under the header of another table.
            None => apart.push(place),
        }
    }
    whole
}

/// Returns the line with another name, if it is the header of the table at `path` or of one in it.
fn renamed_header(line: &str, path: &[String], name: &str) -> Option<String> {
    let (before, rest) = line.split_once('[')?;
    let (keys, after) = rest.split_once(']')?;
    let keys = toml_edit::Key::parse(keys).ok()?;
    let mut keys: Vec<&str> = keys.iter().map(toml_edit::Key::get).collect();
    let place = path.len().checked_sub(1)?;
    if !before.trim().is_empty()
        || !keys.starts_with(&path.iter().map(String::as_str).collect::<Vec<_>>())
    {
        return None;
    }
    *keys.get_mut(place)? = name;
    let keys: Vec<String> = keys.into_iter().map(key_text).collect();
    Some(format!("{before}[{}]{after}", keys.join(".")))
}

/// Returns the table without its empty tables, so that an empty header does not count as a
/// difference.
fn pruned(table: Table) -> Table {
    table
        .into_iter()
        .map(|(key, value)| match value {
            Value::Table(inner) => (key, Value::Table(pruned(inner))),
            other => (key, other),
        })
        .filter(|(_, value)| value.as_table().is_none_or(|inner| !inner.is_empty()))
        .collect()
}

/// Formats the new list with one value per line, like the old one, so that the remaining values
/// keep the comments above and behind them. `None` if the old list has another layout.
fn in_its_lines(old: &toml_edit::Array, new: &[Value]) -> Option<String> {
    if new.is_empty() {
        return None;
    }
    // The text before each value, and finally before the closing bracket. The first line of each
    // gap belongs to the line of the previous value.
    let mut gaps = Vec::new();
    let mut before_comma = "";
    for value in old {
        if !before_comma.trim().is_empty() || before_comma.contains('\n') {
            return None;
        }
        gaps.push(text_of(value.decor().prefix())?.to_owned());
        before_comma = text_of(value.decor().suffix())?;
    }
    if old.trailing_comma() && !before_comma.trim().is_empty() {
        return None;
    }
    gaps.push(format!("{before_comma}{}", old.trailing().as_str()?));
    let lines: Option<Vec<(&str, &str)>> = gaps.iter().map(|gap| gap.split_once('\n')).collect();
    let lines = lines?;
    let (head, indented) = *lines.first()?;
    let (_, end) = *lines.last()?;
    let indent = indented.rsplit('\n').next().unwrap_or_default();
    let mut text = format!("[{head}\n");
    for wanted in new {
        let same = |value: &toml_edit::Value| value.as_str() == wanted.as_str();
        let (above, behind) = old
            .iter()
            .position(same)
            .and_then(|at| Some((lines.get(at)?.1, lines.get(at + 1)?.0)))
            .unwrap_or((indent, ""));
        text += &format!("{above}{wanted},{behind}\n");
    }
    // The caller restores CRLF for the whole text.
    Some(format!("{text}{end}]").replace('\r', ""))
}

fn text_of(raw: Option<&toml_edit::RawString>) -> Option<&str> {
    raw.map_or(Some(""), toml_edit::RawString::as_str)
}

/// Returns a line that sets a key, including its line break.
pub(super) fn statement(path: &[String], value: &Value) -> String {
    let key: Vec<String> = path.iter().map(|part| key_text(part)).collect();
    format!("{} = {value}\n", key.join("."))
}

pub(super) fn key_text(part: &str) -> String {
    toml_edit::Key::new(part).display_repr().into_owned()
}

fn insert(table: &mut Table, path: &[String], value: &Value) -> Option<()> {
    let (last, tables) = path.split_last()?;
    let table = tables.iter().try_fold(table, |table, name| {
        table
            .entry(name.clone())
            .or_insert_with(|| Value::Table(Table::new()))
            .as_table_mut()
    })?;
    table.insert(last.clone(), value.clone());
    Some(())
}

/// Returns the table with this path, if it exists.
fn table_at<'a>(document: &'a mut DocumentMut, names: &[String]) -> Option<&'a mut dyn TableLike> {
    let root: &mut dyn TableLike = document.as_table_mut();
    names.iter().try_fold(root, |table, name| {
        table.get_mut(name).and_then(Item::as_table_like_mut)
    })
}
