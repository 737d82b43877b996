//! Edits the entry of a server in a TOML file.

mod writer;

use std::ops::Range;

use serde_json::Value as Json;
use toml::{Table, Value};
use toml_edit::{Document, Item};

use super::{Edited, EntryAction, UnusableConfig, address, line_break};

const FORMAT: &str = "TOML";
const MARK: char = '\u{feff}';

pub(super) fn edited(
    text: &str,
    key: &str,
    name: &str,
    entry: Option<&[(&str, Json)]>,
) -> Result<Edited, UnusableConfig> {
    let (mark, body) = split_mark(text);
    let mut edited = edited_body(body, key, name, entry)?;
    edited.text.insert_str(0, mark);
    Ok(edited)
}

/// Returns the present servers with their names.
pub(super) fn all_servers(text: &str, key: &str) -> Result<Vec<(String, Json)>, UnusableConfig> {
    let (_, body) = split_mark(text);
    let table = parsed(body)?;
    Ok(match servers(&table, key)?.map(serde_json::to_value) {
        Some(Ok(Json::Object(servers))) => servers.into_iter().collect(),
        _ => Vec::new(),
    })
}

/// Returns the byte order mark and the rest.
fn split_mark(text: &str) -> (&str, &str) {
    let body = text.strip_prefix(MARK).unwrap_or(text);
    text.split_at(text.len() - body.len())
}

fn parsed(text: &str) -> Result<Table, UnusableConfig> {
    text.parse()
        .map_err(|error: toml::de::Error| UnusableConfig::Syntax {
            format: FORMAT,
            reason: error.message().to_owned() + &place(text, error.span()),
        })
}

/// Returns the table of servers; `None` if it is missing.
fn servers<'a>(table: &'a Table, key: &str) -> Result<Option<&'a Table>, UnusableConfig> {
    match table.get(key) {
        None => Ok(None),
        Some(Value::Table(servers)) => Ok(Some(servers)),
        Some(_) => Err(UnusableConfig::NotATable {
            key: key.to_owned(),
        }),
    }
}

fn edited_body(
    text: &str,
    key: &str,
    name: &str,
    entry: Option<&[(&str, Json)]>,
) -> Result<Edited, UnusableConfig> {
    let before = parsed(text)?;
    let old = servers(&before, key)?.and_then(|servers| servers.get(name));
    let unchanged = |action: EntryAction| Edited {
        action,
        text: text.to_owned(),
    };
    // What the file must contain afterwards; `checked` compares the edited text with it.
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
            without(text, key, name)?,
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
    if let Some(table) = existing
        && let Some(key) = address(|key| table.contains_key(key))
    {
        let name = name.to_owned();
        return Err(UnusableConfig::OtherKind { name, key });
    }
    let mut new = existing.cloned().unwrap_or_default();
    for (key, value) in &entry {
        new.insert((*key).to_owned(), value.clone());
    }
    if existing == Some(&new) {
        return Ok(unchanged(EntryAction::Unchanged));
    }
    let (action, new_text) = match (old, existing) {
        (None, _) if is_inline(text, key) => {
            (EntryAction::Added, writer::added(text, key, name, &entry)?)
        }
        (None, _) => (EntryAction::Added, at_the_end(text, key, name, &entry)),
        (Some(_), Some(_)) => (EntryAction::Updated, updated(text, key, name, &entry)?),
        // The entry is not a table, so a table replaces it.
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
    checked(action, new_text, key, &wanted)
}

/// Appends the entry as a table at the end of the file, so that the text above it does not change. If the last line of
/// the file has no line break, the entry's last line gets none either, so that [`without`] can restore the file.
fn at_the_end(text: &str, key: &str, name: &str, entry: &[(&str, Value)]) -> String {
    let line_break = line_break(text);
    let mut lines = vec![format!("[{}.{}]", key_text(key), key_text(name))];
    lines.extend(entry.iter().map(statement));
    let block = lines.join(line_break);
    match text {
        "" => format!("{block}{line_break}"),
        text if text.ends_with('\n') => format!("{text}{line_break}{block}{line_break}"),
        _ => format!("{text}{line_break}{line_break}{block}"),
    }
}

/// Whether the table of servers is an inline value, to which a `[table]` cannot add.
fn is_inline(text: &str, key: &str) -> bool {
    let document = Document::parse(text).ok();
    let servers = document.as_ref().and_then(|document| document.get(key));
    servers.is_some_and(Item::is_inline_table)
}

fn statement((key, value): &(&str, Value)) -> String {
    format!("{} = {value}", key_text(key))
}

/// Updates the keys of an existing entry in place.
fn updated(
    text: &str,
    key: &str,
    name: &str,
    entry: &[(&str, Value)],
) -> Result<String, UnusableConfig> {
    match updates(text, key, name, entry) {
        Some(updates) => Ok(spliced(text, updates)),
        None => writer::updated(text, key, name, entry),
    }
}

/// Returns the replacements for an update: the present values, and other keys in new lines below
/// the header. `None` if the entry is not a table with its own header.
fn updates(
    text: &str,
    key: &str,
    name: &str,
    entry: &[(&str, Value)],
) -> Option<Vec<(Range<usize>, String)>> {
    let document = Document::parse(text).ok()?;
    let table = document.get(key)?.as_table_like()?.get(name)?.as_table()?;
    let header = table.span().filter(|_| has_header(table))?;
    let below = end_of_line(text, header.end);
    let mut updates = Vec::new();
    let mut new_lines = String::new();
    for pair in entry {
        let (key, value) = pair;
        match table.get(key) {
            Some(Item::Value(old)) => updates.push((old.span()?, value.to_string())),
            // The key has a table, which has no single place in the text.
            Some(_) => return None,
            None => new_lines += &(statement(pair) + line_break(text)),
        }
    }
    if !new_lines.is_empty() {
        if !text[..below].ends_with('\n') {
            new_lines.insert_str(0, line_break(text));
        }
        updates.push((below..below, new_lines));
    }
    Some(updates)
}

/// Replaces the ranges, which do not overlap.
fn spliced(text: &str, mut changes: Vec<(Range<usize>, String)>) -> String {
    changes.sort_by_key(|(range, _)| range.start);
    let mut new = String::with_capacity(text.len());
    let mut from = 0;
    for (range, replacement) in changes {
        new.push_str(&text[from..range.start]);
        new.push_str(&replacement);
        from = range.end;
    }
    new + &text[from..]
}

/// Removes the entry, and the blank line that [`at_the_end`] put before it.
fn without(text: &str, key: &str, name: &str) -> Result<String, UnusableConfig> {
    let document = Document::parse(text).map_err(|_| UnusableConfig::Entangled)?;
    let table = document
        .get(key)
        .and_then(Item::as_table_like)
        .and_then(|servers| servers.get(name)?.as_table());
    let mut blocks = Vec::new();
    match table.map(|table| collect_blocks(text, table, &mut blocks)) {
        Some(Some(())) => {
            let removed = blocks.into_iter().map(|block| {
                let start = without_gap(&text[..block.start], &text[block.clone()]).len();
                (start..block.end, String::new())
            });
            Ok(spliced(text, removed.collect()))
        }
        _ => writer::without(text, key, name),
    }
}

/// Returns the text before a block, without the blank line above it. If the last line of the block has no line break,
/// the last line of the text before it had none either.
fn without_gap<'a>(before: &'a str, block: &str) -> &'a str {
    let above = strip_line_break(before);
    let is_blank_line = above.is_some_and(|above| above.ends_with('\n'));
    let rest = above.filter(|_| is_blank_line).unwrap_or(before);
    if block.ends_with('\n') {
        rest
    } else {
        strip_line_break(rest).unwrap_or(rest)
    }
}

fn strip_line_break(text: &str) -> Option<&str> {
    text.strip_suffix("\r\n")
        .or_else(|| text.strip_suffix('\n'))
}

/// Returns the lines of a table and of its subtables: from its header to its last value. `None` if part of it is
/// written elsewhere, as dotted keys.
fn collect_blocks(
    text: &str,
    table: &toml_edit::Table,
    blocks: &mut Vec<Range<usize>>,
) -> Option<()> {
    let header = table.span().filter(|_| has_header(table));
    let mut end = header.as_ref().map(|header| header.end);
    for (_, item) in table {
        match item {
            Item::None => {}
            Item::Table(below) if !below.is_dotted() => collect_blocks(text, below, blocks)?,
            Item::ArrayOfTables(tables) => {
                for below in tables {
                    collect_blocks(text, below, blocks)?;
                }
            }
            Item::Value(_) | Item::Table(_) => end = Some(end?.max(last_byte(item)?)),
        }
    }
    if let (Some(header), Some(end)) = (header, end) {
        let start = text[..header.start].rfind('\n').map_or(0, |at| at + 1);
        blocks.push(start..end_of_line(text, end));
    }
    Some(())
}

/// Whether a table has a `[header]`, by which the text of the table can be found.
fn has_header(table: &toml_edit::Table) -> bool {
    !table.is_implicit() && !table.is_dotted()
}

/// Returns the end of an item's last value, in bytes.
fn last_byte(item: &Item) -> Option<usize> {
    match item {
        Item::Table(dotted) => dotted.iter().filter_map(|(_, item)| last_byte(item)).max(),
        item => item.span().map(|span| span.end),
    }
}

/// Returns the end of the line that contains this byte, with its line break.
fn end_of_line(text: &str, at: usize) -> usize {
    text[at..]
        .find('\n')
        .map_or(text.len(), |found| at + found + 1)
}

/// Parses the result and checks that only the entry changed.
fn checked(
    action: EntryAction,
    text: String,
    key: &str,
    wanted: &Table,
) -> Result<Edited, UnusableConfig> {
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

/// Returns the position for a message: ` (line 3, column 4)`.
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
        let without_end = add("a = 1").unwrap().text;
        assert_eq!(without_end, format!("a = 1\n\n{}", BLOCK.trim_end()));
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
        let without_command = add("[mcp_servers.v-1]\n# mine\nenabled = false # off\n").unwrap();
        assert_eq!(
            without_command.text,
            format!("{BLOCK}# mine\nenabled = false # off\n")
        );
        let other_kind = add("[mcp_servers.v-1]\nurl = \"http://x\"\n").unwrap_err();
        let name = "v-1".to_owned();
        assert_eq!(other_kind, UnusableConfig::OtherKind { name, key: "url" });
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
        // A `[table]` cannot add to an inline table, so the entry is written into it.
        let inline = "a = 1\nmcp_servers = { x = { command = \"x\" } } # mine\n";
        let added = add(inline).unwrap();
        assert_eq!(added.action, EntryAction::Added);
        assert_eq!(
            added.text,
            "a = 1\nmcp_servers = { x = { command = \"x\" } , v-1 = { command = \"/bin/v\", args = [\"mcp\", \"--vault\", \"a b\"] } } # mine\n"
        );
        let removed = edited(&added.text, KEY, "v-1", None).unwrap();
        assert_eq!(removed.text, inline);
        assert_eq!(
            edited("", KEY, "v-1", None).unwrap().action,
            EntryAction::Absent
        );
    }

    #[test]
    fn comments_of_the_user_stay_when_the_entry_goes() {
        for (text, rest) in [
            (
                "# top\n[mcp_servers.v-1]\ncommand = \"x\" # ours\n\n# end\n",
                "# top\n\n# end\n",
            ),
            (
                "a = 1\n\n[mcp_servers.v-1]\ncommand = \"x\"\n[mcp_servers.v-1.env]\nA = \"b\"\n\n[z]\n",
                "a = 1\n\n[z]\n",
            ),
        ] {
            let removed = edited(text, KEY, "v-1", None).unwrap();
            assert_eq!(removed.text, rest);
        }
        // If the writer would drop a comment, the file is not changed.
        let inline = "mcp_servers = { x = { url = \"u\" }, v-1 = { args = [\n# mine\n] } }\n";
        let refused = edited(inline, KEY, "v-1", None).unwrap_err();
        assert_eq!(refused, UnusableConfig::Entangled);
    }

    /// Lines of a file: comments, keys, tables and blank lines, with either kind of line break.
    fn lines() -> impl proptest::strategy::Strategy<Value = String> {
        use proptest::prelude::*;
        let line = prop_oneof![
            Just(String::new()),
            Just("  ".to_owned()),
            "# [a-z\\[\\]=\"' ]{0,8}",
            Just("[mcp_servers.other] # of mine".to_owned()),
            Just("[mcp_servers]".to_owned()),
            (0..9_u8).prop_map(|number| format!("[table-{number}]")),
            (0..9_u8).prop_map(|number| format!("key-{number} = 1 # why")),
            (0..9_u8).prop_map(|number| format!(
                "text-{number} = \"\"\"\n[mcp_servers.v-1]\n\n# no\"\"\""
            )),
        ];
        let line = (line, proptest::bool::weighted(0.3));
        (
            any::<bool>(),
            proptest::collection::vec(line, 0..8),
            any::<bool>(),
        )
            .prop_map(|(has_mark, lines, has_end)| {
                let mut text = String::from(if has_mark { "\u{feff}" } else { "" });
                for (line, has_cr) in lines {
                    text += &line;
                    text += if has_cr { "\r\n" } else { "\n" };
                }
                if !has_end {
                    let end = strip_line_break(&text).unwrap_or(&text).len();
                    text.truncate(end);
                }
                text
            })
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(512))]

        #[test]
        fn adding_and_removing_gives_back_every_byte(text in lines()) {
            let Ok(added) = add(&text) else {
                return Ok(());
            };
            proptest::prop_assert_eq!(added.action, EntryAction::Added);
            let removed = edited(&added.text, KEY, "v-1", None).unwrap();
            proptest::prop_assert_eq!(removed.text, text);
        }
    }
}
