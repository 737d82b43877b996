//! `note:edit` (`design/tasks.md`): several edits in one note or base, all or none.
//!
//! All edits find their places in the original note. A place that is missing or ambiguous is an
//! [`EditMiss`], and then nothing changes. Bytes outside of the edited places stay.
//!
//! - `old` is searched in the text below the properties. Only with `frontmatter` may `old`, `lines` and `afterLine`
//!   touch the properties; their YAML must remain readable and end at the same place. No other edit may turn text into
//!   properties. Two edits of the same text are refused.
//! - A heading is found as a link finds it: without markup, punctuation and case; the whole text first, then `A#B` and
//!   `A/B`. Its text ends at the next heading of any rank. `replace` without `reach` is refused if there are headings
//!   below it.
//! - Content is inserted as whole lines with the line ends of the note. An item appended to a section is added to its
//!   list. Content is refused that would change the other headings of the note, or the block that an id names; that
//!   repeats the heading or ends its section with a heading of a higher rank; in boards if it is not a card of a lane;
//!   in the data of drawings.
//! - The `text` of a candidate for a missing place can be sent as `old`; a cut text is `begins` instead. It has whole
//!   words, and ends with the line or sentence if the sent text does. Similar text of the properties is offered too.

mod block;
mod heading;
mod instruction;
mod join;
mod lines;
#[cfg(test)]
mod random;
#[cfg(test)]
mod tests;
mod text;
mod verify;

use obsidian_note::note_parts::PluginNote;
use obsidian_note::{CancellationToken, EditMiss, Patch, Sheet, VaultPath};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use vault_answers::{AnswerData, OwnForm};
use vault_files::{Arg, Args, Call, EngineError, ListError, Refusal, Vault};
use vault_index::Target;
use vault_index::chosen_view::is_base;

use self::instruction::{FLAGS, KnownLines, Place, is_without_place, keys};
use super::change::Change;
use super::edit_command::{Edit, EditCommand};
use crate::Editor;

pub use self::instruction::{Instruction, MAX_EDITS};
pub(super) use self::join::{blank_line_after, blank_line_before, marker_length};
pub(super) use self::verify::drawing_miss;

pub(super) const NOTE_EDIT: EditCommand = EditCommand::own("note:edit", note_edit, &FORM);

static FORM: OwnForm = OwnForm::new::<EditedNote>("edited-note");

/// A note after an edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EditedNote {
    /// The note.
    pub(super) path: String,
    /// Whether it is not what it was.
    pub(super) changed: bool,
    /// The edited places, in the order of the note.
    pub(super) places: Vec<EditedPlace>,
}

/// One place that was edited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EditedPlace {
    /// Index of the edit in the list, from 0.
    pub(super) edit: usize,
    /// Its first line in the note as it is now, from 1.
    pub(super) line: usize,
    /// Its last line.
    pub(super) end_line: usize,
}

impl AnswerData for EditedNote {
    /// Returns a line such as `Edited: a.md (line 3, lines 10-12)`.
    fn text(&self) -> String {
        let path = obsidian_note::shown::row(&self.path);
        if !self.changed {
            return format!("Unchanged: {path}");
        }
        let places = self.places.iter().map(|place| {
            if place.line == place.end_line {
                format!("line {}", place.line)
            } else {
                format!("lines {}-{}", place.line, place.end_line)
            }
        });
        let places: Vec<String> = places.collect();
        format!("Edited: {path} ({})", places.join(", "))
    }
}

impl Editor<'_> {
    /// Plans the replacement of the text `old`, which must occur exactly once below the properties of a note, or in a
    /// base. `\n` also matches `\r\n`. All other bytes stay.
    ///
    /// # Errors
    ///
    /// The app's error if there is no such file or it is neither a note nor a base; [`EngineError::Argument`] if `old`
    /// is empty; [`EngineError::EditMiss`] if it does not occur exactly once, or if the edit would damage the structure
    /// of the note; otherwise the error that keeps the file from being read.
    pub fn plan_edit(&self, path: &VaultPath, old: &str, new: &str) -> Result<Edit, EngineError> {
        if old.is_empty() {
            return Err(EngineError::argument("old", "a text that is not empty"));
        }
        let place = Place::Text {
            old: old.to_owned(),
            all: false,
        };
        let instruction = Instruction {
            place,
            content: new.to_owned(),
            in_frontmatter: false,
        };
        let target = Target::exact(path.clone());
        self.checked(edited_note(self, target, &[instruction], false)?)
    }
}

fn note_edit(call: &Call<'_>) -> Result<Edit, EngineError> {
    let (instructions, is_list) = instructions(call.arguments)?;
    let target = Target::from_arguments(call.vault, call.arguments)?;
    edited_note(call.vault, target, &instructions, is_list)
}

fn edited_note(
    vault: &Vault,
    target: Target,
    instructions: &[Instruction],
    is_list: bool,
) -> Result<Edit, EngineError> {
    let is_text = |path: &VaultPath| path.is_note() || is_base(path);
    let target = target.must_be(vault, Refusal::NotMarkdown, is_text)?;
    let before = vault.read_target(&target.path, &target.requested)?;
    let placed = |mut miss: EditMiss| {
        if !is_list {
            miss.edit = None;
            miss.others.iter_mut().for_each(|other| other.edit = None);
        }
        EditMiss {
            path: Some(target.path.clone()),
            ..miss
        }
    };
    let stop = vault.disk().cancellation();
    let edited = edited(&before, &target.path, instructions, stop);
    stop.check()?;
    let edited = edited.map_err(|miss| EngineError::EditMiss(Box::new(placed(miss))))?;
    let answer = EditedNote {
        path: target.path.to_string(),
        changed: edited.note != before,
        places: edited.places,
    };
    let mut warnings = target.warnings;
    warnings.extend(verify::base_faults(&target.path, &edited.note));
    let unread = edited.unread.map(|miss| Box::new(placed(miss)));
    let changes = Change::modified(target.path, before, edited.note);
    Ok(Edit {
        unread,
        is_overwrite: edited.is_overwrite,
        ..Edit::new(answer, changes, warnings)
    })
}

/// Returns the edits of a call, and whether they came as a list.
fn instructions(arguments: &Args) -> Result<(Vec<Instruction>, bool), EngineError> {
    let single = single(arguments);
    let parsed = if let Some(items) = arguments.list("edits") {
        if !single.is_empty() {
            let rule = "contains every key of an edit. Omit the other parameters";
            return Err(EngineError::ListArgument(ListError::for_key("edits", rule)));
        }
        Instruction::parse_list(items).map(|edits| (edits, true))
    } else if is_without_place(&single) {
        Err(Instruction::missing_list())
    } else {
        Instruction::parse(&single).map(|edit| (vec![edit], false))
    };
    parsed.map_err(EngineError::ListArgument)
}

/// The single edit that plain parameters describe, as an object.
fn single(arguments: &Args) -> Map<String, Value> {
    let values = keys().filter_map(|name| {
        let value = match arguments.values.get(name) {
            Some(Arg::Integer(number)) => Value::from(*number),
            Some(other) => Value::from(other.to_text()),
            None if FLAGS.contains(&name) && arguments.flag(name) => Value::Bool(true),
            None => return None,
        };
        Some((name.to_owned(), value))
    });
    values.collect()
}

/// A note after its edits.
#[derive(Debug, PartialEq, Eq)]
struct EditedText {
    note: Vec<u8>,
    places: Vec<EditedPlace>,
    /// Set if lines are replaced without proof that the caller knows their text: why the call then
    /// needs the hash of the note.
    unread: Option<EditMiss>,
    /// Whether no text of the note remains, and the edit named it by lines, headings or blocks.
    is_overwrite: bool,
}

/// Applies all edits to a note, or explains which of them have no place. After a cancellation the
/// result is meaningless.
fn edited(
    note: &[u8],
    path: &VaultPath,
    instructions: &[Instruction],
    stop: &CancellationToken,
) -> Result<EditedText, EditMiss> {
    let sheet = Sheet::new(note).with_cancellation(stop.clone());
    let plugin = PluginNote::find(&sheet, path);
    let mut patches: Vec<(usize, Patch)> = Vec::new();
    let mut unread = Vec::new();
    let mut misses: Vec<EditMiss> = Vec::new();
    for (index, instruction) in instructions.iter().enumerate() {
        // To look for what is near each place takes time.
        if misses.len() > EditMiss::MOST_OTHERS {
            break;
        }
        let in_edit = |miss: EditMiss| EditMiss {
            edit: Some(index),
            ..miss
        };
        let found = verify::place(path, instruction)
            .and_then(|()| placed(&sheet, (path, plugin.as_ref()), instruction));
        let found = match found {
            Ok(found) => found,
            Err(mut miss) => {
                let others = std::mem::take(&mut miss.others);
                misses.extend(std::iter::once(miss).chain(others).map(in_edit));
                continue;
            }
        };
        if let Place::Lines {
            first,
            last,
            known: KnownLines::No,
        } = &instruction.place
        {
            unread.push(in_edit(lines::unread(
                &sheet,
                (first.get() - 1, last.get() - 1),
            )));
        }
        patches.extend(found.into_iter().map(|patch| (index, patch)));
    }
    if let Some(miss) = EditMiss::joined(misses) {
        return Err(miss);
    }
    patches.sort_by_key(|(index, patch)| (patch.claimed.start, patch.claimed.end, *index));
    refuse_overlaps(&patches)?;
    let (indexes, patches): (Vec<usize>, Vec<Patch>) = patches.into_iter().unzip();
    let unquoted = indexes.iter().zip(&patches).filter(|(index, _)| {
        let instruction = instructions.get(**index);
        instruction.is_some_and(|edit| !matches!(edit.place, Place::Text { .. }))
    });
    let is_overwrite = sheet.is_emptied(unquoted.map(|(_, patch)| &patch.range));
    let after = sheet.with(note, &patches);
    verify::properties(&sheet, instructions, &patches, &after)?;
    verify::base(path, &after)?;
    let places = places(&sheet, &patches, &indexes);
    Ok(EditedText {
        note: after,
        places,
        unread: EditMiss::joined(unread),
        is_overwrite,
    })
}

/// Returns the patches of one edit, which keep the structure of the note.
fn placed(
    sheet: &Sheet<'_>,
    (path, plugin): (&VaultPath, Option<&PluginNote>),
    instruction: &Instruction,
) -> Result<Vec<Patch>, EditMiss> {
    let found = patches_of(sheet, plugin, instruction)?;
    if let Some(plugin) = plugin {
        verify::plugin(sheet, (path, plugin), instruction, &found)?;
    }
    verify::structure(sheet, instruction, &found)?;
    Ok(found)
}

fn patches_of(
    sheet: &Sheet<'_>,
    plugin: Option<&PluginNote>,
    instruction: &Instruction,
) -> Result<Vec<Patch>, EditMiss> {
    let content = instruction.content.as_str();
    let in_frontmatter = instruction.in_frontmatter;
    let patch = match &instruction.place {
        Place::Text { old, all } => {
            let body = sheet.body_start()..sheet.bytes().len();
            let part = if in_frontmatter {
                sheet
                    .yaml()
                    .ok_or_else(|| EditMiss::not_found("the note has no properties", Vec::new()))?
            } else {
                body
            };
            return text::patches(sheet, part, (old, content), *all);
        }
        Place::Heading {
            heading,
            mode,
            reach,
        } => heading::patch(sheet, plugin, heading, (*mode, *reach), content)?,
        Place::Block { id, mode } => block::patch(sheet, id, *mode, content)?,
        Place::Lines { first, last, known } => {
            let lines = (first.get(), last.get());
            lines::replaced(sheet, lines, known, content, in_frontmatter)?
        }
        Place::AfterLine(line) => lines::inserted(sheet, *line, content, in_frontmatter)?,
    };
    // An id right below the properties refers to them.
    if !in_frontmatter && patch.range.start < sheet.body_start() {
        return Err(
            EditMiss::unfit("the edit would change the properties of the note", "").in_properties(),
        );
    }
    Ok(vec![patch])
}

/// Two edits of the same text are refused, because no order of them would be right.
fn refuse_overlaps(patches: &[(usize, Patch)]) -> Result<(), EditMiss> {
    let mut end = 0;
    let mut owner = 0;
    for (index, patch) in patches {
        if patch.claimed.start < end {
            let miss = EditMiss::unfit(
                format!(
                    "`edits[{}]` and `edits[{}]` change the same text",
                    owner.min(*index),
                    owner.max(*index)
                ),
                "Combine them into one edit, or make them in separate calls.",
            );
            return Err(miss);
        }
        if patch.claimed.end >= end {
            end = patch.claimed.end;
            owner = *index;
        }
    }
    Ok(())
}

/// Returns the lines of each patch in the edited note.
fn places(sheet: &Sheet<'_>, patches: &[Patch], indexes: &[usize]) -> Vec<EditedPlace> {
    let breaks = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count();
    let (mut added, mut removed) = (0, 0);
    let place = |(patch, index): (&Patch, &usize)| {
        let removed_here = breaks(&sheet.bytes()[patch.range.clone()]);
        let added_here = breaks(patch.text.as_bytes());
        // If the last line has no line end, text that is inserted after it begins with one, which
        // belongs to the line before.
        let begins_line = usize::from(
            patch.range.is_empty() && patch.text.starts_with(['\r', '\n']) && added_here > 0,
        );
        let ends_line = usize::from(patch.text.ends_with('\n') && added_here > begins_line);
        let line = breaks(&sheet.bytes()[..patch.range.start]) + added - removed;
        added += added_here;
        removed += removed_here;
        EditedPlace {
            edit: *index,
            line: line + begins_line + 1,
            end_line: line + added_here - ends_line + 1,
        }
    };
    patches.iter().zip(indexes).map(place).collect()
}
