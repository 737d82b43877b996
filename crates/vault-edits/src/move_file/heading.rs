//! `heading:rename` (`design/links.md`): renames a heading, or the id of a block, with the links to it.
//!
//! Links that name the renamed place, alone or as an outer heading, get the new name. Links that would lead to another
//! place are rewritten too, so that each leads where it led before. A link that led nowhere stays.

use std::ops::Range;

use obsidian_note::note_parts::heading::link_key;
use obsidian_note::note_parts::{PluginNote, block, heading};
use obsidian_note::{Anchors, EditMiss, Patch, Sheet, VaultPath, plural, shown};
use schemars::JsonSchema;
use serde::Serialize;
use vault_answers::{AnswerData, OwnForm};
use vault_files::{Args, Call, EngineError, Refusal};
use vault_index::anchors::facts_of;
use vault_index::target::required;
use vault_index::{AnchorLinks, IndexedVault, Target};

use super::following::Following;
use super::moved_anchors::MovedAnchors;
use super::setting::LinkSettings;
use crate::bond::Carried;
use crate::change::Change;
use crate::edit_command::{Edit, EditCommand};
use crate::note_edit::drawing_miss;

pub(crate) const HEADING_RENAME: EditCommand =
    EditCommand::own("heading:rename", rename_heading, &FORM);

static FORM: OwnForm = OwnForm::new::<RenamedHeading>("renamed-heading");

/// A heading or block of a note after its renaming.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RenamedHeading {
    /// The note.
    path: String,
    /// The old text of the heading, or the old id of the block with its `^`.
    from: String,
    /// The new text or id.
    to: String,
    /// Number of rewritten links.
    links: usize,
    /// The files with rewritten links, in byte order.
    paths: Vec<String>,
}

impl AnswerData for RenamedHeading {
    /// Returns a line such as `Renamed: a.md#Old -> a.md#New (3 links)`, and the files with rewritten links.
    fn text(&self) -> String {
        let path = shown::row(&self.path);
        let head = format!(
            "Renamed: {path}#{} -> {path}#{} ({})",
            shown::row(&self.from),
            shown::row(&self.to),
            plural::count(self.links, "link")
        );
        shown::with_rows(head, &self.paths)
    }
}

/// The maximum number of places of a block's id in a note that are tried.
const MOST_IDS: usize = 16;

fn rename_heading(call: &Call<'_>) -> Result<Edit, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let target = Target::note(vault, arguments, Refusal::NotMarkdown)?;
    let before = vault.read_target(&target.path, &target.requested)?;
    EngineError::check_text(&target.path, &before)?;
    let stop = vault.disk().cancellation();
    let sheet = Sheet::new(&before).with_cancellation(stop.clone());
    let renaming = renaming(&sheet, arguments);
    stop.check()?;
    let Renaming { patch, from, to } = renaming
        .and_then(|renaming| outside_of_data(&sheet, &target.path, renaming))
        .map_err(|mut error| {
            if let EngineError::EditMiss(miss) = &mut error {
                miss.path = Some(target.path.clone());
            }
            error
        })?;
    let renamed_text = sheet.with(&before, std::slice::from_ref(&patch));
    let mut answer = RenamedHeading {
        path: target.path.to_string(),
        from,
        to,
        links: 0,
        paths: Vec::new(),
    };
    let mut edit = Edit::new(answer.clone(), Vec::new(), target.warnings);
    if renamed_text == before {
        return Ok(edit);
    }
    let settings = LinkSettings::read(vault)?;
    let (updates, format) = (settings.update, settings.format);
    let indexed = IndexedVault(vault).column::<AnchorLinks>()?;
    let note = &target.path;
    let (facts, renamed_facts) = (facts_of(&before), facts_of(&renamed_text));
    let names = [answer.from.clone(), answer.to.clone()];
    let mut anchors = MovedAnchors::renamed(note, names, facts, renamed_facts);
    anchors.settle(
        (vault, &indexed.files, &settings),
        &[((note, note), &renamed_text)],
        |texts| texts.iter().map(|text| facts_of(text)).collect(),
    )?;
    let shift = anchors.shift(&indexed.files, format);
    let mut following = Following::new(vault, &shift, settings);
    let after = following.text((note, note), &renamed_text)?;
    following.follow(anchors.sources(&indexed), &indexed.warnings)?;
    if updates {
        answer.links = following.links;
        answer.paths = following.paths.iter().map(ToString::to_string).collect();
        answer.paths.sort_unstable();
    }
    edit.changes
        .push(Change::modify(note.clone(), before, after));
    following.finish(note, &mut edit.changes, &mut edit.warnings);
    edit.answer = answer.into();
    Ok(edit.carrying(Carried::Anchors(Box::new(anchors))))
}

/// The change of the note itself, without its links.
struct Renaming {
    patch: Patch,
    from: String,
    to: String,
}

/// Refuses a new name inside of the data of a drawing: Excalidraw finds its data by these headings and ids.
fn outside_of_data(
    sheet: &Sheet<'_>,
    path: &VaultPath,
    renaming: Renaming,
) -> Result<Renaming, EngineError> {
    match PluginNote::find(sheet, path) {
        Some(PluginNote::Drawing { data }) if renaming.patch.range.end > sheet.line_start(data) => {
            Err(EngineError::EditMiss(Box::new(drawing_miss(data))))
        }
        Some(PluginNote::Drawing { .. } | PluginNote::Board { .. }) | None => Ok(renaming),
    }
}

/// Finds the heading or block that the arguments name, and replaces its text.
fn renaming(sheet: &Sheet<'_>, arguments: &Args) -> Result<Renaming, EngineError> {
    const USAGE: &str = "heading:rename path=<path> heading=<heading> to=<new text>";
    let to = required(arguments, "to", USAGE)?.trim();
    let miss = |miss: EditMiss| EngineError::EditMiss(Box::new(miss));
    if let Some(id) = arguments.text("block") {
        let id = id.strip_prefix('^').unwrap_or(id);
        let found = block::find(sheet, id).map_err(miss)?;
        let blocks = &sheet.facts().blocks;
        let index = blocks.iter().position(|block| std::ptr::eq(block, found));
        return renamed_block(sheet, index.unwrap_or_default(), to);
    }
    let wanted = required(arguments, "heading", USAGE)?;
    let index = heading::find(sheet, wanted).map_err(miss)?;
    renamed_heading(sheet, index, to)
}

fn renamed_heading(sheet: &Sheet<'_>, index: usize, to: &str) -> Result<Renaming, EngineError> {
    let wrong = || {
        EngineError::argument(
            "to",
            "one line of text with letters or digits, without `#` before it, that is valid as a heading",
        )
    };
    let behind_marks = to.trim_start_matches('#');
    let has_marks = behind_marks.len() < to.len() && behind_marks.starts_with([' ', '\t']);
    if has_marks || link_key(to).is_empty() || to.contains(['\n', '\r']) {
        return Err(wrong());
    }
    let facts = sheet.facts();
    let headings = &facts.headings;
    let Some(old) = headings.get(index) else {
        return Err(wrong());
    };
    let anchors = Anchors::new(facts);
    let outer = anchors.outer(index);
    let is_sibling = |other: &usize| *other != index && anchors.outer(*other) == outer;
    let key = link_key(to);
    let taken = (0..headings.len()).filter(is_sibling).find_map(|other| {
        let heading = headings.get(other)?;
        (link_key(&heading.text) == key).then_some(heading)
    });
    if let Some(taken) = taken {
        let unfit = EditMiss::unfit(
            "the section around this heading already has a heading with the new text",
            "Pass another `to`. Links cannot tell two such headings apart.",
        );
        return Err(EngineError::EditMiss(Box::new(EditMiss {
            candidates: vec![heading::candidate(sheet, taken)],
            ..unfit
        })));
    }
    // The id of a block at the end of a heading is not part of its name.
    let id = facts.blocks.iter().find_map(|block| {
        let id = format!(" ^{}", block.id);
        (block.span.start.line == old.span.start.line && old.text.ends_with(&id)).then_some(id)
    });
    let id = id
        .filter(|id| !to.ends_with(id.as_str()))
        .unwrap_or_default();
    let text = format!("{to}{id}");
    let range = text_range(sheet, old).ok_or_else(wrong)?;
    let patch = Patch::new(range, text.clone());
    let after = sheet.with(sheet.bytes(), std::slice::from_ref(&patch));
    let after = facts_of(&after);
    let is_as_expected = after.headings.len() == headings.len()
        && after.blocks.len() == facts.blocks.len()
        && after
            .headings
            .iter()
            .zip(headings)
            .enumerate()
            .all(|(at, (new, old))| {
                let expected = if at == index { &text } else { &old.text };
                new.level == old.level && new.text == *expected
            });
    if !is_as_expected {
        return Err(wrong());
    }
    let from = old.text.strip_suffix(&id).unwrap_or(&old.text);
    Ok(Renaming {
        patch,
        from: from.to_owned(),
        to: to.to_owned(),
    })
}

/// Returns the bytes of a heading's text, without its `#` marks.
fn text_range(sheet: &Sheet<'_>, heading: &obsidian_note::Heading) -> Option<Range<usize>> {
    let start = usize::try_from(heading.span.start.byte).ok()?;
    let end = usize::try_from(heading.span.end.byte).ok()?;
    let written = sheet.text.get(start..end)?;
    let first = written.lines().next()?;
    let marked = first.trim_start();
    let behind_marks = marked.trim_start_matches('#');
    // An underlined heading may begin with `#` too, as in `#tag`.
    let text = match behind_marks.trim_start() {
        text if text.len() < behind_marks.len() && behind_marks.len() < marked.len() => text,
        _ => marked,
    };
    let at = start + (first.len() - text.len());
    text.starts_with(&heading.text)
        .then(|| at..at + heading.text.len())
}

fn renamed_block(sheet: &Sheet<'_>, index: usize, to: &str) -> Result<Renaming, EngineError> {
    let wrong = |rule: &'static str| EngineError::argument("to", rule);
    let new = to.strip_prefix('^').unwrap_or(to);
    let is_id = |id: &str| {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !id.is_empty() && id.bytes().all(is_allowed)
    };
    if !is_id(new) {
        return Err(wrong("the id of a block: ASCII letters, digits and `-`"));
    }
    let blocks = &sheet.facts().blocks;
    let Some(old) = blocks.get(index) else {
        return Err(wrong("the id of a block"));
    };
    let taken = blocks
        .iter()
        .enumerate()
        .find(|(other, block)| *other != index && block.id.eq_ignore_ascii_case(new));
    if let Some((_, taken)) = taken {
        let line = usize::try_from(taken.span.start.line).unwrap_or_default();
        let unfit = EditMiss::unfit(
            "another block of the note has this id",
            "Pass another `to`.",
        );
        return Err(EngineError::EditMiss(Box::new(EditMiss {
            candidates: vec![obsidian_note::EditCandidate::new(line, sheet.line(line))],
            ..unfit
        })));
    }
    let mark = format!("^{}", old.id);
    let from = usize::try_from(old.span.start.byte).unwrap_or(usize::MAX);
    let rest = sheet.text.get(from..).unwrap_or_default();
    let found =
        rest.match_indices(&mark)
            .take(MOST_IDS)
            .find_map(|(at, _)| {
                let start = from + at + 1;
                let patch = Patch::new(start..start + old.id.len(), new.to_owned());
                let after = facts_of(&sheet.with(sheet.bytes(), std::slice::from_ref(&patch)));
                let is_as_expected = after.headings.len() == sheet.facts().headings.len()
                    && after.blocks.len() == blocks.len()
                    && after.blocks.iter().zip(blocks).enumerate().all(
                        |(other, (after, before))| {
                            let expected = if other == index { new } else { &before.id };
                            after.id == expected && after.span.start.line == before.span.start.line
                        },
                    );
                is_as_expected.then_some(patch)
            });
    let patch = found.ok_or_else(|| wrong("an id that can stand at the end of the block"))?;
    Ok(Renaming {
        patch,
        from: mark,
        to: format!("^{new}"),
    })
}

#[cfg(test)]
mod tests;
