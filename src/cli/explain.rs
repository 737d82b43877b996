//! `vault-gw explain [WORD]`: cause and remedy of a code; the codes of an exit status; what a command or verb
//! does, and whether it is open here; or what the policy decides for a whole request.

use serde_json::json;

use super::Cli;
use super::error::Error;
use super::policy;
use super::report::{VerbEnd, VerbReport};
use allowlist::{Catalogue, Command, Effect, Lookup, RefusedCommand, nearest};
use frontend::{CommandLineOptions, setup, verb_names::nearest_verb};
use gateway::about::{Capability, Openness};
use gateway::{settings_lines, settings_words};
use protocol::{
    Caller, Code, Explanation, Failure, IssueCode, Message, json::object, meaning_of_exit,
};

/// The reader of the explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExplainReader {
    /// A person at a terminal, who also gets command lines to type.
    Person,
    /// An agent, named by `--agent`: it gets facts but no command lines (`threats.toml` I16).
    Agent,
}

impl ExplainReader {
    fn from_options(options: &CommandLineOptions) -> Self {
        if options.agent.is_some() {
            Self::Agent
        } else {
            Self::Person
        }
    }
}

/// Explains one word, or lists all codes. `verb` describes the verb of this name, if there is one.
pub(crate) fn run(
    cli: Cli<'_>,
    word: Option<&str>,
    verb: Option<String>,
) -> Result<VerbEnd, Failure> {
    Ok(match word {
        None => all().into(),
        Some(word) => explained(cli, word, verb)?.into(),
    })
}

fn all() -> VerbReport {
    let codes = Code::ALL.map(Code::explanation);
    let names = codes.iter().map(|explanation| explanation.code.name());
    let names = names.chain(IssueCode::all().iter().map(|issue| issue.issue));
    let longest = names.map(str::len).max().unwrap_or_default();
    let mut text = "Errors, with their exit status:\n\n".to_owned();
    text.extend(codes.iter().map(|code| line(code, longest)));
    text += "\nWarnings, beside an answer:\n\n";
    for issue in IssueCode::all() {
        text += &format!("{:<longest$} {:>3}  {}\n", issue.issue, "-", issue.meaning);
    }
    (
        text,
        object(json!({ "codes": codes.to_vec(), "issues": IssueCode::all() })),
    )
        .into()
}

fn line(explanation: &Explanation, longest: usize) -> String {
    format!(
        "{:<longest$} {:>3}  {}\n",
        explanation.code.name(),
        explanation.exit,
        explanation.cause
    )
}

fn explained(cli: Cli<'_>, word: &str, verb: Option<String>) -> Result<VerbReport, Failure> {
    // A word alone is a question about the command, unless it is asked for an agent.
    let is_request = word.contains(' ') || cli.options.agent.is_some();
    let command = word.split(' ').next().unwrap_or_default();
    if is_request && !matches!(Catalogue::whole()?.lookup(command), Lookup::Unknown { .. }) {
        return Ok(policy::explained(cli, word)?.into());
    }
    let name = word.to_ascii_uppercase();
    let issue = IssueCode::named(&name);
    let reader = ExplainReader::from_options(cli.options);
    if let Some(code) = Code::named(&name) {
        return Ok(explain_code(code, issue, reader));
    }
    if let Some(issue) = issue {
        return Ok(explain_issue(&issue, reader));
    }
    if let Some(status) = word.parse().ok().and_then(explain_status) {
        return Ok(status);
    }
    if let Some(about) = verb {
        return Ok(explain_verb(word, &about, reader));
    }
    match Catalogue::whole()?.lookup(word) {
        Lookup::Offered(command) => explain_command(cli, &command),
        Lookup::Refused(command) => Ok(explain_refused(command)),
        Lookup::Unknown { .. } => Err(unknown(word)),
    }
}

fn explain_code(code: Code, issue: Option<IssueCode>, reader: ExplainReader) -> VerbReport {
    let explanation = code.explanation();
    let mut text = format!(
        "{code} (exit status {})\n\nWhat happened: {}\nWhat to do:    {}\nTrying again:  {}\n",
        explanation.exit,
        explanation.cause,
        explanation.remedy().text(),
        if explanation.retryable {
            "may help by itself"
        } else {
            "does not help by itself"
        },
    );
    text += &at_terminal(code.at_terminal(), reader);
    let mut data = object(json!(explanation));
    if let Some(issue) = issue {
        text += &format!(
            "\nAs a warning, of a call that went on:\n\nWhat it means: {}\nWhat to do:    {}\n",
            issue.meaning,
            issue.remedy().text()
        );
        data.insert("asWarning".to_owned(), json!(issue));
    }
    (text, data).into()
}

fn explain_issue(issue: &IssueCode, reader: ExplainReader) -> VerbReport {
    let mut text = format!(
        "{} (beside an answer)\n\nWhat it means: {}\nWhat to do:    {}\n",
        issue.issue,
        issue.meaning,
        issue.remedy().text()
    );
    text += &at_terminal(issue.at_terminal().map(Message::from), reader);
    (text, object(json!(issue))).into()
}

/// Explains an exit status and its codes; `None` if the program never exits with this status.
fn explain_status(status: u8) -> Option<VerbReport> {
    let codes: Vec<Explanation> = Code::ALL
        .map(Code::explanation)
        .into_iter()
        .filter(|explanation| explanation.exit == status)
        .collect();
    let category = || codes.first().map(|first| first.category.replace('_', " "));
    let meaning = meaning_of_exit(status)
        .map(str::to_owned)
        .or_else(category)?;
    let mut text = format!("{status} (exit status): {meaning}\n");
    if !codes.is_empty() {
        text.push('\n');
    }
    for explanation in &codes {
        text += &format!("{:<24} {}\n", explanation.code.name(), explanation.cause);
    }
    let data = json!({ "exit": status, "meaning": meaning, "codes": codes });
    Some((text, object(data)).into())
}

/// Returns a command line for people. It is added to the text but never to the data, which agents
/// read.
fn at_terminal(typed: Option<Message>, reader: ExplainReader) -> String {
    typed
        .filter(|_| reader == ExplainReader::Person)
        .map_or_else(String::new, |typed| {
            format!("At a terminal: {}\n", typed.for_person())
        })
}

fn explain_verb(verb: &str, about: &str, reader: ExplainReader) -> VerbReport {
    let mut text = format!("{verb} (a verb of this program)\n\nWhat it does:  {about}.\n");
    if reader == ExplainReader::Person {
        text += &format!("How:           vault-gw help {verb}\n");
    }
    (text, object(json!({ "verb": verb, "summary": about }))).into()
}

fn explain_command(cli: Cli<'_>, command: &Command) -> Result<VerbReport, Failure> {
    let (gateway, unusable) = match setup::gateway(cli.options, cli.environment, Caller::Person) {
        Ok(gateway) => (gateway, None),
        // Describing a command needs no settings; only whether it is open does.
        Err(failure) if failure.code != Code::UsageError => {
            (super::doctor::without_settings(cli)?, Some(failure))
        }
        Err(failure) => return Err(failure),
    };
    let reader = ExplainReader::from_options(cli.options);
    let capability = gateway.about().capability(command, false);
    let Capability {
        open,
        why,
        needs,
        needs_app,
        ..
    } = &capability;
    let here = match (open, &unusable) {
        (_, Some(failure)) => format!("not known. {}", failure.for_person()),
        (Openness::Open, None) if *needs_app => "open; needs the app, which has to run".to_owned(),
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
        let needs = || needs.iter().map(String::as_str);
        text += &format!("To open it:    {}\n", settings_lines(needs()).join(" and "));
        text += &at_terminal(Some(settings_words(needs())), reader);
    }
    let effects: Vec<&str> = command.effects.iter().map(Effect::name).collect();
    text += &format!("Effects:       {}\n", effects.join(", "));
    let backends: Vec<String> = command
        .backends
        .iter()
        .filter_map(|backend| json!(backend).as_str().map(str::to_owned))
        .collect();
    text += &format!("Answered by:   {}\n", backends.join(", "));
    let program = match reader {
        ExplainReader::Person => "vault-gw ",
        ExplainReader::Agent => "",
    };
    text += &format!("How:           {program}{}\n", command.usage());
    let mut data = object(json!(capability));
    if unusable.is_some() {
        data.retain(|key, _| !["open", "closedBy", "why", "needs"].contains(&key.as_str()));
    }
    Ok(VerbReport {
        failure: unusable,
        ..(text, data).into()
    })
}

fn explain_refused(command: &RefusedCommand) -> VerbReport {
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
    (text, object(data)).into()
}

fn unknown(word: &str) -> Failure {
    let codes = Code::ALL.iter().map(|code| code.name());
    let issues = IssueCode::all().iter().map(|issue| issue.issue);
    let mut near = nearest(&word.to_ascii_uppercase(), codes.chain(issues));
    if let Ok(catalogue) = Catalogue::whole() {
        let commands = catalogue.commands().map(|command| command.id.as_str());
        near.extend(nearest(word, commands));
    }
    near.extend(nearest_verb(word));
    Error::UnknownWord(near).into()
}
