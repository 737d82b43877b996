//! The stable codes of the contract, each with its exit status (`design.md` §4).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What went wrong, as a name that programs may rely on.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(
    missing_docs,
    reason = "`explanation` documents every code, and a test holds them together"
)]
pub enum Code {
    UsageError,
    UnknownCommand,
    ValidationError,
    InvalidFrontmatter,
    AmbiguousTarget,
    UnrepresentableContent,
    ArgumentTooLarge,
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
    CommandRefused,
    TierClosed,
    MutationDisabled,
    ApprovalRequired,
    PathDenied,
    PathEscape,
    BridgeDisabled,
    ConfigInvalid,
}
