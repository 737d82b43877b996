//! Edits of entries without a `[header]`, which cannot be cut out of the text. The TOML writer does
//! these edits, and they are refused if it would lose a comment.

use toml_edit::{DocumentMut, InlineTable, Item, TableLike, Value};

use super::{UnusableConfig, document, line_break};

/// Adds the entry to an inline table of servers, or updates an entry without a header.
pub(super) fn set(
    text: &str,
    key: &str,
    name: &str,
    entry: &[(&str, Value)],
) -> Result<String, UnusableConfig> {
    let mut document = document(text)?.into_mut();
    let servers = table_mut(document.get_mut(key)).ok_or(UnusableConfig::Entangled)?;
    let new = Item::Value(InlineTable::new().into());
    let table = servers.entry(name).or_insert(new);
    let table = table_mut(Some(table)).ok_or(UnusableConfig::Entangled)?;
    for (key, value) in entry {
        let mut new = value.clone();
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
    written(text, &document)
}

/// Removes an entry without a header.
pub(super) fn without(text: &str, key: &str, name: &str) -> Result<String, UnusableConfig> {
    let mut document = document(text)?.into_mut();
    let servers = table_mut(document.get_mut(key)).ok_or(UnusableConfig::Entangled)?;
    servers.remove(name);
    written(text, &document)
}

/// Returns the document as the TOML writer formats it. The writer uses one kind of line break and
/// moves comments together with their neighbours; losing a comment is an error.
fn written(old: &str, document: &DocumentMut) -> Result<String, UnusableConfig> {
    let new = document.to_string();
    let breaks = old.matches('\n').count();
    let with_cr = old.matches("\r\n").count();
    let new = match line_break(old) {
        "\r\n" => new.replace("\r\n", "\n").replace('\n', "\r\n"),
        _ if with_cr == 0 || with_cr == breaks => new,
        // The lines have different line breaks, and it is unknown which line had which.
        _ => return Err(UnusableConfig::Entangled),
    };
    let mut left: Vec<&str> = comments(&new).collect();
    for comment in comments(old) {
        let found = left.iter().position(|other| *other == comment);
        left.swap_remove(found.ok_or(UnusableConfig::Entangled)?);
    }
    Ok(new)
}

/// Returns the rest of each line after a `#`, which may be a comment.
fn comments(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter_map(|line| line.split_once('#'))
        .map(|(_, comment)| comment.trim_end())
}

fn table_mut(item: Option<&mut Item>) -> Option<&mut dyn TableLike> {
    item?.as_table_like_mut()
}
