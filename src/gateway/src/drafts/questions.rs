//! `draft:show`, `draft:status` and `draft:withdraw`: an agent reads its own draft, and removes changes from it. An
//! agent never accepts.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use line_diff::numbered_diff;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;
use vault_answers::AnswerData;
use vault_engine::VaultPath;

use super::Drafts;
use super::groups::{ChangeGroup, closed_choice, groups};
use super::links::DraftLinks;
use super::merged::ConflictKind;
use super::parts::{self, DraftPart, WHOLE};
use super::waiting::{ConflictSides, in_seconds};
use super::{CurrentDraft, as_in_the_folder, refuse_while_interrupted};
use crate::about::BuiltIn;
use allowlist::{RawValue, nearest};
use backend::PinnedVault;
use changes::{
    Control, EnvelopeBuilder, Happening, Params, Request, file_change::change_line,
    findings::Finding,
};
use protocol::{Code, Deadline, Failure, for_person, message};
use store::drafts::ReviewAnswer;

/// The names of these questions in requests. No official command has these names.
pub const DRAFT_QUESTIONS: [&str; 3] = ["draft:show", STATUS, WITHDRAW];
/// The question about what waits and what a person answered.
pub(crate) const STATUS: &str = "draft:status";
/// The question that changes the draft.
pub(crate) const WITHDRAW: &str = "draft:withdraw";
/// The maximum number of bytes of diffs in one answer.
const MOST_DIFF: usize = 64 * 1024;

/// A question about the caller's draft, with its checked parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DraftQuestion {
    /// The changes of the draft, as diffs; to one note or to all.
    Show {
        /// The note.
        path: Option<VaultPath>,
    },
    /// The waiting changes, and the answers of a person.
    Status,
    /// Removes changes from the draft.
    Withdraw {
        /// The note; `None` for all notes.
        path: Option<VaultPath>,
        /// The numbers of its hunks; empty for all.
        hunks: BTreeSet<usize>,
    },
}

impl DraftQuestion {
    /// Parses the question of a request; `None` if the request is another one.
    pub(crate) fn parse(request: &Request) -> Option<Result<Self, Failure>> {
        let params = &request.params;
        match request.command.as_str() {
            "draft:show" => Some(path_of("draft:show", params).map(|path| Self::Show { path })),
            STATUS => Some(BuiltIn::check(STATUS, params).map(|()| Self::Status)),
            WITHDRAW => Some(withdraw(params)),
            _ => None,
        }
    }

    /// Returns the name of the question in requests.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Show { .. } => "draft:show",
            Self::Status => STATUS,
            Self::Withdraw { .. } => WITHDRAW,
        }
    }

    /// Returns the parsed parameters, for the envelope and the log.
    pub(crate) fn params(&self) -> Map<String, Value> {
        let (path, hunks) = match self {
            Self::Show { path } => (path.as_ref(), None),
            Self::Status => (None, None),
            Self::Withdraw { path, hunks } => (path.as_ref(), Some(hunks)),
        };
        let path = path.map(|path| ("path".to_owned(), json!(path.as_str())));
        let hunks = hunks.filter(|hunks| !hunks.is_empty());
        let hunks = hunks.map(|hunks| ("hunk".to_owned(), json!(hunks)));
        let all = matches!(self, Self::Withdraw { path: None, .. });
        let all = all.then(|| ("all".to_owned(), json!(true)));
        path.into_iter().chain(hunks).chain(all).collect()
    }
}

/// The change that a draft makes to one file.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DraftedFile {
    /// The path in the draft; of a file that is removed, the one in the vault.
    pub path: String,
    /// The kind of change.
    pub change: Happening,
    /// The path in the vault, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The numbers of its hunks. 0 is the note as a whole: that it is new, removed or renamed.
    pub hunks: Vec<usize>,
    /// Whether a person changed it in the vault at the same place.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub conflict: bool,
    /// New content that is active when the file is opened or published.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// The change as a unified diff with the numbers of the hunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Number of hunks that do not fit into the diff.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde calls"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl DraftedFile {
    /// Returns the file without findings and with a diff of at most `most` bytes; without one if that is 0.
    pub(crate) fn from_part(part: &DraftPart, is_conflict: bool, most: usize) -> Self {
        let diff = part.texts.as_ref().filter(|_| most > 0);
        // The only hunk of a new or removed note is the note as a whole.
        let first = part.numbers().last().map_or(WHOLE, |last| (*last).min(1));
        let diff =
            diff.map(|(before, after)| numbered_diff(before, after, (&part.hunks, first), most));
        let left_out = diff
            .as_ref()
            .map_or(0, |(_, shown)| part.hunks.len() - shown);
        Self {
            path: part.path.to_string(),
            change: part.change,
            from: part.from.as_ref().map(ToString::to_string),
            hunks: part.numbers().into_iter().collect(),
            conflict: is_conflict,
            findings: Vec::new(),
            diff: diff.map(|(diff, _)| diff).filter(|diff| !diff.is_empty()),
            left_out,
        }
    }

    /// Returns one line for people: the kind of change and the file.
    pub fn line(&self) -> String {
        let line = change_line(self.change, self.from.as_deref(), &self.path);
        let conflict = if self.conflict { "  (conflict)" } else { "" };
        line + conflict
    }
}

/// The answer of a person about a part of a draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DraftAnswer {
    /// The note.
    pub path: String,
    /// Its part: the first lines of the hunk, or `new note`, `removal`, `rename`, or `text` if the person accepted the
    /// note with changes of their own.
    pub what: String,
    /// Whether it was accepted. If not, it was rejected, or its acceptance was undone.
    pub accepted: bool,
    /// Whether the person undid the acceptance.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
    /// The person's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The person's changes of the drafted text, which is accepted with them, as a unified diff. Read the note for all
    /// of its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited: Option<String>,
    /// When, RFC 3339 in UTC.
    pub at: String,
}

impl From<&ReviewAnswer> for DraftAnswer {
    fn from(answer: &ReviewAnswer) -> Self {
        Self {
            path: answer.path.to_string(),
            what: answer.what.clone(),
            accepted: answer.accepted,
            undone: answer.undone,
            comment: answer.comment.clone(),
            edited: answer.edited.clone(),
            at: in_seconds(answer.at),
        }
    }
}

/// The answer to a question about a draft.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DraftReport {
    /// The id of the draft; absent if nothing waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft: Option<Uuid>,
    /// Number of files and folders that wait for a person.
    pub waiting: usize,
    /// These files.
    pub files: Vec<DraftedFile>,
    /// Changes that a person accepts or rejects together, and that are withdrawn together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<ChangeGroup>,
    /// Both texts of files that a person changed at the same place; only with the diffs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<BothSides>,
    /// The answers of a person about parts that are no longer in the draft, the latest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<DraftAnswer>,
}

/// A file of a draft that is in conflict with the vault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BothSides {
    /// The path of the file in the draft.
    pub path: String,
    /// The reason why the changes cannot be merged.
    pub reason: &'static str,
    /// The places where the draft and the vault differ, with both texts.
    pub sides: Vec<ConflictSides>,
}

impl AnswerData for DraftReport {}

impl DraftReport {
    /// Returns the report as text.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        for file in &self.files {
            text += &file.line();
            text.push('\n');
            for finding in &file.findings {
                let _infallible = writeln!(text, "{}", finding.line());
            }
            text += file.diff.as_deref().unwrap_or_default();
            if file.left_out > 0 {
                let _infallible = writeln!(text, "({} more hunks)", file.left_out);
            }
        }
        for group in &self.groups {
            let notes = group.members.iter();
            let notes: Vec<_> = notes
                .map(|member| vault_engine::shown::row(&member.note))
                .collect();
            let _infallible = writeln!(
                text,
                "Together: {} ({})",
                notes.join(", "),
                group.in_words()
            );
        }
        for conflict in &self.conflicts {
            text += &conflict.to_text();
        }
        if self.files.is_empty() {
            text += "The draft is empty.\n";
        }
        for answer in &self.answers {
            let word = match (answer.accepted, &answer.edited) {
                (true, Some(_)) => "accepted with changes of the person",
                (true, None) => "accepted",
                (false, _) if answer.undone => "undone after it was accepted",
                (false, _) => "rejected",
            };
            let path = vault_engine::shown::row(&answer.path);
            let mut lines = answer.what.lines();
            let has_text = |line: &&str| !line.trim_start_matches(['+', '-']).trim().is_empty();
            let what = lines.find(has_text).unwrap_or_default();
            let what = vault_engine::shown::row(what).into_owned();
            let comment = answer
                .comment
                .as_ref()
                .map(|comment| format!(": {comment}"));
            let _infallible = writeln!(
                text,
                "{word}  {path}  {what}{}",
                comment.unwrap_or_default()
            );
            text += answer.edited.as_deref().unwrap_or_default();
        }
        text
    }
}

impl Drafts<'_> {
    /// Answers a question of an agent about its own draft.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` for a person, who has no draft; `NOT_FOUND` codes if the draft has no such note.
    pub(crate) fn answer_question(
        &self,
        question: &DraftQuestion,
        open: impl FnOnce(&mut EnvelopeBuilder) -> Result<PinnedVault, Failure>,
        (control, deadline): (&Control, Deadline),
        trace: &mut EnvelopeBuilder,
    ) -> Result<DraftReport, Failure> {
        if self.caller.is_person() {
            return Err(Code::UsageError
                .failure("Only agents have drafts.")
                .hint(for_person(
                    "As a person, review drafts with `vault-gw review`. To see the draft of an \
                    agent, add `--agent NAME`.",
                )));
        }
        let vault = open(trace)?;
        trace.opened(&vault, self.vaults.instead_of_set(&vault));
        let folder = as_in_the_folder(vault);
        let earlier = self.records.journal_of(&folder)?.earlier_issue()?;
        trace.envelope.warnings.extend(earlier);
        let report = self.report_on(question, &folder, (control, deadline), trace)?;
        self.labels
            .label_by_names(question.name(), &folder, &report)?;
        Ok(report)
    }

    fn report_on(
        &self,
        question: &DraftQuestion,
        folder: &PinnedVault,
        (control, deadline): (&Control, Deadline),
        trace: &mut EnvelopeBuilder,
    ) -> Result<DraftReport, Failure> {
        match question {
            DraftQuestion::Status => self.report(folder, None, 0),
            DraftQuestion::Show { path } => self.report(folder, path.as_ref(), MOST_DIFF),
            DraftQuestion::Withdraw { path, hunks } => {
                let now = self.caller.now();
                let lock = self
                    .records
                    .lock(folder, deadline, &control.cancel, &now, trace)?;
                refuse_while_interrupted(&lock)?;
                let Some(mut current) = self.whole_draft(folder)? else {
                    return Err(nothing_waits());
                };
                let parts = self.visible_parts(folder, &current)?;
                let named: Vec<&DraftPart> = match path {
                    Some(path) => vec![part_at(&parts, path)?],
                    None => parts.iter().collect(),
                };
                let named = named.into_iter();
                let named = named.map(|part| (part.path.to_string(), hunks.clone()));
                let (all, _, groups) = groups_of(&current, folder)?;
                let taken = closed_choice(&all, &groups, &named.collect())?;
                parts::take_out(&mut current.draft, &taken)?;
                current.draft.changed = now.timestamp();
                lock.keep_draft(&current.draft)?;
                self.labels.forget_labels_of(&lock, &current.draft)?;
                self.report(folder, None, 0)
            }
        }
    }

    /// Reports what waits in the draft of this caller, as far as the caller may see it.
    fn report(
        &self,
        folder: &PinnedVault,
        path: Option<&VaultPath>,
        most: usize,
    ) -> Result<DraftReport, Failure> {
        let agent = self.caller.agent();
        let stored = self.records.journal_of(folder)?.draft(agent)?;
        let answers = stored.iter().flat_map(|draft| &draft.answers);
        let answers = answers.filter(|answer| self.caller.policy.may_read(&answer.path));
        let mut answers: Vec<DraftAnswer> = answers.map(DraftAnswer::from).collect();
        if answers.iter().any(|answer| answer.edited.is_some()) && self.caller.sight.is_some() {
            // The person's text may be in a note that a rule about its text closes.
            let present = folder.clone().limited_to(self.caller.sight.as_ref())?;
            let is_open =
                |path: &str| VaultPath::file(path).is_ok_and(|path| present.engine.sees(&path));
            for answer in answers.iter_mut().filter(|answer| !is_open(&answer.path)) {
                answer.edited = None;
            }
        }
        let Some(current) = self.whole_draft(folder)? else {
            return match path {
                Some(_) => Err(nothing_waits()),
                None => Ok(DraftReport {
                    answers,
                    ..DraftReport::default()
                }),
            };
        };
        let parts = self.visible_parts(folder, &current)?;
        let waiting = parts.len();
        let (_, links, mut groups) = groups_of(&current, folder)?;
        // A group with a file that a person has closed since is not shown.
        groups.retain(|group| {
            let is_seen = |note: &str| parts.iter().any(|part| part.path.as_str() == note);
            let is_about = |path: &VaultPath| group.hunks_of(path.as_str()).is_some();
            group.members.iter().all(|member| is_seen(&member.note)) && path.is_none_or(is_about)
        });
        let parts = match path {
            Some(path) => vec![part_at(&parts, path)?.clone()],
            None => parts,
        };
        let mut left = most;
        let files = parts.iter().map(|part| {
            let is_conflict = current.standing.is_conflict(&part.path);
            let file = DraftedFile {
                findings: part.findings(links.as_ref()),
                ..DraftedFile::from_part(part, is_conflict, left)
            };
            left = left.saturating_sub(file.diff.as_ref().map_or(0, String::len));
            file
        });
        let files = files.collect();
        let in_conflict = parts.iter().filter(|_| most > 0);
        let in_conflict = in_conflict.filter_map(|part| {
            let conflict = current.standing.conflict(&part.path)?;
            Some(BothSides {
                path: part.path.to_string(),
                reason: conflict.kind.reason(),
                // The agent may not know what is at the path of its new file.
                sides: match conflict.kind {
                    ConflictKind::Taken(_) => Vec::new(),
                    _ => conflict.kind.sides(),
                },
            })
        });
        Ok(DraftReport {
            conflicts: in_conflict.collect(),
            groups,
            files,
            draft: Some(current.draft.id),
            waiting,
            answers: if most == 0 { answers } else { Vec::new() },
        })
    }

    /// Returns the draft of this caller with all of its contents.
    fn whole_draft(&self, folder: &PinnedVault) -> Result<Option<CurrentDraft>, Failure> {
        let current = self.current_draft(folder, None)?;
        current
            .iter()
            .try_for_each(|current| current.draft.read_contents())?;
        Ok(current)
    }

    /// Returns the parts of a draft whose files the caller may see, both in the draft and in the vault.
    pub(super) fn visible_parts(
        &self,
        folder: &PinnedVault,
        current: &CurrentDraft,
    ) -> Result<Vec<DraftPart>, Failure> {
        let mut parts = parts::parts(&current.draft);
        if self.caller.sight.is_none() {
            return Ok(parts);
        }
        let (view, _) = self.seen_through(folder.clone(), current)?;
        let view = view.limited_to(self.caller.sight.as_ref())?;
        let present = folder.clone().limited_to(self.caller.sight.as_ref())?;
        parts.retain(|part| {
            // A file at the path of a new folder is another one.
            if part.change == Happening::FolderMade {
                return self.caller.policy.may_list(&part.path);
            }
            let origin = part.from.as_ref().unwrap_or(&part.path);
            let was_open = part.change == Happening::Created
                || !folder.engine.is_there(origin)
                || present.engine.sees(origin);
            was_open && view.engine.sees(&part.path)
        });
        Ok(parts)
    }
}

/// The parts of a draft, their links, and the parts that belong together.
type GroupedParts = (Vec<DraftPart>, Option<DraftLinks>, Vec<ChangeGroup>);

/// Returns the parts of a draft with their links and groups.
fn groups_of(current: &CurrentDraft, folder: &PinnedVault) -> Result<GroupedParts, Failure> {
    let parts = parts::parts(&current.draft);
    let links = DraftLinks::of_draft(&parts, &current.draft, (&folder.engine, None))?;
    let groups = groups(&current.draft, &parts, links.as_ref());
    Ok((parts, links, groups))
}

fn part_at<'p>(parts: &'p [DraftPart], path: &VaultPath) -> Result<&'p DraftPart, Failure> {
    let found = parts.iter().find(|part| part.path == *path);
    found.ok_or_else(|| {
        let names = parts.iter().map(|part| part.path.as_str());
        Code::FileNotFound
            .failure(format!("`{path}` is not in the draft."))
            .hint(message!("{draft:status} lists the files in the draft."))
            .with("path", path.as_str())
            .with("nearest", nearest(path.as_str(), names))
    })
}

fn nothing_waits() -> Failure {
    let failure = Code::FileNotFound.failure("The draft is empty.");
    failure.hint(message!(
        "{draft:status} lists the changes that a person accepted or rejected."
    ))
}

fn withdraw(params: &Params) -> Result<DraftQuestion, Failure> {
    BuiltIn::check(WITHDRAW, params)?;
    let given = |key: &str| params.given().find(|(name, _)| *name == key);
    let path = given("path").map(|(_, value)| note(value)).transpose()?;
    let all = given("all").is_some_and(|(_, value)| value.as_switch() == Some(true));
    let hunks = given("hunk").map(|(_, value)| numbers(value)).transpose()?;
    if path.is_some() == all || (all && hunks.is_some()) {
        return Err(usage(
            "Pass `path` to withdraw the changes to one note, and `hunk` to withdraw only some of its hunks. To withdraw the whole draft, set `all` instead.",
        ));
    }
    Ok(DraftQuestion::Withdraw {
        path,
        hunks: hunks.unwrap_or_default(),
    })
}

fn path_of(question: &str, params: &Params) -> Result<Option<VaultPath>, Failure> {
    BuiltIn::check(question, params)?;
    let mut given = params.given();
    given.next().map(|(_, value)| note(value)).transpose()
}

fn note(value: &RawValue) -> Result<VaultPath, Failure> {
    let RawValue::Text(text) = value else {
        return Err(usage("`path` must be the path of a note."));
    };
    VaultPath::file(text).map_err(|_| usage("`path` must be a path inside the vault."))
}

/// Parses one number or a list of numbers, also from text, as a command line has it.
fn numbers(value: &RawValue) -> Result<BTreeSet<usize>, Failure> {
    let wrong = || usage("`hunk` must be the number of a hunk, or a list of such numbers.");
    let items: Vec<Value> = match value {
        RawValue::List(items) => items.clone(),
        RawValue::Text(text) => text.split(',').map(|word| json!(word.trim())).collect(),
        RawValue::Number(number) => vec![json!(number)],
        _ => return Err(wrong()),
    };
    let number = |item: &Value| match item {
        Value::String(text) => text.parse().ok(),
        other => other
            .as_u64()
            .and_then(|number| usize::try_from(number).ok()),
    };
    let numbers: Option<BTreeSet<usize>> = items.iter().map(number).collect();
    numbers
        .filter(|numbers| !numbers.is_empty())
        .ok_or_else(wrong)
}

fn usage(message: &str) -> Failure {
    Code::UsageError.failure(message)
}
