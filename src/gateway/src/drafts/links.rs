//! The links that a draft changes: which of these changes belong to a rename, and which links lead nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use line_diff::Hunk;
use schemars::JsonSchema;
use serde::Serialize;
use vault_engine::scan::{Link, Position, Span, scan};
use vault_engine::{Editor, IndexedVault, LinkIndex, Overlay, Resolution, Vault, VaultPath};

use super::parts::{DraftPart, WHOLE};
use super::warnings::{ReviewWarning, WarningReason};
use backend::engine_failure;
use changes::file_change::Happening;
use protocol::failure::Failure;

/// The most files with broken links that a warning names.
const MOST_NAMED: usize = 3;

/// Renames with the link changes that belong to them. They are decided together: a link change without its
/// rename leads to no file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeGroup {
    /// The id: the new path of the first renamed file.
    pub id: String,
    /// The renames and the link changes.
    pub members: Vec<GroupMember>,
}

impl ChangeGroup {
    /// Whether the file with this path in the draft is renamed in the group.
    pub fn renames(&self, note: &str) -> bool {
        let is_rename = |member: &GroupMember| member.note == note && member.hunks.contains(&WHOLE);
        self.members.iter().any(is_rename)
    }
}

/// The hunks of one file that belong to a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupMember {
    /// The path of the file in the draft.
    pub note: String,
    /// The numbers of its hunks. 0 is the rename.
    pub hunks: BTreeSet<usize>,
}

/// The links of the vault before and after a draft.
pub(super) struct DraftLinks {
    /// The files of the folder before the acceptance.
    before: Arc<LinkIndex>,
    /// The files as the draft leaves them.
    after: Arc<LinkIndex>,
    /// The files of the folder that leave their paths, with the files whose links to them lead to no file then.
    broken: BTreeMap<VaultPath, BTreeSet<VaultPath>>,
}

/// The links that a hunk replaces.
struct ReplacedLinks {
    /// The first line of the hunk in the new text, from 0.
    line: usize,
    removed: Vec<Link>,
    added: Vec<Link>,
    /// Whether only the targets of links change.
    only_targets: bool,
}

impl DraftLinks {
    /// Lists the files before and after; `None` if these parts neither replace links nor move a file.
    ///
    /// # Errors
    ///
    /// If the vault cannot be listed.
    pub(super) fn of_draft(
        parts: &[DraftPart],
        overlay: &Overlay,
        folder: &Vault,
    ) -> Result<Option<Self>, Failure> {
        let replaces_links = |part: &DraftPart| {
            part.replaced_links()
                .any(|(_, links)| !links.removed.is_empty())
        };
        let is_moved = |part: &DraftPart| part.change == Happening::Moved;
        let follows =
            parts.iter().any(is_moved) && Editor(folder).updates_links().map_err(engine_failure)?;
        let leaves = |part: &&DraftPart| match part.change {
            Happening::Moved => part.place.is_hidden() || !follows,
            Happening::Trashed | Happening::Removed => true,
            _ => false,
        };
        let gone: BTreeSet<&VaultPath> = parts
            .iter()
            .filter(leaves)
            .filter_map(|part| part.origin.as_ref())
            .collect();
        if gone.is_empty() && !parts.iter().any(replaces_links) {
            return Ok(None);
        }
        let index = |vault: &Vault| IndexedVault(vault).link_index().map(|(index, _)| index);
        let before = index(&folder.as_in_the_folder()).map_err(engine_failure)?;
        let drafted = folder.clone().with_overlay(overlay.clone());
        let after = index(&drafted).map_err(engine_failure)?;
        let broken = if gone.is_empty() {
            BTreeMap::new()
        } else {
            IndexedVault(&drafted)
                .links_to_gone(&gone)
                .map_err(engine_failure)?
        };
        Ok(Some(Self {
            before,
            after,
            broken,
        }))
    }

    /// Returns the renames of a draft, each with the hunks that change only links because of it. A rename alone is not
    /// listed.
    pub(super) fn groups(&self, parts: &[DraftPart]) -> Vec<ChangeGroup> {
        let is_moved = |part: &&DraftPart| part.change == Happening::Moved;
        let moves: Vec<&DraftPart> = parts.iter().filter(is_moved).collect();
        let by_origin: BTreeMap<&VaultPath, usize> = (0..)
            .zip(&moves)
            .filter_map(|(at, part)| Some((part.from.as_ref()?, at)))
            .collect();
        // Renames whose links are in one hunk are in one group: the group of the first.
        let mut groups: BTreeMap<usize, BTreeSet<(&VaultPath, usize)>> = (0..)
            .zip(&moves)
            .map(|(at, part)| (at, BTreeSet::from([(&part.path, WHOLE)])))
            .collect();
        let mut group_of: Vec<usize> = (0..moves.len()).collect();
        for part in parts {
            for (number, links) in part.replaced_links() {
                let because = self.renames_behind(part, &links, &by_origin, &moves);
                let because = because.into_iter().flatten();
                let joined: BTreeSet<usize> =
                    because.filter_map(|at| group_of.get(at).copied()).collect();
                let Some(first) = joined.first().copied() else {
                    continue;
                };
                for group in group_of.iter_mut().filter(|group| joined.contains(group)) {
                    *group = first;
                }
                let members = joined
                    .iter()
                    .filter_map(|group| groups.remove(group))
                    .flatten();
                let members = members.chain([(&part.path, number)]).collect();
                groups.insert(first, members);
            }
        }
        let groups = groups.into_iter().filter(|(_, members)| members.len() > 1);
        let groups = groups.filter_map(|(first, members)| {
            let mut notes: BTreeMap<&VaultPath, BTreeSet<usize>> = BTreeMap::new();
            for (note, hunk) in members {
                notes.entry(note).or_default().insert(hunk);
            }
            let members = notes.into_iter();
            let members = members.map(|(note, hunks)| GroupMember {
                note: note.to_string(),
                hunks,
            });
            Some(ChangeGroup {
                id: moves.get(first)?.path.to_string(),
                members: members.collect(),
            })
        });
        groups.collect()
    }

    /// Returns the renames that cause the changes of links in a hunk; `None` if the hunk changes anything else.
    fn renames_behind(
        &self,
        part: &DraftPart,
        links: &ReplacedLinks,
        by_origin: &BTreeMap<&VaultPath, usize>,
        moves: &[&DraftPart],
    ) -> Option<BTreeSet<usize>> {
        if !links.only_targets {
            return None;
        }
        let origin = part.from.as_ref().unwrap_or(&part.path);
        let mut because = BTreeSet::new();
        for (removed, added) in links.removed.iter().zip(&links.added) {
            if removed.original == added.original {
                continue;
            }
            let before = resolved(&self.before, removed, origin)?;
            let after = resolved(&self.after, added, &part.path)?;
            let rename = by_origin.get(&before).copied();
            let renamed = rename
                .and_then(|at| moves.get(at))
                .map_or(&before, |part| &part.path);
            if after != *renamed {
                return None;
            }
            // A note that is moved itself leads to the same file from another folder.
            because.insert(rename.or_else(|| by_origin.get(origin).copied())?);
        }
        (!because.is_empty()).then_some(because)
    }

    /// Returns warnings about the links that these hunks break: new links that lead to no file in place of links that
    /// did, and links in other files to a file that is moved or removed.
    pub(super) fn broken(&self, part: &DraftPart, hunks: &BTreeSet<usize>) -> Vec<ReviewWarning> {
        let origin = part.from.as_ref().unwrap_or(&part.path);
        let backlinks = part.origin.as_ref().filter(|_| hunks.contains(&WHOLE));
        let backlinks = backlinks
            .and_then(|origin| self.broken.get(origin))
            .map(|files| {
                let named = files.iter().take(MOST_NAMED).map(ToString::to_string);
                ReviewWarning {
                    hunk: (part.change == Happening::Moved).then_some(WHOLE),
                    line: None,
                    reason: WarningReason::BrokenBacklinks {
                        files: named.collect(),
                        count: files.len(),
                    },
                }
            });
        let mut warnings = Vec::from_iter(backlinks);
        for (number, links) in part
            .replaced_links()
            .filter(|(number, _)| hunks.contains(number))
        {
            if !links
                .removed
                .iter()
                .any(|link| resolved(&self.before, link, origin).is_some())
            {
                continue;
            }
            let is_kept = |link: &Link| links.removed.iter().any(|old| old.target == link.target);
            let broken = links
                .added
                .iter()
                .filter(|link| !is_kept(link) && resolved(&self.after, link, &part.path).is_none());
            warnings.extend(broken.map(|link| {
                ReviewWarning {
                    hunk: Some(number),
                    line: usize::try_from(link.span.start.line)
                        .ok()
                        .map(|at| links.line + at + 1),
                    reason: WarningReason::BrokenLink {
                        link: link.original.clone(),
                    },
                }
            }));
        }
        warnings
    }
}

impl DraftPart {
    /// Returns the hunks of a note or canvas that remove and add links, with their numbers.
    fn replaced_links(&self) -> impl Iterator<Item = (usize, ReplacedLinks)> {
        let is_text = matches!(self.change, Happening::Modified | Happening::Moved);
        let links = LinkSyntax::of(&self.path).filter(|_| is_text);
        let texts = self.texts.as_ref().zip(links);
        let texts = texts.map(|((before, after), syntax)| {
            (TextLines::new(before), TextLines::new(after), syntax)
        });
        texts.into_iter().flat_map(|(before, after, syntax)| {
            let of_hunk = |(number, hunk): (usize, &Hunk)| {
                let texts = (before.cut(&hunk.before), after.cut(&hunk.after));
                let links = ReplacedLinks::between(texts, hunk.after.start, syntax)?;
                Some((number, links))
            };
            (1..)
                .zip(&self.hunks)
                .filter_map(of_hunk)
                .collect::<Vec<_>>()
        })
    }
}

impl ReplacedLinks {
    /// Builds the change of links between two texts; `None` if one of the texts has no link.
    fn between((before, after): (&str, &str), line: usize, syntax: LinkSyntax) -> Option<Self> {
        let (removed, added) = (syntax.links_of(before), syntax.links_of(after));
        if removed.is_empty() || added.is_empty() {
            return None;
        }
        let rest = without_targets(before, &removed);
        let only_targets = rest.is_some() && rest == without_targets(after, &added);
        Some(Self {
            line,
            removed,
            added,
            only_targets,
        })
    }
}

/// A text with the byte positions of its lines.
struct TextLines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> TextLines<'t> {
    fn new(text: &'t str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            text,
            starts: std::iter::once(0).chain(ends).collect(),
        }
    }

    /// Returns the text of these lines.
    fn cut(&self, lines: &Range<usize>) -> &'t str {
        let start = |line: usize| self.starts.get(line).copied().unwrap_or(self.text.len());
        self.text
            .get(start(lines.start)..start(lines.end))
            .unwrap_or_default()
    }
}

/// The syntax of the links of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LinkSyntax {
    Note,
    /// Links in the text of cards, and the paths of file cards.
    Canvas,
}

impl LinkSyntax {
    /// Returns the link syntax of files with this path; `None` if they have no links.
    fn of(path: &VaultPath) -> Option<Self> {
        match path.extension() {
            _ if path.is_note() => Some(Self::Note),
            "canvas" => Some(Self::Canvas),
            _ => None,
        }
    }

    /// Returns the links and embeds of some lines, in the order of their places.
    fn links_of(self, text: &str) -> Vec<Link> {
        let mut links = match self {
            Self::Note => links_in(text),
            Self::Canvas => links_of_cards(text),
        };
        links.sort_by_key(|link| link.span.start.byte);
        links
    }
}

fn links_in(text: &str) -> Vec<Link> {
    if !(text.contains("[[") || text.contains("](")) {
        return Vec::new();
    }
    let facts = scan(text);
    facts.links.into_iter().chain(facts.embeds).collect()
}

/// Returns the links in lines of a canvas. Each line is read without its indentation, which would be code in a note.
fn links_of_cards(text: &str) -> Vec<Link> {
    let mut links = Vec::new();
    let (mut start, mut number) = (0, 0);
    for line in text.split_inclusive('\n') {
        let content = line.trim_start();
        let at = start + u32::try_from(line.len() - content.len()).unwrap_or_default();
        for mut link in links_in(content).into_iter().chain(file_cards(content)) {
            for position in [&mut link.span.start, &mut link.span.end] {
                position.byte += at;
                position.line = number;
            }
            links.push(link);
        }
        start += u32::try_from(line.len()).unwrap_or_default();
        number += 1;
    }
    links
}

/// Returns the paths of file cards in a line of a canvas: the values of `"file"`.
fn file_cards(line: &str) -> impl Iterator<Item = Link> {
    line.match_indices(FILE_KEY).filter_map(|(key, _)| {
        let value = line
            .get(key + FILE_KEY.len()..)?
            .trim_start()
            .strip_prefix(':')?
            .trim_start();
        let mut values = serde_json::Deserializer::from_str(value).into_iter::<String>();
        let target = values.next()?.ok()?;
        let original = value.get(..values.byte_offset())?.to_owned();
        let byte = u32::try_from(line.len() - value.len()).ok()?;
        let start = Position {
            byte,
            ..Position::default()
        };
        let end = Position {
            byte: byte + u32::try_from(original.len()).ok()?,
            ..start
        };
        Some(Link {
            target,
            original,
            display: None,
            span: Span { start, end },
        })
    })
}

/// The key of the path of a file card.
const FILE_KEY: &str = "\"file\"";

/// Returns the text between links, and of each link the part that a rename does not change; `None` if links are nested.
fn without_targets(text: &str, links: &[Link]) -> Option<Vec<String>> {
    let (mut pieces, mut from) = (Vec::new(), 0);
    for link in links {
        let place = |byte| usize::try_from(byte).ok();
        let (start, end) = (place(link.span.start.byte)?, place(link.span.end.byte)?);
        pieces.push(text.get(from..start)?.to_owned());
        let subpath = link
            .target
            .split_once('#')
            .map_or("", |(_, subpath)| subpath);
        let is_embed = link.original.starts_with('!');
        let is_wikilink = link.original.contains("[[");
        let display = match link.original.split_once('|') {
            Some((_, display)) if is_wikilink => display,
            None if is_wikilink => "",
            _ => link.display.as_deref().unwrap_or_default(),
        };
        pieces.push(format!("{is_embed} {is_wikilink} {subpath} {display}"));
        from = end;
    }
    pieces.push(text.get(from..)?.to_owned());
    Some(pieces)
}

/// Returns the file to which a link in the note `source` leads; `None` if it leads to no file.
fn resolved(index: &LinkIndex, link: &Link, source: &VaultPath) -> Option<VaultPath> {
    let path = link.target.split('#').next().unwrap_or_default();
    match index.resolve(path, source) {
        Resolution::Found(found) => Some(found.path),
        Resolution::Missing => None,
    }
}
