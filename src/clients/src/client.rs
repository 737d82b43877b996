//! The MCP clients that `install` supports: where each keeps its configuration, and what an entry
//! looks like, by its own documentation as of November 2026 (`docs/agents.md`).

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use super::edit::{self, UnusableConfig};
use frontend::options::word;
use protocol::{Code, Failure, for_person};
use sandbox::Environment;
use settings::Convention;

/// An MCP client that starts local servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum McpClient {
    /// Claude Desktop
    ClaudeDesktop,
    /// Claude Code, for all projects of this user
    ClaudeCode,
    /// Cursor, for all projects of this user
    Cursor,
    /// Visual Studio Code, the default profile
    Vscode,
    /// Codex
    Codex,
    /// Zed
    Zed,
}

/// The format of a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConfigFormat {
    /// JSON without comments, as the standard says.
    Json,
    /// JSON with comments and trailing commas.
    JsonWithComments,
    /// TOML, edited in place.
    Toml,
}

/// The command that the client starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerEntry {
    /// The absolute path of the program.
    pub command: String,
    /// The arguments after the program's name.
    pub args: Vec<String>,
}

/// The key of the program in an entry.
pub(super) const COMMAND: &str = "command";
/// The key of its arguments.
pub(super) const ARGS: &str = "args";

impl ServerEntry {
    /// The program that an entry with these keys starts; `None` if it starts none. Arguments that
    /// are not texts are left out.
    pub fn of_keys(keys: &Map<String, Value>) -> Option<Self> {
        let args = keys.get(ARGS).and_then(Value::as_array);
        let args = args.into_iter().flatten().filter_map(Value::as_str);
        Some(Self {
            command: keys.get(COMMAND)?.as_str()?.to_owned(),
            args: args.map(str::to_owned).collect(),
        })
    }
}

impl McpClient {
    /// Every supported client, in the order of the help.
    pub fn all() -> &'static [Self] {
        Self::value_variants()
    }

    /// Whether the client seems to be installed: its configuration or its folder exists.
    pub fn is_here(self, convention: Convention, environment: &Environment) -> bool {
        let places = UserFolders {
            client: self,
            convention,
            environment,
        };
        let Ok(file) = self.file(convention, environment) else {
            return false;
        };
        let folder = match self {
            // This client's file is in the home folder itself.
            Self::ClaudeCode => places.or_home("CLAUDE_CONFIG_DIR", ".claude", "").ok(),
            _ => file.parent().map(PathBuf::from),
        };
        file.exists() || folder.is_some_and(|folder| folder.is_dir())
    }

    /// Returns the product name, for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "Claude Desktop",
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::Vscode => "VS Code",
            Self::Codex => "Codex",
            Self::Zed => "Zed",
        }
    }

    /// Returns the name on the command line.
    pub fn word(self) -> String {
        word(&self)
    }

    pub(super) const fn format(self) -> ConfigFormat {
        match self {
            Self::ClaudeDesktop | Self::ClaudeCode => ConfigFormat::Json,
            Self::Cursor | Self::Vscode | Self::Zed => ConfigFormat::JsonWithComments,
            Self::Codex => ConfigFormat::Toml,
        }
    }

    /// Returns the key of the table of servers.
    pub(super) const fn key(self) -> &'static str {
        match self {
            Self::ClaudeDesktop | Self::ClaudeCode | Self::Cursor => "mcpServers",
            Self::Vscode => "servers",
            Self::Codex => "mcp_servers",
            Self::Zed => "context_servers",
        }
    }

    /// The sentence about when the change takes effect.
    pub const fn takes_effect(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "Quit Claude Desktop and start it again to load the server.",
            Self::ClaudeCode => "Claude Code loads the server in the next session.",
            Self::Cursor => {
                "Cursor loads the server at once. If Cursor asks, turn on the server in its MCP settings."
            }
            Self::Vscode => "When a chat first uses the server, VS Code asks whether you trust it.",
            Self::Codex => "Codex loads the server in the next session.",
            Self::Zed => "Zed loads the server at once.",
        }
    }

    /// Whether the client may ask the person before it uses a new server.
    pub const fn asks_first(self) -> bool {
        matches!(self, Self::Cursor | Self::Vscode)
    }

    /// Returns the keys of an entry, in the order in which they are written. `existing` are the keys of the existing
    /// entry.
    pub(super) fn entry(
        self,
        server: &ServerEntry,
        existing: Option<&Map<String, Value>>,
    ) -> Vec<(&'static str, Value)> {
        let mut keys = Vec::new();
        // Without `type`, these two clients guess the transport.
        if matches!(self, Self::ClaudeCode | Self::Vscode) {
            keys.push(("type", json!("stdio")));
        }
        keys.push((COMMAND, json!(server.command)));
        keys.push((ARGS, json!(server.args)));
        // Zed requires the key; existing values of the user stay.
        if self == Self::Zed && !existing.is_some_and(|keys| keys.contains_key("env")) {
            keys.push(("env", json!({})));
        }
        keys
    }

    /// Returns the text of a file that has only the entry `name` for this server.
    ///
    /// # Errors
    ///
    /// `INTERNAL_ERROR` if the entry cannot be written in the client's format.
    pub fn entry_text(self, name: &str, server: &ServerEntry) -> Result<String, Failure> {
        edit::alone(self, name, &self.entry(server, None)).map_err(|reason| unwritable(&reason))
    }

    /// Returns the user's configuration file.
    ///
    /// # Errors
    ///
    /// If the home folder is unknown.
    pub fn file(
        self,
        convention: Convention,
        environment: &Environment,
    ) -> Result<PathBuf, Failure> {
        let places = UserFolders {
            client: self,
            convention,
            environment,
        };
        match self {
            Self::ClaudeDesktop => places.configuration("Claude/claude_desktop_config.json"),
            Self::ClaudeCode => places.or_home("CLAUDE_CONFIG_DIR", "", ".claude.json"),
            Self::Cursor => places.home(".cursor/mcp.json"),
            Self::Vscode => places.configuration("Code/User/mcp.json"),
            Self::Codex => places.or_home("CODEX_HOME", ".codex", "config.toml"),
            // Zed uses the XDG folder below the home folder on macOS too.
            Self::Zed => match convention {
                Convention::Xdg => places.configuration("zed/settings.json"),
                Convention::MacOs => places.home(".config/zed/settings.json"),
                Convention::Windows => places.configuration("Zed/settings.json"),
            },
        }
    }
}

/// Returns the failure of an entry that cannot be written in the client's format.
pub(super) fn unwritable(reason: &UnusableConfig) -> Failure {
    Code::InternalError.failure(format!("The entry {reason}."))
}

/// The user's folders under the conventions of one operating system.
struct UserFolders<'a> {
    client: McpClient,
    convention: Convention,
    environment: &'a Environment,
}

impl UserFolders<'_> {
    /// Returns a path below the folder for configuration files.
    fn configuration(&self, below: &str) -> Result<PathBuf, Failure> {
        let (variable, usual) = match self.convention {
            Convention::Xdg => (Some("XDG_CONFIG_HOME"), ".config"),
            Convention::MacOs => (None, "Library/Application Support"),
            Convention::Windows => (Some("APPDATA"), "AppData/Roaming"),
        };
        let folder = variable.and_then(|name| self.environment.absolute_path(name));
        let folder = folder.map_or_else(|| self.home(usual), Ok)?;
        Ok(folder.join(below))
    }

    /// Returns a path below the folder named by the client's own variable, else below the home folder.
    fn or_home(&self, variable: &str, usual: &str, name: &str) -> Result<PathBuf, Failure> {
        let folder = self.environment.absolute_path(variable);
        let folder = folder.map_or_else(|| self.home(usual), Ok)?;
        Ok(folder.join(name))
    }

    fn home(&self, below: &str) -> Result<PathBuf, Failure> {
        let variable = match self.convention {
            Convention::Xdg | Convention::MacOs => "HOME",
            Convention::Windows => "USERPROFILE",
        };
        let home = self.environment.absolute_path(variable);
        home.map(|home| home.join(below)).ok_or_else(|| {
            Code::ConfigMissing
                .failure(format!(
                    "The configuration of {} cannot be found, because `{variable}` is not set to an absolute path.",
                    self.client.title()
                ))
                .hint(for_person("Set the variable, or add the entry by hand: `--print` prints the entry."))
                .with("variable", variable)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(convention: Convention, variables: &[(&str, &str)]) -> Vec<String> {
        let variables = variables
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()));
        let environment = Environment::new(variables, None);
        McpClient::value_variants()
            .iter()
            .map(|client| match client.file(convention, &environment) {
                Ok(path) => path.to_string_lossy().replace('\\', "/"),
                Err(failure) => failure.code.name().to_owned(),
            })
            .collect()
    }

    #[cfg(unix)]
    #[test]
    fn each_system_has_its_places() {
        assert_eq!(
            places(Convention::Xdg, &[("HOME", "/h")]),
            [
                "/h/.config/Claude/claude_desktop_config.json",
                "/h/.claude.json",
                "/h/.cursor/mcp.json",
                "/h/.config/Code/User/mcp.json",
                "/h/.codex/config.toml",
                "/h/.config/zed/settings.json",
            ]
        );
        assert_eq!(
            places(
                Convention::MacOs,
                &[("HOME", "/h"), ("XDG_CONFIG_HOME", "/c")]
            ),
            [
                "/h/Library/Application Support/Claude/claude_desktop_config.json",
                "/h/.claude.json",
                "/h/.cursor/mcp.json",
                "/h/Library/Application Support/Code/User/mcp.json",
                "/h/.codex/config.toml",
                "/h/.config/zed/settings.json",
            ]
        );
        assert_eq!(
            places(
                Convention::Windows,
                &[("USERPROFILE", "/u"), ("APPDATA", "/a")]
            ),
            [
                "/a/Claude/claude_desktop_config.json",
                "/u/.claude.json",
                "/u/.cursor/mcp.json",
                "/a/Code/User/mcp.json",
                "/u/.codex/config.toml",
                "/a/Zed/settings.json",
            ]
        );
        let own = [
            ("HOME", "/h"),
            ("XDG_CONFIG_HOME", "/c"),
            ("CODEX_HOME", "/x"),
            ("CLAUDE_CONFIG_DIR", "/l"),
        ];
        assert_eq!(
            places(Convention::Xdg, &own),
            [
                "/c/Claude/claude_desktop_config.json",
                "/l/.claude.json",
                "/h/.cursor/mcp.json",
                "/c/Code/User/mcp.json",
                "/x/config.toml",
                "/c/zed/settings.json",
            ]
        );
        let relative = [("HOME", "h"), ("CODEX_HOME", "x")];
        assert_eq!(places(Convention::Xdg, &relative), ["CONFIG_MISSING"; 6]);
    }
}
