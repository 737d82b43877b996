//! `vault-gw approve`: a person approves or denies a pending call.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use super::report::{self, VerbEnd, VerbText};
use cli_output::plural::count;
use frontend::approval_text;
use frontend::approval_text::{clock_time, effects, params_in_brief, who};
use frontend::display::{Role, StyledText, Table};
use frontend::escape;
use frontend::options::{CommandLineOptions, OutputMode};
use frontend::setup;
use frontend::terminal::Terminal;
use gateway::{Envelope, Gateway};
use protocol::caller::Caller;
use protocol::caller::is_named;
use protocol::code::Code;
use protocol::failure::Failure;
use protocol::message::{FOR_PERSON, for_person};
use sandbox::clock;
use sandbox::environment::Environment;
use settings::Folders;
use store::approvals::{Approval, Approvals};
use tiers::ApprovalChannel;

/// The options of `approve`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ApproveArguments {
    /// The approval's name, or its beginning; can be left out where only one waits
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// List what waits for an approval
    #[arg(long, conflicts_with_all = ["id", "deny"])]
    list: bool,
    /// Say no
    #[arg(long)]
    deny: bool,
    /// Say no to everything that waits
    #[arg(long, conflicts_with_all = ["id", "deny", "list"])]
    deny_all: bool,
    /// Only what this agent asked for, by its name in the settings or as it names itself
    #[arg(long, value_name = "AGENT", conflicts_with = "id")]
    from: Option<String>,
    /// Only what was asked for longer ago, such as `5m`
    #[arg(long, value_name = "DURATION", conflicts_with = "id")]
    older_than: Option<SignedDuration>,
}

impl ApproveArguments {
    /// Returns the pending approvals that the options select.
    fn pending(&self, approvals: &Approvals, now: Timestamp) -> Result<Vec<Approval>, Failure> {
        let mut pending = approvals.pending(now)?;
        pending.retain(|approval| {
            let is_theirs = self.from.as_deref().is_none_or(|name| {
                is_named(name, approval.agent.as_deref(), approval.client.as_deref())
            });
            let age = now.duration_since(approval.requested_at);
            is_theirs && self.older_than.is_none_or(|least| age >= least)
        });
        Ok(pending)
    }

    /// Whether the options select only some of the pending approvals.
    fn is_filtered(&self) -> bool {
        self.from.is_some() || self.older_than.is_some()
    }
}

/// The approval that a person is being asked about, so that a signal can end it like an answer `n`.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenQuestion(Arc<Mutex<Option<String>>>);

impl OpenQuestion {
    fn begin(&self, id: &str) {
        *self.lock() = Some(id.to_owned());
    }

    /// Ends the question and returns its approval; `None` if none is open, or another thread has
    /// ended it.
    fn end(&self) -> Option<String> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Withdraws the approval after a signal that came instead of an answer.
    pub(super) fn cut_off(&self, terminal: &Terminal, gateway: &Gateway) {
        let Some(id) = self.end() else {
            return;
        };
        // The answer would have ended the line.
        terminal.end_question();
        match gateway.approvals().withdraw(&id) {
            Ok(()) => {
                let failure = Code::ApprovalRequired.failure(NOT_APPROVED);
                terminal.failure(&failure, &[], FOR_PERSON);
            }
            Err(failure) => terminal.failure(&failure, &[], FOR_PERSON),
        }
    }
}

/// The message to a person who does not approve their own call.
const NOT_APPROVED: &str = "Not approved. Nothing was done.";

/// Asks the person who typed the command for the approval that it needs; returns whether it was
/// given. Without a terminal the approval stays pending for `vault-gw approve`.
pub(super) fn at_once(
    terminal: &Terminal,
    options: &CommandLineOptions,
    gateway: &Gateway,
    answered: &Envelope,
    open: &OpenQuestion,
) -> Result<Option<String>, Failure> {
    let Some(id) = answered.error.as_ref().and_then(Failure::approval) else {
        return Ok(None);
    };
    let approvals = gateway.approvals().store()?;
    let now = gateway.now();
    let approval = approvals.find(id, now.timestamp())?;
    if gateway
        .approvals()
        .check_channel(&approval, ApprovalChannel::Terminal)
        .is_err()
    {
        // The terminal is not an accepted way to approve, so nobody is asked.
        return Ok(None);
    }
    let links = linking_notes(terminal, gateway, &approval);
    open.begin(id);
    let consent = confirm_own(terminal, &approval, links, now.time_zone(), options.verbose);
    if open.end().is_none() {
        // A signal has ended the question, and the process is about to end.
        return Ok(None);
    }
    match consent? {
        Consent::Given => {}
        Consent::NoTerminal => return Ok(None),
        Consent::Declined | Consent::Unclear => {
            gateway.approvals().withdraw(id)?;
            return Err(Code::ApprovalRequired
                .failure(NOT_APPROVED)
                .with("reason", "declined"));
        }
    }
    gateway
        .approvals()
        .answer(id, ApprovalChannel::Terminal, true)?;
    Ok(Some(id.to_owned()))
}

/// Lists, approves or denies.
pub(crate) fn run(
    terminal: &Terminal,
    options: &CommandLineOptions,
    arguments: &ApproveArguments,
    environment: &Environment,
) -> Result<VerbEnd, Failure> {
    if options.agent.is_some() {
        return Err(Code::ApprovalRequired
            .failure("An agent cannot approve calls.")
            .hint(for_person("If you are a person, omit `--agent`."))
            .with("reason", "agent"));
    }
    let approvals = Approvals::open(&Folders::new(environment).state()?, None);
    let clock = clock::system_clock(environment);
    let now = clock();
    let zone = now.time_zone().clone();
    if arguments.list {
        let pending = arguments.pending(&approvals, now.timestamp())?;
        let approvals: Vec<Value> = pending.iter().map(described).collect();
        let data = Map::from_iter([("pending".to_owned(), Value::from(approvals))]);
        let text = if pending.is_empty() && arguments.is_filtered() {
            "No matching call waits for an approval.\n".into()
        } else {
            list(&pending, &zone, terminal.columns())
        };
        return Ok((text, data).into());
    }
    if arguments.deny_all {
        let gateway = setup::gateway(options, environment, Caller::Person)?;
        return deny_all(&gateway, &approvals, arguments, now.timestamp());
    }
    let pending = arguments.pending(&approvals, now.timestamp())?;
    let gateway = setup::gateway(options, environment, Caller::Person)?;
    let answering = Answering {
        terminal,
        gateway: &gateway,
        approvals: &approvals,
        zone: &zone,
        is_yes_given: options.yes,
    };
    if arguments.id.is_none()
        && !arguments.deny
        && pending.len() > 1
        && terminal.can_ask()
        && options.output_mode() == OutputMode::Text
        && !options.yes
    {
        return answering.walk_through(&pending);
    }
    if arguments.id.is_none()
        && pending.len() > 1
        && options.output_mode().tells_failures_in_words()
    {
        report::text(terminal, list(&pending, &zone, terminal.columns()));
    }
    let approval = chosen(
        &approvals,
        pending,
        arguments.id.as_deref(),
        now.timestamp(),
    )?;
    let (is_yes, answered) = answering.answer(&approval, arguments.deny)?;
    let text = answer_in_words(is_yes, &answered, &zone);
    if !is_yes && !arguments.deny {
        // A script must not continue after a no.
        return Err(Code::ApprovalRequired
            .failure(text.trim_end())
            .with("reason", "declined"));
    }
    let data = Map::from_iter([("approval".to_owned(), described(&answered))]);
    Ok((text, data).into())
}

/// A person who answers calls that wait.
struct Answering<'a> {
    terminal: &'a Terminal,
    gateway: &'a Gateway,
    approvals: &'a Approvals,
    zone: &'a TimeZone,
    /// Whether `--yes` answers instead of the person.
    is_yes_given: bool,
}

impl Answering<'_> {
    /// Answers one call: with no, or as the person at the terminal does. Returns the answer and the approval after it.
    fn answer(&self, approval: &Approval, is_denied: bool) -> Result<(bool, Approval), Failure> {
        let (gateway, id) = (self.gateway, approval.id.as_str());
        let channel = if self.is_yes_given {
            ApprovalChannel::Yes
        } else {
            ApprovalChannel::Terminal
        };
        let mut is_yes = !is_denied;
        if is_yes {
            gateway.approvals().check_channel(approval, channel)?;
            if !self.is_yes_given {
                let takes_yes = gateway
                    .approvals()
                    .check_channel(approval, ApprovalChannel::Yes)
                    .is_ok();
                let consent = confirm(self.terminal, approval, self.zone)?;
                is_yes = is_approved(consent, id, takes_yes)?;
            }
        }
        // The approval may have expired while the person was reading; this fails then.
        let answered = if is_yes {
            gateway.approvals().answer(id, channel, true)?
        } else {
            deny(gateway, self.approvals, approval, channel)?
        };
        Ok((is_yes, answered))
    }

    /// Asks about each call in turn. Anything but a yes or a no ends it; the calls that are left still wait.
    fn walk_through(&self, pending: &[Approval]) -> Result<VerbEnd, Failure> {
        let mut answered = Vec::new();
        for (place, approval) in pending.iter().enumerate() {
            let place = format!("Call {} of {} that wait:\n", place + 1, pending.len());
            report::text(self.terminal, place);
            let (is_yes, approval) = self.answer(approval, false)?;
            let text = answer_in_words(is_yes, &approval, self.zone);
            report::text(self.terminal, text);
            answered.push(described(&approval));
        }
        let data = Map::from_iter([("approvals".to_owned(), Value::from(answered))]);
        Ok(("", data).into())
    }
}

/// Whether the approval was granted or denied, and the next step.
fn answer_in_words(is_yes: bool, answered: &Approval, zone: &TimeZone) -> String {
    let done = if is_yes { "Approved" } else { "Denied" };
    let until = clock_time(answered.expires, zone);
    let next = match (is_yes, is_own(answered)) {
        (true, true) => format!("Run the same command again before {until}."),
        (true, false) => format!("The agent can repeat the call before {until}."),
        (false, true) => "The call no longer waits for an approval.".to_owned(),
        (false, false) => format!("The same call is refused until {until}."),
    };
    format!(
        "{done}: `{}` ({}) on {}, asked by {}. {next}\n",
        escape::line(&answered.command),
        answered.id,
        escape::line(&answered.vault),
        who(answered)
    )
}

/// Whether a person asked for it on their own command line.
fn is_own(approval: &Approval) -> bool {
    approval.agent.is_none() && approval.caller == Caller::Person.name()
}

/// Denies an approval. A person's own call can be typed again and asks again; an agent's stays
/// denied.
fn deny(
    gateway: &Gateway,
    approvals: &Approvals,
    approval: &Approval,
    channel: ApprovalChannel,
) -> Result<Approval, Failure> {
    let denied = gateway.approvals().answer(&approval.id, channel, false)?;
    if is_own(approval) {
        approvals.forget(&approval.id)?;
    }
    Ok(denied)
}

/// Denies all pending approvals, or those that the options select.
fn deny_all(
    gateway: &Gateway,
    approvals: &Approvals,
    arguments: &ApproveArguments,
    now: Timestamp,
) -> Result<VerbEnd, Failure> {
    let mut denied = Vec::new();
    for approval in arguments.pending(approvals, now)? {
        denied.push(deny(
            gateway,
            approvals,
            &approval,
            ApprovalChannel::Terminal,
        )?);
    }
    let mut text = format!("Denied: {}.\n", count(denied.len(), "call"));
    for one in &denied {
        let command = escape::line(&one.command);
        text += &format!("  `{command}` ({}), asked by {}\n", one.id, who(one));
    }
    let denied: Vec<Value> = denied.iter().map(described).collect();
    let data = Map::from_iter([("denied".to_owned(), Value::from(denied))]);
    Ok((text, data).into())
}

/// Returns the named approval, or the only pending one.
fn chosen(
    approvals: &Approvals,
    pending: Vec<Approval>,
    id: Option<&str>,
    now: Timestamp,
) -> Result<Approval, Failure> {
    let mut meant = match id {
        Some(id) => Approvals::begun_by(pending, id),
        None => pending,
    };
    let message = match (meant.len(), id) {
        (1, _) => return Ok(meant.remove(0)),
        (0, Some(id)) => return approvals.find(id, now).map_err(explain_to_person),
        (0, None) => {
            return Err(Code::TargetNotFound.failure(
                "No call waits for an approval. A call that needs an approval reports its id.",
            ));
        }
        (calls, Some(_)) => {
            format!(
                "The ids of {calls} waiting calls begin with these characters. Type more characters of the id."
            )
        }
        (calls, None) => {
            format!("{calls} calls wait for an approval. Name one of them: `vault-gw approve ID`.")
        }
    };
    let failure = Code::UsageError.failure(message);
    let ids: Vec<String> = meant.into_iter().map(|one| one.id).collect();
    Err(failure.with("pending", ids))
}

/// Returns the failure in words for the person who approves; its own words are for the caller.
fn explain_to_person(failure: Failure) -> Failure {
    let message = match failure.reason() {
        Some("unknown") => {
            "No waiting call has this id. `vault-gw approve --list` lists the waiting calls."
        }
        Some("denied") => {
            "This call was already denied. It can be requested again ten minutes after the first request."
        }
        Some("expired") => {
            "This approval has expired: it was requested more than ten minutes ago. Ask the agent to send the call again."
        }
        Some("used") => "This approval was already used. Each approval works once.",
        _ => return failure,
    };
    let code = match failure.reason() {
        Some("unknown") => Code::TargetNotFound,
        _ => failure.code,
    };
    failure.with_code(code).without_hints().say(message)
}

/// The answer of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Consent {
    Given,
    Declined,
    /// The answer is neither yes nor no, or the input has ended.
    Unclear,
    /// No terminal, so nobody was asked.
    NoTerminal,
}

/// Shows the whole plan and asks; after `d` it shows all other details of the call and asks again.
/// Only a person at a terminal can answer.
fn confirm(terminal: &Terminal, approval: &Approval, zone: &TimeZone) -> Result<Consent, Failure> {
    let command = escape::line(&approval.command);
    let question = format!("Approve `{command}`? [y]es, [N]o, [d]etails: ");
    let brief = approval_text::question(approval, zone, terminal.question_columns());
    ask_with_details(terminal, &question, &brief, &all_of(approval, zone))
}

/// Asks a person about their own call, in one sentence; `d` shows the whole plan, with `-v` its
/// hashes too.
fn confirm_own(
    terminal: &Terminal,
    approval: &Approval,
    links: usize,
    zone: &TimeZone,
    verbosity: u8,
) -> Result<Consent, Failure> {
    let question = format!(
        "{} [y/N/details] ",
        approval_text::own_question(approval, links)
    );
    let details = if verbosity > 0 {
        all_of(approval, zone)
    } else {
        approval_text::question(approval, zone, terminal.question_columns())
    };
    ask_with_details(terminal, &question, &StyledText::default(), &details)
}

/// All details of the call.
fn all_of(approval: &Approval, zone: &TimeZone) -> StyledText {
    let closed = approval_text::closed_notes(approval);
    StyledText::unstyled(&approval_text::shown_with(approval, zone, &closed))
}

/// Shows a text and asks; with `d` shows the details and asks again.
fn ask_with_details(
    terminal: &Terminal,
    question: &str,
    brief: &StyledText,
    details: &StyledText,
) -> Result<Consent, Failure> {
    let mut answer = terminal.ask_about(brief, question)?;
    while answer.as_deref().is_some_and(asks_for_details) {
        answer = terminal.ask_about(details, question)?;
    }
    Ok(answer.map_or(Consent::NoTerminal, |answer| consent(&answer)))
}

/// Counts the notes that link to the only file that a person's own call removes.
fn linking_notes(terminal: &Terminal, gateway: &Gateway, approval: &Approval) -> usize {
    let Some(path) = approval_text::removed(approval).filter(|_| terminal.can_ask()) else {
        return 0;
    };
    gateway.notes_linking_to(path)
}

/// Whether the answer is yes. Fails if it is neither yes nor no, and the call stays pending.
fn is_approved(consent: Consent, id: &str, takes_yes: bool) -> Result<bool, Failure> {
    let (message, reason) = match consent {
        Consent::Given => return Ok(true),
        Consent::Declined => return Ok(false),
        Consent::Unclear => (
            format!(
                "The call was not approved and still waits. To deny the call, run `vault-gw approve --deny {id}`."
            ),
            "unclear",
        ),
        Consent::NoTerminal => {
            let or_yes = if takes_yes {
                ", or add `--yes` if you have seen the plan"
            } else {
                ""
            };
            (
                format!(
                    "Only a person can give an approval. Run this command at a terminal{or_yes}."
                ),
                "no-terminal",
            )
        }
    };
    Err(Code::ApprovalRequired
        .failure(message)
        .with("reason", reason))
}

fn asks_for_details(answer: &str) -> bool {
    matches!(answer.trim().to_ascii_lowercase().as_str(), "d" | "details")
}

/// Only an explicit yes approves. An empty answer is no, the default that the question shows.
fn consent(answer: &str) -> Consent {
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Consent::Given,
        "n" | "no" => Consent::Declined,
        "" if !answer.is_empty() => Consent::Declined,
        _ => Consent::Unclear,
    }
}

/// The approvals as a table.
pub(super) fn list(pending: &[Approval], zone: &TimeZone, columns: usize) -> VerbText {
    if pending.is_empty() {
        return "No call waits for an approval.\n".into();
    }
    let mut table = Table::new([
        "ID",
        "UNTIL",
        "ASKED BY",
        "VAULT",
        "COMMAND",
        "EFFECTS",
        "PARAMETERS",
    ]);
    for approval in pending {
        table.row(vec![
            (Role::Name, approval.id.clone()),
            (Role::Plain, clock_time(approval.expires, zone)),
            (Role::Plain, who(approval)),
            (Role::Plain, escape::line(&approval.vault)),
            (Role::Plain, escape::line(&approval.command)),
            (Role::Caution, effects(approval)),
            (Role::Plain, params_in_brief(approval)),
        ]);
    }
    let plain = pending
        .iter()
        .map(|approval| {
            format!(
                "{}  until {}  {:<14}  {:<14}  {:<16}  {}  {}\n",
                approval.id,
                clock_time(approval.expires, zone),
                who(approval),
                escape::line(&approval.vault),
                escape::line(&approval.command),
                effects(approval),
                params_in_brief(approval)
            )
        })
        .collect();
    VerbText::new(plain, table.laid_out(columns))
}

/// Returns an approval as JSON, for the lists.
pub(super) fn described(approval: &Approval) -> Value {
    json!({
        "id": approval.id,
        "state": approval.state,
        "door": approval.channel,
        "asked": approval.requested_at.to_string(),
        "expires": approval.expires.to_string(),
        "caller": approval.caller,
        "agent": approval.agent,
        "client": approval.client,
        "vault": approval.vault,
        "command": approval.command,
        "params": approval.params,
        "effects": approval.effects,
        "plan": approval.plan,
        "planText": approval.plan_text,
        "planHash": approval.shown_hash(),
        "closedNotes": approval.closed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_is_one() {
        for yes in ["y", "Y\n", " yes \r\n"] {
            assert_eq!(consent(yes), Consent::Given, "{yes:?}");
        }
        for no in ["\n", "n", "No\n", "\r\n"] {
            assert_eq!(consent(no), Consent::Declined, "{no:?}");
        }
        for unclear in ["", "yy", "yes please", "\u{ff59}", "y\u{200b}", "1"] {
            assert_eq!(consent(unclear), Consent::Unclear, "{unclear:?}");
        }
    }
}
