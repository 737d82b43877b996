//! Maps error messages of the app to failure codes. Both backends use it, so the same mistake gets
//! the same answer from either (promise 4 of `design/promises.md`).

use cli_output::{AppError, CommandHint};
use vault_engine::shown;

use protocol::code::Code;
use protocol::failure::{Cause, Failure};
use protocol::message::{Message, message};

/// Returns the failure for an error message of the app.
///
/// The message quotes names of the vault, but never text of unknown origin, which could contain a
/// path outside the vault.
pub fn failure(error: &AppError) -> Failure {
    // A word with a single dash in `user-flags.conf` is not filtered out, unlike those with two
    // dashes, so the app mistakes it for the command (`official-cli.md` §2).
    if let AppError::CommandNotFound { command: flag, .. } = error
        && flag.starts_with('-')
    {
        return Code::CliUnavailable
            .failure(format!(
                "The start script of Obsidian puts `{flag}` before every command, so no command can run."
            ))
            .hint(
                "Ask the owner of this machine to remove the flag from Obsidian's `user-flags.conf`, or to write the flag with two dashes. Until then, use the embedded backend.",
            )
            .with("reason", "launcher-flag")
            .with("flag", flag.as_str());
    }
    let (code, remedy) = code_and_remedy(error);
    let failure = code.failure(what(error)).hint(remedy);
    let cause = match error {
        AppError::InvalidSearchQuery => Some(Cause::InvalidQuery),
        AppError::NotAFile { .. } => Some(Cause::NotAFile),
        AppError::NotMarkdown | AppError::WordCountNotMarkdown => Some(Cause::NotMarkdown),
        _ => None,
    };
    let failure = match cause {
        Some(cause) => failure.caused_by(cause),
        None => failure,
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
        _ => failure,
    }
}

/// Describes what happened, in the app's own words if they contain only names of the vault.
fn what(error: &AppError) -> String {
    match error {
        AppError::Other { .. } => "Obsidian reported an error.".to_owned(),
        AppError::NoSuchFileOrDirectory { detail } => {
            let to = detail
                .rsplit_once("-> '")
                .map(|(_, to)| to.trim_end_matches('\''));
            match to.and_then(|to| to.rsplit_once('/')) {
                Some((folder, _)) => format!("The folder `{}` does not exist.", shown::row(folder)),
                None => "A parent folder of the destination does not exist.".to_owned(),
            }
        }
        // The app's message quotes the value, which may be a sensitive property (`threats.toml` F12).
        AppError::InvalidNumber { .. } => "The value is not a number.".to_owned(),
        AppError::MissingParameter { name, .. } => {
            format!("The required parameter `{name}` is missing or empty.")
        }
        // These name no active file, because the embedded engine may have answered and the app may
        // not run.
        AppError::ActiveFileNotBase { path } => format!("\"{path}\" is not a base."),
        AppError::NoActiveFile => "The call does not name a file.".to_owned(),
        AppError::NameContainsSlash => "`name` cannot contain `/`.".to_owned(),
        _ => {
            let sentence = error.to_string();
            let sentence = sentence.strip_prefix("Error: ").unwrap_or(&sentence);
            let end = if sentence.ends_with(['.', '!', '?']) {
                ""
            } else {
                "."
            };
            format!("{sentence}{end}")
        }
    }
}

/// Returns the code and the hint for an error of the app; the hint is empty if the app's message
/// contains it.
fn code_and_remedy(error: &AppError) -> (Code, Message) {
    let (code, remedy) = match error {
        AppError::AppNotRunning => (
            Code::AppNotRunning,
            "Start Obsidian, or use the embedded backend.",
        ),
        AppError::CliNotEnabled => (
            Code::CliDisabled,
            "Ask the owner of the vault to turn on the command line interface in the app.",
        ),
        AppError::VaultNotFound => (
            Code::VaultNotFound,
            "Open the vault in Obsidian once, so that Obsidian lists it.",
        ),
        AppError::CommandNotFound { hint, .. } => {
            // We only send commands of the app, so it knows this one but cannot serve it now.
            let is_known = *hint != CommandHint::UnknownId;
            let code = if is_known {
                Code::AppNotReady
            } else {
                Code::ValidationError
            };
            (
                code,
                "Wait until the vault has loaded and try again. If the call still fails, the plugin that provides the command is turned off.",
            )
        }
        AppError::FileNotFound { target } => return (Code::FileNotFound, missing_file(target)),
        AppError::BaseNotFound { .. } => {
            return (
                Code::FileNotFound,
                message!("Look up the exact path with {bases}."),
            );
        }
        AppError::FolderNotFound { .. } => {
            return (
                Code::FolderNotFound,
                message!("Look up the exact path with {folders}."),
            );
        }
        AppError::NoSuchFileOrDirectory { .. } => (
            Code::FolderNotFound,
            "Obsidian does not create missing folders when it moves a file. To let vault-gw create them, set `backend = \"auto\"` in the settings.",
        ),
        AppError::NotAFile { .. } => (Code::ValidationError, "Give the path of a file."),
        AppError::NotAFolder { .. } => (Code::ValidationError, "Give the path of a folder."),
        AppError::NoActiveFile => (Code::UsageError, "Pass the file as `file` or `path`."),
        AppError::MissingParameter { name, .. } if name == "line=<n>" => {
            let remedy = message!("To list tasks with their lines, use {tasks} with `verbose`.");
            return (Code::UsageError, remedy);
        }
        AppError::MissingParameter { .. } => (Code::UsageError, "Give the parameter a value."),
        AppError::TagNotFound { .. } => {
            return (
                Code::CliReportedError,
                message!("Look up the exact tag with {tags}."),
            );
        }
        AppError::PropertyNotFound { .. } => {
            return (
                Code::CliReportedError,
                message!("Look up the exact name with {properties}."),
            );
        }
        AppError::DestinationExists => (
            Code::FileExists,
            "Choose another name or folder for the file.",
        ),
        AppError::InvalidNumber { .. } => {
            (Code::ValidationError, "Pass a number such as `5` or `2.5`.")
        }
        // The app's own words say what to send, or what is wrong with the query.
        AppError::InvalidDate | AppError::InvalidDateTime | AppError::InvalidSearchQuery => {
            (Code::ValidationError, "")
        }
        AppError::NotMarkdown | AppError::WordCountNotMarkdown => {
            (Code::ValidationError, "Give the path of a note.")
        }
        AppError::ActiveFileNotBase { .. } => (Code::CliReportedError, "Give the path of a base."),
        AppError::NoTemplateFolder | AppError::TemplateFolderNotFound { .. } => (
            Code::FolderNotFound,
            "Set the template folder in the app's settings.",
        ),
        AppError::TemplateNotFound { .. } => {
            return (
                Code::FileNotFound,
                message!("Look up the exact name with {templates}."),
            );
        }
        AppError::TemplatesDisabled => (
            Code::CliReportedError,
            "Turn on the Templates plugin in the app's settings.",
        ),
        AppError::NoActiveEditor => (Code::RequiresApp, "Open a file in the app, then try again."),
        AppError::PluginNotFound { .. } => {
            return (
                Code::CliReportedError,
                message!("Look up the exact id with {plugins}."),
            );
        }
        AppError::WorkspaceNotFound { .. } => {
            return (
                Code::CliReportedError,
                message!("Look up the exact name with {workspaces}."),
            );
        }
        AppError::ThemeNotFound { .. } => {
            return (
                Code::CliReportedError,
                message!("Look up the exact name with {themes}."),
            );
        }
        AppError::NameContainsSlash => (
            Code::ValidationError,
            "Pass the folder and the name together as `path`.",
        ),
        AppError::Other { .. } => (
            Code::CliReportedError,
            "`stdout` contains the error message of Obsidian.",
        ),
    };
    (code, remedy.into())
}

/// Returns the hint for a file that does not exist.
fn missing_file(target: &str) -> Message {
    let name = target.rsplit('/').next().unwrap_or_default();
    if target.contains('*') {
        message!(
            "Patterns are not supported here. List files with {notes:list}, then pass each exact path."
        )
    } else if name.contains('.') {
        message!("Look up the exact path with {notes:search}.")
    } else {
        // As in a wikilink.
        message!(
            "A path needs its extension, such as `.md`. Look up the exact path with {notes:search}."
        )
    }
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
        assert!(
            failure.to_string().contains("`-disable-gpu`"),
            "{}",
            failure.to_string()
        );
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
            (
                "Error: \"Folder\" is a folder, not a file.",
                Code::ValidationError,
            ),
            ("Error: Folder \"archive\" not found.", Code::FolderNotFound),
            (
                "Error: \"x.md\" is a file, not a folder.",
                Code::ValidationError,
            ),
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
            (
                "Error: Base file not found: missing.base",
                Code::FileNotFound,
            ),
            ("Error: Template \"Nope\" not found.", Code::FileNotFound),
            (
                "Error: No template folder configured.",
                Code::FolderNotFound,
            ),
            (
                "Error: No active editor. Open a file first.",
                Code::RequiresApp,
            ),
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
        assert_eq!(
            of("Error: File \"a.md\" not found.").details["target"],
            "a.md"
        );
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
