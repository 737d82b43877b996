//! The app's own error sentences as data (`official-cli.md` §1).

mod parse;

use std::fmt;

use vault_files::Refusal;

/// Declares [`AppError`]: a row for each sentence that is fixed words, or one name between fixed words. Sentences of
/// other forms are in the rest of the enum. A row `from Refusal` is a call that the engine refuses too.
macro_rules! app_errors {
    (
        fixed { $($(#[$fixed_doc:meta])* $fixed:ident $(from $engine:ident)? = $sentence:literal,)+ }
        named {
            $($(#[$named_doc:meta])* $named:ident { $name:ident } $(from $refused:ident)? = $before:literal, $after:literal;)+
        }
        $(#[$doc:meta])*
        pub enum AppError { $($composed:tt)+ }
    ) => {
        $(#[$doc])*
        pub enum AppError {
            $($(#[$fixed_doc])* $fixed,)+
            $($(#[$named_doc])* $named {
                /// The name in the sentence, as the app prints it.
                $name: String,
            },)+
            $($composed)+
        }

        impl AppError {
            /// The errors that have one name.
            #[cfg(test)]
            const NAMED: &[fn(String) -> Self] = &[$(|$name| Self::$named { $name }),+];

            /// The fixed words of a sentence with the name between them; `None` for sentences of other forms.
            fn words(&self) -> Option<(&'static str, &str, &'static str)> {
                match self {
                    $(Self::$fixed => Some(($sentence, "", "")),)+
                    $(Self::$named { $name } => Some(($before, $name, $after)),)+
                    _ => None,
                }
            }

            /// Parses a sentence that [`Self::words`] describes. The first row that fits counts.
            fn from_words(text: &str) -> Option<Self> {
                match text {
                    $($sentence => return Some(Self::$fixed),)+
                    _ => {}
                }
                $(if let Some($name) = between(text, $before, $after) {
                    return Some(Self::$named { $name });
                })+
                None
            }
        }

        impl From<Refusal> for AppError {
            fn from(refusal: Refusal) -> Self {
                match refusal {
                    $($($engine::$fixed => Self::$fixed,)?)+
                    $($($refused::$named { $name } => Self::$named { $name },)?)+
                    Refusal::MissingParameter { name, usage } => {
                        let usage = Some(usage);
                        Self::MissingParameter { name, usage }
                    }
                }
            }
        }
    };
}

app_errors! {
    fixed {
        /// The app's socket does not exist. The only error on stderr, with exit code 1.
        AppNotRunning = "The CLI is unable to find Obsidian. Please make sure Obsidian is running and try again.",
        /// The CLI is switched off in the app's settings.
        CliNotEnabled = "Command line interface is not enabled. Please turn it on in Settings > General > Advanced.",
        /// `vault=` names no vault the app knows.
        VaultNotFound = "Vault not found.",
        /// Neither `file` nor `path` was given and no file is active.
        NoActiveFile from Refusal = "Error: No active file. Use file=<name> or path=<path> to specify a file.",
        /// The target of a move or rename is taken.
        DestinationExists from Refusal = "Error: Destination file already exists!",
        /// A value is not a date.
        InvalidDate from Refusal = "Error: Invalid date format. Use YYYY-MM-DD",
        /// A value is not a date with a time.
        InvalidDateTime from Refusal = "Error: Invalid datetime format. Use YYYY-MM-DDTHH:mm or YYYY-MM-DDTHH:mm:ss",
        /// A search query cannot be parsed.
        InvalidSearchQuery from Refusal = "Error: Invalid search query.",
        /// `outline` of a file that is not a note.
        NotMarkdown from Refusal = "Error: File is not a markdown file.",
        /// `wordcount` of a file that is not a note.
        WordCountNotMarkdown from Refusal = "Error: Word count is only available for markdown files.",
        /// No template folder is set.
        NoTemplateFolder from Refusal = "Error: No template folder configured.",
        /// The templates plugin is off.
        TemplatesDisabled = "Error: Templates plugin is not enabled.",
        /// A template cannot be inserted because no editor is open.
        NoActiveEditor = "Error: No active editor. Open a file first.",
        /// `create name=` with a `/`.
        NameContainsSlash from Refusal = "Error: name cannot contain \"/\". Use path for a full file path.",
    }
    named {
        /// A file does not exist. `target` is the `path=` or `file=` as given.
        FileNotFound { target } from Refusal = "Error: File \"", "\" not found.";
        /// A folder does not exist.
        FolderNotFound { target } from Refusal = "Error: Folder \"", "\" not found.";
        /// A tag does not occur. `tag` has its `#`.
        TagNotFound { tag } from Refusal = "Error: Tag \"", "\" not found.";
        /// A property does not exist.
        PropertyNotFound { name } from Refusal = "Error: Property \"", "\" not found.";
        /// The template folder that is set does not exist.
        TemplateFolderNotFound { folder } from Refusal = "Error: Template folder \"", "\" not found.";
        /// A template does not exist.
        TemplateNotFound { name } from Refusal = "Error: Template \"", "\" not found.";
        /// A plugin does not exist.
        PluginNotFound { id } from Refusal = "Error: Plugin \"", "\" not found.";
        /// A workspace does not exist.
        WorkspaceNotFound { name } = "Error: Workspace \"", "\" not found.";
        /// A theme is not installed. The app's own sentence is not recorded.
        ThemeNotFound { name } from Refusal = "Error: Theme \"", "\" not found.";
        /// A folder has the name of the requested file.
        NotAFile { target } from Refusal = "Error: \"", "\" is a folder, not a file.";
        /// A file has the name of the requested folder.
        NotAFolder { target } from Refusal = "Error: \"", "\" is a file, not a folder.";
        /// A base does not exist.
        BaseNotFound { path } from Refusal = "Error: Base file not found: ", "";
        /// The active file is not a base.
        NotABase { path } from Refusal = "Error: Active file is not a base file: ", "";
        /// A value is not a number.
        InvalidNumber { value } from Refusal = "Error: Invalid number: ", "";
        /// The operating system's sentence, from a move into a missing folder. `detail` is the rest of it, with its
        /// comma; may be empty.
        NoSuchFileOrDirectory { detail } = "Error: ENOENT: no such file or directory", "";
    }

    /// An error that the app prints, on stdout and with exit code 0, except for
    /// [`AppError::AppNotRunning`].
    ///
    /// `Display` gives the exact text, without a final newline.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum AppError {
        /// A command or command id is unknown, or the vault's window is still starting.
        CommandNotFound {
            /// The word that was not found.
            command: String,
            /// The rest of the sentence.
            hint: CommandHint,
        },
        /// Required parameters were left out, or given empty.
        MissingParameter {
            /// The parameter as the app names it: `to=<path>`, `content`, `file or path`; several are
            /// joined by `, `.
            name: String,
            /// The text after `Usage: ` on a second line; `None` without such a line.
            usage: Option<String>,
        },
        /// Any other text whose first line begins like an error: `Error: …`, `TypeError: …`.
        Other {
            /// The whole text, without newlines around it.
            text: String,
        },
    }
}

/// The text between fixed words; `None` if it does not begin and end with them.
fn between(text: &str, before: &str, after: &str) -> Option<String> {
    text.strip_prefix(before)?
        .strip_suffix(after)
        .map(str::to_owned)
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
            Self::CommandNotFound { command, hint } => {
                write!(f, "Error: Command \"{command}\" not found.")?;
                if *hint == CommandHint::Absent {
                    Ok(())
                } else {
                    write!(f, " {hint}")
                }
            }
            Self::MissingParameter { name, usage } => {
                write!(f, "Error: Missing required parameter: {name}")?;
                usage
                    .as_ref()
                    .map_or(Ok(()), |usage| write!(f, "\nUsage: {usage}"))
            }
            Self::Other { text } => f.write_str(text),
            _ => {
                let (before, name, after) = self.words().unwrap_or_default();
                write!(f, "{before}{name}{after}")
            }
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

const MAY_REQUIRE_PLUGIN: &str = "It may require a plugin to be enabled.";
const UNKNOWN_ID: &str = "Use \"commands\" to list available command IDs.";
