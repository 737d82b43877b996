//! Edits that change only the property's own lines (`vault-semantics.md` §3.3, `preserve`).
//!
//! Each edit gives one or more proposals, the most careful first. None is trusted: the caller
//! parses each and takes the first that has exactly the wanted properties.

use std::ops::Range;

use serde_json::{Map, Value};

use super::layout::{Entry, Form, Layout, Root};
use super::lexical::{indent_before, line_of};
use super::wording::{Wording, lines_of};
use super::{flow_root, list};

/// The indent of a list's dashes in the app's style.
const APP_LIST_INDENT: &str = "  ";

/// Proposals for the text between the `---` lines with the property set.
pub(super) fn set(
    yaml: &str,
    properties: &Map<String, Value>,
    name: &str,
    value: &Value,
    line_end: &str,
) -> Vec<String> {
    let Some(layout) = Layout::parse(yaml) else {
        return Vec::new();
    };
    match layout.root {
        Root::Flow { open, close } if layout.entries.is_empty() => {
            let text = joined(&fresh(name, value, "", APP_LIST_INDENT), line_end);
            let before = line_of(yaml, open).start;
            let after = line_of(yaml, close).end;
            vec![format!("{}{text}{}", &yaml[..before], &yaml[after..])]
        }
        Root::Flow { close, .. } => {
            Vec::from_iter(flow_root::set(yaml, &layout, close, name, value))
        }
        Root::Nothing | Root::Block | Root::Word => match properties.get(name) {
            Some(old) => changed(yaml, &layout, (name, old, value), line_end).unwrap_or_default(),
            None => added(yaml, &layout, name, value, line_end),
        },
    }
}

/// Proposals for the text between the `---` lines without the property, which must exist.
pub(super) fn removed(yaml: &str, name: &str) -> Vec<String> {
    let Some(layout) = Layout::parse(yaml) else {
        return Vec::new();
    };
    if let Root::Flow { open, close } = layout.root {
        return Vec::from_iter(flow_root::removed(yaml, &layout, open..close + 1, name));
    }
    let Some(lines) = layout.entry(name).and_then(|entry| lines(yaml, entry)) else {
        return Vec::new();
    };
    let without = |end: usize| format!("{}{}", &yaml[..lines.start], &yaml[end..]);
    // Blank lines below could become part of a block scalar above that keeps them.
    let rest = &yaml[lines.end..];
    let blank: usize = rest
        .split_inclusive('\n')
        .take_while(|line| line.trim().is_empty())
        .map(str::len)
        .sum();
    vec![without(lines.end), without(lines.end + blank)]
}

/// Returns the range of the property's own lines.
fn lines(yaml: &str, entry: &Entry) -> Option<Range<usize>> {
    let start = line_of(yaml, entry.key.start).start;
    let before = yaml.get(start..entry.key.start)?.trim();
    if !matches!(before, "" | "?") {
        return None;
    }
    Some(start..end_of_lines(yaml, entry.value.end.max(entry.key.end)))
}

/// Returns the end of the line in which an element ends. The element may include its line end.
fn end_of_lines(yaml: &str, end: usize) -> usize {
    if end > 0 && yaml.as_bytes().get(end - 1) == Some(&b'\n') {
        end
    } else {
        line_of(yaml, end).end
    }
}

/// Returns proposals for another value of a property: three wordings, each with and without the anchor and type of the old
/// value, and the property written from scratch. `None` if the property has no entry.
fn changed(
    yaml: &str,
    layout: &Layout,
    (name, old, new): (&str, &Value, &Value),
    line_end: &str,
) -> Option<Vec<String>> {
    let entry = layout.entry(name)?;
    let list_indent = list_indent(yaml, layout);
    let indent = indent_before(yaml, entry.key.start).unwrap_or_default();
    let mut proposals = Vec::new();
    if let (Value::Array(old), Value::Array(new)) = (old, new) {
        proposals.extend(list::edited(yaml, &entry.value, old, new, line_end));
    }
    let wordings = [
        Wording::like(&entry.value, new),
        Some(Wording::of_app(new, &list_indent)),
        Some(Wording::on_one_line(new)),
    ];
    for wording in wordings.iter().flatten() {
        for keeps_anchor in [true, false] {
            proposals.extend(replaced(
                yaml,
                entry,
                wording,
                keeps_anchor,
                indent,
                line_end,
            ));
        }
    }
    if let Some(lines) = lines(yaml, entry) {
        let text = joined(&fresh(name, new, indent, &list_indent), line_end);
        proposals.push(format!(
            "{}{text}{}",
            &yaml[..lines.start],
            &yaml[lines.end..]
        ));
    }
    Some(proposals)
}

/// Returns the text with the value replaced; everything else on the line of its key stays.
fn replaced(
    yaml: &str,
    entry: &Entry,
    wording: &Wording,
    keeps_anchor: bool,
    indent: &str,
    line_end: &str,
) -> Option<String> {
    let after_colon = entry.after_colon?;
    let value = &entry.value;
    let is_on_line = |at: usize| !yaml[after_colon..at.max(after_colon)].contains('\n');
    let (from, to) = match value.form {
        Form::Nothing if is_on_line(value.start) => (value.properties_end, value.properties_end),
        Form::Text { header_end } if is_on_line(header_end) => (value.content, header_end),
        Form::Plain
        | Form::SingleQuoted
        | Form::DoubleQuoted
        | Form::Alias
        | Form::FlowList(_)
        | Form::FlowMap
            if is_on_line(value.content) =>
        {
            (value.content, value.end)
        }
        // The value begins on a line of its own, which is removed.
        _ if is_on_line(value.properties_end) && value.properties_end > value.start => {
            (value.properties_end, value.properties_end)
        }
        _ => (after_colon, after_colon),
    };
    let has_anchor = value.properties_end > value.start && from > value.start;
    let from = match (keeps_anchor, has_anchor) {
        (false, true) => value.start,
        // Equal to the proposal before it.
        (false, false) => return None,
        (true, _) => from,
    };
    let mut text = yaml.get(..from)?.to_owned();
    if wording.head.is_empty() {
        text.truncate(text.trim_end_matches([' ', '\t']).len());
    } else if !text.ends_with([' ', '\t']) {
        text.push(' ');
    }
    text.push_str(&wording.head);
    text.push_str(yaml.get(to..line_of(yaml, to).end)?);
    let lines = wording.lines.iter().map(|line| indented(indent, line));
    text.push_str(&joined(&lines.collect::<Vec<_>>(), line_end));
    text.push_str(yaml.get(end_of_lines(yaml, value.end.max(to))..)?);
    Some(text)
}

fn added(yaml: &str, layout: &Layout, name: &str, value: &Value, line_end: &str) -> Vec<String> {
    let first = layout.entries.first();
    let indent = first.and_then(|entry| indent_before(yaml, entry.key.start));
    let list_indent = list_indent(yaml, layout);
    let text = joined(
        &fresh(name, value, indent.unwrap_or_default(), &list_indent),
        line_end,
    );
    let last = layout.entries.last().and_then(|entry| lines(yaml, entry));
    let places = [Some(yaml.len()), last.map(|lines| lines.end)];
    let places = places.into_iter().flatten();
    places
        .map(|at| format!("{}{text}{}", &yaml[..at], &yaml[at..]))
        .collect()
}

/// Returns the lines of a property that does not exist yet.
fn fresh(name: &str, value: &Value, indent: &str, list_indent: &str) -> Vec<String> {
    let mut lines = lines_of(name, value);
    if value.is_array() {
        let wording = Wording::of_app(value, list_indent);
        lines.truncate(1);
        lines.extend(wording.lines);
    }
    lines.iter().map(|line| indented(indent, line)).collect()
}

/// Returns the indent of the dashes of the block's first list, relative to its key.
fn list_indent(yaml: &str, layout: &Layout) -> String {
    let indent = layout.entries.iter().find_map(|entry| {
        let Form::BlockList(items) = &entry.value.form else {
            return None;
        };
        let dash = list::dash_of(yaml, items.first()?)?;
        let key = indent_before(yaml, entry.key.start)?;
        indent_before(yaml, dash)?.strip_prefix(key)
    });
    indent.unwrap_or(APP_LIST_INDENT).to_owned()
}

fn indented(indent: &str, line: &str) -> String {
    if line.is_empty() {
        String::new()
    } else {
        format!("{indent}{line}")
    }
}

fn joined(lines: &[String], line_end: &str) -> String {
    lines
        .iter()
        .map(|line| format!("{line}{line_end}"))
        .collect()
}
