//! Fast path for properties in the plain form that nearly all notes have. The YAML parser would
//! take as long for them as scanning the rest of the note.
//!
//! A line is a key with a plain word, a double-quoted text or a list in brackets, or a key alone
//! with the lines of a list below. Anything else is left to the parser: the result equals the
//! parser's, or there is none.

use serde_json::{Map, Value};
use yaml_events::scalar::{self, ScalarType};

/// Longer texts, in bytes, are left to the parser and its limits.
const MAX_BYTES: usize = 16 * 1024;

/// Returns the mapping of a whole text; `None` if the parser has to read it.
pub(super) fn mapping(yaml: &str) -> Option<Map<String, Value>> {
    if yaml.len() > MAX_BYTES {
        return None;
    }
    let mut entries = Map::new();
    let mut lines = yaml.lines().peekable();
    while let Some(line) = lines.next() {
        let (key, rest) = key(line)?;
        if entries.contains_key(key) {
            return None;
        }
        let written = match rest {
            "" => "",
            _ => rest.strip_prefix(' ')?.trim_matches(' '),
        };
        let value = if written.is_empty() {
            let mut items = Vec::new();
            let mut indent = None;
            while let Some((before, item)) = lines.peek().and_then(|line| line.split_once("- ")) {
                let is_blank = before.bytes().all(|byte| byte == b' ');
                if !is_blank || *indent.get_or_insert(before.len()) != before.len() {
                    return None;
                }
                items.push(scalar(item.trim_matches(' '))?);
                lines.next();
            }
            if items.is_empty() {
                Value::Null
            } else {
                Value::Array(items)
            }
        } else if let Some(items) = written.strip_prefix('[') {
            list(items.strip_suffix(']')?)?
        } else {
            scalar(written)?
        };
        entries.insert(key.to_owned(), value);
    }
    (!entries.is_empty()).then_some(entries)
}

/// Returns the key at the beginning of a line, and the text after its `:`.
fn key(line: &str) -> Option<(&str, &str)> {
    if let Some(quoted) = line.strip_prefix('"') {
        let (key, rest) = quoted.split_once('"')?;
        let is_itself = !key.is_empty() && key.chars().all(is_word);
        return Some((key, rest.strip_prefix(':')?)).filter(|_| is_itself);
    }
    let (key, rest) = line.split_once(':')?;
    let first = key.chars().next();
    let is_key = first.is_some_and(|first| first.is_ascii_alphabetic() || is_letter(first))
        && key.chars().all(|character| character != ' ' && is_word(character))
        // A word that every parser reads as text.
        && scalar::value(key, ScalarType::Any).is_string();
    is_key.then_some((key, rest))
}

fn is_word(character: char) -> bool {
    match character {
        '_' | '-' | ' ' => true,
        other => other.is_ascii_alphanumeric() || is_letter(other),
    }
}

fn scalar(text: &str) -> Option<Value> {
    if let Some(quoted) = text.strip_prefix('"') {
        let inside = quoted.strip_suffix('"')?;
        let is_itself = is_printed(inside) && !inside.contains(['"', '\\']);
        return is_itself.then(|| Value::from(inside));
    }
    if let Some(quoted) = text.strip_prefix('\'') {
        let inside = quoted.strip_suffix('\'')?;
        // In single quotes, a quote is written twice.
        let text = inside.replace("''", "\u{1}");
        let is_itself = is_printed(inside) && !text.contains('\'');
        return is_itself.then(|| Value::from(text.replace('\u{1}', "'")));
    }
    let text = match text.find(" #") {
        Some(comment) if is_printed(text) => text.get(..comment)?.trim_end_matches(' '),
        _ => text,
    };
    is_plain(text, ",()'?=&%").then(|| scalar::value(text, ScalarType::Any))
}

/// Whether a text has only ASCII and letters, which YAML allows without escapes.
fn is_printed(text: &str) -> bool {
    text.chars()
        .all(|character| matches!(character, ' '..='~') || is_letter(character))
}

fn list(inside: &str) -> Option<Value> {
    if inside.bytes().all(|byte| byte == b' ') {
        return Some(Value::Array(Vec::new()));
    }
    let item = |text: &str| {
        let text = text.trim_matches(' ');
        if text.starts_with('"') {
            scalar(text)
        } else {
            is_plain(text, "").then(|| scalar::value(text, ScalarType::Any))
        }
    };
    let items: Option<Vec<Value>> = inside.split(',').map(item).collect();
    items.map(Value::Array)
}

/// Whether a text needs no quotes; `also` lists marks that it may contain. With such marks, `:` may
/// come before a non-space, and `#` after one.
fn is_plain(text: &str, also: &str) -> bool {
    let mut characters = text.chars();
    let first = characters.next();
    let starts = match (first, characters.next()) {
        (Some('-'), Some(second)) => second.is_ascii_digit(),
        (Some(first), _) => first.is_ascii_alphanumeric() || is_letter(first),
        (None, _) => false,
    };
    let is_inside = !also.is_empty() && !text.ends_with(':') && !text.contains(": ");
    let is_anchor = !also.is_empty() && !text.contains(" #");
    starts
        && text.chars().all(|character| match character {
            ' ' | '_' | '.' | '/' | '+' | '-' => true,
            ':' => is_inside,
            '#' => is_anchor,
            other if other.is_ascii() => other.is_ascii_alphanumeric() || also.contains(other),
            other => is_letter(other),
        })
}

fn is_letter(character: char) -> bool {
    !character.is_ascii() && character.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::yaml;
    use super::*;

    const CASES: &str = include_str!("plain_cases.txt");

    fn check(text: &str) {
        if let Some(plain) = mapping(text) {
            let parsed = yaml::parsed(text).unwrap();
            let written = |map: &Map<String, Value>| serde_json::to_string(map).unwrap();
            assert_eq!(written(&plain), written(&parsed), "{text:?}");
        }
    }

    #[test]
    fn the_usual_forms_need_no_parser() {
        let text = "title: A note\ntags: [a, \"b/c\"]\naliases:\n  - One\n  - \"[[Two]]\"\nempty:\ndone: true\nrating: 4.50\ncreated: 2026-01-02T10:30:00\r\nsource: https://example.org/7?a=1#b\n数量: 4\nname: 'A: b, it''s'\n\"a key\": 5   # a comment\nnone: []\n";
        check(text);
        assert_eq!(mapping(text).unwrap().len(), 12);
    }

    #[test]
    fn all_else_is_left_to_the_parser() {
        for text in tables::lines(CASES, "all else is left to the parser") {
            assert_eq!(mapping(text), None, "{text:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn what_is_read_is_what_the_parser_reads(
            text in "((a|b|up|x-y|é|yes|Null|no|1|\"a\"|\"x y\")(:| :|: |:  )(\\PC{0,3}|[a-z0-9 .,'()/+:#?=&%-]{0,8}|[a-z]{1,2} {1,2}#[a-z #:]{0,3}|\\[([a-z1, :#]|\"[a-z,]\"){0,6}\\]|\"[a-z\\[\\]# :é']{0,6}\"|'[a-z# :é\\\\\"]{0,4}'|true|~|0x1f|1e3|-1|\\.5)?(\n|\r\n)(( {0,3})- ([a-z0-9 .:#é-]{0,5}|\"[a-z: ]{0,4}\")\n){0,3}){0,4}",
        ) {
            check(&text);
        }
    }
}
