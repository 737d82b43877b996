//! `vault-gw rules --test FILE`: checks requests against the decisions that the owner of the vault expects. And the
//! decision for one request, for `vault-gw explain`. Nothing is run.

use std::io::ErrorKind;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, json};
use toml::Spanned;
use vault_engine::shown;

use super::Cli;
use super::error::Error;
use super::report::{TextAndData, VerbReport};
use allowlist::Catalogue;
use frontend::{CommandLineOptions, setup};
use gateway::{Params, Request, Ruling};
use protocol::{Caller, Code, Failure, json::object};
use sandbox::Environment;
use settings::{line_of, line_of_setting};
use tiers::Decision;

/// A file of tests.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyTests {
    #[serde(default)]
    test: Vec<Spanned<PolicyTest>>,
}

/// A request, and what its owner expects.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyTest {
    /// The agent that asks; an agent without a name if absent.
    agent: Option<String>,
    /// The request, as it is typed after `vault-gw`.
    request: String,
    /// The name of an [`Decision`], or of the code of a refusal.
    expect: String,
}

/// Checks that each request of a file is decided as the file expects.
///
/// # Errors
///
/// If the file cannot be read, or is not a file of tests.
pub(super) fn tested(cli: Cli<'_>, file: &Path) -> Result<VerbReport, Failure> {
    let file = cli.environment.absolute(file);
    let text = fs_err::read_to_string(&file).map_err(|error| {
        let name = file.display().to_string();
        match error.kind() {
            ErrorKind::NotFound => Error::NoTestFile(name),
            ErrorKind::InvalidData => Error::TestFileNotText(name),
            kind => Error::TestFile(name, kind),
        }
    })?;
    let tests: PolicyTests = toml::from_str(&text).map_err(|error| {
        let line = error
            .span()
            .map_or(1, |span| line_of(text.as_bytes(), span.start));
        Error::TestLine(line, error.message().to_owned())
    })?;
    if tests.test.is_empty() {
        return Err(Error::NoTests(file.display().to_string()).into());
    }
    let (mut printed, mut rows, mut failed) = (String::new(), Vec::new(), 0_usize);
    for spanned in &tests.test {
        let line = line_of(text.as_bytes(), spanned.span().start);
        let case = spanned.get_ref();
        let is_code = Code::named(&case.expect).is_some();
        if !is_code
            && Decision::ALL
                .iter()
                .all(|known| known.name() != case.expect)
        {
            let sentence = "`expect` must be `allowed`, `drafted`, `approval`, `refused` or the name of a code";
            return Err(Error::TestLine(line, sentence.to_owned()).into());
        }
        let mut wanted = cli.options.clone();
        wanted.agent.clone_from(&case.agent);
        let ruling = ruling_on(&wanted, &case.request, Caller::Agent, cli.environment)?;
        let code = ruling.code.map(Code::name);
        let is_expected =
            ruling.decision.name() == case.expect || code == Some(case.expect.as_str());
        failed += usize::from(!is_expected);
        printed += &row(line, case, &ruling, is_expected);
        rows.push(json!({
            "line": line,
            "agent": case.agent,
            "request": case.request,
            "expect": case.expect,
            "isExpected": is_expected,
            "ruling": ruling,
        }));
    }
    let all = tests.test.len();
    printed += &format!("{} of {all} as expected.\n", all - failed);
    let failure = (failed > 0).then(|| Error::TestsFailed(failed, all).into());
    let data = Map::from_iter([("tests".to_owned(), rows.into())]);
    Ok(VerbReport {
        failure,
        ..(printed, data).into()
    })
}

fn row(line: usize, test: &PolicyTest, ruling: &Ruling, is_expected: bool) -> String {
    let who = shown::row(test.agent.as_deref().unwrap_or("an agent"));
    let what = shown::row(&test.request);
    let decision = decision(ruling);
    if is_expected {
        return format!("ok    line {line}: {who}: {what}: {decision}\n");
    }
    let why = ruling.why.as_deref().unwrap_or_default();
    let expected = &test.expect;
    format!("FAIL  line {line}: {who}: {what}: {decision}, expected {expected}. {why}\n")
}

fn decision(ruling: &Ruling) -> String {
    match ruling.code {
        Some(code) => format!("{} ({})", ruling.decision.name(), code.name()),
        None => ruling.decision.name().to_owned(),
    }
}

/// Returns the decision on a request as it is typed after `vault-gw`.
fn ruling_on(
    options: &CommandLineOptions,
    text: &str,
    caller: Caller,
    environment: &Environment,
) -> Result<Ruling, Failure> {
    let gateway = setup::gateway(options, environment, caller)?;
    let words = shell_words::split(text).map_err(Error::NotWords)?;
    let Some((command, words)) = words.split_first() else {
        return Err(Error::EmptyRequest.into());
    };
    let params = match Catalogue::find_builtin(command) {
        Ok(known) => known.read_words(words)?,
        // The decision says what is wrong with the command.
        Err(_) => std::collections::BTreeMap::new(),
    };
    Ok(gateway.ruling_on(&Request {
        params: Params(params),
        ..Request::new(command)
    }))
}

/// Explains the decision on a request: the rule with its line, and what would open it.
///
/// # Errors
///
/// If the settings are unusable, or the request has a wrong form.
pub(super) fn explained(cli: Cli<'_>, request: &str) -> Result<TextAndData, Failure> {
    let (options, environment) = (cli.options, cli.environment);
    let caller = if options.agent.is_some() {
        Caller::Agent
    } else {
        Caller::Person
    };
    let ruling = ruling_on(options, request, caller, environment)?;
    let who = match &options.agent {
        Some(agent) => format!("the agent `{}`", shown::row(agent)),
        None => "you".to_owned(),
    };
    let mut text = format!(
        "{} (for {who})\n\nDecision:      {}\n",
        shown::row(request),
        decision(&ruling)
    );
    if let Some(why) = &ruling.why {
        text += &format!("Why:           {why}\n");
    }
    let file = setup::settings_file(options, environment).ok();
    let stored = file
        .as_ref()
        .and_then(|file| fs_err::read_to_string(file).ok());
    let name = file.as_deref().and_then(Path::file_name);
    let name = name.unwrap_or_default().to_string_lossy();
    let mut rules = Vec::new();
    for rule in &ruling.rules {
        let line = stored.as_ref().and_then(|text| line_of_setting(text, rule));
        let place = match line {
            Some(line) => format!("{name}:{line}"),
            None => "not in the settings file: its default".to_owned(),
        };
        text += &format!("Rule:          `{rule}` ({place})\n");
        rules.push(json!({ "key": rule, "line": line }));
    }
    for way in &ruling.to_open {
        text += &format!("To open it:    {way}\n");
    }
    let mut data = object(json!(ruling));
    data.insert("rules".to_owned(), rules.into());
    Ok((text, data))
}
