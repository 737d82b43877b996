//! Output of results: stdout, stderr and the exit status.

mod lines;
mod next_step;
mod rows;
mod run_id;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Map, Value, json};
use vault_answers::{Confirmation, RandomNote};
use vault_engine::plural::count;
use vault_engine::shown;

use allowlist::paging::OFFSET;
use allowlist::{Catalogue, Effect};
use backend::Cut;
use frontend::{
    CommandLineOptions, OutputMode, StyledText, Terminal, WriteOutcome, display::answer, escape,
};
use gateway::{Envelope, SCHEMA_VERSION, is_id};
use profiles::{Profile, Stream, Surroundings};
use protocol::{Answerer, Code, FOR_PERSON, Failure, Issue, Reader, Shell, Status};

pub(super) use self::next_step::hints;
use self::next_step::{how_to_approve, with_next};

/// The output of a verb: the text for a pipe, and the form for a terminal if it differs.
#[derive(Default)]
pub(crate) struct VerbText {
    plain: String,
    styled: Option<StyledText>,
    is_to_paste: bool,
}

impl From<&str> for VerbText {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<String> for VerbText {
    fn from(plain: String) -> Self {
        Self {
            plain,
            styled: None,
            is_to_paste: false,
        }
    }
}

impl VerbText {
    /// A text with its form for a terminal.
    pub(crate) fn new(plain: String, styled: StyledText) -> Self {
        Self {
            plain,
            styled: Some(styled),
            is_to_paste: false,
        }
    }

    /// Wraps only the sentences of a text, not the command lines and paths that a person may copy.
    pub(crate) fn to_paste(plain: String) -> Self {
        Self {
            is_to_paste: true,
            ..plain.into()
        }
    }

    /// Returns the text for a pipe.
    pub(crate) fn plain_text(&self) -> &str {
        &self.plain
    }

    /// Returns the text for a terminal.
    pub(crate) fn on_terminal(&self) -> StyledText {
        if self.is_to_paste {
            return StyledText::unstyled(&self.plain).whole(true);
        }
        let styled = self.styled.clone();
        styled.unwrap_or_else(|| StyledText::labelled(&self.plain))
    }

    fn print(&self, terminal: &Terminal) -> WriteOutcome {
        if terminal.stdout.is_styled {
            terminal.styled(&self.on_terminal())
        } else {
            terminal.data(self.plain.as_bytes())
        }
    }
}

/// A text for people, and the same for programs.
pub(crate) type TextAndData = (String, Map<String, Value>);

/// The result of a verb.
#[derive(Default)]
pub(crate) struct VerbReport {
    /// The result for people.
    pub(crate) text: VerbText,
    /// The result for programs.
    pub(crate) data: Map<String, Value>,
    /// A failure that is part of the result; `text` already reports it.
    pub(crate) failure: Option<Failure>,
    /// Warnings: in the envelope for programs, on standard error for people.
    pub(crate) warnings: Vec<Issue>,
    /// The violations that a check found; with any, the exit status is 1 (`design/envelope.md`).
    pub(crate) violations: Vec<Issue>,
}

impl<T: Into<VerbText>> From<(T, Map<String, Value>)> for VerbReport {
    fn from((text, data): (T, Map<String, Value>)) -> Self {
        Self {
            text: text.into(),
            data,
            ..Self::default()
        }
    }
}

/// The result of a verb that did not fail.
pub(crate) enum VerbEnd {
    /// With a result that has still to be printed.
    Report(Box<VerbReport>),
    /// With this exit status; everything is printed.
    Printed(ExitCode),
}

impl<T: Into<VerbText>> From<(T, Map<String, Value>)> for VerbEnd {
    fn from(result: (T, Map<String, Value>)) -> Self {
        VerbReport::from(result).into()
    }
}

impl From<VerbReport> for VerbEnd {
    fn from(report: VerbReport) -> Self {
        Self::Report(Box::new(report))
    }
}

impl From<ExitCode> for VerbEnd {
    fn from(status: ExitCode) -> Self {
        Self::Printed(status)
    }
}

/// Converts an envelope to the format and exit status of a profile, if one is in force.
fn projected(
    terminal: &Terminal,
    profile: Profile,
    envelope: &Envelope,
    surroundings: &Surroundings,
) -> (WriteOutcome, u8) {
    let surroundings = Surroundings {
        now: jiff::Timestamp::now().to_string(),
        ..surroundings.clone()
    };
    let projected = profile.project(envelope, &surroundings);
    for warning in &projected.warnings {
        terminal.warning(warning);
    }
    let written = match projected.stream {
        Stream::Stdout => terminal.data(projected.text.as_bytes()),
        Stream::Stderr => terminal.error_data(projected.text.as_bytes()),
    };
    (written, projected.exit)
}

/// Prints the answer to a command; returns the exit status.
pub(crate) fn answer(
    terminal: &Terminal,
    options: &CommandLineOptions,
    envelope: &Envelope,
) -> ExitCode {
    let status = envelope.exit_status();
    let written = match options.output_mode() {
        OutputMode::As(profile) => {
            let (written, status) = projected(terminal, profile, envelope, &options.surroundings);
            return exit(written, status);
        }
        OutputMode::Json => json(terminal, envelope),
        OutputMode::Ndjson => terminal.data_as_it_is(lines::of_envelope(envelope).as_bytes()),
        mode => {
            let written = if mode.prints_data() && envelope.success {
                rows::print(terminal, mode, envelope)
            } else if mode.prints_data() {
                WriteOutcome::All
            } else if terminal.stdout.is_styled {
                let columns = terminal.stdout.columns;
                let is_verbose = options.verbose > 0;
                let short = run_id::shortened(&envelope.text, envelope.data.as_map(), is_verbose);
                let shown = answer::on_terminal(envelope, &short, columns, is_verbose);
                terminal.styled(&shown)
            } else {
                terminal.data(&envelope.text)
            };
            let (elsewhere, warnings): (Vec<Issue>, Vec<Issue>) = envelope
                .warnings
                .iter()
                .cloned()
                .partition(|warning| warning.code == OTHER_VAULT);
            for warning in warnings_in_words(&warnings, options.verbose > 0) {
                terminal.warning(&warning);
            }
            if let Some(cut) = envelope.meta.truncated.and_then(|cut| cut.stdout) {
                terminal.warning(&how_it_was_cut(cut, envelope));
            } else if let Some(output) = how_it_was_limited(envelope) {
                terminal.note(&output);
            }
            if terminal.stdout.is_styled {
                if let Some(output) = how_to_search_a_phrase(envelope) {
                    terminal.note(&output);
                }
                if let Some(output) = written_type(envelope) {
                    terminal.note(&output);
                } else if let Some(output) = where_else(envelope) {
                    terminal.note(output);
                } else if !mode.prints_data() && is_silent(envelope, &envelope.text) {
                    terminal.note(&nothing_found(envelope));
                }
            }
            if let Some(error) = &envelope.error {
                let command = &envelope.command;
                let hints = match error.code {
                    // Only the gateway knows which setting closes it. A program in a fence cannot use the verbs of a person.
                    code if options.in_run
                        || matches!(code, Code::TierClosed | Code::MutationDisabled) =>
                    {
                        let next = envelope.advice.first().map(|advice| advice.message.clone());
                        with_next(error, command, next)
                    }
                    // An agent cannot approve, so it gets no hint how.
                    Code::ApprovalRequired if !options.is_for_agent() && !error.is_complete() => {
                        let next = how_to_approve(&error.details).into();
                        with_next(error, command, Some(next))
                    }
                    // The app was not asked, so nothing of it is shown.
                    Code::CliReportedError if envelope.meta.backend == Answerer::Embedded => {
                        with_next(error, command, None)
                    }
                    _ => hints(error, command),
                };
                let settings = options.settings.as_deref().map(as_typed);
                let reader = Reader::Person {
                    settings: settings.as_deref(),
                    vault: envelope.meta.vault.as_deref(),
                    full_ids: options.verbose > 0,
                };
                let reader = if options.in_run {
                    Reader::Program
                } else {
                    reader
                };
                terminal.failure(error, &hints, reader);
            }
            // If the message names the vault of a change anyway, the warning is not needed.
            let is_named = terminal.stdout.is_styled && answer::names_its_vault(envelope);
            if let Some(output) = elsewhere.first().filter(|_| !is_named) {
                terminal.note(&other_vault(output));
            }
            if options.verbose > 0 {
                terminal.note(&who_answered(envelope));
            }
            written
        }
    };
    exit(written, status)
}

/// Returns a settings file as people type it.
fn as_typed(file: &Path) -> String {
    escape::line(&Shell::native().quoted(&file.to_string_lossy()))
}

/// The code of the warning that another vault than the settings name answered.
const OTHER_VAULT: &str = "OTHER_VAULT";

/// Returns the same warning as a short line, for the width of a terminal.
fn other_vault(warning: &Issue) -> String {
    let name = |key: &str| {
        let name = warning.details.get(key).and_then(Value::as_str);
        shown::row(name.unwrap_or_default()).into_owned()
    };
    format!(
        "vault {} (this folder), not {} (settings)",
        name("vault"),
        name("settings")
    )
}

/// Whether the answer would print nothing, so that the person would see an empty screen.
fn is_silent(envelope: &Envelope, text: &[u8]) -> bool {
    let is_read = envelope
        .meta
        .effects
        .iter()
        .all(|effect| *effect == Effect::Read);
    let is_empty = text.trim_ascii().is_empty();
    envelope.success
        && is_read
        && is_empty
        && envelope.warnings.is_empty()
        && (envelope.status == Status::NoMatches || envelope.data.text().is_some())
}

/// Returns the message that a search found nothing, with the query.
fn nothing_found(envelope: &Envelope) -> String {
    match envelope.params.get("query").and_then(Value::as_str) {
        Some(query) => format!("Nothing was found for `{}`.", shown::row(query)),
        None => "Nothing was found.".to_owned(),
    }
}

/// Returns the type of the written value, which the app's sentence does not contain.
fn written_type(envelope: &Envelope) -> Option<String> {
    let Confirmation::PropertySet { kind, .. } = envelope.data.own()? else {
        return None;
    };
    Some(format!(
        "The property was written with the type `{}`.",
        json!(kind).as_str()?
    ))
}

/// Returns the hint that two words are not a phrase, unless the query shows which is meant.
fn how_to_search_a_phrase(envelope: &Envelope) -> Option<String> {
    let is_search = ["search", "search:context"].contains(&envelope.command.as_str());
    let query = envelope.params.get("query").and_then(Value::as_str);
    let query = query.filter(|_| is_search && envelope.success)?.trim();
    let is_words = |character: char| character.is_alphanumeric() || character == ' ';
    if !query.contains(' ') || !query.chars().all(is_words) || query.contains(" OR ") {
        return None;
    }
    let phrase = Shell::native().argument("query", &format!("\"{query}\""));
    Some(format!(
        "Each word was searched for separately. To search for the exact phrase: {phrase}"
    ))
}

/// Returns a hint for an empty list, if only the app has that list.
fn where_else(envelope: &Envelope) -> Option<&'static str> {
    if envelope.status != Status::NoMatches {
        return None;
    }
    Some(match envelope.command.as_str() {
        "recents" => {
            "Only Obsidian knows which files were opened last. `vault-gw files sort=modified limit=10` lists the files that changed last."
        }
        "vaults" => {
            "The app's list of vaults is empty. `vault-gw vault` shows the vault that vault-gw uses."
        }
        _ => return None,
    })
}

/// Warnings of the same kind in one line; with `--verbose`, one line for each.
fn warnings_in_words(warnings: &[Issue], is_verbose: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let mut shown: Vec<&str> = Vec::new();
    for warning in warnings {
        let kind = warnings
            .iter()
            .filter(|other| other.code == warning.code)
            .count();
        if is_verbose || kind == 1 {
            lines.push(warning.message.render(FOR_PERSON));
        } else if !shown.contains(&warning.code) {
            shown.push(warning.code);
            let in_words = of_one_kind(warning.code, kind);
            lines.push(in_words.unwrap_or_else(|| {
                let more = count(kind - 1, "more warning");
                let first = warning.message.render(FOR_PERSON);
                format!("{first} `-v` lists {more} of this kind.")
            }));
        }
    }
    lines
}

/// Returns one sentence for `number` warnings of a kind; `None` for other kinds.
fn of_one_kind(code: &str, number: usize) -> Option<String> {
    let what = match code {
        "INVALID_FRONTMATTER" => "have properties that cannot be read",
        "NOTE_TOO_LARGE" => {
            "are too large, so their text, links, tags and tasks are neither found nor changed"
        }
        "NOTE_UNREADABLE" => "cannot be read",
        "IMPORT_LEFT_OUT" => "of the import folder are left out",
        "FIX_LEFT" => "have links or properties that were not changed",
        _ => return None,
    };
    Some(format!("{number} notes {what}. `-v` lists them."))
}

/// Returns the note that a list has more items than its `limit`, and how to get them.
fn how_it_was_limited(envelope: &Envelope) -> Option<String> {
    let part = envelope.data.part();
    let (returned, total, next) = (part.returned?, part.total?, part.next_offset?);
    let more = match Catalogue::find_builtin(&envelope.command) {
        // A parameter of the command, not an option.
        Ok(command) if command.param(OFFSET).is_some() => format!("offset={next}"),
        _ => format!("--offset {next}"),
    };
    Some(format!(
        "{returned} of {total} items are shown. Add `{more}` to the command for more."
    ))
}

/// Returns the note that standard output was truncated, and how to get the rest.
fn how_it_was_cut(cut: Cut, envelope: &Envelope) -> String {
    let Cut {
        total_bytes,
        omitted_bytes,
        ..
    } = cut;
    let part = envelope.data.part();
    let mut message = format!(
        "output truncated: the last {omitted_bytes} of {} are omitted",
        count(total_bytes, "byte")
    );
    if let (Some(returned), Some(total)) = (part.returned, part.total) {
        message += &format!(" ({returned} of {total} items are shown)");
    }
    message += ".";
    if let Some(next) = part.next_offset {
        // Calling again would pick another note, so continue with `read`.
        message += &match envelope.data.own::<RandomNote>() {
            Some(note) => {
                let path = Shell::native().argument("path", &note.path);
                format!(" `vault-gw read {path} --offset {next}` shows more.")
            }
            None => format!(" Add `--offset {next}` to the command for more."),
        };
    }
    message + " `max_output_bytes` in the settings is the limit."
}

fn who_answered(envelope: &Envelope) -> String {
    let took = envelope.duration_ms;
    let reason = envelope.meta.backend_reason.as_deref().unwrap_or_default();
    match envelope.meta.backend {
        Answerer::None => format!("nothing was run ({took} ms)"),
        Answerer::Obsidian => format!("answered by the official program in {took} ms ({reason})"),
        Answerer::Embedded => format!("answered without the app in {took} ms ({reason})"),
    }
}

/// Prints the result or the failure of the verb `name`; returns the exit status.
pub(crate) fn finish(
    terminal: &Terminal,
    options: &CommandLineOptions,
    name: &str,
    started: Instant,
    end: Result<VerbEnd, Failure>,
) -> ExitCode {
    let VerbReport {
        text,
        data,
        failure,
        warnings,
        violations,
    } = match end {
        Ok(VerbEnd::Report(report)) => *report,
        Ok(VerbEnd::Printed(status)) => return status,
        Err(failure) => return self::failure(terminal, options, name, failure),
    };
    if options.output_mode().reports_failures_as_text() {
        for warning in &warnings {
            terminal.warning(&warning.message.render(FOR_PERSON));
        }
    }
    let found = u8::from(!violations.is_empty());
    let status = failure
        .as_ref()
        .map_or(found, |failure| failure.code.exit());
    print_text_or_envelope(terminal, options, &text, status, || {
        let envelope = Envelope::for_verb(name, started.elapsed(), data, failure);
        Envelope {
            warnings,
            violations,
            ..envelope
        }
    })
}

/// Prints an envelope: one line for a program, indented for a person.
fn json(terminal: &Terminal, envelope: &Envelope) -> WriteOutcome {
    let text = if terminal.stdout.is_terminal {
        envelope.to_indented_json()
    } else {
        envelope.to_json()
    };
    terminal.data_as_it_is(format!("{text}\n").as_bytes())
}

/// Prints the text, or the envelope in JSON mode.
fn print_text_or_envelope(
    terminal: &Terminal,
    options: &CommandLineOptions,
    text: &VerbText,
    status: u8,
    envelope: impl FnOnce() -> Envelope,
) -> ExitCode {
    // Adds the fields that the envelope of a call has.
    let completed = || {
        let mut envelope = envelope();
        // Only a valid id is echoed.
        envelope.correlation_id = options.correlation_id.clone().filter(|id| is_id(id));
        let run_id = options.run_id.filter(|id| id.get_version_num() == 4);
        envelope.run_id = run_id.unwrap_or(envelope.run_id);
        if options.include_timestamp {
            envelope.timestamp = Some(jiff::Timestamp::now().to_string());
        }
        envelope
    };
    let written = match options.output_mode() {
        OutputMode::Text => text.print(terminal),
        OutputMode::Json => json(terminal, &completed()),
        OutputMode::Ndjson => terminal.data_as_it_is(lines::of_envelope(&completed()).as_bytes()),
        OutputMode::As(profile) => {
            let (written, status) =
                projected(terminal, profile, &completed(), &options.surroundings);
            return exit(written, status);
        }
        mode => rows::print(terminal, mode, &completed()),
    };
    exit(written, status)
}

/// Prints a failure that has no request, such as invalid options or settings.
pub(crate) fn failure(
    terminal: &Terminal,
    options: &CommandLineOptions,
    command: &str,
    failure: Failure,
) -> ExitCode {
    let status = failure.code.exit();
    if options.output_mode().reports_failures_as_text() {
        let settings = options.settings.as_deref().map(as_typed);
        let reader = Reader::Person {
            settings: settings.as_deref(),
            vault: None,
            full_ids: false,
        };
        let hints = match failure.code {
            // A program in a fence cannot use the verbs of a person.
            code if options.in_run && code != Code::UsageError => {
                with_next(&failure, command, Some(code.explanation().remedy()))
            }
            _ => hints(&failure, command),
        };
        terminal.failure(&failure, &hints, reader);
        return exit(WriteOutcome::All, status);
    }
    print_text_or_envelope(terminal, options, &VerbText::default(), status, || {
        Envelope::from_failure(command, failure)
    })
}

/// Prints the version of the program (`contracts.md` M06).
pub(crate) fn program_version(
    terminal: &Terminal,
    options: &CommandLineOptions,
    text: String,
) -> ExitCode {
    let data = Map::from_iter([
        ("name".to_owned(), env!("CARGO_PKG_NAME").into()),
        ("version".to_owned(), env!("CARGO_PKG_VERSION").into()),
        ("schemaVersion".to_owned(), SCHEMA_VERSION.into()),
    ]);
    finish(
        terminal,
        options,
        "--version",
        Instant::now(),
        Ok((text, data).into()),
    )
}

/// Prints a script, whose lines are not broken; in other formats it is the `text` of the data.
pub(crate) fn script(terminal: &Terminal, options: &CommandLineOptions, script: String) -> VerbEnd {
    if options.output_mode() == OutputMode::Text {
        return exit(terminal.data_as_it_is(script.as_bytes()), 0).into();
    }
    let data = Map::from_iter([("text".to_owned(), script.into())]);
    ("", data).into()
}

/// Prints a text that is not an answer, such as help.
pub(crate) fn text(terminal: &Terminal, text: impl Into<VerbText>) -> ExitCode {
    exit(text.into().print(terminal), 0)
}

/// Returns the exit status after writing. A closed pipe is not an error; a full disk is (74, `IO_ERROR`).
pub(crate) fn exit(written: WriteOutcome, status: u8) -> ExitCode {
    match written {
        WriteOutcome::All | WriteOutcome::ReaderLeft => ExitCode::from(status),
        WriteOutcome::Failed => ExitCode::from(Code::IoError.exit()),
    }
}
