//! The errors of the official command line: finding it, starting it, and what it answers.

use super::locate::UnusableBinary;
use super::split::{CONTENT, MOST_STEPS};
use super::trust::Distrust;
use super::version::{AppVersion, MINIMUM};
use protocol::failure::errors;
use protocol::message::{Message, message};
use protocol::release::Release;
use serde_json::{Map, Value};

/// `details.reason` if the app did not prove which vault it would write to.
pub(super) const VAULT_PROOF: &str = "vault-proof";

errors! {
    /// The reason why the official command line did not do what a call wants.
    #[expect(missing_docs, reason = "the sentence of each variant says what it means")]
    #[derive(Clone, Debug, PartialEq)]
    pub enum Error {
        // The program.
        RelativePath => CliUnavailable(
            "The setting obsidian_path is neither \"obsidian\" nor an absolute path.",
            "Set obsidian_path to the full path of obsidian-cli."
        ) { reason: "relative-path" },
        NotFound(attempted: Vec<Value>, found: Map<String, Value>) => CliUnavailable(
            "The obsidian command line was not found.",
            "Install Obsidian 1.12.7 or later and turn on its command line in Settings > General > Advanced, or set obsidian_path."
        ) {
            reason: UnusableBinary::Missing.name(),
            shellExitCode: UnusableBinary::Missing.shell_exit_code(),
            attempted,
            found: if_any(found),
        },
        Untrusted(reason: Distrust, attempted: Vec<Value>, found: Map<String, Value>) => CliUntrusted(
            "The obsidian command line is not trusted: {reason}.",
            "Correct the owner and the permissions of the file and of the folders above it, or set obsidian_path to a file that only you can change."
        ) { reason: reason.name(), attempted, found: if_any(found) },
        Unusable(problem: UnusableBinary, shown: String) => CliUnavailable(
            "The file that obsidian_path names {problem}.",
            "Set obsidian_path to the full path of obsidian-cli."
        ) { reason: problem.name(), shellExitCode: problem.shell_exit_code(), attempted: vec![shown] },
        Replaced(place: String) => CliUntrusted(
            "The obsidian binary was replaced after it was checked.",
            "Restart vault-gw to check and use the new binary."
        ) { reason: "replaced", place },
        NoCommandLine(system: String) => UnsupportedPlatform(
            "Obsidian has no command line interface for this system.",
            "Use the embedded backend, or run vault-gw on a desktop system."
        ) { system },
        Old(version: AppVersion, minimum: Release) => CliVersionUnsupported(
            "Obsidian {version} was refused: the setting `min_version` requires {minimum} or later of the app and its installer.",
            "Nothing was run. Update Obsidian with its installer."
        ) {
            version: version.app.to_string(),
            installer: version.installer.map(|installer| installer.to_string()),
            minimum: minimum.to_string(),
        },
        UnknownVersion(minimum: Release) => CliVersionUnsupported(
            "Obsidian did not report its version, but the setting `min_version` requires {minimum} or later.",
            "Nothing was run."
        ) { reason: "unknown", minimum: minimum.to_string() },
        NotAVersion => CliVersionUnsupported(
            "The Obsidian binary did not report a version. It is probably not Obsidian's command line.",
            "Check the setting `obsidian_path`."
        ) { minimum: MINIMUM.to_string() },

        // The running app.
        WrongFolder(variable: &'static str, problem: &'static str, reason: &'static str) => AppUnreachable(
            "The variable {variable} {problem}, so the app's socket cannot be found.",
            "Start vault-gw with the value that {variable} has for the user who runs Obsidian."
        ) { variable, reason },
        NotRunning(stale_socket: bool) => AppNotRunning(
            "Obsidian is not running.",
            "Start Obsidian and open the vault, or use the embedded backend."
        ) { staleSocket: stale_socket.then_some(true) },
        OnlyDesktopApp => AppNotRunning(
            "Obsidian is not running. The obsidian binary is the desktop app itself, which vault-gw never starts.",
            "Start Obsidian, or set obsidian_path to the full path of obsidian-cli."
        ) { binaryKind: "app" },
        Unreachable(reason: &'static str) => AppUnreachable((UNREACHABLE)) { reason },
        #[cfg(unix)]
        UntrustedSocket(problem: &'static str) => CliUntrusted(
            "Obsidian's socket is not trusted: other users may control the socket, its folder, or the process that answers on it.",
            "Check the owner and permissions of the socket and its folder."
        ) { reason: "socket", problem },
        NotListed => VaultNotFound(
            "Obsidian does not list this vault.",
            "Open the folder of the vault once in Obsidian, or use the embedded backend."
        ),
        VaultClosed => AppNotReady(
            "The vault is not open in Obsidian, and a command would open the window of the vault.",
            "Open the vault in Obsidian, or set `open_vault = true` in the settings."
        ) { reason: "vault-closed" },
        OtherVault => VaultNotFound(
            "Obsidian answered for another vault, so nothing was written. Two vaults may have the same name, or the vault may have been moved."
        ) { reason: VAULT_PROOF },
        NoVault => VaultNotFound(
            "`obsidian` printed nothing when vault-gw asked which vault is open. Nothing was written.",
            "Check that `obsidian` is Obsidian's own program and that the vault is open in the app."
        ) { reason: VAULT_PROOF },
        NoVaultInTime => Timeout(
            "Obsidian did not answer in time when vault-gw asked which vault is open. Nothing was written. Try again."
        ) { started: true, reason: VAULT_PROOF },
        CancelledBefore => Cancelled(
            "The call was cancelled before the write. Nothing was written."
        ) { started: true, reason: VAULT_PROOF },

        // The arguments.
        Invalid(what: &'static str, parameter: String) => ValidationError("{what} Correct the request.") { parameter },
        TooLarge(measured: &'static str, size: usize, limit: usize) => ArgumentTooLarge(
            "The arguments take {size} bytes. On this system, Obsidian's command line loses messages of more than {limit} bytes.",
            "Pass less data in one call."
        ) { measured, size, limit },
        Unrepresentable(parameter: String) => UnrepresentableContent(
            "Obsidian's command line would turn `\\n` and `\\t` in `{parameter}` into line breaks and tabs. vault-gw cannot prevent this in this call.",
            (message!("Write the text with {create}, {append} or {prepend}, or remove `\\n` and `\\t` from the text."))
        ) { parameter },
        TooManyParts(parts: usize) => UnrepresentableContent(
            "Obsidian's command line would turn `\\n` and `\\t` in `{CONTENT}` into line breaks and tabs.",
            "To keep `\\n` and `\\t`, vault-gw would have to send the text in {parts} parts. The limit is {MOST_STEPS} parts. Pass less text in one call."
        ) { parameter: CONTENT, parts, mostSteps: MOST_STEPS },
        PartClosed(command: String) => UnrepresentableContent(
            "The text must be sent in parts with `{command}`, which the settings do not allow.",
            "Remove each `\\n` and `\\t` from the text, or pass less text."
        ),

        // The start of the program.
        Busy => Busy("Obsidian is busy with earlier calls. Nothing was run. Try again.") { retryable: true },
        NoTimeLeft => Timeout(
            "The time limit passed before the command could be started. Nothing was run."
        ) { started: false },
        NoCommand => InternalError(
            "Internal error: the run has no command. Please report this error."
        ) { started: false },
        TooLong => ArgumentTooLarge(
            "The arguments are too long for this system. Pass less data in one call."
        ) { started: false, reason: "system-limit", retryable: false },
        CannotStartNow(reason: &'static str) => Busy(
            "The system cannot start another process now. Nothing was run; try again."
        ) { started: false, reason, retryable: true },
        CannotStart(reason: &'static str) => CliUnavailable(
            "The Obsidian binary could not be started. Check the setting `obsidian_path`."
        ) { started: false, reason, retryable: false },
        NulByte => ValidationError(
            "The Obsidian binary could not be started. Nothing was run."
        ) { started: false, reason: "nul-byte", retryable: false },
        NotStarted => IoError(
            "The Obsidian binary could not be started. Nothing was run."
        ) { started: false, reason: "system-error", retryable: false },
        #[cfg(target_os = "linux")]
        Unconfined(why: String) => SandboxUnavailable(
            "The sandbox could not be applied, so nothing was run ({why})."
        ) { started: false, reason: "sandbox" },

        // The helper process.
        PathChanged => CliUnavailable(
            "The setting `obsidian_path` changed while the server was running.",
            "Restart the server to apply the new path."
        ) { reason: "restart" },
        HelperSilent => Timeout(
            "The helper process that runs Obsidian's command line did not answer in time."
        ) { started: true },
        HelperGone(started: bool, reason: String) => InternalError(
            "The helper process that runs Obsidian's command line does not answer.",
            "Restart the server."
        ) { started, reason },
        HelperRefuses(why: &'static str) => CommandRefused(
            "The helper process that runs Obsidian's command line refuses this call: {why}. Please report this error."
        ) { started: false },
        NoSettingsFolder => ConfigMissing(
            "vault-gw cannot find its settings folder, because the home folder is unknown."
        ),

        // The answer.
        NoOutput => InternalError(
            "The output of the Obsidian binary cannot be read.",
            "Check the vault for changes before you try again."
        ) { started: true, reason: "pipes", retryable: false },
        RunEnded => InternalError(
            "An internal error ended the command.",
            "Check the vault for changes before you try again."
        ) { started: true },
        NoStatus => InternalError(
            "The command ended, but its exit status is unknown.",
            "Check the vault for changes before you try again."
        ) { started: true },
        NotOffered => AppNotReady(
            "Obsidian does not offer this command now.",
            "Wait until the vault has loaded and try again. If the call still fails, the plugin that provides the command is turned off."
        ) { retryable: true },
        Unconfirmed(next: Message) => CliReportedError(
            "Obsidian did not confirm the command.",
            (next)
        ) { reason: "no-confirmation" },
        Exited(code: i32, next: Message) => CliExitNonzero(
            "The obsidian command failed with exit code {code}.",
            (next)
        ) { exitCode: code },
        Killed(signal: i32, next: Message) => CliExitNonzero(
            "The obsidian command was killed by signal {signal}.",
            (next)
        ) { signal },
        NotInTime(next: Message) => Timeout("Obsidian did not answer in time.", (next)) { started: true },
        Cancelled(next: Message) => Cancelled("The call was cancelled.", (next)) { started: true },
        Silent => CliReportedError(
            "Obsidian printed no answer.",
            "Try again. If the call still fails, restart Obsidian."
        ) { reason: "no-output" },
        UnknownNote => CliReportedError(
            "The official CLI did not report which note it wrote, so the rest of the text was not sent."
        ),
    }
}

const UNREACHABLE: &str = if cfg!(windows) {
    "Obsidian's pipe exists, but vault-gw cannot connect to it. Obsidian may run as administrator or in another session. Run vault-gw in the same way."
} else {
    "Obsidian's socket exists, but vault-gw cannot connect to it. A sandbox around vault-gw may forbid Unix sockets. Run vault-gw outside the sandbox."
};

fn if_any(found: Map<String, Value>) -> Option<Map<String, Value>> {
    (!found.is_empty()).then_some(found)
}
