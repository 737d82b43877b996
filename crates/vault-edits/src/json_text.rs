//! Finds values in a JSON text, and sets or adds one value without changing any other byte.
//!
//! The app indents its settings by two spaces (`vault-semantics.md` §8), but people and other
//! programs do not. So new text follows the style around it.

use std::ops::Range;

use serde_json::Value;

/// A member of an object.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) key: String,
    /// The byte range of its value.
    pub(super) value: Range<usize>,
}

/// Returns the byte range of a text's value without the white space around it; `None` if the text is not JSON.
pub(super) fn root(text: &str) -> Option<Range<usize>> {
    serde_json::from_str::<serde::de::IgnoredAny>(text).ok()?;
    let start = skip_space(text, 0);
    Some(start..end_of_value(text, start)?)
}

/// The member with this key of the object at `object`; the last one if there are several, as in
/// JavaScript.
pub(super) fn member(
    text: &str,
    object: &Range<usize>,
    is_wanted: impl Fn(&str) -> bool,
) -> Option<Member> {
    children(text, object, '{')?
        .into_iter()
        .filter_map(|child| {
            let key = child.key?;
            is_wanted(&key).then_some(Member {
                key,
                value: child.value,
            })
        })
        .next_back()
}

/// Returns the text with the member `key` of the object at `object` set: its value replaced, or the member added at the
/// end. `None` if the range is not an object.
pub(super) fn with_member(
    text: &str,
    object: &Range<usize>,
    key: &str,
    value: &Value,
) -> Option<String> {
    if let Some(old) = member(text, object, |name| name == key) {
        let is_same =
            serde_json::from_str::<Value>(&text[old.value.clone()]).is_ok_and(|old| old == *value);
        if is_same {
            return Some(text.to_owned());
        }
        let base = indent_of_line(text, old.value.start);
        let written = pretty(value, base, &unit(text), line_end(text));
        return Some(spliced(text, &old.value, &written));
    }
    put_last(text, object, '{', Some(key), value)
}

/// Returns the text with one more element in the array at `array`; `None` if the range is not an array.
pub(super) fn with_element(text: &str, array: &Range<usize>, value: &Value) -> Option<String> {
    put_last(text, array, '[', None, value)
}

/// Returns the value as `JSON.stringify` writes it with the indent `unit`; all lines but the first
/// also begin with `base`.
pub(super) fn pretty(value: &Value, base: &str, unit: &str, line_end: &str) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    let mut lines = text.lines();
    let mut pretty = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let content = line.trim_start_matches(' ');
        let depth = (line.len() - content.len()) / 2;
        pretty.push_str(line_end);
        pretty.push_str(base);
        pretty.push_str(&unit.repeat(depth));
        pretty.push_str(content);
    }
    pretty
}

fn put_last(
    text: &str,
    container: &Range<usize>,
    bracket: char,
    key: Option<&str>,
    value: &Value,
) -> Option<String> {
    let children = children(text, container, bracket)?;
    let named = |value: String, colon: &str| match key {
        Some(key) => format!("{}{colon}{value}", Value::from(key)),
        None => value,
    };
    let (unit, line_end) = (unit(text), line_end(text));
    let Some(last) = children.last() else {
        let inside = container.start + 1..container.end - 1;
        if !text.contains('\n') {
            return Some(spliced(text, &inside, &named(value.to_string(), ":")));
        }
        let outer = indent_of_line(text, container.start);
        let inner = format!("{outer}{unit}");
        let written = named(pretty(value, &inner, &unit, line_end), ": ");
        let lines = format!("{line_end}{inner}{written}{line_end}{outer}");
        return Some(spliced(text, &inside, &lines));
    };
    let at = last.value.end..last.value.end;
    let before = &text[..last.start];
    let line = before.rfind('\n').map(|at| &before[at + 1..]);
    if let Some(indent) = line.filter(|line| line.trim().is_empty()) {
        let written = named(pretty(value, indent, &unit, line_end), ": ");
        return Some(spliced(text, &at, &format!(",{line_end}{indent}{written}")));
    }
    let is_airy = before.trim_end_matches(' ').len() < before.len() && before.contains(',');
    let (comma, colon) = if is_airy { (", ", ": ") } else { (",", ":") };
    let written = named(value.to_string(), colon);
    Some(spliced(text, &at, &format!("{comma}{written}")))
}

fn spliced(text: &str, place: &Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..place.start], &text[place.end..])
}

/// A member or an element.
pub(super) struct Child {
    /// The start of its key, or for an array of its value.
    start: usize,
    key: Option<String>,
    /// The byte range of its value.
    pub(super) value: Range<usize>,
}

/// Returns the members or elements of the object or array at `container`; `None` if it is something else.
pub(super) fn children(text: &str, container: &Range<usize>, bracket: char) -> Option<Vec<Child>> {
    if !text.get(container.clone())?.starts_with(bracket) {
        return None;
    }
    let close = container.end.checked_sub(1)?;
    let mut children = Vec::new();
    let mut at = skip_space(text, container.start + 1);
    while at < close {
        let start = at;
        let mut key = None;
        if bracket == '{' {
            let end = end_of_value(text, at)?;
            key = Some(serde_json::from_str(text.get(at..end)?).ok()?);
            let colon = skip_space(text, end);
            at = skip_space(text, colon + 1);
        }
        let value = at..end_of_value(text, at)?;
        let comma = skip_space(text, value.end);
        at = skip_space(text, comma + 1);
        children.push(Child { start, key, value });
    }
    Some(children)
}

fn skip_space(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    text.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len()
}

/// Returns the end of the value at `at`, in a text that is valid JSON.
fn end_of_value(text: &str, at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut bytes = text.bytes().enumerate().skip(at).peekable();
    while let Some((place, byte)) = bytes.next() {
        match byte {
            b'"' => loop {
                match bytes.next()?.1 {
                    b'\\' => {
                        bytes.next()?;
                    }
                    b'"' => break,
                    _ => {}
                }
            },
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ if depth > 0 => {}
            // A number or a literal ends at the first character that cannot be in it.
            _ => {
                let rest = text.get(place..)?;
                let length = rest.find(|character: char| {
                    character.is_ascii_whitespace() || matches!(character, ',' | ']' | '}')
                });
                return Some(place + length.unwrap_or(rest.len()));
            }
        }
        if depth == 0 {
            return bytes
                .peek()
                .map_or(Some(text.len()), |(next, _)| Some(*next));
        }
    }
    None
}

fn indent_of_line(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |before| before + 1);
    let rest = &text[line..];
    &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
}

/// Returns the indent of one level: the indent of the first indented line.
fn unit(text: &str) -> String {
    text.split('\n')
        .find_map(|line| {
            let content = line.trim_start_matches([' ', '\t']);
            let indent = &line[..line.len() - content.len()];
            (!indent.is_empty() && !content.trim().is_empty()).then(|| indent.to_owned())
        })
        .unwrap_or_else(|| "  ".to_owned())
}

fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const CASES: &str = include_str!("json_text_cases.txt");

    fn element(text: &str, value: &Value) -> Option<String> {
        let items = member(text, &root(text)?, |key| key == "items")?;
        with_element(text, &items.value, value)
    }

    #[test]
    fn what_is_put_in_looks_like_what_is_there() {
        let entry = json!({"a": 1, "b": []});
        for [text, expected] in tables::section(CASES, "what is put in looks like what is there") {
            assert_eq!(element(text, &entry).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(element("{\"items\":{}}", &entry), None);
        assert_eq!(element("[]", &entry), None);
        assert_eq!(element("{\"items\":[}", &entry), None);
    }

    #[test]
    fn members_are_set_in_their_place() {
        let set = |text: &str, key: &str, value: &Value| {
            with_member(text, &root(text).unwrap(), key, value)
        };
        for [text, expected] in tables::section(CASES, "members are set in their place") {
            assert_eq!(
                set(text, "k", &json!(7)).as_deref(),
                Some(expected),
                "{text}"
            );
        }
        assert_eq!(set("[]", "k", &json!(7)), None);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<i32>().prop_map(Value::from),
            "[a\"\\\\\\[\\]{},:\n é]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::vec(("[ab\"é]{0,2}", inner), 0..3).prop_map(Value::from_iter),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn only_the_requested_value_changes(
            before in prop::collection::vec(any_json(), 0..4),
            new in any_json(),
            is_pretty: bool,
        ) {
            let whole = json!({"x": new, "items": before, "y": {"items": 0}});
            let text = if is_pretty {
                serde_json::to_string_pretty(&whole).unwrap()
            } else {
                whole.to_string()
            };
            let mut items = before;
            items.push(new.clone());
            let expected = json!({"x": new, "items": items, "y": {"items": 0}});
            let after = element(&text, &new).unwrap();
            prop_assert_eq!(serde_json::from_str::<Value>(&after).unwrap(), expected.clone());
            // If the text around is as the app writes it, the result is exactly what the app would
            // write.
            if is_pretty {
                prop_assert_eq!(after, serde_json::to_string_pretty(&expected).unwrap());
            }
        }
    }
}
