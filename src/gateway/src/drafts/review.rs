//! A person reviews drafts: what waits, and accepting or rejecting it (`design/review.md`).
//!
//! The accepted parts become one list of changes (`acceptance.rs`). It passes the steps of every change: lock, journal,
//! audit log, comparison with what was read, undo as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;
use vault_answers::AnswerData;
use vault_engine::{Change, PlannedBytes, PlannedContent, PlannedFile, VaultPath};

use super::Drafts;
use super::acceptance::{exact_places, select};
use super::groups::{ChangeGroup, closed_choice};
use super::links::DraftLinks;
use super::parts::{self, DIFF_TIME, DraftPart, WHOLE};
use super::waiting::{WaitingDraft, WaitingFile};
use super::warnings::{ReviewWarning, WarningReason};
use super::{CurrentDraft, bring_up_to_date};
use crate::error::Error;
use allowlist::{BackendName, Effect, RawValue, shown};
use backend::{PinnedVault, Produced};
use changes::{
    Control, EnvelopeBuilder, FileChange, Happening, Params, Request,
    change::{files_of, journal_unfinished, make_recorded, without_kept},
};
use protocol::{Caller, Code, Deadline, Failure, Issue, failure::REVIEW_AGAIN, for_person};
use store::drafts::{Draft, ReviewAnswer};
use store::journal::{
    Journal, JournalEntry, NewEntry, PlannedRun, Restoration, RunOrigin, RunPrefix, VaultLock,
    folder_kept, kept_folders, short_id,
};
use tiers::ApprovalChannel;

/// The names in envelopes, in the journal and in the audit log.
pub(crate) const ACCEPT: &str = "review:accept";
const REJECT: &str = "review:reject";
/// The maximum number of bytes of the diff that shows an agent what a person changed in its text.
const MOST_EDITED: usize = 4096;

/// The answer of a person to parts of a draft.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Review {
    /// Whether they are accepted, or else rejected.
    pub accept: bool,
    /// The id of the draft, or its beginning.
    pub draft: String,
    /// The notes to decide about, each with the numbers of its hunks; an empty set means all hunks. An empty map means
    /// the whole draft. What belongs together with a named note is decided with it.
    pub notes: BTreeMap<String, BTreeSet<usize>>,
    /// The state that the person saw, or at least its first 16 digits. If anything that was shown with it changed
    /// since, nothing is done. An acceptance and a choice of hunks need it.
    pub state: Option<String>,
    /// Whether the person confirmed the warnings about these parts, which [`Drafts::plan_review`] lists.
    pub confirmed: bool,
    /// Hunks that are rejected in the same step as an acceptance, by note as in `notes`.
    pub rejected: BTreeMap<String, BTreeSet<usize>>,
    /// The person's own text of notes that are accepted as a whole, in place of the agent's.
    pub edited: BTreeMap<String, String>,
    /// Whether the person takes responsibility for the accepted notes, so that their labels are cleared
    /// (`design/labels.md`).
    pub clears: bool,
    /// The comment for the agent, about all of it.
    pub comment: Option<String>,
    /// Comments on single hunks, in place of `comment`: by note and number of the hunk.
    pub comments: BTreeMap<(String, usize), String>,
    /// The channel of the answer.
    pub channel: Option<ApprovalChannel>,
}

impl Review {
    /// Returns the request of this answer, for the envelope and the log.
    pub(crate) fn request(&self, dry_run: bool) -> Request {
        let text = |(key, value): (String, Value)| {
            let value = match value {
                Value::String(text) => RawValue::Text(text),
                Value::Array(items) => RawValue::List(items),
                other => RawValue::Text(other.to_string()),
            };
            (key, value)
        };
        let comment = self.comment.clone();
        let comment = comment.map(|comment| ("comment".to_owned(), RawValue::Text(comment)));
        let params = params(self).into_iter().map(text).chain(comment);
        Request {
            params: Params(params.collect()),
            dry_run,
            ..Request::new(if self.accept { ACCEPT } else { REJECT })
        }
    }

    /// Returns an answer to a whole draft, as it was shown.
    pub fn of_draft(draft: &WaitingDraft, accept: bool) -> Self {
        Self {
            accept,
            draft: draft.draft.to_string(),
            state: Some(draft.state.clone()),
            ..Self::default()
        }
    }
}

/// The effect of a review, for the question to the person.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewPlan {
    /// The draft as it is now. Its state binds the answer to it.
    pub draft: WaitingDraft,
    /// The chosen hunks by note: without files in conflict, and with all that belongs together with them.
    pub chosen: BTreeMap<String, BTreeSet<usize>>,
    /// The warnings about what is accepted, and about links in the rest of the draft that a rejection breaks.
    pub warnings: Vec<FileWarning>,
}

/// A warning with its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileWarning {
    /// The path of the file in the draft.
    pub path: String,
    /// The warning.
    #[serde(flatten)]
    pub warning: ReviewWarning,
}

impl FileWarning {
    /// Returns the warning in one line for people.
    pub fn line(&self) -> String {
        self.warning.line_about(&self.path)
    }
}

impl Drafts<'_> {
    /// Plans this review, with the warnings that the person has to confirm. Changes nothing.
    ///
    /// # Errors
    ///
    /// As [`crate::Gateway::review`]: above all `PRECONDITION_FAILED` if the draft is not in the state that the review
    /// names.
    pub fn plan_review(&self, review: &Review) -> Result<ReviewPlan, Failure> {
        self.only_people()?;
        let vault = self.folder()?;
        let journal = self.records.journal_of(&vault)?;
        let reviewed = self.draft_to_review(&journal, &vault, review)?;
        let chosen = chosen_parts(&reviewed, review)?;
        let (mut warnings, mut rejected) = (Vec::new(), chosen.clone());
        if review.accept {
            let mut selected = reviewed.current.draft.clone();
            select(&mut selected, &reviewed.parts, &chosen)?;
            warnings = warnings_about(&reviewed.waiting, &chosen, &selected, (&vault, &journal))?;
            rejected = reviewed.rejected_parts(review)?;
        }
        if !rejected.is_empty() {
            let mut rest = reviewed.current.draft.clone();
            parts::take_out(&mut rest, &rejected)?;
            for warning in broken_by_rejection(&reviewed.waiting, &rest, (&vault, &journal))? {
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            }
        }
        let chosen = chosen
            .into_iter()
            .map(|(part, hunks)| (part.path.to_string(), hunks));
        Ok(ReviewPlan {
            chosen: chosen.collect(),
            draft: reviewed.waiting,
            warnings,
        })
    }

    /// Returns the drafts of all agents in which something waits, the last changed draft first. A damaged draft is a
    /// warning.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` for an agent; fails if the vault or the journal cannot be read.
    pub fn waiting_drafts(&self) -> Result<(Vec<WaitingDraft>, Vec<Issue>), Failure> {
        self.only_people()?;
        let vault = self.folder()?;
        let journal = self.records.journal_of(&vault)?;
        let (mut drafts, mut warnings) = (Vec::new(), Vec::new());
        if !journal.unfinished()?.is_empty() {
            warnings.extend(self.records.recover(&vault)?);
        }
        warnings.extend(journal.earlier_issue()?);
        warnings.extend(journal.edited_copies()?);
        for draft in journal.drafts()? {
            match draft {
                Ok(draft) if draft.is_empty() => {}
                Ok(mut draft) => {
                    draft.forget_times();
                    let standing = bring_up_to_date(&mut draft, &vault.engine, None, None);
                    if !draft.is_empty() {
                        drafts.push(CurrentDraft { draft, standing });
                    }
                }
                Err(failure) => warnings.push(Issue::new("DRAFT_DAMAGED", failure.message())),
            }
        }
        drafts.sort_by_key(|current| std::cmp::Reverse(current.draft.changed));
        let labels = self.labels.ledger(&vault)?;
        let drafts = drafts.iter();
        let drafts = drafts.map(|current| {
            let parts = parts::parts(&current.draft);
            WaitingDraft::from_draft(current, &parts, &labels, (&vault.engine, &journal))
        });
        Ok((drafts.collect::<Result<_, _>>()?, warnings))
    }

    /// Returns a text that changes with the drafts, the approvals, or one of these files, which are the files of the
    /// shown list. Costs little, however many changes wait.
    ///
    /// # Errors
    ///
    /// As [`Self::waiting_drafts`].
    pub fn review_stamp(&self, files: &[String]) -> Result<String, Failure> {
        let vault = self.folder()?;
        let drafts = self.records.journal_of(&vault)?.draft_stamps()?;
        let of_file = |path: &String| {
            let facts = vault.engine.facts(&VaultPath::file(path).ok()?).ok()?;
            Some((facts.size, facts.modified))
        };
        let files: Vec<_> = files.iter().map(of_file).collect();
        let approvals = self
            .caller
            .approvals()
            .store()?
            .pending(self.caller.now().timestamp())?;
        let approvals: Vec<&str> = approvals.iter().map(|one| one.id.as_str()).collect();
        let stamp = format!("{drafts:?} {files:?} {approvals:?}");
        Ok(protocol::digest::sha256(stamp.as_bytes()))
    }

    /// Returns the text that a draft proposes for a note, for a person who edits it before accepting it
    /// ([`Review::edited`]).
    ///
    /// # Errors
    ///
    /// `PRECONDITION_FAILED` if the draft is no longer in this state; `USAGE_ERROR` if the draft has no text for the
    /// note; fails if the draft cannot be read.
    pub fn proposed_text(&self, draft: Uuid, state: &str, note: &str) -> Result<String, Failure> {
        self.only_people()?;
        let vault = self.folder()?;
        let shown = Review {
            draft: draft.to_string(),
            state: Some(state.to_owned()),
            ..Review::default()
        };
        let reviewed = self.draft_to_review(&self.records.journal_of(&vault)?, &vault, &shown)?;
        let (_, proposed) = editable(part_named(&reviewed.parts, note)?)?;
        Ok(proposed.clone())
    }

    /// Refuses an agent, and a person under an agent's policy.
    fn only_people(&self) -> Result<(), Failure> {
        if self.caller.is_person() {
            return Ok(());
        }
        Err(Code::UsageError
            .failure("An agent cannot review drafts.")
            .hint(for_person("If you are a person, omit `--agent`.")))
    }

    /// Carries out [`crate::Gateway::review`].
    pub(crate) fn reviewed(
        &self,
        review: &Review,
        (request, control, deadline): (&Request, &Control, Deadline),
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        self.only_people()?;
        if !request.dry_run {
            self.check_review_channel(review, None)?;
        }
        check_is_bound(review, request.dry_run)?;
        trace.record_question(params(review), Effect::Write);
        let vault = self.folder()?;
        trace.opened(&vault, self.vaults.instead_of_set(&vault));
        let now = self.caller.now();
        let lock = self
            .records
            .lock(&vault, deadline, &control.cancel, &now, trace)?;
        let reviewed = self.draft_to_review(lock.journal(), &vault, review)?;
        let mut params = params(review);
        let agent = reviewed.current.draft.agent.as_ref();
        params.extend(agent.map(|agent| ("agent".to_owned(), json!(agent))));
        trace.record_question(params.clone(), Effect::Write);
        let chosen = chosen_parts(&reviewed, review)?;
        if review.accept {
            if !request.dry_run {
                self.check_review_channel(review, Some(&reviewed.current.draft))?;
            }
            let rejected = reviewed.rejected_parts(review)?;
            check_apart(&chosen, &rejected)?;
            let under = (&lock, &vault, &now);
            return self.accepted(
                review,
                (request, control, deadline),
                under,
                trace,
                (reviewed, (chosen, rejected), params),
            );
        }
        let done = Reviewed {
            accepted: false,
            review,
            chosen: &chosen,
            at: now.timestamp(),
        };
        let mut rest = reviewed.current.draft.clone();
        done.take_out(&mut rest)?;
        let mut report = ReviewReport::new(review, request.dry_run, &rest);
        report.files = names_of(&chosen);
        report.warnings = broken_by_rejection(&reviewed.waiting, &rest, (&vault, lock.journal()))?;
        if request.dry_run {
            report.waiting = reviewed.waiting.waiting;
        } else {
            lock.keep_draft(&rest)?;
            self.labels.forget_labels_of(&lock, &rest)?;
        }
        Ok(report.produced(Vec::new()))
    }

    /// Writes the chosen parts into the vault, as one recorded run.
    fn accepted(
        &self,
        review: &Review,
        (request, control, deadline): (&Request, &Control, Deadline),
        (lock, vault, now): (&VaultLock, &PinnedVault, &jiff::Zoned),
        trace: &mut EnvelopeBuilder,
        (reviewed, (chosen, rejected), params): (ReviewedDraft, Decided, Map<String, Value>),
    ) -> Result<Produced, Failure> {
        let ReviewedDraft {
            mut current,
            parts,
            waiting,
        } = reviewed;
        let [done, refused] =
            [(true, &chosen), (false, &rejected)].map(|(accepted, chosen)| Reviewed {
                accepted,
                review,
                chosen,
                at: now.timestamp(),
            });
        let mut selected = current.draft.clone();
        select(&mut selected, &parts, &chosen)?;
        let mut report = ReviewReport::new(review, request.dry_run, &current.draft);
        report.warnings = warnings_about(&waiting, &chosen, &selected, (vault, lock.journal()))?;
        if !request.dry_run && !review.confirmed {
            refuse_unconfirmed(&report.warnings)?;
        }
        if review.notes.is_empty() {
            let in_conflict = waiting.files.into_iter().filter(|file| file.file.conflict);
            report.conflicts = in_conflict.collect();
        }
        let mut exact = exact_places(&parts, &chosen);
        exact.extend(put_edited(&mut selected, &chosen, &review.edited)?);
        report.rejected = names_of(&rejected);
        let changes = self.changes_of(&selected, &exact, vault)?;
        let is_removed =
            |path: &VaultPath| changes.contains(&Change::RemoveFolder { path: path.clone() });
        let folders = selected.overlay.folders.iter();
        let kept = folders.filter(|(path, exists)| !**exists && !is_removed(path));
        let mut warnings: Vec<Issue> = kept.map(|(path, _)| folder_kept(path.as_str())).collect();
        let files = files_of(&changes);
        let named = |files: &[FileChange]| files.iter().map(FileChange::line).collect();
        report.files = named(&files);
        if request.dry_run {
            return Ok(report.produced(warnings));
        }
        let before = current.draft.clone();
        // A change that cannot be taken out is reported before anything is written.
        refused.take_out(&mut current.draft)?;
        if changes.is_empty() {
            // The vault has it already.
            done.settle(&mut current.draft, &rejected);
            lock.keep_draft(&current.draft)?;
            self.labels.forget_labels_of(lock, &current.draft)?;
            report.waiting = current.draft.waiting();
            return Ok(report.produced(warnings));
        }
        control.cancel.check()?;
        trace.subject.approved.channel = review.channel;
        self.records.record_intent(request, trace, &files)?;
        let origin = RunOrigin {
            approved_by: review.channel,
            ..self.records.origin()
        };
        let entry = NewEntry {
            run_id: trace.envelope.run_id,
            command: ACCEPT,
            params,
            backend: BackendName::Embedded,
            now: now.timestamp(),
            undoes: None,
            redoes: None,
            origin,
            planned: PlannedRun::Changes(&changes),
        };
        let vault = vault.clone().to_the_end();
        let accepted = Restoration::new(changes.clone());
        let end = (deadline, &control.cancel);
        self.labels
            .label_acceptance(lock, &vault, (&before, &changes))?;
        warnings.extend(make_recorded(lock, &vault, &entry, &accepted, end)?);
        let files = without_kept(files, &warnings);
        report.files = named(&files);
        trace.changed(files);
        trace.by_the_engine("a draft is accepted without the app");
        // The vault is changed. Even if the draft cannot be stored now, the accepted parts are found in the vault when
        // the draft is read next.
        done.settle(&mut current.draft, &rejected);
        bring_up_to_date(&mut current.draft, &vault.engine, None, None);
        let stored = lock
            .keep_draft(&current.draft)
            .and_then(|()| self.labels.forget_labels_of(lock, &current.draft))
            .and_then(|()| {
                if review.clears {
                    self.labels.clear_accepted(&vault, &changes)
                } else {
                    Ok(())
                }
            });
        warnings.extend(stored.err().map(|failure| journal_unfinished(&failure)));
        report.waiting = current.draft.waiting();
        Ok(report.produced(warnings))
    }

    /// Refuses an answer that came in a way that the settings do not accept for approvals: those of the person or, once
    /// it is known which draft is meant, of its agent.
    fn check_review_channel(&self, review: &Review, draft: Option<&Draft>) -> Result<(), Failure> {
        if !review.accept {
            return Ok(());
        }
        let settings = &self.caller.settings;
        let of_agent = draft.map(|draft| settings.policy(Caller::Agent, draft.agent.as_deref()));
        let of_agent = of_agent.transpose()?;
        let accepted = of_agent
            .as_ref()
            .unwrap_or(&self.caller.policy)
            .approve_by();
        match review.channel {
            Some(channel) if accepted.contains(&channel) => Ok(()),
            channel => {
                let open = accepted.iter().map(|channel| channel.name()).collect();
                Err(Error::NotAcceptedThisWay(channel.is_none(), open).into())
            }
        }
    }

    /// Returns the draft that the person means, up to date with the folder, in the state that they saw.
    fn draft_to_review(
        &self,
        journal: &Journal,
        vault: &PinnedVault,
        review: &Review,
    ) -> Result<ReviewedDraft, Failure> {
        let prefix: RunPrefix = review.draft.parse().map_err(|_| {
            Code::UsageError
                .failure("Pass the id of a draft, or at least its first 4 digits.")
                .hint("`vault-gw review` lists the drafts.")
        })?;
        let drafts = journal.drafts()?.into_iter().flatten();
        let mut named = drafts.filter(|draft| !draft.is_empty() && prefix.matches(draft.id));
        let (Some(mut draft), None) = (named.next(), named.next()) else {
            return Err(Code::FileNotFound
                .failure(format!(
                    "`{}` does not name exactly one draft: either no id begins with it, or several do.",
                    shown(&review.draft)
                ))
                .hint("`vault-gw review` lists the drafts."));
        };
        draft.forget_times();
        let standing = bring_up_to_date(&mut draft, &vault.engine, None, None);
        let current = CurrentDraft { draft, standing };
        let labels = self.labels.ledger(vault)?;
        let parts = parts::parts(&current.draft);
        let bounds = (&vault.engine, journal);
        let waiting = WaitingDraft::from_draft(&current, &parts, &labels, bounds)?;
        if let Some(seen) = &review.state
            && !waiting.is_in_state(seen)?
        {
            return Err(Code::PreconditionFailed
                .failure(
                    "Nothing was done. The draft, or a note in it, has changed since you saw the \
                draft.",
                )
                .with("reason", REVIEW_AGAIN));
        }
        Ok(ReviewedDraft {
            current,
            parts,
            waiting,
        })
    }
}

/// Answers the agent whose accepted changes a person undid or redid: `made` is the acceptance, `reversed` the run that
/// was undone, which is the acceptance or an undo of it.
pub(crate) fn answer_reversal(
    lock: &VaultLock,
    (made, reversed): (&JournalEntry, &JournalEntry),
    now: Timestamp,
) -> Result<(), Failure> {
    let agent = made.params.get("agent").and_then(Value::as_str);
    let reversed = reversed.started_at.parse();
    let draft = lock.journal().draft(agent)?;
    if let (Some(mut draft), Ok(reversed)) = (draft, reversed) {
        draft.reverse_answers(reversed, now);
        lock.keep_draft(&draft)?;
    }
    Ok(())
}

/// A draft that is being reviewed, and what its person sees of it.
struct ReviewedDraft {
    current: CurrentDraft,
    parts: Vec<DraftPart>,
    waiting: WaitingDraft,
}

impl ReviewedDraft {
    /// Returns the parts and hunks that are rejected with an acceptance.
    fn rejected_parts(&self, review: &Review) -> Result<ChosenHunks, Failure> {
        closed_choice(&self.parts, &self.waiting.groups, &review.rejected)
    }
}

/// Refuses an answer that does not say what the person saw.
fn check_is_bound(review: &Review, dry_run: bool) -> Result<(), Failure> {
    let names_hunks = review.notes.values().any(|hunks| !hunks.is_empty());
    if review.state.is_some() || !(names_hunks || review.accept && !dry_run) {
        return Ok(());
    }
    let why = if names_hunks {
        "Also pass the state of the draft that you saw. Hunk numbers are valid only for this \
        state."
    } else {
        "Also pass the state of the draft that you saw, so that no other changes are accepted."
    };
    Err(Code::UsageError
        .failure(why)
        .hint(for_person(
            "`vault-gw review --list` shows the draft, and the whole command with `--state`.",
        ))
        .with("reason", REVIEW_AGAIN))
}

/// Refuses warnings that the person has not confirmed.
fn refuse_unconfirmed(warnings: &[FileWarning]) -> Result<(), Failure> {
    let Some(first) = warnings.first() else {
        return Ok(());
    };
    let all = match warnings.len() {
        1 => String::new(),
        all => format!("`--dry-run` lists all {all} warnings. The first is about "),
    };
    Err(Code::ApprovalRequired
        .failure(format!(
            "Nothing was changed. Changes with a warning need a separate confirmation. {all}{}",
            first.line()
        ))
        .with("reason", REVIEW_AGAIN)
        .with("warnings", json!(warnings)))
}

/// Returns the warnings about these parts that were shown. Warnings about links are those that apply if only these
/// parts are accepted.
fn warnings_about(
    waiting: &WaitingDraft,
    chosen: &[(DraftPart, BTreeSet<usize>)],
    selected: &Draft,
    (vault, journal): (&PinnedVault, &Journal),
) -> Result<Vec<FileWarning>, Failure> {
    let names = chosen
        .iter()
        .map(|(part, hunks)| (part.path.to_string(), hunks.clone()));
    let names: BTreeMap<String, BTreeSet<usize>> = names.collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    // The warnings about the links of the whole draft are known.
    let is_all = waiting.files.iter().all(|file| {
        let hunks = names.get(&file.file.path);
        hunks.is_some_and(|hunks| hunks.len() == file.file.hunks.len())
    });
    let shown = waiting.warnings_about(&names).into_iter();
    let mut warnings: Vec<FileWarning> = shown
        .filter(|(_, warning)| is_all || !warning.reason.is_about_links())
        .map(|(file, warning)| FileWarning {
            path: file.file.path.clone(),
            warning: warning.clone(),
        })
        .collect();
    if is_all {
        return Ok(warnings);
    }
    let parts: Vec<DraftPart> = chosen.iter().map(|(part, _)| part.clone()).collect();
    if let Some(links) = DraftLinks::of_draft(&parts, selected, (&vault.engine, Some(journal)))? {
        warnings.extend(
            chosen
                .iter()
                .flat_map(|(part, hunks)| broken_links(&links, part, hunks)),
        );
        warnings.sort_by(|one, other| one.path.cmp(&other.path));
    }
    Ok(warnings)
}

/// Returns the links in the rest of a draft that lead to no file because other parts are rejected.
fn broken_by_rejection(
    waiting: &WaitingDraft,
    rest: &Draft,
    (vault, journal): (&PinnedVault, &Journal),
) -> Result<Vec<FileWarning>, Failure> {
    let parts = parts::parts(rest);
    let Some(links) = DraftLinks::of_draft(&parts, rest, (&vault.engine, Some(journal)))? else {
        return Ok(Vec::new());
    };
    let broken = parts
        .iter()
        .flat_map(|part| broken_links(&links, part, &part.numbers()));
    Ok(broken
        .filter(|warning| !waiting.has_warning(warning))
        .collect())
}

fn broken_links(
    links: &DraftLinks,
    part: &DraftPart,
    hunks: &BTreeSet<usize>,
) -> impl Iterator<Item = FileWarning> + use<> {
    let path = part.path.to_string();
    let warnings = links.broken(part, hunks).into_iter();
    warnings.map(move |warning| FileWarning {
        path: path.clone(),
        warning,
    })
}

/// Parts of a draft, with the numbers of their hunks.
pub(super) type ChosenHunks = Vec<(DraftPart, BTreeSet<usize>)>;

/// The accepted hunks of a review, and those that are rejected with them.
type Decided = (ChosenHunks, ChosenHunks);

/// The person's decision about some hunks, for the agent to read.
struct Reviewed<'r> {
    accepted: bool,
    review: &'r Review,
    chosen: &'r [(DraftPart, BTreeSet<usize>)],
    at: jiff::Timestamp,
}

impl Reviewed<'_> {
    /// Removes the parts from the draft and records the answer.
    fn take_out(&self, draft: &mut Draft) -> Result<(), Failure> {
        parts::take_out(draft, self.chosen)?;
        self.answer(draft);
        Ok(())
    }

    /// Removes the parts from the draft that are in the vault now. If hunks of a part still wait, they are found by
    /// comparing the texts.
    fn settle(&self, draft: &mut Draft, rejected: &[(DraftPart, BTreeSet<usize>)]) {
        let is_decided = |part: &DraftPart, hunks: &BTreeSet<usize>| {
            let others = rejected.iter().find(|(other, _)| other.place == part.place);
            let others = others.map_or(0, |(_, others)| others.len());
            hunks.len() + others == part.numbers().len()
        };
        parts::settle(draft, self.chosen, is_decided);
        self.answer(draft);
    }

    fn answer(&self, draft: &mut Draft) {
        for (part, hunks) in self.chosen {
            let answer = |what: String, edited: Option<String>, hunks: &BTreeSet<usize>| {
                let comments = &self.review.comments;
                let own = hunks
                    .iter()
                    .find_map(|hunk| comments.get(&(part.path.to_string(), *hunk)));
                ReviewAnswer {
                    path: part.path.clone(),
                    what,
                    accepted: self.accepted,
                    undone: false,
                    comment: own.or(self.review.comment.as_ref()).cloned(),
                    edited,
                    at: self.at,
                }
            };
            let edited = self
                .review
                .edited
                .get(part.path.as_str())
                .filter(|_| self.accepted);
            if let Some(edited) = edited.and_then(|text| part.edited_diff(text)) {
                draft.answer(answer("text".to_owned(), Some(edited), hunks));
                continue;
            }
            for number in hunks {
                let what = part.hunk_in_words(*number);
                draft.answer(answer(what, None, &BTreeSet::from([*number])));
            }
        }
        if !self.chosen.is_empty() {
            draft.changed = self.at;
        }
    }
}

impl DraftPart {
    /// Returns the changes that the person made to the proposed text, as a diff; `None` if the person changed nothing.
    fn edited_diff(&self, edited: &str) -> Option<String> {
        let (_, proposed) = self
            .texts
            .as_ref()
            .filter(|(_, proposed)| proposed != edited)?;
        let hunks = line_diff::hunks(proposed, edited, DIFF_TIME);
        let (mut diff, shown) =
            line_diff::numbered_diff(proposed, edited, (&hunks, 1), MOST_EDITED);
        let left_out = hunks.len() - shown;
        if left_out > 0 {
            diff += &format!(
                "({} not shown)\n",
                vault_engine::plural::count(left_out, "hunk")
            );
        }
        Some(diff)
    }

    /// Returns a hunk in words, or its changed lines.
    fn hunk_in_words(&self, number: usize) -> String {
        if number == WHOLE {
            let words = match self.change {
                Happening::Created => "new note",
                Happening::Moved => "rename",
                Happening::FolderMade => "new folder",
                Happening::Modified => "content",
                _ => "removal",
            };
            return words.to_owned();
        }
        let hunk = number
            .checked_sub(1)
            .and_then(|index| self.hunks.get(index));
        let (Some(hunk), Some((before, after))) = (hunk, &self.texts) else {
            return String::new();
        };
        let lines = |text: &str, range: &std::ops::Range<usize>, sign: char| {
            let lines = text
                .split_inclusive('\n')
                .skip(range.start)
                .take(range.len());
            lines
                .map(|line| format!("{sign}{}\n", line.trim_end()))
                .collect::<String>()
        };
        lines(before, &hunk.before, '-') + &lines(after, &hunk.after, '+')
    }
}

/// Returns the parts and hunks that the person chose.
///
/// # Errors
///
/// `DRAFT_CONFLICT` if a part to accept, or one that belongs together with it, is in conflict with the vault. In a
/// whole draft these parts wait, with the parts that depend on them.
fn chosen_parts(reviewed: &ReviewedDraft, review: &Review) -> Result<ChosenHunks, Failure> {
    let ReviewedDraft {
        current,
        parts,
        waiting,
    } = reviewed;
    if review.notes.is_empty() {
        let in_conflict = parts
            .iter()
            .find(|part| current.standing.is_conflict(&part.path));
        let first = in_conflict.filter(|_| review.accept).cloned();
        let all = parts.iter().map(|part| (part.clone(), part.numbers()));
        let mut chosen: ChosenHunks = all.collect();
        if let Some(first) = first {
            leave_conflicts(&mut chosen, current, &waiting.groups);
            if chosen.is_empty() {
                refuse_conflict(current, &first)?;
            }
        }
        return Ok(chosen);
    }
    let chosen = closed_choice(parts, &waiting.groups, &review.notes)?;
    if review.accept {
        for (part, _) in &chosen {
            refuse_conflict(current, part)?;
        }
    }
    Ok(chosen)
}

/// Leaves out parts in conflict, and what belongs together with them.
fn leave_conflicts(chosen: &mut ChosenHunks, current: &CurrentDraft, groups: &[ChangeGroup]) {
    chosen.retain(|(part, _)| !current.standing.is_conflict(&part.path));
    let count = |chosen: &ChosenHunks| chosen.iter().map(|(_, hunks)| hunks.len()).sum::<usize>();
    loop {
        let before = count(chosen);
        let hunks = chosen
            .iter()
            .flat_map(|(part, hunks)| hunks.iter().map(|hunk| (part.path.as_str(), *hunk)));
        let present: BTreeSet<(&str, usize)> = hunks.collect();
        let is_left = |group: &&ChangeGroup| {
            let mut members = group.members.iter();
            members.any(|member| {
                let mut hunks = member.hunks.iter();
                hunks.any(|hunk| !present.contains(&(member.note.as_str(), *hunk)))
            })
        };
        let without: Vec<&ChangeGroup> = groups.iter().filter(is_left).collect();
        for (part, hunks) in chosen.iter_mut() {
            for group in &without {
                if let Some(members) = group.hunks_of(part.path.as_str()) {
                    hunks.retain(|hunk| !members.contains(hunk));
                }
            }
            if hunks.is_empty() || part.has_whole() && !hunks.contains(&WHOLE) {
                hunks.clear();
            }
        }
        chosen.retain(|(_, hunks)| !hunks.is_empty());
        if count(chosen) == before {
            return;
        }
    }
}

/// Returns the part of this note.
pub(super) fn part_named<'p>(parts: &'p [DraftPart], note: &str) -> Result<&'p DraftPart, Failure> {
    parts
        .iter()
        .find(|part| part.path.as_str() == note)
        .ok_or_else(|| {
            Code::FileNotFound
                .failure(format!("`{}` is not in the draft.", shown(note)))
                .hint("`vault-gw review` lists the files in the draft.")
        })
}

/// Checks that no hunk is both accepted and rejected.
fn check_apart(
    accepted: &[(DraftPart, BTreeSet<usize>)],
    rejected: &[(DraftPart, BTreeSet<usize>)],
) -> Result<(), Failure> {
    for (part, hunks) in rejected {
        let mut others = accepted
            .iter()
            .filter(|(other, _)| other.place == part.place);
        if others.any(|(_, others)| !others.is_disjoint(hunks)) {
            return Err(Code::UsageError.failure(format!(
                "A hunk of `{}` is both accepted and rejected. Nothing was changed.",
                part.path
            )));
        }
    }
    Ok(())
}

/// Returns the texts of a note before and after, if a person can edit the second one.
fn editable(part: &DraftPart) -> Result<&(String, String), Failure> {
    let has_text = matches!(
        part.change,
        Happening::Created | Happening::Modified | Happening::Moved
    );
    part.texts.as_ref().filter(|_| has_text).ok_or_else(|| {
        Code::UsageError
            .failure(format!(
                "The text of `{}` cannot be edited in the draft.",
                part.path
            ))
            .with("path", part.path.as_str())
    })
}

/// Puts the person's own texts into the draft, in place of the agent's. Returns the places of these files.
fn put_edited(
    draft: &mut Draft,
    chosen: &[(DraftPart, BTreeSet<usize>)],
    edited: &BTreeMap<String, String>,
) -> Result<Vec<VaultPath>, Failure> {
    let mut places = Vec::new();
    for (note, text) in edited {
        let part = chosen.iter().find(|(part, _)| part.path.as_str() == note);
        let (part, _) = part
            .filter(|(part, hunks)| *hunks == part.numbers())
            .ok_or_else(|| {
                Code::UsageError.failure(format!(
                    "You edited the text of `{}`, so you can accept the note only as a whole.",
                    shown(note)
                ))
            })?;
        editable(part)?;
        let planned = PlannedBytes {
            content: PlannedContent::new(text.clone().into_bytes()),
            origin: part.origin.clone(),
            modified: part.modified(),
        };
        draft
            .overlay
            .files
            .insert(part.place.clone(), PlannedFile::Bytes(Arc::new(planned)));
        places.push(part.place.clone());
    }
    Ok(places)
}

fn names_of(chosen: &[(DraftPart, BTreeSet<usize>)]) -> Vec<String> {
    let names = chosen.iter().map(|(part, _)| part.path.as_str());
    names
        .map(|name| vault_engine::shown::row(name).into_owned())
        .collect()
}

/// Shows both sides of a conflict instead of guessing.
fn refuse_conflict(current: &CurrentDraft, part: &DraftPart) -> Result<(), Failure> {
    let Some(conflict) = current.standing.conflict(&part.path) else {
        return Ok(());
    };
    Err(Code::DraftConflict.failure(format!(
        "`{}` cannot be accepted: {}. Nothing was changed. Reject the change, or edit the note yourself.",
        part.path,
        conflict.kind.reason()
    ))
    .with("reason", REVIEW_AGAIN)
    .with("path", part.path.as_str())
    .with("conflicts", json!(conflict.kind.sides())))
}

/// Returns a hash of what waits in a draft and of what it is compared with.
pub(super) fn state_of(draft: &Draft) -> String {
    let files: BTreeMap<&str, String> = draft
        .overlay
        .files
        .iter()
        .map(|(path, file)| {
            let shown = match file {
                PlannedFile::Bytes(planned) => {
                    let sha256 = planned.content.version().sha256;
                    format!(
                        "bytes {:?} {}",
                        planned.origin,
                        protocol::digest::hexadecimal(&sha256)
                    )
                }
                PlannedFile::From(origin) => format!("from {origin}"),
                PlannedFile::Gone => "gone".to_owned(),
            };
            (path.as_str(), shown)
        })
        .collect();
    let bases = draft.bases.iter();
    let bases: BTreeMap<&str, String> = bases
        .map(|(path, base)| (path.as_str(), protocol::digest::hexadecimal(&base.sha256)))
        .collect();
    let folders: BTreeMap<&str, bool> = draft
        .overlay
        .folders
        .iter()
        .map(|(path, exists)| (path.as_str(), *exists))
        .collect();
    protocol::digest::sha256(json!([files, bases, folders]).to_string().as_bytes())
}

/// Returns the parameters for the envelope and the records. The comment is in the draft.
fn params(review: &Review) -> Map<String, Value> {
    let mut params = Map::from_iter([("draft".to_owned(), json!(review.draft))]);
    if review.clears {
        params.insert("clearLabel".to_owned(), json!(true));
    }
    let mut notes = review.notes.iter();
    match (notes.next(), notes.next()) {
        (Some((note, hunks)), None) => {
            params.insert("note".to_owned(), json!(note));
            if !hunks.is_empty() {
                params.insert("hunk".to_owned(), json!(hunks));
            }
        }
        (Some(_), Some(_)) => {
            params.insert("notes".to_owned(), json!(review.notes));
        }
        (None, _) => {}
    }
    if !review.rejected.is_empty() {
        params.insert("rejected".to_owned(), json!(review.rejected));
    }
    if !review.edited.is_empty() {
        let notes: Vec<&String> = review.edited.keys().collect();
        params.insert("edited".to_owned(), json!(notes));
    }
    params
}

/// The answer to a review, with what was accepted and rejected.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct ReviewReport {
    draft: Uuid,
    accepted: bool,
    dry_run: bool,
    /// The files, each with what happened to it.
    files: Vec<String>,
    /// The notes with hunks that the same step rejected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rejected: Vec<String>,
    /// Number of files left in the draft.
    waiting: usize,
    /// The warnings for the person: after a rejection, links of the rest of the draft to no file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<FileWarning>,
    /// The files that were not accepted because they are in conflict with the vault.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<WaitingFile>,
}

impl AnswerData for ReviewReport {
    fn planned_files(&self) -> Option<usize> {
        self.dry_run.then_some(self.files.len())
    }
}

impl ReviewReport {
    fn new(review: &Review, dry_run: bool, draft: &Draft) -> Self {
        Self {
            draft: draft.id,
            accepted: review.accept,
            dry_run,
            files: Vec::new(),
            rejected: Vec::new(),
            waiting: draft.waiting(),
            warnings: Vec::new(),
            conflicts: Vec::new(),
        }
    }

    /// Returns the answer with these warnings. A folder that they say is kept is not removed.
    fn produced(mut self, warnings: Vec<Issue>) -> Produced {
        self.warnings.retain(|one| {
            one.warning.reason != WarningReason::FolderRemoved
                || kept_folders(&warnings).all(|kept| kept != one.path)
        });
        let text = self.to_text();
        Produced {
            warnings,
            ..Produced::with_text(self, text)
        }
    }

    fn to_text(&self) -> String {
        let (done, would) = if self.accepted {
            ("Accepted", "Would accept")
        } else {
            ("Rejected", "Would reject")
        };
        let word = if self.dry_run { would } else { done };
        let mut text = format!("{word} in draft {}:\n", short_id(self.draft));
        for file in &self.files {
            text += &format!("  {file}\n");
        }
        for warning in &self.warnings {
            text += &format!("  ! {}\n", warning.line());
        }
        if !self.rejected.is_empty() {
            text += if self.dry_run {
                "Would reject:\n"
            } else {
                "Rejected:\n"
            };
            text.extend(self.rejected.iter().map(|note| format!("  {note}\n")));
        }
        if !self.dry_run && self.waiting > 0 {
            let left = vault_engine::plural::count(self.waiting, "file");
            text += &format!("Left in the draft: {left}.\n");
        }
        for file in &self.conflicts {
            text += &file.conflict_text();
        }
        text
    }
}
