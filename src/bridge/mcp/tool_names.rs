//! The names under which a client sees the tools: with a prefix, for a client that connects two vaults.

use crate::code::Code;
use crate::failure::Failure;

/// Longest prefix in characters. Clients accept names of at most 64 characters.
const MAX_PREFIX: usize = 32;

/// What stands before the name of every tool; empty by default.
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
        Err(Failure::new(
            Code::UsageError,
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
}
