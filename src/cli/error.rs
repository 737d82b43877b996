//! The errors of the interface for people. `install/` and `setup/` are about the files of clients and have their own.

use std::io::{Error as IoError, ErrorKind};
use std::path::PathBuf;

use frontend::escape;
use gateway::MAX_REQUEST_BYTES;
use protocol::{
    did_you_mean, errors,
    failure::{DENIED, NO_SUCH_AGENT},
    for_person, message,
};
use sandbox::Unsafe;
use store::journal::NoRunPrefix;

use super::editor::SET_EDITOR;

errors! {
    pub(crate) enum Error {
        // A command.
        NoCommand => UsageError
            "A command is missing."
            (for_person("`vault-gw --help` lists the commands."));
        TwoVaults => UsageError
            "The vault is given twice, as `--vault` and as `vault=`. Omit one of them.";
        TwoWords(first: String, second: String, line: String) => UsageError
            "`{first}` does not take `{second}`. Did you mean `vault-gw {line}`?";
        NoLinksInText => UsageError
            "`--links` does not work with text output."
            (for_person("To see links to notes, also pass `--json`, or `--output` with `table`, `csv`, `tsv` or `yaml`."));
        NoThread(error: IoError) => Busy
            (format!("Cannot start a thread: {}. Nothing was changed.", error.kind()))
            ("Try again.");
        AnswerLost => InternalError
            "The answer was lost because of a bug in vault-gw."
            "Check the note before you continue, and please report the bug.";

        // Its text.
        InputTwice => UsageError
            "Only one parameter can read its text from standard input.";
        Input(error: IoError) => IoError
            "Cannot read standard input: {error}.";
        InputTooLong => ArgumentTooLarge { limit: MAX_REQUEST_BYTES }
            "Standard input is too long for one note.";
        InputNotUtf8 => ValidationError
            "Standard input is not UTF-8.";
        FileOfAgent => UsageError
            "An agent cannot use `@` to read text from a file."
            "Pass the text itself. To pass a text that begins with `@`, write `@@`.";
        File(file: String, parameter: String, why: String) => UsageError { parameter }
            (format!("The file `{}` for the parameter `{parameter}` {why}. To pass a text that begins with `@`, write `@@`.", escape::line(&file)));
        FileTooLarge(file: String) => ArgumentTooLarge { limit: MAX_REQUEST_BYTES }
            (format!("The file `{}` is too large to pass in one call.", escape::line(&file)));
        FileNotUtf8(file: String) => UsageError
            (format!("The file `{}` is not UTF-8 text.", escape::line(&file)));

        // The editor.
        EditorInvalid(editor: String, error: String) => IoError { reason: "editor" }
            "The editor command `{editor}` is not valid: {error}."
            "{SET_EDITOR}";
        NoEditor => IoError { reason: "editor" }
            "`VISUAL` or `EDITOR` is set, but contains no program."
            "{SET_EDITOR}";
        EditorNotStarted(editor: String, why: String) => IoError { reason: "editor" }
            "The editor `{editor}` cannot be started: {why}."
            "{SET_EDITOR}";
        EditorFailed(editor: String, status: std::process::ExitStatus) => IoError { reason: "editor" }
            "The editor `{editor}` failed ({status}). Nothing was changed.";

        // Review.
        NotConfirmed(accept: bool) => ApprovalRequired { reason: DENIED }
            (if accept {
                "You did not accept the changes. Nothing was changed."
            } else {
                "You did not reject the changes. Nothing was changed."
            });
        NothingWaits(typed: String) => TargetNotFound { reason: "unknown" }
            (format!("No draft and no waiting call has an id that begins with `{}`.", escape::line(&typed)))
            ("`vault-gw review` lists the drafts and the waiting calls. Type at least the first 4 digits of a draft's id.");
        NotApproved => ApprovalRequired { reason: "declined" }
            "You did not approve the call. Nothing was done.";
        SeveralCalls(pending: Vec<String>) => UsageError { pending }
            (format!("{} waiting calls have an id that begins with these characters. Type more of the id.", pending.len()));
        DeniedInstead(what: String) => ApprovalRequired { reason: "declined" }
            "{what}";
        AgentApproves => ApprovalRequired { reason: "agent" }
            "An agent cannot approve calls."
            (for_person("If you are a person, omit `--agent`."));
        Unclear(id: String) => ApprovalRequired { reason: "unclear" }
            "You did not approve the call, so it still waits. To deny the call, run `vault-gw review reject {id}`.";
        NoTerminal => ApprovalRequired { reason: "no-terminal" }
            "Only a person can give an approval. Run this command at a terminal.";
        NoTerminalOrYes => ApprovalRequired { reason: "no-terminal" }
            "Only a person can give an approval. Run this command at a terminal, or add `--yes` if you have seen the changes.";
        AlreadyDenied => ApprovalRequired { reason: DENIED }
            "This call was already denied. The call can be sent again ten minutes after the denial.";
        Expired => ApprovalRequired { reason: "expired" }
            "The request for this approval is more than ten minutes old, so it has expired. Ask the agent to send the call again.";
        OnlyForDrafts(option: &'static str) => UsageError { option }
            "`{option}` works only for drafts, but this id belongs to a call that waits for an approval."
            "Omit the option.";
        TerminalUnusable(error: IoError) => IoError
            "The terminal cannot be used: {error}."
            "`vault-gw review --list` works without a terminal.";

        // Runs.
        RunId(text: String, error: NoRunPrefix) => UsageError
            (format!("`{}` is not valid: {error}.", escape::line(&text)));
        NoRun(text: String, runs: Vec<String>, next: String) => UsageError { runs }
            (format!("No run matches `{}`.", escape::line(&text)))
            (next);

        // The audit log.
        Record(number: u64, error: serde_json::Error) => IoError
            "Record {number} of the audit log is not JSON: {error}.";
        Since(text: String) => UsageError { option: "--since" }
            (format!("`{}` is not a time or a duration.", escape::line(&text)))
            ("Write a time such as `2026-03-14` or `2026-03-14T09:00`, or a duration such as `30m`, `2h` or `7d`.");
        OnlyForList(option: &'static str) => UsageError
            "`vault-gw audit verify` always checks all records, so it does not take `{option}`."
            "Omit this option.";
        NoSignals(error: IoError) => Busy
            (format!("vault-gw cannot listen for signals such as Ctrl-C: {}. Nothing was changed.", error.kind()))
            ("Try again.");

        // Settings, agents and rules.
        RemovalOfAgent(agent: String) => UsageError { agent }
            "Nothing was changed. `setup --remove` does not take `--agent`, because it removes the entries of all agents."
            (for_person(format!("To stop the calls of one agent, run `vault-gw settings set agents.{agent}.enabled false`. To remove only the entries of one client, pass `--client CLIENT`.")));
        NotAFolder(key: String, named: String, what: &'static str, takes: String) => UsageError { key }
            "`{named}` {what}."
            "`{key}` takes {takes}.";
        EditAtTerminal => UsageError
            "`settings edit` needs a terminal."
            (for_person(message!("{$ set KEY VALUE} changes one key.")));
        SettingsNotEdited(error: IoError) => IoError
            "The settings cannot be edited: {error}.";
        EditorRemovedFile(path: String) => IoError
            "The editor deleted the temporary file with your text. {path} was not changed.";
        SettingsNotShown(error: String) => InternalError
            "The settings cannot be shown: {error}.";
        FormerName(agent: String) => UsageError { agent }
            "An earlier agent was named `{agent}`. A new agent with this name would get the approvals of the earlier agent and could undo its changes. Use another name. If both are the same agent, run `vault-gw agents add {agent} --again`.";
        AgentOfClient(agent: String, client: &'static str, word: String) => UsageError
            { reason: NO_SUCH_AGENT, agent }
            "{client} has an entry for the agent `{agent}`, but the settings do not define this agent."
            (for_person(format!("To remove this entry, so that the agent can no longer make calls, run `vault-gw setup --remove --client {word}`.")));
        NotACommand(pattern: String, why: String) => UsageError
            (format!("`{}` is not the name of a command: {why}", vault_engine::shown::row(&pattern)));
        OwnList(file: PathBuf, reason: Unsafe) => IoError
            (format!("The file `{}` {reason}.", file.display()));
        NoTestFile(file: String) => UsageError
            "The test file {file} does not exist.";
        TestFileNotText(file: String) => UsageError
            "The test file {file} is not UTF-8.";
        TestFile(file: String, kind: ErrorKind) => IoError
            "The test file {file} cannot be read: {kind}.";
        NoTests(file: String) => UsageError
            "The test file {file} has no tests."
            (for_person("Add a table for each request: `[[test]]`, `request = \"read path=Home.md\"`, `expect = \"allowed\"`."));
        TestLine(line: usize, what: String) => UsageError { line }
            "Line {line} of the test file is invalid: {what}.";
        TestsFailed(failed: usize, all: usize) => ValidationError
            "{failed} of {all} tests failed: the decision about the request differs from `expect`.";
        NotWords(error: shell_words::ParseError) => UsageError
            "The request line is not valid: {error}.";
        EmptyRequest => UsageError
            "The request is empty.";

        // Questions about this program.
        UnknownWord(nearest: Vec<String>) => UsageError { nearest }
            "This word is not a code, a command or a verb. `vault-gw explain` lists all codes."
            (did_you_mean(nearest.get(..1).unwrap_or_default()));
        OnlyForTools => UsageError
            "`--shape` and `--generic` work only with `schema tools`."
            "Omit these options.";
        NoSchema(nearest: Vec<String>) => UsageError { nearest }
            "This schema does not exist. `vault-gw schema` lists all schemas.";
        DemoVault(error: IoError) => IoError
            "Cannot create the demo vault: {error}.";
        DemoDraft(what: &'static str) => InternalError
            "The draft of the demo {what}.";

        // Programs in the fence.
        #[cfg(target_os = "linux")]
        ProgramBehind(line: String) => UsageError
            "Write the program after `--`."
            (did_you_mean(&[line]));
        #[cfg(target_os = "linux")]
        OwnPath => InternalError
            "vault-gw cannot find its own path.";
        #[cfg(target_os = "linux")]
        AgentsOff => BridgeDisabled
            "Calls by this agent are turned off, so no program can be started for it."
            (for_person("`vault-gw setup` turns on calls by agents."));
        #[cfg(target_os = "linux")]
        PortWithoutNetwork => UsageError
            "Nothing was run. `--port` does not work with `--network off`. Omit one of these options.";
        #[cfg(target_os = "linux")]
        NotCopied(name: String, error: IoError) => IoError { started: false }
            (format!("`{name}` could not be copied into the working copy ({}).", error.kind()));
        #[cfg(target_os = "linux")]
        LoginsNotSaved(error: IoError) => IoError
            (format!("Your answer about the login of the program could not be saved ({}).", error.kind()));
        #[cfg(target_os = "linux")]
        HomeFolder(error: IoError, again: String) => IoError { started: false }
            (format!("The home folder of the program could not be created ({}). To delete the old home folder and the working copy, use `{again} --discard`.", error.kind()));
    }
}
