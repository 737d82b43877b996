//! `vault-gw review --web`: a page on the loopback address, on which a person reviews what agents drafted
//! (`design/review.md`).

mod address_file;
mod handler;
mod page;
mod session;

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;

use self::address_file::AddressFile;
use self::handler::ReviewHandler;
use self::page::Page;
use frontend::{CommandLineOptions, OutputMode, Terminal, WriteOutcome};
use mcp::ending;
use mcp::ending::ServingEnd;
use mcp::http::{HttpLimits, Listening};
use protocol::{Code, Failure};
use sandbox::Environment;
use settings::Folders;
use tiers::ApprovalChannel;

/// The maximum number of connections: as many as a browser opens, and some more.
const CONNECTIONS: usize = 32;
/// The longest time for an answer to finish after the page is ended.
const PATIENCE_AT_THE_END: Duration = Duration::from_secs(3);

/// Serves the page until a signal arrives.
///
/// # Errors
///
/// `APPROVAL_REQUIRED` if nobody is at a terminal and `--yes` is not given; fails if the vault cannot be
/// opened, or the port is in use.
pub fn run(
    terminal: &Terminal,
    options: &CommandLineOptions,
    port: u16,
    environment: &Environment,
) -> Result<ExitCode, Failure> {
    let channel = ApprovalChannel::of_command(terminal.can_ask(), options.yes).ok_or_else(|| {
        Code::ApprovalRequired.failure(
            "The review page can accept changes, so a person must start it at a terminal. To start it from your own script, add `--yes`.",
        )
        .with("reason", "no-terminal")
    })?;
    let handler = Arc::new(ReviewHandler::new(
        options.clone(),
        environment.clone(),
        channel,
    ));
    // An obstacle to the review is reported before a browser opens.
    handler.waiting()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            Code::InternalError.failure(format!("Cannot start the review page: {error}."))
        })?;
    let file = Arc::new(AddressFile::new(Folders::new(environment).state()?));
    let stop = CancellationToken::new();
    let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let served = runtime.block_on(async {
        let listening = Listening::on(wanted).await?;
        let port = listening.address.port();
        let (page, address) = Page::new(port, handler, Arc::clone(&file), stop.clone());
        file.lead_to(&address)?;
        if print_address(terminal, options, &address) != WriteOutcome::All {
            return Ok::<_, Failure>(ServingEnd::with_result(()));
        }
        terminal.note(&format!(
            "Open this address in a browser on this machine. It works only once, so do not share \
            it. To open the page again later, bookmark the file {}. Press Ctrl-C to stop the \
            review page.",
            file.path().display()
        ));
        let limits = HttpLimits {
            connections: CONNECTIONS,
            ..HttpLimits::default()
        };
        let serve = listening.serve(Arc::new(page), limits, stop.clone());
        Ok(ending::until_ended(Box::pin(serve), &stop, None).await)
    });
    file.end();
    // An acceptance in progress runs on a thread of the runtime.
    runtime.shutdown_timeout(PATIENCE_AT_THE_END);
    served.map(|ended| ended.status)
}

/// Prints the address: as a line, or as JSON.
fn print_address(terminal: &Terminal, options: &CommandLineOptions, address: &str) -> WriteOutcome {
    let line = match options.output_mode() {
        OutputMode::Text => address.to_owned(),
        _ => json!({ "address": address }).to_string(),
    };
    // A browser needs the whole address, so it is not wrapped.
    terminal.data_as_it_is(format!("{line}\n").as_bytes())
}
