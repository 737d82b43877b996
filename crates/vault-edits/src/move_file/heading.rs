//! `heading:rename` (`design/links.md`): renames a heading, or the id of a block, with the links to it.
//!
//! Every link to a heading or block of the note is resolved twice: in the note as it is, and in the note with the new
//! name. Links that name the renamed place, alone or as an outer heading, get the new name. Links that would lead to
//! another place are rewritten too, so that each leads where it led before. A link that led nowhere stays. As after a
//! move, a new text is only written after it was parsed again.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use cli_output::{AnswerData, AppError, OwnForm, plural, shown};
use obsidian_note::note_parts::anchor::{parts, place_of_heading};
use obsidian_note::note_parts::heading::link_key;
use obsidian_note::note_parts::{PluginNote, block, heading};
use obsidian_note::resolve::Kin;
use obsidian_note::scan::NoteFacts;
use obsidian_note::{
    Anchor, Anchors, EditMiss, LinkIndex, Patch, Resolution, Sheet, VaultPath, Warning,
};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vault_files::{Args, Call, EngineError, Vault};
use vault_index::anchors::{by_note, facts_of};
use vault_index::target::required;
use vault_index::{AnchorLinks, Indexed, IndexedVault, Target};

use super::canvas::narrowed_cards;
use super::decoded::Decoded;
use super::escapes::Quoting;
use super::link_repair::RepairedText;
use super::link_text::spellings;
use super::piece::Piece;
use super::places::anchors_only;
use super::reference::{Form, Kind, references};
use super::rewrite::{Splice, spliced};
use super::setting::LinkSettings;
use crate::bond::Carried;
use crate::change::Change;
use crate::edit_command::{Edit, EditCommand};
use crate::note_edit::in_drawing;

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
        let paths = self.paths.iter().map(|path| shown::row(path).into_owned());
        std::iter::once(head)
            .chain(paths)
            .collect::<Vec<_>>()
            .join("\n")
    }
}

/// A renamed heading or block, by which links in other notes can follow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RenamedAnchor {
    pub(crate) note: VaultPath,
    before: NoteFacts,
    /// The headings and blocks of the note afterwards, at the same indexes.
    after: NoteFacts,
    /// The index of the renamed heading or block.
    renamed: Place,
}

/// The index of a heading or block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Place {
    Heading(usize),
    Block(usize),
}

/// The most rounds until the links in headings of the note do not change its headings any more.
const MOST_ROUNDS: usize = 8;
/// The most places of a block's id in a note that are tried.
const MOST_IDS: usize = 16;

fn rename_heading(call: &Call<'_>) -> Result<Edit, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let target = Target::note(vault, arguments, AppError::NotMarkdown)?;
    let before = vault.read_target(&target.path, &target.requested)?;
    if std::str::from_utf8(&before).is_err() {
        return Err(EngineError::NotText { path: target.path });
    }
    let stop = vault.disk().cancellation();
    let sheet = Sheet::new(&before).with_cancellation(stop.clone());
    let renaming = renaming(&sheet, arguments);
    stop.check()?;
    let Renaming {
        patch,
        place,
        from,
        to,
    } = renaming
        .and_then(|renaming| outside_of_data(&sheet, &target.path, renaming))
        .map_err(|error| with_path(error, &target.path))?;
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
    let indexed = IndexedVault(vault).column::<AnchorLinks>()?;
    let mut anchor = RenamedAnchor {
        note: target.path.clone(),
        before: facts_of(&before),
        after: facts_of(&renamed_text),
        renamed: place,
    };
    let own = own_links(&mut anchor, &renamed_text, &indexed, settings.update)?;
    let mut counted = Counted::default();
    counted.add(&target.path, &own, &mut edit.warnings);
    let after = match own.after {
        Some(after) if settings.update => after,
        _ => renamed_text,
    };
    edit.changes
        .push(Change::modify(target.path.clone(), before, after));
    let others: Vec<_> = anchor
        .sources(&indexed)
        .into_par_iter()
        .map(|source| Ok((source, anchor.followed(vault, source, &indexed.files)?)))
        .collect::<Result<_, EngineError>>()?;
    for (source, result) in others {
        match result {
            Ok(Followed { before, rewriting }) => {
                counted.add(source, &rewriting, &mut edit.warnings);
                if let Some(after) = rewriting.after.filter(|_| settings.update) {
                    let path = source.clone();
                    edit.changes.push(Change::modify(path, before, after));
                }
            }
            Err(warning) => edit.warnings.push(warning),
        }
    }
    for warning in indexed.warnings.iter().chain(&settings.warnings) {
        if !edit.warnings.contains(warning) {
            edit.warnings.push(warning.clone());
        }
    }
    if settings.update {
        answer.links = counted.links;
        answer.paths = counted.paths.iter().map(ToString::to_string).collect();
        answer.paths.sort_unstable();
    } else if counted.links > 0 {
        edit.warnings.push(Warning::LinksNotUpdated {
            path: target.path,
            links: counted.links,
            files: counted.paths.len(),
        });
    }
    anchor.forget_text();
    edit.answer = answer.into();
    Ok(edit.carrying(Carried::Anchor(Box::new(anchor))))
}

fn with_path(error: EngineError, path: &VaultPath) -> EngineError {
    match error {
        EngineError::EditMiss(mut miss) => {
            miss.path = Some(path.clone());
            EngineError::EditMiss(miss)
        }
        other => other,
    }
}

/// The rewritten links so far.
#[derive(Default)]
struct Counted {
    links: usize,
    paths: Vec<VaultPath>,
}

impl Counted {
    fn add(&mut self, source: &VaultPath, rewriting: &Rewritten, warnings: &mut Vec<Warning>) {
        if rewriting.unwritable > 0 {
            warnings.push(Warning::LinksUnwritable {
                path: source.clone(),
                links: rewriting.unwritable,
            });
        }
        if rewriting.links > 0 {
            self.links += rewriting.links;
            self.paths.push(source.clone());
        }
    }
}

/// The change of the note itself, without its links.
struct Renaming {
    patch: Patch,
    place: Place,
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
            Err(EngineError::EditMiss(Box::new(in_drawing(data))))
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
            "one line that Obsidian reads as the text of a heading, without `#` in front, and with letters or digits",
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
    let siblings = || {
        let outer = outer_of(facts, index);
        let is_sibling = move |other: &usize| *other != index && outer_of(facts, *other) == outer;
        (0..headings.len()).filter(is_sibling)
    };
    let key = link_key(to);
    let taken = siblings().find_map(|other| {
        let heading = headings.get(other)?;
        (link_key(&heading.text) == key).then_some(heading)
    });
    if let Some(taken) = taken {
        let unfit = EditMiss::unfit(
            "the same section already has a heading with this text",
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
        place: Place::Heading(index),
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
        place: Place::Block(index),
        from: mark,
        to: format!("^{new}"),
    })
}

/// Returns the index of the heading around another one.
fn outer_of(facts: &NoteFacts, index: usize) -> Option<usize> {
    let level = facts.headings.get(index)?.level;
    let above = facts.headings.iter().enumerate().take(index);
    let mut outer = above.rev().filter(|(_, heading)| heading.level < level);
    outer.next().map(|(outer, _)| outer)
}

/// One link of a file, with its place.
struct Site<'piece> {
    kind: Kind,
    form: Form,
    linkpath: String,
    subpath: String,
    is_embed: bool,
    /// The range of the subpath in the text of the file; `None` if it cannot be changed.
    range: Option<Range<usize>>,
    /// The subpath as written.
    written: String,
    /// The text with the link; `None` for a narrowed card of a canvas.
    piece: Option<&'piece Piece<'piece>>,
}

impl Site<'_> {
    /// Returns a text as it must be written to be inserted.
    fn quoted(&self, text: &str) -> String {
        match self.piece {
            Some(piece) => piece.written(text),
            None => Quoting::Json.written(text),
        }
    }
}

/// Returns the links of a file that name a heading or block, and all others.
fn sites<'piece>(
    source: &VaultPath,
    text: &str,
    pieces: &'piece [Piece<'piece>],
) -> Vec<Site<'piece>> {
    let in_pieces = pieces.iter().flat_map(|piece| {
        piece.references.iter().map(move |reference| {
            let range = reference
                .written
                .as_ref()
                .map(|written| written.subpath.clone());
            let written = range.clone().and_then(|range| piece.text().get(range));
            Site {
                kind: piece.kind,
                form: reference
                    .written
                    .as_ref()
                    .map_or(Form::Path, |written| written.form),
                linkpath: reference.linkpath.clone(),
                subpath: reference.subpath.clone(),
                is_embed: reference.is_embed,
                written: written.unwrap_or_default().to_owned(),
                range: range.and_then(|range| piece.in_file(&range)),
                piece: Some(piece),
            }
        })
    });
    let mut all: Vec<Site<'_>> = in_pieces.collect();
    if !source.is_note() {
        all.extend(narrowed_cards(text).into_iter().map(|card| {
            let whole = card.subpath.written_at(&(0..card.subpath.text.len()));
            Site {
                kind: Kind::Path,
                form: Form::Path,
                linkpath: card.path,
                range: whole.map(|range| card.start + range.start..card.start + range.end),
                written: card.subpath.text.clone(),
                subpath: card.subpath.text,
                is_embed: false,
                piece: None,
            }
        }));
    }
    all
}

/// The rewritten links of one file.
#[derive(Default)]
pub(super) struct Rewritten {
    /// Its new bytes; `None` if no link changes.
    pub(super) after: Option<Vec<u8>>,
    links: usize,
    unwritable: usize,
}

/// The links of one file, and its bytes before.
pub(super) struct Followed {
    pub(super) before: Vec<u8>,
    pub(super) rewriting: Rewritten,
}

/// Rewrites the links in the note itself, whose heading or id has the new text already. A link in a heading is part of
/// the heading's name, so rewriting it may change where other links lead: repeats until the names stay.
fn own_links(
    anchor: &mut RenamedAnchor,
    bytes: &[u8],
    indexed: &Indexed<AnchorLinks>,
    updates: bool,
) -> Result<Rewritten, EngineError> {
    for _ in 0..MOST_ROUNDS {
        let rewriting = rewritten(anchor, &anchor.note, bytes, &indexed.files);
        let after = match &rewriting.after {
            Some(after) if updates => facts_of(after),
            _ => return Ok(rewriting),
        };
        let names = |facts: &NoteFacts| -> Vec<String> {
            let texts = facts.headings.iter();
            texts.map(|heading| link_key(&heading.text)).collect()
        };
        let is_stable = names(&after) == names(&anchor.after);
        anchor.after = after;
        if is_stable {
            return Ok(rewriting);
        }
    }
    Err(EngineError::argument(
        "to",
        "a text that does not change the names of other headings again and again",
    ))
}

impl RenamedAnchor {
    /// Forgets what links do not need.
    fn forget_text(&mut self) {
        self.before = anchors_only(std::mem::take(&mut self.before));
        self.after = anchors_only(std::mem::take(&mut self.after));
    }

    /// Returns the old and the new name of the heading, or the ids of the block with `^`.
    pub(crate) fn names(&self) -> Option<[String; 2]> {
        let name = |facts: &NoteFacts| match self.renamed {
            Place::Heading(index) => Some(facts.headings.get(index)?.text.clone()),
            Place::Block(index) => Some(format!("^{}", facts.blocks.get(index)?.id)),
        };
        Some([name(&self.before)?, name(&self.after)?])
    }

    /// Returns the other files with links to headings or blocks of the note, in byte order.
    pub(super) fn sources<'files>(
        &self,
        indexed: &'files Indexed<AnchorLinks>,
    ) -> Vec<&'files VaultPath> {
        let files = &indexed.files;
        let leads_here = |path: &VaultPath| *path == self.note;
        let linked = by_note(&indexed.column, files, |_| true, leads_here);
        let sources = linked
            .values()
            .flatten()
            .filter_map(|link| files.get(link.source));
        let mut sources: Vec<&VaultPath> = sources.filter(|source| **source != self.note).collect();
        sources.sort_unstable();
        sources.dedup();
        sources
    }

    /// Rewrites the links of another file; a warning if it can no longer be read.
    pub(super) fn followed(
        &self,
        vault: &Vault,
        source: &VaultPath,
        files: &[VaultPath],
    ) -> Result<Result<Followed, Warning>, EngineError> {
        vault.disk().cancellation().check()?;
        Ok(match vault.indexed_bytes(source) {
            Ok(before) => Ok(Followed {
                rewriting: rewritten(self, source, &before, files),
                before,
            }),
            Err(problem) => Err(problem.warning(source)),
        })
    }
}

/// Rewrites the links of one file that name the renamed place, or that would lead to another place.
fn rewritten(
    anchor: &RenamedAnchor,
    source: &VaultPath,
    bytes: &[u8],
    files: &[VaultPath],
) -> Rewritten {
    let (before, after) = (Anchors::new(&anchor.before), Anchors::new(&anchor.after));
    let index = OnceCell::new();
    let mut known: HashMap<String, bool> = HashMap::new();
    rewrite_sites(source, bytes, |sites, site| {
        let Some(meant) = before.find(&site.subpath) else {
            return NewTarget::Same;
        };
        let leads_here = known.entry(site.linkpath.clone()).or_insert_with(|| {
            let index = index.get_or_init(|| index_for(source, sites, files));
            match index.resolve(&site.linkpath, source) {
                Resolution::Found(found) => found.path == anchor.note,
                Resolution::Missing => false,
            }
        });
        if !*leads_here {
            return NewTarget::Same;
        }
        let still_leads_there = || {
            after
                .find(&site.subpath)
                .is_some_and(|found| is_same_place(&found, &meant))
        };
        if !anchor.is_named_by(&meant) && still_leads_there() {
            return NewTarget::Same;
        }
        anchor
            .new_subpath(&after, site, &meant)
            .map_or(NewTarget::Unwritable, NewTarget::New)
    })
}

/// Returns the text of a file in which links that name these targets, as written, name the given heading or block of
/// the same note instead, and the number of these links; `None` if one cannot be written.
pub(crate) fn with_places(
    source: &VaultPath,
    bytes: &[u8],
    places: &BTreeMap<String, String>,
) -> Option<RepairedText> {
    let rewriting = rewrite_sites(source, bytes, |_, site| {
        let target = format!("{}{}", site.linkpath, site.subpath);
        let Some(place) = places.get(&target) else {
            return NewTarget::Same;
        };
        spelled(site, &[Part::New(place.clone())]).map_or(NewTarget::Unwritable, NewTarget::New)
    });
    let text = rewriting.after.filter(|_| rewriting.unwritable == 0)?;
    Some(RepairedText {
        text,
        links: rewriting.links,
    })
}

/// The new place of a link.
enum NewTarget {
    /// The link stays as it is.
    Same,
    /// The link gets this subpath.
    New(NewSubpath),
    /// No text leads to the place.
    Unwritable,
}

/// Rewrites the subpaths of links as `target_of` says, which gets all links and one of them. It is not asked about
/// links without a subpath.
fn rewrite_sites(
    source: &VaultPath,
    bytes: &[u8],
    mut target_of: impl FnMut(&[Site<'_>], &Site<'_>) -> NewTarget,
) -> Rewritten {
    let decoded = Decoded::from_bytes(bytes);
    let pieces = Piece::all(source, &decoded.text);
    let sites = sites(source, &decoded.text, &pieces);
    let mut splices = Vec::new();
    let mut expected: Vec<String> = sites.iter().map(|site| site.subpath.clone()).collect();
    let (mut links, mut unwritable) = (0, 0);
    for (site, expected) in sites.iter().zip(&mut expected) {
        if site.subpath.is_empty() {
            continue;
        }
        let new = match target_of(&sites, site) {
            // The new name may be spelled the same in links.
            NewTarget::New(new) if new.text != site.subpath => new,
            NewTarget::Same | NewTarget::New(_) => continue,
            NewTarget::Unwritable => {
                unwritable += 1;
                continue;
            }
        };
        let range = site.range.as_ref().and_then(|range| decoded.in_file(range));
        let Some(range) = range else {
            unwritable += 1;
            continue;
        };
        links += 1;
        splices.push(Splice {
            range,
            new: site.quoted(&new.written),
        });
        *expected = new.text;
    }
    let nothing = |unwritable| Rewritten {
        unwritable,
        ..Rewritten::default()
    };
    if splices.is_empty() {
        return nothing(unwritable);
    }
    let after = spliced(bytes, splices).filter(|after| has_links(source, after, &sites, &expected));
    match after {
        Some(after) => Rewritten {
            after: Some(after),
            links,
            unwritable,
        },
        None => nothing(unwritable + links),
    }
}

/// Returns an index of the files that these links can mean.
fn index_for(source: &VaultPath, sites: &[Site<'_>], files: &[VaultPath]) -> LinkIndex {
    let mut kin = Kin::default();
    for site in sites.iter().filter(|site| !site.subpath.is_empty()) {
        kin.add_link(&site.linkpath, source);
    }
    LinkIndex::new(kin.among(files))
}

/// Parses the new text, and checks that it has the same links with the expected subpaths.
fn has_links(source: &VaultPath, after: &[u8], old: &[Site<'_>], expected: &[String]) -> bool {
    let decoded = Decoded::from_bytes(after);
    let pieces = Piece::all(source, &decoded.text);
    let found = sites(source, &decoded.text, &pieces);
    found.len() == old.len()
        && found
            .iter()
            .zip(old)
            .zip(expected)
            .all(|((new, old), expected)| {
                new.linkpath == old.linkpath
                    && new.is_embed == old.is_embed
                    && new.subpath == *expected
            })
}

fn is_same_place(one: &Anchor, other: &Anchor) -> bool {
    match (one, other) {
        (Anchor::Headings(one), Anchor::Headings(other)) => one.last() == other.last(),
        (Anchor::Block(one), Anchor::Block(other)) => one == other,
        _ => false,
    }
}

/// A subpath as it is written and as it is read.
struct NewSubpath {
    written: String,
    text: String,
}

/// A part of a new subpath.
enum Part {
    /// It stays, as it is written and as it is read.
    Kept(String, String),
    New(String),
}

impl RenamedAnchor {
    /// Whether a link names the renamed place, alone or as an outer heading.
    fn is_named_by(&self, meant: &Anchor) -> bool {
        match (meant, self.renamed) {
            (Anchor::Headings(found), Place::Heading(renamed)) => found.contains(&renamed),
            (Anchor::Block(found), Place::Block(renamed)) => *found == renamed,
            _ => false,
        }
    }

    /// Returns the subpath with which a link leads to the place that it meant before. The first one that does is taken:
    /// the old one with the new name in it, or else the heading with more and more of its outer headings.
    fn new_subpath(
        &self,
        after: &Anchors<'_>,
        site: &Site<'_>,
        meant: &Anchor,
    ) -> Option<NewSubpath> {
        let leads_there = |new: &NewSubpath| {
            after
                .find(&new.text)
                .is_some_and(|found| is_same_place(&found, meant))
        };
        let found = match meant {
            Anchor::Block(index) => {
                let id = &self.after.blocks.get(*index)?.id;
                return spelled(site, &[Part::New(format!("^{id}"))]).filter(leads_there);
            }
            Anchor::Headings(found) => found,
        };
        let written = parts(&site.written);
        let read = parts(&site.subpath);
        let name = |index: usize, plain: bool| {
            let text = &self.after.headings.get(index)?.text;
            let name = if plain {
                plain_name(text)
            } else {
                place_of_heading(text)
            };
            Some(Part::New(name))
        };
        for plain in [false, true] {
            if written.len() == found.len() && read.len() == found.len() {
                let kept = found.iter().zip(&written).zip(&read);
                let renamed = kept.map(|((index, written), read)| {
                    // The id of a block may be part of a heading.
                    let heading = self.after.headings.get(*index)?;
                    let has_name = link_key(read) == link_key(&heading.text);
                    if self.renamed == Place::Heading(*index) || !has_name {
                        name(*index, plain)
                    } else {
                        Some(Part::Kept((*written).to_owned(), (*read).to_owned()))
                    }
                });
                let renamed: Option<Vec<Part>> = renamed.collect();
                let new = renamed.and_then(|parts| spelled(site, &parts));
                if let Some(new) = new.filter(leads_there) {
                    return Some(new);
                }
            }
            let mut outer = *found.last()?;
            let mut names = vec![outer];
            loop {
                let parts: Option<Vec<Part>> =
                    names.iter().map(|index| name(*index, plain)).collect();
                let new = parts.and_then(|parts| spelled(site, &parts));
                if let Some(new) = new.filter(leads_there) {
                    return Some(new);
                }
                let Some(next) = outer_of(&self.after, outer) else {
                    break;
                };
                outer = next;
                names.insert(0, next);
            }
        }
        None
    }
}

/// Returns a heading as a link can name it in any form: its characters that have a meaning in Markdown become spaces.
fn plain_name(text: &str) -> String {
    let is_plain = |character: char| {
        !character.is_ascii()
            || character.is_ascii_alphanumeric()
            || matches!(character, '-' | '_' | '\'')
    };
    let blank = |character| if is_plain(character) { character } else { ' ' };
    let plain: String = text.chars().map(blank).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the subpath of these parts in the form of the link; `None` if it would not be read as it is meant.
fn spelled(site: &Site<'_>, new: &[Part]) -> Option<NewSubpath> {
    let read: Vec<&str> = new
        .iter()
        .map(|part| match part {
            Part::Kept(_, read) => read.as_str(),
            Part::New(text) => text.as_str(),
        })
        .collect();
    let text = format!("#{}", read.join("#"));
    let most = if matches!(site.form, Form::Markdown { .. }) {
        2
    } else {
        1
    };
    (0..most).find_map(|way| {
        let parts: Option<Vec<String>> = new
            .iter()
            .map(|part| match part {
                Part::Kept(written, _) => Some(written.clone()),
                Part::New(text) => spellings(site.form, text).into_iter().nth(way),
            })
            .collect();
        let written = format!("#{}", parts?.join("#"));
        let sample = match site.form {
            Form::Path => {
                return Some(NewSubpath {
                    written,
                    text: text.clone(),
                });
            }
            Form::Wikilink => format!("[[x{written}]]"),
            Form::Markdown { enclosed: false } => format!("[x](x{written})"),
            Form::Markdown { enclosed: true } => format!("[x](<x{written}>)"),
        };
        let found = references(site.kind, &sample);
        let is_understood =
            matches!(&found[..], [only] if only.linkpath == "x" && only.subpath == text);
        is_understood.then(|| NewSubpath {
            written,
            text: text.clone(),
        })
    })
}

#[cfg(test)]
mod tests;
