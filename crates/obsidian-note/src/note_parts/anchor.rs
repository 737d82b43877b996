//! The heading or block that the part of a link behind its `#` names (`vault-semantics.md` §2.2).

use foldhash::HashMap;

use super::heading::link_key;
use super::near_miss::nearest;
use crate::scan::NoteFacts;

/// A place that the part of a link behind its `#` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// A heading: the index of each heading that the text names, from the outermost in. The last one is the target.
    Headings(Vec<usize>),
    /// A block, by its index in [`NoteFacts::blocks`].
    Block(usize),
}

/// The kind of a place that a link names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnchorKind {
    /// A heading: `#A`, or `#A#B` for B below A.
    Heading,
    /// A block with an id: `#^id`.
    Block,
}

/// A place of a note that a dead link may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimilarAnchor {
    /// The place as a link names it: `Heading` or `^block`.
    pub place: String,
    /// Whether its letters and digits are those of the link.
    pub has_same_letters: bool,
}

/// The headings and blocks of one note, for many links to them.
pub struct Anchors<'facts> {
    facts: &'facts NoteFacts,
    /// The indexes of the headings that links treat as equal, in the order of the note.
    headings: HashMap<String, Vec<usize>>,
    /// The heading that each one is directly below.
    outer: Vec<Option<usize>>,
    /// The first block of each id in lower case.
    blocks: HashMap<String, usize>,
}

/// The maximum number of headings or blocks that are compared with a dead link.
const COMPARED: usize = 500;

impl<'facts> Anchors<'facts> {
    /// Builds the value for a note with these facts, from `scan`: those for an index have no texts of headings.
    pub fn new(facts: &'facts NoteFacts) -> Self {
        let mut headings: HashMap<String, Vec<usize>> = HashMap::default();
        let mut outer = Vec::with_capacity(facts.headings.len());
        let mut open: Vec<usize> = Vec::new();
        for (index, heading) in facts.headings.iter().enumerate() {
            open.retain(|above| facts.headings[*above].level < heading.level);
            outer.push(open.last().copied());
            open.push(index);
            headings
                .entry(link_key(&heading.text))
                .or_default()
                .push(index);
        }
        let mut blocks = HashMap::default();
        for (index, block) in facts.blocks.iter().enumerate() {
            blocks.entry(block.id.to_lowercase()).or_insert(index);
        }
        Self {
            facts,
            headings,
            outer,
            blocks,
        }
    }

    /// Returns the index of the heading that the heading with this index is directly below.
    pub fn outer(&self, heading: usize) -> Option<usize> {
        self.outer.get(heading).copied().flatten()
    }

    /// Returns the indexes of the headings that a link with this text can mean. It leads to the first one.
    pub fn headings_named(&self, text: &str) -> &[usize] {
        self.headings
            .get(&link_key(text))
            .map_or(&[], Vec::as_slice)
    }

    /// Returns the place that a link names; `None` if the note does not have it, or if the text names neither a heading
    /// nor a block ([`kind_of`]).
    pub fn find(&self, subpath: &str) -> Option<Anchor> {
        let parts = parts(subpath);
        match kind_of_parts(&parts)? {
            AnchorKind::Block => {
                let id = parts.last()?.strip_prefix('^')?.to_lowercase();
                self.blocks.get(&id).copied().map(Anchor::Block)
            }
            AnchorKind::Heading => self.nested(&parts).map(Anchor::Headings),
        }
    }

    /// Returns the first heading of the last part that is below headings of the other parts, with these.
    fn nested(&self, parts: &[&str]) -> Option<Vec<usize>> {
        let (last, above) = parts.split_last()?;
        let same = self.headings.get(&link_key(last))?;
        let above: Vec<String> = above.iter().rev().map(|part| link_key(part)).collect();
        same.iter().find_map(|&index| {
            let mut found = vec![index];
            let mut wanted = above.iter().peekable();
            let mut outer = self.outer(index);
            while let (Some(next), Some(at)) = (wanted.peek(), outer) {
                let heading = self.facts.headings.get(at)?;
                if link_key(&heading.text) == **next {
                    found.push(at);
                    wanted.next();
                }
                outer = self.outer(at);
            }
            found.reverse();
            wanted.peek().is_none().then_some(found)
        })
    }

    /// Returns the kind of the place that a link names and the note does not have; `None` if the link is not dead.
    pub fn missing(&self, subpath: &str) -> Option<AnchorKind> {
        let kind = kind_of(subpath)?;
        self.find(subpath).is_none().then_some(kind)
    }

    /// Returns the places that a dead link may mean, the likeliest first: those with the same letters and digits, or
    /// else the most similar ones.
    pub fn similar(&self, subpath: &str) -> Vec<SimilarAnchor> {
        let parts = parts(subpath);
        let Some(kind) = kind_of_parts(&parts) else {
            return Vec::new();
        };
        let places: Vec<(String, &str)> = match kind {
            AnchorKind::Heading => {
                let headings = self.facts.headings.iter().take(COMPARED);
                let named = |text: &'facts str| (place_of_heading(text), text);
                headings.map(|heading| named(&heading.text)).collect()
            }
            AnchorKind::Block => {
                let blocks = self.facts.blocks.iter().take(COMPARED);
                let named = |id: &'facts str| (format!("^{id}"), id);
                blocks.map(|block| named(&block.id)).collect()
            }
        };
        let wanted = parts.last().copied().unwrap_or_default();
        let wanted = wanted.strip_prefix('^').unwrap_or(wanted);
        let letters_of_wanted = letters(wanted);
        let mut found: Vec<SimilarAnchor> = Vec::new();
        let mut add = |place: &str, has_same_letters| {
            if found.iter().all(|known| known.place != place) {
                found.push(SimilarAnchor {
                    place: place.to_owned(),
                    has_same_letters,
                });
            }
        };
        for (place, text) in &places {
            if !letters_of_wanted.is_empty() && letters(text) == letters_of_wanted {
                add(place, true);
            }
        }
        let texts = places.iter().enumerate();
        for near in nearest(wanted, texts.map(|(index, (_, text))| (index, *text))) {
            // Near misses count lines from 1.
            if let Some((place, _)) = near.line.checked_sub(1).and_then(|at| places.get(at)) {
                add(place, false);
            }
        }
        found
    }
}

/// Returns the kind of place that the part of a link behind its `#` names; `None` if it names none, as `#` alone, or a
/// footnote (`#[^1]`).
pub fn kind_of(subpath: &str) -> Option<AnchorKind> {
    kind_of_parts(&parts(subpath))
}

/// Returns the texts between the `#` of a link's subpath, without empty ones: more than one for nested headings.
pub fn parts(subpath: &str) -> Vec<&str> {
    subpath.split('#').filter(|part| !part.is_empty()).collect()
}

/// Returns a heading as a link names it: without the characters that would end it, or that the app removes.
pub fn place_of_heading(text: &str) -> String {
    const NOT_IN_LINKS: &str = "#|^[]%:\\";
    let blank = |character: char| {
        if NOT_IN_LINKS.contains(character) {
            ' '
        } else {
            character
        }
    };
    let cleaned: String = text.chars().map(blank).collect();
    cleaned.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn kind_of_parts(parts: &[&str]) -> Option<AnchorKind> {
    match parts {
        [] => None,
        [only] if only.starts_with("[^") => None,
        [.., last] if last.starts_with('^') => Some(AnchorKind::Block),
        _ => Some(AnchorKind::Heading),
    }
}

/// Returns the letters and digits of a text in lower case.
fn letters(text: &str) -> String {
    let letters = text.chars().filter(|character| character.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::scan;

    const CASES: &str = include_str!("anchor_cases.txt");

    const NOTE: &str = "# Plan: *first* (draft)\n\n## Beds & soil\n\ntext ^b1\n\n# C++\n\n## Beds & soil\n\n### Deep\n\n# Émile\n- item ^It-2\n\n# *\n> ## Quoted\n\n```\n# Code\n```\n%%\n# Comment\n%%\n# See [[Other|o]]\n";

    #[test]
    fn a_link_finds_what_the_app_finds() {
        let facts = scan(NOTE);
        let anchors = Anchors::new(&facts);
        let shown = |subpath: &str| match (anchors.find(subpath), anchors.missing(subpath)) {
            (Some(Anchor::Headings(found)), None) => format!("{found:?}"),
            (Some(Anchor::Block(index)), None) => format!("^{}", facts.blocks[index].id),
            (None, Some(kind)) => format!("no {kind:?}"),
            (None, None) => "nothing".to_owned(),
            (Some(_), Some(_)) => unreachable!("found and missing"),
        };
        for [subpath, expected] in tables::section(CASES, "a link finds what the app finds") {
            assert_eq!(shown(subpath), expected, "{subpath}");
        }
    }

    #[test]
    fn a_dead_link_has_similar_places() {
        let facts = scan("# Getting started\n\n## Seed list\n\ntext ^b-1\n\nmore ^c\n# A: B\n");
        let anchors = Anchors::new(&facts);
        let similar = |subpath: &str| -> Vec<String> {
            let found = anchors.similar(subpath).into_iter();
            found
                .map(|near| {
                    let mark = if near.has_same_letters { "=" } else { "~" };
                    format!("{mark}{}", near.place)
                })
                .collect()
        };
        for (subpath, expected) in [
            ("#getting-started", &["=Getting started"][..]),
            ("#Geting started", &["~Getting started"]),
            ("#Getting started#seed_list", &["=Seed list"]),
            ("#ab", &["=A B"]),
            ("#^b1", &["=^b-1"]),
            ("#^zzz", &[]),
            ("#Weather", &[]),
            ("#", &[]),
        ] {
            assert_eq!(similar(subpath), expected, "{subpath}");
        }
    }
}
