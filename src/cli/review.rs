//! `vault-gw review`: a person sees what agents drafted, and accepts or rejects it.

use std::process::ExitCode;
use std::time::Instant;

use clap::Subcommand;
use cli_output::plural::count;
use cli_output::shown;
use serde_json::{Map, Value, json};

use super::report::{self, VerbText};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::frontend::display::{Role, StyledLine, StyledText};
use crate::frontend::options::CommandLineOptions;
use crate::frontend::setup;
use crate::frontend::terminal::Terminal;
use crate::gateway::{Caller, DraftedFile, Gateway, Review, WaitingDraft};
use crate::records::journal::short_id;
use crate::tiers::ApprovalDoor;

/// The arguments of `review`.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ReviewArguments {
    /// List what waits, with the diffs; the same as without this option
    #[arg(long)]
    list: bool,
    /// What to do with a draft
    #[command(subcommand)]
    action: Option<ReviewAction>,
}

/// The subcommands of `review`.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum ReviewAction {
    /// Write a draft, a note of it, or some hunks of a note into the vault
    Accept(ReviewedParts),
    /// Take them out of the draft; the agent reads the comment
    Reject(ReviewedParts),
}

/// Which parts of which draft.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ReviewedParts {
    /// The draft's id as `review` lists it, or its beginning
    #[arg(value_name = "DRAFT")]
    draft: String,
    /// Only this note of the draft
    #[arg(long, value_name = "PATH")]
    note: Option<String>,
    /// Only these hunks of the note, by their numbers; 0 is the note as a whole: that it is new, removed or renamed
    #[arg(long = "hunk", value_name = "N", num_args = 1.., requires = "note")]
    hunks: Vec<usize>,
    /// Only if the draft is still in this state, as `review -o json` shows it
    #[arg(long, value_name = "HASH")]
    state: Option<String>,
    /// What the agent reads about it
    #[arg(long, value_name = "TEXT")]
    comment: Option<String>,
}

/// Lists the drafts, or accepts or rejects parts of one.
pub(crate) fn run(
    terminal: &Terminal,
    options: &CommandLineOptions,
    arguments: ReviewArguments,
    environment: &Environment,
) -> ExitCode {
    let started = Instant::now();
    let gateway = match setup::gateway(options, environment, Caller::Person) {
        Ok(gateway) => gateway,
        Err(failure) => return report::failure(terminal, options, "review", failure),
    };
    let (accept, parts) = match arguments.action {
        None => {
            return match list(terminal, &gateway) {
                Ok((text, data)) => report::verb(terminal, options, "review", started, text, data),
                Err(failure) => report::failure(terminal, options, "review", failure),
            };
        }
        Some(ReviewAction::Accept(parts)) => (true, parts),
        Some(ReviewAction::Reject(parts)) => (false, parts),
    };
    let review = Review {
        accept,
        draft: parts.draft,
        note: parts.note,
        hunks: parts.hunks.into_iter().collect(),
        state: parts.state,
        comment: parts.comment,
        door: door(terminal, options),
    };
    report::answer(terminal, options, &gateway.review(&review, options.dry_run))
}

/// How the person answers: at the terminal, or with `--yes` in a script.
fn door(terminal: &Terminal, options: &CommandLineOptions) -> Option<ApprovalDoor> {
    if terminal.can_ask() {
        Some(ApprovalDoor::Terminal)
    } else {
        options.yes.then_some(ApprovalDoor::Yes)
    }
}

/// What waits, as text and as data.
fn list(terminal: &Terminal, gateway: &Gateway) -> Result<(VerbText, Map<String, Value>), Failure> {
    let (drafts, warnings) = gateway.waiting_drafts()?;
    for warning in warnings {
        terminal.warning(&warning.message);
    }
    let approvals = gateway.approvals()?.pending(gateway.now().timestamp())?;
    let mut text: String = drafts.iter().map(draft_text).collect();
    if drafts.is_empty() {
        text += "No draft waits.\n";
    }
    if !approvals.is_empty() {
        let waiting = count(approvals.len(), "approval");
        text += &format!("{waiting} to answer: `vault-gw approve --list` shows them.\n");
    }
    let data = json!({
        "drafts": drafts,
        "total": drafts.len(),
        "approvals": approvals.len(),
    });
    let data = match data {
        Value::Object(data) => data,
        _ => Map::new(),
    };
    Ok((with_findings_in_red(text), data))
}

/// What a line about a finding begins with.
const FINDING: &str = "  ! ";

/// The text, whose lines about findings are red on a terminal.
fn with_findings_in_red(text: String) -> VerbText {
    if !text.lines().any(|line| line.starts_with(FINDING)) {
        return text.into();
    }
    let mut styled = StyledText::default();
    for line in text.split_inclusive('\n') {
        if line.starts_with(FINDING) {
            styled.line(StyledLine::new(Role::Bad, line.trim_end()).hanging(4));
        } else {
            styled.append(StyledText::labelled(line));
        }
    }
    VerbText::new(text, styled)
}

fn draft_text(draft: &WaitingDraft) -> String {
    let agent = match &draft.agent {
        Some(agent) => format!("agent {}", shown::row(agent)),
        None => "agents without a name".to_owned(),
    };
    let id = short_id(draft.draft);
    let waiting = count(draft.waiting, "file");
    let mut text = format!(
        "draft {id}  {agent}  {waiting}, last changed {}\n",
        draft.changed
    );
    text.extend(draft.files.iter().map(file_text));
    text += &format!(
        "Accept: `vault-gw review accept {id}`, or one note with `--note PATH`, or hunks of it with `--hunk N`. Else `reject`.\n\n"
    );
    text
}

fn file_text(file: &DraftedFile) -> String {
    let mut text = format!("  {}\n", file.line());
    for finding in &file.findings {
        text += &format!("{FINDING}{}\n", finding.line());
    }
    let diff = file.diff.as_deref().unwrap_or_default();
    for line in diff.lines() {
        text += &format!("    {}\n", shown::row(line));
    }
    if file.left_out > 0 {
        text += &format!("    ({} not shown)\n", count(file.left_out, "hunk"));
    }
    text
}
