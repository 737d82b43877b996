//! The embedded backend: an adapter over the vault engine that answers as the app would.

use cli_output::{Answer, Arguments, Finding, Ours, Severity, Shape};
use jiff::Zoned;
use vault_engine::{Edit, EngineError, Reply, Sight, Surroundings};

use super::captured::whole_rows;
use super::{Captured, Limits, PinnedVault, Plan, Produced, engine_failure, engine_issue};
use crate::failure::Failure;
use crate::issue::Issue;

/// Whether the engine answers this command, or can do it.
pub fn serves(command: &str) -> bool {
    vault_engine::serves(command) || vault_engine::plans(command) || vault_engine::exports(command)
}

/// What the call would change, worked out from the folder; nothing is changed.
pub fn edit(plan: &Plan, vault: &PinnedVault, now: &Zoned) -> Result<Edit, EngineError> {
    let arguments = plan.call.as_cli_arguments();
    let surroundings = surroundings(vault, now);
    vault
        .engine
        .plan(&plan.call.command.id, &arguments, &surroundings)
}

/// What the app would print for a change that was made, or that it would refuse.
pub fn changed(
    edited: Result<Edit, EngineError>,
    plan: &Plan,
    limits: &Limits,
) -> Result<Produced, Failure> {
    let replied = edited.map(|edit| Reply {
        answer: edit.answer,
        bytes: None,
        warnings: edit.warnings,
    });
    printed(replied, plan, limits)
}

/// Answers from the vault's folder.
///
/// An error that the app would print is printed here too, with exit code 0, so that the envelope
/// is the same from both backends (`design.md`, promise 4). Our own commands tell of nothing that is
/// out of `sight`; the app's answers are filtered afterwards.
pub fn answer(
    plan: &Plan,
    vault: &PinnedVault,
    limits: &Limits,
    now: &Zoned,
    sight: Sight<'_>,
) -> Result<Produced, Failure> {
    let arguments = plan.call.as_cli_arguments();
    let surroundings = surroundings(vault, now);
    let command = &plan.call.command.id;
    let engine = &vault.engine;
    let replied = vault_engine::reply_within(engine, command, &arguments, &surroundings, sight);
    printed(replied, plan, limits)
}

/// The typed answer to a command that only reads.
pub fn ask(
    vault: &PinnedVault,
    command: &str,
    arguments: &Arguments,
    now: &Zoned,
) -> Result<Answer, EngineError> {
    let surroundings = surroundings(vault, now);
    vault_engine::answer(&vault.engine, command, arguments, &surroundings)
}

fn surroundings(vault: &PinnedVault, now: &Zoned) -> Surroundings {
    Surroundings {
        now: now.clone(),
        random: random(),
        registry: vault.registry.clone(),
    }
}

/// The answer in the app's own words.
fn printed(
    replied: Result<Reply, EngineError>,
    plan: &Plan,
    limits: &Limits,
) -> Result<Produced, Failure> {
    let command = &plan.call.command;
    let arguments = plan.call.as_cli_arguments();
    let mut warnings = plan.warnings.clone();
    let mut exact_text = None;
    let (text, outcome) = match replied {
        Ok(Reply {
            mut answer,
            bytes,
            warnings: more,
        }) => {
            warnings.extend(more.iter().map(engine_issue));
            shorten(&mut answer, command.output, &arguments, limits);
            let text = match (&answer, &bytes) {
                // The exact text, without the line feed that the app's server adds.
                (Answer::NoteText(_), Some(bytes)) => bytes.clone(),
                (answer, _) => cli_output::render(answer, command.output, &arguments).into_bytes(),
            };
            exact_text = bytes;
            // The envelope's `data` holds what the text shows, from either backend.
            let answer = cli_output::as_printed(answer, command.output, &arguments);
            (text, Ok(answer))
        }
        Err(EngineError::App(error)) => (
            format!("{error}\n").into_bytes(),
            Err(engine_failure(EngineError::App(error))),
        ),
        Err(error) => return Err(engine_failure(error)),
    };
    let (violations, advice) = match &outcome {
        Ok(Answer::Ours(ours)) => findings(ours),
        Ok(_) | Err(_) => (Vec::new(), Vec::new()),
    };
    let stdout = Captured::of(text, limits.max_output_bytes);
    let mut whole_total = None;
    let outcome = outcome.map(|answer| {
        if stdout.omitted() == 0 {
            Some(answer)
        } else {
            whole_total = total(&answer);
            what_is_left(&stdout, command.output, &arguments)
        }
    });
    Ok(Produced {
        exit_code: Some(0),
        stdout,
        exact_text,
        outcome,
        whole_total,
        warnings,
        violations,
        advice,
        ..Produced::default()
    })
}

/// What an audit found to be wrong, and what it found to be worth a look.
fn findings(ours: &Ours) -> (Vec<Issue>, Vec<Issue>) {
    let Ours::Audit(report) = ours else {
        return (Vec::new(), Vec::new());
    };
    let (advice, violations): (Vec<&Finding>, Vec<&Finding>) = report
        .told
        .iter()
        .partition(|finding| finding.severity == Severity::Advice);
    let issues = |findings: Vec<&Finding>| findings.into_iter().map(finding_issue).collect();
    (issues(violations), issues(advice))
}

fn finding_issue(finding: &Finding) -> Issue {
    let mut issue = Issue::new(finding.code, finding.message.clone())
        .at(finding.path.clone())
        .with("severity", finding.severity.name());
    issue.line = finding.line.and_then(|line| u64::try_from(line).ok());
    if finding.candidates.is_empty() {
        issue
    } else {
        issue.with("candidates", finding.candidates.clone())
    }
}

/// Leaves items of one of our own lists out until the rest fits, in the text and in `data`: a page
/// is of more use than a text with a hole.
fn shorten(answer: &mut Answer, shape: Shape, arguments: &Arguments, limits: &Limits) {
    let Answer::Ours(ours) = answer else { return };
    let Some(items) = ours.items() else { return };
    let fits = |count: usize| {
        let mut page = ours.clone();
        page.keep_first(count);
        let data = serde_json::to_string(&page).map_or(0, |data| data.len());
        let text = cli_output::render(&Answer::Ours(page), shape, arguments);
        data.max(text.len()) <= limits.max_output_bytes
    };
    if fits(items) {
        return;
    }
    let mut fitting = 0;
    let mut too_many = items;
    while too_many - fitting > 1 {
        let middle = fitting + (too_many - fitting) / 2;
        if fits(middle) {
            fitting = middle;
        } else {
            too_many = middle;
        }
    }
    ours.keep_first(fitting);
}

/// The answer that the kept part of a cut output holds, as the official program's would be read:
/// a bound on the output bounds `data` too.
fn what_is_left(stdout: &Captured, shape: Shape, arguments: &Arguments) -> Option<Answer> {
    let kept = stdout.text();
    cli_output::parse(shape, arguments, whole_rows(&kept.text, kept.gap, shape)).ok()
}

/// How many items a list has; of another answer nothing.
fn total(answer: &Answer) -> Option<usize> {
    let object = serde_json::to_value(answer).ok()?;
    let list = [Some(&object), object.get("files")].into_iter().flatten();
    let mut lists = list.filter(|list| list.get("items").is_some());
    let total = lists.find_map(|list| list.get("total")?.as_u64())?;
    usize::try_from(total).ok()
}

/// Randomness for `random:read`: 64 random bits of a UUID, from the system's source. Of its second
/// half the first two bits are always the same.
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
