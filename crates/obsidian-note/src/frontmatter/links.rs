//! Links in properties (`vault-semantics.md` §2.2).

use serde_json::Value;

use super::Frontmatter;
use crate::uri;

/// A property value, or an element of one, that is a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontmatterLink {
    /// Its place: keys and list indexes, from 0, joined by dots, such as `related.0`.
    pub key: String,
    /// The target with its `#subpath`: trimmed, percent-decoded once in markdown links.
    pub target: String,
    /// The text of the whole value, which is the markup of the link.
    pub original: String,
    /// The display text; `None` for a markdown link without one.
    pub display: Option<String>,
}

impl Frontmatter {
    /// Returns all texts, at any depth, that are exactly one wikilink or markdown link into the vault. A text with more
    /// than the link does not count.
    pub fn links(&self) -> Vec<FrontmatterLink> {
        let mut links = Vec::new();
        for (key, value) in &self.properties {
            collect(value, key.clone(), &mut links);
        }
        links
    }
}

fn collect(value: &Value, key: String, links: &mut Vec<FrontmatterLink>) {
    match value {
        Value::String(text) => {
            if let Some((target, display)) = wikilink(text).or_else(|| markdown(text)) {
                links.push(FrontmatterLink {
                    key,
                    target,
                    original: text.clone(),
                    display,
                });
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, format!("{key}.{index}"), links);
            }
        }
        Value::Object(entries) => {
            for (name, value) in entries {
                collect(value, format!("{key}.{name}"), links);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

type TargetAndDisplay = (String, Option<String>);

fn wikilink(text: &str) -> Option<TargetAndDisplay> {
    let rest = text.strip_prefix("[[")?;
    let inner = rest.strip_suffix("]]")?;
    if rest.find("]]") != Some(inner.len()) || inner.contains("[[") || inner.contains(['\n', '\r'])
    {
        return None;
    }
    // A pipe at the very beginning separates nothing.
    let (target, display) = match inner.find('|').filter(|at| *at > 0) {
        Some(at) => (&inner[..at], Some(inner[at + 1..].trim().to_owned())),
        None => (inner, None),
    };
    let target = linkpath(target);
    if target.is_empty() {
        return None;
    }
    let display = display
        .filter(|display| !display.is_empty())
        .unwrap_or_else(|| target.trim_start_matches('#').replace('#', " > "));
    Some((target, Some(display)))
}

fn markdown(text: &str) -> Option<TargetAndDisplay> {
    let rest = text.strip_prefix('[')?;
    let label = &rest[..matching(rest, '[', ']')?];
    let inner = rest[label.len()..].strip_prefix("](")?.trim_start();
    let (destination, after) = if let Some(inner) = inner.strip_prefix('<') {
        inner.split_once('>')?
    } else {
        let inside = matching(inner, '(', ')')?;
        let end = inner[..inside].find(char::is_whitespace).unwrap_or(inside);
        inner.split_at(end)
    };
    let title = after.strip_suffix(')')?.trim();
    if !(title.is_empty() || (is_title(title) && after.starts_with(char::is_whitespace)))
        || destination.contains(['\n', '<'])
        || uri::is_external(destination)
    {
        return None;
    }
    let target = linkpath(&uri::decoded(destination));
    let display = (!label.is_empty()).then(|| label.to_owned());
    (!target.is_empty()).then_some((target, display))
}

/// Returns the offset of the first `close` without an `open` of its own, in the same line. A
/// backslash escapes the next character.
fn matching(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    let mut is_escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            '\n' => return None,
            _ if is_escaped => {}
            _ if character == close => match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => return Some(at),
            },
            _ if character == open => depth += 1,
            _ => {}
        }
        is_escaped = character == '\\' && !is_escaped;
    }
    None
}

/// A text in quotes that has no such quote inside.
fn is_title(text: &str) -> bool {
    ['"', '\''].into_iter().any(|quote| {
        text.len() > 1
            && text
                .strip_prefix(quote)
                .and_then(|rest| rest.strip_suffix(quote))
                .is_some_and(|inner| !inner.contains(quote))
    })
}

/// Returns a link's target as the app keeps it: trimmed, with no-break spaces as spaces.
fn linkpath(text: &str) -> String {
    text.replace('\u{a0}', " ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const CASES: &str = include_str!("links_cases.txt");

    fn frontmatter(value: &Value) -> Frontmatter {
        Frontmatter {
            properties: value.as_object().cloned().unwrap(),
        }
    }

    /// Target and display of a text that is the only property.
    fn link(text: &str) -> Option<(String, String)> {
        let links = frontmatter(&json!({ "x": text })).links();
        assert!(links.len() < 2);
        links.into_iter().next().map(|link| {
            assert_eq!((link.key.as_str(), link.original.as_str()), ("x", text));
            (link.target, link.display.unwrap_or_default())
        })
    }

    #[test]
    fn whole_links_of_both_kinds() {
        for [text, target, display] in tables::section(CASES, "whole links of both kinds") {
            assert_eq!(
                link(text),
                Some((target.to_owned(), display.to_owned())),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_whole_link() {
        for text in tables::lines(CASES, "what is no whole link") {
            assert_eq!(link(text), None, "{text}");
        }
    }

    #[test]
    fn keys_are_dotted_paths() {
        let links = frontmatter(&json!({
            "one": "[[a]]",
            "list": ["x", "[[b]]", { "in": ["[[c]]"] }],
            "number": 1,
        }))
        .links();
        let keys: Vec<_> = links
            .iter()
            .map(|link| (link.key.as_str(), link.target.as_str()))
            .collect();
        assert_eq!(keys, [("one", "a"), ("list.1", "b"), ("list.2.in.0", "c")]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn any_text_is_a_link_or_not(text in "(!?\\[\\[?[a|#\\[\\] \n\\\\]{0,5}\\]{0,2}(\\([a%<>() \"'é]{0,8}\\)?)?|\\PC{0,8})") {
            let links = frontmatter(&json!({ "x": text })).links();
            prop_assert!(links.iter().all(|link| !link.target.trim().is_empty()));
        }

        #[test]
        fn plain_text_is_not_changed_by_decoding(text in "[a-zé /#?]{0,12}") {
            prop_assert_eq!(uri::decoded(&text), text.as_str());
        }
    }
}
