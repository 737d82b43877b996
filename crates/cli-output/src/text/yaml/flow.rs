//! Flow collections on one line: `[a, "b"]`, `{a: 1}`.

use serde_json::{Map, Value};

use super::read::{BLANKS, DEEPEST};
use super::scalar;

/// The collection at the head of a text, and what follows it; else what is wrong.
pub(super) fn collection(text: &str) -> Result<(Value, &str), &'static str> {
    value(text, 0)
}

fn value(text: &str, depth: usize) -> Result<(Value, &str), &'static str> {
    if depth > DEEPEST {
        return Err("too deep nesting");
    }
    if let Some(inner) = text.strip_prefix('[') {
        return sequence(inner, depth);
    }
    if let Some(inner) = text.strip_prefix('{') {
        return mapping(inner, depth);
    }
    if text.starts_with(['"', '\'']) {
        let (value, rest) = scalar::quoted(text).ok_or("a quoted text without end")?;
        return Ok((Value::from(value), rest));
    }
    let (plain, rest) = text.split_at(text.find([',', ']', '}']).ok_or("a list without end")?);
    Ok((scalar::plain_value(plain.trim_matches(BLANKS)), rest))
}

fn sequence(inner: &str, depth: usize) -> Result<(Value, &str), &'static str> {
    let mut items = Vec::new();
    let mut rest = inner.trim_start_matches(BLANKS);
    loop {
        if let Some(rest) = rest.strip_prefix(']') {
            return Ok((Value::from(items), rest));
        }
        let (item, after) = value(rest, depth + 1)?;
        items.push(item);
        rest = next(after, ']')?;
    }
}

fn mapping(inner: &str, depth: usize) -> Result<(Value, &str), &'static str> {
    let mut map = Map::new();
    let mut rest = inner.trim_start_matches(BLANKS);
    loop {
        if let Some(rest) = rest.strip_prefix('}') {
            return Ok((Value::Object(map), rest));
        }
        let (key, after) = if rest.starts_with(['"', '\'']) {
            let (key, after) = scalar::quoted(rest).ok_or("a quoted text without end")?;
            (
                key,
                after
                    .trim_start_matches(BLANKS)
                    .strip_prefix(':')
                    .ok_or("a key without a colon")?,
            )
        } else {
            let (key, after) = rest.split_once(':').ok_or("a key without a colon")?;
            (key.trim_matches(BLANKS).to_owned(), after)
        };
        let (member, after) = value(after.trim_start_matches(BLANKS), depth + 1)?;
        if map.insert(key, member).is_some() {
            return Err("a key that stands twice");
        }
        rest = next(after, '}')?;
    }
}

/// Returns the text after a comma, or from the closing bracket on.
fn next(after: &str, close: char) -> Result<&str, &'static str> {
    let after = after.trim_start_matches(BLANKS);
    match after.strip_prefix(',') {
        Some(rest) => Ok(rest.trim_start_matches(BLANKS)),
        None if after.starts_with(close) => Ok(after),
        None => Err("a list without end"),
    }
}
