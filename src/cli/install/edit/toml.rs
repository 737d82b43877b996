//! Edits an entry in TOML.

use serde_json::Value as Json;
use toml::{Table, Value};
use toml_edit::{DocumentMut, Item, TableLike};

use super::{Edited, EntryAction, UnusableConfig};

const FORMAT: &str = "TOML";

pub(super) fn edited(
    text: &str,
    key: &str,
    name: &str,
    entry: Option<&[(&'static str, Json)]>,
) -> Result<Edited, UnusableConfig> {
    let before: Table = text
        .parse()
        .map_err(|error: toml::de::Error| UnusableConfig::Syntax {
            format: FORMAT,
            reason: error.message().to_owned() + &place(text, error.span()),
        })?;
    let servers = match before.get(key) {
        None => None,
        Some(Value::Table(servers)) => Some(servers),
        Some(_) => {
            return Err(UnusableConfig::NotATable {
                key: key.to_owned(),
            });
        }
    };
    let old = servers.and_then(|servers| servers.get(name));
    let unchanged = |action: EntryAction| Edited {
        action,
        text: text.to_owned(),
    };
    let mut wanted = before.clone();
    let Some(entry) = entry else {
        if old.is_none() {
            return Ok(unchanged(EntryAction::Absent));
        }
        if let Some(servers) = wanted.get_mut(key).and_then(Value::as_table_mut) {
            servers.remove(name);
        }
        return checked(
            EntryAction::Removed,
            text,
            &without(text, key, name)?,
            key,
            &wanted,
        );
    };
    let entry: Vec<(&str, Value)> = entry
        .iter()
        .map(|(key, value)| Some((*key, from_json(value)?)))
        .collect::<Option<_>>()
        .ok_or(UnusableConfig::Entangled)?;
    let existing = old.and_then(Value::as_table);
    let existing = existing.filter(|table| table.contains_key("command"));
    let mut new = existing.cloned().unwrap_or_default();
    for (key, value) in &entry {
        new.insert((*key).to_owned(), value.clone());
    }
    if existing == Some(&new) {
        return Ok(unchanged(EntryAction::Unchanged));
    }
    let (action, new_text) = match (old, existing) {
        (None, _) => (EntryAction::Added, at_the_end(text, key, name, &entry)),
        (Some(_), Some(_)) => (EntryAction::Updated, updated(text, key, name, &entry)?),
        (Some(_), None) => {
            let bare = without(text, key, name)?;
            (EntryAction::Updated, at_the_end(&bare, key, name, &entry))
        }
    };
    let servers = wanted
        .entry(key)
        .or_insert_with(|| Value::Table(Table::new()));
    if let Some(servers) = servers.as_table_mut() {
        servers.insert(name.to_owned(), Value::Table(new));
    }
    checked(action, text, &new_text, key, &wanted)
}

/// Appends the entry as a table at the end of the file, so that nothing above it changes.
fn at_the_end(text: &str, key: &str, name: &str, entry: &[(&str, Value)]) -> String {
    let mut block = format!("[{}.{}]\n", key_text(key), key_text(name));
    for (key, value) in entry {
        block += &format!("{} = {value}\n", key_text(key));
    }
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{text}{gap}{block}")
}

/// Updates the keys of an existing entry in place.
fn updated(
    text: &str,
    key: &str,
    name: &str,
    entry: &[(&str, Value)],
) -> Result<String, UnusableConfig> {
    let mut document = document(text)?;
    let servers = table_mut(document.get_mut(key)).ok_or(UnusableConfig::Entangled)?;
    let table = table_mut(servers.get_mut(name)).ok_or(UnusableConfig::Entangled)?;
    for (key, value) in entry {
        let mut new: toml_edit::Value = value
            .to_string()
            .parse()
            .map_err(|_| UnusableConfig::Entangled)?;
        match table.get_mut(key) {
            Some(item) => {
                if let Some(old) = item.as_value() {
                    *new.decor_mut() = old.decor().clone();
                }
                *item = Item::Value(new);
            }
            None => {
                table.insert(key, Item::Value(new));
            }
        }
    }
    Ok(document.to_string())
}

fn without(text: &str, key: &str, name: &str) -> Result<String, UnusableConfig> {
    let mut document = document(text)?;
    let servers = table_mut(document.get_mut(key)).ok_or(UnusableConfig::Entangled)?;
    servers.remove(name);
    // Otherwise an empty table would be left behind that the user never wrote.
    let is_nothing = servers.is_empty()
        && document
            .get(key)
            .and_then(Item::as_table)
            .is_some_and(toml_edit::Table::is_implicit);
    if is_nothing {
        document.remove(key);
    }
    Ok(document.to_string())
}

fn document(text: &str) -> Result<DocumentMut, UnusableConfig> {
    text.parse().map_err(|_| UnusableConfig::Entangled)
}

fn table_mut(item: Option<&mut Item>) -> Option<&mut dyn TableLike> {
    item?.as_table_like_mut()
}

/// Parses the result and checks that only the entry changed.
fn checked(
    action: EntryAction,
    old: &str,
    new: &str,
    key: &str,
    wanted: &Table,
) -> Result<Edited, UnusableConfig> {
    // The TOML writer only writes LF; restore CRLF.
    let breaks = old.matches('\n').count();
    let text = if breaks > 0 && old.matches("\r\n").count() == breaks {
        new.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        new.to_owned()
    };
    let says: Table = text.parse().map_err(|_| UnusableConfig::Entangled)?;
    let same = |table: &Table| {
        let mut table = table.clone();
        // An empty table and a missing one mean the same.
        if table
            .get(key)
            .and_then(Value::as_table)
            .is_some_and(Table::is_empty)
        {
            table.remove(key);
        }
        table
    };
    if same(&says) == same(wanted) {
        Ok(Edited { action, text })
    } else {
        Err(UnusableConfig::Entangled)
    }
}

fn key_text(part: &str) -> String {
    toml_edit::Key::new(part).display_repr().into_owned()
}

fn from_json(value: &Json) -> Option<Value> {
    Value::try_from(value).ok()
}

/// ` (line 3, column 4)`.
fn place(text: &str, span: Option<std::ops::Range<usize>>) -> String {
    let before = span.and_then(|span| text.get(..span.start));
    before.map_or_else(String::new, |before| {
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        format!(" (line {line}, column {column})")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KEY: &str = "mcp_servers";

    fn entry() -> Vec<(&'static str, Json)> {
        vec![
            ("command", json!("/bin/v")),
            ("args", json!(["mcp", "--vault", "a b"])),
        ]
    }

    fn add(text: &str) -> Result<Edited, UnusableConfig> {
        edited(text, KEY, "v-1", Some(&entry()))
    }

    const BLOCK: &str =
        "[mcp_servers.v-1]\ncommand = \"/bin/v\"\nargs = [\"mcp\", \"--vault\", \"a b\"]\n";

    #[test]
    fn a_table_is_added_at_the_end_and_taken_away_again() {
        for text in [
            "",
            "# mine\nmodel = 'x'  # why\n\n[mcp_servers.other]\ncommand = \"o\"\n",
            "a = 1\n[mcp_servers]\n[mcp_servers.other]\ncommand = \"o\"\n[z]\nb=2\n",
        ] {
            let edited = add(text).unwrap();
            assert_eq!(edited.action, EntryAction::Added, "{text}");
            let gap = if text.is_empty() { "" } else { "\n" };
            assert_eq!(edited.text, format!("{text}{gap}{BLOCK}"));
            let again = add(&edited.text).unwrap();
            assert_eq!(
                (again.action, &again.text),
                (EntryAction::Unchanged, &edited.text)
            );
            let removed = super::edited(&edited.text, KEY, "v-1", None).unwrap();
            assert_eq!(
                (removed.action, removed.text.as_str()),
                (EntryAction::Removed, text)
            );
        }
        assert_eq!(add("a = 1").unwrap().text, format!("a = 1\n\n{BLOCK}"));
        let crlf = add("a = 1\r\n").unwrap().text;
        assert_eq!(crlf, format!("a = 1\n\n{BLOCK}").replace('\n', "\r\n"));
    }

    #[test]
    fn an_entry_that_is_there_keeps_its_other_keys_and_comments() {
        let text = "[mcp_servers.v-1] # ours\nenv = { A = \"b\" }\ncommand = \"/old\" # path\nargs = []\nenabled = false\n";
        let edited = add(text).unwrap();
        assert_eq!(edited.action, EntryAction::Updated);
        assert_eq!(
            edited.text,
            "[mcp_servers.v-1] # ours\nenv = { A = \"b\" }\ncommand = \"/bin/v\" # path\nargs = [\"mcp\", \"--vault\", \"a b\"]\nenabled = false\n"
        );
        let inline = "mcp_servers = { v-1 = { command = \"/old\" }, x = { url = \"u\" } }\n";
        let edited = add(inline).unwrap();
        assert!(
            edited.text.contains("x = { url = \"u\" }"),
            "{}",
            edited.text
        );
        let other_kind = add("[mcp_servers.v-1]\nurl = \"http://x\"\n").unwrap();
        assert_eq!(
            (other_kind.action, other_kind.text.as_str()),
            (EntryAction::Updated, BLOCK)
        );
    }

    #[test]
    fn what_cannot_be_changed_is_left() {
        for text in ["a = ", "a = 1\na = 2\n", "[mcp_servers"] {
            let error = add(text).unwrap_err();
            assert!(
                matches!(&error, UnusableConfig::Syntax { .. }),
                "{text}: {error}"
            );
        }
        let key = KEY.to_owned();
        assert_eq!(
            add("mcp_servers = 1").unwrap_err(),
            UnusableConfig::NotATable { key }
        );
        // A table cannot be added to an inline one from outside.
        let inline = "mcp_servers = { x = { command = \"x\" } }\n";
        assert_eq!(add(inline).unwrap_err(), UnusableConfig::Entangled);
        assert_eq!(
            edited("", KEY, "v-1", None).unwrap().action,
            EntryAction::Absent
        );
    }
}
