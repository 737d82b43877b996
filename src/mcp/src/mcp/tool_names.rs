//! The names of tools as a client sees them: with a prefix, for a client that connects two vaults.

use crate::error::Error;
use allowlist::paging::OFFSET;
use frontend::tools::{GENERIC, Tool};
use protocol::{ClientTools, Failure};

/// Longest prefix in characters. Clients accept names of at most 64 characters.
const MAX_PREFIX: usize = 32;

/// The prefix of every tool's name; empty by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ToolPrefix(String);

impl ToolPrefix {
    /// Parses `--tool-prefix`.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` unless it has at most 32 letters, digits, `_` and `-` of ASCII.
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        if text.len() <= MAX_PREFIX && text.bytes().all(is_name) {
            return Ok(Self(text.to_owned()));
        }
        Err(Error::ToolPrefix.into())
    }

    /// Returns the name that the client sees.
    pub(super) fn add_to(&self, tool: &str) -> String {
        format!("{}{tool}", self.0)
    }

    /// Returns the name of the tool that a client called, without the prefix; `None` if the prefix is missing.
    pub(super) fn remove_from<'name>(&self, name: &'name str) -> Option<&'name str> {
        name.strip_prefix(self.0.as_str())
    }
}

/// The tools that a client sees, and the tool that it called.
pub(super) struct ToolsOfClient<'tools> {
    pub(super) tools: &'tools [Tool],
    pub(super) prefix: &'tools ToolPrefix,
    /// The called tool, if it is the tool of one command.
    pub(super) called: Option<&'tools Tool>,
}

impl ClientTools for ToolsOfClient<'_> {
    fn own_tool(&self, command: &str) -> Option<String> {
        let tool = command.replace(':', "_");
        let has = self.tools.iter().any(|one| one.name == tool);
        has.then(|| self.prefix.add_to(&tool))
    }

    /// Returns the command's tool, or else the generic one.
    fn name_of(&self, command: &str) -> Option<String> {
        if let Some(tool) = self.own_tool(command) {
            return Some(format!("`{tool}`"));
        }
        let has = |name: &str| self.tools.iter().any(|tool| tool.name == name);
        has(GENERIC).then(|| format!("`{}` (`command`: `{command}`)", self.prefix.add_to(GENERIC)))
    }

    fn arguments_of(&self, names: &[String]) -> Option<Vec<String>> {
        let schema = &self.called?.input_schema;
        let properties = schema.get("properties");
        let is_shown = |name: &&String| properties.is_some_and(|all| all.get(*name).is_some());
        let mut shown: Vec<String> = names.iter().filter(is_shown).cloned().collect();
        // The tool itself takes the start of a page of the answer.
        let offset = OFFSET.to_owned();
        if is_shown(&&offset) && !shown.contains(&offset) {
            shown.push(offset);
        }
        Some(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use allowlist::Catalogue;
    use frontend::tools;
    use protocol::Code;
    use tiers::Policy;

    const CASES: &str = include_str!("tool_names_cases.txt");

    #[test]
    fn a_prefix_is_short_and_plain() {
        for wrong in ["a b", "a:", "ä", &"x".repeat(33)] {
            assert_eq!(ToolPrefix::parse(wrong).unwrap_err().code, Code::UsageError);
        }
        let prefix = ToolPrefix::parse("work_").unwrap();
        assert_eq!(prefix.add_to("read"), "work_read");
        assert_eq!(prefix.remove_from("work_read"), Some("read"));
        assert_eq!(prefix.remove_from("read"), None);
        assert_eq!(ToolPrefix::default().remove_from("read"), Some("read"));
    }

    #[test]
    fn commands_are_named_as_the_client_calls_them() {
        let catalogue = Catalogue::builtin().unwrap();
        let offered = ["read", "notes_search", GENERIC];
        let mut tools = tools::tools(catalogue, &Policy::built_in());
        tools.retain(|tool| offered.contains(&tool.name.as_str()));
        tools.sort_by_key(|tool| tool.name == GENERIC);
        for (id, prefix, expected) in tables::typed::<(&str, &str, Option<&str>)>(
            CASES,
            "commands are named as the client calls",
        ) {
            let prefix = ToolPrefix::parse(prefix).unwrap();
            let client = ToolsOfClient {
                tools: &tools,
                prefix: &prefix,
                called: None,
            };
            assert_eq!(client.name_of(id).as_deref(), expected);
        }
        let prefix = ToolPrefix::default();
        let read = tools.iter().find(|tool| tool.name == "read");
        let client = ToolsOfClient {
            tools: &tools,
            prefix: &prefix,
            called: read,
        };
        let names = ["file", "path", "closed"].map(str::to_owned);
        let expected = ["file", "path", "offset"].map(str::to_owned);
        assert_eq!(client.arguments_of(&names).unwrap(), expected);
        let client = ToolsOfClient {
            tools: &tools[..1],
            prefix: &prefix,
            called: None,
        };
        assert_eq!(client.name_of("folders"), None);
    }
}
