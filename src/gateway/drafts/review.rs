//! A person reviews drafts: what waits, and accepting or rejecting it (`design.md` §18.6).
//!
//! What is accepted becomes one list of changes (`acceptance.rs`). It goes the way of every change: lock,
//! journal, audit log, comparison with what was read, undo as a whole.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;
use vault_engine::{EngineError, PlannedFile};

use super::acceptance::select;
use super::merged::ConflictKind;
use super::parts::{DraftPart, WHOLE};
use super::questions::DraftedFile;
use super::{CurrentDraft, as_in_the_folder, bring_up_to_date};
use crate::allowlist::{BackendName, RawValue, shown};
use crate::backend::{Facts, Payload, PinnedVault, Produced, engine_failure};
use crate::code::Code;
use crate::deadline::Deadline;
use crate::failure::Failure;
use crate::gateway::change::files_of;
use crate::gateway::envelope_builder::EnvelopeBuilder;
use crate::gateway::request::{Params, Request};
use crate::gateway::{Answered, Control, FileChange, Gateway, Happening};
use crate::issue::Issue;
use crate::records::drafts::{Draft, ReviewAnswer};
use crate::records::journal::{
    NewEntry, PlannedRun, RunEnd, RunOrigin, RunPrefix, VaultLock, short_id,
};
use crate::tiers::ApprovalDoor;

/// The most bytes of diffs of one draft in the list.
const MOST_DIFF: usize = 8 << 20;
/// The names in envelopes, in the journal and in the audit log.
pub(in crate::gateway) const ACCEPT: &str = "review:accept";
const REJECT: &str = "review:reject";

/// What a person does with parts of a draft.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Review {
    /// Whether they are accepted, or else rejected.
    pub accept: bool,
    /// The id of the draft, or its beginning.
    pub draft: String,
    /// Only this note.
    pub note: Option<String>,
    /// Only these hunks of the note; empty for all.
    pub hunks: BTreeSet<usize>,
    /// The state that the list showed; if the draft changed since, nothing is done.
    pub state: Option<String>,
    /// What the agent reads.
    pub comment: Option<String>,
    /// How the person gave the answer.
    pub door: Option<ApprovalDoor>,
}

/// A draft, as a person sees it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingDraft {
    /// The id.
    pub draft: Uuid,
    /// The agent whose draft it is; absent for agents without a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// When it was begun, RFC 3339 in UTC.
    pub created: String,
    /// When it was changed last, RFC 3339 in UTC.
    pub changed: String,
    /// A hash of what waits: `--state` with it makes sure that an answer is about what was shown.
    pub state: String,
    /// How many files and folders wait.
    pub waiting: usize,
    /// These files, with their diffs.
    pub files: Vec<DraftedFile>,
}

impl WaitingDraft {
    fn of(current: &CurrentDraft) -> Self {
        let CurrentDraft { draft, standing } = current;
        let mut left = MOST_DIFF;
        let parts = draft.parts();
        let files = parts.iter().map(|part| {
            let file = DraftedFile::of(part, standing.is_conflict(&part.path), left);
            left = left.saturating_sub(file.diff.as_ref().map_or(0, String::len));
            file
        });
        Self {
            files: files.collect(),
            draft: draft.id,
            agent: draft.agent.clone(),
            created: draft.created.to_string(),
            changed: draft.changed.to_string(),
            state: state_of(draft),
            waiting: draft.waiting(),
        }
    }
}

impl Gateway {
    /// The drafts of all agents in which something waits, the one that was changed last first. A damaged draft
    /// is a warning.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` for an agent; fails if the vault or the journal cannot be read.
    pub fn waiting_drafts(&self) -> Result<(Vec<WaitingDraft>, Vec<Issue>), Failure> {
        self.only_people()?;
        let vault = as_in_the_folder(self.safe_vault()?);
        let (mut drafts, mut warnings) = (Vec::new(), Vec::new());
        for draft in self.journal_of(&vault)?.drafts()? {
            match draft {
                Ok(draft) if draft.is_empty() => {}
                Ok(mut draft) => {
                    let standing = bring_up_to_date(&mut draft, &vault.engine)?;
                    if !draft.is_empty() {
                        drafts.push(CurrentDraft { draft, standing });
                    }
                }
                Err(failure) => warnings.push(Issue::new("DRAFT_DAMAGED", failure.message)),
            }
        }
        drafts.sort_by_key(|current| std::cmp::Reverse(current.draft.changed));
        Ok((drafts.iter().map(WaitingDraft::of).collect(), warnings))
    }

    /// Accepts or rejects parts of a draft.
    pub fn review(&self, review: &Review, dry_run: bool) -> Answered {
        let text = |key: &str, value: &Option<String>| {
            let value = value.clone()?;
            Some((key.to_owned(), RawValue::Text(value)))
        };
        let hunks = (!review.hunks.is_empty()).then(|| {
            let numbers = review.hunks.iter().map(|number| json!(number));
            ("hunk".to_owned(), RawValue::List(numbers.collect()))
        });
        let params = [
            text("draft", &Some(review.draft.clone())),
            text("note", &review.note),
            text("comment", &review.comment),
            hunks,
        ];
        let request = Request {
            params: Params(params.into_iter().flatten().collect()),
            dry_run,
            ..Request::new(if review.accept { ACCEPT } else { REJECT })
        };
        // No request says that a draft is accepted, so no agent can send one.
        let control = Control::default();
        self.answered(&request, &control, |deadline, trace| {
            self.reviewed(review, (&request, &control, deadline), trace)
        })
    }

    /// Refuses an agent, and a person under an agent's policy.
    fn only_people(&self) -> Result<(), Failure> {
        if self.is_person() {
            return Ok(());
        }
        Err(Failure::new(
            Code::UsageError,
            "Only a person reviews drafts. Leave out `--agent`.",
        ))
    }

    /// Carries out [`Self::review`].
    fn reviewed(
        &self,
        review: &Review,
        (request, control, deadline): (&Request, &Control, Deadline),
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        self.only_people()?;
        self.check_review_door(review)?;
        trace.record_question(params(review));
        trace.undoes();
        let vault = as_in_the_folder(self.safe_vault()?);
        trace.answers(&vault, self.instead_of_set(&vault));
        let now = self.now();
        let lock = self.lock(&vault, deadline, &control.cancel, &now, trace)?;
        let mut current = Self::draft_to_review(&lock, &vault, review)?;
        let mut params = params(review);
        let agent = current.draft.agent.as_ref();
        params.extend(agent.map(|agent| ("agent".to_owned(), json!(agent))));
        trace.record_question(params.clone());
        trace.undoes();
        let chosen = chosen_parts(&current, review)?;
        let id = current.draft.id;
        let done = Reviewed {
            review,
            chosen: &chosen,
            at: now.timestamp(),
        };
        if !review.accept {
            if !request.dry_run {
                done.take_out(&mut current.draft)?;
                lock.keep_draft(&current.draft)?;
            }
            let files: Vec<String> = chosen
                .iter()
                .map(|(part, _)| part.path.to_string())
                .collect();
            return Ok(report(review, request.dry_run, id, &files, &current.draft));
        }
        for (part, _) in &chosen {
            refuse_conflict(&current, part)?;
        }
        let mut selected = current.draft.clone();
        select(&mut selected, &chosen)?;
        let changes = self.changes_of(&selected, &vault)?;
        let files = files_of(&changes);
        let named: Vec<String> = files.iter().map(FileChange::line).collect();
        if request.dry_run {
            return Ok(report(review, true, id, &named, &current.draft));
        }
        if changes.is_empty() {
            // The vault has it already.
            done.take_out(&mut current.draft)?;
            lock.keep_draft(&current.draft)?;
            return Ok(report(review, false, id, &named, &current.draft));
        }
        control.cancel.check()?;
        trace.subject.approved.door = review.door;
        self.record_intent(request, trace, &files)?;
        let origin = RunOrigin {
            approved_by: review.door,
            ..self.origin()
        };
        let entry = lock.begin(
            &vault.engine,
            NewEntry {
                run_id: trace.run_id(),
                command: ACCEPT,
                params,
                backend: BackendName::Embedded,
                now: now.timestamp(),
                undoes: None,
                redoes: None,
                origin,
                planned: PlannedRun::Changes(&changes),
            },
        )?;
        let vault = vault.to_the_end();
        match vault.engine.apply(&changes, &trace.run_id().to_string()) {
            Ok(()) => {}
            // The entry stays open, so that the next recovery completes the rollback.
            Err(error @ EngineError::HalfDone { .. }) => return Err(engine_failure(error)),
            Err(error) => {
                entry.abandon()?;
                return Err(engine_failure(error));
            }
        }
        let finished = entry.finish(&vault.engine, now.timestamp(), RunEnd::AS_ASKED);
        trace.changed(files);
        trace.has_accepted();
        // The vault is changed. What was accepted is found in it when the draft is read next, even if the
        // draft cannot be stored now.
        let stored = bring_up_to_date(&mut current.draft, &vault.engine).and_then(|_| {
            done.answer(&mut current.draft);
            lock.keep_draft(&current.draft)
        });
        let mut produced = report(review, false, id, &named, &current.draft);
        for failure in [finished.err(), stored.err()].into_iter().flatten() {
            let issue = Issue::new("JOURNAL_UNFINISHED", failure.message);
            produced
                .warnings
                .push(issue.with("code", failure.code.name()));
        }
        Ok(produced)
    }

    /// Refuses an answer that came in a way that the settings do not accept for approvals.
    fn check_review_door(&self, review: &Review) -> Result<(), Failure> {
        let accepted = self.policy.approve_by();
        if !review.accept || review.door.is_some_and(|door| accepted.contains(&door)) {
            return Ok(());
        }
        let names: Vec<&str> = accepted.iter().map(|door| door.name()).collect();
        Err(Failure::new(
            Code::ApprovalRequired,
            format!(
                "Accepting is an approval, and the settings accept one by: {}. At a terminal, or with `--yes`.",
                names.join(", ")
            ),
        ))
    }

    /// The draft that the person means, up to date with the folder.
    fn draft_to_review(
        lock: &VaultLock,
        vault: &PinnedVault,
        review: &Review,
    ) -> Result<CurrentDraft, Failure> {
        let prefix: RunPrefix = review.draft.parse().map_err(|_| {
            Failure::new(
                Code::UsageError,
                "A draft is named by its id or by at least 4 of the id's first digits. `vault-gw review` lists them.",
            )
        })?;
        let drafts = lock.journal().drafts()?.into_iter().flatten();
        let mut named = drafts.filter(|draft| !draft.is_empty() && prefix.matches(draft.id));
        let (Some(mut draft), None) = (named.next(), named.next()) else {
            return Err(Failure::new(
                Code::FileNotFound,
                format!(
                    "No draft, or more than one, has the id `{}`. `vault-gw review` lists them.",
                    shown(&review.draft)
                ),
            ));
        };
        let standing = bring_up_to_date(&mut draft, &vault.engine)?;
        let state = state_of(&draft);
        if review.state.as_ref().is_some_and(|seen| *seen != state) {
            return Err(Failure::new(
                Code::PreconditionFailed,
                "The draft, or a note that it changes, is not the one that you saw any more. Nothing was done. Look at it again.",
            )
            .with("state", state));
        }
        Ok(CurrentDraft { draft, standing })
    }
}

/// What a person decided, for the agent to read.
struct Reviewed<'r> {
    review: &'r Review,
    chosen: &'r [(DraftPart, BTreeSet<usize>)],
    at: jiff::Timestamp,
}

impl Reviewed<'_> {
    /// Takes the parts out of the draft, with the answer.
    fn take_out(&self, draft: &mut Draft) -> Result<(), Failure> {
        for (part, hunks) in self.chosen {
            draft.take_out(part, Some(hunks))?;
        }
        self.answer(draft);
        Ok(())
    }

    fn answer(&self, draft: &mut Draft) {
        for (part, hunks) in self.chosen {
            for number in hunks {
                draft.answer(ReviewAnswer {
                    path: part.path.clone(),
                    what: part.told(*number),
                    accepted: self.review.accept,
                    comment: self.review.comment.clone(),
                    at: self.at,
                });
            }
        }
        draft.changed = self.at;
    }
}

impl DraftPart {
    /// A hunk in words, or its changed lines.
    fn told(&self, number: usize) -> String {
        if number == WHOLE {
            let words = match self.change {
                Happening::Created => "new note",
                Happening::Moved => "rename",
                Happening::FolderMade => "new folder",
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

/// The parts and hunks that the person chose.
fn chosen_parts(
    current: &CurrentDraft,
    review: &Review,
) -> Result<Vec<(DraftPart, BTreeSet<usize>)>, Failure> {
    let parts = current.draft.parts();
    let Some(note) = &review.note else {
        if !review.hunks.is_empty() {
            return Err(Failure::new(
                Code::UsageError,
                "Hunks are numbered for each note. Name the note too, with `--note`.",
            ));
        }
        let all = parts.into_iter().map(|part| (part.numbers(), part));
        return Ok(all.map(|(numbers, part)| (part, numbers)).collect());
    };
    let named = parts.into_iter().find(|part| part.path.as_str() == note);
    let part = named.ok_or_else(|| {
        Failure::new(
            Code::FileNotFound,
            format!(
                "`{}` is not in the draft. `vault-gw review` lists what is.",
                shown(note)
            ),
        )
    })?;
    let numbers = part.numbers();
    if let Some(unknown) = review.hunks.difference(&numbers).next() {
        return Err(super::parts::no_such_hunk(&part, *unknown));
    }
    let chosen = if review.hunks.is_empty() {
        numbers
    } else {
        review.hunks.clone()
    };
    Ok(vec![(part, chosen)])
}

/// Shows both sides of a conflict instead of guessing.
fn refuse_conflict(current: &CurrentDraft, part: &DraftPart) -> Result<(), Failure> {
    let mut conflicts = current.standing.conflicts.iter();
    let Some(conflict) = conflicts.find(|conflict| conflict.path == part.path) else {
        return Ok(());
    };
    let (why, sides) = match &conflict.kind {
        ConflictKind::Lines(lines) => {
            ("the same lines were changed in the vault", lines.as_slice())
        }
        ConflictKind::NotText => ("it was changed in the vault too, and is not text", &[][..]),
        ConflictKind::ChangedMeanwhile => ("it was changed in the vault meanwhile", &[][..]),
        ConflictKind::Missing => ("it is no longer in the vault", &[][..]),
        ConflictKind::Taken => ("another file is at this path in the vault", &[][..]),
    };
    let sides: Vec<Value> = sides
        .iter()
        .map(|side| json!({ "line": side.lines.start + 1, "base": side.base, "draft": side.ours, "vault": side.theirs }))
        .collect();
    Err(Failure::new(
        Code::DraftConflict,
        format!(
            "`{}` cannot be accepted: {why}. Nothing was changed. Reject it, or change the note yourself to what you want.",
            part.path
        ),
    )
    .with("path", part.path.as_str())
    .with("conflicts", sides))
}

/// A hash of what waits in a draft and of what it is compared with.
fn state_of(draft: &Draft) -> String {
    let files: BTreeMap<&str, String> = draft
        .overlay
        .files
        .iter()
        .map(|(path, file)| {
            let told = match file {
                PlannedFile::Bytes(planned) => format!(
                    "bytes {:?} {}",
                    planned.origin,
                    crate::digest::sha256(&planned.bytes)
                ),
                PlannedFile::From(origin) => format!("from {origin}"),
                PlannedFile::Gone => "gone".to_owned(),
            };
            (path.as_str(), told)
        })
        .collect();
    let bases = draft.bases.iter();
    let bases: BTreeMap<&str, String> = bases
        .map(|(path, base)| (path.as_str(), crate::digest::hexadecimal(&base.sha256)))
        .collect();
    let folders: BTreeMap<&str, bool> = draft
        .overlay
        .folders
        .iter()
        .map(|(path, exists)| (path.as_str(), *exists))
        .collect();
    crate::digest::sha256(json!([files, bases, folders]).to_string().as_bytes())
}

/// The parameters for the envelope and the records. The comment is in the draft.
fn params(review: &Review) -> Map<String, Value> {
    let text =
        |key: &str, value: Option<&String>| value.map(|value| (key.to_owned(), json!(value)));
    let hunks = (!review.hunks.is_empty()).then(|| ("hunk".to_owned(), json!(review.hunks)));
    [
        text("draft", Some(&review.draft)),
        text("note", review.note.as_ref()),
        hunks,
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The answer to a review.
fn report(review: &Review, dry_run: bool, id: Uuid, files: &[String], draft: &Draft) -> Produced {
    let (done, would) = if review.accept {
        ("Accepted", "Would accept")
    } else {
        ("Rejected", "Would reject")
    };
    let word = if dry_run { would } else { done };
    let mut text = format!("{word} in draft {}:\n", short_id(id));
    for file in files {
        text += &format!("  {}\n", cli_output::shown::row(file));
    }
    let waiting = draft.waiting();
    if !dry_run && waiting > 0 {
        let left = cli_output::plural::count(waiting, "file");
        text += &format!("Left in the draft: {left}.\n");
    }
    let data = json!({
        "draft": id,
        "accepted": review.accept,
        "dryRun": dry_run,
        "files": files,
        "waiting": waiting,
    });
    let data = match data {
        Value::Object(data) => data,
        _ => Map::new(),
    };
    Produced {
        exact_text: Some(text.into_bytes()),
        outcome: Ok(Payload::Facts(Facts {
            data,
            is_partial: false,
        })),
        ..Produced::default()
    }
}
