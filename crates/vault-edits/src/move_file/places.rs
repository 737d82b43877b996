//! The headings and blocks of notes whose text is merged or divided, and their places afterwards.

use std::collections::BTreeSet;
use std::ops::Range;

use obsidian_note::note_parts::heading;
use obsidian_note::{NoteFacts, VaultPath};
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
pub(super) struct TextPart {
    /// The index of the note.
    pub(super) note: usize,
    pub(super) range: Range<usize>,
}

/// The file to which a link must lead afterwards, and what remains of its subpath.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Destination {
    pub(super) file: VaultPath,
    /// The number of leading parts `#…` of the subpath that are left out, because their headings are in another note;
    /// `None` if no subpath of this kind names the place.
    pub(super) left_out: Option<usize>,
}

/// A place in a note that a link names after `#`: the index of a heading or block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Anchor {
    Heading(usize),
    Block(usize),
}

impl Destination {
    /// Returns the destination of a link whose subpath stays as it is.
    pub(super) fn whole(file: VaultPath) -> Self {
        Self {
            file,
            left_out: Some(0),
        }
    }

    pub(super) fn is_shortened(&self) -> bool {
        self.left_out.is_some_and(|count| count > 0)
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
            let (mut heading_count, mut block_count) = (0, 0);
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
            if headings.next().is_some() || blocks.next().is_some() {
                return None;
            }
        }
        // A link in code that is cut open would become one, or the reverse.
        let links = |facts: &NoteFacts| facts.links.len() + facts.embeds.len();
        let links_before: usize = before.iter().map(|note| links(&note.facts)).sum();
        let links_after: usize = after.iter().map(|text| links(&text.facts)).sum();
        if links_before != links_after {
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
        places.find_affected()?;
        Some(places)
    }

    /// Gives the notes other names.
    pub(super) fn rename(&mut self, named: &impl Fn(&VaultPath) -> VaultPath) {
        for note in &mut self.before {
            note.path = named(&note.path);
        }
        for (path, _) in &mut self.after {
            *path = named(path);
        }
    }

    /// Finds the notes whose headings or blocks get into another file, or get a name that another place has too.
    fn find_affected(&mut self) -> Option<()> {
        let names = |facts: &NoteFacts| {
            let headings = facts
                .headings
                .iter()
                .map(|heading| heading::link_key(&heading.text));
            let blocks = facts
                .blocks
                .iter()
                .map(|block| format!("^{}", block.id.to_lowercase()));
            headings.chain(blocks).collect::<Vec<String>>()
        };
        let affected: Vec<bool> = (0..self.before.len())
            .map(|index| {
                let note = self.before.get(index)?;
                let places = || note.headings.iter().chain(&note.blocks);
                if places().any(|(file, _)| *file == usize::MAX) {
                    return None;
                }
                let moves = places().any(|(file, _)| {
                    self.after
                        .get(*file)
                        .is_none_or(|(path, _)| *path != note.path)
                });
                let own: BTreeSet<String> = names(&note.facts).into_iter().collect();
                let others = self.before.iter().filter(|other| other.path != note.path);
                let mut shared = others.flat_map(|other| names(&other.facts));
                Some(moves || shared.any(|name| own.contains(&name)))
            })
            .collect::<Option<_>>()?;
        for (note, is_affected) in self.before.iter_mut().zip(affected) {
            note.is_affected = is_affected;
        }
        Some(())
    }

    /// Whether each link to this file must be looked at.
    pub(super) fn looks_at(&self, file: &VaultPath) -> bool {
        self.before
            .iter()
            .any(|note| note.path == *file && note.is_affected)
    }

    /// Returns the destination of a link to this place of a file; `None` if it names none of these places.
    pub(super) fn destination(&self, file: &VaultPath, subpath: &str) -> Option<Destination> {
        let note = self.before.iter().find(|note| note.path == *file)?;
        let (at, wanted) = match anchor(&note.facts, subpath)? {
            Anchor::Heading(index) => {
                let (at, index) = *note.headings.get(index)?;
                (at, Anchor::Heading(index))
            }
            Anchor::Block(index) => {
                let (at, index) = *note.blocks.get(index)?;
                (at, Anchor::Block(index))
            }
        };
        let (path, facts) = self.after.get(at)?;
        let parts = subpath.matches('#').count();
        let leads = |left_out: &usize| {
            without_parts(subpath, *left_out).and_then(|rest| anchor(facts, rest)) == Some(wanted)
        };
        Some(Destination {
            file: path.clone(),
            left_out: (0..parts).find(leads),
        })
    }
}

/// Returns the headings and blocks alone, which are what links name.
pub(super) fn anchors_only(facts: NoteFacts) -> NoteFacts {
    NoteFacts {
        headings: facts.headings,
        blocks: facts.blocks,
        ..NoteFacts::default()
    }
}

/// Returns the subpath without its first parts `#…`; `None` if it has fewer of them.
pub(super) fn without_parts(subpath: &str, count: usize) -> Option<&str> {
    if count == 0 {
        return Some(subpath);
    }
    let (at, _) = subpath.match_indices('#').nth(count)?;
    subpath.get(at..)
}

/// Returns the place that a subpath names (`vault-semantics.md` §2.2).
fn anchor(facts: &NoteFacts, subpath: &str) -> Option<Anchor> {
    if let Some((_, id)) = subpath.rsplit_once("#^") {
        let mut blocks = facts.blocks.iter();
        let index = blocks.position(|block| block.id.eq_ignore_ascii_case(id.trim()))?;
        return Some(Anchor::Block(index));
    }
    heading::linked(&facts.headings, subpath).map(Anchor::Heading)
}
