//! The difference that `--dry-run` shows. It contains only the entry: the rest of the file does not
//! change and may contain passwords of other servers.

use std::time::Duration;

use line_diff::LineDiff;
use serde_json::{Map, Value, json};

use super::arguments::HIDDEN;
use super::client::{ARGS, COMMAND, McpClient};
use super::edit::{self, UnusableConfig};

/// The keys of an entry, and its arguments in a form that may be shown; `None` hides them.
pub(super) type ShownKeys<'a> = (&'a Map<String, Value>, Option<&'a [String]>);

/// One entry of a client, and the name of its file in a diff.
pub(super) struct ShownEntry<'a> {
    pub(super) client: McpClient,
    pub(super) name: &'a str,
    pub(super) path: &'a str,
    /// Whether the client's configuration file exists.
    pub(super) is_file: bool,
}

impl ShownEntry<'_> {
    /// Returns the unified diff of the old and the new keys of the entry, in the client's format, each with its
    /// arguments in a form that may be shown. A missing entry has no keys.
    ///
    /// # Errors
    ///
    /// If the entry cannot be written in the client's format.
    pub(super) fn diff(
        &self,
        before: Option<ShownKeys<'_>>,
        after: Option<ShownKeys<'_>>,
    ) -> Result<String, UnusableConfig> {
        let (old, new) = (self.text(before)?, self.text(after)?);
        // Lines are counted from the start of the entry, which the name in the header says.
        let name = format!("{} (entry {})", self.path, self.name);
        let name_before = if self.is_file { &name } else { "/dev/null" };
        let diff = LineDiff::within(Duration::MAX, &old, &new);
        Ok(diff.unified(name_before, &name))
    }

    fn text(&self, keys: Option<ShownKeys<'_>>) -> Result<String, UnusableConfig> {
        let Some((keys, args)) = keys else {
            return Ok(String::new());
        };
        let shown: Vec<(&str, Value)> = keys
            .iter()
            .map(|(key, value)| (key.as_str(), shown_value(key, value, args)))
            .collect();
        edit::alone(self.client, self.name, &shown)
    }
}

/// Returns the value, or a placeholder. Values that `install` writes are shown. Others, such as `env`, are the user's
/// own and hidden unless empty. Arguments that are texts are replaced by `args`.
fn shown_value(key: &str, value: &Value, args: Option<&[String]>) -> Value {
    match value {
        Value::String(_) if key == "type" || key == COMMAND => value.clone(),
        Value::Array(items) if key == ARGS && items.iter().all(Value::is_string) => {
            args.map_or_else(|| HIDDEN.into(), |args| json!(args))
        }
        Value::Object(keys) if keys.is_empty() => value.clone(),
        _ => HIDDEN.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(client: McpClient, is_file: bool) -> ShownEntry<'static> {
        ShownEntry {
            client,
            name: "vault-gw",
            path: "/c",
            is_file,
        }
    }

    fn keys(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn only_what_the_entry_starts_is_shown() {
        let before = keys(&json!({
            "command": "/old", "args": ["mcp", "secret"], "env": { "TOKEN": "ghp_x" },
            "headers": "secret", "startup": null, "type": { "of": "secret" },
        }));
        let args = ["mcp".to_owned(), HIDDEN.to_owned()];
        for (key, value) in [("args", json!("secret")), ("command", json!(["secret"]))] {
            assert_eq!(shown_value(key, &value, Some(&args)), HIDDEN);
        }
        let mut after = before.clone();
        after.insert("command".to_owned(), "/new".into());
        for client in [McpClient::Codex, McpClient::ClaudeCode, McpClient::Zed] {
            let diff = entry(client, true).diff(Some((&before, Some(&args))), Some((&after, None)));
            let diff = diff.unwrap();
            assert!(
                diff.starts_with("--- /c (entry vault-gw)\n+++ /c (entry vault-gw)\n"),
                "{diff}"
            );
            for line in [('-', "/old"), ('+', "/new")] {
                let is_line = |shown: &str| shown.starts_with(line.0) && shown.contains(line.1);
                assert!(diff.lines().any(is_line), "{line:?} {diff}");
            }
            assert!(
                !diff.contains("ghp_x") && !diff.contains("secret"),
                "{diff}"
            );
            assert!(!diff.contains("TOKEN"), "{diff}");
        }
    }

    #[test]
    fn an_empty_table_is_shown_as_it_is_written() {
        let keys = keys(&json!({ "command": "/v", "args": [], "env": {} }));
        let new = entry(McpClient::Zed, false).diff(None, Some((&keys, Some(&[]))));
        assert!(new.unwrap().contains("\"env\": {}"));
    }

    #[test]
    fn an_entry_comes_and_goes_and_one_that_stays_has_no_difference() {
        let keys = keys(&json!({ "command": "/v", "args": ["mcp"] }));
        let args = ["mcp".to_owned()];
        let keys = Some((&keys, Some(args.as_slice())));
        let new = entry(McpClient::Codex, false).diff(None, keys);
        let text = "--- /dev/null\n+++ /c (entry vault-gw)\n@@ -0,0 +1,3 @@\n+[mcp_servers.vault-gw]\n\
                    +command = \"/v\"\n+args = [\"mcp\"]\n";
        assert_eq!(new.unwrap(), text);
        let gone = entry(McpClient::Codex, true).diff(keys, None);
        assert!(gone.unwrap().contains("-command = \"/v\"\n"));
        let same = entry(McpClient::Codex, true).diff(keys, keys);
        assert_eq!(same.unwrap(), "");
    }
}
