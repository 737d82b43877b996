//! The data for the page, and the answers that a person gives on it. All text of agents and of the vault is escaped
//! here, so that hidden characters are visible; the page shows it as text.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use jiff::tz::TimeZone;
use line_diff::shown_hunks;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use frontend::{CommandLineOptions, approval_text, escape, setup};
use gateway::{
    ChangeGroup, ConflictSides, Envelope, FileWarning, Gateway, GroupMember, Happening,
    PropertyChange, Request, Review, ReviewPlan, ReviewWarning, WaitingDraft, WaitingFile,
    WarningReason,
};
use protocol::{Caller, Code, Failure, Issue, first_of};
use sandbox::Environment;
use store::approvals::Approval;
use store::journal::{Direction, ListedRun, Owner, RunPrefix, RunStanding, TouchedPath, short_id};
use tiers::ApprovalChannel;

/// Number of completed runs that are shown.
const RUNS: usize = 10;
/// The maximum number of files of a run that are named.
const NAMED: usize = 3;
/// The maximum number of bytes of a text that is edited on the page.
const LONGEST_TEXT: usize = 1 << 20;

/// Opens the gateway for each question, so that settings that changed are in force.
pub(super) struct ReviewHandler {
    options: CommandLineOptions,
    environment: Environment,
    channel: ApprovalChannel,
    /// The files of the drafts that were shown last.
    shown: Mutex<Vec<String>>,
}

/// Everything that the page shows.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WaitingList {
    vault: String,
    drafts: Vec<PageDraft>,
    approvals: Vec<PageApproval>,
    runs: Vec<PageRun>,
    warnings: Vec<String>,
}

/// A draft on the page.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PageDraft {
    /// The id.
    draft: Uuid,
    /// Its first digits.
    name: String,
    agent: Option<String>,
    client: Option<String>,
    changed: String,
    state: String,
    groups: Vec<PageGroup>,
    files: Vec<PageFile>,
}

/// Changes that are decided together.
#[derive(Serialize)]
struct PageGroup {
    /// Why, escaped.
    words: String,
    /// The files with their hunks. The paths are exact, for answers, and never shown.
    members: Vec<GroupMember>,
}

/// A file of a draft on the page.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PageFile {
    /// The exact path, for answers. It is never shown.
    note: String,
    warnings: Vec<PageWarning>,
    /// The texts, all of them escaped.
    #[serde(flatten)]
    shown: WaitingFile,
}

/// A warning on the page.
#[derive(Serialize)]
struct PageWarning {
    /// A hash of the warning and its file, by which the page says that the person confirmed it.
    id: String,
    /// The number of its hunk; absent for a warning about the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    hunk: Option<usize>,
    sentence: String,
    /// The beginning of the active content that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// An approval on the page.
#[derive(Serialize)]
struct PageApproval {
    id: String,
    command: String,
    text: String,
}

/// A completed run on the page.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PageRun {
    /// The digits that `undo` takes.
    run: String,
    what: String,
    by: String,
    at: String,
    state: &'static str,
    /// The first of its files.
    files: String,
    /// Whether it is a change that was not undone.
    can_undo: bool,
}

/// An answer to parts of a draft.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct DraftDecision {
    draft: Uuid,
    accept: bool,
    /// The state that the page showed. Without it nothing is done.
    state: String,
    /// The hunks, by the paths of their notes. An empty set is all hunks of the note, no note is the whole draft.
    notes: BTreeMap<String, BTreeSet<usize>>,
    /// The person's own texts of notes that are accepted as a whole, escaped as the page shows them.
    #[serde(default)]
    edited: BTreeMap<String, String>,
    /// The warnings that the person confirmed, by their ids.
    #[serde(default)]
    confirmed: BTreeSet<String>,
    comment: Option<String>,
}

/// A question for the text that a draft proposes for a note.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TextQuestion {
    draft: Uuid,
    state: String,
    note: String,
}

/// The text that a draft proposes, escaped.
#[derive(Serialize)]
pub(super) struct ProposedText {
    text: String,
}

/// A request to undo a run, or to show what that would do.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct UndoRequest {
    run: String,
    #[serde(default)]
    dry_run: bool,
}

/// The outcome of an answer.
#[derive(Default, Serialize)]
pub(super) struct PageOutcome {
    success: bool,
    /// The text that a terminal would show.
    text: String,
    warnings: Vec<String>,
    /// The warnings about the answer, if nothing was done because the person has not confirmed all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    confirm: Vec<UnconfirmedWarning>,
}

/// A warning that a person has to confirm.
#[derive(Serialize)]
struct UnconfirmedWarning {
    /// The path of its file, escaped.
    path: String,
    #[serde(flatten)]
    warning: PageWarning,
}

/// An answer to an approval.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ApprovalDecision {
    id: String,
    approve: bool,
}

impl ReviewHandler {
    pub(super) fn new(
        options: CommandLineOptions,
        environment: Environment,
        channel: ApprovalChannel,
    ) -> Self {
        Self {
            options,
            environment,
            channel,
            shown: Mutex::default(),
        }
    }

    fn gateway(&self) -> Result<Gateway, Failure> {
        setup::gateway(&self.options, &self.environment, Caller::Person)
    }

    /// Everything that waits, and the newest runs.
    ///
    /// # Errors
    ///
    /// As [`gateway::Drafts::waiting_drafts`].
    pub(super) fn waiting(&self) -> Result<WaitingList, Failure> {
        let gateway = self.gateway()?;
        let (drafts, mut warnings) = gateway.drafts().waiting_drafts()?;
        let files = drafts.iter().flat_map(|draft| &draft.files);
        let paths = files.flat_map(|file| file.file.from.iter().chain([&file.file.path]));
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = paths.cloned().collect();
        let listing = gateway.journal()?.entries()?;
        warnings.extend(listing.warnings);
        let approvals = gateway
            .approvals()
            .store()?
            .pending(gateway.now().timestamp())?;
        let zone = gateway.now().time_zone().clone();
        Ok(WaitingList {
            vault: escape::line(&gateway.vaults().open_safely()?.name()),
            drafts: drafts.into_iter().map(PageDraft::from).collect(),
            approvals: approvals
                .iter()
                .map(|approval| PageApproval::from_approval(approval, &zone))
                .collect(),
            runs: listing
                .entries
                .iter()
                .take(RUNS)
                .map(PageRun::from)
                .collect(),
            warnings: warnings.iter().map(in_words).collect(),
        })
    }

    /// Returns a text that changes when [`Self::waiting`] may have changed.
    ///
    /// # Errors
    ///
    /// As [`gateway::Drafts::waiting_drafts`].
    pub(super) fn stamp(&self) -> Result<String, Failure> {
        let shown = self.shown.lock();
        let shown = shown.unwrap_or_else(PoisonError::into_inner).clone();
        self.gateway()?.drafts().review_stamp(&shown)
    }

    /// Accepts or rejects parts of a draft, by the same way as the command line.
    ///
    /// # Errors
    ///
    /// As [`check_shown`] and [`Gateway::review`].
    pub(super) fn decide(&self, decision: DraftDecision) -> Result<PageOutcome, Failure> {
        let gateway = self.gateway()?;
        let edited = decision.edited.into_iter();
        let mut review = Review {
            accept: decision.accept,
            draft: decision.draft.to_string(),
            notes: decision.notes,
            edited: edited
                .map(|(note, text)| (note, escape::unescaped(&text)))
                .collect(),
            state: Some(decision.state),
            comment: decision
                .comment
                .filter(|comment| !comment.trim().is_empty()),
            channel: Some(self.channel),
            ..Review::default()
        };
        if review.accept {
            let plan = gateway.drafts().plan_review(&review)?;
            check_shown(&plan)?;
            let warnings = plan.warnings.iter().map(|FileWarning { path, warning }| {
                let warning = PageWarning::new(path, warning);
                UnconfirmedWarning {
                    path: escape::name(path),
                    warning,
                }
            });
            let confirm: Vec<_> = warnings.collect();
            review.confirmed = confirm
                .iter()
                .all(|one| decision.confirmed.contains(&one.warning.id));
            if !review.confirmed {
                return Ok(PageOutcome {
                    confirm,
                    ..PageOutcome::default()
                });
            }
        }
        PageOutcome::of(gateway.review(&review, false))
    }

    /// Returns the text that a draft proposes for a note, for the person to edit.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` for a text of more than 1 MiB; else as [`gateway::Drafts::proposed_text`].
    pub(super) fn proposed_text(&self, wanted: &TextQuestion) -> Result<ProposedText, Failure> {
        let text =
            self.gateway()?
                .drafts()
                .proposed_text(wanted.draft, &wanted.state, &wanted.note)?;
        if text.len() > LONGEST_TEXT {
            return Err(Code::UsageError
                .failure("The text is too long to edit on the review page.")
                .hint("Edit the text with `vault-gw review` at a terminal."));
        }
        Ok(ProposedText {
            text: escape::block(&text),
        })
    }

    /// Undoes a run, or says what that would do. The person has seen that when they undo it, so an approval that it
    /// needs is given.
    ///
    /// # Errors
    ///
    /// As [`Gateway::undo`].
    pub(super) fn undo(&self, question: &UndoRequest) -> Result<PageOutcome, Failure> {
        let gateway = self.gateway()?;
        let run: RunPrefix = question
            .run
            .parse()
            .map_err(|error| Code::UsageError.failure(format!("`run` is not valid: {error}.")))?;
        let request = Request::reversal(Direction::Undo, Some(&run));
        let mut request = Request {
            dry_run: question.dry_run,
            ..request
        };
        let mut answered = gateway.call(&request);
        let approval = answered.error.as_ref().and_then(Failure::approval);
        if let Some(id) = approval.map(str::to_owned) {
            gateway.approvals().answer(&id, self.channel, true)?;
            request.approval = Some(id);
            answered = gateway.call(&request);
        }
        PageOutcome::of(answered)
    }

    /// Gives or denies an approval.
    ///
    /// # Errors
    ///
    /// As [`gateway::Approvals::answer`].
    pub(super) fn answer_approval(&self, decision: &ApprovalDecision) -> Result<(), Failure> {
        let answered =
            self.gateway()?
                .approvals()
                .answer(&decision.id, self.channel, decision.approve);
        answered.map(drop)
    }
}

impl From<WaitingDraft> for PageDraft {
    fn from(draft: WaitingDraft) -> Self {
        Self {
            name: short_id(draft.draft),
            draft: draft.draft,
            agent: draft.agent.map(|agent| escape::line(&agent)),
            client: draft.client.map(|client| escape::line(&client)),
            changed: draft.changed,
            state: draft.state,
            groups: draft.groups.into_iter().map(PageGroup::from).collect(),
            files: draft.files.into_iter().map(PageFile::from).collect(),
        }
    }
}

impl From<ChangeGroup> for PageGroup {
    fn from(group: ChangeGroup) -> Self {
        Self {
            words: escape::line(&group.in_words()),
            members: group.members,
        }
    }
}

impl From<WaitingFile> for PageFile {
    fn from(mut shown: WaitingFile) -> Self {
        let note = std::mem::take(&mut shown.file.path);
        let line = |text: String| escape::line(&text);
        let lines = |texts: Vec<String>| texts.into_iter().map(line).collect();
        shown.file.path = escape::name(&note);
        shown.file.from = shown.file.from.map(|from| escape::name(&from));
        shown.file.diff = shown.file.diff.map(|diff| escape::block(&diff));
        let warnings = std::mem::take(&mut shown.warnings);
        let warnings = warnings
            .iter()
            .map(|one| PageWarning::new(&note, one))
            .collect();
        let properties = shown.properties.into_iter();
        shown.properties = properties
            .map(|change| PropertyChange {
                name: line(change.name),
                before: change.before.map(line),
                after: change.after.map(line),
            })
            .collect();
        shown.links_added = lines(shown.links_added);
        shown.links_removed = lines(shown.links_removed);
        let sides = shown.sides.into_iter().map(|side| ConflictSides {
            base: escape::block(&side.base),
            draft: escape::block(&side.draft),
            vault: escape::block(&side.vault),
            ..side
        });
        shown.sides = sides.collect();
        Self {
            note,
            warnings,
            shown,
        }
    }
}

impl PageWarning {
    fn new(path: &str, warning: &ReviewWarning) -> Self {
        let (sentence, text) = match &warning.reason {
            WarningReason::ActiveContent { finding } => {
                // Without a line, the text is the name of the file.
                let text = finding.line.map(|_| escape::line(&finding.text));
                let line = finding
                    .line
                    .map_or_else(String::new, |line| format!(": line {line}"));
                (format!("{}{line}", finding.warning), text)
            }
            _ => (escape::line(&warning.sentence()), None),
        };
        let id = protocol::digest::sha256(json!([path, warning]).to_string().as_bytes());
        Self {
            id,
            hunk: warning.hunk,
            sentence,
            text,
        }
    }
}

/// Refuses to accept what the page does not show.
///
/// # Errors
///
/// `APPROVAL_REQUIRED` with the file.
fn check_shown(plan: &ReviewPlan) -> Result<(), Failure> {
    for file in &plan.draft.files {
        let hunks = plan.chosen.get(&file.file.path);
        if hunks.is_some_and(|hunks| !shows(file, hunks)) {
            let path = escape::name(&file.file.path);
            let message = format!(
                "`{path}` has changes that are too large to show on the review page. Nothing was changed. Review these changes with `vault-gw review` at a terminal."
            );
            return Err(Code::ApprovalRequired
                .failure(message)
                .with("reason", "not-shown"));
        }
    }
    Ok(())
}

/// Whether the page shows all of these hunks of a file.
fn shows(file: &WaitingFile, hunks: &BTreeSet<usize>) -> bool {
    if file.file.left_out == 0 {
        return true;
    }
    let is_of_hunks = matches!(file.file.change, Happening::Modified | Happening::Moved);
    let diff = file.file.diff.as_deref().unwrap_or_default();
    let shown: BTreeSet<usize> = shown_hunks(diff).iter().map(|hunk| hunk.number).collect();
    let mut texts = hunks.iter().filter(|number| **number != 0);
    is_of_hunks && texts.all(|number| shown.contains(number))
}

impl PageOutcome {
    fn of(answered: Envelope) -> Result<Self, Failure> {
        match answered.error {
            Some(failure) => Err(failure),
            None => Ok(Self {
                success: true,
                text: escape::plan(&String::from_utf8_lossy(&answered.text)),
                warnings: answered.warnings.iter().map(in_words).collect(),
                confirm: Vec::new(),
            }),
        }
    }
}

impl PageApproval {
    fn from_approval(approval: &Approval, zone: &TimeZone) -> Self {
        let closed = approval_text::closed_notes(approval);
        Self {
            id: approval.id.clone(),
            command: escape::line(&approval.command),
            text: approval_text::shown_with(approval, zone, &closed),
        }
    }
}

impl From<&ListedRun> for PageRun {
    fn from(ListedRun { entry, standing }: &ListedRun) -> Self {
        let by = match &entry.origin.owner {
            Owner::Person => "you".to_owned(),
            Owner::Agent => "an agent".to_owned(),
            Owner::Named(name) => format!("agent {}", escape::line(name)),
        };
        let changed = entry.files.iter().filter(|file| file.is_changed());
        let changed: Vec<&TouchedPath> = changed.collect();
        let named = changed
            .iter()
            .take(NAMED)
            .map(|file| escape::name(file.path.as_str()));
        let command = escape::line(&entry.command);
        Self {
            run: short_id(entry.run_id),
            what: match entry.undoes {
                Some(_) => format!("{command} of {}", short_id(entry.change())),
                None => command,
            },
            by: approval_text::by_program(&by, entry.origin.client.as_deref()),
            at: escape::line(&entry.started_at),
            state: standing.name(),
            files: first_of(named, changed.len()),
            can_undo: entry.undoes.is_none()
                && matches!(standing, RunStanding::Done | RunStanding::Interrupted),
        }
    }
}

fn in_words(warning: &Issue) -> String {
    escape::line(&warning.message.for_person())
}
