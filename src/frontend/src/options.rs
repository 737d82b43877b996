//! The global options (`design/command-line.md`).

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use uuid::Uuid;

use allowlist::Tier;
use profiles::{Profile, Surroundings};
use sandbox::{Diagnostics, Environment, SandboxMode};
use settings::BackendChoice;

/// The heading of these options in help.
pub const GLOBAL_OPTIONS: &str = "Options of commands and verbs";

/// The options that are valid before or after a command or verb.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = GLOBAL_OPTIONS)]
pub struct CommandLineOptions {
    /// The vault: its name in the app, or its folder
    #[arg(long, global = true, value_name = "NAME|PATH")]
    pub vault: Option<String>,

    /// Backend: the app if it is running, else the embedded engine (`auto`), or always one of them
    #[arg(long, global = true, value_name = "BACKEND")]
    pub backend: Option<BackendChoice>,

    /// Allow no commands above this tier
    #[arg(long, global = true, value_name = "TIER")]
    pub tier: Option<Tier>,

    /// Read this settings file instead of the user's own
    #[arg(long, global = true, value_name = "FILE")]
    pub settings: Option<PathBuf>,

    /// Confine more strictly than the settings say: never less
    #[arg(long, global = true, value_name = "MODE")]
    pub sandbox: Option<SandboxMode>,

    /// Print the command's text, its envelope, or its data
    #[arg(short, long, global = true, value_name = "MODE", overrides_with_all = ["json", "format"])]
    output: Option<OutputMode>,

    /// The same as `--output json`
    #[arg(short, long, global = true, overrides_with_all = ["output", "format"])]
    json: bool,

    /// The same as `--output`
    #[arg(long, global = true, value_name = "MODE", hide = true, overrides_with_all = ["output", "json"])]
    format: Option<OutputMode>,

    /// Print the result in the form that another program expects, with its exit statuses
    #[arg(long, global = true, value_name = "NAME")]
    pub profile: Option<Profile>,

    /// The data that a profile's output needs in addition to the envelope.
    #[arg(skip)]
    pub surroundings: Surroundings,

    /// Give up after this many milliseconds (1 to 3600000)
    #[arg(long, global = true, value_name = "MS")]
    pub timeout_ms: Option<u64>,

    /// Show what would be done, and change nothing
    #[arg(long, global = true)]
    pub dry_run: bool,

    /// Add to each note of an answer's data the `obsidian://` address that opens it in the app
    #[arg(long, global = true, value_name = "FORM", value_parser = ["uri"])]
    pub links: Option<String>,

    /// Leave `stdout` of the envelope empty if `data` has the whole answer
    #[arg(long, global = true)]
    pub no_stdout: bool,

    /// Read the pairs `\n` and `\t` in `content` as a line break and a tab, as the official CLI does
    #[arg(long, global = true)]
    pub escapes: bool,

    /// Run only if the note still has this SHA-256
    #[arg(long, global = true, value_name = "SHA256")]
    pub if_hash: Option<String>,

    /// Continue a truncated answer at this position (characters of a text, items of a list)
    #[arg(
        long,
        global = true,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub offset: usize,

    /// Approve calls that lose content or send it elsewhere
    #[arg(long, global = true)]
    pub yes: bool,

    /// Put the time of the call into the envelope
    #[arg(long, global = true)]
    pub include_timestamp: bool,

    /// Echo this id in the envelope
    #[arg(long, global = true, value_name = "ID")]
    pub correlation_id: Option<String>,

    /// Use this UUID (version 4) as the run's id
    #[arg(long, global = true, value_name = "UUID")]
    pub run_id: Option<Uuid>,

    /// Act under the rules of this agent
    #[arg(long, global = true, value_name = "NAME")]
    pub agent: Option<String>,

    /// A program in a fence calls: `vault-gw run` adds it, and it only narrows
    #[arg(long, global = true, hide = true)]
    pub in_run: bool,

    /// When to use colour, and with it the form for people: `always` in a pipe too
    #[arg(long, global = true, value_name = "WHEN", alias = "colour")]
    color: Option<ColourChoice>,

    /// Print long output as it is, without a pager
    #[arg(long, global = true)]
    no_pager: bool,

    /// Log to standard error, with the backend that answered and the time it took; repeat for more detail
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,

    /// Append log events to this file; `RUST_LOG` sets the filter
    #[arg(long, global = true, value_name = "FILE")]
    pub log_file: Option<PathBuf>,

    /// Log format: lines of text or of JSON
    #[arg(
        long,
        global = true,
        value_name = "FORM",
        default_value = "text",
        hide_default_value = true
    )]
    pub log_format: LogFormat,
}

/// The option that prevents the pager.
pub const NO_PAGER: &str = "--no-pager";

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColourChoice {
    /// On a terminal, unless the environment says otherwise.
    #[default]
    Auto,
    /// In a pipe too.
    Always,
    /// Nowhere.
    Never,
}

impl ColourChoice {
    /// Reads the choice from the raw words: errors of the command line are coloured too.
    pub fn from_words(words: &[String]) -> Self {
        let chosen = values_of(words, &["--color", "--colour"]).last();
        chosen
            .and_then(|value| Self::from_str(value, false).ok())
            .unwrap_or_default()
    }
}

/// The format of log events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// One line for people.
    #[default]
    Text,
    /// One JSON object on one line.
    Json,
}

/// The form of the output on stdout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputMode {
    /// The text of the command.
    #[default]
    Text,
    /// One envelope on one line.
    Json,
    /// One line for each item of a list, between a line for the call and one for its result
    Ndjson,
    /// The data alone: one line of JSON for each item of a list, or for the answer
    Jsonl,
    /// The data as a table with a header
    Table,
    /// The data as comma-separated values with a header (RFC 4180)
    Csv,
    /// The data as tab-separated values with a header; `\t`, `\n`, `\\` stand for what they name
    Tsv,
    /// The data as YAML
    Yaml,
    /// The output format of another tool.
    #[value(skip)]
    As(Profile),
}

impl CommandLineOptions {
    /// Whether an agent's policy applies, so that the person is not asked at the terminal and no file is read for it.
    pub fn is_for_agent(&self) -> bool {
        self.agent.is_some() || self.in_run
    }

    /// Reads from the raw words how to print, and for which vault, settings and agent: for help, and for failures
    /// before the options are parsed.
    pub fn from_words(words: &[String], surroundings: Surroundings) -> Self {
        let first = |names: &[&str]| values_of(words, names).next().map(str::to_owned);
        Self {
            vault: first(&["--vault", "--root"]).or_else(|| first(&["vault"])),
            settings: first(&["--settings"]).map(Into::into),
            agent: first(&["--agent"]),
            output: Some(OutputMode::from_words(words)),
            profile: profile_in(words),
            surroundings,
            ..Self::default()
        }
    }

    /// Returns the default options with `--json`.
    pub fn json_only() -> Self {
        Self {
            json: true,
            ..Self::default()
        }
    }

    /// Returns the logging options. A relative log file is resolved against the working directory.
    pub fn diagnostics(&self, environment: &Environment) -> Diagnostics {
        Diagnostics {
            verbosity: self.verbose,
            file: self
                .log_file
                .as_deref()
                .map(|file| environment.absolute(file)),
            json: self.log_format == LogFormat::Json,
        }
    }

    /// Returns the output mode that the options select.
    pub fn output_mode(&self) -> OutputMode {
        if let Some(profile) = self.profile {
            OutputMode::As(profile)
        } else if self.json {
            OutputMode::Json
        } else {
            self.output.or(self.format).unwrap_or_default()
        }
    }
}

impl OutputMode {
    /// Whether a failure is reported as text on standard error.
    pub fn reports_failures_as_text(self) -> bool {
        !matches!(self, Self::Json | Self::Ndjson | Self::As(_))
    }

    /// Whether the mode prints only the data, in one of its forms.
    pub fn prints_data(self) -> bool {
        self != Self::Text && self.reports_failures_as_text()
    }

    /// Reads the output mode from the raw words, for errors before the options are parsed.
    fn from_words(words: &[String]) -> Self {
        let values = values_of(words, &["-o", "--output", "--format"]);
        let joined = words.iter().filter_map(|word| word.strip_prefix("-o"));
        let wanted = values
            .chain(joined)
            .find_map(|value| Self::from_str(value, false).ok());
        if let Some(mode) = wanted.filter(|mode| *mode != Self::Text) {
            return mode;
        }
        let as_switch = words.iter().any(|word| match word.as_str() {
            "--json" => true,
            // Short options may be combined: `-vj`.
            word => word.strip_prefix('-').is_some_and(|switches| {
                switches.contains('j') && switches.chars().all(|switch| "jvhV".contains(switch))
            }),
        });
        if as_switch { Self::Json } else { Self::Text }
    }
}

/// Returns the word for the value of an option.
pub fn word(value: &impl ValueEnum) -> String {
    let known = value.to_possible_value();
    known
        .map(|value| value.get_name().to_owned())
        .unwrap_or_default()
}

/// Reads the profile from the raw words.
pub fn profile_in(words: &[String]) -> Option<Profile> {
    let before_dashes = words.split(|word| word == "--").next()?;
    let name = values_of(before_dashes, &["--profile"]).next()?;
    Profile::ALL
        .into_iter()
        .find(|profile| profile.name() == name)
}

/// Returns the values of an option with these names in the raw words: `--name VALUE` or `--name=VALUE`.
fn values_of<'words>(
    words: &'words [String],
    names: &'words [&str],
) -> impl Iterator<Item = &'words str> {
    words
        .iter()
        .enumerate()
        .filter_map(move |(at, word)| match word.split_once('=') {
            Some((name, value)) if names.contains(&name) => Some(value),
            _ if names.contains(&word.as_str()) => words.get(at + 1).map(String::as_str),
            _ => None,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway::FORMATS;

    #[test]
    fn capabilities_name_the_forms_that_the_option_takes() {
        let values = OutputMode::value_variants().iter();
        let values = values.filter_map(ValueEnum::to_possible_value);
        let names: Vec<String> = values.map(|value| value.get_name().to_owned()).collect();
        assert_eq!(names, FORMATS);
    }

    fn mode_of(words: &[String]) -> OutputMode {
        CommandLineOptions::from_words(words, Surroundings::default()).output_mode()
    }

    #[test]
    fn every_spelling_of_json_is_seen_before_parsing() {
        for words in [
            &["-o", "json"][..],
            &["-j"],
            &["--json"],
            &["--format=json"],
            &["--output", "json"],
            &["-vj"],
        ] {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            assert_eq!(mode_of(&words), OutputMode::Json, "{words:?}");
        }
        for words in [
            &["--profile", "meminit"][..],
            &["-j", "--profile=meminit", "x"],
        ] {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            assert_eq!(mode_of(&words), OutputMode::As(Profile::Meminit));
        }
        for words in ["format=json", "--jvm", "-", "--profile=gw", "--profiles"] {
            assert_eq!(mode_of(&[words.to_owned()]), OutputMode::Text);
        }
    }
}
