//! Decides whether an answer is an error for a model, and which warning comes first.

use serde_json::Value;
use vault_answers::Confirmation;
use vault_engine::shown;

use allowlist::Effect;
use allowlist::paging::AnswerPlace;
use frontend::tools::Start;
use gateway::{Data, Envelope, past_the_end};
use protocol::Status;

/// Whether the result has no page: the call failed without output, or `offset` is past the end of the answer, which is
/// an error then. A change that was made stays one.
pub(super) fn has_no_page(
    envelope: &mut Envelope,
    text: &str,
    place: Option<&AnswerPlace>,
    start: Start,
) -> bool {
    if !envelope.success && text.is_empty() {
        return true;
    }
    let is_read = envelope.success && envelope.meta.journal.is_none();
    let Some(past) = place.filter(|place| is_read && place.total < start.skip) else {
        return false;
    };
    let offset = start.passed + start.skip;
    let failure = past_the_end(offset, past.total, past.unit.trim_end_matches('s'));
    (envelope.success, envelope.status) = (false, Status::Error);
    envelope.error = Some(failure);
    true
}

/// Puts the warning of a change that found nothing to change first, in place of the app's confirmation.
pub(super) fn lead_with_what_is_not_there(envelope: &Envelope, data: &mut Data, text: &mut String) {
    let mut effects = envelope.meta.effects.iter();
    let is_change = effects.any(|effect| *effect != Effect::Read) && !data.is_plan();
    let mut warnings = envelope.warnings.iter();
    let missing = warnings.find(|warning| NOT_THERE.contains(&warning.code));
    let Some(missing) = missing.filter(|_| envelope.success && is_change) else {
        return;
    };
    if !envelope.meta.changes.is_empty() {
        return;
    }
    let sentence = format!("Nothing was changed. {}", missing.message.text());
    // The app prints then that the change was made.
    if data.own::<Confirmation>().is_some() {
        *data = Data::default();
        *text = sentence;
    } else {
        *text = format!("{sentence}\n{text}");
    }
}

/// The warnings that the subject of a change does not exist.
const NOT_THERE: [&str; 3] = ["NO_SUCH_PROPERTY", "NO_SUCH_TAG", "NO_SUCH_VALUE"];

/// The codes of the warnings that a base has failing filters or an invalid part, so that its empty answer proves
/// nothing.
const BASE_FAILS: [&str; 2] = ["BASE_FILTER_FAILED", "BASE_FAULT"];

/// Whether the answer has no requested item: each item is an error, or a base is faulty.
pub(super) fn answers_nothing(envelope: &Envelope, items: Option<&[Value]>) -> bool {
    match items {
        None | Some([]) => {
            let mut warnings = envelope.warnings.iter();
            envelope.status == Status::NoMatches
                && warnings.any(|warning| BASE_FAILS.contains(&warning.code))
        }
        Some(items) => items.iter().all(|item| item.get("error").is_some()),
    }
}

/// Returns the error as text: code, message, remedies, approval id.
pub(super) fn failure_text(envelope: &Envelope) -> Option<String> {
    let error = envelope.error.as_ref()?;
    let remedies = envelope.advice.iter().map(|advice| advice.message.text());
    // A message may quote names with line breaks, which must not forge a line (`threats.toml` B10).
    let mut text = format!("{}: {}", error.code.name(), shown::row(&error.to_string()));
    for remedy in remedies {
        text += "\n";
        text += &shown::row(&remedy);
    }
    if let Some(approval) = error.approval() {
        text += &format!("\nApproval: {approval}");
    }
    Some(text)
}
