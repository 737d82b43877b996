//! The page of an answer in a result, and how to get the next page.

use cli_output::Shape;
use serde_json::json;
use vault_answers::{OwnText, RandomNote};

use crate::mcp::media::READ;
use crate::mcp::page;
use crate::mcp::page::Page;
use allowlist::Command;
use allowlist::paging::{AnswerPlace, NextCall, Paging};
use frontend::tools::Start;
use gateway::{Data, Envelope};
use protocol::{Answerer, Issue, Status};

/// Cuts the requested page out of the answer.
pub(super) fn part(
    envelope: &mut Envelope,
    entry: Option<&Command>,
    stdout: &str,
    data: Data,
    start: Start,
    budget: usize,
) -> Page {
    let Some(entry) = entry.filter(|_| envelope.success) else {
        return page::page(stdout, data, start, budget, Paging::Whole);
    };
    if matches!(entry.output, Shape::Own(form) if form.text == OwnText::Findings) {
        return findings(envelope, stdout, data, start, budget);
    }
    let paging = Paging::for_command(entry, entry.effects);
    let drawn = data
        .own::<RandomNote>()
        .filter(|_| paging == Paging::ByPath);
    let Some(note) = drawn else {
        return page::page(stdout, data, start, budget, paging);
    };
    // Calling again would pick another note, so the next page is a `read` of this path.
    let path = note.path.clone();
    let heading = match stdout.find(note.content.trim_end_matches('\n')) {
        Some(end) => stdout.get(..end).unwrap_or_default().chars().count(),
        None => 0,
    };
    let mut page = page::page(stdout, data, Start::default(), budget, paging);
    if let Some(place) = &mut page.place
        && let Some(next) = place.next_offset.take()
    {
        place.next_call = Some(NextCall {
            command: READ,
            params: json!({ "path": path }),
            offset: next.saturating_sub(heading),
        });
    }
    page
}

/// Returns the page of an audit, whose findings are in the envelope. Findings outside the page are removed.
fn findings(
    envelope: &mut Envelope,
    stdout: &str,
    data: Data,
    start: Start,
    budget: usize,
) -> Page {
    let mut found = std::mem::take(&mut envelope.violations);
    found.append(&mut envelope.advice);
    let page = page::findings_page(stdout, data, &mut found, start.skip, budget);
    let is_violation = |issue: &Issue| matches!(issue.severity(), Some("error" | "warning"));
    envelope.advice = found.split_off(found.partition_point(is_violation));
    envelope.violations = found;
    page
}

/// A page of text says where it ends, whether this or the engine has cut it.
pub(super) fn forget_cut(envelope: &mut Envelope, place: Option<&AnswerPlace>) {
    let is_text = place.is_some_and(|place| place.unit == "characters");
    if !is_text || envelope.meta.backend != Answerer::Embedded {
        return;
    }
    envelope.meta.truncated = None;
    if envelope.status == Status::Partial {
        envelope.status = Status::Ok;
    }
}

/// Describes the call for the next page; `None` at the end.
pub(super) fn how_to_go_on(place: &AnswerPlace) -> Option<String> {
    let end = place.offset + place.returned;
    let text = format!(
        "Shown: {} {} to {end} of {}.",
        place.unit, place.offset, place.total
    );
    let omitted = place.omitted.map(|omitted| {
        let rest = match place.unit {
            "files" => " Read the file with `read` to see all its lines.",
            _ => "",
        };
        format!(" This item exceeds the budget: {omitted} characters are omitted.{rest}")
    });
    let next = match (&place.next_call, place.next_offset) {
        (Some(call), _) => format!(
            " This call picks another note each time: for more, call `read` with this `path` and `offset` {}.",
            call.offset
        ),
        (None, Some(next)) => format!(" Call again with `offset` {next} for more."),
        (None, None) if omitted.is_some() => String::new(),
        (None, None) => return None,
    };
    Some(text + &omitted.unwrap_or_default() + &next)
}
