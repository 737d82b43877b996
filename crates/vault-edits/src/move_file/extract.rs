//! `note:extract`: moves a part of a note into a new note and leaves a link to it, as the app's Note composer does
//! (`vault-semantics.md` §7.8).

use std::ops::Range;

use obsidian_note::note_parts::{PluginNote, block, heading, lines};
use obsidian_note::scan::{Section, SectionKind, written};
use obsidian_note::{EditMiss, Sheet, VaultPath, plural, shown};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use vault_answers::{AnswerData, OwnForm};
use vault_files::extension::path_of_part;
use vault_files::link_text::{link_to_new_file, wikilink};
use vault_files::{AppSettings, Args, Call, EngineError, Fields, LINK_KEYS, Refusal, Vault};
use vault_index::anchors::facts_of;
use vault_index::target::missing;
use vault_index::{IndexedVault, LinkTexts, Target};

use super::destination;
use super::following::Following;
use super::merge;
use super::moved_anchors::MovedAnchors;
use super::places::{Composed, TextPart};
use super::setting::LinkSettings;
use crate::Editor;
use crate::append::refuse_board_or_drawing;
use crate::bond::{BondKind, Carried};
use crate::change::Change;
use crate::edit_command::{Edit, EditCommand};
use crate::new_file::{made_as_named, note_path};
use crate::note_edit::{blank_line_after, blank_line_before, drawing_miss, marker_length};

pub(crate) const EXTRACT: EditCommand = EditCommand::own("note:extract", extract, &FORM);

static FORM: OwnForm = OwnForm::new::<ExtractedNote>("extracted-note");

/// A new note with a part of another note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExtractedNote {
    /// The note that had the text.
    path: String,
    /// The new note.
    to: String,
    /// The first line of the text in the note as it was, from 1.
    line: usize,
    /// The last line of the text there.
    end_line: usize,
    /// The link or embed that the note has in place of the text; null if nothing.
    left: Option<String>,
    /// Number of rewritten links.
    links: usize,
    /// Number of files with such links.
    files: usize,
}

impl AnswerData for ExtractedNote {
    /// Returns a line such as `Extracted: a.md, lines 3-9 -> b.md (2 links in 1 file)`.
    fn text(&self) -> String {
        let lines = if self.line == self.end_line {
            format!("line {}", self.line)
        } else {
            format!("lines {}-{}", self.line, self.end_line)
        };
        format!(
            "Extracted: {}, {lines} -> {} ({} in {})",
            shown::row(&self.path),
            shown::row(&self.to),
            plural::count(self.links, "link"),
            plural::count(self.files, "file"),
        )
    }
}

/// Whole lines of a note, counted from 0.
struct Part {
    lines: Range<usize>,
    /// Whether it is a heading with everything below it.
    is_section: bool,
}

fn extract(call: &Call<'_>) -> Result<Edit, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let usage = "note:extract [file=<name>] [path=<path>] [heading=<line>] [lines=<lines>] [block=<id>] to=<path>";
    let wanted = arguments.path("to").ok_or_else(|| missing("to", usage))?;
    let target = Target::note(vault, arguments, Refusal::NotMarkdown)?;
    let from = target.path.clone();
    let before = vault.read_target(&from, &target.requested)?;
    EngineError::check_text(&from, &before)?;
    let indexed = IndexedVault(vault).column::<LinkTexts>()?;
    let to = new_path(vault, &indexed.files, &from, wanted)?;
    let sheet = Sheet::new(&before);
    let placed = |miss: EditMiss| merge::placed(miss, &from);
    let plugin = PluginNote::find(&sheet, &from);
    let part = part(&sheet, plugin.as_ref(), arguments, &placed)?;
    match plugin {
        Some(PluginNote::Drawing { data }) if part.lines.end > data => {
            return Err(placed(drawing_miss(data)));
        }
        // The text above the data is the user's own.
        Some(PluginNote::Drawing { .. }) => {}
        Some(PluginNote::Board { .. }) | None => refuse_board_or_drawing(&before, &from)?,
    }
    let leave = arguments.text("leave").unwrap_or("link");

    let start = sheet.line_start(part.lines.start);
    let end = if leave == "none" {
        sheet.line_start(end_with_gap(&sheet, &part.lines))
    } else {
        sheet.line_start(part.lines.end)
    };
    let text = sheet
        .text
        .get(start..sheet.line_range(part.lines.end - 1).end);
    let text = unindented(text.unwrap_or_default());
    let mark = before.len() - sheet.bytes().len();
    let rest = [&before[..mark + start], &before[mark + end..]].concat();
    let definitions = Definition::all(&sheet);
    let is_inside = |definition: &Definition| (start..end).contains(&definition.bytes.start);
    let (inside, outside): (Vec<&Definition>, Vec<&Definition>) = definitions
        .iter()
        .partition(|definition| is_inside(definition));
    let copied = used(&text, &outside);
    let text = with_definitions(&sheet, text, &copied) + sheet.line_end();
    let rest_text = String::from_utf8_lossy(&rest[mark..]).into_owned();
    let copied_back = used(&rest_text, &inside);
    let rest = [
        &before[..mark],
        with_definitions(&sheet, rest_text, &copied_back).as_bytes(),
    ]
    .concat();

    let mut anchors = {
        let (new, old) = (Sheet::new(text.as_bytes()), Sheet::new(&rest));
        if new.yaml().is_some() || old.yaml() != sheet.yaml() {
            return Err(placed(EditMiss::unfit(
                "the text begins with `---`, so it would become the properties of a note",
                "Choose lines that begin with other text.",
            )));
        }
        let part = |range| TextPart { note: 0, range };
        let parts_of = |definitions: &[&Definition]| -> Vec<TextPart> {
            let ranges = definitions
                .iter()
                .map(|definition| definition.bytes.clone());
            ranges.map(part).collect()
        };
        let composed = vec![
            Composed {
                path: to.clone(),
                facts: new.facts().clone(),
                parts: [vec![part(start..end)], parts_of(&copied)].concat(),
            },
            Composed {
                path: from.clone(),
                facts: old.facts().clone(),
                parts: [
                    vec![part(0..start), part(end..usize::MAX)],
                    parts_of(&copied_back),
                ]
                .concat(),
            },
        ];
        let notes = vec![(from.clone(), sheet.facts().clone())];
        MovedAnchors::new((&from, &to, BondKind::Extracted), &before, notes, composed)?
    };

    let settings = LinkSettings::read(vault)?;
    anchors.settle(
        (vault, &indexed.files, &settings),
        &[((&from, &to), text.as_bytes()), ((&from, &from), &rest)],
        |texts| texts.iter().map(|text| facts_of(text)).collect(),
    )?;
    let shift = anchors.shift(&indexed.files, settings.format);
    let mut following = Following::new(vault, &shift, settings);
    let text = following.text((&from, &to), text.as_bytes())?;
    let rest = following.text((&from, &from), &rest)?;
    following.follow_all(&indexed, &[&from])?;

    let mut warnings = target.warnings;
    let left = match leave {
        "none" => None,
        _ => Some(link_left(
            vault,
            &from,
            &to,
            leave == "embed",
            &mut warnings,
        )?),
    };
    let after = match &left {
        Some(link) => with_link(&sheet, &rest, &part, link),
        None => rest,
    };
    let answer = ExtractedNote {
        path: from.to_string(),
        to: to.to_string(),
        line: part.lines.start + 1,
        end_line: part.lines.end,
        left,
        links: following.links,
        files: following.paths.len(),
    };
    let mut changes = made_as_named(vault, &to, text)?;
    changes.extend(Change::modified(from.clone(), before.clone(), after));
    following.finish(&from, &mut changes, &mut warnings);
    let carried = Carried::Anchors(Box::new(anchors));
    Ok(Edit::new(answer, changes, warnings).carrying(carried))
}

/// Returns the path of the new note, which must be free and a name that links can contain.
fn new_path(
    vault: &Vault,
    files: &[VaultPath],
    from: &VaultPath,
    wanted: &VaultPath,
) -> Result<VaultPath, EngineError> {
    if !wanted.is_note() && vault.sees_folder(wanted) && vault.folder(wanted).is_ok() {
        return Err(EngineError::argument(
            "to",
            "the name or path of the new note, not of a folder. If a folder has this name, add `.md`",
        ));
    }
    let to = path_of_part(from, wanted)
        .map_err(|reason| EngineError::path(wanted.as_written(), reason))?;
    let to = note_path(to.as_str())?;
    Editor(vault).check_new_path(&to)?;
    if wikilink(to.as_str(), "", None).is_none() {
        return Err(EngineError::argument(
            "to",
            "a path that links can name, without `#`, `^`, `|`, `[[` and `]]`",
        ));
    }
    if to.as_str().to_lowercase() == from.as_str().to_lowercase() {
        return Err(EngineError::Refused(Refusal::DestinationExists));
    }
    destination::must_be_free(vault, files, from, &to)?;
    Ok(to)
}

/// Returns the lines that the arguments name, without blank lines at their end.
fn part(
    sheet: &Sheet<'_>,
    plugin: Option<&PluginNote>,
    arguments: &Args,
    placed: &impl Fn(EditMiss) -> EngineError,
) -> Result<Part, EngineError> {
    let names = ["heading", "lines", "block"];
    let given = names.map(|name| arguments.text(name));
    let (range, is_section) = match given {
        [Some(wanted), None, None] => {
            let index = heading::find(sheet, wanted).map_err(placed)?;
            let below = heading::below(sheet, index);
            let start = sheet.facts().headings.get(index);
            let start = start.map_or(0, |heading| heading.span.start.line as usize);
            let end = plugin.map_or(usize::MAX, |plugin| plugin.end_of_text(below.start));
            (start..below.section_end.min(end), true)
        }
        [None, Some(range), None] => {
            let object = Map::from_iter([("lines".to_owned(), Value::from(range))]);
            let (first, last) = Fields::read(&object, |fields| fields.line_range("lines"))
                .map_err(EngineError::ListArgument)?;
            lines::check(sheet, last.get()).map_err(placed)?;
            (first.get() - 1..last.get(), false)
        }
        [None, None, Some(id)] => {
            let id = id.strip_prefix('^').unwrap_or(id);
            let block = block::find(sheet, id).map_err(placed)?;
            // Its id may be alone below it.
            (lines::whole(sheet, lines::of(sheet, &block.span)), false)
        }
        _ => {
            return Err(EngineError::argument(
                "heading",
                "given, or `lines` or `block`, for the part of the note to extract",
            ));
        }
    };
    if range.start < sheet.first_body_line() {
        let miss = EditMiss::unfit("the lines are in the properties of the note", "");
        return Err(placed(miss.in_properties()));
    }
    let last = range.clone().rfind(|line| !sheet.is_blank(*line));
    let last = last.ok_or_else(|| {
        placed(EditMiss::unfit(
            "the lines are blank",
            "Choose lines with text.",
        ))
    })?;
    let lines = range.start..last + 1;
    let whole = lines::whole(sheet, lines.clone());
    if !is_section && whole != lines {
        let miss = EditMiss::unfit(
            "the lines contain only a part of a block, such as a table or a list item",
            format!(
                "Choose whole blocks, such as lines {}-{}.",
                whole.start + 1,
                whole.end
            ),
        );
        return Err(placed(EditMiss {
            candidates: vec![lines::candidate(sheet, whole.start, whole.end - 1)],
            ..miss
        }));
    }
    Ok(Part { lines, is_section })
}

/// The definition of a footnote, `[^name]: text`, or of links, `[label]: destination`.
struct Definition {
    /// The name as references compare it, in brackets.
    name: String,
    bytes: Range<usize>,
    text: String,
}

impl Definition {
    /// Returns the definitions of a note.
    fn all(sheet: &Sheet<'_>) -> Vec<Self> {
        let sections = sheet.facts().sections.iter();
        let definition = |section: &Section| {
            let is_definition = matches!(
                section.kind,
                SectionKind::FootnoteDefinition | SectionKind::Definition
            );
            let bytes = section.span.start.byte as usize..section.span.end.byte as usize;
            let text = sheet.text.get(bytes.clone())?.trim_end();
            let end = text.find("]:").filter(|_| is_definition)?;
            Some(Self {
                name: compared(text.trim_start().get(..=end)?),
                text: text.to_owned(),
                bytes,
            })
        };
        sections.filter_map(definition).collect()
    }
}

/// Returns a text in the form in which the names of definitions are compared: in any case, with one space for blanks.
fn compared(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// Returns those of these definitions that a text uses, and those that these use. The text may have definitions of the
/// same names itself, which count.
fn used<'all>(text: &str, definitions: &[&'all Definition]) -> Vec<&'all Definition> {
    let mut found: Vec<&Definition> = Vec::new();
    let mut texts = vec![text];
    while let Some(text) = texts.pop() {
        let live = written(text).live;
        // A box is the mark of a task.
        let lines = live.lines().map(|line| {
            let inner = line.trim_start();
            compared(
                inner
                    .get(marker_length(inner).unwrap_or_default()..)
                    .unwrap_or_default(),
            )
        });
        let lines: Vec<String> = lines.collect();
        for definition in definitions {
            let name = definition.name.as_str();
            let is_used_in = |line: &String| {
                line.match_indices(name).any(|(at, _)| {
                    let behind = line.get(at + name.len()..).unwrap_or_default();
                    let is_definition = at == 0 && behind.starts_with(':');
                    !is_definition && !line[..at].ends_with('[') && !behind.starts_with('(')
                })
            };
            if lines.iter().any(is_used_in)
                && !found.iter().any(|known| known.name == definition.name)
            {
                found.push(definition);
                texts.push(&definition.text);
            }
        }
    }
    found.sort_by_key(|definition| definition.bytes.start);
    found
}

/// Returns the text with copies of these definitions below it. It ends with a line end only if it did.
fn with_definitions(sheet: &Sheet<'_>, mut text: String, definitions: &[&Definition]) -> String {
    let line_end = sheet.line_end();
    let has_end = text.ends_with('\n');
    for definition in definitions {
        if !text.is_empty() {
            text += if text.ends_with('\n') { "" } else { line_end };
            text += line_end;
        }
        text += &definition.text;
    }
    if has_end && !text.ends_with('\n') {
        text += line_end;
    }
    text
}

/// Returns the line after the part, and after the blank lines behind it if there are blank lines in front of it too.
fn end_with_gap(sheet: &Sheet<'_>, lines: &Range<usize>) -> usize {
    let is_first = lines.start == sheet.first_body_line();
    if !is_first && !sheet.is_blank(lines.start - 1) {
        return lines.end;
    }
    let mut rest = lines.end..sheet.line_count();
    rest.find(|line| !sheet.is_blank(*line))
        .unwrap_or(sheet.line_count())
}

/// Returns the text without the indentation of its first line, if that is a list item: deeply indented items would be
/// code in a note of their own.
fn unindented(text: &str) -> String {
    let inner = text.trim_start_matches([' ', '\t']);
    let indent = &text[..text.len() - inner.len()];
    if indent.is_empty() || marker_length(inner.lines().next().unwrap_or_default()).is_none() {
        return text.to_owned();
    }
    let lines = text.split_inclusive('\n');
    lines
        .map(|line| line.strip_prefix(indent).unwrap_or(line))
        .collect()
}

/// Returns the link that stays in the note.
fn link_left(
    vault: &Vault,
    from: &VaultPath,
    to: &VaultPath,
    is_embed: bool,
    warnings: &mut Vec<obsidian_note::Warning>,
) -> Result<String, EngineError> {
    let (settings, found) = AppSettings::read_for_change(vault, &LINK_KEYS)?;
    for warning in found {
        warning.add_new(warnings);
    }
    let shown = is_embed.then_some("");
    let link = link_to_new_file(vault, to, Some(from), (&settings, shown))?;
    let mark = if is_embed { "!" } else { "" };
    Ok(format!("{mark}{link}"))
}

/// Returns the rest of the note with the link on a line of its own, where the part was. In a list it is an item.
fn with_link(sheet: &Sheet<'_>, rest: &[u8], part: &Part, link: &str) -> Vec<u8> {
    let start = part.lines.start;
    let first = sheet.line(start);
    let item = first.trim_start_matches([' ', '\t']);
    let indent = first.len() - item.len();
    let marker = marker_length(item).filter(|_| !part.is_section);
    let link = match marker {
        Some(length) => format!("{}{link}", &first[..indent + length]),
        None => link.to_owned(),
    };
    let rest_sheet = Sheet::new(rest);
    let is_before = start > rest_sheet.first_body_line() && !rest_sheet.is_blank(start - 1);
    let is_after = start < rest_sheet.line_count() && !rest_sheet.is_blank(start);
    let gap = |is_needed: bool| if is_needed { sheet.line_end() } else { "" };
    let is_item = marker.is_some();
    let before = is_before
        && (part.is_section || !is_item && blank_line_before(&rest_sheet, start - 1, &link));
    let after =
        is_after && (part.is_section || !is_item && blank_line_after(&rest_sheet, start, &link));
    let text = format!("{}{link}{}", gap(before), gap(after));
    let mut patch = rest_sheet.inserted(start, &text);
    // The last line of the note has a line end only if it had one.
    if part.lines.end == sheet.line_count()
        && start == rest_sheet.line_count()
        && !sheet.bytes().ends_with(b"\n")
        && patch.text.ends_with(sheet.line_end())
    {
        let length = patch.text.len() - sheet.line_end().len();
        patch.text.truncate(length);
    }
    rest_sheet.with(rest, &[patch])
}
