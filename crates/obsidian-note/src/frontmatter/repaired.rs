//! Repairs YAML that the app's parser accepts and ours rejects, so that both accept it
//! (`vault-semantics.md` §3.2). Without this, one such word would make all properties of a note
//! unreadable.
//!
//! Line numbers do not change, so those in errors stay correct.

use std::borrow::Cow;

use yaml_events::{ScanError, events};

/// The limit of bytes parsed again in total. It bounds the time that a hostile text takes.
const MAX_REREAD: usize = 1024 * 1024;

/// The remaining budget for parsing again.
pub(super) struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(MAX_REREAD)
    }
}

impl Budget {
    /// Returns the repaired text; `None` if the app's parser would fail too.
    pub(super) fn repaired(&mut self, yaml: &str, error: &ScanError) -> Option<String> {
        self.0 = self.0.checked_sub(yaml.len())?;
        let (at, _) = yaml.char_indices().nth(error.marker().index())?;
        match error.info() {
            "':' must be followed by a valid YAML whitespace" => tab(yaml, at),
            "block sequence entries are not allowed in this context" => dash(yaml, at),
            "while parsing a quoted scalar, found invalid Unicode character escape code" => {
                surrogates(yaml, at)
            }
            _ => None,
        }
    }
}

/// Returns the text in a form that our parser accepts, if there is one.
pub fn repaired(yaml: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(yaml);
    let mut budget = Budget::default();
    while let Some(Err(error)) = events(&text).find(Result::is_err) {
        match budget.repaired(&text, &error) {
            Some(repaired) => text = Cow::Owned(repaired),
            None => break,
        }
    }
    text
}

/// `key:<tab>text`: a tab is white space after a colon too. But before a list it would be
/// indentation, which must not contain tabs.
fn tab(yaml: &str, at: usize) -> Option<String> {
    let (before, after) = yaml.split_at_checked(at)?;
    let key = before.trim_end_matches([' ', '\t']);
    let blanks = &before[key.len()..];
    let is_list = after
        .strip_prefix('-')
        .is_some_and(|after| after.is_empty() || after.starts_with([' ', '\t', '\r', '\n']));
    let is_repaired = key.ends_with(':') && blanks.contains('\t') && !is_list;
    is_repaired.then(|| format!("{key}{}{after}", " ".repeat(blanks.len())))
}

/// `key: -`: a list with one null value, if nothing below belongs to it.
fn dash(yaml: &str, at: usize) -> Option<String> {
    let (before, after) = yaml.split_at_checked(at)?;
    let after = after.strip_prefix('-')?;
    let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
    let mut below = after.lines();
    let behind = below.next().unwrap_or_default().trim_end_matches('\r');
    let is_alone = behind.trim_start_matches(' ').is_empty() || is_comment(behind);
    let is_value = line.ends_with(' ') && line.trim_end_matches(' ').ends_with(':');
    // The first line with more than blanks and a comment.
    let next = below
        .map(|line| (line.trim_start_matches(' '), line))
        .find(|(text, _)| !text.trim_end().is_empty() && !text.starts_with('#'));
    let ends = next.is_none_or(|(text, next)| {
        let (key, indent) = (key_column(line), next.len() - text.len());
        indent < key || (indent == key && !text.starts_with('-'))
    });
    (is_alone && is_value && ends).then(|| format!("{before}[~]{after}"))
}

/// Returns the byte offset in a line of its key, after the dashes of lists.
fn key_column(line: &str) -> usize {
    let mut rest = line.trim_start_matches(' ');
    while let Some(item) = rest.strip_prefix("- ") {
        rest = item.trim_start_matches(' ');
    }
    line.len() - rest.len()
}

fn is_comment(behind: &str) -> bool {
    behind.starts_with(' ') && behind.trim_start_matches(' ').starts_with('#')
}

/// `"\ud83d\ude00"`, as JSON writes characters beyond the first plane: two escapes for one character. Half a character,
/// which no text here can contain, becomes U+FFFD.
fn surrogates(yaml: &str, at: usize) -> Option<String> {
    let (before, quoted) = yaml.split_at_checked(at)?;
    let mut inside = quoted.strip_prefix('"')?;
    let mut repaired = format!("{before}\"");
    while let Some(special) = inside.find(['\\', '"']) {
        let (plain, rest) = inside.split_at(special);
        repaired.push_str(plain);
        if rest.starts_with('"') {
            inside = rest;
            break;
        }
        let (text, length) = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(high @ 0xd800..=0xdbff), Some(low @ 0xdc00..=0xdfff)) => {
                let code = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                (Cow::Owned(format!("\\U{code:08x}")), 12)
            }
            (Some(0xd800..=0xdfff), _) => (Cow::Borrowed("\\ufffd"), 6),
            _ => {
                let escaped = rest.chars().nth(1).map_or(0, char::len_utf8);
                (Cow::Borrowed(&rest[..=escaped]), 1 + escaped)
            }
        };
        repaired.push_str(&text);
        inside = &rest[length..];
    }
    repaired.push_str(inside);
    (repaired != yaml).then_some(repaired)
}

/// Returns the UTF-16 code unit that a text begins with, written as `\u` and four hexadecimal
/// digits.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16)
        .ok()
        .filter(|_| is_hexadecimal)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::Frontmatter;
    use super::*;

    // The expected values are the results of npm `yaml` 2.7.0 for the same texts.

    fn reads(text: &str, expected: &Value) {
        let read = Frontmatter::parse(text).map(|read| Value::Object(read.properties));
        assert_eq!(read.as_ref().ok(), Some(expected), "{text:?}");
    }

    fn refuses(text: &str) {
        assert!(Frontmatter::parse(text).is_err(), "{text:?}");
    }

    #[test]
    fn a_tab_behind_a_colon_is_white_space() {
        reads("a:\tb", &json!({"a": "b"}));
        reads("a: \t 1\nb:\t\ttrue # c", &json!({"a": 1, "b": true}));
        reads(
            "a:\tb\tc:d\nt: |\n  x:\ty",
            &json!({"a": "b\tc:d", "t": "x:\ty\n"}),
        );
        reads("a\t:\t-1", &json!({"a": -1}));
        refuses("a:\t- b");
        refuses("a:\tb: c");
    }

    #[test]
    fn a_dash_alone_is_a_list_of_nothing() {
        reads("a: -", &json!({"a": [null]}));
        reads(
            "a: -  \nb: - # c\n\nc: 1",
            &json!({"a": [null], "b": [null], "c": 1}),
        );
        reads("k:\n  a: -\n  b: 1", &json!({"k": {"a": [null], "b": 1}}));
        reads(
            "l:\n- a: -\n  b: 1\n- c: -\n- d",
            &json!({"l": [{"a": [null], "b": 1}, {"c": [null]}, "d"]}),
        );
        reads("a: -\r\nb: 1\r\n", &json!({"a": [null], "b": 1}));
        reads("a: -# c", &json!({"a": "-# c"}));
        refuses("a: - x");
        refuses("{a: -}");
        refuses("a: [-\n]");
        refuses("a: &x -");
        refuses("a:\t-");
    }

    #[test]
    fn a_dash_with_lines_that_belong_to_it_is_left_alone() {
        refuses("a: -\n  x");
        refuses("a: -\n - x");
        refuses("a: -\n- x");
        refuses("-a: -\n x");
        refuses("l:\n- a: -\n  - x");
    }

    #[test]
    fn two_escapes_make_one_character_beyond_the_first_plane() {
        reads(
            r#"{"a": "x\ud83d\ude00y", "b": "\uD83D\uDE00\n\"\u00e9"}"#,
            &json!({"a": "x😀y", "b": "😀\n\"é"}),
        );
        reads(
            r#"a: "\ud83d x \ude00\ud83d""#,
            &json!({"a": "\u{fffd} x \u{fffd}\u{fffd}"}),
        );
        reads(r#"a: "\\ud83d\ude00""#, &json!({"a": "\\ud83d\u{fffd}"}));
        refuses(r#"a: "\ud83d\q""#);
        refuses(r#"a: "\ud83d"#);
        reads(r"a: '\ud83d\ude00'", &json!({"a": "\\ud83d\\ude00"}));
    }

    #[test]
    fn lines_of_errors_are_those_of_the_text() {
        let error = Frontmatter::parse("a:\tb\nc: -\nd: \"\\ud83d\\ude00\"\ne: [").unwrap_err();
        assert!((4..=5).contains(&error.line), "{error}");
    }

    #[test]
    fn d14_a_text_of_nothing_else_is_bounded() {
        // Without the limit, each line would make the parser read the text again.
        for line in ["a:\tb\n", "a: -\n", "a: \"\\ud83d\"\n"] {
            let text: String = (0..10_000)
                .map(|at| format!("k{at}{}", &line[1..]))
                .collect();
            assert!(Frontmatter::parse(&text).is_err(), "{line:?}");
        }
    }

    #[test]
    fn what_needs_no_mending_is_itself() {
        assert!(matches!(repaired("a: b\nc: [d"), Cow::Borrowed(_)));
        assert_eq!(repaired("a:\tb\nc: -"), "a: b\nc: [~]");
    }
}
