//! The text of a settings file, and where in it a setting belongs.

use toml::{Table, Value};
use toml_edit::{DocumentMut, Item, TableLike};

/// A settings file as text and as values.
pub(super) struct Document<'a> {
    text: &'a str,
    values: Table,
}

impl<'a> Document<'a> {
    /// The document; nothing where the text is not TOML.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let values = text.parse().ok()?;
        Some(Self { text, values })
    }

    /// The value at a key.
    pub(super) fn get(&self, path: &[String]) -> Option<Value> {
        let (last, tables) = path.split_last()?;
        let table = tables.iter().try_fold(&self.values, |table, name| {
            table.get(name).and_then(Value::as_table)
        })?;
        table.get(last).cloned()
    }

    /// The text with the key set, in the first place where that changes nothing else: where it
    /// stands, after its commented default, in its table, at the end.
    pub(super) fn with(&self, path: &[String], value: &Value) -> Option<String> {
        let mut wanted = self.values.clone();
        insert(&mut wanted, path, value)?;
        let is_wanted = |text: &String| text.parse::<Table>().is_ok_and(|found| found == wanted);
        if self.get(path).is_some() {
            return self.replaced(path, value).filter(is_wanted);
        }
        self.after_its_comment(path, value)
            .filter(is_wanted)
            .or_else(|| self.in_its_table(path, value).filter(is_wanted))
            .or_else(|| self.at_the_end(path, value).filter(is_wanted))
    }

    fn replaced(&self, path: &[String], value: &Value) -> Option<String> {
        let mut document: DocumentMut = self.text.parse().ok()?;
        let (last, tables) = path.split_last()?;
        let item = table_at(&mut document, tables)?.get_mut(last)?;
        let old = item.as_value_mut()?;
        let mut new: toml_edit::Value = value.to_string().parse().ok()?;
        *new.decor_mut() = old.decor().clone();
        *old = new;
        Some(document.to_string())
    }

    /// Below the line `# key = …` of the right table, so that the explanation stays above it.
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
        Some(document.to_string())
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

/// One line that sets a key, with its line break.
pub(super) fn statement(path: &[String], value: &Value) -> String {
    let key: Vec<String> = path.iter().map(|part| key_text(part)).collect();
    format!("{} = {value}\n", key.join("."))
}

fn key_text(part: &str) -> String {
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

/// The table of these names, where it is there.
fn table_at<'a>(document: &'a mut DocumentMut, names: &[String]) -> Option<&'a mut dyn TableLike> {
    let root: &mut dyn TableLike = document.as_table_mut();
    names.iter().try_fold(root, |table, name| {
        table.get_mut(name).and_then(Item::as_table_like_mut)
    })
}
