//! The embedded backend: adapts the vault engine so that it answers like the app.

use cli_output::{AppError, Shape};
use vault_answers::{Answer, NoteText, RandomNote};
use vault_engine::{
    Args, AuditReport, Change, Edit, Editor, EngineError, Finding, NoteParts, Reply, Severity,
    Surroundings, VaultPath, Warning,
};

use super::captured::{whole_rows, whole_rows_end};
use super::resolved_call::data_length;
use super::{
    Captured, Limits, PinnedVault, Produced, ResolvedCall, app_error, engine_failure, engine_issue,
};
use allowlist::paging::{Paging, PrintedPart, WholeText, cut_out, part_of};
use protocol::{Failure, Issue};

/// Whether the engine supports this command.
pub fn serves(command: &str) -> bool {
    vault_engine::serves(command) || vault_engine::plans(command) || vault_engine::exports(command)
}

/// Computes the change that a call would make, without making it.
///
/// # Errors
///
/// If the call cannot be done on the vault as it is.
pub fn edit(resolved: &ResolvedCall, vault: &PinnedVault) -> Result<Edit, EngineError> {
    let call = &resolved.call;
    Editor(&vault.engine).plan(&call.command.id, &call.arguments, &surroundings(vault))
}

/// Returns the changes that a command of the engine would make, without making them.
///
/// # Errors
///
/// If the change cannot be made in the vault's present state.
pub fn plan(
    vault: &PinnedVault,
    command: &str,
    arguments: &Args,
) -> Result<Vec<Change>, EngineError> {
    let edit = Editor(&vault.engine).plan(command, arguments, &surroundings(vault))?;
    Ok(edit.changes)
}

/// Whether a call marks a recurring task as done, so that the engine also writes its next instance.
pub fn completes_recurring_task(vault: &PinnedVault, arguments: &Args) -> bool {
    Editor(&vault.engine).completes_recurring_task(arguments, &surroundings(vault))
}

/// Returns the output that the app would print for a change, or for its refusal.
///
/// # Errors
///
/// For errors that the app does not have a message for.
pub fn changed(
    edited: Result<Edit, EngineError>,
    resolved: &ResolvedCall,
    limits: &Limits,
) -> Result<Produced, Failure> {
    let replied = edited.map(|edit| Reply {
        answer: edit.answer,
        bytes: None,
        warnings: edit.warnings,
    });
    render_reply(replied, resolved, limits)
}

/// Answers a read from the vault's folder.
///
/// An error that the app would print appears in the output here too, with exit code 0, so that the
/// envelope is the same from both backends (promise 4 of `design/promises.md`).
///
/// # Errors
///
/// For errors that the app does not have a message for.
pub fn answer(
    resolved: &ResolvedCall,
    vault: &PinnedVault,
    limits: &Limits,
) -> Result<Produced, Failure> {
    let mut arguments = resolved.call.arguments.clone();
    if let Some(limit) = limits.limit {
        // Items before `offset` are needed for counting and removed afterwards.
        let most = limit.saturating_add(limits.offset);
        arguments = arguments.with("limit", most);
    }
    // Notes that share a budget get a smaller share, so that none of them is left out.
    if let Shape::Own(form) = resolved.call.command.output
        && let Some(default) = form.budget
    {
        let given = arguments.number(BUDGET).unwrap_or(default);
        arguments = arguments.with(BUDGET, limits.max_output_bytes.min(given));
    }
    let surroundings = surroundings(vault);
    let command = &resolved.call.command.id;
    let replied = vault_engine::reply(&vault.engine, command, &arguments, &surroundings);
    if let Err(EngineError::TooLargeToHold { path, .. }) = &replied
        && shows_stored_text(resolved)
        && let Some(produced) = part_of_large(path, resolved, vault, limits)?
    {
        return Ok(produced);
    }
    render_reply(replied, resolved, limits)
}

/// The parameter for the size of an answer, in characters, that its notes share.
const BUDGET: &str = "budget";

/// Whether the answer is the text of a file as it is stored, of which a part can be shown.
fn shows_stored_text(resolved: &ResolvedCall) -> bool {
    let call = &resolved.call;
    let is_text = matches!(call.command.output, Shape::NoteText | Shape::RandomNote);
    // With `resolve` the variables of a template are filled in, so the text differs from the stored
    // one.
    is_text && !call.arguments.flags.contains("resolve")
}

/// Reads the requested part of a file that is too large to read as a whole (`threats.toml` F17).
fn part_of_large(
    path: &VaultPath,
    resolved: &ResolvedCall,
    vault: &PinnedVault,
    limits: &Limits,
) -> Result<Option<Produced>, Failure> {
    let named = path.to_string();
    let mut answer: Answer = match resolved.call.command.output {
        Shape::RandomNote => RandomNote::new(named, String::new()).into(),
        _ => NoteText::new(Some(named), String::new()).into(),
    };
    let file = vault.engine.pieces(path).map_err(engine_failure)?;
    let (file, most) = (WholeText::InPieces(file), limits.max_output_bytes);
    let part = cut_out(&mut answer, file, limits.offset, most).map_err(engine_failure)?;
    Ok(part.map(|part| {
        let mut warnings = resolved.warnings.clone();
        if std::str::from_utf8(&part.bytes).is_err() {
            warnings.push(engine_issue(&Warning::NotUtf8 { path: path.clone() }));
        }
        Produced {
            exit_code: Some(0),
            warnings,
            ..shown_part(answer, part)
        }
    }))
}

/// Returns an answer that contains a part of a text.
fn shown_part(answer: Answer, part: PrintedPart) -> Produced {
    Produced {
        stdout: Captured {
            head: part.bytes,
            total: part.total,
            ..Captured::default()
        },
        outcome: Ok(Some(answer)),
        part: Some(part.place),
        ..Produced::default()
    }
}

/// Returns the typed answer to a read command.
///
/// # Errors
///
/// If the engine cannot answer the command.
pub fn ask(vault: &PinnedVault, command: &str, arguments: &Args) -> Result<Answer, EngineError> {
    vault_engine::answer(&vault.engine, command, arguments, &surroundings(vault))
}

fn surroundings(vault: &PinnedVault) -> Surroundings {
    Surroundings {
        now: vault.now.clone(),
        random: random(),
        registry: vault.registry.clone(),
    }
}

/// Renders the reply like the app.
fn render_reply(
    replied: Result<Reply, EngineError>,
    resolved: &ResolvedCall,
    limits: &Limits,
) -> Result<Produced, Failure> {
    let command = &resolved.call.command;
    let arguments = &resolved.call.arguments;
    let mut warnings = resolved.warnings.clone();
    let (answer, bytes) = match replied {
        Ok(reply) => {
            warnings.extend(reply.warnings.iter().map(engine_issue));
            (reply.answer, reply.bytes)
        }
        Err(EngineError::Refused(refusal)) => {
            let error = AppError::from(refusal);
            return Ok(Produced {
                exit_code: Some(0),
                stdout: Captured::from_bytes(
                    format!("{error}\n").into_bytes(),
                    limits.max_output_bytes,
                ),
                outcome: Err(app_error::failure(&error)),
                warnings,
                ..Produced::default()
            });
        }
        Err(error) => return Err(engine_failure(error)),
    };
    let (produced, left_out) = fitted(answer, bytes, command.output, arguments, limits);
    let (violations, advice) = match &produced.outcome {
        Ok(Some(answer)) => findings(answer),
        _ => Default::default(),
    };
    let is_page = Paging::for_command(command, resolved.call.effects()).continues_lists();
    if left_out > 0 && !is_page {
        let what = vault_engine::plural::count(left_out, "item");
        let message = format!("The answer was too large, so the last {what} were left out.");
        warnings.push(Issue::new("ITEM_LEFT_OUT", message).with("leftOut", left_out));
    }
    Ok(Produced {
        exit_code: Some(0),
        warnings,
        violations,
        advice,
        is_partial: left_out > 0,
        ..produced
    })
}

/// Limits the answer and its text to the size limit: for a text, the requested part; for a list,
/// complete items (`threats.toml` F15). `data` always matches the text, from either backend. Also returns the number of
/// items of an own command that were left out.
fn fitted(
    mut answer: Answer,
    bytes: Option<Vec<u8>>,
    shape: Shape,
    arguments: &Args,
    limits: &Limits,
) -> (Produced, usize) {
    let most = limits.max_output_bytes;
    let text = match &bytes {
        // The exact content, without the line feed that the app appends.
        Some(bytes) if answer.is::<NoteText>() => bytes.clone(),
        _ => cli_output::render_shown(&mut answer, shape, arguments).into_bytes(),
    };
    let is_own = shape.is_own();
    let is_short = text.len() <= most;
    let has_long_data = is_own && answer.items().is_some() && data_length(&answer) > most;
    if limits.offset == 0 && is_short && !has_long_data {
        let produced = Produced {
            stdout: Captured::from_bytes(text, most),
            exact_text: bytes,
            outcome: Ok(Some(as_printed(answer, shape, arguments, limits))),
            ..Produced::default()
        };
        return (produced, 0);
    }
    if let Some(produced) = part_of_text(&answer, &text, bytes.as_deref(), limits) {
        return (produced, 0);
    }
    let mut printed = as_printed(answer, shape, arguments, limits);
    let page = limits.cut_list(&mut printed, shape, arguments);
    let left_out = page.as_ref().map_or(0, |page| page.left_out);
    let (stdout, answer) = match page {
        // The text of an own list says more than its items.
        Some(_) if is_own => {
            let text = cli_output::render_shown(&mut printed, shape, arguments);
            (Captured::from_bytes(text.into_bytes(), most), Some(printed))
        }
        Some(page) => (
            Captured::beginning(page.text.into_bytes(), page.size),
            Some(printed),
        ),
        None if is_short => (Captured::from_bytes(text, most), Some(printed)),
        None => {
            let mut stdout = Captured::from_bytes(text, most);
            let answer = what_is_left(&mut stdout, shape, arguments);
            (stdout, answer)
        }
    };
    let produced = Produced {
        stdout,
        outcome: Ok(answer),
        ..Produced::default()
    };
    (produced, if is_own { left_out } else { 0 })
}

/// Returns the answer as shown by its text, plus the number of items before `limit`, which the text does not contain.
fn as_printed(mut answer: Answer, shape: Shape, arguments: &Args, limits: &Limits) -> Answer {
    let numbers = answer.numbers().filter(|_| limits.limit.is_some());
    let mut printed = cli_output::as_printed(answer, shape, arguments);
    if let Some(numbers) = numbers {
        printed.set_total(numbers.total);
    }
    printed
}

/// Returns the requested part of a text answer; `None` if the answer is not a text.
fn part_of_text(
    answer: &Answer,
    text: &[u8],
    bytes: Option<&[u8]>,
    limits: &Limits,
) -> Option<Produced> {
    if let Some(parts) = answer.downcast_ref::<NoteParts>() {
        return Some(part_of_note(parts.clone(), limits));
    }
    // The text of a note that was picked at random has its path above.
    let random: Option<&RandomNote> = answer.downcast_ref();
    let whole = random.map_or(text, |note| bytes.unwrap_or(note.content.as_bytes()));
    let mut answer = answer.clone();
    let (whole, most) = (WholeText::InMemory(whole), limits.max_output_bytes);
    // A text that is at hand is not read.
    let part = cut_out(&mut answer, whole, limits.offset, most).ok()??;
    Some(shown_part(answer, part))
}

/// Returns a part of the note's body or section. Includes the properties only in the first part, and only if they take
/// at most half of the space. Without a body (`only=frontmatter`) they are left out.
fn part_of_note(mut parts: NoteParts, limits: &Limits) -> Produced {
    let most = limits.max_output_bytes;
    let size = |parts: &NoteParts| serde_json::to_string(parts).map_or(0, |data| data.len());
    let body = parts.body.take().unwrap_or_default();
    let printed = std::mem::take(&mut parts.text);
    let above = printed.strip_suffix(body.as_str()).unwrap_or_default();
    let shows_properties =
        limits.offset == 0 && above.len().max(size(&parts)) <= most.saturating_div(2);
    let above = if shows_properties { above } else { "" };
    if !shows_properties {
        parts.frontmatter = None;
    }
    let (bytes, part, rest) = part_of(
        body.as_bytes(),
        limits.offset,
        most.saturating_sub(above.len()),
    );
    let text = String::from_utf8_lossy(bytes).into_owned();
    let head = [above, text.as_str()].concat().into_bytes();
    let stdout = Captured::beginning(head, above.len() + rest);
    parts.body = Some(text.clone());
    parts.text = text;
    parts.sha256 = None;
    Produced {
        stdout,
        outcome: Ok(Some(parts.into())),
        part: Some(part),
        ..Produced::default()
    }
}

/// Splits the findings of a vault audit into violations and advice.
fn findings(answer: &Answer) -> (Vec<Issue>, Vec<Issue>) {
    let Some(report) = answer.downcast_ref::<AuditReport>() else {
        return (Vec::new(), Vec::new());
    };
    let (advice, violations): (Vec<&Finding>, Vec<&Finding>) = report
        .findings
        .items
        .iter()
        .partition(|finding| finding.severity == Severity::Advice);
    let issues = |findings: Vec<&Finding>| findings.into_iter().map(finding_issue).collect();
    (issues(violations), issues(advice))
}

fn finding_issue(finding: &Finding) -> Issue {
    let mut issue = Issue::new(finding.code, finding.message.clone())
        .with_path(finding.path.clone())
        .with("severity", finding.severity.name());
    issue.line = finding.line.and_then(|line| u64::try_from(line).ok());
    let candidates = Some(finding.candidates.clone()).filter(|all| !all.is_empty());
    issue.with("candidates", candidates)
}

/// Parses the complete rows of truncated output, as for the official program, so that the size
/// limit applies to `data` too.
fn what_is_left(stdout: &mut Captured, shape: Shape, arguments: &Args) -> Option<Answer> {
    let kept = stdout.text();
    stdout.keep_first(whole_rows_end(&kept.text, shape));
    cli_output::parse(shape, arguments, whole_rows(&kept.text, true, shape)).ok()
}

/// 64 random bits for `random:read`, taken from a version 4 UUID. The first two bits of its second
/// half are constant, so two bits of the first half replace them.
fn random() -> u64 {
    let (first, second) = uuid::Uuid::new_v4().as_u64_pair();
    second << 2 | first >> 62
}

#[cfg(test)]
mod tests {
    use super::random;

    #[test]
    fn every_bit_of_a_random_number_is_random() {
        let numbers: Vec<u64> = (0..200).map(|_| random()).collect();
        let ever_set = numbers.iter().fold(0, |bits, number| bits | number);
        let always_set = numbers.iter().fold(u64::MAX, |bits, number| bits & number);
        assert_eq!((ever_set, always_set), (u64::MAX, 0));
    }
}
