//! The links that a draft changes: which of these changes belong to a rename, and which links lead nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use jiff::Timestamp;
use vault_engine::scan::{Link, Position, Span, scan};
use vault_engine::{
    BondKind, Editor, EngineError, IndexedVault, LinkIndex, NOT_IN_NAMES, Overlay, PlannedFile,
    Resolution, State, Vault, VaultPath,
};

use super::groups::HunkOfPart;
use super::parts::{DraftPart, WHOLE};
use super::warnings::{ReviewWarning, WarningReason};
use super::with_bytes;
use backend::engine_failure;
use changes::{Happening, findings::MovedFiles};
use protocol::Failure;
use store::drafts::{Draft, leaving, origin_of};
use store::journal::{Journal, JournalEntry};

/// The maximum number of files with broken links that a warning names.
const MOST_NAMED: usize = 3;

/// The links of the vault before and after a draft.
pub(super) struct DraftLinks {
    /// The files of the folder before the acceptance, those that the draft leaves, and those that it moves.
    pub(super) moved: MovedFiles,
    /// The files of the folder that leave their paths, with the files whose links to them lead to no file then.
    broken: BTreeMap<VaultPath, BTreeSet<VaultPath>>,
    /// The files that left their paths since the draft was begun.
    left: LinkIndex,
}

/// A rename of a draft: the index of the part, and the old path.
type Rename<'parts> = (usize, &'parts VaultPath);

/// The links that a hunk removes and adds.
#[derive(Clone, Debug)]
pub(super) struct ChangedLinks {
    /// The number of the hunk.
    number: usize,
    /// The first line of the hunk in the new text, from 0.
    line: usize,
    removed: Vec<Link>,
    added: Vec<Link>,
}

impl DraftLinks {
    /// Lists the files before and after; `None` if these parts neither add links nor move a file. The `journal` is read
    /// if a new link leads to no file; without one, links to files that left their paths are not found.
    ///
    /// # Errors
    ///
    /// If the vault cannot be listed, or the journal cannot be read.
    pub(super) fn of_draft(
        parts: &[DraftPart],
        draft: &Draft,
        (folder, journal): (&Vault, Option<&Journal>),
    ) -> Result<Option<Self>, Failure> {
        let renamed = parts.iter().filter(|part| part.change == Happening::Moved);
        let origins = renamed.filter_map(|part| Some((part.path.clone(), part.origin.clone()?)));
        let origins: BTreeMap<VaultPath, VaultPath> = origins.collect();
        let moves = !origins.is_empty();
        let added: Vec<(&DraftPart, &ChangedLinks)> = parts
            .iter()
            .flat_map(|part| part.changed_links().iter().map(move |links| (part, links)))
            .filter(|(_, links)| !links.added.is_empty() && (moves || journal.is_some()))
            .collect();
        let carried = draft.bonds.iter().flat_map(|bond| &bond.carried);
        let merged = carried.filter(|carried| carried.kind() == BondKind::Merged);
        let merged: BTreeSet<&VaultPath> = merged.map(|carried| carried.files()[0]).collect();
        let follows = (moves || !merged.is_empty())
            && Editor(folder).updates_links().map_err(engine_failure)?;
        let leaves = |part: &&DraftPart| match part.change {
            // No link can contain such a name, so links to it cannot follow (`vault-semantics.md` §2.2).
            Happening::Moved => {
                part.place.is_hidden() || !follows || part.place.as_str().contains(NOT_IN_NAMES)
            }
            // Links to a merged note follow its text.
            Happening::Trashed | Happening::Removed => {
                let is_merged = part
                    .origin
                    .as_ref()
                    .is_some_and(|origin| merged.contains(origin));
                !(is_merged && follows)
            }
            _ => false,
        };
        let gone: BTreeSet<&VaultPath> = parts
            .iter()
            .filter(leaves)
            .filter_map(|part| part.origin.as_ref())
            .collect();
        if gone.is_empty() && added.is_empty() {
            return Ok(None);
        }
        let index = |vault: &Vault| IndexedVault(vault).link_index().map(|(index, _)| index);
        // A link to a moved file that has left the folder in the meantime still belongs to the move.
        let (mut missing, mut overlay) = (Overlay::default(), draft.overlay.clone());
        for (path, origin) in origins
            .iter()
            .filter(|(_, origin)| !folder.is_there(origin))
        {
            missing.put(origin.clone(), Vec::new(), true, 0);
            if let Some(PlannedFile::From(_)) = overlay.files.get(path) {
                overlay.put(path.clone(), Vec::new(), true, 0);
            }
        }
        let folder_then = folder.as_in_the_folder().with_overlay(missing);
        let before = index(&folder_then).map_err(engine_failure)?;
        let drafted = folder.clone().with_overlay(overlay);
        let after = index(&drafted).map_err(engine_failure)?;
        let broken = if gone.is_empty() {
            BTreeMap::new()
        } else {
            IndexedVault(&drafted)
                .links_to_gone(&gone)
                .map_err(engine_failure)?
        };
        let is_dead = |(part, links): &(&DraftPart, &ChangedLinks)| {
            let mut added = links.added.iter();
            added.any(|link| resolved(&after, link, &part.path).is_none())
        };
        let left = match journal.filter(|_| added.iter().any(is_dead)) {
            Some(journal) => files_that_left(journal, draft.created)?,
            None => BTreeSet::new(),
        };
        Ok(Some(Self {
            moved: MovedFiles {
                before,
                after,
                origins,
            },
            broken,
            left: LinkIndex::new(left),
        }))
    }

    /// Returns the hunks with links that need renames, each with the indexes of the renamed parts.
    pub(super) fn hunks_of_renames(
        &self,
        parts: &[DraftPart],
    ) -> Vec<(HunkOfPart, BTreeSet<usize>)> {
        let moves = (0..).zip(parts).filter_map(|(at, part)| {
            let is_moved = part.change == Happening::Moved;
            let from = part.from.as_ref().filter(|_| is_moved)?;
            Some((&part.path, (at, from)))
        });
        let renames: BTreeMap<&VaultPath, Rename<'_>> = moves.collect();
        let mut found = Vec::new();
        for (at, part) in (0..).zip(parts) {
            for links in part.changed_links() {
                let because = self.renames_behind(part, &links.added, &renames);
                found.push(((at, links.number), because));
            }
        }
        found
    }

    /// Returns the renames without which the new links would not lead to their files.
    fn renames_behind(
        &self,
        part: &DraftPart,
        added: &[Link],
        renames: &BTreeMap<&VaultPath, Rename<'_>>,
    ) -> BTreeSet<usize> {
        let origin = part.from.as_ref().unwrap_or(&part.path);
        let mut because = BTreeSet::new();
        for link in added {
            // A link with the text of a removed one may lead to another file: renames can swap paths.
            let Some(after) = resolved(&self.moved.after, link, &part.path) else {
                continue;
            };
            let rename = renames.get(&after);
            let before = rename.map_or(&after, |(_, from)| *from);
            if resolved(&self.moved.before, link, origin).as_ref() != Some(before) {
                // A note that is moved itself leads to the same file from another folder.
                let leads_there =
                    resolved(&self.moved.after, link, origin).as_ref() == Some(&after);
                let own = renames.get(&part.path).filter(|_| !leads_there);
                because.extend(rename.or(own).map(|(at, _)| at));
            }
        }
        because
    }

    /// Returns warnings about the links that these hunks break: new links that lead to no file in place of links that
    /// did, or to a file that left its path since the draft was begun, and links in other files to a file that is moved
    /// or removed.
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
        let all = part.changed_links().iter();
        for links in all.filter(|links| hunks.contains(&links.number)) {
            let mut removed = links.removed.iter();
            let is_replaced =
                removed.any(|link| resolved(&self.moved.before, link, origin).is_some());
            let is_kept = |link: &Link| links.removed.iter().any(|old| old.target == link.target);
            let has_left = |link: &Link| resolved(&self.left, link, &part.path).is_some();
            let broken = links.added.iter().filter(|link| {
                !is_kept(link)
                    && resolved(&self.moved.after, link, &part.path).is_none()
                    && (is_replaced || has_left(link))
            });
            warnings.extend(broken.map(|link| {
                ReviewWarning {
                    hunk: Some(links.number).filter(|number| *number != WHOLE),
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

/// Returns the links of a file whose texts are these bytes and that is one hunk, because they are not all text.
pub(super) fn links_of_whole(path: &VaultPath, [before, after]: [&[u8]; 2]) -> Vec<ChangedLinks> {
    let links = LinkSyntax::of(path).map(|syntax| ChangedLinks {
        number: WHOLE,
        line: 0,
        removed: syntax.links_of(&String::from_utf8_lossy(before)),
        added: syntax.links_of(&String::from_utf8_lossy(after)),
    });
    Vec::from_iter(links)
}

impl DraftPart {
    /// Returns the hunks of a note or canvas that remove or add links. A new one is one hunk.
    fn changed_links(&self) -> &[ChangedLinks] {
        self.links.get_or_init(|| self.links_of_hunks())
    }

    fn links_of_hunks(&self) -> Vec<ChangedLinks> {
        let is_new = self.change == Happening::Created;
        let has_text = is_new || matches!(self.change, Happening::Modified | Happening::Moved);
        let syntax = LinkSyntax::of(&self.path).filter(|_| has_text);
        let Some(((before, after), syntax)) = self.texts.as_ref().zip(syntax) else {
            return Vec::new();
        };
        let (before, after) = (TextLines::new(before), TextLines::new(after));
        let numbered = (1..).zip(&self.hunks);
        let links = numbered.map(|(number, hunk)| ChangedLinks {
            number: if is_new { WHOLE } else { number },
            line: hunk.after.start,
            removed: syntax.links_of(before.cut(&hunk.before)),
            added: syntax.links_of(after.cut(&hunk.after)),
        });
        links.collect()
    }
}

/// Updates the links in files of a draft that lead to no file because of its moves: a program that moves a file does not
/// update links as `move` does. The vault is as the agent sees it, without the draft. Links in other files follow at the
/// acceptance.
pub(super) fn follow_moves(draft: &mut Draft, before: &Vault) -> Result<(), EngineError> {
    if leaving(&draft.overlay).is_empty() {
        return Ok(());
    }
    let after = before.clone().with_overlay(draft.overlay.clone());
    let follower = Editor(before).link_follower(&draft.overlay, &[])?;
    let (old, _) = IndexedVault(before).link_index()?;
    let (new, _) = IndexedVault(&after).link_index()?;
    let mut rewritten = Vec::new();
    for (path, file) in &draft.overlay.files {
        let from = origin_of(path, file).unwrap_or(path);
        let syntax = LinkSyntax::of(path).filter(|_| !path.is_hidden());
        // Nobody can review more of a file that is too large to be read.
        let Some((syntax, text)) = syntax.zip(after.read_bytes(path).ok()) else {
            continue;
        };
        let is_dead = |link: &Link| {
            resolved(&new, link, path).is_none() && resolved(&old, link, from).is_some()
        };
        let links = syntax.links_of(&String::from_utf8_lossy(&text));
        if links.iter().any(is_dead)
            && let Some(text) = follower.text((from, path), &text)?
        {
            rewritten.push((path.clone(), from.clone(), text.bytes));
        }
    }
    for (path, from, text) in rewritten {
        if let Some(base) = draft
            .bases
            .get_mut(&from)
            .filter(|base| base.content.is_none())
        {
            // The base of a file that was only moved.
            *base = with_bytes(base.clone(), &from, before);
        }
        let modified = draft.changed.as_millisecond();
        draft.overlay.put(path, text, false, modified);
    }
    Ok(())
}

/// Returns the files that a run of the gateway moved away or removed since this time. They may be back in the meantime.
fn files_that_left(journal: &Journal, since: Timestamp) -> Result<BTreeSet<VaultPath>, Failure> {
    let runs = journal.entries()?.entries.into_iter();
    let began = |entry: &JournalEntry| entry.started_at.parse::<Timestamp>();
    // A run whose time cannot be read counts too.
    let recent = runs.filter(|run| began(&run.entry).map_or(true, |began| began >= since));
    let files = recent.flat_map(|run| run.entry.files);
    let left = files.filter(|file| {
        let was_there = file.before.version().is_some();
        was_there && file.after == Some(State::Absent) && !file.path.is_hidden()
    });
    Ok(left.map(|file| file.path).collect())
}

/// A text with the byte positions of its lines.
pub(super) struct TextLines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> TextLines<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            text,
            starts: std::iter::once(0).chain(ends).collect(),
        }
    }

    /// Returns the text of these lines.
    pub(super) fn cut(&self, lines: &Range<usize>) -> &'t str {
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

/// Returns the file to which a link in the note `source` leads; `None` if it leads to no file.
fn resolved(index: &LinkIndex, link: &Link, source: &VaultPath) -> Option<VaultPath> {
    // A hunk may be a row of a table, in which `[[note\|text]]` is a link to `note`. No name has a backslash.
    let path = link.target.split('#').next().unwrap_or_default();
    let path = path.trim_end_matches('\\');
    match index.resolve(path, source) {
        Resolution::Found(found) => Some(found.path),
        Resolution::Missing => None,
    }
}
