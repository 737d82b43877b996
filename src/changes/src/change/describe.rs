//! `dryRun`: reports what would be done.

use serde::Serialize;
use vault_answers::AnswerData;
use vault_engine::{VaultPath, shown};

use super::change_plan::ChangePlan;
use super::planned::Planned;
use crate::choice::{Backend, Choice};
use allowlist::{Effect, EffectSet};
use backend::{Limits, Produced, ResolvedCall};
use obsidian_cli::Obsidian;
use protocol::{Answerer, Failure};

/// Reports the effects, the files with their diffs, the hash of the plan, and the number of
/// processes that would be started. Files of the app, such as its bookmarks, name notes that an agent may not see, so only
/// a person gets a diff of these.
///
/// # Errors
///
/// If the files before the change cannot be read.
pub fn describe(
    resolved: &ResolvedCall,
    plan: ChangePlan,
    (choice, approval, is_drafted): (&Choice, EffectSet, bool),
    is_person: bool,
    limits: &Limits,
) -> Result<Produced, Failure> {
    let processes = match &choice.backend {
        Backend::Obsidian(ready) => Obsidian::parts(resolved, ready)?,
        Backend::Embedded => 0,
    };
    let mut warnings = resolved.warnings.clone();
    warnings.extend(plan.warnings());
    let effects = plan.effects(&resolved.call);
    let effects: Vec<&'static str> = effects.iter().map(Effect::name).collect();
    let mut changes = plan.edit.map_or_else(Vec::new, |edit| edit.changes);
    changes.retain(|change| is_person || !change.paths().any(VaultPath::is_hidden));
    let planned = plan
        .planned
        .with_diffs(&changes, (limits.deadline, &limits.cancel))?;
    let mut text = format!(
        "Nothing was run. It would be answered by {}.\neffects: {}\n",
        match choice.backend {
            Backend::Obsidian(_) => "the official program",
            Backend::Embedded => "the embedded engine",
        },
        effects.join(", ")
    );
    if let Some(note) = &resolved.note {
        text += &format!("note: {}\n", shown::row(note.as_str()));
    }
    if is_drafted {
        text += "It would go into the draft, which a person reviews.\n";
    }
    let has_plan = resolved.call.effects().has_plan();
    if has_plan {
        text += &format!("plan: {}\n{}", planned.hash, planned.to_text());
    }
    let plan = Plan {
        dry_run: true,
        backend: choice.answerer(),
        effects,
        processes,
        path: resolved.note.clone(),
        needs_approval: has_plan.then_some(!approval.is_empty()),
        drafted: is_drafted,
        changes: has_plan.then_some(planned),
    };
    Ok(Produced {
        warnings,
        ..Produced::with_text(plan, text)
    })
}

/// The answer of a dry run: the planned change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    dry_run: bool,
    backend: Answerer,
    effects: Vec<&'static str>,
    processes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<VaultPath>,
    #[serde(skip_serializing_if = "Option::is_none")]
    needs_approval: Option<bool>,
    /// Whether the change would go into the draft.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    drafted: bool,
    /// The change to each file; only for a change.
    #[serde(flatten)]
    pub changes: Option<Planned>,
}

impl AnswerData for Plan {
    fn planned_files(&self) -> Option<usize> {
        Some(
            self.changes
                .as_ref()
                .map_or(0, |changes| changes.files.len()),
        )
    }
}
