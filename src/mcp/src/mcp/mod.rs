//! `vault-gw mcp`: the MCP server, on stdio or as Streamable HTTP.

mod approval;
mod call_permits;
#[cfg(feature = "conformance")]
mod conformance;
mod http;
mod icon;
mod media;
mod message;
mod page;
mod progress;
mod prompts;
mod resources;
mod result;
mod server;
mod skills;
mod stdio;
mod subscriptions;
mod tool_names;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use self::server::ServerShared;
use self::tool_names::ToolPrefix;
use super::ending;
use super::host::Host;
use crate::error::Error;
use crate::http::HttpLimits;
use frontend::{CommandLineOptions, Terminal, setup};
use protocol::Failure;
use sandbox::{ClientProcess, Environment};

#[cfg(all(feature = "conformance", not(debug_assertions)))]
compile_error!("`conformance` adds tools that only tests call; a release is built without it");

/// The default of `--budget`, in characters of text per answer (`docs/agents.md`).
const DEFAULT_BUDGET: usize = 20_000;
/// The longest time for running calls to finish after the server stops.
const PATIENCE_AT_THE_END: Duration = Duration::from_secs(3);

/// The options of `mcp`.
#[derive(Clone, Debug, clap::Args)]
pub struct McpArguments {
    /// Serve Streamable HTTP on this address (`127.0.0.1:8765`, or a port of the loopback address)
    /// instead of standard input and output
    #[arg(long, value_name = "ADDR")]
    http: Option<String>,
    /// Take requests of web pages from this origin (`https://app.example:443`); can be repeated
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    /// Take requests for this host name (`notes.example`), besides the loopback ones; can be repeated
    #[arg(long, value_name = "HOST", requires = "http")]
    allow_host: Vec<String>,
    /// Keep the bearer token in this file instead of the state folder; the file is created if it is missing
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<std::path::PathBuf>,
    /// Characters of text in one answer; a longer answer is cut into pages
    #[arg(long, value_name = "CHARACTERS", default_value_t = DEFAULT_BUDGET)]
    budget: usize,
    /// Put this before the name of each tool (`work_`), for a client that connects two vaults
    #[arg(long, value_name = "PREFIX", default_value = "")]
    tool_prefix: String,
    /// Read this settings file as long as the user has none of their own, and `--settings` names none
    #[arg(long, value_name = "FILE")]
    default_settings: Option<std::path::PathBuf>,
}

impl McpArguments {
    /// Whether the server uses HTTP, and not standard input and output.
    pub const fn serves_http(&self) -> bool {
        self.http.is_some()
    }
}

/// Serves until standard input ends, the client that has its other end has ended, or a signal arrives.
///
/// # Errors
///
/// If an option does not fit, the settings or the vault are unusable, or the server cannot listen.
pub fn run(
    terminal: &Terminal,
    options: &CommandLineOptions,
    arguments: &McpArguments,
    environment: &Environment,
) -> Result<ExitCode, Failure> {
    if options.if_hash.is_some() {
        return Err(Error::NoHashOfServer.into());
    }
    if arguments.budget == 0 {
        return Err(Error::NoBudget.into());
    }
    let prefix = ToolPrefix::parse(&arguments.tool_prefix)?;
    let default_settings = arguments.default_settings.as_deref();
    let options = &setup::with_default_settings(options, default_settings, environment);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .thread_keep_alive(Duration::from_secs(30))
        .build()
        .map_err(Error::NotStarted)?;
    // A confined process cannot open a socket, so the listening socket is opened first.
    let http = match &arguments.http {
        None => None,
        Some(address) => {
            let settings = setup::settings(options, environment)?.http;
            let bound = http::Http::bind(address, arguments, settings, environment);
            Some(runtime.block_on(bound)?)
        }
    };
    // A confined process cannot look at others. A server over HTTP outlives its clients.
    let client = match http {
        None => ClientProcess::find(),
        Some(_) => None,
    };
    let host = Host::start_confined(options, environment)?;
    if let Some(http) = &http {
        http.accept_tokens(&host)?;
    }
    let mut shared = ServerShared::new(host, arguments.budget, options.dry_run)?;
    shared.prefix = prefix;
    let shared = Arc::new(shared);
    shared.host.look_for_changes();
    let stop = CancellationToken::new();
    tracing::info!(http = arguments.http.is_some(), "server started");
    let served = runtime.block_on(async {
        let serve = async {
            match http {
                None => {
                    if terminal.can_ask() {
                        terminal.note(
                            "serving MCP on standard input, for the MCP client that starts this program. `vault-gw install CLIENT` sets up a client; Ctrl-C stops the server.",
                        );
                    }
                    stdio::serve(shared, stop.clone()).await
                }
                Some(http) => {
                    terminal.note(&http.summary());
                    let limits = HttpLimits::default();
                    http.serve(shared, limits, stop.clone()).await;
                    Ok(())
                }
            }
        };
        ending::until_ended(Box::pin(serve), &stop, client).await
    });
    // Blocking calls run on the runtime's threads. After a second signal the user wants out now, so
    // they are not waited for; a write in progress is recovered from the journal.
    runtime.shutdown_timeout(if served.is_abandoned {
        Duration::ZERO
    } else {
        PATIENCE_AT_THE_END
    });
    tracing::info!("server ended");
    served.result.unwrap_or(Ok(())).map(|()| served.status)
}
