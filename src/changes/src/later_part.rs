//! Paging: `offset`, which continues a cut answer (`design/envelope.md`, `threats.toml` F15), and `limit` for
//! lists of the app, whose `total` still counts every item.

use cli_output::PageUnit;
use vault_answers::{Answer, PlaceInText};

use crate::error::Error;
use crate::request::Request;
use allowlist::Call;
use allowlist::paging::{OFFSET, Paging, WholeText, cut_out};
use backend::captured::{is_text, whole_rows_end};
use backend::{Captured, Limits, Produced, ResolvedCall, engine_failure};
use protocol::{Code, Failure};

/// Refuses `offset` for a command that cannot page. If it were ignored, the caller would take the same
/// answer for the next part.
///
/// # Errors
///
/// `USAGE_ERROR`, which names the argument.
pub fn check(request: &Request, call: &Call) -> Result<(), Failure> {
    if request.offset == 0 {
        return Ok(());
    }
    let command = call.command.id.clone();
    let error = match Paging::for_command(&call.command, call.effects()) {
        Paging::Request(_) => return Ok(()),
        Paging::Parameter => Error::OffsetIsParameter(command),
        Paging::ByPath => Error::OffsetByPath(command),
        Paging::Whole => Error::NoOffset(command),
    };
    Err(error.into())
}

/// Refuses an `offset` behind the end of the answer. The empty part would look like an empty note or list.
///
/// # Errors
///
/// `USAGE_ERROR`, which names the argument.
pub fn refuse_past_the_end(produced: &mut Produced, limits: &Limits) -> Result<(), Failure> {
    let Ok(Some(answer)) = &mut produced.outcome else {
        return Ok(());
    };
    let (has, offset, what) = match &produced.part {
        Some(part) => (part.total_characters, limits.offset, "character"),
        // A command with an `offset` of its own has applied it.
        None => match answer.list().map(|list| list.numbers()) {
            Some(list) => (Some(list.total), limits.offset.max(list.offset), "item"),
            None => return Ok(()),
        },
    };
    match has {
        Some(has) if has < offset => Err(past_the_end(offset, has, what)),
        _ => Ok(()),
    }
}

/// Returns the failure for an `offset` behind the end of an answer that has so many of something.
pub fn past_the_end(offset: usize, has: usize, what: &str) -> Failure {
    Error::PastTheEnd(offset, has, what.to_owned()).into()
}

/// Whether this is the failure of [`past_the_end`].
pub fn is_past_the_end(failure: &Failure) -> bool {
    let argument = failure
        .details
        .get("argument")
        .and_then(serde_json::Value::as_str);
    failure.code == Code::UsageError && argument == Some(OFFSET)
}

/// Returns the call's `limit` on a list with the paging of the request; `None` if the call wants all items or only
/// their number. The app ignores a limit below 1 (`official-cli.md` §5.1).
pub fn limit(call: &Call) -> Option<usize> {
    let paging = Paging::for_command(&call.command, call.effects());
    if !matches!(paging, Paging::Request(_)) || call.arguments.flags.contains("total") {
        return None;
    }
    call.arguments.number("limit").filter(|limit| *limit > 0)
}

/// Returns the same call without `limit`. The app prints no total, so the items can be counted only in the whole list.
pub fn without_limit(resolved: &ResolvedCall) -> ResolvedCall {
    let mut resolved = resolved.clone();
    resolved.call.arguments.values.remove("limit");
    resolved
}

/// Whether to ask the app again with the call's `limit`, because the whole list overflowed the output
/// bound before `limit` items could be read.
pub fn has_too_little(produced: &mut Produced, limits: &Limits) -> bool {
    if produced.stdout.omitted() == 0 || limits.offset > 0 {
        return false;
    }
    let Ok(answer) = &mut produced.outcome else {
        return false;
    };
    let read = answer.as_mut().map_or(0, items);
    limits.limit.is_some_and(|limit| read < limit)
}

/// Sets `total` of a list that the app has limited. The real total is unknown; one more than returned shows the caller
/// that there may be more.
pub fn at_least_one_more(produced: &mut Produced, limits: &Limits) {
    if let Some(answer) = produced.backend_answer()
        && let Some(list) = answer.numbers()
        && limits.limit.is_some_and(|limit| list.returned >= limit)
    {
        answer.set_total(list.returned + 1);
    }
}

/// Cuts a list that the app printed to whole rows, or to the requested page. Text of a note is left to
/// [`super::note_text`], which compares it with the file.
pub fn cut_list(mut produced: Produced, resolved: &ResolvedCall, limits: &Limits) -> Produced {
    let shape = resolved.call.command.output;
    let arguments = &resolved.call.arguments;
    let is_cut = produced.stdout.omitted() > 0;
    let mut limits = limits.clone();
    if limits.offset == 0 && !is_cut && limits.limit.is_none() {
        return produced;
    }
    let Ok(Some(answer)) = &mut produced.outcome else {
        return produced;
    };
    if is_text(shape) {
        return produced;
    }
    if is_cut && let Some(list) = answer.numbers() {
        let rows = list.returned;
        // The lists have one line per item, and all lines were counted, including those beyond
        // the bound. Lines above the first item are start-up noise of the app; more than a few
        // mean that the count cannot be trusted.
        let text = produced.stdout.text().text;
        let kept = whole_rows_end(&text, shape);
        let lines = produced.stdout.head.get(..kept).unwrap_or_default();
        let kept_lines = memchr::memchr_iter(b'\n', lines).count();
        let all_lines = usize::try_from(produced.stdout.line_feeds).unwrap_or(usize::MAX);
        let noise = kept_lines.saturating_sub(rows);
        if rows > 0 && noise <= NOISE_LINES {
            answer.set_total(all_lines.saturating_sub(noise));
        } else {
            answer.set_total(rows + 1);
        }
        produced.stdout.keep_first(kept);
        // The last file of a search may have more lines, so the next page begins with it.
        if shape.page_unit() == Some(PageUnit::Files) && rows > limits.offset + 1 {
            let whole = rows - 1 - limits.offset;
            limits.limit = Some(limits.limit.map_or(whole, |limit| limit.min(whole)));
        }
    }
    if (limits.offset > 0 || exceeds(answer, &produced.stdout, &limits))
        && let Some(page) = limits.cut_list(answer, shape, arguments)
    {
        produced.stdout = Captured::beginning(page.text.into_bytes(), page.size);
    }
    produced
}

/// Whether the list exceeds the requested items or bytes.
fn exceeds(answer: &mut Answer, stdout: &Captured, limits: &Limits) -> bool {
    stdout.head.len() > limits.max_output_bytes
        || limits.limit.is_some_and(|limit| items(answer) > limit)
}

/// Returns the number of items in its list.
fn items(answer: &mut Answer) -> usize {
    answer.numbers().map_or(0, |list| list.returned)
}

/// Maximum number of start-up lines above a list.
const NOISE_LINES: usize = 2;

/// Cuts the requested part out of a text. Prefers the `stored` text, which is complete; the printed one
/// may have been cut at the output bound.
///
/// # Errors
///
/// `ARGUMENT_TOO_LARGE` if the app may have cut the text before this part.
pub fn cut_text(
    produced: &mut Produced,
    stored: Option<WholeText<'_>>,
    limits: &Limits,
) -> Result<(), Failure> {
    let omitted = produced.stdout.omitted();
    let Ok(Some(answer)) = &mut produced.outcome else {
        return Ok(());
    };
    // Only the number of bytes that the app has printed beyond the kept text is known.
    let is_open = stored.is_none() && omitted > 0;
    let printed = match (&stored, answer.answer_text()) {
        (None, Some(present)) => present.text.clone(),
        _ => String::new(),
    };
    let whole = stored.unwrap_or(WholeText::InMemory(printed.as_bytes()));
    let (offset, most) = (limits.offset, limits.max_output_bytes);
    let part = cut_out(answer, whole, offset, most).map_err(engine_failure)?;
    let Some(mut part) = part else {
        return Ok(());
    };
    if is_open {
        let shown = answer
            .answer_text()
            .map_or(0, |present| present.text.chars().count());
        if shown == 0 && offset > 0 {
            return Err(Error::BeyondKept.into());
        }
        part.total = part.total.saturating_add(omitted);
        let end = (shown > 0).then_some(part.place.offset + shown);
        let next = part.place.next_offset.or(end);
        part.place = PlaceInText::new(part.place.offset, next, None);
    }
    produced.stdout.head = part.bytes;
    produced.stdout.total = part.total;
    produced.exact_text = None;
    produced.part = Some(part.place);
    Ok(())
}
