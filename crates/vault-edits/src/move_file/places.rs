//! The headings and blocks of notes whose text is merged or divided, and their places afterwards.

use std::ops::Range;

use obsidian_note::note_parts::anchor::{parts, place_of_heading};
use obsidian_note::note_parts::heading::link_key;
use obsidian_note::scan::{Block, Heading, Span};
use obsidian_note::{Anchor, Anchors, NoteFacts, VaultPath};
use serde::{Deserialize, Serialize};

/// The headings and blocks of some notes, before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Places {
    before: Vec<NotePlaces>,
    after: Vec<(VaultPath, NoteFacts)>,
}

/// The headings and blocks of one note before, each with the index of its file in `Places::after` and its index there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NotePlaces {
    path: VaultPath,
    facts: NoteFacts,
    headings: Vec<(usize, usize)>,
    blocks: Vec<(usize, usize)>,
    /// Whether links to this note must be looked at.
    is_affected: bool,
}

/// A text afterwards: its file, its structure, and the parts of the notes before of which it consists, in order.
pub(super) struct Composed {
    pub(super) path: VaultPath,
    pub(super) facts: NoteFacts,
    pub(super) parts: Vec<TextPart>,
}

/// A range of bytes of a note before.
#[derive(Clone)]
pub(super) struct TextPart {
    /// The index of the note.
    pub(super) note: usize,
    pub(super) range: Range<usize>,
}

/// The file and the place to which a link must point after the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Destination {
    pub(super) file: VaultPath,
    pub(super) place: NewPlace,
}

/// The subpath of a link afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NewPlace {
    /// It stays as it is.
    Same,
    /// Subpaths that name the place, the best one first. The first one that the form of the link can contain is taken.
    Named(Vec<Vec<Part>>),
    /// No subpath of this kind names the place: another heading or block comes first.
    Nameless,
}

/// A part `#…` of a new subpath.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The part of the old subpath with this index.
    Kept(usize),
    New(String),
}

impl Destination {
    /// Returns the destination of a link whose subpath stays as it is.
    pub(super) fn whole(file: VaultPath) -> Self {
        Self {
            file,
            place: NewPlace::Same,
        }
    }
}

impl Places {
    /// Matches the headings and blocks of the notes before with those of the texts afterwards; `None` if they are not
    /// the same, because the texts do not have their old structure where they were put together or cut.
    pub(super) fn matched(
        before: Vec<(VaultPath, NoteFacts)>,
        after: Vec<Composed>,
    ) -> Option<Self> {
        let unplaced = (usize::MAX, usize::MAX);
        let mut before: Vec<NotePlaces> = before
            .into_iter()
            .map(|(path, facts)| NotePlaces {
                path,
                headings: vec![unplaced; facts.headings.len()],
                blocks: vec![unplaced; facts.blocks.len()],
                facts,
                is_affected: false,
            })
            .collect();
        for (file, text) in after.iter().enumerate() {
            let (mut headings, mut blocks) = (text.facts.headings.iter(), text.facts.blocks.iter());
            let (mut heading_count, mut block_count, mut link_count) = (0, 0, 0);
            for part in &text.parts {
                let note = before.get_mut(part.note)?;
                let is_inside = |start: u32| part.range.contains(&(start as usize));
                for (index, heading) in note.facts.headings.iter().enumerate() {
                    if is_inside(heading.span.start.byte) {
                        let found = headings.next()?;
                        if (found.level, &found.text) != (heading.level, &heading.text) {
                            return None;
                        }
                        *note.headings.get_mut(index)? = (file, heading_count);
                        heading_count += 1;
                    }
                }
                let links = note.facts.links.iter().chain(&note.facts.embeds);
                link_count += links.filter(|link| is_inside(link.span.start.byte)).count();
                for (index, block) in note.facts.blocks.iter().enumerate() {
                    if is_inside(block.span.start.byte) {
                        if blocks.next()?.id != block.id {
                            return None;
                        }
                        *note.blocks.get_mut(index)? = (file, block_count);
                        block_count += 1;
                    }
                }
            }
            // A link in code that is cut open would become one, or the reverse.
            let links = text.facts.links.len() + text.facts.embeds.len();
            if headings.next().is_some() || blocks.next().is_some() || links != link_count {
                return None;
            }
        }
        if before.iter().any(NotePlaces::has_unplaced) {
            return None;
        }
        for note in &mut before {
            note.facts = anchors_only(std::mem::take(&mut note.facts));
        }
        let after = after.into_iter();
        let after = after.map(|text| (text.path, anchors_only(text.facts)));
        let mut places = Self {
            before,
            after: after.collect(),
        };
        places.find_affected();
        Some(places)
    }

    /// Returns the places of one note whose headings and blocks stay in their order, with other names.
    pub(super) fn renamed(path: VaultPath, before: NoteFacts, after: NoteFacts) -> Self {
        let note = NotePlaces {
            path: path.clone(),
            headings: (0..before.headings.len()).map(|index| (0, index)).collect(),
            blocks: (0..before.blocks.len()).map(|index| (0, index)).collect(),
            facts: anchors_only(before),
            is_affected: true,
        };
        Self {
            before: vec![note],
            after: vec![(path, anchors_only(after))],
        }
    }

    /// Whether the text of a heading may have a link in it.
    pub(super) fn has_links_in_headings(&self) -> bool {
        let mut headings = self.after.iter().flat_map(|(_, facts)| &facts.headings);
        headings.any(|heading| heading.text.contains('['))
    }

    /// Replaces the structures of the notes afterwards, and returns whether links name their headings as before.
    pub(super) fn settle(&mut self, facts: Vec<NoteFacts>) -> bool {
        let names = |facts: &NoteFacts| -> Vec<String> {
            let texts = facts.headings.iter();
            texts.map(|heading| link_key(&heading.text)).collect()
        };
        let mut is_stable = true;
        for ((_, after), facts) in self.after.iter_mut().zip(facts) {
            is_stable &= names(after) == names(&facts);
            *after = anchors_only(facts);
        }
        self.find_affected();
        is_stable
    }

    /// Matches the headings and blocks of the notes before with those of one text afterwards; `None` if a line with a
    /// heading has none there, or a block is missing. `line_of` returns the line afterwards of a line of a note before.
    pub(super) fn by_lines(
        before: Vec<(VaultPath, NoteFacts)>,
        (path, after): (VaultPath, NoteFacts),
        line_of: impl Fn(usize, usize) -> usize,
    ) -> Option<Self> {
        let mut notes = Vec::with_capacity(before.len());
        for (note, (name, facts)) in before.into_iter().enumerate() {
            let line_after = |span: &Span| line_of(note, span.start.line as usize);
            let headings = facts.headings.iter().map(|heading| {
                let line = line_after(&heading.span);
                let is_same = |other: &Heading| {
                    let there = other.span.start.line as usize == line;
                    there && (other.level, &other.text) == (heading.level, &heading.text)
                };
                Some((0, after.headings.iter().position(is_same)?))
            });
            let headings: Option<_> = headings.collect();
            let blocks = facts.blocks.iter().map(|block| {
                let line = line_after(&block.span);
                let is_same = |other: &Block| other.id == block.id;
                let is_there = |other: &Block| {
                    let lines = other.span.start.line as usize..=other.span.end.line as usize;
                    is_same(other) && lines.contains(&line)
                };
                let found = after.blocks.iter().position(is_there);
                Some((0, found.or_else(|| after.blocks.iter().position(is_same))?))
            });
            let blocks: Option<_> = blocks.collect();
            notes.push(NotePlaces {
                path: name,
                headings: headings?,
                blocks: blocks?,
                facts: anchors_only(facts),
                is_affected: true,
            });
        }
        Some(Self {
            before: notes,
            after: vec![(path, anchors_only(after))],
        })
    }

    /// Gives the notes other names.
    pub(super) fn rename_notes(&mut self, named: &impl Fn(&VaultPath) -> VaultPath) {
        for note in &mut self.before {
            note.path = named(&note.path);
        }
        for (path, _) in &mut self.after {
            *path = named(path);
        }
    }

    /// Finds the notes in which links may find another heading or block than before. New ones at the end of a note take
    /// nothing from links.
    fn find_affected(&mut self) {
        for note in &mut self.before {
            let file = self.after.iter().position(|(path, _)| *path == note.path);
            let is_first = |places: &[(usize, usize)]| {
                let mut places = places.iter().enumerate();
                places.all(|(index, place)| Some(place.0) == file && place.1 == index)
            };
            let mut headings = note.facts.headings.iter().zip(&note.headings);
            let is_renamed = headings.any(|(before, (file, index))| {
                let after = self.after.get(*file).map(|(_, facts)| &facts.headings);
                let after = after.and_then(|headings| headings.get(*index));
                after.is_some_and(|after| after.text != before.text)
            });
            note.is_affected |= is_renamed || !is_first(&note.headings) || !is_first(&note.blocks);
        }
    }

    /// Whether each link to this file must be looked at.
    pub(super) fn looks_at(&self, file: &VaultPath) -> bool {
        let mut notes = self.before.iter();
        notes.any(|note| note.path == *file && note.is_affected)
    }

    /// Returns an index of all names, for many links.
    pub(super) fn names(&self) -> PlaceNames<'_> {
        PlaceNames {
            places: self,
            before: (self.before.iter())
                .map(|note| Anchors::new(&note.facts))
                .collect(),
            after: (self.after.iter())
                .map(|(_, facts)| Anchors::new(facts))
                .collect(),
        }
    }
}

impl NotePlaces {
    fn has_unplaced(&self) -> bool {
        let mut places = self.headings.iter().chain(&self.blocks);
        places.any(|(file, _)| *file == usize::MAX)
    }
}

/// The names of headings and blocks before and after.
pub(super) struct PlaceNames<'places> {
    places: &'places Places,
    before: Vec<Anchors<'places>>,
    after: Vec<Anchors<'places>>,
}

impl PlaceNames<'_> {
    /// Returns the destination of a link to this place of a file; `None` if it names none of these places.
    pub(super) fn destination(&self, file: &VaultPath, subpath: &str) -> Option<Destination> {
        let mut notes = self.places.before.iter().zip(&self.before);
        let (note, names) = notes.find(|(note, _)| note.path == *file)?;
        let meant = names.find(subpath)?;
        let (at, index) = match &meant {
            Anchor::Headings(found) => *note.headings.get(*found.last()?)?,
            Anchor::Block(index) => *note.blocks.get(*index)?,
        };
        let (path, facts) = self.places.after.get(at)?;
        let after = self.after.get(at)?;
        let leads = |text: &str| match (after.find(text), &meant) {
            (Some(Anchor::Headings(found)), Anchor::Headings(_)) => found.last() == Some(&index),
            (Some(Anchor::Block(found)), Anchor::Block(_)) => found == index,
            _ => false,
        };
        let read = parts(subpath);
        let found = match &meant {
            Anchor::Block(old) => {
                let id = &facts.blocks.get(index)?.id;
                let is_renamed = note.facts.blocks.get(*old)?.id != *id;
                let new = format!("#^{id}");
                let place = match leads(if is_renamed { &new } else { subpath }) {
                    true if is_renamed => NewPlace::Named(vec![vec![Part::New(format!("^{id}"))]]),
                    true => NewPlace::Same,
                    false => NewPlace::Nameless,
                };
                return Some(Destination {
                    file: path.clone(),
                    place,
                });
            }
            Anchor::Headings(found) => found,
        };
        // The headings that the link names, with their new texts; `None` for those that are in another file afterwards.
        let renamed = found.iter().map(|old| {
            let (_, new) = note.headings.get(*old).filter(|(file, _)| *file == at)?;
            let (old, new) = (note.facts.headings.get(*old)?, facts.headings.get(*new)?);
            Some((old.text != new.text, new.text.as_str()))
        });
        let renamed: Vec<Option<(bool, &str)>> = renamed.collect();
        let is_renamed = renamed.iter().flatten().any(|(is_renamed, _)| *is_renamed);
        if !is_renamed && leads(subpath) {
            return Some(Destination {
                file: path.clone(),
                place: NewPlace::Same,
            });
        }
        let mut candidates = Vec::new();
        for name in [place_of_heading, plain_name] {
            let mut add = |parts: Vec<Part>| {
                if !parts.is_empty()
                    && leads(&subpath_of(&parts, &read))
                    && !candidates.contains(&parts)
                {
                    candidates.push(parts);
                }
            };
            for left_out in 0..found.len() {
                let rest = renamed.iter().enumerate().skip(left_out);
                let kept = rest.filter_map(|(index, renamed)| {
                    Some(match (*renamed)? {
                        (true, text) => Part::New(name(text)),
                        (false, _) => Part::Kept(index),
                    })
                });
                add(kept.collect());
            }
            let mut texts = Vec::new();
            let mut outer = Some(index);
            while let Some(at) = outer {
                texts.insert(0, name(&facts.headings.get(at)?.text));
                add(texts.iter().cloned().map(Part::New).collect());
                outer = after.outer(at);
            }
        }
        Some(Destination {
            file: path.clone(),
            place: if candidates.is_empty() {
                NewPlace::Nameless
            } else {
                NewPlace::Named(candidates)
            },
        })
    }
}

/// Returns the headings and blocks alone, which are what links name.
fn anchors_only(facts: NoteFacts) -> NoteFacts {
    NoteFacts {
        headings: facts.headings,
        blocks: facts.blocks,
        ..NoteFacts::default()
    }
}

/// Returns a new subpath as it is read, from the parts of the old one as they are read.
pub(super) fn subpath_of(parts: &[Part], old: &[&str]) -> String {
    let texts = parts.iter().map(|part| match part {
        Part::Kept(index) => old.get(*index).copied().unwrap_or_default(),
        Part::New(text) => text,
    });
    texts.fold(String::new(), |text, part| text + "#" + part)
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
