//! `dryRun`: what would be run, with nothing run.

use serde_json::{Map, json};

use super::choose::{Backend, Choice};
use crate::allowlist::Effect;
use crate::backend::obsidian::Obsidian;
use crate::backend::{Plan, Produced};
use crate::failure::Failure;

/// Checks all that can be checked without running, and tells the effects, the note, and how many
/// processes would be started.
pub(super) fn describe(plan: &Plan, choice: &Choice) -> Result<Produced, Failure> {
    let processes = match &choice.backend {
        Backend::Obsidian(ready) => Obsidian::parts(plan, ready)?,
        Backend::Embedded => 0,
    };
    let effects: Vec<&str> = plan.call.effects().iter().map(Effect::name).collect();
    let mut text = format!(
        "Nothing was run. It would be answered by {}.\neffects: {}\n",
        match choice.backend {
            Backend::Obsidian(_) => "the official program",
            Backend::Embedded => "the embedded engine",
        },
        effects.join(", ")
    );
    if let Some(note) = &plan.note {
        text += &format!("note: {note}\n");
    }
    let mut described = Map::new();
    described.insert("dryRun".to_owned(), json!(true));
    described.insert("backend".to_owned(), json!(choice.answerer()));
    described.insert("effects".to_owned(), json!(effects));
    described.insert("processes".to_owned(), json!(processes));
    if let Some(note) = &plan.note {
        described.insert("path".to_owned(), json!(note.as_str()));
    }
    Ok(Produced {
        dry_run: Some(described),
        exact_text: Some(text.into_bytes()),
        warnings: plan.warnings.clone(),
        ..Produced::default()
    })
}
