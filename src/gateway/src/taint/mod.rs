//! Labels (`design/labels.md`): which agents have got outside text, and what is closed to them.
//!
//! An answer is compared with the answer of the vault without its labelled notes. If it has a text that the other does
//! not have, its caller is labelled before it gets the answer. A gateway under a tighter policy answers a labelled
//! caller, and all text that a labelled caller writes is labelled.

mod answers;
mod changes;
mod names;
mod questions;
mod view;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;
use vault_engine::{IndexState, IndexedVault, NoteRules, Sight, VaultPath};

pub(crate) use self::changes::PlanAgain;
pub(super) use self::names::{HARMLESS, HarmlessNames};
pub(super) use self::questions::CLEAR;
pub use self::questions::{LabelledAgent, LabelledNote, TaintReport};
pub(super) use self::view::LabelView;
use self::view::{Hidden, Sources};
use crate::caller::CallerContext;
use crate::state::Records;
use ::changes::TaintMeta;
use allowlist::Call;
use backend::{PinnedVault, engine_failure};
use protocol::Failure;
use settings::Settings;
use store::labels::{self, AgentLabel, LabelsStamp};

/// Locks what the calls of one process share. A call that panicked leaves it usable.
fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The rules and the state for labels of notes and agents, shared by the gateways of one process.
pub(super) struct Taint {
    sources: Arc<Sources>,
    /// The properties that label a note.
    rules: NoteRules,
    /// For how long an agent stays labelled.
    keep: SignedDuration,
    /// The label that the caller got in this process. It lasts as long as the process, regardless of the ledger, until
    /// a person clears the agent. `None` if sessions come and go.
    session: Option<Mutex<Option<AgentLabel>>>,
    /// The ledger as it was read last, with the stamp of its file.
    known: Mutex<Option<(LabelsStamp, Arc<labels::Labels>)>>,
    /// The view of the latest call, with the state of the index of notes in which it was made.
    known_view: Mutex<Option<(IndexState, Arc<LabelView>)>>,
    /// The sight without labelled notes of the latest call that needed one, while the index of notes is kept in memory.
    known_sight: Mutex<Option<NarrowedSight>>,
    /// The secret of harmless names if nothing can be stored.
    names_key: String,
}

/// A sight without labelled notes. It is the same value as long as it hides the same notes, so that the index that was
/// made for it serves again.
struct NarrowedSight {
    /// The latest view for which it was used.
    view: Arc<LabelView>,
    hidden: Hidden,
    /// The sight of the policy that it narrows.
    inner: Option<Arc<dyn Sight>>,
    sight: Arc<dyn Sight>,
}

impl Taint {
    /// Returns the rules and the state for labels; `None` if the settings label nothing.
    pub(super) fn from_settings(settings: &Settings) -> Result<Option<Arc<Self>>, Failure> {
        if !settings.taint.is_on() {
            return Ok(None);
        }
        let sources = settings.sources()?;
        Ok(Some(Arc::new(Self {
            rules: sources.note_rules().unwrap_or_default(),
            sources: Sources::new(sources, settings.taint.sources.clone()),
            keep: SignedDuration::from_hours(
                i64::try_from(settings.taint.keep_hours).unwrap_or(i64::MAX / 3600),
            ),
            session: Some(Mutex::default()),
            known: Mutex::default(),
            known_view: Mutex::default(),
            known_sight: Mutex::default(),
            names_key: Uuid::new_v4().simple().to_string(),
        })))
    }

    /// Returns the same without a label that lasts as long as the process.
    pub(super) fn without_session(&self) -> Self {
        Self {
            sources: Arc::clone(&self.sources),
            rules: self.rules.clone(),
            keep: self.keep,
            session: None,
            known: Mutex::default(),
            known_view: Mutex::default(),
            known_sight: Mutex::default(),
            names_key: self.names_key.clone(),
        }
    }

    /// Takes over the label of the caller from the gateway before a change of the settings.
    pub(super) fn goes_on_from(&self, other: &Self) {
        self.set_session_label(other.session_label());
    }

    fn session_label(&self) -> Option<AgentLabel> {
        locked(self.session.as_ref()?).clone()
    }

    fn set_session_label(&self, label: Option<AgentLabel>) {
        if let Some(session) = &self.session {
            *locked(session) = label;
        }
    }

    /// Returns the label that an agent has now.
    fn label_of(
        &self,
        agent: Option<&str>,
        labels: &labels::Labels,
        now: Timestamp,
    ) -> Option<AgentLabel> {
        let clearings = labels.clearings(agent);
        let is_open = |label: &AgentLabel| label.clearings == clearings;
        let stored = labels.agents.get(&labels::Labels::key(agent)).cloned();
        let stored = stored.filter(|label| now.duration_since(label.latest) < self.keep);
        let stored = stored.filter(is_open);
        stored.or_else(|| self.session_label().filter(is_open))
    }
}

/// The labels of notes and agents, for one caller.
#[derive(Clone, Copy)]
pub(crate) struct Labels<'gateway> {
    pub(crate) caller: &'gateway CallerContext,
    pub(crate) records: Records<'gateway>,
    /// `None` if the settings label nothing.
    pub(crate) taint: Option<&'gateway Arc<Taint>>,
    /// Whether the index of notes is kept in memory.
    pub(crate) is_followed: bool,
}

impl Labels<'_> {
    /// Whether the caller could get a label by its calls, and has none in this context.
    pub(crate) fn can_label_caller(&self) -> bool {
        self.labels_callers().is_some() && !self.caller.is_labelled()
    }

    /// Whether the caller has a label now.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the ledger of labels cannot be read.
    pub(crate) fn has_labelled_caller(&self, vault: &PinnedVault) -> Result<bool, Failure> {
        let labels = self.ledger(vault)?;
        let now = self.caller.now().timestamp();
        let label = |taint: &Arc<Taint>| taint.label_of(self.caller.agent(), &labels, now);
        Ok(self.labels_callers().and_then(label).is_some())
    }

    /// Returns the rules that label notes and agents, if this gateway's caller can be labelled.
    fn labels_callers(&self) -> Option<&Arc<Taint>> {
        self.taint.filter(|_| !self.caller.is_person())
    }

    /// Returns the ledger of labels. Without a state folder nothing is stored, and nothing can be changed.
    pub(super) fn ledger(&self, vault: &PinnedVault) -> Result<Arc<labels::Labels>, Failure> {
        let Some(taint) = self
            .taint
            .as_ref()
            .filter(|_| self.caller.state_folder().is_ok())
        else {
            return Ok(Arc::default());
        };
        let journal = self.records.journal_of(vault)?;
        let Some(stamp) = journal.labels_stamp() else {
            return Ok(Arc::default());
        };
        let known = locked(&taint.known).clone();
        if let Some((_, labels)) = known.filter(|(known, _)| *known == stamp) {
            return Ok(labels);
        }
        let labels = Arc::new(journal.labels()?);
        *locked(&taint.known) = Some((stamp, Arc::clone(&labels)));
        Ok(labels)
    }

    /// Returns the notes that are labelled for this caller; `None` if nothing labels notes.
    pub(super) fn view(&self, vault: &PinnedVault) -> Result<Option<Arc<LabelView>>, Failure> {
        let Some(taint) = self.taint else {
            return Ok(None);
        };
        let labels = match self.ledger(vault) {
            // A damaged ledger stops agents, and no person.
            Err(_) if self.caller.is_person() => return Ok(None),
            labels => labels?,
        };
        let agent = &self.caller.options.agent;
        let state = IndexedVault(&vault.engine)
            .index_state()
            .map_err(engine_failure)?;
        let known = locked(&taint.known_view).clone();
        if let Some((_, view)) = known.filter(|(of, _)| state.as_ref() == Some(of))
            && view.labels == labels
            && view.agent == *agent
            && view.lasts()
        {
            return Ok(Some(view));
        }
        let sources = Arc::clone(&taint.sources);
        let engine = vault.clone().to_the_end().engine;
        let view = Arc::new(LabelView::new(
            sources,
            taint.rules.clone(),
            labels,
            (agent.clone(), engine),
        ));
        if let Some(state) = state {
            *locked(&taint.known_view) = Some((state, Arc::clone(&view)));
        }
        Ok(Some(view))
    }

    /// Returns the sight of the caller without the labelled notes and the folders whose names may be outside text:
    /// what the suggestions in a failure are taken from.
    pub(super) fn sight_without_labelled_names(&self, view: &Arc<LabelView>) -> Arc<dyn Sight> {
        view.without_labelled(self.caller.sight.clone(), true)
    }

    /// Returns the sight of the caller without the labelled notes.
    pub(super) fn sight_without_labelled(&self, view: &Arc<LabelView>) -> Arc<dyn Sight> {
        let new = || view.without_labelled(self.caller.sight.clone(), false);
        let Some(taint) = self.taint.filter(|_| self.is_followed) else {
            return new();
        };
        let mut known = locked(&taint.known_sight);
        let is_same = |narrowed: &NarrowedSight| match (&narrowed.inner, &self.caller.sight) {
            (Some(inner), Some(sight)) => Arc::ptr_eq(inner, sight),
            (None, None) => true,
            _ => false,
        };
        let narrowed = known.take().filter(is_same);
        let narrowed = match narrowed {
            Some(narrowed) if Arc::ptr_eq(&narrowed.view, view) => narrowed,
            narrowed => {
                let Ok(hidden) = view.hidden() else {
                    return new();
                };
                let same = narrowed.filter(|narrowed| narrowed.hidden == hidden);
                let sight = same.map_or_else(new, |narrowed| narrowed.sight);
                let (view, inner) = (Arc::clone(view), self.caller.sight.clone());
                NarrowedSight {
                    view,
                    hidden,
                    inner,
                    sight,
                }
            }
        };
        Arc::clone(&known.insert(narrowed).sight)
    }

    /// Returns the labels that apply to what the caller reads; `None` for a person.
    pub(super) fn view_of_caller(
        &self,
        vault: &PinnedVault,
    ) -> Result<Option<Arc<LabelView>>, Failure> {
        match self.labels_callers() {
            Some(_) => self.view(vault),
            None => Ok(None),
        }
    }

    /// Labels the caller before it gets an answer. `note` is the labelled note, if one is known.
    fn label_caller(
        &self,
        vault: &PinnedVault,
        command: &str,
        note: Option<String>,
    ) -> Result<(), Failure> {
        let Some(taint) = self.labels_callers() else {
            return Ok(());
        };
        let now = self.caller.now().timestamp();
        let agent = self.caller.agent();
        let labels = self.ledger(vault)?;
        let known = taint.label_of(agent, &labels, now);
        let label = AgentLabel {
            latest: now,
            ..known.unwrap_or_else(|| AgentLabel {
                since: now,
                latest: now,
                clearings: labels.clearings(agent),
                command: command.to_owned(),
                note,
            })
        };
        taint.set_session_label(Some(label.clone()));
        if self.caller.state_folder().is_err() {
            return Ok(());
        }
        let journal = self.records.journal_of(vault)?;
        journal.change_labels(|labels| labels.agents.insert(labels::Labels::key(agent), label))?;
        Ok(())
    }

    /// Returns the label of the caller, for the envelope.
    pub(super) fn meta(&self, vault: &PinnedVault) -> Option<TaintMeta> {
        let taint = self.labels_callers()?;
        let labels = self.ledger(vault).ok()?;
        let now = self.caller.now().timestamp();
        let label = taint.label_of(self.caller.agent(), &labels, now)?;
        let mut shown = TaintMeta::from_label(label, taint.keep)?;
        shown.note = shown.note.filter(|note| {
            VaultPath::file(note).is_ok_and(|path| self.caller.policy.may_read(&path))
        });
        Some(shown)
    }

    /// Returns the reason for which the call goes into the draft, if only the label of its caller puts it there.
    pub(super) fn reason_for_draft(&self, call: &Call, vault: &PinnedVault) -> Option<String> {
        let open = self.caller.without_label.as_ref();
        let is_open =
            open.is_some_and(|policy| !policy.puts_into_draft(&call.command, call.effects()));
        self.meta(vault)
            .filter(|_| is_open)
            .map(|taint| taint.reason_for_draft())
    }
}
