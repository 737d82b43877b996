//! Maps error messages of the app to failure codes. Both backends use it, so the same mistake gets
//! the same answer from either (promise 4 of `design/promises.md`).

use cli_output::{AppError, CommandHint};
use vault_engine::shown;

use super::engine_error::as_sentence;
use protocol::{Cause, Failure, Message, explain, message};

/// The hint if the app does not know a command.
const WAIT: &str = "Wait until the vault has loaded, then try again. If the call still fails, turn on the plugin that has this command.";

/// Returns the failure for an error message of the app: with the app's own words, if they contain only names of the
/// vault, and a hint unless these words say what to send.
///
/// The message never quotes text of unknown origin, which could contain a path outside the vault.
pub fn failure(error: &AppError) -> Failure {
    let text = sentence(error);
    let failure = explain! { match error {
        // A word with a single dash in `user-flags.conf` is not filtered out, unlike those with two
        // dashes, so the app mistakes it for the command (`official-cli.md` §2).
        AppError::CommandNotFound { command: flag, .. } if flag.starts_with('-') => CliUnavailable
            { reason: "launcher-flag", flag: flag.as_str() }
            "Obsidian's start script adds `{flag}` before every command, so no command can run."
            "Ask the owner of this machine to remove the flag from Obsidian's `user-flags.conf`. Until then, use the backend `embedded`.";
        AppError::CommandNotFound { command, hint: CommandHint::UnknownId } => ValidationError
            { command: command.as_str() } (text) (WAIT);
        // We only send commands of the app, so it knows this one but cannot serve it now.
        AppError::CommandNotFound { command, .. } => AppNotReady { command: command.as_str() } (text) (WAIT);
        AppError::AppNotRunning => AppNotRunning
            (text) ("Start Obsidian, or use the backend `embedded`.");
        AppError::CliNotEnabled => CliDisabled
            (text) ("Ask the owner of the vault to turn on the command line in Obsidian under Settings > General > Advanced.");
        AppError::VaultNotFound => VaultNotFound
            (text) ("Open the vault in Obsidian once, so that Obsidian lists it.");
        AppError::FileNotFound { target } => FileNotFound { target: target.as_str() }
            (text) (missing_file(target));
        AppError::BaseNotFound { path } => FileNotFound { target: path.as_str() }
            (text) (message!("Look up the exact path with {bases}."));
        AppError::FolderNotFound { target } => FolderNotFound { target: target.as_str() }
            (text) (message!("Look up the exact path with {folders}."));
        AppError::NoSuchFileOrDirectory { detail } => FolderNotFound
            (missing_folder(detail))
            ("Obsidian does not create folders when it moves a file. To let vault-gw create them, set `backend = \"auto\"` in the settings.");
        AppError::NotAFile { target } => ValidationError { target: target.as_str() }
            (text) ("Give the path of a file.");
        AppError::NotAFolder { target } => ValidationError { target: target.as_str() }
            (text) ("Give the path of a folder.");
        // The sentence names no active file, because the embedded engine may have answered and the app may not run.
        AppError::NoActiveFile => UsageError
            "The call does not say which file to use." "Pass the file as `file` or `path`.";
        AppError::MissingParameter { name, usage } => UsageError
            { parameter: name.as_str(), usage: usage.as_deref() }
            "The required parameter `{name}` is missing or empty."
            (match name.as_str() {
                "line=<n>" => message!("To list tasks with their lines, use {tasks} with `verbose`."),
                _ => "Give the parameter a value.".into(),
            });
        AppError::TagNotFound { tag } => CliReportedError { name: tag.as_str() }
            (text) (message!("Look up the exact tag with {tags}."));
        AppError::PropertyNotFound { name } => CliReportedError { name: name.as_str() }
            (text) (message!("Look up the exact name with {properties}."));
        AppError::DestinationExists => FileExists
            (text) ("Choose another name or folder for the file.");
        // The app's message quotes the value, which may be a sensitive property (`threats.toml` F12).
        AppError::InvalidNumber { .. } => ValidationError
            "The value is not a number." "Pass a number such as `5` or `2.5`.";
        AppError::InvalidDate | AppError::InvalidDateTime | AppError::InvalidSearchQuery => ValidationError
            (text);
        AppError::NotMarkdown | AppError::WordCountNotMarkdown => ValidationError
            (text) ("Give the path of a note.");
        AppError::NotABase { path } => CliReportedError { target: path.as_str() }
            "\"{path}\" is not a base." "Give the path of a base.";
        AppError::NoTemplateFolder => FolderNotFound
            (text) ("Set the template folder in Obsidian, under Settings > Templates.");
        AppError::TemplateFolderNotFound { folder } => FolderNotFound { target: folder.as_str() }
            (text) ("Set the template folder in Obsidian, under Settings > Templates.");
        AppError::TemplateNotFound { name } => FileNotFound { name: name.as_str() }
            (text) (message!("Look up the exact name with {templates}."));
        AppError::TemplatesDisabled => CliReportedError
            (text) ("Turn on the Templates plugin in the app's settings.");
        AppError::NoActiveEditor => RequiresApp
            (text) ("Open a file in the app, then try again.");
        AppError::PluginNotFound { id } => CliReportedError { name: id.as_str() }
            (text) (message!("Look up the exact id with {plugins}."));
        AppError::WorkspaceNotFound { name } => CliReportedError { name: name.as_str() }
            (text) (message!("Look up the exact name with {workspaces}."));
        AppError::ThemeNotFound { name } => CliReportedError { name: name.as_str() }
            (text) (message!("Look up the exact name with {themes}."));
        AppError::NameContainsSlash => ValidationError
            "`name` cannot contain `/`." "Pass the folder and the name together as `path`.";
        AppError::Other { .. } => CliReportedError
            "Obsidian reported an error." "Read `stdout`. It contains the message of Obsidian.";
    } };
    let cause = match error {
        AppError::InvalidSearchQuery => Cause::InvalidQuery,
        AppError::NotAFile { .. } => Cause::NotAFile,
        AppError::NotMarkdown | AppError::WordCountNotMarkdown => Cause::NotMarkdown,
        _ => return failure,
    };
    failure.caused_by(cause)
}

/// Returns the app's own words as a sentence.
fn sentence(error: &AppError) -> String {
    let words = error.to_string();
    as_sentence(words.strip_prefix("Error: ").unwrap_or(&words))
}

/// Says which folder of the destination of a move does not exist.
fn missing_folder(detail: &str) -> String {
    let to = detail
        .rsplit_once("-> '")
        .map(|(_, to)| to.trim_end_matches('\''));
    match to.and_then(|to| to.rsplit_once('/')) {
        Some((folder, _)) => format!("The folder `{}` does not exist.", shown::row(folder)),
        None => "A parent folder of the destination does not exist.".to_owned(),
    }
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
    use protocol::Code;

    const CASES: &str = include_str!("app_error_cases.txt");

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
        for row in tables::text(CASES, "f10 the recorded sentences").lines() {
            let (code, text) = row.split_once(": ").unwrap();
            let text = text.replace("\\n", "\n");
            assert_eq!(of(&text).code.name(), code, "{text}");
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
