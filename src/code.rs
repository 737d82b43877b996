//! The stable error codes, each with its exit status and explanation (`design.md` §4).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A stable error code that programs may rely on.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(missing_docs, reason = "`Code::explanation` says what each one means")]
pub enum Code {
    UsageError,
    UnknownCommand,
    ValidationError,
    InvalidFrontmatter,
    AmbiguousTarget,
    TargetNotFound,
    UnrepresentableContent,
    ArgumentTooLarge,
    TooLargeToUndo,
    CliReportedError,
    FileNotFound,
    FolderNotFound,
    VaultNotFound,
    VaultNotSet,
    ConfigMissing,
    CliUnavailable,
    CliUntrusted,
    AppNotRunning,
    AppUnreachable,
    AppNotReady,
    CliDisabled,
    RequiresApp,
    UnsupportedPlatform,
    CliVersionUnsupported,
    SandboxUnavailable,
    InternalError,
    CliExitNonzero,
    FileExists,
    IoError,
    Timeout,
    Busy,
    LockTimeout,
    PreconditionFailed,
    Cancelled,
    CommandRefused,
    CommandDenied,
    TierClosed,
    MutationDisabled,
    ApprovalRequired,
    JournalFull,
    PathDenied,
    PathEscape,
    BridgeDisabled,
    ConfigInvalid,
}

/// The explanation of a code, for people and agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The code.
    pub code: Code,
    /// The exit status of `vault-gw`, as in `sysexits.h`.
    pub exit: u8,
    /// What kind of failure it is, by the exit status: `usage`, `data`, `not_found`, `unavailable`,
    /// `internal`, `exists`, `io`, `temporary`, `policy` or `configuration`.
    pub category: &'static str,
    /// What happened.
    pub cause: &'static str,
    /// What to do next, and who can do it.
    pub remedy: &'static str,
    /// Whether the same request may succeed later without a change.
    pub retryable: bool,
}

/// The meaning of an exit status that belongs to no code.
pub const fn meaning_of_exit(status: u8) -> Option<&'static str> {
    match status {
        0 => Some("the call succeeded, with or without results"),
        1 => Some("an audit, or `doctor --strict`, found something"),
        130 | 143 => Some("a signal ended the program: Ctrl-C (130) or TERM (143)"),
        _ => None,
    }
}

impl Code {
    /// Every code, ordered by exit status.
    pub const ALL: [Self; 44] = [
        Self::UsageError,
        Self::UnknownCommand,
        Self::ValidationError,
        Self::InvalidFrontmatter,
        Self::AmbiguousTarget,
        Self::TargetNotFound,
        Self::UnrepresentableContent,
        Self::ArgumentTooLarge,
        Self::TooLargeToUndo,
        Self::CliReportedError,
        Self::FileNotFound,
        Self::FolderNotFound,
        Self::VaultNotFound,
        Self::VaultNotSet,
        Self::ConfigMissing,
        Self::CliUnavailable,
        Self::CliUntrusted,
        Self::AppNotRunning,
        Self::AppUnreachable,
        Self::AppNotReady,
        Self::CliDisabled,
        Self::RequiresApp,
        Self::UnsupportedPlatform,
        Self::CliVersionUnsupported,
        Self::SandboxUnavailable,
        Self::InternalError,
        Self::CliExitNonzero,
        Self::FileExists,
        Self::IoError,
        Self::Timeout,
        Self::Busy,
        Self::LockTimeout,
        Self::PreconditionFailed,
        Self::Cancelled,
        Self::CommandRefused,
        Self::CommandDenied,
        Self::TierClosed,
        Self::MutationDisabled,
        Self::ApprovalRequired,
        Self::JournalFull,
        Self::PathDenied,
        Self::PathEscape,
        Self::BridgeDisabled,
        Self::ConfigInvalid,
    ];

    /// The name in envelopes, such as `FILE_NOT_FOUND`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UsageError => "USAGE_ERROR",
            Self::UnknownCommand => "UNKNOWN_COMMAND",
            Self::ValidationError => "VALIDATION_ERROR",
            Self::InvalidFrontmatter => "INVALID_FRONTMATTER",
            Self::AmbiguousTarget => "AMBIGUOUS_TARGET",
            Self::TargetNotFound => "TARGET_NOT_FOUND",
            Self::UnrepresentableContent => "UNREPRESENTABLE_CONTENT",
            Self::ArgumentTooLarge => "ARGUMENT_TOO_LARGE",
            Self::TooLargeToUndo => "TOO_LARGE_TO_UNDO",
            Self::CliReportedError => "CLI_REPORTED_ERROR",
            Self::FileNotFound => "FILE_NOT_FOUND",
            Self::FolderNotFound => "FOLDER_NOT_FOUND",
            Self::VaultNotFound => "VAULT_NOT_FOUND",
            Self::VaultNotSet => "VAULT_NOT_SET",
            Self::ConfigMissing => "CONFIG_MISSING",
            Self::CliUnavailable => "CLI_UNAVAILABLE",
            Self::CliUntrusted => "CLI_UNTRUSTED",
            Self::AppNotRunning => "APP_NOT_RUNNING",
            Self::AppUnreachable => "APP_UNREACHABLE",
            Self::AppNotReady => "APP_NOT_READY",
            Self::CliDisabled => "CLI_DISABLED",
            Self::RequiresApp => "REQUIRES_APP",
            Self::UnsupportedPlatform => "UNSUPPORTED_PLATFORM",
            Self::CliVersionUnsupported => "CLI_VERSION_UNSUPPORTED",
            Self::SandboxUnavailable => "SANDBOX_UNAVAILABLE",
            Self::InternalError => "INTERNAL_ERROR",
            Self::CliExitNonzero => "CLI_EXIT_NONZERO",
            Self::FileExists => "FILE_EXISTS",
            Self::IoError => "IO_ERROR",
            Self::Timeout => "TIMEOUT",
            Self::Busy => "BUSY",
            Self::LockTimeout => "LOCK_TIMEOUT",
            Self::PreconditionFailed => "PRECONDITION_FAILED",
            Self::Cancelled => "CANCELLED",
            Self::CommandRefused => "COMMAND_REFUSED",
            Self::CommandDenied => "COMMAND_DENIED",
            Self::TierClosed => "TIER_CLOSED",
            Self::MutationDisabled => "MUTATION_DISABLED",
            Self::ApprovalRequired => "APPROVAL_REQUIRED",
            Self::JournalFull => "JOURNAL_FULL",
            Self::PathDenied => "PATH_DENIED",
            Self::PathEscape => "PATH_ESCAPE",
            Self::BridgeDisabled => "BRIDGE_DISABLED",
            Self::ConfigInvalid => "CONFIG_INVALID",
        }
    }

    /// Looks up a code by name, such as `FILE_NOT_FOUND`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.name() == name)
    }

    /// The exit status of `vault-gw`, as in `sysexits.h`.
    pub const fn exit(self) -> u8 {
        match self {
            Self::UsageError | Self::UnknownCommand => 64,
            Self::ValidationError
            | Self::InvalidFrontmatter
            | Self::AmbiguousTarget
            | Self::TargetNotFound
            | Self::UnrepresentableContent
            | Self::ArgumentTooLarge
            | Self::TooLargeToUndo
            | Self::CliReportedError => 65,
            Self::FileNotFound
            | Self::FolderNotFound
            | Self::VaultNotFound
            | Self::VaultNotSet
            | Self::ConfigMissing => 66,
            Self::CliUnavailable
            | Self::CliUntrusted
            | Self::AppNotRunning
            | Self::AppUnreachable
            | Self::AppNotReady
            | Self::CliDisabled
            | Self::RequiresApp
            | Self::UnsupportedPlatform
            | Self::CliVersionUnsupported
            | Self::SandboxUnavailable => 69,
            Self::InternalError | Self::CliExitNonzero => 70,
            Self::FileExists => 73,
            Self::IoError => 74,
            Self::Timeout
            | Self::Busy
            | Self::LockTimeout
            | Self::PreconditionFailed
            | Self::Cancelled => 75,
            Self::CommandRefused
            | Self::CommandDenied
            | Self::TierClosed
            | Self::MutationDisabled
            | Self::ApprovalRequired
            | Self::JournalFull
            | Self::PathDenied
            | Self::PathEscape
            | Self::BridgeDisabled => 77,
            Self::ConfigInvalid => 78,
        }
    }

    /// Whether the gateway's policy refused the call.
    pub const fn is_refusal(self) -> bool {
        self.exit() == 77
    }

    /// An additional hint for people at a terminal. Only the command line shows it; agents never
    /// see it (`faults.md` I16).
    pub const fn at_terminal(self) -> Option<&'static str> {
        Some(match self {
            Self::ConfigMissing => "`vault-gw settings set KEY VALUE` creates the file.",
            Self::CliUnavailable => "`vault-gw doctor` shows where vault-gw looked for it.",
            Self::CliUntrusted => "`chmod go-w` removes write permission for other users.",
            Self::CliReportedError | Self::CliExitNonzero => {
                "`-o json` shows what the app printed; `vault-gw doctor` checks this machine."
            }
            Self::ApprovalRequired => {
                "`--dry-run` shows what it would do; `--yes` approves it with the call, if `approve_by` lists it."
            }
            Self::VaultNotFound => {
                "Use `--vault NAME|PATH`, or `vault-gw settings set vault PATH`."
            }
            Self::VaultNotSet => {
                "`vault-gw setup` looks for your vaults; `--vault FOLDER` names one for one command."
            }
            Self::BridgeDisabled => "`vault-gw settings set enabled true` turns it on.",
            Self::ConfigInvalid => "`vault-gw settings path` shows which file is used.",
            Self::UnknownCommand => "`vault-gw --help` shows commands, verbs and options.",
            Self::JournalFull => "`vault-gw doctor` shows how much of the journal is used.",
            Self::PathDenied => "`vault-gw settings show` shows which paths are allowed.",
            _ => return None,
        })
    }

    /// Whether the same request may succeed later without a change.
    pub const fn is_retryable(self) -> bool {
        matches!(
            self,
            Self::AppNotRunning
                | Self::AppUnreachable
                | Self::AppNotReady
                | Self::Timeout
                | Self::Busy
                | Self::LockTimeout
                | Self::Cancelled
        )
    }

    /// The explanation of this code: cause, remedy and whether a retry may help.
    pub const fn explanation(self) -> Explanation {
        let (cause, remedy) = self.cause_and_remedy();
        Explanation {
            code: self,
            exit: self.exit(),
            category: self.category(),
            cause,
            remedy,
            retryable: self.is_retryable(),
        }
    }

    /// What kind of failure it is.
    const fn category(self) -> &'static str {
        match self.exit() {
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

    #[expect(clippy::too_many_lines, reason = "a table")]
    const fn cause_and_remedy(self) -> (&'static str, &'static str) {
        match self {
            Self::UsageError => (
                "The request has an unknown parameter, lacks a required one, or has a value of the wrong type.",
                "Correct the request. `capabilities` with `command` explains what a command takes.",
            ),
            Self::UnknownCommand => (
                "No command has this name.",
                "Check the spelling. The message suggests similar names, and `capabilities` lists all commands.",
            ),
            Self::ValidationError => (
                "A value has the right type but is invalid, such as a date that does not exist or a name with a slash.",
                "Correct the value that the message names.",
            ),
            Self::InvalidFrontmatter => (
                "The properties of the note are not valid YAML, so the command cannot change them.",
                "Open the note and correct the block between the two `---` lines.",
            ),
            Self::AmbiguousTarget => (
                "Several notes match the name, several places of a note match an edit, several runs match the start of an id, or several vaults were found. The command does not guess.",
                "Send `path=` with one of `error.details.candidates`, name the place more exactly, give more characters of the run's id, or name the vault's folder.",
            ),
            Self::TargetNotFound => (
                "What the call names is not there: the text, heading, block or line of an edit, or an approval. Nothing was changed.",
                "For an edit, send what the note holds: `error.details.candidates` has the nearest places with their lines.",
            ),
            Self::UnrepresentableContent => (
                "The official CLI would damage this text, because it turns the two characters `\\n` and `\\t` into line breaks and tabs. This command cannot send the text in parts. Or the note to change is not UTF-8 text.",
                "Write the text with `create`, `append` or `prepend`, which can send it in parts, or use the embedded backend. Convert a note that is not UTF-8 text first.",
            ),
            Self::ArgumentTooLarge => (
                "The arguments are longer than the official CLI supports on this system.",
                "Send less at a time: create the note, then append the rest. `error.details` has the size and the limit in bytes.",
            ),
            Self::TooLargeToUndo => (
                "The command would overwrite or permanently delete a file that is too large to keep a copy for undo.",
                "Move the file to the trash instead, or ask the owner of the vault to raise `journal.max_file_bytes` in the settings, or `journal.max_bytes` where the message names it.",
            ),
            Self::CliReportedError => (
                "The app, or the engine in its place, reported an error, or the app did not confirm the change.",
                "Read `stdout` of the envelope, which has the app's own message.",
            ),
            Self::FileNotFound => (
                "The file does not exist in the vault.",
                "Find the note with `notes:search`, then send its exact path with extension as `path=`.",
            ),
            Self::FolderNotFound => (
                "The folder does not exist in the vault.",
                "List the folders with `folders`.",
            ),
            Self::VaultNotFound => (
                "The vault was not found: the folder does not exist, the app has no vault of that name, or the request is for another vault than the configured one.",
                "Ask the owner of the vault to set `vault` in the settings, or to open the vault once in Obsidian.",
            ),
            Self::VaultNotSet => (
                "No vault is named: not in the settings, not by the request, and Obsidian has opened none on this machine.",
                "Ask the owner of the vault to set `vault` in the settings.",
            ),
            Self::ConfigMissing => (
                "The given settings file does not exist.",
                "Ask the owner of the vault to check the path or to create the file.",
            ),
            Self::CliUnavailable => (
                "The official `obsidian` command was not found or cannot be executed.",
                "Ask the owner of the vault to enable it in Obsidian under Settings > General > Advanced, or to set `obsidian_path` in the settings.",
            ),
            Self::CliUntrusted => (
                "Another user could have replaced the official binary or the app's socket, or the binary changed since the gateway started.",
                "Ask the owner of the machine to check owner and permissions, and to restart the gateway.",
            ),
            Self::AppNotRunning => (
                "Obsidian is not running, and the gateway never starts it.",
                "Start Obsidian, or use the embedded backend.",
            ),
            Self::AppUnreachable => (
                "Obsidian may be running, but a sandbox or permissions prevent this process from connecting to it.",
                "Allow Unix sockets in the sandbox, or run the gateway outside it. On Windows, run both without administrator rights.",
            ),
            Self::AppNotReady => (
                "Obsidian is running, but the vault is still loading or its window is closed.",
                "Open the vault in Obsidian and try again, or set `open_vault = true` to let the gateway open it.",
            ),
            Self::CliDisabled => (
                "The command line interface is turned off in Obsidian.",
                "Turn it on in Obsidian under Settings > General > Advanced.",
            ),
            Self::RequiresApp => (
                "Only the running app can answer this command.",
                "Start Obsidian and try again with the backend `auto` or `obsidian`.",
            ),
            Self::UnsupportedPlatform => (
                "This system cannot run the official command line interface.",
                "Use a desktop system, or the embedded backend.",
            ),
            Self::CliVersionUnsupported => (
                "The installed Obsidian is older than 1.12.7, the first version with the native command line binary.",
                "Update Obsidian with its installer, not only from inside the app.",
            ),
            Self::SandboxUnavailable => (
                "The settings require the sandbox, and this system cannot provide all of it. Nothing was run.",
                "Ask the owner of the machine to use a newer kernel with Landlock, or to set `sandbox` to `best-effort` in the settings.",
            ),
            Self::InternalError => (
                "This is a bug in the gateway. Nothing more was run.",
                "Please report it with the `runId`.",
            ),
            Self::CliExitNonzero => (
                "The official CLI exited with an unknown error status.",
                "`stderr` of the envelope may say why.",
            ),
            Self::FileExists => (
                "A file with this name already exists.",
                "Choose another name, or change the file that is there.",
            ),
            Self::IoError => (
                "A file could not be read or written.",
                "Check the free space on the disk and the permissions of the file that the message names.",
            ),
            Self::Timeout => (
                "The command did not finish in time. If `status` is `unknown`, a write may have happened.",
                "After a write, read the note before you try again. For a large vault, raise `timeout_ms`.",
            ),
            Self::Busy => (
                "Too many requests were in progress, or another program kept writing the note.",
                "Try again in a moment.",
            ),
            Self::LockTimeout => (
                "Another process kept the vault locked for writing.",
                "Try again in a moment.",
            ),
            Self::PreconditionFailed => (
                "The note has changed since the caller read it (`ifHash`). Nothing was changed.",
                "Read the note again, then decide whether the change still applies.",
            ),
            Self::Cancelled => (
                "The caller cancelled the request, or the service shut down. If `status` is `unknown`, a write may have happened.",
                "Send the request again if you still need it. If `status` is `unknown`, read the note first.",
            ),
            Self::CommandRefused => (
                "The gateway never allows this command, under any setting.",
                "Do it by hand in Obsidian. The message gives the reason and, if there is one, an alternative.",
            ),
            Self::CommandDenied => (
                "A rule for commands in the settings closes this command.",
                "Use an open command, which `capabilities` lists, or ask the owner of the vault to change the list that `details.rule` names.",
            ),
            Self::TierClosed => (
                "The command belongs to a tier, or needs a switch, that the settings do not allow.",
                "Ask the owner of the vault to change `tier` in the settings, or the key in `details.needs`.",
            ),
            Self::MutationDisabled => (
                "The command would change the vault or what the app shows, or send notes out, and the settings do not allow that.",
                "Ask the owner of the vault to change `allow_mutations` in the settings, or the key in `details.needs`.",
            ),
            Self::ApprovalRequired => (
                "The command loses content or sends it off this machine, and no person has approved it.",
                "Ask a person to approve the call. An agent cannot approve it.",
            ),
            Self::JournalFull => (
                "What agents removed fills their part of the undo journal, and the owner must be able to get all of it back. Nothing was changed.",
                "Changes that only add text may still work. The owner of the vault can raise `journal.max_bytes`, or lower `journal.max_age_days` to have older changes deleted.",
            ),
            Self::PathDenied => (
                "The path rules do not allow this path. This does not tell whether it exists.",
                "Use a path that is allowed. The owner of the vault sets the path rules under `[paths]`.",
            ),
            Self::PathEscape => (
                "The path points outside the vault.",
                "Send a path relative to the vault's root, with `/` as separator and without `..`.",
            ),
            Self::BridgeDisabled => (
                "Calls by agents are turned off.",
                "Ask the owner of the vault to set `enabled` in the settings.",
            ),
            Self::ConfigInvalid => (
                "The settings file has unsafe permissions, or an unknown key or invalid value.",
                "Ask the owner of the vault to correct the line that the message names.",
            ),
        }
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
            let Explanation { cause, remedy, .. } = code.explanation();
            assert!(cause.ends_with('.') && remedy.ends_with('.'), "{code}");
        }
    }
}
