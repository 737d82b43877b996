//! Builds the envelope of a call from the facts gathered while it is answered, so that every way out
//! ends in a full envelope.

use std::time::Duration;

use cli_output::PlaceInList;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::answered::Answered;
use super::choice::Choice;
use super::envelope::{Envelope, Meta, SCHEMA_VERSION, sort_issues};
use super::file_change::FileChange;
use super::remedy::{Under, remedy};
use super::request::{Request, is_id};
use super::subject::AuditSubject;
use crate::allowlist::{Call, Effect};
use crate::backend::{Payload, Produced, Truncated, can_go_on};
use crate::code::Code;
use crate::failure::Failure;
use crate::issue::Issue;
use crate::status::{Answerer, Status};

/// The facts gathered on the way through.
#[derive(Clone)]
pub(super) struct EnvelopeBuilder {
    command: String,
    run_id: Uuid,
    correlation_id: Option<String>,
    id: Option<String>,
    pub(super) timestamp: Option<String>,
    params: Map<String, Value>,
    pub(super) vault: Option<String>,
    /// What came to light on the way, whatever the answer is.
    pub(super) warnings: Vec<Issue>,
    /// What the audit record needs besides.
    pub(super) subject: AuditSubject,
    /// What may close the call besides the settings for everyone.
    pub(super) under: Under,
    /// Whether the caller can go on in a cut answer with `offset`.
    goes_on: bool,
    /// Whether the command has a parameter `offset` of its own.
    has_offset: bool,
    /// Whether the engine may answer where the app turns out to be switched off.
    pub(super) may_fall_back: bool,
    meta: Meta,
}

impl EnvelopeBuilder {
    pub(super) fn new(request: &Request) -> Self {
        // An id that fails its check is not echoed; what else is wrong with the request takes none
        // away, so that a caller can match every answer.
        let correlation_id = request.correlation_id.clone().filter(|id| is_id(id));
        let id = request.id.clone().filter(|id| is_id(id));
        Self {
            command: request.command.clone(),
            run_id: request.run_id.unwrap_or_else(Uuid::new_v4),
            correlation_id,
            id,
            timestamp: None,
            params: Map::new(),
            vault: None,
            warnings: Vec::new(),
            subject: AuditSubject::default(),
            under: Under::default(),
            goes_on: false,
            has_offset: false,
            may_fall_back: false,
            meta: Meta::default(),
        }
    }

    /// Names this run.
    pub(super) fn run_id(&self) -> Uuid {
        self.run_id
    }

    /// Forgets what was found out on a way that led nowhere.
    pub(super) fn start_again(&mut self) {
        self.warnings.clear();
        self.meta = Meta::default();
        self.may_fall_back = false;
    }

    /// The request named a command and gave it arguments that fit.
    pub(super) fn admitted(&mut self, call: &Call) {
        self.params = call.params_json();
        self.subject.admitted(call);
        self.has_offset = call.command.param("offset").is_some();
        self.goes_on = can_go_on(call.command.output) && !self.has_offset;
        self.meta.tier = Some(call.command.tier);
        self.meta.effects = call.effects().iter().collect();
    }

    /// A question about the gateway or its vault was understood.
    pub(super) fn asked(&mut self, params: Map<String, Value>) {
        self.subject.asked(&params);
        self.params = params;
        self.meta.effects = vec![Effect::Read];
    }

    /// A backend will answer.
    pub(super) fn chosen(&mut self, choice: &Choice) {
        self.meta.backend = choice.answerer();
        self.meta.backend_reason = Some(choice.reason.clone());
    }

    /// A write was recorded, and this is what it changed.
    pub(super) fn changed(&mut self, changes: Vec<FileChange>) {
        self.meta.journal = Some(self.run_id);
        self.meta.changes = changes;
    }

    /// What an envelope would say now, with nothing done.
    pub(super) fn so_far(&self) -> Envelope {
        self.clone().blank(Duration::ZERO)
    }

    /// The envelope of this call, and `for_person` the bytes for a terminal; otherwise those alone that
    /// the envelope does not hold.
    pub(super) fn finish(
        mut self,
        result: Result<Produced, Failure>,
        elapsed: Duration,
        for_person: bool,
    ) -> Answered {
        self.meta.vault = self.vault.take();
        match result {
            Ok(produced) => self.of_run(produced, elapsed, for_person),
            Err(failure) => {
                // Nothing ran, whoever would have answered.
                self.meta.backend = Answerer::None;
                Answered {
                    envelope: self.of_refusal(failure, elapsed),
                    text: Vec::new(),
                }
            }
        }
    }

    fn of_run(mut self, produced: Produced, elapsed: Duration, for_person: bool) -> Answered {
        let totals = (produced.stdout.total, produced.stderr.total);
        // Whoever is no person reads the envelope, and the output may be large (`faults.md` J04).
        let nothing_printed = totals.0 == 0;
        let under = self.under;
        let exact_text = produced
            .exact_text
            .filter(|_| for_person || nothing_printed);
        let kept = if for_person {
            produced.stdout.head.clone()
        } else {
            Vec::new()
        };
        let stdout = produced.stdout.into_text();
        let stderr = produced.stderr.into_text();
        self.meta.lossy = fields([("stdout", stdout.lossy), ("stderr", stderr.lossy)]);
        self.meta.truncated = Truncated::from_streams(&stdout, &stderr, totals);
        self.meta.process = produced.process;
        let (mut is_part, mut is_empty) = (false, false);
        let (mut data, failure) = match produced.outcome {
            Ok(Payload::Answer(answer)) => {
                // Some answers of our own hold their list deeper inside, without a `total`.
                is_empty = matches!(&answer, cli_output::Answer::Own(own) if own.is_empty());
                (object(&answer), None)
            }
            Ok(Payload::Unread) => (Map::new(), None),
            Ok(Payload::Facts(facts)) => {
                self.meta.backend = Answerer::None;
                is_part = facts.is_partial;
                (facts.data, None)
            }
            Err(failure) => (Map::new(), Some(failure)),
        };
        if let Some(part) = produced.part {
            part.mark(&mut data);
        } else if self.goes_on || self.has_offset {
            self.warnings.extend(mark_list(&mut data, self.goes_on));
        }
        let no_rows = is_empty || data.get("total").is_some_and(|total| *total == 0);
        let status = match &failure {
            Some(_) if produced.may_have_happened => Status::Unknown,
            Some(failure) if failure.code.is_refusal() => Status::Refused,
            Some(_) => Status::Error,
            None if is_part || self.meta.truncated.is_some() => Status::Partial,
            None if no_rows => Status::NoMatches,
            None => Status::Ok,
        };
        let mut warnings = std::mem::take(&mut self.warnings);
        warnings.extend(produced.warnings);
        let warnings = sort_issues(warnings);
        self.meta.untrusted = fields([
            ("stdout", !stdout.text.is_empty()),
            ("stderr", !stderr.text.is_empty()),
            ("data", !data.is_empty()),
            ("warnings", hold_vault_text(&warnings)),
            ("violations", !produced.violations.is_empty()),
            ("advice", !produced.advice.is_empty()),
            ("error", failure.as_ref().is_some_and(holds_vault_text)),
        ]);
        let text = match &failure {
            None => exact_text.unwrap_or(kept),
            // Partial output is worth having; an error text is already the error message.
            Some(failure) if matches!(failure.code, Code::Timeout | Code::Cancelled) => kept,
            Some(_) => Vec::new(),
        };
        let mut envelope = self.blank(elapsed);
        envelope.success = failure.is_none();
        envelope.status = status;
        envelope.exit_code = produced.exit_code;
        envelope.stdout = stdout.text;
        envelope.stderr = stderr.text;
        envelope.data = data;
        envelope.warnings = warnings;
        envelope.violations = sort_issues(produced.violations);
        envelope.advice = sort_issues(produced.advice);
        let remedy = |failure| remedy(failure, under);
        envelope.advice.extend(failure.as_ref().and_then(remedy));
        envelope.error = failure.map(Into::into);
        Answered { envelope, text }
    }

    fn of_refusal(self, failure: Failure, elapsed: Duration) -> Envelope {
        let remedy = remedy(&failure, self.under);
        let mut envelope = self.blank(elapsed);
        envelope.success = false;
        envelope.status = if failure.code.is_refusal() {
            Status::Refused
        } else {
            Status::Error
        };
        envelope.meta.untrusted = fields([
            ("warnings", hold_vault_text(&envelope.warnings)),
            ("error", holds_vault_text(&failure)),
        ]);
        envelope.advice = remedy.into_iter().collect();
        envelope.error = Some(failure.into());
        envelope
    }

    /// The envelope of a call that succeeded and had nothing to say.
    fn blank(self, elapsed: Duration) -> Envelope {
        Envelope {
            schema_version: SCHEMA_VERSION,
            command: self.command,
            success: true,
            status: Status::Ok,
            exit_code: None,
            duration_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            stdout: String::new(),
            stderr: String::new(),
            run_id: self.run_id,
            correlation_id: self.correlation_id,
            id: self.id,
            timestamp: self.timestamp,
            params: self.params,
            data: Map::new(),
            warnings: sort_issues(self.warnings),
            violations: Vec::new(),
            advice: Vec::new(),
            error: None,
            meta: self.meta,
        }
    }
}

impl Envelope {
    /// The envelope of a failure outside any call: wrong words, unusable settings.
    pub fn of_failure(command: &str, failure: Failure) -> Self {
        EnvelopeBuilder::new(&Request::new(command)).of_refusal(failure, Duration::ZERO)
    }

    /// The envelope of one of our own verbs, which runs nothing; with what it found to be wrong.
    pub fn of_verb(
        verb: &str,
        elapsed: Duration,
        data: Map<String, Value>,
        failure: Option<Failure>,
    ) -> Self {
        let trace = EnvelopeBuilder::new(&Request::new(verb));
        let mut envelope = match failure {
            Some(failure) => trace.of_refusal(failure, elapsed),
            None => trace.blank(elapsed),
        };
        envelope.data = data;
        envelope
    }
}

/// Whether a failure tells of what stands in the vault: the plan with its diffs, the notes that
/// would have fitted. A name that the caller sent itself is no news to it.
fn holds_vault_text(failure: &Failure) -> bool {
    ["files", "candidates"]
        .iter()
        .any(|detail| failure.details.contains_key(*detail))
}

/// Whether a warning names files, whose names whoever writes to the vault has chosen.
fn hold_vault_text(warnings: &[Issue]) -> bool {
    warnings.iter().any(|warning| warning.path.is_some())
}

fn object(answer: &cli_output::Answer) -> Map<String, Value> {
    match serde_json::to_value(answer) {
        Ok(Value::Object(object)) => object,
        // Every answer is a struct with text keys.
        Ok(_) | Err(_) => Map::new(),
    }
}

/// Says where to go on in a list of which only some items are told, because the output is bounded or
/// because of the call's own `limit` (`faults.md` F15).
/// An item that does not fit alone is passed, with a warning.
fn mark_list(data: &mut Map<String, Value>, goes_on: bool) -> Option<Issue> {
    // A tag's list of files stands one level down.
    let list = if data.contains_key("items") {
        Some(data)
    } else {
        data.get_mut("files").and_then(Value::as_object_mut)
    };
    let list = list.filter(|list| list.contains_key("items"))?;
    let number = |key: &str| usize::try_from(list.get(key)?.as_u64()?).ok();
    let (Some(total), Some(offset), Some(returned)) =
        (number("total"), number("offset"), number("returned"))
    else {
        return None;
    };
    // So that going on always comes to an end.
    let next = offset.saturating_add(returned.max(1));
    if next < total && goes_on {
        let place = PlaceInList {
            next_offset: Some(next),
        };
        if let Value::Object(place) = json!(place) {
            list.extend(place);
        }
    }
    (returned == 0 && offset < total).then(|| {
        let message = format!(
            "The item at `offset` {offset} alone is longer than an answer may be, and is left out. `offset` {next} passes it."
        );
        Issue::new("ITEM_LEFT_OUT", message).with("offset", offset)
    })
}

fn fields<const N: usize>(held: [(&'static str, bool); N]) -> Vec<&'static str> {
    held.into_iter()
        .filter_map(|(field, holds)| holds.then_some(field))
        .collect()
}
