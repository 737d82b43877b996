//! `note:merge`: puts the text of a note into another one and removes the note, as the app's Note composer does
//! (`vault-semantics.md` §7.8).

use obsidian_note::frontmatter::property;
use obsidian_note::note_parts::heading;
use obsidian_note::{
    EditMiss, Frontmatter, NoteFacts, SectionKind, Sheet, VaultPath, Warning, plural, shown,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use vault_answers::{AnswerData, OwnForm};
use vault_files::{Call, EngineError, Refusal, Vault};
use vault_index::target::missing;
use vault_index::{IndexedVault, LinkTexts, Target};

use super::following::Following;
use super::line_merge::{LineMerge, MAX_BYTES};
use super::moved_anchors::MovedAnchors;
use super::places::{Composed, Places, TextPart};
use super::setting::LinkSettings;
use super::shift::Shift;
use crate::append::refuse_board_or_drawing;
use crate::bond::{BondKind, Carried};
use crate::change::Change;
use crate::delete::removal;
use crate::edit_command::{Edit, EditCommand};
use crate::property::items::{is_list_name, list_in, text_of, with_list, with_list_of};
use crate::property::numbers::Numbers;
use crate::property::with_property;

pub(crate) const MERGE: EditCommand = EditCommand::own("note:merge", merge, &FORM);

static FORM: OwnForm = OwnForm::new::<MergedNote>("merged-note");

/// A note whose text is in another note now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MergedNote {
    /// The note that was removed.
    path: String,
    /// The note that has its text now.
    into: String,
    /// Number of rewritten links.
    links: usize,
    /// Number of files with such links.
    files: usize,
    /// The properties of `into` that have a new value.
    properties: Vec<String>,
    /// The properties of the removed note whose values are not in `into`, because it has other values.
    left_out: Vec<String>,
}

impl AnswerData for MergedNote {
    /// Returns a line such as `Merged: a.md -> b.md (3 links in 2 files)`, and one about properties that were left out.
    fn text(&self) -> String {
        let mut text = format!(
            "Merged: {} -> {} ({} in {})",
            shown::row(&self.path),
            shown::row(&self.into),
            plural::count(self.links, "link"),
            plural::count(self.files, "file"),
        );
        if !self.left_out.is_empty() {
            let names = self.left_out.join(", ");
            text += &format!("\nProperties left out: {}", shown::row(&names));
        }
        text
    }
}

/// The place of the merged text.
#[derive(Clone, Copy)]
enum Spot {
    /// At the start of the text, below the properties.
    Start,
    /// At the end of the text.
    End,
    /// Right below the heading with this index.
    Below(usize),
    /// At the end of the section of the heading with this index.
    EndOf(usize),
}

/// A text that was put into a note.
struct Inserted {
    note: Vec<u8>,
    /// The byte offset in the note before, without its byte order mark.
    at: usize,
}

fn merge(call: &Call<'_>) -> Result<Edit, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let usage = "note:merge [file=<name>] [path=<path>] into=<path>";
    let into = arguments
        .path("into")
        .ok_or_else(|| missing("into", usage))?;
    let source = Target::note(vault, arguments, Refusal::NotMarkdown)?;
    let from = source.path.clone();
    let note = vault.read_target(&from, &source.requested)?;
    if *into == from {
        return Err(EngineError::argument(
            "into",
            "another note than the one that is merged",
        ));
    }
    let target = vault.read_target(into, into.as_str())?;
    if !into.is_note() {
        return Err(EngineError::Refused(Refusal::NotMarkdown));
    }
    for (path, bytes) in [(&from, &note), (into, &target)] {
        EngineError::check_text(path, bytes)?;
        refuse_board_or_drawing(bytes, path)?;
    }
    let sheets = [Sheet::new(&note), Sheet::new(&target)];
    let at_start = arguments.text("position") == Some("start");
    let by_lines = arguments.text("position") == Some("lines");
    if by_lines && arguments.text("heading").is_some() {
        return Err(EngineError::argument(
            "position",
            "`end` or `start` if `heading` is given",
        ));
    }
    let line_merge = by_lines
        .then(|| line_merge((&from, &sheets[0]), (into, &sheets[1])))
        .transpose()?;
    let spot = match arguments.text("heading") {
        None if at_start => Spot::Start,
        None => Spot::End,
        Some(wanted) => {
            let index = heading::find(&sheets[1], wanted).map_err(|miss| placed(miss, into))?;
            if at_start {
                Spot::Below(index)
            } else {
                Spot::EndOf(index)
            }
        }
    };
    let (source_note, target_note) = ((&from, &*note, &sheets[0]), (into, &*target, &sheets[1]));
    let mut anchors = match &line_merge {
        Some(merge) => anchors_by_lines(source_note, target_note, merge)?,
        None => moved_anchors(source_note, target_note, spot)?,
    };
    let mut warnings = source.warnings;
    let mut changes = removal(vault, &from, arguments.flag("permanent"), &mut warnings)?;

    let indexed = IndexedVault(vault).column::<LinkTexts>()?;
    let settings = LinkSettings::read(vault)?;
    let joined = |note: &[u8], target: &[u8]| {
        let note = Sheet::new(note);
        match &line_merge {
            Some(merge) => merge.merged(target, body(&note)),
            None => inserted(target, body(&note), spot).note,
        }
    };
    anchors.settle(
        (vault, &indexed.files, &settings),
        &[((&from, into), &note), ((into, into), &target)],
        |texts| match texts {
            [note, target] => vec![Sheet::new(&joined(note, target)).facts().clone()],
            _ => Vec::new(),
        },
    )?;
    let shift = anchors.shift(&indexed.files, settings.format);
    let mut following = Following::new(vault, &shift, settings);
    let note = following.text((&from, into), &note)?;
    let mut after = following.text((into, into), &target)?;
    following.follow_all(&indexed, &[&from, into])?;

    let mut answer = MergedNote {
        path: from.to_string(),
        into: into.to_string(),
        links: following.links,
        files: following.paths.len(),
        properties: Vec::new(),
        left_out: Vec::new(),
    };
    if arguments.text("properties") != Some("target") {
        after = united(vault, into, after, (&from, &note), &mut answer)?;
    }
    if arguments.flag("alias") {
        after = with_alias(vault, into, after, from.basename(), &mut answer)?;
    }
    let after = joined(&note, &after);
    warnings.extend(embeds_itself(&shift, into, &after));
    warnings.extend(footnotes_twice(&sheets, into));
    changes.extend(Change::modified(into.clone(), target.clone(), after));
    following.finish(&from, &mut changes, &mut warnings);
    let carried = Carried::Anchors(Box::new(anchors));
    Ok(Edit::new(answer, changes, warnings).carrying(carried))
}

/// Returns what links see of the merge, and checks that both texts keep their structure.
fn moved_anchors(
    (from, note, source): (&VaultPath, &[u8], &Sheet<'_>),
    (into, target_note, target): (&VaultPath, &[u8], &Sheet<'_>),
    spot: Spot,
) -> Result<MovedAnchors, EngineError> {
    let Inserted { note: after, at } = inserted(target_note, body(source), spot);
    let after = Sheet::new(&after);
    if after.yaml() != target.yaml() {
        return Err(becomes_properties(into));
    }
    let part = |note, range| TextPart { note, range };
    let composed = Composed {
        path: into.clone(),
        facts: after.facts().clone(),
        parts: vec![
            part(1, 0..at),
            part(0, 0..usize::MAX),
            part(1, at..usize::MAX),
        ],
    };
    let before = vec![facts_of((from, source)), facts_of((into, target))];
    MovedAnchors::new((from, into, BondKind::Merged), note, before, vec![composed])
}

/// Compares the texts of two notes, without their properties.
fn line_merge(
    (from, source): (&VaultPath, &Sheet<'_>),
    (into, target): (&VaultPath, &Sheet<'_>),
) -> Result<LineMerge, EngineError> {
    for (path, sheet) in [(from, source), (into, target)] {
        if sheet.text.len() > MAX_BYTES {
            return Err(EngineError::BodyTooLong {
                path: path.clone(),
                limit: MAX_BYTES,
                unit: "bytes",
            });
        }
    }
    Ok(LineMerge::new(target, body(source)))
}

/// As [`moved_anchors`], for a merge line by line.
fn anchors_by_lines(
    (from, note, source): (&VaultPath, &[u8], &Sheet<'_>),
    (into, target_note, target): (&VaultPath, &[u8], &Sheet<'_>),
    merge: &LineMerge,
) -> Result<MovedAnchors, EngineError> {
    let after = merge.merged(target_note, body(source));
    let after = Sheet::new(&after);
    if after.body_start() != target.body_start() {
        return Err(becomes_properties(into));
    }
    let first = target.first_body_line();
    let mut text = source.first_body_line()..source.line_count();
    let first_of_text = text
        .find(|line| !source.is_blank(*line))
        .unwrap_or_default();
    let line_of = |note: usize, line: usize| {
        first
            + if note == 0 {
                merge.line_of_text(line.saturating_sub(first_of_text))
            } else {
                merge.line_of_target(line.saturating_sub(first))
            }
    };
    let before = vec![facts_of((from, source)), facts_of((into, target))];
    let places = Places::by_lines(before, (into.clone(), after.facts().clone()), line_of);
    MovedAnchors::with_places((from, into, BondKind::Merged), note, places)
}

/// Returns the path of a note, and what its text has.
fn facts_of((path, note): (&VaultPath, &Sheet<'_>)) -> (VaultPath, NoteFacts) {
    (path.clone(), note.facts().clone())
}

fn becomes_properties(into: &VaultPath) -> EngineError {
    let miss = EditMiss::unfit(
        "the text of the merged note begins with `---`, so it would become properties",
        "Append the text at the end of the other note. Or make a heading the first line of the note that you merge.",
    );
    placed(miss, into)
}

/// Returns the error for a place in this note.
pub(super) fn placed(miss: EditMiss, path: &VaultPath) -> EngineError {
    let path = Some(path.clone());
    EngineError::EditMiss(Box::new(EditMiss { path, ..miss }))
}

/// Returns the text of a note below its properties, without blank lines around it.
fn body<'sheet>(sheet: &'sheet Sheet<'_>) -> &'sheet str {
    let lines =
        || (sheet.first_body_line()..sheet.line_count()).filter(|line| !sheet.is_blank(*line));
    match (lines().next(), lines().next_back()) {
        (Some(first), Some(last)) => {
            let range = sheet.line_start(first)..sheet.line_range(last).end;
            sheet.text.get(range).unwrap_or_default()
        }
        _ => "",
    }
}

/// Puts a text into a note, with a blank line between it and the text around it.
fn inserted(note: &[u8], text: &str, spot: Spot) -> Inserted {
    let sheet = Sheet::new(note);
    let first = sheet.first_body_line();
    let line = match spot {
        Spot::Start => first,
        Spot::End => sheet.line_count(),
        Spot::Below(index) => heading::below(&sheet, index).start,
        Spot::EndOf(index) => heading::below(&sheet, index).section_end,
    };
    let at = sheet.line_start(line);
    if text.is_empty() {
        return Inserted {
            note: note.to_vec(),
            at,
        };
    }
    let gap = |is_needed: bool| if is_needed { sheet.line_end() } else { "" };
    let before = gap(line > first && !sheet.is_blank(line - 1));
    let after = gap(line < sheet.line_count() && !sheet.is_blank(line));
    let text = format!("{before}{}{after}", sheet.with_line_ends(text));
    let patch = sheet.inserted(line, &text);
    Inserted {
        note: sheet.with(note, &[patch]),
        at,
    }
}

pub(crate) fn properties_of(
    path: &VaultPath,
    note: &[u8],
) -> Result<Map<String, Value>, EngineError> {
    let text = String::from_utf8_lossy(note);
    let parsed = Frontmatter::parse_note(&text).map_err(|error| EngineError::Properties {
        path: path.clone(),
        reason: error.fault.to_string(),
    })?;
    Ok(parsed.properties)
}

/// Returns the note `into` with the properties of the note `from`. Its own values win; lists are united.
fn united(
    vault: &Vault,
    into: &VaultPath,
    mut target: Vec<u8>,
    (from, note): (&VaultPath, &[u8]),
    answer: &mut MergedNote,
) -> Result<Vec<u8>, EngineError> {
    let given = properties_of(from, note)?;
    if given.is_empty() {
        return Ok(target);
    }
    let present = properties_of(into, &target)?;
    for (name, value) in &given {
        let numbers = Numbers::of(note, name, from)?;
        let is_written_otherwise = match property(&present, name) {
            Some((own_name, own)) if !own.is_null() => {
                numbers.differ_from(&Numbers::of(&target, own_name, into)?)
            }
            _ => false,
        };
        match property(&present, name) {
            // `007` and `7` are the same number, but may be meant as different names.
            Some(_) if is_written_otherwise => answer.left_out.push(name.clone()),
            Some((_, own)) if own == value || value.is_null() => {}
            Some((own_name, own)) if !own.is_null() => {
                let are_lists = own.is_array() && value.is_array();
                let items = (are_lists || is_list_name(name))
                    .then(|| {
                        list_in(note, name, from)
                            .and_then(|(_, items)| Ok((list_in(&target, own_name, into)?.1, items)))
                    })
                    .transpose();
                let Ok(Some((mut own_items, items))) = items else {
                    answer.left_out.push(name.clone());
                    continue;
                };
                let count = own_items.len();
                for item in items {
                    let text = text_of(&item);
                    if !own_items.iter().any(|own| text_of(own) == text) {
                        own_items.push(item);
                    }
                }
                if own_items.len() > count {
                    let list = (into, target.as_slice());
                    target = with_list_of(vault, list, own_name, &own_items, numbers)?;
                    answer.properties.push(own_name.clone());
                }
            }
            found => {
                let name = found.map_or(name, |(own_name, _)| own_name);
                target = with_property(vault, into, &target, name, Some(value))?;
                target = numbers.kept_in(target, name, from)?;
                answer.properties.push(name.clone());
            }
        }
    }
    Ok(target)
}

/// Returns the note with this alias.
fn with_alias(
    vault: &Vault,
    into: &VaultPath,
    note: Vec<u8>,
    alias: &str,
    answer: &mut MergedNote,
) -> Result<Vec<u8>, EngineError> {
    let (name, mut items) = list_in(&note, "aliases", into)?;
    if alias == into.basename() || items.iter().any(|item| text_of(item) == alias) {
        return Ok(note);
    }
    items.push(Value::from(alias));
    if !answer.properties.contains(&name) {
        answer.properties.push(name.clone());
    }
    with_list(vault, into, &note, &name, &items)
}

fn embeds_itself(shift: &Shift, into: &VaultPath, after: &[u8]) -> Option<Warning> {
    let sheet = Sheet::new(after);
    let is_self = |target: &str| {
        !target.contains('#') && shift.target_after(target, into).as_ref() == Some(into)
    };
    let embeds = sheet.facts().embeds.iter();
    let embeds = embeds.filter(|embed| is_self(&embed.target)).count();
    (embeds > 0).then(|| Warning::EmbedsItself {
        path: into.clone(),
        embeds,
    })
}

fn footnotes_twice([source, target]: &[Sheet<'_>; 2], into: &VaultPath) -> Option<Warning> {
    let own = footnotes(target);
    let mut twice: Vec<&str> = footnotes(source)
        .into_iter()
        .filter(|name| own.contains(name))
        .collect();
    twice.dedup();
    Some(Warning::FootnotesTwice {
        path: into.clone(),
        count: twice.len(),
        name: (*twice.first()?).to_owned(),
    })
}

/// Returns the names of the footnotes that a note defines.
fn footnotes<'sheet>(sheet: &'sheet Sheet<'_>) -> Vec<&'sheet str> {
    let sections = sheet.facts().sections.iter();
    let definitions = sections.filter(|section| section.kind == SectionKind::FootnoteDefinition);
    definitions
        .filter_map(|section| {
            let line = sheet.line(section.span.start.line as usize);
            let (name, _) = line.trim_start().strip_prefix("[^")?.split_once("]:")?;
            Some(name)
        })
        .collect()
}
