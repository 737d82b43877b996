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
    UnrepresentableContent,
    ArgumentTooLarge,
    TooLargeToUndo,
    CliReportedError,
    FileNotFound,
    FolderNotFound,
    VaultNotFound,
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
    TierClosed,
    MutationDisabled,
    ApprovalRequired,
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
    /// What happened.
    pub cause: &'static str,
    /// What to do next, and who can do it.
    pub remedy: &'static str,
    /// Whether the same request may succeed later without a change.
    pub retryable: bool,
}

impl Code {
    /// Every code, ordered by exit status.
    pub const ALL: [Self; 39] = [
        Self::UsageError,
        Self::UnknownCommand,
        Self::ValidationError,
        Self::InvalidFrontmatter,
        Self::AmbiguousTarget,
        Self::UnrepresentableContent,
        Self::ArgumentTooLarge,
        Self::TooLargeToUndo,
        Self::CliReportedError,
        Self::FileNotFound,
        Self::FolderNotFound,
        Self::VaultNotFound,
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
        Self::TierClosed,
        Self::MutationDisabled,
        Self::ApprovalRequired,
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
            Self::UnrepresentableContent => "UNREPRESENTABLE_CONTENT",
            Self::ArgumentTooLarge => "ARGUMENT_TOO_LARGE",
            Self::TooLargeToUndo => "TOO_LARGE_TO_UNDO",
            Self::CliReportedError => "CLI_REPORTED_ERROR",
            Self::FileNotFound => "FILE_NOT_FOUND",
            Self::FolderNotFound => "FOLDER_NOT_FOUND",
            Self::VaultNotFound => "VAULT_NOT_FOUND",
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
            Self::TierClosed => "TIER_CLOSED",
            Self::MutationDisabled => "MUTATION_DISABLED",
            Self::ApprovalRequired => "APPROVAL_REQUIRED",
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
            | Self::UnrepresentableContent
            | Self::ArgumentTooLarge
            | Self::TooLargeToUndo
            | Self::CliReportedError => 65,
            Self::FileNotFound
            | Self::FolderNotFound
            | Self::VaultNotFound
            | Self::ConfigMissing => 66,
            Self::CliUnavailable
            | Self::CliUntrusted
            | Self::AppNotRunning
            | Self::AppUnreachable
            | Self::AppNotReady
            | Self::CliDisabled
            | Self::RequiresApp
            | Self::UnsupportedPlatform
            | Self::CliVersionUnsupported => 69,
            Self::InternalError | Self::CliExitNonzero => 70,
            Self::FileExists => 73,
            Self::IoError => 74,
            Self::Timeout
            | Self::Busy
            | Self::LockTimeout
            | Self::PreconditionFailed
            | Self::Cancelled => 75,
            Self::CommandRefused
            | Self::TierClosed
            | Self::MutationDisabled
            | Self::ApprovalRequired
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
            Self::ConfigMissing => "`vault-gw settings set KEY VALUE` makes the file.",
            Self::CliUnavailable => "`vault-gw doctor` shows where it was looked for.",
            Self::CliUntrusted => "`chmod go-w` takes the permission from others.",
            Self::CliReportedError | Self::CliExitNonzero => {
                "With `-o json` you see what the app printed; `vault-gw doctor` checks this machine."
            }
            Self::ApprovalRequired => {
                "`--dry-run` shows what it would do; `--yes` approves it with the call."
            }
            Self::VaultNotFound => {
                "Use `--vault NAME|PATH`, or `vault-gw settings set vault PATH`."
            }
            Self::BridgeDisabled => "`vault-gw settings set enabled true` turns it on.",
            Self::ConfigInvalid => "`vault-gw settings path` says which file is read.",
            Self::UnknownCommand => "`vault-gw --help` shows commands, verbs and options.",
            Self::PathDenied => "`vault-gw settings show` tells which paths are open.",
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

    /// Cause and remedy.
    pub const fn explanation(self) -> Explanation {
        let (cause, remedy) = self.cause_and_remedy();
        Explanation {
            code: self,
            exit: self.exit(),
            cause,
            remedy,
            retryable: self.is_retryable(),
        }
    }

    #[expect(clippy::too_many_lines, reason = "a table")]
    const fn cause_and_remedy(self) -> (&'static str, &'static str) {
        match self {
            Self::UsageError => (
                "The request names a parameter the command does not have, lacks one it needs, or gives a value of the wrong type.",
                "`capabilities` lists the parameters of each command; correct the request and send it again.",
            ),
            Self::UnknownCommand => (
                "No official command has this name.",
                "Check the spelling; the message lists the nearest names and `capabilities` all of them.",
            ),
            Self::ValidationError => (
                "A value has the right type but the command cannot use it: a date that is none, a name with a slash.",
                "Correct the value that the message names.",
            ),
            Self::InvalidFrontmatter => (
                "The properties block of the note is not valid YAML, so the command cannot work on it.",
                "Open the note and mend the block between the two `---` lines.",
            ),
            Self::AmbiguousTarget => (
                "The name fits several notes, or the beginning of a run's id several runs, and the command must not guess.",
                "Send `path=` with one of the candidates in `error.details.candidates`; name a run by more of its id.",
            ),
            Self::UnrepresentableContent => (
                "The official CLI would damage this text (it turns the two characters `\\n` and `\\t` into line breaks and tabs), and it cannot be sent in parts here.",
                "Write the text with `create`, `append` or `prepend`, which can be sent in parts, or use the embedded backend.",
            ),
            Self::ArgumentTooLarge => (
                "The arguments are longer than the official CLI can carry on this system.",
                "Send less at once: create the note first and append the rest. `error.details` has the size and the limit in bytes.",
            ),
            Self::TooLargeToUndo => (
                "A file would be overwritten or removed for good that is larger than what is kept for undoing.",
                "Remove it into the trash instead, or let the owner of the vault raise `journal.max_file_bytes` in the settings.",
            ),
            Self::CliReportedError => (
                "The official CLI said that it could not do this, or did not confirm that it did.",
                "Read `stdout` of the envelope; it is the app's own message.",
            ),
            Self::FileNotFound => (
                "There is no such note in the vault.",
                "List names with `files` or look the note up with `search`, then send `path=` exactly, with its extension.",
            ),
            Self::FolderNotFound => (
                "There is no such folder in the vault.",
                "List the folders with `folders`.",
            ),
            Self::VaultNotFound => (
                "The vault is not known: no such folder, no such name in the app's list, or a request for another vault than the pinned one.",
                "The owner of the vault can name it: `vault` in the settings, or by opening the vault once in Obsidian.",
            ),
            Self::ConfigMissing => (
                "A settings file that was named does not exist.",
                "The owner of the vault has to check the path or make the file.",
            ),
            Self::CliUnavailable => (
                "The official `obsidian` command was not found or cannot be run.",
                "The owner of the vault can turn it on in Obsidian under Settings > General > Advanced, or set `obsidian_path` in the settings.",
            ),
            Self::CliUntrusted => (
                "The official binary or the app's socket could have been replaced by somebody else, or changed since the gateway started.",
                "The owner of the machine has to check owner and permissions, and to start the gateway again.",
            ),
            Self::AppNotRunning => (
                "Obsidian is not running, and the gateway never starts it.",
                "Start Obsidian, or use the embedded backend.",
            ),
            Self::AppUnreachable => (
                "Obsidian may be running but a sandbox or permissions keep this process from its socket.",
                "Allow Unix sockets in the sandbox, or run the gateway outside it.",
            ),
            Self::AppNotReady => (
                "Obsidian is running but this vault is not ready: still loading, or its window is closed.",
                "Open the vault in Obsidian and try again, or let the gateway open windows with `open_vault = true`.",
            ),
            Self::CliDisabled => (
                "The command line interface is turned off in Obsidian.",
                "Turn it on in Obsidian under Settings > General > Advanced.",
            ),
            Self::RequiresApp => (
                "Only the running app can answer this command; the embedded engine does not.",
                "Start Obsidian and send the request again with the backend `auto` or `obsidian`.",
            ),
            Self::UnsupportedPlatform => (
                "This system cannot run the official command line interface.",
                "Use a desktop system, or the embedded backend.",
            ),
            Self::CliVersionUnsupported => (
                "The installed Obsidian is older than 1.12.7, the first version with the native command line binary.",
                "Update Obsidian with its installer, not only from inside the app.",
            ),
            Self::InternalError => (
                "A defect of the gateway. Nothing more was run.",
                "Please report it with the `runId`.",
            ),
            Self::CliExitNonzero => (
                "The official CLI ended with an error status that has no known meaning.",
                "`stderr` of the envelope may say why.",
            ),
            Self::FileExists => (
                "A file of that name is there already.",
                "Choose another name. With `create`, set `overwrite` to replace the note or `number` to create one under the next free name; to add to the note use `append`.",
            ),
            Self::IoError => (
                "A file could not be read or written.",
                "Check that the disk is not full and that permissions allow it; the message names the file.",
            ),
            Self::Timeout => (
                "The command did not end in time. A write may have happened: `status` is then `unknown`.",
                "After a write, read the note before you try again; raise `timeout_ms` if the vault is large.",
            ),
            Self::Busy => (
                "Too many requests were under way, or another program was writing the note the whole time.",
                "Try again in a moment.",
            ),
            Self::LockTimeout => (
                "Another process was writing to the vault the whole time.",
                "Try again in a moment.",
            ),
            Self::PreconditionFailed => (
                "The note is not what the caller last saw (`ifHash`). Nothing was changed.",
                "Read the note again and decide anew.",
            ),
            Self::Cancelled => (
                "The caller took the request back, or the service was shut down. A write that the app had been given may have happened: `status` is then `unknown`.",
                "Send it again if it is still wanted; after a write with `status` `unknown`, read the note first.",
            ),
            Self::CommandRefused => (
                "The command is never open through this gateway, under any setting.",
                "Do it in Obsidian by hand; the message gives the reason and, where there is one, another command.",
            ),
            Self::TierClosed => (
                "The command belongs to a tier, or needs a switch, that is not open.",
                "The owner of the vault can open it: `tier` in the settings, or the key in `details.needs`.",
            ),
            Self::MutationDisabled => (
                "The command would change the vault, what the app shows, or what leaves it, and that is switched off.",
                "The owner of the vault can allow it: `allow_mutations` in the settings, or the key in `details.needs`.",
            ),
            Self::ApprovalRequired => (
                "The command loses content or leaves the machine, and nobody has approved it.",
                "A person has to approve the call; an agent cannot approve itself.",
            ),
            Self::PathDenied => (
                "The path is not open to this caller. This says nothing about whether it exists.",
                "Use a path inside the folders that are open; the owner of the vault sets them under `[paths]`.",
            ),
            Self::PathEscape => (
                "The path points outside the vault.",
                "Send a path relative to the vault's root, with `/` and without `..`.",
            ),
            Self::BridgeDisabled => (
                "Agents may not call: the bridge is off.",
                "The owner of the vault can turn it on: `enabled` in the settings.",
            ),
            Self::ConfigInvalid => (
                "The settings file cannot be used: unsafe permissions, or a key or value that is not known.",
                "The owner of the vault has to mend the line that the message names.",
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
