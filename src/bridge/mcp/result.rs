//! Converts the gateway's answer to an MCP tool result.
//!
//! Some clients show the model the text blocks, others only `structuredContent`, so each is complete by
//! itself and both hold the same (`design.md` §9):
//!
//! - The first text block is the result: vault text, or what the command printed. The text that our own
//!   commands print for people says less than their data, so for them the data is the text: a list is a
//!   table with a line for each item.
//! - The last text block holds metadata as one line of JSON: path, `sha256`, warnings, and how to get
//!   the next page. It is a separate block after all vault text, because a note can imitate this line
//!   but cannot put anything after it (`faults.md` K01, K02).
//! - `structuredContent` is the envelope's `data` with the same metadata.
//! - An image is a block of its own before the text.
//! - `_meta` holds what a model cannot use: run id, times, tier, effects, backend, process, and which
//!   fields hold text of the vault.

mod image;
mod lean;
mod list_text;

use cli_output::{Shape, shown};
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value, json};

use self::lean::{cut, cut_lists, folded, lean, omit_diffs};
use self::list_text::{merge_hits, table};
use super::page::{self, AnswerPlace, Page};
use crate::allowlist::{Catalogue, Effect};
use crate::failure::Failure;
use crate::frontend::tools::Start;
use crate::gateway::about::QUESTIONS;
use crate::gateway::{Answered, Envelope, ErrorBody, past_the_end};
use crate::issue::Issue;
use crate::status::{Answerer, Status};

/// The command that picks another note at each call.
const DRAWS: &str = "random:read";
/// The command whose findings become the envelope's violations and advice.
const AUDIT: &str = "vault:audit";
/// Our own commands whose text is text of notes, so that their data adds nothing.
const TELLS_NOTES: [&str; 2] = ["note:get", "notes:context"];
/// How the app's errors begin.
const APP_ERROR: &str = "Error: ";
/// The key in `_meta` for facts about the run.
const RUN: &str = "vault-gw/run";
/// The fields of `data` that are metadata of a text or list.
const BESIDE_TEXT: [&str; 10] = [
    "path",
    "type",
    "sha256",
    "offset",
    "truncated",
    "nextOffset",
    "totalCharacters",
    "total",
    "returned",
    "needsApproval",
];

/// Converts an answer to a tool result: the page that begins at `start`, of about `budget`
/// characters.
pub(super) fn from_answer(answered: Answered, start: Start, budget: usize) -> CallToolResult {
    let Answered { mut envelope, text } = answered;
    envelope.for_model();
    let mut stdout = std::mem::take(&mut envelope.stdout);
    if !envelope.success
        && envelope.meta.backend == Answerer::Embedded
        && stdout.starts_with(APP_ERROR)
    {
        // The engine's sentence of the app, which the message says too.
        stdout.clear();
    }
    if stdout.is_empty() {
        // A plan is not the command's stdout, but it is the text to show.
        stdout = String::from_utf8_lossy(&text).into_owned();
    }
    let mut data = std::mem::take(&mut envelope.data).into_map();
    let is_untold = data.is_empty();
    let image = image::taken(&envelope.command, &mut data);
    let rest = cut_by_command(&envelope.command, &data);
    if let Some(lines) = merge_hits(&mut data) {
        stdout = lines;
    }
    let is_data_told = envelope.success && says_more_than_its_text(&envelope.command, &data);
    if is_data_told {
        stdout = lines_of(&data);
    }
    let Page {
        mut text,
        mut data,
        mut place,
        omits_data,
    } = if image.is_some() {
        // What is told beside an image is short, and no page of it.
        Page {
            text: String::new(),
            data,
            place: None,
            omits_data: false,
        }
    } else {
        part(&mut envelope, &stdout, data, start, budget)
    };
    if has_no_page(&mut envelope, &text, place.as_ref(), start) {
        (text, data, place) = (String::new(), Map::new(), None);
    }
    go_on_with(rest, &mut place);
    let is_cut_item = place.as_ref().is_some_and(|place| place.omitted.is_some());
    if is_data_told && let Some(Value::Array(items)) = data.get("items") {
        let table = table(items);
        // Of an item whose texts are cut each, the table may still be too long.
        if !is_cut_item || table.chars().count() <= budget.saturating_mul(2) {
            text = table;
        }
    }
    let said_by_data = !is_untold && !omits_data;
    // The text block and `data` carry what the envelope calls `stdout`.
    for field in &mut envelope.meta.untrusted {
        if *field == "stdout" && said_by_data {
            *field = "content";
        }
    }
    lead_with_what_is_not_there(&envelope, &mut data, &mut text);
    forget_cut(&mut envelope, place.as_ref());
    envelope.warnings = folded(std::mem::take(&mut envelope.warnings));
    let omitted = cut(&mut envelope.stderr, budget);
    let (mut structured, run) = lean(&envelope);
    cut_lists(&mut structured, budget.saturating_mul(2));
    omit_diffs(&mut structured);
    if omitted > 0 {
        structured.insert("stderrOmitted".to_owned(), json!(omitted));
    }
    structured.insert("data".to_owned(), Value::Object(data));
    if !said_by_data && !text.is_empty() {
        structured.insert("stdout".to_owned(), json!(text));
    }
    if let Some(place) = &place {
        structured.insert("page".to_owned(), json!(place));
    }
    let next = place.as_ref().and_then(how_to_go_on);
    let next = next.or_else(|| wider_search(&envelope.command, structured.get("data")));
    if let Some(next) = &next
        && place.is_none()
    {
        structured.insert("next".to_owned(), json!(next));
    }
    let facts = facts(&structured, &text, next, is_data_told);
    let mut content: Vec<ContentBlock> = image.into_iter().collect();
    if let Some(told) = failure_text(&envelope) {
        content.push(ContentBlock::text(told));
    }
    if content.is_empty() || !text.is_empty() {
        content.push(ContentBlock::text(text));
    }
    if !facts.is_empty() {
        content.push(ContentBlock::text(Value::Object(facts).to_string()));
    }
    let mut result = if envelope.success && !answers_nothing(&envelope, structured.get("data")) {
        CallToolResult::success(content)
    } else {
        CallToolResult::error(content)
    };
    result.structured_content = Some(Value::Object(structured));
    let run = (RUN.to_owned(), Value::Object(run));
    result.meta = Some(MetaObject(Map::from_iter([run])));
    result
}

/// Whether there is no page: of a failure that printed nothing, and behind the end of the answer.
fn has_no_page(
    envelope: &mut Envelope,
    text: &str,
    place: Option<&AnswerPlace>,
    start: Start,
) -> bool {
    let printed_nothing = !envelope.success && text.is_empty();
    printed_nothing || is_past_the_end(envelope, place, start)
}

/// Whether a page begins behind the end of the answer, which is an error then. A change that was made stays one.
fn is_past_the_end(envelope: &mut Envelope, place: Option<&AnswerPlace>, start: Start) -> bool {
    let is_read = envelope.success && envelope.meta.journal.is_none();
    let Some(past) = place.filter(|place| is_read && place.total < start.skip) else {
        return false;
    };
    let offset = start.passed + start.skip;
    let failure = past_the_end(offset, past.total, past.unit.trim_end_matches('s'));
    (envelope.success, envelope.status) = (false, Status::Error);
    envelope.error = Some(ErrorBody {
        code: failure.code,
        message: failure.message,
        details: failure.details,
    });
    true
}

/// Of a change that found nothing of what it was to change, the warning that says so comes first.
fn lead_with_what_is_not_there(
    envelope: &Envelope,
    data: &mut Map<String, Value>,
    text: &mut String,
) {
    let mut effects = envelope.meta.effects.iter();
    let is_change = effects.any(|effect| *effect != Effect::Read) && !data.contains_key("dryRun");
    let mut warnings = envelope.warnings.iter();
    let missing = warnings.find(|warning| NOT_THERE.contains(&warning.code));
    let Some(missing) = missing.filter(|_| envelope.success && is_change) else {
        return;
    };
    if !envelope.meta.changes.is_empty() {
        return;
    }
    let told = format!("Nothing was changed. {}", missing.message);
    // What the app prints then says that it was done.
    if data.contains_key("action") {
        data.clear();
        *text = told;
    } else {
        *text = format!("{told}\n{text}");
    }
}

/// The warnings that what a change is about is not there.
const NOT_THERE: [&str; 3] = ["NO_SUCH_PROPERTY", "NO_SUCH_TAG", "NO_SUCH_VALUE"];

/// The warnings that the filters of a base fail, and that a part of it is none: an empty answer proves nothing then.
const BASE_FAILS: [&str; 2] = ["BASE_FILTER_FAILED", "BASE_FAULT"];

/// Whether nothing of what was asked for could be told: each item is an error, or a base is faulty.
fn answers_nothing(envelope: &Envelope, data: Option<&Value>) -> bool {
    let items = data.and_then(|data| data.get("items")?.as_array());
    match items.map(Vec::as_slice) {
        None | Some([]) => {
            let mut warnings = envelope.warnings.iter();
            envelope.status == Status::NoMatches
                && warnings.any(|warning| BASE_FAILS.contains(&warning.code))
        }
        Some(items) => items.iter().all(|item| item.get("error").is_some()),
    }
}

/// Whether the command's text for people omits some of its data.
fn says_more_than_its_text(command: &str, data: &Map<String, Value>) -> bool {
    let is_ours = || Catalogue::find_builtin(command).is_ok_and(|command| command.is_ours());
    !data.is_empty()
        && !data.contains_key("dryRun")
        && !TELLS_NOTES.contains(&command)
        && command != AUDIT
        && (QUESTIONS.contains(&command) || is_ours())
}

/// Renders data as text: a list with one item per line, anything else as one line.
fn lines_of(data: &Map<String, Value>) -> String {
    match data.get("items").and_then(Value::as_array) {
        Some(items) => items.iter().map(|item| format!("{item}\n")).collect(),
        None => format!("{}\n", json!(data)),
    }
}

/// The metadata that the text does not show, from the same fields as `structured`. If the text is
/// the items of a list, everything beside the items counts.
fn facts(
    structured: &Map<String, Value>,
    text: &str,
    next: Option<String>,
    are_items_told: bool,
) -> Map<String, Value> {
    let mut facts = Map::new();
    let mut add = |key: &str, value: &Value| {
        facts.insert(key.to_owned(), value.clone());
    };
    let status = structured.get("status");
    if let Some(status) = status.filter(|status| *status != "ok" && *status != "error") {
        add("status", status);
    }
    let data = structured.get("data").and_then(Value::as_object);
    let has = |key: &str| data.is_some_and(|data| data.contains_key(key));
    for (key, value) in data.into_iter().flatten() {
        let stands_beside = BESIDE_TEXT.contains(&key.as_str()) || are_items_told && key != "items";
        let has_text = ["content", "body", "items", "dryRun"].into_iter().any(has);
        // Some texts do not name the note that they are about; add its path then.
        let is_unsaid = has_text || value.as_str().is_some_and(|value| !text.contains(value));
        let is_given = value != &json!(0) && value != &json!(false);
        // A complete list shows its own length.
        let is_count = ["total", "returned"].contains(&key.as_str());
        let is_part = data.is_some_and(|data| data.get("truncated") == Some(&json!(true)));
        if is_unsaid && stands_beside && is_given && (!is_count || is_part) {
            add(key, value);
        }
    }
    if let Some(details) = structured
        .get("error")
        .and_then(|error| error.get("details"))
    {
        let message = structured
            .get("error")
            .and_then(|error| error.get("message"))
            .and_then(Value::as_str)
            .unwrap_or_default();
        let details = details.as_object().into_iter().flatten();
        let untold: Map<String, Value> = details
            // A program reads the reason, which a sentence has only by chance.
            .filter(|(key, detail)| *key == "reason" || !is_told(detail, message))
            .map(|(key, detail)| (key.clone(), detail.clone()))
            .collect();
        if !untold.is_empty() {
            add("details", &Value::Object(untold));
        }
    }
    for key in ["warnings", "warningsOmitted", "stderr", "stderrOmitted"] {
        if let Some(value) = structured.get(key) {
            add(key, value);
        }
    }
    let meta = structured.get("meta").and_then(Value::as_object);
    for (key, value) in meta.into_iter().flatten() {
        add(key, value);
    }
    if let Some(next) = next {
        add("next", &json!(next));
    }
    facts
}

/// Whether a message says what a detail says: its text, or each of its texts, in quotes.
fn is_told(detail: &Value, message: &str) -> bool {
    match detail {
        // One that the message shows escaped is told as it is, too.
        Value::String(text) => [('`', '`'), ('"', '"')]
            .iter()
            .any(|(open, close)| message.contains(&format!("{open}{text}{close}"))),
        Value::Array(items) => {
            let mut items = items.iter();
            items.len() > 0 && items.all(|item| item.is_string() && is_told(item, message))
        }
        _ => false,
    }
}

/// Cuts the requested page out of the answer.
fn part(
    envelope: &mut Envelope,
    stdout: &str,
    data: Map<String, Value>,
    Start { passed, skip }: Start,
    budget: usize,
) -> Page {
    if envelope.command == AUDIT && envelope.success {
        let violations = std::mem::take(&mut envelope.violations);
        let count = violations.len();
        let mut found = violations;
        found.append(&mut envelope.advice);
        let is_violation = |issue: &Issue| {
            let severity = issue.details.get("severity").and_then(Value::as_str);
            matches!(severity, Some("error" | "warning"))
        };
        let page = page::findings_page(stdout, &mut found, &data, skip, budget);
        let page = page.map(|mut page| {
            if let Some(place) = &mut page.place {
                place.offset += passed;
                place.total += passed;
                place.next_offset = place.next_offset.map(|next| next + passed);
            }
            page
        });
        let whole = page.is_none().then_some(count);
        let count = whole.unwrap_or_else(|| found.partition_point(is_violation));
        envelope.advice = found.split_off(count);
        envelope.violations = found;
        if let Some(page) = page {
            return page;
        }
        return Page {
            text: stdout.to_owned(),
            data,
            place: None,
            omits_data: false,
        };
    }
    if envelope.command != DRAWS || !envelope.success {
        return page::page(stdout, data, Start { passed, skip }, budget);
    }
    // Calling again would pick another note, so the next page is a `read` of this path.
    let path = data.get("path").cloned().unwrap_or_default();
    let content = data
        .get("content")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let heading = match stdout.find(content.trim_end_matches('\n')) {
        Some(end) => stdout.get(..end).unwrap_or_default().chars().count(),
        None => 0,
    };
    let mut page = page::page(stdout, data, Start::default(), budget);
    if let Some(place) = &mut page.place
        && let Some(next) = place.next_offset.take()
    {
        place.next_call = Some(json!({
            "command": "read",
            "params": { "path": path },
            "offset": next.saturating_sub(heading),
        }));
    }
    page
}

/// Of what the command itself has cut, its next page comes behind the last page of this answer.
fn go_on_with(rest: Option<AnswerPlace>, place: &mut Option<AnswerPlace>) {
    let Some(rest) = rest else { return };
    match place {
        None => *place = Some(rest),
        Some(place) if place.next_offset.is_none() => {
            place.next_offset = rest.next_offset;
            place.total = rest.total;
        }
        Some(_) => {}
    }
}

/// A page of text tells where it ends, whether this or the engine has cut it.
fn forget_cut(envelope: &mut Envelope, place: Option<&AnswerPlace>) {
    let is_text = place.is_some_and(|place| place.unit == "characters");
    if !is_text || envelope.meta.backend != Answerer::Embedded {
        return;
    }
    envelope.meta.truncated = None;
    if envelope.status == Status::Partial {
        envelope.status = Status::Ok;
    }
}

/// The answer for a call that never reached the gateway.
pub(super) fn unanswered(command: &str, failure: Failure) -> Answered {
    Answered {
        envelope: Envelope::from_failure(command, failure),
        text: Vec::new(),
    }
}

/// The error as text: code, message, remedies, approval id.
fn failure_text(envelope: &Envelope) -> Option<String> {
    let error = envelope.error.as_ref()?;
    let remedies = envelope.advice.iter().map(|advice| advice.message.as_str());
    // A message may quote names with line breaks, which must not forge a line (`faults.md` B10).
    let mut text = format!("{}: {}", error.code.name(), shown::row(&error.message));
    for remedy in remedies {
        text += "\n";
        text += &shown::row(remedy);
    }
    if let Some(approval) = error.details.get("approval").and_then(Value::as_str) {
        text += &format!("\nApproval: {approval}");
    }
    Some(text)
}

/// The position of a page that the command's own `limit` has cut, if its own `offset` gets the rest.
fn cut_by_command(command: &str, data: &Map<String, Value>) -> Option<AnswerPlace> {
    let entry = Catalogue::find_builtin(command).ok()?;
    entry.param("offset")?;
    let findings = data.get("findings").and_then(Value::as_object);
    let (offset, returned, total) = numbers(findings.unwrap_or(data))?;
    let next = offset + returned;
    (returned > 0 && next < total).then(|| AnswerPlace {
        unit: if findings.is_some() {
            "findings"
        } else {
            "items"
        },
        offset,
        returned,
        total,
        next_offset: Some(next),
        omitted: None,
        next_call: None,
    })
}

/// If the `limit` of a line search, which counts files, cut the result: how to find more.
fn wider_search(command: &str, data: Option<&Value>) -> Option<String> {
    let entry = Catalogue::find_builtin(command).ok()?;
    let (offset, returned, total) = numbers(data?.as_object()?)?;
    let next = offset + returned;
    let is_cut = entry.output == Shape::SearchContext && returned > 0 && next < total;
    is_cut.then(|| format!(
        "Searched {next} of {total} files for lines. Use a larger `limit`, or search one folder with `path`."
    ))
}

/// `offset`, `returned` and `total` of a list.
fn numbers(list: &Map<String, Value>) -> Option<(usize, usize, usize)> {
    let number = |key: &str| usize::try_from(list.get(key)?.as_u64()?).ok();
    Some((number("offset")?, number("returned")?, number("total")?))
}

fn how_to_go_on(place: &AnswerPlace) -> Option<String> {
    let end = place.offset + place.returned;
    let told = format!(
        "{} to {end} of {} {}.",
        place.offset, place.total, place.unit
    );
    let omitted = place
        .omitted
        .map(|omitted| format!(" This item exceeds the budget: {omitted} characters are omitted."));
    let next = match (&place.next_call, place.next_offset) {
        (Some(call), _) => {
            let offset = call.get("offset").cloned().unwrap_or_default();
            format!(
                " This call picks another note each time: for more, call `read` with this `path` and `offset` {offset}."
            )
        }
        (None, Some(next)) => format!(" Call again with `offset` {next} for more."),
        (None, None) if omitted.is_some() => String::new(),
        (None, None) => return None,
    };
    Some(told + &omitted.unwrap_or_default() + &next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Code;

    fn of(answered: Answered, skip: usize, budget: usize) -> CallToolResult {
        super::from_answer(answered, Start { passed: 0, skip }, budget)
    }

    #[test]
    fn warnings_of_one_kind_are_told_as_one() {
        let warning = |code, path: &str| Issue::new(code, "m").at(path);
        let told = folded(vec![
            warning("NOT_UTF8", "a.md"),
            warning("NOTE_TOO_LARGE", "b.md"),
            warning("NOT_UTF8", "c.md"),
            warning("NOT_UTF8", "d.md"),
        ]);
        assert_eq!(
            told,
            [
                warning("NOT_UTF8", "a.md").with("more", 2),
                warning("NOTE_TOO_LARGE", "b.md")
            ]
        );
    }

    #[test]
    fn what_a_child_complains_of_is_cut_to_the_budget_too() {
        let mut answered = unanswered("read", Failure::new(Code::CliExitNonzero, "It failed."));
        answered.envelope.stderr = "é".repeat(150);
        let value = serde_json::to_value(of(answered.clone(), 0, 100)).unwrap();
        let structured = &value["structuredContent"];
        assert_eq!(structured["stderr"], "é".repeat(100));
        assert_eq!(structured["stderrOmitted"], 50);
        let whole = serde_json::to_value(of(answered, 0, 150)).unwrap();
        assert_eq!(whole["structuredContent"]["stderr"], "é".repeat(150));
        assert!(whole["structuredContent"].get("stderrOmitted").is_none());
    }

    #[test]
    fn the_rest_of_a_drawn_note_is_read_by_its_path() {
        let note = format!("{}Z\n", "é".repeat(500));
        let answered = |command: &str| {
            let mut answered = unanswered(command, Failure::new(Code::IoError, "x"));
            answered.envelope.success = true;
            answered.envelope.error = None;
            answered.envelope.advice.clear();
            answered.envelope.stdout = format!("a/b.md\n\n{note}");
            answered.envelope.data = Map::from_iter([
                ("path".to_owned(), json!("a/b.md")),
                ("content".to_owned(), json!(note)),
            ])
            .into();
            answered
        };
        // The offset is of no use: it was of another note.
        let value = serde_json::to_value(of(answered(DRAWS), 300, 100)).unwrap();
        let text = value["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("a/b.md\n\né"), "{text}");
        let page = &value["structuredContent"]["page"];
        assert_eq!(page.get("nextOffset"), None);
        let next = json!({ "command": "read", "params": { "path": "a/b.md" }, "offset": 92 });
        assert_eq!(page["nextCall"], next);
        assert_eq!(value["structuredContent"]["stdout"], text);
        let told = value["content"][1]["text"].as_str().unwrap();
        assert!(
            told.contains("`read`") && told.contains("`offset` 92"),
            "{told}"
        );
        let whole = serde_json::to_value(of(answered(DRAWS), 0, 1000)).unwrap();
        assert_eq!(whole["structuredContent"].get("page"), None);
        assert_eq!(whole["structuredContent"].get("stdout"), None);
    }

    #[test]
    fn the_findings_of_an_audit_are_cut_to_the_budget_too() {
        let finding = |code, number: usize, severity: &str| {
            Issue::new(code, "A link leads nowhere.")
                .at(format!("{number:03}.md"))
                .with("severity", severity)
        };
        let mut answered = unanswered(AUDIT, Failure::new(Code::IoError, "x"));
        let envelope = &mut answered.envelope;
        (envelope.success, envelope.error) = (true, None);
        envelope.violations = (0..90)
            .map(|number| finding("UNRESOLVED_LINK", number, "error"))
            .collect();
        envelope.advice = (90..100)
            .map(|number| finding("ORPHAN", number, "advice"))
            .collect();
        envelope.data = Map::from_iter([("notes".to_owned(), json!(100))]).into();
        let lines = (0..100).map(|number| format!("{number:03}.md\tA link leads nowhere.\n"));
        envelope.stdout = lines.chain(["100 notes\n".to_owned()]).collect();
        let (mut offset, mut violations, mut advice) = (0, 0, 0);
        loop {
            let result = of(answered.clone(), offset, 1000);
            let value = serde_json::to_value(result).unwrap();
            assert!(value.to_string().len() < 5000, "{value}");
            let structured = &value["structuredContent"];
            let count = |key: &str| structured[key].as_array().map_or(0, Vec::len);
            violations += count("violations");
            advice += count("advice");
            let Some(next) = structured["page"]["nextOffset"].as_u64() else {
                break;
            };
            offset = usize::try_from(next).unwrap();
        }
        assert_eq!((violations, advice), (90, 10));
        let whole = serde_json::to_value(of(answered, 0, 50_000)).unwrap();
        assert_eq!(
            whole["structuredContent"]["violations"]
                .as_array()
                .unwrap()
                .len(),
            90
        );
        assert_eq!(
            whole["structuredContent"]["advice"]
                .as_array()
                .unwrap()
                .len(),
            10
        );
        assert_eq!(whole["structuredContent"].get("page"), None);
    }

    #[test]
    fn lists_of_facts_are_cut_to_the_budget_too() {
        let candidates: Vec<String> = (0..300)
            .map(|number| format!("{number}/README.md"))
            .collect();
        let failure = Failure::new(Code::AmbiguousTarget, "Which?").with("candidates", candidates);
        let answered = unanswered("read", failure);
        let value = serde_json::to_value(of(answered.clone(), 0, 500)).unwrap();
        let structured = &value["structuredContent"];
        assert!(structured.to_string().len() < 3500, "{structured}");
        let details = &structured["error"]["details"];
        let told = details["candidates"].as_array().unwrap().len();
        assert!(told > 10, "{told}");
        assert_eq!(details["candidatesOmitted"], 300 - told);
        let whole = serde_json::to_value(of(answered, 0, 50_000)).unwrap();
        let details = &whole["structuredContent"]["error"]["details"];
        assert_eq!(details["candidates"].as_array().unwrap().len(), 300);
        assert_eq!(details.get("candidatesOmitted"), None);
    }

    #[test]
    fn what_is_too_long_for_data_stands_in_the_structured_result_as_text() {
        let mut answered = unanswered("context", Failure::new(Code::IoError, "x"));
        let envelope = &mut answered.envelope;
        (envelope.success, envelope.error) = (true, None);
        envelope.advice.clear();
        envelope.data = Map::from_iter([("vault".to_owned(), json!("y".repeat(300)))]).into();
        envelope.stdout = "z".repeat(150);
        let value = serde_json::to_value(of(answered, 0, 100)).unwrap();
        let structured = &value["structuredContent"];
        assert_eq!(structured["data"], json!({ "omitted": true }));
        // The text for people says less than the data, so the data is the text.
        let whole = format!("{{\"vault\":\"{}\"}}\n", "y".repeat(300));
        assert_eq!(structured["stdout"], whole[..100]);
        assert_eq!(structured["page"]["nextOffset"], 100);
    }

    #[test]
    fn failures_tell_code_and_remedy_and_are_no_protocol_errors() {
        let failure = Failure::new(Code::FileNotFound, "There is no `a.md`.").with("path", "a.md");
        let result = super::from_answer(unanswered("read", failure), Start::default(), 100);
        assert_eq!(result.is_error, Some(true));
        let value = serde_json::to_value(&result).unwrap();
        let text = value["content"][0]["text"].as_str().unwrap();
        assert!(
            text.starts_with("FILE_NOT_FOUND: There is no `a.md`."),
            "{text}"
        );
        assert!(text.lines().count() > 1, "{text}");
        let structured = &value["structuredContent"];
        assert_eq!(structured["error"]["code"], "FILE_NOT_FOUND");
        assert_eq!(structured["success"], false);
        assert_eq!(structured["data"], json!({}));
        assert!(structured.get("stdout").is_none() && structured.get("params").is_none());
    }
}
