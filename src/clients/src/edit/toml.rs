//! Edits the entry of a server in a TOML file.

mod writer;

use std::ops::Range;

use serde_json::{Map, Value as Json};
use toml_edit::{Document, Item, Value};

use super::{Config, UnusableConfig};
use settings::edit::lines_of;

const FORMAT: &str = "TOML";

/// Parses the values of a file.
pub(super) fn parse(text: &str, key: &str) -> Result<Config, UnusableConfig> {
    let others = toml::from_str(text);
    let mut others: Map<String, Json> =
        others.map_err(|error: toml::de::Error| UnusableConfig::Syntax {
            format: FORMAT,
            reason: error.message().to_owned() + &place(text, error.span()),
        })?;
    let servers = match others.shift_remove(key) {
        None => Vec::new(),
        Some(Json::Object(servers)) => servers.into_iter().collect(),
        Some(_) => {
            return Err(UnusableConfig::NotATable {
                key: key.to_owned(),
            });
        }
    };
    Ok(Config { others, servers })
}

/// Sets the keys of the entry `name` in the table `key`, or removes the entry. [`parse`] accepts the text.
pub(super) fn edited(
    text: &str,
    key: &str,
    name: &str,
    entry: Option<&[(&str, Json)]>,
) -> Result<String, UnusableConfig> {
    let Some(entry) = entry else {
        return without(text, key, name);
    };
    let entry: Vec<(&str, Value)> = entry
        .iter()
        .map(|(key, value)| Some((*key, written_value(value)?)))
        .collect::<Option<_>>()
        .ok_or(UnusableConfig::Entangled)?;
    let document = document(text)?;
    let servers = document.get(key);
    match servers.and_then(|servers| servers.get(name)) {
        None if servers.is_some_and(Item::is_inline_table) => writer::set(text, key, name, &entry),
        None => Ok(at_the_end(text, key, name, &entry)),
        Some(old) if old.is_table_like() => updated(text, key, name, &entry),
        // The entry is not a table, so a table replaces it.
        Some(_) => {
            let bare = without(text, key, name)?;
            Ok(at_the_end(&bare, key, name, &entry))
        }
    }
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
        None => writer::set(text, key, name, entry),
    }
}

/// Returns the replacements for an update: the present values, and other keys in new lines below
/// the header. `None` if other keys are needed and the entry is not a table with its own header.
fn updates(
    text: &str,
    key: &str,
    name: &str,
    entry: &[(&str, Value)],
) -> Option<Vec<(Range<usize>, String)>> {
    let document = Document::parse(text).ok()?;
    let item = document.get(key)?.as_table_like()?.get(name)?;
    let mut updates = Vec::new();
    let mut new_lines = String::new();
    for pair in entry {
        let (key, value) = pair;
        match item.get(key) {
            Some(Item::Value(old)) => updates.push((old.span()?, value.to_string())),
            // The key has a table, which has no single place in the text.
            Some(_) => return None,
            None => new_lines += &(statement(pair) + line_break(text)),
        }
    }
    if !new_lines.is_empty() {
        let table = item.as_table()?;
        let has_header = !table.is_implicit() && !table.is_dotted();
        let header = table.span().filter(|_| has_header)?;
        let below = end_of_line(text, header.end);
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

/// Removes the lines of the entry, and the blank line that [`at_the_end`] put before its header. An entry that shares a
/// line with others has no lines of its own.
fn without(text: &str, key: &str, name: &str) -> Result<String, UnusableConfig> {
    let lines = lines_of_entry(text, key, name);
    let cut = lines.into_iter().map(|lines| {
        let block = &text[lines.clone()];
        let before = &text[..lines.start];
        let is_table = block.trim_start().starts_with('[');
        let before = if is_table {
            without_gap(before, block)
        } else {
            before
        };
        (before.len()..lines.end, String::new())
    });
    let new = spliced(text, cut.collect());
    let mut wanted = parse(text, key)?;
    wanted.servers.retain(|(found, _)| found != name);
    if parse(&new, key).is_ok_and(|found| found == wanted) {
        return Ok(new);
    }
    writer::without(text, key, name)
}

/// Returns the text with the lines that the entry has in the text `from`, which may be invalid.
pub(super) fn with_entry_of(from: &str, text: &str, key: &str, name: &str) -> String {
    let (present, earlier) = (
        lines_of_entry(text, key, name),
        lines_of_entry(from, key, name),
    );
    let mut earlier = earlier.into_iter().map(|lines| &from[lines]);
    let last = present.len().saturating_sub(1);
    let changes = present.into_iter().enumerate().map(|(at, lines)| {
        let count = if at == last { usize::MAX } else { 1 };
        let mut new: String = earlier.by_ref().take(count).collect();
        if lines.end < text.len() && !new.is_empty() && !new.ends_with('\n') {
            new += line_break(text);
        }
        (lines, new)
    });
    spliced(text, changes.collect())
}

fn lines_of_entry(text: &str, key: &str, name: &str) -> Vec<Range<usize>> {
    lines_of(text, &[key.to_owned(), name.to_owned()]).unwrap_or_default()
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

/// Returns the end of the line that contains this byte, with its line break.
fn end_of_line(text: &str, at: usize) -> usize {
    text[at..]
        .find('\n')
        .map_or(text.len(), |found| at + found + 1)
}

/// Returns the line break of the text: CRLF if all of its lines end with that, otherwise LF.
fn line_break(text: &str) -> &'static str {
    let breaks = text.matches('\n').count();
    if breaks > 0 && text.matches("\r\n").count() == breaks {
        "\r\n"
    } else {
        "\n"
    }
}

fn document(text: &str) -> Result<Document<&str>, UnusableConfig> {
    Document::parse(text).map_err(|_| UnusableConfig::Entangled)
}

fn written_value(value: &Json) -> Option<Value> {
    let value = toml::Value::try_from(value).ok()?;
    value.to_string().parse().ok()
}

fn key_text(part: &str) -> String {
    toml_edit::Key::new(part).display_repr().into_owned()
}

/// Returns the position for a message: ` (line 3, column 4)`.
fn place(text: &str, span: Option<Range<usize>>) -> String {
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

    use super::super::super::client::McpClient;
    use super::super::{BYTE_ORDER_MARK, Edited, EntryAction};
    use super::*;

    fn entry() -> Vec<(&'static str, Json)> {
        vec![
            ("command", json!("/bin/v")),
            ("args", json!(["mcp", "--vault", "a b"])),
        ]
    }

    fn add(text: &str) -> Result<Edited, UnusableConfig> {
        super::super::edited(McpClient::Codex, text, "v-1", Some(&entry()))
    }

    fn remove(text: &str) -> Result<Edited, UnusableConfig> {
        super::super::edited(McpClient::Codex, text, "v-1", None)
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
            let removed = remove(&edited.text).unwrap();
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
        let key = "mcp_servers".to_owned();
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
        let removed = remove(&added.text).unwrap();
        assert_eq!(removed.text, inline);
        assert_eq!(remove("").unwrap().action, EntryAction::Absent);
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
            let removed = remove(text).unwrap();
            assert_eq!(removed.text, rest);
        }
        for (text, rest) in [
            (
                "[mcp_servers]\n\nv-1.command = 'x' # ours\nx.command = 'x' # mine\nv-1.args = []\n",
                "[mcp_servers]\n\nx.command = 'x' # mine\n",
            ),
            (
                "[mcp_servers]\nv-1 = { command = 'x' } # ours\n# mine\n",
                "[mcp_servers]\n# mine\n",
            ),
        ] {
            assert_eq!(remove(text).unwrap().text, rest);
        }
        // If the writer would drop a comment, the file is not changed.
        let inline = "mcp_servers = { x = { url = \"u\" }, v-1 = { args = [\n# mine\n] } }\n";
        let refused = remove(inline).unwrap_err();
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
                let mut text = String::from_iter(has_mark.then_some(BYTE_ORDER_MARK));
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
            let backups = [text.clone()];
            let before = super::super::before_entry(McpClient::Codex, &added.text, "v-1", &backups, &|_| true);
            proptest::prop_assert_eq!(before, Some(super::super::FileBefore::Text(text.clone())));
            let removed = remove(&added.text).unwrap();
            proptest::prop_assert_eq!(removed.text, text);
        }
    }
}
