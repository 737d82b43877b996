//! Diagnostics: a log of the program's work while it runs (`design/command-line.md`).
//!
//! Events are written with `tracing`, to standard error and to a log file, and only if requested.
//! They name commands, ids, codes, times and sizes. They never contain values of parameters, text
//! of notes, or paths: standard error of a server goes to the agent's host, and data that the audit
//! log redacts must not leak here (`threats.toml` F12). Events of libraries are left out for the same
//! reason: events of the MCP library contain whole messages.
//!
//! The filter only decides what is logged. No policy depends on it.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tracing::Subscriber;
use tracing_subscriber::filter::{LevelFilter, Targets, filter_fn};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::environment::Environment;
use protocol::{Code, Failure};

/// The crates whose events may be written: those of the program itself that log something.
const OWN_TARGETS: [&str; 5] = ["gateway", "mcp", "obsidian_cli", "sandbox", "store"];

/// The events to log, and where to.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    /// Number of times `-v` was given: informational events, then debugging ones, then all.
    pub verbosity: u8,
    /// A file that events are appended to. It gets informational events even without `-v`.
    pub file: Option<PathBuf>,
    /// Whether events are written as lines of JSON rather than text.
    pub json: bool,
}

impl Diagnostics {
    /// Starts writing events for the rest of the process. Does nothing if none are requested, or if
    /// this process has started already.
    ///
    /// `RUST_LOG` (`info`, `gateway=debug,warn`) replaces `-v`. A value that cannot be
    /// parsed is probably meant for another program; it is ignored with a warning.
    ///
    /// # Errors
    ///
    /// If the log file cannot be opened for appending.
    pub fn start(&self, environment: &Environment) -> Result<(), Failure> {
        let file = self.file.as_deref().map(open).transpose()?;
        let wanted = environment
            .variable("RUST_LOG")
            .and_then(|text| text.to_str());
        let parsed = wanted
            .filter(|text| !text.trim().is_empty())
            .map(str::parse::<Targets>);
        let (directives, is_unreadable) = match parsed {
            Some(Ok(directives)) => (Some(directives), false),
            Some(Err(_unreadable)) => (None, true),
            None => (None, false),
        };
        let filter = |least| {
            directives
                .clone()
                .unwrap_or_else(|| self.by_verbosity(least))
        };
        let to_stderr = (self.verbosity > 0 || directives.is_some() || is_unreadable)
            .then(|| self.layer(std::io::stderr, filter(LevelFilter::WARN)));
        let to_file = file.map(|file| self.layer(Arc::new(file), filter(LevelFilter::INFO)));
        if to_stderr.is_none() && to_file.is_none() {
            return Ok(());
        }
        // A second start in one process changes nothing. It happens in tests that call parts of the
        // program.
        drop(
            tracing_subscriber::registry()
                .with(to_stderr)
                .with(to_file)
                .try_init(),
        );
        if is_unreadable {
            tracing::warn!("RUST_LOG cannot be read as `level` or `target=level,…` and is ignored");
        }
        Ok(())
    }

    fn by_verbosity(&self, least: LevelFilter) -> Targets {
        let level = match self.verbosity {
            0 => least,
            1 => LevelFilter::INFO,
            2 => LevelFilter::DEBUG,
            _ => LevelFilter::TRACE,
        };
        Targets::new().with_default(level)
    }

    fn layer<S, W>(&self, writer: W, filter: Targets) -> Box<dyn Layer<S> + Send + Sync>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
        W: for<'writer> MakeWriter<'writer> + Send + Sync + 'static,
    {
        let layer = tracing_subscriber::fmt::layer()
            .with_writer(writer)
            .with_ansi(false)
            // A closed reader or a full disk must not end the call that is logged.
            .log_internal_errors(false);
        let of_own = filter_fn(|event| {
            OWN_TARGETS.iter().any(|own| {
                let rest = event.target().strip_prefix(own);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
            })
        });
        if self.json {
            let layer = layer.json().flatten_event(true).with_span_list(false);
            layer.with_filter(filter).with_filter(of_own).boxed()
        } else {
            layer.with_filter(filter).with_filter(of_own).boxed()
        }
    }
}

/// Opens a log file for appending. A new file is accessible only to its owner.
fn open(path: &Path) -> Result<File, Failure> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path).map_err(|error| {
        Code::UsageError
            .failure(format!(
                "The log file `{}` cannot be written: {error}.",
                path.display()
            ))
            .with("option", "--log-file")
    })
}
