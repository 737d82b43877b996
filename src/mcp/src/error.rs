//! The errors of the interfaces for agents and programs.

use std::io::Error as IoError;
use std::net::SocketAddr;

use protocol::{errors, failure::DENIED, for_person};
use sandbox::Unsafe;
use tiers::ApprovalChannel;

errors! {
    pub(crate) enum Error {
        // Options.
        NoHashOfCalls => UsageError
            "`vault-gw call` does not take `--if-hash`."
            "Pass `ifHash` in each request that needs it.";
        NoHashOfServer => UsageError
            "The server does not take `--if-hash`, because a hash applies to a single call."
            "Pass `ifHash` in each tool call that needs it.";
        NoBudget => UsageError
            "`--budget` must be a number of characters, at least 1.";
        AllowedHost => UsageError
            "`--allow-host` takes a host such as `notes.example` or `notes.example:8080`.";
        AllowedOrigin => UsageError
            "`--allow-origin` takes an origin such as `https://app.example`.";
        Address(option: String) => UsageError
            "`{option}` takes a port, or an address with a port, such as `127.0.0.1:8765` or \
            `[::1]:8765`.";
        ToolPrefix => UsageError
            "`--tool-prefix` takes at most 32 letters, digits, `_` and `-`, such as `work_`.";
        NoHost => UsageError
            "Other machines can reach this address, so `--allow-host` is required."
            (for_person("With `--allow-host`, pass the host name that clients use. To serve only \
                this machine, use an address such as `127.0.0.1:8765` instead."));
        NoSettingsFolder => ConfigMissing
            "vault-gw cannot find its settings folder, because the home folder is unknown.";
        TokenFile(reason: Unsafe) => ConfigInvalid
            "The token file {reason}."
            (for_person("Remove the file, so that vault-gw creates a new one. Or pass another file with `--token-file`."));
        TokenReadable => ConfigInvalid
            "Other users can read the token file."
            (for_person("Run `chmod 600` on the file. Or remove the file, so that vault-gw creates a new one."));
        NoToken(least: usize) => ConfigInvalid
            "The token file does not contain a valid token. A token has at least {least} printable ASCII characters and no spaces."
            "Remove the file, so that vault-gw creates a new one.";

        // The server.
        NotStarted(error: IoError) => InternalError
            "Cannot start the server: {error}.";
        NotListening(address: SocketAddr, error: IoError) => IoError { address: address.to_string() }
            (format!("Cannot listen on {address}: {}.", error.kind()))
            ("Use another port.");
        NoThread(error: IoError) => Busy
            (format!("Cannot start a thread: {}.", error.kind()))
            ("Try again.");
        NotConfinable(why: &'static str) => SandboxUnavailable
            "The sandbox cannot be applied, because {why}."
            "Make this path available to vault-gw. To run without the sandbox, set `sandbox` to \
            \"off\".";
        NotConfined(error: String) => SandboxUnavailable
            "The sandbox could not be applied ({error})."
            "Please report this error. To run without the sandbox, set `sandbox` to \"off\".";
        Handshake(what: &'static str) => UsageError
            "The MCP handshake failed: {what}.";
        Stopped => InternalError
            "A bug in vault-gw stopped the server. Please report it.";
        Input(error: IoError) => IoError
            "Cannot read standard input: {error}.";
        Output(error: IoError) => IoError
            "Cannot write to standard output: {error}.";

        // A call.
        SameId(id: serde_json::Value) => UsageError { id }
            "Another request with this `id` is in progress."
            "Use another `id`.";
        TooManyCalls => Busy { retryAfterMs: 500 }
            "Too many calls are in progress. Nothing was run. Try again in a moment.";
        Cancelled => Cancelled
            "The client cancelled the call.";
        Panicked => InternalError
            "This call failed because of a bug in vault-gw. Please report it.";
        NotText(path: Option<String>) => ValidationError { path }
            (format!("`{}` is not a text file. Other than text, only PNG, JPEG, GIF and WebP images can be read.", path.as_deref().unwrap_or_default()));

        // Approvals in dialogs.
        Denied => ApprovalRequired { reason: DENIED }
            "A person denied this call. Do not repeat the call unless a person asks for it.";
        NotAnswered(approval: String) => ApprovalRequired { reason: "pending", approval }
            "Nobody answered the dialog. The owner of the vault can still approve the call at \
            their machine. After that, repeat the call with `approval`.";
        NoDialogs => ApprovalRequired { reason: "door-closed", door: ApprovalChannel::Dialog.name() }
            "A call over HTTP cannot be approved in a dialog. Ask the owner of the vault to \
            approve the call at their machine. After that, repeat the call with `approval` and \
            without `requestState`.";
        OtherCall => ApprovalRequired { reason: "unknown" }
            "This approval has expired or belongs to another call."
            "To ask for a new approval, repeat the call without `requestState`.";
        NoDialogKey(error: String) => InternalError
            "Cannot create the key for approvals: {error}.";
        NoDialog => InternalError
            "The dialog for the approval could not be created, because of a bug in vault-gw. Please report it.";
    }
}
