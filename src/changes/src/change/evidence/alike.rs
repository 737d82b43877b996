//! Whether a file has the planned content, apart from the app's own style.
//!
//! The app rewrites the whole block of properties (`official-cli.md` §5.2), writes links by the
//! vault's settings, and formats its JSON files itself. Such differences are not failures; a
//! missing line is.

use std::borrow::Cow;

use serde_json::Value;
use vault_engine::VaultPath;
use vault_engine::frontmatter::{Frontmatter, split};

/// The differences from the planned bytes that are accepted as the app's style.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Style {
    /// Differences in the format of properties.
    pub properties: bool,
    /// Differences in how links are written.
    pub links: bool,
    /// Differences in digits: the text is from a template, which may contain the time.
    pub time: bool,
}

impl Style {
    /// Whether `found` has the content of `planned`.
    pub(super) fn allows(self, path: &VaultPath, planned: &[u8], found: &[u8]) -> bool {
        if planned == found {
            return true;
        }
        let (Ok(planned), Ok(found)) = (std::str::from_utf8(planned), std::str::from_utf8(found))
        else {
            return false;
        };
        if matches!(path.extension(), "json" | "canvas") {
            let (planned, found) = (json(planned), json(found));
            return planned.is_some() && planned == found;
        }
        let (planned, found) = (
            self.without_variable_parts(planned),
            self.without_variable_parts(found),
        );
        planned == found || (self.properties || self.links) && says_the_same(&planned, &found)
    }

    /// Returns the text without the parts that may differ.
    fn without_variable_parts(self, text: &str) -> Cow<'_, str> {
        // The app adds text with line feeds, also to notes with other line ends (`vault-semantics.md` §7.3).
        let mut plain = Cow::Owned(text.replace("\r\n", "\n"));
        if self.links {
            plain = Cow::Owned(without_targets(&plain));
        }
        if self.time {
            let zero = |character: char| match character {
                digit if digit.is_ascii_digit() => '0',
                other => other,
            };
            plain = Cow::Owned(plain.chars().map(zero).collect());
        }
        plain
    }
}

/// Returns a JSON text without the creation times in a list of bookmarks.
fn json(text: &str) -> Option<Value> {
    let mut value = serde_json::from_str(text).ok()?;
    remove_times(&mut value);
    Some(value)
}

fn remove_times(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.remove("ctime");
            object.values_mut().for_each(remove_times);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_times),
        _ => {}
    }
}

/// Whether two notes have equal properties and bodies, apart from style.
fn says_the_same(one: &str, other: &str) -> bool {
    let body = |text: &str| {
        let from = split(text).map_or(0, |block| block.body);
        text.get(from..).unwrap_or_default().to_owned()
    };
    let properties = |text: &str| Frontmatter::parse_note(text).map(|found| found.properties);
    body(one) == body(other)
        && matches!((properties(one), properties(other)), (Ok(one), Ok(other)) if one == other)
}

/// Returns the text without the targets of its links.
fn without_targets(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, close)) = next_link(rest) {
        let (before, link) = rest.split_at(at);
        kept.push_str(before);
        let Some(end) = link.find(close) else {
            rest = link;
            break;
        };
        // A link does not continue on the next line.
        if let Some(line) = link.find('\n').filter(|line| *line < end) {
            kept.push_str(link.get(..line).unwrap_or_default());
            rest = link.get(line..).unwrap_or_default();
            continue;
        }
        kept.push_str("[]");
        rest = link.get(end + close.len()..).unwrap_or_default();
    }
    kept.push_str(rest);
    kept
}

/// Returns the offset of the next link, and its end: `[[target]]` or `](target)`.
fn next_link(text: &str) -> Option<(usize, &'static str)> {
    let wiki = text.find("[[").map(|at| (at, "]]"));
    let markdown = text.find("](").map(|at| (at, ")"));
    [wiki, markdown].into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("alike_cases.txt");

    fn allows(style: Style, path: &str, planned: &str, found: &str) -> bool {
        let path = VaultPath::file(path).unwrap();
        style.allows(&path, planned.as_bytes(), found.as_bytes())
    }

    const PROPERTIES: Style = Style {
        properties: true,
        links: false,
        time: false,
    };
    const LINKS: Style = Style {
        properties: false,
        links: true,
        time: false,
    };
    const TIME: Style = Style {
        properties: false,
        links: false,
        time: true,
    };

    #[test]
    fn g12_the_style_of_properties_is_the_apps_and_their_values_are_not() {
        let planned = "---\ntags: [a, b]\nn: 1\n---\nbody\r\n";
        let same = "---\ntags:\n  - a\n  - b\nn: 1\n---\nbody\n";
        assert!(allows(PROPERTIES, "a.md", planned, same));
        assert!(!allows(Style::default(), "a.md", planned, same));
        for found in tables::lines(CASES, "g12 the style of properties is the apps") {
            assert!(!allows(PROPERTIES, "a.md", planned, found), "{found}");
        }
    }

    #[test]
    fn g12_only_the_targets_of_links_may_differ() {
        let planned = "See [[b/New]] and [it](b/New.md).\nEnd.\n";
        assert!(allows(
            LINKS,
            "a.md",
            planned,
            "See [[New|New]] and [it](<New>).\nEnd.\n"
        ));
        for found in tables::lines(CASES, "g12 only the targets of links may differ") {
            assert!(!allows(LINKS, "a.md", planned, found), "{found}");
        }
    }

    #[test]
    fn g12_a_filled_in_time_may_be_another_one() {
        assert!(allows(TIME, "a.md", "at 09:59\n", "at 10:00\n"));
        assert!(!allows(TIME, "a.md", "at 09:59\nplan\n", "at 10:00\n"));
    }

    #[test]
    fn g12_json_is_compared_by_its_values() {
        let planned = r#"{"items":[{"type":"file","ctime":1,"path":"a.md"}]}"#;
        let laid_out =
            "{\n  \"items\": [{\"type\": \"file\", \"ctime\": 2, \"path\": \"a.md\"}]\n}";
        let style = Style::default();
        assert!(allows(style, ".obsidian/bookmarks.json", planned, laid_out));
        for found in [
            r#"{"items":[]}"#,
            "",
            "{",
            &laid_out.replace("a.md", "b.md"),
        ] {
            assert!(
                !allows(style, ".obsidian/bookmarks.json", planned, found),
                "{found}"
            );
        }
    }
}
