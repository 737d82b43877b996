//! Properties that are written as one `{…}`, as in JSON.

use std::ops::Range;

use serde_json::Value;

use super::layout::{Entry, Form, Layout};
use super::lexical::indent_before;
use super::wording::{Quotes, flow};

/// The text with the property set: its value replaced, or the property added at the end. The braces must contain at
/// least one property.
pub(super) fn set(
    yaml: &str,
    layout: &Layout,
    close: usize,
    name: &str,
    value: &Value,
) -> Option<String> {
    let last = layout.entries.last()?;
    let is_json = yaml[last.key.clone()].starts_with('"');
    let quotes = |text_is_quoted: bool| {
        if text_is_quoted {
            Quotes::Double
        } else {
            Quotes::AsNeeded
        }
    };
    if let Some(entry) = layout.entry(name) {
        let old = &entry.value;
        let text = flow(
            value,
            quotes(matches!(old.form, Form::DoubleQuoted) || is_json),
        );
        let (at, text) = match (&old.form, entry.after_colon) {
            (Form::Nothing, None) => (entry.key.end..entry.key.end, format!(": {text}")),
            (Form::Nothing, Some(colon)) => (colon..colon, format!(" {text}")),
            (_, _) => (old.content..old.end, text),
        };
        return Some(format!("{}{text}{}", &yaml[..at.start], &yaml[at.end..]));
    }
    let key = flow(&Value::from(name), quotes(is_json));
    let text = format!("{key}: {}", flow(value, quotes(is_json)));
    let end = last.value.end.max(last.key.end);
    let behind = yaml.get(end..close)?;
    let (at, comma) = match behind.find(',') {
        Some(comma) => (end + comma + 1, ""),
        None => (end, ","),
    };
    let gap = match indent_before(yaml, last.key.start) {
        Some(indent) if yaml[..last.key.start].contains('\n') => format!("\n{indent}"),
        _ => " ".to_owned(),
    };
    Some(format!("{}{comma}{gap}{text}{}", &yaml[..at], &yaml[at..]))
}

/// Returns the text without the property and one comma next to it. `None` if a comment would be
/// lost.
pub(super) fn removed(
    yaml: &str,
    layout: &Layout,
    braces: Range<usize>,
    name: &str,
) -> Option<String> {
    let at = layout
        .entries
        .iter()
        .position(|entry| entry.name.as_deref() == Some(name))?;
    let entry = layout.entries.get(at)?;
    let end_of = |entry: &Entry| entry.value.end.max(entry.key.end);
    let before = at
        .checked_sub(1)
        .and_then(|before| layout.entries.get(before));
    let (gone, gap) = match (layout.entries.get(at + 1), before) {
        (Some(next), _) => (
            entry.key.start..next.key.start,
            end_of(entry)..next.key.start,
        ),
        (None, Some(before)) => (
            end_of(before)..end_of(entry),
            end_of(before)..entry.key.start,
        ),
        // The last property takes the braces with it.
        (None, None) => (braces.clone(), end_of(entry)..braces.end),
    };
    if yaml.get(gap)?.contains('#') {
        return None;
    }
    Some(format!(
        "{}{}",
        yaml.get(..gone.start)?,
        yaml.get(gone.end..)?
    ))
}
