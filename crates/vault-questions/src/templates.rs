//! `templates` and `template:read` (`vault-semantics.md` §6.3).

use vault_answers::TemplateItem;
use vault_files::{Call, Collation, EngineError};
use vault_index::target::required;
use vault_index::{Template, Templates};

use super::reply::{Reply, listed};

/// Names of all templates.
pub(super) fn templates(call: &Call<'_>) -> Result<Reply, EngineError> {
    let templates = Templates::read(call.vault)?;
    let item = |template: Template| TemplateItem {
        name: template.name,
    };
    let mut items: Vec<TemplateItem> = templates.all.into_iter().map(item).collect();
    Collation::new()?.sort_by(&mut items, |item| &item.name);
    let answer = listed(items, call.arguments);
    Ok(Reply::new(answer, templates.warnings))
}

/// Returns the text of one template; with `resolve` its variables are replaced. Without a title `{{title}}` stays,
/// because there is no note whose title it could be.
pub(super) fn read(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let name = required(
        arguments,
        "name",
        "template:read name=<template> [resolve] [title=<title>]",
    )?;
    let templates = Templates::read(vault)?;
    let template = templates.find(name)?;
    let mut note = vault.read_note(&template.path)?;
    let is_resolved = arguments.flag("resolve");
    if is_resolved {
        let title = arguments.text("title");
        note.text = templates.fill(&note.text, title, &call.surroundings.now);
    }
    let mut reply = Reply::of_note(note, templates.warnings);
    if is_resolved {
        // The text differs from the file's, so the file's bytes must not be hashed for it.
        reply.bytes = None;
    }
    Ok(reply)
}
