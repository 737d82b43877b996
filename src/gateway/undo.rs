//! `undo` reverts a change and `redo` repeats it, under the same rules as any other change
//! (`design.md` §10).

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use uuid::Uuid;
use vault_engine::{Change, State, VaultPath, is_changed_by_commands};

pub use self::kept::Kept;
use self::kept::KeptContent;
use self::report::{changes, report};
use super::approve::Proposal;
use super::change::{Planned, make_recorded};
use super::drafts::ACCEPT;
use super::envelope_builder::EnvelopeBuilder;
use super::request::{Params, Request};
use super::{Answered, Caller, Control, FileChange, Gateway, Happening, active};
use crate::allowlist::{
    BackendName, Catalogue, Effect, EffectSet, RawValue, nearest, nearest_question, shown,
};
use crate::backend::{Limits, PinnedVault, Produced};
use crate::code::Code;
use crate::deadline::Deadline;
use crate::digest::sha256;
use crate::failure::Failure;
use crate::issue::Issue;
use crate::records::journal::{
    Direction, EditedSince, Journal, JournalEntry, NewEntry, PlannedRun, Restoration, Reversible,
    RunOrigin, RunPrefix, RunStanding, TouchedPath, Undoing, VaultLock, short_id,
};
use crate::settings::Paths;
use crate::tiers::{Decision, Switch, outlook};

mod kept;
mod report;

/// The name of the command in envelopes and in the journal.
pub const UNDO: &str = "undo";
/// The name of a redo in envelopes and in the journal.
const REDO: &str = "redo";
/// The parameter of both: the id of the run, or the beginning of the id.
const RUN: &str = "run";
/// The parameter that says what to do with the contents that the journal keeps.
const KEPT: &str = "kept";
/// The parameter that names the file of such a content.
const PATH: &str = "path";
/// Most later runs that a refusal names.
const MOST_NAMED: usize = 5;
/// The value of `details.reason` if closed files prevent the undo.
pub(crate) const OTHER_FILES: &str = "other-files";

impl Direction {
    /// The direction of the command; `None` if it is neither `undo` nor `redo`.
    pub(super) fn from_command(command: &str) -> Option<Self> {
        match command {
            UNDO => Some(Self::Undo),
            REDO => Some(Self::Redo),
            _ => None,
        }
    }

    const fn command(self) -> &'static str {
        match self {
            Self::Undo => UNDO,
            Self::Redo => REDO,
        }
    }
}

/// Whether the command undoes or redoes a run, which changes the vault.
pub(crate) fn is_reversal(command: &str) -> bool {
    Direction::from_command(command).is_some()
}

/// The parsed parameters of an undo or a redo.
struct Asked {
    run: Option<RunPrefix>,
    kept: Option<Kept>,
    path: Option<VaultPath>,
}

/// A run that reverts another one, or writes a content from the journal.
struct Reversal<'a> {
    command: &'static str,
    /// The id of the other run.
    about: Uuid,
    undoes: Option<Uuid>,
    redoes: Option<Uuid>,
    effects: EffectSet,
    restoration: &'a Restoration,
    files: Vec<FileChange>,
}

impl Request {
    /// The request to undo or redo `run`, or the next run in that direction.
    pub(crate) fn reversal(direction: Direction, run: Option<&RunPrefix>) -> Self {
        let run = run.map(|run| (RUN.to_owned(), RawValue::Text(run.to_string())));
        Self {
            params: Params(run.into_iter().collect()),
            ..Self::new(direction.command())
        }
    }

    /// Extends the request to the contents that the journal keeps; `path` selects the file if the
    /// run changed several. Only a person's request is answered.
    #[must_use]
    pub(crate) fn for_kept(mut self, kept: Kept, path: Option<&str>) -> Self {
        let path = path.map(|path| (PATH, path));
        for (key, value) in [(KEPT, kept.name())].into_iter().chain(path) {
            let value = RawValue::Text(value.to_owned());
            self.params.0.insert(key.to_owned(), value);
        }
        self
    }
}

impl Gateway {
    /// Opens the journal of the pinned vault.
    ///
    /// # Errors
    ///
    /// Fails if the vault cannot be opened, or the state folder is unknown or unsafe.
    pub fn journal(&self) -> Result<Journal, Failure> {
        self.journal_of(&self.open_vault()?)
    }

    /// Undoes `run`, or the last change. A dry run reports what would be restored.
    pub fn undo(&self, run: Option<&RunPrefix>, dry_run: bool) -> Answered {
        self.reverse_under(Direction::Undo, run, dry_run, &Control::default())
    }

    /// Redoes `run`, or the change that was undone last.
    pub fn redo(&self, run: Option<&RunPrefix>, dry_run: bool) -> Answered {
        self.reverse_under(Direction::Redo, run, dry_run, &Control::default())
    }

    /// Like [`Self::undo`] and [`Self::redo`]; `control` can cancel it until the first file is written.
    pub fn reverse_under(
        &self,
        direction: Direction,
        run: Option<&RunPrefix>,
        dry_run: bool,
        control: &Control,
    ) -> Answered {
        let request = Request {
            dry_run,
            ..Request::reversal(direction, run)
        };
        self.answer_under(&request, control)
    }

    /// Answers the requests `undo` and `redo`. A person may undo any run. Any other caller may undo
    /// only its own: its newest one, or the one whose id it got in an answer (`design.md` §13).
    pub(super) fn reversal_requested(
        &self,
        direction: Direction,
        request: &Request,
        control: &Control,
        deadline: Deadline,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let asked = self.parse_request(direction, request)?;
        let named = |key: &str| match request.params.0.get(key) {
            Some(RawValue::Text(text)) => Some((key.to_owned(), json!(text))),
            _ => None,
        };
        trace.record_question([RUN, KEPT, PATH].into_iter().filter_map(named).collect());
        let changes_nothing = asked.kept == Some(Kept::Show);
        if !changes_nothing {
            trace.undoes();
        }
        if self.is_labelled() {
            let closed = Code::MutationDisabled.failure("");
            return Err(self.refused_as_labelled(&closed));
        }
        // A person may always see what an undo would do, and take back what they accepted.
        let needs_switch = !(changes_nothing || request.dry_run && self.is_person());
        let mut closed = needs_switch
            .then(|| self.mutations_are_on().err())
            .flatten();
        if !self.is_person() || asked.kept.is_some() {
            closed.take().map_or(Ok(()), Err)?;
        }
        let vault = self.pinned_vault(request)?;
        trace.answers(&vault, self.instead_of_set(&vault));
        let zoned = (self.clock)();
        // Like for every change, the lock comes before the plan, because a run that ends in between
        // would become the newest one, or change the files to restore.
        let lock = self.lock(&vault, deadline, &control.cancel, &zoned, trace)?;
        let bounds = ReversalBounds {
            request,
            control,
            deadline,
            now: zoned.timestamp(),
        };
        if let Some(kept @ (Kept::Show | Kept::Beside)) = asked.kept {
            let run = lock.run_with_contents(asked.run.as_ref())?;
            self.check_paths(&run, &vault)?;
            let content = KeptContent::find(&lock, &run.entry, asked.path.as_ref())?;
            if kept == Kept::Show {
                return Ok(content.with_text());
            }
            return self.write_beside(&bounds, (&lock, &vault), trace, &content);
        }
        let origin = (!self.is_person()).then(|| self.origin());
        let run = lock.reversible(direction, asked.run.as_ref(), origin.as_ref());
        let run = run.map_err(|failure| closed.clone().unwrap_or(failure))?;
        if run.command() != Some(ACCEPT) {
            closed.map_or(Ok(()), Err)?;
        }
        self.check_paths(&run, &vault)?;
        self.check_command(&run)?;
        let edited = match asked.kept {
            Some(_) => EditedSince::Overwritten,
            None => EditedSince::Refused,
        };
        let undone = run.entry.change();
        let undoing = lock
            .undo(&vault.engine, run, edited)
            .map_err(|failure| self.naming_later_runs(failure, &vault, undone))?;
        trace.subject.undoes = Some(undoing.run.undoes());
        let effects = effects(&undoing).union(self.active_again(&undoing, &vault)?);
        trace.planned(effects);
        if request.dry_run {
            let needed = effects.intersection(self.policy.approve());
            return Ok(report(
                &undoing,
                Some(!needed.is_empty()),
                self.is_person(),
                Vec::new(),
            ));
        }
        let run = &undoing.run;
        let reversal = Reversal {
            command: run.direction().command(),
            about: run.undoes(),
            undoes: Some(run.undoes()),
            redoes: run.redoes(),
            effects,
            restoration: &undoing.restoration,
            files: changes(&undoing),
        };
        let warnings = self.carry_out(&bounds, (&lock, &vault), trace, &reversal)?;
        trace.has_undone(undoing.run.direction());
        Ok(report(&undoing, None, self.is_person(), warnings))
    }

    /// The effect of an agent's redo that leaves again what acts. An undo brings back what was there.
    fn active_again(&self, undoing: &Undoing, vault: &PinnedVault) -> Result<EffectSet, Failure> {
        if self.is_person() || undoing.run.direction() == Direction::Undo {
            return Ok(EffectSet::EMPTY);
        }
        let read = |path: &VaultPath| vault.engine.read_bytes(path).ok();
        let found = active::findings(&undoing.restoration.changes, &|_| true, &read)?;
        self.refuse_active(&found)?;
        let effect = (!found.is_empty()).then_some(Effect::Active);
        Ok(effect.into_iter().collect())
    }

    /// Writes a content from the journal to a new note. That is a change of its own, which can be
    /// undone.
    fn write_beside(
        &self,
        bounds: &ReversalBounds<'_>,
        (lock, vault): (&VaultLock, &PinnedVault),
        trace: &mut EnvelopeBuilder,
        content: &KeptContent,
    ) -> Result<Produced, Failure> {
        let (path, change) = content.beside(vault)?;
        let effects = EffectSet::from_iter([Effect::Write]);
        self.policy.check(&path, effects)?;
        if bounds.request.dry_run {
            return Ok(content.written(&path, true));
        }
        let file = FileChange {
            path: path.to_string(),
            change: Happening::Created,
            from: None,
            before_sha256: None,
            sha256: match &change {
                Change::Create { after, .. } => Some(sha256(after)),
                _ => None,
            },
            diff: None,
        };
        let reversal = Reversal {
            command: UNDO,
            about: content.run(),
            undoes: None,
            redoes: None,
            effects,
            restoration: &Restoration::new(vec![change]),
            files: vec![file],
        };
        let warnings = self.carry_out(bounds, (lock, vault), trace, &reversal)?;
        trace.has_undone(Direction::Undo);
        Ok(Produced {
            warnings,
            ..content.written(&path, false)
        })
    }

    /// Makes the changes, after they are approved and recorded.
    fn carry_out(
        &self,
        bounds: &ReversalBounds<'_>,
        (lock, vault): (&VaultLock, &PinnedVault),
        trace: &mut EnvelopeBuilder,
        reversal: &Reversal<'_>,
    ) -> Result<Vec<Issue>, Failure> {
        let cancel = &bounds.control.cancel;
        cancel.check()?;
        let about = (reversal.command, reversal.about);
        let planned = Planned::from_reversal(reversal.files.clone(), about, vault.root());
        let limits = Limits {
            deadline: bounds.deadline,
            max_output_bytes: self.output_limit(bounds.request),
            offset: 0,
            limit: None,
            cancel: cancel.clone(),
        };
        let proposal = Proposal {
            command: reversal.command,
            params: Map::from_iter([(RUN.to_owned(), json!(reversal.about))]),
            effects: reversal.effects,
            planned: &planned,
            changes: &reversal.restoration.changes,
            findings: &[],
            client: trace.subject.client.clone(),
            unseen: &[],
        };
        trace.subject.approved = self.approve(bounds.request, &proposal, (vault, &limits))?;
        // Write-ahead: the intent is in the audit log before the first file is written.
        self.record_intent(bounds.request, trace, &reversal.files)?;
        let origin = RunOrigin {
            approved_by: trace.subject.approved.door,
            client: trace.subject.client.clone(),
            ..self.origin()
        };
        let entry = NewEntry {
            run_id: trace.run_id(),
            command: reversal.command,
            params: Map::from_iter([(
                "runId".to_owned(),
                json!(reversal.redoes.unwrap_or(reversal.about)),
            )]),
            backend: BackendName::Embedded,
            now: bounds.now,
            undoes: reversal.undoes,
            redoes: reversal.redoes,
            origin,
            planned: PlannedRun::Changes(&reversal.restoration.changes),
        };
        self.label_reversal(lock, vault, &reversal.restoration.changes)?;
        let end = (bounds.deadline, cancel);
        let warnings = make_recorded(lock, vault, &entry, reversal.restoration, end)?;
        trace.changed(reversal.files.clone());
        Ok(warnings)
    }

    /// Parses the parameters of the request.
    fn parse_request(&self, direction: Direction, request: &Request) -> Result<Asked, Failure> {
        let wrong = |message: String| Code::UsageError.failure(message);
        if request.if_hash.is_some() {
            return Err(wrong(format!(
                "`{}` takes no `ifHash`. Leave it out.",
                request.command
            )));
        }
        // Only people can use the contents of the journal; agents can only undo their own changes.
        let is_for_kept = self.is_person() && direction == Direction::Undo;
        let mut asked = Asked {
            run: None,
            kept: None,
            path: None,
        };
        for (name, value) in request.params.given() {
            match (name.as_str(), value) {
                (RUN, RawValue::Text(text)) => {
                    let prefix: RunPrefix = text.parse().map_err(|error| {
                        wrong(format!(
                            "`{RUN}`: {error}. Leave `{RUN}` out for the last change."
                        ))
                    })?;
                    asked.run = Some(prefix);
                }
                (RUN, _) => return Err(wrong(format!("`{RUN}` is a text: the id of a run."))),
                (KEPT, RawValue::Text(text)) if is_for_kept => {
                    let mut all = Kept::ALL.into_iter();
                    asked.kept = all.find(|kept| kept.name() == text);
                    if asked.kept.is_none() {
                        return Err(wrong(format!("`{KEPT}` is `show`, `beside` or `over`.")));
                    }
                }
                (PATH, RawValue::Text(text)) if is_for_kept => {
                    let path = VaultPath::file(text)
                        .map_err(|error| wrong(format!("`{PATH}`: {error}.")))?;
                    asked.path = Some(path);
                }
                _ => {
                    let fields = [RUN, "dryRun", "approval"];
                    let near = match vault_engine::meant(name, fields) {
                        Some(meant) => vec![meant.to_owned()],
                        None => nearest(name, fields),
                    };
                    let question = nearest_question(&near).unwrap_or_else(|| {
                        format!("One call is about one change: the last one, or another that `{RUN}` names by its id.")
                    });
                    let (command, name) = (&request.command, shown(name));
                    return Err(wrong(format!(
                        "`{command}` has no parameter `{name}`. {question} It takes `{}`; with `dryRun` it tells what it would do and changes nothing, and `approval` is the token of an answer that asked for one.",
                        fields.join("`, `")
                    )));
                }
            }
        }
        if asked.path.is_some() && !matches!(asked.kept, Some(Kept::Show | Kept::Beside)) {
            return Err(wrong(format!("`{PATH}` goes with `show` or `beside`.")));
        }
        Ok(asked)
    }

    /// Whether a person calls for themselves, and not under the policy of an agent.
    pub(crate) fn is_person(&self) -> bool {
        self.options.caller == Caller::Person && self.options.agent.is_none()
    }

    /// The refusal of an undo that depends on closed files. A person learns which of their own
    /// settings close them; other callers learn nothing more (`faults.md` D13).
    fn other_files(&self, told_to_agents: &str, told_to_people: &str) -> Failure {
        let paths = &self.settings.paths;
        let standard = Paths::default();
        let keys: Vec<String> = [
            ("paths.read", paths.read != standard.read),
            ("paths.deny", paths.deny != standard.deny),
            ("paths.deny_tags", !paths.deny_tags.is_empty()),
            ("paths.deny_properties", !paths.deny_properties.is_empty()),
        ]
        .into_iter()
        .filter(|(_, is_set)| *is_set)
        .map(|(key, _)| format!("`vault-gw settings unset {key}`"))
        .collect();
        let message = if self.is_person() && !keys.is_empty() {
            format!(
                "{told_to_people} Nothing was changed. Run {}, undo, and set {} again.",
                keys.join(" and "),
                if keys.len() == 1 { "it" } else { "them" }
            )
        } else {
            told_to_agents.to_owned()
        };
        Code::PathDenied
            .failure(message)
            .with("reason", OTHER_FILES)
    }

    /// Adds the later runs that changed the same files to the refusal of an undo, newest first: the
    /// order in which a person can undo them.
    fn naming_later_runs(&self, failure: Failure, vault: &PinnedVault, undone: Uuid) -> Failure {
        let paths = failure.details.get("paths").and_then(Value::as_array);
        let Some(paths) = paths.filter(|_| self.is_person() && self.policy.reads_everything())
        else {
            return failure;
        };
        let listing = self.journal_of(vault).and_then(|journal| journal.entries());
        let entries = listing.unwrap_or_default().entries;
        let touches = |file: &TouchedPath| {
            file.is_changed() && paths.iter().any(|path| path == file.path.as_str())
        };
        // The newest entry of a change shows whether it is in effect: an undo reverts it, a redo
        // repeats it.
        let mut seen = BTreeSet::new();
        let later: Vec<&JournalEntry> = entries
            .iter()
            .take_while(|listed| listed.entry.change() != undone)
            .filter(|listed| listed.standing == RunStanding::Done)
            .map(|listed| &listed.entry)
            .filter(|entry| seen.insert(entry.change()))
            .filter(|entry| entry.undoes.is_none() || entry.redoes.is_some())
            .filter(|entry| entry.files.iter().any(touches))
            .collect();
        if later.is_empty() {
            return failure;
        }
        let ids: Vec<String> = later
            .iter()
            .map(|entry| entry.change().to_string())
            .collect();
        let named = later.iter().take(MOST_NAMED).map(|entry| {
            let short = short_id(entry.change());
            format!("`vault-gw undo {short}` ({})", entry.command)
        });
        let named: Vec<String> = named.collect();
        let more = match later.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let message = format!(
            "{} Runs after it changed the same; undo them first, in this order: {}{more}.",
            failure.message,
            named.join(", ")
        );
        Failure { message, ..failure }.with("laterRuns", ids)
    }

    fn mutations_are_on(&self) -> Result<(), Failure> {
        if self.policy.writes_directly() {
            return Ok(());
        }
        Err(Code::MutationDisabled
            .failure("Undo and redo change the vault, and changes are turned off.")
            .with("tier", self.policy.tier().name())
            .with("needs", json!([Switch::Mutations.key()]))
            .with("effects", json!([Effect::Write])))
    }

    /// Requires that the tier and the rules open the command that made the change to its caller, and that of each step
    /// if it had steps. The journal does not keep which steps they were, so every command that can be one has to be
    /// open. A person may always take back what an agent did.
    fn check_command(&self, run: &Reversible) -> Result<(), Failure> {
        if self.is_person() {
            return Ok(());
        }
        let Some(made) = run.command() else {
            // The entry of the change was pruned.
            return if self.policy.opens_every_change() {
                Ok(())
            } else {
                Err(self
                    .unknown_command("The journal no longer has the command that made the change"))
            };
        };
        let Ok(command) = Catalogue::find_builtin(made) else {
            return Ok(());
        };
        if let Decision::Refused(failure) = outlook(&command, &self.policy)
            && matches!(failure.code, Code::CommandDenied | Code::TierClosed)
        {
            return Err(failure);
        }
        if command.has_steps() && !self.policy.opens_every_step() {
            return Err(
                self.unknown_command("The journal does not keep which commands its steps were")
            );
        }
        match run.made() {
            Some(made) => self.policy.check_arguments(&command, &made.params),
            None => Ok(()),
        }
    }

    fn unknown_command(&self, why: &str) -> Failure {
        let told = format!(
            "{why}, and some commands are closed to you. Nothing was changed. The owner of the vault can do it."
        );
        Code::CommandDenied
            .failure(told)
            .with("tier", self.policy.tier().name())
    }

    /// Requires that every touched path may be written now, whoever changed it then. The failure
    /// names no path that the caller may not read (`faults.md` D13).
    ///
    /// A caller under path rules cannot undo any move. Links in closed notes may have followed it,
    /// and an answer that depends on that would reveal these notes.
    fn check_paths(&self, run: &Reversible, vault: &PinnedVault) -> Result<(), Failure> {
        let entry = &run.entry;
        // A run whose command is unknown may have been a move.
        let moves = run.command().is_none_or(|command| {
            Catalogue::find_builtin(command).is_ok_and(|command| command.may_change_links())
        });
        if !self.policy.reads_everything() && moves {
            return Err(self.other_files(
                "Under path rules only the owner of the vault can undo a move, because it may have changed links in notes that are not open to you. Nothing was changed. You can move the file back.",
                "Path rules hide notes that this move may have changed.",
            ));
        }
        let effects = EffectSet::from_iter([Effect::Write]);
        let mut unplanned = entry.unplanned.iter();
        let seen = vault.clone().limited_to(self.sight.as_ref())?;
        let is_closed = |path: &VaultPath| !is_changed_by_commands(path) && !seen.engine.sees(path);
        let mut files = entry.files.iter();
        let closed = files.any(|file| {
            let is_folder = file.before == State::Folder || file.after == Some(State::Folder);
            is_closed(&file.path) && !(is_folder && self.policy.may_fill(&file.path))
        });
        if closed || unplanned.any(is_closed) {
            return Err(self.other_files(
                "The run also changed files that are not open to you. Nothing was changed; the owner of the vault can undo it.",
                "Path rules hide files that this run changed too.",
            ));
        }
        for file in &entry.files {
            let is_folder = file.before == State::Folder || file.after == Some(State::Folder);
            let is_open = is_changed_by_commands(&file.path)
                || (is_folder && self.policy.may_fill(&file.path));
            if !is_open {
                self.policy.check(&file.path, effects)?;
            }
        }
        Ok(())
    }
}

/// The limits of an undo or a redo.
struct ReversalBounds<'call> {
    request: &'call Request,
    control: &'call Control,
    deadline: Deadline,
    now: jiff::Timestamp,
}

/// The effects of an undo or a redo, of which a person may have to approve some. Redoing a change
/// has the effects of that change, so it needs the same approval again.
fn effects(undoing: &Undoing) -> EffectSet {
    let write = EffectSet::from_iter([Effect::Write]);
    if undoing.run.direction() == Direction::Undo {
        return write;
    }
    let made = undoing.run.made();
    let again = made.map_or_else(EffectSet::default, effects_of_change);
    let mut changes = undoing.restoration.changes.iter();
    let is_destroyed = changes.any(|change| matches!(change, Change::Remove { .. }))
        || made.is_none_or(|made| made.origin.approved_by.is_some());
    let destroy = is_destroyed.then_some(Effect::Destroy);
    write.iter().chain(again.iter()).chain(destroy).collect()
}

/// The effects that the command of a change had, with its parameters and flags.
fn effects_of_change(made: &JournalEntry) -> EffectSet {
    let Ok(command) = Catalogue::find_builtin(&made.command) else {
        return EffectSet::default();
    };
    let given = made
        .params
        .iter()
        .filter(|(_, value)| **value != json!(false));
    given
        .filter_map(|(key, _)| {
            let param = command.param(key).map(|param| param.effects);
            param.or_else(|| command.flag(key).map(|flag| flag.effects))
        })
        .fold(command.effects, EffectSet::union)
}
