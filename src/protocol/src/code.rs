//! The stable error codes, each with its exit status and explanation (`design/envelope.md`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message::{self, Message};

/// Declares [`Code`] from one row for each code: its variant, name and exit status, `retryable` if the same request may
/// succeed later without a change, what happened, what to do, and a hint for people, which agents never see
/// (`threats.toml` I16).
macro_rules! codes {
    ($($code:ident $name:literal $exit:literal $($retryable:ident)?
        $cause:literal $remedy:literal $(at_terminal $at_terminal:literal)?;)+) => {
        /// A stable error code that programs may rely on.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
        #[expect(missing_docs, reason = "`Code::explanation` says what each one means")]
        pub enum Code {
            $($code,)+
        }

        impl Code {
            /// Every code, ordered by exit status.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$code),+];

            /// Returns the name in envelopes, such as `FILE_NOT_FOUND`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)+
                }
            }

            /// Returns the explanation of this code: cause, remedy and whether a retry may help.
            pub const fn explanation(self) -> Explanation {
                match self {
                    $(Self::$code => Explanation {
                        code: self,
                        exit: $exit,
                        category: category($exit),
                        cause: $cause,
                        remedy: $remedy,
                        at_terminal: concat!($($at_terminal)?),
                        retryable: !matches!(stringify!($($retryable)?).as_bytes(), b""),
                    },)+
                }
            }
        }
    };
}

codes! {
    UsageError "USAGE_ERROR" 64
        "The request has an unknown parameter, lacks a required parameter, or has a value of the wrong type."
        "Correct the request. {capabilities} with the parameter `command` explains the parameters of a command.";
    UnknownCommand "UNKNOWN_COMMAND" 64
        "No command has this name."
        "Check the spelling. {capabilities} lists all commands."
        at_terminal "`vault-gw --help` shows the commands and options.";
    ValidationError "VALIDATION_ERROR" 65
        "A value has the right type but is invalid, such as a date that does not exist or a name with a slash."
        "Correct the value, then repeat the call.";
    InvalidFrontmatter "INVALID_FRONTMATTER" 65
        "The properties of the note are not valid YAML, so the command cannot change them."
        "Open the note and correct its properties, between the two `---` lines at the top.";
    AmbiguousTarget "AMBIGUOUS_TARGET" 65
        "The call matches several notes, several places in a note, several runs or several vaults. Nothing was changed."
        "Pass a more exact value, such as the path of the note or more digits of the id. `error.details.candidates` lists what matches.";
    TargetNotFound "TARGET_NOT_FOUND" 65
        "The note does not contain the text, heading, block or line to edit. Or no approval or draft has this id. Nothing was changed."
        "To edit a note, pass text that the note contains. `error.details.candidates` lists the most similar places.";
    UnrepresentableContent "UNREPRESENTABLE_CONTENT" 65
        "Obsidian's command line would damage this text, for example by turning `\\n` into a line break. Or the note is not UTF-8 text."
        "Write the text with {create}, {append} or {prepend}, or use the embedded backend. If the note is not UTF-8 text, convert it to UTF-8 first.";
    ArgumentTooLarge "ARGUMENT_TOO_LARGE" 65
        "The arguments are too long for Obsidian's command line on this system."
        "Split the text: create the note, then append the rest. `error.details` contains the size and the limit in bytes.";
    TooLargeToUndo "TOO_LARGE_TO_UNDO" 65
        "The command would overwrite or permanently delete a file. The file is too large to be kept for undo."
        "To delete the file, move it to the trash instead. The owner of the vault can raise `journal.max_file_bytes` and `journal.max_bytes` in the settings.";
    CliReportedError "CLI_REPORTED_ERROR" 65
        "The app or the embedded engine reported an error, or the app did not confirm the change."
        "Read `stdout` of the envelope. It contains the message of the app."
        at_terminal "`-o json` shows what the app printed. `vault-gw doctor` looks for problems on this machine.";
    FileNotFound "FILE_NOT_FOUND" 66
        "The file does not exist in the vault."
        "Find the note with {notes:search}, then pass its exact path with its extension.";
    FolderNotFound "FOLDER_NOT_FOUND" 66
        "The folder does not exist in the vault."
        "List the folders with {folders}.";
    VaultNotFound "VAULT_NOT_FOUND" 66
        "The vault was not found. Its folder may be missing, Obsidian may have no vault of this name, or the gateway may serve another vault."
        "Ask the owner of the vault to set `vault` in the settings, or to open the vault once in Obsidian."
        at_terminal "Name the vault with `--vault NAME|PATH`, or set it with {$ set vault PATH}.";
    VaultNotSet "VAULT_NOT_SET" 66
        "No vault is set. The settings and the request contain none, and Obsidian has not opened one on this machine."
        "Ask the owner of the vault to set `vault` in the settings."
        at_terminal "`vault-gw setup` finds your vaults. `--vault FOLDER` sets the vault for one command.";
    ConfigMissing "CONFIG_MISSING" 66
        "The given settings file does not exist."
        "Ask the owner of the vault to check the path or to create the file."
        at_terminal "{$ set KEY VALUE} creates the file.";
    CliUnavailable "CLI_UNAVAILABLE" 69
        "Obsidian's command line was not found, or it cannot be run."
        "Ask the owner of the vault to turn on the command line in Obsidian under Settings > General > Advanced. They can also set `obsidian_path` in the settings."
        at_terminal "`vault-gw doctor` shows where vault-gw looked for it.";
    CliUntrusted "CLI_UNTRUSTED" 69
        "Obsidian's command line is not safe to use. Another user can replace its program or its socket, or the program was replaced after the gateway started."
        "Ask the owner of the machine to check the permissions of the program and the socket, and to restart the gateway."
        at_terminal "`chmod go-w` removes write permission for other users.";
    AppNotRunning "APP_NOT_RUNNING" 69 retryable
        "Obsidian is not running, and the gateway never starts it."
        "Start Obsidian, or use the embedded backend.";
    AppUnreachable "APP_UNREACHABLE" 69 retryable
        "Obsidian may be running, but a sandbox or permissions prevent this process from connecting to it."
        "Allow Unix sockets in the sandbox, or run the gateway outside the sandbox. On Windows, run Obsidian and the gateway without administrator rights.";
    AppNotReady "APP_NOT_READY" 69 retryable
        "Obsidian is running, but the vault is still loading or the vault's window is closed."
        "Open the vault in Obsidian and try again, or set `open_vault = true` to let the gateway open it.";
    CliDisabled "CLI_DISABLED" 69
        "The command line is turned off in Obsidian."
        "Turn on the command line in Obsidian under Settings > General > Advanced.";
    RequiresApp "REQUIRES_APP" 69
        "Only the running app can answer this command."
        "Start Obsidian and try again with the backend `auto` or `obsidian`.";
    UnsupportedPlatform "UNSUPPORTED_PLATFORM" 69
        "This system cannot run Obsidian's command line."
        "Use a desktop system, or the embedded backend.";
    CliVersionUnsupported "CLI_VERSION_UNSUPPORTED" 69
        "Obsidian is older than 1.12.7 or older than `min_version` in the settings. Or it did not report its version."
        "Download the current installer of Obsidian and run it. An update from inside the app is not enough.";
    SandboxUnavailable "SANDBOX_UNAVAILABLE" 69
        "The settings require the sandbox, but this system does not fully support it. Nothing was run."
        "Ask the owner of the machine to use a newer kernel with Landlock, or to set `sandbox` to `best-effort` in the settings.";
    InternalError "INTERNAL_ERROR" 70
        "The call failed because of a bug in the gateway. Nothing more was run."
        "Please report the bug, and include the `runId`.";
    CliExitNonzero "CLI_EXIT_NONZERO" 70
        "Obsidian's command line ended with an unknown error status."
        "Read `stderr` of the envelope. It may contain the reason."
        at_terminal "`-o json` shows what the app printed. `vault-gw doctor` looks for problems on this machine.";
    FileExists "FILE_EXISTS" 73
        "A file with this name already exists."
        "Choose another name, or change the existing file.";
    IoError "IO_ERROR" 74
        "A file could not be read or written."
        "Check the free space on the disk and the permissions of the file.";
    DraftDamaged "DRAFT_DAMAGED" 74
        "A stored draft is damaged, or another version of the gateway wrote it. The draft was left unchanged."
        "Ask the owner of the vault to use the version of the gateway that wrote the draft. They can also restore the folder `drafts` of the journal from a backup.";
    Timeout "TIMEOUT" 75 retryable
        "The command did not finish in time. If `status` is `unknown`, a write may have happened."
        "Before you repeat a write, read the note. You can repeat a read at once: it continues where it stopped. If that does not help, raise `timeout_ms`.";
    Busy "BUSY" 75 retryable
        "Too many requests were in progress, or another program kept writing the note."
        "Try again in a moment.";
    LockTimeout "LOCK_TIMEOUT" 75 retryable
        "Another process kept the vault locked for writing."
        "Try again in a moment.";
    PreconditionFailed "PRECONDITION_FAILED" 75
        "The note has changed since the caller read it (`ifHash`). Nothing was changed."
        "Read the note again, then decide whether the change still applies.";
    DraftConflict "DRAFT_CONFLICT" 75
        "A person and the draft changed the same part of the note. Nothing was changed; the draft keeps both versions."
        "Withdraw the draft of this note with {draft:withdraw}, read the note again and repeat the change. Or ask a person to review the draft."
        at_terminal "`vault-gw review` shows both versions.";
    Cancelled "CANCELLED" 75 retryable
        "The caller cancelled the request, or the gateway shut down."
        "If `status` is `unknown`, a write may have happened. Read the note before you repeat the request.";
    CommandRefused "COMMAND_REFUSED" 77
        "This command is never allowed. No setting can change this."
        "Ask a person to run the command in Obsidian.";
    CommandDenied "COMMAND_DENIED" 77
        "A rule for commands in the settings does not allow this command."
        "{capabilities} lists the allowed commands. The owner of the vault can change the rule in `details.rule`.";
    TierClosed "TIER_CLOSED" 77
        "The settings do not allow the tier of this command, or a setting that this command needs is off."
        "Ask the owner of the vault to change `tier` or the settings in `details.needs`.";
    MutationDisabled "MUTATION_DISABLED" 77
        "The settings do not allow what the command does: change the vault, change what the app shows, or send notes off this machine."
        "Ask the owner of the vault to change `allow_mutations` or the settings in `details.needs`.";
    ActiveContent "ACTIVE_CONTENT" 77
        "The change would add active content: something that runs or loads when the file is opened, published or read by an agent. Examples are an image from the web, code for a plugin, or a file that agents read as instructions. Or the app would show a file that has active content. Nothing was changed or shown."
        "Use the alternative in `error.details.findings`, or read the file instead of showing it. The owner of the vault can change `allow_active` and `drafts` in the settings.";
    Tainted "TAINTED" 77
        "The agent has read outside text, such as a clipping, which may contain instructions. The agent may not send anything off this machine or change anything outside its draft. Nothing was done."
        "Ask a person to make this call, or to end the restriction. Neither the agent nor a new session can end it."
        at_terminal "`vault-gw outside` shows which agents are restricted and why. `vault-gw outside clear --agents` ends the restriction.";
    ApprovalRequired "APPROVAL_REQUIRED" 77
        "A person must approve this call, and nobody has approved it yet. Examples are calls that remove content or send it off this machine."
        "Ask a person to approve the call. An agent cannot approve it."
        at_terminal "`--dry-run` shows what the call would do. `--yes` approves the call if the setting `approve_by` lists `--yes`.";
    JournalFull "JOURNAL_FULL" 77
        "The part of the journal for agents is full. The change would remove text and could not be undone later. Nothing was changed."
        "Make a change that only adds text. The owner of the vault can raise `journal.max_bytes` or lower `journal.max_age_days`."
        at_terminal "`vault-gw doctor` shows how much of the journal is used.";
    DraftFull "DRAFT_FULL" 77
        "The draft has reached a limit, or its last change is too old. Nothing was changed."
        "Ask a person to review the draft, or withdraw changes with {draft:withdraw}. `details.reason` and `details.limit` show the limit."
        at_terminal "`vault-gw review` lists the changes.";
    PathDenied "PATH_DENIED" 77
        "The path rules do not allow this path. This error does not say whether the path exists."
        "Use a path that is allowed. The owner of the vault sets the path rules under `[paths]` in the settings."
        at_terminal "{$ show} shows which paths are allowed.";
    PathEscape "PATH_ESCAPE" 77
        "The path points outside the vault."
        "Pass a path relative to the vault's root, with `/` as separator and without `..`.";
    BridgeDisabled "BRIDGE_DISABLED" 77
        "Calls by agents are turned off."
        "Ask the owner of the vault to set `enabled = true` in the settings."
        at_terminal "{$ set enabled true} turns on calls by agents.";
    ConfigInvalid "CONFIG_INVALID" 78
        "A settings file of the gateway or of Obsidian cannot be used. Its permissions are unsafe, or it has an unknown key or an invalid value."
        "Ask the owner of the vault to correct this file or its permissions."
        at_terminal "{$ path} shows which settings file is used.";
}

/// The explanation of a code, for people and agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The code.
    pub code: Code,
    /// The exit status of `vault-gw`, as in `sysexits.h`.
    pub exit: u8,
    /// The kind of failure, by the exit status: `usage`, `data`, `not_found`, `unavailable`, `internal`, `exists`,
    /// `io`, `temporary`, `policy` or `configuration`.
    pub category: &'static str,
    /// The cause.
    pub cause: &'static str,
    /// The template of the next step.
    #[serde(serialize_with = "message::template_as_text")]
    remedy: &'static str,
    /// The template of a hint for people; empty if there is none.
    #[serde(skip)]
    at_terminal: &'static str,
    /// Whether the same request may succeed later without a change.
    pub retryable: bool,
}

/// Returns the meaning of an exit status that belongs to no code.
pub const fn meaning_of_exit(status: u8) -> Option<&'static str> {
    match status {
        0 => Some("the call succeeded, with or without results"),
        1 => Some("an audit, or `doctor --strict`, found something"),
        130 | 143 => Some("a signal ended the program: Ctrl-C (130) or TERM (143)"),
        _ => None,
    }
}

impl Code {
    /// Looks up a code by name, such as `FILE_NOT_FOUND`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.name() == name)
    }

    /// Returns the exit status of `vault-gw`, as in `sysexits.h`.
    pub const fn exit(self) -> u8 {
        self.explanation().exit
    }

    /// Whether the gateway's policy refused the call.
    pub const fn is_refusal(self) -> bool {
        self.exit() == 77
    }

    /// Returns an additional hint for people at a terminal. Only the command line shows it; agents never see it
    /// (`threats.toml` I16).
    pub fn at_terminal(self) -> Option<Message> {
        let hint = Message::new(self.explanation().at_terminal, []);
        (!hint.is_empty()).then_some(hint)
    }

    /// Whether the same request may succeed later without a change.
    pub const fn is_retryable(self) -> bool {
        self.explanation().retryable
    }
}

/// Returns the kind of the failures with this exit status.
const fn category(exit: u8) -> &'static str {
    match exit {
        64 => "usage",
        65 => "data",
        66 => "not_found",
        69 => "unavailable",
        73 => "exists",
        74 => "io",
        75 => "temporary",
        77 => "policy",
        78 => "configuration",
        _ => "internal",
    }
}

impl Explanation {
    /// Returns the next step, and who can take it.
    pub fn remedy(&self) -> Message {
        Message::new(self.remedy, [])
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_the_serialised_ones_and_complete() {
        let names: BTreeSet<_> = Code::ALL.iter().map(|code| code.name()).collect();
        assert_eq!(names.len(), Code::ALL.len());
        for code in Code::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.name());
            assert_eq!(Code::named(code.name()), Some(code));
        }
        let schema = schemars::schema_for!(Code);
        assert_eq!(
            schema
                .get("enum")
                .and_then(|list| list.as_array())
                .map(Vec::len),
            Some(names.len())
        );
    }

    #[test]
    fn exit_statuses_follow_the_table_of_the_design() {
        let exits: BTreeSet<u8> = Code::ALL.iter().map(|code| code.exit()).collect();
        assert_eq!(exits, [64, 65, 66, 69, 70, 73, 74, 75, 77, 78].into());
        assert!(Code::ALL.is_sorted_by_key(|code| code.exit()));
    }

    #[test]
    fn every_code_says_what_happened_and_what_to_do() {
        for code in Code::ALL {
            let explanation = code.explanation();
            assert!(explanation.cause.ends_with('.'), "{code}");
            assert!(explanation.remedy.ends_with('.'), "{code}");
        }
    }
}
