//! `vault-gw outside`: what is labelled, why, and that a person clears it.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, json};
use vault_answers::AnswerData;
use vault_engine::{Editor, EngineError, IndexedVault, State, VaultPath};

use super::Labels;
use crate::error::Error;
use crate::vault::Vaults;
use allowlist::Effect;
use backend::{PinnedVault, Produced, engine_failure};
use changes::{EnvelopeBuilder, TaintMeta};
use protocol::Failure;
use settings::EVERY_AGENT;
use store::labels::{self, Why};

/// The name in envelopes and in the audit log.
pub(crate) const CLEAR: &str = "taint:clear";

/// The labels in a vault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaintReport {
    /// Whether the settings name any source. Otherwise nothing is labelled.
    pub on: bool,
    /// The agents that have got outside text and are restricted.
    pub agents: Vec<LabelledAgent>,
    /// The notes that calls have labelled. Those that only a folder or a property labels are not listed.
    pub notes: Vec<LabelledNote>,
    /// Notes that a person cleared although a folder or a property labels them.
    pub cleared: Vec<String>,
}

/// An agent that has got outside text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LabelledAgent {
    /// Its name; empty for agents without one.
    pub agent: String,
    /// Since when and until when it is restricted, and by which call.
    #[serde(flatten)]
    pub taint: TaintMeta,
}

/// A note with a label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LabelledNote {
    /// The note.
    pub path: String,
    /// The reason for the label, as the rest of a sentence that starts with "It".
    pub why: String,
    /// The agent whose draft has it, if it is only there. Empty for agents without a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft: Option<String>,
}

/// The notes and agents whose labels were cleared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct ClearedLabels {
    notes: Vec<String>,
    agents: Vec<String>,
}

impl AnswerData for ClearedLabels {}

impl Labels<'_> {
    /// Returns the labelled notes and agents of the vault.
    pub(crate) fn report(&self, vault: &PinnedVault) -> Result<TaintReport, Failure> {
        let labels = self.ledger(vault)?;
        let now = self.caller.now().timestamp();
        let agents = self.taint.iter().flat_map(|taint| {
            labels.agents.keys().filter_map(|agent| {
                let name = (!agent.is_empty()).then_some(agent.as_str());
                let label = taint.label_of(name, &labels, now)?;
                Some(LabelledAgent {
                    agent: agent.clone(),
                    taint: TaintMeta::from_label(label, taint.keep)?,
                })
            })
        });
        let listed = labels.notes.iter();
        let listed = listed.filter(|(_, label)| label.why != Why::Source);
        let notes = listed.map(|(path, label)| (None, path, label));
        let drafted = labels.drafts.iter().flat_map(|(agent, notes)| {
            let notes = notes.iter();
            notes.map(move |(path, label)| (Some(agent.clone()), path, label))
        });
        let notes = notes
            .chain(drafted)
            .map(|(draft, path, label)| LabelledNote {
                path: path.clone(),
                why: label.in_words(),
                draft,
            });
        Ok(TaintReport {
            on: self.taint.is_some(),
            agents: agents.collect(),
            notes: notes.collect(),
            cleared: labels.cleared.keys().cloned().collect(),
        })
    }

    /// Returns the path of a note and the reason why it is labelled, as the rest of a sentence that starts with "It";
    /// `None` if it is not.
    pub(crate) fn why_labelled(
        &self,
        vault: &PinnedVault,
        note: &str,
    ) -> Result<(String, Option<String>), Failure> {
        let (path, _) = named(vault, note)?;
        let why = self.view(vault)?.and_then(|view| view.why(&path));
        Ok((path.to_string(), why))
    }

    /// Clears the labels of notes, and of agents; `None` means no agent, and an empty list all of them.
    pub(crate) fn clear(
        &self,
        vaults: Vaults<'_>,
        notes: &[String],
        agents: Option<&[String]>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        if !self.caller.is_person() {
            return Err(Error::NotAPerson.into());
        }
        let mut params = Map::from_iter([("notes".to_owned(), json!(notes))]);
        params.extend(agents.map(|agents| ("agents".to_owned(), json!(agents))));
        trace.record_question(params, Effect::Read);
        let vault = vaults.open_safely()?;
        trace.opened(&vault, vaults.instead_of_set(&vault));
        let (notes, agents) = self.cleared(&vault, notes, agents)?;
        let mut text = String::new();
        for note in &notes {
            text += &format!("Cleared {}.\n", vault_engine::shown::row(note));
        }
        for agent in &agents {
            let name = if agent.is_empty() {
                "agents without a name"
            } else {
                agent
            };
            text += &format!("Cleared {}.\n", vault_engine::shown::row(name));
        }
        if text.is_empty() {
            "Nothing was marked as outside text.\n".clone_into(&mut text);
        }
        Ok(Produced::with_text(ClearedLabels { notes, agents }, text))
    }

    /// Clears labels, and returns the notes and agents that had one.
    fn cleared(
        &self,
        vault: &PinnedVault,
        notes: &[String],
        agents: Option<&[String]>,
    ) -> Result<(Vec<String>, Vec<String>), Failure> {
        let Some(view) = self.view(vault)? else {
            return Ok((Vec::new(), Vec::new()));
        };
        let mut labelled = Vec::new();
        for note in notes {
            let (path, is_folder) = named(vault, note)?;
            let bytes = if is_folder {
                Vec::new()
            } else {
                vault.engine.read_bytes(&path).map_err(engine_failure)?
            };
            if view.is_labelled(&path, Some(&bytes)) {
                labelled.push((!is_folder && view.is_by_rule(&path), path, bytes));
            }
        }
        let known: BTreeSet<&String> = view.labels.agents.keys().collect();
        let chosen: Vec<String> = match agents {
            Some([]) => known.iter().copied().cloned().collect(),
            named => named.unwrap_or_default().to_vec(),
        };
        if let Some(unknown) = chosen
            .iter()
            .find(|name| !(known.contains(name) || self.caller.settings.agents.contains_key(*name)))
        {
            return Err(Error::NoAgent(unknown.clone()).into());
        }
        if labelled.is_empty() && agents.is_none() {
            return Ok((Vec::new(), Vec::new()));
        }
        // A process that runs may have a label that the ledger does not know any more.
        let every = agents
            .filter(|agents| agents.is_empty())
            .map(|_| EVERY_AGENT.to_owned());
        let change = |labels: &mut labels::Labels| {
            for (by_rule, path, bytes) in &labelled {
                labels.clear(path, bytes, *by_rule);
            }
            for agent in chosen.iter().chain(&every) {
                labels.clear_agent(agent);
            }
        };
        self.records.journal_of(vault)?.change_labels(change)?;
        let labelled = labelled.into_iter();
        Ok((
            labelled.map(|(_, path, _)| path.to_string()).collect(),
            chosen,
        ))
    }
}

/// Returns the path that a person names, and whether it is a folder: a path as it is, or the name of a note as in a
/// wikilink.
fn named(vault: &PinnedVault, note: &str) -> Result<(VaultPath, bool), Failure> {
    let path = VaultPath::file(note).map_err(|error| Error::NotAPath(note.to_owned(), error))?;
    let state = Editor(&vault.engine).state_at(&path);
    let state = state.map_err(engine_failure)?;
    if state != State::Absent {
        return Ok((path, state == State::Folder));
    }
    let lookup = IndexedVault(&vault.engine).resolve(note);
    let found = lookup.map_err(engine_failure)?.resolution.path();
    let found = found.ok_or_else(|| engine_failure(EngineError::file_not_found(note)));
    found.map(|path| (path, false))
}
