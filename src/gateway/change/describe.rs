//! `dryRun`: reports what would be done.

use cli_output::shown;
use serde_json::json;

use super::change_plan::ChangePlan;
use crate::allowlist::{Effect, EffectSet};
use crate::backend::obsidian::Obsidian;
use crate::backend::{Limits, Produced, ResolvedCall};
use crate::failure::Failure;
use crate::gateway::choice::{Backend, Choice};
use crate::json::object;

/// Reports the effects, the files with their diffs, the hash of the plan, and the number of
/// processes that would be started.
pub(in crate::gateway) fn describe(
    resolved: &ResolvedCall,
    plan: ChangePlan,
    (choice, approval): (&Choice, EffectSet),
    limits: &Limits,
) -> Result<Produced, Failure> {
    let processes = match &choice.backend {
        Backend::Obsidian(ready) => Obsidian::parts(resolved, ready)?,
        Backend::Embedded => 0,
    };
    let mut warnings = resolved.warnings.clone();
    warnings.extend(plan.warnings());
    let effects = plan.effects(&resolved.call);
    let effects: Vec<&str> = effects.iter().map(Effect::name).collect();
    let changes = plan.edit.map_or_else(Vec::new, |edit| edit.changes);
    let planned = plan.planned.with_diffs(&changes, limits)?;
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
    let mut described = object(json!({
        "dryRun": true,
        "backend": choice.answerer(),
        "effects": effects,
        "processes": processes,
    }));
    if let Some(note) = &resolved.note {
        described.insert("path".to_owned(), json!(note.as_str()));
    }
    if resolved.call.effects().has_plan() {
        described.insert("needsApproval".to_owned(), json!(!approval.is_empty()));
        described.extend(planned.to_data());
        text += &format!("plan: {}\n{}", planned.hash, planned.to_text());
    }
    Ok(Produced { warnings, ..Produced::told(described, text) })
}
