//! Finds all mistakes of a failed call, so that one answer is enough to correct it: besides the
//! failure itself, these are missing notes, folders, tags and places that the call names. Only
//! files that the caller may see are looked up, and only if the policy allows the call (`threats.toml`
//! D13).

use std::collections::BTreeMap;
use std::sync::Arc;

use cli_output::Shape;
use serde_json::{Value as Json, json};
use vault_answers::Answer;
use vault_engine::{Arg, Args, EngineError, ReadNotes, Sight, VaultPath, shown};

use crate::nearby::query_faults;
use crate::pass::Pipeline;
use crate::written_name;
use crate::{nearby, target};
use allowlist::{Call, Catalogue, Command, ListKind, NO_PATH, ParamKind, RawValue, Target};
use backend::{PinnedVault, ResolvedCall, embedded, engine_failure};
use changes::{Request, remedy::remedy};
use protocol::{Cause, Code, Failure, Part, joined, message};
use tiers::ACTIVE_FILE;

/// The maximum number of items of a list that are checked.
const MOST_ITEMS: usize = 5;

/// The maximum number of other commands that are named.
const MOST_OTHERS: usize = 2;

impl Pipeline<'_> {
    /// Returns the failure of a request, with the further mistakes of the request in its message and details.
    pub(super) fn with_other_faults(&self, failure: Failure, request: &Request) -> Failure {
        let Ok(command) = Catalogue::find_builtin(&request.command) else {
            return failure;
        };
        let is_form = matches!(
            failure.code,
            Code::UsageError | Code::PathEscape | Code::PreconditionFailed
        );
        // Any other failure is not about the arguments, so a corrected call would fail too.
        if !is_form && !is_of_vault(failure.code) {
            return failure;
        }
        if self.caller.is_person()
            && let Some(closed) = self.closed_by_rules(&failure, request)
        {
            return closed;
        }
        let given = command.given(&request.params.0).into_owned();
        let mut all = failure;
        if let Err(other) = command.admit(&given) {
            all.add(other);
        }
        self.name_commands_with(&mut all, &command);
        let call = Call {
            arguments: command.fitting(&given),
            command,
        };
        let into_draft = self.drafts.goes_into_draft(request, &call);
        let vault = match self.vaults.pinned(request) {
            Ok(vault) if call.effects().is_mutation() && !into_draft.unwrap_or_default() => {
                Ok(vault)
            }
            vault => vault.and_then(|vault| self.drafts.with_draft(vault)),
        };
        let Ok(vault) = vault else {
            return all;
        };
        let with_faults = |sight: Option<&Arc<dyn Sight>>| {
            let seen = vault.clone().limited_to(sight).ok()?;
            Some(self.with_faults_of_vault(all.clone(), request, (&call, &given), &seen))
        };
        let Some(whole) = with_faults(self.caller.sight.as_ref()) else {
            return all;
        };
        // Mistakes that are found only because of labelled notes are left out.
        let is_clean = match self.labels.view_of_caller(&vault) {
            Ok(Some(view)) if !self.caller.is_labelled() => {
                let clean = self.labels.sight_without_labelled_names(&view);
                with_faults(Some(&clean)).as_ref() == Some(&whole)
            }
            view => view.is_ok(),
        };
        if is_clean { whole } else { all }
    }

    /// Adds to the failure what of the call the vault does not have.
    fn with_faults_of_vault(
        &self,
        mut all: Failure,
        request: &Request,
        (call, given): (&Call, &BTreeMap<String, RawValue>),
        seen: &PinnedVault,
    ) -> Failure {
        // A call that is closed to the caller gets no further checks.
        if let Err(closed) = self.caller.gate(request, call) {
            // No correction opens it, so the caller learns at once who can. A closed path is not named.
            if matches!(
                closed.code,
                Code::MutationDisabled | Code::TierClosed | Code::CommandDenied
            ) {
                let remedy =
                    remedy(&closed, self.caller.remedy_reader()).map(|issue| issue.message);
                // The advice about `path` already says what to send instead of a call on the active file.
                all.add_hint(match closed.reason() {
                    Some(ACTIVE_FILE) => {
                        "The settings do not allow calls on the active file.".into()
                    }
                    _ => closed.message(),
                });
                all.add_hint(remedy.unwrap_or_default());
                return all.with("needs", closed.details.get("needs").cloned());
            }
            // Without its path the call means the active file, which is closed.
            name_rooted(&mut all, given, seen);
            return all;
        }
        name_rooted(&mut all, given, seen);
        let (faults, note) = self.faults_of_vault((call, given), seen, &all);
        // A proposed call gets the path of the note that the caller means.
        if call.command.target == Target::DailyNote
            && call.effects().is_mutation()
            && note.iter().any(|note| seen.engine.facts(note).is_err())
        {
            all.add_hint(message!(
                "Today's note does not exist yet. To create it, use {} with only `content`.",
                Part::Command(call.command.id.clone())
            ));
        }
        if let Some(note) = note.or_else(|| note_meant(&faults, seen)) {
            let sent = match given.get("path") {
                Some(RawValue::Text(path)) => path.as_str(),
                _ => NO_PATH,
            };
            all.map(|message| message.replace_path(&[NO_PATH, sent], note.as_str()));
        }
        for mut fault in faults {
            fault
                .details
                .retain(|key, _| matches!(key.as_str(), "candidates" | "nearest"));
            all.add(fault);
        }
        all
    }

    /// Adds to the failure of an unknown argument the open commands of the same group that have it, and that
    /// read if this one does. An argument with a similar name is meant rather than another command.
    fn name_commands_with(&self, failure: &mut Failure, command: &Command) {
        let Some(Cause::UnknownArgument(unknown)) = failure.cause().cloned() else {
            return;
        };
        let has_it = |other: &&Arc<Command>| {
            other.group == command.group
                && other.change.is_some() == command.change.is_some()
                && self.caller.is_open(&other.id)
                && self
                    .caller
                    .policy
                    .form_of(other)
                    .is_some_and(|form| form.argument_names().any(|name| name == unknown))
        };
        let commands = Catalogue::builtin().map(Catalogue::commands);
        let others = commands.into_iter().flatten().filter(has_it);
        let others = others.map(|other| Part::Command(other.id.clone()).into());
        let others = joined(others.take(MOST_OTHERS), "or");
        if !others.is_empty() {
            failure.add_hint(message!("{} accepts the argument `{}`.", others, unknown));
        }
    }

    /// Returns a failure for each thing that the call names and that the vault does not have; and the note of the call,
    /// if it exists.
    fn faults_of_vault(
        &self,
        (call, given): (&Call, &BTreeMap<String, RawValue>),
        seen: &PinnedVault,
        known: &Failure,
    ) -> (Vec<Failure>, Option<VaultPath>) {
        let is_change = call.effects().is_mutation();
        let mut shown = Vec::new();
        let view = (seen, &self.caller.policy, self.caller.is_person());
        let resolved = target::aim(call.clone(), view).and_then(|resolved| {
            // A change of today's note creates the note if it is missing, and its path can be asked for before.
            let needs_no_note = is_change || call.command.output == Shape::Path;
            let is_made = needs_no_note && call.acts_on() == Target::DailyNote;
            let note = resolved.note.as_ref().filter(|_| !is_made);
            let look = note.map_or(Ok(()), |note| seen.engine.facts(note).map(drop));
            look.map_err(engine_failure).map(|()| resolved)
        });
        // If the call failed because of its note, that failure is known already.
        if let Some(failure) = resolved.as_ref().err().filter(|_| !names_no_note(known)) {
            let caller = self.caller.options.caller;
            shown.push(nearby::suggest(failure.clone(), call, seen, caller));
        }
        if !is_change {
            let missing = nearby::missing_names(call, seen).into_iter();
            shown.extend(missing.map(|warning| Code::UsageError.failure(warning.message)));
        }
        let is_search = matches!(call.command.output, Shape::Search | Shape::SearchContext);
        if let Some(query) = call.arguments.param("query").filter(|_| is_search) {
            shown.extend(query_faults::explained(query));
        }
        let resolved = resolved.ok();
        let note = resolved.as_ref().and_then(|resolved| resolved.note.clone());
        shown.extend(faults_of_other_notes((call, given), known, seen));
        // A failure about the vault came from planning or running the call, so another try would
        // find the same.
        if let Some(resolved) = resolved.filter(|_| !is_of_vault(known.code)) {
            let fault = if is_change {
                fault_of_plan(resolved, (given, known), seen)
            } else {
                fault_of_read(&resolved, seen)
            };
            let caller = self.caller.options.caller;
            shown.extend(fault.map(|fault| nearby::suggest(fault, call, seen, caller)));
        }
        (shown, note)
    }
}

/// Returns the only note with a name similar to the missing one; `None` if there are several.
fn note_meant(shown: &[Failure], seen: &PinnedVault) -> Option<VaultPath> {
    let mut nearest = shown
        .iter()
        .filter(|failure| failure.code == Code::FileNotFound)
        .map(Failure::nearest);
    let [Json::String(near)] = nearest.find(|near| !near.is_empty())? else {
        return None;
    };
    written_name::note_named(near, seen)
}

/// Whether a failure is about something that the vault does not have. Then more may be missing.
fn is_of_vault(code: Code) -> bool {
    matches!(
        code,
        Code::FileNotFound
            | Code::FolderNotFound
            | Code::AmbiguousTarget
            | Code::TargetNotFound
            | Code::ValidationError
    )
}

/// Adds to the failure of an absolute path the files of the vault that paths with a `/` before them mean, as
/// other programs write them. A path that is not in the vault is not repeated.
fn name_rooted(failure: &mut Failure, given: &BTreeMap<String, RawValue>, seen: &PinnedVault) {
    if failure.code != Code::PathEscape {
        return;
    }
    let texts = given.values().flat_map(|value| match value {
        RawValue::Text(text) => vec![text.as_str()],
        RawValue::List(items) => items.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    });
    let root = seen.root().to_string_lossy();
    let rooted = texts.filter_map(|text| {
        // The caller may have sent the path on the disk.
        let path = text.strip_prefix(&*root).unwrap_or(text);
        let path = path.strip_prefix('/')?.trim_start_matches('/');
        let spellings = [path.to_owned(), format!("{path}.md")];
        let paths = spellings
            .iter()
            .filter_map(|path| VaultPath::file(path).ok());
        let path = paths.into_iter().find(|path| seen.engine.is_there(path))?;
        Some(format!("`{}`", shown::row(path.as_str())))
    });
    let rooted: Vec<String> = rooted.collect();
    if !rooted.is_empty() {
        failure.add_hint(format!("Pass {}.", rooted.join(", ")));
    }
}

/// Whether the note of the call does not exist, or its name fits several.
fn names_no_note(failure: &Failure) -> bool {
    matches!(failure.code, Code::FileNotFound | Code::AmbiguousTarget)
}

/// Plans a change with its valid arguments. Returns the failure if a place in the note does not exist, or a value does
/// not fit the note.
fn fault_of_plan(
    mut resolved: ResolvedCall,
    (given, known): (&BTreeMap<String, RawValue>, &Failure),
    seen: &PinnedVault,
) -> Option<Failure> {
    resolved.note.as_ref()?;
    let mut tried: Option<Vec<usize>> = None;
    for (name, value) in given {
        let kind = resolved.call.command.param(name).map(|param| &param.kind);
        let (Some(ParamKind::List(kind @ ListKind::Edits)), RawValue::List(items)) = (kind, value)
        else {
            continue;
        };
        // Each edit is located in the unchanged note, so the valid edits can be tried without the
        // others.
        let fits = |item: &Json| kind.check(std::slice::from_ref(item)).is_ok();
        let fitting = items.iter().enumerate().filter(|(_, item)| fits(item));
        let (places, fitting): (Vec<usize>, Vec<Json>) =
            fitting.map(|(place, item)| (place, item.clone())).unzip();
        if fitting.is_empty() {
            return None;
        }
        tried = Some(places);
        resolved
            .call
            .arguments
            .values
            .insert(name.clone(), Arg::List(fitting));
    }
    let mut error = embedded::edit(&resolved, seen).err()?;
    let is_known = |name: &String| known.cause() == Some(&Cause::InvalidArgument(name.clone()));
    let is_value = matches!(&error, EngineError::Argument { name, .. } if given.contains_key(name) && !is_known(name))
        || matches!(error, EngineError::TaskMissing { .. });
    if let (Some(places), EngineError::EditMiss(miss)) = (tried, &mut error) {
        miss.move_edits(&places);
    }
    let failure = engine_failure(error);
    let is_place = matches!(failure.code, Code::TargetNotFound | Code::AmbiguousTarget);
    (is_place || is_value).then_some(failure)
}

/// Returns the failure of a read of one note: a part of the note that does not exist.
fn fault_of_read(resolved: &ResolvedCall, seen: &PinnedVault) -> Option<Failure> {
    resolved.note.as_ref()?;
    let arguments = &resolved.call.arguments;
    let answer = embedded::ask(seen, &resolved.call.command.id, arguments);
    let error = answer.err()?;
    let is_view = matches!(error, EngineError::BaseView { .. });
    let failure = engine_failure(error);
    let is_part = matches!(failure.code, Code::TargetNotFound | Code::CliReportedError);
    (is_view || is_part).then_some(failure)
}

/// Returns a failure for each missing note or part that a call names besides its own note, except the file that `known`
/// is about.
fn faults_of_other_notes(
    (call, given): (&Call, &BTreeMap<String, RawValue>),
    known: &Failure,
    seen: &PinnedVault,
) -> Vec<Failure> {
    let is_known = |path: &VaultPath| {
        let names_it = |key| known.detail(key) == Some(path.as_str());
        names_no_note(known) && (names_it("target") || names_it("path"))
    };
    let kind_of = |name: &str| call.command.param(name).map(|param| &param.kind);
    let mut paths = call.paths();
    paths.retain(|(name, _)| {
        !["path", "file"].contains(name) && kind_of(name) == Some(&ParamKind::Path)
    });
    let paths = paths
        .iter()
        .map(|(name, path)| (*name, ListKind::Paths, vec![path.as_str().into()]));
    let lists = given
        .iter()
        .filter_map(|(name, value)| match (kind_of(name)?, value) {
            (
                &ParamKind::List(kind @ (ListKind::Notes | ListKind::Paths)),
                RawValue::List(items),
            ) => Some((name.as_str(), kind, items.clone())),
            _ => None,
        });
    let mut shown = Vec::new();
    for (name, kind, items) in paths.chain(lists) {
        for (index, item) in items.iter().take(MOST_ITEMS).enumerate() {
            let path = path_in(item).and_then(|path| VaultPath::file(&path).ok());
            let Some(path) = path.filter(|path| !is_known(path)) else {
                continue;
            };
            if seen.engine.facts(&path).is_err() {
                shown.push(nearby::no_such_note(path.as_str(), kind, seen));
            } else if kind == ListKind::Notes {
                shown.extend(fault_of_part(&call.command.id, (name, index, item), seen));
            }
        }
    }
    shown
}

/// Returns why a part of a note cannot be read, with the places that the caller may mean.
fn fault_of_part(
    command: &str,
    (name, index, item): (&str, usize, &Json),
    seen: &PinnedVault,
) -> Option<Failure> {
    let of_one = Args::default().with(name, Arg::List(vec![item.clone()]));
    let answer: Answer = embedded::ask(seen, command, &of_one).ok()?;
    let (_, error) = answer.downcast_ref::<ReadNotes>()?.errors().next()?;
    let failure = Code::TargetNotFound.failure(format!("In `{name}[{index}]`: {}", error.message));
    let candidates = (!error.candidates.is_empty()).then(|| json!(error.candidates));
    Some(failure.with("candidates", candidates))
}

/// Returns the path in an item of a list, also under another name for the key.
fn path_in(item: &Json) -> Option<String> {
    match item {
        Json::String(path) => Some(path.clone()),
        Json::Object(keys) => keys.iter().find_map(|(key, value)| {
            let is_path = vault_engine::meant(key, ["path"]).is_some();
            value.as_str().filter(|_| is_path).map(str::to_owned)
        }),
        _ => None,
    }
}
