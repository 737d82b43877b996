//! Changes some items of a list, and leaves all others as they are written.

use std::ops::Range;

use serde_json::Value;

use super::difference::{AlignmentStep, steps};
use super::layout::{Form, Node};
use super::lexical::{indent_before, line_of};
use super::wording::{Quotes, flow, item_lines};

/// Returns the text of a block with the list `node` changed from `old` to `new`. Kept items keep their lines and the
/// comments between them. `None` if the items are not simply one after another, or if either list is empty, because
/// then there is no style to follow.
pub(super) fn edited(
    yaml: &str,
    node: &Node,
    old: &[Value],
    new: &[Value],
    line_end: &str,
) -> Option<String> {
    let (Form::BlockList(items) | Form::FlowList(items)) = &node.form else {
        return None;
    };
    if items.is_empty() || new.is_empty() || items.len() != old.len() {
        return None;
    }
    match &node.form {
        Form::FlowList(_) => in_brackets(yaml, node, items, old, new),
        _ => in_lines(yaml, items, old, new, line_end),
    }
}

/// Returns the offset of an item's dash, if it is the first character of its line.
pub(super) fn dash_of(yaml: &str, item: &Node) -> Option<usize> {
    let before = yaml.get(..item.start)?.trim_end();
    let dash = before.strip_suffix('-')?.len();
    indent_before(yaml, dash).map(|_| dash)
}

fn in_lines(
    yaml: &str,
    items: &[Node],
    old: &[Value],
    new: &[Value],
    line_end: &str,
) -> Option<String> {
    let mut lines: Vec<Range<usize>> = Vec::with_capacity(items.len());
    let mut style = None;
    for item in items {
        let dash = dash_of(yaml, item)?;
        let start = line_of(yaml, dash).start;
        let indent = yaml.get(start..dash)?;
        let gap = yaml.get(dash + 1..item.start)?;
        let (first_indent, _) = *style.get_or_insert((indent, gap));
        if indent != first_indent || lines.last().is_some_and(|before| start < before.end) {
            return None;
        }
        // The text of an item may include its line end.
        let last = item.end.max(dash + 1);
        let ends_line = last > start && yaml.as_bytes().get(last - 1) == Some(&b'\n');
        let end = if ends_line {
            last
        } else {
            line_of(yaml, last).end
        };
        lines.push(start..end);
    }
    let (indent, gap) = style?;
    let is_gap = !gap.is_empty() && gap.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
    let gap = if is_gap { gap } else { " " };
    let quotes = Quotes::of_all(items);
    let mut at = lines.first()?.start;
    let mut edited = yaml.get(..at)?.to_owned();
    let inserted = |place: usize| {
        let lines = item_lines(new.get(place)?, quotes, indent, gap).into_iter();
        Some(lines.fold(String::new(), |text, line| text + &line + line_end))
    };
    for step in steps(old, new) {
        match step {
            AlignmentStep::Keep(place) => {
                let end = lines.get(place)?.end;
                edited.push_str(yaml.get(at..end)?);
                at = end;
            }
            AlignmentStep::Drop(place) => {
                // Comments before a removed item stay.
                edited.push_str(yaml.get(at..lines.get(place)?.start)?);
                at = lines.get(place)?.end;
            }
            AlignmentStep::Insert(place) => edited.push_str(&inserted(place)?),
            AlignmentStep::Replace(place, by) => {
                let (item, lines) = (items.get(place)?, lines.get(place)?);
                edited.push_str(yaml.get(at..lines.start)?);
                let replaced = with_value(yaml, lines, item, new.get(by)?);
                edited.push_str(&replaced.or_else(|| inserted(by))?);
                at = lines.end;
            }
        }
    }
    edited.push_str(yaml.get(at..)?);
    Some(edited)
}

/// Returns the lines of an item with another value in the same quotes; `None` if one of the values is more than a word
/// or a text on one line.
fn with_value(yaml: &str, lines: &Range<usize>, item: &Node, new: &Value) -> Option<String> {
    let is_word = matches!(
        item.form,
        Form::Plain | Form::SingleQuoted | Form::DoubleQuoted
    );
    let new = item_lines(new, Quotes::from_form(&item.form), "", " ");
    let text = match new.as_slice() {
        [line] if is_word => line.strip_prefix("- ")?,
        _ => return None,
    };
    let (before, after) = (lines.start..item.content, item.end..lines.end);
    Some([yaml.get(before)?, text, yaml.get(after)?].concat())
}

fn in_brackets(
    yaml: &str,
    node: &Node,
    items: &[Node],
    old: &[Value],
    new: &[Value],
) -> Option<String> {
    let (first, last) = (items.first()?, items.last()?);
    let close = node.end.checked_sub(1)?;
    let lead = yaml.get(node.content + 1..first.start)?;
    let tail = yaml.get(last.end..close)?;
    let mut gaps = vec![lead];
    for (before, item) in items.iter().zip(&items[1..]) {
        let gap = yaml.get(before.end..item.start)?;
        let is_plain_gap = gap.contains('#') || gap.trim() == ",";
        if !is_plain_gap {
            return None;
        }
        gaps.push(gap);
    }
    let usual = gaps[1..].iter().find(|gap| !gap.contains('#'));
    let usual = usual.copied().unwrap_or(", ");
    let quotes = Quotes::of_all(items);
    let mut edited = format!("{}{lead}", yaml.get(..=node.content)?);
    let mut is_first = true;
    for step in steps(old, new) {
        let (gap, text) = match step {
            AlignmentStep::Drop(_) => continue,
            AlignmentStep::Keep(place) => {
                let item = items.get(place)?;
                let gap = if place == 0 { usual } else { gaps.get(place)? };
                (gap, yaml.get(item.start..item.end)?.to_owned())
            }
            AlignmentStep::Insert(place) => (usual, flow(new.get(place)?, quotes)),
            AlignmentStep::Replace(place, by) => {
                let gap = if place == 0 { usual } else { gaps.get(place)? };
                let quotes = Quotes::from_form(&items.get(place)?.form);
                (gap, flow(new.get(by)?, quotes))
            }
        };
        if !is_first {
            edited.push_str(gap);
        }
        is_first = false;
        edited.push_str(&text);
    }
    edited.push_str(tail);
    edited.push_str(yaml.get(close..)?);
    Some(edited)
}

#[cfg(test)]
mod tests {
    use obsidian_note::Frontmatter;

    use super::super::layout::Layout;

    use super::*;

    const CASES: &str = include_str!("list_cases.txt");

    fn changed(yaml: &str, new: &str) -> Option<String> {
        let new: Vec<Value> = serde_json::from_str(new).unwrap();
        let properties = Frontmatter::parse(yaml).unwrap().properties;
        let old = properties.get("k").and_then(Value::as_array).unwrap();
        let layout = Layout::parse(yaml).unwrap();
        edited(yaml, &layout.entry("k").unwrap().value, old, &new, "\n")
    }

    #[test]
    fn items_that_stay_keep_their_lines_and_comments() {
        let yaml = "k:\n# top\n  -  'a' # one\n\n  # two\n  -  'b'\n  -  'c' # three\nn: 1\n";
        assert_eq!(
            changed(yaml, r#"["a", "x", "c", "y"]"#).unwrap(),
            "k:\n# top\n  -  'a' # one\n\n  # two\n  -  'x'\n  -  'c' # three\n  -  'y'\nn: 1\n"
        );
        assert_eq!(
            changed(
                "k:\n  - a # one\n  - \"b\" # two\n  - c\n",
                r#"["x", "y: z", "c"]"#
            )
            .unwrap(),
            "k:\n  - x # one\n  - \"y: z\" # two\n  - c\n"
        );
        assert_eq!(
            changed(yaml, r#"["c"]"#).unwrap(),
            "k:\n# top\n\n  # two\n  -  'c' # three\nn: 1\n"
        );
        assert_eq!(
            changed(
                "k:\n- a\n-\n- - b\n  - c\n",
                r#"["a", ["b", "c"], {"d": [1]}]"#
            )
            .unwrap(),
            "k:\n- a\n- - b\n  - c\n- d:\n    - 1\n"
        );
        assert_eq!(
            changed("k:\n  - |\n    t\n  - b\n", r#"["t\n", "b"]"#),
            None
        );
    }

    #[test]
    fn a_list_in_brackets_keeps_its_spaces() {
        for [yaml, new, expected] in tables::section(CASES, "a list in brackets keeps its spaces") {
            assert_eq!(changed(yaml, new).as_deref(), Some(expected), "{yaml}");
        }
    }
}
