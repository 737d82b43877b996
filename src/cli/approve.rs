//! Calls that wait for an approval: a person answers their own at once, and those of agents in `vault-gw review`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};
use vault_engine::plural::count;

use super::error::Error;
use super::report::{VerbReport, VerbText};
use frontend::{
    CommandLineOptions, Role, StyledText, Table, Terminal,
    approval_text::{self, clock_time, effects, params_in_brief, who},
    escape,
};
use gateway::{Envelope, Gateway};
use protocol::{Caller, FOR_PERSON, Failure, failure::DENIED, is_named};
use store::approvals::{Approval, Approvals};
use tiers::ApprovalChannel;

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
                terminal.failure(&Error::NotApproved.into(), &[], FOR_PERSON);
            }
            Err(failure) => terminal.failure(&failure, &[], FOR_PERSON),
        }
    }
}

/// Asks the person who typed the command for the approval that it needs; returns whether it was
/// given. Without a terminal the approval stays pending for `vault-gw review`.
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
            return Err(Error::NotApproved.into());
        }
    }
    gateway
        .approvals()
        .answer(id, ApprovalChannel::Terminal, true)?;
    Ok(Some(id.to_owned()))
}

/// Returns the waiting call whose id begins with `typed`; `None` if there is none.
///
/// # Errors
///
/// If the call was answered or has expired, or if several ids begin so.
pub(super) fn waiting_call(gateway: &Gateway, typed: &str) -> Result<Option<Approval>, Failure> {
    let approvals = gateway.approvals().store()?;
    let now = gateway.now().timestamp();
    let mut named = Approvals::begun_by(approvals.pending(now)?, typed);
    match named.len() {
        0 => match approvals.find(typed, now) {
            Err(failure) if failure.reason() == Some("unknown") => Ok(None),
            found => found.map(Some).map_err(explain_to_person),
        },
        1 => Ok(named.pop()),
        _ => Err(Error::SeveralCalls(named.into_iter().map(|one| one.id).collect()).into()),
    }
}

/// Answers a waiting call: with no, or as the person at the terminal does. `--dry-run` shows the call and answers
/// nothing.
pub(super) fn answer(
    terminal: &Terminal,
    options: &CommandLineOptions,
    gateway: &Gateway,
    approval: &Approval,
    accepts: bool,
) -> Result<VerbReport, Failure> {
    check_is_person(options)?;
    let zone = gateway.now().time_zone().clone();
    let data = |approval| Map::from_iter([("approval".to_owned(), described(approval))]);
    if options.dry_run {
        return Ok((all_of(approval, &zone), data(approval)).into());
    }
    let channel = if options.yes {
        ApprovalChannel::Yes
    } else {
        ApprovalChannel::Terminal
    };
    let mut is_yes = accepts;
    if accepts {
        gateway.approvals().check_channel(approval, channel)?;
        if !options.yes {
            let takes_yes = gateway
                .approvals()
                .check_channel(approval, ApprovalChannel::Yes)
                .is_ok();
            let consent = confirm(terminal, approval, &zone)?;
            is_yes = is_approved(consent, &approval.id, takes_yes)?;
        }
    }
    // The approval may have expired while the person was reading; this fails then.
    let answered = if is_yes {
        gateway.approvals().answer(&approval.id, channel, true)?
    } else {
        deny(gateway, approval, channel)?
    };
    let text = answer_in_words(is_yes, &answered, &zone);
    if accepts && !is_yes {
        // A script must not continue after a no.
        return Err(Error::DeniedInstead(text.trim_end().to_owned()).into());
    }
    Ok((text, data(&answered)).into())
}

/// Whether the approval was granted or denied, and the next step.
fn answer_in_words(is_yes: bool, answered: &Approval, zone: &TimeZone) -> String {
    let done = if is_yes { "Approved" } else { "Denied" };
    let until = clock_time(answered.expires, zone);
    let next = match (is_yes, is_own(answered)) {
        (true, true) => format!("Run the same command again before {until}."),
        (true, false) => format!("The agent can repeat the call before {until}."),
        (false, true) => "The call no longer waits for an approval.".to_owned(),
        (false, false) => format!("Until {until}, the same call is refused."),
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
    approval: &Approval,
    channel: ApprovalChannel,
) -> Result<Approval, Failure> {
    let denied = gateway.approvals().answer(&approval.id, channel, false)?;
    if is_own(approval) {
        gateway.approvals().store()?.forget(&approval.id)?;
    }
    Ok(denied)
}

/// Refuses an agent, and a person under an agent's policy.
fn check_is_person(options: &CommandLineOptions) -> Result<(), Error> {
    if options.agent.is_none() {
        Ok(())
    } else {
        Err(Error::AgentApproves)
    }
}

/// Returns the calls that wait for an approval, oldest first; with `from` only those of this agent.
pub(super) fn waiting_calls(
    gateway: &Gateway,
    from: Option<&str>,
) -> Result<Vec<Approval>, Failure> {
    let store = gateway.approvals().store()?;
    let mut calls = store.pending(gateway.now().timestamp())?;
    calls.retain(|call| {
        from.is_none_or(|name| is_named(name, call.agent.as_deref(), call.client.as_deref()))
    });
    Ok(calls)
}

/// Denies every waiting call, or with `from` those of this agent.
pub(super) fn deny_all(
    options: &CommandLineOptions,
    gateway: &Gateway,
    from: Option<&str>,
) -> Result<VerbReport, Failure> {
    check_is_person(options)?;
    let mut denied = waiting_calls(gateway, from)?;
    if !options.dry_run {
        for call in &mut denied {
            *call = deny(gateway, call, ApprovalChannel::Terminal)?;
        }
    }
    let did = if options.dry_run {
        "Would deny"
    } else {
        "Denied"
    };
    let mut text = format!("{did}: {}.\n", count(denied.len(), "call"));
    for one in &denied {
        let command = escape::line(&one.command);
        text += &format!("  `{command}` ({}), asked by {}\n", one.id, who(one));
    }
    let denied: Vec<Value> = denied.iter().map(described).collect();
    Ok((text, Map::from_iter([("denied".to_owned(), denied.into())])).into())
}

/// Returns the failure in words for the person who approves; its own words are for the caller.
fn explain_to_person(failure: Failure) -> Failure {
    match failure.reason() {
        Some(DENIED) => Error::AlreadyDenied.into(),
        Some("expired") => Error::Expired.into(),
        Some("used") => failure.without_hints(),
        _ => failure,
    }
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
    let brief = approval_text::question(approval, zone, terminal.stderr.columns);
    let details = StyledText::unstyled(&all_of(approval, zone));
    ask_with_details(terminal, &question, &brief, &details)
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
        StyledText::unstyled(&all_of(approval, zone))
    } else {
        approval_text::question(approval, zone, terminal.stderr.columns)
    };
    ask_with_details(terminal, &question, &StyledText::default(), &details)
}

/// All details of the call.
fn all_of(approval: &Approval, zone: &TimeZone) -> String {
    let closed = approval_text::closed_notes(approval);
    approval_text::shown_with(approval, zone, &closed)
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
fn is_approved(consent: Consent, id: &str, takes_yes: bool) -> Result<bool, Error> {
    match consent {
        Consent::Given => Ok(true),
        Consent::Declined => Ok(false),
        Consent::Unclear => Err(Error::Unclear(id.to_owned())),
        Consent::NoTerminal if takes_yes => Err(Error::NoTerminalOrYes),
        Consent::NoTerminal => Err(Error::NoTerminal),
    }
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
