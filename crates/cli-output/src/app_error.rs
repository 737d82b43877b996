//! The app's own error sentences as data (`official-cli.md` §1).

mod parse;

use std::fmt;

/// An error that the app prints, on stdout and with exit code 0, except for
/// [`AppError::AppNotRunning`].
///
/// `Display` gives the exact text, without a final newline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppError {
    /// The app's socket does not exist. The only error on stderr, with exit code 1.
    AppNotRunning,
    /// The CLI is switched off in the app's settings.
    CliNotEnabled,
    /// `vault=` names no vault the app knows.
    VaultNotFound,
    /// A command or command id is unknown, or the vault's window is still starting.
    CommandNotFound {
        /// The word that was not found.
        command: String,
        /// The rest of the sentence.
        hint: CommandHint,
    },
    /// A file does not exist.
    FileNotFound {
        /// The `path=` or `file=` as given.
        target: String,
    },
    /// A folder has the name of the requested file.
    NotAFile {
        /// The folder, as the caller named it.
        target: String,
    },
    /// A folder does not exist.
    FolderNotFound {
        /// The folder, as the caller named it.
        target: String,
    },
    /// A file has the name of the requested folder.
    NotAFolder {
        /// The file, as the caller named it.
        target: String,
    },
    /// Neither `file` nor `path` was given and no file is active.
    NoActiveFile,
    /// Required parameters were left out, or given empty.
    MissingParameter {
        /// The parameter as the app names it: `to=<path>`, `content`, `file or path`; several are
        /// joined by `, `.
        name: String,
        /// The text after `Usage: ` on a second line; `None` without such a line.
        usage: Option<String>,
    },
    /// A tag does not occur.
    TagNotFound {
        /// The tag, with its `#`.
        tag: String,
    },
    /// A property does not exist.
    PropertyNotFound {
        /// The name of the property.
        name: String,
    },
    /// The target of a move or rename is taken.
    DestinationExists,
    /// The operating system's "no such file or directory", from a move into a missing folder.
    NoSuchFileOrDirectory {
        /// The text after that sentence, with its comma; may be empty.
        detail: String,
    },
    /// A value is not a number.
    InvalidNumber {
        /// The value, as the caller sent it.
        value: String,
    },
    /// A value is not a date.
    InvalidDate,
    /// A value is not a date with a time.
    InvalidDateTime,
    /// A search query cannot be parsed.
    InvalidSearchQuery,
    /// `outline` of a file that is not a note.
    NotMarkdown,
    /// `wordcount` of a file that is not a note.
    WordCountNotMarkdown,
    /// A base does not exist.
    BaseNotFound {
        /// The path of the base, as the caller named it.
        path: String,
    },
    /// The active file is not a base.
    ActiveFileNotBase {
        /// The path of the active file.
        path: String,
    },
    /// No template folder is set.
    NoTemplateFolder,
    /// The template folder that is set does not exist.
    TemplateFolderNotFound {
        /// The folder that the settings name.
        folder: String,
    },
    /// A template does not exist.
    TemplateNotFound {
        /// The name of the template.
        name: String,
    },
    /// The templates plugin is off.
    TemplatesDisabled,
    /// A template cannot be inserted because no editor is open.
    NoActiveEditor,
    /// A plugin does not exist.
    PluginNotFound {
        /// The id of the plugin.
        id: String,
    },
    /// A workspace does not exist.
    WorkspaceNotFound {
        /// The name of the workspace.
        name: String,
    },
    /// A theme is not installed. The app's own sentence is not recorded.
    ThemeNotFound {
        /// The name of the theme.
        name: String,
    },
    /// `create name=` with a `/`.
    NameContainsSlash,
    /// Any other text whose first line begins like an error: `Error: …`, `TypeError: …`.
    Other {
        /// The whole text, without newlines around it.
        text: String,
    },
}

/// The rest of a "command not found" sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandHint {
    /// `It may require a plugin to be enabled.` The app also says this for a valid command while
    /// the vault's window is starting.
    MayRequirePlugin,
    /// `Did you mean: a, b?`
    DidYouMean(Vec<String>),
    /// `Use "commands" to list available command IDs.`, after a wrong `command id=`.
    UnknownId,
    /// The sentence ends there.
    Absent,
}

impl fmt::Display for AppError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AppNotRunning => f.write_str(APP_NOT_RUNNING),
            Self::CliNotEnabled => f.write_str(CLI_NOT_ENABLED),
            Self::VaultNotFound => f.write_str("Vault not found."),
            Self::CommandNotFound { command, hint } => {
                write!(f, "Error: Command \"{command}\" not found.")?;
                if *hint == CommandHint::Absent { Ok(()) } else { write!(f, " {hint}") }
            }
            Self::FileNotFound { target } => write!(f, "Error: File \"{target}\" not found."),
            Self::NotAFile { target } => {
                write!(f, "Error: \"{target}\" is a folder, not a file.")
            }
            Self::FolderNotFound { target } => write!(f, "Error: Folder \"{target}\" not found."),
            Self::NotAFolder { target } => {
                write!(f, "Error: \"{target}\" is a file, not a folder.")
            }
            Self::NoActiveFile => f.write_str(
                "Error: No active file. Use file=<name> or path=<path> to specify a file.",
            ),
            Self::MissingParameter { name, usage } => {
                write!(f, "Error: Missing required parameter: {name}")?;
                usage.as_ref().map_or(Ok(()), |usage| write!(f, "\nUsage: {usage}"))
            }
            Self::TagNotFound { tag } => write!(f, "Error: Tag \"{tag}\" not found."),
            Self::PropertyNotFound { name } => write!(f, "Error: Property \"{name}\" not found."),
            Self::DestinationExists => f.write_str("Error: Destination file already exists!"),
            Self::NoSuchFileOrDirectory { detail } => {
                write!(f, "Error: ENOENT: no such file or directory{detail}")
            }
            Self::InvalidNumber { value } => write!(f, "Error: Invalid number: {value}"),
            Self::InvalidDate => f.write_str("Error: Invalid date format. Use YYYY-MM-DD"),
            Self::InvalidDateTime => f.write_str(
                "Error: Invalid datetime format. Use YYYY-MM-DDTHH:mm or YYYY-MM-DDTHH:mm:ss",
            ),
            Self::InvalidSearchQuery => f.write_str("Error: Invalid search query."),
            Self::NotMarkdown => f.write_str("Error: File is not a markdown file."),
            Self::WordCountNotMarkdown => {
                f.write_str("Error: Word count is only available for markdown files.")
            }
            Self::BaseNotFound { path } => write!(f, "Error: Base file not found: {path}"),
            Self::ActiveFileNotBase { path } => {
                write!(f, "Error: Active file is not a base file: {path}")
            }
            Self::NoTemplateFolder => f.write_str("Error: No template folder configured."),
            Self::TemplateFolderNotFound { folder } => {
                write!(f, "Error: Template folder \"{folder}\" not found.")
            }
            Self::TemplateNotFound { name } => write!(f, "Error: Template \"{name}\" not found."),
            Self::TemplatesDisabled => f.write_str("Error: Templates plugin is not enabled."),
            Self::NoActiveEditor => f.write_str("Error: No active editor. Open a file first."),
            Self::PluginNotFound { id } => write!(f, "Error: Plugin \"{id}\" not found."),
            Self::WorkspaceNotFound { name } => {
                write!(f, "Error: Workspace \"{name}\" not found.")
            }
            Self::ThemeNotFound { name } => write!(f, "Error: Theme \"{name}\" not found."),
            Self::NameContainsSlash => {
                f.write_str("Error: name cannot contain \"/\". Use path for a full file path.")
            }
            Self::Other { text } => f.write_str(text),
        }
    }
}

impl std::error::Error for AppError {}

impl fmt::Display for CommandHint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MayRequirePlugin => f.write_str(MAY_REQUIRE_PLUGIN),
            Self::DidYouMean(names) => write!(f, "Did you mean: {}?", names.join(", ")),
            Self::UnknownId => f.write_str(UNKNOWN_ID),
            Self::Absent => Ok(()),
        }
    }
}

const APP_NOT_RUNNING: &str = "The CLI is unable to find Obsidian. \
     Please make sure Obsidian is running and try again.";
const CLI_NOT_ENABLED: &str = "Command line interface is not enabled. \
     Please turn it on in Settings > General > Advanced.";
const MAY_REQUIRE_PLUGIN: &str = "It may require a plugin to be enabled.";
const UNKNOWN_ID: &str = "Use \"commands\" to list available command IDs.";
