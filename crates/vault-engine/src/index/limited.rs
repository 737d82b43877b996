//! A snapshot of what one caller may know of (`faults.md` D13): its files alone, and the graph, the
//! tags and all else made of them alone. A link to a file out of sight leads where it would lead if
//! that file were not there.

use std::sync::{Arc, OnceLock};

use super::snapshot::{IndexSnapshot, KeptColumns, KeptNote};
use crate::contents::{Contents, Detail};
use crate::error::EngineError;
use crate::path::VaultPath;
use crate::vault::Vault;
use crate::warning::Warning;

/// A snapshot of the whole vault, and what was made of it for one caller.
pub(crate) struct LimitedSnapshot {
    pub(crate) whole: Arc<IndexSnapshot>,
    pub(crate) limited: Arc<IndexSnapshot>,
}

impl IndexSnapshot {
    /// This snapshot, which is of the whole vault, as far as the callers of `vault` may know of it.
    /// What was made `before` is used again as far as the notes are the same.
    pub(crate) fn limited(
        &self,
        vault: &Vault,
        before: Option<&LimitedSnapshot>,
    ) -> Result<Self, EngineError> {
        vault.disk().cancellation().check()?;
        let before = before.filter(|before| Arc::ptr_eq(&before.whole.files, &self.files));
        let seen: Vec<usize> = match before {
            Some(before) => places_of(&before.limited.files, &self.files),
            None => (0..self.files.len())
                .filter(|id| self.files.get(*id).is_some_and(|path| vault.sees(path)))
                .collect(),
        };
        let notes: Vec<Option<Arc<KeptNote>>> = seen
            .iter()
            .map(|id| self.notes.get(*id).cloned().flatten())
            .collect();
        let left_out = self.left_out_for(vault)?;
        if let Some(LimitedSnapshot { limited, .. }) = before {
            let files = Arc::clone(&limited.files);
            let columns = limited.columns_for(&notes);
            return Ok(Self::new(
                files,
                notes,
                left_out,
                limited.links.clone(),
                columns,
            ));
        }
        let files = seen.iter().filter_map(|id| self.files.get(*id).cloned());
        let files = Arc::new(files.collect());
        let nothing = (OnceLock::new(), KeptColumns::default());
        Ok(Self::new(files, notes, left_out, nothing.0, nothing.1))
    }

    /// What the walk left out, as far as the caller may know of it. The warnings count what they
    /// tell of, so the walk has to count anew where there are any.
    fn left_out_for(&self, vault: &Vault) -> Result<Vec<Warning>, EngineError> {
        if self.left_out.is_empty() {
            return Ok(Vec::new());
        }
        let root = VaultPath::root();
        let contents = Contents::read(
            vault.disk(),
            vault.sight(),
            &root,
            root.as_str(),
            Detail::Names,
        )?;
        Ok(contents.warnings)
    }

    /// The columns of this snapshot as far as they hold for these notes of the same files.
    fn columns_for(&self, notes: &[Option<Arc<KeptNote>>]) -> KeptColumns {
        let mut columns = self.columns.clone();
        for (id, (before, now)) in self.notes.iter().zip(notes).enumerate() {
            match (before, now) {
                (None, None) => {}
                (Some(before), Some(now)) if Arc::ptr_eq(before, now) => {}
                (before, Some(now)) => columns.forget(id, before.as_deref(), &now.record),
                (Some(_), None) => columns = KeptColumns::default(),
            }
        }
        columns
    }
}

/// Where each of some of the files stands among all of them; both in the same order.
fn places_of(some: &[VaultPath], all: &[VaultPath]) -> Vec<usize> {
    let mut wanted = some.iter().peekable();
    let is_wanted = |(_, path): &(usize, &VaultPath)| wanted.next_if_eq(path).is_some();
    let found = all.iter().enumerate().filter(is_wanted);
    found.map(|(id, _)| id).collect()
}
