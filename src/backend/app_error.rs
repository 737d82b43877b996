//! Maps error messages of the app to failure codes. Both backends use it, so the same mistake gets
//! the same answer from either (`design.md` §0, promise 4).

use cli_output::{AppError, CommandHint, shown};

use crate::code::Code;
use crate::failure::{Cause, Failure};
use crate::message::{Message, message};

/// Returns the failure for an error message of the app.
///
/// The message quotes names of the vault, but never text of unknown origin, which could contain a
/// path outside the vault.
pub fn failure(error: &AppError) -> Failure {
    if let Some(flag) = launcher_flag(error) {
        return Code::CliUnavailable
            .failure(format!(
                "The start script of Obsidian puts `{flag}` before every command, so no command can run."
            ))
            .hint(
                "Ask the owner of this machine to remove the flag from Obsidian's `user-flags.conf`, or to write the flag with two dashes. Until then, use the embedded backend.",
            )
            .with("reason", "launcher-flag")
            .with("flag", flag);
    }
    let code = code(error);
    let next = match error {
        _ if is_wildcard(error) => {
            message!(
                "Patterns are not supported here. List files with {notes:list}, then pass each exact path."
            )
        }
        _ if lacks_extension(error) => message!(
            "A path needs its extension, such as `.md`. Look up the exact path with {notes:search}."
        ),
        _ => remedy(error),
    };
    let mut failure = code.failure(what(error)).hint(next);
    failure.cause = match error {
        AppError::InvalidSearchQuery => Some(Cause::InvalidQuery),
        AppError::NotAFile { .. } => Some(Cause::NotAFile),
        AppError::NotMarkdown | AppError::WordCountNotMarkdown => Some(Cause::NotMarkdown),
        _ => None,
    };
    match error {
        AppError::FileNotFound { target }
        | AppError::FolderNotFound { target }
        | AppError::NotAFile { target }
        | AppError::NotAFolder { target } => failure.with("target", target.as_str()),
        AppError::BaseNotFound { path } | AppError::ActiveFileNotBase { path } => {
            failure.with("target", path.as_str())
        }
        AppError::TemplateFolderNotFound { folder } => failure.with("target", folder.as_str()),
        AppError::TemplateNotFound { name }
        | AppError::PropertyNotFound { name }
        | AppError::WorkspaceNotFound { name }
        | AppError::ThemeNotFound { name } => failure.with("name", name.as_str()),
        AppError::TagNotFound { tag } => failure.with("name", tag.as_str()),
        AppError::PluginNotFound { id } => failure.with("name", id.as_str()),
        AppError::CommandNotFound { command, .. } => failure.with("command", command.as_str()),
        AppError::MissingParameter { name, usage } => {
            let failure = failure.with("parameter", name.as_str());
            match usage {
                Some(usage) => failure.with("usage", usage.as_str()),
                None => failure,
            }
        }
        AppError::AppNotRunning
        | AppError::CliNotEnabled
        | AppError::VaultNotFound
        | AppError::NoActiveFile
        | AppError::DestinationExists
        | AppError::NoSuchFileOrDirectory { .. }
        | AppError::InvalidNumber { .. }
        | AppError::InvalidDate
        | AppError::InvalidDateTime
        | AppError::InvalidSearchQuery
        | AppError::NotMarkdown
        | AppError::WordCountNotMarkdown
        | AppError::NoTemplateFolder
        | AppError::TemplatesDisabled
        | AppError::NoActiveEditor
        | AppError::NameContainsSlash
        | AppError::Other { .. } => failure,
    }
}

/// Returns a launcher flag that the app mistook for the command. A word with a single dash in
/// `user-flags.conf` is not filtered out, unlike those with two dashes (`official-cli.md` §2).
fn launcher_flag(error: &AppError) -> Option<&str> {
    match error {
        AppError::CommandNotFound { command, .. } if command.starts_with('-') => Some(command),
        _ => None,
    }
}

/// Returns the code for an error message of the app.
pub fn code(error: &AppError) -> Code {
    if launcher_flag(error).is_some() {
        return Code::CliUnavailable;
    }
    match error {
        AppError::AppNotRunning => Code::AppNotRunning,
        AppError::CliNotEnabled => Code::CliDisabled,
        AppError::VaultNotFound => Code::VaultNotFound,
        // We only send commands of the app, so it knows this one but cannot serve it now.
        AppError::CommandNotFound { hint, .. } if *hint != CommandHint::UnknownId => {
            Code::AppNotReady
        }
        AppError::FileNotFound { .. }
        | AppError::BaseNotFound { .. }
        | AppError::TemplateNotFound { .. } => Code::FileNotFound,
        AppError::FolderNotFound { .. }
        | AppError::TemplateFolderNotFound { .. }
        | AppError::NoSuchFileOrDirectory { .. } => Code::FolderNotFound,
        AppError::DestinationExists => Code::FileExists,
        AppError::NoActiveFile | AppError::MissingParameter { .. } => Code::UsageError,
        AppError::CommandNotFound { .. }
        | AppError::NotAFile { .. }
        | AppError::NotAFolder { .. }
        | AppError::InvalidNumber { .. }
        | AppError::InvalidDate
        | AppError::InvalidDateTime
        | AppError::InvalidSearchQuery
        | AppError::NotMarkdown
        | AppError::WordCountNotMarkdown
        | AppError::NameContainsSlash => Code::ValidationError,
        AppError::NoActiveEditor => Code::RequiresApp,
        AppError::TagNotFound { .. }
        | AppError::PropertyNotFound { .. }
        | AppError::ActiveFileNotBase { .. }
        | AppError::NoTemplateFolder
        | AppError::TemplatesDisabled
        | AppError::PluginNotFound { .. }
        | AppError::WorkspaceNotFound { .. }
        | AppError::ThemeNotFound { .. }
        | AppError::Other { .. } => Code::CliReportedError,
    }
}

/// Describes what happened, in the app's own words if they contain only names of the vault.
fn what(error: &AppError) -> String {
    if matches!(error, AppError::Other { .. }) {
        return "Obsidian reported an error.".to_owned();
    }
    if let AppError::NoSuchFileOrDirectory { detail } = error {
        let to = detail.rsplit_once("-> '").map(|(_, to)| to.trim_end_matches('\''));
        let folder = to.and_then(|to| to.rsplit_once('/')).map(|(folder, _)| folder);
        return match folder {
            Some(folder) => format!("The folder `{}` does not exist.", shown::row(folder)),
            None => "A parent folder of the destination does not exist.".to_owned(),
        };
    }
    // The app's message quotes the value, which may be a sensitive property (`faults.md` F12).
    if matches!(error, AppError::InvalidNumber { .. }) {
        return "The value is not a number.".to_owned();
    }
    if let AppError::MissingParameter { name, .. } = error {
        return format!("The required parameter `{name}` is missing or empty.");
    }
    // Names no active file, because the embedded engine may have answered and the app may not run.
    match error {
        AppError::ActiveFileNotBase { path } => return format!("\"{path}\" is not a base."),
        AppError::NoActiveFile => return "The call does not name a file.".to_owned(),
        AppError::NameContainsSlash => return "`name` cannot contain `/`.".to_owned(),
        _ => {}
    }
    let sentence = error.to_string();
    let sentence = sentence.strip_prefix("Error: ").unwrap_or(&sentence);
    let ended = sentence.ends_with(['.', '!', '?']);
    format!("{sentence}{}", if ended { "" } else { "." })
}

/// Whether a missing file was given without an extension, as in a wikilink.
fn lacks_extension(error: &AppError) -> bool {
    let name = |target: &str| target.rsplit('/').next().unwrap_or_default().to_owned();
    matches!(error, AppError::FileNotFound { target } if !name(target).contains('.'))
}

/// Whether the name of a missing file contains `*`, a wildcard in other tools.
fn is_wildcard(error: &AppError) -> bool {
    matches!(error, AppError::FileNotFound { target } if target.contains('*'))
}

/// Returns the hint for an error of the app; empty if the app's message contains it.
fn remedy(error: &AppError) -> Message {
    match error {
        AppError::AppNotRunning => "Start Obsidian, or use the embedded backend.",
        AppError::CliNotEnabled => "Ask the owner of the vault to turn on the command line interface in the app.",
        AppError::VaultNotFound => "Open the vault in Obsidian once, so that Obsidian lists it.",
        AppError::CommandNotFound { .. } => {
            "Wait until the vault has loaded and try again. If the call still fails, the plugin that provides the command is turned off."
        }
        AppError::FileNotFound { .. } => return message!("Look up the exact path with {notes:search}."),
        AppError::BaseNotFound { .. } => return message!("Look up the exact path with {bases}."),
        AppError::FolderNotFound { .. } => return message!("Look up the exact path with {folders}."),
        AppError::NoSuchFileOrDirectory { .. } => {
            "Obsidian does not create missing folders when it moves a file. To let vault-gw create them, set `backend = \"auto\"` in the settings."
        }
        AppError::NotAFile { .. } => "Give the path of a file.",
        AppError::NotAFolder { .. } => "Give the path of a folder.",
        AppError::NoActiveFile => "Pass the file as `file` or `path`.",
        AppError::MissingParameter { name, .. } if name == "line=<n>" => {
            return message!("To list tasks with their lines, use {tasks} with `verbose`.");
        }
        AppError::MissingParameter { .. } => "Give the parameter a value.",
        AppError::TagNotFound { .. } => return message!("Look up the exact tag with {tags}."),
        AppError::PropertyNotFound { .. } => return message!("Look up the exact name with {properties}."),
        AppError::DestinationExists => "Choose another name or folder for the file.",
        AppError::InvalidNumber { .. } => "Pass a number such as `5` or `2.5`.",
        // The app's own words say what to send, or what is wrong with the query.
        AppError::InvalidDate | AppError::InvalidDateTime | AppError::InvalidSearchQuery => "",
        AppError::NotMarkdown | AppError::WordCountNotMarkdown => "Give the path of a note.",
        AppError::ActiveFileNotBase { .. } => "Give the path of a base.",
        AppError::NoTemplateFolder | AppError::TemplateFolderNotFound { .. } => {
            "Set the template folder in the app's settings."
        }
        AppError::TemplateNotFound { .. } => return message!("Look up the exact name with {templates}."),
        AppError::TemplatesDisabled => "Turn on the Templates plugin in the app's settings.",
        AppError::NoActiveEditor => "Open a file in the app, then try again.",
        AppError::PluginNotFound { .. } => return message!("Look up the exact id with {plugins}."),
        AppError::WorkspaceNotFound { .. } => return message!("Look up the exact name with {workspaces}."),
        AppError::ThemeNotFound { .. } => return message!("Look up the exact name with {themes}."),
        AppError::NameContainsSlash => "Pass the folder and the name together as `path`.",
        AppError::Other { .. } => "`stdout` contains the error message of Obsidian.",
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_of_the_launcher_is_identified() {
        let text =
            "Error: Command \"-disable-gpu\" not found. It may require a plugin to be enabled.";
        let error = AppError::parse(text).unwrap();
        let failure = failure(&error);
        assert_eq!(failure.code, Code::CliUnavailable);
        assert_eq!(code(&error), Code::CliUnavailable);
        assert!(failure.to_string().contains("`-disable-gpu`"), "{}", failure.to_string());
        assert!(failure.to_string().contains("user-flags.conf"));
    }

    fn of(text: &str) -> Failure {
        failure(&AppError::parse(text).unwrap())
    }

    #[test]
    fn f10_the_recorded_sentences_have_their_codes() {
        // `official-cli.md` §1
        let table = [
            (
                "The CLI is unable to find Obsidian. Please make sure Obsidian is running and try again.",
                Code::AppNotRunning,
            ),
            (
                "Command line interface is not enabled. Please turn it on in Settings > General > Advanced.",
                Code::CliDisabled,
            ),
            ("Vault not found.", Code::VaultNotFound),
            (
                "Error: Command \"eval\" not found. It may require a plugin to be enabled.",
                Code::AppNotReady,
            ),
            (
                "Error: Command \"x\" not found. Use \"commands\" to list available command IDs.",
                Code::ValidationError,
            ),
            ("Error: File \"a/b.md\" not found.", Code::FileNotFound),
            ("Error: \"Folder\" is a folder, not a file.", Code::ValidationError),
            ("Error: Folder \"archive\" not found.", Code::FolderNotFound),
            ("Error: \"x.md\" is a file, not a folder.", Code::ValidationError),
            (
                "Error: No active file. Use file=<name> or path=<path> to specify a file.",
                Code::UsageError,
            ),
            (
                "Error: Missing required parameter: to=<path>\nUsage: move [file=<name>] [path=<path>] to=<path>",
                Code::UsageError,
            ),
            ("Error: Destination file already exists!", Code::FileExists),
            (
                "Error: ENOENT: no such file or directory, rename '/home/u/v/a.md' -> '/home/u/v/x/a.md'",
                Code::FolderNotFound,
            ),
            ("Error: Invalid number: abc", Code::ValidationError),
            ("Error: Base file not found: missing.base", Code::FileNotFound),
            ("Error: Template \"Nope\" not found.", Code::FileNotFound),
            ("Error: No template folder configured.", Code::CliReportedError),
            ("Error: No active editor. Open a file first.", Code::RequiresApp),
            ("Error: Tag \"#nope\" not found.", Code::CliReportedError),
            (
                "TypeError: Cannot read properties of null (reading 'getParentPrefix')",
                Code::CliReportedError,
            ),
        ];
        for (text, code) in table {
            assert_eq!(of(text).code, code, "{text}");
        }
    }

    #[test]
    fn messages_say_what_happened_and_what_to_do_and_no_outside_path() {
        assert_eq!(
            of("Error: File \"a.md\" not found.").to_string(),
            "File \"a.md\" not found. Look up the exact path with `notes:search`."
        );
        assert_eq!(of("Error: File \"a.md\" not found.").details["target"], "a.md");
        assert_eq!(
            of("Error: Theme \"Nope\" not found.").to_string(),
            "Theme \"Nope\" not found. Look up the exact name with `themes`."
        );
        for bare in ["Home", "Area 1.5/Plan"] {
            let message = of(&format!("Error: File \"{bare}\" not found.")).to_string();
            // The parameter is `path` for most commands and `file` for others.
            let says_it = message.contains("needs its extension");
            assert!(says_it && !message.contains('='), "{message}");
        }
        let usage = of("Error: Missing required parameter: content\nUsage: append content=<text>");
        assert_eq!(usage.details["parameter"], "content");
        assert_eq!(usage.details["usage"], "append content=<text>");
        for text in [
            "Error: ENOENT: no such file or directory, open '/home/u/secret'",
            "Error: EACCES: permission denied, open '/home/u/secret'",
        ] {
            let failure = of(text);
            assert!(!format!("{failure:?}").contains("secret"), "{failure:?}");
        }
    }
}
