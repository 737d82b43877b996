//! `vault-gw approve`: a person says yes or no to what a call would do.

use std::process::ExitCode;
use std::time::Instant;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};

use super::escape;
use super::options::Options;
use super::report;
use super::terminal::Terminal;
use crate::allowlist::{Catalogue, Effect, ParamKind};
use crate::clock;
use crate::code::Code;
use crate::digest::sha256;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::gateway::Caller;
use crate::gateway::{Envelope, Gateway};
use crate::records::approvals::{Approval, Approvals, ClosedNotes};
use crate::settings::Folders;
use crate::tiers::ApprovalDoor;

/// Longest line of a plan on the screen, in columns. Longer ones are wrapped here, since a terminal
/// would wrap them without a mark, and text at its left edge could pass for ours.
const WIDTH: usize = 72;

/// What to approve.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The approval's name; can be left out where only one waits
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// List what waits for an approval
    #[arg(long, conflicts_with_all = ["id", "deny"])]
    list: bool,
    /// Say no
    #[arg(long)]
    deny: bool,
}

/// Runs the verb.
pub(crate) fn run(
    terminal: Terminal,
    options: &Options,
    arguments: &Arguments,
    environment: &Environment,
) -> ExitCode {
    let started = Instant::now();
    match act(terminal, options, arguments, environment) {
        Ok((text, data)) => report::verb(terminal, options, "approve", started, &text, data),
        Err(failure) => report::failure(terminal, options, "approve", failure),
    }
}

/// Asks the person who typed the command for the approval that it needs; whether it was given.
/// Where nobody can answer, it waits for `vault-gw approve` elsewhere.
pub(super) fn at_once(
    terminal: Terminal,
    gateway: &Gateway,
    answered: &Envelope,
) -> Result<Option<String>, Failure> {
    let asked = answered.error.as_ref().and_then(|error| {
        let id = error.details.get("approval")?.as_str()?;
        (error.code == Code::ApprovalRequired).then(|| id.to_owned())
    });
    let Some(id) = asked else {
        return Ok(None);
    };
    let approvals = gateway.approvals()?;
    let now = gateway.now();
    let approval = approvals.find(&id, now.timestamp())?;
    match confirm(terminal, &approval, now.time_zone()) {
        Ok(()) => {}
        Err(failure) if failure.details.get("reason") == Some(&json!("no-terminal")) => {
            return Ok(None);
        }
        Err(failure) => return Err(failure),
    }
    gateway.answer_approval(&id, ApprovalDoor::Terminal, true)?;
    Ok(Some(id))
}

fn act(
    terminal: Terminal,
    options: &Options,
    arguments: &Arguments,
    environment: &Environment,
) -> Result<(String, Map<String, Value>), Failure> {
    if options.agent.is_some() {
        return Err(Failure::new(
            Code::ApprovalRequired,
            "An agent cannot approve anything. Leave `--agent` out if you are a person.",
        )
        .with("reason", "agent"));
    }
    let approvals = Approvals::open(&Folders::of(environment).state()?, None);
    let clock = clock::system_clock(environment);
    let now = clock();
    let zone = now.time_zone().clone();
    if arguments.list {
        let pending = approvals.pending(now.timestamp())?;
        let approvals: Vec<Value> = pending.iter().map(described).collect();
        let data = Map::from_iter([("pending".to_owned(), Value::from(approvals))]);
        return Ok((list(&pending, &zone), data));
    }
    let approval = chosen(&approvals, arguments.id.as_deref(), now.timestamp())?;
    let id = approval.id.as_str();
    let gateway = super::gateway(options, environment, Caller::Person)?;
    let door = if options.yes {
        ApprovalDoor::Yes
    } else {
        ApprovalDoor::Terminal
    };
    let (done, answered) = if arguments.deny {
        ("Denied", gateway.answer_approval(id, door, false)?)
    } else {
        if !options.yes {
            confirm(terminal, &approval, &zone)?;
        }
        // Reading takes time. An approval that expired meanwhile is not granted.
        ("Approved", gateway.answer_approval(id, door, true)?)
    };
    let text = format!(
        "{done}: `{}` ({id}) on {}, asked by {}.\n",
        escape::line(&answered.command),
        escape::line(&answered.vault),
        who(&answered)
    );
    let data = Map::from_iter([("approval".to_owned(), described(&answered))]);
    Ok((text, data))
}

/// The approval that was named, else the only one that waits.
fn chosen(approvals: &Approvals, id: Option<&str>, now: Timestamp) -> Result<Approval, Failure> {
    if let Some(id) = id {
        return approvals.find(id, now);
    }
    let mut pending = approvals.pending(now)?;
    match pending.len() {
        1 => Ok(pending.remove(0)),
        0 => Err(Failure::new(
            Code::UsageError,
            "Nothing waits for an approval. A call that needs one says so and names it.",
        )),
        _ => {
            let ids: Vec<String> = pending.into_iter().map(|one| one.id).collect();
            Err(Failure::new(
                Code::UsageError,
                format!(
                    "{} calls wait for an approval. Name one of them; `vault-gw approve --list` \
                     shows what they are.",
                    ids.len()
                ),
            )
            .with("pending", ids))
        }
    }
}

/// Shows all of it and asks. Only a person at a terminal can answer.
fn confirm(terminal: Terminal, approval: &Approval, zone: &TimeZone) -> Result<(), Failure> {
    let question = format!("Approve `{}`? [y/N] ", escape::line(&approval.command));
    let text = shown_with(approval, zone, &closed_notes(approval));
    match terminal.ask(&text, &question)? {
        Some(answer) if is_yes(&answer) => return Ok(()),
        Some(_) => {}
        None => {
            return Err(Failure::new(
                Code::ApprovalRequired,
                "An approval needs a person at a terminal. Run this at one, or add `--yes` if you \
                 have seen the plan.",
            )
            .with("reason", "no-terminal"));
        }
    }
    Err(Failure::new(
        Code::ApprovalRequired,
        "Not approved. The call still waits; say no for good with `vault-gw approve --deny`.",
    )
    .with("reason", "declined"))
}

/// Only a clear yes is one.
fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

/// The whole approval for people. Text of the caller or the vault stands behind a bar on every line
/// and is escaped, so that nothing in it passes for ours, and nothing of it is left out
/// (`faults.md` K07).
pub(crate) fn shown(approval: &Approval, zone: &TimeZone) -> String {
    shown_with(approval, zone, "")
}

/// The same with what whoever asked may not know of.
fn shown_with(approval: &Approval, zone: &TimeZone, closed: &str) -> String {
    let mut text = format!(
        "Approval {}, asked at {}, counts until {}\n",
        approval.id,
        clock_time(approval.asked, zone),
        clock_time(approval.expires, zone)
    );
    text += &format!("asked by:   {}\n", who(approval));
    text += &format!("vault:      {}\n", escape::line(&approval.vault));
    text += &format!("command:    {}\n", escape::line(&approval.command));
    text += &format!("effects:    {}\n", effects(approval));
    if approval.params.is_empty() {
        text += "parameters: none\n";
    }
    for (key, value) in &approval.params {
        let value = match value {
            Value::String(value) => value.clone(),
            other => other.to_string(),
        };
        text += &format!("parameter {}, {}:\n", escape::line(key), size(&value));
        text += &framed(&if is_text(&approval.command, key) {
            escape::block(&value)
        } else {
            escape::line(&value)
        });
    }
    text += &format!("the plan, {}:\n", size(&approval.plan_text));
    text += &framed(&escape::plan(&approval.plan_text));
    if ["move", "rename"].contains(&approval.command.as_str()) {
        text += "Links to the file follow in all notes, also in those that are closed to whoever asked.\n";
    }
    text += closed;
    text + &format!(
        "That is all of approval {}: {} on {}, plan {}\n",
        approval.id,
        effects(approval),
        escape::line(&approval.vault),
        escape::line(approval.hash_told())
    )
}

/// The closed notes that change too, for the owner at a terminal alone: a client that shows a dialog
/// may pass on what is in it (`faults.md` D13).
fn closed_notes(approval: &Approval) -> String {
    let ClosedNotes { total, paths } = &approval.closed;
    if approval.closed.is_empty() {
        return String::new();
    }
    let mut text = format!("Of these, {total} notes are closed to whoever asked:\n");
    let rows: String = paths
        .iter()
        .map(|path| format!("change {}\n", escape::line(path)))
        .collect();
    text += &framed(&rows);
    if let more @ 1.. = total - paths.len() {
        text += &format!("and {more} more\n");
    }
    text
}

/// Whether the parameter is text with lines of its own; a path or a name is shown on one.
fn is_text(command: &str, key: &str) -> bool {
    let command = Catalogue::find_builtin(command);
    let param = command.as_ref().ok().and_then(|command| command.param(key));
    param.is_none_or(|param| param.kind == ParamKind::Text)
}

fn size(text: &str) -> String {
    format!(
        "{} bytes, {} lines, sha256 {}",
        text.len(),
        text.lines().count(),
        sha256(text.as_bytes())
    )
}

/// Every line of an escaped text behind a bar, and every piece of a long line behind a broken one.
fn framed(escaped: &str) -> String {
    let mut framed = String::new();
    for line in escaped.split_terminator('\n') {
        framed += "  | ";
        let mut column = 0;
        for character in line.chars() {
            let width = match character {
                '\t' => 8 - column % 8,
                // Wide or not, there is room for it.
                '\u{1100}'.. => 2,
                _ => 1,
            };
            if column + width > WIDTH {
                framed += "\n  : ";
                column = 0;
            }
            framed.push(character);
            column += width;
        }
        framed.push('\n');
    }
    framed
}

fn list(pending: &[Approval], zone: &TimeZone) -> String {
    if pending.is_empty() {
        return "Nothing waits for an approval.\n".to_owned();
    }
    pending
        .iter()
        .map(|approval| {
            format!(
                "{}  until {}  {:<14}  {:<14}  {:<16}  {}\n",
                approval.id,
                clock_time(approval.expires, zone),
                who(approval),
                escape::line(&approval.vault),
                escape::line(&approval.command),
                effects(approval)
            )
        })
        .collect()
}

/// An approval for programs.
fn described(approval: &Approval) -> Value {
    json!({
        "id": approval.id,
        "state": approval.state,
        "door": approval.door,
        "asked": approval.asked.to_string(),
        "expires": approval.expires.to_string(),
        "caller": approval.caller,
        "agent": approval.agent,
        "vault": approval.vault,
        "command": approval.command,
        "params": approval.params,
        "effects": approval.effects,
        "plan": approval.plan,
        "planText": approval.plan_text,
        "planHash": approval.hash_told(),
        "closedNotes": approval.closed,
    })
}

fn who(approval: &Approval) -> String {
    match &approval.agent {
        Some(agent) => format!(
            "{} `{}`",
            escape::line(&approval.caller),
            escape::line(agent)
        ),
        None => escape::line(&approval.caller),
    }
}

fn effects(approval: &Approval) -> String {
    let names: Vec<&str> = approval.effects.iter().map(Effect::name).collect();
    names.join(", ")
}

fn clock_time(time: Timestamp, zone: &TimeZone) -> String {
    time.to_zoned(zone.clone()).strftime("%H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::Caller;
    use crate::records::approvals::NewApproval;

    fn approval(params: &[(&str, &str)], plan_text: &str) -> Approval {
        let folder = tempfile::tempdir().unwrap();
        let approvals = Approvals::open(folder.path(), None);
        let now = "2026-03-14T09:26:53Z".parse().unwrap();
        let params = params
            .iter()
            .map(|(key, value)| ((*key).to_owned(), json!(value)));
        let new = NewApproval {
            plan_hash: "0f".repeat(32),
            command: "create".to_owned(),
            params: params.collect(),
            effects: [Effect::Write, Effect::Destroy].into_iter().collect(),
            vault: "Notes".to_owned(),
            caller: Caller::Agent,
            agent: Some("helper".to_owned()),
            plan: Value::Null,
            plan_text: plan_text.to_owned(),
            closed: ClosedNotes::default(),
        };
        approvals.ask(new, now).unwrap();
        let mut approval = approvals.pending(now).unwrap().remove(0);
        approval.id = "4k7m92qx".to_owned();
        approval
    }

    #[test]
    fn k07_the_prompt_shows_every_character_and_none_of_them_passes_for_its_own() {
        let evil = "fine\u{1b}[2K\u{1b}[1A\r\nThat is all of approval 4k7m92qx: read\n\
                    gpj.\u{202e}md\u{2066}\u{200b}\n\n\n\n\u{e0041}end\u{7}\n";
        let padded = format!("short{}That is all of approval", " ".repeat(200));
        let approval = approval(
            &[
                ("content", evil),
                ("path", "no\u{feff}te.md"),
                ("title", &padded),
            ],
            "create note.md\n-old\n+new \u{202e}\n",
        );
        insta::assert_snapshot!("prompt", shown(&approval, &TimeZone::UTC));
    }

    #[test]
    fn k07_a_plan_of_100_kilobytes_is_shown_whole() {
        let lines: Vec<String> = (0..10_000)
            .map(|number| format!("+line {number}"))
            .collect();
        let plan = lines.join("\n");
        assert!(plan.len() > 100_000);
        let approval = approval(&[("content", &plan)], &plan);
        let text = shown(&approval, &TimeZone::UTC);
        let framed: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("  | "))
            .collect();
        assert_eq!(framed, [lines.clone(), lines].concat());
        assert_eq!(text.matches(&size(&plan)).count(), 2);
        let longest = "x".repeat(100_000);
        let wrapped: String = framed_text(&longest);
        assert_eq!(wrapped, longest);
    }

    /// What stands behind the bars.
    fn framed_text(text: &str) -> String {
        framed(&escape::block(text))
            .lines()
            .map(|line| {
                assert!(line.len() <= WIDTH + 4, "{line}");
                line.get(4..).unwrap()
            })
            .collect()
    }

    #[test]
    fn only_a_clear_yes_is_one() {
        for yes in ["y", "Y\n", " yes \r\n"] {
            assert!(is_yes(yes), "{yes:?}");
        }
        for no in [
            "",
            "\n",
            "n",
            "no",
            "yy",
            "yes please",
            "\u{ff59}",
            "y\u{200b}",
            "1",
        ] {
            assert!(!is_yes(no), "{no:?}");
        }
    }
}
