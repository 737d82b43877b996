//! An answer of the gateway as the result of a tool.
//!
//! The text is the readable result. `structuredContent` is the envelope without `stdout`, which its
//! `data` says already, and without what is empty: some clients show the model only the one, some
//! only the other, so each is enough by itself. What they hold of the vault is data: where a part ends
//! and where to go on stands in fields of its own (`faults.md` K01, K02).

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

use super::page::{Page, Place, page};
use crate::failure::Failure;
use crate::gateway::{Answered, Envelope};
use crate::issue::Issue;

/// The result for an answer, from `offset` on, of about `budget` characters.
pub(super) fn of(answered: Answered, offset: usize, budget: usize) -> CallToolResult {
    let Answered { mut envelope, text } = answered;
    let mut stdout = std::mem::take(&mut envelope.stdout);
    if stdout.is_empty() {
        // A plan is no output of the command, and still what there is to read.
        stdout = String::from_utf8_lossy(&text).into_owned();
    }
    let data = std::mem::take(&mut envelope.data);
    let said_by_data = !data.is_empty();
    let Page { text, data, place } = page(&stdout, data, offset, budget);
    // What the envelope calls `stdout` stands in the text.
    for field in &mut envelope.meta.untrusted {
        if *field == "stdout" && said_by_data {
            *field = "content";
        }
    }
    envelope.warnings = folded(std::mem::take(&mut envelope.warnings));
    let omitted = cut(&mut envelope.stderr, budget);
    let mut structured = lean(&envelope);
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
    let mut content = Vec::new();
    if let Some(told) = failure_text(&envelope) {
        content.push(ContentBlock::text(told));
    }
    if content.is_empty() || !text.is_empty() {
        content.push(ContentBlock::text(text));
    }
    if let Some(told) = place.as_ref().and_then(how_to_go_on) {
        content.push(ContentBlock::text(told));
    }
    let mut result = if envelope.success {
        CallToolResult::success(content)
    } else {
        CallToolResult::error(content)
    };
    result.structured_content = Some(Value::Object(structured));
    result
}

/// The result for a call that never reached the gateway.
pub(super) fn of_failure(command: &str, failure: Failure, budget: usize) -> CallToolResult {
    of(unanswered(command, failure), 0, budget)
}

/// The answer to a call that never reached the gateway.
pub(super) fn unanswered(command: &str, failure: Failure) -> Answered {
    Answered {
        envelope: Envelope::of_failure(command, failure),
        text: Vec::new(),
    }
}

/// Of the warnings of one kind the first, which says how many `more` there are: in a large vault
/// some notes are always malformed, and no conversation need hear of each with every answer.
fn folded(warnings: Vec<Issue>) -> Vec<Issue> {
    let mut kinds: Vec<(Issue, usize)> = Vec::new();
    for warning in warnings {
        match kinds
            .iter_mut()
            .find(|(first, _)| first.code == warning.code)
        {
            Some((_, more)) => *more += 1,
            None => kinds.push((warning, 0)),
        }
    }
    let told = kinds.into_iter().map(|(first, more)| match more {
        0 => first,
        more => first.with("more", more),
    });
    told.collect()
}

/// Cuts a text after so many characters; tells how many went.
fn cut(text: &mut String, most: usize) -> usize {
    let Some((end, _)) = text.char_indices().nth(most) else {
        return 0;
    };
    let omitted = text[end..].chars().count();
    text.truncate(end);
    omitted
}

/// The envelope without what is empty or the caller knows.
fn lean(envelope: &Envelope) -> Map<String, Value> {
    let mut fields = match serde_json::to_value(envelope) {
        Ok(Value::Object(fields)) => fields,
        // An envelope is a struct with text keys.
        Ok(_) | Err(_) => Map::new(),
    };
    fields.shift_remove("stdout");
    fields.shift_remove("params");
    fields.retain(|key, value| {
        let empty = match value {
            Value::Array(items) => items.is_empty(),
            Value::String(text) => text.is_empty(),
            Value::Null => true,
            Value::Object(_) | Value::Bool(_) | Value::Number(_) => false,
        };
        !empty || key == "data"
    });
    fields
}

/// Code, message and remedy.
fn failure_text(envelope: &Envelope) -> Option<String> {
    let error = envelope.error.as_ref()?;
    let remedies = envelope.advice.iter().map(|advice| advice.message.as_str());
    let mut text = format!("{}: {}", error.code.name(), error.message);
    for remedy in remedies {
        text += "\n";
        text += remedy;
    }
    if let Some(approval) = error.details.get("approval").and_then(Value::as_str) {
        text += &format!("\nApproval: {approval}");
    }
    Some(text)
}

fn how_to_go_on(place: &Place) -> Option<String> {
    let next = place.next_offset?;
    Some(format!(
        "{} to {} of {} {}. Call again with `offset` {next} for more.",
        place.offset,
        place.offset + place.returned,
        place.total,
        place.unit
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Code;

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
    fn failures_tell_code_and_remedy_and_are_no_protocol_errors() {
        let failure = Failure::new(Code::FileNotFound, "There is no `a.md`.").with("path", "a.md");
        let result = of_failure("read", failure, 100);
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
