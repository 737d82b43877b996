//! The difference that `--dry-run` shows. The file also holds what other servers are started with, and that
//! may be a password: of every value that is not the entry's own only its place is shown.

use std::collections::BTreeSet;
use std::time::Duration;

use line_diff::LineDiff;
use serde_json::{Map, Value};

/// What stands for a value that is not shown.
const HIDDEN: &str = "…";

/// The values that may be shown.
#[derive(Clone, Debug, Default)]
pub(super) struct ShownValues(BTreeSet<String>);

impl ShownValues {
    /// Adds what an entry starts, and leaves out its `env`.
    pub(super) fn add(&mut self, keys: &Map<String, Value>) {
        for key in ["type", "command", "args"] {
            self.add_texts(keys.get(key).unwrap_or(&Value::Null));
        }
    }

    fn add_texts(&mut self, value: &Value) {
        match value {
            Value::String(text) => {
                self.0.insert(text.clone());
            }
            Value::Array(items) => items.iter().for_each(|item| self.add_texts(item)),
            _ => {}
        }
    }

    /// The unified diff of two texts.
    pub(super) fn diff(&self, path: &str, old: Option<&str>, new: &str) -> String {
        let before = if old.is_some() { path } else { "/dev/null" };
        let diff = LineDiff::within(Duration::MAX, old.unwrap_or_default(), new);
        let diff = diff.unified(before, path);
        let lines = diff.split_inclusive('\n');
        let is_content = |line: &str| {
            line.starts_with([' ', '+', '-'])
                && !line.starts_with("--- ")
                && !line.starts_with("+++ ")
        };
        lines
            .map(|line| {
                if is_content(line) {
                    self.masked(line)
                } else {
                    line.to_owned()
                }
            })
            .collect()
    }

    /// A line of JSON or TOML without the values that are not to be shown. Names of keys stay.
    fn masked(&self, line: &str) -> String {
        let mut shown = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(start) = rest.find(['"', '\'']) {
            let (before, text) = rest.split_at(start);
            shown += before;
            let quote = &text[..1];
            // An apostrophe in a comment begins no text.
            let is_text = quote == "\"" || before.trim_end().ends_with(['=', '[', ',', ':']);
            let end = is_text.then(|| end_of_text(text)).flatten();
            let Some(end) = end else {
                shown += quote;
                rest = &text[1..];
                continue;
            };
            let (text, after) = text.split_at(end);
            let is_key = after.trim_start().starts_with([':', '=']);
            if is_key || self.may_show(text) {
                shown += text;
            } else {
                shown += &format!("{quote}{HIDDEN}{quote}");
            }
            rest = after;
        }
        shown + rest
    }

    fn may_show(&self, quoted: &str) -> bool {
        let inner = &quoted[1..quoted.len() - 1];
        let plain = serde_json::from_str::<String>(quoted).ok();
        inner.is_empty() || self.0.contains(plain.as_deref().unwrap_or(inner))
    }
}

/// Where a quoted text ends that begins here; `None` if it does not on this line.
fn end_of_text(text: &str) -> Option<usize> {
    let quote = text.chars().next()?;
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if quote == '"' => is_escaped = true,
            _ if character == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_others_are_started_with_is_not_shown() {
        let mut values = ShownValues::default();
        let entry =
            json!({ "command": "/bin/v", "args": ["mcp", "a \"b\""], "env": { "T": "mine" } });
        values.add(entry.as_object().unwrap());
        for (line, shown) in [
            (
                r#"+{"s":{"gh":{"env":{"TOKEN":"ghp_\"x"}},"v":{"command":"/bin/v","args":["mcp","a \"b\""]}}}"#,
                r#"+{"s":{"gh":{"env":{"TOKEN":"…"}},"v":{"command":"/bin/v","args":["mcp","a \"b\""]}}}"#,
            ),
            (" TOKEN = 'ghp_x' # don't", " TOKEN = '…' # don't"),
            (
                r#"     "args": ["--token", "x"],"#,
                r#"     "args": ["…", "…"],"#,
            ),
            ("-T = \"mine\"", "-T = \"…\""),
        ] {
            assert_eq!(values.masked(line), shown);
        }
        let diff = values.diff("/c.json", Some("a = \"x\"\n"), "a = \"x\"\nb = \"mcp\"\n");
        assert!(
            diff.contains("/c.json") && diff.contains("+b = \"mcp\""),
            "{diff}"
        );
        assert!(!diff.contains("\"x\""), "{diff}");
    }
}
