//! Labels the caller of an answer that contains text of a labelled note.
//!
//! Most answers know their sources: the file of each part. If no source is labelled, the answer is clean; if only
//! paths of labelled notes are among them, these are replaced. Any other answer (unknown sources, text of a labelled
//! note, a failure, a warning that is not about one note, a ledger that changed meanwhile) is compared with the answer
//! that the vault would give without its labelled notes: a string or field name that the other lacks labels the agent.
//! Numbers, dates and hashes do not count. A refused change is compared in the same way, including its findings of
//! active content. An answer of the app is compared with the engine's; if only the app can answer, every name of a
//! labelled note counts.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::SignedDuration;
use serde::Serialize;
use serde_json::Value;
use vault_answers::Source;
use vault_engine::{IndexedVault, Sight, VaultPath};

use super::names::{named_harmlessly, with_harmless_names, with_names_replaced};
use super::{LabelView, Labels};
use crate::aimed::OpenedVault;
use crate::error::Error;
use crate::pass::failure_of;

use allowlist::Call;
use backend::{Produced, embedded};
use changes::{Backend, EnvelopeBuilder, later_part::is_past_the_end};
use protocol::{Code, Failure, Issue, digest::from_hexadecimal};
use store::labels;

/// Number of times that answers are checked again while an agent stays labelled.
const LOOKS: i32 = 24;
/// The maximum number of files of an answer whose labels are looked up without the index.
const FEW_SOURCES: usize = 16;

/// The warnings about one note, at whose path it is.
const OF_ONE_NOTE: [&str; 6] = [
    "HITS_LEFT_OUT",
    "INVALID_FRONTMATTER",
    "NESTED_TOO_DEEP",
    "NOTE_TOO_LARGE",
    "NOTE_UNREADABLE",
    "NOT_UTF8",
];

/// Answers a call again, on the vault as it was opened with another sight.
pub(crate) type Again<'call> = &'call dyn Fn(&OpenedVault<'_>) -> Result<Produced, Failure>;

/// A result compared with the result of the vault without its labelled notes.
enum Compared {
    /// It has no text of labelled notes.
    Clean,
    /// It has only names of labelled notes. This is the result with harmless names instead.
    Names(Box<Result<Produced, Failure>>),
    /// It has text of a labelled note: of this one, if it is known.
    Text(Option<String>),
}

impl Labels<'_> {
    /// Labels the caller if the answer to a read, or its failure, has a text that the vault without its
    /// labelled notes would not give. `note` is the note that the call was about, `before` the ledger before the
    /// answer.
    pub(crate) fn label_by_read(
        &self,
        call: &Call,
        opened: &OpenedVault<'_>,
        (before, view): (Option<Arc<labels::Labels>>, &Arc<LabelView>),
        (note, result): (Option<&VaultPath>, &mut Result<Produced, Failure>),
        again: Again<'_>,
    ) -> Result<(), Failure> {
        // It has numbers alone.
        if failure_of(result).is_some_and(is_past_the_end) {
            return Ok(());
        }
        if !self.is_to_be_looked_at(&view.labels) {
            if note.is_some_and(|note| view.is_labelled(note, None)) {
                self.keep_contents(opened, view);
            }
            return Ok(());
        }
        leave_out_warnings(result, view);
        let by_sources = if before.as_ref() == Some(&view.labels) {
            self.compared_by_sources(call, opened, view, (note, result))?
        } else {
            None
        };
        let compared = match by_sources {
            Some(compared) => compared,
            None => self.compared(call, opened, view, (note, result), again)?,
        };
        self.keep_contents(opened, view);
        match compared {
            Compared::Clean => Ok(()),
            Compared::Names(harmless) => {
                // An agent that is restricted already gets the names.
                if !self.caller.is_labelled() {
                    *result = *harmless;
                }
                Ok(())
            }
            Compared::Text(note) => self.label_caller(&opened.vault, &call.command.id, note),
        }
    }

    /// Labels the caller of a change whose answer or failure has a text that the change would not give without the
    /// labelled notes, or the name of a labelled note. The plan was checked before.
    pub(crate) fn label_by_outcome(
        &self,
        call: &Call,
        opened: &OpenedVault<'_>,
        result: &mut Result<Produced, Failure>,
        trace: &EnvelopeBuilder,
        again: Again<'_>,
    ) -> Result<(), Failure> {
        let Some(view) = self.view_of_caller(&opened.vault)? else {
            return Ok(());
        };
        if !self.is_to_be_looked_at(&view.labels) {
            return Ok(());
        }
        leave_out_warnings(result, &view);
        if self.caller.hides_names()
            && failure_of(result).is_some_and(|failure| failure.code == Code::FileExists)
            && let Some(said) = named_harmlessly(call)
        {
            *result = Err(Error::Exists(said).into());
            return Ok(());
        }
        let failure = failure_of(result);
        // The details are from the plan.
        let needs_approval = failure.is_some_and(|failure| failure.code == Code::ApprovalRequired);
        let mut given = if needs_approval {
            BTreeSet::new()
        } else {
            texts_of(result)
        };
        given.retain(|text| from_hexadecimal(text).is_none());
        let command = &call.command.id;
        given.retain(|text| !VaultPath::file(text).is_ok_and(|path| is_named_by(call, &path)));
        let named = named_in(&given, &view);
        if let Some(named) = named.filter(|_| !self.caller.hides_names() || failure.is_none()) {
            return self.label_caller(&opened.vault, command, Some(named));
        }
        // A change that was made cannot be planned again, and its plan was checked before.
        let is_compared = failure.is_some() && trace.plan_is_compared;
        let is_plan = result.as_ref().is_ok_and(|produced| produced.is_of_gateway);
        let has_changed = !trace.envelope.meta.changes.is_empty();
        if has_changed || is_compared || needs_approval || is_plan {
            return Ok(());
        }
        let sight = self.sight_to_compare(&view, result);
        let clean = opened.by_the_engine(sight);
        let clean = again(&clean);
        if given.is_subset(&texts_of(&clean)) {
            return Ok(());
        }
        if self.caller.hides_names() && fails_alike(result, &clean) {
            *result = clean;
            return Ok(());
        }
        self.label_caller(&opened.vault, command, None)
    }

    /// Returns the sight for the answer that this one is compared with.
    fn sight_to_compare(
        &self,
        view: &Arc<LabelView>,
        result: &Result<Produced, Failure>,
    ) -> Arc<dyn Sight> {
        match failure_of(result) {
            Some(_) => self.sight_without_labelled_names(view),
            None => self.sight_without_labelled(view),
        }
    }

    /// Labels the caller of a call whose failure or report names labelled notes: suggestions, a draft, copies.
    pub(crate) fn label_by_names(
        &self,
        command: &str,
        opened: &backend::PinnedVault,
        shown: &impl Serialize,
    ) -> Result<(), Failure> {
        let Some(view) = self.view_of_caller(opened)? else {
            return Ok(());
        };
        match named_in(&texts(shown), &view) {
            Some(note) => self.label_caller(opened, command, Some(note)),
            None => Ok(()),
        }
    }

    /// Removes issues that name labelled notes, or labels the caller if the settings say so.
    pub(crate) fn leave_out_labelled(
        &self,
        command: &str,
        opened: &backend::PinnedVault,
        issues: &mut Vec<Issue>,
    ) -> Result<(), Failure> {
        if !self.caller.hides_names() || self.caller.is_labelled() {
            return self.label_by_names(command, opened, issues);
        }
        if let Some(view) = self.view_of_caller(opened)? {
            issues.retain(|issue| named_in(&texts(issue), &view).is_none());
        }
        Ok(())
    }

    /// Whether the caller can still become labelled. One that is labelled already is looked at only now and
    /// then, to see when it last got such text.
    pub(super) fn is_to_be_looked_at(&self, labels: &labels::Labels) -> bool {
        let Some(taint) = self.labels_callers() else {
            return false;
        };
        let now = self.caller.now().timestamp();
        let label = taint.label_of(self.caller.agent(), labels, now);
        let pause = taint.keep / LOOKS;
        label.is_none_or(|label| now.duration_since(label.latest) > pause.max(SignedDuration::ZERO))
    }

    /// Decides by the sources of an answer, without a second answer; `None` if they are not enough.
    fn compared_by_sources(
        &self,
        call: &Call,
        opened: &OpenedVault<'_>,
        view: &Arc<LabelView>,
        (note, result): (Option<&VaultPath>, &Result<Produced, Failure>),
    ) -> Result<Option<Compared>, Failure> {
        let Ok(
            produced @ Produced {
                outcome: Ok(Some(answer)),
                is_of_gateway: false,
                ..
            },
        ) = result
        else {
            return Ok(None);
        };
        // The app fills in the name of the active note.
        let is_filled_in = call.arguments.flags.contains("resolve");
        let is_bare = produced.violations.is_empty() && produced.advice.is_empty();
        let sources = answer.sources().filter(|_| is_bare && !is_filled_in);
        let warned: Option<Vec<Source<'_>>> = produced.warnings.iter().map(source_of).collect();
        let (Some(mut sources), Some(warned)) = (sources, warned) else {
            return Ok(None);
        };
        sources.extend(warned);
        // The index knows which of many notes a property labels.
        let unlabelled = if sources.len() > FEW_SOURCES && !view.rules.is_empty() {
            let sight = self.sight_without_labelled(view);
            Some(opened.vault.clone().limited_to(Some(&sight))?.engine)
        } else {
            None
        };
        let is_labelled = |path: &VaultPath| match &unlabelled {
            _ if sources.len() <= FEW_SOURCES => view.is_labelled(path, None),
            Some(unlabelled) => !unlabelled.sees(path),
            None => view.by_path(path),
        };
        if note.is_some_and(&is_labelled) {
            return Ok(None);
        }
        let mut names = BTreeSet::new();
        for source in &sources {
            let path = match source {
                Source::Name(path) | Source::Text(path) => path,
                Source::Target if note.is_some() => continue,
                Source::Target => return Ok(None),
            };
            let Ok(file) = VaultPath::file(path) else {
                return Ok(None);
            };
            if !is_labelled(&file) {
                continue;
            }
            match source {
                Source::Name(_) if self.caller.hides_names() => {
                    names.insert(*path);
                }
                // Other notes may have the same text.
                _ => return Ok(None),
            }
        }
        if names.is_empty() {
            return Ok(Some(Compared::Clean));
        }
        let harmless = self.harmless_names_of(&opened.vault, view)?;
        let shown = with_names_replaced(produced.clone(), call, &harmless, &names);
        Ok(Some(Compared::Names(Box::new(Ok(shown)))))
    }

    /// Compares the result with the result of the vault without its labelled notes.
    fn compared(
        &self,
        call: &Call,
        opened: &OpenedVault<'_>,
        view: &Arc<LabelView>,
        (note, result): (Option<&VaultPath>, &Result<Produced, Failure>),
        again: Again<'_>,
    ) -> Result<Compared, Failure> {
        let labelled = |path: &VaultPath| view.is_labelled(path, None);
        let about = note.filter(|note| labelled(note));
        // A failure may say no more than the path that the agent named.
        if let Some(note) = about.filter(|_| failure_of(result).is_none()) {
            return Ok(Compared::Text(Some(note.to_string())));
        }
        let given = texts_of(result);
        let sight = self.sight_to_compare(view, result);
        // Also a name in a file of the app, such as its bookmarks.
        let is_labelled_name = |text: &str| {
            VaultPath::file(text)
                .is_ok_and(|path| view.is_labelled_name(&path) && !is_named_by(call, &path))
        };
        let named = || given.iter().find(|text| is_labelled_name(text)).cloned();
        if !self.caller.hides_names()
            && let Some(named) = named()
        {
            return Ok(Compared::Text(Some(named)));
        }
        // Only the engine can answer with another sight.
        let clean = embedded::serves(&call.command.id).then(|| again(&opened.by_the_engine(sight)));
        let Some(clean) = clean else {
            let named = named().or_else(|| named_by(&given, opened, view));
            return Ok(named.map_or(Compared::Clean, |named| Compared::Text(Some(named))));
        };
        let mut known = texts_of(&clean);
        if self.caller.hides_names() {
            // The clean answer may have no item, so it has not the fields of one.
            known.extend(texts(&call.command.output.schema().to_value()));
        }
        let is_new =
            |text: &str| !known.contains(text) && !carries_no_text(text) || is_labelled_name(text);
        let new: BTreeSet<&str> = given
            .iter()
            .map(String::as_str)
            .filter(|text| is_new(text))
            .collect();
        if new.is_empty() {
            return Ok(Compared::Clean);
        }
        if self.caller.hides_names() {
            let harmless = if fails_alike(result, &clean) {
                Some(clean)
            } else {
                let harmless = self.harmless_names_of(&opened.vault, view)?;
                let produced = result.as_ref().ok().cloned();
                produced
                    .and_then(|produced| with_harmless_names(produced, call, &harmless, &new))
                    .map(Ok)
            };
            if let Some(harmless) = harmless {
                return Ok(Compared::Names(Box::new(harmless)));
            }
        }
        let mut new = new.into_iter();
        let note = new.find(|text| VaultPath::file(text).is_ok_and(|path| labelled(&path)));
        let note = note
            .map(str::to_owned)
            .or_else(|| about.map(VaultPath::to_string));
        Ok(Compared::Text(note))
    }

    /// Lets the ledger know the contents of labelled files, to find them where somebody moves them. The answer
    /// does not depend on it.
    fn keep_contents(&self, opened: &OpenedVault<'_>, view: &LabelView) {
        let new = view.new_contents(self.caller.now().timestamp());
        if new.is_empty() || self.caller.state_folder().is_err() {
            return;
        }
        let kept = self
            .records
            .journal_of(&opened.vault)
            .and_then(|journal| journal.change_labels(|labels| labels.notes.extend(new)));
        if let Err(failure) = kept {
            tracing::warn!(
                code = failure.code.name(),
                "the contents of labelled notes are not kept"
            );
        }
    }
}

/// Returns the labelled file that an answer of the app names, by its path or by its name.
fn named_by(
    given: &BTreeSet<String>,
    opened: &OpenedVault<'_>,
    view: &LabelView,
) -> Option<String> {
    if !matches!(opened.choice.backend, Backend::Obsidian(_)) {
        return None;
    }
    let root = VaultPath::root();
    let names = IndexedVault(&opened.vault.engine).names_below(&root).ok()?;
    let labelled = names.files.iter().map(|file| &file.path);
    let mut labelled = labelled.filter(|path| view.is_labelled(path, None));
    let is_named = |path: &&VaultPath| {
        let name = path.name();
        let stem = name.strip_suffix(".md").unwrap_or(name);
        given.iter().any(|text| text.contains(stem))
    };
    labelled.find(is_named).map(VaultPath::to_string)
}

/// Returns the note that all text of a warning comes from, if it is only one.
fn source_of(warning: &Issue) -> Option<Source<'_>> {
    let path = warning
        .path
        .as_deref()
        .filter(|_| warning.details.is_empty());
    path.filter(|_| OF_ONE_NOTE.contains(&warning.code))
        .map(Source::Text)
}

/// Whether the caller named the path itself, so that it learns nothing from it.
fn is_named_by(call: &Call, path: &VaultPath) -> bool {
    let text = path.as_str();
    let without_extension = text.strip_suffix(".md").unwrap_or(text);
    call.paths()
        .iter()
        .any(|(_, named)| [text, without_extension].contains(&named.as_str()))
}

/// Returns the first of these texts that is the path of a labelled note.
fn named_in(shown: &BTreeSet<String>, view: &LabelView) -> Option<String> {
    let is_labelled = |text: &&String| {
        VaultPath::file(text)
            .is_ok_and(|path| view.is_labelled(&path, None) || view.is_labelled_name(&path))
    };
    shown.iter().find(is_labelled).cloned()
}

/// Removes warnings that name labelled notes, such as one whose properties cannot be read, or a note of the same
/// name: no answer depends on them.
fn leave_out_warnings(result: &mut Result<Produced, Failure>, view: &LabelView) {
    if let Ok(produced) = result {
        produced
            .warnings
            .retain(|warning| named_in(&texts(warning), view).is_none());
    }
}

/// Whether both failed for the same reason. Then they differ in what they suggest.
fn fails_alike(result: &Result<Produced, Failure>, other: &Result<Produced, Failure>) -> bool {
    let failures = failure_of(result).zip(failure_of(other));
    failures.is_some_and(|(failure, other)| failure.code == other.code)
}

/// Whether the text can only be a number, a date, a time or a hash.
fn carries_no_text(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_digit() || b"-:.+TZ ".contains(&byte);
    text.bytes().all(is_plain) || from_hexadecimal(text).is_some()
}

/// Returns the texts of an answer: its strings and the names of its fields, which may be names of properties.
fn texts_of(result: &Result<Produced, Failure>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if let Ok(produced) = result {
        for issues in [&produced.warnings, &produced.violations, &produced.advice] {
            found.extend(texts(issues));
        }
        match &produced.outcome {
            Ok(Some(answer)) => found.extend(texts(answer)),
            Ok(None) => {
                found.extend(produced.stdout.text().text.lines().map(str::to_owned));
            }
            Err(_) => {}
        }
    }
    if let Some(failure) = failure_of(result) {
        found.insert(failure.to_string());
        found.extend(texts(&failure.details));
    }
    found
}

/// Returns all strings and names of fields of a value.
pub(super) fn texts(value: &impl Serialize) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if let Ok(value) = serde_json::to_value(value) {
        collect(value, &mut found);
    }
    found
}

fn collect(value: Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            found.insert(text);
        }
        Value::Array(items) => items.into_iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => {
            for (name, value) in fields {
                found.insert(name);
                collect(value, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
