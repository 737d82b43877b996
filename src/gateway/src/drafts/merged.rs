//! Brings a draft up to date with the vault's folder, which a person and other agents also change (`design/drafts.md`).
//!
//! Changes of both sides are merged line by line. Where they touch, the draft stays as it is, and the note
//! is in conflict until a person or the agent decides: nothing is guessed, and nothing of either side is lost.
//!
//! The file of each base is compared with it: size and time first (only times older than two seconds count), then the
//! hash. A change that the vault has already leaves the draft. So do moves of files that take each other's paths, if
//! another draft or a killed acceptance made them: the files are at their new paths with the content that the draft
//! expects there, and one of the paths has another content than before. With equal contents nobody can know, so the
//! exchange stays. If the vault has only a part of such moves, or a person edited all files of a ring, the moves are
//! in conflict.

use std::cell::{OnceCell, RefCell};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::ops::Range;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use line_diff::{Conflict, Merge, hunks, merge};
use vault_engine::{
    Editor, FollowedText, IndexedVault, LinkFollower, Overlay, PlannedBytes, PlannedContent,
    PlannedFile, Sight, State, Vault, VaultPath, Version,
};

use super::parts::{self, DIFF_TIME, is_trashed};
use backend::engine_failure;
use changes::Happening;
use protocol::{Code, Failure};
use store::drafts::{Base, Draft, bytes_of, leaving, origin_of};

/// Age at which the modification time of a file proves that it has not changed since. A younger file may have changed
/// again within the resolution of the clock.
const SETTLED: SignedDuration = SignedDuration::from_secs(2);

/// Most bytes of a file that is merged.
const MOST_MERGED: u64 = 8 << 20;

/// The differences between a draft and the folder.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    /// The files of the draft into which changes of others were merged.
    pub(crate) merged: Vec<VaultPath>,
    /// The files that need a decision.
    pub(crate) conflicts: Vec<DraftConflict>,
}

/// A file of the draft that cannot be merged with the vault.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DraftConflict {
    /// Its path in the draft; for a removed file, its path in the vault.
    pub(crate) path: VaultPath,
    /// The kind of the conflict.
    pub(crate) kind: ConflictKind,
}

/// The reason why a file of a draft cannot be merged.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ConflictKind {
    /// The draft and the vault both changed these lines.
    Lines(Vec<Conflict>),
    /// Both changed it, and it is not text, or too large.
    NotText,
    /// The draft removes it, and it was changed.
    ChangedMeanwhile,
    /// The file is no longer in the vault.
    Missing,
    /// Another file is at the new path; with the conflicts between both texts, if they can be compared.
    Taken(Vec<Conflict>),
    /// A file is in the place of a folder that the draft makes.
    NoFolder,
    /// The path leads to something that is not a file of the vault, such as a symlink out of the vault, or the file
    /// cannot be read.
    Unreadable,
}

/// The files of the vault's folder that are closed to a caller.
pub(super) struct ClosedFiles<'f> {
    folder: &'f Vault,
    sight: Option<&'f Arc<dyn Sight>>,
    /// The folder without them, once a file is at a path in question.
    open: OnceCell<Vault>,
    /// Rewrites links to what the draft moved and renamed. Built when the first file has changed on both sides.
    follower: OnceCell<LinkFollower>,
    /// The files and folders in each folder that was looked at, by their names in lower case.
    names: RefCell<BTreeMap<VaultPath, BTreeMap<String, Vec<VaultPath>>>>,
}

impl<'f> ClosedFiles<'f> {
    /// Lists the files of `folder` that `sight` closes; none if there is no `sight`.
    pub(super) fn new(folder: &'f Vault, sight: Option<&'f Arc<dyn Sight>>) -> Self {
        Self {
            folder,
            sight,
            open: OnceCell::new(),
            follower: OnceCell::new(),
            names: RefCell::default(),
        }
    }

    /// Whether one of them is at this path.
    pub(super) fn contain(&self, path: &VaultPath) -> Result<bool, Failure> {
        let Some(sight) = self.sight else {
            return Ok(false);
        };
        if !matches!(Editor(self.folder).state_at(path), Ok(State::File { .. })) {
            return Ok(false);
        }
        Ok(!self.without_them(sight)?.sees(path))
    }

    /// Returns the folder as the caller sees it.
    pub(super) fn open(&self) -> Result<&Vault, Failure> {
        self.sight
            .map_or(Ok(self.folder), |sight| self.without_them(sight))
    }

    /// Returns the [`LinkFollower`] of the draft.
    fn follower(&self, draft: &Draft) -> Result<&LinkFollower, Failure> {
        if let Some(follower) = self.follower.get() {
            return Ok(follower);
        }
        let follower = Editor(self.open()?).link_follower(&draft.overlay, &draft.bonds);
        let follower = follower.map_err(engine_failure)?;
        Ok(self.follower.get_or_init(|| follower))
    }

    /// Returns the folder without them.
    fn without_them(&self, sight: &Arc<dyn Sight>) -> Result<&Vault, Failure> {
        if let Some(open) = self.open.get() {
            return Ok(open);
        }
        let open = IndexedVault(&self.folder.clone())
            .limited_to(Arc::clone(sight))
            .map_err(engine_failure)?;
        Ok(self.open.get_or_init(|| open))
    }

    /// Whether something stays in the folder whose path differs from this one only in the case of its name. The draft
    /// cannot make both, because not every disk distinguishes them.
    fn name_has_twin(&self, draft: &Draft, path: &VaultPath) -> Result<bool, Failure> {
        let parent = path.parent();
        let mut names = self.names.borrow_mut();
        let listed = match names.entry(parent) {
            Entry::Occupied(listed) => listed.into_mut(),
            Entry::Vacant(unlisted) => {
                let listed = Editor(self.folder).paths_in_any_case(unlisted.key());
                unlisted.insert(listed.map_err(engine_failure)?)
            }
        };
        let Overlay { files, folders } = &draft.overlay;
        let leaves = |twin: &VaultPath| {
            files.get(twin) == Some(&PlannedFile::Gone) || folders.get(twin) == Some(&false)
        };
        let twins = listed.get(&path.name().to_lowercase());
        for twin in twins.into_iter().flatten() {
            if twin == path || leaves(twin) {
                continue;
            }
            let is_open = match self.sight {
                Some(sight) => {
                    let open = self.without_them(sight)?;
                    open.sees(twin) || open.sees_folder(twin)
                }
                None => true,
            };
            if is_open {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the conflict of a new file or folder that cannot be made: a file is in the place of a folder, or the first
    /// name that is missing has a [twin](Self::name_has_twin).
    fn in_the_way(&self, draft: &Draft, new: &VaultPath) -> Result<Option<ConflictKind>, Failure> {
        let count = new.components().count();
        for path in (1..=count).map(|count| new.beginning(count)) {
            let is_taken = match self.state_without_them(&path)? {
                State::Folder => continue,
                State::File { .. } => return Ok(Some(ConflictKind::NoFolder)),
                State::Absent => !path.is_hidden() && self.name_has_twin(draft, &path)?,
            };
            return Ok(is_taken.then(|| ConflictKind::Taken(Vec::new())));
        }
        Ok(None)
    }

    /// Returns the state of this path, as if the closed files were not in the folder.
    fn state_without_them(&self, path: &VaultPath) -> Result<State, Failure> {
        if self.contain(path)? {
            return Ok(State::Absent);
        }
        Editor(self.folder).state_at(path).map_err(engine_failure)
    }
}

/// A file of the folder, compared with the base of the draft.
enum Present {
    Unchanged,
    Changed(Version),
    Missing,
}

/// Merges what changed in the folder since the draft was recorded. The vault's own layer and limit do not
/// matter. A draft that is up to date stays as it is. What cannot be read is a conflict of that file.
///
/// With `only`, just the file that is or was at this path is looked at. The others stay as they were recorded, which
/// loses nothing: their bases stay too, so the next look merges the same.
///
/// Under the path rules of an agent, its new files are compared with the vault without the closed ones. Only a person
/// sees that a closed file has the same path.
pub(crate) fn bring_up_to_date(
    draft: &mut Draft,
    vault: &Vault,
    only: Option<&VaultPath>,
    sight: Option<&Arc<dyn Sight>>,
) -> Standing {
    let folder = vault.as_in_the_folder();
    let closed = ClosedFiles::new(&folder, sight);
    let mut standing = Standing::default();
    forget_made_moves(draft, &folder, only);
    let files = draft.overlay.files.iter();
    let is_meant = |path: &VaultPath, file: &PlannedFile| {
        only.is_none_or(|only| path == only || origin_of(path, file) == Some(only))
    };
    let paths = files.filter(|(path, file)| is_meant(path, file));
    let paths: Vec<VaultPath> = paths.map(|(path, _)| path.clone()).collect();
    let leaving = leaving(&draft.overlay);
    let unclear = unclear_moves(draft, &folder);
    for path in paths {
        if unclear.contains(&path) {
            let kind = taken(draft, &folder, &path);
            standing.conflicts.push(DraftConflict { path, kind });
            continue;
        }
        // An earlier file may have taken this one with it.
        if let Some(file) = draft.overlay.files.get(&path).cloned() {
            let shown = file.clone();
            let named = parts::name_of(draft, &path, &shown);
            let updated = update(
                draft,
                &closed,
                (&path, file),
                &leaving,
                &mut standing.merged,
            );
            // The other files of the draft, and other drafts, are not blocked.
            let conflict = updated.unwrap_or(Some(ConflictKind::Unreadable));
            let conflict = conflict.map(|kind| DraftConflict { path: named, kind });
            standing.conflicts.extend(conflict);
        }
    }
    draft.forget_unused_bonds();
    if only.is_some() {
        return standing;
    }
    let mut done = BTreeSet::new();
    for (path, exists) in &draft.overlay.folders {
        let is_folder = Editor(&folder)
            .state_at(path)
            .map(|state| state == State::Folder);
        if is_folder.is_ok_and(|is_folder| is_folder == *exists) {
            done.insert(path.clone());
        }
    }
    draft.overlay.folders.retain(|path, _| !done.contains(path));
    let made = parts::folders(draft);
    for part in made.filter(|part| part.change == Happening::FolderMade) {
        let conflict = closed.in_the_way(draft, &part.path);
        let conflict = conflict.unwrap_or(Some(ConflictKind::Unreadable));
        let path = part.path;
        let conflict = conflict.map(|kind| DraftConflict { path, kind });
        standing.conflicts.extend(conflict);
    }
    standing
}

/// Forgets moves that the vault has already, because another draft made them or a process was killed after it had accepted
/// them, if each file takes the path of the next one. To make an exchange again would exchange the paths back. Changed
/// texts stay in the draft, as changes of the files at their new paths.
fn forget_made_moves(draft: &mut Draft, folder: &Vault, only: Option<&VaultPath>) {
    for moves in rows_of_moves(&draft.overlay) {
        let is_meant = |only| moves.iter().any(|(from, to)| from == only || to == only);
        if !only.is_none_or(is_meant) || !is_made(draft, folder, &moves) {
            continue;
        }
        // All bases are taken first: a path is the old one of one file and the new one of another.
        let bases = moves.iter().map(|(from, _)| draft.bases.remove(from));
        let bases: Vec<Option<Base>> = bases.collect();
        let files = &mut draft.overlay.files;
        for ((from, to), base) in moves.iter().zip(bases) {
            if files.get(from) == Some(&PlannedFile::Gone) {
                files.remove(from);
            }
            let Some(PlannedFile::Bytes(planned)) = files.remove(to) else {
                continue;
            };
            let file = PlannedBytes {
                content: planned.content.clone(),
                origin: Some(to.clone()),
                modified: planned.modified,
            };
            files.insert(to.clone(), PlannedFile::Bytes(Arc::new(file)));
            draft.bases.extend(base.map(|base| (to.clone(), base)));
        }
    }
}

/// Returns the old and new paths of files that take each other's paths: of each row two or more, of which each takes the
/// path of the next one. In a ring the last one takes the path of the first one.
fn rows_of_moves(overlay: &Overlay) -> Vec<Vec<(VaultPath, VaultPath)>> {
    let mut leaving = leaving(overlay);
    let taken: BTreeSet<&VaultPath> = leaving.values().collect();
    let is_free = |from: &&VaultPath| !taken.contains(from);
    let mut starts: Vec<VaultPath> = leaving.keys().filter(is_free).cloned().collect();
    let mut rows = Vec::new();
    while let Some(mut from) = starts.pop().or_else(|| leaving.keys().next().cloned()) {
        let mut moves = Vec::new();
        while let Some(to) = leaving.remove(&from) {
            moves.push((std::mem::replace(&mut from, to.clone()), to));
        }
        if moves.len() > 1 {
            rows.push(moves);
        }
    }
    rows
}

/// Whether the vault has these moves already: at each new path is the file that leaves for it, one of the paths has another
/// content than before, and nothing is at a path that is left free. At the new path of a file whose text the draft changes
/// too, another person may have changed the text since; the other files must be as the draft has them.
fn is_made(draft: &Draft, folder: &Vault, moves: &[(VaultPath, VaultPath)]) -> bool {
    let state = |path| Editor(folder).state_at(path).ok();
    let mut has_arrived = false;
    for (from, to) in moves {
        let Some(base) = draft.bases.get(from) else {
            return false;
        };
        let is_left = draft.overlay.files.get(from) == Some(&PlannedFile::Gone);
        if is_left && state(from) != Some(State::Absent) {
            return false;
        }
        let Some(there) = state(to).and_then(|state| state.version()) else {
            return false;
        };
        let is_there = there.sha256 == base.sha256 || is_planned_at(draft, to, there);
        let replaced = draft.bases.get(to);
        let is_changed = replaced.is_none_or(|replaced| replaced.sha256 != there.sha256);
        let has_text = matches!(draft.overlay.files.get(to), Some(PlannedFile::Bytes(_)));
        let may_be_changed = is_changed && has_text && replaced.is_some();
        if !(is_there || may_be_changed) {
            return false;
        }
        has_arrived |= is_there && is_changed;
    }
    has_arrived
}

/// Returns the new paths of the files that take each other's paths, if the vault has some of these moves but not all: a
/// file has the earlier text of another one, or each file of a ring has another text than before. Then nobody can know
/// which file is which, and a move would take the wrong one.
fn unclear_moves(draft: &Draft, folder: &Vault) -> BTreeSet<VaultPath> {
    let at = |path: &VaultPath| {
        let version = Editor(folder).state_at(path).ok()?.version()?;
        Some(version.sha256)
    };
    let mut unclear = BTreeSet::new();
    for moves in rows_of_moves(&draft.overlay) {
        let before = |from: &VaultPath| draft.bases.get(from).map(|base| base.sha256);
        let earlier: Vec<_> = moves.iter().map(|(from, _)| before(from)).collect();
        let present: Vec<_> = moves.iter().map(|(from, _)| at(from)).collect();
        let is_ring = moves.first().map(|(from, _)| from) == moves.last().map(|(_, to)| to);
        let has_unchanged = earlier.iter().zip(&present).any(|(old, new)| old == new);
        let is_another = |(old, new): (&Option<_>, &Option<_>)| {
            new.is_some() && old != new && earlier.contains(new)
        };
        if is_ring && !has_unchanged || earlier.iter().zip(&present).any(is_another) {
            unclear.extend(moves.into_iter().map(|(_, to)| to));
        }
    }
    unclear
}

/// Brings one file up to date; returns the conflict, if there is one.
fn update(
    draft: &mut Draft,
    closed: &ClosedFiles<'_>,
    (path, file): (&VaultPath, PlannedFile),
    leaving: &BTreeMap<VaultPath, VaultPath>,
    merged: &mut Vec<VaultPath>,
) -> Result<Option<ConflictKind>, Failure> {
    let folder = closed.folder;
    let Some(from) = origin_of(path, &file).cloned() else {
        return new_file(draft, closed, path, &file);
    };
    // The file that moved away is looked at with its new path.
    let is_at = |to: &VaultPath| {
        let there = draft.overlay.files.get(to);
        there.is_some_and(|file| origin_of(to, file) == Some(path))
    };
    if file == PlannedFile::Gone && leaving.get(path).is_some_and(is_at) {
        return Ok(None);
    }
    let Some(base) = draft.bases.get_mut(&from) else {
        return Ok(None);
    };
    let sha256 = base.sha256;
    let present = present(folder, &from, base)?;
    let is_moved = from != *path;
    // The draft also has a base of its own file at the new path.
    let target = if is_moved && !draft.bases.contains_key(path) {
        closed.state_without_them(path)?
    } else {
        State::Absent
    };
    let is_gone = matches!(present, Present::Missing);
    let is_new = is_moved && !is_gone && target == State::Absent;
    if is_new
        && !draft.bases.contains_key(path)
        && let Some(kind) = closed.in_the_way(draft, path)?
    {
        return Ok(Some(kind));
    }
    let there = target.version();
    match (present, there) {
        (Present::Missing, _) if file == PlannedFile::Gone || is_trashed(path) => {
            draft.forget_file(path, Some(&from));
            draft.bases.remove(&from);
            Ok(None)
        }
        _ if target == State::Folder => Ok(Some(taken(draft, folder, path))),
        (Present::Missing, Some(there))
            if there.sha256 == sha256 || matches!(file, PlannedFile::Bytes(_)) =>
        {
            moved_alike(draft, closed, (path, &from), there, merged)
        }
        (Present::Changed(version), Some(there))
            if there.sha256 == sha256 && is_planned_at(draft, &from, version) =>
        {
            moved_alike(draft, closed, (path, &from), there, merged)
        }
        (_, Some(_)) => Ok(Some(taken(draft, folder, path))),
        (Present::Missing, None) => Ok(Some(ConflictKind::Missing)),
        (Present::Unchanged, None) => Ok(None),
        (Present::Changed(version), None) => {
            changed(draft, (path, file), (&from, version), closed, merged)
        }
    }
}

/// Whether the vault has at this path what the draft plans for it.
fn is_planned_at(draft: &Draft, path: &VaultPath, version: Version) -> bool {
    match draft.overlay.files.get(path) {
        Some(PlannedFile::Bytes(planned)) => planned.content.version() == version,
        Some(PlannedFile::From(origin)) => {
            let base = draft.bases.get(origin);
            base.is_some_and(|base| base.sha256 == version.sha256)
        }
        _ => false,
    }
}

/// The vault has the same move, and what is at the new path merges with the draft. If it does not, another
/// file is there, and the draft stays as it is.
fn moved_alike(
    draft: &mut Draft,
    closed: &ClosedFiles<'_>,
    (path, from): (&VaultPath, &VaultPath),
    version: Version,
    merged: &mut Vec<VaultPath>,
) -> Result<Option<ConflictKind>, Failure> {
    let mut moved = draft.clone();
    let file = moved.overlay.files.get(path).cloned();
    moved.forget_file(path, Some(from));
    let base = moved.bases.remove(from);
    if let (Some(PlannedFile::Bytes(planned)), Some(base)) = (file, base) {
        let file = PlannedFile::Bytes(Arc::new(PlannedBytes {
            content: planned.content.clone(),
            origin: Some(path.clone()),
            modified: planned.modified,
        }));
        moved.overlay.files.insert(path.clone(), file.clone());
        let is_base = base.sha256 == version.sha256;
        moved.bases.insert(path.clone(), base);
        if !is_base {
            let of_file = (path, file);
            if changed(&mut moved, of_file, (path, version), closed, merged)?.is_some() {
                return Ok(Some(taken(draft, closed.folder, path)));
            }
        }
    }
    *draft = moved;
    Ok(None)
}

/// Merges a file that the draft creates. The path must be free, or contain a file with the same bytes.
fn new_file(
    draft: &mut Draft,
    closed: &ClosedFiles<'_>,
    path: &VaultPath,
    file: &PlannedFile,
) -> Result<Option<ConflictKind>, Failure> {
    let PlannedFile::Bytes(planned) = file else {
        return Ok(None);
    };
    // The draft moves or removes what is there.
    if draft.bases.contains_key(path) {
        return Ok(None);
    }
    match closed.state_without_them(path)? {
        State::Absent => closed.in_the_way(draft, path),
        State::File { sha256, .. } if sha256 == planned.content.version().sha256 => {
            draft.overlay.files.remove(path);
            Ok(None)
        }
        _ => Ok(Some(taken(draft, closed.folder, path))),
    }
}

/// Returns the conflict of a file whose path another one has in the vault.
fn taken(draft: &Draft, folder: &Vault, path: &VaultPath) -> ConflictKind {
    let planned = folder.clone().with_overlay(draft.overlay.clone());
    let text = |vault: &Vault| String::from_utf8(vault.read_bytes(path).ok()?).ok();
    let texts = text(&planned).zip(text(folder));
    match texts.map(|(ours, theirs)| merge("", &ours, &theirs, DIFF_TIME)) {
        Some(Merge::Conflict(lines)) => ConflictKind::Taken(lines),
        Some(Merge::Clean(_)) | None => ConflictKind::Taken(Vec::new()),
    }
}

/// Compares a file of the folder with its base, at first by size and time. Remembers a time that proves
/// that it did not change.
fn present(folder: &Vault, path: &VaultPath, base: &mut Base) -> Result<Present, Failure> {
    let facts = folder.facts(path).ok();
    if let Some(facts) = &facts
        && base.size == facts.size
        && base.modified == Some(facts.modified)
    {
        return Ok(Present::Unchanged);
    }
    match Editor(folder).state_at(path).map_err(engine_failure)? {
        State::File { sha256, .. } if sha256 == base.sha256 => {
            base.modified = facts.and_then(|facts| settled(facts.modified));
            Ok(Present::Unchanged)
        }
        State::File { sha256, size, .. } => Ok(Present::Changed(Version { size, sha256 })),
        State::Absent | State::Folder => Ok(Present::Missing),
    }
}

/// Returns the time of a file in milliseconds, if a later write would have another one.
pub(super) fn settled(modified: i64) -> Option<i64> {
    let now = Timestamp::now().as_millisecond();
    let settled = i64::try_from(SETTLED.as_millis()).unwrap_or(i64::MAX);
    (now.saturating_sub(modified) > settled).then_some(modified)
}

/// Merges a file that was changed in the vault too; returns the conflict, if there is one.
fn changed(
    draft: &mut Draft,
    (path, file): (&VaultPath, PlannedFile),
    (from, version): (&VaultPath, Version),
    closed: &ClosedFiles<'_>,
    merged: &mut Vec<VaultPath>,
) -> Result<Option<ConflictKind>, Failure> {
    let planned = match &file {
        PlannedFile::Bytes(planned) => planned,
        PlannedFile::From(_) if !is_trashed(path) => {
            merged.extend(changed_and_moved(draft, path, (from, version), closed)?);
            return Ok(None);
        }
        PlannedFile::From(_) | PlannedFile::Gone => {
            return Ok(Some(ConflictKind::ChangedMeanwhile));
        }
    };
    let base = draft.bases.get(from).and_then(|base| base.content.clone());
    let base = base.as_deref().map(bytes_of).transpose()?;
    let ours = bytes_of(&planned.content)?;
    let Some(present) = bytes_at(closed.folder, from, version)? else {
        return Ok(Some(ConflictKind::NotText));
    };
    let texts = base.and_then(|base| {
        let text = |bytes| std::str::from_utf8(bytes).ok();
        Some((text(base)?, text(ours)?, text(&present)?))
    });
    let (mut bonds, mut lines) = (BTreeSet::new(), Vec::new());
    let result = match texts {
        Some((base, ours, theirs)) => {
            match followed_merge(draft, closed, (path, from), (base, ours, theirs))? {
                Some((merged, followed, changed)) => {
                    (bonds, lines) = (followed, changed);
                    Merge::Clean(merged)
                }
                None => merge(base, ours, theirs, DIFF_TIME),
            }
        }
        None if ours == present => Merge::Clean(String::new()),
        None => return Ok(Some(ConflictKind::NotText)),
    };
    let bytes = match result {
        Merge::Conflict(lines) => return Ok(Some(ConflictKind::Lines(lines))),
        Merge::Clean(_) if ours == present => present.clone(),
        Merge::Clean(text) => text.into_bytes(),
    };
    if bytes != ours {
        merged.push(path.clone());
    }
    if bytes == present && from == path {
        draft.forget_file(path, None);
        draft.bases.remove(from);
        return Ok(None);
    }
    let file = if bytes == present {
        PlannedFile::From(from.clone())
    } else {
        PlannedFile::Bytes(Arc::new(PlannedBytes {
            content: PlannedContent::new(bytes),
            origin: Some(from.clone()),
            modified: planned.modified,
        }))
    };
    draft.overlay.files.insert(path.clone(), file);
    draft
        .bases
        .insert(from.clone(), Base::from_bytes(present, None));
    for (at, bond) in draft.bonds.iter_mut().enumerate() {
        // They were counted in the old base.
        bond.lines.remove(path);
        if bonds.contains(&at) && bond.files.insert(path.clone()) {
            bond.lines.insert(path.clone(), lines.clone());
        }
    }
    Ok(None)
}

/// Brings a file up to date that the draft only moves. The move takes the file as it is, but links that others wrote in it
/// follow. Returns its path if there are any.
fn changed_and_moved(
    draft: &mut Draft,
    path: &VaultPath,
    (from, version): (&VaultPath, Version),
    closed: &ClosedFiles<'_>,
) -> Result<Option<VaultPath>, Failure> {
    let present = if from.is_indexed() {
        bytes_at(closed.folder, from, version)?
    } else {
        None
    };
    let follower = closed.follower(draft)?;
    let rewritten = present
        .as_deref()
        .map(|text| follower.text((from, path), text));
    let rewritten = rewritten.transpose().map_err(engine_failure)?.flatten();
    let Some((present, rewritten)) = present.zip(rewritten) else {
        let base = Base::without_bytes(version);
        draft.bases.insert(from.clone(), base);
        return Ok(None);
    };
    let file = PlannedBytes {
        content: PlannedContent::new(rewritten.bytes),
        origin: Some(from.clone()),
        modified: draft.changed.as_millisecond(),
    };
    let file = PlannedFile::Bytes(Arc::new(file));
    draft.overlay.files.insert(path.clone(), file);
    let base = Base::from_bytes(present, None);
    draft.bases.insert(from.clone(), base);
    Ok(Some(path.clone()))
}

/// A merged text, the indexes of the bonds on which its links depend, and the lines of the vault's text with such links.
type FollowedMerge = (String, BTreeSet<usize>, Vec<Range<usize>>);

/// Merges the texts of a file so that the links that others wrote follow what the draft moved and renamed, as links in files
/// do that the draft does not change. `None` if no link follows, or the texts do not merge then.
fn followed_merge(
    draft: &Draft,
    closed: &ClosedFiles<'_>,
    (path, from): (&VaultPath, &VaultPath),
    (base, ours, theirs): (&str, &str, &str),
) -> Result<Option<FollowedMerge>, Failure> {
    let moves = || {
        draft.overlay.files.iter().any(|(path, file)| {
            !path.is_hidden() && origin_of(path, file).is_some_and(|from| from != path)
        })
    };
    if ours == theirs || draft.bonds.is_empty() && !moves() {
        return Ok(None);
    }
    let follower = closed.follower(draft)?;
    let rewritten = |text: &str| {
        let result = follower.text((from, path), text.as_bytes());
        let result = result.map_err(engine_failure)?;
        let utf8 = |one: FollowedText| Some((String::from_utf8(one.bytes).ok()?, one.bonds));
        Ok::<_, Failure>(result.and_then(utf8))
    };
    let Some((present, bonds)) = rewritten(theirs)? else {
        return Ok(None);
    };
    // The draft's own text has followed already. Compared with the old text as it was, both sides would seem to have
    // changed the same lines.
    let old = rewritten(base)?.map_or_else(|| base.to_owned(), |(old, _)| old);
    let lines = hunks(theirs, &present, DIFF_TIME).into_iter();
    Ok(match merge(&old, ours, &present, DIFF_TIME) {
        Merge::Clean(text) => Some((text, bonds, lines.map(|hunk| hunk.before).collect())),
        Merge::Conflict(_) => None,
    })
}

/// Returns all bytes of a file of the folder; `None` if the file is too large to be merged, or changed just now.
fn bytes_at(
    folder: &Vault,
    path: &VaultPath,
    version: Version,
) -> Result<Option<Vec<u8>>, Failure> {
    if version.size > MOST_MERGED {
        return Ok(None);
    }
    let file = Editor(folder).file_at(path).map_err(engine_failure)?;
    let mut bytes = Vec::new();
    let read = file.take(MOST_MERGED).read_to_end(&mut bytes);
    read.map_err(|source| {
        Code::IoError.failure(format!("`{path}` cannot be read ({}).", source.kind()))
    })?;
    Ok((Version::from_bytes(&bytes) == version).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> VaultPath {
        VaultPath::file(text).unwrap()
    }

    /// Returns the paths in conflict of a draft that the folder has these files besides.
    fn conflicts(draft: &Draft, files: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let file = folder.path().join(file);
            fs_err::create_dir_all(file.parent().unwrap()).unwrap();
            fs_err::write(file, "text").unwrap();
        }
        let vault = Vault::open(folder.path()).unwrap();
        let standing = bring_up_to_date(&mut draft.clone(), &vault, None, None);
        let taken = standing.conflicts.into_iter().map(|conflict| {
            assert!(
                matches!(
                    conflict.kind,
                    ConflictKind::Taken(_) | ConflictKind::NoFolder
                ),
                "{conflict:?}"
            );
            conflict.path.to_string()
        });
        taken.collect()
    }

    /// The draft exchanges `a.md` and `b.md`, and adds a line to the first one.
    #[test]
    fn h24_an_exchange_that_the_vault_has_is_not_made_again() {
        let mut draft = Draft::new(None, Timestamp::UNIX_EPOCH);
        for (path_of, text) in [("a.md", "A\n"), ("b.md", "B\n")] {
            let base = Base::from_bytes(text.as_bytes().to_vec(), None);
            draft.bases.insert(path(path_of), base);
        }
        let moved = PlannedBytes {
            content: PlannedContent::new(b"A\nmore\n".to_vec()),
            origin: Some(path("a.md")),
            modified: 0,
        };
        let files = [
            ("a.md", PlannedFile::From(path("b.md"))),
            ("b.md", PlannedFile::Bytes(Arc::new(moved))),
        ];
        draft.overlay.files = files.map(|(at, file)| (path(at), file)).into();
        let shown = |[a, b]: [&str; 2], only: Option<&str>| {
            let folder = tempfile::tempdir().unwrap();
            for (name, text) in [("a.md", a), ("b.md", b)] {
                fs_err::write(folder.path().join(name), text).unwrap();
            }
            let vault = Vault::open(folder.path()).unwrap();
            let mut draft = draft.clone();
            let only = only.map(path);
            let standing = bring_up_to_date(&mut draft, &vault, only.as_ref(), None);
            let parts = parts::parts(&draft).into_iter().map(|part| {
                let from = part.from.map(|from| format!(" from {from}"));
                format!(
                    "{:?} {}{}",
                    part.change,
                    part.path,
                    from.unwrap_or_default()
                )
            });
            let conflicts = standing.conflicts.into_iter();
            let conflicts = conflicts.map(|one| format!("conflict in {}", one.path));
            parts.chain(conflicts).collect::<Vec<_>>().join(", ")
        };
        let both = "Moved a.md from b.md, Moved b.md from a.md";
        let conflict = format!("{both}, conflict in a.md, conflict in b.md");
        for (texts, expected) in [
            // It is not made yet, also if a person changed one of them.
            (["A\n", "B\n"], both),
            (["0\nA\n", "B\n"], both),
            // It is made: by this draft, or by one without the line.
            (["B\n", "A\nmore\n"], ""),
            (["B\n", "A\n"], "Modified b.md"),
            // A person changed the text since.
            (["B\n", "0\nA\nmore\n"], ""),
            (["B\n", "0\nA\n"], "Modified b.md"),
            // Nobody can know which file is which.
            (["X\n", "Y\n"], &conflict),
            (["0\nB\n", "A\n"], &conflict),
            (["0\nB\n", "A\nmore\n"], &conflict),
            (["0\nB\n", "0\nA\n"], &conflict),
        ] {
            assert_eq!(shown(texts, None), expected, "{texts:?}");
        }
        assert_eq!(shown(["B\n", "A\n"], Some("b.md")), "Modified b.md");
    }

    /// The draft moves `a.md` to the trash, and `b.md` to its path.
    #[test]
    fn h24_a_row_of_moves_that_the_vault_has_is_not_made_again() {
        let mut draft = Draft::new(None, Timestamp::UNIX_EPOCH);
        for name in ["a.md", "b.md"] {
            let base = Base::from_bytes(name.as_bytes().to_vec(), None);
            draft.bases.insert(path(name), base);
        }
        draft.overlay.rename(&path("a.md"), path(".trash/a.md"));
        draft.overlay.rename(&path("b.md"), path("a.md"));
        let files = |files: &[(&str, &str)]| {
            let folder = tempfile::tempdir().unwrap();
            fs_err::create_dir(folder.path().join(".trash")).unwrap();
            for (name, text) in files {
                fs_err::write(folder.path().join(name), text).unwrap();
            }
            let vault = Vault::open(folder.path()).unwrap();
            let mut draft = draft.clone();
            let standing = bring_up_to_date(&mut draft, &vault, None, None);
            (draft.waiting(), standing.conflicts.len(), draft.bases.len())
        };
        assert_eq!(files(&[("a.md", "a.md"), ("b.md", "b.md")]), (2, 0, 2));
        assert_eq!(
            files(&[("a.md", "b.md"), (".trash/a.md", "a.md")]),
            (0, 0, 0)
        );
        // A person made only a part of it.
        let (waiting, conflicts, _) = files(&[("a.md", "b.md"), ("b.md", "b.md")]);
        assert!(waiting > 0 && conflicts > 0);
    }

    #[test]
    fn a_path_that_differs_only_in_case_is_taken_like_the_same_path() {
        let empty = Draft::new(None, Timestamp::UNIX_EPOCH);
        let mut created = empty.clone();
        let overlay = &mut created.overlay;
        overlay.put(path("n.md"), b"new".to_vec(), true, 0);
        assert_eq!(conflicts(&created, &["other.md"]), [""; 0]);
        assert_eq!(conflicts(&created, &["N.md"]), ["n.md"]);
        // A folder that would be made for it.
        let mut below = empty.clone();
        below.overlay.set_folder(path("dir"), true);
        below
            .overlay
            .put(path("dir/n.md"), b"new".to_vec(), true, 0);
        assert_eq!(conflicts(&below, &["dir/x.md"]), [""; 0]);
        assert_eq!(conflicts(&below, &["Dir/x.md"]), ["dir/n.md"]);
        // The draft takes the other one away.
        created.overlay.remove(path("N.md"));
        assert_eq!(conflicts(&created, &["N.md"]), [""; 0]);

        let mut moved = empty.clone();
        moved.overlay.rename(&path("a.md"), path("b.md"));
        let base = Base::from_bytes(b"text".to_vec(), None);
        moved.bases.insert(path("a.md"), base);
        assert_eq!(conflicts(&moved, &["a.md"]), [""; 0]);
        assert_eq!(conflicts(&moved, &["a.md", "B.md"]), ["b.md"]);
        // Its own name may change in case.
        moved.overlay = Overlay::default();
        moved.overlay.rename(&path("a.md"), path("A.md"));
        assert_eq!(conflicts(&moved, &["a.md"]), [""; 0]);

        let mut made = empty;
        made.overlay.set_folder(path("dir"), true);
        made.overlay.set_folder(path("dir/sub"), true);
        assert_eq!(conflicts(&made, &["other/a.md"]), [""; 0]);
        assert_eq!(conflicts(&made, &["Dir/a.md"]), ["dir", "dir/sub"]);
        assert_eq!(conflicts(&made, &["dir/Sub/a.md"]), ["dir/sub"]);
        // A file is in the place of the folder.
        assert_eq!(conflicts(&made, &["dir"]), ["dir", "dir/sub"]);
        assert_eq!(conflicts(&below, &["dir"]), ["dir/n.md"]);
    }
}
