//! `vault-gw explain [WORD]`: cause and remedy of a code; what a command or a verb is, and whether
//! it is open here.

use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Map, Value, json};

use super::options::Options;
use super::report;
use super::terminal::Terminal;
use super::verb::Verb;
use crate::allowlist::{Catalogue, Command, Effect, Lookup, RefusedCommand, nearest};
use crate::code::{Code, Explanation};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::gateway::about::{Capability, Openness};
use crate::gateway::{Caller, settings_words};
use crate::issue_code::IssueCode;

/// An explanation, and what keeps it from being whole.
struct Report {
    text: String,
    data: Map<String, Value>,
    failure: Option<Failure>,
}

impl Report {
    fn whole(text: String, data: Map<String, Value>) -> Self {
        Self {
            text,
            data,
            failure: None,
        }
    }
}

/// Explains one word, or lists all codes.
pub(crate) fn run(
    terminal: Terminal,
    options: &Options,
    word: Option<&str>,
    environment: &Environment,
) -> ExitCode {
    let started = Instant::now();
    let explained = match word {
        None => Ok(all()),
        Some(word) => explained(options, word, environment),
    };
    match explained {
        Ok(Report {
            text,
            data,
            failure,
        }) => report::findings(terminal, options, "explain", started, &text, data, failure),
        Err(failure) => report::failure(terminal, options, "explain", failure),
    }
}

fn all() -> Report {
    let codes = Code::ALL.map(Code::explanation);
    let mut text: String = codes.iter().map(line).collect();
    for issue in IssueCode::ALL {
        text += &format!("{:<24} {:>3}  {}\n", issue.issue, "-", issue.meaning);
    }
    let data = Map::from_iter([
        ("codes".to_owned(), json!(codes.to_vec())),
        ("issues".to_owned(), json!(IssueCode::ALL)),
    ]);
    Report::whole(text, data)
}

fn line(explanation: &Explanation) -> String {
    format!(
        "{:<24} {:>3}  {}\n",
        explanation.code.name(),
        explanation.exit,
        explanation.cause
    )
}

fn explained(options: &Options, word: &str, environment: &Environment) -> Result<Report, Failure> {
    let name = word.to_ascii_uppercase();
    let issue = IssueCode::named(&name);
    if let Some(code) = Code::named(&name) {
        return Ok(of_code(code, issue));
    }
    if let Some(issue) = issue {
        return Ok(of_issue(issue));
    }
    if let Some(about) = Verb::about(word) {
        return Ok(of_verb(word, &about));
    }
    match Catalogue::whole()?.lookup(word) {
        Lookup::Offered(command) => of_command(options, &command, environment),
        Lookup::Refused(command) => Ok(of_refused(command)),
        Lookup::Unknown { .. } => Err(unknown(word)),
    }
}

fn of_code(code: Code, issue: Option<IssueCode>) -> Report {
    let explanation = code.explanation();
    let mut text = format!(
        "{code} (exit status {})\n\nWhat happened: {}\nWhat to do:    {}\nTrying again:  {}\n",
        explanation.exit,
        explanation.cause,
        explanation.remedy,
        if explanation.retryable {
            "may help by itself"
        } else {
            "does not help by itself"
        },
    );
    text += &at_terminal(code.at_terminal());
    let mut data = object(json!(explanation));
    if let Some(issue) = issue {
        text += &format!(
            "\nAs a warning, of a call that went on:\n\nWhat it means: {}\nWhat to do:    {}\n",
            issue.meaning, issue.remedy
        );
        data.insert("asWarning".to_owned(), json!(issue));
    }
    Report::whole(text, data)
}

fn of_issue(issue: IssueCode) -> Report {
    let mut text = format!(
        "{} (beside an answer)\n\nWhat it means: {}\nWhat to do:    {}\n",
        issue.issue, issue.meaning, issue.remedy
    );
    text += &at_terminal(issue.at_terminal());
    Report::whole(text, object(json!(issue)))
}

/// What only a person can use stands in the text for people, and never in the data.
fn at_terminal(typed: Option<&str>) -> String {
    typed.map_or_else(String::new, |typed| format!("At a terminal: {typed}\n"))
}

fn of_verb(verb: &str, about: &str) -> Report {
    let text = format!(
        "{verb} (a verb of this program)\n\nWhat it does:  {about}.\nHow:           vault-gw help {verb}\n"
    );
    Report::whole(text, object(json!({ "verb": verb, "summary": about })))
}

fn of_command(
    options: &Options,
    command: &Command,
    environment: &Environment,
) -> Result<Report, Failure> {
    let (gateway, unusable) = match super::gateway(options, environment, Caller::Person) {
        Ok(gateway) => (gateway, None),
        // What the command is stands in no settings; only what is open here does.
        Err(failure) if failure.code != Code::UsageError => (
            super::doctor::without_settings(options, environment)?,
            Some(failure),
        ),
        Err(failure) => return Err(failure),
    };
    let capability = gateway.capability(command, false);
    let Capability {
        open, why, needs, ..
    } = &capability;
    let here = match (open, &unusable) {
        (_, Some(failure)) => format!("not known. {}", failure.message),
        (Openness::Open, None) => "open".to_owned(),
        (Openness::Approval, None) => "open once a person has approved the call".to_owned(),
        (Openness::Closed | Openness::Never, None) => "closed".to_owned(),
    };
    let mut text = format!(
        "{} (tier {}, group {})\n\nWhat it does:  {}\nHere:          {here}\n",
        command.id,
        command.tier.name(),
        command.group,
        command.summary
    );
    if let Some(why) = why.as_ref().filter(|_| unusable.is_none()) {
        text += &format!("Why:           {why}\n");
    }
    if !needs.is_empty() && unusable.is_none() {
        let words = settings_words(needs.iter().map(String::as_str));
        text += &format!("To open it:    {}\n", words.join(" and "));
    }
    let effects: Vec<&str> = command.effects.iter().map(Effect::name).collect();
    text += &format!("Effects:       {}\n", effects.join(", "));
    let backends: Vec<String> = command
        .backends
        .iter()
        .filter_map(|backend| json!(backend).as_str().map(str::to_owned))
        .collect();
    text += &format!("Answered by:   {}\n", backends.join(", "));
    text += &format!("How:           vault-gw {}\n", command.usage());
    let mut data = object(json!(capability));
    if unusable.is_some() {
        data.retain(|key, _| !["open", "closedBy", "why", "needs"].contains(&key.as_str()));
    }
    Ok(Report {
        text,
        data,
        failure: unusable,
    })
}

fn of_refused(command: &RefusedCommand) -> Report {
    let instead = command.instead.as_deref();
    let text = format!(
        "{} (never open)\n\nWhy:           {}\nInstead:       {}\n",
        command.id,
        command.reason,
        instead.unwrap_or("nothing; do it in Obsidian by hand")
    );
    let data = json!({
        "id": command.id,
        "open": Openness::Never,
        "effects": command.effects,
        "reason": command.reason,
        "instead": command.instead,
    });
    Report::whole(text, object(data))
}

fn unknown(word: &str) -> Failure {
    let codes = Code::ALL.iter().map(|code| code.name());
    let issues = IssueCode::ALL.iter().map(|issue| issue.issue);
    let mut near = nearest(&word.to_ascii_uppercase(), codes.chain(issues));
    if let Ok(catalogue) = Catalogue::whole() {
        let commands = catalogue.commands().map(|command| command.id.as_str());
        near.extend(nearest(word, commands));
    }
    near.extend(Verb::nearest(word));
    let hint = near
        .first()
        .map(|near| format!(" Did you mean `{near}`?"))
        .unwrap_or_default();
    Failure::new(
        Code::UsageError,
        format!(
            "There is no code, command or verb of this name; `vault-gw explain` lists the codes.{hint}"
        ),
    )
    .with("nearest", near)
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(data) => data,
        _ => Map::new(),
    }
}
