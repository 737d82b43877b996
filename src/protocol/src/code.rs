//! The stable error codes, each with its exit status and explanation (`design/envelope.md`).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message::{self, Message};

/// The words about codes, by the name of the code.
pub(crate) type WordsByCode = BTreeMap<String, Words>;

/// The words about a code, as their file has them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Words {
    pub(crate) what: String,
    pub(crate) hint: String,
    #[serde(default)]
    pub(crate) at_terminal: String,
}

/// The words about errors, parsed when a call fails. The tests show that each code has some.
static WORDS: LazyLock<WordsByCode> =
    LazyLock::new(|| parse_words(include_str!("../../../config/errors.toml")));

/// Parses the words of a file in `config/`.
#[expect(clippy::expect_used, reason = "tests read both files")]
pub(crate) fn parse_words(text: &str) -> WordsByCode {
    toml::from_str(text).expect("a valid file of words")
}

/// Declares [`Code`] from one row for each exit status and its kind: the codes with their names, and `retryable` if the
/// same request may succeed later without a change. Their words are in `config/errors.toml`.
macro_rules! codes {
    ($($exit:literal $category:ident { $($code:ident $name:literal $($retryable:ident)?,)+ })+) => {
        /// A stable error code that programs may rely on.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
        #[expect(missing_docs, reason = "`Code::explanation` says what each one means")]
        pub enum Code {
            $($($code,)+)+
        }

        impl Code {
            /// Every code, ordered by exit status.
            pub const ALL: [Self; [$($($name),+),+].len()] = [$($(Self::$code),+),+];

            /// Returns the name in envelopes, such as `FILE_NOT_FOUND`.
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Self::$code => $name,)+)+
                }
            }

            /// Returns the exit status of `vault-gw`, as in `sysexits.h`.
            pub const fn exit(self) -> u8 {
                match self {
                    $($(Self::$code)|+ => $exit,)+
                }
            }

            /// Returns the kind of the failures with its exit status.
            const fn category(self) -> &'static str {
                match self {
                    $($(Self::$code)|+ => stringify!($category),)+
                }
            }

            /// Whether the same request may succeed later without a change.
            pub const fn is_retryable(self) -> bool {
                match self {
                    $($(Self::$code => !matches!(stringify!($($retryable)?).as_bytes(), b""),)+)+
                }
            }
        }
    };
}

codes! {
    64 usage {
        UsageError "USAGE_ERROR", UnknownCommand "UNKNOWN_COMMAND",
    }
    65 data {
        ValidationError "VALIDATION_ERROR", InvalidFrontmatter "INVALID_FRONTMATTER",
        AmbiguousTarget "AMBIGUOUS_TARGET", TargetNotFound "TARGET_NOT_FOUND",
        UnrepresentableContent "UNREPRESENTABLE_CONTENT", ArgumentTooLarge "ARGUMENT_TOO_LARGE",
        TooLargeToUndo "TOO_LARGE_TO_UNDO", CliReportedError "CLI_REPORTED_ERROR",
    }
    66 not_found {
        FileNotFound "FILE_NOT_FOUND", FolderNotFound "FOLDER_NOT_FOUND", VaultNotFound "VAULT_NOT_FOUND",
        VaultNotSet "VAULT_NOT_SET", ConfigMissing "CONFIG_MISSING",
    }
    69 unavailable {
        CliUnavailable "CLI_UNAVAILABLE", CliUntrusted "CLI_UNTRUSTED",
        AppNotRunning "APP_NOT_RUNNING" retryable, AppUnreachable "APP_UNREACHABLE" retryable,
        AppNotReady "APP_NOT_READY" retryable, CliDisabled "CLI_DISABLED", RequiresApp "REQUIRES_APP",
        UnsupportedPlatform "UNSUPPORTED_PLATFORM", CliVersionUnsupported "CLI_VERSION_UNSUPPORTED",
        SandboxUnavailable "SANDBOX_UNAVAILABLE",
    }
    70 internal {
        InternalError "INTERNAL_ERROR", CliExitNonzero "CLI_EXIT_NONZERO",
    }
    73 exists {
        FileExists "FILE_EXISTS",
    }
    74 io {
        IoError "IO_ERROR", DraftDamaged "DRAFT_DAMAGED",
    }
    75 temporary {
        Timeout "TIMEOUT" retryable, Busy "BUSY" retryable, LockTimeout "LOCK_TIMEOUT" retryable,
        PreconditionFailed "PRECONDITION_FAILED", DraftConflict "DRAFT_CONFLICT",
        Cancelled "CANCELLED" retryable,
    }
    77 policy {
        CommandRefused "COMMAND_REFUSED", CommandDenied "COMMAND_DENIED", TierClosed "TIER_CLOSED",
        MutationDisabled "MUTATION_DISABLED", ActiveContent "ACTIVE_CONTENT", Tainted "TAINTED",
        ApprovalRequired "APPROVAL_REQUIRED", JournalFull "JOURNAL_FULL", DraftFull "DRAFT_FULL",
        PathDenied "PATH_DENIED", PathEscape "PATH_ESCAPE", BridgeDisabled "BRIDGE_DISABLED",
    }
    78 configuration {
        ConfigInvalid "CONFIG_INVALID",
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

    /// Returns the explanation of this code: cause, remedy and whether a retry may help.
    pub fn explanation(self) -> Explanation {
        let (cause, remedy, at_terminal) = match WORDS.get(self.name()) {
            Some(words) => (&*words.what, &*words.hint, &*words.at_terminal),
            None => ("", "", ""),
        };
        Explanation {
            code: self,
            exit: self.exit(),
            category: self.category(),
            cause,
            remedy,
            at_terminal,
            retryable: self.is_retryable(),
        }
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
        assert_eq!(WORDS.len(), Code::ALL.len(), "each row belongs to a code");
    }
}
