//! The envelope of a call while it runs: every step of the pipeline adds what it learned, so that every exit, early or
//! late, returns a complete envelope.

use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use uuid::Uuid;
use vault_answers::Answer;

use crate::choice::Choice;
use crate::data::Data;
use crate::envelope::{DraftMeta, Envelope, Meta, SCHEMA_VERSION, sort_issues};
use crate::file_change::FileChange;
use crate::remedy::{RemedyReader, remedy};
use crate::request::{Request, RequestId, is_id};
use crate::subject::AuditSubject;
use allowlist::paging::Paging;
use allowlist::{Call, Catalogue, Effect, EffectSet};
use backend::{PinnedVault, Produced, Truncated};
use protocol::{Answerer, Code, Failure, Issue, Message, Status};
use store::audit;
use store::drafts::Draft;

/// The details of a failure or a warning that quote the vault: a plan with its diffs, parts of notes, and names. A name
/// that the caller sent itself does not count.
const QUOTED_DETAILS: [&str; 7] = [
    "candidates",
    "files",
    "findings",
    "nearest",
    "paths",
    "text",
    "views",
];

/// The envelope of a call that is under way, with the facts gathered along the pipeline.
pub struct EnvelopeBuilder {
    /// The envelope as far as it is known. Its warnings stay whether the call succeeds or fails.
    pub envelope: Envelope,
    /// When the call began.
    pub started: Instant,
    vault: Option<String>,
    /// The vault as it was opened for this call.
    pub pinned: Option<PinnedVault>,
    /// Facts that the audit record needs besides the envelope.
    pub subject: AuditSubject,
    /// The reader of the remedy.
    pub reader: RemedyReader,
    /// Whether the plan of the change was compared with the plan without labelled notes. A later failure then has no
    /// other text of them.
    pub plan_is_compared: bool,
    /// The request for a part of the answer, from which a cut answer's next part follows.
    paging: Paging,
    /// Whether the engine may answer instead if the app reports that its command line is off.
    pub may_fall_back: bool,
}

impl EnvelopeBuilder {
    /// Begins the envelope of a request.
    pub fn new(request: &Request) -> Self {
        Self {
            envelope: Envelope::new(request),
            started: Instant::now(),
            vault: None,
            pinned: None,
            subject: AuditSubject::default(),
            reader: RemedyReader::default(),
            plan_is_compared: false,
            paging: Paging::default(),
            may_fall_back: false,
        }
    }

    /// Records the vault that answers, and a remark about it.
    pub fn opened(&mut self, vault: &PinnedVault, note: Option<Issue>) {
        self.vault = Some(vault.name());
        self.envelope.warnings.extend(note);
    }

    /// Drops the facts of a first attempt before the engine is tried.
    pub fn start_again(&mut self) {
        self.envelope.warnings.clear();
        let confinement = self.envelope.meta.confinement.take();
        self.envelope.meta = Meta {
            confinement,
            ..Meta::default()
        };
        self.may_fall_back = false;
    }

    /// Records the admitted call.
    pub fn admitted(&mut self, call: &Call) {
        self.envelope.params = call.params_json();
        self.subject.params = Some(audit::redacted(call));
        self.paging = Paging::for_command(&call.command, call.effects());
        self.envelope.meta.tier = Some(call.command.tier);
        self.envelope.meta.effects = call.effects().iter().collect();
    }

    /// Records the effects of the plan, which may be more than the effects of the call.
    pub fn planned(&mut self, effects: EffectSet) {
        self.envelope.meta.effects = effects.iter().collect();
    }

    /// Records the parameters and the effect of a call that is not a command of the catalogue.
    pub fn record_question(&mut self, params: Map<String, Value>, effect: Effect) {
        self.subject.params = Some(params.clone());
        self.envelope.params = params;
        self.envelope.meta.effects = vec![effect];
    }

    /// Records that the engine made a change without a choice of the backend.
    pub fn by_the_engine(&mut self, reason: &str) {
        self.chosen(&Choice::by_engine(reason));
    }

    /// Records which backend answers, and the reason.
    pub fn chosen(&mut self, choice: &Choice) {
        self.envelope.meta.backend = choice.answerer();
        self.envelope.meta.backend_reason = Some(choice.reason.clone());
    }

    /// Records the journal entry of a write and its changes.
    pub fn changed(&mut self, changes: Vec<FileChange>) {
        self.envelope.meta.journal = Some(self.envelope.run_id);
        self.envelope.meta.changes = changes;
    }

    /// Records that the change went into a draft, and the files that it changes there.
    pub fn drafted(&mut self, draft: &Draft, changes: Vec<FileChange>) {
        self.envelope.meta.draft = Some(DraftMeta {
            id: draft.id,
            waiting: draft.waiting(),
        });
        self.envelope.meta.changes = changes;
    }

    /// Completes the envelope. With `for_person` its `text` is all bytes for a terminal; otherwise only bytes that the
    /// other fields do not contain.
    pub fn finish(
        self,
        result: Result<Produced, Failure>,
        elapsed: Duration,
        for_person: bool,
    ) -> Envelope {
        let Self {
            mut envelope,
            reader,
            paging,
            ..
        } = self;
        let meta = &mut envelope.meta;
        meta.vault = self.vault;
        let produced = result.unwrap_or_else(|failure| {
            // Nothing ran, even if a backend had been chosen.
            meta.backend = Answerer::None;
            Produced {
                outcome: Err(failure),
                ..Produced::default()
            }
        });
        let totals = (produced.stdout.total, produced.stderr.total);
        // Only a person reads the raw bytes. They may be large, so programs get no second copy
        // (`threats.toml` J04).
        let nothing_printed = totals.0 == 0;
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
        meta.lossy = fields([("stdout", stdout.lossy), ("stderr", stderr.lossy)]);
        meta.truncated = Truncated::from_streams(&stdout, &stderr, totals);
        meta.process = produced.process;
        if let Some(official) = produced.confinement {
            meta.confinement.get_or_insert_default().official = Some(official);
        }
        let mut no_rows = false;
        match produced.outcome {
            Ok(None) => {}
            Ok(Some(answer)) if produced.is_of_gateway => {
                // Facts of the gateway itself. Only an undo has a journal entry, made by the engine.
                if meta.journal.is_none() {
                    meta.backend = Answerer::None;
                }
                envelope.data = Data::from_answer(answer);
            }
            Ok(Some(mut answer)) => {
                no_rows = answer.is_empty();
                if produced.part.is_none() && paging.continues_lists() {
                    envelope.warnings.extend(left_out(&mut answer));
                }
                if let (Some(part), Some(mut text)) = (produced.part, answer.answer_text()) {
                    text.stand_at(part);
                }
                envelope.data = Data::from_answer(answer);
            }
            Err(failure) => envelope.error = Some(with_usage(failure, &envelope.command)),
        }
        let failure = envelope.error.as_ref();
        envelope.status = match failure {
            Some(_) if produced.may_have_happened => Status::Unknown,
            Some(failure) if failure.code.is_refusal() => Status::Refused,
            Some(_) => Status::Error,
            None if produced.is_partial || meta.truncated.is_some() => Status::Partial,
            None if no_rows => Status::NoMatches,
            None if meta.draft.is_some() => Status::Drafted,
            None => Status::Ok,
        };
        envelope.warnings.extend(produced.warnings);
        sort_issues(&mut envelope.warnings);
        let quotes = |details: &Map<String, Value>| {
            let mut quoted = QUOTED_DETAILS.into_iter();
            quoted.any(|detail| details.contains_key(detail))
        };
        let mut warnings = envelope.warnings.iter();
        let quoting = |issue: &Issue| issue.path.is_some() || quotes(&issue.details);
        meta.untrusted = fields([
            ("stdout", !stdout.text.is_empty()),
            ("stderr", !stderr.text.is_empty()),
            ("data", !envelope.data.is_empty()),
            ("warnings", warnings.any(quoting)),
            ("violations", !produced.violations.is_empty()),
            ("advice", !produced.advice.is_empty()),
            (
                "error",
                failure.is_some_and(|failure| quotes(&failure.details)),
            ),
        ]);
        envelope.text = match failure {
            None => exact_text.unwrap_or(kept),
            // Output before a timeout is useful; any other failure repeats its text in `error`.
            Some(failure) if matches!(failure.code, Code::Timeout | Code::Cancelled) => kept,
            Some(_) => Vec::new(),
        };
        envelope.success = failure.is_none();
        envelope.violations = produced.violations;
        sort_issues(&mut envelope.violations);
        envelope.advice = produced.advice;
        sort_issues(&mut envelope.advice);
        envelope
            .advice
            .extend(failure.and_then(|failure| remedy(failure, reader)));
        envelope.exit_code = produced.exit_code;
        envelope.duration_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        envelope.stdout = stdout.text;
        envelope.stderr = stderr.text;
        envelope.summarise();
        envelope
    }
}

impl Envelope {
    /// Returns the envelope of a successful call with an empty answer.
    fn new(request: &Request) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            command: request.command.clone(),
            success: true,
            run_id: request.run_id.unwrap_or_else(Uuid::new_v4),
            // The ids are read before the request is checked: a request that is wrong elsewhere still
            // gets its ids back, so a caller can match every answer. An invalid id is not echoed.
            correlation_id: request.correlation_id.clone().filter(|id| is_id(id)),
            id: request.id.clone().filter(RequestId::is_valid),
            ..Self::default()
        }
    }

    /// Returns the envelope of a failure outside any call, such as a bad option or unusable settings.
    pub fn from_failure(command: &str, failure: Failure) -> Self {
        Self::for_verb(command, Duration::ZERO, Map::new(), Some(failure))
    }

    /// Returns the envelope of a verb of the command line that runs no call, such as `doctor`.
    pub fn for_verb(
        verb: &str,
        elapsed: Duration,
        data: Map<String, Value>,
        failure: Option<Failure>,
    ) -> Self {
        let result = failure.map_or_else(|| Ok(Produced::default()), Err);
        let trace = EnvelopeBuilder::new(&Request::new(verb));
        let mut envelope = trace.finish(result, elapsed, false);
        envelope.data = data.into();
        envelope.summarise();
        envelope
    }
}

/// Adds the usage of the command to the failure of an incorrect call, so that the next one can be
/// correct.
fn with_usage(failure: Failure, command: &str) -> Failure {
    if failure.code != Code::UsageError || failure.is_complete() {
        return failure;
    }
    match Catalogue::find_builtin(command) {
        Ok(command) => failure.with("usage", command.usage()),
        Err(_) => failure,
    }
}

/// Returns a warning if a single item of a list exceeds the output bound and is skipped (`threats.toml` F15).
fn left_out(answer: &mut Answer) -> Option<Issue> {
    let numbers = answer.numbers()?;
    let offset = numbers.offset;
    (numbers.returned == 0 && offset < numbers.total).then(|| {
        let mut message = Message::from(format!(
            "The item at `offset` {offset} is too large for an answer and was left out."
        ));
        if let Some(next) = numbers.next() {
            message.push_sentence(format!("Continue at `offset` {next}."));
        }
        Issue::new("ITEM_LEFT_OUT", message).with("offset", offset)
    })
}

fn fields<const N: usize>(present: [(&'static str, bool); N]) -> Vec<&'static str> {
    present
        .into_iter()
        .filter_map(|(field, holds)| holds.then_some(field))
        .collect()
}
