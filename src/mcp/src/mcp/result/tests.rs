use vault_answers::RandomNote;

use super::*;
use crate::mcp::page::tests::audit_of;
use protocol::{Code, Issue};

fn of(answered: &Envelope, skip: usize, budget: usize) -> Value {
    let start = Start { passed: 0, skip };
    json!(super::from_answer(answered.clone(), start, budget))
}

/// Returns an answer without a failure.
fn answer(command: &str) -> Envelope {
    let mut answered = Envelope::from_failure(command, Code::IoError.failure("x"));
    (answered.success, answered.error) = (true, None);
    answered.advice.clear();
    answered
}

#[test]
fn warnings_of_one_kind_are_merged() {
    let warning = |code, path: &str| Issue::new(code, "m").with_path(path);
    let shown = folded(vec![
        warning("NOT_UTF8", "a.md"),
        warning("NOTE_TOO_LARGE", "b.md"),
        warning("NOT_UTF8", "c.md"),
        warning("NOT_UTF8", "d.md"),
    ]);
    assert_eq!(
        shown,
        [
            warning("NOT_UTF8", "a.md").with("more", 2),
            warning("NOTE_TOO_LARGE", "b.md")
        ]
    );
}

#[test]
fn what_a_child_complains_of_is_cut_to_the_budget_too() {
    let mut answered = Envelope::from_failure("read", Code::CliExitNonzero.failure("It failed."));
    answered.stderr = "é".repeat(150);
    let value = of(&answered, 0, 100);
    let structured = &value["structuredContent"];
    assert_eq!(structured["stderr"], "é".repeat(100));
    assert_eq!(structured["stderrOmitted"], 50);
    let whole = of(&answered, 0, 150);
    assert_eq!(whole["structuredContent"]["stderr"], "é".repeat(150));
    assert!(whole["structuredContent"].get("stderrOmitted").is_none());
}

#[test]
fn the_rest_of_a_drawn_note_is_read_by_its_path() {
    let note = format!("{}Z\n", "é".repeat(500));
    let mut answered = answer("random:read");
    answered.stdout = format!("a/b.md\n\n{note}");
    answered.data = Data::from_answer(RandomNote::new("a/b.md".to_owned(), note.clone()));
    // The offset is of no use: it was of another note.
    let value = of(&answered, 300, 100);
    let text = value["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("a/b.md\n\né"), "{text}");
    let page = &value["structuredContent"]["page"];
    assert_eq!(page.get("nextOffset"), None);
    let next = json!({ "command": "read", "params": { "path": "a/b.md" }, "offset": 92 });
    assert_eq!(page["nextCall"], next);
    assert_eq!(value["structuredContent"]["stdout"], text);
    let shown = value["content"][1]["text"].as_str().unwrap();
    assert!(
        shown.contains("`read`") && shown.contains("`offset` 92"),
        "{shown}"
    );
    let whole = of(&answered, 0, 1000);
    assert_eq!(whole["structuredContent"].get("page"), None);
    assert_eq!(whole["structuredContent"].get("stdout"), None);
}

#[test]
fn the_findings_of_an_audit_are_cut_to_the_budget_too() {
    let finding = |code, number: usize, severity: &str| {
        Issue::new(code, "A link leads nowhere.")
            .with_path(format!("{number:03}.md"))
            .with("severity", severity)
    };
    let mut envelope = answer("vault:audit");
    envelope.violations = (0..90)
        .map(|number| finding("UNRESOLVED_LINK", number, "error"))
        .collect();
    envelope.advice = (90..100)
        .map(|number| finding("ORPHAN", number, "advice"))
        .collect();
    envelope.data = audit_of(100);
    let lines = (0..100).map(|number| format!("{number:03}.md\tA link leads nowhere.\n"));
    envelope.stdout = lines.chain(["100 notes\n".to_owned()]).collect();
    let (mut offset, mut violations, mut advice) = (0, 0, 0);
    loop {
        let value = of(&envelope, offset, 1000);
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
    let whole = &of(&envelope, 0, 50_000)["structuredContent"];
    assert_eq!(whole["violations"].as_array().unwrap().len(), 90);
    assert_eq!(whole["advice"].as_array().unwrap().len(), 10);
    assert_eq!(whole.get("page"), None);
}

#[test]
fn lists_of_facts_are_cut_to_the_budget_too() {
    let candidates: Vec<String> = (0..300)
        .map(|number| format!("{number}/README.md"))
        .collect();
    let failure = Code::AmbiguousTarget
        .failure("Which?")
        .with("candidates", candidates);
    let answered = Envelope::from_failure("read", failure);
    let value = of(&answered, 0, 500);
    let structured = &value["structuredContent"];
    assert!(structured.to_string().len() < 3500, "{structured}");
    let details = &structured["error"]["details"];
    let shown = details["candidates"].as_array().unwrap().len();
    assert!(shown > 10, "{shown}");
    assert_eq!(details["candidatesOmitted"], 300 - shown);
    let whole = of(&answered, 0, 50_000);
    let details = &whole["structuredContent"]["error"]["details"];
    assert_eq!(details["candidates"].as_array().unwrap().len(), 300);
    assert_eq!(details.get("candidatesOmitted"), None);
}

#[test]
fn what_is_too_long_for_data_stands_in_the_structured_result_as_text() {
    let mut envelope = answer("context");
    envelope.data = Map::from_iter([("vault".to_owned(), json!("y".repeat(300)))]).into();
    envelope.stdout = "z".repeat(150);
    let value = of(&envelope, 0, 100);
    let structured = &value["structuredContent"];
    assert_eq!(structured["data"], json!({ "omitted": true }));
    // The text for people says less than the data, so the data is the text.
    let whole = format!("{{\"vault\":\"{}\"}}\n", "y".repeat(300));
    assert_eq!(structured["stdout"], whole[..100]);
    assert_eq!(structured["page"]["nextOffset"], 100);
}

#[test]
fn failures_tell_code_and_remedy_and_are_no_protocol_errors() {
    let failure = Code::FileNotFound
        .failure("There is no `a.md`.")
        .with("path", "a.md");
    let value = of(&Envelope::from_failure("read", failure), 0, 100);
    assert_eq!(value["isError"], true);
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
