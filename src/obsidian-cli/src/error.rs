//! The errors of the official command line: finding it, starting it, and what it answers.

use super::locate::UnusableBinary;
use super::split::{CONTENT, MOST_STEPS};
use super::trust::Distrust;
use super::version::{AppVersion, MINIMUM};
use protocol::{Message, Release, errors, message};
use serde_json::{Map, Value, json};

/// `details.reason` if the app did not prove which vault it would write to.
pub(super) const VAULT_PROOF: &str = "vault-proof";

errors! {
    /// The reason why the official command line did not do what a call wants.
    #[expect(missing_docs, reason = "the sentence of each variant says what it means")]
    #[derive(Clone, Debug, PartialEq)]
    pub enum Error {
        // The program.
        RelativePath => CliUnavailable { reason: "relative-path" }
            "The setting `obsidian_path` must be \"obsidian\" or an absolute path."
            "Set `obsidian_path` to the full path of `obsidian-cli`.";
        NotFound(attempted: Vec<Value>, found: Map<String, Value>) => CliUnavailable
            {
                reason: json!(UnusableBinary::Missing),
                shellExitCode: UnusableBinary::Missing.shell_exit_code(),
                attempted, found: if_any(found)
            }
            "Obsidian's command line was not found."
            "Install Obsidian 1.12.7 or later, then turn on its command line under Settings > General > Advanced. Or set `obsidian_path`.";
        Untrusted(reason: Distrust, attempted: Vec<Value>, found: Map<String, Value>) => CliUntrusted
            { reason: json!(reason), attempted, found: if_any(found) }
            "Obsidian's command line is not safe to use: {reason}."
            "Correct the owner and the permissions of the file and its folders. Or set `obsidian_path` to a file that only you can change.";
        Unusable(problem: UnusableBinary, shown: String) => CliUnavailable
            { reason: json!(problem), shellExitCode: problem.shell_exit_code(), attempted: vec![shown] }
            "The file in `obsidian_path` {problem}."
            "Set `obsidian_path` to the full path of `obsidian-cli`.";
        Replaced(place: String) => CliUntrusted { reason: "replaced", place }
            "Obsidian's command-line program was replaced after vault-gw checked it."
            "Restart vault-gw. It then checks the new program.";
        NoCommandLine(system: String) => UnsupportedPlatform { system }
            "Obsidian has no command line for this system."
            "Run vault-gw on a desktop system. Or set `backend` to `embedded`, so that vault-gw \
            works without the app.";
        Old(version: AppVersion, minimum: Release) => CliVersionUnsupported
            {
                version: version.app.to_string(),
                installer: version.installer.map(|installer| installer.to_string()),
                minimum: minimum.to_string()
            }
            "Obsidian {version} is too old. The setting `min_version` requires {minimum} or later for the app and its installer."
            "Nothing was run. Update Obsidian with its installer.";
        UnknownVersion(minimum: Release) => CliVersionUnsupported
            { reason: "unknown", minimum: minimum.to_string() }
            "Nothing was run. The setting `min_version` requires Obsidian {minimum} or later, but \
            Obsidian did not report its version."
            "Update Obsidian with its installer, or remove `min_version` from the settings.";
        NotAVersion => CliVersionUnsupported { minimum: MINIMUM.to_string() }
            "The program that vault-gw found did not report a version. It is probably not \
            Obsidian's command line."
            "Check the setting `obsidian_path`.";

        // The running app.
        WrongFolder(variable: &'static str, problem: &'static str, reason: &'static str) => AppUnreachable
            { variable, reason }
            "vault-gw cannot find Obsidian's socket, because {variable} {problem}."
            "Start vault-gw with the {variable} of the user who runs Obsidian.";
        NotRunning(stale_socket: bool) => AppNotRunning
            { staleSocket: stale_socket.then_some(true) }
            "Obsidian is not running."
            "Start Obsidian and open the vault. Or set `backend` to `embedded`, so that vault-gw \
            works without the app.";
        OnlyDesktopApp => AppNotRunning { binaryKind: "app" }
            "Obsidian is not running. vault-gw found only the app itself, which it never starts."
            "Start Obsidian, or set `obsidian_path` to the full path of `obsidian-cli`.";
        Unreachable(reason: &'static str) => AppUnreachable { reason }
            (UNREACHABLE);
        #[cfg(unix)]
        UntrustedSocket(problem: &'static str) => CliUntrusted { reason: "socket", problem }
            "Obsidian's socket is not safe to use. Other users may control the socket, its folder, or the process that answers."
            "Check the owner and permissions of the socket and its folder.";
        NotListed => VaultNotFound
            "This vault is not in Obsidian's list of vaults."
            "Open the folder of the vault once in Obsidian. Or set `backend` to `embedded`, so \
            that vault-gw works without the app.";
        VaultClosed => AppNotReady { reason: "vault-closed" }
            "Nothing was run. The vault is not open in Obsidian, so the command would open a \
            window."
            "Open the vault in Obsidian, or set `open_vault = true` in the settings.";
        OtherVault => VaultNotFound { reason: VAULT_PROOF }
            "Nothing was written. Obsidian answered for another vault. Perhaps two vaults have the \
            same name, or the vault was moved.";
        NoVault => VaultNotFound { reason: VAULT_PROOF }
            "Nothing was written. The program `obsidian` did not report which vault is open."
            "Check that `obsidian` is Obsidian's own program, and that the vault is open in the \
            app.";
        NoVaultInTime => Timeout { started: true, reason: VAULT_PROOF }
            "Nothing was written. Obsidian did not report in time which vault is open. Try again.";
        CancelledBefore => Cancelled { started: true, reason: VAULT_PROOF }
            "The call was cancelled before anything was written.";

        // The arguments.
        Invalid(what: &'static str, parameter: String) => ValidationError { parameter }
            "{what} Correct the request.";
        TooLarge(measured: &'static str, size: usize, limit: usize) => ArgumentTooLarge
            { measured, size, limit }
            "The arguments have {size} bytes. On this system, Obsidian's command line can take at \
            most {limit} bytes."
            "Pass less data in one call.";
        Unrepresentable(parameter: String) => UnrepresentableContent { parameter }
            "Nothing was run. Obsidian's command line would turn `\\n` and `\\t` in `{parameter}` \
            into line breaks and tabs."
            (message!("Remove `\\n` and `\\t` from the text. Or write the text with {create}, {append} or {prepend}."));
        TooManyParts(parts: usize) => UnrepresentableContent
            { parameter: CONTENT, parts, mostSteps: MOST_STEPS }
            "The text in `{CONTENT}` cannot be sent. To keep each `\\n` and `\\t` unchanged, it \
            would need {parts} parts, and the limit is {MOST_STEPS}."
            "Pass less text in one call.";
        PartClosed(command: String) => UnrepresentableContent
            "The text can be sent only in parts with `{command}`, which the settings do not allow. \
            The text is too long for one call, or contains `\\n` or `\\t`."
            "Remove each `\\n` and `\\t` from the text, or pass less text.";

        // The start of the program.
        Busy => Busy { retryable: true }
            "Obsidian is busy with earlier calls. Nothing was run. Try again.";
        NoTimeLeft => Timeout { started: false }
            "The time limit passed before the command could be started. Nothing was run.";
        NoCommand => InternalError { started: false }
            "Obsidian's command line was not started, because of a bug in vault-gw. Please report it.";
        TooLong => ArgumentTooLarge { started: false, reason: "system-limit", retryable: false }
            "The arguments are too long for this system. Pass less data in one call.";
        CannotStartNow(reason: &'static str) => Busy { started: false, reason, retryable: true }
            "The system cannot start another process now. Nothing was run. Try again.";
        CannotStart(reason: &'static str) => CliUnavailable
            { started: false, reason, retryable: false }
            "Obsidian's command line could not be started. Check the setting `obsidian_path`.";
        NulByte => ValidationError { started: false, reason: "nul-byte", retryable: false }
            "Nothing was run, because an argument contains a NUL character.";
        NotStarted => IoError { started: false, reason: "system-error", retryable: false }
            "Obsidian's command line could not be started. Nothing was run.";
        #[cfg(target_os = "linux")]
        Unconfined(why: String) => SandboxUnavailable { started: false, reason: "sandbox" }
            "Nothing was run, because the sandbox could not be applied ({why}).";

        // The helper process.
        PathChanged => CliUnavailable { reason: "restart" }
            "The setting `obsidian_path` changed while the server was running."
            "Restart the server to apply the new path.";
        HelperSilent => Timeout { started: true }
            "The helper process that runs Obsidian's command line did not answer in time.";
        HelperGone(started: bool, reason: String) => InternalError { started, reason }
            "The helper process that runs Obsidian's command line does not answer."
            "Restart the server.";
        HelperRefuses(why: &'static str) => CommandRefused { started: false }
            "The helper process that runs Obsidian's command line refuses this call: {why}. Please report this error.";
        NoSettingsFolder => ConfigMissing
            "vault-gw cannot find its settings folder, because the home folder is unknown.";

        // The answer.
        NoOutput => InternalError { started: true, reason: "pipes", retryable: false }
            "The output of Obsidian's command line cannot be read."
            "Check the vault for changes before you try again.";
        RunEnded => InternalError { started: true }
            "A bug in vault-gw ended the command."
            "Check the vault for changes before you try again.";
        NoStatus => InternalError { started: true }
            "The command ended, but its exit status is unknown."
            "Check the vault for changes before you try again.";
        NotOffered => AppNotReady { retryable: true }
            "Obsidian does not offer this command now."
            "Wait until the vault has loaded, then try again. If the call still fails, turn on the plugin that has this command.";
        Unconfirmed(next: Message) => CliReportedError { reason: "no-confirmation" }
            "Obsidian did not confirm the command."
            (next);
        Exited(code: i32, next: Message) => CliExitNonzero { exitCode: code }
            "Obsidian's command line failed with exit code {code}."
            (next);
        Killed(signal: i32, next: Message) => CliExitNonzero { signal }
            "Obsidian's command line was killed by signal {signal}."
            (next);
        NotInTime(next: Message) => Timeout { started: true }
            "Obsidian did not answer in time."
            (next);
        Cancelled(next: Message) => Cancelled { started: true }
            "The call was cancelled."
            (next);
        Silent => CliReportedError { reason: "no-output" }
            "Obsidian printed no answer."
            "Try again. If the call still fails, restart Obsidian.";
        UnknownNote => CliReportedError
            "The rest of the text was not sent, because Obsidian did not report which note it \
            wrote.";
    }
}

const UNREACHABLE: &str = if cfg!(windows) {
    "vault-gw cannot connect to Obsidian's pipe. Obsidian may run as administrator or in another session. Run vault-gw in the same way."
} else {
    "vault-gw cannot connect to Obsidian's socket. A sandbox around vault-gw may forbid Unix sockets. Run vault-gw outside the sandbox."
};

fn if_any(found: Map<String, Value>) -> Option<Map<String, Value>> {
    (!found.is_empty()).then_some(found)
}
