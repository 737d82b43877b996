//! `move`, `rename` and `folder:move`: move files and update the links to them
//! (`vault-semantics.md` §7.4, §7.5). `heading:rename` does the same for a heading or block of a note, `note:merge` and
//! `note:extract` with the text of a note (`vault-semantics.md` §7.8).
//!
//! Every link is resolved twice: among the present files, and among the files after the move. If the results differ,
//! the link is rewritten, even if it leads to a file that does not move, so that the link graph stays the same except
//! for the new path. The index says which files have such links; no other file is read. A new text is only written
//! after it was parsed again and every link in it leads to the same file as before.
//!
//! `.base` files and reference definitions (`[label]: path`) do not count as links
//! (`vault-semantics.md` §2.1, §2.2) and stay unchanged, as do bookmarks.

mod affected;
mod canvas;
mod decoded;
mod destination;
mod escapes;
mod extract;
mod folder;
mod following;
mod heading;
mod line_merge;
mod link_follower;
mod link_repair;
mod link_text;
mod merge;
mod moved;
mod moved_anchors;
mod name;
mod out_of_sight;
mod piece;
mod places;
#[cfg(test)]
mod random_histories;
#[cfg(test)]
mod random_vaults;
mod reference;
mod rewrite;
mod scalars;
mod setting;
mod shift;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod text_move_tests;

pub(super) use self::extract::EXTRACT;
pub(super) use self::folder::FOLDER_MOVE;
pub(super) use self::heading::HEADING_RENAME;
pub use self::link_follower::{FollowedText, LinkFollower};
pub(super) use self::link_repair::{LinkRepair, with_places};
pub(super) use self::merge::{MERGE, properties_of};
pub use self::moved_anchors::MovedAnchors;
pub use self::out_of_sight::LinksOutOfSight;

use obsidian_note::{VaultPath, Warning};
use vault_answers::{Answer, Confirmation};
use vault_files::{Args, Call, EngineError, Vault};
use vault_index::target::{missing, required};
use vault_index::{Indexed, IndexedVault, LinkTexts, Target};

use self::following::Following;
use self::moved::Moved;
use self::rewrite::Rewriting;
use self::setting::LinkSettings;
use self::shift::Shift;
use super::change::Change;
use super::edit_command::{Edit, EditCommand};
use super::new_file::{check_case, folders_for};
use super::steps::in_order;
use crate::Editor;

pub(super) const MOVE: EditCommand = EditCommand::new("move", move_file);
pub(super) const RENAME: EditCommand = EditCommand::new("rename", rename);

/// `move`: to another folder, or to another path.
fn move_file(call: &Call<'_>) -> Result<Edit, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let usage = "move [file=<name>] [path=<path>] to=<path>";
    let to = arguments.path("to").ok_or_else(|| missing("to", usage))?;
    let target = existing(vault, arguments)?;
    let to = destination::of_move(&target.path, to)?;
    let edit = planned(vault, target, to, |path, destination| Confirmation::Moved {
        path,
        destination,
    })?;
    unless_forced(vault, arguments, edit)
}

/// `rename`: to another name in the same folder.
fn rename(call: &Call<'_>) -> Result<Edit, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let name = required(
        arguments,
        "name",
        "rename [file=<name>] [path=<path>] name=<name>",
    )?;
    let target = existing(vault, arguments)?;
    let to = destination::of_rename(&target.path, name)?;
    let edit = planned(vault, target, to, |path, destination| {
        Confirmation::Renamed { path, destination }
    })?;
    unless_forced(vault, arguments, edit)
}

/// Returns the edit if `force` is set or it keeps all links.
fn unless_forced(vault: &Vault, arguments: &Args, edit: Edit) -> Result<Edit, EngineError> {
    if arguments.flag("force") {
        return Ok(edit);
    }
    name::keep_links(vault, edit)
}

impl Editor<'_> {
    /// Whether links follow a file that is moved, by the settings of the vault and of its owner.
    ///
    /// # Errors
    ///
    /// Fails if the settings of the vault cannot be read.
    pub fn updates_links(&self) -> Result<bool, EngineError> {
        LinkSettings::read(self).map(|settings| settings.update)
    }

    /// Plans the move of a file to exactly this path, with the links to it and in it. The folders that are missing are
    /// made. Nothing changes if the file has this path already.
    ///
    /// # Errors
    ///
    /// The app's error if there is no such file or the new path is taken; [`EngineError::Path`] if a file may not have
    /// the new path; [`EngineError::NameBreaksLinks`] if no link can name it; otherwise the error that keeps the vault
    /// from being read.
    pub fn plan_move(&self, from: &VaultPath, to: &VaultPath) -> Result<Edit, EngineError> {
        let target = Target::exact(from.clone());
        target.must_exist(self)?;
        let to = destination::checked(from, to.clone())
            .map_err(|reason| EngineError::path(to.as_str(), reason))?;
        let edit = planned(self, target, to, |path, destination| Confirmation::Moved {
            path,
            destination,
        })?;
        self.checked(name::keep_links(self, edit)?)
    }

    /// Plans the moves of files to exactly these paths, which may be names without an extension; links follow all of
    /// them as with `move`. Their folders must exist. A file may take the path that another one leaves, and files may
    /// exchange their paths: then one of them is first moved to a free name in its folder.
    ///
    /// # Errors
    ///
    /// As [`Editor::plan`].
    pub fn plan_moves(
        &self,
        renames: &[(VaultPath, VaultPath)],
    ) -> Result<Vec<Change>, EngineError> {
        let indexed = IndexedVault(self).column::<LinkTexts>()?;
        let mut files = indexed.files.to_vec();
        let overlay = self.overlay().map(|overlay| overlay.as_ref().clone());
        let (mut left, mut taken) = (
            overlay.clone().unwrap_or_default(),
            overlay.unwrap_or_default(),
        );
        for (from, to) in renames {
            let Ok(at) = files.binary_search(from) else {
                return Err(EngineError::file_not_found(from.as_str()));
            };
            files.remove(at);
            left.remove(from.clone());
            taken.put(to.clone(), Vec::new(), true, 0);
        }
        let left = self.0.clone().with_overlay(left);
        let mut moved = Vec::with_capacity(renames.len());
        for (from, to) in renames {
            let to = destination::checked(from, to.clone())
                .map_err(|reason| EngineError::path(to.as_str(), reason))?;
            destination::must_be_free(&left, &files, from, &to)?;
            files.insert(files.partition_point(|file| *file < to), to.clone());
            moved.push(Moved::read(self, from.clone(), to)?);
        }
        let taken = self.0.clone().with_overlay(taken);
        let between = |from: &VaultPath| Editor(&taken).free_path(from).map(Some);
        let mut changes = in_order(moved.iter().map(Moved::step).collect(), between)?;
        if let Some(first) = moved.first() {
            follow(
                self,
                &indexed,
                &moved,
                &first.from,
                (&mut changes, &mut Vec::new()),
            )?;
        }
        self.check_lengths(&changes)?;
        self.check_spellings(&changes)?;
        Ok(changes)
    }
}

fn existing(vault: &Vault, arguments: &Args) -> Result<Target, EngineError> {
    let target = Target::from_arguments(vault, arguments)?;
    target.must_exist(vault)?;
    Ok(target)
}

fn planned(
    vault: &Vault,
    target: Target,
    to: VaultPath,
    confirm: impl FnOnce(String, String) -> Confirmation,
) -> Result<Edit, EngineError> {
    let from = target.path;
    // Moving to the same path is not an error (`vault-semantics.md` §7.4).
    if from == to {
        let there = Confirmation::AlreadyThere {
            path: from.to_string(),
        };
        return Ok(Edit::new(there, Vec::new(), target.warnings));
    }
    let answer = Answer::from(confirm(from.to_string(), to.to_string()));
    let mut edit = Edit::new(answer, Vec::new(), target.warnings);
    let indexed = IndexedVault(vault).column::<LinkTexts>()?;
    if indexed.files.binary_search(&from).is_err() {
        return Err(EngineError::file_not_found(&target.requested));
    }
    edit.changes = folders_for(vault, &to)?;
    check_case(vault, &to, &edit.changes)?;
    destination::must_be_free(vault, &indexed.files, &from, &to)?;
    let moved = [Moved::read(vault, from.clone(), to)?];
    edit.changes.extend(moved.iter().map(Moved::change));
    follow(
        vault,
        &indexed,
        &moved,
        &from,
        (&mut edit.changes, &mut edit.warnings),
    )?;
    Ok(edit)
}

/// Returns how the move of these files changes the targets of links.
fn shift_of(files: &[VaultPath], settings: &LinkSettings, moved: &[Moved]) -> Shift {
    let files_moved = moved
        .iter()
        .map(|file| (file.from.clone(), file.to.clone(), &file.links[..]));
    Shift::for_files(files, settings.format, files_moved)
}

/// Adds the changes of links for these moved files. `about` is the file or folder that the caller
/// moves.
fn follow(
    vault: &Vault,
    indexed: &Indexed<LinkTexts>,
    moved: &[Moved],
    about: &VaultPath,
    (changes, reported): (&mut Vec<Change>, &mut Vec<Warning>),
) -> Result<(), EngineError> {
    let settings = LinkSettings::read(vault)?;
    let shift = shift_of(&indexed.files, &settings, moved);
    let mut following = Following::new(vault, &shift, settings);
    following.follow_all(indexed, &[])?;
    following.finish(about, changes, reported);
    Ok(())
}

struct Rewritten {
    before: Vec<u8>,
    rewriting: Rewriting,
}

/// Returns the change of one file; a warning if it can no longer be read. A file that has grown beyond the limit for
/// indexing counts as having no links. [`EngineError::Stopped`] after a cancellation of the vault's
/// [`CancellationToken`](obsidian_note::CancellationToken).
fn rewritten(
    vault: &Vault,
    shift: &Shift,
    source: &VaultPath,
) -> Result<Result<Rewritten, Option<Warning>>, EngineError> {
    vault.disk().cancellation().check()?;
    Ok(match vault.indexed_bytes(source) {
        Ok(before) => {
            let places = (source, shift.place(source));
            let rewriting =
                rewrite::rewritten(shift, places, &before, vault.disk().cancellation())?;
            Ok(Rewritten { before, rewriting })
        }
        Err(problem) => Err(problem.warning(source)),
    })
}
