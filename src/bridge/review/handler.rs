//! What the page shows and what a person answers on it. All text of agents and of the vault is escaped here, so
//! that it looks like what it is; the page shows it as text.

use std::sync::{Mutex, PoisonError};

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::frontend::options::CommandLineOptions;
use crate::frontend::{approval_text, escape, setup};
use crate::gateway::{
    Caller, ConflictSides, Envelope, Gateway, PropertyChange, Review, WaitingDraft, WaitingFile,
};
use crate::issue::Issue;
use crate::records::approvals::Approval;
use crate::records::journal::{ListedRun, Owner, short_id};
use crate::tiers::ApprovalChannel;

/// How many completed runs are shown.
const RUNS: usize = 10;

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
    files: Vec<PageFile>,
}

/// A file of a draft on the page.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PageFile {
    /// The exact path, for answers. It is never shown.
    note: String,
    /// The warnings as sentences.
    warnings: Vec<String>,
    /// The texts, all of them escaped.
    #[serde(flatten)]
    shown: WaitingFile,
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
struct PageRun {
    /// The digits that `undo` takes.
    run: String,
    command: String,
    by: String,
    at: String,
    state: &'static str,
}

/// An answer to parts of a draft.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DraftDecision {
    draft: String,
    accept: bool,
    /// The state that the page showed. Without it nothing is done.
    state: String,
    note: Option<String>,
    #[serde(default)]
    hunks: Vec<usize>,
    /// Whether the person confirmed the warnings.
    #[serde(default)]
    confirmed: bool,
    comment: Option<String>,
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
        Self { options, environment, channel, shown: Mutex::default() }
    }

    fn gateway(&self) -> Result<Gateway, Failure> {
        setup::gateway(&self.options, &self.environment, Caller::Person)
    }

    /// Everything that waits, and the newest runs.
    ///
    /// # Errors
    ///
    /// As [`Gateway::waiting_drafts`].
    pub(super) fn waiting(&self) -> Result<WaitingList, Failure> {
        let gateway = self.gateway()?;
        let (drafts, mut warnings) = gateway.waiting_drafts()?;
        let files = drafts.iter().flat_map(|draft| &draft.files);
        let paths = files.flat_map(|file| file.file.from.iter().chain([&file.file.path]));
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = paths.cloned().collect();
        let listing = gateway.journal()?.entries()?;
        warnings.extend(listing.warnings);
        let approvals = gateway.approvals()?.pending(gateway.now().timestamp())?;
        let zone = gateway.now().time_zone().clone();
        Ok(WaitingList {
            vault: escape::line(&gateway.safe_vault()?.name()),
            drafts: drafts.into_iter().map(PageDraft::from).collect(),
            approvals: approvals
                .iter()
                .map(|approval| PageApproval::from_approval(approval, &zone))
                .collect(),
            runs: listing.entries.iter().take(RUNS).map(PageRun::from).collect(),
            warnings: warnings.iter().map(in_words).collect(),
        })
    }

    /// A text that changes when [`Self::waiting`] may have changed.
    ///
    /// # Errors
    ///
    /// As [`Gateway::waiting_drafts`].
    pub(super) fn stamp(&self) -> Result<String, Failure> {
        let shown = self.shown.lock();
        let shown = shown.unwrap_or_else(PoisonError::into_inner).clone();
        self.gateway()?.review_stamp(&shown)
    }

    /// Accepts or rejects parts of a draft, by the same way as the command line.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` for hunks without a note; fails if the settings cannot be read. All other failures are in the
    /// envelope.
    pub(super) fn decide(&self, decision: DraftDecision) -> Result<Envelope, Failure> {
        if decision.note.is_none() && !decision.hunks.is_empty() {
            return Err(
                Code::UsageError.failure("Hunks are numbered for each note. Name the note too.")
            );
        }
        let comment = decision.comment.filter(|comment| !comment.trim().is_empty());
        let review = Review {
            accept: decision.accept,
            draft: decision.draft,
            notes: decision
                .note
                .map(|note| (note, decision.hunks.into_iter().collect()))
                .into_iter()
                .collect(),
            rejects_rest: false,
            clears: false,
            state: Some(decision.state),
            confirmed: decision.confirmed,
            comment,
            channel: Some(self.channel),
        };
        Ok(self.gateway()?.review(&review, false).envelope)
    }

    /// Gives or denies an approval.
    ///
    /// # Errors
    ///
    /// As [`Gateway::answer_approval`].
    pub(super) fn answer_approval(&self, decision: &ApprovalDecision) -> Result<(), Failure> {
        let answered =
            self.gateway()?.answer_approval(&decision.id, self.channel, decision.approve);
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
            files: draft.files.into_iter().map(PageFile::from).collect(),
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
        let warnings = shown.warnings.iter().map(|warning| line(warning.sentence())).collect();
        shown.warnings.clear();
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
        Self { note, warnings, shown }
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
        Self {
            run: short_id(entry.run_id),
            command: escape::line(&entry.command),
            by: match &entry.origin.owner {
                Owner::Person => "you".to_owned(),
                Owner::Agent => "an agent".to_owned(),
                Owner::Named(name) => format!("agent {}", escape::line(name)),
            },
            at: escape::line(&entry.started_at),
            state: standing.name(),
        }
    }
}

fn in_words(warning: &Issue) -> String {
    escape::line(&warning.message)
}
