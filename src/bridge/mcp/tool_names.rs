//! The names of tools as a client sees them: with a prefix, for a client that connects two vaults.

use crate::allowlist::Catalogue;
use crate::code::Code;
use crate::failure::Failure;
use crate::frontend::tools::GENERIC;
use crate::gateway::DRAFT_QUESTIONS;

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
        Err(Code::UsageError.failure(
            "`--tool-prefix` takes at most 32 letters, digits, `_` and `-`, such as `work_`.",
        ))
    }

    /// The name that the client sees.
    pub(super) fn add_to(&self, tool: &str) -> String {
        format!("{}{tool}", self.0)
    }

    /// The tool behind the name that a client called; `None` without the prefix.
    pub(super) fn remove_from<'name>(&self, name: &'name str) -> Option<&'name str> {
        name.strip_prefix(self.0.as_str())
    }
}

/// Words before an id that show that the command is meant, and not a parameter of the same name.
const CALLED: [&str; 7] = ["use `", "Use `", "with `", "With `", "by `", "call `", "command `"];
/// The command that lists the arguments of a command.
const CAPABILITIES: &str = "capabilities";

/// Replaces the commands in a text about a call by the client's names for them: the command's tool,
/// or else the generic one. `tools` are the names of the client's tools, without the prefix.
pub(super) fn in_client_words(text: &str, tools: &[String], prefix: &ToolPrefix) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return text.to_owned();
    }
    let mut told = String::new();
    for (index, part) in parts.into_iter().enumerate() {
        if index % 2 == 0 {
            told += part;
            continue;
        }
        told.push('`');
        let tool = named(part, &told).map(|id| id.replace(':', "_"));
        match tool {
            Some(tool) if tools.contains(&tool) => told += &prefix.add_to(&tool),
            Some(_) if tools.iter().any(|tool| tool == GENERIC) => {
                told += &format!("{}` (`command`: `{part}`)", prefix.add_to(GENERIC));
                continue;
            }
            _ => told += part,
        }
        told.push('`');
    }
    told
}

/// The command that a quoted word means, in view of the text before it.
fn named<'part>(part: &'part str, before: &str) -> Option<&'part str> {
    let is_called = part == CAPABILITIES
        || part.contains(':')
        || CALLED.iter().any(|called| before.ends_with(called));
    let is_command = || {
        part == CAPABILITIES
            || DRAFT_QUESTIONS.contains(&part)
            || Catalogue::find_builtin(part).is_ok()
    };
    let is_argument = || {
        Catalogue::builtin().is_ok_and(|catalogue| {
            let mut commands = catalogue.commands();
            commands.any(|command| command.argument_names().any(|name| name == part))
        })
    };
    let is_certain = part.contains(':') || before.ends_with("command `");
    (is_called && is_command() && (is_certain || !is_argument())).then_some(part)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let tools = ["read", "notes_search", "obsidianCli"].map(str::to_owned);
        let told = |text: &str, prefix: &str| {
            in_client_words(text, &tools, &ToolPrefix::parse(prefix).unwrap())
        };
        for (text, prefix, expected) in [
            ("Look it up with `notes:search`.", "", "Look it up with `notes_search`."),
            ("Look it up with `notes:search`.", "w_", "Look it up with `w_notes_search`."),
            ("Read it with `read`.", "w_", "Read it with `w_read`."),
            (
                "List them with `folders`.",
                "",
                "List them with `obsidianCli` (`command`: `folders`).",
            ),
            (
                "Add it with `attachment:add`.",
                "",
                "Add it with `obsidianCli` (`command`: `attachment:add`).",
            ),
            (
                "`capabilities` with `{\"command\":\"read\"}` tells.",
                "",
                "`obsidianCli` (`command`: `capabilities`) with `{\"command\":\"read\"}` tells.",
            ),
            (
                "Look it up with the command `tags`.",
                "",
                "Look it up with the command `obsidianCli` (`command`: `tags`).",
            ),
            (
                "Withdraw it with `draft:withdraw`.",
                "",
                "Withdraw it with `obsidianCli` (`command`: `draft:withdraw`).",
            ),
            // A parameter, a name, and a word that is not a command.
            ("It goes with `path` or `file`.", "w_", "It goes with `path` or `file`."),
            ("There is no folder `read`.", "w_", "There is no folder `read`."),
            ("There is no `a:b`, ` or `.", "", "There is no `a:b`, ` or `."),
        ] {
            assert_eq!(told(text, prefix), expected);
        }
    }
}
