//! How links follow the texts, headings and blocks that a draft carried from note to note, in texts that the draft does not
//! know yet (`design/drafts.md`).

use std::collections::BTreeSet;
use std::rc::Rc;

use vault_engine::{Carried, CarriedKind, Change, Editor, PlannedFile, Vault, VaultPath};

use backend::engine_failure;
use protocol::failure::Failure;
use store::drafts::{Draft, bytes_of};

/// A text, heading or block that one command of a draft carried.
pub(super) struct FollowedStep<'draft> {
    pub(super) carried: &'draft Carried,
    /// The index of its bond.
    bond: usize,
    /// The new notes of the draft, the same for all steps.
    new: Rc<[Change]>,
    /// The notes that only the draft ever had, and that are there during this step.
    between: Vec<Change>,
}

impl FollowedStep<'_> {
    /// Returns this vault with the notes that are there during the step.
    pub(super) fn view_of(&self, vault: &Vault) -> Vault {
        Editor(&Editor(vault).after(&self.new)).after(&self.between)
    }
}

/// Returns what the draft carried, in the order of its commands. The names of its notes are those in the folder, and for
/// new notes those in the draft.
///
/// A text may have passed through a note that only the draft ever had. That note is there in between, so that links are
/// followed to the end. If the folder has another file of that name now, nothing is followed through it: links to that
/// file would be taken for links to the note.
pub(super) fn steps<'draft>(
    draft: &'draft Draft,
    folder: &Vault,
) -> Result<Vec<FollowedStep<'draft>>, Failure> {
    let files = &draft.overlay.files;
    let mut new = Vec::new();
    for (path, file) in files {
        if let PlannedFile::Bytes(planned) = file
            && planned.origin.is_none()
            && path.is_note()
            && !path.is_hidden()
            && !folder.is_there(path)
        {
            new.push(created(path, bytes_of(&planned.content)?));
        }
    }
    let bonds = (0..).zip(&draft.bonds);
    let all = bonds.flat_map(|(bond, one)| one.carried.iter().map(move |carried| (bond, carried)));
    let all = all.filter(|(_, carried)| carried.kind() != CarriedKind::LinesMoved);
    let all: Vec<(usize, &Carried)> = all.collect();
    let is_unknown =
        |path: &VaultPath| !files.contains_key(path) && !draft.bases.contains_key(path);
    let passed: BTreeSet<&VaultPath> = all
        .iter()
        .map(|(_, carried)| carried.files())
        .filter(|[from, to]| from != to && is_unknown(from))
        .map(|[from, _]| from)
        .collect();
    let new: Rc<[Change]> = new.into();
    let mut reached = BTreeSet::new();
    let mut found = Vec::new();
    for (at, (bond, carried)) in all.iter().enumerate() {
        let own = carried.files();
        let is_known = |path: &&VaultPath| passed.contains(path) && folder.is_there(path);
        if !own.iter().any(is_known) {
            let later = all.iter().skip(at).map(|(_, later)| later.files()[0]);
            let between: BTreeSet<&VaultPath> = later
                .filter(|path| reached.contains(path) && is_unknown(path) && !folder.is_there(path))
                .collect();
            found.push(FollowedStep {
                carried,
                bond: *bond,
                new: Rc::clone(&new),
                between: between.into_iter().map(|path| created(path, b"")).collect(),
            });
        }
        reached.insert(own[1]);
    }
    Ok(found)
}

/// Returns a text that the file `source` of the folder has or had, with the links that follow what the draft carried, and
/// the indexes of the bonds that changed it.
pub(super) fn followed(
    steps: &[FollowedStep<'_>],
    folder: &Vault,
    (source, text): (&VaultPath, &str),
) -> Result<(Vec<u8>, BTreeSet<usize>), Failure> {
    let mut text = text.as_bytes().to_vec();
    let mut bonds = BTreeSet::new();
    for step in steps {
        let view = step.view_of(folder);
        let after = Editor(&view)
            .text_after_carried(step.carried, source, &text)
            .map_err(engine_failure)?;
        if let Some(after) = after {
            text = after;
            bonds.insert(step.bond);
        }
    }
    Ok((text, bonds))
}

fn created(path: &VaultPath, text: &[u8]) -> Change {
    Change::Create {
        path: path.clone(),
        after: text.to_vec(),
    }
}
