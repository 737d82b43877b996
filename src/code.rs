//! The stable error codes, each with its exit status and explanation (`design.md` §4).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message::{self, Message};

/// The data of a code.
struct CodeRow {
    name: &'static str,
    exit: u8,
    cause: &'static str,
    remedy: &'static str,
    at_terminal: Option<&'static str>,
    retryable: bool,
}

/// Declares [`Code`] from one row for each code.
macro_rules! codes {
    ($($code:ident {
        name: $name:literal,
        exit: $exit:literal,
        cause: $cause:literal,
        remedy: $remedy:literal,
        $(at_terminal: $at_terminal:literal,)?
        $(retryable: $retryable:literal,)?
    })+) => {
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

            const fn row(self) -> CodeRow {
                match self {
                    $(Self::$code => CodeRow {
                        name: $name,
                        exit: $exit,
                        cause: $cause,
                        remedy: $remedy,
                        at_terminal: codes!(@optional $($at_terminal)?),
                        retryable: false $(|| $retryable)?,
                    },)+
                }
            }
        }
    };
    (@optional) => { None };
    (@optional $text:literal) => { Some($text) };
}

// `at_terminal` is a hint for people, which agents never see (`faults.md` I16). `retryable`: the same request may
// succeed later without a change.
codes! {
    UsageError {
        name: "USAGE_ERROR",
        exit: 64,
        cause: "The request has an unknown parameter, lacks a required one, or has a value of the wrong type.",
        remedy: "Correct the request. {capabilities} with `command` explains what a command takes.",
    }
    UnknownCommand {
        name: "UNKNOWN_COMMAND",
        exit: 64,
        cause: "No command has this name.",
        remedy: "Check the spelling. The message suggests similar names, and {capabilities} lists all commands.",
        at_terminal: "`vault-gw --help` shows commands, verbs and options.",
    }
    ValidationError {
        name: "VALIDATION_ERROR",
        exit: 65,
        cause: "A value has the right type but is invalid, such as a date that does not exist or a name with a slash.",
        remedy: "Correct the value that the message names.",
    }
    InvalidFrontmatter {
        name: "INVALID_FRONTMATTER",
        exit: 65,
        cause: "The properties of the note are not valid YAML, so the command cannot change them.",
        remedy: "Open the note and correct the block between the two `---` lines.",
    }
    AmbiguousTarget {
        name: "AMBIGUOUS_TARGET",
        exit: 65,
        cause: "Several notes match the name, several places of a note match an edit, several runs match the start of an id, or several vaults were found. The command does not guess.",
        remedy: "Pass `path` with one of `error.details.candidates`, name the place more exactly, give more characters of the run's id, or name the vault's folder.",
    }
    TargetNotFound {
        name: "TARGET_NOT_FOUND",
        exit: 65,
        cause: "The text, heading, block or line of an edit does not exist, or the approval does not exist. Nothing was changed.",
        remedy: "For an edit, pass a text that the note contains. `error.details.candidates` lists the nearest places with their lines.",
    }
    UnrepresentableContent {
        name: "UNREPRESENTABLE_CONTENT",
        exit: 65,
        cause: "The official CLI would damage this text, because it turns the two characters `\\n` and `\\t` into line breaks and tabs. This command cannot send the text in parts. Or the note to change is not UTF-8 text.",
        remedy: "Write the text with {create}, {append} or {prepend}, which can send it in parts, or use the embedded backend. Convert a note that is not UTF-8 text first.",
    }
    ArgumentTooLarge {
        name: "ARGUMENT_TOO_LARGE",
        exit: 65,
        cause: "The arguments are longer than the official CLI supports on this system.",
        remedy: "Split the text: create the note, then append the rest. `error.details` contains the size and the limit in bytes.",
    }
    TooLargeToUndo {
        name: "TOO_LARGE_TO_UNDO",
        exit: 65,
        cause: "The command would overwrite or permanently delete a file that is too large to keep a copy for undo.",
        remedy: "Move the file to the trash instead, or ask the owner of the vault to raise `journal.max_file_bytes` in the settings, or `journal.max_bytes` where the message names it.",
    }
    CliReportedError {
        name: "CLI_REPORTED_ERROR",
        exit: 65,
        cause: "The app, or the engine in its place, reported an error, or the app did not confirm the change.",
        remedy: "Read `stdout` of the envelope, which has the app's own message.",
        at_terminal: "`-o json` shows what the app printed; `vault-gw doctor` checks this machine.",
    }
    FileNotFound {
        name: "FILE_NOT_FOUND",
        exit: 66,
        cause: "The file does not exist in the vault.",
        remedy: "Find the note with {notes:search}, then pass its exact path with extension as `path=`.",
    }
    FolderNotFound {
        name: "FOLDER_NOT_FOUND",
        exit: 66,
        cause: "The folder does not exist in the vault.",
        remedy: "List the folders with {folders}.",
    }
    VaultNotFound {
        name: "VAULT_NOT_FOUND",
        exit: 66,
        cause: "The vault was not found: the folder does not exist, the app has no vault of that name, or the request is for another vault than the configured one.",
        remedy: "Ask the owner of the vault to set `vault` in the settings, or to open the vault once in Obsidian.",
        at_terminal: "Use `--vault NAME|PATH`, or {$ set vault PATH}.",
    }
    VaultNotSet {
        name: "VAULT_NOT_SET",
        exit: 66,
        cause: "Neither the settings nor the request names a vault, and Obsidian has not opened one on this machine.",
        remedy: "Ask the owner of the vault to set `vault` in the settings.",
        at_terminal: "`vault-gw setup` looks for your vaults; `--vault FOLDER` names one for one command.",
    }
    ConfigMissing {
        name: "CONFIG_MISSING",
        exit: 66,
        cause: "The given settings file does not exist.",
        remedy: "Ask the owner of the vault to check the path or to create the file.",
        at_terminal: "{$ set KEY VALUE} creates the file.",
    }
    CliUnavailable {
        name: "CLI_UNAVAILABLE",
        exit: 69,
        cause: "The official `obsidian` command was not found or cannot be executed.",
        remedy: "Ask the owner of the vault to enable it in Obsidian under Settings > General > Advanced, or to set `obsidian_path` in the settings.",
        at_terminal: "`vault-gw doctor` shows where vault-gw looked for it.",
    }
    CliUntrusted {
        name: "CLI_UNTRUSTED",
        exit: 69,
        cause: "Another user could have replaced the official binary or the app's socket, or the binary changed since the gateway started.",
        remedy: "Ask the owner of the machine to check owner and permissions, and to restart the gateway.",
        at_terminal: "`chmod go-w` removes write permission for other users.",
    }
    AppNotRunning {
        name: "APP_NOT_RUNNING",
        exit: 69,
        cause: "Obsidian is not running, and the gateway never starts it.",
        remedy: "Start Obsidian, or use the embedded backend.",
        retryable: true,
    }
    AppUnreachable {
        name: "APP_UNREACHABLE",
        exit: 69,
        cause: "Obsidian may be running, but a sandbox or permissions prevent this process from connecting to it.",
        remedy: "Allow Unix sockets in the sandbox, or run the gateway outside it. On Windows, run both without administrator rights.",
        retryable: true,
    }
    AppNotReady {
        name: "APP_NOT_READY",
        exit: 69,
        cause: "Obsidian is running, but the vault is still loading or its window is closed.",
        remedy: "Open the vault in Obsidian and try again, or set `open_vault = true` to let the gateway open it.",
        retryable: true,
    }
    CliDisabled {
        name: "CLI_DISABLED",
        exit: 69,
        cause: "The command line interface is turned off in Obsidian.",
        remedy: "Turn it on in Obsidian under Settings > General > Advanced.",
    }
    RequiresApp {
        name: "REQUIRES_APP",
        exit: 69,
        cause: "Only the running app can answer this command.",
        remedy: "Start Obsidian and try again with the backend `auto` or `obsidian`.",
    }
    UnsupportedPlatform {
        name: "UNSUPPORTED_PLATFORM",
        exit: 69,
        cause: "This system cannot run the official command line interface.",
        remedy: "Use a desktop system, or the embedded backend.",
    }
    CliVersionUnsupported {
        name: "CLI_VERSION_UNSUPPORTED",
        exit: 69,
        cause: "The installed Obsidian is older than 1.12.7, the first version with the native command line binary.",
        remedy: "Update Obsidian with its installer, not only from inside the app.",
    }
    SandboxUnavailable {
        name: "SANDBOX_UNAVAILABLE",
        exit: 69,
        cause: "The settings require the sandbox, and this system cannot provide all of it. Nothing was run.",
        remedy: "Ask the owner of the machine to use a newer kernel with Landlock, or to set `sandbox` to `best-effort` in the settings.",
    }
    InternalError {
        name: "INTERNAL_ERROR",
        exit: 70,
        cause: "This is a bug in the gateway. Nothing more was run.",
        remedy: "Please report it with the `runId`.",
    }
    CliExitNonzero {
        name: "CLI_EXIT_NONZERO",
        exit: 70,
        cause: "The official CLI exited with an unknown error status.",
        remedy: "`stderr` of the envelope may say why.",
        at_terminal: "`-o json` shows what the app printed; `vault-gw doctor` checks this machine.",
    }
    FileExists {
        name: "FILE_EXISTS",
        exit: 73,
        cause: "A file with this name already exists.",
        remedy: "Choose another name, or change the file that is there.",
    }
    IoError {
        name: "IO_ERROR",
        exit: 74,
        cause: "A file could not be read or written.",
        remedy: "Check the free space on the disk and the permissions of the file that the message names.",
    }
    DraftDamaged {
        name: "DRAFT_DAMAGED",
        exit: 74,
        cause: "A stored draft is damaged, or another version of the gateway wrote it. It was left unchanged.",
        remedy: "Ask the owner of the vault to look at it: use the version that wrote it, or restore the folder `drafts` of the journal from a backup.",
    }
    Timeout {
        name: "TIMEOUT",
        exit: 75,
        cause: "The command did not finish in time. If `status` is `unknown`, a write may have happened.",
        remedy: "After a write, read the note before you try again. In a large vault, repeat a read: it continues where this one stopped. Or raise `timeout_ms`.",
        retryable: true,
    }
    Busy {
        name: "BUSY",
        exit: 75,
        cause: "Too many requests were in progress, or another program kept writing the note.",
        remedy: "Try again in a moment.",
        retryable: true,
    }
    LockTimeout {
        name: "LOCK_TIMEOUT",
        exit: 75,
        cause: "Another process kept the vault locked for writing.",
        remedy: "Try again in a moment.",
        retryable: true,
    }
    PreconditionFailed {
        name: "PRECONDITION_FAILED",
        exit: 75,
        cause: "The note has changed since the caller read it (`ifHash`). Nothing was changed.",
        remedy: "Read the note again, then decide whether the change still applies.",
    }
    DraftConflict {
        name: "DRAFT_CONFLICT",
        exit: 75,
        cause: "A person changed the note where the draft changes it too. Nothing was changed; the draft keeps both.",
        remedy: "Withdraw the draft of this note with {draft:withdraw}, read the note again and repeat the change, or let a person review the draft.",
        at_terminal: "`vault-gw review` shows both sides.",
    }
    Cancelled {
        name: "CANCELLED",
        exit: 75,
        cause: "The caller cancelled the request, or the service shut down. If `status` is `unknown`, a write may have happened.",
        remedy: "Repeat the request if you still need it. If `status` is `unknown`, read the note first.",
        retryable: true,
    }
    CommandRefused {
        name: "COMMAND_REFUSED",
        exit: 77,
        cause: "The gateway never allows this command, under any setting.",
        remedy: "Do it by hand in Obsidian. The message gives the reason and, if there is one, an alternative.",
    }
    CommandDenied {
        name: "COMMAND_DENIED",
        exit: 77,
        cause: "A rule for commands in the settings closes this command.",
        remedy: "Use an open command, which {capabilities} lists, or ask the owner of the vault to change the list that `details.rule` names.",
    }
    TierClosed {
        name: "TIER_CLOSED",
        exit: 77,
        cause: "The command belongs to a tier, or needs a switch, that the settings do not allow.",
        remedy: "Ask the owner of the vault to change `tier` in the settings, or the key in `details.needs`.",
    }
    MutationDisabled {
        name: "MUTATION_DISABLED",
        exit: 77,
        cause: "The command would change the vault or what the app shows, or send notes out, and the settings do not allow that.",
        remedy: "Ask the owner of the vault to change `allow_mutations` in the settings, or the key in `details.needs`.",
    }
    ActiveContent {
        name: "ACTIVE_CONTENT",
        exit: 77,
        cause: "The change would add active content to a file: something that runs or loads when the file is opened, published or read by an agent, such as an image from the web, HTML that loads a page, code for a plugin, or the name of a file with instructions. Nothing was changed. Or the app would show a file with active content, at `details.path`.",
        remedy: "Write the alternative in `error.details.findings`, read the file instead of showing it, or ask the owner of the vault to change `allow_active` or `drafts` in the settings.",
    }
    Tainted {
        name: "TAINTED",
        exit: 77,
        cause: "The agent has read text from outside, such as a clipping, which may contain instructions. It may not send anything off this machine, nor change anything outside its draft. Nothing was done.",
        remedy: "Ask a person to do it, or to end the restriction. Neither the agent nor a new session can end it.",
        at_terminal: "`vault-gw taint` shows which agents are restricted and why; `vault-gw taint clear --agents` ends it.",
    }
    ApprovalRequired {
        name: "APPROVAL_REQUIRED",
        exit: 77,
        cause: "The command loses content or sends it off this machine, and no person has approved it.",
        remedy: "Ask a person to approve the call. An agent cannot approve it.",
        at_terminal: "`--dry-run` shows what it would do; `--yes` approves it with the call, if `approve_by` lists it.",
    }
    JournalFull {
        name: "JOURNAL_FULL",
        exit: 77,
        cause: "The agents' part of the undo journal is full, so a removal could not be undone. Nothing was changed.",
        remedy: "Changes that only add text may still work. The owner of the vault can raise `journal.max_bytes`, or lower `journal.max_age_days` to have older changes deleted.",
        at_terminal: "`vault-gw doctor` shows how much of the journal is used.",
    }
    DraftFull {
        name: "DRAFT_FULL",
        exit: 77,
        cause: "The draft has reached a limit, or its last change is too old. Nothing was changed.",
        remedy: "Ask a person to review the draft, or withdraw changes with {draft:withdraw}. `details.reason` and `details.limit` name the limit.",
        at_terminal: "`vault-gw review` lists the changes.",
    }
    PathDenied {
        name: "PATH_DENIED",
        exit: 77,
        cause: "The path rules do not allow this path. It may or may not exist.",
        remedy: "Use a path that is allowed. The owner of the vault sets the path rules under `[paths]`.",
        at_terminal: "{$ show} shows which paths are allowed.",
    }
    PathEscape {
        name: "PATH_ESCAPE",
        exit: 77,
        cause: "The path points outside the vault.",
        remedy: "Pass a path relative to the vault's root, with `/` as separator and without `..`.",
    }
    BridgeDisabled {
        name: "BRIDGE_DISABLED",
        exit: 77,
        cause: "Calls by agents are turned off.",
        remedy: "Ask the owner of the vault to set `enabled` in the settings.",
        at_terminal: "{$ set enabled true} turns it on.",
    }
    ConfigInvalid {
        name: "CONFIG_INVALID",
        exit: 78,
        cause: "The settings file has unsafe permissions, or an unknown key or invalid value.",
        remedy: "Ask the owner of the vault to correct the line that the message names.",
        at_terminal: "{$ path} shows which file is used.",
    }
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
    /// The template of the next step.
    #[serde(serialize_with = "message::template_as_text")]
    remedy: &'static str,
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
    /// The name in envelopes, such as `FILE_NOT_FOUND`.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Looks up a code by name, such as `FILE_NOT_FOUND`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.name() == name)
    }

    /// The exit status of `vault-gw`, as in `sysexits.h`.
    pub const fn exit(self) -> u8 {
        self.row().exit
    }

    /// Whether the gateway's policy refused the call.
    pub const fn is_refusal(self) -> bool {
        self.exit() == 77
    }

    /// An additional hint for people at a terminal. Only the command line shows it; agents never
    /// see it (`faults.md` I16).
    pub(crate) fn at_terminal(self) -> Option<Message> {
        Some(Message::new(self.row().at_terminal?, []))
    }

    /// Whether the same request may succeed later without a change.
    pub const fn is_retryable(self) -> bool {
        self.row().retryable
    }

    /// The explanation of this code: cause, remedy and whether a retry may help.
    pub const fn explanation(self) -> Explanation {
        let CodeRow { exit, cause, remedy, retryable, .. } = self.row();
        Explanation { code: self, exit, category: self.category(), cause, remedy, retryable }
    }

    /// Returns the kind of the failure.
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
            schema.get("enum").and_then(|list| list.as_array()).map(Vec::len),
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
