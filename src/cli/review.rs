//! `vault-gw review`: a person sees what agents drafted and the calls that wait for an approval, and accepts or rejects
//! them.

mod picker;

use std::collections::BTreeSet;

use clap::Subcommand;
use serde_json::{Map, Value, json};
use vault_engine::plural::count;

use self::picker::Picker;
use super::Cli;
use super::audit::{self, AuditArguments};
use super::error::Error;
use super::report::{self, VerbEnd, VerbReport, VerbText};
use super::{approve, undo};
use frontend::{
    CommandLineOptions, OutputMode, Role, StyledLine, StyledText, Terminal,
    approval_text::by_program, escape, setup,
};
use gateway::{ChangeGroup, DraftedFile, Gateway, Review, ReviewPlan, WaitingDraft, WaitingFile};
use protocol::{Caller, Failure, is_named};
use store::journal::{RunPrefix, short_id};
use tiers::ApprovalChannel;

/// Number of completed runs in the list.
const RUNS: usize = 5;

/// The arguments of `review`.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ReviewArguments {
    /// List what waits, with the diffs, and ask nothing
    #[arg(long, conflicts_with_all = ["web", "follow"])]
    list: bool,
    /// List only what this agent asks for, by its name in the settings or as it names itself
    // A required option is not required next to one that excludes it, so those are excluded here too.
    #[arg(long, value_name = "AGENT", requires = "list", conflicts_with_all = ["web", "follow"])]
    from: Option<String>,
    /// Serve a page for the browser on this machine, until Ctrl-C
    #[arg(long, conflicts_with = "follow")]
    web: bool,
    /// The port of the page; a free one by default
    #[arg(
        long,
        value_name = "PORT",
        requires = "web",
        default_value_t = 0,
        hide_default_value = true
    )]
    port: u16,
    /// Print what agents do, as it happens
    #[arg(long)]
    follow: bool,
    /// The decision on a draft or a call
    #[command(subcommand)]
    action: Option<ReviewAction>,
}

impl ReviewArguments {
    /// Returns the port of the page, if one is to be served.
    pub(crate) fn page_port(&self) -> Option<u16> {
        self.web.then_some(self.port)
    }
}

/// The subcommands of `review`.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum ReviewAction {
    /// Write a draft, a note of it, or some hunks of a note into the vault; or let a waiting call happen once
    Accept {
        /// The call, or the parts of a draft, to accept
        #[command(flatten)]
        parts: ReviewedParts,
        /// Accept what has a warning too, such as a deletion or an image from the web; for drafts
        #[arg(long)]
        confirm_warnings: bool,
        /// Take the accepted notes for your own text: agents that read them are not restricted; for drafts
        #[arg(long)]
        clear_label: bool,
    },
    /// Remove a draft, a note of it, or some hunks of a note; or refuse a waiting call, also one that you approved and that has not run yet
    Reject {
        /// The call, or the parts of a draft, to reject
        #[command(flatten)]
        parts: ReviewedParts,
    },
    /// Refuse every call that waits for an approval
    RejectCalls {
        /// Only those of this agent, by its name in the settings or as it names itself
        #[arg(long, value_name = "AGENT")]
        from: Option<String>,
    },
}

/// A waiting call, or parts of a draft.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ReviewedParts {
    /// The id of the draft or of the call, as `review` lists it, or its beginning: at least 4 digits for a draft
    #[arg(value_name = "ID")]
    draft: String,
    /// Only this note of the draft
    #[arg(long, value_name = "PATH")]
    note: Option<String>,
    /// Only these hunks of the note, by their numbers; 0 means that the note is new, removed or renamed
    #[arg(long = "hunk", value_name = "N", num_args = 1.., requires = "note")]
    hunks: Vec<usize>,
    /// Only if the draft is still in this state, as `review` shows it; required in scripts and for `--hunk`
    #[arg(long, value_name = "HASH")]
    state: Option<String>,
    /// A comment for the agent; for drafts
    #[arg(long, value_name = "TEXT")]
    comment: Option<String>,
}

impl ReviewedParts {
    /// Returns the first option that a call does not take.
    fn option_of_drafts(&self) -> Option<&'static str> {
        let given = [
            (self.note.is_some(), "--note"),
            (self.state.is_some(), "--state"),
            (self.comment.is_some(), "--comment"),
        ];
        given
            .into_iter()
            .find_map(|(is_given, option)| is_given.then_some(option))
    }
}

/// Lists what waits, or accepts or rejects a call or parts of a draft.
pub(crate) fn run(cli: Cli<'_>, arguments: ReviewArguments) -> Result<VerbEnd, Failure> {
    let (terminal, options, environment) = (cli.terminal, cli.options, cli.environment);
    if arguments.follow {
        let agents = AuditArguments::follow_agents(options.agent.as_deref());
        return audit::run(cli, &agents);
    }
    let gateway = setup::gateway(options, environment, Caller::Person)?;
    let (accept, parts, confirmed, clears) = match arguments.action {
        None if !arguments.list && can_pick(terminal, options) => {
            let picker = Picker {
                terminal,
                options,
                environment,
                gateway: &gateway,
            };
            return Ok(picker.run()?.into());
        }
        None => return Ok(list(terminal, &gateway, arguments.from.as_deref())?.into()),
        Some(ReviewAction::RejectCalls { from }) => {
            return Ok(approve::deny_all(options, &gateway, from.as_deref())?.into());
        }
        Some(ReviewAction::Accept {
            parts,
            confirm_warnings,
            clear_label,
        }) => (true, parts, confirm_warnings, clear_label),
        Some(ReviewAction::Reject { parts }) => (false, parts, false, false),
    };
    let option = (parts.option_of_drafts())
        .or_else(|| confirmed.then_some("--confirm-warnings"))
        .or_else(|| clears.then_some("--clear-label"));
    let is_draft = is_draft(&gateway, &parts.draft)?;
    if option.is_none() || !is_draft {
        match (approve::waiting_call(&gateway, &parts.draft)?, option) {
            (Some(_), Some(option)) => return Err(Error::OnlyForDrafts(option).into()),
            (Some(call), None) => {
                return Ok(approve::answer(terminal, options, &gateway, &call, accept)?.into());
            }
            (None, None) if !is_draft => return Err(Error::NothingWaits(parts.draft).into()),
            (None, _) => {}
        }
    }
    let mut review = Review {
        accept,
        draft: parts.draft,
        notes: parts
            .note
            .map(|note| (note, parts.hunks.into_iter().collect()))
            .into_iter()
            .collect(),
        clears,
        state: parts.state,
        confirmed,
        comment: parts.comment,
        channel: ApprovalChannel::of_command(terminal.can_ask(), options.yes),
        ..Review::default()
    };
    if can_ask(terminal, options) && !is_confirmed(terminal, &gateway, &mut review)? {
        return Err(Error::NotConfirmed(accept).into());
    }
    let mut answered = gateway.review(&review, options.dry_run);
    answered.text = escape::plan(&String::from_utf8_lossy(&answered.text)).into_bytes();
    Ok(report::answer(terminal, options, &answered).into())
}

/// Whether the text is the beginning of the id of a draft. The gateway reports what is wrong with a draft that cannot be
/// read.
fn is_draft(gateway: &Gateway, typed: &str) -> Result<bool, Failure> {
    let Ok(prefix) = typed.parse::<RunPrefix>() else {
        return Ok(false);
    };
    let drafts = gateway.journal()?.drafts()?;
    let mut known = drafts.iter().map(Result::as_ref);
    Ok(known.any(|draft| draft.map_or(true, |draft| prefix.matches(draft.id))))
}

/// Whether the person who typed an answer can be asked to confirm it. With `--yes` the program does not ask.
fn can_ask(terminal: &Terminal, options: &CommandLineOptions) -> bool {
    terminal.can_ask()
        && matches!(options.output_mode(), OutputMode::Text)
        && !options.yes
        && !options.dry_run
}

/// Shows what the answer is about, unless the person names the state that they have seen, and asks; asks again
/// about what has a warning. Binds the answer to what was shown. A rejection is asked about too: it cannot be undone.
fn is_confirmed(
    terminal: &Terminal,
    gateway: &Gateway,
    review: &mut Review,
) -> Result<bool, Failure> {
    let is_seen = review.state.is_some();
    if !is_seen && review.notes.values().any(|hunks| !hunks.is_empty()) {
        // The gateway refuses numbers of hunks that are not about a state.
        return Ok(true);
    }
    let ReviewPlan {
        draft,
        chosen,
        warnings,
    } = gateway.drafts().plan_review(review)?;
    review.state = Some(draft.state.clone());
    let chosen_file = |file: &&WaitingFile| {
        chosen.contains_key(&file.file.path) || review.notes.is_empty() && file.file.conflict
    };
    if !is_seen {
        let mut text = headline(&draft) + "\n";
        text.extend(
            draft
                .files
                .iter()
                .filter(chosen_file)
                .map(|file| file_text(file, &draft)),
        );
        let hunks: usize = chosen.values().map(BTreeSet::len).sum();
        let (hunks, files) = (count(hunks, "hunk"), count(chosen.len(), "file"));
        let question = if review.accept {
            format!("Accept {hunks} in {files}? [y]es, [N]o: ")
        } else {
            format!("Reject {hunks} in {files}? [y]es, [N]o: ")
        };
        if !is_yes(terminal.ask_about(&with_warnings_in_red(&text), &question)?) {
            return Ok(false);
        }
    }
    if warnings.is_empty() || review.confirmed {
        return Ok(true);
    }
    let text: String = warnings
        .iter()
        .map(|warning| format!("{WARNING}{}\n", escape::plan(&warning.line())))
        .collect();
    let all = count(warnings.len(), "warning");
    let question = if review.accept {
        format!("Accept the changes despite {all}? [y]es, [N]o: ")
    } else {
        format!("Reject the changes despite {all}? [y]es, [N]o: ")
    };
    review.confirmed = is_yes(terminal.ask_about(&with_warnings_in_red(&text), &question)?);
    Ok(review.confirmed)
}

fn is_yes(answer: Option<String>) -> bool {
    answer.is_some_and(|answer| matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Whether the person can be asked about the waiting changes: they are at a terminal, and the output is text.
fn can_pick(terminal: &Terminal, options: &CommandLineOptions) -> bool {
    terminal.can_ask()
        && terminal.stdout.is_terminal
        && matches!(options.output_mode(), OutputMode::Text)
        && options.agent.is_none()
        && !options.dry_run
}

/// Returns the drafts and calls that wait, and the newest completed runs; with `from` only the drafts and calls of this
/// agent.
fn list(terminal: &Terminal, gateway: &Gateway, from: Option<&str>) -> Result<VerbReport, Failure> {
    let (mut drafts, warnings) = gateway.drafts().waiting_drafts()?;
    drafts.retain(|draft| {
        from.is_none_or(|name| is_named(name, draft.agent.as_deref(), draft.client.as_deref()))
    });
    let now = gateway.now();
    let (zone, columns) = (now.time_zone(), terminal.stdout.columns);
    let approvals = approve::waiting_calls(gateway, from)?;
    let mut runs = gateway.journal()?.entries()?;
    runs.entries.truncate(if from.is_some() { 0 } else { RUNS });
    let (runs_text, run_items) = undo::render_runs(&runs, gateway.policy(), zone, columns);
    let mut text = drafts_text(&drafts);
    if drafts.is_empty() && warnings.is_empty() {
        text += "No draft waits for review.\n";
    }
    if !approvals.is_empty() {
        text += "\nCalls that wait for an approval (`vault-gw review accept ID`, or `reject`):\n";
        text += approve::list(&approvals, zone, columns).plain_text();
    }
    if !runs.entries.is_empty() {
        text += "\nCompleted (`vault-gw undo RUN`):\n";
        text += runs_text.plain_text();
    }
    let approvals: Vec<Value> = approvals.iter().map(approve::described).collect();
    let data = Map::from_iter([
        ("drafts".to_owned(), json!(drafts)),
        ("total".to_owned(), json!(drafts.len() + approvals.len())),
        ("approvals".to_owned(), json!(approvals)),
        ("runs".to_owned(), run_items.into()),
    ]);
    let styled = with_warnings_in_red(&text);
    Ok(VerbReport {
        warnings,
        ..(VerbText::new(text, styled), data).into()
    })
}

/// The beginning of a line with a warning.
const WARNING: &str = "  ! ";

/// Returns the text for a terminal, with lines that contain warnings in red.
pub(super) fn with_warnings_in_red(text: &str) -> StyledText {
    let mut styled = StyledText::default();
    for line in text.split_inclusive('\n') {
        if line.starts_with(WARNING) {
            styled.line(StyledLine::new(Role::Bad, line.trim_end()).with_hanging_indent(4));
        } else {
            styled.append(StyledText::labelled(line));
        }
    }
    styled
}

/// Names the draft, and says how much waits in it.
fn headline(draft: &WaitingDraft) -> String {
    let agent = match &draft.agent {
        Some(agent) => format!("agent {}", escape::cell(agent)),
        None => "agents without a name".to_owned(),
    };
    let agent = by_program(&agent, draft.client.as_deref());
    let id = short_id(draft.draft);
    let waiting = count(draft.waiting, "file");
    format!(
        "draft {id}  {agent}  {waiting}, last changed {}",
        draft.changed
    )
}

/// Returns the drafts, each with its changes, their warnings, and how to answer.
pub(super) fn drafts_text(drafts: &[WaitingDraft]) -> String {
    drafts.iter().map(draft_text).collect()
}

fn draft_text(draft: &WaitingDraft) -> String {
    let id = short_id(draft.draft);
    let mut text = headline(draft) + "\n";
    text.extend(draft.files.iter().map(|file| file_text(file, draft)));
    text += &format!(
        "Accept: `vault-gw review accept {id} --state {}`. Add `--note PATH` for one note, and `--hunk N` for single hunks of it. To reject, replace `accept` with `reject`.\n\n",
        draft.short_state()
    );
    text
}

fn file_text(waiting: &WaitingFile, draft: &WaitingDraft) -> String {
    let file = &waiting.file;
    let mut text = format!("  {}\n", escape::names(&file.line()));
    for warning in &waiting.warnings {
        let line = warning
            .line
            .map_or_else(String::new, |line| format!("line {line}: "));
        text += &format!("{WARNING}{line}{}\n", escape::plan(&warning.sentence()));
    }
    for group in &draft.groups {
        if let Some(hunks) = group.hunks_of(&file.path) {
            text += &format!("    {}\n", together(group, file, hunks));
        }
    }
    text += &escape::plan(&waiting.conflict_text());
    let diff = file.diff.as_deref().unwrap_or_default();
    for line in diff.lines() {
        text += &format!("    {}\n", escape::block(line));
    }
    if file.left_out > 0 {
        text += &format!("    ({} not shown)\n", count(file.left_out, "hunk"));
    }
    text
}

/// Returns the line that says what is accepted and rejected together with these hunks of a file, and why. The first file
/// of a group names all others, and the others name the first one.
fn together(group: &ChangeGroup, file: &DraftedFile, hunks: &BTreeSet<usize>) -> String {
    let is_all = |hunks: &BTreeSet<usize>, all: usize| hunks.len() == all || hunks.contains(&0);
    let numbers = |hunks: &BTreeSet<usize>| {
        let hunks = hunks.iter().map(|hunk| format!("hunk {hunk}"));
        hunks.collect::<Vec<_>>().join(", ")
    };
    let own = if is_all(hunks, file.hunks.len()) {
        String::new()
    } else {
        format!("{} ", numbers(hunks))
    };
    let is_first = group.id == file.path;
    let others = group
        .members
        .iter()
        .filter(|member| member.note != file.path && (is_first || member.note == group.id));
    let others: Vec<String> = others
        .map(|member| {
            format!(
                "{} ({})",
                escape::name(&member.note),
                numbers(&member.hunks)
            )
        })
        .collect();
    let with = if others.is_empty() {
        String::new()
    } else {
        format!(" with {}", others.join("; "))
    };
    format!("{own}together{with}: {}", escape::plan(&group.in_words()))
}
